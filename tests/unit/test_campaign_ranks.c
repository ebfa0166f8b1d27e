/* test_campaign_ranks.c - rank 0 among ranks that the test plays: how many threads a rank has, how many runs a hand is
 * given, which hands wait, who is busy, and when a round ends. Messages go through memory, so nothing depends on time.
 */
#include <math.h>
#include <string.h>

#include "campaign/pack.h"
#include "campaign/ranks.h"
#include "campaign/work.h"
#include "check.h"
#include "opened.h"

#define NO_HAND UINT64_MAX

static const ripstop_run *list[SMALL_RUNS];

static int open_list(void **state) {
  open_small(state);
  list_runs(*state, list);
  return 0;
}

/* ------------------------------------------------------------------ a net whose other ranks are the test */

enum { MESSAGES = 256 };

typedef struct message {
  unsigned rank; /* its sender, or whom it is for */
  int tag;
  ripstop_text text;
} message;

static struct {
  message in[MESSAGES], out[MESSAGES]; /* for rank 0, and from it */
  size_t ins, outs, taken;
  void (*reply)(const message *answer); /* NULL: the test writes each question itself */
} net;

static ripstop_net_passage record_send(unsigned to, int tag, const void *bytes, size_t length) {
  assert_true(net.outs < MESSAGES);
  message *l = &net.out[net.outs++];
  *l = (message){.rank = to, .tag = tag};
  ripstop_text_add_bytes(&l->text, bytes, length);
  if (net.reply) net.reply(l);
  return 0;
}

static bool look(int tag, unsigned *from, size_t *length) {
  if (net.taken == net.ins) return false;
  const message *l = &net.in[net.taken];
  assert_int_equal(l->tag, tag);
  *from = l->rank, *length = l->text.length;
  return true;
}

static ripstop_net_passage take(unsigned from, int tag, void *bytes, size_t length) {
  const message *l = &net.in[net.taken++];
  assert_true(l->rank == from && l->tag == tag && l->text.length == length);
  memcpy(bytes, l->text.data, length);
  return 0;
}

static bool is_over(ripstop_net_passage passage) { return passage == 0; }

static const recognised_graph played = {.send = record_send, .look = look, .take = take, .over = is_over};

static void empty_net(void) {
  for (size_t i = 0; i < net.ins; i++) ripstop_text_free(&net.in[i].text);
  for (size_t i = 0; i < net.outs; i++) ripstop_text_free(&net.out[i].text);
  memset(&net, 0, sizeof net);
}

/* ------------------------------------------------------------------ messages of other ranks */

static ripstop_text *new_question(unsigned rank) {
  assert_true(net.ins < MESSAGES);
  message *l = &net.in[net.ins++];
  *l = (message){.rank = rank, .tag = 2};
  return &l->text;
}

static void leave(unsigned rank) { pack_number(new_question(rank), NO_HAND); }

/* A hand brings `count` runs from `first` on, each of which took `seconds`. */
static void ask(unsigned rank, unsigned hand, uint64_t first, uint64_t count, double seconds) {
  const ripstop_outcome outcome = {.verdict = "steady", .faults = "", .seconds = seconds};
  ripstop_text *question = new_question(rank);
  pack_number(question, hand);
  pack_number(question, count);
  for (uint64_t i = 0; i < count; i++) {
    pack_number(question, first + i);
    pack_outcome(question, &outcome);
  }
}

/* The last answer is for this hand, and names `count` runs from `first` on. */
static void expect_answer(unsigned rank, unsigned hand, uint64_t first, uint64_t count) {
  const message *l = &net.out[net.outs - 1];
  unpacking u = unpack(&l->text);
  assert_int_equal(l->rank, rank);
  assert_int_equal(l->tag, 2 * (int)hand + 1);
  assert_int_equal(unpack_number(&u), 3); /* threads inside each run */
  assert_int_equal(unpack_number(&u), count);
  for (uint64_t i = 0; i < count; i++) assert_int_equal(unpack_number(&u), first + i);
  assert_false(u.bad);
  assert_ptr_equal(u.at, u.end);
}

/* ------------------------------------------------------------------ rank 0 at work */

typedef struct bench {
  const ripstop_runs *runs;
  unsigned under_way[3], seen[SMALL_RUNS], asked;
  ripstop_ranks ranks;
  ripstop_workers workers;
  ripstop_task task;
} bench;

static int note(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  bench *b = context;
  assert_string_equal(outcome->verdict, "steady");
  b->seen[run - b->runs->run]++;
  return 0;
}

static void open_bench(bench *b, const ripstop_runs *runs) {
  *b = (bench){.runs = runs};
  b->ranks = (ripstop_ranks){.net = &played, .at = {.ranks = 3, .neighbours = 1, .processors = 1}};
  b->ranks.under_way = b->under_way;
  pthread_mutex_init(&b->ranks.lock, NULL);
  b->workers = (ripstop_workers){.inside = 3, .ranks = &b->ranks, .runs = runs, .done = note, .context = b};
  b->task = (ripstop_task){.count = runs->count, .workers = &b->workers, .threads = 1};
  claims_open(&b->task.claims, list, runs->count, &b->workers);
}

static void close_bench(bench *b) {
  ripstop_free(b->ranks.waiting);
  pthread_mutex_destroy(&b->ranks.lock);
  empty_net();
}

/* ------------------------------------------------------------------ tests */

static void ranks_share_the_processors_of_their_machine(void **state) {
  (void)state;
  static const struct {
    unsigned processors, neighbours, wished, share, first, others; /* threads of rank 0 and of any other */
  } known[] = {{8, 1, 0, 8, 8, 8}, {8, 2, 0, 4, 4, 4}, {9, 2, 0, 4, 4, 4}, {8, 3, 0, 2, 2, 2}, {1, 2, 0, 1, 0, 1},
               {8, 2, 4, 4, 4, 4}, {8, 2, 5, 4, 4, 5}, {8, 3, 3, 2, 2, 3}, {9, 3, 3, 3, 3, 3}, {2, 1, 1, 2, 1, 1}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_ranks r = {.at = {.processors = known[i].processors, .neighbours = known[i].neighbours}};
    assert_int_equal(ripstop_ranks_share(&r), known[i].share);
    assert_int_equal(ranks_threads(&r, known[i].wished), known[i].first);
    r.at.rank = 1;
    assert_int_equal(ranks_threads(&r, known[i].wished), known[i].others);
  }
}

/* A batch has as many runs as take 20 milliseconds at the mean so far, but leaves some for every rank. */
static void a_hand_is_given_20_milliseconds_of_work(void **state) {
  bench b;
  open_bench(&b, *state);
  ask(2, 5, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(2, 5, 0, 1); /* nothing is known yet */
  assert_int_equal(b.under_way[2], 1);
  ask(2, 5, 0, 1, 0.0038);
  spread_serve(&b.task);
  assert_true(fabs(b.ranks.mean - 0.0038) < 1e-9);
  expect_answer(2, 5, 1, 5); /* 20 / 3.8 */
  assert_int_equal(b.under_way[2], 5);
  ask(1, 0, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(1, 0, 6, 5);
  assert_int_equal(ranks_busy(&b.ranks), 2);
  b.ranks.own_work = true;
  assert_int_equal(ranks_busy(&b.ranks), 3);
  ask(2, 5, 1, 1, 0.0138);
  spread_serve(&b.task);
  assert_true(fabs(b.ranks.mean - 0.0048) < 1e-9); /* 0.9 of the mean and 0.1 of the last */
  expect_answer(2, 5, 11, 4);
  assert_int_equal(b.under_way[2], 5 - 1 + 4);
  assert_int_equal(b.task.done, 2);
  close_bench(&b);
}

static void short_runs_are_given_fairly_and_long_ones_singly(void **state) {
  bench b;
  open_bench(&b, *state);
  b.ranks.mean = 1e-6;
  ask(1, 0, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(1, 0, 0, 48 / 4 + 1);
  b.task.threads = 2;
  ask(1, 1, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(1, 1, 13, 35 / 8 + 1);
  b.ranks.mean = 0.5;
  ask(1, 2, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(1, 2, 18, 1);
  close_bench(&b);
}

/* Runs that others may still have: the hand waits for them without an answer. */
static void a_hand_waits_while_runs_may_come(void **state) {
  bench b;
  open_bench(&b, *state);
  atomic_store(&b.task.claims.granted, 1);
  atomic_store(&b.task.claims.decided, false);
  ask(1, 0, 0, 0, 0);
  ask(1, 1, 0, 0, 0);
  ask(2, 0, 0, 0, 0);
  spread_serve(&b.task);
  expect_answer(1, 0, 0, 1);
  assert_int_equal(net.outs, 1);
  assert_int_equal(b.ranks.waits, 2);
  atomic_store(&b.task.claims.granted, 2);
  spread_serve(&b.task);
  expect_answer(1, 1, 1, 1);
  assert_int_equal(net.outs, 2);
  assert_int_equal(b.ranks.waits, 1);
  atomic_store(&b.task.claims.decided, true);
  spread_serve(&b.task);
  expect_answer(2, 0, 0, 0);
  assert_int_equal(b.ranks.waits, 0);
  close_bench(&b);
}

static void what_came_damaged_is_not_done(void **state) {
  bench b;
  open_bench(&b, *state);
  ask(1, 0, 0, 0, 0);
  spread_serve(&b.task);
  ask(1, 0, 0, 1, 0.1);
  net.in[net.ins - 1].text.length -= 8;
  ask(1, 1, SMALL_RUNS, 1, 0.1); /* there is no such run */
  spread_serve(&b.task);
  assert_int_equal(b.task.done, 0);
  assert_int_equal(net.outs, 3);
  close_bench(&b);
}

static void a_round_ends_when_all_have_left(void **state) {
  bench b;
  open_bench(&b, *state);
  leave(2);
  ask(1, 0, 0, 0, 0);
  leave(1);
  spread_finish(&b.task);
  assert_int_equal(net.taken, 3);
  expect_answer(1, 0, 0, 1);
  assert_int_equal(b.ranks.left, 0);
  close_bench(&b);
}

/* ------------------------------------------------------------------ a whole campaign */

static void do_what_is_asked(const message *answer) {
  unpacking u = unpack(&answer->text);
  unpack_number(&u);
  uint64_t count = unpack_number(&u), first = count ? unpack_number(&u) : 0;
  if (count)
    ask(answer->rank, 0, first, count, 0.0001);
  else
    leave(answer->rank);
}

static int refuse_to(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  (void)run, (void)stop, (void)out;
  fail_msg("rank 0 has no thread for runs");
  return -1;
}

/* Two ranks on one processor: rank 0 only hands out runs. Two threads request runs, its own and the other rank's. */
static void rank_0_hands_out_where_it_has_no_processor(void **state) {
  bench b;
  open_bench(&b, *state);
  b.workers.execute = refuse_to;
  b.ranks.at = (ripstop_net_place){.ranks = 2, .neighbours = 2, .processors = 1};
  b.ranks.rounds = 2;
  net.reply = do_what_is_asked;
  ask(1, 0, 0, 0, 0);
  assert_int_equal(ripstop_work(list, SMALL_RUNS, &b.workers), 0);
  for (size_t i = 0; i < SMALL_RUNS; i++) assert_int_equal(b.seen[i], 1);
  assert_int_equal(b.ranks.round, 1);
  assert_int_equal(b.ranks.rounds, 1);
  assert_int_equal(ranks_busy(&b.ranks), 0);
  unpacking second = unpack(&net.out[1].text);
  unpack_number(&second);
  assert_int_equal(unpack_number(&second), 47 / (4 * 2) + 1);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_share_the_processors_of_their_machine),
      cmocka_unit_test(a_hand_is_given_20_milliseconds_of_work),
      cmocka_unit_test(short_runs_are_given_fairly_and_long_ones_singly),
      cmocka_unit_test(a_hand_waits_while_runs_may_come),
      cmocka_unit_test(what_came_damaged_is_not_done),
      cmocka_unit_test(a_round_ends_when_all_have_left),
      cmocka_unit_test(rank_0_hands_out_where_it_has_no_processor),
  };
  return RUN_GROUP(tests, open_list, close_group);
}
