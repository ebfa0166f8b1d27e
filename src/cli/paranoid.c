/* paranoid.c - `ripstop run --paranoid`: proves the plans of all own runs of an experiment, stored ones too, before any
 * is simulated.
 *
 * Runs that differ only in load, switch or measuring use the same plans: those are proved once. What the proofs say
 * goes to standard error and never into the store, so its rows are the same with and without them. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/experiment.h"

typedef struct planned {
  const char *plans; /* ripstop_run_plans */
  const ripstop_run *run;
} planned;

typedef struct findings {
  double plans, refuted;
  size_t broken; /* runs with a plan that breaks a rule */
} findings;

static int by_plans(const void *a, const void *b) {
  const planned *one = a, *two = b;
  int order = strcmp(one->plans, two->plans);
  return order ? order : (one->run > two->run) - (one->run < two->run);
}

/* The first run of each different plan. */
static const ripstop_run **find_different(const cli_experiment *e, size_t *count) {
  size_t runs = e->owns;
  planned *sorted = RIPSTOP_ARRAY(e->arena, runs, planned);
  const ripstop_run **first = RIPSTOP_ARRAY(e->arena, runs, const ripstop_run *);
  for (size_t i = 0; i < runs; i++)
    sorted[i] = (planned){.plans = ripstop_run_plans(e->own[i], e->arena), .run = e->own[i]};
  qsort(sorted, runs, sizeof *sorted, by_plans);
  *count = 0;
  for (size_t i = 0; i < runs; i++)
    if (i == 0 || strcmp(sorted[i].plans, sorted[i - 1].plans) != 0) first[(*count)++] = sorted[i].run;
  return first;
}

static double value_of(const ripstop_outcome *outcome, const char *name) {
  for (size_t i = 0; i < outcome->values; i++)
    if (strcmp(outcome->value[i].name, name) == 0) return outcome->value[i].value;
  return 0;
}

static void tell(const char *finding, const ripstop_run *run, const ripstop_outcome *outcome, const char *why) {
  const char *schedule = ripstop_run_key(run, "faults.schedule");
  fprintf(stderr, "ripstop: %s: %s, %s, faults '%s'%s%s%s: %s\n", finding, run->fabric->spec, run->method,
          outcome->faults, *schedule ? ", schedule '" : "", schedule, *schedule ? "'" : "", why);
}

static int on_done(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  static const char *const verdicts[][2] = {{"lossy", "some choices lose packets"},
                                            {"deadlocking", "queues can deadlock"},
                                            {"livelocking", "packets can go round for ever"}};
  findings *f = context;
  f->plans += value_of(outcome, "plans");
  f->refuted += value_of(outcome, "refuted");
  if (outcome->verdict && !strcmp(outcome->verdict, "error")) {
    f->broken++;
    tell("not proved", run, outcome, outcome->reason);
  }
  ripstop_text said = {0};
  for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++)
    if (value_of(outcome, verdicts[v][0]) > 0) ripstop_text_add(&said, "%s%s", said.length ? ", " : "", verdicts[v][1]);
  if (said.length) tell("refuted", run, outcome, said.data);
  ripstop_text_free(&said);
  return 0;
}

int cli_prove(const cli_experiment *e, unsigned threads, const atomic_int *stop) {
  size_t count;
  const ripstop_run **different = find_different(e, &count);
  findings f = {0};
  ripstop_workers workers = {.threads = threads,
                             .execute = ripstop_run_prove,
                             .stop = stop,
                             .ranks = e->ranks,
                             .runs = e->runs,
                             .done = on_done,
                             .context = &f};
  int result = ripstop_work(different, count, &workers);
  fprintf(stderr, "ripstop: %s%.0f plans proved, %.0f of them refuted\n", result ? "interrupted; " : "", f.plans,
          f.refuted);
  if (result) return CLI_EXIT_INTERRUPTED;
  return f.broken ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}
