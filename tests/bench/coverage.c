/* coverage.c - how often the interval of one run holds the truth, how wide it is, and how often there is none: the
 * record behind docs/model.md, "Intervals", and behind the constants of tests/unit/test_simulate_intervals.c.
 *
 * The truth is the mean over all seeds of runs of the same warm-up and length, so it is also right for a network that
 * is still filling. A width of 1 is 1.96 standard deviations over the seeds: the half width of a 95 % interval with
 * known spread.
 *
 *   bench_coverage [SEEDS [CYCLES]]    16 seeds and four lengths by default; the record has 100, and 300 of 40000 */
#include <stdio.h>

#include "covered.h"

typedef struct tally {
  double mean, deviation, width; /* width: mean half width of those given, over 1.96 deviations */
  size_t given, covered;
} tally;

static tally judge(const covered_value *run, size_t runs) {
  tally t = {0};
  double squares = 0, half = 0;
  for (size_t i = 0; i < runs; i++) t.mean += run[i].value / (double)runs;
  for (size_t i = 0; i < runs; i++) {
    bool given = isfinite(run[i].half);
    squares += (run[i].value - t.mean) * (run[i].value - t.mean);
    t.given += given, half += given ? run[i].half : 0;
    t.covered += given && fabs(run[i].value - t.mean) <= run[i].half;
  }
  t.deviation = sqrt(squares / (double)(runs - 1));
  t.width = half / (double)t.given / 1.96 / t.deviation;
  return t;
}

static void print_rows(size_t fabric, size_t load, int64_t cycles, size_t seeds) {
  covered_value(*run)[COVERED_VALUES] = calloc(seeds, sizeof *run), *one = calloc(seeds, sizeof *one);
  for (size_t i = 0; i < seeds; i++) covered_run(fabric, load, cycles, 1000 + i, run[i]);
  for (size_t v = 0; v < COVERED_VALUES; v++) {
    for (size_t i = 0; i < seeds; i++) one[i] = run[i][v];
    tally t = judge(one, seeds);
    double share = 100 / (double)seeds;
    printf("| %s | %g | %lld | %s | %.5g | %.3g | %.0f %% |", covered_fabrics[fabric].fabric,
           covered_fabrics[fabric].load[load], (long long)cycles, covered_values[v], t.mean, t.deviation,
           share * (double)t.given);
    if (t.given)
      printf(" %.0f %% | %.2f |\n", 100 * (double)t.covered / (double)t.given, t.width);
    else
      printf(" | |\n");
  }
  fflush(stdout);
  free(run), free(one);
}

int main(int count, char **argument) {
  static const int64_t cycles[] = {6000, 10000, 20000, 40000};
  size_t seeds = count > 1 ? (size_t)strtoul(argument[1], NULL, 10) : 16;
  const int64_t only = count > 2 ? strtoll(argument[2], NULL, 10) : 0;
  if (seeds < 2) return EXIT_FAILURE;
  puts("| fabric | load | cycles | value | mean | deviation | given | covers | width "
       "|\n|---|---|---|---|---|---|---|---|---|");
  for (size_t f = 0; f < COVERED_FABRICS; f++)
    for (size_t l = 0; l < COVERED_LOADS; l++)
      for (size_t c = 0; c < (only ? 1 : sizeof cycles / sizeof *cycles); c++)
        print_rows(f, l, only ? only : cycles[c], seeds);
  return EXIT_SUCCESS;
}
