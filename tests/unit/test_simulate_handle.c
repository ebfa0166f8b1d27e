/* test_simulate_handle.c - a simulation is run in pieces, looked at, changed between them, and comes to the same as one
 * that is run in one call; what is seen of a deadlock, a drain and a fault while they stand. */
#include "scene.h"

static const struct {
  const char *fabric, *method, *options, *schedule;
} cases[] = {
    {"torus:4x4", "minimal-adaptive:escape=bubble", "load=0.6 cycles=1500 window=100 warmup=auto", ""},
    {"kary-ntree:k=2,n=3", "misroute", "load=0.8 cycles=1500 in_queue=2 check=100", "0/0.0/2@400 0/0.0/2+@900"},
    {"torus:4x4", "immunet", "load=0.3 cycles=2500 window=250", "switch:1.1@500 switch:1.1+@1200"},
    {"kary-ntree:k=2,n=3", "misroute", "load=0.3 cycles=2000 model=static detect=20 recompute=100 resume=30",
     "0/0.0/2@400 0/0.0/2+@900"},
    {"torus:4x4", "dor:dateline=on", "load=0.5 cycles=1200 flow=xonxoff in_queue=60 unit=flits out_queue=20", ""},
    {"kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=8000 packet=1 check=100",
     "switch:1/0@0 switch:1/1@0 switch:1/2@10 switch:1/2+@20"},
    {"torus:4x4", "dor:dateline=on", "load=0.9 cycles=3000 window=500 classes=1/2 process=on-off:on=50,off=20",
     "switch:1.1@300 switch:1.1+@900 switch:1.1@1400 switch:2.1@1500 switch:1.1+@1500"},
};
enum { CASES = sizeof cases / sizeof *cases };

static scene *open_case(size_t i) {
  scene *s = scene_open(cases[i].fabric, cases[i].method, cases[i].options);
  scene_schedule(s, cases[i].schedule);
  return s;
}

static ripstop_simulation *open_simulation(const stand *run_setup, const ripstop_simulate_settings *scenario) {
  ripstop_error err;
  ripstop_simulation *sim = ripstop_simulate_open(run_setup->plan, scenario, &err);
  if (!sim) fail_msg("%s", err.text);
  return sim;
}

static void run_until(ripstop_simulation *sim, uint64_t until) {
  ripstop_error err;
  if (ripstop_simulate_run(sim, until, &err)) fail_msg("%s", err.text);
}

static ripstop_run_result result_of(const ripstop_simulation *sim) {
  ripstop_error err;
  ripstop_run_result result;
  if (ripstop_simulate_result_into(sim, &result, &err)) fail_msg("%s", err.text);
  return result;
}

/* Everything that can be seen; what must hold of it at any time. */
static ripstop_look look_at_all(const scene *s, const ripstop_simulation *sim) {
  const ripstop_fabric *f = s->fabric;
  ripstop_look look;
  ripstop_simulate_look(sim, &look);
  const ripstop_account *a = &look.account;
  assert_true(a->generated == a->delivered + a->in_flight + a->waiting + a->lost);
  for (uint32_t port = 0; port < f->ports; port++)
    for (uint32_t c = 0; c < 4; c++)
      for (ripstop_side side = RIPSTOP_SIDE_IN; side <= RIPSTOP_SIDE_OUT; side++) {
        ripstop_queue_look q;
        ripstop_packet_look packet[64];
        if (ripstop_simulate_queue(sim, side, port, c, &q)) {
          assert_int_equal(ripstop_simulate_packets(sim, side, port, c, packet, 64), 0);
          continue;
        }
        assert_true(q.units <= q.capacity || port < f->ends);
        assert_int_equal(q.state == RIPSTOP_QUEUE_EMPTY, q.packets == 0);
        assert_int_equal(ripstop_simulate_packets(sim, side, port, c, packet, 64), q.packets);
        for (uint32_t i = 0; i < q.packets; i++) {
          assert_true(packet[i].source < f->ends && packet[i].destination < f->ends);
          assert_true(packet[i].generated_at + packet[i].age == ripstop_simulate_now(sim));
          assert_int_equal(packet[i].leaving, i == 0 && q.state == RIPSTOP_QUEUE_LEAVING);
          assert_int_equal(packet[i].port != RIPSTOP_NONE, packet[i].leaving && !packet[i].truncated);
          if (packet[i].port == RIPSTOP_NONE) continue;
          assert_int_equal(f->port_node[packet[i].port], f->port_node[port]);
          assert_true(side == RIPSTOP_SIDE_IN || packet[i].port == port);
        }
      }
  return look;
}

/* The packets that wait for network interfaces. */
static uint64_t ungenerated_of(const scene *s, const ripstop_simulation *sim) {
  uint64_t ungenerated = 0;
  ripstop_queue_look q;
  for (uint32_t end = 0; end < s->fabric->ends; end++)
    for (uint32_t class_ = 0; !ripstop_simulate_queue(sim, RIPSTOP_SIDE_IN, end, class_, &q); class_++)
      ungenerated += q.ungenerated;
  return ungenerated;
}

/* ------------------------------------------------------------------ slices */

static ripstop_run_result run_sliced(scene *s, const stand *run_setup, uint64_t slice, bool looking) {
  s->deliveries = 0;
  ripstop_simulation *sim = open_simulation(run_setup, &s->sim);
  ripstop_look look = {0};
  ripstop_window window[64];
  for (uint64_t until = slice; !look.ended; until += slice) {
    uint64_t now = ripstop_simulate_now(sim);
    run_until(sim, until);
    if (looking) {
      uint64_t generated_at = 0;
      look = look_at_all(s, sim);
      ripstop_run_result so_far = result_of(sim);
      assert_int_equal(so_far.account.generated, look.account.generated);
      assert_int_equal(ripstop_simulate_windows(sim, window, 64), so_far.windows);
      for (size_t i = 0; i < so_far.windows && i < 64; i++) {
        assert_true(window[i].generated <= so_far.window[i].generated);
        assert_int_equal(window[i].delivered_flits, so_far.window[i].delivered_flits);
        generated_at += window[i].generated;
      }
      if (so_far.windows) assert_int_equal(generated_at + ungenerated_of(s, sim), look.account.generated);
      ripstop_run_result_free(&so_far);
    }
    ripstop_simulate_look(sim, &look);
    assert_true(ripstop_simulate_now(sim) == until || look.ended);
    assert_true(ripstop_simulate_now(sim) > now);
  }
  ripstop_run_result result = result_of(sim);
  ripstop_simulate_close(sim);
  return result;
}

static void slices_and_looks_change_nothing(void **state) {
  (void)state;
  static const uint64_t slices[] = {1, 333};
  for (size_t i = 0; i < CASES; i++) {
    scene *s = open_case(i);
    stand run_setup = stand_on(s->fabric, s->method, &s->faults);
    ripstop_run_result whole = scene_run(s);
    assert_true(whole.account.delivered > 0);
    for (size_t k = 0; k < sizeof slices / sizeof *slices; k++)
      for (int looking = 0; looking < 2; looking++) {
        if (looking && slices[k] == 1) continue; /* this many slices would take too long */
        ripstop_run_result sliced = run_sliced(s, &run_setup, slices[k], looking);
        if (!results_are_equal(&whole, &sliced)) fail_msg("case %zu differs in slices of %u", i, (unsigned)slices[k]);
        if (whole.witness) assert_string_equal(whole.witness, sliced.witness);
        assert_int_equal(s->deliveries, whole.account.delivered);
        ripstop_run_result_free(&sliced);
      }
    ripstop_run_result_free(&whole);
    stand_close(&run_setup);
    scene_close(s);
  }
}

/* ------------------------------------------------------------------ changes */

static void changes_in_between_are_a_schedule(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    scene *s = open_case(i);
    ripstop_schedule schedule = s->schedule;
    stand run_setup = stand_on(s->fabric, s->method, &s->faults);
    ripstop_run_result scheduled = scene_run(s);
    ripstop_error err;
    s->schedule = (ripstop_schedule){0};
    ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
    for (size_t k = 0; k < schedule.count; k++) {
      run_until(sim, schedule.change[k].cycle);
      assert_int_equal(ripstop_simulate_now(sim), schedule.change[k].cycle);
      assert_int_equal(ripstop_simulate_change(sim, &schedule.change[k], &err), 0);
    }
    run_until(sim, UINT64_MAX);
    ripstop_run_result asked = result_of(sim);
    ripstop_simulate_close(sim);
    assert_true(results_are_equal(&scheduled, &asked)); /* it outlives the simulation */
    ripstop_run_result_free(&scheduled);
    ripstop_run_result_free(&asked);
    stand_close(&run_setup);
    scene_close(s);
  }
}

static void changes_that_cannot_be_are_refused(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "immunet", "load=0.1 cycles=50");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
  ripstop_error err;
  ripstop_change none = {.id = s->fabric->links}, no_switch = {.id = 0, .is_switch = true};
  ripstop_change dies = {.id = s->fabric->ends, .is_switch = true};
  assert_int_equal(ripstop_simulate_change(sim, &none, &err), -1);
  assert_int_equal(ripstop_simulate_change(sim, &no_switch, &err), -1);
  assert_int_equal(ripstop_simulate_change(sim, &dies, &err), 0);
  assert_true(ripstop_simulate_view(sim)->node_up[s->fabric->ends]);
  run_until(sim, 1);
  assert_false(ripstop_simulate_view(sim)->node_up[s->fabric->ends]);
  assert_true(run_setup.view->node_up[s->fabric->ends]); /* the caller's is as it was */
  run_until(sim, 50);
  run_until(sim, 1000);
  assert_int_equal(ripstop_simulate_now(sim), 50);
  assert_int_equal(ripstop_simulate_change(sim, &dies, &err), -1);
  ripstop_simulate_close(sim);
  ripstop_simulate_close(NULL);
  stand_close(&run_setup);
  scene_close(s);
}

/* ------------------------------------------------------------------ queues and packets of a stopped run */

static void a_deadlock_can_be_looked_at(void **state) {
  (void)state;
  scene *s = scene_open("torus:8x8", "minimal-adaptive:escape=none", "load=0.9 cycles=20000");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
  run_until(sim, UINT64_MAX);
  ripstop_look look = look_at_all(s, sim);
  assert_true(look.ended && look.deadlocked);
  assert_non_null(look.witness);
  uint32_t stuck = 0;
  for (uint32_t port = s->fabric->ends; port < s->fabric->ports; port++)
    for (uint32_t c = 0; c < run_setup.plan->channels; c++) {
      ripstop_queue_look q;
      ripstop_packet_look head;
      assert_int_equal(ripstop_simulate_queue(sim, RIPSTOP_SIDE_IN, port, c, &q), 0);
      if (!q.stuck) continue;
      stuck++;
      assert_int_equal(q.state, RIPSTOP_QUEUE_WAITING);
      assert_int_equal(ripstop_simulate_packets(sim, RIPSTOP_SIDE_IN, port, c, &head, 1), 1);
      assert_false(head.truncated || head.leaving);
    }
  assert_true(stuck >= 2);
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  scene_close(s);
}

static void a_drain_can_be_looked_at(void **state) {
  (void)state;
  enum { FAULT = 400, DETECT = 50 };
  scene *s = scene_open("kary-ntree:k=2,n=3", "misroute", "load=0.5 cycles=3000 model=static detect=50 recompute=200");
  scene_schedule(s, "0/0.0/2@400");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
  uint64_t flits[3] = {0};
  static const struct {
    uint64_t until;
    ripstop_phase phase;
  } steps[] = {{FAULT, RIPSTOP_PHASE_RUNNING},
               {FAULT + 1, RIPSTOP_PHASE_DETECTING},
               {FAULT + DETECT, RIPSTOP_PHASE_DETECTING},
               {FAULT + DETECT + 1, RIPSTOP_PHASE_DRAINING}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    run_until(sim, steps[i].until);
    assert_int_equal(look_at_all(s, sim).phase, steps[i].phase);
  }
  ripstop_link_look link;
  for (ripstop_look look = look_at_all(s, sim); look.phase == RIPSTOP_PHASE_DRAINING; look = look_at_all(s, sim)) {
    run_until(sim, ripstop_simulate_now(sim) + 1);
    for (uint32_t port = 0; port < s->fabric->ports; port++) {
      if (ripstop_simulate_link(sim, port, &link)) continue;
      flits[2] += link.flits;
    }
    assert_true(flits[2] >= flits[1]);
    flits[1] = flits[2];
    flits[2] = 0;
  }
  ripstop_look empty = look_at_all(s, sim);
  assert_int_equal(empty.phase, RIPSTOP_PHASE_COMPUTING);
  assert_int_equal(empty.account.in_flight, 0);
  uint32_t up = 0, cabled = 0;
  for (uint32_t port = 0; port < s->fabric->ports; port++) {
    if (ripstop_simulate_link(sim, port, &link)) continue;
    assert_int_equal(link.busy, 0);
    up += link.up;
    cabled++;
  }
  assert_int_equal(cabled - up, 2); /* the failed link's two directions */
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  scene_close(s);
}

/* ------------------------------------------------------------------ a protocol at work */

/* Messages are on links of switches, and arrive later than they were sent. Returns how many there are. */
static size_t look_at_messages(const scene *s, const ripstop_simulation *sim) {
  ripstop_message_look message[64];
  size_t count = ripstop_simulate_messages(sim, message, 64);
  for (size_t i = 0; i < count && i < 64; i++) {
    assert_true(message[i].port >= s->fabric->ends && message[i].port < s->fabric->ports);
    assert_true(message[i].sent < ripstop_simulate_now(sim) && message[i].arrives >= ripstop_simulate_now(sim));
  }
  assert_int_equal(ripstop_simulate_messages(sim, NULL, 0), count);
  return count;
}

static void messages_and_new_candidates_are_seen(void **state) {
  (void)state;
  scene *s = scene_open("mport-ntree:m=4,n=3", "link-fault-messages", "load=0.1 cycles=3000");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
  ripstop_error err;
  ripstop_change dies = {.id = s->fabric->links - 1};
  run_until(sim, 500);
  assert_int_equal(look_at_messages(s, sim), 0);
  assert_int_equal(ripstop_simulate_change(sim, &dies, &err), 0);
  size_t most = 0;
  uint32_t renewed = 0;
  for (uint64_t until = 501; until < 2500; until++) {
    run_until(sim, until);
    size_t count = look_at_messages(s, sim);
    if (count > most) most = count;
  }
  assert_true(most > 2); /* they spread */
  assert_int_equal(look_at_messages(s, sim), 0);
  for (uint32_t v = 0; v < s->fabric->nodes; v++) {
    uint64_t cycle = ripstop_simulate_renewed(sim, v);
    assert_true(cycle == UINT64_MAX || (v >= s->fabric->ends && cycle >= 500 && cycle < 2500));
    renewed += cycle != UINT64_MAX;
  }
  assert_true(renewed > 2);
  assert_true(ripstop_simulate_renewed(sim, s->fabric->nodes) == UINT64_MAX);
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  scene_close(s);
}

/* ------------------------------------------------------------------ headers */

/* All end nodes send to one over a switch that cuts packets without space. The headers that wait are the first packets
 * of their output VC, and counts are those of the packets. */
static void headers_of_cut_packets_are_seen(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=8,n=1", "updown",
                        "queues=shared lossless=off trim=on buffer=64 unit=flits in_queue=64 packet=8 load=1 "
                        "pattern=hotspot:end=0,share=1 cycles=600");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = open_simulation(&run_setup, &s->sim);
  const uint32_t port = s->fabric->peer[0];
  uint32_t headers = 0, whole = 0;
  for (uint64_t until = 1; until < 600; until++) {
    ripstop_queue_look q;
    ripstop_packet_look packet[512];
    run_until(sim, until);
    assert_int_equal(ripstop_simulate_queue(sim, RIPSTOP_SIDE_OUT, port, 0, &q), 0);
    assert_int_equal(ripstop_simulate_packets(sim, RIPSTOP_SIDE_OUT, port, 0, packet, 512), q.packets);
    uint32_t first = 0, units = 0;
    while (first < q.packets && packet[first].flits == 1) first++;
    for (uint32_t i = first; i < q.packets; i++) assert_int_equal(packet[i].flits, 8);
    for (uint32_t i = 0; i < q.packets; i++) units += packet[i].flits;
    assert_int_equal(q.units, units);
    headers += first;
    whole += q.packets - first;
  }
  assert_true(headers > 100 && whole > 100);
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_cut_packets_are_seen),      cmocka_unit_test(slices_and_looks_change_nothing),
      cmocka_unit_test(changes_in_between_are_a_schedule),    cmocka_unit_test(changes_that_cannot_be_are_refused),
      cmocka_unit_test(a_deadlock_can_be_looked_at),          cmocka_unit_test(a_drain_can_be_looked_at),
      cmocka_unit_test(messages_and_new_candidates_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
