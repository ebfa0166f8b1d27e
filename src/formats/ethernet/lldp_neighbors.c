/* lldp_neighbors.c - both JSON forms of lldpcli.
 *
 * The form json has an object for one neighbour, a list for several and nothing for none; a value is a text. The form
 * json0 always has lists, and a value is the "value" of an object in one. Neighbours without a name are called by the
 * id of their chassis; a port is called by its id where that is a name, else by its description. */
#include "formats/ethernet/lldp_neighbors.h"

bool lldp_neighbors_is(const jt_doc *doc) { return jt_member(doc, 0, "lldp") != RIPSTOP_NONE; }

/* The first item of a list; any other value itself. */
static uint32_t first_of(const jt_doc *doc, uint32_t value) {
  jt_walk w = jt_walk_of(doc, value);
  if (value == RIPSTOP_NONE || jt_kind_of(doc, value) != JT_ARRAY) return value;
  return jt_next(&w) ? w.value : RIPSTOP_NONE;
}

/* The member's text; empty: there is none. */
static piece text_of(const jt_doc *doc, uint32_t object, const char *key) {
  uint32_t value = first_of(doc, jt_member(doc, object, key));
  if (jt_kind_of(doc, value) == JT_OBJECT) value = jt_member(doc, value, "value");
  if (jt_kind_of(doc, value) != JT_TEXT) return (piece){doc->text, doc->text};
  return jt_piece(doc, value);
}

static piece chassis_name(const jt_doc *doc, uint32_t neighbor) {
  const uint32_t chassis = first_of(doc, jt_member(doc, neighbor, "chassis"));
  const piece name = text_of(doc, chassis, "name"), id = text_of(doc, chassis, "id");
  if (name.at < name.end) return name;
  if (id.at < id.end) return id;
  jt_walk w = jt_walk_of(doc, chassis);
  return jt_next(&w) && w.keys ? w.key : (piece){doc->text, doc->text};
}

static piece port_name(const jt_doc *doc, uint32_t neighbor) {
  const uint32_t port = first_of(doc, jt_member(doc, neighbor, "port"));
  const piece id = text_of(doc, port, "id"), description = text_of(doc, port, "descr");
  const piece type = text_of(doc, first_of(doc, jt_member(doc, port, "id")), "type");
  if (piece_is(type, "ifname") || piece_is(type, "local") || description.at == description.end) return id;
  return description;
}

typedef struct reading {
  cabling *c;
  const jt_doc *doc;
  uint32_t node;
  ripstop_arena *scratch;
} reading;

static piece plain(const reading *r, piece text) { return piece_of(jt_string_of(r->doc, r->scratch, text)); }

static int add(reading *r, piece interface, uint32_t neighbor, ripstop_error *err) {
  const jt_doc *doc = r->doc;
  const piece local = plain(r, interface);
  const uint32_t there = cabling_add_node(r->c, plain(r, chassis_name(doc, neighbor)));
  const uint32_t a = cabling_add_port(r->c, r->node, local);
  const uint32_t b = cabling_add_port(r->c, there, plain(r, port_name(doc, neighbor)));
  if (a == RIPSTOP_NONE || b == RIPSTOP_NONE)
    return ripstop_fail(
        err, "%s:%u: interface '%.40s' has a neighbour without a %s, or with a name of more than %u bytes", doc->name,
        jt_line(doc, neighbor), local.at, there == RIPSTOP_NONE ? "chassis" : "port", CABLING_NAME_MOST);
  return cabling_join(r->c, a, b, false, err) ? ripstop_fail_at(err, "%s:%u", doc->name, jt_line(doc, neighbor)) : 0;
}

/* Members of an object, each an interface by its key. */
static int read_keyed(reading *r, uint32_t object, ripstop_error *err) {
  for (jt_walk w = jt_walk_of(r->doc, object); jt_next(&w);)
    if (add(r, w.key, w.value, err)) return -1;
  return 0;
}

static int read_interfaces(reading *r, uint32_t value, ripstop_error *err) {
  if (jt_kind_of(r->doc, value) == JT_OBJECT) return read_keyed(r, value, err);
  for (jt_walk w = jt_walk_of(r->doc, value); jt_next(&w);) {
    const piece name = text_of(r->doc, w.value, "name");
    if (name.at < name.end ? add(r, name, w.value, err) : read_keyed(r, w.value, err)) return -1;
  }
  return 0;
}

int lldp_neighbors_read(cabling *c, const jt_doc *doc, const char *switch_name, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  reading r = {c, doc, cabling_add_node(c, piece_of(switch_name)), scratch};
  const uint32_t root = jt_member(doc, 0, "lldp");
  int status = 0;
  if (r.node == RIPSTOP_NONE)
    status = ripstop_fail(err, "%s: its name is the name of a switch, of 1 to %u bytes", doc->name, CABLING_NAME_MOST);
  else
    c->node[r.node].own = true;
  if (jt_kind_of(doc, root) == JT_OBJECT && !status)
    status = read_interfaces(&r, jt_member(doc, root, "interface"), err);
  else
    for (jt_walk w = jt_walk_of(doc, root); !status && jt_next(&w);)
      status = read_interfaces(&r, jt_member(doc, w.value, "interface"), err);
  ripstop_arena_free(scratch);
  return status;
}
