/* test_owners.c - a packet that is in two places or in none is found, wherever they are. */
#include "check.h"
#include "simulate/owners.h"

enum { PACKETS = 6, SLOTS = 2 };

/* Packet 0 is free, 1 in a queue, 2 on a link, 3 stands behind a head that is in transit, 4 is free, 5 was never used.
 */
typedef struct world {
  sim_event *bucket[1][BUCKETS];
  packet packet[PACKETS];
  queue queue[2];
  sim_slot slot[2 * SLOTS];
  chunk chunk[2];
  run r;
  part t;
} world;

static void make(world *w) {
  *w = (world){.packet = {[0] = {.number = 4}, [1] = {.source = 7, .destination = 8, .generated_at = 9}},
               .queue = {{.length = 1, .state = WAITING}, {.slot = SLOTS, .head = 1, .length = 2, .state = LEAVING}},
               .slot = {{.packet = 1}, {0}, {.packet = 3}, {.packet = 2}}};
  w->r = (run){.packets = PACKETS, .part = &w->t};
  w->t = (part){.run = &w->r,
                .packet = w->packet,
                .free_packet = 0,
                .free_packets = 2,
                .unused_packet = 5,
                .unused_packets = 1,
                .shape = {.parts = 1, .queues = 2, .queue = w->queue, .slot = w->slot, .ring = SLOTS}};
  wheel_open(&w->t.wheel, 1, w->bucket, w->chunk, 2);
  wheel_post(&w->t.wheel, 0, make_event(ARRIVE, 0, 2));
  wheel_post(&w->t.wheel, 0, make_event(LEAVE, 1, 0));
}

static const char *error_of(const world *w) {
  static ripstop_error err;
  uint8_t seen[PACKETS];
  return owners_check(&w->r, seen, &err) ? err.text : NULL;
}

static void every_packet_is_in_one_place(void **state) {
  (void)state;
  world w;
  make(&w);
  assert_null(error_of(&w));
  w.t.free_packets = 1;
  assert_string_equal(error_of(&w), "1 packets are in no place");
  make(&w);
  w.t.unused_packets = 0;
  assert_string_equal(error_of(&w), "1 packets are in no place");
  make(&w);
  w.packet[0].number = 1;
  assert_string_equal(error_of(&w), "the packet from end node 7 to 8, generated in cycle 9, is in two places");
  make(&w);
  w.chunk[0].event[0].detail = 1;
  assert_non_null(error_of(&w));
  make(&w); /* a head that is being discarded has its place until it is gone */
  w.chunk[1].event[0] = make_event(VANISH, 1, 0);
  assert_non_null(error_of(&w));
  w.chunk[0].event[0] = make_event(SPACE, 0, 1);
  assert_null(error_of(&w));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_packet_is_in_one_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
