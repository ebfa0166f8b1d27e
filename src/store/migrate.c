/* migrate.c - gives runs that earlier versions stored the names of today (docs/design/0061-stores-migrate.md).
 *
 * The runs are visited by their numbers, which renaming does not change. Time: that of reading the store once. */
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/renamed.h"
#include "experiment/older_run.h"
#include "store/inside.h"

typedef struct migration {
  ripstop_store *store;
  ripstop_arena *arena; /* holds the reasons */
  ripstop_store_migration *out;
  size_t room;
} migration;

static void count_again(migration *m, const char *why) {
  ripstop_store_migration *out = m->out;
  size_t i = 0;
  while (i < out->reasons && strcmp(out->again[i].why, why) != 0) i++;
  if (i == out->reasons) {
    RIPSTOP_GROW_IN(m->arena, out->again, out->reasons, m->room);
    out->again[out->reasons++] = (ripstop_store_again){.why = ripstop_arena_text(m->arena, why)};
  }
  out->again[i].runs++;
}

static int rename_row(const ripstop_store *s, const store_row *row, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, RENAME_RUN);
  const char *text[] = {row->id, row->canonical, row->verdict, row->digest};
  sqlite3_bind_int64(st, 1, row->run);
  for (int i = 0; i < 4; i++) store_bind_text(st, 2 + i, text[i]);
  return store_run_once(s, RENAME_RUN, err);
}

/* The run was done again under its name of today. The wording of reasons may have changed. */
static int meet(const migration *m, const store_row *row, store_row *there, ripstop_error *err) {
  there->outcome.reason = row->outcome.reason;
  const bool same = store_same_outcome(row, there);
  m->out->repeated++;
  return same && m->store->writes ? store_drop_row(m->store, row->run, err) : 0;
}

/* old: as it is stored. Its reason keeps the words of its version. */
static int rename_run(const migration *m, const store_row *old, const char *canonical, ripstop_error *err) {
  char id[RIPSTOP_HASH], digest[RIPSTOP_HASH];
  RIPSTOP_LOCAL_ARENA(arena);
  const char *verdict = old->verdict ? ripstop_renamed_find("verdict", old->verdict, strlen(old->verdict)) : NULL;
  store_row row = *old, there;
  row.id = id, row.digest = digest, row.canonical = canonical;
  if (verdict) row.verdict = verdict;
  ripstop_hash(canonical, strlen(canonical), id);
  store_digest(&row, digest);
  const int found = store_read(m->store, id, arena, &there, err);
  if (found < 0) return -1;
  if (found && store_believes(&there)) return meet(m, &row, &there, err);
  m->out->renamed++;
  if (!m->store->writes) return 0;
  return (found && store_drop_row(m->store, there.run, err)) || rename_row(m->store, &row, err) ? -1 : 0;
}

static int migrate_row(migration *m, ripstop_arena *arena, const store_row *row, ripstop_error *err) {
  ripstop_store_migration *out = m->out;
  const char *now, *why;
  out->runs++;
  if (!store_believes(row)) {
    if (!out->doubted++) snprintf(out->doubt, sizeof out->doubt, "%s", row->id);
    return 0;
  }
  switch (ripstop_older_run(arena, row->canonical, &now, &why)) {
  case OLDER_CURRENT:
    out->current++;
    return 0;
  case OLDER_RENAMED:
    return rename_run(m, row, now, err);
  case OLDER_AGAIN:
    break;
  }
  count_again(m, why);
  return 0;
}

/* Reads the run with the least number above `number`: 1; 0: there is none; -1: error. */
static int read_next(ripstop_store *s, int64_t number, ripstop_arena *arena, store_row *out, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_NEXT);
  sqlite3_bind_int64(st, 1, number);
  const int code = sqlite3_step(st);
  if (code == SQLITE_DONE) sqlite3_reset(st);
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? 0 : store_fail(s, err);
  const char *id = store_column_text(st, 0, arena);
  sqlite3_reset(st);
  return store_read(s, id, arena, out, err);
}

static int migrate_all(migration *m, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  store_row row = {.run = INT64_MIN};
  int found;
  while ((found = read_next(m->store, row.run, arena, &row, err)) > 0) {
    if (migrate_row(m, arena, &row, err)) return -1;
    ripstop_arena_clear(arena);
  }
  return found;
}

static int most_first(const void *a, const void *b) {
  const ripstop_store_again *x = a, *y = b;
  return x->runs != y->runs ? (x->runs < y->runs) - (x->runs > y->runs) : strcmp(x->why, y->why);
}

int ripstop_store_migrate(ripstop_store *store, ripstop_arena *arena, ripstop_store_migration *out,
                          ripstop_error *err) {
  RIPSTOP_GUARD(err, store_give_up(store));
  migration m = {.store = store, .arena = arena, .out = out};
  *out = (ripstop_store_migration){0};
  if (store->writes && store_enter(store, err)) return -1;
  int status = migrate_all(&m, err);
  if (store->writes) status = store_leave(store, status, err);
  if (out->reasons) qsort(out->again, out->reasons, sizeof *out->again, most_first);
  return status;
}
