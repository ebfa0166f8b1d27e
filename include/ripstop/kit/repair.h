/* repair.h - forwarding tables that a method computes in place of older ones after parts of the fabric have failed. */
#ifndef RIPSTOP_REPAIR_H
#define RIPSTOP_REPAIR_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

/* An entry that a repair has changed. */
typedef struct ripstop_mended_entry {
  uint32_t address, switch_; /* switch_: a node */
  uint16_t was;              /* the port before */
} ripstop_mended_entry;

/* A method's forwarding tables for a view in place of older ones of the same fabric, which change as little as they
 * can; `*seconds`: processor time of the repair, without getting to know the old ones, or NULL. NULL: see *answer; does
 * not apply: the method cannot, or nothing but new tables helps. */
ripstop_forwarding *ripstop_plan_repair(const ripstop_view *view, const char *method_spec,
                                        const ripstop_forwarding *old, double *seconds, ripstop_answer *answer,
                                        ripstop_error *err);
/* The same again and again, from one set of old tables, while parts of the view fail and return: faster if the method
 * keeps unchanged entries. View and old tables must outlive it; no part may be up that was down when it was opened. */
typedef struct ripstop_repairer ripstop_repairer;
struct ripstop_repaired {
  const ripstop_forwarding *tables; /* the repairer's, valid until the next call */
  const uint32_t *address;          /* [addresses]: those with other entries than before, ascending */
  uint32_t addresses;
};
/* NULL: see *answer; does not apply: the method repairs no tables, or not these. */
ripstop_repairer *ripstop_repairer_open(const ripstop_view *view, const char *method_spec,
                                        const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err);
ripstop_answer ripstop_repairer_follow(ripstop_repairer *repairer, ripstop_repaired *out, ripstop_error *err);
void ripstop_repairer_free(ripstop_repairer *repairer); /* NULL is fine */

RIPSTOP_END

#endif
