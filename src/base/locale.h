/* locale.h - numbers in texts have a point, whatever the program's locale: machines read the output, and the same
 * call gives the same text everywhere.
 *
 * Both functions work in the C locale and leave the thread in the one that it had. The kit uses this header, too; it
 * is not installed. */
#ifndef RIPSTOP_BASE_LOCALE_H
#define RIPSTOP_BASE_LOCALE_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

/* Like snprintf and vsnprintf. */
int ripstop_format(char *text, size_t size, const char *fmt, ...) RIPSTOP_PRINTF(3, 4);
int ripstop_format_list(char *text, size_t size, const char *fmt, va_list args) RIPSTOP_PRINTF(3, 0);
/* Like strtod. */
double ripstop_read_real(const char *text, char **end);

RIPSTOP_END

#endif
