/* chakra_json.c - reads Chakra's JSON forms: {"workload_graph": [nodes]} of the feeder, and objects behind each other,
 * the first of which is metadata, of the jsonizer. The jsonizer has names of proto3 in camel case, types as words, and
 * numbers of 64 bits as texts. */
#include "formats/ethernet/json_tokens.h"
#include "formats/traces/chakra_reader.h"

typedef struct source {
  chakra_reader *reader;
  jt_doc doc;
} source;

bool chakra_is_json(piece text) {
  while (text.at < text.end && (piece_blank(*text.at) || *text.at == '\n')) text.at++;
  return text.at < text.end && *text.at == '{';
}

static int at_line(const source *s, uint32_t value) {
  return ripstop_fail_at(s->reader->err, "line %u", jt_line(&s->doc, value));
}

/* A number, also between quotes; true and false are 1 and 0. */
static int take_number(const source *s, uint32_t value, uint64_t *out) {
  piece word = jt_piece(&s->doc, value);
  const piece all = word;
  if (piece_is(word, "true") || piece_is(word, "false")) {
    *out = piece_is(word, "true");
    return 0;
  }
  const bool minus = piece_take_char(&word, '-');
  if (piece_number(&word, 10, out) && word.at == word.end) {
    if (minus) *out = 0 - *out;
    return 0;
  }
  ripstop_fail(s->reader->err, "a whole number must stand here, not '%.*s'",
               piece_length(all) < 40 ? (int)piece_length(all) : 40, all.at);
  return at_line(s, value);
}

/* A list stands once: its numbers are in one piece. */
static int take_list(const source *s, uint32_t value, chakra_list *out) {
  uint64_t number;
  if (out->count > 0) {
    ripstop_fail(s->reader->err, "a node has this list of dependencies twice");
    return at_line(s, value);
  }
  for (jt_walk item = jt_walk_of(&s->doc, value); jt_next(&item);) {
    if (take_number(s, item.value, &number)) return -1;
    chakra_add_number(s->reader, out, number);
  }
  return 0;
}

/* A number or the schema's word. */
static int take_type(const source *s, uint32_t value, uint8_t *out) {
  static const char *const words[CHAKRA_TYPES] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                                  "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  uint64_t number = CHAKRA_TYPES;
  for (unsigned i = 0; i < CHAKRA_TYPES; i++)
    if (piece_is(jt_piece(&s->doc, value), words[i])) number = i;
  if (number == CHAKRA_TYPES && take_number(s, value, &number)) return -1;
  if (number < CHAKRA_TYPES) {
    *out = (uint8_t)number;
    return 0;
  }
  ripstop_fail(s->reader->err, "a node has an unknown type");
  return at_line(s, value);
}

/* ------------------------------------------------------------------ the jsonizer's */

/* {"name": ..., "int64Val": ...} */
static int read_attribute(const source *s, uint32_t object, chakra_node *node) {
  const uint32_t name = jt_member(&s->doc, object, "name");
  if (name == RIPSTOP_NONE) return 0;
  for (jt_walk walk = jt_walk_of(&s->doc, object); jt_next(&walk);) {
    static const char *const whole[] = {"int32Val",    "int64Val",    "uint32Val",  "uint64Val",
                                        "sint32Val",   "sint64Val",   "fixed32Val", "fixed64Val",
                                        "sfixed32Val", "sfixed64Val", "boolVal",    NULL};
    uint64_t number;
    for (unsigned i = 0; whole[i]; i++) {
      if (!piece_is(walk.key, whole[i])) continue;
      if (take_number(s, walk.value, &number)) return -1;
      chakra_set_number(node, jt_piece(&s->doc, name), number);
    }
    if (piece_is(walk.key, "stringVal")) chakra_set_text(node, jt_piece(&s->doc, name), jt_piece(&s->doc, walk.value));
  }
  return 0;
}

/* The values of a node's inputs have quotes behind escapes. */
static void read_inputs(const source *s, uint32_t object) {
  const uint32_t values = jt_member(&s->doc, object, "values");
  if (values == RIPSTOP_NONE) return;
  const char *text = jt_string_of(&s->doc, s->reader->arena, jt_piece(&s->doc, values));
  chakra_add_groups(s->reader, piece_of(text));
}

static int read_member(const source *s, piece key, uint32_t value, chakra_node *node) {
  if (piece_is(key, "id")) return take_number(s, value, &node->id);
  if (piece_is(key, "type")) return take_type(s, value, &node->type);
  if (piece_is(key, "ctrlDeps")) return take_list(s, value, &node->control);
  if (piece_is(key, "dataDeps")) return take_list(s, value, &node->data);
  if (piece_is(key, "durationMicros")) return take_number(s, value, &node->micros);
  if (!piece_is(key, "attr")) return 0;
  for (jt_walk item = jt_walk_of(&s->doc, value); jt_next(&item);)
    if (read_attribute(s, item.value, node)) return -1;
  return 0;
}

static int read_object(const source *s, uint32_t object) {
  chakra_node node = {.group = {"", ""}};
  node.group.end = node.group.at;
  for (jt_walk walk = jt_walk_of(&s->doc, object); jt_next(&walk);)
    if (read_member(s, walk.key, walk.value, &node)) return -1;
  const uint32_t inputs = jt_member(&s->doc, object, "inputs");
  if (node.type == CHAKRA_METADATA && inputs != RIPSTOP_NONE) read_inputs(s, inputs);
  chakra_add_node(s->reader, &node);
  return 0;
}

static int check_metadata(const source *s, uint32_t object) {
  for (jt_walk walk = jt_walk_of(&s->doc, object); jt_next(&walk);) {
    if (piece_is(walk.key, "version") || piece_is(walk.key, "attr")) continue;
    ripstop_fail(s->reader->err, "the first object is no metadata of a trace, with 'version' and 'attr' alone");
    return at_line(s, object);
  }
  return 0;
}

static int read_stream(const source *s) {
  if (check_metadata(s, 0)) return -1;
  for (uint32_t object = jt_after(&s->doc, 0); object < s->doc.count; object = jt_after(&s->doc, object)) {
    if (jt_kind_of(&s->doc, object) != JT_OBJECT) {
      ripstop_fail(s->reader->err, "a node must stand here, an object");
      return at_line(s, object);
    }
    if (read_object(s, object)) return -1;
  }
  return 0;
}

/* ------------------------------------------------------------------ the feeder's */

static int read_graph_member(const source *s, piece key, uint32_t value, chakra_node *node) {
  static const char *const whole[] = {"comm_size", "comm_src",  "comm_dst",    "comm_tag",
                                      "comm_type", "is_cpu_op", "tensor_size", NULL};
  uint64_t number;
  if (piece_is(key, "Id")) return take_number(s, value, &node->id);
  if (piece_is(key, "NodeType")) return take_type(s, value, &node->type);
  if (piece_is(key, "ctrlDeps") || piece_is(key, "ctrl_deps")) return take_list(s, value, &node->control);
  if (piece_is(key, "data_deps") || piece_is(key, "dataDeps")) return take_list(s, value, &node->data);
  if (piece_is(key, "runtime")) return take_number(s, value, &node->micros);
  for (unsigned i = 0; whole[i]; i++) {
    if (!piece_is(key, whole[i])) continue;
    if (take_number(s, value, &number)) return -1;
    chakra_set_number(node, key, number);
  }
  return 0;
}

static int read_graph(const source *s, uint32_t list) {
  for (jt_walk item = jt_walk_of(&s->doc, list); jt_next(&item);) {
    chakra_node node = {.group = {"", ""}};
    node.group.end = node.group.at;
    for (jt_walk walk = jt_walk_of(&s->doc, item.value); jt_next(&walk);)
      if (read_graph_member(s, walk.key, walk.value, &node)) return -1;
    chakra_add_node(s->reader, &node);
  }
  return 0;
}

int chakra_read_json(chakra_reader *r) {
  source s = {.reader = r, .doc = {.name = r->name}};
  if (jt_read(&s.doc, r->arena, r->name, r->text.at, piece_length(r->text), r->err)) return -1;
  const uint32_t graph = s.doc.count ? jt_member(&s.doc, 0, "workload_graph") : RIPSTOP_NONE;
  return graph != RIPSTOP_NONE ? read_graph(&s, graph) : read_stream(&s);
}
