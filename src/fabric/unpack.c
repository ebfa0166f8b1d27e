/* unpack.c - unpacks texts that gzip packed. It is a file of its own, so that a core without zlib can leave it out
 * (lab/no_files.c). */
#include <stdint.h>
#include <zlib.h>

#include "base/packers.h"
#include "fabric/content.h"

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
  if (!is_packed(*text, *length)) return ripstop_check_unpacked(name, *text, *length, err);
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
