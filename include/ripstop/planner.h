/* planner.h - keeps the tables of a running InfiniBand fabric: it is told what is there after each change, and answers
 * which entries, service levels and lanes every switch shall have. What a subnet manager's plug-in is made of.
 *
 * Tables are made by `mend`; where ports have several LIDs (LMC), each has ways of its own. They are kept from one
 * sweep to the next, and in a file, so that a fault changes what it must, and a restart nothing. A sweep that fails
 * leaves the planner as it was before. */
#ifndef RIPSTOP_PLANNER_H
#define RIPSTOP_PLANNER_H

#include "ripstop/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_planner ripstop_planner;

extern const ripstop_option ripstop_planner_options[];

/* "lanes=4,sl=destination,seed=1,budget=0,file=/var/cache/opensm/ripstop.tables"; NULL: what is not given. */
ripstop_planner *ripstop_planner_open(const char *options, ripstop_error *err);
void ripstop_planner_free(ripstop_planner *planner);            /* NULL is fine */
uint32_t ripstop_planner_lanes(const ripstop_planner *planner); /* that are wanted */

typedef enum ripstop_sweep_kind {
  RIPSTOP_SWEEP_SAME,     /* the fabric is as it was, and so are the tables */
  RIPSTOP_SWEEP_RESTORED, /* the tables of the file are good for it as they are */
  RIPSTOP_SWEEP_REPAIRED, /* what has changed was repaired */
  RIPSTOP_SWEEP_PLANNED,  /* everything was planned again */
  RIPSTOP_SWEEP_BALANCED  /* the fabric is as it was, and some entries make the busiest links better */
} ripstop_sweep_kind;
extern const char *const ripstop_sweep_words[]; /* "same", ..., NULL */

typedef struct ripstop_sweep {
  ripstop_sweep_kind kind;
  uint64_t pairs, lost;             /* ordered pairs of end nodes; of those that have a path */
  uint64_t worst, bound;            /* paths, one for each end node and LID of another, on the busiest channel */
  uint64_t changed, levels_changed; /* since the sweep before */
  uint32_t lanes;
  bool
      first; /* these are not the last tables: the next sweep, of the same fabric, gives those (ripstop_update.steps) */
  bool unsafe; /* old and new entries, or service levels, meet for a while, and can deadlock together: nothing prevents
                  it */
  bool more;   /* the next sweep, of the same fabric, can make the busiest links better (`budget`) */
  uint64_t planned;     /* what `worst` was when everything was planned last; 0: before the planner began */
  double seconds;       /* processor time, and of it what making the tables took, a repair or a plan: the rest is */
  double table_seconds; /* reading the fabric, judging, and the file */
  const char *notice;   /* of the file, which could not be read or written; NULL: all is well. Until the next call */
} ripstop_sweep;

/* The fabric as ibnetdiscover prints it, with LIDs. -1: there are no tables for it that connect every pair that has a
 * path and cannot deadlock; what the planner answers then is what it answered before. */
int ripstop_planner_sweep(ripstop_planner *planner, const char *dump, size_t length, ripstop_sweep *out,
                          ripstop_error *err);

/* The forwarding table of the switch with the GUID, to `port` ([lids]): 255 for LIDs that it has no entry for, 0 for
 * its own. false: there is no such switch. */
bool ripstop_planner_table(const ripstop_planner *planner, uint64_t guid, uint8_t *port, size_t lids);
/* The service level from one LID to another; 0 for LIDs of nobody. The lane of a service level is that level modulo
 * ripstop_sweep.lanes, at every port. What a switch without end nodes sends gets the level that the first end node of
 * all uses: a path, but not one of those that are judged, so nothing is said of deadlocks with such packets. */
unsigned ripstop_planner_level(const ripstop_planner *planner, uint32_t source_lid, uint32_t lid);

RIPSTOP_END

#endif
