/* drawing.h - a drawing of a fabric while it is made: what its marks (drawing.c) and its heat, pairs and
 * words (link_use.c) share. */
#ifndef DRAW_DRAWING_H
#define DRAW_DRAWING_H

#include "draw/placing.h"

#define ODD_COLOUR     "#c1121f"
#define PARTING_COLOUR "#1c2530"
#define WORST_COLOUR   "#6a3d9a"

enum { DRAW_LABELLED = 18 }; /* height of a box with a name, in pixels */

typedef struct drawing {
  const picture *o;
  ripstop_text *out;
  ripstop_names *names;
  draw_layout layout;
  uint32_t switches;
  double width, height; /* a box's */
  bool gathered;        /* a box may stand for several switches */
  bool rows;            /* lines of rows are taken together */
  bool within;          /* spots have cables of their own */
} drawing;

/* All live cables between two spots, of a row, or between two sheets. */
typedef struct bundle {
  draw_point from, to;
  double bow;
  uint32_t a, b;         /* a switch of each end; the same: cables within a spot */
  uint32_t cables, safe; /* number of cables, and of those in the safe set */
  double use;            /* the busiest cable's, in its busier direction; NAN: not known */
} bundle;

/* "<path d='M... L...'", the attributes of which go on; `bow`: its middle stands aside by this share of its length. */
void draw_candidate(const drawing *d, draw_point from, draw_point to, double bow);
/* The bow of a line between two switches: cables of a row that are longer than from neighbour to neighbour would hide
 * behind others. */
double draw_bow(const drawing *d, draw_point from, draw_point to);
/* A number in a ring, to the right of those before it that would hide it; it joins them. */
void draw_number(const drawing *d, draw_point at, const char *colour, uint32_t number, draw_point *before,
                 uint32_t *count);
void draw_marks(const drawing *d, ripstop_arena *arena);
/* Failed cables; or, `within`, failed switches, and failed cables within a box. */
void draw_failed(const drawing *d, ripstop_arena *arena, bool within);
/* The ratio of the thickest to the thinnest of so many lines. */
double draw_thick(uint32_t lines);
/* Between two nodes. */
void draw_line(const drawing *d, uint32_t a, uint32_t b);
/* True if the leaf in this place of the list can send on less than others. */
bool picture_is_weak(const picture *o, uint32_t i);
/* A node's description of itself, else its name, which is put into `name`. */
const char *draw_node_text(const drawing *d, uint32_t node, char name[RIPSTOP_NAME_MAX]);
void draw_text(const drawing *d, double x, double y, const char *attributes, const char *text);
/* The lines of a drawing, the least used first where use is known. Memory from the arena. */
uint32_t drawing_lines(drawing *d, ripstop_arena *arena, bundle **out);
void heat_draw(const drawing *d, const bundle *list, uint32_t count);
/* The frames of the boxes, by the use of the cables within. */
void heat_frame(const drawing *d, const bundle *list, uint32_t count, const bundle *within);
void heat_pairs(const drawing *d);
/* Title above and legend below the drawing: how much room they take, and they themselves. */
double heat_head_room(const drawing *d);
double heat_foot_room(const picture *o);
double draw_margin(const drawing *d);
void heat_words(const drawing *d, const bundle *list, uint32_t count);

#endif
