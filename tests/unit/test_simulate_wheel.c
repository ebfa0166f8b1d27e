/* test_simulate_wheel.c - the event wheel has room for all that can be pending at once: all links of a full network
 * fail, and every queue of every channel discards its packets, whose credits take long to return.
 *
 * Slow: long simulations. */
#include "scene.h"

/* The places of a crossbar's inputs, and of the wheel's chunks that go with them. */
static uint64_t lose_everything(const char *crossbar) {
  char options[200];
  snprintf(options, sizeof options,
           "load=1 packet=1 pattern=tornado in_queue=64 unit=flits credit=30 crossbar=%s warmup=0 cycles=1600 "
           "check=1000000 batches=20",
           crossbar);
  scene *s = scene_open("torus:12x12", "test-spray", options);
  ripstop_text text = {0};
  for (uint32_t link = s->fabric->link_ends; link < s->fabric->links; link++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_link_name(s->fabric, link, name);
    ripstop_text_add(&text, "%s@1500 ", name);
  }
  scene_schedule(s, ripstop_arena_text(s->arena, text.data));
  ripstop_text_free(&text);
  ripstop_run_result result = scene_run(s);
  uint64_t lost = result.account.lost;
  ripstop_run_result_free(&result);
  scene_close(s);
  return lost;
}

static void the_wheel_has_room_for_all(void **state) {
  (void)state;
  uint64_t ports = lose_everything("ports"), queues = lose_everything("queues");
  assert_true(ports > 10000);
  assert_true(queues > 3 * ports); /* sixteen sides discard at a time */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_wheel_has_room_for_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
