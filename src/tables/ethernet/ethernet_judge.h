/* ethernet_judge.h - the whole verdict on an Ethernet fabric from files: cables, routes, older routes.
 *
 * The paths are those of the command line. All that comes of it belongs to the arena of `ethernet_case`. */
#ifndef RIPSTOP_TABLES_ETHERNET_ETHERNET_JUDGE_H
#define RIPSTOP_TABLES_ETHERNET_ETHERNET_JUDGE_H

#include "tables/ethernet/fib_classes.h"
#include "tables/ethernet/fib_judge.h"
#include "tables/ethernet/fib_transient.h"

typedef struct ethernet_request {
  const char *cables;
  const char *const *tables, *const *before;
  uint32_t table_count, before_count;
  const char *classes; /* NULL: not given */
} ethernet_request;

typedef struct ethernet_case {
  ripstop_arena *arena;
  cabling c;
  fib f;
  fib_census census;
  fib_verdict now;
  fib_waits waits; /* if there is one lossless class */
  fib_cycles cycles;
  bool mixed; /* there are older routes */
  fib_transient transient;
  bool with_classes;
  fib_class_verdict classes;
  ripstop_text notes; /* lines: what was left out, and what the files contradict */
} ethernet_case;

/* The case must be closed also after -1. */
int ethernet_judge(ethernet_case *e, const ethernet_request *what, ripstop_error *err);
void ethernet_case_close(ethernet_case *e);

#endif
