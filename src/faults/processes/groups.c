/* groups.c - parts that fail together: a bundle of cables, a line card, a rack, a power feed, or the groups of a file.
 *
 * Without a file, groups follow from the fabric. Switches form rows: those that are adjacent in the fabric's order
 * and agree in all coordinates but the lowest (the switches of one level and pod of a tree, the routers of one ring
 * of a torus). A rack is `size` neighbours of a row, the last one possibly fewer; a power feed is `racks` consecutive
 * racks; a cable is all links between the same two racks; a card is `size` neighbouring ports of a switch, without
 * those of end nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/piece.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"
#include "ripstop/plugin/process.h"

enum { CABLE, CARD, RACK, POWER };
static const char *const of_words[] = {[CABLE] = "cable", [CARD] = "card", [RACK] = "rack", [POWER] = "power", NULL};

typedef struct config {
  int64_t count;
  int32_t of;
  int64_t size, racks;
  const char *file, *hash;
  int64_t from, every, repair;
  bool cut;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, count, 1, 1e6, NULL, "groups that fail", .positional = true),
    RIPSTOP_WORD(config, of, of_words, "cable", "parts that fail as one, unless a file gives the groups"),
    RIPSTOP_INTEGER(config, size, 1, 65535, "4", "switches of a rack; ports of a card"),
    RIPSTOP_INTEGER(config, racks, 1, 1e6, "2", "racks on a power feed"),
    RIPSTOP_TEXT(config, file, "", "file of lines \"NAME: PART PART ...\", beside the experiment, with the groups"),
    RIPSTOP_TEXT(config, hash, "", "hash of the file (XXH3, 16 hexadecimal digits); empty: any file"),
    RIPSTOP_PROCESS_TIMES(config),
    RIPSTOP_INTEGER(config, repair, 0, 1e9, "0", "cycles after which a group is up again; 0: never"),
    RIPSTOP_FLAG(config, cut, "off",
                 "off: groups are picked at random so that the rest stays connected while all of them are down"),
    {0}};

typedef struct groups {
  uint32_t count;
  const ripstop_faults *group;
} groups;

/* Groups under construction: parts with the number of their group. */
typedef struct member {
  uint64_t group;
  uint32_t id;
} member;

static int by_group(const void *a, const void *b) {
  const member *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void make_groups(ripstop_arena *arena, member *list, uint32_t count, bool switches, groups *out) {
  uint32_t *id = RIPSTOP_ARRAY(arena, count, uint32_t);
  ripstop_faults *group = RIPSTOP_ARRAY(arena, count, ripstop_faults);
  if (count) qsort(list, count, sizeof *list, by_group);
  *out = (groups){.group = group};
  for (uint32_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && list[end].group == list[i].group; end++) id[end] = list[end].id;
    group[out->count++] = switches ? (ripstop_faults){.switches = end - i, .switch_ = &id[i]}
                                   : (ripstop_faults){.links = end - i, .link = &id[i]};
  }
}

/* ------------------------------------------------------------------ the fabric's own */

static bool same_row(const ripstop_fabric *f, uint32_t a, uint32_t b) {
  const uint16_t *x = &f->coord[(size_t)a * f->coords], *y = &f->coord[(size_t)b * f->coords];
  for (uint32_t i = 1; i < f->coords; i++)
    if (x[i] != y[i]) return false;
  return true;
}

/* The rack of each node, from 0; end nodes have none. */
static uint32_t *number_racks(const ripstop_fabric *f, uint32_t size) {
  uint32_t *rack = ripstop_realloc(NULL, f->nodes, sizeof *rack), last = 0, held = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    if (node > f->ends && (held == size || !same_row(f, node - 1, node))) last++, held = 0;
    rack[node] = last, held++;
  }
  return rack;
}

static void find_racks(ripstop_arena *arena, const ripstop_fabric *f, const config *c, groups *out) {
  uint32_t count = 0, *rack = number_racks(f, (uint32_t)c->size);
  member *list = ripstop_realloc(NULL, ripstop_fabric_switches(f) + 1, sizeof *list);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    list[count++] = (member){.group = rack[node] / (c->of == POWER ? (uint64_t)c->racks : 1), .id = node};
  make_groups(arena, list, count, true, out);
  ripstop_free(list);
  ripstop_free(rack);
}

static void find_cables(ripstop_arena *arena, const ripstop_fabric *f, const config *c, groups *out) {
  uint32_t count = 0, *rack = number_racks(f, (uint32_t)c->size);
  member *list = ripstop_realloc(NULL, f->links - f->link_ends + 1, sizeof *list);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint64_t a = rack[ripstop_link_node(f, link, 0)], b = rack[ripstop_link_node(f, link, 1)];
    if (a != b) list[count++] = (member){.group = a < b ? a << 32 | b : b << 32 | a, .id = link};
  }
  make_groups(arena, list, count, false, out);
  ripstop_free(list);
  ripstop_free(rack);
}

static void find_cards(ripstop_arena *arena, const ripstop_fabric *f, const config *c, groups *out) {
  uint32_t count = 0;
  member *list = ripstop_realloc(NULL, f->ports + 1, sizeof *list);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      uint64_t card = (port - f->port_base[node]) / (uint64_t)c->size;
      if (f->port_link[port] != RIPSTOP_NONE && f->port_link[port] >= f->link_ends)
        list[count++] = (member){.group = (uint64_t)node << 32 | card, .id = f->port_link[port]};
    }
  make_groups(arena, list, count, false, out);
  ripstop_free(list);
}

/* ------------------------------------------------------------------ groups of a file */

/* "NAME: PART PART ...": the name is for the reader of the file only. */
static int read_line(ripstop_arena *arena, const ripstop_names *names, const char *line, size_t length,
                     ripstop_faults *out, ripstop_error *err) {
  ripstop_words words = {.at = line, .end = line + length, .line = 1};
  const char *name;
  size_t size;
  *out = (ripstop_faults){0};
  if (!ripstop_words_next(&words, &name, &size)) return 0;
  if (name[size - 1] != ':' || size == 1)
    return ripstop_fail(err, "'%.*s': a line begins with the name of a group and a ':'", ripstop_word_shown(size),
                        name);
  if (ripstop_faults_parse(arena, names, words.at, (size_t)(words.end - words.at), out, err)) return -1;
  if (out->slows)
    return ripstop_fail(err, "the group '%.*s' has a slow link: groups fail", ripstop_word_shown(size - 1), name);
  return out->links + out->switches
             ? 0
             : ripstop_fail(err, "the group '%.*s' is empty", ripstop_word_shown(size - 1), name);
}

static uint32_t count_lines(const char *text, size_t length) {
  uint32_t lines = 1;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  return lines;
}

static int read_groups(ripstop_arena *arena, const ripstop_names *names, config *c, const char *beside, groups *out,
                       ripstop_error *err) {
  const char *path;
  char *text;
  size_t length;
  if (ripstop_process_file(arena, beside, &c->file, &c->hash, &path, &text, &length, err)) return -1;
  ripstop_faults *group = RIPSTOP_ARRAY(arena, count_lines(text, length), ripstop_faults);
  *out = (groups){.group = group};
  piece all = {text, text + length}, line;
  for (unsigned number = 1; piece_next_line(&all, &line); number++) {
    if (read_line(arena, names, line.at, piece_length(line), &group[out->count], err))
      return ripstop_fail_at(err, "%s:%u", path, number);
    out->count += group[out->count].links + group[out->count].switches > 0;
  }
  return 0;
}

/* ------------------------------------------------------------------ the process */

static int prepare(ripstop_arena *arena, const ripstop_names *names, const char *beside, void *options_,
                   const void **table, ripstop_error *err) {
  config *c = options_;
  const ripstop_fabric *f = ripstop_names_fabric(names);
  groups *found = RIPSTOP_NEW(arena, groups);
  *table = found;
  if (*c->file) return read_groups(arena, names, c, beside, found, err);
  if (*c->hash) return ripstop_fail(err, "process groups: hash needs a file");
  if (c->of == CABLE)
    find_cables(arena, f, c, found);
  else if (c->of == CARD)
    find_cards(arena, f, c, found);
  else
    find_racks(arena, f, c, found);
  return 0;
}

static void fail_group(const config *c, const ripstop_faults *group, uint32_t number, ripstop_outages *out) {
  double from = (double)(c->from + number * c->every), until = c->repair ? from + (double)c->repair : INFINITY;
  for (uint32_t i = 0; i < group->links; i++) ripstop_outages_add(out, group->link[i], false, from, until);
  for (uint32_t i = 0; i < group->switches; i++) ripstop_outages_add(out, group->switch_[i], true, from, until);
}

static int sample(const ripstop_process_case *at, const void *options_, const void *table, ripstop_outages *out,
                  ripstop_error *err) {
  const config *c = options_;
  const groups *all = table;
  if (c->count > all->count)
    return ripstop_fail(err, "%lld groups cannot fail in %s: there are only %u", (long long)c->count, at->fabric->spec,
                        all->count);
  uint32_t *chosen = ripstop_realloc(NULL, all->count + 1, sizeof *chosen);
  ripstop_stream stream = ripstop_stream_open(at->seed, RIPSTOP_RANDOM_SCHEDULE, at->index);
  ripstop_view *view = ripstop_view_new(at->fabric, at->faults);
  uint32_t found = ripstop_view_break_groups(view, all->group, all->count, (uint32_t)c->count, c->cut, &stream, chosen);
  for (uint32_t i = 0; i < found; i++) fail_group(c, &all->group[chosen[i]], i, out);
  ripstop_view_free(view);
  ripstop_free(chosen);
  if (found == c->count) return 0;
  return ripstop_fail(err, "%lld of the %u groups cannot fail in %s%s", (long long)c->count, all->count,
                      at->fabric->spec, c->cut ? "" : " without cutting it");
}

const ripstop_process ripstop_process_groups = {
    .abi = RIPSTOP_PROCESS_ABI,
    .name = "groups",
    .summary = "parts that fail together: cable bundles, line cards, racks, power feeds, or groups of a file",
    .options = options,
    .config_size = sizeof(config),
    .example = "1,of=rack,from=100,repair=200,cut=on",
    .prepare = prepare,
    .sample = sample,
};
