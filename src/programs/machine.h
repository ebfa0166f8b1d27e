/* machine.h - the machine: each node has a processor, caches, a store buffer, and the memory and directory of the lines
 * whose home it is.
 *
 * Time is counted in ticks. A processor cycle and a network cycle are both whole numbers of ticks, so any ratio of the
 * two clocks is exact. An event at tick t sends its packets in the first network cycle that starts at or after t.
 *
 * Data are simulated: memory and second-level caches hold bytes and messages carry them, so an error in the coherence
 * protocol would make the program's result wrong.
 *
 * processor.c the processor: loads, stores and waits
 *   machine.c       messages, the answers of caches and homes, events in order of time */
#ifndef PROGRAMS_MACHINE_H
#define PROGRAMS_MACHINE_H

#include "base/histogram.h"
#include "programs/cache.h"
#include "programs/fiber.h"
#include "programs/machine_net.h"
#include "ripstop/plugin/kernel.h"

enum { LEAVING_MAX = 16 }; /* write-backs of a node in progress at once */

typedef struct packet { /* a message and the line that it carries */
  co_message message;
  uint32_t next; /* next in the list of free packets, or of those that wait at a home */
  uint64_t line;
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} packet;

typedef struct home_line {
  co_home co;
  uint8_t node;
  uint32_t first, last; /* the list of waiting packets; RIPSTOP_NONE: none */
} home_line;

typedef enum event_kind { EVENT_RUN, EVENT_ARRIVE, EVENT_HOME, EVENT_SEND } event_kind;

typedef struct event {
  uint64_t tick, order; /* events of one tick happen in the order of their creation */
  uint32_t kind;        /* event_kind */
  uint32_t what;        /* RUN: the node; else the packet */
} event;

typedef struct store_entry { /* stores to a line that the node may not yet write */
  uint64_t line;
  uint64_t mask; /* bit set of the stored bytes */
  bool used;
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} store_entry;

typedef struct leaving { /* a line that is being written back */
  uint64_t line;
  co_line co; /* CO_I: the entry is free */
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} leaving;

struct ripstop_processor {
  ripstop_machine *machine;
  uint32_t self;
  fiber *fiber;
  cache cache;
  uint64_t clock;          /* the processor has run up to this tick */
  uint64_t home_free;      /* the home accepts its next message from this tick on */
  bool blocked;            /* until an event at this node */
  bool loading;            /* a load waits for its line */
  uint64_t address, value; /* that load's */
  store_entry *store;      /* [stores] */
  uint32_t stores;         /* in use */
  leaving leaving[LEAVING_MAX];
  uint32_t barrier;                                               /* barriers that this processor has reached */
  uint64_t loads, stored, l1_misses, misses, upgrades, evictions; /* counts */
  uint64_t waited;                                                /* ticks in which it was blocked */
};

struct ripstop_machine {
  ripstop_program_config config;
  uint32_t processors;
  uint64_t processor_ticks, network_ticks; /* length of one cycle */
  ripstop_arena *arena;
  const ripstop_kernel *kernel;
  void *state; /* the kernel's */
  net net;
  ripstop_processor *processor;
  uint64_t lines; /* lines of shared memory */
  uint8_t *memory;
  home_line *home;
  uint64_t barriers; /* address of the flags */
  packet *packet;
  uint32_t packets, free_packet, flying; /* allocated; first free one; in use */
  event *event;                          /* a heap */
  size_t events, event_room;
  uint64_t order;
  uint64_t now;        /* tick */
  uint64_t alarm;      /* cycle of the next alarm; UINT64_MAX: none */
  uint64_t start, end; /* ticks of the parallel phase */
  uint32_t running;    /* processors that have not reached the end */
  bool broken;         /* the protocol received an impossible message */
  uint64_t sent[CO_CLASSES], retries;
};

/* Lays out the kernel's memory. The caller has checked the config. */
int machine_open(ripstop_machine *m, const ripstop_program_config *config, uint32_t processors,
                 const ripstop_kernel *kernel, const void *options, uint64_t seed, ripstop_error *err);
void machine_close(ripstop_machine *m);

/* Called by the network like the functions of a ripstop_agent. */
void machine_start(ripstop_machine *m, const net *network);
void machine_delivered(ripstop_machine *m, const ripstop_agent_packet *agent_packet);
void machine_lost(ripstop_machine *m, const ripstop_agent_packet *agent_packet);
void machine_alarm(ripstop_machine *m);

/* Queries after the end. */
bool machine_done(const ripstop_machine *m);
/* Processors wait for each other, and no message or event exists that could wake them: an error in the kernel. */
bool machine_stuck(const ripstop_machine *m);
/* No message is in the network, and each directory agrees with the caches. */
bool machine_agrees(const ripstop_machine *m);
double machine_time(const ripstop_machine *m); /* processor cycles */

/* Between machine.c and processor.c. */
void machine_event(ripstop_machine *m, uint64_t tick, event_kind kind, uint32_t what);
/* Sends the messages of a step at `tick`; data come from `bytes`. */
void machine_send(ripstop_machine *m, uint64_t line, const co_out *out, const uint8_t *bytes, uint64_t tick);
void processor_main(void *processor);
/* An event at this node that the processor may wait for has happened. */
void processor_wake(ripstop_processor *w);
/* A message for one of the node's lines has arrived: the line's bytes, state or permission may have changed. */
void processor_load_ready(ripstop_processor *w, uint64_t line, const uint8_t *bytes);
void processor_store_ready(ripstop_processor *w, uint64_t line, uint8_t *bytes);
void processor_layout_barriers(ripstop_machine *m);

#endif
