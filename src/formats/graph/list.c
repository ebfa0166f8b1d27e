/* list.c - refuses edge lists that cannot be the routers and cables of an interconnect.
 *
 * Any text with two words a line would be a graph: settings, sentences, and hosts that are listed as routers. Names are
 * free, so the graph decides, not what its routers are called:
 *
 * - A list with hosts: routers of one numbered name ("n1", "n2"), each with one cable and others between the routers.
 *   A router is also a host if its name begins with a word for hosts and all its cables go to other names.
 * - Settings or hosts: one column has names that stand there once and nowhere else ("listen 80", "n1 sw1").
 * - Sentences: several parts, of which one has no cycle. Planes of a fabric do have cycles.
 * - Hosts whose names show nothing: four or more routers with one cable, and at least half of all.
 * - Arcs: each pair of names in both directions. Each cable would be two.
 * - Settings again: bare numbers among names that are words ("k 8"), or two words of settings or of English.
 *
 * Names that are all one word with numbers ("r0", "r1") are routers in any graph, and numbers alone in any of one part.
 *
 * Each refusal names the first line that shows it, and what to write if the list is right. A line '@end' or '@router'
 * shows that the writer knows the format: all is accepted then but a name for hosts without its own '@router'. A speed
 * or KEY=VALUE shows an edge list, so only hosts are looked for. */
#include <stdlib.h>
#include <strings.h>

#include "base/forest.h"
#include "formats/graph/named_graph.h"
#include "ripstop/plugin/base.h"

/* A list without end nodes. */
typedef struct list {
  const ripstop_graph *graph;
  uint32_t *cables;    /* [routers] */
  uint32_t *column[2]; /* [routers]: the lines that have the name in this column */
} list;

static const char *name_of(const ripstop_graph *g, uint32_t router) { return g->router[router].name; }

static void count(list *l) {
  const ripstop_graph *g = l->graph;
  l->cables = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
  for (unsigned side = 0; side < 2; side++) {
    l->column[side] = RIPSTOP_ARRAY(g->arena, g->routers + 1, uint32_t);
    for (uint32_t i = 0; i < g->cables; i++) l->column[side][g->cable[i].node[side]]++;
  }
  for (uint32_t v = 0; v < g->routers; v++) l->cables[v] = l->column[0][v] + l->column[1][v];
}

/* True if a router has a line '@router'. */
static bool any_listed(const ripstop_graph *g) {
  for (uint32_t v = 0; v < g->routers; v++)
    if (g->router[v].listed) return true;
  return false;
}

/* ------------------------------------------------------------------ names */

/* The bytes before the number at the end of a name, and before one mark there: 2 of "sw12" and "sw-12"; 0: the name
 * has no such number, or no word before it. */
static size_t stem_of(const char *name) {
  static const char marks[] = "_-.:/";
  size_t length = strlen(name);
  const size_t whole = length;
  while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9') length--;
  if (length == whole) return 0;
  if (length > 0 && strchr(marks, name[length - 1])) length--;
  const bool word =
      length > 0 && !strchr(marks, name[length - 1]) && (name[length - 1] < '0' || name[length - 1] > '9');
  return word ? length : 0;
}

static bool same_stem(const char *a, const char *b) {
  const size_t length = stem_of(a);
  return length == stem_of(b) && memcmp(a, b, length) == 0;
}

/* True if all names are numbers ("3.1" too), or one word with numbers. */
static bool are_alike(const ripstop_graph *g) {
  for (uint32_t v = 0; v < g->routers; v++) {
    const char *name = name_of(g, v);
    if (!same_stem(name, name_of(g, 0)) || (stem_of(name) == 0 && name[strspn(name, "0123456789_-.:/")])) return false;
  }
  return true;
}

/* "host12", "gpu-0", "host-a". */
static bool is_host(const char *name) {
  static const char *const words[] = {"host", "server",  "srv", "gpu",      "nic",    "hca",     "npu",
                                      "xpu",  "compute", "vm",  "endpoint", "client", "adapter", NULL};
  const size_t letters = strcspn(name, "0123456789_-.:/");
  for (const char *const *w = words; *w && name[letters]; w++)
    if (strlen(*w) == letters && strncasecmp(name, *w, letters) == 0) return true;
  return false;
}

/* ------------------------------------------------------------------ hosts */

static const ripstop_graph_cable *cable_of(const ripstop_graph *g, uint32_t router) {
  for (uint32_t i = 0; i < g->cables; i++)
    if (g->cable[i].node[0] == router || g->cable[i].node[1] == router) return &g->cable[i];
  return NULL;
}

static int refuse_host(const list *l, uint32_t host, ripstop_error *err) {
  const ripstop_graph *g = l->graph;
  const ripstop_graph_cable *c = cable_of(g, host);
  const char *name = name_of(g, host), *router = name_of(g, c->node[c->node[0] == host]);
  return ripstop_fail(err,
                      "%s:%u: '%.60s' is probably a host, but would be a router with a host of its own: "
                      "'@end %.60s%s %.60s' makes it an end node, '@router %.60s' says that it is a router",
                      g->file, c->line, name, name, l->cables[host] > 1 ? ":1" : "", router, name);
}

/* A router that is called a host, and has cables to routers only that are not; RIPSTOP_NONE: none. */
static uint32_t named_host(const list *l) {
  const ripstop_graph *g = l->graph;
  bool *other = RIPSTOP_ARRAY(g->arena, g->routers + 1, bool);
  for (uint32_t i = 0; i < g->cables; i++)
    for (unsigned side = 0; side < 2; side++)
      other[g->cable[i].node[side]] |= is_host(name_of(g, g->cable[i].node[1 - side]));
  for (uint32_t v = 0; v < g->routers; v++)
    if (l->cables[v] > 0 && !other[v] && !g->router[v].listed && is_host(name_of(g, v))) return v;
  return RIPSTOP_NONE;
}

typedef struct stem {
  uint32_t leaves, others;
} stem;

static bool has_stem(const void *data, uint32_t index, const char *text, size_t length) {
  const list *l = data;
  const char *name = name_of(l->graph, index);
  return stem_of(name) == length && memcmp(name, text, length) == 0;
}

/* The first of two or more routers with one cable, if no router of the same word has more; RIPSTOP_NONE: none. */
static uint32_t numbered_host(const list *l) {
  const ripstop_graph *g = l->graph;
  ripstop_text_table stems = {.arena = g->arena};
  stem *of = RIPSTOP_ARRAY(g->arena, g->routers + 1, stem); /* by the first router of its name */
  uint32_t inner = 0;
  for (uint32_t v = 0; v < g->routers; v++) {
    const size_t length = stem_of(name_of(g, v));
    inner += l->cables[v] > 1;
    if (length == 0) continue;
    uint32_t first = ripstop_text_table_find(&stems, name_of(g, v), length, has_stem, l);
    if (first == RIPSTOP_NONE) ripstop_text_table_add(&stems, name_of(g, v), length, first = v);
    ++*(l->cables[v] == 1 ? &of[first].leaves : &of[first].others);
  }
  for (uint32_t v = 0; v < g->routers && inner > 0; v++)
    if (of[v].leaves > 1 && of[v].others == 0) return v;
  return RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ settings and sentences */

static int refuse(const ripstop_graph *g, const ripstop_graph_cable *c, const char *why, ripstop_error *err) {
  return ripstop_fail(err,
                      "%s:%u: '%.60s %.60s' is probably no cable between routers: %s; write hosts as '@end NAME "
                      "ROUTER', or '@router %.60s' if this is a router",
                      g->file, c->line, name_of(g, c->node[0]), name_of(g, c->node[1]), why, name_of(g, c->node[0]));
}

/* The first router with one cable, if four or more have one, and at least half of all; RIPSTOP_NONE: they are fewer. */
static uint32_t single_host(const list *l) {
  enum { LEAST = 4 };
  uint32_t count = 0, first = RIPSTOP_NONE;
  for (uint32_t v = l->graph->routers; v-- > 0;)
    if (l->cables[v] == 1) count++, first = v;
  return count >= LEAST && 2 * count >= l->graph->routers ? first : RIPSTOP_NONE;
}

/* A name that is a word of settings or sentences, if at least two are; else NULL. */
static const char *odd_words(const ripstop_graph *g) {
  static const char *const words[] = {"topology", "torus",    "mesh",     "routing", "routing_function",
                                      "traffic",  "uniform",  "true",     "false",   "yes",
                                      "on",       "off",      "none",     "null",    "auto",
                                      "default",  "enabled",  "disabled", "enable",  "disable",
                                      "host",     "hostname", "user",     "port",    "password",
                                      "mode",     "level",    "size",     "type",    "name",
                                      "value",    "timeout",  "seed",     "the",     "and",
                                      "of",       "to",       "is",       "it",      "in",
                                      "or",       "not",      "be",       "that",    "this",
                                      "with",     "for",      "mov",      "jmp",     "call",
                                      NULL};
  const char *found = NULL;
  for (uint32_t v = 0; v < g->routers; v++)
    for (const char *const *w = words; *w; w++) {
      if (strcasecmp(name_of(g, v), *w) != 0) continue;
      if (found) return found;
      found = *w;
    }
  return NULL;
}

/* The first name that is a number ("8", "0.5") or begins with one ("0x1f", "80/tcp"), if other names begin with no
 * digit; NULL: all names begin with a digit, or none does. */
static const char *odd_number(const ripstop_graph *g) {
  const char *number = NULL;
  uint32_t words = 0;
  for (uint32_t v = 0; v < g->routers; v++) {
    const char *name = name_of(g, v);
    if (*name >= '0' && *name <= '9')
      number = number ? number : name;
    else
      words++;
  }
  return words > 0 ? number : NULL;
}

static int by_pair(const void *a_, const void *b_) {
  const uint64_t a = *(const uint64_t *)a_, b = *(const uint64_t *)b_;
  return a < b ? -1 : a > b;
}

/* True if each pair stands there in both directions, equally often. */
static bool are_arcs(const ripstop_graph *g) {
  uint64_t *there = RIPSTOP_ARRAY(g->arena, g->cables, uint64_t), *back = RIPSTOP_ARRAY(g->arena, g->cables, uint64_t);
  for (uint32_t i = 0; i < g->cables; i++) {
    there[i] = (uint64_t)g->cable[i].node[0] << 32 | g->cable[i].node[1];
    back[i] = (uint64_t)g->cable[i].node[1] << 32 | g->cable[i].node[0];
  }
  qsort(there, g->cables, sizeof *there, by_pair);
  qsort(back, g->cables, sizeof *back, by_pair);
  return memcmp(there, back, g->cables * sizeof *there) == 0;
}

static int check_words(const list *l, ripstop_error *err) {
  const ripstop_graph *g = l->graph;
  char why[RIPSTOP_NAME_MAX];
  const char *word = odd_words(g), *number = odd_number(g);
  if (word) snprintf(why, sizeof why, "'%s' and other names are words of settings or of a text", word);
  if (!word && number)
    snprintf(why, sizeof why, "'%.60s' %s beside names that are words, as in a settings file", number,
             number[strspn(number, "0123456789.")] ? "begins with a number" : "is a bare number");
  return word || number ? refuse(g, &g->cable[0], why, err) : 0;
}

/* True if each name in this column stands there once, and in no other place. */
static bool is_of_leaves(const list *l, unsigned side) {
  for (uint32_t v = 0; v < l->graph->routers; v++)
    if (l->column[side][v] > 1 || (l->column[side][v] == 1 && l->column[1 - side][v] > 0)) return false;
  return true;
}

/* The first cable of a part without a cycle, and how many parts there are. */
static const ripstop_graph_cable *tree_part(const ripstop_graph *g, uint32_t *parts) {
  uint32_t *parent = ripstop_forest(g->arena, g->routers);
  bool *cycle = RIPSTOP_ARRAY(g->arena, g->routers + 1, bool);
  *parts = g->routers;
  for (uint32_t i = 0; i < g->cables; i++) {
    const uint32_t a = ripstop_root(parent, g->cable[i].node[0]), b = ripstop_root(parent, g->cable[i].node[1]);
    cycle[b] |= cycle[a] || a == b;
    *parts -= a != b;
    parent[a] = b;
  }
  for (uint32_t i = 0; i < g->cables; i++)
    if (!cycle[ripstop_root(parent, g->cable[i].node[0])]) return &g->cable[i];
  return NULL;
}

static int check_graph(const list *l, ripstop_error *err) {
  static const char *const once[] = {"each name of the first column stands there once and nowhere else, as in settings",
                                     "each name of the second column stands there once and nowhere else"};
  const ripstop_graph *g = l->graph;
  char why[RIPSTOP_NAME_MAX];
  uint32_t parts;
  const bool alike = are_alike(g);
  if (are_arcs(g)) return refuse(g, &g->cable[0], "each pair is listed in both directions; list each cable once", err);
  if (alike && stem_of(name_of(g, 0)) > 0) return 0;
  for (unsigned side = 0; side < 2 && !alike; side++)
    if (is_of_leaves(l, side)) return refuse(g, &g->cable[0], once[side], err);
  if (!alike && check_words(l, err)) return -1;
  const uint32_t host = alike ? RIPSTOP_NONE : single_host(l);
  if (host != RIPSTOP_NONE) return refuse_host(l, host, err);
  const ripstop_graph_cable *tree = tree_part(g, &parts);
  if (!tree || parts == 1) return 0;
  const bool single = l->cables[tree->node[0]] == 1 && l->cables[tree->node[1]] == 1;
  snprintf(why, sizeof why, "the list falls into %u parts, and the part of this line has no cycle%s", parts,
           single && tree == &g->cable[0] ? " (or are these the titles of columns?)" : "");
  return refuse(g, tree, why, err);
}

int ripstop_graph_check_list(const ripstop_graph *g, ripstop_error *err) {
  list l = {.graph = g};
  if (g->ends > 0 || g->cables == 0) return 0;
  count(&l);
  const uint32_t named = named_host(&l), host = named == RIPSTOP_NONE && !any_listed(g) ? numbered_host(&l) : named;
  if (host != RIPSTOP_NONE) return refuse_host(&l, host, err);
  return g->marked ? 0 : check_graph(&l, err);
}
