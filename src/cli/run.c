/* run.c - `ripstop run FILE`: does the runs of an experiment that its store does not have, and shows the tables.
 *
 * Whatever ends it early (Ctrl-C, kill, a full disk), finished runs stay and the same command goes on from there. The
 * store gets them in batches of BATCH_SECONDS at most; kill -9 costs no more than the last one. */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/team.h"
#include "cli/cli.h"
#include "cli/experiment.h"

enum { WORKERS_MAX = 4096, COSTS_MOST = 4000, SPARSE_SECONDS = 30 };
static const double BATCH_SECONDS = 0.5;
enum { GAP_NANOSECONDS = 3000000 }; /* between two batches, for others who want to write */

/* Who reads what is printed may leave: the runs go on, as they are what this is about. A file that may not become
 * larger is told as a full disk is. */
static void catch_signals(void) {
  ripstop_cli_catch_signals();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* ------------------------------------------------------------------ progress */

typedef struct progress {
  cli_experiment *experiment;
  size_t total, done, known; /* runs to do now, done now, in the store before */
  size_t others;             /* of those to do now, done by others who use the store */
  size_t batch;              /* of those done, in the batch that is open */
  double started, told;      /* seconds */
  double begun;              /* of that batch */
  double alive;              /* when the store was told that we are */
  bool *granted;             /* [total] */
  bool failed;               /* the store did not keep something; `err` says why */
  bool terminal, told_alone;
  bool *checked; /* [figures] */
  ripstop_error err;
} progress;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_duration(double seconds) {
  long whole = (long)(seconds + 0.5);
  if (whole >= 3600)
    fprintf(stderr, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    fprintf(stderr, "%ld:%02ld", whole / 60, whole % 60);
}

/* One line that renews itself on a terminal; elsewhere a line now and then. */
static void tell(progress *p, bool last) {
  double now = seconds_now(), passed = now - p->started;
  if (!p->terminal && !last && now - p->told < SPARSE_SECONDS) return;
  p->told = now;
  size_t over = p->done + p->others;
  fprintf(stderr, "%s%zu/%zu runs", p->terminal ? "\r\033[K" : "", over, p->total);
  if (p->others) fprintf(stderr, ", %zu of them by others", p->others);
  if (over && passed > 0) {
    fprintf(stderr, ", %.3g/s, ", (double)over / passed);
    print_duration(last ? passed : passed / (double)over * (double)(p->total - over));
    fputs(last ? " in all" : " left", stderr);
  }
  const ripstop_ranks *ranks = p->experiment->ranks;
  if (ranks && !last) fprintf(stderr, ", %u of %u ranks busy", ripstop_ranks_busy(ranks), ripstop_ranks_count(ranks));
  if (!p->terminal || last) fputc('\n', stderr);
  fflush(stderr);
}

/* Ends the batch, if there is one. What went wrong first is the reason for what goes wrong then. */
static void keep(progress *p) {
  ripstop_error another;
  if (!p->batch) return;
  if (ripstop_store_commit(p->experiment->store, p->failed ? &another : &p->err)) {
    p->done -= p->batch;
    p->failed = true;
  }
  p->batch = 0;
}

static void keep_in_time(progress *p) {
  if (!p->batch || seconds_now() - p->begun < BATCH_SECONDS) return;
  keep(p);
  nanosleep(&(struct timespec){.tv_nsec = GAP_NANOSECONDS}, NULL);
}

static void put(progress *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  ripstop_store *store = p->experiment->store;
  p->failed = !p->batch && ripstop_store_begin(store, &p->err);
  if (!p->batch) p->begun = seconds_now();
  p->failed = p->failed || ripstop_store_put(store, run, outcome, &p->err);
  if (p->failed) return;
  p->batch++, p->done++;
  keep_in_time(p);
}

/* What another process that uses the store has stored or is about to do is not done here. */
static int on_claim(void *context, const ripstop_run *const *run, size_t count, ripstop_claimed *whose) {
  progress *p = context;
  ripstop_store *store = p->experiment->store;
  keep(p);
  p->alive = seconds_now();
  if (p->failed || ripstop_store_claim(store, run, count, p->granted, &p->err)) return -1;
  for (size_t i = 0; i < count; i++) {
    int there = p->granted[i] ? 0 : ripstop_store_has(store, run[i]->id, &p->err);
    if (there < 0) return -1;
    whose[i] = p->granted[i] ? RIPSTOP_CLAIM_GRANTED : there == 1 ? RIPSTOP_CLAIM_STORED : RIPSTOP_CLAIM_OTHERS;
    p->others += there == 1;
  }
  return 0;
}

/* Whoever shows no sign of life for long loses what it has claimed. */
static void stay_alive(progress *p) {
  if (p->failed || seconds_now() - p->alive < RIPSTOP_STORE_LEASE_SECONDS / 3.0) return;
  keep(p);
  p->alive = seconds_now();
  p->failed |= ripstop_store_renew(p->experiment->store, &p->err) < 0;
}

static void on_tick(void *context) {
  progress *p = context;
  if (ripstop_stopped(&ripstop_cli_stop)) keep(p); /* whoever ends ranks does not wait long */
  keep_in_time(p);
  stay_alive(p);
  if (p->done + p->others < p->total) tell(p, false);
}

/* Whether the figure only divides by this run, and so needs `base` of it but not y: without faults, for example, there
 * are no packets that meet one. */
static bool gives_base_only(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run) {
  const ripstop_filter *relative = figure->relative;
  return relative && figure->base && ripstop_runs_is(runs, relative->setting[0], ripstop_run_key(run, relative->key));
}

/* A figure's value that no run has would otherwise be found at the very end. */
static void check_figures(progress *p, const ripstop_run *run, const ripstop_outcome *outcome) {
  const ripstop_spec *spec = p->experiment->spec;
  ripstop_data data = {.runs = p->experiment->runs};
  for (size_t i = 0; i < spec->figures && outcome->values; i++) {
    ripstop_error odd;
    const ripstop_figure *figure = &spec->figure[i];
    if (p->checked[i] || !ripstop_figure_shows(data.runs, figure, run, outcome) ||
        gives_base_only(data.runs, figure, run))
      continue;
    p->checked[i] = true;
    if (ripstop_figure_check(&data, figure, outcome, &odd))
      fprintf(stderr, "%sripstop: note: %s\n", p->terminal ? "\r\033[K" : "", odd.text);
  }
}

/* Once: the others have mostly the same reason. */
static void tell_alone(progress *p, const ripstop_outcome *outcome) {
  if (!outcome->alone || p->told_alone) return;
  p->told_alone = true;
  fprintf(stderr, "%sripstop: note: one thread works on a run of this kind: %s\n", p->terminal ? "\r\033[K" : "",
          outcome->alone);
}

static int on_done(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  progress *p = context;
  if (!p->failed) put(p, run, outcome);
  if (p->failed) return -1;
  check_figures(p, run, outcome);
  tell_alone(p, outcome);
  return 0;
}

/* ------------------------------------------------------------------ work */

/* The own runs that are not stored, in the experiment's order. */
static int find_missing(const cli_experiment *e, const ripstop_run ***out, size_t *count, ripstop_error *err) {
  const ripstop_run **missing = RIPSTOP_ARRAY(e->arena, e->owns, const ripstop_run *);
  size_t doubted = 0;
  const char *first = NULL;
  *count = 0;
  for (size_t i = 0; i < e->owns; i++) {
    int there = ripstop_store_has(e->store, e->own[i]->id, err);
    if (there < 0) return -1;
    if (there == RIPSTOP_STORE_DOUBTED && !doubted++) first = e->own[i]->id;
    if (there != 1) missing[(*count)++] = e->own[i];
  }
  if (doubted)
    fprintf(stderr, "ripstop: note: " CLI_DOUBTED "they are done again\n", e->store_path, doubted, e->owns, first);
  *out = missing;
  return 0;
}

/* With ranks, where somebody else would wait for the last of them, long runs come first. */
static int sort_missing(const cli_experiment *e, const ripstop_run **missing, size_t count, ripstop_error *err) {
  size_t step = e->owns / COSTS_MOST + 1, knowns = 0;
  ripstop_cost *known = RIPSTOP_ARRAY(e->arena, e->owns / step + 1, ripstop_cost);
  ripstop_arena *scratch = ripstop_arena_new();
  int status = 0;
  for (size_t i = 0; e->ranks && i < e->owns && status >= 0; i += step) {
    ripstop_outcome outcome;
    status = ripstop_store_get(e->store, e->own[i]->id, scratch, &outcome, err);
    if (status == 1) known[knowns++] = (ripstop_cost){e->own[i], outcome.seconds};
  }
  ripstop_arena_free(scratch);
  ripstop_long_first(known, knowns, missing, count);
  return status < 0 ? -1 : 0;
}

/* A single run has the whole machine, of many each has a thread, where nothing else is said. */
static unsigned threads_inside(const cli_workers *w, size_t count) {
  if (w->inside) return w->inside;
  return count == 1 ? ripstop_team_processors() : 1;
}

static bool is_part(const cli_experiment *e) { return e->shard.of > 1; }

static void tell_what_is_there(const cli_experiment *e, size_t known) {
  fprintf(stderr, "%s: ", e->spec->file);
  if (e->ranks) fprintf(stderr, "on %u ranks: ", ripstop_ranks_count(e->ranks));
  if (is_part(e)) fprintf(stderr, "part %u of %u: ", e->shard.part, e->shard.of);
  fprintf(stderr, "%zu runs, %zu of them in %s already\n", e->owns, known, e->store_path);
}

static void tell_network(const cli_experiment *e) {
  const char *network = ripstop_store_network(e->store);
  if (network)
    fprintf(stderr, "ripstop: note: store %s lies on %s: one machine at a time should write to it\n", e->store_path,
            network);
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

static int do_missing(cli_experiment *e, const cli_workers *w, ripstop_error *err) {
  progress p = {.experiment = e, .terminal = isatty(STDERR_FILENO), .started = seconds_now(), .told = seconds_now()};
  const ripstop_run **missing;
  if (find_missing(e, &missing, &p.total, err) || sort_missing(e, missing, p.total, err)) return ripstop_cli_fail(err);
  p.known = e->owns - p.total;
  p.checked = RIPSTOP_ARRAY(e->arena, e->spec->figures + 1, bool);
  p.granted = RIPSTOP_ARRAY(e->arena, p.total + 1, bool);
  tell_what_is_there(e, p.known);
  if (!p.total && !e->ranks) return RIPSTOP_EXIT_OK; /* the other ranks want to hear it */
  if (p.total && ripstop_store_ready(e->store, err)) return ripstop_cli_fail(err);
  if (p.total) tell_network(e);
  if (p.total) tell_memory(missing, p.total, w->runs);
  ripstop_workers workers = {.threads = w->runs,
                             .inside = threads_inside(w, p.total),
                             .stop = &ripstop_cli_stop,
                             .ranks = e->ranks,
                             .runs = e->runs,
                             .claim = on_claim,
                             .done = on_done,
                             .tick = on_tick,
                             .context = &p};
  int result = ripstop_work(missing, p.total, &workers);
  keep(&p);
  if (p.total) tell(&p, true);
  if (result < 0 || p.failed) return ripstop_cli_fail(&p.err);
  if (result == 0) return RIPSTOP_EXIT_OK;
  fprintf(stderr, "ripstop: interrupted; %zu of %zu runs are kept in %s, and the same command goes on from there\n",
          p.known + p.done + p.others, e->owns, e->store_path);
  return CLI_EXIT_INTERRUPTED;
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
    fprintf(
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

static int show(cli_experiment *e, ripstop_error *err) {
  if (cli_load(e, err)) return ripstop_cli_fail(err);
  ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  if (!is_part(e) || are_all_there(e)) ripstop_report_text(stdout, &data);
  tell_of(e, "does-not-apply", "were not possible");
  return tell_of(e, "error", "failed") ? code_of_failures(e) : RIPSTOP_EXIT_OK;
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
  if (status == RIPSTOP_EXIT_OK) status = show(e, err);
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

int ripstop_cmd_run(int argc, char **argv) {
  bool paranoid = false, dry = false;
  cli_variant given = {0};
  ripstop_variant variant;
  const char *store = NULL, *runs = NULL, *inside = NULL, *part = NULL, *file = NULL;
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "Take the values of the file's 'quick:' section.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "store", .value = "DB", .help = "Keep the runs here instead of out/NAME.db.", .text = &store},
      {.name = "workers", .value = "N", .help = "Do N runs at a time; default: one for each processor.", .text = &runs},
      {.name = "threads",
       .value = "N",
       .help = "Let N threads, or as many as it is large enough for, work on each run; default: 1, on a single run all "
               "processors.",
       .text = &inside},
      {.name = "shard",
       .value = "I/N",
       .help = "Do the runs of the I-th of N parts alone, into out/NAME.I-of-N.db (docs/experiments.md).",
       .text = &part},
      {.name = "dry-run", .help = "Tell what the runs would cost, and do nothing.", .given = &dry},
      {.name = "paranoid", .help = "Prove the plans of all runs first (docs/prove.md).", .given = &paranoid},
      {0},
  };
  const ripstop_usage usage = {.command = "run",
                               .arguments = "FILE",
                               .summary =
                                   "Does the runs of an experiment that are not stored yet, and prints its tables.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  cli_workers workers;
  ripstop_shard shard = cli_whole;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, &file, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (cli_read_threads("run", "workers", runs, &workers.runs, &err) ||
      cli_read_threads("run", "threads", inside, &workers.inside, &err) ||
      cli_read_variant("run", &given, &variant, &err) ||
      (part && cli_read_shard("run", part, &shard.part, &shard.of, &err)))
    return ripstop_cli_fail(&err);
  ripstop_ranks *ranks = NULL;
  if (!part && !dry && ripstop_ranks_open(&ranks, &err)) return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  cli_experiment e;
  if (ranks)
    status = cli_open_ranks(&e, ranks, file, &variant, store, paranoid ? 2 : 1, &err);
  else if (cli_open_part(&e, file, &variant, store, shard, dry, &err))
    status = ripstop_cli_fail(&err);
  if (status == RIPSTOP_CLI_GO_ON)
    status = dry ? cli_dry_run(&e, &workers, &err) : do_all(&e, &workers, paranoid, &err);
  cli_close(&e);
  ripstop_ranks_end(ranks, status);
  return status;
}
