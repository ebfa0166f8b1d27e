/* test_simulate_spread.c - quantiles of latency against those of the packets themselves, each link's use against its
 * mean and most, and what end nodes received against what was delivered to them. */
#include <math.h>

#include "scene.h"

static const ripstop_value *find(const ripstop_run_result *r, const char *name) {
  for (size_t i = 0; i < r->values; i++)
    if (!strcmp(r->value[i].name, name)) return &r->value[i];
  return NULL;
}

static double get(const ripstop_run_result *r, const char *name) {
  const ripstop_value *v = find(r, name);
  if (!v) fail_msg("no value %s", name);
  return v->value;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The histogram has latencies to one part in 128, and below 256 exactly. */
static void check_latency(const scene *s, const ripstop_run_result *r) {
  double *latency = test_calloc(s->deliveries, sizeof *latency);
  for (size_t i = 0; i < s->deliveries; i++) latency[i] = (double)(s->delivered[i].at - s->delivered[i].generated_at);
  qsort(latency, s->deliveries, sizeof *latency, by_size);
  assert_true(get(r, "packets") == (double)s->deliveries);
  size_t told = 0;
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++) {
    char name[32];
    snprintf(name, sizeof name, "latency.%s", q->word);
    const double rank = ceil(q->share * (double)s->deliveries);
    const double exact = latency[rank > 1 ? (size_t)rank - 1 : 0];
    if (!find(r, name)) continue;
    told++;
    if (fabs(get(r, name) - exact) > (exact < 256 ? 0 : exact / 128))
      fail_msg("%s: %g, the packets say %g", name, get(r, name), exact);
  }
  assert_true(told >= 18);
  assert_null(find(r, "latency.p9999")); /* there are too few packets */
  test_free(latency);
}

static void check_links(const scene *s, const ripstop_run_result *r) {
  double sum = 0, most = 0;
  size_t count = 0;
  for (size_t i = 0; i < r->values; i++) {
    if (strncmp(r->value[i].name, "link-use.", 9) != 0 || !strchr(r->value[i].name, '>')) continue;
    sum += r->value[i].value, count++;
    most = fmax(most, r->value[i].value);
  }
  assert_int_equal(count, 2 * (s->fabric->links - s->fabric->link_ends));
  assert_true(fabs(sum / (double)count - get(r, "link-use.mean")) < 1e-12 && most == get(r, "link-use.max"));
  assert_true(get(r, "link-use.least") <= get(r, "link-use.p50") && get(r, "link-use.p50") <= most);
}

/* A packet whose last flit is in transit at the end is sent and not delivered yet. */
static void check_ends(const scene *s, const ripstop_run_result *r, double flits, double cycles) {
  double *got = test_calloc(s->fabric->ends, sizeof *got);
  for (size_t i = 0; i < s->deliveries; i++) got[s->delivered[i].destination] += flits / cycles;
  qsort(got, s->fabric->ends, sizeof *got, by_size);
  const double least = get(r, "received.least") - got[0], most = get(r, "received.max") - got[s->fabric->ends - 1];
  assert_true(least >= -1e-9 && least <= 2 * flits / cycles && most >= -1e-9 && most <= 2 * flits / cycles);
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < s->fabric->ends; i++) sum += got[i], squares += got[i] * got[i];
  assert_true(fabs(get(r, "received.fairness") - sum * sum / (s->fabric->ends * squares)) < 0.02);
  assert_true(get(r, "sent.least") > 0 && get(r, "sent.fairness") > 0.9 && get(r, "sent.fairness") <= 1);
  test_free(got);
}

static void it_agrees_with_the_packets(void **state) {
  (void)state;
  ripstop_run_result r;
  ripstop_error err;
  scene *s = scene_open("torus:4x4", "dor:dateline=on",
                        "load=0.5 packet=8 cycles=8000 spread=on links=on "
                        "pattern=hotspot:end=3,share=0.1");
  if (scene_simulate(s, &r, &err)) fail_msg("%s", err.text);
  check_latency(s, &r);
  check_links(s, &r);
  check_ends(s, &r, 8, 8000);
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* One of ten end nodes receives more than the ninth; none receives more than the tenth. */
static void a_quantile_has_one_above_it(void **state) {
  (void)state;
  ripstop_run_result r;
  ripstop_error err;
  scene *s = scene_open("torus:10", "dor:dateline=on", "load=0.3 packet=8 cycles=4000 spread=on");
  if (scene_simulate(s, &r, &err)) fail_msg("%s", err.text);
  assert_true(get(&r, "received.p90") <= get(&r, "received.max") && get(&r, "received.p80") <= get(&r, "received.p90"));
  assert_null(find(&r, "received.p95"));
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* Runs without the option have the values that they had. */
static void it_is_asked_for(void **state) {
  (void)state;
  ripstop_run_result r;
  ripstop_error err;
  scene *s = scene_open("torus:4x4", "dor:dateline=on", "load=0.5");
  if (scene_simulate(s, &r, &err)) fail_msg("%s", err.text);
  assert_null(find(&r, "latency.p90"));
  assert_null(find(&r, "sent.least"));
  assert_null(find(&r, "link-use.0.0/0>0.1"));
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_agrees_with_the_packets),
                                     cmocka_unit_test(a_quantile_has_one_above_it), cmocka_unit_test(it_is_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
