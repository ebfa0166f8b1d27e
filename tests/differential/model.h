/* model.h - the slow reference model: docs/model.md carried out flit by flit and cycle by cycle.
 *
 * It shares with the engine the page docs/model.md, the fabric, the compiled plan, the streams of generations and the
 * plug-in arbiters, and nothing else. See README.md beside this file. */
#ifndef DIFFERENTIAL_MODEL_H
#define DIFFERENTIAL_MODEL_H

#include "runner.h"

#define MODEL_NEVER  UINT64_MAX
#define MODEL_CAUSES 64 /* RIPSTOP_LOST_LINK, RIPSTOP_LOST_SWITCH and the losses of a method */

/* The history of one packet. */
typedef struct model_packet {
  uint64_t serial;       /* number at its stream x streams + stream */
  uint64_t generated_at; /* cycle */
  uint64_t sent;         /* cycle of the grant at its network interface; MODEL_NEVER: it waits there */
  uint64_t delivered;    /* cycle; MODEL_NEVER: it never was */
  uint64_t header;       /* the method's word */
  uint32_t source, destination;
  uint32_t hops;  /* links taken so far */
  uint32_t cause; /* why it is lost: RIPSTOP_LOST_LINK, RIPSTOP_LOST_SWITCH, RIPSTOP_LOST_METHOD + i; RIPSTOP_NONE: it
                     is not */
  uint16_t flits;
  uint8_t class_;
  bool control;        /* a control packet, which is not counted */
  bool cut;            /* to its head, by a switch without space for it */
  bool transit_packet; /* it stays in a network interface that is not its destination's */
  uint64_t tag;        /* an agent's own; of a control packet its place in `carried` (talk.c) */
} model_packet;

typedef struct model_result {
  size_t packets;
  model_packet *packet; /* in order of generation; heap memory, see model_free */
  ripstop_account account;
  uint64_t lost[MODEL_CAUSES]; /* by cause */
  uint64_t messages;           /* that the switches sent each other */
  bool silent;                 /* at the end no message is in transit and no timer runs */
  bool stopped;                /* at the end the network does not run */
  bool stuck; /* without generations and changes from the last cycle on, some packet in the network never moves again */
  bool frozen; /* that is so of all of them, already at the end of the run */
} model_result;

/* Simulates `cycles` cycles, with an agent (NULL: none) in place of simulation->traffic. The fault set, schedule,
 * switch, traffic and seed are read; what to measure is not. The events of packet `traced` are written to `trace`
 * (NULL: none). -1 when the simulation cannot be set up, or when a physical truth is broken (two flits on a link at
 * once, an overflowing queue, ...): the error begins with "broken:".
 */
int model_run(const ripstop_plan *plan, const ripstop_simulate_settings *simulation, const model_agent *agent,
              uint64_t cycles, FILE *trace, uint64_t traced, model_result *out, ripstop_error *err);
void model_free(model_result *result);

#endif
