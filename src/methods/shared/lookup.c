/* lookup.c - see lookup.h; the formats are those of tables/infiniband/lfts.h. */
#include "methods/shared/lookup.h"

#include <string.h>

#include "tables/addresses.h"
#include "tables/infiniband/lfts.h"

enum { LEVEL_SHIFT = 32, FILES_MAX = 8 };

const char *const ripstop_lookup_losses[] = {[RIPSTOP_LOOKUP_CUT_OFF] = "source cut off",
                                             [RIPSTOP_LOOKUP_NO_ADDRESS] = "the destination has no address",
                                             [RIPSTOP_LOOKUP_NO_ENTRY] = "no entry for the address",
                                             [RIPSTOP_LOOKUP_FAILED_PORT] = "the entry's port is dead",
                                             [RIPSTOP_LOOKUP_ASTRAY] = "the entry leads to another end node",
                                             [RIPSTOP_LOOKUP_NO_LANE] = "no lane for the service level",
                                             NULL};

/* ------------------------------------------------------------------ files */

/* Copies the files that have names to `path`; returns their number. */
static unsigned named_files(const char *const *file, unsigned count, const char **path) {
  unsigned named = 0;
  for (unsigned i = 0; i < count; i++)
    if (file[i][0]) path[named++] = file[i];
  return named;
}

int ripstop_lookup_name(ripstop_arena *arena, const char *beside, const char **named, const char **opened,
                        unsigned count, const char **hash, ripstop_error *err) {
  const char *slash = beside ? strrchr(beside, '/') : NULL, *path[FILES_MAX];
  char found[RIPSTOP_LFTS_HASH];
  for (unsigned i = 0; i < count; i++) {
    const char *file = named[i], *last = strrchr(file, '/');
    if (slash && file[0] && file[0] != '/')
      opened[i] = ripstop_arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, file);
    if (beside && last) named[i] = last + 1;
  }
  unsigned paths = named_files(opened, count, path);
  if (paths == 0) return 0;
  if (ripstop_lfts_hash(path, paths, found, err)) return -1;
  if ((*hash)[0] && strcmp(*hash, found) != 0)
    return ripstop_fail(err, "%s: the files together have the hash %s, not %.64s", path[0], found, *hash);
  *hash = ripstop_arena_text(arena, found);
  return 0;
}

static void find_addresses(ripstop_arena *arena, const ripstop_fabric *fabric, ripstop_lookup *l) {
  uint32_t *first = RIPSTOP_ARRAY(arena, fabric->ends + 1, uint32_t);
  l->most = 1;
  for (uint32_t end = 0; end < fabric->ends; end++) {
    first[end + 1] = ripstop_first_address(l->tables, end + 1);
    if (first[end + 1] - first[end] > l->most) l->most = first[end + 1] - first[end];
  }
  l->first = first;
}

ripstop_answer ripstop_lookup_load(ripstop_arena *arena, const ripstop_fabric *fabric, const char *const *file,
                                   ripstop_lookup *out, ripstop_error *err) {
  const char *path[RIPSTOP_LOOKUP_FILES];
  ripstop_lfts_notes notes;
  if (!file[0][0]) return ripstop_does_not_apply(err, "no file of forwarding tables is named (lfts=PATH)");
  out->tables =
      ripstop_lfts_read(arena, fabric, NULL, path, named_files(file, RIPSTOP_LOOKUP_FILES, path), &notes, NULL, err);
  if (!out->tables) return RIPSTOP_ERROR;
  find_addresses(arena, fabric, out);
  return RIPSTOP_APPLIES;
}

static uint32_t most_lanes(const uint8_t *lane, size_t count, uint32_t lanes) {
  for (size_t i = 0; i < count; i++)
    if (lane[i] < RIPSTOP_LANES && lane[i] >= lanes) lanes = lane[i] + 1u;
  return lanes;
}

uint32_t ripstop_lookup_lanes(const ripstop_lookup *l) {
  const ripstop_forwarding *t = l->tables;
  const ripstop_fabric *f = t->fabric;
  if (!t->lane) return t->lanes;
  uint32_t lanes = most_lanes(t->end_lane, (size_t)f->ends * RIPSTOP_LEVELS, 1);
  for (uint32_t s = 0; s < ripstop_fabric_switches(f); s++) {
    size_t ports = ripstop_node_ports(f, f->ends + s);
    lanes = most_lanes(t->lane + t->lane_first[s], ports * ports * RIPSTOP_LEVELS, lanes);
  }
  return lanes;
}

void ripstop_lookup_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){0};
}

/* ------------------------------------------------------------------ candidates */

static int lost(int why) { return -(1 + why); }

/* The packet's address; RIPSTOP_NONE: its destination has none. */
static uint32_t address_of(const ripstop_lookup *l, const ripstop_head *head) {
  uint32_t first = l->first[head->destination], count = l->first[head->destination + 1] - first;
  return count ? first + (uint32_t)head->header % count : RIPSTOP_NONE;
}

int ripstop_lookup_send(const ripstop_plan *p, const ripstop_lookup *l, const ripstop_lookup *levels,
                        const ripstop_head *head, ripstop_candidate *candidate) {
  if (!p->view->port_up[p->fabric->port_base[head->node]]) return lost(RIPSTOP_LOOKUP_CUT_OFF);
  uint32_t address = address_of(levels, head);
  if (address == RIPSTOP_NONE) return lost(RIPSTOP_LOOKUP_NO_ADDRESS);
  unsigned level = ripstop_forwarding_level(levels->tables, head->node, address);
  unsigned lane = ripstop_forwarding_end_lane(l->tables, head->node, level);
  *candidate = (ripstop_candidate){
      .header = (uint64_t)level << LEVEL_SHIFT | (uint32_t)head->header, .channel = (uint8_t)lane, .space = 1};
  return lane < p->channels ? 1 : lost(RIPSTOP_LOOKUP_NO_LANE);
}

int ripstop_lookup_forward(const ripstop_plan *p, const ripstop_lookup *l, const ripstop_head *head,
                           ripstop_candidate *candidate) {
  const ripstop_fabric *f = p->fabric;
  uint32_t address = address_of(l, head);
  if (address == RIPSTOP_NONE) return lost(RIPSTOP_LOOKUP_NO_ADDRESS);
  uint32_t port = ripstop_forwarding_port(l->tables, address, head->node);
  if (port >= ripstop_node_ports(f, head->node)) return lost(RIPSTOP_LOOKUP_NO_ENTRY);
  uint32_t out = f->port_base[head->node] + port;
  if (!p->view->port_up[out]) return lost(RIPSTOP_LOOKUP_FAILED_PORT);
  uint32_t next = f->port_node[f->peer[out]];
  if (ripstop_is_end(f, next) && next != head->destination) return lost(RIPSTOP_LOOKUP_ASTRAY);
  unsigned level = (unsigned)(head->header >> LEVEL_SHIFT);
  unsigned lane = ripstop_forwarding_lane(l->tables, head->node, head->in_port, port, level);
  *candidate =
      (ripstop_candidate){.header = head->header, .port = (uint16_t)port, .channel = (uint8_t)lane, .space = 1};
  return lane < p->channels ? 1 : lost(RIPSTOP_LOOKUP_NO_LANE);
}
