/* expand.c - the product of an experiment's lists, as runs with names.
 *
 * Outer loops: fabric, fault set, schedule (names of links mean something in one fabric only). Inner: an odometer over
 * all other axes, whose config structs change only where a digit turned. Everything that can be wrong is found here,
 * before any run starts: names, counts, and, by a trial of each different switch and traffic, what only the simulator
 * knows.
 *
 * Time and memory: proportional to the number of runs. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "experiment/axes.h"
#include "experiment/cases.h"
#include "experiment/execute.h"
#include "experiment/ground.h"
#include "experiment/source.h"
#include "ripstop/plan.h"

/* What the settings of an axis came to when the fabrics were open. */
typedef struct ripstop_meaning {
  const ripstop_axis *axis;
  const char **text; /* [fabrics * settings]; NULL: nothing on this fabric */
} meaning;
enum { MEANT_FABRIC, MEANT_SET, MEANT_SCHEDULE, MEANINGS };

/* What the line of the source was made from. */
typedef struct named_source {
  const char *spec[SOURCE_PARTS];
  char hash[SOURCE_HASH];
} named_source;

typedef struct expansion {
  const ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_run *run;
  ripstop_arena *arena;
  reader reader;
  const ripstop_axis **digit; /* the axes of the odometer */
  size_t digits;
  size_t *at, *applied; /* [digits]: setting now, and setting that the configs hold */
  const char **name;    /* the keys of every run, sorted */
  const char **silent;  /* [keys]: ripstop_axis.silent, or NULL */
  size_t keys;
  meaning meaning[MEANINGS];
  /* the fabric in hand */
  ripstop_fabric *fabric;
  cases cases;
  size_t tried;          /* of its schedules the simulator has seen so many */
  ripstop_ground ground; /* without faults, for the simulator to look at; its plan is that of `method` */
  const char *method;
  named_source source; /* of the run before, which is mostly that of the next too */
} expansion;

/* ------------------------------------------------------------------ what settings mean */

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

/* ------------------------------------------------------------------ the odometer */

static void open_digits(expansion *x) {
  x->digit = RIPSTOP_ARRAY(x->arena, x->spec->axes, const ripstop_axis *);
  for (size_t i = 0; i < x->spec->axes; i++)
    if (!x->spec->axis[i].of_fabric) x->digit[x->digits++] = &x->spec->axis[i];
  x->at = RIPSTOP_ARRAY(x->arena, x->digits, size_t);
  x->applied = RIPSTOP_ARRAY(x->arena, x->digits, size_t);
  for (size_t i = 0; i < x->digits; i++) x->applied[i] = SIZE_MAX;
}

/* Writes one key into the simulation. The texts were accepted by the same option arrays before, so nothing can fail. */
static void apply(const expansion *x, const ripstop_axis *axis, const char *text, ripstop_run *run) {
  const struct {
    const char *section;
    const ripstop_option *options;
    void *config;
  } sections[] = {{"traffic", ripstop_traffic_options, &run->simulation.traffic},
                  {"program", ripstop_program_options, &run->program},
                  {"prove", ripstop_prove_options, &run->prove},
                  {"switch", ripstop_switch_options, &run->simulation.switch_},
                  {"measure.precision", ripstop_precision_options, &run->precision},
                  {"measure", ripstop_measure_options, &run->simulation.measure},
                  {"reaction", ripstop_reaction_options, &run->simulation.reaction}};
  ripstop_error never;
  if (!strcmp(axis->key, "method")) run->method = text;
  if (!strcmp(axis->key, "traffic.load")) {
    run->saturation = !strcmp(text, AXIS_SATURATION);
    run->simulation.traffic.load = 1; /* to be tried with; a number takes its place below */
  }
  if (!strcmp(axis->key, "seed")) run->seed = strtoull(text, NULL, 10);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    size_t length = strlen(sections[i].section);
    const char *option = axis->key + length + 1;
    if (!strncmp(axis->key, sections[i].section, length) && axis->key[length] == '.' && !strchr(option, '.'))
      ripstop_options_set(x->arena, sections[i].section, sections[i].options, sections[i].config, option, text, &never);
  }
}

static void apply_turned(expansion *x, ripstop_run *run) {
  for (size_t i = 0; i < x->digits; i++)
    if (x->applied[i] != x->at[i]) {
      apply(x, x->digit[i], x->digit[i]->setting[x->at[i]].text, run);
      x->applied[i] = x->at[i];
    }
}

/* The last axis turns fastest; false when all have come round. */
static bool turn(expansion *x) {
  for (size_t i = x->digits; i-- > 0;) {
    if (++x->at[i] < x->digit[i]->count) return true;
    x->at[i] = 0;
  }
  return false;
}

/* Whether the digits stand on one of these values of their axis. */
static bool passes(const expansion *x, const ripstop_filter *filter) {
  for (size_t i = 0; i < x->digits; i++)
    for (size_t s = 0; s < filter->count && !strcmp(x->digit[i]->key, filter->key); s++)
      if (!strcmp(x->digit[i]->setting[x->at[i]].text, filter->setting[s]->text)) return true;
  return false;
}

/* Whether the digits stand in one of the parts of the product that are asked for. */
static bool is_wanted(const expansion *x) {
  for (size_t p = 0; p < x->spec->parts; p++) {
    const ripstop_part *part = &x->spec->part[p];
    size_t passed = 0;
    while (passed < part->filters && passes(x, &part->filter[passed])) passed++;
    if (passed == part->filters) return true;
  }
  return !x->spec->parts;
}

/* ------------------------------------------------------------------ runs */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Every run has the same keys. */
static void name_keys(expansion *x) {
  x->name = RIPSTOP_ARRAY(x->arena, x->spec->axes + 3, const char *);
  for (size_t i = 0; i < x->spec->axes; i++) x->name[x->keys++] = x->spec->axis[i].key;
  x->name[x->keys++] = "faults.sample";
  x->name[x->keys++] = "kind";
  x->name[x->keys++] = "model";
  qsort(x->name, x->keys, sizeof *x->name, by_text);
  x->silent = RIPSTOP_ARRAY(x->arena, x->keys, const char *);
  for (size_t k = 0; k < x->keys; k++) {
    const ripstop_axis *axis = ripstop_spec_axis(x->spec, x->name[k]);
    x->silent[k] = axis ? axis->silent : NULL;
  }
}

static const char *key_value(const expansion *x, const char *key, const fault_case *fault,
                             const schedule_case *schedule) {
  const char *of_case = cases_key(fault, schedule, key);
  if (of_case) return of_case;
  if (!strcmp(key, "fabric")) return x->fabric->spec;
  if (!strcmp(key, "kind")) return ripstop_run_kind_words[x->spec->kind];
  if (!strcmp(key, "model")) return ripstop_arena_printf(x->arena, "%d", RIPSTOP_MODEL_VERSION);
  for (size_t i = 0; i < x->digits; i++)
    if (!strcmp(key, x->digit[i]->key)) return x->digit[i]->setting[x->at[i]].text;
  return "";
}

static const char *name_source(expansion *x, const ripstop_run *run) {
  const char *const spec[SOURCE_PARTS] = {[SOURCE_FAMILY] = run->fabric->spec,
                                          [SOURCE_METHOD] = run->method,
                                          [SOURCE_PROCESS] = run->rule ? run->rule->spec : NULL,
                                          [SOURCE_PATTERN] = ripstop_run_key(run, "traffic.pattern"),
                                          [SOURCE_ARBITER] = ripstop_run_key(run, "switch.arbiter"),
                                          [SOURCE_CHOICE] = ripstop_run_key(run, "switch.choice"),
                                          [SOURCE_KERNEL] = ripstop_run_key(run, "program.kernel")};
  if (*x->source.hash && !memcmp(spec, x->source.spec, sizeof spec)) return x->source.hash;
  memcpy(x->source.spec, spec, sizeof spec);
  source_hash(spec, x->source.hash);
  return x->source.hash;
}

/* An option that came late was at its default in all runs before, which keep their names. */
static void add_key(const expansion *x, ripstop_text *text, const ripstop_run *run, size_t k) {
  if (!x->silent[k] || strcmp(x->silent[k], run->key[k].value) != 0)
    ripstop_text_add(text, "%s=%s\n", run->key[k].name, run->key[k].value);
}

/* The source has its line among the keys, but is none: nobody can ask for it. */
static void name_run(expansion *x, ripstop_run *run) {
  static const char source[] = "source";
  ripstop_text text = {0};
  size_t k = 0;
  for (; k < run->keys && strcmp(run->key[k].name, source) < 0; k++) add_key(x, &text, run, k);
  ripstop_text_add(&text, "%s=%s\n", source, name_source(x, run));
  for (; k < run->keys; k++) add_key(x, &text, run, k);
  ripstop_hash(text.data, text.length, run->id);
  run->canonical = ripstop_arena_text(x->arena, text.data);
  ripstop_text_free(&text);
}

/* Its words are those that the sampler of fault sets leaves unused: it draws from the indices count << 32 | sample, and
 * never a set of 0 parts. */
uint64_t execute_traffic_seed(uint64_t seed, uint32_t sample) {
  uint32_t word[4];
  if (!sample) return seed;
  ripstop_random_block(seed, RIPSTOP_RANDOM_FAULTS, sample, 0, word);
  return (uint64_t)word[1] << 32 | word[0];
}

static void emit(expansion *x, ripstop_run *template, const fault_case *fault, const schedule_case *schedule) {
  apply_turned(x, template);
  ripstop_run *run = &x->run[x->runs->count++];
  *run = *template;
  run->fabric = x->fabric;
  run->faults = fault->faults;
  run->simulation.schedule = schedule->schedule;
  run->rule = schedule->rule;
  run->simulation.seed = execute_traffic_seed(run->seed, fault->index);
  run->fault_count = fault->parts, run->sample = fault->index, run->scope = fault->scope_word;
  run->keep = fault->keep_word;
  ripstop_key *key = RIPSTOP_ARRAY(x->arena, x->keys, ripstop_key);
  for (size_t k = 0; k < x->keys; k++)
    key[k] = (ripstop_key){.name = x->name[k], .value = key_value(x, x->name[k], fault, schedule)};
  run->key = key, run->keys = x->keys;
  name_run(x, run);
}

static int make_room(expansion *x) {
  double total = (double)x->cases.faults * (double)x->cases.schedules;
  for (size_t i = 0; i < x->digits; i++) total *= (double)x->digit[i]->count;
  if ((double)x->runs->count + total > RIPSTOP_RUNS_MAX)
    return reader_fail(&x->reader, 1, "the lists multiply to %.3g runs; at most %u", (double)x->runs->count + total,
                       RIPSTOP_RUNS_MAX);
  x->run = ripstop_realloc(x->run, x->runs->count + (size_t)total, sizeof *x->run);
  return 0;
}

/* ------------------------------------------------------------------ what only the simulator can check */

/* "switch.in_queue ..." and "arbiter weighted: ...", which is a switch.arbiter. */
static bool is_about_key(const char *message, const char *key) {
  const char *dot = strrchr(key, '.'), *name = dot ? dot + 1 : key;
  size_t length = strlen(name);
  return !strncmp(message, key, strlen(key)) || (!strncmp(message, name, length) && message[length] == ' ');
}

static bool is_about_section(const char *message, const char *key) { return !strncmp(message, key, strcspn(key, ".")); }

/* Where the axis has the value that it has now; 0: nowhere, it is a default. */
static int line_now(const expansion *x, const ripstop_axis *axis) {
  for (size_t i = 0; i < x->digits; i++)
    if (x->digit[i] == axis) return axis->setting[x->at[i]].line;
  return axis->count ? axis->setting[0].line : 0;
}

static int line_of(const expansion *x, const char *message) {
  bool (*const is_about[])(const char *, const char *) = {is_about_key, is_about_section};
  for (size_t w = 0; w < 2; w++)
    for (size_t i = 0; i < x->spec->axes; i++) {
      const ripstop_axis *axis = &x->spec->axis[i];
      if (is_about[w](message, axis->key) && line_now(x, axis)) return line_now(x, axis);
    }
  return line_now(x, ripstop_spec_axis(x->spec, "method"));
}

/* The ground without faults. Runs of one method and fabric that follow each other share it. */
static void stand_on(expansion *x, const ripstop_run *run) {
  if (x->ground.fabric == run->fabric && x->method == run->method) return;
  ground_close(&x->ground);
  ground_open(&x->ground, run->fabric, NULL);
  x->method = run->method;
}

typedef struct checking {
  expansion *x;
  const ripstop_run *run;
  const ripstop_scenario *trial;
  ripstop_error *err;
  int status;
} checking;

static void compile_now(void *argument) {
  const checking *c = argument;
  ground_plan(&c->x->ground, c->run->method);
}

static void check_now(void *argument) {
  checking *c = argument;
  const ripstop_plan *plan = c->x->ground.plan;
  ripstop_program program = {.config = c->run->program, .simulation = *c->trial};
  c->status = c->run->kind == RIPSTOP_RUN_PROGRAM ? ripstop_program_check(plan, &program, c->err)
                                                  : ripstop_simulate_check(plan, c->trial, c->err);
}

/* A run that is too big for the memory is checked when it is done, and ends alone. */
static int check(expansion *x, const ripstop_run *run, const ripstop_scenario *trial, ripstop_error *err) {
  checking c = {.x = x, .run = run, .trial = trial, .err = err};
  if (run->kind == RIPSTOP_RUN_PROVE) return 0; /* whether the method applies is a part of the answer */
  stand_on(x, run);
  if (ripstop_try(compile_now, &c, NULL)) { /* apart from the check, which does not take the plan back with it */
    ground_close(&x->ground);
    return 0;
  }
  if (!x->ground.plan) return ripstop_fail(err, "%s", x->ground.why.text);
  return ripstop_try(check_now, &c, NULL) ? 0 : c.status;
}

/* Once a check has failed. */
static bool does_not_apply(const expansion *x, const ripstop_scenario *trial) {
  ripstop_error unused;
  const ripstop_plan *plan = x->ground.plan;
  ripstop_answer answer = plan ? ripstop_simulate_applies(plan, trial, &unused) : x->ground.answer;
  return answer == RIPSTOP_DOES_NOT_APPLY;
}

/* What is wrong with the options of a run or its changes, whatever its faults. */
enum { TRIES = 16 }; /* draws after which a schedule is taken for one that cannot be drawn */

/* A schedule as a run may draw it: what can fail beside what else does depends on the draw, so one that ends early says
 * little. */
static int try_draw(const expansion *x, const schedule_case *one, const ripstop_schedule **out, ripstop_error *why) {
  ripstop_run run = {.fabric = x->fabric, .simulation = {.schedule = one->schedule}, .rule = one->rule};
  for (; run.sample < TRIES; run.sample++)
    if (!ripstop_run_schedule(&run, NULL, x->arena, out, why)) return 0;
  return -1;
}

static int try_out(expansion *x, const ripstop_run *given) {
  ripstop_scenario trial = given->simulation;
  ripstop_error why;
  trial.schedule = NULL;
  if (check(x, given, &trial, &why))
    return does_not_apply(x, &trial) ? 0 : reader_pass(&x->reader, line_of(x, why.text), &why, "");
  for (; x->tried < x->cases.schedules; x->tried++) {
    const schedule_case *one = &x->cases.schedule[x->tried];
    if (try_draw(x, one, &trial.schedule, &why)) return reader_pass(&x->reader, one->line, &why, "");
    if (check(x, given, &trial, &why)) return reader_fail(&x->reader, one->line, "faults.%s", why.text);
  }
  return 0;
}

/* Seeds and loads are numbers within their ranges: one of each stands for all, where the product is whole. */
static bool is_first(const expansion *x) {
  if (x->spec->parts) return true;
  for (size_t i = 0; i < x->digits; i++)
    if (x->at[i] && (!strcmp(x->digit[i]->key, "seed") || !strcmp(x->digit[i]->key, "traffic.load"))) return false;
  return true;
}

/* ------------------------------------------------------------------ together */

static int expand_fabric(expansion *x, ripstop_run *template) {
  if (cases_find(&x->cases) || make_room(x)) return -1;
  x->tried = 0;
  template->fabric = x->fabric;
  do {
    if (!is_wanted(x)) continue;
    apply_turned(x, template);
    if (is_first(x) && try_out(x, template)) return -1;
    for (size_t s = 0; s < x->cases.schedules; s++)
      for (size_t f = 0; f < x->cases.faults; f++) emit(x, template, &x->cases.fault[f], &x->cases.schedule[s]);
  } while (turn(x));
  return 0;
}

/* Opens the fabric with this number, which none of those before may be. */
static int open_fabric(expansion *x, size_t number) {
  ripstop_error why;
  const ripstop_axis *axis = ripstop_spec_axis(x->spec, "fabric");
  const ripstop_setting *setting = &axis->setting[number];
  if (!(x->fabric = ripstop_fabric_open_beside(setting->written, x->spec->file, &why)))
    return reader_pass(&x->reader, setting->line, &why, "");
  for (size_t j = 0; j < number; j++)
    if (!strcmp(x->runs->fabric[j]->spec, x->fabric->spec)) {
      ripstop_fabric_free(x->fabric);
      return reader_fail(&x->reader, setting->line, "fabric: '%s' stands in the list twice", setting->written);
    }
  x->runs->fabric[x->runs->fabrics++] = x->fabric;
  meaning_on(x, MEANT_FABRIC, number)[number] = x->fabric->spec;
  return 0;
}

static int expand_fabrics(expansion *x) {
  size_t count = ripstop_spec_axis(x->spec, "fabric")->count;
  ripstop_run template;
  memset(&template, 0, sizeof template);
  template.kind = x->spec->kind;
  template.precision.value = "";
  x->runs->fabric = RIPSTOP_ARRAY(x->arena, count, ripstop_fabric *);
  for (size_t i = 0; i < count; i++) {
    if (open_fabric(x, i)) return -1;
    ripstop_names *names = ripstop_names_new(x->fabric);
    x->cases = (cases){.reader = &x->reader,
                       .spec = x->spec,
                       .arena = x->arena,
                       .fabric = x->fabric,
                       .names = names,
                       .set = meaning_on(x, MEANT_SET, i)};
    int status = expand_fabric(x, &template);
    for (size_t s = 0; s < x->cases.schedules; s++) meaning_on(x, MEANT_SCHEDULE, i)[s] = x->cases.schedule[s].text;
    cases_close(&x->cases);
    ripstop_names_free(names);
    if (status) return -1;
  }
  return 0;
}

/* Stable, as the order within a sample is the order of curves in figures. */
static void sort_runs(expansion *x) {
  const ripstop_run *run = x->run;
  size_t count = x->runs->count;
  uint32_t most = 0;
  if (!run) return;
  ripstop_run *sorted = RIPSTOP_ARRAY(x->arena, count, ripstop_run);
  for (size_t i = 0; i < count; i++)
    if (run[i].sample > most) most = run[i].sample;
  size_t *start = RIPSTOP_ARRAY(x->arena, (size_t)most + 2, size_t);
  for (size_t i = 0; i < count; i++) start[run[i].sample + 1]++;
  for (size_t s = 0; s < most; s++) start[s + 1] += start[s];
  for (size_t i = 0; i < count; i++) sorted[start[run[i].sample]++] = run[i];
  x->runs->run = sorted;
}

ripstop_runs *ripstop_expand(const ripstop_spec *spec, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_runs *runs = RIPSTOP_NEW(arena, ripstop_runs);
  *runs = (ripstop_runs){.spec = spec, .arena = arena};
  expansion x = {.spec = spec,
                 .runs = runs,
                 .arena = arena,
                 .reader = {.file = spec->file, .variant = &spec->variant, .err = err}};
  open_digits(&x);
  open_meanings(&x);
  name_keys(&x);
  int status = expand_fabrics(&x);
  meaning *kept = RIPSTOP_ARRAY(arena, MEANINGS, meaning);
  memcpy(kept, x.meaning, sizeof x.meaning);
  runs->meaning = kept;
  if (!status && !runs->count) status = reader_fail(&x.reader, 1, "only: no run of the product is in any part");
  if (!status) sort_runs(&x);
  ground_close(&x.ground);
  ripstop_free(x.run);
  if (!status) return runs;
  ripstop_runs_free(runs);
  return NULL;
}

void ripstop_runs_free(ripstop_runs *runs) {
  if (!runs) return;
  for (size_t i = 0; i < runs->fabrics; i++) ripstop_fabric_free(runs->fabric[i]);
  ripstop_arena_free(runs->arena);
}

static int by_name(const void *name, const void *key) { return strcmp(name, ((const ripstop_key *)key)->name); }

const char *ripstop_run_key(const ripstop_run *run, const char *key) {
  const ripstop_key *found = bsearch(key, run->key, run->keys, sizeof *run->key, by_name);
  return found ? found->value : NULL;
}
