/* adaptive.c - the distance of each channel from each destination within the channel order of its virtual channel, and
 * the candidates.
 *
 * Time: for each virtual channel and switch with end nodes one visit per turn. Memory: two bytes for each of these and
 * port. */
#include "methods/mend/adaptive.h"

#include <stdlib.h>
#include <string.h>

#include "methods/shared/shortest.h"

#define FAR        UINT16_MAX
#define MEMORY_MAX ((uint64_t)1 << 30) /* bytes */

/* Targets are the switches with end nodes. Switch number = node - ends. */
struct mend_adaptive {
  const ripstop_forwarding *tables;
  uint32_t lanes, targets;
  const uint32_t *target; /* [switches]; RIPSTOP_NONE: not a target */
  const uint32_t *order;  /* [lanes * ports]: as ripstop_mend.order */
  const uint16_t *left;   /* [lanes * targets * ports]: links from this one on, or FAR */
};

static uint32_t switch_beyond(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]]; }

/* The turn from one port's channel into that of another, which leaves the switch where the first one leads. */
static bool may_turn(const ripstop_fabric *f, const uint32_t *order, uint32_t from, uint32_t to) {
  return order[to] != RIPSTOP_NONE && order[to] > order[from] && switch_beyond(f, to) != f->port_node[from];
}

typedef struct keyed {
  uint32_t place, port;
} keyed;

static int last_first(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  return (x->place < y->place) - (x->place > y->place);
}

/* The channels of a virtual channel, in descending order. */
static uint32_t sort_channels(const ripstop_fabric *f, const uint32_t *order, keyed *channel) {
  uint32_t count = 0;
  for (uint32_t port = 0; port < f->ports; port++)
    if (order[port] != RIPSTOP_NONE) channel[count++] = (keyed){order[port], port};
  if (count) qsort(channel, count, sizeof *channel, last_first);
  return count;
}

/* Distances to all target switches at once. Channels that are later in the order are known already. */
static void measure(const mend_adaptive *a, const ripstop_fabric *f, const uint32_t *order, const keyed *channel,
                    uint32_t count, uint16_t *left) {
  memset(left, UINT8_MAX, (size_t)a->targets * f->ports * sizeof *left);
  for (uint32_t i = 0; i < count; i++) {
    ripstop_task_progress("links left by every adaptive candidate", i, count);
    uint32_t c = channel[i].port, at = switch_beyond(f, c), own = a->target[at - f->ends];
    for (uint32_t d = f->port_base[at]; d < f->port_base[at + 1]; d++) {
      if (!may_turn(f, order, c, d)) continue;
      for (size_t row = 0, end = (size_t)a->targets * f->ports; row < end; row += f->ports)
        if (left[row + d] != FAR && left[row + d] + 1 < left[row + c]) left[row + c] = (uint16_t)(left[row + d] + 1);
    }
    if (own != RIPSTOP_NONE) left[(size_t)own * f->ports + c] = 1;
  }
}

const mend_adaptive *ripstop_mend_adaptive(ripstop_plan *p, const ripstop_mend *mend, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  mend_adaptive *a = RIPSTOP_NEW(p->arena, mend_adaptive);
  *a = (mend_adaptive){.tables = mend->tables, .lanes = mend->lanes};
  const uint32_t *nodes;
  a->targets = ripstop_shortest_targets(p->arena, f, &a->target, &nodes);
  size_t each = (size_t)a->targets * f->ports, orders = (size_t)mend->lanes * f->ports;
  if ((uint64_t)each * mend->lanes * sizeof(uint16_t) > MEMORY_MAX) {
    ripstop_fail(err, "mend: the adaptive candidates of %s take more than 1 GiB", f->spec);
    return NULL;
  }
  uint16_t *left = RIPSTOP_ARRAY(p->arena, each * mend->lanes, uint16_t);
  keyed *channel = RIPSTOP_ARRAY(p->arena, f->ports, keyed);
  a->order = memcpy(RIPSTOP_ARRAY(p->arena, orders, uint32_t), mend->order, orders * sizeof *a->order);
  a->left = left;
  for (uint32_t lane = 0; lane < mend->lanes; lane++) {
    const uint32_t *order = a->order + (size_t)lane * f->ports;
    measure(a, f, order, channel, sort_channels(f, order, channel), left + lane * each);
  }
  return a;
}

/* ------------------------------------------------------------------ candidates */

/* The surroundings of a packet on a virtual channel at a switch. */
typedef struct situation {
  const ripstop_fabric *fabric;
  const uint8_t *up;     /* [ports] */
  const uint32_t *order; /* [ports] */
  const uint16_t *left;  /* [ports] */
  uint32_t node, from;   /* the sending port of the link that it came by; RIPSTOP_NONE: from an end node */
} situation;

static situation locate(const ripstop_plan *p, const mend_adaptive *a, uint32_t lane, uint32_t node, uint32_t from,
                        uint32_t destination) {
  const ripstop_fabric *f = p->fabric;
  size_t target = a->target[ripstop_end_switch(f, destination) - f->ends];
  return (situation){.fabric = f,
                     .up = p->view->port_up,
                     .order = a->order + (size_t)lane * f->ports,
                     .left = a->left + (lane * (size_t)a->targets + target) * f->ports,
                     .node = node,
                     .from = from};
}

static uint32_t links_by(const situation *o, uint32_t port) {
  bool may = o->order[port] != RIPSTOP_NONE && o->up[port] &&
             (o->from == RIPSTOP_NONE || may_turn(o->fabric, o->order, o->from, port));
  return may ? o->left[port] : FAR;
}

static uint32_t fewest_links(const situation *o) {
  uint32_t least = FAR;
  for (uint32_t port = o->fabric->port_base[o->node]; port < o->fabric->port_base[o->node + 1]; port++)
    if (links_by(o, port) < least) least = links_by(o, port);
  return least;
}

/* One of the shortest candidates, the same for all packets to the destination that come by this link: the tables', or
 * the first one from a port that depends on the destination's number. */
static uint32_t own_port(const mend_adaptive *a, const situation *o, uint32_t destination, uint32_t least) {
  const ripstop_fabric *f = o->fabric;
  uint32_t base = f->port_base[o->node], ports = ripstop_node_ports(f, o->node);
  uint32_t tables = ripstop_forwarding_port(a->tables, destination, o->node);
  if (tables < ports && links_by(o, base + tables) == least) return tables;
  for (uint32_t i = 0; i < ports; i++)
    if (links_by(o, base + (destination + i) % ports) == least) return (destination + i) % ports;
  return ports;
}

static int at_switch(const mend_adaptive *a, const situation *o, const ripstop_head *head,
                     ripstop_candidate *candidates) {
  uint32_t base = o->fabric->port_base[o->node], ports = ripstop_node_ports(o->fabric, o->node);
  uint32_t least = fewest_links(o);
  if (least == FAR) return 0;
  uint32_t own = own_port(a, o, head->destination, least);
  candidates[0] = (ripstop_candidate){
      .port = (uint16_t)own, .channel = head->channel, .rank = 0, .space = 1, .weight = (uint16_t)least};
  int count = 1;
  for (uint32_t port = 0; port < ports; port++)
    if (port != own && links_by(o, base + port) == least)
      candidates[count++] = (ripstop_candidate){
          .port = (uint16_t)port, .channel = head->channel, .rank = 1, .space = 2, .weight = (uint16_t)least};
  return count;
}

/* Any virtual channel with the shortest distance. */
static int at_end(const ripstop_plan *p, const mend_adaptive *a, const ripstop_head *head,
                  ripstop_candidate *candidates) {
  uint32_t home = ripstop_end_switch(p->fabric, head->node), links[RIPSTOP_MEND_LANES], least = FAR;
  bool is_there = home == ripstop_end_switch(p->fabric, head->destination);
  int count = 0;
  for (uint32_t lane = 0; lane < a->lanes; lane++) {
    situation o = locate(p, a, lane, home, RIPSTOP_NONE, head->destination);
    links[lane] = is_there ? 0 : fewest_links(&o);
    if (links[lane] < least) least = links[lane];
  }
  for (uint32_t lane = 0; lane < a->lanes && least != FAR; lane++)
    if (links[lane] == least) candidates[count++] = (ripstop_candidate){.channel = (uint8_t)lane, .space = 1};
  return count;
}

int ripstop_mend_adaptive_candidates(const ripstop_plan *p, const mend_adaptive *a, const ripstop_head *head,
                                     ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  if (ripstop_is_end(f, head->node)) return at_end(p, a, head, candidates);
  if (ripstop_end_switch(f, head->destination) == head->node) {
    uint32_t port = ripstop_end_switch_port(f, head->destination);
    candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .channel = head->channel, .space = 1};
    return p->view->port_up[f->port_base[head->node] + port];
  }
  uint32_t from = f->peer[f->port_base[head->node] + head->in_port];
  if (ripstop_is_end(f, f->port_node[from])) from = RIPSTOP_NONE;
  situation o = locate(p, a, head->channel, head->node, from, head->destination);
  return at_switch(a, &o, head, candidates);
}
