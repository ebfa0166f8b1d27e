/* odd.c - the list of odd.h. */
#include "formats/odd.h"

#include <stdarg.h>

#include "base/growing.h"
#include "base/locale.h"

enum { SENTENCE = 500 }; /* bytes: what is longer is cut off */

/* A copy that shows control characters of the file as '?', as every message does. */
static const char *copy(ripstop_arena *arena, const char *text) {
  ripstop_error made;
  ripstop_fail(&made, "%s", text);
  return ripstop_arena_text(arena, made.text);
}

void ripstop_odd_place(ripstop_odds *odds, ripstop_odd *odd, const char *name) {
  RIPSTOP_GROW_IN(odds->arena, odd->where, odd->places, odd->room);
  odd->where[odd->places++] = copy(odds->arena, name);
}

ripstop_odd *ripstop_odds_add(ripstop_odds *odds, const char *what, uint32_t line, const char *const *where,
                              const char *format, ...) {
  char text[SENTENCE];
  va_list arguments;
  va_start(arguments, format);
  ripstop_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  RIPSTOP_GROW_IN(odds->arena, odds->list, odds->count, odds->room);
  ripstop_odd *odd = &odds->list[odds->count++];
  *odd = (ripstop_odd){.what = what, .line = line, .count = 1, .text = copy(odds->arena, text)};
  while (*where) ripstop_odd_place(odds, odd, *where++);
  return odd;
}
