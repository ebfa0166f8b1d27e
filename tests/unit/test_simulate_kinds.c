/* test_simulate_kinds.c - which packets count as unaffected, affected and misrouted (docs/model.md, "Kinds of packet").
 * The second construction takes every walk of every pair apart, one by one, and remembers the channels of each. */
#include <math.h>

#include "ripstop/plugin/method.h"
#include "scene.h"

enum { PORTS = 256, ENDS = 16, CLASSES = 2, DEEPEST = 40 };

/* The links and faults on the walks of a class and pair. */
typedef struct pair {
  bool channel[PORTS], meets;
} pair;

typedef struct oracle {
  const ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  pair *pair; /* [CLASSES][ENDS][ENDS] */
  bool touched[PORTS];
  uint32_t walks;
} oracle;

static pair *pair_of(oracle *o, uint32_t class_, uint32_t source, uint32_t destination) {
  return &o->pair[(class_ * ENDS + source) * ENDS + destination];
}

/* Every walk on from here, to its end. */
static void walk_on(oracle *o, ripstop_head head, pair *of, uint32_t depth) {
  const ripstop_fabric *f = o->fabric;
  ripstop_candidate candidate[16];
  assert_true(depth < DEEPEST && o->plan->candidates_max <= 16);
  int candidates = ripstop_route(o->plan, &head, candidate);
  if (candidates < 0) {
    of->meets = true;
    o->walks++;
  }
  for (int i = 0; i < candidates; i++) {
    uint32_t port = f->port_base[head.node] + candidate[i].port, peer = f->peer[port], next = f->port_node[peer];
    if (candidate[i].marks) of->meets = true;
    if (!ripstop_is_end(f, head.node) && !ripstop_is_end(f, next)) of->channel[port] = true;
    if (next == head.destination) {
      o->walks++;
      continue;
    }
    ripstop_head on = head;
    on.node = next;
    on.in_port = peer - f->port_base[next];
    on.channel = candidate[i].channel;
    on.header = candidate[i].header;
    walk_on(o, on, of, depth + 1);
  }
}

static oracle ask_oracle(const scene *s, const ripstop_faults *faults, uint32_t classes) {
  ripstop_error err;
  oracle o = {.fabric = s->fabric, .view = ripstop_view_new(s->fabric, faults)};
  assert_true(s->fabric->ports <= PORTS && s->fabric->ends <= ENDS && classes <= CLASSES);
  o.pair = calloc((size_t)CLASSES * ENDS * ENDS, sizeof *o.pair);
  o.plan = ripstop_plan_compile(o.view, s->method, NULL, &err);
  assert_non_null(o.plan);
  for (uint32_t c = 0; c < classes; c++)
    for (uint32_t from = 0; from < s->fabric->ends; from++)
      for (uint32_t to = 0; to < s->fabric->ends; to++) {
        if (from == to) continue;
        ripstop_head head = {
            .node = from, .in_port = RIPSTOP_NONE, .source = from, .destination = to, .class_ = (uint8_t)c};
        pair *p = pair_of(&o, c, from, to);
        walk_on(&o, head, p, 0);
        for (uint32_t port = 0; port < s->fabric->ports; port++) o.touched[port] |= p->meets && p->channel[port];
      }
  return o;
}

static void close_oracle(oracle *o) {
  ripstop_plan_free(o->plan);
  ripstop_view_free(o->view);
  free(o->pair);
}

static bool unaffected(oracle *o, uint32_t class_, uint32_t source, uint32_t destination) {
  const pair *p = pair_of(o, class_, source, destination);
  for (uint32_t port = 0; port < o->fabric->ports; port++)
    if (p->channel[port] && o->touched[port]) return false;
  return !p->meets;
}

static double packets(const ripstop_run_result *r, const char *prefix, const char *kind) {
  char name[64];
  snprintf(name, sizeof name, "%s%s.packets", prefix, kind);
  return ripstop_run_result_value(r, name);
}

static void assert_balance(const ripstop_run_result *r, const char *prefix) {
  char all[64];
  snprintf(all, sizeof all, "%spackets", prefix);
  double undisturbed = packets(r, prefix, "undisturbed");
  double marked =
      packets(r, prefix, "misrouted-up") + packets(r, prefix, "misrouted-down") + packets(r, prefix, "misrouted-both");
  assert_true(packets(r, prefix, "unaffected") + packets(r, prefix, "affected") == undisturbed);
  assert_true(undisturbed + marked == ripstop_run_result_value(r, all));
}

/* The class of a packet, by its number among all (docs/model.md, tie rule). */
static uint32_t class_of(const delivery *d, uint32_t classes) { return (uint32_t)(d->packet % classes); }

static const struct {
  const char *fabric, *method, *faults;
  uint32_t classes;
  bool some_unaffected, some_affected;
} places[] = {
    {"kary-ntree:k=2,n=2", "misroute", "", 1, true, false},
    {"kary-ntree:k=2,n=2", "misroute", "0/0/2", 1, true, true},
    {"kary-ntree:k=2,n=3", "misroute", "0/0.0/2", 1, true, true},
    {"kary-ntree:k=2,n=3", "misroute:uturn=cyclic", "1/0.1/3 0/1.0/2", 1, true, true},
    {"kary-ntree:k=2,n=3", "updown", "1/0.1/3", 1, true, true},
    {"kary-ntree:k=3,n=2", "misroute:vector=off", "0/1/4", 1, true, true},
    {"kary-ntree:k=2,n=3", "uturn", "0/0.0/2", 1, true, true},
    {"kary-ntree:k=2,n=3", "uturn:uturn_order=any", "1/0.1/3 0/1.0/2", 1, true, true},
    {"torus:8", "dor", "1/0", 1, true, true}, /* both directions, towards lower numbers and towards higher */
    {"torus:8", "dor", "5/0", 1, true, true},
    {"kns:k=3,n=2", "intermediate-nodes:intermediates=0", "0.0/0", 1, true, false},
    /* four levels: queues that near sources reach first, far ones after their fault */
    {"kary-ntree:k=2,n=4", "uturn", "2/0.0.0/2", 1, true, true},
    {"torus:6", "test-turns", "1/0", 1, false, true},
    {"torus:6", "test-turns", "1/0", 2, false, true},
    {"torus:9", "test-turns", "", 2, true, false},
    {"torus:6", "test-turns-source", "2/0", 2, false, true},
    {"torus:9", "test-turns-source:turn=off", "0/0", 2, false, true}, /* unaffected: 1 to 2, in class 2 */
};

static void every_packet_is_of_the_kind_that_its_walks_say(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    scene *s = scene_open(places[i].fabric, places[i].method, "load=0.1 packet=4 cycles=6000 affected=on");
    if (places[i].classes == 2) scene_set(s, "classes=1/1");
    scene_break(s, places[i].faults);
    oracle o = ask_oracle(s, &s->faults, places[i].classes);
    ripstop_run_result r = scene_run(s);
    double expected[CLASSES] = {0}, rest[CLASSES] = {0};
    for (size_t d = 0; d < s->deliveries; d++) {
      const delivery *one = &s->delivered[d];
      uint32_t c = class_of(one, places[i].classes);
      *(unaffected(&o, c, one->source, one->destination) ? &expected[c] : &rest[c]) += 1;
    }
    for (uint32_t c = 0; c < places[i].classes; c++) {
      char prefix[32] = "";
      if (places[i].classes > 1) snprintf(prefix, sizeof prefix, "class%u.", c + 1);
      assert_true(packets(&r, prefix, "unaffected") == expected[c]);
      assert_true(ripstop_run_result_value(&r, "packets") == (double)s->deliveries);
      assert_balance(&r, prefix);
    }
    assert_balance(&r, "");
    assert_true(s->deliveries > 500);
    if (places[i].some_unaffected) assert_true(expected[0] > 0);
    if (places[i].some_affected) assert_true(rest[0] > 0);
    close_oracle(&o);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* Known without any walk. A tree of two levels loses its link between leaf 0 and one top switch, and what comes down to
 * leaf 0 there is lost. So packets for leaf 0 from the other leaves can meet the fault, and they may go up by any link
 * of these leaves: all else that goes up there is affected. Packets that stay in their leaf use no link between
 * switches; those that come from leaf 0 use its up links and the links down to other leaves, where nothing meets the
 * fault. */
static void one_failed_link_touches_what_it_should(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=3,n=2", "updown", "load=0.2 packet=4 cycles=4000 affected=on");
  ripstop_run_result healthy = scene_run(s);
  assert_true(packets(&healthy, "", "unaffected") == ripstop_run_result_value(&healthy, "packets"));
  scene_break(s, "0/0/3");
  ripstop_run_result broken = scene_run(s);
  double inside = 0, from_zero = 0;
  for (size_t d = 0; d < s->deliveries; d++) {
    uint32_t from = s->delivered[d].source / 3, to = s->delivered[d].destination / 3;
    inside += from == to;
    from_zero += from == 0 && to != 0;
  }
  assert_true(packets(&broken, "", "unaffected") == inside + from_zero);
  assert_true(inside > 0 && from_zero > 0);
  ripstop_run_result_free(&healthy);
  ripstop_run_result_free(&broken);
  scene_close(s);
}

/* It is the plan at the delivery that counts: before the change, and from its cycle on. */
static void a_change_decides_again(void **state) {
  (void)state;
  const char *const links[] = {"0/0.1/2", "1/1.1/3"};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open("kary-ntree:k=2,n=3", "misroute", "load=0.2 packet=4 cycles=4000 affected=on");
    scene_break(s, links[i]);
    oracle after = ask_oracle(s, &s->faults, 1);
    ripstop_faults none = {0};
    oracle before = ask_oracle(s, &none, 1);
    s->faults = none;
    char schedule[32];
    snprintf(schedule, sizeof schedule, "%s@2000", links[i]);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    double expected = 0;
    for (size_t d = 0; d < s->deliveries; d++) {
      const delivery *one = &s->delivered[d];
      expected += unaffected(one->at < 2000 ? &before : &after, 0, one->source, one->destination);
    }
    assert_true(packets(&r, "", "unaffected") == expected);
    assert_balance(&r, "");
    close_oracle(&before);
    close_oracle(&after);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* The option changes no packet's fate, and without it nothing is reported. */
static void looking_changes_nothing(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=3", "misroute", "load=0.5 classes=0.4/0.35/0.25");
  scene_break(s, "0/0.0/2");
  ripstop_run_result without = scene_run(s);
  scene_set(s, "affected=on");
  ripstop_run_result with = scene_run(s);
  assert_true(isnan(ripstop_run_result_value(&without, "unaffected.packets")));
  assert_true(isnan(ripstop_run_result_value(&without, "class1.affected.packets")));
  for (size_t i = 0; i < without.values; i++) {
    double same = ripstop_run_result_value(&with, without.value[i].name);
    assert_true(same_bits(same, without.value[i].value));
  }
  assert_memory_equal(&with.account, &without.account, sizeof with.account);
  ripstop_run_result_free(&with);
  ripstop_run_result_free(&without);
  scene_close(s);
}

/* The values that claims use: flow, mean and tail of each class and kind, each with an interval. */
static void classes_and_kinds_have_intervals(void **state) {
  (void)state;
  static const char *const names[] = {
      "class1.accepted",        "class3.latency.p99",           "class1.misrouted-down.latency.mean",
      "unaffected.latency.p99", "class2.affected.latency.mean", "class3.affected.accepted"};
  scene *s = scene_open("kary-ntree:k=2,n=3", "misroute", "load=0.5 classes=0.4/0.35/0.25 affected=on cycles=20000");
  scene_break(s, "1/0.1/3");
  ripstop_run_result r = scene_run(s);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    bool found = false;
    for (size_t i = 0; i < r.values; i++) {
      if (strcmp(r.value[i].name, names[n]) != 0) continue;
      found = true;
      assert_true(r.value[i].value > 0 && r.value[i].half > 0);
    }
    if (!found) fail_msg("no value %s", names[n]);
  }
  ripstop_run_result_free(&r);
  scene_close(s);
}

static void large_fabrics_are_refused(void **state) {
  (void)state;
  ripstop_error err;
  scene *s = scene_open("kary-ntree:k=17,n=3", "updown", "load=0.1 affected=on");
  assert_int_equal(scene_check(s, &err), -1);
  assert_string_equal(err.text, "measure.affected: kary-ntree:k=17,n=3 has 4913 end nodes; its limit is 4096");
  scene_set(s, "affected=off");
  assert_int_equal(scene_check(s, &err), 0);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_packet_is_of_the_kind_that_its_walks_say),
                                     cmocka_unit_test(one_failed_link_touches_what_it_should),
                                     cmocka_unit_test(a_change_decides_again),
                                     cmocka_unit_test(looking_changes_nothing),
                                     cmocka_unit_test(classes_and_kinds_have_intervals),
                                     cmocka_unit_test(large_fabrics_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
