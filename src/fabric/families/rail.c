/* rail.c - rail-optimised and rail-only Clos networks of training clusters: servers of several accelerators, each with
 * a network interface of its own, and rail r of all servers of a unit on one leaf (Wang et al. 2023; the DGX SuperPOD
 * reference architecture). With nvswitch=1 an accelerator is a small switch with its end node, joined to the switch
 * inside its server and to its leaf; else its interface is the end node, and the server's inside is not modelled. With
 * spines=0 rails meet inside the servers only.
 *
 * Names: accelerators g, server switches n and leaves l by unit, then server or rail; spines s; an end node is
 * unit.server.rail. */
#include "fabric/count.h"
#include "fabric/digits.h"
#include "fabric/wiring.h"

typedef struct config {
  int64_t units, servers, rails, spines, k, nvswitch;
} config;

enum {
  RAIL,
  SERVER,
  UNIT,
  KIND,
  COORDS
}; /* a leaf's server and a spine's unit and server are 0; a spine's number is RAIL */
enum { ACCELERATOR, SERVER_SWITCH, LEAF, SPINE };

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, units, 1, UINT16_MAX, "1", "groups of servers that share their leaves"),
    RIPSTOP_INTEGER(config, servers, 1, UINT16_MAX, NULL, "servers in a unit"),
    RIPSTOP_INTEGER(config, rails, 1, UINT16_MAX, "8", "accelerators in a server, and leaves in a unit"),
    RIPSTOP_INTEGER(config, spines, 0, UINT16_MAX, NULL,
                    "switches that all leaves are joined to; 0: none (rail-only), for one unit"),
    RIPSTOP_INTEGER(config, k, 0, UINT16_MAX, "1", "parallel cables from a leaf to a spine"),
    RIPSTOP_INTEGER(config, nvswitch, 0, 1, "1", "1: the switch inside each server is modelled; 0: it is not"),
    {0},
};

static int check(const config *c, ripstop_error *err) {
  bool meet = c->spines > 0 && c->k > 0;
  if (!meet && c->units > 1) return ripstop_fail(err, "fabric rail: without spines units are not joined; units=1");
  if (!meet && !c->nvswitch && c->rails > 1)
    return ripstop_fail(err, "fabric rail: without spines and without nvswitch=1 rails are not joined");
  return 0;
}

static int count(const void *config_, ripstop_counts *out, ripstop_error *err) {
  const config *c = config_;
  if (check(c, err)) return -1;
  uint64_t servers = (uint64_t)c->units * (uint64_t)c->servers, leaves = (uint64_t)c->units * (uint64_t)c->rails;
  uint64_t inside = (uint64_t)c->nvswitch, accelerators = ripstop_times(servers, (uint64_t)c->rails);
  out->ends = accelerators;
  out->switches = ripstop_plus(inside * ripstop_plus(accelerators, servers), leaves + (uint64_t)c->spines);
  out->links = ripstop_plus(out->ends, inside * ripstop_times(2, accelerators));
  out->links = ripstop_plus(out->links, ripstop_times(leaves, (uint64_t)(c->spines * c->k)));
  return 0;
}

static uint32_t add_switch(ripstop_wiring *w, uint32_t ends, unsigned kind, uint32_t unit, uint32_t server,
                           uint32_t rail) {
  const uint16_t coord[COORDS] = {
      [RAIL] = (uint16_t)rail, [SERVER] = (uint16_t)server, [UNIT] = (uint16_t)unit, [KIND] = (uint16_t)kind};
  return ripstop_wiring_switch(w, ends, coord);
}

/* A server is its switch and then its accelerators. */
static void add_servers(ripstop_wiring *w, const config *c) {
  for (uint32_t unit = 0; unit < c->units; unit++)
    for (uint32_t server = 0; server < c->servers; server++) {
      add_switch(w, 0, SERVER_SWITCH, unit, server, 0);
      for (uint32_t rail = 0; rail < c->rails; rail++) add_switch(w, 1, ACCELERATOR, unit, server, rail);
    }
}

static void wire_servers(ripstop_wiring *w, const config *c, uint32_t leaf) {
  uint32_t rails = (uint32_t)c->rails, servers = (uint32_t)(c->units * c->servers);
  for (uint32_t server = 0; server < servers; server++)
    for (uint32_t rail = 0; rail < rails; rail++) {
      uint32_t inside = server * (rails + 1), accelerator = inside + 1 + rail;
      ripstop_wiring_cable(w, accelerator, inside);
      ripstop_wiring_cable(w, accelerator, leaf + server / (uint32_t)c->servers * rails + rail);
    }
}

/* For servers whose inside is not modelled. */
static void add_interfaces(ripstop_wiring *w, const config *c) {
  uint32_t rails = (uint32_t)c->rails;
  for (uint32_t unit = 0; unit < c->units; unit++)
    for (uint32_t i = 0; i < (uint32_t)c->servers * rails; i++) ripstop_wiring_end(w, unit * rails + i % rails);
}

static int build(ripstop_builder *builder, const void *config_, ripstop_error *err) {
  const config *c = config_;
  ripstop_wiring w = {.coords = COORDS};
  if (check(c, err)) return -1;
  if (c->nvswitch) add_servers(&w, c);
  uint32_t leaf = w.switches, leaves = (uint32_t)(c->units * c->rails);
  for (uint32_t i = 0; i < leaves; i++) add_switch(&w, 0, LEAF, i / (uint32_t)c->rails, 0, i % (uint32_t)c->rails);
  for (uint32_t i = 0; i < c->spines; i++) add_switch(&w, 0, SPINE, 0, 0, i);
  c->nvswitch ? wire_servers(&w, c, leaf) : add_interfaces(&w, c);
  for (uint32_t i = 0; i < leaves; i++)
    for (uint32_t spine = 0; spine < c->spines; spine++)
      for (uint32_t n = 0; n < c->k; n++) ripstop_wiring_cable(&w, leaf + i, leaf + leaves + spine);
  ripstop_wiring_build(&w, builder);
  return 0;
}

/* At a leaf end nodes are numbered by their servers. */
static void end_name(const ripstop_fabric *fabric, uint32_t end, char *out) {
  const uint16_t *coord = ripstop_coords(fabric, end);
  uint16_t digit[] = {coord[RAIL], coord[SERVER], coord[UNIT]};
  if (coord[KIND] == LEAF) digit[SERVER] = (uint16_t)ripstop_wired_place(fabric, end);
  ripstop_digits_print(out, 0, digit, 3, RIPSTOP_NONE);
}

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const uint16_t *coord = ripstop_coords(fabric, node);
  static const char letter[] = {[ACCELERATOR] = 'g', [SERVER_SWITCH] = 'n', [LEAF] = 'l', [SPINE] = 's'};
  if (ripstop_is_end(fabric, node)) {
    end_name(fabric, node, out);
    return;
  }
  size_t length = 0;
  out[length++] = letter[coord[KIND]];
  if (coord[KIND] != SPINE) length = ripstop_name_number(out, length, "", coord[UNIT]);
  if (coord[KIND] == ACCELERATOR || coord[KIND] == SERVER_SWITCH)
    length = ripstop_name_number(out, length, ".", coord[SERVER]);
  if (coord[KIND] != SERVER_SWITCH) ripstop_name_number(out, length, coord[KIND] == SPINE ? "" : ".", coord[RAIL]);
}

static const ripstop_link_group groups[] = {{"server", false, "links inside servers"},
                                            {"rail", false, "links of accelerators to leaves"},
                                            {"spine", false, "links of leaves to spines"},
                                            {0}};

/* Cables are named by their accelerator or leaf; the node at the other end decides the group. */
static uint32_t group_of(const ripstop_fabric *fabric, uint32_t link, uint32_t *number) {
  (void)number;
  static const uint32_t group[] = {[ACCELERATOR] = 0, [SERVER_SWITCH] = 0, [LEAF] = 1, [SPINE] = 2};
  const uint32_t a = ripstop_link_coord(fabric, link, 0, KIND), b = ripstop_link_coord(fabric, link, 1, KIND);
  return group[a > b ? a : b];
}

const ripstop_family ripstop_family_rail = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "rail",
    .summary = "rail-optimised or rail-only Clos network of servers with several accelerators",
    .source = "Wang, Ghobadi, Shakeri, Zhang and Hasani 2023 (rail-only); NVIDIA DGX SuperPOD reference architecture",
    .options = options,
    .config_size = sizeof(config),
    .example = "rail:units=2,servers=2,rails=2,spines=1",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = ripstop_wired_link_name,
    .groups = groups,
    .group_of = group_of,
};
