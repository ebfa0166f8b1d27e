/* options.c - options are data: one array gives parsing, validation, defaults, help and the manual.
 *
 * A value is checked in full before it is stored, so a config is never half changed by one ripstop_options_set.
 * Defaults go through the same code as the user's values; one that does not pass is a mistake in the array, and every
 * use of it fails. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/renamed.h"

static void *place(const ripstop_option *option, void *config) { return (char *)config + option->offset; }
static const void *place_const(const ripstop_option *option, const void *config) {
  return (const char *)config + option->offset;
}

static size_t count_options(const ripstop_option *options) {
  size_t count = 0;
  while (options[count].name) count++;
  return count;
}

/* ------------------------------------------------------------------ reading one value */

static void add_range(ripstop_text *out, const ripstop_option *option) {
  bool low = isfinite(option->min), high = isfinite(option->max);
  if (low && high)
    ripstop_text_add(out, "%.15g to %.15g", option->min, option->max);
  else if (low)
    ripstop_text_add(out, "%.15g or more", option->min);
  else if (high)
    ripstop_text_add(out, "%.15g or less", option->max);
}

static void add_words(ripstop_text *out, const char *const *words, const char *separator) {
  for (size_t i = 0; words[i]; i++) ripstop_text_add(out, "%s%s", i ? separator : "", words[i]);
}

static int check_range(const ripstop_option *option, double value, const char *text, ripstop_error *err) {
  if (value >= option->min && value <= option->max) return 0;
  RIPSTOP_LOCAL_TEXT(range);
  add_range(&range, option);
  ripstop_fail(err, "%s is out of range (%s)", text, range.data);
  return -1;
}

static int read_integer(const ripstop_option *option, const char *text, int64_t *out, ripstop_error *err) {
  if (option->words && !strcmp(text, option->words[0])) {
    *out = RIPSTOP_UNLIMITED;
    return 0;
  }
  bool negative = *text == '-';
  uint64_t magnitude;
  ripstop_error why;
  if (ripstop_parse_u64(text + negative, INT64_MAX, &magnitude, &why)) {
    RIPSTOP_LOCAL_TEXT(range);
    add_range(&range, option);
    ripstop_fail(err, "'%s' is not a whole number%s%s%s%s", text, range.length ? ", " : "",
                 range.length ? range.data : "", option->words ? ", or " : "", option->words ? option->words[0] : "");
    return -1;
  }
  int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
  if (check_range(option, (double)value, text, err)) return -1;
  *out = value;
  return 0;
}

static int read_flag(const char *text, bool *out, ripstop_error *err) {
  static const char *const yes[] = {"on", "true", "yes"}, *const no[] = {"off", "false", "no"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    if (strcmp(text, yes[i]) && strcmp(text, no[i])) continue;
    *out = !strcmp(text, yes[i]);
    return 0;
  }
  return ripstop_fail(err, "'%s' is neither 'on' nor 'off'", text);
}

static int read_word(const ripstop_option *option, const char *text, int32_t *out, ripstop_error *err) {
  for (int32_t i = 0; option->words[i]; i++)
    if (!strcmp(text, option->words[i])) {
      *out = i;
      return 0;
    }
  const char *nearest = ripstop_nearest_word(text, option->words);
  if (nearest) return ripstop_fail(err, "unknown word '%s'; did you mean '%s'?", text, nearest);
  RIPSTOP_LOCAL_TEXT(known);
  add_words(&known, option->words, ", ");
  ripstop_fail(err, "unknown word '%s'; known: %s", text, known.data);
  return -1;
}

static int read_value(ripstop_arena *arena, const ripstop_option *option, void *config, const char *text,
                      ripstop_error *err) {
  double real;
  switch (option->type) {
  case RIPSTOP_OPTION_INTEGER:
    return read_integer(option, text, place(option, config), err);
  case RIPSTOP_OPTION_REAL:
    if (ripstop_parse_real(text, &real, err) || check_range(option, real, text, err)) return -1;
    *(double *)place(option, config) = real;
    return 0;
  case RIPSTOP_OPTION_FLAG:
    return read_flag(text, place(option, config), err);
  case RIPSTOP_OPTION_WORD:
    return read_word(option, text, place(option, config), err);
  case RIPSTOP_OPTION_TEXT:
    *(const char **)place(option, config) = arena ? ripstop_arena_text(arena, text) : text;
    return 0;
  }
  return ripstop_fail(err, "an option without type");
}

/* ------------------------------------------------------------------ setting */

static const ripstop_option *find(const ripstop_option *options, const char *name) {
  for (; options->name; options++)
    if (!strcmp(options->name, name)) return options;
  return NULL;
}

/* An option of a section, which experiments call "section.name". */
static bool was_renamed(const char *section, const char *name, ripstop_error *err) {
  ripstop_text key = {0};
  ripstop_text_add(&key, "%s.%s", section, name);
  const bool was = ripstop_renamed_fails("key", key.data, key.length, err);
  ripstop_text_free(&key);
  return was;
}

static int unknown_option(const char *owner, const ripstop_option *options, const char *name, ripstop_error *err) {
  size_t count = count_options(options);
  if (was_renamed(owner, name, err)) return -1;
  if (!count) return ripstop_fail(err, "%s: takes no options, and '%s' is none", owner, name);
  const char **names = ripstop_realloc(NULL, count + 1, sizeof *names);
  for (size_t i = 0; i <= count; i++) names[i] = options[i].name;
  const char *nearest = ripstop_nearest_word(name, names);
  if (nearest) {
    ripstop_fail(err, "%s: unknown option '%s'; did you mean '%s'?", owner, name, nearest);
  } else {
    RIPSTOP_LOCAL_TEXT(known);
    add_words(&known, names, ", ");
    ripstop_fail(err, "%s: unknown option '%s'; known: %s", owner, name, known.data);
  }
  ripstop_free(names);
  return -1;
}

int ripstop_options_set(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config,
                        const char *name, const char *value, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_option *option = find(options, name);
  if (!option) return unknown_option(owner, options, name, err);
  if (read_value(arena, option, config, value, err)) return ripstop_fail_at(err, "%s: option '%s'", owner, name);
  return 0;
}

static int set_defaults(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config,
                        ripstop_error *err) {
  for (; options->name; options++)
    if (options->fallback && read_value(arena, options, config, options->fallback, err))
      return ripstop_fail_at(err, "%s: default of option '%s'", owner, options->name);
  return 0;
}

int ripstop_options_defaults(ripstop_arena *arena, const ripstop_option *options, void *config) {
  ripstop_error err;
  RIPSTOP_GUARD(NULL, -1);
  return set_defaults(arena, "", options, config, &err);
}

/* One item of the list: "name=value", or the value of the positional option alone. */
static int parse_item(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config, char *item,
                      bool *given, ripstop_error *err) {
  const ripstop_option *option = options;
  char *value = strchr(item, '=');
  if (value) {
    *value++ = '\0';
    option = find(options, item);
    if (!option) return unknown_option(owner, options, item, err);
  } else {
    while (option->name && !option->positional) option++;
    if (!*item) return ripstop_fail(err, "%s: an option is missing between commas", owner);
    if (!option->name) {
      if (!find(options, item)) return unknown_option(owner, options, item, err);
      return ripstop_fail(err, "%s: option '%s' needs a value, '%s=...'", owner, item, item);
    }
    value = item;
  }
  if (given[option - options]) return ripstop_fail(err, "%s: option '%s' is given twice", owner, option->name);
  given[option - options] = true;
  return ripstop_options_set(arena, owner, options, config, option->name, value, err);
}

int ripstop_options_parse(ripstop_arena *arena, const char *owner, const ripstop_option *options, void *config,
                          const char *text, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (set_defaults(arena, owner, options, config, err)) return -1;
  size_t count = count_options(options);
  bool *given = RIPSTOP_ARRAY(arena, count + 1, bool);
  if (text && *text) {
    char *item = ripstop_arena_text(arena, text);
    for (char *next; item; item = next) {
      next = strchr(item, ',');
      if (next) *next++ = '\0';
      if (parse_item(arena, owner, options, config, item, given, err)) return -1;
    }
  }
  for (size_t i = 0; i < count; i++)
    if (!options[i].fallback && !given[i]) {
      return ripstop_fail(err, "%s: option '%s' must be given", owner, options[i].name);
    }
  return 0;
}

/* ------------------------------------------------------------------ printing */

enum {
  DIGITS_KEPT = 15,
  DIGITS_EXACT = 17
}; /* decimal digits that every double keeps; digits that distinguish all
    * doubles */

/* The shortest text that reads back as the same number. */
static void add_real(ripstop_text *out, double value) {
  char text[40];
  for (int digits = DIGITS_KEPT; digits <= DIGITS_EXACT; digits++) {
    ripstop_format(text, sizeof text, "%.*g", digits, value);
    if (ripstop_read_real(text, NULL) == value) break;
  }
  ripstop_text_add(out, "%s", text);
}

void ripstop_options_print_value(ripstop_text *out, const ripstop_option *option, const void *config) {
  const void *value = place_const(option, config);
  const char *text;
  switch (option->type) {
  case RIPSTOP_OPTION_INTEGER:
    if (option->words && *(const int64_t *)value == RIPSTOP_UNLIMITED)
      ripstop_text_add(out, "%s", option->words[0]);
    else
      ripstop_text_add(out, "%" PRId64, *(const int64_t *)value);
    break;
  case RIPSTOP_OPTION_REAL:
    add_real(out, *(const double *)value);
    break;
  case RIPSTOP_OPTION_FLAG:
    ripstop_text_add(out, "%s", *(const bool *)value ? "on" : "off");
    break;
  case RIPSTOP_OPTION_WORD:
    ripstop_text_add(out, "%s", option->words[*(const int32_t *)value]);
    break;
  case RIPSTOP_OPTION_TEXT:
    text = *(const char *const *)value;
    ripstop_text_add(out, "%s", text ? text : "");
    break;
  }
}

void ripstop_options_print(ripstop_text *out, const ripstop_option *options, const void *config) {
  const char *separator = "";
  for (size_t i = 0; options[i].name; i++) {
    ripstop_text value = {0};
    ripstop_text_begin(&value);
    ripstop_options_print_value(&value, &options[i], config);
    out->cut |= value.cut;
    if (out->cut) { /* `value` may be without data */
      ripstop_text_free(&value);
      return;
    }
    if (!options[i].later || strcmp(value.data, options[i].fallback) != 0) {
      ripstop_text_add(out, "%s%s%s%s", separator, options[i].positional ? "" : options[i].name,
                       options[i].positional ? "" : "=", value.data);
      separator = ",";
    }
    ripstop_text_free(&value);
  }
}

static void print_help(FILE *file, const ripstop_option *option) {
  RIPSTOP_LOCAL_TEXT(values);
  switch (option->type) {
  case RIPSTOP_OPTION_INTEGER:
    ripstop_text_add(&values, "whole number "), add_range(&values, option);
    if (option->words) ripstop_text_add(&values, ", or %s", option->words[0]);
    break;
  case RIPSTOP_OPTION_REAL:
    ripstop_text_add(&values, "number "), add_range(&values, option);
    break;
  case RIPSTOP_OPTION_FLAG:
    ripstop_text_add(&values, "on|off");
    break;
  case RIPSTOP_OPTION_WORD:
    add_words(&values, option->words, "|");
    break;
  case RIPSTOP_OPTION_TEXT:
    ripstop_text_add(&values, "text");
    break;
  }
  fprintf(file, "  %s=(%s)", option->name, values.data);
  if (!option->fallback)
    fprintf(file, ", required");
  else if (*option->fallback)
    fprintf(file, ", default %s", option->fallback);
  fprintf(file, "%s\n      %s\n", option->positional ? ", the name may be left out" : "", option->help);
}

int ripstop_options_help(FILE *file, const ripstop_option *options) {
  RIPSTOP_GUARD(NULL, -1);
  for (size_t i = 0; options[i].name; i++) print_help(file, &options[i]);
  return 0;
}
