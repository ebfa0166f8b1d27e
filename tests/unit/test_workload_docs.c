/* docs/workloads.md has a row for every option of workloads, with its default, and for every kind of job with its
 * options. */
#include "documented.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/workload.h"

static void options_are_documented(void **state) {
  (void)state;
  documented_options("workloads.md", ripstop_workload_options);
}

static void kinds_are_documented(void **state) {
  (void)state;
  for (size_t i = 0; ripstop_workloads[i]; i++)
    documented_plugin("workloads.md", ripstop_workloads[i]->name, ripstop_workloads[i]->options);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_documented), cmocka_unit_test(kinds_are_documented)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
