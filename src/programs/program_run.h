/* program_run.h - runs of programs. */
#ifndef PROGRAMS_PROGRAM_RUN_H
#define PROGRAMS_PROGRAM_RUN_H

#include "ripstop/kit/programs.h"
#include "simulate/run_result.h"

/* With `faults` the program runs twice. The first run loses nothing and tells how many packets the program receives.
 * From that many, and from the seed, as many numbers are drawn as there are faults: in the second run a link dies when
 * so many packets have been received (paper 004, section 6.2). The links are drawn too, and so that those which are
 * left still connect what was connected before. */
typedef struct ripstop_program {
  ripstop_program_config config;
  /* Of these the schedule, the switch, measure.window, measure.check, the seed and `stop` count; all else is the
   * program's. */
  ripstop_simulate_settings simulation;
} ripstop_program;

/* All checks that ripstop_program_run makes before the first cycle. */
int ripstop_program_check(const ripstop_plan *plan, const ripstop_program *program, ripstop_error *err);
/* As ripstop_simulate_into; the values of the program come before those of the network:
 *   program.time      cycles  of the processor, from the start to the end of the last of them
 *   program.done      0 or 1  all processors came to the end
 *   program.right     0 or 1  and what they computed is right, and caches and directories agree
 *   program.error             how far off it is, in the kernel's own measure
 *   program.slowdown          its time, over that of the run without `faults`
 *   program.misses, .retries, ...  (docs/programs.md) */
int ripstop_program_run(const ripstop_plan *plan, const ripstop_program *program, ripstop_run_result *result,
                        ripstop_error *err);

#endif
