/* locale.c - the C locale for one call.
 *
 * The locale is requested at each call, so that no global state is kept: C libraries have it ready, and neither
 * making nor freeing it takes memory. If a C library fails to return it, the thread's own locale is used. */
#include "base/locale.h"

#include <locale.h>
#include <stdlib.h>

typedef struct stay {
  locale_t here, home;
} stay;

static stay enter(void) {
  locale_t here = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (stay){here, here ? uselocale(here) : (locale_t)0};
}

static void leave(stay s) {
  if (!s.here) return;
  uselocale(s.home);
  freelocale(s.here);
}

int ripstop_format_list(char *text, size_t size, const char *fmt, va_list args) {
  stay s = enter();
  int length = (vsnprintf)(text, size, fmt, args);
  leave(s);
  return length;
}

int ripstop_format(char *text, size_t size, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int length = ripstop_format_list(text, size, fmt, args);
  va_end(args);
  return length;
}

double ripstop_read_real(const char *text, char **end) {
  stay s = enter();
  double value = (strtod)(text, end);
  leave(s);
  return value;
}
