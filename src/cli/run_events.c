/* run_events.c - the line of `ripstop run`, and the events of `ripstop run --json` (run_events.h). */
#include "cli/run_events.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/json.h"

static const double EVENT_SECONDS = 1, SPARSE_SECONDS = 30; /* between two events; between two lines in a file */

/* ------------------------------------------------------------------ for people */

static void print_duration(double seconds) {
  long whole = (long)(seconds + 0.5);
  if (whole >= 3600)
    fprintf(stderr, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    fprintf(stderr, "%ld:%02ld", whole / 60, whole % 60);
}

bool cli_note_threads(const cli_meter *meter, unsigned wanted, const ripstop_outcome *outcome) {
  if (!wanted || !outcome->threads || outcome->threads == wanted) return false;
  if (meter) cli_meter_clear(meter);
  fprintf(stderr,
          "ripstop: note: of %u threads %u worked on the run: it is too small for more, or the system gave no more\n",
          wanted, outcome->threads);
  return true;
}

static void print_start(const ripstop_campaign *c) {
  const ripstop_campaign_settings *s = ripstop_campaign_settings_of(c);
  const ripstop_campaign_progress *p = ripstop_campaign_state(c);
  ripstop_cli_say(stderr, "%s: ", ripstop_campaign_runs(c)->spec->file);
  if (s->ranks) fprintf(stderr, "on %u ranks: ", ripstop_ranks_count(s->ranks));
  if (s->shard.of > 1) fprintf(stderr, "part %u of %u: ", s->shard.part, s->shard.of);
  ripstop_cli_say(stderr, "%zu runs, %zu of them in %s already\n", p->runs, p->stored, ripstop_campaign_store_path(c));
}

static void print_time(const ripstop_campaign_progress *p, bool last) {
  const size_t over = p->done + p->others;
  if (over && p->seconds > 0) fprintf(stderr, ", %.3g/s", (double)over / p->seconds);
  if (!last && isnan(p->seconds_left)) return;
  fputs(", ", stderr);
  print_duration(last ? p->seconds : p->seconds_left);
  fputs(last ? " in all" : " left", stderr);
}

static const char *host_of(const ripstop_store_owner *o) { return *o->host ? o->host : "an unknown host"; }

/* One line that is rewritten on a terminal; elsewhere a line now and then. */
static void print_line(const ripstop_campaign *c, bool last) {
  const ripstop_ranks *ranks = ripstop_campaign_settings_of(c)->ranks;
  const ripstop_campaign_progress *p = ripstop_campaign_state(c);
  const ripstop_store_owner *o = p->awaited;
  fprintf(stderr, "%zu/%zu runs", p->done + p->others, p->to_do);
  if (p->others) fprintf(stderr, ", %zu of them by others", p->others);
  print_time(p, last);
  if (!last && o) ripstop_cli_say(stderr, ", waiting for process %lld on %s", (long long)o->process, host_of(o));
  if (ranks && !last) fprintf(stderr, ", %u of %u ranks busy", p->busy, ripstop_ranks_count(ranks));
  if (p->precise + p->imprecise)
    fprintf(stderr, ", precision reached by %zu of %zu", p->precise, p->precise + p->imprecise);
}

/* A time of day, this many seconds from now. */
static void format_time(char out[16], double ahead) {
  struct timespec now;
  struct tm local;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += (time_t)ahead;
  if (!localtime_r(&now.tv_sec, &local) || !strftime(out, 16, "%H:%M:%S", &local)) *out = 0;
}

static void print_waiting(const ripstop_store_owner *o) {
  char since[16], until[16];
  format_time(since, -o->silent);
  format_time(until, o->left);
  ripstop_cli_say(stderr,
                  "ripstop: waiting for %llu run%s of process %lld on %s: last sign of life seen at %s, taken over at "
                  "%s without another one\n",
                  (unsigned long long)o->runs, o->runs == 1 ? "" : "s", (long long)o->process, host_of(o), since,
                  until);
}

/* ------------------------------------------------------------------ for programs */

typedef json_int_t number;

/* Another event of this kind; `more`: what it has beside the time. */
static void send(const char *kind, const ripstop_campaign_progress *p, json_t *more) {
  json_t *event = json_pack("{s:s, s:f}", "event", kind, "seconds", p->seconds);
  json_object_update_new(event, more);
  ripstop_cli_json_print(event);
}

static json_t *text(const char *of) { return ripstop_json_text(of); }

static void send_start(const ripstop_campaign *c) {
  const ripstop_campaign_settings *s = ripstop_campaign_settings_of(c);
  const ripstop_campaign_progress *p = ripstop_campaign_state(c);
  json_t *more =
      json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "file", text(ripstop_campaign_runs(c)->spec->file), "store",
                text(ripstop_campaign_store_path(c)), "runs", (number)p->runs, "stored", (number)p->stored, "to_do",
                (number)p->to_do, s->ranks ? "ranks" : "workers",
                (number)(s->ranks ? ripstop_ranks_count(s->ranks) : p->workers), "threads", (number)p->threads);
  if (s->shard.of > 1)
    json_object_update_new(more, json_pack("{s:I, s:I}", "part", (number)s->shard.part, "parts", (number)s->shard.of));
  send("start", p, more);
}

static json_t *counts(const ripstop_campaign_progress *p) {
  const double rate = p->seconds > 0 ? (double)(p->done + p->others) / p->seconds : 0;
  json_t *out = json_pack("{s:I, s:I, s:I, s:f}", "done", (number)p->done, "by_others", (number)p->others, "to_do",
                          (number)p->to_do, "runs_per_second", rate);
  if (p->precise + p->imprecise)
    json_object_update_new(out,
                           json_pack("{s:I, s:I}", "precise", (number)p->precise, "not_precise", (number)p->imprecise));
  return out;
}

static void send_progress(const ripstop_campaign *c) {
  const ripstop_campaign_progress *p = ripstop_campaign_state(c);
  json_t *more = counts(p);
  if (!isnan(p->seconds_left)) json_object_set_new(more, "seconds_left", json_real(p->seconds_left));
  if (ripstop_campaign_settings_of(c)->ranks) json_object_set_new(more, "ranks_busy", json_integer(p->busy));
  send("progress", p, more);
  ripstop_cli_flush();
}

static void send_waiting(const ripstop_campaign_progress *p) {
  const ripstop_store_owner *o = p->awaited;
  send("waiting", p,
       json_pack("{s:o, s:I, s:I, s:f, s:f}", "host", text(o->host), "process", (number)o->process, "runs",
                 (number)o->runs, "silent", o->silent, "left", o->left));
  ripstop_cli_flush();
}

static void send_run(const ripstop_campaign_event *e) {
  const ripstop_outcome *o = e->outcome;
  const ripstop_value *goal = ripstop_outcome_value(o, "precision.reached");
  send("run", e->progress,
       json_pack("{s:s, s:s, s:o*, s:f, s:o*}", "run", e->run->id, "verdict", o->verdict, "reason",
                 o->reason ? text(o->reason) : NULL, "cost", o->seconds, "precise",
                 goal ? json_boolean(goal->value > 0) : NULL));
}

static void send_end(const ripstop_campaign_progress *p, const char *word, const char *why) {
  json_t *verdicts = json_object();
  for (size_t i = 0; ripstop_outcome_words[i]; i++)
    if (p->verdict[i]) json_object_set_new(verdicts, ripstop_outcome_words[i], json_integer((number)p->verdict[i]));
  json_t *more = json_pack("{s:s, s:o*}", "result", word, "error", why ? text(why) : NULL);
  json_object_update_new(more, counts(p));
  json_object_update_new(more, json_pack("{s:I, s:I, s:o}", "runs", (number)p->runs, "stored",
                                         (number)(p->stored + p->done + p->others), "verdicts", verdicts));
  send("end", p, more);
  ripstop_cli_flush();
}

/* ------------------------------------------------------------------ events */

static void clear(const cli_run_events *r) {
  if (!r->json) cli_meter_clear(&r->meter);
}

static void print_progress(cli_run_events *r, const ripstop_campaign *c, bool last) {
  if (!cli_meter_is_due(&r->meter, true)) return;
  print_line(c, last);
  cli_meter_printed(&r->meter);
  if (last) cli_meter_end(&r->meter, true);
}

/* At once for another owner, and now and then. */
static void on_wait(cli_run_events *r, const ripstop_campaign_progress *p) {
  const double now = cli_meter_seconds(&r->meter);
  const bool other = p->awaited->owner != r->owner;
  if (!other && now - r->named < (r->json ? EVENT_SECONDS : SPARSE_SECONDS)) return;
  r->owner = p->awaited->owner, r->named = now;
  clear(r);
  if (r->json)
    send_waiting(p);
  else
    print_waiting(p->awaited);
}

static void on_run(cli_run_events *r, const ripstop_campaign_event *e) {
  if (r->json) send_run(e);
  if (cli_note_threads(r->json ? NULL : &r->meter, r->wanted, e->outcome)) r->wanted = 0;
}

static void on_end(cli_run_events *r, const ripstop_campaign_event *e) {
  const ripstop_campaign_progress *p = e->progress;
  if (r->json)
    send_end(p, e->result < 0 ? "failed" : e->result ? "interrupted" : "done", e->text);
  else if (e->text ? p->done + p->others : p->to_do)
    print_progress(r, e->campaign, true);
  if (e->result > 0)
    ripstop_cli_say(stderr,
                    "ripstop: interrupted; %zu of %zu runs are kept in %s, and the same command goes on from there\n",
                    p->stored + p->done + p->others, p->runs, ripstop_campaign_store_path(e->campaign));
}

/* Runs go on when the reader of the output leaves: they are worth more. A file that may not become larger is reported
 * as a full disk is. */
static void catch_signals(void) {
  ripstop_cli_catch_signals();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

static void on_event(void *context, const ripstop_campaign_event *e) {
  cli_run_events *r = context;
  switch (e->kind) {
  case RIPSTOP_CAMPAIGN_STARTED:
    catch_signals();
    r->owner = 0;
    (r->json ? send_start : print_start)(e->campaign);
    break;
  case RIPSTOP_CAMPAIGN_GOES_ON:
    if (r->json)
      send_progress(e->campaign);
    else
      print_progress(r, e->campaign, false);
    break;
  case RIPSTOP_CAMPAIGN_WAITS:
    on_wait(r, e->progress);
    break;
  case RIPSTOP_CAMPAIGN_RAN:
    on_run(r, e);
    break;
  case RIPSTOP_CAMPAIGN_WARNS:
    clear(r);
    ripstop_cli_say(stderr, "ripstop: note: %s\n", e->text);
    break;
  case RIPSTOP_CAMPAIGN_ENDED:
    on_end(r, e);
    break;
  case RIPSTOP_CAMPAIGN_PROVED:
    ripstop_cli_say(stderr, "ripstop: %s\n", e->text);
    break;
  }
}

/* ------------------------------------------------------------------ the campaign */

void cli_print_events(cli_run_events *r, bool json, ripstop_campaign_settings *settings) {
  *r = (cli_run_events){.meter = cli_meter_begin(0, SPARSE_SECONDS), .json = json, .wanted = settings->threads};
  settings->every = json ? EVENT_SECONDS : r->meter.quiet;
  settings->stop = &ripstop_cli_stop;
  settings->progress = on_event, settings->context = r;
}

int cli_run_campaign(ripstop_campaign *c, ripstop_error *err) {
  catch_signals();
  const int result = ripstop_campaign_run(c, err);
  return result < 0 ? ripstop_cli_fail(err) : result ? CLI_EXIT_INTERRUPTED : RIPSTOP_EXIT_OK;
}
