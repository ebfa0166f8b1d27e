/* test_arbiters.c - arbiters at one output: the order of round robin against a search through all queues, the weighted
 * one against its bound, against the published form of its rule and against max-min fair rates computed by filling,
 * turns against a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/arbiter.h"

/* ------------------------------------------------------------------ an output and the queues that request it */

enum { WORDS_MAX = 4, QUEUES_MAX = 64 * WORDS_MAX };

typedef struct output {
  const ripstop_arbiter *arbiter;
  ripstop_arena *arena;
  void *config, *state;
  uint32_t channels;
  uint64_t bits[WORDS_MAX], enters[WORDS_MAX];
  uint8_t channel[QUEUES_MAX];
  uint16_t flits[QUEUES_MAX];
  ripstop_requests requests;
} output;

static const ripstop_arbiter *find(const char *name) {
  for (size_t i = 0; ripstop_arbiters[i]; i++)
    if (strcmp(ripstop_arbiters[i]->name, name) == 0) return ripstop_arbiters[i];
  fail_msg("no arbiter %s", name);
  abort();
}

/* Queue q requests channel q mod channels; a packet has one flit unless the test sets another length. */
static output *output_open(const char *arbiter, const char *options, uint32_t channels, uint32_t words) {
  ripstop_arena *arena = ripstop_arena_new();
  output *o = RIPSTOP_NEW(arena, output);
  ripstop_error err;
  *o = (output){.arbiter = find(arbiter), .arena = arena, .channels = channels};
  o->config = ripstop_arena_array(arena, 1, o->arbiter->config_size + 1);
  if (ripstop_options_parse(arena, arbiter, o->arbiter->options, o->config, options, &err)) fail_msg("%s", err.text);
  if (o->arbiter->check && o->arbiter->check(o->config, channels, &err)) fail_msg("%s", err.text);
  o->state = ripstop_arena_array(arena, 1, o->arbiter->state_size(o->config, channels));
  o->arbiter->init(o->config, channels, o->state);
  for (uint32_t q = 0; q < QUEUES_MAX; q++) {
    o->channel[q] = (uint8_t)(q % channels);
    o->flits[q] = 1;
  }
  o->requests = (ripstop_requests){
      .bits = o->bits, .words = words, .channel = o->channel, .flits = o->flits, .enters = o->enters};
  return o;
}

static void output_free(output *o) { ripstop_arena_free(o->arena); }

static void ask(output *o, uint32_t queue) { o->bits[queue / 64] |= UINT64_C(1) << queue % 64; }
static void rest(output *o, uint32_t queue) { o->bits[queue / 64] &= ~(UINT64_C(1) << queue % 64); }
static bool asks(const output *o, uint32_t queue) { return o->bits[queue / 64] >> queue % 64 & 1; }

/* Every pick must be a queue that requests the output. */
static uint32_t pick(output *o) {
  uint32_t winner = o->arbiter->pick(o->config, o->state, &o->requests);
  assert_in_range(winner, 0, 64 * o->requests.words - 1);
  assert_true(asks(o, winner));
  return winner;
}

static void ask_at_random(output *o, ripstop_stream *stream, uint32_t out_of) {
  uint64_t any = 0;
  memset(o->bits, 0, sizeof o->bits);
  while (!any)
    for (uint32_t q = 0; q < 64 * o->requests.words; q++)
      if (ripstop_stream_below(stream, out_of) == 0) {
        ask(o, q);
        any = 1;
      }
}

/* ------------------------------------------------------------------ all arbiters */

static void registry(void **state) {
  (void)state;
  find("round-robin");
  find("transit-first");
  find("weighted");
  find("turns");
  for (size_t i = 0; ripstop_arbiters[i]; i++) {
    const ripstop_arbiter *a = ripstop_arbiters[i];
    assert_int_equal(a->abi, RIPSTOP_ARBITER_ABI);
    assert_true(a->summary && a->options && a->state_size && a->init && a->pick);
  }
}

/* ------------------------------------------------------------------ round robin */

static void round_robin_takes_turns(void **state) {
  (void)state;
  output *o = output_open("round-robin", NULL, 1, 1);
  ask(o, 0), ask(o, 3), ask(o, 63);
  assert_int_equal(pick(o), 0);
  assert_int_equal(pick(o), 3);
  assert_int_equal(pick(o), 63);
  assert_int_equal(pick(o), 0);
  rest(o, 3), ask(o, 1);
  assert_int_equal(pick(o), 1);
  assert_int_equal(pick(o), 63);
  rest(o, 0), rest(o, 1);
  assert_int_equal(pick(o), 63);
  assert_int_equal(pick(o), 63);
  output_free(o);
}

static void round_robin_of_many_words(void **state) {
  (void)state;
  ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t words = 1; words <= WORDS_MAX; words++)
    for (uint32_t out_of = 2; out_of <= 200; out_of *= 3) { /* from half of the queues to less than one */
      output *o = output_open("round-robin", NULL, 2, words);
      uint32_t queues = 64 * words, last = queues - 1;
      for (int i = 0; i < 1000; i++) {
        ask_at_random(o, &stream, out_of);
        uint32_t expected = (last + 1) % queues;
        while (!asks(o, expected)) expected = (expected + 1) % queues;
        last = pick(o);
        assert_int_equal(last, expected);
        assert_true(o->arbiter->turns);
        assert_int_equal(*(const uint32_t *)o->state, last + 1); /* which the engine writes itself */
      }
      output_free(o);
    }
}

/* ------------------------------------------------------------------ transit first */

static void transit_goes_first(void **state) {
  (void)state;
  output *o = output_open("transit-first", NULL, 1, 1);
  o->enters[0] = UINT64_C(1) << 0 | UINT64_C(1) << 63;
  ask(o, 0), ask(o, 3), ask(o, 7), ask(o, 63);
  assert_int_equal(pick(o), 3);
  assert_int_equal(pick(o), 7);
  assert_int_equal(pick(o), 3); /* for as long as there are any */
  rest(o, 3), rest(o, 7);
  assert_int_equal(pick(o), 0);
  ask(o, 3), ask(o, 7);
  assert_int_equal(pick(o), 7); /* both have turns of their own */
  rest(o, 3), rest(o, 7);
  assert_int_equal(pick(o), 63);
  assert_int_equal(pick(o), 0);
  output_free(o);
}

static bool enters(const output *o, uint32_t queue) { return o->enters[queue / 64] >> queue % 64 & 1; }

/* Against a search through all queues, of those in transit or, when there is none, of the others. */
static void transit_first_of_many_words(void **state) {
  (void)state;
  ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 1);
  for (uint32_t words = 1; words <= WORDS_MAX; words++)
    for (uint32_t out_of = 2; out_of <= 200; out_of *= 3) {
      output *o = output_open("transit-first", NULL, 2, words);
      uint32_t queues = 64 * words, last[2] = {queues - 1, queues - 1};
      for (uint32_t w = 0; w < words; w++) o->enters[w] = ripstop_stream_u64(&stream);
      for (int i = 0; i < 1000; i++) {
        bool entering = true;
        ask_at_random(o, &stream, out_of);
        for (uint32_t q = 0; q < queues; q++) entering &= !asks(o, q) || enters(o, q);
        uint32_t expected = (last[entering] + 1) % queues;
        while (!asks(o, expected) || enters(o, expected) != entering) expected = (expected + 1) % queues;
        assert_int_equal(pick(o), expected);
        last[entering] = expected;
      }
      output_free(o);
    }
}

/* ------------------------------------------------------------------ weighted: shares under backlog */

typedef struct division {
  const char *options;
  uint32_t channels;
  int64_t share[RIPSTOP_CHANNELS_MAX];
  int64_t longest[RIPSTOP_CHANNELS_MAX]; /* packets have 1 .. longest flits, or always the longest */
  bool mixed;
} division;

static const division divisions[] = {
    {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {16, 16, 16, 16}, false},
    {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {64, 3, 19, 100}, true},
    {"shares=1/20/40/39", 4, {1, 20, 40, 39}, {16, 16, 16, 16}, true},
    {"shares=1/1", 2, {1, 1}, {1, 4096}, true},
    {"shares=7/3/2", 3, {7, 3, 2}, {1, 2, 3}, false},
    {"shares=1000/1", 2, {1000, 1}, {1, 64}, false},
    {"shares=5", 1, {5}, {9}, true},
};
enum { DIVISIONS = sizeof divisions / sizeof *divisions, PICKS = 50000 };

static void draw_length(output *o, const division *d, uint32_t queue, ripstop_stream *stream) {
  uint32_t longest = (uint32_t)d->longest[queue];
  o->flits[queue] = (uint16_t)(d->mixed ? 1 + ripstop_stream_below(stream, longest) : longest);
}

/* The account of a division: while both i and j request the output, over any stretch of picks
 *   |flits_i / share_i - flits_j / share_j| <= longest_i / share_i + longest_j / share_j,
 * so the difference stays in a band of that width. In whole numbers: all of it times share_i x share_j. */
typedef struct account {
  int64_t flits[RIPSTOP_CHANNELS_MAX];
  int64_t low[RIPSTOP_CHANNELS_MAX][RIPSTOP_CHANNELS_MAX], high[RIPSTOP_CHANNELS_MAX][RIPSTOP_CHANNELS_MAX];
} account;

static void serve_and_check(account *a, const division *d, uint32_t winner, int64_t flits) {
  a->flits[winner] += flits;
  for (uint32_t i = 0; i < d->channels; i++)
    for (uint32_t j = 0; j < d->channels; j++) {
      int64_t difference = a->flits[i] * d->share[j] - a->flits[j] * d->share[i];
      if (difference < a->low[i][j]) a->low[i][j] = difference;
      if (difference > a->high[i][j]) a->high[i][j] = difference;
      assert_true(a->high[i][j] - a->low[i][j] <= d->longest[i] * d->share[j] + d->longest[j] * d->share[i]);
    }
}

static void weighted_divides_exactly(void **state) {
  (void)state;
  for (size_t n = 0; n < DIVISIONS; n++) {
    const division *d = &divisions[n];
    output *o = output_open("weighted", d->options, d->channels, 1);
    ripstop_stream stream = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, n);
    account a = {0};
    for (uint32_t c = 0; c < d->channels; c++) {
      ask(o, c);
      draw_length(o, d, c, &stream);
    }
    for (int i = 0; i < PICKS; i++) {
      uint32_t winner = pick(o);
      serve_and_check(&a, d, winner, o->flits[winner]);
      draw_length(o, d, winner, &stream);
    }
    output_free(o);
  }
}

/* From the same band: channel i waits for at most longest_i x share_j / share_i + longest_j flits of each other one. */
static void weighted_starves_nobody(void **state) {
  (void)state;
  for (size_t n = 0; n < DIVISIONS; n++) {
    const division *d = &divisions[n];
    output *o = output_open("weighted", d->options, d->channels, 1);
    int64_t waited[RIPSTOP_CHANNELS_MAX] = {0};
    for (uint32_t c = 0; c < d->channels; c++) {
      ask(o, c);
      o->flits[c] = (uint16_t)d->longest[c];
    }
    for (int i = 0; i < PICKS; i++) {
      uint32_t winner = pick(o);
      for (uint32_t c = 0; c < d->channels; c++) {
        int64_t bound = 0;
        waited[c] = c == winner ? 0 : waited[c] + o->flits[winner];
        for (uint32_t j = 0; j < d->channels; j++)
          if (j != c) bound += d->longest[c] * d->share[j] + d->longest[j] * d->share[c];
        assert_true(waited[c] * d->share[c] <= bound);
      }
    }
    output_free(o);
  }
}

/* The arbiter gives a channel no credit for idle time: its account starts from zero at its next request. */
static void weighted_saves_nothing_up(void **state) {
  (void)state;
  const division *d = &divisions[0];
  for (uint32_t late = 0; late < d->channels; late++) {
    output *o = output_open("weighted", d->options, d->channels, 1);
    account a = {0};
    for (uint32_t c = 0; c < d->channels; c++) {
      o->flits[c] = (uint16_t)d->longest[c];
      if (c != late) ask(o, c);
    }
    for (int i = 0; i < 10000; i++) pick(o);
    ask(o, late);
    for (int i = 0; i < 10000; i++) {
      uint32_t winner = pick(o);
      serve_and_check(&a, d, winner, o->flits[winner]);
    }
    output_free(o);
  }
}

/* A channel of small share that never requests in the pick after its own gets exactly its share. */
static void weighted_forgives_nothing(void **state) {
  (void)state;
  const division d = {"shares=1/99", 2, {1, 99}, {16, 16}, false};
  output *o = output_open("weighted", d.options, d.channels, 1);
  account a = {0};
  o->flits[0] = o->flits[1] = 16;
  ask(o, 0), ask(o, 1);
  for (int i = 0; i < PICKS; i++) {
    uint32_t winner = pick(o);
    serve_and_check(&a, &d, winner, 16);
    if (winner == 0)
      rest(o, 0);
    else
      ask(o, 0);
  }
  output_free(o);
}

/* Only the ratios of the shares matter. */
static void weighted_needs_ratios_only(void **state) {
  (void)state;
  output *one = output_open("weighted", "shares=1/35/54/10", 4, 2);
  output *other = output_open("weighted", "shares=12/420/648/120", 4, 2);
  ripstop_stream stream = ripstop_stream_open(4, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < PICKS / 10; i++) {
    ask_at_random(one, &stream, 20);
    memcpy(other->bits, one->bits, sizeof one->bits);
    for (uint32_t q = 0; q < 128; q++)
      one->flits[q] = other->flits[q] = (uint16_t)(1 + ripstop_stream_below(&stream, 64));
    assert_int_equal(pick(one), pick(other));
  }
  output_free(one);
  output_free(other);
}

/* ------------------------------------------------------------------ weighted: the rule as published */

/* Goyal, Vin and Cheng: packets are served in the order of their start tags, S = max(v, F) with v the start tag of the
 * packet served last and F the finish tag of the channel's last packet, F = S + length / share. Tags are absolute, in
 * units of 1 / (product of the shares). */
typedef struct published {
  uint64_t v, finish[RIPSTOP_CHANNELS_MAX];
  uint32_t last[RIPSTOP_CHANNELS_MAX]; /* queue that each channel was served from; channel 0 has no share here */
} published;

static uint32_t search_queue(const output *o, uint32_t channel, uint32_t last) {
  uint32_t queue = last;
  do queue = queue + 1 < 64 * o->requests.words ? queue + 1 : 0;
  while (!asks(o, queue) || o->channel[queue] != channel);
  return queue;
}

static uint32_t published_pick(published *p, const output *o, const uint64_t *share, uint64_t product) {
  uint32_t winner = 0;
  for (uint32_t c = 1; c < o->channels; c++) {
    bool any = false;
    for (uint32_t q = 0; q < 64 * o->requests.words; q++) any |= asks(o, q) && o->channel[q] == c;
    if (!any) continue;
    if (p->finish[c] < p->v) p->finish[c] = p->v;
    if (winner == 0 || p->finish[c] < p->finish[winner]) winner = c;
  }
  uint32_t queue = search_queue(o, winner, p->last[winner]);
  p->last[winner] = queue;
  if (share[winner] == 0) return queue;
  p->v = p->finish[winner];
  p->finish[winner] = p->v + o->flits[queue] * (product / share[winner]);
  return queue;
}

static void weighted_is_start_time_fair_queueing(void **state) {
  (void)state;
  static const uint64_t share[] = {0, 1, 35, 54, 10};
  for (uint32_t words = 1; words <= WORDS_MAX; words++)
    for (uint32_t out_of = 2; out_of <= 300; out_of *= 5) {
      output *o = output_open("weighted", "shares=0/1/35/54/10", 5, words);
      ripstop_stream stream = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, out_of * WORDS_MAX + words);
      published p = {0};
      for (uint32_t c = 0; c < 5; c++) p.last[c] = 64 * words - 1;
      for (int i = 0; i < 1000; i++) {
        ask_at_random(o, &stream, out_of);
        for (uint32_t q = 0; q < 64 * words; q++) o->flits[q] = (uint16_t)(1 + ripstop_stream_below(&stream, 64));
        uint32_t expected = published_pick(&p, o, share, 1 * 35 * 54 * 10);
        assert_int_equal(pick(o), expected);
      }
      output_free(o);
    }
}

/* ------------------------------------------------------------------ weighted: max-min fairness */

typedef struct demand {
  const char *options;
  uint32_t channels;
  double share[RIPSTOP_CHANNELS_MAX];
  double offered[RIPSTOP_CHANNELS_MAX]; /* share of the link's bandwidth */
} demand;

/* Max-min fair rates by filling. A channel that demands less than its part of the remaining bandwidth gets its whole
 * demand, which leaves more for the rest. When no such channel is left, the rest divide the remainder. */
static void fill(const demand *d, double *rate) {
  bool settled[RIPSTOP_CHANNELS_MAX] = {false}, again = true;
  double left = 1, shares = 0;
  for (uint32_t c = 0; c < d->channels; c++) shares += d->share[c];
  while (again) {
    again = false;
    for (uint32_t c = 0; c < d->channels; c++) {
      if (settled[c] || d->offered[c] * shares > left * d->share[c]) continue;
      rate[c] = d->offered[c];
      left -= rate[c];
      shares -= d->share[c];
      settled[c] = again = true;
    }
  }
  for (uint32_t c = 0; c < d->channels; c++)
    if (!settled[c]) rate[c] = left * d->share[c] / shares;
}

/* A link of one flit a cycle. Each channel's flits arrive evenly, and a packet requests the link when its last flit has
 * arrived. */
static void run_link(const demand *d, uint32_t cycles, uint32_t longest, double *served) {
  output *o = output_open("weighted", d->options, d->channels, 1);
  ripstop_stream stream = ripstop_stream_open(5, RIPSTOP_RANDOM_TEST, cycles);
  for (uint32_t c = 0; c < d->channels; c++) o->flits[c] = (uint16_t)(1 + ripstop_stream_below(&stream, longest));
  for (uint32_t now = 0, length; now < cycles; now += length) {
    length = 1;
    for (uint32_t c = 0; c < d->channels; c++)
      if (d->offered[c] * now - served[c] >= o->flits[c]) ask(o, c);
    if (!o->bits[0]) continue;
    uint32_t winner = pick(o);
    length = o->flits[winner];
    served[winner] += length;
    o->flits[winner] = (uint16_t)(1 + ripstop_stream_below(&stream, longest));
    rest(o, winner);
  }
  output_free(o);
}

static void weighted_is_max_min_fair(void **state) {
  (void)state;
  static const demand demands[] = {
      {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {1, 1, 1, 1}},
      {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {0, 1, 1, 0}},
      {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {0.4, 0.35, 0.25, 0}},
      {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {0.6, 0.1, 0.2, 0.6}},
      {"shares=1/35/54/10", 4, {1, 35, 54, 10}, {0.005, 0.5, 0.3, 0.6}},
      {"shares=1/20/40/39", 4, {1, 20, 40, 39}, {0.2, 0.2, 0.2, 0.2}},
      {"shares=1/20/40/39", 4, {1, 20, 40, 39}, {1, 0.001, 0.001, 0.001}},
      {"shares=4/2/1", 3, {4, 2, 1}, {0.5, 0.5, 0.5}},
      {"shares=100/1", 2, {100, 1}, {0.98, 1}},
  };
  enum { CYCLES = 400000, LONGEST = 32 };
  for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
    double rate[RIPSTOP_CHANNELS_MAX] = {0}, served[RIPSTOP_CHANNELS_MAX] = {0};
    fill(&demands[i], rate);
    run_link(&demands[i], CYCLES, LONGEST, served);
    for (uint32_t c = 0; c < demands[i].channels; c++) {
      double difference = served[c] - rate[c] * CYCLES;
      if (difference > 4 * LONGEST || difference < -4 * LONGEST)
        fail_msg("demand %zu, channel %u: served %g flits, max-min fair %g", i, c, served[c], rate[c] * CYCLES);
    }
  }
}

/* ------------------------------------------------------------------ weighted: share 0 and bad shares */

static void share_zero_takes_what_is_left(void **state) {
  (void)state;
  output *o = output_open("weighted", "shares=0/1/0", 3, 2); /* queue q requests channel q mod 3 */
  ask(o, 0), ask(o, 2), ask(o, 66);
  ask(o, 1), ask(o, 67);
  for (int i = 0; i < 10; i++) assert_int_equal(pick(o), i % 2 ? 67 : 1);
  rest(o, 1), rest(o, 67);
  assert_int_equal(pick(o), 0);
  assert_int_equal(pick(o), 2);
  ask(o, 1);
  assert_int_equal(pick(o), 1);
  rest(o, 1);
  assert_int_equal(pick(o), 66);
  assert_int_equal(pick(o), 0);
  output_free(o);
}

static void assert_refused(const char *name, const char *options, uint32_t channels, const char *says) {
  const ripstop_arbiter *arbiter = find(name);
  ripstop_arena *arena = ripstop_arena_new();
  void *config = ripstop_arena_array(arena, 1, arbiter->config_size);
  ripstop_error err = {0};
  int refused = ripstop_options_parse(arena, "arbiter", arbiter->options, config, options, &err) ||
                arbiter->check(config, channels, &err);
  if (!refused) fail_msg("%s is accepted for %u channels", options, channels);
  if (!strstr(err.text, says)) fail_msg("%s says: %s", options, err.text);
  assert_null(strchr(err.text, '\n'));
  ripstop_arena_free(arena);
}

static void bad_shares_are_refused(void **state) {
  (void)state;
  assert_refused("weighted", "", 1, "must be given");
  assert_refused("weighted", "share=1", 1, "shares");
  assert_refused("weighted", "shares=1/2", 3, "3 virtual channels");
  assert_refused("weighted", "shares=1/2/3/4", 3, "3 virtual channels");
  assert_refused("weighted", "shares=1/", 2, "share of channel 1");
  assert_refused("weighted", "shares=/1", 2, "share of channel 0");
  assert_refused("weighted", "shares=1/x", 2, "share of channel 1");
  assert_refused("weighted", "shares=1/-2", 2, "share of channel 1");
  assert_refused("weighted", "shares=1/0.5", 2, "share of channel 1");
  assert_refused("weighted", "shares=1/1000001", 2, "share of channel 1");
  assert_refused("weighted", "shares=1/99999999999999999999999999999999999999", 2, "share of channel 1");
  assert_refused("weighted", "shares=0/0", 2, "positive");
  assert_refused("weighted", "shares=999983/999979/999961", 3, "no common multiple");
  assert_refused("turns", "", 1, "must be given");
  assert_refused("turns", "packets=1/2", 3, "packets=1/2 has 2 packets, there are 3 virtual channels");
  assert_refused("turns", "packets=0/0", 2, "at least one packet must be positive");
  assert_refused("turns", "packets=1/1000001", 2, "packet of channel 1");
  output_free(output_open("weighted", "shares=1000000/1/999999/0", 4, 1));
  output_free(output_open("weighted", "shares=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", RIPSTOP_CHANNELS_MAX, 1));
}

/* ------------------------------------------------------------------ turns */

static void turns_are_as_long_as_they_say(void **state) {
  (void)state;
  output *o = output_open("turns", "packets=2/3/1", 3, 1); /* queue q requests channel q mod 3 */
  ask(o, 0), ask(o, 3), ask(o, 1), ask(o, 5);
  static const uint32_t all[] = {0, 3, 1, 1, 1, 5, 0, 3, 1, 1, 1, 5};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_int_equal(pick(o), all[i]);
  assert_int_equal(pick(o), 0);
  rest(o, 0), rest(o, 3); /* the rest of channel 0's turn is lost */
  assert_int_equal(pick(o), 1);
  assert_int_equal(pick(o), 1);
  ask(o, 0);
  assert_int_equal(pick(o), 1); /* the turn goes on */
  assert_int_equal(pick(o), 5);
  assert_int_equal(pick(o), 0);
  rest(o, 1), rest(o, 5);
  for (int i = 0; i < 7; i++) assert_int_equal(pick(o), 0); /* alone: one turn after the other */
  output_free(o);
}

/* The same rule as a list of packets still to be served, written out again at the beginning of each round of a channel;
 * queues are searched one by one. */
typedef struct turn_list {
  uint32_t channel, left;
  uint32_t last[RIPSTOP_CHANNELS_MAX], last_idle;
} turn_list;

static bool channel_asks(const output *o, uint32_t channel) {
  for (uint32_t q = 0; q < 64 * o->requests.words; q++)
    if (asks(o, q) && o->channel[q] == channel) return true;
  return false;
}

static uint32_t expected_turn(turn_list *l, const output *o, const uint32_t *packets) {
  uint32_t next = l->channel;
  bool any = false;
  for (uint32_t c = 0; c < o->channels; c++) any |= packets[c] && channel_asks(o, c);
  if (!any) {
    do l->last_idle = (l->last_idle + 1) % (64 * o->requests.words);
    while (!asks(o, l->last_idle));
    return l->last_idle;
  }
  if (l->left == 0 || !channel_asks(o, next)) {
    do next = (next + 1) % o->channels;
    while (!packets[next] || !channel_asks(o, next));
    l->channel = next;
    l->left = packets[next];
  }
  l->left--;
  return l->last[next] = search_queue(o, next, l->last[next]);
}

static void turns_follow_their_rule(void **state) {
  (void)state;
  static const uint32_t packets[] = {0, 1, 35, 7, 2};
  for (uint32_t words = 1; words <= WORDS_MAX; words++)
    for (uint32_t out_of = 2; out_of <= 300; out_of *= 5) {
      output *o = output_open("turns", "packets=0/1/35/7/2", 5, words);
      ripstop_stream stream = ripstop_stream_open(6, RIPSTOP_RANDOM_TEST, out_of * WORDS_MAX + words);
      turn_list list = {.channel = 4, .last_idle = 64 * words - 1};
      for (uint32_t c = 0; c < 5; c++) list.last[c] = 64 * words - 1;
      for (int i = 0; i < 1000; i++) {
        ask_at_random(o, &stream, out_of);
        uint32_t expected = expected_turn(&list, o, packets);
        assert_int_equal(pick(o), expected);
      }
      output_free(o);
    }
}

/* Under backlog the packets of whole rounds are in proportion, whatever their length. */
static void turns_divide_packets(void **state) {
  (void)state;
  output *o = output_open("turns", "packets=1/35/54/10", 4, 1);
  uint32_t served[4] = {0};
  for (uint32_t c = 0; c < 4; c++) {
    ask(o, c);
    o->flits[c] = (uint16_t)(1 + 100 * c);
  }
  for (int i = 0; i < 100 * 7; i++) served[pick(o)]++;
  assert_int_equal(served[0], 7);
  assert_int_equal(served[1], 7 * 35);
  assert_int_equal(served[2], 7 * 54);
  assert_int_equal(served[3], 7 * 10);
  output_free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry),
      cmocka_unit_test(round_robin_takes_turns),
      cmocka_unit_test(round_robin_of_many_words),
      cmocka_unit_test(transit_goes_first),
      cmocka_unit_test(transit_first_of_many_words),
      cmocka_unit_test(weighted_divides_exactly),
      cmocka_unit_test(weighted_starves_nobody),
      cmocka_unit_test(weighted_saves_nothing_up),
      cmocka_unit_test(weighted_forgives_nothing),
      cmocka_unit_test(weighted_needs_ratios_only),
      cmocka_unit_test(weighted_is_start_time_fair_queueing),
      cmocka_unit_test(weighted_is_max_min_fair),
      cmocka_unit_test(share_zero_takes_what_is_left),
      cmocka_unit_test(turns_are_as_long_as_they_say),
      cmocka_unit_test(turns_follow_their_rule),
      cmocka_unit_test(turns_divide_packets),
      cmocka_unit_test(bad_shares_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
