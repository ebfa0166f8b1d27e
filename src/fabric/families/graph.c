/* graph.c - any fabric from a file of routers, end nodes and cables: an edge list, GraphML, a file of another
 * simulator or a plan of Ethernet cables, which formats/ and docs/fabrics.md describe.
 *
 * Routers are numbered in the order in which they are first named. Ports have the numbers of the file, or follow its
 * lines. A link has the name that the file gives it, or "A--B", where A is the router that was named first; a second
 * link between the same two is "A--B#2". In a file without end nodes each router has one, of its name, at its last
 * port.
 */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/content.h"
#include "fabric/graph.h"

static const ripstop_option options[] = {
    RIPSTOP_CONTENT_OPTIONS(
        "path of an edge list: two router names a line, then a speed such as 100G or none; or of "
        "GraphML, BookSim's anynet, a file of another simulator, or a plan of Ethernet cables (topology.dot, "
        "containerlab)"),
    {0}};

typedef ripstop_graph_detail detail;

/* Reads the file; everything belongs to `arena`. */
static int load(ripstop_arena *arena, const ripstop_content *c, ripstop_graph *g, ripstop_loaded *loaded,
                ripstop_error *err) {
  if (ripstop_content_load(arena, c, loaded, err) != 0) return -1;
  return ripstop_graph_read(g, arena, loaded->path, loaded->text, loaded->length, err);
}

static int count(const void *c, ripstop_counts *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_graph g;
  ripstop_loaded loaded;
  int status = load(scratch, c, &g, &loaded, err);
  if (status == 0) *out = (ripstop_counts){.ends = g.ends, .switches = g.routers, .links = g.cables};
  return status;
}

static bool same_pair(const void *owner, uint32_t index, const char *text, size_t length) {
  return memcmp(((const ripstop_graph *)owner)->cable[index].node, text, length) == 0;
}

/* Numbers parallel links in the order of the file. */
static const uint32_t *number_twins(const ripstop_graph *g) {
  uint32_t *twin = RIPSTOP_ARRAY(g->arena, g->cables + 1, uint32_t);
  uint32_t *last =
      ripstop_realloc(NULL, (size_t)g->cables + 1, sizeof *last); /* by the first cable of a pair: how many so far */
  ripstop_text_table pairs = {0};
  for (uint32_t i = 0; i < g->cables; i++) {
    if (g->cable[i].ends) continue;
    const char *key = (const char *)g->cable[i].node;
    uint32_t first = ripstop_text_table_find(&pairs, key, sizeof g->cable[i].node, same_pair, g);
    if (first == RIPSTOP_NONE) {
      ripstop_text_table_add(&pairs, key, sizeof g->cable[i].node, i);
      first = i;
      last[i] = 0;
    }
    twin[i] = ++last[first];
  }
  ripstop_text_table_free(&pairs);
  ripstop_free(last);
  return twin;
}

/* Links are numbered as the builder does it: end nodes' first, then the others as they come. */
static const uint32_t *number_cables(const ripstop_graph *g) {
  uint32_t *cable = RIPSTOP_ARRAY(g->arena, g->cables + 1, uint32_t), next = g->ends;
  for (uint32_t i = 0; i < g->cables; i++) cable[g->cable[i].ends ? g->cable[i].node[0] : next++] = i;
  return cable;
}

static void wire(ripstop_builder *builder, const ripstop_graph *g) {
  for (uint32_t i = 0; i < g->ends; i++) ripstop_builder_end(builder, NULL);
  for (uint32_t i = 0; i < g->routers; i++) ripstop_builder_switch(builder, g->router[i].ports, NULL);
  for (uint32_t i = 0; i < g->cables; i++) {
    const ripstop_graph_cable *c = &g->cable[i];
    ripstop_builder_cable(builder, c->ends ? c->node[0] : g->ends + c->node[0], c->ends ? 0 : c->port[0],
                          g->ends + c->node[1], c->port[1]);
    if (c->speed) ripstop_builder_speed(builder, c->speed, g->fastest);
    if (c->rate) ripstop_builder_rate(builder, c->rate);
    if (c->delay) ripstop_builder_delay(builder, c->delay);
  }
}

static int build(ripstop_builder *builder, const void *c, ripstop_error *err) {
  ripstop_arena *arena = ripstop_builder_arena(builder);
  detail *d = RIPSTOP_NEW(arena, detail);
  ripstop_loaded loaded;
  if (load(arena, c, &d->graph, &loaded, err) != 0) return -1;
  d->twin = number_twins(&d->graph);
  d->cable = number_cables(&d->graph);
  ripstop_builder_spec(builder, ripstop_content_spec(arena, "graph", c, &loaded));
  ripstop_builder_detail(builder, d);
  wire(builder, &d->graph);
  return 0;
}

/* ------------------------------------------------------------------ names */

static void node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  const ripstop_graph *g = &((const detail *)fabric->detail)->graph;
  snprintf(out, RIPSTOP_NAME_MAX, "%s",
           ripstop_is_end(fabric, node) ? g->end[node] : g->router[node - fabric->ends].name);
}

static void link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  const detail *d = fabric->detail;
  const ripstop_graph_cable *c = &d->graph.cable[d->cable[link]];
  if (c->name)
    snprintf(out, RIPSTOP_NAME_MAX, "%s", c->name);
  else if (c->ends)
    snprintf(out, RIPSTOP_NAME_MAX, "end:%s", d->graph.end[c->node[0]]);
  else
    ripstop_graph_link_name(d->graph.router[c->node[0]].name, d->graph.router[c->node[1]].name, d->twin[d->cable[link]],
                            out);
}

/* `ROUTER/PORT`, the port by its name: labels tell ports apart at one router. */
static bool is_port(const ripstop_graph *g, const ripstop_graph_cable *c, unsigned side, const char *text,
                    size_t length) {
  const char *router = g->router[c->node[side]].name;
  size_t name = strlen(router);
  return c->label[side] && length == name + 1 + strlen(c->label[side]) && memcmp(text, router, name) == 0 &&
         text[name] == '/' && memcmp(text + name + 1, c->label[side], length - name - 1) == 0;
}

static uint32_t alias(const ripstop_fabric *f, ripstop_part_kind what, const char *text, size_t length) {
  const detail *d = f->detail;
  uint32_t found = RIPSTOP_NONE;
  for (uint32_t link = 0; what == RIPSTOP_PART_LINK && link < f->links; link++) {
    const ripstop_graph_cable *c = &d->graph.cable[d->cable[link]];
    for (unsigned side = c->ends; side < 2; side++) {
      if (!is_port(&d->graph, c, side, text, length)) continue;
      if (found != RIPSTOP_NONE) return RIPSTOP_NONE;
      found = link;
    }
  }
  return found;
}

static bool other_name(const ripstop_fabric *f, ripstop_part_kind what, uint32_t part, unsigned number, char *out) {
  const detail *d = f->detail;
  const ripstop_graph_cable *c = what == RIPSTOP_PART_LINK ? &d->graph.cable[d->cable[part]] : NULL;
  for (unsigned side = 0; c && side < 2; side++)
    if (c->label[side] && number-- == 0) {
      snprintf(out, RIPSTOP_NAME_MAX, "%s/%s", d->graph.router[c->node[side]].name, c->label[side]);
      return true;
    }
  return false;
}

const ripstop_graph_detail *ripstop_graph_of(const ripstop_fabric *fabric) {
  return fabric->family == &ripstop_family_graph ? fabric->detail : NULL;
}

const char *ripstop_graph_group(const ripstop_fabric *fabric, ripstop_part_kind what, uint32_t part) {
  const detail *d = ripstop_graph_of(fabric);
  if (d == NULL || what == RIPSTOP_PART_END) return NULL;
  return what == RIPSTOP_PART_LINK ? d->graph.cable[d->cable[part]].group : d->graph.router[part - fabric->ends].group;
}

const char *ripstop_graph_port(const ripstop_fabric *fabric, uint32_t link, unsigned side) {
  const detail *d = ripstop_graph_of(fabric);
  return d ? d->graph.cable[d->cable[link]].label[side] : NULL;
}

uint32_t ripstop_graph_twin(const ripstop_fabric *f, uint32_t link) {
  const detail *d = ripstop_graph_of(f);
  if (d) return d->twin[d->cable[link]];
  uint32_t number = 1, a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
  for (uint32_t p = f->port_base[a]; p < f->port_base[a + 1]; p++)
    number += f->peer[p] != RIPSTOP_NONE && f->port_node[f->peer[p]] == b && f->port_link[p] < link;
  return number;
}

const ripstop_family ripstop_family_graph = {
    .abi = RIPSTOP_FAMILY_ABI,
    .name = "graph",
    .summary = "any graph from a file of routers, end nodes and cables",
    .source = "edge list, two router names a line, GraphML (Brandes et al. 2002), BookSim's anynet, or a file of "
              "another simulator",
    .options = options,
    .config_size = sizeof(ripstop_content),
    .example = "graph:tests/data/petersen.edges",
    .count = count,
    .build = build,
    .node_name = node_name,
    .link_name = link_name,
    .names_end_links = true,
    .alias = alias,
    .other_name = other_name,
};

ripstop_fabric *ripstop_graph_from_text(const char *name, const char *text, size_t length, ripstop_error *err) {
  return ripstop_content_fabric(&ripstop_family_graph, name, text, length, err);
}
