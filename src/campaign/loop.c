/* loop.c - a campaign's loop: what the store does not have is claimed, done and stored.
 *
 * The store gets outcomes in batches of BATCH_SECONDS at most, so that whatever ends the process costs no more than the
 * last one. All that is done to the store, and every notice to the campaign's user, is done in the thread that called
 * (workers.h). */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/team.h"
#include "campaign/progress.h"
#include "campaign/workers.h"
#include "experiment/inner_runs.h"
#include "store/kept_runs.h"

static const double BATCH_SECONDS = 0.5;
enum { GAP_NANOSECONDS = 3000000 }; /* between two batches, for others who want to write */

typedef struct loop {
  ripstop_campaign *campaign;
  campaign_todo todo;
  progress progress;
  size_t batch;  /* runs done in the batch that is open; 0: none is */
  double begun;  /* seconds by the clock: when it was opened */
  double alive;  /* the last sign of life in the store */
  bool *granted; /* [todo.count] */
  size_t grants; /* runs that were granted so far */
  bool *checked; /* [figures] */
  bool failed;   /* the store did not keep something; `err` says why */
  ripstop_error err;
} loop;

/* ------------------------------------------------------------------ into the store */

/* Ends the batch, if there is one. The first failure is the reason for later ones. */
static void keep(loop *l) {
  ripstop_error another;
  if (!l->batch) return;
  if (ripstop_store_commit(l->campaign->store, l->failed ? &another : &l->err)) {
    l->campaign->progress.done -= l->batch;
    l->failed = true;
  }
  l->batch = 0;
}

static void keep_in_time(loop *l) {
  if (!l->batch || ripstop_seconds_now() - l->begun < BATCH_SECONDS) return;
  keep(l);
  nanosleep(&(struct timespec){.tv_nsec = GAP_NANOSECONDS}, NULL);
}

static void put(loop *l, const ripstop_run *run, const ripstop_outcome *outcome) {
  ripstop_store *store = l->campaign->store;
  l->failed = !l->batch && ripstop_store_begin(store, &l->err);
  if (!l->batch) l->begun = ripstop_seconds_now();
  l->failed = l->failed || ripstop_store_put(store, run, outcome, &l->err);
  if (l->failed) return;
  l->batch++;
  progress_ran(&l->progress, run, outcome);
  keep_in_time(l);
}

/* A figure's value that no run has would otherwise be found at the very end. */
static void check_figures(loop *l, const ripstop_run *run, const ripstop_outcome *outcome) {
  const ripstop_campaign *c = l->campaign;
  for (size_t i = 0; i < c->spec->figures && outcome->values; i++) {
    ripstop_error odd;
    const ripstop_figure *figure = &c->spec->figure[i];
    if (l->checked[i] || !ripstop_figure_wants(c->runs, figure, run, outcome)) continue;
    l->checked[i] = true;
    if (ripstop_figure_check(c->runs, figure, outcome, &odd)) campaign_warn(l->campaign, "%s", odd.text);
  }
}

static int on_done(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  loop *l = context;
  if (!l->failed) put(l, run, outcome);
  if (l->failed) return -1;
  check_figures(l, run, outcome);
  return 0;
}

/* ------------------------------------------------------------------ with other processes */

/* The owner of the first run that others have, where nothing is left to do here but to wait. */
static int report_waiting(loop *l, const ripstop_run *const *run, const ripstop_claimed *whose, size_t count) {
  ripstop_store_owner owner;
  size_t first = 0;
  while (first < count && whose[first] != RIPSTOP_CLAIM_OTHERS) first++;
  if (first == count || l->grants != l->campaign->progress.done) return 0;
  int found = ripstop_store_holder(l->campaign->store, run[first]->id, &owner, &l->err);
  if (found > 0) progress_waits(&l->progress, &owner);
  return found < 0 ? -1 : 0;
}

/* Runs that another process has stored, or is about to do, are not done here. */
static int on_claim(void *context, const ripstop_run *const *run, size_t count, ripstop_claimed *whose) {
  loop *l = context;
  ripstop_store *store = l->campaign->store;
  keep(l);
  l->alive = ripstop_seconds_now();
  if (l->failed || ripstop_store_claim(store, run, count, l->granted, &l->err)) return -1;
  for (size_t i = 0; i < count; i++) {
    int there = l->granted[i] ? 0 : ripstop_store_has(store, run[i]->id, &l->err);
    if (there < 0) return -1;
    l->grants += l->granted[i];
    whose[i] = l->granted[i] ? RIPSTOP_CLAIM_GRANTED : there == 1 ? RIPSTOP_CLAIM_STORED : RIPSTOP_CLAIM_OTHERS;
    if (there == 1) progress_by_other(&l->progress, run[i]);
  }
  return report_waiting(l, run, whose, count);
}

/* An owner that shows no sign of life for long loses what it has claimed. */
static void stay_alive(loop *l) {
  if (l->failed || ripstop_seconds_now() - l->alive < RIPSTOP_STORE_LEASE_SECONDS / 3.0) return;
  keep(l);
  l->alive = ripstop_seconds_now();
  l->failed |= ripstop_store_renew(l->campaign->store, &l->err) < 0;
}

static void on_tick(void *context) {
  loop *l = context;
  if (ripstop_stopped(l->campaign->settings.stop)) keep(l); /* a launcher that ends ranks does not wait long */
  keep_in_time(l);
  stay_alive(l);
  progress_tick(&l->progress);
}

/* ------------------------------------------------------------------ missing runs */

/* With ranks, where others would wait for the last of them, long runs come first. */
static int find_all(loop *l, ripstop_error *err) {
  const ripstop_campaign *c = l->campaign;
  campaign_todo *t = &l->todo;
  if (campaign_find_todo(l->campaign, t, err)) return -1;
  if (c->settings.ranks) ripstop_long_first(t->known, t->knowns, t->missing, t->count);
  l->checked = RIPSTOP_ARRAY(c->arena, c->spec->figures + 1, bool);
  l->granted = RIPSTOP_ARRAY(c->arena, t->count + 1, bool);
  return 0;
}

/* ------------------------------------------------------------------ before long work */

static void warn_of_network(ripstop_campaign *c) {
  const char *network = ripstop_store_network(c->store);
  if (network)
    campaign_warn(c, "store %s lies on %s: one machine at a time should write to it", c->store_path, network);
}

/* The estimate is a lower bound, and no error: runs that fit are done all the same. */
static void warn_of_memory(const loop *l) {
  const unsigned wanted = l->campaign->settings.workers;
  unsigned at_once = wanted ? wanted : ripstop_team_processors();
  if (at_once > l->todo.count) at_once = (unsigned)l->todo.count;
  const double needed = (double)ripstop_runs_bytes(l->todo.missing, l->todo.count, at_once);
  const double there = (double)ripstop_memory_there(), gibibyte = 1 << 30;
  if (needed > there)
    campaign_warn(l->campaign, "the largest runs need more than %.3g GiB, %u at a time, and %.3g GiB are there; %s",
                  needed / gibibyte, at_once, there / gibibyte,
                  at_once > 1 ? "one worker needs less" : "what does not fit ends as an error");
}

/* Each sentence once, however many runs it is about. */
static void warn_of_runs(const loop *l) {
  RIPSTOP_LOCAL_TEXT(said);
  RIPSTOP_LOCAL_TEXT(text);
  for (size_t i = 0; i < l->todo.count; i++)
    for (uint32_t k = 0; ripstop_run_warning(l->todo.missing[i], k, &text); k++) {
      ripstop_text_add(&text, "\n");
      if (said.data && strstr(said.data, text.data)) continue;
      ripstop_text_add(&said, "%s", text.data);
      campaign_warn(l->campaign, "%.*s", (int)strcspn(text.data, "\n"), text.data);
    }
}

static int prepare(loop *l) {
  if (!l->todo.count) return 0;
  if (ripstop_store_ready(l->campaign->store, &l->err)) return -1;
  warn_of_network(l->campaign);
  warn_of_memory(l);
  warn_of_runs(l);
  return 0;
}

/* ------------------------------------------------------------------ the work */

/* By default a single run has all processors, and each of many runs has a thread. */
static unsigned threads_of_each(const loop *l) {
  const unsigned wanted = l->campaign->settings.threads;
  return wanted ? wanted : l->todo.count == 1 ? ripstop_team_processors() : 1;
}

static int work(loop *l) {
  const ripstop_campaign *c = l->campaign;
  const ripstop_workers workers = {.threads = c->settings.workers,
                                   .inside = c->progress.threads,
                                   .stop = c->settings.stop,
                                   .ranks = c->settings.ranks,
                                   .runs = c->runs,
                                   .claim = on_claim,
                                   .done = on_done,
                                   .tick = on_tick,
                                   .context = l};
  if (prepare(l)) return -1;
  if (!l->todo.count && !c->settings.ranks) return 0; /* other ranks want to know that there is nothing to do */
  int result = ripstop_work(l->todo.missing, l->todo.count, &workers);
  keep(l);
  return l->failed ? -1 : result;
}

static int run_missing(ripstop_campaign *c, ripstop_error *err) {
  const unsigned workers = c->settings.workers;
  loop l = {.campaign = c};
  if (find_all(&l, err)) return -1;
  c->progress.workers = workers ? workers : ripstop_team_processors();
  c->progress.threads = threads_of_each(&l);
  progress_begin(&l.progress, c, &l.todo);
  int result = work(&l);
  if (result < 0) *err = l.err;
  c->progress.awaited = NULL;
  campaign_notify(c, &(ripstop_campaign_event){
                         .kind = RIPSTOP_CAMPAIGN_ENDED, .result = result, .text = result < 0 ? err->text : NULL});
  return result;
}

/* A rank that is not the first. */
static int help(const ripstop_campaign *c) {
  return ripstop_work(
      NULL, 0,
      &(ripstop_workers){
          .threads = c->settings.workers, .stop = c->settings.stop, .ranks = c->settings.ranks, .runs = c->runs});
}

int ripstop_campaign_run(ripstop_campaign *c, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_ranks *ranks = c->settings.ranks;
  c->progress = (ripstop_campaign_progress){.runs = c->owns, .seconds_left = NAN};
  if (c->settings.prove && campaign_prove(c)) return 1;
  return ranks && ripstop_ranks_own(ranks) > 0 ? help(c) : run_missing(c, err);
}
