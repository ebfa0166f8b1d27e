/* outqueues.h - output queues (switch.out_queue > 0): docs/model.md.
 *
 * A switch's heads are granted an output VC of the crossbar and enter its output queue; the link serves the queues of
 * its port. Then shape.room counts the free units of output queues, output.busy is that of the crossbar's output, and
 * the link has a busy time of its own. */
#ifndef SIMULATE_OUTQUEUES_H
#define SIMULATE_OUTQUEUES_H

#include "simulate/state.h"

/* One per output VC of a switch. */
typedef struct out_queue {
  uint32_t slot; /* `arrived` of its slots: cycle of entry */
  uint16_t head, length;
  uint16_t flits; /* length of the packet that is leaving; its row may be reused already */
  bool leaving;   /* the first packet is on the link */
  bool discarded; /* the leaving packet is being discarded and its row is still in use */
} out_queue;

/* The link of an output port of a switch. */
typedef struct out_link {
  uint32_t busy;    /* until that cycle */
  uint32_t waiting; /* a bit for each virtual channel with a packet that the link has not taken */
} out_link;

typedef struct out_queues {
  int32_t capacity; /* units of each */
  uint16_t slots;   /* places of each */
  uint32_t vcs;
  out_queue *queue; /* [output VCs] */
  sim_slot *slot;
  out_link *link;            /* [ports] */
  uint64_t *dirty, *entered; /* [nodes * words]: sets of a node's ports: links to be tried in the next decision, and
                              * in the one after it */
  uint32_t words;
  uint8_t *link_state; /* [ports * arbiter_bytes]: the links' arbiters */
} out_queues;

static inline uint32_t *out_slot(const out_queues *o, uint32_t vc, uint32_t i) {
  uint32_t at = o->queue[vc].head + i;
  return &o->slot[o->queue[vc].slot + (at < o->slots ? at : at - o->slots)].packet;
}

/* Lays out output queues if the switch has them, and takes the hooks. */
int out_queues_open(run *r, ripstop_error *err);
/* Loses the packets that wait in the output queues of a port. */
void out_queues_lose(part *t, uint32_t port, uint32_t cause);
/* Units in the output queues of a port that the link has not taken; 0 at a NIC and without output queues. */
int64_t out_queues_waiting(const part *t, uint32_t port);
/* Marks all links to be tried again. */
void out_queues_wake(run *r);
/* The cycle until which the link of a switch's output port is busy. */
uint32_t *link_busy(part *t, uint32_t port);

#endif
