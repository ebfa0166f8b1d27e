/* svg.c - a figure as SVG, drawn by the program gnuplot.
 *
 * gnuplot reads a script of our making (script.c), and its answer is cut down to the <svg> element, whose parts get
 * names that say what they are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "draw/escape.h"
#include "draw/tool.h"
#include "report/plot.h"

/* The name of this number, from 1, of a panel, from 0. */
static void escape_name(ripstop_text *out, const ripstop_text *names, unsigned panel, unsigned long number) {
  const char *at = names->data ? names->data : "";
  for (; panel && *at; panel--) at += strcspn(at, PLOT_NEXT_PANEL), at += strspn(at, PLOT_NEXT_PANEL);
  while (number > 1 && *at) number--, at += strcspn(at, "\n"), at += *at == '\n';
  RIPSTOP_LOCAL_TEXT(line);
  ripstop_text_add(&line, "%.*s", (int)strcspn(at, "\n"), at);
  draw_escape(out, line.data);
}

static void describe_plot(ripstop_text *out, const ripstop_plot *plot) {
  RIPSTOP_LOCAL_ARENA(arena);
  plot = plot_drawn(arena, plot);
  draw_escape(out, plot->ylabel);
  ripstop_text_add(out, " against ");
  draw_escape(out, plot->figure->at ? plot_at_title(arena, plot) : plot->xlabel);
  ripstop_text_add(out, ", %zu %s; ", plot->curves, plot->figure->kind == RIPSTOP_FIGURE_HEATMAP ? "rows" : "curves");
}

/* The text alternative of the whole picture. */
static void describe(ripstop_text *out, const plot_sheet *sheet) {
  ripstop_text_add(out, "<title>");
  draw_escape(out, sheet->title);
  ripstop_text_add(out, "</title>\n<desc>");
  for (size_t i = 0; i < sheet->plots; i++) describe_plot(out, sheet->plot[i]);
  ripstop_text_add(out, "the numbers are in the table of %s</desc>", sheet->plots > 1 ? "each figure." : "the figure.");
}

/* gnuplot calls things by the same names in every picture. What stands in the place of one at `at`, which moves on;
 * false: there is none here. */
static bool rename_one(const char **at, const plot_sheet *sheet, const ripstop_text *names, ripstop_text *out) {
  static const char whole[] = "<title>Gnuplot</title>", part[] = "<title>gnuplot_plot_", desc[] = "</desc>";
  if (!strncmp(*at, "gpPt", 4) || !strncmp(*at, "gpDot", 5) || !strncmp(*at, "gnuplot_", 8)) {
    ripstop_text_add(out, "%s-%.2s", sheet->id, *at);
    *at += 2;
  } else if (!strncmp(*at, whole, strlen(whole))) {
    const char *end = strstr(*at, desc);
    describe(out, sheet);
    *at = end ? end + strlen(desc) : *at + strlen(whole);
  } else if (!strncmp(*at, part, strlen(part))) {
    char *end;
    ripstop_text_add(out, "<title>");
    const unsigned long number = strtoul(*at + strlen(part), &end, 10);
    const bool lettered = *end >= 'a' && *end <= 'z'; /* which panel */
    escape_name(out, names, lettered ? (unsigned)(*end - 'a') : 0, number);
    *at = end + lettered;
  } else {
    return false;
  }
  return true;
}

/* Only the element, under names of its own. */
static int keep_element(const ripstop_text *picture, const plot_sheet *sheet, const ripstop_text *names,
                        ripstop_text *out, ripstop_error *err) {
  const char *from = picture->data ? strstr(picture->data, "<svg") : NULL, *end = from ? strstr(from, "</svg>") : NULL;
  if (!end) return ripstop_fail(err, "gnuplot drew nothing");
  end += strlen("</svg>");
  ripstop_text_add(out, "<svg role=\"img\"");
  for (from += strlen("<svg"); from < end;) {
    if ((*from == 'g' || *from == '<') && rename_one(&from, sheet, names, out)) continue;
    ripstop_text_add_bytes(out, from++, 1);
  }
  return 0;
}

int plot_gnuplot(const ripstop_text *script, ripstop_text *drawn, ripstop_error *err) {
  static char name[] = "gnuplot", silent[] = "-d"; /* -d: no start-up files of the user */
  static char *const argument[] = {name, silent, NULL};
  return tool_run(argument, "gnuplot-nox", script, drawn, err);
}

int plot_svg(const plot_sheet *sheet, const plot_style *style, ripstop_text *out, ripstop_error *err) {
  ripstop_text script = {0}, names = {0}, drawn = {0};
  plot_script(&script, sheet, style, &names);
  int status = plot_gnuplot(&script, &drawn, err);
  if (!status) status = keep_element(&drawn, sheet, &names, out, err);
  ripstop_text_free(&script);
  ripstop_text_free(&names);
  ripstop_text_free(&drawn);
  return status;
}
