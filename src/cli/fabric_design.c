/* fabric_design.c - `ripstop fabric F --design FILE`: which cables are not as the design has them. */
#include <string.h>

#include "base/local.h"
#include "cli/fabric_files.h"
#include "fabric/ib.h"
#include "report/json_values.h"
#include "ripstop/kit/fabrics.h"

enum { ROWS_SHOWN = 100, EXTRAS_SHOWN = 20 };

/* ------------------------------------------------------------------ opening */

/* The fabric must have been recognised as the regular one of the spec: then the recogniser lists the differences. */
static int compare_regular(fabric_design *d, const ripstop_fabric *design, const ripstop_recognised *here,
                           ripstop_error *err) {
  ripstop_recognised want;
  ripstop_recognise(design, d->arena, &want);
  if (strcmp(want.family, here->family) != 0 || strcmp(want.shape, here->shape) != 0)
    return ripstop_fail(err, "fabric: --design: %s is a %s %s, and the fabric looks like a %s %s", d->path, want.family,
                        want.shape, here->family, here->shape);
  d->regular = here;
  return 0;
}

static int compare_fabric(fabric_design *d, const ripstop_recognised *here, ripstop_error *err) {
  ripstop_fabric *design = ripstop_fabric_open(d->path, err);
  if (!design) return ripstop_fail_at(err, "fabric: --design");
  const int status = compare_regular(d, design, here, err);
  ripstop_fabric_free(design);
  return status;
}

/* The rows of a table, or of a dump. The text is read once: it may come from a pipe. */
static int read_rows(fabric_design *d, const char *text, size_t length, ripstop_error *err) {
  ripstop_ib_dump dump;
  if (ib_design_is(text, length)) return ib_design_read(&d->rows, d->arena, d->path, text, length, err);
  if (ripstop_ib_read(&dump, d->arena, d->path, text, length, err)) return -1;
  ib_design_of(&d->rows, d->arena, &dump);
  return 0;
}

int fabric_design_open(fabric_design *d, ripstop_arena *arena, const ripstop_fabric *fabric,
                       const ripstop_recognised *recognised, const char *path, ripstop_error *err) {
  *d = (fabric_design){.arena = arena, .path = path};
  const char *text;
  size_t length;
  ripstop_error no_file;
  d->dump = fabric_files_dump(fabric, "design", err);
  if (!d->dump) return -1;
  if (fabric_files_read(arena, path, &text, &length, &no_file) ||
      (!ib_design_is(text, length) && !ripstop_ib_is_dump(text, length)))
    return compare_fabric(d, recognised, err);
  if (read_rows(d, text, length, err)) return ripstop_fail_at(err, "fabric: --design");
  ib_design_check(&d->found, arena, d->dump, &d->rows);
  return 0;
}

/* ------------------------------------------------------------------ differences from a regular fabric */

/* The recogniser's words, by the word that a design has for them. NULL: not a difference of cables. */
static const char *design_word(const char *what) {
  static const char *const words[][2] = {{"missing uplink", "missing"},
                                         {"missing cable", "missing"},
                                         {"missing switch", "missing"},
                                         {"unequal planes", "missing"},
                                         {"missing adapter", "missing"},
                                         {"cable in the wrong port", "wrong port"},
                                         {"cable to the wrong switch", "wrong device"},
                                         {"swapped switch cables", "wrong device"},
                                         {"swapped host cables", "wrong device"},
                                         {"wrong leaf", "wrong device"},
                                         {"wrong rail", "wrong device"},
                                         {"host on a spine", "wrong device"}};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], what) == 0) return words[i][1];
  return NULL;
}

static bool is_extra(const ripstop_odd *odd) { return strcmp(odd->what, "extra cable") == 0; }

/* The places of a row that are cables: the first one or, if it is a smaller plane, those that the plane lacks. */
static const char *const *cables_of(const ripstop_odd *odd, uint32_t *count) {
  const bool plane = strcmp(odd->what, "unequal planes") == 0 && odd->places > 1;
  *count = plane ? odd->places - 1 : 1;
  return odd->where + plane;
}

static void print_regular(const fabric_design *d) {
  const ripstop_recognised *r = d->regular;
  printf("  design     %u cables between switches: %u as designed\n", r->expected, r->there);
  for (uint32_t i = 0; i < r->odd.count; i++) {
    const ripstop_odd *odd = &r->odd.list[i];
    const char *word = is_extra(odd) ? "extra" : design_word(odd->what);
    uint32_t cables;
    const char *const *place = cables_of(odd, &cables);
    for (uint32_t k = 0; word && k < cables; k++) printf("    %-14s %s: %s\n", word, place[k], odd->text);
  }
}

static void json_regular(const fabric_design *d, json_t *rows, json_t *extra) {
  for (uint32_t i = 0; i < d->regular->odd.count; i++) {
    const ripstop_odd *odd = &d->regular->odd.list[i];
    if (is_extra(odd)) json_array_append_new(extra, ripstop_json_text(odd->where[0]));
    uint32_t cables;
    const char *const *place = cables_of(odd, &cables);
    for (uint32_t k = 0; design_word(odd->what) && k < cables; k++)
      json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "what", design_word(odd->what), "design",
                                            ripstop_json_text(place[k]), "text", ripstop_json_text(odd->text)));
  }
}

/* ------------------------------------------------------------------ rows of a table */

static const char *cable(const fabric_design *d, const ib_place end[2]) {
  return ripstop_arena_printf(d->arena, "%s - %s", fabric_files_place(d->arena, d->dump, end[0]),
                              fabric_files_place(d->arena, d->dump, end[1]));
}

static uint32_t line_of(const fabric_design *d, const ib_design_fault *fault) { return d->rows.list[fault->row].line; }

static void print_fault(const fabric_design *d, const ib_design_fault *f) {
  printf("    line %-5u %-14s ", line_of(d, f), f->swapped == RIPSTOP_NONE ? ib_design_words[f->what] : "swapped");
  if (f->what == IB_DESIGN_UNKNOWN_DEVICE)
    printf("%s: %s\n", d->rows.list[f->row].text, f->why);
  else if (f->swapped != RIPSTOP_NONE)
    printf("%s and %s (line %u) have exchanged ends\n", cable(d, f->design), cable(d, d->found.list[f->swapped].design),
           line_of(d, &d->found.list[f->swapped]));
  else if (f->what == IB_DESIGN_MISSING)
    printf("%s\n", cable(d, f->design));
  else
    printf("expected %s, found %s\n", cable(d, f->design), cable(d, f->found));
}

void fabric_design_print(const fabric_design *d) {
  const ib_design_result *r = &d->found;
  uint32_t shown = 0;
  if (d->regular) {
    print_regular(d);
    return;
  }
  printf("  design     %u cables: %u as designed; %u rows differ, %u cables are in no row\n", r->cables, r->as_designed,
         r->count, r->extras);
  for (uint32_t i = 0; i < r->count && shown < ROWS_SHOWN; i++) {
    if (r->list[i].swapped != RIPSTOP_NONE && r->list[i].swapped < i) continue; /* its partner has said it */
    print_fault(d, &r->list[i]);
    shown++;
  }
  for (uint32_t i = 0; i < r->extras && i < EXTRAS_SHOWN; i++)
    printf("    %-25s %s - %s\n", "extra", fabric_files_end(d->arena, d->dump, r->extra[i]),
           fabric_files_end(d->arena, d->dump, d->dump->port[r->extra[i]].mate));
  if (shown == ROWS_SHOWN || r->extras > EXTRAS_SHOWN) printf("    all of them by --json\n");
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_cable(const fabric_design *d, const ib_place end[2]) {
  char a[RIPSTOP_IB_END_NAME_MAX], b[RIPSTOP_IB_END_NAME_MAX];
  ib_place_name(d->dump, end[0], a);
  ib_place_name(d->dump, end[1], b);
  return ripstop_json_text(ripstop_arena_printf(d->arena, "%s-%s", a, b));
}

static json_t *json_fault(const fabric_design *d, const ib_design_fault *f) {
  json_t *out = json_pack("{s:i, s:s}", "line", (int)line_of(d, f), "what", ib_design_words[f->what]);
  if (f->what == IB_DESIGN_UNKNOWN_DEVICE) {
    json_object_set_new(out, "text", ripstop_json_text(d->rows.list[f->row].text));
    json_object_set_new(out, "why", ripstop_json_text(f->why));
    return out;
  }
  json_object_set_new(out, "design", json_cable(d, f->design));
  if (f->what != IB_DESIGN_MISSING) json_object_set_new(out, "found", json_cable(d, f->found));
  if (f->swapped != RIPSTOP_NONE)
    json_object_set_new(out, "swapped_with", json_integer(line_of(d, &d->found.list[f->swapped])));
  return out;
}

void fabric_design_json(const fabric_design *d, json_t *all) {
  json_t *rows = json_array(), *extra = json_array();
  const ib_design_result *r = &d->found;
  char name[RIPSTOP_NAME_MAX];
  if (d->regular) json_regular(d, rows, extra);
  for (uint32_t i = 0; i < r->count; i++) json_array_append_new(rows, json_fault(d, &r->list[i]));
  for (uint32_t i = 0; i < r->extras; i++) {
    ripstop_ib_cable_name(d->dump, r->extra[i], name);
    json_array_append_new(extra, ripstop_json_text(name));
  }
  json_object_set_new(all, "design",
                      json_pack("{s:i, s:i, s:o, s:o}", "cables", (int)(d->regular ? d->regular->expected : r->cables),
                                "as_designed", (int)(d->regular ? d->regular->there : r->as_designed), "rows", rows,
                                "extra", extra));
}
