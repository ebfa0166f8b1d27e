/* test_immunet.c - stories of immunet's protocol (paper 004): its own examples on the 3 x 3 torus, each hole of the
 * protocol as printed (docs/methods/immunet.md, "Repairs"), and what packets meet meanwhile. Routers are numbered row
 * by row, as in the paper. */
#include <jansson.h>

#include "hands.h"
#include "ripstop/plugin/method.h"
#include "story.h"

#define TORUS "torus:3x3"

/* ------------------------------------------------------------------ queries */

static json_t *state_of(const hands *h, uint32_t router) {
  ripstop_text text = {0};
  h->plan->method->proto->json(h->plan, h->state[hands_node(h, router)], &text);
  json_t *state = json_loads(text.data, 0, NULL);
  assert_non_null(state);
  ripstop_text_free(&text);
  return state;
}

static json_int_t number_of(const hands *h, uint32_t router, const char *what) {
  json_t *state = state_of(h, router);
  json_int_t number = json_integer_value(json_object_get(state, what));
  json_decref(state);
  return number;
}

static bool is_emergency(const hands *h, uint32_t router) {
  json_t *state = state_of(h, router);
  bool emergency = json_is_true(json_object_get(state, "emergency"));
  json_decref(state);
  return emergency;
}

/* Parent and children by their numbers: "4 < 3 < 0 5" is router 3 below 4 with the children 0 and 5. */
static void assert_family(const hands *h, uint32_t router, const char *wanted) {
  json_t *state = state_of(h, router), *port;
  const ripstop_fabric *f = h->fabric;
  uint32_t first = f->port_base[hands_node(h, router)];
  ripstop_text text = {0};
  size_t i;
  port = json_object_get(state, "parent");
  if (json_is_integer(port))
    ripstop_text_add(&text, "%u < ", f->port_node[f->peer[first + json_integer_value(port)]] - f->ends);
  ripstop_text_add(&text, "%u <", router);
  json_array_foreach(json_object_get(state, "children"), i, port)
      ripstop_text_add(&text, " %u", f->port_node[f->peer[first + json_integer_value(port)]] - f->ends);
  assert_string_equal(text.data, wanted);
  ripstop_text_free(&text);
  json_decref(state);
}

/* The distances of what is left, by relaxation. */
static json_int_t sum_of_distances(const hands *h) {
  const ripstop_fabric *f = h->fabric;
  json_int_t sum = 0;
  for (uint32_t from = f->ends; from < f->nodes; from++) {
    uint32_t distance[64];
    bool news = h->state[from];
    for (uint32_t v = 0; v < f->nodes; v++) distance[v] = v == from ? 0 : 1000;
    while (news) {
      news = false;
      for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++) {
        uint32_t a = f->port_node[port], b = f->port_node[f->peer[port]];
        if (ripstop_is_end(f, b) || h->dead[f->port_link[port]] || !h->state[a] || !h->state[b]) continue;
        news |= distance[a] + 1 < distance[b];
        if (distance[a] + 1 < distance[b]) distance[b] = distance[a] + 1;
      }
    }
    for (uint32_t v = f->ends; v < f->nodes && h->state[from]; v++) sum += h->state[v] ? distance[v] : 0;
  }
  return sum;
}

/* One tree, whose ring passes all routers that live, twice each of its links; and every distance. */
static void assert_whole(const hands *h) {
  ripstop_text text = {0};
  json_int_t routers = 0;
  for (uint32_t v = h->fabric->ends; v < h->fabric->nodes; v++) {
    if (!h->state[v]) continue;
    assert_false(is_emergency(h, v - h->fabric->ends));
    routers++;
  }
  h->plan->method->proto->report(h->plan, (const void *const *)h->state, true, &text);
  json_t *report = json_loads(text.data, 0, NULL), *components = json_object_get(report, "components"),
         *one = json_array_get(components, 0);
  assert_int_equal(json_array_size(components), 1);
  assert_int_equal(json_array_size(json_object_get(one, "routers")), routers);
  assert_int_equal(json_integer_value(json_object_get(one, "ring_length")), 2 * (routers - 1));
  assert_int_equal(json_integer_value(json_object_get(one, "distance_sum")), sum_of_distances(h));
  json_decref(report);
  ripstop_text_free(&text);
}

static int candidates_at(const hands *h, uint32_t router, ripstop_head head, ripstop_candidate *candidate) {
  head.node = hands_node(h, router);
  return h->plan->method->proto->candidates(h->plan, h->state[head.node], &head, candidate);
}

/* ------------------------------------------------------------------ the paper's example */

/* Section 4.1: the link between 4 and 1 dies, 4 alone notices. */
static void one_root(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 4, 1);
  assert_int_equal(number_of(h, 4, "epl"), 9 + 4);
  assert_true(hands_find(h, 4, 3, "emergency 13") != RIPSTOP_NONE);
  assert_true(hands_find(h, 4, 5, "emergency 13") != RIPSTOP_NONE);
  assert_true(hands_find(h, 4, 7, "emergency 13") != RIPSTOP_NONE);
  assert_int_equal(h->messages, 3);
  hands_deliver(h, 4, 3, "emergency");
  assert_true(hands_find(h, 3, 4, "ack 13") != RIPSTOP_NONE);
  assert_true(hands_find(h, 3, 0, "emergency 13") != RIPSTOP_NONE);
  assert_true(is_emergency(h, 3));
  hands_notice_down(h, 1, 4); /* by now with a lower number than what is coming */
  assert_int_equal(number_of(h, 1, "epl"), 9 + 1);
  hands_deliver_all(h);
  assert_whole(h);
  assert_family(h, 4, "4 < 5 3 7");
  hands_close(h);
}

/* Section 4.1, figure 6: 1 and 4 call, then 3 and 4 in the middle of it; the last number wins. */
static void nested_faults(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  hands_deliver(h, 4, 3, "emergency 13");
  hands_deliver(h, 1, 0, "emergency 10");
  hands_deliver(h, 4, 7, "emergency 13");
  hands_notice_down(h, 3, 4);
  hands_notice_down(h, 4, 3);
  assert_int_equal(number_of(h, 3, "epl"), 2 * 9 + 3);
  assert_int_equal(number_of(h, 4, "epl"), 2 * 9 + 4);
  hands_deliver_all(h);
  for (uint32_t router = 0; router < 9; router++) assert_int_equal(number_of(h, router, "epl"), 22);
  assert_whole(h);
  hands_close(h);
}

/* ------------------------------------------------------------------ the holes */

/* 1. An acknowledgement of the losing emergency comes late: it makes no child. */
static void a_stale_ack_makes_no_child(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 1, 4);
  hands_notice_down(h, 4, 1);
  hands_deliver(h, 1, 0, "emergency 10"); /* 0 takes 1 for its parent, and says so */
  hands_deliver(h, 4, 3, "emergency 13");
  hands_deliver(h, 4, 7, "emergency 13");
  hands_deliver(h, 3, 0, "emergency 13"); /* and now 3 */
  hands_deliver(h, 7, 1, "emergency 13");
  hands_deliver(h, 0, 1, "ack 10");
  assert_family(h, 1, "7 < 1 <");
  hands_deliver_all(h);
  assert_family(h, 0, "3 < 0 < 2");
  assert_whole(h);
  hands_close(h);
}

/* 8 calls twice, and the others receive the second call alone; any later call of one of them goes above it. */
static hands *notified_of_the_second_alone(void) {
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 8, 7);
  hands_notice_down(h, 8, 6);
  assert_int_equal(number_of(h, 8, "epl"), 2 * 9 + 8);
  hands_deliver(h, 8, 5, "emergency 26");
  hands_deliver(h, 8, 2, "emergency 26");
  hands_deliver_all(h); /* 17 comes too late everywhere */
  return h;
}

/* 2. A later fault must not have a lower number than the tree that is there. */
static void a_later_fault_has_a_higher_number(void **state) {
  (void)state;
  hands *h = notified_of_the_second_alone();
  hands_notice_down(h, 0, 1);
  assert_int_equal(number_of(h, 0, "epl"), 3 * 9 + 0);
  hands_notice_down(h, 1, 0);
  hands_notice_down(h, 6, 8);
  hands_notice_down(h, 7, 8);
  hands_deliver_all(h);
  for (uint32_t router = 0; router < 9; router++) assert_true(number_of(h, router, "epl") >= 27);
  assert_whole(h);
  hands_close(h);
}

/* 3. The other side of a link notices much later. Did it call below the number of the tree that it is in, it would soon
 * follow one of its own children. */
static void noticing_late_makes_no_cycle_of_parents(void **state) {
  (void)state;
  hands *h = notified_of_the_second_alone();
  assert_int_equal(number_of(h, 7, "epl"), 26);
  hands_notice_down(h, 7, 8);
  assert_int_equal(number_of(h, 7, "epl"), 3 * 9 + 7);
  hands_deliver_all(h);
  hands_notice_down(h, 6, 8);
  hands_deliver_all(h);
  assert_whole(h);
  hands_close(h);
}

/* 4. Router 0 alone is left, and its number is not that of peace. */
static void router_0_is_notified(void **state) {
  (void)state;
  story *s = story_open("torus:3", "switch:1@0 switch:2@0");
  story_run(s, "immunet");
  story_assert_state(s, "0",
                     "{\"epl\":6,\"emergency\":false,\"parent\":null,\"children\":[],\"entry\":[null,null,null],"
                     "\"distances\":[0,3,3],\"minimal_ports\":[[],[],[]]}");
  story_close(s);
  hands *h = hands_open("torus:3", "immunet");
  hands_notice_down(h, 0, 1);
  assert_int_equal(number_of(h, 0, "epl"), 3 + 0);
  hands_deliver_all(h);
  assert_int_equal(number_of(h, 2, "epl"), 3);
  hands_close(h);
}

/* 5. However late an acknowledgement is, its sender is a child. */
static void a_late_ack_makes_a_child(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  hands_deliver_all_but(h, "ack");
  assert_family(h, 4, "4 <");
  assert_true(is_emergency(h, 4));
  hands_deliver_all(h);
  assert_family(h, 4, "4 < 5 3 7");
  assert_whole(h);
  hands_close(h);
}

/* 6. A distance that overtakes its emergency waits for it: 4 has all its answers, 3 does not have that of 0. */
static void an_early_distance_waits(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  for (uint32_t child = 3; child <= 7; child += 2) hands_deliver(h, 4, child, "emergency 13");
  for (uint32_t child = 3; child <= 7; child += 2) hands_deliver(h, child, 4, "ack 13");
  assert_false(is_emergency(h, 4));
  hands_deliver(h, 4, 3, "distance 13 1.1 is 0 away");
  assert_true(is_emergency(h, 3));
  hands_deliver(h, 3, 0, "distance 13 1.1 is 1 away");
  assert_int_equal(number_of(h, 0, "epl"), 0);
  hands_deliver_all(h);
  assert_whole(h);
  hands_close(h);
}

/* ------------------------------------------------------------------ packets meanwhile */

enum { RING = 0, FREE = 1 }; /* channels */

/* While neighbours have not answered, nothing enters or goes on; what has arrived is delivered. */
static void packets_wait_for_the_end_of_the_emergency(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  ripstop_candidate candidate[16];
  ripstop_head other = {.in_port = hands_port(h, 3, 0), .source = 0, .destination = 5, .channel = FREE};
  ripstop_head here = {.in_port = hands_port(h, 3, 0), .source = 0, .destination = 3, .channel = FREE};
  ripstop_head new_ = {.node = 3, .in_port = RIPSTOP_NONE, .source = 3, .destination = 5};
  const ripstop_proto *proto = h->plan->method->proto;
  assert_true(candidates_at(h, 3, other, candidate) > 0);
  hands_notice_down(h, 4, 1);
  hands_deliver(h, 4, 3, "emergency");
  assert_int_equal(candidates_at(h, 3, other, candidate), 0);
  assert_int_equal(candidates_at(h, 3, here, candidate), 1);
  assert_int_equal(proto->candidates(h->plan, h->state[hands_node(h, 3)], &new_, candidate), 0);
  hands_notice_down(h, 1, 4);
  hands_deliver_all(h);
  assert_true(candidates_at(h, 3, other, candidate) > 0);
  assert_int_equal(proto->candidates(h->plan, h->state[hands_node(h, 3)], &new_, candidate), 1);
  hands_close(h);
}

/* Until the tables are made every packet can go by the ring: towards the parent, with room for two. */
static void the_provisional_table_leads_to_the_parent(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  ripstop_candidate candidate[16];
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  for (size_t i = 0; i < h->messages;) { /* no control packets */
    ripstop_text text = {0};
    hands_print(h, &h->message[i], &text);
    if (text.data[0] == 's' || text.data[0] == 'd')
      i++;
    else
      hands_deliver_at(h, i);
    ripstop_text_free(&text);
  }
  for (uint32_t end = 0; end < 9; end++) {
    if (end == 5) continue;
    int count = candidates_at(h, 5, (ripstop_head){.in_port = 0, .destination = end, .channel = FREE}, candidate);
    assert_int_equal(count, 1);
    assert_int_equal(candidate[0].port, hands_port(h, 5, 4));
    assert_int_equal(candidate[0].channel, RING);
    assert_int_equal(candidate[0].space, 2);
  }
  hands_close(h);
}

/* With forget_cycles a router whose control packets have not arrived when the timer goes off is given up: here all
 * others, as no control packet has come yet. Packets to the router's own end node and those of later emergencies are
 * not. */
static void routers_not_notified_of_are_forgotten(void **state) {
  (void)state;
  const uint32_t forget = 1u << 31;
  hands *h = hands_open(TORUS, "immunet:forget_cycles=1000");
  ripstop_candidate candidate[16];
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  for (size_t i = 0; i < h->messages;) { /* no control packets, but those of 8 */
    ripstop_text text = {0};
    hands_print(h, &h->message[i], &text);
    if ((text.data[0] == 's' || text.data[0] == 'd') && !strstr(text.data, " 2.2"))
      i++;
    else
      hands_deliver_at(h, i);
    ripstop_text_free(&text);
  }
  ripstop_head through = {.in_port = 0, .destination = 3, .channel = FREE};
  hands_step(h, hands_node(h, 5),
             (ripstop_event){.kind = RIPSTOP_EVENT_TIMER, .timer = 12u | forget}); /* an earlier one's */
  assert_int_equal(candidates_at(h, 5, through, candidate), 1);
  hands_step(h, hands_node(h, 5), (ripstop_event){.kind = RIPSTOP_EVENT_TIMER, .timer = 13u | forget});
  assert_true(candidates_at(h, 5, through, candidate) < 0);
  through.destination = 8;
  assert_true(candidates_at(h, 5, through, candidate) > 0);
  through.destination = 5;
  assert_int_equal(candidates_at(h, 5, through, candidate), 1);
  const ripstop_proto *proto = h->plan->method->proto;
  ripstop_head generated_at = {
      .node = 5, .in_port = RIPSTOP_NONE, .source = 5, .destination = 3}; /* at the network interface */
  assert_true(proto->candidates(h->plan, h->state[hands_node(h, 5)], &generated_at, candidate) < 0);
  generated_at.destination = 8;
  assert_int_equal(proto->candidates(h->plan, h->state[hands_node(h, 5)], &generated_at, candidate), 1);
  hands_close(h);
}

static bool has_candidate(const ripstop_candidate *candidate, int count, uint32_t port, uint32_t channel,
                          uint32_t space) {
  for (int i = 0; i < count; i++)
    if (candidate[i].port == port && candidate[i].channel == channel && candidate[i].space == space) return true;
  return false;
}

/* 7. A ring that came out full is emptied a little by the interfaces, for a while; 8. what stands on channel 0 of a
 * link that is not on the ring is no longer in it. */
static void rings_that_do_not_move(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet:drain_cycles=1000");
  ripstop_candidate candidate[16];
  hands_notice_down(h, 4, 1);
  hands_notice_down(h, 1, 4);
  hands_deliver_all(h);
  assert_family(h, 7, "4 < 7 < 1");
  assert_int_equal(h->plan->transit_packets, 1);
  const ripstop_fabric *f = h->fabric;
  uint32_t end_port = ripstop_end_switch_port(f, 7), from_4 = hands_port(h, 7, 4);
  ripstop_head head = {.in_port = from_4, .source = 5, .destination = 3, .channel = RING};
  int count = candidates_at(h, 7, head, candidate);
  assert_true(has_candidate(candidate, count, end_port, FREE, 1));
  assert_int_equal(candidate[count - 1].rank, 2); /* the last resort */
  head.channel = FREE;                            /* only out of the ring */
  assert_false(has_candidate(candidate, candidates_at(h, 7, head, candidate), end_port, FREE, 1));
  hands_step(h, hands_node(h, 7), (ripstop_event){.kind = RIPSTOP_EVENT_TIMER, .timer = 13});
  head.channel = RING;
  assert_false(has_candidate(candidate, candidates_at(h, 7, head, candidate), end_port, FREE, 1));
  /* 3 and 5 are both children of 4, and their link is not in the tree */
  head = (ripstop_head){.in_port = hands_port(h, 5, 3), .source = 3, .destination = 8, .channel = RING};
  assert_family(h, 3, "4 < 3 < 6 0");
  assert_family(h, 5, "4 < 5 < 8 2");
  count = candidates_at(h, 5, head, candidate);
  assert_true(has_candidate(candidate, count, hands_port(h, 5, 8), FREE, 1));
  assert_true(has_candidate(candidate, count, hands_port(h, 5, 8), RING, 2));
  hands_close(h);
}

/* A packet follows its candidate of the highest rank, which is the ring's. Returns hops; negative: lost. */
static int ride(const hands *h, uint32_t router, ripstop_head head) {
  const ripstop_fabric *f = h->fabric;
  ripstop_candidate candidate[16];
  for (int hops = 0; hops < 100; hops++) {
    int count = candidates_at(h, router, head, candidate), last = 0;
    if (count < 0) return -hops;
    for (int i = 0; i < count; i++)
      if (candidate[i].rank == 1) last = i;
    uint32_t in = f->peer[f->port_base[hands_node(h, router)] + candidate[last].port], node = f->port_node[in];
    if (ripstop_is_end(f, node)) return hops;
    head.header = candidate[last].header;
    head.channel = candidate[last].channel;
    head.in_port = in - f->port_base[node];
    router = node - f->ends;
  }
  fail_msg("it circulates forever");
  return 0;
}

/* 8. A packet to a failed router makes one tour of the ring, and one more after another emergency. */
static void lost_destinations(void **state) {
  (void)state;
  hands *h = hands_open(TORUS, "immunet");
  h->state[hands_node(h, 8)] = NULL;
  hands_notice_down(h, 7, 8);
  hands_notice_down(h, 6, 8);
  hands_notice_down(h, 5, 8);
  hands_notice_down(h, 2, 8);
  hands_deliver_all(h);
  assert_whole(h);
  for (uint32_t from = 0; from < 8; from++) {
    ripstop_head head = {.in_port = ripstop_end_switch_port(h->fabric, from), .destination = 8, .channel = FREE};
    assert_int_equal(ride(h, from, head), -14);
    for (head.destination = 0; head.destination < 8; head.destination++) assert_in_range(ride(h, from, head), 0, 14);
  }
  ripstop_candidate candidate[16];
  ripstop_head head = {.in_port = ripstop_end_switch_port(h->fabric, 0), .destination = 8, .channel = FREE};
  candidates_at(h, 0, head, candidate);
  head = (ripstop_head){
      .in_port = candidate[0].port ^ 1, .destination = 8, .header = candidate[0].header, .channel = RING};
  hands_notice_down(h, 0, 1);
  hands_notice_down(h, 1, 0);
  hands_deliver_all(h);
  uint32_t next = h->fabric->port_node[h->fabric->peer[h->fabric->port_base[hands_node(h, 0)] + candidate[0].port]] - 9;
  assert_in_range(-ride(h, next, head), 14, 15);
  hands_close(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_root),
      cmocka_unit_test(nested_faults),
      cmocka_unit_test(a_stale_ack_makes_no_child),
      cmocka_unit_test(a_later_fault_has_a_higher_number),
      cmocka_unit_test(noticing_late_makes_no_cycle_of_parents),
      cmocka_unit_test(router_0_is_notified),
      cmocka_unit_test(a_late_ack_makes_a_child),
      cmocka_unit_test(an_early_distance_waits),
      cmocka_unit_test(packets_wait_for_the_end_of_the_emergency),
      cmocka_unit_test(the_provisional_table_leads_to_the_parent),
      cmocka_unit_test(routers_not_notified_of_are_forgotten),
      cmocka_unit_test(rings_that_do_not_move),
      cmocka_unit_test(lost_destinations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
