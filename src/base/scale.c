/* scale.c - reads quantities with units and converts them to flits, cycles and bytes.
 *
 * Sizes are computed in bits, times in nanoseconds and rates in bits a second. So whole numbers of these stay exact as
 * doubles, and one division follows. A result within a relative SLACK of a whole number is that number: 1.28us at
 * 1.28 ns a cycle is 1000 cycles, not 1001. */
#include "ripstop/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "ripstop/plugin/base.h"

typedef enum { SIZE, RATE, DURATION } unit_kind;

static const struct {
  const char *name;
  unit_kind kind;
  double factor; /* bits, bits a second, nanoseconds */
} units[] = {{"b", SIZE, 1},
             {"B", SIZE, 8},
             {"Kb", SIZE, 1e3},
             {"KB", SIZE, 8e3},
             {"KiB", SIZE, 8 * 1024.0},
             {"Mb", SIZE, 1e6},
             {"MB", SIZE, 8e6},
             {"MiB", SIZE, 8 * 1048576.0},
             {"Gb", SIZE, 1e9},
             {"GB", SIZE, 8e9},
             {"GiB", SIZE, 8 * 1073741824.0},
             {"b/s", RATE, 1},
             {"B/s", RATE, 8},
             {"Kb/s", RATE, 1e3},
             {"KB/s", RATE, 8e3},
             {"KiB/s", RATE, 8 * 1024.0},
             {"Mb/s", RATE, 1e6},
             {"MB/s", RATE, 8e6},
             {"MiB/s", RATE, 8 * 1048576.0},
             {"Gb/s", RATE, 1e9},
             {"GB/s", RATE, 8e9},
             {"GiB/s", RATE, 8 * 1073741824.0},
             {"ns", DURATION, 1},
             {"us", DURATION, 1e3},
             {"ms", DURATION, 1e6},
             {"s", DURATION, 1e9}};
enum { UNITS = sizeof units / sizeof *units };
static const char *const kind_names[] = {[SIZE] = "size", [RATE] = "rate", [DURATION] = "time"};
static const char *const kind_units[] = {
    [SIZE] = "b, B, Kb, KB, KiB, Mb, MB, MiB, Gb, GB or GiB", [RATE] = "b/s to GiB/s", [DURATION] = "ns, us, ms or s"};

static const double slack = 1e-12, bits_of_byte = 8, nanoseconds = 1e9;
static const double most = 9007199254740992; /* 2^53: every whole number up to it is a double */

/* ------------------------------------------------------------------ texts */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Bytes of the number at the beginning: digits with at most a point, and an exponent. */
static size_t number_length(const char *text) {
  size_t length = strspn(text, "0123456789.");
  if (!length || (text[length] != 'e' && text[length] != 'E')) return length;
  size_t more = length + 1;
  if (text[more] == '+' || text[more] == '-') more++;
  if (!is_digit(text[more])) return length;
  while (is_digit(text[more])) more++;
  return more;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool ripstop_scale_has_unit(const char *text) {
  const char *unit = text + number_length(text), *end = unit;
  if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1]))) return false; /* as in .nan */
  if (!is_letter(*unit)) return false;
  while (is_letter(*end) || *end == '/') end++;
  return !*end;
}

static char folded(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* The count of characters that agree, also in case; 0: the words differ in more than case. */
static int same_letters(const char *a, const char *b) {
  int same = 0;
  for (; *a && folded(*a) == folded(*b); a++, b++) same += *a == *b;
  return *a || *b ? 0 : same;
}

/* A word that differs in case alone is nearer than any other: kB means KB, not Kb. */
static const char *nearest_unit(const char *name, unit_kind kind) {
  const char *words[UNITS + 1], *best = NULL;
  size_t count = 0;
  int most_same = 0;
  for (size_t i = 0; i < UNITS; i++)
    if (units[i].kind == kind && same_letters(name, units[i].name) > most_same)
      most_same = same_letters(name, units[i].name), best = units[i].name;
  if (best) return best;
  for (size_t i = 0; i < UNITS; i++)
    if (units[i].kind == kind) words[count++] = units[i].name;
  words[count] = NULL;
  return ripstop_nearest_word(name, words);
}

static int unknown_unit(const char *text, const char *name, unit_kind kind, ripstop_error *err) {
  const char *near = nearest_unit(name, kind);
  if (near) return ripstop_fail(err, "'%.60s': unknown unit '%.40s'; did you mean '%s'?", text, name, near);
  return ripstop_fail(err, "'%.60s': unknown unit '%.40s'; a %s is in %s", text, name, kind_names[kind],
                      kind_units[kind]);
}

static int other_unit(const char *text, size_t found, unit_kind kind, ripstop_error *err) {
  const char *name = units[found].name;
  if (kind == RATE && units[found].kind == SIZE)
    return ripstop_fail(err, "'%.60s': %s is a unit of size; did you mean '%s/s'?", text, name, name);
  return ripstop_fail(err, "'%.60s': %s is a unit of %s; a %s is in %s", text, name, kind_names[units[found].kind],
                      kind_names[kind], kind_units[kind]);
}

/* The number of bits, nanoseconds or bits a second; the text has a unit. */
static int read(const char *text, unit_kind kind, double *out, ripstop_error *err) {
  char number[40];
  const size_t length = number_length(text);
  size_t i = 0;
  if (length >= sizeof number) return ripstop_fail(err, "'%.60s': a number with too many digits", text);
  snprintf(number, sizeof number, "%.*s", (int)length, text);
  if (ripstop_parse_real(number, out, err)) return -1;
  while (i < UNITS && strcmp(units[i].name, text + length) != 0) i++;
  if (i == UNITS) return unknown_unit(text, text + length, kind, err);
  if (units[i].kind != kind) return other_unit(text, i, kind, err);
  *out *= units[i].factor;
  return 0;
}

int ripstop_scale_rate(const char *text, double *out, ripstop_error *err) {
  double rate;
  if (!ripstop_scale_has_unit(text))
    return ripstop_fail(err, "'%.60s' is no rate; a rate has a unit, as in 400Gb/s", text);
  if (read(text, RATE, &rate, err)) return -1;
  if (!(rate >= 1)) return ripstop_fail(err, "'%.60s': a rate is 1b/s or more", text);
  *out = rate;
  return 0;
}

int ripstop_scale_size(const char *text, double *out, ripstop_error *err) {
  double bytes, exact;
  const ripstop_scale none = {0};
  if (ripstop_scale_has_unit(text) ? ripstop_scale_read(&none, RIPSTOP_MEASURE_BYTES, text, &bytes, &exact, err)
                                   : ripstop_parse_real(text, &bytes, err))
    return -1;
  if (!(bytes >= 1) || bytes != floor(bytes))
    return ripstop_fail(err, "'%.60s' is no whole number of bytes, 1 or more", text);
  *out = bytes;
  return 0;
}

/* ------------------------------------------------------------------ conversion */

double ripstop_scale_cycle(const ripstop_scale *scale) {
  return scale->rate > 0 ? scale->flit * bits_of_byte / scale->rate : 0;
}

static int no_rate(const char *text, ripstop_error *err) {
  return ripstop_fail(err, "'%.60s' needs the length of a cycle: give link.rate, such as link.rate=400Gb/s", text);
}

static int no_flit(const char *text, ripstop_error *err) {
  return ripstop_fail(err, "'%.60s' needs the size of a flit: give link.flit, such as link.flit=64B", text);
}

/* Rounds down or up, unless it is a whole number but for the division's error. */
static double whole(double exact, bool up) {
  const double near = round(exact), room = slack * (exact > 1 ? exact : 1);
  if (fabs(exact - near) <= room) return near;
  return up ? ceil(exact) : floor(exact);
}

static unit_kind kind_of(ripstop_measure measure) {
  switch (measure) {
  case RIPSTOP_MEASURE_CYCLES:
  case RIPSTOP_MEASURE_TIME:
    return DURATION;
  case RIPSTOP_MEASURE_LOAD:
    return RATE;
  case RIPSTOP_MEASURE_NONE:
  case RIPSTOP_MEASURE_FLITS:
  case RIPSTOP_MEASURE_SPACE:
  case RIPSTOP_MEASURE_BYTES:
    break;
  }
  return SIZE;
}

static double convert(const ripstop_scale *scale, ripstop_measure measure, double value) {
  switch (measure) {
  case RIPSTOP_MEASURE_CYCLES:
  case RIPSTOP_MEASURE_TIME:
    return value * scale->rate / (scale->flit * bits_of_byte * nanoseconds);
  case RIPSTOP_MEASURE_LOAD:
    return value / scale->rate;
  case RIPSTOP_MEASURE_FLITS:
  case RIPSTOP_MEASURE_SPACE:
    return value / (scale->flit * bits_of_byte);
  case RIPSTOP_MEASURE_NONE:
  case RIPSTOP_MEASURE_BYTES:
    break;
  }
  return value / bits_of_byte;
}

int ripstop_scale_read(const ripstop_scale *scale, ripstop_measure measure, const char *text, double *out,
                       double *exact, ripstop_error *err) {
  const unit_kind kind = kind_of(measure);
  double value;
  if (read(text, kind, &value, err)) return -1;
  if (kind != SIZE && !(scale->rate > 0)) return no_rate(text, err);
  if (measure != RIPSTOP_MEASURE_BYTES && measure != RIPSTOP_MEASURE_LOAD && !(scale->flit > 0))
    return no_flit(text, err);
  value = convert(scale, measure, value);
  if (!(value <= most)) return ripstop_fail(err, "'%.60s' is too large", text);
  if (exact) *exact = value;
  const bool as_it_is = measure == RIPSTOP_MEASURE_TIME || measure == RIPSTOP_MEASURE_LOAD;
  *out = as_it_is ? value : whole(value, measure != RIPSTOP_MEASURE_SPACE);
  return 0;
}

int ripstop_scale_time(double seconds, char *text, size_t size) {
  static const struct {
    const char *name;
    double factor, below;
  } scales[] = {{"ns", 1e9, 999.95e-9}, {"us", 1e6, 999.95e-6}, {"ms", 1e3, 999.95e-3}, {"s", 1, INFINITY}};
  size_t i = 0;
  while (fabs(seconds) >= scales[i].below) i++;
  return ripstop_format(text, size, "%.4g %s", seconds * scales[i].factor, scales[i].name);
}
