/* opensm-updn.c - the tables that OpenSM's engine `updn` writes: no path goes up again after it went down. Roots come
 * from a file or are found. Of these paths the engine takes those with the fewest hops (methods/shared/opensm.h).
 *
 * Its search remembers one direction of each switch, the one in which the switch entered the queue, though a switch can
 * be reached in both. So its count is not always the length of a path that keeps the rule. Its tables may have cycles
 * of waiting after all, or leave pairs out, and so do these. */
#include <string.h>

#include "methods/shared/entries.h"
#include "methods/shared/opensm.h"
#include "methods/shared/opensm_roots.h"

static const ripstop_option options[] = {RIPSTOP_OPENSM_ROOTS_OPTIONS, {0}};

enum { BARS = 64 }; /* bars of the histogram: OpenSM counts no longer paths */

typedef struct updn {
  uint32_t *rank; /* [switches]: channels from the nearest root */
  uint32_t *queue;
  bool *queued, *downwards; /* [switches]: in the queue; how it was reached */
  /* Filled in the first state of many, else NULL: for each destination switch a bit for each channel. The bit is set
   * if a step over the channel led anywhere, see step(). */
  uint8_t *led;
  size_t led_bytes; /* bytes of one destination */
} updn;

/* ------------------------------------------------------------------ roots */

/* A root has one distance to more than nine tenths of all adapters, and no other one to more than a twentieth. */
static bool is_root(const ripstop_opensm *net, const uint8_t *distance) {
  uint32_t bar[BARS] = {0}, all = 0, high = 0, low = 0;
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (distance[s] == RIPSTOP_OPENSM_FAR) continue;
    all += net->ends[s];
    if (distance[s] < BARS) bar[distance[s]] += net->ends[s];
  }
  for (unsigned i = 0; i < BARS; i++) {
    high += bar[i] > all * 0.9;
    low += bar[i] > all * 0.05;
  }
  return high == 1 && low == 1;
}

/* Channels from a switch to each other one; `room` [switches]. */
static const uint8_t *distances(const ripstop_opensm *net, uint32_t *queue, uint32_t s, uint8_t *room) {
  if (net->kept && ripstop_opensm_as_far(net, NULL, s)) return net->kept->least + (size_t)s * net->graph.switches;
  ripstop_opensm_search(net, queue, s, room);
  return room;
}

static uint32_t find_roots(const ripstop_opensm *net, updn *u, ripstop_arena *arena) {
  uint8_t *room = RIPSTOP_ARRAY(arena, net->graph.switches, uint8_t);
  uint32_t count = 0;
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    if (!is_root(net, distances(net, u->queue, s, room))) continue;
    u->rank[s] = 0;
    count++;
  }
  return count;
}

static uint32_t take_roots(const ripstop_opensm *net, const ripstop_opensm_roots *roots, updn *u) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < roots->count; i++)
    for (uint32_t s = 0; s < net->graph.switches; s++) {
      if (net->graph.node[s] != roots->node[i]) continue;
      u->rank[s] = 0;
      count++;
    }
  return count;
}

static void rank_switches(const ripstop_opensm *net, updn *u) {
  uint32_t head = 0, tail = 0;
  for (uint32_t s = 0; s < net->graph.switches; s++)
    if (u->rank[s] == 0) u->queue[tail++] = s;
  for (; head < tail; head++)
    for (uint32_t s = u->queue[head], c = net->graph.out_first[s]; c < net->graph.out_first[s + 1]; c++) {
      if (!net->live[c] || u->rank[net->graph.to[c]] != RIPSTOP_NONE) continue;
      u->rank[net->graph.to[c]] = u->rank[s] + 1;
      u->queue[tail++] = net->graph.to[c];
    }
}

/* ------------------------------------------------------------------ hops */

/* Compares ranks, then GUIDs. Roots are all above each other. */
static bool leads_down(const ripstop_opensm *net, const updn *u, uint32_t from, uint32_t to) {
  if (u->rank[from] != u->rank[to]) return u->rank[from] < u->rank[to];
  return u->rank[from] != 0 && net->guid[from] <= net->guid[to];
}

typedef struct search {
  const ripstop_opensm *net;
  updn *u;
  uint8_t *hop, *least;
  uint32_t head, waiting;
  uint8_t *led; /* see updn; NULL: not recorded */
} search;

/* Returns true if the switch was not there yet. */
static bool wait_in_queue(search *s, uint32_t switch_, bool downwards) {
  if (s->u->queued[switch_]) return false;
  s->u->queued[switch_] = true;
  s->u->downwards[switch_] = downwards;
  s->u->queue[(s->head + s->waiting++) % s->net->graph.switches] = switch_;
  return true;
}

static uint32_t next_in_queue(search *s) {
  uint32_t switch_ = s->u->queue[s->head];
  s->head = (s->head + 1) % s->net->graph.switches;
  s->waiting--;
  s->u->queued[switch_] = false;
  return switch_;
}

/* Steps backwards over a channel: a switch that is one hop nearer updates its neighbour. A step leads somewhere if it
 * brings the neighbour nearer or into the queue. Any other step changes only the hops over the channel. */
static void step(search *s, uint32_t from, uint32_t channel, bool downwards) {
  uint32_t to = s->net->graph.to[channel], back = s->net->graph.back[channel];
  bool down = leads_down(s->net, s->u, from, to);
  if ((downwards && !down) || s->least[from] + 1 >= s->hop[back]) return;
  s->hop[back] = (uint8_t)(s->least[from] + 1);
  bool nearer = s->hop[back] < s->least[to];
  if (nearer) s->least[to] = s->hop[back];
  bool waits = wait_in_queue(s, to, down);
  if (s->led && (nearer || waits)) s->led[channel / 8] |= (uint8_t)(1u << channel % 8);
}

static void count_hops(const ripstop_opensm *net, void *engine, uint32_t to, uint8_t *hop, uint8_t *least) {
  updn *u = engine;
  search s = {.net = net, .u = u, .hop = hop, .least = least, .led = u->led ? u->led + to * u->led_bytes : NULL};
  memset(hop, RIPSTOP_OPENSM_FAR, net->graph.channels);
  memset(least, RIPSTOP_OPENSM_FAR, net->graph.switches);
  least[to] = 0;
  wait_in_queue(&s, to, false);
  while (s.waiting > 0) {
    uint32_t from = next_in_queue(&s);
    bool downwards = s.u->downwards[from];
    for (uint32_t c = net->graph.out_first[from]; c < net->graph.out_first[from + 1]; c++)
      if (net->live[c]) step(&s, from, c, downwards);
  }
}

/* The ranks are the same, and no step over a channel that failed led to a switch that is up. */
static bool stays(const ripstop_opensm *net, const void *engine, uint32_t to) {
  const updn *now = engine, *then = net->kept->engine;
  const uint8_t *led = then->led + to * then->led_bytes;
  if (memcmp(now->rank, then->rank, net->graph.switches * sizeof *now->rank) != 0) return false;
  for (uint32_t i = 0; i < net->kept->deads; i++) {
    uint32_t c = net->graph.back[net->kept->dead[i]];
    if (led[c / 8] >> c % 8 & 1) return false;
  }
  return true;
}

/* ------------------------------------------------------------------ the engine */

static updn *new_updn(const ripstop_opensm *net, ripstop_arena *arena) {
  updn *u = RIPSTOP_NEW(arena, updn);
  *u = (updn){.rank = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t),
              .queue = RIPSTOP_ARRAY(arena, net->graph.switches, uint32_t),
              .queued = RIPSTOP_ARRAY(arena, net->graph.switches, bool),
              .downwards = RIPSTOP_ARRAY(arena, net->graph.switches, bool)};
  memset(u->rank, 0xFF, net->graph.switches * sizeof *u->rank);
  u->led_bytes = (net->graph.channels + 7) / 8;
  if (net->kept && !net->kept->engine) u->led = RIPSTOP_ARRAY(arena, net->graph.switches * u->led_bytes, uint8_t);
  return u;
}

/* The fabric without faults has a root. */
static bool had_roots(const ripstop_opensm *net, const ripstop_opensm_roots *roots, ripstop_arena *arena) {
  ripstop_opensm whole;
  ripstop_view *view = ripstop_view_new(net->graph.view->fabric, NULL);
  ripstop_opensm_discover(&whole, view, arena);
  bool had = roots->count > 0 || find_roots(&whole, new_updn(&whole, arena), arena) > 0;
  ripstop_view_free(view);
  return had;
}

/* OpenSM falls back to minhop when faults have taken all roots. */
static ripstop_answer fall_back(const ripstop_opensm *net, const ripstop_opensm_roots *roots, updn *u,
                                ripstop_arena *arena, ripstop_opensm_rules *out, ripstop_error *err) {
  *out = (ripstop_opensm_rules){.hops = ripstop_opensm_shortest, .stays = ripstop_opensm_as_far, .engine = u->queue};
  if (had_roots(net, roots, arena)) return RIPSTOP_APPLIES;
  return ripstop_does_not_apply(
      err, "opensm-updn: there is no root: no switch is as far from nearly all adapters; name some (roots=FILE)");
}

static ripstop_answer engine(const void *config, const ripstop_opensm *net, ripstop_arena *arena,
                             ripstop_opensm_rules *out, ripstop_error *err) {
  const ripstop_opensm_roots *roots = config;
  updn *u = new_updn(net, arena);
  uint32_t count = roots->count ? take_roots(net, roots, u) : find_roots(net, u, arena);
  if (count == 0) return fall_back(net, roots, u, arena, out, err);
  rank_switches(net, u);
  *out = (ripstop_opensm_rules){.hops = count_hops, .stays = stays, .engine = u};
  return RIPSTOP_APPLIES;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_opensm_plan(p, engine, err); }

static ripstop_forwarding *repair(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                  double *seconds, ripstop_answer *answer, ripstop_error *err) {
  (void)seconds;
  return ripstop_opensm_repair(engine, config, view, old, answer, err);
}

static void *open_repairs(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                          ripstop_answer *answer, ripstop_error *err) {
  return ripstop_opensm_repairs_open(engine, config, view, old, answer, err);
}

static const ripstop_repairs repairs = {open_repairs, ripstop_opensm_repairs_follow, ripstop_opensm_repairs_close};

const ripstop_method ripstop_method_opensm_updn = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "opensm-updn",
    .summary = "any fabric with roots: the tables that OpenSM's engine updn writes, up and then down",
    .source = "OpenSM 3.3.23 (docs/methods/opensm-updn.md)",
    .options = options,
    .config_size = sizeof(ripstop_opensm_roots),
    .preset = "modern",
    .losses = ripstop_entries_losses,
    .name_files = ripstop_opensm_roots_name,
    .load = ripstop_opensm_roots_load,
    .plan = plan,
    .route = ripstop_entries_route,
    .guarantees = ripstop_opensm_guarantees,
    .forwarding = ripstop_entries_forwarding,
    .repair = repair,
    .repairs = &repairs,
};
