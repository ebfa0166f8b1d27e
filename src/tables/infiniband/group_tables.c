/* group_tables.c - masks are filled in as they come. Records are kept until the end: only then it is known how GUIDs of
 * ports are to be read. */
#include "tables/infiniband/group_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text_table.h"

enum { MLIDS = IB_MLID_LAST - IB_MLID_FIRST + 1, SENDS_ONLY = 4 };

/* A group while it is read. */
typedef struct reading {
  ripstop_group group;
  bool masked; /* some switch has a mask for it */
  bool *met;   /* [switches]: that has */
  bool joined; /* some record names a member */
  const char **mgid;
  uint32_t mgids, room;
  ripstop_text_table mgid_table;
} reading;

typedef struct member {
  uint32_t mlid, record;
  uint64_t guid, join;
} member;

struct group_tables {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  const ripstop_address_book *book;
  reading **of;    /* [MLIDS] */
  bool any;        /* a group table has begun */
  uint32_t now;    /* the switch of the present table; RIPSTOP_NONE: the fabric does not have it */
  uint32_t record; /* the last record that was seen in this file, 0: none */
  member *member;
  size_t members, room, first; /* first: of this file */
  uint32_t unknown;            /* tables of other switches */
};

group_tables *group_tables_new(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_address_book *book) {
  group_tables *t = RIPSTOP_NEW(arena, group_tables);
  *t = (group_tables){.arena = arena, .fabric = fabric, .book = book, .now = RIPSTOP_NONE};
  t->of = RIPSTOP_ARRAY(arena, MLIDS, reading *);
  return t;
}

void group_tables_file(group_tables *t) {
  t->now = RIPSTOP_NONE;
  t->record = 0;
  t->first = t->members;
}

/* ------------------------------------------------------------------ lines */

static reading *group_of(group_tables *t, uint64_t mlid) {
  reading **place = &t->of[mlid - IB_MLID_FIRST];
  if (*place) return *place;
  const uint32_t switches = ripstop_fabric_switches(t->fabric);
  *place = RIPSTOP_NEW(t->arena, reading);
  **place = (reading){.group = {.mlid = (uint32_t)mlid}, .mgid_table = {.arena = t->arena}};
  (*place)->group.mask = RIPSTOP_ARRAY(t->arena, ripstop_bits_words(t->fabric->ports), uint64_t);
  (*place)->group.own = RIPSTOP_ARRAY(t->arena, switches, bool);
  (*place)->met = RIPSTOP_ARRAY(t->arena, switches, bool);
  return *place;
}

static int begin_table(group_tables *t, const ib_group_line *line, const ib_tables *at, ripstop_error *err) {
  if (!line->has_guid)
    return ripstop_fail(err, "%s:%u: the group table does not say whose it is ('guid 0x...' is missing)", at->path,
                        at->line);
  t->any = true;
  t->now = t->book->switch_of(t->book->owner, line->guid);
  t->unknown += t->now == RIPSTOP_NONE;
  return 0;
}

/* Sets or compares a bit. False: an earlier line says otherwise. */
static bool put_bit(reading *r, const ripstop_fabric *f, uint32_t node, uint32_t local, bool wanted) {
  const uint32_t port = f->port_base[node] + local;
  if (r->met[node - f->ends]) return ripstop_bit_test(r->group.mask, port) == wanted;
  if (wanted) ripstop_bit_set(r->group.mask, port);
  return true;
}

static bool put_own(reading *r, const ripstop_fabric *f, uint32_t node, bool wanted) {
  bool *own = &r->group.own[node - f->ends];
  if (r->met[node - f->ends]) return *own == wanted;
  *own = wanted;
  return true;
}

static int check_ports(const group_tables *t, const ib_group_line *line, const ib_tables *at, ripstop_error *err) {
  const uint32_t behind = ripstop_node_ports(t->fabric, t->now) + t->book->first_port;
  const size_t port = ripstop_bits_next(line->port, IB_MASK_WORDS, behind);
  if (port >= IB_MASK_PORTS) return 0;
  return ripstop_fail(err, "%s:%u: port %zu for MLID 0x%04" PRIX64 ": the switch has ports up to %u", at->path,
                      at->line, port, line->mlid, behind - 1);
}

static int take_mask(group_tables *t, const ib_group_line *line, const ib_tables *at, ripstop_error *err) {
  const ripstop_fabric *f = t->fabric;
  if (t->now == RIPSTOP_NONE) return 0;
  if (check_ports(t, line, at, err)) return -1;
  const uint32_t first = t->book->first_port, ports = ripstop_node_ports(f, t->now);
  reading *r = group_of(t, line->mlid);
  bool agrees = put_own(r, f, t->now, ripstop_bit_test(line->port, 0));
  for (uint32_t local = first ? 0 : 1; local < ports; local++)
    agrees &= put_bit(r, f, t->now, local, ripstop_bit_test(line->port, local + first));
  r->met[t->now - f->ends] = r->masked = true;
  if (agrees) return 0;
  return ripstop_fail(err, "%s:%u: another mask for MLID 0x%04" PRIX64 " than an earlier line has for this switch",
                      at->path, at->line, line->mlid);
}

static bool is_mgid(const void *owner, uint32_t entry, const char *text, size_t length) {
  const reading *r = owner;
  return strlen(r->mgid[entry]) == length && memcmp(r->mgid[entry], text, length) == 0;
}

/* Adds the address of a group to those of its MLID. */
static void add_mgid(group_tables *t, reading *r, const char *mgid) {
  const size_t length = strlen(mgid);
  if (!length || ripstop_text_table_find(&r->mgid_table, mgid, length, is_mgid, r) != RIPSTOP_NONE) return;
  ripstop_text_table_add(&r->mgid_table, mgid, length, r->mgids);
  RIPSTOP_GROW_IN(t->arena, r->mgid, r->mgids, r->room);
  r->mgid[r->mgids++] = ripstop_arena_text(t->arena, mgid);
}

/* A record is seen again with each field that follows its MLID. */
static void take_record(group_tables *t, const ib_group_record *record) {
  reading *r = group_of(t, record->mlid);
  if (t->record != record->number) add_mgid(t, r, record->mgid);
  t->record = record->number;
  if (record->level != UINT64_MAX) r->group.levels |= (uint16_t)(1u << record->level);
  if (record->port_guid == UINT64_MAX) return;
  r->joined = true;
  const bool again = t->members > t->first && t->member[t->members - 1].record == record->number &&
                     t->member[t->members - 1].guid == record->port_guid;
  if (!again) {
    RIPSTOP_GROW_IN(t->arena, t->member, t->members, t->room);
    t->members++;
  }
  t->member[t->members - 1] = (member){(uint32_t)record->mlid, record->number, record->port_guid, record->join};
}

int group_tables_take(group_tables *t, const ib_group_line *line, const ib_tables *at, ripstop_error *err) {
  switch (line->kind) {
  case IB_GROUP_OF:
    return begin_table(t, line, at, err);
  case IB_GROUP_MASK:
    return take_mask(t, line, at, err);
  case IB_GROUP_RECORD:
    take_record(t, &at->groups.record);
    return 0;
  default:
    return 0;
  }
}

/* ------------------------------------------------------------------ into tables */

static bool receives(const member *m) { return m->join == UINT64_MAX || m->join != SENDS_ONLY; }

static int by_mlid(const void *a_, const void *b_) {
  const member *a = a_, *b = b_;
  return (a->mlid > b->mlid) - (a->mlid < b->mlid);
}

/* The members of a group that the fabric has, each once; `list` has its records. */
static void find_members(const group_tables *t, const member *list, size_t records, bool counted, ripstop_group *g,
                         ripstop_arena *arena) {
  uint32_t *node = RIPSTOP_ARRAY(arena, records + 1, uint32_t), count = 0;
  for (size_t i = 0; i < records; i++) {
    if (!receives(&list[i])) continue;
    node[count] = t->book->node_of_port(t->book->owner, list[i].guid, counted);
    count += node[count] != RIPSTOP_NONE;
  }
  qsort(node, count, sizeof *node, ripstop_by_u32);
  for (uint32_t i = 0; i < count; i++)
    if (i == 0 || node[i] != node[i - 1]) node[g->members++] = node[i];
  g->member = node;
}

static const char *list_mgids(const reading *r, ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(list);
  for (uint32_t i = 0; i < r->mgids; i++) ripstop_text_add(&list, "%s%s", i ? ", " : "", r->mgid[i]);
  return r->mgids ? ripstop_arena_text(arena, list.data) : NULL;
}

static void *copy(ripstop_arena *arena, const void *from, size_t count, size_t size) {
  void *to = ripstop_arena_array(arena, count, size);
  return memcpy(to, from, count * size);
}

static ripstop_group group_for(const group_tables *t, const reading *r, ripstop_arena *arena) {
  ripstop_group g = r->group;
  g.mgid = list_mgids(r, arena);
  g.assumed = !g.levels;
  if (g.assumed) g.levels = 1;
  g.mask = copy(arena, g.mask, ripstop_bits_words(t->fabric->ports), sizeof *g.mask);
  g.own = copy(arena, g.own, ripstop_fabric_switches(t->fabric), sizeof *g.own);
  return g;
}

/* Finds the members of all groups in one pass: both lists are sorted by MLID. */
static void fill_members(group_tables *t, bool counted, ripstop_groups *groups, ripstop_arena *arena) {
  size_t first = 0, last;
  if (t->members) qsort(t->member, t->members, sizeof *t->member, by_mlid);
  for (uint32_t i = 0; i < groups->groups; i++, first = last) {
    ripstop_group *g = &groups->group[i];
    while (first < t->members && t->member[first].mlid < g->mlid) first++;
    for (last = first; last < t->members && t->member[last].mlid == g->mlid;) last++;
    if (t->of[g->mlid - IB_MLID_FIRST]->joined) find_members(t, t->member + first, last - first, counted, g, arena);
  }
}

void group_tables_fill(group_tables *t, bool counted, ripstop_forwarding *out, ripstop_lfts_notes *notes) {
  uint32_t count = 0;
  notes->unknown_group_tables = t->unknown;
  notes->groups_without_tables = false;
  for (uint32_t i = 0; i < MLIDS; i++) count += t->of[i] != NULL;
  if (!t->any) {
    notes->groups_without_tables = count > 0;
    return;
  }
  ripstop_groups *groups = RIPSTOP_NEW(out->arena, ripstop_groups);
  groups->group = RIPSTOP_ARRAY(out->arena, count + 1, ripstop_group);
  for (uint32_t i = 0; i < MLIDS; i++)
    if (t->of[i] && (t->of[i]->masked || t->of[i]->joined))
      groups->group[groups->groups++] = group_for(t, t->of[i], out->arena);
  fill_members(t, counted, groups, out->arena);
  out->groups = groups;
}
