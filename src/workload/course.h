/* course.h - what collectives are laid out with: messages in steps, each of which a rank begins when it has what the
 * steps before sent to it. */
#ifndef WORKLOAD_COURSE_H
#define WORKLOAD_COURSE_H

#include "workload/held.h"

typedef struct course {
  ripstop_tasks *tasks;
  uint32_t ranks;
  ripstop_task *after; /* [ranks]: what a rank's next send comes after; RIPSTOP_NONE: nothing */
  ripstop_task *next;  /* [ranks]: the same, of the step after this one */
  uint32_t *touched;   /* ranks of which it is another */
  uint32_t touches;
} course;

/* Some ranks: base, base + stride, ... */
typedef struct team {
  uint32_t base, stride, count;
} team;
static inline uint32_t team_rank(const team *t, uint32_t i) { return t->base + i % t->count * t->stride; }

course course_open(ripstop_tasks *tasks);
/* Chunks of a pipeline: as many as asked for; 0: as many as have 4,096 bytes, 1 to 16. */
uint32_t course_chunks(int64_t asked, uint64_t bytes);
/* A message that carries words, after what its sender has; an empty piece carries none. */
ripstop_message course_send(course *c, uint32_t from, uint32_t to, uint64_t bytes, ripstop_piece piece);
/* Ends a step: what ranks got in it comes before what they send, and get, in later ones. */
void course_step(course *c);
/* Another course that begins where this one is, and is joined to it: what comes behind comes after both. */
course course_fork(const course *c);
void course_join(course *c, const course *other);

/* Words of which each stands for its part of some bytes. */
typedef struct block {
  uint64_t bytes; /* of `all` words from `base` on */
  uint32_t base, all;
  uint32_t first, words; /* these of them */
} block;

/* Part i of `parts` equal ones; words must be a multiple of the parts. */
block block_part(const block *b, uint32_t i, uint32_t parts);
uint64_t block_bytes(const block *b);
ripstop_piece block_piece(const block *b, ripstop_carry how);

enum { COURSE_REPEATS = 1000000 };
/* The option `repeat` of a collective, whose config has it as int64_t; `is_later`: the kind was without it once. */
#define COURSE_REPEAT(config, is_later)                                                             \
  {                                                                                                 \
    .name = "repeat", .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, repeat), .min = 1, \
    .max = COURSE_REPEATS, .fallback = "1", .later = (is_later),                                    \
    .help = "how often, one after the other: each a step",                                          \
  }
/* The first of so many like it is laid out. -1: all together have more tasks than there can be, so the others need not
 * be. */
int course_fits(const ripstop_tasks *tasks, int64_t times, ripstop_error *err);
/* So many tasks the first time, so many each other time. -1: together they are more than there can be. */
int course_room(uint64_t each, uint64_t first, int64_t times, ripstop_error *err);
/* Each rank has so many words for each of so many times. -1: too many. */
int course_words(ripstop_tasks *tasks, uint64_t each, int64_t times, ripstop_error *err);
/* Ends one of so many steps of the job. -1: they do not fit. */
int course_stepped(ripstop_tasks *tasks, int64_t times, ripstop_error *err);
/* Ends one of so many repetitions: where there are several each is a step. */
int course_repeated(ripstop_tasks *tasks, int64_t repeat, ripstop_error *err);

/* A collective of all ranks, of which each has a word for every rank. `of_two`: the name of its way, which is for a
 * power of two of ranks alone; NULL: any number will do. */
typedef struct shared_out {
  course course;
  team all;
  block block;
} shared_out;
int shared_open(ripstop_tasks *tasks, uint64_t bytes, int64_t repeat, const char *of_two, shared_out *out,
                ripstop_error *err);
/* Behind one of the repetitions: the next has words of its own, behind those of this one. */
int shared_next(shared_out *p, int64_t repeat, ripstop_error *err);

/* Steps of collectives on a team. Of a ring, the team's i-th rank has the whole of part (i + 1) % count after the
 * scatter, of halving of part i. Halving and doubling need a power of two. */
void ring_scatter(course *c, const team *t, const block *b);
void ring_gather(course *c, const team *t, const block *b, uint32_t shift); /* rank i has part (i + shift) % count */
void halving_scatter(course *c, const team *t, const block *b);
void doubling_gather(course *c, const team *t, const block *b);
/* A tree: parent[i] of rank i, RIPSTOP_NONE for the root. Up adds, down copies; children in their order. */
void tree_reduce(course *c, const uint32_t *parent, const block *b);
void tree_broadcast(course *c, const uint32_t *parent, const block *b);
void tree_binary(uint32_t ranks, uint32_t *parent); /* that of ranks 2 i + 1 and 2 i + 2 is i */
/* In order: half of the ranks are leaves; mirrored, of an even number of ranks, the other half (Sanders, Speck and
 * Traeff 2009; as NCCL has them). */
void tree_in_order(uint32_t ranks, bool mirrored, uint32_t *parent);
void tree_binomial(uint32_t ranks, uint32_t *parent); /* without its highest bit */
void tree_chain(uint32_t ranks, uint32_t *parent);

static inline bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

#endif
