/* test_simulate_losses.c - the list of lost packets (ripstop_simulate_settings.losses) against the account, the counts
 * by cause, the deliveries and the parts that failed; the same for any number of threads and parts. */
#include <stdio.h>

#include "scene.h"

enum { ALL = 1 << 20 };

static const struct stage {
  const char *fabric, *method, *options, *dead, *schedule;
} stages[] = {
    /* a method that loses packets, and a link that is down from the start */
    {"dragonfly:a=4,p=2,h=2", "dragonfly-minimal", "load=0.3 packet=4", "0.0--8.3 0.1--6.2", ""},
    /* packets on links, in queues and in interfaces of a switch that dies and returns */
    {"torus:4x4", "minimal-adaptive:escape=bubble", "load=0.5 packet=8", "",
     "switch:1.1@300 switch:1.1+@600 0.0/0@700"},
    {"kary-ntree:k=4,n=2", "misroute", "load=0.9 packet=8 out_queue=16", "", "switch:1/1@300 0/3/7@500"},
    /* static reconfiguration discards the packets in the network */
    {"kary-ntree:k=4,n=2", "misroute", "load=0.6 packet=4 model=static drain=discard", "", "0/0/4@400"},
    /* a protocol */
    {"kary-ntree:k=2,n=3", "link-fault-messages", "load=0.6 packet=4", "", "0/0.0/2@200 switch:1/1.1@300"},
};
enum { STAGES = sizeof stages / sizeof *stages };

static scene *open_stage(const struct stage *of) {
  scene *s = scene_open(of->fabric, of->method, of->options);
  if (*of->dead) scene_break(s, of->dead);
  if (*of->schedule) scene_schedule(s, of->schedule);
  s->sim.losses = ALL;
  return s;
}

static bool comes_before(const ripstop_loss *a, const ripstop_loss *b) {
  if (a->cycle != b->cycle) return a->cycle < b->cycle;
  return true; /* then by packet, which is not reported */
}

static void assert_counted(const ripstop_run_result *r, const char *cause) {
  char name[80];
  double count = 0;
  for (size_t i = 0; i < r->losses; i++) count += strcmp(r->loss[i].cause, cause) == 0;
  snprintf(name, sizeof name, "lost.%s", cause);
  if (ripstop_run_result_value(r, name) != count)
    fail_msg("%s is %g, listed are %g", name, ripstop_run_result_value(r, name), count);
}

static void the_list_balances(void **state) {
  (void)state;
  for (size_t i = 0; i < STAGES; i++) {
    scene *s = open_stage(&stages[i]);
    ripstop_run_result r = scene_run(s);
    assert_true(r.losses > 0);
    assert_int_equal(r.losses, r.account.lost);
    assert_int_equal(r.account.generated, r.account.delivered + r.account.in_flight + r.account.waiting + r.losses);
    for (size_t k = 0; k < r.losses; k++) {
      const ripstop_loss *loss = &r.loss[k];
      assert_counted(&r, loss->cause);
      assert_true(loss->cycle < r.cycles);
      assert_true(loss->source < s->fabric->ends && loss->destination < s->fabric->ends);
      assert_true(loss->source != loss->destination);
      assert_true(loss->node < s->fabric->nodes || strcmp(loss->cause, "drained") == 0);
      assert_true(k == 0 || comes_before(loss - 1, loss));
    }
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void rows_are_the_same_for_any_threads(void **state) {
  (void)state;
  static const struct { uint32_t threads, parts; } candidates[] = {{1, 4}, {2, 2}, {2, 5}, {4, 8}};
  for (size_t i = 0; i < STAGES; i++) {
    scene *s = open_stage(&stages[i]);
    s->sim.parts = 1;
    ripstop_run_result one = scene_run(s);
    for (size_t w = 0; w < sizeof candidates / sizeof *candidates; w++) {
      s->sim.threads = candidates[w].threads, s->sim.parts = candidates[w].parts;
      ripstop_run_result r = scene_run(s);
      assert_int_equal(r.losses, one.losses);
      for (size_t k = 0; k < r.losses; k++) {
        const ripstop_loss *a = &r.loss[k], *b = &one.loss[k];
        if (a->cycle != b->cycle || a->source != b->source || a->destination != b->destination || a->node != b->node ||
            strcmp(a->cause, b->cause) != 0)
          fail_msg("%s: loss %zu differs with %u threads, %u parts", stages[i].fabric, k, candidates[w].threads,
                   candidates[w].parts);
      }
      ripstop_run_result_free(&r);
    }
    ripstop_run_result_free(&one);
    scene_close(s);
  }
}

/* A lower limit keeps the first of them, on any number of parts too. */
static void the_first_are_kept(void **state) {
  (void)state;
  for (size_t i = 0; i < STAGES; i++) {
    scene *s = open_stage(&stages[i]);
    ripstop_run_result all = scene_run(s);
    s->sim.losses = all.losses / 2 + 1, s->sim.threads = 2, s->sim.parts = 3;
    ripstop_run_result r = scene_run(s);
    assert_int_equal(r.account.lost, all.account.lost);
    assert_int_equal(r.losses, s->sim.losses);
    for (size_t k = 0; k < r.losses; k++) {
      assert_int_equal(r.loss[k].cycle, all.loss[k].cycle);
      assert_int_equal(r.loss[k].source, all.loss[k].source);
      assert_int_equal(r.loss[k].destination, all.loss[k].destination);
    }
    s->sim.losses = 0;
    ripstop_run_result none = scene_run(s);
    assert_int_equal(none.losses, 0);
    assert_int_equal(none.account.lost, all.account.lost);
    ripstop_run_result_free(&none);
    ripstop_run_result_free(&r);
    ripstop_run_result_free(&all);
    scene_close(s);
  }
}

/* With a method that detours around both failures, each lost packet was on the link, at one of its ends, in the switch
 * or on its links, and is lost at once. */
static void losses_are_where_the_fault_is(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=2", "misroute", "load=0.9 packet=16 cycles=2000");
  scene_schedule(s, "0/3/7@500 switch:1/2@1000");
  s->sim.losses = ALL;
  ripstop_run_result r = scene_run(s);
  const uint32_t link = ripstop_names_link(s->names, "0/3/7", 5), dead = ripstop_names_switch(s->names, "1/2", 3);
  uint32_t on_link = 0, own = 0;
  for (size_t i = 0; i < r.losses; i++) {
    const ripstop_loss *loss = &r.loss[i];
    assert_true(loss->cycle == 500 || loss->cycle == 1000);
    if (loss->cycle == 500) {
      assert_string_equal(loss->cause, "link died");
      assert_true(loss->node == ripstop_link_node(s->fabric, link, 0) ||
                  loss->node == ripstop_link_node(s->fabric, link, 1));
      on_link++;
    } else {
      assert_string_equal(loss->cause, "switch died");
      own += loss->node == dead;
    }
  }
  assert_true(on_link > 0 && on_link <= 4); /* two directions, and few packets on each */
  assert_true(own > 0);
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_list_balances),
      cmocka_unit_test(rows_are_the_same_for_any_threads),
      cmocka_unit_test(the_first_are_kept),
      cmocka_unit_test(losses_are_where_the_fault_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
