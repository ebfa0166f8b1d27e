/* value_names.c - the values that runs of an experiment can have, so that a figure's misspelt one is found before any
 * run is done.
 *
 * They are those of the list (ripstop/kit/values.h), with the names of classes, kinds, jobs and methods; a test runs
 * experiments of all kinds and compares. Which of them one run has depends on what happens in it: there is no mean
 * latency without packets. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "experiment/inner_runs.h"
#include "experiment/reader.h"
#include "ripstop/kit/values.h"
#include "ripstop/plugin/method.h"

static const char *const kind_words[] = {"undisturbed.",  "unaffected.",     "affected.",
                                         "misrouted-up.", "misrouted-down.", "misrouted-both."};
static const char *const spread_words[] = {"link-use", "sent", "received"}; /* that have quantiles */

enum { GROWTH = 64 };
#define COUNT(words) (sizeof(words) / sizeof *(words))

typedef struct vocabulary {
  ripstop_arena *arena;
  const char **word; /* NULL-terminated */
  size_t count, room;
} vocabulary;

static void add(vocabulary *v, const char *prefix, const char *word) {
  if (v->count + 1 >= v->room) {
    v->room += GROWTH;
    v->word = ripstop_arena_realloc(v->arena, v->word, v->room, sizeof *v->word);
  }
  v->word[v->count++] = *prefix ? ripstop_arena_printf(v->arena, "%s%s", prefix, word) : word;
  v->word[v->count] = NULL;
}

/* The values that some of these results have (RIPSTOP_VALUES_*). */
static void add_all(vocabulary *v, const char *prefix, unsigned of) {
  for (const ripstop_quantity *q = ripstop_quantities; q->name; q++)
    if (q->of & of) add(v, prefix, q->name);
}

static void add_list(vocabulary *v, const char *prefix, const char *const *word) {
  for (size_t i = 0; word && word[i]; i++) add(v, prefix, word[i]);
}

static bool is_known(const vocabulary *v, size_t from, const char *word) {
  for (size_t i = from; i < v->count; i++)
    if (!strcmp(v->word[i], word)) return true;
  return false;
}

/* "latency." and all quantiles that have no name among the words from number `from` on. */
static void add_quantiles(vocabulary *v, size_t from, const char *prefix, const char *name) {
  for (const ripstop_quantile *q = ripstop_quantiles; q->word; q++) {
    const char *word = ripstop_arena_printf(v->arena, "%s%s.%s", prefix, name, q->word);
    if (!is_known(v, from, word)) add(v, "", word);
  }
}

static void add_kind(vocabulary *v, const char *kind) {
  const size_t from = v->count;
  add_all(v, kind, RIPSTOP_VALUES_PACKETS);
  add_quantiles(v, from, kind, "latency");
}

static void add_packets(vocabulary *v, const char *prefix) {
  add_kind(v, prefix);
  for (size_t k = 0; k < COUNT(kind_words); k++)
    add_kind(v, ripstop_arena_printf(v->arena, "%s%s", prefix, kind_words[k]));
}

static void add_method(vocabulary *v, const ripstop_setting *setting, bool simulates) {
  ripstop_error never;
  const ripstop_method *method = ripstop_method_find(setting->text, strcspn(setting->text, ":"), &never);
  if (!method) return;
  add_list(v, "", method->fact_names);
  if (!simulates) return;
  add_list(v, "lost.", method->losses);
  if (!method->proto) return;
  add_list(v, "control.", method->proto->kinds);
  add_list(v, "control.last.", method->proto->kinds);
  add_list(v, "control.settling.", method->proto->kinds);
}

/* Each has a share: "0.4/0.6". */
static unsigned classes_of(const ripstop_setting *setting) {
  unsigned count = 1;
  for (const char *c = setting->text; *c; c++) count += *c == '/';
  return count;
}

/* The highest class in the text of jobs: "random:every=10 class 3 + barrier". */
static unsigned classes_of_jobs(const ripstop_setting *setting) {
  static const char word[] = " class ";
  unsigned long most = 1;
  for (const char *at = setting->text; (at = strstr(at, word));) {
    const unsigned long number = strtoul(at += sizeof word - 1, NULL, 10);
    if (number > most) most = number;
  }
  return most < RIPSTOP_CLASSES_MAX ? (unsigned)most : RIPSTOP_CLASSES_MAX;
}

/* The most of all settings of an axis; NULL: 1. */
static unsigned most_of(const ripstop_axis *axis, unsigned (*count)(const ripstop_setting *)) {
  unsigned most = 1;
  for (size_t i = 0; axis && i < axis->full_count + axis->count; i++) {
    const unsigned own = count(i < axis->count ? &axis->setting[i] : &axis->full[i - axis->count]);
    if (own > most) most = own;
  }
  return most;
}

static unsigned most_classes(const ripstop_spec *spec) {
  const ripstop_axis *traffic = ripstop_spec_axis(spec, "traffic.classes");
  if (!traffic) return RIPSTOP_CLASSES_MAX; /* a program has those of its messages */
  const unsigned random = most_of(traffic, classes_of);
  const unsigned jobs =
      spec->kind == RIPSTOP_RUN_WORKLOAD ? most_of(ripstop_spec_axis(spec, "workload.jobs"), classes_of_jobs) : 1;
  return random > jobs ? random : jobs;
}

static void add_simulation(vocabulary *v, const ripstop_spec *spec) {
  unsigned classes = most_classes(spec);
  add_all(v, "", RIPSTOP_VALUES_RUN);
  add_packets(v, "");
  for (size_t i = 0; i < COUNT(spread_words); i++) add_quantiles(v, 0, "", spread_words[i]);
  add_all(v, "", RIPSTOP_VALUES_SPREAD);
  for (unsigned c = 1; c <= classes && classes > 1; c++) add_packets(v, ripstop_arena_printf(v->arena, "class%u.", c));
}

static const char *after_plus(const char *text) {
  const char *plus = strstr(text, " + ");
  return plus ? plus + 3 : NULL;
}

/* Its ranks are not listed: their number is in files. */
static void add_workload(vocabulary *v, const ripstop_spec *spec) {
  const ripstop_axis *axis = ripstop_spec_axis(spec, "workload.jobs");
  unsigned most = 0;
  for (size_t i = 0; i < axis->full_count + axis->count; i++) {
    unsigned count = 0;
    const char *text = i < axis->count ? axis->setting[i].text : axis->full[i - axis->count].text;
    for (; text; text = after_plus(text)) count++;
    if (count > most) most = count;
  }
  add_all(v, "", RIPSTOP_VALUES_WORKLOAD);
  for (unsigned j = 1; j <= most; j++) add_all(v, ripstop_arena_printf(v->arena, "job.%u.", j), RIPSTOP_VALUES_JOB);
}

const char *const *ripstop_spec_values(const ripstop_spec *spec, ripstop_arena *arena) {
  vocabulary v = {.arena = arena};
  const ripstop_axis *method = ripstop_spec_axis(spec, "method");
  bool simulates = spec->kind != RIPSTOP_RUN_PROVE;
  if (simulates)
    add_simulation(&v, spec);
  else
    add_all(&v, "", RIPSTOP_VALUES_SETS);
  if (spec->kind == RIPSTOP_RUN_PROGRAM) add_all(&v, "", RIPSTOP_VALUES_PROGRAM);
  if (spec->kind == RIPSTOP_RUN_WORKLOAD) add_workload(&v, spec);
  if (spec->kind == RIPSTOP_RUN_SIMULATE) add_all(&v, "", RIPSTOP_VALUES_TRAFFIC);
  for (size_t i = 0; i < method->full_count; i++) add_method(&v, &method->full[i], simulates);
  for (size_t i = 0; i < method->count; i++) add_method(&v, &method->setting[i], simulates);
  return v.word;
}

bool reader_is_of_packets(const char *value) { return ripstop_quantity_find(value, RIPSTOP_VALUES_PACKETS) != NULL; }

/* The setting that some run needs so that any has such values. */
static const struct condition {
  const char *value; /* ends, or begins with a point before or behind it */
  const char *key, *is, *is_not;
} conditions[] = {{"affected.", "measure.affected", "on", NULL},
                  {"reorder.", "measure.reorder", "on", NULL},
                  {"unaffected.", "measure.affected", "on", NULL},
                  {"saturation.", "traffic.load", "saturation", NULL},
                  {"flow.", "flow.model", "flow", NULL},
                  {"faults.refused", "faults.keep", NULL, "all"},
                  {"fault.", "faults.schedule", NULL, ""},
                  {"fault.recovery", "measure.window", NULL, "0"},
                  {"fault.worst", "measure.window", NULL, "0"},
                  {"tables.entries", "prove.tables", "on", NULL},
                  {"header.bits", "prove.tables", "on", NULL},
                  {"deadlock.possible", "prove.decide", "all", NULL},
                  {"livelock.possible", "prove.decide", "all", NULL},
                  {"safe", "prove.mixtures", NULL, "off"},
                  {"deadlocked", "prove.mixtures", NULL, "off"},
                  {"livelocked", "prove.mixtures", NULL, "off"},
                  {"transport.", "workload.transport", NULL, "none"},
                  {"transport.", "traffic.transport", NULL, "none"},
                  {"checkpoint.", "workload.checkpoint", NULL, "0"},
                  {"rollback.", "workload.checkpoint", NULL, "0"},
                  {"transport.trimmed", "workload.transport", "trim", NULL},
                  {"transport.trimmed", "traffic.transport", "trim", NULL},
                  {"transport.pulls", "workload.transport", "trim", NULL},
                  {"transport.pulls", "traffic.transport", "trim", NULL},
                  {"lost.errors", "switch.flit_errors", NULL, "0"},
                  {"lost.buffer", "switch.queues", "shared", NULL},
                  {"lost.buffer", "switch.lossless", "off", NULL},
                  {"lost.trimmed", "switch.queues", "shared", NULL},
                  {"lost.trimmed", "switch.trim", "on", NULL},
                  {"pauses", "switch.queues", "shared", NULL},
                  {"pauses", "switch.lossless", "on", NULL},
                  {"pause.", "switch.queues", "shared", NULL},
                  {"pause.", "switch.lossless", "on", NULL},
                  {"voq.full", "switch.queues", "voq", NULL},
                  {"stops", "reaction.model", "static", NULL},
                  {"stopped", "reaction.model", "static", NULL},
                  {"transport.marked", "workload.congestion", NULL, "none"},
                  {"transport.notifications", "workload.congestion", "dcqcn", NULL}};

/* A setting as `voq:lines=4` counts as `voq`. */
static bool is_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  return !strncmp(text, word, length) && (!text[length] || text[length] == ':');
}

static bool is_met(const struct condition *c, const char *text) {
  return c->is ? is_word(text, c->is) : !is_word(text, c->is_not);
}

static bool some_run_has(const ripstop_axis *axis, const struct condition *c) {
  for (size_t i = 0; i < axis->full_count + axis->count; i++) {
    const ripstop_setting *setting = i < axis->count ? &axis->setting[i] : &axis->full[i - axis->count];
    const char *text = setting->text ? setting->text : setting->written; /* parts of a fabric that is not open yet */
    if (is_met(c, text)) return true;
  }
  for (size_t i = 0; axis->of_preset && i < RIPSTOP_PRESETS_MOST; i++)
    if (axis->of_preset[i] && is_met(c, axis->of_preset[i])) return true;
  return false;
}

static bool is_of(const char *name, const char *part) {
  const char *found = strstr(name, part);
  return found && (found == name || found[-1] == '.');
}

/* Only runs with measure.spread have these: "class1.latency.p90", "sent.least". */
static bool is_spread(const char *name) {
  const char *point = strrchr(name, '.');
  const ripstop_quantile *q = ripstop_quantiles;
  while (q->word && point && strcmp(point + 1, q->word) != 0) q++;
  if (!point || (!q->word && strcmp(point + 1, "fairness") != 0)) return false;
  if (is_of(name, "latency.")) return !q->always;
  if (is_of(name, "link-use.")) return !is_of(name, "link-use.max");
  return is_of(name, "sent.") || is_of(name, "received.");
}

static const struct condition spread = {"", "measure.spread", "on", NULL};

bool ripstop_run_may_have(const ripstop_run *run, const char *value) {
  if (is_of(value, "slow-queue") && !ripstop_run_has_slow_links(run)) return false;
  for (size_t i = 0; i < COUNT(conditions); i++) {
    const char *text = is_of(value, conditions[i].value) ? ripstop_run_key(run, conditions[i].key) : NULL;
    if (text && !is_met(&conditions[i], text)) return false;
  }
  const char *spreads = is_spread(value) ? ripstop_run_key(run, spread.key) : NULL;
  return !spreads || is_met(&spread, spreads);
}

static int check_conditions(const reader *r, int line, const char *key, const char *name) {
  for (size_t i = 0; i < COUNT(conditions); i++) {
    const struct condition *c = &conditions[i];
    const ripstop_axis *axis = ripstop_spec_axis(r->spec, c->key);
    if (!axis || !is_of(name, c->value) || some_run_has(axis, c)) continue;
    return reader_fail(r, line, "%s: no run has a value '%s' without %s%s%s", key, name, c->key, c->is ? ": " : "",
                       c->is ? c->is : "");
  }
  const ripstop_axis *axis = ripstop_spec_axis(r->spec, spread.key);
  if (axis && is_spread(name) && !some_run_has(axis, &spread))
    return reader_fail(r, line, "%s: no run has a value '%s' without %s: on", key, name, spread.key);
  return 0;
}

int reader_check_spread(const reader *r, int line, const char *key, const char *name) {
  RIPSTOP_LOCAL_ARENA(arena);
  const char *const *all = ripstop_spec_values(r->spec, arena);
  size_t count = 0;
  while (all[count]) count++;
  const char **words = RIPSTOP_ARRAY(arena, count + 1, const char *), *ninety = ".p90";
  size_t kept = 0;
  bool known = false;
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(all[i]), end = strlen(ninety);
    if (length <= end || strcmp(all[i] + length - end, ninety) != 0) continue;
    words[kept] = ripstop_arena_printf(arena, "%.*s", (int)(length - end), all[i]);
    known |= !strcmp(words[kept++], name);
  }
  const char *near = ripstop_nearest_word(name, words);
  int status =
      known  ? reader_check_value(r, line, key, ripstop_arena_printf(arena, "%s%s", name, ninety))
      : near ? reader_fail(r, line, "%s: '%s' has no quantiles; did you mean '%s'?", key, name, near)
             : reader_fail(r, line, "%s: '%s' has no quantiles; latency, link-use, sent and received have", key, name);
  return status;
}

int reader_check_value(const reader *r, int line, const char *key, const char *name) {
  RIPSTOP_LOCAL_ARENA(arena);
  const char *const *words = ripstop_spec_values(r->spec, arena), *const *word = words;
  while (*word && strcmp(*word, name) != 0) word++;
  const char *near = *word ? NULL : ripstop_nearest_word(name, words);
  int status = 0;
  if (near)
    status = reader_fail(r, line, "%s: no run has a value '%s'; did you mean '%s'?", key, name, near);
  else if (!*word)
    status = reader_fail(r, line, "%s: no run has a value '%s'; docs/experiment-keys.md lists them", key, name);
  else
    status = check_conditions(r, line, key, name);
  return status;
}
