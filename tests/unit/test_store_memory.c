/* test_store_memory.c - memory that runs out in a call of the store undoes what the call has begun, and no more. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "scarce.h"
#include "store/kept_runs.h"
#include "stored.h"

typedef int write_one(ripstop_store *store, const ripstop_run *run, ripstop_error *err);

static int put_one(ripstop_store *store, const ripstop_run *run, ripstop_error *err) {
  return ripstop_store_put(store, run, &outcome, err);
}

static int claim_one(ripstop_store *store, const ripstop_run *run, ripstop_error *err) {
  bool granted;
  return ripstop_store_claim(store, &run, 1, &granted, err);
}

/* Refuses each request of the call in turn, and the same call must succeed thereafter: no transaction stays open, which
 * would take the store from others too. */
static void refuse_each(ripstop_store *store, write_one *call, bool batch) {
  ripstop_error err = {0};
  long long refused = 0, told = 0;
  for (bool over = false; !over;) {
    char word[32];
    snprintf(word, sizeof word, "%d%lld", call == put_one, ++refused);
    const ripstop_run run = make_run(word);
    if (batch) assert_int_equal(ripstop_store_begin(store, &err), 0);
    scarce_refuse(refused);
    int status = call(store, &run, &err);
    over = scarce_asked < refused;
    scarce_refuse(0);
    if (!over) assert_int_equal(status, -1), assert_non_null(strstr(err.text, "out of memory")), told++;
    if (call(store, &run, &err)) fail_msg("request %lld: %s", refused, err.text);
    if (batch) assert_int_equal(ripstop_store_commit(store, &err), 0);
    if (call == put_one) assert_int_equal(ripstop_store_has(store, run.id, &err), 1);
  }
  assert_true(told > 0);
}

static void stores_are_left_as_they_were(void **state) {
  (void)state;
  ripstop_error err = {0};
  remove("scarce.db");
  ripstop_store *store = ripstop_store_open("scarce.db", RIPSTOP_STORE_WRITE, &err);
  if (!store || ripstop_store_ready(store, &err)) fail_msg("%s", err.text);
  for (int batch = 0; batch < 2; batch++) {
    refuse_each(store, put_one, batch);
    refuse_each(store, claim_one, batch);
  }
  ripstop_store_close(store);
  remove("scarce.db");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stores_are_left_as_they_were)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
