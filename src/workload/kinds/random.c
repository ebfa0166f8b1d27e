/* random.c - open-loop random traffic as a job: messages that each rank sends at random times to random ranks, whatever
 * the network does. With a transport it is random traffic whose lost packets are sent again, and the time of a message
 * counts from its generation.
 *
 * Invariant: when rank r's messages are generated and where they go depends on (seed, r) alone. Gaps are geometric: in
 * each cycle before `cycles` a message is generated with probability 1 / `every`. */
#include <math.h>

#include "ripstop/plugin/workload.h"

typedef enum { UNIFORM, OTHER_HALF } pattern;
typedef struct config {
  int64_t bytes, cycles;
  double every;
  int32_t pattern;
} config;

static const char *const pattern_words[] = {[UNIFORM] = "uniform", [OTHER_HALF] = "other-half", NULL};
static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, bytes, 1, 1e9, "64", "bytes of a message"),
    RIPSTOP_REAL(config, every, 1, 1e9, NULL, "cycles between two messages of a rank, on average"),
    RIPSTOP_INTEGER(config, cycles, 1, 2e9, "10000",
                    "cycles in which messages are generated; the job ends when all have arrived"),
    RIPSTOP_WORD(config, pattern, pattern_words, "uniform",
                 "destinations: any other rank, or any rank of the other half"),
    {0}};

/* Cycles from one generation to the next, at least 1. */
static uint64_t gap(ripstop_stream *s, double every) {
  if (every <= 1) return 1;
  return 1 + (uint64_t)floor(log(1 - ripstop_stream_unit(s)) / log1p(-1 / every));
}

static uint32_t other_rank(ripstop_stream *s, const config *k, uint32_t ranks, uint32_t rank) {
  const uint32_t half = ranks / 2;
  if (k->pattern == OTHER_HALF)
    return rank < half ? half + ripstop_stream_below(s, ranks - half) : ripstop_stream_below(s, half);
  const uint32_t to = ripstop_stream_below(s, ranks - 1);
  return to + (to >= rank);
}

static void add_messages(ripstop_tasks *tasks, const config *k, uint32_t ranks, uint32_t rank) {
  ripstop_stream s = ripstop_stream_open(ripstop_tasks_seed(tasks), RIPSTOP_RANDOM_MESSAGES, rank);
  for (uint64_t cycle = gap(&s, k->every) - 1; cycle < (uint64_t)k->cycles; cycle += gap(&s, k->every)) {
    const ripstop_message m = ripstop_tasks_message(tasks, rank, other_rank(&s, k, ranks, rank), (uint64_t)k->bytes);
    if (cycle) ripstop_tasks_after(tasks, m.send, ripstop_tasks_wait(tasks, rank, cycle));
  }
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  const uint32_t ranks = ripstop_tasks_ranks(tasks);
  if (ranks < 2) return ripstop_fail(err, "random messages need at least two ranks");
  if ((double)ranks * (double)k->cycles / k->every > RIPSTOP_TASKS_MAX / 4.0)
    return ripstop_fail(
        err,
        "%u ranks, %lld cycles, a message every %g cycles: too many messages; use fewer cycles or a larger 'every'",
        ranks, (long long)k->cycles, k->every);
  for (uint32_t rank = 0; rank < ranks; rank++) add_messages(tasks, k, ranks, rank);
  return 0;
}

const ripstop_workload ripstop_workload_random = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "random",
    .summary = "open-loop random traffic: messages at random times to random ranks",
    .options = options,
    .config_size = sizeof(config),
    .small = "every=100,cycles=1000",
    .build = build,
};
