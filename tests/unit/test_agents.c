/* test_agents.c - end nodes that answer: every call comes in the cycle and in the order that docs/model.md says,
 * packets are delivered or their loss is reported, and an agent that sends what random sources would have sent gets
 * exactly their simulation. */
#include "scene.h"
#include "simulate/source.h"

/* ------------------------------------------------------------------ every call on record */

typedef enum { DELIVERED, LOST, ALARM } call_kind;

typedef struct call {
  uint64_t cycle;
  call_kind kind;
  ripstop_agent_packet agent_packet;
  uint64_t alarm;
} call;

typedef struct script {
  call *call;
  size_t calls, room;
  const scene *scene;
  uint32_t rounds;
  uint32_t waiting; /* for answers */
  struct birth *birth;
  size_t births, next;
} script;

static void record(script *p, call c) {
  if (p->calls == p->room) {
    p->room = p->room ? 2 * p->room : 256;
    p->call = ripstop_realloc(p->call, p->room, sizeof *p->call);
  }
  p->call[p->calls++] = c;
}

static void on_delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  record(context, (call){.cycle = ripstop_agent_now(play), .kind = DELIVERED, .agent_packet = *agent_packet});
}

static void on_lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  record(context, (call){.cycle = ripstop_agent_now(play), .kind = LOST, .agent_packet = *agent_packet});
}

static void on_alarm(void *context, ripstop_agent_context *play, uint64_t alarm) {
  record(context, (call){.cycle = ripstop_agent_now(play), .kind = ALARM, .alarm = alarm});
}

static const call *call_of(const script *p, call_kind kind, uint64_t tag) {
  for (size_t i = 0; i < p->calls; i++)
    if (p->call[i].kind == kind && p->call[i].agent_packet.tag == tag) return &p->call[i];
  fail_msg("no such call for tag %llu", (unsigned long long)tag);
  return NULL;
}

static size_t count(const script *p, call_kind kind) {
  size_t calls = 0;
  for (size_t i = 0; i < p->calls; i++) calls += p->call[i].kind == kind;
  return calls;
}

/* Deliveries by receiver, then losses by sender, class and tag (which the tests count up), then alarms. */
static bool in_order(const call *a, const call *b) {
  if (a->cycle != b->cycle) return a->cycle < b->cycle;
  if (a->kind != b->kind) return a->kind < b->kind;
  if (a->kind == DELIVERED) return a->agent_packet.destination < b->agent_packet.destination;
  if (a->kind == ALARM) return true;
  if (a->agent_packet.source != b->agent_packet.source) return a->agent_packet.source < b->agent_packet.source;
  if (a->agent_packet.class_ != b->agent_packet.class_) return a->agent_packet.class_ < b->agent_packet.class_;
  return a->agent_packet.tag < b->agent_packet.tag;
}

static ripstop_run_result run(scene *s, script *p, ripstop_agent agents) {
  p->scene = s;
  agents.context = p;
  s->sim.agent = &agents;
  s->sim.agents = 1;
  ripstop_run_result result = scene_run(s);
  for (size_t i = 1; i < p->calls; i++) assert_true(in_order(&p->call[i - 1], &p->call[i]));
  assert_true(result.account.generated ==
              result.account.delivered + result.account.in_flight + result.account.waiting + result.account.lost);
  s->sim.agents = 0;
  return result;
}

/* ------------------------------------------------------------------ ping-pong */

enum { FIRST = 3, SECOND = 14, PAUSE = 5 };

static void serve(void *context, ripstop_agent_context *play) {
  (void)context;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = FIRST, .destination = SECOND, .flits = 4, .tag = 0});
}

/* The second end node answers at once and with a longer packet, the first after a pause. */
static void play_back(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  script *p = context;
  on_delivered(context, play, agent_packet);
  if (agent_packet->destination == FIRST && agent_packet->tag == 2 * p->rounds - 1)
    ripstop_agent_finish(play);
  else if (agent_packet->destination == FIRST)
    ripstop_agent_alarm(play, ripstop_agent_now(play) + PAUSE, agent_packet->tag + 1);
  else
    ripstop_agent_send(
        play, &(ripstop_agent_packet){
                  .source = SECOND, .destination = FIRST, .class_ = 1, .flits = 11, .tag = agent_packet->tag + 1});
}

static void serve_again(void *context, ripstop_agent_context *play, uint64_t alarm) {
  on_alarm(context, play, alarm);
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = FIRST, .destination = SECOND, .flits = 4, .tag = alarm});
}

static void ping_pong_takes_exactly_its_time(void **state) {
  (void)state;
  static const struct {
    const char *options;
    uint64_t link, pipeline, out_queues;
  } switches[] = {{"link=1 pipeline=0", 1, 0, 0},
                  {"link=3 pipeline=2 credit=4", 3, 2, 0},
                  {"link=2 pipeline=1 out_queue=2", 2, 1, 1},
                  {"link=1 pipeline=3 flow=xonxoff in_queue=40 unit=flits", 1, 3, 0}};
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    scene *s = scene_open("torus:4x4", "dor", "cycles=1000000 batches=20");
    scene_set(s, switches[i].options);
    script p = {.rounds = 20};
    ripstop_run_result result = run(
        s, &p,
        (ripstop_agent){
            .classes = 2, .shortest = 4, .longest = 11, .start = serve, .delivered = play_back, .alarm = serve_again});
    uint64_t links = scene_distance(s, FIRST, SECOND), now = 0;
    uint64_t candidate = links * switches[i].link + (links - 1) * (switches[i].pipeline + switches[i].out_queues) - 1;
    for (uint64_t tag = 0; tag < 2 * p.rounds; tag++) {
      const call *c = call_of(&p, DELIVERED, tag);
      now += candidate + (tag % 2 ? 11 : 4);
      assert_int_equal(c->cycle, now);
      assert_int_equal(c->agent_packet.class_, tag % 2);
      assert_int_equal(c->agent_packet.source, tag % 2 ? SECOND : FIRST);
      assert_int_equal(c->agent_packet.flits, tag % 2 ? 11 : 4);
      if (tag % 2) now += PAUSE;
    }
    assert_int_equal(result.cycles, now - PAUSE + 1); /* the run ends with the last answer */
    assert_int_equal(result.account.delivered, 2 * p.rounds);
    assert_true(ripstop_run_result_value(&result, "class2.latency.mean") == (double)candidate + 11);
    assert_true(ripstop_run_result_value(&result, "class1.latency.max") == (double)candidate + 4);
    assert_int_equal(ripstop_run_result_value(&result, "packets"), 2 * p.rounds);
    ripstop_run_result_free(&result);
    scene_close(s);
    ripstop_free(p.call);
  }
}

/* ------------------------------------------------------------------ every end node sends to every other */

enum { REQUEST = 0, ANSWER = 1 };

static void ask_all(void *context, ripstop_agent_context *play) {
  script *p = context;
  uint32_t ends = p->scene->fabric->ends;
  for (uint32_t a = 0; a < ends; a++)
    for (uint32_t b = 0; b < ends; b++) {
      if (a == b) continue;
      ripstop_agent_send(play, &(ripstop_agent_packet){
                                   .source = a, .destination = b, .class_ = REQUEST, .flits = 3, .tag = p->waiting++});
    }
}

static void answer(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  script *p = context;
  on_delivered(context, play, agent_packet);
  if (agent_packet->class_ == REQUEST)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = agent_packet->destination,
                                                     .destination = agent_packet->source,
                                                     .class_ = ANSWER,
                                                     .flits = 19,
                                                     .tag = agent_packet->tag});
  else if (--p->waiting == 0)
    ripstop_agent_finish(play);
}

static void send_again(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  on_lost(context, play, agent_packet);
  ripstop_agent_send(play, agent_packet);
}

static const ripstop_agent askers = {
    .classes = 2, .shortest = 3, .longest = 19, .start = ask_all, .delivered = answer, .lost = send_again};

static const struct asking {
  const char *fabric, *method, *options, *schedule;
  bool loses;
} askings[] = {{"kary-ntree:k=4,n=2", "misroute", "", "", false},
               {"kary-ntree:k=4,n=2", "misroute", "", "0/0/4@300 0/1/5@350 0/2/6@400 0/0/4+@500", true},
               {"torus:4x4", "minimal-adaptive:escape=bubble", "unit=flits in_queue=57", "", false},
               {"torus:4x4", "dor:dateline=on", "flow=xonxoff in_queue=20 out_queue=3", "0.0/0@100 0.0/0+@100", true}};

static void every_request_is_answered(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof askings / sizeof *askings; i++) {
    scene *s = scene_open(askings[i].fabric, askings[i].method, "cycles=100000 window=10");
    scene_set(s, askings[i].options);
    scene_schedule(s, askings[i].schedule);
    script p = {.rounds = 0};
    uint64_t pairs = (uint64_t)s->fabric->ends * (s->fabric->ends - 1);
    ripstop_run_result result = run(s, &p, askers);
    assert_int_equal(p.waiting, 0);
    assert_int_equal(result.account.delivered, 2 * pairs);
    assert_int_equal(count(&p, DELIVERED), 2 * pairs);
    assert_int_equal(count(&p, LOST), result.account.lost);
    assert_int_equal(result.account.lost > 0, askings[i].loses);
    assert_int_equal(result.account.generated, 2 * pairs + result.account.lost);
    assert_true(result.cycles < 100000);
    uint64_t generated = 0, lost = 0;
    for (size_t w = 0; w < result.windows; w++) {
      generated += result.window[w].generated;
      lost += result.window[w].lost;
    }
    assert_int_equal(generated, result.account.generated);
    assert_int_equal(lost, result.account.lost);
    ripstop_run_result_free(&result);
    scene_close(s);
    ripstop_free(p.call);
  }
}

static void the_same_play_gives_the_same_calls(void **state) {
  (void)state;
  ripstop_run_result result[2];
  script p[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open(askings[1].fabric, askings[1].method, "cycles=3000 window=50 selection=random");
    scene_schedule(s, askings[1].schedule);
    result[i] = run(s, &p[i], askers);
    scene_close(s);
  }
  assert_true(results_are_equal(&result[0], &result[1]));
  assert_int_equal(p[0].calls, p[1].calls);
  for (size_t i = 0; i < p[0].calls; i++) {
    const call *a = &p[0].call[i], *b = &p[1].call[i];
    assert_true(a->cycle == b->cycle && a->kind == b->kind && a->agent_packet.tag == b->agent_packet.tag &&
                a->agent_packet.source == b->agent_packet.source && a->agent_packet.class_ == b->agent_packet.class_);
  }
  for (int i = 0; i < 2; i++) {
    ripstop_run_result_free(&result[i]);
    ripstop_free(p[i].call);
  }
}

/* ------------------------------------------------------------------ losses */

enum { DIES = 0, LIVES = 5, LETTERS = 5 };

static void fill_interface(void *context, ripstop_agent_context *play) {
  (void)context;
  for (uint64_t tag = 0; tag < LETTERS; tag++)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = DIES, .destination = LIVES, .flits = 16, .tag = tag});
  static const uint64_t alarms[] = {20, 20, 30, 60}; /* 30 on the path to the failed part; 60 after its return */
  for (uint64_t i = 0; i < 4; i++) ripstop_agent_alarm(play, alarms[i], LETTERS + i);
}

static void send_at_alarm(void *context, ripstop_agent_context *play, uint64_t alarm) {
  on_alarm(context, play, alarm);
  bool to_failed = ripstop_agent_now(play) == 30;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = to_failed ? LIVES : DIES,
                                                   .destination = to_failed ? DIES : LIVES,
                                                   .flits = 16,
                                                   .tag = alarm});
}

static void losses_are_reported(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor", "link=2 cycles=1000");
  scene_schedule(s, "switch:0.0@10 switch:0.0+@50");
  script p = {.rounds = 0};
  ripstop_run_result result = run(s, &p,
                                  (ripstop_agent){.classes = 1,
                                                  .shortest = 16,
                                                  .longest = 16,
                                                  .start = fill_interface,
                                                  .delivered = on_delivered,
                                                  .lost = on_lost,
                                                  .alarm = send_at_alarm});
  for (uint64_t tag = 0; tag < LETTERS; tag++) assert_int_equal(call_of(&p, LOST, tag)->cycle, 10);
  for (uint64_t tag = LETTERS; tag < LETTERS + 2; tag++) assert_int_equal(call_of(&p, LOST, tag)->cycle, 21);
  /* sent at 30, at the last switch but one (1.0; the first is 1.1) after two links and two pipelines, discarded in its
   * decisions, reported in the next cycle */
  assert_int_equal(call_of(&p, LOST, LETTERS + 2)->cycle, 30 + 2 * (2 + 1) + 1);
  assert_int_equal(call_of(&p, LOST, LETTERS + 2)->agent_packet.source, LIVES);
  /* sent at 60 */
  uint64_t links = scene_distance(s, DIES, LIVES);
  assert_int_equal(call_of(&p, DELIVERED, LETTERS + 3)->cycle, 60 + links * 2 + (links - 1) + 15);
  assert_int_equal(count(&p, LOST), LETTERS + 3);
  assert_int_equal(count(&p, DELIVERED), 1);
  assert_int_equal(result.account.generated, LETTERS + 4);
  assert_int_equal(ripstop_run_result_value(&result, "lost.switch died"), LETTERS + 2);
  ripstop_run_result_free(&result);
  scene_close(s);
  ripstop_free(p.call);
}

/* Every end node sends in both classes, highest sender and class first, and two switches and two links fail in one
 * cycle: the order of reports follows neither the order of sending nor that of the engine's work. Tags count up in each
 * stream, which `run` checks. */
enum { CROWD_LETTERS = 6 };

static void send_a_crowd(void *context, ripstop_agent_context *play) {
  uint32_t ends = ((script *)context)->scene->fabric->ends;
  for (uint32_t i = 0; i < CROWD_LETTERS; i++)
    for (uint32_t source = ends; source-- > 0;)
      for (uint32_t class_ = 2; class_-- > 0;)
        ripstop_agent_send(
            play,
            &(ripstop_agent_packet){
                .source = source, .destination = (source + 5 + 3 * i) % ends, .class_ = class_, .flits = 4, .tag = i});
}

static void losses_are_reported_by_sender_class_and_number(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor", "cycles=400");
  scene_schedule(s, "switch:2.1@20 switch:1.2@20 0.0/0@20 3.3/1@20");
  script p = {.rounds = 0};
  ripstop_run_result result = run(s, &p,
                                  (ripstop_agent){.classes = 2,
                                                  .shortest = 4,
                                                  .longest = 4,
                                                  .start = send_a_crowd,
                                                  .delivered = on_delivered,
                                                  .lost = on_lost});
  uint32_t pairs[3] = {0}; /* consecutive calls in one cycle that differ in sender, class, number */
  for (size_t i = 1; i < p.calls; i++) {
    const call *a = &p.call[i - 1], *b = &p.call[i];
    if (a->kind != LOST || b->kind != LOST || a->cycle != 20 || b->cycle != 20) continue;
    pairs[a->agent_packet.source != b->agent_packet.source   ? 0
          : a->agent_packet.class_ != b->agent_packet.class_ ? 1
                                                             : 2]++;
  }
  assert_true(pairs[0] >= 4 && pairs[1] >= 2 && pairs[2] >= 10);
  assert_int_equal(count(&p, LOST), result.account.lost);
  ripstop_run_result_free(&result);
  scene_close(s);
  ripstop_free(p.call);
}

/* ------------------------------------------------------------------ the generations of random sources, sent by an
 * agent */

typedef struct birth {
  uint64_t cycle;
  ripstop_agent_packet agent_packet;
} birth;

static int by_cycle(const void *a, const void *b) {
  const birth *x = a, *y = b;
  if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
  return (x->agent_packet.tag > y->agent_packet.tag) - (x->agent_packet.tag < y->agent_packet.tag);
}

/* The packets that the sources of the scene generate before `end`. */
static void draw_births(scene *s, script *p, ripstop_agent *agents, uint64_t end) {
  ripstop_error err;
  ripstop_sources *sources = ripstop_sources_open(s->arena, s->fabric, &s->sim.traffic, s->sim.seed, &err);
  *agents = (ripstop_agent){.classes = ripstop_sources_classes(sources),
                            .shortest = ripstop_sources_shortest(sources),
                            .longest = ripstop_sources_longest(sources)};
  size_t room = 0;
  for (uint32_t stream = 0; stream < s->fabric->ends * agents->classes; stream++) {
    ripstop_source source;
    for (ripstop_source_open(sources, stream, &source); source.generated_at < end;
         ripstop_source_next(sources, stream, &source)) {
      if (p->births == room) p->birth = ripstop_realloc(p->birth, room = room ? 2 * room : 256, sizeof *p->birth);
      p->birth[p->births++] = (birth){.cycle = source.generated_at,
                                      .agent_packet = {.source = stream / agents->classes,
                                                       .destination = source.destination,
                                                       .class_ = stream % agents->classes,
                                                       .flits = source.flits,
                                                       .tag = source.number}};
    }
  }
  if (p->births) qsort(p->birth, p->births, sizeof *p->birth, by_cycle);
}

/* Sends what is generated now; an alarm for the next. */
static void give_birth(void *context, ripstop_agent_context *play, uint64_t alarm) {
  script *p = context;
  (void)alarm;
  for (; p->next < p->births && p->birth[p->next].cycle == ripstop_agent_now(play); p->next++)
    ripstop_agent_send(play, &p->birth[p->next].agent_packet);
  if (p->next < p->births) ripstop_agent_alarm(play, p->birth[p->next].cycle, 0);
}

static void give_first_birth(void *context, ripstop_agent_context *play) {
  script *p = context;
  if (p->births) ripstop_agent_alarm(play, p->birth[0].cycle, 0);
}

static int by_packet(const void *a, const void *b) {
  const delivery *x = a, *y = b;
  return (x->packet > y->packet) - (x->packet < y->packet);
}

static void a_agent_replaces_random_sources(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *options, *schedule;
  } cases[] = {
      {"torus:4x4", "dor:dateline=on", "load=0.3 packet=5 link=2 credit=3", ""},
      {"torus:4x4", "minimal-adaptive:escape=bubble", "load=0.9 packet=3:0.8/19:0.2 classes=0.6/0.4 selection=random",
       ""},
      {"kary-ntree:k=4,n=2", "misroute", "load=0.5 process=poisson window=100 out_queue=2", "0/0/4@300 0/0/4+@700"},
      {"mport-ntree:m=4,n=3", "updown", "load=0.4 packet=1:0.5/7:0.5 unit=flits flow=xonxoff in_queue=64", ""},
      {"torus:3x3", "dor", "load=1 packet=2 warmup=auto", ""},
      {"torus:5x5", "dor", "load=0.2 packet=1 process=on-off:on=20,off=50", "switch:1.1@400 0.3/0@600"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open(cases[i].fabric, cases[i].method, cases[i].options);
    scene_schedule(s, cases[i].schedule);
    script p = {.rounds = 0};
    ripstop_agent agents;
    ripstop_run_result random = scene_run(s);
    delivery *delivered = ripstop_realloc(NULL, s->deliveries + 1, sizeof *delivered);
    size_t deliveries = s->deliveries;
    memcpy(delivered, s->delivered, deliveries * sizeof *delivered);
    draw_births(s, &p, &agents, random.cycles);
    if (strstr(cases[i].schedule, "switch:")) /* failed end nodes generate nothing, an agent's packets are lost */
      for (size_t b = 0, kept = 0, all = p.births; b < all; b++) {
        bool dead = p.birth[b].cycle >= 400 && p.birth[b].agent_packet.source == 6;
        if (!dead) p.birth[kept++] = p.birth[b];
        p.births = kept;
      }
    agents.start = give_first_birth;
    agents.alarm = give_birth;
    ripstop_run_result played = run(s, &p, agents);
    assert_int_equal(s->deliveries, deliveries);
    assert_true(deliveries > 100);
    qsort(delivered, deliveries, sizeof *delivered, by_packet);
    qsort(s->delivered, deliveries, sizeof *delivered, by_packet);
    assert_memory_equal(delivered, s->delivered, deliveries * sizeof *delivered);
    played.events = random.events; /* generations are none */
    played.bytes = random.bytes;
    assert_true(results_are_equal(&random, &played));
    ripstop_run_result_free(&random);
    ripstop_run_result_free(&played);
    scene_close(s);
    ripstop_free(delivered);
    ripstop_free(p.birth);
  }
}

/* ------------------------------------------------------------------ refused calls */

static void try_it(void *context, ripstop_agent_context *play) {
  switch (((script *)context)->rounds) {
  case 0:
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 16, .destination = 0, .flits = 2});
    break;
  case 1:
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = RIPSTOP_NONE, .flits = 2});
    break;
  case 2:
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 3, .destination = 3, .flits = 2});
    break;
  case 3:
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = 3, .class_ = 1, .flits = 2});
    break;
  case 4:
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = 0, .destination = 3, .flits = 9});
    break;
  default:
    ripstop_agent_alarm(play, 0, 1); /* this one goes off, and sets the second, which does not */
  }
}

static void set_it_again(void *context, ripstop_agent_context *play, uint64_t alarm) {
  on_alarm(context, play, alarm);
  ripstop_agent_alarm(play, ripstop_agent_now(play), alarm);
}

static void the_impossible_is_refused(void **state) {
  (void)state;
  static const char *const words[] = {"not its own: end node 16",   "does not exist: end node 4294967295",
                                      "its own source: end node 3", "class 1",
                                      "did not announce: flits 9",  "for cycle 0"};
  scene *s = scene_open("torus:4x4", "dor", "");
  ripstop_run_result result;
  ripstop_error err;
  for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
    script p = {.rounds = i};
    ripstop_agent agents = {
        .classes = 1, .shortest = 2, .longest = 8, .start = try_it, .alarm = set_it_again, .context = &p};
    s->sim.agent = &agents;
    s->sim.agents = 1;
    assert_int_equal(scene_simulate(s, &result, &err), -1);
    assert_non_null(strstr(err.text, words[i]));
    assert_int_equal(p.calls, i == 5);
    ripstop_free(p.call);
  }
  static const ripstop_agent wrong[] = {{.classes = 0, .shortest = 1, .longest = 1},
                                        {.classes = 9, .shortest = 1, .longest = 1},
                                        {.classes = 1, .shortest = 0, .longest = 1},
                                        {.classes = 1, .shortest = 3, .longest = 2},
                                        {.classes = 1, .shortest = 1, .longest = 4097}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    s->sim.agent = &wrong[i];
    s->sim.agents = 1;
    assert_int_equal(scene_check(s, &err), -1);
    assert_memory_equal(err.text, "agents: ", 8);
  }
  scene_close(s);
}

/* An agent that does nothing: an empty run, whose options of traffic have no effect. */
static void silence_is_a_play(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor", "cycles=500");
  s->sim.traffic = (ripstop_traffic_config){.load = -1};
  script p = {.rounds = 0};
  ripstop_run_result result = run(s, &p, (ripstop_agent){.classes = 1, .shortest = 1, .longest = 1});
  assert_int_equal(result.cycles, 500);
  assert_int_equal(result.account.generated, 0);
  assert_int_equal(result.verdict, RIPSTOP_STEADY);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ping_pong_takes_exactly_its_time),
                                     cmocka_unit_test(every_request_is_answered),
                                     cmocka_unit_test(the_same_play_gives_the_same_calls),
                                     cmocka_unit_test(losses_are_reported),
                                     cmocka_unit_test(losses_are_reported_by_sender_class_and_number),
                                     cmocka_unit_test(a_agent_replaces_random_sources),
                                     cmocka_unit_test(the_impossible_is_refused),
                                     cmocka_unit_test(silence_is_a_play)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
