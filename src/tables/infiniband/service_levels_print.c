/* service_levels_print.c - service levels of pairs, and virtual lanes by service level, as ibdmchk reads them. */
#include "base/memory.h"
#include "fabric/ib_subnet.h"
#include "formats/infiniband/table_print.h"
#include "ripstop/plugin/forwarding.h"
#include "tables/infiniband/lids.h"

int ripstop_forwarding_print_levels(const ripstop_forwarding *t, FILE *file, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_lids lids;
  ib_subnet_node n;
  int status = ripstop_lids_of(t, scratch, &lids, err);
  ib_print_levels_title(file);
  for (uint32_t end = 0; !status && end < t->fabric->ends; end++) {
    ib_subnet_node_of(t->fabric, end, &n);
    for (uint32_t i = 0; i < lids.count; i++)
      if (t->node[lids.address[i]] != end)
        ib_print_level(n.guid, lids.lid[i], ripstop_forwarding_level(t, end, lids.address[i]), file);
  }
  ripstop_arena_free(scratch);
  return status;
}

/* ------------------------------------------------------------------ virtual lanes */

static void print_switch(const ripstop_forwarding *t, uint32_t node, FILE *file) {
  uint32_t first = ib_subnet_first_port(t->fabric), ports = ripstop_node_ports(t->fabric, node);
  uint8_t lane[RIPSTOP_LEVELS];
  ib_subnet_node n;
  ib_subnet_node_of(t->fabric, node, &n);
  for (uint32_t in = 0; in < ports; in++)
    for (uint32_t out = 0; out < ports; out++) {
      if (t->fabric->peer[t->fabric->port_base[node] + out] == RIPSTOP_NONE) continue;
      for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
        lane[level] = (uint8_t)ripstop_forwarding_lane(t, node, in, out, level);
      ib_print_vls(n.guid, in + first, out + first, lane, file);
    }
}

static void print_end(const ripstop_forwarding *t, uint32_t end, FILE *file) {
  uint8_t lane[RIPSTOP_LEVELS];
  ib_subnet_node n;
  ib_subnet_node_of(t->fabric, end, &n);
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
    lane[level] = (uint8_t)ripstop_forwarding_end_lane(t, end, level);
  ib_print_vls(n.guid, 0, n.port, lane, file);
}

int ripstop_forwarding_print_lanes(const ripstop_forwarding *t, FILE *file, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ib_print_vls_title(file);
  for (uint32_t node = t->fabric->ends; node < t->fabric->nodes; node++) print_switch(t, node, file);
  for (uint32_t end = 0; end < t->fabric->ends; end++) print_end(t, end, file);
  return 0;
}
