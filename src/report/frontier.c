/* frontier.c - which candidates keep a service agreement, and which of them no other one beats: the Pareto frontier
 * over the agreement's goals. Everything is measured on figures, intervals included.
 *
 * Time: the runs for each figure, and candidates squared x goals. */
#include <math.h>
#include <string.h>

#include "report/judging.h"
#include "report/plot.h"

const char *const ripstop_grade_words[] = {
    [RIPSTOP_GRADE_YES] = "yes", [RIPSTOP_GRADE_UNSURE] = "unsure", [RIPSTOP_GRADE_NO] = "no", NULL};

void plot_print_term(ripstop_text *out, const ripstop_term *term) {
  ripstop_text_add(out, "%s at %s, ", term->figure->id, plot_setting(term->at));
  if (isnan(term->bound))
    ripstop_text_add(out, "%s best", ripstop_best_words[term->best]);
  else
    ripstop_text_add(out, "at %s %.4g", term->best == RIPSTOP_BEST_HIGHEST ? "least" : "most", term->bound);
}

/* ------------------------------------------------------------------ measuring */

static const ripstop_point *at(const ripstop_plot *plot, const ripstop_curve *curve, const ripstop_setting *x) {
  for (size_t i = 0; i < plot->xs; i++)
    if (curve->point[i].runs && ripstop_runs_is(plot->runs, x, plot->x[i].text)) return &curve->point[i];
  return NULL;
}

static const ripstop_curve *same_curve(const ripstop_plot *plot, const ripstop_curve *wanted) {
  for (size_t c = 0; c < plot->curves; c++) {
    size_t same = 0;
    while (same < plot->figure->bys && !strcmp(plot->curve[c].setting[same], wanted->setting[same])) same++;
    if (same == plot->figure->bys) return &plot->curve[c];
  }
  return NULL;
}

/* False when a term or goal has no data for this curve. */
static bool measure(const ripstop_agreement *agreement, const ripstop_plot *const *plot, const ripstop_curve *curve,
                    const ripstop_point **measured) {
  for (size_t i = 0; i < agreement->terms + agreement->goals; i++) {
    const ripstop_curve *same = same_curve(plot[i], curve);
    const ripstop_point *found = same ? at(plot[i], same, agreement->term[i].at) : NULL;
    if (!found) return false;
    measured[i] = found;
  }
  return true;
}

/* ------------------------------------------------------------------ judging */

/* The better and the worse end of an interval, the greater number being the better one. */
typedef struct reach {
  double worst, mean, best;
} reach;

/* A result of one fault set says nothing about others. */
static reach reach_of(const ripstop_term *term, const ripstop_point *point) {
  ripstop_estimate e = point->y;
  double low = isnan(e.low) ? e.mean : e.low, high = isnan(e.high) ? e.mean : e.high;
  if (point->one_set) low = -INFINITY, high = INFINITY;
  return term->best == RIPSTOP_BEST_HIGHEST ? (reach){low, e.mean, high} : (reach){-high, -e.mean, -low};
}

static double bound_of(const ripstop_term *term) {
  return term->best == RIPSTOP_BEST_HIGHEST ? term->bound : -term->bound;
}

static ripstop_grade keeps(const ripstop_agreement *agreement, const ripstop_point *const *measured) {
  ripstop_grade grade = RIPSTOP_GRADE_YES;
  for (size_t i = 0; i < agreement->terms; i++) {
    const ripstop_term *term = &agreement->term[i];
    reach r = reach_of(term, measured[i]);
    if (r.best < bound_of(term)) return RIPSTOP_GRADE_NO;
    if (r.worst < bound_of(term)) grade = RIPSTOP_GRADE_UNSURE;
  }
  return grade;
}

static bool means_keep(const ripstop_agreement *agreement, const ripstop_point *const *measured) {
  for (size_t i = 0; i < agreement->terms; i++)
    if (reach_of(&agreement->term[i], measured[i]).mean < bound_of(&agreement->term[i])) return false;
  return true;
}

/* True if `other` is better in a goal by more than the interval of their difference: where both are of the same fault
 * sets and traffic, what these do to both is not in it. */
static bool is_beyond(ripstop_arena *arena, const ripstop_term *goal, const ripstop_point *other,
                      const ripstop_point *one) {
  if (other->one_set || one->one_set) return false;
  ripstop_point difference = plot_difference(arena, other, one);
  return reach_of(goal, &difference).worst > 0;
}

/* Compares `one` with `other` in all goals. */
static ripstop_grade against(ripstop_arena *arena, const ripstop_agreement *agreement, const ripstop_judged_curve *one,
                             const ripstop_judged_curve *other) {
  bool better = false, beyond = true;
  for (size_t i = agreement->terms; i < agreement->terms + agreement->goals; i++) {
    const ripstop_term *goal = &agreement->term[i];
    double own = reach_of(goal, one->measured[i]).mean, its = reach_of(goal, other->measured[i]).mean;
    if (its < own) return RIPSTOP_GRADE_YES;
    better |= its > own;
    beyond = beyond && is_beyond(arena, goal, other->measured[i], one->measured[i]);
  }
  return !better ? RIPSTOP_GRADE_YES : beyond ? RIPSTOP_GRADE_NO : RIPSTOP_GRADE_UNSURE;
}

static void find_frontier(ripstop_arena *arena, const ripstop_agreement *agreement, ripstop_judged_curve *candidate,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    candidate[i].frontier = means_keep(agreement, candidate[i].measured) ? RIPSTOP_GRADE_YES : RIPSTOP_GRADE_NO;
    for (size_t j = 0; j < count && candidate[i].frontier != RIPSTOP_GRADE_NO; j++) {
      if (!means_keep(agreement, candidate[j].measured)) continue;
      ripstop_grade grade = against(arena, agreement, &candidate[i], &candidate[j]);
      if (grade > candidate[i].frontier) candidate[i].frontier = grade;
    }
  }
}

size_t ripstop_agreement_judge(ripstop_arena *arena, const ripstop_data *data, const ripstop_agreement *agreement,
                               ripstop_judged_curve **out) {
  size_t parts = agreement->terms + agreement->goals, count = 0;
  const ripstop_plot **plot = RIPSTOP_ARRAY(arena, parts, const ripstop_plot *);
  for (size_t i = 0; i < parts; i++) plot[i] = ripstop_plot_figure(arena, data, agreement->term[i].figure);
  ripstop_judged_curve *candidate = *out = RIPSTOP_ARRAY(arena, plot[0]->curves + 1, ripstop_judged_curve);
  for (size_t c = 0; c < plot[0]->curves; c++) {
    const ripstop_point **measured = RIPSTOP_ARRAY(arena, parts, const ripstop_point *);
    if (!measure(agreement, plot, &plot[0]->curve[c], measured)) continue;
    candidate[count++] = (ripstop_judged_curve){
        .label = plot[0]->curve[c].label, .measured = measured, .keeps = keeps(agreement, measured)};
  }
  find_frontier(arena, agreement, candidate, count);
  return count;
}
