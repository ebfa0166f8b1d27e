/* ib.c - makes a fabric of a real InfiniBand subnet, as ibnetdiscover or a net file of ibsim describes it.
 *
 * End nodes are the cabled ports of adapters and routers, since each has a LID of its own; switches are all switches,
 * also isolated ones. A switch's local port is the port number of the dump: port 0, which is the switch itself, and
 * numbers that no cable uses stay as ports without cable. A cable from a switch to itself and one between two adapters
 * are no links, half links are none either; the dump (formats/infiniband/dump.h) counts them.
 *
 * Names: switch `S-0002c90200000000`, end node `H-0002c90300000000[1]`, link `end-end`, the smaller end first. A link's
 * rate is its width times its speed against the fastest that is usual, which a tenth of the cables run at. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "fabric/content.h"
#include "fabric/ib.h"
#include "formats/infiniband/lines.h"

static const ripstop_option options[] = {
    RIPSTOP_CONTENT_OPTIONS("path of what ibnetdiscover or iblinkinfo printed, of opensm-subnet.lst, of "
                            "ibdiagnet2.db_csv, or of a net file of "
                            "ibsim; gzip may have packed it"),
    {0}};

static bool is_switch_port(const ripstop_ib_dump *dump, uint32_t port) {
  return dump->node[dump->port[port].node].kind == RIPSTOP_IB_SWITCH;
}

/* True if the cable of a port, which must have one, is a link. */
static bool is_link(const ripstop_ib_dump *dump, uint32_t port) {
  uint32_t mate = dump->port[port].mate;
  return dump->port[port].node != dump->port[mate].node && (is_switch_port(dump, port) || is_switch_port(dump, mate));
}

static bool is_end(const ripstop_ib_dump *dump, uint32_t port) {
  return !is_switch_port(dump, port) && dump->port[port].mate != RIPSTOP_NONE && is_link(dump, port);
}

static int load(ripstop_arena *arena, const ripstop_content *c, ripstop_ib_dump *dump, ripstop_loaded *loaded,
                ripstop_error *err) {
  if (ripstop_content_load(arena, c, loaded, err) != 0) return -1;
  return ripstop_ib_read(dump, arena, loaded->path, loaded->text, loaded->length, err);
}

/* Refuses a dump without any host, and says what may explain it. */
static int refuse(const ripstop_ib_dump *dump, ripstop_error *err) {
  const char *why = "";
  for (uint32_t i = 0; i < dump->odd.count; i++)
    if (strcmp(dump->odd.list[i].what, "truncated") == 0) why = dump->odd.list[i].text;
  return ripstop_fail(err,
                      "%s: no adapter has a cable to a switch; %u switches, %u adapters, %u cables, %u half links%s%s",
                      dump->file, dump->kinds[RIPSTOP_IB_SWITCH], dump->kinds[RIPSTOP_IB_ADAPTER], dump->cables,
                      dump->half_links, why[0] != '\0' ? "; " : "", why);
}

static int count_dump(const ripstop_ib_dump *dump, ripstop_counts *out, ripstop_error *err) {
  *out = (ripstop_counts){.switches = dump->kinds[RIPSTOP_IB_SWITCH]};
  for (uint32_t port = 0; port < dump->ports; port++) {
    uint32_t mate = dump->port[port].mate;
    out->ends += is_end(dump, port);
    out->links += mate != RIPSTOP_NONE && port < mate && is_link(dump, port);
  }
  return out->ends > 0 ? 0 : refuse(dump, err);
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_ib_dump dump;
  ripstop_loaded loaded;
  int status = load(scratch, c, &dump, &loaded, err);
  if (status == 0) status = count_dump(&dump, out, err);
  return status;
}

/* ------------------------------------------------------------------ building */

static void add_nodes(ripstop_builder *builder, const ripstop_ib_dump *dump, uint32_t *end_port, uint32_t *end_of,
                      uint32_t *switch_node, uint32_t *node_of) {
  uint32_t ends = 0, switches = 0;
  for (uint32_t port = 0; port < dump->ports; port++) {
    end_of[port] = is_end(dump, port) ? ripstop_builder_end(builder, NULL) : RIPSTOP_NONE;
    if (end_of[port] != RIPSTOP_NONE) end_port[ends++] = port;
  }
  for (uint32_t i = 0; i < dump->nodes; i++) {
    bool is_switch = dump->node[i].kind == RIPSTOP_IB_SWITCH;
    node_of[i] = is_switch ? ripstop_builder_switch(builder, dump->node[i].wide + 1, NULL) : RIPSTOP_NONE;
    if (is_switch) switch_node[switches++] = i;
  }
}

static void add_cables(ripstop_builder *builder, const ripstop_ib_dump *dump, const ripstop_ib_fabric *ib) {
  for (uint32_t port = 0; port < dump->ports; port++) {
    uint32_t mate = dump->port[port].mate;
    if (mate == RIPSTOP_NONE || !is_link(dump, port) || !ripstop_ib_is_first(dump, port, mate)) continue;
    uint32_t node[2], local[2];
    for (unsigned side = 0; side < 2; side++) {
      uint32_t at = side == 0 ? port : mate;
      bool end = ib->end_of[at] != RIPSTOP_NONE;
      node[side] = end ? ib->end_of[at] : ib->node_of[dump->port[at].node];
      local[side] = end ? 0 : dump->port[at].number;
    }
    ripstop_builder_cable(builder, node[0], local[0], node[1], local[1]);
    ripstop_builder_speed(builder, ripstop_ib_cable_speed(dump, port), dump->fastest);
  }
}

static void wire(ripstop_builder *builder, const ripstop_ib_dump *dump, const ripstop_counts *counts) {
  ripstop_arena *arena = ripstop_builder_arena(builder);
  uint32_t *end_port = RIPSTOP_ARRAY(arena, counts->ends, uint32_t);
  uint32_t *switch_node = RIPSTOP_ARRAY(arena, counts->switches, uint32_t);
  uint32_t *node_of = RIPSTOP_ARRAY(arena, dump->nodes, uint32_t);
  uint32_t *end_of = RIPSTOP_ARRAY(arena, dump->ports, uint32_t);
  add_nodes(builder, dump, end_port, end_of, switch_node, node_of);
  ripstop_ib_fabric *ib = RIPSTOP_NEW(arena, ripstop_ib_fabric);
  *ib = (ripstop_ib_fabric){
      .dump = dump, .end_port = end_port, .switch_node = switch_node, .node_of = node_of, .end_of = end_of};
  ripstop_builder_detail(builder, ib);
  add_cables(builder, dump, ib);
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  ripstop_arena *arena = ripstop_builder_arena(builder);
  ripstop_ib_dump *dump = RIPSTOP_NEW(arena, ripstop_ib_dump);
  ripstop_loaded loaded;
  ripstop_counts counts;
  if (load(arena, c, dump, &loaded, err) != 0 || count_dump(dump, &counts, err) != 0) return -1;
  ripstop_builder_spec(builder, ripstop_content_spec(arena, "ib", c, &loaded));
  wire(builder, dump, &counts);
  return 0;
}

/* ------------------------------------------------------------------ names and look-ups */

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const ripstop_ib_fabric *ib = fabric->detail;
  if (ripstop_is_end(fabric, node))
    ripstop_ib_end_name(ib->dump, ib->end_port[node], out);
  else
    snprintf(out, RIPSTOP_NAME_MAX, "%s", ib->dump->node[ib->switch_node[node - fabric->ends]].id);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  const ripstop_ib_fabric *ib = fabric->detail;
  ripstop_ib_cable_name(ib->dump, ripstop_ib_dump_port(fabric, fabric->link_port[2 * (size_t)link]), out);
}

/* A name in pieces: of a node, and of a port when `port` is no RIPSTOP_NONE. */
typedef struct address {
  const char *name;
  size_t length;
  uint32_t chip; /* the N of "/UN" behind a quoted description; 0: none */
  uint32_t port;
} address;

/* Takes "[N]", "/PN" or "/N" from the end of a text; RIPSTOP_NONE: none is there. */
static uint32_t cut_port(const char *text, size_t *length) {
  size_t digits = 0, end = *length;
  bool bracket = end > 0 && text[end - 1] == ']';
  end -= bracket;
  while (digits < end && text[end - digits - 1] >= '0' && text[end - digits - 1] <= '9') digits++;
  if (digits == 0 || digits > 3 || digits == end) return RIPSTOP_NONE;
  uint32_t port = 0;
  for (size_t i = end - digits; i < end; i++) port = port * 10 + (uint32_t)(text[i] - '0');
  size_t left = end - digits;
  if (!bracket && left > 1 && text[left - 1] == 'P') left--;
  if (text[left - 1] != (bracket ? '[' : '/')) return RIPSTOP_NONE;
  *length = left - 1;
  return port;
}

static uint32_t cut_chip(const char *text, size_t *length) {
  size_t left = *length;
  if (left < 3 || text[left - 1] < '1' || text[left - 1] > '9' || text[left - 2] != 'U' || text[left - 3] != '/')
    return 0;
  *length = left - 3;
  return (uint32_t)(text[left - 1] - '0');
}

/* `"leaf 7"/U1/P12`, `leaf-07/P12`, `0x2c90200000000/12`, `S-0002c90200000000[12]`, or any of them without a port. */
static address read_address(const char *text, size_t length) {
  const char *last = text;
  for (const char *c = text; c < text + length; c++)
    if (*c == '"') last = c;
  address a = {.name = text, .length = length};
  a.port = cut_port(text, &a.length);
  if (*text != '"' || last == text) return a;
  size_t behind = (size_t)(text + a.length - last) - 1;
  if (text + a.length <= last) return a;
  a.chip = cut_chip(last + 1, &behind);
  a.name = text + 1;
  a.length = behind == 0 ? (size_t)(last - text) - 1 : 0; /* something else behind the quote: no name */
  return a;
}

static uint32_t read_guid(const ripstop_ib_dump *dump, const char *text, size_t length) {
  uint64_t guid = 0;
  bool is_guid = length >= 3 && length <= 18 && memcmp(text, "0x", 2) == 0;
  if (!is_guid || !ripstop_ib_read_hex((piece){text + 2, text + length}, &guid) || guid == 0) return RIPSTOP_NONE;
  return ripstop_ib_guid(dump, guid);
}

/* The node of an address: by id, GUID or description; of "X" chip N the one called X/UN, or X when N is 1. */
static uint32_t node_of_address(const ripstop_ib_dump *dump, const address *a) {
  char chip[RIPSTOP_NAME_MAX];
  uint32_t node = RIPSTOP_NONE;
  if (a->chip != 0 && a->length < sizeof chip - 4) {
    int length = snprintf(chip, sizeof chip, "%.*s/U%u", (int)a->length, a->name, a->chip);
    node = ripstop_ib_described(dump, chip, (size_t)length);
    if (node != RIPSTOP_NONE || a->chip != 1) return node;
  }
  node = ripstop_ib_node_of(dump, a->name, a->length);
  if (node == RIPSTOP_NONE) node = read_guid(dump, a->name, a->length);
  return node != RIPSTOP_NONE ? node : ripstop_ib_described(dump, a->name, a->length);
}

/* The only port with a cable; RIPSTOP_NONE: there are several, or none. */
static uint32_t only_port(const ripstop_ib_dump *dump, uint32_t node) {
  uint32_t found = RIPSTOP_NONE;
  const ripstop_ib_node *n = &dump->node[node];
  for (uint32_t p = n->first; p < n->first + n->ports; p++) {
    if (dump->port[p].mate == RIPSTOP_NONE) continue;
    if (found != RIPSTOP_NONE) return RIPSTOP_NONE;
    found = p;
  }
  return found;
}

/* The link at a port of the dump; RIPSTOP_NONE: none of the fabric. */
static uint32_t link_at(const ripstop_fabric *f, const ripstop_ib_fabric *ib, uint32_t port) {
  const ripstop_ib_port *p = &ib->dump->port[port];
  uint32_t node = ib->end_of[port] != RIPSTOP_NONE ? ib->end_of[port] : ib->node_of[p->node];
  if (node == RIPSTOP_NONE) return RIPSTOP_NONE;
  return f->port_link[f->port_base[node] + (ripstop_is_end(f, node) ? 0 : p->number)];
}

static uint32_t alias_in(const ripstop_fabric *f, ripstop_part_kind what, const address *a) {
  const ripstop_ib_fabric *ib = f->detail;
  uint32_t node = a->length > 0 ? node_of_address(ib->dump, a) : RIPSTOP_NONE, port;
  if (node == RIPSTOP_NONE) return RIPSTOP_NONE;
  if (what == RIPSTOP_PART_SWITCH) return a->port == RIPSTOP_NONE ? ib->node_of[node] : RIPSTOP_NONE;
  bool is_switch = ib->node_of[node] != RIPSTOP_NONE;
  if (a->port != RIPSTOP_NONE)
    port = ripstop_ib_port_of(ib->dump, node, a->port);
  else
    port = is_switch ? RIPSTOP_NONE : only_port(ib->dump, node);
  if (port == RIPSTOP_NONE) return RIPSTOP_NONE;
  return what == RIPSTOP_PART_END ? ib->end_of[port] : link_at(f, ib, port);
}

/* A description may end like a port: first the whole text is a node's name, then what is before the port. */
static uint32_t alias(const ripstop_fabric *f, ripstop_part_kind what, const char *text, size_t length) {
  if (length == 0) return RIPSTOP_NONE;
  uint32_t whole = alias_in(f, what, &(address){.name = text, .length = length, .port = RIPSTOP_NONE});
  const address a = read_address(text, length);
  return whole != RIPSTOP_NONE ? whole : alias_in(f, what, &a);
}

/* `"description"/P12`, `id[12]`, `0xGUID/12` by both ends; `"description"`, `0xGUID`. Descriptions that several have
 * are no names. */
static bool other_name(const ripstop_fabric *f, ripstop_part_kind what, uint32_t part, unsigned number, char *out) {
  const ripstop_ib_fabric *ib = f->detail;
  const bool link = what == RIPSTOP_PART_LINK;
  const unsigned form = link ? number / 2 : number;
  if (number >= (link ? 6 : 2)) return false;
  uint32_t port = RIPSTOP_NONE, node;
  if (link) port = ripstop_ib_dump_port(f, f->link_port[2 * (size_t)part + number % 2]);
  if (what == RIPSTOP_PART_END) port = ib->end_port[part];
  node = port != RIPSTOP_NONE ? ib->dump->port[port].node : ib->switch_node[part - f->ends];
  const ripstop_ib_node *n = &ib->dump->node[node];
  const bool by_guid = form == (link ? 2 : 1) && n->guid != 0,
             described = form == 0 && n->text[0] != '\0' && !n->shares_text;
  if (by_guid && port != RIPSTOP_NONE)
    snprintf(out, RIPSTOP_NAME_MAX, "0x%016" PRIx64 "/%u", n->guid, ib->dump->port[port].number);
  else if (by_guid)
    snprintf(out, RIPSTOP_NAME_MAX, "0x%016" PRIx64, n->guid);
  else if (!described)
    link ? ripstop_ib_end_name(ib->dump, port, out) : (void)snprintf(out, RIPSTOP_NAME_MAX, "%s", n->id);
  else if (link)
    snprintf(out, RIPSTOP_NAME_MAX, "\"%.230s\"/P%u", n->text, ib->dump->port[port].number);
  else
    snprintf(out, RIPSTOP_NAME_MAX, "\"%.230s\"", n->text);
  return true;
}

const ripstop_ib_fabric *ripstop_ib_of(const ripstop_fabric *fabric) {
  return fabric->family == &ripstop_family_ib ? fabric->detail : NULL;
}

uint32_t ripstop_ib_dump_port(const ripstop_fabric *fabric, uint32_t port) {
  const ripstop_ib_fabric *ib = fabric->detail;
  uint32_t node = fabric->port_node[port];
  if (ripstop_is_end(fabric, node)) return ib->end_port[node];
  return ripstop_ib_port_of(ib->dump, ib->switch_node[node - fabric->ends], port - fabric->port_base[node]);
}

uint32_t ripstop_ib_lid_owner(const ripstop_fabric *fabric, uint32_t lid) {
  const ripstop_ib_fabric *ib = fabric->detail;
  uint32_t port, node = ripstop_ib_lid(ib->dump, lid, &port);
  if (node == RIPSTOP_NONE) return RIPSTOP_NONE;
  return port == RIPSTOP_NONE ? ib->node_of[node] : ib->end_of[port];
}

uint32_t ripstop_ib_switch_of(const ripstop_fabric *fabric, uint64_t guid) {
  const ripstop_ib_fabric *ib = fabric->detail;
  uint32_t node = ripstop_ib_guid(ib->dump, guid);
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : ib->node_of[node];
}

const char *ripstop_ib_description(const ripstop_fabric *fabric, uint32_t node) {
  const ripstop_ib_fabric *ib = fabric->detail;
  uint32_t at =
      ripstop_is_end(fabric, node) ? ib->dump->port[ib->end_port[node]].node : ib->switch_node[node - fabric->ends];
  return ib->dump->node[at].text;
}

/* Adds the ids of the nodes that describe themselves so; returns how many there are. */
static uint32_t list_described(const ripstop_ib_dump *dump, const char *text, size_t length, char *out) {
  uint32_t count = 0;
  size_t at = 0;
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *n = &dump->node[i];
    if (strlen(n->text) != length || memcmp(n->text, text, length) != 0) continue;
    int added = count < 3 ? snprintf(out + at, RIPSTOP_NAME_MAX - at, "%s%.60s", count > 0 ? ", " : "", n->id) : 0;
    if (count++ == 3) snprintf(out + at, RIPSTOP_NAME_MAX - at, ", ...");
    at += (size_t)added;
  }
  return count;
}

bool ripstop_ib_shared(const ripstop_fabric *fabric, const char *text, size_t length, char *out) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  if (ib == NULL || length == 0) return false;
  const address a = read_address(text, length);
  return list_described(ib->dump, text, length, out) > 1 ||
         (a.length > 0 && list_described(ib->dump, a.name, a.length, out) > 1);
}

const char *ripstop_ib_begun(const ripstop_fabric *fabric, const char *text, size_t length) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(fabric);
  for (uint32_t i = 0; ib != NULL && length > 0 && i < ib->dump->nodes; i++) {
    const char *told = ib->dump->node[i].text;
    if (strlen(told) > length && !memcmp(told, text, length) && told[length] == ' ') return told;
  }
  return NULL;
}

ripstop_fabric *ripstop_ib_from_text(const char *name, const char *text, size_t length, ripstop_error *err) {
  return ripstop_content_fabric(&ripstop_family_ib, name, text, length, err);
}

const ripstop_family ripstop_family_ib = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "ib",
    .summary = "an InfiniBand fabric from a dump of ibnetdiscover or a net file of ibsim",
    .source = "the output of ibnetdiscover (infiniband-diags), which ibsim reads",
    .options = options,
    .config_size = sizeof(ripstop_content),
    .example = "ib:tests/data/ib/small-clean.ibnetdiscover",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
    .names_end_links = true,
    .alias = alias,
    .other_name = other_name,
};
