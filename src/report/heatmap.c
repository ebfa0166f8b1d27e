/* heatmap.c - a figure as fields of colours with numbers on them, as a part of a script for gnuplot. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "report/script.h"

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

/* The text of a field before its marks: the number with its interval, the number alone, or nothing. */
typedef enum in_field { FIELD_WHOLE, FIELD_MEAN, FIELD_BARE } in_field;

static void print_field(ripstop_text *out, const ripstop_point *p, in_field what) {
  if (what == FIELD_WHOLE) plot_print_point(out, p);
  if (what == FIELD_WHOLE) return;
  if (what == FIELD_MEAN) plot_print_number(out, p->y.mean);
  plot_print_signs(out, p);
}

static bool has_marks(const ripstop_plot *plot) {
  bool any = false;
  for (const plot_mark *mark = plot_marks; mark->sign; mark++) any = any || plot_draws(plot, mark);
  return any;
}

/* The lines below the title of the axis that say what the marks are: as strings that gnuplot joins. */
static size_t add_legend(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  size_t lines = 0;
  for (const plot_mark *mark = plot_marks; mark->sign; mark++) {
    if (!plot_draws(plot, mark)) continue;
    RIPSTOP_LOCAL_TEXT(text);
    ripstop_text_add(&text, "%s ", mark->sign);
    plot_print_legend(&text, mark, plot_lost(plot));
    ripstop_text_add(script, ".\"\\n\".");
    script_quote(script, text.data, style->legend_letters);
    lines += plot_count_lines(text.data, style->legend_letters);
  }
  return lines;
}

static size_t legend_lines(const ripstop_plot *plot, const plot_style *style) {
  RIPSTOP_LOCAL_TEXT(ignored);
  const size_t lines = add_legend(&ignored, plot, style);
  return lines;
}

/* The room for the name of a row, and for a field, in letters. */
static size_t row_letters(const plot_style *style) { return style->legend_letters / 3; }

static size_t field_letters(const ripstop_plot *plot, const plot_style *style) {
  enum { COLOURS_LETTERS = 16 };
  size_t longest = 1;
  for (size_t c = 0; c < plot->curves; c++)
    if (plot_letters(plot->curve[c].label) > longest) longest = plot_letters(plot->curve[c].label);
  if (longest > row_letters(style)) longest = row_letters(style);
  return (style->legend_letters - COLOURS_LETTERS - longest) / plot->xs;
}

static bool has_room(const ripstop_plot *plot, const plot_style *style, in_field what) {
  bool room = true;
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      RIPSTOP_LOCAL_TEXT(text);
      if (plot->curve[c].point[x].runs) print_field(&text, &plot->curve[c].point[x], what);
      if (text.data) room = room && plot_letters(text.data) <= field_letters(plot, style);
    }
  return room;
}

static in_field what_fits(const ripstop_plot *plot, const plot_style *style) {
  in_field what = FIELD_WHOLE;
  while (what < FIELD_BARE && !has_room(plot, style, what)) what++;
  return what;
}

/* Rows are curves, the first on top; columns are the values of x. A field without runs stays blank. */
static void add_fields(ripstop_text *script, const ripstop_plot *plot, in_field what) {
  ripstop_text_add(script, "$fields << END\n");
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (!p->runs) continue;
      RIPSTOP_LOCAL_TEXT(number);
      print_field(&number, p, what);
      ripstop_text_add(script, "%zu %zu %.17g \"%s\"\n", x, c, p->y.mean, number.data ? number.data : "");
    }
  ripstop_text_add(script, "END\n");
}

static bool is_steep_field(const ripstop_plot *plot, const plot_style *style) {
  return script_longest_word(plot, style) > field_letters(plot, style);
}

static size_t row_lines(const ripstop_plot *plot, const plot_style *style) {
  size_t most = 1;
  for (size_t c = 0; c < plot->curves; c++) {
    const size_t lines = plot_count_lines(plot->curve[c].label, row_letters(style));
    if (lines > most) most = lines;
  }
  return most;
}

size_t script_heatmap_height(const ripstop_plot *plot, const plot_style *style) {
  const size_t words = is_steep_field(plot, style) ? script_longest_word(plot, style) * style->legend_height / 2 : 0;
  const size_t lines = plot->curves * row_lines(plot, style) + legend_lines(plot, style);
  return style->height / 3 + style->legend_height * lines + words;
}

static void add_field_words(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  ripstop_text_add(script, "set xtics %s ", is_steep_field(plot, style) ? "rotate by 40 right" : "");
  script_words(script, "x", plot->xs, plot, script_word_letters(style));
  ripstop_text_add(script, "set ytics ");
  script_words(script, "y", plot->curves, plot, row_letters(style));
}

/* It stands beside the rows, each of which is at least two and a half letters high. gnuplot has room for one line; each
 * more takes that of so many letters. */
static void add_colours_label(ripstop_text *script, const ripstop_plot *plot, const plot_style *style) {
  const double usual = 3, line = 2.4;
  const size_t rows = plot->curves * row_lines(plot, style) * 5 / 2, least = style->title_letters * 2 / 3;
  const size_t letters = rows > least ? rows : least;
  const size_t more = plot_count_lines(plot->ylabel, letters) - 1;
  ripstop_text_add(script, "\nset cblabel ");
  script_quote(script, plot->ylabel, letters);
  ripstop_text_add(script, "\n");
  if (more) ripstop_text_add(script, "set rmargin %g\n", usual + line * (double)more);
}

void script_heatmap(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names) {
  bool both = plot->figure->against != RIPSTOP_AGAINST_RELATIVE && is_signed(plot);
  const in_field what = what_fits(plot, style);
  ripstop_text_add(script, "set border 0\nset tics scale 0 textcolor rgb '#333333'\nunset key\n");
  add_fields(script, plot, what);
  add_field_words(script, plot, style);
  ripstop_text_add(script, "set xlabel ");
  script_quote(script, plot->xlabel, style->legend_letters / 2);
  add_legend(script, plot, style);
  add_colours_label(script, plot, style);
  ripstop_text_add(script,
                   "set xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\nset cbrange [%.17g:%.17g]\n"
                   "set palette defined (-1 '#5aa7d6', 0 '#ffffff', 1 '#e8863a')\n",
                   plot->xs - 1, plot->curves - 1, -widest(plot), widest(plot));
  if (!both) ripstop_text_add(script, "set cbrange [0:*]\nset palette defined (0 '#ffffff', 1 '#e8863a')\n");
  if (plot->figure->rank) ripstop_text_add(script, "set cbrange [1:%zu]\n", plot->curves);
  ripstop_text_add(script, "plot $fields using 1:2:3 with image pixels");
  ripstop_text_add(names, "%s as colours\n", plot->ylabel);
  const bool words = what != FIELD_BARE || has_marks(plot);
  if (words) ripstop_text_add(script, ", $fields using 1:2:4 with labels");
  if (words) ripstop_text_add(names, "%s as %s\n", plot->ylabel, what != FIELD_BARE ? "numbers" : "marks");
  ripstop_text_add(script, "\n");
}
