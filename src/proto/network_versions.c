/* network_versions.c - the versions of its tables that each switch has while a protocol follows a change. The network
 * of network.c is run from rest to rest, and the state of a switch is kept at the end of each cycle that has changed
 * it. (A switch need not report changed candidates while it holds no packet that they concern; here it holds none, and
 * packets may be anywhere.)
 *
 * The events of one cycle are one stage, and the state of a switch between two steps of a cycle is no version: it is
 * notified of a failed port in the cycle in which the link fails, before any decision about packets. */
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"
#include "ripstop/kit/protocol.h"
#include "route/plan_steps.h"
#include "tables/versions.h"

#define REST_MOST  UINT64_C(1000000000) /* cycles until a protocol is at rest */
#define MEMORY_MAX (UINT64_C(1) << 30)  /* bytes of all states that are kept */
enum { SPREAD_PART = 4 };               /* a message is late by at most this fraction of the time of order 0 */

typedef struct entry {
  uint32_t node, before; /* `before`: the node's last entry, RIPSTOP_NONE */
  ripstop_node_version version;
} entry;

typedef struct history {
  ripstop_versions *v;
  const ripstop_fabric *fabric;
  const ripstop_proto *proto;
  ripstop_network *network;
  const ripstop_plan *plan; /* for the present view; it lives as long as v */
  entry *entry;
  uint32_t entries, room;
  uint32_t *last;   /* [nodes]: the present entry; RIPSTOP_NONE: the node has failed */
  uint8_t *touched; /* [nodes]: it has made a step, or its ports have changed */
  bool changed;     /* parts have failed or returned in this cycle */
  uint64_t bytes;
} history;

/* ------------------------------------------------------------------ changes */

static void add_change(ripstop_change *change, size_t *count, bool is_switch, uint32_t id, bool up) {
  change[(*count)++] = (ripstop_change){.is_switch = is_switch, .id = id, .up = up};
}

/* The parts in which the views differ. */
static size_t differences(const ripstop_view *before, const ripstop_view *after, ripstop_change *change) {
  const ripstop_fabric *f = before->fabric;
  size_t count = 0;
  for (uint32_t link = 0; link < f->links; link++)
    if (before->link_up[link] != after->link_up[link]) add_change(change, &count, false, link, after->link_up[link]);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (before->node_up[node] != after->node_up[node]) add_change(change, &count, true, node, after->node_up[node]);
  return count;
}

/* Random cycles, sorted by insertion. */
static void draw_cycles(ripstop_change *change, size_t count, uint64_t from, uint64_t window, uint32_t order) {
  ripstop_stream stream = ripstop_stream_open(order, RIPSTOP_RANDOM_PROOF, 0);
  for (size_t i = 0; i < count; i++) {
    ripstop_change next = change[i];
    next.cycle = from + (order && count > 1 ? ripstop_stream_below(&stream, (uint32_t)window + 1) : 0);
    size_t at = i;
    for (; at > 0 && change[at - 1].cycle > next.cycle; at--) change[at] = change[at - 1];
    change[at] = next;
  }
}

/* ------------------------------------------------------------------ keeping versions */

static void watch(void *context, const ripstop_trace_event *trace) {
  history *h = context;
  if (trace->kind == RIPSTOP_SAW_CHANGE) h->changed = true;
  if (trace->kind == RIPSTOP_SAW_STEP) h->touched[trace->node] = 1;
}

/* The same state as in an earlier version, or a copy. */
static const void *keep_state(history *h, uint32_t node, const void *state, bool *again) {
  size_t size = h->proto->state_size(h->plan, node);
  for (uint32_t i = h->last[node]; i != RIPSTOP_NONE; i = h->entry[i].before)
    if (h->entry[i].version.plan == h->plan && memcmp(h->entry[i].version.state, state, size) == 0) {
      *again = true;
      return h->entry[i].version.state;
    }
  void *copy = ripstop_arena_array(h->v->arena, 1, size + 1);
  memcpy(copy, state, size);
  h->bytes += size;
  return copy;
}

/* The version of a node from this stage on. A NIC that queries the protocol has the version of its switch. */
static ripstop_node_version version_now(history *h, uint32_t node) {
  ripstop_node_version now = {.plan = h->plan};
  if (!ripstop_is_end(h->fabric, node))
    now.state = keep_state(h, node, ripstop_network_state(h->network, node), &now.again);
  else if (h->proto->interfaces)
    now = h->entry[h->last[ripstop_end_switch(h->fabric, node)]].version;
  now.from = now.to = h->v->stages;
  return now;
}

static bool is_alive(const history *h, uint32_t node) {
  return h->plan->view->node_up[ripstop_is_end(h->fabric, node) ? ripstop_end_switch(h->fabric, node) : node];
}

/* True if the plan and the state are the same as before. */
static bool is_same(const history *h, uint32_t node) {
  uint32_t last = h->last[node];
  if (last == RIPSTOP_NONE || !is_alive(h, node) || h->entry[last].version.plan != h->plan) return false;
  if (ripstop_is_end(h->fabric, node)) {
    uint32_t at = h->last[ripstop_end_switch(h->fabric, node)];
    return !h->proto->interfaces || (at != RIPSTOP_NONE && h->entry[at].version.state == h->entry[last].version.state);
  }
  return memcmp(h->entry[last].version.state, ripstop_network_state(h->network, node),
                h->proto->state_size(h->plan, node)) == 0;
}

/* Returns true if the version is a new one. */
static bool keep_version(history *h, uint32_t node) {
  uint32_t last = h->last[node];
  if (is_same(h, node) || (last == RIPSTOP_NONE && !is_alive(h, node))) return false;
  if (last != RIPSTOP_NONE) h->entry[last].version.to = h->v->stages - 1;
  if (!is_alive(h, node)) {
    h->last[node] = RIPSTOP_NONE;
    return true;
  }
  RIPSTOP_GROW_IN(h->v->arena, h->entry, h->entries, h->room);
  h->entry[h->entries] = (entry){.node = node, .before = last, .version = version_now(h, node)};
  h->last[node] = h->entries++;
  return true;
}

/* Switches first, since NICs have their versions. */
static void keep_stage(history *h) {
  const ripstop_fabric *f = h->fabric;
  bool any = false;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (h->touched[node]) any |= keep_version(h, node);
  for (uint32_t end = 0; end < f->ends; end++)
    if (h->touched[end] || h->touched[ripstop_end_switch(f, end)]) any |= keep_version(h, end);
  memset(h->touched, 0, f->nodes);
  h->v->stages += any;
}

/* Makes a plan for the network's present view, and marks nodes whose ports have changed. */
static int follow_view(history *h, ripstop_error *err) {
  ripstop_versions *v = h->v;
  const uint8_t *up = h->plan->view->port_up;
  ripstop_view *view = ripstop_view_copy(ripstop_network_plan(h->network)->view);
  for (uint32_t port = 0; port < h->fabric->ports; port++)
    if (up[port] != view->port_up[port]) h->touched[h->fabric->port_node[port]] = 1;
  for (uint32_t node = h->fabric->ends; node < h->fabric->nodes; node++)
    if (h->plan->view->node_up[node] != view->node_up[node]) h->touched[node] = 1;
  v->view = ripstop_arena_realloc(v->arena, v->view, v->plans + 1, sizeof(ripstop_view *));
  v->plan = ripstop_arena_realloc(v->arena, v->plan, v->plans + 1, sizeof(ripstop_plan *));
  v->view[v->plans] = view;
  v->plan[v->plans] = ripstop_plan_for(v->before, view, NULL, err);
  h->plan = v->plan[v->plans++];
  h->changed = false;
  return h->plan ? 0 : -1;
}

/* Runs all events of the next cycle. */
static int pass_cycle(history *h, ripstop_error *err) {
  uint64_t cycle = ripstop_network_due(h->network);
  while (ripstop_network_due(h->network) == cycle)
    if (ripstop_network_step(h->network, err) < 0) return -1;
  if (h->changed && follow_view(h, err)) return -1;
  keep_stage(h);
  return h->bytes <= MEMORY_MAX ? 0 : ripstop_fail(err, "switches have more versions of their tables than 1 GiB holds");
}

/* ------------------------------------------------------------------ a history */

/* Sorts the entries by node, in order. */
static void sort_entries(history *h) {
  ripstop_versions *v = h->v;
  uint32_t nodes = h->fabric->nodes;
  v->first = RIPSTOP_ARRAY(v->arena, nodes + 1, uint32_t);
  v->version = RIPSTOP_ARRAY(v->arena, h->entries, ripstop_node_version);
  for (uint32_t i = 0; i < h->entries; i++) v->first[h->entry[i].node + 1]++;
  for (uint32_t node = 0; node < nodes; node++) v->first[node + 1] += v->first[node];
  uint32_t *next = RIPSTOP_ARRAY(v->arena, nodes, uint32_t);
  memcpy(next, v->first, nodes * sizeof *next);
  for (uint32_t i = 0; i < h->entries; i++) {
    ripstop_node_version *to = &v->version[next[h->entry[i].node]++];
    *to = h->entry[i].version;
    if (h->last[h->entry[i].node] == i) to->to = v->stages - 1;
  }
}

static int follow(history *h, ripstop_error *err) {
  uint32_t nodes = h->fabric->nodes;
  h->last = RIPSTOP_ARRAY(h->v->arena, nodes, uint32_t);
  for (uint32_t node = 0; node < nodes; node++) h->last[node] = RIPSTOP_NONE;
  memset(h->touched, 1, nodes);
  keep_stage(h);
  while (ripstop_network_due(h->network) != RIPSTOP_NEVER) {
    if (ripstop_network_due(h->network) > REST_MOST)
      return ripstop_fail(err, "method %s: its protocol does not become quiet", h->plan->method->name);
    if (pass_cycle(h, err)) return -1;
  }
  sort_entries(h);
  return 0;
}

typedef struct stepping {
  ripstop_network *network;
  history *history; /* NULL: run it until a cycle */
  uint64_t until;
  ripstop_error *err;
  int status;
} stepping;

static void step(void *stepping_) {
  stepping *s = stepping_;
  s->status = s->history ? follow(s->history, s->err) : ripstop_network_run(s->network, s->until, s->err);
}

/* A network holds memory that its methods allocated: if memory runs out, the network is freed before the error is
 * reported. */
static int step_or_free(stepping s) {
  if (ripstop_try(step, &s, NULL) == 0) return s.status;
  ripstop_network_free(s.network);
  ripstop_out_of_memory();
}

static ripstop_network *rest(const ripstop_plan *plan, const ripstop_network_options *options, uint64_t until,
                             ripstop_error *err) {
  ripstop_network *n = ripstop_network_open(plan, options, err);
  int quiet = n ? step_or_free((stepping){.network = n, .until = until, .err = err}) : -1;
  if (n && quiet == 0 && until == REST_MOST)
    quiet = ripstop_fail(err, "method %s: its protocol does not become quiet", plan->method->name);
  if (quiet >= 0) return n;
  ripstop_network_free(n);
  return NULL;
}

/* The time that the switches take when all changes come at once, and messages are not delayed. */
static int measure(const ripstop_plan *before, const ripstop_schedule *schedule, uint64_t from, uint64_t *cycles,
                   ripstop_error *err) {
  ripstop_network *n = rest(before, &(ripstop_network_options){.schedule = schedule}, REST_MOST, err);
  if (!n) return -1;
  ripstop_network_count count = ripstop_network_count_all(n);
  bool any = count.last_change != RIPSTOP_NEVER && count.last_change > from;
  *cycles = any ? count.last_change - from : 0;
  ripstop_network_free(n);
  return 0;
}

/* The network at rest before the change; `options` gets the changes that follow. */
static ripstop_network *open_network(history *h, const ripstop_plan *after, uint32_t order,
                                     ripstop_network_options *options, ripstop_schedule *schedule, ripstop_error *err) {
  const ripstop_plan *before = h->v->before;
  ripstop_network *n = rest(before, NULL, REST_MOST, err);
  if (!n) return NULL;
  uint64_t from = ripstop_network_now(n) + 1, cycles = 0;
  ripstop_network_free(n);
  ripstop_change *change = RIPSTOP_ARRAY(h->v->arena, h->fabric->links + h->fabric->nodes, ripstop_change);
  *schedule = (ripstop_schedule){.count = differences(before->view, after->view, change), .change = change};
  draw_cycles(change, schedule->count, from, 0, 0);
  if (order && measure(before, schedule, from, &cycles, err)) return NULL;
  draw_cycles(change, schedule->count, from, cycles, order);
  *options = (ripstop_network_options){.schedule = schedule, .watch = watch, .context = h};
  if (order) {
    options->spread = (uint32_t)(cycles / SPREAD_PART);
    options->reorder = true;
    options->seed = order;
  }
  return rest(before, options, from, err);
}

ripstop_versions *ripstop_network_versions(const ripstop_plan *before, const ripstop_plan *after, uint32_t order,
                                           ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  if (before->method->proto->weighs) {
    ripstop_fail(err,
                 "method %s: its candidates depend on the fill of queues, so its transient states cannot be proved",
                 before->method->name);
    return NULL;
  }
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_versions *v = RIPSTOP_NEW(arena, ripstop_versions);
  *v = (ripstop_versions){.before = before, .after = after, .arena = arena};
  history h = {.v = v, .fabric = before->fabric, .proto = before->method->proto, .plan = before};
  ripstop_network_options options;
  ripstop_schedule schedule;
  h.touched = RIPSTOP_ARRAY(arena, h.fabric->nodes, uint8_t);
  h.network = open_network(&h, after, order, &options, &schedule, err);
  bool followed = h.network && !step_or_free((stepping){.network = h.network, .history = &h, .err = err});
  ripstop_network_free(h.network);
  if (followed) return v;
  ripstop_versions_free(v);
  return NULL;
}
