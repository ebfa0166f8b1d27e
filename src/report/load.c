/* load.c - what a campaign's store has of its runs, as far as tables or a page look at it. */
#include <string.h>

#include "base/memory.h"
#include "campaign/campaign.h"
#include "report/needs.h"
#include "store/kept_runs.h"

enum { MEMO = 256, REASONS_BYTES = 1 << 25 };

typedef struct loader {
  const ripstop_campaign *campaign;
  ripstop_load what;
  const ripstop_outcome **outcome; /* [runs] */
  ripstop_arena *scratch;
  bool windows;
  const char *name[MEMO]; /* name of the value at this place in the run before; the store has it once for all runs */
  bool needed[MEMO];
  bool kept[RIPSTOP_OUTCOMES]; /* a run with this verdict has its reason and its faults: one is shown */
  const char *reason;          /* the last that was kept */
  size_t reasons;              /* their bytes */
  size_t doubted;
  const char *first; /* name of the first of them */
} loader;

static bool is_needed(loader *l, size_t place, const char *name) {
  const ripstop_spec *spec = l->campaign->spec;
  if (l->what == RIPSTOP_LOAD_ALL) return true;
  if (place >= MEMO) return report_needs(spec, l->what == RIPSTOP_LOAD_PAGE, name);
  if (l->name[place] != name)
    l->name[place] = name, l->needed[place] = report_needs(spec, l->what == RIPSTOP_LOAD_PAGE, name);
  return l->needed[place];
}

/* The reason of an error says whether it is the machine's. */
static bool keeps_words(loader *l, const char *verdict) {
  size_t v = 0;
  while (strcmp(ripstop_outcome_words[v], verdict) != 0) v++;
  bool first = !l->kept[v];
  l->kept[v] = true;
  return first || l->what == RIPSTOP_LOAD_ALL || !strcmp(verdict, "error");
}

/* On a page each curve has its own; many runs of a method that does not apply have the same. */
static const char *reason_of(loader *l, const ripstop_outcome *from, bool words) {
  if (!from->reason || (!words && (l->what != RIPSTOP_LOAD_PAGE || l->reasons > REASONS_BYTES))) return NULL;
  if (l->reason && !strcmp(l->reason, from->reason)) return l->reason;
  l->reasons += strlen(from->reason) + 1;
  return l->reason = ripstop_arena_text(l->campaign->arena, from->reason);
}

static const ripstop_outcome *keep(loader *l, const ripstop_outcome *from) {
  ripstop_arena *arena = l->campaign->arena;
  ripstop_value *value = RIPSTOP_ARRAY(l->scratch, from->values, ripstop_value);
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  bool words = keeps_words(l, from->verdict);
  *o = (ripstop_outcome){.verdict = from->verdict, .faults = "", .seconds = from->seconds};
  for (size_t i = 0; i < from->values; i++)
    if (is_needed(l, i, from->value[i].name)) value[o->values++] = from->value[i];
  if (o->values) o->value = memcpy(RIPSTOP_ARRAY(arena, o->values, ripstop_value), value, o->values * sizeof *value);
  if (l->windows && from->windows) {
    ripstop_window *window = RIPSTOP_ARRAY(arena, from->windows, ripstop_window);
    o->window = memcpy(window, from->window, from->windows * sizeof *window), o->windows = from->windows;
  }
  o->reason = reason_of(l, from, words);
  if (words) o->faults = ripstop_arena_text(arena, from->faults);
  return o;
}

static int load_one(loader *l, size_t i, ripstop_error *err) {
  const ripstop_campaign *c = l->campaign;
  ripstop_outcome outcome;
  ripstop_arena_clear(l->scratch);
  int found = ripstop_store_get(c->store, c->runs->run[i].id, l->scratch, &outcome, err);
  if (found < 0) return -1;
  if (found == RIPSTOP_STORE_DOUBTED && !l->doubted++) l->first = c->runs->run[i].id;
  if (found == 1) l->outcome[i] = keep(l, &outcome);
  return 0;
}

int ripstop_report_load(ripstop_campaign *c, ripstop_load what, ripstop_data *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const size_t runs = c->runs->count;
  loader l = {.campaign = c, .what = what, .scratch = ripstop_arena_new()};
  int status = 0;
  l.windows = what != RIPSTOP_LOAD_TABLES || report_needs_windows(c->spec);
  l.outcome = RIPSTOP_ARRAY(c->arena, runs, const ripstop_outcome *);
  for (size_t i = 0; i < runs && c->store && !status; i++) status = load_one(&l, i, err);
  ripstop_arena_free(l.scratch);
  *out = (ripstop_data){.runs = c->runs, .outcome = l.outcome};
  if (!l.doubted || status) return status;
  return ripstop_fail(err, CAMPAIGN_DOUBTED "'ripstop run %s' does them again", c->store_path, l.doubted, runs, l.first,
                      c->spec->file);
}
