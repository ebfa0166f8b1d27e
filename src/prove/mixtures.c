/* mixtures.c - transient states: all states of the packets to one destination when each switch has any of the
 * versions of its tables that it can have around a change (versions.h), and their fates in the end.
 *
 * 1. The queues that packets can be in: every state that is reached from the NICs when each switch answers by any of
 * its versions, one after the other or mixed from hop to hop. In order (mixing.in_order), stage after stage: a packet
 * that has arrived somewhere in one stage continues by the versions of that stage and of later ones.
 * 2. The verdict: each of these states by the version that its switch has in the end (mixing.for_ever: by every
 * version, as if it stayed). Only these edges count, so fates.c and waits.c decide whether each packet arrives, is
 * dropped, loops forever or waits forever.
 *
 * A bubble ring counts only if all versions enter it by its rule, since packets in it came by any of them. Queues
 * behind failed links are states, too: packets that are past the link when it fails go on. An in-transit packet of a
 * NIC is in the output VC that leads to the NIC, as in a queue. */
#include <string.h>

#include "prove/proof.h"
#include "prove/states.h"
#include "ripstop/plugin/method.h"
#include "tables/versions.h"

enum { TRANSIT_PACKET_CHANNEL = 0 }; /* in-transit packets of a NIC form one queue, whatever channel they came on */

typedef struct mixing {
  ripstop_prover *p;
  const ripstop_versions *v;
  uint32_t destination;
  ripstop_error *err;
} mixing;

/* ------------------------------------------------------------------ heads and their candidates */

static uint32_t node_at(const ripstop_prover *p, uint32_t place) {
  return place >= p->lanes ? place - p->lanes : p->arrival[place].node;
}

static ripstop_head head_of(const mixing *m, const state *s) {
  const ripstop_prover *p = m->p;
  uint32_t node = node_at(p, s->place);
  bool at_end = ripstop_is_end(p->fabric, node);
  ripstop_head head = {.node = node,
                       .in_port = RIPSTOP_NONE,
                       .source = p->by_source || !at_end ? p->source : node,
                       .destination = m->destination,
                       .header = s->header,
                       .class_ = (uint8_t)p->class_};
  if (at_end) return head;
  head.in_port = p->arrival[s->place].port;
  head.channel = p->arrival[s->place].channel;
  return head;
}

static bool is_alive(const mixing *m, uint32_t node) {
  const ripstop_fabric *f = m->p->fabric;
  return m->v->after->view->node_up[ripstop_is_end(f, node) ? ripstop_end_switch(f, node) : node];
}

/* In-transit packets are identified by their output VC alone. */
static bool may_take(const mixing *m, const ripstop_node_version *by, const ripstop_head *head,
                     ripstop_candidate *candidate) {
  const ripstop_prover *p = m->p;
  uint32_t lane = p->first_lane[head->node] + lane_of_candidate(p, candidate);
  if (lane >= p->first_lane[head->node + 1] || candidate->channel >= p->channels ||
      (uint8_t)(candidate->space - 1) > 1 || !by->plan->view->port_up[lane / p->channels])
    return false;
  uint32_t next = p->arrival[lane].node;
  if (!ripstop_is_end(p->fabric, next) || next == head->destination) return true;
  candidate->channel = TRANSIT_PACKET_CHANNEL;
  return by->plan->transit_packets > 0;
}

static int break_rule(const mixing *m, const ripstop_head *head, const char *what) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(m->p->fabric, head->node, name);
  return ripstop_fail(m->err, "method %s: at %s it permits %s", m->v->after->method->name, name, what);
}

/* Writes the candidates of a head by a version to p->way and their number to `*candidates`; 0: stalled, less: lost. */
static int ask(const mixing *m, const ripstop_node_version *by, const ripstop_head *head, int *candidates) {
  ripstop_prover *p = m->p;
  *candidates = ripstop_version_candidates(by, head, p->candidate);
  if (*candidates > (int)p->candidates_max) return break_rule(m, head, "more candidates than it declares");
  for (int i = 0; i < *candidates; i++)
    if (!may_take(m, by, head, &p->candidate[i]))
      return break_rule(m, head, "a candidate that has failed or does not exist");
  if (*candidates > 0 && p->early) *candidates = states_keep_lowest_rank(p->candidate, *candidates);
  if (*candidates > 0) states_reserve(p, (uint32_t)*candidates);
  return 0;
}

/* ------------------------------------------------------------------ reachable queues */

static int follow(const mixing *m, uint32_t number, const ripstop_node_version *by) {
  ripstop_prover *p = m->p;
  uint32_t place = p->state[number].place;
  ripstop_head head = head_of(m, &p->state[number]);
  int candidates;
  if (ask(m, by, &head, &candidates)) return -1;
  for (int i = 0; i < candidates; i++) {
    uint32_t lane = p->first_lane[head.node] + lane_of_candidate(p, &p->candidate[i]);
    waits_enter(p, place, lane, p->candidate[i].space > 1);
    if (p->arrival[lane].node != m->destination) states_find_or_add(p, lane, p->candidate[i].header, number);
  }
  return 0;
}

/* Expands a state that is new in a stage, by all versions of that stage; RIPSTOP_NONE: by all versions. */
static int follow_all(const mixing *m, uint32_t number, uint32_t stage) {
  uint32_t node = node_at(m->p, m->p->state[number].place);
  for (uint32_t i = m->v->first[node]; i < m->v->first[node + 1]; i++) {
    const ripstop_node_version *by = &m->v->version[i];
    bool now = stage == RIPSTOP_NONE ? !by->again : by->from <= stage && stage <= by->to;
    if (now && follow(m, number, by)) return -1;
  }
  return 0;
}

static int find_mixed(const mixing *m) {
  for (uint32_t i = 0; i < m->p->states; i++)
    if (follow_all(m, i, RIPSTOP_NONE)) return -1;
  return 0;
}

/* The states at each node as a list, for stages in which its version changes. */
typedef struct lists {
  uint32_t *first; /* [nodes] */
  uint32_t *next;  /* [room] */
  uint32_t room;
  uint32_t *version; /* [nodes]: the next version */
} lists;

static void enlist(const mixing *m, lists *l, uint32_t number) {
  if (number >= l->room) {
    l->room = 2 * number + 1024;
    l->next = ripstop_realloc(l->next, l->room, sizeof *l->next);
  }
  uint32_t *first = &l->first[node_at(m->p, m->p->state[number].place)];
  l->next[number] = *first;
  *first = number;
}

/* Expands the states at a node from earlier stages, by the versions that begin in this one. */
static int begin_versions(const mixing *m, lists *l, uint32_t node, uint32_t stage) {
  for (; l->version[node] < m->v->first[node + 1] && m->v->version[l->version[node]].from == stage; l->version[node]++)
    for (uint32_t i = l->first[node]; i != RIPSTOP_NONE; i = l->next[i])
      if (follow(m, i, &m->v->version[l->version[node]])) return -1;
  return 0;
}

static int pass_stages(const mixing *m, lists *l) {
  const ripstop_prover *p = m->p;
  uint32_t done = 0;
  for (uint32_t stage = 0; stage < m->v->stages; stage++) {
    for (uint32_t node = 0; node < p->fabric->nodes; node++)
      if (begin_versions(m, l, node, stage)) return -1;
    for (; done < p->states; done++) {
      enlist(m, l, done);
      if (follow_all(m, done, stage)) return -1;
    }
  }
  return 0;
}

static int find_in_order(const mixing *m) {
  uint32_t nodes = m->p->fabric->nodes;
  lists l = {.first = ripstop_realloc(NULL, nodes, sizeof *l.first),
             .next = ripstop_realloc(NULL, nodes, sizeof *l.next),
             .room = nodes,
             .version = ripstop_realloc(NULL, nodes, sizeof *l.version)};
  memset(l.first, 0xff, nodes * sizeof *l.first);
  memcpy(l.version, m->v->first, nodes * sizeof *l.version);
  int status = pass_stages(m, &l);
  ripstop_free(l.first);
  ripstop_free(l.version);
  ripstop_free(l.next);
  return status;
}

/* ------------------------------------------------------------------ fates */

/* Ports that are down in the end lead nowhere; if a version that stays has no other candidate, the packet is lost. */
static int keep_live(const mixing *m, const ripstop_head *head, ripstop_candidate *candidate, int candidates) {
  const ripstop_fabric *f = m->p->fabric;
  int kept = 0;
  for (int i = 0; i < candidates; i++)
    if (m->v->after->view->port_up[f->port_base[head->node] + candidate[i].port]) candidate[kept++] = candidate[i];
  return candidates > 0 && kept == 0 ? RIPSTOP_TAKEN_AWAY : kept ? kept : candidates;
}

static void lead(const mixing *m, uint32_t number, const ripstop_head *head, int candidates) {
  ripstop_prover *p = m->p;
  for (int i = 0; i < candidates; i++) {
    uint32_t lane = p->first_lane[head->node] + lane_of_candidate(p, &p->candidate[i]);
    outlook *o = &p->state[number].outlook;
    if (p->arrival[lane].node == m->destination)
      *o = (outlook){.fate = o->fate | FATE_DELIVERED, .longest = 1, .shortest = 1};
    else
      p->edge[p->edges++] = states_find_or_add(p, lane, p->candidate[i].header, number);
  }
}

static int judge_by(const mixing *m, uint32_t number, const ripstop_head *head, const ripstop_node_version *by) {
  ripstop_prover *p = m->p;
  int candidates;
  if (ask(m, by, head, &candidates)) return -1;
  candidates = keep_live(m, head, p->candidate, candidates);
  if (candidates <= 0) p->state[number].outlook.fate |= FATE_LOST;
  lead(m, number, head, candidates);
  if (p->state[number].place >= p->lanes || candidates < 0) return 0;
  if (candidates)
    waits_add(p, number, head->node, (uint32_t)candidates, m->destination);
  else
    waits_hold(p, number, head->node, m->destination);
  return 0;
}

/* The first of the versions that a node is judged by. */
static uint32_t first_judged(const mixing *m, uint32_t node) {
  return m->p->mixing.for_ever ? m->v->first[node] : m->v->first[node + 1] - 1;
}

/* A packet in a failed switch is lost with it. */
static int judge(const mixing *m, uint32_t number) {
  ripstop_prover *p = m->p;
  ripstop_head head = head_of(m, &p->state[number]);
  p->state[number].first = p->edges;
  if (!is_alive(m, head.node)) {
    p->state[number].outlook.fate = FATE_LOST;
    return 0;
  }
  if (p->state[number].place < p->lanes) p->arrival[p->state[number].place].used = true;
  for (uint32_t i = first_judged(m, head.node); i < m->v->first[head.node + 1]; i++)
    if (!(p->mixing.for_ever && m->v->version[i].again) && judge_by(m, number, &head, &m->v->version[i])) return -1;
  return 0;
}

int transients_find(ripstop_prover *p, uint32_t destination, ripstop_error *err) {
  mixing m = {.p = p, .v = p->mixing.versions, .destination = destination, .err = err};
  states_add_sources(p, destination);
  if (p->mixing.in_order ? find_in_order(&m) : find_mixed(&m)) return -1;
  for (uint32_t i = 0; i < p->states; i++)
    if (judge(&m, i)) return -1;
  p->state[p->states].first = p->edges;
  return 0;
}

/* ------------------------------------------------------------------ printing */

const char *transients_loss(const ripstop_prover *p, const state *s, uint32_t destination) {
  ripstop_error err;
  mixing m = {.p = (ripstop_prover *)p, .v = p->mixing.versions, .destination = destination, .err = &err};
  ripstop_head head = head_of(&m, s);
  if (!is_alive(&m, head.node)) return "its switch has failed";
  for (uint32_t i = first_judged(&m, head.node); i < m.v->first[head.node + 1]; i++) {
    int candidates;
    if (ask(&m, &m.v->version[i], &head, &candidates)) return err.text[0] ? "a rule is broken" : NULL;
    candidates = keep_live(&m, &head, p->candidate, candidates);
    if (candidates == 0) return "it is stalled forever";
    if (candidates == RIPSTOP_TAKEN_AWAY) return "the switch has no entry that leads on";
    if (candidates < 0) return m.v->after->method->losses[-candidates - 1];
  }
  return NULL;
}

void transients_count(ripstop_prover *p, uint32_t destination, ripstop_proof *out) {
  mixing m = {.p = p, .v = p->mixing.versions, .destination = destination};
  for (uint32_t i = 0; i < p->states; i++) {
    const state *s = &p->state[i];
    uint32_t node = node_at(p, s->place);
    if (s->place >= p->lanes || !is_alive(&m, node)) continue;
    out->deadlock_packets++;
    if ((s->outlook.fate & FATE_CYCLE) && !out->livelock_walk) out->livelock_walk = walk_round(p, i, destination);
    if (!(s->outlook.fate & FATE_LOST) || p->component[node] != p->component[destination]) continue;
    out->dropped++;
    if (!out->dropped_walk) out->dropped_walk = walk_to(p, i, FATE_LOST, destination);
  }
}
