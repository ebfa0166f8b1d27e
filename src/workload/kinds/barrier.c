/* barrier.c - nobody goes on before everybody has come: by dissemination (Hensgen, Finkel and Manber, International
 * Journal of Parallel Programming 17(1), 1988). A rank's words have a bit for each rank of which it knows. */
#include "workload/course.h"

enum { WORD = 64 };

typedef struct config {
  int64_t bytes;
} config;

static const ripstop_option options[] = {{.name = "bytes",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, bytes),
                                          .min = 0,
                                          .max = 1e9,
                                          .fallback = "0",
                                          .help = "of a message"},
                                         {0}};

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks), set = (ranks + WORD - 1) / WORD;
  course c = course_open(tasks);
  (void)err;
  ripstop_tasks_words(tasks, set);
  for (uint32_t far = 1; far < ranks; far *= 2, course_step(&c))
    for (uint32_t r = 0; r < ranks; r++)
      course_send(&c, r, (r + far) % ranks, (uint64_t)k->bytes,
                  (ripstop_piece){.count = set, .run = set, .how = RIPSTOP_CARRY_OR});
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_, (void)ranks;
  return rank / WORD == word ? UINT64_C(1) << rank % WORD : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const uint32_t bits = ranks - word * WORD;
  (void)config_, (void)rank;
  return value == (bits < WORD ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
}

const ripstop_workload ripstop_workload_barrier = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "barrier",
    .summary = "nobody goes on before everybody has come: dissemination",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=0",
    .build = build,
    .first = first,
    .last = last,
};
