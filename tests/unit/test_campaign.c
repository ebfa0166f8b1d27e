/* test_campaign.c - a program that links the library does an experiment: what is reported, what is stored, and that a
 * campaign goes on where another one ended. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "campaign/todo.h"
#include "check.h"
#include "opened.h"
#include "ripstop/kit/report.h"

static char path[] = "/tmp/ripstop-campaign-XXXXXX";

static int fresh_path(void **state) {
  (void)state;
  int file = mkstemp(path);
  return file < 0 || close(file) || unlink(path) ? -1 : 0;
}

static int remove_store(void **state) {
  (void)state;
  unlink(path);
  memset(path + sizeof path - 7, 'X', 6);
  return 0;
}

/* The events of a campaign, which is stopped after `end_after` runs. */
typedef struct record {
  size_t of[RIPSTOP_CAMPAIGN_ENDED + 1], end_after;
  ripstop_campaign_progress first; /* when it started */
  char text[200];                  /* the last */
  int result;                      /* when it ended */
  atomic_int stop;
} record;

static void note(void *context, const ripstop_campaign_event *e) {
  record *r = context;
  if (e->kind == RIPSTOP_CAMPAIGN_STARTED) r->first = *e->progress;
  if (e->kind == RIPSTOP_CAMPAIGN_RAN) assert_non_null(e->outcome->verdict);
  if (e->kind == RIPSTOP_CAMPAIGN_ENDED) r->result = e->result;
  if (e->text) snprintf(r->text, sizeof r->text, "%s", e->text);
  if (++r->of[e->kind] == r->end_after && e->kind == RIPSTOP_CAMPAIGN_RAN) atomic_store(&r->stop, 1);
}

static ripstop_campaign *open_campaign(const ripstop_campaign_settings *settings) {
  ripstop_error err = {0};
  ripstop_campaign *c = ripstop_campaign_open(settings, &err);
  if (!c) fail_msg("%s", err.text);
  return c;
}

static ripstop_campaign_settings settings_for(const ripstop_runs *runs, record *r) {
  ripstop_campaign_settings s = ripstop_campaign_defaults(NULL);
  s.spec = runs->spec, s.store = path, s.workers = 1;
  if (r) s.progress = note, s.context = r, s.stop = &r->stop;
  return s;
}

/* Returns the status of a campaign of these runs; its progress comes to `out`. */
static int run(const ripstop_runs *runs, record *r, ripstop_campaign_progress *out) {
  ripstop_error err = {0};
  const ripstop_campaign_settings settings = settings_for(runs, r);
  ripstop_campaign *c = open_campaign(&settings);
  int result = ripstop_campaign_run(c, &err);
  if (result < 0) fail_msg("%s", err.text);
  *out = *ripstop_campaign_state(c);
  assert_int_equal(ripstop_campaign_end(c, &err), 0);
  return result;
}

static size_t stored(const ripstop_runs *runs) {
  ripstop_error err = {0};
  ripstop_campaign_settings settings = settings_for(runs, NULL);
  ripstop_data data;
  size_t count = 0;
  settings.mode = RIPSTOP_CAMPAIGN_READ;
  ripstop_campaign *c = open_campaign(&settings);
  if (ripstop_report_load(c, RIPSTOP_LOAD_TABLES, &data, &err)) fail_msg("%s", err.text);
  for (size_t i = 0; i < data.runs->count; i++) count += data.outcome[i] != NULL;
  ripstop_campaign_close(c);
  return count;
}

static void an_interrupted_campaign_is_continued(void **state) {
  const ripstop_runs *runs = *state;
  record r = {.end_after = 5};
  ripstop_campaign_progress p;
  assert_int_equal(run(runs, &r, &p), 1);
  assert_int_equal(r.first.to_do, SMALL_RUNS);
  assert_true(r.of[RIPSTOP_CAMPAIGN_STARTED] == 1 && r.of[RIPSTOP_CAMPAIGN_ENDED] == 1 && r.result == 1);
  assert_true(p.done >= 5 && p.done < SMALL_RUNS && p.done == r.of[RIPSTOP_CAMPAIGN_RAN]);
  assert_int_equal(stored(runs), p.done);

  const size_t before = p.done;
  r = (record){0};
  assert_int_equal(run(runs, &r, &p), 0);
  assert_true(p.stored == before && p.to_do == SMALL_RUNS - before && p.done == p.to_do && !p.others);
  size_t verdicts = 0;
  for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) verdicts += p.verdict[v];
  assert_int_equal(verdicts, p.done);
  assert_int_equal(stored(runs), SMALL_RUNS);

  r = (record){0};
  assert_int_equal(run(runs, &r, &p), 0);
  assert_true(p.to_do == 0 && r.of[RIPSTOP_CAMPAIGN_STARTED] == 1 && !r.of[RIPSTOP_CAMPAIGN_RAN]);
}

static void parts_are_all_runs_and_have_stores_of_their_own(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_campaign_settings settings = settings_for(runs, NULL);
  size_t sum = 0;
  settings.store = NULL, settings.mode = RIPSTOP_CAMPAIGN_ESTIMATE;
  for (unsigned part = 1; part <= 3; part++) {
    ripstop_error err = {0};
    ripstop_campaign_cost cost;
    settings.shard = (ripstop_shard){part, 3};
    ripstop_campaign *c = open_campaign(&settings);
    assert_int_equal(ripstop_campaign_estimate(c, &cost, &err), 0);
    sum += cost.to_do;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "out/x.%u-of-3.db", part);
    assert_string_equal(ripstop_campaign_store_path(c), wanted);
    assert_int_equal(access(wanted, F_OK), -1); /* nothing is made */
    ripstop_campaign_close(c);
  }
  assert_int_equal(sum, SMALL_RUNS);
}

static void an_estimate_uses_what_is_stored(void **state) {
  const ripstop_runs *runs = *state;
  record r = {.end_after = 7};
  ripstop_campaign_progress p;
  ripstop_campaign_cost none, some;
  ripstop_error err = {0};
  ripstop_campaign_settings settings = settings_for(runs, NULL);
  settings.mode = RIPSTOP_CAMPAIGN_ESTIMATE;
  ripstop_campaign *c = open_campaign(&settings);
  assert_int_equal(ripstop_campaign_estimate(c, &none, &err), 0);
  ripstop_campaign_close(c);
  assert_true(none.to_do == SMALL_RUNS && none.by[RIPSTOP_GUESS_ASSUMED] == SMALL_RUNS && !none.run_bytes_known);
  assert_true(none.engine_bytes > 0 && none.seconds[0] > 0 && none.workers == 1);

  run(runs, &r, &p);
  c = open_campaign(&settings);
  assert_int_equal(ripstop_campaign_estimate(c, &some, &err), 0);
  ripstop_campaign_close(c);
  assert_true(some.stored == p.done && some.to_do == SMALL_RUNS - p.done && some.run_bytes_known);
  assert_int_equal(some.by[RIPSTOP_GUESS_ASSUMED] + some.by[RIPSTOP_GUESS_NONE], 0);
}

static void plans_are_proved_once_before_the_runs(void **state) {
  const ripstop_runs *runs = *state;
  record r = {0};
  ripstop_error err = {0};
  ripstop_campaign_settings settings = settings_for(runs, &r);
  settings.prove = true;
  ripstop_campaign *c = open_campaign(&settings);
  assert_int_equal(ripstop_campaign_run(c, &err), 0);
  const ripstop_campaign_progress p = *ripstop_campaign_state(c);
  ripstop_campaign_close(c);
  /* two methods; no fault, and four samples of one and of two; loads do not count */
  assert_true(p.proved == 2 * (1 + 4 + 4) && p.refuted > 0 && p.broken == 0);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "18 plans proved, %.0f of them refuted", p.refuted);
  assert_string_equal(r.text, wanted);
  assert_int_equal(r.of[RIPSTOP_CAMPAIGN_PROVED], (size_t)p.refuted + 1);
}

static void a_store_that_is_not_there_has_no_rows_or_is_an_error(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_error err = {0};
  ripstop_campaign_settings settings = settings_for(runs, NULL);
  ripstop_data data;
  settings.mode = RIPSTOP_CAMPAIGN_READ;
  assert_null(ripstop_campaign_open(&settings, &err));
  settings.mode = RIPSTOP_CAMPAIGN_READ_ANY;
  assert_null(ripstop_campaign_open(&settings, &err)); /* it was named */
  settings.store = NULL;
  ripstop_campaign *c = open_campaign(&settings);
  assert_int_equal(ripstop_report_load(c, RIPSTOP_LOAD_ALL, &data, &err), 0);
  for (size_t i = 0; i < SMALL_RUNS; i++) assert_null(data.outcome[i]);
  ripstop_campaign_close(c);
}

static const char *load_of(const ripstop_run *one, ripstop_arena *arena) {
  (void)arena;
  return ripstop_run_key(one, "traffic.load");
}

static void the_first_run_of_each_key_stays(void **state) {
  const ripstop_runs *runs = *state;
  const ripstop_run *list[SMALL_RUNS];
  ripstop_arena *arena = ripstop_arena_new();
  list_runs(runs, list);
  assert_int_equal(campaign_distinct(arena, load_of, list, SMALL_RUNS), 2);
  assert_ptr_equal(list[0], &runs->run[0]);
  assert_string_equal(load_of(list[1], arena), "0.9");
  for (const ripstop_run *before = runs->run; before < list[1]; before++)
    assert_string_equal(load_of(before, arena), "0.2");
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_interrupted_campaign_is_continued, fresh_path, remove_store),
      cmocka_unit_test(parts_are_all_runs_and_have_stores_of_their_own),
      cmocka_unit_test_setup_teardown(an_estimate_uses_what_is_stored, fresh_path, remove_store),
      cmocka_unit_test_setup_teardown(plans_are_proved_once_before_the_runs, fresh_path, remove_store),
      cmocka_unit_test(a_store_that_is_not_there_has_no_rows_or_is_an_error),
      cmocka_unit_test(the_first_run_of_each_key_stays),
  };
  return RUN_GROUP(tests, open_small, close_group);
}
