/* start.c - the first bytes of a store's file, read before SQLite may touch it.
 *
 * They are read by way of SQLite's own file calls: by POSIX, closing a file lets go of all locks that the process has
 * on it, also of those of a store that is open already. SQLite's calls know of this and keep the file open until then.
 */
#include <errno.h>
#include <string.h>

#include "base/inputs.h"
#include "store/inside.h"

/* 0, or SQLite's code. Bytes behind the end are 0. */
static int read_bytes(sqlite3_file *file, store_start *out) {
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  out->size = size;
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, out->byte, sizeof out->byte, 0);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

static int read_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, store_start *out) {
  int code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
  if (code == SQLITE_OK) code = read_bytes(file, out);
  if (file->pMethods) file->pMethods->xClose(file);
  return code;
}

/* The name in the form in which SQLite passes names on. NULL: no memory, or the path cannot be resolved. */
static const char *make_name(sqlite3_vfs *vfs, const char *path, char *full) {
  ripstop_text plain = {0};
  store_plain_path(&plain, path);
  int code = vfs->xFullPathname(vfs, plain.data, vfs->mxPathname + 1, full);
  ripstop_text_free(&plain);
  return (code & 0xff) == SQLITE_OK ? sqlite3_create_filename(full, "", "", 0, NULL) : NULL;
}

static int note_input(const char *path, ripstop_error *err) {
  struct stat about;
  return stat(path, &about) == 0 ? ripstop_input_note(&about, err) : 0;
}

int store_read_start(const char *path, store_start *out, ripstop_error *err) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (!vfs) return ripstop_fail_system(err, ENOMEM, "store %s", path);
  if (note_input(path, err)) return -1;
  char *full = ripstop_realloc(NULL, (size_t)vfs->mxPathname + 1, 1);
  sqlite3_file *file = ripstop_realloc(NULL, (size_t)vfs->szOsFile, 1);
  memset(file, 0, (size_t)vfs->szOsFile);
  *out = (store_start){.size = 0};
  const char *name = make_name(vfs, path, full);
  errno = 0;
  int code = name ? read_file(vfs, name, file, out) : SQLITE_NOMEM, number = errno;
  sqlite3_free_filename((char *)name);
  ripstop_free(file);
  ripstop_free(full);
  if (code == SQLITE_OK) return 0;
  return ripstop_fail_system(err, code == SQLITE_NOMEM ? ENOMEM : number ? number : EIO, "store %s", path);
}
