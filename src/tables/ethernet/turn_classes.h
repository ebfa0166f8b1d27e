/* turn_classes.h - how many lossless classes the paths of an Ethernet fabric need, if each turn from down to up takes
 * the next one.
 *
 * A path goes from a switch with hosts to another one and visits no switch twice. Up is away from the hosts: the tier
 * of a switch is its distance from the nearest switch with hosts. Inside a class packets go up and then down, so a
 * class has no cycle, and one class more than turns is enough. */
#ifndef RIPSTOP_TABLES_ETHERNET_TURN_CLASSES_H
#define RIPSTOP_TABLES_ETHERNET_TURN_CLASSES_H

#include "formats/ethernet/cabling.h"

/* With 8 traffic classes a switch can have so many lossless classes, each from above and from below, beside the lossy
 * one.
 */
enum { TURN_CLASSES_MOST = 3 };

/* The node that a port leads to. */
typedef enum turn_side { TURN_NOWHERE, TURN_HOST, TURN_DOWN, TURN_UP } turn_side;

typedef struct turn_classes {
  const cabling *c;
  uint32_t *tier;         /* [nodes]; RIPSTOP_NONE: it is no switch, or has no path to hosts */
  turn_side *side;        /* [ports] */
  uint32_t *first, *port; /* the ports of node n are port[first[n]] .. port[first[n + 1] - 1] */
  uint32_t turns;         /* `turns` of the call, or fewer if no path has as many */
  uint32_t classes;       /* turns + 1 */
  uint32_t least;         /* with fewer classes there is a cycle, whatever the classes are */
  bool complete;          /* all paths were listed: `turns` is exact */
} turn_classes;

/* Paths of up to `turns` turns, below TURN_CLASSES_MOST. Memory from the arena. -1: the cables have no up and down. */
int turn_classes_find(turn_classes *out, const cabling *c, uint32_t turns, ripstop_arena *arena, ripstop_error *err);

#endif
