/* bound_packets.h - switches whose packets are bound to an output VC when they enter (switch.queues = output and
 * shared): docs/model.md, "Bound packets". */
#ifndef SIMULATE_BOUND_PACKETS_H
#define SIMULATE_BOUND_PACKETS_H

#include "simulate/shared_memory.h"
#include "simulate/state.h"

/* The packets that wait for one output VC of a switch, in order of entry. */
typedef struct bound_fifo {
  uint32_t first, last; /* rows of part.packet, linked by bound_packet.next; RIPSTOP_NONE: none waits */
  int32_t units;        /* all packets here together */
} bound_fifo;

/* A packet in a switch, before a link takes it. */
typedef struct bound_packet {
  uint64_t header;  /* for its next switch; until the link takes the packet its own row has the one it came with */
  uint32_t next;    /* the packet behind it in the same list; RIPSTOP_NONE: it is the last */
  uint32_t queue;   /* the input queue whose space it takes */
  uint32_t arrived; /* cycle in which its head came off the link */
  uint16_t flits;
  uint8_t marks;
  uint8_t stored : 1;  /* it has space in a shared memory */
  uint8_t cut : 1;     /* a switch has cut it to its header: the row of packets has 1 flit, `flits` are those it had */
  uint8_t channel : 6; /* in a header queue: of its output VC */
} bound_packet;
static_assert(sizeof(bound_packet) == 24 || sizeof(bound_packet) == 32, "no more than half a cache line");

/* The packet that an output link took last. Its row may have another packet before the link is free: the next switch
 * discards a packet when its head has come. */
typedef struct bound_carried {
  uint64_t serial;
  uint32_t packet, queue, arrived;
  uint16_t flits;
  uint8_t channel;
  bool cut; /* it was cut already */
} bound_carried;

typedef struct bound_port {
  int32_t units;    /* its FIFOs together, that of headers too */
  uint32_t wake;    /* the cycle for which its wake-up was posted last */
  uint32_t waiting; /* a bit for each virtual channel whose FIFO has packets */
} bound_port;

typedef struct bound {
  bound_fifo *fifo;       /* [output VCs] */
  bound_port *port;       /* [ports] */
  bound_packet *packet;   /* [run->packets] */
  bound_carried *carried; /* [ports]; NULL: nothing changes during the run, and there is no memory */
  shared_memory *memory;  /* NULL: packets have space of their input queues */
  bound_fifo *header;     /* [ports]: packets of one flit that found no space; NULL: nothing is cut */
} bound;

/* bound_packets.c and shared_memory.c: attach the event loop. */
void bound_take_hooks(hooks *hook);
void memory_take_hooks(hooks *hook);
void memory_take_trim_hooks(hooks *hook);
/* Attaches the organisation to a run. */
int bound_open(run *r, ripstop_error *err);
/* Allocates what belongs to the packets' rows, when there are any. */
void bound_lay(run *r);

/* For parts.c: the most events of bound packets that can be pending at once, for each port. */
uint64_t bound_events(const run *r);
/* For threads.c: the most credits that a switch can send through one input port in a window, beyond one per virtual
 * channel and cycle. */
uint32_t bound_credits(const run *r, uint32_t port);

/* For change.c. Loses packets in a switch that came by an input port: all, or only those that still have flits on that
 * port's link. */
void bound_lose(part *t, uint32_t port, uint32_t cause, bool all);
/* The plan is new, or packets were lost: lost packets leave, and packets whose candidate is not permitted any more
 * enter again. */
void bound_reload(run *r);

/* For look.c: how many packets wait for an output VC, in the order in which the link takes them: those in the port's
 * queue of headers, then those of its FIFO. The first, and the one behind another; RIPSTOP_NONE: there is none. */
uint32_t bound_count(const run *r, uint32_t vc);
uint32_t bound_first(const run *r, uint32_t vc);
uint32_t bound_next(const run *r, uint32_t vc, uint32_t index);

/* For live_deadlock.c: as find_deadlock, in bound_packets_deadlock.c. */
bool bound_find_deadlock(run *r);

#endif
