/* test_fluid_rates.c - rates of the flow model after thousands of random histories: messages come and go, and
 * capacities change, on random channels. After each update every stream has a bottleneck and no channel is over its
 * capacity, and rates are those that a slow filling of all streams from scratch gives. */
#include <string.h>

#include "check.h"
#include "flow/fluid.h"

enum { CHANNELS = 12, STREAMS = 24, HISTORIES = 400, STEPS = 60, LONGEST = 6 };
static const double near = 1e-8;

/* The model of the test: shares[s][c], messages[s], capacity[c]. */
typedef struct scene {
  fluid fluid;
  double share[STREAMS][CHANNELS], capacity[CHANNELS], rate[STREAMS];
  uint32_t messages[STREAMS];
  ripstop_stream random;
} scene;

/* Raises all rates together until a channel is full, again and again: from the definition, without lists or heaps. */
static void fill_slowly(scene *s) {
  bool fixed[STREAMS] = {false};
  for (int round = 0; round < CHANNELS; round++) {
    double lowest = INFINITY;
    uint32_t full = CHANNELS;
    for (uint32_t c = 0; c < CHANNELS; c++) {
      double left = s->capacity[c], weight = 0;
      for (uint32_t i = 0; i < STREAMS; i++) {
        if (fixed[i]) left -= s->share[i][c] * s->messages[i] * s->rate[i];
        if (!fixed[i]) weight += s->share[i][c] * s->messages[i];
      }
      if (weight > 1e-12 && left / weight < lowest) lowest = left / weight, full = c;
    }
    if (full == CHANNELS) return;
    for (uint32_t i = 0; i < STREAMS; i++)
      if (!fixed[i] && s->messages[i] && s->share[i][full] > 0) fixed[i] = true, s->rate[i] = lowest;
  }
}

static uint32_t below(scene *s, uint32_t count) { return ripstop_stream_below(&s->random, count); }

static void route(scene *s, uint32_t number) {
  uint32_t at[LONGEST], count = 1 + below(s, LONGEST);
  double share[LONGEST];
  bool used[CHANNELS] = {false};
  memset(s->share[number], 0, sizeof s->share[number]);
  for (uint32_t i = 0; i < count; i++) {
    do at[i] = below(s, CHANNELS);
    while (used[at[i]]);
    used[at[i]] = true;
    share[i] = below(s, 2) ? 1 : 1.0 / (1 + below(s, 5));
    s->share[number][at[i]] = share[i];
  }
  fluid_route(&s->fluid, number, at, share, count);
}

static void change(scene *s) {
  const uint32_t number = below(s, STREAMS), kind = below(s, 8), at = below(s, CHANNELS);
  if (kind == 0) {
    s->capacity[at] = 0.01 * (1 + below(s, 100));
    fluid_capacity(&s->fluid, at, s->capacity[at]);
  } else if (kind < 5) {
    if (!s->messages[number]) route(s, number);
    s->messages[number]++;
    fluid_add(&s->fluid, number);
  } else if (s->messages[number]) {
    s->messages[number]--;
    fluid_remove(&s->fluid, number);
  }
}

static void compare(scene *s) {
  fill_slowly(s);
  assert_true(fluid_is_fair(&s->fluid, near));
  for (uint32_t i = 0; i < STREAMS; i++)
    if (s->messages[i]) assert_true(fabs(s->fluid.stream[i].rate - s->rate[i]) <= near * s->rate[i]);
}

static void test_histories(void **state) {
  (void)state;
  uint64_t altered = 0;
  for (uint32_t history = 0; history < HISTORIES; history++) {
    ripstop_arena *arena = ripstop_arena_new();
    scene *s = RIPSTOP_NEW(arena, scene);
    s->random = ripstop_stream_open(history + 1, RIPSTOP_RANDOM_PROGRAM, 7);
    fluid_open(&s->fluid, CHANNELS, STREAMS, arena);
    for (uint32_t c = 0; c < CHANNELS; c++) fluid_capacity(&s->fluid, c, s->capacity[c] = 1);
    for (uint32_t step = 0; step < STEPS; step++) {
      for (uint32_t n = 1 + below(s, 3); n > 0; n--) change(s);
      s->fluid.now += 1;
      fluid_update(&s->fluid);
      compare(s);
    }
    altered += s->fluid.altered;
    ripstop_arena_free(arena);
  }
  assert_true(altered > HISTORIES * STEPS); /* the histories change rates at all */
}

/* Three streams share a channel, and one crosses a slow one too: computed by hand. */
static void test_by_hand(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  fluid f;
  fluid_open(&f, 2, 3, arena);
  fluid_capacity(&f, 0, 1);
  fluid_capacity(&f, 1, 0.25);
  fluid_route(&f, 0, (const uint32_t[]){0}, (const double[]){1}, 1);
  fluid_route(&f, 1, (const uint32_t[]){0, 1}, (const double[]){1, 1}, 2);
  fluid_route(&f, 2, (const uint32_t[]){0}, (const double[]){0.5}, 1);
  for (uint32_t i = 0; i < 3; i++) fluid_add(&f, i);
  fluid_update(&f);
  assert_true(fabs(f.stream[1].rate - 0.25) < near);
  assert_true(fabs(f.stream[0].rate - 0.5) < near); /* 0.25 + x + x / 2 = 1 */
  assert_true(fabs(f.stream[2].rate - 0.5) < near);
  assert_true(f.stream[1].bottleneck == 1 && f.stream[2].bottleneck == 0);
  fluid_remove(&f, 0);
  fluid_update(&f);
  assert_true(fabs(f.stream[2].rate - 1.5) < near);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_histories)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
