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

struct levels {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  const ripstop_address_book *book;
  uint32_t owner;             /* LID of the port that lines are about */
  uint32_t node;              /* the switch, if its GUID is given; RIPSTOP_NONE: the owner of the LID */
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

static int refuse(const ib_tables *at, ripstop_error *err, const char *why, uint64_t value) {
  return ripstop_fail(err, "%s:%u: %" PRIu64 " %s", at->path, at->line, value, why);
}

static bool is_lid(uint64_t lid) { return lid > 0 && lid < LEVELS_LIDS; }

static int refuse_lid(const ib_tables *at, uint64_t lid, ripstop_error *err) {
  return refuse(at, err, "is no unicast LID (1 to 49151)", lid);
}

/* ------------------------------------------------------------------ lines */

static int take_port(levels *l, const ib_table_line *line, const ib_tables *at, ripstop_error *err) {
  if (!is_lid(line->lid)) return refuse_lid(at, line->lid, err);
  l->owner = (uint32_t)line->lid;
  l->node = line->has_guid ? l->book->switch_of(l->book->owner, line->guid) : RIPSTOP_NONE;
  return 0;
}

static int keep_level(levels *l, uint8_t **row, const ib_table_line *line, const ib_tables *at, ripstop_error *err) {
  if (!is_lid(line->lid)) return refuse_lid(at, line->lid, err);
  if (line->level >= RIPSTOP_LEVELS) return refuse(at, err, "is no service level (0 to 15)", line->level);
  if (!*row) {
    *row = RIPSTOP_ARRAY(l->arena, LEVELS_LIDS, uint8_t);
    memset(*row, UNSET, LEVELS_LIDS);
  }
  (*row)[line->lid] = (uint8_t)line->level;
  return 0;
}

static int take_level(levels *l, const ib_table_line *line, const ib_tables *at, ripstop_error *err) {
  if (line->source_kind == IB_SOURCE_PORT) return keep_level(l, &l->of_lid[l->owner], line, at, err);
  if (line->source_kind == IB_SOURCE_LID)
    return is_lid(line->source) ? keep_level(l, &l->of_lid[line->source], line, at, err)
                                : refuse_lid(at, line->source, err);
  uint32_t ends = 0, end, port;
  while ((end = l->book->end_of_node(l->book->owner, line->guid, ends, &port)) != RIPSTOP_NONE) {
    if (keep_level(l, &l->of_end[end], line, at, err) != 0) return -1;
    ends++;
  }
  l->unknown += ends == 0 && l->book->switch_of(l->book->owner, line->guid) == RIPSTOP_NONE;
  return 0;
}

/* The switch, or the end node at the port of an adapter. */
static uint32_t node_of_vls(const levels *l, uint64_t guid, uint64_t out) {
  uint32_t node = l->book->switch_of(l->book->owner, guid), port;
  for (uint32_t nth = 0; node == RIPSTOP_NONE; nth++) {
    uint32_t end = l->book->end_of_node(l->book->owner, guid, nth, &port);
    if (end == RIPSTOP_NONE) break;
    if (port == out) node = end;
  }
  return node;
}

static int take_vls(levels *l, const ib_table_line *line, const ib_tables *at, ripstop_error *err) {
  const bool by_guid = line->source_kind == IB_SOURCE_GUID;
  const uint32_t node = by_guid ? node_of_vls(l, line->guid, line->out) : l->node;
  if (by_guid && node == RIPSTOP_NONE) {
    l->unknown++;
    return 0;
  }
  if (line->in > PORT_MAX) return refuse(at, err, "is no port", line->in);
  if (line->out > PORT_MAX) return refuse(at, err, "is no port", line->out);
  RIPSTOP_GROW_IN(l->arena, l->row, l->rows, l->room);
  lane_row *row = &l->row[l->rows++];
  *row = (lane_row){node, l->owner, at->line, at->path, (uint8_t)line->in, (uint8_t)line->out, {0}};
  memcpy(row->lane, line->vl, sizeof row->lane);
  return 0;
}

int levels_take(levels *l, const ib_table_line *line, const ib_tables *at, ripstop_error *err) {
  switch (line->kind) {
  case IB_LINE_PORT:
    return take_port(l, line, at, err);
  case IB_LINE_LEVEL:
    return take_level(l, line, at, err);
  case IB_LINE_VLS:
    return take_vls(l, line, at, err);
  default:
    return 0;
  }
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
  s.used |= ripstop_forwarding_group_levels(out);
  if (l->rows > 0) return fill_lanes(&s, err);
  for (uint32_t level = 0; level < RIPSTOP_LANES; level++)
    if (s.used >> level & 1) out->lanes = level + 1;
  return 0;
}
