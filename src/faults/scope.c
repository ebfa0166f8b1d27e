/* scope.c - the parts of a fabric that may fail: all links between switches, all links, all switches, a group of the
 * fabric, or the parts that a pattern of names matches.
 *
 * A scope has links or switches, never both, so that a process can say which of the two fail. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"
#include "ripstop/kit/fabrics.h"

typedef enum scope_kind { SWITCH_LINKS, ALL_LINKS, SWITCHES, SOME_LINKS, SOME_SWITCHES } scope_kind;

struct ripstop_fault_scope {
  const char *name;
  scope_kind kind;
  uint32_t parts; /* SOME_*: how many, and their links or switches, ascending */
  const uint32_t *id;
};

const ripstop_fault_scope ripstop_scope_switch_links = {.name = "switch-links", .kind = SWITCH_LINKS};
const ripstop_fault_scope ripstop_scope_all_links = {.name = "all-links", .kind = ALL_LINKS};
const ripstop_fault_scope ripstop_scope_switches = {.name = "switches", .kind = SWITCHES};

enum { WHOLE = 3 };
static const ripstop_fault_scope *const whole[WHOLE] = {&ripstop_scope_switch_links, &ripstop_scope_all_links,
                                                        &ripstop_scope_switches};

/* ------------------------------------------------------------------ parts */

static const ripstop_fault_scope *or_default(const ripstop_fault_scope *scope) {
  return scope ? scope : &ripstop_scope_switch_links;
}

const char *ripstop_scope_name(const ripstop_fault_scope *scope) { return or_default(scope)->name; }

bool ripstop_scope_is_switches(const ripstop_fault_scope *scope) {
  const scope_kind kind = or_default(scope)->kind;
  return kind == SWITCHES || kind == SOME_SWITCHES;
}

uint32_t ripstop_faults_population(const ripstop_fabric *fabric, const ripstop_fault_scope *scope) {
  scope = or_default(scope);
  switch (scope->kind) {
  case SWITCH_LINKS:
    return fabric->links - fabric->link_ends;
  case ALL_LINKS:
    return fabric->links;
  case SWITCHES:
    return ripstop_fabric_switches(fabric);
  case SOME_LINKS:
  case SOME_SWITCHES:
    break;
  }
  return scope->parts;
}

/* The fabric's number of part 0 of a whole kind. */
static uint32_t first_id(const ripstop_fabric *fabric, const ripstop_fault_scope *scope) {
  return scope->kind == SWITCHES ? fabric->ends : scope->kind == ALL_LINKS ? 0 : fabric->link_ends;
}

uint32_t ripstop_scope_id(const ripstop_fabric *fabric, const ripstop_fault_scope *scope, uint32_t part) {
  scope = or_default(scope);
  return scope->id ? scope->id[part] : first_id(fabric, scope) + part;
}

uint32_t ripstop_scope_part(const ripstop_fabric *fabric, const ripstop_fault_scope *scope, uint32_t id) {
  scope = or_default(scope);
  if (!scope->id) return id - first_id(fabric, scope);
  uint32_t low = 0, high = scope->parts;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (scope->id[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ------------------------------------------------------------------ from a text */

typedef struct finding {
  ripstop_fault_scope *scope;
  uint32_t *id;
  bool links, switches;
} finding;

static void found(void *to, uint32_t id, bool is_switch) {
  finding *f = to;
  f->links |= !is_switch;
  f->switches |= is_switch;
  f->id[f->scope->parts++] = id;
}

/* The parts that a word of fault sets names. */
static int open_pattern(const ripstop_names *names, const char *text, finding *f, ripstop_error *err) {
  uint16_t rate;
  if (ripstop_part_find_all(names, text, strlen(text), found, f, &rate, err)) return -1;
  if (rate) return ripstop_fail(err, "scope '%.100s': a scope has no rate", text);
  if (f->links && f->switches)
    return ripstop_fail(err, "scope '%.100s': it has links and switches; a scope has one kind", text);
  f->scope->kind = f->switches ? SOME_SWITCHES : SOME_LINKS;
  return 0;
}

/* The error for an unknown scope: all valid words, and the nearest one. */
static int no_such_scope(ripstop_arena *arena, const ripstop_fabric *f, const char *text,
                         const ripstop_group_size *group, uint32_t groups, ripstop_error *err) {
  enum { SHOWN = 16 };
  const uint32_t shown = groups < SHOWN ? groups : SHOWN;
  const char **words = RIPSTOP_ARRAY(arena, WHOLE + (size_t)groups + 1, const char *);
  const char *list = "";
  for (uint32_t i = 0; i < WHOLE + groups; i++) words[i] = i < WHOLE ? whole[i]->name : group[i - WHOLE].name;
  for (uint32_t i = 0; i < WHOLE + shown; i++) list = ripstop_arena_printf(arena, "%s%s, ", list, words[i]);
  const char *near = ripstop_nearest_word(text, words);
  return ripstop_fail(err, "no scope '%.100s' in %s%s%s%s (scopes: %s%sa pattern as 'switch:*')", text, f->spec,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list,
                      groups > shown ? "..., " : "");
}

/* A group's name without "group:" stands for "group:NAME". */
static const char *pattern_of(ripstop_arena *arena, const ripstop_group_size *group, uint32_t groups,
                              const char *text) {
  static const char group_prefix[] = RIPSTOP_GROUP_PREFIX, switch_prefix[] = "switch:";
  for (uint32_t i = 0; i < groups; i++)
    if (!strcmp(group[i].name, text)) return ripstop_arena_printf(arena, "%s%s", group_prefix, text);
  const bool pattern = strpbrk(text, "*?") || !strncmp(text, group_prefix, sizeof group_prefix - 1) ||
                       !strncmp(text, switch_prefix, sizeof switch_prefix - 1);
  return pattern ? text : NULL;
}

static int open_some(ripstop_arena *arena, const ripstop_names *names, const char *text, ripstop_fault_scope *out,
                     ripstop_error *err) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_group_size *group;
  uint32_t groups;
  finding find = {.scope = out, .id = RIPSTOP_ARRAY(scratch, f->links + ripstop_fabric_switches(f), uint32_t)};
  if (ripstop_fabric_groups(scratch, f, &group, &groups)) ripstop_out_of_memory();
  const char *pattern = pattern_of(scratch, group, groups, text);
  int status =
      !pattern ? no_such_scope(scratch, f, text, group, groups, err) : open_pattern(names, pattern, &find, err);
  if (!status) {
    uint32_t *id = RIPSTOP_ARRAY(arena, out->parts, uint32_t);
    memcpy(id, find.id, out->parts * sizeof *id);
    out->id = id;
  }
  return status;
}

static const ripstop_fault_scope *whole_of(const char *text) {
  for (unsigned i = 0; i < WHOLE; i++)
    if (!strcmp(whole[i]->name, text)) return whole[i];
  return NULL;
}

/* A group may have the name of a whole kind, or one that reads as a pattern: then only "group:" selects it. */
const char *ripstop_scope_canonical(const char *text) {
  static const char prefix[] = RIPSTOP_GROUP_PREFIX;
  if (!strcmp(text, "switch:*")) return ripstop_scope_switches.name;
  if (strncmp(text, prefix, sizeof prefix - 1) != 0) return text;
  const char *word = text + sizeof prefix - 1;
  return *word && !strpbrk(word, "*?:~@") && !whole_of(word) ? word : text;
}

int ripstop_scope_open(ripstop_arena *arena, const ripstop_names *names, const char *text,
                       const ripstop_fault_scope **out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if ((*out = whole_of(ripstop_scope_canonical(text)))) return 0;
  ripstop_fault_scope *own = RIPSTOP_NEW(arena, ripstop_fault_scope);
  *own = (ripstop_fault_scope){.name = ripstop_arena_text(arena, ripstop_scope_canonical(text))};
  *out = own;
  return open_some(arena, names, text, own, err);
}
