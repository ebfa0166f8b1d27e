/* docs/programs.md has a row for every option of programs, with its default, and for every kernel with its options. */
#include "documented.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

static void options_are_documented(void **state) {
  (void)state;
  documented_options("programs.md", ripstop_program_options);
}

static void kernels_are_documented(void **state) {
  (void)state;
  for (size_t i = 0; ripstop_kernels[i]; i++)
    documented_plugin("programs.md", ripstop_kernels[i]->name, ripstop_kernels[i]->options);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_documented),
                                     cmocka_unit_test(kernels_are_documented)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
