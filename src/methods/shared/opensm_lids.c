/* opensm_lids.c - see opensm_lids.h. */
#include "methods/shared/opensm_lids.h"

#include <stdlib.h>

#include "fabric/ib_subnet.h"

typedef struct named {
  uint64_t guid; /* the port's, its bytes in reverse */
  uint32_t node;
} named;

static int by_guid(const void *a, const void *b) {
  const named *x = a, *y = b;
  if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static void assign(const ripstop_fabric *f, uint32_t *lid, ripstop_arena *arena) {
  named *list = RIPSTOP_ARRAY(arena, f->nodes, named);
  uint32_t next = 1;
  for (uint32_t n = 0; n < f->nodes; n++) {
    ib_subnet_node found;
    ib_subnet_node_of(f, n, &found);
    list[n] = (named){.guid = __builtin_bswap64(found.port_guid), .node = n};
  }
  qsort(list, f->nodes, sizeof *list, by_guid);
  lid[0] = next++;
  for (uint32_t i = 0; i < f->nodes; i++)
    if (list[i].node != 0) lid[list[i].node] = next++;
}

const uint32_t *ripstop_opensm_lids(const ripstop_fabric *f, ripstop_arena *arena, ripstop_error *err) {
  uint32_t *wanted = RIPSTOP_ARRAY(arena, f->nodes, uint32_t), misfit;
  uint32_t *lid = RIPSTOP_ARRAY(arena, f->nodes, uint32_t), *room = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  for (uint32_t n = 0; n < f->nodes; n++) wanted[n] = 1;
  if (ib_subnet_lids(f, wanted, lid, room, &misfit, err)) return NULL;
  if (misfit != RIPSTOP_NONE) assign(f, lid, arena);
  return lid;
}
