/* run_result.h - the result of a run as the library's own code sees it (ripstop/result.h). */
#ifndef SIMULATE_RUN_RESULT_H
#define SIMULATE_RUN_RESULT_H

#include "ripstop/kit/simulation.h"

RIPSTOP_BEGIN

/* Why a packet was lost; the causes from RIPSTOP_LOST_METHOD on are the method's own (ripstop_method.losses).
 * RIPSTOP_LOST_DRAIN: it was in the network when a static reconfiguration emptied it. RIPSTOP_LOST_ERRORS: a link
 * corrupted it. RIPSTOP_LOST_BUFFER: the memory of a switch had no space for it. RIPSTOP_LOST_TRIMMED:
 * nor for more than its header, which has arrived. */
enum {
  RIPSTOP_LOST_LINK,
  RIPSTOP_LOST_SWITCH,
  RIPSTOP_LOST_DRAIN,
  RIPSTOP_LOST_ERRORS,
  RIPSTOP_LOST_BUFFER,
  RIPSTOP_LOST_TRIMMED,
  RIPSTOP_LOST_METHOD
};

typedef struct ripstop_run_result {
  ripstop_verdict verdict;
  const char *witness; /* deadlocked: the cycle of queues and packets; lossy: an example; else NULL */
  ripstop_account account;
  size_t values, windows;
  const ripstop_value *value;
  const ripstop_window *window;
  size_t losses; /* listed, by cycle, then packet: the first settings.losses of account.lost */
  const ripstop_loss *loss;
  uint64_t cycles; /* simulated, warm-up included */
  uint64_t hops;   /* switch-to-switch hops granted, for speed figures */
  uint64_t events;
  size_t bytes;     /* memory of the engine at its start, all that it ever has but for agents' packets */
  double seconds;   /* processor time of the event loop */
  uint32_t threads; /* that worked on it, in the last call */
  ripstop_arena *arena;
} ripstop_run_result;

/* Like ripstop_simulate and ripstop_simulate_result, into a struct of the caller's; ripstop_run_result_free ends it. */
int ripstop_simulate_into(const ripstop_plan *plan, const ripstop_simulate_settings *settings,
                          ripstop_run_result *result, ripstop_error *err);
int ripstop_simulate_result_into(const ripstop_simulation *sim, ripstop_run_result *result, ripstop_error *err);
/* Its values, and behind them the packet accounting and the sums of the whole run, as every output shows them. Memory
 * from the arena, which may outlive the result. */
const ripstop_value *ripstop_run_result_all(const ripstop_run_result *result, ripstop_arena *arena, size_t *count);
void ripstop_run_result_free(ripstop_run_result *result);
double ripstop_run_result_value(const ripstop_run_result *result, const char *name); /* NAN: no such value */

/* True if the reconfiguration of the settings exists for the plan's method: "does not apply" is an answer, no error. */
ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                                        ripstop_error *err);
/* True if a simulation routes by the plan, which then needs its tables (route/plan_steps.h). It does not if packets
 * follow the method's protocol and no unaffected packets are counted. */
bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_simulate_settings *scenario);
/* The number of threads for a run with these settings: at most scenario->threads, and one for each part; there are no
 * more parts than switches with end nodes. If the system starts fewer, those do all (ripstop_run_result.threads). */
uint32_t ripstop_simulate_threads(const ripstop_plan *plan, const ripstop_simulate_settings *scenario);
/* The number of these threads, at least one, that have enough work between two barriers: on small fabrics more threads
 * are slower. For scenario->threads, which a run takes as it is. */
uint32_t ripstop_simulate_worth(const ripstop_plan *plan, uint32_t threads);
/* All checks that ripstop_simulate_into makes before the first cycle, and nothing more; needs no tables. */
int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err);

RIPSTOP_END

#endif
