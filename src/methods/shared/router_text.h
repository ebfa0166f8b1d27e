/* router_text.h - texts about routers and their ports, for the messages and JSON of methods with protocols.
 *
 * Routers are switch numbers: node - ends. */
#ifndef METHODS_SHARED_ROUTER_TEXT_H
#define METHODS_SHARED_ROUTER_TEXT_H

#include "ripstop/plugin/method.h"

void ripstop_add_router(ripstop_text *out, const ripstop_plan *p, uint32_t router);
/* Adds a JSON array of the ports in a bit set. */
void ripstop_add_ports(ripstop_text *out, uint64_t ports);
/* Fails with "KIND NAME WHAT". */
int ripstop_router_fails(const ripstop_plan *p, const char *kind, uint32_t router, const char *what,
                         ripstop_error *err);

#endif
