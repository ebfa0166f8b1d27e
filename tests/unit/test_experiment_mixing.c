/* test_experiment_mixing.c - figures that would mix values of a key are refused, and no others: for random parts of a
 * product, beside the runs themselves; and for thousands of parts at once.
 *
 * Slow: many runs. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "opened.h"

enum { KEYS = 5, VALUES = 3, CASES = 600 };

static const struct key {
  const char *name;
  size_t count;
  const char *value[VALUES];
} keys[KEYS] = {{"method", 2, {"updown", "misroute"}},
                {"seed", 2, {"1", "2"}},
                {"switch.in_queue", 3, {"2", "4", "8"}},
                {"traffic.load", 3, {"0.1", "0.2", "0.3"}},
                {"traffic.packet", 2, {"4", "8"}}};

static const char product[] = "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\nseed: [1, 2]\n"
                              "switch: {in_queue: [2, 4, 8]}\n"
                              "traffic: {load: [0.1, 0.2, 0.3], packet: [4, 8]}\nmeasure: {cycles: 100}\n";

typedef struct question {
  unsigned left[KEYS]; /* values that the figure's filter leaves, a bit each */
  bool shown[KEYS];
} question;

/* A map of some keys with some of their values; `chosen`: the values of each. */
static void draw_filters(ripstop_text *text, ripstop_stream *stream, unsigned chosen[KEYS]) {
  const char *separator = "{";
  for (size_t k = 0; k < KEYS; k++) {
    unsigned all = (1u << keys[k].count) - 1, some = ripstop_stream_below(stream, all + 1);
    chosen[k] = some ? some : all;
    if (!some) continue;
    ripstop_text_add(text, "%s%s: [", separator, keys[k].name);
    const char *comma = "";
    for (size_t v = 0; v < keys[k].count; v++)
      if (some >> v & 1) ripstop_text_add(text, "%s%s", comma, keys[k].value[v]), comma = ", ";
    ripstop_text_add(text, "]");
    separator = ", ";
  }
  ripstop_text_add(text, *separator == '{' ? "{seed: [1, 2]}" : "}");
}

static void draw_figure(ripstop_text *text, ripstop_stream *stream, question *q) {
  size_t x = ripstop_stream_below(stream, KEYS);
  ripstop_text_add(text, "figures:\n  - {id: a, x: %s, y: accepted, by: [", keys[x].name);
  const char *comma = "";
  for (size_t k = 0; k < KEYS; k++) {
    q->shown[k] = k == x || ripstop_stream_below(stream, 2) == 1;
    if (q->shown[k] && k != x) ripstop_text_add(text, "%s%s", comma, keys[k].name), comma = ", ";
  }
  ripstop_text_add(text, "], where: ");
  draw_filters(text, stream, q->left);
  ripstop_text_add(text, "}\n");
}

static unsigned value_in(const ripstop_run *run, size_t k) {
  for (unsigned v = 0; v < keys[k].count; v++)
    if (!strncmp(ripstop_run_key(run, keys[k].name), keys[k].value[v], strlen(keys[k].value[v]))) return v;
  fail_msg("%s has no value", keys[k].name);
  return 0;
}

static bool in_figure(const question *q, const ripstop_run *run) {
  for (size_t k = 0; k < KEYS; k++)
    if (!(q->left[k] >> value_in(run, k) & 1)) return false;
  return true;
}

/* True if the two are on one point, and differ in more than the seed. */
static bool mix(const question *q, const ripstop_run *a, const ripstop_run *b) {
  bool differ = false;
  for (size_t k = 0; k < KEYS; k++) {
    bool other = value_in(a, k) != value_in(b, k);
    if (q->shown[k] && other) return false;
    differ |= other && strcmp(keys[k].name, "seed") != 0;
  }
  return differ;
}

static bool would_mix(const question *q, const ripstop_runs *runs) {
  for (size_t i = 0; i < runs->count; i++)
    for (size_t j = 0; j < i && in_figure(q, &runs->run[i]); j++)
      if (in_figure(q, &runs->run[j]) && mix(q, &runs->run[i], &runs->run[j])) return true;
  return false;
}

static bool is_refused(const char *text) {
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  if (!spec && !strstr(err.text, "'a' would mix ")) fail_msg("%s\n%s", err.text, text);
  ripstop_spec_free(spec);
  return !spec;
}

static void figures_mix_what_their_runs_mix(void **state) {
  (void)state;
  size_t refused = 0;
  for (uint64_t i = 0; i < CASES; i++) {
    ripstop_stream stream = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, i);
    ripstop_text text = {0};
    question q = {{0}, {false}};
    unsigned ignored[KEYS];
    ripstop_text_add(&text, "%sonly:\n", product);
    for (uint32_t parts = 1 + ripstop_stream_below(&stream, 5); parts > 0; parts--) {
      ripstop_text_add(&text, "  - ");
      draw_filters(&text, &stream, ignored);
      ripstop_text_add(&text, "\n");
    }
    ripstop_runs *runs = open_runs(text.data);
    draw_figure(&text, &stream, &q);
    bool want = would_mix(&q, runs);
    if (is_refused(text.data) != want) fail_msg("%s:\n%s", want ? "it would mix" : "it mixes nothing", text.data);
    refused += want;
    close_runs(runs);
    ripstop_text_free(&text);
  }
  assert_in_range(refused, CASES / 10, CASES * 9 / 10);
}

/* Seconds of this processor; the time that it takes grew with the third power of the parts once: minutes. */
static void thousands_of_parts_are_compared_at_once(void **state) {
  (void)state;
  enum { PARTS = 10000, SECONDS = 10 };
  static const char *const figures[] = {"{id: a, x: traffic.load, y: accepted, by: [method]}",
                                        "{id: a, x: seed, y: accepted, by: [method]}", "{id: a, x: seed, y: accepted}"};
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
    ripstop_text text = {0};
    ripstop_text_add(&text,
                     "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\ntraffic: {load: [0.1, 0.2]}\nseed: [1");
    for (int i = 2; i <= PARTS; i++) ripstop_text_add(&text, ", %d", i);
    ripstop_text_add(&text, "]\nonly:\n");
    for (int i = 1; i <= PARTS; i++) ripstop_text_add(&text, "  - {seed: %d, traffic.load: 0.%d}\n", i, 1 + i % 2);
    ripstop_text_add(&text, "figures: [%s]\n", figures[f]);
    clock_t begun = clock();
    assert_false(is_refused(text.data));
    assert_true(clock() - begun < (clock_t)SECONDS * CLOCKS_PER_SEC);
    ripstop_text_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures_mix_what_their_runs_mix),
                                     cmocka_unit_test(thousands_of_parts_are_compared_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
