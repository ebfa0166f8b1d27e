/* cases.c - the fault sets and schedules of an experiment on one fabric.
 *
 * Names are looked up, and counts compared with the fabric. Each run samples its own random sets. */
#include "experiment/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "experiment/units.h"

/* ------------------------------------------------------------------ fault sets */

static const char *number_text(const cases *x, uint64_t number) {
  return ripstop_arena_printf(x->arena, "%llu", (unsigned long long)number);
}

static int add_case(cases *x, fault_case one, int line) {
  if (x->faults >= RIPSTOP_RUNS_MAX) return reader_fail(x->reader, line, "more than %u fault sets", RIPSTOP_RUNS_MAX);
  RIPSTOP_GROW_IN(x->arena, x->fault, x->faults, x->faults_room);
  x->fault[x->faults++] = one;
  return 0;
}

static const char *faults_text(const cases *x, const ripstop_faults *faults) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_faults_print(&text, x->fabric, faults);
  const char *copy = ripstop_arena_text(x->arena, text.data ? text.data : "");
  return copy;
}

static int add_all_sets(cases *x, const ripstop_setting *count, fault_case one, uint32_t population) {
  uint64_t total = ripstop_combinations_total(population, one.parts);
  if (total > RIPSTOP_RUNS_MAX)
    return reader_fail(x->reader, count->line,
                       "there are more than %u sets of %u of %u parts; give a number of samples", RIPSTOP_RUNS_MAX,
                       one.parts, population);
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_combinations all;
  ripstop_combinations_first(scratch, population, one.parts, &all);
  int status = 0;
  do {
    ripstop_faults *faults = RIPSTOP_NEW(x->arena, ripstop_faults);
    ripstop_faults_from_parts(x->arena, x->fabric, one.parts_of, all.part, one.parts, faults);
    one.faults = faults, one.set = faults_text(x, faults);
    status = add_case(x, one, count->line);
  } while (!status && ripstop_combinations_next(&all));
  return status;
}

/* `count` parts of a scope. The fault-free set has its samples too: they differ in traffic, and a point that others are
 * compared with has to be as well known as they are. */
static int add_count(cases *x, const ripstop_setting *count, fault_case one) {
  uint32_t population = ripstop_faults_population(x->fabric, one.parts_of);
  uint32_t parts = (uint32_t)strtoul(count->text, NULL, 10);
  one.count = count->text, one.parts = parts, one.set = "";
  if (parts > population)
    return reader_fail(x->reader, count->line, "faults.count: %u of %s cannot fail, %s has %u", parts, one.scope,
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

/* The text was accepted by the same option before, so nothing can fail. */
static ripstop_keep keep_of(const cases *x, const char *keep) {
  ripstop_faults_config config;
  ripstop_error never;
  ripstop_options_set(x->arena, "faults", ripstop_faults_options, &config, "keep", keep, &never);
  return (ripstop_keep)config.keep;
}

static int add_scope(cases *x, const ripstop_setting *scope) {
  const ripstop_axis *count = ripstop_spec_axis(x->spec, "faults.count");
  const ripstop_axis *keep = ripstop_spec_axis(x->spec, "faults.keep");
  fault_case one = {.scope = scope->text};
  ripstop_error why;
  if (ripstop_scope_open(x->arena, x->names, scope->text, &one.parts_of, &why))
    return reader_pass(x->reader, scope->line, &why, "faults.scope");
  for (size_t k = 0; k < keep->count; k++) {
    one.keep = keep->setting[k].text, one.keep_word = keep_of(x, one.keep);
    for (size_t c = 0; c < count->count; c++)
      if (add_count(x, &count->setting[c], one)) return -1;
  }
  return 0;
}

static int add_counts(cases *x) {
  const ripstop_axis *scope = ripstop_spec_axis(x->spec, "faults.scope");
  for (size_t s = 0; s < scope->count; s++)
    if (add_scope(x, &scope->setting[s])) return -1;
  return 0;
}

static bool is_set(const void *x, uint32_t number, const char *text, size_t length) {
  const char *set = ((const cases *)x)->fault[number].set;
  return strlen(set) == length && !memcmp(set, text, length);
}

/* True if the set was given before, in other words or in another file: its runs would be the same. */
static bool is_known(cases *x, const char *set) {
  if (ripstop_text_table_find(&x->known, set, strlen(set), is_set, x) != RIPSTOP_NONE) return true;
  x->known.arena = x->arena;
  ripstop_text_table_add(&x->known, set, strlen(set), (uint32_t)x->faults);
  return false;
}

/* A given set; `samples` then repeats it with other traffic. */
static int add_set(cases *x, const ripstop_faults *faults, int line) {
  uint32_t parts = faults->links + faults->switches + faults->slows;
  const char *set = faults_text(x, faults);
  if (is_known(x, set)) return 0;
  fault_case one = {.count = number_text(x, parts),
                    .scope = "",
                    .set = set,
                    .keep = ripstop_keep_words[RIPSTOP_KEEP_ALL],
                    .parts = parts,
                    .faults = faults};
  for (one.index = 0; one.index < (uint32_t)x->spec->samples; one.index++) {
    one.sample = number_text(x, one.index);
    if (add_case(x, one, line)) return -1;
  }
  return 0;
}

static int add_sets(cases *x, const ripstop_axis *set) {
  for (size_t i = 0; i < set->count; i++) {
    const ripstop_setting *one = &set->setting[i];
    ripstop_faults *faults = RIPSTOP_NEW(x->arena, ripstop_faults);
    ripstop_error why;
    if (ripstop_faults_parse(x->arena, x->names, one->written, strlen(one->written), faults, &why))
      return reader_pass(x->reader, one->line, &why, "faults.set");
    x->set[i] = faults_text(x, faults);
    if (add_set(x, faults, one->line)) return -1;
  }
  return 0;
}

/* A path in an experiment starts at the experiment's own folder. */
static const char *path_beside(const cases *x, const char *path) {
  const char *slash = strrchr(x->spec->file, '/');
  if (*path == '/' || !slash) return path;
  return ripstop_arena_printf(x->arena, "%.*s/%s", (int)(slash - x->spec->file), x->spec->file, path);
}

static int add_file(cases *x, const struct ripstop_faults_file *file) {
  ripstop_faults *sets;
  size_t count;
  ripstop_error why;
  if (ripstop_faults_read(x->arena, x->names, path_beside(x, file->path), &sets, &count, &why))
    return reader_pass(x->reader, file->line, &why, "faults.file");
  if (!count) return reader_fail(x->reader, file->line, "faults.file: there is no fault set in %s", file->path);
  for (size_t i = 0; i < count; i++)
    if (add_set(x, &sets[i], file->line)) return -1;
  return 0;
}

static int add_files(cases *x) {
  for (size_t i = 0; i < x->spec->faults_files; i++)
    if (add_file(x, &x->spec->faults_file[i])) return -1;
  return 0;
}

static int find_faults(cases *x) {
  const ripstop_axis *set = ripstop_spec_axis(x->spec, "faults.set");
  if (x->spec->faults_files) return add_files(x);
  return set->count ? add_sets(x, set) : add_counts(x);
}

/* ------------------------------------------------------------------ schedules */

static int read_rule(const cases *x, const ripstop_setting *setting, const char *text, schedule_case *out) {
  ripstop_rule *rule = RIPSTOP_NEW(x->arena, ripstop_rule);
  ripstop_error why;
  if (ripstop_rule_open(x->arena, x->names, text, x->spec->file, rule, &why))
    return reader_pass(x->reader, setting->line, &why, "faults.schedule");
  out->text = rule->spec;
  out->rule = rule;
  return 0;
}

static int read_schedule(const cases *x, const ripstop_setting *setting, schedule_case *out) {
  ripstop_schedule *schedule = RIPSTOP_NEW(x->arena, ripstop_schedule);
  ripstop_error why;
  *out = (schedule_case){.text = "", .line = setting->line};
  if (!*setting->written) return 0;
  const units u = {x->arena, &x->spec->scale, NULL};
  const char *plain = units_schedule(&u, setting->written, &why);
  if (!plain) return reader_pass(x->reader, setting->line, &why, "");
  if (ripstop_rule_is_meant(plain)) return read_rule(x, setting, plain, out);
  int bad = strchr(plain, '@') ? ripstop_schedule_parse(x->arena, x->names, plain, strlen(plain), schedule, &why)
                               : ripstop_schedule_read(x->arena, x->names, path_beside(x, plain), schedule, &why);
  if (bad) return reader_pass(x->reader, setting->line, &why, "faults.schedule");
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_schedule_print(&text, x->fabric, schedule);
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] == '\n') text.data[i] = ' ';
  out->text = ripstop_arena_text(x->arena, text.data ? text.data : "");
  out->schedule = schedule;
  return 0;
}

/* A schedule must make sense with at least one fault set; random sets are not known yet. */
static int check_repairs(const cases *x, const schedule_case *one) {
  ripstop_error why;
  for (size_t i = 0; i < x->faults; i++) {
    bool drawn = !x->fault[i].faults && x->fault[i].parts;
    if (drawn || !ripstop_schedule_check(one->schedule, x->fabric, x->fault[i].faults, &why)) return 0;
  }
  return reader_pass(x->reader, one->line, &why, "faults.schedule");
}

static int find_schedules(cases *x) {
  const ripstop_axis *axis = ripstop_spec_axis(x->spec, "faults.schedule");
  x->schedules = axis->count;
  x->schedule = RIPSTOP_ARRAY(x->arena, axis->count, schedule_case);
  for (size_t i = 0; i < axis->count; i++)
    if (read_schedule(x, &axis->setting[i], &x->schedule[i]) ||
        (x->schedule[i].schedule && check_repairs(x, &x->schedule[i])))
      return -1;
  return 0;
}

int cases_find(cases *x) { return find_faults(x) || find_schedules(x) ? -1 : 0; }

cases_key cases_key_of(const char *name) {
  static const char *const names[CASES_KEYS] = {
      [CASES_COUNT] = "faults.count", [CASES_SAMPLE] = "faults.sample", [CASES_SCOPE] = "faults.scope",
      [CASES_SET] = "faults.set",     [CASES_KEEP] = "faults.keep",     [CASES_SCHEDULE] = "faults.schedule"};
  int key = 0;
  while (key < CASES_KEYS && strcmp(names[key], name) != 0) key++;
  return (cases_key)key;
}

const char *cases_value(const fault_case *fault, const schedule_case *schedule, cases_key key) {
  switch (key) {
  case CASES_COUNT:
    return fault->count;
  case CASES_SAMPLE:
    return fault->sample;
  case CASES_SCOPE:
    return fault->scope;
  case CASES_SET:
    return fault->set;
  case CASES_KEEP:
    return fault->keep;
  case CASES_SCHEDULE:
    return schedule->text;
  case CASES_KEYS:
    break;
  }
  return NULL;
}
