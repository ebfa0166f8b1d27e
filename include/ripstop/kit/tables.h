/* tables.h - the candidates of one plan as tables, as switches hold them.
 *
 * An entry has the candidates of a packet for a destination at a node: at a switch, or, on its first link, at its end
 * node. There is one for every head that a packet can really have there. Entries leave out the fields that candidates
 * do not depend on, so the tables of a method that reads only the destination have one entry for each destination.
 * Heads that no packet ever has are in no table. */
#ifndef RIPSTOP_TABLES_H
#define RIPSTOP_TABLES_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

/* Fields that candidates can depend on, besides node and destination. */
enum {
  RIPSTOP_BY_PORT = 1,    /* the input port */
  RIPSTOP_BY_CHANNEL = 2, /* likewise */
  RIPSTOP_BY_HEADER = 4,
  RIPSTOP_BY_SOURCE = 8,
  RIPSTOP_BY_CLASS = 16
};

typedef struct ripstop_entry {
  uint32_t node, destination;
  uint32_t in_port; /* local; RIPSTOP_NONE at end nodes, and if nothing depends on it */
  uint32_t source;  /* 0 if nothing depends on it, like the fields after it */
  uint64_t header;
  uint8_t channel, class_;
  uint8_t loss;        /* without candidates: the reason, an index into the method's `losses` */
  uint16_t candidates; /* 0: packets are lost here */
  uint64_t first;      /* the first of them, in ripstop_tables.way */
} ripstop_entry;

typedef struct ripstop_tables {
  const ripstop_plan *plan;
  unsigned by;       /* RIPSTOP_BY_*: the fields in the entries */
  unsigned ports_by; /* the fields that the output ports depend on */
  bool one_port;     /* no entry has candidates through more than one port */
  uint64_t entries;
  const ripstop_entry *entry; /* by node, destination, class, source, port, channel, header */
  const ripstop_candidate *candidate;
  ripstop_arena *arena;
} ripstop_tables;

/* Every entry of a plan, which must have its own tables (ripstop_plan_tables) and outlive these. NULL with an error;
 * *answer (may be NULL) is RIPSTOP_DOES_NOT_APPLY if there would be more than `limit` entries (the error says what
 * they depend on), or if packets for one end node have too many states. Cost: two calls of route for each state that
 * a packet can reach. */
ripstop_tables *ripstop_tables_open(const ripstop_plan *plan, uint64_t limit, ripstop_answer *answer,
                                    ripstop_error *err);
void ripstop_tables_free(ripstop_tables *tables); /* NULL is fine */
/* The entry for a head; NULL: no packet ever has it. O(log entries). */
const ripstop_entry *ripstop_tables_find(const ripstop_tables *tables, const ripstop_head *head);

/* The plain forwarding table of a node: to `port` ([ends]) for each destination the local output port, RIPSTOP_NONE
 * if packets for it are lost or never come. RIPSTOP_DOES_NOT_APPLY: the plan has none, and the error says what its
 * ports depend on. */
ripstop_answer ripstop_tables_ports(const ripstop_tables *tables, uint32_t node, uint32_t *port, ripstop_error *err);

/* "the header and the input port", for messages; "" for none. */
void ripstop_tables_by_print(ripstop_text *out, unsigned by);

RIPSTOP_END

#endif
