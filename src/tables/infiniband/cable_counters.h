/* cable_counters.h - the cables whose ports count errors (formats/infiniband/cable_errors.h), the one to replace first
 * before others, and what the fabric is without each of them.
 *
 *   const ib_counter_files files = {.now = path, .nows = 1};
 *   ib_cable_counters counters;
 *   int status = ib_cable_counters_read(arena, view, NULL, &files, &counters, err);
 */
#ifndef RIPSTOP_TABLES_INFINIBAND_CABLE_COUNTERS_H
#define RIPSTOP_TABLES_INFINIBAND_CABLE_COUNTERS_H

#include "formats/infiniband/cable_errors.h"
#include "ripstop/kit/judge.h"

/* Paths of files: `now`, and `before` of an earlier time, whose errors are subtracted; it may have none. */
typedef struct ib_counter_files {
  const char *const *now, *const *before;
  unsigned nows, befores;
} ib_counter_files;

typedef struct ib_counted_cable {
  const ib_cable_errors *errors;
  const char *name;         /* as in fault files */
  const char *ends;         /* "spine-3/P5 - leaf-03/P33" */
  bool between;             /* two switches; else it is a host's only cable, and carries the paths of its adapter */
  uint64_t paths;           /* in both directions */
  const ripstop_leaf *leaf; /* at one of its ends; NULL: neither switch has hosts */
  const char *leaf_name;
} ib_counted_cable;

typedef struct ib_cable_counters {
  const ripstop_ib_dump *dump;
  ib_replace_first found;
  const ib_counted_cable *cable; /* [found.count] */
  bool differences;              /* counters of an earlier time were subtracted */
  double hours;                  /* between the two times; 0: the files do not have them */
} ib_cable_counters;

/* `load`: [ports], the paths that leave there (ripstop_table_verdict.load); NULL: those of shortest paths. Everything
 * is in the arena. -1: the fabric is of no dump, or a file has no counters. */
int ib_cable_counters_read(ripstop_arena *arena, const ripstop_view *view, const uint64_t *load,
                           const ib_counter_files *files, ib_cable_counters *out, ripstop_error *err);

#endif
