/* test_simulate_slow.c - links that need more than a cycle for a flit, by hand: what docs/model.md, "Slow links", says
 * of single packets and of a flow, to the cycle.
 *
 * On torus:3 a packet from 0 to 1 takes the links end:0, 0/0 and end:1. With D = R = 1 and L = 4 it is granted them in
 * the cycles b, b+2 and b+4 and delivered in b+4 + 1 + 4-1 = b+8. */
#include "scene.h"

enum { FAST = 8 };

/* A packet in 300 cycles, from 0 to 1, 1 to 2 and 2 to 0. */
static scene *open_scene(const char *options) {
  scene *s =
      scene_open("torus:3", "dor", "process=periodic load=0.01 packet=4 pattern=neighbour link=1 pipeline=1 credit=1");
  scene_set(s, "cycles=3000");
  scene_set(s, options);
  s->sim.traffic.load = (strstr(options, "packet=1") ? 1.0 : 4.0) / 300;
  return s;
}

static void assert_takes(const char *faults, const char *options, uint64_t cycles) {
  scene *s = open_scene(options);
  scene_break(s, faults);
  ripstop_run_result result = scene_run(s);
  uint32_t seen = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->source != 0) continue;
    if (d->at - d->generated_at != cycles)
      fail_msg("'%s', '%s': %llu cycles, not %llu", faults, options, (unsigned long long)(d->at - d->generated_at),
               (unsigned long long)cycles);
    seen++;
  }
  assert_true(seen >= 9);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void lone_packets_take_their_time(void **state) {
  (void)state;
  assert_takes("", "", FAST);
  /* B = 8. Granted 0/0 at b+2, decided on at b+2 + 1+1 + (8-4) = b+8, delivered at b+8 + 1 + 3 */
  assert_takes("0/0~0.5", "", 12);
  /* B = 16: b+2 + 2 + 12 = b+16, delivered at b+20 */
  assert_takes("0/0~0.25", "", 20);
  /* B = ceil(13.33) = 14 and ceil(4/0.999) = 5: what is begun counts */
  assert_takes("0/0~0.3", "", 18);
  assert_takes("0/0~0.999", "", 9);
  /* B = 200; of one flit at the least rate 100 */
  assert_takes("0/0~0.02", "", 204);
  assert_takes("0/0~0.01", "packet=1", 5 + 99);
  /* the first link: granted at b, decided on at b+2+4, then at b+8, delivered at b+12 */
  assert_takes("end:0~0.5", "", 12);
  /* the last: granted at b+4, its last flit comes at b+4 + 1 + 16-1 */
  assert_takes("end:1~0.25", "", 20);
  /* two in a row: each costs 4; three */
  assert_takes("end:0~0.5 0/0~0.5", "", 16);
  assert_takes("end:0~0.5 0/0~0.5 end:1~0.5", "", 20);
  /* one flit: B = 4, and it is there when it is there */
  assert_takes("0/0~0.25", "packet=1", 5 + 3);
  /* D = 5, R = 3: granted at b, b+8 and, with 8-4 more, b+20; delivered at b+20 + 5 + 3 */
  assert_takes("0/0~0.5", "link=5 pipeline=3", 28);
  /* Output queues: enters that of 0/0 at b+2, the link takes it at b+3, decided on at b+3+2+4, taken at b+10 */
  assert_takes("0/0~0.5", "out_queue=2", 14);
  assert_takes("end:1~0.5", "out_queue=2", 14);
}

/* Full load: a source's packets come in the time that the slowest of its three links needs, without a gap. A link to an
 * end node is slow in both directions. */
static void assert_every(const char *faults, const char *options, const uint64_t cycles[3]) {
  scene *s = open_scene(options);
  uint64_t last[3] = {0};
  s->sim.traffic.load = 1;
  scene_break(s, faults);
  ripstop_run_result result = scene_run(s);
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    uint64_t apart = d->at - last[d->source];
    if (last[d->source] > 200 && apart != cycles[d->source])
      fail_msg("'%s', '%s': packets of %u are %llu cycles apart", faults, options, d->source,
               (unsigned long long)apart);
    last[d->source] = d->at;
  }
  for (uint32_t end = 0; end < 3; end++) assert_true(last[end] > 2900);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void a_flow_has_the_rate_of_its_slowest_link(void **state) {
  (void)state;
  static const char *const options[] = {"",
                                        "out_queue=2",
                                        "unit=flits in_queue=16",
                                        "flow=xonxoff in_queue=6",
                                        "flow=xonxoff in_queue=6 out_queue=2",
                                        "pipeline=0"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    assert_every("", options[i], (const uint64_t[]){4, 4, 4});
    assert_every("0/0~0.5", options[i], (const uint64_t[]){8, 4, 4});
    assert_every("end:0~0.25", options[i], (const uint64_t[]){16, 4, 16});
    assert_every("end:1~0.3", options[i], (const uint64_t[]){14, 14, 4});
    assert_every("0/0~0.5 end:1~0.4 2/0~0.999", options[i], (const uint64_t[]){10, 10, 5});
  }
}

/* A grant has the rate of its cycle. 0/0 is granted two cycles after generation. */
static void rates_change_for_new_grants(void **state) {
  (void)state;
  scene *s = open_scene("");
  scene_schedule(s, "0/0~0.5@700 0/0~0.25@1500 0/0+@2200");
  ripstop_run_result result = scene_run(s);
  uint32_t seen[3] = {0};
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    uint64_t granted = d->generated_at + 2;
    int which = d->source || granted < 700 || granted >= 2200 ? 0 : granted < 1500 ? 1 : 2;
    assert_int_equal(d->at - d->generated_at, which == 0 ? FAST : which == 1 ? 12 : 20);
    seen[which]++;
  }
  assert_true(seen[0] > 20 && seen[1] >= 2 && seen[2] >= 2);
  assert_true(result.account.lost == 0 && result.verdict == RIPSTOP_STEADY);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* To the cycle of its change: granted in it is granted at the new rate. */
static void a_change_holds_from_its_cycle_on(void **state) {
  (void)state;
  scene *s = open_scene("");
  ripstop_run_result result = scene_run(s);
  size_t i = 0;
  while (s->delivered[i].source != 0) i++;
  uint64_t generated_at = s->delivered[i].generated_at, packet = s->delivered[i].packet;
  ripstop_run_result_free(&result);
  for (uint64_t before = 0; before < 2; before++) {
    char words[50];
    snprintf(words, sizeof words, "0/0~0.5@%llu", (unsigned long long)(generated_at + 2 + before));
    scene_schedule(s, words);
    result = scene_run(s);
    for (i = 0; s->delivered[i].packet != packet; i++) continue;
    assert_int_equal(s->delivered[i].at - generated_at, before ? FAST : 12);
    ripstop_run_result_free(&result);
  }
  scene_close(s);
}

/* At 0.1 the packet is on the link in the cycles t .. t+B-1+D = t+40: it is lost with the link in t+1 .. t+40. */
static void packets_on_a_slow_link_are_lost_with_it(void **state) {
  (void)state;
  static const char *const options[] = {"", "out_queue=2"};
  for (size_t o = 0; o < 2; o++) {
    scene *s = open_scene(options[o]);
    scene_break(s, "0/0~0.1");
    ripstop_run_result result = scene_run(s);
    size_t i = 0;
    while (s->delivered[i].source != 0) i++;
    uint64_t granted = s->delivered[i].generated_at + 2 + o;
    ripstop_run_result_free(&result);
    for (uint64_t after = 1; after <= 45; after++) {
      char words[80];
      snprintf(words, sizeof words, "0/0@%llu 0/0~0.1@%llu", (unsigned long long)(granted + after),
               (unsigned long long)(granted + after + 1));
      scene_schedule(s, words);
      result = scene_run(s);
      assert_int_equal(result.account.lost, after <= 40);
      ripstop_run_result_free(&result);
    }
    scene_close(s);
  }
}

/* A link that comes back has the rate of its word, full rate without one; a switch that returns leaves rates alone. */
static void what_returns_has_the_rate_that_is_said(void **state) {
  (void)state;
  static const struct {
    const char *words;
    uint64_t after;
  } cases[] = {{"0/0~0.25@100 0/0@200 0/0+@300", FAST},
               {"0/0~0.25@100 0/0@200 0/0~0.5@300", 12},
               {"0/0~0.25@100 switch:1@200 switch:1+@300", 20}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    scene *s = open_scene("");
    scene_schedule(s, cases[c].words);
    ripstop_run_result result = scene_run(s);
    uint32_t seen = 0;
    for (size_t i = 0; i < s->deliveries; i++) {
      const delivery *d = &s->delivered[i];
      if (d->source != 0 || d->generated_at < 330) continue;
      assert_int_equal(d->at - d->generated_at, cases[c].after);
      seen++;
    }
    assert_true(seen >= 7);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* A schedule that ends before it begins slows no link: the deliveries are those of the run without it. */
static void rates_of_other_links_change_nothing(void **state) {
  (void)state;
  scene *s = open_scene("load=0.6");
  s->sim.traffic.load = 0.6;
  ripstop_run_result plain = scene_run(s);
  size_t count = s->deliveries;
  delivery *first = calloc(count, sizeof *first);
  memcpy(first, s->delivered, count * sizeof *first);
  scene_schedule(s, "0/0~0.1@0 0/0+@1");
  ripstop_run_result result = scene_run(s);
  assert_int_equal(s->deliveries, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(s->delivered[i].packet, first[i].packet);
    assert_int_equal(s->delivered[i].at, first[i].at);
  }
  free(first);
  ripstop_run_result_free(&plain);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Slows all links but the one that fails and comes back. */
static void slow_but(const scene *s, uint32_t link, ripstop_text *words) {
  for (uint32_t other = s->fabric->link_ends; other < s->fabric->links; other++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_link_name(s->fabric, other, name);
    if (other != link) ripstop_text_add(words, "%s~0.4@1 ", name);
    if (other == link) ripstop_text_add(words, "%s@3000 %s+@12000 %s@20000 ", name, name, name);
  }
}

static uint64_t deliver_among_messages(const char *more) {
  const char *method = "link-fault-messages:message_flits=1000,delay=1000";
  scene *s = scene_open("mport-ntree:m=4,n=3", method, "load=0.1 cycles=40000");
  ripstop_text words = {0};
  slow_but(s, s->fabric->link_ends, &words);
  ripstop_text_add(&words, "%s", more);
  scene_schedule(s, ripstop_arena_text(s->arena, words.data));
  ripstop_text_free(&words);
  ripstop_run_result result = scene_run(s);
  uint64_t delivered = result.account.delivered;
  ripstop_run_result_free(&result);
  scene_close(s);
  return delivered;
}

/* A message has a slow link for 2,500 cycles, more than any packet. A link that becomes slower in the last cycle
 * changes nothing, but that more has to fit into the wheel. */
static void messages_leave_slow_links_in_time(void **state) {
  (void)state;
  uint64_t delivered = deliver_among_messages("");
  assert_int_equal(delivered, deliver_among_messages("1/3.1/3~0.1@39999"));
  assert_true(delivered > 3500);
}

/* A packet of 40 flits in 20,000 cycles, over a link that takes 4,000 cycles for it: more than the event wheel has. It
 * is granted the link at b+2, decided on at b+2 + 2 + (4000-40) and delivered at b+3964 + 1 + 39. */
static void a_packet_may_take_longer_than_the_wheel_reaches(void **state) {
  (void)state;
  static const char *const options[] = {"slow_queue=0", "slow_queue=1", "slow_queue=16", "out_queue=2"};
  for (uint32_t i = 0; i < 3 * sizeof options / sizeof *options; i++) {
    scene *s = scene_open("torus:3", "dor", "process=periodic load=0.002 packet=40 pattern=neighbour cycles=90000");
    uint64_t seen = 0, takes = 4004 + (i / 3 == 3 ? 2 : 0); /* an output queue costs a cycle at two switches */
    scene_set(s, options[i / 3]);
    scene_break(s, "0/0~0.01");
    s->sim.parts = 1 + i % 3;
    ripstop_run_result result = scene_run(s);
    for (size_t k = 0; k < s->deliveries; k++) {
      const delivery *d = &s->delivered[k];
      if (d->source != 0) continue;
      assert_int_equal(d->at - d->generated_at, takes);
      seen++;
    }
    assert_in_range(seen, 4, 5);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static size_t bytes_of(const char *options, const char *faults) {
  scene *s = scene_open("torus:4x4", "minimal", "load=0.1 packet=4000 cycles=2000 warmup=0");
  scene_set(s, options);
  scene_break(s, faults);
  ripstop_run_result result = scene_run(s);
  size_t bytes = result.bytes;
  ripstop_run_result_free(&result);
  scene_close(s);
  return bytes;
}

enum { GUARDS = 73728 }; /* bytes around arrays, in builds with address sanitizer */

/* A full slow queue takes 6.4 and 25.6 million cycles here. Memory follows what can be pending: events by the place of
 * a slow queue, 96 ports, at most 320 bytes each. */
static void memory_does_not_follow_the_time_that_slow_links_take(void **state) {
  (void)state;
  const size_t fast = bytes_of("", ""), none = bytes_of("slow_queue=0", "0.0/0~0.01");
  assert_in_range(none, fast, fast + 500000);
  assert_in_range(bytes_of("slow_queue=16", "0.0/0~0.01"), none, none + 16 * 96 * 320 + GUARDS);
  assert_in_range(bytes_of("slow_queue=64", "0.0/0~0.01"), none, none + 64 * 96 * 320 + GUARDS);
}

/* Rates that programs set: the reader checks those of texts. */
static void impossible_rates_are_refused(void **state) {
  (void)state;
  ripstop_error err;
  scene *s = open_scene("load=0.1");
  static const uint16_t bad[] = {1, RIPSTOP_RATE_LEAST - 1, RIPSTOP_RATE_FULL + 1, UINT16_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ripstop_change change = {.cycle = 3, .id = s->fabric->link_ends, .up = true, .rate = bad[i]};
    ripstop_schedule schedule = {.count = 1, .change = &change};
    ripstop_view *view = ripstop_view_new(s->fabric, NULL);
    ripstop_plan *plan = ripstop_plan_compile(view, s->method, NULL, &err);
    if (!plan || ripstop_plan_tables(plan, &err)) fail_msg("%s", err.text);
    s->sim.schedule = &schedule;
    assert_int_equal(ripstop_simulate_check(plan, &s->sim, &err), -1);
    assert_non_null(strstr(err.text, "has a rate of"));
    s->sim.schedule = NULL;
    assert_int_equal(ripstop_simulate_check(plan, &s->sim, &err), 0);
    ripstop_view_set_rate(view, s->fabric->link_ends, bad[i]);
    assert_int_equal(ripstop_simulate_check(plan, &s->sim, &err), -1);
    assert_non_null(strstr(err.text, "has a rate of"));
    ripstop_plan_free(plan);
    ripstop_view_free(view);
  }
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lone_packets_take_their_time),
                                     cmocka_unit_test(a_flow_has_the_rate_of_its_slowest_link),
                                     cmocka_unit_test(rates_change_for_new_grants),
                                     cmocka_unit_test(a_change_holds_from_its_cycle_on),
                                     cmocka_unit_test(packets_on_a_slow_link_are_lost_with_it),
                                     cmocka_unit_test(what_returns_has_the_rate_that_is_said),
                                     cmocka_unit_test(rates_of_other_links_change_nothing),
                                     cmocka_unit_test(messages_leave_slow_links_in_time),
                                     cmocka_unit_test(a_packet_may_take_longer_than_the_wheel_reaches),
                                     cmocka_unit_test(memory_does_not_follow_the_time_that_slow_links_take),
                                     cmocka_unit_test(impossible_rates_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
