/* picture.h - the page of `ripstop what-if`: a real or made fabric drawn, what is odd about it, what each part takes
 * with it when it dies, what may be taken out of service, and where a cable more would help most. */
#ifndef DRAW_PICTURE_H
#define DRAW_PICTURE_H

#include "fabric/recognise.h"
#include "ripstop/judge.h"

/* A cable that is not there, or not what it should be, and what the next fault of a cable at its ends would do. */
typedef struct outlook_mend {
  const char *what, *where, *text; /* of the oddity */
  uint64_t parted;                 /* pairs that the next dead cable at either end parts */
  bool loop;                       /* after which the repaired tables have a credit loop */
  uint64_t worst;                  /* most paths on a channel after it */
  uint64_t on_it;
  double share;  /* of the end that is worse off: what it can send on beside what its hosts send; 0 of no hosts: 1 */
  uint32_t more; /* cables that are not as they should be at that end, this one included */
} outlook_mend;

/* A queue that waits, at the switch `to` for what comes from the node `from`. */
typedef struct outlook_wait {
  uint32_t from, to;
  const char *text; /* "6.4 > 6.3, channel 0: packet 4.6 > 6.3" */
} outlook_wait;

enum { OUTLOOK_PAIRS_MOST = 100 }; /* that a drawing tells */

/* What stands out of a drawing: an oddity, or a part that dies. Those with a number are listed beside the drawing. */
typedef struct outlook_mark {
  uint32_t number;        /* from 1; 0: it has none */
  const ripstop_odd *odd; /* NULL: a part */
  uint32_t part;          /* of the outlook's parts */
  bool parts;             /* its death parts adapters that live on; else it is one of the worst of the others */
} outlook_mark;

/* Two switches with hosts that faults, or the load of links, hurt more than others. */
typedef struct outlook_pair {
  uint32_t a, b;   /* nodes */
  uint32_t longer; /* links that the shortest way has more than without the faults; RIPSTOP_NONE: there is no way */
  double use;      /* of the busiest link that no shortest way avoids, of the worse direction; NAN: not known */
} outlook_pair;

typedef struct outlook {
  const ripstop_fabric *fabric;
  const ripstop_view *view;
  const ripstop_recognised *recognised;
  const char *const *text;   /* [nodes]: how each describes itself; empty: not at all */
  const ripstop_odds *told;  /* what the file says against itself; NULL: nothing */
  const char *tables;        /* where they are from, in words */
  const char *part, *parts_; /* what dies, in words: "cable", "cables between switches" */
  const ripstop_table_verdict *before;
  ripstop_deadlock deadlock; /* of the tables, or of the method that makes them */
  uint32_t parts;
  const ripstop_faults *set;    /* [parts] */
  const char *const *name;      /* [parts] */
  const char *const *name_told; /* [parts]: how they describe themselves; empty: not at all */
  const ripstop_what_if *effect;
  const uint32_t *order;        /* [parts]: the worst first; cables to hosts may be among them */
  const ripstop_safe_set *safe; /* NULL: it was not asked for */
  const char *const *safe_name; /* [safe->links] */
  const uint32_t *safe_off;     /* [safe_offs]: nodes that a subnet manager does not reach without it */
  uint32_t safe_offs;
  const char *reroute;      /* the method that makes tables after each part, and for the set; NULL: none */
  const ripstop_leaf *leaf; /* [leaves]: the weakest first */
  uint32_t leaves;
  const outlook_wait *wait; /* [waits]: a deadlock, of which each queue of the first `cycle` waits for the next one */
  uint32_t waits, cycle;
  const outlook_mend *mend; /* [mends]: which to mend first */
  uint32_t mends;
  const outlook_mark *mark; /* [marks]: the last is drawn on top */
  uint32_t marks;
  bool alone;               /* a picture of its own, with a title and a legend */
  bool gather;              /* switches share spots, and cables lines, where they are many */
  const double *use;        /* [ports]: flits/cycle that the port sends, NAN where nobody knows; NULL: it is not told */
  const char *use_told;     /* of what: "one run", "mean of 12 runs" */
  uint32_t dead;            /* links and switches */
  const outlook_pair *pair; /* [pairs]: the worst first */
  uint32_t pairs;
} outlook;

/* The worst pairs of switches with hosts, of those that are hurt at all: at most `most`. Memory from the arena. Time:
 * switches x links. */
void outlook_find_pairs(ripstop_arena *arena, outlook *o, uint32_t most);

/* All oddities, then the parts whose death parts others, then, where not all do the same, the worst of the rest; of
 * parts only a few. Numbers where there are parts, and no more than can be read. Memory from the arena. */
void outlook_find_marks(ripstop_arena *arena, outlook *o);
/* What it is: "missing uplink: ..." */
void outlook_mark_words(const outlook *o, const outlook_mark *mark, ripstop_text *out);

/* Whether the part is a single cable to an end node. */
bool outlook_is_host_cable(const outlook *o, uint32_t part);
/* Switches that a place of an oddity speaks of, by their nodes; at most two, returns how many. An end node stands for
 * its switch. */
unsigned outlook_switches(const ripstop_names *names, const char *place, uint32_t node[2]);
/* Cables that are not there or not as they should be, the one to mend first before others; of an outlook of cables. */
void outlook_find_mends(ripstop_arena *arena, outlook *o);
/* The fabric as an <svg> element: trees by level, tori, KNS and their like by coordinates, dragonflies by group, others
 * by Graphviz; marks and waiting queues stand out. 0; -1: it is drawn, but others stand in a ring, for want of what
 * `err` says. */
int outlook_draw(const outlook *o, ripstop_text *out, ripstop_error *err);
void outlook_page(const outlook *o, ripstop_text *out);

#endif
