/* sqlite_litter.c - removes the log and the index that SQLite made beside a store to read it.
 *
 * If a store's header declares a log (a copy of a store in use, or one whose writer was killed), it gets a log and an
 * index when it is read, and a reader leaves them: it must not put a log into the file of a store that it refuses or
 * may not write. Every process that has such a store open has a lock on its file, so a process that gets it alone may
 * remove unused files. A log with content stays: it is part of the store. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/local.h"
#include "store/inside.h"

/* A plain file of any size, or with `empty` one of 0 bytes. No name: memory ran out. */
static bool is_there(const char *path, const char *suffix, bool empty) {
  struct stat about;
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_text_add(&name, "%s%s", path, suffix);
  return name.data && lstat(name.data, &about) == 0 && S_ISREG(about.st_mode) && (!empty || about.st_size == 0);
}

static void remove_one(const char *path, const char *suffix) {
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_text_add(&name, "%s%s", path, suffix);
  if (name.data) unlink(name.data);
}

/* SQLite puts them beside the target of links. */
void store_note_beside(ripstop_store *s) {
  char place[PATH_MAX];
  s->place = ripstop_arena_text(s->arena, realpath(s->path, place) ? place : s->path);
  s->had_log = is_there(s->place, "-wal", false);
  s->had_index = is_there(s->place, "-shm", false);
}

static bool made_log(const ripstop_store *s) { return !s->had_log && is_there(s->place, "-wal", true); }

static bool made_index(const ripstop_store *s) { return !s->had_index && is_there(s->place, "-shm", false); }

static int remove_unused(void *store, sqlite3_file *file) {
  const ripstop_store *s = store;
  const sqlite3_io_methods *call = file->pMethods;
  int code = call->xLock(file, SQLITE_LOCK_SHARED);
  if (code == SQLITE_OK) code = call->xLock(file, SQLITE_LOCK_EXCLUSIVE);
  if (code == SQLITE_OK && made_log(s)) remove_one(s->place, "-wal");
  if (code == SQLITE_OK && made_index(s)) remove_one(s->place, "-shm");
  call->xUnlock(file, SQLITE_LOCK_NONE);
  return code;
}

void store_remove_beside(const ripstop_store *s) {
  if (made_log(s) || made_index(s)) store_visit_file(s->place, SQLITE_OPEN_READWRITE, remove_unused, (void *)s);
}
