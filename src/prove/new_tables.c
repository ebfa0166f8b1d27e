/* new_tables.c - repairs old tables or makes new ones, and judges them. */
#include "prove/new_tables.h"

#include "base/memory.h"
#include "base/team.h"
#include "ripstop/kit/repair.h"
#include "route/plan_steps.h"
#include "tables/of_plan.h"

typedef struct maker {
  const ripstop_new_tables_settings *settings;
  ripstop_new_tables *out;
  ripstop_arena *arena;
  ripstop_plan *bubble; /* decides on deadlock; NULL: the tables do */
} maker;

/* *bubble (NULL: not requested): the plan, to be freed, if the tables do not decide on deadlock. */
static int plan_tables(maker *m, ripstop_forwarding **out, ripstop_plan **bubble, ripstop_error *err) {
  const ripstop_new_tables_settings *s = m->settings;
  ripstop_answer answer = RIPSTOP_ERROR;
  ripstop_plan *plan = ripstop_plan_compile(s->view, s->method, &answer, err);
  if (!plan) return -1;
  answer = ripstop_plan_tables(plan, err);
  m->out->untabled = answer == RIPSTOP_DOES_NOT_APPLY;
  if (answer == RIPSTOP_APPLIES && !plan->note) *out = ripstop_forwarding_take(plan);
  if (*out) return 0;
  if (answer == RIPSTOP_APPLIES) *out = ripstop_forwarding_of_plan(plan, s->entries, &answer, err);
  if (*out) answer = ripstop_forwarding_add_lanes(plan, *out, err);
  if (*out && plan->note) m->out->note = ripstop_arena_text(m->arena, plan->note);
  if (bubble && plan->bubble)
    *bubble = plan;
  else
    ripstop_plan_free(plan);
  return answer == RIPSTOP_APPLIES ? 0 : -1;
}

static void repair_old(maker *m) {
  ripstop_new_tables *o = m->out;
  ripstop_answer answer;
  ripstop_error why;
  o->tables = ripstop_plan_repair(m->settings->view, m->settings->method, m->settings->old, &o->seconds, &answer, &why);
  o->repaired = o->tables != NULL;
  o->why = o->repaired ? NULL : ripstop_arena_text(m->arena, why.text);
}

/* Files have an entry for every LID of a port; tables that are alike for them have one, so a second repair may work. */
static int make(maker *m, ripstop_error *err) {
  ripstop_new_tables *o = m->out;
  const bool from_old = m->settings->old && !m->settings->from_scratch;
  if (from_old) repair_old(m);
  if (from_old && !o->repaired && ripstop_forwarding_fold(m->settings->old)) repair_old(m);
  if (o->repaired) return 0;
  const double begin = ripstop_thread_seconds();
  const int status = plan_tables(m, &o->tables, &m->bubble, err);
  o->seconds = ripstop_thread_seconds() - begin;
  return status;
}

/* For comparison with repaired tables. */
static int judge_scratch(maker *m, ripstop_error *err) {
  ripstop_forwarding *tables = NULL;
  int status = plan_tables(m, &tables, NULL, err);
  if (!status) status = ripstop_judge(m->arena, m->settings->view, tables, NULL, &m->out->scratch, err);
  ripstop_forwarding_free(tables);
  return status;
}

static int decide_new_tables(const maker *m, ripstop_error *err) {
  const bool loop = m->out->now.credit_loop;
  ripstop_plan_waits waits = {.verdict = ripstop_deadlock_of_tables(loop)};
  if (m->bubble && ripstop_plan_deadlock(m->arena, m->bubble, loop, true, &waits, err)) return -1;
  m->out->deadlock = waits.verdict;
  return 0;
}

static int judge(maker *m, ripstop_error *err) {
  const ripstop_view *view = m->settings->view;
  ripstop_forwarding *old = m->settings->old;
  ripstop_new_tables *o = m->out;
  if (old && ripstop_judge(m->arena, view, old, NULL, &o->before, err)) return -1;
  if (ripstop_judge(m->arena, view, o->tables, NULL, &o->now, err) || decide_new_tables(m, err)) return -1;
  if (o->repaired && judge_scratch(m, err)) return -1;
  o->minimum_hops = ripstop_judge_minimum_hops(view);
  o->addresses = ripstop_forwarding_most(o->tables);
  o->bound = ripstop_judge_bound(view, o->addresses, (o->now.worst + o->now.unit - 1) / o->now.unit);
  if (o->addresses > 1 && ripstop_judge_spread(view, o->tables, &o->spread, err)) return -1;
  return old ? ripstop_judge_update(view, old, o->tables, &o->update, err) : 0;
}

int ripstop_new_tables_make(ripstop_arena *arena, const ripstop_new_tables_settings *settings, ripstop_new_tables *out,
                            ripstop_error *err) {
  *out = (ripstop_new_tables){0};
  maker m = {.settings = settings, .out = out, .arena = arena};
  const int status = make(&m, err) || judge(&m, err) ? -1 : 0;
  ripstop_plan_free(m.bubble);
  return status;
}

void ripstop_new_tables_free(ripstop_new_tables *t) {
  ripstop_forwarding_free(t->update.between);
  ripstop_forwarding_free(t->tables);
}
