/* test_tables_method.c - a plan and the files that its forwarding tables are written to do the same: proofs, and
 * simulations to the cycle; several addresses a port; what the files say wrong is lost for its reason. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prove/proof.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

static const char *const names[][3] = {{"lfts", "sls", "sl2vl"}, {"new-lfts", "new-sls", "new-sl2vl"}};

/* The tables of a plan in three files of the present folder. */
static void write_set(const ripstop_forwarding *t, const char *const *name) {
  int (*const print[])(const ripstop_forwarding *, FILE *, ripstop_error *) = {
      ripstop_forwarding_print, ripstop_forwarding_print_levels, ripstop_forwarding_print_lanes};
  for (size_t i = 0; i < 3; i++) {
    FILE *file = fopen(name[i], "w");
    assert_non_null(file);
    assert_int_equal(print[i](t, file, NULL), 0);
    fclose(file);
  }
}

static void write_tables(const ripstop_forwarding *t) { write_set(t, names[0]); }

static ripstop_forwarding *tables_of(const ripstop_plan *plan) {
  ripstop_error err = {0};
  ripstop_answer answer;
  ripstop_forwarding *t = ripstop_forwarding_of_plan(plan, 1000000, &answer, &err);
  if (!t || ripstop_forwarding_add_lanes(plan, t, &err) != RIPSTOP_APPLIES) fail_msg("%s", err.text);
  return t;
}

static const char by_files[] = "tables:lfts=lfts,sls=sls,sl2vl=sl2vl";

static ripstop_proof prove(const ripstop_plan *plan, ripstop_prover *prover) {
  ripstop_proof proof;
  ripstop_error err;
  if (ripstop_prover_prove(prover, plan, &proof, &err) != 0) fail_msg("%s", err.text);
  return proof;
}

static void proofs_agree(const stand *method, const stand *files) {
  ripstop_prover *one = ripstop_prover_new(method->plan->fabric), *two = ripstop_prover_new(method->plan->fabric);
  ripstop_proof a = prove(method->plan, one), b = prove(files->plan, two);
  assert_int_equal(a.deadlock_free, b.deadlock_free);
  assert_int_equal(a.lost_pairs_some_choice, b.lost_pairs_some_choice);
  assert_int_equal(a.tolerated, b.tolerated);
  ripstop_prover_free(one);
  ripstop_prover_free(two);
}

/* Packet by packet: who, when, and how long it took. */
static void runs_agree(const char *fabric, const char *method) {
  scene *a = scene_open(fabric, method, "load=0.4 cycles=3000"),
        *b = scene_open(fabric, by_files, "load=0.4 cycles=3000");
  ripstop_run_result one = scene_run(a), two = scene_run(b);
  assert_true(a->deliveries > 300);
  assert_int_equal(a->deliveries, b->deliveries);
  assert_memory_equal(a->delivered, b->delivered, a->deliveries * sizeof *a->delivered);
  ripstop_run_result_free(&one);
  ripstop_run_result_free(&two);
  scene_close(a);
  scene_close(b);
}

static void files_do_what_the_plan_does(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"torus:4x4", "dor:dateline=on,halfway=parity"},
                                         {"torus:5x3", "dor:halfway=parity"},
                                         {"kns:k=3,n=2", "intermediate-nodes:intermediates=0"},
                                         {"kary-ntree:k=2,n=3", "uturn"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_fabric *fabric = ripstop_fabric_open(cases[i][0], &err);
    stand method = stand_on(fabric, cases[i][1], NULL);
    ripstop_forwarding *t = tables_of(method.plan);
    write_tables(t);
    stand files = stand_on(fabric, by_files, NULL);
    proofs_agree(&method, &files);
    runs_agree(cases[i][0], cases[i][1]);
    stand_close(&files);
    stand_close(&method);
    ripstop_forwarding_free(t);
    ripstop_fabric_free(fabric);
  }
}

/* ------------------------------------------------------------------ several addresses a port */

/* Two addresses for each end node: shortest routes by the lowest ports, and by the highest. */
static ripstop_forwarding *with_two(const ripstop_fabric *f) {
  uint32_t *node = ripstop_realloc(NULL, 2 * (size_t)f->ends, sizeof *node);
  uint32_t *distance = ripstop_realloc(NULL, f->nodes, sizeof *distance);
  for (uint32_t i = 0; i < 2 * f->ends; i++) node[i] = i / 2;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, 2 * f->ends);
  for (uint32_t a = 0; a < t->addresses; a++) {
    ripstop_fabric_distances(f, a / 2, distance);
    for (uint32_t s = f->ends; s < f->nodes; s++)
      for (uint32_t i = 0, ports = ripstop_node_ports(f, s); i < ports; i++) {
        uint32_t local = a % 2 ? i : ports - 1 - i, peer = f->peer[f->port_base[s] + local];
        if (distance[f->port_node[peer]] < distance[s]) ripstop_forwarding_set(t, a, s, (uint16_t)local);
      }
  }
  ripstop_free(distance);
  ripstop_free(node);
  return t;
}

static void each_address_counts(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_prover *prover = ripstop_prover_new(fabric);
  uint32_t lossy = 0;
  ripstop_forwarding *t = with_two(fabric);
  write_tables(t);
  for (uint32_t dead = fabric->link_ends; dead < fabric->links; dead++) {
    ripstop_faults faults = {.links = 1, .link = &dead};
    stand s = stand_on(fabric, "tables:lfts=lfts", &faults);
    ripstop_table_verdict v;
    ripstop_proof proof = prove(s.plan, prover);
    assert_int_equal(s.plan->random_headers, 2);
    assert_int_equal(ripstop_judge(arena, s.view, t, NULL, &v, &err), 0);
    assert_int_equal(v.paths, 2 * v.pairs);
    assert_int_equal(v.unreached, proof.lost_pairs_some_choice);
    lossy += v.unreached < v.paths - v.reached && v.paths - v.reached < 2 * v.unreached; /* one of two, or both */
    stand_close(&s);
  }
  assert_true(lossy > 4);
  ripstop_forwarding_free(t);
  ripstop_prover_free(prover);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ the subnet manager */

#define MANAGER "subnet-manager:lfts=lfts,sls=sls,sl2vl=sl2vl,new_lfts=new-lfts,new_sls=new-sls,new_sl2vl=new-sl2vl,"
enum { FAULT = 2000, RECONFIGURATION = 1500, WRITE = 1000, SLACK = 500 };

/* Tables for a torus as it is, and for one without the link. */
static void write_both(const char *spec, const char *link) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  ripstop_names *list = ripstop_names_new(fabric);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults[2] = {{0}};
  assert_int_equal(ripstop_faults_parse(arena, list, link, strlen(link), &faults[1], &err), 0);
  for (unsigned i = 0; i < 2; i++) {
    stand s = stand_on(fabric, "mend", &faults[i]);
    ripstop_forwarding *t = tables_of(s.plan);
    write_set(t, names[i]);
    ripstop_forwarding_free(t);
    stand_close(&s);
  }
  ripstop_names_free(list);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

/* Packets lost in windows from cycle `from` on, before `until`. */
static uint64_t lost_within(const ripstop_run_result *r, uint64_t from, uint64_t until) {
  uint64_t lost = 0;
  for (size_t i = 0; i < r->windows; i++)
    if (r->window[i].cycle >= from && r->window[i].cycle < until) lost += r->window[i].lost;
  return lost;
}

static uint64_t all_lost(const char *method, const char *schedule, uint64_t from, uint64_t until) {
  scene *s = scene_open("torus:4x4", method, "load=0.3 cycles=9000 window=500");
  scene_schedule(s, schedule);
  ripstop_run_result r = scene_run(s);
  uint64_t inside = lost_within(&r, from, until);
  assert_int_equal(r.account.lost, inside); /* before and afterwards nothing is lost */
  ripstop_run_result_free(&r);
  scene_close(s);
  return inside;
}

static void new_tables_end_the_losses(void **state) {
  (void)state;
  write_both("torus:4x4", "1.1/0");
  const char *fast = MANAGER "discover=400,route=100,write=0", *slow = MANAGER "discover=1000,route=500,write=1000";
  uint64_t quick = all_lost(fast, "1.1/0@2000", FAULT, FAULT + 500 + SLACK);
  uint64_t late = all_lost(slow, "1.1/0@2000", FAULT, FAULT + RECONFIGURATION + WRITE + SLACK);
  assert_true(quick > 5);
  assert_true(late > 2 * quick); /* thrice the time, and more */
  /* The link comes back before anything is written: nothing is lost from then on, whatever is written. */
  uint64_t repaired = all_lost(slow, "1.1/0@2000 1.1/0+@2500", FAULT, 2500 + SLACK);
  assert_true(repaired > 5 && repaired < late);
}

static uint64_t delivered_within(const scene *s, uint64_t from, uint64_t until) {
  uint64_t count = 0;
  for (size_t i = 0; i < s->deliveries; i++) count += s->delivered[i].at >= from && s->delivered[i].at < until;
  return count;
}

/* While tables are written no end node sends (packets on a link arrive), before and afterwards all do. */
static void the_static_update_stops_all(void **state) {
  (void)state;
  enum { TOLD = FAULT + RECONFIGURATION, END = TOLD + WRITE, ON_LINKS = 50 };
  write_both("torus:4x4", "1.1/0");
  for (unsigned stops = 0; stops < 2; stops++) {
    scene *s = scene_open("torus:4x4",
                          stops ? MANAGER "discover=1000,route=500,write=1000,update=static"
                                : MANAGER "discover=1000,route=500,write=1000",
                          "load=0.3 cycles=9000 window=500");
    scene_schedule(s, "1.1/0@2000");
    ripstop_run_result r = scene_run(s);
    assert_true(delivered_within(s, TOLD - WRITE, TOLD) > 100);
    if (stops)
      assert_int_equal(delivered_within(s, TOLD + ON_LINKS, END), 0);
    else
      assert_true(delivered_within(s, TOLD + ON_LINKS, END) > 100);
    assert_true(delivered_within(s, END, END + WRITE) > 100);
    assert_int_equal(r.account.lost, lost_within(&r, FAULT, stops ? TOLD + SLACK : END + SLACK));
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* A link comes back, and before its tables are written one goes elsewhere: the last of both counts for all switches. */
static void the_later_change_counts(void **state) {
  (void)state;
  write_both("torus:4x4", "1.1/0");
  const char *slow = MANAGER "discover=1000,route=500,write=1000";
  assert_true(all_lost(slow, "3.3/1@100 3.3/1+@1900 1.1/0@2000", 0, FAULT + RECONFIGURATION + WRITE + SLACK) > 5);
}

/* The old service level has a VL under the new tables, or the packet is lost for that: proofs of the final tables. */
static void kept_levels_are_looked_up(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_names *list = ripstop_names_new(fabric);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  assert_int_equal(ripstop_faults_parse(arena, list, "1.1/0", 5, &faults, &err), 0);
  write_both("torus:4x4", "1.1/0");
  static const char *const specs[] = {MANAGER "levels=kept", MANAGER "levels=renewed"};
  for (size_t i = 0; i < 2; i++) {
    stand s = stand_on(fabric, specs[i], &faults);
    ripstop_prover *prover = ripstop_prover_new(fabric);
    ripstop_proof proof = prove(s.plan, prover);
    assert_true(proof.tolerated);
    assert_true(i == 0 || proof.deadlock_free); /* with kept levels that depends on the tables */
    ripstop_prover_free(prover);
    stand_close(&s);
  }
  ripstop_names_free(list);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ errors */

/* Every entry of a switch is one that no packet can use. */
static void bad_entries_lose_for_their_reason(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:3", &err); /* ports 0 and 1 to routers, 2 to the end node */
  uint32_t node[] = {0, 1};
  ripstop_forwarding *t = ripstop_forwarding_new(fabric, node, 2); /* end node 2 has no address */
  ripstop_forwarding_set(t, 0, 3 + 1, 2);                          /* to another end node */
  write_tables(t);
  stand s = stand_on(fabric, "tables:lfts=lfts", NULL);
  static const char *const why[] = {"no entry for the address", "the entry leads to another end node",
                                    "the destination has no address"};
  const ripstop_head heads[] = {{.node = 5, .in_port = 2, .source = 2, .destination = 0},
                                {.node = 4, .in_port = 2, .source = 1, .destination = 0},
                                {.node = 0, .in_port = RIPSTOP_NONE, .source = 0, .destination = 2}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    ripstop_candidate candidate;
    int loss = ripstop_route(s.plan, &heads[i], &candidate);
    assert_true(loss < 0);
    assert_string_equal(s.plan->method->losses[-loss - 1], why[i]);
  }
  stand_close(&s);
  ripstop_forwarding_free(t);
  ripstop_fabric_free(fabric);
}

static void names_and_hashes(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  const char *canonical, *opens, *again;
  assert_int_equal(mkdir("folder", 0777), 0);
  FILE *file = fopen("folder/some.lfts", "w");
  fputs("Unicast lids [0-1] of switch guid 0x1:\n0x1 1\n", file);
  fclose(file);
  assert_int_equal(ripstop_method_beside(arena, "tables:lfts=some.lfts", "folder/e.yaml", &canonical, &opens, &err), 0);
  assert_string_equal(opens, ripstop_arena_printf(arena, "tables:lfts=folder/some.lfts%s",
                                                  canonical + strlen("tables:lfts=some.lfts")));
  assert_int_equal(ripstop_method_beside(arena, opens, NULL, &again, &opens, &err), 0);
  assert_string_equal(again, opens);
  assert_int_equal(ripstop_method_canonical(arena, "tables:lfts=folder/some.lfts,hash=0123456789abcdef", &again, &err),
                   -1);
  assert_non_null(strstr(err.text, "have the hash "));
  assert_int_equal(ripstop_method_canonical(arena, "tables:lfts=missing", &again, &err), -1);
  assert_string_equal(err.text, "missing: No such file or directory");
  ripstop_arena_free(arena);
}

static int enter_folder(void **state) {
  static char folder[] = "/tmp/ripstop-tables-XXXXXX";
  *state = folder;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
  (void)state;
  char folder[256];
  for (size_t i = 0; i < 6; i++) unlink(names[i / 3][i % 3]);
  unlink("folder/some.lfts");
  return rmdir("folder") || !getcwd(folder, sizeof folder) || chdir("/") || rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_do_what_the_plan_does),       cmocka_unit_test(each_address_counts),
      cmocka_unit_test(new_tables_end_the_losses),         cmocka_unit_test(the_static_update_stops_all),
      cmocka_unit_test(kept_levels_are_looked_up),         cmocka_unit_test(the_later_change_counts),
      cmocka_unit_test(bad_entries_lose_for_their_reason), cmocka_unit_test(names_and_hashes)};
  return RUN_GROUP(tests, enter_folder, leave_folder);
}
