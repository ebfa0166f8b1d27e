/* print_lines.c - writes a graph as an edge list, which read_lines.c reads: routers, then end nodes, then cables. It
 * writes a port that is numbered, and one whose other end has a name. */
#include "formats/graph/named_graph.h"

static void print_word(const char *key, const char *value, FILE *file) {
  if (value) fprintf(file, " %s=%s", key, value);
}

static void print_router(const ripstop_graph_router *router, FILE *file) {
  fprintf(file, "@router %s", router->name);
  if (router->ports > 0) fprintf(file, " ports=%u", router->ports);
  print_word("group", router->group, file);
  print_word("role", router->role, file);
  fputc('\n', file);
}

/* A port by its number, its name, or `number:name`. */
static void print_port(const ripstop_graph_cable *c, unsigned side, char before, FILE *file) {
  const char *label = c->label[side];
  const bool digits = label && label[0] >= '0' && label[0] <= '9'; /* would be read as the number */
  fputc(before, file);
  if (c->numbered[side] || !label || digits) fprintf(file, "%u%s", c->port[side], label ? ":" : "");
  if (label) fputs(label, file);
}

static void print_cable(const ripstop_graph *g, const ripstop_graph_cable *c, FILE *file) {
  const char *first = c->ends ? g->end[c->node[0]] : g->router[c->node[0]].name;
  fprintf(file, "%s%s %s", c->ends ? "@end " : "", first, g->router[c->node[1]].name);
  print_word("name", c->name, file);
  if (c->rate) fprintf(file, " rate=%g", (double)c->rate / RIPSTOP_RATE_FULL);
  if (c->delay) fprintf(file, " delay=%u", c->delay);
  print_word("group", c->group, file);
  print_word("class", c->class_, file);
  if (c->numbered[0] || c->numbered[1] || c->label[0] || c->label[1]) {
    fputs(" port", file);
    if (!c->ends) print_port(c, 0, '=', file);
    print_port(c, 1, c->ends ? '=' : ',', file);
  }
  fputc('\n', file);
}

void ripstop_graph_print_lines(const ripstop_graph *g, FILE *file) {
  fprintf(file, "# %s\n", g->file);
  for (uint32_t router = 0; router < g->routers; router++) print_router(&g->router[router], file);
  for (unsigned ends = 2; ends-- > 0;)
    for (uint32_t i = 0; i < g->cables; i++)
      if (g->cable[i].ends == ends) print_cable(g, &g->cable[i], file);
}
