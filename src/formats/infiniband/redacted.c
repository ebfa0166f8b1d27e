/* redacted.c - decides which listings of one id are one node, and gives each node an id of its own.
 *
 * An id that is no GUID (`H-b8cef60300xxxxxx`) may stand for several nodes. So may a GUID whose last four digits are
 * equal (`H-b8cef60300000000`), one that switches and adapters share, and one that three or more listings with
 * different LIDs or descriptions share. Two listings of such an id are one node if a LID, a GUID or a cable to a node
 * of unique id says so and nothing contradicts it. All others are different nodes: the second gets the id with a number
 * (`H-b8cef60300xxxxxx.2`). Any other id that is a GUID is taken at its word: two nodes of one GUID are a fault of the
 * fabric, and odd. */
#include "formats/infiniband/redacted.h"

#include <string.h>

#include "base/growing.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/oddities.h"

static bool same_id(const void *dump, uint32_t node, const char *text, size_t length) {
  const char *id = ((const ripstop_ib_dump *)dump)->node[node].id;
  return strlen(id) == length && memcmp(id, text, length) == 0;
}

static bool same_mark(const void *splitter, uint32_t entry, const char *text, size_t length) {
  return memcmp(&((const ripstop_ib_splitter *)splitter)->marked[entry].mark, text, length) == 0;
}

typedef struct end {
  uint32_t root, number;
} end;

static bool same_end(const void *splitter, uint32_t port, const char *text, size_t length) {
  const ripstop_ib_splitter *p = splitter;
  const ripstop_ib_port *at = &p->dump->port[port];
  return memcmp(&(end){p->root[at->node], at->number}, text, length) == 0;
}

uint32_t ripstop_ib_find_mark(const ripstop_ib_splitter *p, ripstop_ib_mark mark) {
  return ripstop_text_table_find(&p->marks, (const char *)&mark, sizeof mark, same_mark, p);
}

uint32_t ripstop_ib_find_end(const ripstop_ib_splitter *p, uint32_t root, uint32_t number) {
  const end e = {root, number};
  return ripstop_text_table_find(&p->ends, (const char *)&e, sizeof e, same_end, p);
}

static bool is_guid(const char *id) {
  const char *dash = strchr(id, '-');
  uint64_t guid;
  return dash && strlen(dash + 1) == 16 && ripstop_ib_read_hex(piece_of(dash + 1), &guid) && guid != 0;
}

/* ------------------------------------------------------------------ ids */

/* The ports of listings lie one after the other, since their lines do. */
static uint32_t *find_ports(const ripstop_ib_dump *dump) {
  uint32_t *first = RIPSTOP_ARRAY(dump->arena, dump->nodes + 2, uint32_t);
  for (uint32_t i = 0; i < dump->ports; i++) first[dump->port[i].node + 1] = i + 1;
  for (uint32_t i = 0; i < dump->nodes; i++)
    if (first[i + 1] < first[i]) first[i + 1] = first[i];
  return first;
}

static uint32_t find_id(const ripstop_ib_splitter *p, const char *id) {
  return ripstop_text_table_find(&p->ids, id, strlen(id), same_id, p->dump);
}

/* True if some id has several listings. */
static bool find_ids(ripstop_ib_splitter *p) {
  bool several = false;
  for (uint32_t i = 0; i < p->dump->nodes; i++) {
    const char *id = p->dump->node[i].id;
    uint32_t first = find_id(p, id);
    if (first == RIPSTOP_NONE) ripstop_text_table_add(&p->ids, id, strlen(id), first = i);
    p->id[i] = first;
    several |= ++p->listings[first] > 1;
  }
  for (uint32_t i = 0; several && i < p->dump->ports; i++) p->peer_id[i] = find_id(p, p->dump->port[i].peer_id);
  return several;
}

/* The LID that tells two listings apart: a switch's, or that of an adapter's first port. */
static uint32_t lid_of(const ripstop_ib_dump *dump, const uint32_t *first, uint32_t node) {
  if (dump->node[node].kind == RIPSTOP_IB_SWITCH) return dump->node[node].lid;
  return first[node] < first[node + 1] ? dump->port[first[node]].lid : RIPSTOP_NONE;
}

/* For ids that are GUIDs: the number of listings that differ from the first and from the one before. Two or more: it is
 * no GUID.
 */
static uint32_t *count_different(const ripstop_ib_splitter *p, const uint32_t *first) {
  const ripstop_ib_dump *dump = p->dump;
  uint32_t *last = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  uint32_t *count = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const uint32_t id = p->id[i], others[] = {id, i == id ? id : last[id]};
    bool differs = i != id;
    for (unsigned k = 0; k < 2 && i != id; k++)
      differs &= lid_of(dump, first, i) != lid_of(dump, first, others[k]) ||
                 strcmp(dump->node[i].text, dump->node[others[k]].text) != 0;
    count[id] += differs;
    last[id] = i;
  }
  return count;
}

/* [nodes]: of a first listing: whether its id may stand for several nodes. */
static bool *find_redacted(const ripstop_ib_splitter *p, const uint32_t *first) {
  const ripstop_ib_dump *dump = p->dump;
  const uint32_t *different = count_different(p, first);
  bool *redacted = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, bool);
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const uint32_t id = p->id[i];
    if (i == id)
      redacted[id] =
          !is_guid(dump->node[id].id) || ripstop_ib_ends_alike(piece_of(dump->node[id].id)) || different[id] > 1;
    redacted[id] |= dump->node[i].kind != dump->node[id].kind;
  }
  return redacted;
}

/* ------------------------------------------------------------------ listings of one node */

enum { MARKS = 4 }; /* a port's, at most; one place is for the node's own */

/* Facts that a listing states about the node itself. */
static uint32_t marks_of_node(const ripstop_ib_splitter *p, uint32_t node, ripstop_ib_mark *out) {
  const ripstop_ib_node *n = &p->dump->node[node];
  uint32_t count = 0;
  if (n->kind == RIPSTOP_IB_SWITCH && ripstop_ib_is_lid(n->lid))
    out[count++] = (ripstop_ib_mark){n->lid, p->id[node], 0, RIPSTOP_IB_BY_LID};
  if (n->kind != RIPSTOP_IB_SWITCH && n->guid != 0 && !is_guid(n->id)) /* a switch's may be that of its chassis */
    out[count++] = (ripstop_ib_mark){n->guid, p->id[node], 0, RIPSTOP_IB_BY_GUID};
  return count;
}

/* Facts that a port states about its node: a cable identifies it only if its other end has an id of its own. */
static uint32_t marks_of_port(const ripstop_ib_splitter *p, uint32_t port, ripstop_ib_mark *out) {
  const ripstop_ib_port *at = &p->dump->port[port];
  const uint32_t id = p->id[at->node], peer = p->peer_id[port];
  uint32_t count = 0;
  if (ripstop_ib_is_lid(at->lid)) out[count++] = (ripstop_ib_mark){at->lid, id, at->number, RIPSTOP_IB_BY_LID};
  if (at->guid != 0) out[count++] = (ripstop_ib_mark){at->guid, id, at->number, RIPSTOP_IB_BY_GUID};
  if (peer != RIPSTOP_NONE && p->listings[peer] == 1)
    out[count++] = (ripstop_ib_mark){(uint64_t)peer << 32 | at->peer_number, id, at->number, RIPSTOP_IB_BY_PEER};
  return count;
}

static bool lids_differ(uint32_t a, uint32_t b) { return ripstop_ib_is_lid(a) && ripstop_ib_is_lid(b) && a != b; }

static bool ports_differ(const ripstop_ib_port *a, const ripstop_ib_port *b) {
  return a->peer_number != b->peer_number || strcmp(a->peer_id, b->peer_id) != 0 || lids_differ(a->lid, b->lid) ||
         lids_differ(a->peer_lid, b->peer_lid) || (a->guid && b->guid && a->guid != b->guid);
}

/* True if a listing can be one more of the node. */
static bool agrees(const ripstop_ib_splitter *p, const uint32_t *first, uint32_t root, uint32_t node) {
  const ripstop_ib_node *a = &p->dump->node[root], *b = &p->dump->node[node];
  const bool guids = a->kind != RIPSTOP_IB_SWITCH && a->guid && b->guid && a->guid != b->guid;
  if (a->kind != b->kind || lids_differ(a->lid, b->lid) || guids) return false;
  for (uint32_t i = first[node]; i < first[node + 1]; i++) {
    const uint32_t same = ripstop_ib_find_end(p, root, p->dump->port[i].number);
    if (same != RIPSTOP_NONE && ports_differ(&p->dump->port[same], &p->dump->port[i])) return false;
  }
  return true;
}

static void add_mark(ripstop_ib_splitter *p, ripstop_ib_mark mark, uint32_t root) {
  const uint32_t at = ripstop_ib_find_mark(p, mark);
  if (at != RIPSTOP_NONE) {
    p->marked[at].ambiguous |= p->marked[at].node != root;
    return;
  }
  RIPSTOP_GROW_IN(p->dump->arena, p->marked, p->marks.used, p->marked_room);
  const uint32_t entry = p->marks.used;
  p->marked[entry] = (ripstop_ib_marked){mark, root, false};
  ripstop_text_table_add(&p->marks, (const char *)&mark, sizeof mark, entry);
}

/* The node that the first known mark of a listing leads to. */
static uint32_t find_marked(const ripstop_ib_splitter *p, const uint32_t *first, uint32_t node) {
  ripstop_ib_mark mark[MARKS];
  uint32_t count = marks_of_node(p, node, mark), at = RIPSTOP_NONE;
  for (uint32_t i = first[node];; i++) {
    for (uint32_t k = 0; k < count && at == RIPSTOP_NONE; k++) at = ripstop_ib_find_mark(p, mark[k]);
    if (at != RIPSTOP_NONE) return p->marked[at].node;
    if (i >= first[node + 1]) return RIPSTOP_NONE;
    count = marks_of_port(p, i, mark);
  }
}

static void add_listing(ripstop_ib_splitter *p, const uint32_t *first, uint32_t node) {
  ripstop_ib_mark mark[MARKS];
  const uint32_t root = p->root[node];
  uint32_t count = marks_of_node(p, node, mark);
  for (uint32_t k = 0; k < count; k++) add_mark(p, mark[k], root);
  for (uint32_t i = first[node]; i < first[node + 1]; i++) {
    count = marks_of_port(p, i, mark);
    for (uint32_t k = 0; k < count; k++) add_mark(p, mark[k], root);
    const end e = {root, p->dump->port[i].number};
    p->same[i] = ripstop_ib_find_end(p, e.root, e.number);
    if (p->same[i] == RIPSTOP_NONE) ripstop_text_table_add(&p->ends, (const char *)&e, sizeof e, p->same[i] = i);
  }
}

/* True if some id has several nodes. */
static bool find_nodes(ripstop_ib_splitter *p) {
  const uint32_t *first = find_ports(p->dump);
  const bool *redacted = find_redacted(p, first);
  bool several = false;
  for (uint32_t i = 0; i < p->dump->nodes; i++) {
    p->root[i] = p->id[i];
    if (i != p->id[i] && redacted[p->id[i]]) {
      const uint32_t other = find_marked(p, first, i);
      p->root[i] = other != RIPSTOP_NONE && agrees(p, first, other, i) ? other : i;
    }
    if (p->root[i] == i) several |= ++p->members[p->id[i]] > 1;
    add_listing(p, first, i);
  }
  return several;
}

/* ------------------------------------------------------------------ ids of their own */

enum { SUFFIX = 11 }; /* bytes of ".4294967295" */

/* The id with the least number from 2 on that no listing has. Ids are never given back, so the numbers up to *last stay
 * taken. */
static const char *new_id(const ripstop_ib_splitter *p, const char *id, uint32_t *last) {
  char name[RIPSTOP_IB_ID_LIMIT + 1];
  if (*last < 1) *last = 1;
  do snprintf(name, sizeof name, "%.*s.%u", RIPSTOP_IB_ID_LIMIT - SUFFIX, id, ++*last);
  while (find_id(p, name) != RIPSTOP_NONE);
  return ripstop_arena_text(p->dump->arena, name);
}

/* Long ids may be equal in what is kept of them, so they share a counter. */
static void rename_nodes(ripstop_ib_splitter *p) {
  uint32_t *last = RIPSTOP_ARRAY(p->dump->arena, p->dump->nodes + 1, uint32_t), last_long = 0;
  for (uint32_t i = 0; i < p->dump->nodes; i++) {
    ripstop_ib_node *node = &p->dump->node[i];
    const uint32_t id = p->id[i], root = p->root[i];
    if (p->members[id] < 2) continue;
    node->shares_id = true;
    if (is_guid(p->dump->node[id].id)) node->guid = 0;
    if (root == id) continue;
    node->id = p->dump->node[root].id;
    if (root != i) continue;
    const bool is_long = strlen(node->id) > RIPSTOP_IB_ID_LIMIT - SUFFIX;
    node->id = new_id(p, node->id, is_long ? &last_long : &last[id]);
    ripstop_text_table_add(&p->ids, node->id, strlen(node->id), i);
    ripstop_ib_say_renamed(p->dump, id, i);
  }
}

/* A node of a shared id that no listing is of. */
static const char *unlisted(const ripstop_ib_dump *dump, const ripstop_ib_port *port) {
  enum { MOST = RIPSTOP_IB_ID_LIMIT - 12 };
  if (ripstop_ib_is_lid(port->peer_lid))
    return ripstop_arena_printf(dump->arena, "%.*s (LID %u)", MOST, port->peer_id, port->peer_lid);
  return ripstop_arena_printf(dump->arena, "%.*s (other)", MOST, port->peer_id);
}

static void rename_peers(ripstop_ib_splitter *p) {
  for (uint32_t i = 0; i < p->dump->ports; i++) {
    ripstop_ib_port *port = &p->dump->port[i];
    if (p->peer_id[i] == RIPSTOP_NONE || p->members[p->peer_id[i]] < 2) continue;
    port->peer_id = p->peer[i] != RIPSTOP_NONE ? p->dump->node[p->peer[i]].id : unlisted(p->dump, port);
  }
}

int ripstop_ib_split_redacted(ripstop_ib_dump *dump, ripstop_error *err) {
  ripstop_ib_splitter p = {
      .dump = dump, .ids = {.arena = dump->arena}, .ends = {.arena = dump->arena}, .marks = {.arena = dump->arena}};
  p.id = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  p.root = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  p.listings = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  p.members = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  p.peer_id = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, uint32_t);
  p.same = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, uint32_t);
  p.peer = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, uint32_t);
  if (!find_ids(&p) || !find_nodes(&p)) return 0;
  if (ripstop_ib_find_peers(&p, err) != 0) return -1;
  rename_nodes(&p);
  rename_peers(&p);
  return 0;
}
