/* outages.h - what a process says, still in its order, and the schedule that it makes. */
#ifndef RIPSTOP_FAULTS_OUTAGES_H
#define RIPSTOP_FAULTS_OUTAGES_H

#include "ripstop/plugin/process.h"

typedef struct ripstop_outage {
  uint64_t from, until; /* cycles; until RIPSTOP_FOREVER: it is not repaired */
  uint32_t id, order;   /* order: as said */
  uint16_t rate;        /* of a link that is slow, thousandths; 0: down */
  bool is_switch;
} ripstop_outage;

struct ripstop_outages {
  ripstop_outage *list;
  uint32_t count, room;
  uint32_t said; /* with those that come to nothing */
  bool full;     /* more were said than there may be */
};

/* `faults`: dead from the start, and no process repairs it; may be NULL. */
void ripstop_outages_settle(const ripstop_outages *outages, ripstop_arena *arena, const ripstop_fabric *fabric,
                            const ripstop_faults *faults, ripstop_schedule *out);

#endif
