/* sqlite_litter.c - removes the log and the index that SQLite made beside a store to read it.
 *
 * If a store's header declares a log (a copy of a store in use, or one whose writer was killed), it gets a log and an
 * index when it is read, and a reader leaves them: it must not put a log into the file of a store that it refuses or
 * may not write. Every process that has such a store open has a lock on its file, so a process that gets it alone may
 * remove unused files. A log with content stays: it is part of the store. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/inside.h"

enum { NAME_BYTES = PATH_MAX + sizeof "-wal" };

/* False: no file can have so long a name. Needs no memory, which may have run out when a store is closed. */
static bool name_beside(const char *path, const char *suffix, char name[NAME_BYTES]) {
  return snprintf(name, NAME_BYTES, "%s%s", path, suffix) < NAME_BYTES;
}

/* A plain file of any size, or with `empty` one of 0 bytes. */
static bool is_there(const char *path, const char *suffix, bool empty) {
  struct stat about;
  char name[NAME_BYTES];
  if (!name_beside(path, suffix, name) || lstat(name, &about)) return false;
  return S_ISREG(about.st_mode) && (!empty || about.st_size == 0);
}

static void remove_one(const char *path, const char *suffix) {
  char name[NAME_BYTES];
  if (name_beside(path, suffix, name)) unlink(name);
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
