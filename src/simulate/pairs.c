/* pairs.c - finds the pairs of end nodes that share links with pairs that meet a fault: docs/model.md, "Kinds of
 * packet".
 *
 * For each class that routes depend on and each destination, the states (input queue, header) that packets of all
 * sources can reach form one graph; for methods that read the source, one graph per pair. There are two passes over the
 * graphs. The first finds the sources that can meet a fault (backward from the fault) and the channels that their
 * packets can use (forward). The second finds the sources that can use one of these channels; a plan under which no
 * pair meets a fault does not need it.
 *
 * Cost of a pass: one call of route per state, and O(states + candidates) per sweep over a graph. Few sweeps are
 * needed, because states are found in order of their distance. */
#include "simulate/pairs.h"
#include "ripstop/plugin/method.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "simulate/state.h"

enum { MOST_STATES = 1 << 24 }; /* in one graph */

/* A packet's head in an input queue. */
typedef struct place {
  uint64_t header;
  uint32_t port;         /* its input port; an end node's own port: the head is in the NIC */
  uint32_t same;         /* another place of this queue; RIPSTOP_NONE: none */
  uint32_t first, count; /* its candidates */
  uint8_t channel;
  bool hit;     /* the pass's event can happen from here on */
  bool reached; /* by packets that can meet a fault */
} place;

typedef struct step {
  uint32_t place; /* the next place; RIPSTOP_NONE: the destination */
  uint32_t port;  /* the output port */
} step;

typedef struct walk {
  const run *r;
  uint32_t class_, destination;
  uint32_t source; /* the packets' source, if the method reads it */
  place *place;
  uint32_t places, place_room, starts; /* the first `starts` places are NICs */
  step *step;
  uint32_t steps, step_room;
  uint32_t *last; /* [ports * channels]: the last place found for this input queue, or RIPSTOP_NONE */
  ripstop_candidate *candidate;
  uint8_t *touched; /* [ports]: a packet that can meet a fault can leave by it */
  bool any;         /* some packet can meet a fault */
} walk;

/* ------------------------------------------------------------------ the graph */

static uint32_t find_or_add(walk *w, uint32_t port, uint8_t channel, uint64_t header) {
  uint32_t *last = &w->last[port * w->r->shape->plan_channels + channel];
  for (uint32_t i = *last; i != RIPSTOP_NONE; i = w->place[i].same)
    if (w->place[i].header == header) return i;
  RIPSTOP_GROW(w->place, w->places, w->place_room);
  w->place[w->places] = (place){.header = header, .port = port, .same = *last, .channel = channel};
  return *last = w->places++;
}

static int break_rule(const walk *w, uint32_t node, const char *what, unsigned number, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->r->fabric, node, name);
  return ripstop_fail(err, "method %s: at %s its answer has %s %u", w->r->plan->method->name, name, what, number);
}

/* Adds one candidate. A NIC sends an in-transit packet as if it were the end node's own. */
static int add_step(walk *w, uint32_t node, const ripstop_candidate *candidate, ripstop_error *err) {
  const ripstop_fabric *f = w->r->fabric;
  uint32_t port = f->port_base[node] + candidate->port;
  if (candidate->port >= ripstop_node_ports(f, node) || !w->r->view->port_up[port])
    return break_rule(w, node, "a port that is down or does not exist, port", candidate->port, err);
  if (candidate->channel >= w->r->shape->plan_channels)
    return break_rule(w, node, "a virtual channel that does not exist, number", candidate->channel, err);
  uint32_t peer = f->peer[port], next = f->port_node[peer];
  bool to_end = ripstop_is_end(f, next), to_transit_packet = to_end && next != w->destination;
  if (to_transit_packet && w->r->plan->transit_packets == 0)
    return break_rule(w, node, "a candidate to the wrong end node,", next, err);
  RIPSTOP_GROW(w->step, w->steps, w->step_room);
  uint32_t target = to_end && !to_transit_packet
                        ? RIPSTOP_NONE
                        : find_or_add(w, peer, to_end ? 0 : candidate->channel, candidate->header);
  w->step[w->steps++] = (step){.place = target, .port = port};
  return 0;
}

/* Adds the candidates of a place. It is hit if it has none, or if one of them detours around a fault. */
static int add_candidates(walk *w, uint32_t index, ripstop_error *err) {
  const ripstop_fabric *f = w->r->fabric;
  const place *at = &w->place[index];
  uint32_t node = f->port_node[at->port];
  ripstop_head head = {.node = node,
                       .in_port = ripstop_is_end(f, node) ? RIPSTOP_NONE : at->port - f->port_base[node],
                       .source = w->source,
                       .destination = w->destination,
                       .header = at->header,
                       .channel = at->channel,
                       .class_ = (uint8_t)w->class_};
  int candidates = ripstop_route(w->r->plan, &head, w->candidate);
  if (candidates == 0 || candidates > (int)w->r->shape->candidates_max)
    return break_rule(w, node, "a number of candidates out of range:", (unsigned)candidates, err);
  bool hit = candidates < 0;
  uint32_t first = w->steps;
  for (int i = 0; i < candidates; i++) {
    if (add_step(w, node, &w->candidate[i], err)) return -1;
    hit |= w->candidate[i].marks != 0;
  }
  place *again = &w->place[index]; /* the array may have moved */
  again->first = first;
  again->count = w->steps - first;
  again->hit = hit;
  return 0;
}

static bool is_source(const walk *w, uint32_t end) {
  return end != w->destination && w->r->view->node_up[ripstop_end_switch(w->r->fabric, end)];
}

static int build_graph(walk *w, ripstop_error *err) {
  const ripstop_fabric *f = w->r->fabric;
  for (uint32_t i = 0; i < w->places; i++)
    w->last[w->place[i].port * w->r->shape->plan_channels + w->place[i].channel] = RIPSTOP_NONE;
  w->places = w->steps = 0;
  bool by_source = w->r->plan->method->by_source;
  for (uint32_t end = by_source ? w->source : 0; end < (by_source ? w->source + 1 : f->ends); end++)
    for (uint32_t draw = 0; draw < w->r->plan->random_headers && is_source(w, end); draw++)
      find_or_add(w, f->port_base[end], 0, draw);
  w->starts = w->places;
  for (uint32_t i = 0; i < w->places; i++) {
    if (add_candidates(w, i, err)) return -1;
    if (w->places > MOST_STATES)
      return ripstop_fail(err, "method %s: a packet can reach more than %d states", w->r->plan->method->name,
                          MOST_STATES);
  }
  return 0;
}

/* ------------------------------------------------------------------ the sweeps */

/* Spreads hits to all places from which they can be reached. */
static void spread_back(walk *w) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = w->places; i-- > 0;) {
      place *p = &w->place[i];
      for (uint32_t k = p->first; k < p->first + p->count && !p->hit; k++)
        p->hit = w->step[k].place != RIPSTOP_NONE && w->place[w->step[k].place].hit && (changed = true);
    }
  }
}

/* Marks every channel that packets of hit NICs can use. */
static void touch_channels(walk *w) {
  for (uint32_t i = 0; i < w->starts; i++) w->any |= w->place[i].reached = w->place[i].hit;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < w->places; i++) {
      const place *p = &w->place[i];
      for (uint32_t k = p->first; k < p->first + p->count && p->reached; k++) {
        uint32_t next = w->step[k].place;
        w->touched[w->step[k].port] = 1;
        if (next == RIPSTOP_NONE || w->place[next].reached) continue;
        w->place[next].reached = true;
        again |= next < i;
      }
    }
  }
}

static bool is_between_switches(const ripstop_fabric *f, uint32_t port) {
  return !ripstop_is_end(f, f->port_node[port]) && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static void find_touched(walk *w) {
  spread_back(w);
  touch_channels(w);
}

static void find_affected(walk *w) {
  const ripstop_fabric *f = w->r->fabric;
  for (uint32_t i = 0; i < w->places; i++) {
    place *p = &w->place[i];
    for (uint32_t k = p->first; k < p->first + p->count && !p->hit; k++)
      p->hit = w->touched[w->step[k].port] && is_between_switches(f, w->step[k].port);
  }
  spread_back(w);
  for (uint32_t i = 0; i < w->starts; i++) {
    uint64_t number = pair_bit(f->ends, w->class_, f->port_node[w->place[i].port], w->destination);
    if (w->place[i].hit) w->r->part->measure.affected[number / 64] |= bit((uint32_t)(number % 64));
  }
}

/* ------------------------------------------------------------------ all pairs */

static int each_graph(walk *w, void (*look)(walk *), ripstop_error *err) {
  uint32_t ends = w->r->fabric->ends, sources = w->r->plan->method->by_source ? ends : 1;
  for (w->class_ = 0; w->class_ < w->r->part->measure.routed_classes; w->class_++)
    for (w->destination = 0; w->destination < ends; w->destination++) {
      if (ripstop_stopped(w->r->config->stop)) return ripstop_fail(err, "stopped");
      for (w->source = 0; w->source < sources; w->source++) {
        if (build_graph(w, err)) return -1;
        look(w);
      }
    }
  return 0;
}

static size_t words_of(const run *r) {
  return (size_t)(pair_bit(r->fabric->ends, r->part->measure.routed_classes, 0, 0) / 64 + 1);
}

int pairs_open(run *r, ripstop_error *err) {
  if (!r->config->measure.affected) return 0;
  if (r->fabric->ends > PAIRS_ENDS)
    return ripstop_fail(err, "measure.affected: %s has %u end nodes; its limit is %d", r->fabric->spec, r->fabric->ends,
                        PAIRS_ENDS);
  r->part->measure.routed_classes = r->plan->classes < r->shape->classes ? r->plan->classes : r->shape->classes;
  r->part->measure.affected = RIPSTOP_ARRAY(r->arena, words_of(r), uint64_t);
  return 0;
}

int pairs_decide(run *r, ripstop_error *err) {
  if (!r->part->measure.affected) return 0;
  size_t vcs = (size_t)r->fabric->ports * r->shape->plan_channels;
  walk w = {.r = r, .place_room = 1024, .step_room = 4096};
  w.place = ripstop_realloc(NULL, w.place_room, sizeof *w.place);
  w.step = ripstop_realloc(NULL, w.step_room, sizeof *w.step);
  w.last = ripstop_realloc(NULL, vcs, sizeof *w.last);
  memset(w.last, 0xff, vcs * sizeof *w.last);
  w.candidate = ripstop_realloc(NULL, r->shape->candidates_max, sizeof *w.candidate);
  w.touched = ripstop_realloc(NULL, r->fabric->ports, 1);
  memset(w.touched, 0, r->fabric->ports);
  memset(r->part->measure.affected, 0, words_of(r) * sizeof *r->part->measure.affected);
  int status = each_graph(&w, find_touched, err);
  if (status == 0 && w.any) status = each_graph(&w, find_affected, err);
  ripstop_free(w.place);
  ripstop_free(w.step);
  ripstop_free(w.last);
  ripstop_free(w.candidate);
  ripstop_free(w.touched);
  return status;
}
