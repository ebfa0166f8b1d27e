/* mend.h - forwarding tables for whatever is left of a fabric, that cannot deadlock and share its links evenly.
 *
 * Every lane has an order of its channels, the frame; packets keep their lane and go from channels only to such of
 * higher number, so none can wait for each other in a cycle, whatever the tables are. Of all ends and switches that
 * are connected each reaches each other. docs/methods/mend.md has the algorithm and its proof. */
#ifndef RIPSTOP_MEND_H
#define RIPSTOP_MEND_H

#include "ripstop/faults.h"
#include "ripstop/forwarding.h"
#include "ripstop/plan.h"

RIPSTOP_BEGIN

enum { RIPSTOP_MEND_LANES = 8, RIPSTOP_MEND_LMC = 7 };

typedef struct ripstop_mend_options {
  uint32_t lanes; /* 1 .. RIPSTOP_MEND_LANES */
  bool by_pair;   /* the lane depends on source and destination; else on the destination alone */
  uint64_t seed;
  uint32_t lmc; /* each end node has 2^lmc addresses, with ways of their own; 0 .. RIPSTOP_MEND_LMC */
} ripstop_mend_options;

typedef struct ripstop_mend {
  const ripstop_view *view;
  ripstop_forwarding *tables; /* addresses: every node, end nodes 2^lmc; levels are lanes. Dead nodes have no entries */
  uint32_t lanes;
  /* [lanes * ports], the certificate: the number of the channel that a port sends into, in each lane; RIPSTOP_NONE for
   * ports that send into no channel between live switches. */
  const uint32_t *order;
  const char *start; /* what the frames began as: "spanning tree", "torus", ... */
  uint64_t worst; /* paths, one for each end node and address of another, on the channel between switches with most */
  ripstop_arena *arena;
} ripstop_mend;

/* The view must outlive it. NULL: no memory, or options out of range. */
ripstop_mend *ripstop_mend_open(const ripstop_view *view, const ripstop_mend_options *options, ripstop_error *err);
/* With at most so many dead links between switches all pairs of end nodes have a path; at most `most`. 0, too, where
 * that takes long to find out: on large fabrics. */
uint32_t ripstop_mend_tolerates(const ripstop_fabric *fabric, uint32_t most);
void ripstop_mend_free(ripstop_mend *mend); /* NULL is fine */

/* ------------------------------------------------------------------ when something fails
 * Tables, whoever made them, that were free of deadlock, follow what is alive: an entry changes only where its packets
 * do not arrive any more, and so few others that have to make way. Service levels that depend on the destination alone
 * never change, others where they must. Lanes are levels (no tables of lanes by level). */

typedef struct ripstop_mended_entry {
  uint32_t address, switch_; /* switch_: a node */
  uint16_t was;              /* the port before */
} ripstop_mended_entry;

typedef struct ripstop_mended {
  uint64_t levels_changed;
  /* Old and new entries may be in force by halves, and nothing can deadlock or go round: one write. Else two, of which
   * the first takes away all entries that change (ripstop_judge_update). */
  bool mixed;
  bool more;        /* another call can make the busiest channels better */
  uint32_t entries; /* that changed; they stand together by address */
  const ripstop_mended_entry *entry;
} ripstop_mended;

typedef struct ripstop_mender ripstop_mender;

/* In place: the tables belong to the mender as long as it is open, and the view may change between calls. NULL and
 * RIPSTOP_DOES_NOT_APPLY: what the tables hold and wait for, to switches too, closes a cycle, or their lanes do not
 * follow from levels or are more than RIPSTOP_MEND_LANES. */
ripstop_mender *ripstop_mender_open(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed,
                                    ripstop_answer *answer, ripstop_error *err);
/* The tables for the view as it is now; what the first call costs is the size of the tables, another one after cables
 * between switches have failed only that of what they carried. `out->entry` is good until the next call.
 * RIPSTOP_DOES_NOT_APPLY, or an error: make new tables, these are of no use any more. */
ripstop_answer ripstop_mender_follow(ripstop_mender *mender, ripstop_mended *out, ripstop_error *err);
/* The same, and then other entries change as well, such that the busiest channels carry less, as long as no more than
 * `budget` change in all. Only where service levels depend on the destination alone, and after the tables of the last
 * call are everywhere. Costs what the tables' size does. */
ripstop_answer ripstop_mender_balance(ripstop_mender *mender, uint32_t budget, ripstop_mended *out, ripstop_error *err);
void ripstop_mender_free(ripstop_mender *mender); /* NULL is fine */

/* The same once, as new tables; the old ones stay as they are. `budget` is that of ripstop_mender_balance, or 0.
 * `*seconds`: processor time of the repair, without what
 * getting to know the old tables takes, where they connected all while the channels that they lead into were alive;
 * NULL: nobody asks. NULL and RIPSTOP_DOES_NOT_APPLY: make new ones. */
ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        uint32_t budget, double *seconds, ripstop_answer *answer, ripstop_error *err);

RIPSTOP_END

#endif
