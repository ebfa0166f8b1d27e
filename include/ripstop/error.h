/* error.h - what every header of ripstop begins with: errors, stopping, and the conventions of the whole library.
 *
 *   errors    A function that can fail returns 0 for success and -1 for failure, or NULL for the object that it would
 *             have made. When it fails it has written one line (no newline) into its ripstop_error, and its output is
 *             as it was before the call or only fit to be freed. The pointer to the ripstop_error is never NULL.
 *   kinds     `machine` is false when an input is wrong: a word, a file, a method that does not fit the fabric. Then
 *             the same call fails again. `machine` is true when memory, a disk or another part of the machine failed.
 *             Then the same call may succeed later.
 *   chains    A function that makes an object from another one takes NULL in place of it: then it returns NULL, and
 *             leaves the error of the call that failed. So a program can check the last object of a chain alone.
 *   inputs    belong to the caller; a callee copies what it keeps, unless its header says that they must outlive it.
 *   objects   belong to the caller, who frees each by the function whose name ends in _free; NULL is fine there.
 *   texts     that a function returns belong to the object that it was called with, and live as long as that.
 *   no memory is an error like others: "out of memory". A function without ripstop_error returns NULL, RIPSTOP_NONE,
 *             UINT64_MAX or -1 then, according to its type. The objects that it was called with are then only fit to
 *             be freed, unless they are const; what else it had taken has been given back.
 *   threads   docs/api.md, "Threads". */
#ifndef RIPSTOP_ERROR_H
#define RIPSTOP_ERROR_H

#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
using std::atomic_load_explicit;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RIPSTOP_VERSION "0.1.0"
#define RIPSTOP_NONE    UINT32_MAX /* "no such node, port, link, ..." */

/* Limits of fabrics, and of the files that they are made of. */
#define RIPSTOP_FABRIC_MAX_PORTS (1u << 26) /* every count that follows from it fits 32 bits with room for channels */
#define RIPSTOP_NAME_MAX         256        /* bytes that any node's or link's name needs, terminator included */

/* Thousandths of a flit a cycle. A slow link has from RIPSTOP_RATE_LEAST to RIPSTOP_RATE_FULL - 1. */
enum { RIPSTOP_RATE_LEAST = 10, RIPSTOP_RATE_FULL = 1000 };
enum { RIPSTOP_DELAY_MAX = 1000 }; /* cycles that a flit may be on a link of its own delay */

/* Exit codes of a program: all is well; the program did its work, and the result is a failure; what was given (a word,
 * a file, a store, a path) is wrong; the machine failed (memory, a disk, too many open files). */
enum { RIPSTOP_EXIT_OK = 0, RIPSTOP_EXIT_FAILED = 1, RIPSTOP_EXIT_INPUT = 2, RIPSTOP_EXIT_MACHINE = 3 };

#if defined(__GNUC__)
#define RIPSTOP_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#define RIPSTOP_SHOWN                   _Pragma("GCC visibility push(default)")
#define RIPSTOP_HIDDEN                  _Pragma("GCC visibility pop")
#define RIPSTOP_INTERNAL                __attribute__((visibility("hidden")))
#else
#define RIPSTOP_PRINTF(fmt_at, args_at)
#define RIPSTOP_SHOWN
#define RIPSTOP_HIDDEN
#define RIPSTOP_INTERNAL
#endif

/* Around the declarations of every public header: the names between are names of C, and the shared library shows them.
 * It hides all others, the tables of plug-ins too (RIPSTOP_INTERNAL): no program may depend on their length. */
#ifdef __cplusplus
#define RIPSTOP_BEGIN RIPSTOP_SHOWN extern "C" {
#define RIPSTOP_END \
  }                 \
  RIPSTOP_HIDDEN
#else
#define RIPSTOP_BEGIN RIPSTOP_SHOWN
#define RIPSTOP_END   RIPSTOP_HIDDEN
#endif

RIPSTOP_BEGIN

typedef struct ripstop_error {
  char text[600]; /* one line, no newline; empty when nothing failed */
  bool machine;   /* the kind: true when the machine failed, false when an input is wrong */
} ripstop_error;

const char *ripstop_version(void); /* RIPSTOP_VERSION of the library that the program runs with */

#if ATOMIC_INT_LOCK_FREE != 2
#error "a signal handler sets an atomic_int, which must be free of locks"
#endif

RIPSTOP_END

#endif
