/* promises.h - what routing methods of tests guarantee, where that is not what the test is about. */
#ifndef RIPSTOP_TESTS_PROMISES_H
#define RIPSTOP_TESTS_PROMISES_H

#include "ripstop/plugin/method.h"

static inline void promise_nothing(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric, (void)config;
  *out = (ripstop_guarantees){0};
}

static inline void promise_minimal(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric, (void)config;
  *out = (ripstop_guarantees){.minimal = true};
}

static inline void promise_no_deadlock(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric, (void)config;
  *out = (ripstop_guarantees){.minimal = true, .deadlock_free = true};
}

#endif
