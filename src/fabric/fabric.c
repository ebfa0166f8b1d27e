/* fabric.c - from "family:parameters" to a fabric: finds the family, reads its options, bounds the size before anything
 * is built, builds. */
#include "ripstop/plugin/family.h"

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

static const ripstop_family *find_family(const char *name, size_t length) {
  for (const ripstop_family *const *family = ripstop_families; *family != NULL; family++)
    if (strlen((*family)->name) == length && memcmp((*family)->name, name, length) == 0) return *family;
  return NULL;
}

static int unknown_family(const char *spec, size_t length, ripstop_error *err) {
  size_t count = 0;
  while (ripstop_families[count] != NULL) count++;
  const char **words = ripstop_realloc(NULL, count + 1, sizeof *words);
  for (size_t i = 0; i < count; i++) words[i] = ripstop_families[i]->name;
  words[count] = NULL;
  int shown = length > RIPSTOP_NAME_MAX ? RIPSTOP_NAME_MAX : (int)length;
  char *name = ripstop_realloc(NULL, (size_t)shown + 1, 1);
  memcpy(name, spec, (size_t)shown);
  name[shown] = '\0';
  const char *nearest = ripstop_nearest_word(name, words);
  if (nearest != NULL)
    ripstop_fail(err, "unknown fabric family '%s'; did you mean '%s'?", name, nearest);
  else
    ripstop_fail(err, "unknown fabric family '%s'; 'ripstop fabric --help' lists them", name);
  ripstop_free(name);
  ripstop_free(words);
  return -1;
}

/* Splits a spec into family and parameters. */
static int split_spec(ripstop_arena *arena, const char *spec, const ripstop_family **family, const char **parameters,
                      ripstop_error *err) {
  size_t length = strcspn(spec, ":");
  *family = find_family(spec, length);
  *parameters = spec[length] == ':' ? spec + length + 1 : "";
  if (*family == NULL && looks_like_path(spec)) {
    *family = find_family("graph", strlen("graph"));
    *parameters = ripstop_arena_printf(arena, "file=%s", spec);
  }
  if (*family == NULL) return unknown_family(spec, length, err);
  if ((*family)->abi != RIPSTOP_FAMILY_ABI)
    return ripstop_fail(err, "fabric family %s was made for ABI %u, this is %u", (*family)->name, (*family)->abi,
                        RIPSTOP_FAMILY_ABI);
  return 0;
}

static int within_bounds(const ripstop_family *family, const ripstop_counts *counts, ripstop_error *err) {
  if (counts->links <= RIPSTOP_FABRIC_MAX_PORTS / 2 && counts->ends <= RIPSTOP_FABRIC_MAX_PORTS &&
      counts->switches <= RIPSTOP_FABRIC_MAX_PORTS - counts->ends)
    return 0;
  return ripstop_fail(err, "fabric %s: too big, more than %u ports or nodes", family->name, RIPSTOP_FABRIC_MAX_PORTS);
}

static int build(ripstop_fabric *fabric, const ripstop_counts *counts, ripstop_error *err) {
  ripstop_builder *builder = ripstop_builder_new(fabric->arena);
  int status = fabric->family->build(builder, fabric->config, err);
  if (status == 0 && ripstop_builder_finish(builder, fabric, err) != 0)
    status = ripstop_fail_at(err, "fabric %s", fabric->family->name);
  ripstop_builder_free(builder);
  if (status != 0) return -1;
  if (fabric->ends != counts->ends || ripstop_fabric_switches(fabric) != counts->switches ||
      fabric->links != counts->links)
    return ripstop_fail(
        err, "fabric %s: built %u end nodes, %u switches, %u links instead of %" PRIu64 ", %" PRIu64 ", %" PRIu64,
        fabric->family->name, fabric->ends, ripstop_fabric_switches(fabric), fabric->links, counts->ends,
        counts->switches, counts->links);
  return 0;
}

static const char *canonical(ripstop_arena *arena, const ripstop_family *family, const void *config) {
  ripstop_text text = {0};
  ripstop_text_add(&text, "%s:", family->name);
  ripstop_options_print(&text, family->options, config);
  const char *spec = ripstop_arena_text(arena, text.data);
  ripstop_text_free(&text);
  return spec;
}

ripstop_fabric *ripstop_fabric_from_config(ripstop_arena *arena, const ripstop_family *family, const void *config,
                                           ripstop_error *err) {
  ripstop_counts counts = {0};
  if (family->count(config, &counts, err) != 0 || within_bounds(family, &counts, err) != 0) return NULL;
  ripstop_fabric *fabric = RIPSTOP_NEW(arena, ripstop_fabric);
  *fabric = (ripstop_fabric){.family = family, .config = config, .arena = arena};
  fabric->spec = canonical(arena, family, config);
  return build(fabric, &counts, err) == 0 ? fabric : NULL;
}

/* A comma ends an option: of a path with one only the beginning would be left. */
static int check_path(const ripstop_family *family, const char *parameters, ripstop_error *err) {
  const char *comma = strchr(parameters, ',');
  if (family != &ripstop_family_graph || comma == NULL || strchr(comma, '=') != NULL) return 0;
  return ripstop_fail(err,
                      "fabric graph: the path '%s' has a comma, which a spec cannot carry; give the file another name",
                      parameters + (strncmp(parameters, "file=", 5) == 0 ? 5 : 0));
}

static ripstop_fabric *open_in(ripstop_arena *arena, const char *spec, const char *beside, ripstop_error *err) {
  const ripstop_family *family = NULL;
  const char *parameters = NULL;
  if (split_spec(arena, spec, &family, &parameters, err) != 0 || check_path(family, parameters, err) != 0) return NULL;
  char owner[RIPSTOP_NAME_MAX];
  snprintf(owner, sizeof owner, "fabric %s", family->name);
  void *config = ripstop_arena_array(arena, 1, family->config_size);
  if (ripstop_options_parse(arena, owner, family->options, config, parameters, err) != 0) return NULL;
  if (beside != NULL && family == &ripstop_family_graph) ripstop_graph_beside(arena, config, beside);
  return ripstop_fabric_from_config(arena, family, config, err);
}

ripstop_fabric *ripstop_fabric_open_beside(const char *spec, const char *beside, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = open_in(arena, spec, beside, err);
  if (fabric == NULL) ripstop_arena_free(arena);
  return fabric;
}

ripstop_fabric *ripstop_fabric_open(const char *spec, ripstop_error *err) {
  return ripstop_fabric_open_beside(spec, NULL, err);
}

void ripstop_fabric_free(ripstop_fabric *fabric) {
  if (fabric != NULL) ripstop_arena_free(fabric->arena);
}

void ripstop_node_name(const ripstop_fabric *fabric, uint32_t node, char *out) {
  fabric->family->node_name(fabric, node, out);
}

void ripstop_link_name(const ripstop_fabric *fabric, uint32_t link, char *out) {
  if (link >= fabric->link_ends) {
    fabric->family->link_name(fabric, link, out);
    return;
  }
  static const char prefix[] = "end:";
  const size_t shift = sizeof prefix - 1;
  ripstop_node_name(fabric, ripstop_link_node(fabric, link, 0), out);
  size_t length = strlen(out);
  if (length + shift >= RIPSTOP_NAME_MAX) length = RIPSTOP_NAME_MAX - shift - 1;
  memmove(out + shift, out, length);
  memcpy(out, prefix, shift);
  out[shift + length] = '\0';
}
