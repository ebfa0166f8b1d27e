/* global.h - which two groups of a dragonfly a global cable joins, and at which routers.
 *
 * A group has ports 0 .. ports-1 for global cables, and as many rounds of one cable to every other group as fit; ports
 * beyond the last round stay free. The m-th port of a round leads
 *   palmtree   to the group m + 1 below, round and round (Camarero, Vallejo and Beivide 2014)
 *   relative   to the group m + 1 above
 *   absolute   to the m-th of the other groups in the order of their numbers (Kim et al. 2008, Figure 5) */
#ifndef RIPSTOP_FABRIC_GLOBAL_H
#define RIPSTOP_FABRIC_GLOBAL_H

#include "fabric/wiring.h"

typedef enum ripstop_arrangement { RIPSTOP_PALMTREE, RIPSTOP_ABSOLUTE, RIPSTOP_RELATIVE } ripstop_arrangement;
extern const char *const ripstop_arrangements[]; /* their words */

/* The options of global cables, of a config that has h, g and arrangement: h of each `place`, of which a group has as
 * many as the option named `places` says. */
#define RIPSTOP_GLOBAL_OPTIONS(config, place, places)                                                \
  {.name = "h",                                                                                      \
   .type = RIPSTOP_OPTION_INTEGER,                                                                   \
   .offset = offsetof(config, h),                                                                    \
   .min = 1,                                                                                         \
   .max = UINT16_MAX,                                                                                \
   .help = "global cables of each " place},                                                          \
      {.name = "g",                                                                                  \
       .type = RIPSTOP_OPTION_INTEGER,                                                               \
       .offset = offsetof(config, g),                                                                \
       .min = 0,                                                                                     \
       .max = UINT16_MAX,                                                                            \
       .fallback = "0",                                                                              \
       .help = "groups, at most " places " x h + 1; 0: so many"},                                    \
  {                                                                                                  \
    .name = "arrangement", .type = RIPSTOP_OPTION_WORD, .offset = offsetof(config, arrangement),     \
    .words = ripstop_arrangements, .fallback = "palmtree",                                           \
    .help = "which groups a group's global ports lead to: the next below, by number, the next above" \
  }

/* For `groups` groups with so many global ports each. 0 groups: one more than ports. -1: two groups would have no
 * cable. `family` is for the message. */
int ripstop_global_groups(const char *family, int64_t groups, uint64_t ports, uint32_t *out, ripstop_error *err);
static inline uint64_t ripstop_global_cables(uint64_t groups, uint64_t ports) {
  return groups < 2 ? 0 : groups * (groups - 1) / 2 * (ports / (groups - 1));
}
/* Port number x of a group is at switch group * routers + first + x / ports_each, there number first_port +
 * x % ports_each. */
typedef struct ripstop_groups {
  uint32_t groups, ports, ports_each, routers, first, first_port;
  ripstop_arrangement arrangement;
} ripstop_groups;
/* Adds all of them. */
void ripstop_global_wire(ripstop_wiring *w, const ripstop_groups *g);

#endif
