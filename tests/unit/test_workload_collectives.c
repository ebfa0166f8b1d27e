/* Collectives: each does what its name says, for any number of ranks that it takes, and on a switch alone in the time
 * of its closed form; what is missing or there twice is noticed. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/plugin/workload.h"
#include "stand.h"
#include "workload/held.h"
#include "workload/workload_run.h"

typedef struct setting {
  const char *fabric, *method, *options; /* options of the workload */
  int64_t in_queue;
} setting;

static const setting one_switch = {"mport-ntree:m=16,n=1", "updown", "", 64};

static int play(const setting *s, const char *jobs, const char *faults, ripstop_run_result *result,
                ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = 1}};
  const char *options = ripstop_arena_printf(arena, "jobs=x%s%s", *s->options ? "," : "", s->options);
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  if (ripstop_options_parse(arena, "workload", ripstop_workload_options, &run.config, options, err))
    fail_msg("%s", err->text);
  run.simulation.switch_.in_queue = s->in_queue;
  run.config.jobs = jobs;
  ripstop_fabric *fabric = open_fabric(s->fabric);
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_schedule schedule;
  if (ripstop_schedule_parse(arena, names, faults, strlen(faults), &schedule, err)) fail_msg("%s", err->text);
  run.simulation.schedule = &schedule;
  stand run_setup = stand_on(fabric, s->method, NULL);
  int status = ripstop_workload_agent(run_setup.plan, &run, result, err);
  stand_close(&run_setup);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return status;
}

/* The time of jobs that are complete. */
static double time_of(const setting *s, const char *jobs, const char *faults) {
  ripstop_error err;
  ripstop_run_result r;
  if (play(s, jobs, faults, &r, &err)) fail_msg("%s: %s", jobs, err.text);
  if (ripstop_run_result_value(&r, "workload.complete") != 1) fail_msg("%s is not complete", jobs);
  const double cycles = ripstop_run_result_value(&r, "workload.cycles");
  assert_true(ripstop_run_result_value(&r, "workload.ideal-cycles") <= cycles);
  assert_true(ripstop_run_result_value(&r, "message.slowdown.mean") >= 1);
  ripstop_run_result_free(&r);
  return cycles;
}

/* ------------------------------------------------------------------ everything comes where it belongs */

static const char *const any_number[] = {
    "allreduce:bytes=5000",
    "allreduce:bytes=5000,channels=3,repeat=2",
    "allreduce:bytes=5000,way=halving",
    "allreduce:bytes=5000,way=halving,channels=2,repeat=2",
    "allreduce:bytes=5000,way=tree,chunks=3",
    "allreduce:bytes=5000,way=double-tree,chunks=2,channels=2,repeat=3",
    "allgather:bytes=5000",
    "reduce-scatter:bytes=5000",
    "alltoall:bytes=300",
    "alltoall:bytes=300,way=pairwise",
    "alltoall:bytes=300,way=bruck",
    "broadcast:bytes=5000",
    "broadcast:bytes=5000,way=binary,chunks=4",
    "broadcast:bytes=5000,way=chain,chunks=7",
    "broadcast:bytes=5000,chunks=3,repeat=3",
    "reduce-scatter:bytes=5000,repeat=2",
    "alltoall:bytes=300,repeat=3",
    "barrier",
};
static const char *const powers[] = {"allgather:bytes=5000,way=doubling", "reduce-scatter:bytes=5000,way=halving"};
enum { ANY = sizeof any_number / sizeof *any_number, POWERS = sizeof powers / sizeof *powers };

static void try_on(const setting *s, const char *job, unsigned ranks, const char *faults) {
  char jobs[128];
  snprintf(jobs, sizeof jobs, "%s on random:%u", job, ranks);
  time_of(s, jobs, faults);
}

static void all_is_where_it_belongs(void **state) {
  (void)state;
  for (unsigned ranks = 2; ranks <= 16; ranks++)
    for (size_t i = 0; i < ANY; i++) try_on(&one_switch, any_number[i], ranks, "");
  for (unsigned ranks = 2; ranks <= 16; ranks *= 2)
    for (size_t i = 0; i < POWERS; i++) try_on(&one_switch, powers[i], ranks, "");
  for (unsigned ranks = 4; ranks <= 16; ranks += 4)
    try_on(&one_switch, "allreduce:bytes=5000,way=two-level,node=4", ranks, "");
}

/* Packets are lost on links that die, and are sent again. */
static void faults_lose_nothing(void **state) {
  (void)state;
  const setting torus = {"torus:4x4", "immunet", "packet=64,retry=500", 4};
  for (size_t i = 0; i < ANY; i++)
    try_on(&torus, any_number[i], 16, "0.1/0@40 2.2/1@90 switch:3.3@130 switch:3.3+@900");
}

/* ------------------------------------------------------------------ closed forms */

/* On a switch: a flit needs L = 2 link + pipeline = 3 cycles, and a message of s bytes T(s) = L + s - 1. */
static double t(double s) { return 3 + s - 1; }

static void times_are_closed_forms(void **state) {
  (void)state;
  const double n = 65536, p = 16;
  const struct {
    const char *jobs;
    double time;
  } form[] = {
      {"allreduce:bytes=65536", 2 * (p - 1) * t(n / p)},
      {"allreduce:bytes=65536,way=halving", 2 * (t(n / 2) + t(n / 4) + t(n / 8) + t(n / 16))},
      {"allreduce:bytes=65536,way=two-level,node=4", 2 * (3 * t(n / 4) + 3 * t(n / 16))},
      {"allgather:bytes=65536", (p - 1) * t(n / p)},
      {"allgather:bytes=65536,way=doubling", t(n / 2) + t(n / 4) + t(n / 8) + t(n / 16)},
      {"reduce-scatter:bytes=65536", (p - 1) * t(n / p)},
      {"alltoall:bytes=4096", (p - 2) * 4096 + t(4096)},
      {"alltoall:bytes=4096,way=pairwise", (p - 1) * t(4096)},
      {"alltoall:bytes=4096,way=bruck", 4 * t(4096 * p / 2)},
      {"broadcast:bytes=4096", 4 * t(4096)},
      {"broadcast:bytes=65536,way=chain,chunks=16", (p - 1) * t(4096) + 15 * 4096},
      {"broadcast:bytes=65536,way=chain", (p - 1) * t(4096) + 15 * 4096},  /* a pipeline by itself */
      {"broadcast:bytes=131072,way=chain", (p - 1) * t(8192) + 15 * 8192}, /* 16 chunks at most */
      {"broadcast:bytes=4095,way=chain", (p - 1) * t(4095)},
      {"barrier", 4 * t(1)},
      {"allgather:bytes=65536,repeat=3", 3 * (p - 1) * t(n / p)},
      {"reduce-scatter:bytes=65536,repeat=2,way=halving", 2 * (t(n / 2) + t(n / 4) + t(n / 8) + t(n / 16))},
      {"alltoall:bytes=4096,way=pairwise,repeat=2", 2 * (p - 1) * t(4096)},
      {"alltoall:bytes=4096,way=bruck,repeat=2", 2 * 4 * t(4096 * p / 2)},
      {"alltoall:bytes=4096,repeat=2", 2 * ((p - 2) * 4096 + t(4096))},
      {"barrier:repeat=5", 5 * 4 * t(1)},
      {"broadcast:bytes=4096,way=chain,repeat=3", 3 * (p - 1) * t(4096) + 2 * t(1)},
  };
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    if (time_of(&one_switch, form[i].jobs, "") != form[i].time)
      fail_msg("%s: %.0f cycles, not %.0f", form[i].jobs, time_of(&one_switch, form[i].jobs, ""), form[i].time);
}

/* Ranks 8 to 10 give what they have to 0 to 2 and get it from them. What the others of the eight send meanwhile
 * shares the links of these three, which is no more than they get in one half of the way. */
static void odd_ranks_fold_into_a_power_of_two(void **state) {
  (void)state;
  const double n = 65536, least = 2 * t(n) + 2 * (t(n / 2) + t(n / 4) + t(n / 8));
  const double cycles = time_of(&one_switch, "allreduce:bytes=65536,way=halving on packed:11", "");
  if (cycles < least || cycles > least + n - n / 8) fail_msg("%.0f cycles, at least %.0f", cycles, least);
}

/* Headers and short packets make messages longer; the rest of the closed form stays, on any idle fabric. */
static void rings_are_near_the_closed_form_on_idle_fabrics(void **state) {
  (void)state;
  const double p = 64, bytes = 1 << 20, packets = ceil(bytes / p / 1024);
  const double s = bytes / p / 4 + packets * 2; /* flits of a message */
  const setting idle[] = {{"kary-ntree:k=8,n=2", "updown", "flit=4,packet=1024,header=2", 16},
                          {"torus:8x8", "dor:dateline=on", "flit=4,packet=1024,header=2", 16}};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
    const double form = 2 * (p - 1) * t(s);
    const double cycles = time_of(&idle[i], "allreduce:bytes=1048576", "");
    if (fabs(cycles / form - 1) > 0.01) fail_msg("%s: %.0f cycles, not %.0f", idle[i].fabric, cycles, form);
  }
}

/* ------------------------------------------------------------------ mistakes are noticed */

/* After the first of them: all would need some 30 GB. */
static void too_many_repetitions_are_refused(void **state) {
  (void)state;
  static const char *const jobs[] = {
      "allreduce:bytes=1,repeat=1000000",      "allgather:bytes=1,repeat=1000000",
      "alltoall:bytes=1,repeat=1000000",       "barrier:repeat=1000000",
      "reduce-scatter:bytes=1,repeat=1000000", "broadcast:bytes=1,chunks=9,repeat=1000000",
      "stencil:grid=16x8,steps=1000000"};
  const setting large = {"mport-ntree:m=16,n=2", "updown", "", 64};
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    ripstop_error err = {0};
    ripstop_run_result r;
    assert_int_equal(play(&large, jobs[i], "", &r, &err), -1);
    if (!strstr(err.text, "1000000 times ") || !strstr(err.text, "tasks are more than the 1073741824"))
      fail_msg("%s: %s", jobs[i], err.text);
  }
  ripstop_error err = {0};
  ripstop_run_result r;
  assert_int_equal(play(&large, "broadcast:bytes=1,chunks=65536,repeat=1000000 on packed:1", "", &r, &err), -1);
  assert_non_null(strstr(err.text, "1000000 times 65536 parts are more than the 1073741824"));
}

/* Two ranks add each other's word, so often. */
static bool is_right_after(const char *name, unsigned times) {
  ripstop_error err;
  const ripstop_workload *kind = ripstop_workload_find(name, strlen(name), &err);
  ripstop_tasks *tasks = tasks_new(2, 2, true, 1);
  ripstop_tasks_words(tasks, 1);
  const ripstop_piece piece = {.count = 1, .run = 1, .how = RIPSTOP_CARRY_ADD};
  ripstop_message m[2] = {ripstop_tasks_message(tasks, 0, 1, 8), ripstop_tasks_message(tasks, 1, 0, 8)};
  for (int i = 0; i < 2; i++) ripstop_tasks_carry(tasks, m[i], &piece);
  struct {
    int64_t bytes, channels, chunks, node, repeat;
    int32_t candidate;
  } config = {.bytes = 8, .channels = 1, .chunks = 1, .node = 1, .repeat = 1}; /* the same as allreduce's */
  held *w = held_open(kind, &config, tasks, tasks->arena);
  for (int i = 0; i < 2; i++) held_leave(w, tasks, m[i].send);
  for (unsigned n = 0; n < times; n++)
    for (int i = 0; i < 2; i++) held_arrive(w, tasks, m[i].send);
  bool right = held_is_right(w, kind, &config, tasks);
  tasks_free(tasks);
  return right;
}

static void twice_and_never_are_wrong(void **state) {
  (void)state;
  assert_false(is_right_after("allreduce", 0));
  assert_true(is_right_after("allreduce", 1));
  assert_false(is_right_after("allreduce", 2));
}

static void sums_are_those_of_all_ranks(void **state) {
  (void)state;
  for (uint32_t ranks = 1; ranks < 200; ranks++) {
    uint64_t sum = 0;
    for (uint32_t r = 0; r < ranks; r++) sum += held_own(r, 7);
    assert_int_equal(sum, held_sum(ranks, 7));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_is_where_it_belongs),
                                     cmocka_unit_test(faults_lose_nothing),
                                     cmocka_unit_test(times_are_closed_forms),
                                     cmocka_unit_test(odd_ranks_fold_into_a_power_of_two),
                                     cmocka_unit_test(rings_are_near_the_closed_form_on_idle_fabrics),
                                     cmocka_unit_test(too_many_repetitions_are_refused),
                                     cmocka_unit_test(twice_and_never_are_wrong),
                                     cmocka_unit_test(sums_are_those_of_all_ranks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
