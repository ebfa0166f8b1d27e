/* lfts.c - a line that begins with "Unicast lids" and contains "guid 0x..." opens the table of that switch. "0xLID
 * PORT" is an entry, and "portguid 0x..." after it names the owner of the address, whatever the LID may be in the
 * fabric's own file: OpenSM reads it so, too (osm_ucast_file.c). All programs write "N lids dumped" after a table: a
 * table without it among others that have it was cut off.
 *
 * Every line is of a kind that some program writes, or a comment, or blank. Another line is damage, which would lose
 * an entry or assign one to the wrong switch. It is refused, unless its file has no line of such a kind, for then the
 * file is about something else.
 *
 * Two steps: entries are collected as they come, then addresses are numbered by node and LID, and filled in. */
#include "tables/infiniband/lfts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"
#include "formats/infiniband/kinds.h"
#include "tables/infiniband/adaptive_tables.h"
#include "tables/infiniband/group_tables.h"
#include "tables/infiniband/service_levels.h"

enum { LIDS = LEVELS_LIDS, STRANGE_MAX = 40, NO_PATH = 255 };

typedef struct entry {
  uint32_t switch_;
  uint16_t lid, port;
} entry;

/* The owners of addresses, under one reading of port GUIDs. */
typedef struct owners {
  uint32_t *next_node; /* [LIDS]: 1 more than the node, so that zeroed memory means no owner */
  uint32_t unknown;
  ripstop_lfts_place unknown_at;
  uint32_t strange;                /* addresses whose ports have other descriptions in the tables than in the fabric */
  ripstop_lfts_place contradicted; /* the first line that names another owner than an earlier one; line 0: none */
} owners;

struct ripstop_lfts {
  const ripstop_fabric *fabric;
  const ripstop_view *expected; /* its end nodes are addresses in any case; NULL: none are */
  const ripstop_address_book *book;
  ib_tables text; /* the file and line that are being read */
  uint32_t now;   /* the switch of the present table; RIPSTOP_NONE: unknown, or no table yet */
  uint32_t open;  /* the line that began it; 0: it has ended */
  bool begun;     /* a table began in this file */
  bool ended;     /* some table has its last line */
  ripstop_arena *arena;
  entry *entry;
  size_t entries, room;
  bool *met;        /* [LIDS] */
  uint32_t highest; /* the highest of these */
  uint32_t *last;   /* [LIDS]: the latest table that has an entry for it, counted from 1 */
  owners owner[2];  /* GUIDs of the dump, and counted ones */
  bool *table;      /* [switches] */
  levels *levels;
  group_tables *groups;
  adaptive_tables *adaptive;
  bool known;       /* some line of this file was recognised */
  uint32_t strange; /* its first unrecognised line, while none is recognised; 0: none */
  char strange_text[STRANGE_MAX + 1];
  const ib_kind *strange_kind; /* its likely kind; NULL: unknown */
  bool bare, described;        /* its last line is an entry that ends after its port; other lines continue */
  bool mask, unclosed;         /* its last line is the mask of a group; an entry with '(' and without ')' at its end */
  ripstop_lfts_notes notes;
};

/* RIPSTOP_NONE: no node of the fabric. */
static uint32_t owner_of(const owners *o, uint32_t lid) { return o->next_node[lid] - 1; }

/* ------------------------------------------------------------------ lines */

static ripstop_lfts_place here(const ripstop_lfts *r) { return (ripstop_lfts_place){r->text.path, r->text.line}; }

static void close_table(ripstop_lfts *r) {
  if (r->open && r->notes.truncated++ == 0) r->notes.first_truncated = (ripstop_lfts_place){r->text.path, r->open};
  r->open = 0;
}

/* Counted GUIDs fit any fabric with as many switches. */
static int check_name(const ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  if (!r->book->counted_guids || piece_length(l->name) == 0) return 0;
  ripstop_node_name(r->fabric, r->now, name);
  if (ib_line_names(l->name, name)) return 0;
  return ripstop_fail(
      err, "%s:%u: tables of another fabric: 0x%016" PRIx64 " is the switch '%.*s' here, and '%s' in %s", r->text.path,
      r->text.line, l->guid, (int)piece_length(l->name), l->name.at, name, r->fabric->spec);
}

static int open_table(ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  close_table(r);
  r->open = l->endless ? 0 : r->text.line;
  if (!l->has_guid)
    return ripstop_fail(err, "%s:%u: the table does not say whose it is ('guid 0x...' is missing)", r->text.path,
                        r->text.line);
  r->begun = true;
  r->now = r->book->switch_of(r->book->owner, l->guid);
  adaptive_tables_begin(r->adaptive, r->now);
  if (r->now == RIPSTOP_NONE) {
    if (r->notes.unknown_switches++ > 0) return 0;
    r->notes.unknown_switch = here(r);
    r->notes.unknown_guid = l->guid;
    return 0;
  }
  if (r->table[r->now - r->fabric->ends])
    return ripstop_fail(err, "%s:%u: a second table for the switch 0x%016" PRIx64, r->text.path, r->text.line, l->guid);
  r->table[r->now - r->fabric->ends] = true;
  r->notes.tables++;
  return check_name(r, l, err);
}

/* The owner of a LID by this line; the first line that has one settles it. */
static void settle_owner(ripstop_lfts *r, owners *o, const ib_table_line *l, uint32_t node) {
  const uint32_t lid = (uint32_t)l->lid;
  if (r->met[lid]) {
    if (owner_of(o, lid) != node && !o->contradicted.line) o->contradicted = here(r);
    return;
  }
  o->next_node[lid] = node + 1;
  if (node != RIPSTOP_NONE) {
    o->strange += !ib_line_describes(l->name, r->book->description(r->book->owner, node));
    return;
  }
  o->unknown++;
  if (!o->unknown_at.line) o->unknown_at = here(r);
}

static int settle_owners(ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  const uint32_t lid = (uint32_t)l->lid;
  if (l->wrong_guid) return ripstop_fail(err, "%s:%u: the GUID behind 'portguid' is none", r->text.path, r->text.line);
  if (!l->has_guid && r->met[lid]) return 0;
  for (unsigned counted = 0; counted < 2; counted++) {
    const uint32_t node = l->has_guid ? r->book->node_of_port(r->book->owner, l->guid, counted)
                                      : r->book->node_of_lid(r->book->owner, lid);
    settle_owner(r, &r->owner[counted], l, node);
  }
  r->met[lid] = true;
  if (lid > r->highest) r->highest = lid;
  return 0;
}

static int keep_entry(ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  const uint32_t lid = (uint32_t)l->lid;
  const uint64_t port = l->out;
  uint32_t first = r->book->first_port, ports = ripstop_node_ports(r->fabric, r->now) + first;
  if (port >= ports && port != NO_PATH)
    return ripstop_fail(err, "%s:%u: port %" PRIu64 " for LID 0x%04x: the switch has ports up to %u", r->text.path,
                        r->text.line, port, lid, ports - 1);
  if (r->last[lid] == r->notes.tables)
    return ripstop_fail(err, "%s:%u: a second entry for LID 0x%04x in one table", r->text.path, r->text.line, lid);
  r->last[lid] = r->notes.tables;
  if (settle_owners(r, l, err)) return -1;
  RIPSTOP_GROW_IN(r->arena, r->entry, r->entries, r->room);
  bool none = port == NO_PATH || port < first;
  r->entry[r->entries++] = (entry){r->now, (uint16_t)lid, none ? RIPSTOP_NO_PORT : (uint16_t)(port - first)};
  return adaptive_tables_entry(r->adaptive, &l->adaptive, &r->text, err);
}

static int read_entry(ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  if (l->lid == 0 && l->out == NO_PATH) return 0; /* `dump_lfts -a` */
  if (l->lid == 0 || l->lid >= LIDS)
    return ripstop_fail(err, "%s:%u: 0x%" PRIx64 " is no unicast LID (1 to 0x%x)", r->text.path, r->text.line, l->lid,
                        LIDS - 1);
  if (r->now == RIPSTOP_NONE) {
    if (r->begun) return 0;
    return ripstop_fail(err, "%s:%u: an entry before the first 'Unicast lids ... guid 0x...'", r->text.path,
                        r->text.line);
  }
  return keep_entry(r, l, err);
}

static int refuse_strange(const ripstop_lfts *r, ripstop_error *err) {
  return ripstop_fail(
      err, "%s:%u: '%s' is neither an entry ('0x0001 005') nor any other line of tables, service levels, VLs or groups",
      r->text.path, r->strange, r->strange_text);
}

static void keep_strange(ripstop_lfts *r, piece line) {
  if (r->strange) return;
  line = plain_line(r->arena, line);
  r->strange = r->text.line;
  r->strange_kind = ib_kind_of_line(line);
  snprintf(r->strange_text, sizeof r->strange_text, "%.*s", (int)piece_length(line), line.at);
}

static int take_line(ripstop_lfts *r, const ib_table_line *l, ripstop_error *err) {
  switch (l->kind) {
  case IB_LINE_TABLE:
    return open_table(r, l, err);
  case IB_LINE_ENTRY:
    return read_entry(r, l, err);
  case IB_LINE_TABLE_END:
    r->ended = true;
    r->open = 0;
    return 0;
  case IB_LINE_ADAPTIVE:
    return adaptive_tables_ports(r->adaptive, &l->adaptive, &r->text, err);
  case IB_LINE_GROUPS:
    return group_tables_take(r->groups, &l->group, &r->text, err);
  default:
    return levels_take(r->levels, l, &r->text, err);
  }
}

/* True for lines of a terminal or a web page, whose marks may stand within the name or the value of a field. */
static bool is_marked(piece line) {
  enum { ESCAPE = 0x1b };
  return memchr(line.at, ESCAPE, piece_length(line)) || piece_find(line, "<br");
}

/* Most lines are understood as they are; the others are read again without additions of terminals, logs and e-mails,
 * and in the state before them: a line that is not understood ends a record. */
static int parse_line(ripstop_lfts *r, piece line, ib_table_line *l, ripstop_error *err) {
  if (is_marked(line)) line = plain_line(r->arena, line);
  const ib_tables before = r->text;
  const int status = ib_tables_line(&r->text, line, l, err);
  const bool no_guid = l->wrong_guid || (l->kind == IB_LINE_TABLE && !l->has_guid);
  if (status == 0 && l->kind != IB_LINE_UNKNOWN && !no_guid) return 0;
  const piece plain = plain_line(r->arena, line);
  if (plain.at == line.at && plain.end == line.end) return status;
  r->text = before;
  return ib_tables_line(&r->text, plain, l, err);
}

static bool is_unclosed(piece description) {
  const piece p = piece_trimmed(description);
  return piece_find(p, "(") && p.end[-1] != ')';
}

/* "[root@head ~]# dump_lfts.sh", "root@head:~# ", "On Mon, 5 Jan 2026, Bob wrote:" */
static bool is_shell_or_mail(const ripstop_lfts *r, piece line) {
  static const char mail[] = "wrote:";
  const piece p = piece_trimmed(plain_line(r->arena, line));
  const size_t end = sizeof mail - 1;
  if (piece_length(p) >= end && memcmp(p.end - end, mail, end) == 0) return true;
  const char *at = memchr(p.at, '@', piece_length(p));
  if (at == NULL || piece_begins(p, "0x")) return false;
  for (const char *c = at; c < p.end; c++)
    if ((*c == '#' || *c == '$') && (c + 1 == p.end || c[1] == ' ')) return true;
  return false;
}

/* A separate function because of its guard, whose jump would clobber variables. */
static __attribute__((noinline)) int read_line(ripstop_lfts *r, piece line, ripstop_error *err) {
  ib_table_line l;
  if (parse_line(r, line, &l, err) != 0) return -1;
  if (l.kind == IB_LINE_UNKNOWN && is_shell_or_mail(r, line)) return 0;
  r->bare = l.bare;
  r->mask = l.kind == IB_LINE_GROUPS && l.group.kind == IB_GROUP_MASK;
  r->unclosed = l.kind == IB_LINE_ENTRY && is_unclosed(l.name);
  r->described |= l.kind == IB_LINE_ENTRY && !l.bare;
  r->known |= l.kind >= IB_LINE_KNOWN && l.kind != IB_LINE_TABLE_END;
  if (l.kind == IB_LINE_UNKNOWN) keep_strange(r, line);
  return r->known && r->strange ? refuse_strange(r, err) : take_line(r, &l, err);
}

int ripstop_lfts_line(ripstop_lfts *r, const char *text, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  r->text.line++;
  return read_line(r, (piece){text, text + length}, err);
}

int ripstop_lfts_cut(const ripstop_lfts *r, ripstop_error *err) {
  if (!r->mask && !r->unclosed && (!r->bare || !r->described)) return 0;
  return ripstop_fail(err, "%s:%u: the file stops in the middle of a line", r->text.path, r->text.line);
}

/* Notes files without a recognised line, except the summary that `ripstop route` writes beside its tables. */
static void end_file(ripstop_lfts *r) {
  static const char summary[] = "summary.json";
  close_table(r);
  if (!r->text.path || r->known) return;
  size_t length = strlen(r->text.path), tail = sizeof summary - 1;
  if (length >= tail && strcmp(r->text.path + length - tail, summary) == 0) return;
  if (r->notes.silent++ == 0) r->notes.silent_path = r->text.path;
}

void ripstop_lfts_file(ripstop_lfts *r, const char *path) {
  end_file(r);
  ib_tables_file(&r->text, path);
  group_tables_file(r->groups);
  r->strange = 0;
  r->now = RIPSTOP_NONE;
  r->known = r->begun = r->bare = r->described = r->mask = r->unclosed = false;
}

/* ------------------------------------------------------------------ from LIDs to addresses */

typedef struct owned {
  uint32_t node, lid;
} owned;

static int compare_owned(const void *a, const void *b) {
  const owned *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  return (x->lid > y->lid) - (x->lid < y->lid);
}

enum { NO_LID = 0 }; /* in the tables */

/* Expected end nodes with a LID that no table has become addresses without entries. */
static uint32_t add_missing(const ripstop_lfts *r, owned *list, uint32_t count, ripstop_lfts_notes *notes) {
  if (!r->expected) return count;
  bool *listed = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, bool);
  for (uint32_t i = 0; i < count; i++) listed[list[i].node] = true;
  for (uint32_t end = r->fabric->ends; end-- > 0;) {
    bool up = r->expected->port_up[r->fabric->port_base[end]];
    if (listed[end] || !up || !r->book->has_lid(r->book->owner, end)) continue;
    list[count++] = (owned){end, NO_LID};
    notes->without_entry++;
    notes->first_without_entry = end;
  }
  return count;
}

/* Lists the known LIDs, in the order of the addresses that they become. Returns how many. */
static uint32_t order_lids(const ripstop_lfts *r, const owners *o, owned *list, ripstop_lfts_notes *notes) {
  uint32_t count = 0;
  for (uint32_t lid = 0; lid <= r->highest; lid++)
    if (owner_of(o, lid) != RIPSTOP_NONE) list[count++] = (owned){owner_of(o, lid), lid};
  count = add_missing(r, list, count, notes);
  qsort(list, count, sizeof *list, compare_owned);
  return count;
}

static uint32_t owner_of_lid(const void *owners_, uint32_t lid) { return owner_of(owners_, lid); }

static ripstop_forwarding *fill(const ripstop_lfts *r, const owners *o, ripstop_arena *arena, ripstop_lfts_notes *notes,
                                ripstop_error *err) {
  size_t most = (size_t)r->highest + 1 + r->fabric->ends;
  owned *list = RIPSTOP_ARRAY(r->arena, most, owned);
  uint32_t *node = RIPSTOP_ARRAY(r->arena, most, uint32_t), *lid = RIPSTOP_ARRAY(r->arena, most, uint32_t);
  uint32_t *address = RIPSTOP_ARRAY(r->arena, most, uint32_t), count = order_lids(r, o, list, notes);
  for (uint32_t i = 0; i < count; i++) {
    node[i] = list[i].node;
    lid[i] = list[i].lid;
    address[lid[i]] = i;
  }
  ripstop_forwarding *f = ripstop_forwarding_in(arena, r->fabric, node, count);
  for (size_t i = 0; i < r->entries; i++) {
    const entry *e = &r->entry[i];
    if (owner_of(o, e->lid) != RIPSTOP_NONE) ripstop_forwarding_set(f, address[e->lid], e->switch_, e->port);
  }
  if (adaptive_tables_fill(r->adaptive, address, owner_of_lid, o, f, err)) return NULL;
  group_tables_fill(r->groups, o == &r->owner[1], f, notes);
  return levels_fill(r->levels, o->next_node, lid, f, notes, err) == 0 ? f : NULL;
}

static uint64_t wrong(const owners *o) {
  return (uint64_t)o->unknown + o->strange + (o->contradicted.line ? UINT32_MAX : 0);
}

static void tell_no_table(const ripstop_lfts *r, ripstop_error *err) {
  const ripstop_lfts_notes *n = &r->notes;
  if (!n->unknown_switches && r->strange && r->strange_kind)
    ripstop_fail(err, "%s:%u: no forwarding table in it; this looks like %s", r->text.path, r->strange,
                 r->strange_kind->name);
  else if (!n->unknown_switches)
    ripstop_fail(err, "%s: no forwarding table in it", r->text.path);
  else
    ripstop_fail(err,
                 "%s:%u: no table in it is for a switch of this fabric: %u for others, the first for 0x%016" PRIx64,
                 n->unknown_switch.path, n->unknown_switch.line, n->unknown_switches, n->unknown_guid);
}

ripstop_forwarding *ripstop_lfts_finish(ripstop_lfts *r, ripstop_arena *arena, ripstop_lfts_notes *notes,
                                        ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  end_file(r);
  const owners *o = &r->owner[wrong(&r->owner[1]) < wrong(&r->owner[0])];
  if (r->notes.tables == 0) {
    tell_no_table(r, err);
    return NULL;
  }
  if (o->contradicted.line) {
    ripstop_fail(err, "%s:%u: the LID belongs to another port here than further up", o->contradicted.path,
                 o->contradicted.line);
    return NULL;
  }
  *notes = r->notes;
  if (!r->ended) notes->truncated = 0;
  notes->unknown_addresses = o->unknown;
  notes->unknown_address = o->unknown_at;
  return fill(r, o, arena, notes, err);
}

ripstop_lfts *ripstop_lfts_open(const ripstop_fabric *fabric, const ripstop_address_book *book, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_lfts *r = RIPSTOP_NEW(arena, ripstop_lfts);
  *r = (ripstop_lfts){.fabric = fabric, .book = book, .now = RIPSTOP_NONE, .arena = arena};
  for (unsigned i = 0; i < 2; i++) r->owner[i].next_node = RIPSTOP_ARRAY(arena, LIDS, uint32_t);
  r->levels = levels_new(arena, fabric, book);
  r->groups = group_tables_new(arena, fabric, book);
  r->adaptive = adaptive_tables_new(arena, fabric, book->first_port);
  r->met = RIPSTOP_ARRAY(arena, LIDS, bool);
  r->last = RIPSTOP_ARRAY(arena, LIDS, uint32_t);
  r->table = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(fabric), bool);
  return r;
}

void ripstop_lfts_expect(ripstop_lfts *r, const ripstop_view *view) { r->expected = view; }

void ripstop_lfts_free(ripstop_lfts *r) {
  if (r) ripstop_arena_free(r->arena);
}
