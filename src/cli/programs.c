/* programs.c - `ripstop programs [KERNEL]`: the kernels that end nodes can run, one kernel's options and those of the
 * machine that it runs on. Everything comes from the registry, so a new file in src/programs/kernels/ is listed by
 * existing. */
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

static void list_kernels(void) {
  int widest = 0;
  for (const ripstop_kernel *const *k = ripstop_kernels; *k != NULL; k++)
    if ((int)strlen((*k)->name) > widest) widest = (int)strlen((*k)->name);
  for (const ripstop_kernel *const *k = ripstop_kernels; *k != NULL; k++)
    printf("%-*s  %s\n", widest, (*k)->name, (*k)->summary);
}

static void explain(const ripstop_kernel *kernel, const char *canonical) {
  printf("%s\n  summary    %s\n  canonical  %s\n  small      %s:%s\n\nOptions:\n", kernel->name, kernel->summary,
         canonical, kernel->name, kernel->small);
  ripstop_options_help(stdout, kernel->options);
  printf("\nOther keys of 'program:', for the machine:\n");
  const ripstop_option *option = ripstop_program_options;
  while (option->positional) option++; /* the kernel itself */
  ripstop_options_help(stdout, option);
}

static json_t *kernel_json(const ripstop_kernel *k) {
  return json_pack("{s:s, s:s, s:s, s:o}", "name", k->name, "summary", k->summary, "small", k->small, "options",
                   ripstop_cli_json_options(k->options));
}

static void list_json(void) {
  json_t *list = json_array();
  for (const ripstop_kernel *const *k = ripstop_kernels; *k != NULL; k++) json_array_append_new(list, kernel_json(*k));
  ripstop_cli_json_print(list);
}

static int show_one(const char *spec, bool json) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_ARENA(arena);
  const char *canonical;
  int status = ripstop_kernel_canonical(arena, spec, &canonical, &err);
  if (status == 0 && json)
    ripstop_cli_json_print(kernel_json(ripstop_kernel_find(spec, strcspn(spec, ":"), &err)));
  else if (status == 0)
    explain(ripstop_kernel_find(spec, strcspn(spec, ":"), &err), canonical);
  return status == 0 ? RIPSTOP_EXIT_OK : ripstop_cli_fail(&err);
}

int ripstop_cmd_programs(int argc, char **argv) {
  const char *spec = NULL;
  bool json = false;
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {.command = "programs",
                               .arguments = "[KERNEL[:OPTIONS]]",
                               .summary = "Lists the programs that end nodes can run, or explains one and its machine.",
                               .at_least = 0,
                               .at_most = 1,
                               .flags = flags};
  int status = ripstop_cli_parse(&usage, argc, argv, &spec, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (spec != NULL) return show_one(spec, json);
  (json ? list_json : list_kernels)();
  return RIPSTOP_EXIT_OK;
}
