/* fuzz_store.c - any bytes as a store's file.
 *
 * What is refused must be refused with one line that names the file. What is opened is read whole: every run is listed,
 * exported or doubted, and those that are believed can be merged into another store, where they are the same. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ripstop/kit/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[100], other[100];

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_line(const ripstop_error *err) { demand(err->text[0] && !strchr(err->text, '\n')); }

/* In memory, where there is such a folder: nothing has to last. */
static void name_files(void) {
  const char *folder = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
  if (*path) return;
  snprintf(path, sizeof path, "%s/ripstop-fuzz-%ld.db", folder, (long)getpid());
  snprintf(other, sizeof other, "%s/ripstop-fuzz-%ld-other.db", folder, (long)getpid());
}

static void write_file(const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  demand(file != NULL);
  demand(fwrite(data, 1, size, file) == size);
  demand(fclose(file) == 0);
}

/* The exported table; NULL with an error. */
static char *export(ripstop_store *store, int64_t *doubted, ripstop_error *err) {
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  demand(file != NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_store_columns columns;
  *doubted = ripstop_store_columns_of(store, arena, &columns, err);
  if (!*doubted) *doubted = ripstop_store_export(store, &columns, file, err);
  ripstop_arena_free(arena);
  fclose(file);
  if (*doubted >= 0) return text;
  free(text);
  return NULL;
}

/* Merges the believed runs into another store. */
static void merge(ripstop_store *from, const ripstop_store_tally *tally, const char *table) {
  ripstop_error err;
  ripstop_store_merger sums = {0};
  int64_t doubted;
  ripstop_store *into = ripstop_store_open(other, RIPSTOP_STORE_WRITE, &err);
  demand(into != NULL);
  demand(ripstop_store_merge(into, from, &sums, &err) == 0);
  demand(sums.added == tally->runs - tally->doubted && sums.doubted == tally->doubted && !sums.there &&
         !sums.conflicts);
  char *same = export(into, &doubted, &err);
  demand(same && doubted == 0 && !strcmp(same, table));
  free(same);
  ripstop_store_close(into);
  remove(other);
}

static void read_all(ripstop_store *store) {
  ripstop_error err = {0};
  ripstop_store_tally tally;
  int64_t doubted;
  if (ripstop_store_check(store, &tally, &err)) {
    demand_line(&err);
    return;
  }
  demand(tally.doubted <= tally.runs && (tally.doubted > 0) == (tally.first[0] != 0));
  char *table = export(store, &doubted, &err);
  demand(table != NULL && doubted == (int64_t)tally.doubted);
  merge(store, &tally, table);
  free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  name_files();
  write_file(data, size);
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  if (store)
    read_all(store);
  else
    demand_line(&err);
  ripstop_store_close(store);
  remove(path);
  return 0;
}
