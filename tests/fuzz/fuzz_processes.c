/* fuzz_processes.c - any bytes as the file of a process that reads one, a trace or named groups (chosen by the first
 * byte), on a small torus. What is read draws a schedule whose every change changes something. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/inner.h"
#include "ripstop/plugin/faults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static const ripstop_names *names_of_torus(void) {
  static const ripstop_names *names;
  ripstop_error err = {0};
  if (!names) names = ripstop_names_new(ripstop_fabric_open("torus:2x3", &err));
  return names;
}

/* A file without a disk; it is found by its number. */
static int file_with(const uint8_t *data, size_t size) {
  int file = memfd_create("processes", 0);
  demand(file >= 0 && write(file, data, size) == (ssize_t)size);
  return file;
}

static uint16_t rate_of(const ripstop_view *view, const ripstop_change *change) {
  if (change->is_switch) return 0;
  return view->link_rate ? view->link_rate[change->id] : ripstop_fabric_rate(view->fabric, change->id);
}

static void demand_sound(const ripstop_fabric *f, const ripstop_schedule *schedule) {
  ripstop_view *view = ripstop_view_new(f, NULL);
  for (size_t i = 0; i < schedule->count; i++) {
    const ripstop_change *change = &schedule->change[i];
    const uint64_t epoch = view->epoch;
    const uint16_t rate = rate_of(view, change);
    demand(i == 0 || schedule->change[i - 1].cycle <= change->cycle);
    ripstop_view_apply(view, change);
    demand(view->epoch == epoch + 1 || rate_of(view, change) != rate);
  }
  ripstop_view_free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const rules[] = {"trace:/proc/self/fd/%d,unit=7",
                                      "groups:1,cut=on,repair=3,file=/proc/self/fd/%d"};
  if (!size) return 0;
  char spec[100];
  int file = file_with(data + 1, size - 1);
  snprintf(spec, sizeof spec, rules[data[0] % 2], file);
  const ripstop_names *names = names_of_torus();
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_rule rule;
  ripstop_schedule schedule;
  if (ripstop_rule_open(arena, names, spec, NULL, &rule, &err))
    demand(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
  else if (!ripstop_rule_sample(arena, ripstop_names_fabric(names), NULL, &rule, 1, 0, &schedule, &err))
    demand_sound(ripstop_names_fabric(names), &schedule);
  ripstop_arena_free(arena);
  close(file);
  return 0;
}
