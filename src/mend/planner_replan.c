/* planner_replan.c - a sweep that finds parts that were not there before: tables go from one fabric to the next by
 * GUIDs (snapshot.h), in memory as from the file, or are made again. At a take-over those that the switches hold stay
 * unless others are twice as good. */
#include "mend/planner_inside.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "mend/plan_return.h"
#include "mend/repairs.h"
#include "mend/tree_writes.h"

void planner_free_work(planner_work *w) {
  planner_close(&w->now);
  snapshot_free(w->read);
  snapshot_free(w->last);
  snapshot_free(w->plan);
  ripstop_forwarding_free(w->old);
  ripstop_forwarding_free(w->held);
  common_tree_free(&w->tree);
}

/* Options of the present sweep. The switches' tables may have changed since the file was written, and the number of
 * LIDs a port since the last sweep. */
static ripstop_mend_options wanted_now(const ripstop_planner *k, const planner_work *w) {
  return (ripstop_mend_options){.lanes = k->lanes,
                                .by_pair = k->config.sl == PLANNER_BY_PAIR,
                                .seed = (uint64_t)k->config.seed,
                                .lmc = planner_lmc(w->now.fabric),
                                .groups = true};
}

/* ------------------------------------------------------------------ tables of switches and of the file */

/* The file is read until there are tables. */
static void read_file(ripstop_planner *k, planner_work *w) {
  bool missing = false;
  if (k->now.tables || k->config.file[0] == '\0') return;
  w->read = snapshot_read(k->config.file, &missing, &k->notice);
  if (missing) k->notice.text[0] = '\0';
  if (!w->read) return;
  k->generation = w->read->generation;
  memcpy(k->last_writer, w->read->writer, sizeof k->last_writer);
}

/* Gives tables read by LID the service levels and VLs of others. False: these have other addresses. */
static bool take_levels(ripstop_forwarding *held, const ripstop_forwarding *from) {
  size_t levels = (size_t)ripstop_forwarding_level_rows(from) * from->addresses;
  if (held->addresses != from->addresses) return false;
  held->lanes = from->lanes;
  held->level_shared = from->level_shared;
  held->level = from->level ? RIPSTOP_ARRAY(held->arena, levels, uint8_t) : NULL;
  if (from->level) memcpy(held->level, from->level, levels);
  return true;
}

static ripstop_forwarding *lay_covered(const snapshot *s, const ripstop_fabric *f) {
  ripstop_forwarding *laid = snapshot_lay(s, f), *covered = ripstop_forwarding_cover(laid);
  ripstop_forwarding_free(laid);
  return covered;
}

/* At a take-over: compares what the switches hold with the file. Service levels are nowhere in the fabric. Those of the
 * file are tried for the entries that are there, if they depend on the destination alone, since no repair changes
 * these; but whether packets carry them is known only if all entries are the file's (lay_old). */
static void lay_held(const ripstop_planner *k, planner_work *w) {
  if (k->now.tables) return;
  w->sweep.taken.over = true;
  w->sweep.taken.held = k->held.entries;
  w->sweep.taken.generation = w->read ? w->read->generation : 0;
  w->sweep.taken.writer = k->last_writer;
  if (k->held.entries == 0) return;
  w->held = held_lay(&k->held, w->now.fabric, 1u << planner_lmc(w->now.fabric));
  ripstop_forwarding *file = w->read ? lay_covered(w->read, w->now.fabric) : NULL;
  bool alike = file && file->addresses == w->held->addresses;
  w->sweep.taken.differs = alike ? held_differences(w->held, file) : w->sweep.taken.held;
  if (alike && (!file->level || file->level_shared || w->sweep.taken.differs == 0)) take_levels(w->held, file);
  ripstop_forwarding_free(file);
}

/* Finds the tables in the switches: what they hold, if it is known and differs from what was published last; otherwise
 * that, or, after a restart, the tables of the file. Levels that are not known count as 0: then a state is safe only if
 * it is safe for any levels. */
static void lay_old(const ripstop_planner *k, planner_work *w, bool kept) {
  snapshot *had = k->now.tables ? snapshot_of(k->now.tables) : NULL;
  bool planned =
      w->held && !kept && w->held->addresses == w->now.goal->addresses && !held_differences(w->held, w->now.goal);
  if (planned) {
    w->old = ripstop_forwarding_copy(ripstop_arena_new(), w->now.goal); /* another manager's plan for this fabric */
  } else if (w->held && w->sweep.taken.differs > 0) {
    w->old = ripstop_forwarding_copy(ripstop_arena_new(), w->held);
    w->old->level = NULL;
    w->old->lanes = 1;
    w->sweep.taken.levels_unknown = k->config.lanes > 1;
  } else if (had && k->foreign) {
    ripstop_forwarding *last = lay_covered(had, w->now.fabric);
    w->old = held_lay(&k->held, w->now.fabric, 1u << planner_lmc(w->now.fabric));
    take_levels(w->old, last);
    ripstop_forwarding_free(last);
  } else if (had || w->read) {
    w->old = snapshot_lay(had ? had : w->read, w->now.fabric);
  }
  snapshot_free(had);
}

/* ------------------------------------------------------------------ tables for the fabric */

/* Maps older tables to the fabric and repairs them, if they may stay. False: the result is not good, and there are no
 * tables. */
static bool repair(const ripstop_planner *k, planner_work *w, const snapshot *last) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_mended mended = {0};
  ripstop_error why;
  ripstop_forwarding *laid = snapshot_lay(last, w->now.fabric);
  bool may_stay = mend_may_stay(&wanted, laid, &why) == 0;
  if (may_stay) w->now.goal = ripstop_forwarding_cover(laid);
  ripstop_forwarding_free(laid);
  if (may_stay && planner_mend(k, &w->now, 0, &mended, &w->sweep)) return true;
  planner_drop_tables(&w->now);
  return false;
}

static int plan(const ripstop_planner *k, planner_work *w, ripstop_error *err) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  double begin = ripstop_thread_seconds();
  ripstop_mend *mend = ripstop_mend_open(w->now.view, &wanted, err);
  if (!mend) return -1;
  w->now.goal = mend->tables;
  mend->tables = NULL;
  ripstop_mend_free(mend);
  w->sweep.table_seconds = ripstop_thread_seconds() - begin;
  return 0;
}

/* Finds the last tables with the necessary changes for this fabric, which may be none, or new tables. */
static int find_tables(const ripstop_planner *k, planner_work *w, ripstop_error *err) {
  ripstop_mended mended = {0};
  const snapshot *last = w->last ? w->last : w->read;
  w->sweep.kind = RIPSTOP_SWEEP_REPAIRED;
  if (last && repair(k, w, last)) return 0;
  w->sweep.kind = RIPSTOP_SWEEP_PLANNED;
  if (plan(k, w, err) != 0) return -1;
  if (planner_mend(k, &w->now, 0, &mended, &w->sweep)) return 0;
  return ripstop_fail(err, "the new tables are not used: %" PRIu64 " pairs are lost, deadlock %s", w->sweep.lost,
                      ripstop_deadlock_words[w->now.deadlock]);
}

/* Repairs the tables that the switches hold, if they may stay. */
static bool repair_held(const ripstop_planner *k, planner_work *w) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_mended mended = {0};
  ripstop_error why;
  w->sweep.kind = RIPSTOP_SWEEP_REPAIRED;
  if (mend_may_stay(&wanted, w->held, &why) != 0) return false;
  w->now.goal = ripstop_forwarding_copy(ripstop_arena_new(), w->held);
  if (planner_mend(k, &w->now, 0, &mended, &w->sweep)) return true;
  planner_drop_tables(&w->now);
  return false;
}

/* At a take-over the tables that the switches hold stay, with necessary changes, unless the others are twice as good.
 * *kept: they do. */
static int find_best(const ripstop_planner *k, planner_work *w, bool *kept, ripstop_error *err) {
  enum { MUCH = 2 };
  bool held = w->held && w->sweep.taken.differs > 0 && repair_held(k, w);
  planner_answer of_held = {.goal = w->now.goal, .mender = w->now.mender};
  const ripstop_sweep sweep = w->sweep;
  w->now.goal = NULL;
  w->now.mender = NULL;
  int status = find_tables(k, w, err);
  *kept = held && (status != 0 || sweep.worst <= MUCH * w->sweep.worst);
  if (!*kept) {
    planner_drop_tables(&of_held);
    return status;
  }
  planner_drop_tables(&w->now);
  w->now.goal = of_held.goal;
  w->now.mender = of_held.mender;
  w->sweep = sweep;
  return 0;
}

/* ------------------------------------------------------------------ the plan of the whole fabric */

static snapshot *snapshot_of_plan(const planner_answer *a, uint64_t worst) {
  snapshot *plan = snapshot_of(a->goal);
  plan->worst = worst;
  plan->cables = a->fabric->links;
  return plan;
}

/* Plans for a fabric that has grown, without a change of its tables: a budget leads them there. */
static void plan_aside(const ripstop_planner *k, planner_work *w) {
  ripstop_error why;
  ripstop_sweep ignored = {0};
  ripstop_mended mended;
  planner_work aside = {.now = {.fabric = w->now.fabric, .view = w->now.view, .present = w->now.present}};
  if (plan(k, &aside, &why) == 0 && planner_mend(k, &aside.now, 0, &mended, &ignored))
    w->plan = snapshot_of_plan(&aside.now, ignored.worst);
  w->sweep.table_seconds += aside.sweep.table_seconds + ignored.table_seconds;
  planner_drop_tables(&aside.now);
}

/* A plan as tables of the fabric; NULL: there is none, or the options forbid it. */
static ripstop_forwarding *lay_plan(const ripstop_planner *k, const planner_work *w, const snapshot *from) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_error why;
  ripstop_forwarding *laid = from ? snapshot_lay(from, w->now.fabric) : NULL, *covered = NULL;
  if (laid && mend_may_stay(&wanted, laid, &why) == 0) covered = ripstop_forwarding_cover(laid);
  ripstop_forwarding_free(laid);
  return covered;
}

/* Finds the plan that the tables are to return to: the one of the fabric with most cables. */
static void find_plan(const ripstop_planner *k, planner_work *w) {
  bool from_file = w->read && w->read->plan; /* another manager's may be newer than the one in memory */
  const snapshot *old = from_file ? w->read->plan : k->plan;
  w->now.plan = lay_plan(k, w, old);
  uint32_t cables = w->now.plan ? old->cables : 0, here = w->now.fabric->links;
  if (w->sweep.kind == RIPSTOP_SWEEP_PLANNED && here >= cables)
    w->plan = snapshot_of_plan(&w->now, w->sweep.worst);
  else if (here > cables && k->config.budget > 0)
    plan_aside(k, w);
  if (w->plan) {
    ripstop_forwarding_free(w->now.plan);
    w->now.plan = lay_plan(k, w, w->plan);
  } else if (from_file) {
    w->plan = w->read->plan;
    w->read->plan = NULL;
  }
}

/* ------------------------------------------------------------------ published tables */

/* Keeps old entries that do not change, with addresses, service levels and VLs of the new tables. */
static void take_away(ripstop_forwarding *t, const ripstop_forwarding *kept) {
  size_t switches = ripstop_fabric_switches(t->fabric);
  for (uint32_t a = 0, at = 0; a < t->addresses; a++, at++) {
    while (kept->node[at] != t->node[a]) at++;
    memcpy(t->port + a * switches, kept->port + at * switches, switches * sizeof *t->port);
  }
}

/* Compares with the tables in the switches, decides whether one write is safe, and sets what to publish next. */
static int find_changes(const ripstop_planner *k, planner_work *w, ripstop_error *err) {
  const planner_answer *a = &w->now;
  ripstop_update update = {0};
  bool over = w->sweep.taken.over, clear = over || w->tree.clashes; /* a take-over clears masks that it does not know */
  if (w->old && tree_writes_judge(a->view, &k->tree, &w->tree, w->old, a->goal, &clear, &update, err)) return -1;
  w->sweep.group_clash = clear && !over;
  planner_report_update(&w->sweep, &update);
  w->now.tables = ripstop_forwarding_copy(ripstop_arena_new(), w->now.goal);
  if (update.between) take_away(w->now.tables, update.between);
  ripstop_forwarding_free(update.between);
  planner_number_lids(&w->now);
  return 0;
}

/* Tables of the file, or of the switches, if none of their entries had to change. */
static void find_kind(const ripstop_planner *k, planner_work *w, bool kept) {
  bool changed = w->sweep.changed > 0 || (w->sweep.levels_changed > 0 && !w->sweep.taken.levels_unknown);
  if (!k->now.tables && w->sweep.kind == RIPSTOP_SWEEP_REPAIRED && !changed)
    w->sweep.kind = kept ? RIPSTOP_SWEEP_KEPT : RIPSTOP_SWEEP_RESTORED;
}

/* Publishes. The file is written first, since that takes memory; the rest takes none. */
static void commit(ripstop_planner *k, planner_work *w) {
  if (w->sweep.kind != RIPSTOP_SWEEP_RESTORED) planner_write_file(k, w->now.goal, w->plan ? w->plan : k->plan);
  if (w->plan) {
    snapshot_free(k->plan);
    k->plan = w->plan;
    w->plan = NULL;
  }
  planner_close(&k->now);
  common_tree_replace(&k->tree, &w->tree);
  k->now = w->now;
  k->last = w->sweep;
  k->torn = false;
  w->now = (planner_answer){0};
}

int planner_replan(ripstop_planner *k, planner_work *w, ripstop_error *err) {
  bool kept;
  read_file(k, w);
  if (k->now.tables) w->last = snapshot_of(k->torn ? k->now.tables : k->now.goal);
  lay_held(k, w);
  if (find_best(k, w, &kept, err) != 0) return -1;
  lay_old(k, w, kept);
  w->sweep.bound = planner_bound(&w->now, w->sweep.kind == RIPSTOP_SWEEP_PLANNED ? w->sweep.worst : 1);
  planner_find_tree(k, &w->now, &w->tree, &w->sweep);
  if (find_changes(k, w, err) != 0) return -1;
  find_kind(k, w, kept);
  find_plan(k, w);
  planner_report_plan(&w->now, w->plan ? w->plan : k->plan, w->now.goal, &w->sweep);
  w->sweep.planned = w->sweep.kind == RIPSTOP_SWEEP_PLANNED ? w->sweep.worst : k->last.planned;
  w->sweep.more = w->sweep.kind != RIPSTOP_SWEEP_PLANNED && k->config.budget > 0;
  commit(k, w);
  return 0;
}
