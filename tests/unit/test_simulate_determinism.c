/* test_simulate_determinism.c - the same simulation gives the same result, bit for bit: twice in a row, after others,
 * and in two threads at once; another seed gives another. Results are also right about their own packets: every
 * generation is drawn a second time, every value that deliveries decide is computed a second time from the deliveries.
 */
#include <math.h>
#include <pthread.h>

#include "scene.h"
#include "simulate/source.h"

static const struct example {
  const char *fabric, *method, *options, *faults, *schedule;
} examples[] = {
    {"kary-ntree:k=4,n=3", "misroute", "load=0.4 cycles=600", "0/2.1/5 1/1.0/6", ""},
    {"kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=2000 check=100 packet=1", "0/0/3 0/1/4 0/2/5", ""},
    {"mport-ntree:m=4,n=3", "updown", "load=0.7 packet=3:0.8/19:0.2 classes=0.6/0.4 cycles=800 window=100", "0/1.1/2",
     "1/1.0/3@200 1/1.0/3+@500"},
    {"torus:4x4", "dor:dateline=on", "load=0.6 process=on-off:on=40,off=60 out_queue=2 arbiter=weighted:shares=2/3", "",
     ""},
    {"torus:5x4", "minimal-adaptive:escape=bubble", "load=0.5 process=poisson warmup=auto cycles=700 window=77", "",
     "switch:1.1@100 switch:1.1+@400 0.0/0@300"},
    {"torus:3x3x3", "dor", "load=0.3 flow=xonxoff in_queue=60 unit=flits process=periodic selection=rotate", "", ""},
    {"kary-ntree:k=2,n=4", "misroute:uturn=cyclic", "load=0.2 selection=random pattern=hotspot:end=5,share=0.2", "",
     ""}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static scene *open_example(const struct example *e) {
  scene *s = scene_open(e->fabric, e->method, e->options);
  scene_break(s, e->faults);
  scene_schedule(s, e->schedule);
  return s;
}

static ripstop_run_result run_example(const struct example *e, uint64_t seed) {
  scene *s = open_example(e);
  s->sim.seed = seed;
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

static void the_same_seed_gives_the_same_result(void **state) {
  (void)state;
  ripstop_run_result first[EXAMPLES];
  for (size_t i = 0; i < EXAMPLES; i++) first[i] = run_example(&examples[i], 5);
  for (size_t i = EXAMPLES; i-- > 0;) {
    ripstop_run_result again = run_example(&examples[i], 5), other = run_example(&examples[i], 6);
    assert_true(results_are_equal(&first[i], &again));
    assert_false(results_are_equal(&first[i], &other));
    assert_true(first[i].account.delivered > 50);
    ripstop_run_result_free(&again);
    ripstop_run_result_free(&other);
    ripstop_run_result_free(&first[i]);
  }
}

typedef struct work {
  ripstop_run_result result[EXAMPLES];
  int failed;
  bool backwards;
} work;

static void *run_all(void *context) { /* without cmocka, which belongs to the main thread */
  work *w = context;
  for (size_t k = 0; k < EXAMPLES; k++) {
    size_t i = w->backwards ? EXAMPLES - 1 - k : k;
    ripstop_error err;
    scene *s = open_example(&examples[i]);
    s->sim.seed = 5;
    w->failed |= scene_simulate(s, &w->result[i], &err);
    scene_close(s);
  }
  return NULL;
}

static void threads_do_not_meet(void **state) {
  (void)state;
  work w[2] = {{.backwards = false}, {.backwards = true}};
  pthread_t thread[2];
  for (int t = 0; t < 2; t++) assert_int_equal(pthread_create(&thread[t], NULL, run_all, &w[t]), 0);
  for (int t = 0; t < 2; t++) assert_int_equal(pthread_join(thread[t], NULL), 0);
  assert_false(w[0].failed || w[1].failed);
  for (size_t i = 0; i < EXAMPLES; i++) {
    ripstop_run_result alone = run_example(&examples[i], 5);
    for (int t = 0; t < 2; t++) {
      assert_true(results_are_equal(&alone, &w[t].result[i]));
      ripstop_run_result_free(&w[t].result[i]);
    }
    ripstop_run_result_free(&alone);
  }
}

/* The number of packets generated before `until` in all streams of end nodes that are up. */
static uint64_t count_births(const scene *s, uint64_t until) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_sources *sources = ripstop_sources_open(arena, s->fabric, &s->sim.traffic, s->sim.seed, &err);
  uint64_t births = 0;
  for (uint32_t stream = 0; stream < s->fabric->ends * ripstop_sources_classes(sources); stream++) {
    ripstop_source source;
    for (ripstop_source_open(sources, stream, &source); source.generated_at < until;
         ripstop_source_next(sources, stream, &source))
      births++;
  }
  ripstop_arena_free(arena);
  return births;
}

static void accounts_are_true(void **state) {
  (void)state;
  for (size_t i = 0; i < EXAMPLES; i++) {
    scene *s = open_example(&examples[i]);
    ripstop_run_result r = scene_run(s);
    const ripstop_account *a = &r.account;
    assert_int_equal(a->generated, a->delivered + a->in_flight + a->waiting + a->lost);
    assert_int_equal(a->delivered, s->deliveries);
    if (!strstr(examples[i].schedule, "switch")) assert_int_equal(a->generated, count_births(s, r.cycles));
    double lost = 0;
    for (size_t v = 0; v < r.values; v++)
      if (strncmp(r.value[v].name, "lost.", 5) == 0 && strcmp(r.value[v].name, "lost.share") != 0)
        lost += r.value[v].value;
    assert_true(lost == (double)a->lost && lost == ripstop_run_result_value(&r, "lost"));
    double share = ripstop_run_result_value(&r, "lost.share"); /* share of the packets that their interface took */
    assert_true(share >= lost / (double)a->generated - 1e-12);
    assert_true(share <= lost / (double)(a->generated - a->waiting) + 1e-12);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void windows_sum_to_the_totals(void **state) {
  (void)state;
  for (size_t i = 0; i < EXAMPLES; i++) {
    scene *s = open_example(&examples[i]);
    scene_set(s, "window=90");
    ripstop_run_result r = scene_run(s);
    ripstop_window sum = {0};
    double latency = 0, expected = 0;
    assert_int_equal(r.windows, (r.cycles - 1) / 90 + 1);
    for (size_t w = 0; w < r.windows; w++) {
      const ripstop_window *window = &r.window[w];
      assert_int_equal(window->cycle, 90 * w);
      assert_int_equal(isnan(window->latency), window->delivered == 0);
      sum.generated += window->generated;
      sum.injected += window->injected;
      sum.delivered += window->delivered;
      sum.lost += window->lost;
      sum.delivered_flits += window->delivered_flits;
      if (window->delivered) latency += window->latency * (double)window->delivered;
    }
    for (size_t d = 0; d < s->deliveries; d++) expected += (double)(s->delivered[d].at - s->delivered[d].generated_at);
    assert_int_equal(sum.generated, r.account.generated);
    assert_int_equal(sum.delivered, r.account.delivered);
    assert_int_equal(sum.lost, r.account.lost);
    assert_true(sum.injected >= r.account.delivered && sum.injected <= r.account.generated - r.account.waiting);
    assert_true(fabs(latency - expected) < 1e-9 * expected);
    if (!strchr(s->sim.traffic.packet, ':'))
      assert_int_equal(sum.delivered_flits, r.account.delivered * strtoul(s->sim.traffic.packet, NULL, 10));
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The smallest value that at least the share q does not exceed. */
static double quantile(const double *sorted, size_t count, double q) {
  return sorted[(size_t)ceil(q * (double)count) - 1];
}

static void check_group(const scene *s, const ripstop_run_result *r, const char *prefix, int class_) {
  double *latency = ripstop_realloc(NULL, s->deliveries + 1, sizeof *latency), sum = 0;
  uint64_t warmup = (uint64_t)ripstop_run_result_value(r, "warmup");
  size_t count = 0;
  uint32_t classes = 1;
  for (const char *c = s->sim.traffic.classes; *c; c++) classes += *c == '/';
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->at < warmup || (class_ >= 0 && d->packet % (s->fabric->ends * classes) % classes != (uint32_t)class_))
      continue;
    sum += latency[count++] = (double)(d->at - d->generated_at);
  }
  qsort(latency, count, sizeof *latency, by_value);
  char name[64];
#define VALUE(word) (snprintf(name, sizeof name, "%s%s", prefix, word), ripstop_run_result_value(r, name))
  if (count <= 20) fail_msg("%s %s: %zu deliveries", s->fabric->spec, prefix, count);
  assert_true(VALUE("packets") == (double)count);
  assert_true(fabs(VALUE("latency.mean") - sum / (double)count) < 1e-9 * sum);
  assert_true(VALUE("latency.max") == latency[count - 1]);
  double p50 = quantile(latency, count, 0.5), p99 = quantile(latency, count, 0.99);
  double p999 = quantile(latency, count, 0.999);
  assert_true(VALUE("latency.p50") >= p50 && VALUE("latency.p50") <= p50 * (1 + 1.0 / 128));
  assert_true(VALUE("latency.p99") >= p99 && VALUE("latency.p99") <= p99 * (1 + 1.0 / 128));
  assert_true(VALUE("latency.p999") >= p999 && VALUE("latency.p999") <= p999 * (1 + 1.0 / 128));
#undef VALUE
  ripstop_free(latency);
}

static void values_are_what_the_deliveries_say(void **state) {
  (void)state;
  for (size_t i = 0; i < EXAMPLES; i++) {
    scene *s = open_example(&examples[i]);
    if (!strstr(examples[i].options, "auto")) scene_set(s, "warmup=10");
    ripstop_run_result r = scene_run(s);
    check_group(s, &r, "", -1);
    if (strstr(examples[i].options, "classes")) {
      check_group(s, &r, "class1.", 0);
      check_group(s, &r, "class2.", 1);
    }
    double kinds = 0;
    const char *const kind[] = {"undisturbed", "misrouted-up", "misrouted-down", "misrouted-both"};
    for (int k = 0; k < 4; k++) {
      char name[64];
      snprintf(name, sizeof name, "%s.packets", kind[k]);
      kinds += ripstop_run_result_value(&r, name);
    }
    assert_true(kinds == ripstop_run_result_value(&r, "packets"));
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* A run whose warm-up found itself, repeated with that warm-up fixed, is the same run. */
static void an_automatic_warm_up_is_a_fixed_one_that_was_found(void **state) {
  (void)state;
  for (size_t i = 0; i < EXAMPLES; i++) {
    scene *s = open_example(&examples[i]);
    scene_set(s, "warmup=auto window=0 check=1000000");
    ripstop_run_result found = scene_run(s);
    double warmup = ripstop_run_result_value(&found, "warmup");
    s->sim.measure.warmup = ripstop_arena_printf(s->arena, "%.0f", warmup);
    ripstop_run_result fixed = scene_run(s);
    assert_true(warmup >= 1600 && warmup <= 25600);
    if (found.verdict == RIPSTOP_DEADLOCKED) assert_int_equal(fixed.verdict, RIPSTOP_DEADLOCKED);
    found.bytes = fixed.bytes; /* the series of a run of unknown length has room for more */
    assert_true(results_are_equal(&found, &fixed));
    ripstop_run_result_free(&found);
    ripstop_run_result_free(&fixed);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_seed_gives_the_same_result),
                                     cmocka_unit_test(threads_do_not_meet),
                                     cmocka_unit_test(accounts_are_true),
                                     cmocka_unit_test(windows_sum_to_the_totals),
                                     cmocka_unit_test(values_are_what_the_deliveries_say),
                                     cmocka_unit_test(an_automatic_warm_up_is_a_fixed_one_that_was_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
