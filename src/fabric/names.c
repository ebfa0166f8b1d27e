/* names.c - finds links, switches and end nodes by name: three hash tables, which hold numbers only. A name is computed
 * when it is compared, so an index costs 16 to 32 bytes a part, however long the names are. */
#include "fabric/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_table.h"
#include "fabric/inner.h"
#include "ripstop/plugin/family.h"

typedef ripstop_part_kind kind;

struct ripstop_names {
  const ripstop_fabric *fabric;
  ripstop_text_table table[RIPSTOP_PARTS];
  char *nearest; /* [RIPSTOP_NAME_MAX]: the last answer of ripstop_names_nearest_* */
};

static void name_of(const ripstop_fabric *fabric, kind what, uint32_t number, char *out) {
  if (what == RIPSTOP_PART_LINK)
    ripstop_link_name(fabric, number, out);
  else
    ripstop_node_name(fabric, number, out);
}

static bool is_called(const ripstop_fabric *fabric, kind what, uint32_t number, const char *text, size_t length) {
  char name[RIPSTOP_NAME_MAX];
  name_of(fabric, what, number, name);
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool link_is_called(const void *fabric, uint32_t link, const char *text, size_t length) {
  return is_called(fabric, RIPSTOP_PART_LINK, link, text, length);
}

static bool node_is_called(const void *fabric, uint32_t node, const char *text, size_t length) {
  return is_called(fabric, RIPSTOP_PART_SWITCH, node, text, length);
}

static uint32_t find(const ripstop_names *names, kind what, const char *text, size_t length) {
  return ripstop_text_table_find(&names->table[what], text, length,
                                 what == RIPSTOP_PART_LINK ? link_is_called : node_is_called, names->fabric);
}

static uint32_t first_of(const ripstop_fabric *fabric, kind what) {
  return what == RIPSTOP_PART_SWITCH ? fabric->ends : 0;
}

static uint32_t last_of(const ripstop_fabric *fabric, kind what) {
  return what == RIPSTOP_PART_LINK ? fabric->links : what == RIPSTOP_PART_SWITCH ? fabric->nodes : fabric->ends;
}

static int add(ripstop_names *names, kind what, uint32_t part, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  name_of(names->fabric, what, part, name);
  size_t length = strlen(name);
  if (length == 0) return ripstop_fail(err, "a part has no name");
  if (find(names, what, name, length) != RIPSTOP_NONE) return ripstop_fail(err, "the name '%s' is used twice", name);
  ripstop_text_table_add(&names->table[what], name, length, part);
  return 0;
}

/* Adds all names. One that is missing or used twice is left out; `err` names the last such one. */
static int add_all(ripstop_names *names, ripstop_error *err) {
  int status = 0;
  for (kind what = RIPSTOP_PART_LINK; what < RIPSTOP_PARTS; what++)
    for (uint32_t part = first_of(names->fabric, what); part < last_of(names->fabric, what); part++)
      if (add(names, what, part, err)) status = -1;
  return status;
}

static ripstop_names *open_names(const ripstop_fabric *fabric) {
  ripstop_names *names = ripstop_realloc(NULL, 1, sizeof *names);
  *names = (ripstop_names){.fabric = fabric, .nearest = ripstop_realloc(NULL, RIPSTOP_NAME_MAX, 1)};
  return names;
}

ripstop_names *ripstop_names_new(const ripstop_fabric *fabric) {
  ripstop_error err;
  if (!fabric) return NULL;
  RIPSTOP_GUARD(NULL, NULL);
  ripstop_names *names = open_names(fabric);
  (void)add_all(names, &err); /* that names differ is for ripstop_fabric_check to say */
  return names;
}

int ripstop_names_check(const ripstop_fabric *fabric, ripstop_error *err) {
  ripstop_names *names = open_names(fabric);
  int status = add_all(names, err);
  ripstop_names_free(names);
  return status;
}

void ripstop_names_free(ripstop_names *names) {
  if (names == NULL) return;
  for (kind what = RIPSTOP_PART_LINK; what < RIPSTOP_PARTS; what++) ripstop_text_table_free(&names->table[what]);
  ripstop_free(names->nearest);
  ripstop_free(names);
}

const ripstop_fabric *ripstop_names_fabric(const ripstop_names *names) { return names->fabric; }

/* A part by its name, or else by another name that its family knows. */
static uint32_t find_any(const ripstop_names *names, kind what, const char *text, size_t length) {
  const ripstop_fabric *fabric = names->fabric;
  uint32_t part = find(names, what, text, length);
  if (part != RIPSTOP_NONE || fabric->family->alias == NULL) return part;
  return fabric->family->alias(fabric, what, text, length);
}

uint32_t ripstop_names_link(const ripstop_names *names, const char *name, size_t length) {
  return find_any(names, RIPSTOP_PART_LINK, name, length);
}

uint32_t ripstop_names_switch(const ripstop_names *names, const char *name, size_t length) {
  return find_any(names, RIPSTOP_PART_SWITCH, name, length);
}

uint32_t ripstop_names_end(const ripstop_names *names, const char *name, size_t length) {
  return find_any(names, RIPSTOP_PART_END, name, length);
}

/* The name and all other names of a part, one after another; false when there is no such number. */
static bool name_number(const ripstop_fabric *fabric, kind what, uint32_t part, unsigned number, char *out) {
  if (number == 0) name_of(fabric, what, part, out);
  if (number == 0) return true;
  return fabric->family->other_name != NULL && fabric->family->other_name(fabric, what, part, number - 1, out);
}

/* True if a text matches a pattern with '*' and '?'; quotes in either are ignored. */
static bool matches(const char *pattern, const char *end, const char *text) {
  const char *star = NULL, *back = text;
  for (;;) {
    while (pattern < end && *pattern == '"') pattern++;
    while (*text == '"') text++;
    if (pattern < end && *pattern == '*') {
      star = ++pattern;
      back = text;
    } else if (pattern < end && *text != '\0' && (*pattern == '?' || *pattern == *text)) {
      pattern++;
      text++;
    } else if (pattern == end && *text == '\0') {
      return true;
    } else if (star == NULL || *back == '\0') {
      return false;
    } else {
      pattern = star;
      text = ++back;
    }
  }
}

bool ripstop_names_match(const ripstop_names *names, kind what, uint32_t part, const char *pattern, size_t length) {
  char name[RIPSTOP_NAME_MAX];
  for (unsigned number = 0; name_number(names->fabric, what, part, number, name); number++)
    if (matches(pattern, pattern + length, name)) return true;
  return false;
}

/* Keeps the better of the best name so far and each further one. Cost: one edit distance per part. */
static const char *nearest(const ripstop_names *names, kind what, const char *text, size_t length) {
  char wanted[RIPSTOP_NAME_MAX], best[RIPSTOP_NAME_MAX] = "", name[RIPSTOP_NAME_MAX];
  if (length >= sizeof wanted) return NULL;
  memcpy(wanted, text, length);
  wanted[length] = '\0';
  for (uint32_t i = first_of(names->fabric, what); i < last_of(names->fabric, what); i++) {
    for (unsigned number = 0; name_number(names->fabric, what, i, number, name); number++) {
      const char *const words[] = {best[0] != '\0' ? best : name, name, NULL};
      if (ripstop_nearest_word(wanted, words) == name) snprintf(best, sizeof best, "%s", name);
    }
  }
  if (best[0] == '\0') return NULL;
  memcpy(names->nearest, best, sizeof best);
  return names->nearest;
}

const char *ripstop_names_nearest_link(const ripstop_names *names, const char *name, size_t length) {
  return nearest(names, RIPSTOP_PART_LINK, name, length);
}

const char *ripstop_names_nearest_switch(const ripstop_names *names, const char *name, size_t length) {
  return nearest(names, RIPSTOP_PART_SWITCH, name, length);
}

const char *ripstop_names_nearest_end(const ripstop_names *names, const char *name, size_t length) {
  return nearest(names, RIPSTOP_PART_END, name, length);
}
