/* moved.c - a store whose file was removed, renamed, replaced or overwritten while it was open.
 *
 * The open file still takes writes, but the store's path no longer leads to it. So after each commit the path is
 * compared with the open file. If it leads to another file, or to none:
 *   - a renamed file has everything that was committed; the log beside its old name is put into it, and the error
 *     says where it is
 *   - a file without a name is copied, whole, to a new file beside its old place, and the error names the copy
 *   - if a file was overwritten in its place (mark.c), the last runs are saved (kept.c): at least those since the
 *     last checkpoint. Older ones were in the file itself, and are lost with it
 * The store is not written afterwards. A file that another process has put at the path is not changed: only the log
 * and the index of the open file are removed. So SQLite makes no checkpoint of its own, and each is made right after
 * such a check. A process that begins to overwrite the file within the milliseconds of a checkpoint gets some of its
 * pages. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/local.h"
#include "store/inside.h"
#include "store/kept_runs.h"

enum { COPIES_MOST = 1000 };
enum { LOG_PAGES = 1000 };      /* a longer log is put into the file: SQLite's own default, 4 MB */
enum { KEPT_BYTES = 32 << 20 }; /* bytes of copies of runs; some 10,000 small ones */

static bool is_file(const struct stat *about, dev_t device, ino_t number) {
  return about->st_dev == device && about->st_ino == number;
}

void store_note_place(ripstop_store *s) {
  struct stat about;
  if (stat(s->path, &about)) return;
  s->device = about.st_dev;
  s->number = about.st_ino;
}

/* SQLite also reports this when its look-up of the path failed, so it is checked twice. */
static bool has_moved(const ripstop_store *s) {
  for (int look = 0; look < 2; look++) {
    int moved = 0;
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || !moved) return false;
  }
  return true;
}

bool store_is_moved(const ripstop_store *s) {
  struct stat about;
  if (has_moved(s)) return true;
  if (stat(s->path, &about)) return errno == ENOENT || errno == ENOTDIR;
  return s->number && !is_file(&about, s->device, s->number);
}

/* ------------------------------------------------------------------ the files that are open */

/* The system knows the name by which the file was opened, followed by " (deleted)" once that is gone. The file can
 * have other names then, which are not known. */
static void read_name(const char *link, dev_t device, ino_t number, char name[PATH_MAX]) {
  struct stat about;
  const ssize_t length = readlink(link, name, PATH_MAX - 1);
  name[length > 0 ? length : 0] = 0;
  if (stat(name, &about) || !is_file(&about, device, number)) *name = 0;
}

/* True if this process has the file open; `name` (may be NULL) has where it is now then, "" if that is not known. */
static bool find_open(dev_t device, ino_t number, char name[PATH_MAX]) {
  char link[PATH_MAX];
  struct stat about;
  bool found = false;
  DIR *open_files = opendir("/proc/self/fd");
  for (struct dirent *entry; open_files && !found && (entry = readdir(open_files));) {
    snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
    found = stat(link, &about) == 0 && is_file(&about, device, number);
    if (found && name) read_name(link, device, number, name);
  }
  if (open_files) closedir(open_files);
  return found;
}

/* Removes the log or the index beside the old path, if it is the open one. */
static void remove_own(const ripstop_store *s, const char *suffix) {
  RIPSTOP_LOCAL_TEXT(name);
  struct stat about;
  ripstop_text_add(&name, "%s%s", sqlite3_db_filename(s->db, "main"), suffix);
  if (stat(name.data, &about) == 0 && find_open(about.st_dev, about.st_ino, NULL)) unlink(name.data);
}

/* ------------------------------------------------------------------ saving the content */

/* True if all of the log is in the file. */
static bool put_log_in(const ripstop_store *s) {
  sqlite3_stmt *st = NULL;
  bool all = sqlite3_prepare_v2(s->db, "PRAGMA wal_checkpoint(TRUNCATE)", -1, &st, NULL) == SQLITE_OK &&
             sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) == 0;
  sqlite3_finalize(st);
  return all;
}

static int64_t count_runs(ripstop_store *s) {
  ripstop_error ignored;
  return ripstop_store_count(s, &ignored);
}

/* Copies all committed content to a new file. -1 with the reason. */
static int copy_to(const ripstop_store *s, const char *path, ripstop_error *err) {
  char *sql = sqlite3_mprintf("VACUUM INTO %Q", path);
  if (!sql) return ripstop_fail_system(err, ENOMEM, "store %s", path);
  int status = store_execute(s, sql, err);
  sqlite3_free(sql);
  return status;
}

static void name_rescued(const ripstop_store *s, ripstop_text *name) {
  for (unsigned i = 1; i <= COPIES_MOST; i++) {
    name->length = 0;
    ripstop_text_add(name, "%s.rescued-%u", s->path, i);
    if (access(name->data, F_OK) && errno == ENOENT) break;
  }
}

static int rescue(const ripstop_store *s, ripstop_text *name, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(plain);
  name_rescued(s, name);
  if (ripstop_make_folders(name->data, err)) return -1;
  store_plain_path(&plain, name->data);
  int status = copy_to(s, plain.data, err);
  if (status) unlink(name->data); /* an incomplete copy */
  return status;
}

/* ------------------------------------------------------------------ the error */

static void report_renamed(ripstop_store *s, const char *now, ripstop_error *err) {
  bool whole = put_log_in(s);
  if (whole) remove_own(s, "-wal"), remove_own(s, "-shm");
  if (whole) s->now = ripstop_arena_text(s->arena, now);
  ripstop_fail(err, "store %s is another file now, or none: the one that was written is %s%s", s->path, now,
               whole ? ", and has all that was stored" : ", and its log is still beside the old place");
}

static void report_removed(ripstop_store *s, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_error why;
  const int64_t runs = count_runs(s);
  if (rescue(s, &name, &why))
    ripstop_fail(err, "store %s was removed or replaced while it was written, and its runs could not be saved: %s",
                 s->path, why.text);
  else
    ripstop_fail(err,
                 "store %s was removed or replaced while it was written; its %lld runs were saved to %s (see 'ripstop "
                 "store merge')",
                 s->path, (long long)runs, name.data);
  remove_own(s, "-wal"), remove_own(s, "-shm");
}

static void report_lost(const ripstop_store *s, ripstop_text *text) {
  if (s->settled) ripstop_text_add(text, "; %zu that this command had put into it before are lost", s->settled);
}

/* The log goes first, so that the next process to open the file does not put it in. */
static void report_overwritten(ripstop_store *s, ripstop_error *err) {
  ripstop_text name = {0}, lost = {0};
  ripstop_error why;
  remove_own(s, "-wal"), remove_own(s, "-shm");
  ripstop_text_add(&lost, "%s", "");
  report_lost(s, &lost);
  name_rescued(s, &name);
  if (!s->kept_runs)
    ripstop_fail(err, "store %s was overwritten by another file while it was open%s", s->path, lost.data);
  else if (store_save_kept(s, name.data, &why))
    ripstop_fail(err,
                 "store %s was overwritten by another file while it was written, and %zu runs could not be saved: %s%s",
                 s->path, s->kept_runs, why.text, lost.data);
  else
    ripstop_fail(
        err,
        "store %s was overwritten by another file while it was written; %zu runs were saved to %s (see 'ripstop "
        "store merge')%s",
        s->path, s->kept_runs, name.data, lost.data);
  ripstop_text_free(&name);
  ripstop_text_free(&lost);
}

static void report_moved(ripstop_store *s, ripstop_error *err) {
  char now[PATH_MAX];
  if (find_open(s->device, s->number, now) && *now)
    report_renamed(s, now, err);
  else
    report_removed(s, err);
}

/* From now on all calls are refused with the same error. Returns -1. */
static int end_store(ripstop_store *s, void (*tell)(ripstop_store *, ripstop_error *), ripstop_error *err) {
  if (!s->moved) {
    ripstop_error first;
    s->moved = true;
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    tell(s, &first);
    s->why = ripstop_arena_text(s->arena, first.text);
  }
  ripstop_fail(err, "%s", s->why);
  err->machine = true;
  return -1;
}

int store_check_content(ripstop_store *s, ripstop_error *err) {
  return s->writes && (s->moved || store_is_overwritten(s)) ? end_store(s, report_overwritten, err) : 0;
}

int store_check_place(ripstop_store *s, ripstop_error *err) {
  if (store_check_content(s, err)) return -1;
  if (s->writes && !s->number && !has_moved(s)) store_note_place(s); /* the first look-up failed */
  return s->writes && store_is_moved(s) ? end_store(s, report_moved, err) : 0;
}

/* ------------------------------------------------------------------ checkpoints */

/* A log that other processes still read stays, and so do the copies. Without a log everything is in the file
 * already. */
static void checkpoint(ripstop_store *s) {
  int pages = 0, done = 0;
  int code = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &done);
  bool is_much = s->kept && ripstop_arena_bytes(s->kept) > KEPT_BYTES;
  if (code == SQLITE_OK && pages == done && is_much) store_drop_kept(s);
}

int store_settle(ripstop_store *s, ripstop_error *err) {
  if (store_check_place(s, err)) return -1;
  if (s->logs && s->log_pages < LOG_PAGES) return 0;
  s->log_pages = 0;
  checkpoint(s);
  return store_check_content(s, err);
}
