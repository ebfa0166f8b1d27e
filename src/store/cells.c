/* cells.c - cells as RFC 4180 has them. */
#include "store/cells.h"

#include <math.h>
#include <string.h>

#include "base/locale.h"
#include "ripstop/plugin/base.h"

static bool is_formula(const char *text) {
  double number;
  ripstop_error ignored;
  return *text && strchr("=+-@\t\r\n", *text) && ripstop_parse_real(text, &number, &ignored) != 0;
}

void csv_text(FILE *file, const char *text) {
  bool quoted = strpbrk(text, ",\"\n\r") != NULL;
  if (quoted) putc('"', file);
  if (is_formula(text)) putc('\'', file);
  for (; *text; text++) {
    if (*text == '"') putc('"', file);
    putc(*text, file);
  }
  if (quoted) putc('"', file);
}

void csv_number(FILE *file, double number) {
  char text[32] = "";
  double back;
  ripstop_error ignored;
  if (isnan(number)) return;
  for (int digits = 15; digits <= 17; digits++) {
    ripstop_format(text, sizeof text, "%.*g", digits, number);
    if (ripstop_parse_real(text, &back, &ignored) || back == number) break; /* infinity is not parsed */
  }
  fputs(text, file);
}
