/* bound.c - what no routing of a fabric can do better: paths on its most loaded channel.
 *
 * Two bounds, of which the larger counts. Cuts: the paths into and out of one switch's end nodes share its live links,
 * and those of a part of a tree the links out of it (tables/cut_bound.h). Weights: give each channel any weight; all
 * paths together are at least as long as shortest ones, and some channel carries as many paths as all have length, on
 * the weighted average (the dual of the linear program of least congestion). Equal weights count hops; others are found
 * by multiplicative weights: channels that carry more of the present shortest paths become heavier (Plotkin, Shmoys and
 * Tardos, 1995). Every round is a proof by itself, so it may end at any time.
 *
 * Cost: a round is a search to each switch with end nodes; rounds end when together they have looked at WORK edges. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ripstop/kit/judge.h"
#include "tables/cut_bound.h"
#include "tables/trees.h"

#define WORK UINT64_C(30000000) /* about a second */
enum { ROUNDS = 100 };
static const double eagerness = 0.3;

typedef struct item {
  double distance;
  uint32_t switch_;
} item;

typedef struct bounder {
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  uint32_t switches, channels;
  uint32_t *hosts;         /* [switches] */
  double *weight, *load;   /* [ports]: for the channel that a port sends into */
  double *distance, *flow; /* [switches] */
  uint32_t *toward;        /* [switches]: the port that leads on */
  uint32_t *order;         /* [switches]: in the order in which they were settled */
  bool *settled;
  item *heap; /* [ports] */
  size_t heaped;
} bounder;

static bool is_channel(const bounder *b, uint32_t port) {
  const ripstop_fabric *f = b->fabric;
  return b->view->port_up[port] && !ripstop_is_end(f, f->port_node[port]) &&
         !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static void open_bounder(bounder *b, ripstop_arena *arena, const ripstop_view *view) {
  const ripstop_fabric *f = view->fabric;
  uint32_t n = ripstop_fabric_switches(f);
  *b = (bounder){.view = view, .fabric = f, .switches = n};
  b->hosts = RIPSTOP_ARRAY(arena, n, uint32_t);
  double **const reals[] = {&b->weight, &b->load, &b->distance, &b->flow};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
    *reals[i] = RIPSTOP_ARRAY(arena, i < 2 ? f->ports : n, double);
  b->toward = RIPSTOP_ARRAY(arena, n, uint32_t);
  b->order = RIPSTOP_ARRAY(arena, n, uint32_t);
  b->settled = RIPSTOP_ARRAY(arena, n, bool);
  b->heap = RIPSTOP_ARRAY(arena, (size_t)f->ports + 1, item);
  trees_count_sources(view, b->hosts);
  for (uint32_t port = 0; port < f->ports; port++)
    if (is_channel(b, port)) b->weight[port] = 1, b->channels++;
}

/* ------------------------------------------------------------------ cuts */

static uint64_t best_cut(const ripstop_view *view, uint32_t addresses, ripstop_arena *scratch) {
  switch_graph net;
  switch_graph_make(&net, view, (switch_graph_kind){0}, scratch);
  net.addresses = addresses;
  return cut_bound(&net, scratch);
}

/* ------------------------------------------------------------------ weights */

static void push(bounder *b, double distance, uint32_t s) {
  size_t at = b->heaped++;
  for (; at > 0 && b->heap[(at - 1) / 2].distance > distance; at = (at - 1) / 2) b->heap[at] = b->heap[(at - 1) / 2];
  b->heap[at] = (item){distance, s};
}

static uint32_t pop(bounder *b) {
  uint32_t top = b->heap[0].switch_;
  item last = b->heap[--b->heaped];
  size_t at = 0, child;
  while ((child = 2 * at + 1) < b->heaped) {
    if (child + 1 < b->heaped && b->heap[child + 1].distance < b->heap[child].distance) child++;
    if (b->heap[child].distance >= last.distance) break;
    b->heap[at] = b->heap[child];
    at = child;
  }
  b->heap[at] = last;
  return top;
}

/* Relaxes the switches from which a settled switch can be reached. */
static void relax(bounder *b, uint32_t s) {
  const ripstop_fabric *f = b->fabric;
  uint32_t node = f->ends + s;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (!is_channel(b, port)) continue;
    uint32_t from = f->peer[port], other = f->port_node[from] - f->ends;
    double distance = b->distance[s] + b->weight[from];
    if (distance >= b->distance[other]) continue;
    b->distance[other] = distance;
    b->toward[other] = from;
    push(b, distance, other);
  }
}

/* Finds shortest paths of all switches to one, in `order`. Returns how many reach it. */
static uint32_t search(bounder *b, uint32_t target) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < b->switches; s++) b->distance[s] = INFINITY, b->settled[s] = false;
  b->distance[target] = 0;
  push(b, 0, target);
  while (b->heaped > 0) {
    uint32_t s = pop(b);
    if (b->settled[s]) continue;
    b->settled[s] = true;
    b->order[count++] = s;
    relax(b, s);
  }
  return count;
}

/* Adds all paths to the end nodes of a switch. Returns their total length. */
static double send(bounder *b, uint32_t target) {
  uint32_t count = search(b, target);
  double length = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t s = b->order[i];
    b->flow[s] = (double)b->hosts[s] * (double)b->hosts[target];
    length += b->flow[s] * b->distance[s];
  }
  for (uint32_t i = count; i-- > 1;) {
    uint32_t s = b->order[i], port = b->toward[s];
    b->load[port] += b->flow[s];
    b->flow[b->fabric->port_node[b->fabric->peer[port]] - b->fabric->ends] += b->flow[s];
  }
  return length;
}

/* The bound that the present weights prove. */
static double weigh(bounder *b) {
  double length = 0, weight = 0;
  memset(b->load, 0, b->fabric->ports * sizeof *b->load);
  for (uint32_t s = 0; s < b->switches; s++)
    if (b->hosts[s]) length += send(b, s);
  for (uint32_t port = 0; port < b->fabric->ports; port++) weight += b->weight[port];
  return weight > 0 ? length / weight : 0;
}

static void reweigh(bounder *b) {
  double most = 0, heaviest = 0;
  for (uint32_t port = 0; port < b->fabric->ports; port++) most = fmax(most, b->load[port]);
  for (uint32_t port = 0; port < b->fabric->ports && most > 0; port++) {
    b->weight[port] *= 1 + eagerness * b->load[port] / most;
    heaviest = fmax(heaviest, b->weight[port]);
  }
  for (uint32_t port = 0; port < b->fabric->ports && most > 0; port++) b->weight[port] /= heaviest;
}

static double best_weights(bounder *b, double enough) {
  uint64_t targets = 0;
  double best = 0;
  for (uint32_t s = 0; s < b->switches; s++) targets += b->hosts[s] > 0;
  uint64_t round = targets * b->channels + 1, rounds = WORK / round + 1;
  for (unsigned i = 0; i < rounds && i < ROUNDS && best < enough; i++) {
    best = fmax(best, weigh(b));
    reweigh(b);
  }
  return best;
}

uint64_t ripstop_judge_bound(const ripstop_view *view, uint32_t addresses, uint64_t enough) {
  RIPSTOP_GUARD(NULL, UINT64_MAX);
  ripstop_arena *scratch = ripstop_arena_new();
  bounder b;
  open_bounder(&b, scratch, view);
  uint64_t cut = best_cut(view, addresses, scratch);
  double weights = cut < enough ? addresses * best_weights(&b, (double)enough / addresses) : 0;
  weights = ceil(weights * (1 - 1e-9) - 1e-6); /* the sums are exact to far less than a millionth of a path */
  ripstop_arena_free(scratch);
  return weights > (double)cut ? (uint64_t)weights : cut;
}
