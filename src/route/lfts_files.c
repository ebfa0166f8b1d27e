/* lfts_files.c - forwarding tables from files, line by line, since those of a large fabric are gigabytes.
 *
 * A file is no memory, so lines are read under a guard of their own, and the file is closed whatever comes of it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#undef malloc /* the headers call them in functions that nobody calls here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"
#include "route/lfts.h"

enum { LINE_MAX_BYTES = 4096 }; /* OpenSM reads lines of at most 1,024 */

typedef struct reading {
  ripstop_lfts *lfts; /* NULL: only the hash is wanted */
  XXH3_state_t *hash;
  const char *path;
  gzFile file;
  ripstop_error *err;
  int status;
} reading;

static void read_lines(void *argument) {
  reading *r = argument;
  char line[LINE_MAX_BYTES];
  z_off_t at = 0;
  for (uint32_t number = 1; !r->status && gzgets(r->file, line, sizeof line); number++) {
    size_t length = strlen(line);
    at += (z_off_t)length;
    if (at != gztell(r->file)) { /* as storage leaves them that lost what was written last */
      r->status = ripstop_fail(r->err, "%s:%u: there are zero bytes in the line", r->path, number);
      return;
    }
    XXH3_64bits_update(r->hash, line, length);
    const bool ends = length > 0 && line[length - 1] == '\n';
    if (ends) length--;
    if (r->lfts) r->status = ripstop_lfts_line(r->lfts, line, length, r->err);
    if (r->lfts && !r->status && !ends && gzeof(r->file)) r->status = ripstop_lfts_cut(r->lfts, r->err);
  }
}

static int check_end(const reading *r) {
  int code;
  const char *reason = gzerror(r->file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return 0;
  return ripstop_fail(r->err, "%s: %s", r->path, code == Z_ERRNO ? strerror(errno) : reason);
}

static int read_file(reading *r) {
  struct stat about;
  if (stat(r->path, &about) != 0) return ripstop_fail(r->err, "%s: %s", r->path, strerror(errno));
  if (S_ISDIR(about.st_mode)) return ripstop_fail(r->err, "%s: is a folder", r->path);
  r->file = gzopen(r->path, "rb");
  if (!r->file) return ripstop_fail(r->err, "%s: %s", r->path, errno ? strerror(errno) : "out of memory");
  if (r->lfts) ripstop_lfts_file(r->lfts, r->path);
  if (ripstop_try(read_lines, r, r->err) != 0) r->status = -1;
  if (!r->status) r->status = check_end(r);
  gzclose(r->file);
  return r->status;
}

static int read_files(ripstop_lfts *lfts, const char *const *path, unsigned count, char *hash, ripstop_error *err) {
  XXH3_state_t state; /* aligned as no arena does it */
  reading r = {.lfts = lfts, .hash = &state, .err = err};
  int status = 0;
  XXH3_64bits_reset(r.hash);
  for (unsigned i = 0; !status && i < count; i++) {
    r.path = path[i];
    status = read_file(&r);
  }
  if (hash) snprintf(hash, RIPSTOP_LFTS_HASH, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(r.hash));
  return status;
}

int ripstop_lfts_hash(const char *const *path, unsigned count, char *hash, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  return read_files(NULL, path, count, hash, err);
}

ripstop_forwarding *ripstop_lfts_read(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_view *view,
                                      const char *const *path, unsigned count, ripstop_lfts_notes *notes, char *hash,
                                      ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_address_book book;
  ripstop_address_book_of(fabric, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(fabric, &book, err);
  if (view) ripstop_lfts_expect(lfts, view);
  int status = read_files(lfts, path, count, hash, err);
  ripstop_forwarding *tables = status ? NULL : ripstop_lfts_finish(lfts, arena, notes, err);
  ripstop_lfts_free(lfts);
  return tables;
}
