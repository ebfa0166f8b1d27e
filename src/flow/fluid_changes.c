/* fluid_changes.c - changes of the fabric and the plans that follow them.
 *
 * A change of a rate counts at once. A pair with a share on a link that fails stands still, all of it, and keeps what
 * is left of its messages. `flow.reaction` cycles after each change the method compiles a plan for the parts that are
 * up at that time. Then all pairs follow it, and those that stood still go on if they have a path. */
#include "flow/timeline.h"
#include "route/plan_steps.h"

static const ripstop_schedule none = {0};

static const ripstop_schedule *schedule_of(const timeline *t) {
  const ripstop_schedule *schedule = t->run->simulation.schedule;
  return schedule ? schedule : &none;
}

/* INFINITY: there are not so many changes. */
static double cycle_of(const ripstop_schedule *all, size_t change) {
  return change < all->count ? (double)all->change[change].cycle : HUGE_VAL;
}

double fluid_changes_next(const timeline *t) {
  const ripstop_schedule *all = schedule_of(t);
  return fmin(cycle_of(all, t->changed), cycle_of(all, t->planned) + (double)t->config->reaction);
}

bool fluid_changes_block(const timeline *t, uint32_t number) {
  const stream *s = &t->fluid.stream[number];
  if (!t->pair[number].links) return true;
  if (!t->broken) return false;
  for (uint32_t i = s->first; i < s->first + s->crossings; i++)
    if (!t->view->port_up[t->fluid.crossing[i].channel]) return true;
  return false;
}

/* ------------------------------------------------------------------ links */

/* Pairs active on a channel stand still. */
static void stop_all_on(timeline *t, uint32_t port) {
  const fluid *f = &t->fluid;
  uint32_t count = 0;
  for (uint32_t i = f->channel[port].first; i != RIPSTOP_NONE; i = f->crossing[i].next)
    t->affected[count++] = f->crossing[i].stream;
  for (uint32_t i = 0; i < count; i++) sending_stop(t, t->affected[i]);
}

static void refresh_port(timeline *t, uint32_t port) {
  const uint32_t link = t->view->fabric->port_link[port];
  if (t->view->port_up[port])
    fluid_capacity(&t->fluid, port, ripstop_view_rate(t->view, link) / (double)RIPSTOP_RATE_FULL);
  else
    stop_all_on(t, port);
}

static void refresh_link(timeline *t, uint32_t link) {
  for (unsigned side = 0; side < 2; side++) refresh_port(t, t->view->fabric->link_port[2 * (size_t)link + side]);
}

static void refresh_switch(timeline *t, uint32_t node) {
  const ripstop_fabric *f = t->view->fabric;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->port_link[port] != RIPSTOP_NONE) refresh_link(t, f->port_link[port]);
}

static void change(timeline *t, const ripstop_change *c) {
  const uint32_t before = t->view->epoch;
  ripstop_view_apply(t->view, c);
  t->happened++;
  t->stale |= t->view->epoch != before;
  t->broken |= t->view->epoch != before && !c->up;
  if (c->is_switch)
    refresh_switch(t, c->id);
  else
    refresh_link(t, c->id);
}

/* ------------------------------------------------------------------ plans */

static bool has_path(const timeline *t, uint32_t number) {
  const stream_paths *p = &t->paths;
  const stream *s = &t->fluid.stream[number];
  if (s->crossings != p->count || (t->pair[number].links > 0) != (p->count > 0)) return false;
  const crossing *k = t->fluid.crossing; /* NULL while no stream crosses a channel */
  for (uint32_t i = 0; i < p->count; i++)
    if (k[s->first + i].channel != p->channel[i] || k[s->first + i].share != p->share[i]) return false;
  return true;
}

static int route_pair(timeline *t, uint32_t number) {
  pair *p = &t->pair[number];
  if (paths_find(&t->paths, p->source, p->destination, t->err)) return -1;
  if (!has_path(t, number)) {
    sending_stop(t, number);
    fluid_route(&t->fluid, number, t->paths.channel, t->paths.share, t->paths.count);
  }
  p->links = t->paths.count ? t->paths.links : 0;
  p->delays = t->paths.delays;
  return 0;
}

static int use_plan(timeline *t, const ripstop_plan *plan) {
  if (paths_plan(&t->paths, plan, t->err)) return -1;
  t->stale = t->broken = false;
  for (uint32_t i = 0; i < t->pairs; i++)
    if (route_pair(t, i)) return -1;
  for (uint32_t i = 0; i < t->pairs; i++) sending_resume(t, i);
  return 0;
}

/* The method that does not apply any more has no plan that could be followed. */
static int compile(timeline *t) {
  ripstop_answer answer;
  if (t->plan)
    answer = ripstop_plan_recompile(t->plan, t->err);
  else
    t->plan = ripstop_plan_for(t->first_plan, t->view, &answer, t->err);
  if (answer == RIPSTOP_APPLIES) answer = ripstop_plan_tables(t->plan, t->err);
  if (answer == RIPSTOP_APPLIES) return 0;
  return ripstop_fail_at(t->err, "in cycle %.0f", t->fluid.now);
}

/* Rates alone concern only paths that depend on rates. */
static int follow_plan(timeline *t) {
  t->happened++;
  if (!t->stale && t->config->paths != RIPSTOP_FLUID_ADAPTIVE) return 0;
  if (t->stale && compile(t)) return -1;
  return use_plan(t, t->plan ? t->plan : t->first_plan);
}

int fluid_changes_happen(timeline *t, double limit) {
  const ripstop_schedule *all = schedule_of(t);
  const double reaction = (double)t->config->reaction;
  bool plans = false;
  for (; t->changed < all->count && cycle_of(all, t->changed) <= limit; t->changed++)
    change(t, &all->change[t->changed]);
  for (; t->planned < t->changed && cycle_of(all, t->planned) + reaction <= limit; t->planned++) plans = true;
  return plans ? follow_plan(t) : 0;
}

/* ------------------------------------------------------------------ opening */

int fluid_changes_open(timeline *t, const ripstop_plan *plan) {
  t->first_plan = plan;
  t->affected = RIPSTOP_ARRAY(t->arena, (size_t)t->pairs + 1, uint32_t);
  for (uint32_t port = 0; port < plan->fabric->ports; port++)
    if (t->view->port_up[port]) refresh_port(t, port);
  return use_plan(t, plan);
}

void fluid_changes_close(timeline *t) {
  paths_close(&t->paths);
  ripstop_plan_free(t->plan);
  ripstop_view_free(t->view);
}
