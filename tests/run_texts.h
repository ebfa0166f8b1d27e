/* run_texts.h - texts that are computed from a run, valid as long as a test needs them: the memory is one arena's,
 * which is never freed but stays reachable. */
#ifndef TESTS_RUN_TEXTS_H
#define TESTS_RUN_TEXTS_H

#include "experiment/inner_runs.h"
#include "ripstop/kit/experiment.h"

static inline ripstop_arena *texts_arena(void) {
  static ripstop_arena *arena;
  if (!arena) arena = ripstop_arena_new();
  return arena;
}

static inline const char *canonical_of(const ripstop_run *run) {
  ripstop_text text = {0};
  ripstop_run_canonical(run, &text);
  const char *copy = ripstop_arena_text(texts_arena(), text.data);
  ripstop_text_free(&text);
  return copy;
}

static inline const ripstop_settings *settings_of(const ripstop_run *run) {
  ripstop_settings *settings = RIPSTOP_NEW(texts_arena(), ripstop_settings);
  return ripstop_run_settings(run, texts_arena(), settings) ? NULL : settings;
}

#endif
