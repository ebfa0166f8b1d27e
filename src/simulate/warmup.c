/* warmup.c - the automatic warm-up: decides when a run has settled.
 *
 * It compares packets delivered and packets in the network. The first check happens when the warm-up is as long as the
 * measured cycles (or ENOUGH); further checks follow when it is a third or a half longer. The check uses the second
 * half of all cycles so far. It compares its two quarters, an eighth of the one with the same eighth of the other; the
 * eight differences have a mean with an interval. The run has settled when the drift is within the noise or smaller
 * than TINY.
 *
 * The distance between the compared eighths grows with the run and is never short beside the measured cycles. So the
 * check finds slow drifts that neighbouring thousands of cycles do not show: a three-dimensional KNS fabric with failed
 * links loses 5 % of its throughput in 10,000 cycles. */
#include "simulate/warmup.h"
#include "base/statistics.h"

#include <math.h>

enum {
  EIGHTHS = 8,
  STEP = 4 * EIGHTHS,               /* blocks: the shortest warm-up; others are multiples of it */
  ENOUGH = 8 * STEP * WARMUP_BLOCK, /* cycles */
};
static const double TINY = 0.002, CONFIDENCE = 0.95;

void warmup_open(warmup_watch *w, ripstop_arena *arena, uint64_t cycles) {
  *w = (warmup_watch){.cycles = cycles,
                      .delivered = RIPSTOP_ARRAY(arena, WARMUP_LONGEST / WARMUP_BLOCK, uint32_t),
                      .inside = RIPSTOP_ARRAY(arena, WARMUP_LONGEST / WARMUP_BLOCK, uint32_t)};
}

static bool is_power_of_two(uint32_t number) { return (number & (number - 1)) == 0; }

/* After 1, 2, 3, 4, 6, 8, 12, 16, ... steps, from the first sufficient number on. */
static bool is_looked_at(const warmup_watch *w) {
  uint32_t steps = w->blocks / STEP, cycles = w->blocks * WARMUP_BLOCK;
  if (w->blocks % STEP || (cycles < w->cycles && cycles < ENOUGH)) return false;
  return is_power_of_two(steps) || (steps % 3 == 0 && is_power_of_two(steps / 3));
}

static bool is_steady(const warmup_watch *w, const uint32_t *block) {
  uint32_t quarter = w->blocks / 4, width = quarter / EIGHTHS;
  const uint32_t *before = block + 2 * quarter;
  double change[EIGHTHS] = {0}, sum = 0;
  for (uint32_t i = 0; i < quarter; i++) {
    change[i / width] += (double)before[quarter + i] - (double)before[i];
    sum += (double)before[quarter + i] + (double)before[i];
  }
  double mean = sum / 2 / EIGHTHS, drift = fabs(ripstop_mean(change, EIGHTHS));
  double half = ripstop_mean_half_width(change, EIGHTHS, CONFIDENCE);
  return drift <= fmax(half, TINY * mean);
}

bool warmup_add(warmup_watch *w, uint64_t delivered, uint64_t inside) {
  w->delivered[w->blocks] = (uint32_t)(delivered - w->delivered_before);
  w->inside[w->blocks] = (uint32_t)inside;
  w->delivered_before = delivered;
  w->blocks++;
  return is_looked_at(w) && is_steady(w, w->delivered) && is_steady(w, w->inside);
}
