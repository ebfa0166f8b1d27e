/* test_watch.c - the room that a protocol's check is shown, cycle by cycle (docs/model.md, "Promises"): a packet takes
 * of a queue from its grant towards it until its grant out of it, and no longer. */
#include "test_watch.methods/free_places.h"

#include "scene.h"

uint32_t free_places_port;
int64_t free_places[FREE_PLACES_MAX];
uint32_t looks;

enum { FLITS = 4, ROOM = 5 };

/* Packets that end nodes 0 and 1 of a ring send, all at once. */
typedef struct letters {
  uint32_t of_0, of_1;
} letters;

static void send_all(void *context, ripstop_agent_context *play) {
  const letters *l = context;
  for (uint32_t i = 0; i < l->of_0; i++)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = 3, .flits = FLITS});
  for (uint32_t i = 0; i < l->of_1; i++)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 1, .destination = 3, .flits = FLITS});
}

/* The room of the queue of switch 1 behind its link from switch 0, at the end of each cycle. */
static void look(letters l, const char *options) {
  scene *s = scene_open("torus:9", "test-free-places", "cycles=100 check=1 link=2 pipeline=1 credit=1");
  scene_set(s, options);
  free_places_port = s->fabric->link_port[2 * ripstop_names_link(s->names, "0/0", 3)];
  looks = 0;
  s->sim.agents = 1;
  s->sim.agent = &(ripstop_agent){.classes = 1, .shortest = FLITS, .longest = FLITS, .start = send_all, .context = &l};
  ripstop_run_result result = scene_run(s);
  assert_int_equal(result.account.delivered, l.of_0 + l.of_1);
  assert_int_equal(looks, 100);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* The interface grants in cycle 0; a hop takes 2 + 1 cycles: granted at switch 0 in cycle 3, at switch 1 in cycle 6,
 * which it leaves in cycle 10. */
static void a_packet_takes_room_from_grant_to_grant(void **state) {
  (void)state;
  static const struct {
    const char *options;
    int64_t all, packet;
  } units[] = {{"in_queue=5", ROOM, 1}, {"in_queue=20 unit=flits", ROOM * FLITS, FLITS}};
  for (size_t i = 0; i < 2; i++) {
    look((letters){.of_0 = 1}, units[i].options);
    for (uint32_t c = 0; c < looks; c++)
      assert_int_equal(free_places[c], units[i].all - (c >= 3 && c < 6 ? units[i].packet : 0));
  }
}

/* Switch 1 has packets of its own end node for the same link; both take turns, four cycles each. A packet without a
 * grant takes its room; one that has been granted does not, though its tail is still there. */
static void a_packet_that_waits_takes_room(void **state) {
  (void)state;
  look((letters){.of_0 = 2, .of_1 = 2}, "in_queue=5");
  /* end node 1's first is granted at switch 1 in cycle 3; end node 0's first gets there in 6 and is granted in 7, its
   * second is granted at switch 0 in 7, gets there in 10 and is granted in 15 */
  for (uint32_t c = 0; c < looks; c++) assert_int_equal(free_places[c], ROOM - (c >= 3 && c < 7) - (c >= 7 && c < 15));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_packet_takes_room_from_grant_to_grant),
                                     cmocka_unit_test(a_packet_that_waits_takes_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
