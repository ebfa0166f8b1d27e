/* check.h - cmocka with the headers that it wants before it, which a sorted include list would put behind it. */
#ifndef RIPSTOP_TESTS_CHECK_H
#define RIPSTOP_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

#include <cmocka.h>

/* cmocka reports a teardown of the group that fails, and does not count it. RUN_GROUP counts it. */
static CMFixtureFunction group_teardown __attribute__((unused));
static bool group_is_clean __attribute__((unused));

static __attribute__((unused)) int leave_group(void **state) {
  int status = group_teardown(state);
  group_is_clean = status == 0;
  return status;
}

/* The exit code: 0 when all tests and the teardown succeed. */
#define RUN_GROUP(tests, setup, teardown) \
  (group_teardown = (teardown), cmocka_run_group_tests(tests, setup, leave_group) || !group_is_clean)

#endif
