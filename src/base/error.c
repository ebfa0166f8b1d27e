/* error.c - one line that says what is wrong and where.
 *
 * Messages quote input, so whatever could move a terminal's cursor is replaced. Arguments may point into the error
 * itself: the new text is made aside and copied last. */
#include "ripstop/base.h"

#include <string.h>

#include "base/locale.h"

#undef ripstop_fail /* base.h has macros for the analyzer */
#undef ripstop_fail_at

static void clean(char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == 0x7f) *text = '?'; /* 0x7f: delete */
  }
}

int ripstop_fail(ripstop_error *err, const char *fmt, ...) {
  char text[sizeof err->text];
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(text, sizeof text, fmt, args);
  va_end(args);
  clean(text);
  memcpy(err->text, text, sizeof text);
  return -1;
}

int ripstop_fail_at(ripstop_error *err, const char *fmt, ...) {
  char place[sizeof err->text];
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(place, sizeof place, fmt, args);
  va_end(args);
  return ripstop_fail(err, "%s: %s", place, err->text);
}
