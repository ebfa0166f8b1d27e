/* trace_file.c - loads the files of jobs in formats of other programs. */
#include "workload/trace_file.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/piece.h"
#include "fabric/content.h"
#include "formats/traces/trace_format.h"

#define FILE_LIMIT ((size_t)UINT32_MAX) /* bytes: 4 GB less one */

int trace_file_read(ripstop_arena *arena, const char *path, const char *kind, const char **text, size_t *length,
                    ripstop_error *err) {
  char *bytes;
  if (ripstop_read_file(arena, path, FILE_LIMIT, &bytes, length, err)) return -1;
  *text = bytes;
  if (ripstop_content_unpack(arena, path, text, length, err)) return -1;
  return ripstop_trace_refuse_other(*text, *length, kind, err);
}

/* ------------------------------------------------------------------ a file for each rank */

static const char *const endings[] = {".et", ".json", NULL};

/* "t.12.et" of the prefix "t": 12 and the ending's number. */
static bool take_name(const char *name, piece prefix, uint32_t *rank, unsigned *ending) {
  piece rest = piece_of(name);
  if (piece_length(rest) < piece_length(prefix) || memcmp(rest.at, prefix.at, piece_length(prefix)) != 0) return false;
  rest.at += piece_length(prefix);
  if (!piece_take_char(&rest, '.') || !piece_count(&rest, RIPSTOP_FABRIC_MAX_PORTS, rank)) return false;
  for (*ending = 0; endings[*ending]; ++*ending)
    if (piece_is(rest, endings[*ending])) return *rank < RIPSTOP_FABRIC_MAX_PORTS;
  return false;
}

typedef struct found {
  uint32_t files[2], most[2]; /* by ending; most: the highest number + 1 */
} found;

static int list_folder(ripstop_arena *arena, const char *prefix, found *out, ripstop_error *err) {
  const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
  const char *folder = slash ? ripstop_arena_printf(arena, "%.*s", (int)(slash - prefix) + 1, prefix) : ".";
  DIR *dir = opendir(folder);
  if (!dir) return ripstop_fail_system(err, errno, "%s", folder);
  for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    uint32_t rank;
    unsigned ending;
    if (!take_name(entry->d_name, piece_of(name), &rank, &ending)) continue;
    out->files[ending]++;
    if (rank >= out->most[ending]) out->most[ending] = rank + 1;
  }
  closedir(dir);
  return 0;
}

int trace_parts_find(ripstop_arena *arena, const char *prefix, trace_parts *out, ripstop_error *err) {
  found f = {{0}, {0}};
  if (list_folder(arena, prefix, &f, err)) return -1;
  const unsigned ending = f.files[0] == 0;
  if (f.files[ending] == 0)
    return ripstop_fail(err, "there are no files %s.0.et, %s.1.et, ... or %s.0.json, ...", prefix, prefix, prefix);
  *out = (trace_parts){RIPSTOP_ARRAY(arena, f.files[ending], const char *), f.files[ending]};
  if (f.files[1 - ending] > 0) return ripstop_fail(err, "there are both files %s.*.et and %s.*.json", prefix, prefix);
  for (uint32_t i = 0; i < out->count; i++) {
    out->path[i] = ripstop_arena_printf(arena, "%s.%u%s", prefix, i, endings[ending]);
    if (access(out->path[i], F_OK) != 0)
      return ripstop_fail(err, "%s is missing, but there is one of rank %u", out->path[i], f.most[ending] - 1);
  }
  return 0;
}
