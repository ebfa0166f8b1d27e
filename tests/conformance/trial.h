/* trial.h - one plan with its proof, for tests: fabric, method and faults by name. */
#ifndef RIPSTOP_TESTS_TRIAL_H
#define RIPSTOP_TESTS_TRIAL_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/prove.h"
#include "ripstop/simulate.h"

typedef struct trial {
  rs_fabric *fabric;
  rs_arena *arena;
  const char *method;
  rs_faults faults;
  rs_view *view;
  rs_plan *plan; /* NULL: the method does not apply */
  rs_prover *prover;
  rs_proof proof;
  bool proved; /* else err tells why not */
  rs_error err;
} trial;

static inline trial *trial_new(const char *fabric, const char *method) {
  trial *t = calloc(1, sizeof *t);
  t->arena = rs_arena_new();
  t->method = method;
  if (!(t->fabric = rs_fabric_open(fabric, &t->err))) fail_msg("%s", t->err.text);
  return t;
}

static inline void trial_prove(trial *t) {
  rs_answer answer;
  t->view = rs_view_new(t->fabric, &t->faults);
  t->plan = rs_plan_open(t->view, t->method, &answer, &t->err);
  if (!t->plan && answer == RS_ERROR) fail_msg("%s: %s", t->method, t->err.text);
  t->prover = rs_prover_new(t->fabric);
  t->proved = t->plan && rs_prove(t->prover, t->plan, &t->proof, &t->err) == 0;
}

static inline trial *trial_open(const char *fabric, const char *method, const char *faults) {
  trial *t = trial_new(fabric, method);
  rs_names *names = rs_names_new(t->fabric);
  if (rs_faults_parse(t->arena, names, faults, strlen(faults), &t->faults, &t->err)) fail_msg("%s", t->err.text);
  rs_names_free(names);
  trial_prove(t);
  return t;
}

static inline trial *trial_sample(const char *fabric, const char *method, uint32_t faults, uint64_t index) {
  trial *t = trial_new(fabric, method);
  if (rs_faults_sample(t->arena, t->fabric, RS_FAULTS_SWITCH_LINKS, faults, 1, index, &t->faults, &t->err))
    fail_msg("%s", t->err.text);
  trial_prove(t);
  return t;
}

static inline void trial_close(trial *t) {
  rs_prover_free(t->prover);
  rs_plan_free(t->plan);
  rs_view_free(t->view);
  rs_arena_free(t->arena);
  rs_fabric_free(t->fabric);
  free(t);
}

/* The certificate after its way through a file. */
static inline rs_certificate *trial_certificate(const trial *t) {
  char *text = NULL;
  size_t length = 0;
  rs_error err;
  FILE *file = open_memstream(&text, &length);
  assert_int_equal(rs_certificate_write(file, t->plan, &t->proof), 0);
  fclose(file);
  rs_certificate *c = rs_certificate_parse("certificate", text, length, &err);
  if (!c) fail_msg("%s\n%s", err.text, text);
  free(text);
  return c;
}

/* Fails, showing the verdict, when it is another than `wanted`. */
static inline void trial_expect(const rs_certificate *c, rs_check wanted) {
  static const char *const words[] = {[RS_CONFIRMED] = "confirmed", [RS_REFUTED] = "refuted", [RS_UNCHECKABLE] = "-"};
  rs_text verdict = {0};
  rs_error err = {""};
  rs_check result = rs_certificate_check(c, &verdict, NULL, &err);
  if (result != wanted) {
    rs_text faults = {0};
    rs_faults_print(&faults, c->fabric, &c->faults);
    fail_msg("%s %s [%s]: '%s%s' where it should be %s", c->fabric->spec, c->method, faults.data,
             verdict.data ? verdict.data : "", err.text, words[wanted]);
  }
  assert_memory_equal(verdict.data, words[wanted], strlen(words[wanted]));
  rs_text_free(&verdict);
}

/* Loads the deadlock of a certificate into the engine, with options like "in_queue=3 packet=4". */
static inline int trial_load(const rs_certificate *c, const char *options, rs_standstill *out, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  rs_simulation sim = {.fabric = c->fabric, .method = c->method, .faults = &c->faults, .seed = 1};
  struct {
    const rs_option *options;
    void *config;
  } group[] = {{rs_switch_options, &sim.switch_}, {rs_traffic_options, &sim.traffic}};
  char name[64], value[64];
  int used;
  rs_options_defaults(arena, rs_measure_options, &sim.measure);
  for (size_t g = 0; g < 2; g++) rs_options_defaults(arena, group[g].options, group[g].config);
  for (; sscanf(options, " %63[^=]=%63s%n", name, value, &used) == 2; options += used)
    for (size_t g = 0; g < 2; g++)
      for (const rs_option *o = group[g].options; o->name; o++)
        if (strcmp(o->name, name) == 0 &&
            rs_options_set(arena, "test", group[g].options, group[g].config, name, value, err))
          fail_msg("%s", err->text);
  int status = rs_simulate_standing(&sim, c->queue, c->queues, 10000, out, err);
  rs_arena_free(arena);
  return status;
}

#endif
