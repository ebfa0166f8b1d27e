/* planner.h - the subnet planner: keeps the tables of a running InfiniBand fabric. It gets the fabric after each
 * change, and returns the entries, service levels and VLs of every switch. The core of a subnet manager's plug-in.
 *
 * Tables are made by `mend`; if ports have several LIDs (LMC), each has paths of its own. They are kept from one
 * sweep to the next, and in a file, so that a fault changes only what it must, and a restart nothing. A sweep that
 * fails leaves the planner unchanged. */
#ifndef RIPSTOP_PLANNER_H
#define RIPSTOP_PLANNER_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_planner ripstop_planner;

extern const ripstop_option ripstop_planner_options[];

/* "lanes=4,sl=destination,seed=1,budget=0,file=/var/cache/opensm/ripstop.tables"; NULL: defaults for missing
 * options. */
ripstop_planner *ripstop_planner_open(const char *options, ripstop_error *err);
void ripstop_planner_free(ripstop_planner *planner);            /* NULL is fine */
uint32_t ripstop_planner_lanes(const ripstop_planner *planner); /* the requested number of VLs */

typedef enum ripstop_sweep_kind {
  RIPSTOP_SWEEP_SAME,     /* the fabric and the tables are unchanged */
  RIPSTOP_SWEEP_RESTORED, /* the tables of the file are good for it as they are */
  RIPSTOP_SWEEP_REPAIRED, /* changes were repaired */
  RIPSTOP_SWEEP_PLANNED,  /* everything was recomputed */
  RIPSTOP_SWEEP_BALANCED, /* the fabric is unchanged, and some entries relieve the busiest links */
  RIPSTOP_SWEEP_KEPT,     /* the tables that the switches held are good as they are */
  RIPSTOP_SWEEP_RETURNED  /* some entries, or all, are those of the plan for the whole fabric again */
} ripstop_sweep_kind;
extern const char *const ripstop_sweep_words[]; /* "same", ..., NULL */

typedef struct ripstop_sweep {
  ripstop_sweep_kind kind;
  uint64_t pairs, lost;             /* ordered pairs of end nodes; of those that have a path */
  uint64_t worst, bound;            /* paths, one for each end node and LID of another, on the busiest channel */
  uint64_t changed, levels_changed; /* since the sweep before; entries: against what the switches hold, if known */
  uint32_t lanes;
  bool
      first; /* these are not the last tables: the next sweep, of the same fabric, gives those (ripstop_update.steps) */
  bool unsafe;          /* old and new entries, or service levels, meet for a while, and can deadlock together, or with
                         * packets of groups on such trees: nothing prevents it */
  bool more;            /* the next sweep, of the same fabric, can relieve the busiest links (`budget`) */
  uint64_t away, whole; /* entries and service levels that differ from the plan of the whole fabric, and its value of
                         * `worst`; away is 0, too, while some of its cables are missing */
  bool stuck;           /* away is not 0, and within the budget no step to the plan is known that can be written safely:
                         * the budget relieves the busiest links instead */
  uint64_t enough;      /* if stuck: a budget that leads to the plan; 0: none is known */
  uint64_t planned;     /* the value of `worst` when everything was last recomputed; 0: before the planner started */
  struct {
    bool over;           /* the planner has taken over: this is its first sweep, or the first since it forgot */
    uint64_t held;       /* entries that the switches held; 0: none, or not known */
    uint64_t differs;    /* among these, other ones than in the file */
    uint64_t generation; /* the file's; 0: there was none */
    const char *writer;  /* its writer; valid until the next call */
    bool levels_unknown; /* the service levels that packets carry are not known */
  } taken;
  double seconds;       /* processor time, and its part for the tables, a repair or a plan: the rest is */
  double table_seconds; /* reading the fabric, judging, and the file */
  uint16_t group_lanes; /* a bit for each VL on which the tree of all multicast groups closes no cycle with unicast
                         * packets; bit 0 unset: there is no such tree */
  bool group_clash;     /* the last such tree and the present one together have a cycle, or wait in one with old and new
                         * entries: clear all masks when these are written, and set them in the next sweep */
  const char *notice; /* error of the file, which could not be read or written; NULL: none. Valid until the next call */
} ripstop_sweep;

/* The fabric as ibnetdiscover prints it, with LIDs. -1: there are no tables for it that connect every pair that has a
 * path and cannot deadlock; then the results of the last sweep remain. */
int ripstop_planner_sweep(ripstop_planner *planner, const char *dump, size_t length, ripstop_sweep *out,
                          ripstop_error *err);

/* From the next sweep on new tables have so many VLs at most, even if the options allow more. */
void ripstop_planner_allow(ripstop_planner *planner, uint32_t lanes);

/* The planner forgets its tables, since another subnet manager may have written others. The next sweep reads the file
 * again. `writer` names this manager in the file from now on. */
void ripstop_planner_take_over(ripstop_planner *planner, const char *writer);
/* The table that a switch holds, by LID ([lids]; 255: no entry), for the next sweep alone; it must stay valid until
 * then. The sweep counts changes against it, and decides by it whether an order of writes is safe. */
int ripstop_planner_holds(ripstop_planner *planner, uint64_t guid, const uint8_t *port, size_t lids,
                          ripstop_error *err);

/* The forwarding table of the switch with the GUID, to `port` ([lids]): 255 for LIDs that it has no entry for, 0 for
 * its own. false: there is no such switch. */
bool ripstop_planner_table(const ripstop_planner *planner, uint64_t guid, uint8_t *port, size_t lids);
/* The service level from one LID to another; 0 for unused LIDs. The VL of a service level is that level modulo
 * ripstop_sweep.lanes, at every port; other levels than these can have VL 0, where multicast groups are safe. Packets
 * of a switch without end nodes get the level of the first end node of all: such paths are not judged, so the verdict
 * on deadlock does not cover these packets. */
unsigned ripstop_planner_level(const ripstop_planner *planner, uint32_t source_lid, uint32_t lid);

/* One spanning tree for all multicast groups: the port by which the switch reaches its parent, whose GUID goes to
 * `parent`; 0: it is a root, or there is no such switch. */
uint8_t ripstop_planner_group_port(const ripstop_planner *planner, uint64_t guid, uint64_t *parent);

RIPSTOP_END

#endif
