/* run.c - `ripstop run FILE`: does the runs of an experiment that its store does not have, and shows the tables.
 *
 * Whatever ends it early (Ctrl-C, kill, a full disk), finished runs stay and the same command goes on from there. The
 * store gets them in batches of BATCH_SECONDS at most; kill -9 costs no more than the last one. */
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "cli/pace.h"

enum { WORKERS_MAX = 4096, COSTS_MOST = 4000 };
static const double BATCH_SECONDS = 0.5;
enum { GAP_NANOSECONDS = 3000000 }; /* between two batches, for others who want to write */

/* Who reads what is printed may leave: the runs go on, as they are what this is about. A file that may not become
 * larger is told as a full disk is. */
static void catch_signals(void) {
  ripstop_cli_catch_signals();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* ------------------------------------------------------------------ what comes of it goes into the store */

typedef struct progress {
  cli_experiment *experiment;
  cli_pace pace;
  size_t batch;    /* of the runs done, in the batch that is open */
  double begun;    /* seconds: when it was opened */
  double alive;    /* when the store was told that we are */
  bool *granted;   /* [pace.total] */
  size_t grants;   /* runs that were granted so far */
  bool failed;     /* the store did not keep something; `err` says why */
  bool *checked;   /* [figures] */
  unsigned inside; /* threads that somebody wished for each run; 0 once it is told that there were others */
  ripstop_error err;
} progress;

/* Ends the batch, if there is one. What went wrong first is the reason for what goes wrong then. */
static void keep(progress *p) {
  ripstop_error another;
  if (!p->batch) return;
  if (ripstop_store_commit(p->experiment->store, p->failed ? &another : &p->err)) {
    p->pace.done -= p->batch;
    p->failed = true;
  }
  p->batch = 0;
}

static void keep_in_time(progress *p) {
  if (!p->batch || ripstop_seconds_now() - p->begun < BATCH_SECONDS) return;
  keep(p);
  nanosleep(&(struct timespec){.tv_nsec = GAP_NANOSECONDS}, NULL);
}

static void put(progress *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  ripstop_store *store = p->experiment->store;
  p->failed = !p->batch && ripstop_store_begin(store, &p->err);
  if (!p->batch) p->begun = ripstop_seconds_now();
  p->failed = p->failed || ripstop_store_put(store, run, outcome, &p->err);
  if (p->failed) return;
  p->batch++;
  pace_run(&p->pace, run, outcome);
  keep_in_time(p);
}

/* Nothing is left to do here but to wait for others. */
static bool is_idle(const progress *p) { return p->grants == p->pace.done; }

/* The owner of the first run that others have. */
static int tell_waiting(progress *p, const ripstop_run *const *run, const ripstop_claimed *whose, size_t count) {
  ripstop_store_owner owner;
  size_t first = 0;
  while (first < count && whose[first] != RIPSTOP_CLAIM_OTHERS) first++;
  if (first == count || !is_idle(p)) return 0;
  int found = ripstop_store_holder(p->experiment->store, run[first]->id, &owner, &p->err);
  if (found > 0) pace_waiting(&p->pace, &owner);
  return found < 0 ? -1 : 0;
}

/* What another process that uses the store has stored or is about to do is not done here. */
static int on_claim(void *context, const ripstop_run *const *run, size_t count, ripstop_claimed *whose) {
  progress *p = context;
  ripstop_store *store = p->experiment->store;
  keep(p);
  p->alive = ripstop_seconds_now();
  if (p->failed || ripstop_store_claim(store, run, count, p->granted, &p->err)) return -1;
  for (size_t i = 0; i < count; i++) {
    int there = p->granted[i] ? 0 : ripstop_store_has(store, run[i]->id, &p->err);
    if (there < 0) return -1;
    p->grants += p->granted[i];
    whose[i] = p->granted[i] ? RIPSTOP_CLAIM_GRANTED : there == 1 ? RIPSTOP_CLAIM_STORED : RIPSTOP_CLAIM_OTHERS;
    if (there == 1) pace_other(&p->pace, run[i]);
  }
  return tell_waiting(p, run, whose, count);
}

/* Whoever shows no sign of life for long loses what it has claimed. */
static void stay_alive(progress *p) {
  if (p->failed || ripstop_seconds_now() - p->alive < RIPSTOP_STORE_LEASE_SECONDS / 3.0) return;
  keep(p);
  p->alive = ripstop_seconds_now();
  p->failed |= ripstop_store_renew(p->experiment->store, &p->err) < 0;
}

static void on_tick(void *context) {
  progress *p = context;
  if (ripstop_stopped(&ripstop_cli_stop)) keep(p); /* whoever ends ranks does not wait long */
  keep_in_time(p);
  stay_alive(p);
  pace_tick(&p->pace);
}

/* Whether the figure only divides by this run, and so needs `base` of it but not y: without faults, for example, there
 * are no packets that meet one. */
static bool gives_base_only(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run) {
  const ripstop_filter *relative = figure->relative;
  return relative && figure->base && ripstop_runs_is(runs, relative->setting[0], ripstop_run_asked(run, relative->key));
}

/* A figure's value that no run has would otherwise be found at the very end. */
static void check_figures(progress *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  const ripstop_spec *spec = p->experiment->spec;
  ripstop_data data = {.runs = p->experiment->runs};
  for (size_t i = 0; i < spec->figures && outcome->values; i++) {
    ripstop_error odd;
    const ripstop_figure *figure = &spec->figure[i];
    if (p->checked[i] || !ripstop_figure_shows(data.runs, figure, run, outcome) ||
        gives_base_only(data.runs, figure, run) || !ripstop_run_may_have(run, figure->y))
      continue;
    p->checked[i] = true;
    if (ripstop_figure_check(&data, figure, outcome, &odd))
      pace_clear(&p->pace), fprintf(stderr, "ripstop: note: %s\n", odd.text);
  }
}

static int on_done(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  progress *p = context;
  if (!p->failed) put(p, run, outcome);
  if (p->failed) return -1;
  check_figures(p, run, outcome);
  if (pace_threads(&p->pace, p->inside, outcome)) p->inside = 0;
  return 0;
}

/* ------------------------------------------------------------------ work */

typedef struct todo {
  const ripstop_run **missing; /* the own runs that are not stored, in the experiment's order or the long ones first */
  size_t count;
  ripstop_cost *known; /* what some of the others took */
  size_t knowns;
} todo;

static int find_missing(const cli_experiment *e, todo *t, const ripstop_run **stored, size_t *storeds,
                        ripstop_error *err) {
  size_t doubted = 0;
  const char *first = NULL;
  for (size_t i = 0; i < e->owns; i++) {
    int there = ripstop_store_has(e->store, e->own[i]->id, err);
    if (there < 0) return -1;
    if (there == RIPSTOP_STORE_DOUBTED && !doubted++) first = e->own[i]->id;
    *(there == 1 ? &stored[(*storeds)++] : &t->missing[t->count++]) = e->own[i];
  }
  if (doubted)
    ripstop_cli_say(stderr, "ripstop: note: " CLI_DOUBTED "they are done again\n", e->store_path, doubted, e->owns,
                    first);
  return 0;
}

/* What a sample of the stored runs took, where somebody wants to know. */
static int find_costs(const cli_experiment *e, todo *t, const ripstop_run *const *stored, size_t storeds,
                      ripstop_error *err) {
  size_t step = storeds / COSTS_MOST + 1;
  t->known = RIPSTOP_ARRAY(e->arena, storeds / step + 1, ripstop_cost);
  ripstop_arena *scratch = ripstop_arena_new();
  int status = 0;
  for (size_t i = 0; t->count && i < storeds && status >= 0; i += step) {
    ripstop_outcome outcome;
    status = ripstop_store_get(e->store, stored[i]->id, scratch, &outcome, err);
    if (status == 1) t->known[t->knowns++] = (ripstop_cost){stored[i], outcome.seconds};
    ripstop_arena_clear(scratch);
  }
  ripstop_arena_free(scratch);
  return status < 0 ? -1 : 0;
}

/* With ranks, where somebody else would wait for the last of them, long runs come first. */
static int find_todo(const cli_experiment *e, todo *t, ripstop_error *err) {
  const ripstop_run **stored = RIPSTOP_ARRAY(e->arena, e->owns, const ripstop_run *);
  size_t storeds = 0;
  *t = (todo){.missing = RIPSTOP_ARRAY(e->arena, e->owns, const ripstop_run *)};
  if (find_missing(e, t, stored, &storeds, err) || find_costs(e, t, stored, storeds, err)) return -1;
  if (e->ranks) ripstop_long_first(t->known, t->knowns, t->missing, t->count);
  return 0;
}

/* Where nothing else is said, a single run has all of the machine, of many each has a thread. */
static unsigned threads_inside(const cli_workers *w, const todo *t) {
  if (w->inside) return w->inside;
  return t->count == 1 ? ripstop_team_processors() : 1;
}

static bool is_part(const cli_experiment *e) { return e->shard.of > 1; }

static void tell_network(const cli_experiment *e) {
  const char *network = ripstop_store_network(e->store);
  if (network)
    ripstop_cli_say(stderr, "ripstop: note: store %s lies on %s: one machine at a time should write to it\n",
                    e->store_path, network);
}

/* The estimate is a lower bound, and what is told is no error: runs that fit are done all the same. */
static void tell_memory(const ripstop_run *const *missing, size_t count, unsigned threads) {
  unsigned at_once = threads ? threads : ripstop_team_processors();
  if (at_once > count) at_once = (unsigned)count;
  const double needed = (double)ripstop_runs_bytes(missing, count, at_once), there = (double)ripstop_memory_there();
  const double gibibyte = 1 << 30;
  if (needed <= there) return;
  fprintf(stderr, "ripstop: note: the largest runs need more than %.3g GiB, %u at a time, and %.3g GiB are there; ",
          needed / gibibyte, at_once, there / gibibyte);
  fprintf(stderr, "%s\n", at_once > 1 ? "--workers 1 needs less" : "what does not fit ends as an error");
}

static int end_missing(progress *p, int result) {
  const cli_experiment *e = p->experiment;
  const cli_pace *pace = &p->pace;
  bool failed = result < 0 || p->failed;
  pace_end(&p->pace, failed ? "failed" : result ? "interrupted" : "done", failed ? p->err.text : NULL);
  if (failed) return ripstop_cli_fail(&p->err);
  if (result == 0) return RIPSTOP_EXIT_OK;
  ripstop_cli_say(stderr,
                  "ripstop: interrupted; %zu of %zu runs are kept in %s, and the same command goes on from there\n",
                  pace->stored + pace->done + pace->others, e->owns, e->store_path);
  return CLI_EXIT_INTERRUPTED;
}

static int do_missing(cli_experiment *e, const cli_workers *w, ripstop_error *err) {
  progress p = {.experiment = e, .inside = w->inside};
  todo t;
  if (find_todo(e, &t, err)) return ripstop_cli_fail(err);
  p.checked = RIPSTOP_ARRAY(e->arena, e->spec->figures + 1, bool);
  p.granted = RIPSTOP_ARRAY(e->arena, t.count + 1, bool);
  ripstop_workers workers = {.threads = w->runs,
                             .inside = threads_inside(w, &t),
                             .stop = &ripstop_cli_stop,
                             .ranks = e->ranks,
                             .runs = e->runs,
                             .claim = on_claim,
                             .done = on_done,
                             .tick = on_tick,
                             .context = &p};
  pace_begin(&p.pace, e, t.missing, t.count, t.known, t.knowns, &(cli_workers){w->runs, workers.inside, w->json});
  if (t.count && ripstop_store_ready(e->store, &p.err)) return end_missing(&p, -1);
  if (t.count) tell_network(e);
  if (t.count) tell_memory(t.missing, t.count, w->runs), cli_note_slow_links(t.missing, t.count);
  int result = t.count || e->ranks ? ripstop_work(t.missing, t.count, &workers) : 0; /* other ranks want to hear it */
  keep(&p);
  return end_missing(&p, result);
}

/* How many runs ended with such a verdict; tells it with the first one's reason when there are any. */
static size_t tell_of(const cli_experiment *e, const char *verdict, const char *what) {
  size_t count = 0;
  const char *reason = "";
  for (size_t i = 0; i < e->runs->count; i++)
    if (e->outcome[i] && !strcmp(e->outcome[i]->verdict, verdict)) {
      if (!count++ && e->outcome[i]->reason) reason = e->outcome[i]->reason;
    }
  if (count) fprintf(stderr, "ripstop: %zu of %zu runs %s; the first says: %s\n", count, e->runs->count, what, reason);
  return count;
}

/* A table of some runs would look like one of all. */
static bool are_all_there(const cli_experiment *e) {
  size_t there = 0;
  for (size_t i = 0; i < e->runs->count; i++) there += e->outcome[i] != NULL;
  if (there < e->runs->count)
    ripstop_cli_say(
        stderr,
        "ripstop: part %u of %u is done; %s has %zu of the %zu runs, and tables are printed where all are together\n",
        e->shard.part, e->shard.of, e->store_path, there, e->runs->count);
  return there == e->runs->count;
}

/* A run that failed for want of memory is done again by the same command: it is the machine that failed. */
static int code_of_failures(const cli_experiment *e) {
  for (size_t i = 0; i < e->runs->count; i++)
    if (e->outcome[i] && ripstop_outcome_again(e->outcome[i])) return RIPSTOP_EXIT_MACHINE;
  return RIPSTOP_EXIT_FAILED;
}

static int show(cli_experiment *e, bool json, ripstop_error *err) {
  if (cli_load(e, CLI_LOOK_TABLES, err)) return ripstop_cli_fail(err);
  ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  if ((!is_part(e) || are_all_there(e)) && !json) ripstop_report_text(stdout, &data);
  const size_t impossible = tell_of(e, "does-not-apply", "were not possible");
  if (tell_of(e, "error", "failed")) return code_of_failures(e);
  return impossible == e->runs->count ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

int cli_run(cli_experiment *e, const cli_workers *workers, ripstop_error *err) {
  catch_signals();
  return do_missing(e, workers, err);
}

/* A plan that breaks a rule is told at once, and by the exit code when all else is done. */
static int do_all(cli_experiment *e, const cli_workers *workers, bool paranoid, ripstop_error *err) {
  catch_signals();
  if (e->ranks && ripstop_ranks_own(e->ranks) > 0) return cli_help_ranks(e, workers, paranoid, &ripstop_cli_stop);
  int proved = paranoid ? cli_prove(e, workers->runs, &ripstop_cli_stop) : RIPSTOP_EXIT_OK;
  if (proved == CLI_EXIT_INTERRUPTED) return proved;
  int status = cli_run(e, workers, err);
  if (status == RIPSTOP_EXIT_OK) status = show(e, workers->json, err);
  return status == RIPSTOP_EXIT_OK ? proved : status;
}

/* ------------------------------------------------------------------ the command */

int cli_read_threads(const char *command, const char *flag, const char *text, unsigned *out, ripstop_error *err) {
  uint64_t number;
  *out = 0;
  if (!text) return 0;
  if (ripstop_parse_u64(text, WORKERS_MAX, &number, err)) return ripstop_fail_at(err, "%s: --%s", command, flag);
  *out = (unsigned)number;
  return number ? 0 : ripstop_fail(err, "%s: --%s must be at least 1", command, flag);
}

/* What the command line says of every file. */
typedef struct request {
  const ripstop_variant *variant;
  const char *store;
  ripstop_shard shard;
  const cli_workers *workers;
  bool paranoid, dry, is_part;
} request;

/* What can be known before the first run of one is known before the first run of all. */
static int check_all(const char *const *file, unsigned files, const ripstop_variant *variant, ripstop_error *err) {
  for (unsigned i = 0; i < files; i++) {
    cli_experiment e;
    if (!strcmp(file[i], "-")) return ripstop_fail(err, "run: standard input goes alone");
    int status = cli_open_runs(&e, file[i], variant, err);
    cli_close(&e);
    if (status) return status;
  }
  return 0;
}

static int run_file(const char *file, const request *w, bool several) {
  ripstop_error err = {0};
  ripstop_ranks *ranks = NULL;
  int status = RIPSTOP_CLI_GO_ON;
  if (!w->is_part && !w->dry && ripstop_ranks_open(&ranks, &err))
    return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  cli_experiment e;
  if (ranks && several) {
    ripstop_fail(&err, "run: several processes do the runs of one file at a time");
    status = ripstop_cli_fail(&err);
    ripstop_ranks_end(ranks, status);
    return status;
  }
  if (ranks)
    status = cli_open_ranks(&e, ranks, file, w->variant, w->store, w->paranoid ? 2 : 1, &err);
  else if (cli_open_part(&e, file, w->variant, w->store, w->shard, w->dry, &err))
    status = ripstop_cli_fail(&err);
  if (status == RIPSTOP_CLI_GO_ON)
    status = w->dry ? cli_dry_run(&e, w->workers, &err) : do_all(&e, w->workers, w->paranoid, &err);
  if (status == RIPSTOP_EXIT_OK)
    status = cli_end(&e);
  else
    cli_close(&e);
  ripstop_ranks_end(ranks, status);
  return status;
}

int ripstop_cmd_run(int argc, char **argv) {
  bool paranoid = false, dry = false;
  cli_variant given = {0};
  cli_workers workers = {0};
  ripstop_variant variant;
  const char *store = NULL, *runs = NULL, *inside = NULL, *part = NULL, *file[CLI_FILES_MOST] = {NULL};
  unsigned files = 0;
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "Take the values of the file's 'quick:' section.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "store", .value = "DB", .help = "Keep the runs here instead of out/NAME.db.", .text = &store},
      {.name = "workers", .value = "N", .help = "Do N runs at a time; default: one for each processor.", .text = &runs},
      {.name = "threads",
       .value = "N",
       .help = "Let up to N threads work on each run; default: 1, on a single run all processors.",
       .text = &inside},
      {.name = "shard",
       .value = "I/N",
       .help = "Do the runs of the I-th of N parts alone, into out/NAME.I-of-N.db (docs/experiments.md).",
       .text = &part},
      {.name = "json",
       .help = "Print events, a JSON object a line, instead of the tables or of what --dry-run says.",
       .given = &workers.json},
      {.name = "dry-run", .help = "Tell what the runs would cost, and do nothing.", .given = &dry},
      {.name = "paranoid", .help = "Prove the plans of all runs first (docs/prove.md).", .given = &paranoid},
      {0},
  };
  const ripstop_usage usage = {
      .command = "run",
      .arguments = "FILE...",
      .summary = "Does the runs of experiments that are not stored yet, and prints their tables. - is standard input.",
      .at_least = 1,
      .at_most = CLI_FILES_MOST,
      .flags = flags};
  ripstop_shard shard = cli_whole;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, file, &files);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (cli_read_threads("run", "workers", runs, &workers.runs, &err) ||
      cli_read_threads("run", "threads", inside, &workers.inside, &err) ||
      cli_read_variant("run", &given, &variant, &err) ||
      (part && cli_read_shard("run", part, &shard.part, &shard.of, &err)))
    return ripstop_cli_fail(&err);
  const request wanted = {&variant, store, shard, &workers, paranoid, dry, part != NULL};
  if (files > 1 && check_all(file, files, &variant, &err)) return ripstop_cli_fail(&err);
  status = RIPSTOP_EXIT_OK;
  for (unsigned i = 0; i < files && status != CLI_EXIT_INTERRUPTED; i++) {
    if (i && !workers.json) printf("\n");
    int own = run_file(file[i], &wanted, files > 1);
    if (own > status) status = own;
  }
  return status;
}
