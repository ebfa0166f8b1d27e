/* json.c - JSON of texts and oddities. */
#include "cli/json.h"

#include <string.h>

void ripstop_cli_json_odds(json_t *list, const ripstop_odds *odds) {
  for (uint32_t i = 0; i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    json_t *places = json_array();
    for (uint32_t k = 0; k < odd->places; k++) json_array_append_new(places, ripstop_json_text(odd->where[k]));
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o, s:o, s:i, s:i}", "what", odd->what, "where",
                                    ripstop_json_text(odd->places > 0 ? odd->where[0] : ""), "places", places, "text",
                                    ripstop_json_text(odd->text), "line", (int)odd->line, "count", (int)odd->count));
  }
}

void ripstop_cli_json_deadlock(json_t *object, ripstop_deadlock verdict) {
  json_object_set_new(object, "credit_loop", json_boolean(ripstop_deadlock_possible(verdict)));
  json_object_set_new(object, "credit_loop_without_bubble", json_boolean(ripstop_deadlock_without_bubble(verdict)));
  json_object_set_new(object, "deadlock", json_string(ripstop_deadlock_words[verdict]));
}

static json_t *option_json(const ripstop_option *o) {
  static const char *const type[] = {[RIPSTOP_OPTION_INTEGER] = "whole number",
                                     [RIPSTOP_OPTION_REAL] = "number",
                                     [RIPSTOP_OPTION_FLAG] = "flag",
                                     [RIPSTOP_OPTION_WORD] = "word",
                                     [RIPSTOP_OPTION_TEXT] = "text"};
  json_t *out = json_pack("{s:s, s:s, s:b, s:s}", "name", o->name, "type", type[o->type], "required", !o->fallback,
                          "help", o->help);
  if (o->fallback) json_object_set_new(out, "default", ripstop_json_text(o->fallback));
  if (o->type == RIPSTOP_OPTION_INTEGER || o->type == RIPSTOP_OPTION_REAL) {
    json_object_set_new(out, "least", json_real(o->min));
    json_object_set_new(out, "most", json_real(o->max));
  }
  if (o->type != RIPSTOP_OPTION_WORD) return out;
  json_t *words = json_array();
  for (size_t i = 0; o->words[i]; i++) json_array_append_new(words, json_string(o->words[i]));
  json_object_set_new(out, "words", words);
  return out;
}

json_t *ripstop_cli_json_options(const ripstop_option *options) {
  json_t *list = json_array();
  for (const ripstop_option *o = options; o && o->name; o++) json_array_append_new(list, option_json(o));
  return list;
}

void ripstop_cli_json_print(json_t *value) {
  json_dumpf(value, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
  printf("\n");
  json_decref(value);
}
