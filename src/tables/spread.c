/* spread.c - whether the addresses of one end node use different paths, which is the purpose of several LIDs a port
 * (LMC). Two paths are compared by a 64-bit hash of their channels. */
#include "base/memory.h"
#include "ripstop/judge.h"
#include "tables/trees.h"

enum { ADDRESSES = 128 }; /* most addresses of one end node: LMC is at most 7 */

typedef struct spreader {
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  uint64_t *candidate; /* [addresses * switches]: hash for the present end node; 0: packets do not arrive */
  uint32_t *path;      /* [switches] */
  uint32_t home;
  uint32_t *sources; /* [switches]: its live end nodes */
} spreader;

static uint64_t add_channel(uint64_t hash, uint32_t port) {
  hash = (hash ^ (port + 1)) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 29;
  return hash ? hash : 1;
}

/* The port that a switch sends into; RIPSTOP_NONE: none that leads to a switch. */
static uint32_t port_of(const spreader *s, uint32_t address, uint32_t node) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t local = ripstop_forwarding_port(s->tables, address, node);
  if (local >= ripstop_node_ports(f, node) || !s->view->port_up[f->port_base[node] + local]) return RIPSTOP_NONE;
  return f->peer[f->port_base[node] + local] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_base[node] + local;
}

/* Follows entries to a switch whose hash is known, then returns along them. */
static void find_candidate(const spreader *s, uint32_t address, uint64_t *candidate, uint32_t from) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t count = 0, at = from;
  while (!candidate[at] && count < ripstop_fabric_switches(f)) {
    uint32_t port = port_of(s, address, f->ends + at);
    if (port == RIPSTOP_NONE || ripstop_is_end(f, f->port_node[f->peer[port]])) return;
    s->path[count++] = port;
    at = f->port_node[f->peer[port]] - f->ends;
  }
  for (uint64_t hash = candidate[at]; hash && count > 0;) {
    uint32_t port = s->path[--count];
    candidate[f->port_node[port] - f->ends] = hash = add_channel(hash, port);
  }
}

static void find_candidates(const spreader *s, uint32_t first, uint32_t count) {
  uint32_t switches = ripstop_fabric_switches(s->view->fabric);
  for (uint32_t k = 0; k < count; k++) {
    uint64_t *candidate = s->candidate + (size_t)k * switches;
    for (uint32_t i = 0; i < switches; i++) candidate[i] = i == s->home;
    for (uint32_t i = 0; i < switches; i++)
      if (s->sources[i]) find_candidate(s, first + k, candidate, i);
  }
}

static void count_candidates(const spreader *s, uint32_t from, uint32_t count, ripstop_spread *out) {
  uint32_t switches = ripstop_fabric_switches(s->view->fabric), different = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t own = s->candidate[(size_t)k * switches + from];
    bool again = false;
    if (!own) return;
    for (uint32_t j = 0; j < k && !again; j++) again = s->candidate[(size_t)j * switches + from] == own;
    different += !again;
  }
  out->pairs++;
  out->alone += different == 1;
  out->candidates += different;
}

static void look_at(spreader *s, uint32_t first, uint32_t count, ripstop_spread *out) {
  const ripstop_fabric *f = s->view->fabric;
  uint32_t end = s->tables->node[first], home = ripstop_end_switch(f, end);
  if (!s->view->port_up[f->port_base[end]]) return;
  s->home = home - f->ends;
  find_candidates(s, first, count);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++)
    if (s->sources[i] && i != s->home) count_candidates(s, i, count, out);
}

int ripstop_judge_spread(const ripstop_view *view, const ripstop_forwarding *tables, ripstop_spread *out,
                         ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_fabric *f = view->fabric;
  uint32_t switches = ripstop_fabric_switches(f);
  ripstop_arena *scratch = ripstop_arena_new();
  spreader s = {.view = view, .tables = tables};
  s.candidate = RIPSTOP_ARRAY(scratch, (size_t)ADDRESSES * switches, uint64_t);
  s.path = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  s.sources = RIPSTOP_ARRAY(scratch, switches, uint32_t);
  trees_count_sources(view, s.sources);
  *out = (ripstop_spread){0};
  for (uint32_t a = 0, count; a < tables->addresses; a += count) {
    for (count = 1; a + count < tables->addresses && tables->node[a + count] == tables->node[a];) count++;
    if (count > 1 && count <= ADDRESSES && ripstop_is_end(f, tables->node[a])) look_at(&s, a, count, out);
  }
  if (out->pairs) out->candidates /= (double)out->pairs;
  ripstop_arena_free(scratch);
  return 0;
}
