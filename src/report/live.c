/* live.c - the input of the page's script for a figure (live.js): the points of the drawing and of the table, in the
 * same words. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "report/json_values.h"
#include "report/plot.h"

enum { IDS_MAX = 8 }; /* named runs of a point, at most */

/* The first of the runs, each with what was measured. Every window of a series has the same ones. */
static json_t *ids_json(const ripstop_plot *plot, const ripstop_point *point) {
  json_t *ids = json_array();
  bool told = point->of && point->sample && !plot->window;
  for (size_t i = 0; told && i < point->runs && i < IDS_MAX; i++)
    json_array_append_new(ids, json_pack("[s, o]", point->of[i]->id, ripstop_json_number(point->sample[i])));
  return ids;
}

/* The signs that stand beside the point. */
static void add_signs(ripstop_text *out, const ripstop_plot *plot, const ripstop_point *point) {
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (mark->is(point) && plot_draws(plot, mark)) ripstop_text_add(out, "%s", mark->sign);
}

static json_t *point_json(const ripstop_plot *plot, size_t c, size_t x) {
  const ripstop_point *point = &plot->curve[c].point[x];
  bool interval = plot_has_interval(point);
  ripstop_text text = {0}, signs = {0};
  plot_print_point(&text, point);
  add_signs(&signs, plot, point);
  json_t *out = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "at", ripstop_json_number(plot_place(plot, c, x)), "mean",
      ripstop_json_number(point->y.mean), "low", ripstop_json_number(interval ? plot_low(plot, point) : NAN), "high",
      ripstop_json_number(interval ? point->y.high : NAN), "text", ripstop_json_text(text.data ? text.data : ""),
      "runs", (json_int_t)point->runs, "ids", ids_json(plot, point));
  if (signs.length) json_object_set_new(out, "signs", ripstop_json_text(signs.data));
  ripstop_text_free(&text);
  ripstop_text_free(&signs);
  return out;
}

static json_t *curve_json(const ripstop_plot *plot, size_t c) {
  json_t *points = json_array();
  for (size_t x = 0; x < plot->xs; x++)
    if (plot->curve[c].point[x].runs && isfinite(plot_place(plot, c, x)))
      json_array_append_new(points, point_json(plot, c, x));
  const char *label = *plot->curve[c].label ? plot->curve[c].label : plot->ylabel;
  return json_pack("{s:o, s:s, s:s, s:o}", "name", ripstop_json_text(label), "colour", plot_colour(c), "dash",
                   plot_is_dashed(c) ? "7 4" : "none", "points", points);
}

static json_t *x_json(const ripstop_plot *plot, const char *title) {
  json_t *words = plot->numeric || plot->figure->at ? json_null() : json_array(), *changes = json_array();
  for (size_t x = 0; json_is_array(words) && x < plot->xs; x++)
    json_array_append_new(words, ripstop_json_text(plot->x[x].label));
  for (size_t i = 0; i < plot->marks; i++)
    json_array_append_new(changes,
                          json_pack("[I, s]", (json_int_t)plot->mark[i].cycle, plot_change_word(&plot->mark[i])));
  return json_pack("{s:o, s:o, s:o, s:b}", "title", ripstop_json_text(title), "words", words, "changes", changes, "log",
                   plot_log_x(plot));
}

static json_t *y_json(const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  return json_pack("{s:o, s:o, s:o, s:b}", "title", ripstop_json_text(plot->ylabel), "min",
                   ripstop_json_number(figure->ymin), "max", ripstop_json_number(figure->ymax), "log",
                   plot_log_y(plot));
}

static json_t *figure_json(const ripstop_plot *plot, const char *at_title) {
  json_t *curves = json_array();
  for (size_t c = 0; c < plot->curves; c++) json_array_append_new(curves, curve_json(plot, c));
  return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "title", ripstop_json_text(plot->figure->title), "x",
                   x_json(plot, at_title), "y", y_json(plot), "lines", plot->numeric || plot->figure->at, "bands",
                   plot_has_bands(plot), "curves", curves);
}

/* No text within a script may look like the end of one. */
static int add_escaped(const char *bytes, size_t length, void *to) {
  for (size_t i = 0; i < length; i++)
    if (bytes[i] == '<')
      ripstop_text_add(to, "\\u003c");
    else
      ripstop_text_add_bytes(to, bytes + i, 1);
  return 0;
}

void plot_live(ripstop_text *out, const ripstop_plot *plot) {
  RIPSTOP_LOCAL_ARENA(arena);
  plot = plot_drawn(arena, plot);
  json_t *all = figure_json(plot, plot->figure->at ? plot_at_title(arena, plot) : plot->xlabel);
  ripstop_text_add(out, "<script type=\"application/json\">");
  json_dump_callback(all, add_escaped, out, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7));
  ripstop_text_add(out, "</script>\n");
  json_decref(all);
}
