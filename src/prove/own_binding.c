/* own_binding.c - the selection function that a method names as its own, where it binds packets. Proofs need it,
 * because a bound packet waits for fewer candidates (lowest.h). */
#include "base/local.h"
#include "prove/proof.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"

const char *ripstop_own_binding(const ripstop_method *method) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_error never;
  void *config;
  if (!method->selection) return NULL;
  const ripstop_selection *selection = ripstop_selection_open(scratch, method->selection, &config, &never);
  const bool binds = selection && selection->traits && (selection->traits(config) & RIPSTOP_SELECTION_BINDS);
  return binds ? method->selection : NULL;
}
