/* table_line.c - see table_line.h. A line is of the first kind that fits it:
 *
 *   Unicast lids [0x1-0x9] of switch Lid 4 guid 0x... (name):     begins a forwarding table
 *   0xLID PORT [: (Channel Adapter portguid 0x...: 'name')]        an entry
 *   9 lids dumped                                                  ends the table
 *   dump_ucast_routes: Switch 0x...                                begins a forwarding table of opensm.fdbs
 *   0xLID : PORT : HOPS : OPTIMAL  |  0xLID : UNREACHABLE          an entry there; no other line ends the table
 *   Switch 0x..., base LID 4, ...  |  # SL2VL table: Lid 4         begins the lines of a port
 *   0xLID : SL : MTU : RATE  |  0xLID : UNREACHABLE                below a port: a path's service level
 *   IN OUT : VL VL ...  |  ports: in IN, out OUT: | VL| VL|        below a port: the VLs of a pair of ports
 *   slid....0x3 and the like                                       fields of a path record
 *   0xGUID LID SL                                                  ibdmchk: a path's service level
 *   0xGUID IN OUT 0x<VL VL> ... (eight bytes)                      ibdmchk: the VLs of a pair of ports */
#include "formats/infiniband/table_line.h"
#include "ripstop/plugin/base.h"

#include <inttypes.h>

void ib_tables_file(ib_tables *t, const char *path) {
  *t = (ib_tables){.path = path, .source = UINT64_MAX, .target = UINT64_MAX};
}

static bool at_word_end(piece p) { return p.at == p.end || piece_blank(*p.at); }

static bool hexadecimal(piece *p, uint64_t *out) {
  piece copy = *p;
  if (piece_length(copy) < 3 || copy.at[0] != '0' || (copy.at[1] | 32) != 'x') return false;
  copy.at += 2;
  if (!piece_number(&copy, 16, out)) return false;
  *p = copy;
  return true;
}

/* A number in either notation, behind blanks. */
static bool any_number(piece *p, uint64_t *out) {
  piece_skip_blanks(p);
  return hexadecimal(p, out) || piece_number(p, 10, out);
}

/* A number in decimal notation that ends with its word, and the blanks behind it. */
static bool whole_number(piece *p, uint64_t *out) {
  if (!piece_number(p, 10, out) || !at_word_end(*p)) return false;
  piece_skip_blanks(p);
  return true;
}

static bool guid_word(piece *p, uint64_t *guid) {
  return hexadecimal(p, guid) && (at_word_end(*p) || *p->at == ':' || *p->at == ')');
}

static bool anything(piece *p, uint64_t *out) {
  (void)p;
  *out = 0;
  return true;
}

/* Reads the number behind the first " WORD" of a line that has one. */
static bool find_number(piece p, const char *word, bool (*number)(piece *p, uint64_t *out), uint64_t *out) {
  for (; p.at < p.end; p.at++) {
    piece behind = {p.at + 1, p.end};
    if (!piece_blank(*p.at) || !piece_take(&behind, word) || behind.at == behind.end || !piece_blank(*behind.at))
      continue;
    piece_skip_blanks(&behind);
    if (number(&behind, out)) return true;
  }
  return false;
}

static int refuse(const ib_tables *t, ripstop_error *err, const char *why) {
  return ripstop_fail(err, "%s:%u: %s", t->path, t->line, why);
}

static int found(ib_table_line *out, ib_line_kind kind) {
  out->kind = kind;
  return 0;
}

/* ------------------------------------------------------------------ forwarding tables */

/* "42 lids dumped", "42 valid lids dumped" */
static bool ends_table(piece line) {
  uint64_t lids;
  if (!piece_number(&line, 10, &lids)) return false;
  (void)piece_take_word(&line, "valid");
  return piece_take_word(&line, "lids dumped");
}

/* The name of the switch in a header: "(name):", quoted or not; empty if there is none. */
static piece name_in(piece header) {
  while (header.end > header.at && (piece_blank(header.end[-1]) || header.end[-1] == ':')) header.end--;
  if (header.end == header.at || *--header.end != ')') return (piece){header.at, header.at};
  while (header.at < header.end && *header.at != '(') header.at++;
  header.at += header.at < header.end;
  const bool quoted = piece_length(header) >= 2 && *header.at == '\'' && header.end[-1] == '\'';
  return (piece){header.at + quoted, header.end - quoted};
}

static int table_line(ib_tables *t, piece line, ib_table_line *out) {
  out->has_guid = find_number(line, "guid", guid_word, &out->guid);
  out->name = name_in(line);
  t->port = t->record = t->routes = false;
  t->groups.table = IB_GROUP_TABLE_NONE;
  return found(out, IB_LINE_TABLE);
}

/* "0xLID PORT", without a third number. */
static bool is_entry(piece line, ib_table_line *out) {
  if (!hexadecimal(&line, &out->lid) || line.at == line.end || !at_word_end(line)) return false;
  piece_skip_blanks(&line);
  if (!whole_number(&line, &out->out)) return false;
  out->bare = line.at == line.end;
  out->name = line;
  return out->bare || piece_digit(*line.at) > 9;
}

/* opensm.fdbs has no names, and no line that ends a table. */
static bool begins_routes(ib_tables *t, piece line, ib_table_line *out) {
  if (!piece_take(&line, "dump_ucast_routes: Switch ") &&
      !piece_take(&line, "osm_ucast_mgr_dump_ucast_routes: Switch "))
    return false;
  out->has_guid = guid_word(&line, &out->guid);
  out->name = (piece){line.end, line.end};
  out->endless = t->routes = true;
  t->port = t->record = false;
  t->groups.table = IB_GROUP_TABLE_NONE;
  return true;
}

/* "0x0003 : 003  : 01   : yes", "0x0003 : UNREACHABLE" */
static bool is_route(piece line, ib_table_line *out) {
  enum { NO_PATH = 255 };
  piece_skip_blanks(&line);
  if (!hexadecimal(&line, &out->lid) || !piece_take_word(&line, ":")) return false;
  piece_skip_blanks(&line);
  out->out = NO_PATH;
  out->name = (piece){line.end, line.end};
  if (piece_begins(line, "UNREACHABLE")) return true;
  return piece_number(&line, 10, &out->out) && piece_take_word(&line, ":");
}

static int entry_line(piece line, ib_table_line *out) {
  out->has_guid = find_number(line, "portguid", guid_word, &out->guid);
  out->wrong_guid = !out->has_guid && find_number(line, "portguid", anything, &out->guid);
  return found(out, IB_LINE_ENTRY);
}

bool ib_line_describes(piece line, const char *description) {
  const char *open = memchr(line.at, '\'', piece_length(line));
  const size_t length = strlen(description);
  if (!open || length == 0) return true;
  piece behind = {open + 1, line.end};
  return piece_take(&behind, description) && piece_begins(behind, "'");
}

static bool plain(char c) { return c >= ' ' && c <= '~'; }

bool ib_line_names(piece name, const char *switch_name) {
  enum { DESCRIPTION_BYTES = 63 };
  const size_t length = piece_length(name), ours = strlen(switch_name);
  if (length < DESCRIPTION_BYTES ? length != ours : length > ours) return false;
  for (size_t i = 0; i < length; i++)
    if (name.at[i] != switch_name[i] && plain(name.at[i]) && plain(switch_name[i])) return false;
  return true;
}

/* ------------------------------------------------------------------ service levels of paths */

/* Below the line of a port: "0xLID : SL : MTU : RATE" or "0xLID : UNREACHABLE". */
static int record_line(piece p, ib_table_line *out) {
  if (!hexadecimal(&p, &out->lid) || !piece_take_word(&p, ":")) return 0;
  piece_skip_blanks(&p);
  if (piece_begins(p, "UNREACHABLE")) return found(out, IB_LINE_KNOWN);
  if (!piece_number(&p, 10, &out->level) || !piece_take_word(&p, ":")) return 0;
  out->source_kind = IB_SOURCE_PORT;
  return found(out, IB_LINE_LEVEL);
}

/* saquery writes "slid....................0x3", one field a line, the level after both LIDs. Steps behind such dots. */
static bool field(piece *p, const char *name) {
  piece at = *p;
  if (!piece_take_word(&at, name)) return false;
  const char *dots = at.at;
  while (piece_take_char(&at, '.')) continue;
  if (at.at <= dots + 1) return false;
  *p = at;
  return true;
}

/* Another field of a record, which is not needed. */
static bool other_field(piece p) {
  piece_skip_blanks(&p);
  const char *name = p.at;
  while (p.at < p.end && ((*p.at >= 'a' && *p.at <= 'z') || *p.at == '_' || piece_digit(*p.at) <= 9)) p.at++;
  return p.at > name && piece_begins(p, "..");
}

static int number_in(const ib_tables *t, piece p, uint64_t *value, ib_table_line *out, ripstop_error *err) {
  if (!any_number(&p, value) || !at_word_end(p)) return refuse(t, err, "no number behind the dots");
  return found(out, IB_LINE_KNOWN);
}

static int query_line(ib_tables *t, piece p, ib_table_line *out, ripstop_error *err) {
  if (piece_begins(p, "PathRecord dump")) {
    t->source = t->target = UINT64_MAX;
    t->record = true;
    return found(out, IB_LINE_KNOWN);
  }
  if (field(&p, "slid")) return number_in(t, p, &t->source, out, err);
  if (field(&p, "dlid")) return number_in(t, p, &t->target, out, err);
  if (!field(&p, "sl")) return t->record && other_field(p) ? found(out, IB_LINE_KNOWN) : 0;
  if (number_in(t, p, &out->level, out, err) != 0) return -1;
  if (t->source == UINT64_MAX || t->target == UINT64_MAX)
    return refuse(t, err, "a service level before both LIDs of its path (slid, dlid)");
  out->source_kind = IB_SOURCE_LID;
  out->source = t->source;
  out->lid = t->target;
  return found(out, IB_LINE_LEVEL);
}

/* ------------------------------------------------------------------ VLs */

static int refuse_count(const ib_tables *t, unsigned level, ripstop_error *err) {
  return ripstop_fail(err, "%s:%u: %u VLs, not %d", t->path, t->line, level, IB_SERVICE_LEVELS);
}

/* Refuses text after the VLs of a line. */
static int check_end(const ib_tables *t, piece p, ib_table_line *out, ripstop_error *err) {
  piece_skip_blanks(&p);
  return p.at == p.end ? found(out, IB_LINE_VLS) : refuse(t, err, "more than 16 VLs");
}

/* Sixteen VLs, with `between` before each but the first. */
static int read_vls(const ib_tables *t, piece p, const char *between, ib_table_line *out, ripstop_error *err) {
  for (unsigned level = 0; level < IB_SERVICE_LEVELS; level++) {
    uint64_t vl;
    if (level > 0 && *between && !piece_take_word(&p, between)) return refuse_count(t, level, err);
    piece_skip_blanks(&p);
    if (!piece_number(&p, 10, &vl)) return refuse_count(t, level, err);
    if (vl >= IB_SERVICE_LEVELS)
      return ripstop_fail(err, "%s:%u: %" PRIu64 " is no virtual lane (0 to 15)", t->path, t->line, vl);
    out->vl[level] = (uint8_t)vl;
  }
  if (*between) (void)piece_take_word(&p, between);
  return check_end(t, p, out, err);
}

/* opensm-sl2vl.dump, below the line of a port: "in out : VL VL ..."; smpquery: "ports: in 1, out 2: | 0| 1|...". */
static int vls_line(const ib_tables *t, piece p, bool query, ib_table_line *out, ripstop_error *err) {
  piece_skip_blanks(&p);
  if (!piece_number(&p, 10, &out->in) || (query && !piece_take_word(&p, ", out"))) return 0;
  piece_skip_blanks(&p);
  if (!piece_number(&p, 10, &out->out) || !piece_take_word(&p, ":") || (query && !piece_take_word(&p, "|"))) return 0;
  out->source_kind = IB_SOURCE_PORT;
  return read_vls(t, p, query ? "|" : "", out, err);
}

/* ibdmchk: "0x<GUID> IN OUT 0x<SL 0><SL 1> ... 0x<SL 14><SL 15>", a digit for each VL. */
static int vl_bytes(const ib_tables *t, piece p, ib_table_line *out, ripstop_error *err) {
  for (unsigned level = 0; level < IB_SERVICE_LEVELS; level += 2) {
    uint64_t two;
    piece_skip_blanks(&p);
    if (!hexadecimal(&p, &two) || two > 0xFF) return refuse_count(t, level, err);
    out->vl[level] = (uint8_t)(two >> 4);
    out->vl[level + 1] = (uint8_t)(two & 15);
  }
  return check_end(t, p, out, err);
}

/* ------------------------------------------------------------------ lines */

/* Three numbers, the first with 0x: a path's level, or with eight bytes after them the VLs of two ports. */
static int ibdmchk_line(const ib_tables *t, piece p, ib_table_line *out, ripstop_error *err) {
  uint64_t second, third;
  if (!hexadecimal(&p, &out->guid) || !at_word_end(p)) return 0;
  piece_skip_blanks(&p);
  if (!whole_number(&p, &second) || !whole_number(&p, &third)) return 0;
  out->source_kind = IB_SOURCE_GUID;
  out->lid = out->in = second;
  out->level = out->out = third;
  if (p.at == p.end) return found(out, IB_LINE_LEVEL);
  return piece_begins(p, "0x") ? vl_bytes(t, p, out, err) : 0;
}

/* The line above the lines of a port: "Switch 0x..., base LID 4, ..." or "# SL2VL table: Lid 4". */
static bool is_port(piece p, ib_table_line *out) {
  if (piece_take_word(&p, "# SL2VL table: Lid")) return any_number(&p, &out->lid);
  out->has_guid = piece_take_word(&p, "Switch");
  if (!out->has_guid && !piece_take_word(&p, "Channel Adapter") && !piece_take_word(&p, "Router")) return false;
  piece_skip_blanks(&p);
  return hexadecimal(&p, &out->guid) && find_number(p, "base LID", any_number, &out->lid);
}

/* A line below the header of a port. */
static int port_line(const ib_tables *t, piece line, ib_table_line *out, ripstop_error *err) {
  piece query = line;
  if (piece_take_word(&query, "ports: in")) return vls_line(t, query, true, out, err);
  const int status = vls_line(t, line, false, out, err);
  return status != 0 || out->kind != IB_LINE_UNKNOWN ? status : record_line(line, out);
}

/* Service levels and VLs. Most lines are of these, and no entry looks like one. */
static int level_line(ib_tables *t, piece line, ib_table_line *out, ripstop_error *err) {
  const bool number_first = line.at < line.end && *line.at == '0'; /* no header, and no record of saquery */
  int status = 0;
  if (!number_first && is_port(line, out)) {
    t->port = true;
    t->record = t->routes = t->groups.in_record = false;
    return found(out, IB_LINE_PORT);
  }
  if (t->port) status = port_line(t, line, out, err);
  if (status == 0 && out->kind == IB_LINE_UNKNOWN && !number_first) status = query_line(t, line, out, err);
  if (status == 0 && out->kind == IB_LINE_UNKNOWN) status = ibdmchk_line(t, line, out, err);
  return status;
}

static bool is_blank(piece line) {
  static const char *const titles[] = {
      "#", "LID    : Port : Hops", "Lid  Out   Destination", "Port     Info", "*** WARNING ***", NULL};
  piece_skip_blanks(&line);
  bool blank = line.at == line.end;
  for (unsigned i = 0; titles[i] && !blank; i++) blank = piece_begins(line, titles[i]);
  return blank;
}

/* A line about multicast, if it is one. The head of another table ends the lines of a port or record. */
static int group_line(ib_tables *t, piece line, ib_table_line *out, ripstop_error *err) {
  static const ib_line_kind kinds[] = {
      [IB_GROUP_UNKNOWN] = IB_LINE_UNKNOWN, [IB_GROUP_BLANK] = IB_LINE_BLANK, [IB_GROUP_KNOWN] = IB_LINE_KNOWN,
      [IB_GROUP_OF] = IB_LINE_GROUPS,       [IB_GROUP_MASK] = IB_LINE_GROUPS, [IB_GROUP_RECORD] = IB_LINE_GROUPS};
  const char *wrong = ib_groups_line(&t->groups, line, &out->group);
  if (wrong) return refuse(t, err, wrong);
  if (out->group.kind == IB_GROUP_OF || (out->group.kind == IB_GROUP_KNOWN && t->groups.in_record))
    t->port = t->record = t->routes = false;
  return found(out, kinds[out->group.kind]);
}

/* A line of ibdiagnet2.far, if it is one. The head of another table ends the lines of a port or record. */
static int adaptive_line(ib_tables *t, piece line, ib_table_line *out, ripstop_error *err) {
  static const ib_line_kind kinds[] = {[IB_ADAPTIVE_UNKNOWN] = IB_LINE_UNKNOWN, [IB_ADAPTIVE_BLANK] = IB_LINE_BLANK,
                                       [IB_ADAPTIVE_KNOWN] = IB_LINE_KNOWN,     [IB_ADAPTIVE_TABLE] = IB_LINE_TABLE,
                                       [IB_ADAPTIVE_PORTS] = IB_LINE_ADAPTIVE,  [IB_ADAPTIVE_ENTRY] = IB_LINE_ENTRY};
  const char *wrong = ib_adaptive_read(&t->adaptive, line, &out->adaptive);
  if (wrong) return refuse(t, err, wrong);
  if (out->adaptive.kind == IB_ADAPTIVE_TABLE) {
    t->port = t->record = t->routes = false;
    t->groups.table = IB_GROUP_TABLE_NONE;
    out->has_guid = out->endless = true;
    out->guid = out->adaptive.guid;
  }
  out->lid = out->adaptive.lid;
  out->out = out->adaptive.port;
  out->name = (piece){line.end, line.end};
  return found(out, kinds[out->adaptive.kind]);
}

int ib_tables_line(ib_tables *t, piece line, ib_table_line *out, ripstop_error *err) {
  out->kind = IB_LINE_UNKNOWN;
  out->has_guid = out->wrong_guid = out->bare = out->endless = false;
  if (t->line == 1) (void)piece_take(&line, "\xef\xbb\xbf"); /* a byte-order mark */
  if (adaptive_line(t, line, out, err) != 0) return -1;
  if (out->kind != IB_LINE_UNKNOWN) return 0;
  out->adaptive.group = RIPSTOP_NONE;
  if (piece_begins(line, "Unicast lids")) return table_line(t, line, out);
  if (begins_routes(t, line, out)) return found(out, IB_LINE_TABLE);
  if (t->routes && is_route(line, out)) return found(out, IB_LINE_ENTRY);
  if (group_line(t, line, out, err) != 0) return -1;
  if (out->kind != IB_LINE_UNKNOWN) return 0;
  if (level_line(t, line, out, err) != 0) return -1;
  if (out->kind != IB_LINE_UNKNOWN) return 0;
  if (is_entry(line, out)) return entry_line(line, out);
  out->kind = ends_table(line) ? IB_LINE_TABLE_END : is_blank(line) ? IB_LINE_BLANK : IB_LINE_UNKNOWN;
  return 0;
}
