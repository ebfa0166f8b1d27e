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
#include "tables/infiniband/service_levels.h"
#include "tables/infiniband/tokens.h"

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
  const char *path;
  uint32_t line;
  uint32_t now;  /* the switch of the present table; RIPSTOP_NONE: unknown, or no table yet */
  uint32_t open; /* the line that began it; 0: it has ended */
  bool begun;    /* a table began in this file */
  bool ended;    /* some table has its last line */
  ripstop_arena *arena;
  entry *entry;
  size_t entries, room;
  bool *met;        /* [LIDS] */
  uint32_t highest; /* the highest of these */
  uint32_t *last;   /* [LIDS]: the latest table that has an entry for it, counted from 1 */
  owners owner[2];  /* GUIDs of the dump, and counted ones */
  bool *table;      /* [switches] */
  levels *levels;
  bool known;       /* some line of this file was recognised */
  uint32_t strange; /* its first unrecognised line, while none is recognised; 0: none */
  char strange_text[STRANGE_MAX + 1];
  bool bare, described; /* its last line is an entry that ends after its port; other lines continue */
  ripstop_lfts_notes notes;
};

/* RIPSTOP_NONE: no node of the fabric. */
static uint32_t owner_of(const owners *o, uint32_t lid) { return o->next_node[lid] - 1; }

/* ------------------------------------------------------------------ lines */

static ripstop_lfts_place here(const ripstop_lfts *r) { return (ripstop_lfts_place){r->path, r->line}; }

static void close_table(ripstop_lfts *r) {
  if (r->open && r->notes.truncated++ == 0) r->notes.first_truncated = (ripstop_lfts_place){r->path, r->open};
  r->open = 0;
}

/* A GUID that ends with the token. */
static bool guid_word(words *w, uint64_t *guid) {
  return words_hexadecimal(w, guid) && (words_ends(w) || *w->at == ':' || *w->at == ')');
}

/* "42 lids dumped", "42 valid lids dumped" */
static bool ends_table(words line) {
  uint64_t lids;
  if (!words_number(&line, 10, &lids)) return false;
  (void)words_take(&line, "valid");
  return words_take(&line, "lids dumped");
}

/* The name of the switch in a header: "(name):", quoted or not; empty if there is none. */
static words name_in(words header) {
  while (header.end > header.at && (words_blank(header.end[-1]) || header.end[-1] == ':')) header.end--;
  if (header.end == header.at || *--header.end != ')') return (words){header.at, header.at};
  while (header.at < header.end && *header.at != '(') header.at++;
  header.at += header.at < header.end;
  bool quoted = header.end - header.at >= 2 && *header.at == '\'' && header.end[-1] == '\'';
  return (words){header.at + quoted, header.end - quoted};
}

static bool plain(char c) { return c >= ' ' && c <= '~'; }

/* Names in a subnet have at most 64 bytes, and programs print others for unusual ones. */
static bool same_name(words told, const char *name) {
  enum { DESCRIPTION_BYTES = 63 };
  size_t length = (size_t)(told.end - told.at), ours = strlen(name);
  if (length < DESCRIPTION_BYTES ? length != ours : length > ours) return false;
  for (size_t i = 0; i < length; i++)
    if (told.at[i] != name[i] && plain(told.at[i]) && plain(name[i])) return false;
  return true;
}

/* Counted GUIDs fit any fabric with as many switches. */
static int check_name(const ripstop_lfts *r, uint64_t guid, words header, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  const words told = name_in(header);
  if (!r->book->counted_guids || told.at == told.end) return 0;
  ripstop_node_name(r->fabric, r->now, name);
  if (same_name(told, name)) return 0;
  return ripstop_fail(err,
                      "%s:%u: tables of another fabric: 0x%016" PRIx64 " is the switch '%.*s' here, and '%s' in %s",
                      r->path, r->line, guid, (int)(told.end - told.at), told.at, name, r->fabric->spec);
}

static int open_table(ripstop_lfts *r, words line, ripstop_error *err) {
  uint64_t guid;
  close_table(r);
  r->open = r->line;
  if (!words_find(line, "guid", guid_word, &guid))
    return ripstop_fail(err, "%s:%u: the table does not say whose it is ('guid 0x...' is missing)", r->path, r->line);
  r->begun = true;
  levels_pause(r->levels);
  r->now = r->book->switch_of(r->book->owner, guid);
  if (r->now == RIPSTOP_NONE) {
    if (r->notes.unknown_switches++ > 0) return 0;
    r->notes.unknown_switch = here(r);
    r->notes.unknown_guid = guid;
    return 0;
  }
  if (r->table[r->now - r->fabric->ends])
    return ripstop_fail(err, "%s:%u: a second table for the switch 0x%016" PRIx64, r->path, r->line, guid);
  r->table[r->now - r->fabric->ends] = true;
  r->notes.tables++;
  return check_name(r, guid, line, err);
}

/* True if the line has another description of the node than the fabric. */
static bool described_otherwise(const ripstop_lfts *r, uint32_t node, words line) {
  const char *ours = r->book->description(r->book->owner, node);
  const char *open = memchr(line.at, '\'', (size_t)(line.end - line.at));
  size_t length = strlen(ours);
  if (!open || length == 0) return false;
  return (size_t)(line.end - open) < length + 2 || memcmp(open + 1, ours, length) != 0 || open[1 + length] != '\'';
}

/* The owner of a LID by this line; the first line that has one settles it. */
static void settle_owner(ripstop_lfts *r, owners *o, uint32_t lid, uint32_t node, words line) {
  if (r->met[lid]) {
    if (owner_of(o, lid) != node && !o->contradicted.line) o->contradicted = here(r);
    return;
  }
  o->next_node[lid] = node + 1;
  if (node != RIPSTOP_NONE) {
    o->strange += described_otherwise(r, node, line);
    return;
  }
  o->unknown++;
  if (!o->unknown_at.line) o->unknown_at = here(r);
}

static bool anything(words *w, uint64_t *out) {
  (void)w;
  *out = 0;
  return true;
}

static int settle_owners(ripstop_lfts *r, uint32_t lid, words line, ripstop_error *err) {
  uint64_t guid;
  bool told = words_find(line, "portguid", guid_word, &guid);
  if (!told && words_find(line, "portguid", anything, &guid))
    return ripstop_fail(err, "%s:%u: the GUID behind 'portguid' is none", r->path, r->line);
  if (!told && r->met[lid]) return 0;
  for (unsigned counted = 0; counted < 2; counted++) {
    uint32_t node =
        told ? r->book->node_of_port(r->book->owner, guid, counted) : r->book->node_of_lid(r->book->owner, lid);
    settle_owner(r, &r->owner[counted], lid, node, line);
  }
  r->met[lid] = true;
  if (lid > r->highest) r->highest = lid;
  return 0;
}

static int keep_entry(ripstop_lfts *r, uint32_t lid, uint64_t port, words line, ripstop_error *err) {
  uint32_t first = r->book->first_port, ports = ripstop_node_ports(r->fabric, r->now) + first;
  if (port >= ports && port != NO_PATH)
    return ripstop_fail(err, "%s:%u: port %" PRIu64 " for LID 0x%04x: the switch has ports up to %u", r->path, r->line,
                        port, lid, ports - 1);
  if (r->last[lid] == r->notes.tables)
    return ripstop_fail(err, "%s:%u: a second entry for LID 0x%04x in one table", r->path, r->line, lid);
  r->last[lid] = r->notes.tables;
  if (settle_owners(r, lid, line, err)) return -1;
  RIPSTOP_GROW_IN(r->arena, r->entry, r->entries, r->room);
  bool none = port == NO_PATH || port < first;
  r->entry[r->entries++] = (entry){r->now, (uint16_t)lid, none ? RIPSTOP_NO_PORT : (uint16_t)(port - first)};
  return 0;
}

/* "0xLID PORT", without a third number; *bare: without any further text. */
static bool is_entry(words line, uint64_t *lid, uint64_t *port, bool *bare) {
  if (!words_hexadecimal(&line, lid) || line.at == line.end || !words_ends(&line)) return false;
  words_skip(&line);
  if (!words_number(&line, 10, port) || !words_ends(&line)) return false;
  words_skip(&line);
  *bare = line.at == line.end;
  return *bare || words_digit(*line.at) > 9;
}

static int read_entry(ripstop_lfts *r, words line, uint64_t lid, uint64_t port, ripstop_error *err) {
  if (lid == 0 && port == NO_PATH) return 0; /* `dump_lfts -a` */
  if (lid == 0 || lid >= LIDS)
    return ripstop_fail(err, "%s:%u: 0x%" PRIx64 " is no unicast LID (1 to 0x%x)", r->path, r->line, lid, LIDS - 1);
  if (r->now == RIPSTOP_NONE) {
    if (r->begun) return 0;
    return ripstop_fail(err, "%s:%u: an entry before the first 'Unicast lids ... guid 0x...'", r->path, r->line);
  }
  return keep_entry(r, (uint32_t)lid, port, line, err);
}

/* Blank lines, comments, and lines around tables. */
static bool is_frame(words line) {
  static const char *const frames[] = {"#", "Lid  Out   Destination", "Port     Info", "*** WARNING ***", NULL};
  words_skip(&line);
  bool frame = line.at == line.end || ends_table(line);
  for (unsigned i = 0; frames[i] && !frame; i++) frame = words_begin(line, frames[i]);
  return frame;
}

static int refuse_strange(const ripstop_lfts *r, ripstop_error *err) {
  return ripstop_fail(err,
                      "%s:%u: '%s' is neither an entry ('0x0001 005') nor any other line of tables, levels or lanes",
                      r->path, r->strange, r->strange_text);
}

static void keep_strange(ripstop_lfts *r, words line) {
  if (r->strange || is_frame(line)) return;
  words_skip(&line);
  while (words_blank(line.end[-1])) line.end--;
  r->strange = r->line;
  snprintf(r->strange_text, sizeof r->strange_text, "%.*s", (int)(line.end - line.at), line.at);
}

/* A separate function because of its guard, whose jump would clobber variables. */
static __attribute__((noinline)) int read_line(ripstop_lfts *r, words line, ripstop_error *err) {
  uint64_t lid = 0, port = 0;
  bool begins = words_begin(line, "Unicast lids");
  /* Most lines are of service levels, and no entry looks like one: they come first. */
  int answer = begins ? 1 : levels_line(r->levels, line, r->line, err);
  bool entry_ = !begins && answer > 0 && is_entry(line, &lid, &port, &r->bare);
  if ((begins || entry_) && r->strange) return refuse_strange(r, err);
  if (ends_table(line)) r->ended = true, r->open = 0;
  r->bare &= entry_;
  r->described |= entry_ && !r->bare;
  if (begins) answer = open_table(r, line, err);
  if (entry_) answer = read_entry(r, line, lid, port, err);
  if (answer < 0) return -1;
  r->known |= answer == 0;
  if (answer > 0) keep_strange(r, line);
  return r->known && r->strange ? refuse_strange(r, err) : 0;
}

int ripstop_lfts_line(ripstop_lfts *r, const char *text, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  words line = {text, text + length};
  if (r->line++ == 0) (void)words_take(&line, "\xef\xbb\xbf"); /* a byte-order mark */
  return read_line(r, line, err);
}

int ripstop_lfts_cut(const ripstop_lfts *r, ripstop_error *err) {
  if (!r->bare || !r->described) return 0;
  return ripstop_fail(err, "%s:%u: the file stops in the middle of a line", r->path, r->line);
}

/* Notes files without a recognised line, except the summary that `ripstop route` writes beside its tables. */
static void end_file(ripstop_lfts *r) {
  static const char summary[] = "summary.json";
  close_table(r);
  if (!r->path || r->known) return;
  size_t length = strlen(r->path), tail = sizeof summary - 1;
  if (length >= tail && strcmp(r->path + length - tail, summary) == 0) return;
  if (r->notes.silent++ == 0) r->notes.silent_path = r->path;
}

void ripstop_lfts_file(ripstop_lfts *r, const char *path) {
  end_file(r);
  r->known = false;
  r->path = path;
  r->line = r->strange = 0;
  r->now = RIPSTOP_NONE;
  r->begun = r->bare = r->described = false;
  levels_file(r->levels, path);
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
  return levels_fill(r->levels, o->next_node, lid, f, notes, err) == 0 ? f : NULL;
}

static uint64_t wrong(const owners *o) {
  return (uint64_t)o->unknown + o->strange + (o->contradicted.line ? UINT32_MAX : 0);
}

static void tell_no_table(const ripstop_lfts *r, ripstop_error *err) {
  const ripstop_lfts_notes *n = &r->notes;
  if (!n->unknown_switches)
    ripstop_fail(err, "%s: no forwarding table in it", r->path);
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
  r->met = RIPSTOP_ARRAY(arena, LIDS, bool);
  r->last = RIPSTOP_ARRAY(arena, LIDS, uint32_t);
  r->table = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(fabric), bool);
  return r;
}

void ripstop_lfts_expect(ripstop_lfts *r, const ripstop_view *view) { r->expected = view; }

void ripstop_lfts_free(ripstop_lfts *r) {
  if (r) ripstop_arena_free(r->arena);
}
