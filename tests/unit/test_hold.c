/* test_hold.c - protocols that hold packets: in switches, and in network interfaces if they request it. A stalled
 * packet moves in the cycle in which its switch reports that its candidates have changed. It is lost like any other
 * packet. A packet that a silent protocol stalls is a deadlock; one that a busy protocol stalls is none. */
#include "scene.h"

enum { LETTERS_MAX = 8, FLITS = 4 };

typedef struct letters {
  struct {
    uint32_t source, destination;
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
                                                   .flits = FLITS,
                                                   .tag = i});
}

static void on_delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  ((letters *)context)->agent_packet[agent_packet->tag].came = ripstop_agent_now(play);
}

static void on_lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  ((letters *)context)->agent_packet[agent_packet->tag].gone = ripstop_agent_now(play);
}

/* A ring of nine switches: one direction is always shorter. */
static ripstop_run_result run(const char *method, const char *options, const char *schedule, letters *l) {
  scene *s = scene_open("torus:9", method, "link=2 pipeline=1 cycles=1000");
  scene_set(s, options);
  scene_schedule(s, schedule);
  ripstop_agent agents = {.classes = 1,
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

/* From a grant on, over so many links. */
static uint64_t candidate(uint64_t links) { return links * 2 + (links - 1) * 1 + FLITS - 1; }

static void held_packets_go_when_the_candidates_change(void **state) {
  (void)state;
  /* 0 to 3 has to pass 2, and so has 4 to 1; 5 to 7 does not */
  letters l = {.agent_packet = {{.source = 0, .destination = 3, .at = 0},
                                {.source = 0, .destination = 3, .at = 50},
                                {.source = 4, .destination = 1, .at = 60},
                                {.source = 5, .destination = 7, .at = 50},
                                {.source = 0, .destination = 3, .at = 300}},
               .count = 5};
  ripstop_run_result result = run("test-gate:at=2,shut=20,open=200", "", "", &l);
  assert_int_equal(l.agent_packet[0].came, candidate(5));
  assert_int_equal(l.agent_packet[1].came, 200 + candidate(2)); /* from switch 2 over 3 to the end node */
  assert_int_equal(l.agent_packet[2].came, 200 + candidate(2));
  assert_int_equal(l.agent_packet[3].came, 50 + candidate(4));
  assert_int_equal(l.agent_packet[4].came, 300 + candidate(5));
  assert_int_equal(result.verdict, RIPSTOP_STEADY);
  ripstop_run_result_free(&result);
}

/* Shut at once when the first packet has come into switch 2: it stays, and so does what comes behind it. */
static void a_head_loses_its_candidates(void **state) {
  (void)state;
  letters l = {.agent_packet = {{.source = 0, .destination = 3, .at = 0}, {.source = 0, .destination = 3, .at = 0}},
               .count = 2};
  /* the first is granted at switch 2 in cycle 9, the second cannot before 13 */
  ripstop_run_result result = run("test-gate:at=2,shut=10,open=100", "", "", &l);
  assert_int_equal(l.agent_packet[0].came, candidate(5));
  assert_int_equal(l.agent_packet[1].came, 100 + candidate(2));
  ripstop_run_result_free(&result);
}

static void interfaces_wait_where_the_protocol_says_so(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    const char *method = ends ? "test-gate-ends:at=2,open=500" : "test-gate:at=2,open=500";
    letters l = {.agent_packet = {{.source = 2, .destination = 4, .at = 10}, {.source = 2, .destination = 4, .at = 20}},
                 .count = 2};
    ripstop_run_result result = run(method, "cycles=400", "", &l);
    assert_int_equal(result.account.waiting, ends ? 2 : 0);
    assert_int_equal(result.account.in_flight, ends ? 0 : 2);
    ripstop_run_result_free(&result);
    result = run(method, "", "", &l);
    assert_int_equal(l.agent_packet[0].came, 500 + candidate(ends ? 4 : 3));
    assert_int_equal(l.agent_packet[1].came, 500 + candidate(ends ? 4 : 3) + FLITS);
    ripstop_run_result_free(&result);
  }
}

/* The link that brings a packet fails before its tail has arrived; the packet is stalled. */
static void a_held_packet_is_lost_with_its_link(void **state) {
  (void)state;
  letters l = {.agent_packet = {{.source = 0, .destination = 3, .at = 0}, {.source = 0, .destination = 3, .at = 50}},
               .count = 2};
  /* granted at switch 1 in cycle 6, on the link to switch 2 in cycles 6 to 11 */
  ripstop_run_result result = run("test-gate:at=2,open=200", "", "1/0@10 1/0+@20", &l);
  assert_int_equal(l.agent_packet[0].gone, 10);
  assert_int_equal(l.agent_packet[1].came, 200 + candidate(2));
  ripstop_run_result_free(&result);
}

/* One packet is in the switch, one at the head of its network interface, one behind it; a switch that comes back starts
 * again. */
static void held_packets_are_lost_with_their_switch(void **state) {
  (void)state;
  letters l = {.agent_packet = {{.source = 0, .destination = 3, .at = 50},
                                {.source = 2, .destination = 3, .at = 150},
                                {.source = 2, .destination = 3, .at = 150},
                                {.source = 0, .destination = 3, .at = 180},
                                {.source = 2, .destination = 3, .at = 180}},
               .count = 5};
  ripstop_run_result result = run("test-gate-ends:at=2,open=200", "", "switch:2@160 switch:2+@170", &l);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(l.agent_packet[i].gone, 160);
  assert_int_equal(l.agent_packet[3].came, 170 + 200 + candidate(2));
  assert_int_equal(l.agent_packet[4].came, 170 + 200 + candidate(3) + 1); /* after the other, which had the link */
  assert_int_equal(result.account.lost, 3);
  ripstop_run_result_free(&result);
}

static void silence_makes_a_deadlock_of_it(void **state) {
  (void)state;
  static const char *const methods[] = {"test-gate:at=2", "test-gate-ends:at=0", "test-gate:at=2,beat=on"};
  static const char *const witness[] = {"2 in-port 1 channel 0 holds 0->3, stalled by a protocol",
                                        "source 0 class 0 holds 0->3, stalled by a protocol", NULL};
  for (int i = 0; i < 3; i++) {
    letters l = {.agent_packet = {{.source = 0, .destination = 3, .at = 0}}, .count = 1};
    ripstop_run_result result = run(methods[i], "check=100", "", &l);
    assert_int_equal(result.verdict, witness[i] ? RIPSTOP_DEADLOCKED : RIPSTOP_STEADY);
    assert_int_equal(result.cycles, witness[i] ? 100 : 1000);
    if (witness[i]) assert_non_null(strstr(result.witness, witness[i]));
    ripstop_run_result_free(&result);
  }
}

/* Gates that open and shut all the time under load: everything arrives, whatever the switch. */
static void nothing_is_lost_at_gates(void **state) {
  (void)state;
  static const char *const methods[] = {"test-gate:again=on,shut=30,open=50",
                                        "test-gate-ends:again=on,shut=30,open=50"};
  static const char *const options[] = {"in_queue=6", "in_queue=12 flow=xonxoff link=2", "out_queue=3 credit=3",
                                        "unit=flits in_queue=30 selection=random"};
  for (int m = 0; m < 2; m++)
    for (int o = 0; o < 4; o++) {
      scene *s = scene_open("kary-ntree:k=3,n=2", methods[m], "load=0.05 packet=4:0.5/8:0.5 cycles=5000 check=50");
      scene_set(s, options[o]);
      ripstop_run_result result = scene_run(s);
      assert_int_equal(result.verdict, RIPSTOP_STEADY);
      assert_int_equal(result.account.lost, 0);
      assert_true(result.account.delivered > 300);
      assert_in_range(result.account.in_flight + result.account.waiting, 0, 40);
      ripstop_run_result_free(&result);
      scene_close(s);
    }
}

static void only_protocols_may_hold(void **state) {
  (void)state;
  scene *s = scene_open("torus:9", "test-gate:mute=on", "load=0.1");
  ripstop_run_result result;
  ripstop_error err;
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  assert_non_null(strstr(err.text, "a number of candidates out of range: 0"));
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_packets_go_when_the_candidates_change),
                                     cmocka_unit_test(a_head_loses_its_candidates),
                                     cmocka_unit_test(interfaces_wait_where_the_protocol_says_so),
                                     cmocka_unit_test(a_held_packet_is_lost_with_its_link),
                                     cmocka_unit_test(held_packets_are_lost_with_their_switch),
                                     cmocka_unit_test(silence_makes_a_deadlock_of_it),
                                     cmocka_unit_test(nothing_is_lost_at_gates),
                                     cmocka_unit_test(only_protocols_may_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
