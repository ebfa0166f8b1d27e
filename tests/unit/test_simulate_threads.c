/* test_simulate_threads.c - a run in several parts is the run in one, to the last bit: random scenarios on all
 * families, with faults that come and go and links that are slow for a while, in 2 to 16 parts that meet after 1 to 16
 * cycles. And one that fails says the same.
 *
 * Slow: long simulations, with many numbers of threads. */
#include <stdio.h>
#include <unistd.h>

#include "scene.h"
#include "share.h"

enum { SCENARIOS = 200, WRONG = 120, TEXT = 400 };

typedef struct place {
  const char *fabric, *method;
  bool credits;  /* it needs them, and no output queues */
  bool protocol; /* it has one, and no stops */
  bool delays;   /* its links have their own */
} place;
static const place places[] = {{"torus:8x6", "minimal-adaptive:escape=bubble", true, false, false},
                               {"torus:5x4x3", "dor:dateline=on", false, false, false},
                               {"mport-ntree:m=6,n=3", "link-fault-messages", false, true, false},
                               {"torus:9x9", "dor", false, false, false},
                               {"torus:4x4", "valiant", false, false, false},
                               {"torus:5x4", "immunet", true, true, false},
                               {"kary-ntree:k=3,n=3", "updown", false, false, false},
                               {"kary-ntree:k=4,n=3", "misroute", false, false, false},
                               {"kary-ntree:k=2,n=5", "uturn", false, false, false},
                               {"mport-ntree:m=6,n=3", "ugal", false, false, false},
                               {"kary-ntree:k=3,n=3", "immunet:inject=two", true, true, false},
                               {"kns:k=5,n=3", "intermediate-nodes", false, false, false},
                               {"kns:k=6,n=2", "intermediate-nodes:pick=first", false, false, false},
                               {"graph:tests/data/near-and-far.edges", "valiant", false, false, true},
                               {"graph:tests/data/near-and-far.edges", "immunet", true, true, true}};
enum { PLACES = sizeof places / sizeof *places };

static uint32_t below(ripstop_stream *random, uint32_t bound) { return ripstop_stream_below(random, bound); }

static const char *one_of(ripstop_stream *random, const char *const *word, uint32_t count) {
  return word[below(random, count)];
}
#define ONE_OF(random, ...)                            \
  one_of((random), (const char *const[]){__VA_ARGS__}, \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Links that fail or become slow, and of which some come back. */
static void break_some(scene *s, ripstop_stream *random) {
  ripstop_text text = {0};
  uint32_t changes = below(random, 5);
  for (uint32_t i = 0; i < changes; i++) {
    char name[RIPSTOP_NAME_MAX];
    const bool slow = below(random, 3) == 0;
    uint32_t link = slow ? below(random, s->fabric->links)
                         : s->fabric->link_ends + below(random, s->fabric->links - s->fabric->link_ends);
    uint32_t cycle = 50 + below(random, 300);
    ripstop_link_name(s->fabric, link, name);
    if (strstr(text.data ? text.data : "", name)) continue;
    ripstop_text_add(&text, "%s%s@%u ", name, slow ? ONE_OF(random, "~0.1", "~0.3", "~0.875") : "", cycle);
    if (below(random, 2)) ripstop_text_add(&text, "%s+@%u ", name, cycle + 20 + below(random, 150));
  }
  if (below(random, 3) == 0) {
    char name[RIPSTOP_NAME_MAX];
    uint32_t v = s->fabric->ends + below(random, s->fabric->nodes - s->fabric->ends);
    ripstop_node_name(s->fabric, v, name);
    ripstop_text_add(&text, "switch:%s@%u switch:%s+@%u ", name, 90 + below(random, 100), name, 250);
  }
  if (text.data) scene_schedule(s, ripstop_arena_text(s->arena, text.data));
  ripstop_text_free(&text);
}

/* Distances over which parts need not meet for 16 cycles, and the queues for them. */
static bool is_far(uint64_t number) { return number % 7 == 3; }

static void go_far(scene *s, ripstop_stream *random) {
  scene_set(s, "link=20 pipeline=9 credit=20 packet=1");
  scene_set(s, ONE_OF(random, "in_queue=3", "in_queue=40"));
}

/* Links that are longer than the wheel's first level, with credits: XON and XOFF would need long queues. */
static bool is_very_far(uint64_t number) { return number % 56 == 38; }

static void go_very_far(scene *s) { scene_set(s, "link=1500 in_queue=40 cycles=6000 flow=credits"); }

/* Other flow control and queues than the usual, and more that is counted. */
static void add_features(scene *s, const place *at, ripstop_stream *random) {
  scene_set(s, ONE_OF(random, "affected=off", "affected=off", "affected=off", "affected=on"));
  if (!at->protocol && below(random, 3) == 0)
    scene_set(s, ONE_OF(random, "model=static", "model=static drain=discard"));
  scene_set(s, ONE_OF(random, "detect=0 recompute=0 resume=0", "detect=9 recompute=50 resume=7"));
  if (at->credits) return;
  if (!at->protocol && s->sim.seed % 5 == 4) scene_set(s, "queues=voq");
  scene_set(s, ONE_OF(random, "out_queue=0", "out_queue=0", "out_queue=1", "out_queue=3"));
  if (below(random, 3)) return;
  if (at->delays || is_far(s->sim.seed))
    scene_set(s, "flow=xonxoff in_queue=200");
  else
    scene_set(s, ONE_OF(random, "flow=xonxoff in_queue=8", "flow=xonxoff in_queue=12 xon=10"));
}

/* Several channels for each of the method's, and a pool for each port, where the switch can have them. By the number
 * alone, so that everything else stays what it was. */
static void add_channels(scene *s, const place *at, uint64_t number) {
  if (at->credits && at->protocol) return; /* control packets */
  if (number % 7 == 1) scene_set(s, "vcs=2");
  if (number % 7 == 2) scene_set(s, "vcs=2 vc=random");
  if (number % 7 == 5) scene_set(s, "vcs=2 vc=hash");
  if (number % 7 == 6 && !at->credits && s->sim.switch_.flow == RIPSTOP_FLOW_CREDITS)
    scene_set(s, "vcs=2 buffers=port in_queue=20");
}

static scene *random_scene(uint64_t number) {
  ripstop_stream random = ripstop_stream_open(number, RIPSTOP_RANDOM_TEST, 0);
  const place *at = &places[number % PLACES];
  /* A statement for each random number: arguments of a call have no order, and compilers differ. */
  const char *load = ONE_OF(&random, "0.05", "0.3", "0.6", "1");
  const char *pattern = ONE_OF(&random, "uniform", "neighbour", "hotspot:end=1,share=0.2");
  const char *process = ONE_OF(&random, "bernoulli", "poisson");
  const char *size = ONE_OF(&random, "1", "4", "16", "9");
  const char *crossbar = ONE_OF(&random, "ports", "queues");
  const char *selection = ONE_OF(
      &random, "random", "space", "first", "rotate", "weighted:counts=port,threshold=3,binds=on", "space:counts=port",
      "ecmp", "ecmp:seed=same,fields=message", "deal", "two", "random:binds=on", "flowlet:gap=9,size=3");
  const bool given = below(&random, 8) > 0;
  const char *warmup = given ? ONE_OF(&random, "0", "137") : "auto";
  uint32_t drawn[8];
  static const uint32_t ranges[8] = {4, 3, 3, 3, 160, 2, 9, 400};
  for (size_t i = 0; i < 8; i++) drawn[i] = below(&random, ranges[i]);
  char options[TEXT];
  snprintf(options, sizeof options,
           "load=%s pattern=%s process=%s packet=%s in_queue=%u crossbar=%s link=%u pipeline=%u credit=%u warmup=%s "
           "cycles=%u window=%u batches=%u check=%u selection=%s",
           load, pattern, process, size, 2 + drawn[0], crossbar, 1 + drawn[1], drawn[2], 1 + drawn[3], warmup,
           100 + drawn[4], drawn[5] * 60, 20 + drawn[6], 40 + drawn[7], selection);
  scene *s = scene_open(at->fabric, at->method, options);
  if (number % 4 != 2) s->sim.on_delivery = NULL;
  s->sim.seed = number;
  if (is_far(number)) go_far(s, &random);
  add_features(s, at, &random);
  break_some(s, &random);
  if (is_very_far(number)) go_very_far(s);
  add_channels(s, at, number);
  return s;
}

/* ------------------------------------------------------------------ an agent of some of the end nodes */

enum { LETTERS = 400 };

typedef struct chatter {
  const ripstop_fabric *fabric;
  uint32_t first, ends, sent, finish, dead; /* `dead`: a link that it has broken, or RIPSTOP_NONE */
  bool breaks;
  uint64_t heard; /* a digest of all calls, in their order */
  uint32_t marked;
  ripstop_stream random;
} chatter;

static void hear(chatter *c, const ripstop_agent_context *play, uint64_t what, uint64_t more) {
  const uint64_t words[] = {what, more, ripstop_agent_now(play)};
  for (int i = 0; i < 3; i++) c->heard = (c->heard ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + (c->heard >> 29);
}

static void write_to(chatter *c, ripstop_agent_context *play, uint32_t from, uint32_t to) {
  if (c->sent == LETTERS || from == to) return;
  ripstop_agent_packet agent_packet = {
      .source = from, .destination = to, .class_ = c->sent % 2, .flits = 1 + c->sent % 5, .tag = c->sent};
  c->sent++;
  ripstop_agent_send(play, &agent_packet);
}

static uint32_t own_end(chatter *c) { return c->first + below(&c->random, c->ends); }

static void on_start(void *context, ripstop_agent_context *play) {
  chatter *c = context;
  for (uint32_t end = c->first; end < c->first + c->ends; end += 2)
    write_to(c, play, end, below(&c->random, c->fabric->ends));
  ripstop_agent_alarm(play, 20, 1);
}

static void on_delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  hear(context, play, 2 * agent_packet->tag, 2 * agent_packet->destination + agent_packet->marked);
  ((chatter *)context)->marked += agent_packet->marked;
  write_to(context, play, agent_packet->destination, agent_packet->source);
}

static void on_taken(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  hear(context, play, 2 * agent_packet->tag + 1, agent_packet->source);
  if (agent_packet->tag % 3 == 0) write_to(context, play, agent_packet->source, own_end(context));
}

static void on_lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet) {
  hear(context, play, 3, agent_packet->tag);
  write_to(context, play, agent_packet->source, agent_packet->destination);
}

/* Breaks a link, or mends the one that it has broken. */
static void break_or_mend(chatter *c, ripstop_agent_context *play) {
  const ripstop_fabric *f = c->fabric;
  ripstop_change change = {.id = c->dead, .up = c->dead != RIPSTOP_NONE};
  if (!change.up) change.id = f->link_ends + below(&c->random, f->links - f->link_ends);
  c->dead = change.up ? RIPSTOP_NONE : change.id;
  ripstop_agent_change(play, &change);
}

static void on_alarm(void *context, ripstop_agent_context *play, uint64_t number) {
  chatter *c = context;
  hear(c, play, 4, number);
  write_to(c, play, own_end(c), below(&c->random, c->fabric->ends));
  if (c->breaks && below(&c->random, 3) == 0) break_or_mend(c, play);
  if (ripstop_agent_now(play) >= c->finish) ripstop_agent_finish(play);
  ripstop_agent_alarm(play, ripstop_agent_now(play) + 1 + below(&c->random, 30), number + 1);
}

/* An agent of all end nodes, or of half of them. */
static ripstop_agent chatter_of(const scene *s, chatter *c, uint32_t *ends) {
  uint64_t number = s->sim.seed;
  *c = (chatter){.fabric = s->fabric,
                 .ends = number % 2 ? s->fabric->ends : s->fabric->ends / 2,
                 .finish = number % 3 ? UINT32_MAX : 130,
                 .dead = RIPSTOP_NONE,
                 .breaks = s->schedule.count == 0,
                 .random = ripstop_stream_open(number, RIPSTOP_RANDOM_TEST, 1)};
  for (uint32_t i = 0; i < c->ends; i++) ends[i] = i;
  return (ripstop_agent){.end = ends,
                         .ends = c->ends,
                         .classes = 2,
                         .shortest = 1,
                         .longest = 5,
                         .start = on_start,
                         .delivered = on_delivered,
                         .taken = on_taken,
                         .lost = on_lost,
                         .alarm = on_alarm,
                         .context = c};
}

/* ------------------------------------------------------------------ one against many */

static ripstop_run_result run_in(scene *s, uint32_t threads) {
  ripstop_error err;
  ripstop_run_result result;
  s->sim.threads = threads;
  if (scene_simulate(s, &result, &err)) fail_msg("%s %s: %s", s->fabric->spec, s->method, err.text);
  return result;
}

/* The same with an agent; returns the sum over its calls and the number of marked packets too. */
static ripstop_run_result play_in(scene *s, uint32_t threads, uint64_t *heard, uint32_t *marked) {
  chatter c;
  uint32_t *ends = calloc(s->fabric->ends, sizeof *ends);
  ripstop_agent agent = chatter_of(s, &c, ends);
  s->sim.agent = &agent;
  s->sim.agents = 1;
  if (s->sim.seed % 8 == 1) s->sim.marks = (ripstop_marks){.kmin = 0, .kmax = 3, .pmax = 0.5};
  ripstop_run_result result = run_in(s, threads);
  free(ends);
  *heard = c.heard;
  *marked += c.marked;
  return result;
}

static uint32_t parts_of(scene *s, uint32_t threads) {
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  s->sim.threads = threads;
  uint32_t parts = ripstop_simulate_threads(run_setup.plan, &s->sim);
  stand_close(&run_setup);
  return parts;
}

typedef struct tried {
  uint32_t verdicts[8], played, told, marked;
} tried;

static void compare(uint64_t number, tried *t) {
  scene *s = random_scene(number);
  const uint32_t threads = parts_of(s, 2 + (uint32_t)(number * 7 % 15)); /* fewer on small trees */
  const uint32_t mode = number / PLACES % 3, at_work = mode == 0 ? 1 : mode == 1 ? (threads + 1) / 2 : threads;
  const bool played = number % 4 == 1;
  uint64_t heard[2] = {0};
  assert_true(threads > 1);
  ripstop_run_result one = played ? play_in(s, 1, &heard[0], &t->marked) : run_in(s, 1);
  const size_t deliveries = s->deliveries;
  if (mode < 2) s->sim.parts = threads; /* else one for each thread */
  ripstop_run_result many = played ? play_in(s, at_work, &heard[1], &t->marked) : run_in(s, at_work);
  assert_int_equal(many.threads, at_work);
  many.bytes = one.bytes;
  if (!results_are_equal(&one, &many)) fail_msg("scenario %u in %u parts", (unsigned)number, threads);
  if (s->deliveries != 2 * deliveries ||
      (deliveries && memcmp(s->delivered, &s->delivered[deliveries], deliveries * sizeof *s->delivered)))
    fail_msg("scenario %u in %u parts: other deliveries", (unsigned)number, threads);
  if (heard[0] != heard[1]) fail_msg("scenario %u in %u parts: other calls", (unsigned)number, threads);
  t->verdicts[one.verdict]++;
  t->played += heard[0] != 0;
  t->told += deliveries > 0;
  ripstop_run_result_free(&one);
  ripstop_run_result_free(&many);
  scene_close(s);
}

static void any_number_of_parts_gives_the_same_rows(void **state) {
  (void)state;
  tried t = {0};
  const uint32_t count = SCENARIOS / share_of_cases();
  const uint64_t first = share_first(share_of_cases()) * count & ~UINT64_C(3); /* every fourth is like the others */
  for (uint64_t number = first; number < first + count; number++) compare(number, &t);
  if (count == SCENARIOS)
    assert_true(t.verdicts[RIPSTOP_STEADY] && t.verdicts[RIPSTOP_SATURATED] && t.verdicts[RIPSTOP_DEADLOCKED] &&
                t.verdicts[RIPSTOP_LOSSY]);
  assert_int_equal(t.played, (count + 2) / 4);
  assert_true(t.marked > 0);
  assert_int_equal(t.told, (count + 1) / 4);
}

/* ------------------------------------------------------------------ a method that breaks rules */

/* At many switches, and so in several parts in the same window or cycle: the first rule broken is reported, whatever
 * happened elsewhere. Two of three have 16 cycles between meetings. */
static ripstop_error first_failure(uint64_t number, uint32_t threads, uint32_t parts) {
  static const char *const rare[] = {"1", "3", "10", "30", "100"};
  char method[TEXT];
  ripstop_error err = {0};
  ripstop_run_result result;
  snprintf(method, sizeof method, "test-wrong:rare=%s", rare[number % 5]);
  scene *s = scene_open("torus:6x6,p=2", method, "load=0.6 packet=4 pattern=uniform cycles=600");
  s->sim.on_delivery = NULL;
  s->sim.seed = number;
  if (number % 3) scene_set(s, "link=20 pipeline=9 credit=20 packet=1 in_queue=30");
  assert_int_equal(parts_of(s, threads), threads); /* which it goes on with */
  s->sim.parts = parts;
  if (scene_simulate(s, &result, &err) == 0)
    fail_msg("scenario %u in %u parts does not fail", (unsigned)number, threads);
  scene_close(s);
  return err;
}

static void the_first_failure_is_reported(void **state) {
  (void)state;
  uint32_t ports = 0, strangers = 0;
  const uint32_t count = WRONG / share_of_cases();
  const uint64_t first = share_first(share_of_cases()) * (uint64_t)count;
  for (uint64_t number = first; number < first + count; number++) {
    const uint32_t threads = 2 + (uint32_t)(number * 7 % 15);
    const ripstop_error one = first_failure(number, 1, 1), many = first_failure(number, threads, threads + number % 3);
    if (strcmp(one.text, many.text))
      fail_msg("scenario %u in %u parts: '%s', in one '%s'", (unsigned)number, threads, many.text, one.text);
    ports += strstr(one.text, "a port that does not exist") != NULL;
    strangers += strstr(one.text, " reached end node ") != NULL;
  }
  assert_int_equal(ports + strangers, count);
  assert_true(ports && strangers);
}

/* An engine of this size prefetches memory (fetch.c), which small ones do not: the addresses must exist, with all
 * features, in one part and in several. */
static void large_engines_ask_for_what_is_there(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *options;
  } large[] = {{"torus:52x52", "minimal-adaptive:escape=bubble", "load=0.1"},
               {"torus:52x52", "dor:dateline=on", "load=1 out_queue=2"},
               {"torus:52x52", "valiant", "load=0.6 flow=xonxoff in_queue=8"},
               {"hyperx:12x12,p=40", "hyperx-dal", "load=1 arbiter=transit-first"}};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    scene *s = scene_open(large[i].fabric, large[i].method, large[i].options);
    scene_set(s, "warmup=0 cycles=60 batches=20");
    scene_schedule(s, "switch:3.3@20 switch:3.3+@40");
    s->sim.on_delivery = NULL;
    s->sim.parts = 1;
    ripstop_run_result one = run_in(s, 1);
    s->sim.parts = 3;
    ripstop_run_result many = run_in(s, 1);
    if (one.bytes < 9 << 20) fail_msg("%s has %zu bytes", large[i].fabric, one.bytes);
    many.bytes = one.bytes;
    if (!results_are_equal(&one, &many)) fail_msg("%s, %s: other rows", large[i].fabric, large[i].options);
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&many);
    scene_close(s);
  }
}

int main(void) {
  if (chdir(RIPSTOP_SOURCE_DIR)) return 1; /* tests/data is there */
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_parts_gives_the_same_rows),
                                     cmocka_unit_test(large_engines_ask_for_what_is_there),
                                     cmocka_unit_test(the_first_failure_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
