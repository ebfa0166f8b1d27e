/* methods.c - `ripstop methods [METHOD]`: the routing methods, one method's options and losses, and with --fabric what
 * they promise there. Everything comes from the registry, so a new file in src/methods/ is listed by existing. */
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "ripstop/kit/deadlock.h"
#include "ripstop/plugin/method.h"

/* A method spec on a fault-free fabric. */
typedef struct promise {
  ripstop_answer answer;
  ripstop_error why; /* unless it applies */
  uint32_t channels;
  bool bubble; /* it requires bubble flow control */
  ripstop_guarantees guarantees;
} promise;

static promise ask(const ripstop_fabric *fabric, const char *spec) {
  promise p = {.answer = RIPSTOP_ERROR};
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, spec, &p.answer, &p.why);
  if (plan != NULL) {
    p.channels = plan->channels;
    p.bubble = plan->bubble;
    plan->method->guarantees(fabric, plan->config, &p.guarantees);
  }
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return p;
}

static const char *yes_no(bool yes) { return yes ? "yes" : "no"; }

/* ------------------------------------------------------------------ all methods */

static int widest_name(void) {
  size_t widest = 0;
  for (const ripstop_method *const *m = ripstop_methods; *m != NULL; m++)
    if (strlen((*m)->name) > widest) widest = strlen((*m)->name);
  return (int)widest;
}

static void list_methods(void) {
  for (const ripstop_method *const *m = ripstop_methods; *m != NULL; m++)
    printf("%-*s  %s\n", widest_name(), (*m)->name, (*m)->summary);
}

static void list_promises(const ripstop_fabric *fabric) {
  int widest = widest_name();
  printf("%s\n\n%-*s  channels  tolerates  minimal  no deadlock\n", fabric->spec, widest, "method");
  for (const ripstop_method *const *m = ripstop_methods; *m != NULL; m++) {
    promise p = ask(fabric, (*m)->name);
    printf("%-*s  ", widest, (*m)->name);
    if (p.answer != RIPSTOP_APPLIES)
      printf("%s\n", p.why.text);
    else
      printf("%8u  %9u  %7s  %11s\n", p.channels, p.guarantees.tolerates, yes_no(p.guarantees.minimal),
             yes_no(p.guarantees.deadlock_free));
  }
}

static json_t *subfunctions_json(const ripstop_method *m) {
  json_t *list = json_array();
  for (const ripstop_subfunction *s = m->subfunctions; s && s->name; s++)
    json_array_append_new(list, json_string(s->name));
  return list;
}

/* `fabric` may be NULL. */
static json_t *method_json(const ripstop_method *m, const char *spec, const char *canonical,
                           const ripstop_fabric *fabric) {
  json_t *losses = json_array();
  for (const char *const *loss = m->losses; *loss != NULL; loss++) json_array_append_new(losses, json_string(*loss));
  json_t *out =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "name", m->name, "summary", m->summary, "source", m->source,
                "preset", ripstop_method_preset(m, canonical), "selection", ripstop_method_selection(m, NULL), "escape",
                ripstop_method_escape(m, NULL), "options", ripstop_cli_json_options(m->options), "losses", losses);
  json_object_set_new(out, "subfunctions", subfunctions_json(m));
  if (fabric == NULL) return out;
  promise p = ask(fabric, spec);
  json_object_set_new(out, "fabric", ripstop_json_text(fabric->spec));
  json_object_set_new(out, "applies", json_boolean(p.answer == RIPSTOP_APPLIES));
  if (p.answer != RIPSTOP_APPLIES) json_object_set_new(out, "why", ripstop_json_text(p.why.text));
  if (p.answer != RIPSTOP_APPLIES) return out;
  json_object_set_new(out, "channels", json_integer(p.channels));
  json_object_set_new(out, "tolerates", json_integer(p.guarantees.tolerates));
  json_object_set_new(out, "minimal", json_boolean(p.guarantees.minimal));
  json_object_set_new(out, "no_deadlock", json_boolean(p.guarantees.deadlock_free));
  json_object_set_new(out, "flow_control", json_string(ripstop_flow_control_words[p.bubble]));
  json_object_set_new(out, "symmetric", json_boolean(p.guarantees.symmetric));
  return out;
}

static void print_json(const ripstop_fabric *fabric) {
  json_t *list = json_array();
  for (const ripstop_method *const *m = ripstop_methods; *m != NULL; m++)
    json_array_append_new(list, method_json(*m, (*m)->name, (*m)->name, fabric)); /* default options */
  ripstop_cli_json_print(list);
}

/* ------------------------------------------------------------------ one method */

/* For `prove --subfunction`. */
static void print_subfunctions(const ripstop_method *method) {
  if (!method->subfunctions) return;
  printf("\nRouting subfunctions:\n");
  for (const ripstop_subfunction *s = method->subfunctions; s->name; s++) printf("  %-8s %s\n", s->name, s->help);
}

static void explain(const ripstop_method *method, const char *canonical) {
  const bool other = method->plain_with && method->preset == ripstop_method_preset(method, canonical);
  printf("%s\n  summary    %s\n  source     %s\n  preset     %s%s%s%s\n  selection  %s\n  escape     %s\n  canonical  "
         "%s\n",
         method->name, method->summary, method->source, ripstop_method_preset(method, canonical),
         other ? " (" RIPSTOP_PRESET " with " : "", other ? method->plain_with : "", other ? ")" : "",
         ripstop_method_selection(method, NULL), ripstop_method_escape(method, NULL), canonical);
  printf("\nOptions%s\n", method->options->name != NULL ? ":" : ": none");
  ripstop_options_help(stdout, method->options);
  print_subfunctions(method);
  printf("\nA packet is lost for:\n");
  for (const char *const *loss = method->losses; *loss != NULL; loss++) printf("  %s\n", *loss);
}

static void print_promise(const ripstop_fabric *fabric, const promise *p) {
  printf("\nOn %s:\n", fabric->spec);
  if (p->answer != RIPSTOP_APPLIES) {
    printf("  does not apply: %s\n", p->why.text);
    return;
  }
  printf("  channels     %u\n  tolerates    %u failed links between switches, whichever they are\n", p->channels,
         p->guarantees.tolerates);
  printf("  minimal      %s\n  no deadlock  %s, with %s\n", yes_no(p->guarantees.minimal),
         yes_no(p->guarantees.deadlock_free), ripstop_flow_control_words[p->bubble]);
  printf("  symmetric    %s\n", yes_no(p->guarantees.symmetric));
}

static int show_one(const char *spec, const ripstop_fabric *fabric, bool json) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_ARENA(arena);
  const char *canonical;
  promise p = {.answer = RIPSTOP_APPLIES};
  int status = ripstop_method_canonical(arena, spec, &canonical, &err);
  if (status == 0 && fabric != NULL) {
    p = ask(fabric, spec);
    if (p.answer == RIPSTOP_ERROR) status = ripstop_fail(&err, "%s", p.why.text);
  }
  if (status == 0 && json)
    ripstop_cli_json_print(method_json(ripstop_method_find(spec, strcspn(spec, ":"), &err), spec, canonical, fabric));
  if (status == 0 && !json) {
    explain(ripstop_method_find(spec, strcspn(spec, ":"), &err), canonical);
    if (fabric != NULL) print_promise(fabric, &p);
  }
  return status == 0 ? RIPSTOP_EXIT_OK : ripstop_cli_fail(&err);
}

/* ------------------------------------------------------------------ the command */

static void explain_guarantees(FILE *file) {
  fprintf(file,
          "\nWith --fabric, what a method guarantees there, and the tests hold it to:\n"
          "  channels     virtual channels on every link\n"
          "  tolerates    every packet is delivered, whatever is chosen, with so many failed links between switches\n"
          "  minimal      never a hop more than the least without faults\n"
          "  no deadlock  with at most as many failed links, on so many channels\n"
          "  symmetric    relabelling the fabric changes no verdict; 'prove' takes one set for all that are alike\n");
}

int ripstop_cmd_methods(int argc, char **argv) {
  const char *spec = NULL, *fabric_spec = NULL;
  bool json = false;
  const ripstop_flag flags[] = {
      CLI_TEXT("fabric", "SPEC", &fabric_spec, "Print what is claimed on this fabric."),
      CLI_SWITCH("json", &json, "Print JSON."),
      {0},
  };
  const ripstop_usage usage = {.command = "methods",
                               .arguments = "[METHOD[:OPTIONS]]",
                               .summary = "Lists the routing methods, or explains one.",
                               .at_least = 0,
                               .at_most = 1,
                               .flags = flags,
                               .more = explain_guarantees};
  int status = ripstop_cli_parse(&usage, argc, argv, &spec, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  ripstop_fabric *fabric = NULL;
  if (fabric_spec != NULL && (fabric = ripstop_fabric_open(fabric_spec, &err)) == NULL) return ripstop_cli_fail(&err);
  if (spec != NULL)
    status = show_one(spec, fabric, json);
  else if (json)
    print_json(fabric), status = RIPSTOP_EXIT_OK;
  else if (fabric != NULL)
    list_promises(fabric), status = RIPSTOP_EXIT_OK;
  else
    list_methods(), status = RIPSTOP_EXIT_OK;
  ripstop_fabric_free(fabric);
  return status;
}
