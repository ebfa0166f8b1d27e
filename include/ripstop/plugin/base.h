/* base.h - what plug-ins and the library itself are written with: errors, arenas, random streams, options and text.
 * Nothing here knows of networks. The conventions are those of error.h; and
 *
 *   memory    hangs from an arena that belongs to one visible thing (a fabric, a plan, a run) and dies with it. */
#ifndef RIPSTOP_PLUGIN_BASE_H
#define RIPSTOP_PLUGIN_BASE_H

#include <stdarg.h>
#include <stdio.h>

#include "ripstop/error.h"

RIPSTOP_BEGIN

/* ------------------------------------------------------------------ errors */

/* Control characters, at which a terminal would do something, become question marks. */
void ripstop_clean(char *text);

/* Writes the message and returns -1, so that `return ripstop_fail(err, ...)` reads well. Control characters that come
 * from input are shown as '?'. */
int ripstop_fail(ripstop_error *err, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* Puts "PREFIX: " before a message that is already there; returns -1. */
int ripstop_fail_at(ripstop_error *err, const char *fmt, ...) RIPSTOP_PRINTF(2, 3);
/* The message, ": " and what the system's error number means; a number that no path can be blamed for is the
 * machine's failure. 0, an unknown number, is an error of input and output. */
int ripstop_fail_system(ripstop_error *err, int number, const char *fmt, ...) RIPSTOP_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* it analyses one file at a time and does not know what these return */
#define ripstop_fail(...)        (ripstop_fail(__VA_ARGS__), -1)
#define ripstop_fail_at(...)     (ripstop_fail_at(__VA_ARGS__), -1)
#define ripstop_fail_system(...) (ripstop_fail_system(__VA_ARGS__), -1)
#endif

/* ------------------------------------------------------------------ stopping */

/* True if the work is to end, for example by a signal handler. NULL: it cannot be stopped. */
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
 * Counter-based (Philox4x32-10 of Random123): the value depends on (seed, purpose, index, position) alone, never on
 * earlier calls. So results are the same for any number of threads and workers. */

/* One for each use, so that streams never overlap. The numbers are part of every result: append, change none. */
typedef enum ripstop_purpose {
  RIPSTOP_RANDOM_FAULTS = 1,     /* index: sample */
  RIPSTOP_RANDOM_GENERATION = 2, /* index: source; position: packet */
  RIPSTOP_RANDOM_PATTERN = 3,    /* index: the pattern's own */
  RIPSTOP_RANDOM_SELECTION = 4,  /* index: packet serial and hop */
  RIPSTOP_RANDOM_PHASE = 5,      /* index: source; where a periodic or on-off source starts */
  RIPSTOP_RANDOM_NETWORK = 6,    /* delays, loss and order of the virtual network */
  RIPSTOP_RANDOM_DEFEAT = 7,     /* index: try; the order of failing links in search of a defeat */
  RIPSTOP_RANDOM_PROGRAM = 8,    /* inputs of kernels */
  RIPSTOP_RANDOM_SCHEDULE = 9,   /* index: sample; failures while it runs */
  RIPSTOP_RANDOM_OUTAGE = 10,    /* index: sample and part; its failures and repairs */
  RIPSTOP_RANDOM_HEADER = 11,    /* index: packet serial; its random header at its generation */
  RIPSTOP_RANDOM_PROOF = 12,  /* index: how many, 2^32 beyond for draws; the destinations that packets are walked to */
  RIPSTOP_RANDOM_RARE = 13,   /* index: draw; fault sets round listed ones */
  RIPSTOP_RANDOM_MEND = 14,   /* orders of channels, and the roots of their trees */
  RIPSTOP_RANDOM_WIRING = 15, /* index: try; the cables of random fabrics */
  RIPSTOP_RANDOM_MARK = 16,   /* index: packet serial and hop; whether a switch marks it */
  RIPSTOP_RANDOM_MESSAGES = 17, /* index: rank; when messages of a random workload are generated, and where they go */
  RIPSTOP_RANDOM_MATCHING = 18, /* index: node and cycle; position: round and output; grants of switch.match: pim */
  RIPSTOP_RANDOM_ERRORS = 19,   /* index: link and direction; position: its corrupted flits before */
  RIPSTOP_RANDOM_VC = 20, /* switch.vc: space: packet serial and hop; random: node and cycle, and the input port */
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

#define RIPSTOP_UNLIMITED INT64_MAX /* the value of an integer option that is given as a word */
typedef struct ripstop_option {
  const char *name;
  ripstop_option_type type;
  size_t offset;            /* offset of the value in the owner's config struct */
  double min, max;          /* numbers: both inclusive */
  const char *const *words; /* RIPSTOP_OPTION_WORD: the permitted words, NULL-terminated. RIPSTOP_OPTION_INTEGER: a word
                               for RIPSTOP_UNLIMITED, or NULL */
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

/* Writes every default. Options without one are left zero. Without an arena (NULL) texts are the options' own. -1: no
 * memory, or a default that its own option does not take. */
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

RIPSTOP_END

#endif
