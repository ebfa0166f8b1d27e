/* fuzz_spec.c - any text as a fabric spec, and any text as an edge list or GraphML (inputs that start with 'G').
 *
 * Files are never opened, and a fabric is only built when its closed forms say that it is small: the reader
 * is on trial here, not the memory. What is built must pass the checker and open again from its own spec. */
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 2000 }; /* links and nodes that are built */

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

static void check(ripstop_fabric *fabric, bool again) {
  ripstop_error err = {0};
  demand(ripstop_fabric_check(fabric, &err) == 0);
  if (again) {
    ripstop_fabric *same = ripstop_fabric_open(fabric->spec, &err);
    demand(same != NULL && strcmp(same->spec, fabric->spec) == 0 && same->links == fabric->links);
    ripstop_fabric_free(same);
  }
  ripstop_fabric_free(fabric);
}

/* A graph that is written reads back with the same size. Two links may have one name if a file names them; then the
 * checker says so. */
static void try_graph(const char *text, size_t length) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_graph_from_text("input", text, length, &err);
  if (fabric == NULL) {
    demand_message(&err);
    return;
  }
  char *written;
  size_t bytes;
  FILE *file = open_memstream(&written, &bytes);
  demand(ripstop_graph_print(fabric, file, &err) == 0);
  fclose(file);
  ripstop_fabric *back = ripstop_graph_from_text("back", written, bytes, &err);
  demand(back != NULL && back->links == fabric->links && back->ports == fabric->ports && back->ends == fabric->ends);
  demand(ripstop_fabric_check(fabric, &err) == 0 || strstr(err.text, "is used twice") != NULL);
  ripstop_fabric_free(back);
  free(written);
  ripstop_fabric_free(fabric);
}

static bool is_small(const ripstop_family *family, const char *parameters) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_counts counts = {0};
  void *config = ripstop_arena_array(arena, 1, family->config_size);
  bool small = ripstop_options_parse(arena, "fuzz", family->options, config, parameters, &err) != 0 ||
               family->count(config, &counts, &err) != 0 || (counts.links <= LARGEST && counts.switches <= LARGEST) ||
               counts.links > RIPSTOP_FABRIC_MAX_PORTS;
  ripstop_arena_free(arena);
  return small;
}

static void try_spec(const char *spec) {
  size_t length = strcspn(spec, ":");
  const ripstop_family *family = NULL;
  for (size_t i = 0; ripstop_families[i] != NULL; i++)
    if (strlen(ripstop_families[i]->name) == length && memcmp(ripstop_families[i]->name, spec, length) == 0)
      family = ripstop_families[i];
  if (family == NULL && (strchr(spec, '/') != NULL || strchr(spec, '.') != NULL)) return; /* may be a path */
  if (family != NULL && strcmp(family->name, "graph") == 0) return;
  if (family != NULL && !is_small(family, spec[length] == ':' ? spec + length + 1 : "")) return;
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric == NULL)
    demand_message(&err);
  else
    check(fabric, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0 && data[0] == 'G') {
    try_graph((const char *)data + 1, size - 1);
    return 0;
  }
  char *spec = malloc(size + 1);
  demand(spec != NULL);
  if (size > 0) memcpy(spec, data, size);
  spec[size] = '\0';
  try_spec(spec);
  free(spec);
  return 0;
}
