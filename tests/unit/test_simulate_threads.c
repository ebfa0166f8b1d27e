/* test_simulate_threads.c - a run in several parts is the run in one, to the last bit: random scenarios on all
 * families, with faults that come and go, in 2 to 16 parts. */
#include <stdio.h>

#include "scene.h"

enum { SCENARIOS = 200, TEXT = 400 };

typedef struct place {
  const char *fabric, *method;
  bool credits; /* it needs them, and no output queues */
} place;
static const place places[] = {{"torus:8x6", "minimal-adaptive:escape=bubble", true},
                               {"torus:5x4x3", "dor:dateline=on", false},
                               {"torus:9x9", "dor", false},
                               {"torus:4x4", "valiant", false},
                               {"kary-ntree:k=3,n=3", "updown", false},
                               {"kary-ntree:k=4,n=3", "misroute", false},
                               {"kary-ntree:k=2,n=5", "uturn", false},
                               {"mport-ntree:m=6,n=3", "ugal", false},
                               {"kns:k=5,n=3", "intermediate-nodes", false},
                               {"kns:k=6,n=2", "intermediate-nodes:pick=first", false}};
enum { PLACES = sizeof places / sizeof *places };

static uint32_t below(ripstop_stream *random, uint32_t bound) { return ripstop_stream_below(random, bound); }

static const char *one_of(ripstop_stream *random, const char *const *word, uint32_t count) {
  return word[below(random, count)];
}
#define ONE_OF(random, ...)                            \
  one_of((random), (const char *const[]){__VA_ARGS__}, \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Links that fail, and of which some come back. */
static void break_some(scene *s, ripstop_stream *random) {
  ripstop_text text = {0};
  uint32_t changes = below(random, 5);
  for (uint32_t i = 0; i < changes; i++) {
    char name[RIPSTOP_NAME_MAX];
    uint32_t link = s->fabric->link_ends + below(random, s->fabric->links - s->fabric->link_ends);
    uint32_t cycle = 100 + below(random, 700);
    ripstop_link_name(s->fabric, link, name);
    if (strstr(text.data ? text.data : "", name)) continue;
    ripstop_text_add(&text, "%s@%u ", name, cycle);
    if (below(random, 2)) ripstop_text_add(&text, "%s+@%u ", name, cycle + 50 + below(random, 300));
  }
  if (below(random, 3) == 0) {
    char name[RIPSTOP_NAME_MAX];
    uint32_t v = s->fabric->ends + below(random, s->fabric->nodes - s->fabric->ends);
    ripstop_node_name(s->fabric, v, name);
    ripstop_text_add(&text, "switch:%s@%u switch:%s+@%u ", name, 150 + below(random, 200), name, 500);
  }
  if (text.data) scene_schedule(s, ripstop_arena_text(s->arena, text.data));
  ripstop_text_free(&text);
}

/* Other flow control and queues than the usual, and more that is counted. */
static void add_features(scene *s, const place *at, ripstop_stream *random) {
  scene_set(s, ONE_OF(random, "affected=off", "affected=off", "affected=off", "affected=on"));
  if (at->credits) return;
  scene_set(s, ONE_OF(random, "out_queue=0", "out_queue=0", "out_queue=1", "out_queue=3"));
  if (below(random, 3) == 0) scene_set(s, ONE_OF(random, "flow=xonxoff in_queue=8", "flow=xonxoff in_queue=12 xon=10"));
}

static scene *random_scene(uint64_t number) {
  ripstop_stream random = ripstop_stream_open(number, RIPSTOP_RANDOM_TEST, 0);
  const place *at = &places[number % PLACES];
  char options[TEXT];
  snprintf(options, sizeof options,
           "load=%s pattern=%s process=%s packet=%s in_queue=%u crossbar=%s link=%u pipeline=%u credit=%u warmup=%s "
           "cycles=%u "
           "window=%u batches=%u check=%u choice=%s",
           ONE_OF(&random, "0.05", "0.3", "0.6", "1"),
           ONE_OF(&random, "uniform", "neighbour", "hotspot:end=1,share=0.2"), ONE_OF(&random, "bernoulli", "poisson"),
           ONE_OF(&random, "1", "4", "16", "9"), 2 + below(&random, 4), ONE_OF(&random, "ports", "queues"),
           1 + below(&random, 3), below(&random, 3), 1 + below(&random, 3),
           below(&random, 8) ? ONE_OF(&random, "0", "137") : "auto", 150 + below(&random, 300), below(&random, 2) * 60,
           2 + below(&random, 9), 40 + below(&random, 400), ONE_OF(&random, "random", "space", "first"));
  scene *s = scene_open(at->fabric, at->method, options);
  s->sim.on_delivery = NULL;
  s->sim.seed = number;
  add_features(s, at, &random);
  break_some(s, &random);
  return s;
}

static ripstop_result run_in(scene *s, uint32_t threads) {
  ripstop_error err;
  ripstop_result result;
  s->sim.threads = threads;
  if (scene_simulate(s, &result, &err)) fail_msg("%s %s: %s", s->fabric->spec, s->method, err.text);
  return result;
}

static bool divided(scene *s, uint32_t threads) {
  const char *why;
  stand ground = stand_on(s->fabric, s->method, &s->faults);
  s->sim.threads = threads;
  uint32_t parts = ripstop_simulate_threads(ground.plan, &s->sim, &why);
  stand_close(&ground);
  return parts == threads && !why;
}

static void any_number_of_parts_gives_the_same_rows(void **state) {
  (void)state;
  uint32_t verdicts[8] = {0};
  for (uint64_t number = 0; number < SCENARIOS; number++) {
    scene *s = random_scene(number);
    assert_true(divided(s, 2));
    ripstop_result one = run_in(s, 1);
    uint32_t threads = 2 + (uint32_t)(number * 7 % 15);
    ripstop_result many = run_in(s, threads);
    many.bytes = one.bytes;
    if (!results_are_equal(&one, &many)) fail_msg("scenario %u in %u parts", (unsigned)number, threads);
    verdicts[one.verdict]++;
    ripstop_result_free(&one);
    ripstop_result_free(&many);
    scene_close(s);
  }
  assert_true(verdicts[RIPSTOP_STEADY] && verdicts[RIPSTOP_SATURATED] && verdicts[RIPSTOP_DEADLOCKED] &&
              verdicts[RIPSTOP_DISCONNECTED]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_parts_gives_the_same_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
