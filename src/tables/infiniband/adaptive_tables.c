/* adaptive_tables.c - see adaptive_tables.h. The groups of a switch come before its entries. */
#include "tables/infiniband/adaptive_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"

enum { PORTS = 64 * IB_ADAPTIVE_WORDS };

typedef struct port_group {
  uint32_t number;
  uint64_t ports[IB_ADAPTIVE_WORDS];
} port_group;

typedef struct adaptive_entry {
  uint32_t switch_, group; /* group: in `group` */
  uint16_t lid;
} adaptive_entry;

struct adaptive_tables {
  const ripstop_fabric *fabric;
  uint32_t first_port, now;
  port_group *group;
  uint32_t groups, group_room, own; /* own: the first of the present switch */
  adaptive_entry *entry;
  size_t entries, room;
  ripstop_arena *arena;
};

adaptive_tables *adaptive_tables_new(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t first_port) {
  adaptive_tables *t = RIPSTOP_NEW(arena, adaptive_tables);
  *t = (adaptive_tables){.fabric = fabric, .first_port = first_port, .now = RIPSTOP_NONE, .arena = arena};
  return t;
}

void adaptive_tables_begin(adaptive_tables *t, uint32_t switch_) {
  t->now = switch_;
  t->own = t->groups;
}

/* The group of the present switch with a number; NULL: there is none. */
static port_group *find_group(const adaptive_tables *t, uint32_t number) {
  for (uint32_t i = t->groups; i-- > t->own;)
    if (t->group[i].number == number) return &t->group[i];
  return NULL;
}

static bool has(const uint64_t *ports, uint32_t port) { return ports[port / 64] >> port % 64 & 1; }

int adaptive_tables_ports(adaptive_tables *t, const ib_adaptive_line *line, const ib_tables *at, ripstop_error *err) {
  if (t->now == RIPSTOP_NONE) return 0;
  const uint32_t most = ripstop_node_ports(t->fabric, t->now) + t->first_port;
  for (uint32_t port = 0; port < PORTS; port++)
    if (has(line->ports, port) && (port < t->first_port || port >= most))
      return ripstop_fail(err, "%s:%u: port %u in group %u: the switch has ports %u to %u", at->path, at->line, port,
                          line->group, t->first_port, most - 1);
  port_group *g = find_group(t, line->group);
  if (!g) {
    RIPSTOP_GROW_IN(t->arena, t->group, t->groups, t->group_room);
    g = &t->group[t->groups++];
    *g = (port_group){.number = line->group};
  }
  for (unsigned i = 0; i < IB_ADAPTIVE_WORDS; i++) g->ports[i] |= line->ports[i];
  return 0;
}

int adaptive_tables_entry(adaptive_tables *t, const ib_adaptive_line *line, const ib_tables *at, ripstop_error *err) {
  if (line->group == RIPSTOP_NONE || t->now == RIPSTOP_NONE) return 0;
  const port_group *g = find_group(t, line->group);
  if (!g)
    return ripstop_fail(err,
                        "%s:%u: LID 0x%04" PRIx64 " has group %u, which 'Groups Definition:' of its switch does not "
                        "have",
                        at->path, at->line, line->lid, line->group);
  RIPSTOP_GROW_IN(t->arena, t->entry, t->entries, t->room);
  t->entry[t->entries++] = (adaptive_entry){t->now, (uint32_t)(g - t->group), (uint16_t)line->lid};
  return 0;
}

/* The next hops of an entry: its own port, if it has one, and those of the group. Returns how many. */
static uint32_t list_hops(const adaptive_tables *t, const port_group *g, uint16_t own, ripstop_next_hop *hops) {
  uint32_t count = 0;
  for (uint32_t port = t->first_port; port < PORTS; port++) {
    const uint16_t local = (uint16_t)(port - t->first_port);
    if (has(g->ports, port) || local == own) hops[count++] = (ripstop_next_hop){local, 1};
  }
  return count;
}

int adaptive_tables_fill(const adaptive_tables *t, const uint32_t *address, uint32_t (*owner)(const void *, uint32_t),
                         const void *owners, ripstop_forwarding *out, ripstop_error *err) {
  ripstop_next_hop hops[PORTS + 1];
  for (size_t i = 0; i < t->entries; i++) {
    const adaptive_entry *e = &t->entry[i];
    if (owner(owners, e->lid) == RIPSTOP_NONE) continue;
    const uint16_t own = ripstop_forwarding_port(out, address[e->lid], e->switch_);
    const uint32_t count = list_hops(t, &t->group[e->group], own, hops);
    if (ripstop_forwarding_set_hops(out, address[e->lid], e->switch_, hops, count, err)) return -1;
  }
  return 0;
}
