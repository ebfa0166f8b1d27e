/* barrier.c - no rank continues before all have arrived: by dissemination (Hensgen, Finkel and Manber, International
 * Journal of Parallel Programming 17(1), 1988). A rank's words have a bit for each rank of which it knows. */
#include "workload/course.h"

enum { WORD = 64 };

typedef struct config {
  int64_t bytes, repeat;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 0, 1e9, "0", "bytes of a message"), COURSE_REPEAT(config, true), {0}};

/* Words of a repetition. */
static uint32_t words_of(uint32_t ranks) { return (ranks + WORD - 1) / WORD; }

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks), set = words_of(ranks);
  course c = course_open(tasks);
  if (course_words(tasks, set, k->repeat, err)) return -1;
  for (uint32_t n = 0; n < k->repeat; n++) {
    for (uint32_t far = 1; far < ranks; far *= 2, course_step(&c))
      for (uint32_t r = 0; r < ranks; r++)
        course_send(&c, r, (r + far) % ranks, (uint64_t)k->bytes,
                    (ripstop_piece){.from = n * set, .to = n * set, .count = set, .run = set, .how = RIPSTOP_CARRY_OR});
    if (course_repeated(tasks, k->repeat, err)) return -1;
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_;
  return rank / WORD == word % words_of(ranks) ? UINT64_C(1) << rank % WORD : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const uint32_t bits = ranks - word % words_of(ranks) * WORD;
  (void)config_, (void)rank;
  return value == (bits < WORD ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
}

const ripstop_workload ripstop_workload_barrier = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "barrier",
    .summary = "no rank continues before all have arrived: dissemination",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=0",
    .build = build,
    .first = first,
    .last = last,
};
