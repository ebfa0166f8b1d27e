/* incast.c - all ranks send to one, round after round: a message each, then a word from that one, and again. */
#include "workload/course.h"

typedef struct config {
  int64_t bytes, rounds;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 0, 1e15, NULL, "bytes that each rank sends to rank 0"),
    RIPSTOP_INTEGER(config, rounds, 1, 1e6, "1", "times; between two of them rank 0 sends an empty message to each"),
    {0}};

/* Tasks of a round: sends and receives of the messages, and the tasks that join their ends; in all rounds but the
 * first also the words from rank 0. */
static uint64_t round_of(uint64_t ranks, bool first) {
  return 2 * (ranks - 1) + (ranks > 2 ? ranks - 2 : 0) + (first ? 0 : 2 * (ranks - 1));
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  if (course_room(round_of(ranks, false), round_of(ranks, true), k->rounds, err)) return -1;
  course c = course_open(tasks);
  ripstop_tasks_words(tasks, 1);
  for (int64_t n = 0; n < k->rounds; n++) {
    for (uint32_t r = 1; r < ranks && n; r++) course_send(&c, 0, r, 0, (ripstop_piece){.count = 0});
    course_step(&c);
    for (uint32_t r = 1; r < ranks; r++)
      course_send(&c, r, 0, (uint64_t)k->bytes, (ripstop_piece){.count = 1, .run = 1, .how = RIPSTOP_CARRY_ADD});
    course_step(&c);
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  (void)config_, (void)ranks;
  return rank ? held_own(rank, word) : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const config *k = config_;
  const uint64_t all = held_sum(ranks, word) - held_own(0, word);
  return rank || value == all * (uint64_t)k->rounds;
}

const ripstop_workload ripstop_workload_incast = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "incast",
    .summary = "all send to one, round after round",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=1000",
    .build = build,
    .first = first,
    .last = last,
};
