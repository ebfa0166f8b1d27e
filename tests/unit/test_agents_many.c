/* test_agents_many.c - several agents in one run, a set of end nodes each, beside random sources on the others. */
#include "scene.h"

enum { LEFT = 5, RIGHT = 4, RANDOM_FROM = LEFT + RIGHT, ENDS = 16, FLITS = 3, LONG_FLITS = 8 };
static const uint32_t left_ends[LEFT] = {0, 1, 2, 3, 8}, right_ends[RIGHT] = {4, 5, 6, 7};

typedef struct told {
  uint64_t delivered, taken, lost, alarms, sent;
  uint64_t taken_of[4096]; /* by tag: 1 + cycle */
  uint64_t sent_of[4096];
  uint32_t agent;
  uint64_t most; /* packets */
} told;

/* The left agent's tags are even, the right one's odd. */
static bool plays(uint32_t agent, uint32_t end) {
  for (uint32_t i = 0; i < LEFT && agent == 0; i++)
    if (left_ends[i] == end) return true;
  for (uint32_t i = 0; i < RIGHT && agent == 1; i++)
    if (right_ends[i] == end) return true;
  return false;
}

static void send(told *t, ripstop_agent_context *play, uint32_t from, uint32_t to) {
  if (t->sent == t->most) return;
  const bool quiet = t->sent % 3 == 2;
  uint64_t tag = 2 * t->sent + t->agent;
  t->sent_of[t->sent++] = 1 + ripstop_agent_now(play);
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = from,
                                                   .destination = to,
                                                   .class_ = t->agent,
                                                   .flits = t->agent ? LONG_FLITS : FLITS,
                                                   .tag = tag,
                                                   .quiet = quiet});
}

static void on_start(void *context, ripstop_agent_context *play) {
  told *t = context;
  for (uint32_t i = 0; i < 3; i++) send(t, play, t->agent ? right_ends[i] : left_ends[i], t->agent ? 7 : 8);
  send(t, play, t->agent ? 4 : 0, 12); /* to an end node without an agent */
  ripstop_agent_alarm(play, 10, t->agent);
}

/* Each answers, and writes to one of the other agent's. */
static void on_delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  told *t = context;
  assert_true(plays(t->agent, agent_packet->destination));
  assert_true(plays((uint32_t)agent_packet->tag % 2, agent_packet->source));
  t->delivered++;
  send(t, play, agent_packet->destination, agent_packet->source);
  if (t->delivered % 3 == 0) send(t, play, agent_packet->destination, t->agent ? 1 : 6);
}

static void on_taken(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  told *t = context;
  assert_int_equal(agent_packet->tag % 2, t->agent);
  assert_true(plays(t->agent, agent_packet->source));
  assert_int_equal(t->taken_of[agent_packet->tag / 2], 0); /* once */
  assert_true(!agent_packet->quiet && agent_packet->tag / 2 % 3 != 2);
  t->taken_of[agent_packet->tag / 2] = 1 + ripstop_agent_now(play);
  assert_true(t->taken_of[agent_packet->tag / 2] >
              t->sent_of[agent_packet->tag / 2]); /* the cycle after it, or later */
  t->taken++;
}

static void on_lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  told *t = context;
  (void)play;
  assert_int_equal(agent_packet->tag % 2, t->agent);
  t->lost++;
}

static void on_alarm(void *context, ripstop_agent_context *play, uint64_t alarm) {
  told *t = context;
  assert_int_equal(alarm, t->agent);
  assert_int_equal(ripstop_agent_now(play), 10);
  t->alarms++;
}

static ripstop_agent agent_of(told *t, uint32_t number, uint64_t most) {
  *t = (told){.agent = number, .most = most};
  return (ripstop_agent){.end = number ? right_ends : left_ends,
                         .ends = number ? RIGHT : LEFT,
                         .classes = number + 1,
                         .shortest = number ? LONG_FLITS : FLITS,
                         .longest = number ? LONG_FLITS : FLITS,
                         .start = on_start,
                         .delivered = on_delivered,
                         .taken = on_taken,
                         .lost = on_lost,
                         .alarm = on_alarm,
                         .context = t};
}

static scene *open_scene(void) {
  return scene_open("torus:4x4", "minimal-adaptive:escape=bubble", "load=0.2 packet=4 cycles=5000 window=500");
}

static ripstop_run_result play(scene *s, told *t, uint64_t slice) {
  ripstop_error err;
  ripstop_run_result result = {0};
  ripstop_agent agent[2] = {agent_of(&t[0], 0, 600), agent_of(&t[1], 1, 600)};
  s->sim.agent = agent;
  s->sim.agents = 2;
  s->deliveries = 0;
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = ripstop_simulate_open(run_setup.plan, &s->sim, &err);
  memset(agent, 0, sizeof agent); /* it has a copy */
  ripstop_look look = {0};
  for (uint64_t until = slice; sim && !look.ended; until += slice) {
    if (ripstop_simulate_run(sim, until, &err)) fail_msg("%s", err.text);
    ripstop_simulate_look(sim, &look);
  }
  if (!sim || ripstop_simulate_result_into(sim, &result, &err)) fail_msg("%s", err.text);
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  s->sim.agents = 0;
  return result;
}

static void agents_and_sources_share_a_network(void **state) {
  (void)state;
  static told t[2], again[2];
  scene *s = open_scene();
  ripstop_run_result whole = play(s, t, 100000);
  uint64_t of_random = 0, of_agents = 0, to_unplayed = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    uint32_t from = s->delivered[i].source, to = s->delivered[i].destination;
    bool played = plays(0, from) || plays(1, from);
    of_random += !played;
    of_agents += played;
    to_unplayed += played && !plays(0, to) && !plays(1, to);
  }
  assert_true(of_random > 100);
  assert_int_equal(to_unplayed, 2);
  assert_int_equal(of_agents - to_unplayed, t[0].delivered + t[1].delivered);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(t[i].sent, 600);
    assert_int_equal(t[i].taken, 400); /* a third are quiet */
    assert_int_equal(t[i].lost, 0);
    assert_int_equal(t[i].alarms, 1);
  }
  ripstop_run_result sliced = play(s, again, 13);
  assert_true(results_are_equal(&whole, &sliced));
  assert_memory_equal(t, again, sizeof t);
  ripstop_run_result_free(&whole);
  ripstop_run_result_free(&sliced);
  scene_close(s);
}

static const delivery *find(const scene *s, uint64_t packet, size_t deliveries, const delivery *list) {
  (void)s;
  for (size_t i = 0; i < deliveries; i++)
    if (list[i].packet == packet) return &list[i];
  return NULL;
}

/* A stream of random packets is the same with any agents at the other end nodes; with two classes of packets and one of
 * random packets the streams are numbered otherwise. */
static void sources_bear_what_they_would_bear_alone(void **state) {
  (void)state;
  static told t[2];
  scene *s = open_scene();
  ripstop_run_result alone = scene_run(s);
  size_t count = s->deliveries, found = 0;
  delivery *list = calloc(count, sizeof *list);
  memcpy(list, s->delivered, count * sizeof *list);
  ripstop_run_result among = play(s, t, 100000);
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (plays(0, d->source) || plays(1, d->source)) continue;
    assert_int_equal(d->packet % 2, 0); /* class 0 of 2 */
    const delivery *other = find(s, d->packet / (2 * ENDS) * ENDS + d->source, count, list);
    if (!other) continue; /* delivered here, and there in transit when it ended */
    assert_int_equal(other->source, d->source);
    assert_int_equal(other->destination, d->destination);
    assert_int_equal(other->generated_at, d->generated_at);
    found++;
  }
  assert_true(found > 100);
  free(list);
  ripstop_run_result_free(&alone);
  ripstop_run_result_free(&among);
  scene_close(s);
}

static void switches_that_die_take_letters_and_packets(void **state) {
  (void)state;
  static told t[2];
  scene *s = open_scene();
  s->method = "immunet";
  scene_schedule(s, "switch:0.1@200 switch:1.2@300 switch:3.0@350 switch:0.1+@800");
  ripstop_run_result result = play(s, t, 100000);
  assert_true(t[0].lost > 0 && t[1].lost > 0);
  const ripstop_account *a = &result.account;
  assert_true(a->generated == a->delivered + a->in_flight + a->waiting + a->lost);
  assert_true(a->lost > t[0].lost + t[1].lost); /* random packets too */
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* ------------------------------------------------------------------ errors */

static void write_for_others(void *context, ripstop_agent_context *play) {
  (void)context;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = 4, .destination = 0, .flits = FLITS});
}

static void impossible_sets_are_refused(void **state) {
  (void)state;
  static const uint32_t twice[] = {1, 4}, outside[] = {1, ENDS};
  ripstop_error err;
  ripstop_run_result result;
  scene *s = open_scene();
  ripstop_agent good = {.end = right_ends, .ends = RIGHT, .classes = 1, .shortest = 1, .longest = 4};
  const struct {
    ripstop_agent agent;
    const char *text;
  } wrong[] = {{{.end = twice, .ends = 2, .classes = 1, .shortest = 1, .longest = 4}, "end node 4 has two agents"},
               {{.classes = 1, .shortest = 1, .longest = 4}, "has two agents"},
               {{.end = outside, .ends = 2, .classes = 1, .shortest = 1, .longest = 4}, "end node 16 does not exist"},
               {{.end = left_ends, .ends = LEFT, .classes = 0, .shortest = 1, .longest = 4}, "0 classes"},
               {{.end = left_ends, .ends = LEFT, .classes = 1, .shortest = 1, .longest = 4, .start = write_for_others},
                "the agent sends a packet from an end node that is not its own: end node 4"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    s->sim.agent = (ripstop_agent[]){good, wrong[i].agent};
    s->sim.agents = 2;
    assert_int_equal(scene_simulate(s, &result, &err), -1);
    if (!strstr(err.text, wrong[i].text)) fail_msg("%s", err.text);
  }
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agents_and_sources_share_a_network), cmocka_unit_test(sources_bear_what_they_would_bear_alone),
      cmocka_unit_test(switches_that_die_take_letters_and_packets), cmocka_unit_test(impossible_sets_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
