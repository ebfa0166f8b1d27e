/* test_traces_chakra.c - Chakra traces in all forms: finishing times to the cycle, turns by id, groups, and mistakes
 * with their file and node. */
#include <sys/stat.h>

#include "traces.h"

static void all_forms_are_one_trace(void **state) {
  (void)state;
  demand_cycles("chakra", "chakra/ping-graph/t", 2, 13098, 2);
  demand_cycles("chakra", "chakra/ping-stream/t", 2, 13098, 2);
  demand_cycles("chakra", "chakra/ping-odd/t", 2, 13098, 2); /* gzip, fields in another order, unknown ones */
}

/* A collective that one rank gives s bytes to; a direct exchange of s / g bytes. */
static void bytes_mean_what_astra_means(void **state) {
  (void)state;
  demand_cycles("chakra", "chakra/allgather/t", 4, 13997, 12);
  demand_cycles("chakra", "chakra/alltoall/t", 4, 6999, 12);
}

static void nodes_take_turns_by_id(void **state) {
  (void)state;
  demand_cycles("chakra", "chakra/one-at-a-time/t", 4, 47988, 48);
  demand_cycles("chakra", "chakra/overlap/t", 4, 31000, 24); /* a computation beside a collective */
  demand_cycles("chakra", "chakra/traced/t", 8, 49986, 112);
}

static void groups_come_from_a_file(void **state) {
  (void)state;
  char groups[512], path[512], spec[1200];
  trace_path("chakra/groups/t", path, sizeof path);
  trace_path("chakra/groups/groups.json", groups, sizeof groups);
  snprintf(spec, sizeof spec, "chakra:%s,groups=%s", path, groups);
  demand_job(spec, 8, 17994, 48);
}

static void refuse_spec(const char *spec, const char *what) {
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  job *all;
  size_t count;
  ripstop_fabric *fabric = open_fabric("xgft:m=16,w=1");
  uint32_t *busy = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  if (jobs_read(arena, spec, &all, &count, &err) == 0) {
    if (jobs_place(arena, fabric, 1, all, count, busy, &err) == 0) fail_msg("%s is read, without '%s'", spec, what);
    jobs_free(all, count);
  }
  if (!strstr(err.text, what)) fail_msg("'%s' does not contain '%s'", err.text, what);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void groups_stand_once(void **state) {
  (void)state;
  static const char text[] = "{\"1\": [0, 1], \"1\": [0, 2]}";
  char path[512], spec[1200], *groups = keep_text(text, strlen(text));
  trace_path("chakra/groups/t", path, sizeof path);
  snprintf(spec, sizeof spec, "chakra:%s,groups=%s", path, groups);
  refuse_spec(spec, "process group '1' stands twice, with different ranks");
  forget_text(groups);
}

static void files_with_a_mistake_are_named(void **state) {
  (void)state;
  static const struct {
    const char *folder, *what;
  } wrong[] = {{"cut", "t.0.et: byte 19: a message is cut off: the file ends at byte 29"},
               {"kind", "the collective GATHER (comm_type 3) is not modelled"},
               {"lengths", "a send of 500 bytes from rank 0 to rank 1"},
               {"lost", "has no receive of that length"},
               {"same-id", "node 1 stands twice"},
               {"sizes", "kind and size must be the same"},
               {"nothing", "No such file"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char name[64], path[512], spec[600];
    snprintf(name, sizeof name, "chakra/%s/t", wrong[i].folder);
    trace_path(name, path, sizeof path);
    snprintf(spec, sizeof spec, "chakra:%s", path);
    refuse_spec(spec, wrong[i].what);
  }
}

/* Writes the nodes of ranks 0 and `second` in the feeder's form, and demands that they are refused; `what` NULL: that
 * they take so many cycles. */
static void try_nodes(const char *first, unsigned second, const char *other, const char *what, double cycles) {
  char folder[] = "/tmp/ripstop-chakra-XXXXXX", path[2][128], spec[160];
  const char *const nodes[] = {first, other};
  assert_non_null(mkdtemp(folder));
  for (unsigned i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/t.%u.json", folder, i ? second : 0);
    FILE *file = fopen(path[i], "w");
    assert_non_null(file);
    fprintf(file, "{\"workload_graph\": [%s]}", nodes[i]);
    fclose(file);
  }
  snprintf(spec, sizeof spec, "chakra:%s/t", folder);
  if (what)
    refuse_spec(spec, what);
  else
    demand_job(spec, 2, cycles, 0);
  for (unsigned i = 0; i < 2; i++) unlink(path[i]);
  rmdir(folder);
}

static void refuse_nodes(const char *first, unsigned second, const char *other, const char *what) {
  try_nodes(first, second, other, what, 0);
}

#define SEND(id, to, deps) \
  "{\"Id\": " id ", \"NodeType\": 5, \"data_deps\": [" deps "], \"comm_size\": 8, \"comm_dst\": " to "}"

#define COMPUTE(id, micros) "{\"Id\": " id ", \"NodeType\": 4, \"runtime\": " micros "},"
#define REDUCE(deps)        "{\"Id\": 9, \"NodeType\": 7, \"data_deps\": [" deps "], \"comm_type\": 0, \"comm_size\": 0}"

/* All computations that wait for the processor begin, also those behind one without a duration. */
static void computations_may_take_no_time(void **state) {
  (void)state;
  try_nodes(COMPUTE("1", "10") COMPUTE("2", "0") COMPUTE("3", "0") COMPUTE("4", "5") REDUCE("4"), 1, REDUCE(""), NULL,
            15000);
}

static void nodes_that_cannot_run_are_refused(void **state) {
  (void)state;
  refuse_nodes(SEND("1", "1", "7"), 1, "", "t.0.json: node 1 depends on node 7, which does not exist");
  refuse_nodes(SEND("1", "2", ""), 1, "", "t.0.json: node 1: there is no rank 2, only 0 to 1");
  refuse_nodes(SEND("1", "0", ""), 1, "", "node 1: rank 0 cannot send to itself");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 5, \"comm_size\": 8}", 1, "", "node 4: a send without comm_dst");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 2, \"tensor_size\": 8}", 1, "", "node 4: a load of remote memory");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 8}", 1, "", "unknown type");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 4, \"data_deps\": [5]}, {\"Id\": 5, \"NodeType\": 4, \"ctrlDeps\": [4]}", 1,
               "", "node 4: it never begins");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 7, \"comm_type\": 0, \"comm_size\": 8}", 1, "",
               "which rank 1 does not begin");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 7, \"comm_type\": 2, \"comm_size\": 4611686018427387904}", 1, "",
               "comm_size 4611686018427387904 is too large for 2 ranks");
  refuse_nodes("{\"Id\": 4, \"NodeType\": 4, \"data_deps\": [4], \"ctrlDeps\": [], \"dataDeps\": [4]}", 1, "",
               "line 1: a node has this list of dependencies twice");
  refuse_nodes("", 2, "", "t.1.json is missing, but there is one of rank 2");
  refuse_nodes("{\"Id\": \"x\"}", 1, "", "line 1: a whole number must stand here, not 'x'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_forms_are_one_trace),
      cmocka_unit_test(bytes_mean_what_astra_means),
      cmocka_unit_test(nodes_take_turns_by_id),
      cmocka_unit_test(groups_come_from_a_file),
      cmocka_unit_test(groups_stand_once),
      cmocka_unit_test(files_with_a_mistake_are_named),
      cmocka_unit_test(computations_may_take_no_time),
      cmocka_unit_test(nodes_that_cannot_run_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
