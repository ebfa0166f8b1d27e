/* fiber.h - programs that can be stopped in the middle: a stack of their own, resumed and paused. */
#ifndef PROGRAMS_FIBER_H
#define PROGRAMS_FIBER_H

#include "ripstop/base.h"

typedef struct fiber fiber;

/* Nothing runs before the first fiber_resume. */
fiber *fiber_new(void (*run)(void *argument), void *argument);
/* One that is paused in the middle may be freed: nothing is lost but its local variables. */
void fiber_free(fiber *f);
/* Calls the function. When memory runs out in it, the stacks of the fibers that it has made are given back, which no
 * guard (base/memory.h) knows of, and then it has run out here. */
void fiber_try(void (*call)(void *argument), void *argument);
void fiber_resume(fiber *f); /* until it pauses or ends */
void fiber_pause(fiber *f);  /* called on its own stack */
bool fiber_over(const fiber *f);

#endif
