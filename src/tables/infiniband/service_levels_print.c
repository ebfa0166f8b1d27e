/* service_levels_print.c - service levels of pairs, and virtual lanes by service level, as ibdmchk reads them. */
#include <inttypes.h>

#include "base/memory.h"
#include "fabric/ib_subnet.h"
#include "ripstop/forwarding.h"
#include "tables/infiniband/lids.h"

int ripstop_forwarding_print_levels(const ripstop_forwarding *t, FILE *file, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  ripstop_lids lids;
  ib_subnet_node n;
  int status = ripstop_lids_of(t, scratch, &lids, err);
  fputs("# source GUID, destination LID, service level\n", file);
  for (uint32_t end = 0; !status && end < t->fabric->ends; end++) {
    ib_subnet_node_of(t->fabric, end, &n);
    for (uint32_t i = 0; i < lids.count; i++)
      if (t->node[lids.address[i]] != end)
        fprintf(file, "0x%016" PRIx64 " %u %u\n", n.guid, lids.lid[i],
                ripstop_forwarding_level(t, end, lids.address[i]));
  }
  ripstop_arena_free(scratch);
  return status;
}

/* ------------------------------------------------------------------ virtual lanes */

static void print_lanes(const uint8_t *lane, FILE *file) {
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level += 2) fprintf(file, " 0x%x%x", lane[level], lane[level + 1]);
  fputc('\n', file);
}

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
      fprintf(file, "0x%016" PRIx64 " %u %u", n.guid, in + first, out + first);
      print_lanes(lane, file);
    }
}

static void print_end(const ripstop_forwarding *t, uint32_t end, FILE *file) {
  uint8_t lane[RIPSTOP_LEVELS];
  ib_subnet_node n;
  ib_subnet_node_of(t->fabric, end, &n);
  for (unsigned level = 0; level < RIPSTOP_LEVELS; level++)
    lane[level] = (uint8_t)ripstop_forwarding_end_lane(t, end, level);
  fprintf(file, "0x%016" PRIx64 " 0 %u", n.guid, n.port);
  print_lanes(lane, file);
}

int ripstop_forwarding_print_lanes(const ripstop_forwarding *t, FILE *file, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  fputs("# GUID, input port, output port, virtual lane of each service level\n", file);
  for (uint32_t node = t->fabric->ends; node < t->fabric->nodes; node++) print_switch(t, node, file);
  for (uint32_t end = 0; end < t->fabric->ends; end++) print_end(t, end, file);
  return 0;
}
