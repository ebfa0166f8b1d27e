/* test_store.c - what is put in comes out; what is no store is refused and left as it was; a flipped bit is found. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "store/kept_runs.h"
#include "stored.h"

static char folder[] = "/tmp/ripstop-store-XXXXXX";
static char path[200];

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

/* A path for each test; nothing is there yet. */
static int fresh_path(void **state) {
  (void)state;
  snprintf(path, sizeof path, "%s/x.db", folder);
  return 0;
}

static int remove_file(void **state) {
  (void)state;
  return remove(path) && errno != ENOENT ? -1 : 0;
}

static ripstop_store *open_store(ripstop_store_mode mode) {
  ripstop_error err = {0};
  ripstop_store *store = ripstop_store_open(path, mode, &err);
  if (!store) print_message("%s\n", err.text);
  assert_non_null(store);
  return store;
}

/* It is there to be shown, but has to be done again, and makes room then. */
static void a_run_without_memory_is_done_again(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_run run = make_run("0123"), wrong = make_run("4567");
  ripstop_outcome short_of = {
      .verdict = ripstop_outcome_words[5], .reason = "out of memory (7 bytes more)", .faults = ""};
  ripstop_outcome failed = short_of, back;
  failed.reason = "a mistake; not out of memory";
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  ripstop_arena *arena = ripstop_arena_new();
  assert_int_equal(ripstop_store_put(store, &run, &short_of, &err), 0);
  assert_int_equal(ripstop_store_put(store, &wrong, &failed, &err), 0);
  assert_int_equal(ripstop_store_has(store, run.id, &err), 0);
  assert_int_equal(ripstop_store_has(store, wrong.id, &err), 1);
  assert_int_equal(ripstop_store_get(store, run.id, arena, &back, &err), 1);
  assert_string_equal(back.reason, short_of.reason);
  assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  assert_int_equal(ripstop_store_put(store, &run, &short_of, &err), 0); /* the other stays */
  assert_int_equal(ripstop_store_has(store, run.id, &err), 1);
  assert_int_equal(ripstop_store_get(store, run.id, arena, &back, &err), 1);
  assert_true(same_outcome(&back, &outcome));
  ripstop_arena_free(arena);
  ripstop_store_close(store);
  remove(path);
}

static void outcomes_come_back_bit_by_bit(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_run run = make_run("0123"), bare = make_run("4567"), other = make_run("89ab");
  ripstop_outcome nothing = {.verdict = "does-not-apply", .faults = ""};
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_has(store, run.id, &err), 0);
  assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  assert_int_equal(ripstop_store_put(store, &bare, &nothing, &err), 0);
  ripstop_store_close(store);

  store = open_store(RIPSTOP_STORE_READ);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_outcome back;
  assert_int_equal(ripstop_store_count(store, &err), 2);
  assert_int_equal(ripstop_store_has(store, run.id, &err), 1);
  assert_int_equal(ripstop_store_get(store, other.id, arena, &back, &err), 0);
  assert_int_equal(ripstop_store_get(store, bare.id, arena, &back, &err), 1);
  assert_null(back.reason);
  assert_int_equal(back.values + back.windows, 0);
  assert_int_equal(ripstop_store_get(store, run.id, arena, &back, &err), 1);
  assert_true(same_outcome(&back, &outcome));
  ripstop_arena_free(arena);
  ripstop_store_close(store);
}

static int64_t count_as_another(void) {
  ripstop_error err;
  ripstop_store *other = open_store(RIPSTOP_STORE_READ);
  int64_t count = ripstop_store_count(other, &err);
  ripstop_store_close(other);
  return count;
}

/* No other process sees a batch before it is committed; a batch that is closed first leaves nothing. */
static void batches_are_kept_at_once_or_not_at_all(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  for (int i = 0; i < 3; i++) {
    ripstop_run run = make_run((const char *[]){"0", "1", "1"}[i]); /* the last is there already */
    assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  }
  assert_int_equal(ripstop_store_count(store, &err), 2);
  assert_int_equal(count_as_another(), 0);
  assert_int_equal(ripstop_store_commit(store, &err), 0);
  assert_int_equal(count_as_another(), 2);
  ripstop_run alone = make_run("2"), unkept = make_run("3");
  assert_int_equal(ripstop_store_put(store, &alone, &outcome, &err), 0); /* outside: at once */
  assert_int_equal(count_as_another(), 3);
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  assert_int_equal(ripstop_store_put(store, &unkept, &outcome, &err), 0);
  ripstop_store_close(store);
  assert_int_equal(count_as_another(), 3);
}

/* A run that cannot be written (two points of a time series at one cycle) takes nothing of its batch with it. */
static void what_fails_in_a_batch_fails_alone(void **state) {
  (void)state;
  ripstop_error err = {0};
  const ripstop_window twice[] = {windows[0], windows[0]};
  ripstop_outcome broken = outcome;
  broken.window = twice;
  ripstop_run good = make_run("0"), bad = make_run("1"), next = make_run("2");
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  assert_int_equal(ripstop_store_put(store, &good, &outcome, &err), 0);
  assert_int_equal(ripstop_store_put(store, &bad, &broken, &err), -1);
  assert_int_equal(ripstop_store_put(store, &next, &outcome, &err), 0);
  assert_int_equal(ripstop_store_commit(store, &err), 0);
  ripstop_store_close(store);
  store = open_store(RIPSTOP_STORE_READ);
  assert_int_equal(ripstop_store_count(store, &err), 2);
  assert_int_equal(ripstop_store_has(store, bad.id, &err), 0);
  ripstop_store_close(store);
}

static void a_run_that_is_there_stays(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_run run = make_run("0123");
  ripstop_outcome other = outcome, back;
  other.verdict = "steady";
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  assert_int_equal(ripstop_store_put(store, &run, &other, &err), 0);
  ripstop_arena *arena = ripstop_arena_new();
  assert_int_equal(ripstop_store_get(store, run.id, arena, &back, &err), 1);
  assert_string_equal(back.verdict, "deadlocked");
  assert_int_equal(ripstop_store_count(store, &err), 1);
  ripstop_arena_free(arena);
  ripstop_store_close(store);
}

static void settings_can_be_asked_for_in_sql(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_run run = make_run("0123");
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  ripstop_store_close(store);
  sqlite3 *db;
  sqlite3_stmt *st;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db,
                                      "SELECT group_concat(key || '=' || value, ';'), (SELECT count(*) FROM results) "
                                      "FROM settings ORDER BY key",
                                      -1, &st, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(st), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(st, 0), "a=1;b=x = y;c=0123");
  assert_int_equal(sqlite3_column_int(st, 1), 4);
  sqlite3_finalize(st);
  sqlite3_close(db);
}

/* ------------------------------------------------------------------ refused files */

static size_t slurp(unsigned char **bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  *bytes = malloc(1 << 20);
  assert_non_null(*bytes);
  size_t length = fread(*bytes, 1, 1 << 20, file);
  fclose(file);
  return length;
}

static void write_file(const void *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* Refused for reading and for writing, with a line that says this, and not a byte is changed. */
static void refused(const char *says) {
  unsigned char *before, *after;
  size_t length = slurp(&before);
  for (int mode = RIPSTOP_STORE_READ; mode <= RIPSTOP_STORE_WRITE; mode++) {
    ripstop_error err = {0};
    assert_null(ripstop_store_open(path, (ripstop_store_mode)mode, &err));
    if (!strstr(err.text, says)) fail_msg("'%s' does not say '%s'", err.text, says);
    assert_null(strchr(err.text, '\n'));
    assert_non_null(strstr(err.text, path));
  }
  assert_int_equal(slurp(&after), length);
  assert_memory_equal(before, after, length);
  free(before);
  free(after);
}

static void fill_store(int runs) {
  ripstop_error err;
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  for (int i = 0; i < runs; i++) {
    char id[20];
    snprintf(id, sizeof id, "%d", i);
    ripstop_run run = make_run(id);
    assert_int_equal(ripstop_store_put(store, &run, &outcome, &err), 0);
  }
  ripstop_store_close(store);
}

static void foreign_files_are_refused(void **state) {
  (void)state;
  write_file("", 0);
  refused("is empty");
  write_file("my thesis\n", 10);
  refused("is not a ripstop store");
  remove(path);
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "CREATE TABLE addresses (name TEXT)", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  refused("is not a ripstop store");
}

static void other_versions_are_refused(void **state) {
  (void)state;
  fill_store(1);
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 77", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  refused("has version 77, this program reads version 2; choose another");
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  refused("has version 1, this program reads version 2; its runs were stored without digests");
}

static void cut_off_stores_are_refused(void **state) {
  (void)state;
  fill_store(100);
  unsigned char *bytes;
  size_t length = slurp(&bytes);
  assert_true(length >= 5 * 4096);
  for (size_t missing = 1; missing <= 10; missing++) {
    write_file(bytes, length - missing);
    refused("is damaged or cut off");
  }
  write_file(bytes, length - 4096);
  refused("is damaged or cut off");
  write_file(bytes, length / 2 + 123);
  refused("is damaged or cut off");
  write_file(bytes, 4096);
  refused("is damaged or cut off");
  write_file(bytes, 99);
  refused("is not a ripstop store");
  free(bytes);
}

static void damaged_stores_are_refused(void **state) {
  (void)state;
  fill_store(100);
  unsigned char *bytes;
  size_t length = slurp(&bytes);
  memset(bytes + length / 2 / 4096 * 4096, 0x5a, 4096);
  write_file(bytes, length);
  refused("damaged");
  free(bytes);
}

static void missing_stores_are_not_made_for_reading(void **state) {
  (void)state;
  ripstop_error err;
  assert_null(ripstop_store_open(path, RIPSTOP_STORE_READ, &err));
  assert_non_null(strstr(err.text, "there is no store"));
  assert_int_equal(access(path, F_OK), -1);
}

static void folders_are_made(void **state) {
  (void)state;
  ripstop_error err;
  char deep[300], part[300];
  snprintf(deep, sizeof deep, "%s/a/b/x.db", folder);
  ripstop_store *store = ripstop_store_open(deep, RIPSTOP_STORE_WRITE, &err);
  assert_non_null(store);
  ripstop_store_close(store);
  assert_int_equal(remove(deep), 0);
  for (const char *const *each = (const char *const[]){"a/b", "a", NULL}; *each; each++) {
    snprintf(part, sizeof part, "%s/%s", folder, *each);
    assert_int_equal(rmdir(part), 0); /* and nothing else is in them */
  }
  snprintf(path, sizeof path, "%s/file", folder);
  write_file("x", 1);
  snprintf(deep, sizeof deep, "%s/file/x.db", folder);
  assert_null(ripstop_store_open(deep, RIPSTOP_STORE_WRITE, &err));
}

/* ------------------------------------------------------------------ at once */

enum { WRITERS = 3, EACH = 15 };

static void *write_many(void *argument) {
  ripstop_error err;
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  if (!store) return NULL;
  for (int i = 0; i < EACH; i++) {
    char id[20];
    snprintf(id, sizeof id, "%d", i * 2 + (int)((size_t)argument % 2)); /* two writers do the same runs */
    ripstop_run run = make_run(id);
    if (ripstop_store_put(store, &run, &outcome, &err)) return NULL;
  }
  ripstop_store_close(store);
  return argument;
}

/* Opened, made and written by several processes at once: none fails, nothing is lost or doubled. */
static void writers_wait_for_each_other(void **state) {
  (void)state;
  pthread_t thread[WRITERS];
  for (size_t i = 0; i < WRITERS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, write_many, (void *)(i + 1)), 0);
  for (size_t i = 0; i < WRITERS; i++) {
    void *result;
    pthread_join(thread[i], &result);
    assert_ptr_equal(result, (void *)(i + 1));
  }
  ripstop_error err;
  ripstop_store *store = open_store(RIPSTOP_STORE_READ);
  assert_int_equal(ripstop_store_count(store, &err), 2 * EACH);
  ripstop_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_path, remove_file)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_without_memory_is_done_again),
      TEST(outcomes_come_back_bit_by_bit),
      TEST(batches_are_kept_at_once_or_not_at_all),
      TEST(what_fails_in_a_batch_fails_alone),
      TEST(a_run_that_is_there_stays),
      TEST(settings_can_be_asked_for_in_sql),
      TEST(foreign_files_are_refused),
      TEST(other_versions_are_refused),
      TEST(cut_off_stores_are_refused),
      TEST(damaged_stores_are_refused),
      TEST(missing_stores_are_not_made_for_reading),
      TEST(folders_are_made),
      TEST(writers_wait_for_each_other),
  };
  return RUN_GROUP(tests, make_folder, remove_folder);
}
