/* result.c - values and texts by name, of runs and of proofs. */
#include "route/result.h"

#include <math.h>
#include <string.h>

ripstop_result *ripstop_result_in(ripstop_arena *arena, const ripstop_value *value, size_t values) {
  ripstop_result *result = RIPSTOP_NEW(arena, ripstop_result);
  result->value = value;
  result->values = values;
  result->arena = arena;
  result->verdict = RIPSTOP_NO_VERDICT;
  return result;
}

void ripstop_result_add_text(ripstop_result *result, const char *name, const char *text) {
  if (!text) return;
  result->text[result->texts].name = name;
  result->text[result->texts++].text = text;
}

const ripstop_value *ripstop_result_at(const ripstop_result *result, size_t number) {
  return result && number < result->values ? &result->value[number] : NULL;
}

double ripstop_result_value(const ripstop_result *result, const char *name) {
  const ripstop_value *value;
  for (size_t i = 0; (value = ripstop_result_at(result, i)); i++)
    if (!strcmp(value->name, name)) return value->value;
  return NAN;
}

ripstop_verdict ripstop_result_verdict(const ripstop_result *result) {
  return result ? result->verdict : RIPSTOP_NO_VERDICT;
}

const char *ripstop_result_text(const ripstop_result *result, const char *name) {
  for (size_t i = 0; result && i < result->texts; i++)
    if (!strcmp(result->text[i].name, name)) return result->text[i].text;
  return NULL;
}

void ripstop_result_free(ripstop_result *result) {
  if (result) ripstop_arena_free(result->arena);
}
