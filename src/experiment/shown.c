/* shown.c - what a figure shows of a run, and whether the run has what the figure wants: found with the first run that
 * should have it, not when all are done. */
#include "experiment/shown.h"

#include <string.h>

#include "base/memory.h"
#include "experiment/inner_runs.h"

bool shown_passes(const ripstop_runs *runs, const ripstop_filter *filter, const char *value) {
  for (size_t i = 0; value && i < filter->count; i++)
    if (ripstop_runs_is(runs, filter->setting[i], value)) return true;
  return false;
}

bool ripstop_figure_shows(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run,
                          const ripstop_outcome *outcome) {
  for (size_t i = 0; i < figure->filters; i++) {
    const ripstop_filter *filter = &figure->filter[i];
    bool verdict = !strcmp(filter->key, "verdict");
    if (!shown_passes(runs, filter, verdict ? outcome->verdict : ripstop_run_key_written(run, filter->key)))
      return false;
  }
  return true;
}

static bool is_of_keys(const ripstop_figure *figure) {
  const bool cdf = figure->kind == RIPSTOP_FIGURE_CDF || figure->kind == RIPSTOP_FIGURE_CCDF;
  return strcmp(figure->x, "cycle") != 0 && !cdf;
}

/* True if the figure only divides by this run, and so needs `base` of it but not y: without faults, for example, there
 * are no packets that meet one. */
static bool gives_base_only(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run) {
  const ripstop_filter *relative = figure->relative;
  return relative && figure->base &&
         ripstop_runs_is(runs, relative->setting[0], ripstop_run_key_written(run, relative->key));
}

bool ripstop_figure_wants(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run,
                          const ripstop_outcome *outcome) {
  return ripstop_figure_shows(runs, figure, run, outcome) && !gives_base_only(runs, figure, run) &&
         ripstop_run_may_have(run, figure->y);
}

int ripstop_figure_check(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_outcome *outcome,
                         ripstop_error *err) {
  if (!outcome->values || !is_of_keys(figure) || !strncmp(figure->y, "verdict.", strlen("verdict."))) return 0;
  const char *wanted = ripstop_outcome_value(outcome, figure->y) ? figure->over : figure->y;
  if (!wanted || ripstop_outcome_value(outcome, wanted)) return 0;
  const char **words = ripstop_realloc(NULL, outcome->values + 1, sizeof *words);
  for (size_t i = 0; i < outcome->values; i++) words[i] = outcome->value[i].name;
  words[outcome->values] = NULL;
  const char *near = ripstop_nearest_word(wanted, words);
  ripstop_fail(err, "%s:%d: figure '%s': a run has no value '%s'%s%s%s", runs->spec->file, figure->line, figure->id,
               wanted, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  ripstop_free(words);
  return -1;
}
