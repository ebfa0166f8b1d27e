/* opensm_ports.h - the choice of the port for an address (opensm.h), which opensm.c makes once and opensm_repairs.c
 * after each fault. */
#ifndef METHODS_SHARED_OPENSM_PORTS_H
#define METHODS_SHARED_OPENSM_PORTS_H

#include "methods/shared/opensm.h"

/* Writes to `best` the channels of switch `s` with the fewest hops, `least`. Returns their number. */
uint32_t ripstop_opensm_best(const ripstop_opensm *net, const ripstop_opensm_rules *rules, const uint8_t *hop,
                             uint32_t least, uint32_t s, uint32_t *best);
/* The first channel of a list that the fewest addresses have been given; RIPSTOP_NONE: the list is empty. */
uint32_t ripstop_opensm_least_given(const uint32_t *list, uint32_t count, const uint32_t *given);
/* The channel that an entry leads into; RIPSTOP_NONE: into none. */
uint32_t ripstop_opensm_channel(const ripstop_opensm *net, const ripstop_forwarding *tables, uint32_t address,
                                uint32_t s);
/* The switches in the order in which their adapters are given ports. */
const uint32_t *ripstop_opensm_order(const ripstop_opensm *net, ripstop_arena *arena);
/* The tables; `old` NULL: nothing is kept. */
ripstop_forwarding *ripstop_opensm_route(const ripstop_opensm *net, const ripstop_opensm_rules *rules,
                                         const ripstop_forwarding *old, ripstop_arena *arena);
/* Returns true if the tables can be old ones; else an answer and an error. */
bool ripstop_opensm_knows(const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err);

#endif
