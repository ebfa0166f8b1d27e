/* shortest.h - shortest candidates any fabric: what the methods `minimal`, `valiant` and `ugal` share.
 *
 * Every directed link between switches has a place in one order. A packet stays in its channel where its next link
 * comes later in the order than the one that it came by, and rises to the next channel where it does not. So (channel,
 * place) rises with every hop, no queue can wait for one before it, and nothing deadlocks, whatever the fabric and the
 * candidates. No packet rises at more than each of its hops, so channels as many as hops are always enough.
 *
 * The order decides how many channels that needs. First come links up, away from the switches with end nodes, the
 * lowest first; last links down; between them those that do neither:
 *   tori         by dimension and direction, then along the ring: a packet rises where a ring closes
 *   mesh, hyperx by dimension and direction, then along the line
 *   dragonflies  links inside of a group, then those between groups
 *   others       a search from the first switch ranks all; links towards it, the farthest first, then links from it
 * So a packet in a tree never rises before it turns up again, and one that changes dimensions in order does not rise.
 *
 * `all` permits every shortest way, and there are as many channels as the one that rises most often needs; `ordered`
 * permits of the shortest candidates those that rise least, and needs only these rises: dimension order on tori, meshes
 * and HyperX. `auto` is `all` where that needs at most one channel more, else `ordered`.
 *
 * Central: tables for what is alive, in which each switch knows all. */
#ifndef METHODS_SHARED_SHORTEST_H
#define METHODS_SHARED_SHORTEST_H

#include "ripstop/plugin/method.h"

enum { SHORTEST_NO_PATH, SHORTEST_NO_CHANNEL, SHORTEST_CUT_OFF };
extern const char *const ripstop_shortest_losses[];

#define SHORTEST_FAR  UINT16_MAX /* no path */
#define SHORTEST_AWAY UINT8_MAX  /* the link is on no shortest way */

enum { SHORTEST_ALL, SHORTEST_ORDERED, SHORTEST_AUTO };
extern const char *const ripstop_shortest_paths[]; /* their words */

typedef struct shortest_config {
  int64_t spare;
  int32_t paths;
} shortest_config;

#define RIPSTOP_SHORTEST_OPTIONS(otherwise)                                                                          \
  {.name = "spare",                                                                                                  \
   .type = RIPSTOP_OPTION_INTEGER,                                                                                   \
   .offset = offsetof(shortest_config, spare),                                                                       \
   .min = 0,                                                                                                         \
   .max = RIPSTOP_CHANNELS_MAX - 1,                                                                                  \
   .fallback = "0",                                                                                                  \
   .help = "channels beyond those that the fabric needs without faults, for ways round faults"},                     \
  {                                                                                                                  \
    .name = "paths", .type = RIPSTOP_OPTION_WORD, .offset = offsetof(shortest_config, paths),                        \
    .words = ripstop_shortest_paths, .fallback = (otherwise),                                                        \
    .help = "every shortest way, or those that change channels least, e.g. by order of dimensions; auto: every one " \
            "where that needs at most one channel more"                                                              \
  }

/* Targets are the switches that have end nodes, in order. Switch number = node - ends. */
typedef struct shortest {
  uint32_t switches, targets;
  bool all;               /* every shortest way is permitted */
  bool whole;             /* nothing is dead: every way that begins has channels enough */
  const uint32_t *target; /* [switches]: its number among them; RIPSTOP_NONE: it is none */
  const uint32_t *node;   /* [targets] */
  const uint32_t *place;  /* [ports]: of the link that leaves there */
  const uint16_t *hops;   /* [targets * switches]: links to a target; SHORTEST_FAR */
  const uint8_t *rises;   /* [targets * ports of switches]: the least that a packet which has left there has before it;
                             SHORTEST_AWAY; see shortest_rises */
} shortest;

/* ripstop_method.plan: data, channels for packets that go to one target, or to two in turn, and for `candidates_max` as
 * many as a switch has ports. The config is a shortest_config. */
ripstop_answer ripstop_shortest_plan(ripstop_plan *p, uint32_t legs, ripstop_error *err);

static inline uint32_t shortest_target(const shortest *s, const ripstop_plan *p, uint32_t end) {
  return s->target[ripstop_end_switch(p->fabric, end) - p->fabric->ends];
}
/* Those of a target; the port p of a switch is at [p - end nodes]. */
static inline const uint8_t *shortest_rises(const shortest *s, const ripstop_fabric *f, uint32_t target) {
  return s->rises + (size_t)target * (f->ports - f->ends);
}
static inline uint16_t shortest_links(const shortest *s, const ripstop_plan *p, uint32_t node, uint32_t target) {
  return s->hops[(size_t)target * s->switches + node - p->fabric->ends];
}

/* As ripstop_method.route: candidates to a target from another switch, each with what `like` says beside port and
 * channel. `begins`: the packet has not had this target before, so that its first link is chosen as if it came from an
 * end node. They last to the target, and leave a packet `reserve` channels to rise to from there on. */
int ripstop_shortest_candidates(const ripstop_plan *p, const ripstop_head *head, uint32_t target, bool begins,
                                uint32_t reserve, ripstop_candidate like, ripstop_candidate *candidates);
/* The least rises of a packet that starts at a switch on its way to a target, whatever it came by; SHORTEST_AWAY: there
 * is no path. */
uint32_t ripstop_shortest_rises_from(const ripstop_plan *p, uint32_t node, uint32_t target);
/* The way through a port to an end node, or from one. */
int ripstop_shortest_end(const ripstop_plan *p, const ripstop_head *head, uint32_t local, uint64_t header,
                         ripstop_candidate *candidate);

#endif
