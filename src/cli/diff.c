/* diff.c - `ripstop diff OLD NEW`: what changed between two dumps of a fabric, for people, scripts and monitors. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "fabric/ib.h"
#include "formats/infiniband/diff.h"

static const char *const kinds[] = {"died", "moved", "slowed", "came back", "faster", "renamed", "LID changed"};
static const char *const keys[] = {"died", "moved", "slowed", "came_back", "faster", "renamed", "lid_changed"};
static const char *const node_kinds[] = {"switch", "adapter", "router"};

/* One side of a change: the dump, and its node and port there. */
typedef struct side {
  const ripstop_ib_dump *dump;
  uint32_t node, port;
} side;

static side old_side(const ripstop_ib_diff *d, const ripstop_ib_change *c) {
  return (side){d->old_dump, c->old_node, c->old_port};
}

static side new_side(const ripstop_ib_diff *d, const ripstop_ib_change *c) {
  return (side){d->new_dump, c->new_node, c->new_port};
}

/* The side on which the part is: the old one where there is one. */
static side there(const ripstop_ib_diff *d, const ripstop_ib_change *c) {
  return c->old_node != RIPSTOP_NONE ? old_side(d, c) : new_side(d, c);
}

static bool is_cable(const ripstop_ib_change *c) {
  return c->kind != RIPSTOP_IB_RELABELED && (c->old_port != RIPSTOP_NONE || c->new_port != RIPSTOP_NONE);
}

/* `out` has RIPSTOP_NAME_MAX bytes. */
static void name_part(const side *s, bool cable, char *out) {
  if (cable)
    ripstop_ib_cable_name(s->dump, s->port, out);
  else if (s->port != RIPSTOP_NONE)
    ripstop_ib_end_name(s->dump, s->port, out);
  else
    snprintf(out, RIPSTOP_NAME_MAX, "%s", s->dump->node[s->node].id);
}

static const char *text_of(const side *s, bool far_end) {
  uint32_t node = far_end ? s->dump->port[s->dump->port[s->port].mate].node : s->node;
  return s->dump->node[node].text;
}

static const char *part_kind(const side *s, bool cable) {
  return cable ? "cable" : node_kinds[s->dump->node[s->node].kind];
}

/* "4xEDR" of the slower end. */
static void print_speed(const side *s, char *out, size_t size) {
  const ripstop_ib_port *a = &s->dump->port[s->port], *b = &s->dump->port[a->mate];
  uint32_t speed = ripstop_ib_cable_speed(s->dump, s->port);
  const ripstop_ib_port *slow = ripstop_ib_port_speed(a) == speed ? a : b;
  snprintf(out, size, "%ux%s", slow->width, slow->speed);
}

static uint32_t lid_of(const side *s) {
  uint32_t lid = s->port != RIPSTOP_NONE ? s->dump->port[s->port].lid : s->dump->node[s->node].lid;
  return lid <= RIPSTOP_IB_LID_LIMIT ? lid : 0;
}

/* The old and the new state, if a change has both; otherwise false. */
static bool was_and_is(const ripstop_ib_diff *d, const ripstop_ib_change *c, char *was, char *is) {
  const side o = old_side(d, c), n = new_side(d, c);
  for (unsigned i = 0; i < 2; i++) {
    const side *s = i == 0 ? &o : &n;
    char *out = i == 0 ? was : is;
    if (c->kind == RIPSTOP_IB_MOVED) name_part(s, true, out);
    if (c->kind == RIPSTOP_IB_SLOWED || c->kind == RIPSTOP_IB_FASTER) print_speed(s, out, RIPSTOP_NAME_MAX);
    if (c->kind == RIPSTOP_IB_RENAMED) snprintf(out, RIPSTOP_NAME_MAX, "%s", s->dump->node[s->node].text);
    if (c->kind == RIPSTOP_IB_RELABELED) snprintf(out, RIPSTOP_NAME_MAX, "%u", lid_of(s));
  }
  return c->kind != RIPSTOP_IB_DIED && c->kind != RIPSTOP_IB_RETURNED;
}

/* ------------------------------------------------------------------ for people */

static void print_change(const ripstop_ib_diff *d, const ripstop_ib_change *c) {
  char name[RIPSTOP_NAME_MAX], was[RIPSTOP_NAME_MAX], is[RIPSTOP_NAME_MAX];
  const side s = there(d, c);
  bool cable = is_cable(c);
  name_part(&s, cable, name);
  printf("%-11s %-7s %s", kinds[c->kind], part_kind(&s, cable), name);
  if (cable)
    printf("  '%s' - '%s'", text_of(&s, false), text_of(&s, true));
  else
    printf("  '%s'", text_of(&s, false));
  if (was_and_is(d, c, was, is)) printf("  %s -> %s", was, is);
  if (c->cables > 0) printf("  with %u cables", c->cables);
  printf("\n");
}

static void print_plain(const ripstop_ib_diff *d) {
  for (uint32_t i = 0; i < d->count; i++) print_change(d, &d->list[i]);
  for (unsigned kind = 0; kind < RIPSTOP_IB_CHANGES; kind++)
    printf("%s%u %s", kind == 0 ? "" : ", ", d->times[kind], kinds[kind]);
  printf("\n");
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_change(const ripstop_ib_diff *d, const ripstop_ib_change *c) {
  char name[RIPSTOP_NAME_MAX], was[RIPSTOP_NAME_MAX], is[RIPSTOP_NAME_MAX];
  const side s = there(d, c);
  bool cable = is_cable(c);
  name_part(&s, cable, name);
  json_t *out = json_pack("{s:s, s:o, s:o}", "kind", part_kind(&s, cable), "name", ripstop_json_text(name),
                          "description", ripstop_json_text(text_of(&s, false)));
  if (cable) json_object_set_new(out, "far_description", ripstop_json_text(text_of(&s, true)));
  if (was_and_is(d, c, was, is)) {
    json_object_set_new(out, "was", ripstop_json_text(was));
    json_object_set_new(out, "is", ripstop_json_text(is));
  }
  if (c->cables > 0) json_object_set_new(out, "cables", json_integer(c->cables));
  return out;
}

static void print_json(const ripstop_ib_diff *d) {
  json_t *all = json_object(), *lists[RIPSTOP_IB_CHANGES];
  json_object_set_new(all, "same", json_boolean(d->count == 0));
  for (unsigned kind = 0; kind < RIPSTOP_IB_CHANGES; kind++)
    json_object_set_new(all, keys[kind], lists[kind] = json_array());
  for (uint32_t i = 0; i < d->count; i++) json_array_append_new(lists[d->list[i].kind], json_change(d, &d->list[i]));
  ripstop_cli_json_print(all);
}

/* ------------------------------------------------------------------ for monitors */

static void print_label(const char *name, const char *text) {
  printf("%s=\"", name);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f ? '?' : *text);
  }
  putchar('"');
}

static void print_gauge(const char *name, const char *help, uint32_t value) {
  printf("# HELP ripstop_fabric_%s %s\n# TYPE ripstop_fabric_%s gauge\nripstop_fabric_%s %u\n", name, help, name, name,
         value);
}

static void print_prometheus(const ripstop_ib_diff *d) {
  const ripstop_ib_dump *now = d->new_dump;
  print_gauge("switches", "Switches in the newer dump.", now->kinds[RIPSTOP_IB_SWITCH]);
  print_gauge("adapters", "Adapters in the newer dump, aggregation nodes included.", now->kinds[RIPSTOP_IB_ADAPTER]);
  print_gauge("cables", "Cables in the newer dump that both ends name.", now->cables);
  print_gauge("slow_cables", "Cables in the newer dump below the usual speed.", now->slow_cables);
  print_gauge("half_links", "Ports in the newer dump whose peer does not list the cable.", now->half_links);
  printf(
      "# HELP ripstop_fabric_changes Parts that changed since the older dump.\n# TYPE ripstop_fabric_changes gauge\n");
  for (unsigned kind = 0; kind < RIPSTOP_IB_CHANGES; kind++)
    printf("ripstop_fabric_changes{change=\"%s\"} %u\n", keys[kind], d->times[kind]);
  printf("# HELP ripstop_fabric_change One for each part that changed.\n# TYPE ripstop_fabric_change gauge\n");
  for (uint32_t i = 0; i < d->count; i++) {
    char name[RIPSTOP_NAME_MAX];
    const side s = there(d, &d->list[i]);
    name_part(&s, is_cable(&d->list[i]), name);
    printf("ripstop_fabric_change{change=\"%s\",kind=\"%s\",", keys[d->list[i].kind],
           part_kind(&s, is_cable(&d->list[i])));
    print_label("name", name);
    putchar(',');
    print_label("description", text_of(&s, false));
    printf("} 1\n");
  }
}

/* ------------------------------------------------------------------ the command */

static void explain(FILE *file) {
  fprintf(file, "\nExit code: 0 nothing changed, 1 something did, 2 a file cannot be read.\n");
}

/* NULL, with a message, for what is no dump. */
static ripstop_fabric *open_dump(const char *path, ripstop_error *err) {
  struct stat about;
  if (!strchr(path, ':') && stat(path, &about) != 0) { /* with a ':' it may be another family's spec */
    ripstop_fail_system(err, errno, "diff: %s", path);
    return NULL;
  }
  ripstop_fabric *fabric = ripstop_cli_open_fabric(path, err);
  if (fabric == NULL || ripstop_ib_of(fabric) != NULL) return fabric;
  ripstop_fail(err, "diff: %s is no dump of an InfiniBand fabric", fabric->spec);
  ripstop_fabric_free(fabric);
  return NULL;
}

static int show(const ripstop_fabric *old_fabric, const ripstop_fabric *new_fabric, bool json, bool prometheus) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_ib_diff diff;
  ripstop_ib_compare(&diff, arena, ripstop_ib_of(old_fabric)->dump, ripstop_ib_of(new_fabric)->dump);
  (json ? print_json : prometheus ? print_prometheus : print_plain)(&diff);
  return diff.count == 0 ? RIPSTOP_EXIT_OK : RIPSTOP_EXIT_FAILED;
}

int ripstop_cmd_diff(int argc, char **argv) {
  bool json = false, prometheus = false;
  const ripstop_flag flags[] = {
      CLI_SWITCH("json", &json, "Print one JSON object.", .excludes = "prometheus"),
      CLI_SWITCH("prometheus", &prometheus, "Print metrics in Prometheus' text format."),
      {0},
  };
  const ripstop_usage usage = {.command = "diff",
                               .arguments = "OLD NEW",
                               .summary =
                                   "Reports what died, came back, moved or slowed between two dumps of a fabric.",
                               .at_least = 2,
                               .at_most = 2,
                               .flags = flags,
                               .more = explain};
  const char *paths[2];
  unsigned count;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, paths, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_fabric *old_fabric = open_dump(paths[0], &err);
  ripstop_fabric *new_fabric = old_fabric != NULL ? open_dump(paths[1], &err) : NULL;
  status = new_fabric == NULL ? ripstop_cli_fail(&err) : show(old_fabric, new_fabric, json, prometheus);
  ripstop_fabric_free(new_fabric);
  ripstop_fabric_free(old_fabric);
  return status;
}
