/* opensm_fallback.h - shared by OpenSM's engines that make whole tables or refuse a fabric. When such an engine refuses
 * a fabric that was damaged later, OpenSM falls back to minhop; a fabric that it refuses without faults it does not
 * route at all here. */
#ifndef METHODS_SHARED_OPENSM_FALLBACK_H
#define METHODS_SHARED_OPENSM_FALLBACK_H

#include "methods/shared/opensm.h"

/* Makes tables for a view, in memory of the arena. NULL: the engine refuses it. */
typedef ripstop_forwarding *ripstop_opensm_maker(const void *config, const ripstop_view *view, ripstop_arena *arena,
                                                 ripstop_error *err);

/* ripstop_method.plan and ripstop_method.repair of such an engine. */
ripstop_answer ripstop_opensm_plan_or_fall_back(ripstop_plan *plan, ripstop_opensm_maker *maker, ripstop_error *err);
ripstop_forwarding *ripstop_opensm_repair_or_fall_back(ripstop_opensm_maker *maker, const void *config,
                                                       const ripstop_view *view, const ripstop_forwarding *old,
                                                       ripstop_answer *answer, ripstop_error *err);

#endif
