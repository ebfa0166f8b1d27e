/* figure_file.c - one figure as a file for a paper: as wide as a column, told apart without colours, in the format that
 * the file's name ends with. TikZ is written for pgfplots, so that its texts are in the document's own fonts; the other
 * pictures are gnuplot's. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/output.h"
#include "report/judging.h"
#include "report/plot.h"

/* 8.6 cm, in the units of each terminal. */
#define COLUMN(terminal_, width_, height_, legend_)                                                                    \
  {                                                                                                                    \
    .terminal = (terminal_), .width = (width_), .height = (height_), .legend_height = (legend_), .legend_letters = 44, \
    .title_letters = 22, .paper = true                                                                                 \
  }
static const plot_style
    svg_style = COLUMN("svg size %zu,%zu fixed noenhanced rounded font 'Times,Nimbus Roman,serif,11'", 325, 225, 17),
    png_style = COLUMN("pngcairo size %zu,%zu noenhanced rounded font 'serif,9' fontscale 3 linewidth 3 pointscale 3",
                       1016, 700, 50),
    pdf_style =
        COLUMN("pdfcairo size (0.01*%zu)cm,(0.01*%zu)cm noenhanced rounded font 'serif,8' linewidth 0.8 pointscale 0.8",
               860, 600, 43);

typedef struct drawing {
  const plot_sheet *sheet;
  ripstop_text *out;
  FILE *stream; /* the file, behind which `out` is written */
  ripstop_error *err;
} drawing;

/* ------------------------------------------------------------------ gnuplot's */

static int draw(const drawing *d, const plot_style *style) {
  ripstop_text script = {0}, names = {0};
  plot_script(&script, d->sheet, style, &names);
  int status = plot_gnuplot(&script, d->out, d->err);
  ripstop_text_free(&script);
  ripstop_text_free(&names);
  return status ? -1 : 0;
}

static int draw_png(const drawing *d) { return draw(d, &png_style); }
static int draw_pdf(const drawing *d) { return draw(d, &pdf_style); }

static int draw_svg(const drawing *d) {
  ripstop_text_add(d->out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
  return plot_svg(d->sheet, &svg_style, d->out, d->err) ? -1 : 0;
}

/* `gnuplot ID.gp` makes ID.pdf. */
static int write_gp(const drawing *d) {
  ripstop_text names = {0}, script = {0};
  const char *id = d->sheet->id;
  plot_script(&script, d->sheet, &pdf_style, &names);
  const char *terminal = strstr(script.data, "set terminal"), *behind = strchr(terminal, '\n') + 1;
  ripstop_text_add(d->out, "# made by ripstop %s; 'gnuplot' on this file writes %s.pdf\n%.*sset output '%s.pdf'\n%s",
                   RIPSTOP_VERSION, id, (int)(behind - script.data), script.data, id, behind);
  ripstop_text_free(&names);
  ripstop_text_free(&script);
  return 0;
}

/* Panels one after the other, with an empty line between them. */
static int write_csv(const drawing *d) {
  for (size_t i = 0; i < d->sheet->plots; i++) {
    if (i) fputs("\n", d->stream);
    plot_csv(d->stream, d->sheet->plot[i]);
  }
  return 0;
}

/* ------------------------------------------------------------------ TikZ */

/* The number of characters that fit a column, in the document's font and at the legend's size. */
static const plot_style tex_style = {.legend_letters = 56, .title_letters = 30, .paper = true};

/* Long names may break behind their signs: TeX knows blanks alone. */
static void tex(ripstop_text *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\\')
      ripstop_text_add(out, "\\textbackslash{}");
    else if (*text == '~' || *text == '^')
      ripstop_text_add(out, "\\%c{}", *text);
    else if (strchr("{}$&#_%", *text))
      ripstop_text_add(out, "\\%c", *text);
    else
      ripstop_text_add_bytes(out, text, 1);
    if (strchr(",:;/", *text) && text[1] && text[1] != ' ') ripstop_text_add(out, "\\allowbreak{}");
  }
}

static void tex_key(ripstop_text *out, const char *key, const char *text) {
  ripstop_text_add(out, "  %s={", key);
  tex(out, text);
  ripstop_text_add(out, "},\n");
}

static void tex_words(ripstop_text *out, const ripstop_plot *plot) {
  ripstop_text_add(out, "  xtick={");
  for (size_t x = 0; x < plot->xs; x++) ripstop_text_add(out, "%s%zu", x ? "," : "", x);
  ripstop_text_add(out, "},\n  xticklabels={");
  for (size_t x = 0; x < plot->xs; x++) {
    ripstop_text_add(out, x ? ",{" : "{");
    tex(out, plot->x[x].label);
    ripstop_text_add(out, "}");
  }
  ripstop_text_add(out, "},\n");
}

/* Names in the legend and the title of the vertical axis are broken into lines if they do not fit; words stand aslant.
 */
static void tex_legend(const drawing *d, const ripstop_plot *plot) {
  const size_t columns = plot_legend_columns(plot, &tex_style);
  double down = 0.28;
  if (plot_is_steep(plot, &tex_style)) {
    size_t most = 0;
    for (size_t x = 0; x < plot->xs; x++)
      if (plot_letters(plot->x[x].label) > most) most = plot_letters(plot->x[x].label);
    down += 0.022 * (double)most;
    ripstop_text_add(d->out, "  x tick label style={rotate=40, anchor=east},\n");
  }
  ripstop_text_add(
      d->out, "  legend columns=%zu,\n  legend style={draw=none, at={(0.5,%.3g)}, anchor=north, font=\\footnotesize",
      columns, -down);
  bool wide = false;
  for (size_t c = 0; c < plot->curves; c++)
    wide = wide || plot_letters(plot->curve[c].label) > plot_name_letters(&tex_style);
  ripstop_text_add(d->out, "%s},\n  legend cell align=left,\n]\n",
                   wide ? ", nodes={text width=0.75\\columnwidth, text depth=, align=left}" : "");
}

/* Over less than two decades pgfplots would write 10^1.5: there 1, 2 and 5 of each decade are labelled. */
static void tex_log_ticks(ripstop_text *out, char axis, double low, double high) {
  static const int steps[] = {1, 2, 5};
  if (!(low <= high && high < 100 * low)) return; /* without a point low is infinite */
  const double first = floor(log10(low)), last = ceil(log10(high));
  ripstop_text_add(out, "  log ticks with fixed point,\n  %ctick={", axis);
  for (int decade = (int)first; decade <= (int)last; decade++)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
      ripstop_text_add(out, "%s%de%d", decade == (int)first && i == 0 ? "" : ",", steps[i], decade);
  ripstop_text_add(out, "},\n");
}

/* Logarithmic axes, and the ticks that their points want. */
static void tex_logs(ripstop_text *out, const ripstop_plot *plot) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {0, 0};
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      const double at[2] = {plot_place(plot, c, x), p->y.mean};
      for (size_t axis = 0; axis < 2; axis++)
        if (p->runs && at[axis] > 0) low[axis] = fmin(low[axis], at[axis]), high[axis] = fmax(high[axis], at[axis]);
    }
  if (plot_log_x(plot)) ripstop_text_add(out, "  xmode=log,\n"), tex_log_ticks(out, 'x', low[0], high[0]);
  if (plot->figure->log & RIPSTOP_LOG_Y)
    ripstop_text_add(out, "  ymode=log,\n"), tex_log_ticks(out, 'y', low[1], high[1]);
}

/* `panel`: its place among several. */
static void tex_axis(const drawing *d, const ripstop_plot *plot, size_t panel) {
  const ripstop_figure *figure = plot->figure;
  RIPSTOP_LOCAL_ARENA(arena);
  if (d->sheet->plots > 1)
    ripstop_text_add(d->out, "\\nextgroupplot[\n  axis lines=left,\n"),
        tex_key(d->out, "title", plot_panel_title(arena, plot, panel));
  else
    ripstop_text_add(d->out, "\\begin{axis}[\n  width=\\columnwidth, height=0.7\\columnwidth,\n  axis lines=left,\n");
  tex_key(d->out, "xlabel", figure->at ? plot_at_title(arena, plot) : plot->xlabel);
  tex_key(d->out, "ylabel", plot->ylabel);
  if (!plot->numeric && !figure->at) tex_words(d->out, plot);
  tex_logs(d->out, plot);
  if (!isnan(figure->ymin)) ripstop_text_add(d->out, "  ymin=%.10g,\n", figure->ymin);
  if (!isnan(figure->ymax)) ripstop_text_add(d->out, "  ymax=%.10g,\n", figure->ymax);
  if (plot_letters(plot->ylabel) > tex_style.title_letters)
    ripstop_text_add(d->out, "  ylabel style={align=center, text width=0.55\\columnwidth},\n");
  tex_legend(d, plot);
}

/* The points with a mark, with what it says in the legend. */
static void tex_mark(const drawing *d, const ripstop_plot *plot, const plot_mark *mark) {
  RIPSTOP_LOCAL_TEXT(legend);
  ripstop_text_add(d->out, "  \\addplot[only marks, black, mark=%s, mark size=3pt] coordinates {\n", mark->tikz);
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *p = &plot->curve[c].point[x];
      if (p->runs && mark->is(p) && !isnan(plot_place(plot, c, x)))
        ripstop_text_add(d->out, "    (%.10g,%.10g)\n", plot_place(plot, c, x), p->y.mean);
    }
  plot_print_legend(&legend, mark, plot_lost(plot));
  ripstop_text_add(d->out, "  };\n  \\addlegendentry{");
  tex(d->out, legend.data);
  ripstop_text_add(d->out, "}\n");
}

static void tex_marks(const drawing *d, const ripstop_plot *plot) {
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_draws(plot, mark)) tex_mark(d, plot, mark);
}

/* pgfplots gives entries of the legend to plots in their order: a curve without a name is left out of both. */
static void tex_curve(const drawing *d, const ripstop_plot *plot, size_t c) {
  static const char *const look[] = {"black, solid, mark=*",          "black!70, dashed, mark=square*",
                                     "black, dotted, mark=triangle*", "black!60, dashdotted, mark=diamond*",
                                     "black, densely dashed, mark=o", "black!70, solid, mark=square",
                                     "black, dashed, mark=triangle"};
  enum { LOOKS = sizeof look / sizeof *look };
  const bool words = !plot->numeric && !plot->figure->at;
  ripstop_text_add(d->out, "\\addplot[%s%s, mark size=1.4pt, mark options={solid},%s\n", words ? "only marks, " : "",
                   look[c % LOOKS], *plot->curve[c].label ? "" : " forget plot,");
  ripstop_text_add(d->out, "  error bars/.cd, y dir=both, y explicit] coordinates {\n");
  for (size_t x = 0; x < plot->xs; x++) {
    const ripstop_point *p = &plot->curve[c].point[x];
    if (!p->runs || isnan(plot_place(plot, c, x))) continue;
    ripstop_text_add(d->out, "  (%.10g,%.10g)", plot_place(plot, c, x), p->y.mean);
    if (plot_has_interval(p))
      ripstop_text_add(d->out, " += (0,%.10g) -= (0,%.10g)", p->y.high - p->y.mean, p->y.mean - plot_low(plot, p));
    ripstop_text_add(d->out, "\n");
  }
  ripstop_text_add(d->out, "};\n");
  if (!*plot->curve[c].label) return;
  ripstop_text_add(d->out, "\\addlegendentry{");
  tex(d->out, plot->curve[c].label);
  ripstop_text_add(d->out, "}\n");
}

static void tex_head(const drawing *d) {
  const plot_sheet *sheet = d->sheet;
  const bool group = sheet->plots > 1;
  ripstop_text_add(d->out, "%% %s\n%% made by ripstop %s; \\usepackage{pgfplots}%s draws it\n\\begin{tikzpicture}\n",
                   sheet->title, RIPSTOP_VERSION, group ? " \\usepgfplotslibrary{groupplots}" : "");
  if (group)
    ripstop_text_add(d->out,
                     "\\begin{groupplot}[\n  group style={group size=%zu by %zu, horizontal sep=1.6cm, vertical "
                     "sep=2.6cm},\n  width=%.2g\\textwidth, height=%.2g\\textwidth,\n]\n",
                     sheet->columns, (sheet->plots + sheet->columns - 1) / sheet->columns,
                     0.92 / (double)sheet->columns, 0.66 / (double)sheet->columns);
}

static int write_tikz(const drawing *d) {
  const plot_sheet *sheet = d->sheet;
  for (size_t i = 0; i < sheet->plots; i++)
    if (sheet->plot[i]->figure->kind == RIPSTOP_FIGURE_HEATMAP)
      return ripstop_fail(d->err, "a heatmap is drawn as svg, pdf or png");
  RIPSTOP_LOCAL_ARENA(arena);
  tex_head(d);
  for (size_t i = 0; i < sheet->plots; i++) {
    const ripstop_plot *plot = plot_drawn(arena, sheet->plot[i]);
    tex_axis(d, plot, i);
    for (size_t c = 0; c < plot->curves; c++) tex_curve(d, plot, c);
    tex_marks(d, plot);
    if (sheet->plots == 1) ripstop_text_add(d->out, "\\end{axis}\n");
  }
  ripstop_text_add(d->out, "%s\\end{tikzpicture}\n", sheet->plots > 1 ? "\\end{groupplot}\n" : "");
  return 0;
}

/* ------------------------------------------------------------------ the file */

static const struct format {
  const char *ending;
  int (*write)(const drawing *d);
} formats[] = {{"svg", draw_svg},   {"pdf", draw_pdf},  {"png", draw_png}, {"tikz", write_tikz},
               {"tex", write_tikz}, {"csv", write_csv}, {"gp", write_gp}};
enum { FORMATS = sizeof formats / sizeof *formats };

static const struct format *format_of(const char *path, ripstop_error *err) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  for (size_t i = 0; dot && i < FORMATS; i++)
    if (!strcmp(dot + 1, formats[i].ending)) return &formats[i];
  ripstop_fail(err, "%s: a figure's file ends with .svg, .pdf, .png, .tikz, .csv or .gp", path);
  return NULL;
}

/* A sheet of the figure or panels with that id; without plots if there is none. */
static plot_sheet find_sheet(ripstop_arena *arena, const ripstop_data *data, const char *id, int *line) {
  const ripstop_spec *spec = data->runs->spec;
  for (size_t i = 0; i < spec->panels; i++)
    if (!strcmp(spec->panel[i].id, id)) return *line = spec->panel[i].line, plot_panels(arena, data, &spec->panel[i]);
  for (size_t i = 0; i < spec->figures; i++) {
    if (strcmp(spec->figure[i].id, id) != 0) continue;
    const ripstop_plot **plot = RIPSTOP_NEW(arena, const ripstop_plot *);
    *plot = ripstop_plot_figure(arena, data, &spec->figure[i]);
    *line = spec->figure[i].line;
    plot_sheet sheet = plot_alone(plot);
    if (!plot_points(*plot)) sheet.plots = 0;
    return sheet;
  }
  return (plot_sheet){0};
}

static int fail_unknown(ripstop_arena *arena, const ripstop_spec *spec, const char *id, ripstop_error *err) {
  const char **words = RIPSTOP_ARRAY(arena, spec->figures + spec->panels + 1, const char *);
  for (size_t i = 0; i < spec->figures; i++) words[i] = spec->figure[i].id;
  for (size_t i = 0; i < spec->panels; i++) words[spec->figures + i] = spec->panel[i].id;
  const char *near = ripstop_nearest_word(id, words);
  if (near) return ripstop_fail(err, "%s: figure '%s' is unknown; did you mean '%s'?", spec->file, id, near);
  return ripstop_fail(err, "%s: figure '%s' is unknown; the first is '%s'", spec->file, id,
                      words[0] ? words[0] : "none");
}

static int write_figure(const plot_sheet *sheet, const struct format *format, const char *path, ripstop_error *err) {
  ripstop_output file;
  ripstop_text out = {0};
  if (ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_NEW, err)) return -1;
  const drawing d = {.sheet = sheet, .out = &out, .stream = file.stream, .err = err};
  int status = format->write(&d);
  if (out.length) fwrite(out.data, 1, out.length, file.stream);
  ripstop_text_free(&out);
  if (!status) return ripstop_output_end(&file, err);
  ripstop_output_drop(&file);
  return ripstop_fail_at(err, "figure '%s'", sheet->id);
}

int ripstop_report_figure(const ripstop_data *data, const char *id, const char *path, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const struct format *format = format_of(path, err);
  if (!format) return -1;
  ripstop_arena *arena = ripstop_arena_new();
  int line = 0;
  const plot_sheet sheet = find_sheet(arena, data, id, &line);
  int status = !sheet.id ? fail_unknown(arena, data->runs->spec, id, err)
               : sheet.plots
                   ? write_figure(&sheet, format, path, err)
                   : ripstop_fail(err, "%s:%d: figure '%s': no run gives a point", data->runs->spec->file, line, id);
  ripstop_arena_free(arena);
  return status;
}
