/* layout.h - where switches stand in a drawing (layout.c), and how those that are too many to be told
 * apart are gathered (spots.c). */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include "draw/picture.h"

typedef struct outlook_point {
  double x, y;
} outlook_point;

typedef struct outlook_frame {
  double x, y, width, height;
} outlook_frame;

typedef struct outlook_layout {
  outlook_point *at; /* [switches] */
  uint32_t *spot;    /* [switches]: those of one spot stand in one place; their own numbers where each has its own */
  uint32_t spots;
  uint32_t each; /* groups of a spot; 0: spots are not groups */
  double width, height;
  double unit;          /* between neighbours of a row; 0: there are no rows */
  double apart;         /* the least distance of two spots */
  uint32_t *sheet;      /* [switches]: the frame it stands in; NULL: cables of rows are not gathered */
  outlook_frame *frame; /* [frames]: sheets of which each has rows and columns */
  uint32_t frames;
} outlook_layout;

/* A layout while it is made. */
typedef struct outlook_placing {
  const outlook *o;
  outlook_layout l;
  uint32_t switches;
  ripstop_arena *arena;
} outlook_placing;

enum { OUTLOOK_MARGIN = 30, OUTLOOK_ROOM = 940, OUTLOOK_LEAST_APART = 9 };

/* Memory from the arena. 0; -1: they stand in a ring, for want of what `err` says. */
int outlook_place(const outlook *o, ripstop_arena *arena, outlook_layout *out, ripstop_error *err);

/* The place of a switch in what was recognised. */
const uint16_t *outlook_place_of(const outlook_placing *p, uint32_t s);
bool outlook_has_hosts(const ripstop_fabric *f, uint32_t node);
/* Of a KNS: the switches with hosts have a place; those of the lines go behind the end of their row or column, or
 * beside the middle of their neighbours. Whether it has one now. */
bool outlook_place_line(outlook_placing *p, uint32_t s, const bool *placed);
/* Where Graphviz puts the spots. */
int outlook_place_by_graphviz(outlook_placing *p, ripstop_error *err);

/* Whether there are too many switches or cables to be told apart, and the drawing asks for gathering. */
bool outlook_gathers(const outlook_placing *p);
/* A spot for each group, or for as many neighbours of equal number as leave few spots: in a ring. */
void outlook_gather_groups(outlook_placing *p, const uint32_t *group, uint32_t groups);
/* Switches by rows and columns, sheets of them in a ring where there are more than two dimensions. */
void outlook_gather_sheets(outlook_placing *p);
/* Slim flies and PolarFly by their groups, others in clusters that have many cables within. -1: they stand in a ring,
 * for want of what `err` says. */
int outlook_gather_clusters(outlook_placing *p, ripstop_error *err);

#endif
