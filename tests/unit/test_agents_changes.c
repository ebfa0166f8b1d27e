/* Changes that agents request during the run have the effect of a schedule, one cycle later: the whole result is the
 * same, and so is every call. */
#include "scene.h"

enum { END = 400, LAST_SEND = 300 };

typedef struct asker {
  ripstop_change change[4];
  size_t changes, next;
  uint64_t calls, sum; /* hashes of the calls, in order */
} asker;

static void note(asker *a, uint64_t value) { a->sum = (a->sum ^ value) * UINT64_C(0x100000001b3) + ++a->calls; }

static void on_start(void *context, ripstop_agent_context *play) {
  (void)context;
  ripstop_agent_alarm(play, 1, 0);
}

static void on_agent_packet(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  note(context, ripstop_agent_now(play) << 32 | agent_packet->tag);
}

/* Each cycle some packets, and the changes that are to happen in the next one. */
static void on_alarm(void *context, ripstop_agent_context *play, uint64_t alarm) {
  asker *a = context;
  uint64_t now = ripstop_agent_now(play);
  (void)alarm;
  for (uint32_t i = 0; i < 3 && now < LAST_SEND; i++) {
    uint32_t source = (uint32_t)(now * 5 + i * 7) % 16, destination = (uint32_t)(now * 3 + i * 11) % 16;
    if (source != destination)
      ripstop_agent_send(
          play, &(ripstop_agent_packet){.source = source, .destination = destination, .flits = 3, .tag = now * 4 + i});
  }
  for (; a->next < a->changes && a->change[a->next].cycle == now + 1; a->next++)
    ripstop_agent_change(play, &a->change[a->next]);
  if (now + 1 < END) ripstop_agent_alarm(play, now + 1, 0);
}

static ripstop_run_result run(scene *s, asker *a) {
  ripstop_agent agents = {.classes = 1,
                          .shortest = 3,
                          .longest = 3,
                          .start = on_start,
                          .delivered = on_agent_packet,
                          .lost = on_agent_packet,
                          .alarm = on_alarm,
                          .context = a};
  s->sim.agent = &agents;
  s->sim.agents = 1;
  return scene_run(s);
}

static void compare(const char *all, const char *scheduled, const char *asked) {
  ripstop_error err;
  scene *s = scene_open("torus:4x4", "minimal-adaptive:escape=bubble", "cycles=400 window=50");
  scene_schedule(s, all);
  asker none = {0}, some = {0};
  ripstop_run_result a = run(s, &none);
  ripstop_schedule changes;
  if (ripstop_schedule_parse(s->arena, s->names, asked, strlen(asked), &changes, &err)) fail_msg("%s", err.text);
  for (size_t i = 0; i < changes.count; i++) some.change[some.changes++] = changes.change[i];
  scene_schedule(s, scheduled);
  ripstop_run_result b = run(s, &some);
  assert_int_equal(some.next, some.changes);
  assert_true(results_are_equal(&a, &b));
  assert_true(none.calls == some.calls && none.sum == some.sum && none.calls > 500);
  ripstop_run_result_free(&a);
  ripstop_run_result_free(&b);
  scene_close(s);
}

static void asked_changes_are_scheduled_ones(void **state) {
  (void)state;
  compare("0.0/0@100", "", "0.0/0@100");
  compare("0.0/0@100 0.0/0+@200", "", "0.0/0@100 0.0/0+@200");
  compare("1.1/1@50 0.0/0@100 1.1/1+@120 switch:2.2@150", "0.0/0@100 switch:2.2@150", "1.1/1@50 1.1/1+@120");
  compare("0.0/0@100 1.0/1@100 2.0/0@100", "0.0/0@100", "1.0/1@100 2.0/0@100");
}

static void on_start_twice(void *context, ripstop_agent_context *play) {
  (void)context;
  ripstop_agent_change(play, &(ripstop_change){.id = 20, .up = true});
}

static void a_change_of_nothing_is_refused(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor", "");
  ripstop_agent agents = {.classes = 1, .shortest = 3, .longest = 3, .start = on_start_twice};
  s->sim.agent = &agents;
  s->sim.agents = 1;
  ripstop_error err;
  ripstop_run_result result;
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  if (!strstr(err.text, "in that state already")) fail_msg("%s", err.text);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(asked_changes_are_scheduled_ones),
                                     cmocka_unit_test(a_change_of_nothing_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
