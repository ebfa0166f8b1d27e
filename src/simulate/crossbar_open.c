/* crossbar_open.c - the memory of crossbars with a speedup or a matching. */
#include "simulate/crossbar.h"
#include "simulate/packet_lines.h"
#include "simulate/parts.h"

static int refuse(const run *r, ripstop_error *err) {
  const char *key = r->shape->matching ? "match" : "speedup";
  return ripstop_fail(err, "switch.%s: switch.queues = %s has no crossbar; input and voq have one", key,
                      r->config->switch_.queues);
}

static void open_states(run *r) {
  const shape *s = r->shape;
  void **state = RIPSTOP_ARRAY(r->arena, s->fabric->nodes, void *);
  uint32_t words = 0, queues = 0, ports = 0;
  for (uint32_t v = s->ends; v < s->fabric->nodes; v++) {
    const sim_node *n = &s->node[v];
    state[v] = ripstop_arena_array(r->arena, s->matching->state_size(n->queues, n->ports), 1);
    if (n->words > words) words = n->words;
    if (n->queues > queues) queues = n->queues;
    if (n->ports > ports) ports = n->ports;
  }
  for (uint32_t i = 0; i < s->parts; i++) {
    lines *l = r->part[i].lines;
    l->matching_state = state;
    l->inputs = RIPSTOP_ARRAY(r->arena, (size_t)ports * words, uint64_t);
    l->output_of = RIPSTOP_ARRAY(r->arena, queues, uint32_t);
  }
}

int crossbar_open(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  if (s->quarters == 4 && !s->matching) return 0;
  if (!r->part->lines && r->part->hook.entering) return refuse(r, err);
  if (!r->part->lines && lines_open(r, 1, s->vcs > 1, err)) return -1;
  r->part->hook.event[CROSSED - FEATURE_EVENTS] = crossbar_crossed;
  if (s->matching) open_states(r);
  return 0;
}
