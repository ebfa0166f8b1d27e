/* prove.c - `ripstop prove FABRIC`: what a method does on one fault set, on all of a size, or on a sample, decided
 * without simulating. docs/prove.md explains the words. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"
#include "cli/cli.h"
#include "cli/tally.h"
#include "report/proofs.h"
#include "ripstop/plugin/method.h"

#undef free /* open_memstream's text is the C library's */

enum { EXIT_INTERRUPTED = 130, WORKERS_MAX = 4096 };
enum { SAMPLES_DEFAULT = 1000000, BUDGET_DEFAULT = 1000000 };
enum { SETS_SHOWN = 20 }; /* more sets than that are not listed without --json */
#define WIDTH_DEFAULT 0.01
#define SAMPLES_MAX   UINT32_MAX /* so many samples have numbers of their own */
#define TELL_SECONDS  0.2        /* between two lines of progress */

/* ------------------------------------------------------------------ the command line */

static const char *const of_words[] = {"all", "connected", NULL};

typedef struct words { /* as written; NULL: not given */
  const char *fabric, *method, *faults, *set, *count, *samples, *scope, *vcs, *of, *confidence, *width, *interval,
      *seed, *workers, *witness, *budget, *destinations;
  bool all, json, paths, no_symmetry, smallest_defeat, tolerance;
} words;

typedef struct request {
  words words;
  const char *method; /* with --vcs worked in */
  uint64_t vcs;       /* 0: not given */
  uint64_t budget;
  ripstop_many many;
  ripstop_fabric *fabric;
  ripstop_arena *arena;
} request;

static int read_number(const char *flag, const char *text, uint64_t least, uint64_t most, uint64_t *out,
                       ripstop_error *err) {
  if (!text) return 0;
  if (ripstop_parse_u64(text, most, out, err)) return ripstop_fail_at(err, "prove: --%s", flag);
  return *out >= least ? 0 : ripstop_fail(err, "prove: --%s must be at least %" PRIu64, flag, least);
}

static int read_real(const char *flag, const char *text, double *out, ripstop_error *err) {
  if (!text) return 0;
  if (ripstop_parse_real(text, out, err)) return ripstop_fail_at(err, "prove: --%s", flag);
  return *out > 0 && *out < 1 ? 0 : ripstop_fail(err, "prove: --%s must lie between 0 and 1", flag);
}

static int read_word(const char *flag, const char *text, const char *const *list, unsigned *out, ripstop_error *err) {
  if (!text) return 0;
  for (*out = 0; list[*out]; ++*out)
    if (strcmp(text, list[*out]) == 0) return 0;
  const char *near = ripstop_nearest_word(text, list);
  ripstop_text choice = {0};
  for (unsigned i = 0; list[i]; i++) ripstop_text_add(&choice, "%s%s", i ? ", " : "", list[i]);
  ripstop_fail(err, "prove: --%s: '%.100s' is none of %s%s%s%s", flag, text, choice.data,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  ripstop_text_free(&choice);
  return -1;
}

/* Which flags go with which. */
static int check_flags(const words *w, ripstop_error *err) {
  if (!w->method) return ripstop_fail(err, "prove: --method is missing; 'ripstop methods' lists the methods");
  if ((w->faults != NULL) + (w->set != NULL) + (w->count != NULL) + w->smallest_defeat > 1)
    return ripstop_fail(err, "prove: --faults, --set, --count and --smallest-defeat exclude each other");
  if (w->all && w->samples) return ripstop_fail(err, "prove: --all and --samples exclude each other");
  if (w->all && w->width) return ripstop_fail(err, "prove: --width is for samples, --all has no interval");
  if (!w->count && (w->all || w->samples || w->width || w->scope))
    return ripstop_fail(err, "prove: --%s needs --count",
                        w->all       ? "all"
                        : w->samples ? "samples"
                        : w->width   ? "width"
                                     : "scope");
  if (w->no_symmetry && !w->all) return ripstop_fail(err, "prove: --no-symmetry goes with --all");
  if (w->budget && !w->smallest_defeat) return ripstop_fail(err, "prove: --budget goes with --smallest-defeat");
  if (w->tolerance && (w->witness || w->paths || w->smallest_defeat))
    return ripstop_fail(err, "prove: --tolerance goes with neither --witness, --paths nor --smallest-defeat");
  if (w->destinations && (w->count || w->tolerance || w->smallest_defeat || w->witness))
    return ripstop_fail(err, "prove: --destinations goes with neither --%s",
                        w->count             ? "count nor its options"
                        : w->witness         ? "witness, which would be a proof"
                        : w->smallest_defeat ? "smallest-defeat nor --witness"
                                             : "tolerance nor --witness");
  if (w->smallest_defeat && (w->witness || w->paths || w->json))
    return ripstop_fail(err, "prove: --smallest-defeat goes with neither --witness, --paths nor --json");
  return 0;
}

static int read_numbers(request *r, ripstop_error *err) {
  const words *w = &r->words;
  ripstop_many *m = &r->many;
  uint64_t count = 0, destinations = 0, workers = ripstop_team_processors();
  unsigned scope = RIPSTOP_FAULTS_SWITCH_LINKS, of = 0, interval = RIPSTOP_CLOPPER_PEARSON;
  m->samples = SAMPLES_DEFAULT;
  m->seed = 1;
  m->confidence = 0.99;
  m->half_width = w->samples || w->width ? 0 : WIDTH_DEFAULT;
  r->budget = BUDGET_DEFAULT;
  if (read_number("count", w->count, 0, UINT32_MAX - 1, &count, err) ||
      read_number("samples", w->samples, 1, SAMPLES_MAX, &m->samples, err) ||
      read_number("vcs", w->vcs, 1, RIPSTOP_CHANNELS_MAX, &r->vcs, err) ||
      read_number("seed", w->seed, 0, UINT64_MAX, &m->seed, err) ||
      read_number("workers", w->workers, 1, WORKERS_MAX, &workers, err) ||
      read_number("destinations", w->destinations, 1, UINT32_MAX, &destinations, err) ||
      read_number("budget", w->budget, 1, UINT64_MAX, &r->budget, err) ||
      read_real("confidence", w->confidence, &m->confidence, err) ||
      read_real("width", w->width, &m->half_width, err) ||
      read_word("scope", w->scope, ripstop_fault_scope_words, &scope, err) ||
      read_word("of", w->of, of_words, &of, err) ||
      read_word("interval", w->interval, ripstop_interval_words, &interval, err))
    return -1;
  if (destinations && m->confidence <= 0.5)
    return ripstop_fail(err, "prove: --confidence must be above 0.5 with --destinations");
  m->count = (uint32_t)count;
  m->destinations = (uint32_t)destinations;
  m->scope = (ripstop_fault_scope)scope;
  m->of_connected = of == 1;
  m->interval = (ripstop_interval_kind)interval;
  m->threads = (unsigned)workers;
  m->symmetry = !w->no_symmetry;
  m->paths = w->paths;
  m->tolerance = w->tolerance;
  return 0;
}

/* Which sets. */
static int read_sets(request *r, ripstop_error *err) {
  const words *w = &r->words;
  ripstop_many *m = &r->many;
  m->kind = w->count ? w->all ? RIPSTOP_SETS_ALL : RIPSTOP_SETS_DRAWN : RIPSTOP_SETS_GIVEN;
  uint32_t parts = ripstop_faults_population(r->fabric, m->scope);
  if (m->count > parts)
    return ripstop_fail(err, "prove: --count %u, but %s has only %u parts of the kind '%s'", m->count, r->fabric->spec,
                        parts, ripstop_fault_scope_words[m->scope]);
  if (m->kind == RIPSTOP_SETS_ALL && ripstop_combinations_total(parts, m->count) == UINT64_MAX)
    return ripstop_fail(err, "prove: there are more sets of %u of %u parts than 64 bits count; draw --samples of them",
                        m->count, parts);
  if (m->destinations >= r->fabric->ends)
    return ripstop_fail(err, "prove: --destinations %u, but %s has %u; leave it out to prove all", m->destinations,
                        r->fabric->spec, r->fabric->ends);
  if (m->kind != RIPSTOP_SETS_GIVEN) return 0;
  ripstop_names *names = ripstop_names_new(r->fabric);
  ripstop_faults *set = RIPSTOP_NEW(r->arena, ripstop_faults);
  int status = 0;
  m->givens = 1;
  if (w->faults) status = ripstop_faults_read(r->arena, names, w->faults, &set, &m->givens, err);
  if (w->set && ripstop_faults_parse(r->arena, names, w->set, strlen(w->set), set, err))
    status = ripstop_fail_at(err, "--set");
  m->given = set;
  ripstop_names_free(names);
  return status;
}

/* ------------------------------------------------------------------ the method and its channels */

static bool has_option(const ripstop_method *method, const char *name) {
  for (const ripstop_option *o = method->options; o->name; o++)
    if (strcmp(o->name, name) == 0) return true;
  return false;
}

/* --vcs sets the method's option `channels` where it has one. */
static int work_in_channels(request *r, ripstop_error *err) {
  const char *spec = r->words.method;
  const ripstop_method *method = ripstop_method_find(spec, strcspn(spec, ":"), err);
  r->method = spec;
  if (!method) return -1;
  if (r->vcs && has_option(method, "channels") && !strstr(spec, "channels="))
    r->method = ripstop_arena_printf(r->arena, "%s%schannels=%" PRIu64, spec, strchr(spec, ':') ? "," : ":", r->vcs);
  return ripstop_method_canonical(r->arena, r->method, &r->method, err);
}

/* The method applies to the fabric as such, and needs the channels that were asked for. */
static int try_method(const request *r, ripstop_error *err) {
  ripstop_view *view = ripstop_view_new(r->fabric, NULL);
  ripstop_plan *plan = ripstop_plan_open(view, r->method, NULL, err);
  int status = plan ? 0 : -1;
  if (plan && r->vcs && plan->channels != r->vcs)
    status =
        ripstop_fail(err, "prove: --vcs %" PRIu64 ": %s uses %u channel%s on every link, and has no option for that",
                     r->vcs, r->method, plan->channels, plan->channels == 1 ? "" : "s");
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return status;
}

/* JSON has to be UTF-8, and so have all names that come into it. */
static int check_names(const ripstop_fabric *f, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t node = 0; node < f->nodes; node++) {
    ripstop_node_name(f, node, name);
    json_t *text = json_string(name);
    if (!text)
      return ripstop_fail(err, "%s cannot be written as JSON: the name of node %u is not UTF-8", f->spec, node);
    json_decref(text);
  }
  return 0;
}

static int read_request(request *r, ripstop_error *err) {
  if (check_flags(&r->words, err) || read_numbers(r, err) || work_in_channels(r, err)) return -1;
  r->fabric = ripstop_fabric_open(r->words.fabric, err);
  if (!r->fabric || try_method(r, err) || read_sets(r, err)) return -1;
  if (r->words.json && check_names(r->fabric, err)) return -1;
  r->many.fabric = r->fabric;
  r->many.method = r->method;
  r->many.stop = &ripstop_cli_stop;
  return 0;
}

/* ------------------------------------------------------------------ telling */

typedef struct output {
  const request *request;
  bool listed;           /* every set has its line */
  bool folder;           /* certificates: one file for each set in a folder */
  bool terminal;         /* progress is shown */
  atomic_bool examples;  /* the first failures of a long list are known */
  char *lost, *deadlock; /* their lines */
  double started, told;
  ripstop_error err;
} output;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool lost_by_method(const ripstop_set_proof *p) {
  return !p->why_not && !p->proof.tolerated && p->proof.disconnected_pairs == 0;
}

static bool deadlocks(const ripstop_set_proof *p) {
  return !p->why_not && !p->counted && !p->proof.deadlock_free && p->proof.disconnected_pairs == 0;
}

/* The certificate, behind a zero byte. */
static void add_certificate(ripstop_text *text, const ripstop_set_proof *p) {
  char *data = NULL;
  size_t length = 0;
  if (!p->plan) return;
  FILE *memory = open_memstream(&data, &length);
  if (!memory) ripstop_out_of_memory();
  ripstop_certificate_write(memory, p->plan, &p->proof);
  bool cut = ferror(memory) != 0;
  cut |= fclose(memory) != 0;
  if (cut || !data) ripstop_out_of_memory();
  ripstop_text_add_bytes(text, "", 1);
  ripstop_text_add_bytes(text, data, length);
  free(data);
}

/* In the thread of the proof: the set's line, and its certificate. */
static void tell(void *context, const ripstop_set_proof *p, ripstop_text *text) {
  output *o = context;
  const request *r = o->request;
  if (r->words.json)
    ripstop_set_proof_json(text, r->fabric, p);
  else if (o->listed || ((lost_by_method(p) || deadlocks(p)) && !atomic_load(&o->examples)))
    ripstop_set_proof_print(text, r->fabric, p);
  if (r->words.witness) add_certificate(text, p);
}

static int write_certificate(output *o, uint64_t number, const ripstop_text *text) {
  size_t line = strlen(text->data) + 1;
  if (line >= text->length) return 0;
  const char *path = o->request->words.witness;
  ripstop_text name = {0};
  ripstop_text_add(&name, "%s", path);
  if (o->folder) ripstop_text_add(&name, "/%06" PRIu64, number);
  FILE *file = ripstop_create_file(name.data, &o->err);
  int status = file ? 0 : -1;
  if (file) {
    fwrite(text->data + line, 1, text->length - line, file);
    status = ripstop_close_file(file, name.data, &o->err);
  }
  ripstop_text_free(&name);
  return status;
}

static void show_progress(output *o, const ripstop_tally *tally) {
  double now = seconds_now();
  if (!o->terminal || now - o->told < TELL_SECONDS) return;
  o->told = now;
  fprintf(stderr, "\r\033[K%" PRIu64 " sets, %.3g/s, %" PRIu64 " tolerated", tally->all.sets,
          (double)tally->all.sets / (now - o->started), tally->all.tolerated);
  fflush(stderr);
}

static void keep_example(char **example, bool wanted, const ripstop_text *text) {
  if (!wanted || *example) return;
  *example = ripstop_realloc(NULL, strlen(text->data) + 1, 1);
  memcpy(*example, text->data, strlen(text->data) + 1);
}

static int done(void *context, const ripstop_set_proof *p, const ripstop_text *text, const ripstop_tally *so_far) {
  output *o = context;
  bool json = o->request->words.json;
  if (json || o->listed) {
    printf(json ? "%s\n" : "%s", text->data);
  } else if (!atomic_load(&o->examples)) {
    keep_example(&o->lost, lost_by_method(p), text);
    keep_example(&o->deadlock, deadlocks(p), text);
    if (o->lost && o->deadlock) atomic_store(&o->examples, true);
  }
  show_progress(o, so_far);
  return o->request->words.witness && text->data ? write_certificate(o, p->number, text) : 0;
}

/* ------------------------------------------------------------------ the work */

static void print_examples(const output *o) {
  if (o->lost) printf("\nThe first connected set that loses packets:\n%s", o->lost);
  if (o->deadlock) printf("\nThe first connected set that deadlocks:\n%s", o->deadlock);
}

static void print_summary(const output *o, const ripstop_tally *tally) {
  if (o->listed) printf("\n");
  tally_print(stdout, &o->request->many, tally);
  if (!o->listed) print_examples(o);
}

static uint64_t most_sets(const ripstop_many *m) {
  if (m->kind == RIPSTOP_SETS_GIVEN) return m->givens;
  if (m->kind == RIPSTOP_SETS_DRAWN) return m->samples;
  return ripstop_combinations_total(ripstop_faults_population(m->fabric, m->scope), m->count);
}

/* A folder for several sets, or where there is one already. */
static int prepare_witness(output *o, ripstop_error *err) {
  const char *path = o->request->words.witness;
  struct stat there;
  if (!path) return 0;
  bool exists = stat(path, &there) == 0, is_folder = exists && S_ISDIR(there.st_mode);
  o->folder = is_folder || most_sets(&o->request->many) > 1;
  if (o->folder && !is_folder && mkdir(path, 0777)) return ripstop_fail_system(err, errno, "prove: --witness %s", path);
  return 0;
}

static int prove_sets(request *r, ripstop_error *err) {
  output o = {.request = r, .terminal = isatty(STDERR_FILENO), .started = seconds_now()};
  ripstop_tally tally;
  o.listed = r->many.destinations || most_sets(&r->many) <= SETS_SHOWN;
  if (prepare_witness(&o, err)) return ripstop_cli_fail(err);
  r->many.tell = tell;
  r->many.done = done;
  r->many.context = &o;
  ripstop_cli_catch_signals();
  int status = ripstop_prove_many(&r->many, &tally, err);
  if (o.terminal && o.told > 0) fprintf(stderr, "\r\033[K");
  int code = status > 0 ? EXIT_INTERRUPTED : RIPSTOP_EXIT_OK;
  if (status < 0 || o.err.text[0]) {
    code = o.err.text[0] ? ripstop_cli_fail(&o.err) : ripstop_cli_fail_work(err);
  } else {
    if (r->many.destinations)
      fflush(stdout); /* a sample of destinations decides nothing of a set that could be counted */
    else if (r->words.json)
      tally_json(stdout, &r->many, &tally, code == RIPSTOP_EXIT_OK);
    else
      print_summary(&o, &tally);
    if (code == EXIT_INTERRUPTED) fprintf(stderr, "ripstop: interrupted after %" PRIu64 " sets\n", tally.all.sets);
  }
  ripstop_free(o.lost);
  ripstop_free(o.deadlock);
  return code;
}

static int find_smallest_defeat(const request *r, ripstop_error *err) {
  ripstop_defeat_limits limits = {
      .budget = r->budget, .search = r->budget / 10, .seed = r->many.seed, .stop = &ripstop_cli_stop};
  ripstop_defeat defeat;
  ripstop_text text = {0};
  ripstop_cli_catch_signals();
  if (ripstop_smallest_defeat(r->arena, r->fabric, r->method, &limits, &defeat, err) != RIPSTOP_APPLIES)
    return ripstop_cli_fail(err);
  ripstop_defeat_print(&text, r->fabric, r->method, &defeat);
  printf("%s", text.data);
  ripstop_text_free(&text);
  if (!atomic_load_explicit(&ripstop_cli_stop, memory_order_relaxed)) return RIPSTOP_EXIT_OK;
  fprintf(stderr, "ripstop: interrupted after %" PRIu64 " sets\n", defeat.proofs);
  return EXIT_INTERRUPTED;
}

static void explain(FILE *file) {
  fprintf(file,
          "\nWhat is decided for a fault set, over everything that packets can meet under every adaptive choice:\n"
          "  disconnected  pairs of end nodes without a physical path\n"
          "  lost          pairs whose packets some choices (or all choices) lose or send round for ever\n"
          "  tolerated     no pair is lost under any choice; a disconnected pair is lost\n"
          "  livelock      some choices bring a packet back to where it was, in the same state\n"
          "  deadlock      queues whose first packets can only wait for each other; the witness names the queues\n"
          "                and a packet for each\n"
          "  safe          tolerated, and free of deadlock\n"
          "Both shares are always shown: of all sets, and of those that leave the fabric connected.\n"
          "docs/prove.md tells what is assumed.\n");
}

int ripstop_cmd_prove(int argc, char **argv) {
  request r = {0};
  words *w = &r.words;
  const ripstop_flag flags[] = {
      {.name = "method",
       .value = "M",
       .help = "Routing method with its options, e.g. misroute:uturn=any.",
       .text = &w->method},
      {.name = "faults", .value = "FILE", .help = "Fault sets, one a line.", .text = &w->faults},
      {.name = "set", .value = "LINE", .help = "One fault set, e.g. '0/2.1/3 switch:1/0.0'.", .text = &w->set},
      {.name = "count",
       .value = "F",
       .help = "Sets of F dead parts, drawn or, with --all, every one.",
       .text = &w->count},
      {.name = "all", .help = "Every set of --count parts.", .given = &w->all},
      {.name = "samples", .value = "N", .help = "Draw N sets; with --width at most N (1000000).", .text = &w->samples},
      {.name = "width",
       .value = "W",
       .help = "Draw until the interval is share +- W; default 0.01.",
       .text = &w->width},
      {.name = "confidence", .value = "C", .help = "Of the interval; default 0.99.", .text = &w->confidence},
      {.name = "interval", .value = "KIND", .help = "clopper-pearson (default) or wilson.", .text = &w->interval},
      {.name = "of",
       .value = "SETS",
       .help = "Whose share counts: all sets (default), or connected ones.",
       .text = &w->of},
      {.name = "scope",
       .value = "PARTS",
       .help = "What may die: switch-links (default), all-links, switches.",
       .text = &w->scope},
      {.name = "seed",
       .value = "S",
       .help = "Of the drawn sets; default 1. Experiments draw the same.",
       .text = &w->seed},
      {.name = "no-symmetry",
       .help = "With --all: prove every set, not one for all that are alike.",
       .given = &w->no_symmetry},
      {.name = "vcs",
       .value = "V",
       .help = "Virtual channels per link, for methods that can have more or fewer.",
       .text = &w->vcs},
      {.name = "tolerance",
       .help = "Decide delivery alone; much faster for methods that can count, as link-fault-messages.",
       .given = &w->tolerance},
      {.name = "paths", .help = "Also tell how far packets go, against the least without faults.", .given = &w->paths},
      {.name = "witness",
       .value = "PATH",
       .help = "Write certificates for check-witness: a file, or for several sets a folder.",
       .text = &w->witness},
      {.name = "smallest-defeat",
       .help = "Look for the smallest set that defeats the method, and that disconnects.",
       .given = &w->smallest_defeat},
      {.name = "budget",
       .value = "N",
       .help = "With --smallest-defeat: look at N sets at most (1000000).",
       .text = &w->budget},
      {.name = "destinations",
       .value = "N",
       .help = "Walk packets to N destinations alone, drawn from the seed, and bound the others.",
       .text = &w->destinations},
      {.name = "workers", .value = "N", .help = "Threads; default: one for each processor.", .text = &w->workers},
      {.name = "json", .help = "A line of JSON for each set, and one for the summary.", .given = &w->json},
      {0},
  };
  const ripstop_usage usage = {.command = "prove",
                               .arguments = "FABRIC",
                               .summary =
                                   "Decides delivery, livelock and deadlock of a method exactly, for fault sets.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags,
                               .more = explain};
  unsigned count;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, &w->fabric, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  r.arena = ripstop_arena_new();
  if (read_request(&r, &err))
    status = ripstop_cli_fail(&err);
  else
    status = w->smallest_defeat ? find_smallest_defeat(&r, &err) : prove_sets(&r, &err);
  ripstop_fabric_free(r.fabric);
  ripstop_arena_free(r.arena);
  return status;
}
