/* presets.c - switch.preset: the values of other keys by one word. What a file or the command line says of a key goes
 * before it.
 *
 * Keys stay axes with their own defaults; a run has the values of its preset in their place (odometer.c). So runs of
 * one experiment can have different presets, by a list or because their methods name different ones.
 *
 * A preset may need keys that a version does not have yet: then it is refused, and the message names the key. */
#include "experiment/presets.h"

#include <assert.h>
#include <string.h>

#include "base/local.h"
#include "ripstop/plugin/switch.h"

static const struct preset {
  const char *name, *keys, *about;
  const char *rate;        /* link.rate where the file gives none: times of the preset need it. NULL: none */
  const char *kmin, *kmax; /* workload.kmin and kmax where jobs respond to marks and the file gives neither */
} presets[] = {{.name = "plain",
                .keys = "",
                .about = "the defaults of all keys: input queues of 4 packets; the switch of the papers"},
               {.name = "ideal",
                .keys = "queues=output in_queue=unlimited",
                .about = "output queues without limit, as in textbooks; a bound for all other switches"},
               {.name = "modern",
                .keys = "queues=voq match=maximal speedup=2 in_queue=16 out_queue=8",
                .about = "an assumption, no vendor's switch: virtual output queues and a crossbar of twice the link's "
                         "rate, with which published saturation throughputs are reached"},
               {.name = "infiniband",
                .keys = "queues=voq match=islip:rounds=2 unit=flits in_queue=32KiB pipeline=100ns",
                .about = "an assumption, because vendors publish no such numbers: virtual output queues, iSLIP and "
                         "32 KiB for each virtual lane of a port",
                .rate = "400Gb/s"},
               {.name = "booksim",
                .keys = "queues=input unit=flits speedup=2 out_queue=unlimited vcs=8/channels in_queue=8 whole=on "
                        "pipeline=2 credit=1",
                .about =
                    "BookSim2's router `iq` with internal_speedup 2, num_vcs 8 and vc_buf_size 8, or a packet if that "
                    "is longer: 8 virtual channels on a link, and output buffers without limit"},
               {.name = "ethernet",
                .keys = "queues=shared buffer=64MiB alpha=1 lossless=on forward=store unit=flits pipeline=300ns",
                .about = "an assumption, in the order of size of today's 51.2 Tb/s chips: a memory of 64 MiB that all "
                         "ports share, with pauses, and store and forward",
                .rate = "400Gb/s",
                .kmin = "100KiB",
                .kmax = "400KiB"},
               {0}};
static_assert(sizeof presets / sizeof *presets <= RIPSTOP_PRESETS_MOST, "axes have a value for each");

static const struct preset *find(const char *name) {
  const struct preset *p = presets;
  while (p->name && strcmp(p->name, name) != 0) p++;
  return p->name ? p : NULL;
}

size_t preset_number(const char *name) { return (size_t)(find(name) - presets); }

const char *preset_about(const char *name) {
  const struct preset *p = find(name);
  return p ? p->about : NULL;
}

const char *preset_keys(const char *name) {
  const struct preset *p = find(name);
  return p ? p->keys : "";
}

const char *preset_rate(const char *name) {
  const struct preset *p = find(name);
  return p ? p->rate : NULL;
}

static const char *flits_of(const ripstop_spec *spec, const char *size) {
  ripstop_error never;
  double flits;
  if (!size || ripstop_scale_read(&spec->scale, RIPSTOP_MEASURE_SPACE, size, &flits, NULL, &never)) return NULL;
  return ripstop_arena_printf(spec->arena, "%.0f", flits);
}

bool preset_marks(const ripstop_spec *spec, const char *name, const char **kmin, const char **kmax) {
  const struct preset *p = find(name);
  *kmin = p ? flits_of(spec, p->kmin) : NULL;
  *kmax = p ? flits_of(spec, p->kmax) : NULL;
  return *kmin && *kmax;
}

/* The first key of a list; its text is `length` long, the value begins behind its `=`. */
static size_t key_length(const char *keys) { return strcspn(keys, "="); }
static const char *next_key(const char *keys) {
  keys += strcspn(keys, " ");
  return *keys ? keys + 1 : keys;
}

const char *preset_value(ripstop_arena *arena, const char *preset, const char *key) {
  for (const char *at = preset_keys(preset); *at; at = next_key(at)) {
    const size_t length = key_length(at);
    if (strlen(key) == length && !strncmp(at, key, length))
      return ripstop_arena_printf(arena, "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
  }
  return NULL;
}

static const char *preset_of_method(const char *canonical) {
  ripstop_error never;
  return ripstop_method_preset(ripstop_method_find(canonical, strcspn(canonical, ":"), &never), canonical);
}

/* ------------------------------------------------------------------ reading */

static int check_key(const reader *r, const ripstop_option *options, const ripstop_setting *setting, const char *at) {
  const ripstop_option *option = options;
  while (option->name && (strlen(option->name) != key_length(at) || strncmp(option->name, at, key_length(at)) != 0))
    option++;
  if (!option->name)
    return reader_fail(r, setting->line, "switch.preset = %s needs switch.%.*s, which this version does not have",
                       setting->text, (int)key_length(at), at);
  axis_kind kind = axis_of_option("switch", options, option);
  const char *value = preset_value(r->spec->arena, setting->text, option->name);
  ripstop_setting never;
  ripstop_error why;
  if (!kind.canonical(r, &kind, value, &never, &why)) return 0;
  return reader_fail(r, setting->line, "switch.preset = %s needs switch.%s = %s: %s", setting->text, option->name,
                     value, why.text);
}

int preset_check(const reader *r, const ripstop_option *options, ripstop_axis *axis) {
  for (size_t i = 0; i < axis->count; i++)
    for (const char *at = preset_keys(axis->setting[i].text); *at; at = next_key(at))
      if (check_key(r, options, &axis->setting[i], at)) return -1;
  return 0;
}

/* By a word of the file, or as the preset of a method. Values of others would be in the notes on rounding. */
static bool is_used(const ripstop_spec *spec, const char *preset) {
  const ripstop_axis *asked = ripstop_spec_axis(spec, "switch.preset"), *method = ripstop_spec_axis(spec, "method");
  bool used = false, by_method = false;
  for (size_t i = 0; i < asked->count; i++) {
    used |= !strcmp(asked->setting[i].text, preset);
    by_method |= !strcmp(asked->setting[i].text, RIPSTOP_OF_METHOD);
  }
  for (size_t i = 0; i < method->count && by_method; i++)
    used |= !strcmp(preset_of_method(method->setting[i].text), preset);
  return used;
}

void preset_fill(const reader *r, const axis_kind *kind, ripstop_axis *axis) {
  const char **values = RIPSTOP_ARRAY(r->spec->arena, RIPSTOP_PRESETS_MOST, const char *);
  bool any = false;
  for (const struct preset *p = presets; p->name; p++) {
    ripstop_setting setting = {0};
    ripstop_error never; /* preset_check has found it */
    const char *value = is_used(r->spec, p->name) ? preset_value(r->spec->arena, p->name, kind->option->name) : NULL;
    if (!value || kind->canonical(r, kind, value, &setting, &never)) continue;
    values[p - presets] = setting.text;
    any = true;
  }
  if (any) axis->of_preset = values;
}

/* ------------------------------------------------------------------ the preset in use */

static bool has_key(const char *preset, const char *key) {
  for (const char *at = preset_keys(preset); *at; at = next_key(at))
    if (key_length(at) == strlen(key) && !strncmp(at, key, strlen(key))) return true;
  return false;
}

/* A switch has no crossbar if a packet waits for the one output that it chose when it entered. */
static bool has_crossbar(const char *queues) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_error never;
  void *config;
  const ripstop_switch *own = ripstop_switch_open(scratch, queues, &config, &never);
  return !own || own->waits != RIPSTOP_SWITCH_WAITS_ONE;
}

/* The given organisation of queues that has no use for the preset's crossbar, or NULL. */
static const ripstop_setting *find_clash(const ripstop_spec *spec, const char *preset) {
  const ripstop_axis *queues = ripstop_spec_axis(spec, "switch.queues");
  if (!queues || queues->of_preset || !(has_key(preset, "speedup") || has_key(preset, "match"))) return NULL;
  for (size_t i = 0; i < queues->count; i++)
    if (!has_crossbar(queues->setting[i].text)) return &queues->setting[i];
  return NULL;
}

const char *preset_in_use(const ripstop_spec *spec, const char *method, const char *asked,
                          const ripstop_setting **clash) {
  const ripstop_setting *found = NULL;
  const char *used = asked;
  if (!strcmp(asked, RIPSTOP_OF_METHOD)) {
    used = preset_of_method(method);
    found = find_clash(spec, used);
  }
  if (clash) *clash = found;
  return found ? RIPSTOP_PRESET : used;
}

static bool has_rate(const ripstop_spec *spec, const char *rate) {
  ripstop_error never;
  double bits;
  return !ripstop_scale_rate(rate, &bits, &never) && bits == spec->scale.rate;
}

static bool is_value(const ripstop_spec *spec, const char *key, const char *text) {
  const ripstop_axis *axis = ripstop_spec_axis(spec, key);
  return axis && axis->count == 1 && axis->setting->text && !strcmp(axis->setting->text, text);
}

/* The marks of the preset, where the run has them. */
static void add_marks(const ripstop_spec *spec, const char *preset, ripstop_text *out) {
  const char *kmin, *kmax;
  if (!preset_marks(spec, preset, &kmin, &kmax)) return;
  if (!is_value(spec, "workload.kmin", kmin) || !is_value(spec, "workload.kmax", kmax)) return;
  ripstop_text_add(out, " workload.kmin=%s workload.kmax=%s", kmin, kmax);
}

void preset_print(const ripstop_spec *spec, const char *preset, ripstop_text *out) {
  const char *before = "";
  const struct preset *p = find(preset);
  for (const char *at = p ? p->keys : ""; *at; at = next_key(at)) {
    char key[64];
    snprintf(key, sizeof key, "switch.%.*s", (int)key_length(at), at);
    const ripstop_axis *axis = ripstop_spec_axis(spec, key);
    if (!axis || !axis->of_preset) continue;
    ripstop_text_add(out, "%s%s=%s", before, key + strlen("switch."), axis->of_preset[p - presets]);
    before = " ";
  }
  if (p && p->rate && has_rate(spec, p->rate)) ripstop_text_add(out, "%slink.rate=%s", before, p->rate);
  add_marks(spec, preset, out);
}

bool preset_counts(size_t preset, const ripstop_axis *unit, const ripstop_setting *given) {
  const char *of_preset = unit->of_preset ? unit->of_preset[preset] : NULL;
  const char *own = has_key(presets[preset].name, "unit") ? "flits" : "packets";
  return !strcmp(of_preset ? of_preset : given->text, own);
}

static size_t add_value(const char **out, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(out[i], text)) return count;
  out[count] = text;
  return count + 1;
}

size_t preset_values(const ripstop_spec *spec, const ripstop_axis *axis, const char *out[RIPSTOP_PRESETS_MOST]) {
  const ripstop_axis *method = ripstop_spec_axis(spec, "method"), *asked = ripstop_spec_axis(spec, "switch.preset");
  const ripstop_axis *unit = ripstop_spec_axis(spec, "switch.unit");
  size_t count = 0;
  for (size_t i = 0; i < method->count * asked->count; i++) {
    const char *used =
        preset_in_use(spec, method->setting[i / asked->count].text, asked->setting[i % asked->count].text, NULL);
    const size_t number = preset_number(used);
    const char *text = axis->of_preset && preset_counts(number, unit, unit->setting) ? axis->of_preset[number] : NULL;
    count = add_value(out, count, text ? text : axis->setting->text);
  }
  return count;
}
