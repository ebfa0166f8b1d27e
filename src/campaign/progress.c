/* progress.c - how far a campaign is.
 *
 * What is left is judged by cost, not by the number of runs: those with a high load come last in many experiments and
 * take longest. Costs are guessed from the store's history and from what is done (cost.c), again and again, but for no
 * more than GUESS_SHARE of the time; the clock says how fast guessed costs are worked off, by however many workers. */
#include "campaign/progress.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "campaign/ranks.h"

enum { KNOWN_MOST = 4096 }; /* costs that guesses rest on */
static const double GUESS_SHARE = 0.01, WAIT_SECONDS = 3;

/* ------------------------------------------------------------------ costs */

static void guess(progress *p) {
  progress_costs *c = &p->costs;
  const size_t count = p->campaign->progress.to_do;
  const double now = ripstop_seconds_now();
  bool guessed = ripstop_guess_costs(c->known, c->knowns, p->missing, count, c->guess) == 0;
  c->fresh = false;
  c->done = c->left = 0;
  for (size_t i = 0; i < count; i++) *(c->over[i] ? &c->done : &c->left) += c->guess[i].seconds;
  c->based = guessed && count && c->guess[0].by > RIPSTOP_GUESS_ASSUMED;
  c->guessed = ripstop_seconds_now();
  c->took = c->guessed - now;
}

static void open_costs(progress *p, const campaign_todo *todo) {
  const size_t count = todo->count, knowns = todo->knowns;
  const ripstop_runs *runs = p->campaign->runs;
  ripstop_arena *arena = p->campaign->arena;
  progress_costs *c = &p->costs;
  *c = (progress_costs){.knowns = knowns < KNOWN_MOST ? knowns : KNOWN_MOST, .skip = 1};
  c->known = RIPSTOP_ARRAY(arena, KNOWN_MOST, ripstop_cost);
  c->place = RIPSTOP_ARRAY(arena, runs->count, uint32_t);
  c->over = RIPSTOP_ARRAY(arena, count + 1, bool);
  c->guess = RIPSTOP_ARRAY(arena, count + 1, ripstop_guess);
  memcpy(c->known, todo->known, c->knowns * sizeof *c->known);
  for (size_t i = 0; i < count; i++) c->place[p->missing[i] - runs->run] = (uint32_t)i;
  if (knowns) guess(p);
}

static void leave_out_every_second(progress_costs *c) {
  for (size_t i = 0; 2 * i < c->knowns; i++) c->known[i] = c->known[2 * i];
  c->knowns = (c->knowns + 1) / 2;
  c->skip *= 2;
}

static void learn(progress_costs *c, const ripstop_run *run, double seconds) {
  if (c->seen++ % c->skip) return;
  if (c->knowns == KNOWN_MOST) leave_out_every_second(c);
  c->known[c->knowns++] = (ripstop_cost){run, seconds};
  c->fresh = true;
}

static void strike(progress *p, const ripstop_run *run) {
  progress_costs *c = &p->costs;
  size_t at = c->place[run - p->campaign->runs->run];
  if (c->over[at]) return;
  c->over[at] = true;
  c->done += c->guess[at].seconds;
  c->left -= c->guess[at].seconds;
}

static void guess_in_time(progress *p) {
  const progress_costs *c = &p->costs;
  if (c->fresh && c->took <= GUESS_SHARE * (ripstop_seconds_now() - c->guessed)) guess(p);
}

static double seconds_left(const progress *p) {
  const progress_costs *c = &p->costs;
  const double passed = ripstop_seconds_now() - p->campaign->began, left = c->left > 0 ? c->left : 0;
  if (c->based && c->done > 0) return left * passed / c->done;
  return c->based ? left / p->campaign->progress.workers : (double)NAN;
}

/* ------------------------------------------------------------------ events */

static void notify(progress *p, ripstop_campaign_event_kind kind) {
  campaign_notify(p->campaign, &(ripstop_campaign_event){.kind = kind});
}

void progress_begin(progress *p, ripstop_campaign *c, const campaign_todo *todo) {
  ripstop_campaign_progress *now = &c->progress;
  const size_t count = todo->count;
  *p = (progress){.campaign = c, .missing = todo->missing};
  c->began = p->reported = ripstop_seconds_now();
  now->to_do = count, now->stored = now->runs - count;
  if (now->workers > count && count) now->workers = (unsigned)count;
  open_costs(p, todo);
  notify(p, RIPSTOP_CAMPAIGN_STARTED);
}

void progress_ran(progress *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  ripstop_campaign_progress *now = &p->campaign->progress;
  const ripstop_value *goal = ripstop_outcome_value(outcome, "precision.reached");
  now->done++;
  if (goal) goal->value > 0 ? now->precise++ : now->imprecise++;
  for (size_t i = 0; ripstop_outcome_words[i]; i++)
    now->verdict[i] += !strcmp(ripstop_outcome_words[i], outcome->verdict);
  learn(&p->costs, run, outcome->seconds);
  strike(p, run);
  campaign_notify(p->campaign, &(ripstop_campaign_event){.kind = RIPSTOP_CAMPAIGN_RAN, .run = run, .outcome = outcome});
}

void progress_by_other(progress *p, const ripstop_run *run) {
  p->campaign->progress.others++;
  strike(p, run);
}

void progress_waits(progress *p, const ripstop_store_owner *owner) {
  p->waited = ripstop_seconds_now();
  p->campaign->awaited = *owner;
  p->campaign->progress.awaited = &p->campaign->awaited;
  notify(p, RIPSTOP_CAMPAIGN_WAITS);
}

void progress_tick(progress *p) {
  const ripstop_campaign *c = p->campaign;
  ripstop_campaign_progress *now = &p->campaign->progress;
  const double time = ripstop_seconds_now();
  if (now->done + now->others >= now->to_do || time - p->reported < c->settings.every) return;
  p->reported = time;
  guess_in_time(p);
  now->seconds_left = seconds_left(p);
  now->busy = c->settings.ranks ? ranks_busy(c->settings.ranks) : 0;
  if (time - p->waited >= WAIT_SECONDS) now->awaited = NULL;
  notify(p, RIPSTOP_CAMPAIGN_GOES_ON);
}
