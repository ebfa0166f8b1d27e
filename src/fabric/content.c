/* content.c - loads the files of families: finds the path, unpacks gzip, and checks the hash of the content. */
#include "fabric/content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#undef malloc /* functions of the header call them, but none of these is used here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fabric/builder.h"
#include "formats/traces/trace_format.h"

static bool ends_in(const char *path, const char *end) {
  const size_t length = strlen(path), own = strlen(end);
  return length > own && !strcmp(path + length - own, end);
}

int ripstop_content_load(ripstop_arena *arena, const ripstop_content *c, ripstop_loaded *out, ripstop_error *err) {
  char *read = NULL;
  *out = (ripstop_loaded){.path = c->path != NULL ? c->path : c->file, .text = c->text, .length = c->length};
  if (c->text == NULL) {
    if (ripstop_read_file(arena, out->path, RIPSTOP_CONTENT_LIMIT, &read, &out->length, err) != 0) return -1;
    out->text = read;
  }
  if ((ends_in(out->path, ".yaml") || (ends_in(out->path, ".yml") && !ends_in(out->path, ".clab.yml"))) &&
      !trace_format_of(out->text, out->length)) /* its lines would be cables of two words */
    return ripstop_fail(err, "%s: an experiment by its name, not a fabric; 'ripstop run %s' does its runs", out->path,
                        out->path);
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
