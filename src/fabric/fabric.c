/* fabric.c - opens a fabric by its spec, "family:parameters": finds the family, reads its options, checks the size
 * before anything is built, and builds. A path is the spec of a family that reads files. */
#include "base/local.h"
#include "base/memory.h"
#include "ripstop/plugin/family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/registry.h"
#include "fabric/builder.h"
#include "fabric/content.h"
#include "fabric/graph.h"
#include "fabric/ib.h"
#include "fabric/inner.h"

/* A spec that names no family: it is a path when there is such a file, or when it looks like one. */
static bool is_path(const char *spec, const char *path) {
  struct stat about;
  if (strchr(spec, '/') != NULL || (strchr(spec, '.') != NULL && strchr(spec, ':') == NULL)) return true;
  return stat(path, &about) == 0;
}

static ripstop_plugin family_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_families[i]); }
static const ripstop_registry families = {"fabric", RIPSTOP_FAMILY_ABI, family_at};

/* A path stands for the fabric in that file, unless it is written like the spec of a family. The content decides which
 * family the file belongs to. It stays in `loaded`, since a pipe can be read only once; a file that cannot be read is
 * refused later. */
static const char *full_spec(ripstop_arena *arena, const char *spec, const char *beside, ripstop_loaded *loaded) {
  bool known = ripstop_registry_has(&families, spec, strcspn(spec, ":"));
  if (known) return spec;
  if (strcmp(spec, "-") == 0) spec = "/dev/stdin";
  ripstop_error ignored;
  ripstop_content at = {.file = spec, .hash = ""};
  if (beside != NULL) ripstop_content_beside(arena, &at, beside);
  const char *path = at.path != NULL ? at.path : spec;
  if (ripstop_content_load(arena, &at, loaded, &ignored) != 0) loaded->text = NULL;
  if (loaded->text != NULL && ripstop_ib_is_dump(loaded->text, loaded->length))
    return ripstop_arena_printf(arena, "ib:file=%s", spec);
  return is_path(spec, path) ? ripstop_arena_printf(arena, "graph:file=%s", spec) : spec;
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
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s:", family->name);
  ripstop_options_print(&text, family->options, config);
  const char *spec = ripstop_arena_text(arena, text.data);
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

/* A comma ends an option, so a path with a comma in it would be cut off there. */
static int check_path(const char *spec, ripstop_error *err) {
  static const char *const readers[] = {"graph:", "ib:", NULL};
  static const char file[] = "file=";
  const char *path = NULL;
  for (unsigned i = 0; readers[i] != NULL; i++)
    if (strncmp(spec, readers[i], strlen(readers[i])) == 0) path = spec + strlen(readers[i]);
  const char *comma = path != NULL ? strchr(path, ',') : NULL;
  if (comma == NULL || strchr(comma, '=') != NULL) return 0;
  return ripstop_fail(
      err, "fabric %.*s: the path '%s' has a comma, which a spec cannot carry; give the file another name",
      (int)strcspn(spec, ":"), spec, path + (strncmp(path, file, strlen(file)) == 0 ? strlen(file) : 0));
}

/* Families read their file several times, and a pipe can be read once. */
static int keep_content(ripstop_arena *arena, ripstop_content *content, ripstop_loaded *loaded, ripstop_error *err) {
  if (loaded->text == NULL && ripstop_content_load(arena, content, loaded, err) != 0) return -1;
  content->text = loaded->text;
  content->length = loaded->length;
  return 0;
}

/* A word that is no family may have been meant as a file. */
static ripstop_fabric *fail_unknown(const char *spec, ripstop_error *err) {
  const bool word = *spec && !strchr(spec, ':') && !ripstop_registry_has(&families, spec, strlen(spec));
  if (word) ripstop_fail_at(err, "no file '%.100s'", spec);
  return NULL;
}

static ripstop_fabric *open_in(ripstop_arena *arena, const char *spec, const char *beside, ripstop_error *err) {
  void *config;
  ripstop_loaded loaded = {0};
  spec = full_spec(arena, spec, beside, &loaded);
  if (check_path(spec, err) != 0) return NULL;
  const ripstop_family *family = ripstop_registry_open(&families, arena, spec, &config, err);
  if (family == NULL) return fail_unknown(spec, err);
  bool from_file = family == &ripstop_family_graph || family == &ripstop_family_ib;
  if (beside != NULL && from_file) ripstop_content_beside(arena, config, beside);
  if (from_file && keep_content(arena, config, &loaded, err) != 0) return NULL;
  return ripstop_fabric_from_config(arena, family, config, err);
}

ripstop_fabric *ripstop_fabric_open_beside(const char *spec, const char *beside, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
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
  if (link >= fabric->link_ends || fabric->family->names_end_links) {
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
