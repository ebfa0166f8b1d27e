/* scene.h - one simulation with everything that it stands on, for tests: a fabric, faults and a schedule by name,
 * options by short text, and every delivered packet on record. What a test does not set is the option's default, but
 * the warm-up is 0 and 1000 cycles are measured. */
#ifndef RIPSTOP_TESTS_SCENE_H
#define RIPSTOP_TESTS_SCENE_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/inner.h"
#include "ripstop/kit/simulation.h"
#include "simulate/run_result.h"
#include "stand.h"

typedef struct delivery {
  uint64_t packet, generated_at, at;
  uint32_t source, destination;
} delivery;

typedef struct scene {
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_arena *arena;
  const char *method;
  ripstop_faults faults;
  ripstop_schedule schedule;
  ripstop_simulate_settings sim;
  delivery *delivered; /* deliveries of the last run, in order of cycle */
  size_t deliveries, room;
} scene;

static inline void scene_record(void *context, uint64_t packet, uint32_t source, uint32_t destination,
                                uint64_t generated_at, uint64_t at) {
  scene *s = context;
  if (s->deliveries == s->room) {
    s->room = s->room ? 2 * s->room : 1024;
    s->delivered = ripstop_realloc(s->delivered, s->room, sizeof *s->delivered);
  }
  s->delivered[s->deliveries++] = (delivery){packet, generated_at, at, source, destination};
}

/* "in_queue=2 packet=16 pattern=hotspot:end=0,share=1": options of switch, traffic and measurement, blank-separated. */
static inline void scene_set(scene *s, const char *options) {
  struct {
    const ripstop_option *options;
    void *config;
  } group[] = {{ripstop_switch_options, &s->sim.switch_},
               {ripstop_measure_options, &s->sim.measure}, /* before traffic's, for its window */
               {ripstop_traffic_options, &s->sim.traffic},
               {ripstop_reconfiguration_options, &s->sim.reconfiguration}};
  char name[64], value[128];
  int used;
  for (; sscanf(options, " %63[^=]=%127s%n", name, value, &used) == 2; options += used) {
    ripstop_error err = {.text = "no such option"};
    bool set = false;
    for (size_t g = 0; g < sizeof group / sizeof *group && !set; g++)
      for (const ripstop_option *o = group[g].options; o->name && !set; o++)
        if (strcmp(o->name, name) == 0)
          set = ripstop_options_set(s->arena, "test", group[g].options, group[g].config, name, value, &err) == 0;
    if (!set) fail_msg("%s=%s: %s", name, value, err.text);
  }
}

static inline scene *scene_open(const char *fabric, const char *method, const char *options) {
  ripstop_error err;
  scene *s = calloc(1, sizeof *s);
  s->arena = ripstop_arena_new();
  if (!(s->fabric = ripstop_fabric_open(fabric, &err))) fail_msg("%s", err.text);
  s->names = ripstop_names_new(s->fabric);
  s->method = method;
  s->sim = (ripstop_simulate_settings){.schedule = &s->schedule, .seed = 1, .on_delivery = scene_record, .context = s};
  ripstop_options_defaults(s->arena, ripstop_switch_options, &s->sim.switch_);
  ripstop_options_defaults(s->arena, ripstop_traffic_options, &s->sim.traffic);
  ripstop_options_defaults(s->arena, ripstop_measure_options, &s->sim.measure);
  ripstop_options_defaults(s->arena, ripstop_reconfiguration_options, &s->sim.reconfiguration);
  scene_set(s, "warmup=0 cycles=1000");
  scene_set(s, options);
  return s;
}

static inline void scene_break(scene *s, const char *faults) {
  ripstop_error err;
  if (ripstop_faults_parse(s->arena, s->names, faults, strlen(faults), &s->faults, &err)) fail_msg("%s", err.text);
}

static inline void scene_schedule(scene *s, const char *schedule) {
  ripstop_error err;
  if (ripstop_schedule_parse(s->arena, s->names, schedule, strlen(schedule), &s->schedule, &err))
    fail_msg("%s", err.text);
}

static inline int scene_simulate(const scene *s, ripstop_run_result *result, ripstop_error *err) {
  return stand_simulate(s->fabric, s->method, &s->faults, &s->sim, result, err);
}

static inline int scene_check(const scene *s, ripstop_error *err) {
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  int status = ripstop_simulate_check(run_setup.plan, &s->sim, err);
  stand_close(&run_setup);
  return status;
}

static inline ripstop_answer scene_applies(const scene *s, ripstop_error *err) {
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_answer answer = ripstop_simulate_applies(run_setup.plan, &s->sim, err);
  stand_close(&run_setup);
  return answer;
}

static inline ripstop_run_result scene_run(scene *s) {
  ripstop_error err;
  ripstop_run_result result;
  s->deliveries = 0;
  if (scene_simulate(s, &result, &err)) fail_msg("%s %s: %s", s->fabric->spec, s->method, err.text);
  assert_int_equal(result.account.delivered, s->deliveries);
  return result;
}

static inline void scene_close(scene *s) {
  ripstop_names_free(s->names);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
  ripstop_free(s->delivered);
  free(s);
}

/* Links between two end nodes, the end links included. */
static inline uint32_t scene_distance(const scene *s, uint32_t source, uint32_t destination) {
  uint32_t *distance = ripstop_realloc(NULL, s->fabric->nodes, sizeof *distance);
  ripstop_fabric_distances(s->fabric, source, distance);
  uint32_t result = distance[destination];
  ripstop_free(distance);
  return result;
}

static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Everything but the processor time it took. */
static inline bool results_are_equal(const ripstop_run_result *a, const ripstop_run_result *b) {
  bool same = a->verdict == b->verdict && (a->witness == NULL) == (b->witness == NULL) && a->values == b->values &&
              a->windows == b->windows && a->cycles == b->cycles && a->hops == b->hops && a->events == b->events &&
              a->bytes == b->bytes && memcmp(&a->account, &b->account, sizeof a->account) == 0;
  if (same && a->witness) same = strcmp(a->witness, b->witness) == 0;
  for (size_t i = 0; same && i < a->values; i++)
    same = strcmp(a->value[i].name, b->value[i].name) == 0 && strcmp(a->value[i].unit, b->value[i].unit) == 0 &&
           same_bits(a->value[i].value, b->value[i].value) && same_bits(a->value[i].half, b->value[i].half);
  for (size_t i = 0; same && i < a->windows; i++) same = memcmp(&a->window[i], &b->window[i], sizeof *a->window) == 0;
  return same;
}

/* The accepted load, in a run that loses nothing. */
static inline double scene_accepted(const char *fabric, const char *method, const char *faults, const char *options) {
  scene *s = scene_open(fabric, method, options);
  scene_break(s, faults);
  ripstop_run_result result = scene_run(s);
  double accepted = ripstop_run_result_value(&result, "accepted");
  assert_int_equal(result.account.lost, 0);
  ripstop_run_result_free(&result);
  scene_close(s);
  return accepted;
}

/* The verdict of a run, whose witness is there only with a deadlock. */
static inline ripstop_verdict scene_verdict(const char *fabric, const char *method, const char *options,
                                            const char *more) {
  scene *s = scene_open(fabric, method, options);
  scene_set(s, more);
  ripstop_run_result result = scene_run(s);
  const ripstop_verdict verdict = result.verdict;
  assert_int_equal(result.witness != NULL, verdict == RIPSTOP_DEADLOCKED);
  ripstop_run_result_free(&result);
  scene_close(s);
  return verdict;
}

/* The run is refused, by a message that has this text. */
static inline void scene_is_refused(const char *fabric, const char *method, const char *options, const char *text) {
  ripstop_error err;
  ripstop_run_result result;
  scene *s = scene_open(fabric, method, options);
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  if (!strstr(err.text, text)) fail_msg("'%s' does not name '%s'", err.text, text);
  scene_close(s);
}

/* A run on a tree, with parts of the fabric that fail and come back, is to the flit the same in one part and in four.
 */
static inline void scene_parts_alike(const char *options, const char *more) {
  ripstop_run_result result[2];
  for (int many = 0; many < 2; many++) {
    scene *s = scene_open("kary-ntree:k=4,n=3", "misroute", options);
    scene_set(s, more);
    scene_schedule(s, "0/0.0/4@900 switch:1/0.1@1500 0/0.0/4+@2500 switch:1/0.1+@3000");
    s->sim.on_delivery = NULL;
    s->sim.parts = many ? 4 : 1;
    ripstop_error err;
    if (scene_simulate(s, &result[many], &err)) fail_msg("%s: %s", more, err.text);
    scene_close(s);
  }
  result[1].bytes = result[0].bytes; /* more parts need more memory */
  if (!results_are_equal(&result[0], &result[1])) fail_msg("%s: other rows in four parts", more);
  for (int many = 0; many < 2; many++) ripstop_run_result_free(&result[many]);
}

#endif
