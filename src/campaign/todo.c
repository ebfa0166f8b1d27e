/* todo.c - which runs of a campaign are missing in its store, and what some of the others took. */
#include "campaign/todo.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "store/kept_runs.h"

enum { COSTS_MOST = 4000 };

/* Runs that are stored go to `stored`. */
static int find_missing(ripstop_campaign *c, campaign_todo *t, const ripstop_run **stored, size_t *storeds,
                        ripstop_error *err) {
  size_t doubted = 0;
  const char *first = NULL;
  for (size_t i = 0; i < c->owns; i++) {
    int there = c->store ? ripstop_store_has(c->store, c->own[i]->id, err) : 0;
    if (there < 0) return -1;
    if (there == RIPSTOP_STORE_DOUBTED && !doubted++) first = c->own[i]->id;
    *(there == 1 ? &stored[(*storeds)++] : &t->missing[t->count++]) = c->own[i];
  }
  if (doubted) campaign_warn(c, CAMPAIGN_DOUBTED "they are done again", c->store_path, doubted, c->owns, first);
  return 0;
}

/* The time that a sample of the stored runs took. */
static int find_costs(const ripstop_campaign *c, campaign_todo *t, const ripstop_run *const *stored, size_t storeds,
                      ripstop_error *err) {
  const size_t step = storeds / COSTS_MOST + 1;
  t->known = RIPSTOP_ARRAY(c->arena, storeds / step + 1, ripstop_cost);
  RIPSTOP_LOCAL_ARENA(scratch);
  int status = 0;
  for (size_t i = 0; t->count && i < storeds && status >= 0; i += step) {
    ripstop_outcome outcome;
    status = ripstop_store_get(c->store, stored[i]->id, scratch, &outcome, err);
    if (status == 1) t->known[t->knowns++] = (ripstop_cost){stored[i], outcome.seconds};
    ripstop_arena_clear(scratch);
  }
  return status < 0 ? -1 : 0;
}

int campaign_find_todo(ripstop_campaign *c, campaign_todo *out, ripstop_error *err) {
  const ripstop_run **stored = RIPSTOP_ARRAY(c->arena, c->owns, const ripstop_run *);
  size_t storeds = 0;
  *out = (campaign_todo){.missing = RIPSTOP_ARRAY(c->arena, c->owns, const ripstop_run *)};
  return find_missing(c, out, stored, &storeds, err) || find_costs(c, out, stored, storeds, err) ? -1 : 0;
}

/* ------------------------------------------------------------------ the first of each key */

typedef struct keyed {
  const char *key;
  size_t place;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *one = a, *two = b;
  const int order = strcmp(one->key, two->key);
  return order ? order : (one->place > two->place) - (one->place < two->place);
}

size_t campaign_distinct(ripstop_arena *arena, const char *(*key)(const ripstop_run *run, ripstop_arena *arena),
                         const ripstop_run **run, size_t count) {
  keyed *sorted = RIPSTOP_ARRAY(arena, count, keyed);
  bool *repeated = RIPSTOP_ARRAY(arena, count, bool);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) sorted[i] = (keyed){key(run[i], arena), i};
  qsort(sorted, count, sizeof *sorted, by_key);
  for (size_t i = 1; i < count; i++) repeated[sorted[i].place] = !strcmp(sorted[i].key, sorted[i - 1].key);
  for (size_t i = 0; i < count; i++)
    if (!repeated[i]) run[kept++] = run[i];
  return kept;
}
