/* planner.c - the subnet planner: tables from sweep to sweep. Tables are judged before they are published, whatever
 * made them: they serve every pair that has a path, and no packets can wait for each other forever.
 *
 * While no new part appears, the fabric of the first sweep stays, with missing parts failed in its view (match.h),
 * and a mender repairs the tables in place: parts that return find their entries again. Otherwise tables go from one
 * fabric to the next by GUIDs (snapshot.h), in memory as from the file, so a restart is an ordinary sweep. If old and
 * new entries must not meet (judge.h, ripstop_update), the sweep publishes intermediate tables, and the next sweep
 * the new ones. */
#include "ripstop/kit/planner.h"
#include "base/local.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/team.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "mend/common_tree.h"
#include "mend/held_tables.h"
#include "mend/kept_tree.h"
#include "mend/match.h"
#include "mend/mend_tables.h"
#include "mend/plan_return.h"
#include "mend/repairs.h"
#include "mend/return_steps.h"
#include "mend/snapshot.h"
#include "mend/tree_writes.h"
#include "ripstop/kit/judge.h"
#include "tables/rejudge.h"

typedef struct config {
  int64_t lanes, seed, budget;
  int32_t sl;
  const char *file;
} config;

enum { BY_DESTINATION, BY_PAIR };
static const char *const sl_words[] = {[BY_DESTINATION] = "destination", [BY_PAIR] = "pair", NULL};

const ripstop_option ripstop_planner_options[] = {
    RIPSTOP_INTEGER(config, lanes, 1, RIPSTOP_MEND_LANES, "4", "virtual lanes for data"),
    RIPSTOP_WORD(config, sl, sl_words, "destination",
                 "service levels depend on the destination, so that they last, or on source and destination"),
    RIPSTOP_INTEGER(config, seed, 0, UINT32_MAX, "1", "seed of random choices while tables are made"),
    RIPSTOP_INTEGER(config, budget, 0, UINT32_MAX, "0",
                    "most entries that a sweep changes to relieve the busiest links; 0: none"),
    RIPSTOP_TEXT(config, file, "", "file in which tables outlive a restart; empty: none"),
    {0},
};

const char *const ripstop_sweep_words[] = {[RIPSTOP_SWEEP_SAME] = "same",         [RIPSTOP_SWEEP_RESTORED] = "restored",
                                           [RIPSTOP_SWEEP_REPAIRED] = "repaired", [RIPSTOP_SWEEP_PLANNED] = "planned",
                                           [RIPSTOP_SWEEP_BALANCED] = "balanced", [RIPSTOP_SWEEP_KEPT] = "kept",
                                           [RIPSTOP_SWEEP_RETURNED] = "returned", NULL};

/* The result of a sweep: tables of one fabric by LID. */
typedef struct answer {
  ripstop_fabric *fabric;
  ripstop_view *view;
  uint8_t *present;           /* [nodes]: in the last dump */
  ripstop_forwarding *goal;   /* the last tables */
  ripstop_forwarding *plan;   /* the tables planned for the whole fabric; NULL: none */
  rejudge *judged;            /* the verdict on `goal`, allocated in the arena; NULL: none */
  ripstop_mender *mender;     /* keeps `goal` up to date; NULL: none */
  ripstop_forwarding *tables; /* the published tables: the last ones, or intermediate ones */
  uint32_t *address;          /* [LIDS]: address of a LID; RIPSTOP_NONE: of no node */
  ripstop_deadlock deadlock;  /* verdict on the tables that were judged last */
  char hash[RIPSTOP_HASH];    /* hash of the dump */
  ripstop_arena *arena;
} answer;

enum { LIDS = RIPSTOP_IB_LID_LIMIT + 1 };

struct ripstop_planner {
  config config;
  uint32_t lanes; /* the most VLs of new tables */
  answer now;
  snapshot *plan; /* the tables planned for the fabric with most cables, which `answer.plan` follows; NULL: none */
  bool torn;      /* the mender stopped in the middle: its tables are invalid */
  ripstop_sweep last;
  common_tree tree;                  /* for multicast groups */
  held_tables held;                  /* for the present sweep */
  bool foreign;                      /* switches hold other entries than were published last */
  uint64_t generation;               /* the file's */
  char writer[SNAPSHOT_WRITER];      /* this planner */
  char last_writer[SNAPSHOT_WRITER]; /* the file's, as it was read */
  ripstop_error notice;
  ripstop_arena *arena;
};

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

static void free_answer(answer *a) {
  ripstop_mender_free(a->mender);
  ripstop_forwarding_free(a->goal);
  ripstop_forwarding_free(a->plan);
  ripstop_forwarding_free(a->tables);
  ripstop_view_free(a->view);
  ripstop_fabric_free(a->fabric);
  if (a->arena) ripstop_arena_free(a->arena);
}

void ripstop_planner_free(ripstop_planner *k) {
  if (!k) return;
  free_answer(&k->now);
  snapshot_free(k->plan);
  common_tree_free(&k->tree);
  ripstop_arena_free(k->arena);
}

uint32_t ripstop_planner_lanes(const ripstop_planner *k) { return (uint32_t)k->config.lanes; }

void ripstop_planner_allow(ripstop_planner *k, uint32_t lanes) {
  const uint32_t most = ripstop_planner_lanes(k);
  k->lanes = lanes < 1 ? 1 : lanes < most ? lanes : most;
}

/* ------------------------------------------------------------------ the fabric */

/* A node's LIDs are its addresses in turn; all LIDs of a switch are its only address. */
static void add_lids(answer *a, uint32_t first, uint32_t count) {
  ib_subnet_node n;
  ib_subnet_node_of(a->fabric, a->tables->node[first], &n);
  for (uint32_t i = 0; i < 1u << n.lmc && n.lid > 0 && n.lid + i < LIDS; i++)
    if (a->address[n.lid + i] == RIPSTOP_NONE) a->address[n.lid + i] = first + i % count;
}

static void number_lids(answer *a) {
  const ripstop_forwarding *t = a->tables;
  for (uint32_t lid = 0; lid < LIDS; lid++) a->address[lid] = RIPSTOP_NONE;
  for (uint32_t address = 0, count; address < t->addresses; address += count) {
    for (count = 1; address + count < t->addresses && t->node[address + count] == t->node[address];) count++;
    if (a->present[t->node[address]]) add_lids(a, address, count);
  }
}

/* The greatest LMC of an adapter's port. */
static uint32_t lmc_of(const ripstop_fabric *f) {
  uint32_t most = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    ib_subnet_node n;
    ib_subnet_node_of(f, end, &n);
    if (n.lmc > most) most = n.lmc;
  }
  return most;
}

static uint64_t bound_of(const answer *a, uint64_t enough) {
  return ripstop_judge_bound(a->view, ripstop_forwarding_most(a->goal), enough);
}

static int open_answer(answer *a, const char *dump, size_t length, ripstop_error *err) {
  *a = (answer){.arena = ripstop_arena_new()};
  ripstop_hash(dump, length, a->hash);
  a->fabric = ripstop_ib_from_text("fabric", dump, length, err);
  if (!a->fabric) return -1;
  a->view = ripstop_view_new(a->fabric, NULL);
  a->present = RIPSTOP_ARRAY(a->arena, a->fabric->nodes, uint8_t);
  a->address = RIPSTOP_ARRAY(a->arena, LIDS, uint32_t);
  memset(a->present, 1, a->fabric->nodes);
  return 0;
}

/* ------------------------------------------------------------------ tables for it */

static void count_pairs(const answer *a, ripstop_sweep *out) {
  uint64_t ends = 0;
  for (uint32_t end = 0; end < a->fabric->ends; end++) ends += a->present[end];
  out->pairs = ends * (ends - (ends > 0));
}

/* True if tables connect every pair that has a path and cannot deadlock; fills in the verdict. The mender serves
 * every pair that has a path or reports that it cannot (follow_address), so `lost` is 0 here unless the mender is
 * wrong: this check does not rely on it. */
static bool are_good(answer *a, const ripstop_forwarding *tables, ripstop_sweep *out) {
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
static bool is_goal_good(answer *a, const ripstop_mended *mended, ripstop_sweep *out) {
  if (!a->judged && a->arena) a->judged = rejudge_new(a->arena, a->view, a->goal);
  bool follows =
      a->judged && mended->levels_changed == 0 && rejudge_follow(a->judged, a->goal, mended->entry, mended->entries);
  if (!follows && !(a->judged && rejudge_read(a->judged, a->goal))) return are_good(a, a->goal, out);
  count_pairs(a, out);
  out->lost = 0;
  out->worst = rejudge_worst(a->judged);
  out->lanes = a->goal->lanes;
  a->deadlock = ripstop_deadlock_of_tables(false);
  return true;
}

/* State of a sweep before it is published. The planner takes it over at the end, when no more memory is allocated: a
 * call that runs out of memory leaves no trace. */
typedef struct work {
  answer now;
  snapshot *read;           /* contents of the file; NULL: empty, or not read */
  snapshot *last;           /* the last tables; NULL: there were none */
  snapshot *plan;           /* the new plan of the whole fabric; NULL: the old one stays */
  ripstop_forwarding *old;  /* the tables that switches have, mapped to the fabric; NULL: not known */
  ripstop_forwarding *held; /* at a take-over: what they hold, with the levels of the file; NULL: not known */
  common_tree tree;
  ripstop_sweep sweep;
} work;

static void free_work(work *w) {
  free_answer(&w->now);
  snapshot_free(w->read);
  snapshot_free(w->last);
  snapshot_free(w->plan);
  ripstop_forwarding_free(w->old);
  ripstop_forwarding_free(w->held);
  common_tree_free(&w->tree);
}

/* Options of the present sweep. The switches' tables may have changed since the file was written, and the number of
 * LIDs a port since the last sweep. */
static ripstop_mend_options wanted_now(const ripstop_planner *k, const work *w) {
  return (ripstop_mend_options){.lanes = k->lanes,
                                .by_pair = k->config.sl == BY_PAIR,
                                .seed = (uint64_t)k->config.seed,
                                .lmc = lmc_of(w->now.fabric),
                                .groups = true};
}

/* The file is read until there are tables. */
static void read_file(ripstop_planner *k, work *w) {
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
static void lay_held(const ripstop_planner *k, work *w) {
  if (k->now.tables) return;
  w->sweep.taken.over = true;
  w->sweep.taken.held = k->held.entries;
  w->sweep.taken.generation = w->read ? w->read->generation : 0;
  w->sweep.taken.writer = k->last_writer;
  if (k->held.entries == 0) return;
  w->held = held_lay(&k->held, w->now.fabric, 1u << lmc_of(w->now.fabric));
  ripstop_forwarding *file = w->read ? lay_covered(w->read, w->now.fabric) : NULL;
  bool alike = file && file->addresses == w->held->addresses;
  w->sweep.taken.differs = alike ? held_differences(w->held, file) : w->sweep.taken.held;
  if (alike && (!file->level || file->level_shared || w->sweep.taken.differs == 0)) take_levels(w->held, file);
  ripstop_forwarding_free(file);
}

/* Finds the tables in the switches: what they hold, if it is known and differs from what was published last; otherwise
 * that, or, after a restart, the tables of the file. Levels that are not known count as 0: then a state is safe only if
 * it is safe for any levels. */
static void lay_old(const ripstop_planner *k, work *w, bool kept) {
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
    w->old = held_lay(&k->held, w->now.fabric, 1u << lmc_of(w->now.fabric));
    take_levels(w->old, last);
    ripstop_forwarding_free(last);
  } else if (had || w->read) {
    w->old = snapshot_lay(had ? had : w->read, w->now.fabric);
  }
  snapshot_free(had);
}

static void drop_tables(answer *a) {
  if (a->judged) rejudge_forget(a->judged);
  ripstop_mender_free(a->mender);
  ripstop_forwarding_free(a->goal);
  a->mender = NULL;
  a->goal = NULL;
}

/* A mender that keeps room for the tree of multicast groups: as much of the last one as fits, or another one. */
static ripstop_mender *open_mender(const ripstop_planner *k, const ripstop_view *view, ripstop_forwarding *tables,
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

/* Repairs the goal in place. New tables need no repair, but their mender must read them once. */
static bool mend(const ripstop_planner *k, answer *a, uint32_t budget, ripstop_mended *mended, ripstop_sweep *out) {
  ripstop_answer reply = RIPSTOP_APPLIES;
  ripstop_error why;
  double begin = ripstop_thread_seconds();
  if (!a->mender) a->mender = open_mender(k, a->view, a->goal, &reply, &why);
  if (a->mender && budget == 0) reply = ripstop_mender_follow(a->mender, mended, &why);
  if (a->mender && budget > 0) reply = ripstop_mender_balance(a->mender, budget, mended, &why);
  out->table_seconds += ripstop_thread_seconds() - begin;
  return reply == RIPSTOP_APPLIES && is_goal_good(a, mended, out);
}

/* Maps older tables to the fabric and repairs them, if they may stay. False: the result is not good, and there are no
 * tables. */
static bool repair(const ripstop_planner *k, work *w, const snapshot *last) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_mended mended = {0};
  ripstop_error why;
  ripstop_forwarding *laid = snapshot_lay(last, w->now.fabric);
  bool may_stay = mend_may_stay(&wanted, laid, &why) == 0;
  if (may_stay) w->now.goal = ripstop_forwarding_cover(laid);
  ripstop_forwarding_free(laid);
  if (may_stay && mend(k, &w->now, 0, &mended, &w->sweep)) return true;
  drop_tables(&w->now);
  return false;
}

static int plan(const ripstop_planner *k, work *w, ripstop_error *err) {
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
static int find_tables(const ripstop_planner *k, work *w, ripstop_error *err) {
  ripstop_mended mended = {0};
  const snapshot *last = w->last ? w->last : w->read;
  w->sweep.kind = RIPSTOP_SWEEP_REPAIRED;
  if (last && repair(k, w, last)) return 0;
  w->sweep.kind = RIPSTOP_SWEEP_PLANNED;
  if (plan(k, w, err) != 0) return -1;
  if (mend(k, &w->now, 0, &mended, &w->sweep)) return 0;
  return ripstop_fail(err, "the new tables are not used: %" PRIu64 " pairs are lost, deadlock %s", w->sweep.lost,
                      ripstop_deadlock_words[w->now.deadlock]);
}

/* Repairs the tables that the switches hold, if they may stay. */
static bool repair_held(const ripstop_planner *k, work *w) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_mended mended = {0};
  ripstop_error why;
  w->sweep.kind = RIPSTOP_SWEEP_REPAIRED;
  if (mend_may_stay(&wanted, w->held, &why) != 0) return false;
  w->now.goal = ripstop_forwarding_copy(ripstop_arena_new(), w->held);
  if (mend(k, &w->now, 0, &mended, &w->sweep)) return true;
  drop_tables(&w->now);
  return false;
}

/* At a take-over the tables that the switches hold stay, with necessary changes, unless the others are twice as good.
 * *kept: they do. */
static int find_best(const ripstop_planner *k, work *w, bool *kept, ripstop_error *err) {
  enum { MUCH = 2 };
  bool held = w->held && w->sweep.taken.differs > 0 && repair_held(k, w);
  answer of_held = {.goal = w->now.goal, .mender = w->now.mender};
  const ripstop_sweep sweep = w->sweep;
  w->now.goal = NULL;
  w->now.mender = NULL;
  int status = find_tables(k, w, err);
  *kept = held && (status != 0 || sweep.worst <= MUCH * w->sweep.worst);
  if (!*kept) {
    drop_tables(&of_held);
    return status;
  }
  drop_tables(&w->now);
  w->now.goal = of_held.goal;
  w->now.mender = of_held.mender;
  w->sweep = sweep;
  return 0;
}

/* ------------------------------------------------------------------ the plan of the whole fabric */

static snapshot *snapshot_of_plan(const answer *a, uint64_t worst) {
  snapshot *plan = snapshot_of(a->goal);
  plan->worst = worst;
  plan->cables = a->fabric->links;
  return plan;
}

/* Plans for a fabric that has grown, without a change of its tables: a budget leads them there. */
static void plan_aside(const ripstop_planner *k, work *w) {
  ripstop_error why;
  ripstop_sweep ignored = {0};
  ripstop_mended mended;
  work aside = {.now = {.fabric = w->now.fabric, .view = w->now.view, .present = w->now.present}};
  if (plan(k, &aside, &why) == 0 && mend(k, &aside.now, 0, &mended, &ignored))
    w->plan = snapshot_of_plan(&aside.now, ignored.worst);
  w->sweep.table_seconds += aside.sweep.table_seconds + ignored.table_seconds;
  drop_tables(&aside.now);
}

/* A plan as tables of the fabric; NULL: there is none, or the options forbid it. */
static ripstop_forwarding *lay_plan(const ripstop_planner *k, const work *w, const snapshot *from) {
  const ripstop_mend_options wanted = wanted_now(k, w);
  ripstop_error why;
  ripstop_forwarding *laid = from ? snapshot_lay(from, w->now.fabric) : NULL, *covered = NULL;
  if (laid && mend_may_stay(&wanted, laid, &why) == 0) covered = ripstop_forwarding_cover(laid);
  ripstop_forwarding_free(laid);
  return covered;
}

/* Finds the plan that the tables are to return to: the one of the fabric with most cables. */
static void find_plan(const ripstop_planner *k, work *w) {
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

static void tell_update(ripstop_sweep *out, const ripstop_update *update) {
  out->changed = update->changed;
  out->levels_changed = update->levels_changed;
  out->first = update->between != NULL;
  out->unsafe = update->steps == RIPSTOP_NONE;
}

/* Reports how far tables are from the plan, if all of its cables are there. */
static void tell_plan(const answer *a, const snapshot *plan, const ripstop_forwarding *tables, ripstop_sweep *out) {
  out->away = 0;
  out->whole = plan ? plan->worst : 0;
  if (a->plan && plan_return_serves(a->view, a->present, a->plan, tables))
    out->away = plan_return_left(a->view, a->present, a->plan, tables);
}

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
static int judge_writes(const ripstop_planner *k, const answer *a, const ripstop_forwarding *tables,
                        const common_tree *tree, ripstop_sweep *out, ripstop_error *err) {
  ripstop_update update = {0};
  out->group_lanes = tree->lanes;
  out->group_clash = tree->clashes;
  if (tree_writes_judge(a->view, &k->tree, tree, a->tables, tables, &out->group_clash, &update, err)) return -1;
  tell_update(out, &update);
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
static void open_candidate(const ripstop_planner *k, const answer *a, candidate *c, const ripstop_forwarding *tables) {
  ripstop_answer reply;
  ripstop_error why;
  c->tables = ripstop_forwarding_copy(ripstop_arena_new(), a->goal);
  if (tables) plan_return_copy(tables, c->tables);
  c->mender = open_mender(k, a->view, c->tables, &reply, &why);
}

/* True if they are good and within the attempt; otherwise they are freed. */
static bool check(const ripstop_planner *k, answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  ripstop_error why;
  ripstop_mended mended = {0};
  ripstop_sweep verdict = *out;
  if (c->mender) common_tree_find(&c->tree, &k->tree, a->view, c->tables, mender_tree(c->mender), NULL);
  bool safe = c->mender && has_tree(k, &c->tree) && judge_writes(k, a, c->tables, &c->tree, &verdict, &why) == 0 &&
              !verdict.unsafe && (at.writes > 1 || !verdict.first);
  bool good = safe && ripstop_mender_follow(c->mender, &mended, &why) == RIPSTOP_APPLIES &&
              mended.entries + mended.levels_changed == 0 && are_good(a, c->tables, &verdict) &&
              verdict.worst <= at.bar;
  if (good)
    *out = verdict;
  else
    free_candidate(c);
  return good;
}

static bool try_plan(const ripstop_planner *k, answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  if (out->away > (uint64_t)k->config.budget) return false;
  open_candidate(k, a, c, a->plan);
  return check(k, a, c, at, out);
}

/* By destination: moves single entries. */
static bool try_moves(const ripstop_planner *k, answer *a, candidate *c, attempt at, ripstop_sweep *out) {
  const uint64_t most = (uint64_t)k->config.budget < out->away ? (uint64_t)k->config.budget : out->away;
  const plan_step step = {.plan = a->plan, .most = most, .bar = at.bar, .single = at.writes == 1};
  open_candidate(k, a, c, NULL);
  if (c->mender && mender_step(c->mender, &step) > 0) return check(k, a, c, at, out);
  free_candidate(c);
  return false;
}

/* By destination, where trees block each other: entries that lead elsewhere make room for those of the plan. With the
 * tree of multicast groups as it is, or with the one that fits the plan. */
static bool try_detour(const ripstop_planner *k, answer *a, candidate *c, attempt at, ripstop_sweep *out) {
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
static bool try_step(const ripstop_planner *k, answer *a, candidate *c, uint64_t most, attempt at, ripstop_sweep *out) {
  ripstop_answer reply;
  ripstop_error why;
  c->tables = ripstop_forwarding_copy(ripstop_arena_new(), a->goal);
  if (plan_return_step(a->view, a->present, a->plan, c->tables, most) > 0) {
    c->mender = open_mender(k, a->view, c->tables, &reply, &why);
    return check(k, a, c, at, out);
  }
  free_candidate(c);
  return false;
}

/* Finds tables with more entries of the plan, as many as the budget allows: all of them, or a step. */
static bool find_step(const ripstop_planner *k, answer *a, candidate *c, attempt at, ripstop_sweep *out) {
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
static bool return_to_plan(const ripstop_planner *k, answer *a, candidate *c, ripstop_sweep *out) {
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

/* ------------------------------------------------------------------ published tables */

/* Keeps old entries that do not change, with addresses, service levels and VLs of the new tables. */
static void take_away(ripstop_forwarding *t, const ripstop_forwarding *kept) {
  size_t switches = ripstop_fabric_switches(t->fabric);
  for (uint32_t a = 0, at = 0; a < t->addresses; a++, at++) {
    while (kept->node[at] != t->node[a]) at++;
    memcpy(t->port + a * switches, kept->port + at * switches, switches * sizeof *t->port);
  }
}

/* The tree of multicast groups for the goal: the mender's, or one that the mender did not find, which it then keeps. */
static void find_group_tree(const ripstop_planner *k, const answer *a, common_tree *tree, ripstop_sweep *out) {
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

/* Compares with the tables in the switches, decides whether one write is safe, and sets what to publish next. */
static int find_changes(const ripstop_planner *k, work *w, ripstop_error *err) {
  const answer *a = &w->now;
  ripstop_update update = {0};
  bool over = w->sweep.taken.over, clear = over || w->tree.clashes; /* a take-over clears masks that it does not know */
  if (w->old && tree_writes_judge(a->view, &k->tree, &w->tree, w->old, a->goal, &clear, &update, err)) return -1;
  w->sweep.group_clash = clear && !over;
  tell_update(&w->sweep, &update);
  w->now.tables = ripstop_forwarding_copy(ripstop_arena_new(), w->now.goal);
  if (update.between) take_away(w->now.tables, update.between);
  ripstop_forwarding_free(update.between);
  number_lids(&w->now);
  return 0;
}

/* Tables of the file, or of the switches, if none of their entries had to change. */
static void find_kind(const ripstop_planner *k, work *w, bool kept) {
  bool changed = w->sweep.changed > 0 || (w->sweep.levels_changed > 0 && !w->sweep.taken.levels_unknown);
  if (!k->now.tables && w->sweep.kind == RIPSTOP_SWEEP_REPAIRED && !changed)
    w->sweep.kind = kept ? RIPSTOP_SWEEP_KEPT : RIPSTOP_SWEEP_RESTORED;
}

static void write_file(ripstop_planner *k, const ripstop_forwarding *tables, snapshot *plan) {
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

/* Publishes. The file is written first, since that takes memory; the rest takes none. */
static void commit(ripstop_planner *k, work *w) {
  if (w->sweep.kind != RIPSTOP_SWEEP_RESTORED) write_file(k, w->now.goal, w->plan ? w->plan : k->plan);
  if (w->plan) {
    snapshot_free(k->plan);
    k->plan = w->plan;
    w->plan = NULL;
  }
  free_answer(&k->now);
  common_tree_replace(&k->tree, &w->tree);
  k->now = w->now;
  k->last = w->sweep;
  k->torn = false;
  w->now = (answer){0};
}

/* Replans for a new picture of the fabric. */
static int work_out(ripstop_planner *k, work *w, ripstop_error *err) {
  bool kept;
  read_file(k, w);
  if (k->now.tables) w->last = snapshot_of(k->torn ? k->now.tables : k->now.goal);
  lay_held(k, w);
  if (find_best(k, w, &kept, err) != 0) return -1;
  lay_old(k, w, kept);
  w->sweep.bound = bound_of(&w->now, w->sweep.kind == RIPSTOP_SWEEP_PLANNED ? w->sweep.worst : 1);
  find_group_tree(k, &w->now, &w->tree, &w->sweep);
  if (find_changes(k, w, err) != 0) return -1;
  find_kind(k, w, kept);
  find_plan(k, w);
  tell_plan(&w->now, w->plan ? w->plan : k->plan, w->now.goal, &w->sweep);
  w->sweep.planned = w->sweep.kind == RIPSTOP_SWEEP_PLANNED ? w->sweep.worst : k->last.planned;
  w->sweep.more = w->sweep.kind != RIPSTOP_SWEEP_PLANNED && k->config.budget > 0;
  commit(k, w);
  return 0;
}

/* ------------------------------------------------------------------ the same fabric, with other parts alive */

/* True if the published tables may become the goal in one write, by what the mender and the last verdict know; false:
 * not known. */
static bool fit_together(const ripstop_planner *k, const answer *a, const ripstop_mended *mended,
                         const common_tree *tree) {
  depend *known = a->judged ? rejudge_graph(a->judged, a->goal) : NULL;
  if (!known || mended->levels_changed > 0) return false;
  rejudge_mix(a->judged, a->tables, mended->entry, mended->entries);
  return tree_writes_fit(a->view, &k->tree, tree, known);
}

/* Decides by how many writes the published tables may become the goal. */
static int find_writes(const ripstop_planner *k, const answer *a, const ripstop_mended *mended, const common_tree *tree,
                       ripstop_sweep *out, ripstop_error *err) {
  out->first = !mended->mixed && mended->levels_changed == 0;
  if (out->first ? tree_writes_fit_two(a->view, &k->tree, tree) : fit_together(k, a, mended, tree)) return 0;
  const bool two = out->first;
  if (judge_writes(k, a, a->goal, tree, out, err)) return -1;
  out->first |= two;
  return 0;
}

static bool known_to_all(const answer *a, size_t address, size_t s) {
  return a->present[a->goal->node[address]] && a->view->node_up[a->fabric->ends + s];
}

/* Room for the goal's levels in the published tables. */
static uint8_t *level_room(const answer *a, const ripstop_forwarding *goal) {
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

/* The published tables become the goal; the first of two writes removes entries that differ. */
static void tell(answer *a, uint8_t *level, ripstop_sweep *out) {
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
  number_lids(a);
}

/* All cables of the plan are there: finds tables that lead to it, in sweeps that repair nothing. `stays`: no step was
 * found in the last sweep of this fabric. Later ones only balance, since both in turn would never end. */
static void aim_for_plan(const ripstop_planner *k, answer *a, bool repaired, bool stays, candidate *c,
                         ripstop_sweep *out) {
  tell_plan(a, k->plan, a->goal, out);
  if (out->away == 0 || k->config.budget == 0) return;
  bool returned = !repaired && !stays && return_to_plan(k, a, c, out);
  if (returned) tell_plan(a, k->plan, c->tables, out);
  out->more = out->away > 0 && (returned || repaired);
  out->stuck = out->away > 0 && !out->more;
}

/* Says which budget leads to the plan: by destination all entries at once do, in two writes. */
static void tell_enough(const ripstop_planner *k, const answer *a, ripstop_sweep *out) {
  const bool by_pair = ripstop_forwarding_by_pair(a->goal) || ripstop_forwarding_by_pair(a->plan);
  out->stuck = out->away > 0;
  out->enough = out->stuck && !by_pair && out->away > (uint64_t)k->config.budget ? out->away : 0;
}

/* Balances tables that no step leads to the plan. */
static bool balance_instead(const ripstop_planner *k, answer *a, ripstop_mended *mended, ripstop_sweep *out) {
  if (!mend(k, a, (uint32_t)k->config.budget, mended, out)) return false;
  if (mended->entries > 0) out->kind = RIPSTOP_SWEEP_BALANCED;
  out->more = mended->more;
  tell_plan(a, k->plan, a->goal, out);
  tell_enough(k, a, out);
  return true;
}

/* Publishes the goal, or the candidate as the new one. The file is written first, since that takes memory. */
static void publish(ripstop_planner *k, const candidate *c, bool changed, ripstop_sweep *sweep) {
  answer *a = &k->now;
  if (changed) write_file(k, c->tables ? c->tables : a->goal, k->plan);
  uint8_t *level = level_room(a, c->tables ? c->tables : a->goal);
  if (c->tables) {
    drop_tables(a);
    a->goal = c->tables;
    a->mender = c->mender;
  }
  tell(a, level, sweep);
}

/* Repairs in place if all parts were there before. 1: the fabric is new. */
static int follow(ripstop_planner *k, const work *w, ripstop_error *err) {
  answer *a = &k->now;
  candidate next = {0};
  ripstop_mended mended = {0};
  ripstop_sweep sweep = {.kind = RIPSTOP_SWEEP_REPAIRED};
  if (!a->tables || k->torn || k->foreign || !match_view(w->now.fabric, a->view, a->present)) return 1;
  k->torn = true;
  bool whole = a->plan && a->plan->lanes <= k->lanes && plan_return_serves(a->view, a->present, a->plan, a->goal);
  if (!mend(k, a, whole ? 0 : (uint32_t)k->config.budget, &mended, &sweep)) return 1;
  bool changed = mended.entries + mended.levels_changed > 0;
  bool same = strcmp(a->hash, w->now.hash) == 0;
  if (same) sweep.kind = changed ? RIPSTOP_SWEEP_BALANCED : RIPSTOP_SWEEP_SAME;
  sweep.more = mended.more;
  if (whole) aim_for_plan(k, a, changed, same && k->last.stuck, &next, &sweep);
  if (sweep.stuck && !balance_instead(k, a, &mended, &sweep)) return 1;
  if (!next.tables) {
    find_group_tree(k, a, &next.tree, &sweep);
    if (find_writes(k, a, &mended, &next.tree, &sweep, err)) return -1;
  }
  sweep.bound = bound_of(a, 1);
  sweep.planned = k->last.planned;
  publish(k, &next, mended.entries + mended.levels_changed > 0 || next.tables, &sweep);
  common_tree_replace(&k->tree, &next.tree);
  memcpy(a->hash, w->now.hash, sizeof a->hash);
  k->last = sweep;
  k->torn = false;
  return 0;
}

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
  if (rest) tell(&k->now, k->now.tables->level, &k->last);
}

static int look(ripstop_planner *k, work *w, const char *dump, size_t length, ripstop_error *err) {
  if (open_answer(&w->now, dump, length, err) != 0) return -1;
  int status = follow(k, w, err);
  return status > 0 ? work_out(k, w, err) : status;
}

/* ------------------------------------------------------------------ tables in the switches */

/* The port of a switch's published entry, as tables of switches have it. */
static uint8_t port_to(const answer *a, uint32_t node, size_t lid) {
  uint32_t address = lid < LIDS ? a->address[lid] : RIPSTOP_NONE;
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
      *foreign |= differ && t->port[lid] != SNAPSHOT_NONE && lid < LIDS && k->now.address[lid] != RIPSTOP_NONE;
    }
  }
  return differs;
}

void ripstop_planner_take_over(ripstop_planner *k, const char *writer) {
  free_answer(&k->now);
  common_tree_free(&k->tree);
  k->now = (answer){0};
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

static int sweep_held(ripstop_planner *k, const char *dump, size_t length, ripstop_error *err) {
  work w = {0};
  int status = 0;
  bool foreign;
  count_held(k, &k->foreign);
  if (is_same(k, dump, length))
    tell_rest(k);
  else
    status = look(k, &w, dump, length, err);
  free_work(&w);
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
  const answer *a = &k->now;
  uint32_t node = a->tables ? ripstop_ib_switch_of(a->fabric, guid) : RIPSTOP_NONE;
  if (node == RIPSTOP_NONE) return false;
  for (size_t lid = 0; lid < lids; lid++) port[lid] = port_to(a, node, lid);
  return true;
}

/* The end node whose service levels a sending node uses: the first end node at its switch, or, if the switch has
 * none, the first of all. */
static uint32_t source_of(const answer *a, uint32_t node) {
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
  const answer *a = &k->now;
  if (!a->tables || source_lid >= LIDS || lid >= LIDS) return 0;
  if (a->address[source_lid] == RIPSTOP_NONE || a->address[lid] == RIPSTOP_NONE) return 0;
  uint32_t source = source_of(a, a->tables->node[a->address[source_lid]]);
  return ripstop_forwarding_level(a->tables, source, a->address[lid]);
}
