/* route_classes.c - finds how many lossless classes an Ethernet fabric needs, writes the maps of all switches, and
 * prints the numbers. docs/ethernet.md explains them. */
#include "cli/route_classes.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "formats/ethernet/cabling_diff.h"
#include "report/class_maps.h"
#include "tables/ethernet/ethernet_files.h"

/* The path of the file of a switch. */
static int path_of(const route_classes_request *asked, const char *name, char path[PATH_MAX], ripstop_error *err) {
  if (*name == '.' || strchr(name, '/'))
    return ripstop_fail(err, "route: --classes-out: '%s' cannot be the name of a file", name);
  if (snprintf(path, PATH_MAX, "%s/%s.json", asked->folder, name) < PATH_MAX) return 0;
  return ripstop_fail(err, "route: --classes-out: the path of the file for %s is too long", name);
}

static int write_switch(const char *path, const turn_classes *t, uint32_t node, ripstop_error *err) {
  ripstop_output file;
  if (ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_NEW, err)) return -1;
  json_t *maps = class_maps_of(t, node);
  json_dumpf(maps, file.stream, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
  fputc('\n', file.stream);
  json_decref(maps);
  return ripstop_output_end(&file, err);
}

/* A file of a switch. */
static bool is_maps(const void *cables, const char *name) {
  const size_t length = strlen(name);
  static const char end[] = ".json";
  if (length < sizeof end || strcmp(name + length - (sizeof end - 1), end) != 0) return false;
  return cabling_find_node(cables, (piece){name, name + length - (sizeof end - 1)}) != RIPSTOP_NONE;
}

/* Checks all files first, then writes them; `count` gets their number. */
static int write_all(const route_classes_request *asked, const turn_classes *t, uint32_t *count, ripstop_error *err) {
  char path[PATH_MAX];
  struct stat about;
  if (stat(asked->folder, &about) == 0 && !S_ISDIR(about.st_mode))
    return ripstop_fail(err, "route: --classes-out %s: is no folder, and each switch has a file", asked->folder);
  if (ripstop_output_check_folder(asked->folder, RIPSTOP_OUTPUT_NEW, is_maps, t->c, err)) return -1;
  for (uint32_t n = 0; n < t->c->nodes; n++)
    if (t->tier[n] != RIPSTOP_NONE && path_of(asked, t->c->node[n].name, path, err)) return -1;
  if (ripstop_output_folder(asked->folder, err)) return -1;
  for (uint32_t n = 0; n < t->c->nodes; n++) {
    if (t->tier[n] == RIPSTOP_NONE) continue;
    if (path_of(asked, t->c->node[n].name, path, err) || write_switch(path, t, n, err)) return -1;
    ++*count;
  }
  return 0;
}

static void print(const route_classes_request *asked, const turn_classes *t, uint32_t files) {
  ripstop_cli_say(stdout, "%s: %u switches\n", asked->cables, files);
  printf("  turns      %u from down to up stay lossless%s\n", t->turns,
         t->turns < asked->bounces ? ": no path has more" : "");
  printf("  classes    %u: priorities and DSCPs %u", t->classes, class_maps_priority(0));
  for (uint32_t k = 1; k < t->classes; k++) printf(", %u", class_maps_priority(k));
  if (t->classes > 1) printf(t->least == t->classes ? "; fewer are not enough" : "; %u at least", t->least);
  printf("\n");
  if (!t->complete) printf("             too many paths to list: both numbers are bounds\n");
  ripstop_cli_say(stdout, "  written    %s: a file for each switch\n", asked->folder);
}

static void print_json(const turn_classes *t, uint32_t files) {
  ripstop_cli_json_print(json_pack("{s:i, s:i, s:i, s:i, s:b}", "switches", files, "turns", t->turns, "classes",
                                   t->classes, "classes_at_least", t->least, "all_paths", t->complete));
}

int route_classes(const route_classes_request *asked, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(notes);
  turn_classes t;
  cabling c;
  uint32_t files = 0;
  if (!ethernet_files_are_cables(asked->cables))
    return ripstop_fail(err, "route: --classes-out: %s has no cables of Ethernet", asked->cables);
  ripstop_text_begin(&notes);
  cabling_open(&c, arena);
  int status = ethernet_cabling_read(&c, asked->cables, &notes, err);
  if (!status && turn_classes_find(&t, &c, (uint32_t)asked->bounces, arena, err))
    status = ripstop_fail_at(err, "route: %s", asked->cables);
  if (!status) status = write_all(asked, &t, &files, err);
  for (const char *line = notes.data; !status && *line; line += strcspn(line, "\n") + 1)
    ripstop_cli_say(stderr, "ripstop: note: %.*s\n", (int)strcspn(line, "\n"), line);
  if (!status) asked->json ? print_json(&t, files) : print(asked, &t, files);
  cabling_close(&c);
  return status;
}
