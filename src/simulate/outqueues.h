/* outqueues.h - output queues (switch.out_queue > 0): docs/model.md, "A packet's way through a switch".
 *
 * A switch's heads are granted an output VC of the crossbar and enter its output queue; the link serves the queues of
 * its port. With them shape.room counts the free units of output queues, output.busy is the crossbar's side, and the
 * link has a time of its own. */
#ifndef SIMULATE_OUTQUEUES_H
#define SIMULATE_OUTQUEUES_H

#include "simulate/state.h"

/* One per output VC of a switch. */
typedef struct out_queue {
  uint32_t slot; /* `arrived` of its slots: cycle of entry */
  uint16_t head, length;
  uint16_t flits; /* of the packet that is leaving, which may be gone already */
  bool leaving;   /* the first packet is on the link */
  bool discarded; /* then: it goes nowhere, and its row is still its own */
} out_queue;

typedef struct out_queues {
  int32_t capacity; /* units of each */
  uint16_t slots;   /* places of each */
  uint32_t vcs;
  out_queue *queue; /* [output VCs] */
  sim_slot *slot;
  uint32_t *link_busy; /* [ports] */
  uint8_t *link_dirty; /* [ports]: to be tried in the next decision */
  uint8_t *link_state; /* [ports * arbiter_bytes]: the links' arbiters */
} out_queues;

static inline uint32_t *out_slot(const out_queues *o, uint32_t vc, uint32_t i) {
  uint32_t at = o->queue[vc].head + i;
  return &o->slot[o->queue[vc].slot + (at < o->slots ? at : at - o->slots)].packet;
}

/* Lays them out where the switch has them, and takes the hooks. */
int out_queues_open(run *r, ripstop_error *err);
/* Packets that wait in the output queues of a port are lost. */
void out_queues_lose(part *t, uint32_t port, uint32_t cause);
/* All links are looked at again. */
void out_queues_wake(run *r);
/* Until when the link of an output port of a switch is busy. */
uint32_t *link_busy(part *t, uint32_t port);

#endif
