/* faults.c - `ripstop faults [PROCESS]`: the processes by which parts fail and are repaired, one process's options, and
 * with --fabric the schedule that it draws there. Everything comes from the registry, so a new file in
 * src/faults/processes/ is listed by existing. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "ripstop/plugin/process.h"

static void list_processes(void) {
  int widest = 0;
  for (const ripstop_process *const *p = ripstop_processes; *p; p++)
    if ((int)strlen((*p)->name) > widest) widest = (int)strlen((*p)->name);
  for (const ripstop_process *const *p = ripstop_processes; *p; p++)
    printf("%-*s  %s\n", widest, (*p)->name, (*p)->summary);
}

static void explain(const ripstop_process *process, const char *title) {
  printf("%s\n  summary  %s\n", title, process->summary);
  if (process->example) printf("  example  %s:%s\n", process->name, process->example);
  printf("\nOptions:\n");
  ripstop_options_help(stdout, process->options);
}

static json_t *process_json(const ripstop_process *p) {
  json_t *out = json_pack("{s:s, s:s, s:o}", "name", p->name, "summary", p->summary, "options",
                          ripstop_cli_json_options(p->options));
  if (p->example) json_object_set_new(out, "example", json_string(p->example));
  return out;
}

static void list_json(void) {
  json_t *list = json_array();
  for (const ripstop_process *const *p = ripstop_processes; *p; p++) json_array_append_new(list, process_json(*p));
  ripstop_cli_json_print(list);
}

/* A name alone has no options, although some may be required; otherwise they are checked, and printed with the
 * others. */
static int show_one(const char *spec, bool json) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_ARENA(arena);
  const ripstop_process *process = ripstop_process_find(spec, strcspn(spec, ":"), &err);
  const char *title = process && strchr(spec, ':') ? ripstop_process_canonical(arena, spec, &err)
                      : process                    ? process->name
                                                   : NULL;
  if (title && json) ripstop_cli_json_print(process_json(process));
  if (title && !json) explain(process, title);
  return title ? RIPSTOP_EXIT_OK : ripstop_cli_fail(&err);
}

/* A change a line: a file that an experiment can name as its schedule. */
static void print_changes(const ripstop_fabric *fabric, const ripstop_rule *rule, const ripstop_schedule *schedule) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_schedule_print(&text, fabric, schedule);
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] == ' ') text.data[i] = '\n';
  printf("# %s on %s: %zu changes\n%s%s", rule->spec, fabric->spec, schedule->count, text.data,
         schedule->count ? "\n" : "");
}

static void changes_json(const ripstop_fabric *fabric, const ripstop_rule *rule, const ripstop_schedule *schedule) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_schedule_print(&text, fabric, schedule);
  json_t *changes = json_array();
  for (char *rest = NULL, *at = schedule->count ? strtok_r(text.data, " ", &rest) : NULL; at;
       at = strtok_r(NULL, " ", &rest))
    json_array_append_new(changes, ripstop_json_text(at));
  ripstop_cli_json_print(json_pack("{s:o, s:o, s:o}", "process", ripstop_json_text(rule->spec), "fabric",
                                   ripstop_json_text(fabric->spec), "changes", changes));
}

typedef struct head_request {
  const char *spec, *fabric, *set;
  uint64_t seed, sample;
  bool json;
} head_request;

static int show_schedule(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_names *names,
                         const head_request *w, ripstop_error *err) {
  ripstop_faults dead = {0};
  ripstop_rule rule;
  ripstop_schedule schedule;
  if (w->set && ripstop_faults_parse(arena, names, w->set, strlen(w->set), &dead, err))
    return ripstop_fail_at(err, "faults: --set");
  if (ripstop_rule_open(arena, names, w->spec, NULL, &rule, err)) return -1;
  if (ripstop_rule_sample(arena, fabric, &dead, &rule, w->seed, w->sample, &schedule, err)) return -1;
  (w->json ? changes_json : print_changes)(fabric, &rule, &schedule);
  return 0;
}

static int draw(const head_request *w) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(w->fabric, &err);
  if (!fabric) return ripstop_cli_fail(&err);
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_names *names = ripstop_names_new(fabric);
  int status = show_schedule(arena, fabric, names, w, &err);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  return status ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
}

int ripstop_cmd_faults(int argc, char **argv) {
  head_request w = {.seed = 1};
  const ripstop_flag flags[] = {
      CLI_TEXT("fabric", "SPEC", &w.fabric, "Print what the process draws on this fabric."),
      CLI_INTEGER("seed", "S", &w.seed, "Of what is drawn; default 1.", .needs = "fabric"),
      CLI_INTEGER("sample", "I", &w.sample, "Which sample of an experiment; default 0.", .most = UINT32_MAX,
                  .needs = "fabric"),
      CLI_TEXT("set", "LINE", &w.set, "Parts that have failed from the start, e.g. '0/2.1/3 switch:2/0.0'.",
               .needs = "fabric"),
      CLI_SWITCH("json", &w.json, "Print JSON."),
      {0},
  };
  const ripstop_usage usage = {.command = "faults",
                               .arguments = "[PROCESS[:OPTIONS]]",
                               .summary = "Lists the processes by which parts fail, explains one, or draws a schedule.",
                               .at_least = 0,
                               .at_most = 1,
                               .flags = flags};
  int status = ripstop_cli_parse(&usage, argc, argv, &w.spec, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  if (w.fabric && !w.spec) return ripstop_fail(&err, "faults: --fabric goes with a process"), ripstop_cli_fail(&err);
  if (w.fabric) return draw(&w);
  if (w.spec) return show_one(w.spec, w.json);
  (w.json ? list_json : list_processes)();
  return RIPSTOP_EXIT_OK;
}
