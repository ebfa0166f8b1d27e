/* broadcast.c - one rank's bytes reach all others down a tree. */
#include "workload/course.h"

typedef enum candidate { WAY_BINOMIAL, WAY_BINARY, WAY_CHAIN } candidate;
static const char *const way_words[] = {"binomial", "binary", "chain", NULL};

typedef struct config {
  int64_t bytes, chunks, repeat;
  int32_t candidate; /* the algorithm */
} config;

#define OPTION(field) .offset = offsetof(config, field)
static const ripstop_option options[] = {
    {.name = "bytes",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(bytes),
     .min = 0,
     .max = 1e15,
     .help = "bytes that rank 0 has"},
    {.name = "way",
     .type = RIPSTOP_OPTION_WORD,
     OPTION(candidate),
     .words = way_words,
     .fallback = "binomial",
     .help = "the tree: binomial (to ranks 1, 2, 4, ...), binary, or a chain"},
    {.name = "chunks",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(chunks),
     .min = 0,
     .max = 65536,
     .fallback = "0",
     .help = "parts that follow each other down; 0: one down a binomial tree, else of 4,096 bytes or more, at most 16"},
    {.name = "repeat",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(repeat),
     .min = 1,
     .max = COURSE_REPEATS,
     .fallback = "1",
     .later = true,
     .help = "how often, each a step: between two the leaves send an empty message to rank 0"},
    {0}};

/* Between two repetitions the root, which receives nothing else, waits for an empty message from each leaf. */
static void report(course *c, const uint32_t *parent) {
  bool *inner = RIPSTOP_ARRAY(ripstop_tasks_arena(c->tasks), c->ranks, bool);
  for (uint32_t i = 1; i < c->ranks; i++) inner[parent[i]] = true;
  for (uint32_t i = 1; i < c->ranks; i++)
    if (!inner[i]) course_send(c, i, 0, 0, (ripstop_piece){.count = 0});
  course_step(c);
}

/* Parts are independent. */
static void go_down(course *c, const uint32_t *parent, const block *all) {
  const course start = course_fork(c);
  for (uint32_t i = 0; i < all->words; i++) {
    course own = course_fork(&start);
    const block part = block_part(all, i, all->words);
    tree_broadcast(&own, parent, &part);
    course_join(c, &own);
  }
}

/* A binomial tree is for short messages and sends them whole; the others are pipelines. */
static uint32_t chunks_of(const config *k) {
  return k->candidate == WAY_BINOMIAL && !k->chunks ? 1 : course_chunks(k->chunks, (uint64_t)k->bytes);
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks), chunks = chunks_of(k);
  uint32_t *parent = RIPSTOP_ARRAY(ripstop_tasks_arena(tasks), ranks, uint32_t);
  course c = course_open(tasks);
  if (course_words(tasks, chunks, k->repeat, err)) return -1;
  (k->candidate == WAY_BINOMIAL ? tree_binomial : k->candidate == WAY_BINARY ? tree_binary : tree_chain)(ranks, parent);
  for (uint32_t n = 0; n < k->repeat; n++) {
    const block all = {
        .bytes = (uint64_t)k->bytes, .all = chunks, .words = chunks, .base = n * chunks, .first = n * chunks};
    if (n) report(&c, parent);
    go_down(&c, parent, &all);
    if (course_repeated(tasks, k->repeat, err)) return -1;
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_, (void)ranks;
  return rank == 0 ? held_own(0, word) : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  (void)config_, (void)ranks, (void)rank;
  return value == held_own(0, word);
}

const ripstop_workload ripstop_workload_broadcast = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "broadcast",
    .summary = "one rank's bytes go to all, down a tree or a chain",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=8192",
    .build = build,
    .first = first,
    .last = last,
};
