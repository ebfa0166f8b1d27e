/* sizes.c - reads the sizes of all families whose shape is a list of sizes. */
#include "fabric/sizes.h"

#include <string.h>

#include "fabric/count.h"

int ripstop_sizes_parse(const char *family, const char *text, char separator, uint32_t least, ripstop_sizes *out,
                        ripstop_error *err) {
  const char stop[] = {separator, '\0'};
  out->count = 0;
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, stop);
    char word[8]; /* longer numbers than 65535 need not be read */
    uint64_t value = 0;
    ripstop_error ignored;
    if (length == 0 || length >= sizeof word)
      return ripstop_fail(err, "fabric %s: '%.64s' is not sizes like 8%c8", family, text, separator);
    memcpy(word, at, length);
    word[length] = '\0';
    if (ripstop_parse_u64(word, UINT16_MAX, &value, &ignored) != 0 || value < least)
      return ripstop_fail(err, "fabric %s: size '%s' is not a number from %u to %d", family, word, least, UINT16_MAX);
    if (out->count == RIPSTOP_SIZES_MAX)
      return ripstop_fail(err, "fabric %s: more than %d dimensions", family, RIPSTOP_SIZES_MAX);
    out->size[out->count++] = (uint32_t)value;
    at += length;
    if (*at == '\0') return 0;
  }
}

uint64_t ripstop_sizes_product(const ripstop_sizes *s) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < s->count; i++) product = ripstop_times(product, s->size[i]);
  return product;
}
