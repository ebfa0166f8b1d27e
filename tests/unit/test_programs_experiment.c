/* Programs in experiments: `program:` in place of `traffic:`; its keys are axes like any other, its runs have names and
 * outcomes of their own, and the number of workers changes nothing. */
#include <math.h>
#include <string.h>

#include "campaign/workers.h"
#include "check.h"
#include "opened.h"

static const char text[] = "fabric: torus:2x4\n"
                           "method: minimal-adaptive:escape=bubble\n"
                           "program:\n"
                           "  kernel: [\"fft:points=256\", \"lu:block=4,size=32\"]\n"
                           "  faults: [0, 1]\n"
                           "  limit: 100000\n"
                           "faults: {samples: 2}\n"
                           "measure: {window: 1000}\n"
                           "quick: {program.faults: 0, program.kernel: fft:points=64}\n"
                           "figures:\n"
                           "  - {id: time, x: program.faults, y: program.time, by: program.kernel}\n"
                           "  - {id: curve, x: cycle, y: accepted, by: [program.kernel, program.faults]}\n";

enum { RUNS = 8 };

static double value(const ripstop_outcome *o, const char *name) { return value_of(o, name)->value; }

static void runs_are_named(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs(text);
  assert_int_equal(runs->count, RUNS);
  assert_string_equal(ripstop_run_key(&runs->run[0], "kind"), "program");
  assert_string_equal(ripstop_run_key(&runs->run[0], "program.kernel"), "fft:points=256");
  assert_string_equal(ripstop_run_key(&runs->run[2], "program.kernel"), "lu:size=32,block=4");
  assert_string_equal(ripstop_run_key(&runs->run[1], "program.faults"), "1");
  assert_null(ripstop_run_key(&runs->run[0], "traffic.load"));
  for (size_t i = 0; i < RUNS; i++)
    for (size_t j = 0; j < i; j++) assert_string_not_equal(runs->run[i].id, runs->run[j].id);
  close_runs(runs);
  runs = open_variant(text, &(ripstop_variant){.quick = true});
  assert_int_equal(runs->count, 2); /* samples */
  assert_string_equal(ripstop_run_key(&runs->run[0], "program.kernel"), "fft:points=64");
  close_runs(runs);
}

typedef struct record {
  const ripstop_runs *runs;
  double time[RUNS], right[RUNS];
  size_t windows[RUNS];
} record;

static int note(void *context, const ripstop_run *run, const ripstop_outcome *o) {
  record *r = context;
  size_t at = (size_t)(run - r->runs->run);
  r->time[at] = value(o, "program.time"), r->right[at] = value(o, "program.right");
  r->windows[at] = o->windows;
  bool faults = strcmp(ripstop_run_key(run, "program.faults"), "0") != 0;
  if (!faults) assert_string_equal(o->verdict, "steady");
  if (!faults) assert_true(r->right[at] == 1 && r->windows[at] > 3);
  assert_true(isnan(r->time[at]) == !value(o, "program.done"));
  return 0;
}

static record execute(unsigned threads) {
  ripstop_runs *runs = open_runs(text);
  record r = {.runs = runs};
  const ripstop_run *list[RUNS];
  list_runs(runs, list);
  ripstop_workers workers = {.threads = threads, .done = note, .context = &r};
  assert_int_equal(ripstop_work(list, RUNS, &workers), 0);
  close_runs(runs);
  return r;
}

static void workers_change_nothing(void **state) {
  (void)state;
  record one = execute(1), two = execute(2);
  assert_memory_equal(one.time, two.time, sizeof one.time);
  assert_memory_equal(one.right, two.right, sizeof one.right);
  assert_memory_equal(one.windows, two.windows, sizeof one.windows);
  assert_true(one.time[0] != one.time[4]); /* another sample, other numbers */
}

/* A program that does not end is an error, unless the network gives a reason. */
static void programs_that_do_not_end_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *options, *verdict, *reason;
  } cases[] = {
      {"dor:bubble=on\nprogram: {kernel: \"fft:points=256\", limit: 400}\n", "error",
       "fft:points=256 has not come to its end in 400 cycles, program.limit"},
      {"dor:bubble=on\nprogram: {kernel: \"fft:points=256\", limit: 30000, faults: 3}\n", "lossy", NULL},
      {"dor:bubble=on\nfaults: {schedule: \"switch:0.1@100\"}\nprogram: {kernel: \"fft:points=256\", limit: 30000}\n",
       "lossy", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_outcome o;
    char text_[500];
    snprintf(text_, sizeof text_,
             "fabric: torus:2x4\nmethod: %sfigures: [{id: f, x: program.faults, y: program.done}]\n", cases[i].options);
    ripstop_runs *runs = open_runs(text_);
    assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &o), 0);
    assert_string_equal(o.verdict, cases[i].verdict);
    if (cases[i].reason) assert_string_equal(o.reason, cases[i].reason);
    assert_true(value(&o, "program.done") == 0);
    ripstop_outcome_free(&o);
    close_runs(runs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_named), cmocka_unit_test(workers_change_nothing),
                                     cmocka_unit_test(programs_that_do_not_end_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
