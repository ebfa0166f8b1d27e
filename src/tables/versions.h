/* versions.h - the versions of its tables that each switch can have around a change of the fabric: those from before,
 * those that it has while switches still exchange messages, and those that it has in the end. Proofs of transient
 * states of old and new tables are about these (prove.h); docs/prove.md explains the terms.
 *
 * They belong to one history: one order in which parts fail or return and in which messages arrive. Time is cut into
 * stages, in each of which every switch has one version. */
#ifndef TABLES_VERSIONS_H
#define TABLES_VERSIONS_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_node_version ripstop_node_version;
struct ripstop_node_version {
  const ripstop_plan *plan;        /* for the view of that time */
  const void *state;               /* the state from which the method's protocol answers; NULL: the plan's `route`
                                    * answers, or */
  const ripstop_forwarding *table; /* not NULL: these tables, whatever the plan has made */
  const ripstop_node_version
      *keeps;        /* not NULL: only entries that this version has, too; the others have been removed */
  uint32_t from, to; /* the first and the last stage with it */
  bool again;        /* an earlier one of the node is the same, in other stages */
};

typedef struct ripstop_versions {
  const ripstop_plan *before, *after; /* the caller's */
  uint32_t stages;
  uint32_t *first; /* [nodes + 1]: a node's first in `version`; also for end nodes, whose network interfaces
                    * have versions, too */
  ripstop_node_version *version; /* a node's in the order of time: the last one stays */
  ripstop_plan **plan;           /* [plans]: those between, and their views */
  ripstop_view **view;
  uint32_t plans;
  ripstop_forwarding *repaired; /* tables that some version has, and that are freed with it; NULL */
  ripstop_arena *arena;
} ripstop_versions;

/* Tables are written over old ones switch by switch, in any order. In two writes all entries that change are
 * removed first, and when packets in flight have met that, the new ones are written. */
typedef enum ripstop_writing {
  RIPSTOP_WRITE_AT_ONCE,
  RIPSTOP_WRITE_EMPTY,      /* the first of two writes: from the old tables to those without changed entries */
  RIPSTOP_WRITE_AFTER_EMPTY /* the second */
} ripstop_writing;

/* For a method that answers by its plans, which must have their tables. `old`, `new_`: forwarding tables in place of
 * those of the plans, both or none; they must outlive the versions. NULL: no memory. */
ripstop_versions *ripstop_versions_of_plans(const ripstop_plan *before, const ripstop_plan *after,
                                            const ripstop_forwarding *old, const ripstop_forwarding *new_,
                                            ripstop_writing writing);
void ripstop_versions_free(ripstop_versions *versions); /* NULL is fine */

/* The answer of a node with this version: its candidates, each by itself; or -(1 + index into losses); or 0: the
 * packet is stalled. A packet whose entry has been removed is lost: RIPSTOP_TAKEN_AWAY. `ways` has room for twice the
 * most of any version (ripstop_versions_candidates_max). */
#define RIPSTOP_TAKEN_AWAY (-0x10000)
int ripstop_version_candidates(const ripstop_node_version *version, const ripstop_head *head,
                               ripstop_candidate *candidates);
static inline const ripstop_node_version *ripstop_version_final(const ripstop_versions *versions, uint32_t node) {
  return &versions->version[versions->first[node + 1] - 1];
}
uint32_t ripstop_versions_candidates_max(const ripstop_versions *versions);
uint32_t ripstop_versions_channels(const ripstop_versions *versions); /* the most that one uses */

RIPSTOP_END

#endif
