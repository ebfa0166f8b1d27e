/* fib_judge.h - what the forwarding state of an Ethernet fabric does: pairs of hosts that are reached by every choice
 * of next hops, by some, or by none; loops; how paths lie on the links.
 *
 * A pair is an ordered pair of distinct hosts. It is reached when, for each class of the second one's addresses, every
 * choice of next hops arrives. A pair that is reached is one unit of load, which each switch splits by weight, exactly.
 */
#ifndef RIPSTOP_TABLES_ETHERNET_FIB_JUDGE_H
#define RIPSTOP_TABLES_ETHERNET_FIB_JUDGE_H

#include "base/rational.h"
#include "tables/ethernet/fib.h"

typedef struct fib_verdict {
  uint64_t pairs, unreached;
  uint64_t partly;        /* some choice arrives, another does not */
  uint64_t disconnected;  /* no cables join their switches */
  uint64_t dead_ends;     /* some choice ends on its path */
  uint64_t loops;         /* some choice never ends; a pair may have both */
  fib_names looping;      /* classes with a loop that packets of a host come to */
  uint32_t links, unused; /* directions of cables between switches; those that carry nothing */
  rational worst;         /* the largest load of a link; rational_lost: some load needs more than 128 bits */
  double about;           /* the same in floating point */
  double hop_about;       /* `hop_sum` in floating point */
  uint32_t *worst_ports;  /* [worst_count]: the ports that send into links with that load; none where it is 0 */
  uint32_t worst_count;
  uint64_t worst_any_hash; /* the most pairs that can use one link */
  uint32_t max_hops;
  rational hop_sum;        /* the mean lengths of all pairs that are reached */
  rational *hops;          /* [max_hops + 1]: pairs by length, those with paths of several lengths in parts */
  uint32_t classes_needed; /* lossless classes, if each turn from down to up takes the next one; 0: paths have no up and
                            * down */
} fib_verdict;

/* Memory from f->arena. */
void fib_judge(fib *f, fib_verdict *out);

/* The possible fates of packets of one class at each switch. */
enum { FIB_SETTLED = 1, FIB_ARRIVES = 2, FIB_ENDS = 4 }; /* comes to no loop; arrives, or ends, by some choice */
typedef struct fib_walk {
  const fib *f;
  uint8_t *flag;   /* [switches] */
  uint32_t *order; /* [settled]: settled switches, behind all to which they send */
  uint32_t settled;
  uint32_t *left, *first, *from, *queue; /* work */
  size_t from_room;
  ripstop_arena *scratch;
} fib_walk;
void fib_walk_open(fib_walk *w, const fib *f, ripstop_arena *scratch);
void fib_walk_class(fib_walk *w, const uint32_t *entry);

/* Ordered pairs of a host at each switch ([switches]) and a host of the group. */
void fib_pairs_of(const fib *f, uint32_t group, const uint32_t *first_host, const uint32_t *host_of, uint64_t *out);
/* The hosts of each group: host_of[first_host[group]] and on. */
void fib_group_hosts(const fib *f, ripstop_arena *arena, uint32_t **first_host, uint32_t **host_of);

#endif
