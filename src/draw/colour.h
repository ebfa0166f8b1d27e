/* colour.h - numbers as colours between given ones. */
#ifndef DRAW_COLOUR_H
#define DRAW_COLOUR_H

#include "ripstop/plugin/base.h"

enum { DRAW_COLOURS_MOST = 6 };
/* Colours from low to high at equal distances. */
typedef struct draw_scale {
  int count;
  uint8_t rgb[DRAW_COLOURS_MOST][3];
} draw_scale;

/* Adds "#rrggbb", mixed from the two next to `share`, which is taken as one from 0 to 1. */
void draw_colour(ripstop_text *out, const draw_scale *scale, double share);

#endif
