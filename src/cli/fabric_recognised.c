/* fabric_recognised.c - prints what was recognised, and the rows of what is odd. */
#include "cli/fabric_recognised.h"

#include <string.h>

#include "base/local.h"
#include "cli/json.h"
#include "fabric/ib.h"
#include "recognise/odd_rows.h"

/* ------------------------------------------------------------------ text */

enum { ROWS_SHOWN = 100, ROWS_OF_KIND = 5, KINDS_MAX = ROWS_SHOWN };

/* The rows of one kind: the first of them in the list, how many, and how many are printed. */
typedef struct kind {
  uint32_t first, rows, shown;
} kind;

static uint32_t find_kinds(const ripstop_odds *rows, kind *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const bool same = count > 0 && !strcmp(rows->list[i].what, rows->list[list[count - 1].first].what);
    if (!same && count == KINDS_MAX) break;
    if (!same) list[count++] = (kind){.first = i};
    list[count - 1].rows++;
  }
  return count;
}

/* Gives each kind some rows, the more important ones first; then all that they have, as far as room is left. */
static void share_rows(kind *list, uint32_t count) {
  static const uint32_t most[] = {ROWS_OF_KIND, UINT32_MAX};
  uint32_t left = ROWS_SHOWN;
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < count; i++) {
      uint32_t want = list[i].rows < most[pass] ? list[i].rows : most[pass];
      if (want - list[i].shown > left) want = list[i].shown + left;
      left -= want - list[i].shown;
      list[i].shown = want;
    }
}

static void print_left_out(const ripstop_odds *rows, const kind *list, uint32_t count) {
  uint32_t named = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t hidden = 0;
    for (uint32_t k = list[i].shown; k < list[i].rows; k++) hidden += rows->list[list[i].first + k].count;
    if (hidden == 0) continue;
    printf("%s%u %s", named++ ? ", " : "    not shown: ", hidden, rows->list[list[i].first].what);
  }
  if (named > 0) printf(" (all with --json)\n");
}

static void print_odds(const ripstop_odds *rows) {
  kind list[KINDS_MAX];
  const uint32_t count = find_kinds(rows, list);
  share_rows(list, count);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < list[i].shown; k++) {
      const ripstop_odd *row = &rows->list[list[i].first + k];
      printf("    %-30s %s: %s\n", row->what, row->places > 0 ? row->where[0] : "", row->text);
    }
  print_left_out(rows, list, count);
}

static void rank(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_recognised *r, ripstop_odds *rows) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  ripstop_odd_rank(arena, f, ib ? &ib->dump->odd : NULL, &r->odd, rows);
}

static void print_family(const ripstop_recognised *r) {
  printf("  recognised %s", r->family);
  if (r->shape[0] != '\0') printf(" %s", r->shape);
  if (r->expected > 0 && r->expected == r->there && r->sure == 1)
    printf("; every cable fits");
  else if (r->expected > 0)
    printf("; %.4g %% of the cables fit, %u of %u are not there", 100 * r->sure, r->expected - r->there, r->expected);
  if (r->explanations > 1) printf("; one of %u possible explanations", r->explanations);
  if (r->rails > 0) printf("; %u rails", r->rails);
  if (r->planes > 1) printf("; %u parts without a cable between them", r->planes);
  printf("\n");
}

void fabric_recognised_print(const ripstop_fabric *f, const ripstop_recognised *r) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_odds rows, gathered;
  print_family(r);
  for (uint32_t i = 0; i < r->small_parts; i++) printf("  small part %s\n", r->small_part[i].text);
  for (uint32_t i = 0; i < r->absents; i++) printf("  absent     %s\n", r->absent[i].text);
  for (uint32_t i = 0; i < r->notes; i++) printf("  note       %s: %s\n", r->note[i].what, r->note[i].text);
  rank(arena, f, r, &rows);
  if (rows.count == 0) return;
  ripstop_odd_gather(arena, f, &rows, &gathered);
  printf("  odd        %u:\n", rows.count);
  print_odds(&gathered);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_family(const ripstop_recognised *r) {
  json_t *out = json_pack("{s:s, s:s, s:f, s:f, s:i, s:i, s:i}", "family", r->family, "shape", r->shape, "sure",
                          r->sure, "complete", r->complete, "cables_expected", (int)r->expected, "cables_there",
                          (int)r->there, "planes", (int)r->planes);
  if (r->spec != NULL) json_object_set_new(out, "spec", json_string(r->spec));
  if (r->explanations > 0) json_object_set_new(out, "explanations", json_integer(r->explanations));
  if (r->rails > 0) json_object_set_new(out, "rails", json_integer(r->rails));
  if (r->hosts_leaf > 0) json_object_set_new(out, "hosts_a_leaf", json_integer(r->hosts_leaf));
  if (r->up_leaf > 0) json_object_set_new(out, "uplinks_a_leaf", json_integer(r->up_leaf));
  return out;
}

static json_t *json_nodes(const ripstop_fabric *f, const uint32_t *node, uint32_t count) {
  char name[RIPSTOP_NAME_MAX];
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) {
    ripstop_node_name(f, node[i], name);
    json_array_append_new(list, ripstop_json_text(name));
  }
  return list;
}

static json_t *json_small_parts(const ripstop_fabric *f, const ripstop_recognised *r) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->small_parts; i++) {
    const ripstop_small_part *p = &r->small_part[i];
    json_array_append_new(list, json_pack("{s:o, s:i, s:o, s:o}", "switches", json_nodes(f, p->node, p->nodes), "hosts",
                                          (int)p->hosts, "hangs_on", json_nodes(f, p->hangs_on, p->hangs_ons), "text",
                                          ripstop_json_text(p->text)));
  }
  return list;
}

static json_t *json_absent(const ripstop_recognised *r) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->absents; i++) {
    const ripstop_absent *a = &r->absent[i];
    json_t *ports = json_array();
    for (uint32_t k = 0; k < a->ports; k++) json_array_append_new(ports, ripstop_json_text(a->port[k]));
    json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b, s:o}", "what", a->what, "name",
                                          a->name != NULL ? ripstop_json_text(a->name) : json_null(), "ports", ports,
                                          "sure", (int)a->sure, "text", ripstop_json_text(a->text)));
  }
  return list;
}

static json_t *json_notes(const ripstop_recognised *r) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->notes; i++)
    json_array_append_new(list, json_pack("{s:s, s:i, s:s}", "what", r->note[i].what, "count", (int)r->note[i].count,
                                          "text", r->note[i].text));
  return list;
}

void fabric_recognised_json(const ripstop_fabric *f, const ripstop_recognised *r, json_t *object) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_odds rows;
  json_t *odd = json_array();
  rank(arena, f, r, &rows);
  ripstop_cli_json_odds(odd, &rows);
  json_object_set_new(object, "recognised", json_family(r));
  json_object_set_new(object, "odd", odd);
  json_object_set_new(object, "small_parts", json_small_parts(f, r));
  json_object_set_new(object, "absent", json_absent(r));
  json_object_set_new(object, "notes", json_notes(r));
}
