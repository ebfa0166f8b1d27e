/* diff.c - compares node by node and cable by cable. Cost: O(n log n). */
#include "formats/infiniband/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"

static void add(ripstop_ib_diff *d, ripstop_arena *arena, ripstop_ib_change change) {
  RIPSTOP_GROW_IN(arena, d->list, d->count, d->room);
  d->list[d->count++] = change;
  d->times[change.kind]++;
}

/* By their descriptions, where the id of one of them was redacted: its number depends on the nodes before it. */
static uint32_t described_in(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t node) {
  const ripstop_ib_node *n = &dump->node[node];
  if (n->shares_text || n->text[0] == '\0') return RIPSTOP_NONE;
  const uint32_t there = ripstop_ib_described(other, n->text, strlen(n->text));
  if (there == RIPSTOP_NONE || other->node[there].kind != n->kind) return RIPSTOP_NONE;
  return n->shares_id || other->node[there].shares_id ? there : RIPSTOP_NONE;
}

/* The same node in another dump, or RIPSTOP_NONE. From there it is this node. */
static uint32_t node_in(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t node) {
  const uint32_t described = described_in(other, dump, node);
  if (described != RIPSTOP_NONE) return described;
  const uint32_t there = ripstop_ib_node_of(other, dump->node[node].id, strlen(dump->node[node].id));
  return there == RIPSTOP_NONE || described_in(dump, other, there) != RIPSTOP_NONE ? RIPSTOP_NONE : there;
}

static uint32_t port_in(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t port) {
  uint32_t node = node_in(other, dump, dump->port[port].node);
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : ripstop_ib_port_of(other, node, dump->port[port].number);
}

/* The port of the same end in the other dump; RIPSTOP_NONE: it has no cable there. */
static uint32_t cabled_in(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t port) {
  uint32_t there = port_in(other, dump, port);
  return there == RIPSTOP_NONE || other->port[there].mate == RIPSTOP_NONE ? RIPSTOP_NONE : there;
}

/* The same cable in the other dump, by the port of the same end; RIPSTOP_NONE: it is not there. */
static uint32_t cable_in(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t port) {
  uint32_t there = cabled_in(other, dump, port);
  if (there == RIPSTOP_NONE || port_in(other, dump, dump->port[port].mate) != other->port[there].mate)
    return RIPSTOP_NONE;
  return there;
}

static bool has_cable(const ripstop_ib_dump *dump, uint32_t port) {
  return dump->port[port].mate != RIPSTOP_NONE && ripstop_ib_is_first(dump, port, dump->port[port].mate);
}

/* True if the other dump has the nodes at both ends of a cable. */
static bool has_nodes(const ripstop_ib_dump *other, const ripstop_ib_dump *dump, uint32_t port) {
  return node_in(other, dump, dump->port[port].node) != RIPSTOP_NONE &&
         node_in(other, dump, dump->port[dump->port[port].mate].node) != RIPSTOP_NONE;
}

static uint32_t cables_of(const ripstop_ib_dump *dump, uint32_t node) {
  uint32_t cables = 0;
  for (uint32_t p = dump->node[node].first; p < dump->node[node].first + dump->node[node].ports; p++)
    cables += dump->port[p].mate != RIPSTOP_NONE;
  return cables;
}

static void compare_nodes(ripstop_ib_diff *d, ripstop_arena *arena) {
  const ripstop_ib_dump *was = d->old_dump, *is = d->new_dump;
  for (uint32_t i = 0; i < was->nodes; i++) {
    uint32_t now = node_in(is, was, i);
    if (now == RIPSTOP_NONE)
      add(d, arena,
          (ripstop_ib_change){RIPSTOP_IB_DIED, i, RIPSTOP_NONE, RIPSTOP_NONE, RIPSTOP_NONE, cables_of(was, i)});
    else if (strcmp(was->node[i].text, is->node[now].text) != 0)
      add(d, arena, (ripstop_ib_change){RIPSTOP_IB_RENAMED, i, now, RIPSTOP_NONE, RIPSTOP_NONE, 0});
    if (now != RIPSTOP_NONE && was->node[i].lid != is->node[now].lid)
      add(d, arena, (ripstop_ib_change){RIPSTOP_IB_RELABELED, i, now, RIPSTOP_NONE, RIPSTOP_NONE, 0});
  }
  for (uint32_t i = 0; i < is->nodes; i++)
    if (node_in(was, is, i) == RIPSTOP_NONE)
      add(d, arena,
          (ripstop_ib_change){RIPSTOP_IB_RETURNED, RIPSTOP_NONE, i, RIPSTOP_NONE, RIPSTOP_NONE, cables_of(is, i)});
}

static ripstop_ib_change change_of(const ripstop_ib_diff *d, ripstop_ib_change_kind kind, uint32_t old_port,
                                   uint32_t new_port) {
  return (ripstop_ib_change){kind,
                             old_port == RIPSTOP_NONE ? RIPSTOP_NONE : d->old_dump->port[old_port].node,
                             new_port == RIPSTOP_NONE ? RIPSTOP_NONE : d->new_dump->port[new_port].node,
                             old_port,
                             new_port,
                             0};
}

/* The cable that one end of a lost cable has now, unless another lost cable took it; RIPSTOP_NONE: it died. `taken`
 * counts ports of the new dump. */
static uint32_t moved_to(const ripstop_ib_diff *d, uint32_t port, uint8_t *taken) {
  const ripstop_ib_dump *was = d->old_dump, *is = d->new_dump;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t at = side == 0 ? port : was->port[port].mate, there = cabled_in(is, was, at);
    if (there == RIPSTOP_NONE || taken[there] || cable_in(was, is, there) != RIPSTOP_NONE) continue;
    taken[there] = taken[is->port[there].mate] = 1;
    return there;
  }
  return RIPSTOP_NONE;
}

static void compare_speed(ripstop_ib_diff *d, ripstop_arena *arena, uint32_t old_port, uint32_t new_port) {
  uint32_t was = ripstop_ib_cable_speed(d->old_dump, old_port), is = ripstop_ib_cable_speed(d->new_dump, new_port);
  if (was != 0 && is != 0 && was != is)
    add(d, arena, change_of(d, is < was ? RIPSTOP_IB_SLOWED : RIPSTOP_IB_FASTER, old_port, new_port));
}

static void compare_cables(ripstop_ib_diff *d, ripstop_arena *arena) {
  const ripstop_ib_dump *was = d->old_dump, *is = d->new_dump;
  uint8_t *taken = RIPSTOP_ARRAY(arena, is->ports + 1, uint8_t);
  for (uint32_t port = 0; port < was->ports; port++) {
    if (!has_cable(was, port)) continue;
    uint32_t same = cable_in(is, was, port);
    uint32_t moved = same == RIPSTOP_NONE ? moved_to(d, port, taken) : RIPSTOP_NONE;
    if (same != RIPSTOP_NONE)
      compare_speed(d, arena, port, same);
    else if (moved != RIPSTOP_NONE)
      add(d, arena, change_of(d, RIPSTOP_IB_MOVED, port, moved));
    else if (has_nodes(is, was, port))
      add(d, arena, change_of(d, RIPSTOP_IB_DIED, port, RIPSTOP_NONE));
  }
  for (uint32_t port = 0; port < is->ports; port++)
    if (has_cable(is, port) && !taken[port] && cable_in(was, is, port) == RIPSTOP_NONE && has_nodes(was, is, port))
      add(d, arena, change_of(d, RIPSTOP_IB_RETURNED, RIPSTOP_NONE, port));
}

/* LIDs of adapters and routers are their ports'. */
static void compare_lids(ripstop_ib_diff *d, ripstop_arena *arena) {
  const ripstop_ib_dump *was = d->old_dump, *is = d->new_dump;
  for (uint32_t port = 0; port < was->ports; port++) {
    uint32_t now = port_in(is, was, port);
    if (now != RIPSTOP_NONE && was->port[port].lid != is->port[now].lid)
      add(d, arena, change_of(d, RIPSTOP_IB_RELABELED, port, now));
  }
}

static int by_kind(const void *a_, const void *b_) {
  const ripstop_ib_change *a = a_, *b = b_;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  const uint32_t keys[][2] = {{a->old_port != RIPSTOP_NONE || a->new_port != RIPSTOP_NONE,
                               b->old_port != RIPSTOP_NONE || b->new_port != RIPSTOP_NONE}, /* nodes first */
                              {a->old_node, b->old_node},
                              {a->new_node, b->new_node},
                              {a->old_port, b->old_port},
                              {a->new_port, b->new_port}};
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

void ripstop_ib_compare(ripstop_ib_diff *d, ripstop_arena *arena, const ripstop_ib_dump *old_dump,
                        const ripstop_ib_dump *new_dump) {
  *d = (ripstop_ib_diff){.old_dump = old_dump, .new_dump = new_dump};
  compare_nodes(d, arena);
  compare_cables(d, arena);
  compare_lids(d, arena);
  if (d->count > 0) qsort(d->list, d->count, sizeof *d->list, by_kind);
}
