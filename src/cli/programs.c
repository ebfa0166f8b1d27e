/* programs.c - `ripstop programs [KERNEL]`: the kernels that end nodes can run, one kernel's options and those of the
 * machine that it runs on. Everything comes from the registry, so a new file in src/programs/kernels/ is listed by
 * existing. */
#include <string.h>

#include "cli/cli.h"
#include "ripstop/programs.h"

static void list_kernels(void) {
  int widest = 0;
  for (const rs_kernel *const *k = rs_kernels; *k != NULL; k++)
    if ((int)strlen((*k)->name) > widest) widest = (int)strlen((*k)->name);
  for (const rs_kernel *const *k = rs_kernels; *k != NULL; k++) printf("%-*s  %s\n", widest, (*k)->name, (*k)->summary);
}

static void explain(const rs_kernel *kernel, const char *canonical) {
  printf("%s\n  summary    %s\n  canonical  %s\n  small      %s:%s\n\nOptions:\n", kernel->name, kernel->summary,
         canonical, kernel->name, kernel->small);
  rs_options_help(stdout, kernel->options);
  printf("\nOther keys of 'program:', for the machine:\n");
  const rs_option *option = rs_program_options;
  while (option->positional) option++; /* the kernel itself */
  rs_options_help(stdout, option);
}

static int show_one(const char *spec) {
  rs_error err = {0};
  rs_arena *arena = rs_arena_new();
  const char *canonical;
  int status = rs_kernel_canonical(arena, spec, &canonical, &err);
  if (status == 0) explain(rs_kernel_find(spec, strcspn(spec, ":"), &err), canonical);
  rs_arena_free(arena);
  return status == 0 ? RS_EXIT_OK : rs_cli_fail(&err);
}

int rs_cmd_programs(int argc, char **argv) {
  const char *spec = NULL;
  const rs_flag flags[] = {{0}};
  const rs_usage usage = {.command = "programs",
                          .arguments = "[KERNEL[:OPTIONS]]",
                          .summary = "Lists the programs that end nodes can run, or explains one and its machine.",
                          .at_least = 0,
                          .at_most = 1,
                          .flags = flags};
  unsigned count;
  int status = rs_cli_parse(&usage, argc, argv, &spec, &count);
  if (status != RS_CLI_GO_ON) return status;
  if (spec != NULL) return show_one(spec);
  list_kernels();
  return RS_EXIT_OK;
}
