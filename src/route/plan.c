/* plan.c - the registry of methods, and the life of a plan: open, compile again after a change, free.
 *
 * A compilation has two steps, since a protocol needs little of the data of proofs and tables: `plan` always, and
 * `tables` on request.
 *
 * Invariant: plan->data and all memory of `plan` belong to plan->arena, which is emptied before each compilation;
 * plan->config belongs to plan->keep, or to the plan that this one was made from. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/registry.h"
#include "ripstop/plugin/method.h"
#include "route/load.h"
#include "route/plan_steps.h"

static ripstop_plugin own_at(size_t i) {
  return ripstop_own_methods ? RIPSTOP_PLUGIN(ripstop_own_methods[i]) : (ripstop_plugin){0};
}

/* Built-in methods come first, so a name in both lists means the built-in one. */
static ripstop_plugin method_at(size_t i) {
  size_t built_in = 0;
  while (built_in < i && ripstop_methods[built_in]) built_in++;
  return ripstop_methods[built_in] ? RIPSTOP_PLUGIN(ripstop_methods[built_in]) : own_at(i - built_in);
}
static const ripstop_registry methods = {"method", RIPSTOP_METHOD_ABI, method_at};

const ripstop_method *ripstop_method_find(const char *name, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return ripstop_registry_find(&methods, name, length, err);
}

static const ripstop_method *read_spec(ripstop_arena *arena, const char *spec, void **config, ripstop_error *err) {
  return ripstop_registry_open(&methods, arena, spec, config, err);
}

const ripstop_method *ripstop_method_load(ripstop_arena *arena, const ripstop_fabric *fabric, const char *spec,
                                          void **config, ripstop_answer *answer, ripstop_error *err) {
  const ripstop_method *method = read_spec(arena, spec, config, err);
  *answer = RIPSTOP_ERROR;
  if (!method) return NULL;
  *answer = method->load ? method->load(arena, fabric, *config, err) : RIPSTOP_APPLIES;
  return *answer == RIPSTOP_APPLIES ? method : NULL;
}

static const char *print_spec(ripstop_arena *arena, const ripstop_method *method, const void *config) {
  RIPSTOP_LOCAL_TEXT(options);
  ripstop_options_print(&options, method->options, config);
  const char *spec = options.length ? ripstop_arena_printf(arena, "%s:%s", method->name, options.data)
                                    : ripstop_arena_text(arena, method->name);
  return spec;
}

int ripstop_method_beside(ripstop_arena *arena, const char *spec, const char *beside, const char **canonical,
                          const char **opens, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  void *config, *opened;
  const ripstop_method *method = read_spec(arena, spec, &config, err);
  if (!method || !read_spec(arena, spec, &opened, err)) return -1;
  if (method->name_files && method->name_files(arena, beside, config, opened, err)) return -1;
  *canonical = print_spec(arena, method, config);
  *opens = print_spec(arena, method, opened);
  return 0;
}

int ripstop_method_canonical(ripstop_arena *arena, const char *spec, const char **canonical, ripstop_error *err) {
  const char *opens;
  return ripstop_method_beside(arena, spec, NULL, canonical, &opens, err);
}

static const char *asked_or_own(const char *asked, const char *own, const char *otherwise) {
  if (asked && strcmp(asked, RIPSTOP_OF_METHOD) != 0) return asked;
  return own ? own : otherwise;
}

const char *ripstop_method_selection(const ripstop_method *method, const char *asked) {
  return asked_or_own(asked, method->selection, RIPSTOP_SELECTION);
}

const char *ripstop_method_escape(const ripstop_method *method, const char *asked) {
  return asked_or_own(asked, method->escape, RIPSTOP_ESCAPE);
}

/* Options are separated by commas. */
static bool has_option(const char *canonical, const char *option) {
  const size_t length = strlen(option);
  for (const char *at = strpbrk(canonical, ":,"); at; at = strpbrk(at, ":,"))
    if (!strncmp(++at, option, length) && (at[length] == ',' || !at[length])) return true;
  return false;
}

const char *ripstop_method_preset(const ripstop_method *method, const char *canonical) {
  if (!method->preset || (method->plain_with && has_option(canonical, method->plain_with))) return RIPSTOP_PRESET;
  return method->preset;
}

/* Most methods require links that carry packets in both directions. */
static ripstop_answer compile_here(ripstop_plan *plan, ripstop_error *err) {
  if (!plan->fabric->one_way || plan->method->one_way) return plan->method->plan(plan, err);
  return ripstop_does_not_apply(
      err, "method %s does not apply to %s: it has links that carry packets in one direction alone", plan->method->name,
      plan->fabric->spec);
}

ripstop_answer ripstop_plan_recompile(ripstop_plan *plan, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  ripstop_arena_clear(plan->arena);
  plan->data = NULL;
  plan->note = NULL;
  plan->channels = 1;
  plan->candidates_max = 1;
  plan->transit_packets = 0;
  plan->control_flits = 0;
  plan->control_first = false;
  plan->control_order = RIPSTOP_CONTROL_ARRIVAL;
  plan->choose_early = false;
  plan->bubble = plan->informs = false;
  plan->by_node = false;
  plan->classes = 1;
  plan->random_headers = 1;
  plan->applies = plan->has_tables = false;
  ripstop_answer answer = compile_here(plan, err);
  bool fits = plan->classes >= 1 && plan->classes <= RIPSTOP_CLASSES_MAX;
  plan->applies = answer == RIPSTOP_APPLIES && fits && plan->random_headers;
  plan->has_tables = plan->applies && !plan->method->tables;
  if (answer != RIPSTOP_APPLIES || plan->applies) return answer;
  if (fits)
    ripstop_fail(err, "method %s: the number of random headers must be positive", plan->method->name);
  else
    ripstop_fail(err, "method %s: %u traffic classes; 1 to %d are allowed", plan->method->name, plan->classes,
                 RIPSTOP_CLASSES_MAX);
  return RIPSTOP_ERROR;
}

ripstop_answer ripstop_plan_tables(ripstop_plan *plan, ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  if (plan->has_tables) return RIPSTOP_APPLIES;
  if (!plan->applies)
    return ripstop_does_not_apply(err, "method %s: no tables, since it does not apply here", plan->method->name);
  ripstop_answer answer = plan->method->tables(plan, err);
  plan->has_tables = answer == RIPSTOP_APPLIES;
  return answer;
}

int ripstop_plan_check_tables(const ripstop_plan *plan, ripstop_error *err) {
  return plan->has_tables
             ? 0
             : ripstop_fail(err, "method %s: its tables have not been made (ripstop_plan_tables)", plan->method->name);
}

/* Returns NULL and keeps no memory if the method does not apply. */
static ripstop_plan *compile(ripstop_arena *keep, const ripstop_method *method, const void *config,
                             const ripstop_view *view, ripstop_answer *answer, ripstop_error *err) {
  ripstop_plan *plan = RIPSTOP_NEW(keep, ripstop_plan);
  *plan = (ripstop_plan){.method = method, .config = config, .view = view, .fabric = view->fabric, .keep = keep};
  plan->arena = ripstop_arena_new();
  ripstop_answer result = ripstop_plan_recompile(plan, err);
  if (answer) *answer = result;
  if (result == RIPSTOP_APPLIES) return plan;
  ripstop_plan_free(plan);
  return NULL;
}

ripstop_plan *ripstop_plan_compile(const ripstop_view *view, const char *spec, ripstop_answer *answer,
                                   ripstop_error *err) {
  if (answer) *answer = RIPSTOP_ERROR;
  if (!view) return NULL;
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *keep = ripstop_arena_new();
  void *config;
  ripstop_answer loaded;
  const ripstop_method *method = ripstop_method_load(keep, view->fabric, spec, &config, &loaded, err);
  if (method) return compile(keep, method, config, view, answer, err);
  if (answer) *answer = loaded;
  ripstop_arena_free(keep);
  return NULL;
}

ripstop_plan *ripstop_plan_for(const ripstop_plan *like, const ripstop_view *view, ripstop_answer *answer,
                               ripstop_error *err) {
  if (answer) *answer = RIPSTOP_ERROR;
  RIPSTOP_GUARD(err, NULL);
  return compile(ripstop_arena_new(), like->method, like->config, view, answer, err);
}

/* ------------------------------------------------------------------ both steps, for users */

ripstop_plan *ripstop_plan_open(const ripstop_view *view, const char *method, ripstop_answer *answer,
                                ripstop_error *err) {
  ripstop_plan *plan = ripstop_plan_compile(view, method, answer, err);
  const ripstop_answer made = plan ? ripstop_plan_tables(plan, err) : RIPSTOP_APPLIES;
  if (made == RIPSTOP_APPLIES) return plan;
  if (answer) *answer = made;
  ripstop_plan_free(plan);
  return NULL;
}

ripstop_plan *ripstop_plan_of(const char *fabric, const char *failed, const char *method, ripstop_error *err) {
  ripstop_fabric *own = ripstop_fabric_open(fabric, err);
  ripstop_view *view = ripstop_view_open(own, failed, err);
  ripstop_plan *plan = ripstop_plan_open(view, method, NULL, err);
  if (plan) {
    plan->own_view = view;
    return plan;
  }
  ripstop_view_free(view);
  ripstop_fabric_free(own);
  return NULL;
}

ripstop_answer ripstop_plan_update(ripstop_plan *plan, ripstop_error *err) {
  const ripstop_answer answer = ripstop_plan_recompile(plan, err);
  return answer == RIPSTOP_APPLIES ? ripstop_plan_tables(plan, err) : answer;
}

const ripstop_fabric *ripstop_plan_fabric(const ripstop_plan *plan) { return plan->fabric; }
const ripstop_view *ripstop_plan_view(const ripstop_plan *plan) { return plan->view; }
uint32_t ripstop_plan_channels(const ripstop_plan *plan) { return plan->channels; }
const char *ripstop_plan_note(const ripstop_plan *plan) { return plan->note; }

/* A fabric is const to all but its owner, who is the plan here. */
static void free_own(ripstop_view *view) {
  if (!view) return;
  ripstop_fabric *fabric = (ripstop_fabric *)view->fabric;
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

void ripstop_plan_free(ripstop_plan *plan) {
  if (!plan) return;
  ripstop_arena *keep = plan->keep;
  ripstop_view *own_view = plan->own_view;
  ripstop_arena_free(plan->arena);
  ripstop_arena_free(keep);
  free_own(own_view);
}
