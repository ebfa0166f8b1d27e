/* hash.h - the hash that names runs and their stored results: XXH3 with 128 bits, as hexadecimal digits. */
#ifndef RIPSTOP_BASE_HASH_H
#define RIPSTOP_BASE_HASH_H

#include "ripstop/plugin/base.h"

enum { RIPSTOP_HASH = 33 }; /* bytes of a hash as text: 32 digits and the terminator */

RIPSTOP_BEGIN

void ripstop_hash(const char *bytes, size_t length, char out[RIPSTOP_HASH]);

RIPSTOP_END

#endif
