/* story.h - a run of the virtual network as a text that a person can check, for tests: a line for every change, message
 * and switch with an update. */
#ifndef RIPSTOP_TESTS_STORY_H
#define RIPSTOP_TESTS_STORY_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

typedef struct story {
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_schedule schedule;
  ripstop_network_options options;
  stand run_setup;
  ripstop_network *network;
  ripstop_text text;
  bool messages_only; /* without updates of switches */
} story;

static inline void story_report(void *context, const ripstop_trace_event *trace) {
  story *s = context;
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  if (trace->kind == RIPSTOP_SAW_STEP || (s->messages_only && trace->kind == RIPSTOP_SAW_CANDIDATES)) return;
  ripstop_text_add(&s->text, "%" PRIu64 " ", trace->cycle);
  if (trace->kind == RIPSTOP_SAW_CHANGE) {
    (trace->change->is_switch ? ripstop_node_name : ripstop_link_name)(s->fabric, trace->change->id, from);
    ripstop_text_add(&s->text, "%s %s\n", from, trace->change->up ? "returns" : "fails");
    return;
  }
  ripstop_node_name(s->fabric, trace->node, from);
  if (trace->kind == RIPSTOP_SAW_CANDIDATES) {
    ripstop_text_add(&s->text, "%s updates\n", from);
    return;
  }
  ripstop_node_name(s->fabric, trace->peer, to);
  ripstop_text_add(&s->text, "%s > %s: ", from, to);
  trace->plan->method->proto->print(trace->plan, trace->message, &s->text);
  if (trace->kind == RIPSTOP_SAW_LOST || trace->arrives == RIPSTOP_NEVER)
    ripstop_text_add(&s->text, ", lost\n");
  else
    ripstop_text_add(&s->text, ", at %" PRIu64 "\n", trace->arrives);
}

/* Nothing has happened yet; options may be changed before story_run. */
static inline story *story_open(const char *fabric, const char *schedule) {
  ripstop_error err;
  story *s = calloc(1, sizeof *s);
  s->arena = ripstop_arena_new();
  if (!(s->fabric = ripstop_fabric_open(fabric, &err))) fail_msg("%s", err.text);
  ripstop_names *names = ripstop_names_new(s->fabric);
  if (ripstop_schedule_parse(s->arena, names, schedule, strlen(schedule), &s->schedule, &err)) fail_msg("%s", err.text);
  ripstop_names_free(names);
  s->options = (ripstop_network_options){.schedule = &s->schedule, .watch = story_report, .context = s};
  return s;
}

static inline void story_begin(story *s, const char *method) {
  ripstop_error err;
  s->run_setup = stand_on(s->fabric, method, NULL);
  s->network = ripstop_network_open(s->run_setup.plan, &s->options, &err);
  if (!s->network) fail_msg("%s", err.text);
}

/* Until it is quiet. */
static inline void story_run(story *s, const char *method) {
  ripstop_error err;
  story_begin(s, method);
  if (ripstop_network_run(s->network, 1000000, &err) < 0) fail_msg("%s", err.text);
  assert_true(ripstop_network_due(s->network) == RIPSTOP_NEVER);
}

static inline void story_assert(const story *s, const char *told) {
  assert_non_null(s->text.data);
  assert_string_equal(s->text.data, told);
}

static inline uint32_t story_switch(const story *s, const char *name) {
  char other[RIPSTOP_NAME_MAX];
  for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
    ripstop_node_name(s->fabric, v, other);
    if (strcmp(name, other) == 0) return v;
  }
  fail_msg("no switch %s", name);
  return RIPSTOP_NONE;
}

static inline void story_assert_state(const story *s, const char *name, const char *state) {
  ripstop_text text = {0};
  ripstop_network_json(s->network, story_switch(s, name), &text);
  assert_string_equal(text.data, state);
  ripstop_text_free(&text);
}

static inline void story_close(story *s) {
  ripstop_network_free(s->network);
  stand_close(&s->run_setup);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
  ripstop_text_free(&s->text);
  free(s);
}

#endif
