/* kept.c - copies of the last runs, in memory.
 *
 * If another file is copied over the store, its pages are gone, and those in SQLite's log have lost the file that
 * they belong to: only these copies can be saved. They include every run since the last checkpoint. A checkpoint
 * drops them all when they exceed a memory limit (moved.c). */
#include <string.h>

#include "store/inside.h"
#include "store/kept_runs.h"

typedef struct store_kept {
  store_row row;
  char hash[2][RIPSTOP_HASH]; /* id and digest */
  struct store_kept *next;
} store_kept;

static const char *copy(ripstop_store *s, const char *text) { return text ? ripstop_arena_text(s->kept, text) : NULL; }

/* Names and units belong to the store's quantities, so they need no copy. */
static int copy_values(ripstop_store *s, ripstop_outcome *o, ripstop_error *err) {
  ripstop_value *value = ripstop_arena_array(s->kept, o->values, sizeof *value);
  for (size_t i = 0; i < o->values; i++) {
    const quantity *q = store_quantity(s, o->value[i].name, o->value[i].unit, err);
    if (!q) return -1;
    value[i] = (ripstop_value){q->name, q->unit, o->value[i].value, o->value[i].half};
  }
  o->value = value;
  return 0;
}

static void copy_windows(ripstop_store *s, ripstop_outcome *o) {
  ripstop_window *window = ripstop_arena_array(s->kept, o->windows, sizeof *window);
  if (o->windows) memcpy(window, o->window, o->windows * sizeof *window);
  o->window = window;
}

static void copy_texts(ripstop_store *s, store_kept *k) {
  store_row *row = &k->row;
  snprintf(k->hash[0], sizeof k->hash[0], "%s", row->id);
  snprintf(k->hash[1], sizeof k->hash[1], "%s", row->digest);
  row->id = k->hash[0], row->digest = k->hash[1];
  row->canonical = copy(s, row->canonical);
  row->version = copy(s, row->version);
  row->verdict = copy(s, row->verdict);
  row->outcome.reason = copy(s, row->outcome.reason);
  row->outcome.faults = copy(s, row->outcome.faults);
}

int store_keep(ripstop_store *s, const store_row *row, ripstop_error *err) {
  store_kept *k = RIPSTOP_NEW(s->kept, store_kept);
  k->row = *row;
  if (copy_values(s, &k->row.outcome, err)) return -1;
  copy_windows(s, &k->row.outcome);
  copy_texts(s, k);
  *(s->last_kept ? &s->last_kept->next : &s->first_kept) = k;
  s->last_kept = k;
  s->kept_runs++;
  return 0;
}

void store_drop_kept(ripstop_store *s) {
  s->settled += s->kept_runs;
  s->first_kept = s->last_kept = NULL;
  s->kept_runs = 0;
  ripstop_arena_clear(s->kept);
}

static int put_all(const ripstop_store *s, ripstop_store *into, ripstop_error *err) {
  if (ripstop_store_begin(into, err)) return -1;
  for (const store_kept *k = s->first_kept; k; k = k->next)
    if (store_put_row(into, &k->row, err) < 0) return -1;
  return ripstop_store_commit(into, err);
}

int store_save_kept(const ripstop_store *s, const char *path, ripstop_error *err) {
  ripstop_store *into = ripstop_store_open(path, RIPSTOP_STORE_WRITE, err);
  int status = into ? put_all(s, into, err) : -1;
  ripstop_store_close(into);
  return status;
}
