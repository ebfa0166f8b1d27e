/* expand.c - an experiment's runs, with names: each fabric's fault sets and schedules, times the product of all other
 * lists (odometer.c).
 *
 * Names of links mean something in one fabric only, so fault sets and schedules are read for each. Everything that can
 * be wrong is found here, before any run starts: names, counts, and, by a trial of each different switch and traffic
 * (trial.c), what only the simulator knows.
 *
 * Time and memory: proportional to the number of runs. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "experiment/cases.h"
#include "experiment/inner_runs.h"
#include "experiment/odometer.h"
#include "experiment/plugin_hash.h"
#include "experiment/trial.h"
#include "fabric/inner.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/switch.h"

/* The meaning of an axis's settings on the open fabrics. */
typedef struct ripstop_meaning {
  const ripstop_axis *axis;
  const char **text; /* [fabrics * settings]; NULL: nothing on this fabric */
} meaning;
enum { MEANT_FABRIC, MEANT_SET, MEANT_SCHEDULE, MEANINGS };

/* The plug-ins that a run is made of, and a hash over theirs. */
typedef struct named_source {
  source_spec spec;
  const char *hash;
} named_source;

typedef struct expansion {
  const ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_arena *arena;
  reader reader;
  product *product;
  meaning meaning[MEANINGS];
  cases *cases; /* [fabrics that are open] */
  trial trial;
  bool tried;          /* settings are checked against the simulator */
  ripstop_text text;   /* a run's canonical one */
  named_source source; /* the previous run's, which is mostly the next one's too */
} expansion;

/* ------------------------------------------------------------------ meanings of settings */

static void open_meanings(expansion *x) {
  static const char *const key[] = {
      [MEANT_FABRIC] = "fabric", [MEANT_SET] = "faults.set", [MEANT_SCHEDULE] = "faults.schedule"};
  size_t fabrics = ripstop_spec_axis(x->spec, "fabric")->count;
  for (int m = 0; m < MEANINGS; m++) {
    x->meaning[m].axis = ripstop_spec_axis(x->spec, key[m]);
    x->meaning[m].text = RIPSTOP_ARRAY(x->arena, fabrics * x->meaning[m].axis->count, const char *);
  }
}

/* [settings]: on the fabric with this number. */
static const char **meaning_on(const expansion *x, int which, size_t fabric) {
  return &x->meaning[which].text[fabric * x->meaning[which].axis->count];
}

bool ripstop_runs_is(const ripstop_runs *runs, const ripstop_setting *setting, const char *value) {
  if (setting->text) return !strcmp(setting->text, value);
  for (int m = 0; m < MEANINGS; m++) {
    const ripstop_axis *axis = runs->meaning[m].axis;
    size_t at = 0;
    while (at < axis->count && &axis->setting[at] != setting) at++;
    for (size_t f = 0; f < runs->fabrics && at < axis->count; f++) {
      const char *text = runs->meaning[m].text[f * axis->count + at];
      if (text && !strcmp(text, value)) return true;
    }
  }
  return false;
}

/* ------------------------------------------------------------------ fabrics */

/* Opens the fabric with this number, which none of those before may be. */
static int open_fabric(expansion *x, size_t number) {
  ripstop_error why;
  const ripstop_axis *axis = ripstop_spec_axis(x->spec, "fabric");
  const ripstop_setting *setting = &axis->setting[number];
  ripstop_fabric *fabric = ripstop_fabric_open_beside(setting->written, x->spec->file, &why);
  if (!fabric) return reader_pass(&x->reader, setting->line, &why, "");
  x->runs->fabric[x->runs->fabrics++] = fabric;
  if (x->spec->kind == RIPSTOP_RUN_SIMULATE && fabric->ends < 2)
    return reader_fail(&x->reader, setting->line, "fabric %s has %s end node; traffic needs two", fabric->spec,
                       fabric->ends ? "one" : "no");
  for (size_t j = 0; j < number; j++)
    if (!strcmp(x->runs->fabric[j]->spec, fabric->spec))
      return reader_fail(&x->reader, setting->line, "fabric: '%s' stands in the list twice", setting->written);
  meaning_on(x, MEANT_FABRIC, number)[number] = fabric->spec;
  return 0;
}

static int find_cases(expansion *x, size_t number) {
  cases *c = &x->cases[number];
  ripstop_names *names = ripstop_names_new(x->runs->fabric[number]);
  *c = (cases){.reader = &x->reader,
               .spec = x->spec,
               .arena = x->arena,
               .fabric = x->runs->fabric[number],
               .names = names,
               .set = meaning_on(x, MEANT_SET, number)};
  int status = cases_find(c);
  for (size_t s = 0; s < c->schedules; s++) meaning_on(x, MEANT_SCHEDULE, number)[s] = c->schedule[s].text;
  ripstop_names_free(names);
  c->names = NULL;
  return status;
}

static int count_runs(expansion *x, const cases *c) {
  double total = (double)x->runs->count + (double)x->product->count * (double)c->faults * (double)c->schedules;
  if (total > RIPSTOP_RUNS_MAX)
    return reader_fail(&x->reader, 1, "the lists multiply to %.15g runs; at most %u", total, RIPSTOP_RUNS_MAX);
  x->runs->count = (size_t)total;
  return 0;
}

static int try_all(expansion *x, const cases *c) {
  const product *p = x->product;
  if (!x->tried) return 0;
  trial_begin(&x->trial, c);
  for (uint64_t place = product_next(p, 0); place < p->places; place = product_next(p, place + 1))
    if (trial_of(&x->trial, place)) return -1;
  return 0;
}

static int open_fabrics(expansion *x) {
  size_t count = ripstop_spec_axis(x->spec, "fabric")->count;
  x->runs->fabric = RIPSTOP_ARRAY(x->arena, count, ripstop_fabric *);
  x->cases = RIPSTOP_ARRAY(x->arena, count, cases);
  for (size_t i = 0; i < count; i++)
    if (open_fabric(x, i) || find_cases(x, i) || count_runs(x, &x->cases[i]) || try_all(x, &x->cases[i])) return -1;
  return x->runs->count ? 0 : reader_fail(&x->reader, 1, "only: no run of the product is in any part");
}

/* ------------------------------------------------------------------ runs */

/* NULL: the default, which needs no plug-in's code and is not in the canonical text. */
static const char *queues_of(const ripstop_run *run) {
  const char *queues = ripstop_run_key(run, "switch.queues");
  return queues && strcmp(queues, RIPSTOP_SWITCH_QUEUES) ? queues : NULL;
}

static const char *match_of(const ripstop_run *run) {
  const char *match = ripstop_run_key(run, "switch.match");
  return match && strcmp(match, RIPSTOP_MATCHING_USUAL) ? match : NULL;
}

static const char *name_source(expansion *x, const ripstop_run *run) {
  const source_spec spec = {{[SOURCE_FAMILY] = run->fabric->spec,
                             [SOURCE_METHOD] = run->method,
                             [SOURCE_PROCESS] = run->rule ? run->rule->spec : NULL,
                             [SOURCE_PATTERN] = ripstop_run_key(run, "traffic.pattern"),
                             [SOURCE_ARBITER] = ripstop_run_key(run, "switch.arbiter"),
                             [SOURCE_SELECTION] = ripstop_run_key(run, "switch.selection"),
                             [SOURCE_KERNEL] = ripstop_run_key(run, "program.kernel"),
                             [SOURCE_WORKLOAD] = ripstop_run_key(run, "workload.jobs"),
                             [SOURCE_SWITCH] = queues_of(run),
                             [SOURCE_MATCHING] = match_of(run)}};
  if (x->source.hash && !memcmp(&spec, &x->source.spec, sizeof spec)) return x->source.hash;
  char hash[SOURCE_HASH];
  source_hash(&spec, NULL, hash);
  x->source.spec = spec;
  return x->source.hash = ripstop_arena_text(x->arena, hash);
}

static void name_run(expansion *x, ripstop_run *run) {
  run->source = name_source(x, run);
  x->text.length = 0;
  ripstop_run_canonical(run, &x->text);
  ripstop_hash(x->text.data, x->text.length, run->id);
}

static ripstop_run run_at(const product *p, uint64_t place, const cases *c, const fault_case *fault,
                          const schedule_case *schedule) {
  const ripstop_setting *method = digit_setting(&p->digit[p->method], place);
  return (ripstop_run){.kind = p->spec->kind,
                       .scope = fault->parts_of,
                       .keep = fault->keep_word,
                       .fault_count = fault->parts,
                       .sample = fault->index,
                       .seed = strtoull(digit_setting(&p->digit[p->seed], place)->text, NULL, 10),
                       .fabric = c->fabric,
                       .method = method->text,
                       .routes = method->opens,
                       .faults = fault->faults,
                       .schedule = schedule->schedule,
                       .rule = schedule->rule,
                       .product = p,
                       .place = place,
                       .fault = fault,
                       .change = schedule};
}

/* The first run of each sample. */
static size_t *find_starts(const expansion *x) {
  uint32_t most = 0;
  for (size_t i = 0; i < x->runs->fabrics; i++)
    for (size_t f = 0; f < x->cases[i].faults; f++)
      if (x->cases[i].fault[f].index > most) most = x->cases[i].fault[f].index;
  size_t *start = RIPSTOP_ARRAY(x->arena, (size_t)most + 2, size_t);
  for (size_t i = 0; i < x->runs->fabrics; i++)
    for (size_t f = 0; f < x->cases[i].faults; f++)
      start[x->cases[i].fault[f].index + 1] += x->product->count * x->cases[i].schedules;
  for (size_t s = 0; s < most; s++) start[s + 1] += start[s];
  return start;
}

/* By sample; within one the fabrics are outermost, then the places: the order of curves in figures. */
static void make_runs(expansion *x) {
  const product *p = x->product;
  ripstop_run *run = RIPSTOP_ARRAY(x->arena, x->runs->count, ripstop_run);
  size_t *next = find_starts(x);
  for (size_t i = 0; i < x->runs->fabrics; i++) {
    const cases *c = &x->cases[i];
    for (uint64_t place = product_next(p, 0); place < p->places; place = product_next(p, place + 1))
      for (size_t s = 0; s < c->schedules; s++)
        for (size_t f = 0; f < c->faults; f++) {
          ripstop_run *own = &run[next[c->fault[f].index]++];
          *own = run_at(p, place, c, &c->fault[f], &c->schedule[s]);
          name_run(x, own);
        }
  }
  ripstop_text_free(&x->text);
  x->runs->run = run;
}

static ripstop_runs *expand(const ripstop_spec *spec, bool tried, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_runs *runs = RIPSTOP_NEW(arena, ripstop_runs);
  *runs = (ripstop_runs){.spec = spec, .arena = arena};
  expansion *x = RIPSTOP_NEW(arena, expansion); /* cases point to its reader, runs to its product */
  *x = (expansion){.spec = spec,
                   .runs = runs,
                   .arena = arena,
                   .tried = tried,
                   .reader = {.file = spec->file, .variant = &spec->variant, .err = err},
                   .product = RIPSTOP_NEW(arena, product)};
  x->product->spec = spec;
  open_meanings(x);
  runs->meaning = x->meaning;
  int status = product_open(x->product, &x->reader, arena);
  if (!status) {
    trial_open(&x->trial, &x->reader, x->product, arena);
    status = open_fabrics(x);
    trial_close(&x->trial);
  }
  if (!status) make_runs(x);
  if (!status) return runs;
  ripstop_runs_free(runs);
  return NULL;
}

ripstop_runs *ripstop_expand(const ripstop_spec *spec, ripstop_error *err) { return expand(spec, true, err); }

ripstop_runs *ripstop_expand_untried(const ripstop_spec *spec, ripstop_error *err) { return expand(spec, false, err); }

void ripstop_runs_free(ripstop_runs *runs) {
  if (!runs) return;
  for (size_t i = 0; i < runs->fabrics; i++) ripstop_fabric_free(runs->fabric[i]);
  ripstop_arena_free(runs->arena);
}
