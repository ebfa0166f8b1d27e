/* fabric_as_graph.c - writes any fabric as an edge list, which is read back as the same fabric: nodes, ports, links,
 * names and rates, each in the order of its numbers.
 *
 * The fabric becomes a graph of names, which formats/graph/print_lines.c writes. The graph has only the ports, names
 * and rates that its reader would not find by itself. Groups, classes, roles and names of ports, which only graphs
 * have, are copied. */
#include "base/local.h"
#include "fabric/graph.h"

typedef struct maker {
  const ripstop_fabric *fabric;
  const ripstop_graph *from; /* the graph that the fabric was made of; NULL: it is of another family */
  const uint32_t *cable;     /* [links]: cables of `from` */
  ripstop_graph *to;
  bool ports; /* the reader would number them otherwise */
} maker;

static uint32_t local(const ripstop_fabric *f, uint32_t link, unsigned side) {
  uint32_t port = f->link_port[2 * (size_t)link + side];
  return port - f->port_base[f->port_node[port]];
}

/* The side of a link that its line names first: an end node's, or that of the switch with the lower number. */
static unsigned first_side(const ripstop_fabric *f, uint32_t link) {
  return link >= f->link_ends && ripstop_link_node(f, link, 0) > ripstop_link_node(f, link, 1);
}

/* True if the fabric's ports have the order of the lines, and no switch has more ports. */
static bool follows_lines(const ripstop_fabric *f, ripstop_arena *scratch) {
  uint32_t *next = RIPSTOP_ARRAY(scratch, f->nodes, uint32_t);
  bool same = true;
  for (uint32_t link = 0; link < f->links; link++)
    for (unsigned k = 0; k < 2; k++) {
      const unsigned side = first_side(f, link) ^ k;
      same &= local(f, link, side) == next[ripstop_link_node(f, link, side)]++;
    }
  return same;
}

/* True if the last port of a node has no cable, so that only a number says that it is there. */
static bool is_unused_behind(const ripstop_fabric *f, uint32_t node) {
  const uint32_t ports = ripstop_node_ports(f, node);
  return ports > 0 && f->peer[f->port_base[node] + ports - 1] == RIPSTOP_NONE;
}

static int add_node(const maker *m, uint32_t node, ripstop_error *err) {
  const ripstop_fabric *f = m->fabric;
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  const bool end = ripstop_is_end(f, node);
  if ((end ? ripstop_graph_end_of : ripstop_graph_router_of)(m->to, piece_of(name), err) == RIPSTOP_NONE)
    return ripstop_fail(err, "%s: the name '%.100s' cannot stand in an edge list", f->spec, name);
  if (end) return 0;
  ripstop_graph_router *router = &m->to->router[node - f->ends];
  if (m->from) {
    router->group = m->from->router[node - f->ends].group;
    router->role = m->from->router[node - f->ends].role;
  }
  if (is_unused_behind(f, node)) router->ports = ripstop_node_ports(f, node);
  return 0;
}

/* The name that the reader would give a cable. */
static void usual_name(const ripstop_fabric *f, uint32_t link, char *out) {
  char a[RIPSTOP_NAME_MAX], b[RIPSTOP_NAME_MAX];
  const unsigned first = first_side(f, link);
  ripstop_node_name(f, ripstop_link_node(f, link, first), a);
  ripstop_node_name(f, ripstop_link_node(f, link, 1 - first), b);
  if (link < f->link_ends)
    snprintf(out, RIPSTOP_NAME_MAX, "end:%.*s", RIPSTOP_NAME_MAX - 5, a);
  else
    ripstop_graph_link_name(a, b, ripstop_graph_twin(f, link), out);
}

static int add_cable(const maker *m, uint32_t link, ripstop_error *err) {
  const ripstop_fabric *f = m->fabric;
  const ripstop_graph_cable *from = m->from ? &m->from->cable[m->cable[link]] : NULL;
  char name[RIPSTOP_NAME_MAX], usual[RIPSTOP_NAME_MAX];
  ripstop_graph_cable cable = {.ends = link < f->link_ends};
  ripstop_link_name(f, link, name);
  usual_name(f, link, usual);
  if (strcmp(name, usual) != 0) cable.name = ripstop_arena_text(m->to->arena, name);
  if (ripstop_fabric_rate(f, link) != RIPSTOP_RATE_FULL) cable.rate = f->rate[link];
  if (f->delay) cable.delay = f->delay[link];
  if (from) cable.group = from->group, cable.class_ = from->class_;
  for (unsigned k = 0; k < 2; k++) {
    const unsigned side = first_side(f, link) ^ k;
    const uint32_t node = ripstop_link_node(f, link, side);
    cable.node[k] = ripstop_is_end(f, node) ? node : node - f->ends;
    cable.port[k] = local(f, link, side);
    if (from) cable.label[k] = from->label[side];
    cable.numbered[k] = m->ports || (from && from->label[side] && from->numbered[side]);
  }
  return ripstop_graph_add(m->to, &cable, err);
}

int ripstop_graph_print(const ripstop_fabric *f, FILE *file, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_graph_detail *detail = ripstop_graph_of(f);
  ripstop_graph graph;
  ripstop_graph_open(&graph, scratch, f->spec);
  const maker m = {f, detail ? &detail->graph : NULL, detail ? detail->cable : NULL, &graph,
                   !follows_lines(f, scratch)};
  int status = 0;
  for (uint32_t node = f->ends; node < f->nodes && status == 0; node++) status = add_node(&m, node, err);
  for (uint32_t end = 0; end < f->ends && status == 0; end++) status = add_node(&m, end, err);
  for (uint32_t link = 0; link < f->links && status == 0; link++) status = add_cable(&m, link, err);
  if (status == 0) ripstop_graph_print_lines(&graph, file);
  return status;
}
