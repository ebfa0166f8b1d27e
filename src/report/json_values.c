/* json_values.c - numbers and texts as JSON values. */
#include "report/json_values.h"

#include <math.h>

#include "base/local.h"
#include "base/memory.h"

json_t *ripstop_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *ripstop_json_text(const char *text) {
  json_t *value = json_string(text);
  if (value) return value;
  RIPSTOP_LOCAL_TEXT(clean);
  for (const char *c = text; *c != '\0'; c++) ripstop_text_add(&clean, "%c", (unsigned char)*c < 0x80 ? *c : '?');
  value = json_string(clean.data);
  return value;
}
