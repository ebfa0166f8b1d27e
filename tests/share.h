/* share.h - how much of its cases a test takes that has very many alike: all, or with RIPSTOP_SHARE=N every N-th.
 *
 * The builds with sanitizers, by a second compiler, use it: they look for code that means something else there and
 * for wrong accesses, which the cases that they take reach as well as all of them. The first tries them all.
 *
 * RIPSTOP_SHARE_TURN, a hexadecimal number, selects the share: .ci/run sets it to the commit, so that every case has
 * its turn. A test that uses it prints both variables, with which it takes the same cases again. */
#ifndef RIPSTOP_TESTS_SHARE_H
#define RIPSTOP_TESTS_SHARE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint32_t share_of_cases(void) {
  const char *text = getenv("RIPSTOP_SHARE");
  uint32_t share = text ? (uint32_t)strtoul(text, NULL, 10) : 1;
  return share ? share : 1;
}

/* An odd number as near, for cases of two kinds that take turns. */
static inline uint32_t share_of_turns(void) { return share_of_cases() | 1; }

/* The first case of a share of every `step`-th, below `step`: RIPSTOP_SHARE_TURN modulo it, 0 without one. */
static inline uint32_t share_first(uint32_t step) {
  static bool printed;
  const char *text = getenv("RIPSTOP_SHARE_TURN");
  uint32_t first = 0;
  if (!text || step < 2) return 0;
  for (const char *at = text; isxdigit((unsigned char)*at); at++) {
    const char digit[] = {*at, '\0'};
    first = (uint32_t)((first * UINT64_C(16) + strtoul(digit, NULL, 16)) % step);
  }
  if (!printed) fprintf(stderr, "RIPSTOP_SHARE=%u RIPSTOP_SHARE_TURN=%s\n", (unsigned)share_of_cases(), text);
  printed = true;
  return first;
}

#endif
