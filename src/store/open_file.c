/* open_file.c - a store's file: checks, creation, and the mode in which it is used.
 *
 * Before SQLite opens a file, its header is read: SQLite would take an empty file for an empty database and write
 * into it. A new store is made complete under another name and then linked to its own, so no process ever meets an
 * incomplete one. While a process writes, SQLite's write-ahead log is beside the store and is synchronised with every
 * transaction (synchronous = FULL, some milliseconds each), so finished ones survive kill -9 and power cuts. Many
 * small runs share one (ripstop_store_begin). The last writer to leave puts the log into the store and returns to a
 * rollback journal: then the store is one file, which can be copied, and read where it may not be written. On a
 * network file system it always uses a rollback journal: the log's readers and writers share memory, which machines
 * do not. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/local.h"
#include "store/inside.h"
#include "store/kept_runs.h"
#include "store/schema.sql.h"

#define APPLICATION_ID 0x52695053 /* "RiPS", in the file's header */
/* SQLite's file format, 1.3: offsets, and the constants of every store. */
enum {
  PAGE_SIZE_AT = 16,
  MODES_AT = 18, /* write and read version: 1 with a rollback journal, 2 with a write-ahead log */
  FIXED_AT = 20,
  SCHEMA_FORMAT_AT = 44,
  ENCODING_AT = 56,
  VERSION_AT = 60,
  APPLICATION_AT = 68
};
static const char magic[16] = "SQLite format 3"; /* with its terminator */
static const unsigned char fixed[4] = {0, 64, 32, 32};
enum { BUSY_MILLISECONDS = 60000 };

static uint32_t big_endian(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* A log or journal beside the store, from which SQLite completes or undoes an interrupted change. */
static bool has_log(const char *path) {
  bool found = false;
  static const char *const suffixes[] = {"-wal", "-journal", NULL};
  for (const char *const *suffix = suffixes; *suffix && !found; suffix++) {
    RIPSTOP_LOCAL_TEXT(name);
    struct stat about;
    ripstop_text_add(&name, "%s%s", path, *suffix);
    found = stat(name.data, &about) == 0 ? about.st_size > 0 : errno != ENOENT;
  }
  return found;
}

/* Readers repair it, too, if they may write: an interrupted change must be undone first. */
static bool needs_mending(const char *path) {
  ripstop_error ignored;
  return has_log(path) && !store_check_rights(path, &ignored);
}

/* SQLite would fill up a last page of which only some bytes are missing. */
static int check_length(const char *path, const store_start *start, ripstop_error *err) {
  uint32_t page = (uint32_t)start->byte[PAGE_SIZE_AT] << 8 | start->byte[PAGE_SIZE_AT + 1];
  if (page == 1) page = 65536; /* by definition of the format */
  if (page == 0 || (start->size % page != 0 && !has_log(path)))
    return ripstop_fail(err, "store %s is damaged or cut off (its last page is not whole)", path);
  return 0;
}

static int check_version(const char *path, uint32_t version, ripstop_error *err) {
  if (version == RIPSTOP_STORE_VERSION) return 0;
  const char *why = version < RIPSTOP_STORE_VERSION
                        ? "; its runs were stored without digests and have to be done again: "
                          "move it away, or choose another with --store"
                        : "; choose another with --store";
  return ripstop_fail(err, "store %s has version %u, this program reads version %d%s", path, version,
                      RIPSTOP_STORE_VERSION, why);
}

/* Checks the file's first bytes; changes nothing. */
static int check_header(const char *path, ripstop_error *err) {
  store_start start;
  const unsigned char *header = start.byte;
  if (store_read_start(path, &start, err)) return -1;
  if (start.size == 0) return ripstop_fail(err, "store %s is empty: not a ripstop store", path);
  if (start.size < STORE_START || memcmp(header, magic, sizeof magic) ||
      big_endian(header + APPLICATION_AT) != APPLICATION_ID)
    return ripstop_fail(err, "%s is not a ripstop store", path);
  if (check_version(path, big_endian(header + VERSION_AT), err)) return -1;
  if (memcmp(header + FIXED_AT, fixed, sizeof fixed) || big_endian(header + ENCODING_AT) != 1 ||
      big_endian(header + SCHEMA_FORMAT_AT) != 4 || header[MODES_AT] - 1u > 1 || header[MODES_AT + 1] - 1u > 1)
    return ripstop_fail(err, "store %s is damaged (its header)", path);
  return check_length(path, &start, err);
}

/* A millisecond, and not SQLite's tenth of a second: an owner of many small runs releases the lock for a few
 * milliseconds only, between two of its batches. */
static int wait_for_others(void *context, int tries) {
  (void)context;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return tries < BUSY_MILLISECONDS;
}

static int connect_file(ripstop_store *s, const char *file, int flags, ripstop_error *err) {
  ripstop_text plain = {0};
  store_plain_path(&plain, file);
  errno = 0;
  int code = sqlite3_open_v2(plain.data, &s->db, flags, NULL);
  const int number = code == SQLITE_NOMEM ? ENOMEM : errno ? errno : EIO;
  ripstop_text_free(&plain);
  if (code != SQLITE_OK) return s->db ? store_fail(s, err) : ripstop_fail_system(err, number, "store %s", s->path);
  sqlite3_extended_result_codes(s->db, 0);
  sqlite3_busy_handler(s->db, wait_for_others, NULL);
  return 0;
}

/* SQLite does not report why it cannot make a file. */
static int make_file(const char *path, const char *file, ripstop_error *err) {
  int made = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) return ripstop_fail_system(err, errno, "store %s cannot be made", path);
  close(made);
  return 0;
}

static int write_schema(const char *path, const char *file, ripstop_error *err) {
  ripstop_store s = {.path = (char *)path};
  char *sql = sqlite3_mprintf("BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d; %s COMMIT;", APPLICATION_ID,
                              RIPSTOP_STORE_VERSION, ripstop_embedded_schema_sql);
  if (!sql) return ripstop_fail_system(err, ENOMEM, "store %s", path);
  int status = make_file(path, file, err);
  if (!status) status = connect_file(&s, file, SQLITE_OPEN_READWRITE, err);
  if (!status) status = store_execute(&s, sql, err);
  sqlite3_free(sql);
  sqlite3_close(s.db);
  return status;
}

/* With SQLite's files beside it, if its process ended early. */
static void remove_temporary(ripstop_text *name) {
  unlink(name->data);
  ripstop_text_add(name, "-journal");
  unlink(name->data);
  ripstop_text_free(name);
}

/* A complete new store appears atomically, or not at all; if another process was faster, its store stays. */
static int create(const char *path, ripstop_error *err) {
  if (ripstop_make_folders(path, err)) return -1;
  ripstop_text temporary = {0};
  ripstop_beside_name(&temporary, path);
  int status = write_schema(path, temporary.data, err);
  if (!status && link(temporary.data, path) && errno != EEXIST && rename(temporary.data, path))
    status = ripstop_fail_system(err, errno, "store %s", path);
  remove_temporary(&temporary);
  return status;
}

static const char *last_line(const char *text) {
  const char *end = strrchr(text, '\n');
  return end ? end + 1 : text;
}

/* Checks the structure of the whole file. Otherwise damage would be found only when its rows are read, and a run that
 * the index has lost would count as never done. */
static int check_content(const ripstop_store *s, ripstop_error *err) {
  sqlite3_stmt *st = NULL;
  if (sqlite3_prepare_v2(s->db, "PRAGMA integrity_check(1)", -1, &st, NULL) != SQLITE_OK) return store_fail(s, err);
  int code = sqlite3_step(st), status = 0, number = store_errno(s);
  const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
  if (!said)
    status = store_fail(s, err);
  else if (strcmp(said, "ok") != 0)
    status = number ? ripstop_fail_system(err, number, "store %s", s->path)
                    : ripstop_fail(err, "store %s is damaged (%s)", s->path, last_line(said));
  sqlite3_finalize(st);
  return status;
}

/* Refused while others use the store, which then has the mode that they have chosen; both are safe. */
static void head_request(const ripstop_store *s, const char *sql) { sqlite3_exec(s->db, sql, NULL, NULL, NULL); }

static int prepare(ripstop_store *s, ripstop_error *err) {
  for (int i = 0; i < STATEMENTS; i++)
    if (sqlite3_prepare_v3(s->db, store_statement_text[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statement[i], NULL) !=
        SQLITE_OK)
      return store_fail(s, err);
  return 0;
}

/* A file that is no database or is damaged can still open as one: its content is not used before its statements are
 * checked. */
static int check_all(ripstop_store *s, ripstop_error *err) {
  if (store_harden(s, err) || store_check_schema(s, err) || check_content(s, err) || prepare(s, err)) return -1;
  return store_trust(s, err);
}

static ripstop_store *store_new(const char *path, ripstop_store_mode mode) {
  ripstop_store *s = ripstop_realloc(NULL, 1, sizeof *s);
  *s = (ripstop_store){
      .path = ripstop_realloc(NULL, strlen(path) + 1, 1), .arena = ripstop_arena_new(), .kept = ripstop_arena_new()};
  memcpy(s->path, path, strlen(path) + 1);
  s->writes = mode == RIPSTOP_STORE_WRITE;
  return s;
}

/* SQLite opens the log with the first read. */
static bool opens_log(const ripstop_store *s) {
  sqlite3_stmt *st = NULL;
  bool logs = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode", -1, &st, NULL) == SQLITE_OK &&
              sqlite3_step(st) == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(st, 0), "wal");
  sqlite3_finalize(st);
  return logs && sqlite3_exec(s->db, "SELECT 1 FROM runs LIMIT 1", NULL, NULL, NULL) == SQLITE_OK;
}

/* The file's header may declare a log although making it failed, so it is tried twice: a store that counts as one
 * without a log must have none (mark.c). */
static bool takes_log(ripstop_store *s) {
  bool logs = false;
  for (int tries = 0; tries < 2 && !logs; tries++) {
    head_request(s, "PRAGMA journal_mode = WAL");
    logs = opens_log(s);
  }
  return logs;
}

static int note_log(void *store, sqlite3 *db, const char *name, int pages) {
  (void)db, (void)name;
  ((ripstop_store *)store)->log_pages = pages;
  return SQLITE_OK;
}

static void begin_writing(ripstop_store *s) {
  store_note_place(s);
  head_request(s, "PRAGMA synchronous = FULL");
  head_request(s, "PRAGMA cache_spill = OFF"); /* without a log a batch would be written before its commit */
  s->logs = store_network(s->path) ? opens_log(s) : takes_log(s);
  sqlite3_wal_hook(s->db, note_log, s); /* and SQLite makes no checkpoint by itself (moved.c) */
  store_note_mark(s);
}

ripstop_store *ripstop_store_open(const char *path, ripstop_store_mode mode, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  int status = *path ? access(path, F_OK) : 0;
  bool missing = status && errno == ENOENT;
  if (missing && mode == RIPSTOP_STORE_READ) {
    ripstop_fail(err, "there is no store %s", path);
    return NULL;
  }
  if (status && !missing) return ripstop_fail_system(err, errno, "store %s", path), NULL;
  if ((missing && create(path, err)) || store_check_file(path, err) || check_header(path, err)) return NULL;
  if (mode == RIPSTOP_STORE_WRITE) store_clean(path);
  ripstop_store *s = store_new(path, mode);
  store_note_beside(s);
  int flags = s->writes || needs_mending(path) ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (!connect_file(s, path, flags | SQLITE_OPEN_NOMUTEX, err) && !check_all(s, err)) {
    if (s->writes) begin_writing(s);
    return s;
  }
  s->writes = false;
  ripstop_store_close(s);
  return NULL;
}

int ripstop_store_end(ripstop_store *store, ripstop_error *err) {
  if (!store) return 0;
  ripstop_error ignored;
  if (store->batch) head_request(store, "ROLLBACK");
  store->batch = false;
  if (!store->moved) ripstop_store_release(store, &ignored); /* otherwise the claims expire */
  int status = store_check_place(store, err);                /* closing writes into the file */
  for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(store->statement[i]);
  if (store->writes && !store->moved) head_request(store, "PRAGMA journal_mode = DELETE");
  sqlite3_close(store->db);
  if (!store->moved) store_remove_beside(store);
  if (store->now)
    ripstop_store_close(ripstop_store_open(store->now, RIPSTOP_STORE_WRITE, &ignored)); /* one file again */
  ripstop_arena_free(store->kept);
  ripstop_arena_free(store->arena);
  ripstop_free(store->path);
  ripstop_free(store);
  return status;
}

void ripstop_store_close(ripstop_store *store) {
  ripstop_error ignored;
  ripstop_store_end(store, &ignored);
}

/* Commits a write, since only that detects a full disk. */
int ripstop_store_ready(ripstop_store *store, ripstop_error *err) {
  bool readonly = sqlite3_db_readonly(store->db, "main") == 1;
  if (store_check_rights(store->path, err)) return -1;
  if (readonly) return ripstop_fail(err, "store %s cannot be written", store->path);
  char sql[100];
  snprintf(sql, sizeof sql, "BEGIN IMMEDIATE; PRAGMA user_version = %d; COMMIT", RIPSTOP_STORE_VERSION);
  if (!store_execute(store, sql, err)) return 0;
  head_request(store, "ROLLBACK");
  return -1;
}
