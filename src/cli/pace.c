/* pace.c - how far a campaign is.
 *
 * What is left is judged by cost, not by the number of runs: those with a high load come last in many experiments and
 * take longest. Costs are guessed from the store's history and from what is done (campaign/cost.c), again and again,
 * but for no more than GUESS_SHARE of the time; the clock says how fast guessed costs are worked off, by however many.
 */
#include "cli/pace.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/team.h"
#include "cli/json.h"

enum { KNOWN_MOST = 4096 }; /* costs that guesses rest on */
static const double GUESS_SHARE = 0.01, EVENT_SECONDS = 1, SPARSE_SECONDS = 30, WAIT_SECONDS = 3;

/* ------------------------------------------------------------------ costs */

static void guess(cli_pace *p) {
  pace_costs *c = &p->costs;
  double now = ripstop_seconds_now();
  bool guessed = ripstop_guess_costs(c->known, c->knowns, p->missing, p->total, c->guess) == 0;
  c->fresh = false;
  c->done = c->left = 0;
  for (size_t i = 0; i < p->total; i++) *(c->over[i] ? &c->done : &c->left) += c->guess[i].seconds;
  c->told = guessed && p->total && c->guess[0].by > RIPSTOP_GUESS_ASSUMED;
  c->guessed = ripstop_seconds_now();
  c->took = c->guessed - now;
}

static void open_costs(cli_pace *p, const ripstop_cost *known, size_t knowns) {
  const cli_experiment *e = p->experiment;
  pace_costs *c = &p->costs;
  *c = (pace_costs){.knowns = knowns < KNOWN_MOST ? knowns : KNOWN_MOST, .skip = 1};
  c->known = RIPSTOP_ARRAY(e->arena, KNOWN_MOST, ripstop_cost);
  c->place = RIPSTOP_ARRAY(e->arena, e->runs->count, uint32_t);
  c->over = RIPSTOP_ARRAY(e->arena, p->total + 1, bool);
  c->guess = RIPSTOP_ARRAY(e->arena, p->total + 1, ripstop_guess);
  memcpy(c->known, known, c->knowns * sizeof *known);
  for (size_t i = 0; i < p->total; i++) c->place[p->missing[i] - e->runs->run] = (uint32_t)i;
  if (knowns) guess(p);
}

static void leave_out_every_second(pace_costs *c) {
  for (size_t i = 0; 2 * i < c->knowns; i++) c->known[i] = c->known[2 * i];
  c->knowns = (c->knowns + 1) / 2;
  c->skip *= 2;
}

static void learn(pace_costs *c, const ripstop_run *run, double seconds) {
  if (c->seen++ % c->skip) return;
  if (c->knowns == KNOWN_MOST) leave_out_every_second(c);
  c->known[c->knowns++] = (ripstop_cost){run, seconds};
  c->fresh = true;
}

static void strike(cli_pace *p, const ripstop_run *run) {
  pace_costs *c = &p->costs;
  size_t at = c->place[run - p->experiment->runs->run];
  if (c->over[at]) return;
  c->over[at] = true;
  c->done += c->guess[at].seconds;
  c->left -= c->guess[at].seconds;
}

static void guess_in_time(cli_pace *p) {
  const pace_costs *c = &p->costs;
  if (c->fresh && c->took <= GUESS_SHARE * (ripstop_seconds_now() - c->guessed)) guess(p);
}

/* Seconds by the clock; NAN: nobody knows. */
static double seconds_left(const cli_pace *p) {
  const pace_costs *c = &p->costs;
  double passed = ripstop_seconds_now() - p->started, left = c->left > 0 ? c->left : 0;
  if (c->told && c->done > 0) return left * passed / c->done;
  return c->told ? left / p->workers : (double)NAN;
}

/* ------------------------------------------------------------------ for people */

static void print_duration(double seconds) {
  long whole = (long)(seconds + 0.5);
  if (whole >= 3600)
    fprintf(stderr, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    fprintf(stderr, "%ld:%02ld", whole / 60, whole % 60);
}

void pace_clear(const cli_pace *p) {
  if (p->terminal && !p->json) fputs("\r\033[K", stderr);
}

bool pace_threads(const cli_pace *p, unsigned wished, const ripstop_outcome *outcome) {
  if (!wished || !outcome->threads || outcome->threads == wished) return false;
  if (p) pace_clear(p);
  fprintf(stderr,
          "ripstop: note: of %u threads %u worked on the run: it is too small for more, or the system gave no more\n",
          wished, outcome->threads);
  return true;
}

static void print_begin(const cli_pace *p) {
  const cli_experiment *e = p->experiment;
  ripstop_cli_say(stderr, "%s: ", e->spec->file);
  if (e->ranks) fprintf(stderr, "on %u ranks: ", ripstop_ranks_count(e->ranks));
  if (e->shard.of > 1) fprintf(stderr, "part %u of %u: ", e->shard.part, e->shard.of);
  ripstop_cli_say(stderr, "%zu runs, %zu of them in %s already\n", e->owns, p->stored, e->store_path);
}

static void print_time(const cli_pace *p, bool last) {
  double passed = ripstop_seconds_now() - p->started, left = seconds_left(p);
  size_t over = p->done + p->others;
  if (over && passed > 0) fprintf(stderr, ", %.3g/s", (double)over / passed);
  if (!last && isnan(left)) return;
  fputs(", ", stderr);
  print_duration(last ? passed : left);
  fputs(last ? " in all" : " left", stderr);
}

static bool is_waiting(const cli_pace *p) {
  return p->awaited.owner && ripstop_seconds_now() - p->waited < WAIT_SECONDS;
}

static void print_awaited(const cli_pace *p) {
  const ripstop_store_owner *o = &p->awaited;
  ripstop_cli_say(stderr, ", waiting for process %lld on %s", (long long)o->process,
                  *o->host ? o->host : "an unknown host");
}

/* A time of day, this many seconds from now. */
static void format_time(char out[16], double ahead) {
  struct timespec now;
  struct tm local;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += (time_t)ahead;
  if (!localtime_r(&now.tv_sec, &local) || !strftime(out, 16, "%H:%M:%S", &local)) *out = 0;
}

static void print_waiting(const cli_pace *p) {
  const ripstop_store_owner *o = &p->awaited;
  char since[16], until[16];
  format_time(since, -o->silent);
  format_time(until, o->left);
  pace_clear(p);
  ripstop_cli_say(stderr,
                  "ripstop: waiting for %llu run%s of process %lld on %s: last sign of life seen at %s, taken over at "
                  "%s without another one\n",
                  (unsigned long long)o->runs, o->runs == 1 ? "" : "s", (long long)o->process,
                  *o->host ? o->host : "an unknown host", since, until);
}

/* One line that renews itself on a terminal; elsewhere a line now and then. */
static void print_line(const cli_pace *p, bool last) {
  const ripstop_ranks *ranks = p->experiment->ranks;
  pace_clear(p);
  fprintf(stderr, "%zu/%zu runs", p->done + p->others, p->total);
  if (p->others) fprintf(stderr, ", %zu of them by others", p->others);
  print_time(p, last);
  if (!last && is_waiting(p)) print_awaited(p);
  if (ranks && !last) fprintf(stderr, ", %u of %u ranks busy", ripstop_ranks_busy(ranks), ripstop_ranks_count(ranks));
  if (p->reached + p->short_) fprintf(stderr, ", precision reached by %zu of %zu", p->reached, p->reached + p->short_);
  if (!p->terminal || last) fputc('\n', stderr);
  fflush(stderr);
}

/* ------------------------------------------------------------------ for programs */

static json_t *event(const cli_pace *p, const char *word) {
  return json_pack("{s:s, s:f}", "event", word, "seconds", ripstop_seconds_now() - p->started);
}

static void set(json_t *event, const char *key, size_t number) {
  json_object_set_new(event, key, json_integer((json_int_t)number));
}

static void send_begin(const cli_pace *p, const cli_workers *workers) {
  const cli_experiment *e = p->experiment;
  json_t *start = event(p, "start");
  json_object_set_new(start, "file", ripstop_cli_json_text(e->spec->file));
  json_object_set_new(start, "store", ripstop_cli_json_text(e->store_path));
  set(start, "runs", e->owns);
  set(start, "stored", p->stored);
  set(start, "to_do", p->total);
  if (e->ranks)
    set(start, "ranks", ripstop_ranks_count(e->ranks));
  else
    set(start, "workers", p->workers);
  set(start, "threads", workers->inside ? workers->inside : 1);
  if (e->shard.of > 1) set(start, "part", e->shard.part), set(start, "parts", e->shard.of);
  ripstop_cli_json_print(start);
}

static void add_counts(const cli_pace *p, json_t *to) {
  double passed = ripstop_seconds_now() - p->started;
  set(to, "done", p->done);
  set(to, "by_others", p->others);
  set(to, "to_do", p->total);
  json_object_set_new(to, "runs_per_second", json_real(passed > 0 ? (double)(p->done + p->others) / passed : 0));
  if (p->reached + p->short_) set(to, "precise", p->reached), set(to, "not_precise", p->short_);
}

static void send_progress(const cli_pace *p) {
  json_t *progress = event(p, "progress");
  double left = seconds_left(p);
  add_counts(p, progress);
  if (!isnan(left)) json_object_set_new(progress, "seconds_left", json_real(left));
  if (p->experiment->ranks) set(progress, "ranks_busy", ripstop_ranks_busy(p->experiment->ranks));
  ripstop_cli_json_print(progress);
  ripstop_cli_flush();
}

static void send_waiting(const cli_pace *p) {
  const ripstop_store_owner *o = &p->awaited;
  json_t *waiting = event(p, "waiting");
  json_object_set_new(waiting, "host", ripstop_cli_json_text(o->host));
  json_object_set_new(waiting, "process", json_integer(o->process));
  set(waiting, "runs", o->runs);
  json_object_set_new(waiting, "silent", json_real(o->silent));
  json_object_set_new(waiting, "left", json_real(o->left));
  ripstop_cli_json_print(waiting);
  ripstop_cli_flush();
}

static void send_run(const cli_pace *p, const ripstop_run *run, const ripstop_outcome *o, const ripstop_value *goal) {
  json_t *ended = event(p, "run");
  json_object_set_new(ended, "run", json_string(run->id));
  json_object_set_new(ended, "verdict", json_string(o->verdict));
  if (o->reason) json_object_set_new(ended, "reason", ripstop_cli_json_text(o->reason));
  json_object_set_new(ended, "cost", json_real(o->seconds));
  if (goal) json_object_set_new(ended, "precise", json_boolean(goal->value > 0));
  ripstop_cli_json_print(ended);
}

static void send_end(const cli_pace *p, const char *word, const char *why) {
  json_t *end = event(p, "end"), *verdicts = json_object();
  json_object_set_new(end, "result", json_string(word));
  if (why) json_object_set_new(end, "error", ripstop_cli_json_text(why));
  add_counts(p, end);
  set(end, "runs", p->experiment->owns);
  set(end, "stored", p->stored + p->done + p->others);
  for (size_t i = 0; ripstop_outcome_words[i]; i++)
    if (p->verdict[i]) set(verdicts, ripstop_outcome_words[i], p->verdict[i]);
  json_object_set_new(end, "verdicts", verdicts);
  ripstop_cli_json_print(end);
  ripstop_cli_flush();
}

/* ------------------------------------------------------------------ the campaign */

void pace_begin(cli_pace *p, const cli_experiment *e, const ripstop_run *const *missing, size_t total,
                const ripstop_cost *known, size_t knowns, const cli_workers *workers) {
  *p = (cli_pace){.experiment = e,
                  .missing = missing,
                  .total = total,
                  .stored = e->owns - total,
                  .workers = workers->runs ? workers->runs : ripstop_team_processors(),
                  .json = workers->json,
                  .terminal = isatty(STDERR_FILENO)};
  if (p->workers > total && total) p->workers = (unsigned)total;
  p->started = p->told = ripstop_seconds_now();
  open_costs(p, known, knowns);
  if (p->json)
    send_begin(p, workers);
  else
    print_begin(p);
}

void pace_other(cli_pace *p, const ripstop_run *run) {
  p->others++;
  strike(p, run);
}

/* Said at once for another owner, and now and then. */
void pace_waiting(cli_pace *p, const ripstop_store_owner *owner) {
  const bool other = owner->owner != p->awaited.owner;
  p->awaited = *owner;
  p->waited = ripstop_seconds_now();
  if (!other && p->waited - p->named < (p->json ? EVENT_SECONDS : SPARSE_SECONDS)) return;
  p->named = p->waited;
  (p->json ? send_waiting : print_waiting)(p);
}

void pace_run(cli_pace *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  const ripstop_value *goal = NULL;
  for (size_t i = 0; i < outcome->values; i++)
    if (!strcmp(outcome->value[i].name, "precision.reached")) goal = &outcome->value[i];
  p->done++;
  if (goal) goal->value > 0 ? p->reached++ : p->short_++;
  for (size_t i = 0; ripstop_outcome_words[i]; i++)
    p->verdict[i] += !strcmp(ripstop_outcome_words[i], outcome->verdict);
  learn(&p->costs, run, outcome->seconds);
  strike(p, run);
  if (p->json) send_run(p, run, outcome, goal);
}

void pace_tick(cli_pace *p) {
  double quiet = p->json ? EVENT_SECONDS : p->terminal ? 0 : SPARSE_SECONDS;
  if (p->done + p->others >= p->total) return;
  if (ripstop_seconds_now() - p->told < quiet) return;
  p->told = ripstop_seconds_now();
  guess_in_time(p);
  if (p->json)
    send_progress(p);
  else
    print_line(p, false);
}

void pace_end(cli_pace *p, const char *word, const char *why) {
  if (p->json)
    send_end(p, word, why);
  else if (why ? p->done + p->others : p->total)
    print_line(p, true);
}
