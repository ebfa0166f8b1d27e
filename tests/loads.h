/* loads.h - channel loads without simulating: what each channel between switches carries when every end node sends one
 * flit a cycle, every candidate of a method is taken equally often, and all random choices are equally likely.
 *
 * A check of methods beside the prover and the engine: the flow of all packets to one destination goes from state
 * to state, hop by hop, until it has arrived. For methods that do not look at a packet's source. */
#ifndef RIPSTOP_TESTS_LOADS_H
#define RIPSTOP_TESTS_LOADS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "stand.h"

/* Packets in a state; port: by which they have come, of the sending side. */
typedef struct flow {
  uint32_t node, port;
  uint8_t channel;
  uint64_t header;
  double amount;
} flow;

typedef struct flows {
  flow *at;
  size_t count, room;
} flows;

static inline void flows_add(flows *f, flow one) {
  if (f->count == f->room) f->at = ripstop_realloc(f->at, f->room = f->room ? 2 * f->room : 64, sizeof *f->at);
  f->at[f->count++] = one;
}

static inline int flow_order(const void *a, const void *b) {
  const flow *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  if (x->channel != y->channel) return x->channel < y->channel ? -1 : 1;
  return (x->header > y->header) - (x->header < y->header);
}

/* Merges the flows in one state. */
static inline void flows_merge(flows *f) {
  size_t kept = 0;
  if (f->count) qsort(f->at, f->count, sizeof *f->at, flow_order);
  for (size_t i = 0; i < f->count; i++)
    if (kept && flow_order(&f->at[kept - 1], &f->at[i]) == 0)
      f->at[kept - 1].amount += f->at[i].amount;
    else
      f->at[kept++] = f->at[i];
  f->count = kept;
}

typedef struct loads {
  double *of;   /* [ports]: of the channel that leaves there */
  double most;  /* between switches */
  double hops;  /* links between switches of a packet, in the mean */
  double flits; /* all of them */
} loads;

static inline void loads_hop(loads *l, const ripstop_plan *plan, const flow *from, uint32_t destination, flows *next,
                             ripstop_candidate *candidate) {
  const ripstop_fabric *f = plan->fabric;
  bool is_end = ripstop_is_end(f, from->node);
  ripstop_head head = {.node = from->node,
                       .in_port = is_end ? RIPSTOP_NONE : f->peer[from->port] - f->port_base[from->node],
                       .destination = destination,
                       .header = from->header,
                       .channel = from->channel};
  int candidates = ripstop_route(plan, &head, candidate);
  if (candidates <= 0) fail_msg("%s on %s: lost", plan->method->name, f->spec);
  for (int i = 0; i < candidates; i++) {
    uint32_t port = f->port_base[from->node] + candidate[i].port, to = f->port_node[f->peer[port]];
    double amount = from->amount / candidates;
    l->of[port] += amount;
    if (!is_end && !ripstop_is_end(f, to)) l->hops += amount;
    if (to != destination) flows_add(next, (flow){to, port, candidate[i].channel, candidate[i].header, amount});
  }
}

/* The loads over `words` equally likely patterns of random words. */
static inline loads loads_of(const ripstop_plan *plan, const ripstop_pattern *pattern, const void *config,
                             const void *table, uint32_t words) {
  const ripstop_fabric *f = plan->fabric;
  loads l = {.of = calloc(f->ports, sizeof(double))};
  double *share = calloc(f->ends, sizeof *share);
  ripstop_candidate *candidate = calloc(plan->candidates_max, sizeof *candidate);
  for (uint32_t destination = 0; destination < f->ends; destination++) {
    flows now = {0}, next = {0};
    for (uint32_t source = 0; source < f->ends; source++) {
      share[source] = 0;
      for (uint64_t i = 0; i < words; i++) /* the middle of each of so many equal parts of all words */
        share[source] += pattern->destination(f, config, table, source,
                                              UINT64_MAX / words * i + UINT64_MAX / words / 2) == destination;
      share[source] /= words;
      l.flits += share[source];
      for (uint64_t draw = 0; share[source] > 0 && draw < plan->random_headers; draw++)
        flows_add(&now, (flow){.node = source, .header = draw, .amount = share[source] / plan->random_headers});
    }
    while (now.count) {
      flows_merge(&now);
      for (size_t i = 0; i < now.count; i++) loads_hop(&l, plan, &now.at[i], destination, &next, candidate);
      flows spent = now;
      spent.count = 0;
      now = next;
      next = spent;
    }
    ripstop_free(now.at), ripstop_free(next.at);
  }
  for (uint32_t port = f->ends; port < f->ports; port++)
    if (f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]))
      l.most = fmax(l.most, l.of[port]);
  l.hops /= l.flits;
  free(share), free(candidate);
  return l;
}

typedef int (*loads_route)(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates);

/* The most that a channel carries, and the mean hops, of a method on a fabric under a pattern; pattern "name:options"
 * of so many equally likely candidates. `route` (NULL: the method's own) returns the candidates on its plan. */
static inline loads loads_by(const char *fabric, const char *method, loads_route route, const char *pattern,
                             uint32_t words) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = ripstop_fabric_open(fabric, &err);
  if (!f) fail_msg("%s", err.text);
  stand run_setup = stand_on(f, method, NULL);
  const char *options = strchr(pattern, ':');
  size_t length = options ? (size_t)(options - pattern) : strlen(pattern);
  const ripstop_pattern *p = NULL;
  for (size_t i = 0; ripstop_patterns[i]; i++)
    if (strlen(ripstop_patterns[i]->name) == length && !strncmp(ripstop_patterns[i]->name, pattern, length))
      p = ripstop_patterns[i];
  if (!p) fail_msg("no pattern %s", pattern);
  void *config = ripstop_arena_array(arena, 1, p->config_size + 1);
  const void *table;
  if (ripstop_options_parse(arena, "pattern", p->options, config, options ? options + 1 : NULL, &err) ||
      p->prepare(arena, f, config, 1, &table, &err))
    fail_msg("%s", err.text);
  ripstop_plan plan = *run_setup.plan;
  ripstop_method own = *plan.method;
  if (route) own.route = route, plan.method = &own;
  loads l = loads_of(&plan, p, config, table, words);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  free(l.of);
  l.of = NULL;
  return l;
}

static inline loads loads_on(const char *fabric, const char *method, const char *pattern, uint32_t words) {
  return loads_by(fabric, method, NULL, pattern, words);
}

/* Exactly so many of so many; `hops` 0 / 0: not looked at. */
static inline void assert_loads(const char *fabric, const char *method, const char *pattern, uint32_t words,
                                double load, double hops) {
  loads l = loads_on(fabric, method, pattern, words);
  if (fabs(l.most - load) > 1e-9 || fabs(l.hops - hops) > 1e-9)
    fail_msg("%s, %s, %s: load %.12g (%.12g), hops %.12g (%.12g)", fabric, method, pattern, l.most, load, l.hops, hops);
}

#endif
