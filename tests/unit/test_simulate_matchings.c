/* test_simulate_matchings.c - switch.match: what iSLIP and PIM carry beside closed forms, maximal beside them, and that
 * parts of a run do not matter. */
#include "scene.h"

typedef struct matching_case {
  const char *fabric, *options;
  double least, most;
} matching_case;

/* Uniform traffic of one-flit packets without oneself. iSLIP: pointers settle on matchings that leave input i and
 * output i alone with each other, (N - 1) / N. One round of PIM: an output is granted to one of N - 1 inputs, so an
 * input has a grant with 1 - (1 - 1/(N-1))^(N-1). Saturated queues of all lines: in_queue is large. */
static void matchings_carry_what_is_known(void **state) {
  (void)state;
  static const matching_case cases[] = {
      {"kary-ntree:k=4,n=1", "load=1 match=islip:rounds=1", 0.744, 0.756},
      {"kary-ntree:k=4,n=1", "load=1 match=islip:rounds=4", 0.744, 0.756},
      {"kary-ntree:k=8,n=1", "load=1 match=islip:rounds=1", 0.869, 0.881},
      {"kary-ntree:k=4,n=1", "load=1 match=pim:rounds=1", 0.7037 - 0.012, 0.7037 + 0.012},
      {"kary-ntree:k=8,n=1", "load=1 match=pim:rounds=1", 0.6601 - 0.012, 0.6601 + 0.012},
      {"kary-ntree:k=4,n=1", "load=0.95 match=maximal", 0.945, 0.955},
      {"kary-ntree:k=8,n=1", "load=0.95 match=pim:rounds=8", 0.94, 0.96},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open(cases[i].fabric, "updown", "packet=1 in_queue=20000 queues=voq warmup=10000 cycles=30000");
    scene_set(s, cases[i].options);
    ripstop_run_result result = scene_run(s);
    const double accepted = ripstop_run_result_value(&result, "accepted");
    if (accepted < cases[i].least || accepted > cases[i].most)
      fail_msg("%s %s: %g", cases[i].fabric, cases[i].options, accepted);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static void parts_do_not_matter(void **state) {
  (void)state;
  static const char *const options[] = {"match=islip:rounds=2", "queues=voq match=islip",
                                        "queues=voq match=pim:rounds=2", "queues=voq match=pim speedup=2 in_queue=8",
                                        "match=islip escape=exhausted"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    scene *s = scene_open("torus:6x6", "minimal-adaptive", "load=0.6 packet=4 in_queue=5 cycles=2000");
    scene_set(s, options[i]);
    ripstop_run_result one = scene_run(s);
    s->sim.parts = 4;
    ripstop_run_result several = scene_run(s);
    several.bytes = one.bytes;
    assert_true(one.account.delivered > 1000);
    if (!results_are_equal(&one, &several)) fail_msg("%s: parts matter", options[i]);
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&several);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matchings_carry_what_is_known),
      cmocka_unit_test(parts_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
