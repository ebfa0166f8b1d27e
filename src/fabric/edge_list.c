/* edge_list.c - any fabric as an edge list: first routers, then end nodes, then cables, each in the order of their
 * numbers.
 *
 * Of ports, names and rates stands there what the reader would not find by itself. What only graphs tell (groups,
 * classes, roles, names of ports) is told again. */
#include <string.h>

#include "fabric/graph.h"

typedef struct printer {
  const ripstop_fabric *fabric;
  const ripstop_graph_detail *detail; /* NULL: it was no graph */
  FILE *file;
  bool ports; /* the reader would number them otherwise */
} printer;

static uint32_t local(const ripstop_fabric *f, uint32_t link, unsigned side) {
  uint32_t port = f->link_port[2 * (size_t)link + side];
  return port - f->port_base[f->port_node[port]];
}

/* The side of a link that a line tells first: an end node's, or that of the switch with the lower number. */
static unsigned first_side(const ripstop_fabric *f, uint32_t link) {
  return link >= f->link_ends && ripstop_link_node(f, link, 0) > ripstop_link_node(f, link, 1);
}

/* Whether ports in the order of the lines are the fabric's, and no switch has more. */
static bool follows_lines(const ripstop_fabric *f) {
  uint32_t *next = ripstop_realloc(NULL, f->nodes, sizeof *next);
  bool same = true;
  memset(next, 0, f->nodes * sizeof *next);
  for (uint32_t link = 0; link < f->links; link++)
    for (unsigned k = 0; k < 2; k++) {
      unsigned side = first_side(f, link) ^ k;
      uint32_t node = ripstop_link_node(f, link, side);
      same &= local(f, link, side) == next[node]++;
    }
  ripstop_free(next);
  return same;
}

static bool is_unused_behind(const ripstop_fabric *f, uint32_t node) {
  uint32_t ports = ripstop_node_ports(f, node);
  return ports > 0 && f->peer[f->port_base[node] + ports - 1] == RIPSTOP_NONE;
}

static void print_word(const printer *p, const char *key, const char *value) {
  if (value) fprintf(p->file, " %s=%s", key, value);
}

static void print_router(const printer *p, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, node, name);
  fprintf(p->file, "@router %s", name);
  if (is_unused_behind(p->fabric, node)) fprintf(p->file, " ports=%u", ripstop_node_ports(p->fabric, node));
  if (p->detail) {
    const ripstop_graph_router *told = &p->detail->graph.router[node - p->fabric->ends];
    print_word(p, "group", told->group);
    print_word(p, "role", told->role);
  }
  fputc('\n', p->file);
}

/* A port by its number, its name, or `number:name`. */
static void print_port(const printer *p, uint32_t link, unsigned side, char before) {
  const ripstop_graph_cable *told = p->detail ? &p->detail->graph.cable[p->detail->cable[link]] : NULL;
  const char *label = told ? told->label[side] : NULL;
  fputc(before, p->file);
  bool digits = label && label[0] >= '0' && label[0] <= '9'; /* would be read as the number */
  if (p->ports || !label || digits || told->numbered[side])
    fprintf(p->file, "%u%s", local(p->fabric, link, side), label ? ":" : "");
  if (label) fputs(label, p->file);
}

static bool has_label(const printer *p, uint32_t link) {
  const ripstop_graph_cable *told = p->detail ? &p->detail->graph.cable[p->detail->cable[link]] : NULL;
  return told && (told->label[0] || told->label[1]);
}

/* What stands behind the names of a cable's ends. `usual`: the name that the reader would give it. */
static void print_rest(const printer *p, uint32_t link, const char *usual) {
  const ripstop_fabric *f = p->fabric;
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(f, link, name);
  if (strcmp(name, usual) != 0) fprintf(p->file, " name=%s", name);
  if (ripstop_fabric_rate(f, link) != RIPSTOP_RATE_FULL)
    fprintf(p->file, " rate=%g", (double)f->rate[link] / RIPSTOP_RATE_FULL);
  if (f->delay && f->delay[link]) fprintf(p->file, " delay=%u", f->delay[link]);
  if (p->detail) {
    const ripstop_graph_cable *told = &p->detail->graph.cable[p->detail->cable[link]];
    print_word(p, "group", told->group);
    print_word(p, "class", told->class_);
  }
  if (p->ports || has_label(p, link)) {
    unsigned first = first_side(f, link);
    fputs(" port", p->file);
    if (link >= f->link_ends) print_port(p, link, first, '=');
    print_port(p, link, 1 - first, link >= f->link_ends ? ',' : '=');
  }
  fputc('\n', p->file);
}

static void print_end(const printer *p, uint32_t end) {
  char name[RIPSTOP_NAME_MAX], at[RIPSTOP_NAME_MAX], usual[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, end, name);
  ripstop_node_name(p->fabric, ripstop_end_switch(p->fabric, end), at);
  snprintf(usual, sizeof usual, "end:%.*s", RIPSTOP_NAME_MAX - 5, name);
  fprintf(p->file, "@end %s %s", name, at);
  print_rest(p, end, usual);
}

/* `twin`: which of the cables between its two switches it is, from 1. */
static void print_cable(const printer *p, uint32_t link, uint32_t twin) {
  char a[RIPSTOP_NAME_MAX], b[RIPSTOP_NAME_MAX], usual[RIPSTOP_NAME_MAX];
  unsigned first = first_side(p->fabric, link);
  ripstop_node_name(p->fabric, ripstop_link_node(p->fabric, link, first), a);
  ripstop_node_name(p->fabric, ripstop_link_node(p->fabric, link, 1 - first), b);
  ripstop_graph_link_name(a, b, twin, usual);
  fprintf(p->file, "%s %s", a, b);
  print_rest(p, link, usual);
}

/* For the messages: the reader's own rules, by a graph that is thrown away. */
static int check_names(const ripstop_fabric *f, ripstop_error *err) {
  ripstop_graph scratch = {.arena = ripstop_arena_new(), .file = f->spec};
  char name[RIPSTOP_NAME_MAX];
  int status = 0;
  scratch.router_names.arena = scratch.end_names.arena = scratch.arena;
  for (uint32_t node = 0; node < f->nodes && status == 0; node++) {
    ripstop_node_name(f, node, name);
    uint32_t got = ripstop_is_end(f, node) ? ripstop_graph_end_of(&scratch, name, strlen(name), err)
                                           : ripstop_graph_router_of(&scratch, name, strlen(name), err);
    if (got == RIPSTOP_NONE)
      status = ripstop_fail(err, "%s: the name '%.100s' cannot stand in an edge list", f->spec, name);
  }
  ripstop_arena_free(scratch.arena);
  return status;
}

int ripstop_graph_print(const ripstop_fabric *f, FILE *file, ripstop_error *err) {
  const printer p = {f, ripstop_graph_of(f), file, !follows_lines(f)};
  if (check_names(f, err) != 0) return -1;
  fprintf(file, "# %s\n", f->spec);
  for (uint32_t node = f->ends; node < f->nodes; node++) print_router(&p, node);
  for (uint32_t end = 0; end < f->ends; end++) print_end(&p, end);
  for (uint32_t link = f->link_ends; link < f->links; link++) print_cable(&p, link, ripstop_graph_twin(f, link));
  return 0;
}
