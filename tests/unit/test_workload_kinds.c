/* Jobs that are no collectives: their closed forms on a switch, files of messages, several jobs at once and where they
 * are placed; every kind's small example; what cannot be is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "opened.h"
#include "ripstop/plugin/workload.h"
#include "stand.h"
#include "workload/jobs.h"
#include "workload/workload_run.h"

static int play_on(const char *spec, const char *jobs, ripstop_run_result *result, ripstop_error *err) {
  const char *method = strncmp(spec, "torus", 5) == 0 ? "dor" : strncmp(spec, "graph", 5) == 0 ? "minimal" : "updown";
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = 1}};
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  ripstop_options_defaults(arena, ripstop_workload_options, &run.config);
  run.simulation.switch_.in_queue = 64;
  run.config.jobs = jobs;
  run.config.ranks = true;
  ripstop_fabric *fabric = open_fabric(spec);
  stand run_setup = stand_on(fabric, method, NULL);
  int status = ripstop_workload_agent(run_setup.plan, &run, result, err);
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return status;
}

static ripstop_run_result result_of(const char *spec, const char *jobs) {
  ripstop_error err;
  ripstop_run_result r;
  if (play_on(spec, jobs, &r, &err)) fail_msg("%s: %s", jobs, err.text);
  if (ripstop_run_result_value(&r, "workload.complete") != 1) fail_msg("%s is not complete", jobs);
  assert_true(ripstop_run_result_value(&r, "workload.ideal-cycles") <= ripstop_run_result_value(&r, "workload.cycles"));
  return r;
}

static const char one_switch[] = "mport-ntree:m=16,n=1";

static double value_in(const char *jobs, const char *name) {
  ripstop_run_result r = result_of(one_switch, jobs);
  const double value = ripstop_run_result_value(&r, name);
  ripstop_run_result_free(&r);
  return value;
}

static const char *file_of(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return name;
}

/* ------------------------------------------------------------------ closed forms: L = 3, T(s) = L + s - 1 */

static double t(double s) { return 3 + s - 1; }

static void times_are_closed_forms(void **state) {
  (void)state;
  const struct {
    const char *jobs;
    double time;
  } form[] = {
      {"incast:bytes=1000 on packed:8", 7 * 1000 + 2},
      {"request-reply:requests=5,ask=64,answer=4096,serve=20,think=100 on packed:2",
       5 * (t(64) + 20 + t(4096)) + 4 * 100},
      {"stencil:grid=8,bytes=100,compute=50,steps=4",
       4 * (50 + 100 + t(100))}, /* two neighbours, one behind the other */
      {"stencil:grid=2,bytes=100,compute=50,steps=4", 4 * (50 + t(100))},
      {"stencil:grid=1x1,compute=50,steps=4", 4 * 50},
      /* the middle one of three has two neighbours, the outer ones that one */
      {"stencil:grid=3,bytes=100,compute=50,steps=1,around=off", 50 + 100 + t(100)},
      {"training:layers=4,micro=3,compute=10", 4 * 3 * 30},
      /* forward and backward through 4 stages, a layer each, one after the other */
      {"training:layers=4,pp=4,micro=1,activation=100,compute=10", 4 * 30 + 6 * t(100)},
      /* the gradients of the last layer are summed up while the first is computed, those of the first behind it */
      {"training:layers=2,dp=2,micro=1,bytes=200,compute=1000", 2 * 3000 + 2 * t(100)},
      {"training:layers=2,tp=2,micro=1,activation=200,compute=1000,steps=2", 2 * (2 * 3000 + 4 * 2 * t(100))},
      {"training:layers=2,tp=2,micro=1,activation=200,compute=1000,steps=2,tensor=server", 2 * 2 * 3000},
      {"training:layers=2,tp=2,dp=2,micro=1,bytes=200,compute=1000,tensor=server", 2 * 3000 + 2 * t(100)},
  };
  for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
    const double cycles = value_in(form[i].jobs, "workload.cycles");
    if (cycles != form[i].time) fail_msg("%s: %.0f cycles, not %.0f", form[i].jobs, cycles, form[i].time);
  }
}

static void small_examples_are_complete(void **state) {
  (void)state;
  unsigned tried = 0;
  for (size_t i = 0; ripstop_workloads[i]; i++) {
    char jobs[256];
    if (!ripstop_workloads[i]->small) continue;
    snprintf(jobs, sizeof jobs, "%s:%s", ripstop_workloads[i]->name, ripstop_workloads[i]->small);
    assert_true(value_in(jobs, "message.count") > 0);
    tried++;
  }
  assert_true(tried >= 8);
}

/* ------------------------------------------------------------------ files */

static void messages_are_sent_when_they_may_be(void **state) {
  (void)state;
  file_of("messages.csv", "time,source,destination,bytes,after\n"
                          "0, 0, 1, 100\n"
                          "50, 1, 2, 100, 1   # there at 102\n"
                          "500, 2, 0, 10, 2\n"
                          "0, 2, 1, 10, 3\n");
  assert_true(value_in("messages:messages.csv", "workload.cycles") == 512 + 10);
  assert_true(value_in("messages:messages.csv", "job.1.rank.2.cycles") == 510);
  file_of("matrix", "0 10 20\n5 0 5\n1,2,0\n");
  assert_true(value_in("matrix:matrix", "message.bytes") == 43);
  assert_true(value_in("matrix:matrix,repeat=3", "message.count") == 18);
  file_of("turn", "1\n2\n3\n0\n");
  assert_true(value_in("matrix:turn,bytes=1000", "workload.cycles") == t(1000));
  file_of("line", "1 2 0 # in one row\n");
  assert_true(value_in("matrix:line,bytes=1000", "workload.cycles") == t(1000));
  assert_true(value_in("matrix:line,bytes=1000", "message.count") == 3);
}

/* Half of a ring of eight sends to the other half: two cables lead from one to the other, so 4,000 flits need at least
 * 2,000 cycles, whatever the ports allow. */
static void halves_of_a_ring_bound(void **state) {
  (void)state;
  file_of("across", "0 0 4 1000\n0 1 5 1000\n0 2 6 1000\n0 3 7 1000\n");
  ripstop_run_result r = result_of("torus:8", "messages:across");
  assert_true(ripstop_run_result_value(&r, "workload.ideal-cycles") == 2000);
  ripstop_run_result_free(&r);
}

static double bound_of(const char *spec, const char *jobs, const char *name) {
  ripstop_run_result r = result_of(spec, jobs);
  const double value = ripstop_run_result_value(&r, name);
  ripstop_run_result_free(&r);
  return value;
}

/* A quarter of the rate at one host: 1,000 flits to it or from it need 4,000 cycles of its link and 3 - 1 more, alone
 * or two at once; between the others they need 1,000. Without its link a message has no better time, so its slowdown
 * is 1. */
static void slow_host_links_bound(void **state) {
  (void)state;
  file_of("hosts", "@end a s rate=0.25\n@end b s\n@end c s\n");
  file_of("out", "0 0 1 1000\n");
  file_of("in", "0 1 0 1000\n");
  file_of("beside", "0 1 2 1000\n");
  file_of("both", "0 1 0 1000\n0 2 0 1000\n");
  static const char *const slow[] = {"messages:out", "messages:in"};
  for (size_t i = 0; i < 2; i++) {
    assert_true(bound_of("graph:hosts", slow[i], "workload.ideal.path") == 4002);
    assert_true(bound_of("graph:hosts", slow[i], "workload.ideal.ports") == 4002);
    assert_true(bound_of("graph:hosts", slow[i], "job.1.ideal-cycles") == 4002);
    assert_true(bound_of("graph:hosts", slow[i], "workload.cycles") == 4002);
    assert_true(bound_of("graph:hosts", slow[i], "message.slowdown.mean") == 1);
  }
  assert_true(bound_of("graph:hosts", "messages:beside", "workload.ideal-cycles") == 1002);
  assert_true(bound_of("graph:hosts", "messages:both", "workload.ideal.path") == 4002);
  assert_true(bound_of("graph:hosts", "messages:both", "workload.ideal-cycles") == 8002);
}

/* Two messages of 1,000 flits cross the one cable between the switches, at half the rate: 4,000 cycles. A cable of 7
 * cycles between two of one each and two switches: 1 + 7 + 1 + 2 and 9 more flits. */
static void slow_and_long_cables_bound(void **state) {
  (void)state;
  file_of("halves", "@end a s\n@end b s\n@end c t\n@end d t\ns t rate=0.5\n");
  file_of("across", "0 0 2 1000\n0 1 3 1000\n");
  assert_true(bound_of("graph:halves", "messages:across", "workload.ideal.bisection") == 4000);
  assert_true(bound_of("graph:halves", "messages:across", "workload.ideal-cycles") == 4000);
  file_of("far", "@end a s\n@end b t\ns t delay=7\n");
  file_of("one", "0 0 1 10\n");
  assert_true(bound_of("graph:far", "messages:one", "workload.ideal.path") == 20);
  assert_true(bound_of("graph:far", "messages:one", "workload.cycles") == 20);
}

/* ------------------------------------------------------------------ several jobs */

static void jobs_start_and_end_on_their_own(void **state) {
  (void)state;
  ripstop_run_result r =
      result_of(one_switch, "barrier on packed:4 + allreduce:bytes=4096 on packed:8 at 500 + barrier on random:4");
  assert_true(ripstop_run_result_value(&r, "job.1.cycles") == 2 * t(1));
  assert_true(ripstop_run_result_value(&r, "job.2.cycles") == 14 * t(512));
  assert_true(ripstop_run_result_value(&r, "workload.cycles") == 500 + 14 * t(512));
  assert_true(ripstop_run_result_value(&r, "job.3.cycles") == 2 * t(1));
  ripstop_run_result_free(&r);
}

/* In a tree with 4 end nodes at a leaf: a message inside a leaf goes over two links, to another over four. */
static void places_are_where_they_are_said(void **state) {
  (void)state;
  const char *const packed = "allreduce:bytes=4000 on packed:4", *const racks = "allreduce:bytes=4000 on racks:4";
  const char *const spread = "allreduce:bytes=4000 on spread:4";
  ripstop_run_result r = result_of("kary-ntree:k=4,n=2", packed);
  assert_true(ripstop_run_result_value(&r, "workload.cycles") == 6 * t(1000));
  ripstop_run_result_free(&r);
  for (int i = 0; i < 2; i++) {
    r = result_of("kary-ntree:k=4,n=2", i ? spread : racks);
    assert_true(ripstop_run_result_value(&r, "workload.cycles") == 6 * (t(1000) + 4));
    ripstop_run_result_free(&r);
  }
}

/* The same collective on the same end nodes, by rule and from a file by names and numbers; in another order it takes
 * other routes. Tasks of others there are another job's. */
static void places_come_from_a_file(void **state) {
  (void)state;
  file_of("leaf", "# the first leaf\nend:0.0 0.1,2\n\n3 # its last\n");
  file_of("high", "8\n12\n9\n13\n");
  file_of("leaves", "0.0\n0.1\nend:1.0\n1.1\n");
  ripstop_run_result r = result_of("kary-ntree:k=4,n=2", "allreduce:bytes=4000 on file:leaf");
  assert_true(ripstop_run_result_value(&r, "workload.cycles") == 6 * t(1000));
  ripstop_run_result_free(&r);
  r = result_of("kary-ntree:k=4,n=2", "barrier on packed:8 + allreduce:bytes=4000 on file:high at 70");
  assert_true(ripstop_run_result_value(&r, "job.2.cycles") == 6 * (t(1000) + 4));
  assert_true(ripstop_run_result_value(&r, "workload.cycles") == 70 + 6 * (t(1000) + 4));
  ripstop_run_result_free(&r);
  r = result_of("kary-ntree:k=4,n=2", "allreduce:bytes=4000 on file:leaves");
  assert_true(ripstop_run_result_value(&r, "workload.cycles") == 6 * t(1000) + 3 * 4);
  ripstop_run_result_free(&r);
}

/* Places of a job among the 16 end nodes of four leaves: each `want` has the end node of each rank. */
static void servers_stay_together(void **state) {
  (void)state;
  const struct {
    const char *jobs;
    uint32_t number, ranks, want[8]; /* number: of the job that counts */
  } row[] = {{"barrier on packed:4/2", 0, 4, {0, 1, 2, 3}},
             {"barrier on racks:8/2", 0, 8, {0, 1, 4, 5, 8, 9, 12, 13}},
             {"barrier on spread:4/2", 0, 4, {0, 1, 8, 9}},
             {"barrier on packed:3 + barrier on packed:8/4", 1, 8, {4, 5, 6, 7, 8, 9, 10, 11}},
             {"barrier on packed:1 + barrier on racks:6/2", 1, 6, {2, 3, 4, 5, 8, 9}},
             {"barrier on racks:4/1", 0, 4, {0, 4, 8, 12}}};
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=4,n=2");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err = {0};
    job *all;
    size_t count;
    uint32_t busy[16] = {0};
    assert_int_equal(jobs_read(arena, row[i].jobs, &all, &count, &err), 0);
    if (jobs_place(arena, fabric, 1, all, count, busy, &err)) fail_msg("%s: %s", row[i].jobs, err.text);
    assert_memory_equal(all[row[i].number].end, row[i].want, row[i].ranks * sizeof *row[i].want);
    jobs_free(all, count);
    ripstop_arena_free(arena);
  }
  ripstop_fabric_free(fabric);
}

/* A random placement of servers of four takes whole leaves, each once, and not in the same order from every seed. */
static void random_servers_are_whole(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=4,n=2");
  uint32_t first[16] = {0}, others = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err = {0};
    job *all;
    size_t count;
    uint32_t busy[16] = {0};
    assert_int_equal(jobs_read(arena, "barrier on random:16/4", &all, &count, &err), 0);
    assert_int_equal(jobs_place(arena, fabric, seed, all, count, busy, &err), 0);
    for (uint32_t r = 0; r < 16; r++) {
      assert_int_equal(all->end[r], all->end[r / 4 * 4] + r % 4);
      assert_int_equal(all->end[r / 4 * 4] % 4, 0);
      assert_int_equal(busy[r], 1);
    }
    if (seed == 0) memcpy(first, all->end, sizeof first);
    others += memcmp(first, all->end, sizeof first) != 0;
    jobs_free(all, count);
    ripstop_arena_free(arena);
  }
  assert_true(others > 0);
  ripstop_fabric_free(fabric);
}

/* Runs are named by what the file holds, and it is found beside the experiment. */
static void files_of_places_are_hashed(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  const char *named, *opened, *again;
  file_of("leaf", "0 1 2 3\n");
  assert_int_equal(ripstop_workload_beside(arena, "barrier on file:leaf at 5", "./x.yaml", &named, &opened, &err), 0);
  assert_non_null(strstr(named, " on file:leaf,hash="));
  assert_non_null(strstr(opened, " on file:./leaf,hash="));
  assert_int_equal(ripstop_workload_beside(arena, opened, NULL, &again, &opened, &err), 0);
  assert_string_equal(again, named);
  file_of("leaf", "0 1 3 2\n");
  assert_int_equal(ripstop_workload_beside(arena, opened, NULL, &again, &opened, &err), -1);
  assert_non_null(strstr(err.text, "it has the hash"));
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ refusals */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  file_of("short", "0 1 2\n");
  file_of("self", "0 1 1 5\n");
  file_of("late", "0 0 1 5 1\n");
  file_of("strange", "0 0 1 5\n0 2 3 5 1\n");
  file_of("odd", "0 1\n2\n");
  file_of("word", "0 x\n");
  file_of("leaf", "0 1\n2 x\n");
  file_of("leaves", "0 1\n2 1\n");
  file_of("misspelt", "end:1x\n");
  file_of("high", "# no rank\n");
  const struct {
    const char *jobs, *message;
  } odd[] = {{"messages:short", "line 1: 3 numbers"},
             {"messages:self", "line 1: rank 1 cannot send to itself"},
             {"messages:late", "line 1: it comes after message 1, and 0 stand before it"},
             {"messages:strange", "line 2: rank 2 neither sends nor receives message 1"},
             {"matrix:odd", "line 2: 1 numbers, for 2 ranks"},
             {"matrix:word", "line 1: a whole number below 2^63 should stand here: 'x'"},
             {"stencil:grid=8y8", "grid '8y8' has not the form 8x8"},
             {"stencil:grid=5x5", "25 ranks, and there are 16 end nodes"},
             {"training:layers=3,pp=2", "3 layers are not as many on each of 2 stages"},
             {"training:tp=3 on packed:4", "3 ranks, and it was placed on 4 end nodes"},
             {"request-reply:servers=16", "16 servers leave no client among 16 ranks"},
             {"barrier on packed:17", "job 1 has 17 ranks, and 16 end nodes are left"},
             {"barrier + barrier", "no end node is left for job 2"},
             {"barrier on packed:2 + allreduce:bytes=1,way=rang", "job 2: workload allreduce: option 'way'"},
             {"barrier on packed:2 + barrier on packd", "job 2: workload.jobs: there is no placement 'packd'"},
             {"barrier on packed:2 + stencil:bytes=1,grid=5x5", "workload.jobs: job 2, stencil: "},
             {"barrier on file:leaf", "job 1: leaf: line 2: there is no end node 'x'"},
             {"barrier on file:misspelt", "job 1: misspelt: line 1: there is no end node 'end:1x'; did you mean '1'?"},
             {"barrier on file:leaves", "job 1: leaves: line 2: end node '1' belongs to job 1 already"},
             {"barrier on packed:2 + barrier on file:leaves", "job 2: leaves: line 1: end node '0' belongs to job 1"},
             {"barrier on file:high", "job 1: high: no end nodes"},
             {"barrier on file:nowhere", "nowhere: No such file"},
             {"barrier on file:", "the path of a file is missing"},
             {"barrier on fil:x", "did you mean file"},
             {"barrier at noon", "workload.jobs: at"},
             {"barrier on packed:0", "no ranks"},
             {"barrier on packed:6/4", "'6/4': 6 ranks are not whole servers of 4"},
             {"barrier on packed:6/0", "'6/0': 6 ranks are not whole servers of 0"},
             {"barrier on packed:6/x", "the end nodes of a server in '6/x'"},
             {"barrier on packed:x/2", "the number of ranks in 'x/2'"},
             {"barrier on packed:1 + barrier on random:12/8", "12 ranks are not whole servers of 8"},
             {"barrier on spread:4 + barrier on packed:4/4", "job 2 needs 1 servers of 4 end nodes, and 0 are free"},
             {"training:tensor=rack", "option 'tensor'"},
             {"allreduce", "bytes"}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    ripstop_error err = {0};
    ripstop_run_result r;
    if (!play_on(one_switch, odd[i].jobs, &r, &err)) fail_msg("%s is not refused", odd[i].jobs);
    if (!strstr(err.text, odd[i].message)) fail_msg("%s: %s", odd[i].jobs, err.text);
  }
}

/* In a folder of its own, where files are written. */
static int enter(void **state) {
  static char folder[] = "/tmp/ripstop-workload-XXXXXX";
  *state = folder;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
  static const char *const file[] = {"messages.csv", "matrix",   "turn",   "line",  "short", "self",
                                     "late",         "strange",  "odd",    "word",  "leaf",  "leaves",
                                     "high",         "misspelt", "across", "hosts", "out",   "in",
                                     "beside",       "both",     "halves", "far",   "one"};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) remove(file[i]);
  return rmdir(*state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_closed_forms),          cmocka_unit_test(small_examples_are_complete),
      cmocka_unit_test(halves_of_a_ring_bound),          cmocka_unit_test(slow_host_links_bound),
      cmocka_unit_test(slow_and_long_cables_bound),      cmocka_unit_test(messages_are_sent_when_they_may_be),
      cmocka_unit_test(jobs_start_and_end_on_their_own), cmocka_unit_test(places_are_where_they_are_said),
      cmocka_unit_test(places_come_from_a_file),         cmocka_unit_test(servers_stay_together),
      cmocka_unit_test(random_servers_are_whole),        cmocka_unit_test(files_of_places_are_hashed),
      cmocka_unit_test(what_cannot_be_is_refused)};
  return RUN_GROUP(tests, enter, leave);
}
