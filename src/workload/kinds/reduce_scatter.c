/* reduce_scatter.c - every rank ends with its part of the sum of all; with a ring, rank i has part i + 1. */
#include "workload/course.h"

typedef enum candidate { WAY_RING, WAY_HALVING } candidate;
static const char *const way_words[] = {"ring", "halving", NULL};

typedef struct config {
  int64_t bytes, repeat;
  int32_t way; /* the algorithm */
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 0, 1e15, NULL, "that each rank has"),
    RIPSTOP_WORD(config, way, way_words, "ring", "ring; or halving, for a power of two of ranks"),
    COURSE_REPEAT(config, true),
    {0}};

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  shared_out p;
  if (shared_open(tasks, (uint64_t)k->bytes, k->repeat, k->way == WAY_HALVING ? "halving" : NULL, &p, err)) return -1;
  for (int64_t n = 0; n < k->repeat; n++) {
    if (k->way == WAY_RING) ring_scatter(&p.course, &p.all, &p.block);
    if (k->way == WAY_HALVING) halving_scatter(&p.course, &p.all, &p.block);
    if (shared_next(&p, k->repeat, err)) return -1;
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_, (void)ranks;
  return held_own(rank, word);
}

/* The other parts are partial sums. */
static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const config *k = config_;
  const uint32_t own = k->way == WAY_RING ? (rank + 1) % ranks : rank;
  return word % ranks != own || value == held_sum(ranks, word);
}

const ripstop_workload ripstop_workload_reduce_scatter = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "reduce-scatter",
    .summary = "every rank ends with its part of the sum of all",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=8192",
    .build = build,
    .first = first,
    .last = last,
};
