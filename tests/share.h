/* share.h - how much of its cases a test takes that has very many alike: all, or with RIPSTOP_SHARE=N every N-th.
 *
 * The builds with sanitizers, by a second compiler, use it: they look for code that means something else there and
 * for wrong accesses, which the cases that they take reach as well as all of them. The first tries them all. */
#ifndef RIPSTOP_TESTS_SHARE_H
#define RIPSTOP_TESTS_SHARE_H

#include <stdint.h>
#include <stdlib.h>

static inline uint32_t share_of_cases(void) {
  const char *text = getenv("RIPSTOP_SHARE");
  uint32_t share = text ? (uint32_t)strtoul(text, NULL, 10) : 1;
  return share ? share : 1;
}

/* An odd number as near, for cases of two kinds that take turns. */
static inline uint32_t share_of_turns(void) { return share_of_cases() | 1; }

#endif
