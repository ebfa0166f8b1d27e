/* repair.c - tables repaired once, as a mender does it that has kept them: it is opened on what was alive when they
 * were made, as far as they tell: what some entry leads into was. So the time that is told is that of the repair alone;
 * who does not ask for it gets the same tables. */
#include "base/memory.h"
#include "base/team.h"
#include "ripstop/mend.h"

/* To `used` [ports] those that some entry leads into. */
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

/* Whether the tables were whole then: nothing changes but what switches have for themselves, which files do not tell.
 */
static bool get_to_know(ripstop_mender *m, const ripstop_forwarding *tables) {
  ripstop_mended mended;
  ripstop_error why;
  if (!m || ripstop_mender_follow(m, &mended, &why) != RIPSTOP_APPLIES || mended.levels_changed > 0) return false;
  for (uint32_t i = 0; i < mended.entries; i++)
    if (tables->node[mended.entry[i].address] != mended.entry[i].switch_) return false;
  return true;
}

/* From tables that are whole while `then` is alive; false: they are not, and nothing is said. */
static bool repair_kept(const ripstop_view *now, ripstop_view *then, ripstop_forwarding *tables, uint64_t seed,
                        double *seconds, ripstop_answer *answer, ripstop_error *err) {
  ripstop_mended mended;
  ripstop_mender *m = ripstop_mender_open(then, tables, seed, answer, err);
  bool whole = get_to_know(m, tables);
  set_view(then, now);
  double begin = ripstop_thread_seconds();
  if (whole) *answer = ripstop_mender_follow(m, &mended, err);
  *seconds = ripstop_thread_seconds() - begin;
  ripstop_mender_free(m);
  return whole;
}

/* From tables of which nothing is known. */
static void repair(const ripstop_view *now, ripstop_forwarding *tables, uint64_t seed, ripstop_answer *answer,
                   ripstop_error *err) {
  ripstop_mended mended;
  ripstop_mender *m = ripstop_mender_open(now, tables, seed, answer, err);
  if (m) *answer = ripstop_mender_follow(m, &mended, err);
  ripstop_mender_free(m);
}

/* NULL: they were not whole. */
static ripstop_forwarding *repair_known(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        double *seconds, ripstop_answer *answer, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_view *then = view_of(old, view, scratch);
  ripstop_forwarding *tables = ripstop_forwarding_copy(ripstop_arena_new(), old);
  bool whole = repair_kept(view, then, tables, seed, seconds, answer, err);
  ripstop_view_free(then);
  ripstop_arena_free(scratch);
  if (whole) return tables;
  ripstop_forwarding_free(tables);
  return NULL;
}

ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        double *seconds, ripstop_answer *answer, ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  double begin = ripstop_thread_seconds(), taken;
  ripstop_forwarding *tables = repair_known(view, old, seed, &taken, answer, err);
  if (!tables) {
    tables = ripstop_forwarding_copy(ripstop_arena_new(), old);
    repair(view, tables, seed, answer, err);
    taken = ripstop_thread_seconds() - begin;
  }
  if (seconds) *seconds = taken;
  if (*answer == RIPSTOP_APPLIES) return tables;
  ripstop_forwarding_free(tables);
  return NULL;
}
