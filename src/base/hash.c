/* hash.c - XXH3 as text. */
#include "base/hash.h"

#undef malloc /* only functions use these that are not called here */
#undef free
#define XXH_INLINE_ALL
#include <xxhash.h>

void ripstop_hash(const char *bytes, size_t length, char out[RIPSTOP_HASH]) {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes, length));
  for (size_t i = 0; i < sizeof hash.digest; i++) {
    out[2 * i] = "0123456789abcdef"[hash.digest[i] >> 4];
    out[2 * i + 1] = "0123456789abcdef"[hash.digest[i] & 15];
  }
  out[RIPSTOP_HASH - 1] = 0;
}
