/* c_random.h - the numbers of srand and rand of the GNU C library, which OpenSM uses, on any system: an additive
 * feedback generator over 31 words. */
#ifndef METHODS_SHARED_C_RANDOM_H
#define METHODS_SHARED_C_RANDOM_H

#include <stdint.h>

enum { RIPSTOP_C_RANDOM_WORDS = 31 };

typedef struct ripstop_c_random {
  uint32_t word[RIPSTOP_C_RANDOM_WORDS];
  unsigned next; /* the word to be replaced */
} ripstop_c_random;

/* A program that never calls srand has seed 1, as seed 0 is. */
void ripstop_c_random_open(ripstop_c_random *random, uint32_t seed);
uint32_t ripstop_c_random_next(ripstop_c_random *random); /* 0 to 2^31 - 1 */

#endif
