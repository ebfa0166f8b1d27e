/* hosts.c - reports oddities that only a dump or an edge list can show: ports whose name several cables have, and hosts
 * whose adapters hang on the wrong leaf.
 *
 * Rails. Adapters of one host have one description but for the last word ("node05 mlx5_3"); the second port of one
 * counts as an adapter of its own ("node05 mlx5_3 port 2"). An edge list has names, whose last word begins behind a
 * colon or a slash ("node05:mlx5_3"): hyphens and points also separate racks, roles and sites. If each leaf serves
 * adapters with one last word, that is its rail. The leaf on which an adapter should be is that of the hosts which
 * share most other leaves with its own. Hosts with one port number on all their leaves give the port too.
 * A description from the factory is the same on all adapters of a kind, so it says nothing of hosts or rails. */
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "fabric/ib.h"
#include "formats/infiniband/lines.h"
#include "recognise/recognised_graph.h"

/* ------------------------------------------------------------------ ports of one name */

typedef struct named_port {
  uint32_t router;
  const char *name;
} named_port;

static int by_port(const void *a_, const void *b_) {
  const named_port *a = a_, *b = b_;
  if (a->router != b->router) return a->router < b->router ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* A number distinguishes ports of one name; in GraphML, edges that meet may mean one port. */
void recognised_report_ports(const recognised_graph *net, ripstop_odds *odds) {
  const ripstop_graph_detail *d = ripstop_graph_of(net->fabric);
  if (d == NULL || d->graph.xml) return;
  const ripstop_graph *g = &d->graph;
  named_port *list = RIPSTOP_ARRAY(net->arena, 2 * (size_t)g->cables + 1, named_port);
  size_t count = 0;
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = g->cable[i].ends; side < 2; side++)
      if (g->cable[i].label[side] && !g->cable[i].numbered[side])
        list[count++] = (named_port){g->cable[i].node[side], g->cable[i].label[side]};
  qsort(list, count, sizeof *list, by_port);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && by_port(&list[next], &list[i]) == 0;) next++;
    if (next == i + 1) continue;
    const char *router = g->router[list[i].router].name;
    ripstop_odds_add(odds, "two cables at a port", 0,
                     RIPSTOP_AT(ripstop_arena_printf(net->arena, "%s/%s", router, list[i].name)),
                     "port '%s' of '%s' has %zu cables", list[i].name, router, next - i);
  }
}

/* ------------------------------------------------------------------ hosts and their adapters */

typedef struct adapter {
  const char *text;   /* the description, in an edge list the name */
  uint32_t host_part; /* bytes of it that name the host */
  uint32_t host, rail;
  uint32_t leaf, port; /* switch of the net; RIPSTOP_NONE: only listed */
  uint32_t end;
} adapter;

/* Hosts on a leaf have the adapter of a rail at another leaf so many times. */
typedef struct partner {
  uint32_t leaf, rail, other, times;
} partner;

typedef struct rails {
  const recognised_graph *net;
  const ripstop_ib_dump *dump; /* NULL: an edge list */
  adapter *list;               /* sorted by host, then rail's name */
  uint32_t count, hosts, rails;
  const char **rail_name;
  uint32_t *first; /* [hosts + 1] */
  partner *partner;
  uint32_t partners;
  uint32_t *rail_of; /* [switches]: of a leaf; RIPSTOP_NONE: none */
  uint32_t *unnamed; /* [switches]: adapters there whose description names no host */
} rails;

static const char *rail_text(const adapter *a) { return a->text + a->host_part + 1; }

static int by_host(const void *a_, const void *b_) {
  const adapter *a = a_, *b = b_;
  uint32_t least = a->host_part < b->host_part ? a->host_part : b->host_part;
  int order = memcmp(a->text, b->text, least);
  if (order == 0 && a->host_part != b->host_part) order = a->host_part < b->host_part ? -1 : 1;
  if (order == 0) order = strcmp(rail_text(a), rail_text(b));
  if (order != 0) return order;
  return a->end < b->end ? -1 : a->end > b->end;
}

/* Before the last word of a description or, in an edge list, of a name; NULL: it is one word. */
static const char *last_gap(const rails *r, const char *text) {
  if (r->dump != NULL) return strrchr(text, ' ');
  const char *gap = NULL;
  for (const char *c = text; (c = strpbrk(c, ":/")) != NULL; c++) gap = c;
  return gap;
}

bool recognised_is_factory_text(const char *text) {
  if (strncmp(text, "MT", 2) != 0) return false;
  const size_t digits = strspn(text + 2, "0123456789");
  return digits > 0 && text[2 + digits] == ' ';
}

/* `number` is that of its port. */
static void add_adapter(rails *r, const char *text, uint32_t number, uint32_t leaf, uint32_t port, uint32_t end) {
  const char *gap = last_gap(r, text);
  if (gap == NULL || gap == text || gap[1] == '\0') return;
  if (r->dump != NULL && recognised_is_factory_text(text)) {
    if (leaf != RIPSTOP_NONE) r->unnamed[leaf]++;
    return;
  }
  const ptrdiff_t host_part = gap - text;
  if (number > 1) text = ripstop_arena_printf(r->net->arena, "%s port %u", text, number);
  r->list[r->count++] =
      (adapter){.text = text, .host_part = (uint32_t)host_part, .leaf = leaf, .port = port, .end = end};
}

/* A router's port is no adapter of a host. */
static bool is_adapter(const rails *r, uint32_t end) {
  if (r->dump == NULL) return true;
  const ripstop_ib_port *port = &r->dump->port[ripstop_ib_of(r->net->fabric)->end_port[end]];
  return recognised_is_host(r->net, end) && r->dump->node[port->node].kind == RIPSTOP_IB_ADAPTER;
}

static void list_adapters(rails *r) {
  const ripstop_fabric *f = r->net->fabric;
  const ripstop_ib_dump *dump = r->dump;
  const uint32_t nodes = dump ? dump->nodes : 0;
  r->list = RIPSTOP_ARRAY(r->net->arena, (size_t)f->ends + 2 * (size_t)nodes + 1, adapter);
  r->unnamed = RIPSTOP_ARRAY(r->net->arena, r->net->switches, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++)
    if (is_adapter(r, end))
      add_adapter(r, dump ? ripstop_ib_description(f, end) : ripstop_graph_of(f)->graph.end[end],
                  dump ? dump->port[ripstop_ib_of(f)->end_port[end]].number : 1, ripstop_end_switch(f, end) - f->ends,
                  ripstop_end_switch_port(f, end), end);
  for (uint32_t i = 0; i < nodes; i++) { /* listed without a cable, or a second time under another name */
    const ripstop_ib_node *node = &dump->node[i];
    if (node->kind != RIPSTOP_IB_ADAPTER || node->aggregates) continue;
    if (node->ports == 0) add_adapter(r, node->text, 1, RIPSTOP_NONE, 0, RIPSTOP_NONE);
    if (node->again != 0 && strcmp(node->again_text, node->text) != 0)
      add_adapter(r, node->again_text, 1, RIPSTOP_NONE, 0, RIPSTOP_NONE);
  }
  qsort(r->list, r->count, sizeof *r->list, by_host);
}

static bool same_host(const adapter *a, const adapter *b) {
  return a->host_part == b->host_part && memcmp(a->text, b->text, a->host_part) == 0;
}

static uint32_t rail_number(rails *r, const char *name) {
  for (uint32_t i = 0; i < r->rails; i++)
    if (strcmp(r->rail_name[i], name) == 0) return i;
  r->rail_name[r->rails] = name;
  return r->rails++;
}

enum { RAILS_MAX = 64 };

/* Numbers hosts and rails. False when the last words are too many to be those of adapters. */
static bool number(rails *r) {
  r->rail_name = RIPSTOP_ARRAY(r->net->arena, RAILS_MAX + 1, const char *);
  r->first = RIPSTOP_ARRAY(r->net->arena, r->count + 2, uint32_t);
  for (uint32_t i = 0; i < r->count; i++) {
    if (i == 0 || !same_host(&r->list[i - 1], &r->list[i])) r->first[r->hosts++] = i;
    r->list[i].host = r->hosts - 1;
    r->list[i].rail = rail_number(r, rail_text(&r->list[i]));
    if (r->rails > RAILS_MAX) return false;
  }
  r->first[r->hosts] = r->count;
  return r->hosts >= 3 && r->rails >= 2;
}

/* The rail of every leaf: the one of two thirds of its adapters. Returns how many adapters are on a leaf of their
 * rail. */
static uint32_t find_leaf_rails(rails *r) {
  uint32_t *times = RIPSTOP_ARRAY(r->net->arena, (size_t)r->net->switches * r->rails, uint32_t), fits = 0;
  uint32_t *all = RIPSTOP_ARRAY(r->net->arena, r->net->switches, uint32_t);
  r->rail_of = RIPSTOP_ARRAY(r->net->arena, r->net->switches, uint32_t);
  for (uint32_t i = 0; i < r->count; i++)
    if (r->list[i].leaf != RIPSTOP_NONE)
      times[(size_t)r->list[i].leaf * r->rails + r->list[i].rail]++, all[r->list[i].leaf]++;
  for (uint32_t v = 0; v < r->net->switches; v++) {
    r->rail_of[v] = RIPSTOP_NONE;
    for (uint32_t k = 0; k < r->rails; k++)
      if (all[v] >= 3 && 3 * times[(size_t)v * r->rails + k] >= 2 * all[v]) r->rail_of[v] = k;
    if (r->rail_of[v] != RIPSTOP_NONE) fits += times[(size_t)v * r->rails + r->rail_of[v]];
  }
  return fits;
}

/* ------------------------------------------------------------------ oddities */

static const adapter *adapter_of(const rails *r, uint32_t host, uint32_t rail) {
  for (uint32_t i = r->first[host]; i < r->first[host + 1]; i++)
    if (r->list[i].rail == rail) return &r->list[i];
  return NULL;
}

static int by_partner(const void *a_, const void *b_) {
  const partner *a = a_, *b = b_;
  if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
  if (a->rail != b->rail) return a->rail < b->rail ? -1 : 1;
  return a->other < b->other ? -1 : a->other > b->other;
}

/* True if an adapter is on a leaf of its rail. */
static bool is_on_rail(const rails *r, const adapter *a) {
  return a->leaf != RIPSTOP_NONE && r->rail_of[a->leaf] == a->rail;
}

/* Counts for each leaf where hosts that hang on it have their other adapters. */
static void find_partners(rails *r) {
  uint32_t room = 0, count = 0;
  for (uint32_t h = 0; h < r->hosts; h++) room += (r->first[h + 1] - r->first[h]) * (r->first[h + 1] - r->first[h]);
  r->partner = RIPSTOP_ARRAY(r->net->arena, room + 1, partner);
  for (uint32_t h = 0; h < r->hosts; h++)
    for (uint32_t i = r->first[h]; i < r->first[h + 1]; i++)
      for (uint32_t j = r->first[h]; j < r->first[h + 1]; j++)
        if (i != j && is_on_rail(r, &r->list[i]) && is_on_rail(r, &r->list[j]))
          r->partner[count++] = (partner){r->list[i].leaf, r->list[j].rail, r->list[j].leaf, 1};
  qsort(r->partner, count, sizeof *r->partner, by_partner);
  for (uint32_t i = 0; i < count; i++)
    if (r->partners > 0 && by_partner(&r->partner[r->partners - 1], &r->partner[i]) == 0)
      r->partner[r->partners - 1].times++;
    else
      r->partner[r->partners++] = r->partner[i];
}

/* The leaf at which four fifths of the hosts of a leaf have the adapter of a rail; RIPSTOP_NONE: there is none. */
static uint32_t usual_partner(const rails *r, uint32_t leaf, uint32_t rail) {
  const partner key = {.leaf = leaf, .rail = rail};
  uint32_t low = 0, high = r->partners, all = 0, best = RIPSTOP_NONE, most = 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (by_partner(&r->partner[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (uint32_t i = low; i < r->partners && r->partner[i].leaf == leaf && r->partner[i].rail == rail; i++) {
    all += r->partner[i].times;
    if (r->partner[i].times > most) best = r->partner[i].other, most = r->partner[i].times;
  }
  return 5 * most >= 4 * all ? best : RIPSTOP_NONE;
}

/* The leaf on which a host's adapter of a rail should be, by most of its other adapters; *votes: how many say so. */
static uint32_t leaf_for(const rails *r, uint32_t host, uint32_t rail, uint32_t *votes) {
  uint32_t best = RIPSTOP_NONE;
  *votes = 0;
  for (uint32_t i = r->first[host]; i < r->first[host + 1]; i++) {
    uint32_t should = is_on_rail(r, &r->list[i]) ? usual_partner(r, r->list[i].leaf, rail) : RIPSTOP_NONE, times = 0;
    for (uint32_t j = r->first[host]; should != RIPSTOP_NONE && j < r->first[host + 1]; j++)
      times +=
          is_on_rail(r, &r->list[j]) && r->list[j].rail != rail && usual_partner(r, r->list[j].leaf, rail) == should;
    if (times > *votes) best = should, *votes = times;
  }
  return best;
}

/* The port at which most of a host's adapters are on their leaves, when that is a habit. */
static uint32_t port_for(const rails *r, uint32_t host) {
  uint32_t best = RIPSTOP_NONE, most = 0, all = 0;
  for (uint32_t i = r->first[host]; i < r->first[host + 1]; i++) {
    uint32_t times = 0;
    for (uint32_t j = r->first[host]; j < r->first[host + 1]; j++)
      times += r->list[j].leaf != RIPSTOP_NONE && r->list[j].port == r->list[i].port;
    all += r->list[i].leaf != RIPSTOP_NONE;
    if (times > most) best = r->list[i].port, most = times;
  }
  return 2 * most > all ? best : RIPSTOP_NONE;
}

static bool is_astray(const rails *r, const adapter *a) {
  return a->leaf != RIPSTOP_NONE && r->rail_of[a->leaf] != RIPSTOP_NONE && r->rail_of[a->leaf] != a->rail;
}

static const char *end_name(const rails *r, const adapter *a) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(r->net->fabric, a->end, name);
  return ripstop_arena_text(r->net->arena, name);
}

static const char *port_name(const rails *r, const adapter *a) { return recognised_end(r->net, a->leaf, a->port); }

static const char *called(const rails *r, uint32_t leaf) { return recognised_called(r->net, leaf); }

/* The port at which an adapter of the host should be; NULL: unknown. */
static const char *right_port(const rails *r, uint32_t host, uint32_t rail) {
  uint32_t votes, leaf = leaf_for(r, host, rail, &votes);
  return leaf == RIPSTOP_NONE ? NULL : recognised_end(r->net, leaf, port_for(r, host));
}

static void report_crossed(const rails *r, const adapter *a, const adapter *b, ripstop_odds *odds) {
  ripstop_odds_add(
      odds, "swapped host cables", 0, RIPSTOP_AT(end_name(r, a), port_name(r, a), end_name(r, b), port_name(r, b)),
      "'%s' and '%s' are crossed between '%s' and '%s'", a->text, b->text, called(r, b->leaf), called(r, a->leaf));
}

/* Another adapter of the host that is on this one's rail while this one is on its. */
static const adapter *crossed_with(const rails *r, const adapter *a) {
  const adapter *b = adapter_of(r, a->host, r->rail_of[a->leaf]);
  return b != NULL && is_astray(r, b) && r->rail_of[b->leaf] == a->rail ? b : NULL;
}

static void report_astray(const rails *r, const adapter *a, ripstop_odds *odds) {
  const adapter *b = crossed_with(r, a);
  if (b != NULL && b < a) return; /* reported with the other */
  if (b != NULL)
    report_crossed(r, a, b, odds);
  else
    ripstop_odds_add(odds, "wrong rail", 0,
                     RIPSTOP_AT(end_name(r, a), port_name(r, a), right_port(r, a->host, a->rail)),
                     "'%s' is cabled to '%s', whose other adapters are '%s'", a->text, called(r, a->leaf),
                     r->rail_name[r->rail_of[a->leaf]]);
}

/* The leaf on which an adapter that is on its rail should be, when that is another one; RIPSTOP_NONE: it is right. */
static uint32_t better_leaf(const rails *r, const adapter *a) {
  uint32_t votes, adapters = r->first[a->host + 1] - r->first[a->host];
  if (!is_on_rail(r, a)) return RIPSTOP_NONE;
  uint32_t leaf = leaf_for(r, a->host, a->rail, &votes);
  return leaf != a->leaf && votes >= 2 && 2 * votes >= adapters ? leaf : RIPSTOP_NONE;
}

/* Adapters on the right rail, but among hosts with which their own host shares no other leaf; two such may be crossed.
 */
static void report_misplaced(const rails *r, ripstop_odds *odds) {
  uint32_t *misplaced = RIPSTOP_ARRAY(r->net->arena, r->count + 1, uint32_t), count = 0;
  uint32_t *should = RIPSTOP_ARRAY(r->net->arena, r->count + 1, uint32_t);
  for (uint32_t i = 0; i < r->count; i++)
    if ((should[count] = better_leaf(r, &r->list[i])) != RIPSTOP_NONE) misplaced[count++] = i;
  for (uint32_t i = 0; i < count; i++) {
    if (misplaced[i] == RIPSTOP_NONE) continue;
    const adapter *a = &r->list[misplaced[i]], *b = NULL;
    for (uint32_t j = i + 1; j < count && b == NULL; j++) {
      if (misplaced[j] == RIPSTOP_NONE || should[j] != a->leaf || r->list[misplaced[j]].leaf != should[i]) continue;
      b = &r->list[misplaced[j]];
      misplaced[j] = RIPSTOP_NONE;
    }
    if (b != NULL)
      report_crossed(r, a, b, odds);
    else
      ripstop_odds_add(
          odds, "wrong leaf", 0, RIPSTOP_AT(end_name(r, a), port_name(r, a), right_port(r, a->host, a->rail)),
          "'%s' is cabled to '%s'; by its host it should be '%s'", a->text, called(r, a->leaf), called(r, should[i]));
  }
}

/* True if the adapter of a host may be there under a description that names no host: on the leaf where it should be or,
 * if that is not known, on any leaf of its rail. */
static bool may_be_unnamed(const rails *r, uint32_t host, uint32_t rail) {
  uint32_t votes, all = 0, leaf = leaf_for(r, host, rail, &votes);
  if (leaf != RIPSTOP_NONE) return r->unnamed[leaf] > 0;
  for (uint32_t v = 0; v < r->net->switches; v++) all += r->rail_of[v] == rail ? r->unnamed[v] : 0;
  return all > 0;
}

/* Rails that nearly all hosts have. */
static void report_missing(const rails *r, ripstop_odds *odds) {
  for (uint32_t rail = 0; rail < r->rails; rail++) {
    uint32_t have = 0, many = 0;
    for (uint32_t host = 0; host < r->hosts; host++) {
      bool is_many = r->first[host + 1] - r->first[host] >= 2;
      many += is_many;
      have += is_many && adapter_of(r, host, rail) != NULL;
    }
    for (uint32_t host = 0; host < r->hosts && have < many && 10 * have >= 9 * many; host++) {
      if (r->first[host + 1] - r->first[host] < 2 || adapter_of(r, host, rail) != NULL) continue;
      if (may_be_unnamed(r, host, rail)) continue;
      const adapter *a = &r->list[r->first[host]];
      const char *name = ripstop_arena_printf(r->net->arena, "%.*s", (int)a->host_part, a->text);
      const char *at = right_port(r, host, rail);
      ripstop_odds_add(odds, "missing adapter", 0, at ? RIPSTOP_AT(at, name) : RIPSTOP_AT(name),
                       "'%s' has no '%s', which its like have", name, r->rail_name[rail]);
    }
  }
}

uint32_t recognised_report_rails(const recognised_graph *net, const ripstop_model *tree, ripstop_odds *odds) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(net->fabric);
  if ((ib == NULL && ripstop_graph_of(net->fabric) == NULL) || tree == NULL) return 0;
  rails r = {.net = net, .dump = ib ? ib->dump : NULL};
  list_adapters(&r);
  if (!number(&r)) return 0;
  uint32_t fits = find_leaf_rails(&r), used = 0;
  if (10 * fits < 8 * r.count) return 0;
  uint8_t *seen = RIPSTOP_ARRAY(net->arena, r.rails, uint8_t);
  for (uint32_t v = 0; v < net->switches; v++)
    if (r.rail_of[v] != RIPSTOP_NONE && !seen[r.rail_of[v]]) seen[r.rail_of[v]] = 1, used++;
  if (used < 2) return 0;
  find_partners(&r);
  for (uint32_t i = 0; i < r.count; i++)
    if (is_astray(&r, &r.list[i])) report_astray(&r, &r.list[i], odds);
  report_misplaced(&r, odds);
  report_missing(&r, odds);
  return used;
}
