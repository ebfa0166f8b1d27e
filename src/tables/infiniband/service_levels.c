/* service_levels.c - lines are kept as they come: path levels as a row for each source, VLs as a list. Their owners
 * are known only when the forwarding tables have been read as well, since LIDs belong to these.
 *
 * Missing data: the service level is that of all other sources if these agree on every destination, else 0, as
 * ibdmchk assumes; each service level is its own VL. */
#include "tables/infiniband/service_levels.h"

#include <inttypes.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"

enum { UNSET = 0xFF, PORT_MAX = 255 };

/* A line of an SL2VL table. */
typedef struct lane_row {
  uint32_t node, lid; /* the switch, or RIPSTOP_NONE: the owner of the LID */
  uint32_t line;
  const char *path;
  uint8_t in, out, lane[RIPSTOP_LEVELS];
} lane_row;

typedef enum levels_answer { LEVELS_ERROR = -1, LEVELS_NOT_MINE, LEVELS_TAKEN } levels_answer;

struct levels {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  const ripstop_address_book *book;
  const char *path;
  uint32_t line;
  uint32_t owner; /* LID of the port that lines are about; 0: none */
  uint32_t node;  /* the switch, if its GUID is given; RIPSTOP_NONE: the owner of the LID */
  /* The fields of a record of `saquery PR` so far; UINT64_MAX: missing. */
  uint64_t source, target;
  bool record;                /* its other fields follow */
  uint8_t **of_end, **of_lid; /* [ends], [LEVELS_LIDS]: levels by LID of the destination; NULL: none */
  lane_row *row;
  size_t rows, room;
  uint32_t unknown; /* lines about nodes that the fabric does not have */
};

levels *levels_new(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_address_book *book) {
  levels *l = RIPSTOP_NEW(arena, levels);
  *l = (levels){.arena = arena, .fabric = fabric, .book = book};
  l->of_end = RIPSTOP_ARRAY(arena, fabric->ends, uint8_t *);
  l->of_lid = RIPSTOP_ARRAY(arena, LEVELS_LIDS, uint8_t *);
  return l;
}

void levels_pause(levels *l) {
  l->owner = 0;
  l->record = false;
}

void levels_file(levels *l, const char *path) {
  l->path = path;
  levels_pause(l);
  l->source = l->target = UINT64_MAX;
}

static levels_answer refuse(const levels *l, ripstop_error *err, const char *why, uint64_t value) {
  ripstop_fail(err, "%s:%u: %" PRIu64 " %s", l->path, l->line, value, why);
  return LEVELS_ERROR;
}

static bool is_lid(uint64_t lid) { return lid > 0 && lid < LEVELS_LIDS; }

/* ------------------------------------------------------------------ path levels */

static levels_answer keep_level(levels *l, uint8_t **row, uint64_t target, uint64_t level, ripstop_error *err) {
  if (!is_lid(target)) return refuse(l, err, "is no unicast LID (1 to 49151)", target);
  if (level >= RIPSTOP_LEVELS) return refuse(l, err, "is no service level (0 to 15)", level);
  if (!*row) {
    *row = RIPSTOP_ARRAY(l->arena, LEVELS_LIDS, uint8_t);
    memset(*row, UNSET, LEVELS_LIDS);
  }
  (*row)[target] = (uint8_t)level;
  return LEVELS_TAKEN;
}

/* ibdmchk: "0x<GUID of the node> LID SL". */
static levels_answer psl_line(levels *l, uint64_t guid, uint64_t lid, uint64_t level, ripstop_error *err) {
  levels_answer answer = LEVELS_TAKEN;
  uint32_t ends = 0, end, port;
  while (answer == LEVELS_TAKEN && (end = l->book->end_of_node(l->book->owner, guid, ends, &port)) != RIPSTOP_NONE) {
    answer = keep_level(l, &l->of_end[end], lid, level, err);
    ends++;
  }
  l->unknown += ends == 0 && l->book->switch_of(l->book->owner, guid) == RIPSTOP_NONE;
  return answer;
}

/* opensm-path-records.dump, below the line of a port: "0xLID : SL : MTU : RATE" or "0xLID : UNREACHABLE". */
static levels_answer record_line(levels *l, words w, ripstop_error *err) {
  uint64_t lid, level;
  if (!words_hexadecimal(&w, &lid) || !words_take(&w, ":")) return LEVELS_NOT_MINE;
  words_skip(&w);
  if (words_begin(w, "UNREACHABLE")) return LEVELS_TAKEN;
  if (!words_number(&w, 10, &level) || !words_take(&w, ":")) return LEVELS_NOT_MINE;
  return keep_level(l, &l->of_lid[l->owner], lid, level, err);
}

/* saquery writes "slid....................0x3", one field a line, the level after both LIDs. Steps behind such dots. */
static bool field(words *w, const char *name) {
  words at = *w;
  if (!words_take(&at, name)) return false;
  const char *dots = at.at;
  while (at.at < at.end && *at.at == '.') at.at++;
  if (at.at <= dots + 1) return false;
  w->at = at.at;
  return true;
}

/* Another field of a record, which is not needed here. */
static bool other_field(words w) {
  words_skip(&w);
  const char *name = w.at;
  while (w.at < w.end && ((*w.at >= 'a' && *w.at <= 'z') || *w.at == '_' || words_digit(*w.at) <= 9)) w.at++;
  return w.at > name && words_begin(w, "..");
}

static levels_answer number_in(const levels *l, words w, uint64_t *value, ripstop_error *err) {
  if (words_any_number(&w, value) && words_ends(&w)) return LEVELS_TAKEN;
  ripstop_fail(err, "%s:%u: no number behind the dots", l->path, l->line);
  return LEVELS_ERROR;
}

static levels_answer query_line(levels *l, words w, ripstop_error *err) {
  uint64_t level;
  if (words_begin(w, "PathRecord dump")) {
    l->source = l->target = UINT64_MAX;
    l->record = true;
    return LEVELS_TAKEN;
  }
  if (field(&w, "slid")) return number_in(l, w, &l->source, err);
  if (field(&w, "dlid")) return number_in(l, w, &l->target, err);
  if (!field(&w, "sl")) return l->record && other_field(w) ? LEVELS_TAKEN : LEVELS_NOT_MINE;
  if (number_in(l, w, &level, err) == LEVELS_ERROR) return LEVELS_ERROR;
  if (l->source == UINT64_MAX || l->target == UINT64_MAX) {
    ripstop_fail(err, "%s:%u: a service level before both LIDs of its path (slid, dlid)", l->path, l->line);
    return LEVELS_ERROR;
  }
  if (!is_lid(l->source)) return refuse(l, err, "is no unicast LID (1 to 49151)", l->source);
  return keep_level(l, &l->of_lid[l->source], l->target, level, err);
}

/* ------------------------------------------------------------------ virtual lanes */

static levels_answer keep_row(levels *l, lane_row row, uint64_t in, uint64_t out, ripstop_error *err) {
  if (in > PORT_MAX) return refuse(l, err, "is no port", in);
  if (out > PORT_MAX) return refuse(l, err, "is no port", out);
  row.line = l->line;
  row.path = l->path;
  row.in = (uint8_t)in;
  row.out = (uint8_t)out;
  RIPSTOP_GROW_IN(l->arena, l->row, l->rows, l->room);
  l->row[l->rows++] = row;
  return LEVELS_TAKEN;
}

/* Refuses text after the VLs of a line. */
static levels_answer check_end(const levels *l, words w, ripstop_error *err) {
  words_skip(&w);
  if (w.at == w.end) return LEVELS_TAKEN;
  ripstop_fail(err, "%s:%u: more than 16 lanes", l->path, l->line);
  return LEVELS_ERROR;
}

/* Sixteen VLs, with `between` before each but the first. */
static levels_answer read_lanes(const levels *l, words *w, const char *between, lane_row *row, ripstop_error *err) {
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++) {
    uint64_t lane;
    if (level > 0 && *between && !words_take(w, between)) return refuse(l, err, "lanes, not 16", level);
    words_skip(w);
    if (!words_number(w, 10, &lane)) return refuse(l, err, "lanes, not 16", level);
    if (lane > RIPSTOP_LANES) return refuse(l, err, "is no virtual lane (0 to 15)", lane);
    row->lane[level] = (uint8_t)lane;
  }
  if (*between) (void)words_take(w, between);
  return check_end(l, *w, err);
}

/* opensm-sl2vl.dump, below the line of a port: "in out : VL VL ..."; smpquery: "ports: in 1, out 2: | 0| 1|...". */
static levels_answer lanes_line(levels *l, words w, bool query, ripstop_error *err) {
  uint64_t in, out;
  lane_row row = {.node = l->node, .lid = l->owner};
  words_skip(&w);
  if (!words_number(&w, 10, &in) || (query && !words_take(&w, ", out"))) return LEVELS_NOT_MINE;
  words_skip(&w);
  if (!words_number(&w, 10, &out) || !words_take(&w, ":") || (query && !words_take(&w, "|"))) return LEVELS_NOT_MINE;
  levels_answer answer = read_lanes(l, &w, query ? "|" : "", &row, err);
  return answer == LEVELS_TAKEN ? keep_row(l, row, in, out, err) : answer;
}

/* The switch, or the end node at the port of an adapter. */
static uint32_t owner_of_lanes(const levels *l, uint64_t guid, uint64_t out) {
  uint32_t node = l->book->switch_of(l->book->owner, guid), port;
  for (uint32_t nth = 0; node == RIPSTOP_NONE; nth++) {
    uint32_t end = l->book->end_of_node(l->book->owner, guid, nth, &port);
    if (end == RIPSTOP_NONE) break;
    if (port == out) node = end;
  }
  return node;
}

/* ibdmchk: "0x<GUID> IN OUT 0x<SL 0><SL 1> ... 0x<SL 14><SL 15>", a digit for each VL. */
static levels_answer slvl_line(levels *l, uint64_t guid, uint64_t in, uint64_t out, words w, ripstop_error *err) {
  lane_row row = {.node = owner_of_lanes(l, guid, out)};
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level += 2) {
    uint64_t two;
    words_skip(&w);
    if (!words_hexadecimal(&w, &two) || two > 0xFF) return refuse(l, err, "lanes, not 16", level);
    row.lane[level] = (uint8_t)(two >> 4);
    row.lane[level + 1] = (uint8_t)(two & 15);
  }
  if (check_end(l, w, err) == LEVELS_ERROR) return LEVELS_ERROR;
  if (row.node != RIPSTOP_NONE) return keep_row(l, row, in, out, err);
  l->unknown++;
  return LEVELS_TAKEN;
}

/* ------------------------------------------------------------------ lines */

/* Three numbers, the first with 0x: a path's level, or with eight bytes after them the VLs of two ports. */
static levels_answer ibdmchk_line(levels *l, words w, ripstop_error *err) {
  uint64_t guid, second, third;
  if (!words_hexadecimal(&w, &guid) || !words_ends(&w)) return LEVELS_NOT_MINE;
  words_skip(&w);
  if (!words_number(&w, 10, &second) || !words_ends(&w)) return LEVELS_NOT_MINE;
  words_skip(&w);
  if (!words_number(&w, 10, &third) || !words_ends(&w)) return LEVELS_NOT_MINE;
  words_skip(&w);
  if (w.at == w.end) return psl_line(l, guid, second, third, err);
  return words_begin(w, "0x") ? slvl_line(l, guid, second, third, w, err) : LEVELS_NOT_MINE;
}

/* The line above the lines of a port: "Switch 0x..., base LID 4, ..." or "# SL2VL table: Lid 4". */
static bool header_line(const levels *l, words w, uint32_t *node, uint64_t *lid) {
  uint64_t guid;
  *node = RIPSTOP_NONE;
  if (words_take(&w, "# SL2VL table: Lid")) return words_any_number(&w, lid);
  bool is_switch = words_take(&w, "Switch");
  if (!is_switch && !words_take(&w, "Channel Adapter") && !words_take(&w, "Router")) return false;
  words_skip(&w);
  if (!words_hexadecimal(&w, &guid) || !words_find(w, "base LID", words_any_number, lid)) return false;
  if (is_switch) *node = l->book->switch_of(l->book->owner, guid);
  return true;
}

/* A line below the header of a port. */
static levels_answer port_line(levels *l, words line, ripstop_error *err) {
  words query = line;
  if (words_take(&query, "ports: in")) return lanes_line(l, query, true, err);
  levels_answer answer = lanes_line(l, line, false, err);
  return answer == LEVELS_NOT_MINE ? record_line(l, line, err) : answer;
}

int levels_line(levels *l, words line, uint32_t number, ripstop_error *err) {
  uint64_t lid;
  uint32_t node;
  bool number_first = line.at < line.end && *line.at == '0'; /* no header, and no record of saquery */
  l->line = number;
  if (!number_first && header_line(l, line, &node, &lid)) {
    levels_pause(l);
    l->node = node;
    l->owner = is_lid(lid) ? (uint32_t)lid : 0;
    return l->owner ? 0 : refuse(l, err, "is no unicast LID (1 to 49151)", lid);
  }
  levels_answer answer = l->owner ? port_line(l, line, err) : LEVELS_NOT_MINE;
  if (answer == LEVELS_NOT_MINE && !number_first) answer = query_line(l, line, err);
  if (answer == LEVELS_NOT_MINE) answer = ibdmchk_line(l, line, err);
  return answer == LEVELS_ERROR ? -1 : answer == LEVELS_NOT_MINE;
}

/* ------------------------------------------------------------------ into tables */

typedef struct fill {
  const levels *l;
  const uint32_t *next_node; /* [LEVELS_LIDS] */
  const uint32_t *lid;       /* [f->addresses] */
  ripstop_forwarding *f;
  ripstop_lfts_notes *notes;
  uint32_t used; /* a bit for each level that some path has */
} fill;

/* Levels of one source, to `told` ([addresses]); NULL in `row`: it has none. */
static void read_row(const fill *s, uint32_t end, const uint8_t *row, uint8_t *told) {
  for (uint32_t a = 0; a < s->f->addresses; a++) told[a] = row && s->f->node[a] != end ? row[s->lid[a]] : UNSET;
}

/* Counts the levels of a row, and merges them into `common`; false: another source has another level. */
static bool look_at_row(fill *s, uint32_t end, const uint8_t *told, uint8_t *common) {
  bool same = true;
  for (uint32_t a = 0; a < s->f->addresses; a++) {
    uint32_t node = s->f->node[a];
    if (node == end) continue;
    s->used |= told[a] == UNSET ? 1u : 1u << told[a];
    if (told[a] == UNSET) {
      s->notes->without_level += s->lid[a] != 0 && ripstop_is_end(s->f->fabric, node);
      continue;
    }
    if (common[a] == UNSET) common[a] = told[a];
    same &= common[a] == told[a];
  }
  return same;
}

static void take_row(uint8_t *to, const uint8_t *told, uint32_t addresses) {
  for (uint32_t a = 0; a < addresses; a++) to[a] = told[a] == UNSET ? 0 : told[a];
}

/* One row for all sources if those with data agree: the others were down, or absent, and are no reason to prefer
 * levels by pair to levels by destination. */
static void fill_rows(fill *s, const uint8_t *const *row, ripstop_arena *scratch) {
  const ripstop_fabric *fabric = s->f->fabric;
  uint32_t addresses = s->f->addresses;
  uint8_t *told = RIPSTOP_ARRAY(scratch, addresses, uint8_t), *common = RIPSTOP_ARRAY(scratch, addresses, uint8_t);
  bool shared = true;
  memset(common, UNSET, addresses);
  for (uint32_t end = 0; end < fabric->ends; end++) {
    read_row(s, end, row[end], told);
    shared &= look_at_row(s, end, told, common);
  }
  s->f->level_shared = s->notes->levels_agree = shared;
  s->f->level = RIPSTOP_ARRAY(s->f->arena, (shared ? 1 : (size_t)fabric->ends) * addresses, uint8_t);
  if (shared) take_row(s->f->level, common, addresses);
  for (uint32_t end = 0; !shared && end < fabric->ends; end++) {
    read_row(s, end, row[end], told);
    take_row(s->f->level + (size_t)end * addresses, told, addresses);
  }
}

/* Sources by their lowest LID with data: an end node has one level for each address here. */
static void fill_levels(fill *s) {
  const ripstop_fabric *fabric = s->f->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint8_t **row = RIPSTOP_ARRAY(scratch, fabric->ends, const uint8_t *);
  bool any = false;
  for (uint32_t a = s->f->addresses; a-- > 0;)
    if (s->l->of_lid[s->lid[a]] && ripstop_is_end(fabric, s->f->node[a])) row[s->f->node[a]] = s->l->of_lid[s->lid[a]];
  for (uint32_t end = 0; end < fabric->ends; end++) {
    if (s->l->of_end[end]) row[end] = s->l->of_end[end];
    any |= row[end] != NULL;
  }
  s->used = any ? 0 : 1;
  if (any) fill_rows(s, row, scratch);
}

/* Makes room for VLs: each service level is its own VL until a line says otherwise. */
static void open_lanes(fill *s) {
  const ripstop_fabric *fabric = s->f->fabric;
  uint32_t switches = ripstop_fabric_switches(fabric);
  size_t size = 0;
  s->f->lane_first = RIPSTOP_ARRAY(s->f->arena, switches, size_t);
  for (uint32_t i = 0; i < switches; i++) {
    size_t ports = ripstop_node_ports(fabric, fabric->ends + i);
    s->f->lane_first[i] = size;
    size += ports * ports * RIPSTOP_LEVELS;
  }
  s->f->lane = RIPSTOP_ARRAY(s->f->arena, size, uint8_t);
  s->f->end_lane = RIPSTOP_ARRAY(s->f->arena, (size_t)fabric->ends * RIPSTOP_LEVELS, uint8_t);
  for (size_t i = 0; i < size; i++) s->f->lane[i] = i % RIPSTOP_LEVELS;
  for (size_t i = 0; i < (size_t)fabric->ends * RIPSTOP_LEVELS; i++) s->f->end_lane[i] = i % RIPSTOP_LEVELS;
}

/* The destination of the row; NULL with *status 0: none, it is of the switch's port 0, which the fabric does not
 * have. */
static uint8_t *lanes_of_switch(const fill *s, const lane_row *row, uint32_t node, int *status, ripstop_error *err) {
  uint32_t ports = ripstop_node_ports(s->f->fabric, node), first = s->l->book->first_port;
  uint32_t most = row->in > row->out ? row->in : row->out;
  *status = 0;
  if (most >= ports + first)
    *status = ripstop_fail(err, "%s:%u: port %u: the switch has ports up to %u", row->path, row->line, most,
                           ports + first - 1);
  if (*status || row->in < first || row->out < first) return NULL;
  size_t pair = (size_t)(row->in - first) * ports + (row->out - first);
  return &s->f->lane[s->f->lane_first[node - s->f->fabric->ends] + pair * RIPSTOP_LEVELS];
}

static int fill_lane_row(fill *s, const lane_row *row, ripstop_error *err) {
  uint32_t node = row->node != RIPSTOP_NONE ? row->node : s->next_node[row->lid] - 1;
  int status = 0;
  if (node == RIPSTOP_NONE) {
    s->notes->unknown_sources++;
    return 0;
  }
  uint8_t *lane = ripstop_is_end(s->f->fabric, node) ? &s->f->end_lane[(size_t)node * RIPSTOP_LEVELS]
                                                     : lanes_of_switch(s, row, node, &status, err);
  if (lane) memcpy(lane, row->lane, RIPSTOP_LEVELS);
  return status;
}

/* Counts as many VLs as the used service levels map to; VL 15 is none for data: packets on it are dropped. */
static uint32_t count_lanes(const fill *s, const uint8_t *lane, size_t count, uint32_t lanes) {
  for (size_t i = 0; i < count; i++)
    if ((s->used >> (i % RIPSTOP_LEVELS) & 1) && lane[i] < RIPSTOP_LANES && lane[i] >= lanes) lanes = lane[i] + 1u;
  return lanes;
}

static int fill_lanes(fill *s, ripstop_error *err) {
  const ripstop_fabric *fabric = s->f->fabric;
  uint32_t last = fabric->nodes - 1, ports = ripstop_node_ports(fabric, last);
  open_lanes(s);
  for (size_t i = 0; i < s->l->rows; i++)
    if (fill_lane_row(s, &s->l->row[i], err) != 0) return -1;
  size_t size = s->f->lane_first[last - fabric->ends] + (size_t)ports * ports * RIPSTOP_LEVELS;
  s->f->lanes = count_lanes(s, s->f->lane, size, 1);
  s->f->lanes = count_lanes(s, s->f->end_lane, (size_t)fabric->ends * RIPSTOP_LEVELS, s->f->lanes);
  return 0;
}

int levels_fill(const levels *l, const uint32_t *next_node, const uint32_t *lid, ripstop_forwarding *out,
                ripstop_lfts_notes *notes, ripstop_error *err) {
  fill s = {.l = l, .next_node = next_node, .lid = lid, .f = out, .notes = notes};
  notes->unknown_sources = l->unknown;
  fill_levels(&s);
  if (l->rows > 0) return fill_lanes(&s, err);
  for (uint32_t level = 0; level < RIPSTOP_LANES; level++)
    if (s.used >> level & 1) out->lanes = level + 1;
  return 0;
}
