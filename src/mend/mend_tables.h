/* mend_tables.h - forwarding tables for any fabric with failed parts. They cannot deadlock and share its links evenly.
 *
 * Every VC has an order of its channels. Packets keep their VC and move only to channels of higher number, so they
 * never wait for each other in a cycle, whatever the tables are. Every node reaches each end node and switch that is
 * connected to it. docs/methods/mend.md has the algorithm and its proof. */
#ifndef MEND_MEND_TABLES_H
#define MEND_MEND_TABLES_H

#include "ripstop/kit/repair.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

enum { RIPSTOP_MEND_LANES = 8, RIPSTOP_MEND_LMC = 7 };

typedef struct ripstop_mend_options {
  uint32_t lanes; /* 1 .. RIPSTOP_MEND_LANES */
  bool by_pair;   /* the VC depends on source and destination; else on the destination alone */
  uint64_t seed;
  uint32_t lmc; /* each end node has 2^lmc addresses, with paths of their own; 0 .. RIPSTOP_MEND_LMC */
  bool groups;  /* VC 0 keeps the turns of a spanning tree, for multicast groups (group_tree.h). Fat trees have them in
                 * any case */
} ripstop_mend_options;

typedef struct ripstop_mend {
  const ripstop_view *view;
  ripstop_forwarding *tables; /* addresses: every node, end nodes 2^lmc; service levels are VCs. Failed nodes have no
                               * entries */
  uint32_t lanes;
  /* [VCs * ports], the certificate: the number of the channel that a port sends into, in each VC; RIPSTOP_NONE for
   * ports that send into no channel between live switches. */
  const uint32_t *order;
  const char *start; /* how the channel orders began: "spanning tree", "torus", ... */
  uint64_t worst; /* greatest number of paths on a channel between switches; one path for each end node and address of
                   * another */
  ripstop_arena *arena;
} ripstop_mend;

/* The view must outlive it. NULL: no memory, or options out of range. */
ripstop_mend *ripstop_mend_open(const ripstop_view *view, const ripstop_mend_options *options, ripstop_error *err);
/* With at most this many failed links between switches all pairs of end nodes have a path; at most `most`. Also 0 if
 * that takes long to find out: on large fabrics. */
uint32_t ripstop_mend_tolerates(const ripstop_fabric *fabric, uint32_t most);
void ripstop_mend_free(ripstop_mend *mend); /* NULL is fine */

/* ------------------------------------------------------------------ repairs
 * Tables of any origin that were free of deadlock follow the live fabric: an entry changes only if its packets no
 * longer arrive, and few others change to make room. Service levels that depend on the destination alone never change,
 * others where they must. A service level is its own VL (no SL2VL tables). */

typedef struct ripstop_mended {
  uint64_t levels_changed;
  /* Old and new entries may be mixed, and no packets can deadlock or loop: one write. Otherwise two, of which the
   * first removes all entries that change (ripstop_judge_update). */
  bool mixed;
  bool more;        /* another call can relieve the busiest channels */
  uint32_t entries; /* changed entries; those of an address are adjacent */
  const ripstop_mended_entry *entry;
} ripstop_mended;

typedef struct ripstop_mender ripstop_mender;

/* Works in place: the tables belong to the mender as long as it is open, and the view may change between calls. NULL
 * and RIPSTOP_DOES_NOT_APPLY: dependencies of their packets, including those to switches, close a cycle; or their VLs
 * do not follow from service levels or are more than RIPSTOP_MEND_LANES. */
ripstop_mender *ripstop_mender_open(const ripstop_view *view, ripstop_forwarding *tables, uint64_t seed,
                                    ripstop_answer *answer, ripstop_error *err);
/* Repairs the tables for the present view. The first call costs the size of the tables; after failed cables between
 * switches later calls cost only the size of what these carried. `out->entry` is valid until the next call.
 * RIPSTOP_DOES_NOT_APPLY, or an error: make new tables, these are invalid. */
ripstop_answer ripstop_mender_follow(ripstop_mender *mender, ripstop_mended *out, ripstop_error *err);
/* The same, and changes other entries, too, so that the busiest channels carry less, up to `budget` changes in all.
 * Only if service levels depend on the destination alone, and after all switches have the tables of the last call.
 * Costs the size of the tables. */
ripstop_answer ripstop_mender_balance(ripstop_mender *mender, uint32_t budget, ripstop_mended *out, ripstop_error *err);
void ripstop_mender_free(ripstop_mender *mender); /* NULL is fine */

/* The same once, as new tables; the old ones stay as they are. `budget` is that of ripstop_mender_balance, or 0.
 * `groups`: keeps room for the tree of multicast groups (kept_tree.h).
 * `*seconds`: processor time of the repair, without the time to read the old tables if they connected all pairs while
 * the channels that they lead into were alive; NULL: not requested. NULL and RIPSTOP_DOES_NOT_APPLY: make new ones. */
ripstop_forwarding *ripstop_mend_repair(const ripstop_view *view, const ripstop_forwarding *old, uint64_t seed,
                                        uint32_t budget, bool groups, double *seconds, ripstop_answer *answer,
                                        ripstop_error *err);

RIPSTOP_END

#endif
