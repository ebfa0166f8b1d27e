/* visits.c - packet after packet, state after state; states are not merged or cached. */
#include "prove/visits.h"

#include "base/growing.h"
#include "prove/lowest.h"

void visits_forget(checker *c) {
  for (uint32_t i = 0; i < c->visits; i++)
    if (c->visit[i].lane != RIPSTOP_NONE) c->last[c->visit[i].lane] = RIPSTOP_NONE;
  c->visits = 0;
}

static void add_visit(checker *c, const ripstop_head *head, uint32_t lane, uint32_t parent) {
  uint32_t before = lane == RIPSTOP_NONE ? RIPSTOP_NONE : c->last[lane];
  for (uint32_t i = before; i != RIPSTOP_NONE; i = c->visit[i].before)
    if (c->visit[i].head.header == head->header) return;
  RIPSTOP_GROW(c->visit, c->visits, c->room);
  if (lane != RIPSTOP_NONE) c->last[lane] = c->visits;
  c->visit[c->visits++] = (visit){.head = *head, .lane = lane, .parent = parent, .before = before};
}

void visits_add_source(checker *c, uint32_t source, uint32_t destination, uint32_t class_) {
  ripstop_head head = {
      .node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination, .class_ = (uint8_t)class_};
  for (head.header = 0; head.header < c->plan->random_headers; head.header++)
    add_visit(c, &head, RIPSTOP_NONE, RIPSTOP_NONE);
}

static int break_rule(const checker *c, const ripstop_head *head, const char *what) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->fabric, head->node, name);
  return ripstop_fail(c->err, "method %s breaks a rule at %s: %s", c->plan->method->name, name, what);
}

int visits_ask(checker *c, const ripstop_head *head, int *candidates) {
  const ripstop_fabric *f = c->fabric;
  *candidates = ripstop_route(c->plan, head, c->candidate);
  if (*candidates == 0 || *candidates > (int)c->plan->candidates_max)
    return break_rule(c, head, "a number of candidates that is not allowed");
  if (*candidates < 0) *candidates = 0;
  for (int i = 0; i < *candidates; i++) {
    const ripstop_candidate *candidate = &c->candidate[i];
    uint32_t port = f->port_base[head->node] + candidate->port;
    if (candidate->port >= ripstop_node_ports(f, head->node) || !c->plan->view->port_up[port])
      return break_rule(c, head, "a candidate through a port that has failed or does not exist");
    if (candidate->channel >= c->channels || candidate->space < 1 || candidate->space > 2)
      return break_rule(c, head, "a channel or a space that is not allowed");
    uint32_t next = f->port_node[f->peer[port]];
    if (ripstop_is_end(f, next) && next != head->destination)
      return break_rule(c, head, "a candidate to another end node");
  }
  if (takes_lowest_rank(c->plan)) *candidates = lowest_rank_first(c->candidate, *candidates);
  return 0;
}

static int follow_candidates(checker *c, uint32_t from) {
  const ripstop_fabric *f = c->fabric;
  ripstop_head head = c->visit[from].head;
  int candidates;
  if (visits_ask(c, &head, &candidates)) return -1;
  for (int i = 0; i < candidates; i++) {
    uint32_t lane = lane_of_candidate(c, &head, &c->candidate[i]), in = f->peer[lane / c->channels];
    if (leads_to_end(c, lane)) continue;
    ripstop_head next = head;
    next.node = f->port_node[in];
    next.in_port = in - f->port_base[next.node];
    next.channel = c->candidate[i].channel;
    next.header = c->candidate[i].header;
    add_visit(c, &next, lane, from);
  }
  return 0;
}

int visits_complete(checker *c) {
  for (uint32_t i = 0; i < c->visits; i++)
    if (follow_candidates(c, i)) return -1;
  return 0;
}
