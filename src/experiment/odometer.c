/* odometer.c - the odometer, and what a run's place on it says (odometer.h). */
#include "experiment/odometer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiment/axes.h"
#include "experiment/execute.h"
#include "experiment/inner_runs.h"
#include "experiment/plugin_hash.h"
#include "experiment/presets.h"

#define PLACES_MAX 1e9 /* that `only` may choose from: a bit each */
enum { WORD = 64 };

/* ------------------------------------------------------------------ digits */

static void open_digits(product *p, ripstop_arena *arena) {
  p->digit = RIPSTOP_ARRAY(arena, p->spec->axes, digit);
  for (size_t i = 0; i < p->spec->axes; i++) {
    const ripstop_axis *axis = &p->spec->axis[i];
    if (axis->of_fabric) continue;
    bool seed = !strcmp(axis->key, "seed"), load = !strcmp(axis->key, "traffic.load");
    bool size = !strcmp(axis->key, "switch.in_queue") || !strcmp(axis->key, "switch.out_queue");
    if (seed) p->seed = p->digits;
    if (!strcmp(axis->key, "method")) p->method = p->digits;
    p->digit[p->digits++] = (digit){.axis = axis, .is_number = seed || load, .is_size = size};
  }
}

static int count_places(product *p, const reader *r) {
  double total = 1, most = p->spec->parts ? PLACES_MAX : RIPSTOP_RUNS_MAX;
  for (size_t i = 0; i < p->digits; i++) total *= (double)p->digit[i].axis->count;
  if (total > most)
    return reader_fail(r, 1, "the lists multiply to %.15g runs; at most %.0f%s", total, most,
                       p->spec->parts ? " to choose from" : "");
  p->places = 1;
  for (size_t i = p->digits; i-- > 0; p->places *= p->digit[i].axis->count) p->digit[i].stride = p->places;
  return 0;
}

static size_t index_at(const digit *d, uint64_t place) {
  return d->axis->count == 1 ? 0 : (size_t)(place / d->stride % d->axis->count);
}

const ripstop_setting *digit_setting(const digit *d, uint64_t place) { return &d->axis->setting[index_at(d, place)]; }

/* ------------------------------------------------------------------ presets of the switch */

static const digit *digit_of(const product *p, const char *key) {
  for (size_t i = 0; i < p->digits; i++)
    if (!strcmp(p->digit[i].axis->key, key)) return &p->digit[i];
  return NULL;
}

static void find_presets(product *p, ripstop_arena *arena) {
  const ripstop_axis *method = p->digit[p->method].axis;
  p->asked = digit_of(p, "switch.preset");
  p->unit = digit_of(p, "switch.unit");
  p->model = digit_of(p, "flow.model");
  if (!p->asked) return;
  const ripstop_axis *asked = p->asked->axis;
  p->preset = RIPSTOP_ARRAY(arena, method->count * asked->count, uint8_t);
  for (size_t m = 0; m < method->count; m++)
    for (size_t a = 0; a < asked->count; a++)
      p->preset[m * asked->count + a] =
          (uint8_t)preset_number(preset_in_use(p->spec, method->setting[m].text, asked->setting[a].text, NULL));
}

/* The flow model has no queues, so its switch is the method's only if the file says so. */
static bool is_flow(const product *p, uint64_t place) {
  return p->model && !strcmp(digit_setting(p->model, place)->text, ripstop_model_words[RIPSTOP_MODEL_FLOW]);
}

static bool is_plain(const product *p, uint64_t place) {
  return is_flow(p, place) && !strcmp(digit_setting(p->asked, place)->text, RIPSTOP_OF_METHOD);
}

static size_t preset_at(const product *p, uint64_t place) {
  if (is_plain(p, place)) return preset_number(RIPSTOP_PRESET);
  return p->preset[index_at(&p->digit[p->method], place) * p->asked->axis->count + index_at(p->asked, place)];
}

/* The value that the preset in use gives the key; NULL: none. */
static const char *preset_text(const product *p, const digit *d, uint64_t place) {
  const char *const *of_preset = d->axis->of_preset;
  const size_t preset = of_preset ? preset_at(p, place) : 0;
  if (!of_preset || (d->is_size && !preset_counts(preset, p->unit->axis, digit_setting(p->unit, place)))) return NULL;
  return of_preset[preset];
}

static const char *text_of_preset(const ripstop_axis *axis, uint8_t preset) {
  const char *text = axis->of_preset ? axis->of_preset[preset] : NULL;
  return text ? text : axis->setting->text;
}

/* The file may give all keys in which two presets differ. */
static bool differ(const product *p, uint8_t one, uint8_t other) {
  for (size_t i = 0; i < p->digits; i++)
    if (strcmp(text_of_preset(p->digit[i].axis, one), text_of_preset(p->digit[i].axis, other)) != 0) return true;
  return false;
}

/* A list must not have two presets that make one run. */
static int check_presets(const product *p, const reader *r) {
  const size_t count = p->asked ? p->asked->axis->count : 0, methods = p->digit[p->method].axis->count;
  for (size_t m = 0; m < methods; m++)
    for (size_t b = 1; b < count; b++)
      for (size_t a = 0; a < b; a++) {
        if (differ(p, p->preset[m * count + a], p->preset[m * count + b])) continue;
        const ripstop_setting *one = &p->asked->axis->setting[a], *other = &p->asked->axis->setting[b];
        return reader_fail(r, other->line, "switch.preset: '%s' and '%s' have the same values of all keys for %s",
                           one->written, other->written, p->digit[p->method].axis->setting[m].written);
      }
  return 0;
}

uint64_t product_tried(const product *p, uint64_t place) {
  uint64_t tried = place;
  for (size_t i = 0; i < p->digits; i++)
    if (p->digit[i].is_number) tried -= index_at(&p->digit[i], place) * p->digit[i].stride;
  return tried;
}

/* ------------------------------------------------------------------ which places are wanted */

/* The settings of a digit that a part leaves. */
typedef struct selection {
  uint64_t stride;
  size_t count;
  const size_t *index; /* NULL: all */
} selection;

typedef struct marking {
  product *p;
  ripstop_arena *arena;            /* for one part */
  const ripstop_setting ***sorted; /* [digits][settings]: by text */
  selection *selection;            /* [digits] */
  size_t selections;
} marking;

static int by_text(const void *a, const void *b) {
  return strcmp((*(const ripstop_setting *const *)a)->text, (*(const ripstop_setting *const *)b)->text);
}

static void sort_settings(marking *m, ripstop_arena *arena) {
  m->sorted = RIPSTOP_ARRAY(arena, m->p->digits, const ripstop_setting **);
  for (size_t i = 0; i < m->p->digits; i++) {
    const ripstop_axis *axis = m->p->digit[i].axis;
    m->sorted[i] = RIPSTOP_ARRAY(arena, axis->count, const ripstop_setting *);
    for (size_t s = 0; s < axis->count; s++) m->sorted[i][s] = &axis->setting[s];
    qsort(m->sorted[i], axis->count, sizeof(void *), by_text);
  }
}

/* False: it leaves none of them. */
static bool choose(marking *m, size_t i, const ripstop_filter *filter) {
  const ripstop_axis *axis = m->p->digit[i].axis;
  selection c = {.stride = m->p->digit[i].stride, .count = axis->count};
  if (filter) {
    size_t *index = RIPSTOP_ARRAY(m->arena, filter->count, size_t);
    c.index = index, c.count = 0;
    for (size_t s = 0; s < filter->count; s++) {
      const ripstop_setting *const *found =
          bsearch(&filter->setting[s], m->sorted[i], axis->count, sizeof(void *), by_text);
      if (found) index[c.count++] = (size_t)(*found - axis->setting);
    }
  }
  if (axis->count > 1) m->selection[m->selections++] = c;
  return c.count > 0;
}

static void mark(const marking *m, size_t at, uint64_t place) {
  if (at < m->selections) {
    const selection *c = &m->selection[at];
    for (size_t i = 0; i < c->count; i++) mark(m, at + 1, place + (c->index ? c->index[i] : i) * c->stride);
    return;
  }
  uint64_t *word = &m->p->wanted[place / WORD], bit = UINT64_C(1) << place % WORD;
  m->p->count += !(*word & bit);
  *word |= bit;
}

static void mark_part(marking *m, const ripstop_part *part) {
  bool some = true;
  m->selections = 0;
  for (size_t i = 0; i < m->p->digits && some; i++)
    some = choose(m, i, reader_filter(part->filter, part->filters, m->p->digit[i].axis->key));
  if (some) mark(m, 0, 0);
  ripstop_arena_clear(m->arena);
}

static void mark_wanted(product *p, ripstop_arena *arena) {
  p->count = p->places;
  if (!p->spec->parts) return;
  marking m = {.p = p, .arena = ripstop_arena_new(), .selection = RIPSTOP_ARRAY(arena, p->digits, selection)};
  p->wanted = RIPSTOP_ARRAY(arena, (size_t)(p->places / WORD + 1), uint64_t);
  p->count = 0;
  sort_settings(&m, arena);
  for (size_t i = 0; i < p->spec->parts && p->count < p->places; i++) mark_part(&m, &p->spec->part[i]);
  ripstop_arena_free(m.arena);
}

uint64_t product_next(const product *p, uint64_t place) {
  if (!p->wanted) return place;
  while (place < p->places) {
    uint64_t rest = p->wanted[place / WORD] >> place % WORD;
    if (rest & 1) return place;
    place = rest ? place + 1 : (place / WORD + 1) * WORD;
  }
  return p->places;
}

/* ------------------------------------------------------------------ the settings of a place */

/* Writes one key into the settings. The texts were accepted by the same option arrays before, so nothing can fail. */
static void apply(const ripstop_axis *axis, const ripstop_setting *setting, ripstop_arena *arena,
                  ripstop_settings *out) {
  const char *text = setting->opens ? setting->opens : setting->text;
  const struct {
    const char *section;
    const ripstop_option *options;
    void *config;
  } sections[] = {{"traffic", ripstop_traffic_options, &out->simulation.traffic},
                  {"program", ripstop_program_options, &out->program},
                  {"workload", ripstop_workload_options, &out->workload},
                  {"flow", ripstop_fluid_options, &out->fluid},
                  {"prove", ripstop_prove_options, &out->prove},
                  {"switch", ripstop_switch_options, &out->simulation.switch_},
                  {"measure.precision", ripstop_precision_options, &out->precision},
                  {"measure", ripstop_measure_options, &out->simulation.measure},
                  {"reaction", ripstop_reconfiguration_options, &out->simulation.reconfiguration}};
  ripstop_error never;
  if (!strcmp(axis->key, "traffic.load")) {
    out->saturation = !strcmp(text, AXIS_SATURATION);
    out->simulation.traffic.load = 1; /* to be tried with; a number takes its place below */
  }
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    size_t length = strlen(sections[i].section);
    const char *option = axis->key + length + 1;
    if (!strncmp(axis->key, sections[i].section, length) && axis->key[length] == '.' && !strchr(option, '.'))
      ripstop_options_set(arena, sections[i].section, sections[i].options, sections[i].config, option, text, &never);
  }
}

void product_settings(const product *p, uint64_t place, ripstop_arena *arena, ripstop_settings *out) {
  *out = p->first;
  for (size_t i = 0; i < p->digits; i++) {
    size_t index = index_at(&p->digit[i], place);
    if (index) apply(p->digit[i].axis, &p->digit[i].axis->setting[index], arena, out);
    const char *text = preset_text(p, &p->digit[i], place);
    if (text) apply(p->digit[i].axis, &(ripstop_setting){.text = text}, arena, out);
  }
}

static void read_first(product *p, ripstop_arena *arena) {
  memset(&p->first, 0, sizeof p->first);
  p->first.precision.value = ""; /* programs have none */
  for (size_t i = 0; i < p->digits; i++) apply(p->digit[i].axis, p->digit[i].axis->setting, arena, &p->first);
}

/* The traffic of a sample. Its words are those that the sampler of fault sets leaves unused: it draws from the indices
 * count << 32 | sample, and never a set of 0 parts. */
uint64_t execute_traffic_seed(uint64_t seed, uint32_t sample) {
  uint32_t word[4];
  if (!sample) return seed;
  ripstop_random_block(seed, RIPSTOP_RANDOM_FAULTS, sample, 0, word);
  return (uint64_t)word[1] << 32 | word[0];
}

int ripstop_run_settings(const ripstop_run *run, ripstop_arena *arena, ripstop_settings *out) {
  RIPSTOP_GUARD(NULL, -1);
  product_settings(run->product, run->place, arena, out);
  out->simulation.seed = execute_traffic_seed(run->seed, run->sample);
  out->simulation.schedule = run->schedule;
  out->simulation.threads = run->threads;
  return 0;
}

/* ------------------------------------------------------------------ keys */

static const char source[] = "source"; /* the name of the line that is no key */

static int by_name(const void *a, const void *b) {
  return strcmp(((const product_key *)a)->name, ((const product_key *)b)->name);
}

static product_key describe(const product *p, const char *name, ripstop_arena *arena) {
  const ripstop_axis *axis = ripstop_spec_axis(p->spec, name);
  const axis_own *own = axis_own_find(name);
  product_key key = {.name = name,
                     .head = ripstop_arena_printf(arena, "%s=", name),
                     .head_bytes = strlen(name) + 1,
                     .silent = own    ? own->silent
                               : axis ? axis->silent
                                      : NULL,
                     .own = own,
                     .unnamed = own && own->unnamed,
                     .of_slow_links = !strcmp(name, "switch.slow_queue"),
                     .of_xoff = !strcmp(name, "switch.xoff"),
                     .of = OF_CASE,
                     .digit = digit_of(p, name),
                     .key_of_case = cases_key_of(name)};
  if (key.digit) key.of = OF_DIGIT;
  if (!key.digit && !strcmp(name, "fabric")) key.of = OF_FABRIC;
  if (!key.digit && !strcmp(name, "kind")) key.of = OF_KIND;
  if (!key.digit && !strcmp(name, "model")) key.of = OF_MODEL;
  return key;
}

/* Every run has the same keys. */
static void name_keys(product *p, ripstop_arena *arena) {
  static const char *const others[] = {"faults.sample", "kind", "model"};
  enum { OTHERS = sizeof others / sizeof *others };
  p->key = RIPSTOP_ARRAY(arena, p->spec->axes + OTHERS, product_key);
  for (size_t i = 0; i < p->spec->axes; i++) p->key[p->keys++] = describe(p, p->spec->axis[i].key, arena);
  for (size_t i = 0; i < OTHERS; i++) p->key[p->keys++] = describe(p, others[i], arena);
  qsort(p->key, p->keys, sizeof *p->key, by_name);
  while (p->before_source < p->keys && strcmp(p->key[p->before_source].name, source) <= 0) p->before_source++;
}

static const char *value_asked(const ripstop_run *run, const product_key *key) {
  switch (key->of) {
  case OF_DIGIT:
    return digit_setting(key->digit, run->place)->text;
  case OF_FABRIC:
    return run->fabric->spec;
  case OF_KIND:
    return ripstop_run_kind_words[run->kind];
  case OF_MODEL:
    return SOURCE_MODEL;
  case OF_CASE:
    break;
  }
  return cases_value(run->fault, run->change, key->key_of_case);
}

static const char *value_of(const ripstop_run *run, const product_key *key) {
  const char *asked = value_asked(run, key);
  const char *of_preset = key->of == OF_DIGIT ? preset_text(run->product, key->digit, run->place) : NULL;
  if (of_preset) asked = of_preset;
  if (key->unnamed && is_plain(run->product, run->place)) return RIPSTOP_PRESET;
  return key->own ? axis_own_value(key->own, run->product->spec, run->method, asked) : asked;
}

size_t ripstop_run_keys(const ripstop_run *run) { return run->product->keys; }

ripstop_key ripstop_run_key_at(const ripstop_run *run, size_t k) {
  const product_key *key = &run->product->key[k];
  return (ripstop_key){.name = key->name, .value = value_of(run, key)};
}

static const product_key *find_key(const product *p, const char *name) {
  const product_key wanted = {.name = name};
  return bsearch(&wanted, p->key, p->keys, sizeof *p->key, by_name);
}

const char *ripstop_run_key(const ripstop_run *run, const char *key) {
  const product_key *found = find_key(run->product, key);
  return found ? value_of(run, found) : NULL;
}

const char *ripstop_run_key_written(const ripstop_run *run, const char *key) {
  const product_key *found = find_key(run->product, key);
  return found ? value_asked(run, found) : NULL;
}

static void add_line(ripstop_text *out, const char *head, size_t head_bytes, const char *value) {
  ripstop_text_add_bytes(out, head, head_bytes);
  ripstop_text_add_bytes(out, value, strlen(value));
  ripstop_text_add_bytes(out, "\n", 1);
}

/* Decides by the text alone: a trace may contain slow links. */
static bool is_slow_rule(const ripstop_rule *rule) {
  return rule && (strstr(rule->spec, "rate=") || !strncmp(rule->spec, "trace", strlen("trace")));
}

static bool is_value(const ripstop_run *run, const char *key, const char *value) {
  const char *own = ripstop_run_key(run, key);
  return own && !strcmp(own, value);
}

bool ripstop_run_has_slow_links(const ripstop_run *run) {
  bool any = run->fabric->rate || (run->faults && run->faults->slows) || is_slow_rule(run->rule);
  for (size_t i = 0; run->schedule && i < run->schedule->count; i++) any |= run->schedule->change[i].rate > 0;
  return any;
}

static bool is_silent(const ripstop_run *run, const product_key *key, const char *value) {
  if (key->unnamed) return true;
  if (!key->silent || strcmp(key->silent, value) != 0) return false;
  return !key->of_slow_links || !ripstop_run_has_slow_links(run);
}

/* In flits the default of switch.xoff was (1 + ceil(d / L)) L in older rows, and their names have 0 for it. The least
 * is another setting with other results, so its name is another too. */
static const char *value_in_name(const ripstop_run *run, const product_key *key) {
  const char *value = value_of(run, key);
  const bool least = key->of_xoff && !strcmp(value, "0") && is_value(run, "switch.flow", "xonxoff") &&
                     is_value(run, "switch.unit", "flits");
  return least ? "least" : value;
}

static void add_keys(const ripstop_run *run, size_t from, size_t to, ripstop_text *out) {
  for (size_t k = from; k < to; k++) {
    const product_key *key = &run->product->key[k];
    const char *value = value_in_name(run, key);
    if (!is_silent(run, key, value)) add_line(out, key->head, key->head_bytes, value);
  }
}

/* An option that came late was at its default in all runs before, which keep their names. The source has its line among
 * the keys, but is none: no experiment can use it. */
void ripstop_run_canonical(const ripstop_run *run, ripstop_text *out) {
  const product *p = run->product;
  add_keys(run, 0, p->before_source, out);
  if (run->source) add_line(out, "source=", strlen("source="), run->source);
  add_keys(run, p->before_source, p->keys, out);
}

static const ripstop_setting *find_setting(const ripstop_axis *axis, const char *text) {
  for (size_t i = 0; i < axis->count; i++)
    if (!strcmp(axis->setting[i].text, text)) return &axis->setting[i];
  return NULL;
}

/* A list must not have both "method" and the value that it means: two runs would be one. */
static int check_own(const product *p, const char *key, const reader *r) {
  const ripstop_axis *axis = ripstop_spec_axis(p->spec, key), *method = ripstop_spec_axis(p->spec, "method");
  const bool has_own = axis && find_setting(axis, RIPSTOP_OF_METHOD);
  for (size_t i = 0; has_own && i < method->count; i++) {
    const char *word = axis_own_value(axis_own_find(key), p->spec, method->setting[i].text, RIPSTOP_OF_METHOD);
    const ripstop_setting *same = find_setting(axis, word);
    if (same)
      return reader_fail(r, same->line, "%s: '%s' is listed twice: 'method' has the same value for %s", key, word,
                         method->setting[i].written);
  }
  return 0;
}

static int check_owns(const product *p, const reader *r) {
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    if (check_own(p, *key, r)) return -1;
  return 0;
}

int product_open(product *p, const reader *r, ripstop_arena *arena) {
  open_digits(p, arena);
  if (count_places(p, r) || check_owns(p, r)) return -1;
  find_presets(p, arena);
  if (check_presets(p, r)) return -1;
  mark_wanted(p, arena);
  name_keys(p, arena);
  read_first(p, arena);
  return 0;
}
