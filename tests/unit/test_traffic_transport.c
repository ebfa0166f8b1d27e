/* traffic.transport: random traffic whose lost packets are sent again. Packets are those of the run without a
 * transport; where parts fail and return each of them is delivered once; latencies count from the first generation, on
 * an idle fabric to the cycle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run_workload.h"
#include "simulate/source.h"

typedef struct given {
  const char *fabric, *method, *traffic, *faults, *cycles;
  uint64_t seed;
  uint32_t threads;
} given;

typedef struct setup {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_schedule schedule;
  ripstop_simulate_settings scenario;
  stand run_setup;
} setup;

static setup set_up(const given *g) {
  ripstop_error err;
  setup s = {.arena = ripstop_arena_new(), .fabric = open_fabric(g->fabric)};
  ripstop_simulate_settings *c = &s.scenario;
  const char *faults = g->faults ? g->faults : "";
  s.names = ripstop_names_new(s.fabric);
  *c = (ripstop_simulate_settings){.seed = g->seed, .threads = g->threads, .parts = g->threads};
  ripstop_options_defaults(s.arena, ripstop_switch_options, &c->switch_);
  ripstop_options_defaults(s.arena, ripstop_reconfiguration_options, &c->reconfiguration);
  if (ripstop_options_parse(s.arena, "measure", ripstop_measure_options, &c->measure, g->cycles, &err) ||
      ripstop_options_parse(s.arena, "traffic", ripstop_traffic_options, &c->traffic, g->traffic, &err) ||
      ripstop_schedule_parse(s.arena, s.names, faults, strlen(faults), &s.schedule, &err))
    fail_msg("%s", err.text);
  s.run_setup = stand_on(s.fabric, g->method, NULL);
  return s;
}

static void take_down(setup *s) {
  stand_close(&s->run_setup);
  ripstop_names_free(s->names);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
}

static ripstop_run_result run(const given *g) {
  ripstop_error err;
  ripstop_run_result result;
  setup s = set_up(g);
  s.scenario.schedule = &s.schedule;
  if (ripstop_traffic_run(s.run_setup.plan, &s.scenario, &result, &err)) fail_msg("%s", err.text);
  take_down(&s);
  return result;
}

/* ------------------------------------------------------------------ nothing is lost */

static const char *const transports[] = {"selective", "go-back-n", "go-back-n,acks=behind", "selective,window=2"};

static void check_whole(const given *g, const ripstop_run_result *r, const ripstop_run_result *plain) {
  const ripstop_account *a = &r->account;
  assert_int_equal(a->generated, plain->account.generated);
  assert_true(the_value(r, "offered") == the_value(plain, "offered"));
  assert_int_equal(a->generated, a->delivered + a->in_flight + a->waiting);
  assert_int_equal(a->lost, 0);
  assert_true(plain->account.lost > 0);
  assert_true(the_value(r, "transport.lost") > 0 && the_value(r, "transport.repeats") > 0);
  if (the_value(r, "transport.oldest") > 1000)
    fail_msg("%s, %s: a packet has waited for %.0f cycles", g->fabric, g->traffic, the_value(r, "transport.oldest"));
  assert_int_equal(r->verdict, RIPSTOP_STEADY);
  assert_true(the_value(r, "packets") <= (double)a->delivered);
  if (!strstr(g->method, "inform")) assert_true(the_value(r, "latency.max") >= 800); /* a time-out has passed */
}

/* The last part returns in cycle 5,500 of 12,000: what is generated before is delivered. */
static void a_fabric_that_heals_delivers_every_packet(void **state) {
  (void)state;
  static const given cases[] = {
      {.fabric = "kary-ntree:k=4,n=2", .method = "updown", .faults = "0/0/4@2000 0/0/4+@3000 0/1/5@5000 0/1/5+@5500"},
      {.fabric = "kary-ntree:k=4,n=2",
       .method = "misroute:inform=on",
       .faults = "0/0/4@2000 0/0/5@2000 0/1/6@2000 0/1/7@2000 0/0/4+@5000 0/0/5+@5000 0/1/6+@5000 0/1/7+@5000"},
      {.fabric = "torus:4x4",
       .method = "minimal-adaptive",
       .faults = "0.0/0@2000 switch:1.1@3000 0.0/0+@4000 "
                 "switch:1.1+@5500"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof transports / sizeof *transports; k++) {
      char traffic[128];
      given g = cases[i];
      g.cycles = "warmup=500,cycles=11500", g.seed = 5 + k;
      snprintf(traffic, sizeof traffic, "load=0.2,packet=4:0.5/16:0.5,transport=%s,timeout=800,backoff=2",
               transports[k]);
      g.traffic = "load=0.2,packet=4:0.5/16:0.5";
      ripstop_run_result plain = run(&g);
      g.traffic = traffic;
      ripstop_run_result r = run(&g);
      check_whole(&g, &r, &plain);
      ripstop_run_result_free(&r);
      ripstop_run_result_free(&plain);
    }
}

static void rows_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  given g = {.fabric = "torus:8x8",
             .method = "minimal-adaptive",
             .traffic = "load=0.2,transport=selective,timeout=900",
             .faults = "0.0/0@1000 0.0/0+@3000",
             .cycles = "warmup=500,cycles=5000,window=500",
             .seed = 2,
             .threads = 1};
  ripstop_run_result one = run(&g);
  g.threads = 3;
  ripstop_run_result three = run(&g);
  assert_true(rows_are_equal(&one, &three));
  assert_int_equal(one.windows, three.windows);
  uint64_t generated = 0, delivered = 0;
  for (size_t i = 0; i < one.windows; i++) {
    assert_memory_equal(&one.window[i], &three.window[i], offsetof(ripstop_window, latency));
    generated += one.window[i].generated, delivered += one.window[i].delivered;
  }
  assert_int_equal(generated, one.account.generated);
  assert_int_equal(delivered, one.account.delivered);
  ripstop_run_result_free(&one);
  ripstop_run_result_free(&three);
}

/* ------------------------------------------------------------------ to the cycle */

enum { LATENCY = 5, HEAD = 2, FLITS = 8, TIMEOUT = 310, DOWN = 20000, UP = 60500, END = 100000 };

/* On mesh:2 the head of a packet requests the link in the middle HEAD cycles after it leaves, and its last flit arrives
 * LATENCY + FLITS - 1 cycles after. A packet that meets the failed link leaves again after each time-out. */
static uint64_t latency_of(uint64_t generated_at) {
  uint64_t left = generated_at;
  while (left + HEAD >= DOWN && left + HEAD < UP) left += TIMEOUT;
  return left - generated_at + LATENCY + FLITS - 1;
}

static void latencies_count_from_the_first_generation(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    const given g = {.fabric = "mesh:2,p=1",
                     .method = "minimal",
                     .traffic =
                         "load=0.0008,process=periodic,packet=8,transport=selective,timeout=310,backoff=1,tries=999",
                     .faults = "0--1@20000 0--1+@60500",
                     .cycles = "warmup=0,cycles=100000",
                     .seed = seed};
    setup s = set_up(&g);
    ripstop_error err;
    const ripstop_sources *sources = ripstop_sources_open(s.arena, s.fabric, &s.scenario.traffic, seed, &err);
    uint64_t packets = 0, sum = 0, most = 0;
    for (uint32_t end = 0; end < 2; end++) {
      ripstop_source source;
      ripstop_source_open(sources, end, &source);
      for (; source.generated_at < END; ripstop_source_next(sources, end, &source)) {
        const uint64_t latency = latency_of(source.generated_at);
        if (source.generated_at + latency >= END) continue;
        packets++, sum += latency, most = latency > most ? latency : most;
      }
    }
    ripstop_run_result r = run(&g);
    assert_true(the_value(&r, "packets") == (double)packets);
    if (fabs(the_value(&r, "latency.mean") * (double)packets - (double)sum) > 1e-6)
      fail_msg("seed %u: %.1f cycles in all, not %u", (unsigned)seed, the_value(&r, "latency.mean") * (double)packets,
               (unsigned)sum);
    assert_true(the_value(&r, "latency.max") == (double)most && most > 30000);
    assert_true(the_value(&r, "network-latency.mean") == LATENCY + FLITS - 1);
    ripstop_run_result_free(&r);
    take_down(&s);
  }
}

/* ------------------------------------------------------------------ messages that cannot be delivered */

static void packets_without_a_route_are_not_steady(void **state) {
  (void)state;
  static const struct {
    given g;
    const char *why;
  } cases[] = {
      {{.fabric = "torus:4x4", .method = "dor", .faults = "0.0/0@10"}, "lost again when they were repeated"},
      {{.fabric = "mesh:2,p=1", .method = "minimal", .faults = "0--1@10"}, "nothing connects these two"},
      {{.fabric = "mesh:2,p=1", .method = "minimal", .faults = "0--1@10 0--1+@9999"},
       "more often in a row than traffic.tries"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    given g = cases[i].g;
    g.traffic = i < 2 ? "load=0.1,transport=selective,timeout=500" : "load=0.1,transport=go-back-n,timeout=500,tries=2";
    g.cycles = "warmup=0,cycles=10000", g.seed = 1;
    ripstop_run_result r = run(&g);
    assert_int_equal(r.verdict, RIPSTOP_LOSSY);
    if (!strstr(r.witness, cases[i].why)) fail_msg("%s", r.witness);
    assert_int_equal(r.account.lost, 0);
    assert_true(r.account.in_flight + r.account.waiting > 0);
    ripstop_run_result_free(&r);
  }
}

/* Without further keys: a time-out passes in a run of the default length, also after a fault in its middle. */
static void defaults_send_again_what_is_lost(void **state) {
  (void)state;
  given g = {.fabric = "torus:4x4", .method = "dor:dateline=on", .cycles = "", .seed = 1};
  for (unsigned i = 0; i < 4; i++) {
    const bool heals = i >= 2;
    g.traffic = i % 2 ? "load=0.2,transport=selective" : "load=0.2,transport=go-back-n";
    g.faults = heals ? "0.0/0@13000 0.0/0+@14000" : "0.0/0@13000";
    ripstop_run_result r = run(&g);
    assert_true(the_value(&r, "transport.timeouts") > 0 && the_value(&r, "transport.repeats") > 0);
    assert_int_equal(r.verdict, heals ? RIPSTOP_STEADY : RIPSTOP_LOSSY);
    if (heals) assert_true(the_value(&r, "transport.oldest") < 1000);
    ripstop_run_result_free(&r);
  }
}

/* ------------------------------------------------------------------ refused */

static void expect_refusal(const given *g, const char *why) {
  ripstop_error err;
  setup s = set_up(g);
  assert_int_equal(ripstop_traffic_check(s.run_setup.plan, &s.scenario, &err), -1);
  if (!strstr(err.text, why)) fail_msg("'%s', not '%s'", err.text, why);
  take_down(&s);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  given g = {.fabric = "torus:4x4", .method = "dor", .cycles = "", .seed = 1};
  g.traffic = "load=0.1,window=3";
  expect_refusal(&g, "traffic.window needs traffic.transport: go-back-n, selective or trim");
  g.traffic = "load=0.1,acks=behind";
  expect_refusal(&g, "traffic.acks needs traffic.transport");
  g.traffic = "load=0.1,classes=0.5/0.5,transport=selective";
  expect_refusal(&g, "traffic.classes: with a transport there is one class, not 2");
}

/* A program that calls the engine itself gets no traffic without its transport. */
static void the_engine_has_no_transport(void **state) {
  (void)state;
  ripstop_error err;
  const given g = {
      .fabric = "torus:4x4", .method = "dor", .traffic = "load=0.1,transport=selective", .cycles = "", .seed = 1};
  setup s = set_up(&g);
  assert_int_equal(ripstop_simulate_check(s.run_setup.plan, &s.scenario, &err), -1);
  assert_string_equal(err.text, "traffic.transport: selective needs endpoint agents; without them it must be none");
  assert_int_equal(ripstop_traffic_check(s.run_setup.plan, &s.scenario, &err), 0);
  take_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fabric_that_heals_delivers_every_packet),
      cmocka_unit_test(rows_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(latencies_count_from_the_first_generation),
      cmocka_unit_test(packets_without_a_route_are_not_steady),
      cmocka_unit_test(defaults_send_again_what_is_lost),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(the_engine_has_no_transport),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
