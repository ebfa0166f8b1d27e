/* report.h - figures, tables and claims over outcomes; as text, CSV and one HTML page.
 *
 * A figure is a query: the outcomes of an experiment's runs, grouped into curves and points, each point the mean over
 * fault samples with a confidence interval. Everything that is shown is made from the same rs_plot. */
#ifndef RIPSTOP_REPORT_H
#define RIPSTOP_REPORT_H

#include "ripstop/experiment.h"

/* An experiment's runs and what is known of them, wherever it was kept. */
typedef struct rs_data {
  const rs_runs *runs;
  const rs_outcome *const *outcome; /* [runs->count]; NULL: not done yet */
} rs_data;

enum { RS_OUTCOMES = 7 }; /* words in rs_outcome_words */

/* A number and its confidence interval; low and high are NAN when it has none. */
typedef struct rs_estimate {
  double mean, low, high;
} rs_estimate;

typedef struct rs_point {
  size_t runs;   /* that the mean is over; 0: there is no point here */
  rs_estimate y; /* NAN without runs */
  size_t verdict[RS_OUTCOMES];
  bool cut_short; /* y is no share, and a deadlock ended some of these runs, or of those that it is relative to */
} rs_point;

typedef struct rs_curve {
  const char *label;          /* what tells it from the others; "" when it is alone */
  const char *const *setting; /* [figure->bys]: canonical values of figure->by */
  rs_point *point;            /* [plot->xs] */
} rs_curve;

typedef struct rs_x {
  const char *text, *label; /* canonical, and as written */
  double at;                /* as a number; its position in the list when the values are no numbers */
} rs_x;

typedef struct rs_plot {
  const rs_figure *figure;
  const char *unit, *xlabel, *ylabel;
  bool numeric; /* x is an axis of numbers, ascending; else of words */
  size_t xs;
  rs_x *x;
  size_t curves;
  rs_curve *curve;
} rs_plot;

/* The mean over fault samples has a Student t interval (shares, which are verdicts and values of the unit "0 or 1":
 * Wilson's), at the runs' measure.confidence; a point of one run has the run's own. A point of a number that depends on
 * the fault set alone (rs_value_is_of_plan) is exact, its interval empty, where every set was taken or given. A ratio's
 * interval adds the relative widths in quadrature. */
const rs_plot *rs_plot_figure(rs_arena *arena, const rs_data *data, const rs_figure *figure);

/* Whether the figure shows this run, now that it has an outcome. */
bool rs_figure_shows(const rs_figure *figure, const rs_run *run, const rs_outcome *outcome);
/* 0, or -1 and what is odd when an outcome has values but not the one that the figure wants. */
int rs_figure_check(const rs_data *data, const rs_figure *figure, const rs_outcome *outcome, rs_error *err);

typedef enum rs_finding { RS_REPRODUCED, RS_NOT_REPRODUCED, RS_UNDECIDED, RS_NO_DATA } rs_finding;
extern const char *const rs_finding_words[];

/* `about`: the published number lies within the tolerance of the measured one or inside its interval. `at-most`,
 * `at-least`: the measured number or the nearer end of its interval is on the right side, tolerance allowed. Where that
 * holds only thanks to an interval wider than the claim's tolerance, nothing is decided: more samples are needed. */
rs_finding rs_claim_judge(const rs_data *data, const rs_claim *claim, rs_estimate *measured);

/* How a candidate stands to an agreement's terms or to its frontier. */
typedef enum rs_grade { RS_GRADE_YES, RS_GRADE_UNSURE, RS_GRADE_NO } rs_grade;
extern const char *const rs_grade_words[]; /* "yes", "unsure", "no" */

/* One curve of the agreement's figures. `keeps` the terms: surely, or with the interval of one of them on both sides of
 * its bound. `frontier`: of those whose means keep the terms; no other such candidate has means at least as good in all
 * goals and better in one, or (unsure) some has, but none is better in all goals beyond the intervals. */
typedef struct rs_candidate {
  const char *label;
  const rs_estimate *measured; /* [terms + goals] */
  rs_grade keeps, frontier;
} rs_candidate;

/* The candidates that have data for all terms and goals, in the order of the curves; memory from the arena. */
size_t rs_agreement_judge(rs_arena *arena, const rs_data *data, const rs_agreement *agreement, rs_candidate **out);

/* Tables of all figures and the claims, aligned, for a terminal. */
void rs_report_text(FILE *file, const rs_data *data);
/* FOLDER/ID.csv for every figure, FOLDER/claims.csv and FOLDER/runs.csv with every run, key and value. */
int rs_report_csv(const rs_data *data, const char *folder, rs_error *err);
/* One page without outside resources; the figures are drawn by the program gnuplot. `command` is shown as it is. */
int rs_report_html(const rs_data *data, const char *command, rs_text *out, rs_error *err);

#endif
