/* versions.h - the versions of its tables that each switch can have around a change of the fabric: those from before,
 * those that it has while switches still tell each other, and those that it has in the end. What is proved of mixtures
 * of old and new tables is proved of these (prove.h); docs/prove.md, "Mixtures", has the words.
 *
 * They are of one history: one order in which parts fail or return and in which messages arrive. Time is cut into
 * stages, in each of which no switch has more than its version. */
#ifndef RIPSTOP_VERSIONS_H
#define RIPSTOP_VERSIONS_H

#include "ripstop/forwarding.h"
#include "ripstop/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_version ripstop_version;
struct ripstop_version {
  const ripstop_plan *plan;        /* for the view of that time */
  const void *state;               /* what the method's protocol answers from; NULL: the plan's `route` does, or */
  const ripstop_forwarding *table; /* not NULL: these tables, whatever the plan has made */
  const ripstop_version *keeps;    /* not NULL: only entries that this one has too; the others have been taken away */
  uint32_t from, to;               /* the first and the last stage with it */
  bool again;                      /* an earlier one of the node is the same, in other stages */
};

typedef struct ripstop_versions {
  const ripstop_plan *before, *after; /* the caller's */
  uint32_t stages;
  uint32_t *first;          /* [nodes + 1]: a node's first in `version`; end nodes' too, whose interfaces ask as well */
  ripstop_version *version; /* a node's in the order of time: the last one is the one that stays */
  ripstop_plan **plan;      /* [plans]: those between, and their views */
  ripstop_view **view;
  uint32_t plans;
  ripstop_forwarding *repaired; /* tables that some version has, and that go with them; NULL */
  ripstop_arena *arena;
} ripstop_versions;

/* How tables are written over old ones, switch by switch in any order. In two writes all entries that change are taken
 * away first, and when packets that are under way have met that, the new ones are written. */
typedef enum ripstop_writing {
  RIPSTOP_WRITE_AT_ONCE,
  RIPSTOP_WRITE_EMPTY,      /* the first of two writes: from the old tables to those without what changes */
  RIPSTOP_WRITE_AFTER_EMPTY /* the second */
} ripstop_writing;

/* Of a method that is asked by its plans, which have their tables. `old`, `new_`: forwarding tables in place of what
 * the plans of before and of after have made, both or none; they must outlive the versions. NULL: no memory. */
ripstop_versions *ripstop_versions_of_plans(const ripstop_plan *before, const ripstop_plan *after,
                                            const ripstop_forwarding *old, const ripstop_forwarding *new_,
                                            ripstop_writing writing);
void ripstop_versions_free(ripstop_versions *versions); /* NULL is fine */

/* What a node with this version answers: its ways, each by itself; or -(1 + index into losses); or 0: the packet is
 * held. A packet whose entry has been taken away is lost: RIPSTOP_TAKEN_AWAY. `ways` has room for twice the most of any
 * version (ripstop_versions_candidates_max). */
#define RIPSTOP_TAKEN_AWAY (-0x10000)
int ripstop_version_candidates(const ripstop_version *version, const ripstop_head *head, ripstop_candidate *candidates);
static inline const ripstop_version *ripstop_version_final(const ripstop_versions *versions, uint32_t node) {
  return &versions->version[versions->first[node + 1] - 1];
}
uint32_t ripstop_versions_candidates_max(const ripstop_versions *versions);
uint32_t ripstop_versions_channels(const ripstop_versions *versions); /* the most that one uses */

RIPSTOP_END

#endif
