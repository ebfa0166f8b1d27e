/* lfts_files.c - forwarding tables from files, line by line, since those of a large fabric are gigabytes.
 *
 * A file is not memory, so lines are read under a guard of their own, and the file is closed in any case. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#undef malloc /* only functions of the header use them that are not called here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/inputs.h"
#include "base/memory.h"
#include "base/packers.h"
#include "tables/infiniband/lfts.h"

enum { BLOCK_BYTES = 1 << 16 }; /* longer lines count as several; OpenSM reads lines of at most 1,024 */

typedef struct reading {
  ripstop_lfts *lfts; /* NULL: only the hash is requested */
  XXH3_state_t *hash;
  const char *path;
  gzFile file;
  uint32_t line;
  ripstop_error *err;
  int status;
} reading;

static int take_line(reading *r, const char *line, size_t length) {
  r->line++;
  if (memchr(line, 0, length)) /* left by storage that lost the last writes */
    return ripstop_fail(r->err, "%s:%u: there are zero bytes in the line", r->path, r->line);
  return r->lfts ? ripstop_lfts_line(r->lfts, line, length, r->err) : 0;
}

/* Takes all whole lines of a block. Returns the bytes of the incomplete one, which is moved to the beginning. */
static size_t take_lines(reading *r, char *block, size_t bytes) {
  char *at = block, *end = block + bytes, *line_end;
  while (!r->status && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
    r->status = take_line(r, at, (size_t)(line_end - at));
    at = line_end + 1;
  }
  memmove(block, at, (size_t)(end - at));
  return (size_t)(end - at);
}

/* The last line has no end, which may be what is wrong with it. */
static int say_cut(ripstop_error *err) {
  const ripstop_error why = *err;
  return ripstop_fail(err, "%s; the file stops in the middle of a line", why.text);
}

static void read_lines(void *argument) {
  reading *r = argument;
  char block[BLOCK_BYTES];
  size_t kept = 0;
  int got = 0;
  r->line = 0;
  while (!r->status && (got = gzread(r->file, block + kept, (unsigned)(sizeof block - kept))) > 0) {
    if (r->line == 0 && kept == 0) r->status = ripstop_check_unpacked(r->path, block, (size_t)got, r->err);
    if (r->status) return;
    XXH3_64bits_update(r->hash, block + kept, (size_t)got);
    kept = take_lines(r, block, kept + (size_t)got);
    if (kept < sizeof block) continue;
    r->status = take_line(r, block, kept);
    kept = 0;
  }
  if (r->status || got < 0 || kept == 0) return;
  r->status = take_line(r, block, kept);
  if (r->lfts && !r->status)
    r->status = ripstop_lfts_cut(r->lfts, r->err);
  else if (r->lfts && !r->err->machine)
    r->status = say_cut(r->err);
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
  if (ripstop_input_note(&about, r->err)) return -1;
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
