/* capacity.h - what the hosts of a part of a fabric need from the cables that leave it, and which cables do the same
 * work: the measure by which cables are safe to take out, or to be mended first.
 *
 * - The level of a switch is its distance from the nearest leaf. A leaf has hosts, or is known to be one although its
 *   hosts are down; a switch with hosts that is known to be above the leaves is none. A fabric of leaves alone, such as
 *   a torus, has no levels: all are 0.
 * - A part P is a leaf or another switch with hosts ("leaf"), or a pod: a connected set of switches when those above a
 *   level are left out, for each level from 1 to below the top.
 * - c(P) are the rates of the live cables between switches that leave a part, summed.
 * - n(P) is the smaller of the rates of the hosts inside and outside.
 * - floor(P) is min(c, n). A part that has less than its hosts need may lose nothing; one that has more, the surplus.
 * - A part is whole if its c is at least the most common c of its kind (leaves, or pods of one level).
 * - The role of a channel is the level of its cable's lower end, of the upper end, and whether it leads up or down.
 *
 * A level differs by at most 1 between the ends of a cable. So a cable from a leaf up leaves that leaf, a cable from a
 * higher switch up leaves one pod, and a cable between two leaves both of them. Small parts beside a tree, for
 * management, are an exception: their switches with hosts are leaves wherever they hang.
 *
 * Rates are Mb/s where a dump has them, elsewhere thousandths of a cable at full rate. */
#ifndef RIPSTOP_CAPACITY_H
#define RIPSTOP_CAPACITY_H

#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

/* The place of a switch, where it is known, such as from a recognised tree. */
typedef enum ripstop_capacity_kind {
  RIPSTOP_CAPACITY_UNKNOWN,
  RIPSTOP_CAPACITY_LEAF,
  RIPSTOP_CAPACITY_ABOVE, /* above the leaves, whatever hosts it has */
  RIPSTOP_CAPACITY_SMALL  /* in a small part beside the tree, for management: it gives others no level, and is in no pod
                           */
} ripstop_capacity_kind;

typedef struct ripstop_capacity_part {
  uint32_t node;    /* the leaf; of a pod, the leaf in it whose name is first */
  uint32_t level;   /* 0: a leaf; else a pod without the switches above this level */
  uint32_t hosts;   /* live end nodes inside, except those that are part of a switch, and hosts that a dump
                     * names without their own lines */
  uint32_t uplinks; /* live cables between switches that leave it */
  uint64_t inside;  /* the rates of its hosts */
  uint64_t need, capacity, floor; /* n, c and floor */
  uint64_t like;                  /* the most common c of its kind; the larger of equally common ones */
  uint32_t like_uplinks;          /* likewise of `uplinks`, and of c / inside: */
  double like_share;              /* NAN: it has no hosts */
} ripstop_capacity_part;

typedef struct ripstop_capacity {
  const ripstop_view *view;
  uint32_t top;          /* the highest level */
  const uint32_t *level; /* [switches]; RIPSTOP_NONE: no leaf reaches it */
  const uint64_t *rate;  /* [links]: 0 for a cable that has failed, or leads from a switch to itself */
  uint64_t fastest;      /* the highest rate of a live cable between switches; 1 where there is none */
  const ripstop_capacity_part *part;
  uint32_t parts;
  const uint32_t *leaf, *pod; /* [switches]: the switch as a leaf, and the pod of its own level; RIPSTOP_NONE: none */
  uint32_t roles;
  const uint32_t *role; /* [ports]: of the channel that a port sends into; RIPSTOP_NONE: no live one between switches */
} ripstop_capacity;

/* Describes what is alive in the view, which must outlive it. `kind` is [switches]; NULL: nothing is known. Memory from
 * the arena; NULL: no memory. */
const ripstop_capacity *ripstop_capacity_find(ripstop_arena *arena, const ripstop_view *view,
                                              const ripstop_capacity_kind *kind, ripstop_error *err);
/* The parts that a cable between two switches leaves: at most three, returns how many. First the one or two whose
 * cable it is: the lowest at its lower end, or the leaves at both ends. */
unsigned ripstop_capacity_left(const ripstop_capacity *capacity, uint32_t a, uint32_t b, uint32_t part[3]);
/* The number of these that come first: the parts whose cable it is. */
unsigned ripstop_capacity_owners(const ripstop_capacity *capacity, uint32_t a, uint32_t b, uint32_t part[3]);
/* No larger set of cables fits into what the parts have beyond their floors. Exact in trees of two levels and more: of
 * each part its slowest cables, as long as they fit, and every cable that leaves no part. */
uint32_t ripstop_capacity_at_most(const ripstop_capacity *capacity);
/* Paths on a channel for each unit of rate, which is that of the fastest cable. */
static inline double ripstop_capacity_use(const ripstop_capacity *capacity, uint32_t port, uint64_t paths) {
  const uint64_t rate = capacity->rate[capacity->view->fabric->port_link[port]];
  return rate ? (double)paths * (double)capacity->fastest / (double)rate : 0;
}
/* The most that a channel of each role carries, in these units ([roles]); `load` is [ports]. In the arena;
 * NULL: no memory. */
const double *ripstop_capacity_worst_of_roles(ripstop_arena *arena, const ripstop_capacity *capacity,
                                              const uint64_t *load);
/* The same of the two roles of a cable alone, without memory. */
double ripstop_capacity_worst(const ripstop_capacity *capacity, const uint64_t *load, uint32_t link);
/* "0-1" for a cable, and "0-1 up" for a channel. */
void ripstop_capacity_print_cable(const ripstop_capacity *capacity, uint32_t link, ripstop_text *out);
void ripstop_capacity_print_role(const ripstop_capacity *capacity, uint32_t role, ripstop_text *out);

RIPSTOP_END

#endif
