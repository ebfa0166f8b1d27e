/* rare.h - one estimate of a share of fault sets, or the test fails. */
#ifndef TESTS_RARE_H
#define TESTS_RARE_H

#include "check.h"
#include "ripstop/kit/proofs.h"

static inline ripstop_rarity estimate_rare(const ripstop_fabric *fabric, const char *method, uint32_t count,
                                           uint32_t core, uint64_t samples, uint64_t seed, unsigned threads) {
  ripstop_error err = {0};
  ripstop_rarity out;
  ripstop_rare rare = {.fabric = fabric,
                       .method = method,
                       .count = count,
                       .core = core,
                       .samples = samples,
                       .seed = seed,
                       .confidence = 0.9,
                       .threads = threads};
  if (ripstop_prove_rare(&rare, &out, &err)) fail_msg("%s", err.text);
  return out;
}

#endif
