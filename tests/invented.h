/* invented.h - an experiment whose runs all have outcomes that a test makes up: what figures, claims and pages make of
 * them is known beforehand. */
#ifndef RIPSTOP_TESTS_INVENTED_H
#define RIPSTOP_TESTS_INVENTED_H

#include <string.h>

#include "check.h"
#include "report/judging.h"
#include "ripstop/kit/report.h"

typedef struct fixture {
  ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_data data;
  ripstop_arena *arena;
} fixture;

/* `invent`: the outcome of a run, its memory from the arena; it is called for each run in their order. */
static inline fixture *invented_open(const char *text,
                                     const ripstop_outcome *(*invent)(ripstop_arena *, const ripstop_run *)) {
  ripstop_error err = {0};
  fixture *f = test_calloc(1, sizeof *f);
  f->arena = ripstop_arena_new();
  f->spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  f->runs = f->spec ? ripstop_expand(f->spec, &err) : NULL;
  if (!f->runs) fail_msg("%s", err.text);
  const ripstop_outcome **outcome = RIPSTOP_ARRAY(f->arena, f->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < f->runs->count; i++) outcome[i] = invent(f->arena, &f->runs->run[i]);
  f->data = (ripstop_data){.runs = f->runs, .outcome = outcome};
  return f;
}

static inline void invented_close(fixture *f) {
  ripstop_runs_free(f->runs);
  ripstop_spec_free(f->spec);
  ripstop_arena_free(f->arena);
  test_free(f);
}

/* For use as the teardown of a group of tests. */
static inline int close_fixture(void **state) {
  invented_close(*state);
  return 0;
}

static inline const ripstop_plot *plot_of(const fixture *f, const char *id) {
  for (size_t i = 0; i < f->spec->figures; i++)
    if (!strcmp(f->spec->figure[i].id, id)) return ripstop_plot_figure(f->arena, &f->data, &f->spec->figure[i]);
  fail_msg("no figure %s", id);
  return NULL;
}

#endif
