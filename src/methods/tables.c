/* tables.c - routes by forwarding tables from files, as a subnet manager wrote them: each switch looks up the address
 * of a packet, and reads the lane from its service level and from both ports (route/lfts.h says which files).
 *
 * Tables know nothing of faults: an entry whose port has died loses the packet, until other tables are written. Of an
 * end node with several addresses each packet draws one when it is born. From then on the header has the address, and
 * above it the level, so nothing depends on the source. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "route/lfts.h"

enum { FILES = 3, LEVEL_SHIFT = 32 };

typedef struct config {
  const char *file[FILES]; /* forwarding tables, service levels, lanes; empty: there is none */
  const char *hash;
  /* No options: what was read. */
  const ripstop_forwarding *tables;
  const uint32_t *first; /* [ends + 1]: of the addresses of each end node */
  uint32_t most;         /* addresses of one end node */
} config;

static const ripstop_option options[] = {
    {.name = "lfts",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file),
     .fallback = "",
     .help = "forwarding tables as OpenSM, dump_lfts or ibroute print them"},
    {.name = "sls",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file) + sizeof(const char *),
     .fallback = "",
     .help = "service levels of paths: opensm-path-records.dump, saquery PR, ibdmchk's; empty: 0 for all"},
    {.name = "sl2vl",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file) + 2 * sizeof(const char *),
     .fallback = "",
     .help = "lanes by service level: opensm-sl2vl.dump, smpquery sl2vl, ibdmchk's; empty: the level is the lane"},
    {.name = "hash",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, hash),
     .fallback = "",
     .help = "what the files together must hash to (XXH3, 16 hexadecimal digits); empty: anything"},
    {0}};

enum { CUT_OFF, NO_ADDRESS, NO_ENTRY, DEAD_PORT, ASTRAY, NO_LANE };
static const char *const losses[] = {[CUT_OFF] = "source cut off",
                                     [NO_ADDRESS] = "the destination has no address",
                                     [NO_ENTRY] = "no entry for the address",
                                     [DEAD_PORT] = "the entry's port is dead",
                                     [ASTRAY] = "the entry leads to another end node",
                                     [NO_LANE] = "no lane for the service level",
                                     NULL};

/* ------------------------------------------------------------------ files */

/* The files that are named, to `path`; how many. */
static unsigned named_files(const config *c, const char *path[FILES]) {
  unsigned count = 0;
  for (unsigned i = 0; i < FILES; i++)
    if (c->file[i][0]) path[count++] = c->file[i];
  return count;
}

static int check_hash(const config *c, const char *hash, ripstop_error *err) {
  if (!c->hash[0] || strcmp(c->hash, hash) == 0) return 0;
  return ripstop_fail(err, "tables: the files together have the hash %s, not %.64s", hash, c->hash);
}

static int name_files(ripstop_arena *arena, const char *beside, void *named_, void *opened_, ripstop_error *err) {
  config *named = named_, *opened = opened_;
  const char *slash = beside ? strrchr(beside, '/') : NULL, *path[FILES];
  char hash[RIPSTOP_LFTS_HASH];
  for (unsigned i = 0; i < FILES; i++) {
    const char *file = named->file[i], *last = strrchr(file, '/');
    if (slash && file[0] && file[0] != '/')
      opened->file[i] = ripstop_arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, file);
    if (beside && last) named->file[i] = last + 1;
  }
  unsigned count = named_files(opened, path);
  if (count == 0) return 0;
  if (ripstop_lfts_hash(path, count, hash, err) || check_hash(named, hash, err)) return -1;
  named->hash = opened->hash = ripstop_arena_text(arena, hash);
  return 0;
}

static void find_addresses(ripstop_arena *arena, const ripstop_fabric *fabric, config *c) {
  uint32_t *first = RIPSTOP_ARRAY(arena, fabric->ends + 1, uint32_t);
  for (uint32_t end = 0, a = 0; end < fabric->ends; end++) {
    while (a < c->tables->addresses && c->tables->node[a] == end) a++;
    first[end + 1] = a;
    if (a - first[end] > c->most) c->most = a - first[end];
  }
  c->first = first;
}

static ripstop_answer load(ripstop_arena *arena, const ripstop_fabric *fabric, void *config_, ripstop_error *err) {
  config *c = config_;
  const char *path[FILES];
  char hash[RIPSTOP_LFTS_HASH];
  ripstop_lfts_notes notes;
  if (!c->file[0][0]) {
    ripstop_fail(err, "tables: name a file of forwarding tables, tables:lfts=PATH");
    return RIPSTOP_DOES_NOT_APPLY;
  }
  c->tables = ripstop_lfts_read(arena, fabric, path, named_files(c, path), &notes, hash, err);
  if (!c->tables || check_hash(c, hash, err)) return RIPSTOP_ERROR;
  find_addresses(arena, fabric, c);
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ ways */

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  (void)err;
  p->data = c;
  p->channels = c->tables->lanes;
  p->draws = c->most ? c->most : 1;
  return RIPSTOP_APPLIES;
}

static int lost(int why) { return -(1 + why); }

/* At an end node: the address that the packet has drawn, and its level. */
static int send(const ripstop_plan *p, const ripstop_head *head, ripstop_way *way) {
  const config *c = p->data;
  const ripstop_forwarding *t = c->tables;
  uint32_t first = c->first[head->destination], count = c->first[head->destination + 1] - first;
  if (!p->view->port_up[p->fabric->port_base[head->node]]) return lost(CUT_OFF);
  if (count == 0) return lost(NO_ADDRESS);
  uint32_t address = first + (uint32_t)(head->header % count);
  unsigned level = ripstop_forwarding_level(t, head->node, address);
  unsigned lane = ripstop_forwarding_end_lane(t, head->node, level);
  *way = (ripstop_way){.header = (uint64_t)level << LEVEL_SHIFT | address, .channel = (uint8_t)lane, .space = 1};
  return lane < p->channels ? 1 : lost(NO_LANE);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *way) {
  const config *c = p->data;
  const ripstop_fabric *f = p->fabric;
  if (ripstop_is_end(f, head->node)) return send(p, head, way);
  uint32_t port = ripstop_forwarding_port(c->tables, (uint32_t)head->header, head->node);
  if (port >= ripstop_node_ports(f, head->node)) return lost(NO_ENTRY);
  uint32_t out = f->port_base[head->node] + port;
  if (!p->view->port_up[out]) return lost(DEAD_PORT);
  uint32_t next = f->port_node[f->peer[out]];
  if (ripstop_is_end(f, next) && next != head->destination) return lost(ASTRAY);
  unsigned level = (unsigned)(head->header >> LEVEL_SHIFT);
  unsigned lane = ripstop_forwarding_lane(c->tables, head->node, head->in_port, port, level);
  *way = (ripstop_way){.header = head->header, .port = (uint16_t)port, .channel = (uint8_t)lane, .space = 1};
  return lane < p->channels ? 1 : lost(NO_LANE);
}

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)fabric;
  (void)config_;
  *out = (ripstop_guarantees){0};
}

const ripstop_method ripstop_method_tables = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "tables",
    .summary = "any fabric: forwarding tables, service levels and lanes from files",
    .source = "InfiniBand Architecture Specification 1.3, volume 1, sections 14.2.5.6 and 14.2.5.8",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .name_files = name_files,
    .load = load,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
