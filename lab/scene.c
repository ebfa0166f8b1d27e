/* scene.c - opens, runs and changes the scene. A failure or repair goes to the running simulation at once. Some changes
 * affect what a simulation fixes before its first cycle: link rates, the changes that the values of a workload count
 * from, and a schedule whose future part is no longer valid. For these the simulation is opened again and run to the
 * same cycle, which gives the state of a simulation that knew the change from the start. */
#include "lab/scene.h"

#include <string.h>

#include "base/memory.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"
#include "route/plan_steps.h"
#include "workload/workload_run.h"

lab_scene lab;
static ripstop_text said;

/* ------------------------------------------------------------------ texts */

ripstop_text *lab_say(void) {
  ripstop_text_free(&said);
  ripstop_text_begin(&said);
  return &said;
}

const char *lab_text(void) { return said.data ? said.data : ""; }

int lab_fail(const ripstop_error *err) {
  ripstop_text_add(lab_say(), "%s", err->text);
  return -1;
}

void lab_link_name(uint32_t link) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(lab.fabric, link, name);
  ripstop_text_add(lab_say(), "%s", name);
}

void lab_node_name(uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(lab.fabric, node, name);
  ripstop_text_add(lab_say(), "%s", name);
}

void lab_fabric_name(void) { ripstop_text_add(lab_say(), "%s", lab.fabric->spec); }

static int find_part(const char *name, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  uint32_t id;
  bool is_switch;
  if (ripstop_part_find(lab.names, name, strlen(name), &id, &is_switch, err)) return -1;
  return (int)(is_switch ? lab.fabric->links + id : id);
}

int lab_find_part(const char *name) {
  ripstop_error err = {0};
  int part = find_part(name, &err);
  return part < 0 ? lab_fail(&err) : part;
}

bool lab_scheduled(void) { return lab.scheduled; }

void lab_changes(void) {
  const ripstop_schedule schedule = {lab.changes, lab.change};
  ripstop_schedule_print(lab_say(), lab.fabric, &schedule);
}

/* ------------------------------------------------------------------ opening */

static int sample_rule(lab_scene *s, const char *text, ripstop_schedule *out, ripstop_error *err) {
  ripstop_rule rule;
  if (ripstop_rule_open(s->arena, s->names, text, NULL, &rule, err)) return -1;
  return ripstop_rule_sample(s->arena, s->fabric, &s->faults, &rule, s->settings.seed, 0, out, err);
}

static int sample_links(lab_scene *s, const char *text, ripstop_error *err) {
  uint64_t count;
  enum { COUNT_SHIFT = 32 }; /* an experiment's first sample of this size has this index */
  if (ripstop_parse_u64(text, UINT32_MAX, &count, err)) return -1;
  return ripstop_faults_sample(s->arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, (uint32_t)count, s->settings.seed,
                               count << COUNT_SHIFT, &s->faults, err);
}

/* Reads the faults in the forms of `ripstop simulate --faults`. */
static int read_faults(lab_scene *s, ripstop_schedule *schedule, ripstop_error *err) {
  const char *text = s->settings.faults;
  const ripstop_faults_kind kind = text ? ripstop_faults_kind_of(text) : RIPSTOP_FAULTS_KIND_PARTS;
  s->scheduled = kind == RIPSTOP_FAULTS_KIND_CHANGES;
  if (!text) return 0;
  if (kind == RIPSTOP_FAULTS_KIND_COUNT) return sample_links(s, text, err);
  if (kind == RIPSTOP_FAULTS_KIND_PARTS)
    return ripstop_faults_parse(s->arena, s->names, text, strlen(text), &s->faults, err);
  if (ripstop_rule_is_meant(text)) return sample_rule(s, text, schedule, err);
  return ripstop_schedule_parse(s->arena, s->names, text, strlen(text), schedule, err);
}

/* Reads the schedule of failures and repairs from `faults` or from `changes`. */
static int read_changes(lab_scene *s, ripstop_error *err) {
  ripstop_schedule schedule = {0};
  const char *text = s->settings.changes;
  if (read_faults(s, &schedule, err)) return -1;
  if (text && s->scheduled) return ripstop_fail(err, "changes: faults are a schedule already");
  if (text && ripstop_schedule_parse(s->arena, s->names, text, strlen(text), &schedule, err)) return -1;
  if (ripstop_schedule_check(&schedule, s->fabric, &s->faults, err)) return -1;
  s->changes = schedule.count, s->room = schedule.count + 1;
  s->change = ripstop_arena_realloc(s->arena, NULL, s->room, sizeof *s->change);
  if (s->changes) memcpy(s->change, schedule.change, s->changes * sizeof *s->change);
  return 0;
}

static void close_simulation(lab_scene *s) {
  if (s->jobs)
    ripstop_jobs_close(s->jobs);
  else
    ripstop_simulate_close(s->simulation);
  s->jobs = NULL, s->simulation = NULL;
}

/* A copy of the schedule: the simulation reads its schedule until it is closed, while clicks change the scene's. */
static const ripstop_schedule *keep_schedule(const lab_scene *s) {
  ripstop_schedule *kept = RIPSTOP_NEW(s->arena, ripstop_schedule);
  ripstop_change *change = RIPSTOP_ARRAY(s->arena, s->changes + 1, ripstop_change);
  if (s->changes) memcpy(change, s->change, s->changes * sizeof *change);
  *kept = (ripstop_schedule){s->changes, change};
  return kept;
}

static int open_simulation(lab_scene *s, ripstop_error *err) {
  ripstop_simulate_settings scenario = s->settings.scenario;
  close_simulation(s);
  scenario.schedule = keep_schedule(s);
  if (!s->settings.workload) {
    s->simulation = ripstop_simulate_open(s->plan, &scenario, err);
    return s->simulation ? 0 : -1;
  }
  ripstop_workload_run run = {s->settings.jobs, scenario};
  s->jobs = ripstop_jobs_open(s->plan, &run, err);
  s->simulation = s->jobs ? ripstop_jobs_simulation(s->jobs) : NULL;
  return s->jobs ? 0 : -1;
}

static int open_plan(lab_scene *s, ripstop_error *err) {
  ripstop_answer answer;
  s->view = ripstop_view_new(s->fabric, &s->faults);
  s->plan = ripstop_plan_compile(s->view, s->settings.method, &answer, err);
  if (!s->plan) return -1;
  if (!ripstop_simulate_routes(s->plan, &s->settings.scenario)) return 0;
  return ripstop_plan_tables(s->plan, err) == RIPSTOP_APPLIES ? 0 : -1;
}

static void make_arrays(lab_scene *s) {
  const ripstop_fabric *f = s->fabric;
  static const size_t size[LAB_ARRAYS] = {[LAB_PLACE] = 2 * sizeof(float),
                                          [LAB_LINK_NODE] = 2 * sizeof(uint32_t),
                                          [LAB_LINK_PORT] = 2 * sizeof(uint32_t),
                                          [LAB_BEND] = sizeof(float),
                                          [LAB_LINK_STATE] = 1,
                                          [LAB_NODE_STATE] = 1,
                                          [LAB_AGE] = sizeof(float),
                                          [LAB_MOVING] = 1,
                                          [LAB_FROM] = sizeof(float),
                                          [LAB_STEP] = sizeof(float),
                                          [LAB_TARGET] = sizeof(uint32_t),
                                          [LAB_FILL] = sizeof(float),
                                          [LAB_FLITS] = sizeof(float),
                                          [LAB_STUCK] = 1,
                                          [LAB_LIT_PORT] = 1,
                                          [LAB_LIT_LINK] = 1};
  for (int i = 0; i < LAB_ARRAYS; i++) {
    bool of_nodes = i == LAB_PLACE || i == LAB_NODE_STATE || i == LAB_AGE;
    bool of_links =
        i == LAB_LINK_NODE || i == LAB_LINK_PORT || i == LAB_BEND || i == LAB_LINK_STATE || i == LAB_LIT_LINK;
    s->array[i] = ripstop_arena_array(s->arena, of_nodes ? f->nodes : of_links ? f->links : f->ports, size[i]);
  }
  uint32_t *node = s->array[LAB_LINK_NODE], *port = s->array[LAB_LINK_PORT];
  for (uint32_t i = 0; i < 2 * f->links; i++) port[i] = f->link_port[i], node[i] = f->port_node[port[i]];
  s->width = lab_layout(f, s->array[LAB_PLACE], s->array[LAB_BEND]);
}

/* The distance of every node to every end node without faults. No distances, and so no detours shown, for a fabric with
 * more than MOST pairs. */
static void measure_distances(lab_scene *s) {
  enum { MOST = 8 << 20 };
  const ripstop_fabric *f = s->fabric;
  if ((uint64_t)f->nodes * f->ends > MOST) return;
  s->distance = RIPSTOP_ARRAY(s->arena, (size_t)f->nodes * f->ends, uint8_t);
  uint32_t *to = RIPSTOP_ARRAY(s->arena, f->nodes, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) {
    if (ripstop_fabric_distances(f, end, to)) {
      s->distance = NULL;
      return;
    }
    for (uint32_t v = 0; v < f->nodes; v++)
      s->distance[(size_t)v * f->ends + end] = to[v] < UINT8_MAX ? (uint8_t)to[v] : UINT8_MAX;
  }
}

/* The page can draw at most PORTS_MAX ports. */
static int check_size(const ripstop_fabric *f, ripstop_error *err) {
  enum { PORTS_MAX = 100000 };
  if (f->ports <= PORTS_MAX) return 0;
  return ripstop_fail(err, "fabric %s: %u ports; the lab shows at most %d", f->spec, f->ports, PORTS_MAX);
}

static int build(lab_scene *s, const char *settings, ripstop_error *err) {
  if (lab_settings_read(s->arena, settings, &s->settings, err)) return -1;
  s->fabric = ripstop_fabric_open(s->settings.fabric, err);
  if (!s->fabric || check_size(s->fabric, err)) return -1;
  s->names = ripstop_names_new(s->fabric);
  if (read_changes(s, err) || open_plan(s, err) || open_simulation(s, err)) return -1;
  make_arrays(s);
  measure_distances(s);
  s->sent = RIPSTOP_ARRAY(s->arena, s->fabric->ports, uint64_t);
  s->flight = RIPSTOP_ARRAY(s->arena, s->fabric->ports, lab_flight);
  return 0;
}

static void close_scene(lab_scene *s) {
  close_simulation(s);
  ripstop_plan_free(s->plan);
  ripstop_view_free(s->view);
  ripstop_names_free(s->names);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
  *s = (lab_scene){0};
}

bool lab_is_open(void) { return lab.simulation != NULL; }

void lab_close(void) { close_scene(&lab); }

static int open_scene(const char *settings, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  lab_scene opened = {.arena = ripstop_arena_new()};
  if (build(&opened, settings, err)) {
    close_scene(&opened);
    return -1;
  }
  lab = opened;
  return 0;
}

int lab_open(const char *settings) {
  ripstop_error err = {0};
  lab_close();
  return open_scene(settings, &err) ? lab_fail(&err) : 0;
}

/* ------------------------------------------------------------------ running */

uint64_t lab_count(double value) {
  static const double most = 9007199254740992; /* 2^53: doubles do not represent all integers above */
  if (!(value > 0)) return 0;
  return value < most ? (uint64_t)value : (uint64_t)most;
}

double lab_now(void) { return lab.simulation ? (double)ripstop_simulate_now(lab.simulation) : 0; }

bool lab_ended(void) {
  ripstop_look look;
  ripstop_simulate_look(lab.simulation, &look);
  return look.ended;
}

int lab_run(double until) {
  ripstop_error err = {0};
  return ripstop_simulate_run(lab.simulation, lab_count(until), &err) ? lab_fail(&err) : 0;
}

/* ------------------------------------------------------------------ changes */

static bool is_of(const ripstop_change *c, bool is_switch, uint32_t id) {
  return c->id == id && c->is_switch == is_switch;
}

/* The state of the part after all of its changes before `cycle`, as a change. */
static ripstop_change state_before(const lab_scene *s, bool is_switch, uint32_t id, uint64_t cycle) {
  ripstop_change state = {.id = id, .is_switch = is_switch};
  state.up = is_switch ? s->view->node_up[id] : s->view->link_up[id];
  uint16_t rate = is_switch ? RIPSTOP_RATE_FULL : ripstop_view_rate(s->view, id);
  if (rate != (is_switch ? RIPSTOP_RATE_FULL : ripstop_fabric_rate(s->fabric, id))) state.rate = rate;
  for (size_t i = 0; i < s->changes && s->change[i].cycle < cycle; i++)
    if (is_of(&s->change[i], is_switch, id)) state = s->change[i];
  return state;
}

static bool same_state(const ripstop_change *a, const ripstop_change *b) {
  return a->up == b->up && (!a->up || a->rate == b->rate);
}

/* Removes the part's changes from `cycle` on. Returns true if there were any. */
static bool forget(lab_scene *s, bool is_switch, uint32_t id, uint64_t cycle) {
  size_t kept = 0;
  for (size_t i = 0; i < s->changes; i++)
    if (s->change[i].cycle < cycle || !is_of(&s->change[i], is_switch, id)) s->change[kept++] = s->change[i];
  bool some = kept < s->changes;
  s->changes = kept;
  return some;
}

static void insert(lab_scene *s, const ripstop_change *change) {
  if (s->changes == s->room) {
    s->room *= 2;
    s->change = ripstop_arena_realloc(s->arena, s->change, s->room, sizeof *s->change);
  }
  size_t at = s->changes++;
  for (; at > 0 && s->change[at - 1].cycle > change->cycle; at--) s->change[at] = s->change[at - 1];
  s->change[at] = *change;
}

/* Opens the simulation again and runs it to `until`. After a failure there is no simulation. */
static int run_again(lab_scene *s, uint64_t until, ripstop_error *err) {
  memset(s->sent, 0, s->fabric->ports * sizeof *s->sent);
  if (!open_simulation(s, err) && !ripstop_simulate_run(s->simulation, until, err)) return 0;
  close_simulation(s);
  return -1;
}

static int change_part(lab_scene *s, ripstop_change *request, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  uint64_t now = request->cycle = ripstop_simulate_now(s->simulation);
  ripstop_change before = state_before(s, request->is_switch, request->id, now);
  ripstop_look look;
  ripstop_simulate_look(s->simulation, &look);
  if (look.ended) return ripstop_fail(err, "the run has ended");
  bool again = forget(s, request->is_switch, request->id, now) || s->jobs || request->rate || before.rate;
  bool changes = !same_state(&before, request);
  if (changes) insert(s, request);
  if (again) return run_again(s, now, err);
  return changes ? ripstop_simulate_change(s->simulation, request, err) : 0;
}

static int change(ripstop_change request) {
  ripstop_error err = {0};
  if (!change_part(&lab, &request, &err)) return 0;
  if (!lab.simulation) lab_close();
  return lab_fail(&err);
}

int lab_change_link(uint32_t link, lab_change_kind kind) {
  enum { SLOW = RIPSTOP_RATE_FULL / 4 };
  return change((ripstop_change){.id = link, .up = kind != LAB_BREAK, .rate = kind == LAB_SLOW ? SLOW : 0});
}

int lab_change_switch(uint32_t node, lab_change_kind kind) {
  return change((ripstop_change){.id = node, .is_switch = true, .up = kind != LAB_BREAK});
}
