/* lines.c - reads the lines of ibnetdiscover and of ibsim's net files:
 *
 *   node  := ("Switch" | "Ca" | "Hca" | "Rt") N "id" [# "description" ... [lid N [lmc N]]]
 *   port  := [N] [ext N]? (guid)? "id" [N] [ext N]? (guid)? (w=N)? (s=N)? [# note]
 *   note  := (lid N lmc N)? "description" (lid N)? (WxSPEED)?
 *   guid  := ("switchguid" | "caguid" | "rtguid") = 0xHEX [(HEX)]
 *
 * Ids are any quoted text. A GUID that is not hexadecimal (`b8cef60300xxxxxx`) counts as none, so only lookups by GUID
 * miss the node.
 *
 * Blanks may stand between the parts, or be missing, for terminals lose tabs. A description goes from the first to the
 * last quote behind the '#', so it may hold both. A node's ports end at an empty line; other lines (prompts, headers,
 * ibsim's settings) are counted and left out. One of them among a node's ports is an oddity, unless the fabric ends
 * there. A line that begins as a node or a port and goes on as something else is one; when the file ends in it, before
 * the line is complete, the file was cut off. It was cut off as well if its last line has no end, and its comment lacks
 * a part that the comments of all such lines before it have. */
#include "formats/infiniband/lines.h"

#include <string.h>

#include "base/growing.h"
#include "formats/infiniband/oddities.h"

/* Lines with comments of one form. */
enum { NODE_OF_SWITCH, NODE_OF_OTHER, PORT_OF_SWITCH, PORT_OF_OTHER, FORMS };
/* Parts of a comment. */
enum { TEXT = 1, OWN_LID = 2, LID = 4, LMC = 8, RATE = 16, ALL = 31 };

typedef struct reader {
  ripstop_ib_dump *dump;
  plain_lines lines;
  unsigned parts[FORMS]; /* parts that the comments of all lines of a form have; ALL: there is no line */
  uint32_t node;         /* whose ports are read; RIPSTOP_NONE: no node's */
  uint64_t guid;         /* from a guid line, for the next node */
  uint64_t system;
  piece stray; /* a line among ports that is none, if the fabric goes on; at NULL: there is none */
  uint32_t stray_line;
} reader;

bool ripstop_ib_read_hex(piece text, uint64_t *out) {
  enum { DIGITS = 16 }; /* 64 bits */
  return piece_length(text) <= DIGITS && piece_number(&text, 16, out) && text.at == text.end;
}

bool ripstop_ib_ends_alike(piece id) {
  enum { ALIKE = 4 };
  if (piece_length(id) < ALIKE) return false;
  for (const char *c = id.end - ALIKE; c < id.end; c++)
    if (*c != id.end[-1]) return false;
  return true;
}

const char *ripstop_ib_keep(ripstop_ib_dump *dump, piece text) {
  char *copy = ripstop_arena_array(dump->arena, piece_length(text) + 1, 1);
  if (text.end > text.at) memcpy(copy, text.at, piece_length(text));
  ripstop_clean(copy);
  return copy;
}

/* A quoted id. */
static bool read_id(reader *r, piece *p, const char **id) {
  if (!piece_take_char(p, '"')) return false;
  const char *start = p->at;
  while (p->at < p->end && *p->at != '"') p->at++;
  if (p->at == p->end || p->at == start || p->at - start > RIPSTOP_IB_ID_LIMIT) return false;
  for (const char *c = start; c < p->at; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) return false;
  *id = ripstop_ib_keep(r->dump, (piece){start, p->at++});
  return true;
}

static bool read_port_number(piece *p, uint32_t *out) {
  if (!piece_take_char(p, '[') || !piece_count(p, RIPSTOP_IB_PORT_LIMIT, out) || !piece_take_char(p, ']')) return false;
  piece ext = *p;
  uint32_t outside;
  if (piece_take(&ext, "[ext ") && piece_count(&ext, RIPSTOP_IB_PORT_LIMIT, &outside) && piece_take_char(&ext, ']'))
    *p = ext;
  return *out >= 1 && *out <= RIPSTOP_IB_PORT_LIMIT;
}

/* Reads an optional "(hex)". People redact GUIDs before they post a dump: text that is not hexadecimal, or longer than
 * a GUID, counts as none (*guid is 0), and the line stays valid. */
static bool read_bracket(piece *p, uint64_t *guid) {
  *guid = 0;
  if (p->at == p->end || *p->at != '(') return true;
  const char *start = ++p->at;
  while (p->at < p->end && *p->at != ')' && *p->at != '"') p->at++;
  if (p->at == p->end || *p->at == '"') return false;
  if (!ripstop_ib_read_hex((piece){start, p->at}, guid)) *guid = 0;
  p->at++;
  return true;
}

/* ------------------------------------------------------------------ comments */

/* "lid N" in a piece, wherever it stands; a LID that cannot be is an oddity, an empty one is none, and 0 means that no
 * subnet manager has configured the port. */
static uint32_t read_lid(reader *r, piece p, bool own, const char *where) {
  for (const char *start = p.at; p.at < p.end; p.at++) {
    if ((p.at > start && !piece_blank(p.at[-1])) || !piece_begins(p, "lid ")) continue;
    p.at += strlen("lid ");
    uint32_t lid;
    bool negative = piece_take_char(&p, '-');
    if (!piece_count(&p, RIPSTOP_IB_LID_UNSET, &lid)) return RIPSTOP_NONE;
    if (!negative && lid == RIPSTOP_IB_LID_UNSET) return 0;
    if (!negative && lid <= RIPSTOP_IB_LID_LIMIT) return lid;
    if (own)
      ripstop_odds_add(&r->dump->odd, "lid out of range", r->lines.number, RIPSTOP_AT(where),
                       "the LID of %s is %s; it is from 1 to %d", where, negative ? "negative" : "too large",
                       RIPSTOP_IB_LID_LIMIT);
    return RIPSTOP_IB_LID_WRONG;
  }
  return RIPSTOP_NONE;
}

static uint32_t read_lmc(piece p) {
  uint32_t lmc = 0;
  for (; p.at < p.end; p.at++)
    if (piece_blank(p.at[0]) && piece_begins((piece){p.at + 1, p.end}, "lmc ")) {
      p.at += strlen(" lmc ");
      return piece_count(&p, 7, &lmc) && lmc <= 7 ? lmc : 0;
    }
  return 0;
}

/* Splits a comment into what stands before its description, the description, and what stands behind it. */
static bool split_comment(piece comment, piece *before, piece *text, piece *behind) {
  const char *first = comment.at, *last = comment.end;
  while (first < comment.end && *first != '"') first++;
  while (last > first && last[-1] != '"') last--;
  *before = (piece){comment.at, first};
  *text = *behind = (piece){comment.end, comment.end};
  if (first == comment.end) return true;
  if (last - 1 == first) return false;
  *text = (piece){first + 1, last - 1};
  *behind = (piece){last, comment.end};
  return true;
}

/* ------------------------------------------------------------------ width and speed */

typedef struct speed {
  const char *name;
  uint32_t lane; /* Mb/s of data */
  uint32_t code; /* ibsim's, for speed=; 0: none */
} speed;

static const speed speeds[] = {
    {"SDR", 2000, 1},  {"DDR", 4000, 2},  {"QDR", 8000, 4},   {"FDR10", 10000, 0}, {"FDR", 13636, 0},
    {"EDR", 25000, 0}, {"HDR", 50000, 0}, {"NDR", 100000, 0}, {"XDR", 200000, 0},  {"GDR", 400000, 0},
};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

const char *ripstop_ib_speed_name(piece name) {
  for (unsigned i = 0; i < SPEEDS; i++)
    if (piece_is(name, speeds[i].name)) return speeds[i].name;
  return "";
}

uint32_t ripstop_ib_speed(uint32_t width, const char *name) {
  for (unsigned i = 0; i < SPEEDS; i++)
    if (strcmp(name, speeds[i].name) == 0) return width * speeds[i].lane;
  return 0;
}

bool ripstop_ib_is_width(uint32_t width) { return width == 1 || width == 2 || width == 4 || width == 8 || width == 12; }

/* "4xEDR" as a word of its own. */
static void read_rate(piece p, ripstop_ib_port *port) {
  for (piece word = piece_next_word(&p); word.at < word.end; word = piece_next_word(&p)) {
    uint32_t width;
    if (!piece_count(&word, 12, &width) || !ripstop_ib_is_width(width) || !piece_take_char(&word, 'x')) continue;
    const char *name = ripstop_ib_speed_name(word);
    if (name[0] == '\0') continue;
    port->width = width;
    port->speed = name;
  }
}

/* "w=2 s=4", ibsim's codes, if there is no comment. */
static void read_codes(piece p, ripstop_ib_port *port) {
  static const uint8_t width_of[] = {0, 1, 4, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 2};
  for (; p.at < p.end; p.at++) {
    uint32_t code;
    piece word = p;
    if (piece_take(&word, "w=") && piece_count(&word, 16, &code) && code <= 16) port->width = width_of[code];
    word = p;
    if (!piece_take(&word, "s=") || !piece_count(&word, 7, &code)) continue;
    for (unsigned i = 0; i < SPEEDS; i++)
      if (code > 0 && speeds[i].code == code) port->speed = speeds[i].name;
  }
}

/* ------------------------------------------------------------------ nodes and ports */

/* `at`: as far as the line is understood; a file that ends there may have been cut off. */
static int broken(reader *r, const char *what, const char *missing, piece line, const char *at) {
  ripstop_ib_say_broken(r->dump, what, missing, line, r->lines.number, r->lines.last && at == line.end);
  return 0;
}

static const char node_line[] = "node line of ibnetdiscover", port_line[] = "port line of ibnetdiscover",
                  no_quote[] = "the second quote of a description";

static bool has_lmc(piece p) {
  const char *at = piece_find(p, "lmc ");
  return at && at + 4 < p.end && piece_digit(at[4]) < 10;
}

/* Notes the parts of a line's comment. Reports a last line that ends before its comment does. The first line of an
 * adapter's port is compared with those of switches, which have no LID of their own there. */
static void check_comment(reader *r, unsigned form, unsigned parts, piece line) {
  unsigned usual = r->parts[form];
  if (usual == ALL && form == PORT_OF_OTHER && r->parts[PORT_OF_SWITCH] != ALL)
    usual = r->parts[PORT_OF_SWITCH] & ~(unsigned)LMC;
  else if (usual == ALL)
    usual = 0;
  r->parts[form] &= parts;
  if (r->lines.last && (usual & ~parts))
    broken(r, form < PORT_OF_SWITCH ? node_line : port_line, "the end of its comment", line, line.end);
}

/* The GUID in an id's last sixteen digits. */
static uint64_t guid_of_id(const char *id) {
  const char *dash = strchr(id, '-');
  uint64_t guid;
  if (dash == NULL || strlen(dash + 1) != 16) return 0;
  return ripstop_ib_read_hex(piece_of(dash + 1), &guid) ? guid : 0;
}

ripstop_ib_node *ripstop_ib_add_node(ripstop_ib_dump *dump) {
  RIPSTOP_GROW_IN(dump->arena, dump->node, dump->nodes, dump->nodes_room);
  return &dump->node[dump->nodes++];
}

ripstop_ib_port *ripstop_ib_add_port(ripstop_ib_dump *dump) {
  RIPSTOP_GROW_IN(dump->arena, dump->port, dump->ports, dump->ports_room);
  return &dump->port[dump->ports++];
}

static void say_stray(reader *r) {
  if (r->stray.at) ripstop_ib_say_stray(r->dump, r->stray, r->stray_line);
  r->stray.at = NULL;
}

static int read_node(reader *r, ripstop_ib_kind kind, piece line, piece p, ripstop_error *err) {
  ripstop_ib_node node = {.kind = kind, .lid = RIPSTOP_NONE, .line = r->lines.number};
  say_stray(r);
  piece_skip_blanks(&p);
  if (!piece_count(&p, UINT16_MAX, &node.wide)) return broken(r, node_line, "the number of ports", line, p.at);
  r->node = RIPSTOP_NONE;
  piece_skip_blanks(&p);
  if (!read_id(r, &p, &node.id)) return broken(r, node_line, "the quoted id", line, p.at);
  if (node.wide > RIPSTOP_IB_PORT_LIMIT)
    return ripstop_fail(err, "%s:%u: '%s' would have %u ports or more; a node has at most %d", r->dump->file,
                        r->lines.number, node.id, node.wide, RIPSTOP_IB_PORT_LIMIT);
  piece before, text, behind;
  const bool closed = split_comment(p, &before, &text, &behind);
  if (!closed) broken(r, node_line, no_quote, line, line.end);
  node.text = ripstop_ib_keep(r->dump, text);
  node.lid = read_lid(r, behind, true, node.id);
  node.lmc = read_lmc(behind);
  if (closed)
    check_comment(r, kind == RIPSTOP_IB_SWITCH ? NODE_OF_SWITCH : NODE_OF_OTHER,
                  (before.end < p.end ? TEXT : 0) | (node.lid != RIPSTOP_NONE ? LID : 0) | (has_lmc(behind) ? LMC : 0),
                  line);
  node.guid = guid_of_id(node.id) ? guid_of_id(node.id) : r->guid;
  node.aggregates = kind == RIPSTOP_IB_ADAPTER && strstr(node.text, "Aggregation Node") != NULL;
  node.system = r->system;
  r->guid = r->system = 0;
  r->node = r->dump->nodes;
  *ripstop_ib_add_node(r->dump) = node;
  return 0;
}

/* The two ends of a port's cable; returns what is missing, or NULL. */
static const char *read_ends(reader *r, piece *p, ripstop_ib_port *port) {
  if (!read_port_number(p, &port->number)) return "the port's number, 1 to 254, in brackets";
  piece_skip_blanks(p);
  if (!read_bracket(p, &port->guid)) return "the second bracket of the port's GUID";
  piece_skip_blanks(p);
  if (!read_id(r, p, &port->peer_id)) return "the quoted id of the other end";
  piece_skip_blanks(p);
  if (!read_port_number(p, &port->peer_number)) return "the port's number at the other end, in brackets";
  return read_bracket(p, &port->peer_guid) ? NULL : "the second bracket of the other port's GUID";
}

static int read_port(reader *r, piece line) {
  ripstop_ib_port port = {
      .node = r->node, .mate = RIPSTOP_NONE, .line = r->lines.number, .open = r->lines.last, .speed = ""};
  piece p = line, before, text, behind;
  say_stray(r);
  const char *missing = read_ends(r, &p, &port);
  if (missing) return broken(r, port_line, missing, line, p.at);
  if (r->node == RIPSTOP_NONE) return broken(r, port_line, "a node line above it", line, line.at);
  piece comment = {memchr(p.at, '#', (size_t)(p.end - p.at)), p.end};
  if (comment.at == NULL) comment.at = p.end;
  read_codes((piece){p.at, comment.at}, &port);
  const bool closed = split_comment(comment, &before, &text, &behind);
  if (!closed) broken(r, port_line, no_quote, line, line.end);
  ripstop_ib_node *node = &r->dump->node[r->node];
  char name[RIPSTOP_IB_END_NAME_MAX];
  snprintf(name, sizeof name, "%s[%u]", node->id, port.number);
  port.lid = node->kind == RIPSTOP_IB_SWITCH ? RIPSTOP_NONE : read_lid(r, before, true, name);
  port.lmc = read_lmc(before);
  if (port.guid == port.number) port.guid = 0; /* ibdiagnet: the number again */
  if (port.peer_guid == port.peer_number) port.peer_guid = 0;
  port.peer_text = ripstop_ib_keep(r->dump, text);
  port.peer_lid = read_lid(r, behind, false, name);
  read_rate(behind, &port);
  if (closed)
    check_comment(r, node->kind == RIPSTOP_IB_SWITCH ? PORT_OF_SWITCH : PORT_OF_OTHER,
                  (before.end < comment.end ? TEXT : 0) | (port.lid != RIPSTOP_NONE ? OWN_LID : 0) |
                      (port.peer_lid != RIPSTOP_NONE ? LID : 0) | (has_lmc(before) ? LMC : 0) |
                      (port.speed[0] ? RATE : 0),
                  line);
  if (port.number > node->wide) node->wide = port.number;
  *ripstop_ib_add_port(r->dump) = port;
  return 0;
}

/* "0x" and hexadecimal digits up to a bracket, a blank or the end; 0: something else. */
static uint64_t read_guid_word(piece *p) {
  uint64_t guid;
  if (!piece_take(p, "0x")) return 0;
  const char *start = p->at;
  while (p->at < p->end && *p->at != '(' && !piece_blank(*p->at)) p->at++;
  return ripstop_ib_read_hex((piece){start, p->at}, &guid) ? guid : 0;
}

/* "switchguid=0x1(2)": the one in brackets is the node's own. If that is redacted there is none. */
static void read_guid(reader *r, piece p) {
  uint64_t own;
  r->guid = read_guid_word(&p);
  const bool bracket = p.at < p.end && *p.at == '(';
  if (bracket && read_bracket(&p, &own)) r->guid = own;
}

static void read_system(reader *r, piece p) { r->system = read_guid_word(&p); }

/* True if what follows the first word of a line makes it a node's: a number, or a quote where it is missing. Terminals
 * lose tabs. */
static bool begins_node(piece behind) {
  piece_skip_blanks(&behind);
  return behind.at < behind.end && (piece_digit(*behind.at) < 10 || *behind.at == '"');
}

static int read_line(reader *r, piece line, ripstop_error *err) {
  static const struct {
    const char *word;
    ripstop_ib_kind kind;
  } kinds[] = {{"Switch", RIPSTOP_IB_SWITCH},
               {"Ca", RIPSTOP_IB_ADAPTER},
               {"Hca", RIPSTOP_IB_ADAPTER},
               {"Rt", RIPSTOP_IB_ROUTER}};
  static const char *const settings[] = {"vendid=", "devid=", "#", "width=", "speed=", "extspeed=", "module ", NULL};
  static const char *const guids[] = {"switchguid=", "caguid=", "rtguid=", NULL};
  if (line.at == line.end) return r->node = RIPSTOP_NONE, 0;
  if (*line.at == '[' && line.at + 1 < line.end && line.at[1] >= '0' && line.at[1] <= '9') return read_port(r, line);
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    piece p = line;
    if (piece_take(&p, kinds[i].word) && begins_node(p)) return read_node(r, kinds[i].kind, line, p, err);
  }
  for (unsigned i = 0; guids[i] != NULL; i++) {
    piece p = line;
    if (piece_take(&p, guids[i])) return read_guid(r, p), 0;
  }
  piece system = line;
  if (piece_take(&system, "sysimgguid=")) return read_system(r, system), 0;
  for (unsigned i = 0; settings[i] != NULL; i++)
    if (piece_begins(line, settings[i])) return 0;
  if (ripstop_ib_skip(r->dump, line) || r->node == RIPSTOP_NONE || r->stray.at) return 0;
  r->stray = line;
  r->stray_line = r->lines.number;
  return 0;
}

int ripstop_ib_read_lines(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err) {
  reader r = {.dump = dump, .lines = lines, .node = RIPSTOP_NONE, .parts = {ALL, ALL, ALL, ALL}};
  piece line;
  while (plain_next(&r.lines, &line))
    if (read_line(&r, line, err) != 0) return -1;
  return 0;
}

bool ripstop_ib_skip(ripstop_ib_dump *dump, piece line) {
  const bool timeout = piece_find(line, "Connection timed out") != NULL;
  *(timeout ? &dump->timeouts : &dump->noise) += 1;
  return timeout;
}

bool ripstop_ib_is_node_line(piece line) {
  static const char *const words[] = {"Switch", "Ca", "Hca", "Rt", NULL};
  for (unsigned i = 0; words[i] != NULL; i++) {
    piece p = line;
    uint32_t ports;
    if (!piece_take(&p, words[i])) continue;
    piece_skip_blanks(&p);
    if (piece_count(&p, UINT16_MAX, &ports) && piece_take_word(&p, "\"")) return true;
  }
  return false;
}
