/* shared_memory.h - the memory of a switch with switch.queues = shared: docs/model.md, "Shared memory". Its packets are
 * bound packets (bound_packets.c); this is where they find space. All sizes are in flits. */
#ifndef SIMULATE_SHARED_MEMORY_H
#define SIMULATE_SHARED_MEMORY_H

#include "simulate/state.h"
#include "simulate/values.h"

/* The packets of an input port and virtual channel. Without pauses only `flits` counts. */
typedef struct memory_ingress {
  int32_t flits;    /* in the switch */
  int32_t headroom; /* some of these: in the headroom */
  int32_t most;     /* size of the headroom */
  bool paused;      /* XOFF was the last word to the sender */
  bool shrank;      /* it is in its part's list of ingresses that may send XON in this cycle */
} memory_ingress;

/* The shared part of a switch's memory: what is neither reserve nor headroom. */
typedef struct memory_pool {
  int64_t size, used;
} memory_pool;

/* An output VC, as its sender sees it. */
typedef struct memory_pause {
  uint32_t words;  /* XOFF without XON: 0, or 1 if it is paused, or 2 between two words of one cycle */
  uint32_t since;  /* the cycle in which the pause began, or the first measured cycle */
  uint64_t count;  /* pauses in the measured cycles */
  uint64_t cycles; /* measured cycles of pauses that have ended */
} memory_pause;

/* Ingresses of a part that lost packets in this cycle. */
typedef struct memory_shrunk {
  uint32_t *queue, count;
} memory_shrunk;

/* Shared by all parts, as `bound` is. */
typedef struct shared_memory {
  double alpha;
  bool lossless;
  int32_t reserve;         /* each ingress has one, a longest packet; 0: none, packets are lost */
  int32_t longest;         /* flits of a packet */
  uint32_t streams;        /* the first input queue of a switch */
  memory_pool *pool;       /* [nodes] */
  memory_ingress *ingress; /* [queues - streams] */
  int32_t *egress;         /* [output VCs]: packets that wait or that the link has not sent to the end */
  memory_pause *pause;     /* [output VCs]; NULL: lossy */
  memory_shrunk *shrunk;   /* [parts]; NULL: lossy */
  uint8_t *arriving;       /* [queues]: scratch of the search for deadlock */
} shared_memory;

/* Attaches a memory to bound packets (bound_open). -1: a buffer that cannot hold what it must. */
int memory_open(run *r, ripstop_error *err);

/* A packet that came by this input queue enters and is bound to an output VC. False: it finds no space and is lost. */
bool memory_store(part *t, const queue *q, uint32_t vc, uint32_t flits);
/* A packet of this input queue has left the switch, or is lost. Its egress queue does not change. */
void memory_free(part *t, const queue *q, uint32_t flits);
/* Queues that have shrunk since XONs were last sent. */
uint32_t memory_words_left(const part *t);
/* The flits that a packet had, before a switch may have cut it. */
uint32_t memory_flits_of(const part *t, const packet *p);
/* Debug builds: the sums of a switch's memory are right. */
void memory_check(const part *t, const sim_node *n);

/* For parts.c and threads.c: the most words that can travel to the sender at a port; those that a port can send
 * in a window. 0 without pauses. */
uint64_t memory_words(const run *r);
uint32_t memory_words_of_window(const run *r);

/* The input queue is paused, and only packets that leave the switch can end that. */
bool memory_is_paused(const shared_memory *m, uint32_t number);

/* The first measured cycle: counts begin. */
void memory_measure(run *r);
/* Pauses, in all and with measure.links by link. */
void memory_values(const run *r, values *v);
/* Packets can be lost for want of space, or be cut. */
bool memory_loses(const run *r);
bool memory_trims(const run *r);

#endif
