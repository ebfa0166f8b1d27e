/* outages.h - the outages that a process adds, in order, and the schedule made of them. */
#ifndef RIPSTOP_FAULTS_OUTAGES_H
#define RIPSTOP_FAULTS_OUTAGES_H

#include "ripstop/plugin/process.h"

typedef struct ripstop_outage {
  uint64_t from, until; /* cycles; until RIPSTOP_FOREVER: it is not repaired */
  uint32_t id, order;   /* order: as added */
  uint16_t rate;        /* thousandths, if slow; 0: down */
  bool is_switch;
} ripstop_outage;

struct ripstop_outages {
  ripstop_outage *list;
  uint32_t count, room;
  uint32_t said; /* including empty outages */
  bool full;     /* more were added than allowed */
};

/* `faults`: failed from the start, and never repaired by a process; may be NULL. */
void ripstop_outages_settle(const ripstop_outages *outages, ripstop_arena *arena, const ripstop_fabric *fabric,
                            const ripstop_faults *faults, ripstop_schedule *out);

#endif
