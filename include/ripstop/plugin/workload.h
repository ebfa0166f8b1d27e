/* workload.h - what end nodes have to do: the struct that every file in src/workload/kinds/ ends with, and how it lays
 * out its tasks.
 *
 * A job has ranks 0 .. N-1, each at an end node of its own. What a rank does is a set of tasks: to send a message, to
 * receive one, to compute. A task begins when all that it comes after is done; nothing else orders tasks, but that
 * messages which are ready together leave a rank in the order of their tasks, and that a processor does one computation
 * at a time. A send is done when its first flit leaves, a receive when its message is there, whole. */
#ifndef RIPSTOP_PLUGIN_WORKLOAD_H
#define RIPSTOP_PLUGIN_WORKLOAD_H

#include "ripstop/kit/workload.h"

RIPSTOP_BEGIN

typedef struct ripstop_tasks ripstop_tasks; /* the tasks of a job */
typedef uint32_t ripstop_task;              /* in the order in which they were added */

#define RIPSTOP_ANY UINT32_MAX /* any source, or any tag, of a receive */

/* A message as two tasks, which belong together. */
typedef struct ripstop_message {
  ripstop_task send, receive;
} ripstop_message;

/* The number of ranks: those that the job was placed on, or all end nodes. */
uint32_t ripstop_tasks_ranks(const ripstop_tasks *tasks);
/* The job has so many, as its file says. -1: it was placed on another number, or there are not so many end nodes. */
int ripstop_tasks_need(ripstop_tasks *tasks, uint32_t ranks, ripstop_error *err);
uint64_t ripstop_tasks_seed(const ripstop_tasks *tasks);
ripstop_arena *ripstop_tasks_arena(ripstop_tasks *tasks); /* that dies with them */

/* More than RIPSTOP_TASKS_MAX end the building with an error, which ripstop_workload.build need not look for. */
enum { RIPSTOP_TASKS_MAX = 1 << 30 };
ripstop_task ripstop_tasks_compute(ripstop_tasks *tasks, uint32_t rank, uint64_t cycles);
/* Time that passes without a processor. */
ripstop_task ripstop_tasks_wait(ripstop_tasks *tasks, uint32_t rank, uint64_t cycles);
ripstop_message ripstop_tasks_message(ripstop_tasks *tasks, uint32_t from, uint32_t to, uint64_t bytes);
/* Sends and receives that find each other by source and tag, in the order of their tasks. */
ripstop_task ripstop_tasks_send(ripstop_tasks *tasks, uint32_t rank, uint32_t to, uint64_t bytes, uint32_t tag);
ripstop_task ripstop_tasks_receive(ripstop_tasks *tasks, uint32_t rank, uint32_t from, uint64_t bytes, uint32_t tag);
/* A computation's processor, 0 unless it is said. */
void ripstop_tasks_processor(ripstop_tasks *tasks, ripstop_task task, uint8_t processor);
/* `task` begins only when `before`, a task of the same rank, is done, or has begun. */
void ripstop_tasks_after(ripstop_tasks *tasks, ripstop_task task, ripstop_task before);
void ripstop_tasks_after_begin(ripstop_tasks *tasks, ripstop_task task, ripstop_task before);
/* The line of the job's file at which the task stands, for messages; 0: none. */
void ripstop_tasks_line(ripstop_tasks *tasks, ripstop_task task, uint32_t line);

/* The tasks that were added since the last call, or since the beginning, are a step of the job, whose time is a value.
 */
void ripstop_tasks_step(ripstop_tasks *tasks);

/* ---- words: what the check of a job goes by
 * Each rank has as many words of 64 bits, and messages carry some of them as they are when their send begins. What a
 * job's words are at its end shows whether everything has come, once, to where it belongs. */
typedef enum ripstop_carry { RIPSTOP_CARRY_COPY, RIPSTOP_CARRY_ADD, RIPSTOP_CARRY_OR } ripstop_carry;

/* Words from, from + 1, ... of the sender: `count` of them, in runs of `run` whose first ones are `stride` apart. They
 * go to the receiver's words from `to` on, in the same runs. */
typedef struct ripstop_piece {
  uint32_t from, to, count, run, stride;
  ripstop_carry how;
} ripstop_piece;

void ripstop_tasks_words(ripstop_tasks *tasks, uint32_t words); /* each rank has */
void ripstop_tasks_carry(ripstop_tasks *tasks, ripstop_message message, const ripstop_piece *piece);

/* The first members in the config of jobs from a file, and their options. */
typedef struct ripstop_workload_file {
  const char *path, *hash;
} ripstop_workload_file;
#define RIPSTOP_WORKLOAD_FILE_OPTIONS(what_it_is)                                                                 \
  {.name = "file",                                                                                                \
   .type = RIPSTOP_OPTION_TEXT,                                                                                   \
   .offset = offsetof(ripstop_workload_file, path),                                                               \
   .positional = true,                                                                                            \
   .help = (what_it_is)},                                                                                         \
  {                                                                                                               \
    .name = "hash", .type = RIPSTOP_OPTION_TEXT, .offset = offsetof(ripstop_workload_file, hash), .fallback = "", \
    .help = "hash of the file (XXH3, 16 hexadecimal digits); empty: any file"                                     \
  }

typedef struct ripstop_workload {
  uint32_t abi; /* RIPSTOP_WORKLOAD_ABI */
  const char *name, *summary;
  /* A text option `file` is a path, which starts at the folder of the experiment; with it stands a text option `hash`
   * of what the file must hash to, empty: anything (RIPSTOP_WORKLOAD_FILE_OPTIONS). Runs are named by the hash and the
   * file's name without folders. */
  const ripstop_option *options;
  size_t config_size;
  const char *small; /* options of a job of milliseconds, for tests and the manual; NULL: it needs a file */
  /* Refuses what does not go together. */
  int (*build)(ripstop_tasks *tasks, const void *config, ripstop_error *err);
  /* With words: what each is at the beginning, and whether one may be so at the end; else both NULL. */
  uint64_t (*first)(const void *config, uint32_t ranks, uint32_t rank, uint32_t word);
  bool (*last)(const void *config, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value);
} ripstop_workload;
#define RIPSTOP_WORKLOAD_ABI 1
extern RIPSTOP_INTERNAL const ripstop_workload *const ripstop_workloads[]; /* generated */
/* The workload of this name, of which `length` characters count; NULL: there is none. */
const ripstop_workload *ripstop_workload_find(const char *name, size_t length, ripstop_error *err);

RIPSTOP_END

#endif
