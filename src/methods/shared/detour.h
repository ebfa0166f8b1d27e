/* detour.h - minimal ways over another switch, on any fabric: what the methods `valiant` and `ugal` share.
 *
 * Every directed link between switches has a place in one order. A packet stays in its channel where its next link
 * comes later in the order than the one that it came by, and rises to the next channel where it does not. So (channel,
 * place) rises with every hop, no queue can wait for one before it, and nothing deadlocks, whatever the fabric and the
 * ways. Of the shortest ways a packet takes those on which it rises least often.
 *
 * The order decides how many channels that needs:
 *   tori       by dimension and direction, then along the ring: a packet rises where a ring closes (dimension order)
 *   fat trees  links up, the lowest first, then links down: a packet never rises before it turns up again
 *   others     a search from the first switch ranks all; links up towards it, the farthest first, then links down
 *
 * A packet draws a switch at its birth, one of those with end nodes. Its header is 0 while it goes straight to its
 * destination, else 1 + the number of the switch that it goes to first.
 *
 * Central: tables for what is alive, in which each switch knows all. */
#ifndef METHODS_SHARED_DETOUR_H
#define METHODS_SHARED_DETOUR_H

#include "ripstop/plugin/method.h"

enum { DETOUR_NO_PATH, DETOUR_NO_CHANNEL, DETOUR_CUT_OFF };
extern const char *const ripstop_detour_losses[];

#define DETOUR_FAR  UINT16_MAX /* no path */
#define DETOUR_AWAY UINT8_MAX  /* the link is on no shortest way */

typedef struct detour_config {
  int64_t spare;
} detour_config;
extern const ripstop_option ripstop_detour_options[];

/* Targets are the switches that have end nodes, in order. Switch number = node - ends. */
typedef struct detours {
  uint32_t switches, targets;
  const uint32_t *target; /* [switches]: its number among them; RIPSTOP_NONE: it is none */
  const uint32_t *node;   /* [targets] */
  const uint32_t *place;  /* [ports]: of the link that leaves there */
  const uint16_t *hops;   /* [targets * switches]: links to a target; DETOUR_FAR */
  const uint8_t *rises;   /* [targets * ports]: that a packet which has left there has before it; DETOUR_AWAY */
} detours;

/* ripstop_method.plan: data, channels, draws, and for `ways_max` as many as a switch has ports. */
ripstop_answer ripstop_detour_plan(ripstop_plan *p, ripstop_error *err);

static inline uint32_t detour_target(const detours *d, const ripstop_plan *p, uint32_t end) {
  return d->target[ripstop_end_switch(p->fabric, end) - p->fabric->ends];
}

/* The header for a packet that goes over a target first; 0 where that is no way round, or none that is left. */
uint64_t ripstop_detour_over(const ripstop_plan *p, const ripstop_head *head, uint32_t target);

/* From a network interface, to one, or along the way that the header says; as ripstop_method.route. */
int ripstop_detour_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways);

#endif
