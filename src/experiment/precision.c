/* precision.c - runs that go on until a value has the wanted precision.
 *
 * A run is analysed when it has n, 2n, 4n, ... up to `most` measured cycles, or samples. Frequent analyses find an
 * interval that is narrow by chance. So at most K analyses share the permitted error: each interval has the confidence
 * 1 - (1 - c) / K (Bonferroni), and the last one covers with c or more. Which analysis is the last depends on the run's
 * own numbers alone.
 *
 * An analysis of more cycles is the run from its beginning with so many. It costs at most as much again as the one
 * before, and its stored numbers are those of a plain run of that length. Samples are kept, and more are added. */
#include <math.h>
#include <string.h>

#include "base/growing.h"
#include "base/statistics.h"
#include "experiment/axes.h"
#include "experiment/execute.h"
#include "experiment/inner_runs.h"

const char *const ripstop_grow_words[] = {"cycles", "samples", NULL};

const ripstop_option ripstop_precision_options[] = {
    RIPSTOP_TEXT(ripstop_precision_config, value, "",
                 "the value that is to be known so well; none: runs are as long as measure.cycles says", .later = true),
    RIPSTOP_REAL(ripstop_precision_config, relative, 0, 1, "0",
                 "half the width of its interval at most, as a part of the value", .later = true),
    RIPSTOP_REAL(ripstop_precision_config, absolute, 0, 1e12, "0",
                 "half the width of its interval at most, in the value's unit", .later = true),
    RIPSTOP_WORD(ripstop_precision_config, grow, ripstop_grow_words, "cycles",
                 "what grows with each analysis: measured cycles, or samples, each with faults and traffic of its own",
                 .later = true),
    RIPSTOP_INTEGER(ripstop_precision_config, most, 0, 2e9, "0",
                    "at most so many; 0: 64 times as many as in the first analysis, measure.cycles or 8 samples",
                    .later = true),
    {0}};

/* ------------------------------------------------------------------ reading */

static const ripstop_setting *some(const reader *r, const char *key, const char *but) {
  const ripstop_axis *axis = ripstop_spec_axis(r->spec, key);
  for (size_t i = 0; axis && i < axis->count; i++)
    if (strcmp(axis->setting[i].text, but) != 0) return &axis->setting[i];
  return NULL;
}

static bool has_saturation(const reader *r) {
  const ripstop_axis *load = ripstop_spec_axis(r->spec, "traffic.load");
  for (size_t i = 0; load && i < load->count; i++)
    if (!strcmp(load->setting[i].text, AXIS_SATURATION)) return true;
  return false;
}

static int check_value(const reader *r, const ripstop_setting *value) {
  if (!strcmp(value->text, "saturation.load"))
    return has_saturation(r)
               ? 0
               : reader_fail(r, value->line,
                             "measure.precision.value: saturation.load goes with traffic.load: saturation");
  return reader_check_value(r, value->line, "measure.precision.value", value->text);
}

int reader_precision(const reader *r) {
  const ripstop_setting *value = some(r, "measure.precision.value", "");
  const ripstop_setting *goal = some(r, "measure.precision.relative", "0");
  const ripstop_setting *samples = some(r, "measure.precision.grow", ripstop_grow_words[RIPSTOP_GROW_CYCLES]);
  if (!goal) goal = some(r, "measure.precision.absolute", "0");
  if (value && !goal) return reader_fail(r, value->line, "measure.precision: value needs relative or absolute");
  if (goal && !value) return reader_fail(r, goal->line, "measure.precision: relative and absolute need a value");
  if (samples && r->spec->samples != 1)
    return reader_fail(r, samples->line, "measure.precision: grow: samples draws its own; leave out faults.samples");
  return value ? check_value(r, value) : 0;
}

/* ------------------------------------------------------------------ looks */

enum { FIRST_SAMPLES = 8, TIMES = 64, MOST_CYCLES = 2000000000 };

typedef struct looks {
  int64_t first, most;
  size_t count;
  double confidence; /* each analysis's */
} looks;

static looks looks_of(const ripstop_settings *settings) {
  const ripstop_precision_config *goal = &settings->precision;
  looks l = {.first = goal->grow == RIPSTOP_GROW_SAMPLES ? FIRST_SAMPLES : settings->simulation.measure.cycles,
             .count = 1};
  l.most = goal->most ? goal->most : TIMES * l.first;
  if (l.most > MOST_CYCLES) l.most = MOST_CYCLES;
  if (l.most < l.first) l.most = l.first;
  for (int64_t n = l.first; n < l.most; n *= 2) l.count++;
  l.confidence = 1 - (1 - settings->simulation.measure.confidence) / (double)l.count;
  return l;
}

bool execute_precision_is_short(const ripstop_settings *settings, int64_t *first) {
  const ripstop_precision_config *goal = &settings->precision;
  *first = looks_of(settings).first;
  return *goal->value && !execute_seeks_load(settings) && goal->most && goal->most < *first;
}

static int64_t next_look(const looks *l, int64_t n) { return 2 * n < l->most ? 2 * n : l->most; }

static bool is_reached(const ripstop_precision_config *goal, const ripstop_value *v) {
  bool relative = goal->relative > 0 && v->half <= goal->relative * fabs(v->value);
  return relative || (goal->absolute > 0 && v->half <= goal->absolute);
}

/* An answer without numbers; or the run has no such value, and the outcome becomes an error. */
static bool is_hopeless(const ripstop_precision_config *goal, ripstop_outcome *out) {
  if (!out->values) return true;
  const ripstop_value *v = ripstop_outcome_value(out, goal->value);
  bool interval = v && (goal->grow == RIPSTOP_GROW_SAMPLES || !isnan(v->half));
  if (interval || !strcmp(out->verdict, ripstop_verdict_words[RIPSTOP_DEADLOCKED])) return !interval;
  const char **words = RIPSTOP_ARRAY(out->arena, out->values + 1, const char *);
  for (size_t i = 0; i < out->values; i++) words[i] = out->value[i].name;
  const char *near = v ? NULL : ripstop_nearest_word(goal->value, words);
  out->verdict = ripstop_outcome_words[OUTCOME_ERROR];
  out->reason =
      ripstop_arena_printf(out->arena, "measure.precision: a run has no %s '%s'%s%s%s", v ? "interval for" : "value",
                           goal->value, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return true;
}

static void add_values(ripstop_outcome *out, const ripstop_value *more, size_t count) {
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, out->values + count, ripstop_value);
  if (out->values) memcpy(value, out->value, out->values * sizeof *value);
  memcpy(value + out->values, more, count * sizeof *value);
  out->value = value, out->values += count;
}

static void add_looks(ripstop_outcome *out, bool reached, size_t count) {
  const ripstop_value more[] = {{"precision.reached", "0 or 1", reached, NAN},
                                {"precision.looks", "looks", (double)count, NAN}};
  add_values(out, more, 2);
}

void execute_precise_looks(const ripstop_settings *settings, double warmup, ripstop_looks *out) {
  const looks l = looks_of(settings);
  const double each = warmup + (double)settings->simulation.measure.cycles;
  if (settings->precision.grow == RIPSTOP_GROW_SAMPLES) {
    *out = (ripstop_looks){{(double)l.first, (double)l.most}, {(double)l.first * each, (double)l.most * each}};
    return;
  }
  *out = (ripstop_looks){{1, (double)l.count}, {each, 0}};
  int64_t cycles = l.first;
  for (size_t i = 0; i < l.count; i++, cycles = next_look(&l, cycles)) out->cycles[1] += warmup + (double)cycles;
}

/* ------------------------------------------------------------------ cycles */

static int grow_cycles(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                       ripstop_outcome *out) {
  looks l = looks_of(settings);
  ripstop_settings longer = *settings;
  bool reached = false;
  size_t look = 0;
  double seconds = 0;
  longer.simulation.measure.confidence = l.confidence;
  for (int64_t cycles = l.first; !reached && look < l.count; cycles = next_look(&l, cycles)) {
    if (look++) ripstop_outcome_free(out);
    longer.simulation.measure.cycles = cycles;
    if (execute_once(run, &longer, stop, out)) return -1;
    seconds += out->seconds;
    if (is_hopeless(&settings->precision, out)) return 0;
    reached = is_reached(&settings->precision, ripstop_outcome_value(out, settings->precision.value));
  }
  add_looks(out, reached, look);
  out->seconds = seconds;
  return 0;
}

/* ------------------------------------------------------------------ samples */

typedef struct track { /* a value, sample by sample */
  const char *name, *unit;
  double *sample;
  size_t count;
} track;

typedef struct gathered {
  track *series;
  size_t count, room;
  int64_t samples, most;
  int verdict; /* the worst, in ripstop_verdict_words */
  ripstop_arena *arena;
} gathered;

static track *series_of(gathered *g, const ripstop_value *v) {
  for (size_t i = 0; i < g->count; i++)
    if (!strcmp(g->series[i].name, v->name)) return &g->series[i];
  RIPSTOP_GROW_IN(g->arena, g->series, g->count, g->room);
  track *s = &g->series[g->count++];
  *s = (track){.name = ripstop_arena_text(g->arena, v->name),
               .unit = ripstop_arena_text(g->arena, v->unit),
               .sample = RIPSTOP_ARRAY(g->arena, (size_t)g->most, double)};
  return s;
}

/* A deadlock is worse than packets without a route, and these are worse than saturation. */
static int worse(int a, const char *verdict) {
  static const int rank[] = {
      [RIPSTOP_STEADY] = 0, [RIPSTOP_SATURATED] = 1, [RIPSTOP_LOSSY] = 2, [RIPSTOP_DEADLOCKED] = 3};
  int b = 0;
  while (strcmp(ripstop_verdict_words[b], verdict) != 0) b++;
  return rank[b] > rank[a] ? b : a;
}

/* 1: the sample has no numbers, and its outcome is the run's; -1: stopped. */
static int add_sample(gathered *g, const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                      ripstop_outcome *out) {
  ripstop_run one = *run;
  ripstop_settings own = *settings;
  one.sample = (uint32_t)g->samples;
  own.simulation.seed = execute_traffic_seed(run->seed, one.sample);
  if (execute_once(&one, &own, stop, out)) return -1;
  if (is_hopeless(&settings->precision, out)) return 1;
  for (size_t i = 0; i < out->values; i++) {
    track *s = series_of(g, &out->value[i]);
    if (!isnan(out->value[i].value)) s->sample[s->count++] = out->value[i].value;
  }
  g->verdict = worse(g->verdict, out->verdict);
  g->samples++;
  return 0;
}

double ripstop_zeros_at_most(const char *unit, size_t count, double confidence) {
  static const char *const within_one[] = {"1", "share", "0 or 1", "flits/node/cycle", "flits/cycle", NULL};
  static const char *const counted[] = {"packets", "messages", "stops", "links", "jobs", NULL};
  for (size_t i = 0; within_one[i]; i++)
    if (!strcmp(unit, within_one[i])) return ripstop_clopper_pearson(0, count, confidence).high;
  for (size_t i = 0; counted[i]; i++)
    if (!strcmp(unit, counted[i])) return -log((1 - confidence) / 2) / (double)count;
  return NAN;
}

static bool is_none(const track *s) {
  for (size_t i = 0; i < s->count; i++)
    if (s->sample[i] != 0) return false;
  return s->count > 0;
}

static ripstop_value mean_of(const track *s, double confidence) {
  ripstop_value v = {s->name, s->unit, ripstop_mean(s->sample, s->count), NAN};
  if (strcmp(s->unit, "0 or 1") != 0) {
    v.half = is_none(s) ? ripstop_zeros_at_most(s->unit, s->count, confidence)
                        : ripstop_mean_half_width(s->sample, s->count, confidence);
    return v;
  }
  ripstop_interval w = ripstop_wilson((uint64_t)(v.value * (double)s->count + 0.5), s->count, confidence);
  v.half = fmax(v.value - w.low, w.high - v.value);
  v.unit = "share";
  return v;
}

static bool are_enough(const gathered *g, const ripstop_precision_config *goal, double confidence) {
  for (size_t i = 0; i < g->count; i++)
    if (!strcmp(g->series[i].name, goal->value)) {
      ripstop_value v = mean_of(&g->series[i], confidence);
      return is_reached(goal, &v);
    }
  return false;
}

static void keep_means(const gathered *g, const looks *l, ripstop_outcome *out) {
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, g->count + 1, ripstop_value);
  for (size_t i = 0; i < g->count; i++) {
    value[i] = mean_of(&g->series[i], l->confidence);
    value[i].name = ripstop_arena_text(out->arena, value[i].name);
    value[i].unit = ripstop_arena_text(out->arena, value[i].unit);
  }
  value[g->count] = (ripstop_value){"precision.samples", "samples", (double)g->samples, NAN};
  out->value = value, out->values = g->count + 1;
  out->verdict = ripstop_verdict_words[g->verdict];
}

static int grow_samples(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                        ripstop_outcome *out) {
  looks l = looks_of(settings);
  gathered g = {.arena = ripstop_arena_new(), .most = l.most};
  bool reached = false;
  size_t look = 0;
  double seconds = 0;
  int status = 0;
  for (int64_t n = l.first; !status && !reached && look < l.count; n = next_look(&l, n), look++) {
    while (!status && g.samples < n) {
      status = add_sample(&g, run, settings, stop, out);
      if (status < 0) break;
      seconds += out->seconds;
      if (!status) ripstop_outcome_free(out);
    }
    if (!status) reached = are_enough(&g, &settings->precision, l.confidence);
  }
  if (!status) {
    *out = (ripstop_outcome){.faults = "", .arena = ripstop_arena_new()};
    keep_means(&g, &l, out);
    add_looks(out, reached, look);
  }
  if (status >= 0) out->seconds = seconds;
  ripstop_arena_free(g.arena);
  return status < 0 ? -1 : 0;
}

int execute_precisely(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                      ripstop_outcome *out) {
  return (settings->precision.grow == RIPSTOP_GROW_SAMPLES ? grow_samples : grow_cycles)(run, settings, stop, out);
}
