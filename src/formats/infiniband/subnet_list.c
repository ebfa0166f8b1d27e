/* subnet_list.c - see subnet_list.h. A line is a cable, seen from its first end; all numbers but SPD are hexadecimal:
 *
 *   line := end end "PHY=4x LOG=ACT SPD=50"
 *   end  := "{" ("SW" | "CA" | "CA-SM" | "Rt") "Ports:28 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:..
 * Rev:.."
 *           "{" description "}" "LID:0001 PN:03" "}"
 *
 * Each cable has a line for each of its ends, so a file that was cut off has half links. A redacted GUID may stand for
 * several nodes; the LID and the description then say which. */
#include "formats/infiniband/subnet_list.h"

#include "formats/infiniband/both_ends.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/oddities.h"

typedef struct end_text {
  ripstop_ib_kind kind;
  uint64_t wide, lid, number;
  piece system, guid, port_guid, text;
} end_text;

static bool take_kind(piece *p, ripstop_ib_kind *out) {
  static const struct {
    const char *word;
    ripstop_ib_kind kind;
  } list[] = {{"SW", RIPSTOP_IB_SWITCH},
              {"Switch", RIPSTOP_IB_SWITCH},
              {"CA", RIPSTOP_IB_ADAPTER},
              {"Rt", RIPSTOP_IB_ROUTER},
              {"RT", RIPSTOP_IB_ROUTER}};
  if (!piece_take_word(p, "{")) return false;
  piece word = piece_next_word(p);
  const char *dash = memchr(word.at, '-', piece_length(word)); /* "CA-SM": the manager runs there */
  if (dash) word.end = dash;
  for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
    if (piece_is(word, list[i].word)) return *out = list[i].kind, true;
  return false;
}

/* The word behind "NAME:", which stands next, or behind words that are not needed. */
static bool take_field(piece *p, const char *name, piece *out) {
  for (piece word = piece_next_word(p); word.at < word.end && *word.at != '{'; word = piece_next_word(p))
    if (piece_take(&word, name)) return *out = word, true;
  return false;
}

static bool take_number(piece *p, const char *name, uint64_t most, uint64_t *out) {
  piece word;
  return take_field(p, name, &word) && piece_number(&word, 16, out) && word.at == word.end && *out <= most;
}

/* "{leaf-01}": up to the last '}' before " LID:". */
static bool take_text(piece *p, piece *out) {
  const char *open = memchr(p->at, '{', piece_length(*p)),
             *close = open ? piece_find((piece){open, p->end}, "} LID:") : NULL;
  if (!close) return false;
  *out = piece_trimmed((piece){open + 1, close});
  p->at = close + 1;
  return true;
}

/* Returns what is missing, or NULL. */
static const char *read_end(piece *p, end_text *out) {
  piece word;
  if (!take_kind(p, &out->kind)) return "'{ SW' or '{ CA' at each end";
  if (!take_field(p, "Ports:", &word) || !piece_number(&word, 16, &out->wide)) return "Ports:";
  if (!take_field(p, "SystemGUID:", &out->system)) return "SystemGUID:";
  if (!take_field(p, "NodeGUID:", &out->guid)) return "NodeGUID:";
  if (!take_field(p, "PortGUID:", &out->port_guid)) return "PortGUID:";
  if (!take_text(p, &out->text)) return "a description in braces";
  if (!take_number(p, "LID:", UINT16_MAX, &out->lid)) return "LID:";
  if (!take_number(p, "PN:", RIPSTOP_IB_PORT_LIMIT, &out->number) || out->number == 0) return "PN:, the port's number";
  return piece_take_word(p, "}") ? NULL : "'}' behind PN:";
}

static const char *read_ends(piece *p, end_text end[2]) {
  const char *missing = read_end(p, &end[0]);
  return missing ? missing : read_end(p, &end[1]);
}

bool ib_is_list_line(piece line) {
  end_text end[2];
  return read_ends(&line, end) == NULL;
}

bool ib_begins_list_line(piece line) {
  ripstop_ib_kind kind;
  return take_kind(&line, &kind);
}

/* ------------------------------------------------------------------ nodes and cables */

/* Gb/s of a serial lane, as OpenSM writes them. */
static const char *speed_of(piece word) {
  static const char *const words[][2] = {
      {"2.5", "SDR"}, {"5", "DDR"},   {"10", "QDR"}, {"FDR10", "FDR10"}, {"14", "FDR"},  {"25", "EDR"}, {"50", "HDR"},
      {"100", "NDR"}, {"200", "XDR"}, {"26", "EDR"}, {"53", "HDR"},      {"106", "NDR"}, {"212", "XDR"}};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (piece_is(word, words[i][0])) return words[i][1];
  return ripstop_ib_speed_name(word);
}

static uint64_t guid_of(piece text) {
  uint64_t guid;
  return ripstop_ib_read_hex(text, &guid) ? guid : 0;
}

static uint32_t node_of(ib_nodes *nodes, const end_text *e, uint32_t line) {
  ripstop_ib_dump *dump = nodes->dump;
  const char *id = ib_node_id(dump, e->kind, e->guid), *key = id;
  if (!id) return RIPSTOP_NONE;
  if (guid_of(e->guid) == 0)
    key = ripstop_arena_printf(dump->arena, "%s %u %.*s", id, (unsigned)e->lid, (int)piece_length(e->text), e->text.at);
  const uint32_t at = ib_find_node(nodes, key);
  if (at != RIPSTOP_NONE) return at;
  ripstop_ib_node node = {.id = id,
                          .text = ripstop_ib_keep(dump, e->text),
                          .kind = e->kind,
                          .guid = guid_of(e->guid),
                          .system = guid_of(e->system),
                          .wide = (uint32_t)(e->wide > RIPSTOP_IB_PORT_LIMIT ? RIPSTOP_IB_PORT_LIMIT : e->wide),
                          .lid = e->kind == RIPSTOP_IB_SWITCH ? ripstop_ib_lid_value(e->lid) : RIPSTOP_NONE,
                          .line = line};
  node.aggregates = e->kind == RIPSTOP_IB_ADAPTER && strstr(node.text, "Aggregation Node") != NULL;
  return ib_put_node(nodes, key, &node);
}

static void read_line(ib_nodes *nodes, piece line, const plain_lines *lines) {
  end_text text[2];
  ib_end end[2];
  piece p = line, word;
  if (line.at == line.end || *line.at == '#') return;
  if (!ib_begins_list_line(line)) {
    (void)ripstop_ib_skip(nodes->dump, line);
    return;
  }
  const char *missing = read_ends(&p, text), *speed = "";
  uint32_t width = 0;
  if (take_field(&p, "PHY=", &word) && (!piece_count(&word, 12, &width) || !ripstop_ib_is_width(width))) width = 0;
  if (take_field(&p, "SPD=", &word)) speed = speed_of(word);
  for (unsigned i = 0; i < 2 && !missing; i++) {
    const uint32_t node = node_of(nodes, &text[i], lines->number);
    end[i] = (ib_end){.node = node,
                      .number = (uint32_t)text[i].number,
                      .guid = guid_of(text[i].port_guid),
                      .lid = ripstop_ib_lid_value(text[i].lid),
                      .width = width,
                      .speed = speed};
    if (node == RIPSTOP_NONE) missing = "NodeGUID:";
  }
  if (missing)
    ripstop_ib_say_broken(nodes->dump, "line of opensm-subnet.lst", missing, line, lines->number, lines->last);
  else
    ib_put_port(nodes->dump, &end[0], &end[1], lines->number)->open = lines->last;
}

int ib_read_list(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err) {
  ib_nodes nodes = {.dump = dump};
  piece line;
  (void)err; /* every damaged line is an oddity */
  while (plain_next(&lines, &line)) read_line(&nodes, line, &lines);
  ib_end_cables(dump);
  return 0;
}
