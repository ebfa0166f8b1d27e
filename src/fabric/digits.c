/* digits.c - prints names without formatted output, because building an index of names prints every name once. */
#include "fabric/digits.h"

#include <string.h>

void ripstop_digits_split(uint32_t value, uint32_t radix, uint32_t count, uint16_t *digit) {
  for (uint32_t i = 0; i < count; i++) {
    digit[i] = (uint16_t)(value % radix);
    value /= radix;
  }
}

size_t ripstop_name_number(char *out, size_t length, const char *text, uint32_t number) {
  char reversed[10]; /* decimal digits of a 32-bit number */
  size_t count = 0, prefix = strlen(text);
  do reversed[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  if (length + prefix + count >= RIPSTOP_NAME_MAX) return length;
  memcpy(out + length, text, prefix);
  length += prefix;
  while (count > 0) out[length++] = reversed[--count];
  out[length] = '\0';
  return length;
}

size_t ripstop_digits_print(char *out, size_t length, const uint16_t *digit, uint32_t count, uint32_t star) {
  out[length] = '\0';
  for (uint32_t i = count; i-- > 0;) {
    if (i + 1 < count && length + 1 < RIPSTOP_NAME_MAX) out[length++] = '.';
    if (i != star) {
      length = ripstop_name_number(out, length, "", digit[i]);
    } else if (length + 1 < RIPSTOP_NAME_MAX) {
      out[length++] = '*';
      out[length] = '\0';
    }
  }
  return length;
}
