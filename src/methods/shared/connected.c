/* connected.c - the fewest failed links that disconnect a torus or a fat tree. */
#include "methods/shared/connected.h"

#include "fabric/torus.h"
#include "fabric/tree.h"

void ripstop_connected_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  ripstop_torus torus;
  ripstop_tree tree;
  (void)config;
  *out = (ripstop_guarantees){.deadlock_free = true};
  if (ripstop_torus_from(fabric, &torus)) out->tolerates = 2 * torus.dimensions - 1;
  if (ripstop_tree_from(fabric, &tree)) out->tolerates = tree.half - 1;
}

void ripstop_no_deadlock_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric, (void)config;
  *out = (ripstop_guarantees){.deadlock_free = true};
}
