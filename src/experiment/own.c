/* own.c - the values that a method may name itself: the preset of its switch, its selection function and its rule for
 * candidates of higher ranks; and which of them an experiment's runs use, with the methods that each is used with. The
 * file alone does not show them. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "experiment/presets.h"
#include "ripstop/plugin/method.h"

const char *const ripstop_keys_of_method[] = {"switch.preset", "switch.selection", "switch.escape", NULL};
enum { ALL = sizeof ripstop_keys_of_method / sizeof *ripstop_keys_of_method - 1 };

static const ripstop_method *find_method(const char *canonical) {
  ripstop_error never;
  return ripstop_method_find(canonical, strcspn(canonical, ":"), &never);
}

static const char *preset_of(const ripstop_spec *spec, const char *method, const char *asked) {
  return preset_in_use(spec, method, asked, NULL);
}

static const char *selection_of(const ripstop_spec *spec, const char *method, const char *asked) {
  (void)spec;
  return ripstop_method_selection(find_method(method), asked);
}

static const char *escape_of(const ripstop_spec *spec, const char *method, const char *asked) {
  (void)spec;
  return ripstop_method_escape(find_method(method), asked);
}

/* In their order. */
static const axis_own all[ALL] = {{.plain = RIPSTOP_PRESET, .unnamed = true, .of = preset_of},
                                  {.plain = RIPSTOP_SELECTION, .of = selection_of},
                                  {.silent = RIPSTOP_ESCAPE, .plain = RIPSTOP_ESCAPE, .of = escape_of}};

const axis_own *axis_own_find(const char *key) {
  for (size_t i = 0; i < ALL; i++)
    if (!strcmp(ripstop_keys_of_method[i], key)) return &all[i];
  return NULL;
}

const char *axis_own_value(const axis_own *own, const ripstop_spec *spec, const char *method, const char *asked) {
  return own->of(spec, method, asked);
}

typedef struct uses {
  const ripstop_spec *spec;
  const axis_own *own;
  const ripstop_axis *method, *asked;
} uses;

/* In order of the methods, for each in order of the key's list. */
static const char *value_at(const uses *u, size_t at) {
  return axis_own_value(u->own, u->spec, u->method->setting[at / u->asked->count].text,
                        u->asked->setting[at % u->asked->count].text);
}

static bool is_first(const uses *u, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (!strcmp(value_at(u, i), value_at(u, at))) return false;
  return true;
}

/* The keys that a preset sets. */
static void add_keys(const uses *u, const char *preset, ripstop_text *out) {
  RIPSTOP_LOCAL_TEXT(keys);
  preset_print(u->spec, preset, &keys);
  if (keys.length) ripstop_text_add(out, "; %s", keys.data);
}

static void add_methods(const uses *u, size_t from, size_t count, ripstop_text *out) {
  const char *before = " (";
  for (size_t i = from; i < count; i++) {
    if (strcmp(value_at(u, i), value_at(u, from)) != 0) continue;
    ripstop_text_add(out, "%s%s", before, u->method->setting[i / u->asked->count].written);
    before = ", ";
  }
  if (u->own->unnamed) add_keys(u, value_at(u, from), out);
  ripstop_text_add(out, ")");
}

bool ripstop_spec_own(const ripstop_spec *spec, const char *key, ripstop_text *out) {
  const uses u = {spec, axis_own_find(key), ripstop_spec_axis(spec, "method"), ripstop_spec_axis(spec, key)};
  const size_t count = u.own && u.asked ? u.method->count * u.asked->count : 0;
  const char *before = "";
  bool other = false;
  out->length = 0;
  ripstop_text_begin(out); /* it is the caller's */
  RIPSTOP_GUARD(NULL, false);
  for (size_t i = 0; i < count; i++) {
    if (!is_first(&u, i)) continue;
    other |= strcmp(value_at(&u, i), u.own->plain) != 0;
    ripstop_text_add(out, "%s%s", before, value_at(&u, i));
    add_methods(&u, i, count, out);
    before = ", ";
  }
  return other;
}
