/* measure.c - counts while the engine runs.
 *
 * Every sum that the engine keeps is an integer, so that no result depends on the order of events within a cycle. */
#include "simulate/measure.h"
#include "ripstop/plugin/method.h"

#include <math.h>
#include <string.h>

#include "simulate/agents.h"
#include "simulate/core.h"
#include "simulate/pairs.h"
#include "simulate/run_result.h"
#include "simulate/shared_memory.h"
#include "simulate/transit.h"

enum { END_LINKS = 2 }; /* every route has them; they do not count as hops */

/* Sets of kinds that are reported. */
static const struct {
  const char *word;
  uint32_t kinds;
  bool only_affected; /* only with measure.affected */
} kind_groups[] = {{"undisturbed", 1 << KIND_UNDISTURBED | 1 << KIND_UNAFFECTED, false},
                   {"unaffected", 1 << KIND_UNAFFECTED, true},
                   {"affected", 1 << KIND_UNDISTURBED, true},
                   {"misrouted-up", 1 << RIPSTOP_MARK_UP, false},
                   {"misrouted-down", 1 << RIPSTOP_MARK_DOWN, false},
                   {"misrouted-both", 1 << (RIPSTOP_MARK_UP | RIPSTOP_MARK_DOWN), false}};
enum { KIND_GROUPS = sizeof kind_groups / sizeof *kind_groups, ALL_KINDS = (1 << KINDS) - 1 };

/* ------------------------------------------------------------------ before and during the run */

static uint32_t count_losses(const ripstop_method *method) {
  uint32_t count = 0;
  while (method->losses && method->losses[count]) count++;
  return count;
}

static uint32_t batch_end(const measure *m) {
  uint64_t next = m->present + 1u, batches = (uint64_t)m->config->batches, cycles = (uint64_t)m->config->cycles;
  return next == batches ? RIPSTOP_NONE : m->start + (uint32_t)((next * cycles + batches - 1) / batches);
}

static void start_measuring(run *r, uint32_t start) {
  r->end = start + (uint32_t)r->config->measure.cycles;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    r->part[i].measure.start = start;
    r->part[i].measure.end = r->end;
  }
  r->part->measure.batch_end = batch_end(&r->part->measure);
  if (!r->goods) return;
  r->goods->start = start;
  r->goods->end = r->end;
  r->goods->batch_end = batch_end(r->goods);
}

static void add_group_of(measure *m, ripstop_arena *arena, const char *prefix, uint32_t first_class, uint32_t classes,
                         uint32_t kinds) {
  size_t batches = (size_t)m->config->batches;
  value_group *g = &m->group[m->groups++];
  *g = (value_group){.prefix = prefix,
                     .tally = RIPSTOP_ARRAY(arena, (size_t)classes * KINDS, uint32_t),
                     .p50 = RIPSTOP_ARRAY(arena, batches, double),
                     .p99 = RIPSTOP_ARRAY(arena, batches, double)};
  if (!m->config->affected) kinds &= ~(1u << KIND_UNAFFECTED); /* no packet has this kind */
  for (uint32_t c = first_class; c < first_class + classes; c++)
    for (uint32_t k = 0; k < KINDS; k++)
      if (kinds >> k & 1) g->tally[g->tallies++] = c * KINDS + k;
}

/* Adds groups for all packets of some classes, and for each set of kinds. */
static void add_groups(measure *m, ripstop_arena *arena, const char *prefix, uint32_t first_class, uint32_t classes) {
  add_group_of(m, arena, prefix, first_class, classes, ALL_KINDS);
  for (uint32_t k = 0; k < KIND_GROUPS; k++)
    if (m->config->affected || !kind_groups[k].only_affected)
      add_group_of(m, arena, ripstop_arena_printf(arena, "%s%s.", prefix, kind_groups[k].word), first_class, classes,
                   kind_groups[k].kinds);
}

/* Groups of all classes together; with several classes also of each class. */
static void lay_groups(measure *m, ripstop_arena *arena) {
  m->group = RIPSTOP_ARRAY(arena, (size_t)(1 + m->classes) * (1 + KIND_GROUPS), value_group);
  add_groups(m, arena, "", 0, m->classes);
  for (uint32_t c = 0; c < m->classes && m->classes > 1; c++)
    add_groups(m, arena, ripstop_arena_printf(arena, "class%u.", c + 1), c, 1);
}

void measure_close_batch(measure *m) {
  for (uint32_t i = 0; i < m->groups; i++) {
    const value_group *g = &m->group[i];
    ripstop_histogram *sum = m->scratch;
    if (g->tallies == 1) {
      sum = m->tally[*g->tally].present;
    } else {
      ripstop_histogram_clear(sum);
      for (uint32_t k = 0; k < g->tallies; k++)
        if (m->tally[g->tally[k]].present->count) ripstop_histogram_merge(sum, m->tally[g->tally[k]].present);
    }
    g->p50[m->present] = ripstop_histogram_smooth_quantile(sum, 0.5);
    g->p99[m->present] = ripstop_histogram_smooth_quantile(sum, 0.99);
  }
  for (uint32_t kind = 0; kind < m->classes * KINDS; kind++) {
    tally *t = &m->tally[kind];
    if (t->present->count == 0) continue;
    ripstop_histogram_merge(t->histogram, t->present);
    ripstop_histogram_clear(t->present);
  }
  m->present++;
}

/* Adds what the other parts have counted since the last batch to the first part. */
static void gather_present(run *r) {
  measure *first = &r->part->measure;
  for (uint32_t i = 1; i < r->shape->parts; i++)
    for (uint32_t kind = 0; kind < first->classes * KINDS; kind++) {
      ripstop_histogram *present = r->part[i].measure.tally[kind].present;
      if (!present->count) continue;
      ripstop_histogram_merge(first->tally[kind].present, present);
      ripstop_histogram_clear(present);
    }
}

/* Called when the first part's batch ends. */
static void close_goods(measure *goods) {
  measure_close_batch(goods);
  goods->batch_end = batch_end(goods);
}

void measure_close_due(run *r) {
  measure *first = &r->part->measure;
  if (r->part->now < first->batch_end) return;
  gather_present(r);
  measure_close_batch(first);
  first->batch_end = batch_end(first);
  for (uint32_t i = 1; i < r->shape->parts; i++) r->part[i].measure.present = first->present;
  if (r->goods) close_goods(r->goods);
}

static void open_part(measure *m, run *r, uint32_t classes, bool automatic) {
  const ripstop_measure_config *config = &r->config->measure;
  size_t kinds = (size_t)classes * KINDS;
  *m = (measure){.config = config,
                 .classes = classes,
                 .ends = r->fabric->ends,
                 .automatic = automatic,
                 .start = RIPSTOP_NONE,
                 .end = RIPSTOP_NONE,
                 .batch_end = RIPSTOP_NONE};
  m->losses = count_losses(r->plan->method);
  m->tally = RIPSTOP_ARRAY(r->arena, kinds, tally);
  for (size_t i = 0; i < kinds; i++) {
    m->tally[i].histogram = RIPSTOP_NEW(r->arena, ripstop_histogram);
    m->tally[i].present = RIPSTOP_NEW(r->arena, ripstop_histogram);
  }
  m->scratch = RIPSTOP_NEW(r->arena, ripstop_histogram);
  m->class_sums = RIPSTOP_ARRAY(r->arena, classes, uint64_t);
  lay_groups(m, r->arena);
  m->batch = RIPSTOP_ARRAY(r->arena, kinds * (size_t)config->batches, batch);
  m->demand = RIPSTOP_ARRAY(r->arena, (size_t)config->batches, demand);
  m->lost_by = RIPSTOP_ARRAY(r->arena, RIPSTOP_LOST_METHOD + m->losses, uint64_t);
  if (config->window) {
    m->windows = (r->end - 1) / (size_t)config->window + 1;
    m->window = RIPSTOP_ARRAY(r->arena, m->windows, ripstop_window);
    m->window_latency = RIPSTOP_ARRAY(r->arena, m->windows, uint64_t);
  }
  m->settled = !m->automatic;
}

static void open_goods(run *r, bool automatic) {
  if (!agents_count(r)) return;
  r->goods = RIPSTOP_NEW(r->arena, measure);
  open_part(r->goods, r, 1, automatic);
}

void measure_open(run *r, uint32_t warmup) {
  bool automatic = warmup == RIPSTOP_NONE;
  for (uint32_t i = 0; i < r->shape->parts; i++) open_part(&r->part[i].measure, r, r->shape->classes, automatic);
  open_goods(r, automatic);
  outage_open(r);
  if (automatic)
    warmup_open(&r->part->measure.watch, r->arena, (uint64_t)r->config->measure.cycles);
  else
    start_measuring(r, warmup);
}

/* Counts a packet generated in a measured cycle. */
static void add_demand(measure *m, uint32_t generated_at, uint32_t flits) {
  uint64_t since = generated_at - m->start, batches = (uint64_t)m->config->batches;
  m->demand[since * batches / (uint64_t)m->config->cycles].generated_at += flits;
}

backlog measure_backlog(const run *r, uint32_t from, ripstop_window *window, size_t windows, measure *into) {
  backlog b = {0};
  uint64_t width = (uint64_t)r->config->measure.window;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) {
    if (!r->view->node_up[ripstop_end_switch(r->fabric, stream / r->shape->classes)]) continue;
    for (ripstop_source s = r->part->source[stream]; s.generated_at < r->part->now;
         next_generation(r->part, stream, &s)) {
      b.ungenerated++;
      if (windows && s.generated_at / width < windows) window[s.generated_at / width].generated++;
      if (s.generated_at < from) continue;
      b.packets++;
      b.flits += s.flits;
      if (into) add_demand(into, (uint32_t)s.generated_at, s.flits);
    }
  }
  return b;
}

uint64_t measure_waiting(const run *r) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) {
    const queue *q = &r->shape->queue[stream];
    count += is_waiting(q) && !head_of(r->part, q)->truncated && head_of(r->part, q)->hops == 0;
    count += r->part->transit_packets && transit_packets_hold_back(r->part, stream);
  }
  return count;
}

/* Called when the first measured cycle begins. */
void measure_begin(run *r) {
  measure *m = &r->part->measure;
  m->backlog_start = measure_waiting(r) + measure_backlog(r, r->part->now, NULL, 0, NULL).ungenerated;
  for (uint32_t port = 0; port < r->fabric->ports; port++) r->shape->output[port].flits = 0;
  memory_measure(r);
  if (r->goods) r->goods->backlog_start = agents_account(r).waiting;
}

void measure_warmup(run *r) {
  uint32_t now = r->part->now;
  uint64_t delivered = 0, inside = 0;
  if (now == 0 || now % WARMUP_BLOCK) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const measure *m = &r->part[i].measure;
    delivered += m->delivered;
    inside += m->injected - m->delivered - m->lost_underway; /* may wrap below zero for one part, but not for the sum */
  }
  measure *first = &r->part->measure;
  first->settled = warmup_add(&first->watch, delivered, inside);
  if (first->settled || now == WARMUP_LONGEST) start_measuring(r, now);
}

void measure_generated(measure *m, uint32_t generated_at, uint32_t flits) {
  m->generated++;
  if (m->window) m->window[generated_at / (uint32_t)m->config->window].generated++;
  if (generated_at < m->start) return; /* start is RIPSTOP_NONE during the warm-up */
  m->offered_packets++;
  m->offered_flits += flits;
  add_demand(m, generated_at, flits);
}

/* Errors and full memories do not end when a network recovers. */
static bool ends_with_outage(uint32_t cause) {
  return cause != RIPSTOP_LOST_ERRORS && cause != RIPSTOP_LOST_BUFFER && cause != RIPSTOP_LOST_TRIMMED;
}

void measure_lost(measure *m, uint32_t cycle, uint32_t cause, uint32_t flits) {
  m->lost++;
  m->lost_by[cause]++;
  if (ends_with_outage(cause)) outage_lost(&m->outage, cycle);
  if (m->window) m->window[cycle / (uint32_t)m->config->window].lost++;
  if (cycle >= m->start) m->demand[m->present].lost += flits;
}

static uint32_t kind_of(const measure *m, const packet *p) {
  if (!m->affected || p->marks) return p->marks;
  uint64_t pair = pair_bit(m->ends, m->routed_classes > 1 ? p->class_ : 0, p->source, p->destination);
  return m->affected[pair / 64] >> (pair % 64) & 1 ? KIND_UNDISTURBED : KIND_UNAFFECTED;
}

void measure_delivered(measure *m, const packet *p, uint32_t cycle) {
  uint64_t latency = cycle - p->generated_at, network = cycle - p->injected;
  m->delivered++;
  outage_delivered(&m->outage, p->destination, cycle);
  if (m->window) {
    ripstop_window *w = &m->window[cycle / (uint32_t)m->config->window];
    w->delivered++;
    w->delivered_flits += p->flits;
    m->window_latency[w - m->window] += latency;
  }
  if (cycle < m->start) return;
  uint32_t kind = p->class_ * KINDS + kind_of(m, p);
  tally *t = &m->tally[kind];
  m->class_sums[p->class_]++;
  t->sum.packets++;
  t->sum.flits += p->flits;
  t->sum.hops += p->hops - END_LINKS;
  t->sum.latency += latency;
  t->sum.network_latency += network;
  ripstop_histogram_add(t->present, latency);
  batch *b = &m->batch[kind * (uint64_t)m->config->batches + m->present];
  b->packets++;
  b->flits += p->flits;
  b->latency += latency;
  b->network_latency += network;
}
