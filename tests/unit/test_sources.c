/* test_sources.c - the streams of packets: rates, gaps, sizes and shares of every process, silence, the state at cycle
 * 0, and that a packet depends on its seed, stream and number alone. Distributions are held to chi-square and to
 * moments with fixed seeds, at 1 in 10,000. */
#include <math.h>

#include "base/statistics.h"
#include "scene.h"
#include "simulate/source.h"

enum { PACKETS = 20000 };

typedef struct streams {
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_sources *sources;
} streams;

static streams open_streams(const char *fabric, ripstop_traffic_config traffic, uint64_t seed) {
  ripstop_error err;
  streams s = {.fabric = ripstop_fabric_open(fabric, &err), .arena = ripstop_arena_new()};
  if (!traffic.pattern) traffic.pattern = "uniform";
  if (!traffic.packet) traffic.packet = "16";
  if (!traffic.classes) traffic.classes = "1";
  if (!(s.sources = ripstop_sources_open(s.arena, s.fabric, &traffic, seed, &err))) fail_msg("%s", err.text);
  return s;
}

static void close_streams(streams *s) {
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
}

/* The quantile of chi-square that one sample in 10,000 exceeds (Wilson and Hilferty 1931). */
static double chi_square_limit(double freedom) {
  double z = ripstop_normal_quantile(0.9999), a = 2 / (9 * freedom);
  return freedom * pow(1 - a + z * sqrt(a), 3);
}

static void assert_fits(const uint64_t *seen, const double *expected, size_t bins) {
  double sum = 0;
  for (size_t i = 0; i < bins; i++) {
    assert_true(expected[i] >= 5);
    sum += ((double)seen[i] - expected[i]) * ((double)seen[i] - expected[i]) / expected[i];
  }
  if (sum > chi_square_limit((double)bins - 1)) fail_msg("chi-square %g in %zu bins", sum, bins);
}

static void assert_near(double value, double expected, double deviation) {
  if (fabs(value - expected) > 3.9 * deviation) fail_msg("%g, expected %g +- %g", value, expected, deviation);
}

/* The number of packets that a stream generates in cycles from .. until-1. */
static uint32_t births(const ripstop_sources *sources, uint32_t stream, uint64_t from, uint64_t until) {
  ripstop_source s;
  uint32_t count = 0;
  for (ripstop_source_open(sources, stream, &s); s.generated_at < until; ripstop_source_next(sources, stream, &s))
    count += s.generated_at >= from;
  return count;
}

static void bernoulli_gaps_are_geometric(void **state) {
  (void)state;
  enum { BINS = 60 };
  streams s = open_streams("torus:4x4", (ripstop_traffic_config){.process = "bernoulli", .load = 0.8}, 1);
  const double p = 0.05;
  uint64_t seen[BINS + 1] = {0}, last = UINT64_MAX;
  double expected[BINS + 1], rest = PACKETS;
  ripstop_source source;
  ripstop_source_open(s.sources, 3, &source);
  for (uint32_t i = 0; i < PACKETS; i++, ripstop_source_next(s.sources, 3, &source)) {
    uint64_t gap = source.generated_at - last - 1; /* cycles without a generation; the first counts from cycle 0 */
    seen[gap < BINS ? gap : BINS]++;
    last = source.generated_at;
  }
  for (size_t i = 0; i < BINS; rest -= expected[i++]) expected[i] = rest * p;
  expected[BINS] = rest;
  assert_fits(seen, expected, BINS + 1);
  assert_near((double)last, PACKETS / p, sqrt(PACKETS * (1 - p)) / p);
  close_streams(&s);
}

static void bernoulli_at_full_rate_bears_every_cycle(void **state) {
  (void)state;
  streams s = open_streams("torus:4x4", (ripstop_traffic_config){.process = "bernoulli", .load = 1, .packet = "1"}, 1);
  ripstop_source source;
  ripstop_source_open(s.sources, 0, &source);
  for (uint64_t i = 0; i < 1000; i++, ripstop_source_next(s.sources, 0, &source))
    assert_int_equal(source.generated_at, i);
  close_streams(&s);
}

static void poisson_counts_are_poisson(void **state) {
  (void)state;
  enum { BINS = 10, WINDOWS = 8000 };
  const double mean = 3; /* generations in a window of 60 cycles */
  streams s = open_streams("torus:4x4", (ripstop_traffic_config){.process = "poisson", .load = 0.8}, 2);
  uint32_t in_window[WINDOWS] = {0};
  uint64_t seen[BINS] = {0}, same = 0, last = UINT64_MAX;
  double expected[BINS], left = WINDOWS;
  ripstop_source source;
  for (ripstop_source_open(s.sources, 5, &source); source.generated_at < 60 * WINDOWS;
       ripstop_source_next(s.sources, 5, &source)) {
    in_window[source.generated_at / 60]++;
    same += source.generated_at == last;
    last = source.generated_at;
  }
  for (uint32_t i = 0; i < WINDOWS; i++) seen[in_window[i] < BINS ? in_window[i] : BINS - 1]++;
  double share = WINDOWS * exp(-mean);
  for (size_t i = 0; i < BINS - 1; i++, share *= mean / (double)i) {
    expected[i] = share;
    left -= share;
  }
  expected[BINS - 1] = left;
  assert_fits(seen, expected, BINS);
  assert_true(same > 0); /* several may be generated in one cycle */
  close_streams(&s);
}

static void periodic_births_have_one_distance(void **state) {
  (void)state;
  streams s = open_streams("torus:32x32", (ripstop_traffic_config){.process = "periodic", .load = 0.3}, 3);
  const double period = 16 / 0.3;
  double phases = 0;
  for (uint32_t stream = 0; stream < s.fabric->ends; stream++) {
    ripstop_source first, source;
    ripstop_source_open(s.sources, stream, &first);
    source = first;
    assert_true((double)first.generated_at <= period);
    phases += (double)first.generated_at;
    for (uint32_t i = 0; i < 200; i++, ripstop_source_next(s.sources, stream, &source))
      assert_true(fabs((double)source.generated_at - (double)first.generated_at - i * period) < 1.000001);
  }
  /* uniform over a period, rounded down */
  assert_near(phases / s.fabric->ends, period / 2 - 0.5, period / sqrt(12.0 * s.fabric->ends));
  close_streams(&s);
}

/* Means over 4096 streams: generations in 400 cycles at the start, and as many later; what they have in common is the
 * mean rate, and in how many streams there are none. */
static void on_off_sources_are_stationary_from_the_start(void **state) {
  (void)state;
  const double on = 200, off = 600, rate = 0.2 / 4, cycles = 400;
  streams s = open_streams("torus:64x64",
                           (ripstop_traffic_config){.process = "on-off:on=200,off=600", .load = 0.2, .packet = "4"}, 4);
  double n = s.fabric->ends, sum[2] = {0}, silent[2] = {0}, first = 0;
  for (uint32_t stream = 0; stream < s.fabric->ends; stream++)
    for (int when = 0; when < 2; when++) {
      uint32_t count = births(s.sources, stream, when * 20000, when * 20000 + 400);
      sum[when] += count;
      silent[when] += count == 0;
      first += when == 0 && births(s.sources, stream, 0, 20) > 0;
    }
  /* Variance of the count: Poisson, and that of the time in bursts (two-state Markov process) times the squared rate.
   */
  double a = 1 / on + 1 / off, q = on / (on + off), burst_rate = rate / q;
  double busy = 2 * q * (1 - q) * (cycles / a - (1 - exp(-a * cycles)) / (a * a));
  double deviation = sqrt((rate * cycles + burst_rate * burst_rate * busy) * n);
  for (int when = 0; when < 2; when++) assert_near(sum[when], rate * cycles * n, deviation);
  assert_near(silent[0], silent[1], sqrt(n / 2));
  assert_true(silent[0] > 0.25 * n && silent[0] < (1 - q) * n);
  /* within 20 cycles hardly more than those that began in a burst (q = 1/4) have a generation */
  assert_in_range(first, 0.2 * n, 0.3 * n);
  close_streams(&s);
}

static void on_off_has_its_mean_rate_and_its_bursts(void **state) {
  (void)state;
  streams s = open_streams(
      "torus:8x8", (ripstop_traffic_config){.process = "on-off:on=100,off=300", .load = 0.25, .packet = "1"}, 5);
  const uint64_t cycles = 400000;
  double count = 0, gaps = 0, packets = 0;
  for (uint32_t stream = 0; stream < 8; stream++) {
    ripstop_source source;
    uint64_t last = 0;
    for (ripstop_source_open(s.sources, stream, &source); source.generated_at < cycles;
         ripstop_source_next(s.sources, stream, &source)) {
      count++;
      /* in a burst there is a packet a cycle on average: 20 cycles without one are a silence */
      if (packets > 0 && source.generated_at > last + 20) gaps++;
      last = source.generated_at;
      packets++;
    }
  }
  double periods = (double)cycles * 8 / 400;
  assert_near(count / (double)cycles / 8, 0.25, 0.25 * sqrt(3 / periods));
  /* silences of more than about 20 cycles: exp(-20/300) of them */
  assert_near(gaps, periods * exp(-20.0 / 300), 2 * sqrt(periods));
  close_streams(&s);
}

static void on_off_without_silence_is_poisson(void **state) {
  (void)state;
  streams s = open_streams("torus:4x4", (ripstop_traffic_config){.process = "on-off:on=50,off=0", .load = 0.8}, 6);
  streams t = open_streams("torus:4x4", (ripstop_traffic_config){.process = "poisson", .load = 0.8}, 6);
  for (uint32_t stream = 0; stream < 16; stream++)
    assert_int_equal(births(s.sources, stream, 0, 20000), births(t.sources, stream, 0, 20000));
  close_streams(&s);
  close_streams(&t);
}

static void sizes_and_classes_have_their_shares(void **state) {
  (void)state;
  const char *const processes[] = {"bernoulli", "poisson", "periodic", "on-off"};
  for (size_t p = 0; p < 4; p++) {
    streams s =
        open_streams("torus:4x4",
                     (ripstop_traffic_config){
                         .process = processes[p], .load = 0.5, .packet = "3:0.6/19:0.3/40:0.1", .classes = "1/3"},
                     7);
    assert_int_equal(ripstop_sources_classes(s.sources), 2);
    assert_int_equal(ripstop_sources_shortest(s.sources), 3);
    assert_int_equal(ripstop_sources_longest(s.sources), 40);
    const double mean = 3 * 0.6 + 19 * 0.3 + 40 * 0.1;
    for (uint32_t class_ = 0; class_ < 2; class_++) {
      uint64_t seen[3] = {0}, until = 0;
      const double expected[] = {0.6 * PACKETS, 0.3 * PACKETS, 0.1 * PACKETS};
      ripstop_source source;
      ripstop_source_open(s.sources, 2 * 4 + class_, &source);
      for (uint32_t i = 0; i < PACKETS; i++, ripstop_source_next(s.sources, 2 * 4 + class_, &source)) {
        seen[source.flits == 3 ? 0 : source.flits == 19 ? 1 : 2]++;
        assert_true(source.flits == 3 || source.flits == 19 || source.flits == 40);
        assert_true(source.generated_at >= until);
        until = source.generated_at;
      }
      assert_fits(seen, expected, 3);
      double rate = 0.5 / mean * (class_ ? 0.75 : 0.25);
      assert_true(fabs((double)until * rate / PACKETS - 1) < 0.1);
    }
    close_streams(&s);
  }
}

/* Shares need not add up to one: only their ratio counts. */
static void shares_are_relative(void **state) {
  (void)state;
  streams a = open_streams(
      "torus:4x4",
      (ripstop_traffic_config){.process = "poisson", .load = 0.5, .packet = "3:0.75/19:0.25", .classes = "1/4"}, 8);
  streams b = open_streams(
      "torus:4x4",
      (ripstop_traffic_config){.process = "poisson", .load = 0.5, .packet = "3:6/19:2", .classes = "0.5/2"}, 8);
  for (uint32_t stream = 0; stream < 32; stream++) {
    ripstop_source x, y;
    ripstop_source_open(a.sources, stream, &x);
    ripstop_source_open(b.sources, stream, &y);
    for (uint32_t i = 0; i < 100; i++) {
      assert_true(x.generated_at == y.generated_at && x.flits == y.flits && x.destination == y.destination);
      ripstop_source_next(a.sources, stream, &x);
      ripstop_source_next(b.sources, stream, &y);
    }
  }
  close_streams(&a);
  close_streams(&b);
}

static void silent_sources_are_silent(void **state) {
  (void)state;
  streams none = open_streams("torus:4x4", (ripstop_traffic_config){.process = "on-off", .load = 0}, 9);
  streams some =
      open_streams("torus:4x4", (ripstop_traffic_config){.process = "poisson", .load = 1, .pattern = "transpose"}, 9);
  uint32_t silent = 0;
  for (uint32_t stream = 0; stream < 16; stream++) {
    ripstop_source source;
    ripstop_source_open(none.sources, stream, &source);
    assert_true(source.generated_at == RIPSTOP_NEVER);
    ripstop_source_open(some.sources, stream, &source);
    bool diagonal = stream % 5 == 0; /* a.a is its own transpose */
    assert_int_equal(source.generated_at == RIPSTOP_NEVER, diagonal);
    silent += diagonal;
    ripstop_source_next(some.sources, stream, &source);
    assert_int_equal(source.generated_at == RIPSTOP_NEVER, diagonal);
  }
  assert_int_equal(silent, 4);
  close_streams(&none);
  close_streams(&some);
}

/* Thousands of millions of bursts would pass before the first packet: the search stops before. */
static void a_source_stops_looking_at_the_end_of_the_run(void **state) {
  (void)state;
  ripstop_traffic_config traffic = {.process = "on-off:on=1,off=1", .load = 1e-12};
  streams s = open_streams("torus:4x4", traffic, 12), whole, cut;
  ripstop_source source;
  ripstop_sources_end(s.sources, 100000);
  ripstop_source_open(s.sources, 0, &source);
  assert_true(source.generated_at == RIPSTOP_NEVER);
  close_streams(&s);
  traffic.load = 0.01;
  whole = open_streams("torus:4x4", traffic, 12);
  cut = open_streams("torus:4x4", traffic, 12);
  ripstop_sources_end(cut.sources, 5000);
  for (uint32_t stream = 0; stream < 16; stream++)
    assert_int_equal(births(whole.sources, stream, 0, 5000), births(cut.sources, stream, 0, 5000));
  close_streams(&whole);
  close_streams(&cut);
}

static bool same(const ripstop_source *a, const ripstop_source *b) {
  return a->generated_at == b->generated_at && a->destination == b->destination && a->flits == b->flits &&
         a->number == b->number;
}

/* All streams in step, against one after the other from a second compilation of the same traffic. */
static void a_packet_depends_on_seed_stream_and_number_alone(void **state) {
  (void)state;
  const char *const processes[] = {"bernoulli", "poisson", "periodic", "on-off:on=30,off=50"};
  for (size_t p = 0; p < 4; p++) {
    ripstop_traffic_config traffic = {.process = processes[p], .load = 0.6, .packet = "2:1/9:1", .classes = "2/1"};
    streams s = open_streams("torus:4x4", traffic, 10), t = open_streams("torus:4x4", traffic, 10),
            u = open_streams("torus:4x4", traffic, 11);
    enum { STREAMS = 32, EACH = 50 };
    static ripstop_source drawn[EACH][STREAMS];
    for (uint32_t i = 0; i < EACH; i++)
      for (uint32_t k = STREAMS; k-- > 0;) {
        if (i == 0) ripstop_source_open(s.sources, k, &drawn[i][k]);
        if (i > 0) drawn[i][k] = drawn[i - 1][k];
        if (i > 0) ripstop_source_next(s.sources, k, &drawn[i][k]);
      }
    uint32_t other = 0, like_neighbour = 0;
    for (uint32_t k = 0; k < STREAMS; k++) {
      ripstop_source x, y;
      ripstop_source_open(t.sources, k, &x);
      ripstop_source_open(u.sources, k, &y);
      for (uint32_t i = 0; i < EACH;
           i++, ripstop_source_next(t.sources, k, &x), ripstop_source_next(u.sources, k, &y)) {
        assert_true(same(&x, &drawn[i][k]));
        assert_int_equal(x.number, i);
        assert_int_not_equal(x.destination, k / 2);
        other += !same(&y, &x);
        like_neighbour += x.destination == drawn[i][(k + 2) % STREAMS].destination;
      }
    }
    assert_true(other > STREAMS * EACH * 8 / 10);
    assert_true(like_neighbour < STREAMS * EACH / 8);
    close_streams(&s);
    close_streams(&t);
    close_streams(&u);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bernoulli_gaps_are_geometric),
                                     cmocka_unit_test(bernoulli_at_full_rate_bears_every_cycle),
                                     cmocka_unit_test(poisson_counts_are_poisson),
                                     cmocka_unit_test(periodic_births_have_one_distance),
                                     cmocka_unit_test(on_off_sources_are_stationary_from_the_start),
                                     cmocka_unit_test(on_off_has_its_mean_rate_and_its_bursts),
                                     cmocka_unit_test(on_off_without_silence_is_poisson),
                                     cmocka_unit_test(sizes_and_classes_have_their_shares),
                                     cmocka_unit_test(shares_are_relative),
                                     cmocka_unit_test(silent_sources_are_silent),
                                     cmocka_unit_test(a_source_stops_looking_at_the_end_of_the_run),
                                     cmocka_unit_test(a_packet_depends_on_seed_stream_and_number_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
