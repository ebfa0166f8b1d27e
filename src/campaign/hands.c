/* hands.c - runs on other ranks: hands send questions, and rank 0 answers.
 *
 * A hand is a thread of another rank. It brings the outcomes of what it was given, at first none, and is given more:
 * several runs at once where they are short, so that questions cost little beside them, and nothing when there are none
 * left. A rank whose hands have all been given nothing says so, and rank 0 waits for that; so a round ends with no
 * message in transit, and the next has tags of its own.
 *
 *   to rank 0   hand, number of outcomes, for each the run's position among all runs and the outcome; or NO_HAND
 *   to a hand   threads inside each run, number of runs, their positions
 *
 * A rank that dies takes the runs that it was given with it, and MPI ends the others: what had come to rank 0 is kept.
 */
#include <malloc.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/team.h"
#include "campaign/pack.h"
#include "campaign/ranks.h"
#include "campaign/work.h"

#define NO_HAND UINT64_MAX
enum { GIVEN_MOST = 64 };
static const double GIVEN_SECONDS = 0.02; /* work that is given at once, if it is known how long runs take */

/* ------------------------------------------------------------------ rank 0 */

/* The number of runs that are given at once: few where few are left, so that all workers end together. */
static size_t how_many(const ripstop_task *t) {
  double mean = t->workers->ranks->mean, worth = mean > 0 ? GIVEN_SECONDS / mean : 1;
  size_t fair = claims_waiting(&t->claims) / (4 * (size_t)t->threads) + 1;
  size_t most = worth < 1 ? 1 : worth > GIVEN_MOST ? GIVEN_MOST : (size_t)worth;
  return most < fair ? most : fair;
}

static void remember(ripstop_ranks *r, ranks_hand to) {
  r->waiting = ripstop_realloc(r->waiting, r->waits + 1, sizeof *r->waiting);
  r->waiting[r->waits++] = to;
}

/* Some runs or, when there will be none any more, none. */
static void give(ripstop_task *t, ranks_hand to) {
  ripstop_ranks *r = t->workers->ranks;
  ripstop_text list = {0}, message = {0};
  const ripstop_run *run;
  size_t given = 0, most = how_many(t);
  for (; given < most && (run = task_fetch(t)); given++) pack_number(&list, (uint64_t)(run - t->workers->runs->run));
  if (!given && task_later(t)) {
    remember(r, to);
    return;
  }
  pack_number(&message, t->workers->inside);
  pack_number(&message, given);
  ripstop_text_add_bytes(&message, list.data, list.length);
  ranks_send(r, to.rank, tag_of_hand(to.hand), &message);
  r->under_way[to.rank] += (unsigned)given;
  ripstop_text_free(&list);
  ripstop_text_free(&message);
}

/* Whom there is still nothing for waits on, at its place or further to the front. */
static void give_waiting(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  size_t count = r->waits;
  if (!claims_waiting(&t->claims) && task_later(t)) return;
  r->waits = 0;
  for (size_t i = 0; i < count; i++) give(t, r->waiting[i]);
}

/* A damaged message has no outcome, and so its run is not done. */
static void take_outcome(ripstop_task *t, unpacking *u, unsigned from) {
  ripstop_ranks *r = t->workers->ranks;
  const ripstop_runs *runs = t->workers->runs;
  ripstop_outcome outcome;
  uint64_t position = unpack_number(u);
  unpack_outcome(u, &outcome);
  r->under_way[from]--;
  r->mean = r->mean > 0 ? 0.9 * r->mean + 0.1 * outcome.seconds : outcome.seconds;
  if (!u->bad && position < runs->count && !t->ended) task_take(t, &runs->run[position], &outcome);
  ripstop_outcome_free(&outcome);
}

static void answer(ripstop_task *t, unsigned from, const ripstop_text *message) {
  unpacking u = unpack(message);
  uint64_t hand = unpack_number(&u);
  if (hand == NO_HAND) {
    t->workers->ranks->left++;
    return;
  }
  for (uint64_t outcomes = unpack_number(&u); outcomes-- > 0 && !u.bad;) take_outcome(t, &u, from);
  give(t, (ranks_hand){from, (unsigned)hand});
}

void spread_serve(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  ripstop_text message = {0};
  unsigned from;
  give_waiting(t);
  while (!t->ended && ranks_receive(r, tag_of_round(r), &from, &message)) {
    answer(t, from, &message);
    ripstop_text_free(&message);
  }
}

void spread_finish(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  for (ranks_nap nap = {0}; r->left + 1 < r->at.ranks; ranks_sleep(&nap)) {
    size_t before = t->done;
    spread_serve(t);
    if (t->ended || ripstop_stopped(t->workers->stop)) break;
    task_tick(t);
    if (t->done > before) nap = (ranks_nap){0};
  }
  r->left = 0;
  r->waits = 0;
}

/* ------------------------------------------------------------------ the others */

/* Does what the answer names, and puts it into the next question; the number of runs, 0 also when stopped. */
static uint64_t do_given(const ripstop_task *t, const ripstop_text *given, unsigned hand, ripstop_text *question) {
  const ripstop_runs *runs = t->workers->runs;
  unpacking u = unpack(given);
  unsigned inside = (unsigned)unpack_number(&u);
  uint64_t count = unpack_number(&u);
  pack_number(question, hand);
  pack_number(question, count);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t position = unpack_number(&u);
    ripstop_outcome outcome;
    if (u.bad || position >= runs->count || task_execute(t, &runs->run[position], inside, &outcome)) return 0;
    pack_number(question, position);
    pack_outcome(question, &outcome);
    ripstop_outcome_free(&outcome);
  }
  return count;
}

static void be_hand(void *context, unsigned hand, unsigned hands) {
  const ripstop_task *t = context;
  ripstop_ranks *r = t->workers->ranks;
  ripstop_text question = {0}, given = {0};
  unsigned from;
  (void)hands;
  pack_number(&question, hand);
  pack_number(&question, 0);
  for (uint64_t count = 1; count > 0;) {
    ranks_send(r, 0, tag_of_round(r), &question);
    ripstop_text_free(&question);
    if (!ranks_wait(r, tag_of_hand(hand), t->workers->stop, &from, &given)) break;
    count = do_given(t, &given, hand, &question);
    ripstop_text_free(&given);
  }
  ripstop_text_free(&question);
}

/* A rank's first hand is its main thread, and what that has freed last glibc gives back to the system: each run would
 * fault in the pages of its engine again. */
static void keep_memory(void) {
#ifdef __GLIBC__
  enum { KEPT = 64 << 20, SINGLE = 32 << 20 }; /* the values at which glibc itself arrives with many threads */
  mallopt(M_TRIM_THRESHOLD, KEPT);
  mallopt(M_MMAP_THRESHOLD, SINGLE);
#endif
}

int spread_help(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  RIPSTOP_LOCAL_TEXT(goodbye);
  keep_memory();
  ripstop_team_together(ranks_threads(r, t->workers->threads), be_hand, t);
  if (ripstop_stopped(t->workers->stop)) return -1;
  pack_number(&goodbye, NO_HAND);
  ranks_send(r, 0, tag_of_round(r), &goodbye);
  return 0;
}
