/* query.h - a figure's query while its plot is made (plot.c): its conditions, and the axes that it finds
 * (query_axes.c). */
#ifndef REPORT_QUERY_H
#define REPORT_QUERY_H

#include "report/plot.h"

typedef struct cell cell; /* the samples of a point */

typedef struct query {
  const ripstop_data *data;
  const ripstop_figure *figure;
  ripstop_arena *arena;
  ripstop_plot *plot;
  size_t curves_room, xs_room;
  cell *cell;     /* [curves * xs] */
  ripstop_text x; /* the run's values of several keys */
  bool series, shares;
  bool whole; /* all of the experiment's runs are done, and the figure leaves none out for its verdict */
} query;

/* The experiment's runs that are done and wanted, one after the other; also those that are left out for their verdict,
 * except in a series, which has no row to mention them. */
const ripstop_outcome *query_next(const query *q, size_t *at);
/* Fills the plot's x values and curves: numbers ascending, words as the file has them, rows of several keys by the
 * first of these, then by the next. */
void query_axes(query *q);
/* The x of a CDF; and the name of the value that a run has there. */
void query_shares(query *q);
void query_drop_shares(query *q); /* shares for which no run has a number */
const char *query_quantile(const query *q, size_t x);
/* Which x value and which curve a run has; their count: none. */
size_t query_row(query *q, const ripstop_run *run);
size_t query_curve(const query *q, const ripstop_run *run);
/* The index of a number among ascending ones, or the index at which to insert it. */
size_t query_place(const ripstop_plot *plot, double at);
/* NAN: it is none. */
double query_number(const char *text);
/* The array with room for one more than `count`. */
void *query_grown(ripstop_arena *arena, void *old, size_t count, size_t *room, size_t size);

#endif
