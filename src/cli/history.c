/* history.c - `ripstop history FOLDER`: which cables flap, since when, and which parts go down together, from dated
 * dumps of one fabric. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/growing.h"
#include "base/local.h"
#include "cli/cli.h"
#include "cli/fabric_files.h"
#include "cli/json.h"
#include "formats/infiniband/dump_history.h"

enum { ROWS_SHOWN = 100, PARTS_SHOWN = 6, DATES_SHOWN = 6 };

typedef struct dump_file {
  const char *name, *path;
  const char *why; /* it is left out; NULL: it is not */
  char date[IB_HISTORY_DATE];
  uint32_t cables;
} dump_file;

typedef struct book {
  ripstop_arena *arena;
  dump_file *file;
  uint32_t files, room;
  const dump_file **dump; /* [history.dumps] */
  dump_file *doubtful;    /* the last file, if it has too few cables; NULL: it has not */
  ib_history history;
  const ib_history_part **cable; /* [cables]: those that went down or were moved; the most often first */
  uint32_t cables;
} book;

/* ------------------------------------------------------------------ reading */

static int by_name(const void *a, const void *b) {
  return strcmp(((const dump_file *)a)->name, ((const dump_file *)b)->name);
}

static int by_date(const void *a_, const void *b_) {
  const dump_file *a = a_, *b = b_;
  const int order = strcmp(a->date, b->date);
  return order ? order : by_name(a, b);
}

static int list_folder(book *b, const char *path, ripstop_error *err) {
  DIR *folder = opendir(path);
  if (!folder) return ripstop_fail_system(err, errno, "history: %s", path);
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct stat about;
    const char *file = ripstop_arena_printf(b->arena, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] == '.' || stat(file, &about) || !S_ISREG(about.st_mode)) continue;
    RIPSTOP_GROW_IN(b->arena, b->file, b->files, b->room);
    b->file[b->files++] = (dump_file){.name = ripstop_arena_text(b->arena, entry->d_name), .path = file};
  }
  closedir(folder);
  if (b->files == 0) return ripstop_fail(err, "history: %s: no file in this folder", path);
  qsort(b->file, b->files, sizeof *b->file, by_name);
  return 0;
}

/* Reads a file for its date alone; most are read again later, one at a time, so that memory holds one. */
static void find_date(book *b, dump_file *f) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_error err = {0};
  const char *text;
  size_t length;
  if (fabric_files_read(scratch, f->path, &text, &length, &err))
    f->why = ripstop_arena_text(b->arena, err.text);
  else if (!ripstop_ib_is_dump(text, length))
    f->why = "no dump of a fabric";
  else if (!ib_history_date(f->name, text, length, f->date))
    f->why = "no date in its name (2026-01-31T0600) or in its first lines";
}

static bool same_peer(const void *dump, uint32_t port, const char *id, size_t length) {
  const char *peer = ((const ripstop_ib_dump *)dump)->port[port].peer_id;
  return strlen(peer) == length && memcmp(peer, id, length) == 0;
}

/* Nodes that a port names and that the dump does not list. */
static uint32_t unlisted_nodes(const ripstop_ib_dump *dump) {
  ripstop_text_table peers = {.arena = dump->arena};
  uint32_t count = 0;
  for (uint32_t p = 0; p < dump->ports; p++) {
    const char *id = dump->port[p].peer_id;
    const size_t length = id ? strlen(id) : 0;
    if (!length || ripstop_ib_node_of(dump, id, length) != RIPSTOP_NONE ||
        ripstop_text_table_find(&peers, id, length, same_peer, dump) != RIPSTOP_NONE)
      continue;
    ripstop_text_table_add(&peers, id, length, p);
    count++;
  }
  return count;
}

/* A few nodes may not have answered; a file that was cut off lacks more than a tenth of them. */
static const char *why_incomplete(const book *b, const ripstop_ib_dump *dump) {
  const uint32_t unlisted = unlisted_nodes(dump);
  if (10 * (uint64_t)unlisted <= (uint64_t)dump->nodes + unlisted) return NULL;
  return ripstop_arena_printf(b->arena, "%u nodes listed, and %u more named by ports: an incomplete dump", dump->nodes,
                              unlisted);
}

/* False: the file says why it is left out. */
static bool read_dump(const book *b, dump_file *f, ripstop_arena *arena, ripstop_ib_dump *dump) {
  ripstop_error err = {0};
  const char *text;
  size_t length;
  const bool is_read = fabric_files_read(arena, f->path, &text, &length, &err) == 0 &&
                       ripstop_ib_read(dump, arena, f->name, text, length, &err) == 0;
  f->why = is_read ? why_incomplete(b, dump) : ripstop_arena_text(b->arena, err.text);
  f->cables = is_read && !f->why ? dump->cables : 0;
  return !f->why;
}

static void keep_dump(book *b, const dump_file *f, const ripstop_ib_dump *dump) {
  b->dump[b->history.dumps] = f;
  ib_history_add(&b->history, dump);
}

/* Reads a file that was left out, and keeps it after all. */
static void keep_doubtful(book *b) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_ib_dump dump;
  if (read_dump(b, b->doubtful, scratch, &dump)) keep_dump(b, b->doubtful, &dump);
}

/* True if two dumps have as many cables, but for a tenth. */
static bool agree(const dump_file *a, const dump_file *b) {
  const uint64_t x = a->cables, y = b->cables, more = x > y ? x : y, fewer = x + y - more;
  return fewer > 0 && 10 * (more - fewer) <= more;
}

/* A dump with less than half of the cables of the one before is cut off, unless the next one agrees with it: then the
 * fabric has shrunk. */
static void add_dump(book *b, dump_file *f, uint32_t *before) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_ib_dump dump;
  if (!read_dump(b, f, scratch, &dump)) return;
  if (2 * (uint64_t)f->cables < *before) {
    if (!b->doubtful || !agree(b->doubtful, f)) {
      f->why = ripstop_arena_printf(b->arena, "%u cables after %u, and no dump after it agrees: an incomplete dump",
                                    f->cables, *before);
      b->doubtful = f;
      return;
    }
    keep_doubtful(b);
  }
  b->doubtful = NULL;
  *before = f->cables;
  keep_dump(b, f, &dump);
}

static int by_flaps(const void *a_, const void *b_) {
  const ib_history_part *a = *(const ib_history_part *const *)a_, *b = *(const ib_history_part *const *)b_;
  if (a->down.count != b->down.count) return a->down.count > b->down.count ? -1 : 1;
  if (a->last != b->last) return a->last < b->last ? -1 : 1;
  return strcmp(a->name, b->name);
}

static int read_folder(book *b, const char *path, ripstop_error *err) {
  uint32_t before = 0;
  if (list_folder(b, path, err)) return -1;
  for (uint32_t i = 0; i < b->files; i++) find_date(b, &b->file[i]);
  qsort(b->file, b->files, sizeof *b->file, by_date);
  b->dump = RIPSTOP_ARRAY(b->arena, b->files, const dump_file *);
  b->history.arena = b->arena;
  for (uint32_t i = 0; i < b->files; i++)
    if (!b->file[i].why) add_dump(b, &b->file[i], &before);
  if (b->history.dumps < 2)
    return ripstop_fail(err, "history: %s: %u dated dumps of a fabric; two at least are needed%s%s%s%s", path,
                        b->history.dumps, b->file[0].why ? "; " : "", b->file[0].why ? b->file[0].name : "",
                        b->file[0].why ? ": " : "", b->file[0].why ? b->file[0].why : "");
  ib_history_end(&b->history);
  b->cable = RIPSTOP_ARRAY(b->arena, (size_t)b->history.cables + 1, const ib_history_part *);
  for (uint32_t i = 0; i < b->history.cables; i++)
    if (b->history.cable[i].down.count || b->history.cable[i].moved.count) b->cable[b->cables++] = &b->history.cable[i];
  qsort(b->cable, b->cables, sizeof(void *), by_flaps);
  return 0;
}

/* ------------------------------------------------------------------ names and dates */

static const char *date_of(const book *b, uint32_t dump) { return b->dump[dump]->date; }

/* The last change: since when it is there, or gone. */
static const char *since(const book *b, const ib_history_part *p) {
  if (!ib_history_is_there(&b->history, p)) return date_of(b, p->last + 1);
  return date_of(b, p->up.count ? p->up.list[p->up.count - 1] : p->first);
}

static const char *quote(const char *text) { return strpbrk(text, " \t,*?\"") ? "\"" : ""; }

static const char *end_of(const book *b, const ib_history_part *cable, unsigned side) {
  const char *text = cable->text[side], *id = b->history.node[cable->node[side]].name;
  if (!text[0]) return ripstop_arena_printf(b->arena, "%s[%u]", id, cable->port[side]);
  return ripstop_arena_printf(b->arena, "%s%s%s/P%u", quote(text), text, quote(text), cable->port[side]);
}

static const char *cable_of(const book *b, const ib_history_part *cable) {
  return ripstop_arena_printf(b->arena, "%s - %s", end_of(b, cable, 0), end_of(b, cable, 1));
}

static const char *node_of(const ib_history_part *node) { return node->text[0][0] ? node->text[0] : node->name; }

static void print_dates(const book *b, const ib_history_times *t) {
  for (uint32_t i = 0; i < t->count && i < DATES_SHOWN; i++) printf("%s%s", i ? ", " : "", date_of(b, t->list[i]));
  if (t->count > DATES_SHOWN) printf(", and %u more", t->count - DATES_SHOWN);
}

/* Times that a cable went down and came back. */
static uint32_t flaps_of(const ib_history_part *c) {
  uint32_t flaps = 0;
  for (uint32_t i = 0; i < c->down.count; i++) flaps += c->up.count && c->up.list[c->up.count - 1] > c->down.list[i];
  return flaps;
}

/* ------------------------------------------------------------------ for people */

static void print_times(const book *b, const char *word, const ib_history_times *t) {
  if (!t->count) return;
  printf("%s %u %s (", word, t->count, t->count == 1 ? "time" : "times");
  print_dates(b, t);
  printf("); ");
}

static void print_cable(const book *b, const ib_history_part *c) {
  printf("    %s  ", cable_of(b, c));
  print_times(b, "down", &c->down);
  print_times(b, "moved", &c->moved);
  printf("%s since %s\n", ib_history_is_there(&b->history, c) ? "there" : "gone", since(b, c));
}

static void print_nodes(const book *b) {
  static const char *const kinds[] = {"switch", "adapter", "router"};
  for (uint32_t i = 0; i < b->history.nodes; i++) {
    const ib_history_part *n = &b->history.node[i];
    if (!n->down.count) continue;
    printf("  %-10s %s  ", kinds[n->kind], node_of(n));
    print_times(b, "away", &n->down);
    printf("%s since %s\n", ib_history_is_there(&b->history, n) ? "there" : "gone", since(b, n));
  }
}

static void print_group(const book *b, const ib_history_group *g) {
  const ib_history *h = &b->history;
  printf("  together   %u %s: ", g->parts, g->nodes ? "switches" : "cables");
  for (uint32_t i = 0; i < g->parts && i < PARTS_SHOWN; i++)
    printf("%s%s", i ? ", " : "", g->nodes ? node_of(&h->node[g->part[i]]) : cable_of(b, &h->cable[g->part[i]]));
  if (g->parts > PARTS_SHOWN) printf(", and %u more", g->parts - PARTS_SHOWN);
  printf("  ");
  print_times(b, "down", g->down);
  printf("%s\n", g->nodes                ? "perhaps one power feed"
                 : g->at != RIPSTOP_NONE ? ripstop_arena_printf(b->arena, "all are at %s", node_of(&h->node[g->at]))
                                         : "perhaps one duct");
}

static void print_text(const book *b) {
  const ib_history *h = &b->history;
  uint32_t down = 0, moved = 0, out = 0;
  for (uint32_t i = 0; i < b->cables; i++) {
    down += b->cable[i]->down.count > 0;
    moved += b->cable[i]->moved.count > 0;
  }
  for (uint32_t i = 0; i < b->files; i++) out += b->file[i].why != NULL;
  printf("%u dumps from %s to %s; %u files left out\n", h->dumps, date_of(b, 0), date_of(b, h->dumps - 1), out);
  for (uint32_t i = 0; i < b->files; i++)
    if (b->file[i].why) printf("  left out   %s: %s\n", b->file[i].name, b->file[i].why);
  printf("  cables     %u seen; %u went down while both of their nodes stayed, %u were moved\n", h->cables, down,
         moved);
  for (uint32_t i = 0; i < b->cables && i < ROWS_SHOWN; i++) print_cable(b, b->cable[i]);
  if (b->cables > ROWS_SHOWN) printf("    and %u more, all of them by --json\n", b->cables - ROWS_SHOWN);
  print_nodes(b);
  for (uint32_t i = 0; i < h->groups; i++) print_group(b, &h->group[i]);
}

/* ------------------------------------------------------------------ for scripts */

static json_t *json_dates(const book *b, const ib_history_times *t) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < t->count; i++) json_array_append_new(list, json_string(date_of(b, t->list[i])));
  return list;
}

static json_t *json_part(const book *b, const ib_history_part *p) {
  return json_pack("{s:o, s:o, s:o, s:o, s:b, s:s}", "name", ripstop_json_text(p->name), "description",
                   ripstop_json_text(p->text[0]), "down", json_dates(b, &p->down), "up", json_dates(b, &p->up), "there",
                   ib_history_is_there(&b->history, p), "since", since(b, p));
}

static json_t *json_cable(const book *b, const ib_history_part *c) {
  json_t *out = json_part(b, c);
  json_object_set_new(out, "far_description", ripstop_json_text(c->text[1]));
  json_object_set_new(out, "flaps", json_integer(flaps_of(c)));
  json_object_set_new(out, "moved", json_dates(b, &c->moved));
  json_object_set_new(out, "down_with_node", json_dates(b, &c->with));
  return out;
}

static json_t *json_group(const book *b, const ib_history_group *g) {
  const ib_history *h = &b->history;
  json_t *parts = json_array();
  for (uint32_t i = 0; i < g->parts; i++)
    json_array_append_new(parts, ripstop_json_text((g->nodes ? h->node : h->cable)[g->part[i]].name));
  json_t *out = json_pack("{s:s, s:o, s:o}", "what", g->nodes ? "switches" : "cables", "parts", parts, "down",
                          json_dates(b, g->down));
  if (g->at != RIPSTOP_NONE) json_object_set_new(out, "at", ripstop_json_text(h->node[g->at].name));
  return out;
}

static void print_json(const book *b) {
  const ib_history *h = &b->history;
  json_t *dumps = json_array(), *out = json_array(), *cables = json_array(), *nodes = json_array(),
         *groups = json_array();
  for (uint32_t i = 0; i < h->dumps; i++)
    json_array_append_new(dumps, json_pack("{s:o, s:s, s:i}", "file", ripstop_json_text(b->dump[i]->name), "date",
                                           b->dump[i]->date, "cables", (int)b->dump[i]->cables));
  for (uint32_t i = 0; i < b->files; i++)
    if (b->file[i].why)
      json_array_append_new(out, json_pack("{s:o, s:o}", "file", ripstop_json_text(b->file[i].name), "why",
                                           ripstop_json_text(b->file[i].why)));
  for (uint32_t i = 0; i < b->cables; i++) json_array_append_new(cables, json_cable(b, b->cable[i]));
  for (uint32_t i = 0; i < h->nodes; i++)
    if (h->node[i].down.count) json_array_append_new(nodes, json_part(b, &h->node[i]));
  for (uint32_t i = 0; i < h->groups; i++) json_array_append_new(groups, json_group(b, &h->group[i]));
  ripstop_cli_json_print(json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "dumps", dumps, "left_out", out, "cables_seen",
                                   (int)h->cables, "cables", cables, "nodes", nodes, "together", groups));
}

/* ------------------------------------------------------------------ the command */

int ripstop_cmd_history(int argc, char **argv) {
  bool json = false;
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print one JSON object."), {0}};
  const ripstop_usage usage = {.command = "history",
                               .arguments = "FOLDER",
                               .summary =
                                   "Reports which cables flap and which parts go down together, from dated dumps.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  const char *path;
  ripstop_error err = {0};
  const int status = ripstop_cli_parse(&usage, argc, argv, &path, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  RIPSTOP_LOCAL_ARENA(arena);
  book b = {.arena = arena};
  if (read_folder(&b, path, &err)) return ripstop_cli_fail(&err);
  (json ? print_json : print_text)(&b);
  return RIPSTOP_EXIT_OK;
}
