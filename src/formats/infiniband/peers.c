/* peers.c - decides which node a port names, if several nodes have the id that it names.
 *
 * In this order, the strongest evidence first:
 *   1. the id that only one node has;
 *   2. the LID behind the peer's description, then its port's GUID in brackets, if one node of the id has it;
 *   3. a port that names this one, of which only one does; a port with the right description before others;
 *   4. the only two ports whose ids, numbers and descriptions answer each other; then without descriptions. Known LIDs
 *      must not contradict this.
 * A port that no other can answer names a node that is not listed. What is left then is ambiguous, and refused: a guess
 * would join the cables of different nodes.
 *
 * Invariant: p->peer[i] of a line that repeats a port is that of the first line if both name the same end. */
#include <stdlib.h>
#include <string.h>

#include "formats/infiniband/redacted.h"

typedef struct finder {
  ripstop_ib_splitter *p;
  uint32_t *text, *peer_text; /* [nodes], [ports]: numbers of descriptions: equal for equal ones */
  bool *all_lids;             /* [nodes]: of a first listing: every listing of the id has its LIDs */
  bool *settled;              /* [ports]: no more to find */
  ripstop_text_table texts;
  const char **word;
} finder;

static bool is_shared(const ripstop_ib_splitter *p, uint32_t port) {
  return p->peer_id[port] != RIPSTOP_NONE && p->members[p->peer_id[port]] > 1;
}

static void settle(finder *f, uint32_t port, uint32_t peer) {
  f->p->peer[port] = peer;
  f->settled[port] = true;
}

/* ------------------------------------------------------------------ descriptions as numbers */

static bool same_word(const void *finder_, uint32_t i, const char *text, size_t length) {
  const char *word = ((const finder *)finder_)->word[i];
  return strlen(word) == length && memcmp(word, text, length) == 0;
}

static uint32_t number_of(finder *f, const char *text) {
  uint32_t number = ripstop_text_table_find(&f->texts, text, strlen(text), same_word, f);
  if (number != RIPSTOP_NONE) return number;
  number = f->texts.used;
  f->word[number] = text;
  ripstop_text_table_add(&f->texts, text, strlen(text), number);
  return number;
}

static void number_texts(finder *f) {
  const ripstop_ib_dump *dump = f->p->dump;
  f->word = RIPSTOP_ARRAY(dump->arena, (size_t)dump->nodes + dump->ports + 1, const char *);
  for (uint32_t i = 0; i < dump->nodes; i++) f->text[i] = number_of(f, dump->node[i].text);
  for (uint32_t i = 0; i < dump->ports; i++) f->peer_text[i] = number_of(f, dump->port[i].peer_text);
}

/* ------------------------------------------------------------------ by LID and GUID */

static uint32_t own_lid(const ripstop_ib_dump *dump, const ripstop_ib_port *port) {
  const ripstop_ib_node *node = &dump->node[port->node];
  return node->kind == RIPSTOP_IB_SWITCH ? node->lid : port->lid;
}

static void find_all_lids(finder *f) {
  const ripstop_ib_dump *dump = f->p->dump;
  for (uint32_t i = 0; i < dump->nodes; i++) f->all_lids[f->p->id[i]] = true;
  for (uint32_t i = 0; i < dump->nodes; i++)
    if (dump->node[i].kind == RIPSTOP_IB_SWITCH && !ripstop_ib_is_lid(dump->node[i].lid))
      f->all_lids[f->p->id[i]] = false;
  for (uint32_t i = 0; i < dump->ports; i++)
    if (!ripstop_ib_is_lid(own_lid(dump, &dump->port[i]))) f->all_lids[f->p->id[dump->port[i].node]] = false;
}

/* The only node with a mark; RIPSTOP_NONE: none or several. *known: some node has it. */
static uint32_t only_node(const ripstop_ib_splitter *p, ripstop_ib_mark mark, bool *known) {
  const uint32_t at = ripstop_ib_find_mark(p, mark);
  *known |= at != RIPSTOP_NONE;
  return at == RIPSTOP_NONE || p->marked[at].ambiguous ? RIPSTOP_NONE : p->marked[at].node;
}

static void find_by_marks(finder *f, uint32_t port) {
  const ripstop_ib_port *at = &f->p->dump->port[port];
  const uint32_t id = f->p->peer_id[port];
  const ripstop_ib_mark mark[] = {{at->peer_lid, id, 0, RIPSTOP_IB_BY_LID},
                                  {at->peer_lid, id, at->peer_number, RIPSTOP_IB_BY_LID},
                                  {at->peer_guid, id, at->peer_number, RIPSTOP_IB_BY_GUID}};
  const bool has_lid = ripstop_ib_is_lid(at->peer_lid), has[] = {has_lid, has_lid, at->peer_guid != 0};
  bool known = false;
  for (unsigned i = 0; i < 3; i++) {
    const uint32_t node = has[i] ? only_node(f->p, mark[i], &known) : RIPSTOP_NONE;
    if (node != RIPSTOP_NONE) {
      settle(f, port, node);
      return;
    }
  }
  if (has_lid && !known && f->all_lids[id]) settle(f, port, RIPSTOP_NONE);
}

/* ------------------------------------------------------------------ by ports that name this one */

typedef struct asker {
  uint32_t port;
  uint32_t rank; /* 0: not requested; 2: as the port describes it; 1: otherwise */
  bool several;
} asker;

/* The port that `port` names, if it waits for its peer. */
static uint32_t named_port(const finder *f, uint32_t port) {
  const ripstop_ib_splitter *p = f->p;
  const ripstop_ib_port *at = &p->dump->port[port];
  if (p->peer[port] == RIPSTOP_NONE || p->same[port] != port) return RIPSTOP_NONE;
  const uint32_t other = ripstop_ib_find_end(p, p->peer[port], at->peer_number);
  if (other == RIPSTOP_NONE || f->settled[other] || other == port) return RIPSTOP_NONE;
  const bool answers = p->peer_id[other] == p->id[at->node] && p->dump->port[other].peer_number == at->number;
  return answers ? other : RIPSTOP_NONE;
}

static bool lids_agree(const ripstop_ib_dump *dump, uint32_t port, uint32_t peer) {
  const uint32_t a = dump->port[port].peer_lid, b = own_lid(dump, &dump->port[peer]);
  return !ripstop_ib_is_lid(a) || !ripstop_ib_is_lid(b) || a == b;
}

static void ask(finder *f, asker *asked, uint32_t port) {
  const uint32_t other = named_port(f, port);
  if (other == RIPSTOP_NONE || !lids_agree(f->p->dump, other, port)) return;
  const uint32_t rank = f->peer_text[other] == f->text[f->p->dump->port[port].node] ? 2 : 1;
  asker *a = &asked[other];
  if (rank < a->rank) return;
  *a = (asker){port, rank, rank == a->rank};
}

static void find_by_askers(finder *f) {
  const ripstop_ib_splitter *p = f->p;
  asker *asked = RIPSTOP_ARRAY(p->dump->arena, p->dump->ports + 1, asker);
  for (uint32_t i = 0; i < p->dump->ports; i++) ask(f, asked, i);
  for (uint32_t i = 0; i < p->dump->ports; i++)
    if (asked[i].rank > 0 && !asked[i].several) settle(f, i, p->root[p->dump->port[asked[i].port].node]);
}

/* ------------------------------------------------------------------ by pairs of ports */

typedef struct side {
  uint32_t id, number, text;
} side;

/* A waiting port as the cable that it describes: its ends in an order that both ports agree on. */
typedef struct wire {
  side end[2];
  uint32_t port, self; /* self: which end is the port's own; 2: both look the same */
} wire;

static int order_sides(const side *a, const side *b) {
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return a->text < b->text ? -1 : a->text > b->text;
}

static int same_wire(const wire *a, const wire *b) {
  const int order = order_sides(&a->end[0], &b->end[0]);
  return order != 0 ? order : order_sides(&a->end[1], &b->end[1]);
}

static int by_wire(const void *a_, const void *b_) {
  const wire *a = a_, *b = b_;
  const int order = same_wire(a, b);
  return order != 0 ? order : a->port < b->port ? -1 : a->port > b->port;
}

static wire wire_of(const finder *f, uint32_t port, bool texts) {
  const ripstop_ib_port *at = &f->p->dump->port[port];
  const side own = {f->p->id[at->node], at->number, texts ? f->text[at->node] : 0};
  const side peer = {f->p->peer_id[port], at->peer_number, texts ? f->peer_text[port] : 0};
  const int order = order_sides(&own, &peer);
  return (wire){{order <= 0 ? own : peer, order <= 0 ? peer : own}, port, order == 0 ? 2 : order > 0};
}

static uint32_t list_wires(const finder *f, bool texts, wire *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->p->dump->ports; i++)
    if (!f->settled[i]) out[count++] = wire_of(f, i, texts);
  if (count > 0) qsort(out, count, sizeof *out, by_wire);
  return count;
}

/* True if a port describes a node as something else. */
static bool texts_differ(const finder *f, uint32_t port, uint32_t peer) {
  const ripstop_ib_dump *dump = f->p->dump;
  const uint32_t node = dump->port[peer].node;
  return dump->port[port].peer_text[0] && dump->node[node].text[0] && f->peer_text[port] != f->text[node];
}

/* True if two ports of one run can answer each other. One may describe the other wrongly, for descriptions change. */
static bool can_pair(const finder *f, const wire *a, const wire *b) {
  const ripstop_ib_dump *dump = f->p->dump;
  if (a->self != 2 && a->self == b->self) return false;
  if (!lids_agree(dump, a->port, b->port) || !lids_agree(dump, b->port, a->port)) return false;
  return !texts_differ(f, a->port, b->port) || !texts_differ(f, b->port, a->port);
}

static void pair(finder *f, const wire *a, const wire *b) {
  const ripstop_ib_dump *dump = f->p->dump;
  if (!can_pair(f, a, b)) return;
  settle(f, a->port, f->p->root[dump->port[b->port].node]);
  settle(f, b->port, f->p->root[dump->port[a->port].node]);
}

static uint32_t find_run(const wire *list, uint32_t count, uint32_t from) {
  uint32_t to = from + 1;
  while (to < count && same_wire(&list[from], &list[to]) == 0) to++;
  return to;
}

static void find_pairs(finder *f, bool texts, wire *list) {
  const uint32_t count = list_wires(f, texts, list);
  for (uint32_t i = 0, to; i < count; i = to) {
    to = find_run(list, count, i);
    if (to == i + 2) pair(f, &list[i], &list[i + 1]);
  }
}

/* ------------------------------------------------------------------ the rest */

static int refuse(const ripstop_ib_dump *dump, const wire *one, const wire *two, ripstop_error *err) {
  const ripstop_ib_port *a = &dump->port[one->port], *b = &dump->port[two->port];
  return ripstop_fail(err,
                      "%s:%u: several nodes have the id %s, and neither LID, GUID nor description shows which of them "
                      "'%s'[%u] is cabled to: line %u has the same ids and ports; keep different ids for different "
                      "nodes, or their LIDs and descriptions, when ids are redacted",
                      dump->file, a->line, a->peer_id, dump->node[a->node].id, a->number, b->line);
}

/* True if a port of the run may answer another one. */
static bool is_open(const finder *f, const wire *list, uint32_t from, uint32_t to) {
  if (to == from + 2) return can_pair(f, &list[from], &list[from + 1]);
  for (uint32_t i = from; i + 1 < to; i++)
    if (list[i].self == 2 || list[i].self != list[i + 1].self) return true;
  return false;
}

static int settle_rest(finder *f, wire *list, ripstop_error *err) {
  const uint32_t count = list_wires(f, false, list);
  for (uint32_t i = 0, to; i < count; i = to) {
    to = find_run(list, count, i);
    if (is_open(f, list, i, to)) return refuse(f->p->dump, &list[i], &list[i + 1], err);
    for (uint32_t k = i; k < to; k++) settle(f, list[k].port, RIPSTOP_NONE);
  }
  return 0;
}

/* Lines that repeat a port. */
static void copy_repeated(finder *f) {
  ripstop_ib_splitter *p = f->p;
  for (uint32_t i = 0; i < p->dump->ports; i++) {
    const ripstop_ib_port *a = &p->dump->port[p->same[i]], *b = &p->dump->port[i];
    if (p->same[i] != i && p->peer_id[i] == p->peer_id[p->same[i]] && a->peer_number == b->peer_number &&
        p->peer[i] == RIPSTOP_NONE)
      p->peer[i] = p->peer[p->same[i]];
  }
}

int ripstop_ib_find_peers(ripstop_ib_splitter *p, ripstop_error *err) {
  const ripstop_ib_dump *dump = p->dump;
  finder f = {.p = p, .texts = {.arena = dump->arena}};
  f.text = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, uint32_t);
  f.peer_text = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, uint32_t);
  f.all_lids = RIPSTOP_ARRAY(dump->arena, dump->nodes + 1, bool);
  f.settled = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, bool);
  wire *list = RIPSTOP_ARRAY(dump->arena, dump->ports + 1, wire);
  number_texts(&f);
  find_all_lids(&f);
  for (uint32_t i = 0; i < dump->ports; i++) {
    p->peer[i] = RIPSTOP_NONE;
    if (!is_shared(p, i))
      settle(&f, i, p->peer_id[i] == RIPSTOP_NONE ? RIPSTOP_NONE : p->root[p->peer_id[i]]);
    else
      find_by_marks(&f, i);
    f.settled[i] |= p->same[i] != i;
  }
  for (unsigned texts = 2; texts-- > 0;) {
    find_by_askers(&f);
    find_pairs(&f, texts, list);
  }
  find_by_askers(&f);
  const int status = settle_rest(&f, list, err);
  copy_repeated(&f);
  return status;
}
