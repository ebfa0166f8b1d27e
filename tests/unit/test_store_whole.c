/* test_store_whole.c - stores as a whole: counted, merged, exported. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "store/kept_runs.h"
#include "stored.h"

#undef free /* open_memstream's text is the C library's */

static char folder[] = "/tmp/ripstop-whole-XXXXXX";
static char one[100], two[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(one, sizeof one, "%s/one.db", folder);
  snprintf(two, sizeof two, "%s/two.db", folder);
  return 0;
}

static int remove_stores(void **state) {
  (void)state;
  remove(one), remove(two);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

static ripstop_store *open_store(const char *path, ripstop_store_mode mode) {
  ripstop_error err;
  ripstop_store *store = ripstop_store_open(path, mode, &err);
  assert_non_null(store);
  return store;
}

static void put(const char *path, const ripstop_run *run, const ripstop_outcome *o) {
  ripstop_error err;
  ripstop_store *store = open_store(path, RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_put(store, run, o, &err), 0);
  ripstop_store_close(store);
}

static void edit(const char *path, const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static ripstop_store_merger merge(void) {
  ripstop_error err = {0};
  ripstop_store_merger sums = {0};
  ripstop_store *into = open_store(one, RIPSTOP_STORE_WRITE), *from = open_store(two, RIPSTOP_STORE_READ);
  if (ripstop_store_merge(into, from, &sums, &err)) fail_msg("%s", err.text);
  ripstop_store_close(from);
  ripstop_store_close(into);
  return sums;
}

static void stands(const char *path, const ripstop_run *run, const ripstop_outcome *o) {
  ripstop_error err;
  ripstop_outcome back;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_store *store = open_store(path, RIPSTOP_STORE_READ);
  assert_int_equal(ripstop_store_get(store, run->id, arena, &back, &err), 1);
  assert_true(same_outcome(&back, o));
  ripstop_store_close(store);
  ripstop_arena_free(arena);
}

static void all_is_counted(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store_tally t;
  ripstop_run a = make_run("a"), b = make_run("b");
  ripstop_outcome steady = outcome;
  steady.verdict = "steady", steady.windows = 0;
  put(one, &a, &outcome), put(one, &b, &steady);
  ripstop_store *store = open_store(one, RIPSTOP_STORE_WRITE);
  const ripstop_run next = make_run("c"), *wanted = &next;
  bool granted;
  assert_int_equal(ripstop_store_claim(store, &wanted, 1, &granted, &err), 0);
  assert_int_equal(ripstop_store_check(store, &t, &err), 0);
  ripstop_store_close(store);
  assert_int_equal(t.runs, 2);
  assert_int_equal(t.of[0], 1); /* steady */
  assert_int_equal(t.of[2], 1); /* deadlocked */
  assert_int_equal(t.numbers, 8);
  assert_int_equal(t.windows, 2);
  assert_int_equal(t.doubted + t.stray, 0);
  assert_int_equal(t.outdated, 2); /* their settings are of no model */
  assert_int_equal(t.owners, 1);
  assert_int_equal(t.leases, 1);
}

/* The same run done twice differs in its seconds, and in the program's version where that is another. */
static void merged_runs_are_added_or_there_or_reported(void **state) {
  (void)state;
  ripstop_run a = make_run("a"), b = make_run("b"), c = make_run("c");
  ripstop_outcome again = outcome, other = outcome;
  const ripstop_window later[] = {windows[0], {200, 6, 7, 8, 1, 128, 31.25}};
  again.seconds = 99;
  other.window = later;
  put(one, &a, &outcome), put(one, &b, &outcome);
  put(two, &a, &again), put(two, &b, &other), put(two, &c, &other);
  ripstop_store_merger sums = merge();
  assert_int_equal(sums.added, 1);
  assert_int_equal(sums.there, 1);
  assert_int_equal(sums.conflicts, 1);
  assert_string_equal(sums.conflict, b.id);
  assert_int_equal(sums.doubted, 0);
  stands(one, &a, &outcome), stands(one, &b, &outcome), stands(one, &c, &other);
  stands(two, &a, &again), stands(two, &b, &other), stands(two, &c, &other);
}

/* A damaged row there is left out, a damaged row here is replaced; and so are the claimed ones. */
static void merged_runs_are_believed(void **state) {
  (void)state;
  ripstop_run a = make_run("a"), b = make_run("b");
  put(one, &b, &outcome);
  put(two, &a, &outcome), put(two, &b, &outcome);
  edit(one, "UPDATE runs SET verdict = 'steady'");
  edit(two, "UPDATE runs SET verdict = 'steady' WHERE run = 1");
  ripstop_store_merger sums = merge();
  assert_int_equal(sums.added, 1);
  assert_int_equal(sums.there + sums.conflicts, 0);
  assert_int_equal(sums.doubted, 1);
  assert_string_equal(sums.doubt, a.id);
  stands(one, &b, &outcome);
}

/* ------------------------------------------------------------------ export */

static char *exported(const char *path, int64_t *doubted) {
  ripstop_error err;
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_store_columns columns;
  ripstop_store *store = open_store(path, RIPSTOP_STORE_READ);
  assert_int_equal(ripstop_store_columns_of(store, arena, &columns, &err), 0);
  *doubted = ripstop_store_export(store, &columns, file, &err);
  ripstop_store_close(store);
  ripstop_arena_free(arena);
  fclose(file);
  return text;
}

static void put_first(const char *canonical, const char *reason, size_t count, const ripstop_value *value) {
  ripstop_run run = run_of(canonical);
  const ripstop_outcome o = {
      .verdict = "steady", .faults = "", .reason = reason, .values = count, .value = value, .seconds = 0.5};
  put(one, &run, &o);
}

/* A cell that begins a formula is made harmless, numbers stay numbers. */
static void cells_are_what_they_should_be(void **state) {
  (void)state;
  static const ripstop_value first[] = {{"x", "s", 0.1 + 0.2, NAN}, {"y", "", -3, 0.5}},
                             second[] = {{"y", "", 1e300, NAN}, {"x", "ms", INFINITY, NAN}, {"-z", "1", NAN, NAN}};
  int64_t doubted;
  put_first("a=-1\nb==1+1\nc=\n", "+1 \"up\",\ndown", 2, first);
  put_first("a=2.5\nb=-x\nd=@sum\n", NULL, 3, second);
  put_first("a=3\nb=-7e2\nd=plain\n", "=cmd", 0, NULL);
  char *text = exported(one, &doubted), line[300];
  assert_int_equal(doubted, 0);
  static const char *const want[] = {"%s," RIPSTOP_VERSION
                                     ",steady,\"'+1 \"\"up\"\",\ndown\",,0.5,-1,'=1+1,,,0.30000000000000004,-3,0.5,,\n",
                                     "%s," RIPSTOP_VERSION ",steady,,,0.5,2.5,'-x,,'@sum,,1e+300,,inf,\n",
                                     "%s," RIPSTOP_VERSION ",steady,'=cmd,,0.5,3,-7e2,,plain,,,,,\n"};
  static const char *const canonical[] = {"a=-1\nb==1+1\nc=\n", "a=2.5\nb=-x\nd=@sum\n", "a=3\nb=-7e2\nd=plain\n"};
  for (int i = 0; i < 3; i++) {
    snprintf(line, sizeof line, want[i], run_of(canonical[i]).id);
    if (!strstr(text, line)) fail_msg("no '%s' in '%s'", line, text);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(all_is_counted, remove_stores),
      cmocka_unit_test_teardown(merged_runs_are_added_or_there_or_reported, remove_stores),
      cmocka_unit_test_teardown(merged_runs_are_believed, remove_stores),
      cmocka_unit_test_teardown(cells_are_what_they_should_be, remove_stores),
  };
  return RUN_GROUP(tests, make_folder, remove_folder);
}
