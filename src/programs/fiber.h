/* fiber.h - programs that can be paused at any point: each has a stack of its own, and is resumed and paused. */
#ifndef PROGRAMS_FIBER_H
#define PROGRAMS_FIBER_H

#include "ripstop/plugin/base.h"

typedef struct fiber fiber;

/* Nothing runs before the first fiber_resume. */
fiber *fiber_new(void (*run)(void *argument), void *argument);
/* A paused fiber may be freed: only its local variables are lost. */
void fiber_free(fiber *f);
/* Calls the function. If memory runs out in it, this frees the stacks of the fibers that it made, which no guard
 * (base/memory.h) tracks, and then fails in the same manner. */
void fiber_try(void (*call)(void *argument), void *argument);
void fiber_resume(fiber *f); /* returns when the fiber pauses or ends */
void fiber_pause(fiber *f);  /* called on the fiber's own stack */
bool fiber_over(const fiber *f);

#endif
