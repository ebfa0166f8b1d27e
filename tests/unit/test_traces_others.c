/* test_traces_others.c - files of ns-3, SimAI, ASTRA-sim and SST as fabrics, flows of HPCC, schedules in GOAL's binary
 * form; mistakes with their place; formats that are refused by name, as a fabric and as a job. */
#include "formats/traces/trace_format.h"
#include "traces.h"

static void hosts_need_not_come_first(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("leafspine.txt");
  demand_sizes(f, 8, 4, 12);
  assert_int_equal(cables_at_rate(f, 250), 8); /* 25 of 100 Gb/s */
  ripstop_fabric_free(f);
  f = open_trace("star.txt"); /* its switch has the number 1 */
  demand_sizes(f, 9, 1, 9);
  assert_int_equal(cables_between(f, "h0", "s1"), 1);
  assert_null(f->rate);
  ripstop_fabric_free(f);
}

/* A GPU with an NVSwitch and a leaf is a router with an end node. */
static void hosts_with_several_cables_are_routers(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("rail.txt");
  demand_sizes(f, 8, 8 + 2 + 7, 28 + 8);
  assert_int_equal(cables_between(f, "g0", "n8"), 1);
  assert_int_equal(cables_between(f, "g0", "s10"), 1);
  assert_int_equal(cables_between(f, "g0", "g0"), 1);
  ripstop_fabric_free(f);
}

static void parallel_links_of_ns3_stay(void **state) {
  (void)state;
  ripstop_error err = {0};
  static const char text[] = "4 2 4\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n3 2 1Gbps 1us 0\nmore";
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (!f) fail_msg("%s", err.text);
  assert_int_equal(cables_between(f, "s2", "s3"), 2);
  ripstop_fabric_free(f);
}

static void products_of_astra_are_tori(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("two.yml"); /* rings of 4 and 3 */
  demand_sizes(f, 12, 12, 36);
  assert_int_equal(cables_between(f, "n0", "n3"), 1);
  assert_int_equal(cables_between(f, "n0", "n8"), 1);
  assert_int_equal(cables_between(f, "n3", "n4"), 0);
  assert_int_equal(cables_at_rate(f, 500), 12);
  ripstop_fabric_free(f);
  f = open_trace("box.yml");
  demand_sizes(f, 8, 1, 8);
  ripstop_fabric_free(f);
}

static void keys_of_astra_may_stand_in_any_order(void **state) {
  (void)state;
  ripstop_error err = {0};
  static const char text[] = "npus_count:\n  - 2\ntopology: [\n'Ring' ]\n---\nlatency: [ 0 ]  # ns\nbandwidth: [ 1 ]\n";
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (!f) fail_msg("%s", err.text);
  demand_sizes(f, 2, 2, 4);
  assert_int_equal(cables_between(f, "n0", "n1"), 2);
  ripstop_fabric_free(f);
  refuse_graph("topology: Hierarchical\nunits-count: [ 2 ]\n", "ASTRA-sim network of an older version");
}

static void sst_says_how_many_end_nodes(void **state) {
  (void)state;
  ripstop_fabric *f = open_trace("sst.graphml"); /* 2, 3, 0 and 1 */
  demand_sizes(f, 6, 4, 10);
  assert_int_equal(cables_between(f, "e4", "1"), 1);
  assert_int_equal(cables_between(f, "e5", "3"), 1);
  ripstop_fabric_free(f);
  refuse_graph(
      "<graphml><key id='d' for='node' attr.name='endpoints'/><graph><node id='a'><data key='d'>1</data></node>"
      "<node id='b'/></graph></graphml>",
      "net:1: the router 'b' has no data 'endpoints'");
}

#define ASTRA(topology, npus, bandwidth, latency) \
  "topology: [ " topology " ]\nnpus_count: [ " npus " ]\nbandwidth: [ " bandwidth " ]\nlatency: [ " latency " ]\n"

static void mistakes_in_fabrics_have_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {"4 1 3\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0.01\n2 3 1Gbps 1us 0\n", "net:4: ns-3 HPCC topology: an error rate"},
      {"4 1 3\n3\n0 3 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 3 1Gbps 1us 0\n",
       "net:4: ns-3 HPCC topology: there is no node 4"},
      {"4 1 3\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n", "3 links by the first line, but the file ends behind 2"},
      {"4 1 2\n3\n0 3 1Gbps 1us 0\n1 2 1Gbps 1us 0\n", "net:4: ns-3 HPCC topology: a link between the hosts 1 and 2"},
      {"4 1 2\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n", "host 2 has no link"},
      {"4 2 1\n3 3\n0 3 1Gbps 1us 0\n", "net:2: ns-3 HPCC topology: node 3 is twice"},
      {"2 1 1\n1\n0 1 1Gbps 1 0\n", "net:3: ns-3 HPCC topology: delay '1'"},
      {"3 1 2\n2\n0 2 900Gbps 1us 0\n1 2 8Gbps 1us 0\n", "below a hundredth of the fastest"},
      {"5 1 4 2\n4\n0 4 1Gbps 1us 0\n", "a fork of HPCC, with 4 counts"},
      {"9 2 1 1 8 H100\n8\n7\n0 8 1Gbps 1us 0\n", "SimAI topology: 8 links by the first line"},
      {ASTRA("Ring, Ring", "4, 2", "50.0", "1, 1"), "net:3: ASTRA-sim network: bandwidth has 1 values"},
      {ASTRA("Rings", "4", "50.0", "1"), "net:1: ASTRA-sim network: topology 'Rings'"},
      {ASTRA("Ring", "1", "50.0", "1"), "net:2: ASTRA-sim network: npus_count '1'"},
      {ASTRA("FullyConnected", "20000", "50", "1"), "net:2: ASTRA-sim network: too big, more than 33554432 cables"},
      {ASTRA("Ring", "4", "0", "1"), "net:3: ASTRA-sim network: bandwidth '0'"},
      {ASTRA("Ring", "4", "50", "x"), "net:4: ASTRA-sim network: latency 'x'"},
      {"topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwith: [ 4 ]\n",
       "net:3: ASTRA-sim network: 'bandwith' is unknown; did"},
      {"topology: [ Ring ]\nnpus_count: [ 4 ]\nlatency: [ 4 ]\n", "bandwidth is missing"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_graph(wrong[i].text, wrong[i].what);
}

/* ------------------------------------------------------------------ jobs */

static void starts_of_flows_count_from_the_first(void **state) {
  (void)state;
  demand_cycles("flows", "row.txt", 4, 51063, 3); /* the last begins 50 us behind the first, at 0.1 ms */
  demand_cycles("flows", "incast.txt", 6, 15999, 5);
}

static void mistakes_in_flows_have_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {"0\n", "line 1: the first line says that there are no flows"},
      {"2\n0 1 3 100 1000 2\n", "2 flows by the first line, but the file ends behind 1"},
      {"1\n0 1 3 100 1000 2\n0 1 3 100 1000 2\n", "line 3: 1 flows by the first line"},
      {"2\n0 1 3 100 1000 2\n0 1 3 100 1000 1.9\n", "line 3: it starts before"},
      {"2\n0 1 3 100 1000 2\n0 1 2 100 1000 2\n", "line 3: priority 2, but 3"},
      {"1\n1 1 3 100 1000 2\n", "line 2: node 1 cannot send to itself"},
      {"1\n0 1 3 100 0 2\n", "line 2: a flow of 0 bytes"},
      {"1\n0 1 3 100 1000\n", "line 2: 5 words"},
      {"1\n0 1 3 100 1000 x\n", "line 2: start 'x'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_job("flows", "", wrong[i].text, wrong[i].what);
}

static void binary_schedules_run_as_their_text(void **state) {
  (void)state;
  demand_cycles("goal", "pair.bin", 2, 6348, 2);
}

/* A schedule of two ranks and one message, of which one byte is changed, or the end is cut off. */
typedef struct schedule {
  unsigned char byte[8 + 6 + 2 * 16 + 2 * (8 + 4 + 39)];
} schedule;

enum { RANK0 = 8 + 6 + 2 * 16, RANK_BYTES = 8 + 4 + 39, OP0 = RANK0 + 12 };

static void put(schedule *s, size_t at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) s->byte[at + i] = (unsigned char)(value >> 8 * i);
}

static schedule one_message(void) {
  schedule s = {{0}};
  put(&s, 0, 4223, 8);
  put(&s, 8, 2, 4);
  for (unsigned rank = 0; rank < 2; rank++) {
    const size_t at = RANK0 + rank * RANK_BYTES;
    put(&s, 14 + 16 * rank, at - 8, 8);
    put(&s, 22 + 16 * rank, at - 8 + RANK_BYTES, 8);
    put(&s, at, 1, 4);     /* operations */
    put(&s, at + 4, 1, 4); /* roots: the first one */
    put(&s, at + 12 + 4, rank ? 2 : 1, 1);
    put(&s, at + 12 + 5, 1 - rank, 4);
    put(&s, at + 12 + 9, 100, 8);
  }
  return s;
}

static void refuse_schedule(size_t at, uint64_t value, unsigned bytes, const char *what) {
  schedule s = one_message();
  put(&s, at, value, bytes);
  refuse_bytes("goal", "", (const char *)s.byte, sizeof s.byte, what);
}

static void mistakes_in_schedules_have_their_byte(void **state) {
  (void)state;
  refuse_schedule(0, 2342, 8, "has not finished it");
  refuse_schedule(8, 0, 4, "byte 8: the number of ranks is 0");
  refuse_schedule(14, 39, 8, "byte 14: rank 0 begins 39 bytes");
  refuse_schedule(RANK0, 2, 4, "byte 46: 2 operations and 1 roots do not fit");
  refuse_schedule(RANK0 + 8, 7, 4, "byte 54: not an operation without requirements, or a second time in the list: 7");
  refuse_schedule(OP0, 1, 4, "byte 58: operation 0 of rank 0 has 1 requirements, but 0");
  refuse_schedule(OP0 + 4, 9, 1, "byte 62: types are 1 to 3");
  refuse_schedule(OP0 + 5, 2, 4, "byte 63: there is no rank 2");
  refuse_schedule(OP0 + 5, 0, 4, "byte 63: a rank cannot send to itself");
  refuse_schedule(OP0 + 9, UINT64_MAX, 8, "byte 67: more bytes");
  refuse_schedule(OP0 + 23, 1, 4, "byte 81: entries of the appendix that is shorter");
  refuse_schedule(OP0 + 9, 101, 8, "byte 58: 101 bytes from rank 0 are received in byte 109 as 100");
  const schedule s = one_message();
  refuse_bytes("goal", "", (const char *)s.byte, sizeof s.byte - 1, "the file ends at byte 147");
  refuse_bytes("goal", "", (const char *)s.byte, 20, "inside the list of its ranks");
}

/* One rank with two computations, and an appendix of one entry. */
static void parts_of_a_rank_are_used_once(void **state) {
  (void)state;
  enum { RANK = 8 + 6 + 16, OP = 39, FIRST = RANK + 8 + 8, APPENDIX = FIRST + 2 * OP };
  schedule s = {{0}};
  put(&s, 0, 4223, 8);
  put(&s, 8, 1, 4);
  put(&s, 14, RANK - 8, 8);
  put(&s, 22, APPENDIX - 8, 8);
  put(&s, RANK, 2, 4);     /* operations */
  put(&s, RANK + 4, 2, 4); /* roots: twice the first one */
  for (unsigned i = 0; i < 2; i++) put(&s, FIRST + OP * i + 4, 3, 1);
  refuse_bytes("goal", "", (const char *)s.byte, APPENDIX,
               "byte 42: not an operation without requirements, or a second");
  put(&s, 22, APPENDIX + 4 - 8, 8);
  for (unsigned i = 0; i < 2; i++) put(&s, FIRST + OP * i + 23, 1, 4);
  refuse_bytes("goal", "", (const char *)s.byte, APPENDIX + 4,
               "byte 108: operations use more entries than the appendix");
}

/* ------------------------------------------------------------------ refused by name */

static void every_foreign_format_has_a_name(void **state) {
  (void)state;
  static const struct {
    const char *file, *fabric, *job; /* NULL: it is read as that */
  } known[] = {{"algo.xml", "MSCCL", "MSCCL"},
               {"config.txt", "ns-3 HPCC", "ns-3 HPCC"},
               {"flows.cm", "--workload cm:FILE", "the workload cm:FILE reads"},
               {"graph.xml", "NCCL graph", "NCCL graph"},
               {"host.json", "PyTorch", "converter"},
               {"links.txt", NULL, "ns-3 HPCC topology"},
               {"logical.json", "ASTRA-sim logical", "ASTRA-sim logical"},
               {"node.xml", "NCCL topology", "NCCL topology"},
               {"schedule.bin", "GOAL binary", "the workload goal:FILE reads"},
               {"system.json", "ASTRA-sim system", "ASTRA-sim system"},
               {"trace.et", "Chakra", "Chakra"},
               {"tree.topo", NULL, "htsim topology"},
               {"zoo.gml", "GraphML is read", "GML"},
               {"layers.txt", "SimAI workload", "SimAI workload"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char path[512], name[64], *text;
    size_t length;
    ripstop_error err = {0};
    ripstop_arena *arena = ripstop_arena_new();
    snprintf(name, sizeof name, "refused/%s", known[i].file);
    trace_path(name, path, sizeof path);
    if (ripstop_read_file(arena, path, 1 << 20, &text, &length, &err)) fail_msg("%s", err.text);
    ripstop_fabric *f = ripstop_graph_from_text("net", text, length, &err);
    if (!!f != !known[i].fabric || (!f && !strstr(err.text, known[i].fabric))) fail_msg("%s: %s", name, err.text);
    ripstop_fabric_free(f);
    refuse_bytes("messages", "", text, length, known[i].job);
    ripstop_arena_free(arena);
  }
}

static void comments_of_xml_are_left_out(void **state) {
  (void)state;
  refuse_graph("<?xml version='1.0'?>\n<!-- not <this> -->\n<algo name='a'/>", "MSCCL");
}

/* Rows of numbers, and lists of words, are not taken for others' files. */
static void files_near_them_are_not_theirs(void **state) {
  (void)state;
  static const char *const none[] = {"0 3 4\n3 0 4\n4 4 0\n", "5\n0 1\n", "1 2 3 4\n5 6 7 8\n", "nodes a\n",
                                     "Nodes 5 100G\n",        "{}",       "<graphml/>",         ""};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (trace_format_of(none[i], strlen(none[i])))
      fail_msg("%s is %s", none[i], trace_format_of(none[i], strlen(none[i]))->name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_need_not_come_first),
      cmocka_unit_test(hosts_with_several_cables_are_routers),
      cmocka_unit_test(parallel_links_of_ns3_stay),
      cmocka_unit_test(products_of_astra_are_tori),
      cmocka_unit_test(keys_of_astra_may_stand_in_any_order),
      cmocka_unit_test(sst_says_how_many_end_nodes),
      cmocka_unit_test(mistakes_in_fabrics_have_their_line),
      cmocka_unit_test(starts_of_flows_count_from_the_first),
      cmocka_unit_test(mistakes_in_flows_have_their_line),
      cmocka_unit_test(binary_schedules_run_as_their_text),
      cmocka_unit_test(mistakes_in_schedules_have_their_byte),
      cmocka_unit_test(parts_of_a_rank_are_used_once),
      cmocka_unit_test(every_foreign_format_has_a_name),
      cmocka_unit_test(comments_of_xml_are_left_out),
      cmocka_unit_test(files_near_them_are_not_theirs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
