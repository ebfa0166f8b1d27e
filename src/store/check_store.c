/* check_store.c - reads and counts a whole store. */
#include <string.h>

#include "experiment/inner_runs.h"
#include "store/inside.h"

static int count_row(void *context, const store_row *row, bool believed, ripstop_error *err) {
  ripstop_store_tally *t = context;
  t->runs++, t->numbers += row->outcome.values, t->windows += row->outcome.windows;
  (void)err;
  if (!believed && !t->doubted++) snprintf(t->first, sizeof t->first, "%s", row->id);
  if (!believed) return 0;
  for (size_t i = 0; i < RIPSTOP_OUTCOMES; i++) t->of[i] += row->outcome.verdict == ripstop_outcome_words[i];
  t->outdated += !ripstop_canonical_is_current(row->canonical);
  return 0;
}

static int ask(const ripstop_store *s, const char *sql, uint64_t *out, ripstop_error *err) {
  sqlite3_stmt *st = NULL;
  int code = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(st);
  if (code == SQLITE_ROW) *out = (uint64_t)sqlite3_column_int64(st, 0);
  sqlite3_finalize(st);
  return code == SQLITE_ROW ? 0 : store_fail(s, err);
}

int ripstop_store_check(ripstop_store *store, ripstop_store_tally *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = (ripstop_store_tally){0};
  if (store_each(store, count_row, out, err)) return -1;
  return ask(store, "SELECT count(*) FROM pragma_foreign_key_check", &out->stray, err) ||
                 store_count_owners(store, out, err)
             ? -1
             : 0;
}
