/* content.c - files that fabrics are read from: where they lie, gzip, and the hash of what they hold. */
#include "fabric/content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#undef malloc /* the header calls them in functions that nobody calls here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fabric/builder.h"

/* ------------------------------------------------------------------ gzip */

static void *take(void *arena, unsigned count, unsigned size) { return ripstop_arena_array(arena, count, size); }
static void leave(void *arena, void *memory) { (void)arena, (void)memory; } /* the arena has it */

/* Unpacks into a text that grows; the state of zlib lives in an arena, so that running out of memory leaves nothing. */
static int inflate_into(z_stream *stream, ripstop_arena *arena, char **out, size_t *filled) {
  size_t room = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (room - *filled < 2) *out = ripstop_arena_realloc(arena, *out, room = room == 0 ? 1 << 16 : 2 * room, 1);
    size_t free_bytes = room - *filled - 1; /* one for the end of the text */
    stream->next_out = (Bytef *)*out + *filled;
    stream->avail_out = (uInt)free_bytes;
    state = inflate(stream, Z_NO_FLUSH);
    *filled += free_bytes - stream->avail_out;
    if (*filled > RIPSTOP_CONTENT_LIMIT || (state != Z_OK && state != Z_STREAM_END)) return -1;
  }
  (*out)[*filled] = '\0';
  return 0;
}

static bool is_packed(const char *text, size_t length) {
  return length > 2 && (unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b;
}

int ripstop_content_unpack(ripstop_arena *arena, const char *name, const char **text, size_t *length,
                           ripstop_error *err) {
  if (!is_packed(*text, *length)) return 0;
  ripstop_arena *scratch = ripstop_arena_new();
  z_stream stream = {.zalloc = take,
                     .zfree = leave,
                     .opaque = scratch,
                     .next_in = (Bytef *)(uintptr_t)*text,
                     .avail_in = (uInt)*length};
  char *out = NULL;
  size_t filled = 0;
  int status = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK ? inflate_into(&stream, arena, &out, &filled) : -1;
  ripstop_arena_free(scratch);
  if (status != 0 && filled > RIPSTOP_CONTENT_LIMIT)
    return ripstop_fail(err, "%s: longer than %d bytes when it is unpacked", name, RIPSTOP_CONTENT_LIMIT);
  if (status != 0) return ripstop_fail(err, "%s: packed by gzip, but broken or cut off", name);
  *text = out;
  *length = filled;
  return 0;
}

/* ------------------------------------------------------------------ loading */

int ripstop_content_load(ripstop_arena *arena, const ripstop_content *c, ripstop_loaded *out, ripstop_error *err) {
  char *read = NULL;
  *out = (ripstop_loaded){.path = c->path != NULL ? c->path : c->file, .text = c->text, .length = c->length};
  if (c->text == NULL) {
    if (ripstop_read_file(arena, out->path, RIPSTOP_CONTENT_LIMIT, &read, &out->length, err) != 0) return -1;
    out->text = read;
  }
  if (out->length > RIPSTOP_CONTENT_LIMIT)
    return ripstop_fail(err, "%s: longer than %d bytes", out->path, RIPSTOP_CONTENT_LIMIT);
  if (ripstop_content_unpack(arena, out->path, &out->text, &out->length, err) != 0) return -1;
  snprintf(out->hash, sizeof out->hash, "%016" PRIx64, (uint64_t)XXH3_64bits(out->text, out->length));
  if (c->hash[0] == '\0' || strcmp(c->hash, out->hash) == 0) return 0;
  return ripstop_fail(err, "%s: the content has the hash %s, not %.64s", out->path, out->hash, c->hash);
}

const char *ripstop_content_spec(ripstop_arena *arena, const char *family, const ripstop_content *c,
                                 const ripstop_loaded *loaded) {
  return ripstop_arena_printf(arena, "%s:%s,hash=%s", family, c->file, loaded->hash);
}

void ripstop_content_beside(ripstop_arena *arena, ripstop_content *c, const char *beside) {
  const char *folder_end = strrchr(beside, '/'), *name = strrchr(c->file, '/');
  c->path = c->file;
  if (c->file[0] != '/' && folder_end != NULL)
    c->path = ripstop_arena_printf(arena, "%.*s/%s", (int)(folder_end - beside), beside, c->file);
  if (name != NULL) c->file = name + 1;
}

ripstop_fabric *ripstop_content_fabric(const ripstop_family *family, const char *name, const char *text, size_t length,
                                       ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_content *c = RIPSTOP_NEW(arena, ripstop_content);
  char *copy = ripstop_arena_array(arena, length + 1, 1);
  if (length > 0) memcpy(copy, text, length);
  *c = (ripstop_content){.file = ripstop_arena_text(arena, name), .hash = "", .text = copy, .length = length};
  ripstop_fabric *fabric = ripstop_fabric_from_config(arena, family, c, err);
  if (fabric == NULL) ripstop_arena_free(arena);
  return fabric;
}
