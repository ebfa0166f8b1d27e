/* yaml.c - from libyaml's events to a tree of nodes with lines.
 *
 * Invariant: the depth of the recursion, the number of nodes and the bytes are bounded before anything is built. */
#include "experiment/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/growing.h"
#include "base/memory.h"

typedef struct reader {
  ripstop_arena *arena;
  const char *name, *bytes;
  size_t length;
  yaml_parser_t parser;
  yaml_event_t event[YAML_DEPTH_MAX + 1]; /* the one at hand at each depth; empty ones are zero */
  size_t nodes;
  ripstop_error *err;
} reader;

static int line_of(const yaml_mark_t *mark) { return (int)mark->line + 1; }

/* For bytes that are no characters libyaml reports only the offset. */
static int problem_line(const reader *r) {
  if (r->parser.error != YAML_READER_ERROR) return line_of(&r->parser.problem_mark);
  int line = 1;
  for (size_t i = 0; i < r->parser.problem_offset && i < r->length; i++) line += r->bytes[i] == '\n';
  return line;
}

static int next_event(reader *r, yaml_event_t *event) {
  if (yaml_parser_parse(&r->parser, event)) return 0;
  if (r->parser.error == YAML_MEMORY_ERROR) ripstop_out_of_memory();
  return ripstop_fail(r->err, "%s:%d: this is not YAML: %s", r->name, problem_line(r),
                      r->parser.problem ? r->parser.problem : "unreadable");
}

/* References, which could multiply a small file, and types are refused: experiments do not need them. */
static int refuse_extras(const reader *r, const yaml_event_t *event) {
  int line = line_of(&event->start_mark);
  const yaml_char_t *anchor = NULL, *tag = NULL;
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return ripstop_fail(r->err, "%s:%d: aliases (*name) are not used here", r->name, line);
  case YAML_SCALAR_EVENT:
    anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    break;
  case YAML_SEQUENCE_START_EVENT:
    anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    break;
  case YAML_MAPPING_START_EVENT:
    anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    break;
  default:
    break;
  }
  if (anchor) return ripstop_fail(r->err, "%s:%d: anchors (&name) are not used here", r->name, line);
  if (tag) return ripstop_fail(r->err, "%s:%d: tags (!name) are not used here", r->name, line);
  return 0;
}

static int read_node(reader *r, const yaml_event_t *event, int depth, yaml_node *out);

/* Children that are still being counted live on the heap; the finished list moves to the arena. */
typedef struct growing {
  yaml_node *node;
  size_t count, capacity;
} growing;

static yaml_node *grow(growing *list) {
  RIPSTOP_GROW(list->node, list->count, list->capacity);
  return &list->node[list->count++];
}

static const yaml_node *settle(ripstop_arena *arena, growing *list) {
  yaml_node *node = RIPSTOP_ARRAY(arena, list->count + 1, yaml_node);
  if (list->count) memcpy(node, list->node, list->count * sizeof *node);
  ripstop_free(list->node);
  return node;
}

static int read_value(const reader *r, const yaml_event_t *event, yaml_node *out) {
  const char *text = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  if (memchr(text, 0, length)) return ripstop_fail(r->err, "%s:%d: a value contains a zero byte", r->name, out->line);
  out->kind = YAML_VALUE;
  out->text = ripstop_arena_text(r->arena, text);
  return 0;
}

static int check_key(const reader *r, const yaml_node *key, const growing *keys) {
  if (key->kind != YAML_VALUE) return ripstop_fail(r->err, "%s:%d: a key must be one word", r->name, key->line);
  if (keys->count > YAML_KEYS_MAX)
    return ripstop_fail(r->err, "%s:%d: more than %d keys in one place", r->name, key->line, YAML_KEYS_MAX);
  for (size_t i = 0; i + 1 < keys->count; i++)
    if (!strcmp(keys->node[i].text, key->text))
      return ripstop_fail(r->err, "%s:%d: key '%s' stands here for the second time (first in line %d)", r->name,
                          key->line, key->text, keys->node[i].line);
  return 0;
}

/* Items of a list, or keys and values of a map, until the end event. */
static int read_children(reader *r, int depth, yaml_node *out) {
  growing keys = {0}, items = {0};
  bool map = out->kind == YAML_MAP;
  int status = 0;
  yaml_event_t *event = &r->event[depth];
  for (;;) {
    if ((status = next_event(r, event))) break;
    bool end = event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    if (!end) {
      growing *list = map && keys.count == items.count ? &keys : &items;
      status = read_node(r, event, depth + 1, grow(list));
      if (!status && list == &keys) status = check_key(r, &keys.node[keys.count - 1], &keys);
    }
    yaml_event_delete(event);
    if (end || status) break;
  }
  out->count = items.count;
  out->item = settle(r->arena, &items);
  out->key = settle(r->arena, &keys);
  return status;
}

static int read_node(reader *r, const yaml_event_t *event, int depth, yaml_node *out) {
  *out = (yaml_node){.line = line_of(&event->start_mark)};
  if (refuse_extras(r, event)) return -1;
  if (depth > YAML_DEPTH_MAX)
    return ripstop_fail(r->err, "%s:%d: nested deeper than %d levels", r->name, out->line, YAML_DEPTH_MAX);
  if (++r->nodes > YAML_NODES_MAX)
    return ripstop_fail(r->err, "%s:%d: more than %d values", r->name, out->line, YAML_NODES_MAX);
  if (event->type == YAML_SCALAR_EVENT) return read_value(r, event, out);
  out->kind = event->type == YAML_MAPPING_START_EVENT ? YAML_MAP : YAML_LIST;
  return read_children(r, depth, out);
}

/* The node that a document starts with; the events before and after it have no content. */
static int read_document(reader *r, yaml_node *out) {
  yaml_event_t *event = &r->event[0];
  bool seen = false;
  for (;;) {
    if (next_event(r, event)) return -1;
    yaml_event_type_t type = event->type;
    int line = line_of(&event->start_mark), status = 0;
    if (type == YAML_DOCUMENT_START_EVENT && seen)
      status = ripstop_fail(r->err, "%s:%d: a second document starts here; a file is one experiment", r->name, line);
    else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT ||
             type == YAML_ALIAS_EVENT)
      seen = true, status = read_node(r, event, 1, out);
    yaml_event_delete(event);
    if (status) return -1;
    if (type == YAML_STREAM_END_EVENT) break;
  }
  return seen ? 0 : ripstop_fail(r->err, "%s:1: the file is empty", r->name);
}

typedef struct reading {
  reader *reader;
  yaml_node *out;
  int status;
} reading;

static void read_all(void *argument) {
  reading *r = argument;
  r->status = read_document(r->reader, r->out);
}

/* Under the guard of the caller, which knows nothing of what libyaml holds. */
int yaml_read(ripstop_arena *arena, const char *name, const char *bytes, size_t length, yaml_node *out,
              ripstop_error *err) {
  if (length > YAML_BYTES_MAX) return ripstop_fail(err, "%s:1: larger than %d bytes", name, YAML_BYTES_MAX);
  reader r = {.arena = arena, .name = name, .bytes = bytes, .length = length, .err = err};
  if (!yaml_parser_initialize(&r.parser)) ripstop_out_of_memory();
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, length);
  reading all = {.reader = &r, .out = out};
  bool out_of_memory = ripstop_try(read_all, &all, NULL) != 0;
  for (int depth = 0; depth <= YAML_DEPTH_MAX; depth++) yaml_event_delete(&r.event[depth]);
  yaml_parser_delete(&r.parser);
  if (out_of_memory) ripstop_out_of_memory();
  return all.status;
}

const yaml_node *yaml_get(const yaml_node *map, const char *key) {
  if (!map || map->kind != YAML_MAP) return NULL;
  for (size_t i = 0; i < map->count; i++)
    if (!strcmp(map->key[i].text, key)) return &map->item[i];
  return NULL;
}
