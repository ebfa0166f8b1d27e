/* planner_follow.c - a sweep without new parts: the fabric stays, with missing parts failed in its view (match.h), and
 * a mender repairs the tables in place. With a budget they return to the plan of the whole fabric, step by step. */
#include "mend/planner_inside.h"

#include <string.h>

#include "base/team.h"
#include "mend/kept_tree.h"
#include "mend/match.h"
#include "mend/plan_return.h"
#include "mend/return_steps.h"
#include "mend/tree_writes.h"

/* Tables that may become the goal, with their mender; NULL: none. */
typedef struct candidate {
  ripstop_forwarding *tables;
  ripstop_mender *mender;
  common_tree tree;
} candidate;

static void free_candidate(candidate *c) {
  ripstop_mender_free(c->mender);
  ripstop_forwarding_free(c->tables);
  common_tree_free(&c->tree);
  *c = (candidate){0};
}

/* Judges the writes by which the published tables become others, with the tree that these have. */
static int judge_writes(const ripstop_planner *k, const planner_answer *a, const ripstop_forwarding *tables,
                        const common_tree *tree, ripstop_sweep *out, ripstop_error *err) {
  ripstop_update update = {0};
  out->group_lanes = tree->lanes;
  out->group_clash = tree->clashes;
  if (tree_writes_judge(a->view, &k->tree, tree, a->tables, tables, &out->group_clash, &update, err)) return -1;
  planner_report_update(out, &update);
  ripstop_forwarding_free(update.between);
  return 0;
}

/* False: groups would lose the tree that is safe for them. */
static bool has_tree(const ripstop_planner *k, const common_tree *next) {
  return next->lanes & 1 || !(k->tree.lanes & 1);
}

/* Bounds of a step to the plan. */
typedef struct attempt {
  uint64_t bar;    /* no channel carries more paths */
  uint32_t writes; /* at most */
} attempt;

/* Other tables that may become the goal: with a mender, and the tree of multicast groups. */
static void open_candidate(const ripstop_planner *k, const planner_answer *a, candidate *c,
                           const ripstop_forwarding *tables) {
  ripstop_answer reply;
  ripstop_error why;
  c->tables = ripstop_forwarding_copy(ripstop_arena_new(), a->goal);
  if (tables) plan_return_copy(tables, c->tables);
  c->mender = planner_open_mender(k, a->view, c->tables, &reply, &why);
}

/* True if they are good and within the attempt; otherwise they are freed. */
static bool check(const ripstop_planner *k, planner_answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  ripstop_error why;
  ripstop_mended mended = {0};
  ripstop_sweep verdict = *out;
  if (c->mender) common_tree_find(&c->tree, &k->tree, a->view, c->tables, mender_tree(c->mender), NULL);
  bool safe = c->mender && has_tree(k, &c->tree) && judge_writes(k, a, c->tables, &c->tree, &verdict, &why) == 0 &&
              !verdict.unsafe && (at.writes > 1 || !verdict.first);
  bool good = safe && ripstop_mender_follow(c->mender, &mended, &why) == RIPSTOP_APPLIES &&
              mended.entries + mended.levels_changed == 0 && planner_are_good(a, c->tables, &verdict) &&
              verdict.worst <= at.bar;
  if (good)
    *out = verdict;
  else
    free_candidate(c);
  return good;
}

static bool try_plan(const ripstop_planner *k, planner_answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  if (out->away > (uint64_t)k->config.budget) return false;
  open_candidate(k, a, c, a->plan);
  return check(k, a, c, at, out);
}

/* By destination: moves single entries. */
static bool try_moves(const ripstop_planner *k, planner_answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  const uint64_t most = (uint64_t)k->config.budget < out->away ? (uint64_t)k->config.budget : out->away;
  const plan_step step = {.plan = a->plan, .most = most, .bar = at.bar, .single = at.writes == 1};
  open_candidate(k, a, c, NULL);
  if (c->mender && mender_step(c->mender, &step) > 0) return check(k, a, c, at, out);
  free_candidate(c);
  return false;
}

/* By destination, where trees block each other: entries that lead elsewhere make room for those of the plan. With the
 * tree of multicast groups as it is, or with the one that fits the plan. */
static bool try_detour(const ripstop_planner *k, planner_answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  const uint64_t most = (uint64_t)k->config.budget;
  bool done = false;
  for (unsigned i = 0; !done && i < 2; i++) {
    candidate whole = {0};
    if (i > 0) open_candidate(k, a, &whole, a->plan);
    const uint8_t *tree = whole.mender ? mender_tree(whole.mender) : NULL;
    open_candidate(k, a, c, NULL);
    if (c->mender && (i == 0 || tree) && mender_detour(c->mender, a->plan, tree, most) > 0)
      done = check(k, a, c, at, out);
    else
      free_candidate(c);
    free_candidate(&whole);
  }
  return done;
}

/* By pair: takes entries of one destination after the other. */
static bool try_step(const ripstop_planner *k, planner_answer *a, candidate *c, uint64_t most, attempt at,
                     ripstop_sweep *out) {
  ripstop_answer reply;
  ripstop_error why;
  c->tables = ripstop_forwarding_copy(ripstop_arena_new(), a->goal);
  if (plan_return_step(a->view, a->present, a->plan, c->tables, most) > 0) {
    c->mender = planner_open_mender(k, a->view, c->tables, &reply, &why);
    return check(k, a, c, at, out);
  }
  free_candidate(c);
  return false;
}

/* Finds tables with more entries of the plan, as many as the budget allows: all of them, or a step. */
static bool find_step(const ripstop_planner *k, planner_answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  enum { FEWER = 8 };
  bool done = try_plan(k, a, c, at, out);
  if (!ripstop_forwarding_by_pair(a->goal) && !ripstop_forwarding_by_pair(a->plan))
    return done || try_moves(k, a, c, at, out);
  for (uint64_t most = (uint64_t)k->config.budget; !done && most > 0;
       most = most > 1 && most < FEWER ? 1 : most / FEWER)
    done = try_step(k, a, c, most, at, out);
  return done;
}

/* In one write if any such step is safe, and with no more paths on the worst link than now or in the plan, if any such
 * step is found. Each step has more entries of the plan, or more destinations that have all of them, so this ends. */
static bool return_to_plan(const ripstop_planner *k, planner_answer *a, candidate *c, ripstop_sweep *out) {
  double begin = ripstop_thread_seconds();
  const uint64_t bar = out->worst > out->whole ? out->worst : out->whole;
  const uint64_t more[] = {0, 1 + bar / 16, 1 + bar / 4, bar};
  bool done = false;
  for (unsigned i = 0; !done && i < sizeof more / sizeof *more; i++)
    for (uint32_t writes = 1; !done && writes <= 2; writes++)
      done = find_step(k, a, c, (attempt){.bar = bar + more[i], .writes = writes}, out);
  done = done || try_detour(k, a, c, (attempt){.bar = 2 * bar, .writes = 2}, out);
  out->table_seconds += ripstop_thread_seconds() - begin;
  if (done) out->kind = RIPSTOP_SWEEP_RETURNED;
  return done;
}

/* ------------------------------------------------------------------ writes */

/* True if the published tables may become the goal in one write, by what the mender and the last verdict know; false:
 * not known. */
static bool fit_together(const ripstop_planner *k, const planner_answer *a, const ripstop_mended *mended,
                         const common_tree *tree) {
  depend *known = a->judged ? rejudge_graph(a->judged, a->goal) : NULL;
  if (!known || mended->levels_changed > 0) return false;
  rejudge_mix(a->judged, a->tables, mended->entry, mended->entries);
  return tree_writes_fit(a->view, &k->tree, tree, known);
}

/* Decides by how many writes the published tables may become the goal. */
static int find_writes(const ripstop_planner *k, const planner_answer *a, const ripstop_mended *mended,
                       const common_tree *tree, ripstop_sweep *out, ripstop_error *err) {
  out->first = !mended->mixed && mended->levels_changed == 0;
  if (out->first ? tree_writes_fit_two(a->view, &k->tree, tree) : fit_together(k, a, mended, tree)) return 0;
  const bool two = out->first;
  if (judge_writes(k, a, a->goal, tree, out, err)) return -1;
  out->first |= two;
  return 0;
}

/* ------------------------------------------------------------------ published tables */

static bool known_to_all(const planner_answer *a, size_t address, size_t s) {
  return a->present[a->goal->node[address]] && a->view->node_up[a->fabric->ends + s];
}

/* Room for the goal's levels in the published tables. */
static uint8_t *level_room(const planner_answer *a, const ripstop_forwarding *goal) {
  uint32_t rows = ripstop_forwarding_level_rows(goal);
  if (rows == ripstop_forwarding_level_rows(a->tables)) return a->tables->level;
  return rows ? RIPSTOP_ARRAY(a->tables->arena, (size_t)rows * goal->addresses, uint8_t) : NULL;
}

static void publish_levels(ripstop_forwarding *t, const ripstop_forwarding *goal, uint8_t *room) {
  size_t levels = (size_t)ripstop_forwarding_level_rows(goal) * goal->addresses;
  t->level = room;
  if (room) memcpy(room, goal->level, levels);
  t->level_shared = goal->level_shared;
  t->lanes = goal->lanes;
}

void planner_write_next(planner_answer *a, uint8_t *level, ripstop_sweep *out) {
  size_t switches = ripstop_fabric_switches(a->fabric);
  out->changed = 0;
  for (size_t address = 0; address < a->goal->addresses; address++)
    for (size_t s = 0; s < switches; s++) {
      uint16_t goal = a->goal->port[address * switches + s], *told = &a->tables->port[address * switches + s];
      if (*told == goal) continue;
      out->changed += known_to_all(a, address, s) && (!out->first || *told != RIPSTOP_NO_PORT);
      *told = out->first ? RIPSTOP_NO_PORT : goal;
    }
  publish_levels(a->tables, a->goal, level);
  planner_number_lids(a);
}

/* Publishes the goal, or the candidate as the new one. The file is written first, since that takes memory. */
static void publish(ripstop_planner *k, const candidate *c, bool changed, ripstop_sweep *sweep) {
  planner_answer *a = &k->now;
  if (changed) planner_write_file(k, c->tables ? c->tables : a->goal, k->plan);
  uint8_t *level = level_room(a, c->tables ? c->tables : a->goal);
  if (c->tables) {
    planner_drop_tables(a);
    a->goal = c->tables;
    a->mender = c->mender;
  }
  planner_write_next(a, level, sweep);
}

/* ------------------------------------------------------------------ the same fabric, with other parts alive */

/* Says which budget leads to the plan: by destination all entries at once do, in two writes. */
static void tell_enough(const ripstop_planner *k, const planner_answer *a, ripstop_sweep *out) {
  const bool by_pair = ripstop_forwarding_by_pair(a->goal) || ripstop_forwarding_by_pair(a->plan);
  out->stuck = out->away > 0;
  out->enough = out->stuck && !by_pair && out->away > (uint64_t)k->config.budget ? out->away : 0;
}

/* All cables of the plan are there: finds tables that lead to it, in sweeps that repair nothing. `stays`: no step was
 * found in the last sweep of this fabric. Later ones only balance, since both in turn would never end. */
static void aim_for_plan(const ripstop_planner *k, planner_answer *a, bool repaired, bool stays, candidate *c,
                         ripstop_sweep *out) {
  planner_report_plan(a, k->plan, a->goal, out);
  if (out->away == 0 || k->config.budget == 0) return;
  bool returned = !repaired && !stays && return_to_plan(k, a, c, out);
  if (returned) planner_report_plan(a, k->plan, c->tables, out);
  out->more = out->away > 0 && (returned || repaired);
  out->stuck = out->away > 0 && !out->more;
}

/* Balances tables that no step leads to the plan. */
static bool balance_instead(const ripstop_planner *k, planner_answer *a, ripstop_mended *mended, ripstop_sweep *out) {
  if (!planner_mend(k, a, (uint32_t)k->config.budget, mended, out)) return false;
  if (mended->entries > 0) out->kind = RIPSTOP_SWEEP_BALANCED;
  out->more = mended->more;
  planner_report_plan(a, k->plan, a->goal, out);
  tell_enough(k, a, out);
  return true;
}

int planner_follow(ripstop_planner *k, const planner_work *w, ripstop_error *err) {
  planner_answer *a = &k->now;
  candidate next = {0};
  ripstop_mended mended = {0};
  ripstop_sweep sweep = {.kind = RIPSTOP_SWEEP_REPAIRED};
  if (!a->tables || k->torn || k->foreign || !match_view(w->now.fabric, a->view, a->present)) return 1;
  k->torn = true;
  bool whole = a->plan && a->plan->lanes <= k->lanes && plan_return_serves(a->view, a->present, a->plan, a->goal);
  if (!planner_mend(k, a, whole ? 0 : (uint32_t)k->config.budget, &mended, &sweep)) return 1;
  bool changed = mended.entries + mended.levels_changed > 0;
  bool same = strcmp(a->hash, w->now.hash) == 0;
  if (same) sweep.kind = changed ? RIPSTOP_SWEEP_BALANCED : RIPSTOP_SWEEP_SAME;
  sweep.more = mended.more;
  if (whole) aim_for_plan(k, a, changed, same && k->last.stuck, &next, &sweep);
  if (sweep.stuck && !balance_instead(k, a, &mended, &sweep)) return 1;
  if (!next.tables) {
    planner_find_tree(k, a, &next.tree, &sweep);
    if (find_writes(k, a, &mended, &next.tree, &sweep, err)) return -1;
  }
  sweep.bound = planner_bound(a, 1);
  sweep.planned = k->last.planned;
  publish(k, &next, mended.entries + mended.levels_changed > 0 || next.tables, &sweep);
  common_tree_replace(&k->tree, &next.tree);
  memcpy(a->hash, w->now.hash, sizeof a->hash);
  k->last = sweep;
  k->torn = false;
  return 0;
}
