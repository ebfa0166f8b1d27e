/* test_xoff.c - the least switch.xoff (docs/model.md, "Space") is the least: with it the slow model never finds a queue
 * fuller than its size, and with one unit less it does. The engine refuses that.
 *
 * Traffic that never pauses and has one destination fills a queue to the last unit: queues far from the destination
 * stand still before their senders are notified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"
#include "stand.h"

enum { CYCLES = 4000, SEEDS = 8 };

typedef struct setting {
  const char *packet;
  int64_t shortest, longest, link, pipeline, credit;
  int64_t least[2]; /* in packets and in flits: by hand, from the text */
  int32_t forward;
} setting;

enum { CUT_THROUGH = RIPSTOP_FORWARD_CUT_THROUGH, STORE = RIPSTOP_FORWARD_STORE };
static const setting settings[] = {
    {"5", 5, 5, 1, 1, 1, {1, 5}, CUT_THROUGH},       /* d = 2: no whole packet is sent before the word is in force */
    {"1", 1, 1, 1, 0, 1, {2, 2}, CUT_THROUGH},       /* d = 1 */
    {"16", 16, 16, 20, 0, 40, {4, 64}, CUT_THROUGH}, /* d = 59: three packets, and one that has begun */
    {"4", 4, 4, 4, 3, 2, {3, 12}, CUT_THROUGH},      /* d = 8, a multiple of the packet */
    {"1:0.8/2:0.1/7:0.1", 1, 7, 4, 4, 4, {12, 18}, CUT_THROUGH},   /* d = 11 flits and 7 */
    {"4:0.5/8:0.5", 4, 8, 9, 0, 4, {4, 20}, CUT_THROUGH},          /* d = 12 and 8 */
    {"3:0.5/19:0.5", 3, 19, 10, 2, 11, {8, 41}, CUT_THROUGH},      /* d = 22 and 19 */
    {"1:0.98/64:0.02", 1, 64, 90, 1, 90, {181, 244}, CUT_THROUGH}, /* d = 180 and 64 */
    /* The packet that causes the word has come whole; d - 1 for those behind it. */
    {"5", 5, 5, 1, 1, 1, {2, 10}, STORE},                  /* d = 2 */
    {"16", 16, 16, 20, 0, 40, {5, 80}, STORE},             /* d = 59 */
    {"4", 4, 4, 4, 3, 2, {3, 12}, STORE},                  /* d = 8 */
    {"1:0.8/2:0.1/7:0.1", 1, 7, 4, 4, 4, {12, 24}, STORE}, /* d = 11 */
    {"3:0.5/19:0.5", 3, 19, 10, 2, 11, {9, 59}, STORE},    /* d = 22 */
};

static ripstop_simulate_settings scenario_of(const setting *it, ripstop_unit unit, int64_t xoff, uint64_t seed) {
  ripstop_simulate_settings s = {
      .seed = seed,
      .traffic =
          {.pattern = "hotspot:end=0,share=1", .process = "bernoulli", .load = 1, .packet = it->packet, .classes = "1"},
      .switch_ = {.in_queue = xoff > it->longest || unit == RIPSTOP_UNIT_PACKETS ? xoff : it->longest,
                  .unit = unit,
                  .flow = RIPSTOP_FLOW_XONXOFF,
                  .xoff = xoff,
                  .pipeline = it->pipeline,
                  .link = it->link,
                  .credit = it->credit,
                  .forward = it->forward,
                  .selection = "space",
                  .arbiter = "round-robin",
                  .queues = "input",
                  .speedup = 1,
                  .vcs = 1,
                  .buffer = 1 << 20,
                  .alpha = 1,
                  .lossless = true,
                  .headroom = RIPSTOP_HEADROOM_AUTO,
                  .match = "maximal",
                  .flit_errors = "0"},
      .measure = {.warmup = "0", .cycles = CYCLES, .batches = 20, .confidence = 0.95, .check = CYCLES}};
  return s;
}

/* The first rule that the slow model finds broken in one of the seeds; "": none. */
static void find_overflow(const stand *run_setup, const setting *it, ripstop_unit unit, int64_t xoff,
                          ripstop_error *err) {
  err->text[0] = '\0';
  for (uint64_t seed = 1; seed <= SEEDS && !*err->text; seed++) {
    ripstop_simulate_settings s = scenario_of(it, unit, xoff, seed);
    model_result result;
    if (model_run(run_setup->plan, &s, NULL, CYCLES, NULL, 0, &result, err) == 0) model_free(&result);
  }
}

static void try_setting(const stand *run_setup, const setting *it, ripstop_unit unit) {
  const int64_t least = it->least[unit];
  ripstop_error err;
  find_overflow(run_setup, it, unit, least, &err);
  if (*err.text) fail_msg("packets of %s, xoff = %lld: %s", it->packet, (long long)least, err.text);
  ripstop_simulate_settings s = scenario_of(it, unit, least, 1);
  if (ripstop_simulate_check(run_setup->plan, &s, &err)) fail_msg("packets of %s: %s", it->packet, err.text);
  if (least == 1 || (unit == RIPSTOP_UNIT_FLITS && least == it->longest))
    return; /* 0 is the least; too small for one */
  find_overflow(run_setup, it, unit, least - 1, &err);
  if (!strstr(err.text, "an input queue overflows"))
    fail_msg("packets of %s, xoff = %lld loses nothing", it->packet, (long long)least - 1);
  s = scenario_of(it, unit, least - 1, 1);
  assert_int_equal(ripstop_simulate_check(run_setup->plan, &s, &err), -1);
  char right[64];
  snprintf(right, sizeof right, "with these delays at least %lld must be free", (long long)least);
  assert_non_null(strstr(err.text, right));
}

static void one_unit_less_overflows(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("kary-ntree:k=2,n=3", &err);
  stand run_setup = stand_try(fabric, "updown", NULL, &err);
  assert_non_null(run_setup.plan);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    try_setting(&run_setup, &settings[i], RIPSTOP_UNIT_PACKETS);
    try_setting(&run_setup, &settings[i], RIPSTOP_UNIT_FLITS);
  }
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_unit_less_overflows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
