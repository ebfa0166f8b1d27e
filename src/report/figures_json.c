/* figures_json.c - all figures and tables of an experiment as one JSON object, for other programs. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "report/json_values.h"
#include "report/judging.h"
#include "report/plot.h"
#include "report/proof_json.h"

static void add_number(json_t *to, const char *key, double number) {
  if (isfinite(number)) json_object_set_new(to, key, json_real(number));
}

/* Both ends are null then. */
static void add_why_none(json_t *to, const ripstop_point *point) {
  const char *why = plot_why_none(point);
  if (!*why) return;
  json_object_set_new(to, "low", json_null()), json_object_set_new(to, "high", json_null());
  json_object_set_new(to, "no_interval", json_string(why));
}

/* The key that rows have, or the keys. */
static json_t *x_json(const ripstop_figure *figure) {
  if (!figure->mores) return json_string(figure->x);
  json_t *keys = json_array();
  json_array_append_new(keys, json_string(figure->x));
  for (size_t i = 0; i < figure->mores; i++) json_array_append_new(keys, json_string(figure->more[i]));
  return keys;
}

/* A row of several keys: what each of them is there, as the canonical text. */
static json_t *row_json(const ripstop_figure *figure, const ripstop_x *x) {
  json_t *keys = json_object();
  for (size_t i = 0; i <= figure->mores; i++)
    json_object_set_new(keys, i ? figure->more[i - 1] : figure->x, ripstop_json_text(x->setting[i]));
  return keys;
}

static json_t *point_json(const ripstop_plot *plot, const ripstop_x *x, const ripstop_point *point) {
  json_t *out = json_object();
  json_object_set_new(out, "x", plot->numeric ? json_real(x->at) : ripstop_json_text(x->label));
  if (plot->figure->mores) json_object_set_new(out, "keys", row_json(plot->figure, x));
  add_number(out, "mean", point->y.mean);
  add_number(out, "low", point->y.low);
  add_number(out, "high", point->y.high);
  add_why_none(out, point);
  if (plot->figure->at) add_number(out, plot->figure->at, point->at);
  json_object_set_new(out, "runs", json_integer((json_int_t)point->runs));
  if (point->left_out) json_object_set_new(out, "left_out", json_integer((json_int_t)point->left_out));
  if (point->lost > 0) json_object_set_new(out, "lost_share", json_real(point->lost));
  if (point->one_set) json_object_set_new(out, "one_set", json_true());
  return out;
}

static json_t *curve_json(const ripstop_plot *plot, const ripstop_curve *curve) {
  json_t *keys = json_object(), *points = json_array();
  for (size_t i = 0; i < plot->figure->bys; i++)
    json_object_set_new(keys, plot->figure->by[i], ripstop_json_text(curve->setting[i]));
  for (size_t x = 0; x < plot->xs; x++)
    if (curve->point[x].runs || curve->point[x].left_out)
      json_array_append_new(points, point_json(plot, &plot->x[x], &curve->point[x]));
  return json_pack("{s:o, s:o, s:o}", "label", ripstop_json_text(curve->label), "keys", keys, "points", points);
}

static json_t *figure_json(const ripstop_data *data, const ripstop_figure *figure) {
  RIPSTOP_LOCAL_ARENA(arena);
  const ripstop_plot *plot = ripstop_plot_figure(arena, data, figure);
  json_t *curves = json_array();
  for (size_t c = 0; c < plot->curves; c++) json_array_append_new(curves, curve_json(plot, &plot->curve[c]));
  json_t *out = json_pack("{s:s, s:o, s:o, s:s, s:s, s:o}", "id", figure->id, "title", ripstop_json_text(figure->title),
                          "x", x_json(figure), "y", figure->y, "unit", plot->unit, "curves", curves);
  return out;
}

static json_t *verdicts_json(const ripstop_data *data) {
  json_t *out = json_object();
  for (size_t i = 0; i < data->runs->count; i++) {
    if (!data->outcome[i]) continue;
    const char *verdict = data->outcome[i]->verdict;
    json_object_set_new(out, verdict, json_integer(json_integer_value(json_object_get(out, verdict)) + 1));
  }
  return out;
}

int ripstop_report_json(const ripstop_data *data, const char *page, ripstop_text *out, ripstop_error *err) {
  ripstop_text_begin(out); /* it is the caller's */
  RIPSTOP_GUARD(err, -1);
  const ripstop_spec *spec = data->runs->spec;
  const size_t flags = JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12);
  json_t *figures = json_array();
  for (size_t i = 0; i < spec->figures; i++) json_array_append_new(figures, figure_json(data, &spec->figure[i]));
  json_t *all = json_pack("{s:o, s:o, s:o, s:I, s:o, s:o}", "page", ripstop_json_text(page), "experiment",
                          ripstop_json_text(spec->file), "title", ripstop_json_text(spec->title), "runs",
                          (json_int_t)data->runs->count, "verdicts", verdicts_json(data), "figures", figures);
  const int bad = all ? json_dump_callback(all, ripstop_json_add, out, flags) : -1;
  json_decref(all);
  if (bad) return ripstop_fail(err, "%s cannot be written as JSON", spec->file);
  ripstop_text_add(out, "\n");
  return 0;
}
