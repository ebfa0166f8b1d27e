/* plan.c - the registry of methods and the life of a plan: open, compile anew after a change, free.
 *
 * Invariant: plan->data and all that `plan` allocates hang from plan->arena, which is emptied before each compilation;
 * plan->config hangs from plan->keep. */
#include "ripstop/plan.h"

#include <string.h>

const rs_method *rs_method_find(const char *name, size_t length, rs_error *err) {
  size_t count = 0;
  while (rs_methods[count]) count++;
  rs_arena *scratch = rs_arena_new();
  const char **names = RS_ARRAY(scratch, count + 1, const char *);
  const rs_method *found = NULL;
  for (size_t i = 0; i < count; i++) {
    names[i] = rs_methods[i]->name;
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) found = rs_methods[i];
  }
  if (!found) {
    char text[RS_NAME_MAX];
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), name);
    const char *near = rs_nearest_word(text, names);
    rs_fail(err, "method '%s' is unknown%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
  } else if (found->abi != RS_METHOD_ABI) {
    rs_fail(err, "method '%s' was built for interface %u, this is %d", found->name, found->abi, RS_METHOD_ABI);
    found = NULL;
  }
  rs_arena_free(scratch);
  return found;
}

static const rs_method *read_spec(rs_arena *arena, const char *spec, void **config, rs_error *err) {
  size_t length = strcspn(spec, ":");
  const rs_method *method = rs_method_find(spec, length, err);
  if (!method) return NULL;
  char owner[RS_NAME_MAX];
  snprintf(owner, sizeof owner, "method %s", method->name);
  *config = rs_arena_array(arena, 1, method->config_size + 1);
  if (rs_options_parse(arena, owner, method->options, *config, spec[length] ? spec + length + 1 : NULL, err))
    return NULL;
  return method;
}

int rs_method_canonical(rs_arena *arena, const char *spec, const char **canonical, rs_error *err) {
  void *config;
  const rs_method *method = read_spec(arena, spec, &config, err);
  if (!method) return -1;
  rs_text options = {0};
  rs_options_print(&options, method->options, config);
  *canonical =
      options.length ? rs_arena_printf(arena, "%s:%s", method->name, options.data) : rs_arena_text(arena, method->name);
  rs_text_free(&options);
  return 0;
}

rs_answer rs_plan_update(rs_plan *plan, rs_error *err) {
  rs_arena_free(plan->arena);
  plan->arena = rs_arena_new();
  plan->data = NULL;
  plan->channels = 1;
  plan->ways_max = 1;
  plan->guests = 0;
  plan->choose_early = false;
  plan->classes = 1;
  rs_answer answer = plan->method->plan(plan, err);
  if (answer != RS_APPLIES || (plan->classes >= 1 && plan->classes <= RS_CLASSES_MAX)) return answer;
  rs_fail(err, "method %s: %u traffic classes; 1 to %d may be", plan->method->name, plan->classes, RS_CLASSES_MAX);
  return RS_ERROR;
}

rs_plan *rs_plan_open(const rs_view *view, const char *spec, rs_answer *answer, rs_error *err) {
  rs_arena *keep = rs_arena_new();
  void *config;
  const rs_method *method = read_spec(keep, spec, &config, err);
  rs_answer result = RS_ERROR;
  rs_plan *plan = NULL;
  if (method) {
    plan = RS_NEW(keep, rs_plan);
    *plan = (rs_plan){.method = method, .config = config, .view = view, .fabric = view->fabric, .keep = keep};
    result = rs_plan_update(plan, err);
  }
  if (answer) *answer = result;
  if (result == RS_APPLIES) return plan;
  if (plan) rs_arena_free(plan->arena);
  rs_arena_free(keep);
  return NULL;
}

void rs_plan_free(rs_plan *plan) {
  if (!plan) return;
  rs_arena *keep = plan->keep;
  rs_arena_free(plan->arena);
  rs_arena_free(keep);
}
