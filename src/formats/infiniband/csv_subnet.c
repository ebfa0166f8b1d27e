/* csv_subnet.c - see csv_subnet.h. Sections may stand in any order, so NODES are read first, then PORTS, then LINKS.
 *
 *   NODES   NodeDesc, NumPorts, NodeType (1 adapter, 2 switch, 3 router), NodeGUID, SystemImageGUID
 *   PORTS   NodeGuid, PortGuid, PortNum, LID, LMC, LinkWidthActv, LinkSpeedActv; port 0 of a switch is the switch
 *   LINKS   NodeGuid1, PortNum1, NodeGuid2, PortNum2
 *
 * NODES and LINKS must be there. Without PORTS there are no LIDs and no speeds. */
#include "formats/infiniband/csv_subnet.h"

#include <stdlib.h>

#include "base/growing.h"
#include "formats/infiniband/both_ends.h"
#include "formats/infiniband/db_csv.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/oddities.h"

bool ib_is_csv_line(piece line) {
  return piece_take(&line, "START_") && line.at < line.end && !memchr(line.at, ' ', piece_length(line));
}

typedef struct reader {
  ripstop_ib_dump *dump;
  plain_lines lines;
  ib_csv csv;
  ib_nodes nodes;
  ib_end *port; /* [ports], by node and number when all are read */
  uint32_t ports, room;
  uint32_t sections; /* the last pass found so many */
} reader;

/* ------------------------------------------------------------------ rows */

static int broken(reader *r, const char *missing) {
  const char *what = ripstop_arena_printf(r->dump->arena, "row of ibdiagnet's section %.*s",
                                          (int)piece_length(r->csv.section), r->csv.section.at);
  ripstop_ib_say_broken(r->dump, what, missing, r->csv.row, r->csv.line, r->csv.lines.last);
  return 0;
}

/* The columns of a section by their names, of which messages have the first; -1: one is missing that must be there. */
static int find_columns(const reader *r, const char *const *names, unsigned needed, uint32_t *out, ripstop_error *err) {
  for (unsigned i = 0; names[i]; i++) {
    out[i] = ib_csv_column(&r->csv, names[i]);
    if (out[i] == RIPSTOP_NONE && i < needed)
      return ripstop_fail(err, "%s:%u: section %.*s of ibdiagnet's tables without the column %.*s", r->dump->file,
                          r->csv.line, (int)piece_length(r->csv.section), r->csv.section.at,
                          (int)strcspn(names[i], " "), names[i]);
  }
  return 0;
}

/* A number up to `most`; `otherwise`, if the cell has none. */
static uint32_t number_of(const reader *r, uint32_t column, uint32_t most, uint32_t otherwise) {
  uint64_t number;
  return ib_csv_number(&r->csv, column, &number) && number <= most ? (uint32_t)number : otherwise;
}

static uint64_t guid_of(const reader *r, uint32_t column) {
  uint64_t guid;
  return ib_csv_number(&r->csv, column, &guid) ? guid : 0;
}

/* The GUID of a node or the text in its place, written alike for all sections; NULL: the cell is empty. */
static const char *key_of(const reader *r, uint32_t column) {
  return ib_node_id(r->dump, RIPSTOP_IB_SWITCH, ib_csv_cell(&r->csv, column));
}

static int read_nodes(reader *r, ripstop_error *err) {
  static const char *const names[] = {"NodeGUID", "NodeType",        "NodeDesc NodeDescription",
                                      "NumPorts", "SystemImageGUID", NULL};
  static const ripstop_ib_kind kinds[] = {RIPSTOP_IB_ADAPTER, RIPSTOP_IB_SWITCH, RIPSTOP_IB_ROUTER};
  enum { GUID, TYPE, TEXT, PORTS, SYSTEM, COLUMNS };
  uint32_t at[COLUMNS];
  if (find_columns(r, names, 2, at, err) != 0) return -1;
  while (ib_csv_row(&r->csv)) {
    const char *key = key_of(r, at[GUID]);
    const uint32_t type = number_of(r, at[TYPE], 3, 0);
    if (!key || type == 0) {
      broken(r, key ? "NodeType, 1 to 3" : "NodeGUID");
      continue;
    }
    ripstop_ib_node node = {.id = ib_node_id(r->dump, kinds[type - 1], ib_csv_cell(&r->csv, at[GUID])),
                            .text = ripstop_ib_keep(r->dump, ib_csv_cell(&r->csv, at[TEXT])),
                            .kind = kinds[type - 1],
                            .guid = guid_of(r, at[GUID]),
                            .system = guid_of(r, at[SYSTEM]),
                            .wide = number_of(r, at[PORTS], RIPSTOP_IB_PORT_LIMIT, 0),
                            .lid = RIPSTOP_NONE,
                            .line = r->csv.line};
    node.aggregates = type == 1 && strstr(node.text, "Aggregation Node") != NULL;
    (void)ib_put_node(&r->nodes, key, &node);
  }
  return 0;
}

/* Serial lanes by code. */
static uint32_t width_of(uint32_t code) {
  static const uint8_t codes[][2] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
  for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i][0] == code) return codes[i][1];
  return 0;
}

static const char *speed_of(uint32_t code) {
  static const struct {
    uint32_t code;
    const char *name;
  } codes[] = {{1, "SDR"},    {2, "DDR"},    {4, "QDR"},    {256, "FDR"},    {512, "EDR"},
               {1024, "HDR"}, {2048, "NDR"}, {4096, "XDR"}, {65536, "FDR10"}};
  for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].code == code) return codes[i].name;
  return "";
}

/* A switch has its LID at port 0; ibdiagnet repeats it at the others. */
static void set_switch(ripstop_ib_node *node, const ib_end *end) {
  if (node->kind != RIPSTOP_IB_SWITCH || end->lid == RIPSTOP_NONE) return;
  if (end->number > 0 && (node->lid != RIPSTOP_NONE || end->lid == 0)) return;
  node->lid = end->lid;
  node->lmc = end->lmc;
}

static int read_ports(reader *r, ripstop_error *err) {
  static const char *const names[] = {"NodeGuid",
                                      "PortNum PortNumber",
                                      "PortGuid",
                                      "LID",
                                      "LMC",
                                      "LinkWidthActv LinkWidthActive",
                                      "LinkSpeedActv LinkSpeedActive",
                                      NULL};
  enum { NODE, NUMBER, GUID, LID, LMC, WIDTH, SPEED, COLUMNS };
  uint32_t at[COLUMNS];
  if (find_columns(r, names, 2, at, err) != 0) return -1;
  while (ib_csv_row(&r->csv)) {
    const char *key = key_of(r, at[NODE]);
    ib_end end = {.node = key ? ib_find_node(&r->nodes, key) : RIPSTOP_NONE,
                  .number = number_of(r, at[NUMBER], RIPSTOP_IB_PORT_LIMIT, RIPSTOP_NONE),
                  .guid = guid_of(r, at[GUID]),
                  .lid = number_of(r, at[LID], UINT16_MAX, RIPSTOP_NONE),
                  .lmc = number_of(r, at[LMC], 7, 0),
                  .width = width_of(number_of(r, at[WIDTH], UINT16_MAX, 0)),
                  .speed = speed_of(number_of(r, at[SPEED], UINT32_MAX - 1, 0))};
    if (end.node == RIPSTOP_NONE || end.number == RIPSTOP_NONE) {
      broken(r, end.number == RIPSTOP_NONE ? "PortNum" : "a NodeGuid of the section NODES");
      continue;
    }
    if (end.lid != RIPSTOP_NONE) end.lid = ripstop_ib_lid_value(end.lid);
    set_switch(&r->dump->node[end.node], &end);
    RIPSTOP_GROW_IN(r->dump->arena, r->port, r->ports, r->room);
    r->port[r->ports++] = end;
  }
  return 0;
}

static int by_place(const void *a_, const void *b_) {
  const ib_end *a = a_, *b = b_;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* The end of a cable, as PORTS has it; false: NODES does not list its node. */
static bool find_end(const reader *r, uint32_t guid, uint32_t number, ib_end *out) {
  const char *key = key_of(r, guid);
  *out = (ib_end){.node = key ? ib_find_node(&r->nodes, key) : RIPSTOP_NONE,
                  .number = number_of(r, number, RIPSTOP_IB_PORT_LIMIT, 0),
                  .lid = RIPSTOP_NONE,
                  .speed = ""};
  if (out->node == RIPSTOP_NONE || out->number == 0) return false;
  const ib_end *port = r->ports > 0 ? bsearch(out, r->port, r->ports, sizeof *r->port, by_place) : NULL;
  if (port) *out = *port;
  return true;
}

static int read_links(reader *r, ripstop_error *err) {
  static const char *const names[] = {"NodeGuid1", "PortNum1 PortNumber1", "NodeGuid2", "PortNum2 PortNumber2", NULL};
  uint32_t at[4];
  if (find_columns(r, names, 4, at, err) != 0) return -1;
  if (r->ports > 0) qsort(r->port, r->ports, sizeof *r->port, by_place);
  while (ib_csv_row(&r->csv)) {
    ib_end end[2];
    const bool one = find_end(r, at[0], at[1], &end[0]), two = find_end(r, at[2], at[3], &end[1]);
    if (one && two)
      ib_put_cable(r->dump, end, r->csv.line);
    else
      broken(r, one ? "NodeGuid2 and PortNum2 of a listed node" : "NodeGuid1 and PortNum1 of a listed node");
  }
  return 0;
}

/* ------------------------------------------------------------------ sections */

static int read_section(reader *r, const char *name, int (*read)(reader *r, ripstop_error *err), ripstop_error *err) {
  r->csv = ib_csv_of_lines(r->dump->arena, r->lines);
  r->sections = 0;
  while (ib_csv_section(&r->csv)) {
    if (!ib_csv_is(&r->csv, name)) continue;
    r->sections++;
    if (r->csv.titles > 0 && read(r, err) != 0) return -1;
  }
  return 0;
}

static int refuse(const reader *r, const char *name, ripstop_error *err) {
  return ripstop_fail(err, "%s: ibdiagnet's tables (db_csv) without the section %s, so there is no fabric in it",
                      r->dump->file, name);
}

int ib_read_csv(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err) {
  reader r = {.dump = dump, .lines = lines, .nodes = {.dump = dump}};
  if (read_section(&r, "NODES", read_nodes, err) != 0) return -1;
  if (r.sections == 0) return refuse(&r, "NODES", err);
  if (read_section(&r, "PORTS", read_ports, err) != 0 || read_section(&r, "LINKS", read_links, err) != 0) return -1;
  if (r.sections == 0) return refuse(&r, "LINKS", err);
  if (r.csv.open)
    ripstop_ib_say_broken(dump, "section of ibdiagnet's tables", "its END line", r.csv.row, r.csv.line, true);
  ib_end_cables(dump);
  return 0;
}
