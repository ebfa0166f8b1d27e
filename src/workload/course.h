/* course.h - helpers to lay out collectives: messages in steps. A rank begins its sends of a step when it has
 * received the messages of the steps before. */
#ifndef WORKLOAD_COURSE_H
#define WORKLOAD_COURSE_H

#include "workload/held.h"

typedef struct course {
  ripstop_tasks *tasks;
  uint32_t ranks;
  ripstop_task *after; /* [ranks]: the task that a rank's next send comes after; RIPSTOP_NONE: none */
  ripstop_task *next;  /* [ranks]: the same for the step after this one */
  uint32_t *touched;   /* ranks for which `next` differs from `after` */
  uint32_t touches;
} course;

/* A set of ranks: base, base + stride, ... */
typedef struct team {
  uint32_t base, stride, count;
} team;
static inline uint32_t team_rank(const team *t, uint32_t i) { return t->base + i % t->count * t->stride; }

course course_open(ripstop_tasks *tasks);
/* Chunks of a pipeline: `asked`; 0: one for each 4,096 bytes, 1 to 16. */
uint32_t course_chunks(int64_t asked, uint64_t bytes);
/* Adds a message that carries words, after the previous step of its sender; an empty piece carries none. */
ripstop_message course_send(course *c, uint32_t from, uint32_t to, uint64_t bytes, ripstop_piece piece);
/* Ends a step: a rank's receives of it come before its sends and receives of later steps. */
void course_step(course *c);
/* Starts a second course at this point, joined to this one: later steps come after both. */
course course_fork(const course *c);
void course_join(course *c, const course *other);

/* Words that each stand for a share of some bytes. */
typedef struct block {
  uint64_t bytes; /* for `all` words from `base` on */
  uint32_t base, all;
  uint32_t first, words; /* the words of this block */
} block;

/* Part i of `parts` equal ones; words must be a multiple of the parts. */
block block_part(const block *b, uint32_t i, uint32_t parts);
uint64_t block_bytes(const block *b);
ripstop_piece block_piece(const block *b, ripstop_carry how);

enum { COURSE_REPEATS = 1000000 };
/* The option `repeat` of a collective, whose config has it as int64_t; `is_later`: an earlier version of the kind had
 * no such option. */
#define COURSE_REPEAT(config, is_later)                                                             \
  {                                                                                                 \
    .name = "repeat", .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, repeat), .min = 1, \
    .max = COURSE_REPEATS, .fallback = "1", .later = (is_later),                                    \
    .help = "how often, one after the other: each a step",                                          \
  }
/* Call it when the first of `times` equal pieces is laid out. -1: all together have too many tasks, so the others
 * need not be laid out. */
int course_fits(const ripstop_tasks *tasks, int64_t times, ripstop_error *err);
/* Checks `first` tasks plus `each` for every other repetition. -1: they are too many. */
int course_room(uint64_t each, uint64_t first, int64_t times, ripstop_error *err);
/* Gives each rank `each` words for each of `times` repetitions. -1: too many. */
int course_words(ripstop_tasks *tasks, uint64_t each, int64_t times, ripstop_error *err);
/* Ends one of `times` steps of the job. -1: they do not fit. */
int course_stepped(ripstop_tasks *tasks, int64_t times, ripstop_error *err);
/* Ends one of `repeat` repetitions; if there are several, each is a step. */
int course_repeated(ripstop_tasks *tasks, int64_t repeat, ripstop_error *err);

/* A collective of all ranks, each of which has a word for every rank. `of_two`: the name of its algorithm, if that
 * needs a power of two of ranks; NULL: any number is allowed. */
typedef struct shared_out {
  course course;
  team all;
  block block;
} shared_out;
int shared_open(ripstop_tasks *tasks, uint64_t bytes, int64_t repeat, const char *of_two, shared_out *out,
                ripstop_error *err);
/* Call it after each repetition: the next one has words of its own, after those of this one. */
int shared_next(shared_out *p, int64_t repeat, ripstop_error *err);

/* Steps of collectives on a team. Ring: after the scatter, the team's i-th rank has all of part (i + 1) % count.
 * Halving: it has part i. Halving and doubling need a power of two. */
void ring_scatter(course *c, const team *t, const block *b);
void ring_gather(course *c, const team *t, const block *b, uint32_t shift); /* rank i has part (i + shift) % count */
void halving_scatter(course *c, const team *t, const block *b);
void doubling_gather(course *c, const team *t, const block *b);
/* A tree: parent[i] of rank i, RIPSTOP_NONE for the root. Up adds, down copies; children in order. */
void tree_reduce(course *c, const uint32_t *parent, const block *b);
void tree_broadcast(course *c, const uint32_t *parent, const block *b);
void tree_binary(uint32_t ranks, uint32_t *parent); /* the parent of ranks 2 i + 1 and 2 i + 2 is i */
/* In-order tree: half of the ranks are leaves; mirrored, with an even number of ranks: the other half (Sanders, Speck
 * and Traeff 2009; NCCL uses these). */
void tree_in_order(uint32_t ranks, bool mirrored, uint32_t *parent);
void tree_binomial(uint32_t ranks, uint32_t *parent); /* the parent of a rank lacks its highest bit */
void tree_chain(uint32_t ranks, uint32_t *parent);

static inline bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

#endif
