/* waiting.h - the queues of a deadlock as a picture. */
#ifndef DRAW_WAITING_H
#define DRAW_WAITING_H

#include "draw/fabric_picture.h"

/* The queue that a port sends into, with the packet at its head. Memory from the arena. */
picture_wait draw_queue(ripstop_arena *arena, const ripstop_fabric *f, uint32_t port, unsigned channel,
                        const char *packet);
/* The view's fabric as an <svg> element, and the queues; of the first `cycle` each waits for the next. */
void draw_deadlock(ripstop_arena *arena, const ripstop_view *view, const picture_wait *wait, uint32_t waits,
                   uint32_t cycle, ripstop_text *out);

#endif
