/* route.c - `ripstop route FABRIC`: the ways of one plan as tables, for each switch and destination, with what else
 * they depend on; or as plain forwarding tables, where a plan has them. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "ripstop/plugin/method.h"
#include "ripstop/tables.h"

#define LIMIT_DEFAULT UINT64_C(10000000)

typedef struct wish {
  const char *fabric, *method, *faults, *set, *limit, *output;
  bool ports, json;
} wish;

/* ------------------------------------------------------------------ what there is to say of an entry */

static const struct {
  unsigned bit;
  const char *name;
} columns[] = {{RIPSTOP_BY_CLASS, "class"},
               {RIPSTOP_BY_SOURCE, "source"},
               {RIPSTOP_BY_PORT, "port"},
               {RIPSTOP_BY_CHANNEL, "channel"},
               {RIPSTOP_BY_HEADER, "header"}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *kind_of(const ripstop_fabric *f, uint32_t node) {
  return ripstop_is_end(f, node) ? "end" : "switch";
}

/* "-" for the port of an end node, which packets do not come in on. */
static void print_column(FILE *out, const ripstop_fabric *f, const ripstop_entry *e, unsigned bit) {
  char name[RIPSTOP_NAME_MAX];
  if (bit == RIPSTOP_BY_CLASS) fprintf(out, "\t%u", e->class_);
  if (bit == RIPSTOP_BY_SOURCE) ripstop_node_name(f, e->source, name), fprintf(out, "\t%s", name);
  if (bit == RIPSTOP_BY_PORT && e->in_port == RIPSTOP_NONE) fputs("\t-", out);
  if (bit == RIPSTOP_BY_PORT && e->in_port != RIPSTOP_NONE) fprintf(out, "\t%u", e->in_port);
  if (bit == RIPSTOP_BY_CHANNEL) fprintf(out, "\t%u", e->channel);
  if (bit == RIPSTOP_BY_HEADER) fprintf(out, "\t0x%" PRIx64, e->header);
}

static const char *loss_of(const ripstop_tables *t, const ripstop_entry *e) { return t->plan->method->losses[e->loss]; }

/* ------------------------------------------------------------------ text */

/* "3", "3.1" on channel 1, "3.1=0x5" with that header from there on, and "+" where two packets' room is asked for. */
static void print_way(FILE *out, const ripstop_plan *plan, const ripstop_way *way) {
  fprintf(out, "%u", way->port);
  if (plan->channels > 1) fprintf(out, ".%u", way->channel);
  if (way->header) fprintf(out, "=0x%" PRIx64, way->header);
  if (way->space > 1) fputc('+', out);
}

/* Those of a lower rank come first, "|" is between ranks. */
static void print_ways(FILE *out, const ripstop_tables *t, const ripstop_entry *e) {
  const ripstop_way *way = t->way + e->first;
  unsigned left = e->ways;
  for (unsigned rank = 0; left; rank++) {
    unsigned here = 0;
    for (uint32_t i = 0; i < e->ways; i++) here += way[i].rank == rank;
    if (here && left < e->ways) fputs(" |", out);
    for (uint32_t i = 0, told = 0; here && i < e->ways; i++) {
      if (way[i].rank != rank) continue;
      if (told++ || left < e->ways) fputc(' ', out);
      print_way(out, t->plan, &way[i]);
    }
    left -= here;
  }
}

static void print_head(FILE *out, const ripstop_tables *t) {
  ripstop_text on = {0};
  ripstop_tables_by_print(&on, t->by);
  fprintf(out, "# %s on %s: %" PRIu64 " entries; ways depend on %s%sthe destination%s\n", t->plan->method->name,
          t->plan->fabric->spec, t->entries, on.length ? on.data : "", on.length ? ", beside " : "",
          on.length ? "" : " alone");
  fputs("# node\tdestination", out);
  for (unsigned i = 0; i < COLUMNS; i++)
    if (t->by & columns[i].bit) fprintf(out, "\t%s", columns[i].name);
  fputs("\tways\n", out);
  ripstop_text_free(&on);
}

static void print_entries(FILE *out, const ripstop_tables *t) {
  const ripstop_fabric *f = t->plan->fabric;
  char name[RIPSTOP_NAME_MAX];
  print_head(out, t);
  for (uint64_t i = 0; i < t->entries; i++) {
    const ripstop_entry *e = &t->entry[i];
    ripstop_node_name(f, e->node, name);
    fprintf(out, "%s:%s", kind_of(f, e->node), name);
    ripstop_node_name(f, e->destination, name);
    fprintf(out, "\t%s", name);
    for (unsigned k = 0; k < COLUMNS; k++)
      if (t->by & columns[k].bit) print_column(out, f, e, columns[k].bit);
    fputc('\t', out);
    if (e->ways)
      print_ways(out, t, e);
    else
      fprintf(out, "lost: %s", loss_of(t, e));
    fputc('\n', out);
  }
}

/* A line a switch, a port a destination. */
static int print_ports(FILE *out, const ripstop_tables *t, ripstop_error *err) {
  const ripstop_fabric *f = t->plan->fabric;
  char name[RIPSTOP_NAME_MAX];
  uint32_t *port = ripstop_realloc(NULL, f->ends, sizeof *port);
  int status = ripstop_tables_ports(t, f->ends, port, err) == RIPSTOP_APPLIES ? 0 : -1;
  if (!status) fprintf(out, "# %s on %s: ports for the destinations\n# switch", t->plan->method->name, f->spec);
  for (uint32_t end = 0; end < f->ends && !status; end++) ripstop_node_name(f, end, name), fprintf(out, "\t%s", name);
  for (uint32_t node = f->ends; node < f->nodes && !status; node++) {
    ripstop_node_name(f, node, name);
    fprintf(out, "\n%s", name);
    status = ripstop_tables_ports(t, node, port, err) == RIPSTOP_APPLIES ? 0 : -1;
    for (uint32_t end = 0; end < f->ends && !status; end++)
      port[end] == RIPSTOP_NONE ? fputs("\t-", out) : fprintf(out, "\t%u", port[end]);
  }
  if (!status) fputc('\n', out);
  ripstop_free(port);
  return status;
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_by(unsigned mask) {
  json_t *list = json_array();
  for (unsigned i = 0; i < COLUMNS; i++)
    if (mask & columns[i].bit) json_array_append_new(list, json_string(columns[i].name));
  return list;
}

static json_t *json_header(uint64_t header) {
  char text[24];
  snprintf(text, sizeof text, "0x%" PRIx64, header);
  return json_string(text);
}

static void add_key(json_t *entry, const ripstop_fabric *f, const ripstop_entry *e, unsigned by) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, e->source, name);
  if (by & RIPSTOP_BY_CLASS) json_object_set_new(entry, "class", json_integer(e->class_));
  if (by & RIPSTOP_BY_SOURCE) json_object_set_new(entry, "source", json_string(name));
  if (by & RIPSTOP_BY_PORT)
    json_object_set_new(entry, "port", e->in_port == RIPSTOP_NONE ? json_null() : json_integer(e->in_port));
  if (by & RIPSTOP_BY_CHANNEL) json_object_set_new(entry, "channel", json_integer(e->channel));
  if (by & RIPSTOP_BY_HEADER) json_object_set_new(entry, "header", json_header(e->header));
}

/* The weight where the method tells one. */
static json_t *json_way(const ripstop_way *way) {
  json_t *one = json_pack("{s:i, s:i, s:o, s:i, s:i}", "port", (int)way->port, "channel", (int)way->channel, "header",
                          json_header(way->header), "rank", (int)way->rank, "space", (int)way->space);
  if (way->weight) json_object_set_new(one, "weight", json_integer(way->weight));
  return one;
}

static json_t *json_entry(const ripstop_tables *t, const ripstop_entry *e) {
  const ripstop_fabric *f = t->plan->fabric;
  char node[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, e->node, node);
  ripstop_node_name(f, e->destination, destination);
  json_t *entry = json_pack("{s:s, s:s, s:s}", "kind", kind_of(f, e->node), "node", node, "destination", destination);
  add_key(entry, f, e, t->by);
  json_t *ways = json_array();
  for (const ripstop_way *way = t->way + e->first; way < t->way + e->first + e->ways; way++)
    json_array_append_new(ways, json_way(way));
  json_object_set_new(entry, "ways", ways);
  if (!e->ways) json_object_set_new(entry, "lost", json_string(loss_of(t, e)));
  return entry;
}

static void dump(FILE *out, json_t *value, size_t flags) {
  json_dumpf(value, out, JSON_COMPACT | flags);
  json_decref(value);
}

/* Entry by entry: they may be many. */
static void print_json(FILE *out, const ripstop_tables *t) {
  fputc('{', out);
  dump(out,
       json_pack("{s:s, s:s, s:i, s:o, s:o, s:b}", "fabric", t->plan->fabric->spec, "method", t->plan->method->name,
                 "channels", (int)t->plan->channels, "depend_on", json_by(t->by), "ports_depend_on",
                 json_by(t->ports_by), "one_port", (int)t->one_port),
       JSON_EMBED);
  fputs(",\"entries\":[", out);
  for (uint64_t i = 0; i < t->entries; i++) {
    fputs(i ? ",\n" : "\n", out);
    dump(out, json_entry(t, &t->entry[i]), 0);
  }
  fputs("]}\n", out);
}

/* ------------------------------------------------------------------ the command */

static int print(FILE *out, const ripstop_tables *t, const wish *w, ripstop_error *err) {
  if (w->ports) return print_ports(out, t, err);
  if (w->json)
    print_json(out, t);
  else
    print_entries(out, t);
  return 0;
}

static int write_tables(const ripstop_tables *t, const wish *w, ripstop_error *err) {
  if (!w->output) return print(stdout, t, w, err);
  FILE *file = ripstop_create_file(w->output, err);
  if (!file) return -1;
  int status = print(file, t, w, err);
  if (status) fclose(file);
  return status ? status : ripstop_close_file(file, w->output, err);
}

static int make_tables(const ripstop_view *view, const wish *w, uint64_t limit, ripstop_error *err) {
  ripstop_plan *plan = ripstop_plan_open(view, w->method, NULL, err);
  ripstop_tables *t = NULL;
  if (plan && ripstop_plan_tables(plan, err) == RIPSTOP_APPLIES) t = ripstop_tables_open(plan, limit, NULL, err);
  int status = t ? write_tables(t, w, err) : -1;
  ripstop_tables_free(t);
  ripstop_plan_free(plan);
  return status;
}

static int read_set(ripstop_arena *arena, const ripstop_names *names, const wish *w, ripstop_faults *out,
                    ripstop_error *err) {
  ripstop_faults *sets;
  size_t count;
  if (w->set && ripstop_faults_parse(arena, names, w->set, strlen(w->set), out, err))
    return ripstop_fail_at(err, "route: --set");
  if (!w->faults) return 0;
  if (ripstop_faults_read(arena, names, w->faults, &sets, &count, err)) return -1;
  if (count != 1) return ripstop_fail(err, "route: %s has %zu fault sets; tables are those of one", w->faults, count);
  *out = sets[0];
  return 0;
}

static int check_flags(const wish *w, uint64_t *limit, ripstop_error *err) {
  if (!w->method) return ripstop_fail(err, "route: --method is missing; 'ripstop methods' lists the methods");
  if (w->faults && w->set) return ripstop_fail(err, "route: --faults and --set exclude each other");
  if (w->ports && w->json) return ripstop_fail(err, "route: --ports and --json exclude each other");
  if (w->limit && ripstop_parse_u64(w->limit, UINT64_MAX, limit, err)) return ripstop_fail_at(err, "route: --limit");
  return 0;
}

static int route(const wish *w, ripstop_error *err) {
  uint64_t limit = LIMIT_DEFAULT;
  ripstop_faults faults = {0};
  if (check_flags(w, &limit, err)) return -1;
  ripstop_fabric *fabric = ripstop_fabric_open(w->fabric, err);
  if (!fabric) return -1;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(fabric);
  int status = read_set(arena, names, w, &faults, err);
  ripstop_view *view = ripstop_view_new(fabric, &faults);
  if (!status) status = make_tables(view, w, limit, err);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
  return status;
}

int ripstop_cmd_route(int argc, char **argv) {
  wish w = {0};
  const ripstop_flag flags[] = {
      {.name = "method", .value = "M", .help = "Routing method with its options.", .text = &w.method},
      {.name = "faults", .value = "FILE", .help = "What is dead: a file with one fault set.", .text = &w.faults},
      {.name = "set", .value = "LINE", .help = "The same, e.g. '0/2.1/3 switch:1/0.0'.", .text = &w.set},
      {.name = "ports", .help = "Plain forwarding tables: a port for each switch and destination.", .given = &w.ports},
      {.name = "json", .help = "Print the entries as JSON.", .given = &w.json},
      {.name = "limit", .value = "N", .help = "Most entries; default 10000000.", .text = &w.limit},
      {.name = "output", .letter = 'o', .value = "FILE", .help = "Write to this file.", .text = &w.output},
      {0},
  };
  const ripstop_usage usage = {.command = "route",
                               .arguments = "FABRIC",
                               .summary = "Prints the tables that the switches need to route as a method does.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  int status = ripstop_cli_parse(&usage, argc, argv, &w.fabric, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  return route(&w, &err) ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}
