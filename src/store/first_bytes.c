/* first_bytes.c - opens a store's file by SQLite's calls but not as a database, and reads its first bytes before SQLite
 * does.
 *
 * They are read through SQLite's own file calls: by POSIX, closing a file drops all locks that the process has on it,
 * also those of a store that is open already. SQLite's calls handle this and keep the file open until then. */
#include <errno.h>
#include <string.h>

#include "base/inputs.h"
#include "store/inside.h"

/* 0, or SQLite's code. Bytes after the end are 0. */
static int read_bytes(void *start, sqlite3_file *file) {
  store_start *out = start;
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  out->size = size;
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, out->byte, sizeof out->byte, 0);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

/* The name in the form in which SQLite passes names on; NULL with SQLite's code. */
static const char *make_name(sqlite3_vfs *vfs, const char *path, char *full, int *code) {
  ripstop_text plain = {0};
  store_plain_path(&plain, path);
  errno = 0;
  *code = vfs->xFullPathname(vfs, plain.data, vfs->mxPathname + 1, full) & 0xff; /* it may follow a link */
  const int number = errno;
  ripstop_text_free(&plain);
  const char *name = *code == SQLITE_OK ? sqlite3_create_filename(full, "", "", 0, NULL) : NULL;
  if (*code == SQLITE_OK && !name) *code = SQLITE_NOMEM;
  errno = number;
  return name;
}

static int visit_open(sqlite3_vfs *vfs, const char *name, int flags, sqlite3_file *file, store_file_visit *visit,
                      void *context) {
  errno = 0;
  int code = vfs->xOpen(vfs, name, file, flags | SQLITE_OPEN_MAIN_DB, NULL);
  if (code == SQLITE_OK) code = visit(context, file);
  const int number = errno;
  if (file->pMethods) file->pMethods->xClose(file);
  errno = number;
  return code;
}

int store_visit_file(const char *path, int flags, store_file_visit *visit, void *context) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (!vfs) return SQLITE_NOMEM;
  char *full = ripstop_realloc(NULL, (size_t)vfs->mxPathname + 1, 1);
  sqlite3_file *file = ripstop_realloc(NULL, (size_t)vfs->szOsFile, 1);
  memset(file, 0, (size_t)vfs->szOsFile);
  int code;
  const char *name = make_name(vfs, path, full, &code);
  if (name) code = visit_open(vfs, name, flags, file, visit, context);
  const int number = errno;
  sqlite3_free_filename((char *)name);
  ripstop_free(file);
  ripstop_free(full);
  errno = number;
  return code;
}

static int note_input(const char *path, ripstop_error *err) {
  struct stat about;
  return stat(path, &about) == 0 ? ripstop_input_note(&about, err) : 0;
}

int store_read_start(const char *path, store_start *out, ripstop_error *err) {
  *out = (store_start){.size = 0};
  if (note_input(path, err)) return -1;
  const int code = store_visit_file(path, SQLITE_OPEN_READONLY, read_bytes, out), number = errno;
  if (code == SQLITE_OK) return 0;
  return ripstop_fail_system(err, code == SQLITE_NOMEM ? ENOMEM : number ? number : EIO, "store %s", path);
}
