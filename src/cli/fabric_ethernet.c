/* fabric_ethernet.c - prints the cables of an Ethernet fabric, the regular fabric that they form, and how they differ
 * from a plan. */
#include "cli/fabric_ethernet.h"

#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/fabric_recognised.h"
#include "cli/json.h"
#include "fabric/graph.h"
#include "formats/ethernet/cabling_diff.h"
#include "tables/ethernet/ethernet_files.h"

typedef struct view {
  const char *path, *plan_path;
  cabling found, plan;
  cabling_diff diff;
  uint32_t switches, hosts, cables;
  ripstop_fabric *fabric; /* NULL: names cannot be an edge list's */
  ripstop_recognised recognised;
  ripstop_arena *arena;
} view;

static void count_nodes(view *v) {
  const cabling *hosts = v->plan_path ? &v->plan : &v->found;
  for (uint32_t n = 0; n < v->found.nodes; n++) v->switches += cabling_is_switch(&v->found, n);
  for (uint32_t n = 0; n < hosts->nodes; n++) {
    const uint32_t other = cabling_find_node(&v->found, piece_of(hosts->node[n].name));
    v->hosts += !cabling_is_switch(hosts, n) && (other == RIPSTOP_NONE || !cabling_is_switch(&v->found, other));
  }
  v->cables = cabling_between_switches(&v->found);
}

static int open_view(view *v, ripstop_text *edges, ripstop_text *notes, ripstop_error *err) {
  cabling_open(&v->found, v->arena);
  cabling_open(&v->plan, v->arena);
  if (ethernet_cabling_read(&v->found, v->path, notes, err)) return -1;
  if (v->plan_path && ethernet_cabling_read(&v->plan, v->plan_path, notes, err)) return -1;
  v->plan.planned = true;
  if (v->plan_path) cabling_compare(&v->plan, &v->found, v->arena, &v->diff);
  count_nodes(v);
  if (!cabling_edges(&v->found, v->plan_path ? &v->plan : NULL, edges)) return 0;
  v->fabric = ripstop_graph_from_text("cables", edges->data, edges->length, err); /* a path may end in .yml */
  if (!v->fabric) return ripstop_fail_at(err, "%s", v->path);
  ripstop_recognise(v->fabric, v->arena, &v->recognised);
  return 0;
}

/* ------------------------------------------------------------------ output */

static void print_list(const char *what, const char *const *name, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) ripstop_cli_say(stdout, "  %-10s %s\n", what, name[i]);
}

static void print_text(const view *v) {
  ripstop_cli_say(stdout, "%s\n", v->path);
  printf("  switches   %u, with %u cables between them\n  hosts      %u\n", v->switches, v->cables, v->hosts);
  if (v->plan_path) {
    ripstop_cli_say(stdout, "  plan       %s: %u cables between these switches; %u missing, %u extra\n", v->plan_path,
                    v->diff.planned, v->diff.missings, v->diff.extras);
    print_list("missing", v->diff.missing, v->diff.missings);
    print_list("extra", v->diff.extra, v->diff.extras);
    for (uint32_t i = 0; i < v->diff.swaps; i++)
      ripstop_cli_say(stdout, "  swapped    %s should lead to %s and leads to %s\n", v->diff.swap[i].port,
                      v->diff.swap[i].planned, v->diff.swap[i].found);
    print_list("silent", v->diff.silent, v->diff.silents);
  }
  if (v->fabric) fabric_recognised_print(v->fabric, &v->recognised);
}

static json_t *json_list(const char *const *name, uint32_t count) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) json_array_append_new(list, ripstop_json_text(name[i]));
  return list;
}

static json_t *json_loops(const cabling *c) {
  json_t *list = json_array();
  for (const char *at = c->loops.data; *at; at += strcspn(at, "\n") + 1) {
    RIPSTOP_LOCAL_TEXT(one);
    ripstop_text_begin(&one);
    ripstop_text_add_bytes(&one, at, strcspn(at, "\n"));
    json_array_append_new(list, ripstop_json_text(one.data));
  }
  return list;
}

static void print_json(const view *v) {
  json_t *o = json_object(), *swaps = json_array();
  json_object_set_new(o, "switches", json_integer(v->switches));
  json_object_set_new(o, "hosts", json_integer(v->hosts));
  json_object_set_new(o, "cables", json_integer(v->cables));
  json_object_set_new(o, "self_loops", json_loops(v->plan_path ? &v->plan : &v->found));
  if (v->plan_path) {
    for (uint32_t i = 0; i < v->diff.swaps; i++)
      json_array_append_new(swaps, json_pack("{s:o, s:o, s:o}", "port", ripstop_json_text(v->diff.swap[i].port),
                                             "planned", ripstop_json_text(v->diff.swap[i].planned), "found",
                                             ripstop_json_text(v->diff.swap[i].found)));
    json_object_set_new(o, "missing_cables", json_list(v->diff.missing, v->diff.missings));
    json_object_set_new(o, "extra_cables", json_list(v->diff.extra, v->diff.extras));
    json_object_set_new(o, "swapped_ports", swaps);
    json_object_set_new(o, "silent_nodes", json_list(v->diff.silent, v->diff.silents));
  } else {
    json_decref(swaps);
  }
  if (v->fabric) fabric_recognised_json(v->fabric, &v->recognised, o);
  ripstop_cli_json_print(o);
}

/* ------------------------------------------------------------------ the command */

static int show(const view *v, const ripstop_text *edges, bool json, bool as_edges) {
  ripstop_error err;
  if (as_edges && !v->fabric) {
    ripstop_fail(&err, "fabric: --edges: a name in %s has a blank or another character that edge lists use", v->path);
    return ripstop_cli_fail(&err);
  }
  if (as_edges)
    printf("%s", edges->data);
  else if (json)
    print_json(v);
  else
    print_text(v);
  return v->diff.missings || v->diff.extras ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

int fabric_ethernet(const char *path, const char *plan, bool json, bool edges) {
  RIPSTOP_LOCAL_TEXT(notes);
  RIPSTOP_LOCAL_TEXT(list);
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  view v = {.path = path, .plan_path = plan, .arena = arena};
  ripstop_text_begin(&notes);
  ripstop_text_begin(&list);
  const int status = open_view(&v, &list, &notes, &err);
  for (const char *line = notes.data; !status && *line; line += strcspn(line, "\n") + 1)
    ripstop_cli_say(stderr, "ripstop: note: %.*s\n", (int)strcspn(line, "\n"), line);
  const int result = status ? ripstop_cli_fail(&err) : show(&v, &list, json, edges);
  ripstop_fabric_free(v.fabric);
  cabling_close(&v.found);
  cabling_close(&v.plan);
  return result;
}
