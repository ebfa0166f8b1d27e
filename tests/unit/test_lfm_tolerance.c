/* test_lfm_tolerance.c - the pairs that link-fault-messages loses, counted word by word of end nodes, against the
 * prover's walks; the pairs without a healthy shortest path against a search. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/inner.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

typedef struct bed {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
} bed;

static bed open_bed(const char *fabric, const char *method) {
  ripstop_error err;
  bed b = {.fabric = ripstop_fabric_open(fabric, &err)};
  if (!b.fabric) fail_msg("%s", err.text);
  b.view = ripstop_view_new(b.fabric, NULL);
  b.plan = stand_plan(b.view, method, NULL, &err);
  if (!b.plan) fail_msg("%s", err.text);
  b.prover = ripstop_prover_new(b.fabric);
  return b;
}

static void close_bed(bed *b) {
  ripstop_prover_free(b->prover);
  ripstop_plan_free(b->plan);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
}

static uint64_t fact(const bed *b, const char *name) {
  uint64_t value[RIPSTOP_FACTS_MAX];
  b->plan->method->facts(b->plan, value);
  for (size_t i = 0; b->plan->method->fact_names[i]; i++)
    if (strcmp(b->plan->method->fact_names[i], name) == 0) return value[i];
  fail_msg("no fact %s", name);
  return 0;
}

/* By breadth-first search over the links that live: pairs whose distance has grown, or that have no path. */
static uint64_t pairs_farther(const bed *b) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *before = ripstop_realloc(NULL, 3 * (size_t)f->nodes, sizeof *before);
  uint32_t *now = before + f->nodes, *queue = now + f->nodes;
  uint64_t pairs = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    uint32_t first = 0, count = 0;
    ripstop_fabric_distances(f, end, before);
    for (uint32_t v = 0; v < f->nodes; v++) now[v] = RIPSTOP_NONE;
    now[end] = 0;
    queue[count++] = end;
    for (; first < count; first++) {
      uint32_t v = queue[first];
      for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
        if (!b->view->port_up[port]) continue;
        uint32_t to = f->port_node[f->peer[port]];
        if (now[to] != RIPSTOP_NONE) continue;
        now[to] = now[v] + 1;
        queue[count++] = to;
      }
    }
    for (uint32_t other = 0; other < f->ends; other++) pairs += other != end && now[other] != before[other];
  }
  ripstop_free(before);
  return pairs;
}

/* The pairs whose packets are lost behind their first switch: a candidate led into a dead end. */
static uint64_t pairs_misled(const bed *b) {
  const ripstop_fabric *f = b->fabric;
  uint64_t misled = 0;
  for (uint32_t source = 0; source < f->ends; source++)
    for (uint32_t destination = 0; destination < f->ends; destination++) {
      ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
      uint32_t hops = 0;
      while (head.node != destination) {
        ripstop_candidate candidate;
        if (b->plan->method->route(b->plan, &head, &candidate) < 0) break;
        uint32_t peer = f->peer[f->port_base[head.node] + candidate.port];
        head.node = f->port_node[peer];
        head.in_port = peer - f->port_base[head.node];
        hops++;
      }
      misled += head.node != destination && hops > 1;
    }
  return misled;
}

typedef struct series {
  const char *fabric, *method;
  const ripstop_fault_scope *scope;
  uint32_t faults, sets; /* for each number of failed parts from 1 to `faults`, so many sets */
} series;

static const series all_series[] = {
    {"kary-ntree:k=2,n=1", "link-fault-messages", RIPSTOP_FAULTS_ALL_LINKS, 4, 10},
    {"kary-ntree:k=2,n=3", "link-fault-messages", RIPSTOP_FAULTS_ALL_LINKS, 16, 30},
    {"kary-ntree:k=2,n=4", "link-fault-messages:case3=per-port", RIPSTOP_FAULTS_SWITCH_LINKS, 20, 30},
    {"kary-ntree:k=3,n=3", "link-fault-messages:capacity=2", RIPSTOP_FAULTS_SWITCH_LINKS, 24, 20},
    {"mport-ntree:m=2,n=3", "link-fault-messages", RIPSTOP_FAULTS_SWITCH_LINKS, 4, 10},
    {"mport-ntree:m=4,n=3", "link-fault-messages", RIPSTOP_FAULTS_SWITCH_LINKS, 32, 40},
    {"mport-ntree:m=4,n=3", "link-fault-messages", RIPSTOP_FAULTS_SWITCHES, 8, 40},
    {"mport-ntree:m=4,n=4", "link-fault-messages", RIPSTOP_FAULTS_SWITCH_LINKS, 24, 20},
    {"mport-ntree:m=6,n=3", "link-fault-messages", RIPSTOP_FAULTS_SWITCH_LINKS, 30, 2},
    {"mport-ntree:m=8,n=3", "link-fault-messages", RIPSTOP_FAULTS_SWITCH_LINKS, 20, 1},
};

static void count_is_the_provers(void **state) {
  (void)state;
  uint64_t sets = 0, lossy = 0;
  for (size_t i = 0; i < sizeof all_series / sizeof *all_series; i++) {
    const series *s = &all_series[i];
    bed b = open_bed(s->fabric, s->method);
    uint32_t population = ripstop_faults_population(b.fabric, s->scope);
    for (uint32_t n = 1; n <= s->faults && n <= population; n++)
      for (uint32_t index = 0; index < s->sets; index++) {
        ripstop_arena *arena = ripstop_arena_new();
        ripstop_error err;
        ripstop_faults faults;
        ripstop_proof proof;
        if (ripstop_faults_sample(arena, b.fabric, s->scope, n, 11, index, &faults, &err)) fail_msg("%s", err.text);
        ripstop_view_set_faults(b.view, &faults, false);
        if (stand_update(b.plan, &err) != RIPSTOP_APPLIES) fail_msg("%s", err.text);
        if (ripstop_prover_prove(b.prover, b.plan, &proof, &err)) fail_msg("%s", err.text);
        uint64_t lost = b.plan->method->lost_pairs(b.plan);
        if (lost != proof.lost_pairs_some_choice)
          fail_msg("%s %s: counted %llu, walked %llu", s->fabric, s->method, (unsigned long long)lost,
                   (unsigned long long)proof.lost_pairs_some_choice);
        assert_true(proof.deadlock_free && proof.livelock_free);
        uint64_t farther = pairs_farther(&b);
        assert_int_equal(fact(&b, "no_shortest_path_pairs"), farther);
        assert_true(lost >= farther);
        if (index < 5) assert_int_equal(fact(&b, "dead_end_pairs"), pairs_misled(&b));
        sets++;
        lossy += lost > 0;
        ripstop_view_set_faults(b.view, &faults, true);
        ripstop_arena_free(arena);
      }
    close_bed(&b);
  }
  print_message("%llu sets, %llu of them lose pairs\n", (unsigned long long)sets, (unsigned long long)lossy);
  assert_true(sets > 3000 && lossy > 1000 && lossy < sets);
}

/* With enough entries and a third case that looks at single ports, only pairs without a healthy shortest path are lost,
 * and no packet that is lost leaves its first switch. Exhaustively for up to 3 failed links of two small trees. */
static void per_port_is_complete_and_sound(void **state) {
  (void)state;
  static const char *const fabrics[] = {"mport-ntree:m=4,n=3", "kary-ntree:k=2,n=4"};
  for (size_t i = 0; i < 2; i++) {
    bed b = open_bed(fabrics[i], "link-fault-messages:case3=per-port,capacity=0");
    for (uint32_t n = 1; n <= 3; n++) {
      ripstop_arena *arena = ripstop_arena_new();
      ripstop_combinations c;
      ripstop_combinations_first(arena, ripstop_faults_population(b.fabric, RIPSTOP_FAULTS_SWITCH_LINKS), n, &c);
      do {
        ripstop_error err;
        ripstop_faults faults;
        ripstop_arena *scratch = ripstop_arena_new();
        ripstop_faults_from_parts(scratch, b.fabric, RIPSTOP_FAULTS_SWITCH_LINKS, c.part, n, &faults);
        ripstop_view_set_faults(b.view, &faults, false);
        if (stand_update(b.plan, &err) != RIPSTOP_APPLIES) fail_msg("%s", err.text);
        assert_int_equal(b.plan->method->lost_pairs(b.plan), fact(&b, "no_shortest_path_pairs"));
        assert_int_equal(fact(&b, "dead_end_pairs"), 0);
        ripstop_view_set_faults(b.view, &faults, true);
        ripstop_arena_free(scratch);
      } while (ripstop_combinations_next(&c));
      ripstop_arena_free(arena);
    }
    close_bed(&b);
  }
}

static void set_named(bed *b, const char *links) {
  ripstop_error err;
  ripstop_faults faults;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(b->fabric);
  if (ripstop_faults_parse(arena, names, links, strlen(links), &faults, &err)) fail_msg("%s", err.text);
  ripstop_view_set_faults(b->view, &faults, false);
  if (stand_update(b->plan, &err) != RIPSTOP_APPLIES) fail_msg("%s", err.text);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
}

/* Sets for which an option decides. The third case as printed has its gap with these four links, and 3 faults need 4
 * entries, as docs/methods/link-fault-messages.md explains; the faults of three switches need three. */
static void options_decide(void **state) {
  (void)state;
  static const char gap[] = "1/0.0.0/2 1/0.1.0/3 2/0.0.0/2 2/0.0.0/3", three[] = "0/0.0/2 0/1.0/2 0/2.0/2",
                    four[] = "1/0.0/2 1/1.0/2 1/2.0/3";
  static const struct {
    const char *fabric, *method, *faults;
    uint64_t lost, misled, entries;
  } cases[] = {{"mport-ntree:m=4,n=4", "link-fault-messages", gap, 8, 8, 2},
               {"mport-ntree:m=4,n=4", "link-fault-messages:case3=per-port", gap, 0, 0, 2},
               {"mport-ntree:m=4,n=3", "link-fault-messages:capacity=3", three, 0, 0, 3},
               {"mport-ntree:m=4,n=3", "link-fault-messages:capacity=2", three, 10, 10, 3},
               {"mport-ntree:m=4,n=3", "link-fault-messages", four, 0, 0, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed(cases[i].fabric, cases[i].method);
    set_named(&b, cases[i].faults);
    assert_int_equal(b.plan->method->lost_pairs(b.plan), cases[i].lost);
    assert_int_equal(fact(&b, "dead_end_pairs"), cases[i].misled);
    assert_int_equal(fact(&b, "max_table_entries"), cases[i].entries);
    close_bed(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(count_is_the_provers),
                                     cmocka_unit_test(per_port_is_complete_and_sound),
                                     cmocka_unit_test(options_decide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
