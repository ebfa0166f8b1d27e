/* report.c - reads reports of ports, a line for each:
 *
 *   ibnetdiscover -p   KIND LID PORT 0xGUID WIDTH SPEED [- KIND LID PORT 0xGUID] ( 'own name' - 'name' ) | 'own name'
 *   iblinkinfo         Switch: 0xGUID name:  |  CA: name:
 *                      [0xGUID] LID PORT[..] ==( STATE )==> LID PORT[..] "name" (..)
 *   iblinkinfo -l      0xGUID "own name" LID PORT[..] ==( STATE )==> 0xGUID LID PORT[..] "name" (..)
 *
 * All lines are read first: only all of them show which nodes are switches, and which node has a LID. */
#include "formats/infiniband/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/growing.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/oddities.h"

typedef enum kind { UNKNOWN, SWITCH, ADAPTER, ROUTER } kind;

typedef struct side {
  kind kind;
  piece id;      /* the text behind "0x": people redact GUIDs before they post a report; NULL: none */
  uint64_t guid; /* its number; 0: it is none */
  uint32_t lid, port;
  piece text;
} side;

typedef struct entry {
  side own, peer;
  bool cabled, open; /* open: the last line of the file, without an end */
  uint32_t width, line;
  const char *speed;
  uint32_t could_width; /* iblinkinfo's "Could be": what both ends are able to; 0 and NULL: it runs so */
  const char *could_speed;
  const char *missing; /* in a line that begins as one of a port: what it lacks; NULL: nothing */
} entry;

typedef struct reader {
  ripstop_ib_dump *dump;
  entry *list;
  uint32_t count, room;
  plain_lines lines;
  side header;              /* iblinkinfo's: the node whose ports follow */
  uint32_t *lid_entry;      /* [RIPSTOP_IB_LID_LIMIT + 1]: an entry of the node that has the LID; RIPSTOP_NONE: none */
  uint32_t *first;          /* [count]: the first entry of the same node */
  uint32_t *node;           /* [count]: of a first entry: its node */
  const char **key;         /* [count]: the GUID as text, or what stands in its place */
  bool *is_switch;          /* [count]: of a first entry, by its kind or by its ports */
  ripstop_text_table guids; /* to first entries */
  ripstop_text_table redacted; /* ids that are no GUID, to the first entry of each */
  bool *shared;                /* [count]: of such an entry: others of the id have another LID */
} reader;

/* ------------------------------------------------------------------ lines */

static bool read_guid(piece *p, side *out) {
  piece_skip_blanks(p);
  if (!piece_take(p, "0x")) return false;
  out->id = *p;
  while (p->at < p->end && !piece_blank(*p->at) && *p->at != '"') p->at++;
  out->id.end = p->at;
  const size_t length = piece_length(out->id);
  const bool number = ripstop_ib_read_hex(out->id, &out->guid);
  if (!number) out->guid = 0;
  return length > 0 && length + 2 <= RIPSTOP_IB_ID_LIMIT && (!number || out->guid != 0);
}

static bool read_count(piece *p, uint32_t most, uint32_t *out) {
  piece_skip_blanks(p);
  return piece_count(p, most, out) && *out <= most;
}

static bool read_kind(piece *p, kind *out) {
  static const char *const words[] = {"SW ", "CA ", "RT "};
  for (unsigned i = 0; i < 3; i++)
    if (piece_take(p, words[i])) return *out = (kind)(SWITCH + i), true;
  return false;
}

/* "4x" or "4X"; 0: it is none. */
static uint32_t width_of(piece word) {
  uint32_t width;
  bool is = piece_count(&word, 12, &width) && (piece_take_char(&word, 'x') || piece_take_char(&word, 'X')) &&
            word.at == word.end;
  return is && ripstop_ib_is_width(width) ? width : 0;
}

/* KIND LID PORT 0xGUID */
static bool read_side(piece *p, side *out) {
  piece_skip_blanks(p);
  return read_kind(p, &out->kind) && read_count(p, UINT16_MAX, &out->lid) &&
         read_count(p, RIPSTOP_IB_PORT_LIMIT, &out->port) && read_guid(p, out);
}

/* 'own name' - 'name' between brackets; a name may hold quotes. */
static bool read_names(piece p, entry *e) {
  static const char between[] = "' - '";
  p = piece_trimmed(p);
  if (e->cabled && (!piece_take_char(&p, '(') || p.end == p.at || *--p.end != ')')) return false;
  p = piece_trimmed(p);
  if (!piece_take_char(&p, '\'') || p.end == p.at || *--p.end != '\'') return false;
  e->own.text = p;
  if (!e->cabled) return true;
  const char *at = piece_find(p, between);
  if (at == NULL) return false;
  e->own.text.end = at;
  e->peer.text = (piece){at + sizeof between - 1, p.end};
  return true;
}

static bool lacks(entry *e, const char *what) {
  e->missing = what;
  return false;
}

static bool read_port_line(piece p, entry *e) {
  if (!read_side(&p, &e->own)) return lacks(e, "kind, LID, port and GUID");
  e->width = width_of(piece_next_word(&p));
  e->speed = ripstop_ib_speed_name(piece_next_word(&p));
  piece_skip_blanks(&p);
  e->cabled = piece_take(&p, "- ");
  if (e->cabled && !read_side(&p, &e->peer)) return lacks(e, "kind, LID, port and GUID of the other end");
  return read_names(p, e) || lacks(e, "a quoted description");
}

/* Gb/s of a serial lane as iblinkinfo writes it. */
static const char *lane_of(piece word) {
  static const char *const words[][2] = {{"2.5", "SDR"},     {"5.0", "DDR"},     {"10.0", "QDR"},
                                         {"FDR10", "FDR10"}, {"14.0625", "FDR"}, {"25.78125", "EDR"},
                                         {"53.125", "HDR"},  {"106.25", "NDR"},  {"212.5", "XDR"}};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (piece_is(word, words[i][0])) return words[i][1];
  return "";
}

/* LID PORT[..] */
static bool read_place(piece *p, side *out) {
  if (!read_count(p, UINT16_MAX, &out->lid) || !read_count(p, RIPSTOP_IB_PORT_LIMIT, &out->port) ||
      !piece_take_char(p, '['))
    return false;
  while (p->at < p->end && *p->at != ']') p->at++;
  return piece_take_char(p, ']');
}

/* "name", up to the last quote. */
static bool read_quoted(piece *p, piece *out) {
  piece_skip_blanks(p);
  if (!piece_take_char(p, '"')) return false;
  const char *last = p->end;
  while (last > p->at && last[-1] != '"') last--;
  if (last == p->at) return false;
  *out = (piece){p->at, last - 1};
  p->at = last;
  while (out->at < out->end && piece_blank(*out->at)) out->at++;
  return true;
}

/* The part before "==(" of a line of iblinkinfo: with a GUID and a name, with a GUID, or with neither. */
static bool read_own(const side *header, piece p, side *out) {
  *out = *header;
  piece_skip_blanks(&p);
  if (p.at < p.end && p.at + 1 < p.end && p.at[1] == 'x') {
    if (!read_guid(&p, out)) return false;
    piece_skip_blanks(&p);
    if (p.at < p.end && *p.at == '"') {
      *out = (side){.id = out->id, .guid = out->guid};
      if (!read_quoted(&p, &out->text)) return false;
    }
  }
  return out->id.at != NULL && read_place(&p, out);
}

/* Behind the name of the other end: "(Could be 4X Could be 14.0625 Gbps)". 12X does not count: old switches and ibsim
 * are able to it, but their cables are not. */
static void read_could(piece p, entry *e) {
  static const char mark[] = "Could be";
  for (const char *at = piece_find(p, mark); at; at = piece_find(p, mark)) {
    p.at = at + sizeof mark - 1;
    piece word = piece_next_word(&p);
    if (word.end > word.at && word.end[-1] == ')') word.end--;
    const char *speed = lane_of(word);
    if (width_of(word) > e->width && width_of(word) < 12) e->could_width = width_of(word);
    if (speed[0] != '\0') e->could_speed = speed;
  }
}

static bool read_link_line(const side *header, piece p, entry *e) {
  static const char mark[] = "==(", arrow[] = ")==>";
  const char *open = piece_find(p, mark), *close = open ? piece_find((piece){open, p.end}, arrow) : NULL;
  if (!close) return lacks(e, "')==>' behind the state");
  if (!read_own(header, (piece){p.at, open}, &e->own))
    return lacks(e, "LID and port, or a line 'Switch: GUID' above it");
  piece state = {open + sizeof mark - 1, close}, peer = {close + sizeof arrow - 1, p.end};
  e->width = width_of(piece_next_word(&state));
  e->speed = lane_of(piece_next_word(&state));
  piece_skip_blanks(&peer);
  e->cabled = peer.at < peer.end && *peer.at >= '0' && *peer.at <= '9';
  if (!e->cabled) return true;
  if (peer.at + 1 < peer.end && peer.at[1] == 'x' && !read_guid(&peer, &e->peer))
    return lacks(e, "the GUID of the other end");
  if (!read_place(&peer, &e->peer)) return lacks(e, "LID and port of the other end");
  if (!read_quoted(&peer, &e->peer.text)) return lacks(e, "the quoted description of the other end");
  read_could(peer, e);
  return true;
}

/* "Switch: 0xGUID name:", "CA: name:" */
static bool read_header(piece p, side *out) {
  static const char *const words[] = {"Switch: ", "CA: ", "Router: "};
  if (p.end == p.at || p.end[-1] != ':') return false;
  for (unsigned i = 0; i < 3; i++) {
    if (!piece_take(&p, words[i])) continue;
    *out = (side){.kind = (kind)(SWITCH + i)};
    if (out->kind == SWITCH && !read_guid(&p, out)) return false;
    piece_skip_blanks(&p);
    out->text = (piece){p.at, p.end - 1};
    return true;
  }
  return false;
}

bool ripstop_ib_is_port_line(piece line) {
  entry e = {0};
  return read_port_line(line, &e);
}

bool ripstop_ib_begins_port_line(piece line) {
  side own;
  uint32_t number;
  return read_kind(&line, &own.kind) && read_count(&line, UINT16_MAX, &number) &&
         read_count(&line, UINT16_MAX, &number);
}

bool ripstop_ib_is_link_line(piece line) {
  static const char one[] = "1";
  const side any = {.id = {one, one + 1}, .guid = 1};
  entry e = {0};
  return read_link_line(&any, line, &e);
}

/* ------------------------------------------------------------------ all of them */

/* True if a line ends as lines of both programs do: "( )", "(Could be 4X)"; "( 'name' - 'name' )", "'name'". */
static bool is_ended(piece line, bool link) {
  const char *quote = link ? NULL : memchr(line.at, '\'', piece_length(line));
  if (line.end[-1] == ')') return !link || piece_find(line, ")==>");
  return quote && quote < line.end - 1 && line.end[-1] == '\'' && !piece_find(line, " - ");
}

static void read_line(reader *r, piece line) {
  entry e = {.line = r->lines.number, .open = r->lines.last, .speed = ""};
  if (line.at == line.end || *line.at == '#' || read_header(line, &r->header)) return;
  const bool link = piece_find(line, "==(") != NULL, port = !link && ripstop_ib_begins_port_line(line);
  if (piece_begins(line, "Switch: ") || piece_begins(line, "CA: ")) {
    ripstop_ib_say_broken(r->dump, "node line of iblinkinfo", "GUID, or a colon at its end", line, r->lines.number,
                          r->lines.last);
  } else if (!link && !port) {
    (void)ripstop_ib_skip(r->dump, line);
  } else {
    const bool is_read = link ? read_link_line(&r->header, line, &e) : read_port_line(line, &e);
    const bool cut = r->lines.last && !is_ended(line, link);
    if (is_read && cut) lacks(&e, "its end");
    if (!is_read || cut)
      ripstop_ib_say_broken(r->dump, link ? "line of iblinkinfo" : "port line of ibnetdiscover -p", e.missing, line,
                            r->lines.number, cut);
    if (!is_read) return;
    RIPSTOP_GROW_IN(r->dump->arena, r->list, r->count, r->room);
    r->list[r->count++] = e;
  }
}

/* True for names that hosts give their adapters: "node01 mlx5_0", "node01 HCA-1". */
static bool names_adapter(piece text) {
  static const char *const words[] = {"mlx4_", "mlx5_", "HCA", "hfi1_", "qib", "ConnectX", NULL};
  for (unsigned i = 0; words[i]; i++)
    if (piece_find(text, words[i])) return true;
  return false;
}

/* Which ends must be listed: all switches if several nodes are, and all adapters if one is. */
typedef struct listing {
  bool *lid; /* [UINT16_MAX + 1]: a line is of the node with this LID */
  bool switches, adapters;
} listing;

static bool is_adapter(const side *s) { return s->kind == ADAPTER || (s->kind == UNKNOWN && names_adapter(s->text)); }

static listing find_listed(const reader *r) {
  listing out = {.lid = RIPSTOP_ARRAY(r->dump->arena, UINT16_MAX + 1, bool)};
  for (uint32_t i = 0; i < r->count; i++) {
    out.lid[r->list[i].own.lid] = true;
    out.switches |= r->list[i].own.lid != r->list[0].own.lid;
    out.adapters |= is_adapter(&r->list[i].own);
  }
  return out;
}

/* iblinkinfo lists one switch alone (-S), or only switches: an end that it names and does not list is a node all the
 * same. Its LID says which. It is a switch if it has several ports here, or more than adapters have. Where others of
 * its kind are listed, the file was cut off. */
static void add_unlisted(reader *r) {
  enum { ADAPTER_PORTS = 2 };
  const listing l = find_listed(r);
  const uint32_t count = r->count;
  for (uint32_t i = 0; i < count; i++) {
    entry *e = &r->list[i];
    if (!e->cabled || e->peer.kind != UNKNOWN || e->peer.lid == 0 || l.lid[e->peer.lid]) continue;
    if (!e->peer.id.at) e->peer.id = piece_of(ripstop_arena_printf(r->dump->arena, "lid%u", e->peer.lid));
    if (names_adapter(e->peer.text))
      e->peer.kind = ADAPTER;
    else if (e->peer.port > ADAPTER_PORTS)
      e->peer.kind = SWITCH;
    if (e->peer.kind == ADAPTER ? l.adapters : l.switches) ripstop_ib_say_unlisted(r->dump, e->peer.text, e->line);
    entry other = *e;
    other.open = false;
    other.own = e->peer;
    other.peer = e->own;
    RIPSTOP_GROW_IN(r->dump->arena, r->list, r->count, r->room);
    r->list[r->count++] = other;
  }
}

static bool same_text(const void *reader_, uint32_t i, const char *text, size_t length) {
  const piece id = ((const reader *)reader_)->list[i].own.id;
  return piece_length(id) == length && memcmp(id.at, text, length) == 0;
}

static uint32_t first_redacted(const reader *r, piece id) {
  return ripstop_text_table_find(&r->redacted, id.at, piece_length(id), same_text, r);
}

static bool may_be_redacted(const side *s) { return s->guid == 0 || ripstop_ib_ends_alike(s->id); }

/* Finds the redacted ids that stand for several nodes: a node, or a port of an adapter, has one LID. */
static void find_shared(reader *r) {
  r->shared = RIPSTOP_ARRAY(r->dump->arena, r->count + 1, bool);
  r->redacted = (ripstop_text_table){.arena = r->dump->arena};
  for (uint32_t i = 0; i < r->count; i++) {
    const side *own = &r->list[i].own;
    if (!may_be_redacted(own)) continue;
    const uint32_t first = first_redacted(r, own->id);
    if (first == RIPSTOP_NONE)
      ripstop_text_table_add(&r->redacted, own->id.at, piece_length(own->id), i);
    else
      r->shared[first] |= r->list[first].own.lid != own->lid;
  }
}

/* The node's name but for its first letter: sixteen digits, or what stands in their place, with the LID if several
 * nodes have it. */
static const char *key_of(const reader *r, const side *s) {
  const uint32_t first = may_be_redacted(s) ? first_redacted(r, s->id) : RIPSTOP_NONE;
  const int length = (int)(s->id.end - s->id.at), most = RIPSTOP_IB_ID_LIMIT - 10;
  if (first != RIPSTOP_NONE && r->shared[first])
    return ripstop_arena_printf(r->dump->arena, "%.*s.%u", length < most ? length : most, s->id.at, s->lid);
  if (s->guid != 0) return ripstop_arena_printf(r->dump->arena, "%016" PRIx64, s->guid);
  return ripstop_ib_keep(r->dump, s->id);
}

/* The GUID of a node; 0: redacted. */
static uint64_t guid_of(const reader *r, const side *s) {
  const uint32_t first = may_be_redacted(s) ? first_redacted(r, s->id) : RIPSTOP_NONE;
  return first != RIPSTOP_NONE && r->shared[first] ? 0 : s->guid;
}

static bool same_key(const void *reader_, uint32_t i, const char *text, size_t length) {
  const char *key = ((const reader *)reader_)->key[i];
  return strlen(key) == length && memcmp(key, text, length) == 0;
}

static uint32_t first_of(const reader *r, const char *key) {
  return ripstop_text_table_find(&r->guids, key, strlen(key), same_key, r);
}

/* Entries of one GUID are of one node. It is a switch if they say so, or if they are of several ports. */
static void find_nodes(reader *r) {
  ripstop_arena *arena = r->dump->arena;
  r->first = RIPSTOP_ARRAY(arena, r->count + 1, uint32_t);
  r->is_switch = RIPSTOP_ARRAY(arena, r->count + 1, bool);
  r->key = RIPSTOP_ARRAY(arena, r->count + 1, const char *);
  r->guids = (ripstop_text_table){.arena = arena};
  for (uint32_t i = 0; i < r->count; i++) {
    const side *own = &r->list[i].own;
    r->key[i] = key_of(r, own);
    uint32_t first = first_of(r, r->key[i]);
    if (first == RIPSTOP_NONE) ripstop_text_table_add(&r->guids, r->key[i], strlen(r->key[i]), first = i);
    r->first[i] = first;
    if (own->kind == SWITCH || (own->kind == UNKNOWN && own->port != r->list[first].own.port))
      r->is_switch[first] = true;
  }
}

static void find_lids(reader *r) {
  r->lid_entry = RIPSTOP_ARRAY(r->dump->arena, RIPSTOP_IB_LID_LIMIT + 1, uint32_t);
  for (uint32_t i = 0; i <= RIPSTOP_IB_LID_LIMIT; i++) r->lid_entry[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < r->count; i++) {
    uint32_t lid = r->list[i].own.lid;
    if (lid > 0 && lid <= RIPSTOP_IB_LID_LIMIT && r->lid_entry[lid] == RIPSTOP_NONE) r->lid_entry[lid] = r->first[i];
  }
}

static const char *id_of(reader *r, kind what, bool is_switch, const char *key) {
  return ripstop_arena_printf(r->dump->arena, "%c-%s", is_switch ? 'S' : what == ROUTER ? 'R' : 'H', key);
}

static void add_nodes(reader *r) {
  r->node = RIPSTOP_ARRAY(r->dump->arena, r->count + 1, uint32_t);
  for (uint32_t i = 0; i < r->count; i++) {
    const entry *e = &r->list[i];
    if (r->first[i] != i) continue;
    ripstop_ib_node node = {.id = id_of(r, e->own.kind, r->is_switch[i], r->key[i]),
                            .text = ripstop_ib_keep(r->dump, e->own.text),
                            .kind = r->is_switch[i]         ? RIPSTOP_IB_SWITCH
                                    : e->own.kind == ROUTER ? RIPSTOP_IB_ROUTER
                                                            : RIPSTOP_IB_ADAPTER,
                            .guid = guid_of(r, &e->own),
                            .lid = r->is_switch[i] ? ripstop_ib_lid_value(e->own.lid) : RIPSTOP_NONE,
                            .line = e->line};
    node.aggregates = node.kind == RIPSTOP_IB_ADAPTER && strstr(node.text, "Aggregation Node") != NULL;
    r->node[i] = r->dump->nodes;
    *ripstop_ib_add_node(r->dump) = node;
  }
}

/* By GUID, or by LID; a peer that no line is of has a name all the same. */
static const char *peer_of(reader *r, const side *peer) {
  uint32_t first = RIPSTOP_NONE;
  const char *key = peer->id.at ? key_of(r, peer) : NULL;
  if (key)
    first = first_of(r, key);
  else if (peer->lid <= RIPSTOP_IB_LID_LIMIT)
    first = r->lid_entry[peer->lid];
  if (first != RIPSTOP_NONE) return r->dump->node[r->node[first]].id;
  if (key) return id_of(r, peer->kind, peer->kind == SWITCH, key);
  return ripstop_arena_printf(r->dump->arena, "LID %u", peer->lid);
}

static void add_port(reader *r, const entry *e, uint32_t first) {
  ripstop_ib_node *node = &r->dump->node[r->node[first]];
  bool is_switch = node->kind == RIPSTOP_IB_SWITCH;
  if (e->own.port > node->wide) node->wide = e->own.port;
  if (!e->cabled || e->own.port == 0) return;
  *ripstop_ib_add_port(r->dump) = (ripstop_ib_port){.node = r->node[first],
                                                    .number = e->own.port,
                                                    .peer_id = peer_of(r, &e->peer),
                                                    .peer_number = e->peer.port,
                                                    .mate = RIPSTOP_NONE,
                                                    .guid = is_switch ? 0 : guid_of(r, &e->own),
                                                    .lid = is_switch ? RIPSTOP_NONE : ripstop_ib_lid_value(e->own.lid),
                                                    .peer_text = ripstop_ib_keep(r->dump, e->peer.text),
                                                    .peer_lid = e->peer.lid,
                                                    .width = e->width,
                                                    .speed = e->speed,
                                                    .could_width = e->could_width,
                                                    .could_speed = e->could_speed,
                                                    .line = e->line,
                                                    .open = e->open};
}

int ripstop_ib_read_report(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err) {
  reader r = {.dump = dump, .lines = lines};
  piece line;
  (void)err; /* every damaged line is an oddity */
  while (plain_next(&r.lines, &line)) read_line(&r, line);
  add_unlisted(&r);
  find_shared(&r);
  find_nodes(&r);
  find_lids(&r);
  add_nodes(&r);
  for (uint32_t i = 0; i < r.count; i++) add_port(&r, &r.list[i], r.first[i]);
  return 0;
}
