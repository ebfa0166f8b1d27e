/* planner_inside.h - the state of the subnet planner, and what its files share: planner.c begins each sweep,
 * planner_follow.c and planner_replan.c do it, planner_tables.c judges and repairs tables for both.
 *
 * A sweep works on a planner_work. The planner takes it over at the end, when no more memory is allocated: a call that
 * runs out of memory leaves no trace. */
#ifndef MEND_PLANNER_INSIDE_H
#define MEND_PLANNER_INSIDE_H

#include "base/hash.h"
#include "mend/common_tree.h"
#include "mend/held_tables.h"
#include "mend/mend_tables.h"
#include "mend/snapshot.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/planner.h"
#include "tables/rejudge.h"

enum { PLANNER_LIDS = RIPSTOP_IB_LID_LIMIT + 1 };
enum { PLANNER_BY_DESTINATION, PLANNER_BY_PAIR };

typedef struct planner_config {
  int64_t lanes, seed, budget;
  int32_t sl;
  const char *file;
} planner_config;

/* The result of a sweep: tables of one fabric by LID. */
typedef struct planner_answer {
  ripstop_fabric *fabric;
  ripstop_view *view;
  uint8_t *present;           /* [nodes]: in the last dump */
  ripstop_forwarding *goal;   /* the last tables */
  ripstop_forwarding *plan;   /* the tables planned for the whole fabric; NULL: none */
  rejudge *judged;            /* the verdict on `goal`, allocated in the arena; NULL: none */
  ripstop_mender *mender;     /* keeps `goal` up to date; NULL: none */
  ripstop_forwarding *tables; /* the published tables: the last ones, or intermediate ones */
  uint32_t *address;          /* [PLANNER_LIDS]: address of a LID; RIPSTOP_NONE: of no node */
  ripstop_deadlock deadlock;  /* verdict on the tables that were judged last */
  char hash[RIPSTOP_HASH];    /* hash of the dump */
  ripstop_arena *arena;
} planner_answer;

struct ripstop_planner {
  planner_config config;
  uint32_t lanes; /* the most VLs of new tables */
  planner_answer now;
  snapshot *plan; /* the tables planned for the fabric with most cables, which `answer.plan` follows; NULL: none */
  bool torn;      /* the mender stopped in the middle: its tables are invalid */
  ripstop_sweep last;
  common_tree tree;                  /* for multicast groups */
  held_tables held;                  /* for the present sweep */
  bool foreign;                      /* switches hold other entries than were published last */
  uint64_t generation;               /* the file's */
  char writer[SNAPSHOT_WRITER];      /* this planner */
  char last_writer[SNAPSHOT_WRITER]; /* the file's, as it was read */
  ripstop_error notice;
  ripstop_arena *arena;
};

/* State of a sweep before it is published. */
typedef struct planner_work {
  planner_answer now;
  snapshot *read;           /* contents of the file; NULL: empty, or not read */
  snapshot *last;           /* the last tables; NULL: there were none */
  snapshot *plan;           /* the new plan of the whole fabric; NULL: the old one stays */
  ripstop_forwarding *old;  /* the tables that switches have, mapped to the fabric; NULL: not known */
  ripstop_forwarding *held; /* at a take-over: what they hold, with the levels of the file; NULL: not known */
  common_tree tree;
  ripstop_sweep sweep;
} planner_work;

/* planner_tables.c */
/* Opens the fabric of a dump, without tables. */
int planner_look_at(planner_answer *a, const char *dump, size_t length, ripstop_error *err);
void planner_close(planner_answer *a);
/* Fills `address`, for LIDs of nodes that are present. */
void planner_number_lids(planner_answer *a);
/* The greatest LMC of an adapter's port. */
uint32_t planner_lmc(const ripstop_fabric *f);
/* See ripstop_judge_bound. */
uint64_t planner_bound(const planner_answer *a, uint64_t enough);
/* True if tables connect every pair that has a path and cannot deadlock; fills in the verdict. The mender serves
 * every pair that has a path or reports that it cannot (follow_address), so `lost` is 0 here unless the mender is
 * wrong: this check does not rely on it. */
bool planner_are_good(planner_answer *a, const ripstop_forwarding *tables, ripstop_sweep *out);
/* Frees the goal, with its mender and verdict. */
void planner_drop_tables(planner_answer *a);
/* A mender that keeps room for the tree of multicast groups: as much of the last one as fits, or another one. */
ripstop_mender *planner_open_mender(const ripstop_planner *k, const ripstop_view *view, ripstop_forwarding *tables,
                                    ripstop_answer *reply, ripstop_error *why);
/* Repairs the goal in place. New tables need no repair, but their mender must read them once. */
bool planner_mend(const ripstop_planner *k, planner_answer *a, uint32_t budget, ripstop_mended *mended,
                  ripstop_sweep *out);
/* The tree of multicast groups for the goal: the mender's, or one that the mender did not find, which it then keeps. */
void planner_find_tree(const ripstop_planner *k, const planner_answer *a, common_tree *tree, ripstop_sweep *out);
/* Reports by how many writes the tables in the switches become new ones. */
void planner_report_update(ripstop_sweep *out, const ripstop_update *update);
/* Reports how far tables are from the plan, if all of its cables are there. */
void planner_report_plan(const planner_answer *a, const snapshot *plan, const ripstop_forwarding *tables,
                         ripstop_sweep *out);
/* Writes tables and the plan of the whole fabric to the file of the options, if there is one; a failure becomes the
 * notice of the sweep. */
void planner_write_file(ripstop_planner *k, const ripstop_forwarding *tables, snapshot *plan);

/* planner_replan.c */
/* Finds tables for a fabric with other parts than the last one, and publishes them. -1: an error; nothing changed. */
int planner_replan(ripstop_planner *k, planner_work *w, ripstop_error *err);
void planner_free_work(planner_work *w);

/* planner_follow.c */
/* Repairs in place if all parts were there before, and publishes. 1: the fabric is new. -1: an error; the next sweep
 * replans. */
int planner_follow(ripstop_planner *k, const planner_work *w, ripstop_error *err);
/* The published tables become the goal; the first of two writes removes entries that differ. `level`: room for the
 * goal's service levels. */
void planner_write_next(planner_answer *a, uint8_t *level, ripstop_sweep *out);

#endif
