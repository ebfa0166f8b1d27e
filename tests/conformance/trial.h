/* trial.h - one plan with its proof, for tests: fabric, method and faults by name. */
#ifndef RIPSTOP_TESTS_TRIAL_H
#define RIPSTOP_TESTS_TRIAL_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/simulation.h"
#include "stand.h"

typedef struct trial {
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  const char *method;
  ripstop_faults faults;
  ripstop_view *view;
  ripstop_plan *plan; /* NULL: the method does not apply */
  ripstop_prover *prover;
  ripstop_proof proof;
  bool proved; /* else err has the reason */
  ripstop_error err;
} trial;

static inline trial *trial_new(const char *fabric, const char *method) {
  trial *t = calloc(1, sizeof *t);
  t->arena = ripstop_arena_new();
  t->method = method;
  if (!(t->fabric = ripstop_fabric_open(fabric, &t->err))) fail_msg("%s", t->err.text);
  return t;
}

static inline void trial_prove(trial *t) {
  ripstop_answer answer;
  t->view = ripstop_view_new(t->fabric, &t->faults);
  t->plan = stand_plan(t->view, t->method, &answer, &t->err);
  if (!t->plan && answer == RIPSTOP_ERROR) fail_msg("%s: %s", t->method, t->err.text);
  t->prover = ripstop_prover_new(t->fabric);
  t->proved = t->plan && ripstop_prover_prove(t->prover, t->plan, &t->proof, &t->err) == 0;
}

static inline trial *trial_open(const char *fabric, const char *method, const char *faults) {
  trial *t = trial_new(fabric, method);
  ripstop_names *names = ripstop_names_new(t->fabric);
  if (ripstop_faults_parse(t->arena, names, faults, strlen(faults), &t->faults, &t->err)) fail_msg("%s", t->err.text);
  ripstop_names_free(names);
  trial_prove(t);
  return t;
}

static inline trial *trial_sample(const char *fabric, const char *method, uint32_t faults, uint64_t index) {
  trial *t = trial_new(fabric, method);
  if (ripstop_faults_sample(t->arena, t->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, faults, 1, index, &t->faults, &t->err))
    fail_msg("%s", t->err.text);
  trial_prove(t);
  return t;
}

static inline void trial_close(trial *t) {
  ripstop_prover_free(t->prover);
  ripstop_plan_free(t->plan);
  ripstop_view_free(t->view);
  ripstop_arena_free(t->arena);
  ripstop_fabric_free(t->fabric);
  free(t);
}

/* The certificate, written to a file and read back. */
static inline ripstop_certificate *trial_certificate(const trial *t) {
  char *text = NULL;
  size_t length = 0;
  ripstop_error err;
  FILE *file = open_memstream(&text, &length);
  assert_int_equal(ripstop_certificate_write(file, t->plan, &t->proof), 0);
  fclose(file);
  ripstop_certificate *c = ripstop_certificate_parse("certificate", text, length, &err);
  if (!c) fail_msg("%s\n%s", err.text, text);
  free(text);
  return c;
}

/* The verdict on a certificate, with the plan that it names; RIPSTOP_UNCHECKABLE also where there is none. */
static inline ripstop_check trial_check(const ripstop_certificate *c, ripstop_text *verdict, ripstop_error *err) {
  stand run_setup = stand_try(c->fabric, c->method, &c->faults, err);
  ripstop_check result =
      run_setup.plan ? ripstop_certificate_check(c, run_setup.plan, verdict, NULL, err) : RIPSTOP_UNCHECKABLE;
  stand_close(&run_setup);
  return result;
}

/* Fails, showing the verdict, when it is another than `wanted`. */
static inline void trial_expect(const ripstop_certificate *c, ripstop_check wanted) {
  static const char *const words[] = {
      [RIPSTOP_CONFIRMED] = "confirmed", [RIPSTOP_REFUTED] = "refuted", [RIPSTOP_UNCHECKABLE] = "-"};
  ripstop_text verdict = {0};
  ripstop_error err = {0};
  ripstop_check result = trial_check(c, &verdict, &err);
  if (result != wanted) {
    ripstop_text faults = {0};
    ripstop_faults_print(&faults, c->fabric, &c->faults);
    fail_msg("%s %s [%s]: '%s%s' where it should be %s", c->fabric->spec, c->method, faults.data,
             verdict.data ? verdict.data : "", err.text, words[wanted]);
  }
  assert_memory_equal(verdict.data, words[wanted], strlen(words[wanted]));
  ripstop_text_free(&verdict);
}

/* Loads the deadlock of a certificate into the engine, with options like "in_queue=3 packet=4". */
static inline int trial_load(const ripstop_certificate *c, const char *options, ripstop_standstill *out,
                             ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_simulate_settings sim = {.seed = 1};
  struct {
    const ripstop_option *options;
    void *config;
  } group[] = {{ripstop_switch_options, &sim.switch_}, {ripstop_traffic_options, &sim.traffic}};
  char name[64], value[64];
  int used;
  ripstop_options_defaults(arena, ripstop_measure_options, &sim.measure);
  for (size_t g = 0; g < 2; g++) ripstop_options_defaults(arena, group[g].options, group[g].config);
  for (; sscanf(options, " %63[^=]=%63s%n", name, value, &used) == 2; options += used)
    for (size_t g = 0; g < 2; g++)
      for (const ripstop_option *o = group[g].options; o->name; o++)
        if (strcmp(o->name, name) == 0 &&
            ripstop_options_set(arena, "test", group[g].options, group[g].config, name, value, err))
          fail_msg("%s", err->text);
  stand run_setup = stand_on(c->fabric, c->method, &c->faults);
  int status = ripstop_simulate_deadlocked(run_setup.plan, &sim, c->queue, c->queues, 10000, out, err);
  stand_close(&run_setup);
  ripstop_arena_free(arena);
  return status;
}

#endif
