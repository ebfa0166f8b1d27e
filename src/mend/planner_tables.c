/* planner_tables.c - the tables of one fabric: LIDs, the verdict before they are published, repairs in place, the tree
 * of multicast groups, and the file. */
#include "mend/planner_inside.h"

#include <string.h>

#include "base/hash.h"
#include "base/local.h"
#include "base/team.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "mend/kept_tree.h"
#include "mend/plan_return.h"

/* A node's LIDs are its addresses in turn; all LIDs of a switch are its only address. */
static void add_lids(planner_answer *a, uint32_t first, uint32_t count) {
  ib_subnet_node n;
  ib_subnet_node_of(a->fabric, a->tables->node[first], &n);
  for (uint32_t i = 0; i < 1u << n.lmc && n.lid > 0 && n.lid + i < PLANNER_LIDS; i++)
    if (a->address[n.lid + i] == RIPSTOP_NONE) a->address[n.lid + i] = first + i % count;
}

void planner_number_lids(planner_answer *a) {
  const ripstop_forwarding *t = a->tables;
  for (uint32_t lid = 0; lid < PLANNER_LIDS; lid++) a->address[lid] = RIPSTOP_NONE;
  for (uint32_t address = 0, count; address < t->addresses; address += count) {
    for (count = 1; address + count < t->addresses && t->node[address + count] == t->node[address];) count++;
    if (a->present[t->node[address]]) add_lids(a, address, count);
  }
}

uint32_t planner_lmc(const ripstop_fabric *f) {
  uint32_t most = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    ib_subnet_node n;
    ib_subnet_node_of(f, end, &n);
    if (n.lmc > most) most = n.lmc;
  }
  return most;
}

uint64_t planner_bound(const planner_answer *a, uint64_t enough) {
  return ripstop_judge_bound(a->view, ripstop_forwarding_most(a->goal), enough);
}

int planner_look_at(planner_answer *a, const char *dump, size_t length, ripstop_error *err) {
  *a = (planner_answer){.arena = ripstop_arena_new()};
  ripstop_hash(dump, length, a->hash);
  a->fabric = ripstop_ib_from_text("fabric", dump, length, err);
  if (!a->fabric) return -1;
  a->view = ripstop_view_new(a->fabric, NULL);
  a->present = RIPSTOP_ARRAY(a->arena, a->fabric->nodes, uint8_t);
  a->address = RIPSTOP_ARRAY(a->arena, PLANNER_LIDS, uint32_t);
  memset(a->present, 1, a->fabric->nodes);
  return 0;
}

void planner_close(planner_answer *a) {
  ripstop_mender_free(a->mender);
  ripstop_forwarding_free(a->goal);
  ripstop_forwarding_free(a->plan);
  ripstop_forwarding_free(a->tables);
  ripstop_view_free(a->view);
  ripstop_fabric_free(a->fabric);
  if (a->arena) ripstop_arena_free(a->arena);
}

/* ------------------------------------------------------------------ verdicts */

static void count_pairs(const planner_answer *a, ripstop_sweep *out) {
  uint64_t ends = 0;
  for (uint32_t end = 0; end < a->fabric->ends; end++) ends += a->present[end];
  out->pairs = ends * (ends - (ends > 0));
}

bool planner_are_good(planner_answer *a, const ripstop_forwarding *tables, ripstop_sweep *out) {
  ripstop_table_verdict v;
  RIPSTOP_LOCAL_ARENA(scratch);
  bool judged = ripstop_judge(scratch, a->view, tables, NULL, &v, NULL) == 0;
  uint64_t all = (uint64_t)a->fabric->ends * (a->fabric->ends - 1);
  count_pairs(a, out);
  out->lost = v.unreached - v.disconnected + (all - v.pairs);
  out->worst = v.worst;
  out->lanes = tables->lanes;
  a->deadlock = ripstop_deadlock_of_tables(v.credit_loop);
  return judged && !ripstop_deadlock_possible(a->deadlock) && out->lost == 0;
}

/* The same for the goal after changes. What has not changed was judged before. */
static bool is_goal_good(planner_answer *a, const ripstop_mended *mended, ripstop_sweep *out) {
  if (!a->judged && a->arena) a->judged = rejudge_new(a->arena, a->view, a->goal);
  bool follows =
      a->judged && mended->levels_changed == 0 && rejudge_follow(a->judged, a->goal, mended->entry, mended->entries);
  if (!follows && !(a->judged && rejudge_read(a->judged, a->goal))) return planner_are_good(a, a->goal, out);
  count_pairs(a, out);
  out->lost = 0;
  out->worst = rejudge_worst(a->judged);
  out->lanes = a->goal->lanes;
  a->deadlock = ripstop_deadlock_of_tables(false);
  return true;
}

/* ------------------------------------------------------------------ repairs in place */

void planner_drop_tables(planner_answer *a) {
  if (a->judged) rejudge_forget(a->judged);
  ripstop_mender_free(a->mender);
  ripstop_forwarding_free(a->goal);
  a->mender = NULL;
  a->goal = NULL;
}

ripstop_mender *planner_open_mender(const ripstop_planner *k, const ripstop_view *view, ripstop_forwarding *tables,
                                    ripstop_answer *reply, ripstop_error *why) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint8_t *cable = RIPSTOP_ARRAY(scratch, view->fabric->links + 1, uint8_t);
  common_tree_mark(&k->tree, view, cable);
  ripstop_mender *m = mender_open_with_tree(view, tables, (uint64_t)k->config.seed, cable, reply, why);
  if (!m || mender_tree(m)) return m;
  memset(cable, 0, view->fabric->links);
  mender_keep_tree(m, cable);
  return m;
}

bool planner_mend(const ripstop_planner *k, planner_answer *a, uint32_t budget, ripstop_mended *mended,
                  ripstop_sweep *out) {
  ripstop_answer reply = RIPSTOP_APPLIES;
  ripstop_error why;
  double begin = ripstop_thread_seconds();
  if (!a->mender) a->mender = planner_open_mender(k, a->view, a->goal, &reply, &why);
  if (a->mender && budget == 0) reply = ripstop_mender_follow(a->mender, mended, &why);
  if (a->mender && budget > 0) reply = ripstop_mender_balance(a->mender, budget, mended, &why);
  out->table_seconds += ripstop_thread_seconds() - begin;
  return reply == RIPSTOP_APPLIES && is_goal_good(a, mended, out);
}

void planner_find_tree(const ripstop_planner *k, const planner_answer *a, common_tree *tree, ripstop_sweep *out) {
  RIPSTOP_LOCAL_ARENA(scratch);
  depend *known = a->judged ? rejudge_graph(a->judged, a->goal) : NULL;
  const uint8_t *kept = mender_tree(a->mender);
  common_tree_find(tree, &k->tree, a->view, a->goal, kept, known);
  if (!kept && tree->lanes & 1) {
    uint8_t *cable = RIPSTOP_ARRAY(scratch, a->view->fabric->links + 1, uint8_t);
    common_tree_mark(tree, a->view, cable);
    mender_keep_tree(a->mender, cable);
  }
  out->group_lanes = tree->lanes;
  out->group_clash = tree->clashes;
}

/* ------------------------------------------------------------------ reports, and the file */

void planner_report_update(ripstop_sweep *out, const ripstop_update *update) {
  out->changed = update->changed;
  out->levels_changed = update->levels_changed;
  out->first = update->between != NULL;
  out->unsafe = update->steps == RIPSTOP_NONE;
}

void planner_report_plan(const planner_answer *a, const snapshot *plan, const ripstop_forwarding *tables,
                         ripstop_sweep *out) {
  out->away = 0;
  out->whole = plan ? plan->worst : 0;
  if (a->plan && plan_return_serves(a->view, a->present, a->plan, tables))
    out->away = plan_return_left(a->view, a->present, a->plan, tables);
}

void planner_write_file(ripstop_planner *k, const ripstop_forwarding *tables, snapshot *plan) {
  if (k->config.file[0] == '\0') return;
  char other[SNAPSHOT_WRITER] = "";
  uint64_t there = snapshot_generation(k->config.file, other);
  if (there > k->generation && k->now.tables && strcmp(other, k->writer) != 0)
    ripstop_fail(&k->notice, "%s: %s has written it since this manager read it; are there two masters?", k->config.file,
                 other);
  k->generation = (there > k->generation ? there : k->generation) + 1;
  snapshot *s = snapshot_of(tables);
  s->plan = plan;
  s->generation = k->generation;
  memcpy(s->writer, k->writer, sizeof s->writer);
  snapshot_write(s, k->config.file, &k->notice);
  s->plan = NULL;
  snapshot_free(s);
}
