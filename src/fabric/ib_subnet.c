/* ib_subnet.c - gives any fabric the names of a subnet, and writes its net file. */
#include "fabric/ib_subnet.h"

#include <inttypes.h>
#include <string.h>

#include "fabric/ib.h"

static const uint64_t first_switch = UINT64_C(0x0002c90200000000), first_adapter = UINT64_C(0x0002c90300000000);
enum { ADAPTER_STEP = 16, LMC_LIMIT = 7 };

/* ------------------------------------------------------------------ names */

static void dump_node(const ripstop_ib_fabric *ib, uint32_t ends, uint32_t node, ib_subnet_node *out) {
  const ripstop_ib_dump *dump = ib->dump;
  const ripstop_ib_port *port = node < ends ? &dump->port[ib->end_port[node]] : NULL;
  const ripstop_ib_node *n = &dump->node[port ? port->node : ib->switch_node[node - ends]];
  uint32_t lid = port ? port->lid : n->lid;
  *out = (ib_subnet_node){.guid = n->guid, .port_guid = n->guid, .ports = n->wide};
  snprintf(out->id, sizeof out->id, "%s", n->id);
  snprintf(out->text, sizeof out->text, "%s", n->text);
  uint32_t lmc = port ? port->lmc : n->lmc;
  out->lid = lid <= RIPSTOP_IB_LID_LIMIT ? lid : 0;
  out->lmc = out->lid > 0 && lmc <= LMC_LIMIT ? lmc : 0;
  if (!port) return;
  out->port = port->number;
  out->port_guid = port->guid ? port->guid : n->guid + port->number;
}

static void made_node(const ripstop_fabric *f, uint32_t node, ib_subnet_node *out) {
  bool end = ripstop_is_end(f, node);
  uint64_t guid = end ? first_adapter + (uint64_t)node * ADAPTER_STEP : first_switch + (node - f->ends);
  *out = (ib_subnet_node){.guid = guid, .port_guid = guid + end, .ports = ripstop_node_ports(f, node), .port = end};
  out->lid = node < RIPSTOP_IB_LID_LIMIT ? node + 1 : 0;
  snprintf(out->id, sizeof out->id, "%c-%016" PRIx64, end ? 'H' : 'S', guid);
  ripstop_node_name(f, node, out->text);
}

void ib_subnet_node_of(const ripstop_fabric *f, uint32_t node, ib_subnet_node *out) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  ib ? dump_node(ib, f->ends, node, out) : made_node(f, node, out);
}

uint32_t ib_subnet_made_node(const ripstop_fabric *f, uint64_t guid) {
  uint64_t adapter = guid - first_adapter - 1;
  if (guid >= first_switch && guid - first_switch < ripstop_fabric_switches(f))
    return f->ends + (uint32_t)(guid - first_switch);
  return guid > first_adapter && adapter % ADAPTER_STEP == 0 && adapter / ADAPTER_STEP < f->ends
             ? (uint32_t)(adapter / ADAPTER_STEP)
             : RIPSTOP_NONE;
}

uint32_t ib_subnet_first_port(const ripstop_fabric *f) { return ripstop_ib_of(f) ? 0 : 1; }

/* The first node that has not enough, or one that another has; RIPSTOP_NONE: all is well. */
static uint32_t dump_lids(const ripstop_fabric *f, const uint32_t *wanted, uint32_t *lid, uint32_t *room) {
  bool used[RIPSTOP_IB_LID_LIMIT + 1] = {true};
  ib_subnet_node n;
  for (uint32_t node = 0; node < f->nodes; node++) {
    ib_subnet_node_of(f, node, &n);
    lid[node] = n.lid;
    room[node] = 1u << n.lmc;
    if (room[node] < wanted[node] || n.lid + room[node] > RIPSTOP_IB_LID_LIMIT + 1) return node;
    for (uint32_t i = n.lid; i < n.lid + room[node]; i++) {
      if (used[i]) return node;
      used[i] = true;
    }
  }
  return RIPSTOP_NONE;
}

int ib_subnet_lids(const ripstop_fabric *f, const uint32_t *wanted, uint32_t *lid, uint32_t *room, uint32_t *misfit,
                   ripstop_error *err) {
  *misfit = dump_lids(f, wanted, lid, room);
  if (*misfit == RIPSTOP_NONE) return 0;
  unsigned lmc = 0;
  for (uint32_t node = 0; node < f->nodes; node++)
    while (1u << lmc < wanted[node]) lmc++;
  uint64_t first = lmc ? UINT64_C(1) << lmc : 1;
  if (first + ((uint64_t)f->nodes << lmc) > RIPSTOP_IB_LID_LIMIT + 1)
    return ripstop_fail(err, "%s: %u nodes with %u LIDs each are more than the %d that there are", f->spec, f->nodes,
                        1u << lmc, RIPSTOP_IB_LID_LIMIT);
  for (uint32_t node = 0; node < f->nodes; node++) {
    lid[node] = (uint32_t)(first + ((uint64_t)node << lmc));
    room[node] = 1u << lmc;
  }
  return 0;
}

/* ------------------------------------------------------------------ the net file */

typedef struct printer {
  const ripstop_fabric *fabric;
  const uint8_t *port_up, *node_up;
  FILE *file;
  uint32_t first_port;
} printer;

static uint32_t number_of(const printer *p, uint32_t port) {
  const ripstop_fabric *f = p->fabric;
  return port - f->port_base[f->port_node[port]] + p->first_port;
}

static void print_cable(const printer *p, uint32_t port, const ib_subnet_node *node) {
  const uint32_t peer = p->fabric->peer[port];
  const ripstop_ib_fabric *ib = ripstop_ib_of(p->fabric);
  const ripstop_ib_port unknown = {.speed = ""};
  const ripstop_ib_port *rate = ib ? &ib->dump->port[ripstop_ib_dump_port(p->fabric, port)] : &unknown;
  ib_subnet_node other;
  ib_subnet_node_of(p->fabric, p->fabric->port_node[peer], &other);
  ib_print_cable(node, number_of(p, port), &other, number_of(p, peer), rate->width, rate->speed, p->file);
}

static void print_cables(const printer *p, uint32_t node, const ib_subnet_node *n) {
  for (uint32_t port = p->fabric->port_base[node]; port < p->fabric->port_base[node + 1]; port++)
    if (p->port_up[port]) print_cable(p, port, n);
}

void ib_subnet_print(const ripstop_fabric *f, const uint8_t *port_up, const uint8_t *node_up, FILE *file) {
  const printer p = {f, port_up, node_up, file, ib_subnet_first_port(f)};
  ib_subnet_node n, before = {0};
  fprintf(file, "# %s\n", f->spec);
  for (uint32_t i = 0; i < f->nodes; i++) { /* switches first, so that ibsim attaches to one */
    uint32_t node = i < ripstop_fabric_switches(f) ? f->ends + i : i - ripstop_fabric_switches(f);
    if (!node_up[node]) continue;
    ib_subnet_node_of(f, node, &n);
    if (strcmp(n.id, before.id) != 0) ib_print_node(&n, file); /* ports of an adapter stand together */
    print_cables(&p, node, &n);
    before = n;
  }
}
