/* rows.h - files of numbers: rows of whole numbers from 0 to 2^63 - 1, separated by commas or blanks; `#` starts a
 * comment, and one row before all numbers may be a title. A title begins with a packet and has no field that begins
 * with a digit. */
#ifndef WORKLOAD_ROWS_H
#define WORKLOAD_ROWS_H

#include "ripstop/plugin/workload.h"

typedef struct rows {
  uint64_t *number; /* all of them */
  size_t *first;    /* [count + 1]: where the numbers of each row begin */
  uint32_t *line;   /* [count] */
  size_t count, numbers;
} rows;

/* Memory from the arena. -1: a field is no number; the error has its line. */
int rows_read(ripstop_arena *arena, const char *path, rows *out, ripstop_error *err);
int rows_from_text(ripstop_arena *arena, const char *text, size_t length, rows *out, ripstop_error *err);

static inline size_t rows_length(const rows *r, size_t i) { return r->first[i + 1] - r->first[i]; }
static inline const uint64_t *rows_at(const rows *r, size_t i) { return &r->number[r->first[i]]; }

#endif
