/* own.c - the values that a method may name itself: its selection function and its rule for candidates of higher ranks;
 * and which of them an experiment's runs use, with the methods that each is used with. The file alone does not show
 * them. */
#include <string.h>

#include "base/memory.h"
#include "experiment/axes.h"
#include "ripstop/plugin/method.h"

const char *const ripstop_keys_of_method[] = {"switch.selection", "switch.escape", NULL};
enum { ALL = sizeof ripstop_keys_of_method / sizeof *ripstop_keys_of_method - 1 };

/* In their order. */
static const axis_own all[ALL] = {{.plain = RIPSTOP_SELECTION, .of = ripstop_method_selection},
                                  {.silent = RIPSTOP_ESCAPE, .plain = RIPSTOP_ESCAPE, .of = ripstop_method_escape}};

const axis_own *axis_own_find(const char *key) {
  for (size_t i = 0; i < ALL; i++)
    if (!strcmp(ripstop_keys_of_method[i], key)) return &all[i];
  return NULL;
}

const char *axis_own_value(const axis_own *own, const char *method, const char *asked) {
  ripstop_error never;
  return own->of(ripstop_method_find(method, strcspn(method, ":"), &never), asked);
}

typedef struct uses {
  const axis_own *own;
  const ripstop_axis *method, *asked;
} uses;

/* In order of the methods, for each in order of the key's list. */
static const char *value_at(const uses *u, size_t at) {
  return axis_own_value(u->own, u->method->setting[at / u->asked->count].text,
                        u->asked->setting[at % u->asked->count].text);
}

static bool is_first(const uses *u, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (!strcmp(value_at(u, i), value_at(u, at))) return false;
  return true;
}

static void add_methods(const uses *u, size_t from, size_t count, ripstop_text *out) {
  const char *before = " (";
  for (size_t i = from; i < count; i++) {
    if (strcmp(value_at(u, i), value_at(u, from)) != 0) continue;
    ripstop_text_add(out, "%s%s", before, u->method->setting[i / u->asked->count].written);
    before = ", ";
  }
  ripstop_text_add(out, ")");
}

bool ripstop_spec_own(const ripstop_spec *spec, const char *key, ripstop_text *out) {
  const uses u = {axis_own_find(key), ripstop_spec_axis(spec, "method"), ripstop_spec_axis(spec, key)};
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
