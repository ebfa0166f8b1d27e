/* test_workload_checkpoint.c - checkpoints of jobs and the return to the last one after a fault (paper 002, section 4):
 * cycle by cycle against arithmetic, against the closed forms of Young (1974) and Daly (2006), and that no result is
 * lost or counted twice. */
#include "run_workload.h"

typedef struct costs {
  uint64_t period, write, restart, detect, recompute, resume;
  const char *drain;
} costs;

static ripstop_run_result play_faults(const char *fabric, const char *jobs, const costs *c, const char *faults) {
  char text[160];
  snprintf(text, sizeof text, "packet=16,retry=50,checkpoint=%llu,checkpoint_cost=%llu,restart_cost=%llu",
           (unsigned long long)c->period, (unsigned long long)c->write, (unsigned long long)c->restart);
  const ripstop_reconfiguration_config reconfiguration = {.model = RIPSTOP_RECONFIGURATION_STATIC,
                                                          .drain =
                                                              c->drain ? RIPSTOP_DRAIN_DISCARD : RIPSTOP_DRAIN_DELIVER,
                                                          .detect = (int64_t)c->detect,
                                                          .recompute = (int64_t)c->recompute,
                                                          .resume = (int64_t)c->resume};
  const setting s = {
      .fabric = fabric, .method = "updown", .jobs = jobs, .options = text, .faults = faults, .seed = 1, .in_queue = 4};
  return play_reacting(&s, &reconfiguration);
}

/* ------------------------------------------------------------------ computations, by arithmetic */

typedef struct account {
  uint64_t end, written, paused, rollbacks, halted, repeated;
} account;

/* One computation of `work` cycles. `detect` cycles after a fault the network stops; nothing is in it, so it goes on
 * `recompute` + `resume` cycles later, unless another fault begins the computing again, and the job a restart later. */
static account expect(uint64_t work, const costs *c, const uint64_t *fault, size_t faults) {
  account a = {0};
  uint64_t now = 0, done = 0, kept = 0, top = 0; /* cycles of work done, and kept in the last checkpoint */
  size_t next = 0;
  bool writing = false;
  for (uint64_t left = c->period; done < work || writing;) {
    const uint64_t step = writing ? left : (work - done < left ? work - done : left);
    const uint64_t stop = next < faults ? fault[next] + c->detect : UINT64_MAX;
    if (now + step < stop || (now + step == stop && !writing && done + step == work)) {
      now += step;
      if (writing)
        a.written++, a.paused += step, kept = done, left = c->period, writing = false;
      else
        done += step, left -= step, writing = left == 0 && done < work, left = writing ? c->write : left;
      continue;
    }
    if (writing) a.paused += stop - now;
    if (!writing) done += stop - now;
    top += done - kept;
    uint64_t ready = stop + c->recompute + c->resume;
    for (next++; next < faults && fault[next] <= ready; next++) ready = fault[next] + c->recompute + c->resume;
    a.rollbacks++;
    a.halted += ready + c->restart - stop;
    now = ready + c->restart;
    done = kept, left = c->period, writing = false;
  }
  a.end = now;
  a.repeated = top;
  return a;
}

static void compute_job(const char *path, uint64_t work) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "num_ranks 1\nrank 0 {\ncalc %llu\n}\n", (unsigned long long)work);
  fclose(f);
}

static void computations_end_when_arithmetic_says(void **state) {
  (void)state;
  static const struct {
    uint64_t work;
    costs c;
    const char *faults;
    uint64_t fault[3];
    size_t count;
  } runs[] = {
      {10000, {1000, 100, 300, 0, 0, 0, NULL}, "", {0}, 0},
      {10000, {1000, 100, 300, 0, 0, 0, NULL}, "0/0/4@1500", {1500}, 1},
      {10000, {1000, 100, 300, 50, 200, 70, NULL}, "0/0/4@1500 0/0/5@3000", {1500, 3000}, 2},
      {10000, {1000, 100, 300, 0, 200, 70, NULL}, "0/0/4@1050", {1050}, 1},                  /* while it is written */
      {10000, {1000, 100, 300, 0, 200, 70, NULL}, "0/0/4@500", {500}, 1},                    /* before the first */
      {10000, {1000, 100, 300, 0, 200, 70, NULL}, "0/0/4@5000 0/0/5@5100", {5000, 5100}, 2}, /* while it computes */
      {5000, {256, 0, 0, 0, 0, 0, NULL}, "0/0/4@700 0/0/5@701 0/0/6@3000", {700, 701, 3000}, 3},
      {5000, {1000000, 0, 10, 0, 0, 0, "discard"}, "0/0/4@4999", {4999}, 1}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    compute_job("job.goal", runs[i].work);
    const account a = expect(runs[i].work, &runs[i].c, runs[i].fault, runs[i].count);
    ripstop_run_result r = play_faults("kary-ntree:k=4,n=2", "goal:job.goal on packed:1", &runs[i].c, runs[i].faults);
    print_message("%s: %.0f cycles, expected %llu\n", runs[i].faults, the_value(&r, "workload.cycles"),
                  (unsigned long long)a.end);
    assert_true(the_value(&r, "workload.cycles") == (double)a.end);
    assert_true(the_value(&r, "checkpoint.count") == (double)a.written);
    assert_true(the_value(&r, "checkpoint.cycles") == (double)a.paused);
    assert_true(the_value(&r, "rollback.count") == (double)a.rollbacks);
    assert_true(the_value(&r, "rollback.cycles") == (double)a.halted);
    assert_true(the_value(&r, "rollback.repeated") == (double)a.repeated);
    assert_true(a.end == runs[i].work + a.paused + a.halted + a.repeated);
    ripstop_run_result_free(&r);
  }
  remove("job.goal");
}

/* A checkpoint that is written after the part failed, and before that is detected, is not gone back to. */
static void a_state_after_the_fault_is_not_kept(void **state) {
  (void)state;
  const costs c = {1000, 100, 0, 500, 0, 0, NULL};
  compute_job("job.goal", 5000);
  ripstop_run_result r = play_faults("kary-ntree:k=4,n=2", "goal:job.goal on packed:1", &c, "0/0/4@2000");
  /* Checkpoints end in cycles 1100 and 2200; the fault is at 2000, the stop at 2500: 1,300 cycles of work are lost. */
  assert_true(the_value(&r, "rollback.repeated") == 1300);
  assert_true(the_value(&r, "rollback.count") == 1);
  ripstop_run_result_free(&r);
  remove("job.goal");
}

/* ------------------------------------------------------------------ messages */

/* Collectives end with the right words whenever the faults come, and the cycles are all accounted for. */
static void collectives_end_right(void **state) {
  (void)state;
  static const char *const jobs[] = {
      "allreduce:bytes=2000 on packed:8", "alltoall:bytes=300,repeat=3 on spread:8",
      "broadcast:bytes=4000,way=chain on spread:6 + barrier:repeat=20 on packed:5 at 900",
      "stencil:grid=4x2,bytes=64,compute=300,steps=8", "random:every=40,bytes=16,cycles=3000 on packed:10"};
  static const char *const drains[] = {NULL, "discard"};
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
    for (uint64_t at = 300; at < 2600; at += 230)
      for (int d = 0; d < 2; d++) {
        char faults[80];
        const costs c = {400, 60, 150, at % 3 * 40, 100, 20, drains[d]};
        snprintf(faults, sizeof faults, "0/0/4@%llu 0/1/5@%llu 0/0/4+@%llu", (unsigned long long)at,
                 (unsigned long long)(at + 333), (unsigned long long)(at + 700));
        ripstop_run_result r = play_faults("kary-ntree:k=4,n=2", jobs[i], &c, faults);
        assert_true(the_value(&r, "workload.complete") == 1);
        assert_true(the_value(&r, "rollback.count") >= 1 || the_value(&r, "workload.late-changes") > 0);
        ripstop_run_result_free(&r);
      }
}

/* Without a fault, and a checkpoint beyond the end, rows are those without checkpoints. */
static void no_checkpoint_is_no_change(void **state) {
  (void)state;
  static const char job[] = "stencil:grid=4x2,bytes=64,compute=300,steps=8";
  const costs never = {1000000000, 100, 100, 0, 0, 0, NULL}, none = {0};
  ripstop_run_result a = play_faults("kary-ntree:k=4,n=2", job, &never, ""),
                     b = play_faults("kary-ntree:k=4,n=2", job, &none, "");
  static const char *const same[] = {"workload.cycles", "message.completion.mean", "message.count", "latency.mean"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) assert_true(the_value(&a, same[i]) == the_value(&b, same[i]));
  assert_true(the_value(&a, "checkpoint.count") == 0 && isnan(ripstop_run_result_value(&b, "checkpoint.count")));
  ripstop_run_result_free(&a);
  ripstop_run_result_free(&b);
}

/* A repair alone rolls nothing back. */
static void repairs_roll_nothing_back(void **state) {
  (void)state;
  const costs c = {400, 60, 150, 0, 100, 20, NULL};
  ripstop_run_result r =
      play_faults("kary-ntree:k=4,n=2", "stencil:grid=4x2,bytes=64,compute=300,steps=8", &c, "0/0/4@1000 0/0/4+@2000");
  assert_true(the_value(&r, "stops") == 2);
  assert_true(the_value(&r, "rollback.count") == 1);
  ripstop_run_result_free(&r);
}

static void rows_do_not_depend_on_threads(void **state) {
  (void)state;
  const ripstop_reconfiguration_config reconfiguration = {.model = RIPSTOP_RECONFIGURATION_STATIC, .recompute = 100};
  setting s = {.fabric = "kary-ntree:k=4,n=2",
               .method = "updown",
               .jobs = "alltoall:bytes=300,repeat=3",
               .options = "packet=16,retry=50,checkpoint=400,checkpoint_cost=60,restart_cost=150",
               .faults = "0/0/4@1000 0/1/5@1500",
               .seed = 1,
               .threads = 1,
               .in_queue = 4};
  ripstop_run_result one = play_reacting(&s, &reconfiguration);
  s.threads = 3;
  ripstop_run_result three = play_reacting(&s, &reconfiguration);
  assert_true(the_value(&one, "rollback.count") == 2);
  assert_true(rows_are_equal(&one, &three));
  ripstop_run_result_free(&one);
  ripstop_run_result_free(&three);
}

/* ------------------------------------------------------------------ Young and Daly */

enum { MEAN = 20000, WRITE = 200, RESTART = 300, WORK = 400000, RUNS = 40, FAULTS = 112 };

/* Failures with a constant rate: link i of the tree fails at the i-th time. */
static void draw_faults(uint64_t seed, ripstop_text *out) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, 99);
  double at = 0;
  for (uint32_t i = 0; i < FAULTS; i++) {
    at += -log(1 - ripstop_stream_unit(&stream)) * MEAN;
    ripstop_text_add(out, "%s%u/%u.%u/%u@%.0f", i ? " " : "", i / 64, i / 16 % 4, i / 4 % 4, 4 + i % 4, ceil(at));
  }
}

/* Cycles of the whole run, mean, with checkpoints after so many cycles of work. */
static double mean_cycles(uint64_t period, double *error) {
  const costs c = {period, WRITE, RESTART, 0, 0, 0, NULL};
  double sum = 0, squares = 0;
  for (uint64_t seed = 1; seed <= RUNS; seed++) {
    ripstop_text faults = {0};
    draw_faults(seed, &faults);
    ripstop_run_result r = play_faults("kary-ntree:k=4,n=3", "goal:job.goal on packed:1", &c, faults.data);
    const double cycles = the_value(&r, "workload.cycles");
    sum += cycles, squares += cycles * cycles;
    ripstop_run_result_free(&r);
    ripstop_text_free(&faults);
  }
  *error = sqrt((squares / RUNS - sum / RUNS * (sum / RUNS)) / (RUNS - 1));
  return sum / RUNS;
}

/* Daly (2006), equation 13: M exp(R / M) (exp((T + C) / M) - 1) W / T. */
static double daly(double period) {
  return MEAN * exp((double)RESTART / MEAN) * (exp((period + WRITE) / MEAN) - 1) * WORK / period;
}

/* The means are Daly's, and the best period is Young's, sqrt(2 C M), here 2828. */
static void periods_are_those_of_young_and_daly(void **state) {
  (void)state;
  static const double times[] = {0.25, 0.5, 1, 2, 4};
  const double young = sqrt(2. * WRITE * MEAN);
  double mean[5], error;
  compute_job("job.goal", WORK);
  for (int i = 0; i < 5; i++) {
    const uint64_t period = (uint64_t)(times[i] * young);
    mean[i] = mean_cycles(period, &error);
    print_message("period %llu: %.0f +- %.0f, Daly %.0f\n", (unsigned long long)period, mean[i], error,
                  daly((double)period));
    assert_true(fabs(mean[i] - daly((double)period)) < 3.5 * error);
  }
  assert_true(mean[2] < mean[1] && mean[2] < mean[3]);
  assert_true(mean[1] < mean[0] && mean[3] < mean[4]);
  remove("job.goal");
}

/* ------------------------------------------------------------------ refusals */

static void refuse(const char *options, int32_t model, const char *message) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = 1, .reconfiguration = {.model = model}}};
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  const char *text = ripstop_arena_printf(arena, "jobs=barrier,%s", options);
  assert_int_equal(ripstop_options_parse(arena, "workload", ripstop_workload_options, &run.config, text, &err), 0);
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=4,n=2");
  stand run_setup = stand_on(fabric, "updown", NULL);
  assert_int_equal(ripstop_workload_check(run_setup.plan, &run, &err), -1);
  assert_string_equal(err.text, message);
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  refuse("checkpoint_cost=5", RIPSTOP_RECONFIGURATION_STATIC,
         "workload.checkpoint_cost has no effect without workload.checkpoint");
  refuse("restart_cost=5", RIPSTOP_RECONFIGURATION_STATIC,
         "workload.restart_cost has no effect without workload.checkpoint");
  refuse("checkpoint=255", RIPSTOP_RECONFIGURATION_STATIC, "workload.checkpoint is 255 cycles; it must be 256 or more");
  refuse("checkpoint=256", RIPSTOP_RECONFIGURATION_DYNAMIC,
         "workload.checkpoint needs reaction.model=static, which stops the jobs at a fault");
  refuse("checkpoint=256,transport=selective", RIPSTOP_RECONFIGURATION_STATIC,
         "workload.checkpoint needs workload.transport=none: flows of a transport are not saved");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computations_end_when_arithmetic_says),
      cmocka_unit_test(a_state_after_the_fault_is_not_kept),
      cmocka_unit_test(collectives_end_right),
      cmocka_unit_test(no_checkpoint_is_no_change),
      cmocka_unit_test(repairs_roll_nothing_back),
      cmocka_unit_test(rows_do_not_depend_on_threads),
      cmocka_unit_test(periods_are_those_of_young_and_daly),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests_name("workload checkpoint", tests, NULL, NULL);
}
