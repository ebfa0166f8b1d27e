/* script.c - a figure as a script for the program gnuplot: of a page, and of a paper (figure_file.c).
 *
 * Texts of the experiment appear in it as letters, digits and octal numbers alone. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/script.h"

#include "base/local.h"

const plot_style plot_page = {
    .terminal = "svg size %zu,%zu dynamic noenhanced rounded font 'system-ui,Helvetica,Arial,sans-serif,15'",
    .width = 860,
    .height = 410,
    .legend_height = 26,
    .legend_letters = 90,
    .title_letters = 30};
const plot_style plot_page_panel = {
    .terminal = "svg size %zu,%zu dynamic noenhanced rounded font 'system-ui,Helvetica,Arial,sans-serif,13'",
    .width = 480,
    .height = 350,
    .legend_height = 23,
    .legend_letters = 50,
    .title_letters = 26};

/* Okabe and Ito, "Color Universal Design" (2008): told apart with any colour vision; yellow left out, as it is faint
 * on white. Curves beyond the seventh begin again with dashes. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444"};
enum { COLOURS = sizeof colours / sizeof *colours };
static const int marks[] = {7, 5, 9, 13, 11, 6, 4};
enum { POINTS_WITH_MARKS = 60 };

const char *plot_colour(size_t curve) { return colours[curve % COLOURS]; }

bool plot_is_dashed(size_t curve) { return curve >= COLOURS; }

/* ------------------------------------------------------------------ the script */

static bool is_plain(char c) { return isalnum((unsigned char)c) || c == ' ' || (unsigned char)c >= 0x80; }

/* Adds a part of gnuplot's text in double quotes. All characters except letters, digits and blanks are octal numbers,
 * so none is taken for a quote, an escape or a command. gnuplot takes digits behind such a number for its own. */
static void quote_part(ripstop_text *out, const char *text, const char *percent) {
  bool number = false; /* was the character before */
  for (const char *c = text; *c; c++) {
    const bool plain = is_plain(*c) && !(number && isdigit((unsigned char)*c));
    number = false;
    if (*c == '%')
      ripstop_text_add(out, "%s", percent);
    else if (plain)
      ripstop_text_add_bytes(out, c, 1);
    else if (*c == '\n')
      ripstop_text_add(out, "\\n");
    else
      ripstop_text_add(out, "\\%03o", (unsigned char)*c), number = true;
  }
}

/* In lines of so many letters. */
static void quote_with(ripstop_text *out, const char *text, size_t letters, const char *percent) {
  RIPSTOP_LOCAL_TEXT(lines);
  plot_lines(&lines, text, letters);
  ripstop_text_add(out, "\"");
  quote_part(out, lines.data, percent);
  ripstop_text_add(out, "\"");
}

void script_quote(ripstop_text *out, const char *text, size_t letters) { quote_with(out, text, letters, "%"); }

/* The label of a tic is a format for its number. */
static void quote_tic(ripstop_text *out, const char *text, size_t letters) { quote_with(out, text, letters, "%%"); }

/* Curves stand side by side over a word. */
static double shift(const ripstop_plot *plot, size_t curve) {
  double share = 0.5; /* share of the distance between two words */
  return plot->numeric ? 0 : share * (((double)curve + 0.5) / (double)plot->curves - 0.5);
}

static size_t number_of(const plot_mark *mark) { return (size_t)(mark - plot_marks); }

/* A point's place: its own value, its key's, or the middle of its window. */
double plot_place(const ripstop_plot *plot, size_t curve, size_t x) {
  if (plot->figure->at) return plot->curve[curve].point[x].at;
  return plot->x[x].at + shift(plot, curve) + plot->window / 2;
}

/* The least possible value of counts, shares and times; differences have none. */
static bool is_never_negative(const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  if (figure->relative && figure->against != RIPSTOP_AGAINST_RELATIVE) return false;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (plot->curve[c].point[x].runs && plot->curve[c].point[x].y.mean < 0) return false;
  return !strstr(figure->y, "drift");
}

/* The lower end of an interval as it is drawn: on a logarithmic axis it has to be somewhere. */
double plot_low(const ripstop_plot *plot, const ripstop_point *p) {
  static const double decade = 10;
  double low = isnan(p->y.low) ? p->y.mean : p->y.low;
  if (isinf(low)) return low;
  if (is_never_negative(plot) && low < 0) low = 0;
  return (plot->figure->log & RIPSTOP_LOG_Y) && low <= 0 ? p->y.mean / decade : low;
}

/* The points with a mark, as a data block of their own. */
static void add_marked(ripstop_text *script, const ripstop_plot *plot, const plot_mark *mark) {
  ripstop_text_add(script, "$mark%zu << END\n", number_of(mark));
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (p->runs && mark->is(p)) ripstop_text_add(script, "%.17g %.17g\n", plot_place(plot, c, x), p->y.mean);
    }
  ripstop_text_add(script, "END\n");
}

static void add_data(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  for (size_t c = 0; c < plot->curves; c++) {
    if (plot_has_outline(plot, style, c)) plot_add_outline(script, plot, c);
    ripstop_text_add(script, "$c%zu << END\n", c);
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (!p->runs) continue;
      double low = plot_low(plot, p), high = isnan(p->y.high) ? p->y.mean : p->y.high;
      ripstop_text_add(script, "%.17g %.17g", plot_place(plot, c, x), p->y.mean);
      bool none = p->one_set || isinf(low) || isinf(high);
      ripstop_text_add(script, none ? " NaN NaN\n" : " %.17g %.17g\n", low, high);
    }
    ripstop_text_add(script, "END\n");
  }
  for (const plot_mark *mark = plot_marks; mark->sign; mark++) add_marked(script, plot, mark);
}

static bool has_points(const ripstop_plot *plot, size_t curve) {
  for (size_t x = 0; x < plot->xs; x++)
    if (plot->curve[curve].point[x].runs) return true;
  return false;
}

static bool has_intervals(const ripstop_plot *plot, size_t curve) {
  for (size_t x = 0; x < plot->xs; x++) {
    const ripstop_point *point = &plot->curve[curve].point[x];
    if (point->runs && plot_has_interval(point) && point->y.high > point->y.low) return true;
  }
  return false;
}

/* gnuplot fails where an axis begins above everything that there is to draw, or ends below: such a limit (ymin, ymax,
 * NAN for none) is dropped. */
static double highest(const ripstop_plot *plot) {
  double most = -INFINITY;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (plot->curve[c].point[x].runs) most = fmax(most, plot->curve[c].point[x].y.mean);
  return most;
}

/* On a logarithmic axis gnuplot draws nothing at zero and below. */
static double lowest(const ripstop_plot *plot) {
  double least = INFINITY;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (p->runs && !((plot->figure->log & RIPSTOP_LOG_Y) && p->y.mean <= 0)) least = fmin(least, p->y.mean);
    }
  return least;
}

static bool is_placed(const ripstop_plot *plot, size_t c, size_t x) {
  return plot->curve[c].point[x].runs && !isnan(plot_place(plot, c, x));
}

static void find_ends(const ripstop_plot *plot, double *first, double *last) {
  *first = INFINITY, *last = -INFINITY;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      if (!is_placed(plot, c, x)) continue;
      *first = fmin(*first, plot_place(plot, c, x)), *last = fmax(*last, plot_place(plot, c, x));
    }
}

/* A scale of logarithms needs numbers, all of them above zero. */
bool plot_log_x(const ripstop_plot *plot) {
  double first, last;
  find_ends(plot, &first, &last);
  return (plot->figure->log & RIPSTOP_LOG_X) && (plot->numeric || plot->figure->at) && first > 0 && first <= last;
}

bool plot_log_y(const ripstop_plot *plot) { return (plot->figure->log & RIPSTOP_LOG_Y) && highest(plot) > 0; }

static void add_scales(ripstop_text *script, const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  double first, last;
  find_ends(plot, &first, &last);
  double margin = first == last ? 0.5 : 0.02 * (last - first);
  if (plot_log_x(plot))
    ripstop_text_add(script, "set logscale x\nset xrange [%.17g:%.17g]\n", first / 1.1, last * 1.1);
  else if (first <= last)
    ripstop_text_add(script, "set xrange [%.17g:%.17g]\n", first - margin, last + margin);
  if (plot_log_y(plot)) ripstop_text_add(script, "set logscale y\n");
  ripstop_text_add(script, "set yrange [");
  const bool begins = highest(plot) > figure->ymin, ends = begins ? !isnan(figure->ymax) : lowest(plot) < figure->ymax;
  if (begins) ripstop_text_add(script, "%.17g", figure->ymin);
  ripstop_text_add(script, ":");
  if (ends) ripstop_text_add(script, "%.17g", figure->ymax);
  ripstop_text_add(script, "]\n");
}

const char *plot_change_word(const ripstop_change *change) {
  return change->up ? change->rate ? "slow" : "repair" : "fault";
}

static void add_change(ripstop_text *script, const ripstop_change *change) {
  ripstop_text_add(script,
                   "set arrow from %llu, graph 0 to %llu, graph 1 nohead dt 3 lc rgb '#777777'\n"
                   "set label '%s' at %llu, graph 1.03 center font ',11' textcolor rgb '#555555'\n",
                   (unsigned long long)change->cycle, (unsigned long long)change->cycle, plot_change_word(change),
                   (unsigned long long)change->cycle);
}

/* The longest line of a word under an axis. */
size_t script_word_letters(const plot_style *style) { return style->legend_letters * 2 / 3; }

size_t script_longest_word(const ripstop_plot *plot, const plot_style *style) {
  size_t most = 1;
  for (size_t x = 0; x < plot->xs; x++)
    if (plot_letters(plot->x[x].label) > most) most = plot_letters(plot->x[x].label);
  return most < script_word_letters(style) ? most : script_word_letters(style);
}

bool plot_is_steep(const ripstop_plot *plot, const plot_style *style) {
  bool words = !plot->numeric && !plot->figure->at;
  return words && plot->xs * (script_longest_word(plot, style) + 2) > style->legend_letters;
}

/* The height that they need, and the room to the left of the first. */
static size_t steep_height(const ripstop_plot *plot, const plot_style *style) {
  return plot_is_steep(plot, style) ? script_longest_word(plot, style) * style->legend_height / 4 : 0;
}

/* In letters, where words stand aslant: they and the title's lines reach to the left. */
static double left_margin(const ripstop_plot *plot, const plot_style *style, size_t more) {
  enum { USUAL = 12, LINE = 1 };
  const double slot = (double)style->legend_letters / (double)plot->xs;
  double most = (double)(USUAL + LINE * more);
  for (size_t x = 0; x < plot->xs; x++) {
    const size_t all = plot_letters(plot->x[x].label);
    const double own = (double)(all < script_word_letters(style) ? all : script_word_letters(style));
    most = fmax(most, 0.8 * own - slot * ((double)x + 0.5));
  }
  return most;
}

/* The title's lines stand round the place where gnuplot has room for one. */
static void add_ylabel(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  const bool steep = plot_is_steep(plot, style);
  const size_t more = plot_count_lines(plot->ylabel, style->title_letters) - 1;
  ripstop_text_add(script, "\nset ylabel ");
  script_quote(script, plot->ylabel, style->title_letters);
  ripstop_text_add(script, " offset %g,0\n", -0.5 - 0.5 * (double)more);
  if (steep) ripstop_text_add(script, "set lmargin %.0f\n", left_margin(plot, style, more));
}

void script_words(ripstop_text *script, const char *axis, size_t count, const ripstop_plot *plot, size_t letters) {
  ripstop_text_add(script, "(");
  for (size_t i = 0; i < count; i++) {
    ripstop_text_add(script, "%s", i ? ", " : "");
    quote_tic(script,
              *axis == 'x'            ? plot->x[i].label
              : *plot->curve[i].label ? plot->curve[i].label
                                      : plot->ylabel,
              letters);
    ripstop_text_add(script, " %zu", i);
  }
  ripstop_text_add(script, ")\n");
}

static void add_tics(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  bool steep = plot_is_steep(plot, style);
  ripstop_text_add(script, "set xrange [-0.5:%zu.5]\nset xtics %s ", plot->xs - 1, steep ? "rotate by 40 right" : "");
  script_words(script, "x", plot->xs, plot, script_word_letters(style));
}

static bool is_whole(const ripstop_plot *plot) {
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (is_placed(plot, c, x) && plot_place(plot, c, x) != floor(plot_place(plot, c, x))) return false;
  return true;
}

/* gnuplot ignores the width of its numbers: as many as have space, in steps of 1, 2 or 5, of whole numbers whole
 * ones. */
static void add_numbers(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  enum { APART = 3, MANY = 8 };
  double first, last;
  find_ends(plot, &first, &last);
  if (!(first < last)) return;
  char text[2][32];
  snprintf(text[0], sizeof text[0], "%.6g", first), snprintf(text[1], sizeof text[1], "%.6g", last);
  const size_t wide = strlen(text[0]) > strlen(text[1]) ? strlen(text[0]) : strlen(text[1]);
  const double room = fmin(MANY, 0.75 * (double)style->legend_letters / (double)(wide + APART));
  const double raw = (last - first) / room, power = pow(10, floor(log10(raw)));
  double step = raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power;
  if (step < 1 && is_whole(plot)) step = 1;
  ripstop_text_add(script, "set xtics %.10g\n", step);
}

static void add_axes(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_text_add(script, "set xlabel ");
  script_quote(script, plot->figure->at ? plot_at_title(arena, plot) : plot->xlabel, style->legend_letters * 3 / 4);
  ripstop_arena_free(arena);
  add_ylabel(script, plot, style);
  add_scales(script, plot);
  for (size_t i = 0; i < plot->marks; i++) add_change(script, &plot->mark[i]);
  if (!plot->figure->at && !plot->numeric)
    add_tics(script, plot, style);
  else if (!plot_log_x(plot))
    add_numbers(script, plot, style);
}

bool plot_has_bands(const ripstop_plot *plot) { return plot->numeric && plot->xs > 1 && !plot->figure->at; }

/* A band needs an interval at all of its points. */
static bool is_band(const ripstop_plot *plot, const plot_style *style, size_t curve) {
  if (style->paper) return false;
  for (size_t x = 0; x < plot->xs; x++)
    if (plot->curve[curve].point[x].runs && plot->curve[curve].point[x].one_set) return false;
  return plot_has_bands(plot);
}

/* The text of each part for readers who do not see the picture: a line each, in the order of the parts. */
static void add_name(ripstop_text *names, const ripstop_plot *plot, size_t c, const char *what) {
  const char *label = *plot->curve[c].label ? plot->curve[c].label : plot->ylabel;
  ripstop_text_add(names, "%s%s\n", label, what);
}

/* Intervals are bands along an axis of numbers, bars on one of words. They come first, so that no line is under one. */
static void add_intervals(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names,
                          const char **separator) {
  for (size_t c = 0; c < plot->curves; c++) {
    if (plot_has_outline(plot, style, c)) {
      ripstop_text_add(script, "%s$h%zu using 1:2 with filledcurves closed lc rgb '%s' notitle", *separator, c,
                       colours[c % COLOURS]);
      add_name(names, plot, c, ", interval");
      *separator = ", ";
    }
    if (!has_intervals(plot, c)) continue;
    ripstop_text_add(script, "%s$c%zu using %s lc rgb '%s' notitle", *separator, c,
                     is_band(plot, style, c) ? "1:3:4 with filledcurves" : "1:2:3:4 with yerrorbars lw 1.5 pt -1",
                     colours[c % COLOURS]);
    add_name(names, plot, c, ", interval");
    *separator = ", ";
  }
}

/* In print without colours dashes and signs tell curves apart. */
static size_t dash_of(const plot_style *style, size_t c) {
  enum { DASHES = 5 };
  return style->paper ? c % DASHES + 1 : c / COLOURS + 1;
}

/* A line that has no room goes on in entries without a sign: gnuplot lays lines of one entry over the next. */
static void add_entry(ripstop_text *script, const char *label, const plot_style *style, ripstop_text *names) {
  RIPSTOP_LOCAL_TEXT(lines);
  plot_lines(&lines, label, plot_name_letters(style));
  for (const char *line = lines.data; line;) {
    const size_t length = strcspn(line, "\n");
    ripstop_text own = {0};
    ripstop_text_add_bytes(&own, line, length);
    if (line != lines.data) ripstop_text_add(names, "%s\n", label);
    ripstop_text_add(script, line == lines.data ? " title \"" : ", keyentry with lines lt nodraw title \"");
    quote_part(script, own.data, "%");
    ripstop_text_add(script, "\"");
    ripstop_text_free(&own);
    line = line[length] ? line + length + 1 : NULL;
  }
}

static void add_curve(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, size_t c,
                      const char *separator, ripstop_text *names) {
  bool dense = plot->xs > POINTS_WITH_MARKS;
  ripstop_text_add(script, "%s$c%zu using 1:2 with %s lc rgb '%s' dt %zu lw 2", separator, c,
                   !plot->numeric && !plot->figure->at ? "points"
                   : dense                             ? "lines"
                                                       : "linespoints",
                   colours[c % COLOURS], dash_of(style, c));
  if (!dense) ripstop_text_add(script, " pt %d ps 0.7", marks[c % COLOURS]);
  add_name(names, plot, c, "");
  if (*plot->curve[c].label)
    add_entry(script, plot->curve[c].label, style, names);
  else
    ripstop_text_add(script, " notitle");
}

/* The signs around or on the points that have marks. */
static void add_signs(ripstop_text *script, const ripstop_plot *plot, ripstop_text *names) {
  for (const plot_mark *mark = plot_marks; mark->sign; mark++) {
    if (!plot_draws(plot, mark)) continue;
    RIPSTOP_LOCAL_TEXT(legend);
    plot_print_legend(&legend, mark, plot_lost(plot));
    ripstop_text_add(names, "%s\n", legend.data);
    ripstop_text_add(script, ", $mark%zu using 1:2 with points pt %d ps 1.5 lw 1.5 lc rgb '%s' title '%s'",
                     number_of(mark), mark->point, mark->colour, legend.data);
  }
}

static void add_curves(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names) {
  const char *separator = "plot ";
  add_intervals(script, plot, style, names, &separator);
  for (size_t c = 0; c < plot->curves; c++) {
    if (!has_points(plot, c)) continue;
    add_curve(script, plot, style, c, separator, names);
    separator = ", ";
  }
  add_signs(script, plot, names);
  ripstop_text_add(script, "\n");
}

/* The width of the sign before a name and of the gap behind it. */
enum { SIGN_LETTERS = 8 };
size_t plot_name_letters(const plot_style *style) { return style->legend_letters - SIGN_LETTERS; }

/* The legend stands below the picture in as many columns as its longest entry leaves room for. */
size_t plot_legend_columns(const ripstop_plot *plot, const plot_style *style) {
  size_t longest = 1;
  for (size_t c = 0; c < plot->curves; c++)
    if (plot_letters(plot->curve[c].label) > longest) longest = plot_letters(plot->curve[c].label);
  size_t columns = style->legend_letters / (longest + SIGN_LETTERS);
  if (columns > plot->curves) columns = plot->curves;
  return columns < 1 ? 1 : columns;
}

static size_t legend_rows(const ripstop_plot *plot, const plot_style *style) {
  const size_t columns = plot_legend_columns(plot, style);
  if (columns > 1) return (plot->curves + columns - 1) / columns;
  size_t rows = 0;
  for (size_t c = 0; c < plot->curves; c++) rows += plot_count_lines(plot->curve[c].label, plot_name_letters(style));
  return rows;
}

static void add_terminal(ripstop_text *script, const plot_style *style, size_t width, size_t height) {
  const char *number = "%zu", *at = strstr(style->terminal, number), *then = strstr(at + 1, number);
  const char *between = at + strlen(number);
  ripstop_text_add(script, "set encoding utf8\nset terminal ");
  ripstop_text_add(script, "%.*s%zu%.*s%zu%s\n", (int)(at - style->terminal), style->terminal, width,
                   (int)(then - between), between, height, then + strlen(number));
}

static void write_curves(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names) {
  const size_t columns = plot_legend_columns(plot, style);
  ripstop_text_add(script,
                   "set border 3 lc rgb '#777777'\n"
                   "set tics nomirror out scale 0.5 textcolor rgb '#333333'\n"
                   "set grid lt 1 lw 1 lc rgb '#e4e7ea'\n"
                   "set style fill transparent solid 0.14 noborder\n"
                   "set errorbars small\n"
                   "set rmargin 3\n"
                   "set key below center horizontal maxcols %zu Left reverse samplen 2.5 spacing 1.25 height 1\n",
                   columns);
  add_data(script, plot, style);
  add_axes(script, plot, style);
  add_curves(script, plot, style, names);
}

static bool is_heatmap(const ripstop_plot *plot) { return plot->figure->kind == RIPSTOP_FIGURE_HEATMAP; }

static size_t height_of(const ripstop_plot *plot, const plot_style *style) {
  if (is_heatmap(plot)) return script_heatmap_height(plot, style);
  return style->height + style->legend_height * legend_rows(plot, style) + steep_height(plot, style);
}

static void add_title(ripstop_text *script, const char *title, const plot_style *style) {
  ripstop_text_add(script, "reset\nset title ");
  script_quote(script, title, style->legend_letters);
  ripstop_text_add(script, "\n");
}

void plot_script(ripstop_text *script, const plot_sheet *sheet, const plot_style *style, ripstop_text *names) {
  RIPSTOP_LOCAL_ARENA(arena);
  const size_t columns = sheet->columns < sheet->plots ? sheet->columns : sheet->plots,
               rows = (sheet->plots + columns - 1) / columns;
  size_t height = 0;
  for (size_t i = 0; i < sheet->plots; i++)
    if (height_of(sheet->plot[i], style) > height) height = height_of(sheet->plot[i], style);
  add_terminal(script, style, style->width * columns, height * rows);
  if (sheet->plots > 1) ripstop_text_add(script, "set multiplot layout %zu,%zu\n", rows, columns);
  for (size_t i = 0; i < sheet->plots; i++) {
    const ripstop_plot *plot = plot_drawn(arena, sheet->plot[i]);
    if (sheet->plots > 1) add_title(script, plot_panel_title(arena, plot, i), style);
    if (i) ripstop_text_add(names, PLOT_NEXT_PANEL);
    if (is_heatmap(plot))
      script_heatmap(script, plot, style, names);
    else
      write_curves(script, plot, style, names);
  }
  if (sheet->plots > 1) ripstop_text_add(script, "unset multiplot\n");
}
