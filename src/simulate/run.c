/* run.c - begins, ends and fails a run. The first failure is the one with the smallest (cycle, node, queue),
 * independent of the order of work. */
#include "simulate/state.h"

#include "faults/schedule.h"
#include "simulate/open.h"
#include "simulate/reconfiguration.h"

static bool is_before(const first_failure *a, const first_failure *b) {
  if (a->cycle != b->cycle) return a->cycle < b->cycle;
  if (a->step != b->step) return a->step < b->step;
  return a->node != b->node ? a->node < b->node : a->queue < b->queue;
}

ripstop_error *run_fail(run *r, uint32_t node, uint32_t number) {
  part *t = part_of(r, node);
  first_failure this = {.cycle = t->now, .step = t->decides, .node = node, .queue = number};
  if (!is_before(&this, &t->failure)) return NULL;
  t->failure = this;
  return &t->failure.error;
}

const first_failure *run_first_failure(const run *r) {
  const first_failure *first = &r->part->failure;
  for (uint32_t i = 1; i < r->shape->parts; i++)
    if (is_before(&r->part[i].failure, first)) first = &r->part[i].failure;
  return first;
}

int run_report(const run *r, ripstop_error *err) {
  *err = run_first_failure(r)->error;
  return -1;
}

const first_loss *run_first_loss(const run *r) {
  const first_loss *first = &r->part->first_loss;
  for (uint32_t i = 1; i < r->shape->parts; i++) {
    const first_loss *own = &r->part[i].first_loss;
    if (own->cycle < first->cycle || (own->cycle == first->cycle && own->queue < first->queue)) first = own;
  }
  return first;
}

uint64_t run_events(const run *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++) sum += r->part[i].wheel.posted;
  return sum;
}

uint64_t run_hops(const run *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++) sum += r->part[i].measure.hops;
  return sum;
}

bool is_look(const run *r) {
  uint32_t next = r->part->now + 1;
  return next % (uint32_t)r->config->measure.check == 0 || next >= r->end;
}

void run_give_up(run *r, const ripstop_error *why) {
  ripstop_error *first = run_fail(r, 0, 0);
  if (first) *first = *why;
}

/* A call that ran out of memory has freed what it made. */
void run_free(run *r) {
  if (r->keeps_own) {
    ripstop_plan_free(r->own_plan);
    ripstop_view_free(r->own_view);
  }
  for (uint32_t i = 0; r->shape && i < r->shape->parts; i++) ripstop_arena_free(r->part[i].more);
  ripstop_arena_free(r->arena);
}

/* Checks rates that a program has set; the parser checks those of texts. */
static int check_rates(const ripstop_view *view, ripstop_error *err) {
  for (uint32_t link = 0; view->link_rate && link < view->fabric->links; link++)
    if (view->link_rate[link] < RIPSTOP_RATE_LEAST || view->link_rate[link] > RIPSTOP_RATE_FULL)
      return ripstop_fail(err, "link %u has a rate of %u: links have %d to %d thousandths", link, view->link_rate[link],
                          RIPSTOP_RATE_LEAST, RIPSTOP_RATE_FULL);
  return 0;
}

run *run_new(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err) {
  if ((scenario->schedule && ripstop_schedule_fits(scenario->schedule, plan->fabric, err)) ||
      check_rates(plan->view, err) || stop_applies(&scenario->reconfiguration, plan, err) != RIPSTOP_APPLIES)
    return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  run *r = RIPSTOP_NEW(arena, run);
  *r = (run){
      .scenario = *scenario, .fabric = plan->fabric, .view = plan->view, .plan = plan, .arena = arena, .threads = 1};
  r->config = &r->scenario;
  if (run_open(r, err) == 0) return r;
  run_free(r);
  return NULL;
}
