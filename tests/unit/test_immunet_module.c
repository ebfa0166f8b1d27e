/* test_immunet_module.c - control packets in front of a router's one table module (immunet:control_handling, order):
 * who is next, how many find room, and what Table 1's fault takes. The cycles of a star stand in tests/cli/protocol.sh.
 */
#include <string.h>

#include "check.h"
#include "methods/immunet/immunet.h"
#include "ripstop/kit/protocol.h"
#include "stand.h"

enum { ROOM = 5 };

/* Packets of ports 2, 0, 1, 0, 2, whose routers are numbered as they come. */
static void fill(arrays *a) {
  static const uint8_t port[ROOM] = {2, 0, 1, 0, 2};
  for (uint32_t i = 0; i < ROOM; i++)
    assert_true(ripstop_immunet_queue(a, ROOM, &(control){.kind = DISTANCE, .router = i, .port = port[i]}));
}

static void orders_are_what_they_say(void **state) {
  (void)state;
  static const uint32_t wanted[][ROOM] = {
      [ORDER_ARRIVAL] = {0, 1, 2, 3, 4}, [ORDER_PORT] = {1, 3, 2, 0, 4}, [ORDER_NEWEST] = {4, 3, 2, 1, 0}};
  for (int order = ORDER_ARRIVAL; order <= ORDER_NEWEST; order++) {
    memory m = {.waiting = 0};
    control waiting[ROOM];
    arrays a = {.m = &m, .waiting = waiting};
    fill(&a);
    for (uint32_t i = 0; i < ROOM; i++)
      assert_int_equal(ripstop_immunet_unqueue(&a, (control_order)order).router, wanted[order][i]);
    assert_int_equal(m.waiting, 0);
  }
}

/* One that comes between two is served where its order has it. */
static void newcomers_find_their_place(void **state) {
  (void)state;
  memory m = {.waiting = 0};
  control waiting[ROOM];
  arrays a = {.m = &m, .waiting = waiting};
  fill(&a);
  assert_int_equal(ripstop_immunet_unqueue(&a, ORDER_PORT).router, 1);
  assert_true(ripstop_immunet_queue(&a, ROOM, &(control){.kind = SAFE, .router = 9, .port = 0}));
  assert_int_equal(ripstop_immunet_unqueue(&a, ORDER_PORT).router, 3);
  control next = ripstop_immunet_unqueue(&a, ORDER_PORT);
  assert_int_equal(next.router, 9);
  assert_int_equal(next.kind, SAFE);
}

static void a_full_queue_says_so(void **state) {
  (void)state;
  memory m = {.waiting = 0};
  control waiting[ROOM];
  arrays a = {.m = &m, .waiting = waiting};
  fill(&a);
  assert_false(ripstop_immunet_queue(&a, ROOM, &(control){.router = 9}));
  assert_int_equal(m.waiting, ROOM);
  assert_false(ripstop_immunet_queue(&a, 0, &(control){.router = 9}));
}

/* All packets that one fault of the torus makes, emergencies and acknowledgements included, and the cycle in which the
 * last router has new candidates. */
static void assert_fault(const char *torus, const char *method, uint64_t messages, uint64_t cycles) {
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open(torus, &err);
  ripstop_names *names = f ? ripstop_names_new(f) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_schedule schedule = {0};
  if (!names || ripstop_schedule_parse(arena, names, "3.3/0@0", 7, &schedule, &err)) fail_msg("%s", err.text);
  stand run_setup = stand_on(f, method, NULL);
  ripstop_network *n = ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &schedule}, &err);
  if (!n || ripstop_network_run(n, RIPSTOP_NEVER, &err) != 1) fail_msg("%s: %s", method, err.text);
  ripstop_network_count count = ripstop_network_count_all(n);
  if (count.sent != messages || count.last_change != cycles)
    fail_msg("%s, %s: %llu messages, %llu cycles", torus, method, (unsigned long long)count.sent,
             (unsigned long long)count.last_change);
  ripstop_network_free(n);
  stand_close(&run_setup);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* Without waiting the order cannot matter, and where each waits for 24 cycles no order but that of arrival loses on the
 * small torus what it gains on the large one: the table in docs/methods/immunet.md. */
static void one_fault_takes_as_long_as_it_did(void **state) {
  (void)state;
  assert_fault("torus:8x8", "immunet", 12880, 10003);
  assert_fault("torus:8x8", "immunet:order=newest", 12880, 10003);
  assert_fault("torus:8x8", "immunet:control_handling=24", 12880, 10764);
  assert_fault("torus:8x8", "immunet:control_handling=24,order=port", 12880, 10568);
  assert_fault("torus:8x8", "immunet:control_handling=24,order=newest", 12886, 10304);
  assert_fault("torus:16x16", "immunet:control_handling=24", 203315, 34160);
  assert_fault("torus:16x16", "immunet:control_handling=24,order=port", 230882, 33800);
  assert_fault("torus:16x16", "immunet:control_handling=24,order=newest", 248961, 39704);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_what_they_say),
      cmocka_unit_test(newcomers_find_their_place),
      cmocka_unit_test(a_full_queue_says_so),
      cmocka_unit_test(one_fault_takes_as_long_as_it_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
