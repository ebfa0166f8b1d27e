/* content.h - fabrics that come from a file: its path, its content, and the hash that identifies the content.
 *
 * A family that reads a file has this struct as its whole config. A spec carries the hash of the content, so results
 * never mix two versions of a file. A file with another hash than its spec is refused. A file that gzip packed counts
 * as the unpacked one. */
#ifndef RIPSTOP_FABRIC_CONTENT_H
#define RIPSTOP_FABRIC_CONTENT_H

#include "ripstop/plugin/family.h"

enum { RIPSTOP_CONTENT_LIMIT = 64 << 20 }; /* bytes, unpacked */

typedef struct ripstop_content {
  const char *file;
  const char *hash; /* empty: any content will do */
  const char *path; /* not an option: where the file lies, when that is not its name in the spec; else NULL */
  const char *text; /* not an option: the content, when it does not come from the file */
  size_t length;
} ripstop_content;

/* Its options, for a list of them. */
#define RIPSTOP_CONTENT_OPTIONS(what_it_is)                                                                 \
  {.name = "file",                                                                                          \
   .type = RIPSTOP_OPTION_TEXT,                                                                             \
   .offset = offsetof(ripstop_content, file),                                                               \
   .positional = true,                                                                                      \
   .help = (what_it_is)},                                                                                   \
  {                                                                                                         \
    .name = "hash", .type = RIPSTOP_OPTION_TEXT, .offset = offsetof(ripstop_content, hash), .fallback = "", \
    .help = "hash of the content (XXH3, 16 hexadecimal digits); empty: any content"                         \
  }

/* A loaded text; it belongs to the arena, or to the caller that passed `text`. */
typedef struct ripstop_loaded {
  const char *path; /* for messages */
  const char *text;
  size_t length;
  char hash[17]; /* XXH3 of the text, hexadecimal */
} ripstop_loaded;

int ripstop_content_load(ripstop_arena *arena, const ripstop_content *content, ripstop_loaded *out, ripstop_error *err);
/* "FAMILY:FILE,hash=HASH" */
const char *ripstop_content_spec(ripstop_arena *arena, const char *family, const ripstop_content *content,
                                 const ripstop_loaded *loaded);
/* A relative path starts at the folder of the file `beside`, and the spec has the file's name without its folders. */
void ripstop_content_beside(ripstop_arena *arena, ripstop_content *content, const char *beside);
/* The kit uses it. */
RIPSTOP_BEGIN

/* Unpacks a text that gzip packed; any other stays as it is. `name` is for messages. */
int ripstop_content_unpack(ripstop_arena *arena, const char *name, const char **text, size_t *length,
                           ripstop_error *err);

RIPSTOP_END

/* A fabric of a text that is in memory already; `name` stands for the file. NULL on error. */
ripstop_fabric *ripstop_content_fabric(const ripstop_family *family, const char *name, const char *text, size_t length,
                                       ripstop_error *err);

#endif
