/* error.c - one line that says what is wrong and where.
 *
 * Messages quote input, so characters that could move a terminal's cursor are replaced. Arguments may point into the
 * error itself: the new text is made aside and copied last. */
#include "ripstop/plugin/base.h"

#include <errno.h>
#include <string.h>

#include "base/locale.h"

#undef ripstop_fail /* base.h has macros for the analyzer */
#undef ripstop_fail_at
#undef ripstop_fail_system

/* In UTF-8 the control characters of eight-bit terminals are 0xc2 and a byte from 0x80 to 0x9f. */
void ripstop_clean(char *text) {
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
    const bool eight = c == 0xc2 && next >= 0x80 && next <= 0x9f;
    if (c < ' ' || c == 0x7f || eight) *text = '?'; /* 0x7f: delete */
    if (eight) *++text = '?';
  }
}

const char *ripstop_version(void) { return RIPSTOP_VERSION; }

int ripstop_fail(ripstop_error *err, const char *fmt, ...) {
  char text[sizeof err->text];
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(text, sizeof text, fmt, args);
  va_end(args);
  ripstop_clean(text);
  memcpy(err->text, text, sizeof text);
  err->machine = false;
  return -1;
}

int ripstop_fail_at(ripstop_error *err, const char *fmt, ...) {
  char place[sizeof err->text];
  bool machine = err->machine;
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(place, sizeof place, fmt, args);
  va_end(args);
  ripstop_fail(err, "%s: %s", place, err->text);
  err->machine = machine;
  return -1;
}

/* True if the given path explains the error. */
static bool is_of_path(int number) {
  static const int of_paths[] = {ENOENT, ENOTDIR, EISDIR,       EACCES, EPERM, EROFS,    ELOOP,
                                 EEXIST, EINVAL,  ENAMETOOLONG, ENXIO,  EPIPE, ENOTEMPTY};
  for (size_t i = 0; i < sizeof of_paths / sizeof *of_paths; i++)
    if (number == of_paths[i]) return true;
  return false;
}

int ripstop_fail_system(ripstop_error *err, int number, const char *fmt, ...) {
  char text[sizeof err->text];
  if (!number) number = EIO;
  va_list args;
  va_start(args, fmt);
  ripstop_format_list(text, sizeof text, fmt, args);
  va_end(args);
  ripstop_fail(err, "%s: %s", text, number == ENOMEM ? "out of memory" : strerror(number));
  err->machine = !is_of_path(number);
  return -1;
}
