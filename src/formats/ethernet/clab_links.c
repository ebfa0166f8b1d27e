/* clab_links.c - walks the events of libyaml and keeps the path of keys to where it is. Everything but nodes and links
 * is passed over, at any depth. Endpoints that are no nodes, as `host` and `mgmt-net`, make no cable. */
#include "formats/ethernet/clab_links.h"

#include <yaml.h>

#include "base/memory.h"

enum { DEPTH = 6 }; /* topology, links, the list, one link, endpoints, one endpoint */

/* A map or a list that is open. */
typedef struct layer {
  bool map, has_key;
  char key[CABLING_NAME_MOST + 1]; /* a map's present one; empty: too long to be of interest */
} layer;

typedef struct endpoint {
  char node[CABLING_NAME_MOST + 1], interface[CABLING_NAME_MOST + 1];
} endpoint;

typedef struct reader {
  cabling *c;
  const char *name;
  yaml_parser_t parser;
  yaml_event_t event;
  layer layer[DEPTH];
  uint32_t depth;
  endpoint end[2]; /* the link at hand */
  uint32_t ends;
  ripstop_error *err;
  int status;
} reader;

bool clab_links_is(piece text) {
  bool topology = false, content = false;
  for (piece line; piece_next_line(&text, &line);) {
    topology |= piece_begins(line, "topology:");
    line = piece_trimmed(line);
    content |= piece_begins(line, "links:") || piece_begins(line, "nodes:");
  }
  return topology && content;
}

static uint32_t line_of(const reader *r) { return (uint32_t)r->event.start_mark.line + 1; }

/* True if the open maps have these keys, and lists stand where the key is "". */
static bool is_at(const reader *r, const char *const *path, uint32_t depth) {
  if (r->depth != depth) return false;
  for (uint32_t i = 0; i < depth; i++)
    if (r->layer[i].map != (*path[i] != '\0') || (r->layer[i].map && strcmp(r->layer[i].key, path[i]) != 0))
      return false;
  return true;
}

static const char *const link_path[] = {"topology", "links", ""};
static const char *const ends_path[] = {"topology", "links", "", "endpoints", ""};
static const char *const node_path[] = {"topology", "links", "", "endpoints", "", "node"};
static const char *const interface_path[] = {"topology", "links", "", "endpoints", "", "interface"};

/* ------------------------------------------------------------------ content */

static void copy(char *out, piece text) {
  if (!piece_copy(text, out, CABLING_NAME_MOST + 1)) *out = '\0';
}

static bool is_one_of(const char *name, const char *const *list) {
  for (unsigned i = 0; list[i]; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

static bool is_special(const char *node) {
  static const char *const special[] = {"host", "mgmt-net", "macvlan", "dummy", NULL};
  return is_one_of(node, special);
}

static int end_link(reader *r) {
  uint32_t port[2];
  if (r->ends != 2)
    return r->ends ? ripstop_fail(r->err, "%s:%u: a link has two endpoints, not %u", r->name, line_of(r), r->ends) : 0;
  if (is_special(r->end[0].node) || is_special(r->end[1].node)) return 0;
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t node = cabling_add_node(r->c, piece_of(r->end[i].node));
    port[i] = cabling_add_port(r->c, node, piece_of(r->end[i].interface));
    if (port[i] == RIPSTOP_NONE)
      return ripstop_fail(r->err, "%s:%u: an endpoint is \"NODE:INTERFACE\", with names of 1 to %u bytes", r->name,
                          line_of(r), CABLING_NAME_MOST);
  }
  return cabling_join(r->c, port[0], port[1], true, r->err) ? ripstop_fail_at(r->err, "%s:%u", r->name, line_of(r)) : 0;
}

/* The endpoint at hand; those beyond the second are counted, and the link is refused. */
static endpoint *at_hand(reader *r) { return &r->end[r->ends == 0 ? 0 : r->ends > 1 ? 1 : r->ends - 1]; }

static endpoint *next_endpoint(reader *r) {
  r->ends++;
  endpoint *e = at_hand(r);
  memset(e, 0, sizeof *e);
  return e;
}

static void take_value(reader *r, piece value) {
  if (is_at(r, ends_path, 5)) {
    endpoint *e = next_endpoint(r);
    const char *colon = memchr(value.at, ':', piece_length(value));
    copy(e->node, (piece){value.at, colon ? colon : value.end});
    if (colon) copy(e->interface, (piece){colon + 1, value.end});
  } else if (is_at(r, node_path, DEPTH)) {
    copy(at_hand(r)->node, value);
  } else if (is_at(r, interface_path, DEPTH)) {
    copy(at_hand(r)->interface, value);
  }
}

/* True in what a cable is read from: the links, one of them, its endpoints, or a map that is merged into these. */
static bool in_cables(const reader *r) {
  static const char *const links[] = {"links", "<<", NULL}, *const ends[] = {"endpoints", "<<", NULL};
  const layer *l = r->layer;
  if (r->depth == 0 || !l[0].map || !l[0].has_key || strcmp(l[0].key, "topology") != 0) return false;
  if (r->depth == 1) return true;
  if (!l[1].map || !l[1].has_key || !is_one_of(l[1].key, links)) return false;
  return r->depth < 4 || !l[3].map || (l[3].has_key && is_one_of(l[3].key, ends));
}

static int refuse_link(const reader *r, const char *what) {
  return ripstop_fail(r->err, "%s:%u: %s", r->name, line_of(r), what);
}

/* ------------------------------------------------------------------ events */

static void open_layer(reader *r, bool map) {
  if (map && is_at(r, ends_path, 5)) (void)next_endpoint(r);
  if (map && is_at(r, link_path, 3)) r->ends = 0;
  if (r->depth < DEPTH) r->layer[r->depth] = (layer){.map = map};
  r->depth++;
}

/* The value of a key is complete. */
static void close_value(reader *r) {
  if (r->depth > 0 && r->depth <= DEPTH) r->layer[r->depth - 1].has_key = false;
}

static int close_layer(reader *r) {
  r->depth--;
  const bool link = is_at(r, link_path, 3);
  close_value(r);
  if (!link) return 0;
  const int status = end_link(r);
  r->ends = 0;
  return status;
}

static void take_scalar(reader *r, piece text) {
  layer *l = r->depth > 0 && r->depth <= DEPTH ? &r->layer[r->depth - 1] : NULL;
  if (!l) return;
  if (l->map && !l->has_key) {
    copy(l->key, text);
    l->has_key = true;
    static const char *const nodes[] = {"topology", "nodes"};
    layer *above = r->depth == 3 ? &r->layer[1] : NULL;
    if (above && above->map && strcmp(above->key, nodes[1]) == 0 && strcmp(r->layer[0].key, nodes[0]) == 0)
      (void)cabling_add_node(r->c, piece_of(l->key));
    return;
  }
  take_value(r, text);
  l->has_key = false;
}

static int take_event(reader *r) {
  static const char no_map[] = "a link is a map with the key 'endpoints'";
  const yaml_event_t *e = &r->event;
  switch (e->type) {
  case YAML_SCALAR_EVENT:
    if (is_at(r, link_path, 3)) return refuse_link(r, no_map);
    take_scalar(
        r, (piece){(const char *)e->data.scalar.value, (const char *)e->data.scalar.value + e->data.scalar.length});
    return 0;
  case YAML_ALIAS_EVENT:
    if (in_cables(r)) return refuse_link(r, "an alias among the links is not followed: write what it stands for");
    take_scalar(r, piece_of(""));
    return 0;
  case YAML_MAPPING_START_EVENT:
    open_layer(r, true);
    return 0;
  case YAML_SEQUENCE_START_EVENT:
    if (is_at(r, link_path, 3)) return refuse_link(r, no_map);
    open_layer(r, false);
    return 0;
  case YAML_MAPPING_END_EVENT:
  case YAML_SEQUENCE_END_EVENT:
    return close_layer(r);
  default:
    return 0;
  }
}

static void read_events(void *argument) {
  reader *r = argument;
  for (bool end = false; !end && !r->status;) {
    if (!yaml_parser_parse(&r->parser, &r->event)) {
      if (r->parser.error == YAML_MEMORY_ERROR) ripstop_out_of_memory();
      r->status =
          ripstop_fail(r->err, "%s:%u: this is not YAML: %s", r->name, (uint32_t)r->parser.problem_mark.line + 1,
                       r->parser.problem ? r->parser.problem : "unreadable");
      return;
    }
    end = r->event.type == YAML_STREAM_END_EVENT;
    r->status = take_event(r);
    yaml_event_delete(&r->event);
  }
}

/* libyaml's memory is not the guard's, so it is freed here also when memory runs out. */
int clab_links_read(cabling *c, const char *name, piece text, ripstop_error *err) {
  reader r = {.c = c, .name = name, .err = err};
  if (!yaml_parser_initialize(&r.parser)) ripstop_out_of_memory();
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.at, piece_length(text));
  c->planned = true;
  const bool no_memory = ripstop_try(read_events, &r, NULL) != 0;
  yaml_event_delete(&r.event);
  yaml_parser_delete(&r.parser);
  if (no_memory) ripstop_out_of_memory();
  return r.status;
}
