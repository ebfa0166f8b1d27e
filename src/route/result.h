/* result.h - the result of a run or a proof (ripstop/result.h), and how it is made. */
#ifndef ROUTE_RESULT_H
#define ROUTE_RESULT_H

#include "ripstop/plugin/base.h"
#include "ripstop/result.h"

enum { RIPSTOP_RESULT_TEXTS = 4 };

struct ripstop_result {
  ripstop_verdict verdict;
  size_t values, texts;
  const ripstop_value *value;
  struct {
    const char *name, *text;
  } text[RIPSTOP_RESULT_TEXTS];
  ripstop_arena *arena; /* has all of it, this struct too */
};

/* A result in memory of the arena, which goes with it: `value` ([values]) and the texts that are added belong to it. */
ripstop_result *ripstop_result_in(ripstop_arena *arena, const ripstop_value *value, size_t values);
/* `name` is a constant; a text of NULL is not added. */
void ripstop_result_add_text(ripstop_result *result, const char *name, const char *text);

#endif
