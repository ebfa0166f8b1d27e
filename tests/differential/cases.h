/* cases.h - random simulations, each named by a number: everything in a case follows from it. */
#ifndef DIFFERENTIAL_CASES_H
#define DIFFERENTIAL_CASES_H

#include "hash_agent.h"

/* The subject of a group of cases; everything else is random. */
typedef enum case_group {
  CASES_CREDITS,         /* input queues and credits, nothing broken */
  CASES_XONXOFF,         /* XON/XOFF words, with and without output queues, nothing broken */
  CASES_OUTPUT_QUEUES,   /* output queues, nothing broken */
  CASES_FAULTS,          /* faults from the start, any switch */
  CASES_SCHEDULES,       /* links and switches that fail and are repaired, any switch */
  CASES_PROTOCOLS,       /* switches that talk, notice late and keep packets back; faults and repairs, any switch */
  CASES_AGENTS,          /* end nodes that answer and change parts, any switch */
  CASES_TRANSIT_PACKETS, /* packets that stay at end nodes before their destination; faults and repairs */
  CASES_STOPS,           /* the network stops when something changes, any switch */
  CASES_TOGETHER,        /* agents, with protocols, in-transit packets or stops */
  CASES_SLOW,            /* slow links from the start and later, among parts that fail and are repaired, any switch */
  CASES_LINES,           /* virtual output queues, with any of the others */
  CASES_BOUND,    /* packets bound to an output when they enter a switch; all but protocols, in-transit packets */
  CASES_CHANNELS, /* several virtual channels for each of the method's, pools of space; with any of the others */
  CASES_SHARED,   /* the same in a memory that the ports of a switch share, lossy and lossless */
  CASES_GROUPS
} case_group;

#define CASES_PER_GROUP 100000 /* case number = group x this + index */

typedef struct test_case {
  uint32_t number;
  ripstop_fabric *fabric;
  const char *method;
  ripstop_simulate_settings simulation;
  ripstop_faults faults;
  ripstop_schedule schedule;
  bool plays; /* in place of simulation.traffic */
  hash_agent hash_agent;
  ripstop_arena *arena;
} test_case;

void case_make(uint32_t number, test_case *out);
void case_free(test_case *c);
void case_print(const test_case *c, FILE *file); /* one line */

#endif
