/* repair.c - checks whether tables may stay, and repairs tables for one state after another, or once. The mender is
 * opened on the fabric that was alive when the tables were made, as far as the tables show it: every channel that some
 * entry leads into. So the reported time is that of the repair alone; callers that do not request the time get the same
 * tables. */
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "mend/kept_tree.h"
#include "mend/mender.h"
#include "mend/repairs.h"

int mend_may_stay(const ripstop_mend_options *wanted, const ripstop_forwarding *old, ripstop_error *err) {
  uint32_t addresses = ripstop_forwarding_most(old);
  if (addresses != 1u << wanted->lmc)
    return ripstop_fail(err, "mend: the old tables have %u addresses for an end node, lmc=%u wants %u", addresses,
                        wanted->lmc, 1u << wanted->lmc);
  if (old->lanes > wanted->lanes)
    return ripstop_fail(err, "mend: the old tables use %u virtual lanes, more than lanes=%u allows", old->lanes,
                        wanted->lanes);
  if (!wanted->by_pair && ripstop_forwarding_by_pair(old))
    return ripstop_fail(err, "mend: service levels of the old tables depend on the source, not on the destination "
                             "alone as sl=destination wants it");
  return 0;
}

/* Marks in `used` [ports] those that some entry leads into. */
static void find_used(const ripstop_forwarding *t, uint8_t *used) {
  const ripstop_fabric *f = t->fabric;
  for (uint32_t address = 0; address < t->addresses; address++)
    for (uint32_t node = f->ends; node < f->nodes; node++) {
      uint16_t port = ripstop_forwarding_port(t, address, node);
      if (port < ripstop_node_ports(f, node)) used[f->port_base[node] + port] = 1;
    }
}

static ripstop_view *view_of(const ripstop_forwarding *t, const ripstop_view *now, ripstop_arena *scratch) {
  const ripstop_fabric *f = t->fabric;
  uint8_t *used = RIPSTOP_ARRAY(scratch, f->ports, uint8_t);
  ripstop_view *then = ripstop_view_copy(now);
  find_used(t, used);
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = f->link_port[2 * link], b = f->link_port[2 * link + 1];
    if (!used[a] && !used[b]) continue;
    if (!then->link_up[link]) ripstop_view_set_link(then, link, true);
    for (unsigned side = 0; side < 2; side++)
      if (!then->node_up[ripstop_link_node(f, link, side)])
        ripstop_view_set_switch(then, ripstop_link_node(f, link, side), true);
  }
  return then;
}

static void set_view(ripstop_view *view, const ripstop_view *to) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t link = 0; link < f->links; link++)
    if (view->link_up[link] != to->link_up[link]) ripstop_view_set_link(view, link, to->link_up[link]);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (view->node_up[node] != to->node_up[node]) ripstop_view_set_switch(view, node, to->node_up[node]);
}

/* True if the tables were whole then: only the switches' entries for themselves change, which files do not contain. */
static bool get_to_know(ripstop_mender *m, const ripstop_forwarding *tables) {
  ripstop_mended mended;
  ripstop_error why;
  if (!m || ripstop_mender_follow(m, &mended, &why) != RIPSTOP_APPLIES || mended.levels_changed > 0) return false;
  for (uint32_t i = 0; i < mended.entries; i++)
    if (tables->node[mended.entry[i].address] != mended.entry[i].switch_) return false;
  return true;
}

static ripstop_answer follow(ripstop_mender *m, uint32_t budget, ripstop_mended *mended, ripstop_error *err) {
  return budget ? ripstop_mender_balance(m, budget, mended, err) : ripstop_mender_follow(m, mended, err);
}

/* ------------------------------------------------------------------ one state after another */

struct mend_repairs {
  const ripstop_view *now; /* the caller's */
  const ripstop_forwarding *old;
  uint64_t seed;
  uint32_t budget;
  bool groups;
  ripstop_view *then, *view; /* then: what the tables were made for; view: the mender's, equal to `then` between
                              * calls */
  ripstop_forwarding *tables;
  ripstop_mender *mender; /* NULL: the old tables were not whole, and each call repairs them from scratch */
  uint32_t *address;
  uint8_t *changed; /* [addresses] */
  ripstop_arena *arena;
};

static ripstop_mender *open_mender(const mend_repairs *r, const ripstop_view *view, ripstop_answer *answer,
                                   ripstop_error *err) {
  return r->groups ? mender_open_with_tree(view, r->tables, r->seed, NULL, answer, err)
                   : ripstop_mender_open(view, r->tables, r->seed, answer, err);
}

static void get_mender(mend_repairs *r, ripstop_answer *answer, ripstop_error *err) {
  r->then = view_of(r->old, r->now, r->arena);
  r->view = ripstop_view_copy(r->then);
  r->tables = ripstop_forwarding_copy(ripstop_arena_new(), r->old);
  r->mender = open_mender(r, r->view, answer, err);
  if (get_to_know(r->mender, r->tables)) {
    mender_keep(r->mender);
    return;
  }
  ripstop_mender_free(r->mender);
  r->mender = NULL;
}

mend_repairs *mend_repairs_open(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed, uint32_t budget,
                                bool groups, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  mend_repairs *r = RIPSTOP_NEW(arena, mend_repairs);
  *r = (mend_repairs){.now = view, .old = old, .seed = seed, .budget = budget, .groups = groups, .arena = arena};
  r->address = RIPSTOP_ARRAY(arena, old->addresses, uint32_t);
  r->changed = RIPSTOP_ARRAY(arena, old->addresses, uint8_t);
  get_mender(r, answer, err);
  *answer = RIPSTOP_APPLIES;
  return r;
}

void mend_repairs_close(mend_repairs *r) {
  ripstop_mender_free(r->mender);
  ripstop_forwarding_free(r->tables);
  ripstop_view_free(r->view);
  ripstop_view_free(r->then);
  ripstop_arena_free(r->arena);
}

/* Repairs copies of the old tables without knowing what was alive when they were made. */
static ripstop_answer repair_unknown(mend_repairs *r, ripstop_error *err) {
  ripstop_mended mended;
  ripstop_answer answer;
  ripstop_forwarding_free(r->tables);
  r->tables = ripstop_forwarding_copy(ripstop_arena_new(), r->old);
  ripstop_mender *m = open_mender(r, r->now, &answer, err);
  if (m) answer = follow(m, r->budget, &mended, err);
  ripstop_mender_free(m);
  return answer;
}

ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        uint32_t budget, bool groups, double *seconds, ripstop_answer *answer,
                                        ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  double begin = ripstop_thread_seconds();
  ripstop_mended mended;
  mend_repairs *r = mend_repairs_open(view, old, seed, budget, groups, answer, err);
  if (!r) return NULL;
  if (r->mender) {
    set_view(r->view, view);
    begin = ripstop_thread_seconds();
  }
  *answer = r->mender ? follow(r->mender, budget, &mended, err) : repair_unknown(r, err);
  if (seconds) *seconds = ripstop_thread_seconds() - begin;
  ripstop_forwarding *tables = *answer == RIPSTOP_APPLIES ? r->tables : NULL;
  if (tables) r->tables = NULL;
  mend_repairs_close(r);
  return tables;
}

static void list_addresses(mend_repairs *r, ripstop_repaired *out) {
  uint32_t count = 0;
  memset(r->changed, 0, r->old->addresses);
  entry_log_mark(&r->mender->log, r->changed);
  for (uint32_t a = 0; a < r->old->addresses; a++)
    if (r->changed[a]) r->address[count++] = a;
  *out = (ripstop_repaired){.tables = r->tables, .address = r->address, .addresses = count};
}

static ripstop_answer repair_whole(mend_repairs *r, ripstop_repaired *out, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding_free(r->tables);
  r->tables = ripstop_mend_repair(r->now, r->old, r->seed, r->budget, r->groups, NULL, &answer, err);
  if (!r->tables) return answer;
  for (uint32_t a = 0; a < r->old->addresses; a++) r->address[a] = a;
  *out = (ripstop_repaired){.tables = r->tables, .address = r->address, .addresses = r->old->addresses};
  return answer;
}

ripstop_answer mend_repairs_follow(mend_repairs *r, ripstop_repaired *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  ripstop_mended mended;
  if (!r->mender) return repair_whole(r, out, err);
  set_view(r->view, r->then);
  mender_back(r->mender);
  set_view(r->view, r->now);
  ripstop_answer answer = follow(r->mender, r->budget, &mended, err);
  if (answer == RIPSTOP_APPLIES) list_addresses(r, out);
  return answer;
}
