/* ethernet_files.c - opens files and folders of Ethernet fabrics, and hands each to the reader of its format. */
#include "tables/ethernet/ethernet_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/sort.h"
#include "formats/ethernet/clab_links.h"
#include "formats/ethernet/lldp_neighbors.h"
#include "formats/ethernet/ptm_topology.h"

enum { FILE_MOST = 1 << 30 };

/* ------------------------------------------------------------------ paths */

typedef struct paths {
  const char **path;
  uint32_t count;
  size_t room;
} paths;

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int by_text(const void *context, const void *a, const void *b) {
  (void)context;
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_path(paths *all, ripstop_arena *arena, const char *path) {
  RIPSTOP_GROW_IN(arena, all->path, all->count, all->room);
  all->path[all->count++] = path;
}

/* The names in a folder, in the order of their bytes; hidden ones are left out. */
static int list_folder(paths *out, ripstop_arena *arena, const char *folder, ripstop_error *err) {
  enum { NAMES_ROOM = 1 << 16 };
  DIR *dir = opendir(folder);
  if (!dir) return ripstop_fail_system(err, errno, "%s: cannot be read", folder);
  const uint32_t first = out->count;
  RIPSTOP_LOCAL_TEXT(names);
  ripstop_text_begin(&names);
  for (const struct dirent *d; (d = readdir(dir));)
    if (*d->d_name != '.') ripstop_text_add_bytes(&names, d->d_name, strlen(d->d_name) + 1);
  closedir(dir);
  for (const char *name = names.data; name < names.data + names.length; name += strlen(name) + 1) {
    const char *path = ripstop_arena_printf(arena, "%s/%s", folder, name);
    if (!is_folder(path)) add_path(out, arena, path);
  }
  if (out->count == first) return ripstop_fail(err, "%s: the folder has no files", folder);
  ripstop_sort(out->path + first, out->count - first, sizeof *out->path, by_text, NULL);
  return 0;
}

static int list_paths(paths *out, ripstop_arena *arena, const char *path, ripstop_error *err) {
  if (is_folder(path)) return list_folder(out, arena, path, err);
  add_path(out, arena, path);
  return 0;
}

/* The switch that a file is named by. */
static const char *switch_of(ripstop_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strlen(name);
  static const char end[] = ".json";
  if (length >= sizeof end && strcmp(name + length - (sizeof end - 1), end) == 0) length -= sizeof end - 1;
  return ripstop_arena_printf(arena, "%.*s", (int)length, name);
}

/* ------------------------------------------------------------------ kinds */

static int read_file(ripstop_arena *arena, const char *path, piece *out, ripstop_error *err) {
  char *data;
  size_t length;
  if (ripstop_read_file(arena, path, FILE_MOST, &data, &length, err)) return -1;
  *out = piece_of_file(data, length);
  return 0;
}

static bool begins_json(piece text) {
  while (text.at < text.end && (piece_blank(*text.at) || *text.at == '\n')) text.at++;
  return text.at < text.end && (*text.at == '{' || *text.at == '[');
}

bool ethernet_files_are_cables(const char *path) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error ignored;
  piece text;
  struct stat about;
  if (is_folder(path)) return true;
  if (stat(path, &about) || !S_ISREG(about.st_mode) || read_file(arena, path, &text, &ignored)) return false;
  return ptm_topology_is(text) || (!begins_json(text) && clab_links_is(text));
}

/* JSON of one value, where a second one would have no meaning. */
static int read_one(jt_doc *doc, ripstop_arena *arena, const char *path, piece text, ripstop_error *err) {
  if (jt_read(doc, arena, path, text.at, piece_length(text), err)) return -1;
  const uint32_t second = jt_after(doc, 0);
  if (second == doc->count) return 0;
  return ripstop_fail(err, "%s:%u: a second JSON value stands behind the first: a file has one", path,
                      jt_line(doc, second));
}

/* ------------------------------------------------------------------ cables */

static int read_json_cables(cabling *c, ripstop_arena *scratch, const char *path, piece text, ripstop_error *err) {
  jt_doc doc = {0};
  if (read_one(&doc, scratch, path, text, err)) return -1;
  const char *name = switch_of(scratch, path);
  if (lldp_neighbors_is(&doc)) return lldp_neighbors_read(c, &doc, name, err);
  if (sonic_config_is(&doc)) return sonic_config_cables(c, &doc, name, err);
  if (route_table_is(&doc)) return ripstop_fail(err, "%s: has routes, not cables: --tables reads them", path);
  return ripstop_fail(err, "%s: neither neighbours (lldpcli -f json show neighbors) nor a config_db.json", path);
}

static int read_cables(cabling *c, const char *path, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  piece text;
  int status = read_file(scratch, path, &text, err);
  if (!status && ptm_topology_is(text))
    status = ptm_topology_read(c, path, text, err);
  else if (!status && !begins_json(text) && clab_links_is(text))
    status = clab_links_read(c, path, text, err);
  else if (!status)
    status = read_json_cables(c, scratch, path, text, err);
  ripstop_arena_free(scratch);
  return status;
}

/* A cable that one of two ends with files of their own does not know. */
static void note_one_sided(const cabling *c, ripstop_text *notes) {
  RIPSTOP_LOCAL_ARENA(arena);
  for (uint32_t p = 0; !c->planned && p < c->ports; p++) {
    const cabling_port *port = &c->port[p];
    if (port->peer == RIPSTOP_NONE || port->claimed || !c->node[port->node].own) continue;
    ripstop_text_add(notes, "%s: only one end reports this cable, %s does not\n", cabling_cable_name(c, p, arena),
                     c->node[port->node].name);
  }
}

int ethernet_cabling_read(cabling *c, const char *path, ripstop_text *notes, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  paths all = {0};
  int status = list_paths(&all, scratch, path, err);
  for (uint32_t i = 0; !status && i < all.count; i++) status = read_cables(c, all.path[i], err);
  ripstop_arena_free(scratch);
  if (status) return status;
  note_one_sided(c, notes);
  if (c->self_loops)
    ripstop_text_add(notes, "%s: left out %u cable%s from a node to itself: %.*s\n", path, c->self_loops,
                     c->self_loops == 1 ? "" : "s", (int)strcspn(c->loops.data, "\n"), c->loops.data);
  return 0;
}

/* ------------------------------------------------------------------ routes */

/* Memory that the files of all switches use one after the other. */
typedef struct reading {
  jt_doc doc;
  ripstop_arena *tokens, *text;
} reading;

static int read_routes(reading *r, route_table *table, const char *path, ripstop_error *err) {
  piece text;
  ripstop_arena_clear(r->text);
  if (read_file(r->text, path, &text, err)) return -1;
  if (jt_read(&r->doc, r->tokens, path, text.at, piece_length(text), err)) return -1;
  if (lldp_neighbors_is(&r->doc)) return ripstop_fail(err, "%s: has neighbours of LLDP, not routes", path);
  return route_table_read(table, &r->doc, err) || route_table_sort(table, path, err) ? -1 : 0;
}

static void note_table(const fib_source *s, ripstop_text *notes) {
  if (s->routes->other_vrfs)
    ripstop_text_add(notes, "%s: left out %u VRF%s: only the default one is judged\n", s->file, s->routes->other_vrfs,
                     s->routes->other_vrfs == 1 ? "" : "s");
  if (!s->routes->routes) ripstop_text_add(notes, "%s: has no routes\n", s->file);
}

static int read_source(reading *r, cabling *c, fib_source *out, const char *path, ripstop_text *notes,
                       ripstop_error *err) {
  const piece name = piece_of(switch_of(c->arena, path));
  const bool known = cabling_find_node(c, name) != RIPSTOP_NONE;
  *out =
      (fib_source){ripstop_arena_text(c->arena, path), cabling_add_node(c, name), RIPSTOP_NEW(c->arena, route_table)};
  if (out->node == RIPSTOP_NONE)
    return ripstop_fail(err, "%s: its name is the name of a switch, of 1 to %u bytes", path, CABLING_NAME_MOST);
  if (!known) ripstop_text_add(notes, "%s: no cable goes to a switch of this name\n", path);
  route_table_open(out->routes, c->arena);
  if (read_routes(r, out->routes, path, err)) return -1;
  note_table(out, notes);
  return 0;
}

int ethernet_routes_read(cabling *c, const char *const *path, uint32_t count, fib_source **out, uint32_t *sources,
                         ripstop_text *notes, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  paths all = {0};
  int status = 0;
  for (uint32_t i = 0; !status && i < count; i++) status = list_paths(&all, scratch, path[i], err);
  *out = RIPSTOP_ARRAY(c->arena, (size_t)all.count + 1, fib_source);
  *sources = all.count;
  reading r = {.tokens = ripstop_arena_new(), .text = ripstop_arena_new()};
  for (uint32_t i = 0; !status && i < all.count; i++) status = read_source(&r, c, &(*out)[i], all.path[i], notes, err);
  ripstop_arena_free(r.tokens);
  ripstop_arena_free(r.text);
  bool *seen = RIPSTOP_ARRAY(scratch, (size_t)c->nodes + 1, bool);
  for (uint32_t i = 0; !status && i < all.count; i++) {
    if (seen[(*out)[i].node]) status = ripstop_fail(err, "%s: another file has the routes of this switch", all.path[i]);
    seen[(*out)[i].node] = true;
  }
  ripstop_arena_free(scratch);
  return status;
}

/* ------------------------------------------------------------------ classes */

void ethernet_note_no_routes(ripstop_text *notes, const char *file) {
  ripstop_text_add(notes, "%s: no such switch has routes\n", file);
}

/* `routed`: the nodes with routes. */
static int read_classes(sonic_classes *s, cabling *c, const char *path, const bool *routed, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  piece text;
  jt_doc doc = {0};
  int status = read_file(scratch, path, &text, err);
  if (!status) status = read_one(&doc, scratch, path, text, err);
  if (!status && !sonic_config_is(&doc))
    status = ripstop_fail(err, "%s: is no config_db.json, which has the classes of a switch", path);
  const uint32_t node = status ? RIPSTOP_NONE : cabling_add_node(c, piece_of(switch_of(scratch, path)));
  if (!status && node == RIPSTOP_NONE)
    status = ripstop_fail(err, "%s: its name is the name of a switch, of 1 to %u bytes", path, CABLING_NAME_MOST);
  if (!status && !routed[node]) ethernet_note_no_routes(s->notes, path);
  if (!status) status = sonic_config_classes(s, c, &doc, node, err);
  ripstop_arena_free(scratch);
  return status;
}

int ethernet_classes_read(sonic_classes *s, cabling *c, const char *path, const fib_source *now, uint32_t sources,
                          ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  paths all = {0};
  int status = list_paths(&all, scratch, path, err);
  bool *routed = RIPSTOP_ARRAY(scratch, (size_t)c->nodes + all.count + 1, bool); /* each file adds a node at most */
  for (uint32_t i = 0; i < sources; i++) routed[now[i].node] = true;
  for (uint32_t i = 0; !status && i < all.count; i++) status = read_classes(s, c, all.path[i], routed, err);
  ripstop_arena_free(scratch);
  return status;
}
