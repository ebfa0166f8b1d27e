/* store.c - outcomes of runs in one SQLite file.
 *
 * Before SQLite sees a file, its header is read: SQLite would take an empty file for an empty database and write into
 * it. A new store is made complete under another name and then linked to its own, so no process ever meets half of one.
 * While somebody writes, SQLite's write-ahead log stands beside the store and is synchronised with every transaction
 * (synchronous = FULL, some milliseconds each), so finished ones survive kill -9 and power cuts. Many small runs share
 * one (ripstop_store_begin). The last writer to
 * leave puts the log into the store and goes back to a rollback journal: then the store is one file, which can be
 * copied, and read from where nobody may write. */
#include "ripstop/kit/store.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/schema.sql.h"

#define APPLICATION_ID 0x52695053 /* "RiPS", in the file's header */
enum { HEADER_BYTES = 100, PAGE_SIZE_AT = 16, VERSION_AT = 60, APPLICATION_AT = 68, BUSY_MILLISECONDS = 60000 };
static const char magic[16] = "SQLite format 3"; /* with its terminator: SQLite's file format, 1.3 */

enum { HAS, COUNT, PUT_RUN, PUT_QUANTITY, PUT_NUMBER, PUT_WINDOW, GET_RUN, GET_NUMBERS, GET_WINDOWS, STATEMENTS };
static const char *const statement_text[STATEMENTS] = {
    [HAS] = "SELECT 1 FROM runs WHERE id = ?1",
    [COUNT] = "SELECT count(*) FROM runs",
    [PUT_RUN] = "INSERT OR IGNORE INTO runs (id, canonical, version, verdict, reason, faults, seconds) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [PUT_QUANTITY] = "INSERT INTO quantities (name, unit) VALUES (?1, ?2)",
    [PUT_NUMBER] = "INSERT INTO numbers (run, position, quantity, value, half) "
                   "SELECT ?1, ?2, quantity, ?3, ?4 FROM quantities WHERE name = ?5 AND unit = ?6",
    [PUT_WINDOW] = "INSERT INTO windows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [GET_RUN] = "SELECT run, verdict, reason, faults, seconds FROM runs WHERE id = ?1",
    [GET_NUMBERS] = "SELECT name, unit, value, half, count(*) OVER () FROM numbers JOIN quantities USING (quantity) "
                    "WHERE run = ?1 ORDER BY position",
    [GET_WINDOWS] = "SELECT cycle, generated, injected, delivered, lost, delivered_flits, latency, count(*) OVER () "
                    "FROM windows WHERE run = ?1 ORDER BY cycle",
};

struct ripstop_store {
  char *path;
  sqlite3 *db;
  bool writes, batch; /* batch: a transaction is open, between ripstop_store_begin and ripstop_store_commit */
  sqlite3_stmt *statement[STATEMENTS];
};

/* ------------------------------------------------------------------ errors and statements */

static int fail(const ripstop_store *s, ripstop_error *err) {
  int code = sqlite3_errcode(s->db);
  if (code == SQLITE_BUSY) return ripstop_fail(err, "store %s: another process holds it for too long", s->path);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
    return ripstop_fail(err, "store %s is damaged or cut off (%s)", s->path, sqlite3_errmsg(s->db));
  return ripstop_fail(err, "store %s: %s", s->path, sqlite3_errmsg(s->db));
}

static int execute(const ripstop_store *s, const char *sql, ripstop_error *err) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(s, err);
}

static sqlite3_stmt *fresh(const ripstop_store *s, int which) {
  sqlite3_reset(s->statement[which]);
  return s->statement[which];
}

static void bind_text(sqlite3_stmt *st, int at, const char *text) {
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

static char *column_text(sqlite3_stmt *st, int at, ripstop_arena *arena) {
  const unsigned char *text = sqlite3_column_text(st, at);
  return ripstop_arena_text(arena, text ? (const char *)text : "");
}

/* A statement without rows. */
static int run_once(const ripstop_store *s, int which, ripstop_error *err) {
  int code = sqlite3_step(s->statement[which]);
  sqlite3_reset(s->statement[which]);
  return code == SQLITE_DONE ? 0 : fail(s, err);
}

/* ------------------------------------------------------------------ opening */

static uint32_t big_endian(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* A log or journal beside the store, from which SQLite mends what a process has left half done. */
static bool has_log(const char *path) {
  bool found = false;
  static const char *const suffixes[] = {"-wal", "-journal", NULL};
  for (const char *const *suffix = suffixes; *suffix && !found; suffix++) {
    ripstop_text name = {0};
    struct stat about;
    ripstop_text_add(&name, "%s%s", path, *suffix);
    found = stat(name.data, &about) == 0 && about.st_size > 0;
    ripstop_text_free(&name);
  }
  return found;
}

/* SQLite fills up a last page of which only some bytes are missing. */
static int check_length(const char *path, const unsigned char *header, ripstop_error *err) {
  struct stat about;
  uint32_t page = (uint32_t)header[PAGE_SIZE_AT] << 8 | header[PAGE_SIZE_AT + 1];
  if (page == 1) page = 65536; /* by definition of the format */
  if (stat(path, &about)) return ripstop_fail(err, "store %s: %s", path, strerror(errno));
  if (page == 0 || (about.st_size % page != 0 && !has_log(path)))
    return ripstop_fail(err, "store %s is damaged or cut off (its last page is not whole)", path);
  return 0;
}

/* What the file's first bytes say, without changing a thing. */
static int check_header(const char *path, ripstop_error *err) {
  unsigned char header[HEADER_BYTES] = {0};
  FILE *file = fopen(path, "rb");
  if (!file) return ripstop_fail(err, "store %s: %s", path, strerror(errno));
  size_t length = fread(header, 1, sizeof header, file);
  fclose(file);
  if (length == 0) return ripstop_fail(err, "store %s is empty: not a ripstop store", path);
  if (length < sizeof header || memcmp(header, magic, sizeof magic) ||
      big_endian(header + APPLICATION_AT) != APPLICATION_ID)
    return ripstop_fail(err, "%s is not a ripstop store", path);
  uint32_t version = big_endian(header + VERSION_AT);
  if (version != RIPSTOP_STORE_VERSION)
    return ripstop_fail(err, "store %s has version %u, this program reads version %d; choose another with --store",
                        path, version, RIPSTOP_STORE_VERSION);
  return check_length(path, header, err);
}

int ripstop_make_folders(const char *path, ripstop_error *err) {
  char *copy = ripstop_realloc(NULL, strlen(path) + 1, 1);
  memcpy(copy, path, strlen(path) + 1);
  int status = 0;
  for (char *slash = strchr(copy + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(copy, 0777) && errno != EEXIST) status = ripstop_fail(err, "folder %s: %s", copy, strerror(errno));
    *slash = '/';
  }
  ripstop_free(copy);
  return status;
}

static int connect_file(ripstop_store *s, const char *path, int flags, ripstop_error *err) {
  if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK)
    return ripstop_fail(err, "store %s: %s", path, s->db ? sqlite3_errmsg(s->db) : "out of memory");
  sqlite3_extended_result_codes(s->db, 0);
  sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
  return 0;
}

static int write_schema(const char *path, ripstop_error *err) {
  ripstop_store s = {.path = (char *)path};
  char *sql = sqlite3_mprintf("BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d; %s COMMIT;", APPLICATION_ID,
                              RIPSTOP_STORE_VERSION, ripstop_embedded_schema_sql);
  int status = connect_file(&s, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
  if (!status) status = execute(&s, sql, err);
  sqlite3_free(sql);
  sqlite3_close(s.db);
  return status;
}

/* A complete new store appears at once, or not at all; if another process was faster, its store stays. */
static int create(const char *path, ripstop_error *err) {
  static atomic_uint serial; /* threads may create stores too */
  if (ripstop_make_folders(path, err)) return -1;
  ripstop_text temporary = {0};
  ripstop_text_add(&temporary, "%s.new-%ld-%u", path, (long)getpid(), atomic_fetch_add(&serial, 1));
  int status = write_schema(temporary.data, err);
  if (!status && link(temporary.data, path) && errno != EEXIST && rename(temporary.data, path))
    status = ripstop_fail(err, "store %s: %s", path, strerror(errno));
  unlink(temporary.data);
  ripstop_text_free(&temporary);
  return status;
}

/* Structure of the whole file; without it a cut or damaged one would be found only when somebody needs its rows. */
static int check_content(const ripstop_store *s, ripstop_error *err) {
  sqlite3_stmt *st = NULL;
  if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &st, NULL) != SQLITE_OK) return fail(s, err);
  int code = sqlite3_step(st), status = 0;
  if (code != SQLITE_ROW)
    status = fail(s, err);
  else if (strcmp((const char *)sqlite3_column_text(st, 0), "ok"))
    status = ripstop_fail(err, "store %s is damaged: %s", s->path, (const char *)sqlite3_column_text(st, 0));
  sqlite3_finalize(st);
  return status;
}

/* Refused while others use the store, which is then in the mode that they have chosen; both are safe. */
static void wish(const ripstop_store *s, const char *sql) { sqlite3_exec(s->db, sql, NULL, NULL, NULL); }

static int prepare(ripstop_store *s, ripstop_error *err) {
  for (int i = 0; i < STATEMENTS; i++)
    if (sqlite3_prepare_v3(s->db, statement_text[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statement[i], NULL) !=
        SQLITE_OK)
      return fail(s, err);
  return 0;
}

ripstop_store *ripstop_store_open(const char *path, ripstop_store_mode mode, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  bool missing = access(path, F_OK) && errno == ENOENT;
  if (missing && mode == RIPSTOP_STORE_READ) {
    ripstop_fail(err, "there is no store %s", path);
    return NULL;
  }
  if ((missing && create(path, err)) || check_header(path, err)) return NULL;
  ripstop_store *s = ripstop_realloc(NULL, 1, sizeof *s);
  *s = (ripstop_store){.path = ripstop_realloc(NULL, strlen(path) + 1, 1)};
  memcpy(s->path, path, strlen(path) + 1);
  s->writes = mode == RIPSTOP_STORE_WRITE;
  int flags = s->writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (!connect_file(s, path, flags, err) && !check_content(s, err) && !prepare(s, err)) {
    if (s->writes) wish(s, "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
    return s;
  }
  s->writes = false;
  ripstop_store_close(s);
  return NULL;
}

void ripstop_store_close(ripstop_store *store) {
  if (!store) return;
  for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(store->statement[i]);
  if (store->batch) wish(store, "ROLLBACK");
  if (store->writes) wish(store, "PRAGMA journal_mode = DELETE");
  sqlite3_close(store->db);
  ripstop_free(store->path);
  ripstop_free(store);
}

/* ------------------------------------------------------------------ writing */

static int put_number(const ripstop_store *s, int64_t run, size_t position, const ripstop_value *v,
                      ripstop_error *err) {
  sqlite3_stmt *st = fresh(s, PUT_NUMBER);
  sqlite3_bind_int64(st, 1, run);
  sqlite3_bind_int64(st, 2, (int64_t)position);
  bind_real(st, 3, v->value);
  bind_real(st, 4, v->half);
  bind_text(st, 5, v->name);
  bind_text(st, 6, v->unit);
  if (run_once(s, PUT_NUMBER, err)) return -1;
  if (sqlite3_changes(s->db)) return 0;
  sqlite3_stmt *quantity = fresh(s, PUT_QUANTITY); /* the first value of this name and unit */
  bind_text(quantity, 1, v->name);
  bind_text(quantity, 2, v->unit);
  if (run_once(s, PUT_QUANTITY, err)) return -1;
  return run_once(s, PUT_NUMBER, err);
}

static int put_window(const ripstop_store *s, int64_t run, const ripstop_window *w, ripstop_error *err) {
  sqlite3_stmt *st = fresh(s, PUT_WINDOW);
  const uint64_t count[] = {w->cycle, w->generated, w->injected, w->delivered, w->lost, w->delivered_flits};
  sqlite3_bind_int64(st, 1, run);
  for (int i = 0; i < 6; i++) sqlite3_bind_int64(st, 2 + i, (int64_t)count[i]);
  bind_real(st, 8, w->latency);
  return run_once(s, PUT_WINDOW, err);
}

static int put_all(const ripstop_store *s, const ripstop_run *run, const ripstop_outcome *o, ripstop_error *err) {
  sqlite3_stmt *st = fresh(s, PUT_RUN);
  const char *text[] = {run->id, run->canonical, RIPSTOP_VERSION, o->verdict, o->reason, o->faults};
  for (int i = 0; i < 6; i++) bind_text(st, 1 + i, text[i]);
  bind_real(st, 7, o->seconds);
  if (run_once(s, PUT_RUN, err)) return -1;
  if (!sqlite3_changes(s->db)) return 0; /* it is there already */
  int64_t row = sqlite3_last_insert_rowid(s->db);
  for (size_t i = 0; i < o->values; i++)
    if (put_number(s, row, i, &o->value[i], err)) return -1;
  for (size_t i = 0; i < o->windows; i++)
    if (put_window(s, row, &o->window[i], err)) return -1;
  return 0;
}

int ripstop_store_begin(ripstop_store *store, ripstop_error *err) {
  if (execute(store, "BEGIN IMMEDIATE", err)) return -1;
  store->batch = true;
  return 0;
}

int ripstop_store_commit(ripstop_store *store, ripstop_error *err) {
  ripstop_error ignored;
  store->batch = false;
  if (!execute(store, "COMMIT", err)) return 0;
  execute(store, "ROLLBACK", &ignored);
  return -1;
}

/* In a batch a savepoint, so that a run that could not be written takes none of the others with it. */
int ripstop_store_put(ripstop_store *store, const ripstop_run *run, const ripstop_outcome *outcome,
                      ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_error ignored;
  if (execute(store, store->batch ? "SAVEPOINT put" : "BEGIN IMMEDIATE", err)) return -1;
  if (!put_all(store, run, outcome, err) && !execute(store, store->batch ? "RELEASE put" : "COMMIT", err)) return 0;
  execute(store, store->batch ? "ROLLBACK TO put; RELEASE put" : "ROLLBACK", &ignored);
  return -1;
}

/* ------------------------------------------------------------------ reading */

int ripstop_store_has(ripstop_store *store, const char *id, ripstop_error *err) {
  sqlite3_stmt *st = fresh(store, HAS);
  bind_text(st, 1, id);
  int code = sqlite3_step(st);
  sqlite3_reset(st);
  return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : fail(store, err);
}

int64_t ripstop_store_count(ripstop_store *store, ripstop_error *err) {
  sqlite3_stmt *st = fresh(store, COUNT);
  int code = sqlite3_step(st);
  int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(st, 0) : fail(store, err);
  sqlite3_reset(st);
  return count;
}

static int get_numbers(const ripstop_store *s, int64_t run, ripstop_arena *arena, ripstop_outcome *out,
                       ripstop_error *err) {
  sqlite3_stmt *st = fresh(s, GET_NUMBERS);
  sqlite3_bind_int64(st, 1, run);
  ripstop_value *value = NULL;
  int code;
  while ((code = sqlite3_step(st)) == SQLITE_ROW) {
    if (!value) value = RIPSTOP_ARRAY(arena, (size_t)sqlite3_column_int64(st, 4), ripstop_value);
    value[out->values++] = (ripstop_value){.name = column_text(st, 0, arena),
                                           .unit = column_text(st, 1, arena),
                                           .value = column_real(st, 2),
                                           .half = column_real(st, 3)};
  }
  out->value = value;
  sqlite3_reset(st);
  return code == SQLITE_DONE ? 0 : fail(s, err);
}

static int get_windows(const ripstop_store *s, int64_t run, ripstop_arena *arena, ripstop_outcome *out,
                       ripstop_error *err) {
  sqlite3_stmt *st = fresh(s, GET_WINDOWS);
  sqlite3_bind_int64(st, 1, run);
  ripstop_window *window = NULL;
  int code;
  while ((code = sqlite3_step(st)) == SQLITE_ROW) {
    if (!window) window = RIPSTOP_ARRAY(arena, (size_t)sqlite3_column_int64(st, 7), ripstop_window);
    ripstop_window *w = &window[out->windows++];
    uint64_t *const count[] = {&w->cycle, &w->generated, &w->injected, &w->delivered, &w->lost, &w->delivered_flits};
    for (int i = 0; i < 6; i++) *count[i] = (uint64_t)sqlite3_column_int64(st, i);
    w->latency = column_real(st, 6);
  }
  out->window = window;
  sqlite3_reset(st);
  return code == SQLITE_DONE ? 0 : fail(s, err);
}

static int get_verdict(const ripstop_store *s, sqlite3_stmt *st, const char **out, ripstop_error *err) {
  const char *word = (const char *)sqlite3_column_text(st, 1);
  for (size_t i = 0; word && ripstop_outcome_words[i]; i++)
    if (!strcmp(word, ripstop_outcome_words[i])) {
      *out = ripstop_outcome_words[i];
      return 0;
    }
  return ripstop_fail(err, "store %s is damaged: a run ends with the verdict '%s'", s->path, word ? word : "");
}

int ripstop_store_get(ripstop_store *store, const char *id, ripstop_arena *arena, ripstop_outcome *out,
                      ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = (ripstop_outcome){0};
  sqlite3_stmt *st = fresh(store, GET_RUN);
  bind_text(st, 1, id);
  int code = sqlite3_step(st), status = 0;
  if (code != SQLITE_ROW) {
    status = code == SQLITE_DONE ? 0 : fail(store, err);
    sqlite3_reset(st);
    return status;
  }
  int64_t run = sqlite3_column_int64(st, 0);
  status = get_verdict(store, st, &out->verdict, err);
  if (sqlite3_column_type(st, 2) != SQLITE_NULL) out->reason = column_text(st, 2, arena);
  out->faults = column_text(st, 3, arena);
  out->seconds = sqlite3_column_double(st, 4);
  sqlite3_reset(st);
  if (status || get_numbers(store, run, arena, out, err) || get_windows(store, run, arena, out, err)) return -1;
  return 1;
}
