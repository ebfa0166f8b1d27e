/* planner.c - the subnet planner: tables from sweep to sweep. Tables are judged before they are published, whatever
 * made them: they serve every pair that has a path, and no packets can wait for each other forever.
 *
 * While no new part appears, the fabric of the first sweep stays, and tables are repaired in place (planner_follow.c):
 * parts that return find their entries again. Otherwise tables go to the new fabric, or are made again
 * (planner_replan.c); a restart is an ordinary sweep. If old and new entries must not meet (judge.h, ripstop_update),
 * the sweep publishes intermediate tables, and the next sweep the new ones. */
#include "mend/planner_inside.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "fabric/ib.h"

static const char *const sl_words[] = {[PLANNER_BY_DESTINATION] = "destination", [PLANNER_BY_PAIR] = "pair", NULL};

const ripstop_option ripstop_planner_options[] = {
    RIPSTOP_INTEGER(planner_config, lanes, 1, RIPSTOP_MEND_LANES, "4", "virtual lanes for data"),
    RIPSTOP_WORD(planner_config, sl, sl_words, "destination",
                 "service levels depend on the destination, so that they last, or on source and destination"),
    RIPSTOP_INTEGER(planner_config, seed, 0, UINT32_MAX, "1", "seed of random choices while tables are made"),
    RIPSTOP_INTEGER(planner_config, budget, 0, UINT32_MAX, "0",
                    "most entries that a sweep changes to relieve the busiest links; 0: none"),
    RIPSTOP_TEXT(planner_config, file, "", "file in which tables outlive a restart; empty: none"),
    {0},
};

const char *const ripstop_sweep_words[] = {[RIPSTOP_SWEEP_SAME] = "same",         [RIPSTOP_SWEEP_RESTORED] = "restored",
                                           [RIPSTOP_SWEEP_REPAIRED] = "repaired", [RIPSTOP_SWEEP_PLANNED] = "planned",
                                           [RIPSTOP_SWEEP_BALANCED] = "balanced", [RIPSTOP_SWEEP_KEPT] = "kept",
                                           [RIPSTOP_SWEEP_RETURNED] = "returned", NULL};

ripstop_planner *ripstop_planner_open(const char *options, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_planner *k = RIPSTOP_NEW(arena, ripstop_planner);
  k->arena = arena;
  int status = ripstop_options_parse(arena, "planner", ripstop_planner_options, &k->config, options, err);
  k->lanes = (uint32_t)k->config.lanes;
  if (!status) return k;
  ripstop_arena_free(arena);
  return NULL;
}

void ripstop_planner_free(ripstop_planner *k) {
  if (!k) return;
  planner_close(&k->now);
  snapshot_free(k->plan);
  common_tree_free(&k->tree);
  ripstop_arena_free(k->arena);
}

uint32_t ripstop_planner_lanes(const ripstop_planner *k) { return (uint32_t)k->config.lanes; }

void ripstop_planner_allow(ripstop_planner *k, uint32_t lanes) {
  const uint32_t most = ripstop_planner_lanes(k);
  k->lanes = lanes < 1 ? 1 : lanes < most ? lanes : most;
}

/* ------------------------------------------------------------------ tables in the switches */

/* The port of a switch's published entry, as tables of switches have it. */
static uint8_t port_to(const planner_answer *a, uint32_t node, size_t lid) {
  uint32_t address = lid < PLANNER_LIDS ? a->address[lid] : RIPSTOP_NONE;
  if (address == RIPSTOP_NONE) return SNAPSHOT_NONE;
  if (a->tables->node[address] == node) return 0;
  uint32_t local = ripstop_forwarding_port(a->tables, address, node);
  return local < SNAPSHOT_NONE ? (uint8_t)local : SNAPSHOT_NONE;
}

/* Entries of switches that are not the published ones; *foreign: some of these lead somewhere, for LIDs in use. */
static uint64_t count_held(const ripstop_planner *k, bool *foreign) {
  uint64_t differs = 0;
  *foreign = false;
  for (size_t i = 0; k->now.tables && i < k->held.count; i++) {
    const held_table *t = &k->held.table[i];
    uint32_t node = ripstop_ib_switch_of(k->now.fabric, t->guid);
    for (size_t lid = 0; node != RIPSTOP_NONE && lid < t->lids; lid++) {
      bool differ = t->port[lid] != port_to(&k->now, node, lid);
      differs += differ;
      *foreign |= differ && t->port[lid] != SNAPSHOT_NONE && lid < PLANNER_LIDS && k->now.address[lid] != RIPSTOP_NONE;
    }
  }
  return differs;
}

void ripstop_planner_take_over(ripstop_planner *k, const char *writer) {
  planner_close(&k->now);
  common_tree_free(&k->tree);
  k->now = (planner_answer){0};
  k->last = (ripstop_sweep){0};
  k->torn = false;
  snprintf(k->writer, sizeof k->writer, "%s", writer);
}

int ripstop_planner_holds(ripstop_planner *k, uint64_t guid, const uint8_t *port, size_t lids, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const held_table table = {guid, port, lids};
  held_add(&k->held, k->arena, &table);
  return 0;
}

/* ------------------------------------------------------------------ a sweep */

/* True if the fabric is unchanged, no second write is due, and no balance is left to improve. */
static bool is_same(const ripstop_planner *k, const char *dump, size_t length) {
  char hash[RIPSTOP_HASH];
  ripstop_hash(dump, length, hash);
  bool done = k->last.first || !k->last.more;
  return k->now.tables && !k->torn && !k->foreign && done && strcmp(hash, k->now.hash) == 0;
}

static void tell_rest(ripstop_planner *k) {
  bool rest = k->last.first;
  if (!rest) k->last.kind = RIPSTOP_SWEEP_SAME;
  k->last.first = k->last.unsafe = k->last.group_clash = false;
  memset(&k->last.taken, 0, sizeof k->last.taken);
  k->last.changed = k->last.levels_changed = 0;
  k->last.table_seconds = 0;
  if (rest) planner_write_next(&k->now, k->now.tables->level, &k->last);
}

static int look(ripstop_planner *k, planner_work *w, const char *dump, size_t length, ripstop_error *err) {
  if (planner_look_at(&w->now, dump, length, err) != 0) return -1;
  int status = planner_follow(k, w, err);
  return status > 0 ? planner_replan(k, w, err) : status;
}

static int sweep_held(ripstop_planner *k, const char *dump, size_t length, ripstop_error *err) {
  planner_work w = {0};
  int status = 0;
  bool foreign;
  count_held(k, &k->foreign);
  if (is_same(k, dump, length))
    tell_rest(k);
  else
    status = look(k, &w, dump, length, err);
  planner_free_work(&w);
  if (status == 0 && k->held.count > 0) k->last.changed = count_held(k, &foreign);
  return status;
}

static int sweep_guarded(ripstop_planner *k, const char *dump, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  return sweep_held(k, dump, length, err);
}

int ripstop_planner_sweep(ripstop_planner *k, const char *dump, size_t length, ripstop_sweep *out, ripstop_error *err) {
  double begin = ripstop_thread_seconds();
  k->notice.text[0] = '\0';
  int status = sweep_guarded(k, dump, length, err);
  k->held.count = 0;
  k->held.entries = 0;
  *out = k->last;
  out->seconds = ripstop_thread_seconds() - begin;
  out->notice = k->notice.text[0] != '\0' ? k->notice.text : NULL;
  return status;
}

/* ------------------------------------------------------------------ results */

bool ripstop_planner_table(const ripstop_planner *k, uint64_t guid, uint8_t *port, size_t lids) {
  RIPSTOP_GUARD(NULL, false);
  const planner_answer *a = &k->now;
  uint32_t node = a->tables ? ripstop_ib_switch_of(a->fabric, guid) : RIPSTOP_NONE;
  if (node == RIPSTOP_NONE) return false;
  for (size_t lid = 0; lid < lids; lid++) port[lid] = port_to(a, node, lid);
  return true;
}

/* The end node whose service levels a sending node uses: the first end node at its switch, or, if the switch has
 * none, the first of all. */
static uint32_t source_of(const planner_answer *a, uint32_t node) {
  const ripstop_fabric *f = a->fabric;
  if (ripstop_is_end(f, node)) return node;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]))
      return f->port_node[f->peer[port]];
  return 0;
}

uint8_t ripstop_planner_group_port(const ripstop_planner *k, uint64_t guid, uint64_t *parent) {
  const common_branch *b = common_tree_branch(&k->tree, guid);
  *parent = b ? b->parent : 0;
  return b ? b->port : 0;
}

unsigned ripstop_planner_level(const ripstop_planner *k, uint32_t source_lid, uint32_t lid) {
  const planner_answer *a = &k->now;
  if (!a->tables || source_lid >= PLANNER_LIDS || lid >= PLANNER_LIDS) return 0;
  if (a->address[source_lid] == RIPSTOP_NONE || a->address[lid] == RIPSTOP_NONE) return 0;
  uint32_t source = source_of(a, a->tables->node[a->address[source_lid]]);
  return ripstop_forwarding_level(a->tables, source, a->address[lid]);
}
