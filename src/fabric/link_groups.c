/* link_groups.c - the groups of links and switches that have a name: those of a family, and those of a graph's file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fabric/graph.h"
#include "ripstop/kit/fabrics.h"

static bool copied(const char *group, char *out) {
  if (group != NULL) snprintf(out, RIPSTOP_NAME_MAX, "%s", group);
  return group != NULL;
}

bool ripstop_link_group_of(const ripstop_fabric *f, uint32_t link, char *out) {
  const ripstop_family *family = f->family;
  uint32_t number = 0;
  if (family->groups == NULL || link < f->link_ends)
    return copied(ripstop_graph_group(f, RIPSTOP_PART_LINK, link), out);
  const ripstop_link_group *group = &family->groups[family->group_of(f, link, &number)];
  if (!group->numbered) return copied(group->name, out);
  snprintf(out, RIPSTOP_NAME_MAX, "%s-%u", group->name, number);
  return true;
}

bool ripstop_switch_group_of(const ripstop_fabric *f, uint32_t node, char *out) {
  return copied(ripstop_graph_group(f, RIPSTOP_PART_SWITCH, node), out);
}

/* Shorter names first, so that "level-2" is before "level-10". */
static int by_name(const void *a, const void *b) {
  const ripstop_group_size *x = a, *y = b;
  const size_t own = strlen(x->name), other = strlen(y->name);
  return own != other ? (own < other ? -1 : 1) : strcmp(x->name, y->name);
}

int ripstop_fabric_groups(ripstop_arena *arena, const ripstop_fabric *f, ripstop_group_size **out, uint32_t *count) {
  *out = NULL;
  *count = 0;
  RIPSTOP_GUARD(NULL, -1);
  const uint32_t parts = f->links + ripstop_fabric_switches(f);
  ripstop_group_size *list = RIPSTOP_ARRAY(arena, parts, ripstop_group_size);
  uint32_t found = 0;
  char name[RIPSTOP_NAME_MAX];
  *out = list;
  for (uint32_t i = 0; i < parts; i++) {
    const bool is_link = i < f->links;
    if (!(is_link ? ripstop_link_group_of(f, i, name) : ripstop_switch_group_of(f, i - f->links + f->ends, name)))
      continue;
    list[found++] = (ripstop_group_size){ripstop_arena_text(arena, name), is_link, !is_link};
  }
  if (found > 0) qsort(list, found, sizeof *list, by_name);
  for (uint32_t i = 0; i < found; i++) {
    ripstop_group_size *last = *count > 0 ? &list[*count - 1] : NULL;
    if (last != NULL && strcmp(last->name, list[i].name) == 0)
      last->links += list[i].links, last->switches += list[i].switches;
    else
      list[(*count)++] = list[i];
  }
  return 0;
}
