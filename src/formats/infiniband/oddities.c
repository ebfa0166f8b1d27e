/* oddities.c - the sentences about a dump's contradictions, and the search for those that need the whole dump. */
#include "formats/infiniband/oddities.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *described(const ripstop_ib_node *node) { return node->text[0] != '\0' ? node->text : node->id; }

static bool says_other(const ripstop_ib_port *a, const ripstop_ib_port *b) {
  return a->peer_number != b->peer_number || strcmp(a->peer_id, b->peer_id) != 0;
}

/* The port that a line names, as text. */
static const char *peer_of(const ripstop_ib_dump *dump, const ripstop_ib_port *p) {
  return ripstop_arena_printf(dump->arena, "%s[%u]", p->peer_id, p->peer_number);
}

void ripstop_ib_say_again(ripstop_ib_dump *dump, const ripstop_ib_port *first, const ripstop_ib_port *second) {
  ripstop_ib_node *node = &dump->node[first->node];
  if (!says_other(first, second)) return;
  const bool whole = node->again != 0 && second->line > node->again;
  const char *name = described(node), *one = peer_of(dump, first), *two = peer_of(dump, second);
  if (whole)
    ripstop_odds_add(&dump->odd, "duplicate GUID", second->line, RIPSTOP_AT(node->id, one, two),
                     "'%s' and '%s' carry the same id %s: it is listed at %s and again at %s", name, node->again_text,
                     node->id, one, two);
  else
    ripstop_odds_add(&dump->odd, "port listed twice", second->line, RIPSTOP_AT(node->id, one, two),
                     "port %u of '%s' leads to %s, and by a second line to %s; the first counts", first->number, name,
                     one, two);
  node->again_said = true;
}

void ripstop_ib_say_renamed(ripstop_ib_dump *dump, uint32_t first, uint32_t second) {
  const ripstop_ib_node *a = &dump->node[first], *b = &dump->node[second];
  ripstop_odds_add(
      &dump->odd, "one id for two nodes", b->line, RIPSTOP_AT(b->id, a->id),
      "'%s' (line %u) and '%s' (line %u) have the same id but are different nodes: the second is renamed %s",
      described(a), a->line, described(b), b->line, b->id);
}

void ripstop_ib_say_half_link(ripstop_ib_dump *dump, uint32_t port) {
  const ripstop_ib_port *p = &dump->port[port];
  const char *name = ripstop_ib_end(dump, port), *peer = peer_of(dump, p);
  const bool listed = ripstop_ib_node_of(dump, p->peer_id, strlen(p->peer_id)) != RIPSTOP_NONE;
  ripstop_odds_add(&dump->odd, "half link", p->line, RIPSTOP_AT(name, peer), "%s names %s, %s", name, peer,
                   listed ? "which does not list that port" : "a node that is not listed");
}

void ripstop_ib_say_conflict(ripstop_ib_dump *dump, uint32_t port, uint32_t mate) {
  const ripstop_ib_port *back = &dump->port[mate];
  if (dump->node[back->node].again_said) return; /* said with the second listing */
  const char *name = ripstop_ib_end(dump, port), *other = ripstop_ib_end(dump, mate);
  ripstop_odds_add(&dump->odd, "conflicting end", dump->port[port].line, RIPSTOP_AT(name, other),
                   "%s names %s, which names %s", name, other, peer_of(dump, back));
}

static int shown_of(piece line) {
  enum { SHOWN = 60 };
  return piece_length(line) > SHOWN ? SHOWN : (int)piece_length(line);
}

static const char *place_of(const ripstop_ib_dump *dump, uint32_t line) {
  return ripstop_arena_printf(dump->arena, "%s:%u", dump->file, line);
}

void ripstop_ib_say_stray(ripstop_ib_dump *dump, piece line, uint32_t number) {
  ripstop_odds_add(&dump->odd, "stray line", number, RIPSTOP_AT(place_of(dump, number)),
                   "stands among the ports of a node: '%.*s'", shown_of(line), line.at);
}

void ripstop_ib_say_broken(ripstop_ib_dump *dump, const char *what, const char *missing, piece line, uint32_t number,
                           bool last) {
  dump->truncated |= last;
  const char *sentence = ripstop_arena_printf(dump->arena, "%s without %s", what, missing);
  if (!dump->broken) {
    dump->broken = sentence;
    dump->broken_line = number;
  }
  if (last)
    ripstop_odds_add(&dump->odd, "truncated", number, RIPSTOP_AT(place_of(dump, number)),
                     "the file stops in the middle of a line, '%.*s'", shown_of(line), line.at);
  else
    ripstop_odds_add(&dump->odd, "broken line", number, RIPSTOP_AT(place_of(dump, number)), "%s: '%.*s'", sentence,
                     shown_of(line), line.at);
}

void ripstop_ib_say_unlisted(ripstop_ib_dump *dump, piece text, uint32_t line) {
  if (!dump->unlisted)
    ripstop_odds_add(&dump->odd, "truncated", line, RIPSTOP_AT(place_of(dump, line)),
                     "names '%.*s', which is not listed, while others are: the file was cut off", shown_of(text),
                     text.at);
  dump->unlisted = true;
}

void ripstop_ib_say_lid_twice(ripstop_ib_dump *dump, uint32_t lid, uint32_t node) {
  const ripstop_ib_node *first = &dump->node[dump->lid_node[lid]], *second = &dump->node[node];
  ripstop_odds_add(&dump->odd, "lid used twice", second->line, RIPSTOP_AT(first->id, second->id),
                   "%s ('%s') and %s ('%s') say LID %u", first->id, first->text, second->id, second->text, lid);
}

/* ------------------------------------------------------------------ when the cables are known */

static void say_again(ripstop_ib_dump *dump) {
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    if (node->again != 0 && !node->again_said)
      ripstop_odds_add(&dump->odd, "listed twice", node->again, RIPSTOP_AT(node->id), "%s ('%s') is listed again",
                       node->id, node->text);
  }
}

/* The first description that another node gives this one and that differs from its own. */
static const char *other_name(const ripstop_ib_dump *dump, const ripstop_ib_node *node) {
  for (uint32_t p = node->first; p < node->first + node->ports; p++) {
    uint32_t mate = dump->port[p].mate;
    if (mate == RIPSTOP_NONE || dump->port[mate].peer_text[0] == '\0') continue;
    if (strcmp(dump->port[mate].peer_text, node->text) != 0) return dump->port[mate].peer_text;
  }
  return NULL;
}

static void say_names(ripstop_ib_dump *dump) {
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    const char *other = node->text[0] != '\0' ? other_name(dump, node) : NULL;
    if (other != NULL)
      ripstop_odds_add(&dump->odd, "name differs", node->line, RIPSTOP_AT(node->id),
                       "%s calls itself '%s'; a neighbour calls it '%s'", node->id, node->text, other);
  }
}

static void say_could(ripstop_ib_dump *dump, uint32_t port, const char *const *where) {
  const ripstop_ib_port *a = &dump->port[port], *b = &dump->port[a->mate],
                        *could = &dump->port[ripstop_ib_could(dump, port)];
  const bool narrow = could->could_width != 0;
  ripstop_odds_add(&dump->odd, narrow ? "narrow cable" : "slow cable", a->line, where,
                   "'%s' - '%s' runs at %ux%s; both ends are able to %ux%s", described(&dump->node[a->node]),
                   described(&dump->node[b->node]), a->width, a->speed, narrow ? could->could_width : a->width,
                   could->could_speed ? could->could_speed : a->speed);
}

static void say_cable(ripstop_ib_dump *dump, uint32_t port) {
  const ripstop_ib_port *a = &dump->port[port], *b = &dump->port[a->mate];
  char name[RIPSTOP_NAME_MAX];
  ripstop_ib_cable_name(dump, port, name);
  const char *one = ripstop_ib_end(dump, port), *two = ripstop_ib_end(dump, a->mate);
  const char *const *where = RIPSTOP_AT(name, one, two);
  if (a->node == b->node)
    ripstop_odds_add(&dump->odd, RIPSTOP_ODD_OWN_CABLE, a->line, where, "'%s': port %u is cabled to port %u",
                     described(&dump->node[a->node]), a->number, b->number);
  else if (dump->node[a->node].kind != RIPSTOP_IB_SWITCH && dump->node[b->node].kind != RIPSTOP_IB_SWITCH)
    ripstop_odds_add(&dump->odd, "cable without a switch", a->line, where, "'%s' and '%s' are cabled to each other",
                     described(&dump->node[a->node]), described(&dump->node[b->node]));
  else if (a->width != 0 && b->width != 0 && (a->width != b->width || strcmp(a->speed, b->speed) != 0))
    ripstop_odds_add(&dump->odd, "ends disagree on width", a->line, where, "%s says %ux%s, %s says %ux%s", one,
                     a->width, a->speed, two, b->width, b->speed);
  else if (ripstop_ib_could(dump, port) != RIPSTOP_NONE)
    say_could(dump, port, where);
}

/* The row of all ports without a LID. */
typedef struct no_lids {
  ripstop_ib_dump *dump;
  ripstop_odd *row; /* NULL: none so far */
} no_lids;

static void add_no_lid(no_lids *n, const ripstop_ib_node *node, uint32_t lid, const char *where) {
  if (lid != 0 && lid != RIPSTOP_NONE) return;
  if (n->row != NULL) {
    n->row->count++;
    ripstop_odd_place(&n->dump->odd, n->row, where);
    return;
  }
  n->row = ripstop_odds_add(&n->dump->odd, "no lid", node->line, RIPSTOP_AT(where), "%s ('%s')", where, node->text);
}

static bool has_any_lid(const ripstop_ib_dump *dump) {
  bool any = false;
  for (uint32_t i = 0; i < dump->nodes; i++) any |= dump->node[i].lid != RIPSTOP_NONE;
  for (uint32_t p = 0; p < dump->ports; p++) any |= dump->port[p].lid != RIPSTOP_NONE;
  return any;
}

/* In a dump without any LID no node lacks one. */
static void say_lids(ripstop_ib_dump *dump) {
  no_lids n = {.dump = dump};
  if (!has_any_lid(dump)) return;
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    if (node->kind == RIPSTOP_IB_SWITCH) add_no_lid(&n, node, node->lid, node->id);
    for (uint32_t p = node->first; node->kind != RIPSTOP_IB_SWITCH && p < node->first + node->ports; p++)
      add_no_lid(&n, node, dump->port[p].lid, ripstop_ib_end(dump, p));
  }
  if (n.row == NULL) return;
  const char *first = n.row->text;
  n.row->text =
      n.row->count == 1
          ? ripstop_arena_printf(dump->arena, "%s has no LID: it is not configured yet", first)
          : ripstop_arena_printf(dump->arena, "%u ports have no LID: they are not configured yet; the first is %s",
                                 n.row->count, first);
}

typedef struct port_guid {
  uint64_t guid;
  uint32_t port;
} port_guid;

static int by_guid(const void *a_, const void *b_) {
  const port_guid *a = a_, *b = b_;
  if (a->guid != b->guid) return a->guid < b->guid ? -1 : 1;
  return a->port < b->port ? -1 : a->port > b->port;
}

/* Forwarding tables name the owner of an address by its port GUID. */
static void say_port_guids(ripstop_ib_dump *dump) {
  port_guid *list = RIPSTOP_ARRAY(dump->arena, (size_t)dump->ports + 1, port_guid);
  uint32_t count = 0;
  for (uint32_t p = 0; p < dump->ports; p++)
    if (dump->port[p].guid != 0 && dump->node[dump->port[p].node].kind != RIPSTOP_IB_SWITCH)
      list[count++] = (port_guid){dump->port[p].guid, p};
  qsort(list, count, sizeof *list, by_guid);
  for (uint32_t i = 1; i < count; i++) {
    if (list[i].guid != list[i - 1].guid) continue;
    const char *one = ripstop_ib_end(dump, list[i - 1].port), *two = ripstop_ib_end(dump, list[i].port);
    ripstop_odds_add(&dump->odd, "duplicate GUID", dump->port[list[i].port].line, RIPSTOP_AT(one, two),
                     "%s and %s carry the same port GUID 0x%016" PRIx64, one, two, list[i].guid);
  }
}

static void say_isolated(ripstop_ib_dump *dump) {
  static const char *const kinds[] = {"isolated switch", "isolated adapter", "isolated router"};
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    if (node->ports == 0)
      ripstop_odds_add(&dump->odd, kinds[node->kind], node->line, RIPSTOP_AT(node->id), "%s ('%s') has no cable",
                       node->id, node->text);
  }
}

void ripstop_ib_say_rest(ripstop_ib_dump *dump) {
  say_again(dump);
  say_names(dump);
  for (uint32_t port = 0; port < dump->ports; port++)
    if (dump->port[port].mate != RIPSTOP_NONE && port < dump->port[port].mate) say_cable(dump, port);
  say_lids(dump);
  say_port_guids(dump);
  say_isolated(dump);
}
