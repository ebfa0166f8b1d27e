/* measure.c - counting while the engine runs, and the values that come of it.
 *
 * Everything that is summed while the engine runs is an integer, so that no result depends on the order of events in a
 * cycle.
 *
 * Automatic warm-up: the cycles are cut into blocks of BLOCK cycles. The warm-up is over at the end of the first block,
 * from the 8th on, for which the last four blocks and the four before them agree in packets delivered (to 2 % and twice
 * the square root of their number) and in packets in the network (to 5 % and one packet), or after
 * MEASURE_LONGEST_WARMUP cycles.
 *
 * Saturated: while measured, the packets that wait in the sources grew by more than 2 % of the packets born and one a
 * source. */
#include "simulate/measure.h"
#include "ripstop/plugin/method.h"

#include <math.h>
#include <string.h>

#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/guests.h"
#include "simulate/pairs.h"
#include "simulate/reaction.h"

enum { BLOCK = 250, HALF = MEASURE_BLOCKS / 2 };
enum { END_LINKS = 2 }; /* of every way: they are no hops */

/* Groups of kinds that are reported, as sets. */
static const struct {
  const char *word;
  uint32_t kinds;
  bool asked; /* only with measure.affected */
} kind_groups[] = {{"undisturbed", 1 << KIND_UNDISTURBED | 1 << KIND_UNAFFECTED, false},
                   {"unaffected", 1 << KIND_UNAFFECTED, true},
                   {"affected", 1 << KIND_UNDISTURBED, true},
                   {"misrouted-up", 1 << RIPSTOP_MARK_UP, false},
                   {"misrouted-down", 1 << RIPSTOP_MARK_DOWN, false},
                   {"misrouted-both", 1 << (RIPSTOP_MARK_UP | RIPSTOP_MARK_DOWN), false}};
enum { KIND_GROUPS = sizeof kind_groups / sizeof *kind_groups, ALL_KINDS = (1 << KINDS) - 1 };

/* ------------------------------------------------------------------ before and while */

static uint32_t count_losses(const ripstop_method *method) {
  uint32_t count = 0;
  while (method->losses && method->losses[count]) count++;
  return count;
}

static void start_measuring(measure *m, run *r, uint32_t start) {
  m->start = start;
  m->end = start + (uint32_t)m->config->cycles;
  r->end = m->end;
}

static void add_group_of(measure *m, ripstop_arena *arena, const char *prefix, uint32_t first_class, uint32_t classes,
                         uint32_t kinds) {
  size_t batches = (size_t)m->config->batches;
  value_group *g = &m->group[m->groups++];
  *g = (value_group){.prefix = prefix,
                     .tally = RIPSTOP_ARRAY(arena, (size_t)classes * KINDS, uint32_t),
                     .p50 = RIPSTOP_ARRAY(arena, batches, double),
                     .p99 = RIPSTOP_ARRAY(arena, batches, double)};
  if (!m->config->affected) kinds &= ~(1u << KIND_UNAFFECTED); /* there are none: nothing to add up */
  for (uint32_t c = first_class; c < first_class + classes; c++)
    for (uint32_t k = 0; k < KINDS; k++)
      if (kinds >> k & 1) g->tally[g->tallies++] = c * KINDS + k;
}

/* All packets of some classes, and each kind of them. */
static void add_groups(measure *m, ripstop_arena *arena, const char *prefix, uint32_t first_class, uint32_t classes) {
  add_group_of(m, arena, prefix, first_class, classes, ALL_KINDS);
  for (uint32_t k = 0; k < KIND_GROUPS; k++)
    if (m->config->affected || !kind_groups[k].asked)
      add_group_of(m, arena, ripstop_arena_printf(arena, "%s%s.", prefix, kind_groups[k].word), first_class, classes,
                   kind_groups[k].kinds);
}

/* Of all classes together, and with several classes of each. */
static void lay_groups(measure *m, ripstop_arena *arena) {
  m->group = RIPSTOP_ARRAY(arena, (size_t)(1 + m->classes) * (1 + KIND_GROUPS), value_group);
  add_groups(m, arena, "", 0, m->classes);
  for (uint32_t c = 0; c < m->classes && m->classes > 1; c++)
    add_groups(m, arena, ripstop_arena_printf(arena, "class%u.", c + 1), c, 1);
}

/* The present batch is over: its quantiles are kept, its histograms added to the whole. */
static void close_batch(measure *m) {
  for (uint32_t i = 0; i < m->groups; i++) {
    const value_group *g = &m->group[i];
    ripstop_histogram *sum = m->scratch;
    if (g->tallies == 1) {
      sum = m->tally[*g->tally].present;
    } else {
      memset(sum, 0, sizeof *sum);
      for (uint32_t k = 0; k < g->tallies; k++)
        if (m->tally[g->tally[k]].present->count) ripstop_histogram_merge(sum, m->tally[g->tally[k]].present);
    }
    g->p50[m->present] = ripstop_histogram_quantile(sum, 0.5);
    g->p99[m->present] = ripstop_histogram_quantile(sum, 0.99);
  }
  for (uint32_t kind = 0; kind < m->classes * KINDS; kind++) {
    tally *t = &m->tally[kind];
    if (t->present->count == 0) continue;
    ripstop_histogram_merge(t->histogram, t->present);
    memset(t->present, 0, sizeof *t->present);
  }
  m->present++;
}

void measure_open(measure *m, run *r, uint32_t warmup) {
  const ripstop_measure_config *config = &r->config->measure;
  size_t kinds = (size_t)r->shape->classes * KINDS;
  *m = (measure){.config = config,
                 .classes = r->shape->classes,
                 .ends = r->fabric->ends,
                 .automatic = warmup == RIPSTOP_NONE,
                 .start = RIPSTOP_NONE,
                 .end = RIPSTOP_NONE};
  m->losses = count_losses(r->plan->method);
  m->tally = RIPSTOP_ARRAY(r->arena, kinds, tally);
  for (size_t i = 0; i < kinds; i++) {
    m->tally[i].histogram = RIPSTOP_NEW(r->arena, ripstop_histogram);
    m->tally[i].present = RIPSTOP_NEW(r->arena, ripstop_histogram);
  }
  m->scratch = RIPSTOP_NEW(r->arena, ripstop_histogram);
  m->class_sums = RIPSTOP_ARRAY(r->arena, r->shape->classes, uint64_t);
  lay_groups(m, r->arena);
  m->batch = RIPSTOP_ARRAY(r->arena, kinds * (size_t)config->batches, batch);
  m->lost_by = RIPSTOP_ARRAY(r->arena, RIPSTOP_LOST_METHOD + m->losses, uint64_t);
  m->link_flits = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint64_t);
  if (config->window) {
    m->windows = (r->end - 1) / (size_t)config->window + 1;
    m->window = RIPSTOP_ARRAY(r->arena, m->windows, ripstop_window);
    m->window_latency = RIPSTOP_ARRAY(r->arena, m->windows, uint64_t);
  }
  m->settled = !m->automatic;
  if (!m->automatic) start_measuring(m, r, warmup);
}

/* Packets born before `until` that no interface has taken; their flits if born from `from` on. */
static uint64_t count_unborn(const run *r, uint32_t from, uint32_t until, uint64_t *packets_from, uint64_t *flits_from,
                             measure *windows) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) {
    if (!r->view->node_up[ripstop_end_switch(r->fabric, stream / r->shape->classes)]) continue;
    for (ripstop_source s = r->part->source[stream]; s.born < until; next_birth(r->part, stream, &s)) {
      count++;
      if (windows && windows->window) windows->window[s.born / (uint64_t)windows->config->window].generated++;
      if (s.born < from) continue;
      ++*packets_from;
      *flits_from += s.flits;
    }
  }
  return count;
}

/* Packets that interfaces have taken from their sources and not sent; guests are none. */
static uint64_t in_interfaces(const run *r) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) {
    const queue *q = &r->shape->queue[stream];
    count += is_waiting(q) && !head_of(r->part, q)->truncated && head_of(r->part, q)->hops == 0;
    count += r->part->guests && guests_hold_back(r->part, stream);
  }
  return count;
}

/* The first measured cycle begins. */
void measure_begin(measure *m, run *r) {
  uint64_t packets = 0, flits = 0;
  m->backlog_start = in_interfaces(r) + count_unborn(r, r->part->now, r->part->now, &packets, &flits, NULL);
  memset(m->link_flits, 0, r->fabric->ports * sizeof *m->link_flits);
}

static bool agree(const uint64_t *block, double relative, double absolute, double noise) {
  double before = 0, after = 0;
  for (int i = 0; i < HALF; i++) {
    before += (double)block[i];
    after += (double)block[HALF + i];
  }
  return fabs(after - before) <= relative * after + noise * sqrt(after) + absolute * HALF;
}

void measure_warmup(measure *m, run *r) {
  if (r->part->now == 0 || r->part->now % BLOCK) return;
  memmove(m->block_delivered, m->block_delivered + 1, (MEASURE_BLOCKS - 1) * sizeof *m->block_delivered);
  memmove(m->block_filling, m->block_filling + 1, (MEASURE_BLOCKS - 1) * sizeof *m->block_filling);
  m->block_delivered[MEASURE_BLOCKS - 1] = m->delivered - m->delivered_before;
  m->block_filling[MEASURE_BLOCKS - 1] = m->injected - m->delivered - m->lost_underway;
  m->delivered_before = m->delivered;
  if (++m->blocks < MEASURE_BLOCKS) return;
  m->settled = agree(m->block_delivered, 0.02, 0, 2) && agree(m->block_filling, 0.05, 1, 0);
  if (m->settled || r->part->now >= MEASURE_LONGEST_WARMUP) start_measuring(m, r, r->part->now);
}

void measure_born(measure *m, uint32_t born, uint32_t flits) {
  m->generated++;
  if (m->window) m->window[born / (uint32_t)m->config->window].generated++;
  if (born < m->start) return; /* RIPSTOP_NONE while the warm-up lasts */
  m->offered_packets++;
  m->offered_flits += flits;
}

void measure_lost(measure *m, uint32_t cycle, uint32_t cause) {
  m->lost++;
  m->lost_by[cause]++;
  if (m->window) m->window[cycle / (uint32_t)m->config->window].lost++;
}

static uint32_t kind_of(const measure *m, const packet *p) {
  if (!m->affected || p->marks) return p->marks;
  uint64_t pair = pair_bit(m->ends, m->routed_classes > 1 ? p->class_ : 0, p->source, p->destination);
  return m->affected[pair / 64] >> (pair % 64) & 1 ? KIND_UNDISTURBED : KIND_UNAFFECTED;
}

void measure_delivered(measure *m, const packet *p, uint32_t cycle) {
  uint64_t latency = cycle - p->born, network = cycle - p->injected;
  m->delivered++;
  if (m->window) {
    ripstop_window *w = &m->window[cycle / (uint32_t)m->config->window];
    w->delivered++;
    w->delivered_flits += p->flits;
    m->window_latency[w - m->window] += latency;
  }
  if (cycle < m->start) return;
  uint32_t kind = p->class_ * KINDS + kind_of(m, p);
  uint64_t batches = (uint64_t)m->config->batches;
  tally *t = &m->tally[kind];
  m->class_sums[p->class_]++;
  t->packets++;
  t->flits += p->flits;
  t->hops += p->hops - END_LINKS;
  t->latency += latency;
  t->network_latency += network;
  uint32_t at = (uint32_t)((cycle - m->start) * batches / (uint64_t)m->config->cycles);
  while (m->present < at) close_batch(m);
  ripstop_histogram_add(t->present, latency);
  batch *b = &m->batch[kind * batches + at];
  b->packets++;
  b->flits += p->flits;
  b->latency += latency;
  b->network_latency += network;
}

/* ------------------------------------------------------------------ values */

typedef struct values {
  ripstop_arena *arena;
  ripstop_value *value;
  size_t count, room;
} values;

static void add(values *v, const char *name, const char *unit, double value, double half) {
  if (v->count == v->room) {
    ripstop_value *more = RIPSTOP_ARRAY(v->arena, v->room ? 2 * v->room : 64, ripstop_value);
    if (v->count) memcpy(more, v->value, v->count * sizeof *more);
    v->value = more;
    v->room = v->room ? 2 * v->room : 64;
  }
  v->value[v->count++] = (ripstop_value){.name = name, .unit = unit, .value = value, .half = half};
}

/* How far a run got: one that a deadlock cut short has fewer measured cycles and whole batches than were asked for. */
typedef struct extent {
  double cycles, node_cycles;
  size_t batches;
} extent;

static extent extent_of(const measure *m, const run *r) {
  double cycles = m->start == RIPSTOP_NONE || r->part->now <= m->start ? 1 : (double)(r->part->now - m->start);
  double share = m->start == RIPSTOP_NONE ? 0 : cycles / (double)m->config->cycles;
  return (extent){.cycles = cycles,
                  .node_cycles = cycles * (double)r->fabric->ends,
                  .batches = (size_t)(share * (double)m->config->batches)};
}

static double half_of(const double *mean, size_t count, const measure *m) {
  return count < 2 ? NAN : ripstop_mean_half_width(mean, count, m->config->confidence);
}

typedef enum { FLOW, LATENCY, NETWORK_LATENCY } batch_value;

static double batch_half(const measure *m, const run *r, const value_group *g, batch_value value, double *mean) {
  extent x = extent_of(m, r);
  size_t batches = (size_t)m->config->batches, used = 0;
  double cycles = (double)m->config->cycles / (double)batches;
  for (size_t b = 0; b < x.batches; b++) {
    batch sum = {0};
    for (uint32_t k = 0; k < g->tallies; k++) {
      const batch *one = &m->batch[g->tally[k] * batches + b];
      sum.packets += one->packets;
      sum.flits += one->flits;
      sum.latency += value == NETWORK_LATENCY ? one->network_latency : one->latency;
    }
    if (value == FLOW)
      mean[used++] = (double)sum.flits / cycles / (double)r->fabric->ends;
    else if (sum.packets)
      mean[used++] = (double)sum.latency / (double)sum.packets;
  }
  return half_of(mean, used, m);
}

static double quantile_half(const measure *m, const run *r, const double *quantile, double *mean) {
  size_t used = 0;
  for (size_t b = 0; b < extent_of(m, r).batches; b++)
    if (!isnan(quantile[b])) mean[used++] = quantile[b];
  return half_of(mean, used, m);
}

static void add_group(values *v, const measure *m, const run *r, const value_group *g) {
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_histogram *all = RIPSTOP_NEW(scratch, ripstop_histogram);
  double *mean = RIPSTOP_ARRAY(scratch, (size_t)m->config->batches, double);
  tally sum = {0};
  for (uint32_t k = 0; k < g->tallies; k++) {
    const tally *t = &m->tally[g->tally[k]];
    sum.packets += t->packets;
    sum.flits += t->flits;
    sum.hops += t->hops;
    sum.latency += t->latency;
    sum.network_latency += t->network_latency;
    ripstop_histogram_merge(all, t->histogram);
  }
  double packets = (double)sum.packets;
#define NAME(text) ripstop_arena_printf(v->arena, "%s%s", g->prefix, text)
  add(v, NAME("packets"), "packets", packets, NAN);
  add(v, NAME("accepted"), "flits/node/cycle", (double)sum.flits / extent_of(m, r).node_cycles,
      batch_half(m, r, g, FLOW, mean));
  if (sum.packets) {
    add(v, NAME("latency.mean"), "cycles", (double)sum.latency / packets, batch_half(m, r, g, LATENCY, mean));
    add(v, NAME("latency.p50"), "cycles", ripstop_histogram_quantile(all, 0.5), quantile_half(m, r, g->p50, mean));
    add(v, NAME("latency.p99"), "cycles", ripstop_histogram_quantile(all, 0.99), quantile_half(m, r, g->p99, mean));
    add(v, NAME("latency.max"), "cycles", (double)all->max, NAN);
    add(v, NAME("network-latency.mean"), "cycles", (double)sum.network_latency / packets,
        batch_half(m, r, g, NETWORK_LATENCY, mean));
    add(v, NAME("hops.mean"), "links", (double)sum.hops / packets, NAN);
  }
#undef NAME
  ripstop_arena_free(scratch);
}

static void add_losses(values *v, const measure *m, const run *r) {
  static const char *const parts[RIPSTOP_LOST_METHOD] = {
      [RIPSTOP_LOST_LINK] = "link died", [RIPSTOP_LOST_SWITCH] = "switch died", [RIPSTOP_LOST_DRAIN] = "drained"};
  double generated = m->generated ? (double)m->generated : 1;
  add(v, "lost", "packets", (double)m->lost, NAN);
  add(v, "lost.share", "1", (double)m->lost / generated, NAN);
  for (uint32_t i = 0; i < RIPSTOP_LOST_METHOD + m->losses; i++) {
    if (i == RIPSTOP_LOST_DRAIN && r->config->reaction.model == RIPSTOP_REACTION_DYNAMIC) continue;
    const char *cause = i < RIPSTOP_LOST_METHOD ? parts[i] : r->plan->method->losses[i - RIPSTOP_LOST_METHOD];
    add(v, ripstop_arena_printf(v->arena, "lost.%s", cause), "packets", (double)m->lost_by[i], NAN);
  }
}

static void add_links(values *v, const measure *m, const run *r) {
  const ripstop_fabric *f = r->fabric;
  double sum = 0, most = 0, cycles = extent_of(m, r).cycles;
  uint32_t channels = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      double flits = (double)m->link_flits[f->link_port[2 * link + side]];
      sum += flits;
      if (flits > most) most = flits;
      channels++;
    }
  add(v, "link-use.mean", "flits/cycle", channels ? sum / channels / cycles : 0, NAN);
  add(v, "link-use.max", "flits/cycle", most / cycles, NAN);
}

static void add_stops(values *v, const run *r) {
  const stop *s = r->stop;
  if (!s) return;
  add(v, "stops", "stops", (double)s->stops, NAN);
  add(v, "stops.deadlocked", "stops", (double)s->deadlocks, NAN);
  add(v, "stops.detecting", "cycles", (double)s->cycles[DETECTING], NAN);
  add(v, "stopped", "cycles", (double)(s->cycles[DRAINING] + s->cycles[COMPUTING] + s->cycles[RESUMING]), NAN);
  add(v, "stopped.draining", "cycles", (double)s->cycles[DRAINING], NAN);
  add(v, "stopped.computing", "cycles", (double)s->cycles[COMPUTING], NAN);
  add(v, "stopped.resuming", "cycles", (double)s->cycles[RESUMING], NAN);
}

/* ------------------------------------------------------------------ the end */

static void copy_windows(measure *m, const run *r, ripstop_result *out) {
  if (!m->window) return;
  out->windows = r->part->now ? (r->part->now - 1) / (size_t)m->config->window + 1 : 0;
  ripstop_window *copy = RIPSTOP_ARRAY(out->arena, out->windows + 1, ripstop_window);
  for (size_t i = 0; i < out->windows; i++) {
    ripstop_window *w = &copy[i];
    *w = m->window[i];
    w->cycle = i * (uint64_t)m->config->window;
    w->latency = w->delivered ? (double)m->window_latency[i] / (double)w->delivered : NAN;
  }
  out->window = copy;
}

static ripstop_verdict judge(const measure *m, const run *r, uint64_t waiting) {
  if (r->deadlocked) return RIPSTOP_DEADLOCKED;
  if (m->disconnected) return RIPSTOP_DISCONNECTED;
  double growth = (double)waiting - (double)m->backlog_start;
  return growth > 0.02 * (double)m->offered_packets + (double)r->fabric->ends ? RIPSTOP_SATURATED : RIPSTOP_STEADY;
}

static void add_messages(values *v, const run *r) {
  if (!r->control) return;
  const char *const *kinds = r->plan->method->proto->kinds;
  add(v, "control.messages", "messages", (double)control_sent(r), NAN);
  for (uint32_t k = 0; kinds && kinds[k]; k++)
    add(v, ripstop_arena_printf(v->arena, "control.%s", kinds[k]), "messages", (double)control_sent_of(r, k), NAN);
  uint64_t settling = control_settling(r);
  if (settling != UINT64_MAX) add(v, "control.settling", "cycles", (double)settling, NAN);
}

/* Every packet that was delivered is of one kind. */
static int check_kinds(const measure *m, ripstop_error *err) {
  for (uint32_t c = 0; c < m->classes; c++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < KINDS; k++) sum += m->tally[c * KINDS + k].packets;
    if (sum != m->class_sums[c])
      return ripstop_fail(err, "the kinds of packet do not balance: class %u delivered %llu packets, its kinds %llu",
                          c + 1, (unsigned long long)m->class_sums[c], (unsigned long long)sum);
  }
  return 0;
}

int measure_result(measure *m, run *r, ripstop_result *out, ripstop_error *err) {
  uint32_t from = m->start == RIPSTOP_NONE ? r->part->now : m->start;
  uint64_t unborn = count_unborn(r, from, r->part->now, &m->offered_packets, &m->offered_flits, m);
  uint64_t interfaces = in_interfaces(r), packets_held = r->part->packets - r->part->free_packets, truncated = 0;
  for (uint32_t i = 0; i < r->part->packets; i++) truncated += r->part->packet[i].truncated;
  for (uint32_t i = 0; i < r->part->free_packets; i++) truncated -= r->part->packet[r->part->free_packet[i]].truncated;
  out->account = (ripstop_account){.generated = m->generated + unborn,
                                   .delivered = m->delivered,
                                   .in_flight = packets_held - truncated - interfaces,
                                   .waiting = unborn + interfaces,
                                   .lost = m->lost};
  const ripstop_account *a = &out->account;
  if (a->generated != a->delivered + a->in_flight + a->waiting + a->lost)
    return ripstop_fail(
        err,
        "the packet account does not balance: %llu generated, %llu delivered, %llu in flight, %llu waiting, %llu lost",
        (unsigned long long)a->generated, (unsigned long long)a->delivered, (unsigned long long)a->in_flight,
        (unsigned long long)a->waiting, (unsigned long long)a->lost);
  if (check_kinds(m, err)) return -1;
  values v = {.arena = out->arena};
  while (m->present < (uint32_t)m->config->batches) close_batch(m);
  out->verdict = judge(m, r, a->waiting);
  add(&v, "offered", "flits/node/cycle", (double)m->offered_flits / extent_of(m, r).node_cycles, NAN);
  for (uint32_t i = 0; i < m->groups; i++) add_group(&v, m, r, &m->group[i]);
  add_losses(&v, m, r);
  add_links(&v, m, r);
  add_stops(&v, r);
  add_messages(&v, r);
  add(&v, "warmup", "cycles", (double)from, NAN);
  add(&v, "warmup.settled", "1", m->settled, NAN);
  copy_windows(m, r, out);
  out->value = v.value;
  out->values = v.count;
  out->hops = m->hops;
  return 0;
}
