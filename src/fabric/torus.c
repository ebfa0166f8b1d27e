/* torus.c - recognising a torus and its sizes. */
#include "fabric/torus.h"

#include <string.h>

#include "ripstop/plugin/family.h"

bool ripstop_torus_from(const ripstop_fabric *fabric, ripstop_torus *out) {
  if (strcmp(fabric->family->name, "torus") != 0) return false;
  *out = (ripstop_torus){.fabric = fabric, .dimensions = fabric->coords};
  out->each = fabric->ends / ripstop_fabric_switches(fabric);
  for (uint32_t d = 0; d < fabric->coords; d++) /* the last router has the highest coordinates */
    out->size[d] = (uint16_t)(ripstop_coords(fabric, fabric->nodes - 1)[d] + 1);
  return true;
}
