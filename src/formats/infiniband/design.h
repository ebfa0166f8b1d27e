/* design.h - reads a cabling plan as a table: which port of which device each cable should join.
 *
 *   #StartDevice,StartPort,EndDevice,EndPort,LinkType
 *   spine-02,Port 1,leaf-01,Port 23,Data
 *   DIR1,Blade 17_Port 1/2,edge-1,Port 23,Data          leaf board 17 of a director, chip 1, port 2
 *   n0103,n0103 mlx5_0,leaf-01,Port 3,Data              an adapter, by its description
 *
 * Columns are found by name, in any order; others are ignored. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DESIGN_H
#define RIPSTOP_FORMATS_INFINIBAND_DESIGN_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

typedef struct ib_design_row {
  const char *device[2], *port[2]; /* start and end, as the file has them */
  const char *text;                /* the whole line */
  uint32_t line;                   /* 0: from no file */
} ib_design_row;

typedef struct ib_design {
  ripstop_arena *arena;
  ib_design_row *list;
  uint32_t count, room;
} ib_design;

/* True if the first line names the four columns, or the first one among other text (ib_design_read says what is wrong).
 */
bool ib_design_is(const char *text, size_t length);
/* Everything belongs to the arena. -1: the columns or all rows are missing. */
int ib_design_read(ib_design *design, ripstop_arena *arena, const char *file, const char *text, size_t length,
                   ripstop_error *err);
void ib_design_add(ib_design *design, const ib_design_row *row);

#endif
