/* overload.h - methods with protocols under traffic beyond saturation while links fail and return, for tests: what is
 * drawn, what is lost when, and that nothing arrives twice. */
#ifndef RIPSTOP_TESTS_OVERLOAD_H
#define RIPSTOP_TESTS_OVERLOAD_H

#include <math.h>

#include "histories.h"
#include "scene.h"
#include "simulate/run_result.h"

enum { OVERLOAD_CHANGES = 12, OVERLOAD_CYCLES = 12000 };

static inline double value(const ripstop_run_result *result, const char *name) {
  double v = ripstop_run_result_value(result, name);
  return isnan(v) ? 0 : v;
}

static inline int compare_packets(const void *a, const void *b) {
  const delivery *x = a, *y = b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  return (x->packet > y->packet) - (x->packet < y->packet);
}

static inline void assert_nothing_twice(scene *s) {
  qsort(s->delivered, s->deliveries, sizeof *s->delivered, compare_packets);
  for (size_t i = 1; i < s->deliveries; i++)
    if (compare_packets(&s->delivered[i - 1], &s->delivered[i]) == 0)
      fail_msg("packet %llu of %u came twice", (unsigned long long)s->delivered[i].packet, s->delivered[i].source);
}

static inline double delivered_between(const ripstop_run_result *result, uint64_t from, uint64_t end) {
  double flits = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].cycle >= from && result->window[i].cycle < end)
      flits += (double)result->window[i].delivered_flits;
  return flits / (double)(end - from);
}

static inline uint64_t lost_between(const ripstop_run_result *result, uint64_t from, uint64_t end) {
  uint64_t lost = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].cycle >= from && result->window[i].cycle < end) lost += result->window[i].lost;
  return lost;
}

/* Switches without end nodes too. */
static inline bool is_in_one_piece(const ripstop_view *view) {
  uint32_t *component = ripstop_realloc(NULL, view->fabric->nodes, sizeof *component);
  bool one = true;
  ripstop_view_components(view, component);
  for (uint32_t v = 0; v < view->fabric->nodes; v++) one &= component[v] == component[0];
  ripstop_free(component);
  return one;
}

/* Links fail, and return, at any time in the first two thirds; what is left is always connected. */
static inline uint32_t draw_links(const scene *s, ripstop_stream *random, ripstop_change *change) {
  const ripstop_fabric *f = s->fabric;
  ripstop_view *view = ripstop_view_new(f, NULL);
  uint32_t count = 0, wanted = 1 + ripstop_stream_below(random, OVERLOAD_CHANGES);
  uint64_t cycle = 500;
  for (uint32_t tries = 0; count < wanted && tries < 100; tries++) {
    uint32_t link = f->link_ends + ripstop_stream_below(random, f->links - f->link_ends);
    bool up = !view->link_up[link];
    ripstop_view_set_link(view, link, up);
    if (!is_in_one_piece(view)) {
      ripstop_view_set_link(view, link, !up);
      continue;
    }
    change[count++] = (ripstop_change){.cycle = cycle, .id = link, .up = up};
    cycle += ripstop_stream_below(random, 2 * OVERLOAD_CYCLES / 3 / OVERLOAD_CHANGES);
  }
  ripstop_view_free(view);
  return count;
}

/* Links and switches fail and return in the first two thirds. */
static inline uint32_t draw_parts(const scene *s, ripstop_stream *random, ripstop_change *change) {
  uint8_t *dead = calloc(s->fabric->nodes + s->fabric->links, 1);
  uint32_t count = 1 + ripstop_stream_below(random, OVERLOAD_CHANGES);
  uint64_t cycle = 500;
  for (uint32_t i = 0; i < count; i++) {
    change[i] = history_change(s->fabric, random, dead, cycle);
    cycle += ripstop_stream_below(random, 2 * OVERLOAD_CYCLES / 3 / OVERLOAD_CHANGES);
  }
  free(dead);
  return count;
}

/* After all changes some end node still reaches another. */
static inline bool is_traffic_left(const scene *s) {
  const ripstop_fabric *f = s->fabric;
  ripstop_view *view = ripstop_view_new(f, NULL);
  uint32_t *component = ripstop_realloc(NULL, f->nodes, sizeof *component), pairs = 0;
  for (uint32_t i = 0; i < s->schedule.count; i++) ripstop_view_apply(view, &s->schedule.change[i]);
  ripstop_view_components(view, component);
  for (uint32_t a = 0; a < f->ends; a++)
    for (uint32_t b = 0; b < a; b++) pairs += component[a] != RIPSTOP_NONE && component[a] == component[b];
  ripstop_free(component);
  ripstop_view_free(view);
  return pairs > 0;
}

/* Packets of four flits beyond saturation for 3,000 cycles, while parts of the fabric fail and return: some are lost,
 * and everything but the memory is the same on one thread and on three. */
static inline void overload_on_threads(const char *fabric, const char *method, const char *schedule) {
  ripstop_run_result result[2];
  for (uint32_t i = 0; i < 2; i++) {
    scene *s = scene_open(fabric, method, "load=1 packet=4 in_queue=2 cycles=3000 window=500");
    s->sim.threads = i ? 3 : 1;
    scene_schedule(s, schedule);
    result[i] = scene_run(s);
    scene_close(s);
  }
  assert_true(result->account.delivered > 0 && result->account.lost > 0);
  assert_true(value(result, "control.messages") > 0);
  result[1].bytes = result->bytes;
  assert_true(results_are_equal(&result[0], &result[1]));
  for (uint32_t i = 0; i < 2; i++) ripstop_run_result_free(&result[i]);
}

/* One random history on a fabric, with small queues: only packets on failing links are lost, nothing arrives twice,
 * nothing stands still. */
static inline void overload_history_on(const char *fabric, uint32_t number, const char *method) {
  static const char *const switches[] = {"in_queue=2 packet=4", "in_queue=3 packet=1",
                                         "in_queue=40 unit=flits packet=3:0.8/19:0.2"};
  ripstop_stream random = ripstop_stream_open(9, RIPSTOP_RANDOM_TEST, number);
  ripstop_change change[OVERLOAD_CHANGES];
  scene *s = scene_open(fabric, method, "load=1 cycles=12000 window=1000 check=200");
  scene_set(s, switches[number % 3]);
  s->sim.seed = number;
  s->schedule = (ripstop_schedule){.count = draw_links(s, &random, change), .change = change};
  s->sim.schedule = &s->schedule;
  ripstop_run_result result = scene_run(s);
  if (result.verdict == RIPSTOP_DEADLOCKED) fail_msg("history %u on %s: %s", number, s->fabric->spec, result.witness);
  if (value(&result, "lost.link died") != (double)result.account.lost)
    fail_msg("history %u on %s: %llu packets lost, not all with their links", number, s->fabric->spec,
             (unsigned long long)result.account.lost);
  if (delivered_between(&result, OVERLOAD_CYCLES - 1000, OVERLOAD_CYCLES) == 0)
    fail_msg("history %u: nothing moves", number);
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* On small fabrics of all kinds. */
static inline void overload_history(uint32_t number, const char *method) {
  static const char *const fabrics[] = {"torus:4x4",
                                        "torus:3x3",
                                        "torus:6",
                                        "kary-ntree:k=2,n=3",
                                        "torus:2x3x2",
                                        "torus:5x4",
                                        "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges"};
  overload_history_on(fabrics[number % 7], number, method);
}

/* A history without in-transit packets: it does not jam, all that is lost is lost for one of the causes, and nothing
 * comes twice. */
static inline void assert_ends_well(scene *s, uint32_t number, const char *const *cause, size_t causes) {
  ripstop_run_result result = scene_run(s);
  if (result.verdict == RIPSTOP_DEADLOCKED) fail_msg("%u: %s", number, result.witness);
  if (delivered_between(&result, 11000, 12000) == 0 && is_traffic_left(s))
    fail_msg("%u on %s: nothing moves", number, s->fabric->spec);
  double lost = 0;
  char name[64];
  for (size_t i = 0; i < causes; i++) {
    snprintf(name, sizeof name, "lost.%s", cause[i]);
    lost += value(&result, name);
  }
  if (lost != (double)result.account.lost) fail_msg("%u: a packet is lost for another reason", number);
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
}

#endif
