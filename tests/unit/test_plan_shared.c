/* test_plan_shared.c - one plan for all: simulations whose fabric changes, stops, virtual networks and proofs use the
 * caller's plan, one after the other and at once, and leave it and its view as they were. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/protocol.h"
#include "scene.h"

enum { THREADS = 4 };

/* The values of a plan that must not change in any thread. */
typedef struct likeness {
  ripstop_plan plan;
  ripstop_view view;
  uint8_t *port_up;
  size_t bytes;
} likeness;

static likeness likeness_of(const stand *s) {
  likeness l = {.plan = *s->plan, .view = *s->view, .bytes = ripstop_arena_bytes(s->plan->arena)};
  l.port_up = ripstop_realloc(NULL, s->view->fabric->ports, 1);
  memcpy(l.port_up, s->view->port_up, s->view->fabric->ports);
  return l;
}

static void assert_untouched(const stand *s, likeness *before) {
  assert_memory_equal(s->plan, &before->plan, sizeof *s->plan);
  assert_memory_equal(s->view, &before->view, sizeof *s->view);
  assert_memory_equal(s->view->port_up, before->port_up, s->view->fabric->ports);
  assert_int_equal(ripstop_arena_bytes(s->plan->arena), before->bytes);
  ripstop_free(before->port_up);
}

static ripstop_run_result simulate(const scene *s, const ripstop_plan *plan) {
  ripstop_run_result result;
  ripstop_error err;
  ripstop_simulate_settings quiet = s->sim;
  quiet.on_delivery = NULL;
  if (ripstop_simulate_into(plan, &quiet, &result, &err)) fail_msg("%s: %s", s->method, err.text);
  return result;
}

static const struct {
  const char *fabric, *method, *options, *schedule;
} cases[] = {
    {"torus:4x4", "minimal-adaptive", "load=0.3", "0.0/0@300 1.1/1@500 0.0/0+@700"},
    {"torus:4x4", "dor:bubble=on", "load=0.3 in_queue=2 model=static detect=20 recompute=20", "0.0/0@300 0.0/0+@600"},
    {"kary-ntree:k=2,n=3", "uturn", "load=0.3", "switch:1/0.0@200 switch:1/0.0+@600"},
    {"mport-ntree:m=4,n=3", "link-fault-messages", "load=0.2", "0/2.1/3@200"},
    {"torus:4x4", "immunet", "load=0.2 in_queue=2", "0.0/0@200 1.1/1@600"}};

static void nobody_changes_the_plan(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open(cases[i].fabric, cases[i].method, cases[i].options);
    scene_schedule(s, cases[i].schedule);
    stand run_setup = stand_on(s->fabric, s->method, &s->faults);
    likeness before = likeness_of(&run_setup);
    ripstop_run_result one = simulate(s, run_setup.plan), two = simulate(s, run_setup.plan), own = scene_run(s);
    assert_true(results_are_equal(&one, &two));
    assert_true(one.hops == own.hops && one.events == own.events);
    assert_memory_equal(&one.account, &own.account, sizeof one.account);
    ripstop_prover *prover = ripstop_prover_new(s->fabric);
    ripstop_proof proof;
    ripstop_error err;
    assert_int_equal(ripstop_prover_prove(prover, run_setup.plan, &proof, &err), 0);
    assert_true(proof.tolerated); /* it has no faults */
    assert_untouched(&run_setup, &before);
    ripstop_prover_free(prover);
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&two);
    ripstop_run_result_free(&own);
    stand_close(&run_setup);
    scene_close(s);
  }
}

static void nor_does_the_virtual_network(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "immunet", "");
  scene_schedule(s, "0.0/0@200 1.1/1@60000 0.0/0+@120000");
  stand run_setup = stand_on(s->fabric, s->method, NULL);
  likeness before = likeness_of(&run_setup);
  ripstop_error err;
  ripstop_network *n = ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &s->schedule}, &err);
  assert_ptr_equal(ripstop_network_plan(n), run_setup.plan);
  assert_int_equal(ripstop_network_run(n, RIPSTOP_NEVER, &err), 1);
  assert_ptr_not_equal(ripstop_network_plan(n), run_setup.plan);
  assert_int_equal(ripstop_network_plan(n)->view->failed_links, 1);
  ripstop_network_free(n);
  assert_untouched(&run_setup, &before);
  stand_close(&run_setup);
  scene_close(s);
}

typedef struct hand {
  const scene *scene;
  const ripstop_plan *plan;
  ripstop_run_result result;
} hand;

static void *run_in_thread(void *context) {
  hand *h = context;
  h->result = simulate(h->scene, h->plan);
  return NULL;
}

static void threads_share_it(void **state) {
  (void)state;
  scene *s = scene_open(cases[0].fabric, cases[0].method, cases[0].options);
  scene_schedule(s, cases[0].schedule);
  stand run_setup = stand_on(s->fabric, s->method, NULL);
  pthread_t thread[THREADS];
  hand hands[THREADS];
  for (int i = 0; i < THREADS; i++) {
    hands[i] = (hand){.scene = s, .plan = run_setup.plan};
    assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, &hands[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
  for (int i = 1; i < THREADS; i++) assert_true(results_are_equal(&hands[i].result, &hands[0].result));
  for (int i = 0; i < THREADS; i++) ripstop_run_result_free(&hands[i].result);
  stand_close(&run_setup);
  scene_close(s);
}

/* The same method and options elsewhere: another view, whose faults it sees. */
static void a_plan_like_another(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("torus:4x4", &err);
  stand run_setup = stand_on(f, "dor:dateline=on", NULL);
  ripstop_view *view = ripstop_view_copy(run_setup.view);
  assert_memory_equal(view->port_up, run_setup.view->port_up, f->ports);
  ripstop_view_set_link(view, f->link_ends, false);
  assert_int_equal(run_setup.view->failed_links, 0);
  assert_int_equal(view->failed_links, 1);
  ripstop_plan *like = ripstop_plan_for(run_setup.plan, view, NULL, &err);
  assert_ptr_equal(like->view, view);
  assert_ptr_equal(like->method, run_setup.plan->method);
  assert_int_equal(like->channels, run_setup.plan->channels);
  ripstop_plan_free(like);
  ripstop_view_free(view);
  stand_close(&run_setup);

  ripstop_fabric_free(f);
}

/* The method does not apply any more: an answer, nothing leaks, and the caller's plan is what it was. */
static void a_change_that_ends_it(void **state) {
  (void)state;
  static const char *const reactions[] = {"model=dynamic", "model=static detect=5 recompute=5"};
  ripstop_error err;
  for (int i = 0; i < 2; i++) {
    ripstop_run_result result;
    scene *s = scene_open("kary-ntree:k=4,n=1", "unbroken", "load=0.2");
    scene_set(s, reactions[i]);
    scene_schedule(s, "end:0@100");
    stand run_setup = stand_on(s->fabric, s->method, NULL);
    likeness before = likeness_of(&run_setup);
    assert_int_equal(ripstop_simulate_into(run_setup.plan, &s->sim, &result, &err), -1);
    assert_non_null(strstr(err.text, "unbroken: 1 links are down"));
    assert_untouched(&run_setup, &before);
    ripstop_view *view = ripstop_view_copy(run_setup.view);
    ripstop_view_apply(view, &s->schedule.change[0]);
    ripstop_answer answer = RIPSTOP_APPLIES;
    assert_null(ripstop_plan_for(run_setup.plan, view, &answer, &err));
    assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
    ripstop_view_free(view);
    stand_close(&run_setup);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_changes_the_plan),
                                     cmocka_unit_test(nor_does_the_virtual_network), cmocka_unit_test(threads_share_it),
                                     cmocka_unit_test(a_plan_like_another), cmocka_unit_test(a_change_that_ends_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
