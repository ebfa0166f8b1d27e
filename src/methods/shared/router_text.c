/* router_text.c - texts about routers and their ports. */
#include "methods/shared/router_text.h"

#include "methods/shared/ports.h"

void ripstop_add_router(ripstop_text *out, const ripstop_plan *p, uint32_t router) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, p->fabric->ends + router, name);
  ripstop_text_add(out, "%s", name);
}

void ripstop_add_ports(ripstop_text *out, uint64_t ports) {
  ripstop_text_add(out, "[");
  for (uint64_t left = ports; left; left &= left - 1)
    ripstop_text_add(out, "%s%u", left == ports ? "" : ",", lowest(left));
  ripstop_text_add(out, "]");
}

int ripstop_router_fails(const ripstop_plan *p, const char *kind, uint32_t router, const char *what,
                         ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, p->fabric->ends + router, name);
  return ripstop_fail(err, "%s %s %s", kind, name, what);
}
