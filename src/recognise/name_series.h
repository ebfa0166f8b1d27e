/* name_series.h - names that differ in one number alone: leaf-01, leaf-02, leaf-04. */
#ifndef RIPSTOP_RECOGNISE_NAME_SERIES_H
#define RIPSTOP_RECOGNISE_NAME_SERIES_H

#include "ripstop/plugin/base.h"

typedef struct name_series {
  const char *before, *after; /* the text around the number */
  uint32_t digits;            /* numbers are filled up with zeros to these; 0: they are not */
  const uint32_t *number;     /* [count]: of each name; RIPSTOP_NONE: it is no part of the series */
  uint32_t members;           /* names that are part of it */
  uint32_t least, most;       /* their numbers */
} name_series;

/* The series that has most of the names; false: none has two. Cost: O(n log n) for names of a few numbers. */
bool name_series_find(ripstop_arena *arena, const char *const *name, uint32_t count, name_series *out);
/* The name with a number. */
const char *name_series_name(ripstop_arena *arena, const name_series *series, uint32_t number);
/* True if a name is one of the series with another number. */
bool name_series_continues(const name_series *series, const char *name);
/* A switch's own name: "leaf-01" of "MF0;leaf-01:MQM8700/U1". */
const char *name_series_short(ripstop_arena *arena, const char *description);

#endif
