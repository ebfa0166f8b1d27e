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

#include <math.h>
#include <string.h>

#include "simulate/control.h"
#include "simulate/state.h"

enum { BLOCK = 250, HALF = MEASURE_BLOCKS / 2 };
enum { END_LINKS = 2 }; /* of every way: they are no hops */

static const char *const kind_words[MARK_KINDS] = {"undisturbed", "misrouted-up", "misrouted-down", "misrouted-both"};

/* ------------------------------------------------------------------ before and while */

static uint32_t count_losses(const rs_method *method) {
  uint32_t count = 0;
  while (method->losses && method->losses[count]) count++;
  return count;
}

static void start_measuring(measure *m, engine *e, uint32_t start) {
  m->start = start;
  m->end = start + (uint32_t)m->config->cycles;
  e->end = m->end;
}

static void add_to_groups(measure *m, rs_arena *arena, const char *prefix, uint32_t first, uint32_t last,
                          uint32_t step) {
  size_t batches = (size_t)m->config->batches;
  m->group[m->groups++] = (value_group){.prefix = rs_arena_text(arena, prefix),
                                        .first = first,
                                        .last = last,
                                        .step = step,
                                        .p50 = RS_ARRAY(arena, batches, double),
                                        .p99 = RS_ARRAY(arena, batches, double)};
}

/* All packets; each kind; with several classes each class and each kind of it. */
static void lay_groups(measure *m, rs_arena *arena) {
  uint32_t kinds = m->classes * MARK_KINDS;
  char prefix[64];
  m->group = RS_ARRAY(arena, 1 + MARK_KINDS + m->classes + kinds, value_group);
  add_to_groups(m, arena, "", 0, kinds, 1);
  for (uint32_t k = 0; k < MARK_KINDS; k++) {
    snprintf(prefix, sizeof prefix, "%s.", kind_words[k]);
    add_to_groups(m, arena, prefix, k, kinds, MARK_KINDS);
  }
  for (uint32_t c = 0; c < m->classes && m->classes > 1; c++) {
    snprintf(prefix, sizeof prefix, "class%u.", c + 1);
    add_to_groups(m, arena, prefix, c * MARK_KINDS, (c + 1) * MARK_KINDS, 1);
    for (uint32_t k = 0; k < MARK_KINDS; k++) {
      snprintf(prefix, sizeof prefix, "class%u.%s.", c + 1, kind_words[k]);
      add_to_groups(m, arena, prefix, c * MARK_KINDS + k, c * MARK_KINDS + k + 1, 1);
    }
  }
}

/* The present batch is over: its quantiles are kept, its histograms added to the whole. */
static void close_batch(measure *m) {
  for (uint32_t i = 0; i < m->groups; i++) {
    const value_group *g = &m->group[i];
    rs_histogram *sum = m->scratch;
    if (g->first + g->step >= g->last) {
      sum = m->tally[g->first].present;
    } else {
      memset(sum, 0, sizeof *sum);
      for (uint32_t kind = g->first; kind < g->last; kind += g->step)
        if (m->tally[kind].present->count) rs_histogram_merge(sum, m->tally[kind].present);
    }
    g->p50[m->present] = rs_histogram_quantile(sum, 0.5);
    g->p99[m->present] = rs_histogram_quantile(sum, 0.99);
  }
  for (uint32_t kind = 0; kind < m->classes * MARK_KINDS; kind++) {
    tally *t = &m->tally[kind];
    if (t->present->count == 0) continue;
    rs_histogram_merge(t->histogram, t->present);
    memset(t->present, 0, sizeof *t->present);
  }
  m->present++;
}

void measure_open(measure *m, engine *e, uint32_t warmup) {
  const rs_measure_config *config = &e->config->measure;
  size_t kinds = (size_t)e->classes * MARK_KINDS;
  *m = (measure){
      .config = config, .classes = e->classes, .automatic = warmup == RS_NONE, .start = RS_NONE, .end = RS_NONE};
  m->losses = count_losses(e->plan->method);
  m->tally = RS_ARRAY(e->arena, kinds, tally);
  for (size_t i = 0; i < kinds; i++) {
    m->tally[i].histogram = RS_NEW(e->arena, rs_histogram);
    m->tally[i].present = RS_NEW(e->arena, rs_histogram);
  }
  m->scratch = RS_NEW(e->arena, rs_histogram);
  lay_groups(m, e->arena);
  m->batch = RS_ARRAY(e->arena, kinds * (size_t)config->batches, batch);
  m->lost_by = RS_ARRAY(e->arena, RS_LOST_METHOD + m->losses, uint64_t);
  m->link_flits = RS_ARRAY(e->arena, e->fabric->ports, uint64_t);
  if (config->window) {
    m->windows = (e->end - 1) / (size_t)config->window + 1;
    m->window = RS_ARRAY(e->arena, m->windows, rs_window);
    m->window_latency = RS_ARRAY(e->arena, m->windows, uint64_t);
  }
  m->settled = !m->automatic;
  if (!m->automatic) start_measuring(m, e, warmup);
}

/* Packets born before `until` that no interface has taken; their flits if born from `from` on. */
static uint64_t count_unborn(const engine *e, uint32_t from, uint32_t until, uint64_t *packets_from,
                             uint64_t *flits_from, measure *windows) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < e->streams; stream++) {
    if (!e->view->node_up[rs_end_switch(e->fabric, stream / e->classes)]) continue;
    for (rs_source s = e->source[stream]; s.born < until; next_birth(e, stream, &s)) {
      count++;
      if (windows && windows->window) windows->window[s.born / (uint64_t)windows->config->window].generated++;
      if (s.born < from) continue;
      ++*packets_from;
      *flits_from += s.flits;
    }
  }
  return count;
}

static uint64_t in_interfaces(const engine *e) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < e->streams; stream++)
    count += is_waiting(&e->queue[stream]) && !head_of(e, &e->queue[stream])->truncated;
  return count;
}

/* The first measured cycle begins. */
void measure_begin(measure *m, engine *e) {
  uint64_t packets = 0, flits = 0;
  m->backlog_start = in_interfaces(e) + count_unborn(e, e->now, e->now, &packets, &flits, NULL);
  memset(m->link_flits, 0, e->fabric->ports * sizeof *m->link_flits);
}

static bool agree(const uint64_t *block, double relative, double absolute, double noise) {
  double before = 0, after = 0;
  for (int i = 0; i < HALF; i++) {
    before += (double)block[i];
    after += (double)block[HALF + i];
  }
  return fabs(after - before) <= relative * after + noise * sqrt(after) + absolute * HALF;
}

void measure_warmup(measure *m, engine *e) {
  if (e->now == 0 || e->now % BLOCK) return;
  memmove(m->block_delivered, m->block_delivered + 1, (MEASURE_BLOCKS - 1) * sizeof *m->block_delivered);
  memmove(m->block_filling, m->block_filling + 1, (MEASURE_BLOCKS - 1) * sizeof *m->block_filling);
  m->block_delivered[MEASURE_BLOCKS - 1] = m->delivered - m->delivered_before;
  m->block_filling[MEASURE_BLOCKS - 1] = m->injected - m->delivered - m->lost_underway;
  m->delivered_before = m->delivered;
  if (++m->blocks < MEASURE_BLOCKS) return;
  m->settled = agree(m->block_delivered, 0.02, 0, 2) && agree(m->block_filling, 0.05, 1, 0);
  if (m->settled || e->now >= MEASURE_LONGEST_WARMUP) start_measuring(m, e, e->now);
}

void measure_born(measure *m, uint32_t born, uint32_t flits) {
  m->generated++;
  if (m->window) m->window[born / (uint32_t)m->config->window].generated++;
  if (born < m->start) return; /* RS_NONE while the warm-up lasts */
  m->offered_packets++;
  m->offered_flits += flits;
}

void measure_lost(measure *m, uint32_t cycle, uint32_t cause) {
  m->lost++;
  m->lost_by[cause]++;
  if (m->window) m->window[cycle / (uint32_t)m->config->window].lost++;
}

void measure_delivered(measure *m, const packet *p, uint32_t cycle) {
  uint64_t latency = cycle - p->born, network = cycle - p->injected;
  m->delivered++;
  if (m->window) {
    rs_window *w = &m->window[cycle / (uint32_t)m->config->window];
    w->delivered++;
    w->delivered_flits += p->flits;
    m->window_latency[w - m->window] += latency;
  }
  if (cycle < m->start) return;
  uint32_t kind = p->class_ * MARK_KINDS + p->marks;
  uint64_t batches = (uint64_t)m->config->batches;
  tally *t = &m->tally[kind];
  t->packets++;
  t->flits += p->flits;
  t->hops += p->hops - END_LINKS;
  t->latency += latency;
  t->network_latency += network;
  uint32_t at = (uint32_t)((cycle - m->start) * batches / (uint64_t)m->config->cycles);
  while (m->present < at) close_batch(m);
  rs_histogram_add(t->present, latency);
  batch *b = &m->batch[kind * batches + at];
  b->packets++;
  b->flits += p->flits;
  b->latency += latency;
  b->network_latency += network;
}

/* ------------------------------------------------------------------ values */

typedef struct values {
  rs_arena *arena;
  rs_value *value;
  size_t count, room;
} values;

static void add(values *v, const char *name, const char *unit, double value, double half) {
  if (v->count == v->room) {
    rs_value *more = RS_ARRAY(v->arena, v->room ? 2 * v->room : 64, rs_value);
    if (v->count) memcpy(more, v->value, v->count * sizeof *more);
    v->value = more;
    v->room = v->room ? 2 * v->room : 64;
  }
  v->value[v->count++] = (rs_value){.name = name, .unit = unit, .value = value, .half = half};
}

/* How far a run got: one that a deadlock cut short has fewer measured cycles and whole batches than were asked for. */
typedef struct extent {
  double cycles, node_cycles;
  size_t batches;
} extent;

static extent extent_of(const measure *m, const engine *e) {
  double cycles = m->start == RS_NONE || e->now <= m->start ? 1 : (double)(e->now - m->start);
  double share = m->start == RS_NONE ? 0 : cycles / (double)m->config->cycles;
  return (extent){.cycles = cycles,
                  .node_cycles = cycles * (double)e->fabric->ends,
                  .batches = (size_t)(share * (double)m->config->batches)};
}

static double half_of(const double *mean, size_t count, const measure *m) {
  return count < 2 ? NAN : rs_mean_half_width(mean, count, m->config->confidence);
}

typedef enum { FLOW, LATENCY, NETWORK_LATENCY } batch_value;

static double batch_half(const measure *m, const engine *e, const value_group *g, batch_value value, double *mean) {
  extent x = extent_of(m, e);
  size_t batches = (size_t)m->config->batches, used = 0;
  double cycles = (double)m->config->cycles / (double)batches;
  for (size_t b = 0; b < x.batches; b++) {
    batch sum = {0};
    for (uint32_t kind = g->first; kind < g->last; kind += g->step) {
      const batch *one = &m->batch[kind * batches + b];
      sum.packets += one->packets;
      sum.flits += one->flits;
      sum.latency += value == NETWORK_LATENCY ? one->network_latency : one->latency;
    }
    if (value == FLOW)
      mean[used++] = (double)sum.flits / cycles / (double)e->fabric->ends;
    else if (sum.packets)
      mean[used++] = (double)sum.latency / (double)sum.packets;
  }
  return half_of(mean, used, m);
}

static double quantile_half(const measure *m, const engine *e, const double *quantile, double *mean) {
  size_t used = 0;
  for (size_t b = 0; b < extent_of(m, e).batches; b++)
    if (!isnan(quantile[b])) mean[used++] = quantile[b];
  return half_of(mean, used, m);
}

static void add_group(values *v, const measure *m, const engine *e, const value_group *g) {
  rs_arena *scratch = rs_arena_new();
  rs_histogram *all = RS_NEW(scratch, rs_histogram);
  double *mean = RS_ARRAY(scratch, (size_t)m->config->batches, double);
  tally sum = {0};
  for (uint32_t kind = g->first; kind < g->last; kind += g->step) {
    const tally *t = &m->tally[kind];
    sum.packets += t->packets;
    sum.flits += t->flits;
    sum.hops += t->hops;
    sum.latency += t->latency;
    sum.network_latency += t->network_latency;
    rs_histogram_merge(all, t->histogram);
  }
  double packets = (double)sum.packets;
#define NAME(text) rs_arena_printf(v->arena, "%s%s", g->prefix, text)
  add(v, NAME("packets"), "packets", packets, NAN);
  add(v, NAME("accepted"), "flits/node/cycle", (double)sum.flits / extent_of(m, e).node_cycles,
      batch_half(m, e, g, FLOW, mean));
  if (sum.packets) {
    add(v, NAME("latency.mean"), "cycles", (double)sum.latency / packets, batch_half(m, e, g, LATENCY, mean));
    add(v, NAME("latency.p50"), "cycles", rs_histogram_quantile(all, 0.5), quantile_half(m, e, g->p50, mean));
    add(v, NAME("latency.p99"), "cycles", rs_histogram_quantile(all, 0.99), quantile_half(m, e, g->p99, mean));
    add(v, NAME("latency.max"), "cycles", (double)all->max, NAN);
    add(v, NAME("network-latency.mean"), "cycles", (double)sum.network_latency / packets,
        batch_half(m, e, g, NETWORK_LATENCY, mean));
    add(v, NAME("hops.mean"), "links", (double)sum.hops / packets, NAN);
  }
#undef NAME
  rs_arena_free(scratch);
}

static void add_losses(values *v, const measure *m, const engine *e) {
  static const char *const parts[RS_LOST_METHOD] = {[RS_LOST_LINK] = "link died", [RS_LOST_SWITCH] = "switch died"};
  double generated = m->generated ? (double)m->generated : 1;
  add(v, "lost", "packets", (double)m->lost, NAN);
  add(v, "lost.share", "1", (double)m->lost / generated, NAN);
  for (uint32_t i = 0; i < RS_LOST_METHOD + m->losses; i++) {
    const char *cause = i < RS_LOST_METHOD ? parts[i] : e->plan->method->losses[i - RS_LOST_METHOD];
    add(v, rs_arena_printf(v->arena, "lost.%s", cause), "packets", (double)m->lost_by[i], NAN);
  }
}

static void add_links(values *v, const measure *m, const engine *e) {
  const rs_fabric *f = e->fabric;
  double sum = 0, most = 0, cycles = extent_of(m, e).cycles;
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

/* ------------------------------------------------------------------ the end */

static void copy_windows(measure *m, const engine *e, rs_result *out) {
  if (!m->window) return;
  size_t windows = e->now ? (e->now - 1) / (size_t)m->config->window + 1 : 0;
  for (size_t i = 0; i < windows; i++) {
    rs_window *w = &m->window[i];
    w->cycle = i * (uint64_t)m->config->window;
    w->latency = w->delivered ? (double)m->window_latency[i] / (double)w->delivered : NAN;
  }
  out->windows = windows;
  out->window = m->window;
}

static rs_verdict judge(const measure *m, const engine *e, uint64_t waiting) {
  if (e->deadlocked) return RS_DEADLOCKED;
  for (uint32_t i = 0; i < m->losses; i++)
    if (m->lost_by[RS_LOST_METHOD + i]) return RS_DISCONNECTED;
  double growth = (double)waiting - (double)m->backlog_start;
  return growth > 0.02 * (double)m->offered_packets + (double)e->fabric->ends ? RS_SATURATED : RS_STEADY;
}

int measure_result(measure *m, engine *e, rs_result *out, rs_error *err) {
  uint32_t from = m->start == RS_NONE ? e->now : m->start;
  uint64_t unborn = count_unborn(e, from, e->now, &m->offered_packets, &m->offered_flits, m);
  uint64_t interfaces = in_interfaces(e), packets_held = e->packets - e->free_packets, truncated = 0;
  for (uint32_t i = 0; i < e->packets; i++) truncated += e->packet[i].truncated;
  for (uint32_t i = 0; i < e->free_packets; i++) truncated -= e->packet[e->free_packet[i]].truncated;
  out->account = (rs_account){.generated = m->generated + unborn,
                              .delivered = m->delivered,
                              .in_flight = packets_held - truncated - interfaces,
                              .waiting = unborn + interfaces,
                              .lost = m->lost};
  const rs_account *a = &out->account;
  if (a->generated != a->delivered + a->in_flight + a->waiting + a->lost)
    return rs_fail(
        err,
        "the packet account does not balance: %llu generated, %llu delivered, %llu in flight, %llu waiting, %llu lost",
        (unsigned long long)a->generated, (unsigned long long)a->delivered, (unsigned long long)a->in_flight,
        (unsigned long long)a->waiting, (unsigned long long)a->lost);
  values v = {.arena = e->arena};
  while (m->present < (uint32_t)m->config->batches) close_batch(m);
  out->verdict = judge(m, e, a->waiting);
  add(&v, "offered", "flits/node/cycle", (double)m->offered_flits / extent_of(m, e).node_cycles, NAN);
  for (uint32_t i = 0; i < m->groups; i++) add_group(&v, m, e, &m->group[i]);
  add_losses(&v, m, e);
  add_links(&v, m, e);
  if (e->control) add(&v, "control.messages", "messages", (double)control_sent(e), NAN);
  add(&v, "warmup", "cycles", (double)from, NAN);
  add(&v, "warmup.settled", "1", m->settled, NAN);
  copy_windows(m, e, out);
  out->value = v.value;
  out->values = v.count;
  out->hops = m->hops;
  return 0;
}
