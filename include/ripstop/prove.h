/* prove.h - what a plan does, decided without simulating: delivery, livelock and deadlock over every state that a
 * packet can reach from its injection under every adaptive choice. docs/prove.md explains the words and what is
 * assumed.
 *
 * A state is a packet's head somewhere: the queue that it stands in (a virtual channel of a directed link between
 * switches, or its network interface), its destination and the method's header word; also its source and class where a
 * method says that its routes depend on them. */
#ifndef RIPSTOP_PROVE_H
#define RIPSTOP_PROVE_H

#include "ripstop/plan.h"

/* A packet that stands in a queue. */
typedef struct rs_standing {
  uint32_t port; /* the output port that sends into the queue */
  uint8_t channel;
  uint32_t source, destination; /* end nodes */
  uint64_t header;              /* in the queue, before the next hop */
} rs_standing;

/* Texts are NULL where there is nothing to show. */
typedef struct rs_proof {
  uint64_t pairs;                   /* ordered pairs of distinct end nodes */
  uint64_t disconnected_pairs;      /* without a physical path */
  uint64_t lost_pairs_some_choice;  /* some sequence of choices loses the packet or goes round for ever */
  uint64_t lost_pairs_every_choice; /* no sequence delivers it */
  bool tolerated;                   /* every pair is delivered under every choice */
  bool livelock_free;               /* no sequence of choices comes back to a state */
  bool deadlock_free;               /* no set of queues can wait for itself alone */
  uint64_t states;                  /* reachable */
  uint32_t max_hops;                /* links of the longest walk; RS_NONE with livelock */
  /* deadlock_free: all queues in use, in an order in which each can only wait for earlier ones (queues of one ring
   * together). Otherwise: the greatest set of queues that can only wait for each other, with a packet for each. */
  uint32_t queues;
  const rs_standing *queue;
  const char *lost_walk, *never_walk, *livelock_walk; /* an example of each kind of failure */
} rs_proof;

/* Workspace for many proofs on one fabric; not to be shared by threads. */
typedef struct rs_prover rs_prover;
rs_prover *rs_prover_new(const rs_fabric *fabric);
void rs_prover_free(rs_prover *prover);

/* Decides everything for one plan. What `out` points to lives until the next call. -1 when the plan breaks a rule of
 * method.h. */
int rs_prove(rs_prover *prover, const rs_plan *plan, rs_proof *out, rs_error *err);

#endif
