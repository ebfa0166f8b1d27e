/* c_random.c - see c_random.h. */
#include "methods/shared/c_random.h"

enum { BEFORE = 3, WARM_UP = 310 }; /* a new word adds the one 3 and the one 31 before it */

void ripstop_c_random_open(ripstop_c_random *r, uint32_t seed) {
  int64_t word = (int32_t)(seed ? seed : 1);
  for (unsigned i = 0; i < RIPSTOP_C_RANDOM_WORDS; i++) {
    r->word[i] = (uint32_t)word;
    word = 16807 * word % INT32_MAX;
    if (word < 0) word += INT32_MAX;
  }
  r->next = BEFORE;
  for (unsigned i = 0; i < WARM_UP; i++) ripstop_c_random_next(r);
}

uint32_t ripstop_c_random_next(ripstop_c_random *r) {
  const unsigned i = r->next, before = (i + RIPSTOP_C_RANDOM_WORDS - BEFORE) % RIPSTOP_C_RANDOM_WORDS;
  r->next = (i + 1) % RIPSTOP_C_RANDOM_WORDS;
  r->word[i] += r->word[before];
  return r->word[i] >> 1;
}
