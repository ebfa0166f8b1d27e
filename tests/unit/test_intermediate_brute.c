/* test_intermediate_brute.c - intermediate-nodes against plain enumeration on small fabrics with random failed parts:
 * routes by Hybrid-DOR are walked link by link, all lists of intermediate nodes are tried.
 *
 * Held to it: the pairs that are lost (ripstop_method.lost_pairs, and the prover's), pairs by number of intermediate
 * nodes, and of every single pair the list that its packet goes by: each subpath is dimension order, their number and
 * the hops are those of the rule.
 *
 * On larger fabrics, whose sets of routers take many words, the lost pairs alone: from each router its set grows step
 * by step. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"

enum { MOST = 3, FAR = 1000, ROUTERS_MAX = 64 };

typedef struct world {
  ripstop_fabric *fabric;
  ripstop_view *view;
  uint32_t n, count;                                 /* dimensions, routers */
  uint32_t router[ROUTERS_MAX];                      /* node */
  uint32_t live[ROUTERS_MAX];                        /* end nodes with a live link */
  uint32_t hops[MOST + 1][ROUTERS_MAX][ROUTERS_MAX]; /* fewest with at most so many intermediate nodes; FAR: none */
} world;

static const uint16_t *digits(const world *w, uint32_t node) {
  return w->fabric->coord + (size_t)node * w->fabric->coords;
}

static world *open_world(const char *spec) {
  ripstop_error err;
  world *w = calloc(1, sizeof *w);
  w->fabric = ripstop_fabric_open(spec, &err);
  if (!w->fabric) fail_msg("%s", err.text);
  w->view = ripstop_view_new(w->fabric, NULL);
  w->n = w->fabric->coords - 1;
  for (uint32_t v = w->fabric->ends; v < w->fabric->nodes; v++)
    if (digits(w, v)[w->n] == w->n) w->router[w->count++] = v;
  return w;
}

static void close_world(world *w) {
  ripstop_view_free(w->view);
  ripstop_fabric_free(w->fabric);
  free(w);
}

/* The node on the other side of a port; RIPSTOP_NONE: down. */
static uint32_t beyond(const world *w, uint32_t node, uint32_t port) {
  uint32_t at = w->fabric->port_base[node] + port;
  return w->view->port_up[at] ? w->fabric->port_node[w->fabric->peer[at]] : RIPSTOP_NONE;
}

/* The router with another digit d over the line's switch; RIPSTOP_NONE: a link is down. */
static uint32_t cross(const world *w, uint32_t router, uint32_t d, uint16_t digit) {
  uint32_t line = beyond(w, router, d);
  if (line == RIPSTOP_NONE) return RIPSTOP_NONE;
  for (uint32_t port = 0; port < ripstop_node_ports(w->fabric, line); port++) {
    uint32_t to = beyond(w, line, port);
    if (to != RIPSTOP_NONE && digits(w, to)[d] == digit) return to;
  }
  return RIPSTOP_NONE;
}

/* Hops of Hybrid-DOR. */
static uint32_t dimension_order(const world *w, uint32_t from, uint32_t to) {
  uint32_t hops = 0;
  for (uint32_t d = 0; d < w->n && from != RIPSTOP_NONE; d++)
    if (digits(w, from)[d] != digits(w, to)[d]) {
      from = cross(w, from, d, digits(w, to)[d]);
      hops++;
    }
  return from == to ? hops : FAR;
}

static uint32_t distance(const world *w, uint32_t s, uint32_t t) {
  uint32_t hops = 0;
  for (uint32_t d = 0; d < w->n; d++) hops += digits(w, w->router[s])[d] != digits(w, w->router[t])[d];
  return hops;
}

static void enumerate(world *w) {
  for (uint32_t s = 0; s < w->count; s++) {
    w->live[s] = 0;
    for (uint32_t port = w->n; port < ripstop_node_ports(w->fabric, w->router[s]); port++)
      w->live[s] += beyond(w, w->router[s], port) != RIPSTOP_NONE;
    for (uint32_t t = 0; t < w->count; t++) w->hops[0][s][t] = dimension_order(w, w->router[s], w->router[t]);
  }
  for (uint32_t j = 1; j <= MOST; j++)
    for (uint32_t s = 0; s < w->count; s++)
      for (uint32_t t = 0; t < w->count; t++) {
        uint32_t best = w->hops[j - 1][s][t];
        for (uint32_t i = 0; i < w->count; i++)
          if (w->hops[0][s][i] + w->hops[j - 1][i][t] < best) best = w->hops[0][s][i] + w->hops[j - 1][i][t];
        w->hops[j][s][t] = best;
      }
}

/* The rule of section 4.2: how many intermediate nodes; RIPSTOP_NONE: not within `most`. */
static uint32_t rule(const world *w, uint32_t s, uint32_t t, uint32_t most, bool shortest) {
  uint32_t fewest = RIPSTOP_NONE;
  for (uint32_t j = 0; j <= most; j++) {
    if (w->hops[j][s][t] >= FAR) continue;
    if (fewest == RIPSTOP_NONE) fewest = j;
    if (!shortest || w->hops[j][s][t] == distance(w, s, t)) return j;
  }
  return fewest;
}

/* ------------------------------------------------------------------ one plan */

/* Sends a packet and follows its route: the intermediate nodes are the routers at which the channel changes. Returns
 * their number, RIPSTOP_NONE if the packet is lost; *hops: lines crossed; list: those routers, [MOST]. */
static uint32_t follow(const world *w, const ripstop_plan *plan, uint32_t source, uint32_t destination, uint32_t *hops,
                       uint32_t *list) {
  const ripstop_fabric *f = w->fabric;
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  uint32_t last = RIPSTOP_NONE; /* dimension crossed last in this subpath */
  for (*hops = 0; head.node != destination;) {
    ripstop_candidate candidate;
    int candidates = ripstop_route(plan, &head, &candidate);
    if (candidates < 0) return RIPSTOP_NONE;
    assert_int_equal(candidates, 1);
    uint32_t peer = f->peer[f->port_base[head.node] + candidate.port];
    bool from_router = !ripstop_is_end(f, head.node) && digits(w, head.node)[w->n] == w->n;
    if (from_router && candidate.port < w->n) {
      assert_true(candidate.channel == head.channel || candidate.channel == head.channel + 1);
      if (candidate.channel == head.channel && last != RIPSTOP_NONE) assert_true(candidate.port > last);
      if (candidate.channel > head.channel) list[head.channel] = head.node;
      last = candidate.port;
      (*hops)++;
    }
    assert_true(w->view->port_up[peer]);
    head = (ripstop_head){.node = f->port_node[peer],
                          .in_port = peer - f->port_base[f->port_node[peer]],
                          .source = source,
                          .destination = destination,
                          .header = candidate.header,
                          .channel = candidate.channel};
  }
  return head.channel;
}

static void fail_pair(const world *w, const char *what, uint32_t s, uint32_t t, uint32_t got, uint32_t want) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->fabric, s, from);
  ripstop_node_name(w->fabric, t, to);
  fail_msg("%s: %s > %s: %s is %u, not %u", w->fabric->spec, from, to, what, got, want);
}

/* With pick=first each place of a list has the router of the lowest number that keeps the list as short as it is. */
static void check_first(const world *w, uint32_t s, uint32_t t, uint32_t count, const uint32_t *list) {
  for (uint32_t place = 0, at = s; place < count; place++) {
    uint32_t rest = count - place - 1, next = 0;
    while (w->hops[0][at][next] + w->hops[rest][next][t] != w->hops[rest + 1][at][t]) next++;
    if (list[place] != w->router[next]) fail_pair(w, "intermediate node", s, t, list[place], w->router[next]);
    at = next;
  }
}

/* `lost` gets the pairs that the rule has no list for, `by` those that it has a list of so many nodes for. */
static void check_pairs(const world *w, const ripstop_plan *plan, uint32_t most, bool shortest, bool first,
                        uint64_t *lost, uint64_t *by) {
  uint32_t concentration = w->fabric->ends / w->count;
  for (uint32_t s = 0; s < w->fabric->ends; s++)
    for (uint32_t t = 0; t < w->fabric->ends; t++) {
      if (s == t) continue;
      uint32_t a = s / concentration, b = t / concentration, hops, want = rule(w, a, b, most, shortest);
      if (beyond(w, s, 0) == RIPSTOP_NONE || beyond(w, t, 0) == RIPSTOP_NONE) want = RIPSTOP_NONE;
      uint32_t list[MOST], got = follow(w, plan, s, t, &hops, list);
      if (got != want) fail_pair(w, "intermediate nodes", s, t, got, want);
      *lost += want == RIPSTOP_NONE;
      if (want == RIPSTOP_NONE) continue;
      by[want]++;
      if (hops != w->hops[want][a][b]) fail_pair(w, "hops", s, t, hops, w->hops[want][a][b]);
      if (first) check_first(w, a, b, want, list);
    }
}

static void check_facts(const ripstop_plan *plan, uint32_t most, const uint64_t *by) {
  uint64_t value[RIPSTOP_FACTS_MAX];
  plan->method->facts(plan, value);
  for (uint32_t j = 0; j <= MOST; j++) {
    char name[64];
    snprintf(name, sizeof name, "pairs_by_intermediates.%u", j);
    assert_string_equal(plan->method->fact_names[j], name);
    assert_true(value[j] == (j <= most ? by[j] : RIPSTOP_FACT_NONE));
  }
}

static void check_plan(const world *w, ripstop_prover *prover, uint32_t most, bool shortest, bool first) {
  char spec[128];
  ripstop_error err;
  ripstop_proof proof;
  uint64_t lost = 0, by[MOST + 1] = {0};
  snprintf(spec, sizeof spec, "intermediate-nodes:intermediates=%u,prefer=%s,pick=%s", most,
           shortest ? "shortest" : "fewest", first ? "first" : "hash");
  ripstop_plan *plan = ripstop_plan_compile(w->view, spec, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  check_pairs(w, plan, most, shortest, first, &lost, by);
  assert_true(plan->method->lost_pairs(plan) == lost);
  check_facts(plan, most, by);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  assert_true(proof.lost_pairs_some_choice == lost && proof.lost_pairs_every_choice == lost);
  assert_true(proof.deadlock_free && proof.livelock_free);
  ripstop_plan_free(plan);
}

/* ------------------------------------------------------------------ many */

static const struct {
  const char *fabric;
  const ripstop_fault_scope *scope;
  uint32_t faults, sets; /* for each number of failed parts from 0 to `faults`, so many sets */
} series[] = {
    {"kns:k=3,n=2", RIPSTOP_FAULTS_SWITCH_LINKS, 12, 8},   {"kns:k=3,n=2", RIPSTOP_FAULTS_SWITCHES, 5, 3},
    {"kns:k=4,n=2", RIPSTOP_FAULTS_SWITCH_LINKS, 20, 2},   {"kns:k=3,n=2,c=2", RIPSTOP_FAULTS_ALL_LINKS, 12, 2},
    {"kns:k=2,n=3", RIPSTOP_FAULTS_SWITCH_LINKS, 16, 4},   {"kns:k=2,n=4", RIPSTOP_FAULTS_SWITCH_LINKS, 24, 1},
    {"kns:k=6,n=1", RIPSTOP_FAULTS_ALL_LINKS, 6, 2},       {"kns:k=3,n=3", RIPSTOP_FAULTS_SWITCH_LINKS, 30, 1},
    {"kns:k=7,n=2,c=1", RIPSTOP_FAULTS_SWITCH_LINKS, 9, 1}};

static void plans_are_what_enumeration_says(void **state) {
  (void)state;
  uint32_t sets = 0;
  for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
    world *w = open_world(series[i].fabric);
    ripstop_prover *prover = ripstop_prover_new(w->fabric);
    for (uint32_t count = 0; count <= series[i].faults; count++)
      for (uint32_t index = 0; index < series[i].sets; index++, sets++) {
        ripstop_arena *arena = ripstop_arena_new();
        ripstop_error err;
        ripstop_faults faults;
        if (ripstop_faults_sample(arena, w->fabric, series[i].scope, count, 5, index, &faults, &err))
          fail_msg("%s", err.text);
        ripstop_view_set_faults(w->view, &faults, false);
        enumerate(w);
        for (uint32_t most = 0; most <= MOST; most++) {
          check_plan(w, prover, most, true, false);
          check_plan(w, prover, most, true, true);
          check_plan(w, prover, most, false, index % 2);
        }
        ripstop_view_set_faults(w->view, &faults, true);
        ripstop_arena_free(arena);
      }
    ripstop_prover_free(prover);
    close_world(w);
  }
  print_message("%u fault sets\n", sets);
}

/* ------------------------------------------------------------------ larger fabrics */

enum { LARGE_MAX = 1024 };

/* Adds what is reached from the routers of a set by one step of dimension d at most; up: [routers * n]. */
static void step(const uint8_t *up, uint32_t k, uint32_t n, uint32_t count, uint32_t d, bool *set) {
  uint32_t stride = 1;
  for (uint32_t i = 0; i < d; i++) stride *= k;
  for (uint32_t first = 0; first < count; first++) {
    if (first / stride % k != 0) continue;
    bool any = false;
    for (uint32_t i = 0, r = first; i < k; i++, r += stride) any |= set[r] && up[r * n + d];
    for (uint32_t i = 0, r = first; any && i < k; i++, r += stride) set[r] |= up[r * n + d];
  }
}

/* Ordered pairs of end nodes, of c at each router, that no list of up to `most` intermediate nodes joins. */
static uint64_t lost_by_steps(const ripstop_view *view, uint32_t k, uint32_t n, uint32_t c, uint32_t most) {
  const ripstop_fabric *f = view->fabric;
  uint32_t count = f->ends / c;
  uint8_t up[LARGE_MAX * 5] = {0};
  uint64_t live[LARGE_MAX] = {0}, joined = 0;
  assert_true(count <= LARGE_MAX && n <= 5);
  for (uint32_t r = 0; r < count; r++) {
    for (uint32_t d = 0; d < n; d++) up[r * n + d] = view->port_up[f->port_base[f->ends + r] + d];
    for (uint32_t i = 0; i < c; i++) live[r] += view->port_up[f->port_base[f->ends + r] + n + i];
  }
  for (uint32_t s = 0; s < count; s++) {
    bool set[LARGE_MAX] = {0};
    set[s] = true;
    for (uint32_t i = 0; i < (most + 1) * n; i++) step(up, k, n, count, i % n, set);
    for (uint32_t t = 0; t < count; t++) joined += set[t] ? live[s] * (s == t ? live[s] - 1 : live[t]) : 0;
  }
  return (uint64_t)f->ends * (f->ends - 1) - joined;
}

static const struct {
  const char *fabric;
  uint32_t k, n, c, dead;
} larger[] = {{"kns:k=10,n=3", 10, 3, 1, 600},   {"kns:k=10,n=3", 10, 3, 1, 1800}, {"kns:k=13,n=2,c=2", 13, 2, 2, 150},
              {"kns:k=3,n=5,c=2", 3, 5, 2, 900}, {"kns:k=3,n=5", 3, 5, 1, 1},      {"kns:k=300,n=1", 300, 1, 1, 40}};

static void larger_fabrics_lose_what_steps_do_not_reach(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
    ripstop_error err;
    ripstop_faults faults;
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_fabric *fabric = ripstop_fabric_open(larger[i].fabric, &err);
    if (!fabric) fail_msg("%s", err.text);
    assert_int_equal(
        ripstop_faults_sample(arena, fabric, RIPSTOP_FAULTS_ALL_LINKS, larger[i].dead, 7, i, &faults, &err), 0);
    ripstop_view *view = ripstop_view_new(fabric, &faults);
    for (uint32_t most = 0; most <= 2; most++) {
      char spec[64];
      snprintf(spec, sizeof spec, "intermediate-nodes:intermediates=%u", most);
      ripstop_plan *plan = ripstop_plan_compile(view, spec, NULL, &err);
      if (!plan) fail_msg("%s", err.text);
      uint64_t lost = lost_by_steps(view, larger[i].k, larger[i].n, larger[i].c, most);
      assert_true(lost > 0 || larger[i].dead == 1);
      assert_int_equal(plan->method->lost_pairs(plan), lost);
      ripstop_plan_free(plan);
    }
    ripstop_view_free(view);
    ripstop_fabric_free(fabric);
    ripstop_arena_free(arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plans_are_what_enumeration_says),
                                     cmocka_unit_test(larger_fabrics_lose_what_steps_do_not_reach)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
