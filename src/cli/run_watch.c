/* run_watch.c - what `ripstop simulate --watch` shows on standard error: the cycle, the throughput and latency of the
 * last window, and the throughput of the windows before as a row of bars.
 *
 * How often the line is printed changes nothing: windows are those of the run's time series. */
#include "cli/run_watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BARS = 40 };
static const double AGAIN_TERMINAL = 0.1, AGAIN_FILE = 2; /* seconds */

void cli_watch_begin(cli_watch *watch) { *watch = (cli_watch){.meter = cli_meter_begin(AGAIN_TERMINAL, AGAIN_FILE)}; }

static double flits_of(const ripstop_window *w) { return (double)w->delivered_flits; }

static void print_bars(cli_watch *watch, size_t count) {
  static const char *const bar[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t highest = sizeof bar / sizeof *bar - 1, from = count > BARS ? count - BARS : 0;
  for (size_t i = from; i < count; i++) watch->scale = fmax(watch->scale, flits_of(&watch->window[i]));
  for (size_t i = from; i < count && watch->scale > 0; i++)
    fputs(bar[(size_t)lround(flits_of(&watch->window[i]) / watch->scale * (double)highest)], stderr);
}

/* The window that is not over yet is not shown. */
static void print_line(cli_watch *watch, const ripstop_simulation *sim, const ripstop_fabric *fabric, uint64_t window) {
  ripstop_look look;
  ripstop_simulate_look(sim, &look);
  size_t count = ripstop_simulate_windows(sim, NULL, 0);
  if (count > watch->room) {
    watch->room = 2 * count;
    watch->window = ripstop_realloc(watch->window, watch->room, sizeof *watch->window);
  }
  ripstop_simulate_windows(sim, watch->window, count);
  while (count && watch->window[count - 1].cycle + window > ripstop_simulate_now(sim)) count--;
  fprintf(stderr, "cycle %" PRIu64 " of %s%" PRIu64, ripstop_simulate_now(sim), look.ended ? "" : "at most ", look.end);
  if (count) {
    const ripstop_window *last = &watch->window[count - 1];
    fprintf(stderr, "  %.4f flits/node/cycle", flits_of(last) / (double)window / (double)fabric->ends);
    if (!isnan(last->latency)) fprintf(stderr, "  %.1f cycles", last->latency);
    fputs("  ", stderr);
    print_bars(watch, count);
  }
  if (look.account.lost) fprintf(stderr, "  %" PRIu64 " lost", look.account.lost);
  if (look.deadlocked) fputs("  deadlocked", stderr);
  cli_meter_printed(&watch->meter);
}

void cli_watch_look(void *context, const ripstop_simulation *sim, const ripstop_fabric *fabric, uint64_t window) {
  cli_watch *watch = context;
  ripstop_look look;
  ripstop_simulate_look(sim, &look);
  if (cli_meter_is_due(&watch->meter, look.ended)) print_line(watch, sim, fabric, window);
}

void cli_watch_end(cli_watch *watch) {
  cli_meter_end(&watch->meter, true);
  ripstop_free(watch->window);
}
