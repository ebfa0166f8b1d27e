/* new_tables.h - forwarding tables of a method for a view, repaired from older ones or new, with the verdict on them
 * and what their writing changes. */
#ifndef PROVE_NEW_TABLES_H
#define PROVE_NEW_TABLES_H

#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"

typedef struct ripstop_new_tables_settings {
  const ripstop_view *view;
  const char *method;
  uint64_t entries;        /* the most entries that the tables may have */
  ripstop_forwarding *old; /* the tables now in the switches, which may be folded; NULL: none */
  bool from_scratch;       /* do not repair the old tables */
} ripstop_new_tables_settings;

typedef struct ripstop_new_tables {
  ripstop_forwarding *tables;
  ripstop_table_verdict now, before; /* `before`: the verdict on the old tables */
  ripstop_deadlock deadlock;         /* for the tables, or for the method's plan if it uses bubble flow control */
  uint64_t bound;                    /* the worst channel of any tables carries at least so many paths */
  uint32_t addresses;                /* addresses of an end node */
  double minimum_hops;
  double seconds;                /* this thread took to make the tables */
  ripstop_spread spread;         /* if there are several addresses */
  ripstop_update update;         /* from the old tables */
  bool repaired;                 /* from the old tables */
  ripstop_table_verdict scratch; /* the verdict on new tables, if the old ones were repaired */
  const char *why;               /* the old tables were to be repaired and were not: the reason; NULL else */
  const char *note;              /* the method says this about its tables; NULL: nothing */
  bool untabled;                 /* also on error: the method applies and has no tables for what is left */
} ripstop_new_tables;

/* Texts and verdicts are in the arena. Free `out` in any case. */
int ripstop_new_tables_make(ripstop_arena *arena, const ripstop_new_tables_settings *settings, ripstop_new_tables *out,
                            ripstop_error *err);
void ripstop_new_tables_free(ripstop_new_tables *tables);

#endif
