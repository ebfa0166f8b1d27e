/* fabrics.h - what `ripstop fabric` shows of a fabric: whether it is wired as its family says, distances, and groups.
 */
#ifndef RIPSTOP_KIT_FABRICS_H
#define RIPSTOP_KIT_FABRICS_H

#include "ripstop/fabric.h"

RIPSTOP_BEGIN

/* Everything that must hold of the arrays (peers mutual, links named once, end nodes with one port, names unique,
 * counts as the family's closed forms say). 0 or -1 with the first thing that does not hold. */
int ripstop_fabric_check(const ripstop_fabric *fabric, ripstop_error *err);

/* Distances between distinct end nodes, in links, the two links to the end nodes included. */
typedef struct ripstop_span {
  uint32_t diameter;    /* the longest */
  double mean;          /* over all ordered pairs that were looked at and have a path */
  uint32_t sources;     /* end nodes from which was searched; less than all: the rest was left out */
  uint64_t unreachable; /* pairs without a path among those looked at */
} ripstop_span;
/* Searches from all end nodes, from one where the family is symmetric, or from `limit` evenly spread ones when there
 * are more. Cost: O(ports) for each. */
int ripstop_fabric_span(const ripstop_fabric *fabric, uint32_t limit, ripstop_span *out);

/* The group of a link or a switch: the one that a graph's file names, or for a link between switches the one of its
 * family ("global", "level-0"). `out` has RIPSTOP_NAME_MAX bytes. False: it is in no group, and `out` is as before.
 * Nothing else can fail; a number that the fabric does not have is the caller's mistake. */
bool ripstop_link_group_of(const ripstop_fabric *fabric, uint32_t link, char *out);
bool ripstop_switch_group_of(const ripstop_fabric *fabric, uint32_t node, char *out);
/* All groups of a fabric, shorter names first, so that numbered ones are in order; memory from the arena. -1: memory
 * ran out, and the list is empty. */
typedef struct ripstop_group_size {
  const char *name;
  uint32_t links, switches; /* in the group */
} ripstop_group_size;
int ripstop_fabric_groups(ripstop_arena *arena, const ripstop_fabric *fabric, ripstop_group_size **out,
                          uint32_t *count);

RIPSTOP_END

#endif
