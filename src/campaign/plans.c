/* plans.c - proves the plans of all runs of a campaign, stored ones too, before any is simulated.
 *
 * Runs that differ only in load, switch or measuring use the same plans: those are proved once. What the proofs find is
 * reported and never goes into the store, so its rows are the same with and without them. */
#include <string.h>

#include "base/local.h"
#include "campaign/todo.h"
#include "campaign/workers.h"
#include "experiment/inner_runs.h"

static double value_of(const ripstop_outcome *outcome, const char *name) {
  const ripstop_value *value = ripstop_outcome_value(outcome, name);
  return value ? value->value : 0;
}

static void report(ripstop_campaign *c, const char *finding, const ripstop_run *run, const ripstop_outcome *outcome,
                   const char *why) {
  const char *schedule = ripstop_run_key(run, "faults.schedule");
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s: %s, %s, faults '%s'%s%s%s: %s", finding, run->fabric->spec, run->method, outcome->faults,
                   *schedule ? ", schedule '" : "", schedule, *schedule ? "'" : "", why);
  campaign_notify(
      c, &(ripstop_campaign_event){.kind = RIPSTOP_CAMPAIGN_PROVED, .run = run, .outcome = outcome, .text = text.data});
}

static int on_done(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  static const char *const verdicts[][2] = {{"lossy", "some choices lose packets"},
                                            {"deadlocking", "queues can deadlock"},
                                            {"livelocking", "packets can circulate forever"}};
  ripstop_campaign *c = context;
  c->progress.proved += value_of(outcome, "plans");
  c->progress.refuted += value_of(outcome, "refuted");
  if (outcome->verdict && !strcmp(outcome->verdict, "error")) {
    c->progress.broken++;
    report(c, "not proved", run, outcome, outcome->reason);
  }
  RIPSTOP_LOCAL_TEXT(found);
  for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++)
    if (value_of(outcome, verdicts[v][0]) > 0)
      ripstop_text_add(&found, "%s%s", found.length ? ", " : "", verdicts[v][1]);
  if (found.length) report(c, "refuted", run, outcome, found.data);
  return 0;
}

/* Other ranks have no list and report nothing. */
int campaign_prove(ripstop_campaign *c) {
  const ripstop_campaign_settings *s = &c->settings;
  const bool helps = s->ranks && ripstop_ranks_own(s->ranks) > 0;
  const ripstop_run **run = RIPSTOP_ARRAY(c->arena, c->owns, const ripstop_run *);
  memcpy(run, c->own, c->owns * sizeof(void *));
  const size_t count = helps ? 0 : campaign_distinct(c->arena, ripstop_run_plans, run, c->owns);
  const ripstop_workers workers = {.threads = s->workers,
                                   .execute = ripstop_run_prove,
                                   .stop = s->stop,
                                   .ranks = s->ranks,
                                   .runs = c->runs,
                                   .done = on_done,
                                   .context = c};
  int result = ripstop_work(run, count, &workers);
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s%.0f plans proved, %.0f of them refuted", result ? "interrupted; " : "",
                   c->progress.proved, c->progress.refuted);
  if (!helps) campaign_notify(c, &(ripstop_campaign_event){.kind = RIPSTOP_CAMPAIGN_PROVED, .text = text.data});
  return result;
}
