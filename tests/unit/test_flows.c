/* test_flows.c - selection functions that spread flows and packets, against exact distributions that are computed here:
 * the largest of k counts when n flows choose by hash, polarisation, what a failed candidate moves, rounds that are
 * dealt out, the less loaded of two, flowlets. */
#include <math.h>
#include <string.h>

#include "base/registry.h"
#include "ripstop/plugin/agent.h"
#include "ripstop/plugin/selection.h"
#include "scene.h"

/* ------------------------------------------------------------------ one call */

typedef struct function {
  const ripstop_selection *self;
  ripstop_arena *arena;
  void *config, *state;
} function;

static ripstop_plugin selection_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_selections[i]); }

static function open_function(const char *spec, uint32_t ports) {
  static const ripstop_registry registry = {"selection", RIPSTOP_SELECTION_ABI, selection_at};
  ripstop_error err;
  function f = {.arena = ripstop_arena_new()};
  f.self = ripstop_registry_open(&registry, f.arena, spec, &f.config, &err);
  if (!f.self) fail_msg("%s", err.text);
  if (f.self->state_size) f.state = ripstop_arena_array(f.arena, f.self->state_size(f.config, ports), 1);
  return f;
}

static void close_function(const function *f) { ripstop_arena_free(f->arena); }

enum { MOST = 16, PORTS = 40, FIRST_UP = 20 };

/* The ports FIRST_UP .. FIRST_UP + candidates - 1, all open, of which `missing` have failed. Returns the port. */
static uint32_t choose_port(const function *f, uint32_t candidates, uint32_t missing, ripstop_choosing c) {
  static const int64_t no_load[MOST];
  ripstop_candidate candidate[MOST];
  uint8_t open[MOST];
  for (uint32_t i = 0; i < candidates; i++)
    if (!(missing >> i & 1)) {
      candidate[c.count] = (ripstop_candidate){.port = (uint16_t)(FIRST_UP + i)};
      open[c.count] = (uint8_t)c.count;
      c.count++;
    }
  c.candidate = candidate;
  c.open = open;
  c.ports = PORTS;
  c.state = f->state;
  if (!c.load) c.load = no_load;
  const uint32_t position = f->self->choose(f->config, &c);
  assert_true(position < c.count);
  return candidate[position].port - FIRST_UP;
}

/* ------------------------------------------------------------------ the largest of k counts */

/* P(the largest of k counts of n balls is at most m): n! / k^n times the coefficient of x^n in (sum of x^j / j! for j
 * up to m) to the k. */
static double at_most(uint32_t n, uint32_t k, uint32_t m) {
  double sum[64] = {1}, next[64], share = 1;
  for (uint32_t bin = 0; bin < k; bin++) {
    for (uint32_t i = 0; i <= n; i++) {
      double term = 1;
      next[i] = 0;
      for (uint32_t j = 0; j <= m && j <= i; term /= ++j) next[i] += sum[i - j] * term;
    }
    memcpy(sum, next, (n + 1) * sizeof *sum);
  }
  for (uint32_t i = 1; i <= n; i++) share *= (double)i / k;
  return sum[n] * share;
}

/* Flows from end nodes i of one switch to distant end nodes; each sample has other destinations. */
static uint32_t largest_count(const function *f, uint32_t n, uint32_t k, uint32_t sample) {
  uint32_t count[MOST] = {0}, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ripstop_choosing c = {
        .seed = 7, .node = 1000 + sample % 50, .source = i, .destination = 64 + 41 * sample + i};
    const uint32_t now = ++count[choose_port(f, k, 0, c)];
    if (now > most) most = now;
  }
  return most;
}

static void the_largest_count_is_as_it_should_be(void **state) {
  (void)state;
  static const uint32_t cases[][2] = {{4, 4}, {8, 8}, {8, 4}, {16, 16}, {32, 16}, {16, 4}};
  enum { SAMPLES = 20000 };
  for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
    const uint32_t n = cases[at][0], k = cases[at][1];
    uint32_t seen[64] = {0};
    function f = open_function("ecmp", PORTS);
    for (uint32_t i = 0; i < SAMPLES; i++) seen[largest_count(&f, n, k, i)]++;
    for (uint32_t m = 1; m <= n; m++) {
      const double share = at_most(n, k, m) - at_most(n, k, m - 1),
                   error = 4.5 * sqrt(SAMPLES * share * (1 - share)) + 1;
      if (fabs(seen[m] - SAMPLES * share) > error)
        fail_msg("%u flows, %u candidates: %u times %u, %.1f +- %.1f expected", n, k, seen[m], m, SAMPLES * share,
                 error);
    }
    close_function(&f);
  }
}

/* The closed form itself: 4 flows and 4 candidates have 4! / 4^4 = 0.09375 for 1, and 4 / 4^4 for 4. */
static void the_expectation_is_right(void **state) {
  (void)state;
  assert_true(fabs(at_most(4, 4, 1) - 0.09375) < 1e-12 && fabs(at_most(4, 4, 4) - 1) < 1e-12);
  assert_true(fabs(1 - at_most(4, 4, 3) - 4.0 / 256) < 1e-12);
}

/* ------------------------------------------------------------------ switches and failures */

enum { FLOWS = 40000, WAYS = 4 };

static uint32_t pick_of(const function *f, uint32_t node, uint32_t flow, uint32_t missing) {
  return choose_port(f, WAYS, missing,
                     (ripstop_choosing){.seed = 3, .node = node, .source = flow % 97, .destination = flow});
}

static void assert_share(uint32_t count, uint32_t all, double share) {
  const double error = 4.5 * sqrt(all * share * (1 - share));
  if (fabs(count - all * share) > error) fail_msg("%u of %u: %.1f +- %.1f expected", count, all, all * share, error);
}

/* Two switches choose independently, or with seed=same alike for every flow. */
static void switches_choose_independently_or_alike(void **state) {
  (void)state;
  function each = open_function("ecmp:seed=each", PORTS), same = open_function("ecmp:seed=same", PORTS);
  uint32_t count[WAYS][WAYS] = {{0}};
  for (uint32_t flow = 0; flow < FLOWS; flow++) {
    count[pick_of(&each, 500, flow, 0)][pick_of(&each, 501, flow, 0)]++;
    assert_int_equal(pick_of(&same, 500, flow, 0), pick_of(&same, 501, flow, 0));
  }
  for (int a = 0; a < WAYS; a++)
    for (int b = 0; b < WAYS; b++) assert_share(count[a][b], FLOWS, 1.0 / (WAYS * WAYS));
  close_function(&each), close_function(&same);
}

/* Whichever candidate fails: its flows spread evenly over the others, and no other flow moves. */
static void a_failed_way_moves_its_own_flows(void **state) {
  (void)state;
  function f = open_function("ecmp", PORTS);
  for (uint32_t failed = 0; failed < WAYS; failed++) {
    uint32_t to[WAYS] = {0}, moved = 0;
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
      const uint32_t before = pick_of(&f, 9, flow, 0), after = pick_of(&f, 9, flow, 1u << failed);
      if (before != failed) assert_int_equal(before, after);
      moved += before == failed;
      to[after] += before == failed;
    }
    assert_share(moved, FLOWS, 1.0 / WAYS);
    for (uint32_t i = 0; i < WAYS; i++) assert_share(to[i], moved, i == failed ? 0 : 1.0 / (WAYS - 1));
  }
  close_function(&f);
}

/* Packets of a pair with different messages are one flow, or with fields=message several. */
static void a_flow_is_a_pair_or_a_message(void **state) {
  (void)state;
  function pair = open_function("ecmp", PORTS), message = open_function("ecmp:fields=message", PORTS);
  uint32_t count[2][WAYS] = {{0}};
  for (uint32_t i = 0; i < FLOWS; i++) {
    const ripstop_choosing c = {.node = 4, .source = 1, .destination = 2, .message = i};
    count[0][choose_port(&pair, WAYS, 0, (ripstop_choosing){.node = 4, .source = 1, .destination = 2})]++;
    count[1][choose_port(&message, WAYS, 0, c)]++;
  }
  for (int i = 0; i < WAYS; i++) {
    assert_true(count[0][i] == 0 || count[0][i] == FLOWS);
    assert_share(count[1][i], FLOWS, 1.0 / WAYS);
  }
  assert_int_equal(pair.self->traits(pair.config), RIPSTOP_SELECTION_BINDS);
  assert_int_equal(message.self->traits(message.config), RIPSTOP_SELECTION_BINDS | RIPSTOP_SELECTION_MESSAGE);
  close_function(&pair), close_function(&message);
}

/* ------------------------------------------------------------------ deal */

/* Each round of an input has every port once, and each of the 24 orders is as likely. */
static void every_round_is_a_random_order(void **state) {
  (void)state;
  enum { ROUNDS = 24000, ORDERS = 256 };
  function f = open_function("deal", PORTS);
  uint32_t seen[ORDERS] = {0}, orders = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint32_t order = 0, dealt = 0;
    for (uint32_t i = 0; i < WAYS; i++) {
      const uint32_t candidate =
          choose_port(&f, WAYS, 0, (ripstop_choosing){.in_port = 3, .seed = 1, .serial = round * WAYS + i});
      dealt |= 1u << candidate;
      order = order * WAYS + candidate;
    }
    assert_int_equal(dealt, (1u << WAYS) - 1);
    seen[order]++;
  }
  for (int i = 0; i < ORDERS; i++) {
    if (!seen[i]) continue;
    orders++;
    assert_share(seen[i], ROUNDS, 1.0 / 24);
  }
  assert_int_equal(orders, 24);
  close_function(&f);
}

/* Inputs have rounds of their own, and so have packets that may take other ports. */
static void rounds_are_of_an_input_and_of_its_ports(void **state) {
  (void)state;
  function f = open_function("deal", PORTS);
  for (uint32_t round = 0; round < 200; round++) {
    uint32_t dealt[3] = {0};
    for (uint32_t i = 0; i < 2; i++) {
      const ripstop_choosing one = {.in_port = 3, .serial = round * 6 + i},
                             other = {.in_port = 39, .serial = round * 6 + 2 + i};
      dealt[0] |= 1u << choose_port(&f, 4, 0xc, one); /* candidates 0 and 1 */
      dealt[1] |= 1u << choose_port(&f, 4, 0x3, one); /* candidates 2 and 3 of the same input */
      dealt[2] |= 1u << choose_port(&f, 4, 0xc, other);
    }
    assert_true(dealt[0] == 3 && dealt[1] == 0xc && dealt[2] == 3);
  }
  close_function(&f);
}

/* ------------------------------------------------------------------ loads */

/* The r-th least loaded of k is taken where the other of two is a more loaded one: with probability (k - r) / (k over
 * 2), r from 1. */
static void two_takes_the_less_loaded(void **state) {
  (void)state;
  function f = open_function("two", PORTS);
  static const int64_t load[WAYS] = {30, 10, 40, 20};
  static const uint32_t place[WAYS] = {2, 0, 3, 1};
  uint32_t count[WAYS] = {0};
  for (uint32_t i = 0; i < FLOWS; i++)
    count[place[choose_port(&f, WAYS, 0, (ripstop_choosing){.load = load, .serial = i})]]++;
  for (uint32_t i = 0; i < WAYS; i++) assert_share(count[i], FLOWS, (WAYS - 1.0 - i) / (WAYS * (WAYS - 1) / 2));
  close_function(&f);
}

static void a_flowlet_stays_until_a_gap(void **state) {
  (void)state;
  function f = open_function("flowlet:gap=10,size=64", PORTS);
  const int64_t first[WAYS] = {5, 1, 7, 9}, later[WAYS] = {5, 8, 7, 2};
  ripstop_choosing c = {.node = 7, .source = 1, .destination = 2, .load = first};
  assert_int_equal(choose_port(&f, WAYS, 0, c), 1);
  c.load = later;
  for (c.cycle = 9; c.cycle < 100; c.cycle += 9) assert_int_equal(choose_port(&f, WAYS, 0, c), 1);
  c.cycle += 1; /* 10 cycles since the last packet */
  assert_int_equal(choose_port(&f, WAYS, 0, c), 3);
  c.load = first;
  c.cycle += 1;
  assert_int_equal(choose_port(&f, WAYS, 0, c), 3);
  assert_int_equal(choose_port(&f, WAYS, 1u << 3, c), 1); /* its candidate has failed */
  close_function(&f);
}

/* In a table of one entry all flows share their candidate; in a large one they do not. */
static void flows_of_one_entry_share_their_way(void **state) {
  (void)state;
  const int64_t loads[WAYS][WAYS] = {{0, 9, 9, 9}, {9, 0, 9, 9}, {9, 9, 0, 9}, {9, 9, 9, 0}};
  function small = open_function("flowlet:gap=1000000,size=1", PORTS),
           large = open_function("flowlet:gap=1000000,size=4096", PORTS);
  uint32_t own = 0;
  for (uint32_t flow = 0; flow < 40; flow++) {
    const ripstop_choosing c = {.source = flow, .destination = 50, .load = loads[flow % WAYS], .cycle = flow};
    assert_int_equal(choose_port(&small, WAYS, 0, c), 0);
    own += choose_port(&large, WAYS, 0, c) == flow % WAYS;
  }
  assert_in_range(own, 37, 40);
  close_function(&small), close_function(&large);
}

static void least_load_wins(void **state) {
  (void)state;
  function f = open_function("space:counts=port", PORTS);
  const int64_t load[WAYS] = {30, 10, 40, 10};
  uint32_t count[WAYS] = {0};
  for (uint32_t i = 0; i < FLOWS; i++) count[choose_port(&f, WAYS, 0, (ripstop_choosing){.load = load, .serial = i})]++;
  assert_true(count[0] == 0 && count[2] == 0);
  assert_share(count[1], FLOWS, 0.5);
  close_function(&f);
}

/* ------------------------------------------------------------------ in the engine */

/* Links of each tier's switches upwards that carry anything, of a 4-ary 3-tree: "link-use.0/0.0/4>1/0.0". */
static void count_up_links(const ripstop_run_result *r, uint32_t used[2]) {
  used[0] = used[1] = 0;
  for (size_t i = 0; i < r->values; i++) {
    unsigned from, to;
    if (strncmp(r->value[i].name, "link-use.", 9) != 0) continue;
    const char *beyond = strchr(r->value[i].name, '>');
    if (!beyond || sscanf(r->value[i].name + 9, "%u/", &from) != 1 || sscanf(beyond, ">%u/", &to) != 1) continue;
    if (to == from + 1 && r->value[i].value > 0) used[from]++;
  }
}

/* With one hash in all switches a switch of the second tier gets only flows that chose the same candidate below it, and
 * uses exactly 1 of its 4 candidates up; with a hash of its own it uses all. */
static void polarise(const char *queues) {
  scene *s = scene_open("kary-ntree:k=4,n=3", "updown", "load=0.4 packet=2 cycles=6000 links=on");
  uint32_t used[2];
  scene_set(s, queues);
  s->sim.switch_.selection = "ecmp:seed=same";
  ripstop_run_result r = scene_run(s);
  count_up_links(&r, used);
  assert_int_equal(used[0], 64);
  assert_int_equal(used[1], 16);
  ripstop_run_result_free(&r);
  s->sim.switch_.selection = "ecmp";
  r = scene_run(s);
  count_up_links(&r, used);
  assert_int_equal(used[0], 64);
  assert_int_equal(used[1], 64);
  ripstop_run_result_free(&r);
  scene_close(s);
}

static void one_hash_polarises(void **state) {
  (void)state;
  polarise("queues=input");
  polarise("queues=voq");
}

/* Packets of a pair keep their order under `ecmp`, at any load and also where a link fails, and not under `deal`. */
static uint32_t overtaking(const scene *s) {
  uint32_t late = 0;
  for (size_t i = 0; i < s->deliveries; i++)
    for (size_t k = i + 1; k < s->deliveries; k++)
      late += s->delivered[k].source == s->delivered[i].source &&
              s->delivered[k].destination == s->delivered[i].destination &&
              s->delivered[k].packet < s->delivered[i].packet;
  return late;
}

static void keep_order(const char *queues) {
  scene *s = scene_open("kary-ntree:k=3,n=3", "updown", "load=0.7 packet=3 cycles=1500 in_queue=8 pattern=permutation");
  scene_set(s, queues);
  s->sim.switch_.selection = "ecmp";
  ripstop_run_result r = scene_run(s);
  assert_true(s->deliveries > 1000);
  assert_int_equal(overtaking(s), 0);
  ripstop_run_result_free(&r);
  s->sim.switch_.selection = "deal";
  r = scene_run(s);
  assert_true(overtaking(s) > 0);
  ripstop_run_result_free(&r);
  scene_close(s);
}

static void flows_stay_in_order(void **state) {
  (void)state;
  keep_order("queues=input");
  keep_order("queues=voq");
}

/* Sends packets from the first end node to the last, each of another message. */
static void send_messages(void *context, ripstop_agent_context *on) {
  const ripstop_fabric *f = context;
  for (uint64_t i = 1; i <= 64; i++)
    ripstop_agent_send(on, &(ripstop_agent_packet){.destination = f->ends - 1, .flits = 2, .message = i});
}

/* The up links of the first switch that carry anything. */
static uint32_t up_links_for(const char *selection) {
  scene *s = scene_open("kary-ntree:k=4,n=2", "updown", "cycles=2000 links=on");
  const ripstop_agent agent = {.classes = 1, .shortest = 2, .longest = 2, .start = send_messages, .context = s->fabric};
  uint32_t used[2];
  s->sim.switch_.selection = selection;
  s->sim.agent = &agent;
  s->sim.agents = 1;
  ripstop_run_result r = scene_run(s);
  assert_int_equal(r.account.delivered, 64);
  count_up_links(&r, used);
  ripstop_run_result_free(&r);
  scene_close(s);
  return used[0];
}

static void messages_of_agents_are_flows(void **state) {
  (void)state;
  assert_int_equal(up_links_for("ecmp"), 1);
  assert_int_equal(up_links_for("ecmp:fields=message"), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_expectation_is_right),
                                     cmocka_unit_test(the_largest_count_is_as_it_should_be),
                                     cmocka_unit_test(switches_choose_independently_or_alike),
                                     cmocka_unit_test(a_failed_way_moves_its_own_flows),
                                     cmocka_unit_test(a_flow_is_a_pair_or_a_message),
                                     cmocka_unit_test(every_round_is_a_random_order),
                                     cmocka_unit_test(rounds_are_of_an_input_and_of_its_ports),
                                     cmocka_unit_test(two_takes_the_less_loaded),
                                     cmocka_unit_test(a_flowlet_stays_until_a_gap),
                                     cmocka_unit_test(flows_of_one_entry_share_their_way),
                                     cmocka_unit_test(least_load_wins),
                                     cmocka_unit_test(one_hash_polarises),
                                     cmocka_unit_test(flows_stay_in_order),
                                     cmocka_unit_test(messages_of_agents_are_flows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
