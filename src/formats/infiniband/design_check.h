/* design_check.h - compares a dump with the design of its cables: which are missing, end elsewhere, or are in no row.
 *
 * Names of devices are compared without case. A switch is a device by its description, without `MF0;` and up to the
 * colon; chips of a director are one device. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_DESIGN_CHECK_H
#define RIPSTOP_FORMATS_INFINIBAND_DESIGN_CHECK_H

#include "formats/infiniband/design.h"
#include "formats/infiniband/dump.h"

typedef enum ib_design_what {
  IB_DESIGN_MISSING,        /* both ports are free */
  IB_DESIGN_WRONG_PORT,     /* a cable joins one of the ports to the right device */
  IB_DESIGN_WRONG_DEVICE,   /* a cable joins one of the ports to another device */
  IB_DESIGN_UNKNOWN_DEVICE, /* a device or port of the row is not in the dump */
  IB_DESIGN_WHATS
} ib_design_what;
extern const char *const ib_design_words[IB_DESIGN_WHATS];

/* An end of a cable, which the dump may have no line of. */
typedef struct ib_place {
  uint32_t node, number;
} ib_place;

typedef struct ib_design_fault {
  ib_design_what what;
  uint32_t row;       /* number of the row in the design */
  ib_place design[2]; /* start and end; unknown device: not set */
  ib_place found[2];  /* the cable that is there, in the same order; missing: not set */
  uint32_t swapped;   /* the fault whose row the other two ends of the two cables are of; RIPSTOP_NONE */
  const char *why;    /* unknown device: the reason */
} ib_design_fault;

typedef struct ib_design_result {
  uint32_t cables, as_designed; /* cables of the rows with known devices, each once */
  ib_design_fault *list;        /* in the order of the rows */
  uint32_t count, room;
  uint32_t *extra; /* ports of the dump whose cables are in no row, nor is another cable of either port */
  uint32_t extras, extras_room;
} ib_design_result;

/* Memory from the arena. Cost: O(n log n). */
void ib_design_check(ib_design_result *out, ripstop_arena *arena, const ripstop_ib_dump *dump, const ib_design *design);
/* The cables of a dump as a design. */
void ib_design_of(ib_design *design, ripstop_arena *arena, const ripstop_ib_dump *dump);
/* `id[port]`; RIPSTOP_IB_END_NAME_MAX bytes. */
void ib_place_name(const ripstop_ib_dump *dump, ib_place place, char *out);

#endif
