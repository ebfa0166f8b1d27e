/* repair.c - checks whether tables may stay, and repairs tables once as an open mender would. The mender is opened on
 * the fabric that was alive when the tables were made, as far as the tables show it: every channel that some entry
 * leads into. So the reported time is that of the repair alone; callers that do not request the time get the same
 * tables. Then the same repeatedly, for one state after another. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/team.h"
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

/* Repairs tables that are whole while `then` is alive. False: they are not; no error is set. */
static bool repair_kept(const ripstop_view *now, ripstop_view *then, ripstop_forwarding *tables, uint64_t seed,
                        uint32_t budget, double *seconds, ripstop_answer *answer, ripstop_error *err) {
  ripstop_mended mended;
  ripstop_mender *m = ripstop_mender_open(then, tables, seed, answer, err);
  bool whole = get_to_know(m, tables);
  set_view(then, now);
  double begin = ripstop_thread_seconds();
  if (whole) *answer = follow(m, budget, &mended, err);
  *seconds = ripstop_thread_seconds() - begin;
  ripstop_mender_free(m);
  return whole;
}

/* Repairs tables without knowing what was alive when they were made. */
static void repair(const ripstop_view *now, ripstop_forwarding *tables, uint64_t seed, uint32_t budget,
                   ripstop_answer *answer, ripstop_error *err) {
  ripstop_mended mended;
  ripstop_mender *m = ripstop_mender_open(now, tables, seed, answer, err);
  if (m) *answer = follow(m, budget, &mended, err);
  ripstop_mender_free(m);
}

/* NULL: they were not whole. */
static ripstop_forwarding *repair_known(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        uint32_t budget, double *seconds, ripstop_answer *answer, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_view *then = view_of(old, view, scratch);
  ripstop_forwarding *tables = ripstop_forwarding_copy(ripstop_arena_new(), old);
  bool whole = repair_kept(view, then, tables, seed, budget, seconds, answer, err);
  ripstop_view_free(then);
  ripstop_arena_free(scratch);
  if (whole) return tables;
  ripstop_forwarding_free(tables);
  return NULL;
}

ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        uint32_t budget, double *seconds, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  double begin = ripstop_thread_seconds(), taken;
  ripstop_forwarding *tables = repair_known(view, old, seed, budget, &taken, answer, err);
  if (!tables) {
    tables = ripstop_forwarding_copy(ripstop_arena_new(), old);
    repair(view, tables, seed, budget, answer, err);
    taken = ripstop_thread_seconds() - begin;
  }
  if (seconds) *seconds = taken;
  if (*answer == RIPSTOP_APPLIES) return tables;
  ripstop_forwarding_free(tables);
  return NULL;
}

/* ------------------------------------------------------------------ one state after another */

struct mend_repairs {
  const ripstop_view *now; /* the caller's */
  const ripstop_forwarding *old;
  uint64_t seed;
  uint32_t budget;
  ripstop_view *then, *view; /* then: what the tables were made for; view: the mender's, equal to `then` between
                              * calls */
  ripstop_forwarding *tables;
  ripstop_mender *mender; /* NULL: the old tables were not whole, and each call repairs them from scratch */
  uint32_t *address;
  ripstop_arena *arena;
};

static void get_mender(mend_repairs *r, ripstop_answer *answer, ripstop_error *err) {
  r->then = view_of(r->old, r->now, r->arena);
  r->view = ripstop_view_copy(r->then);
  r->tables = ripstop_forwarding_copy(ripstop_arena_new(), r->old);
  r->mender = ripstop_mender_open(r->view, r->tables, r->seed, answer, err);
  if (get_to_know(r->mender, r->tables)) {
    mender_keep(r->mender);
    return;
  }
  ripstop_mender_free(r->mender);
  r->mender = NULL;
}

mend_repairs *mend_repairs_open(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed, uint32_t budget,
                                ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  mend_repairs *r = RIPSTOP_NEW(arena, mend_repairs);
  *r = (mend_repairs){.now = view, .old = old, .seed = seed, .budget = budget, .arena = arena};
  r->address = RIPSTOP_ARRAY(arena, old->addresses, uint32_t);
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

/* Entries of one address are adjacent, but an address may come twice. */
static void list_addresses(mend_repairs *r, const ripstop_mended *m, ripstop_repaired *out) {
  uint32_t count = 0;
  uint8_t *listed = ripstop_realloc(NULL, r->old->addresses, 1);
  memset(listed, 0, r->old->addresses);
  for (uint32_t i = 0; i < m->entries; i++) {
    if (!listed[m->entry[i].address]) r->address[count++] = m->entry[i].address;
    listed[m->entry[i].address] = 1;
  }
  ripstop_free(listed);
  qsort(r->address, count, sizeof *r->address, ripstop_by_u32);
  *out = (ripstop_repaired){.tables = r->tables, .address = r->address, .addresses = count};
}

static ripstop_answer repair_whole(mend_repairs *r, ripstop_repaired *out, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_forwarding_free(r->tables);
  r->tables = ripstop_mend_repair(r->now, r->old, r->seed, r->budget, NULL, &answer, err);
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
  if (answer == RIPSTOP_APPLIES) list_addresses(r, &mended, out);
  return answer;
}
