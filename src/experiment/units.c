/* units.c - texts of an experiment with quantities in place of numbers.
 *
 * One table says what each number counts: keys of sections, and options of plug-ins. Options whose names end with
 * _cycles or _flits need no entry. tests/unit/test_units.c finds options that it lacks. */
#include "experiment/units.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "ripstop/scale.h"

/* ------------------------------------------------------------------ meanings of numbers */

static const struct {
  const char *section, *names; /* with blanks between them */
  ripstop_measure measure;
} measures[] = {
    {"switch", "pipeline link credit", RIPSTOP_MEASURE_CYCLES},
    {"switch", "in_queue out_queue xoff xon buffer headroom", RIPSTOP_MEASURE_SPACE},
    {"traffic", "load", RIPSTOP_MEASURE_LOAD},
    {"traffic", "timeout", RIPSTOP_MEASURE_CYCLES},
    {"traffic", "packet ack", RIPSTOP_MEASURE_FLITS},
    {"workload", "flit packet", RIPSTOP_MEASURE_BYTES},
    {"workload", "header ack rise_flits", RIPSTOP_MEASURE_FLITS},
    {"workload", "retry limit checkpoint checkpoint_cost restart_cost timeout timeout_min notify decay rise",
     RIPSTOP_MEASURE_CYCLES},
    {"workload", "kmin kmax", RIPSTOP_MEASURE_SPACE},
    {"workload", "additive hyper least", RIPSTOP_MEASURE_LOAD},
    {"flow", "reaction", RIPSTOP_MEASURE_CYCLES},
    {"measure", "warmup cycles window check", RIPSTOP_MEASURE_CYCLES},
    {"reaction", "detect recompute resume", RIPSTOP_MEASURE_CYCLES},
    {"traffic process", "on off", RIPSTOP_MEASURE_TIME},
    {"workload kind", "bytes answer activation", RIPSTOP_MEASURE_BYTES},
    {"workload kind", "ask", RIPSTOP_MEASURE_BYTES},
    {"workload kind", "compute serve think cycles", RIPSTOP_MEASURE_CYCLES},
    {"workload kind", "every", RIPSTOP_MEASURE_TIME},
    {"process", "from every until repair up down scale", RIPSTOP_MEASURE_CYCLES},
    {"process", "unit", RIPSTOP_MEASURE_TIME},
    {"method", "delay timeout probe poll control_handling discover route write", RIPSTOP_MEASURE_CYCLES},
};

static bool has_word(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = words; *at; at += strspn(at, " ")) {
    const size_t own = strcspn(at, " ");
    if (own == length && !strncmp(at, word, own)) return true;
    at += own;
  }
  return false;
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length > tail && !strcmp(name + length - tail, end);
}

ripstop_measure units_measure(const char *section, const char *name) {
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
    if (!strcmp(measures[i].section, section) && has_word(measures[i].names, name)) return measures[i].measure;
  if (ends_with(name, "_cycles")) return RIPSTOP_MEASURE_CYCLES;
  return ends_with(name, "_flits") ? RIPSTOP_MEASURE_FLITS : RIPSTOP_MEASURE_NONE;
}

/* ------------------------------------------------------------------ one quantity */

static const char *counted(ripstop_measure measure, double number) {
  const bool one = number == 1;
  if (measure == RIPSTOP_MEASURE_CYCLES) return one ? "cycle" : "cycles";
  if (measure == RIPSTOP_MEASURE_BYTES) return one ? "byte" : "bytes";
  return one ? "flit" : "flits";
}

static void note(const units *u, const char *name, const char *text, ripstop_measure measure, double number,
                 double exact) {
  static const double little = 0.01, percent = 100;
  const double off = exact > 0 ? number / exact - 1 : 0;
  if (!u->notes || fabs(off) <= little) return;
  const char *line =
      ripstop_arena_printf(u->arena, "%s = %s is %.0f %s after rounding, %.2g %% %s\n", name, text, number,
                           counted(measure, number), percent * fabs(off), off > 0 ? "more" : "less");
  if (!strstr(*u->notes, line)) *u->notes = ripstop_arena_printf(u->arena, "%s%s", *u->notes, line);
}

/* The shortest text that reads back as the same number. */
static const char *number_text(ripstop_arena *arena, double number) {
  enum { DIGITS_KEPT = 15, DIGITS_EXACT = 17 };
  const char *text = NULL;
  double back;
  ripstop_error never;
  for (int digits = DIGITS_KEPT; digits <= DIGITS_EXACT; digits++) {
    text = number == floor(number) ? ripstop_arena_printf(arena, "%.0f", number)
                                   : ripstop_arena_printf(arena, "%.*g", digits, number);
    if (!ripstop_parse_real(text, &back, &never) && back == number) break;
  }
  return text;
}

/* `name`: for messages. */
static const char *convert(const units *u, const char *name, ripstop_measure measure, const char *text,
                           ripstop_error *err) {
  double number, exact;
  if (measure == RIPSTOP_MEASURE_NONE || !ripstop_scale_has_unit(text)) return text;
  if (ripstop_scale_read(u->scale, measure, text, &number, &exact, err)) {
    ripstop_fail_at(err, "%s", name);
    return NULL;
  }
  if (measure == RIPSTOP_MEASURE_BYTES && u->scale->flit > 0)
    note(u, name, text, RIPSTOP_MEASURE_FLITS, ceil(number / u->scale->flit), exact / u->scale->flit);
  else if (measure != RIPSTOP_MEASURE_TIME && measure != RIPSTOP_MEASURE_LOAD)
    note(u, name, text, measure, number, exact);
  return number_text(u->arena, number);
}

/* ------------------------------------------------------------------ texts with quantities */

/* Returns the piece of `text` up to `mark`; *rest gets the text after it, NULL: none. */
static const char *cut(ripstop_arena *arena, const char *text, const char *mark, const char **rest) {
  const char *at = strstr(text, mark);
  *rest = at ? at + strlen(mark) : NULL;
  return at ? ripstop_arena_printf(arena, "%.*s", (int)(at - text), text) : text;
}

const char *units_spec(const units *u, const char *kind, const char *text, ripstop_error *err) {
  const char *list;
  const char *name = cut(u->arena, text, ":", &list), *out = name;
  const char *before = ":";
  while (list) {
    const char *item = cut(u->arena, list, ",", &list), *value, *option = cut(u->arena, item, "=", &value);
    if (value) {
      const char *owner = ripstop_arena_printf(u->arena, "%s %s: option '%s'", kind, name, option);
      value = convert(u, owner, units_measure(kind, option), value, err);
      if (!value) return NULL;
      item = ripstop_arena_printf(u->arena, "%s=%s", option, value);
    }
    out = ripstop_arena_printf(u->arena, "%s%s%s", out, before, item);
    before = ",";
  }
  return out;
}

/* "4KiB:0.8/64B:0.2" */
static const char *sizes(const units *u, const char *text, ripstop_error *err) {
  const char *out = "", *before = "";
  while (text) {
    const char *piece = cut(u->arena, text, "/", &text), *share, *size = cut(u->arena, piece, ":", &share);
    size = convert(u, "traffic.packet", RIPSTOP_MEASURE_FLITS, size, err);
    if (!size) return NULL;
    out = ripstop_arena_printf(u->arena, "%s%s%s%s%s", out, before, size, share ? ":" : "", share ? share : "");
    before = "/";
  }
  return out;
}

const char *units_option(const units *u, const char *section, const char *name, const char *text, ripstop_error *err) {
  const bool traffic = !strcmp(section, "traffic");
  if (traffic && !strcmp(name, "packet")) return sizes(u, text, err);
  if (traffic && !strcmp(name, "process")) return units_spec(u, "traffic process", text, err);
  const char *key = ripstop_arena_printf(u->arena, "%s.%s", section, name);
  return convert(u, key, units_measure(section, name), text, err);
}

/* Behind the spec there may be " on PLACE", " at TIME" and " class NUMBER". */
static const char *convert_job(const units *u, const char *text, ripstop_error *err) {
  static const char *const marks[] = {" on ", " at ", " class "};
  size_t length = strlen(text);
  const char *at;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if ((at = strstr(text, marks[i])) && (size_t)(at - text) < length) length = (size_t)(at - text);
  const char *spec = ripstop_arena_printf(u->arena, "%.*s", (int)length, text), *tail = text + length;
  spec = units_spec(u, "workload kind", spec, err);
  if (!spec) return NULL;
  if (!(at = strstr(tail, " at "))) return ripstop_arena_printf(u->arena, "%s%s", spec, tail);
  const char *more, *time = cut(u->arena, at + strlen(" at "), " ", &more);
  time = convert(u, "workload.jobs: at", RIPSTOP_MEASURE_CYCLES, time, err);
  if (!time) return NULL;
  return ripstop_arena_printf(u->arena, "%s%.*s at %s%s%s", spec, (int)(at - tail), tail, time, more ? " " : "",
                              more ? more : "");
}

const char *units_jobs(const units *u, const char *text, ripstop_error *err) {
  const char *out = "", *before = "";
  while (text) {
    const char *one = convert_job(u, cut(u->arena, text, " + ", &text), err);
    if (!one) return NULL;
    out = ripstop_arena_printf(u->arena, "%s%s%s", out, before, one);
    before = " + ";
  }
  return out;
}

/* Words "PART@TIME"; what stands between them stays. */
static const char *convert_words(const units *u, const char *text, ripstop_error *err) {
  ripstop_text out = {0};
  ripstop_text_begin(&out);
  while (*text) {
    const size_t gap = strspn(text, " \t\r\n"), length = strcspn(text + gap, " \t\r\n");
    const char *word = ripstop_arena_printf(u->arena, "%.*s", (int)length, text + gap), *at = strrchr(word, '@');
    const char *time = at ? convert(u, "faults.schedule", RIPSTOP_MEASURE_CYCLES, at + 1, err) : "";
    if (!time) {
      ripstop_text_free(&out);
      return NULL;
    }
    ripstop_text_add(&out, "%.*s%.*s%s", (int)gap, text, at ? (int)(at + 1 - word) : (int)length, word, time);
    text += gap + length;
  }
  const char *copy = ripstop_arena_text(u->arena, out.data);
  ripstop_text_free(&out);
  return copy;
}

const char *units_schedule(const units *u, const char *text, ripstop_error *err) {
  if (ripstop_rule_is_meant(text)) return units_spec(u, "process", text, err);
  return convert_words(u, text, err);
}
