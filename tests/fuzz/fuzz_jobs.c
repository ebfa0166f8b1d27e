/* fuzz_jobs.c - the text of `workload.jobs`: any bytes are refused with a line that says why, or are jobs whose name as
 * runs write it is read back as the same name; without options these get end nodes that are there, each once.
 *
 * Files are never opened, and with options nothing is built: the reader is on trial, not the memory. */
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/workload.h"
#include "workload/jobs.h"
#include "workload/workload_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEED = 1 };

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

/* Built once; the fuzzer's process owns it to its end. */
static const ripstop_fabric *small_fabric(void) {
  static const ripstop_fabric *fabric;
  ripstop_error err = {0};
  if (!fabric) fabric = ripstop_fabric_open("kary-ntree:k=4,n=2", &err);
  return fabric;
}

/* `end` and `busy` say the same. */
static void demand_places(const job *all, size_t count, const uint32_t *busy, uint32_t ends) {
  uint32_t placed = 0, taken = 0;
  for (size_t i = 0; i < count; i++) {
    demand(all[i].tasks->ranks > 0 && (!all[i].ranks || all[i].tasks->ranks == all[i].ranks));
    for (uint32_t r = 0; r < all[i].tasks->ranks; r++)
      demand(all[i].end[r] < ends && busy[all[i].end[r]] == (uint32_t)i + 1);
    placed += all[i].tasks->ranks;
  }
  for (uint32_t end = 0; end < ends; end++) taken += busy[end] != 0;
  demand(placed == taken);
}

static void place(ripstop_arena *arena, job *all, size_t count) {
  const ripstop_fabric *fabric = small_fabric();
  ripstop_error err = {0};
  uint32_t *busy = RIPSTOP_ARRAY(arena, fabric->ends, uint32_t);
  if (jobs_place(arena, fabric, SEED, all, count, busy, &err))
    demand_message(&err);
  else
    demand_places(all, count, busy, fabric->ends);
  jobs_free(all, count);
}

static void demand_same_name(ripstop_arena *arena, const char *text) {
  ripstop_error err = {0};
  const char *named, *opened, *again, *back;
  if (ripstop_workload_beside(arena, text, NULL, &named, &opened, &err)) {
    demand_message(&err);
    return;
  }
  demand(strcmp(named, opened) == 0);
  demand(ripstop_workload_beside(arena, named, NULL, &again, &back, &err) == 0 && strcmp(again, named) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  const char *text = ripstop_arena_printf(arena, "%.*s", (int)size, (const char *)data);
  job *all;
  size_t count;
  if (jobs_read(arena, text, &all, &count, &err)) {
    demand_message(&err);
  } else {
    demand(count > 0 && count <= RIPSTOP_JOBS_MAX);
    if (!strstr(text, "file")) demand_same_name(arena, text);
    if (!strstr(text, "file") && !strchr(text, '=')) place(arena, all, count);
  }
  ripstop_arena_free(arena);
  return 0;
}
