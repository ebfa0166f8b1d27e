/* recognised_graph.c - lists the neighbours of a fabric's switches, and compares a model with the cables. */
#include "recognise/recognised_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "fabric/ib.h"

static int by_place(const void *a_, const void *b_) {
  const recognised_cable *a = a_, *b = b_;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  return a->port_a < b->port_a ? -1 : a->port_a > b->port_a;
}

static void add_cable(recognised_graph *net, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b, bool half) {
  net->cable[net->cables++] =
      a < b ? (recognised_cable){a, b, port_a, port_b, half} : (recognised_cable){b, a, port_b, port_a, half};
}

static void add_links(recognised_graph *net) {
  const ripstop_fabric *f = net->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t p = f->link_port[2 * (size_t)link], q = f->link_port[2 * (size_t)link + 1];
    add_cable(net, f->port_node[p] - f->ends, p - f->port_base[f->port_node[p]], f->port_node[q] - f->ends,
              q - f->port_base[f->port_node[q]], false);
  }
}

/* The other switch of a half link; RIPSTOP_NONE: the port is no such thing. */
static uint32_t half_link_peer(const ripstop_ib_fabric *ib, uint32_t ends, uint32_t port) {
  const ripstop_ib_port *p = &ib->dump->port[port];
  if (p->mate != RIPSTOP_NONE || ib->node_of[p->node] == RIPSTOP_NONE) return RIPSTOP_NONE;
  uint32_t peer = ripstop_ib_node_of(ib->dump, p->peer_id, strlen(p->peer_id));
  if (peer == RIPSTOP_NONE || ib->node_of[peer] == RIPSTOP_NONE || peer == p->node) return RIPSTOP_NONE;
  if (ripstop_ib_port_of(ib->dump, peer, p->peer_number) != RIPSTOP_NONE) return RIPSTOP_NONE; /* conflicting ends */
  return ib->node_of[peer] - ends;
}

static void add_half_links(recognised_graph *net, const ripstop_ib_fabric *ib) {
  uint32_t ends = net->fabric->ends;
  for (uint32_t port = 0; port < ib->dump->ports; port++) {
    uint32_t peer = half_link_peer(ib, ends, port);
    const ripstop_ib_port *p = &ib->dump->port[port];
    if (peer != RIPSTOP_NONE) add_cable(net, ib->node_of[p->node] - ends, p->number, peer, p->peer_number, true);
  }
}

/* Turns sorted cables into lists of neighbours. */
static void list_neighbours(recognised_graph *net) {
  uint32_t *fill = RIPSTOP_ARRAY(net->arena, net->switches + 1, uint32_t);
  net->first = RIPSTOP_ARRAY(net->arena, net->switches + 1, uint32_t);
  net->near = RIPSTOP_ARRAY(net->arena, 2 * (size_t)net->cables + 1, ripstop_near);
  for (uint32_t i = 0; i < net->cables; i++) {
    const recognised_cable *c = &net->cable[i];
    if (i > 0 && c[-1].a == c->a && c[-1].b == c->b) continue;
    net->first[c->a + 1]++;
    net->first[c->b + 1]++;
  }
  for (uint32_t v = 0; v < net->switches; v++) fill[v + 1] = net->first[v + 1] += net->first[v];
  memcpy(fill, net->first, (net->switches + 1) * sizeof *fill);
  for (unsigned side = 0; side < 2; side++) /* smaller neighbours first, so that lists are sorted */
    for (uint32_t i = 0, j; i < net->cables; i = j) {
      const recognised_cable *c = &net->cable[i];
      for (j = i; j < net->cables && net->cable[j].a == c->a && net->cable[j].b == c->b;) j++;
      uint32_t at = side == 0 ? c->b : c->a, other = side == 0 ? c->a : c->b;
      net->near[fill[at]++] = (ripstop_near){other, j - i};
    }
}

bool recognised_is_host(const recognised_graph *net, uint32_t end) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(net->fabric);
  return ib == NULL || !ib->dump->node[ib->dump->port[ib->end_port[end]].node].aggregates;
}

void recognised_make(recognised_graph *net, const ripstop_fabric *f, ripstop_arena *scratch) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  *net = (recognised_graph){.fabric = f, .arena = scratch, .switches = ripstop_fabric_switches(f)};
  net->named = net->switches;
  net->hosts = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++)
    net->hosts[ripstop_end_switch(f, end) - f->ends] += recognised_is_host(net, end);
  uint32_t half = ib != NULL ? ib->dump->half_links : 0;
  net->cable = RIPSTOP_ARRAY(scratch, f->links - f->link_ends + half + 1, recognised_cable);
  add_links(net);
  if (ib != NULL) add_half_links(net, ib);
  recognised_index(net);
}

void recognised_index(recognised_graph *net) {
  if (net->cables > 0) qsort(net->cable, net->cables, sizeof *net->cable, by_place);
  list_neighbours(net);
}

void recognised_without(recognised_graph *net, const recognised_graph *whole, const bool *out, ripstop_arena *scratch) {
  *net = *whole;
  net->arena = scratch;
  net->cables = 0;
  net->cable = RIPSTOP_ARRAY(scratch, whole->cables + 1, recognised_cable);
  for (uint32_t i = 0; i < whole->cables; i++)
    if (!out[i]) net->cable[net->cables++] = whole->cable[i];
  list_neighbours(net);
}

void recognised_rest(recognised_graph *net, const recognised_graph *whole, const bool *out, ripstop_arena *scratch) {
  uint32_t *now = RIPSTOP_ARRAY(scratch, whole->switches, uint32_t);
  uint32_t *origin = RIPSTOP_ARRAY(scratch, whole->switches, uint32_t);
  *net = (recognised_graph){.fabric = whole->fabric, .arena = scratch, .origin = origin};
  net->hosts = RIPSTOP_ARRAY(scratch, whole->switches, uint32_t);
  net->cable = RIPSTOP_ARRAY(scratch, whole->cables + 1, recognised_cable);
  for (uint32_t v = 0; v < whole->switches; v++) {
    if (out[v]) continue;
    net->hosts[net->switches] = whole->hosts[v];
    origin[net->switches] = recognised_switch(whole, v);
    now[v] = net->switches++;
  }
  net->named = net->switches;
  for (uint32_t i = 0; i < whole->cables; i++) {
    recognised_cable c = whole->cable[i];
    if (out[c.a] || out[c.b]) continue;
    c.a = now[c.a], c.b = now[c.b];
    net->cable[net->cables++] = c;
  }
  list_neighbours(net);
}

static bool joins(const recognised_cable *c, uint32_t a, uint32_t b) {
  return (c->a == a && c->b == b) || (c->a == b && c->b == a);
}

void recognised_repaired(recognised_graph *net, const recognised_graph *whole, const ripstop_repair *r,
                         ripstop_arena *scratch) {
  bool lost = r->lose_a == RIPSTOP_NONE;
  *net = *whole;
  net->arena = scratch;
  net->cables = 0;
  net->cable = RIPSTOP_ARRAY(scratch, whole->cables + 2, recognised_cable);
  for (uint32_t i = 0; i < whole->cables; i++) {
    const bool goes = !lost && joins(&whole->cable[i], r->lose_a, r->lose_b);
    lost |= goes;
    if (!goes) net->cable[net->cables++] = whole->cable[i];
  }
  if (r->gain_a != RIPSTOP_NONE) add_cable(net, r->gain_a, RIPSTOP_NONE, r->gain_b, RIPSTOP_NONE, false);
  recognised_index(net);
}

uint32_t recognised_between(const recognised_graph *net, uint32_t a, uint32_t b) {
  uint32_t low = net->first[a], high = net->first[a + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (net->near[middle].node < b)
      low = middle + 1;
    else
      high = middle;
  }
  return low < net->first[a + 1] && net->near[low].node == b ? net->near[low].cables : 0;
}

bool recognised_port_is_free(const recognised_graph *net, uint32_t node, uint32_t port) {
  const ripstop_fabric *f = net->fabric;
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  const uint32_t at = recognised_switch(net, node);
  if (port >= ripstop_node_ports(f, f->ends + at)) return false;
  if (ib != NULL) return ripstop_ib_port_of(ib->dump, ib->switch_node[at], port) == RIPSTOP_NONE;
  return f->peer[f->port_base[f->ends + at] + port] == RIPSTOP_NONE;
}

const char *recognised_end(const recognised_graph *net, uint32_t node, uint32_t port) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(net->fabric, net->fabric->ends + recognised_switch(net, node), name);
  return port == RIPSTOP_NONE ? ripstop_arena_text(net->arena, name)
                              : ripstop_arena_printf(net->arena, "%.200s[%u]", name, port);
}

const char *recognised_called(const recognised_graph *net, uint32_t node) {
  if (node >= net->named) return "a switch that is not there"; /* absent.c adds one */
  uint32_t at = net->fabric->ends + recognised_switch(net, node);
  if (ripstop_ib_of(net->fabric) != NULL && ripstop_ib_description(net->fabric, at)[0] != '\0')
    return ripstop_ib_description(net->fabric, at);
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(net->fabric, at, name);
  return ripstop_arena_text(net->arena, name);
}

/* ------------------------------------------------------------------ models */

void ripstop_model_want(ripstop_model *m, ripstop_arena *arena, uint32_t a, uint32_t b, uint64_t role_a,
                        uint64_t role_b) {
  RIPSTOP_GROW_IN(arena, m->want, m->wants, m->room);
  m->want[m->wants++] =
      a < b ? (ripstop_want){a, b, role_a, role_b, false} : (ripstop_want){b, a, role_b, role_a, false};
}

static int by_pair(const void *a_, const void *b_) {
  const ripstop_want *a = a_, *b = b_;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  if (a->role_a != b->role_a) return a->role_a < b->role_a ? -1 : 1;
  return a->role_b < b->role_b ? -1 : a->role_b > b->role_b;
}

void ripstop_model_compare(ripstop_model *m, const recognised_graph *net) {
  if (m->wants > 0) qsort(m->want, m->wants, sizeof *m->want, by_pair);
  m->there = 0;
  for (uint32_t i = 0, j; i < m->wants; i = j) {
    uint32_t cables = recognised_between(net, m->want[i].a, m->want[i].b);
    for (j = i; j < m->wants && m->want[j].a == m->want[i].a && m->want[j].b == m->want[i].b; j++)
      m->there += m->want[j].there = j - i < cables;
  }
}

double ripstop_model_score(const ripstop_model *m, const recognised_graph *net) {
  uint32_t all = m->wants + m->unplaced + net->cables - m->there;
  return all > 0 ? (double)m->there / all : 0;
}
