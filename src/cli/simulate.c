/* simulate.c - `ripstop simulate FABRIC --method M --load L`: one run, without a file and without a store, and all of
 * its numbers. It is an experiment of one run, made from the flags: so its values are those of experiments, by the same
 * names, and --set takes every key that an experiment has. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/output.h"
#include "base/team.h"
#include "cli/experiment.h"
#include "cli/json.h"
#include "cli/run_events.h"
#include "cli/run_watch.h"
#include "experiment/presets.h"
#include "faults/fault_syntax.h"
#include "store/cells.h"

static const char file_name[] = "simulate";

typedef struct wishes {
  const char *fabric, *method, *model, *load, *pattern, *workload, *faults, *losses;
  unsigned threads;
  ripstop_cli_values set;
  bool json, watch;
  const ripstop_spec *spec;
} wishes;

/* ------------------------------------------------------------------ flags as an experiment */

/* Writes a YAML text in single quotes. */
static void add_text(ripstop_text *out, const char *before, const char *text, const char *after) {
  ripstop_text_add(out, "%s'", before);
  for (const char *c = text ? text : ""; *c; c++) ripstop_text_add(out, *c == '\'' ? "''" : "%c", *c);
  ripstop_text_add(out, "'%s", after);
}

/* The key of an experiment that has such faults. */
static const char *faults_key(const char *text) {
  static const char *const keys[] = {[RIPSTOP_FAULTS_KIND_COUNT] = "count",
                                     [RIPSTOP_FAULTS_KIND_CHANGES] = "schedule",
                                     [RIPSTOP_FAULTS_KIND_PARTS] = "set"};
  return keys[ripstop_faults_kind_of(text)];
}

static void add_traffic(ripstop_text *out, const wishes *w) {
  ripstop_text_add(out, "traffic: {");
  if (w->load) add_text(out, "load: ", w->load, w->pattern ? ", " : "");
  if (w->pattern) add_text(out, "pattern: ", w->pattern, "");
  ripstop_text_add(out, "}\n");
}

static void write_experiment(ripstop_text *out, const wishes *w) {
  add_text(out, "fabric: ", w->fabric, "\n");
  add_text(out, "method: ", w->method, "\n");
  if (w->model) add_text(out, "model: ", w->model, "\n");
  if (w->workload) add_text(out, "workload: {jobs: ", w->workload, "}\n");
  if (w->load || w->pattern) add_traffic(out, w);
  if (w->faults) {
    ripstop_text_add(out, "faults: {%s: ", faults_key(w->faults));
    add_text(out, "", w->faults, "}\n");
  }
}

/* Leaves out line numbers of the generated text: the user did not write it. */
static int fail_without_line(ripstop_error *err) {
  const char *at = err->text;
  size_t length = strlen(file_name);
  if (!strncmp(at, file_name, length) && at[length] == ':') {
    at += length + 1;
    at += strspn(at, "0123456789: ");
    memmove(err->text, at, strlen(at) + 1);
  }
  ripstop_fail_at(err, "simulate");
  return ripstop_cli_fail(err);
}

/* ------------------------------------------------------------------ the result */

/* A count as one, with all of its digits. */
static json_t *number(double value) {
  static const double exact = 9007199254740992; /* 2^53 */
  if (!isfinite(value)) return json_null();
  return value == floor(value) && fabs(value) < exact ? json_integer((json_int_t)value) : json_real(value);
}

/* Only runs of jobs have another model than packets. */
static const char *model_of(const ripstop_run *run) {
  const char *model = ripstop_run_key(run, "flow.model");
  return model ? model : ripstop_model_words[RIPSTOP_MODEL_PACKET];
}

static bool is_flow(const ripstop_run *run) { return !strcmp(model_of(run), ripstop_model_words[RIPSTOP_MODEL_FLOW]); }

/* The unit of a number; "" if it has none, or its name says it. */
static const char *unit_of(const ripstop_value *v) {
  return !strcmp(v->unit, "1") || !strcmp(v->unit, "0 or 1") ? "" : v->unit;
}

static double value_of(const ripstop_outcome *out, const char *name) {
  const ripstop_value *value = ripstop_outcome_value(out, name);
  return value ? value->value : NAN;
}

/* By more than chance and more than little: twice the interval, which one of some hundred steady runs has. */
static bool has_changed(const ripstop_outcome *out, const char *name) {
  static const double little = 0.02;
  const ripstop_value *value = ripstop_outcome_value(out, name);
  return value && fabs(value->value) > little && fabs(value->value) > 2 * value->half;
}

/* Why numbers that are called steady are of a network that was still filling, or else changing; "": they are not. What
 * a schedule changes was requested. */
static void find_transient(const ripstop_run *run, const ripstop_outcome *out, ripstop_text *why) {
  const double warmup = value_of(out, "warmup"), slow = value_of(out, "latency.p99");
  ripstop_text_begin(why);
  if (strcmp(out->verdict, "steady") != 0 || run->kind != RIPSTOP_RUN_SIMULATE || run->schedule || run->rule) return;
  if (value_of(out, "offered") > 0 && !(value_of(out, "packets") > 0))
    ripstop_text_add(why, "no packet has arrived");
  else if (warmup < slow)
    ripstop_text_add(why, "a warm-up of %.0f cycles is shorter than packets are in the network (latency.p99 %.0f)",
                     warmup, slow);
  else if (value_of(out, "warmup.settled") == 0)
    ripstop_text_add(why, "the warm-up ended after %.0f cycles, and nothing had settled", warmup);
  else if (has_changed(out, "accepted.drift") || has_changed(out, "network-latency.drift"))
    ripstop_text_add(why,
                     "throughput or latency changed while it was measured (accepted.drift, network-latency.drift)");
}

/* Values in cycles as seconds, where links have a rate. */
static void add_seconds(json_t *all, const ripstop_outcome *out, double cycle) {
  json_t *seconds = json_object();
  for (size_t i = 0; i < out->values; i++)
    if (!strcmp(out->value[i].unit, "cycles"))
      json_object_set_new(seconds, out->value[i].name,
                          isfinite(out->value[i].value) ? json_real(out->value[i].value * cycle) : json_null());
  json_object_set_new(all, "seconds", seconds);
}

/* "LINK>NODE"; of an end node's link "end:NAME>up", from it, and "end:NAME>down". */
static const char *name_channel(const ripstop_fabric *f, uint32_t port, char *out, size_t size) {
  char name[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  const uint32_t from = f->port_node[port], node = f->port_node[f->peer[port]];
  if (ripstop_is_end(f, from) || ripstop_is_end(f, node)) {
    ripstop_node_name(f, ripstop_is_end(f, from) ? from : node, name);
    snprintf(out, size, "end:%s>%s", name, ripstop_is_end(f, from) ? "up" : "down");
    return out;
  }
  ripstop_link_name(f, f->port_link[port], name);
  ripstop_node_name(f, node, to);
  snprintf(out, size, "%s>%s", name, to);
  return out;
}

static json_t *loads_of(const ripstop_fabric *f, const ripstop_outcome *out) {
  json_t *all = json_array();
  for (size_t i = 0; i < out->loads; i++) {
    const ripstop_channel_loads *one = &out->load[i];
    json_t *load = json_object();
    char name[2 * RIPSTOP_NAME_MAX + 8];
    for (uint32_t k = 0; k < one->count; k++)
      json_object_set_new(load, name_channel(f, one->port[k], name, sizeof name), json_real(one->load[k]));
    json_array_append_new(all, json_pack("{s:f, s:o}", "time", one->time, "load", load));
  }
  return all;
}

static json_t *messages_of(const ripstop_outcome *out) {
  json_t *all = json_array();
  for (size_t i = 0; i < out->messages; i++) {
    const ripstop_message_record *m = &out->message[i];
    json_array_append_new(all, json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "job", (json_int_t)m->job + 1, "source",
                                         (json_int_t)m->source, "destination", (json_int_t)m->destination, "bytes",
                                         (json_int_t)m->bytes, "start", number(m->start), "sent", number(m->sent),
                                         "finish", number(m->finish)));
  }
  return all;
}

static void print_json(const ripstop_spec *spec, const ripstop_run *run, const ripstop_outcome *out,
                       const char *transient) {
  const double cycle = ripstop_scale_cycle(&spec->scale);
  RIPSTOP_LOCAL_TEXT(keys);
  json_t *all = json_pack("{s:o, s:o, s:s}", "fabric", ripstop_json_text(run->fabric->spec), "method",
                          ripstop_json_text(run->method), "verdict", out->verdict);
  json_t *units = json_object(), *halves = json_object(), *without = json_object();
  json_object_set_new(all, "model", json_string(model_of(run)));
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    json_object_set_new(all, *key, ripstop_json_text(ripstop_run_key(run, *key)));
  preset_print(spec, ripstop_run_key(run, "switch.preset"), &keys);
  json_object_set_new(all, "switch.preset.keys", json_string(keys.data ? keys.data : ""));
  if (out->reason) json_object_set_new(all, "reason", ripstop_json_text(out->reason));
  if (*transient) json_object_set_new(all, "transient", ripstop_json_text(transient));
  if (*out->faults) json_object_set_new(all, "faults", ripstop_json_text(out->faults));
  for (size_t i = 0; i < out->values; i++) {
    const ripstop_value *v = &out->value[i];
    json_object_set_new(all, v->name, number(v->value));
    json_object_set_new(units, v->name, json_string(v->unit));
    if (!isnan(v->half)) json_object_set_new(halves, v->name, number(v->half));
    const char *why = ripstop_value_without_interval(v, out->verdict);
    if (*why) json_object_set_new(without, v->name, json_string(why));
  }
  if (is_flow(run)) {
    if (out->loads) json_object_set_new(all, "flow.loads", loads_of(run->fabric, out));
    if (out->messages) json_object_set_new(all, "messages", messages_of(out));
  }
  json_object_set_new(all, "half-widths", halves);
  json_object_set_new(all, "no-interval", without);
  json_object_set_new(all, "units", units);
  if (cycle > 0) add_seconds(all, out, cycle);
  ripstop_cli_json_print(all);
}

static bool is_unfinished(const ripstop_outcome *out) { return value_of(out, "workload.complete") == 0; }

/* The interval of a zero has one end: a bound. */
static void print_half(const ripstop_value *v) {
  if (isfinite(v->half) && v->half > 0 && v->value == 0 && !ripstop_value_has_sign(v->name))
    printf(" (at most %.3g)", v->half);
  else if (isfinite(v->half))
    printf(" +- %.3g", v->half);
}

/* A value in cycles as a time, where links have a rate. */
static void print_time(const ripstop_value *v, double cycle) {
  char text[32];
  if (!(cycle > 0) || strcmp(v->unit, "cycles") != 0) return;
  ripstop_scale_time(v->value * cycle, text, sizeof text);
  printf(" (%s)", text);
}

/* The preset with the keys that it sets. */
static void print_preset(const ripstop_spec *spec, const ripstop_run *run, int widest) {
  RIPSTOP_LOCAL_TEXT(keys);
  const char *preset = ripstop_run_key(run, "switch.preset");
  preset_print(spec, preset, &keys);
  printf("  %-*s  %s%s%s\n", widest, "switch.preset", preset, keys.length ? ": " : "", keys.length ? keys.data : "");
}

static void print_table(const ripstop_spec *spec, const ripstop_run *run, const ripstop_outcome *out,
                        const char *transient) {
  const double cycle = ripstop_scale_cycle(&spec->scale);
  int widest = (int)strlen("switch.selection");
  for (size_t i = 0; i < out->values; i++)
    if ((int)strlen(out->value[i].name) > widest) widest = (int)strlen(out->value[i].name);
  printf("%s, %s%s%s\n", run->fabric->spec, run->method, *out->faults ? ", without " : "", out->faults);
  if (is_flow(run)) printf("  %-*s  flow\n", widest, "model");
  printf("  %-*s  %s\n", widest, "verdict", out->verdict);
  if (out->reason) printf("  %-*s  %s\n", widest, "reason", out->reason);
  if (*transient) printf("  %-*s  %s\n", widest, "transient", transient);
  if (is_unfinished(out))
    printf("  %-*s  of what happened until the run ended: its jobs did not come to their end\n", widest, "numbers");
  if (value_of(out, "workload.late-changes") > 0)
    printf("  %-*s  %.0f of the schedule's changes come after the end of all jobs, and have done nothing\n", widest,
           "late", value_of(out, "workload.late-changes"));
  for (size_t i = 0; i < out->values; i++) {
    const ripstop_value *v = &out->value[i];
    if (isnan(v->value)) continue;
    printf("  %-*s  %.10g", widest, v->name, v->value);
    print_half(v);
    printf("%s%s", *unit_of(v) ? " " : "", unit_of(v));
    print_time(v, cycle);
    const char *why = ripstop_value_without_interval(v, out->verdict);
    printf(*why ? " (%s)\n" : "%s\n", why);
  }
  if (is_flow(run)) return;
  print_preset(spec, run, widest);
  printf("  %-*s  %s\n", widest, "switch.selection", ripstop_run_key(run, "switch.selection"));
  const char *escape = ripstop_run_key(run, "switch.escape");
  if (strcmp(escape, RIPSTOP_ESCAPE) != 0) printf("  %-*s  %s\n", widest, "switch.escape", escape);
}

/* ------------------------------------------------------------------ lost packets */

enum { LOSSES_MOST = 1000000 }; /* rows of --losses */

static void add_node(const ripstop_fabric *f, uint32_t node, bool kind, FILE *file) {
  char text[RIPSTOP_NAME_MAX + 8] = "", name[RIPSTOP_NAME_MAX];
  if (node == RIPSTOP_NONE) return;
  ripstop_node_name(f, node, name);
  snprintf(text, sizeof text, "%s%s", !kind ? "" : ripstop_is_end(f, node) ? "end:" : "switch:", name);
  csv_text(file, text);
}

static void add_loss(const ripstop_fabric *f, const ripstop_loss *loss, FILE *file) {
  fprintf(file, "%llu,", (unsigned long long)loss->cycle);
  add_node(f, loss->source, false, file);
  fputc(',', file);
  add_node(f, loss->destination, false, file);
  fputc(',', file);
  add_node(f, loss->node, true, file);
  fputc(',', file);
  csv_text(file, loss->cause);
  fputc('\n', file);
}

/* One row a lost packet. */
static int write_losses(const ripstop_run *run, const ripstop_outcome *out, const char *path) {
  ripstop_error err = {0};
  ripstop_output file;
  if (ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_NEW, &err)) return ripstop_cli_fail_work(&err);
  fprintf(file.stream, "cycle,source,destination,node,cause\n");
  for (size_t i = 0; i < out->losses; i++) add_loss(run->fabric, &out->loss[i], file.stream);
  if (ripstop_output_end(&file, &err)) return ripstop_cli_fail_work(&err);
  if (out->losses == LOSSES_MOST)
    fprintf(stderr, "ripstop: simulate: note: %s has the first %d of %.0f lost packets\n", path, LOSSES_MOST,
            value_of(out, "account.lost"));
  return RIPSTOP_EXIT_OK;
}

/* The rows must be of one simulation. */
static int check_losses(const ripstop_run *run, const wishes *w, ripstop_error *err) {
  const char *load = ripstop_run_key(run, "traffic.load"), *goal = ripstop_run_key(run, "measure.precision.value");
  if (!w->losses) return 0;
  if (load && !strcmp(load, "saturation"))
    return ripstop_fail(err, "simulate: --losses is of one simulation, and --load saturation makes many");
  if (goal && *goal)
    return ripstop_fail(err, "simulate: --losses is of one simulation, and measure.precision makes many");
  return 0;
}

static int check_watch(const ripstop_run *run, const wishes *w, ripstop_error *err) {
  const char *transport = ripstop_run_key(run, "traffic.transport");
  if (!w->watch || !transport || !strcmp(transport, ripstop_transport_words[RIPSTOP_TRANSPORT_NONE])) return 0;
  return ripstop_fail(
      err, "simulate: --watch and traffic.transport=%s exclude each other: --watch shows traffic without a transport",
      transport);
}

static int execute(const ripstop_run *run, const wishes *w) {
  ripstop_outcome out;
  ripstop_cli_catch_signals();
  if (ripstop_run_execute(run, &ripstop_cli_stop, &out)) {
    fprintf(stderr, "ripstop: simulate: %s\n", ripstop_cli_stop ? "interrupted" : "out of memory");
    return ripstop_cli_stop ? CLI_EXIT_INTERRUPTED : RIPSTOP_EXIT_MACHINE;
  }
  ripstop_text transient = {0};
  find_transient(run, &out, &transient);
  (w->json ? print_json : print_table)(w->spec, run, &out, transient.data);
  ripstop_text_free(&transient);
  cli_note_threads(NULL, w->threads, &out);
  bool failed = !strcmp(out.verdict, "error") || !strcmp(out.verdict, "does-not-apply");
  if (failed) fprintf(stderr, "ripstop: simulate: %s: %s\n", out.verdict, out.reason ? out.reason : "");
  int status = failed ? RIPSTOP_EXIT_FAILED : w->losses ? write_losses(run, &out, w->losses) : RIPSTOP_EXIT_OK;
  ripstop_outcome_free(&out);
  return status;
}

static int simulate_one(const ripstop_runs *runs, const wishes *w) {
  ripstop_error err = {0};
  if (runs->count != 1) {
    ripstop_fail(&err, "simulate: --set makes %zu runs; 'ripstop run' does many", runs->count);
    return ripstop_cli_fail(&err);
  }
  ripstop_run one = runs->run[0];
  if (check_losses(&one, w, &err) || check_watch(&one, w, &err)) return ripstop_cli_fail(&err);
  one.losses = w->losses ? LOSSES_MOST : 0;
  cli_watch watch;
  RIPSTOP_LOCAL_TEXT(warning);
  for (uint32_t i = 0; ripstop_run_warning(&one, i, &warning); i++)
    ripstop_cli_say(stderr, "ripstop: note: %s\n", warning.data);
  one.threads = w->threads ? w->threads : ripstop_team_processors(), one.worth = true;
  if (!w->watch) return execute(&one, w);
  cli_watch_begin(&watch);
  one.watch = cli_watch_look, one.watch_context = &watch;
  int status = execute(&one, w);
  cli_watch_end(&watch);
  return status;
}

static int simulate(wishes *w) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(text);
  const ripstop_variant variant = {.sets = w->set.count, .set = w->set.value};
  write_experiment(&text, w);
  ripstop_spec *spec = ripstop_spec_read_memory(file_name, text.data, text.length, &variant, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  w->spec = spec;
  if (runs) cli_note_rounding(spec);
  int status = runs ? simulate_one(runs, w) : fail_without_line(&err);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  return status;
}

/* ------------------------------------------------------------------ the command */

static void more(FILE *file) {
  fprintf(file,
          "\nKeys for --set are those of experiments (docs/experiment-keys.md): switch.in_queue=8, traffic.packet=4,\n"
          "measure.cycles=20000, workload.packet=1024, seed=2. 'ripstop help switch' and the like list them.\n");
}

int ripstop_cmd_simulate(int argc, char **argv) {
  wishes w = {.fabric = ""};
  const ripstop_flag flags[] = {
      CLI_TEXT("method", "METHOD", &w.method, "How packets are routed ('ripstop methods').",
               .required = "'ripstop methods' lists the methods"),
      CLI_TEXT("model", "MODEL", &w.model,
               "packet: every packet is simulated; flow: messages of a workload are flows at fair rates.",
               .needs = "workload"),
      CLI_TEXT("load", "LOAD", &w.load, "Offered traffic in flits per end node and cycle, or saturation."),
      CLI_TEXT("pattern", "PATTERN", &w.pattern, "Where packets go ('ripstop patterns')."),
      CLI_TEXT("workload", "JOBS", &w.workload,
               "What end nodes do ('ripstop workloads'); a load is that of the others then."),
      CLI_TEXT("faults", "WHAT", &w.faults,
               "Failed links and switches by name; a number of random links; or a schedule ('ripstop faults')."),
      CLI_TEXTS("set", "KEY=VALUE", &w.set, "Any key of an experiment; several times."),
      CLI_THREADS("threads", &w.threads,
                  "Let N threads work on it; default: all processors that the fabric is large enough for."),
      CLI_SWITCH("watch", &w.watch, "Show cycle, throughput and latency on standard error while it runs.",
                 .excludes = "workload", .because = "--watch shows random traffic"),
      CLI_TEXT("losses", "FILE", &w.losses,
               "Write a row for each lost packet, at most 1000000: cycle,source,destination,node,cause (CSV).",
               .output = RIPSTOP_FLAG_OUTPUT),
      CLI_SWITCH("json", &w.json, "Print one JSON object."),
      {0}};
  const ripstop_usage usage = {.command = "simulate",
                               .arguments = "FABRIC",
                               .summary = "Simulates one run and prints all of its numbers.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags,
                               .more = more};
  int status = ripstop_cli_parse(&usage, argc, argv, &w.fabric, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (w.load || w.workload) return simulate(&w);
  ripstop_error err = {0};
  ripstop_fail(&err, "simulate: --load or --workload must be given");
  return ripstop_cli_fail(&err);
}
