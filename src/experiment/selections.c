/* selections.c - the selection functions that an experiment's runs use, with the methods that each is used with. A
 * method may name its own, so the file alone does not show them. */
#include <string.h>

#include "experiment/axes.h"
#include "ripstop/plugin/method.h"

typedef struct selections {
  const ripstop_axis *method, *asked;
} selections;

/* In order of the methods, for each in order of the list of switch.choice. */
static const char *selection_at(const selections *s, size_t at) {
  const char *spec = s->method->setting[at / s->asked->count].text;
  ripstop_error never; /* the spec was accepted when the file was read */
  return ripstop_method_selection(ripstop_method_find(spec, strcspn(spec, ":"), &never),
                                  s->asked->setting[at % s->asked->count].text);
}

static bool is_first(const selections *s, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (!strcmp(selection_at(s, i), selection_at(s, at))) return false;
  return true;
}

static void add_methods(const selections *s, size_t from, size_t all, ripstop_text *out) {
  const char *before = " (";
  for (size_t i = from; i < all; i++) {
    if (strcmp(selection_at(s, i), selection_at(s, from)) != 0) continue;
    ripstop_text_add(out, "%s%s", before, s->method->setting[i / s->asked->count].written);
    before = ", ";
  }
  ripstop_text_add(out, ")");
}

bool ripstop_spec_selections(const ripstop_spec *spec, ripstop_text *out) {
  const selections s = {ripstop_spec_axis(spec, "method"), ripstop_spec_axis(spec, "switch.choice")};
  const size_t all = s.asked ? s.method->count * s.asked->count : 0;
  const char *before = "";
  bool other = false;
  ripstop_text_begin(out);
  for (size_t i = 0; i < all; i++) {
    if (!is_first(&s, i)) continue;
    other |= strcmp(selection_at(&s, i), RIPSTOP_SELECTION) != 0;
    ripstop_text_add(out, "%s%s", before, selection_at(&s, i));
    add_methods(&s, i, all, out);
    before = ", ";
  }
  return other;
}
