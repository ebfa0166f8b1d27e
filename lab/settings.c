/* settings.c - reads the scene's settings: lines "KEY=VALUE" with the names that the program uses for its options. */
#include <stddef.h>
#include <string.h>

#include "lab/scene.h"

/* A section of --set. */
typedef struct section {
  const char *name;
  const ripstop_option *options;
  void *config;
} section;

enum { SECTIONS = 5 };

static void list_sections(lab_settings *s, section out[SECTIONS]) {
  out[0] = (section){"switch", ripstop_switch_options, &s->scenario.switch_};
  out[1] = (section){"traffic", ripstop_traffic_options, &s->scenario.traffic};
  out[2] = (section){"measure", ripstop_measure_options, &s->scenario.measure};
  out[3] = (section){"reaction", ripstop_reconfiguration_options, &s->scenario.reconfiguration};
  out[4] = (section){"workload", ripstop_workload_options, &s->jobs};
}

typedef struct reading {
  lab_settings *settings;
  section section[SECTIONS];
  ripstop_arena *arena;
} reading;

/* The lab runs the engine without a transport, which would send lost packets of random traffic again. */
static int check_shown(const section *s, const char *key, ripstop_error *err) {
  for (const ripstop_option *o = s->options; s->options == ripstop_traffic_options && o->name; o++)
    if (!strcmp(o->name, key) && o->offset >= offsetof(ripstop_traffic_config, transport))
      return ripstop_fail(err, "traffic.%s: the lab shows traffic without a transport; 'ripstop simulate' has one",
                          key);
  return 0;
}

static int set_option(reading *r, const char *section_name, size_t length, const char *key, const char *value,
                      ripstop_error *err) {
  const char *names[SECTIONS + 1] = {0};
  for (size_t i = 0; i < SECTIONS; i++) {
    const section *s = &r->section[i];
    names[i] = s->name;
    if (strlen(s->name) != length || memcmp(s->name, section_name, length) != 0) continue;
    if (check_shown(s, key, err)) return -1;
    return ripstop_options_set(r->arena, s->name, s->options, s->config, key, value, err);
  }
  const char *word = ripstop_arena_printf(r->arena, "%.*s", (int)length, section_name);
  const char *near = ripstop_nearest_word(word, names);
  return ripstop_fail(err, "unknown section '%.60s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static int set_word(reading *r, const char *key, const char *value, ripstop_error *err) {
  static const char *const words[] = {"fabric", "method",  "load", "pattern", "workload",
                                      "faults", "changes", "seed", NULL};
  lab_settings *s = r->settings;
  const char **const texts[] = {&s->fabric, &s->method, &s->load, &s->pattern, &s->workload, &s->faults, &s->changes};
  if (!strcmp(key, "seed"))
    return ripstop_parse_u64(value, UINT64_MAX, &s->seed, err) ? ripstop_fail_at(err, "%s", key) : 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(key, words[i])) {
      *texts[i] = *value ? value : NULL;
      return 0;
    }
  const char *near = ripstop_nearest_word(key, words);
  return ripstop_fail(err, "unknown word '%.60s'%s%s%s", key, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static int set_line(reading *r, const char *line, size_t length, ripstop_error *err) {
  char *key = ripstop_arena_printf(r->arena, "%.*s", (int)length, line);
  char *equals = strchr(key, '='), *dot = strchr(key, '.');
  if (!equals) return ripstop_fail(err, "'%.60s' must be KEY=VALUE", key);
  *equals = '\0';
  if (!dot || dot > equals) return set_word(r, key, equals + 1, err);
  return set_option(r, key, (size_t)(dot - key), dot + 1, equals + 1, err);
}

static int set_lines(reading *r, const char *text, ripstop_error *err) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length && set_line(r, text, length, err)) return -1;
    text += length + (text[length] != '\0');
  }
  return 0;
}

/* Settings with a name outside their section. */
static int set_short(reading *r, ripstop_error *err) {
  const lab_settings *s = r->settings;
  static const char traffic[] = "traffic", workload[] = "workload";
  const char *load = s->load ? s->load : s->workload ? "0" : NULL;
  if (load && set_option(r, traffic, sizeof traffic - 1, "load", load, err)) return -1;
  if (s->pattern && set_option(r, traffic, sizeof traffic - 1, "pattern", s->pattern, err)) return -1;
  if (s->workload && set_option(r, workload, sizeof workload - 1, "jobs", s->workload, err)) return -1;
  if (!s->fabric) return ripstop_fail(err, "a fabric must be given");
  if (!s->method) return ripstop_fail(err, "a method must be given");
  return load ? 0 : ripstop_fail(err, "a load or a workload must be given");
}

/* The page always draws a series, so the window is never 0; it changes no other number. The length of an automatic
 * warm-up is unknown here and taken as 0. */
static void set_window(lab_settings *s) {
  enum { PIECES = 2000 };
  uint64_t warmup = 0, cycles = (uint64_t)(s->workload ? s->jobs.limit : s->scenario.measure.cycles);
  ripstop_error automatic;
  if (s->workload || ripstop_parse_u64(s->scenario.measure.warmup, INT64_MAX / 2, &warmup, &automatic)) warmup = 0;
  if (!s->scenario.measure.window) s->scenario.measure.window = (int64_t)((warmup + cycles) / PIECES + 1);
}

int lab_settings_read(ripstop_arena *arena, const char *text, lab_settings *out, ripstop_error *err) {
  reading r = {.settings = out, .arena = arena};
  *out = (lab_settings){.seed = 1};
  list_sections(out, r.section);
  for (size_t i = 0; i < SECTIONS; i++)
    if (ripstop_options_defaults(arena, r.section[i].options, r.section[i].config))
      return ripstop_fail(err, "section %s: its defaults cannot be read", r.section[i].name);
  if (set_lines(&r, text, err) || set_short(&r, err)) return -1;
  out->scenario.seed = out->seed;
  set_window(out);
  return 0;
}
