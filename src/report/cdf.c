/* cdf.c - figures of the kinds cdf and ccdf: quantiles of what is spread, averaged over samples share by share.
 *
 * As a plot, which tables, CSV and claims are made from, x is the share and y the quantile: so much of all packets have
 * at most that latency. As a picture it lies on its side, as such functions are drawn: the quantile along the axis of
 * x, and up it the share, or with ccdf the share that is left above. */
#include <math.h>
#include <string.h>

#include "report/query.h"

bool plot_is_cdf(const ripstop_figure *figure) {
  return figure->kind == RIPSTOP_FIGURE_CDF || figure->kind == RIPSTOP_FIGURE_CCDF;
}

bool plot_is_of_keys(const ripstop_figure *figure) { return strcmp(figure->x, "cycle") != 0 && !plot_is_cdf(figure); }

bool plot_is_quantile(const ripstop_figure *figure, const char *value) {
  const size_t length = strlen(figure->y);
  if (!plot_is_cdf(figure) || strncmp(value, figure->y, length) != 0 || value[length] != '.') return false;
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++)
    if (!strcmp(value + length + 1, q->word)) return true;
  return false;
}

const char *plot_share_title(const ripstop_figure *figure) {
  const bool of_links = !strcmp(figure->y, "link-use"), of_packets = strstr(figure->y, "latency") != NULL;
  return of_packets ? "share of packets" : of_links ? "share of links" : "share of end nodes";
}

void query_shares(query *q) {
  ripstop_plot *plot = q->plot;
  while (ripstop_quantiles[plot->xs].word) plot->xs++;
  plot->x = RIPSTOP_ARRAY(q->arena, plot->xs, ripstop_x);
  for (size_t i = 0; i < plot->xs; i++) {
    const double share = ripstop_quantiles[i].share;
    const char *text = ripstop_arena_printf(q->arena, "%g", share);
    plot->x[i] = (ripstop_x){.text = text, .label = text, .at = share};
  }
}

void query_drop_shares(query *q) {
  ripstop_plot *plot = q->plot;
  size_t kept = 0;
  for (size_t x = 0; x < plot->xs; x++) {
    bool any = false;
    for (size_t c = 0; c < plot->curves; c++) any |= plot->curve[c].point[x].runs || plot->curve[c].point[x].left_out;
    if (!any) continue;
    for (size_t c = 0; c < plot->curves; c++) plot->curve[c].point[kept] = plot->curve[c].point[x];
    plot->x[kept++] = plot->x[x];
  }
  plot->xs = kept;
}

const char *query_quantile(const query *q, size_t x) {
  return ripstop_arena_printf(q->arena, "%s.%s", q->figure->y, ripstop_quantiles[x].word);
}

/* On its side. */
static ripstop_point lying(const ripstop_point *point, double share) {
  ripstop_point p = *point;
  p.at = point->y.mean, p.at_low = point->y.low, p.at_high = point->y.high;
  p.y = (ripstop_estimate){share, NAN, NAN};
  return p;
}

const ripstop_plot *plot_drawn(ripstop_arena *arena, const ripstop_plot *plot) {
  if (!plot_is_cdf(plot->figure)) return plot;
  ripstop_plot *drawn = RIPSTOP_NEW(arena, ripstop_plot);
  ripstop_figure *figure = RIPSTOP_NEW(arena, ripstop_figure);
  const bool above = plot->figure->kind == RIPSTOP_FIGURE_CCDF;
  *figure = *plot->figure, *drawn = *plot;
  drawn->ylabel = plot->xlabel;
  figure->at = plot->figure->y, figure->xlabel = plot->ylabel;
  if (above && !figure->ylabel) drawn->ylabel = ripstop_arena_printf(arena, "%s with more", plot->xlabel);
  drawn->figure = figure, drawn->at_unit = plot->unit;
  drawn->curve = RIPSTOP_ARRAY(arena, plot->curves + 1, ripstop_curve);
  for (size_t c = 0; c < plot->curves; c++) {
    drawn->curve[c] = plot->curve[c];
    drawn->curve[c].point = RIPSTOP_ARRAY(arena, plot->xs + 1, ripstop_point);
    double least = 0; /* a quantile is no less than one before it, whatever its own interval says */
    for (size_t x = 0; x < plot->xs; x++) {
      ripstop_point *point = &drawn->curve[c].point[x];
      *point = lying(&plot->curve[c].point[x], above ? 1 - plot->x[x].at : plot->x[x].at);
      if (point->at_low < least) point->at_low = least;
      if (point->at_low > least) least = point->at_low;
    }
  }
  return drawn;
}

/* The band between both ends of what the points stand at, up and down again: of a CDF. */
void plot_add_outline(ripstop_text *script, const ripstop_plot *plot, size_t c) {
  ripstop_text_add(script, "$h%zu << END\n", c);
  for (size_t i = 0; i < 2 * plot->xs; i++) {
    const ripstop_point *p = &plot->curve[c].point[i < plot->xs ? i : 2 * plot->xs - 1 - i];
    const double at = i < plot->xs ? p->at_low : p->at_high;
    if ((plot_log_x(plot) && at <= 0) || (plot_log_y(plot) && p->y.mean <= 0)) continue;
    if (p->runs && !isnan(at)) ripstop_text_add(script, "%.17g %.17g\n", at, p->y.mean);
  }
  ripstop_text_add(script, "END\n");
}

/* True if the CDF has an interval at every share. */
bool plot_has_outline(const ripstop_plot *plot, const plot_style *style, size_t c) {
  bool any = false;
  for (size_t x = 0; x < plot->xs; x++) {
    const ripstop_point *p = &plot->curve[c].point[x];
    if (p->runs && (p->one_set || !(p->at_low <= p->at_high) || isinf(p->at_high))) return false;
    any |= p->runs && p->at_low < p->at_high;
  }
  return any && plot_is_cdf(plot->figure) && !style->paper;
}
