/* test_store_moved.c - a store whose file is removed, renamed or replaced while it is open: that is said, and all that
 * was committed is in a file that the error names. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "check.h"
#include "store/kept_runs.h"
#include "stored.h"

/* Every file system is a network's while this is set: stores have a rollback journal there. */
static bool on_network;

int statfs(const char *path, struct statfs *out) {
  const long status = syscall(SYS_statfs, path, out);
  if (on_network) out->f_type = 0x6969; /* NFS */
  return (int)status;
}

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
    ripstop_error later;
    assert_int_equal(ripstop_store_begin(store, &err), 0);
    const int status = put(store, 10, &err);
    assert_true(!status || on_network);
    assert_int_equal(ripstop_store_commit(store, status ? &later : &err), -1);
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
  const int64_t runs = count(kept); /* without a log SQLite refuses to write into a file that has no such name */
  assert_true(runs == 11 || (on_network && runs == 10));
}

static void removed(void **state) {
  (void)state;
  for (int batch = 0; batch < 2; batch++) {
    keeps("rm x.db", "x.db", "x.db.rescued-1", "runs were saved", batch);
    assert_int_equal(access("x.db", F_OK), -1);
    shell("[ \"$(ls)\" = x.db.rescued-1 ] && rm x.db.rescued-1");
    keeps("rm x.db*; echo mine >x.db.rescued-1", "x.db", "x.db.rescued-2", "removed", batch);
    shell("[ \"$(cat x.db.rescued-1)\" = mine ] && rm x.db.rescued-?");
    keeps("rm -r out", "out/x.db", "out/x.db.rescued-1", "removed", batch);
    shell("rm -r out");
  }
}

/* A file with another name keeps it: the move does not know it. */
static void another_name_stays(void **state) {
  (void)state;
  for (int batch = 0; batch < 2; batch++) {
    keeps("ln x.db hard.db; rm x.db", "x.db", "x.db.rescued-1", "runs were saved", batch);
    shell("rm hard.db x.db*");
  }
}

/* After the last run was put: closing says it. */
static void ends_with_a_reason(const char *command, const char *kept) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open("x.db", RIPSTOP_STORE_WRITE, &err);
  assert_non_null(store);
  for (int i = 0; i < 10; i++) assert_int_equal(put(store, i, &err), 0);
  shell(command);
  assert_int_equal(ripstop_store_end(store, &err), -1);
  assert_true(err.machine);
  assert_non_null(strstr(err.text, kept));
  assert_int_equal(count(kept), 10);
  shell("rm -f x.db* y.db");
}

static void the_end_is_checked(void **state) {
  (void)state;
  ripstop_error err;
  ends_with_a_reason("rm x.db", "x.db.rescued-1");
  ends_with_a_reason("mv x.db y.db", "y.db");
  ends_with_a_reason("echo other >y.db; cat y.db >x.db", "x.db.rescued-1");
  ends_with_a_reason("echo other >y.db; mv y.db x.db", "x.db.rescued-1");
  ripstop_store *store = ripstop_store_open("x.db", RIPSTOP_STORE_WRITE, &err);
  assert_int_equal(put(store, 0, &err), 0);
  assert_int_equal(ripstop_store_end(store, &err), 0);
  assert_int_equal(count("x.db"), 1);
  assert_int_equal(ripstop_store_end(NULL, &err), 0);
  shell("rm x.db");
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
    keeps("cp other.db new && mv new x.db", "x.db", "x.db.rescued-1", "runs were saved", batch);
    shell("cmp other.db x.db && rm x.db.rescued-1 && [ \"$(ls)\" = 'other.db\nx.db' ] && rm x.db");
    keeps("mv x.db y.db && cp other.db x.db", "x.db", "y.db", "has all that was stored", batch);
    shell("cmp other.db x.db && rm x.db y.db");
    if (!on_network) { /* without a log SQLite takes any for the store's */
      keeps("rm x.db* && cp other.db x.db && echo log >x.db-wal", "x.db", "x.db.rescued-1", "removed", batch);
      shell("cmp other.db x.db && [ \"$(cat x.db-wal)\" = log ] && rm x.db*");
    }
    shell("cp other.db real.db && ln -s real.db x.db");
    keeps("ln -sf other.db x.db", "x.db", "real.db", "has all that was stored", batch);
    shell("rm x.db real.db");
  }
  assert_int_equal(count("other.db"), 3);
  shell("rm other.db");
}

static ripstop_store *open_new(const char *path) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  assert_non_null(store);
  return store;
}

/* One of many pages: the log becomes long after few of them. */
static int put_large(ripstop_store *store, int n, int bytes, ripstop_error *err) {
  static char reason[(1 << 20) + 1];
  char word[12];
  ripstop_outcome large = outcome;
  memset(reason, 'x', sizeof reason - 1);
  large.reason = reason + sizeof reason - 1 - bytes;
  snprintf(word, sizeof word, "%d", n);
  ripstop_run run = make_run(word);
  return ripstop_store_put(store, &run, &large, err);
}

/* One batch: 100 are enough for a checkpoint. */
static void fill(ripstop_store *store, int from, int runs) {
  ripstop_error err = {0};
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  for (int i = from; i < from + runs; i++) assert_int_equal(put_large(store, i, 50000, &err), 0);
  assert_int_equal(ripstop_store_commit(store, &err), 0);
}

/* A store of some runs that no other store here has. */
static void make_other(const char *path, int runs) {
  ripstop_store *other = open_new(path);
  fill(other, 100000, runs);
  ripstop_store_close(other);
}

static void is_overwritten(const ripstop_error *err) {
  if (!strstr(err->text, "was overwritten by another file")) print_message("%s\n", err->text);
  assert_non_null(strstr(err->text, "was overwritten by another file"));
  assert_true(err->machine);
}

/* The file that was copied over the store is as it was, all runs are in one beside it, and nothing else is left. */
static void all_is_there(const char *other, int64_t runs) {
  char command[200];
  snprintf(command, sizeof command, "cmp %s x.db && [ \"$(ls x.db*)\" = 'x.db\nx.db.rescued-1' ]", other);
  shell(command);
  assert_int_equal(count("x.db.rescued-1"), runs);
  shell("rm x.db*");
}

/* When the file is overwritten: between two transactions, within a batch before or after its last run, or at last. */
typedef enum moment { BETWEEN, EARLY, LATE, LAST, MOMENTS } moment;

static void put_batch(ripstop_store *store, int from, const char *command, moment when, ripstop_error *err) {
  int status = ripstop_store_begin(store, err);
  if (!status && when == EARLY) shell(command);
  for (int i = from; i < from + 10 && !status; i++) status = put(store, i, err);
  if (!status && when == LATE) shell(command);
  ripstop_error later;
  assert_int_equal(ripstop_store_commit(store, status ? &later : err), -1);
}

static void overwrite(const char *other, int before, moment when) {
  char command[100];
  ripstop_error err = {0};
  ripstop_store *store = open_new("x.db");
  snprintf(command, sizeof command, "cat %s >x.db", other);
  fill(store, 0, before);
  if (when == BETWEEN || when == LAST) shell(command);
  if (when == BETWEEN) assert_int_equal(put(store, before, &err), -1);
  if (when == EARLY || when == LATE) put_batch(store, before, command, when, &err);
  if (when != LAST) is_overwritten(&err);
  if (when != LAST) assert_int_equal(put(store, 99999, &err) | ripstop_store_begin(store, &err), -1);
  ripstop_store_close(store);
}

/* By a smaller store, a larger one, one of the same size, and files that are none; before the first checkpoint and
 * after some. What BEGIN refuses was not put. */
static void overwritten(void **state) {
  (void)state;
  static const int before[] = {0, 10, 100};
  make_other("small.db", 2);
  make_other("large.db", 300);
  shell("echo mine >text; : >empty; head -c 300000 large.db >part; cp large.db x.db");
  overwrite("small.db", 0, LAST); /* nothing was put */
  shell("cmp small.db x.db && [ \"$(ls x.db*)\" = x.db ] && rm x.db");
  static const char *const others[] = {"small.db", "large.db", "text", "empty", "part"};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    for (size_t j = 0; j < sizeof others / sizeof *others; j++)
      for (int when = before[i] ? BETWEEN : EARLY; when < (before[i] ? (int)MOMENTS : (int)LAST); when++) {
        overwrite(others[j], before[i], (moment)when);
        char command[100];
        snprintf(command, sizeof command, "cmp %s x.db", others[j]);
        shell(command);
        if (before[i]) {
          const int64_t least = before[i], runs = count("x.db.rescued-1");
          assert_true(runs >= least && runs <= least + 10);
          if (when == LATE) assert_int_equal(runs, least + 10);
        }
        shell("[ -z \"$(ls x.db-* 2>/dev/null)\" ] && rm x.db*");
      }
  shell("rm small.db large.db text empty part");
}

/* A copy of a store that is being written has the mode of one that is, and may be one of this very store. */
static void overwritten_by_a_live_one(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_store *other = open_new("other.db"), *store = open_new("x.db");
  fill(other, 5000, 100);
  shell("cp other.db copy.db");
  fill(store, 0, 90);
  shell("cp x.db early.db");
  shell("cat copy.db >x.db");
  assert_int_equal(put(store, 90, &err), -1);
  is_overwritten(&err);
  ripstop_store_close(store);
  all_is_there("copy.db", 90);
  store = open_new("x.db");
  fill(store, 0, 100);
  shell("cat early.db >x.db");
  assert_int_equal(put(store, 100, &err), -1);
  is_overwritten(&err);
  ripstop_store_close(store);
  all_is_there("early.db", 100);
  ripstop_store_close(other);
  shell("rm *.db");
}

/* The store has the rows that other owners put into the file. */
static void owners_share(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_store *store[] = {open_new("x.db"), open_new("x.db"), open_new("x.db")};
  for (int i = 0; i < 90; i++) {
    int status = put_large(store[i / 2 % 3], i, 200000, &err);
    if (status) print_message("%s\n", err.text);
    assert_int_equal(status, 0);
  }
  shell("[ $(stat -c %s x.db) -gt 10000000 ]"); /* there were checkpoints */
  for (int i = 0; i < 3; i++) ripstop_store_close(store[i]);
  assert_int_equal(count("x.db"), 90);
  shell("[ \"$(ls)\" = x.db ] && rm x.db");
}

/* The oldest runs of a long command were in the file alone. */
static void old_ones_are_counted(void **state) {
  (void)state;
  enum { RUNS = 45 };
  ripstop_error err = {0};
  ripstop_store *store = open_new("x.db");
  make_other("other.db", 3);
  for (int i = 0; i < RUNS; i++) assert_int_equal(put_large(store, i, 1 << 20, &err), 0);
  shell("cat other.db >x.db");
  assert_int_equal(put(store, RUNS, &err), -1);
  is_overwritten(&err);
  const char *at = strstr(err.text, "; ");
  unsigned long saved = strtoul(at ? at + 2 : "0", NULL, 10);
  at = at ? strstr(at + 2, "; ") : NULL;
  unsigned long lost = strtoul(at ? at + 2 : "0", NULL, 10);
  assert_true(saved > 0 && lost > 0 && saved + lost == RUNS);
  ripstop_store_close(store);
  all_is_there("other.db", (int64_t)saved);
  shell("rm other.db");
}

static void with_a_rollback_journal(void **state) {
  on_network = true;
  removed(state);
  another_name_stays(state);
  renamed(state);
  replaced(state);
  the_end_is_checked(state);
  overwritten(state);
  owners_share(state);
  on_network = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(removed),
                                     cmocka_unit_test(renamed),
                                     cmocka_unit_test(another_name_stays),
                                     cmocka_unit_test(the_end_is_checked),
                                     cmocka_unit_test(replaced),
                                     cmocka_unit_test(overwritten),
                                     cmocka_unit_test(overwritten_by_a_live_one),
                                     cmocka_unit_test(owners_share),
                                     cmocka_unit_test(with_a_rollback_journal),
                                     cmocka_unit_test(old_ones_are_counted)};
  return RUN_GROUP(tests, enter_folder, leave_folder);
}
