/* agreements.c - which candidates keep a service agreement, and which of them no other one beats: the Pareto frontier
 * over the agreement's goals. Everything is measured on figures, intervals included.
 *
 * Time: the runs for each figure, and candidates squared x goals. */
#include <math.h>
#include <string.h>

#include "report/plot.h"

const char *const rs_grade_words[] = {[RS_GRADE_YES] = "yes", [RS_GRADE_UNSURE] = "unsure", [RS_GRADE_NO] = "no", NULL};

void plot_print_term(rs_text *out, const rs_term *term) {
  rs_text_add(out, "%s at %s, ", term->figure->id, term->at->written);
  if (isnan(term->bound))
    rs_text_add(out, "%s best", rs_best_words[term->best]);
  else
    rs_text_add(out, "at %s %.4g", term->best == RS_BEST_HIGHEST ? "least" : "most", term->bound);
}

/* ------------------------------------------------------------------ measuring */

static const rs_estimate *at(const rs_plot *plot, const rs_curve *curve, const rs_setting *x) {
  for (size_t i = 0; i < plot->xs; i++)
    if (curve->point[i].runs && !strcmp(plot->x[i].text, x->text)) return &curve->point[i].y;
  return NULL;
}

static const rs_curve *same_curve(const rs_plot *plot, const rs_curve *wanted) {
  for (size_t c = 0; c < plot->curves; c++) {
    size_t same = 0;
    while (same < plot->figure->bys && !strcmp(plot->curve[c].setting[same], wanted->setting[same])) same++;
    if (same == plot->figure->bys) return &plot->curve[c];
  }
  return NULL;
}

/* False when a term or goal has no data for this curve. */
static bool measure(const rs_agreement *agreement, const rs_plot *const *plot, const rs_curve *curve,
                    rs_estimate *measured) {
  for (size_t i = 0; i < agreement->terms + agreement->goals; i++) {
    const rs_curve *same = same_curve(plot[i], curve);
    const rs_estimate *found = same ? at(plot[i], same, agreement->term[i].at) : NULL;
    if (!found) return false;
    measured[i] = *found;
  }
  return true;
}

/* ------------------------------------------------------------------ judging */

/* The better and the worse end of an interval, the greater number being the better one. */
typedef struct reach {
  double worst, mean, best;
} reach;

static reach reach_of(const rs_term *term, rs_estimate e) {
  double low = isnan(e.low) ? e.mean : e.low, high = isnan(e.high) ? e.mean : e.high;
  return term->best == RS_BEST_HIGHEST ? (reach){low, e.mean, high} : (reach){-high, -e.mean, -low};
}

static double bound_of(const rs_term *term) { return term->best == RS_BEST_HIGHEST ? term->bound : -term->bound; }

static rs_grade keeps(const rs_agreement *agreement, const rs_estimate *measured) {
  rs_grade grade = RS_GRADE_YES;
  for (size_t i = 0; i < agreement->terms; i++) {
    const rs_term *term = &agreement->term[i];
    reach r = reach_of(term, measured[i]);
    if (r.best < bound_of(term)) return RS_GRADE_NO;
    if (r.worst < bound_of(term)) grade = RS_GRADE_UNSURE;
  }
  return grade;
}

static bool means_keep(const rs_agreement *agreement, const rs_estimate *measured) {
  for (size_t i = 0; i < agreement->terms; i++)
    if (reach_of(&agreement->term[i], measured[i]).mean < bound_of(&agreement->term[i])) return false;
  return true;
}

/* How well `one` holds out against `other` in the goals. */
static rs_grade against(const rs_agreement *agreement, const rs_candidate *one, const rs_candidate *other) {
  bool better = false, beyond = true;
  for (size_t i = agreement->terms; i < agreement->terms + agreement->goals; i++) {
    reach own = reach_of(&agreement->term[i], one->measured[i]);
    reach its = reach_of(&agreement->term[i], other->measured[i]);
    if (its.mean < own.mean) return RS_GRADE_YES;
    better |= its.mean > own.mean;
    beyond &= its.worst > own.best;
  }
  return !better ? RS_GRADE_YES : beyond ? RS_GRADE_NO : RS_GRADE_UNSURE;
}

static void find_frontier(const rs_agreement *agreement, rs_candidate *candidate, size_t count) {
  for (size_t i = 0; i < count; i++) {
    candidate[i].frontier = means_keep(agreement, candidate[i].measured) ? RS_GRADE_YES : RS_GRADE_NO;
    for (size_t j = 0; j < count && candidate[i].frontier != RS_GRADE_NO; j++) {
      if (!means_keep(agreement, candidate[j].measured)) continue;
      rs_grade grade = against(agreement, &candidate[i], &candidate[j]);
      if (grade > candidate[i].frontier) candidate[i].frontier = grade;
    }
  }
}

size_t rs_agreement_judge(rs_arena *arena, const rs_data *data, const rs_agreement *agreement, rs_candidate **out) {
  size_t parts = agreement->terms + agreement->goals, count = 0;
  const rs_plot **plot = RS_ARRAY(arena, parts, const rs_plot *);
  for (size_t i = 0; i < parts; i++) plot[i] = rs_plot_figure(arena, data, agreement->term[i].figure);
  rs_candidate *candidate = *out = RS_ARRAY(arena, plot[0]->curves + 1, rs_candidate);
  for (size_t c = 0; c < plot[0]->curves; c++) {
    rs_estimate *measured = RS_ARRAY(arena, parts, rs_estimate);
    if (!measure(agreement, plot, &plot[0]->curve[c], measured)) continue;
    candidate[count++] =
        (rs_candidate){.label = plot[0]->curve[c].label, .measured = measured, .keeps = keeps(agreement, measured)};
  }
  find_frontier(agreement, candidate, count);
  return count;
}
