/* fuzz_run.c - any bytes as a small experiment (fabric, method, faults, schedule, traffic, switch, reconfiguration),
 * which is run: the packets of each run balance, the same run again has the same outcome, on 2 to 16 threads too.
 *
 * The bytes choose among what the registries and the arrays of options have, so a new method, pattern or option is
 * tried by being there. What an experiment may not be is refused with its line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/experiment.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"
#include "route/plan_steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REACH = 12, CHANGES = 4, RUNS = 4, CYCLES = 600 }; /* REACH: how far integers go above their least value */

static void demand(bool holds) {
  if (!holds) abort();
}

/* ------------------------------------------------------------------ bytes choose */

typedef struct dice {
  const uint8_t *at, *end;
  ripstop_text text; /* results so far */
} dice;

/* 0 when there are no more bytes. */
static unsigned roll(dice *d, unsigned sides) { return d->at < d->end ? *d->at++ % sides : 0; }

static const ripstop_fabric *choose_fabric(dice *d) {
  static const char *const specs[] = {"kary-ntree:k=2,n=2", "kary-ntree:k=2,n=3", "mport-ntree:m=4,n=2",
                                      "torus:2x2",          "torus:3x3",          "torus:5",
                                      "torus:2x2x3",        "kns:k=2,n=3",        "kns:k=3,n=2"};
  enum { SPECS = sizeof specs / sizeof *specs };
  static const ripstop_fabric *fabric[SPECS];
  ripstop_error err;
  unsigned i = roll(d, SPECS);
  if (!fabric[i]) fabric[i] = ripstop_fabric_open(specs[i], &err);
  return fabric[i];
}

static const char *choose_word(dice *d, const char *const *words) {
  unsigned count = 0;
  while (words[count]) count++;
  return words[roll(d, count)];
}

static void add_options(dice *d, const ripstop_option *options, const char *sign, const char *const *but);

/* "NAME:OPTIONS" of one of a registry's plug-ins. */
#define ADD_PLUGIN(d, plugins)                                    \
  do {                                                            \
    unsigned count = 0;                                           \
    while (plugins[count]) count++;                               \
    count = roll(d, count);                                       \
    add_plugin(d, plugins[count]->name, plugins[count]->options); \
  } while (0)

static void add_plugin(dice *d, const char *name, const ripstop_option *options) {
  static const char *const none[] = {NULL};
  ripstop_text_add(&d->text, "\"%s:", name);
  if (options) add_options(d, options, "=", none);
  while (strchr(", :", d->text.data[d->text.length - 1])) d->text.data[--d->text.length] = '\0';
  ripstop_text_add(&d->text, "\"");
}

/* An option of type text names plug-ins, or is one of these. False: nothing is known of it. */
static bool add_text(dice *d, const char *option) {
  static const char *const packets[] = {"1", "4", "16", "3:0.8/19:0.2", NULL},
                           *const classes[] = {"1", "0.4/0.6", NULL},
                           *const processes[] = {"bernoulli", "poisson", "periodic", "on-off:on=9,off=30", NULL};
  if (!strcmp(option, "pattern"))
    ADD_PLUGIN(d, ripstop_patterns);
  else if (!strcmp(option, "arbiter"))
    ADD_PLUGIN(d, ripstop_arbiters);
  else if (!strcmp(option, "selection"))
    ADD_PLUGIN(d, ripstop_selections);
  else if (!strcmp(option, "queues"))
    ADD_PLUGIN(d, ripstop_switches);
  else if (!strcmp(option, "match"))
    ADD_PLUGIN(d, ripstop_matchings);
  else if (!strcmp(option, "packet"))
    ripstop_text_add(&d->text, "\"%s\"", choose_word(d, packets));
  else if (!strcmp(option, "classes"))
    ripstop_text_add(&d->text, "\"%s\"", choose_word(d, classes));
  else if (!strcmp(option, "process"))
    ripstop_text_add(&d->text, "\"%s\"", choose_word(d, processes));
  else
    return false;
  return true;
}

static void add_value(dice *d, const ripstop_option *o) {
  double reach = o->max - o->min < REACH ? o->max - o->min : REACH, unit = reach < 1 ? reach : 1;
  if (o->type == RIPSTOP_OPTION_INTEGER)
    ripstop_text_add(&d->text, "%.0f", o->min + roll(d, (unsigned)reach + 1));
  else if (o->type == RIPSTOP_OPTION_REAL)
    ripstop_text_add(&d->text, "%.5g", o->min + unit * roll(d, 256) / 255);
  else if (o->type == RIPSTOP_OPTION_FLAG)
    ripstop_text_add(&d->text, roll(d, 2) ? "on" : "off");
  else
    ripstop_text_add(&d->text, "%s", choose_word(d, o->words));
}

static bool is_among(const char *const *names, const char *name) {
  for (; *names; names++)
    if (!strcmp(*names, name)) return true;
  return false;
}

/* Some of them, and those that must be given, as "NAME: VALUE", or with another sign between. */
static void add_options(dice *d, const ripstop_option *options, const char *sign, const char *const *but) {
  for (const ripstop_option *o = options; o->name; o++) {
    size_t before = d->text.length;
    if (is_among(but, o->name) || (o->fallback && roll(d, 3))) continue;
    ripstop_text_add(&d->text, "%s%s", o->name, sign);
    if (o->type != RIPSTOP_OPTION_TEXT)
      add_value(d, o);
    else if (!add_text(d, o->name))
      d->text.data[d->text.length = before] = '\0';
    if (d->text.length > before) ripstop_text_add(&d->text, *sign == '=' ? "," : ", ");
  }
}

static void add_section(dice *d, const char *key, const ripstop_option *options, const char *const *but) {
  ripstop_text_add(&d->text, "%s: {", key);
  add_options(d, options, ": ", but);
  ripstop_text_add(&d->text, "}\n");
}

/* ------------------------------------------------------------------ faults */

static void add_part(dice *d, const ripstop_fabric *f) {
  char name[RIPSTOP_NAME_MAX];
  bool is_switch = roll(d, 4) == 0;
  if (is_switch)
    ripstop_node_name(f, f->ends + roll(d, f->nodes - f->ends), name);
  else
    ripstop_link_name(f, roll(d, f->links), name);
  ripstop_text_add(&d->text, "%s%s", is_switch ? "switch:" : "", name);
}

/* A repaired part has mostly failed before. */
static void add_changes(dice *d, const ripstop_fabric *f) {
  unsigned cycle = 0;
  ripstop_text_add(&d->text, "\"");
  for (unsigned i = roll(d, CHANGES + 1); i; i--) {
    const uint8_t *part = d->at;
    add_part(d, f);
    if (roll(d, 5) == 0) ripstop_text_add(&d->text, "~0.%u", 1 + roll(d, 9));
    ripstop_text_add(&d->text, "@%u ", cycle += roll(d, 200));
    if (roll(d, 2) || d->at == d->end) continue;
    dice again = {.at = part, .end = d->end, .text = d->text};
    add_part(&again, f);
    d->text = again.text;
    ripstop_text_add(&d->text, "+@%u ", cycle += 1 + roll(d, 250));
  }
  ripstop_text_add(&d->text, "\"");
}

static void add_faults(dice *d, const ripstop_fabric *f) {
  static const char *const scopes[] = {"switch-links", "all-links", "switches", "local",
                                       "global",       "level-0",   "'?.*'",    NULL};
  unsigned kind = roll(d, 8);
  ripstop_text_add(&d->text, "faults: {");
  if (kind & 1) ripstop_text_add(&d->text, "count: %u, scope: %s, ", roll(d, 4), choose_word(d, scopes));
  if (kind == 2) {
    ripstop_text_add(&d->text, "set: \"");
    add_part(d, f);
    ripstop_text_add(&d->text, " ");
    add_part(d, f);
    ripstop_text_add(&d->text, "\", ");
  }
  if (kind >= 4) {
    ripstop_text_add(&d->text, "schedule: ");
    if (kind < 6)
      add_changes(d, f);
    else
      ADD_PLUGIN(d, ripstop_processes);
  }
  ripstop_text_add(&d->text, "}\n");
}

/* ------------------------------------------------------------------ the experiment */

static bool applies(const ripstop_method *method, const ripstop_fabric *fabric) {
  ripstop_error err;
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, method->name, NULL, &err);
  bool made = plan && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES;
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return made;
}

/* Mostly one that the fabric has a use for. */
static const ripstop_method *choose_method(dice *d, const ripstop_fabric *fabric) {
  unsigned count = 0;
  while (ripstop_methods[count]) count++;
  unsigned first = roll(d, count), any = roll(d, 16) == 15;
  for (unsigned i = 0; i < count && !any; i++)
    if (applies(ripstop_methods[(first + i) % count], fabric)) return ripstop_methods[(first + i) % count];
  return ripstop_methods[first];
}

static void write_experiment(dice *d) {
  static const char *const none[] = {NULL}, *const cycles[] = {"cycles", "warmup", NULL};
  const ripstop_fabric *fabric = choose_fabric(d);
  ripstop_text_add(&d->text, "fabric: \"%s\"\nmethod: ", fabric->spec);
  const ripstop_method *method = choose_method(d, fabric);
  add_plugin(d, method->name, method->options);
  ripstop_text_add(&d->text, "\n");
  add_faults(d, fabric);
  add_section(d, "traffic", ripstop_traffic_options, none);
  add_section(d, "switch", ripstop_switch_options, none);
  if (roll(d, 4) == 0) add_section(d, "reaction", ripstop_reconfiguration_options, none);
  ripstop_text_add(&d->text, "seed: %u\n", roll(d, 256));
  add_section(d, "measure", ripstop_measure_options, cycles);
  d->text.data[d->text.length -= 2] = '\0'; /* the brace */
  ripstop_text_add(&d->text, "warmup: %u, cycles: %u}\n", roll(d, 4) * 40, 40 + roll(d, 256) * CYCLES / 256);
}

/* ------------------------------------------------------------------ invariants */

static double value_of(const ripstop_outcome *o, const char *name) {
  for (size_t i = 0; i < o->values; i++)
    if (!strcmp(o->value[i].name, name)) return o->value[i].value;
  return NAN;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }
static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_window(const ripstop_window *a, const ripstop_window *b) {
  return a->cycle == b->cycle && a->generated == b->generated && a->injected == b->injected &&
         a->delivered == b->delivered && a->lost == b->lost && a->delivered_flits == b->delivered_flits &&
         same_number(a->latency, b->latency);
}

static void demand_same(const ripstop_outcome *a, const ripstop_outcome *b) {
  demand(same_text(a->verdict, b->verdict) && same_text(a->reason, b->reason) && same_text(a->faults, b->faults));
  demand(a->values == b->values && a->windows == b->windows);
  for (size_t i = 0; i < a->values; i++)
    demand(same_text(a->value[i].name, b->value[i].name) && same_text(a->value[i].unit, b->value[i].unit) &&
           same_number(a->value[i].value, b->value[i].value) && same_number(a->value[i].half, b->value[i].half));
  for (size_t i = 0; i < a->windows; i++) demand(same_window(&a->window[i], &b->window[i]));
}

static void demand_balance(const ripstop_outcome *o) {
  if (!o->values) return;
  demand(value_of(o, "account.generated") == value_of(o, "account.delivered") + value_of(o, "account.in-flight") +
                                                 value_of(o, "account.waiting") + value_of(o, "account.lost"));
}

static void execute(const ripstop_run *run, uint32_t threads, ripstop_outcome *out) {
  ripstop_run own = *run;
  own.threads = threads;
  demand(ripstop_run_execute(&own, NULL, out) == 0);
}

/* Errors that may come so late: a schedule that cannot be made. Any other is found before, or is a mistake of ours. */
static bool is_no_mistake(const char *reason) { return !strncmp(reason, "faults.schedule: ", 17); }

static void try_run(const ripstop_run *run) {
  ripstop_outcome first, again;
  execute(run, 1, &first);
  if (getenv("FUZZ_SHOW")) fprintf(stderr, "%s: %s\n", first.verdict, first.reason ? first.reason : "");
  demand(strcmp(first.verdict, "error") != 0 || is_no_mistake(first.reason));
  demand_balance(&first);
  const uint32_t threads[] = {1, 2 + (uint32_t)run->id[0] % 15};
  for (int i = 0; i < 2; i++) {
    execute(run, threads[i], &again);
    demand_same(&first, &again);
    ripstop_outcome_free(&again);
  }
  ripstop_outcome_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dice d = {.at = data, .end = data + size};
  ripstop_error err = {0};
  write_experiment(&d);
  if (getenv("FUZZ_SHOW")) fputs(d.text.data, stderr);
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", d.text.data, d.text.length, NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) demand(!strncmp(err.text, "x.yaml:", 7) && !strchr(err.text, '\n') && !err.machine);
  if (!runs && getenv("FUZZ_SHOW")) fprintf(stderr, "%s\n", err.text);
  for (size_t i = 0; runs && i < runs->count && i < RUNS; i++) try_run(&runs->run[i]);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  ripstop_text_free(&d.text);
  return 0;
}
