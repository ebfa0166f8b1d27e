/* fabric_counters.c - `ripstop fabric F --counters FILE`: the cables whose ports count errors, the worst first, and
 * what each carries. */
#include <inttypes.h>
#include <string.h>

#include "cli/fabric_files.h"
#include "fabric/ib.h"
#include "formats/infiniband/dump_history.h"
#include "report/json_values.h"

enum { ROWS_SHOWN = 20 };

/* ------------------------------------------------------------------ opening */

/* `date` is that of the first file; empty: it has none. */
static int read_counters(ib_counters *out, const ripstop_cli_values *files, char date[IB_HISTORY_DATE],
                         ripstop_error *err) {
  date[0] = '\0';
  for (unsigned i = 0; i < files->count; i++) {
    const char *text;
    size_t length;
    if (fabric_files_read(out->arena, files->value[i], &text, &length, err) ||
        ib_counters_read(out, files->value[i], text, length, err))
      return ripstop_fail_at(err, "fabric: --counters");
    const char *slash = strrchr(files->value[i], '/');
    if (i == 0 && !ib_history_date(slash ? slash + 1 : files->value[i], text, length, date)) date[0] = '\0';
  }
  return 0;
}

/* The paths that cables carry do not depend on the real tables here: shortest paths, spread evenly. */
static int find_loads(fabric_counters *c, ripstop_error *err) {
  ripstop_view *view = ripstop_view_new(c->fabric, &(ripstop_faults){0});
  ripstop_forwarding *tables = ripstop_forwarding_shortest(view, err);
  ripstop_table_verdict verdict;
  ripstop_leaf *leaf;
  int status = tables ? ripstop_judge(c->arena, view, tables, NULL, &verdict, err) : -1;
  if (!status) status = ripstop_judge_leaves(c->arena, view, &leaf, &c->leaves, err);
  if (!status) {
    c->load = verdict.load;
    c->leaf = leaf;
  }
  ripstop_forwarding_free(tables);
  ripstop_view_free(view);
  return status;
}

int fabric_counters_open(fabric_counters *c, ripstop_arena *arena, const ripstop_fabric *fabric,
                         const ripstop_cli_values *now, const ripstop_cli_values *before, ripstop_error *err) {
  ib_counters then = {.arena = arena}, present = {.arena = arena};
  *c = (fabric_counters){.arena = arena, .fabric = fabric, .differences = before->count > 0};
  c->dump = fabric_files_dump(fabric, "counters", err);
  char date[IB_HISTORY_DATE], earlier[IB_HISTORY_DATE];
  if (!c->dump || read_counters(&present, now, date, err) || read_counters(&then, before, earlier, err)) return -1;
  if (date[0] && earlier[0] && ib_history_hours(earlier, date) > 0) c->hours = ib_history_hours(earlier, date);
  ib_join_counters(&c->found, arena, c->dump, &present, c->differences ? &then : NULL);
  return c->found.count ? find_loads(c, err) : 0;
}

/* ------------------------------------------------------------------ the paths of a cable */

typedef struct burden {
  bool between; /* two switches; else a host has no other cable here */
  uint64_t paths;
  const ripstop_leaf *leaf; /* at one of its ends; NULL: neither switch has hosts */
} burden;

/* The node of the fabric, and the port, of a port of the dump. RIPSTOP_NONE: not a switch. */
static uint32_t switch_port(const fabric_counters *c, uint32_t port) {
  const uint32_t node = ripstop_ib_of(c->fabric)->node_of[c->dump->port[port].node];
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : c->fabric->port_base[node] + c->dump->port[port].number;
}

static const ripstop_leaf *leaf_of(const fabric_counters *c, uint32_t node) {
  for (uint32_t i = 0; i < c->leaves; i++)
    if (c->leaf[i].node == node) return &c->leaf[i];
  return NULL;
}

static burden burden_of(const fabric_counters *c, const ib_cable_errors *row) {
  const uint32_t a = switch_port(c, row->port), b = switch_port(c, c->dump->port[row->port].mate);
  burden out = {.between = a != RIPSTOP_NONE && b != RIPSTOP_NONE};
  if (!out.between || c->fabric->port_node[a] == c->fabric->port_node[b]) return out;
  out.paths = c->load[a] + c->load[b];
  out.leaf = leaf_of(c, c->fabric->port_node[a]);
  if (!out.leaf) out.leaf = leaf_of(c, c->fabric->port_node[b]);
  return out;
}

static const char *leaf_name(const fabric_counters *c, const ripstop_leaf *leaf) {
  char name[RIPSTOP_NAME_MAX];
  const char *text = ripstop_ib_description(c->fabric, leaf->node);
  if (text[0]) return text;
  ripstop_node_name(c->fabric, leaf->node, name);
  return ripstop_arena_text(c->arena, name);
}

/* ------------------------------------------------------------------ for people */

static void print_row(const fabric_counters *c, const ib_cable_errors *row) {
  const uint32_t mate = c->dump->port[row->port].mate;
  const burden b = burden_of(c, row);
  printf("    %s - %s  ", fabric_files_end(c->arena, c->dump, row->port), fabric_files_end(c->arena, c->dump, mate));
  printf("down %" PRIu64 ", recovered %" PRIu64 ", bit errors %" PRIu64 "%s", row->downed, row->recovered, row->bits,
         row->at_least ? " at least" : "");
  if (c->hours > 0) printf(" (%.3g/h)", (double)row->bits / c->hours);
  printf("; ");
  if (b.between)
    printf("carries %" PRIu64 " paths", b.paths);
  else
    printf("carries the paths of its adapter");
  if (b.leaf) printf("; %s keeps %u of %u uplinks", leaf_name(c, b.leaf), b.leaf->uplinks - 1, b.leaf->uplinks);
  printf("\n");
}

void fabric_counters_print(const fabric_counters *c) {
  const ib_replace_first *r = &c->found;
  printf("  counters   of %u ports%s; %u cables with errors%s\n", r->ports,
         c->differences ? ", added since the earlier files" : "", r->count, r->count ? ", replace first:" : "");
  for (uint32_t i = 0; i < r->count && i < ROWS_SHOWN; i++) print_row(c, &r->list[i]);
  if (r->count > ROWS_SHOWN) printf("    and %u more, all of them by --json\n", r->count - ROWS_SHOWN);
  if (r->unknown) printf("  unknown    %u places in the files name a port that the fabric does not have\n", r->unknown);
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_row(const fabric_counters *c, const ib_cable_errors *row) {
  char name[RIPSTOP_NAME_MAX];
  const uint32_t mate = c->dump->port[row->port].mate;
  const burden b = burden_of(c, row);
  ripstop_ib_cable_name(c->dump, row->port, name);
  json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:b}", "cable", ripstop_json_text(name), "link_downed",
                          (json_int_t)row->downed, "link_recovered", (json_int_t)row->recovered, "bit_errors",
                          (json_int_t)row->bits, "at_least", row->at_least);
  json_object_set_new(out, "description", ripstop_json_text(c->dump->node[c->dump->port[row->port].node].text));
  json_object_set_new(out, "far_description", ripstop_json_text(c->dump->node[c->dump->port[mate].node].text));
  if (b.between) json_object_set_new(out, "paths", json_integer((json_int_t)b.paths));
  if (!b.leaf) return out;
  json_object_set_new(out, "leaf", ripstop_json_text(leaf_name(c, b.leaf)));
  json_object_set_new(out, "uplinks", json_integer(b.leaf->uplinks));
  json_object_set_new(out, "uplinks_left", json_integer(b.leaf->uplinks - 1));
  return out;
}

void fabric_counters_json(const fabric_counters *c, json_t *all) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->found.count; i++) json_array_append_new(list, json_row(c, &c->found.list[i]));
  json_object_set_new(all, "replace_first", list);
  json_t *counts = json_pack("{s:i, s:i, s:i, s:b}", "ports", (int)c->found.ports, "without_cable",
                             (int)c->found.uncabled, "unknown", (int)c->found.unknown, "differences", c->differences);
  if (c->hours > 0) json_object_set_new(counts, "hours", ripstop_json_number(c->hours));
  json_object_set_new(all, "counters", counts);
}
