/* test_simulate_control.c - protocol messages on the simulated links: when they arrive with and without load, which are
 * lost, in what order a switch takes its steps, and the notices to a switch that comes back (docs/model.md, "Control
 * messages"). The protocol is the flood of test_simulate_control.methods/. */
#include "test_simulate_control.methods/flood_log.h"

#include "scene.h"

flood_record flood_log[FLOOD_RECORDS];
uint32_t flood_records;
uint64_t flood_sent;

static ripstop_run_result run(scene *s) {
  flood_records = 0;
  flood_sent = 0;
  ripstop_run_result result = scene_run(s);
  assert_true(flood_records < FLOOD_RECORDS);
  assert_int_equal(ripstop_run_result_value(&result, "control.messages"), flood_sent);
  return result;
}

static uint32_t switch_named(const scene *s, const char *name) {
  uint32_t node = ripstop_names_switch(s->names, name, strlen(name));
  assert_int_not_equal(node, RIPSTOP_NONE);
  return node;
}

static uint32_t link_named(const scene *s, const char *name) {
  uint32_t link = ripstop_names_link(s->names, name, strlen(name));
  assert_int_not_equal(link, RIPSTOP_NONE);
  return link;
}

/* Counts such events of a node from a cycle on, with a port or timer (RIPSTOP_NONE: any). */
static uint32_t count(uint32_t node, ripstop_event_kind kind, uint32_t number, uint64_t from, uint64_t to) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < flood_records; i++) {
    const flood_record *r = &flood_log[i];
    found += r->node == node && r->kind == kind && (number == RIPSTOP_NONE || r->number == number) &&
             r->cycle >= from && r->cycle <= to;
  }
  return found;
}

static uint64_t learned_at(uint32_t node) {
  for (uint32_t i = 0; i < flood_records; i++)
    if (flood_log[i].node == node && flood_log[i].learned) return flood_log[i].cycle;
  return UINT64_MAX;
}

/* Hops between switches to the nearer end of a link, without that link and through no end node. */
static void distances_to_link(const scene *s, uint32_t link, uint32_t *distance) {
  const ripstop_fabric *f = s->fabric;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = RIPSTOP_NONE;
  for (unsigned side = 0; side < 2; side++) distance[ripstop_link_node(f, link, side)] = 0;
  for (uint32_t round = 0; round < f->nodes; round++)
    for (uint32_t p = f->ends; p < f->ports; p++) {
      if (f->peer[p] == RIPSTOP_NONE || f->port_link[p] == link) continue;
      uint32_t from = f->port_node[p], to = f->port_node[f->peer[p]];
      if (ripstop_is_end(f, to) || distance[from] == RIPSTOP_NONE) continue;
      if (distance[from] + 1 < distance[to]) distance[to] = distance[from] + 1;
    }
}

static const struct {
  const char *fabric, *link;
} places[] = {{"torus:4x4", "0.0/1"},
              {"torus:3x2x3", "1.1.1/0"},
              {"kary-ntree:k=2,n=3", "1/0.1/3"},
              {"mport-ntree:m=4,n=3", "0/1.0/2"},
              {"kns:k=3,n=2", "0.1/1"}};

/* A failure in cycle 100 is known `dist` hops away at 100 + dist * delay, plus at most `wait` a hop. */
static void assert_spread(const char *method, uint64_t delay, const char *options, uint64_t wait) {
  uint32_t late = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    scene *s = scene_open(places[i].fabric, method, options);
    ripstop_change change = {.cycle = 100, .id = link_named(s, places[i].link)};
    s->schedule = (ripstop_schedule){.count = 1, .change = &change};
    ripstop_run_result result = run(s);
    uint32_t distance[FLOOD_NODES];
    distances_to_link(s, change.id, distance);
    for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
      uint64_t least = 100 + distance[v] * delay;
      assert_in_range(learned_at(v), least, least + distance[v] * wait);
      late += learned_at(v) > least;
    }
    ripstop_run_result_free(&result);
    scene_close(s);
  }
  assert_true(wait == 0 || late > 0);
}

static void news_spread_at_the_speed_of_the_messages(void **state) {
  (void)state;
  assert_spread("test-flood", 5, "load=0", 0);
  assert_spread("test-flood:delay=1", 1, "load=0", 0);
  assert_spread("test-flood:delay=0", 1, "load=0", 0); /* at least a cycle */
  assert_spread("test-flood-flits", 5, "load=0", 0);
  assert_spread("test-flood-flits:delay=1", 1, "load=0 out_queue=2", 0);
}

static void without_flits_load_does_not_matter(void **state) {
  (void)state;
  assert_spread("test-flood", 5, "load=0.1", 0);
  assert_spread("test-flood", 5, "load=0.9 out_queue=2", 0);
}

/* A message waits for the rest of one packet and for nothing else: it goes before data. */
static void with_flits_a_message_waits_for_one_packet_at_most(void **state) {
  (void)state;
  assert_spread("test-flood-flits", 5, "load=0.1", 15);
  assert_spread("test-flood-flits", 5, "load=0.9", 15);
  assert_spread("test-flood-flits", 5, "load=0.1 out_queue=2", 15);
  assert_spread("test-flood-flits", 5, "load=0.9 out_queue=2 flow=xonxoff in_queue=6", 15);
}

static size_t deliver(const char *method, delivery **list) {
  scene *s = scene_open("torus:4x4", method, "load=0.3 cycles=600");
  ripstop_run_result result = run(s);
  size_t deliveries = s->deliveries;
  *list = s->delivered;
  s->delivered = NULL;
  ripstop_run_result_free(&result);
  scene_close(s);
  return deliveries;
}

static bool same_deliveries(const char *one, const char *other) {
  delivery *a, *b;
  size_t as = deliver(one, &a), bs = deliver(other, &b);
  bool same = as == bs;
  for (size_t i = 0; same && i < as; i++) same = a[i].packet == b[i].packet && a[i].at == b[i].at;
  assert_true(as > 100 && bs > 100);
  ripstop_free(a);
  ripstop_free(b);
  return same;
}

static void only_messages_with_flits_hold_up_packets(void **state) {
  (void)state;
  assert_true(same_deliveries("test-flood", "test-flood:beat=10"));
  assert_true(same_deliveries("test-flood", "test-flood-flits"));
  assert_false(same_deliveries("test-flood", "test-flood-flits:beat=10"));
}

/* Beats are sent at 100, 200, .. and take 20 cycles. */
static uint32_t beats_over(const char *method, const char *schedule, uint64_t from, uint64_t to) {
  scene *s = scene_open("torus:4x4", method, "load=0 cycles=1000");
  scene_schedule(s, schedule);
  ripstop_run_result result = run(s);
  uint32_t link = link_named(s, "0.0/1"), port = s->fabric->link_port[2 * link + 1];
  uint32_t node = s->fabric->port_node[port], beats;
  beats = count(node, RIPSTOP_EVENT_MESSAGE, port - s->fabric->port_base[node], from, to);
  ripstop_run_result_free(&result);
  scene_close(s);
  return beats;
}

static void messages_on_a_dying_link_are_lost(void **state) {
  (void)state;
  static const char *const methods[] = {"test-flood:beat=100,delay=20", "test-flood-flits:beat=100,delay=20"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(beats_over(methods[i], "", 0, 399), 3);
    assert_int_equal(beats_over(methods[i], "0.0/1@100 0.0/1+@130", 120, 120),
                     0); /* the link is down when it is sent */
    assert_int_equal(beats_over(methods[i], "0.0/1@101 0.0/1+@102", 120, 120), 0);
    assert_int_equal(beats_over(methods[i], "0.0/1@120 0.0/1+@121", 120, 120), 0); /* changes come first */
    assert_int_equal(beats_over(methods[i], "0.0/1@121 0.0/1+@122", 120, 120), 1);
    assert_int_equal(beats_over(methods[i], "0.0/1@110 0.0/1+@110", 120, 120), 0);
    assert_int_equal(beats_over(methods[i], "0.0/1@110 0.0/1+@112", 220, 220), 1);
    assert_int_equal(beats_over(methods[i], "switch:0.0@110 switch:0.0+@112", 120, 120), 0);
    assert_int_equal(beats_over(methods[i], "0.1/1@110", 120, 120), 1); /* another link */
  }
}

/* Link events by port, then messages by port, then timers by number. */
static void steps_of_a_cycle_have_one_order(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "test-flood:beat=50,delay=50,timers=100", "load=0 cycles=300");
  scene_schedule(s, "1.1/0@20 1.1/1@100 1.1/0+@100 1.0/0@100");
  ripstop_run_result result = run(s);
  uint32_t node = switch_named(s, "1.1"), ranks = 0;
  for (uint32_t i = 1; i < flood_records; i++) {
    const flood_record *a = &flood_log[i - 1], *b = &flood_log[i];
    if (a->node != b->node || a->cycle != b->cycle) continue;
    int rank_a = a->kind == RIPSTOP_EVENT_TIMER ? 2 : a->kind == RIPSTOP_EVENT_MESSAGE, rank_b;
    rank_b = b->kind == RIPSTOP_EVENT_TIMER ? 2 : b->kind == RIPSTOP_EVENT_MESSAGE;
    if (a->kind == RIPSTOP_EVENT_START) continue;
    assert_true(rank_a < rank_b || (rank_a == rank_b && a->number <= b->number));
    if (a->node == node && a->cycle == 100) ranks |= 1u << rank_a | 1u << rank_b;
  }
  assert_int_equal(ranks, 7);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_UP, 0, 100, 100), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, 1, 100, 100), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, 2, 100, 100), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_TIMER, RIPSTOP_NONE, 100, 100), 4);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void a_switch_starts_with_its_failed_links(void **state) {
  (void)state;
  scene *s = scene_open("torus:3x3", "test-flood", "load=0 cycles=100");
  scene_break(s, "0.0/0 switch:2.2");
  ripstop_run_result result = run(s);
  assert_int_equal(count(switch_named(s, "0.0"), RIPSTOP_EVENT_START, RIPSTOP_NONE, 0, 0), 1);
  assert_int_equal(count(switch_named(s, "0.0"), RIPSTOP_EVENT_LINK_DOWN, RIPSTOP_NONE, 0, 0), 1);
  assert_int_equal(count(switch_named(s, "0.1"), RIPSTOP_EVENT_LINK_DOWN, 1, 0, 0), 1);
  assert_int_equal(count(switch_named(s, "2.1"), RIPSTOP_EVENT_LINK_DOWN, 0, 0, 0), 1);
  assert_int_equal(count(switch_named(s, "1.1"), RIPSTOP_EVENT_LINK_DOWN, RIPSTOP_NONE, 0, 99), 0);
  assert_int_equal(count(switch_named(s, "2.2"), RIPSTOP_EVENT_START, RIPSTOP_NONE, 0, 99), 0);
  assert_int_equal(count(switch_named(s, "2.2"), RIPSTOP_EVENT_MESSAGE, RIPSTOP_NONE, 0, 99), 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* In a 3x3 torus, switch 1.1 fails at 130 and comes back at 205; its link to 1.2 stays down, that to 2.1 too. */
static void a_switch_that_comes_back_starts_afresh(void **state) {
  (void)state;
  scene *s = scene_open("torus:3x3", "test-flood:beat=50", "load=0 cycles=400");
  scene_schedule(s, "1.1/1@120 switch:1.1@130 1.1/0@140 switch:1.1+@205 1.1/0+@300");
  ripstop_run_result result = run(s);
  uint32_t node = switch_named(s, "1.1"), right = switch_named(s, "1.2"), left = switch_named(s, "1.0");
  assert_int_equal(count(node, RIPSTOP_EVENT_START, RIPSTOP_NONE, 0, 399), 2);
  assert_int_equal(count(node, RIPSTOP_EVENT_START, RIPSTOP_NONE, 205, 205), 1);
  /* its timers begin again: not at 150, 200, 250, .. */
  assert_int_equal(count(node, RIPSTOP_EVENT_TIMER, FLOOD_BEAT, 131, 399), 3);
  assert_int_equal(count(node, RIPSTOP_EVENT_TIMER, FLOOD_BEAT, 255, 255), 1);
  /* it is notified once of each failed link, and of no other */
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, RIPSTOP_NONE, 130, 399), 2);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, 0, 205, 205), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, 2, 205, 205), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_UP, RIPSTOP_NONE, 0, 399), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_UP, 0, 300, 300), 1);
  /* its neighbours are notified once of every change of a port: the link's failure adds nothing to the switch's */
  assert_int_equal(count(right, RIPSTOP_EVENT_LINK_DOWN, RIPSTOP_NONE, 0, 399), 1);
  assert_int_equal(count(right, RIPSTOP_EVENT_LINK_DOWN, 1, 130, 130), 1);
  assert_int_equal(count(right, RIPSTOP_EVENT_LINK_UP, 1, 300, 300), 1);
  assert_int_equal(count(left, RIPSTOP_EVENT_LINK_DOWN, 0, 130, 130), 1);
  assert_int_equal(count(left, RIPSTOP_EVENT_LINK_UP, 0, 205, 205), 1);
  assert_int_equal(count(left, RIPSTOP_EVENT_LINK_UP, RIPSTOP_NONE, 0, 399), 1);
  /* nothing from before its failure: beats of 100 arrive at 105, those of 150 and 200 were never sent */
  assert_int_equal(count(left, RIPSTOP_EVENT_MESSAGE, 0, 131, 204), 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void what_fails_and_returns_in_one_cycle_is_reported(void **state) {
  (void)state;
  scene *s = scene_open("torus:3x3", "test-flood", "load=0 cycles=200");
  scene_schedule(s, "0.0/0@50 0.0/0+@50 switch:2.2@70 switch:2.2+@70");
  ripstop_run_result result = run(s);
  uint32_t node = switch_named(s, "0.0"), beside = switch_named(s, "2.1"), flapped = switch_named(s, "2.2");
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_DOWN, 0, 50, 50), 1);
  assert_int_equal(count(node, RIPSTOP_EVENT_LINK_UP, 0, 50, 50), 1);
  assert_int_equal(count(beside, RIPSTOP_EVENT_LINK_DOWN, 0, 70, 70), 1);
  assert_int_equal(count(beside, RIPSTOP_EVENT_LINK_UP, 0, 70, 70), 1);
  assert_int_equal(count(flapped, RIPSTOP_EVENT_START, RIPSTOP_NONE, 70, 70), 1);
  assert_int_equal(count(flapped, RIPSTOP_EVENT_LINK_DOWN, RIPSTOP_NONE, 70, 70), 0);
  assert_int_equal(count(flapped, RIPSTOP_EVENT_LINK_UP, RIPSTOP_NONE, 70, 70), 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Two links fail and one returns under load: nothing is lost but what was on them. */
static void packets_are_rerouted_by_what_messages_reported(void **state) {
  (void)state;
  static const char *const methods[] = {"test-flood:delay=40", "test-flood-flits:delay=40"};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open("torus:4x4", methods[i], "load=0.1 packet=4 cycles=3000 in_queue=16");
    scene_schedule(s, "1.1/0@500 3.0/1@1000 1.1/0+@2000");
    ripstop_run_result result = run(s);
    assert_int_equal(result.verdict, RIPSTOP_STEADY);
    assert_in_range(result.account.lost, 0, 8);
    assert_int_equal(result.account.lost, ripstop_run_result_value(&result, "lost.link died"));
    assert_true(result.account.delivered > 1000);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

enum { LONG_AGENT_PACKET = 100 };

static void send_the_first(void *context, ripstop_agent_context *play) {
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = 3, .flits = LONG_AGENT_PACKET});
  ripstop_agent_alarm(play, 60, 0);
  (void)context;
}

static void send_the_second(void *context, ripstop_agent_context *play, uint64_t alarm) {
  (void)context, (void)alarm;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = 3, .flits = LONG_AGENT_PACKET});
}

/* On a ring, switch 0 has an update for switch 1 in cycle 30, which waits for the rest of a long packet and is lost
 * with the link in cycle 40. No switch sends anything from then on: the packet that waits because switch 0 has no link
 * left is stalled forever, and the run says so. */
static void a_message_that_dies_waiting_leaves_silence(void **state) {
  (void)state;
  scene *s = scene_open("torus:9", "test-flood-patient", "cycles=5000 check=100");
  scene_schedule(s, "8/0@30 0/0@40");
  ripstop_agent agents = {.classes = 1,
                          .shortest = LONG_AGENT_PACKET,
                          .longest = LONG_AGENT_PACKET,
                          .start = send_the_first,
                          .alarm = send_the_second};
  s->sim.agent = &agents;
  s->sim.agents = 1;
  ripstop_run_result result = run(s);
  uint32_t there = s->fabric->link_port[2 * link_named(s, "0/0") + 1], node = s->fabric->port_node[there];
  assert_int_equal(node, switch_named(s, "1"));
  assert_int_equal(count(node, RIPSTOP_EVENT_MESSAGE, there - s->fabric->port_base[node], 0, 5000), 0);
  assert_int_equal(ripstop_run_result_value(&result, "lost.link died"), 1);
  assert_int_equal(result.verdict, RIPSTOP_DEADLOCKED);
  assert_non_null(strstr(result.witness, "holds 0->3, stalled by a protocol"));
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void messages_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *why;
  } cases[] = {{"test-flood-long", "message is longer than 1023 flits"},
               {"test-flood-large", "messages of at most 256 bytes"}};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open("torus:3x3", cases[i].method, "load=0.1");
    ripstop_run_result result;
    ripstop_error err;
    scene_schedule(s, "0.0/0@20"); /* a link whose change makes messages */
    assert_int_equal(scene_simulate(s, &result, &err), -1);
    assert_non_null(strstr(err.text, cases[i].why));
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(news_spread_at_the_speed_of_the_messages),
                                     cmocka_unit_test(without_flits_load_does_not_matter),
                                     cmocka_unit_test(with_flits_a_message_waits_for_one_packet_at_most),
                                     cmocka_unit_test(only_messages_with_flits_hold_up_packets),
                                     cmocka_unit_test(messages_on_a_dying_link_are_lost),
                                     cmocka_unit_test(steps_of_a_cycle_have_one_order),
                                     cmocka_unit_test(a_switch_starts_with_its_failed_links),
                                     cmocka_unit_test(a_switch_that_comes_back_starts_afresh),
                                     cmocka_unit_test(what_fails_and_returns_in_one_cycle_is_reported),
                                     cmocka_unit_test(packets_are_rerouted_by_what_messages_reported),
                                     cmocka_unit_test(a_message_that_dies_waiting_leaves_silence),
                                     cmocka_unit_test(messages_that_do_not_fit_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
