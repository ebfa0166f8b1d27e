/* test_reprioritise.c - the method reprioritise, beyond what every method is held to:
 *
 *   - the channels of packets in hand-made cases: failed links upward, downward, both, and a failed try
 *   - the same of packets that go up adaptively, and of every path that a source can choose
 *   - the channel of every hop that can be taken in small trees, against a walk of the test's own by the paper's
 * definitions alone: if the link of the packet's deterministic route is down it meets a fault, and if it is on the path
 * that was walked without faults it is back on its original path
 *   - the 14 approaches are the rules of Table 1, and experiments/reprioritise pairs each with its weights
 *   - no combination of rules deadlocks with fewer than k failed links
 *   - the shares of the three classes on a backlogged link, where the fourth channel is idle */
#include <math.h>

#include "conformance/trial.h"
#include "fabric/tree.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/plugin/method.h"
#include "run_texts.h"
#include "scene.h"

/* Table 1: rules as options, weights as the arbiter has them. */
#define LOW_VC4  "weighted:shares=1/35/54/10"
#define HIGH_VC4 "weighted:shares=1/20/40/39"
static const struct {
  const char *rules, *arbiter;
} table_1[] = {
    {"misroute_vc=1,until=local,up=on,down=on", LOW_VC4},   {"misroute_vc=none,until=local,up=off,down=off", LOW_VC4},
    {"misroute_vc=3,until=local,up=on,down=on", LOW_VC4},   {"misroute_vc=none,until=local,up=off,down=off", HIGH_VC4},
    {"misroute_vc=1,until=local,up=on,down=on", HIGH_VC4},  {"misroute_vc=3,until=local,up=on,down=on", HIGH_VC4},
    {"misroute_vc=1,until=end,up=on,down=on", LOW_VC4},     {"misroute_vc=3,until=end,up=on,down=on", LOW_VC4},
    {"misroute_vc=1,until=end,up=on,down=on", HIGH_VC4},    {"misroute_vc=3,until=end,up=on,down=on", HIGH_VC4},
    {"misroute_vc=1,until=local,up=off,down=on", LOW_VC4},  {"misroute_vc=3,until=local,up=off,down=on", LOW_VC4},
    {"misroute_vc=1,until=local,up=off,down=on", HIGH_VC4}, {"misroute_vc=3,until=local,up=off,down=on", HIGH_VC4}};
enum { APPROACHES = sizeof table_1 / sizeof *table_1, CANDIDATES_MAX = 32, PATH_MAX_NODES = 16 };

/* ------------------------------------------------------------------ hand-made cases */

/* The channels of a packet's hops as digits; a packet with a choice takes the first candidate. */
static void follow(const char *faults, int approach, uint8_t class_, const char *channels) {
  char method[32], got[32] = "";
  snprintf(method, sizeof method, "reprioritise:approach=%d", approach);
  trial *t = trial_open("kary-ntree:k=4,n=3", method, faults);
  const ripstop_fabric *f = t->fabric;
  ripstop_names *names = ripstop_names_new(f);
  ripstop_head head = {.node = ripstop_names_end(names, "0.0.0", 5), .in_port = RIPSTOP_NONE, .class_ = class_};
  head.source = head.node;
  head.destination = ripstop_names_end(names, "3.2.1", 5);
  for (size_t hop = 0; head.node != head.destination && hop + 1 < sizeof got; hop++) {
    ripstop_candidate candidate[CANDIDATES_MAX];
    assert_true(ripstop_route(t->plan, &head, candidate) >= 1);
    uint32_t in = f->peer[f->port_base[head.node] + candidate[0].port];
    got[hop] = (char)('0' + candidate[0].channel);
    head.node = f->port_node[in];
    head.in_port = in - f->port_base[head.node];
    head.channel = candidate[0].channel;
    head.header = candidate[0].header;
  }
  assert_string_equal(got, channels);
  ripstop_names_free(names);
  trial_close(t);
}

static void packets_on_their_candidate(void **state) {
  (void)state;
  static const struct {
    const char *faults, *keep, *low_both, *high_both, *low_end, *high_end, *low_down, *high_down;
  } cases[] = {
      {"", "111111", "111111", "111111", "111111", "111111", "111111", "111111"},
      /* up at the lowest level: on its path again when it is down there */
      {"0/0.0/5", "111111", "100001", "122221", "100000", "122222", "111111", "111111"},
      /* up one level higher: on its path again one hop below the top */
      {"1/0.1/6", "111111", "110011", "112211", "110000", "112222", "111111", "111111"},
      /* down at the top: one hop away, two for freedom of deadlock */
      {"1/3.1/6", "11113311", "11103311", "11123311", "11103300", "11123322", "11103311", "11123311"},
      /* the first try fails */
      {"1/3.1/6 1/3.1/7", "1111333311", "1110333311", "1112333311", "1110333300", "1112333322", "1110333311",
       "1112333311"},
      /* the paper's Figure 1: upward, then downward at the top */
      {"1/0.1/6 1/3.1/7", "11113311", "11003311", "11223311", "11003300", "11223322", "11103311", "11123311"},
      /* off its path from the lowest level on, and around a failed link up there: the turn does not lead back to it */
      {"0/0.0/5 1/3.2/6", "11113311", "10003301", "12223321", "10003300", "12223322", "11103301", "11123321"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int weights = 0; weights < 2; weights++) {
      follow(cases[i].faults, weights ? 4 : 2, 1, cases[i].keep);
      follow(cases[i].faults, weights ? 5 : 1, 1, cases[i].low_both);
      follow(cases[i].faults, weights ? 6 : 3, 1, cases[i].high_both);
      follow(cases[i].faults, weights ? 9 : 7, 1, cases[i].low_end);
      follow(cases[i].faults, weights ? 10 : 8, 1, cases[i].high_end);
      follow(cases[i].faults, weights ? 13 : 11, 1, cases[i].low_down);
      follow(cases[i].faults, weights ? 14 : 12, 1, cases[i].high_down);
    }
  }
  follow("1/0.1/6 1/3.1/7", 1, 0, "00003300"); /* a packet of the class whose channel it is */
  follow("1/0.1/6 1/3.1/7", 1, 2, "22003322");
}

/* ------------------------------------------------------------------ every hop, from the paper's words */

typedef struct rules {
  int misroute; /* channel; -1: none */
  bool to_end, up, down;
} rules;

/* The phases of a packet's path, as the test sees it. */
typedef enum phase { TRAVELLING, AT_UTURN, ABOVE_UTURN } phase;

typedef struct walk {
  const ripstop_plan *plan;
  ripstop_tree tree;
  rules rules;
  uint32_t draw; /* with base=source */
  bool by_source;
  uint32_t original[PATH_MAX_NODES], originals; /* nodes of the path without faults */
  uint64_t hops, moved, returned;
} walk;

/* The digit of the up port at a level: the destination's, or the random one. */
static uint32_t up_digit(const walk *w, uint32_t level, uint32_t destination) {
  uint32_t draw = w->draw;
  if (!w->by_source) return ripstop_tree_down_port(&w->tree, level, destination);
  while (level--) draw /= w->tree.half;
  return draw % w->tree.half;
}

/* Without faults: up by that digit at each level, then down by the destination's. */
static void find_original(walk *w, uint32_t source, uint32_t destination) {
  const ripstop_fabric *f = w->plan->fabric;
  uint32_t node = source;
  w->originals = 0;
  while (node != destination) {
    w->original[w->originals++] = node;
    uint32_t port = 0;
    if (!ripstop_is_end(f, node)) {
      uint32_t level = ripstop_tree_level(&w->tree, node);
      port = ripstop_tree_down_port(&w->tree, level, destination);
      if (!ripstop_tree_above(&w->tree, node, destination)) port = up_digit(w, level, destination) + w->tree.half;
    }
    node = f->port_node[f->peer[f->port_base[node] + port]];
  }
}

static bool on_original(const walk *w, uint32_t node) {
  for (uint32_t i = 0; i < w->originals; i++)
    if (w->original[i] == node) return true;
  return false;
}

static void walk_on(walk *w, ripstop_head head, phase at, bool moved) {
  const ripstop_fabric *f = w->plan->fabric;
  if (head.node == head.destination) return;
  ripstop_candidate candidate[CANDIDATES_MAX];
  int candidates = ripstop_route(w->plan, &head, candidate);
  assert_true(candidates > 0);
  bool is_end = ripstop_is_end(f, head.node),
       up = !is_end && !ripstop_tree_above(&w->tree, head.node, head.destination);
  uint32_t own = 0;
  if (!is_end) own = ripstop_tree_down_port(&w->tree, ripstop_tree_level(&w->tree, head.node), head.destination);
  if (up) own = up_digit(w, ripstop_tree_level(&w->tree, head.node), head.destination) + w->tree.half;
  bool dead = !w->plan->view->port_up[f->port_base[head.node] + own];
  if (moved && at != AT_UTURN && on_original(w, head.node) && !w->rules.to_end) {
    moved = false;
    w->returned++;
  }
  for (int i = 0; i < candidates; i++) {
    phase next = TRAVELLING;
    bool moves = moved;
    int channel = -1;
    if (at == AT_UTURN) {
      next = ABOVE_UTURN, channel = 3;
    } else if (at == ABOVE_UTURN) {
      next = dead ? AT_UTURN : TRAVELLING, channel = 3;
    } else if (dead) {
      if (!up) next = AT_UTURN;
      if (w->rules.misroute >= 0 && (up ? w->rules.up : w->rules.down)) moves = true;
    } else {
      assert_int_equal(candidate[i].port, own);
    }
    if (channel < 0) channel = moves ? w->rules.misroute : head.class_;
    assert_int_equal(candidate[i].channel, channel);
    w->hops++;
    w->moved += moves;
    uint32_t in = f->peer[f->port_base[head.node] + candidate[i].port];
    ripstop_head further = head;
    further.node = f->port_node[in];
    further.in_port = in - f->port_base[further.node];
    further.channel = candidate[i].channel;
    further.header = candidate[i].header;
    walk_on(w, further, next, moves);
  }
}

static void walk_draws(walk *w, uint32_t s, uint32_t d) {
  const uint32_t random_headers = w->plan->random_headers;
  for (w->draw = 0; w->draw < random_headers; w->draw++) {
    find_original(w, s, d);
    for (uint8_t c = 0; c < 3; c++)
      walk_on(w,
              (ripstop_head){
                  .node = s, .in_port = RIPSTOP_NONE, .source = s, .destination = d, .class_ = c, .header = w->draw},
              TRAVELLING, false);
  }
}

static void walk_set(const ripstop_fabric *fabric, const ripstop_faults *faults, int number, walk *total) {
  static const char *const vc[] = {"none", "1", "2", "3"};
  char method[112];
  ripstop_error err;
  rules r = {number % 4 - 1, number / 4 % 2, number / 8 % 2, number / 16 % 2};
  snprintf(method, sizeof method, "reprioritise:misroute_vc=%s,until=%s,up=%s,down=%s%s", vc[number % 4],
           r.to_end ? "end" : "local", r.up ? "on" : "off", r.down ? "on" : "off",
           total->by_source ? ",base=source" : "");
  ripstop_view *view = ripstop_view_new(fabric, faults);
  walk w = {.plan = ripstop_plan_compile(view, method, NULL, &err), .rules = r, .by_source = total->by_source};
  if (!w.plan) fail_msg("%s", err.text);
  assert_true(ripstop_tree_from(fabric, &w.tree));
  for (uint32_t s = 0; s < fabric->ends; s++)
    for (uint32_t d = 0; d < fabric->ends; d++) {
      if (s != d) walk_draws(&w, s, d);
    }
  total->hops += w.hops, total->moved += w.moved, total->returned += w.returned;
  ripstop_plan_free((ripstop_plan *)w.plan);
  ripstop_view_free(view);
}

enum { COMBINATIONS = 4 * 2 * 2 * 2 };

/* Every set of so many failed links under every combination, or every set under one of them in turn. */
static void walk_all(const char *spec, uint32_t count, bool in_turn, walk *total) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  ripstop_combinations sets;
  int number = 0;
  ripstop_combinations_first(arena, ripstop_faults_population(fabric, RIPSTOP_FAULTS_SWITCH_LINKS), count, &sets);
  do {
    ripstop_faults faults;
    ripstop_faults_from_parts(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, sets.part, sets.count, &faults);
    for (int i = 0; i < (in_turn ? 1 : COMBINATIONS); i++) walk_set(fabric, &faults, number++ % COMBINATIONS, total);
  } while (ripstop_combinations_next(&sets));
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void every_hop_has_its_channel(void **state) {
  (void)state;
  walk total = {0};
  walk_all("kary-ntree:k=3,n=2", 1, false, &total);
  walk_all("kary-ntree:k=3,n=2", 2, true, &total);
  walk_all("kary-ntree:k=2,n=3", 1, false, &total);
  walk_all("kary-ntree:k=2,n=4", 1, true, &total);
  walk_all("mport-ntree:m=4,n=3", 1, true, &total);
  assert_true(total.hops > 1000000 && total.moved > 50000 && total.returned > 5000);
}

/* The same where the source chooses the path: for each of its choices. */
static void every_hop_of_a_chosen_path_has_its_channel(void **state) {
  (void)state;
  walk total = {.by_source = true};
  walk_all("kary-ntree:k=3,n=2", 1, false, &total);
  walk_all("kary-ntree:k=3,n=2", 2, true, &total);
  walk_all("kary-ntree:k=2,n=3", 1, true, &total);
  walk_all("mport-ntree:m=4,n=3", 1, true, &total);
  assert_true(total.hops > 1000000 && total.moved > 50000 && total.returned > 5000);
}

/* Adaptive packets meet failed links downward alone: own channel up and down, the other one down to the U-turn switch,
 * the fourth up from it and down again, and their own, or the other one to the end, behind it. */
static void follow_adaptive(const char *options, const char *channels) {
  char method[96], got[32] = "";
  snprintf(method, sizeof method, "reprioritise:base=adaptive,%s", options);
  trial *t = trial_open("kary-ntree:k=4,n=3", method, "0/0.0/4 1/3.1/4 1/3.1/5 1/3.1/6");
  const ripstop_fabric *f = t->fabric;
  ripstop_names *names = ripstop_names_new(f);
  ripstop_head head = {.node = ripstop_names_end(names, "0.0.0", 5), .in_port = RIPSTOP_NONE, .class_ = 1};
  head.source = head.node;
  head.destination = ripstop_names_end(names, "3.2.1", 5);
  for (size_t hop = 0; head.node != head.destination && hop + 1 < sizeof got; hop++) {
    ripstop_candidate candidate[CANDIDATES_MAX];
    const int candidates = ripstop_route(t->plan, &head, candidate);
    if (hop == 1) assert_int_equal(candidates, 3); /* one of the four up ports is down */
    if (hop == 2) assert_int_equal(candidates, 4);
    assert_true(candidates >= 1);
    uint32_t in = f->peer[f->port_base[head.node] + candidate[0].port];
    assert_int_equal(candidate[0].marks & RIPSTOP_MARK_UP, 0);
    got[hop] = (char)('0' + candidate[0].channel);
    head.node = f->port_node[in];
    head.in_port = in - f->port_base[head.node];
    head.channel = candidate[0].channel;
    head.header = candidate[0].header;
  }
  assert_string_equal(got, channels);
  ripstop_names_free(names);
  trial_close(t);
}

static void adaptive_packets_on_their_candidate(void **state) {
  (void)state;
  follow_adaptive("misroute_vc=none", "111133333311");
  follow_adaptive("misroute_vc=1", "111033333311");
  follow_adaptive("misroute_vc=1,until=end", "111033333300");
  follow_adaptive("misroute_vc=3,down=off", "111133333311");
}

/* ------------------------------------------------------------------ Table 1 */

static void approaches_are_the_rows_of_table_1(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open("kary-ntree:k=3,n=3", &err);
  for (int a = 0; a < APPROACHES; a++) {
    char by_number[64], by_rules[96];
    ripstop_faults faults;
    snprintf(by_number, sizeof by_number, "reprioritise:approach=%d", a + 1);
    snprintf(by_rules, sizeof by_rules, "reprioritise:%s", table_1[a].rules);
    assert_int_equal(
        ripstop_faults_sample(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, 6, 3, (uint64_t)a, &faults, &err), 0);
    ripstop_view *view = ripstop_view_new(fabric, &faults);
    ripstop_plan *one = ripstop_plan_compile(view, by_number, NULL, &err),
                 *two = ripstop_plan_compile(view, by_rules, NULL, &err);
    for (uint32_t node = fabric->ends; node < fabric->nodes; node++)
      for (uint32_t in = 0; in < ripstop_node_ports(fabric, node); in++)
        for (uint32_t d = 0; d < fabric->ends; d++)
          for (uint32_t i = 0; i < 12; i++) {
            ripstop_head head = {.node = node, .in_port = in, .destination = d, .class_ = (uint8_t)(i % 3)};
            head.header = (i & 1) | (uint64_t)(i >> 1 & 1) << 56;
            ripstop_candidate first[CANDIDATES_MAX], second[CANDIDATES_MAX];
            memset(first, 0, sizeof first), memset(second, 0, sizeof second);
            assert_int_equal(ripstop_route(one, &head, first), ripstop_route(two, &head, second));
            assert_memory_equal(first, second, sizeof first);
          }
    ripstop_plan_free(one);
    ripstop_plan_free(two);
    ripstop_view_free(view);
  }
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

/* The runs of an experiment on the 14 approaches are as in section 6.1: where links die they do with the first of the
 * 10,000 cycles that are measured. */
static void check_experiment(const char *name, bool turns) {
  char path[512];
  ripstop_error err;
  uint32_t seen[APPROACHES] = {0};
  snprintf(path, sizeof path, "%s/experiments/reprioritise/%s", RIPSTOP_SOURCE_DIR, name);
  ripstop_spec *spec = ripstop_spec_read(path, NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  for (size_t i = 0; i < runs->count; i++) {
    int approach = 0;
    const ripstop_run *run = &runs->run[i];
    assert_int_equal(sscanf(ripstop_run_key(run, "method"), "reprioritise:approach=%d,", &approach), 1);
    assert_in_range(approach, 1, APPROACHES);
    const char *weights = strchr(table_1[approach - 1].arbiter, '='), *arbiter = ripstop_run_key(run, "switch.arbiter");
    assert_string_equal(strchr(arbiter, '='), weights);
    assert_int_equal(
        strncmp(arbiter, turns ? "turns:packets=" : "weighted:shares=", (size_t)(strchr(arbiter, '=') - arbiter)), 0);
    assert_string_equal(ripstop_run_key(run, "traffic.pattern"), "other-half");
    assert_string_equal(ripstop_run_key(run, "traffic.process"), "poisson");
    assert_string_equal(ripstop_run_key(run, "traffic.classes"), "0.40/0.35/0.25");
    assert_string_equal(settings_of(run)->simulation.measure.warmup, "5000");
    assert_int_equal(settings_of(run)->simulation.measure.cycles, 10000);
    assert_int_equal(run->fault_count, 0);
    if (!run->rule) continue;
    assert_string_equal(ripstop_run_key(run, "faults.schedule"), "random:3,scope=switch-links,from=5000,every=0");
    seen[approach - 1]++;
  }
  for (int a = 0; a < APPROACHES; a++) {
    assert_true(seen[a] >= 4 * 30); /* loads x samples */
    assert_int_equal(seen[a], seen[0]);
  }
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

static void experiments_pair_approaches_with_their_weights(void **state) {
  (void)state;
  check_experiment("fig-3.yaml", false);
  check_experiment("fig-4.yaml", false);
  check_experiment("fig-3-turns.yaml", true);
  check_experiment("fig-4-turns.yaml", true);
}

/* ------------------------------------------------------------------ deadlock */

static void prove_all(const char *spec, uint32_t count, const char *options, uint32_t wanted) {
  char method[128];
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  ripstop_prover *prover = ripstop_prover_new(fabric);
  ripstop_combinations sets;
  uint32_t seen = 0;
  snprintf(method, sizeof method, "reprioritise:%s", options);
  ripstop_combinations_first(arena, ripstop_faults_population(fabric, RIPSTOP_FAULTS_SWITCH_LINKS), count, &sets);
  do {
    ripstop_faults faults;
    ripstop_proof proof;
    ripstop_faults_from_parts(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, sets.part, sets.count, &faults);
    ripstop_view *view = ripstop_view_new(fabric, &faults);
    ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
    if (!plan || ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
    assert_true(proof.tolerated && proof.livelock_free && proof.deadlock_free);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    seen++;
  } while (ripstop_combinations_next(&sets));
  assert_int_equal(seen, wanted);
  ripstop_prover_free(prover);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void no_rule_deadlocks(void **state) {
  (void)state;
  for (int a = 0; a < APPROACHES; a++) {
    char approach[32];
    snprintf(approach, sizeof approach, "approach=%d", a + 1);
    prove_all("kary-ntree:k=3,n=2", 1, approach, 9);
    prove_all("kary-ntree:k=3,n=2", 2, approach, 36);
    prove_all("kary-ntree:k=2,n=3", 1, approach, 16);
  }
  /* these can deadlock by order alone, with the hop back on a normal channel */
  prove_all("kary-ntree:k=4,n=2", 3, "approach=1,uturn_order=digit", 560);
  prove_all("kary-ntree:k=4,n=2", 3, "approach=8,uturn_order=lowest", 560);
  prove_all("kary-ntree:k=3,n=2", 2, "misroute_vc=2,until=end,down=off,uturn_order=any", 36);
  prove_all("kary-ntree:k=4,n=2", 3, "approach=1,up_order=spread", 560);
  static const char *const bases[] = {"adaptive", "source"}, *const orders[] = {"cyclic", "lowest", "digit", "any"};
  for (int b = 0; b < 2; b++)
    for (int o = 0; o < 4; o++) {
      char options[64];
      snprintf(options, sizeof options, "approach=%d,base=%s,uturn_order=%s", o % 2 ? 10 : 5, bases[b], orders[o]);
      prove_all("kary-ntree:k=3,n=2", 2, options, 36);
      prove_all("kary-ntree:k=2,n=3", 1, options, 16);
    }
}

/* ------------------------------------------------------------------ shares */

/* All packets go to one end node, whose link cannot carry a third of them. The fourth channel is idle there, and its
 * share goes to the others in proportion: the bound of arbiters/weighted.c, with a packet more for the interval. */
static void classes_share_what_the_fourth_channel_leaves(void **state) {
  (void)state;
  static const double share[] = {1, 35, 54};
  enum { CYCLES = 20000, PACKET = 8 };
  scene *s = scene_open("kary-ntree:k=4,n=2", "reprioritise:approach=2",
                        "load=1 pattern=hotspot:end=0,share=1 packet=8 classes=1/1/1 warmup=2000 arbiter=" LOW_VC4);
  s->sim.measure.cycles = CYCLES;
  ripstop_run_result result = scene_run(s);
  double got[3] = {0}, sum = 0;
  for (size_t i = 0; i < s->deliveries; i++)
    if (s->delivered[i].destination == 0 && s->delivered[i].at >= 2000) got[s->delivered[i].packet % 3] += PACKET;
  for (int c = 0; c < 3; c++) sum += got[c];
  assert_true(fabs(sum - CYCLES) <= 2 * PACKET);
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < c; d++)
      assert_true(fabs(got[c] / share[c] - got[d] / share[d]) <= 2 * PACKET / share[c] + 2 * PACKET / share[d]);
  const ripstop_account *a = &result.account;
  assert_int_equal(a->generated, a->delivered + a->in_flight + a->waiting + a->lost);
  assert_int_equal(a->lost, 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Packets of all classes and rules go where those of uturn go; a pair is reported once for its three classes. */
static void lengths_are_those_of_uturn(void **state) {
  (void)state;
  static const char *const methods[] = {"uturn", "reprioritise:approach=10"};
  ripstop_paths paths[2];
  for (size_t i = 0; i < 2; i++) {
    trial *t = trial_open("kary-ntree:k=3,n=2", methods[i], "0/0/3 0/0/4 0/0/5");
    ripstop_prover *prover = ripstop_prover_new(t->fabric);
    ripstop_proof proof;
    ripstop_prover_paths(prover, true);
    assert_int_equal(ripstop_prover_prove(prover, t->plan, &proof, &t->err), 0);
    assert_in_range(proof.paths.pairs, 1, proof.pairs - 1); /* one leaf is cut off */
    paths[i] = proof.paths;
    ripstop_prover_free(prover);
    trial_close(t);
  }
  assert_int_equal(paths[0].pairs, paths[1].pairs);
  assert_int_equal(paths[0].minimum, paths[1].minimum);
  assert_int_equal(paths[0].shortest, paths[1].shortest);
  assert_int_equal(paths[0].longest, paths[1].longest);
  assert_int_equal(paths[0].max_extra_longest, paths[1].max_extra_longest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_are_those_of_uturn),
                                     cmocka_unit_test(packets_on_their_candidate),
                                     cmocka_unit_test(every_hop_has_its_channel),
                                     cmocka_unit_test(every_hop_of_a_chosen_path_has_its_channel),
                                     cmocka_unit_test(adaptive_packets_on_their_candidate),
                                     cmocka_unit_test(approaches_are_the_rows_of_table_1),
                                     cmocka_unit_test(experiments_pair_approaches_with_their_weights),
                                     cmocka_unit_test(no_rule_deadlocks),
                                     cmocka_unit_test(classes_share_what_the_fourth_channel_leaves)};
  return cmocka_run_group_tests_name("reprioritise", tests, NULL, NULL);
}
