/* load.c - what the store has of an experiment's runs, as far as somebody will look at it: of a million runs whole
 * outcomes are gigabytes. */
#include <string.h>

#include "cli/experiment.h"

enum { MEMO = 256, REASONS_BYTES = 1 << 25 };

typedef struct loader {
  cli_experiment *experiment;
  cli_look look;
  ripstop_arena *scratch;
  bool windows;
  const char *name[MEMO]; /* of the value at this place in the run before, which the store has once for all runs */
  bool needed[MEMO];
  bool told[RIPSTOP_OUTCOMES]; /* a run with this verdict has its reason and its faults: one is shown */
  const char *reason;          /* the last that was kept */
  size_t reasons;              /* their bytes */
  size_t doubted;
  const char *first; /* of these */
} loader;

static bool is_needed(loader *l, size_t place, const char *name) {
  const ripstop_spec *spec = l->experiment->spec;
  if (l->look == CLI_LOOK_ALL) return true;
  if (place >= MEMO) return ripstop_report_needs(spec, l->look == CLI_LOOK_PAGE, name);
  if (l->name[place] != name)
    l->name[place] = name, l->needed[place] = ripstop_report_needs(spec, l->look == CLI_LOOK_PAGE, name);
  return l->needed[place];
}

/* Whether an error is the machine's is told by its reason. */
static bool keeps_words(loader *l, const char *verdict) {
  size_t v = 0;
  while (strcmp(ripstop_outcome_words[v], verdict) != 0) v++;
  bool first = !l->told[v];
  l->told[v] = true;
  return first || l->look == CLI_LOOK_ALL || !strcmp(verdict, "error");
}

/* Of a page each curve tells its own; many runs of a method that does not apply say the same. */
static const char *reason_of(loader *l, const ripstop_outcome *from, bool words) {
  if (!from->reason || (!words && (l->look != CLI_LOOK_PAGE || l->reasons > REASONS_BYTES))) return NULL;
  if (l->reason && !strcmp(l->reason, from->reason)) return l->reason;
  l->reasons += strlen(from->reason) + 1;
  return l->reason = ripstop_arena_text(l->experiment->arena, from->reason);
}

static const ripstop_outcome *keep(loader *l, const ripstop_outcome *from) {
  ripstop_arena *arena = l->experiment->arena;
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
  cli_experiment *e = l->experiment;
  ripstop_outcome outcome;
  ripstop_arena_clear(l->scratch);
  int found = ripstop_store_get(e->store, e->runs->run[i].id, l->scratch, &outcome, err);
  if (found < 0) return -1;
  if (found == RIPSTOP_STORE_DOUBTED && !l->doubted++) l->first = e->runs->run[i].id;
  if (found == 1) e->outcome[i] = keep(l, &outcome);
  return 0;
}

int cli_load(cli_experiment *e, cli_look look, ripstop_error *err) {
  loader l = {.experiment = e, .look = look, .scratch = ripstop_arena_new()};
  int status = 0;
  l.windows = look != CLI_LOOK_TABLES || ripstop_report_needs_windows(e->spec);
  e->outcome = RIPSTOP_ARRAY(e->arena, e->runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < e->runs->count && e->store && !status; i++) status = load_one(&l, i, err);
  ripstop_arena_free(l.scratch);
  if (!status && l.doubted)
    status = ripstop_fail(err, CLI_DOUBTED "'ripstop run %s' does them again", e->store_path, l.doubted, e->runs->count,
                          l.first, e->spec->file);
  return status;
}
