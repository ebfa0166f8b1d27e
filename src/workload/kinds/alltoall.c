/* alltoall.c - every rank has data for every other: three algorithms.
 *
 * Words: for direct and pairwise, word j holds the data for rank j, and word ranks + j the data from it. For Bruck's
 * algorithm (Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8(11), 1997) word j holds the data
 * for the rank at distance j, and in the end the data from the rank at distance -j. */
#include "workload/course.h"

typedef enum candidate { WAY_DIRECT, WAY_PAIRWISE, WAY_BRUCK } candidate;
static const char *const way_words[] = {"direct", "pairwise", "bruck", NULL};

typedef struct config {
  int64_t bytes, repeat;
  int32_t way; /* the algorithm */
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 0, 1e15, NULL, "bytes from each rank to each other"),
    RIPSTOP_WORD(
        config, way, way_words, "direct",
        "direct: all at once, to the next rank first; pairwise: with one other at a time; bruck: in log2 steps"),
    COURSE_REPEAT(config, true),
    {0}};

/* Words of a repetition. */
static uint32_t words_of(const config *k, uint32_t ranks) { return k->way == WAY_BRUCK ? ranks : 2 * ranks; }

static void send_own(course *c, const config *k, uint32_t base, uint32_t from, uint32_t to) {
  const ripstop_piece piece = {.from = base + to, .to = base + c->ranks + from, .count = 1, .run = 1};
  course_send(c, from, to, (uint64_t)k->bytes, piece);
}

/* Sends do not wait for receives within a repetition. */
static void direct(course *c, const config *k, uint32_t base) {
  for (uint32_t s = 1; s < c->ranks; s++)
    for (uint32_t r = 0; r < c->ranks; r++) send_own(c, k, base, r, (r + s) % c->ranks);
  course_step(c);
}

/* With a power of two of ranks, each exchanges with one other in a step. */
static void pairwise(course *c, const config *k, uint32_t base) {
  for (uint32_t s = 1; s < c->ranks; s++, course_step(c))
    for (uint32_t r = 0; r < c->ranks; r++)
      send_own(c, k, base, r, is_power_of_two(c->ranks) ? r ^ s : (r + s) % c->ranks);
}

/* The words whose number has this bit set. */
static uint32_t with_bit(uint32_t count, uint32_t bit) {
  const uint32_t rest = count % (2 * bit);
  return count / (2 * bit) * bit + (rest > bit ? rest - bit : 0);
}

/* Received data replaces sent data, so a receive waits for the send. */
static void bruck(course *c, const config *k, uint32_t base) {
  ripstop_message *m = RIPSTOP_ARRAY(ripstop_tasks_arena(c->tasks), c->ranks, ripstop_message);
  for (uint32_t bit = 1; bit < c->ranks; bit *= 2, course_step(c)) {
    const uint32_t count = with_bit(c->ranks, bit);
    for (uint32_t r = 0; r < c->ranks; r++)
      m[r] = course_send(
          c, r, (r + bit) % c->ranks, (uint64_t)k->bytes * count,
          (ripstop_piece){.from = base + bit, .to = base + bit, .count = count, .run = bit, .stride = 2 * bit});
    for (uint32_t r = 0; r < c->ranks; r++)
      ripstop_tasks_after_begin(c->tasks, m[r].receive, m[(r + bit) % c->ranks].send);
  }
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  course c = course_open(tasks);
  if (course_words(tasks, words_of(k, ranks), k->repeat, err)) return -1;
  for (uint32_t n = 0; n < k->repeat; n++) {
    const uint32_t base = n * words_of(k, ranks);
    if (k->way == WAY_DIRECT) direct(&c, k, base);
    if (k->way == WAY_PAIRWISE) pairwise(&c, k, base);
    if (k->way == WAY_BRUCK) bruck(&c, k, base);
    if (course_repeated(tasks, k->repeat, err)) return -1;
  }
  return 0;
}

static uint64_t first(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word) {
  const config *k = config_;
  word %= words_of(k, ranks);
  if (k->way == WAY_BRUCK) return held_own(rank, (rank + word) % ranks);
  return word < ranks ? held_own(rank, word) : 0;
}

static bool last(const void *config_, uint32_t ranks, uint32_t rank, uint32_t word, uint64_t value) {
  const config *k = config_;
  word %= words_of(k, ranks);
  if (k->way == WAY_BRUCK) return value == held_own((rank + ranks - word) % ranks, rank);
  return word < ranks || word - ranks == rank || value == held_own(word - ranks, rank);
}

const ripstop_workload ripstop_workload_alltoall = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "alltoall",
    .summary = "every rank has data for every other: direct, pairwise, Bruck's",
    .options = options,
    .config_size = sizeof(config),
    .small = "bytes=512",
    .build = build,
    .first = first,
    .last = last,
};
