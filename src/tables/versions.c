/* versions.c - the versions of tables that belong to plans, and the answers of any version. Those of a protocol are
 * found in src/proto/network_versions.c. */
#include "tables/versions.h"

#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "tables/addresses.h"

/* ------------------------------------------------------------------ versions of plans */

ripstop_versions *ripstop_versions_of_plans(const ripstop_plan *before, const ripstop_plan *after,
                                            const ripstop_forwarding *old, const ripstop_forwarding *new_,
                                            ripstop_writing writing) {
  RIPSTOP_GUARD(NULL, NULL);
  const ripstop_fabric *f = after->fabric;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_versions *v = RIPSTOP_NEW(arena, ripstop_versions);
  *v = (ripstop_versions){.before = before, .after = after, .stages = 1, .arena = arena};
  v->first = RIPSTOP_ARRAY(arena, f->nodes + 1, uint32_t);
  v->version = RIPSTOP_ARRAY(arena, 2 * (size_t)f->nodes, ripstop_node_version);
  ripstop_node_version *whole = RIPSTOP_ARRAY(arena, 3, ripstop_node_version), *empty = whole + 2;
  whole[0] = (ripstop_node_version){.plan = before, .table = old};
  whole[1] = (ripstop_node_version){.plan = after, .table = new_};
  *empty = (ripstop_node_version){.plan = after, .table = new_, .keeps = whole};
  for (uint32_t node = 0; node < f->nodes; node++) {
    v->first[node + 1] = 2 * (node + 1);
    v->version[2 * node] = writing == RIPSTOP_WRITE_AFTER_EMPTY ? *empty : whole[0];
    v->version[2 * node + 1] = writing == RIPSTOP_WRITE_EMPTY ? *empty : whole[1];
  }
  return v;
}

void ripstop_versions_free(ripstop_versions *v) {
  if (!v) return;
  for (uint32_t i = 0; i < v->plans; i++) {
    ripstop_plan_free(v->plan[i]);
    ripstop_view_free(v->view[i]);
  }
  ripstop_forwarding_free(v->repaired);
  ripstop_arena_free(v->arena);
}

/* ------------------------------------------------------------------ their answers */

/* An entry that two tables have in common answers the same in both. */
static bool same_candidates(const ripstop_candidate *a, const ripstop_candidate *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].port != b[i].port || a[i].channel != b[i].channel || a[i].header != b[i].header) return false;
  return true;
}

/* By forwarding tables: the header is the packet's service level, and the random address of its destination. */
static int table_candidates(const ripstop_node_version *v, const ripstop_head *head, ripstop_candidate *candidate) {
  const ripstop_forwarding *t = v->table;
  const ripstop_fabric *f = t->fabric;
  const uint32_t random_headers = v->plan->random_headers, draw = (uint32_t)(head->header % random_headers);
  uint32_t first = f->port_base[head->node], address = ripstop_first_address(t, head->destination) + draw;
  bool at_end = ripstop_is_end(f, head->node);
  if (address >= t->addresses || t->node[address] != head->destination) return RIPSTOP_TAKEN_AWAY;
  unsigned level =
      at_end ? ripstop_forwarding_level(t, head->source, address) : (unsigned)(head->header / random_headers);
  *candidate = (ripstop_candidate){.header = (uint64_t)level * random_headers + draw, .space = 1};
  if (!at_end) candidate->port = ripstop_forwarding_port(t, address, head->node);
  if (candidate->port >= ripstop_node_ports(f, head->node) || !v->plan->view->port_up[first + candidate->port])
    return RIPSTOP_TAKEN_AWAY;
  candidate->channel =
      (uint8_t)(at_end ? ripstop_forwarding_end_lane(t, head->node, level)
                       : ripstop_forwarding_lane(t, head->node, head->in_port, candidate->port, level));
  uint32_t next = f->port_node[f->peer[first + candidate->port]];
  bool astray = ripstop_is_end(f, next) && next != head->destination;
  return astray || candidate->channel >= v->plan->channels ? RIPSTOP_TAKEN_AWAY : 1;
}

static int whole_candidates(const ripstop_node_version *v, const ripstop_head *head, ripstop_candidate *candidates) {
  if (v->state) return v->plan->method->proto->candidates(v->plan, v->state, head, candidates);
  return v->table ? table_candidates(v, head, candidates) : ripstop_route(v->plan, head, candidates);
}

int ripstop_version_candidates(const ripstop_node_version *v, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = whole_candidates(v, head, candidates);
  if (!v->keeps || count <= 0) return count;
  int other = whole_candidates(v->keeps, head, candidates + count);
  return other == count && same_candidates(candidates, candidates + count, count) ? count : RIPSTOP_TAKEN_AWAY;
}

uint32_t ripstop_versions_candidates_max(const ripstop_versions *v) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < v->first[v->after->fabric->nodes]; i++)
    if (v->version[i].plan->candidates_max > most) most = v->version[i].plan->candidates_max;
  return most;
}

uint32_t ripstop_versions_channels(const ripstop_versions *v) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < v->first[v->after->fabric->nodes]; i++)
    if (v->version[i].plan->channels > most) most = v->version[i].plan->channels;
  return most;
}
