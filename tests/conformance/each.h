/* each.h - the main function of a test that holds every routing method to something: each_NAME.c is registered with
 * CTest once for each method of the library, which it is given by name; without a name it takes all of them. */
#ifndef RIPSTOP_TESTS_EACH_H
#define RIPSTOP_TESTS_EACH_H

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/method.h"

enum { EACH_METHODS_MAX = 128 };

/* `test` gets a method as its state. */
static inline int each_method(const char *group, CMUnitTestFunction test, int argc, char **argv,
                              CMFixtureFunction set_up, CMFixtureFunction tear_down) {
  struct CMUnitTest tests[EACH_METHODS_MAX];
  size_t count = 0;
  for (size_t i = 0; ripstop_methods[i] && count < EACH_METHODS_MAX; i++)
    if (argc < 2 || strcmp(argv[1], ripstop_methods[i]->name) == 0)
      tests[count++] = (struct CMUnitTest){
          .name = ripstop_methods[i]->name, .test_func = test, .initial_state = (void *)ripstop_methods[i]};
  if (count == 0) fprintf(stderr, "%s: there is no method '%s'\n", group, argc < 2 ? "" : argv[1]);
  return count ? _cmocka_run_group_tests(group, tests, count, set_up, tear_down) : 2;
}

#endif
