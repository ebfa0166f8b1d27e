/* allgather.c - every rank has a part, and ends with all parts. */
#include "workload/course.h"

typedef enum candidate { WAY_RING, WAY_DOUBLING } candidate;
static const char *const way_words[] = {"ring", "doubling", NULL};

typedef struct config {
  int64_t bytes, repeat;
  int32_t way; /* the algorithm */
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 0, 1e15, NULL, "bytes that each rank has in the end"),
    RIPSTOP_WORD(config, way, way_words, "ring", "ring; or doubling, for a power of two of ranks"),
    COURSE_REPEAT(config, true),
    {0}};

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  shared_out p;
  if (shared_open(tasks, (uint64_t)k->bytes, k->repeat, k->way == WAY_DOUBLING ? "doubling" : NULL, &p, err)) return -1;
  for (int64_t n = 0; n < k->repeat; n++) {
    if (k->way == WAY_RING) ring_gather(&p.course, &p.all, &p.block, 0);
    if (k->way == WAY_DOUBLING) doubling_gather(&p.course, &p.all, &p.block);
    if (shared_next(&p, k->repeat, err)) return -1;
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_;
  return rank == word % ranks ? held_own(rank, word) : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  (void)config_, (void)rank;
  return value == held_own(word % ranks, word);
}

const ripstop_workload ripstop_workload_allgather = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "allgather",
    .summary = "every rank has a part, and ends with all parts",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=8192",
    .build = build,
    .first = first,
    .last = last,
};
