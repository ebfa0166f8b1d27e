/* test_progress.c - long work reports its progress, and can be cancelled in the middle: plans, proofs and runs free
 * all that they had allocated. */
#include <stdatomic.h>

#include "base/memory.h"
#include "check.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/plan.h"
#include "route/plan_steps.h"
#include "scarce.h"

static atomic_int stop;
static unsigned told,
    stop_at; /* how often it was called, and the call that cancels the work, from 1 on; 0: none does */

static void tell(void *context, const char *what, uint64_t done, uint64_t of) {
  (void)context;
  assert_true(what && *what && done < of);
  if (++told == stop_at) atomic_store(&stop, 1);
}

/* Runs work with the progress function `tell`; -1: it has not returned. */
static int set_off(void (*work)(void *argument), void *argument, bool may_stop, unsigned at, ripstop_error *err) {
  told = 0;
  stop_at = at;
  atomic_store(&stop, 0);
  ripstop_guard outer;
  ripstop_guard_begin(&outer, true);
  ripstop_guard_course(&(ripstop_course){.stop = may_stop ? &stop : NULL, .tell = tell});
  const int status = ripstop_try(work, argument, err);
  ripstop_guard_end(&outer);
  return status;
}

typedef struct place {
  const char *fabric, *method;
} place;

static const place places[] = {{"torus:4x4", "shortest-table"},
                               {"hyperx:3x3,p=2", "minimal"},
                               {"dragonfly:a=2,p=1,h=1", "valiant"},
                               {"kary-ntree:k=2,n=3", "opensm-minhop"},
                               {"kary-ntree:k=2,n=3", "opensm-ftree"},
                               {"torus:4x4", "opensm-dfsssp"},
                               {"torus:4x4", "opensm-lash"},
                               {"kary-ntree:k=2,n=3", "mend"},
                               {"hyperx:3x3,p=2", "mend:lanes=2"},
                               {"torus:4x4", "mend:ways=adaptive"},
                               {"torus:4x4", "ordered"},
                               {"kns:k=3,n=3", "intermediate-nodes"}};

static void make_plan(void *place_) {
  const place *p = place_;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(p->fabric, &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, p->method, NULL, &err);
  if (!plan || ripstop_plan_tables(plan, &err) != RIPSTOP_APPLIES) fail_msg("%s: %s", p->method, err.text);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void plans_end_in_their_midst(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    place p = places[i];
    ripstop_error err = {0};
    const long long before = scarce_live;
    assert_int_equal(set_off(make_plan, &p, true, 0, &err), 0);
    const unsigned all = told, step = 1 + all / 40;
    if (all < 2) fail_msg("%s reports nothing", p.method);
    for (unsigned at = 1; at < all; at += step) {
      if (set_off(make_plan, &p, true, at, &err) != -1) fail_msg("%s goes on after %u steps", p.method, at);
      assert_string_equal(err.text, "stopped");
      assert_false(err.machine);
      assert_int_equal(scarce_live, before);
    }
    assert_int_equal(set_off(make_plan, &p, false, 1, &err), 0); /* no call may */
  }
}

/* A call behind one that was stopped is not, and its failure is its own. */
static void run_out(void *argument) {
  (void)argument;
  (void)ripstop_realloc(NULL, SIZE_MAX / 2, 3);
}

static void what_comes_behind_is_not_stopped(void **state) {
  (void)state;
  place p = places[0];
  ripstop_error err = {0};
  assert_int_equal(set_off(make_plan, &p, true, 1, &err), -1);
  told = 0;
  assert_int_equal(ripstop_try(make_plan, &p, &err), 0);
  assert_int_equal(told, 0);
  assert_int_equal(ripstop_try(run_out, NULL, &err), -1);
  assert_true(!strncmp(err.text, "out of memory", 13) && err.machine);
  ripstop_task_progress("outside of all calls", 0, 1);
}

/* ------------------------------------------------------------------ proofs */

typedef struct proving {
  ripstop_many many;
  ripstop_tally tally;
  int status;
} proving;

static void prove(void *proving_) {
  proving *p = proving_;
  ripstop_error err = {0};
  p->status = ripstop_prove_many(&p->many, &p->tally, &err);
}

/* With two threads for one set, which share it, and with one: the set is not counted. */
static void proofs_end_in_their_midst(void **state) {
  (void)state;
  static const ripstop_faults nothing;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("hyperx:3x3,p=2", &err);
  for (unsigned threads = 1; threads <= 2; threads++) {
    proving p = {.many = {.fabric = fabric,
                          .method = "minimal",
                          .given = &nothing,
                          .givens = 1,
                          .confidence = 0.99,
                          .threads = threads,
                          .stop = &stop}};
    const long long before = scarce_live;
    assert_int_equal(set_off(prove, &p, false, 0, &err), 0);
    assert_int_equal(p.status, 0);
    assert_int_equal(p.tally.proofs, 1);
    const unsigned all = told;
    for (unsigned at = 1; at < all; at++) {
      assert_int_equal(set_off(prove, &p, false, at, &err), 0);
      assert_int_equal(p.status, 1);
      assert_int_equal(p.tally.proofs, 0);
      assert_int_equal(scarce_live, before);
    }
  }
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ runs */

typedef struct running {
  const ripstop_run *run;
  int status;
  char verdict[40];
} running;

static void execute(void *running_) {
  running *r = running_;
  ripstop_outcome outcome;
  r->status = ripstop_run_execute(r->run, &stop, &outcome);
  if (r->status) return;
  snprintf(r->verdict, sizeof r->verdict, "%s", outcome.verdict);
  ripstop_outcome_free(&outcome);
}

static void runs_end_while_their_plan_is_made(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_runs *runs = open_runs("fabric: hyperx:3x3,p=2\nmethod: minimal\ntraffic: {load: 0.1}\n"
                                 "measure: {warmup: 10, cycles: 100}\n");
  running r = {.run = &runs->run[0]};
  const long long before = scarce_live;
  assert_int_equal(set_off(execute, &r, false, 0, &err), 0);
  assert_int_equal(r.status, 0);
  assert_string_equal(r.verdict, "steady");
  const unsigned all = told;
  assert_true(all > 2);
  for (unsigned at = 1; at < all; at++) {
    assert_int_equal(set_off(execute, &r, false, at, &err), 0);
    assert_int_equal(r.status, -1);
    assert_int_equal(scarce_live, before);
  }
  close_runs(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_end_in_their_midst), cmocka_unit_test(what_comes_behind_is_not_stopped),
      cmocka_unit_test(proofs_end_in_their_midst), cmocka_unit_test(runs_end_while_their_plan_is_made)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
