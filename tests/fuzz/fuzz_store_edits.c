/* fuzz_store_edits.c - a good store in which bytes were changed: up to 16 places, four bytes of input for each, three
 * of them the place and one what the byte there is xored with.
 *
 * It is refused with a line that says so, or each of its runs is the one that was put or is doubted. Those that are
 * doubted, or not found, are put again, and then all are right, or putting says why it cannot. */
#include <stdlib.h>
#include <unistd.h>

#include "store/kept_runs.h"
#include "stored.h"

#undef free

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUNS = 12, EDITS = 16, BYTES_MAX = 1 << 20 };
static char path[100];
static uint8_t *good, *edited;
static size_t length;

static void demand(bool holds) {
  if (!holds) abort();
}

static ripstop_run nth_run(int n) {
  char word[12];
  snprintf(word, sizeof word, "%d", n);
  return make_run(word);
}

static ripstop_outcome nth_outcome(int n) {
  ripstop_outcome o = outcome;
  o.seconds = n;
  if (n % 3 == 0) o.windows = 0;
  return o;
}

static int put(ripstop_store *store, int n, ripstop_error *err) {
  ripstop_run run = nth_run(n);
  ripstop_outcome o = nth_outcome(n);
  return ripstop_store_put(store, &run, &o, err);
}

static void make_good(void) {
  ripstop_error err;
  if (good) return;
  snprintf(path, sizeof path, "%s/ripstop-edits-%ld.db", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
           (long)getpid());
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  demand(store != NULL);
  for (int i = 0; i < RUNS; i++) demand(put(store, i, &err) == 0);
  ripstop_store_close(store);
  good = malloc(BYTES_MAX), edited = malloc(BYTES_MAX);
  FILE *file = fopen(path, "rb");
  demand(good && edited && file);
  length = fread(good, 1, BYTES_MAX, file);
  demand(length < BYTES_MAX && fclose(file) == 0);
}

static void write_edited(const uint8_t *data, size_t size) {
  memcpy(edited, good, length);
  for (size_t i = 0; i + 4 <= size && i < 4 * EDITS; i += 4)
    edited[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % length] ^= data[i + 3];
  FILE *file = fopen(path, "wb");
  demand(file && fwrite(edited, 1, length, file) == length && fclose(file) == 0);
}

/* The answer of ripstop_store_get; a run that is there is right. */
static int ask(ripstop_store *store, int n) {
  ripstop_error err = {0};
  ripstop_run run = nth_run(n);
  ripstop_outcome o = nth_outcome(n), back;
  ripstop_arena *arena = ripstop_arena_new();
  int found = ripstop_store_get(store, run.id, arena, &back, &err);
  if (found == 1) demand(same_outcome(&back, &o));
  if (found < 0) demand(err.text[0] && !strchr(err.text, '\n'));
  ripstop_arena_free(arena);
  return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  make_good();
  write_edited(data, size);
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  if (!store) demand(err.text[0] && !strchr(err.text, '\n'));
  for (int i = 0; store && i < RUNS; i++)
    if (ask(store, i) != 1 && !put(store, i, &err)) demand(ask(store, i) == 1);
  ripstop_store_close(store);
  remove(path);
  return 0;
}
