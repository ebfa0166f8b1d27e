/* base.h - what every room stands on: errors, arenas, random streams, options and text.
 *
 * Nothing here knows of networks.
 *
 * Conventions of the whole library:
 *
 *   errors    A function that can fail returns 0 for success and -1 for failure. When it fails it has written one line
 *             (no newline) into its ripstop_error, and its output is as it was before the call or only fit to be freed.
 *   inputs    belong to the caller; a callee copies what it keeps.
 *   memory    hangs from an arena that belongs to one visible thing (a fabric, a plan, a run) and dies with it.
 *   no memory is an error like others: "out of memory". A function without ripstop_error returns NULL, RIPSTOP_NONE,
 *             UINT64_MAX or -1 then, whichever its type has. The objects that it was called with are then only fit to
 *             be freed, unless they are const; what else it had taken has been given back. */
#ifndef RIPSTOP_BASE_H
#define RIPSTOP_BASE_H

#include <stdarg.h>
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
#include <stdio.h>

#define RIPSTOP_VERSION "0.1.0"
#define RIPSTOP_NONE    UINT32_MAX /* "no such node, port, link, ..." */

/* Limits of fabrics, and of the files that they are made of. */
#define RIPSTOP_FABRIC_MAX_PORTS (1u << 26) /* every count that follows from it fits 32 bits with room for channels */
#define RIPSTOP_NAME_MAX         256        /* bytes that any node's or link's name needs, terminator included */

/* Thousandths of a flit a cycle. A slow link has from RIPSTOP_RATE_LEAST to RIPSTOP_RATE_FULL - 1. */
enum { RIPSTOP_RATE_LEAST = 10, RIPSTOP_RATE_FULL = 1000 };
enum { RIPSTOP_DELAY_MAX = 1000 }; /* cycles that a flit may be on a link of its own delay */

/* How a program ends: all is well; what was asked for was done, and the answer is a failure; what was given (a word, a
 * file, a store, a path) is wrong; the machine failed (memory, a disk, too many open files). */
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

/* Around the declarations of every public header: the names between are those of C, and the shared library shows them.
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

/* ------------------------------------------------------------------ errors */

typedef struct ripstop_error {
  char text[600]; /* one line, no newline; empty when nothing failed */
  bool machine;   /* the machine failed, and the same call may succeed another day; else what was given is wrong */
} ripstop_error;

/* Control characters, at which a terminal would do something, become question marks. */
void ripstop_clean(char *text);

/* Writes the message and returns -1, so that `return ripstop_fail(err, ...)` reads well. Control characters that come
 * from input are shown as '?'. */
int ripstop_fail(ripstop_error *err, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* Puts "PREFIX: " before a message that is already there; returns -1. */
int ripstop_fail_at(ripstop_error *err, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* The message, ": " and what the system's error number means; a number that no path can be blamed for is the
 * machine's failure. 0, when nobody knows the number, is an error of input and output. */
int ripstop_fail_system(ripstop_error *err, int number, const char *fmt, ...) RIPSTOP_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* which sees one file at a time and has to be told what these return */
#define ripstop_fail(...)        (ripstop_fail(__VA_ARGS__), -1)
#define ripstop_fail_at(...)     (ripstop_fail_at(__VA_ARGS__), -1)
#define ripstop_fail_system(...) (ripstop_fail_system(__VA_ARGS__), -1)
#endif

/* ------------------------------------------------------------------ stopping */

#if ATOMIC_INT_LOCK_FREE != 2
#error "a signal handler sets an atomic_int, which must be free of locks"
#endif

/* Whether somebody, be it a signal handler, wishes the work to end. NULL: nobody can. */
static inline bool ripstop_stopped(const atomic_int *stop) {
  return stop && atomic_load_explicit(stop, memory_order_relaxed) != 0;
}

/* For long loops of plug-ins: of `of` steps of the work, in a few words `what`, `done` are done; NULL: as far as
 * before. Where the call into the library is to stop, this does not come back, and what was taken since that call began
 * is given back, as where memory runs out (docs/api.md). Else it costs a few instructions. */
void ripstop_task_progress(const char *what, uint64_t done, uint64_t of);

/* ------------------------------------------------------------------ arenas */

typedef struct ripstop_arena ripstop_arena;

/* When memory runs out these return NULL. Not so in a plug-in that the library has called: there they do not come back,
 * and what the plug-in had taken since is given back. */
ripstop_arena *ripstop_arena_new(void);
void ripstop_arena_free(ripstop_arena *arena);  /* NULL is fine */
void ripstop_arena_clear(ripstop_arena *arena); /* frees what it holds, but for 1 MiB at most, and not the arena */
/* `count` zeroed objects of `size` bytes, aligned for any type. */
void *ripstop_arena_array(ripstop_arena *arena, size_t count, size_t size);
char *ripstop_arena_text(ripstop_arena *arena, const char *text);
char *ripstop_arena_printf(ripstop_arena *arena, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* Memory that grows; not zeroed. It may be freed before its arena, by ripstop_free. */
void *ripstop_arena_realloc(ripstop_arena *arena, void *memory, size_t count, size_t size);
size_t ripstop_arena_bytes(const ripstop_arena *arena); /* bytes of its objects obtained from the system */

#define RIPSTOP_NEW(arena, type)          ((type *)ripstop_arena_array((arena), 1, sizeof(type)))
#define RIPSTOP_ARRAY(arena, count, type) ((type *)ripstop_arena_array((arena), (count), sizeof(type)))

/* The same without an arena; to be freed by ripstop_free. */
void *ripstop_realloc(void *memory, size_t count, size_t size);
void ripstop_free(void *memory); /* NULL is fine */

/* ------------------------------------------------------------------ random numbers
 * Counter-based (Philox4x32-10 of Random123): the value depends on (seed, purpose, index, position) alone, never on who
 * asked before. So results are the same for any number of threads and workers. */

/* One for each use, so that streams never overlap. The numbers are part of every result: append, change none. */
typedef enum ripstop_purpose {
  RIPSTOP_RANDOM_FAULTS = 1,     /* index: sample */
  RIPSTOP_RANDOM_GENERATION = 2, /* index: source; position: packet */
  RIPSTOP_RANDOM_PATTERN = 3,    /* index: the pattern's own */
  RIPSTOP_RANDOM_SELECTION = 4,  /* index: packet serial and hop */
  RIPSTOP_RANDOM_PHASE = 5,      /* index: source; where a periodic or on-off source starts */
  RIPSTOP_RANDOM_NETWORK = 6,    /* delays, loss and order of the virtual network */
  RIPSTOP_RANDOM_DEFEAT = 7,     /* index: try; the order in which links die in search of a defeat */
  RIPSTOP_RANDOM_PROGRAM = 8,    /* what a kernel computes with */
  RIPSTOP_RANDOM_SCHEDULE = 9,   /* index: sample; what fails while it runs */
  RIPSTOP_RANDOM_OUTAGE = 10,    /* index: sample and part; when it fails and is repaired */
  RIPSTOP_RANDOM_DRAW = 11,      /* index: packet serial; what the packet draws at its generation */
  RIPSTOP_RANDOM_PROOF = 12,  /* index: how many, 2^32 beyond for draws; the destinations that packets are walked to */
  RIPSTOP_RANDOM_RARE = 13,   /* index: draw; fault sets round listed ones */
  RIPSTOP_RANDOM_MEND = 14,   /* orders of channels, and the roots of their trees */
  RIPSTOP_RANDOM_WIRING = 15, /* index: try; the cables of random fabrics */
  RIPSTOP_RANDOM_MARK = 16,   /* index: packet serial and hop; whether a switch marks it */
  RIPSTOP_RANDOM_MESSAGES = 17, /* index: rank; when messages of a random workload are generated, and where they go */
  RIPSTOP_RANDOM_TEST = 1000
} ripstop_purpose;

typedef struct ripstop_stream {
  uint64_t seed, index, block;
  uint32_t purpose;
  uint32_t word[4];
  uint32_t left; /* words of the present block not yet given out */
} ripstop_stream;

/* One block of four words at a position, without any state. */
void ripstop_random_block(uint64_t seed, ripstop_purpose purpose, uint64_t index, uint64_t position, uint32_t out[4]);
ripstop_stream ripstop_stream_open(uint64_t seed, ripstop_purpose purpose, uint64_t index);
uint32_t ripstop_stream_u32(ripstop_stream *stream);
uint64_t ripstop_stream_u64(ripstop_stream *stream);
uint32_t ripstop_stream_below(ripstop_stream *stream, uint32_t bound); /* 0 .. bound-1 without bias; bound > 0 */
double ripstop_stream_unit(ripstop_stream *stream);                    /* [0, 1), 53 bits */

/* ------------------------------------------------------------------ text */

/* A growing text, always terminated; zero-initialise, then ripstop_text_free. */
typedef struct ripstop_text {
  char *data; /* NULL: nothing has been added */
  size_t length, capacity;
  bool cut; /* memory ran out, and something is missing */
} ripstop_text;

void ripstop_text_add(ripstop_text *text, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
void ripstop_text_add_bytes(ripstop_text *text, const char *bytes, size_t length);
void ripstop_text_begin(ripstop_text *text); /* empty, with `data` */
void ripstop_text_free(ripstop_text *text);

/* The whole text as a number; leading and trailing blanks are errors, as are signs for the unsigned kind. */
int ripstop_parse_u64(const char *text, uint64_t max, uint64_t *out, ripstop_error *err);
int ripstop_parse_real(const char *text, double *out, ripstop_error *err); /* finite only */

/* The word of a NULL-terminated list that is nearest to `text` by edit distance; NULL: none is near enough. */
const char *ripstop_nearest_word(const char *text, const char *const *words);

/* Reads a whole file of at most `limit` bytes; the result is terminated and belongs to the arena. */
int ripstop_read_file(ripstop_arena *arena, const char *path, size_t limit, char **data, size_t *length,
                      ripstop_error *err);
/* Closes a written file. Fails unless all bytes have arrived, with the reason of the first call that failed if no other
 * call failed in between. */
int ripstop_close_file(FILE *file, const char *path, ripstop_error *err);

/* ------------------------------------------------------------------ options are data
 * Parsing, validation, defaults, --help and the manual all come from one array. An entry without name ends it. */

typedef enum ripstop_option_type {
  RIPSTOP_OPTION_INTEGER, /* int64_t */
  RIPSTOP_OPTION_REAL,    /* double */
  RIPSTOP_OPTION_FLAG,    /* bool: on/off, true/false, yes/no */
  RIPSTOP_OPTION_WORD,    /* int32_t: index into words */
  RIPSTOP_OPTION_TEXT     /* const char *, owned by the arena given to ripstop_options_* */
} ripstop_option_type;

typedef struct ripstop_option {
  const char *name;
  ripstop_option_type type;
  size_t offset;            /* of the value in the owner's config struct */
  double min, max;          /* numbers: both inclusive */
  const char *const *words; /* RIPSTOP_OPTION_WORD: the permitted words, NULL-terminated */
  const char *fallback;     /* default as text; NULL: the option must be given */
  bool positional;          /* the value may stand alone, without "name=" (at most one option per array) */
  bool later;               /* came when results were stored already: a run whose value is the fallback is named as if
                               there were no such option, so the fallback, written as it is printed, must never change */
  const char *help;         /* one sentence; units and source where they matter */
} ripstop_option;

/* An option that has the name of its member of the struct `config`, in a line: its range or words, its default (NULL:
 * it must be given), its help, then other members of ripstop_option, e.g. .later = true. */
#define RIPSTOP_OPTION(config, member, type_, ...) \
  { .name = #member, .type = RIPSTOP_OPTION_##type_, .offset = offsetof(config, member), __VA_ARGS__ }
#define RIPSTOP_INTEGER(config, member, least, most, otherwise, ...) \
  RIPSTOP_OPTION(config, member, INTEGER, .min = least, .max = most, .fallback = otherwise, .help = __VA_ARGS__)
#define RIPSTOP_REAL(config, member, least, most, otherwise, ...) \
  RIPSTOP_OPTION(config, member, REAL, .min = least, .max = most, .fallback = otherwise, .help = __VA_ARGS__)
#define RIPSTOP_FLAG(config, member, otherwise, ...) \
  RIPSTOP_OPTION(config, member, FLAG, .fallback = otherwise, .help = __VA_ARGS__)
#define RIPSTOP_WORD(config, member, list, otherwise, ...) \
  RIPSTOP_OPTION(config, member, WORD, .words = list, .fallback = otherwise, .help = __VA_ARGS__)
#define RIPSTOP_TEXT(config, member, otherwise, ...) \
  RIPSTOP_OPTION(config, member, TEXT, .fallback = otherwise, .help = __VA_ARGS__)

/* Writes every default. Options without one are left zero. -1: no memory, or a default that its own option does not
 * take. */
int ripstop_options_defaults(ripstop_arena *arena, const ripstop_option *options, void *config);
/* Sets one option from text. Errors name the option, the range or the nearest valid word. `owner` says whose option it
 * is: "method misroute", "fabric torus". */
int ripstop_options_set(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config,
                        const char *name, const char *value, ripstop_error *err);
/* Defaults, then "a=1,b=2" (NULL or empty: defaults only), then a check that nothing without a default is missing.
 * The same option twice is an error. */
int ripstop_options_parse(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config,
                          const char *text, ripstop_error *err);
/* Every option in the array's order as "a=1,b=2"; a positional one as its value alone; one that came later not at all
 * while it has its default. Equal configs give equal text. */
void ripstop_options_print(ripstop_text *out, const ripstop_option *options, const void *config);
/* One value as ripstop_options_print writes it. */
void ripstop_options_print_value(ripstop_text *out, const ripstop_option *option, const void *config);
int ripstop_options_help(FILE *file, const ripstop_option *options);

/* ------------------------------------------------------------------ statistics */

/* The x that a standard normal variable, or Student's t with `freedom` degrees of freedom (> 0), stays below with
 * probability p. 0 < p < 1; NAN outside. Good to 1e-9 of the value or better. */
double ripstop_normal_quantile(double p);
double ripstop_t_quantile(double p, double freedom);
double ripstop_mean(const double *values, size_t count); /* NAN of none */
/* Half the width of the t interval for the mean of independent values, at a confidence such as 0.95. NAN for fewer than
 * 2 values. INFINITY for 2 that differ: one difference says too little about the spread, and the factor of 12.7 (at
 * 0.95) makes the interval uselessly wide. */
double ripstop_mean_half_width(const double *values, size_t count, double confidence);
/* The same for consecutive batches of one run, which depend on each other: `value[i]` is the value of batch i, and
 * `centre` the estimate for the whole run, the middle of the interval. The interval widens by the correlation of
 * neighbouring batches. NAN for fewer than 2 batches. INFINITY, which means that the run is too short for an interval:
 * fewer than RIPSTOP_BATCHES_LEAST batches, or batches that depend on each other too much. Source: stats.c. */
enum { RIPSTOP_BATCHES_LEAST = 10 };
double ripstop_batches_half_width(const double *value, size_t count, double centre, double confidence);
/* The same for quantiles of batches, which have more outliers: their variance is only as sure as that of two thirds as
 * many normal values. */
double ripstop_sections_half_width(const double *value, size_t count, double centre, double confidence);
/* The same round 0, for what is left of batches beside a line. A bend leaves residuals that seem to depend on each
 * other however clear the line is, so a lag-1 correlation above 0.9 counts as 0.9 and gives no INFINITY. */
double ripstop_residuals_half_width(const double *value, size_t count, double confidence);

typedef struct ripstop_interval {
  double low, high;
} ripstop_interval;

/* Intervals for a probability of which `successes` in `trials` were seen. Wilson's score interval is close to its
 * confidence; Clopper and Pearson's is never below it ("exact"), so proofs by sampling quote that one. [0, 1] for no
 * trials. */
ripstop_interval ripstop_wilson(uint64_t successes, uint64_t trials, double confidence);
ripstop_interval ripstop_clopper_pearson(uint64_t successes, uint64_t trials, double confidence);

/* One-sided and exact, where nothing is drawn twice: how many of `all` there are at most of a kind of which `seen` were
 * among `drawn`. With so many more, no more than `seen` would be drawn with a probability of at most 1 - confidence. */
uint64_t ripstop_hits_at_most(uint64_t seen, uint64_t drawn, uint64_t all, double confidence);

RIPSTOP_END

#endif
