/* recovery.c - how long after a fault less arrives than before it, and how little, by the windows of a time
 * series.
 *
 * Before is the later half of the windows that end before the first change, so that a network that is still filling
 * does not count. Windows with less than their mean by more than four standard deviations are low; by chance alone
 * three in a hundred thousand are, where windows vary as normal variables do. The fault is over with the end of the
 * last low one. The worst is the least of all windows that end after the change, over that mean. */
#include <math.h>

#include "experiment/execute.h"

enum { BEFORE_LEAST = 4 }; /* windows that show what is usual */
static const double deviations = 4;

typedef struct usual {
  double mean, deviation;
} usual;

static usual usual_of(const ripstop_window *window, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += (double)window[i].delivered_flits;
  usual u = {.mean = sum / (double)count};
  for (size_t i = 0; i < count; i++) {
    double off = (double)window[i].delivered_flits - u.mean;
    squares += off * off;
  }
  u.deviation = sqrt(squares / (double)(count - 1));
  return u;
}

static double worst_of(const ripstop_window *window, size_t count, double mean) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    if (window[i].delivered_flits < least) least = window[i].delivered_flits;
  return mean > 0 ? (double)least / mean : NAN;
}

recovery execute_recovery(const ripstop_outcome *outcome, uint64_t change, uint64_t window, uint64_t cycles) {
  size_t before = 0, whole = 0;
  while (before < outcome->windows && outcome->window[before].cycle + window <= change) before++;
  while (whole < outcome->windows && outcome->window[whole].cycle + window <= cycles) whole++;
  size_t half = before / 2;
  if (half < BEFORE_LEAST || whole <= before) return (recovery){.cycles = NAN, .worst = NAN};
  usual u = usual_of(outcome->window + before - half, half);
  recovery out = {.worst = worst_of(outcome->window + before, whole - before, u.mean)};
  while (whole > before && (double)outcome->window[whole - 1].delivered_flits >= u.mean - deviations * u.deviation)
    whole--;
  if (whole > before) out.cycles = (double)(outcome->window[whole - 1].cycle + window - change);
  return out;
}
