/* fabric_counters.c - `ripstop fabric F --counters FILE`: the cables whose ports count errors, the worst first, and
 * what each carries. */
#include <inttypes.h>

#include "cli/fabric_files.h"
#include "report/json_values.h"

enum { ROWS_SHOWN = 20 };

int fabric_counters_open(ib_cable_counters *c, ripstop_arena *arena, const ripstop_fabric *fabric,
                         const ripstop_cli_values *now, const ripstop_cli_values *before, ripstop_error *err) {
  const ib_counter_files files = {
      .now = now->value, .nows = now->count, .before = before->value, .befores = before->count};
  ripstop_view *view = ripstop_view_new(fabric, &(ripstop_faults){0});
  const int status = ib_cable_counters_read(arena, view, NULL, &files, c, err);
  ripstop_view_free(view);
  return status;
}

/* ------------------------------------------------------------------ for people */

static void print_row(const ib_cable_counters *c, const ib_counted_cable *cable) {
  const ib_cable_errors *row = cable->errors;
  printf("    %s  down %" PRIu64 ", recovered %" PRIu64 ", bit errors %" PRIu64 "%s", cable->ends, row->downed,
         row->recovered, row->bits, row->at_least ? " at least" : "");
  if (c->hours > 0) printf(" (%.3g/h)", (double)row->bits / c->hours);
  printf("; ");
  if (cable->between)
    printf("carries %" PRIu64 " paths", cable->paths);
  else
    printf("carries the paths of its adapter");
  if (cable->leaf)
    printf("; %s keeps %u of %u uplinks", cable->leaf_name, cable->leaf->uplinks - 1, cable->leaf->uplinks);
  if (row->by == IB_MATCH_NAME) printf("; found by name");
  printf("\n");
}

static uint64_t guid_of(const ib_counted_port *p) { return p->guid ? p->guid : p->port_guid; }

/* "leaf-03/P33 - spine-3/P5", or the port alone, if it has no cable. */
static const char *cable_of(const ib_cable_counters *c, uint32_t port) {
  const uint32_t mate = c->dump->port[port].mate;
  const char *own = fabric_files_end(c->dump->arena, c->dump, port);
  return mate == RIPSTOP_NONE
             ? own
             : ripstop_arena_printf(c->dump->arena, "%s - %s", own, fabric_files_end(c->dump->arena, c->dump, mate));
}

static void print_named(const ib_cable_counters *c, const ib_named_place *n) {
  const ripstop_ib_node *node = &c->dump->node[c->dump->port[n->port].node];
  printf("    %s, if '%s' is the node that the fabric calls so: GUID 0x%016" PRIx64 " in the file, 0x%016" PRIx64
         " in the fabric\n",
         cable_of(c, n->port), node->text, guid_of(n->place), node->guid);
}

void fabric_counters_print(const ib_cable_counters *c) {
  const ib_replace_first *r = &c->found;
  printf("  counters   of %u ports%s; %u cables with errors%s\n", r->ports,
         c->differences ? ", added since the earlier files" : "", r->count, r->count ? ", replace first:" : "");
  for (uint32_t i = 0; i < r->count && i < ROWS_SHOWN; i++) print_row(c, &c->cable[i]);
  if (r->count > ROWS_SHOWN) printf("    and %u more, all of them by --json\n", r->count - ROWS_SHOWN);
  if (r->unknown) printf("  unknown    %u places in the files name a port that the fabric does not have\n", r->unknown);
  for (uint32_t i = 0; i < r->nameds && i < ROWS_SHOWN; i++) print_named(c, &r->named[i]);
  if (r->nameds > ROWS_SHOWN)
    printf("    and %u more with a known name, all of them by --json\n", r->nameds - ROWS_SHOWN);
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_row(const ib_counted_cable *cable, const ripstop_ib_dump *dump) {
  const ib_cable_errors *row = cable->errors;
  const uint32_t mate = dump->port[row->port].mate;
  json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:b}", "cable", ripstop_json_text(cable->name), "link_downed",
                          (json_int_t)row->downed, "link_recovered", (json_int_t)row->recovered, "bit_errors",
                          (json_int_t)row->bits, "at_least", row->at_least);
  json_object_set_new(out, "matched_by", json_string(ib_match_words[row->by]));
  json_object_set_new(out, "description", ripstop_json_text(dump->node[dump->port[row->port].node].text));
  json_object_set_new(out, "far_description", ripstop_json_text(dump->node[dump->port[mate].node].text));
  if (cable->between) json_object_set_new(out, "paths", json_integer((json_int_t)cable->paths));
  if (!cable->leaf) return out;
  json_object_set_new(out, "leaf", ripstop_json_text(cable->leaf_name));
  json_object_set_new(out, "uplinks", json_integer(cable->leaf->uplinks));
  json_object_set_new(out, "uplinks_left", json_integer(cable->leaf->uplinks - 1));
  return out;
}

/* Unknown places with a name that one node of the fabric has. */
static json_t *json_named(const ib_cable_counters *c) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->found.nameds; i++) {
    const ib_named_place *n = &c->found.named[i];
    const ripstop_ib_node *node = &c->dump->node[c->dump->port[n->port].node];
    char cable[RIPSTOP_NAME_MAX];
    if (c->dump->port[n->port].mate == RIPSTOP_NONE)
      ripstop_ib_end_name(c->dump, n->port, cable);
    else
      ripstop_ib_cable_name(c->dump, n->port, cable);
    json_array_append_new(
        list,
        json_pack("{s:o, s:o, s:i, s:s, s:o, s:o}", "cable", ripstop_json_text(cable), "description",
                  ripstop_json_text(node->text), "port", (int)c->dump->port[n->port].number, "matched_by", "name",
                  "guid", ripstop_json_text(ripstop_arena_printf(c->dump->arena, "0x%016" PRIx64, guid_of(n->place))),
                  "guid_in_fabric",
                  ripstop_json_text(ripstop_arena_printf(c->dump->arena, "0x%016" PRIx64, node->guid))));
  }
  return list;
}

void fabric_counters_json(const ib_cable_counters *c, json_t *all) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->found.count; i++) json_array_append_new(list, json_row(&c->cable[i], c->dump));
  json_object_set_new(all, "replace_first", list);
  json_t *counts = json_pack("{s:i, s:i, s:i, s:b}", "ports", (int)c->found.ports, "without_cable",
                             (int)c->found.uncabled, "unknown", (int)c->found.unknown, "differences", c->differences);
  if (c->hours > 0) json_object_set_new(counts, "hours", ripstop_json_number(c->hours));
  json_object_set_new(all, "unknown_by_name", json_named(c));
  json_object_set_new(all, "counters", counts);
}
