/* outqueues.h - output queues (switch.out_queue > 0): docs/model.md.
 *
 * A switch's heads are granted an output VC of the crossbar and enter its output queue; the link serves the queues of
 * its port. Then shape.room counts the free units of output queues, or without a bound those behind the links as ever;
 * output.busy is that of the crossbar's output, and the link has a busy time of its own. */
#ifndef SIMULATE_OUTQUEUES_H
#define SIMULATE_OUTQUEUES_H

#include "simulate/state.h"

/* One per output VC of a switch. The packet that the link has taken is not in the list: its row may be in the output
 * queue of the next switch already. */
typedef struct out_queue {
  uint32_t first, last; /* waiting packets, linked by out_packet.next; no meaning without any */
  uint32_t waiting;     /* how many */
  int32_t units;        /* all of them */
  uint32_t carried;     /* the leaving packet */
  uint16_t flits;       /* its length; its row may be reused already */
  bool leaving;         /* a packet is on the link */
  bool discarded;       /* the leaving packet is being discarded and its row is still in use */
} out_queue;

/* Beside the row of a packet that waits in an output queue. */
typedef struct out_packet {
  uint32_t next;    /* behind it in its queue, unless it is the last */
  uint32_t entered; /* cycle */
} out_packet;

/* The link of an output port of a switch. */
typedef struct out_link {
  uint32_t busy;    /* until that cycle */
  uint32_t waiting; /* a bit for each virtual channel with a packet that the link has not taken */
} out_link;

typedef struct out_queues {
  int32_t capacity; /* units of each */
  uint32_t slots;   /* packets that fit into each; of queues without a bound, rows for packets to begin with */
  bool unlimited;   /* switch.out_queue */
  uint32_t vcs;
  out_queue *queue;          /* [output VCs] */
  out_packet *packet;        /* [run->packets] */
  out_link *link;            /* [ports] */
  uint64_t *dirty, *entered; /* [nodes * words]: sets of a node's ports: links to be tried in the next decision, and
                              * in the one after it */
  uint32_t words;
  uint8_t *link_state; /* [ports * arbiter_bytes]: the links' arbiters */
} out_queues;

/* switch.out_queue, for messages. */
const char *out_queue_size(const run *r);
/* Lays out output queues if the switch has them, and takes the hooks. */
int out_queues_open(run *r, ripstop_error *err);
/* Allocates what belongs to the packets' rows, when there are any. */
void out_queues_lay(run *r);
/* Loses the packets that wait in the output queues of a port. */
void out_queues_lose(part *t, uint32_t port, uint32_t cause);
/* Units in the output queues of a port that the link has not taken; 0 at a NIC and without output queues. */
int64_t out_queues_waiting(const part *t, uint32_t port);
/* The same with the packet that the link has taken. */
int64_t out_queues_length(const part *t, uint32_t port);
/* Marks all links to be tried again. */
void out_queues_wake(run *r);
/* The cycle until which the link of a switch's output port is busy. */
uint32_t *link_busy(part *t, uint32_t port);

#endif
