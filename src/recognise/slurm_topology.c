/* slurm_topology.c - see slurm_topology.h. Pods are what stays connected without the switches above a level; levels are
 * those of the recognised fat tree, or distances from switches with hosts. Cost: O(levels * cables + n log n). */
#include "recognise/slurm_topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "base/growing.h"
#include "base/piece.h"
#include "base/text_table.h"
#include "fabric/ib.h"
#include "formats/infiniband/adapter_words.h"

/* A node at a leaf. */
typedef struct seat {
  const char *host;
  uint32_t leaf; /* switch, from 0; later the first of the leaves that share nodes */
} seat;

/* A leaf, a pod or a top, while it is made. */
typedef struct group {
  const char *name;
  uint32_t leaf;   /* one switch in it */
  uint32_t parent; /* group; RIPSTOP_NONE: none yet */
  uint32_t number; /* the last one that was added to its name, to tell others from it */
} group;

typedef struct maker {
  const ripstop_fabric *fabric;
  const ripstop_ib_fabric *ib;
  const ripstop_recognised *recognised;
  ripstop_arena *arena;
  slurm_topology *out;
  uint32_t switches;
  uint32_t *level; /* [switches] */
  uint32_t top;    /* the highest level */
  seat *seat;
  uint32_t seats, factory_names;
  uint32_t changed; /* adapters whose host has a name that Slurm cannot hold */
  const char *first_changed;
  uint32_t *leaf_of; /* [switches]: forest of leaves that share nodes */
  group *group;
  uint32_t groups, room;
  ripstop_text_table names; /* from the names of groups to groups */
} maker;

/* ------------------------------------------------------------------ names */

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static const char *plain(ripstop_arena *arena, piece p) {
  char *out = ripstop_arena_printf(arena, "%.*s", (int)piece_length(p), p.at);
  for (char *c = out; *c; c++)
    if (!is_plain(*c)) *c = '-';
  return out;
}

/* "MF0;dir1:MCS8500/L16/U2" is dir1-L16-U2, "MF0;leaf-1:MQM8700/U1" is leaf-1. */
static const char *switch_name(const maker *m, uint32_t at) {
  const ripstop_ib_node *node = &m->ib->dump->node[m->ib->switch_node[at]];
  piece text = piece_trimmed(piece_of(node->text[0] ? node->text : node->id));
  (void)piece_take(&text, "MF0;");
  const char *colon = memchr(text.at, ':', piece_length(text));
  if (!colon) return plain(m->arena, text);
  const char *board = piece_find((piece){colon, text.end}, "/L");
  if (!board) board = piece_find((piece){colon, text.end}, "/S");
  const char *name = plain(m->arena, (piece){text.at, colon});
  return board ? ripstop_arena_printf(m->arena, "%s%s", name, plain(m->arena, (piece){board, text.end})) : name;
}

/* A name with its last number apart. */
typedef struct numbered {
  const char *text;
  size_t prefix; /* bytes before the number */
  uint32_t width;
  uint64_t number;
} numbered;

static numbered number_of(const char *text) {
  enum { DIGITS_MAX = 18 };
  numbered n = {.text = text, .prefix = strlen(text)};
  while (n.prefix > 0 && n.width < DIGITS_MAX && piece_digit(text[n.prefix - 1]) < 10) {
    n.prefix--;
    n.width++;
  }
  piece p = piece_of(text + n.prefix);
  (void)piece_number(&p, 10, &n.number);
  return n;
}

static int by_prefix(const numbered *a, const numbered *b) {
  const size_t shorter = a->prefix < b->prefix ? a->prefix : b->prefix;
  const int order = memcmp(a->text, b->text, shorter);
  if (order != 0) return order;
  if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
  return (a->width > b->width) - (a->width < b->width);
}

static int by_number(const void *a_, const void *b_) {
  const numbered a = number_of(*(const char *const *)a_), b = number_of(*(const char *const *)b_);
  const int order = by_prefix(&a, &b);
  return order ? order : (a.number > b.number) - (a.number < b.number);
}

/* Names from `first` on that share prefix and width. */
static uint32_t count_alike(const char *const *name, uint32_t first, uint32_t count) {
  const numbered a = number_of(name[first]);
  uint32_t last = first + 1;
  for (; a.width > 0 && last < count; last++) {
    const numbered b = number_of(name[last]);
    if (by_prefix(&a, &b) != 0) break;
  }
  return last - first;
}

/* The numbers of names that share prefix and width: 001-018,020. */
static void add_numbers(ripstop_text *out, const char *const *name, uint32_t count) {
  for (uint32_t i = 0, last; i < count; i = last + 1) {
    const numbered from = number_of(name[i]);
    for (last = i; last + 1 < count && number_of(name[last + 1]).number == from.number + (last + 1 - i);) last++;
    ripstop_text_add(out, "%s%s", i ? "," : "", from.text + from.prefix);
    if (last > i) ripstop_text_add(out, "-%s", name[last] + number_of(name[last]).prefix);
  }
}

void ripstop_slurm_add_names(ripstop_text *out, const char **name, uint32_t count) {
  if (count) qsort(name, count, sizeof *name, by_number);
  for (uint32_t i = 0, alike; i < count; i += alike) {
    alike = count_alike(name, i, count);
    if (i) ripstop_text_add(out, ",");
    if (alike == 1) {
      ripstop_text_add(out, "%s", name[i]);
      continue;
    }
    ripstop_text_add(out, "%.*s[", (int)number_of(name[i]).prefix, name[i]);
    add_numbers(out, name + i, alike);
    ripstop_text_add(out, "]");
  }
}

/* ------------------------------------------------------------------ nodes and their leaves */

/* The name as Slurm can hold it. */
static const char *host_name(maker *m, piece host) {
  const char *name = plain(m->arena, host);
  if (!piece_is(host, name) && m->changed++ == 0)
    m->first_changed = ripstop_arena_printf(m->arena, "'%.*s' is %s", (int)piece_length(host), host.at, name);
  return name;
}

static void take_adapter(maker *m, const regex_t *pattern, uint32_t end) {
  const ripstop_ib_dump *dump = m->ib->dump;
  const ripstop_ib_node *node = &dump->node[dump->port[m->ib->end_port[end]].node];
  const uint32_t leaf = ripstop_end_switch(m->fabric, end);
  piece host, adapter;
  if (node->kind != RIPSTOP_IB_ADAPTER || node->aggregates || ripstop_is_end(m->fabric, leaf)) return;
  ib_adapter_words(node->text, &host, &adapter);
  const char *word = ripstop_arena_printf(m->arena, "%.*s", (int)piece_length(adapter), adapter.at);
  if (pattern && regexec(pattern, word, 0, NULL, 0) != 0) return;
  if (host.at == host.end || ib_is_factory_name(node->text))
    m->factory_names++;
  else
    m->seat[m->seats++] = (seat){host_name(m, host), leaf - m->fabric->ends};
}

static int take_adapters(maker *m, const char *adapters, ripstop_error *err) {
  regex_t pattern;
  if (adapters && ib_adapter_pattern(&pattern, adapters, err)) return -1;
  m->seat = RIPSTOP_ARRAY(m->arena, (size_t)m->fabric->ends + 1, seat);
  for (uint32_t end = 0; end < m->fabric->ends; end++) take_adapter(m, adapters ? &pattern : NULL, end);
  if (adapters) regfree(&pattern);
  if (m->seats) return 0;
  if (!adapters) return ripstop_fail(err, "no description of an adapter names its host, as 'n0101 mlx5_0' does");
  return ripstop_fail(err, "no adapter whose second word matches '%.100s', as that of 'n0101 mlx5_0' matches mlx5_.*",
                      adapters);
}

static int by_host(const void *a_, const void *b_) {
  const seat *a = a_, *b = b_;
  const int order = strcmp(a->host, b->host);
  return order ? order : (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* Leaves that share a node become one. -1: they are in separate fabrics. */
static int join_leaves(maker *m, const uint32_t *apart, ripstop_error *err) {
  qsort(m->seat, m->seats, sizeof *m->seat, by_host);
  m->leaf_of = ripstop_forest(m->arena, m->switches);
  for (uint32_t i = 1; i < m->seats; i++) {
    const seat *a = &m->seat[i - 1], *b = &m->seat[i];
    if (strcmp(a->host, b->host) != 0) continue;
    if (apart[a->leaf] != apart[b->leaf])
      return ripstop_fail(err,
                          "'%s' has adapters in two fabrics without a cable between them; pick those that count by "
                          "--adapters REGEX",
                          a->host);
    ripstop_join(m->leaf_of, a->leaf, b->leaf);
  }
  return 0;
}

/* ------------------------------------------------------------------ levels and what they connect */

static bool joins_switches(const maker *m, uint32_t link) {
  const ripstop_fabric *f = m->fabric;
  return !ripstop_is_end(f, ripstop_link_node(f, link, 0)) && !ripstop_is_end(f, ripstop_link_node(f, link, 1));
}

/* Number of the switch at one end of a cable between switches. */
static uint32_t side(const maker *m, uint32_t link, unsigned which) {
  return ripstop_link_node(m->fabric, link, which) - m->fabric->ends;
}

/* Distances from switches with hosts; those that none reaches stay at level 0. */
static void measure_levels(maker *m) {
  bool more = true;
  for (uint32_t i = 0; i < m->switches; i++) m->level[i] = RIPSTOP_NONE;
  for (uint32_t end = 0; end < m->fabric->ends; end++) {
    const uint32_t leaf = ripstop_end_switch(m->fabric, end);
    if (!ripstop_is_end(m->fabric, leaf)) m->level[leaf - m->fabric->ends] = 0;
  }
  for (uint32_t level = 0; more; level++) {
    more = false;
    for (uint32_t link = 0; link < m->fabric->links; link++) {
      if (!joins_switches(m, link)) continue;
      const uint32_t a = side(m, link, 0), b = side(m, link, 1);
      const uint32_t next = m->level[a] == level && m->level[b] == RIPSTOP_NONE   ? b
                            : m->level[b] == level && m->level[a] == RIPSTOP_NONE ? a
                                                                                  : RIPSTOP_NONE;
      if (next == RIPSTOP_NONE) continue;
      m->level[next] = level + 1;
      more = true;
    }
  }
  for (uint32_t i = 0; i < m->switches; i++)
    if (m->level[i] == RIPSTOP_NONE) m->level[i] = 0;
}

static void find_levels(maker *m) {
  const ripstop_recognised *r = m->recognised;
  m->level = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, uint32_t);
  if (strcmp(r->family, "fat tree") == 0 && r->dims > 0)
    for (uint32_t i = 0; i < m->switches; i++) m->level[i] = r->place[(size_t)i * r->dims];
  else
    measure_levels(m);
  for (uint32_t i = 0; i < m->switches; i++)
    if (m->level[i] > m->top) m->top = m->level[i];
}

/* The parts that stay connected without the switches above a level. */
static uint32_t *connect(const maker *m, uint32_t level) {
  uint32_t *part = ripstop_forest(m->arena, m->switches);
  for (uint32_t link = 0; link < m->fabric->links; link++) {
    if (!joins_switches(m, link)) continue;
    const uint32_t a = side(m, link, 0), b = side(m, link, 1);
    if (m->level[a] <= level && m->level[b] <= level) ripstop_join(part, a, b);
  }
  for (uint32_t i = 0; i < m->switches; i++) part[i] = ripstop_root(part, i);
  return part;
}

/* The pods of a dragonfly are its groups, whatever their levels. */
static uint32_t *gather(const maker *m) {
  const ripstop_recognised *r = m->recognised;
  uint32_t *part = ripstop_forest(m->arena, m->switches);
  for (uint32_t link = 0; link < m->fabric->links; link++) {
    if (!joins_switches(m, link)) continue;
    const uint32_t a = side(m, link, 0), b = side(m, link, 1);
    if (r->place[(size_t)a * r->dims] == r->place[(size_t)b * r->dims]) ripstop_join(part, a, b);
  }
  for (uint32_t i = 0; i < m->switches; i++) part[i] = ripstop_root(part, i);
  return part;
}

/* ------------------------------------------------------------------ groups */

static bool is_name(const void *owner, uint32_t entry, const char *text, size_t length) {
  const maker *m = owner;
  return strlen(m->group[entry].name) == length && memcmp(m->group[entry].name, text, length) == 0;
}

static uint32_t find_group(const maker *m, const char *name) {
  return ripstop_text_table_find(&m->names, name, strlen(name), is_name, m);
}

/* Adds "-2", "-3" and so on to a name that is taken. */
static uint32_t add_group(maker *m, const char *name, uint32_t leaf) {
  const uint32_t first = find_group(m, name);
  const char *own = name;
  while (find_group(m, own) != RIPSTOP_NONE)
    own = ripstop_arena_printf(m->arena, "%s-%u", name, ++m->group[first].number);
  ripstop_text_table_add(&m->names, own, strlen(own), m->groups);
  RIPSTOP_GROW_IN(m->arena, m->group, m->groups, m->room);
  m->group[m->groups] = (group){own, leaf, RIPSTOP_NONE, 1};
  return m->groups++;
}

typedef struct named {
  const char *name, *id;
  uint32_t leaf;
} named;

static int by_label(const void *a_, const void *b_) {
  const named *a = a_, *b = b_;
  const int order = by_number(&a->name, &b->name);
  return order ? order : strcmp(a->id, b->id);
}

static void add_note(maker *m, const char *note) {
  uint32_t room = m->out->notes;
  RIPSTOP_GROW_IN(m->arena, m->out->note, m->out->notes, room);
  m->out->note[m->out->notes++] = note;
}

static void note_joined(maker *m, const named *list, uint32_t count, uint32_t root, const char *name) {
  ripstop_text text = {0};
  uint32_t joined = 0;
  for (uint32_t i = 0; i < count; i++)
    if (ripstop_root(m->leaf_of, list[i].leaf) == root)
      ripstop_text_add(&text, "%s%s", joined++ ? ", " : "", list[i].name);
  if (joined > 1)
    add_note(m,
             ripstop_arena_printf(m->arena, "%s stands for %u switches that share nodes: %s", name, joined, text.data));
  ripstop_text_free(&text);
}

/* A group for each leaf, by name. Groups of leaves that share nodes have the first name. */
static void add_leaves(maker *m) {
  named *list = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, named);
  bool *has = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, bool);
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->seats; i++) has[m->seat[i].leaf] = true;
  for (uint32_t i = 0; i < m->switches; i++)
    if (has[i]) list[count++] = (named){switch_name(m, i), m->ib->dump->node[m->ib->switch_node[i]].id, i};
  qsort(list, count, sizeof *list, by_label);
  bool *done = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, bool);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t root = ripstop_root(m->leaf_of, list[i].leaf);
    if (done[root]) continue;
    done[root] = true;
    const uint32_t at = add_group(m, list[i].name, root);
    note_joined(m, list, count, root, m->group[at].name);
  }
}

/* The part of a group at a level; RIPSTOP_NONE: leaves that share nodes are in several parts, or above the level. */
static uint32_t part_of(const maker *m, uint32_t leaf, const uint32_t *part, uint32_t level) {
  for (uint32_t i = 0; i < m->seats; i++) {
    const uint32_t at = m->seat[i].leaf;
    if (ripstop_root(m->leaf_of, at) == leaf && (part[at] != part[leaf] || m->level[at] > level)) return RIPSTOP_NONE;
  }
  return part[leaf];
}

/* Groups without a parent get one for their part of the level: "pod-0", or the prefix alone if there is only one. */
static void add_parents(maker *m, const uint32_t *part, uint32_t level, const char *prefix, bool only) {
  const uint32_t before = m->groups;
  uint32_t *of_part = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, uint32_t), number = 0;
  for (uint32_t i = 0; i < m->switches; i++) of_part[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < before; i++) {
    if (m->group[i].parent != RIPSTOP_NONE) continue;
    const uint32_t at = part_of(m, m->group[i].leaf, part, level);
    if (at == RIPSTOP_NONE) continue;
    if (of_part[at] == RIPSTOP_NONE)
      of_part[at] =
          add_group(m, only ? prefix : ripstop_arena_printf(m->arena, "%s-%u", prefix, number++), m->group[i].leaf);
    m->group[i].parent = of_part[at];
  }
}

/* ------------------------------------------------------------------ the topology */

static void add_parts(slurm_entry *e, ripstop_arena *arena, uint32_t *room, const char *name) {
  RIPSTOP_GROW_IN(arena, e->part, e->parts, *room);
  e->part[e->parts++] = name;
}

static void list_entries(maker *m, uint32_t leaves) {
  slurm_topology *out = m->out;
  uint32_t *room = RIPSTOP_ARRAY(m->arena, (size_t)m->groups + 1, uint32_t);
  uint32_t *entry = RIPSTOP_ARRAY(m->arena, (size_t)m->switches + 1, uint32_t);
  out->list = RIPSTOP_ARRAY(m->arena, (size_t)m->groups + 1, slurm_entry);
  out->count = m->groups;
  out->leaves = leaves;
  for (uint32_t i = 0; i < m->groups; i++) {
    out->list[i] = (slurm_entry){.name = m->group[i].name, .is_leaf = i < leaves};
    if (i < leaves) entry[m->group[i].leaf] = i;
  }
  for (uint32_t i = 0; i < m->seats; i++) {
    const uint32_t at = entry[ripstop_root(m->leaf_of, m->seat[i].leaf)];
    const bool again = i > 0 && strcmp(m->seat[i].host, m->seat[i - 1].host) == 0;
    if (!again) add_parts(&out->list[at], m->arena, &room[at], m->seat[i].host);
  }
  for (uint32_t i = 0; i < m->groups; i++)
    if (m->group[i].parent != RIPSTOP_NONE)
      add_parts(&out->list[m->group[i].parent], m->arena, &room[m->group[i].parent], m->group[i].name);
  for (uint32_t i = 0; i < m->groups; i++)
    if (out->list[i].parts > 0) qsort(out->list[i].part, out->list[i].parts, sizeof(char *), by_number);
  out->smallest = out->list[0].parts;
  for (uint32_t i = 1; i < leaves; i++)
    if (out->list[i].parts < out->smallest) out->smallest = out->list[i].parts;
}

static void make_groups(maker *m, const uint32_t *apart) {
  const bool grouped = strncmp(m->recognised->family, "dragonfly", strlen("dragonfly")) == 0 && m->recognised->dims > 0;
  uint32_t fabrics = 0;
  add_leaves(m);
  const uint32_t leaves = m->groups;
  if (grouped) add_parents(m, gather(m), m->top, "pod", false);
  for (uint32_t level = 1; !grouped && level < m->top; level++)
    add_parents(m, connect(m, level), level, level == 1 ? "pod" : ripstop_arena_printf(m->arena, "level%u", level),
                false);
  for (uint32_t i = 0; i < leaves; i++) {
    bool first = true;
    for (uint32_t j = 0; j < i; j++) first = first && apart[m->group[j].leaf] != apart[m->group[i].leaf];
    fabrics += first;
  }
  add_parents(m, apart, m->top, "top", fabrics == 1);
  list_entries(m, leaves);
}

int ripstop_slurm_topology(slurm_topology *out, ripstop_arena *arena, const ripstop_fabric *fabric,
                           const ripstop_recognised *recognised, const char *adapters, ripstop_error *err) {
  maker m = {.fabric = fabric,
             .ib = ripstop_ib_of(fabric),
             .recognised = recognised,
             .arena = arena,
             .out = out,
             .names = {.arena = arena}};
  *out = (slurm_topology){0};
  if (!m.ib) return ripstop_fail(err, "%s is no dump of an InfiniBand fabric", fabric->spec);
  m.switches = ripstop_fabric_switches(fabric);
  if (take_adapters(&m, adapters, err)) return -1;
  find_levels(&m);
  const uint32_t *apart = connect(&m, m.top);
  if (join_leaves(&m, apart, err)) return -1;
  make_groups(&m, apart);
  if (m.factory_names)
    add_note(&m,
             ripstop_arena_printf(arena, "%u adapters are left out: their descriptions name no host", m.factory_names));
  if (m.changed)
    add_note(&m, ripstop_arena_printf(arena,
                                      "%u adapters have hosts whose names are written otherwise, with - for all but "
                                      "letters, digits, dot, - and _: %s",
                                      m.changed, m.first_changed));
  return 0;
}

void ripstop_slurm_add_file(ripstop_text *out, const slurm_topology *t, bool block) {
  for (uint32_t i = 0; i < t->notes; i++) ripstop_text_add(out, "# %s\n", t->note[i]);
  for (uint32_t i = 0; i < (block ? t->leaves : t->count); i++) {
    const slurm_entry *e = &t->list[i];
    ripstop_text_add(out, "%s=%s %s=", block ? "BlockName" : "SwitchName", e->name, e->is_leaf ? "Nodes" : "Switches");
    ripstop_slurm_add_names(out, e->part, e->parts);
    ripstop_text_add(out, "\n");
  }
  if (block) ripstop_text_add(out, "BlockSizes=%u\n", t->smallest);
}
