/* test_traces_htsim.c - files of htsim: wirings by their closed form, times of flows and triggers to the cycle, and
 * each mistake with its line. */
#include "base/local.h"
#include "fabric/graph.h"
#include "formats/traces/trace_words.h"
#include "run_workload.h"
#include "traces.h"

static void two_tiers_are_a_tree(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("pair.topo");
  demand_sizes(f, 8, 4, 12);
  assert_int_equal(cables_between(f, "h3", "t0"), 1);
  assert_int_equal(cables_between(f, "h4", "t1"), 1);
  assert_int_equal(cables_between(f, "t0", "a1"), 1);
  assert_int_equal(cables_between(f, "t0", "t1"), 0);
  assert_null(f->rate);
  ripstop_fabric_free(f);
}

/* Agg a is joined to the cores (a mod A) + A l: not to neighbouring ones. */
static void three_tiers_join_every_second_core(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("three.topo");
  demand_sizes(f, 16, 20, 48);
  assert_int_equal(cables_between(f, "a1", "c1"), 1);
  assert_int_equal(cables_between(f, "a1", "c3"), 1);
  assert_int_equal(cables_between(f, "a1", "c0"), 0);
  assert_int_equal(cables_between(f, "a2", "c0"), 1);
  ripstop_fabric_free(f);
}

static void bundles_are_parallel_cables_with_their_speed(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("bundles.topo");
  assert_int_equal(cables_between(f, "a0", "c0"), 2);
  assert_int_equal(cables_between(f, "t0", "a2"), 1);
  assert_int_equal(cables_at_rate(f, 500), 48 / 2); /* 200 of 400 Gb/s: the cores' cables */
  ripstop_fabric_free(f);
}

#define HEAD "Nodes 16\nTiers 2\nPodsize 16\n"
#define LEAF(down, up, more) \
  "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down " down "\nRadix_Up " up "\nDownlink_Latency_ns 1000\n" more
#define SPINE(down, more) "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down " down "\nDownlink_Latency_ns 1000\n" more

static void what_contradicts_itself_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {HEAD LEAF("4", "4", "") SPINE("8", ""), "Bundle"},
      {HEAD LEAF("4", "2", "") SPINE("4", ""), "Oversubscribed 1"},
      {HEAD LEAF("4", "4", "Radix_Down 4\n") SPINE("4", ""),
       "net:9: htsim topology: Radix_Down of tier 0 stands twice"},
      {HEAD LEAF("4", "four", "") SPINE("4", ""), "net:7: htsim topology: Radix_Up 'four': a whole number"},
      {HEAD LEAF("4", "4", "Radix_Dwon 4\n") SPINE("4", ""), "did you mean 'Radix_Down'"},
      {HEAD LEAF("4", "4", "") SPINE("4", "Radix_Up 2\n"), "no Radix_Up"},
      {HEAD LEAF("4", "4", ""), "tier 1 is missing"},
      {HEAD LEAF("4", "4", "") "Tier 1\nRadix_Down 4\n", "Downlink_speed_Gbps of tier 1 is missing"},
      {HEAD LEAF("4", "4", "") "Tier 2\n", "there is no tier 2"},
      {"Nodes 16\nTiers 4\n", "has 2 or 3"},
      {"Nodes 18\nTiers 2\nPodsize 10\n" LEAF("4", "4", "") SPINE("4", ""), "Podsize"},
      {"Nodes 16\nTiers 2\nPodsize 8\n" LEAF("4", "4", "") SPINE("2", ""), "two tiers have one pod"},
      /* 4 uplinks at twice the speed: by bandwidth 8 cables, wired are 16 */
      {HEAD LEAF("4", "4", "") "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\nDownlink_Latency_ns 1\n",
       "by bandwidth"},
      {HEAD LEAF("4", "4", "Bundle 2\n") SPINE("4", ""), "a host has one cable"},
      {"Nodes 16\nTier 0\n", "Tiers must stand before"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_graph(wrong[i].text, wrong[i].what);
}

static void defaults_may_stand_twice_and_comments_anywhere(void **state) {
  (void)state;
  ripstop_error err = {0};
  static const char text[] =
      "\n# made\nnodes 16   # text\nTIERS 2\n podsize 16\n" LEAF("4", "4", "Bundle 1\nBundle 1\n")
          SPINE("4", "") "Tier 0\nSwitch_Latency_ns 7\n";
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (!f) fail_msg("%s", err.text);
  demand_sizes(f, 16, 8, 32);
  ripstop_fabric_free(f);
}

static void slow_cables_are_not_clamped(void **state) {
  (void)state;
  refuse_graph("Nodes 8\nTiers 2\nPodsize 8\n" LEAF(
                   "4", "2", "Oversubscribed 2\n") "Tier 1\nBundle 1\n"
                                                   "Downlink_speed_Gbps 20000\nRadix_Down 2\nDownlink_Latency_ns 1\n",
               "by bandwidth");
}

/* ------------------------------------------------------------------ flows */

static void flows_start_in_time_and_by_triggers(void **state) {
  (void)state;
  demand_cycles("cm", "late.cm", 8, 5750, 2);    /* 2750001 ps are 2751 cycles, and its last flit arrives in 5749 */
  demand_cycles("cm", "serial.cm", 8, 14996, 4); /* each waits for an acknowledgement of 1000 cycles */
  demand_cycles("cm", "multishot.cm", 8, 8698, 6);
  demand_cycles("cm", "barrier.cm", 8, 6001, 8);
}

#define NODES "Nodes 4\nConnections "

static void mistakes_have_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {NODES "1\nNodes 8\n0->1 start 0 size 5\n", "line 3: Nodes stands twice"},
      {NODES "1\n0->4 start 0 size 5\n", "line 3: there is no node 4"},
      {NODES "1\n0->0 start 0 size 5\n", "line 3: node 0 cannot send to itself"},
      {NODES "1\n0->1 start 0\n", "line 3: the flow has no size"},
      {NODES "1\n0->1 start 0 size 0\n", "line 3: size 0"},
      {NODES "1\n0->1 size 5\n", "line 3: neither start nor trigger"},
      {NODES "1\n0->1 start 0 size\n", "line 3: size is the last word"},
      {NODES "1\n0->1 start 0 sise 5\n", "did you mean 'size'"},
      {NODES "1\n0->1 start 0 size 5 addon\n", "'addon' is not modelled"},
      {NODES "1\n0->1 start x size 5\n", "line 3: start 'x'"},
      {NODES "2\n0->1 start 0 size 5\n", "Connections is 2, but 1 are there"},
      {NODES "2\n0->1 id 1 start 0 size 5\n1->0 id 1 start 0 size 5\n", "line 4: two flows have the id 1"},
      {NODES "2\n0->1 start 0 size 5 prio 1\n1->0 start 0 size 5\n", "line 4: prio 2000000, but 1 in line 3"},
      {NODES "1\nTriggers 1\n0->1 id 1 trigger 2 size 5\ntrigger id 1 oneshot\n",
       "line 4: there is no line 'trigger id 2'"},
      {NODES "1\nTriggers 1\n0->1 trigger 1 size 5\ntrigger id 1 oneshot\n", "needs an id"},
      {NODES "1\nTriggers 1\n0->1 id 1 trigger 1 size 5\ntrigger id 1 oneshot\n",
       "line 5: trigger 1: 1 of the 1 flows"},
      {NODES "2\nTriggers 1\n0->1 start 0 size 5 recv_done_trigger 1\n1->0 start 0 size 5 recv_done_trigger 1\n"
             "trigger id 1 oneshot\n",
       "line 5: this flow activates trigger 1 a second time"},
      {NODES "1\nTriggers 1\n0->1 start 0 size 5\ntrigger id 1 barrier\n", "needs a count"},
      {NODES "1\nTriggers 1\n0->1 start 0 size 5\ntrigger id 1 id 2 oneshot\n", "line 5: id stands twice"},
      {NODES "1\nFailures 1\n0->1 start 0 size 5\nfailure switch_type AGG switch_id 0 link_id 0\n", "--faults"},
      {NODES "1\n0->1 start 0.5 size 5\n", "line 3: every start is below 1000"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_job("cm", "", wrong[i].text, wrong[i].what);
}

static void microseconds_are_microseconds(void **state) {
  (void)state;
  static const char text[] = NODES "1\n0->1 start 1.5 size 2000\n";
  demand_text("cm", ",time=us", text, 4, 1500 + 2999, 1);
  demand_text("cm", ",time=ps", text, 4, 1 + 2999, 1);
}

/* 300 flows fill a barrier, for which as many wait: not each of these for each of those. */
static void barriers_need_few_orders(void **state) {
  (void)state;
  enum { FLOWS = 300 };
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = open_fabric("xgft:m=2,w=1");
  job *all;
  size_t count;
  ripstop_text_add(&text, "Nodes 2\nConnections %d\nTriggers 1\ntrigger id 1 barrier count %d\n", 2 * FLOWS, FLOWS);
  for (int i = 0; i < FLOWS; i++) ripstop_text_add(&text, "0->1 start 0 size 1 recv_done_trigger 1\n");
  for (int i = 1; i <= FLOWS; i++) ripstop_text_add(&text, "1->0 id %d trigger 1 size 1\n", i);
  demand_text("cm", "", text.data, 2, FLOWS + 999 + FLOWS + 999, 2 * FLOWS);
  char *path = keep_text(text.data, text.length);
  uint32_t *busy = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  if (jobs_read(arena, ripstop_arena_printf(arena, "cm:%s", path), &all, &count, &err) ||
      jobs_place(arena, fabric, 1, all, count, busy, &err))
    fail_msg("%s", err.text);
  assert_int_equal(all->tasks->orders, 2 * FLOWS);
  jobs_free(all, count);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  forget_text(path);
}

/* 24,000 activations of as many flows, which would take gigabytes. */
static void multishots_have_a_limit(void **state) {
  (void)state;
  enum { FLOWS = 24000 };
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "Nodes 2\nConnections %d\nTriggers 1\ntrigger id 1 multishot\n", 2 * FLOWS);
  for (int i = 0; i < FLOWS; i++) ripstop_text_add(&text, "0->1 start 0 size 1 recv_done_trigger 1\n");
  for (int i = 1; i <= FLOWS; i++) ripstop_text_add(&text, "1->0 id %d trigger 1 size 1\n", i);
  refuse_job("cm", "", text.data, "line 4: trigger 1: 24000 activations times 24000 flows are too many");
}

/* ------------------------------------------------------------------ numbers */

static void decimals_are_exact(void **state) {
  (void)state;
  uint64_t whole;
  bool more;
  assert_true(trace_decimal(piece_of("16777217"), 0, &whole, &more) && whole == 16777217 && !more);
  assert_true(trace_decimal(piece_of("2.0000000015"), 9, &whole, &more) && whole == 2000000001 && more);
  assert_true(trace_decimal(piece_of("2e-06"), 12, &whole, &more) && whole == 2000000 && !more);
  assert_true(trace_decimal(piece_of("1.5E3"), 0, &whole, &more) && whole == 1500 && !more);
  assert_true(trace_decimal(piece_of(".5"), 0, &whole, &more) && whole == 0 && more);
  assert_false(trace_decimal(piece_of("9223372036854775808"), 0, &whole, &more));
  assert_false(trace_decimal(piece_of("."), 0, &whole, &more));
  assert_false(trace_decimal(piece_of("1x"), 0, &whole, &more));
  assert_true(trace_speed(piece_of("2.5Gbps"), &whole) && whole == 2500000000);
  assert_true(trace_speed(piece_of("12.5GBps"), &whole) && whole == 100000000000);
  assert_false(trace_speed(piece_of("100"), &whole));
  assert_true(trace_time(piece_of("0.000025ms"), &whole) && whole == 25000);
  assert_false(trace_time(piece_of("1m"), &whole));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_tiers_are_a_tree),
      cmocka_unit_test(three_tiers_join_every_second_core),
      cmocka_unit_test(bundles_are_parallel_cables_with_their_speed),
      cmocka_unit_test(what_contradicts_itself_is_refused),
      cmocka_unit_test(defaults_may_stand_twice_and_comments_anywhere),
      cmocka_unit_test(slow_cables_are_not_clamped),
      cmocka_unit_test(flows_start_in_time_and_by_triggers),
      cmocka_unit_test(mistakes_have_their_line),
      cmocka_unit_test(barriers_need_few_orders),
      cmocka_unit_test(multishots_have_a_limit),
      cmocka_unit_test(microseconds_are_microseconds),
      cmocka_unit_test(decimals_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
