/* dump.c - makes a dump of lines: nodes by id, ports in order, cables where both ends name each other, and indexes.
 * oddities.c reports what does not fit. Cost: O(n log n) for n lines. */
#include "formats/infiniband/dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "formats/infiniband/kinds.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/oddities.h"
#include "formats/infiniband/redacted.h"

static bool same_id(const void *owner, uint32_t node, const char *text, size_t length) {
  const char *id = ((const ripstop_ib_dump *)owner)->node[node].id;
  return strlen(id) == length && memcmp(id, text, length) == 0;
}

uint32_t ripstop_ib_node_of(const ripstop_ib_dump *dump, const char *id, size_t length) {
  return ripstop_text_table_find(&dump->ids, id, length, same_id, dump);
}

uint32_t ripstop_ib_port_of(const ripstop_ib_dump *dump, uint32_t node, uint32_t number) {
  const ripstop_ib_node *n = &dump->node[node];
  uint32_t low = n->first, high = n->first + n->ports;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (dump->port[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n->first + n->ports && dump->port[low].number == number ? low : RIPSTOP_NONE;
}

void ripstop_ib_end_name(const ripstop_ib_dump *dump, uint32_t port, char *out) {
  const ripstop_ib_port *p = &dump->port[port];
  snprintf(out, RIPSTOP_IB_END_NAME_MAX, "%s[%u]", dump->node[p->node].id, p->number);
}

const char *ripstop_ib_end(const ripstop_ib_dump *dump, uint32_t port) {
  const ripstop_ib_port *p = &dump->port[port];
  return ripstop_arena_printf(dump->arena, "%s[%u]", dump->node[p->node].id, p->number);
}

const char *ripstop_ib_end_words(ripstop_arena *arena, const ripstop_ib_dump *dump, uint32_t node, uint32_t number) {
  const ripstop_ib_node *n = &dump->node[node];
  const bool named = n->text[0] != '\0' && !n->shares_text;
  const char *text = named ? n->text : n->id, *quote = strpbrk(text, " \t,*?\"") ? "\"" : "";
  return ripstop_arena_printf(arena, named ? "%s%s%s/P%u" : "%s%s%s[%u]", quote, text, quote, number);
}

bool ripstop_ib_is_first(const ripstop_ib_dump *dump, uint32_t port, uint32_t other) {
  const ripstop_ib_port *a = &dump->port[port], *b = &dump->port[other];
  int order = a->node == b->node ? 0 : strcmp(dump->node[a->node].id, dump->node[b->node].id);
  return order < 0 || (order == 0 && a->number < b->number);
}

void ripstop_ib_cable_name(const ripstop_ib_dump *dump, uint32_t port, char *out) {
  uint32_t mate = dump->port[port].mate;
  uint32_t first = ripstop_ib_is_first(dump, port, mate) ? port : mate, last = first == port ? mate : port;
  char a[RIPSTOP_IB_END_NAME_MAX], b[RIPSTOP_IB_END_NAME_MAX];
  ripstop_ib_end_name(dump, first, a);
  ripstop_ib_end_name(dump, last, b);
  snprintf(out, RIPSTOP_NAME_MAX, "%s-%s", a, b);
}

bool ripstop_ib_names_host(const ripstop_ib_dump *dump, uint32_t port) {
  const ripstop_ib_port *p = &dump->port[port];
  if (dump->node[p->node].kind != RIPSTOP_IB_SWITCH || p->mate != RIPSTOP_NONE) return false;
  const uint32_t peer = ripstop_ib_node_of(dump, p->peer_id, strlen(p->peer_id));
  if (peer == RIPSTOP_NONE) return strncmp(p->peer_id, "H-", 2) == 0 && !strstr(p->peer_text, "Aggregation Node");
  const ripstop_ib_node *node = &dump->node[peer];
  return node->kind == RIPSTOP_IB_ADAPTER && !node->aggregates &&
         ripstop_ib_port_of(dump, peer, p->peer_number) == RIPSTOP_NONE;
}

uint32_t ripstop_ib_port_speed(const ripstop_ib_port *port) { return ripstop_ib_speed(port->width, port->speed); }

uint32_t ripstop_ib_cable_speed(const ripstop_ib_dump *dump, uint32_t port) {
  uint32_t least = 0;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t speed = ripstop_ib_port_speed(&dump->port[side == 0 ? port : dump->port[port].mate]);
    if (speed != 0 && (least == 0 || speed < least)) least = speed;
  }
  return least;
}

uint32_t ripstop_ib_could(const ripstop_ib_dump *dump, uint32_t port) {
  const uint32_t ends[] = {port, dump->port[port].mate};
  for (unsigned i = 0; i < 2; i++)
    if (dump->port[ends[i]].could_width || dump->port[ends[i]].could_speed) return ends[i];
  return RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ nodes by id */

/* Nodes that are listed again are one with the first of the id; their ports go to it. */
static void join_nodes(ripstop_ib_dump *dump) {
  uint32_t *now = ripstop_realloc(NULL, (size_t)dump->nodes + 1, sizeof *now), kept = 0;
  dump->ids = (ripstop_text_table){.arena = dump->arena};
  for (uint32_t i = 0; i < dump->nodes; i++) {
    ripstop_ib_node *node = &dump->node[i];
    size_t length = strlen(node->id);
    now[i] = ripstop_ib_node_of(dump, node->id, length);
    if (now[i] == RIPSTOP_NONE) {
      now[i] = kept;
      ripstop_text_table_add(&dump->ids, node->id, length, kept);
      dump->node[kept++] = *node;
      continue;
    }
    ripstop_ib_node *first = &dump->node[now[i]];
    if (first->again == 0) first->again_text = node->text;
    if (first->again == 0) dump->again++;
    if (first->again == 0) first->again = node->line;
    if (node->wide > first->wide) first->wide = node->wide;
  }
  for (uint32_t i = 0; i < dump->ports; i++) dump->port[i].node = now[dump->port[i].node];
  dump->nodes = kept;
  ripstop_free(now);
}

static int by_place(const void *a_, const void *b_) {
  const ripstop_ib_port *a = a_, *b = b_;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

/* Puts the ports beside each other; of a port that is listed again the first line counts. */
static void sort_ports(ripstop_ib_dump *dump) {
  ripstop_ib_port *port = dump->port;
  uint32_t kept = 0;
  if (port == NULL) return;
  qsort(port, dump->ports, sizeof *port, by_place);
  for (uint32_t i = 0; i < dump->ports; i++) {
    const ripstop_ib_port *p = &port[i], *before = kept > 0 ? &port[kept - 1] : NULL;
    if (before != NULL && before->node == p->node && before->number == p->number) {
      ripstop_ib_say_again(dump, before, p);
      continue;
    }
    ripstop_ib_node *node = &dump->node[p->node];
    if (node->ports++ == 0) node->first = kept;
    port[kept++] = *p;
  }
  dump->ports = kept;
}

/* ------------------------------------------------------------------ cables */

static void join_port(ripstop_ib_dump *dump, uint32_t port) {
  ripstop_ib_port *p = &dump->port[port];
  uint32_t node = ripstop_ib_node_of(dump, p->peer_id, strlen(p->peer_id));
  uint32_t mate = node == RIPSTOP_NONE ? RIPSTOP_NONE : ripstop_ib_port_of(dump, node, p->peer_number);
  if (mate == RIPSTOP_NONE) {
    dump->half_links++;
    ripstop_ib_say_half_link(dump, port);
    return;
  }
  const ripstop_ib_port *back = &dump->port[mate];
  bool mutual = mate != port && back->peer_number == p->number && strcmp(back->peer_id, dump->node[p->node].id) == 0;
  if (mutual) {
    p->mate = mate;
    dump->cables += port < mate;
  } else {
    dump->conflicts++;
    ripstop_ib_say_conflict(dump, port, mate);
  }
}

/* The last line may be cut off within its last word: "SPD=5" of "SPD=50". Then both ends have another speed. */
static void check_last_line(ripstop_ib_dump *dump) {
  for (uint32_t i = 0; !dump->truncated && i < dump->ports; i++) {
    const ripstop_ib_port *p = &dump->port[i];
    if (!p->open || p->mate == RIPSTOP_NONE) continue;
    if (ripstop_ib_port_speed(p) == ripstop_ib_port_speed(&dump->port[p->mate])) continue;
    ripstop_ib_say_broken(dump, "last line", "an end, and with another speed than the other end of the cable",
                          piece_of(ripstop_ib_end(dump, i)), p->line, true);
  }
}

typedef struct tally {
  uint32_t speed, cables, port;
} tally;

enum { SPEEDS_MAX = 64 }; /* more than there are widths times speeds */

/* The speed of most cables, the faster of two that are as common. */
static void find_usual_speed(ripstop_ib_dump *dump) {
  tally list[SPEEDS_MAX];
  uint32_t count = 0;
  for (uint32_t port = 0; port < dump->ports; port++) {
    uint32_t mate = dump->port[port].mate, i = 0;
    if (mate == RIPSTOP_NONE || mate < port) continue;
    uint32_t speed = ripstop_ib_cable_speed(dump, port);
    while (i < count && list[i].speed != speed) i++;
    if (i == count && count < SPEEDS_MAX) list[count++] = (tally){.speed = speed, .port = port};
    if (i < SPEEDS_MAX) list[i].cables++;
  }
  tally best = {0};
  for (uint32_t i = 0; i < count; i++)
    if (list[i].speed != 0 &&
        (list[i].cables > best.cables || (list[i].cables == best.cables && list[i].speed > best.speed)))
      best = list[i];
  dump->usual = dump->fastest = best.speed;
  for (uint32_t i = 0; i < count; i++)
    if (list[i].speed > dump->fastest && list[i].cables >= (dump->cables + 9) / 10) dump->fastest = list[i].speed;
  dump->usual_port = best.port;
}

static void count_slow_cables(ripstop_ib_dump *dump) {
  for (uint32_t port = 0; port < dump->ports; port++) {
    const uint32_t mate = dump->port[port].mate;
    if (mate == RIPSTOP_NONE || mate < port) continue;
    const uint32_t speed = ripstop_ib_cable_speed(dump, port);
    dump->slow_cables += (speed != 0 && speed < dump->usual) || ripstop_ib_could(dump, port) != RIPSTOP_NONE;
  }
}

/* ------------------------------------------------------------------ LIDs and GUIDs */

static bool same_guid(const void *owner, uint32_t entry, const char *text, size_t length) {
  const ripstop_ib_dump *dump = owner;
  (void)length; /* a GUID's, always */
  const uint64_t *guid = entry < dump->nodes ? &dump->node[entry].guid : &dump->port[entry - dump->nodes].guid;
  return memcmp(guid, text, sizeof *guid) == 0;
}

uint32_t ripstop_ib_guid(const ripstop_ib_dump *dump, uint64_t guid) {
  uint32_t entry = ripstop_text_table_find(&dump->guids, (const char *)&guid, sizeof guid, same_guid, dump);
  return entry == RIPSTOP_NONE || entry < dump->nodes ? entry : dump->port[entry - dump->nodes].node;
}

static void add_guid(ripstop_ib_dump *dump, uint64_t guid, uint32_t entry) {
  if (guid != 0 && ripstop_ib_guid(dump, guid) == RIPSTOP_NONE)
    ripstop_text_table_add(&dump->guids, (const char *)&guid, sizeof guid, entry);
}

static void index_guids(ripstop_ib_dump *dump) {
  dump->guids = (ripstop_text_table){.arena = dump->arena};
  for (uint32_t i = 0; i < dump->nodes; i++) add_guid(dump, dump->node[i].guid, i);
  for (uint32_t i = 0; i < dump->ports; i++) add_guid(dump, dump->port[i].guid, dump->nodes + i);
}

static bool same_text(const void *owner, uint32_t node, const char *text, size_t length) {
  const char *own = ((const ripstop_ib_dump *)owner)->node[node].text;
  return strlen(own) == length && memcmp(own, text, length) == 0;
}

uint32_t ripstop_ib_described(const ripstop_ib_dump *dump, const char *text, size_t length) {
  uint32_t node = ripstop_text_table_find(&dump->texts, text, length, same_text, dump);
  return node == RIPSTOP_NONE || dump->node[node].shares_text ? RIPSTOP_NONE : node;
}

static void index_texts(ripstop_ib_dump *dump) {
  dump->texts = (ripstop_text_table){.arena = dump->arena};
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const char *text = dump->node[i].text;
    uint32_t first = ripstop_text_table_find(&dump->texts, text, strlen(text), same_text, dump);
    if (first != RIPSTOP_NONE)
      dump->node[first].shares_text = dump->node[i].shares_text = true;
    else if (text[0] != '\0')
      ripstop_text_table_add(&dump->texts, text, strlen(text), i);
  }
}

uint32_t ripstop_ib_lid(const ripstop_ib_dump *dump, uint32_t lid, uint32_t *port) {
  if (lid >= dump->lids) return RIPSTOP_NONE;
  if (port != NULL) *port = dump->lid_port[lid];
  return dump->lid_node[lid];
}

static bool is_lid(uint32_t lid) { return lid > 0 && lid <= RIPSTOP_IB_LID_LIMIT; }

static void own_lids(ripstop_ib_dump *dump, uint32_t lid, uint32_t lmc, uint32_t node, uint32_t port) {
  for (uint32_t i = lid; is_lid(lid) && i < lid + (1u << lmc) && i < dump->lids; i++)
    if (dump->lid_node[i] == RIPSTOP_NONE) {
      dump->lid_node[i] = node;
      dump->lid_port[i] = port;
    } else {
      ripstop_ib_say_lid_twice(dump, i, node);
      return;
    }
}

static void raise_lids(ripstop_ib_dump *dump, uint32_t lid, uint32_t lmc) {
  uint32_t next = is_lid(lid) ? lid + (1u << lmc) : 0;
  if (next > RIPSTOP_IB_LID_LIMIT + 1) next = RIPSTOP_IB_LID_LIMIT + 1;
  if (next > dump->lids) dump->lids = next;
}

static void index_lids(ripstop_ib_dump *dump) {
  for (uint32_t i = 0; i < dump->nodes; i++)
    if (dump->node[i].kind == RIPSTOP_IB_SWITCH) raise_lids(dump, dump->node[i].lid, dump->node[i].lmc);
  for (uint32_t p = 0; p < dump->ports; p++) raise_lids(dump, dump->port[p].lid, dump->port[p].lmc);
  dump->lid_node = RIPSTOP_ARRAY(dump->arena, dump->lids + 1, uint32_t);
  dump->lid_port = RIPSTOP_ARRAY(dump->arena, dump->lids + 1, uint32_t);
  for (uint32_t i = 0; i < dump->lids; i++) dump->lid_node[i] = dump->lid_port[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    if (node->kind == RIPSTOP_IB_SWITCH) own_lids(dump, node->lid, node->lmc, i, RIPSTOP_NONE);
    for (uint32_t p = node->first; node->kind != RIPSTOP_IB_SWITCH && p < node->first + node->ports; p++)
      own_lids(dump, dump->port[p].lid, dump->port[p].lmc, i, p);
  }
}

bool ripstop_ib_is_dump(const char *text, size_t length) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t line;
  const ib_kind *kind = ib_kind_of(plain_lines_of(scratch, (piece){text, text + length}), &line);
  return kind != NULL;
}

static int read_text(ripstop_ib_dump *dump, piece text, ripstop_error *err) {
  uint32_t line;
  const plain_lines lines = plain_lines_of(dump->arena, text);
  const ib_kind *kind = ib_kind_of(lines, &line);
  if (!kind) return ripstop_fail(err, "%s: no node of a fabric in it", dump->file);
  if (!kind->read)
    return ripstop_fail(err, "%s:%u: this looks like %s, which is no fabric", dump->file, line, kind->name);
  if (kind->read(dump, lines, err) != 0) return -1;
  if (dump->nodes > 0) return 0;
  if (dump->broken) return ripstop_fail(err, "%s:%u: %s", dump->file, dump->broken_line, dump->broken);
  return ripstop_fail(err, "%s:%u: this looks like %s, but no node of a fabric is in it", dump->file, line, kind->name);
}

int ripstop_ib_read(ripstop_ib_dump *dump, ripstop_arena *arena, const char *file, const char *text, size_t length,
                    ripstop_error *err) {
  *dump = (ripstop_ib_dump){.arena = arena, .file = file, .odd = {.arena = arena}};
  if (read_text(dump, (piece){text, text + length}, err) != 0 || ripstop_ib_split_redacted(dump, err) != 0) return -1;
  join_nodes(dump);
  sort_ports(dump);
  for (uint32_t i = 0; i < dump->nodes; i++) {
    dump->kinds[dump->node[i].kind]++;
    dump->aggregates += dump->node[i].aggregates;
  }
  for (uint32_t port = 0; port < dump->ports; port++) join_port(dump, port);
  check_last_line(dump);
  index_guids(dump);
  index_texts(dump);
  index_lids(dump);
  find_usual_speed(dump);
  count_slow_cables(dump);
  ripstop_ib_say_rest(dump);
  return 0;
}
