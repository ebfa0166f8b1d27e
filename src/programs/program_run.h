/* program_run.h - runs of programs. */
#ifndef PROGRAMS_PROGRAM_RUN_H
#define PROGRAMS_PROGRAM_RUN_H

#include "ripstop/kit/programs.h"
#include "simulate/run_result.h"

/* With `faults` the program runs twice. The first run loses nothing and counts the packets that the program
 * receives. The seed gives each fault a random number up to this count: in the second run a link fails when so many
 * packets have been received (paper 004, section 6.2). The links are random too. The links that are left still connect
 * what was connected before. */
typedef struct ripstop_program {
  ripstop_program_config config;
  /* Only the schedule, the switch, measure.window, measure.check, the seed and `stop` count; the program decides the
   * rest. */
  ripstop_simulate_settings simulation;
} ripstop_program;

/* All checks that ripstop_program_run makes before the first cycle. */
int ripstop_program_check(const ripstop_plan *plan, const ripstop_program *program, ripstop_error *err);
/* Runs like ripstop_simulate_into; the values of the program come before those of the network:
 *   program.time      cycles  of the processor, from the start to the end of the last of them
 *   program.done      0 or 1  all processors came to the end
 *   program.right     0 or 1  and what they computed is right, and caches and directories agree
 *   program.error             how far off it is, in the kernel's own measure
 *   program.slowdown          its time, over that of the run without `faults`
 *   program.misses, .retries, ...  (docs/programs.md) */
int ripstop_program_run(const ripstop_plan *plan, const ripstop_program *program, ripstop_run_result *result,
                        ripstop_error *err);

#endif
