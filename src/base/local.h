/* local.h - texts and arenas that end with the block in which they are declared, by whatever return.
 *
 * Not in a function with RIPSTOP_GUARD (base/memory.h): after the jump its variables have no value that can be freed.
 * Jumps over other functions free the memory themselves. */
#ifndef RIPSTOP_BASE_LOCAL_H
#define RIPSTOP_BASE_LOCAL_H

#include "ripstop/plugin/base.h"

static inline void ripstop_arena_end(ripstop_arena **arena) { ripstop_arena_free(*arena); }

/* An empty text. */
#define RIPSTOP_LOCAL_TEXT(text) __attribute__((cleanup(ripstop_text_free))) ripstop_text text = {0}
/* A new arena. */
#define RIPSTOP_LOCAL_ARENA(arena) \
  __attribute__((cleanup(ripstop_arena_end))) ripstop_arena *arena = ripstop_arena_new() /* NOLINT: a declaration */

#endif
