/* outlook_place.h - where switches stand in a drawing (outlook_place.c). */
#ifndef REPORT_OUTLOOK_PLACE_H
#define REPORT_OUTLOOK_PLACE_H

#include "report/outlook.h"

typedef struct outlook_point {
  double x, y;
} outlook_point;

typedef struct outlook_layout {
  outlook_point *at; /* [switches] */
  uint32_t *spot;    /* [switches]: those of one spot stand in one place; their own numbers where each has its own */
  uint32_t spots;
  double width, height;
  double unit;  /* between neighbours of a row; 0: there are no rows */
  double apart; /* the least distance of two spots */
} outlook_layout;

/* Memory from the arena. 0; -1: they stand in a ring, for want of what `err` says. */
int outlook_place(const outlook *o, ripstop_arena *arena, outlook_layout *out, ripstop_error *err);

#endif
