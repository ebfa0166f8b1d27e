/* script.c - a figure as a script for the program gnuplot: of a page, and of a paper (paper.c).
 *
 * Texts of the experiment appear in it as letters, digits and octal numbers alone. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/plot.h"

const plot_style plot_page = {
    .terminal = "svg size %zu,%zu dynamic noenhanced rounded font 'system-ui,Helvetica,Arial,sans-serif,15'",
    .width = 860,
    .height = 410,
    .legend_height = 22,
    .legend_letters = 90};
const plot_style plot_page_panel = {
    .terminal = "svg size %zu,%zu dynamic noenhanced rounded font 'system-ui,Helvetica,Arial,sans-serif,13'",
    .width = 480,
    .height = 350,
    .legend_height = 20,
    .legend_letters = 50};

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

/* As gnuplot's text in double quotes, in which all but letters, digits and blanks stand as octal numbers: whatever it
 * would take for a quote, an escape or a command is none then. It takes digits behind such a number for its own. */
static void quote_with(ripstop_text *out, const char *text, const char *percent) {
  bool number = false; /* was the character before */
  ripstop_text_add(out, "\"");
  for (const char *c = text; *c; c++) {
    const bool plain = is_plain(*c) && !(number && isdigit((unsigned char)*c));
    number = false;
    if (*c == '%')
      ripstop_text_add(out, "%s", percent);
    else if (plain)
      ripstop_text_add_bytes(out, c, 1);
    else if ((unsigned char)*c < ' ' || *c == 0x7f)
      ripstop_text_add(out, " ");
    else
      ripstop_text_add(out, "\\%03o", (unsigned)*c), number = true;
  }
  ripstop_text_add(out, "\"");
}

static void quote(ripstop_text *out, const char *text) { quote_with(out, text, "%"); }

/* What stands at a tic is a format for its number. */
static void quote_tic(ripstop_text *out, const char *text) { quote_with(out, text, "%%"); }

/* Curves stand side by side over a word. */
static double shift(const ripstop_plot *plot, size_t curve) {
  double share = 0.5; /* of the distance between two words */
  return plot->numeric ? 0 : share * (((double)curve + 0.5) / (double)plot->curves - 0.5);
}

static size_t number_of(const plot_mark *mark) { return (size_t)(mark - plot_marks); }

/* Where a point stands: at its own value, at its key's, of a window in its middle. */
double plot_place(const ripstop_plot *plot, size_t curve, size_t x) {
  if (plot->figure->at) return plot->curve[curve].point[x].at;
  return plot->x[x].at + shift(plot, curve) + plot->window / 2;
}

/* What nothing can be less than: counts, shares, times; not what is told against something else. */
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
      ripstop_text_add(script, p->one_set ? " NaN NaN\n" : " %.17g %.17g\n", low, high);
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
    if (point->runs && !point->one_set && point->y.high > point->y.low) return true;
  }
  return false;
}

/* gnuplot fails where an axis begins above everything that there is to draw, or ends below: such a wish (ymin, ymax,
 * NAN for none) has to wait for other numbers. */
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

static size_t letters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80; /* not within a UTF-8 character */
  return count;
}

static size_t longest_word(const ripstop_plot *plot) {
  size_t most = 1;
  for (size_t x = 0; x < plot->xs; x++)
    if (letters(plot->x[x].label) > most) most = letters(plot->x[x].label);
  return most;
}

/* Words that have no room side by side stand aslant, and end at their tics. */
static bool is_steep(const ripstop_plot *plot, const plot_style *style) {
  bool words = !plot->numeric && !plot->figure->at;
  return words && plot->xs * (longest_word(plot) + 2) > style->legend_letters;
}

/* The height that they need, and the room to the left of the first. */
static size_t steep_height(const ripstop_plot *plot, const plot_style *style) {
  return is_steep(plot, style) ? longest_word(plot) * style->legend_height / 4 : 0;
}

static void add_margin(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  enum { USUAL = 11 };
  double slot = (double)style->legend_letters / (double)plot->xs,
         wanted = 0.8 * (double)letters(plot->x[0].label) - slot / 2;
  if (wanted > USUAL) ripstop_text_add(script, "set lmargin %.0f\n", wanted);
}

static void add_tics(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  bool steep = is_steep(plot, style);
  if (steep) add_margin(script, plot, style);
  ripstop_text_add(script, "set xrange [-0.5:%zu.5]\nset xtics %s (", plot->xs - 1, steep ? "rotate by 40 right" : "");
  for (size_t x = 0; x < plot->xs; x++) {
    if (x) ripstop_text_add(script, ", ");
    quote_tic(script, plot->x[x].label);
    ripstop_text_add(script, " %zu", x);
  }
  ripstop_text_add(script, ")\n");
}

static void add_axes(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_text_add(script, "set xlabel ");
  quote(script, plot->figure->at ? plot_at_title(arena, plot) : plot->xlabel);
  ripstop_arena_free(arena);
  ripstop_text_add(script, "\nset ylabel ");
  quote(script, plot->ylabel);
  ripstop_text_add(script, " offset -0.5,0\n");
  add_scales(script, plot);
  for (size_t i = 0; i < plot->marks; i++) add_change(script, &plot->mark[i]);
  if (!plot->figure->at && !plot->numeric) add_tics(script, plot, style);
}

bool plot_has_bands(const ripstop_plot *plot) { return plot->numeric && plot->xs > 1 && !plot->figure->at; }

/* A band needs an interval at all of its points. */
static bool is_band(const ripstop_plot *plot, const plot_style *style, size_t curve) {
  if (style->paper) return false;
  for (size_t x = 0; x < plot->xs; x++)
    if (plot->curve[curve].point[x].runs && plot->curve[curve].point[x].one_set) return false;
  return plot_has_bands(plot);
}

/* What a reader who does not see the picture is told that a part of it is; a line for each part, in their order. */
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

static void add_curve(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, size_t c,
                      const char *separator) {
  bool dense = plot->xs > POINTS_WITH_MARKS;
  ripstop_text_add(script, "%s$c%zu using 1:2 with %s lc rgb '%s' dt %zu lw 2", separator, c,
                   !plot->numeric && !plot->figure->at ? "points"
                   : dense                             ? "lines"
                                                       : "linespoints",
                   colours[c % COLOURS], dash_of(style, c));
  if (!dense) ripstop_text_add(script, " pt %d ps 0.7", marks[c % COLOURS]);
  ripstop_text_add(script, *plot->curve[c].label ? " title " : " notitle");
  if (*plot->curve[c].label) quote(script, plot->curve[c].label);
}

/* What stands round or on the points that have marks. Of one fault set is every window of a lone run, and none has an
 * interval that it could be taken for. */
static void add_signs(ripstop_text *script, const ripstop_plot *plot, ripstop_text *names) {
  bool series = !strcmp(plot->figure->x, "cycle");
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_has(plot, mark) && !(series && mark->of_intervals)) {
      ripstop_text_add(names, "%s\n", mark->legend);
      ripstop_text_add(script, ", $mark%zu using 1:2 with points pt %d ps 1.5 lw 1.5 lc rgb '%s' title '%s'",
                       number_of(mark), mark->point, mark->colour, mark->legend);
    }
}

static void add_curves(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names) {
  const char *separator = "plot ";
  add_intervals(script, plot, style, names, &separator);
  for (size_t c = 0; c < plot->curves; c++) {
    if (!has_points(plot, c)) continue;
    add_curve(script, plot, style, c, separator);
    add_name(names, plot, c, "");
    separator = ", ";
  }
  add_signs(script, plot, names);
  ripstop_text_add(script, "\n");
}

/* The legend stands below the picture in as many columns as its longest entry leaves room for. */
static size_t legend_columns(const ripstop_plot *plot, const plot_style *style) {
  size_t longest = 1;
  for (size_t c = 0; c < plot->curves; c++)
    if (strlen(plot->curve[c].label) > longest) longest = strlen(plot->curve[c].label);
  size_t columns = style->legend_letters / (longest + 8);
  if (columns > plot->curves) columns = plot->curves;
  return columns < 1 ? 1 : columns;
}

static void add_terminal(ripstop_text *script, const plot_style *style, size_t width, size_t height) {
  const char *number = "%zu", *at = strstr(style->terminal, number), *then = strstr(at + 1, number);
  const char *between = at + strlen(number);
  ripstop_text_add(script, "set encoding utf8\nset terminal ");
  ripstop_text_add(script, "%.*s%zu%.*s%zu%s\n", (int)(at - style->terminal), style->terminal, width,
                   (int)(then - between), between, height, then + strlen(number));
}

/* ------------------------------------------------------------------ heatmaps */

static bool is_signed(const ripstop_plot *plot) {
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++)
      if (plot->curve[c].point[x].runs && plot->curve[c].point[x].y.mean < 0) return true;
  return false;
}

/* The range of the colours: of a change or difference its zero is always white, so both colours say the same
 * everywhere. */
static double widest(const ripstop_plot *plot) {
  double most = 0;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (p->runs && fabs(p->y.mean) > most) most = fabs(p->y.mean);
    }
  return most > 0 ? most : 1;
}

/* Rows are curves, the first on top; columns are the values of x. A field without runs stays blank. */
static void add_fields(ripstop_text *script, const ripstop_plot *plot) {
  ripstop_text_add(script, "$fields << END\n");
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (!p->runs) continue;
      ripstop_text number = {0};
      plot_print_point(&number, p);
      ripstop_text_add(script, "%zu %zu %.17g \"%s\"\n", x, c, p->y.mean, number.data);
      ripstop_text_free(&number);
    }
  ripstop_text_add(script, "END\n");
}

static void add_words(ripstop_text *script, const char *axis, size_t count, const ripstop_plot *plot) {
  ripstop_text_add(script, "set %stics (", axis);
  for (size_t i = 0; i < count; i++) {
    ripstop_text_add(script, "%s", i ? ", " : "");
    quote_tic(script, *axis == 'x' ? plot->x[i].label : *plot->curve[i].label ? plot->curve[i].label : plot->ylabel);
    ripstop_text_add(script, " %zu", i);
  }
  ripstop_text_add(script, ")\n");
}

static void write_heatmap(ripstop_text *script, const ripstop_plot *plot, ripstop_text *names) {
  bool both = plot->figure->against != RIPSTOP_AGAINST_RELATIVE && is_signed(plot);
  ripstop_text_add(script, "set border 0\nset tics scale 0 textcolor rgb '#333333'\nunset key\n");
  add_fields(script, plot);
  add_words(script, "x", plot->xs, plot);
  add_words(script, "y", plot->curves, plot);
  ripstop_text_add(script, "set xlabel ");
  quote(script, plot->xlabel);
  ripstop_text_add(script, "\nset cblabel ");
  quote(script, plot->ylabel);
  ripstop_text_add(script,
                   "\nset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset cbrange [%.17g:%.17g]\n"
                   "set palette defined (-1 '#5aa7d6', 0 '#ffffff', 1 '#e8863a')\n",
                   plot->xs - 1, plot->curves - 1, -widest(plot), widest(plot));
  if (!both) ripstop_text_add(script, "set cbrange [0:*]\nset palette defined (0 '#ffffff', 1 '#e8863a')\n");
  if (plot->figure->rank) ripstop_text_add(script, "set cbrange [1:%zu]\n", plot->curves);
  ripstop_text_add(script, "plot $fields using 1:2:3 with image pixels, $fields using 1:2:4 with labels\n");
  ripstop_text_add(names, "%s as colours\n%s as numbers\n", plot->ylabel, plot->ylabel);
}

static void write_curves(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names) {
  const size_t columns = legend_columns(plot, style);
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
  const size_t columns = legend_columns(plot, style), rows = (plot->curves + columns - 1) / columns;
  if (is_heatmap(plot)) return style->height / 3 + style->legend_height * plot->curves;
  return style->height + style->legend_height * rows + steep_height(plot, style);
}

/* "(a) Latency" */
static void add_title(ripstop_text *script, const ripstop_plot *plot, size_t number) {
  ripstop_text title = {0};
  ripstop_text_add(&title, "(%c) %s", (char)('a' + number), plot->figure->title);
  ripstop_text_add(script, "reset\nset title ");
  quote(script, title.data);
  ripstop_text_add(script, "\n");
  ripstop_text_free(&title);
}

void plot_script(ripstop_text *script, const plot_sheet *sheet, const plot_style *style, ripstop_text *names) {
  ripstop_arena *arena = ripstop_arena_new();
  const size_t columns = sheet->columns < sheet->plots ? sheet->columns : sheet->plots,
               rows = (sheet->plots + columns - 1) / columns;
  size_t height = 0;
  for (size_t i = 0; i < sheet->plots; i++)
    if (height_of(sheet->plot[i], style) > height) height = height_of(sheet->plot[i], style);
  add_terminal(script, style, style->width * columns, height * rows);
  if (sheet->plots > 1) ripstop_text_add(script, "set multiplot layout %zu,%zu\n", rows, columns);
  for (size_t i = 0; i < sheet->plots; i++) {
    const ripstop_plot *plot = plot_drawn(arena, sheet->plot[i]);
    if (sheet->plots > 1) add_title(script, plot, i);
    if (i) ripstop_text_add(names, PLOT_NEXT_PANEL);
    if (is_heatmap(plot))
      write_heatmap(script, plot, names);
    else
      write_curves(script, plot, style, names);
  }
  if (sheet->plots > 1) ripstop_text_add(script, "unset multiplot\n");
  ripstop_arena_free(arena);
}
