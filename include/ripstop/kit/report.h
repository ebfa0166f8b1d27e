/* report.h - figures, tables and claims over outcomes; as text, CSV and one HTML page.
 *
 * A figure is a query: the outcomes of an experiment's runs, grouped into curves and points, each point the mean over
 * fault samples with a confidence interval. Everything that is shown is made from the same ripstop_plot. */
#ifndef RIPSTOP_KIT_REPORT_H
#define RIPSTOP_KIT_REPORT_H

#include "ripstop/kit/campaign.h"
#include "ripstop/kit/proofs.h"

RIPSTOP_BEGIN

/* An experiment's runs and what is known of them, wherever it was kept. */
typedef struct ripstop_data {
  const ripstop_runs *runs;
  const ripstop_outcome *const *outcome; /* [runs->count]; NULL: not done yet */
} ripstop_data;

/* The parts of outcomes that will be read. Whole outcomes of a million runs are gigabytes. */
typedef enum ripstop_load { RIPSTOP_LOAD_TABLES, RIPSTOP_LOAD_PAGE, RIPSTOP_LOAD_ALL } ripstop_load;
/* The outcomes in the campaign's store, as far as tables and claims, a page, or anything looks at it; nothing
 * without a store. `out` and the outcomes live until the campaign is closed; names and units of values are the store's.
 * -1: an error, also where some of the runs are not believed (RIPSTOP_STORE_DOUBTED). */
int ripstop_report_load(ripstop_campaign *campaign, ripstop_load what, ripstop_data *out, ripstop_error *err);

/* A number and its confidence interval; low and high are NAN when it has none. */
typedef struct ripstop_estimate {
  double mean, low, high;
} ripstop_estimate;

/* Quantities of a run that still changed during the measurement; bits of a set. */
enum { RIPSTOP_DRIFT_THROUGHPUT = 1, RIPSTOP_DRIFT_LATENCY = 2 };

typedef struct ripstop_point {
  size_t runs;        /* that the mean is over; 0: there is no point here */
  size_t left_out;    /* runs that are not in it for their verdict alone (the figure's `where`) */
  double at;          /* mean of the value that the figure's points stand at; NAN where it names none */
  ripstop_estimate y; /* NAN without runs */
  size_t verdict[RIPSTOP_OUTCOMES];
  bool cut_short;  /* y is no share, and a deadlock ended some of these runs, or of those that it is relative to */
  unsigned drifts; /* likewise: what y follows and still changed, RIPSTOP_DRIFT_... */
  /* Likewise: the runs have one and the same random fault set or schedule; their interval is for that one, and says
   * nothing about others (ripstop_run_is_sampled). */
  bool one_set;
  /* Likewise: the largest share of packets that one of the runs lost, of those that network interfaces took while it
   * was measured; 0: none. */
  double lost;
  bool of_saturation;           /* y is of the load at which the network saturates, and not relative to another point */
  bool share;                   /* a share of runs: its samples are 0 or 1, and its interval is Wilson's */
  double confidence, freedom;   /* the interval's confidence, and Student's degrees of freedom behind it */
  double within;                /* the interval's: the error of each sample, for loads that are searched for */
  const double *sample;         /* [runs] samples of the mean; NULL: y is relative to something without pairs */
  const ripstop_run *const *of; /* [runs] where each was measured; NULL likewise */
  double at_low, at_high;       /* the interval of `at`, of a CDF that is drawn */
} ripstop_point;

typedef struct ripstop_curve {
  const char *label;          /* its difference from the others; "" when it is alone */
  const char *const *setting; /* [figure->bys]: canonical values of figure->by */
  ripstop_point *point;       /* [plot->xs] */
} ripstop_curve;

typedef struct ripstop_x {
  const char *text, *label;   /* canonical, and as written; of several keys with ", " between them */
  const char *const *setting; /* [1 + figure->mores]: canonical, of each key; NULL of cycles */
  double at;                  /* the number, or its position in the list when the values are no numbers */
} ripstop_x;

typedef struct ripstop_plot {
  const ripstop_runs *runs;
  const ripstop_figure *figure;
  const char *unit, *xlabel, *ylabel;
  const char *at_unit; /* unit of figure->at */
  double window;       /* cycles of a window, of a series */
  /* A series: faults and repairs that all of its runs have, by cycle, a cycle's first; and how many more cycles have
   * some that are not all runs', or for which a picture has no room. */
  size_t marks, unmarked;
  const ripstop_change *mark;
  bool numeric; /* x is an axis of numbers, ascending; else of words */
  size_t xs;
  ripstop_x *x;
  size_t curves;
  ripstop_curve *curve;
} ripstop_plot;

/* The measurement for a claim, and its outcome. */
typedef struct ripstop_judgement {
  ripstop_estimate measured; /* NAN: no data */
  bool one_set;              /* a point that it was measured on is of one fault set (ripstop_point.one_set) */
  bool too_short;            /* a point that it was measured on is of one run that is too short for an interval */
  ripstop_finding judged;    /* by the interval alone */
  ripstop_finding finding;   /* the shown one: the same, unless the author says that the text leaves it open */
  bool drifts;               /* at a point where what it is about does (ripstop_point.drifts) */
  double lost; /* the largest ripstop_point.lost of the points that it was measured on; 0 for claims about losses */
  bool whole;  /* all runs are done, and none is quick */
  bool contradicts; /* so they are, and the author says the opposite of what they say */
} ripstop_judgement;

/* The class that a claim counts in. The last two are for an experiment's own claims, the first four for those of
 * papers. */
typedef enum ripstop_counted {
  RIPSTOP_COUNTED_REPRODUCED, /* it agrees, was read before the runs, and its tolerance is below half of the number */
  RIPSTOP_COUNTED_CHOSEN,     /* it agrees, but its reading, or where to measure, was chosen after results were seen */
  RIPSTOP_COUNTED_ROUGH,      /* it agrees, but within a tolerance of half the published number or more */
  RIPSTOP_COUNTED_DIFFERS,
  RIPSTOP_COUNTED_OPEN,    /* undecided */
  RIPSTOP_COUNTED_NO_DATA, /* the runs for it are missing */
  RIPSTOP_COUNTED_HOLDS,
  RIPSTOP_COUNTED_FAILS
} ripstop_counted;
enum { RIPSTOP_COUNTED_KINDS = RIPSTOP_COUNTED_FAILS + 1 };
extern const char *const ripstop_counted_words[]; /* "reproduced", ..., NULL */

/* The relation of a candidate to an agreement's terms or to its frontier. */
typedef enum ripstop_grade { RIPSTOP_GRADE_YES, RIPSTOP_GRADE_UNSURE, RIPSTOP_GRADE_NO } ripstop_grade;
extern const char *const ripstop_grade_words[]; /* "yes", "unsure", "no" */

/* One curve of the agreement's figures. `keeps` the terms: surely, or with the interval of one of them on both sides of
 * its bound. `frontier`: of those whose means keep the terms; no other such candidate has means at least as good in all
 * goals and better in one, or (unsure) some has, but none is better in all goals beyond the intervals. */
typedef struct ripstop_judged_curve {
  const char *label;
  const ripstop_point *const *measured; /* [terms + goals] */
  ripstop_grade keeps, frontier;
} ripstop_judged_curve;

/* Tables of all figures and the claims, aligned, for a terminal. */
void ripstop_report_text(FILE *file, const ripstop_data *data);
/* FOLDER/ID.csv for every figure, FOLDER/claims.csv and FOLDER/runs.csv with every run, key and value. */
int ripstop_report_csv(const ripstop_data *data, const char *folder, ripstop_error *err);
/* True if `name` is that of a file which ripstop_report_csv writes for the experiment, a ripstop_spec. */
bool ripstop_report_has_csv(const void *spec, const char *name);
/* One figure as a file for a paper, in the format that its name ends with: svg, pdf, png (gnuplot draws these), tikz or
 * tex (for pgfplots), csv, gp (a script for gnuplot). */
int ripstop_report_figure(const ripstop_data *data, const char *id, const char *path, ripstop_error *err);
/* One JSON object, which ends with a newline: the page's path, verdicts, and every figure with its curves and points
 * (docs/experiments.md). */
int ripstop_report_json(const ripstop_data *data, const char *page, ripstop_text *out, ripstop_error *err);
/* One page without outside resources; the figures are drawn by the program gnuplot. `command` is shown as it is;
 * `home`: the path of the page that this one belongs to, or NULL. 1: the page is there, but without gnuplot it has
 * tables alone, and err says so. */
int ripstop_report_html(const ripstop_data *data, const char *command, const char *home, ripstop_text *out,
                        ripstop_error *err);

/* The proof for one fault set, as one line of JSON without the newline (docs/prove.md lists the names). */
void ripstop_set_proof_json(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_set_proof *proof);

RIPSTOP_END

#endif
