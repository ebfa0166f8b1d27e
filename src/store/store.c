/* store.c - runs in and out of the tables of a store.
 *
 * A row is believed when everything that is stored of the run agrees with its digest (digest.c), and the hash of its
 * canonical text with its name. Any other row is no error: its run counts as not done, and putting the run replaces
 * the row. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "experiment/inner_runs.h"
#include "store/inside.h"
#include "store/kept_runs.h"

const char *const store_statement_text[STATEMENTS] = {
    [COUNT] = "SELECT count(*) FROM runs",
    [PUT_RUN] = "INSERT INTO runs VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [RENAME_RUN] = "UPDATE runs SET id = ?2, canonical = ?3, verdict = ?4, digest = ?5 WHERE run = ?1",
    [PUT_QUANTITY] = "INSERT INTO quantities (name, unit) VALUES (?1, ?2)",
    [PUT_NUMBER] = "INSERT INTO numbers VALUES (?1, ?2, ?3, ?4, ?5)",
    [PUT_WINDOW] = "INSERT INTO windows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [DROP_RUN] = "DELETE FROM runs WHERE run = ?1",
    [DROP_NUMBERS] = "DELETE FROM numbers WHERE run = ?1",
    [DROP_WINDOWS] = "DELETE FROM windows WHERE run = ?1",
    [GET_RUN] = "SELECT run, canonical, version, verdict, reason, faults, seconds, digest FROM runs WHERE id = ?1",
    [GET_IDS] = "SELECT id FROM runs ORDER BY id",
    [GET_NEXT] = "SELECT id FROM runs WHERE run > ?1 ORDER BY run LIMIT 1",
    [GET_QUANTITIES] = "SELECT quantity, name, unit FROM quantities WHERE quantity > ?1 ORDER BY quantity",
    [GET_NUMBERS] = "SELECT quantity, value, half FROM numbers WHERE run = ?1 ORDER BY position",
    [GET_WINDOWS] = "SELECT * FROM windows WHERE run = ?1 ORDER BY cycle",
    [BEAR_OWNER] = "INSERT INTO owners (host, machine, process, born, until) VALUES (?1, ?2, ?3, ?4, ?5)",
    [RENEW_OWNER] = "UPDATE owners SET until = CASE WHEN until = ?2 THEN ?2 + 1 ELSE ?2 END WHERE owner = ?1",
    [DROP_OWNER] = "DELETE FROM owners WHERE owner = ?1",
    [GET_OWNERS] = "SELECT owner, machine, process, born, until, host FROM owners WHERE owner > 0",
    [COUNT_LEASES] = "SELECT count(*) FROM leases WHERE owner = ?1",
    [PUT_LEASE] = "INSERT OR REPLACE INTO leases VALUES (?1, ?2)", /* leases of an owner that does not exist */
    [GET_LEASE] = "SELECT owner FROM leases JOIN owners USING (owner) WHERE id = ?1 AND owner > 0",
    [DROP_LEASE] = "DELETE FROM leases WHERE id = ?1",
    [DROP_LEASES] = "DELETE FROM leases WHERE owner = ?1",
};

/* ------------------------------------------------------------------ errors and statements */

int store_errno(const ripstop_store *s) {
  sqlite3_file *log = NULL;
  int number = 0;
  sqlite3_file_control(s->db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  if (number || sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK) return number;
  if (log && log->pMethods) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

int store_fail(const ripstop_store *s, ripstop_error *err) {
  int code = sqlite3_errcode(s->db), number = store_errno(s);
  if (!number) number = sqlite3_system_errno(s->db);
  if (code == SQLITE_NOMEM) return ripstop_fail_system(err, ENOMEM, "store %s", s->path);
  if (code == SQLITE_FULL) return ripstop_fail_system(err, number ? number : ENOSPC, "store %s", s->path);
  if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || (code == SQLITE_CORRUPT && number))
    return ripstop_fail_system(err, number, "store %s", s->path);
  if (code == SQLITE_BUSY || code == SQLITE_PROTOCOL) {
    ripstop_fail(err, "store %s: another process holds it for too long, or locks do not work there", s->path);
    err->machine = true;
    return -1;
  }
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
    return ripstop_fail(err, "store %s is damaged or cut off (%s)", s->path, sqlite3_errmsg(s->db));
  if (code == SQLITE_READONLY)
    return ripstop_fail(err, "store %s was left in the midst of a change and cannot be written here, to end it",
                        s->path);
  return ripstop_fail(err, "store %s: %s", s->path, sqlite3_errmsg(s->db));
}

int store_execute(const ripstop_store *s, const char *sql, ripstop_error *err) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, err);
}

sqlite3_stmt *store_fresh(const ripstop_store *s, int which) {
  sqlite3_reset(s->statement[which]);
  return s->statement[which];
}

static void roll_back(ripstop_store *s, const char *sql) {
  ripstop_error ignored;
  store_execute(s, sql, &ignored);
  store_forget_quantities(s);
}

void store_bind_text(sqlite3_stmt *st, int at, const char *text) {
  sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC); /* lives until the step */
}

static void bind_real(sqlite3_stmt *st, int at, double value) {
  if (isnan(value))
    sqlite3_bind_null(st, at);
  else
    sqlite3_bind_double(st, at, value);
}

static double column_real(sqlite3_stmt *st, int at) {
  return sqlite3_column_type(st, at) == SQLITE_NULL ? NAN : sqlite3_column_double(st, at);
}

const char *store_column_text(sqlite3_stmt *st, int at, ripstop_arena *arena) {
  const unsigned char *text = sqlite3_column_text(st, at);
  if (!text && sqlite3_column_type(st, at) != SQLITE_NULL) ripstop_out_of_memory();
  return ripstop_arena_text(arena, text ? (const char *)text : "");
}

int store_run_once(const ripstop_store *s, int which, ripstop_error *err) {
  int code = sqlite3_step(s->statement[which]);
  sqlite3_reset(s->statement[which]);
  return code == SQLITE_DONE ? 0 : store_fail(s, err);
}

void store_abandon(ripstop_store *s) {
  roll_back(s, "ROLLBACK");
  s->batch = false;
}

/* A failed call may have failed because the file is another one now. SQLite takes its pages for damage, and with a
 * rollback journal it refuses to write to a file that was moved. Returns -1. */
static int explain_failure(ripstop_store *s, ripstop_error *err) {
  ripstop_error other;
  if (s->batch && !s->logs && !s->moved && store_is_moved(s)) store_abandon(s); /* none of it can be written */
  int (*const check)(ripstop_store *, ripstop_error *) = s->batch ? store_check_content : store_check_place;
  if (!s->moved && err && check(s, &other)) *err = other;
  return -1;
}

/* ------------------------------------------------------------------ reading */

static int read_numbers(ripstop_store *s, ripstop_arena *arena, store_row *row, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_NUMBERS);
  sqlite3_bind_int64(st, 1, row->run);
  ripstop_value *value = NULL;
  size_t count = 0, room = 0;
  int code, failed = 0;
  while ((code = sqlite3_step(st)) == SQLITE_ROW) {
    const quantity *q;
    if ((failed = store_quantity_of(s, sqlite3_column_int64(st, 0), &q, err))) break;
    row->whole &= q != NULL;
    RIPSTOP_GROW_IN(arena, value, count, room);
    value[count++] = (ripstop_value){q ? q->name : "", q ? q->unit : "", column_real(st, 1), column_real(st, 2)};
  }
  row->outcome.value = value, row->outcome.values = count;
  sqlite3_reset(st);
  return failed || code == SQLITE_DONE ? failed : store_fail(s, err);
}

static int read_windows(ripstop_store *s, ripstop_arena *arena, store_row *row, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_WINDOWS);
  sqlite3_bind_int64(st, 1, row->run);
  ripstop_window *window = NULL;
  size_t count = 0, room = 0;
  int code;
  while ((code = sqlite3_step(st)) == SQLITE_ROW) {
    RIPSTOP_GROW_IN(arena, window, count, room);
    ripstop_window *w = &window[count++];
    uint64_t *const field[] = {&w->cycle, &w->generated, &w->injected, &w->delivered, &w->lost, &w->delivered_flits};
    for (int i = 0; i < 6; i++) *field[i] = (uint64_t)sqlite3_column_int64(st, 1 + i);
    w->latency = column_real(st, 7);
  }
  row->outcome.window = window, row->outcome.windows = count;
  sqlite3_reset(st);
  return code == SQLITE_DONE ? 0 : store_fail(s, err);
}

static const char *known_verdict(const char *word) {
  for (size_t i = 0; ripstop_outcome_words[i]; i++)
    if (!strcmp(word, ripstop_outcome_words[i])) return ripstop_outcome_words[i];
  return NULL;
}

static void read_columns(sqlite3_stmt *st, ripstop_arena *arena, store_row *row) {
  row->run = sqlite3_column_int64(st, 0);
  row->canonical = store_column_text(st, 1, arena);
  row->version = store_column_text(st, 2, arena);
  row->verdict = store_column_text(st, 3, arena);
  row->outcome.verdict = known_verdict(row->verdict);
  if (sqlite3_column_type(st, 4) != SQLITE_NULL) row->outcome.reason = store_column_text(st, 4, arena);
  row->outcome.faults = store_column_text(st, 5, arena);
  row->outcome.seconds = sqlite3_column_double(st, 6);
  row->digest = store_column_text(st, 7, arena);
}

int store_read(ripstop_store *s, const char *id, ripstop_arena *arena, store_row *out, ripstop_error *err) {
  *out = (store_row){.id = id, .whole = true};
  sqlite3_stmt *st = store_fresh(s, GET_RUN);
  store_bind_text(st, 1, id);
  int code = sqlite3_step(st);
  if (code == SQLITE_ROW) read_columns(st, arena, out);
  sqlite3_reset(st);
  if (code == SQLITE_DONE) return 0;
  if (code != SQLITE_ROW) return store_fail(s, err), -1;
  return read_numbers(s, arena, out, err) || read_windows(s, arena, out, err) ? -1 : 1;
}

bool store_believes(const store_row *row) {
  char hash[RIPSTOP_HASH];
  ripstop_hash(row->canonical, strlen(row->canonical), hash);
  if (!row->whole || strcmp(hash, row->id) != 0) return false;
  store_digest(row, hash);
  return !strcmp(hash, row->digest);
}

int store_each(ripstop_store *s, store_visit *visit, void *context, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_IDS);
  RIPSTOP_LOCAL_ARENA(arena);
  int code, status = 0;
  while (!status && (code = sqlite3_step(st)) == SQLITE_ROW) {
    store_row row;
    ripstop_arena_clear(arena);
    int found = store_read(s, store_column_text(st, 0, arena), arena, &row, err);
    status = found < 0 ? -1 : found ? visit(context, &row, store_believes(&row), err) : 0;
  }
  if (!status && code != SQLITE_DONE) status = store_fail(s, err);
  sqlite3_reset(st);
  return status ? -1 : 0;
}

int ripstop_store_get(ripstop_store *store, const char *id, ripstop_arena *arena, ripstop_outcome *out,
                      ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  store_row row;
  int found = store_read(store, id, arena, &row, err);
  *out = (ripstop_outcome){0};
  if (found <= 0) return found ? explain_failure(store, err) : 0;
  if (!store_believes(&row)) return RIPSTOP_STORE_DOUBTED;
  if (!row.outcome.verdict)
    return ripstop_fail(err, "store %s: run %s ends with the verdict '%s', which this program does not know",
                        store->path, id, row.verdict);
  *out = row.outcome;
  return 1;
}

int ripstop_store_has(ripstop_store *store, const char *id, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_outcome outcome;
  ripstop_arena *arena = ripstop_arena_new();
  int found = ripstop_store_get(store, id, arena, &outcome, err);
  if (found == 1 && ripstop_outcome_again(&outcome)) found = 0;
  ripstop_arena_free(arena);
  return found;
}

int64_t ripstop_store_count(ripstop_store *store, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(store, COUNT);
  int code = sqlite3_step(st);
  int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(st, 0) : store_fail(store, err);
  sqlite3_reset(st);
  return count;
}

/* ------------------------------------------------------------------ writing */

static int put_number(ripstop_store *s, int64_t run, size_t position, const ripstop_value *v, ripstop_error *err) {
  const quantity *of = store_quantity(s, v->name, v->unit, err);
  sqlite3_stmt *st = store_fresh(s, PUT_NUMBER);
  if (!of) return -1;
  sqlite3_bind_int64(st, 1, run);
  sqlite3_bind_int64(st, 2, (int64_t)position);
  sqlite3_bind_int64(st, 3, of->id);
  bind_real(st, 4, v->value);
  bind_real(st, 5, v->half);
  return store_run_once(s, PUT_NUMBER, err);
}

static int put_window(const ripstop_store *s, int64_t run, const ripstop_window *w, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, PUT_WINDOW);
  const uint64_t count[] = {w->cycle, w->generated, w->injected, w->delivered, w->lost, w->delivered_flits};
  sqlite3_bind_int64(st, 1, run);
  for (int i = 0; i < 6; i++) sqlite3_bind_int64(st, 2 + i, (int64_t)count[i]);
  bind_real(st, 8, w->latency);
  return store_run_once(s, PUT_WINDOW, err);
}

static int put_row(ripstop_store *s, const store_row *row, ripstop_error *err) {
  const ripstop_outcome *o = &row->outcome;
  sqlite3_stmt *st = store_fresh(s, PUT_RUN);
  const char *text[] = {row->id, row->canonical, row->version, row->verdict, o->reason, o->faults};
  for (int i = 0; i < 6; i++) store_bind_text(st, 1 + i, text[i]);
  bind_real(st, 7, o->seconds);
  store_bind_text(st, 8, row->digest);
  if (store_run_once(s, PUT_RUN, err)) return -1;
  int64_t run = sqlite3_last_insert_rowid(s->db);
  for (size_t i = 0; i < o->values; i++)
    if (put_number(s, run, i, &o->value[i], err)) return -1;
  for (size_t i = 0; i < o->windows; i++)
    if (put_window(s, run, &o->window[i], err)) return -1;
  return store_keep(s, row, err);
}

int store_drop_row(ripstop_store *s, int64_t run, ripstop_error *err) {
  static const int each[] = {DROP_WINDOWS, DROP_NUMBERS, DROP_RUN};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    sqlite3_bind_int64(store_fresh(s, each[i]), 1, run);
    if (store_run_once(s, each[i], err)) return -1;
  }
  return 0;
}

/* Makes room for a run of this name: 1; 0: there is a believed one. Removes one that is not believed. */
static int make_room(ripstop_store *s, const char *id, ripstop_error *err) {
  store_row old;
  ripstop_arena *arena = ripstop_arena_new();
  int found = store_read(s, id, arena, &old, err);
  bool stays = found > 0 && store_believes(&old) && !ripstop_outcome_again(&old.outcome);
  ripstop_arena_free(arena);
  if (found < 0 || (found && !stays && store_drop_row(s, old.run, err))) return -1;
  return !stays;
}

int store_put_row(ripstop_store *s, const store_row *row, ripstop_error *err) {
  int room = make_room(s, row->id, err);
  if (room <= 0) return room;
  return put_row(s, row, err) ? -1 : 1;
}

static int put_all(ripstop_store *s, const ripstop_run *run, const ripstop_outcome *o, ripstop_error *err) {
  char digest[RIPSTOP_HASH];
  RIPSTOP_LOCAL_TEXT(canonical);
  ripstop_run_canonical(run, &canonical);
  store_row row = {.id = run->id, .canonical = canonical.data, .version = RIPSTOP_VERSION, .verdict = o->verdict};
  row.outcome = *o, row.digest = digest;
  store_digest(&row, digest);
  return store_put_row(s, &row, err) < 0 || store_drop_lease(s, run->id, err) ? -1 : 0;
}

static int begin(ripstop_store *s, ripstop_error *err) {
  if (s->moved) return store_check_place(s, err);
  if (store_execute(s, "BEGIN IMMEDIATE", err)) return explain_failure(s, err);
  s->begins = true; /* others may have written until now */
  const int status = store_check_content(s, err);
  s->begins = false;
  if (!status) return 0;
  roll_back(s, "ROLLBACK");
  return -1;
}

static int commit(ripstop_store *s, ripstop_error *err) {
  if (!store_check_content(s, err) && !store_execute(s, "COMMIT", err)) return store_settle(s, err);
  roll_back(s, "ROLLBACK");
  return explain_failure(s, err);
}

int ripstop_store_begin(ripstop_store *store, ripstop_error *err) {
  if (begin(store, err)) return -1;
  store->batch = true;
  return 0;
}

int ripstop_store_commit(ripstop_store *store, ripstop_error *err) {
  store->batch = false;
  return commit(store, err);
}

int store_enter(ripstop_store *s, ripstop_error *err) {
  if (s->moved) return store_check_place(s, err);
  int status = s->batch ? store_execute(s, "SAVEPOINT one", err) : begin(s, err);
  s->entered = !status;
  return status;
}

int store_leave(ripstop_store *s, int status, ripstop_error *err) {
  s->entered = false;
  if (!s->batch && !status) return commit(s, err);
  if (!status && !store_execute(s, "RELEASE one", err)) return 0;
  roll_back(s, s->batch ? "ROLLBACK TO one; RELEASE one" : "ROLLBACK");
  return explain_failure(s, err);
}

int store_give_up(ripstop_store *s) { return s->entered ? store_leave(s, -1, NULL) : -1; }

int ripstop_store_put(ripstop_store *store, const ripstop_run *run, const ripstop_outcome *outcome,
                      ripstop_error *err) {
  RIPSTOP_GUARD(err, store_give_up(store));
  if (store_enter(store, err)) return -1;
  return store_leave(store, put_all(store, run, outcome, err), err);
}
