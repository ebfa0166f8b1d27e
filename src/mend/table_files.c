/* table_files.c - finds the files of a set of tables and reads them; says what was left out. */
#include "mend/table_files.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "mend/snapshot.h"
#include "tables/infiniband/lfts.h"

static void add_notes(ripstop_text *out, const ripstop_fabric *fabric, const char *path, const ripstop_lfts_notes *n) {
  char name[RIPSTOP_NAME_MAX];
  if (n->unknown_switches)
    ripstop_text_add(
        out, "%s:%u: %u of %u tables belong to switches that the fabric does not have, and were left out\n",
        n->unknown_switch.path, n->unknown_switch.line, n->unknown_switches, n->unknown_switches + n->tables);
  if (n->truncated)
    ripstop_text_add(out, "%s:%u: the table is cut off, it does not end with 'lids dumped' as others do; %u such %s\n",
                     n->first_truncated.path, n->first_truncated.line, n->truncated,
                     n->truncated == 1 ? "table" : "tables");
  if (n->silent)
    ripstop_text_add(out, "%s: no table, service level or virtual lane in it; %u such %s left out\n", n->silent_path,
                     n->silent, n->silent == 1 ? "file was" : "files were");
  if (n->unknown_addresses)
    ripstop_text_add(out, "%s:%u: %u LIDs of ports that the fabric does not have were left out\n",
                     n->unknown_address.path, n->unknown_address.line, n->unknown_addresses);
  if (n->without_entry) {
    ripstop_node_name(fabric, n->first_without_entry, name);
    ripstop_text_add(out, "%s: %u adapter ports have a LID that no table has, so no packet reaches them: %s%s\n", path,
                     n->without_entry, name, n->without_entry > 1 ? " and others" : "");
  }
  if (n->unknown_sources)
    ripstop_text_add(out, "%s: %u lines of service levels and VLs name ports that the fabric does not have\n", path,
                     n->unknown_sources);
  if (n->unknown_group_tables)
    ripstop_text_add(out, "%s: %u multicast tables belong to switches that the fabric does not have\n", path,
                     n->unknown_group_tables);
  if (n->groups_without_tables)
    ripstop_text_add(out, "%s: multicast groups without the tables of switches for them (opensm.mcfdbs, dump_mfts)\n",
                     path);
  if (n->without_level)
    ripstop_text_add(out, "%s: %" PRIu64 " paths have no service level, although others have one; %s is taken\n", path,
                     n->without_level, n->levels_agree ? "the level of the others to that address" : "0");
  if (n->tables < ripstop_fabric_switches(fabric))
    ripstop_text_add(out, "%s: %u of %u switches have no table\n", path, ripstop_fabric_switches(fabric) - n->tables,
                     ripstop_fabric_switches(fabric));
}

/* ------------------------------------------------------------------ folders of tables */

/* The files of one set of tables by the names that `route -o` and OpenSM give them; the first must exist. */
enum { SET = 6 };
static const char *const sets[][SET] = {
    {"lfts.dump", "sl.dump", "sl2vl.dump", "opensm.mcfdbs", "mfts.dump", "groups.txt"},
    {"opensm-lfts.dump", "opensm-path-records.dump", "opensm-sl2vl.dump", "opensm.mcfdbs", "mfts.dump", "groups.txt"}};
enum { SETS = sizeof sets / sizeof sets[0] };

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The paths of files that exist, in an array of the arena. */
typedef struct file_list {
  const char **path;
  unsigned count;
} file_list;

static int add_folder(ripstop_arena *arena, const char *folder, file_list *out, ripstop_error *err) {
  for (unsigned set = 0; set < SETS; set++) {
    if (access(ripstop_arena_printf(arena, "%s/%s", folder, sets[set][0]), F_OK) != 0) continue;
    for (unsigned i = 0; i < SET; i++) {
      const char *path = ripstop_arena_printf(arena, "%s/%s", folder, sets[set][i]);
      if (access(path, F_OK) == 0) out->path[out->count++] = path;
    }
    return 0;
  }
  return ripstop_fail(
      err, "%s: is a folder with neither lfts.dump, as 'route -o' writes it, nor opensm-lfts.dump in it", folder);
}

/* Replaces folders by the files in them. */
static int find_files(ripstop_arena *arena, const ripstop_table_files *given, file_list *out, ripstop_error *err) {
  *out = (file_list){.path = RIPSTOP_ARRAY(arena, (size_t)SET * given->paths, const char *)};
  for (unsigned i = 0; i < given->paths; i++) {
    if (!is_folder(given->path[i]))
      out->path[out->count++] = given->path[i];
    else if (add_folder(arena, given->path[i], out, err))
      return -1;
  }
  return 0;
}

/* True if some line of a block of `sl.dump` ends with another level than 0. *rest: bytes of its last line, which has no
 * end yet. */
static bool has_level(const char *block, size_t bytes, size_t *rest) {
  const char *at = block, *end = block + bytes, *line_end;
  bool has = false;
  while (!has && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
    const char *last = line_end - (line_end > at && line_end[-1] == '\r');
    has = *at != '#' && last - at > 2 && (last[-1] != '0' || last[-2] != ' ');
    at = line_end + 1;
  }
  *rest = (size_t)(end - at);
  return has;
}

static bool has_levels(const char *path) {
  enum { BLOCK_BYTES = 1 << 16 };
  char block[BLOCK_BYTES];
  size_t rest = 0, got;
  bool has = false;
  FILE *file = fopen(path, "r");
  while (file && !has && (got = fread(block + rest, 1, sizeof block - rest, file)) > 0) {
    size_t bytes = rest + got;
    has = has_level(block, bytes, &rest);
    memmove(block, block + bytes - rest, rest);
  }
  if (file) fclose(file);
  return has;
}

/* A user who gives lfts.dump alone may not know that the service levels are in another file. */
static void note_left_behind(ripstop_text *out, ripstop_arena *arena, const file_list *files) {
  const char *slash = strrchr(files->path[0], '/'), *name = slash ? slash + 1 : files->path[0];
  if (files->count > 1 || strcmp(name, sets[0][0]) != 0) return;
  const char *levels = ripstop_arena_printf(arena, "%.*s%s", (int)(name - files->path[0]), files->path[0], sets[0][1]);
  if (has_levels(levels))
    ripstop_text_add(out, "%s: the service levels beside it, in %s, are not read: give the folder to have them\n",
                     files->path[0], levels);
}

static ripstop_forwarding *read_files(const ripstop_fabric *fabric, const ripstop_view *view,
                                      const ripstop_table_files *given, ripstop_text *notes, bool *levels,
                                      ripstop_error *err) {
  ripstop_lfts_notes found;
  file_list files;
  ripstop_forwarding *tables = NULL;
  ripstop_arena *arena = ripstop_arena_new(), *names = ripstop_arena_new();
  if (find_files(names, given, &files, err) == 0)
    tables = ripstop_lfts_read(arena, fabric, view, files.path, files.count, &found, NULL, err);
  if (tables) {
    add_notes(notes, fabric, given->paths == 1 ? given->path[0] : "tables", &found);
    note_left_behind(notes, names, &files);
    *levels = tables->level != NULL;
  } else {
    ripstop_arena_free(arena);
  }
  ripstop_arena_free(names);
  return tables;
}

/* ------------------------------------------------------------------ the file of OpenSM's plug-in */

/* The tables get addresses for all nodes; an address that the file does not have is not reached. */
static ripstop_forwarding *read_snapshot(const ripstop_fabric *fabric, const char *path, ripstop_text *notes,
                                         ripstop_error *err) {
  bool missing;
  snapshot *s = snapshot_read(path, &missing, err);
  if (!s) return NULL;
  ripstop_forwarding *laid = snapshot_lay(s, fabric), *tables = NULL;
  if (laid->addresses == 0)
    ripstop_fail(err, "%s: no table in it is for a node of this fabric", path);
  else
    tables = ripstop_forwarding_cover(laid);
  if (tables && laid->addresses < s->addresses)
    ripstop_text_add(notes, "%s: %u addresses of nodes that the fabric does not have were left out\n", path,
                     s->addresses - laid->addresses);
  ripstop_forwarding_free(laid);
  snapshot_free(s);
  return tables;
}

ripstop_forwarding *ripstop_table_files_read(const ripstop_table_files *files, const ripstop_fabric *fabric,
                                             const ripstop_view *view, ripstop_text *notes, bool *levels,
                                             ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  bool has = true;
  ripstop_forwarding *tables = files->paths == 1 && snapshot_is(files->path[0])
                                   ? read_snapshot(fabric, files->path[0], notes, err)
                                   : read_files(fabric, view, files, notes, &has, err);
  if (levels) *levels = has;
  return tables;
}
