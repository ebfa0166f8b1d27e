/* view.h - a fabric with its failed and slow parts at one moment. Plans are compiled for a view. */
#ifndef RIPSTOP_VIEW_H
#define RIPSTOP_VIEW_H

#include "ripstop/fabric.h"

RIPSTOP_BEGIN

typedef struct ripstop_view ripstop_view;

/* A part fails or returns. */
typedef struct ripstop_change {
  uint64_t cycle;
  uint32_t id;    /* a link, or a switch's node number */
  bool is_switch; /* else a link */
  bool up;        /* true: repaired */
  uint16_t rate;  /* rate of a link that is up now, in thousandths of a flit per cycle; 0: the fabric's own */
} ripstop_change;

/* Changes while a simulation runs. */
typedef struct ripstop_schedule {
  size_t count;
  const ripstop_change *change; /* sorted by cycle; those of a cycle happen in this order */
} ripstop_schedule;

/* `failed` is a line of a fault file: links and "switch:NAME" that are down, and "LINK~0.25" at that rate, separated by
 * blanks; NULL: nothing. The fabric must outlive the view. NULL: a name is unknown (the error has the nearest one), or
 * no memory. */
ripstop_view *ripstop_view_open(const ripstop_fabric *fabric, const char *failed, ripstop_error *err);
/* `count` different random parts are down. `scope`: "switch-links", "all-links", "switches", or another one of
 * docs/faults.md. The same fabric, scope, count, seed and index give the same parts. NULL: there are fewer parts, or no
 * such scope. */
ripstop_view *ripstop_view_sample(const ripstop_fabric *fabric, const char *scope, uint32_t count, uint64_t seed,
                                  uint64_t index, ripstop_error *err);
void ripstop_view_free(ripstop_view *view); /* NULL is fine */
/* A link or a switch fails, or returns. Plans for the view follow by ripstop_plan_update. The number must be one of the
 * fabric: it is not checked. */
void ripstop_view_set_link(ripstop_view *view, uint32_t link, bool up);
void ripstop_view_set_switch(ripstop_view *view, uint32_t node, bool up);
/* Ordered pairs of distinct end nodes without any physical path. */
uint64_t ripstop_view_disconnected_pairs(const ripstop_view *view);

RIPSTOP_END

#endif
