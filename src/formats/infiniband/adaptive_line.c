/* adaptive_line.c - see adaptive_line.h. "File version:" begins such a file; without it no line is of this kind. */
#include "formats/infiniband/adaptive_line.h"

#include <string.h>

#include "ripstop/plugin/base.h"

enum { PORTS = 64 * IB_ADAPTIVE_WORDS };

static bool hexadecimal(piece *p, uint64_t *out) {
  piece_skip_blanks(p);
  return (piece_take(p, "0x") || piece_take(p, "0X")) && piece_number(p, 16, out) &&
         (p->at == p->end || piece_blank(*p->at) || *p->at == ',');
}

static bool decimal(piece *p, uint64_t most, uint64_t *out) {
  piece_skip_blanks(p);
  return piece_number(p, 10, out) && *out <= most && (p->at == p->end || piece_blank(*p->at) || *p->at == ',');
}

static const char *found(ib_adaptive_line *out, ib_adaptive_kind kind) {
  out->kind = kind;
  return NULL;
}

/* "1  0  0  17,18,19,"; a group may have no port. */
static const char *read_ports(piece p, ib_adaptive_line *out) {
  uint64_t group, ignored, port;
  if (!decimal(&p, UINT16_MAX, &group) || !decimal(&p, UINT16_MAX, &ignored) || !decimal(&p, UINT16_MAX, &ignored))
    return "no group: 'GROUP SUBGROUP WHBF PORT,PORT,' has three numbers before its ports";
  out->group = (uint32_t)group;
  memset(out->ports, 0, sizeof out->ports);
  for (piece_skip_blanks(&p); p.at < p.end; piece_skip_blanks(&p)) {
    if (!decimal(&p, PORTS - 1, &port)) return "no port number (0 to 255) in a group of ports";
    out->ports[port / 64] |= UINT64_C(1) << port % 64;
    (void)piece_take_word(&p, ",");
  }
  return found(out, IB_ADAPTIVE_PORTS);
}

/* "0x0003  17  Free  1" */
static const char *read_entry(piece p, ib_adaptive_line *out) {
  uint64_t group;
  if (!hexadecimal(&p, &out->lid) || !decimal(&p, PORTS - 1, &out->port))
    return "no entry: '0xLID PORT STATE GROUP' begins with a LID and a port";
  const piece state = piece_next_word(&p);
  const bool is_static = piece_is(state, "Static");
  if (!is_static && !piece_is(state, "Free") && !piece_is(state, "HBF"))
    return "the state of a LID is Static, Free or HBF (behind its port)";
  if (!decimal(&p, UINT16_MAX, &group)) return "no group behind the state of a LID";
  out->group = is_static ? RIPSTOP_NONE : (uint32_t)group;
  return found(out, IB_ADAPTIVE_ENTRY);
}

/* A switch with several forwarding tables picks one by rules that the file does not have. */
static const char *read_number(piece p, ib_adaptive_line *out) {
  uint64_t number;
  if (!decimal(&p, UINT16_MAX, &number)) return "no number behind 'PLFT_NUM:'";
  return number == 0 ? found(out, IB_ADAPTIVE_KNOWN) : "a private forwarding table: only 'PLFT_NUM: 0' can be judged";
}

static const char *read_head(ib_adaptive *a, piece p, ib_adaptive_line *out) {
  if (piece_take_word(&p, "File version:")) {
    a->part = IB_ADAPTIVE_FILE;
    return found(out, IB_ADAPTIVE_BLANK);
  }
  if (a->part == IB_ADAPTIVE_NO_FILE) return NULL;
  if (piece_take(&p, "Switch ")) {
    if (!hexadecimal(&p, &a->guid)) return "no GUID behind 'Switch'";
    a->part = IB_ADAPTIVE_SWITCH;
    return found(out, IB_ADAPTIVE_KNOWN);
  }
  if (piece_take_word(&p, "Groups Definition:")) {
    if (a->part != IB_ADAPTIVE_SWITCH) return "groups of ports before 'Switch 0x...'";
    a->part = IB_ADAPTIVE_GROUPS;
    out->guid = a->guid;
    return found(out, IB_ADAPTIVE_TABLE);
  }
  if (piece_take_word(&p, "LFT Definition:")) {
    if (a->part != IB_ADAPTIVE_GROUPS) return "a forwarding table without 'Groups Definition:' before it";
    a->part = IB_ADAPTIVE_ENTRIES;
    found(out, IB_ADAPTIVE_KNOWN);
  }
  if (a->part == IB_ADAPTIVE_ENTRIES && piece_take_word(&p, "PLFT_NUM:")) return read_number(p, out);
  return NULL;
}

const char *ib_adaptive_read(ib_adaptive *a, piece line, ib_adaptive_line *out) {
  const piece p = piece_trimmed(line);
  out->kind = IB_ADAPTIVE_UNKNOWN;
  const char *wrong = read_head(a, p, out);
  if (wrong || out->kind != IB_ADAPTIVE_UNKNOWN || a->part <= IB_ADAPTIVE_FILE) return wrong;
  if (p.at == p.end || *p.at == '#' || *p.at == '-') return found(out, IB_ADAPTIVE_BLANK);
  const bool number = piece_digit(*p.at) <= 9;
  if (a->part == IB_ADAPTIVE_SWITCH)
    return number || piece_begins(p, "LID") ? "an entry before 'Groups Definition:' of its switch"
                                            : found(out, IB_ADAPTIVE_BLANK);
  if (number) return a->part == IB_ADAPTIVE_GROUPS ? read_ports(p, out) : read_entry(p, out);
  if (piece_begins(p, a->part == IB_ADAPTIVE_GROUPS ? "Group" : "LID")) return found(out, IB_ADAPTIVE_BLANK);
  return NULL;
}
