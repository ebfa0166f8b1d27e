/* quantities.c - names and units of numbers, which the table `quantities` has once and the numbers refer to.
 *
 * All of them are kept in memory, in the table's order: a run's numbers come in the order of the run before, so the
 * next one is usually the one after the last. Other processes may add to the table; an unknown one is looked up
 * again, in a transaction, before it counts as new. */
#include <string.h>

#include "base/growing.h"
#include "store/inside.h"

void store_forget_quantities(ripstop_store *s) { s->quantities = s->quantity_hint = 0; }

static void add(ripstop_store *s, int64_t id, const char *name, const char *unit) {
  RIPSTOP_GROW_IN(s->arena, s->quantity, s->quantities, s->quantity_room);
  s->quantity[s->quantities++] = (quantity){.id = id, .name = name, .unit = unit};
}

/* Reads rows that others have added. */
static int catch_up(ripstop_store *s, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_QUANTITIES);
  sqlite3_bind_int64(st, 1, s->quantities ? s->quantity[s->quantities - 1].id : INT64_MIN);
  int code;
  while ((code = sqlite3_step(st)) == SQLITE_ROW)
    add(s, sqlite3_column_int64(st, 0), store_column_text(st, 1, s->arena), store_column_text(st, 2, s->arena));
  sqlite3_reset(st);
  return code == SQLITE_DONE ? 0 : store_fail(s, err);
}

/* NULL: not among the known ones. */
static const quantity *find_name(ripstop_store *s, const char *name, const char *unit) {
  for (size_t i = 0; i < s->quantities; i++) {
    const quantity *q = &s->quantity[(s->quantity_hint + i) % s->quantities];
    if (strcmp(q->name, name) != 0 || strcmp(q->unit, unit) != 0) continue;
    s->quantity_hint = (s->quantity_hint + i + 1) % s->quantities;
    return q;
  }
  return NULL;
}

const quantity *store_quantity(ripstop_store *s, const char *name, const char *unit, ripstop_error *err) {
  const quantity *known = find_name(s, name, unit);
  if (known) return known;
  if (catch_up(s, err)) return NULL;
  if ((known = find_name(s, name, unit))) return known;
  sqlite3_stmt *st = store_fresh(s, PUT_QUANTITY);
  store_bind_text(st, 1, name);
  store_bind_text(st, 2, unit);
  if (store_run_once(s, PUT_QUANTITY, err)) return NULL;
  int64_t id = sqlite3_last_insert_rowid(s->db);
  add(s, id, ripstop_arena_text(s->arena, name), ripstop_arena_text(s->arena, unit));
  return &s->quantity[s->quantities - 1];
}

/* Binary search; NULL: not among the known ones. */
static const quantity *find_id(const ripstop_store *s, int64_t id) {
  size_t low = 0, high = s->quantities;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->quantity[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->quantities && s->quantity[low].id == id ? &s->quantity[low] : NULL;
}

int store_quantity_of(ripstop_store *s, int64_t id, const quantity **out, ripstop_error *err) {
  *out = find_id(s, id);
  if (!*out && catch_up(s, err)) return -1;
  if (!*out) *out = find_id(s, id);
  return 0;
}
