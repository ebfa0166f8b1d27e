/* files.c - records of files. An entry is the two lengths, the path, the content. */
#include "base/files.h"

#include <string.h>

typedef struct entry {
  size_t path, content; /* bytes */
} entry;

static ripstop_text *made;        /* NULL: none is being recorded */
static const ripstop_text *given; /* NULL: none was */

void ripstop_files_record(ripstop_text *record) { made = record; }

void ripstop_files_use(const ripstop_text *record) { given = record; }

const ripstop_text *ripstop_files_used(void) { return given; }

const char *ripstop_files_find(const ripstop_text *record, const char *path, size_t *length) {
  entry e;
  size_t wanted = strlen(path);
  for (size_t at = 0; at < record->length; at += sizeof e + e.path + e.content) {
    memcpy(&e, record->data + at, sizeof e);
    const char *found = record->data + at + sizeof e;
    if (e.path != wanted || memcmp(found, path, wanted) != 0) continue;
    *length = e.content;
    return found + e.path;
  }
  return NULL;
}

void ripstop_files_note(const char *path, const char *data, size_t length) {
  entry e = {.path = strlen(path), .content = length};
  if (!made || ripstop_files_find(made, path, &length)) return;
  ripstop_text_add_bytes(made, (const char *)&e, sizeof e);
  ripstop_text_add_bytes(made, path, e.path);
  ripstop_text_add_bytes(made, data, e.content);
}
