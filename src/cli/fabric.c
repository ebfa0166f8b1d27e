/* fabric.c - `ripstop fabric SPEC`: what a fabric is made of, as a summary, a list of links, JSON, a drawing or a net
 * file. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/fabric_ethernet.h"
#include "cli/fabric_files.h"
#include "cli/fabric_recognised.h"
#include "cli/json.h"
#include "cli/table_case.h"
#include "draw/fabric_picture.h"
#include "fabric/graph.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "fabric/tree.h"
#include "faults/describe.h"
#include "formats/infiniband/lines.h"
#include "recognise/recognise.h"
#include "report/mean_use.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/faults.h"
#include "tables/ethernet/ethernet_files.h"

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

/* The count that people use: port 0 of a dump's switch is the switch itself. */
static uint32_t count_ports(const ripstop_fabric *f, uint32_t node) {
  bool has_zero = ripstop_ib_of(f) != NULL && !ripstop_is_end(f, node);
  return ripstop_node_ports(f, node) - has_zero;
}

static void find_degrees(const ripstop_fabric *f, uint32_t *least, uint32_t *most) {
  *least = RIPSTOP_NONE;
  *most = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    uint32_t ports = count_ports(f, node);
    if (ports < *least) *least = ports;
    if (ports > *most) *most = ports;
  }
}

static void find_span(const ripstop_fabric *f, ripstop_span *span) {
  uint64_t limit = SEARCH_BUDGET / f->ports;
  ripstop_fabric_span(f, limit > f->ends ? f->ends : limit > 0 ? (uint32_t)limit : 1, span);
}

/* Adapters and cables as people count them: of a dump all that it lists, else what is wired. */
typedef struct census {
  uint32_t adapters, hosts, cables, slow;
} census;

static census take_census(const ripstop_fabric *f) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  uint32_t slow = 0;
  for (uint32_t link = 0; f->rate != NULL && link < f->links; link++) slow += f->rate[link] < RIPSTOP_RATE_FULL;
  if (ib == NULL) return (census){.adapters = f->ends, .hosts = f->ends, .cables = f->links, .slow = slow};
  uint32_t adapters = ib->dump->kinds[RIPSTOP_IB_ADAPTER];
  return (census){adapters, adapters - ib->dump->aggregates, ib->dump->cables, ib->dump->slow_cables};
}

/* ------------------------------------------------------------------ summary */

enum { GROUPS_SHOWN = 12 };

static void print_dump(const ripstop_ib_dump *d, const census *c) {
  printf("  adapters   %u: %u hosts, %u aggregation nodes inside switches\n", c->adapters, c->hosts, d->aggregates);
  printf("  cables     %u, of which %u slow; %u half links, %u conflicting ends\n", c->cables, c->slow, d->half_links,
         d->conflicts);
  if (d->timeouts > 0)
    printf("  incomplete %u requests timed out, so nodes and cables may be missing from the file\n", d->timeouts);
}

/* "local 18 links, global 9 links": the groups that scopes and fault sets name. */
static void print_groups(const ripstop_fabric *f) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_group_size *group;
  uint32_t count;
  ripstop_fabric_groups(arena, f, &group, &count);
  for (uint32_t i = 0; i < count && i < GROUPS_SHOWN; i++) {
    printf("%s%s", i > 0 ? ", " : "  groups     ", group[i].name);
    if (group[i].links > 0) printf(" %u links", group[i].links);
    if (group[i].switches > 0) printf(" %u switches", group[i].switches);
  }
  if (count > GROUPS_SHOWN) printf(", and %u more", count - GROUPS_SHOWN);
  if (count > 0) printf("\n");
}

/* The checker of the library found nothing wrong; the file may still contradict itself. */
static void print_check(const ripstop_ib_dump *d) {
  const uint32_t wrong = d != NULL ? d->half_links + d->conflicts : 0;
  if (wrong == 0)
    printf("  check      wiring, names and counts hold\n");
  else
    printf("  check      names and counts hold; %u ports of the file are left without the cable that they name\n",
           wrong);
}

static uint32_t count_one_candidate(const ripstop_fabric *f) {
  uint32_t count = 0;
  for (uint32_t link = 0; link < f->links; link++) count += f->one_way[link];
  return count;
}

static void print_summary(const ripstop_fabric *f, const ripstop_recognised *recognised) {
  uint32_t least, most;
  const ripstop_ib_dump *dump = ripstop_ib_of(f) != NULL ? ripstop_ib_of(f)->dump : NULL;
  const census count = take_census(f);
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
  printf("  links      %u: %u to end nodes, %u between switches", f->links, f->link_ends, f->links - f->link_ends);
  if (f->one_way) printf(", %u of them in one direction", count_one_candidate(f));
  printf("\n");
  print_groups(f);
  printf("  distance   %.6g links between end nodes on average, %u at most", span.mean, span.diameter);
  if (span.sources < f->ends && !f->family->symmetric) printf(" (seen from %u end nodes)", span.sources);
  printf("\n");
  if (span.unreachable > 0)
    printf("  unreached  %" PRIu64 " ordered pairs of end nodes have no path\n", span.unreachable);
  print_check(dump);
  if (dump != NULL) print_dump(dump, &count);
  fabric_recognised_print(f, recognised);
}

/* ------------------------------------------------------------------ links */

/* A dump adds width and speed, then for both sides description, GUID and LID ('-': unknown). */
static void print_link_of_dump(const ripstop_fabric *f, uint32_t link) {
  const ripstop_ib_dump *d = ripstop_ib_of(f)->dump;
  for (unsigned which = 0; which < 2; which++) {
    const ripstop_ib_port *p = &d->port[ripstop_ib_dump_port(f, f->link_port[2 * (size_t)link + which])];
    const ripstop_ib_node *node = &d->node[p->node];
    uint32_t lid = node->kind == RIPSTOP_IB_SWITCH ? node->lid : p->lid;
    if (which == 0) printf("\t%ux%s", p->width, p->speed);
    printf("\t%s\t0x%016" PRIx64 "\t", node->text, node->guid);
    printf(lid == 0 || lid > RIPSTOP_IB_LID_LIMIT ? "-" : "%u", lid);
  }
}

static void print_links(const ripstop_fabric *f) {
  char name[RIPSTOP_NAME_MAX];
  printf("# link\tnode\tport\tnode\tport");
  if (ripstop_ib_of(f) != NULL) printf("\tspeed\tdescription\tguid\tlid\tdescription\tguid\tlid");
  printf("\n");
  for (uint32_t link = 0; link < f->links; link++) {
    ripstop_link_name(f, link, name);
    printf("%s", name);
    for (unsigned which = 0; which < 2; which++) {
      uint32_t node, port = side(f, link, which, &node);
      ripstop_node_name(f, node, name);
      printf("\t%s:%s\t%u", kind_of(f, node), name, port);
    }
    if (ripstop_ib_of(f) != NULL) print_link_of_dump(f, link);
    printf("\n");
  }
}

/* ------------------------------------------------------------------ JSON */

/* A dump adds these to a node. */
static void json_node_of_dump(const ripstop_fabric *f, uint32_t node, json_t *out) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  const ripstop_ib_port *port = ripstop_is_end(f, node) ? &ib->dump->port[ib->end_port[node]] : NULL;
  const ripstop_ib_node *of = &ib->dump->node[port != NULL ? port->node : ib->switch_node[node - f->ends]];
  uint32_t lid = port != NULL ? port->lid : of->lid;
  char guid[19];
  snprintf(guid, sizeof guid, "0x%016" PRIx64, of->guid);
  json_object_set_new(out, "description", ripstop_json_text(of->text));
  json_object_set_new(out, "guid", json_string(guid));
  if (lid > 0 && lid <= RIPSTOP_IB_LID_LIMIT) json_object_set_new(out, "lid", json_integer(lid));
}

static json_t *json_numbers(const uint16_t *list, uint32_t count) {
  json_t *numbers = json_array();
  for (uint32_t i = 0; i < count; i++) json_array_append_new(numbers, json_integer(list[i]));
  return numbers;
}

static json_t *json_node(const ripstop_fabric *f, uint32_t node, const ripstop_recognised *r) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  json_t *out =
      json_pack("{s:o, s:s, s:i, s:o}", "name", ripstop_json_text(name), "kind", kind_of(f, node), "ports",
                (int)count_ports(f, node), "coordinates", json_numbers(f->coord + (size_t)node * f->coords, f->coords));
  if (!ripstop_is_end(f, node) && r->dims > 0)
    json_object_set_new(out, "place", json_numbers(r->place + (size_t)(node - f->ends) * r->dims, r->dims));
  if (ripstop_ib_of(f) != NULL) json_node_of_dump(f, node, out);
  return out;
}

/* Speed and delay of a link, where the file of the fabric has them in bits a second and in time. */
static void json_times_of_file(const ripstop_fabric *f, uint32_t link, json_t *out) {
  const ripstop_graph_detail *d = ripstop_graph_of(f);
  const ripstop_graph_cable *c = d ? &d->graph.cable[d->cable[link]] : NULL;
  if (c && c->speed) json_object_set_new(out, "speed_bps", json_integer((json_int_t)c->speed * 1000000));
  if (c && c->delay_ps) json_object_set_new(out, "delay_ns", json_real((double)c->delay_ps / 1000));
}

static json_t *json_link(const ripstop_fabric *f, uint32_t link) {
  char name[RIPSTOP_NAME_MAX];
  json_t *sides = json_array();
  for (unsigned which = 0; which < 2; which++) {
    uint32_t node, port = side(f, link, which, &node);
    ripstop_node_name(f, node, name);
    json_t *one =
        json_pack("{s:o, s:s, s:i}", "node", ripstop_json_text(name), "kind", kind_of(f, node), "port", (int)port);
    if (ripstop_graph_port(f, link, which))
      json_object_set_new(one, "label", json_string(ripstop_graph_port(f, link, which)));
    json_array_append_new(sides, one);
  }
  ripstop_link_name(f, link, name);
  json_t *out = json_pack("{s:o, s:o}", "name", ripstop_json_text(name), "sides", sides);
  if (f->rate != NULL) json_object_set_new(out, "rate", json_real(f->rate[link] / (double)RIPSTOP_RATE_FULL));
  if (f->delay != NULL && f->delay[link]) json_object_set_new(out, "delay", json_integer(f->delay[link]));
  json_times_of_file(f, link, out);
  if (f->one_way && f->one_way[link]) json_object_set_new(out, "one_way", json_true());
  if (ripstop_link_group_of(f, link, name)) json_object_set_new(out, "group", ripstop_json_text(name));
  return out;
}

static json_t *json_distances(const ripstop_fabric *f) {
  ripstop_span span;
  find_span(f, &span);
  return json_pack("{s:f, s:i, s:i, s:I, s:b}", "mean", span.mean, "longest", (int)span.diameter, "sources",
                   (int)span.sources, "unreachable_pairs", (json_int_t)span.unreachable, "exact",
                   f->family->symmetric || span.sources == f->ends);
}

/* A dump has these beside its links. */
static void json_dump(const ripstop_ib_dump *d, json_t *out) {
  json_object_set_new(out, "aggregation_nodes", json_integer(d->aggregates));
  json_object_set_new(out, "routers", json_integer(d->kinds[RIPSTOP_IB_ROUTER]));
  json_object_set_new(out, "half_links", json_integer(d->half_links));
  json_object_set_new(out, "conflicting_ends", json_integer(d->conflicts));
  json_object_set_new(out, "nodes_listed_twice", json_integer(d->again));
  json_object_set_new(out, "lines_not_understood", json_integer(d->noise));
  json_object_set_new(out, "timed_out", json_integer(d->timeouts));
}

/* {"local": {"links": 18, "switches": 0}, ...} */
static json_t *json_groups(const ripstop_fabric *f) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_group_size *group;
  uint32_t count;
  json_t *out = json_object();
  ripstop_fabric_groups(arena, f, &group, &count);
  for (uint32_t i = 0; i < count; i++)
    json_object_set_new(out, group[i].name,
                        json_pack("{s:i, s:i}", "links", (int)group[i].links, "switches", (int)group[i].switches));
  return out;
}

static int print_json(const ripstop_fabric *f, const ripstop_recognised *r, const fabric_files *files) {
  uint32_t least, most;
  const census c = take_census(f);
  find_degrees(f, &least, &most);
  json_t *all = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i}}", "spec", f->spec, "family",
                          f->family->name, "end_nodes", (int)f->ends, "hosts", (int)c.hosts, "adapters",
                          (int)c.adapters, "switches", (int)ripstop_fabric_switches(f), "cables", (int)c.cables,
                          "slow_cables", (int)c.slow, "links", (int)f->links, "links_to_end_nodes", (int)f->link_ends,
                          "switch_ports", "least", (int)least, "most", (int)most);
  if (all == NULL) {
    ripstop_error err;
    ripstop_fail(&err, "%s cannot be written as JSON: not UTF-8", f->spec);
    return ripstop_cli_fail(&err);
  }
  fabric_recognised_json(f, r, all);
  json_object_set_new(all, "distance", json_distances(f));
  if (ripstop_ib_of(f) != NULL) json_dump(ripstop_ib_of(f)->dump, all);
  json_object_set_new(all, "groups", json_groups(f));
  json_t *nodes = json_array(), *links = json_array();
  for (uint32_t node = 0; node < f->nodes; node++) json_array_append_new(nodes, json_node(f, node, r));
  for (uint32_t link = 0; link < f->links; link++) json_array_append_new(links, json_link(f, link));
  json_object_set_new(all, "node_list", nodes);
  json_object_set_new(all, "link_list", links);
  fabric_files_json(files, all);
  ripstop_cli_json_print(all);
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
    if (f->one_way && f->one_way[link]) printf(", dir=forward");
    if (!ripstop_is_end(f, a)) printf(", taillabel=%u", port_a);
    printf(", headlabel=%u];\n", port_b);
  }
  printf("}\n");
}

/* ------------------------------------------------------------------ the command */

/* The words for scopes and fault sets. */
static void help_groups(FILE *file, const ripstop_family *family) {
  for (const ripstop_link_group *group = family->groups; group != NULL && group->name != NULL; group++)
    fprintf(file, "  group %s%s: %s\n", group->name, group->numbered ? "-N" : "", group->help);
}

static void list_families(FILE *file) {
  fprintf(file, "\nA SPEC is FAMILY:OPTIONS, or the path of an edge list, of GraphML or of a dump of a real fabric. "
                "The families:\n");
  for (const ripstop_family *const *family = ripstop_families; *family != NULL; family++) {
    fprintf(file, "\n%s, e.g. %s\n  %s\n  Source: %s.\n", (*family)->name, (*family)->example, (*family)->summary,
            (*family)->source);
    ripstop_options_help(file, (*family)->options);
    help_groups(file, *family);
  }
}

/* The flags of a picture. */
typedef struct picture_flags {
  const char *dead, *store;
  uint64_t pairs;
  ripstop_cli_values heat, where;
} picture_flags;

static void draw(const picture *o) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(svg);
  if (picture_draw(o, &svg, &err)) fprintf(stderr, "ripstop: note: switches stand in a ring: %s\n", err.text);
  printf("%s", svg.data);
}

static int open_picture(ripstop_arena *arena, const ripstop_fabric *fabric, const picture_flags *p,
                        ripstop_link_use *heat, ripstop_faults *faults, ripstop_error *err) {
  const ripstop_link_use_settings settings = {.fabric = fabric,
                                              .file = p->heat.value,
                                              .files = p->heat.count,
                                              .where = p->where.value,
                                              .wheres = p->where.count,
                                              .store = p->store};
  if (p->heat.count && ripstop_link_use_read(arena, &settings, heat, err))
    return ripstop_fail_at(err, "fabric: --heat");
  const char *dead = p->dead ? p->dead : heat->faults;
  if (!dead) return 0;
  ripstop_names *names = ripstop_names_new(fabric);
  int status = ripstop_faults_parse(arena, names, dead, strlen(dead), faults, err);
  ripstop_names_free(names);
  return status ? ripstop_fail_at(err, p->dead ? "fabric: --set" : "fabric: --heat: faults") : 0;
}

static int print_svg(const ripstop_fabric *fabric, const picture_flags *p, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised recognised;
  ripstop_faults faults = {0};
  ripstop_leaf *leaf;
  ripstop_link_use heat = {0};
  if (open_picture(arena, fabric, p, &heat, &faults, err)) return ripstop_arena_free(arena), -1;
  ripstop_view *view = ripstop_view_new(fabric, &faults);
  picture o = {.fabric = fabric,
               .view = view,
               .recognised = &recognised,
               .text = ripstop_describe_nodes(arena, fabric),
               .alone = true,
               .gather = true,
               .use = heat.use,
               .use_told = heat.runs == 1 ? "one run" : ripstop_arena_printf(arena, "mean of %u runs", heat.runs),
               .dead = faults.links + faults.switches};
  ripstop_recognise(fabric, arena, &recognised);
  if (ripstop_ib_of(fabric)) o.told = &ripstop_ib_of(fabric)->dump->odd;
  picture_find_marks(arena, &o);
  int status = ripstop_judge_leaves(arena, view, &leaf, &o.leaves, err);
  o.leaf = leaf;
  if (!status && p->pairs) picture_find_pairs(arena, &o, (uint32_t)p->pairs);
  if (!status) draw(&o);
  ripstop_view_free(view);
  ripstop_arena_free(arena);
  return status;
}

/* Prints the parts that are up; ibsim reads it. */
static int print_net(const ripstop_fabric *fabric, const char *dead, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_faults faults = {0};
  int status = dead ? ripstop_faults_parse(arena, names, dead, strlen(dead), &faults, err) : 0;
  ripstop_view *view = ripstop_view_new(fabric, &faults);
  if (status == 0) ib_subnet_print(fabric, view->port_up, view->node_up, stdout);
  ripstop_view_free(view);
  ripstop_names_free(names);
  return status ? ripstop_fail_at(err, "fabric: --set") : 0;
}

/* Edge lists and InfiniBand subnets cannot express these. */
static int check_directions(const ripstop_fabric *fabric, const char *form, ripstop_error *err) {
  if (!fabric->one_way) return 0;
  return ripstop_fail(err, "fabric: --%s cannot say that links carry packets in one direction, as in %s; use --json",
                      form, fabric->spec);
}

static int show(const ripstop_fabric *fabric, fabric_files *files, bool links, bool json, bool dot) {
  ripstop_error err = {0};
  int status = RIPSTOP_EXIT_OK;
  if (ripstop_fabric_check(fabric, &err) != 0) return ripstop_cli_fail_work(&err);
  if (links) print_links(fabric);
  if (dot) print_dot(fabric);
  if (links || dot) return status;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_recognised recognised;
  ripstop_recognise(fabric, arena, &recognised);
  if (fabric_files_open(files, arena, fabric, &recognised, &err)) return ripstop_cli_fail(&err);
  if (json) return print_json(fabric, &recognised, files);
  if (fabric_files_print_alone(files)) return status;
  print_summary(fabric, &recognised);
  fabric_files_print(files);
  return status;
}

/* For other programs: a net file, a picture, or an edge list. */
static int print_form(const ripstop_fabric *fabric, bool net, bool svg, const picture_flags *p) {
  ripstop_error err = {0};
  int status = svg ? 0 : check_directions(fabric, net ? "net" : "edges", &err);
  if (status == 0)
    status = net   ? print_net(fabric, p->dead, &err)
             : svg ? print_svg(fabric, p, &err)
                   : ripstop_graph_print(fabric, stdout, &err);
  return status == 0 ? RIPSTOP_EXIT_OK : ripstop_cli_fail(&err);
}

/* The forms of the output, as given. */
typedef struct forms {
  bool links, json, dot, net, svg, edges;
} forms;

static int print_fabric(const char *spec, fabric_files *files, const picture_flags *p, forms f) {
  ripstop_error err = {0};
  int status;
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric == NULL) return ripstop_cli_fail(&err);
  if (f.net || f.svg || f.edges)
    status = print_form(fabric, f.net, f.svg, p);
  else
    status = show(fabric, files, f.links, f.json, f.dot);
  ripstop_fabric_free(fabric);
  return status;
}

static int refuse_plan(const char *path) {
  ripstop_error err;
  ripstop_fail(&err, "fabric: --plan: %s has no cables of Ethernet", path);
  return ripstop_cli_fail(&err);
}

int ripstop_cmd_fabric(int argc, char **argv) {
  const char *plan = NULL;
  bool links = false, json = false, dot = false, net = false, svg = false, edges = false;
  picture_flags p = {0};
  fabric_files files = {0};
  const ripstop_flag flags[] = {
      CLI_SWITCH("links", &links, "List the links: name, then node and local port of both sides.",
                 .excludes = "json dot svg edges net"),
      CLI_SWITCH("json", &json, "Print everything as JSON.", .excludes = "dot svg edges net"),
      CLI_SWITCH("dot", &dot, "Print a drawing for Graphviz: pipe it to 'dot -Tsvg'.", .excludes = "svg edges net"),
      CLI_SWITCH("svg", &svg,
                 "Print a picture of the switches as they were recognised, with what is odd; many of a tree or "
                 "dragonfly share a box.",
                 .excludes = "edges net"),
      CLI_SWITCH("edges", &edges, "Print it as an edge list, which is read back as the same fabric.",
                 .excludes = "net"),
      CLI_TEXT("plan", "FILE", &plan,
               "For cables of Ethernet: print what differs from this plan (topology.dot, *.clab.yml, config_db.json).",
               .excludes = "edges links dot svg net"),
      CLI_SWITCH("net", &net, "Print it as a subnet of InfiniBand: a net file for ibsim."),
      CLI_TEXT("set", "PARTS", &p.dead, "For --net and --svg: these have failed, written like in fault files.",
               .needs = "net svg"),
      {.name = "heat",
       .value = "FILE",
       .help =
           "Of --svg: colour links by use, in the run that 'simulate --set measure.links=on --json' printed, or as the "
           "mean of the stored runs of an experiment (.yaml); may be given again.",
       .values = &p.heat,
       .needs = "svg"},
      CLI_TEXTS("where", "KEY=VALUE", &p.where, "Of --heat: the experiment's runs that have this; may be given again.",
                .needs = "heat"),
      CLI_TEXT("store", "DB", &p.store, "Of --heat: read the experiment's runs from here instead of out/NAME.db.",
               .needs = "heat"),
      CLI_INTEGER("pairs", "N", &p.pairs,
                  "Of --svg: mark the N pairs of switches with hosts that --set disconnects or reroutes, or that share "
                  "the busiest links.",
                  .most = PICTURE_PAIRS_MOST, .needs = "svg"),
      FABRIC_FILES_FLAGS(files),
      {0},
  };
  const ripstop_usage usage = {.command = "fabric",
                               .arguments = "SPEC",
                               .summary = "Shows what a fabric is made of, and checks it.",
                               .at_least = 1,
                               .at_most = RIPSTOP_CLI_VALUES,
                               .flags = flags,
                               .more = list_families};
  const char *argument[RIPSTOP_CLI_VALUES];
  unsigned count;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (count == 1 && ethernet_files_are_cables(argument[0]) && !links && !dot && !net && !svg)
    return fabric_ethernet(argument[0], plan, json, edges);
  if (plan) return refuse_plan(argument[0]);
  if (fabric_files_take(&files, argument, count, &err)) return ripstop_cli_fail(&err);
  return print_fabric(argument[0], &files, &p, (forms){links, json, dot, net, svg, edges});
}
