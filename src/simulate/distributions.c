/* distributions.c - what one mean hides: quantiles of latency, of link use, and of what end nodes send and receive.
 *
 * The engine counts nothing for this: latencies have a histogram, and every output counts its flits. */
#include <math.h>
#include <stdlib.h>

#include "base/local.h"
#include "base/sort.h"
#include "simulate/core.h"
#include "simulate/values.h"

const ripstop_quantile ripstop_quantiles[] = {
    {"least", 0, false},      {"p1", 0.01, false},   {"p5", 0.05, false},      {"p10", 0.1, false},
    {"p20", 0.2, false},      {"p30", 0.3, false},   {"p40", 0.4, false},      {"p50", 0.5, true},
    {"p60", 0.6, false},      {"p70", 0.7, false},   {"p80", 0.8, false},      {"p90", 0.9, false},
    {"p95", 0.95, false},     {"p98", 0.98, false},  {"p99", 0.99, true},      {"p995", 0.995, false},
    {"p998", 0.998, false},   {"p999", 0.999, true}, {"p9995", 0.9995, false}, {"p9998", 0.9998, false},
    {"p9999", 0.9999, false}, {"max", 1, true},      {NULL, 0, false}};

/* With so few values none lies above the quantile. */
static bool is_beyond(const ripstop_quantile *q, double count) {
  return q->share < 1 && count - ceil(q->share * count) < 1;
}

void spread_latency(values *v, const char *prefix, const ripstop_histogram *latency) {
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++) {
    if (q->always || is_beyond(q, (double)latency->count)) continue;
    double value = q->share > 0 ? ripstop_histogram_quantile(latency, q->share) : (double)latency->min;
    values_add(v, ripstop_arena_printf(v->arena, "%slatency.%s", prefix, q->word), value, NAN);
  }
}

/* Quantiles by nearest rank. `usual_max`: the maximum is a value already. */
static void add_quantiles(values *v, const char *name, double *number, size_t count, bool usual_max) {
  if (!count) return;
  qsort(number, count, sizeof *number, ripstop_by_real);
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++) {
    if (is_beyond(q, (double)count) || (usual_max && q->share == 1)) continue;
    size_t rank = (size_t)ceil(q->share * (double)count);
    values_add(v, ripstop_arena_printf(v->arena, "%s.%s", name, q->word), number[rank ? rank - 1 : 0], NAN);
  }
}

/* Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC TR-301 (1984): 1 if all have the
 * same, 1/n if one has all. */
static double fairness(const double *number, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += number[i], squares += number[i] * number[i];
  return squares > 0 ? sum * sum / ((double)count * squares) : NAN;
}

static void add_service(values *v, const char *name, double *number, size_t count) {
  double fair = fairness(number, count);
  add_quantiles(v, name, number, count, false);
  if (!isnan(fair)) values_add(v, ripstop_arena_printf(v->arena, "%s.fairness", name), fair, NAN);
}

static double sent(const run *r, uint32_t port, double cycles) { return r->shape->output[port].flits / cycles; }

/* Rates of the end nodes that are up at the end of the run and sent or received something. */
static void add_ends(values *v, const run *r, double cycles, double *number) {
  const ripstop_fabric *f = r->fabric;
  for (int received = 0; received < 2; received++) {
    size_t count = 0;
    for (uint32_t end = 0; end < f->ends; end++) {
      const uint32_t port = f->port_base[end];
      if (port == f->port_base[end + 1] || !r->view->port_up[port]) continue;
      const double out = sent(r, port, cycles), in = sent(r, f->peer[port], cycles);
      if (out > 0 || in > 0) number[count++] = received ? in : out;
    }
    add_service(v, received ? "received" : "sent", number, count);
  }
}

static void add_channels(values *v, const run *r, double cycles) {
  const ripstop_fabric *f = r->fabric;
  char link_name[RIPSTOP_NAME_MAX], node_name[RIPSTOP_NAME_MAX];
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      ripstop_link_name(f, link, link_name);
      ripstop_node_name(f, ripstop_link_node(f, link, 1 - side), node_name);
      values_add(v, ripstop_arena_printf(v->arena, RIPSTOP_LINK_USE_OF, link_name, node_name),
                 sent(r, f->link_port[2 * (size_t)link + side], cycles), NAN);
    }
}

void spread_links(values *v, const run *r, double cycles) {
  const ripstop_fabric *f = r->fabric;
  if (r->config->measure.links) add_channels(v, r, cycles);
  if (!r->config->measure.spread) return;
  RIPSTOP_LOCAL_ARENA(scratch);
  size_t channels = 0, most = 2 * (size_t)(f->links - f->link_ends);
  double *number = RIPSTOP_ARRAY(scratch, (most > f->ends ? most : f->ends) + 1, double);
  for (size_t port = 2 * (size_t)f->link_ends; port < 2 * (size_t)f->links; port++)
    if (r->view->port_up[f->link_port[port]]) number[channels++] = sent(r, f->link_port[port], cycles);
  add_quantiles(v, "link-use", number, channels, true);
  add_ends(v, r, cycles, number);
}
