/* print.c - prints immunet's messages, routers and components as text and as JSON. */
#include <stdlib.h>

#include "methods/immunet/immunet.h"
#include "methods/shared/router_text.h"

void ripstop_immunet_print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  static const char *const words[] = {[EMERG] = "emergency", [ACK] = "ack", [SAFE] = "safe", [DISTANCE] = "distance"};
  ripstop_text_add(out, "%s %llu", words[m->kind], (unsigned long long)m->epl);
  if (m->kind == EMERG || m->kind == ACK) return;
  ripstop_text_add(out, " ");
  ripstop_add_router(out, p, m->router);
  if (m->kind == DISTANCE) ripstop_text_add(out, " is %u away", m->distance);
}

static uint32_t router_behind(const ripstop_plan *p, uint32_t node, uint32_t port) {
  return p->fabric->port_node[p->fabric->peer[p->fabric->port_base[node] + port]];
}

static void add_name(ripstop_text *out, const ripstop_fabric *f, uint32_t node, const char *before) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  ripstop_text_add(out, "%s\"%s\"", before, name);
}

/* The routers behind these ports, each once. */
static void add_neighbours(ripstop_text *out, const ripstop_plan *p, uint32_t node, uint64_t ports) {
  const char *before = "[";
  for (uint64_t left = ports; left; left &= left - 1) {
    uint32_t neighbour = router_behind(p, node, lowest(left));
    bool again = false;
    for (uint64_t earlier = ports & (bit(lowest(left)) - 1); earlier; earlier &= earlier - 1)
      again |= router_behind(p, node, lowest(earlier)) == neighbour;
    if (again) continue;
    add_name(out, p->fabric, neighbour, before);
    before = ",";
  }
  ripstop_text_add(out, *before == '[' ? "[]" : "]");
}

/* {"epl":13,"emergency":false,"parent":2,"children":[0,1],"entry":[2,0,...],"distances":[0,1,...],
 *  "minimal_ports":[[],["0.1"],...]}
 * Numbers are ports. For every router, in order: the port into the ring, the distance (number of routers: unknown) and
 * the neighbours nearer to it. Before any emergency there is no tree. */
void ripstop_immunet_json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const memory *m = state;
  uint32_t routers = ((const tables *)p->data)->routers;
  arrays a = ripstop_immunet_open_memory(p, m->node, state);
  uint64_t nearer;
  ripstop_text_add(out, "{\"epl\":%llu,\"emergency\":%s,\"parent\":", (unsigned long long)m->epl,
                   m->open ? "true" : "false");
  ripstop_text_add(out, m->parent == NO_PORT ? "null" : "%u", m->parent);
  ripstop_text_add(out, ",\"children\":");
  ripstop_add_ports(out, m->children);
  ripstop_text_add(out, ",\"entry\":[");
  for (uint32_t to = 0; to < routers; to++) {
    uint8_t entry = a.entry[to] == NO_PORT ? m->parent : a.entry[to];
    if (to) ripstop_text_add(out, ",");
    ripstop_text_add(out, m->epl == 0 || entry == NO_PORT || p->fabric->ends + to == m->node ? "null" : "%u", entry);
  }
  ripstop_text_add(out, "],\"distances\":[");
  for (uint32_t to = 0; to < routers; to++)
    ripstop_text_add(out, "%s%u", to ? "," : "", ripstop_immunet_known_distance(p, &a, to, &nearer));
  ripstop_text_add(out, "],\"minimal_ports\":[");
  for (uint32_t to = 0; to < routers; to++) {
    ripstop_immunet_known_distance(p, &a, to, &nearer);
    if (to) ripstop_text_add(out, ",");
    add_neighbours(out, p, m->node, nearer);
  }
  ripstop_text_add(out, "]}");
}
static void component_json(const component *c, const ripstop_plan *p, const void *const *state, ripstop_text *out) {
  const char *before = "{\"routers\":[";
  for (uint32_t v = p->fabric->ends; v < p->fabric->nodes; v++) {
    if (!c->member[v - p->fabric->ends]) continue;
    add_name(out, p->fabric, v, before);
    before = ",";
  }
  ripstop_text_add(out, "],\"root\":");
  if (c->root == RIPSTOP_NONE)
    ripstop_text_add(out, "null,\"epl\":0,\"ring_length\":null");
  else {
    add_name(out, p->fabric, c->root, "");
    ripstop_text_add(out, ",\"epl\":%llu,\"ring_length\":%u", (unsigned long long)((const memory *)state[c->root])->epl,
                     c->ring);
  }
  ripstop_text_add(out, ",\"links\":%llu,\"distance_sum\":%llu,\"diameter\":%u", (unsigned long long)c->links / 2,
                   (unsigned long long)c->distances, c->diameter);
  ripstop_text_add(out, ",\"safe_packets\":%u,\"safe_transmissions\":%llu,\"adaptive_transmissions\":%llu}",
                   c->root == RIPSTOP_NONE ? 0 : c->routers - 1, (unsigned long long)c->safe_sent,
                   (unsigned long long)c->distance_sent);
}

static void component_text(const component *c, const ripstop_plan *p, ripstop_text *out) {
  char root[RIPSTOP_NAME_MAX];
  if (c->root == RIPSTOP_NONE) {
    ripstop_text_add(out, "%u routers without any fault so far\n", c->routers);
    return;
  }
  ripstop_node_name(p->fabric, c->root, root);
  ripstop_text_add(
      out,
      "%u router%s, root %s: ring of %u hops; for the last tree %u safe-table packet%s over %llu link%s, %llu "
      "adaptive-table packets\n",
      c->routers, c->routers == 1 ? "" : "s", root, c->ring, c->routers - 1, c->routers == 2 ? "" : "s",
      (unsigned long long)c->safe_sent, c->safe_sent == 1 ? "" : "s", (unsigned long long)c->distance_sent);
}

void ripstop_immunet_report(const ripstop_plan *p, const void *const *state, bool as_json, ripstop_text *out) {
  const ripstop_fabric *f = p->fabric;
  component c = {.member = ripstop_realloc(NULL, f->nodes - f->ends, 1)};
  uint32_t printed = 0;
  if (as_json) ripstop_text_add(out, "{\"components\":[");
  for (uint32_t v = f->ends; v <= f->nodes; v++) { /* last: routers without an emergency */
    const memory *m = v < f->nodes ? state[v] : NULL;
    if (v < f->nodes && (!m || m->epl == 0 || m->parent != NO_PORT)) continue;
    c = (component){.root = m ? v : RIPSTOP_NONE, .member = c.member};
    ripstop_immunet_find_component(&c, p, state);
    if (c.routers == 0) continue;
    if (as_json && printed++) ripstop_text_add(out, ",");
    if (as_json)
      component_json(&c, p, state, out);
    else
      component_text(&c, p, out);
  }
  if (as_json) ripstop_text_add(out, "]}");
  ripstop_free(c.member);
}
