/* fabric.c - `ripstop fabric SPEC`: what a fabric is made of, as a summary, a list of links, JSON or a drawing. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fabric/tree.h"
#include "ripstop/plugin/family.h"

/* Ports to look at while searching for distances: some seconds at most. */
#define SEARCH_BUDGET ((uint64_t)1 << 30)

static const char *kind_of(const ripstop_fabric *f, uint32_t node) {
  return ripstop_is_end(f, node) ? "end" : "switch";
}

/* Side 0 or 1 of a link: its node and the local port there. */
static uint32_t side(const ripstop_fabric *f, uint32_t link, unsigned which, uint32_t *node) {
  uint32_t port = f->link_port[2 * (size_t)link + which];
  *node = f->port_node[port];
  return port - f->port_base[*node];
}

static void find_degrees(const ripstop_fabric *f, uint32_t *least, uint32_t *most) {
  *least = RIPSTOP_NONE;
  *most = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    uint32_t ports = ripstop_node_ports(f, node);
    if (ports < *least) *least = ports;
    if (ports > *most) *most = ports;
  }
}

static void find_span(const ripstop_fabric *f, ripstop_span *span) {
  uint64_t limit = SEARCH_BUDGET / f->ports;
  ripstop_fabric_span(f, limit > f->ends ? f->ends : limit > 0 ? (uint32_t)limit : 1, span);
}

/* ------------------------------------------------------------------ summary */

static void print_summary(const ripstop_fabric *f) {
  uint32_t least, most;
  ripstop_span span;
  find_degrees(f, &least, &most);
  find_span(f, &span);
  printf("%s\n", f->spec);
  printf("  family     %s\n", f->family->summary);
  printf("  source     %s\n", f->family->source);
  printf("  end nodes  %u\n", f->ends);
  if (least == most)
    printf("  switches   %u, each with %u ports\n", ripstop_fabric_switches(f), most);
  else
    printf("  switches   %u, with %u to %u ports\n", ripstop_fabric_switches(f), least, most);
  printf("  links      %u: %u to end nodes, %u between switches\n", f->links, f->link_ends, f->links - f->link_ends);
  printf("  distance   %.6g links between end nodes on average, %u at most", span.mean, span.diameter);
  if (span.sources < f->ends && !f->family->symmetric) printf(" (seen from %u end nodes)", span.sources);
  printf("\n");
  if (span.unreachable > 0)
    printf("  unreached  %" PRIu64 " ordered pairs of end nodes have no path\n", span.unreachable);
  printf("  check      wiring, names and counts hold\n");
}

/* ------------------------------------------------------------------ links */

static void print_links(const ripstop_fabric *f) {
  char name[RIPSTOP_NAME_MAX];
  printf("# link\tnode\tport\tnode\tport\n");
  for (uint32_t link = 0; link < f->links; link++) {
    ripstop_link_name(f, link, name);
    printf("%s", name);
    for (unsigned which = 0; which < 2; which++) {
      uint32_t node, port = side(f, link, which, &node);
      ripstop_node_name(f, node, name);
      printf("\t%s:%s\t%u", kind_of(f, node), name, port);
    }
    printf("\n");
  }
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_node(const ripstop_fabric *f, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  json_t *digits = json_array();
  for (uint32_t i = 0; i < f->coords; i++)
    json_array_append_new(digits, json_integer(f->coord[(size_t)node * f->coords + i]));
  return json_pack("{s:s, s:s, s:i, s:o}", "name", name, "kind", kind_of(f, node), "ports",
                   (int)ripstop_node_ports(f, node), "coordinates", digits);
}

static json_t *json_link(const ripstop_fabric *f, uint32_t link) {
  char name[RIPSTOP_NAME_MAX];
  json_t *sides = json_array();
  for (unsigned which = 0; which < 2; which++) {
    uint32_t node, port = side(f, link, which, &node);
    ripstop_node_name(f, node, name);
    json_array_append_new(sides,
                          json_pack("{s:s, s:s, s:i}", "node", name, "kind", kind_of(f, node), "port", (int)port));
  }
  ripstop_link_name(f, link, name);
  return json_pack("{s:s, s:o}", "name", name, "sides", sides);
}

static json_t *json_distances(const ripstop_fabric *f) {
  ripstop_span span;
  find_span(f, &span);
  return json_pack("{s:f, s:i, s:i, s:I, s:b}", "mean", span.mean, "longest", (int)span.diameter, "sources",
                   (int)span.sources, "unreachable_pairs", (json_int_t)span.unreachable, "exact",
                   f->family->symmetric || span.sources == f->ends);
}

static int print_json(const ripstop_fabric *f) {
  uint32_t least, most;
  find_degrees(f, &least, &most);
  json_t *nodes = json_array(), *links = json_array();
  for (uint32_t node = 0; node < f->nodes; node++) json_array_append_new(nodes, json_node(f, node));
  for (uint32_t link = 0; link < f->links; link++) json_array_append_new(links, json_link(f, link));
  json_t *all =
      json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:{s:i, s:i}, s:o, s:o, s:o}", "spec", f->spec, "family",
                f->family->name, "end_nodes", (int)f->ends, "switches", (int)ripstop_fabric_switches(f), "links",
                (int)f->links, "links_to_end_nodes", (int)f->link_ends, "switch_ports", "least", (int)least, "most",
                (int)most, "distance", json_distances(f), "node_list", nodes, "link_list", links);
  if (all == NULL) {
    ripstop_error err;
    ripstop_fail(&err, "%s cannot be written as JSON: not UTF-8", f->spec);
    return ripstop_cli_fail(&err);
  }
  json_dumpf(all, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
  printf("\n");
  json_decref(all);
  return RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ a drawing */

static void print_quoted(const char *text) {
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

/* One row for every level of a tree, the end nodes in the lowest. */
static void print_ranks(const ripstop_fabric *f, const ripstop_tree *tree) {
  printf("  rankdir=BT; ranksep=1.2;\n  { rank=same;");
  for (uint32_t node = 0; node < f->nodes; node++) {
    bool first = !ripstop_is_end(f, node) &&
                 (node == f->ends || ripstop_tree_level(tree, node) != ripstop_tree_level(tree, node - 1));
    printf(first ? " }\n  { rank=same; n%u;" : " n%u;", node);
  }
  printf(" }\n");
}

static void print_dot(const ripstop_fabric *f) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_tree tree;
  printf("graph ");
  print_quoted(f->spec);
  printf(" {\n  node [fontsize=10]; edge [fontsize=8];\n");
  if (ripstop_tree_from(f, &tree))
    print_ranks(f, &tree);
  else
    printf("  layout=neato; overlap=false;\n");
  for (uint32_t node = 0; node < f->nodes; node++) {
    ripstop_node_name(f, node, name);
    printf("  n%u [label=\"%s\", shape=%s];\n", node, name, ripstop_is_end(f, node) ? "plaintext" : "box");
  }
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a, b, port_a = side(f, link, 0, &a), port_b = side(f, link, 1, &b);
    ripstop_link_name(f, link, name);
    printf("  n%u -- n%u [tooltip=\"%s\"", a, b, name);
    if (!ripstop_is_end(f, a)) printf(", taillabel=%u", port_a);
    printf(", headlabel=%u];\n", port_b);
  }
  printf("}\n");
}

/* ------------------------------------------------------------------ the command */

static void list_families(FILE *file) {
  fprintf(file, "\nA SPEC is FAMILY:OPTIONS, or the path of an edge list. The families:\n");
  for (const ripstop_family *const *family = ripstop_families; *family != NULL; family++) {
    fprintf(file, "\n%s, e.g. %s\n  %s\n  Source: %s.\n", (*family)->name, (*family)->example, (*family)->summary,
            (*family)->source);
    ripstop_options_help(file, (*family)->options);
  }
}

int ripstop_cmd_fabric(int argc, char **argv) {
  bool links = false, json = false, dot = false;
  const ripstop_flag flags[] = {
      {.name = "links", .help = "List the links: name, then node and local port of both sides.", .given = &links},
      {.name = "json", .help = "Print everything as JSON.", .given = &json},
      {.name = "dot", .help = "Print a drawing for Graphviz: pipe it to 'dot -Tsvg'.", .given = &dot},
      {0},
  };
  const ripstop_usage usage = {.command = "fabric",
                               .arguments = "SPEC",
                               .summary = "Shows what a fabric is made of, and checks it.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags,
                               .more = list_families};
  const char *spec;
  unsigned count;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, &spec, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (links + json + dot > 1) {
    ripstop_fail(&err, "fabric: --links, --json and --dot exclude each other");
    return ripstop_cli_fail(&err);
  }
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric == NULL) return ripstop_cli_fail(&err);
  status = RIPSTOP_EXIT_OK;
  if (ripstop_fabric_check(fabric, &err) != 0) {
    status = ripstop_cli_fail_work(&err);
  } else if (links) {
    print_links(fabric);
  } else if (json) {
    status = print_json(fabric);
  } else if (dot) {
    print_dot(fabric);
  } else {
    print_summary(fabric);
  }
  ripstop_fabric_free(fabric);
  return status;
}
