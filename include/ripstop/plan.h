/* plan.h - a routing method compiled for a view. Read-only: runs, proofs and tables are made of a plan and only look at
 * it, so many may share it, in many threads. */
#ifndef RIPSTOP_PLAN_H
#define RIPSTOP_PLAN_H

#include "ripstop/view.h"

RIPSTOP_BEGIN

typedef struct ripstop_plan ripstop_plan;

typedef enum ripstop_answer {
  RIPSTOP_ERROR = -1,
  RIPSTOP_APPLIES = 0,
  RIPSTOP_DOES_NOT_APPLY = 1 /* an answer, no error: the method is not for this fabric or fault set */
} ripstop_answer;

/* A plan with a fabric and a view of its own: `fabric` as for ripstop_fabric_open, `failed` as for ripstop_view_open,
 * `method` as for ripstop_plan_open. NULL: an error, or the method does not apply. */
ripstop_plan *ripstop_plan_of(const char *fabric, const char *failed, const char *method, ripstop_error *err);
/* `method`: its name, and options behind it: "misroute:uturn=cyclic" (`ripstop methods` lists them). The view must
 * outlive the plan. NULL with an error; *answer, if it is not NULL, distinguishes a method that does not apply. */
ripstop_plan *ripstop_plan_open(const ripstop_view *view, const char *method, ripstop_answer *answer,
                                ripstop_error *err);
void ripstop_plan_free(ripstop_plan *plan); /* NULL is fine */
/* Compiles the plan again after its view has changed. No run, proof or tables of it may be in use. Unless the answer is
 * RIPSTOP_APPLIES, the plan can only be updated again and freed, and the error says why. */
ripstop_answer ripstop_plan_update(ripstop_plan *plan, ripstop_error *err);
/* The fabric and the view of a plan; they live as long as before, or those of ripstop_plan_of as long as the plan. */
const ripstop_fabric *ripstop_plan_fabric(const ripstop_plan *plan);
const ripstop_view *ripstop_plan_view(const ripstop_plan *plan);
/* Virtual channels that it uses on every link. */
uint32_t ripstop_plan_channels(const ripstop_plan *plan);
/* A line for the person who chose the method, about how it was compiled; NULL: nothing. */
const char *ripstop_plan_note(const ripstop_plan *plan);

RIPSTOP_END

#endif
