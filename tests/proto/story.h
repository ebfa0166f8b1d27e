/* story.h - a run of the virtual network as a text that a person can check, for tests: a line for every change, message
 * and switch that learns. */
#ifndef RIPSTOP_TESTS_STORY_H
#define RIPSTOP_TESTS_STORY_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/protocol.h"

typedef struct story {
  rs_fabric *fabric;
  rs_arena *arena;
  rs_schedule schedule;
  rs_network_options options;
  rs_network *network;
  rs_text text;
  bool messages_only; /* not who learns */
} story;

static inline void story_tell(void *context, const rs_sight *sight) {
  story *s = context;
  char from[RS_NAME_MAX], to[RS_NAME_MAX];
  if (sight->kind == RS_SAW_STEP || (s->messages_only && sight->kind == RS_SAW_WAYS)) return;
  rs_text_add(&s->text, "%" PRIu64 " ", sight->cycle);
  if (sight->kind == RS_SAW_CHANGE) {
    (sight->change->is_switch ? rs_node_name : rs_link_name)(s->fabric, sight->change->id, from);
    rs_text_add(&s->text, "%s %s\n", from, sight->change->up ? "returns" : "fails");
    return;
  }
  rs_node_name(s->fabric, sight->node, from);
  if (sight->kind == RS_SAW_WAYS) {
    rs_text_add(&s->text, "%s learns\n", from);
    return;
  }
  rs_node_name(s->fabric, sight->peer, to);
  rs_text_add(&s->text, "%s > %s: ", from, to);
  sight->plan->method->proto->print(sight->plan, sight->message, &s->text);
  if (sight->kind == RS_SAW_LOST || sight->arrives == RS_NEVER)
    rs_text_add(&s->text, ", lost\n");
  else
    rs_text_add(&s->text, ", at %" PRIu64 "\n", sight->arrives);
}

/* Nothing has happened yet; options may be changed before story_run. */
static inline story *story_open(const char *fabric, const char *schedule) {
  rs_error err;
  story *s = calloc(1, sizeof *s);
  s->arena = rs_arena_new();
  if (!(s->fabric = rs_fabric_open(fabric, &err))) fail_msg("%s", err.text);
  rs_names *names = rs_names_new(s->fabric);
  if (rs_schedule_parse(s->arena, names, schedule, strlen(schedule), &s->schedule, &err)) fail_msg("%s", err.text);
  rs_names_free(names);
  s->options = (rs_network_options){.schedule = &s->schedule, .watch = story_tell, .context = s};
  return s;
}

/* Until it is quiet. */
static inline void story_run(story *s, const char *method) {
  rs_error err;
  s->network = rs_network_open(s->fabric, method, &s->options, &err);
  if (!s->network || rs_network_run(s->network, 1000000, &err) < 0) fail_msg("%s", err.text);
  assert_true(rs_network_due(s->network) == RS_NEVER);
}

static inline void story_assert(const story *s, const char *told) {
  assert_non_null(s->text.data);
  assert_string_equal(s->text.data, told);
}

static inline uint32_t story_switch(const story *s, const char *name) {
  char other[RS_NAME_MAX];
  for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
    rs_node_name(s->fabric, v, other);
    if (strcmp(name, other) == 0) return v;
  }
  fail_msg("no switch %s", name);
  return RS_NONE;
}

static inline void story_assert_state(const story *s, const char *name, const char *state) {
  rs_text text = {0};
  rs_network_json(s->network, story_switch(s, name), &text);
  assert_string_equal(text.data, state);
  rs_text_free(&text);
}

static inline void story_close(story *s) {
  rs_network_free(s->network);
  rs_fabric_free(s->fabric);
  rs_arena_free(s->arena);
  rs_text_free(&s->text);
  free(s);
}

#endif
