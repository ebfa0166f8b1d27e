/* detour.c - to a drawn switch, and from there to the destination. */
#include "methods/shared/detour.h"

const ripstop_option ripstop_detour_options[] = {RIPSTOP_SHORTEST_OPTIONS("ordered"), {0}};

ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_answer answer = ripstop_shortest_plan(p, 2, err);
  if (answer == RIPSTOP_APPLIES) p->draws = ((const shortest *)p->data)->targets;
  return answer;
}

uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head, uint32_t target) {
  const shortest *s = p->data;
  uint32_t here = ripstop_is_end(p->fabric, head->node) ? ripstop_end_switch(p->fabric, head->node) : head->node,
           last = shortest_target(s, p, head->destination);
  bool is_round = s->node[target] != here && target != last;
  bool is_left = is_round && shortest_links(s, p, here, target) != SHORTEST_FAR &&
                 shortest_links(s, p, s->node[target], last) != SHORTEST_FAR;
  return is_left ? 1 + (uint64_t)target : 0;
}

int ripstop_detour_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const shortest *s = p->data;
  if (ripstop_is_end(p->fabric, head->node)) return ripstop_shortest_end(p, head, 0, head->header, ways);
  uint32_t last = shortest_target(s, p, head->destination);
  uint64_t header = head->header && s->node[head->header - 1] == head->node ? 0 : head->header;
  if (!header && s->node[last] == head->node)
    return ripstop_shortest_end(p, head, ripstop_end_switch_port(p->fabric, head->destination), 0, ways);
  uint32_t target = header ? (uint32_t)header - 1 : last;
  uint32_t links = shortest_links(s, p, head->node, target);
  if (header) links += shortest_links(s, p, s->node[target], last);
  return ripstop_shortest_ways(p, head, target, header != head->header,
                               (ripstop_way){.header = header, .space = 1, .weight = (uint16_t)links}, ways);
}
