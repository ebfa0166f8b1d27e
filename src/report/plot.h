/* plot.h - what the writers of text, CSV, SVG and HTML share. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "draw/tool.h"
#include "ripstop/kit/report.h"

/* Fills the titles of the axes and the labels of the curves; all else is there. */
void plot_name(ripstop_arena *arena, ripstop_plot *plot);
/* "(a) Latency": of the panel in that place among several. */
const char *plot_panel_title(ripstop_arena *arena, const ripstop_plot *plot, size_t place);
/* The title of the axis that the points stand along, where they stand at a value. */
const char *plot_at_title(ripstop_arena *arena, const ripstop_plot *plot);
/* A value as the experiment's file writes it; "none" of no fault set or schedule. */
const char *plot_setting(const ripstop_setting *setting);
/* A run key's value in the same way. */
const char *plot_written(const ripstop_runs *runs, const char *key, const char *text);
void plot_print_number(ripstop_text *out, double number);
/* "0.4123 ± 0.0021", "0.12 [0.08, 0.17]", "7" or, of nothing, "". */
void plot_print_estimate(ripstop_text *out, ripstop_estimate estimate);
/* The same of a claim, with the mark of an interval that has no ends. */
void plot_print_measured(ripstop_text *out, const ripstop_judgement *judgement);
/* The same of a point, with the marks that are on it. */
void plot_print_point(ripstop_text *out, const ripstop_point *point);
/* The same with where it stands, if that is a value, and the runs that its figure leaves out for their verdict. */
void plot_print_cell(ripstop_text *out, const ripstop_point *point);
/* A mark on a point, and its meaning. */
typedef struct plot_mark {
  const char *sign; /* NULL ends the list */
  bool (*is)(const ripstop_point *point);
  const char *note;
  const char *legend, *colour; /* in a picture */
  int point;                   /* gnuplot's number of the sign there */
  bool of_intervals;           /* it says something of the point's interval */
  bool of_losses;              /* its texts say how much was lost at most */
  const char *tikz;            /* pgfplots' name of the sign there */
} plot_mark;
extern const plot_mark plot_marks[];
/* The signs of a point with a blank before each; nothing without runs. */
void plot_print_signs(ripstop_text *out, const ripstop_point *point);
/* The text of the mark below a table, and in a picture's legend; for losses with the largest share of any point. */
void plot_print_note(ripstop_text *out, const plot_mark *mark, double lost);
void plot_print_legend(ripstop_text *out, const plot_mark *mark, double lost);
/* "up to 20.3 % of packets lost". */
void plot_print_losses(ripstop_text *out, double lost);
/* The largest share of packets that was lost at any of the points (ripstop_point.lost). */
double plot_lost(const ripstop_plot *plot);
double plot_candidates_lost(const ripstop_judged_curve *candidate, size_t count, size_t parts);
/* True if the mark is drawn in the plot's picture. In a series of a single run every window is of one fault set and has
 * no interval, so the mark for one fault set is left out there. */
bool plot_draws(const ripstop_plot *plot, const plot_mark *mark);
/* Finds what a series of these runs marks (ripstop_plot.mark). */
void plot_mark_changes(ripstop_arena *arena, ripstop_plot *plot, const ripstop_run *const *run, size_t runs);
/* True if an interval is drawn: it has two ends, and is not that of one fault set. */
bool plot_has_interval(const ripstop_point *point);
/* Why a point has no interval where others have one; "": it has one, or its value never has one. */
const char *plot_why_none(const ripstop_point *point);
/* The mark of an interval that has no ends: of a single run that is too short, else of too few samples. */
bool plot_is_too_short(const ripstop_point *point);
const plot_mark *plot_unbounded_mark(bool too_short);
/* Some point with runs is. */
bool plot_has(const ripstop_plot *plot, const plot_mark *mark);
bool plot_candidates_have(const ripstop_judged_curve *candidate, size_t count, size_t parts, const plot_mark *mark);
/* Says how much of a given schedule comes after the end of all its runs that are done; nothing if that is nothing. */
void plot_print_late(ripstop_text *out, const ripstop_data *data, const ripstop_setting *schedule);
/* True if all these runs have one and the same random fault set or schedule. */
bool plot_is_one_draw(const ripstop_run *const *run, size_t count);
/* True if the run's value is certain: it depends on the fault set alone, and that is not random. */
bool plot_is_certain(const ripstop_run *run, const char *name);
/* "4 steady, 1 deadlocked". */
void plot_print_verdicts(ripstop_text *out, const size_t verdict[RIPSTOP_OUTCOMES]);
/* "reproduced", "cannot be told: one fault set". */
void plot_print_finding(ripstop_text *out, const ripstop_claim *claim, const ripstop_judgement *judgement);
/* A class of claims as the pages show it: "badge good". */
const char *plot_badge(ripstop_counted counted);
/* The finding as an element of a page. */
void plot_put_finding(ripstop_text *out, const ripstop_claim *claim, const ripstop_judgement *judgement);
void plot_print_cause(ripstop_text *out, const ripstop_claim *claim);
/* "", "at most ", "at least ": what stands before a published number. */
extern const char *const plot_compare_words[];
/* That of a run's intervals. */
double plot_confidence(const ripstop_run *run);
/* One point against another, and a sum of points with weights, with their intervals, sample by sample where all have
 * the same; else arms of intervals in quadrature (paired_points.c). The result has runs, y, samples of pairs,
 * confidence and freedom. */
typedef ripstop_point plot_contrast(ripstop_arena *arena, const ripstop_point *one, const ripstop_point *other);
plot_contrast plot_quotient, plot_difference;
ripstop_point plot_sum(ripstop_arena *arena, const ripstop_point *const *point, const double *weight, size_t count);
/* The point's estimate with an interval of another confidence. */
ripstop_estimate plot_at_confidence(const ripstop_point *point, double confidence);
/* The highest of some points, and that against the highest of others, with intervals that honour that their places were
 * chosen by the same data (peak.c). NAN of none. */
ripstop_estimate plot_peak(ripstop_arena *arena, const ripstop_point *const *point, size_t count);
ripstop_estimate plot_peaks(ripstop_arena *arena, plot_contrast *contrast, const ripstop_point *const *own, size_t owns,
                            const ripstop_point *const *other, size_t others);
/* Points that the figure has at all. */
size_t plot_points(const ripstop_plot *plot);
/* Runs that the figure leaves out for their verdict. */
size_t plot_left_out(const ripstop_plot *plot);

/* The heading of a term or goal of an agreement: "throughput at 0.5, at least -5". */
void plot_print_term(ripstop_text *out, const ripstop_term *term);

/* Figures of the kinds cdf and ccdf (cdf.c). */
bool plot_is_cdf(const ripstop_figure *figure);
/* True if the figure's x is a key of runs, or a value: neither the time nor a share. */
bool plot_is_of_keys(const ripstop_figure *figure);
/* True if the value is one of the quantiles that such a figure shows. */
bool plot_is_quantile(const ripstop_figure *figure, const char *value);
/* "share of packets". */
const char *plot_share_title(const ripstop_figure *figure);
/* The plot as it is drawn: a CDF lies on its side, all others are unchanged. */
const ripstop_plot *plot_drawn(ripstop_arena *arena, const ripstop_plot *plot);

/* Settings for gnuplot; lengths are in the units of the terminal's size. */
typedef struct plot_style {
  const char *terminal;         /* with "%zu" where the width goes, and where the height */
  size_t width;                 /* the picture's */
  size_t height, legend_height; /* the picture's, and each legend line's */
  size_t legend_letters;        /* that a line of the legend has room for */
  size_t title_letters;         /* and one of the vertical axis' title */
  bool paper;                   /* curves are told apart without colours, intervals are bars */
} plot_style;
extern const plot_style plot_page, plot_page_panel;
/* The contents of one picture: a plot, or panels side by side. */
typedef struct plot_sheet {
  const char *id, *title;
  size_t plots, columns;
  const ripstop_plot *const *plot; /* [plots] */
} plot_sheet;
/* A sheet of that plot alone. */
plot_sheet plot_alone(const ripstop_plot *const *plot);
/* The plots of panels that have any point. Memory from the arena. */
plot_sheet plot_panels(ripstop_arena *arena, const ripstop_data *data, const ripstop_panels *panels);
/* All panels as sections of a page: 0, PLOT_UNDRAWN and nothing, or -1. */
int plot_write_panels(ripstop_text *out, const ripstop_data *data, ripstop_error *err);
/* Letters of a text; a text in lines of so many letters at most, `\n` between them: how many lines (fit.c). */
size_t plot_letters(const char *text);
size_t plot_lines(ripstop_text *out, const char *text, size_t letters);
size_t plot_count_lines(const char *text, size_t letters);
/* Along an axis of words: whether they have no room side by side, so that they stand aslant. */
bool plot_is_steep(const ripstop_plot *plot, const plot_style *style);
/* The number of columns of the legend, and of characters that fit a name there. */
size_t plot_legend_columns(const ripstop_plot *plot, const plot_style *style);
size_t plot_name_letters(const plot_style *style);
/* The band between both ends of what the points of a CDF stand at, as a block of data; and whether there is one. */
void plot_add_outline(ripstop_text *script, const ripstop_plot *plot, size_t c);
bool plot_has_outline(const ripstop_plot *plot, const plot_style *style, size_t c);
/* A point's place on the axis of x, and the lower end of its interval, as they are drawn. */
double plot_place(const ripstop_plot *plot, size_t curve, size_t x);
double plot_low(const ripstop_plot *plot, const ripstop_point *point);
/* True if the axis has a logarithmic scale. */
bool plot_log_x(const ripstop_plot *plot);
bool plot_log_y(const ripstop_plot *plot);
/* The colour of a curve, "#0072B2", and whether its line is dashed, since others before it have the colour. */
const char *plot_colour(size_t curve);
bool plot_is_dashed(size_t curve);
/* True if intervals are drawn as bands along a curve, because all of its points have one. */
bool plot_has_bands(const ripstop_plot *plot);
/* "fault", "repair", "slow". */
const char *plot_change_word(const ripstop_change *change);
/* The sheet as a script; `names`: a line for each part of the picture, in their order, and between two panels
 * PLOT_NEXT_PANEL. */
#define PLOT_NEXT_PANEL "\f"
void plot_script(ripstop_text *script, const plot_sheet *sheet, const plot_style *style, ripstop_text *names);
enum { PLOT_UNDRAWN = TOOL_MISSING }; /* there is no gnuplot */
/* Collects gnuplot's standard output. 0, PLOT_UNDRAWN or -1. */
int plot_gnuplot(const ripstop_text *script, ripstop_text *drawn, ripstop_error *err);
/* The sheet as an <svg> element, drawn by gnuplot, whose names begin with the sheet's. PLOT_UNDRAWN: there is no
 * gnuplot, as `err` says. */
int plot_svg(const plot_sheet *sheet, const plot_style *style, ripstop_text *out, ripstop_error *err);
/* The figure's numbers for the page's script (live.js), as a <script> element. */
void plot_live(ripstop_text *out, const ripstop_plot *plot);
/* The figure's file of `report --csv`. */
void plot_csv(FILE *file, const ripstop_plot *plot);

#endif
