/* marks.c - what points are marked with, and why.
 *
 * An interval over samples is one over fault sets, as each sample has its own. That of a single run, by batch means, is
 * of its fault set alone: of one that the author gave that is what was asked for, of a drawn one it is an accident. */
#include "report/plot.h"

#include <string.h>

/* ------------------------------------------------------------------ one fault set */

/* Links that die while a program runs. */
static const char *program_faults(const ripstop_run *run) {
  return run->kind == RIPSTOP_RUN_PROGRAM ? ripstop_run_key(run, "program.faults") : "";
}

static bool same_draw(const ripstop_run *a, const ripstop_run *b) {
  return a->fabric == b->fabric && a->seed == b->seed && a->sample == b->sample && a->faults == b->faults &&
         a->fault_count == b->fault_count && a->scope == b->scope && a->keep == b->keep && a->rule == b->rule &&
         !strcmp(program_faults(a), program_faults(b));
}

bool plot_is_one_draw(const ripstop_run *const *run, size_t count) {
  bool one = count > 0;
  for (size_t i = 0; i < count && one; i++) one = ripstop_run_is_drawn(run[i]) && same_draw(run[i], run[0]);
  return one;
}

/* ------------------------------------------------------------------ marks */

static bool is_cut_short(const ripstop_point *point) { return point->cut_short; }
static bool is_moving(const ripstop_point *point) { return point->drifts & RIPSTOP_DRIFT_THROUGHPUT; }
static bool is_slowing(const ripstop_point *point) { return point->drifts & RIPSTOP_DRIFT_LATENCY; }
static bool is_of_one_set(const ripstop_point *point) { return point->one_set; }

const plot_mark plot_marks[] = {
    {"*", is_cut_short, "with runs that deadlocked: their numbers end where they stood still", "with deadlocked runs",
     "#B00020", 6, false},
    {"~", is_moving, "a transient: throughput still changed while it was measured", "a transient of throughput",
     "#7A5C00", 4, false},
    {"≈", is_slowing, "a transient: latency still changed while it was measured", "a transient of latency", "#7A5C00",
     8, false},
    {"†", is_of_one_set, "one drawn fault set: an interval here is of that set, not over fault sets",
     "one fault set: no interval", "#555555", 2, true},
    {0}};

bool plot_has(const ripstop_plot *plot, const plot_mark *mark) {
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (plot->curve[c].point[x].runs && mark->is(&plot->curve[c].point[x])) return true;
  return false;
}

bool plot_candidates_have(const ripstop_candidate *candidate, size_t count, size_t parts, const plot_mark *mark) {
  for (size_t i = 0; i < count; i++)
    for (size_t p = 0; p < parts; p++)
      if (mark->is(candidate[i].measured[p])) return true;
  return false;
}
