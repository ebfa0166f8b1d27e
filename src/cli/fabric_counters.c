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
  printf("\n");
}

void fabric_counters_print(const ib_cable_counters *c) {
  const ib_replace_first *r = &c->found;
  printf("  counters   of %u ports%s; %u cables with errors%s\n", r->ports,
         c->differences ? ", added since the earlier files" : "", r->count, r->count ? ", replace first:" : "");
  for (uint32_t i = 0; i < r->count && i < ROWS_SHOWN; i++) print_row(c, &c->cable[i]);
  if (r->count > ROWS_SHOWN) printf("    and %u more, all of them by --json\n", r->count - ROWS_SHOWN);
  if (r->unknown) printf("  unknown    %u places in the files name a port that the fabric does not have\n", r->unknown);
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_row(const ib_counted_cable *cable, const ripstop_ib_dump *dump) {
  const ib_cable_errors *row = cable->errors;
  const uint32_t mate = dump->port[row->port].mate;
  json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:b}", "cable", ripstop_json_text(cable->name), "link_downed",
                          (json_int_t)row->downed, "link_recovered", (json_int_t)row->recovered, "bit_errors",
                          (json_int_t)row->bits, "at_least", row->at_least);
  json_object_set_new(out, "description", ripstop_json_text(dump->node[dump->port[row->port].node].text));
  json_object_set_new(out, "far_description", ripstop_json_text(dump->node[dump->port[mate].node].text));
  if (cable->between) json_object_set_new(out, "paths", json_integer((json_int_t)cable->paths));
  if (!cable->leaf) return out;
  json_object_set_new(out, "leaf", ripstop_json_text(cable->leaf_name));
  json_object_set_new(out, "uplinks", json_integer(cable->leaf->uplinks));
  json_object_set_new(out, "uplinks_left", json_integer(cable->leaf->uplinks - 1));
  return out;
}

void fabric_counters_json(const ib_cable_counters *c, json_t *all) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->found.count; i++) json_array_append_new(list, json_row(&c->cable[i], c->dump));
  json_object_set_new(all, "replace_first", list);
  json_t *counts = json_pack("{s:i, s:i, s:i, s:b}", "ports", (int)c->found.ports, "without_cable",
                             (int)c->found.uncabled, "unknown", (int)c->found.unknown, "differences", c->differences);
  if (c->hours > 0) json_object_set_new(counts, "hours", ripstop_json_number(c->hours));
  json_object_set_new(all, "counters", counts);
}
