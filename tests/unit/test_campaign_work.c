/* test_campaign_work.c - outcomes depend on the run alone, not on the number of threads, their order or interrupts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/workers.h"
#include "check.h"
#include "opened.h"

static const ripstop_run *list[SMALL_RUNS];

static int open_list(void **state) {
  open_small(state);
  list_runs(*state, list);
  return 0;
}

/* All of an outcome but its seconds, as text, by the run's position. */
typedef struct record {
  const ripstop_runs *runs;
  char *said[SMALL_RUNS];
  size_t count, end_after;
} record;

static int note(void *context, const ripstop_run *run, const ripstop_outcome *o) {
  record *r = context;
  ripstop_text all = {0};
  ripstop_text_add(&all, "%s %s [%s]", o->verdict, o->reason ? o->reason : "-", o->faults);
  for (size_t i = 0; i < o->values; i++)
    ripstop_text_add(&all, " %s=%a/%a %s", o->value[i].name, o->value[i].value, o->value[i].half, o->value[i].unit);
  for (size_t i = 0; i < o->windows; i++)
    ripstop_text_add(&all, " @%llu:%llu", (unsigned long long)o->window[i].cycle,
                     (unsigned long long)o->window[i].delivered_flits);
  size_t at = (size_t)(run - r->runs->run);
  assert_null(r->said[at]);
  r->said[at] = all.data;
  r->count++;
  return r->end_after && r->count >= r->end_after ? -1 : 0;
}

static void forget(record *r) {
  for (size_t i = 0; i < SMALL_RUNS; i++) ripstop_free(r->said[i]);
}

static void any_number_of_workers_gives_the_same_rows(void **state) {
  const ripstop_runs *runs = *state;
  record alone = {.runs = runs};
  ripstop_workers workers = {.threads = 1, .done = note, .context = &alone};
  assert_int_equal(ripstop_work(list, runs->count, &workers), 0);
  assert_int_equal(alone.count, runs->count);
  for (unsigned threads = 0; threads < 6; threads += 2) {
    record many = {.runs = runs};
    workers.threads = threads, workers.context = &many;
    assert_int_equal(ripstop_work(list, runs->count, &workers), 0);
    for (size_t i = 0; i < runs->count; i++) assert_string_equal(alone.said[i], many.said[i]);
    forget(&many);
  }
  forget(&alone);
}

static void nothing_is_done_after_a_stop(void **state) {
  const ripstop_runs *runs = *state;
  static const atomic_int stop = 1;
  record r = {.runs = runs};
  ripstop_workers workers = {.threads = 2, .done = note, .context = &r, .stop = &stop};
  assert_int_equal(ripstop_work(list, runs->count, &workers), 1);
  assert_int_equal(r.count, 0);
}

static void whoever_takes_outcomes_may_end_the_work(void **state) {
  const ripstop_runs *runs = *state;
  record r = {.runs = runs, .end_after = 5};
  ripstop_workers workers = {.threads = 2, .done = note, .context = &r};
  assert_int_equal(ripstop_work(list, runs->count, &workers), -1);
  assert_int_equal(r.count, 5);
  forget(&r);
}

static void no_runs_are_no_work(void **state) {
  (void)state;
  ripstop_workers workers = {.done = note};
  assert_int_equal(ripstop_work(list, 0, &workers), 0);
}

/* Other kinds of jobs use the same function. */
static int refuse(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  (void)stop;
  *out = (ripstop_outcome){.verdict = "does-not-apply", .faults = "", .arena = ripstop_arena_new()};
  out->reason = ripstop_arena_text(out->arena, run->id);
  return 0;
}

static int expect_refusal(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  assert_string_equal(outcome->reason, run->id);
  ++*(size_t *)context;
  return 0;
}

static void the_caller_may_bring_the_work(void **state) {
  const ripstop_runs *runs = *state;
  size_t count = 0;
  ripstop_workers workers = {.threads = 3, .execute = refuse, .done = expect_refusal, .context = &count};
  assert_int_equal(ripstop_work(list, runs->count, &workers), 0);
  assert_int_equal(count, runs->count);
}

/* Runs without faults of the first sample have an outcome; an interrupt ends the others. */
static int wait_for_stop(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  if (run->sample == 0 && run->fault_count == 0) return refuse(run, stop, out);
  while (!ripstop_stopped(stop)) continue;
  return -1;
}

static atomic_int stop_now;

static int stop_all(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  (void)run, (void)outcome;
  ++*(size_t *)context;
  atomic_store(&stop_now, 1);
  return 0;
}

static void a_stop_from_another_thread_ends_all(void **state) {
  const ripstop_runs *runs = *state;
  size_t count = 0;
  const ripstop_run *three[3] = {list[0]};
  for (size_t i = 0, found = 1; i < runs->count && found < 3; i++)
    if (list[i]->sample || list[i]->fault_count) three[found++] = list[i];
  ripstop_workers workers = {
      .threads = 3, .execute = wait_for_stop, .stop = &stop_now, .done = stop_all, .context = &count};
  assert_int_equal(ripstop_work(three, 3, &workers), 1);
  assert_int_equal(count, 1);
}

/* ------------------------------------------------------------------ runs that others may do too */

/* Other processes: they own every third run at its first request. Half of these are stored later; the others become
 * free. */
typedef struct others {
  record record;
  unsigned asked[SMALL_RUNS];
  size_t stored, first; /* first: runs that the first call requests */
  int fail_at;          /* the call that fails; -1: none */
} others;

static int claim_some(void *context, const ripstop_run *const *run, size_t count, ripstop_claimed *whose) {
  others *o = context;
  if (!o->first) o->first = count;
  if (o->fail_at >= 0 && o->fail_at-- == 0) return -1;
  for (size_t i = 0; i < count; i++) {
    size_t at = (size_t)(run[i] - o->record.runs->run);
    bool theirs = at % 3 == 1, first = o->asked[at]++ == 0;
    whose[i] = !theirs ? RIPSTOP_CLAIM_GRANTED : first ? RIPSTOP_CLAIM_OTHERS : RIPSTOP_CLAIM_GRANTED;
    if (theirs && !first && at % 2) whose[i] = RIPSTOP_CLAIM_STORED, o->stored++;
  }
  return 0;
}

static int note_own(void *context, const ripstop_run *run, const ripstop_outcome *o) {
  return note(&((others *)context)->record, run, o);
}

static void what_others_have_is_waited_for(void **state) {
  const ripstop_runs *runs = *state;
  others o = {.record = {.runs = runs}, .fail_at = -1};
  ripstop_workers workers = {.threads = 2, .claim = claim_some, .done = note_own, .context = &o};
  assert_int_equal(ripstop_work(list, runs->count, &workers), 0);
  assert_int_equal(o.record.count + o.stored, runs->count);
  assert_true(o.stored > 0);
  assert_int_equal(o.first, 2 + 1); /* a run for each thread, and one more */
  for (size_t i = 0; i < runs->count; i++) {
    assert_int_equal(o.asked[i], i % 3 == 1 ? 2 : 1);
    assert_int_equal(o.record.said[i] == NULL, i % 3 == 1 && i % 2);
  }
  forget(&o.record);
}

static void a_claim_that_fails_ends_the_work(void **state) {
  const ripstop_runs *runs = *state;
  for (int at = 0; at < 2; at++) {
    others o = {.record = {.runs = runs}, .fail_at = at};
    ripstop_workers workers = {.threads = 2, .claim = claim_some, .done = note_own, .context = &o};
    assert_int_equal(ripstop_work(list, runs->count, &workers), -1);
    assert_true(o.record.count < runs->count);
    assert_true(at > 0 || o.record.count == 0);
    forget(&o.record);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_workers_gives_the_same_rows),
      cmocka_unit_test(nothing_is_done_after_a_stop),
      cmocka_unit_test(whoever_takes_outcomes_may_end_the_work),
      cmocka_unit_test(no_runs_are_no_work),
      cmocka_unit_test(what_others_have_is_waited_for),
      cmocka_unit_test(a_claim_that_fails_ends_the_work),
      cmocka_unit_test(the_caller_may_bring_the_work),
      cmocka_unit_test(a_stop_from_another_thread_ends_all),
  };
  return RUN_GROUP(tests, open_list, close_group);
}
