/* layout.h - where switches stand: in levels, in rows and columns, in groups, or in a ring. The pictures of fabrics and
 * of update floods and the lab's page place switches by these functions alone. Distances are the caller's, y grows
 * downwards. */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include "ripstop/fabric.h"

typedef struct draw_point {
  double x, y;
} draw_point;

/* The coordinates of switches, the most significant first. The last two are row and column of a sheet; or the first is
 * a level or a group. */
typedef struct draw_places {
  uint32_t switches, dims;
  const uint16_t *place; /* [switches * dims] */
} draw_places;

/* The first on top, the others clockwise. */
void draw_ring(draw_point *at, uint32_t count, draw_point centre, double radius);
draw_point draw_on_ring(draw_point centre, double radius, double angle); /* radians; 0: to the right */

/* A node of a tree: `order` and then its number say where it stands among those of its level. */
typedef struct draw_deadlocked {
  uint32_t level, order, node;
} draw_deadlocked;
/* Sorts the nodes by level, and numbers those of each level from 0 to `slot` ([count], by node). Returns the most nodes
 * of a level. */
uint32_t draw_sort_levels(draw_deadlocked *list, uint32_t count, uint32_t *slot);
/* Level 0 stands at y = 0, the others above it, `gap` apart; each divides the width evenly by its slots. */
void draw_levels(ripstop_arena *arena, draw_point *at, const draw_deadlocked *list, uint32_t count,
                 const uint32_t *slot, double width, double gap);

/* Rows and columns in steps of 1; dimensions before these go by sheets, to the right and down in turn. `wraps`: the
 * sheets of three dimensions stand in rows, so that the whole is about square. */
void draw_sheets(draw_point *at, const draw_places *p, bool wraps);

bool draw_has_hosts(const ripstop_fabric *f, uint32_t node);
/* Places a switch of a KNS's line `beside` behind the end of its row or column. If the line goes from sheet to sheet,
 * it stands aside by `aside` for each two dimensions; if the line is a tree, beside the middle of its neighbours. Only
 * neighbours that are `placed` ([switches]) count. False if none is. */
bool draw_line_switch(draw_point *at, const ripstop_fabric *f, const draw_places *p, uint32_t s, const bool *placed,
                      double beside, double aside);
/* All of them: the switches with hosts have a place. */
void draw_line_switches(ripstop_arena *arena, draw_point *at, const ripstop_fabric *f, const draw_places *p,
                        double beside, double aside);

/* Groups in a ring, each a ring of its own, which is `least` at least and so large that switches are `apart`. */
typedef struct draw_groups {
  uint32_t groups, most; /* switches of a group */
  double large, small;   /* radii */
} draw_groups;
draw_groups draw_count_groups(const draw_places *p);
/* Around the origin, by the radii. */
void draw_place_groups(draw_point *at, const draw_places *p, const draw_groups *g);

#endif
