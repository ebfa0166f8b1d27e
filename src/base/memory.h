/* memory.h - the behaviour when memory runs out, or when a long call is stopped.
 *
 * Code inside the library never checks for it: ripstop_realloc, arenas and growing texts do not return without
 * memory. They jump to the guard of their thread, which is the one of the outermost call into the library; that call
 * returns its error. So every public function that may take memory opens with RIPSTOP_GUARD.
 *
 * The jump frees what was allocated under the guard, and nothing else:
 *   - a block of ripstop_realloc(NULL, ...) and a new arena belong to the guard until its call has succeeded; then
 *     they belong to the holder
 *   - a block of an arena, by whatever call, belongs to the arena
 * Therefore an object that outlives a call (a prover, a network, a plan) keeps later allocations in an arena that it
 * had from the start: after a call that ran out of memory it can still be freed. The same goes for a text of the
 * caller's: ripstop_text_begin before the guard.
 *
 * Other resources (a file, a thread, a lock) must not be held where memory is allocated, unless ripstop_try is
 * between. Threads start with ripstop_try; the thread that waits for them passes the failure on by
 * ripstop_out_of_memory. Plug-ins and callbacks run under the guard, too, so the jump may skip their stack frames:
 * docs/api.md gives their authors the consequences.
 *
 * A call that is to end early ends in the same way. Work below a call that has a `course` (ripstop_guard_course)
 * reports its progress now and then (ripstop_task_progress, for plug-ins, too), and if the work is to stop, that call
 * does not return either. The call's error is "stopped" then. Threads of a team can be stopped like the call that
 * made them, except those that work together with it (ripstop_team_together).
 *
 * The kit uses this header, too; it is not installed. */
#ifndef RIPSTOP_BASE_MEMORY_H
#define RIPSTOP_BASE_MEMORY_H

#include <setjmp.h>
#include <stdalign.h>
#include <stddef.h>

/* Compiled with the address sanitizer: gcc defines the first, clang the second. */
#if defined(__SANITIZE_ADDRESS__)
#define RIPSTOP_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RIPSTOP_ADDRESS_SANITIZER 1
#endif
#endif

#include "ripstop/plugin/base.h"

/* Stands before the bytes of every block: its neighbours in the ring of its owner. A block alone in its ring belongs
 * to its holder. The bytes after it are aligned for any type, whatever the size of two pointers. */
typedef struct ripstop_block ripstop_block;
struct ripstop_block {
  alignas(max_align_t) ripstop_block *next;
  ripstop_block *before;
};

/* The caller of long work in this thread hands this to it. */
typedef struct ripstop_course {
  const atomic_int *stop;                                                    /* NULL: the work cannot be stopped */
  void (*tell)(void *context, const char *what, uint64_t done, uint64_t of); /* NULL: progress is not reported */
  void *context;
  struct ripstop_files *files; /* base/files.h; NULL: files are read from the disk and not recorded */
  struct ripstop_noted *noted; /* base/inputs.h; NULL: no output is refused because it is an input */
} ripstop_course;

typedef struct ripstop_guard {
  jmp_buf jump;
  struct ripstop_guard *outer;
  ripstop_course course;        /* for the calls under it; with `inner` the outer guard's, to be restored at the end */
  volatile uint64_t asked;      /* after the jump: bytes that could not be allocated; 0: unknown */
  volatile bool ended;          /* after the jump: the work was stopped, memory did not run out */
  bool inner;                   /* an outer guard exists and does the work */
  ripstop_block blocks, arenas; /* allocated under it */
} ripstop_guard;

#define RIPSTOP_NO_MEMORY "out of memory" /* how the messages of guards begin */
#define RIPSTOP_ENDED     "stopped"       /* or the whole message */

RIPSTOP_BEGIN

void ripstop_guard_begin(ripstop_guard *guard, bool even_inside);
void ripstop_guard_end(ripstop_guard *guard); /* does nothing after the jump */
/* After the jump: "out of memory (... bytes more)". `err` may be NULL. */
void ripstop_guard_report(const ripstop_guard *guard, ripstop_error *err);

/* From here to the end of the function: when memory runs out, the function returns `failed` and `err` (may be NULL)
 * says why. */
#define RIPSTOP_GUARD(err, failed)                                             \
  __attribute__((cleanup(ripstop_guard_end))) ripstop_guard guard_of_the_call; \
  ripstop_guard_begin(&guard_of_the_call, false);                              \
  if (setjmp(guard_of_the_call.jump)) return ripstop_guard_report(&guard_of_the_call, err), (failed)

/* Calls the function under a guard of its own, also inside of another. -1: memory ran out, and the allocations of the
 * call are freed. */
int ripstop_try(void (*call)(void *argument), void *argument, ripstop_error *err);
/* Acts like memory running out here, or like stopping the work: for a failure in another thread. Under a guard only. */
_Noreturn void ripstop_out_of_memory(void);

/* Sets the course of the work in this thread until the guard that was opened last ends; outside of guards it does
 * nothing. Members that are NULL keep their earlier values. */
void ripstop_guard_course(const ripstop_course *course);
const ripstop_course *ripstop_course_here(void); /* this thread's; never NULL */
void ripstop_guard_finish(void);                 /* the same: the work cannot be stopped */
/* The course for threads that share the work: all of it if there is one thread, otherwise without progress reports. */
ripstop_course ripstop_guard_share(unsigned threads);

/* Takes the block, or the arena, from the guard: it stays in any case, and other threads may free it. NULL is fine. */
void ripstop_disown(void *memory);
void ripstop_arena_disown(ripstop_arena *arena);

RIPSTOP_END

/* For arena.c: a zeroed block in a ring, NULL outside of guards; and the end of all blocks of a ring. */
void *ripstop_block_new(ripstop_block *ring, size_t bytes);
void ripstop_blocks_free(ripstop_block *ring);
void ripstop_ring_open(ripstop_block *ring);
void ripstop_ring_add(ripstop_block *ring, ripstop_block *block);
void ripstop_ring_leave(ripstop_block *block);
/* An arena that is being created; see ripstop_guard. */
void ripstop_guard_adopt(ripstop_block *arena);
void *ripstop_block_resize(ripstop_block *ring, void *memory, size_t count, size_t size);

#endif
