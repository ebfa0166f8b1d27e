/* redacted.c - nodes that have one id because people redacted it before they posted the dump.
 *
 * An id that is no GUID (`H-b8cef60300xxxxxx`) may stand for several nodes. A second listing is the same node if
 * it contradicts no port of the first and has a port or the description in common with it. Otherwise it is another
 * adapter: it gets the id with a number (`H-b8cef60300xxxxxx.2`), and so do the ports of switches that answer its
 * ports. An id that is a GUID is taken at its word: two nodes of one GUID are a fault of the fabric, and odd. */
#include "fabric/ib/redacted.h"

#include <string.h>

#include "fabric/ib/lines.h"
#include "fabric/ib/oddities.h"

typedef struct parter {
  ripstop_ib_dump *dump;
  uint32_t *first;    /* [nodes + 1]: the ports of a listing, in the order of the file */
  uint32_t *before;   /* [nodes]: the listing of the same id before this one; RIPSTOP_NONE: none */
  uint32_t *number;   /* [nodes]: by the first listing of an id, the greatest number that its new ids have; 0: none */
  ripstop_table ids;  /* to the first listing of an id */
  ripstop_table ends; /* `id[port]` to ports of other nodes */
  bool switches;      /* switches are told apart, after all others: their ports answer those of adapters */
} parter;

static bool same_id(const void *dump, uint32_t node, const char *text, size_t length) {
  const char *id = ((const ripstop_ib_dump *)dump)->node[node].id;
  return strlen(id) == length && memcmp(id, text, length) == 0;
}

static bool same_end(const void *dump, uint32_t port, const char *text, size_t length) {
  char name[RIPSTOP_IB_END_NAME_MAX];
  ripstop_ib_end_name(dump, port, name);
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool is_redacted(const parter *p, const ripstop_ib_node *node) {
  const char *dash = strchr(node->id, '-');
  uint64_t guid;
  return (node->kind == RIPSTOP_IB_SWITCH) == p->switches &&
         !(dash && strlen(dash + 1) == 16 && ripstop_ib_read_hex(dash + 1, 16, &guid) && guid != 0);
}

/* The ports of listings lie one after the other, since their lines do. */
static void find_ports(parter *p) {
  const ripstop_ib_dump *dump = p->dump;
  p->first = RIPSTOP_ARRAY(dump->arena, dump->nodes + 2, uint32_t);
  for (uint32_t i = 0; i < dump->ports; i++) p->first[dump->port[i].node + 1] = i + 1;
  for (uint32_t i = 0; i < dump->nodes; i++)
    if (p->first[i + 1] < p->first[i]) p->first[i + 1] = p->first[i];
}

/* True if two listings can be of one node. */
static bool is_same(const parter *p, uint32_t one, uint32_t two) {
  const ripstop_ib_dump *dump = p->dump;
  bool common = strcmp(dump->node[one].text, dump->node[two].text) == 0;
  for (uint32_t i = p->first[one]; i < p->first[one + 1]; i++)
    for (uint32_t k = p->first[two]; k < p->first[two + 1]; k++) {
      const ripstop_ib_port *a = &dump->port[i], *b = &dump->port[k];
      if (a->number != b->number) continue;
      if (a->peer_number != b->peer_number || strcmp(a->peer_id, b->peer_id) != 0) return false;
      common = true;
    }
  return common;
}

static void index_ends(parter *p) {
  for (uint32_t i = 0; i < p->dump->ports; i++) {
    char name[RIPSTOP_IB_END_NAME_MAX];
    if (p->dump->node[p->dump->port[i].node].kind != RIPSTOP_IB_SWITCH && !p->switches) continue;
    ripstop_ib_end_name(p->dump, i, name);
    if (ripstop_table_find(&p->ends, name, strlen(name), same_end, p->dump) == RIPSTOP_NONE)
      ripstop_table_add(&p->ends, name, strlen(name), i);
  }
}

/* The ports that answer those of a listing name its new id. */
static void answer(parter *p, uint32_t node, const char *was) {
  if (p->ends.used == 0) index_ends(p);
  for (uint32_t i = p->first[node]; i < p->first[node + 1]; i++) {
    const ripstop_ib_port *port = &p->dump->port[i];
    char name[RIPSTOP_IB_END_NAME_MAX];
    snprintf(name, sizeof name, "%s[%u]", port->peer_id, port->peer_number);
    const uint32_t at = ripstop_table_find(&p->ends, name, strlen(name), same_end, p->dump);
    if (at == RIPSTOP_NONE) continue;
    ripstop_ib_port *peer = &p->dump->port[at];
    if (peer->peer_number == port->number && strcmp(peer->peer_id, was) == 0) peer->peer_id = p->dump->node[node].id;
  }
}

/* The id with the least number from 2 on that no listing has. Ids are never given back, so the numbers below the last
 * one stay taken. */
static const char *new_id(const parter *p, const char *id, uint32_t *last) {
  char name[RIPSTOP_IB_ID_LIMIT + 1];
  uint32_t number = *last > 1 ? *last : 1;
  do snprintf(name, sizeof name, "%.*s.%u", RIPSTOP_IB_ID_LIMIT - 11, id, ++number);
  while (ripstop_table_find(&p->ids, name, strlen(name), same_id, p->dump) != RIPSTOP_NONE);
  *last = number;
  return ripstop_arena_text(p->dump->arena, name);
}

/* Gives a listing the id of the earlier one that is the same node, or one of its own. */
static void part(parter *p, uint32_t node, uint32_t first, uint32_t last) {
  ripstop_ib_node *n = &p->dump->node[node];
  const char *was = n->id;
  p->before[node] = last;
  for (uint32_t other = last; other != RIPSTOP_NONE; other = p->before[other])
    if (is_same(p, other, node)) {
      n->id = p->dump->node[other].id;
      if (n->id != was) answer(p, node, was);
      return;
    }
  n->id = new_id(p, was, &p->number[first]);
  ripstop_table_add(&p->ids, n->id, strlen(n->id), node);
  answer(p, node, was);
  ripstop_ib_say_parted(p->dump, first, node);
}

/* Between two switches of one id no port tells which is meant, but the LID behind the peer does. */
static void answer_by_lids(ripstop_ib_dump *dump, const char *const *was) {
  uint32_t *node = RIPSTOP_ARRAY(dump->arena, RIPSTOP_IB_LID_WRONG + 1, uint32_t); /* and one; 0: none */
  for (uint32_t i = dump->nodes; i-- > 0;)
    if (dump->node[i].kind == RIPSTOP_IB_SWITCH && dump->node[i].lid <= RIPSTOP_IB_LID_LIMIT)
      node[dump->node[i].lid] = i + 1;
  for (uint32_t i = 0; i < dump->ports; i++) {
    ripstop_ib_port *port = &dump->port[i];
    const uint32_t peer = port->peer_lid <= RIPSTOP_IB_LID_LIMIT ? node[port->peer_lid] : 0;
    if (peer > 0 && strcmp(was[peer - 1], port->peer_id) == 0) port->peer_id = dump->node[peer - 1].id;
  }
}

static void part_all(ripstop_ib_dump *dump, bool switches) {
  parter p = {.dump = dump, .ids = {.arena = dump->arena}, .ends = {.arena = dump->arena}, .switches = switches};
  p.before = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  uint32_t *last = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t); /* by the first listing of an id */
  p.number = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  find_ports(&p);
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const char *id = dump->node[i].id;
    p.before[i] = RIPSTOP_NONE;
    const uint32_t first = ripstop_table_find(&p.ids, id, strlen(id), same_id, dump);
    if (first == RIPSTOP_NONE) {
      ripstop_table_add(&p.ids, id, strlen(id), i);
      last[i] = i;
    } else if (is_redacted(&p, &dump->node[i])) {
      part(&p, i, first, last[first]);
      last[first] = i;
    }
  }
}

void ripstop_ib_part_redacted(ripstop_ib_dump *dump) {
  const char **was = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, const char *);
  for (uint32_t i = 0; i < dump->nodes; i++) was[i] = dump->node[i].id;
  part_all(dump, false);
  part_all(dump, true);
  answer_by_lids(dump, was);
}
