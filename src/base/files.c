/* files.c - records of files. An entry is the two lengths, the path, the content. */
#include "base/files.h"

#include <string.h>

typedef struct entry {
  size_t path, content; /* bytes */
} entry;

const char *ripstop_files_find(const ripstop_files *files, const char *path, size_t *length) {
  entry e;
  const size_t wanted = strlen(path);
  for (size_t at = 0; at < files->content.length; at += sizeof e + e.path + e.content) {
    memcpy(&e, files->content.data + at, sizeof e);
    const char *found = files->content.data + at + sizeof e;
    if (e.path != wanted || memcmp(found, path, wanted) != 0) continue;
    *length = e.content;
    return found + e.path;
  }
  return NULL;
}

void ripstop_files_add(ripstop_files *files, const char *path, const char *data, size_t length) {
  const entry e = {.path = strlen(path), .content = length};
  if (ripstop_files_find(files, path, &length)) return;
  ripstop_text_add_bytes(&files->content, (const char *)&e, sizeof e);
  ripstop_text_add_bytes(&files->content, path, e.path);
  ripstop_text_add_bytes(&files->content, data, e.content);
}
