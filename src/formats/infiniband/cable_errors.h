/* cable_errors.h - joins the counters of ports (counters.h) to the cables of a dump: which cable to replace first.
 *
 * Both ends count a link that goes down or recovers, so of their counts the larger is the cable's; bit errors are
 * counted by the end that receives them, so they are added. With counters of an earlier time the differences count; a
 * counter that fell was reset in between, and counts as it is. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_CABLE_ERRORS_H
#define RIPSTOP_FORMATS_INFINIBAND_CABLE_ERRORS_H

#include "formats/infiniband/counters.h"
#include "formats/infiniband/dump.h"

/* By what a place of the files names a node, the surest first. */
typedef enum ib_match {
  IB_MATCH_GUID,
  IB_MATCH_LID,
  IB_MATCH_NAME, /* the only node with this description; the place or the dump has no GUID */
  IB_MATCHES
} ib_match;
extern const char *const ib_match_words[IB_MATCHES]; /* "guid", "lid", "name" */

/* A place whose GUIDs are not in the dump, though the dump has its name, once, with another GUID: an exchanged board,
 * or another node of that name. It counts as unknown. */
typedef struct ib_named_place {
  const ib_counted_port *place;
  uint32_t port; /* in the dump */
} ib_named_place;

typedef struct ib_cable_errors {
  uint32_t port; /* a port of the dump: the end that stands first in the cable's name */
  uint64_t downed, recovered;
  uint64_t bits;                  /* all other counters of both ends */
  uint64_t value[2][IB_COUNTERS]; /* the counters of both ends */
  bool at_least;                  /* a counter is full */
  ib_match by;                    /* the least sure one of all places that speak of its ports */
} ib_cable_errors;

typedef struct ib_replace_first {
  ib_cable_errors *list; /* by downed, recovered, bits, the largest first; then by the cable's name */
  uint32_t count;
  uint32_t ports;        /* ports of the dump that have counters */
  uint32_t uncabled;     /* among these, without a cable */
  uint32_t unknown;      /* places of the files whose port is not in the dump */
  ib_named_place *named; /* among these, by their lines */
  uint32_t nameds;
} ib_replace_first;

/* `before` may be NULL. Memory from the arena. */
void ib_join_counters(ib_replace_first *out, ripstop_arena *arena, const ripstop_ib_dump *dump, const ib_counters *now,
                      const ib_counters *before);

#endif
