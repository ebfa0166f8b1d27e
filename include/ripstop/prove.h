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
  const uint32_t *ring; /* [queues], deadlock_free: queues that drop together, as a bubble ring in its order, have the
                           same number; 0: this queue drops alone */
  const char *lost_walk, *never_walk, *livelock_walk; /* an example of each kind of failure */
} rs_proof;

/* Workspace for many proofs on one fabric; not to be shared by threads. */
typedef struct rs_prover rs_prover;
rs_prover *rs_prover_new(const rs_fabric *fabric);
void rs_prover_free(rs_prover *prover);

/* Decides everything for one plan. What `out` points to lives until the next call. -1 when the plan breaks a rule of
 * method.h. */
int rs_prove(rs_prover *prover, const rs_plan *plan, rs_proof *out, rs_error *err);

/* ------------------------------------------------------------------ certificates
 * What a proof says of deadlock, as a file that stands for itself: fabric, method, fault set, and either the queues
 * that wait for each other with a packet for each, or an order of all queues in use (docs/prove.md has the format). It
 * is checked by a program that knows nothing of the prover (`ripstop check-witness`). */

typedef struct rs_certificate {
  rs_fabric *fabric;
  const char *method; /* spec */
  rs_faults faults;
  bool deadlock;            /* else free of it */
  uint32_t queues;          /* as in rs_proof */
  const rs_standing *queue; /* free of deadlock: port and channel alone */
  const uint32_t *ring;
  rs_arena *arena;
} rs_certificate;

/* Writes the certificate of `proof`, which rs_prove has just given for `plan`. -1: the file does not take it (errno).
 */
int rs_certificate_write(FILE *file, const rs_plan *plan, const rs_proof *proof);
/* NULL with an error that names file and line. Free with rs_certificate_free. */
rs_certificate *rs_certificate_read(const char *path, rs_error *err);
rs_certificate *rs_certificate_parse(const char *name, const char *text, size_t length, rs_error *err);
void rs_certificate_free(rs_certificate *certificate); /* NULL is fine */

typedef enum rs_check { RS_CONFIRMED, RS_REFUTED, RS_UNCHECKABLE } rs_check;

/* Decides by plain enumeration whether a certificate is true. `verdict` gets one line: what was found, or the first
 * queue and packet that fail. `walks` (may be NULL) gets the way that each packet of a deadlock can have come.
 * RS_UNCHECKABLE with an error: the method does not apply or breaks a rule of method.h. */
rs_check rs_certificate_check(const rs_certificate *certificate, rs_text *verdict, FILE *walks, rs_error *err);

#endif
