/* protocol.c - `ripstop protocol FABRIC`: runs a method's protocol alone on the virtual network and shows its messages,
 * the switches' final states, or a picture of how one update spreads. docs/protocol.md explains what it prints. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "faults/fault_syntax.h"
#include "ripstop/kit/picture.h"
#include "ripstop/plugin/method.h"

enum { LIMIT_DEFAULT = 1000000 };
enum { DELAY_MAX = 1000000000 };

typedef struct words { /* NULL: not given */
  const char *fabric, *method, *schedule, *events, *svg;
  uint64_t spread;
  bool trace, json;
} words;

typedef struct request {
  words words;
  const char *method; /* with every option */
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_schedule schedule;
  ripstop_network_options options;
  uint64_t limit;
  int widest;                  /* bytes of the longest name of a switch */
  bool has_begun;              /* the trace */
  ripstop_update_flood *flood; /* to be drawn */
} request;

/* ------------------------------------------------------------------ the command line */

static int read_schedule(request *r, ripstop_error *err) {
  const words *w = &r->words;
  ripstop_names *names = ripstop_names_new(r->fabric);
  int status = 0;
  if (w->schedule) status = ripstop_schedule_read(r->arena, names, w->schedule, &r->schedule, err);
  if (w->events && ripstop_schedule_parse(r->arena, names, w->events, strlen(w->events), &r->schedule, err))
    status = ripstop_fail_at(err, "--events");
  if (status == 0 && ripstop_schedule_check(&r->schedule, r->fabric, NULL, err))
    status = ripstop_fail_at(err, "%s", w->schedule ? w->schedule : "--events");
  ripstop_names_free(names);
  r->options.schedule = &r->schedule;
  return status;
}

/* ------------------------------------------------------------------ the trace */

static void add_part(ripstop_text *out, const request *r, const ripstop_change *change) {
  ripstop_part_add_name(out, r->fabric, change->id, change->is_switch);
}

static void find_widest(request *r) {
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t v = r->fabric->ends; v < r->fabric->nodes; v++) {
    ripstop_node_name(r->fabric, v, name);
    if ((int)strlen(name) > r->widest) r->widest = (int)strlen(name);
  }
}

static void print_head(request *r) {
  if (!r->has_begun) printf("%8s  %8s  %-*s  %s\n", "cycle", "arrives", 2 * r->widest + 3, "from > to", "message");
  r->has_begun = true;
}

static void print_message(const request *r, const ripstop_trace_event *trace) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX], arrives[24];
  RIPSTOP_LOCAL_TEXT(message);
  ripstop_node_name(r->fabric, trace->node, from);
  ripstop_node_name(r->fabric, trace->peer, to);
  if (trace->kind == RIPSTOP_SAW_LOST || trace->arrives == RIPSTOP_NEVER)
    snprintf(arrives, sizeof arrives, "lost");
  else
    snprintf(arrives, sizeof arrives, "%" PRIu64, trace->arrives);
  trace->plan->method->proto->print(trace->plan, trace->message, &message);
  printf("%8" PRIu64 "  %8s  %-*s > %-*s  %s%s\n", trace->cycle, arrives, r->widest, from, r->widest, to,
         trace->kind == RIPSTOP_SAW_LOST ? "with the link: " : "", message.data ? message.data : "");
}

static const char *what_happens(const ripstop_change *change) {
  if (change->rate) return "slows down";
  return change->up ? "returns" : "fails";
}

static void print_change(const request *r, const ripstop_trace_event *trace) {
  RIPSTOP_LOCAL_TEXT(part);
  add_part(&part, r, trace->change);
  printf("%8" PRIu64 "  %8s  %s %s\n", trace->cycle, "", part.data, what_happens(trace->change));
}

static void print_event(request *r, const ripstop_trace_event *trace) {
  char name[RIPSTOP_NAME_MAX];
  if (trace->kind == RIPSTOP_SAW_STEP) return; /* its cause was printed */
  print_head(r);
  if (trace->kind == RIPSTOP_SAW_CHANGE) print_change(r, trace);
  if (trace->kind == RIPSTOP_SAW_SENT || trace->kind == RIPSTOP_SAW_LOST) print_message(r, trace);
  if (trace->kind != RIPSTOP_SAW_CANDIDATES) return;
  ripstop_node_name(r->fabric, trace->node, name);
  printf("%8" PRIu64 "  %8s  %s has new candidates\n", trace->cycle, "", name);
}

static void watch(void *context, const ripstop_trace_event *trace) {
  request *r = context;
  if (r->flood) ripstop_update_flood_watch(r->flood, trace);
  if (r->words.trace) print_event(r, trace);
}

/* ------------------------------------------------------------------ the summary */

static const char *plural(uint64_t count, const char *one, const char *many) { return count == 1 ? one : many; }

static void print_count(const ripstop_network_count *c, uint64_t began) {
  printf("%" PRIu64 " message%s", c->sent, plural(c->sent, "", "s"));
  if (c->lost) printf(", %" PRIu64 " of them lost", c->lost);
  if (c->last_arrival != RIPSTOP_NEVER) printf(", the last arrives after %" PRIu64 " cycles", c->last_arrival - began);
  if (c->last_change == RIPSTOP_NEVER)
    printf("; no switch has new candidates\n");
  else
    printf("; %u switch%s new candidates, the last after %" PRIu64 " cycles\n", c->switches,
           plural(c->switches, " has", "es have"), c->last_change - began);
}

/* Counts the schedule's changes that the limit lets happen. */
static size_t changes_run(const request *r) {
  size_t count = 0;
  while (count < r->schedule.count && r->schedule.change[count].cycle < r->limit) count++;
  return count;
}

/* Says why there is less to see than one may expect. */
static void print_unseen(const request *r, const ripstop_proto *proto) {
  size_t run = changes_run(r), beyond = r->schedule.count - run;
  if (!r->schedule.count) printf("nothing fails or returns: --events or --schedule says what shall\n");
  if (beyond)
    printf("%zu change%s not reached, the next at cycle %" PRIu64 ": --limit is %" PRIu64 "\n", beyond,
           plural(beyond, " is", "s are"), r->schedule.change[run].cycle, r->limit);
  if (r->options.loss > 0 && proto->check)
    printf("with --loss it is not checked whether the switches keep what the protocol promises\n");
}

static void print_summary(const request *r, const ripstop_network *n) {
  ripstop_network_count all = ripstop_network_count_all(n), first = ripstop_network_count_of(n, 0);
  print_unseen(r, ripstop_network_plan(n)->method->proto);
  if (first.sent || first.switches) {
    printf("the start: ");
    print_count(&first, 0);
  }
  for (size_t i = 0; i < changes_run(r); i++) {
    const ripstop_change *change = &r->schedule.change[i];
    ripstop_network_count count = ripstop_network_count_of(n, i + 1);
    RIPSTOP_LOCAL_TEXT(part);
    add_part(&part, r, change);
    printf("%s %s at cycle %" PRIu64 ": ", part.data, what_happens(change), change->cycle);
    print_count(&count, change->cycle);
  }
  printf("in all %" PRIu64 " message%s, ", all.sent, plural(all.sent, "", "s"));
  if (ripstop_network_due(n) == RIPSTOP_NEVER)
    printf("quiet after cycle %" PRIu64, ripstop_network_now(n));
  else
    printf("not quiet before cycle %" PRIu64, r->limit);
  printf("; %u of %u switches had new candidates\n", all.switches, ripstop_fabric_switches(r->fabric));
  RIPSTOP_LOCAL_TEXT(report);
  ripstop_network_report(n, false, &report);
  if (report.data) printf("%s", report.data);
}

/* ------------------------------------------------------------------ JSON */

static json_t *cycle_or_null(uint64_t cycle) {
  return cycle == RIPSTOP_NEVER ? json_null() : json_integer((json_int_t)cycle);
}

static void add_count(json_t *object, const ripstop_network_count *c) {
  json_object_set_new(object, "messages", json_integer((json_int_t)c->sent));
  json_object_set_new(object, "lost", json_integer((json_int_t)c->lost));
  json_object_set_new(object, "switches_changed", json_integer(c->switches));
  json_object_set_new(object, "last_arrival", cycle_or_null(c->last_arrival));
  json_object_set_new(object, "last_change", cycle_or_null(c->last_change));
}

/* Changes that have happened. */
static json_t *json_changes(const request *r, const ripstop_network *n) {
  json_t *list = json_array();
  for (size_t i = 0; i < changes_run(r); i++) {
    const ripstop_change *change = &r->schedule.change[i];
    ripstop_network_count count = ripstop_network_count_of(n, i + 1);
    RIPSTOP_LOCAL_TEXT(part);
    add_part(&part, r, change);
    json_t *one = json_pack("{s:s, s:b, s:I}", "part", part.data, "up", change->up, "cycle", (json_int_t)change->cycle);
    if (change->rate) json_object_set_new(one, "rate", json_real(change->rate / (double)RIPSTOP_RATE_FULL));
    add_count(one, &count);
    json_array_append_new(list, one);
  }
  return list;
}

/* NULL when the protocol's own text is no JSON: its mistake. */
static json_t *json_state(const request *r, const ripstop_network *n, uint32_t node, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  json_error_t why;
  char name[RIPSTOP_NAME_MAX];
  ripstop_network_json(n, node, &text);
  json_t *state = json_loadb(text.data, text.length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
  ripstop_node_name(r->fabric, node, name);
  if (!state) ripstop_fail(err, "method %s shows switch %s not as JSON: %s", r->method, name, why.text);
  return state ? json_pack("{s:s, s:o}", "name", name, "state", state) : NULL;
}

/* Adds the report of the method on all switches together, as members beside the others. -1: it is no JSON. */
static int add_report(const request *r, const ripstop_network *n, json_t *root, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  json_error_t why;
  ripstop_network_report(n, true, &text);
  json_t *report = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &why);
  int status = report ? json_object_update_missing(root, report) : -1;
  if (status) ripstop_fail(err, "method %s shows its switches together not as JSON: %s", r->method, why.text);
  json_decref(report);
  return status;
}

static int print_json(const request *r, const ripstop_network *n, ripstop_error *err) {
  ripstop_network_count all = ripstop_network_count_all(n), first = ripstop_network_count_of(n, 0);
  json_t *switches = json_array(), *start = json_object(), *total = json_object();
  int status = RIPSTOP_EXIT_OK;
  for (uint32_t v = r->fabric->ends; v < r->fabric->nodes && status == RIPSTOP_EXIT_OK; v++) {
    json_t *one = json_state(r, n, v, err);
    if (one)
      json_array_append_new(switches, one);
    else
      status = ripstop_cli_fail_work(err);
  }
  add_count(start, &first);
  add_count(total, &all);
  json_t *root = json_pack("{s:s, s:s, s:I, s:b, s:I, s:o, s:o, s:o, s:o}", "fabric", r->fabric->spec, "method",
                           r->method, "seed", (json_int_t)r->options.seed, "quiet",
                           ripstop_network_due(n) == RIPSTOP_NEVER, "cycle", (json_int_t)ripstop_network_now(n), "all",
                           total, "start", start, "changes", json_changes(r, n), "switches", switches);
  if (status == RIPSTOP_EXIT_OK && add_report(r, n, root, err)) status = ripstop_cli_fail_work(err);
  if (status == RIPSTOP_EXIT_OK && json_dumpf(root, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER) != 0 &&
      !ferror(stdout)) {
    ripstop_fail(err, "%s cannot be written as JSON: not UTF-8", r->fabric->spec);
    status = ripstop_cli_fail(err);
  } else if (status == RIPSTOP_EXIT_OK) {
    printf("\n");
  }
  json_decref(root);
  return status;
}

/* ------------------------------------------------------------------ the command */

static int write_picture(const request *r, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(picture);
  ripstop_update_flood_svg(r->flood, &picture);
  int status = cli_write_file(r->words.svg, &picture, err);
  return status ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

static int print_outcome(const request *r, const ripstop_network *n, ripstop_error *err) {
  if (r->words.json) return print_json(r, n, err);
  print_summary(r, n);
  return RIPSTOP_EXIT_OK;
}

/* The result is shown also where the protocol has not kept its promise. */
static int run(request *r, ripstop_network *n, ripstop_error *err) {
  ripstop_error why = {0};
  bool failed = ripstop_network_run(n, r->limit, &why) < 0;
  if (failed && !ripstop_network_broken(n)) return ripstop_cli_fail(&why);
  int status = print_outcome(r, n, err);
  if (status == RIPSTOP_EXIT_OK && failed) status = ripstop_cli_fail_work(&why);
  return status == RIPSTOP_EXIT_OK && r->flood ? write_picture(r, err) : status;
}

static int check_picture(const request *r, ripstop_error *err) {
  if (!r->schedule.count)
    return ripstop_fail(err, "protocol: --svg draws how an update spreads; --events or --schedule says which");
  if (!changes_run(r))
    return ripstop_fail(
        err, "protocol: --svg draws the first change, at cycle %" PRIu64 ", which --limit %" PRIu64 " leaves out",
        r->schedule.change[0].cycle, r->limit);
  return 0;
}

static int prepare(request *r, ripstop_error *err) {
  r->options.spread = (uint32_t)r->words.spread;
  r->fabric = ripstop_cli_open_fabric(r->words.fabric, err);
  if (!r->fabric || ripstop_method_canonical(r->arena, r->words.method, &r->method, err) || read_schedule(r, err))
    return -1;
  find_widest(r);
  if (r->words.svg && check_picture(r, err)) return -1;
  if (r->words.svg) r->flood = ripstop_update_flood_new(r->fabric, 1);
  r->options.watch = watch;
  r->options.context = r;
  return 0;
}

static void explain(FILE *file) {
  fprintf(file, "\nA schedule is words such as 0/2.1/3@5000 (a link fails at cycle 5000), 0/2.1/3+@9000 (it returns),\n"
                "switch:1/0.0@70. docs/protocol.md says what the trace, the JSON and the picture show.\n");
}

static int go(request *r, ripstop_error *err) {
  if (prepare(r, err)) return ripstop_cli_fail(err);
  ripstop_view *view = ripstop_view_new(r->fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, r->method, NULL, err);
  ripstop_network *n = plan ? ripstop_network_open(plan, &r->options, err) : NULL;
  int status = n ? run(r, n, err) : ripstop_cli_fail(err);
  ripstop_network_free(n);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return status;
}

int ripstop_cmd_protocol(int argc, char **argv) {
  request r = {.limit = LIMIT_DEFAULT, .options.seed = 1};
  words *w = &r.words;
  const ripstop_flag flags[] = {
      CLI_TEXT("method", "METHOD", &w->method, "The method, with its options.",
               .required = "'ripstop methods' lists the methods"),
      CLI_TEXT("schedule", "FILE", &w->schedule, "When parts fail and return.", .excludes = "events"),
      CLI_TEXT("events", "LINE", &w->events, "The same, written here."),
      CLI_SWITCH("trace", &w->trace, "Print every message.", .excludes = "json"),
      CLI_SWITCH("json", &w->json, "Print the final state of every switch as JSON."),
      CLI_TEXT("svg", "FILE", &w->svg, "Draw how the messages of the schedule's first change spread.",
               .output = RIPSTOP_FLAG_OUTPUT),
      CLI_INTEGER("delay", "CYCLES", &r.options.delay,
                  "What a message takes for a hop; default: what the protocol says.", .least = 1, .most = DELAY_MAX),
      CLI_INTEGER("spread", "CYCLES", &w->spread, "Delay each message further by a random number of cycles up to this.",
                  .most = DELAY_MAX),
      CLI_SWITCH("reorder", &r.options.reorder, "Let messages overtake each other on a link.", .needs = "spread"),
      CLI_SHARE("loss", "SHARE", &r.options.loss, "Lose this share of the messages."),
      CLI_INTEGER("seed", "N", &r.options.seed, "Of spread and loss; default 1.", .most = INT64_MAX),
      CLI_INTEGER("limit", "CYCLES", &r.limit, "End before this cycle, quiet or not; default 1000000.",
                  .most = INT64_MAX),
      {0},
  };
  const ripstop_usage usage = {.command = "protocol",
                               .arguments = "FABRIC",
                               .summary = "Runs a method's protocol alone, without packets, and shows its messages.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags,
                               .more = explain};
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, &w->fabric, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  r.arena = ripstop_arena_new();
  status = go(&r, &err);
  ripstop_update_flood_free(r.flood);
  if (r.fabric) ripstop_fabric_free(r.fabric);
  ripstop_arena_free(r.arena);
  return status;
}
