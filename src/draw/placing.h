/* placing.h - where the switches of a fabric's picture stand (placing.c), and how switches that are too many to be told
 * apart are gathered (spots.c). */
#ifndef DRAW_PLACING_H
#define DRAW_PLACING_H

#include "draw/fabric_picture.h"
#include "draw/layout.h"

typedef struct draw_frame {
  double x, y, width, height;
} draw_frame;

typedef struct draw_layout {
  draw_point *at; /* [switches] */
  uint32_t *spot; /* [switches]: those of one spot stand in one place; their own numbers where each has its own */
  uint32_t spots;
  uint32_t each; /* groups of a spot; 0: spots are not groups */
  double width, height;
  double unit;       /* between neighbours of a row; 0: there are no rows */
  double apart;      /* the least distance of two spots */
  uint32_t *sheet;   /* [switches]: the sheet it stands in; NULL: cables of rows are not gathered */
  draw_frame *frame; /* [frames]: sheets of which each has rows and columns */
  uint32_t frames;
} draw_layout;

/* A layout while it is made. */
typedef struct draw_placing {
  const picture *o;
  draw_layout l;
  uint32_t switches;
  draw_places places; /* from ripstop_recognise */
  ripstop_arena *arena;
} draw_placing;

enum { DRAW_MARGIN = 30, DRAW_ROOM = 940, DRAW_LEAST_APART = 9 };

/* Memory from the arena. 0; -1: they stand in a ring, for want of what `err` says. */
int draw_place(const picture *o, ripstop_arena *arena, draw_layout *out, ripstop_error *err);

/* The place of a switch in what was recognised. */
static inline const uint16_t *draw_place_of(const draw_placing *p, uint32_t s) {
  return p->places.place + (size_t)s * p->places.dims;
}
/* Places the spots by Graphviz, scaled to the size of a picture. */
int draw_by_graphviz(draw_placing *p, ripstop_error *err);
/* The least distance of two spots. */
double draw_least_apart(const draw_placing *p);

/* True if there are too many switches or cables to be told apart, and the picture is to gather them. */
bool draw_gathers(const draw_placing *p);
/* The nodes of a tree's level: each has a spot where they are few, else each block of them, or as many blocks as leave
 * few spots. Slots are spots then. */
void draw_gather_level(draw_placing *p, const draw_deadlocked *list, uint32_t count, uint32_t *slot);
/* A spot for each group, or for as many neighbours of equal number as leave few spots: in a ring. */
void draw_gather_groups(draw_placing *p, const uint32_t *group, uint32_t groups);
/* Switches by rows and columns, sheets of them in a ring where there are more than two dimensions. */
void draw_gather_sheets(draw_placing *p);
/* Slim flies and PolarFly by their groups, others in clusters that have many cables within. -1: they stand in a ring,
 * for want of what `err` says. */
int draw_gather_clusters(draw_placing *p, ripstop_error *err);

#endif
