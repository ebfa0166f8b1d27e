/* pim.c - parallel iterative matching (Anderson, Owicki, Saxe and Thacker, ACM Transactions on Computer Systems 11(4),
 * 1993). In a round each requested output grants a random one of the inputs that request it, and each input accepts a
 * random one of its grants. One round matches 1 - (1 - 1/N)^N of N inputs that request everything: 0.63 of many.
 *
 * Output o has the words w of random block (node x 2^32 + cycle, round x 2^32 + o). Of n requests it grants number
 * floor(w[0] n / 2^32). An input accepts its grant of least w[1], of equal ones the first. */
#include "base/bits.h"
#include "ripstop/plugin/matching.h"

#include "base/no_heap.h"

typedef struct pim_config {
  int64_t rounds;
} pim_config;

static uint32_t rounds(const void *config) { return (uint32_t)((const pim_config *)config)->rounds; }

/* w[1] of the grant that an input would accept. */
static size_t state_size(uint32_t inputs, uint32_t outputs) {
  (void)outputs;
  return inputs * sizeof(uint32_t);
}

static uint32_t members(const uint64_t *set, uint32_t words) {
  uint32_t count = 0;
  for (uint32_t w = 0; w < words; w++) count += ripstop_popcount64(set[w]);
  return count;
}

/* The k-th member. */
static uint32_t member(const uint64_t *set, uint32_t words, uint32_t k) {
  size_t at = ripstop_bits_next(set, words, 0);
  while (k-- > 0) at = ripstop_bits_next(set, words, at + 1);
  return (uint32_t)at;
}

static void match(void *state, const ripstop_matching_round *r, uint32_t *output_of) {
  uint32_t *least = state, word[4];
  for (uint32_t o = 0; o < r->outputs; o++) {
    const uint64_t *requests = &r->requests[(size_t)o * r->words];
    const uint32_t count = members(requests, r->words);
    if (count == 0) continue;
    ripstop_random_block(r->seed, RIPSTOP_RANDOM_MATCHING, (uint64_t)r->node << 32 | r->cycle,
                         (uint64_t)r->round << 32 | o, word);
    const uint32_t i = member(requests, r->words, (uint32_t)((uint64_t)word[0] * count >> 32));
    if (output_of[i] != RIPSTOP_NONE && word[1] >= least[i]) continue;
    output_of[i] = o;
    least[i] = word[1];
  }
}

static const ripstop_option options[] = {{.name = "rounds",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(pim_config, rounds),
                                          .min = 1,
                                          .max = 64,
                                          .fallback = "1",
                                          .help = "rounds of a cycle"},
                                         {0}};

const ripstop_matching ripstop_matching_pim = {.abi = RIPSTOP_MATCHING_ABI,
                                               .name = "pim",
                                               .summary = "parallel iterative matching: random grants, random accepts",
                                               .options = options,
                                               .config_size = sizeof(pim_config),
                                               .rounds = rounds,
                                               .state_size = state_size,
                                               .match = match};
