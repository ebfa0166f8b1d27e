/* detour.c - routing via a random switch. */
#include "methods/shared/detour.h"

const ripstop_option ripstop_detour_options[] = {RIPSTOP_SHORTEST_OPTIONS("auto"), {0}};

ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_answer answer = ripstop_shortest_plan(p, 2, err);
  if (answer == RIPSTOP_APPLIES) p->random_headers = ((const shortest *)p->data)->targets;
  return answer;
}

/* Virtual channels to reserve at the target: the rises that a packet needs from there to its destination, after any
 * link. 0 without faults, if there are enough virtual channels for every packet. */
static uint32_t reserve_at(const ripstop_plan *p, uint32_t target, uint32_t last) {
  const shortest *s = p->data;
  return s->whole ? 0 : ripstop_shortest_rises_from(p, s->node[target], last) + 1;
}

static bool lasts(const ripstop_plan *p, uint32_t here, uint32_t target, uint32_t reserve) {
  const shortest *s = p->data;
  if (shortest_links(s, p, here, target) == SHORTEST_FAR) return false;
  return s->whole || s->node[target] == here || ripstop_shortest_rises_from(p, here, target) + reserve < p->channels;
}

/* A packet reaches its destination via a target that is neither its first nor its last switch. */
static bool serves_over(const ripstop_plan *p, uint32_t here, uint32_t target, uint32_t last) {
  const shortest *s = p->data;
  if (s->node[target] == here || target == last) return false;
  if (shortest_links(s, p, s->node[target], last) == SHORTEST_FAR) return false;
  return lasts(p, here, target, reserve_at(p, target, last));
}

/* Replaces a target that cannot serve: the first that can, from a hash of random number, source and destination on. So
 * the load of a target that a failed link disables spreads over all others. */
static uint64_t other_over(const ripstop_plan *p, const ripstop_head *head, uint32_t here, uint32_t last) {
  const shortest *s = p->data;
  uint32_t word[4];
  ripstop_random_block(head->header, RIPSTOP_RANDOM_HEADER, head->node, head->destination, word);
  for (uint32_t i = 0, at = word[0] % s->targets; i < s->targets; i++, at = at + 1 < s->targets ? at + 1 : 0)
    if (serves_over(p, here, at, last)) return 1 + (uint64_t)at;
  return 0;
}

uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head) {
  const shortest *s = p->data;
  uint32_t here = ripstop_end_switch(p->fabric, head->node), last = shortest_target(s, p, head->destination),
           target = (uint32_t)head->header;
  if (shortest_links(s, p, here, last) == SHORTEST_FAR) return 0;
  const bool is_straight = s->node[target] == here || target == last;
  if (is_straight && lasts(p, here, last, 0)) return 0;
  if (!is_straight && serves_over(p, here, target, last)) return 1 + (uint64_t)target;
  return other_over(p, head, here, last);
}

int ripstop_detour_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const shortest *s = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return ripstop_shortest_end(p, head, 0, head->header, candidates);
  uint32_t last = shortest_target(s, p, head->destination);
  uint64_t header = head->header && s->node[head->header - 1] == head->node ? 0 : head->header;
  if (!header && s->node[last] == head->node)
    return ripstop_shortest_end(p, head, ripstop_end_switch_port(p->fabric, head->destination), 0, candidates);
  uint32_t target = header ? (uint32_t)header - 1 : last;
  uint32_t links = shortest_links(s, p, head->node, target);
  if (header && shortest_links(s, p, s->node[target], last) == SHORTEST_FAR) return -(1 + SHORTEST_NO_PATH);
  if (header) links += shortest_links(s, p, s->node[target], last);
  return ripstop_shortest_candidates(p, head, target, header != head->header, header ? reserve_at(p, target, last) : 0,
                                     (ripstop_candidate){.header = header, .space = 1, .weight = (uint16_t)links},
                                     candidates);
}
