/* growing.h - lists that grow by doubling.
 *
 * A list is a pointer, the number of its items and the number for which there is room, each an lvalue without side
 * effects. The number changes only when the memory is there: running out of memory jumps (base/memory.h), and the list
 * may outlive the jump. New items are not zeroed. */
#ifndef RIPSTOP_BASE_GROWING_H
#define RIPSTOP_BASE_GROWING_H

#include "ripstop/plugin/base.h"

enum { RIPSTOP_FIRST_ROOM = 4 };

/* The room after `room`. */
#define RIPSTOP_MORE_ROOM(room) ((room) == 0 ? RIPSTOP_FIRST_ROOM : 2 * (room))

/* Makes room for `count` items, in the arena. */
#define RIPSTOP_ROOM_IN(arena, list, count, room)                                 \
  do {                                                                            \
    size_t grown = (room);                                                        \
    while (grown < (count)) grown = RIPSTOP_MORE_ROOM(grown);                     \
    if (grown == (room)) break;                                                   \
    (list) = ripstop_arena_realloc(arena, (void *)(list), grown, sizeof *(list)); \
    (room) = grown;                                                               \
  } while (0)

/* Makes room for one more item. */
#define RIPSTOP_GROW_IN(arena, list, count, room)                                   \
  do {                                                                              \
    if ((count) == (room)) RIPSTOP_ROOM_IN(arena, list, (size_t)(count) + 1, room); \
  } while (0)

/* The same without an arena; ripstop_free frees the list. */
#define RIPSTOP_GROW(list, count, room)                                                          \
  do {                                                                                           \
    if ((count) < (room)) break;                                                                 \
    (list) = ripstop_realloc((void *)(list), RIPSTOP_MORE_ROOM((size_t)(room)), sizeof *(list)); \
    (room) = RIPSTOP_MORE_ROOM(room);                                                            \
  } while (0)

#endif
