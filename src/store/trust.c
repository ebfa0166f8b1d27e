/* trust.c - checks a store that someone else may have made: limits SQLite, and refuses everything except the tables
 * and views of a store.
 *
 * A database has the statements that made it, and SQLite runs them: a trigger can delete rows, a generated column or
 * a default can call functions. So only the statements of schema.sql are accepted, word for word, and SQLite is set
 * not to trust them before it reads the first. */
#include <errno.h>
#include <string.h>

#include "store/inside.h"
#include "store/schema.sql.h"

enum { TEXT_MOST = 1 << 28 }; /* bytes of a value */

/* No checkpoint: a log that belongs to another file must not get into this one before all of it is checked. */
int store_harden(const ripstop_store *s, ripstop_error *err) {
  static const struct {
    int option, value;
  } each[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
              {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
              {SQLITE_DBCONFIG_ENABLE_FKEY, 0},    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    if (sqlite3_db_config(s->db, each[i].option, each[i].value, NULL) != SQLITE_OK) return store_fail(s, err);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, TEXT_MOST);
  return store_execute(s, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", err);
}

int store_trust(const ripstop_store *s, ripstop_error *err) {
  if (sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL) == SQLITE_OK) return 0;
  return store_fail(s, err);
}

/* ------------------------------------------------------------------ the tables */

static const char objects[] = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name";
enum { TYPE, NAME, COLUMNS = 4 };

static const char *column(sqlite3_stmt *st, int at) {
  const char *text = (const char *)sqlite3_column_text(st, at);
  return text ? text : "";
}

/* The order of two objects, 0: both are the same. */
static int compare_names(sqlite3_stmt *a, sqlite3_stmt *b) {
  int order = strcmp(column(a, TYPE), column(b, TYPE));
  return order ? order : strcmp(column(a, NAME), column(b, NAME));
}

static bool are_same(sqlite3_stmt *a, sqlite3_stmt *b) {
  for (int i = 0; i < COLUMNS; i++)
    if (strcmp(column(a, i), column(b, i)) != 0) return false;
  return true;
}

static int refuse(const ripstop_store *s, sqlite3_stmt *object, const char *what, ripstop_error *err) {
  return ripstop_fail(err, "store %s is damaged (its tables are not those of a store: %.20s '%.100s' %s)", s->path,
                      column(object, TYPE), column(object, NAME), what);
}

static int step(sqlite3 *db, sqlite3_stmt *st, const ripstop_store *s, bool *there, ripstop_error *err) {
  int code = sqlite3_step(st);
  *there = code == SQLITE_ROW;
  if (code == SQLITE_ROW || code == SQLITE_DONE) return 0;
  return db == s->db ? store_fail(s, err) : ripstop_fail_system(err, ENOMEM, "store %s", s->path);
}

/* Both lists have the same order. */
static int compare_all(const ripstop_store *s, sqlite3 *model, sqlite3_stmt *found, sqlite3_stmt *wanted,
                       ripstop_error *err) {
  bool here = true, there = true;
  while (here || there) {
    if (step(s->db, found, s, &here, err) || step(model, wanted, s, &there, err)) return -1;
    if (!here && !there) return 0;
    int order = !there ? -1 : !here ? 1 : compare_names(found, wanted);
    if (order < 0) return refuse(s, found, "does not belong there", err);
    if (order > 0) return refuse(s, wanted, "is missing", err);
    if (!are_same(found, wanted)) return refuse(s, found, "is defined in another way", err);
  }
  return 0;
}

/* A database in memory with the tables and views of a store. NULL: no memory. */
static sqlite3 *make_model(void) {
  sqlite3 *model = NULL;
  if (sqlite3_open_v2(":memory:", &model, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL) ==
          SQLITE_OK &&
      sqlite3_exec(model, ripstop_embedded_schema_sql, NULL, NULL, NULL) == SQLITE_OK)
    return model;
  sqlite3_close(model);
  return NULL;
}

int store_check_schema(const ripstop_store *s, ripstop_error *err) {
  sqlite3_stmt *found = NULL, *wanted = NULL;
  sqlite3 *model = make_model();
  if (!model || sqlite3_prepare_v2(model, objects, -1, &wanted, NULL) != SQLITE_OK) {
    sqlite3_close(model);
    return ripstop_fail_system(err, ENOMEM, "store %s", s->path);
  }
  int status = sqlite3_prepare_v2(s->db, objects, -1, &found, NULL) == SQLITE_OK ? 0 : store_fail(s, err);
  if (!status) status = compare_all(s, model, found, wanted, err);
  sqlite3_finalize(found);
  sqlite3_finalize(wanted);
  sqlite3_close(model);
  return status;
}
