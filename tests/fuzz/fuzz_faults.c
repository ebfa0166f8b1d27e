/* fuzz_faults.c - any text as a fault set and as a schedule, over three fabrics (chosen by the first byte). What is
 * read must print to a text that reads the same, and a view must take it. */
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "ripstop/faults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FABRICS = 3 };

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const rs_error *err) { demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL); }

/* Built once; the fuzzer's process owns them to its end. */
static const rs_names *names_of(unsigned which) {
  static const rs_names *names[FABRICS];
  if (names[which] != NULL) return names[which];
  static const char twins[] = "a b\na b\nb c-1\nc-1 d:2\n";
  rs_error err = {0};
  const rs_fabric *f = which == 0   ? rs_fabric_open("kary-ntree:k=2,n=3", &err)
                       : which == 1 ? rs_fabric_open("torus:2x3", &err)
                                    : rs_graph_from_text("twins", twins, sizeof twins - 1, &err);
  demand(f != NULL);
  return names[which] = rs_names_new(f);
}

static void try_set(rs_arena *arena, const rs_names *names, const char *text, size_t length) {
  const rs_fabric *f = rs_names_fabric(names);
  rs_error err = {0};
  rs_faults set, again;
  if (rs_faults_parse(arena, names, text, length, &set, &err) != 0) {
    demand_message(&err);
    return;
  }
  rs_text first = {0}, second = {0};
  rs_faults_print(&first, f, &set);
  demand(rs_faults_parse(arena, names, first.data, first.length, &again, &err) == 0);
  rs_faults_print(&second, f, &again);
  demand(strcmp(first.data, second.data) == 0);
  rs_view *view = rs_view_new(f, &set);
  demand(view->dead_links == set.links && view->dead_switches == set.switches);
  rs_view_free(view);
  rs_text_free(&first);
  rs_text_free(&second);
}

static void try_schedule(rs_arena *arena, const rs_names *names, const char *text, size_t length) {
  const rs_fabric *f = rs_names_fabric(names);
  rs_error err = {0};
  rs_schedule schedule, again;
  if (rs_schedule_parse(arena, names, text, length, &schedule, &err) != 0) {
    demand_message(&err);
    return;
  }
  rs_text first = {0}, second = {0};
  rs_schedule_print(&first, f, &schedule);
  demand(rs_schedule_parse(arena, names, first.data, first.length, &again, &err) == 0);
  rs_schedule_print(&second, f, &again);
  demand(strcmp(first.data, second.data) == 0);
  rs_view *view = rs_view_new(f, NULL);
  for (size_t i = 0; i < schedule.count; i++) {
    demand(i == 0 || schedule.change[i - 1].cycle <= schedule.change[i].cycle);
    rs_view_apply(view, &schedule.change[i]);
  }
  /* every change of a schedule changes something, but for repairs of what fault sets would have to bring */
  if (rs_schedule_check(&schedule, f, NULL, &err) == 0) demand(view->epoch == schedule.count);
  rs_view_free(view);
  rs_text_free(&first);
  rs_text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const rs_names *names = names_of(data[0] % FABRICS);
  rs_arena *arena = rs_arena_new();
  try_set(arena, names, (const char *)data + 1, size - 1);
  try_schedule(arena, names, (const char *)data + 1, size - 1);
  rs_arena_free(arena);
  return 0;
}
