/* no_heap.h - included last by the files of the event loop: a memory allocation there is a compile error.
 *
 * The engine allocates all its memory before the first event; memory does not depend on how long sources have been
 * saturated. Function-like macros, so that members may still be called `free`. */
#ifndef RIPSTOP_BASE_NO_HEAP_H
#define RIPSTOP_BASE_NO_HEAP_H

#include "ripstop/plugin/base.h"

#include <stdlib.h>

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef RIPSTOP_NEW
#undef RIPSTOP_ARRAY
#define malloc(...)              malloc_is_banned_in_the_event_loop
#define calloc(...)              calloc_is_banned_in_the_event_loop
#define realloc(...)             realloc_is_banned_in_the_event_loop
#define free(...)                free_is_banned_in_the_event_loop
#define RIPSTOP_NEW(...)         RIPSTOP_NEW_is_banned_in_the_event_loop
#define RIPSTOP_ARRAY(...)       RIPSTOP_ARRAY_is_banned_in_the_event_loop
#define ripstop_realloc(...)     ripstop_realloc_is_banned_in_the_event_loop
#define ripstop_arena_array(...) ripstop_arena_array_is_banned_in_the_event_loop

#endif
