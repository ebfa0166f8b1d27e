/* shortest.h - shortest paths on any fabric: shared by the methods `minimal`, `valiant` and `ugal`.
 *
 * Every directed link between switches has a place in one order. A packet stays in its virtual channel if its next link
 * comes later in the order than the one that it came by; otherwise it rises to the next virtual channel. So (virtual
 * channel, place) grows with every hop, no queue can wait for one before it, and nothing deadlocks, on any fabric with
 * any candidates. No packet rises more than once per hop, so as many virtual channels as hops always suffice.
 *
 * The order determines how many virtual channels are needed. First come links up, away from the switches with end
 * nodes, the lowest first; last come links down; between them the others:
 *   tori           by dimension and direction, then along the ring: a packet rises at the wrap-around link
 *   mesh, hyperx   by dimension and direction, then along the line
 *   dragonflies    links inside a group, then those between groups
 *   others         a search from the first switch ranks all; links towards it, the farthest first, then links from it
 * So a packet in a tree never rises before it turns up again, and one that crosses dimensions in order does not rise.
 *
 * `all` permits every shortest path, with as many virtual channels as the path that rises most often needs. `ordered`
 * permits the shortest paths that rise least, and needs only these rises: dimension order on tori, meshes and HyperX.
 * `auto` is `all` if that needs at most one virtual channel more, else `ordered`.
 *
 * Central: tables for the present view, in which each switch knows all faults. */
#ifndef METHODS_SHARED_SHORTEST_H
#define METHODS_SHARED_SHORTEST_H

#include "ripstop/plugin/method.h"

enum { SHORTEST_NO_PATH, SHORTEST_NO_CHANNEL, SHORTEST_CUT_OFF };
extern const char *const ripstop_shortest_losses[];

#define SHORTEST_FAR  UINT16_MAX /* no path */
#define SHORTEST_AWAY UINT8_MAX  /* the link is on no shortest path */

enum { SHORTEST_ALL, SHORTEST_ORDERED, SHORTEST_AUTO };
extern const char *const ripstop_shortest_paths[]; /* their words */

typedef struct shortest_config {
  int64_t spare;
  int32_t paths;
} shortest_config;

#define RIPSTOP_SHORTEST_OPTIONS(otherwise)                                                                         \
  {.name = "spare",                                                                                                 \
   .type = RIPSTOP_OPTION_INTEGER,                                                                                  \
   .offset = offsetof(shortest_config, spare),                                                                      \
   .min = 0,                                                                                                        \
   .max = RIPSTOP_CHANNELS_MAX - 1,                                                                                 \
   .fallback = "0",                                                                                                 \
   .help = "virtual channels beyond those that the fabric needs without faults, for detours"},                      \
  {                                                                                                                 \
    .name = "paths", .type = RIPSTOP_OPTION_WORD, .offset = offsetof(shortest_config, paths),                       \
    .words = ripstop_shortest_paths, .fallback = (otherwise),                                                       \
    .help = "every shortest path, or those that change virtual channels least, e.g. by order of dimensions; auto: " \
            "every path if that needs at most one virtual channel more"                                             \
  }

/* Targets are the switches that have end nodes, in order. Switch number = node - ends. */
typedef struct shortest {
  uint32_t switches, targets;
  bool all;               /* every shortest path is permitted */
  bool whole;             /* no fault: the virtual channels suffice for every path */
  const uint32_t *target; /* [switches]: the target's number; RIPSTOP_NONE: no target */
  const uint32_t *node;   /* [targets] */
  const uint32_t *place;  /* [ports]: of the link that leaves there */
  const uint16_t *hops;   /* [targets * switches]: links to a target; SHORTEST_FAR */
  const uint8_t *rises;   /* [targets * ports of switches]: the fewest rises still ahead of a packet that has left
                           * there; SHORTEST_AWAY; see shortest_rises */
} shortest;

/* Numbers the switches that have end nodes; returns their number. Sets *target and *node as in shortest. */
uint32_t ripstop_shortest_targets(ripstop_arena *arena, const ripstop_fabric *f, const uint32_t **target,
                                  const uint32_t **node);
/* ripstop_method.plan: data, virtual channels for packets that go to one target, or to two in turn, and a switch's
 * ports as `candidates_max`. The config begins with a shortest_config. */
ripstop_answer ripstop_shortest_plan(ripstop_plan *p, uint32_t legs, ripstop_error *err);

static inline uint32_t shortest_target(const shortest *s, const ripstop_plan *p, uint32_t end) {
  return s->target[ripstop_end_switch(p->fabric, end) - p->fabric->ends];
}
/* The rises to a target; port p of a switch is at [p - end nodes]. */
static inline const uint8_t *shortest_rises(const shortest *s, const ripstop_fabric *f, uint32_t target) {
  return s->rises + (size_t)target * (f->ports - f->ends);
}
static inline uint16_t shortest_links(const shortest *s, const ripstop_plan *p, uint32_t node, uint32_t target) {
  return s->hops[(size_t)target * s->switches + node - p->fabric->ends];
}

/* Candidates to a target from another switch, as ripstop_method.route, each like `like` except port and virtual
 * channel. `begins`: the target is new to the packet, so its first link is picked as if it came from an end node. The
 * candidates suffice to reach the target, and leave `reserve` virtual channels to rise to afterwards. */
int ripstop_shortest_candidates(const ripstop_plan *p, const ripstop_head *head, uint32_t target, bool begins,
                                uint32_t reserve, ripstop_candidate like, ripstop_candidate *candidates);
/* The fewest rises of a packet that starts at a switch towards a target, whatever it came by; SHORTEST_AWAY: no
 * path. */
uint32_t ripstop_shortest_rises_from(const ripstop_plan *p, uint32_t node, uint32_t target);
/* The candidate through a port to an end node, or from one. */
int ripstop_shortest_end(const ripstop_plan *p, const ripstop_head *head, uint32_t local, uint64_t header,
                         ripstop_candidate *candidate);

#endif
