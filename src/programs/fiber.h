/* fiber.h - programs that can be stopped in the middle: a stack of their own, resumed and paused. */
#ifndef PROGRAMS_FIBER_H
#define PROGRAMS_FIBER_H

#include "ripstop/base.h"

typedef struct fiber fiber;

/* Nothing runs before the first fiber_resume. */
fiber *fiber_new(void (*run)(void *argument), void *argument);
void fiber_free(
    fiber *f); /* paused in the middle is fine: the stack is gone, and with it nothing but local variables */
void fiber_resume(fiber *f); /* until it pauses or ends */
void fiber_pause(fiber *f);  /* called on its own stack */
bool fiber_over(const fiber *f);

#endif
