/* values.c - turns the counters (measure.c) into values with units, at the end of a run or between two cycles. */
#include <math.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/statistics.h"
#include "ripstop/plugin/method.h"
#include "simulate/agents.h"
#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/intervals.h"
#include "simulate/link_errors.h"
#include "simulate/losses.h"
#include "simulate/packet_lines.h"
#include "simulate/reconfiguration.h"
#include "simulate/reorder.h"
#include "simulate/shared_memory.h"
#include "simulate/values.h"

/* ------------------------------------------------------------------ values */

void values_add(values *v, const char *name, double value, double half) {
  const char *unit = ripstop_quantity_find(name, ~0u)->unit;
  RIPSTOP_GROW_IN(v->arena, v->value, v->count, v->room);
  v->value[v->count++] = (ripstop_value){.name = name, .unit = unit, .value = value, .half = half};
}

const char *ripstop_value_without_interval(const ripstop_value *value, const char *verdict) {
  if (!isinf(value->half)) return "";
  if (strcmp(verdict, ripstop_verdict_words[RIPSTOP_SATURATED]) || !strstr(value->name, "latency"))
    return RIPSTOP_TOO_SHORT;
  if (strstr(value->name, "network-latency")) return "saturated: run too short, or latency in the network still grows";
  return "saturated: latency grows with the run";
}

bool ripstop_value_has_sign(const char *name) { return strstr(name, "drift") || !strcmp(name, "unserved"); }

static void add_packets(packet_sums *sum, const packet_sums *more) {
  sum->packets += more->packets;
  sum->flits += more->flits;
  sum->hops += more->hops;
  sum->latency += more->latency;
  sum->network_latency += more->network_latency;
}

static packet_sums add_up(const measure *m, const value_group *g, ripstop_histogram *all) {
  packet_sums sum = {0};
  ripstop_histogram_clear(all);
  for (uint32_t k = 0; k < g->tallies; k++) {
    add_packets(&sum, &m->tally[g->tally[k]].sum);
    ripstop_histogram_merge(all, m->tally[g->tally[k]].histogram);
  }
  return sum;
}

static void add_group(values *v, const measure *m, const run *r, const value_group *g) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_histogram *all = m->scratch;
  double *scratch = RIPSTOP_ARRAY(arena, (size_t)m->config->batches, double);
  const packet_sums sum = add_up(m, g, all);
  double packets = (double)sum.packets;
#define NAME(text) ripstop_arena_printf(v->arena, "%s%s", g->prefix, text)
  values_add(v, NAME("packets"), packets, NAN);
  values_add(v, NAME("accepted"), (double)sum.flits / extent_of(m, r).node_cycles,
             half_of_flow(m, r, g, &sum, scratch));
  if (sum.packets) {
    values_add(v, NAME("latency.mean"), (double)sum.latency / packets,
               half_of_latency(m, r, g, &sum, LATENCY, scratch));
    values_add(v, NAME("latency.p50"), ripstop_histogram_quantile(all, 0.5),
               half_of_quantile(m, r, g, &sum, g->p50, all, 0.5, scratch));
    values_add(v, NAME("latency.p99"), ripstop_histogram_quantile(all, 0.99),
               half_of_quantile(m, r, g, &sum, g->p99, all, 0.99, scratch));
    values_add(v, NAME("latency.p999"), ripstop_histogram_quantile(all, 0.999), NAN); /* few batches have so many */
    values_add(v, NAME("latency.max"), (double)all->max, NAN);
    values_add(v, NAME("network-latency.mean"), (double)sum.network_latency / packets,
               half_of_latency(m, r, g, &sum, NETWORK_LATENCY, scratch));
    values_add(v, NAME("hops.mean"), (double)sum.hops / packets, NAN);
    if (m->config->spread) spread_latency(v, g->prefix, all);
  }
#undef NAME
  if (g == m->group) { /* the group of all packets */
    add_drift(v, "accepted.drift", m, r, g, FLOW, scratch);
    add_drift(v, "network-latency.drift", m, r, g, NETWORK_LATENCY, scratch);
    add_drift(v, "latency.drift", m, r, g, LATENCY, scratch);
  }
}

/* Flits per end node and cycle that each batch was offered and neither delivered nor lost: the growth of what is in the
 * network and in the sources. Returns the number of whole batches. */
static size_t read_unserved(const measure *m, const run *r, double *rate) {
  double cycles = (double)m->config->cycles / (double)m->config->batches;
  size_t whole = read_batches(m, r, &m->group[0], FLOW, rate);
  for (size_t b = 0; b < whole; b++)
    rate[b] =
        ((double)m->demand[b].generated_at - (double)m->demand[b].lost) / cycles / (double)r->fabric->ends - rate[b];
  return whole;
}

/* Growth of the packets that no NIC has sent, since the measured cycles began. */
static double source_growth(const measure *m, uint64_t waiting) { return (double)waiting - (double)m->backlog_start; }

/* Saturated: the offered load exceeds what is delivered or lost, beyond the interval of their difference, and at least
 * half of the growth is in the sources. The network alone may still be filling. */
static void add_saturation(values *v, const measure *m, const run *r, const backlog *b, uint64_t waiting) {
  ripstop_arena *scratch = ripstop_arena_new();
  double *rate = RIPSTOP_ARRAY(scratch, (size_t)m->config->batches, double);
  size_t whole = read_unserved(m, r, rate);
  double mean = ripstop_mean(rate, whole), half = half_of_batches(m, rate, whole);
  ripstop_arena_free(scratch);
  if (isnan(half)) return;
  double packets = (double)(m->offered_packets + b->packets), flits = (double)(m->offered_flits + b->flits);
  double sources = packets > 0 ? source_growth(m, waiting) * flits / packets / extent_of(m, r).node_cycles : 0;
  values_add(v, "unserved", mean, packets > 0 ? half : NAN);
  values_add(v, "saturated", mean > half && sources >= mean / 2, NAN);
}

static void add_losses(values *v, const measure *m, const run *r) {
  double generated = m->generated ? (double)m->generated : 1;
  values_add(v, "lost", (double)m->lost, NAN);
  values_add(v, "lost.share", (double)m->lost / generated,
             m->lost || !m->generated ? NAN : bound_of_none(m, (double)m->generated));
  for (uint32_t i = 0; i < RIPSTOP_LOST_METHOD + m->losses; i++) {
    if (i == RIPSTOP_LOST_DRAIN && r->config->reconfiguration.model == RIPSTOP_RECONFIGURATION_DYNAMIC) continue;
    if (i == RIPSTOP_LOST_ERRORS && !link_errors_are(r)) continue;
    if (i == RIPSTOP_LOST_BUFFER && !memory_loses(r)) continue;
    if (i == RIPSTOP_LOST_TRIMMED && !memory_trims(r)) continue;
    values_add(v, ripstop_arena_printf(v->arena, "lost.%s", losses_word(r, i)), (double)m->lost_by[i], NAN);
  }
}

static void add_links(values *v, const measure *m, const run *r) {
  const ripstop_fabric *f = r->fabric;
  double sum = 0, most = 0, cycles = extent_of(m, r).cycles;
  uint32_t channels = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      double flits = (double)r->shape->output[f->link_port[2 * link + side]].flits;
      sum += flits;
      if (flits > most) most = flits;
      channels++;
    }
  values_add(v, "link-use.mean", channels ? sum / channels / cycles : 0, NAN);
  values_add(v, "link-use.max", most / cycles, NAN);
  spread_links(v, r, cycles);
  memory_values(r, v);
  if (r->shape->rate) values_add(v, "slow-queue", r->shape->places, NAN);
  reorder_values(r, v);
}

static void add_stops(values *v, const run *r) {
  const stop *s = r->stop;
  if (!s) return;
  values_add(v, "stops", (double)s->stops, NAN);
  values_add(v, "stops.deadlocked", (double)s->deadlocks, NAN);
  values_add(v, "stops.detecting", (double)stop_cycles(r, DETECTING), NAN);
  values_add(v, "stopped", (double)(stop_cycles(r, DRAINING) + stop_cycles(r, COMPUTING) + stop_cycles(r, RESUMING)),
             NAN);
  values_add(v, "stopped.draining", (double)stop_cycles(r, DRAINING), NAN);
  values_add(v, "stopped.computing", (double)stop_cycles(r, COMPUTING), NAN);
  values_add(v, "stopped.resuming", (double)stop_cycles(r, RESUMING), NAN);
}

/* ------------------------------------------------------------------ the result */

size_t count_windows(const run *r) {
  if (!r->part->measure.window) return 0;
  return r->part->now ? (r->part->now - 1) / (size_t)r->config->measure.window + 1 : 0;
}

/* The measure of part p from which results are made. */
static const measure *shown_of(const run *r, uint32_t p) { return r->goods ? r->goods : &r->part[p].measure; }
static uint32_t shown_parts(const run *r) { return r->goods ? 1 : r->shape->parts; }

static void add_window(ripstop_window *sum, const ripstop_window *w) {
  sum->generated += w->generated;
  sum->injected += w->injected;
  sum->delivered += w->delivered;
  sum->delivered_flits += w->delivered_flits;
  sum->lost += w->lost;
}

/* With goods, sent and lost packets are those of NICs; the other numbers are those of the goods. */
static void show_goods(ripstop_window *out, const ripstop_window *goods) {
  out->generated = goods->generated;
  out->delivered = goods->delivered;
  out->delivered_flits = goods->delivered_flits;
}

void copy_windows(const run *r, ripstop_window *out, size_t windows) {
  for (size_t i = 0; i < windows; i++) {
    uint64_t latency = 0;
    out[i] = (ripstop_window){.cycle = i * (uint64_t)r->config->measure.window};
    for (uint32_t p = 0; p < r->shape->parts; p++) add_window(&out[i], &r->part[p].measure.window[i]);
    for (uint32_t p = 0; p < shown_parts(r); p++) latency += shown_of(r, p)->window_latency[i];
    if (r->goods) show_goods(&out[i], &r->goods->window[i]);
    out[i].latency = out[i].delivered ? (double)latency / (double)out[i].delivered : NAN;
  }
}

/* Saturated: in the measured cycles, the packets that wait in the sources grew by more than 2 % of the packets
 * generated plus one per source. */
static ripstop_verdict judge(const measure *m, const run *r, const backlog *b, uint64_t waiting) {
  if (r->deadlocked) return RIPSTOP_DEADLOCKED;
  if (m->disconnected) return RIPSTOP_LOSSY;
  double offered = (double)(m->offered_packets + b->packets);
  return source_growth(m, waiting) > 0.02 * offered + (double)r->fabric->ends ? RIPSTOP_SATURATED : RIPSTOP_STEADY;
}

static void add_outage(values *v, const run *r) {
  if (r->part->measure.outage.change == RIPSTOP_NONE) return;
  outage_times t = outage_of(r);
  values_add(v, "fault.stall", t.stall, NAN);
  values_add(v, "fault.stall.before", t.before, NAN);
  values_add(v, "fault.until-good", t.good, NAN);
}

static void add_cycles(values *v, const char *name, const char *kind, uint64_t cycles) {
  if (cycles == UINT64_MAX) return;
  values_add(v, ripstop_arena_printf(v->arena, "control.%s.%s", name, kind), (double)cycles, NAN);
}

/* The last new candidates and the last message of each kind, if control packets share queues, where load delays
 * them. */
static void add_last_messages(values *v, const run *r) {
  const char *const *kinds = r->plan->method->proto->kinds;
  if (!r->inband || !kinds) return;
  for (uint32_t k = 0; kinds[k]; k++) add_cycles(v, "settling", kinds[k], control_settling_of(r, k));
  for (uint32_t k = 0; kinds[k]; k++) add_cycles(v, "last", kinds[k], control_last_of(r, k));
}

static void add_messages(values *v, const run *r) {
  if (!r->control) return;
  const char *const *kinds = r->plan->method->proto->kinds;
  values_add(v, "control.messages", (double)control_sent(r), NAN);
  for (uint32_t k = 0; kinds && kinds[k]; k++)
    values_add(v, ripstop_arena_printf(v->arena, "control.%s", kinds[k]), (double)control_sent_of(r, k), NAN);
  uint64_t settling = control_settling(r);
  if (settling != UINT64_MAX) values_add(v, "control.settling", (double)settling, NAN);
  add_last_messages(v, r);
}

/* Checks that every delivered packet has one kind. */
static int check_kinds(const measure *m, ripstop_error *err) {
  for (uint32_t c = 0; c < m->classes; c++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < KINDS; k++) sum += m->tally[c * KINDS + k].sum.packets;
    if (sum != m->class_sums[c])
      return ripstop_fail(err, "the kinds of packet do not balance: class %u delivered %llu packets, its kinds %llu",
                          c + 1, (unsigned long long)m->class_sums[c], (unsigned long long)sum);
  }
  return 0;
}

ripstop_account account_of(const run *r, uint64_t ungenerated) {
  uint64_t interfaces = measure_waiting(r), used = r->packets, truncated = 0;
  ripstop_account a = {.generated = ungenerated, .waiting = ungenerated + interfaces};
  for (uint32_t p = 0, next = 0; p < r->shape->parts; p++) {
    const part *t = &r->part[p];
    for (; next < t->unused_packet; next++) truncated += t->packet[next].truncated;
    next += t->unused_packets;
    for (uint32_t i = t->free_packet, left = t->free_packets; left > 0; i = next_free(t, i), left--)
      truncated -= t->packet[i].truncated;
    used -= free_rows(t);
    a.generated += t->measure.generated;
    a.delivered += t->measure.delivered;
    a.lost += t->measure.lost;
  }
  a.in_flight = used - truncated - interfaces;
  return a;
}

static int check_account(const ripstop_account *a, ripstop_error *err) {
  if (a->generated == a->delivered + a->in_flight + a->waiting + a->lost) return 0;
  return ripstop_fail(
      err,
      "the packet account does not balance: %llu generated, %llu delivered, %llu in flight, %llu waiting, %llu lost",
      (unsigned long long)a->generated, (unsigned long long)a->delivered, (unsigned long long)a->in_flight,
      (unsigned long long)a->waiting, (unsigned long long)a->lost);
}

static ripstop_histogram *copy_histogram(ripstop_arena *arena, const ripstop_histogram *h) {
  ripstop_histogram *copy = RIPSTOP_NEW(arena, ripstop_histogram);
  ripstop_histogram_merge(copy, h);
  return copy;
}

static void *copy_of(ripstop_arena *arena, const void *from, size_t count, size_t size) {
  void *copy = ripstop_arena_array(arena, count, size);
  memcpy(copy, from, count * size);
  return copy;
}

static size_t kinds_of(const measure *m) { return (size_t)m->classes * KINDS; }

/* Some part has measured a packet of this kind; else its histograms are empty. */
static bool has_measured(const run *r, size_t kind) {
  for (uint32_t p = 0; p < shown_parts(r); p++)
    if (shown_of(r, p)->tally[kind].sum.packets) return true;
  return false;
}

/* Copies what the other parts' sums and the end of every batch change. */
static measure copy_measure(const run *r, ripstop_arena *arena) {
  const measure *m = shown_of(r, 0);
  measure copy = *m;
  size_t kinds = kinds_of(m), batches = (size_t)m->config->batches;
  copy.tally = copy_of(arena, m->tally, kinds, sizeof *m->tally);
  copy.group = copy_of(arena, m->group, m->groups, sizeof *m->group);
  copy.batch = copy_of(arena, m->batch, kinds * batches, sizeof *m->batch);
  copy.demand = copy_of(arena, m->demand, batches, sizeof *m->demand);
  copy.class_sums = copy_of(arena, m->class_sums, m->classes, sizeof *m->class_sums);
  copy.lost_by = copy_of(arena, m->lost_by, RIPSTOP_LOST_METHOD + m->losses, sizeof *m->lost_by);
  copy.scratch = RIPSTOP_NEW(arena, ripstop_histogram);
  for (size_t i = 0; i < kinds; i++) {
    if (!has_measured(r, i)) continue;
    copy.tally[i].histogram = copy_histogram(arena, m->tally[i].histogram);
    copy.tally[i].present = copy_histogram(arena, m->tally[i].present);
  }
  for (uint32_t i = 0; i < m->groups; i++) {
    copy.group[i].p50 = copy_of(arena, m->group[i].p50, batches, sizeof(double));
    copy.group[i].p99 = copy_of(arena, m->group[i].p99, batches, sizeof(double));
  }
  return copy;
}

static void add_tally(tally *sum, const tally *t) {
  add_packets(&sum->sum, &t->sum);
  if (t->present->count) ripstop_histogram_merge(sum->present, t->present);
}

static void add_batch(batch *sum, const batch *b) {
  sum->packets += b->packets;
  sum->flits += b->flits;
  sum->latency += b->latency;
  sum->network_latency += b->network_latency;
}

static void add_measure(measure *sum, const measure *m) {
  size_t kinds = kinds_of(m);
  for (size_t i = 0; i < kinds; i++) add_tally(&sum->tally[i], &m->tally[i]);
  for (size_t i = 0; i < kinds * (size_t)m->config->batches; i++) add_batch(&sum->batch[i], &m->batch[i]);
  for (size_t i = 0; i < (size_t)m->config->batches; i++) {
    sum->demand[i].generated_at += m->demand[i].generated_at;
    sum->demand[i].lost += m->demand[i].lost;
  }
  for (uint32_t i = 0; i < m->classes; i++) sum->class_sums[i] += m->class_sums[i];
  for (uint32_t i = 0; i < RIPSTOP_LOST_METHOD + m->losses; i++) sum->lost_by[i] += m->lost_by[i];
  sum->offered_flits += m->offered_flits;
  sum->offered_packets += m->offered_packets;
  sum->generated += m->generated;
  sum->injected += m->injected;
  sum->delivered += m->delivered;
  sum->lost += m->lost;
  sum->lost_underway += m->lost_underway;
  sum->disconnected += m->disconnected;
  sum->hops += m->hops;
}

/* The sums of all parts, as if every batch had ended. */
static measure close_all(const run *r, ripstop_arena *arena) {
  measure closed = copy_measure(r, arena);
  for (uint32_t i = 1; i < shown_parts(r); i++) add_measure(&closed, shown_of(r, i));
  while (closed.present < (size_t)closed.config->batches) measure_close_batch(&closed);
  return closed;
}

static void add_values(values *v, const measure *m, const run *r, const backlog *b, uint64_t waiting) {
  uint32_t from = m->start == RIPSTOP_NONE ? r->part->now : m->start;
  uint64_t offered = m->offered_flits + b->flits;
  values_add(v, "offered", (double)offered / extent_of(m, r).node_cycles, NAN);
  for (uint32_t i = 0; i < m->groups; i++) add_group(v, m, r, &m->group[i]);
  add_saturation(v, m, r, b, waiting);
  add_losses(v, m, r);
  add_links(v, m, r);
  add_stops(v, r);
  add_messages(v, r);
  add_outage(v, r);
  if (r->part->lines && r->part->lines->turning) values_add(v, "voq.full", (double)lines_full(r), NAN);
  values_add(v, "warmup", (double)from, NAN);
  values_add(v, "warmup.settled", m->settled, NAN);
}

static void keep_result(const run *r, measure *m, const backlog *b, ripstop_run_result *out) {
  values v = {.arena = out->arena};
  out->verdict = judge(m, r, b, out->account.waiting);
  m->saturated = out->verdict == RIPSTOP_SATURATED;
  add_values(&v, m, r, b, out->account.waiting);
  out->value = v.value;
  out->values = v.count;
  out->hops = m->hops;
}

/* The packets balance; the goods that they carry must balance, too. */
static int take_goods(const run *r, measure *total, backlog *b, ripstop_run_result *out, ripstop_error *err) {
  if (!r->goods) return 0;
  out->account = agents_account(r);
  *b = (backlog){0};
  total->settled = r->part->measure.settled;
  total->hops = run_hops(r);
  return check_account(&out->account, err);
}

int measure_result(const run *r, ripstop_run_result *out, ripstop_error *err) {
  uint32_t start = r->part->measure.start;
  size_t windows = count_windows(r);
  ripstop_window *window = RIPSTOP_ARRAY(out->arena, windows + 1, ripstop_window);
  copy_windows(r, window, windows);
  RIPSTOP_LOCAL_ARENA(scratch);
  measure total = close_all(r, scratch);
  backlog b = measure_backlog(r, start == RIPSTOP_NONE ? r->part->now : start, r->goods ? NULL : window,
                              r->goods ? 0 : windows, r->goods ? NULL : &total);
  out->account = account_of(r, b.ungenerated);
  out->windows = windows;
  out->window = r->part->measure.window ? window : NULL;
  int status = check_account(&out->account, err) || check_kinds(&total, err) ? -1 : 0;
  if (!status) status = take_goods(r, &total, &b, out, err);
  if (!status) keep_result(r, &total, &b, out);
  if (!status) losses_result(r, out);
  return status;
}
