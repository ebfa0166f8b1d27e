/* test_store_owners.c - several owners of one store claim runs: none is granted to two, and the claims of owners that
 * ended lapse. Owners are processes here, as they are elsewhere. */
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "store/inside.h"
#include "store/kept_runs.h"
#include "stored.h"

enum { RUNS = 40, OWNERS = 4 };

static char path[] = "/tmp/ripstop-owners-XXXXXX";
static ripstop_run all[RUNS];
static const ripstop_run *each[RUNS];

static int fresh_path(void **state) {
  (void)state;
  int file = mkstemp(path);
  for (int i = 0; i < RUNS; i++) {
    char word[12];
    snprintf(word, sizeof word, "%d", i);
    all[i] = make_run(word);
    each[i] = &all[i];
  }
  return file < 0 || close(file) || unlink(path) ? -1 : 0;
}

static int remove_store(void **state) {
  (void)state;
  int status = unlink(path);
  memset(path + sizeof path - 7, 'X', 6);
  return status;
}

static ripstop_store *open_store(void) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  if (!store) print_message("%s\n", err.text);
  assert_non_null(store);
  return store;
}

static size_t claim(ripstop_store *store, size_t from, size_t count) {
  ripstop_error err = {0};
  bool granted[RUNS];
  size_t sum = 0;
  int status = ripstop_store_claim(store, each + from, count, granted, &err);
  if (status) print_message("%s\n", err.text);
  assert_int_equal(status, 0);
  for (size_t i = 0; i < count; i++) sum += granted[i];
  return sum;
}

static void put(ripstop_store *store, size_t n) {
  ripstop_error err;
  assert_int_equal(ripstop_store_put(store, each[n], &outcome, &err), 0);
}

static int64_t ask(const char *sql) {
  sqlite3 *db;
  sqlite3_stmt *st;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
  int64_t answer = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
  sqlite3_finalize(st);
  sqlite3_close(db);
  return answer;
}

static void what_is_claimed_or_stored_is_not_granted(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *one = open_store(), *two = open_store();
  put(one, 0);
  assert_int_equal(ripstop_store_renew(one, &err), 0); /* no owner yet */
  assert_int_equal(claim(one, 0, 10), 9);
  assert_int_equal(claim(one, 0, 10), 9); /* its own again */
  assert_int_equal(claim(two, 5, 10), 5);
  put(one, 1);
  assert_int_equal(claim(two, 0, 3), 0);
  assert_int_equal(ask("SELECT count(*) FROM leases"), 8 + 5);
  assert_int_equal(ripstop_store_renew(one, &err), 1);
  assert_int_equal(ripstop_store_release(one, &err), 0);
  assert_int_equal(claim(two, 0, 10), 8);
  ripstop_store_close(two); /* gives its own back */
  assert_int_equal(claim(one, 0, RUNS), RUNS - 2);
  ripstop_store_close(one);
  assert_int_equal(ask("SELECT (SELECT count(*) FROM owners) + (SELECT count(*) FROM leases)"), 0);
}

/* In a batch others see what was claimed when the batch is committed; if it never is, nothing was claimed. */
static void claims_in_a_batch_are_a_part_of_it(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *store = open_store();
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  assert_int_equal(claim(store, 0, 5), 5);
  put(store, 0);
  assert_int_equal(ripstop_store_commit(store, &err), 0);
  assert_int_equal(ask("SELECT count(*) FROM leases"), 4);
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  assert_int_equal(claim(store, 5, 5), 5);
  ripstop_store_close(store);
  assert_int_equal(ask("SELECT count(*) FROM leases"), 0);
}

/* Time passes by setting back the time of an owner. */
static void the_claims_of_the_silent_lapse(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *one = open_store(), *two = open_store();
  assert_int_equal(claim(one, 0, 10), 10);
  assert_int_equal(claim(two, 0, 12), 2);
  ask("UPDATE owners SET until = until - 61 WHERE owner = 1");
  assert_int_equal(claim(two, 0, 12), 12);
  assert_int_equal(ripstop_store_renew(one, &err), 0); /* it is notified that its claims have lapsed */
  assert_int_equal(claim(one, 0, 13), 1);              /* and goes on as a new owner */
  assert_int_equal(ripstop_store_renew(one, &err), 1);
  assert_int_equal(ask("SELECT max(owner) FROM owners"), 3);
  ripstop_store_close(one);
  ripstop_store_close(two);
}

/* Pretends that this many seconds have passed while `store` watched. */
static void let_pass(ripstop_store *store, double seconds) {
  for (size_t i = 0; i < store->watches; i++) store->watch[i].since -= seconds;
}

/* An owner counts as alive equally long after its last sign of life, whatever its clock says. */
static void a_time_far_away_is_not_waited_for(void **state) {
  (void)state;
  static const char *const far[] = {"99999999999", "9223372036854775807", "unixepoch() + 7200"};
  for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
    char sql[100];
    ripstop_store *one = open_store(), *two = open_store();
    assert_int_equal(claim(one, 0, 10), 10);
    snprintf(sql, sizeof sql, "UPDATE owners SET machine = 'another', until = %s", far[i]);
    ask(sql);
    assert_int_equal(claim(two, 0, 10), 0);
    let_pass(two, 59);
    assert_int_equal(claim(two, 0, 10), 0);
    let_pass(two, 1);
    assert_int_equal(claim(two, 0, 10), 10);
    ripstop_store_close(two);
    ripstop_store_close(one);
  }
}

/* Signs of life count from when they were seen, by the clock of the one who sees them. */
static void signs_of_life_are_seen(void **state) {
  (void)state;
  ripstop_store *one = open_store(), *two = open_store();
  assert_int_equal(claim(one, 0, 10), 10);
  ask("UPDATE owners SET machine = 'another'");
  assert_int_equal(claim(two, 0, 10), 0);
  for (int i = 0; i < 5; i++) {
    let_pass(two, 59);
    ask("UPDATE owners SET until = until + 1 WHERE owner = 1");
    assert_int_equal(claim(two, 0, 10), 0);
  }
  let_pass(two, 60);
  assert_int_equal(claim(two, 0, 10), 10);
  ripstop_store_close(one);
  ripstop_store_close(two);
}

/* It loses its claims once, then writes times that others find to be ahead; what it puts is kept all the while. */
static void a_clock_that_is_behind_costs_little(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *slow = open_store(), *two = open_store();
  assert_int_equal(claim(slow, 0, 10), 10);
  ask("UPDATE owners SET machine = 'another', until = until - 7200");
  assert_int_equal(claim(two, 0, 10), 10);
  put(slow, 0);
  put(two, 0);
  assert_int_equal(ripstop_store_release(two, &err), 0);
  assert_int_equal(claim(slow, 0, 10), 9);
  ask("UPDATE owners SET machine = 'another', until = until - 7200");
  assert_int_equal(claim(two, 0, 10), 0);
  ripstop_store_close(slow);
  ripstop_store_close(two);
}

/* Also within one second. */
static void each_renewal_is_another(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *one = open_store();
  assert_int_equal(claim(one, 0, 1), 1);
  for (int i = 0; i < 5; i++) {
    int64_t before = ask("SELECT until FROM owners");
    assert_int_equal(ripstop_store_renew(one, &err), 1);
    assert_int_not_equal(ask("SELECT until FROM owners"), before);
  }
  ripstop_store_close(one);
}

static void who_holds_a_run_is_known(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store_owner owner;
  char host[256];
  ripstop_store *one = open_store(), *two = open_store();
  assert_int_equal(claim(one, 0, 10), 10);
  put(one, 3);
  assert_int_equal(ripstop_store_holder(two, each[11]->id, &owner, &err), 0);
  assert_int_equal(ripstop_store_holder(two, each[4]->id, &owner, &err), 1);
  assert_int_equal(gethostname(host, sizeof host), 0);
  assert_string_equal(owner.host, host);
  assert_int_equal(owner.process, getpid());
  assert_int_equal(owner.runs, 9);
  assert_true(owner.silent >= 0 && owner.left > 0 && owner.left <= RIPSTOP_STORE_LEASE_SECONDS);
  let_pass(two, 50);
  assert_int_equal(ripstop_store_holder(two, each[4]->id, &owner, &err), 1);
  assert_true(owner.silent >= 50 && owner.left <= 10);
  ripstop_store_close(one);
  ripstop_store_close(two);
}

/* Leases of owners that are not there, or cannot be. */
static void stray_leases_hold_nothing(void **state) {
  (void)state;
  ripstop_store *store = open_store();
  char sql[300];
  snprintf(sql, sizeof sql, "INSERT INTO leases VALUES ('%s', 77), ('%s', -5), ('%s', 0)", each[0]->id, each[1]->id,
           each[2]->id);
  ask(sql);
  ask("INSERT INTO owners VALUES (-5, 'h', 'm', 1, 1, 99999999999), (0, 'h', 'm', 1, 1, 99999999999)");
  assert_int_equal(claim(store, 0, 5), 5);
  ripstop_store_close(store);
}

/* An owner on this machine counts as ended as soon as its process is gone; one on another machine keeps its time. */
static void the_claims_of_the_killed_lapse(void **state) {
  (void)state;
  int ready[2];
  char byte;
  ripstop_store_close(open_store());
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    claim(open_store(), 0, 10);
    byte = 'x';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  ripstop_store *store = open_store();
  assert_int_equal(claim(store, 0, 10), 0);
  ask("UPDATE owners SET machine = 'another' WHERE owner = 1");
  kill(child, SIGKILL);
  assert_int_equal(claim(store, 0, 10), 0);
  ask("UPDATE owners SET machine = (SELECT machine FROM owners WHERE owner = 2) WHERE owner = 1");
  while (claim(store, 0, 10) == 0) continue; /* a killed process takes a moment to die; then it is a zombie */
  assert_int_equal(claim(store, 0, 10), 10);
  assert_int_equal(waitpid(child, NULL, 0), child);
  ripstop_store_close(store);
  close(ready[0]), close(ready[1]);
}

/* Each takes the runs it gets, and writes a byte for each of them. */
static void work(int owner, int tell) {
  ripstop_store *store = open_store();
  bool granted[RUNS];
  ripstop_error err;
  for (size_t i = 0; i < RUNS; i++) {
    size_t at = (i * 7 + (size_t)owner * 11) % RUNS;
    if (ripstop_store_claim(store, each + at, 1, granted, &err)) _exit(1);
    if (!*granted) continue;
    char mine = (char)at;
    if (write(tell, &mine, 1) != 1 || ripstop_store_put(store, each[at], &outcome, &err)) _exit(1);
  }
  ripstop_store_close(store);
  _exit(0);
}

static void no_run_is_granted_to_two(void **state) {
  (void)state;
  int tell[2], done[RUNS] = {0}, status;
  char run;
  assert_int_equal(pipe(tell), 0);
  for (int i = 0; i < OWNERS; i++)
    if (fork() == 0) work(i, tell[1]);
  close(tell[1]);
  while (read(tell[0], &run, 1) == 1) done[(size_t)run]++;
  close(tell[0]);
  for (int i = 0; i < OWNERS; i++) {
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  for (size_t i = 0; i < RUNS; i++) assert_int_equal(done[i], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_path, remove_store)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_claimed_or_stored_is_not_granted),
      TEST(claims_in_a_batch_are_a_part_of_it),
      TEST(the_claims_of_the_silent_lapse),
      TEST(the_claims_of_the_killed_lapse),
      TEST(a_time_far_away_is_not_waited_for),
      TEST(signs_of_life_are_seen),
      TEST(a_clock_that_is_behind_costs_little),
      TEST(each_renewal_is_another),
      TEST(who_holds_a_run_is_known),
      TEST(stray_leases_hold_nothing),
      TEST(no_run_is_granted_to_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
