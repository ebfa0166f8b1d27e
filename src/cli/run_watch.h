/* run_watch.h - a run as it is seen while it runs: `ripstop simulate --watch`. */
#ifndef RIPSTOP_CLI_RUN_WATCH_H
#define RIPSTOP_CLI_RUN_WATCH_H

#include "cli/meter.h"
#include "ripstop/kit/simulation.h"

typedef struct cli_watch {
  cli_meter meter;
  ripstop_window *window;
  size_t room;
  double scale; /* flits of a window that the plot's full height stands for */
} cli_watch;

void cli_watch_begin(cli_watch *watch);
/* Between two pieces of the run; of the type of ripstop_run.watch. */
void cli_watch_look(void *context, const ripstop_simulation *sim, const ripstop_fabric *fabric, uint64_t window);
/* The last line stays. */
void cli_watch_end(cli_watch *watch);

#endif
