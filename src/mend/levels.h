/* levels.h - fat trees by their wiring: levels, columns and pods, and trees of destinations laid out by quotas. */
#ifndef MEND_LEVELS_H
#define MEND_LEVELS_H

#include "mend/trees.h"

enum { MEND_LEVELS = 8 };
#define MEND_SEVERAL (RIPSTOP_NONE - 1)

typedef struct mend_levels {
  const switch_graph *net;
  uint32_t leaves, top; /* the level of the leaves, usually 0, and the highest one */
  uint8_t *level;       /* [switches] */
  bool from_top;        /* levels are distances from the top (from_top.c) */
  bool shared; /* switches of a pod share tops, or shares of channels are uneven: columns are those of columns.c */
  bool plain;  /* the orders allow all turns but those from down to up */
  uint32_t *above[MEND_LEVELS];  /* [switches]: component without the levels below this one; RIPSTOP_NONE: the switch
                                  * is lower */
  uint32_t *below[MEND_LEVELS];  /* [switches]: component without the levels above this one; RIPSTOP_NONE: the switch
                                  * is higher */
  uint32_t *index, *members;     /* [switches]: number among those of its level in above[level]; count of these */
  uint32_t *digit[MEND_LEVELS];  /* [switches]: for a leaf, its sub-pod in below[level], numbered by below[level - 1] */
  uint32_t *digits[MEND_LEVELS]; /* [switches]: number of such sub-pods; at level 0, its end nodes */
  uint32_t *ups, *up_first;      /* channels up of each switch, sorted by up_column */
  uint32_t *up_to, *up_column;   /* [by ups]: where it leads; above[level + 1] there */
  uint32_t columns;              /* columns that leaves have channels up into; 0: too many for `into` */
  uint32_t *column;              /* [by ups]: for leaves, up_column as a number below `columns` */
  /* [switches * columns]: for a leaf, its only channel up into each column, MEND_SEVERAL, or RIPSTOP_NONE. */
  uint32_t *into;
  /* If `shared`, of the column of each switch: */
  uint32_t *plane;          /* [switches]: columns that share their tops, by a name */
  uint32_t *place, *places; /* [switches]: number among the columns of its plane; count of these */
  uint32_t *twin;           /* [channels]: number among those of its switch to the same switch */
  uint32_t hub;             /* the leaf where routes may go down and then up; usually that with most channels up */
  bool hasty;               /* detours need not be short */
  /* By mend_levels_grow, of routes between switches with end nodes, in links: */
  uint32_t longest;  /* the longest in trees with detours */
  uint32_t straight; /* the longest of the shortest routes up and down */
  uint32_t *detours; /* [switches]: pairs of each without a route up and down */
} mend_levels;

/* False: not a fat tree. Leaves are the switches with end nodes, except those with few; or, if levels by distance from
 * these do not fit, most of the switches with end nodes. */
bool mend_levels_make(mend_levels *l, const switch_graph *net, ripstop_arena *arena);
/* True if switches above the hub, the leaf where routes may go down and then up, have end nodes. If they share tops,
 * these send to each other over a top. */
bool mend_levels_is_busy(const mend_levels *l, ripstop_arena *scratch);
/* Orders channels up by level, then down. Between switches without such a path, routes pass the hub. With `apart` they
 * come down to it from fewer switches, and every route up and down is allowed. */
void mend_levels_begin(mend_levels *l, mend_orders *orders, bool apart, ripstop_arena *scratch);
/* Channels up of a switch. */
static inline uint32_t mend_levels_ups(const mend_levels *l, uint32_t s) { return l->up_first[s + 1] - l->up_first[s]; }
/* A channel up of a switch into this column, to a switch that `leads` ([switches]) to the leaf; RIPSTOP_NONE: none. It
 * usually has the number `at` among those of its switch, or one or two less. */
uint32_t mend_levels_up_into(const mend_levels *l, const bool *leads, uint32_t s, uint32_t column, uint32_t at);
/* Grows trees for all destinations. False: some switch found no path, or few leaves have a path up and down. */
bool mend_levels_grow(mend_levels *l, mend_trees *t);

/* hubs.c: lists other hubs, at most `most`: leaves near those that made most detours. Returns how many. */
uint32_t mend_hubs_near_detours(const mend_levels *l, uint32_t *hub, uint32_t most);
/* The most links between two switches with end nodes that any routes need. */
uint32_t mend_hubs_farthest(const switch_graph *net);
/* Channels up of a leaf and of its parents. */
uint32_t mend_hubs_ups(const mend_levels *l, uint32_t leaf);

/* from_top.c: fills `level`, `leaves` and `top` by distances from the top. False: not a fat tree. */
bool mend_from_top(mend_levels *l, ripstop_arena *arena);

/* columns.c: true if some switch has several channels into one column. */
bool mend_columns_are_shared(const mend_levels *l, ripstop_arena *scratch);
/* Replaces `above`; fills plane, place, places and twin. */
void mend_columns_make(mend_levels *l, ripstop_arena *arena);
/* Sorts channels up of a switch: neighbours lead to different switches, and to different planes if there are several.
 */
void mend_columns_sort(mend_levels *l, uint32_t *ups, uint32_t count);

#endif
