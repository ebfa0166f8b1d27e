/* channels.h - the channels between switches, numbered so that those of one switch are adjacent, in the order of its
 * ports; and the end nodes of each switch. Users follow tables forwards and backwards over these.
 *
 * Switches are numbered from 0 here: their node less the number of end nodes. */
#ifndef TABLES_CHANNELS_H
#define TABLES_CHANNELS_H

#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

typedef struct channels {
  const ripstop_fabric *fabric;
  uint32_t switches, count;
  uint32_t *first;           /* [switches + 1]: first channel that each switch sends into */
  uint32_t *port;            /* [count]: the sending port */
  uint16_t *local;           /* [count]: the same as a local port number */
  uint32_t *to;              /* [count]: the switch that receives */
  uint32_t *back;            /* [count]: the other direction of the same link */
  uint32_t *of_port;         /* [ports]: RIPSTOP_NONE where a port leads to no switch */
  uint32_t *end_first, *end; /* [switches + 1], [ends]: end nodes by switch, ascending */
} channels;

void channels_open(channels *c, ripstop_arena *arena, const ripstop_fabric *fabric);

/* The channel that the entry for an address at a switch leads into; RIPSTOP_NONE: no entry, or the channel has
 * failed. */
static inline uint32_t channels_onward(const channels *c, const ripstop_view *view, const ripstop_forwarding *tables,
                                       uint32_t address, uint32_t s) {
  const ripstop_fabric *f = c->fabric;
  uint32_t local = tables->port[(size_t)address * c->switches + s], base = f->port_base[f->ends + s];
  if (local >= f->port_base[f->ends + s + 1] - base || !view->port_up[base + local]) return RIPSTOP_NONE;
  return c->of_port[base + local];
}

/* True if packets from two end nodes of one switch for an address share their whole path and its VLs. */
static inline bool channels_alike(const ripstop_forwarding *tables, uint32_t end, uint32_t other, uint32_t address) {
  return !tables->lane &&
         ripstop_forwarding_level(tables, end, address) == ripstop_forwarding_level(tables, other, address);
}

#endif
