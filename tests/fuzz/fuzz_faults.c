/* fuzz_faults.c - any text as a fault set and as a schedule, over three fabrics (chosen by the first byte). What is
 * read must print to a text that reads the same, and a view must take it. */
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "fabric/inner.h"
#include "ripstop/plugin/faults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FABRICS = 3 };

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

/* Built once; the fuzzer's process owns them to its end. */
static const ripstop_names *names_of(unsigned which) {
  static const ripstop_names *names[FABRICS];
  if (names[which] != NULL) return names[which];
  static const char twins[] = "a b\na b\nb c-1\nc-1 d:2\n";
  ripstop_error err = {0};
  const ripstop_fabric *f = which == 0   ? ripstop_fabric_open("kary-ntree:k=2,n=3", &err)
                            : which == 1 ? ripstop_fabric_open("torus:2x3", &err)
                                         : ripstop_graph_from_text("twins", twins, sizeof twins - 1, &err);
  demand(f != NULL);
  return names[which] = ripstop_names_new(f);
}

static void try_set(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  ripstop_error err = {0};
  ripstop_faults set, again;
  if (ripstop_faults_parse(arena, names, text, length, &set, &err) != 0) {
    demand_message(&err);
    return;
  }
  ripstop_text first = {0}, second = {0};
  ripstop_faults_print(&first, f, &set);
  demand(ripstop_faults_parse(arena, names, first.data, first.length, &again, &err) == 0);
  ripstop_faults_print(&second, f, &again);
  demand(strcmp(first.data, second.data) == 0);
  ripstop_view *view = ripstop_view_new(f, &set);
  demand(view->failed_links == set.links && view->failed_switches == set.switches);
  ripstop_view_free(view);
  ripstop_text_free(&first);
  ripstop_text_free(&second);
}

static void try_schedule(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  ripstop_error err = {0};
  ripstop_schedule schedule, again;
  if (ripstop_schedule_parse(arena, names, text, length, &schedule, &err) != 0) {
    demand_message(&err);
    return;
  }
  ripstop_text first = {0}, second = {0};
  ripstop_schedule_print(&first, f, &schedule);
  demand(ripstop_schedule_parse(arena, names, first.data, first.length, &again, &err) == 0);
  ripstop_schedule_print(&second, f, &again);
  demand(strcmp(first.data, second.data) == 0);
  ripstop_view *view = ripstop_view_new(f, NULL);
  size_t changed = 0;
  for (size_t i = 0; i < schedule.count; i++) {
    const ripstop_change *c = &schedule.change[i];
    uint32_t epoch = view->epoch, rate = c->is_switch ? 0 : ripstop_view_rate(view, c->id);
    demand(i == 0 || schedule.change[i - 1].cycle <= c->cycle);
    ripstop_view_apply(view, c);
    changed += view->epoch != epoch || (!c->is_switch && ripstop_view_rate(view, c->id) != rate);
  }
  /* every change of a schedule changes something, but for repairs of what fault sets would have to bring */
  if (ripstop_schedule_check(&schedule, f, NULL, &err) == 0) demand(changed == schedule.count);
  ripstop_view_free(view);
  ripstop_text_free(&first);
  ripstop_text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const ripstop_names *names = names_of(data[0] % FABRICS);
  ripstop_arena *arena = ripstop_arena_new();
  try_set(arena, names, (const char *)data + 1, size - 1);
  try_schedule(arena, names, (const char *)data + 1, size - 1);
  ripstop_arena_free(arena);
  return 0;
}
