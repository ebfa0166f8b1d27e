/* expand.c - the product of an experiment's lists, as runs with names.
 *
 * Outer loops: fabric, fault set, schedule (names of links mean something in one fabric only). Inner: an odometer over
 * all other axes, whose config structs change only where a digit turned. Everything that can be wrong is found here,
 * before any run starts: names, counts, and, by a trial of each different switch and traffic, what only the simulator
 * knows.
 *
 * Time and memory: proportional to the number of runs. */
#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "experiment/reader.h"
#include "ripstop/plan.h"

/* One fault set of one fabric, still to be drawn (faults NULL) or given. */
typedef struct fault_case {
  const char *count, *sample, *scope, *set, *keep; /* the run keys' values */
  uint32_t parts, index;
  ripstop_fault_scope scope_word;
  ripstop_keep keep_word;
  const ripstop_faults *faults;
} fault_case;

typedef struct schedule_case {
  const char *text;
  const ripstop_schedule *schedule; /* NULL: nothing changes, or what does is drawn */
  const ripstop_draw *draw;         /* NULL: it is not */
  int line;
} schedule_case;

typedef struct expansion {
  ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_run *run;
  ripstop_arena *arena;
  reader reader;
  ripstop_axis **digit; /* the axes of the odometer */
  size_t digits;
  size_t *at, *applied; /* [digits]: setting now, and setting that the configs hold */
  /* the fabric in hand */
  ripstop_fabric *fabric;
  ripstop_names *names;
  fault_case *fault;
  size_t faults, faults_room;
  schedule_case *schedule;
  size_t schedules, tried; /* of them the simulator has seen so many */
  const char **name;       /* the keys of every run, sorted */
  const char **silent;     /* [keys]: ripstop_axis.silent, or NULL */
  size_t keys;
} expansion;

static ripstop_axis *axis_of(const expansion *x, const char *key) {
  return (ripstop_axis *)ripstop_spec_axis(x->spec, key);
}

/* ------------------------------------------------------------------ fault sets */

static int add_case(expansion *x, fault_case one, int line) {
  if (x->faults >= RIPSTOP_RUNS_MAX) return reader_fail(&x->reader, line, "more than %u fault sets", RIPSTOP_RUNS_MAX);
  if (x->faults == x->faults_room) {
    x->faults_room = x->faults_room ? 2 * x->faults_room : 64;
    x->fault = ripstop_realloc(x->fault, x->faults_room, sizeof *x->fault);
  }
  x->fault[x->faults++] = one;
  return 0;
}

static const char *number_text(const expansion *x, uint64_t number) {
  return ripstop_arena_printf(x->arena, "%llu", (unsigned long long)number);
}

static const char *faults_text(const expansion *x, const ripstop_faults *faults) {
  ripstop_text text = {0};
  ripstop_faults_print(&text, x->fabric, faults);
  const char *copy = ripstop_arena_text(x->arena, text.data ? text.data : "");
  ripstop_text_free(&text);
  return copy;
}

static int add_all_sets(expansion *x, const ripstop_setting *count, fault_case one, uint32_t population) {
  uint64_t total = ripstop_combinations_total(population, one.parts);
  if (total > RIPSTOP_RUNS_MAX)
    return reader_fail(&x->reader, count->line,
                       "there are more than %u sets of %u of %u parts; give a number of samples", RIPSTOP_RUNS_MAX,
                       one.parts, population);
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_combinations all;
  ripstop_combinations_first(scratch, population, one.parts, &all);
  int status = 0;
  do {
    ripstop_faults *faults = RIPSTOP_NEW(x->arena, ripstop_faults);
    ripstop_faults_from_parts(x->arena, x->fabric, one.scope_word, all.part, one.parts, faults);
    one.faults = faults, one.set = faults_text(x, faults);
    status = add_case(x, one, count->line);
  } while (!status && ripstop_combinations_next(&all));
  ripstop_arena_free(scratch);
  return status;
}

/* `count` parts of a scope. The fault-free set has its samples too: they differ in traffic, and a point that others are
 * compared with has to be as well known as they are. */
static int add_count(expansion *x, const ripstop_setting *count, fault_case one) {
  uint32_t population = ripstop_faults_population(x->fabric, one.scope_word);
  uint32_t parts = (uint32_t)strtoul(count->text, NULL, 10);
  one.count = count->text, one.parts = parts, one.set = "";
  if (parts > population)
    return reader_fail(&x->reader, count->line, "faults.count: %u of %s cannot fail, %s has %u", parts, one.scope,
                       x->fabric->spec, population);
  one.sample = "0";
  bool every = x->spec->samples == RIPSTOP_SAMPLES_ALL ||
               (x->spec->all_up_to && ripstop_combinations_total(population, parts) <= (uint64_t)x->spec->samples);
  if (every && parts) return add_all_sets(x, count, one, population);
  uint32_t samples = x->spec->samples == RIPSTOP_SAMPLES_ALL ? 1 : (uint32_t)x->spec->samples;
  for (one.index = 0; one.index < samples; one.index++) {
    one.sample = number_text(x, one.index);
    if (add_case(x, one, count->line)) return -1;
  }
  return 0;
}

static int word_index(const char *const *words, const char *text) {
  int word = 0;
  while (strcmp(words[word], text)) word++;
  return word;
}

static int add_counts(expansion *x) {
  const ripstop_axis *count = axis_of(x, "faults.count"), *scope = axis_of(x, "faults.scope");
  const ripstop_axis *keep = axis_of(x, "faults.keep");
  for (size_t s = 0; s < scope->count; s++)
    for (size_t k = 0; k < keep->count; k++)
      for (size_t c = 0; c < count->count; c++) {
        fault_case one = {.scope = scope->setting[s].text, .keep = keep->setting[k].text};
        one.scope_word = (ripstop_fault_scope)word_index(ripstop_fault_scope_words, one.scope);
        one.keep_word = (ripstop_keep)word_index(ripstop_keep_words, one.keep);
        if (add_count(x, &count->setting[c], one)) return -1;
      }
  return 0;
}

/* A given set; `samples` then repeats it with other traffic. */
static int add_set(expansion *x, const ripstop_faults *faults, int line) {
  uint32_t parts = faults->links + faults->switches;
  fault_case one = {.count = number_text(x, parts),
                    .scope = "",
                    .set = faults_text(x, faults),
                    .keep = ripstop_keep_words[RIPSTOP_KEEP_ALL],
                    .parts = parts,
                    .faults = faults};
  for (one.index = 0; one.index < (uint32_t)x->spec->samples; one.index++) {
    one.sample = number_text(x, one.index);
    if (add_case(x, one, line)) return -1;
  }
  return 0;
}

static int add_sets(expansion *x, ripstop_axis *set) {
  for (size_t i = 0; i < set->count; i++) {
    ripstop_setting *one = &set->setting[i];
    ripstop_faults *faults = RIPSTOP_NEW(x->arena, ripstop_faults);
    ripstop_error why;
    if (ripstop_faults_parse(x->arena, x->names, one->written, strlen(one->written), faults, &why))
      return reader_fail(&x->reader, one->line, "faults.set: %s", why.text);
    one->text = ripstop_arena_text(x->spec->arena, faults_text(x, faults));
    if (add_set(x, faults, one->line)) return -1;
  }
  return 0;
}

/* A path in an experiment starts at the experiment's own folder. */
static const char *path_beside(const expansion *x, const char *path) {
  const char *slash = strrchr(x->spec->file, '/');
  if (*path == '/' || !slash) return path;
  return ripstop_arena_printf(x->arena, "%.*s/%s", (int)(slash - x->spec->file), x->spec->file, path);
}

static int add_file(expansion *x) {
  ripstop_faults *sets;
  size_t count;
  ripstop_error why;
  if (ripstop_faults_read(x->arena, x->names, path_beside(x, x->spec->faults_file), &sets, &count, &why))
    return reader_fail(&x->reader, x->spec->faults_line, "faults.file: %s", why.text);
  if (!count) return reader_fail(&x->reader, x->spec->faults_line, "faults.file: there is no fault set in it");
  for (size_t i = 0; i < count; i++)
    if (add_set(x, &sets[i], x->spec->faults_line)) return -1;
  return 0;
}

static int find_faults(expansion *x) {
  ripstop_axis *set = axis_of(x, "faults.set");
  x->faults = 0;
  if (x->spec->faults_file) return add_file(x);
  return set->count ? add_sets(x, set) : add_counts(x);
}

/* ------------------------------------------------------------------ schedules */

static const char draw_word[] = "draw:";
enum { DRAW_WORD = sizeof draw_word - 1 };

static int read_draw(expansion *x, ripstop_setting *setting, schedule_case *out) {
  ripstop_draw *draw = RIPSTOP_NEW(x->arena, ripstop_draw);
  ripstop_error why;
  ripstop_text text = {0};
  if (ripstop_options_parse(x->arena, "draw", ripstop_draw_options, draw, setting->written + DRAW_WORD, &why))
    return reader_fail(&x->reader, setting->line, "faults.schedule: %s", why.text);
  ripstop_text_add(&text, "%s", draw_word);
  ripstop_options_print(&text, ripstop_draw_options, draw);
  out->text = setting->text = ripstop_arena_text(x->spec->arena, text.data);
  out->draw = draw;
  ripstop_text_free(&text);
  return 0;
}

static int read_schedule(expansion *x, ripstop_setting *setting, schedule_case *out) {
  ripstop_schedule *schedule = RIPSTOP_NEW(x->arena, ripstop_schedule);
  ripstop_error why;
  *out = (schedule_case){.text = "", .line = setting->line};
  if (!*setting->written) return 0;
  if (!strncmp(setting->written, draw_word, DRAW_WORD)) return read_draw(x, setting, out);
  int bad = strchr(setting->written, '@')
                ? ripstop_schedule_parse(x->arena, x->names, setting->written, strlen(setting->written), schedule, &why)
                : ripstop_schedule_read(x->arena, x->names, path_beside(x, setting->written), schedule, &why);
  if (bad) return reader_fail(&x->reader, setting->line, "faults.schedule: %s", why.text);
  ripstop_text text = {0};
  ripstop_schedule_print(&text, x->fabric, schedule);
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] == '\n') text.data[i] = ' ';
  out->text = setting->text = ripstop_arena_text(x->spec->arena, text.data ? text.data : "");
  out->schedule = schedule;
  ripstop_text_free(&text);
  return 0;
}

/* A schedule makes sense with one of the fault sets at least; of those that are yet to be drawn nobody knows. */
static int check_repairs(const expansion *x, const schedule_case *one) {
  ripstop_error why;
  for (size_t i = 0; i < x->faults; i++) {
    bool drawn = !x->fault[i].faults && x->fault[i].parts;
    if (drawn || !ripstop_schedule_check(one->schedule, x->fabric, x->fault[i].faults, &why)) return 0;
  }
  return reader_fail(&x->reader, one->line, "faults.schedule: %s", why.text);
}

static int find_schedules(expansion *x) {
  ripstop_axis *axis = axis_of(x, "faults.schedule");
  x->schedules = axis->count, x->tried = 0;
  x->schedule = RIPSTOP_ARRAY(x->arena, axis->count, schedule_case);
  for (size_t i = 0; i < axis->count; i++)
    if (read_schedule(x, &axis->setting[i], &x->schedule[i]) ||
        (x->schedule[i].schedule && check_repairs(x, &x->schedule[i])))
      return -1;
  return 0;
}

/* ------------------------------------------------------------------ the odometer */

static void open_digits(expansion *x) {
  x->digit = RIPSTOP_ARRAY(x->arena, x->spec->axes, ripstop_axis *);
  for (size_t i = 0; i < x->spec->axes; i++)
    if (reader_is_free(x->spec->axis[i].key)) x->digit[x->digits++] = &x->spec->axis[i];
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
                  {"measure", ripstop_measure_options, &run->simulation.measure},
                  {"reaction", ripstop_reaction_options, &run->simulation.reaction}};
  ripstop_error never;
  if (!strcmp(axis->key, "method")) run->simulation.method = text;
  if (!strcmp(axis->key, "seed")) run->seed = strtoull(text, NULL, 10);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    size_t length = strlen(sections[i].section);
    if (!strncmp(axis->key, sections[i].section, length) && axis->key[length] == '.')
      ripstop_options_set(x->arena, sections[i].section, sections[i].options, sections[i].config,
                          axis->key + length + 1, text, &never);
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
  if (!strcmp(key, "fabric")) return x->fabric->spec;
  if (!strcmp(key, "faults.count")) return fault->count;
  if (!strcmp(key, "faults.sample")) return fault->sample;
  if (!strcmp(key, "faults.scope")) return fault->scope;
  if (!strcmp(key, "faults.set")) return fault->set;
  if (!strcmp(key, "faults.keep")) return fault->keep;
  if (!strcmp(key, "faults.schedule")) return schedule->text;
  if (!strcmp(key, "kind")) return ripstop_run_kind_words[x->spec->kind];
  if (!strcmp(key, "model")) return number_text(x, RIPSTOP_MODEL_VERSION);
  for (size_t i = 0; i < x->digits; i++)
    if (!strcmp(key, x->digit[i]->key)) return x->digit[i]->setting[x->at[i]].text;
  return "";
}

/* An option that came late was at its default in all runs before, which keep their names. */
static void name_run(const expansion *x, ripstop_run *run) {
  ripstop_text text = {0};
  for (size_t k = 0; k < run->keys; k++)
    if (!x->silent[k] || strcmp(x->silent[k], run->key[k].value) != 0)
      ripstop_text_add(&text, "%s=%s\n", run->key[k].name, run->key[k].value);
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data, text.length));
  for (size_t i = 0; i < sizeof hash.digest; i++) snprintf(run->id + 2 * i, 3, "%02x", hash.digest[i]);
  run->canonical = ripstop_arena_text(x->arena, text.data);
  ripstop_text_free(&text);
}

/* The traffic of a sample. Its words are those that the sampler of fault sets leaves unused: it draws from the indices
 * count << 32 | sample, and never a set of 0 parts. */
static uint64_t traffic_seed(uint64_t seed, uint32_t sample) {
  uint32_t word[4];
  if (!sample) return seed;
  ripstop_random_block(seed, RIPSTOP_RANDOM_FAULTS, sample, 0, word);
  return (uint64_t)word[1] << 32 | word[0];
}

static void emit(expansion *x, ripstop_run *template, const fault_case *fault, const schedule_case *schedule) {
  apply_turned(x, template);
  ripstop_run *run = &x->run[x->runs->count++];
  *run = *template;
  run->simulation.fabric = x->fabric;
  run->simulation.faults = fault->faults;
  run->simulation.schedule = schedule->schedule;
  run->draw = schedule->draw;
  run->simulation.seed = traffic_seed(run->seed, fault->index);
  run->fault_count = fault->parts, run->sample = fault->index, run->scope = fault->scope_word;
  run->keep = fault->keep_word;
  ripstop_key *key = RIPSTOP_ARRAY(x->arena, x->keys, ripstop_key);
  for (size_t k = 0; k < x->keys; k++)
    key[k] = (ripstop_key){.name = x->name[k], .value = key_value(x, x->name[k], fault, schedule)};
  run->key = key, run->keys = x->keys;
  name_run(x, run);
}

static int make_room(expansion *x) {
  double total = (double)x->faults * (double)x->schedules;
  for (size_t i = 0; i < x->digits; i++) total *= (double)x->digit[i]->count;
  if ((double)x->runs->count + total > RIPSTOP_RUNS_MAX)
    return reader_fail(&x->reader, 1, "the lists multiply to %.3g runs; at most %u", (double)x->runs->count + total,
                       RIPSTOP_RUNS_MAX);
  x->run = ripstop_realloc(x->run, x->runs->count + (size_t)total, sizeof *x->run);
  return 0;
}

/* ------------------------------------------------------------------ what only the simulator can check */

static int line_of_section(const expansion *x, const char *message) {
  for (size_t i = 0; i < x->spec->axes; i++) {
    const ripstop_axis *axis = &x->spec->axis[i];
    if (!strncmp(message, axis->key, strlen(axis->key)) && axis->setting[0].line) return axis->setting[0].line;
  }
  for (size_t i = 0; i < x->spec->axes; i++) {
    const ripstop_axis *axis = &x->spec->axis[i];
    size_t length = strcspn(axis->key, ".");
    if (axis->count && axis->setting[0].line && !strncmp(message, axis->key, length)) return axis->setting[0].line;
  }
  return ripstop_spec_axis(x->spec, "method")->setting[0].line;
}

static int check(const ripstop_run *run, const ripstop_scenario *trial, ripstop_error *err) {
  ripstop_program program = {.config = run->program, .simulation = *trial};
  if (run->kind == RIPSTOP_RUN_PROVE) return 0; /* whether the method applies is a part of the answer */
  return run->kind == RIPSTOP_RUN_PROGRAM ? ripstop_program_check(&program, err) : ripstop_simulate_check(trial, err);
}

/* What is wrong with the options of a run or its changes, whatever its faults. */
static int try_out(expansion *x, const ripstop_run *given) {
  ripstop_scenario trial = given->simulation;
  ripstop_error why, unused;
  trial.faults = NULL, trial.schedule = NULL;
  if (check(given, &trial, &why))
    return ripstop_simulate_applies(&trial, &unused) == RIPSTOP_DOES_NOT_APPLY
               ? 0
               : reader_fail(&x->reader, line_of_section(x, why.text), "%s", why.text);
  for (; x->tried < x->schedules; x->tried++) {
    const schedule_case *one = &x->schedule[x->tried];
    ripstop_run drawn = {.simulation = {.fabric = x->fabric, .schedule = one->schedule}, .draw = one->draw};
    if (ripstop_run_schedule(&drawn, NULL, x->arena, &trial.schedule, &why))
      return reader_fail(&x->reader, one->line, "%s", why.text);
    if (check(given, &trial, &why)) return reader_fail(&x->reader, one->line, "faults.%s", why.text);
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
  if (find_faults(x) || find_schedules(x) || make_room(x)) return -1;
  template->simulation.fabric = x->fabric;
  do {
    if (!is_wanted(x)) continue;
    apply_turned(x, template);
    if (is_first(x) && try_out(x, template)) return -1;
    for (size_t s = 0; s < x->schedules; s++)
      for (size_t f = 0; f < x->faults; f++) emit(x, template, &x->fault[f], &x->schedule[s]);
  } while (turn(x));
  return 0;
}

static int expand_fabrics(expansion *x) {
  ripstop_axis *axis = axis_of(x, "fabric");
  ripstop_run template;
  memset(&template, 0, sizeof template);
  template.kind = x->spec->kind;
  x->runs->fabric = RIPSTOP_ARRAY(x->arena, axis->count, ripstop_fabric *);
  for (size_t i = 0; i < axis->count; i++) {
    ripstop_error why;
    ripstop_setting *setting = &axis->setting[i];
    if (!(x->fabric = ripstop_fabric_open_beside(setting->written, x->spec->file, &why)))
      return reader_fail(&x->reader, setting->line, "%s", why.text);
    x->runs->fabric[x->runs->fabrics++] = x->fabric;
    setting->text = ripstop_arena_text(x->spec->arena, x->fabric->spec);
    for (size_t j = 0; j < i; j++)
      if (!strcmp(axis->setting[j].text, setting->text))
        return reader_fail(&x->reader, setting->line, "fabric: '%s' stands in the list twice", setting->written);
    x->names = ripstop_names_new(x->fabric);
    int status = expand_fabric(x, &template);
    ripstop_names_free(x->names);
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

ripstop_runs *ripstop_expand(ripstop_spec *spec, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_runs *runs = RIPSTOP_NEW(arena, ripstop_runs);
  *runs = (ripstop_runs){.spec = spec, .arena = arena};
  expansion x = {.spec = spec, .runs = runs, .arena = arena, .reader = {.spec = spec, .err = err}};
  open_digits(&x);
  name_keys(&x);
  int status = expand_fabrics(&x);
  if (!status && !runs->count) status = reader_fail(&x.reader, 1, "only: no run of the product is in any part");
  if (!status) sort_runs(&x);
  free(x.run);
  free(x.fault);
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
