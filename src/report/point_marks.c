/* point_marks.c - the marks of points, and their reasons.
 *
 * An interval over samples is one over fault sets, as each sample has its own. That of a single run, by batch means, is
 * of its fault set alone. That is meant for a set that the author gave, and an accident for a random one. */
#include "experiment/inner_runs.h"
#include "report/plot.h"

#include <math.h>
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
  for (size_t i = 0; i < count && one; i++) one = ripstop_run_is_sampled(run[i]) && same_draw(run[i], run[0]);
  return one;
}

/* ------------------------------------------------------------------ marks */

static bool is_cut_short(const ripstop_point *point) { return point->cut_short; }
static bool is_moving(const ripstop_point *point) { return point->drifts & RIPSTOP_DRIFT_THROUGHPUT; }
static bool is_slowing(const ripstop_point *point) { return point->drifts & RIPSTOP_DRIFT_LATENCY; }
static bool has_losses(const ripstop_point *point) { return point->lost > 0; }
static bool is_of_one_set(const ripstop_point *point) { return point->one_set; }
static bool is_unbounded(const ripstop_point *point) { return isinf(point->y.low) || isinf(point->y.high); }
bool plot_is_too_short(const ripstop_point *point) { return is_unbounded(point) && point->runs == 1; }
static bool is_of_too_few(const ripstop_point *point) { return is_unbounded(point) && point->runs != 1; }

const plot_mark plot_marks[] = {
    {"*", is_cut_short, "with runs that deadlocked: their numbers end where they stood still", "with deadlocked runs",
     "#B00020", 6, false, false, "o"},
    {"‡", has_losses, "with lost packets", "with lost packets", "#7B1FA2", 12, false, true, "diamond"},
    {"~", is_moving, "a transient: throughput still changed while it was measured", "a transient of throughput",
     "#7A5C00", 4, false, false, "square"},
    {"≈", is_slowing, "a transient: latency still changed while it was measured", "a transient of latency", "#7A5C00",
     8, false, false, "triangle"},
    {"†", is_of_one_set, "one random fault set: an interval here is of that set, not over fault sets",
     "one fault set: no interval", "#555555", 2, true, false, "x"},
    {"¶", plot_is_too_short, RIPSTOP_TOO_SHORT ", or saturated", RIPSTOP_TOO_SHORT ", or saturated", "#555555", 1, true,
     false, "+"},
    {"§", is_of_too_few, "two samples: more are needed for an interval", "two samples: no interval", "#555555", 3, true,
     false, "asterisk"},
    {0}};

const plot_mark *plot_unbounded_mark(bool too_short) {
  const plot_mark *mark = plot_marks;
  while (mark->is != (too_short ? plot_is_too_short : is_of_too_few)) mark++;
  return mark;
}

bool plot_has_interval(const ripstop_point *point) {
  return !point->one_set && isfinite(point->y.low) && isfinite(point->y.high);
}

const char *plot_why_none(const ripstop_point *point) {
  if (plot_is_too_short(point))
    return point->verdict[RIPSTOP_SATURATED] ? RIPSTOP_TOO_SHORT ", or saturated" : RIPSTOP_TOO_SHORT;
  return is_of_too_few(point) ? "more samples are needed" : "";
}

bool plot_has(const ripstop_plot *plot, const plot_mark *mark) {
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (plot->curve[c].point[x].runs && mark->is(&plot->curve[c].point[x])) return true;
  return false;
}

void plot_print_signs(ripstop_text *out, const ripstop_point *point) {
  for (const plot_mark *mark = plot_marks; point->runs && mark->sign; mark++)
    if (mark->is(point)) ripstop_text_add(out, " %s", mark->sign);
}

static void print_with_losses(ripstop_text *out, const plot_mark *mark, const char *text, const char *of, double lost) {
  ripstop_text_add(out, "%s", text);
  if (mark->of_losses) ripstop_text_add(out, ": at most %.3g %%%s", 100 * lost, of);
}

void plot_print_note(ripstop_text *out, const plot_mark *mark, double lost) {
  print_with_losses(out, mark, mark->note, " of the packets that network interfaces took", lost);
}

void plot_print_legend(ripstop_text *out, const plot_mark *mark, double lost) {
  print_with_losses(out, mark, mark->legend, "", lost);
}

void plot_print_losses(ripstop_text *out, double lost) {
  ripstop_text_add(out, "up to %.3g %% of packets lost", 100 * lost);
}

double plot_lost(const ripstop_plot *plot) {
  double most = 0;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *point = &plot->curve[c].point[x];
      if (point->runs && point->lost > most) most = point->lost;
    }
  return most;
}

bool plot_draws(const ripstop_plot *plot, const plot_mark *mark) {
  bool series = !strcmp(plot->figure->x, "cycle");
  return plot_has(plot, mark) && !(series && mark->of_intervals);
}

double plot_candidates_lost(const ripstop_judged_curve *candidate, size_t count, size_t parts) {
  double most = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t p = 0; p < parts; p++)
      if (candidate[i].measured[p]->lost > most) most = candidate[i].measured[p]->lost;
  return most;
}

bool plot_candidates_have(const ripstop_judged_curve *candidate, size_t count, size_t parts, const plot_mark *mark) {
  for (size_t i = 0; i < count; i++)
    for (size_t p = 0; p < parts; p++)
      if (mark->is(candidate[i].measured[p])) return true;
  return false;
}
