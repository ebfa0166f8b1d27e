/* table_case.c - reads the fabric, its dead parts and its tables for `ripstop judge` and `ripstop what-if`. */
#include "cli/table_case.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/local.h"
#include "fabric/ib.h"
#include "mend/snapshot.h"
#include "ripstop/kit/campaign.h"
#include "ripstop/plugin/plan.h"
#include "route/plan_steps.h"
#include "tables/infiniband/lfts.h"

static void tell_notes(const ripstop_fabric *fabric, const char *path, const ripstop_lfts_notes *n) {
  char name[RIPSTOP_NAME_MAX];
  if (n->unknown_switches)
    fprintf(stderr,
            "ripstop: %s:%u: %u of %u tables are of switches that the fabric does not have, and were passed over\n",
            n->unknown_switch.path, n->unknown_switch.line, n->unknown_switches, n->unknown_switches + n->tables);
  if (n->truncated)
    fprintf(stderr,
            "ripstop: %s:%u: the table is cut off, it does not end with 'lids dumped' as others do; %u such %s\n",
            n->first_truncated.path, n->first_truncated.line, n->truncated, n->truncated == 1 ? "table" : "tables");
  if (n->silent)
    fprintf(stderr, "ripstop: %s: no table, service level or lane in it; %u such %s passed over\n", n->silent_path,
            n->silent, n->silent == 1 ? "file was" : "files were");
  if (n->unknown_addresses)
    fprintf(stderr, "ripstop: %s:%u: %u LIDs of ports that the fabric does not have were passed over\n",
            n->unknown_address.path, n->unknown_address.line, n->unknown_addresses);
  if (n->without_entry) {
    ripstop_node_name(fabric, n->first_without_entry, name);
    fprintf(stderr, "ripstop: %s: %u adapter ports have a LID that no table has, so nobody reaches them: %s%s\n", path,
            n->without_entry, name, n->without_entry > 1 ? " and so on" : "");
  }
  if (n->unknown_sources)
    fprintf(stderr, "ripstop: %s: %u lines of service levels and lanes are about ports that the fabric does not have\n",
            path, n->unknown_sources);
  if (n->without_level)
    fprintf(stderr, "ripstop: %s: %" PRIu64 " paths have no service level, where others have one; %s is taken\n", path,
            n->without_level, n->levels_agree ? "that of the others to there" : "0");
  if (n->tables < ripstop_fabric_switches(fabric))
    fprintf(stderr, "ripstop: %s: %u of %u switches have no table\n", path, ripstop_fabric_switches(fabric) - n->tables,
            ripstop_fabric_switches(fabric));
}

/* ------------------------------------------------------------------ folders of tables */

/* The files of one set of tables, as `route -o` and as OpenSM write them; the first must be there. */
enum { SET = 3 };
static const char *const sets[][SET] = {{"lfts.dump", "sl.dump", "sl2vl.dump"},
                                        {"opensm-lfts.dump", "opensm-path-records.dump", "opensm-sl2vl.dump"}};
enum { SETS = sizeof sets / sizeof sets[0] };

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int add_file(ripstop_cli_values *out, const char *path, ripstop_error *err) {
  if (out->count == RIPSTOP_CLI_VALUES) return ripstop_fail(err, "--tables: more than %d files", RIPSTOP_CLI_VALUES);
  out->value[out->count++] = path;
  return 0;
}

static int add_folder(ripstop_arena *arena, const char *folder, ripstop_cli_values *out, ripstop_error *err) {
  for (unsigned set = 0; set < SETS; set++) {
    if (access(ripstop_arena_printf(arena, "%s/%s", folder, sets[set][0]), F_OK) != 0) continue;
    for (unsigned i = 0; i < SET; i++) {
      const char *path = ripstop_arena_printf(arena, "%s/%s", folder, sets[set][i]);
      if (access(path, F_OK) == 0 && add_file(out, path, err)) return -1;
    }
    return 0;
  }
  return ripstop_fail(
      err, "%s: is a folder with neither lfts.dump, as 'route -o' writes it, nor opensm-lfts.dump in it", folder);
}

/* Folders in place of the files in them. */
static int find_files(ripstop_arena *arena, const ripstop_cli_values *given, ripstop_cli_values *out,
                      ripstop_error *err) {
  *out = (ripstop_cli_values){0};
  for (unsigned i = 0; i < given->count; i++)
    if (is_folder(given->value[i]) ? add_folder(arena, given->value[i], out, err) : add_file(out, given->value[i], err))
      return -1;
  return 0;
}

/* Whether some line of a block of `sl.dump` ends with another level than 0; `rest`: how much its last line, which has
 * no end yet, takes. */
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

/* Who takes lfts.dump alone leaves its service levels behind. */
static void tell_left_behind(ripstop_arena *arena, const ripstop_cli_values *files) {
  const char *slash = strrchr(files->value[0], '/'), *name = slash ? slash + 1 : files->value[0];
  if (files->count > 1 || strcmp(name, sets[0][0]) != 0) return;
  const char *levels =
      ripstop_arena_printf(arena, "%.*s%s", (int)(name - files->value[0]), files->value[0], sets[0][1]);
  if (has_levels(levels))
    fprintf(stderr, "ripstop: %s: the service levels beside it, in %s, are not read: give the folder to have them\n",
            files->value[0], levels);
}

static ripstop_forwarding *read_files(const ripstop_fabric *fabric, const ripstop_view *view,
                                      const ripstop_cli_values *given, bool *levels, ripstop_error *err) {
  ripstop_lfts_notes notes;
  ripstop_cli_values files;
  ripstop_forwarding *tables = NULL;
  ripstop_arena *arena = ripstop_arena_new(), *names = ripstop_arena_new();
  if (find_files(names, given, &files, err) == 0)
    tables = ripstop_lfts_read(arena, fabric, view, files.value, files.count, &notes, NULL, err);
  if (tables) {
    tell_notes(fabric, given->count == 1 ? given->value[0] : "tables", &notes);
    tell_left_behind(names, &files);
    *levels = tables->level != NULL;
  } else {
    ripstop_arena_free(arena);
  }
  ripstop_arena_free(names);
  return tables;
}

/* ------------------------------------------------------------------ the file of OpenSM's plug-in */

/* With addresses for all nodes: one that the file does not have is reached by nobody. */
static ripstop_forwarding *read_snapshot(const ripstop_fabric *fabric, const char *path, ripstop_error *err) {
  bool missing;
  snapshot *s = snapshot_read(path, &missing, err);
  if (!s) return NULL;
  ripstop_forwarding *laid = snapshot_lay(s, fabric), *tables = NULL;
  if (laid->addresses == 0)
    ripstop_fail(err, "%s: no table in it is for a node of this fabric", path);
  else
    tables = ripstop_forwarding_cover(laid);
  if (tables && laid->addresses < s->addresses)
    fprintf(stderr, "ripstop: %s: %u addresses of nodes that the fabric does not have were passed over\n", path,
            s->addresses - laid->addresses);
  ripstop_forwarding_free(laid);
  snapshot_free(s);
  return tables;
}

ripstop_forwarding *ripstop_tables_read(const ripstop_fabric *fabric, const ripstop_view *view,
                                        const ripstop_cli_values *given, bool *levels, ripstop_error *err) {
  bool told = true;
  ripstop_forwarding *tables;
  if (given->count == 1 && snapshot_is(given->value[0]))
    tables = read_snapshot(fabric, given->value[0], err);
  else
    tables = read_files(fabric, view, given, &told, err);
  if (levels) *levels = told;
  return tables;
}

int ripstop_table_words_take(ripstop_table_words *w, const char *const *argument, unsigned count) {
  ripstop_error err;
  w->fabric = argument[0];
  for (unsigned i = 1; i < count; i++) {
    if (w->tables.count == 0 || w->tables.count == RIPSTOP_CLI_VALUES) {
      ripstop_fail(&err, "%s: one argument too many, '%.100s'", w->command, argument[i]);
      return ripstop_cli_fail(&err);
    }
    w->tables.value[w->tables.count++] = argument[i];
  }
  return RIPSTOP_CLI_GO_ON;
}

/* With levels and lanes, where those of InfiniBand can say what the plan does; else as if all packets took one. */
static void entries_and_lanes(ripstop_table_case *c, ripstop_answer *answer, ripstop_error *err) {
  c->tables = ripstop_forwarding_of_plan(c->plan, RIPSTOP_TABLE_ENTRIES_MAX, answer, err);
  c->whole = c->tables && ripstop_forwarding_add_lanes(c->plan, c->tables, err) == RIPSTOP_APPLIES;
  if (!c->tables || c->whole) return;
  ripstop_forwarding_free(c->tables);
  c->tables = ripstop_forwarding_of_plan(c->plan, RIPSTOP_TABLE_ENTRIES_MAX, answer, err);
}

static int compile(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  ripstop_answer answer;
  c->plan = ripstop_plan_compile(c->view, w->method, &answer, err);
  if (!c->plan) return w->asker ? ripstop_fail_at(err, "%s: %s", w->command, w->asker) : -1;
  answer = ripstop_plan_tables(c->plan, err);
  if (answer == RIPSTOP_APPLIES) entries_and_lanes(c, &answer, err);
  if (c->tables) return 0;
  return w->asker ? ripstop_fail_at(err, "%s: %s", w->command, w->asker) : ripstop_fail_at(err, "%s", w->command);
}

static int open_view(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  ripstop_faults faults = {0};
  if (w->dead) {
    ripstop_names *names = ripstop_names_new(c->fabric);
    int status = ripstop_faults_parse(c->arena, names, w->dead, strlen(w->dead), &faults, err);
    ripstop_names_free(names);
    if (status) return ripstop_fail_at(err, "%s: --set", w->command);
  }
  c->view = ripstop_view_new(c->fabric, &faults);
  return 0;
}

/* Before anything large is made. */
static int check_memory(const ripstop_table_words *w, const ripstop_fabric *f, ripstop_error *err) {
  const double giga = 1e9, needs = (double)w->entry_bytes * f->ends * ripstop_fabric_switches(f);
  const uint64_t there = ripstop_memory_there();
  if (there == UINT64_MAX || needs <= (double)there) return 0;
  return ripstop_fail(err, "%s: needs %.1f GB at least, for %u end nodes and %u switches, and there are %.1f GB",
                      w->command, needs / giga, f->ends, ripstop_fabric_switches(f), (double)there / giga);
}

/* Judging and repairing tables takes links to carry packets in both directions. */
static int check_directions(const ripstop_table_words *w, const ripstop_fabric *f, ripstop_error *err) {
  if (!f->one_way) return 0;
  return ripstop_fail(err, "%s: not for %s, which has links that carry packets in one direction; 'ripstop prove' is",
                      w->command, f->spec);
}

int ripstop_table_case_open(const ripstop_table_words *w, ripstop_table_case *c, ripstop_error *err) {
  *c = (ripstop_table_case){.arena = ripstop_arena_new()};
  unsigned sources = (w->method != NULL) + (w->tables.count > 0);
  if (sources > 1 || (sources == 0 && !w->any))
    return ripstop_fail(err, "%s: give either --tables FILE or --method METHOD", w->command);
  c->fabric = ripstop_cli_open_fabric(w->fabric, err);
  if (!c->fabric || check_directions(w, c->fabric, err) || check_memory(w, c->fabric, err) || open_view(w, c, err))
    return -1;
  if (w->method) return compile(w, c, err);
  c->tables = sources ? ripstop_tables_read(c->fabric, c->view, &w->tables, NULL, err)
                      : ripstop_forwarding_shortest(c->view, err);
  return c->tables ? 0 : -1;
}

int ripstop_table_case_deadlock(const ripstop_table_case *c, const ripstop_table_verdict *judged,
                                ripstop_plan_waits *out, ripstop_error *err) {
  if (c->plan) return ripstop_plan_deadlock(c->arena, c->plan, judged->credit_loop, c->whole, out, err);
  *out = (ripstop_plan_waits){.verdict = ripstop_deadlock_of_tables(judged->credit_loop)};
  return 0;
}

void ripstop_table_case_close(ripstop_table_case *c) {
  ripstop_forwarding_free(c->tables);
  ripstop_plan_free(c->plan);
  ripstop_view_free(c->view);
  ripstop_fabric_free(c->fabric);
  ripstop_arena_free(c->arena);
}

const char *const *ripstop_cli_describe(ripstop_arena *arena, const ripstop_fabric *f) {
  const char **text = RIPSTOP_ARRAY(arena, f->nodes, const char *);
  for (uint32_t node = 0; node < f->nodes; node++) text[node] = ripstop_ib_of(f) ? ripstop_ib_description(f, node) : "";
  return text;
}

const char *ripstop_cli_told(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_faults *parts) {
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t i = 0; ripstop_ib_of(f) && i < parts->links; i++) {
    uint32_t a = ripstop_link_node(f, parts->link[i], 0), b = ripstop_link_node(f, parts->link[i], 1);
    ripstop_text_add(&text, "%s'%s' - '%s'", i ? ", " : "", ripstop_ib_description(f, a), ripstop_ib_description(f, b));
  }
  for (uint32_t i = 0; ripstop_ib_of(f) && i < parts->switches; i++)
    ripstop_text_add(&text, "%s'%s'", text.length ? ", " : "", ripstop_ib_description(f, parts->switch_[i]));
  const char *told = ripstop_arena_text(arena, text.data ? text.data : "");
  return told;
}
