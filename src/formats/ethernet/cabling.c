/* cabling.c - nodes, ports and cables by names. Ports are found by the number of their node and their name. */
#include "formats/ethernet/cabling.h"

#include "base/growing.h"
#include "base/local.h"

void cabling_open(cabling *c, ripstop_arena *arena) {
  *c = (cabling){.arena = arena, .by_name = {.arena = arena}, .by_port = {.arena = arena}};
  ripstop_text_begin(&c->loops);
}

void cabling_close(cabling *c) { ripstop_text_free(&c->loops); }

static bool same_node(const void *owner, uint32_t entry, const char *text, size_t length) {
  return piece_is((piece){text, text + length}, ((const cabling *)owner)->node[entry].name);
}

static bool is_name(piece name) {
  return name.at < name.end && piece_length(name) <= CABLING_NAME_MOST && !memchr(name.at, '\0', piece_length(name));
}

/* The name as it is kept, without control characters, in `out`. */
static piece cleaned(piece name, char out[CABLING_NAME_MOST + 1]) {
  memcpy(out, name.at, piece_length(name));
  out[piece_length(name)] = '\0';
  ripstop_clean(out);
  return piece_of(out);
}

static const char *keep(cabling *c, piece name) {
  return memcpy(RIPSTOP_ARRAY(c->arena, piece_length(name) + 1, char), name.at, piece_length(name));
}

uint32_t cabling_find_node(const cabling *c, piece name) {
  char clean[CABLING_NAME_MOST + 1];
  if (!is_name(name)) return RIPSTOP_NONE;
  name = cleaned(name, clean);
  return ripstop_text_table_find(&c->by_name, name.at, piece_length(name), same_node, c);
}

uint32_t cabling_add_node(cabling *c, piece name) {
  char clean[CABLING_NAME_MOST + 1];
  const uint32_t found = cabling_find_node(c, name);
  if (found != RIPSTOP_NONE || !is_name(name)) return found;
  name = cleaned(name, clean);
  RIPSTOP_GROW_IN(c->arena, c->node, c->nodes, c->node_room);
  c->node[c->nodes] = (cabling_node){.name = keep(c, name)};
  ripstop_text_table_add(&c->by_name, name.at, piece_length(name), c->nodes);
  return c->nodes++;
}

/* The key of a port: four bytes of its node, then its name. */
typedef struct port_key {
  char text[sizeof(uint32_t) + CABLING_NAME_MOST + 1];
  size_t length;
} port_key;

static port_key key_of(uint32_t node, piece name) {
  port_key key;
  memcpy(key.text, &node, sizeof node);
  key.length = sizeof node + piece_length(cleaned(name, key.text + sizeof node));
  return key;
}

static bool same_port(const void *owner, uint32_t entry, const char *text, size_t length) {
  const cabling_port *p = &((const cabling *)owner)->port[entry];
  return memcmp(&p->node, text, sizeof p->node) == 0 &&
         piece_is((piece){text + sizeof p->node, text + length}, p->name);
}

uint32_t cabling_find_port(const cabling *c, uint32_t node, piece name) {
  if (!is_name(name)) return RIPSTOP_NONE;
  const port_key key = key_of(node, name);
  return ripstop_text_table_find(&c->by_port, key.text, key.length, same_port, c);
}

uint32_t cabling_add_port(cabling *c, uint32_t node, piece name) {
  if (node == RIPSTOP_NONE || !is_name(name)) return RIPSTOP_NONE;
  const uint32_t found = cabling_find_port(c, node, name);
  if (found != RIPSTOP_NONE) return found;
  const port_key key = key_of(node, name);
  const piece clean = {key.text + sizeof node, key.text + key.length};
  RIPSTOP_GROW_IN(c->arena, c->port, c->ports, c->port_room);
  c->port[c->ports] = (cabling_port){.node = node, .name = keep(c, clean), .peer = RIPSTOP_NONE};
  ripstop_text_table_add(&c->by_port, key.text, key.length, c->ports);
  return c->ports++;
}

void cabling_port_name(const cabling *c, uint32_t port, ripstop_text *out) {
  ripstop_text_add(out, "%s[%s]", c->node[c->port[port].node].name, c->port[port].name);
}

static int refuse(const cabling *c, uint32_t a, uint32_t b, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_begin(&text);
  const uint32_t twice = c->port[a].peer != RIPSTOP_NONE && c->port[a].peer != b ? a : b;
  cabling_port_name(c, twice, &text);
  ripstop_text_add(&text, " is in two cables, to ");
  cabling_port_name(c, c->port[twice].peer, &text);
  ripstop_text_add(&text, " and to ");
  cabling_port_name(c, twice == a ? b : a, &text);
  return ripstop_fail(err, "%s: two nodes have one name, or there is a hub between them", text.data);
}

static void note_loop(cabling *c, uint32_t a, uint32_t b) {
  c->self_loops++;
  cabling_port_name(c, a, &c->loops);
  ripstop_text_add(&c->loops, "-");
  cabling_port_name(c, b, &c->loops);
  ripstop_text_add(&c->loops, "\n");
}

int cabling_join(cabling *c, uint32_t a, uint32_t b, bool both, ripstop_error *err) {
  cabling_port *x = &c->port[a], *y = &c->port[b];
  if (x->node == y->node) return note_loop(c, a, b), 0;
  const bool fresh = x->peer == RIPSTOP_NONE && y->peer == RIPSTOP_NONE;
  if (!fresh && x->peer != b) return refuse(c, a, b, err);
  x->peer = b;
  y->peer = a;
  x->claimed = true;
  y->claimed |= both;
  c->cables += fresh;
  c->node[x->node].cables += fresh;
  c->node[y->node].cables += fresh;
  return 0;
}

const char *cabling_cable_name(const cabling *c, uint32_t port, ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(one);
  RIPSTOP_LOCAL_TEXT(other);
  ripstop_text_begin(&one);
  ripstop_text_begin(&other);
  cabling_port_name(c, port, &one);
  cabling_port_name(c, c->port[port].peer, &other);
  const bool first = strcmp(one.data, other.data) < 0;
  return ripstop_arena_printf(arena, "%s-%s", first ? one.data : other.data, first ? other.data : one.data);
}
