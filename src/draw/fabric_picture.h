/* fabric_picture.h - a fabric as SVG: its switches and cables, and on request what is odd or down, how much links are
 * used, which parts matter most, what may be taken out of service, and the queues of a deadlock. */
#ifndef DRAW_FABRIC_PICTURE_H
#define DRAW_FABRIC_PICTURE_H

#include "recognise/recognise.h"
#include "ripstop/kit/safe_set.h"

/* A queue that waits, at the switch `to` for what comes from the node `from`. */
typedef struct picture_wait {
  uint32_t from, to;
  const char *text; /* "6.4 > 6.3, channel 0: packet 4.6 > 6.3" */
} picture_wait;

enum { PICTURE_PAIRS_MOST = 100 }; /* pairs in a picture */

/* A mark in a drawing: an oddity, or a part that matters. Those with a number are listed beside the drawing. */
typedef struct picture_mark {
  uint32_t number;        /* from 1; 0: it has none */
  const ripstop_odd *odd; /* NULL: a part */
  uint32_t part;          /* index into the picture's parts */
  bool parts;             /* its death parts adapters that live on; else it is one of the worst of the others */
} picture_mark;

/* Two switches with hosts that faults, or the load of links, hurt more than others. */
typedef struct picture_pair {
  uint32_t a, b;   /* nodes */
  uint32_t longer; /* links by which the faults lengthen the shortest path; RIPSTOP_NONE: there is no path */
  double use;      /* the busiest link's on every shortest path, in the worse direction; NAN: not known */
} picture_pair;

typedef struct picture {
  const ripstop_fabric *fabric;
  const ripstop_view *view;
  const ripstop_recognised *recognised;
  const char *const *text;             /* [nodes]: how each describes itself; empty: not at all */
  const ripstop_odds *told;            /* contradictions within the file; NULL: none */
  const ripstop_table_verdict *before; /* the tables' before any part fails; NULL where there are no parts */
  uint32_t parts;
  const ripstop_faults *set;    /* [parts] */
  const char *const *name;      /* [parts] */
  const char *const *name_told; /* [parts]: how they describe themselves; empty: not at all */
  const ripstop_what_if *effect;
  const uint32_t *order;        /* [parts]: the worst first; cables to hosts may be among them */
  const ripstop_safe_set *safe; /* NULL: it is not drawn */
  const ripstop_leaf *leaf;     /* [leaves]: the weakest first */
  uint32_t leaves;
  const picture_wait *wait; /* [waits]: a deadlock, of which each queue of the first `cycle` waits for the next one */
  uint32_t waits, cycle;
  const picture_mark *mark; /* [marks]: the last is drawn on top */
  uint32_t marks;
  bool alone;               /* a picture of its own, with a title and a legend */
  bool gather;              /* switches share spots, and cables lines, where they are many */
  const double *use;        /* [ports]: flits/cycle that the port sends, NAN if not known; NULL: not drawn */
  const char *use_told;     /* the source: "one run", "mean of 12 runs" */
  uint32_t dead;            /* links and switches */
  const picture_pair *pair; /* [pairs]: the worst first */
  uint32_t pairs;
} picture;

/* The worst pairs of switches with hosts, of those that are hurt at all: at most `most`. Memory from the arena. Time:
 * switches x links. */
void picture_find_pairs(ripstop_arena *arena, picture *o, uint32_t most);

/* All oddities, then the parts whose death parts others, then, where not all do the same, the worst of the rest; of
 * parts only a few. Numbers where there are parts, and no more than can be read. Memory from the arena. */
void picture_find_marks(ripstop_arena *arena, picture *o);
/* The text of a mark: "missing uplink: ..." */
void picture_mark_text(const picture *o, const picture_mark *mark, ripstop_text *out);

/* True if the part is a single cable to an end node. */
bool picture_is_host_cable(const picture *o, uint32_t part);
/* The fabric as an <svg> element: trees by level, tori, KNS and their like by coordinates, dragonflies by group, others
 * by Graphviz; marks and waiting queues stand out. 0; -1: it is drawn, but others stand in a ring, for want of what
 * `err` says. */
int picture_draw(const picture *o, ripstop_text *out, ripstop_error *err);

#endif
