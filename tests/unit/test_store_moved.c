/* test_store_moved.c - a store whose file is removed, renamed or replaced while it is open: that is said, and all that
 * was committed is in a file that the error names. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "stored.h"

static char home[] = "/tmp/ripstop-moved-XXXXXX";

static int enter_folder(void **state) {
  (void)state;
  return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
  (void)state;
  return chdir("/") || rmdir(home);
}

static void shell(const char *command) {
  int status = system(command);
  if (status) print_message("%s\n", command), status = system("ls -R");
  assert_int_equal(status, 0);
}

static int put(ripstop_store *store, int n, ripstop_error *err) {
  char word[12];
  snprintf(word, sizeof word, "%d", n);
  ripstop_run run = make_run(word);
  return ripstop_store_put(store, &run, &outcome, err);
}

static int64_t count(const char *path) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  if (!store) print_message("%s\n", err.text);
  assert_non_null(store);
  ripstop_store_tally tally;
  assert_int_equal(ripstop_store_check(store, &tally, &err), 0);
  assert_int_equal(tally.doubted + tally.stray, 0);
  ripstop_store_close(store);
  return (int64_t)tally.runs;
}

/* Ten runs, then the command, then one more in a batch or without. The runs are in `kept`, which the error names. */
static void keeps(const char *command, const char *path, const char *kept, const char *word, bool batch) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  assert_non_null(store);
  for (int i = 0; i < 10; i++) assert_int_equal(put(store, i, &err), 0);
  shell(command);
  if (batch) {
    assert_int_equal(ripstop_store_begin(store, &err), 0);
    assert_int_equal(put(store, 10, &err), 0);
    assert_int_equal(ripstop_store_commit(store, &err), -1);
  } else {
    assert_int_equal(put(store, 10, &err), -1);
  }
  if (!strstr(err.text, kept) || !strstr(err.text, word)) print_message("%s\n", err.text);
  assert_non_null(strstr(err.text, kept));
  assert_non_null(strstr(err.text, word));
  assert_true(err.machine);
  assert_int_equal(put(store, 11, &err), -1);
  assert_int_equal(ripstop_store_begin(store, &err), -1);
  ripstop_store_close(store);
  assert_int_equal(count(kept), 11);
}

static void removed(void **state) {
  (void)state;
  for (int batch = 0; batch < 2; batch++) {
    keeps("rm x.db", "x.db", "x.db.rescued-1", "11 runs were saved", batch);
    assert_int_equal(access("x.db", F_OK), -1);
    shell("[ \"$(ls)\" = x.db.rescued-1 ] && rm x.db.rescued-1");
    keeps("rm x.db*; echo mine >x.db.rescued-1", "x.db", "x.db.rescued-2", "removed", batch);
    shell("[ \"$(cat x.db.rescued-1)\" = mine ] && rm x.db.rescued-?");
    keeps("rm -r out", "out/x.db", "out/x.db.rescued-1", "removed", batch);
    shell("rm -r out");
  }
}

static void renamed(void **state) {
  (void)state;
  for (int batch = 0; batch < 2; batch++) {
    keeps("mv x.db y.db", "x.db", "y.db", "has all that was stored", batch);
    shell("[ \"$(ls)\" = y.db ] && rm y.db");
    keeps("mv out away", "out/x.db", "away/x.db", "has all that was stored", batch);
    shell("rm -r away");
  }
}

/* The store that is there now stays as it is, and what is beside it. */
static void replaced(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *other = ripstop_store_open("other.db", RIPSTOP_STORE_WRITE, &err);
  for (int i = 0; i < 3; i++) assert_int_equal(put(other, i, &err), 0);
  ripstop_store_close(other);
  for (int batch = 0; batch < 2; batch++) {
    keeps("cp other.db new && mv new x.db", "x.db", "x.db.rescued-1", "11 runs were saved", batch);
    shell("cmp other.db x.db && rm x.db.rescued-1 && [ \"$(ls)\" = 'other.db\nx.db' ] && rm x.db");
    keeps("mv x.db y.db && cp other.db x.db", "x.db", "y.db", "has all that was stored", batch);
    shell("cmp other.db x.db && rm x.db y.db");
    keeps("rm x.db* && cp other.db x.db && echo log >x.db-wal", "x.db", "x.db.rescued-1", "removed", batch);
    shell("cmp other.db x.db && [ \"$(cat x.db-wal)\" = log ] && rm x.db*");
    shell("cp other.db real.db && ln -s real.db x.db");
    keeps("ln -sf other.db x.db", "x.db", "real.db", "has all that was stored", batch);
    shell("rm x.db real.db");
  }
  assert_int_equal(count("other.db"), 3);
  shell("rm other.db");
}

/* Not all can be saved then; but it is said, and nothing more is written over what is there now. */
static void overwritten(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *store = ripstop_store_open("x.db", RIPSTOP_STORE_WRITE, &err);
  for (int i = 0; i < 10; i++) assert_int_equal(put(store, i, &err), 0);
  shell("echo mine >x.db");
  assert_int_equal(put(store, 10, &err), -1);
  assert_non_null(strstr(err.text, "overwritten"));
  assert_true(err.machine);
  ripstop_store_close(store);
  shell("[ \"$(cat x.db)\" = mine ] && [ \"$(ls | grep -v rescued)\" = x.db ] && rm x.db*");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(removed), cmocka_unit_test(renamed), cmocka_unit_test(replaced),
                                     cmocka_unit_test(overwritten)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
