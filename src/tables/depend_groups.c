/* depend_groups.c - dependencies of multicast packets. A unicast packet holds its buffer until one output has credits;
 * a multicast packet holds it until all its outputs have sent their copies. So the channel by which a copy comes
 * depends on every other channel of the switch's mask. Outputs of one packet do not wait for each other: credits are
 * for whole packets, so a copy that has started always finishes.
 *
 * Cost: for each group the pairs of channels at each switch of its mask. */
#include "base/bits.h"
#include "base/local.h"
#include "tables/depend.h"

/* The copies of one group's packets, under the masks and service levels of all tables together. */
typedef struct copies {
  const depend *g;
  const depend_mix *m;
  const uint64_t *mask; /* [ports] */
  unsigned levels;
  bool back; /* edges are subtracted */
} copies;

const ripstop_group *depend_group(const ripstop_forwarding *t, uint32_t mlid) {
  for (uint32_t i = 0; t->groups && i < t->groups->groups; i++)
    if (t->groups->group[i].mlid == mlid) return &t->groups->group[i];
  return NULL;
}

static copies open_copies(const depend *g, const depend_mix *m, uint32_t mlid, ripstop_arena *arena) {
  const size_t words = ripstop_bits_words(g->net->fabric->ports);
  uint64_t *mask = RIPSTOP_ARRAY(arena, words, uint64_t);
  copies c = {.g = g, .m = m, .mask = mask};
  for (uint32_t k = 0; k < m->table_count; k++) {
    const ripstop_group *group = depend_group(m->tables[k], mlid);
    if (!group) continue;
    c.levels |= group->levels;
    for (size_t i = 0; i < words; i++) mask[i] |= group->mask[i];
  }
  return c;
}

static bool sends(const copies *c, uint32_t port) {
  return ripstop_bit_test(c->mask, port) && c->m->view->port_up[port];
}

/* A bit for each VL of a channel that leaves switch `s`, for copies that came by local port `in`. */
static uint32_t lanes_from(const copies *c, uint32_t s, uint32_t in, uint32_t channel, unsigned level) {
  uint32_t lanes = 0;
  for (uint32_t k = 0; k < c->m->table_count; k++) {
    const uint32_t vertex = depend_vertex(c->g, c->m->tables[k], s, channel, in, level);
    if (vertex != RIPSTOP_NONE) lanes |= 1u << vertex % c->g->lanes;
  }
  return lanes;
}

/* A bit for each VL of a channel on which copies can be, by whatever port they came to the switch that it leaves. */
static uint32_t lanes_of(const copies *c, uint32_t channel, unsigned level) {
  const switch_graph *net = c->g->net;
  const ripstop_fabric *f = net->fabric;
  const uint32_t s = net->from[channel], first = net->first_port[s];
  uint32_t lanes = 0;
  if (!c->g->by_input) return lanes_from(c, s, 0, channel, level);
  for (uint32_t port = first; port < net->first_port[s + 1]; port++) {
    if (port == net->port[channel] || f->peer[port] == RIPSTOP_NONE || !c->m->view->port_up[port]) continue;
    if (ripstop_is_end(f, f->port_node[f->peer[port]]) || sends(c, f->peer[port]))
      lanes |= lanes_from(c, s, port - first, channel, level);
  }
  return lanes;
}

static void add_edges(depend *g, bool back, uint32_t in, uint32_t out, uint32_t in_lanes, uint32_t out_lanes) {
  for (uint32_t a = in_lanes; a; a &= a - 1)
    for (uint32_t b = out_lanes; b; b &= b - 1) {
      const uint32_t from = in * g->lanes + ripstop_ctz64(a), to = out * g->lanes + ripstop_ctz64(b);
      if (g->count || !depend_has(g, from, to)) depend_put(g, from, to, back ? 0u - 1 : 1);
    }
}

static void add_channel(depend *g, const copies *c, uint32_t channel) {
  const switch_graph *net = g->net;
  const uint32_t s = net->to[channel], in = net->local[net->back[channel]];
  for (unsigned level = 0; c->levels >> level; level++) {
    if (!(c->levels >> level & 1)) continue;
    const uint32_t lanes = lanes_of(c, channel, level);
    for (uint32_t out = net->out_first[s]; out < net->out_first[s + 1]; out++)
      if (out != net->back[channel] && sends(c, net->port[out]))
        add_edges(g, c->back, channel, out, lanes, lanes_from(c, s, in, out, level));
  }
}

static void add_group(depend *g, const depend_mix *m, uint32_t mlid, bool back) {
  RIPSTOP_LOCAL_ARENA(scratch);
  copies c = open_copies(g, m, mlid, scratch);
  c.back = back;
  for (uint32_t channel = 0; channel < g->net->channels; channel++)
    if (sends(&c, g->net->port[channel])) add_channel(g, &c, channel);
}

static void add_groups(depend *g, const depend_mix *m, uint32_t mlid, bool back) {
  for (uint32_t k = 0; k < m->table_count; k++) {
    const ripstop_groups *groups = m->tables[k]->groups;
    for (uint32_t i = 0; groups && i < groups->groups; i++) {
      const uint32_t one = groups->group[i].mlid;
      bool earlier = false;
      for (uint32_t j = 0; j < k; j++) earlier |= depend_group(m->tables[j], one) != NULL;
      if (!earlier && (mlid == 0 || mlid == one)) add_group(g, m, one, back);
    }
  }
}

void depend_add_groups(depend *g, const depend_mix *m, uint32_t mlid) { add_groups(g, m, mlid, false); }

void depend_take_groups(depend *g, const depend_mix *m) { add_groups(g, m, 0, true); }

bool depend_group_makes(const depend *g, const depend_mix *m, uint32_t mlid, uint32_t from, uint32_t to) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const switch_graph *net = g->net;
  const copies c = open_copies(g, m, mlid, scratch);
  const uint32_t one = from / g->lanes, other = to / g->lanes, s = net->to[one];
  if (net->from[other] != s || other == net->back[one]) return false;
  if (!sends(&c, net->port[one]) || !sends(&c, net->port[other])) return false;
  for (unsigned level = 0; c.levels >> level; level++)
    if ((c.levels >> level & 1) && (lanes_of(&c, one, level) >> from % g->lanes & 1) &&
        (lanes_from(&c, s, net->local[net->back[one]], other, level) >> to % g->lanes & 1))
      return true;
  return false;
}
