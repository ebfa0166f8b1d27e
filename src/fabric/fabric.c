/* fabric.c - from "family:parameters" to a fabric: finds the family, reads its options, bounds the size before anything
 * is built, builds. */
#include "ripstop/fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/builder.h"
#include "fabric/graph.h"

static const char *const graph_suffixes[] = {".graph", ".edges", ".txt", NULL};

/* A spec that names no family but looks like a file's path. */
static bool looks_like_path(const char *spec) {
  if (strchr(spec, '/') != NULL) return true;
  size_t length = strlen(spec);
  for (const char *const *suffix = graph_suffixes; *suffix != NULL; suffix++) {
    size_t tail = strlen(*suffix);
    if (length > tail && strcmp(spec + length - tail, *suffix) == 0) return true;
  }
  return false;
}

static const rs_family *find_family(const char *name, size_t length) {
  for (const rs_family *const *family = rs_families; *family != NULL; family++)
    if (strlen((*family)->name) == length && memcmp((*family)->name, name, length) == 0) return *family;
  return NULL;
}

static int unknown_family(const char *spec, size_t length, rs_error *err) {
  size_t count = 0;
  while (rs_families[count] != NULL) count++;
  const char **words = rs_realloc(NULL, count + 1, sizeof *words);
  for (size_t i = 0; i < count; i++) words[i] = rs_families[i]->name;
  words[count] = NULL;
  int shown = length > RS_NAME_MAX ? RS_NAME_MAX : (int)length;
  char *name = rs_realloc(NULL, (size_t)shown + 1, 1);
  memcpy(name, spec, (size_t)shown);
  name[shown] = '\0';
  const char *nearest = rs_nearest_word(name, words);
  if (nearest != NULL)
    rs_fail(err, "unknown fabric family '%s'; did you mean '%s'?", name, nearest);
  else
    rs_fail(err, "unknown fabric family '%s'; 'ripstop fabric --help' lists them", name);
  free(name);
  free(words);
  return -1;
}

/* Splits a spec into family and parameters. */
static int split_spec(rs_arena *arena, const char *spec, const rs_family **family, const char **parameters,
                      rs_error *err) {
  size_t length = strcspn(spec, ":");
  *family = find_family(spec, length);
  *parameters = spec[length] == ':' ? spec + length + 1 : "";
  if (*family == NULL && looks_like_path(spec)) {
    *family = find_family("graph", strlen("graph"));
    *parameters = rs_arena_printf(arena, "file=%s", spec);
  }
  if (*family == NULL) return unknown_family(spec, length, err);
  if ((*family)->abi != RS_FAMILY_ABI)
    return rs_fail(err, "fabric family %s was made for ABI %u, this is %u", (*family)->name, (*family)->abi,
                   RS_FAMILY_ABI);
  return 0;
}

static int within_bounds(const rs_family *family, const rs_counts *counts, rs_error *err) {
  if (counts->links <= RS_FABRIC_MAX_PORTS / 2 && counts->ends <= RS_FABRIC_MAX_PORTS &&
      counts->switches <= RS_FABRIC_MAX_PORTS - counts->ends)
    return 0;
  return rs_fail(err, "fabric %s: too big, more than %u ports or nodes", family->name, RS_FABRIC_MAX_PORTS);
}

static int build(rs_fabric *fabric, const rs_counts *counts, rs_error *err) {
  rs_builder *builder = rs_builder_new(fabric->arena);
  int status = fabric->family->build(builder, fabric->config, err);
  if (status == 0 && rs_builder_finish(builder, fabric, err) != 0)
    status = rs_fail_at(err, "fabric %s", fabric->family->name);
  rs_builder_free(builder);
  if (status != 0) return -1;
  if (fabric->ends != counts->ends || rs_fabric_switches(fabric) != counts->switches || fabric->links != counts->links)
    return rs_fail(err,
                   "fabric %s: built %u end nodes, %u switches, %u links instead of %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                   fabric->family->name, fabric->ends, rs_fabric_switches(fabric), fabric->links, counts->ends,
                   counts->switches, counts->links);
  return 0;
}

static const char *canonical(rs_arena *arena, const rs_family *family, const void *config) {
  rs_text text = {0};
  rs_text_add(&text, "%s:", family->name);
  rs_options_print(&text, family->options, config);
  const char *spec = rs_arena_text(arena, text.data);
  rs_text_free(&text);
  return spec;
}

rs_fabric *rs_fabric_from_config(rs_arena *arena, const rs_family *family, const void *config, rs_error *err) {
  rs_counts counts = {0};
  if (family->count(config, &counts, err) != 0 || within_bounds(family, &counts, err) != 0) return NULL;
  rs_fabric *fabric = RS_NEW(arena, rs_fabric);
  *fabric = (rs_fabric){.family = family, .config = config, .arena = arena};
  fabric->spec = canonical(arena, family, config);
  return build(fabric, &counts, err) == 0 ? fabric : NULL;
}

/* A comma ends an option: of a path with one only the beginning would be left. */
static int check_path(const rs_family *family, const char *parameters, rs_error *err) {
  const char *comma = strchr(parameters, ',');
  if (family != &rs_family_graph || comma == NULL || strchr(comma, '=') != NULL) return 0;
  return rs_fail(err, "fabric graph: the path '%s' has a comma, which a spec cannot carry; give the file another name",
                 parameters + (strncmp(parameters, "file=", 5) == 0 ? 5 : 0));
}

static rs_fabric *open_in(rs_arena *arena, const char *spec, const char *beside, rs_error *err) {
  const rs_family *family = NULL;
  const char *parameters = NULL;
  if (split_spec(arena, spec, &family, &parameters, err) != 0 || check_path(family, parameters, err) != 0) return NULL;
  char owner[RS_NAME_MAX];
  snprintf(owner, sizeof owner, "fabric %s", family->name);
  void *config = rs_arena_array(arena, 1, family->config_size);
  if (rs_options_parse(arena, owner, family->options, config, parameters, err) != 0) return NULL;
  if (beside != NULL && family == &rs_family_graph) rs_graph_beside(arena, config, beside);
  return rs_fabric_from_config(arena, family, config, err);
}

rs_fabric *rs_fabric_open_beside(const char *spec, const char *beside, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  rs_fabric *fabric = open_in(arena, spec, beside, err);
  if (fabric == NULL) rs_arena_free(arena);
  return fabric;
}

rs_fabric *rs_fabric_open(const char *spec, rs_error *err) { return rs_fabric_open_beside(spec, NULL, err); }

void rs_fabric_free(rs_fabric *fabric) {
  if (fabric != NULL) rs_arena_free(fabric->arena);
}

void rs_node_name(const rs_fabric *fabric, uint32_t node, char *out) { fabric->family->node_name(fabric, node, out); }

void rs_link_name(const rs_fabric *fabric, uint32_t link, char *out) {
  if (link >= fabric->link_ends) {
    fabric->family->link_name(fabric, link, out);
    return;
  }
  static const char prefix[] = "end:";
  const size_t shift = sizeof prefix - 1;
  rs_node_name(fabric, rs_link_node(fabric, link, 0), out);
  size_t length = strlen(out);
  if (length + shift >= RS_NAME_MAX) length = RS_NAME_MAX - shift - 1;
  memmove(out + shift, out, length);
  memcpy(out, prefix, shift);
  out[shift + length] = '\0';
}
