/* flood_log.h - what happened to the switches, written by the flood protocol for its test. (A real protocol has no
 * globals.) */
#ifndef TESTS_FLOOD_LOG_H
#define TESTS_FLOOD_LOG_H

#include "ripstop/plugin/method.h"

typedef struct flood_record {
  uint64_t cycle;
  uint32_t node, number; /* port or timer */
  ripstop_event_kind kind;
  bool learned; /* this event brought the switch something new about a link */
} flood_record;

enum { FLOOD_RECORDS = 200000, FLOOD_LINKS = 512, FLOOD_NODES = 256 };
enum { FLOOD_BEAT = 7 }; /* its timer; 0 .. 2 do nothing */
extern flood_record flood_log[FLOOD_RECORDS];
extern uint32_t flood_records;
extern uint64_t flood_sent;

#endif
