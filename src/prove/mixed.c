/* mixed.c - the versions of tables whose transient states are proved: of a protocol, of plans, or of tables and their
 * repair. */
#include "base/memory.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/repair.h"
#include "ripstop/plugin/method.h"
#include "tables/versions.h"

static ripstop_writing writing_of(const ripstop_mixed *mixed, uint32_t number) {
  if (!mixed->two_writes) return RIPSTOP_WRITE_AT_ONCE;
  return number == 0 ? RIPSTOP_WRITE_EMPTY : RIPSTOP_WRITE_AFTER_EMPTY;
}

static ripstop_versions *refuse(const ripstop_method *method, const char *why, ripstop_answer *answer,
                                ripstop_error *err) {
  ripstop_fail(err, "method %s: %s", method->name, why);
  *answer = RIPSTOP_DOES_NOT_APPLY;
  return NULL;
}

/* The old tables, and the method's repair of them. */
static ripstop_versions *open_repaired(const char *spec, const ripstop_plan *before, const ripstop_plan *after,
                                       ripstop_writing writing, ripstop_answer *answer, ripstop_error *err) {
  const ripstop_method *method = before->method;
  const ripstop_forwarding *old = method->forwarding ? method->forwarding(before) : NULL;
  if (!old || !method->repair || method->proto)
    return refuse(method, "with these options it has no tables that it repairs", answer, err);
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
  const ripstop_method *method = before->method;
  if (mixed->two_writes && method->proto)
    return refuse(method, "its switches write their own tables as messages come, not in two writes", answer, err);
  ripstop_writing writing = writing_of(mixed, number);
  if (mixed->repaired) return open_repaired(spec, before, after, writing, answer, err);
  ripstop_versions *v = method->proto ? mixed->of_protocol(before, after, number, err)
                                      : ripstop_versions_of_plans(before, after, NULL, NULL, writing);
  if (!v && !method->proto) ripstop_out_of_memory();
  return v;
}
