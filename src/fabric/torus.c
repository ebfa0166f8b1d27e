/* torus.c - recognising a torus and its sizes. */
#include "fabric/torus.h"

#include <string.h>

bool rs_torus_from(const rs_fabric *fabric, rs_torus *out) {
  if (strcmp(fabric->family->name, "torus") != 0) return false;
  *out = (rs_torus){.fabric = fabric, .dimensions = fabric->coords};
  for (uint32_t d = 0; d < fabric->coords; d++) /* the last router has the highest coordinates */
    out->size[d] = (uint16_t)(rs_coords(fabric, fabric->nodes - 1)[d] + 1);
  return true;
}
