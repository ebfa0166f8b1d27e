/* opensm_roots.c - see opensm_roots.h. */
#include "methods/shared/opensm_roots.h"

#include <stdlib.h>
#include <string.h>

#include "methods/shared/lookup.h"
#include "tables/infiniband/lfts.h"

int ripstop_opensm_roots_name(ripstop_arena *arena, const char *beside, void *named_, void *opened_,
                              ripstop_error *err) {
  ripstop_opensm_roots *named = named_, *opened = opened_;
  if (ripstop_lookup_name(arena, beside, &named->file, &opened->file, 1, &named->hash, err)) return -1;
  opened->hash = named->hash;
  return 0;
}

/* OpenSM takes what follows for the switch's name: a second number there would be lost. -1: it is none, or two. */
static int read_line(const char *line, const ripstop_address_book *book, uint32_t *node) {
  char *end;
  *node = RIPSTOP_NONE;
  line += strspn(line, " \t\r");
  if (*line == '#' || *line == '\n' || *line == '\0') return 0;
  unsigned long long guid = strtoull(line, &end, 0);
  if (end == line || *line == '-' || *line == '+' || !strchr(" \t\r\n#", *end)) return -1;
  end += strspn(end, " \t");
  if (*end >= '0' && *end <= '9') return -1;
  *node = book->switch_of(book->owner, guid);
  return 0;
}

static int read_roots(const char *text, const ripstop_address_book *book, uint32_t *node, ripstop_opensm_roots *roots,
                      ripstop_error *err) {
  unsigned number = 1;
  for (const char *line = text; line; number++) {
    const char *next = strchr(line, '\n');
    if (read_line(line, book, &node[roots->count])) {
      const size_t length = strcspn(line, "\r\n");
      return ripstop_fail(err, "%s:%u: '%.*s' is no GUID", roots->file, number, length < 40 ? (int)length : 40, line);
    }
    roots->count += node[roots->count] != RIPSTOP_NONE;
    line = next ? next + 1 : NULL;
  }
  return 0;
}

static size_t count_lines(const char *text) {
  size_t lines = 1;
  for (const char *c = text; (c = strchr(c, '\n')); c++) lines++;
  return lines;
}

ripstop_answer ripstop_opensm_roots_load(ripstop_arena *arena, const ripstop_fabric *fabric, void *config,
                                         ripstop_error *err) {
  enum { LIMIT = 1 << 24 };
  ripstop_opensm_roots *roots = config;
  ripstop_address_book book;
  char *text;
  size_t length;
  if (!roots->file[0]) return RIPSTOP_APPLIES;
  if (ripstop_read_file(arena, roots->file, LIMIT, &text, &length, err)) return RIPSTOP_ERROR;
  ripstop_address_book_of(fabric, &book);
  uint32_t *node = RIPSTOP_ARRAY(arena, count_lines(text), uint32_t);
  if (read_roots(text, &book, node, roots, err)) return RIPSTOP_ERROR;
  roots->node = node;
  if (roots->count > 0) return RIPSTOP_APPLIES;
  ripstop_fail(err, "%s: none of its GUIDs is that of a switch of the fabric", roots->file);
  return RIPSTOP_ERROR;
}
