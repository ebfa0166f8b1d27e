/* group_line.c - see group_line.h. The lines:
 *
 *   Switch 0x<guid>                                          opensm.mcfdbs: begins a table
 *   LID    : Out Port(s)                                     ... title
 *   0xC000 : 0x001  0x017                                    ... hexadecimal port numbers
 *   Multicast mlids [0xc000-0xc3ff] of switch ... guid 0x... (name):   dump_mfts, ibroute -M: begins a table
 *                0                   1                       ... tens of the port numbers
 *        Ports: 0 1 2                                        ... title, as is " MLid"
 *   0xc000      x   x                                        ... two columns for each port, from the 13th on
 *   0xc000      00050000                                     ... -s: four digits for each 16 ports, lowest first
 *   2 valid mlids dumped                                     ... ends the table
 *   MCMember...                                              saquery: begins a record
 *   MGID....................ff12:401b:ffff::ffff:ffff        ... its fields: also mlid, SL, PortGid, JoinState */
#include "formats/infiniband/group_line.h"

#include <arpa/inet.h>

#include "base/bits.h"

enum { COLUMNS_AT = 12 };

static bool hexadecimal(piece *p, uint64_t *out) {
  piece copy = *p;
  if (!piece_take(&copy, "0x") && !piece_take(&copy, "0X")) return false;
  if (!piece_number(&copy, 16, out)) return false;
  *p = copy;
  return true;
}

static bool ended(piece p) {
  piece_skip_blanks(&p);
  return p.at == p.end;
}

/* ------------------------------------------------------------------ group tables */

/* "Switch 0x<guid>" with nothing behind it. */
static bool begins_lists(piece line, ib_group_line *out) {
  if (!piece_take_word(&line, "Switch")) return false;
  piece_skip_blanks(&line);
  return out->has_guid = hexadecimal(&line, &out->guid) && ended(line);
}

static bool begins_columns(piece line, ib_group_line *out) {
  if (!piece_take(&line, "Multicast mlids")) return false;
  const char *guid = piece_find(line, " guid 0x");
  if (guid) line.at = guid + strlen(" guid ");
  out->has_guid = guid && hexadecimal(&line, &out->guid);
  return true;
}

static bool ends_table(piece line) {
  uint64_t mlids;
  if (!piece_number(&line, 10, &mlids)) return false;
  (void)piece_take_word(&line, "valid");
  return piece_take_word(&line, "mlids dumped");
}

/* Titles, and the tens of port numbers above the columns. */
static bool is_title(const ib_groups *state, piece line) {
  static const char *const titles[] = {"LID ", "MLid", "Ports:", NULL};
  piece_skip_blanks(&line);
  for (unsigned i = 0; titles[i]; i++)
    if (piece_begins(line, titles[i])) return true;
  while (state->table == IB_GROUP_TABLE_COLUMNS && line.at < line.end &&
         (piece_blank(*line.at) || piece_digit(*line.at) < 10))
    line.at++;
  return ended(line);
}

static const char *read_list(piece p, ib_group_line *out) {
  uint64_t port;
  while (!ended(p)) {
    piece_skip_blanks(&p);
    if (!hexadecimal(&p, &port) || (p.at < p.end && !piece_blank(*p.at))) return "no port number (0x001) in the list";
    if (port >= IB_MASK_PORTS - 1) return "a port number above 254";
    ripstop_bit_set(out->port, port);
  }
  return NULL;
}

/* Four hexadecimal digits for each 16 ports. */
static const char *read_masks(piece p, ib_group_line *out) {
  enum { CHUNK = 4, CHUNK_PORTS = 16 };
  for (unsigned port = 0; p.at < p.end; port += CHUNK_PORTS, p.at += CHUNK) {
    piece chunk = {p.at, p.at + CHUNK};
    uint64_t mask;
    if (piece_length(p) < CHUNK || port >= IB_MASK_PORTS || !piece_number(&chunk, 16, &mask) || chunk.at != chunk.end)
      return "neither columns of 'x' nor a mask of four hexadecimal digits for each 16 ports";
    out->port[port / 64] |= mask << port % 64;
  }
  return NULL;
}

/* An 'x' or a blank for each port, with a blank behind it. */
static const char *read_columns(piece line, piece rest, ib_group_line *out) {
  const piece masks = piece_trimmed(rest);
  if (masks.at < masks.end && *masks.at != 'x') return read_masks(masks, out);
  for (const char *at = rest.at; at < masks.end; at++) {
    const size_t column = (size_t)(at - line.at);
    if (*at == ' ') continue;
    if (*at != 'x' || column < COLUMNS_AT || (column - COLUMNS_AT) % 2 ||
        (column - COLUMNS_AT) / 2 >= IB_MASK_PORTS - 1)
      return "a column that belongs to no port: two for each, from the 13th on, an 'x' or blank first";
    ripstop_bit_set(out->port, (column - COLUMNS_AT) / 2);
  }
  return NULL;
}

static const char *read_mask(const ib_groups *state, piece line, ib_group_line *out) {
  const bool listed = state->table == IB_GROUP_TABLE_LISTS;
  piece rest = line;
  if (!hexadecimal(&rest, &out->mlid)) return NULL;
  if (rest.at < rest.end && !piece_blank(*rest.at) && *rest.at != ':') return NULL;
  if (out->mlid < IB_MLID_FIRST || out->mlid > IB_MLID_LAST)
    return listed ? NULL : "no multicast LID (0xC000 to 0xFFFE)";
  memset(out->port, 0, sizeof out->port);
  out->kind = IB_GROUP_MASK;
  if (!listed) return read_columns(line, rest, out);
  return piece_take_word(&rest, ":") ? read_list(rest, out) : "no ':' behind the MLID";
}

static void begin_table(ib_groups *state, ib_group_table table, ib_group_line *out) {
  state->table = table;
  state->in_record = false;
  out->kind = IB_GROUP_OF;
}

static const char *table_line(ib_groups *state, piece line, ib_group_line *out) {
  if (ends_table(line)) {
    state->table = IB_GROUP_TABLE_NONE;
    out->kind = IB_GROUP_KNOWN;
    return NULL;
  }
  if (is_title(state, line)) {
    out->kind = IB_GROUP_BLANK;
    return NULL;
  }
  return read_mask(state, line, out);
}

/* ------------------------------------------------------------------ records */

static void begin_record(ib_groups *state) {
  const uint32_t number = state->record.number + 1;
  state->table = IB_GROUP_TABLE_NONE;
  state->in_record = true;
  state->record = (ib_group_record){
      .mlid = UINT64_MAX, .level = UINT64_MAX, .port_guid = UINT64_MAX, .join = UINT64_MAX, .number = number};
}

/* "NAME....VALUE", at least two dots. */
static bool field(piece line, const char *name, piece *value) {
  piece_skip_blanks(&line);
  if (!piece_take(&line, name) || !piece_take(&line, "..")) return false;
  while (piece_take_char(&line, '.')) continue;
  *value = piece_trimmed(line);
  return true;
}

static bool any_field(piece line) {
  piece_skip_blanks(&line);
  const char *begin = line.at;
  while (line.at < line.end && *line.at != '.' && !piece_blank(*line.at)) line.at++;
  return line.at > begin && piece_begins(line, "..");
}

/* The last 64 bits of an address of 128. */
static bool guid_of(piece value, uint64_t *guid) {
  char text[IB_MGID_MAX];
  uint8_t bytes[16];
  if (!piece_copy(value, text, sizeof text) || inet_pton(AF_INET6, text, bytes) != 1) return false;
  *guid = 0;
  for (unsigned i = 8; i < sizeof bytes; i++) *guid = *guid << 8 | bytes[i];
  return true;
}

static bool number_of(piece value, uint64_t *out) {
  return (hexadecimal(&value, out) || piece_number(&value, 10, out)) && ended(value);
}

static const char *take_mlid(ib_group_record *r, piece value) {
  if (!number_of(value, &r->mlid)) r->mlid = 0;
  return r->mlid < IB_MLID_FIRST || r->mlid > IB_MLID_LAST ? "no multicast LID (0xC000 to 0xFFFE)" : NULL;
}

static const char *take_level(ib_group_record *r, piece value) {
  enum { LEVEL_LAST = 15 };
  return number_of(value, &r->level) && r->level <= LEVEL_LAST ? NULL : "no service level (0 to 15)";
}

static const char *take_join(ib_group_record *r, piece value) {
  enum { STATES = 15 }; /* the scope is above */
  if (!number_of(value, &r->join)) return "no number behind the dots";
  r->join &= STATES;
  return NULL;
}

static const char *record_line(ib_groups *state, piece line, ib_group_line *out) {
  ib_group_record *r = &state->record;
  const char *wrong = NULL;
  piece value;
  if (!any_field(line)) {
    state->in_record = ended(line) || piece_begins(piece_trimmed(line), "MCMember");
    return NULL;
  }
  if (field(line, "MGID", &value)) {
    if (r->mgid[0]) begin_record(state);
    if (piece_length(value) == 0 || !piece_copy(value, r->mgid, sizeof r->mgid)) return "no MGID behind the dots";
  } else if (field(line, "mlid", &value) || field(line, "Mlid", &value)) {
    wrong = take_mlid(r, value);
  } else if (field(line, "SL", &value)) {
    wrong = take_level(r, value);
  } else if (field(line, "PortGid", &value)) {
    if (!guid_of(value, &r->port_guid)) wrong = "no GID (fe80::..) behind the dots";
  } else if (field(line, "JoinState", &value) || field(line, "ScopeState", &value)) {
    wrong = take_join(r, value);
  }
  out->kind = r->mlid == UINT64_MAX ? IB_GROUP_KNOWN : IB_GROUP_RECORD;
  return wrong;
}

/* ------------------------------------------------------------------ lines */

static bool begins_record(const ib_groups *state, piece line) {
  piece value;
  piece_skip_blanks(&line);
  return piece_begins(line, "MCMember") || (!state->in_record && field(line, "MGID", &value));
}

const char *ib_groups_line(ib_groups *state, piece line, ib_group_line *out) {
  const bool number_first = line.at < line.end && *line.at == '0';
  out->kind = IB_GROUP_UNKNOWN;
  if (number_first) return state->table ? table_line(state, line, out) : NULL;
  if (begins_columns(line, out)) {
    begin_table(state, IB_GROUP_TABLE_COLUMNS, out);
  } else if (begins_lists(line, out)) {
    begin_table(state, IB_GROUP_TABLE_LISTS, out);
  } else if (begins_record(state, line)) {
    begin_record(state);
    out->kind = IB_GROUP_KNOWN;
  }
  if (state->in_record) {
    const char *wrong = record_line(state, line, out);
    if (wrong || out->kind != IB_GROUP_UNKNOWN) return wrong;
  }
  return out->kind == IB_GROUP_UNKNOWN && state->table ? table_line(state, line, out) : NULL;
}
