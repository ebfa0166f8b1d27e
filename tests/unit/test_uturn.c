/* test_uturn.c - the method uturn and its core methods/shared/uturn.c, beyond what every method is held to:
 *
 *   the table of docs/methods/uturn.md: how many fault sets deadlock under each combination of channel, return channel
 *   and order; every deadlock's certificate is confirmed by the checker, and the engine stands still in it
 *   with the cyclic order and no extra channel even the plain channel dependency graph has no cycle (igraph), with the
 *   lowest it has
 *   the original path: what a switch computes from its own digits against the path that was walked without faults
 *   the steps: channels and ports of one packet that meets a failed link upward and one downward, as in the paper's
 *   Figure 1 */
#include <igraph/igraph.h>

#include "conformance/trial.h"
#include "methods/shared/uturn.h"
#include "ripstop/plugin/method.h"
#include "walks.h"

/* ------------------------------------------------------------------ many sets */

typedef void each_set(const ripstop_plan *plan, const ripstop_faults *faults, void *context);

static void for_all_sets(const char *fabric_spec, const char *method, uint32_t count, each_set *act, void *context) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_combinations sets;
  ripstop_combinations_first(arena, ripstop_faults_population(fabric, RIPSTOP_FAULTS_SWITCH_LINKS), count, &sets);
  do {
    ripstop_faults faults;
    ripstop_faults_from_parts(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, sets.part, sets.count, &faults);
    ripstop_view *view = ripstop_view_new(fabric, &faults);
    ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
    if (!plan) fail_msg("%s", err.text);
    act(plan, &faults, context);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
  } while (ripstop_combinations_next(&sets));
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ safe and unsafe combinations */

typedef struct tally {
  ripstop_prover *prover;
  uint32_t sets, deadlocked;
} tally;

/* Writes and reads the certificate of a deadlock, checks it, and loads its queues into the engine. */
static void confirm(const ripstop_plan *plan, const ripstop_proof *proof) {
  trial t = {.plan = (ripstop_plan *)plan, .proof = *proof};
  ripstop_certificate *c = trial_certificate(&t);
  ripstop_standstill still;
  ripstop_error err;
  trial_expect(c, RIPSTOP_CONFIRMED);
  if (trial_load(c, "in_queue=2 packet=3", &still, &err)) fail_msg("%s", err.text);
  assert_true(still.packets >= c->queues && still.events == 0 && still.exact);
  ripstop_certificate_free(c);
}

static void prove_one(const ripstop_plan *plan, const ripstop_faults *faults, void *context) {
  tally *n = context;
  ripstop_proof proof;
  ripstop_error err;
  (void)faults;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  assert_true(proof.tolerated && proof.livelock_free);
  if (!proof.deadlock_free && n->deadlocked % 8 == 0) confirm(plan, &proof);
  n->sets++;
  n->deadlocked += !proof.deadlock_free;
  ripstop_prover_free(prover);
}

static void the_table_of_combinations(void **state) {
  (void)state;
  static const char *const orders[] = {"cyclic", "lowest", "digit", "any"};
  static const struct {
    const char *fabric, *options;
    uint32_t count, sets, deadlocked[4]; /* by order */
  } rows[] = {
      {"kary-ntree:k=3,n=2", "extra_channel=on,return_channel=extra", 2, 36, {0, 0, 0, 0}},
      {"kary-ntree:k=3,n=2", "extra_channel=on,return_channel=normal", 2, 36, {0, 3, 0, 0}},
      {"kary-ntree:k=3,n=2", "extra_channel=off", 2, 36, {0, 3, 0, 0}},
      {"kary-ntree:k=4,n=2", "extra_channel=on,return_channel=extra", 3, 560, {0, 0, 0, 0}},
      {"kary-ntree:k=4,n=2", "extra_channel=on,return_channel=normal", 3, 560, {0, 80, 48, 0}},
      {"kary-ntree:k=4,n=2", "extra_channel=off", 3, 560, {0, 152, 288, 0}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t o = 0; o < 4; o++) {
      char method[128];
      tally n = {0};
      snprintf(method, sizeof method, "uturn:%s,uturn_order=%s", rows[i].options, orders[o]);
      for_all_sets(rows[i].fabric, method, rows[i].count, prove_one, &n);
      assert_int_equal(n.sets, rows[i].sets);
      if (n.deadlocked != rows[i].deadlocked[o])
        fail_msg("%s on %s: %u sets deadlock, not %u", method, rows[i].fabric, n.deadlocked, rows[i].deadlocked[o]);
    }
}

/* The choice of the up link that replaces a failed one makes no safe combination unsafe. */
static void another_order_upward_is_as_safe(void **state) {
  (void)state;
  static const char *const orders[] = {"cyclic", "lowest", "digit", "any"};
  static const uint32_t deadlocked[] = {0, 152, 275, 0};
  for (size_t o = 0; o < 4; o++) {
    char method[128];
    tally extra = {0}, none = {0};
    snprintf(method, sizeof method, "uturn:up_order=spread,uturn_order=%s", orders[o]);
    for_all_sets("kary-ntree:k=4,n=2", method, 3, prove_one, &extra);
    assert_int_equal(extra.deadlocked, 0);
    snprintf(method, sizeof method, "uturn:up_order=spread,extra_channel=off,uturn_order=%s", orders[o]);
    for_all_sets("kary-ntree:k=4,n=2", method, 3, prove_one, &none);
    assert_int_equal(none.deadlocked, deadlocked[o]);
  }
}

/* If up port 4 + 0 of a leaf is down, `next` sends everything through the next port, `spread` through all others. */
static void spread_uses_all_others(void **state) {
  (void)state;
  static const struct {
    const char *method;
    uint32_t ports; /* the ports that replace the failed one */
  } cases[] = {{"uturn", 1}, {"uturn:up_order=spread", 3}};
  for (size_t i = 0; i < 2; i++) {
    trial *t = trial_open("kary-ntree:k=4,n=3", cases[i].method, "0/0.0/4");
    const uint32_t leaf = t->fabric->port_node[t->fabric->peer[t->fabric->port_base[0]]];
    uint32_t taken[8] = {0}, used = 0;
    for (uint32_t in = 0; in < 4; in++)
      for (uint32_t d = 4; d < 64; d += 4) { /* whose lowest digit is 0 */
        ripstop_candidate candidate[RIPSTOP_UTURN_HOPS_MAX];
        ripstop_head head = {.node = leaf, .in_port = in, .source = in, .destination = d};
        assert_int_equal(ripstop_route(t->plan, &head, candidate), 1);
        assert_in_range(candidate[0].port, 5, 7);
        assert_int_equal(candidate[0].marks, RIPSTOP_MARK_UP);
        taken[candidate[0].port]++;
      }
    for (uint32_t port = 5; port < 8; port++) used += taken[port] > 0;
    assert_int_equal(used, cases[i].ports);
    for (uint32_t port = 5; port < 8 && used == 3; port++)
      assert_in_range(taken[port], 12, 28); /* a third of 60: 20 +- 2.2 s.d. */
    trial_close(t);
  }
}

/* Trees that are too large for test_guarantees.c. */
static void larger_trees(void **state) {
  (void)state;
  tally five = {0}, three = {0};
  for_all_sets("kary-ntree:k=2,n=5", "uturn", 1, prove_one, &five);
  for_all_sets("kary-ntree:k=4,n=3", "uturn", 1, prove_one, &three);
  assert_int_equal(five.sets, 128);
  assert_int_equal(three.sets, 128);
  assert_int_equal(five.deadlocked + three.deadlocked, 0);
  for (uint32_t i = 0; i < 40; i++) {
    trial *t = trial_sample("kary-ntree:k=4,n=3", i % 2 ? "uturn" : "uturn:extra_channel=off", 2 + i / 2 % 2, i);
    assert_true(t->proved && t->proof.tolerated && t->proof.livelock_free && t->proof.deadlock_free);
    trial_close(t);
  }
}

/* ------------------------------------------------------------------ channel dependency graph */

typedef struct edges {
  const walker *w;
  igraph_vector_int_t list;
} edges;

/* From the queue of each state that the last walk met to the queues that it may go on to. */
static void add_dependencies(edges *e) {
  const walker *w = e->w;
  for (uint32_t i = 1; i < w->states; i++)
    for (uint32_t k = 0; k < w->state[i].candidates; k++) {
      uint32_t to = w->candidate[w->state[i].candidate + k];
      if (to == RIPSTOP_NONE) continue;
      igraph_vector_int_push_back(&e->list, w->state[i].queue);
      igraph_vector_int_push_back(&e->list, w->state[to].queue);
    }
}

static bool has_cycle(const ripstop_plan *plan) {
  const ripstop_fabric *f = plan->fabric;
  walker *w = walker_new(plan);
  edges e = {.w = w};
  igraph_t graph;
  igraph_bool_t acyclic;
  igraph_vector_int_init(&e.list, 0);
  for (uint32_t s = 0; s < f->ends; s++)
    for (uint32_t d = 0; d < f->ends; d++) {
      if (s == d) continue;
      walk_pair(w, s, d);
      add_dependencies(&e);
    }
  igraph_create(&graph, &e.list, f->ports * plan->channels, IGRAPH_DIRECTED);
  igraph_is_dag(&graph, &acyclic);
  igraph_destroy(&graph);
  igraph_vector_int_destroy(&e.list);
  walker_free(w);
  return !acyclic;
}

static void count_cycle(const ripstop_plan *plan, const ripstop_faults *faults, void *context) {
  uint32_t *cycles = context;
  (void)faults;
  *cycles += has_cycle(plan);
}

static void cyclic_order_needs_no_channel(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t count;
  } cases[] = {{"kary-ntree:k=2,n=3", 1}, {"kary-ntree:k=2,n=4", 1}, {"kary-ntree:k=3,n=2", 1},
               {"kary-ntree:k=3,n=2", 2}, {"kary-ntree:k=4,n=2", 3}, {"kary-ntree:k=3,n=3", 1},
               {"mport-ntree:m=4,n=3", 1}};
  uint32_t cycles = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for_all_sets(cases[i].fabric, "uturn:extra_channel=off", cases[i].count, count_cycle, &cycles);
  assert_int_equal(cycles, 0);
  for_all_sets("kary-ntree:k=3,n=2", "uturn:extra_channel=off,uturn_order=lowest", 2, count_cycle, &cycles);
  assert_int_equal(cycles, 9); /* three of them can deadlock */
  cycles = 0;                  /* in any order it is the choice alone that keeps from deadlock */
  for_all_sets("kary-ntree:k=3,n=2", "uturn:extra_channel=off,uturn_order=any", 2, count_cycle, &cycles);
  assert_int_equal(cycles, 27);
}

/* ------------------------------------------------------------------ the original path */

enum { PATH_MAX_NODES = 16 };

typedef struct path {
  uint32_t node[PATH_MAX_NODES], nodes;
} path;

/* The path of a packet without faults. */
static path walk_plainly(const ripstop_plan *whole, uint32_t source, uint32_t destination) {
  const ripstop_fabric *f = whole->fabric;
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  path p = {.node = {source}, .nodes = 1};
  while (head.node != destination) {
    ripstop_candidate candidate[RIPSTOP_UTURN_HOPS_MAX];
    assert_int_equal(ripstop_route(whole, &head, candidate), 1);
    uint32_t in = f->peer[f->port_base[head.node] + candidate[0].port];
    head.node = f->port_node[in];
    head.in_port = in - f->port_base[head.node];
    assert_true(p.nodes < PATH_MAX_NODES);
    p.node[p.nodes++] = head.node;
  }
  return p;
}

static uint32_t place_in(const path *p, uint32_t node) {
  for (uint32_t i = 0; i < p->nodes; i++)
    if (p->node[i] == node) return i;
  return RIPSTOP_NONE;
}

typedef struct pairs {
  const ripstop_plan *whole;
  uint64_t on, off, met_again; /* heads */
} pairs;

/* One head that can be met: the core's answer against the walked path. */
static void compare_head(pairs *n, const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head,
                         const path *original) {
  const ripstop_fabric *f = plan->fabric;
  ripstop_uturn_hop hop[RIPSTOP_UTURN_HOPS_MAX];
  int hops = ripstop_uturn_hops(plan, u, head, hop);
  bool turns = !ripstop_is_end(f, head->node) && ripstop_tree_is_up(&u->tree, head->node, head->in_port) &&
               !ripstop_tree_above(&u->tree, head->node, head->destination);
  bool on = ripstop_uturn_on_original_path(plan, u, head);
  uint32_t place = place_in(original, head->node);
  assert_int_equal(on, place != RIPSTOP_NONE && !turns);
  for (int i = 0; i < hops; i++) {
    uint32_t next = f->port_node[f->peer[f->port_base[head->node] + hop[i].port]];
    bool original_link = on && (hop[i].step == RIPSTOP_UTURN_PLAIN || hop[i].step == RIPSTOP_UTURN_FALL);
    bool follows = place != RIPSTOP_NONE && !turns && place + 1 < original->nodes && original->node[place + 1] == next;
    assert_int_equal(original_link, follows);
  }
  n->on += on;
  n->off += !on;
  n->met_again += on && hops > 0 && hop[0].step == RIPSTOP_UTURN_FALL;
}

static void compare_paths(const ripstop_plan *plan, const ripstop_faults *faults, void *context) {
  const ripstop_fabric *f = plan->fabric;
  pairs *n = context;
  (void)faults;
  ripstop_error err;
  ripstop_uturn u;
  assert_int_equal(
      ripstop_uturn_prepare((ripstop_plan *)plan, "test", RIPSTOP_UTURN_CYCLIC, RIPSTOP_UTURN_UP_NEXT, 1, &u, &err),
      RIPSTOP_APPLIES);
  walker *w = walker_new(plan);
  ripstop_view *healthy = ripstop_view_new(f, NULL);
  ripstop_plan *whole = ripstop_plan_compile(healthy, "uturn", NULL, &err);
  if (!whole) fail_msg("%s", err.text);
  for (uint32_t s = 0; s < f->ends; s++)
    for (uint32_t d = 0; d < f->ends; d++) {
      if (s == d) continue;
      path original = walk_plainly(whole, s, d);
      walk_pair(w, s, d);
      for (uint32_t i = 0; i < w->states; i++) {
        ripstop_head head = walk_head(w, &w->state[i]);
        compare_head(n, plan, &u, &head, &original);
      }
    }
  walker_free(w);
  ripstop_plan_free(whole);
  ripstop_view_free(healthy);
}

static void the_original_path_is_known(void **state) {
  (void)state;
  pairs n = {0};
  for_all_sets("kary-ntree:k=2,n=3", "uturn", 2, compare_paths, &n);
  for_all_sets("kary-ntree:k=2,n=4", "uturn", 1, compare_paths, &n);
  for_all_sets("kary-ntree:k=3,n=2", "uturn", 3, compare_paths, &n);
  for_all_sets("mport-ntree:m=4,n=3", "uturn", 1, compare_paths, &n);
  assert_true(n.on > 100000 && n.off > 10000);
  assert_true(n.met_again > 0); /* a packet that left it upward, and whose U-turn leads back to it */
}

/* ------------------------------------------------------------------ one packet */

typedef struct leg {
  const char *node;
  uint32_t port;
  uint8_t channel, marks;
  ripstop_uturn_step step;
  bool original; /* the node is on the original path */
} leg;

/* The path of a packet with no choice but the port by which it is sent AWAY; it takes the candidate with this number
 * there. */
static void follow(const char *faults, const char *source, const char *destination, int selection, const leg *legs,
                   uint32_t count) {
  trial *t = trial_open("kary-ntree:k=4,n=3", "uturn", faults);
  const ripstop_fabric *f = t->fabric;
  ripstop_names *names = ripstop_names_new(f);
  ripstop_uturn u;
  assert_int_equal(ripstop_uturn_prepare(t->plan, "test", RIPSTOP_UTURN_CYCLIC, RIPSTOP_UTURN_UP_NEXT, 1, &u, &t->err),
                   RIPSTOP_APPLIES);
  ripstop_head head = {.node = ripstop_names_end(names, source, strlen(source)), .in_port = RIPSTOP_NONE};
  head.source = head.node;
  head.destination = ripstop_names_end(names, destination, strlen(destination));
  for (uint32_t i = 0; i < count; i++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_candidate candidate[RIPSTOP_UTURN_HOPS_MAX];
    ripstop_uturn_hop hop[RIPSTOP_UTURN_HOPS_MAX];
    int candidates = ripstop_route(t->plan, &head, candidate), hops = ripstop_uturn_hops(t->plan, &u, &head, hop);
    int taken = legs[i].step == RIPSTOP_UTURN_AWAY ? selection : 0;
    ripstop_node_name(f, head.node, name);
    assert_string_equal(name, legs[i].node);
    assert_int_equal(candidates, hops);
    assert_true(legs[i].step == RIPSTOP_UTURN_AWAY ? candidates > taken : candidates == 1);
    assert_int_equal(candidate[taken].port, legs[i].port);
    assert_int_equal(candidate[taken].channel, legs[i].channel);
    assert_int_equal(candidate[taken].marks, legs[i].marks);
    assert_int_equal(hop[taken].step, legs[i].step);
    assert_int_equal(ripstop_uturn_on_original_path(t->plan, &u, &head), legs[i].original);
    uint32_t in = f->peer[f->port_base[head.node] + candidate[taken].port];
    head.node = f->port_node[in];
    head.in_port = in - f->port_base[head.node];
    head.channel = candidate[taken].channel;
    head.header = candidate[taken].header;
  }
  assert_int_equal(head.node, head.destination);
  assert_int_equal(head.header, 0);
  ripstop_names_free(names);
  trial_close(t);
}

static void a_packet_on_its_candidate(void **state) {
  (void)state;
  enum { UP = RIPSTOP_MARK_UP, DOWN = RIPSTOP_MARK_DOWN };
  static const leg plain[] = {
      {"0.0.0", 0, 0, 0, RIPSTOP_UTURN_PLAIN, true}, {"0/0.0", 5, 0, 0, RIPSTOP_UTURN_PLAIN, true},
      {"1/0.1", 6, 0, 0, RIPSTOP_UTURN_PLAIN, true}, {"2/2.1", 3, 0, 0, RIPSTOP_UTURN_PLAIN, true},
      {"1/3.1", 2, 0, 0, RIPSTOP_UTURN_PLAIN, true}, {"0/3.2", 1, 0, 0, RIPSTOP_UTURN_PLAIN, true}};
  follow("", "0.0.0", "3.2.1", 0, plain, 6);
  /* Figure 1: one failed link upward, one at the top downward. It is back on its path at 1/3.1. */
  static const leg both[] = {
      {"0.0.0", 0, 0, 0, RIPSTOP_UTURN_PLAIN, true},    {"0/0.0", 5, 0, 0, RIPSTOP_UTURN_PLAIN, true},
      {"1/0.1", 7, 0, UP, RIPSTOP_UTURN_ASIDE, true},   {"2/3.1", 2, 0, DOWN, RIPSTOP_UTURN_AWAY, false},
      {"1/2.1", 4, 1, DOWN, RIPSTOP_UTURN_RISE, false}, {"2/0.1", 3, 1, DOWN, RIPSTOP_UTURN_FALL, false},
      {"1/3.1", 2, 0, 0, RIPSTOP_UTURN_PLAIN, true},    {"0/3.2", 1, 0, 0, RIPSTOP_UTURN_PLAIN, true}};
  follow("1/0.1/6 1/3.1/7", "0.0.0", "3.2.1", 2, both, 8);
  /* Upward at the lowest level: off its path until it is down again there. */
  static const leg aside[] = {
      {"0.0.0", 0, 0, 0, RIPSTOP_UTURN_PLAIN, true},  {"0/0.0", 6, 0, UP, RIPSTOP_UTURN_ASIDE, true},
      {"1/0.2", 6, 0, 0, RIPSTOP_UTURN_PLAIN, false}, {"2/2.2", 3, 0, 0, RIPSTOP_UTURN_PLAIN, false},
      {"1/3.2", 2, 0, 0, RIPSTOP_UTURN_PLAIN, false}, {"0/3.2", 1, 0, 0, RIPSTOP_UTURN_PLAIN, true}};
  follow("0/0.0/5", "0.0.0", "3.2.1", 0, aside, 6);
  /* Two failed links above one switch: one try fails, and the packet comes back. */
  static const leg retry[] = {
      {"0.0.0", 0, 0, 0, RIPSTOP_UTURN_PLAIN, true},    {"0/0.0", 5, 0, 0, RIPSTOP_UTURN_PLAIN, true},
      {"1/0.1", 6, 0, 0, RIPSTOP_UTURN_PLAIN, true},    {"2/2.1", 0, 0, DOWN, RIPSTOP_UTURN_AWAY, true},
      {"1/0.1", 7, 1, DOWN, RIPSTOP_UTURN_RISE, false}, {"2/3.1", 0, 1, DOWN, RIPSTOP_UTURN_BACK, false},
      {"1/0.1", 4, 1, DOWN, RIPSTOP_UTURN_RISE, false}, {"2/0.1", 3, 1, DOWN, RIPSTOP_UTURN_FALL, false},
      {"1/3.1", 2, 0, 0, RIPSTOP_UTURN_PLAIN, true},    {"0/3.2", 1, 0, 0, RIPSTOP_UTURN_PLAIN, true}};
  follow("1/3.1/6 1/3.1/7", "0.0.0", "3.2.1", 0, retry, 10);
}

/* Bits of the header that belong to the method are neither read nor kept. */
static void the_methods_own_bits(void **state) {
  (void)state;
  trial *t = trial_open("kary-ntree:k=4,n=3", "uturn", "1/3.1/6 1/3.1/7");
  ripstop_uturn u;
  assert_int_equal(ripstop_uturn_prepare(t->plan, "test", RIPSTOP_UTURN_CYCLIC, RIPSTOP_UTURN_UP_NEXT, 1, &u, &t->err),
                   RIPSTOP_APPLIES);
  ripstop_names *names = ripstop_names_new(t->fabric);
  static const struct {
    const char *node;
    uint32_t port;
    uint64_t header;
  } heads[] = {{"2/2.1", 0, 0}, {"1/0.1", 6, 0}, {"1/0.1", 7, 4}, {"2/3.1", 0, 4}, {"2/0.1", 0, 12}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    ripstop_uturn_hop plain[RIPSTOP_UTURN_HOPS_MAX], with[RIPSTOP_UTURN_HOPS_MAX];
    ripstop_head head = {.node = ripstop_names_switch(names, heads[i].node, strlen(heads[i].node)),
                         .in_port = heads[i].port,
                         .destination = ripstop_names_end(names, "3.2.1", 5),
                         .header = heads[i].header};
    int hops = ripstop_uturn_hops(t->plan, &u, &head, plain);
    head.header |= UINT64_C(0xff) << RIPSTOP_UTURN_HEADER_BITS;
    assert_int_equal(ripstop_uturn_hops(t->plan, &u, &head, with), hops);
    for (int h = 0; h < hops; h++) {
      assert_int_equal(with[h].header, plain[h].header);
      assert_int_equal(with[h].port, plain[h].port);
      assert_int_equal(with[h].step, plain[h].step);
      assert_int_equal(with[h].header >> RIPSTOP_UTURN_HEADER_BITS, 0);
    }
  }
  ripstop_names_free(names);
  trial_close(t);
}

/* A packet whose try has failed finds the link down by which it came: it came before that one failed. */
static void no_candidate_back(void **state) {
  (void)state;
  trial *t = trial_open("kary-ntree:k=4,n=3", "uturn", "1/3.1/6 1/3.1/7 1/0.1/7");
  ripstop_uturn u;
  ripstop_uturn_hop hop[RIPSTOP_UTURN_HOPS_MAX];
  assert_int_equal(ripstop_uturn_prepare(t->plan, "test", RIPSTOP_UTURN_CYCLIC, RIPSTOP_UTURN_UP_NEXT, 1, &u, &t->err),
                   RIPSTOP_APPLIES);
  ripstop_names *names = ripstop_names_new(t->fabric);
  ripstop_head head = {.node = ripstop_names_switch(names, "2/3.1", 5),
                       .in_port = 0,
                       .destination = ripstop_names_end(names, "3.2.1", 5),
                       .header = 4};
  assert_int_equal(ripstop_uturn_hops(t->plan, &u, &head, hop),
                   2); /* one of four links down leads there, one is down too */
  for (uint16_t h = 0; h < 2; h++) {
    assert_int_equal(hop[h].port, h + 1);
    assert_int_equal(hop[h].step, RIPSTOP_UTURN_AWAY);
    assert_int_equal(hop[h].header, 0);
  }
  ripstop_names_free(names);
  trial_close(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_of_combinations),
                                     cmocka_unit_test(another_order_upward_is_as_safe),
                                     cmocka_unit_test(spread_uses_all_others),
                                     cmocka_unit_test(larger_trees),
                                     cmocka_unit_test(cyclic_order_needs_no_channel),
                                     cmocka_unit_test(the_original_path_is_known),
                                     cmocka_unit_test(a_packet_on_its_candidate),
                                     cmocka_unit_test(the_methods_own_bits),
                                     cmocka_unit_test(no_candidate_back)};
  return cmocka_run_group_tests_name("uturn", tests, NULL, NULL);
}
