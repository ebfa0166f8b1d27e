/* builder.c - turns nodes and cables into the flat arrays of a fabric.
 *
 * Families call the ripstop_builder functions without checking results. The builder remembers the first broken rule,
 * ignores everything after it, and ripstop_builder_finish reports it. The builder numbers links: the link of end node e
 * is link e, the others follow in the order of their cables. */
#include "fabric/builder.h"
#include "ripstop/plugin/family.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"

typedef struct cable {
  uint32_t naming, other; /* ports */
  uint16_t rate, delay;
  bool one_way;
} cable;

struct ripstop_builder {
  ripstop_arena *arena; /* belongs to the fabric that is being built */
  ripstop_error error;  /* the first rule that was broken; empty text: none */
  const void *detail;
  const char *spec;
  bool slow, delays, one_way; /* some cable is slow, has a delay of its own, or carries packets in one direction */
  uint32_t coords, ends, nodes, ports, cables;
  uint32_t nodes_room, ports_room, cables_room;
  uint32_t *base;  /* [nodes + 1] */
  uint32_t *owner; /* [ports]: the node */
  uint32_t *peer;  /* [ports] */
  uint16_t *coord; /* [nodes * coords] */
  cable *cable;
};

ripstop_builder *ripstop_builder_new(ripstop_arena *arena) {
  ripstop_builder *b = ripstop_realloc(NULL, 1, sizeof *b);
  *b = (ripstop_builder){.arena = arena};
  return b;
}

void ripstop_builder_free(ripstop_builder *b) {
  if (b == NULL) return;
  ripstop_free(b->base);
  ripstop_free(b->owner);
  ripstop_free(b->peer);
  ripstop_free(b->coord);
  ripstop_free(b->cable);
  ripstop_free(b);
}

ripstop_arena *ripstop_builder_arena(ripstop_builder *b) { return b->arena; }

void ripstop_builder_detail(ripstop_builder *b, const void *detail) { b->detail = detail; }

void ripstop_builder_spec(ripstop_builder *b, const char *spec) { b->spec = ripstop_arena_text(b->arena, spec); }

static bool broken(const ripstop_builder *b) { return b->error.text[0] != '\0'; }

void ripstop_builder_coords(ripstop_builder *b, uint32_t coords) {
  if (!broken(b) && b->nodes > 0) ripstop_fail(&b->error, "coordinates were set after the first node");
  if (!broken(b)) b->coords = coords;
}

static uint32_t add_node(ripstop_builder *b, uint32_t ports, const uint16_t *coord) {
  if (!broken(b) && ports > RIPSTOP_NODE_MAX_PORTS)
    ripstop_fail(&b->error, "a switch would have %u ports, more than %d", ports, RIPSTOP_NODE_MAX_PORTS);
  if (!broken(b) && ports > RIPSTOP_FABRIC_MAX_PORTS - b->ports)
    ripstop_fail(&b->error, "more than %u ports", RIPSTOP_FABRIC_MAX_PORTS);
  if (!broken(b) && b->nodes >= RIPSTOP_FABRIC_MAX_PORTS)
    ripstop_fail(&b->error, "more than %u nodes", RIPSTOP_FABRIC_MAX_PORTS);
  if (broken(b)) return 0;

  if (b->nodes + 1 >= b->nodes_room) {
    b->nodes_room = RIPSTOP_MORE_ROOM(b->nodes_room);
    b->base = ripstop_realloc(b->base, b->nodes_room, sizeof *b->base);
    if (b->coords > 0) b->coord = ripstop_realloc(b->coord, (size_t)b->nodes_room * b->coords, sizeof *b->coord);
  }
  while (b->ports + ports > b->ports_room) {
    b->ports_room = RIPSTOP_MORE_ROOM(b->ports_room);
    b->owner = ripstop_realloc(b->owner, b->ports_room, sizeof *b->owner);
    b->peer = ripstop_realloc(b->peer, b->ports_room, sizeof *b->peer);
  }
  uint32_t node = b->nodes++;
  b->base[node] = b->ports;
  for (uint32_t i = 0; i < ports; i++) {
    b->owner[b->ports] = node;
    b->peer[b->ports++] = RIPSTOP_NONE;
  }
  b->base[node + 1] = b->ports;
  if (b->coords > 0) memcpy(b->coord + (size_t)node * b->coords, coord, b->coords * sizeof *coord);
  return node;
}

uint32_t ripstop_builder_end(ripstop_builder *b, const uint16_t *coord) {
  if (!broken(b) && b->ends != b->nodes) ripstop_fail(&b->error, "an end node was added after the first switch");
  uint32_t node = add_node(b, 1, coord);
  if (!broken(b)) b->ends++;
  return node;
}

uint32_t ripstop_builder_switch(ripstop_builder *b, uint32_t ports, const uint16_t *coord) {
  return add_node(b, ports, coord);
}

/* The port's index, or RIPSTOP_NONE with the error noted. */
static uint32_t free_port(ripstop_builder *b, uint32_t node, uint32_t local) {
  if (broken(b)) return RIPSTOP_NONE;
  if (node >= b->nodes || local >= b->base[node + 1] - b->base[node])
    ripstop_fail(&b->error, "node %u has no port %u", node, local);
  else if (b->peer[b->base[node] + local] != RIPSTOP_NONE)
    ripstop_fail(&b->error, "port %u of node %u is wired twice", local, node);
  return broken(b) ? RIPSTOP_NONE : b->base[node] + local;
}

void ripstop_builder_cable(ripstop_builder *b, uint32_t node_a, uint32_t port_a, uint32_t node_b, uint32_t port_b) {
  uint32_t a = free_port(b, node_a, port_a), c = free_port(b, node_b, port_b);
  if (!broken(b) && node_a == node_b) ripstop_fail(&b->error, "a cable joins node %u with itself", node_a);
  if (!broken(b) && node_a < b->ends && node_b < b->ends)
    ripstop_fail(&b->error, "a cable joins the end nodes %u and %u", node_a, node_b);
  if (broken(b)) return;

  b->peer[a] = c;
  b->peer[c] = a;
  RIPSTOP_GROW(b->cable, b->cables, b->cables_room);
  b->cable[b->cables++] = (cable){.naming = a, .other = c, .rate = RIPSTOP_RATE_FULL};
}

void ripstop_builder_rate(ripstop_builder *b, uint16_t rate) {
  if (!broken(b) && b->cables == 0) ripstop_fail(&b->error, "a rate was set before the first cable");
  if (!broken(b) && (rate < RIPSTOP_RATE_LEAST || rate > RIPSTOP_RATE_FULL))
    ripstop_fail(&b->error, "a rate of %u thousandths", rate);
  if (broken(b)) return;
  b->cable[b->cables - 1].rate = rate;
  if (rate != RIPSTOP_RATE_FULL) b->slow = true;
}

void ripstop_builder_delay(ripstop_builder *b, uint16_t cycles) {
  if (!broken(b) && b->cables == 0) ripstop_fail(&b->error, "a delay was set before the first cable");
  if (!broken(b) && cycles > RIPSTOP_DELAY_MAX) ripstop_fail(&b->error, "a delay of %u cycles", cycles);
  if (broken(b)) return;
  b->cable[b->cables - 1].delay = cycles;
  b->delays |= cycles > 0;
}

void ripstop_builder_one_way(ripstop_builder *b) {
  if (!broken(b) && b->cables == 0) ripstop_fail(&b->error, "a direction was set before the first cable");
  if (broken(b)) return;
  const cable *last = &b->cable[b->cables - 1];
  if (b->owner[last->naming] < b->ends || b->owner[last->other] < b->ends)
    ripstop_fail(&b->error, "the cable of an end node would carry packets in one direction");
  b->cable[b->cables - 1].one_way = b->one_way = true;
}

void ripstop_builder_speed(ripstop_builder *b, uint32_t speed, uint32_t fastest) {
  if (speed == 0 || speed >= fastest) return;
  uint64_t rate = ((uint64_t)speed * RIPSTOP_RATE_FULL + fastest / 2) / fastest;
  if (rate < RIPSTOP_RATE_LEAST) rate = RIPSTOP_RATE_LEAST;
  ripstop_builder_rate(b, (uint16_t)(rate < RIPSTOP_RATE_FULL ? rate : RIPSTOP_RATE_FULL - 1));
}

static void *keep(ripstop_arena *arena, const void *from, size_t count, size_t size) {
  void *copy = ripstop_arena_array(arena, count, size);
  if (count > 0) memcpy(copy, from, count * size);
  return copy;
}

/* Numbers the links: an end node's port is the first that names its link. */
static void number_links(const ripstop_builder *b, uint32_t *port_link, uint32_t *link_port, uint16_t *rate,
                         uint16_t *delay, uint8_t *one_way) {
  uint32_t next = b->ends;
  for (uint32_t i = 0; i < b->cables; i++) {
    uint32_t naming = b->cable[i].naming, other = b->cable[i].other;
    if (b->owner[other] < b->ends) {
      uint32_t swap = naming;
      naming = other;
      other = swap;
    }
    uint32_t link = b->owner[naming] < b->ends ? b->owner[naming] : next++;
    link_port[2 * link] = naming;
    link_port[2 * link + 1] = other;
    port_link[naming] = port_link[other] = link;
    if (rate != NULL) rate[link] = b->cable[i].rate;
    if (delay != NULL) delay[link] = b->cable[i].delay;
    if (one_way != NULL) one_way[link] = b->cable[i].one_way;
  }
}

int ripstop_builder_finish(ripstop_builder *b, ripstop_fabric *f, ripstop_error *err) {
  if (!broken(b) && b->ends == 0) ripstop_fail(&b->error, "there is no end node");
  if (!broken(b) && b->ends == b->nodes) ripstop_fail(&b->error, "there is no switch");
  for (uint32_t end = 0; !broken(b) && end < b->ends; end++)
    if (b->peer[b->base[end]] == RIPSTOP_NONE) ripstop_fail(&b->error, "end node %u has no cable", end);
  if (broken(b)) return ripstop_fail(err, "%s", b->error.text);

  uint32_t *port_link = RIPSTOP_ARRAY(b->arena, b->ports, uint32_t);
  uint32_t *link_port = RIPSTOP_ARRAY(b->arena, 2 * (size_t)b->cables, uint32_t);
  for (uint32_t i = 0; i < b->ports; i++) port_link[i] = RIPSTOP_NONE;
  uint16_t *rate = b->slow ? RIPSTOP_ARRAY(b->arena, b->cables, uint16_t) : NULL;
  uint16_t *delay = b->delays ? RIPSTOP_ARRAY(b->arena, b->cables, uint16_t) : NULL;
  uint8_t *one_way = b->one_way ? RIPSTOP_ARRAY(b->arena, b->cables, uint8_t) : NULL;
  number_links(b, port_link, link_port, rate, delay, one_way);

  f->ends = b->ends;
  f->nodes = b->nodes;
  f->ports = b->ports;
  f->links = b->cables;
  f->link_ends = b->ends;
  f->port_base = keep(b->arena, b->base, (size_t)b->nodes + 1, sizeof *b->base);
  f->port_node = keep(b->arena, b->owner, b->ports, sizeof *b->owner);
  f->peer = keep(b->arena, b->peer, b->ports, sizeof *b->peer);
  f->port_link = port_link;
  f->link_port = link_port;
  f->rate = rate;
  f->delay = delay;
  f->one_way = one_way;
  f->coords = b->coords;
  f->coord = keep(b->arena, b->coord, (size_t)b->nodes * b->coords, sizeof *b->coord);
  f->detail = b->detail;
  if (b->spec != NULL) f->spec = b->spec;
  return 0;
}
