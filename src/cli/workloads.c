/* workloads.c - `ripstop workloads [WORKLOAD]` and `ripstop patterns [PATTERN]`: what end nodes can do, one kind with
 * its options. Everything comes from the registries, so a new file is listed by existing. */
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/workload.h"

/* Both kinds of plug-in have these. */
typedef struct entry {
  const char *name, *summary;
  const ripstop_option *options;
} entry;

typedef entry (*entry_at)(size_t i); /* without a name: the list ends */

static entry workload_at(size_t i) {
  const ripstop_workload *w = ripstop_workloads[i];
  return w ? (entry){w->name, w->summary, w->options} : (entry){0};
}

static entry pattern_at(size_t i) {
  const ripstop_pattern *p = ripstop_patterns[i];
  return p ? (entry){p->name, p->summary, p->options} : (entry){0};
}

static void list_entries(entry_at at) {
  size_t widest = 0;
  for (size_t i = 0; at(i).name; i++)
    if (strlen(at(i).name) > widest) widest = strlen(at(i).name);
  for (size_t i = 0; at(i).name; i++) printf("%-*s  %s\n", (int)widest, at(i).name, at(i).summary);
}

static json_t *entry_json(entry e) {
  return json_pack("{s:s, s:s, s:o}", "name", e.name, "summary", e.summary, "options",
                   ripstop_cli_json_options(e.options));
}

static int print_json(entry_at at) {
  json_t *list = json_array();
  for (size_t i = 0; at(i).name; i++) json_array_append_new(list, entry_json(at(i)));
  ripstop_cli_json_print(list);
  return RIPSTOP_EXIT_OK;
}

static int unknown(const char *what, entry_at at, const char *name) {
  enum { MOST = 256 };
  const char *words[MOST + 1] = {NULL};
  ripstop_error err = {0};
  for (size_t i = 0; i < MOST && at(i).name; i++) words[i] = at(i).name;
  const char *near = ripstop_nearest_word(name, words);
  if (near)
    ripstop_fail(&err, "%s '%.60s' is unknown; did you mean '%s'?", what, name, near);
  else
    ripstop_fail(&err, "%s '%.60s' is unknown; 'ripstop %ss' lists them", what, name, what);
  return ripstop_cli_fail(&err);
}

static int explain(const char *what, entry_at at, const char *name, bool json) {
  size_t i = 0;
  while (at(i).name && strcmp(at(i).name, name) != 0) i++;
  entry found = at(i);
  if (!found.name) return unknown(what, at, name);
  if (json) ripstop_cli_json_print(entry_json(found));
  if (json) return RIPSTOP_EXIT_OK;
  printf("%s\n  summary    %s\n", found.name, found.summary);
  if (found.options && found.options->name) printf("\nOptions:\n"), ripstop_options_help(stdout, found.options);
  return RIPSTOP_EXIT_OK;
}

static int show(const ripstop_usage *usage, const char *what, entry_at at, int argc, char **argv, const char **name,
                const bool *json) {
  int status = ripstop_cli_parse(usage, argc, argv, name, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (*name) return explain(what, at, *name, *json);
  if (*json) return print_json(at);
  list_entries(at);
  return RIPSTOP_EXIT_OK;
}

int ripstop_cmd_workloads(int argc, char **argv) {
  const char *name = NULL;
  bool json = false;
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {.command = "workloads",
                               .arguments = "[WORKLOAD]",
                               .summary = "Lists what the ranks of a job can do, or explains one kind of job.",
                               .at_most = 1,
                               .flags = flags};
  int status = show(&usage, "workload", workload_at, argc, argv, &name, &json);
  if (status != RIPSTOP_EXIT_OK || !name || json) return status;
  printf("\nOther keys of 'workload:', for messages:\n");
  const ripstop_option *option = ripstop_workload_options;
  while (option->positional) option++; /* the jobs themselves */
  ripstop_options_help(stdout, option);
  return status;
}

int ripstop_cmd_patterns(int argc, char **argv) {
  const char *name = NULL;
  bool json = false;
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {.command = "patterns",
                               .arguments = "[PATTERN]",
                               .summary = "Lists the patterns of traffic, or explains one.",
                               .at_most = 1,
                               .flags = flags};
  return show(&usage, "pattern", pattern_at, argc, argv, &name, &json);
}
