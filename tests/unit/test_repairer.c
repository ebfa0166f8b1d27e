/* test_repairer.c - tables repaired again and again, part after part, equal those of a repair after that failure alone,
 * with nothing kept: entry for entry, for old tables from any source; and the reported changes are all changes. */
#include "check.h"

#include <string.h>

#include "mend/mend_tables.h"
#include "ripstop/kit/judge.h"
#include "tables/repairer.h"

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *old;
  ripstop_repairer *repairer;
  const char *method;
  uint32_t followed, refused, changed;
} bench;

static ripstop_forwarding *make(const ripstop_view *view, const char *method) {
  ripstop_error err;
  ripstop_answer answer;
  if (!method) return ripstop_forwarding_shortest(view, &err);
  ripstop_plan *plan = ripstop_plan_compile(view, method, &answer, &err);
  if (!plan) fail_msg("%s", err.text);
  ripstop_forwarding *tables = ripstop_forwarding_of_plan(plan, 10000000, &answer, &err);
  if (ripstop_forwarding_add_lanes(plan, tables, &err) != RIPSTOP_APPLIES) fail_msg("%s", err.text);
  ripstop_plan_free(plan);
  return tables;
}

/* Old tables: those of a method, or NULL: shortest routes. `dead`: a link that is down from the start. */
static bench open_bench(const char *fabric, const char *method, const char *old, uint32_t dead) {
  ripstop_error err;
  ripstop_answer answer;
  bench b = {.fabric = ripstop_fabric_open(fabric, &err), .method = method};
  b.view = ripstop_view_new(b.fabric, NULL);
  b.old = make(b.view, old);
  assert_true(dead == RIPSTOP_NONE || dead < b.fabric->links);
  if (dead != RIPSTOP_NONE) ripstop_view_set_link(b.view, dead, false);
  b.repairer = ripstop_repairer_open(b.view, method, b.old, &answer, &err);
  if (!b.repairer) fail_msg("%s: %s", method, err.text);
  return b;
}

static void close_bench(bench *b) {
  ripstop_repairer_free(b->repairer);
  ripstop_forwarding_free(b->old);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
}

static uint16_t old_port(const bench *b, uint32_t node, size_t s) {
  for (uint32_t a = 0; a < b->old->addresses; a++)
    if (b->old->node[a] == node) return b->old->port[a * ripstop_fabric_switches(b->fabric) + s];
  return RIPSTOP_NO_PORT;
}

static void check_changes(bench *b, const ripstop_repaired *now) {
  const size_t switches = ripstop_fabric_switches(b->fabric);
  for (uint32_t a = 0, next = 0; a < now->tables->addresses; a++) {
    bool differs = false;
    for (size_t s = 0; s < switches; s++)
      differs |= now->tables->port[a * switches + s] != old_port(b, now->tables->node[a], s);
    bool told = next < now->addresses && now->address[next] == a;
    assert_true(told || !differs);
    next += told;
    b->changed += differs;
  }
}

/* The parts die, and what is repaired with and without anything kept is the same; then they come back. */
static void check_parts(bench *b, const ripstop_faults *parts) {
  ripstop_error err, why;
  ripstop_answer answer;
  ripstop_repaired now;
  ripstop_view *before = ripstop_view_copy(b->view);
  ripstop_view_set_faults(b->view, parts, false);
  ripstop_forwarding *once = ripstop_plan_repair(b->view, b->method, b->old, NULL, &answer, &why);
  assert_int_equal(ripstop_repairer_follow(b->repairer, &now, &err), answer);
  if (once) {
    const size_t entries = (size_t)once->addresses * ripstop_fabric_switches(b->fabric);
    assert_int_equal(now.tables->addresses, once->addresses);
    if (memcmp(now.tables->port, once->port, entries * sizeof *once->port) != 0)
      fail_msg("%s by %s: other entries", b->fabric->spec, b->method);
    check_changes(b, &now);
    b->followed++;
  }
  b->refused += !once;
  ripstop_forwarding_free(once);
  for (uint32_t link = 0; link < b->fabric->links; link++)
    if (b->view->link_up[link] != before->link_up[link]) ripstop_view_set_link(b->view, link, true);
  for (uint32_t node = b->fabric->ends; node < b->fabric->nodes; node++)
    if (b->view->node_up[node] != before->node_up[node]) ripstop_view_set_switch(b->view, node, true);
  ripstop_view_free(before);
}

static void check_all(const char *fabric, const char *method, const char *old, uint32_t dead) {
  bench b = open_bench(fabric, method, old, dead);
  const uint32_t links = b.fabric->links;
  for (uint32_t link = 0; link < links; link++) check_parts(&b, &(ripstop_faults){.links = 1, .link = &link});
  for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node += 3)
    check_parts(&b, &(ripstop_faults){.switches = 1, .switch_ = &node});
  for (uint32_t link = b.fabric->link_ends; link + 5 < links; link += 3)
    check_parts(&b, &(ripstop_faults){.links = 3, .link = (const uint32_t[]){link, link + 1, link + 5}});
  for (uint32_t end = 0; end + 2 < b.fabric->link_ends; end += 4)
    check_parts(&b, &(ripstop_faults){.links = 2, .link = (const uint32_t[]){end, end + 2}});
  check_parts(&b, &(ripstop_faults){0});
  assert_true(b.followed > 0 && b.changed > 0);
  close_bench(&b);
}

static const char *const fabrics[] = {"torus:4x4,p=2", "kary-ntree:k=3,n=3", "dragonfly:a=4,p=2,h=2", NULL};

static void engines_follow_their_own_tables(void **state) {
  (void)state;
  for (const char *const *f = fabrics; *f; f++)
    for (unsigned i = 0; i < 2; i++) {
      const char *method = i ? "opensm-dor" : "opensm-minhop";
      check_all(*f, method, method, RIPSTOP_NONE);
    }
  check_all("kary-ntree:k=3,n=3", "opensm-updn", "opensm-updn", RIPSTOP_NONE);
}

static void engines_follow_tables_of_others(void **state) {
  (void)state;
  check_all("torus:4x4,p=2", "opensm-minhop", "opensm-dor", RIPSTOP_NONE);
  check_all("torus:4x4,p=2", "opensm-dor", NULL, RIPSTOP_NONE);
  check_all("kary-ntree:k=3,n=2", "opensm-updn", "opensm-minhop", RIPSTOP_NONE);
  check_all("dragonfly:a=4,p=2,h=2", "opensm-minhop", NULL, RIPSTOP_NONE);
}

/* The old tables lead over it. */
static void something_may_have_failed_from_the_start(void **state) {
  (void)state;
  check_all("torus:4x4,p=2", "opensm-minhop", "opensm-minhop", 40);
  check_all("kary-ntree:k=3,n=3", "opensm-updn", "opensm-updn", 30);
  check_all("kary-ntree:k=3,n=3", "opensm-updn", "opensm-updn", 70);
}

static void a_mender_is_kept(void **state) {
  (void)state;
  check_all("torus:4x4", "mend:lanes=2", "mend:lanes=2", RIPSTOP_NONE);
  check_all("kary-ntree:k=3,n=2", "mend", "mend:lanes=1", 14);
  check_all("torus:4x4", "mend:sl=pair", "mend:sl=pair", RIPSTOP_NONE);
  check_all("torus:5x5", "mend:lanes=1", "mend:lanes=1", RIPSTOP_NONE);
}

/* The tables are for a fabric in which one switch is down; another (or RIPSTOP_NONE) fails before the repairer is
 * opened, a cable after. A mender that knows what was up for the tables reports the addresses that change; one that
 * takes whole tables for damaged ones repairs from scratch, and reports every address. */
static void check_few_change(const char *fabric, uint32_t down, uint32_t fails) {
  ripstop_error err;
  ripstop_answer answer;
  ripstop_repaired now;
  bench b = {.fabric = ripstop_fabric_open(fabric, &err), .method = "mend:lanes=2"};
  b.view = ripstop_view_new(b.fabric, NULL);
  ripstop_view_set_switch(b.view, b.fabric->ends + down, false);
  b.old = make(b.view, b.method);
  if (fails != RIPSTOP_NONE) ripstop_view_set_switch(b.view, b.fabric->ends + fails, false);
  b.repairer = ripstop_repairer_open(b.view, b.method, b.old, &answer, &err);
  assert_non_null(b.repairer);
  ripstop_view_set_link(b.view, b.fabric->link_ends + 3, false);
  assert_int_equal(ripstop_repairer_follow(b.repairer, &now, &err), RIPSTOP_APPLIES);
  check_changes(&b, &now);
  if (now.addresses >= now.tables->addresses) fail_msg("%s without %u and %u: all change", fabric, down, fails);
  close_bench(&b);
}

static void a_mender_knows_what_was_up_for_the_tables(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 16; i++) {
    check_few_change("torus:4x4", i, RIPSTOP_NONE);
    check_few_change("torus:4x4", i, (i + 3) % 16);
  }
}

static void what_cannot_be_repaired_is_reported(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *f = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  ripstop_forwarding *old = ripstop_forwarding_shortest(view, &err);
  assert_null(ripstop_repairer_open(view, "dor", old, &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  if (!strstr(err.text, "does not repair tables")) fail_msg("%s", err.text);
  assert_null(ripstop_repairer_open(view, "opensm-updn", old, &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  if (!strstr(err.text, "there is no root")) fail_msg("%s", err.text);
  assert_null(ripstop_repairer_open(view, "nonsense", old, &answer, &err));
  assert_int_equal(answer, RIPSTOP_ERROR);
  ripstop_forwarding_free(old);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
}

/* A new end node has as many addresses as others have, and routes to each: its port has as many LIDs. */
static void new_end_nodes_have_all_addresses(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_table_verdict v;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open("kary-ntree:k=3,n=2", &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_mend *mend = ripstop_mend_open(view, &(ripstop_mend_options){.lanes = 1, .seed = 1, .lmc = 1}, &err);
  const ripstop_forwarding *whole = mend->tables;
  ripstop_forwarding *old = ripstop_forwarding_new(fabric, whole->node + 2, whole->addresses - 2); /* but the first's */
  const size_t switches = ripstop_fabric_switches(fabric);
  memcpy(old->port, whole->port + 2 * switches, old->addresses * switches * sizeof *old->port);
  ripstop_forwarding *now = ripstop_plan_repair(view, "mend:lanes=1,lmc=1", old, NULL, &answer, &err);
  assert_true(now && now->addresses == whole->addresses);
  assert_int_equal(ripstop_judge(arena, view, now, NULL, &v, &err), 0);
  assert_int_equal(v.unreached, 0);
  assert_int_equal(v.reached, 2 * v.pairs);
  assert_true(v.worst >= ripstop_judge_bound(view, 2, v.worst));
  ripstop_forwarding_free(now);
  ripstop_forwarding_free(old);
  ripstop_mend_free(mend);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(engines_follow_their_own_tables),
                                     cmocka_unit_test(engines_follow_tables_of_others),
                                     cmocka_unit_test(something_may_have_failed_from_the_start),
                                     cmocka_unit_test(a_mender_is_kept),
                                     cmocka_unit_test(a_mender_knows_what_was_up_for_the_tables),
                                     cmocka_unit_test(what_cannot_be_repaired_is_reported),
                                     cmocka_unit_test(new_end_nodes_have_all_addresses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
