/* odd.c - the list of odd.h. */
#include "formats/odd.h"

#include <stdarg.h>

#include "base/growing.h"
#include "base/locale.h"

enum { SENTENCE = 500 }; /* bytes: what is longer is cut off */

static char *print(ripstop_arena *arena, const char *format, va_list arguments) {
  ripstop_error made; /* shows control characters of the file as '?', as every message does */
  char text[SENTENCE];
  ripstop_format_list(text, sizeof text, format, arguments);
  ripstop_fail(&made, "%s", text);
  return ripstop_arena_text(arena, made.text);
}

ripstop_odd *ripstop_odds_add(ripstop_odds *odds, const char *what, uint32_t line, const char *format, ...) {
  RIPSTOP_GROW_IN(odds->arena, odds->list, odds->count, odds->room);
  va_list arguments;
  va_start(arguments, format);
  ripstop_odd *odd = &odds->list[odds->count++];
  *odd = (ripstop_odd){.what = what, .line = line, .text = print(odds->arena, format, arguments)};
  va_end(arguments);
  return odd;
}

void ripstop_odd_place(ripstop_odds *odds, ripstop_odd *odd, const char *format, ...) {
  if (odd->places == odd->room) {
    odd->room = RIPSTOP_MORE_ROOM(odd->room);
    odd->where = ripstop_arena_realloc(odds->arena, (void *)odd->where, odd->room, sizeof *odd->where);
  }
  va_list arguments;
  va_start(arguments, format);
  odd->where[odd->places++] = print(odds->arena, format, arguments);
  va_end(arguments);
}
