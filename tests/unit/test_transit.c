/* test_transit_packets.c - packets that stay at an end node which they are not for and are sent out again: in which
 * cycle, in which order, how many; what becomes of them when parts die; that no room is lost; which deadlocks they
 * make. */
#include "scene.h"

enum { LETTERS_MAX = 16, FLITS = 4, LINK = 2, PIPELINE = 1, CREDIT = 3 };

typedef struct letters {
  struct {
    uint32_t source, destination, class_;
    uint64_t at, came, gone; /* cycles; 0: never */
  } agent_packet[LETTERS_MAX];
  uint32_t count;
} letters;

static void on_start(void *context, ripstop_agent_context *play) {
  letters *l = context;
  for (uint32_t i = 0; i < l->count; i++) ripstop_agent_alarm(play, l->agent_packet[i].at, i);
}

static void on_alarm(void *context, ripstop_agent_context *play, uint64_t i) {
  const letters *l = context;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = l->agent_packet[i].source,
                                                   .destination = l->agent_packet[i].destination,
                                                   .class_ = l->agent_packet[i].class_,
                                                   .flits = FLITS,
                                                   .tag = i});
}

static void on_delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  letters *l = context;
  assert_int_equal(l->agent_packet[agent_packet->tag].source, agent_packet->source);
  assert_int_equal(l->agent_packet[agent_packet->tag].destination, agent_packet->destination);
  assert_int_equal(l->agent_packet[agent_packet->tag].class_, agent_packet->class_);
  assert_int_equal(l->agent_packet[agent_packet->tag].came, 0);
  l->agent_packet[agent_packet->tag].came = ripstop_agent_now(play);
}

static void on_lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  letters *l = context;
  assert_int_equal(l->agent_packet[agent_packet->tag].gone + l->agent_packet[agent_packet->tag].came, 0);
  l->agent_packet[agent_packet->tag].gone = ripstop_agent_now(play);
}

static ripstop_run_result run(const char *method, const char *options, const char *schedule, letters *l) {
  scene *s = scene_open("torus:9", method, "link=2 pipeline=1 credit=3 cycles=1000");
  scene_set(s, options);
  scene_schedule(s, schedule);
  ripstop_agent agents = {.classes = 2,
                          .shortest = FLITS,
                          .longest = FLITS,
                          .start = on_start,
                          .delivered = on_delivered,
                          .lost = on_lost,
                          .alarm = on_alarm,
                          .context = l};
  s->sim.agent = &agents;
  s->sim.agents = 1;
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

/* From a grant at an end node to the arrival at another, over so many links. */
static uint64_t candidate(uint64_t links) { return links * LINK + (links - 1) * PIPELINE + FLITS - 1; }

static void a_transit_packet_arrives_and_leaves_in_its_time(void **state) {
  (void)state;
  letters l = {.agent_packet = {{.source = 0, .destination = 3}, {.source = 3, .destination = 4}}, .count = 2};
  ripstop_run_result result = run("test-detour:at=2", "", "", &l);
  /* to the end node of switch 2 over 4 links, from there on over 3 */
  assert_int_equal(l.agent_packet[0].came, candidate(4) + candidate(3));
  assert_int_equal(l.agent_packet[1].came, candidate(3)); /* no in-transit packet */
  assert_int_equal(result.account.delivered, 2);
  assert_int_equal(ripstop_run_result_value(&result, "class1.packets"), 2);
  assert_true(ripstop_run_result_value(&result, "latency.max") == (double)(candidate(4) + candidate(3)));
  assert_true(ripstop_run_result_value(&result, "network-latency.mean") ==
              (double)(candidate(4) + candidate(3) + candidate(3)) / 2);
  assert_true(ripstop_run_result_value(&result, "hops.mean") ==
              (3 + 2 + 1) / 2.0); /* the stay is two of the first one's */
  ripstop_run_result_free(&result);
}

/* A network interface without a free place: the next in-transit packet waits for the credit of the last. */
static void transit_packets_wait_for_room(void **state) {
  (void)state;
  static const char *const methods[] = {"test-detour:at=2,guests=1", "test-detour:at=2,guests=2",
                                        "test-detour:at=2,guests=1,also=on"};
  uint64_t first = candidate(4) + candidate(3),
           granted = 3 * LINK + 3 * PIPELINE;    /* at switch 2, for the link to the end node */
  uint64_t room = candidate(4) + FLITS + CREDIT; /* the first in-transit packet has left, and it is known */
  const uint64_t second[] = {room - granted + first, FLITS + first, granted + FLITS + candidate(2)};
  for (int i = 0; i < 3; i++) {
    letters l = {.agent_packet = {{.source = 0, .destination = 3}, {.source = 0, .destination = 3}}, .count = 2};
    ripstop_run_result result = run(methods[i], "", "", &l);
    assert_int_equal(l.agent_packet[0].came, first);
    assert_int_equal(l.agent_packet[1].came, second[i]);
    ripstop_run_result_free(&result);
  }
}

/* Three for 3 from 0, which are in-transit packets at 2, and four from 2 itself. With place for one packet in the
 * switch's queue the interface of 2 sends one in ten cycles: the first two are its own, before the first in-transit
 * packet is there. */
static letters transit_packets_among_own(void) {
  letters l = {.count = 7};
  for (uint32_t i = 0; i < l.count; i++) {
    l.agent_packet[i].source = i < 3 ? 0 : 2;
    l.agent_packet[i].destination = 3;
    l.agent_packet[i].at = i < 3 ? 0 : 1;
  }
  return l;
}

enum { PACE = LINK + PIPELINE + FLITS + CREDIT };

/* In-transit packets go before the interface's own packets, also before one at the head of its queue that has not been
 * granted. */
static void transit_packets_go_first(void **state) {
  (void)state;
  letters l = transit_packets_among_own();
  ripstop_run_result result = run("test-detour:at=2,guests=3", "in_queue=1", "", &l);
  static const uint32_t order[] = {3, 4, 0, 1, 2, 5, 6}; /* the in-transit packets arrive at 14, 24, 34 */
  for (uint32_t i = 0; i < l.count; i++) assert_int_equal(l.agent_packet[order[i]].came, 1 + i * PACE + candidate(3));
  ripstop_run_result_free(&result);
  l = transit_packets_among_own();
  result = run("test-detour:at=2,guests=3", "in_queue=1 cycles=20 batches=20 window=1", "", &l);
  assert_int_equal(result.account.delivered, 1);
  assert_int_equal(result.account.waiting,
                   2 + 1); /* in-transit packets do not wait, the own packet that they push back does */
  assert_int_equal(result.account.in_flight, 3);
  uint64_t injected = 0;
  for (size_t w = 0; w < result.windows; w++) injected += result.window[w].injected;
  assert_int_equal(injected, 4);
  ripstop_run_result_free(&result);
}

/* A class does not wait for the in-transit packets of another, but for the link. */
static void transit_packets_keep_their_class(void **state) {
  (void)state;
  letters l = {.agent_packet = {{.source = 0, .destination = 3, .class_ = 1},
                                {.source = 2, .destination = 3, .class_ = 1, .at = 12},
                                {.source = 2, .destination = 3, .class_ = 0, .at = 12},
                                {.source = 2, .destination = 3, .class_ = 1, .at = 12}},
               .count = 4};
  ripstop_run_result result = run("test-detour:at=2", "", "", &l);
  assert_int_equal(l.agent_packet[2].came, 12 + candidate(3)); /* round-robin begins with class 0 */
  assert_int_equal(l.agent_packet[0].came,
                   12 + 1 * FLITS + candidate(3)); /* pushes the first of class 1 back in cycle 14 */
  assert_int_equal(l.agent_packet[1].came, 12 + 2 * FLITS + candidate(3));
  assert_int_equal(l.agent_packet[3].came, 12 + 3 * FLITS + candidate(3));
  ripstop_run_result_free(&result);
}

/* ------------------------------------------------------------------ parts die */

/* Two in-transit packets one after the other show that there is room for two again. */
static void add_probe(letters *l) {
  for (int i = 0; i < 2; i++, l->count++) {
    l->agent_packet[l->count].source = 0;
    l->agent_packet[l->count].destination = 3;
    l->agent_packet[l->count].at = 500;
  }
}

static void assert_probe(const letters *l, uint64_t pace) {
  assert_int_equal(l->agent_packet[l->count - 2].came, 500 + candidate(4) + candidate(3));
  assert_int_equal(l->agent_packet[l->count - 1].came, 500 + candidate(4) + candidate(3) + pace);
}

static void transit_packets_are_lost_with_their_switch(void **state) {
  (void)state;
  for (uint64_t cycle = 8; cycle < 60; cycle++) { /* at whatever time */
    char schedule[64];
    snprintf(schedule, sizeof schedule, "switch:2@%d switch:2+@%d", (int)cycle, (int)cycle + 10);
    letters l = transit_packets_among_own();
    add_probe(&l);
    ripstop_run_result result = run("test-detour:at=2,guests=2", "in_queue=1", schedule, &l);
    uint64_t lost = 0;
    for (uint32_t i = 0; i + 2 < l.count; i++) {
      assert_true((l.agent_packet[i].came > 0) != (l.agent_packet[i].gone > 0));
      if (i >= 3 && l.agent_packet[i].gone) assert_int_equal(l.agent_packet[i].gone, cycle);
      lost += l.agent_packet[i].gone > 0;
    }
    assert_int_equal(result.account.lost, lost);
    assert_true(lost > 0);
    assert_probe(&l, PACE);
    ripstop_run_result_free(&result);
  }
  letters l = transit_packets_among_own();
  ripstop_run_result result = run("test-detour:at=2,guests=2", "in_queue=1", "switch:2@28 switch:2+@29", &l);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(l.agent_packet[i].gone, i == 3 || i == 4 ? 0 : 28);
  ripstop_run_result_free(&result);
}

/* The in-transit packet's interface is cut off: its method finds no candidate for it. */
static void transit_packets_can_be_cut_off(void **state) {
  (void)state;
  letters l = transit_packets_among_own();
  add_probe(&l);
  ripstop_run_result result = run("test-detour:at=2,guests=2", "in_queue=1", "end:2@18 end:2+@20", &l);
  assert_int_equal(l.agent_packet[0].gone, 19); /* arrived in 14, would have left in 21; discarded in 18 */
  for (uint32_t i = 3; i < 7; i++) assert_true(l.agent_packet[i].came > 0);
  assert_probe(&l, PACE);
  assert_int_equal(result.verdict, RIPSTOP_LOSSY);
  ripstop_run_result_free(&result);
}

/* ------------------------------------------------------------------ many */

enum { REQUEST = 0, ANSWER = 1, ROUNDS = 6 };

typedef struct talk {
  uint32_t ends, waiting;
} talk;

static void ask_all(void *context, ripstop_agent_context *play) {
  talk *t = context;
  for (uint32_t i = 0; i < ROUNDS * t->ends * t->ends; i++) {
    uint32_t a = i / t->ends % t->ends, b = i % t->ends;
    if (a != b && ++t->waiting)
      ripstop_agent_send(play, &(ripstop_agent_packet){.source = a, .destination = b, .flits = 3});
  }
}

static void answer(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  talk *t = context;
  if (agent_packet->class_ == REQUEST)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = agent_packet->destination,
                                                     .destination = agent_packet->source,
                                                     .class_ = ANSWER,
                                                     .flits = 9});
  else if (--t->waiting == 0)
    ripstop_agent_finish(play);
}

static void send_later(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  (void)context;
  ripstop_agent_alarm(play, ripstop_agent_now(play) + 50,
                      (uint64_t)agent_packet->source << 32 | (uint64_t)agent_packet->destination << 1 |
                          agent_packet->class_);
}

static void send_again(void *context, ripstop_agent_context *play, uint64_t alarm) {
  (void)context;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = (uint32_t)(alarm >> 32),
                                                   .destination = (uint32_t)alarm >> 1,
                                                   .class_ = (uint32_t)alarm & 1,
                                                   .flits = alarm & 1 ? 9 : 3});
}

/* A tree with in-transit packets at one leaf has no deadlock. Everything arrives in the end, whatever fails and
 * returns, and no deadlock is reported. */
static void everything_arrives(void **state) {
  (void)state;
  static const char *const options[] = {"in_queue=1", "in_queue=3 selection=random", "in_queue=27 unit=flits link=3"};
  static const char *const schedules[] = {
      "", "switch:0/0@300 switch:0/0+@400 end:0.1@700 end:0.1+@900",
      "0/0/3@200 0/0/3+@350 switch:1/1@500 switch:1/1+@650 switch:0/0@660 switch:0/0+@670"};
  static const char *const methods[] = {"test-detour:at=0,guests=1", "test-detour:at=0,guests=4",
                                        "test-detour:at=3,guests=2,also=on"};
  for (int o = 0; o < 3; o++)
    for (int c = 0; c < 3; c++)
      for (int m = 0; m < 3; m++) {
        scene *s = scene_open("kary-ntree:k=3,n=2", methods[m], "cycles=200000 check=20");
        scene_set(s, options[o]);
        scene_schedule(s, schedules[c]);
        talk t = {.ends = s->fabric->ends};
        ripstop_agent agents = {.classes = 2,
                                .shortest = 3,
                                .longest = 9,
                                .start = ask_all,
                                .delivered = answer,
                                .lost = send_later,
                                .alarm = send_again,
                                .context = &t};
        s->sim.agent = &agents;
        s->sim.agents = 1;
        ripstop_run_result result = scene_run(s);
        assert_int_equal(t.waiting, 0);
        assert_int_not_equal(result.verdict, RIPSTOP_DEADLOCKED);
        assert_int_equal(result.account.delivered, 2 * ROUNDS * s->fabric->ends * (s->fabric->ends - 1));
        assert_int_equal(result.account.lost > 0, c > 0);
        assert_int_equal(result.account.in_flight + result.account.waiting, 0);
        ripstop_run_result_free(&result);
        scene_close(s);
      }
}

/* In-transit packets everywhere, each waiting for a queue whose head waits for a place among the next in-transit
 * packets. */
static void transit_packets_can_deadlock(void **state) {
  (void)state;
  scene *s =
      scene_open("torus:9", "test-detour:again=on,guests=1", "load=0.8 packet=4 in_queue=1 cycles=20000 check=10");
  ripstop_run_result result = scene_run(s);
  assert_int_equal(result.verdict, RIPSTOP_DEADLOCKED);
  assert_non_null(strstr(result.witness, "waits for source"));
  uint64_t found = result.cycles, delivered = result.account.delivered;
  ripstop_run_result_free(&result);
  scene_set(s, "cycles=5000 check=5000"); /* without a check for deadlocks, next to nothing arrives from then on */
  result = scene_run(s);
  assert_int_equal(result.verdict, RIPSTOP_DEADLOCKED);
  assert_true(found < 1000 && result.account.delivered < delivered + 100);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* ------------------------------------------------------------------ refused combinations */

static void transit_packets_have_their_conditions(void **state) {
  (void)state;
  static const struct {
    const char *method, *options, *words;
  } cases[] = {{"test-detour:at=2", "flow=xonxoff in_queue=40", "has in-transit packets, which need credits"},
               {"test-detour:at=2", "out_queue=2", "switch.out_queue = 2: method test-detour has in-transit packets"},
               {"test-detour:at=2", "model=static", "test-detour forwards in-transit packets"},
               {"test-detour:at=2,guests=2000000", "", "2000000 in-transit packets for each network interface"},
               {"test-detour:at=2,guests=0", "", "to 3 reached end node 2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    letters l = {.agent_packet = {{.source = 0, .destination = 3}}, .count = 1};
    scene *s = scene_open("torus:9", cases[i].method, cases[i].options);
    ripstop_agent agents = {
        .classes = 2, .shortest = FLITS, .longest = FLITS, .start = on_start, .alarm = on_alarm, .context = &l};
    ripstop_run_result result;
    ripstop_error err;
    s->sim.agent = &agents;
    s->sim.agents = 1;
    assert_int_equal(scene_simulate(s, &result, &err), -1);
    if (!strstr(err.text, cases[i].words)) fail_msg("%s", err.text);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_transit_packet_arrives_and_leaves_in_its_time),
                                     cmocka_unit_test(transit_packets_wait_for_room),
                                     cmocka_unit_test(transit_packets_go_first),
                                     cmocka_unit_test(transit_packets_keep_their_class),
                                     cmocka_unit_test(transit_packets_are_lost_with_their_switch),
                                     cmocka_unit_test(transit_packets_can_be_cut_off),
                                     cmocka_unit_test(everything_arrives),
                                     cmocka_unit_test(transit_packets_can_deadlock),
                                     cmocka_unit_test(transit_packets_have_their_conditions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
