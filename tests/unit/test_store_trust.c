/* test_store_trust.c - what is read from a store is what was put there, or it is not believed: single bits are flipped
 * all over a store, and each of its columns is edited.
 *
 * Slow: every byte of a store is damaged once. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "store/kept_runs.h"
#include "stored.h"

enum { RUNS = 60, FLIPS = 1200, MENDED = 64 /* one of so many: a transaction takes its time */ };

static char path[] = "/tmp/ripstop-trust-XXXXXX";
static unsigned char *original, *flipped;
static size_t length;

static ripstop_run nth_run(int n) {
  char word[12];
  snprintf(word, sizeof word, "%d", n);
  return make_run(word);
}

/* Every one is another. */
static ripstop_outcome nth_outcome(int n, ripstop_value value[4]) {
  ripstop_outcome o = outcome;
  memcpy(value, values, sizeof values);
  value[0].value += n;
  o.value = value;
  if (n % 3 == 0) o.reason = NULL;
  if (n % 4 == 0) o.windows = 0;
  return o;
}

static void write_bytes(const unsigned char *bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static ripstop_store *open_store(ripstop_store_mode mode) {
  ripstop_error err;
  ripstop_store *store = ripstop_store_open(path, mode, &err);
  assert_non_null(store);
  return store;
}

static void put_nth(ripstop_store *store, int n) {
  ripstop_value value[4];
  ripstop_run run = nth_run(n);
  ripstop_outcome o = nth_outcome(n, value);
  ripstop_error err;
  assert_int_equal(ripstop_store_put(store, &run, &o, &err), 0);
}

static int make_store(void **state) {
  (void)state;
  int file = mkstemp(path);
  if (file < 0 || close(file) || unlink(path)) return -1;
  ripstop_error err;
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  if (ripstop_store_begin(store, &err)) return -1;
  for (int i = 0; i < RUNS; i++) put_nth(store, i);
  if (ripstop_store_commit(store, &err)) return -1;
  ripstop_store_close(store);
  FILE *from = fopen(path, "rb");
  original = malloc(1 << 20), flipped = malloc(1 << 20);
  if (!from || !original || !flipped) return -1;
  length = fread(original, 1, 1 << 20, from);
  return fclose(from);
}

static int remove_store(void **state) {
  (void)state;
  free(original);
  free(flipped);
  return unlink(path);
}

/* Not another outcome than that which was put. */
static int ask(ripstop_store *store, int n) {
  ripstop_value value[4];
  ripstop_outcome o = nth_outcome(n, value), back;
  ripstop_run run = nth_run(n);
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  int found = ripstop_store_get(store, run.id, arena, &back, &err);
  if (found == 1) assert_true(same_outcome(&back, &o));
  if (found < 0) assert_non_null(strstr(err.text, "damaged"));
  assert_int_equal(ripstop_store_has(store, run.id, &err), found);
  ripstop_arena_free(arena);
  return found;
}

/* Puts the doubted rows again; the store is then as before. */
static void mend(const bool doubted[RUNS]) {
  ripstop_error err;
  ripstop_store *store = open_store(RIPSTOP_STORE_WRITE);
  assert_int_equal(ripstop_store_begin(store, &err), 0);
  for (int i = 0; i < RUNS; i++)
    if (doubted[i]) put_nth(store, i);
  assert_int_equal(ripstop_store_commit(store, &err), 0);
  for (int i = 0; i < RUNS; i++) assert_int_equal(ask(store, i), 1);
  assert_int_equal(ripstop_store_count(store, &err), RUNS);
  ripstop_store_close(store);
}

typedef struct tally {
  int refused, doubted, harmless;
} tally;

static void flip(size_t bit, tally *t) {
  ripstop_error err = {0};
  bool doubted[RUNS], any = false;
  memcpy(flipped, original, length);
  flipped[bit / 8] ^= (unsigned char)(1 << bit % 8);
  write_bytes(flipped);
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  if (!store) {
    if (!strstr(err.text, "damaged") && !strstr(err.text, "is not a ripstop store") && !strstr(err.text, "has version"))
      fail_msg("bit %zu: %s", bit, err.text);
    assert_null(strchr(err.text, '\n'));
    t->refused++;
    return;
  }
  for (int i = 0; i < RUNS; i++) {
    int found = ask(store, i);
    assert_true(found == 1 || found == RIPSTOP_STORE_DOUBTED); /* a run is not lost without a word */
    any |= doubted[i] = found == RIPSTOP_STORE_DOUBTED;
  }
  ripstop_store_close(store);
  if (any && t->doubted % MENDED == 0) mend(doubted);
  t->doubted += any, t->harmless += !any;
}

/* A tenth of the bits are in the first page, with the words of the tables and the header. */
static void no_flipped_bit_is_believed(void **state) {
  (void)state;
  tally t = {0};
  for (size_t i = 0; i < FLIPS; i++) flip((i * (length * 8 / FLIPS) + i * 7919 % 4099) % (length * 8), &t);
  for (size_t bit = 0; bit < 100 * 8; bit += 3) flip(bit, &t);
  print_message("%d refused, %d doubted, %d harmless\n", t.refused, t.doubted, t.harmless);
  assert_true(t.refused > 200 && t.doubted > 100);
}

static void edit(const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_changes(db), 1);
  sqlite3_close(db);
}

/* Whatever is stored of a run counts; of the others nothing happens. */
static void no_edited_column_is_believed(void **state) {
  (void)state;
  static const char *const edits[] = {
      "UPDATE runs SET canonical = canonical || 'd=1' || char(10) WHERE run = 6",
      "UPDATE runs SET version = '9' WHERE run = 6",
      "UPDATE runs SET verdict = 'steady' WHERE run = 6",
      "UPDATE runs SET reason = NULL WHERE run = 6",
      "UPDATE runs SET faults = '' WHERE run = 6",
      "UPDATE runs SET seconds = 0.125 WHERE run = 6",
      "UPDATE runs SET digest = (SELECT digest FROM runs WHERE run = 7) WHERE run = 6",
      "UPDATE numbers SET value = value + 1e-15 WHERE run = 6 AND position = 0",
      "UPDATE numbers SET value = NULL WHERE run = 6 AND position = 1",
      "UPDATE numbers SET half = 0 WHERE run = 6 AND position = 1",
      "UPDATE numbers SET quantity = 3 WHERE run = 6 AND position = 1",
      "UPDATE numbers SET quantity = 99 WHERE run = 6 AND position = 1",
      "UPDATE numbers SET position = 9 WHERE run = 6 AND position = 1",
      "DELETE FROM numbers WHERE run = 6 AND position = 3",
      "INSERT INTO numbers VALUES (6, 4, 1, 1, NULL)",
      "UPDATE windows SET cycle = 50 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET generated = 6 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET injected = 5 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET delivered = 4 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET lost = 1 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET delivered_flits = 49 WHERE run = 6 AND cycle = 0",
      "UPDATE windows SET latency = 0 WHERE run = 6 AND cycle = 0",
      "DELETE FROM windows WHERE run = 6 AND cycle = 100",
  };
  for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
    bool doubted[RUNS] = {[5] = true};
    write_bytes(original);
    edit(edits[e]);
    ripstop_store *store = open_store(RIPSTOP_STORE_READ);
    for (int i = 0; i < RUNS; i++)
      if (ask(store, i) != (i == 5 ? RIPSTOP_STORE_DOUBTED : 1)) fail_msg("%s: run %d", edits[e], i);
    ripstop_store_close(store);
    if (e % 8 == 0) mend(doubted);
  }
}

/* The order of the numbers is a swap of two positions, which no single statement can do. */
static void swapped_numbers_are_not_believed(void **state) {
  (void)state;
  write_bytes(original);
  edit("UPDATE numbers SET position = 9 WHERE run = 6 AND position = 0");
  edit("UPDATE numbers SET position = 0 WHERE run = 6 AND position = 1");
  edit("UPDATE numbers SET position = 1 WHERE run = 6 AND position = 9");
  ripstop_store *store = open_store(RIPSTOP_STORE_READ);
  assert_int_equal(ask(store, 5), RIPSTOP_STORE_DOUBTED);
  ripstop_store_close(store);
}

/* A row with another's name, moved there with its digest. */
static void a_run_under_another_name_is_not_believed(void **state) {
  (void)state;
  write_bytes(original);
  edit("DELETE FROM runs WHERE run = 7");
  ripstop_run other = nth_run(6);
  char sql[100];
  snprintf(sql, sizeof sql, "UPDATE runs SET id = '%s' WHERE run = 6", other.id);
  edit(sql);
  ripstop_store *store = open_store(RIPSTOP_STORE_READ);
  assert_int_equal(ask(store, 5), 0);
  assert_int_equal(ask(store, 6), RIPSTOP_STORE_DOUBTED);
  ripstop_store_close(store);
}

/* Foreign additions to a store's schema, and the name of each in the refusal. */
static const struct {
  const char *sql, *what;
} hostile[] = {
    {"CREATE TRIGGER evil AFTER INSERT ON leases BEGIN DELETE FROM runs; END", "trigger 'evil' does not belong there"},
    {"CREATE TRIGGER evil INSTEAD OF INSERT ON results BEGIN DELETE FROM runs; END", "trigger 'evil'"},
    {"CREATE VIEW mine AS SELECT 1", "view 'mine' does not belong there"},
    {"CREATE INDEX more ON runs (verdict)", "index 'more' does not belong there"},
    {"CREATE INDEX more ON runs (abs(seconds)) WHERE seconds > 1", "index 'more'"},
    {"CREATE TABLE more (a)", "table 'more' does not belong there"},
    {"CREATE VIRTUAL TABLE more USING fts5(a)", "table 'more' does not belong there"},
    {"ANALYZE", "table 'sqlite_stat1' does not belong there"},
    {"DROP VIEW settings", "view 'settings' is missing"},
    {"DROP TABLE windows", "table 'windows' is missing"},
    {"ALTER TABLE runs RENAME COLUMN faults TO broken", "'runs' is defined in another way"},
    {"DROP TABLE windows; CREATE TABLE windows (run INTEGER, cycle INTEGER DEFAULT (abs(random())))",
     "table 'windows' is defined"},
    {"ALTER TABLE windows ADD COLUMN more INT AS (abs(cycle)) VIRTUAL", "table 'windows' is defined"},
    {"DROP TABLE leases; CREATE TABLE leases (id TEXT PRIMARY KEY, owner INTEGER CHECK (abs(owner)))",
     "index 'sqlite_autoindex_leases_1' does not belong there"},
    {"DROP VIEW results; CREATE TABLE results (a)", "table 'results' does not belong there"},
    {"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'evil', 'runs', 0, 'CREATE TRIGGER "
     "evil "
     "AFTER INSERT ON runs BEGIN DELETE FROM runs; END')",
     "trigger 'evil'"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'runs'",
     "table 'runs' is defined in another way"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'owners' WHERE name = 'runs'", ""},
};

static void change_schema(const char *sql) {
  sqlite3 *db;
  char *why = NULL;
  write_bytes(original);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) print_message("%s: %s\n", sql, why);
  assert_null(why);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static size_t read_bytes(unsigned char **out) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  size_t size = (size_t)ftell(file);
  rewind(file);
  *out = test_malloc(size);
  assert_int_equal(fread(*out, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return size;
}

/* In both modes, by name, and not a byte of it is changed. */
static void another_schema_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    unsigned char *before, *after;
    change_schema(hostile[i].sql);
    size_t size = read_bytes(&before);
    for (int mode = RIPSTOP_STORE_READ; mode <= RIPSTOP_STORE_WRITE; mode++) {
      ripstop_error err = {0};
      assert_null(ripstop_store_open(path, (ripstop_store_mode)mode, &err));
      if (!strstr(err.text, hostile[i].what)) print_message("%s: %s\n", hostile[i].sql, err.text);
      assert_non_null(strstr(err.text, hostile[i].what));
      assert_non_null(strstr(err.text, "is damaged"));
    }
    assert_int_equal(read_bytes(&after), size);
    assert_memory_equal(before, after, size);
    test_free(before);
    test_free(after);
  }
}

/* A log that is another file's, beside a good store: the store is refused, and its own bytes stay. */
static void a_foreign_log_does_not_get_in(void **state) {
  (void)state;
  char log[100], other[100];
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(other, sizeof other, "%s-other", path);
  sqlite3 *db;
  assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)", NULL, NULL, NULL),
      SQLITE_OK);
  write_bytes(original);
  char command[400];
  snprintf(command, sizeof command, "cp %s-wal %s", other, log);
  assert_int_equal(system(command), 0);
  for (int mode = RIPSTOP_STORE_READ; mode <= RIPSTOP_STORE_WRITE; mode++) {
    ripstop_error err = {0};
    unsigned char *after;
    ripstop_store *store = ripstop_store_open(path, (ripstop_store_mode)mode, &err);
    assert_null(store);
    assert_int_equal(read_bytes(&after), length);
    assert_memory_equal(original, after, length);
    test_free(after);
  }
  sqlite3_close(db);
  snprintf(command, sizeof command, "rm -f %s %s* %s-shm", log, other, path);
  assert_int_equal(system(command), 0);
  ripstop_store_close(open_store(RIPSTOP_STORE_READ));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_flipped_bit_is_believed),       cmocka_unit_test(no_edited_column_is_believed),
      cmocka_unit_test(swapped_numbers_are_not_believed), cmocka_unit_test(a_run_under_another_name_is_not_believed),
      cmocka_unit_test(another_schema_is_refused),        cmocka_unit_test(a_foreign_log_does_not_get_in),
  };
  return RUN_GROUP(tests, make_store, remove_store);
}
