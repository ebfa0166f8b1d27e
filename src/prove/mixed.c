/* mixed.c - which versions of tables a question about mixtures is about: of a protocol, of plans, or of tables and
 * their repair. */
#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "ripstop/prove.h"
#include "ripstop/versions.h"

static ripstop_writing writing_of(const ripstop_mixed *mixed, uint32_t number) {
  if (!mixed->two_writes) return RIPSTOP_WRITE_AT_ONCE;
  return number == 0 ? RIPSTOP_WRITE_EMPTY : RIPSTOP_WRITE_AFTER_EMPTY;
}

/* The old tables, and what the method makes of them. */
static ripstop_versions *open_repaired(const char *spec, const ripstop_plan *before, const ripstop_plan *after,
                                       ripstop_writing writing, ripstop_answer *answer, ripstop_error *err) {
  const ripstop_method *method = before->method;
  const ripstop_forwarding *old = method->forwarding ? method->forwarding(before) : NULL;
  if (!old || !method->repair || method->proto) {
    ripstop_fail(err, "method %s: with these options it has no tables that it repairs", method->name);
    *answer = RIPSTOP_DOES_NOT_APPLY;
    return NULL;
  }
  ripstop_forwarding *repaired = ripstop_plan_repair(after->view, spec, old, NULL, answer, err);
  if (!repaired) return NULL;
  ripstop_versions *v = ripstop_versions_of_plans(before, after, old, repaired, writing);
  if (!v) ripstop_out_of_memory();
  v->repaired = repaired;
  return v;
}

ripstop_versions *ripstop_mixed_open(const ripstop_mixed *mixed, const char *spec, const ripstop_plan *before,
                                     const ripstop_plan *after, uint32_t number, ripstop_answer *answer,
                                     ripstop_error *err) {
  *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  ripstop_writing writing = writing_of(mixed, number);
  if (mixed->repaired) return open_repaired(spec, before, after, writing, answer, err);
  ripstop_versions *v = before->method->proto ? mixed->of_protocol(before, after, number, err)
                                              : ripstop_versions_of_plans(before, after, NULL, NULL, writing);
  if (!v && !before->method->proto) ripstop_out_of_memory();
  return v;
}
