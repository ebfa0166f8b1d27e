/* limits.c - checks the limits. */
#include "methods/shared/limits.h"

ripstop_answer ripstop_check_tables(const ripstop_plan *p, uint64_t candidates, uint64_t bytes, uint64_t states,
                                    ripstop_error *err) {
  const uint64_t most = UINT64_C(1) << 30;
  const char *name = p->method->name, *spec = p->fabric->spec;
  if (candidates > UINT8_MAX)
    return ripstop_does_not_apply(err, "%s: a router of %s has too many ports for %u virtual channels", name, spec,
                                  p->channels);
  if (bytes <= most && states <= most) return RIPSTOP_APPLIES;
  return ripstop_does_not_apply(err, "%s: the tables of %s take more than 1 GiB", name, spec);
}
