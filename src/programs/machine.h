/* machine.h - the machine: nodes with a processor, caches, a store buffer, and the memory and directory of the lines
 * that have their home there.
 *
 * Time is counted in ticks, of which a processor cycle and a network cycle both have a whole number, so that any ratio
 * of the two clocks is exact. What happens at tick t goes out in the first network cycle that does not begin before t.
 *
 * Data are real: memory and second-level caches hold bytes and messages carry them, so a coherence protocol that went
 * wrong would make the program's result wrong.
 *
 *   processor.c    the processor: loads and stores, and what they wait for
 *   machine.c      messages, caches' and homes' answers, events in order of time */
#ifndef PROGRAMS_MACHINE_H
#define PROGRAMS_MACHINE_H

#include "base/histogram.h"
#include "programs/cache.h"
#include "programs/fiber.h"
#include "programs/machine_net.h"
#include "ripstop/plugin/kernel.h"

enum { LEAVING_MAX = 16 }; /* lines of a node that are being written back at once */

typedef struct packet { /* a message and the line that it carries */
  co_message message;
  uint32_t next; /* in a list: the free ones, or those who wait at a home */
  uint64_t line;
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} packet;

typedef struct home_line {
  co_home co;
  uint8_t node;
  uint32_t first, last; /* packets that wait; RIPSTOP_NONE: none */
} home_line;

typedef enum event_kind { EVENT_RUN, EVENT_ARRIVE, EVENT_HOME, EVENT_SEND } event_kind;

typedef struct event {
  uint64_t tick, order; /* events of one tick come in the order in which they were made */
  uint32_t kind;        /* event_kind */
  uint32_t what;        /* RUN: a node; else a packet */
} event;

typedef struct store_entry { /* stores to a line that the node may not write yet */
  uint64_t line;
  uint64_t mask; /* of the bytes stored */
  bool used;
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} store_entry;

typedef struct leaving { /* a line on its way back to its home */
  uint64_t line;
  co_line co; /* CO_I: the entry is free */
  uint8_t bytes[RIPSTOP_LINE_BYTES];
} leaving;

struct ripstop_processor {
  ripstop_machine *machine;
  uint32_t self;
  fiber *fiber;
  cache cache;
  uint64_t clock;          /* tick up to which the processor has run */
  uint64_t home_free;      /* tick from which on the home can take a message */
  bool blocked;            /* until something happens at this node */
  bool loading;            /* a load waits for its line */
  uint64_t address, value; /* of that load */
  store_entry *store;      /* [stores] */
  uint32_t stores;         /* in use */
  leaving leaving[LEAVING_MAX];
  uint32_t barrier;                                               /* how many this processor has come to */
  uint64_t loads, stored, l1_misses, misses, upgrades, evictions; /* counts */
  uint64_t waited;                                                /* ticks in which it was blocked */
};

struct ripstop_machine {
  ripstop_program_config config;
  uint32_t processors;
  uint64_t processor_ticks, network_ticks; /* of a cycle */
  ripstop_arena *arena;
  const ripstop_kernel *kernel;
  void *state; /* the kernel's */
  net net;
  ripstop_processor *processor;
  uint64_t lines; /* of shared memory */
  uint8_t *memory;
  home_line *home;
  uint64_t barriers; /* address of the flags */
  packet *packet;
  uint32_t packets, free_packet, flying; /* made; first of the free ones; in use */
  event *event;                          /* a heap */
  size_t events, event_room;
  uint64_t order;
  uint64_t now;        /* tick */
  uint64_t alarm;      /* cycle of the next alarm; UINT64_MAX: none */
  uint64_t start, end; /* ticks; of the parallel phase */
  uint32_t running;    /* processors that have not come to the end */
  bool broken;         /* the protocol met what cannot be */
  uint64_t sent[CO_CLASSES], retries;
};

/* Lays out the kernel's memory. The config has been checked. */
int machine_open(ripstop_machine *m, const ripstop_program_config *config, uint32_t processors,
                 const ripstop_kernel *kernel, const void *options, uint64_t seed, ripstop_error *err);
void machine_close(ripstop_machine *m);

/* Called by the network, as ripstop_agent are. */
void machine_start(ripstop_machine *m, const net *network);
void machine_delivered(ripstop_machine *m, const ripstop_agent_packet *agent_packet);
void machine_lost(ripstop_machine *m, const ripstop_agent_packet *agent_packet);
void machine_alarm(ripstop_machine *m);

/* After the end. */
bool machine_done(const ripstop_machine *m);
/* Processors wait for each other, and nothing is under way that could wake them: a mistake in the kernel. */
bool machine_stuck(const ripstop_machine *m);
/* Nothing is under way, and each directory knows exactly who has what. */
bool machine_agrees(const ripstop_machine *m);
double machine_time(const ripstop_machine *m); /* processor cycles */

/* Between machine.c and processor.c. */
void machine_event(ripstop_machine *m, uint64_t tick, event_kind kind, uint32_t what);
/* Sends what a step led to, at a tick; data come from `bytes`. */
void machine_send(ripstop_machine *m, uint64_t line, const co_out *out, const uint8_t *bytes, uint64_t tick);
void processor_main(void *processor);
/* Something happened at this node that the processor may have waited for. */
void processor_wake(ripstop_processor *w);
/* A message for one of the node's lines has come: the line's bytes, data or permission may have changed. */
void processor_load_ready(ripstop_processor *w, uint64_t line, const uint8_t *bytes);
void processor_store_ready(ripstop_processor *w, uint64_t line, uint8_t *bytes);
void processor_layout_barriers(ripstop_machine *m);

#endif
