/* what_if.h - the page of `ripstop what-if`: a fabric's picture, what is odd about it, which cables count errors, what
 * each part takes with it when it fails, what may be taken out of service, which cables to mend first, and what
 * changed in the tables. */
#ifndef REPORT_WHAT_IF_H
#define REPORT_WHAT_IF_H

#include "draw/fabric_picture.h"
#include "tables/infiniband/cable_counters.h"

/* A cable that is not there, or not what it should be, and what the next failed cable of its part would do. */
typedef struct what_if_mend {
  const char *what, *where, *text;   /* the oddity's */
  const ripstop_capacity_part *part; /* the lowest at its end */
  const char *words;                 /* the capacity of the part, now and after the next failed cable */
  uint64_t disconnected;             /* pairs that the next failed cable disconnects */
  uint64_t saved;                    /* pairs that a failed cable there disconnects now, but not when this is mended */
  bool helps;                        /* the next failed cable leaves the part less than its hosts need */
  bool loop;                         /* after which the repaired tables have a credit loop */
  double worst;                      /* after it: the most paths for each unit of rate in the roles of the cable */
  /* Its capacity for each unit that its hosts can send, now and after the next failed cable; INFINITY: no hosts. */
  double share, share_next;
} what_if_mend;

typedef struct what_if {
  picture drawn;
  const char *tables;        /* their origin, in words */
  bool given;                /* by the user, or made by a method; else they are shortest paths */
  const char *part, *parts;  /* the kind of part that fails: "cable", "cables between switches" */
  ripstop_deadlock deadlock; /* the verdict on the tables, or on the method that makes them */
  const char *reroute;       /* the method that makes tables after each part, and for the set; NULL: none */
  bool groups;               /* the tables have multicast groups */
  const ripstop_capacity *capacity;
  const char *const *safe_name; /* [drawn.safe->links] */
  const char *const *safe_why;  /* [drawn.parts]: why a cable may not be taken out; NULL: it may, or it is another part.
                                 * The list is NULL where the parts are no cables between switches */
  const char *why_none; /* the tables of `reroute` break a condition with nothing taken out; NULL: they do not */
  const char *const
      *beside_why;          /* [drawn.parts]: why a cable that may be taken out alone is not in the set; else NULL */
  const char *incomplete;   /* the parts that the dump lacks, in words: then no cable is safe; NULL: none */
  const uint32_t *safe_off; /* [safe_offs]: nodes that a subnet manager does not reach without the safe set */
  uint32_t safe_offs;
  const what_if_mend *mend; /* [mends]: which to mend first */
  uint32_t mends;
  /* From other files, set after the study; NULL: not given. */
  const ib_cable_counters *counters;
  const ripstop_transient *changed; /* from earlier tables to these */
  const char *before;               /* the origin of the earlier tables */
} what_if;

/* "leaf-03", or "the pod of leaf-03": by its description where there is one. In the arena. */
const char *what_if_part_name(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_capacity_part *part);
/* Finds cables that are missing or not as they should be, the one to mend first before others. The parts are cables. */
void what_if_find_mends(ripstop_arena *arena, what_if *w);
void what_if_page(const what_if *w, ripstop_text *out);

#endif
