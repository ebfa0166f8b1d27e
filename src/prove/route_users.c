/* route_users.c - forwarding tables for programs: read, made of a plan, written, judged. */
#include <math.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/output.h"
#include "mend/table_files.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/values.h"
#include "ripstop/routes.h"
#include "route/plan_steps.h"
#include "route/result.h"
#include "tables/infiniband/table_folder.h"

ripstop_forwarding *ripstop_routes_read(const ripstop_view *view, const char *const *path, size_t paths,
                                        ripstop_error *err) {
  if (!view) return NULL;
  RIPSTOP_GUARD(err, NULL);
  RIPSTOP_LOCAL_TEXT(notes);
  ripstop_text_begin(&notes);
  const ripstop_table_files files = {path, (unsigned)paths};
  return ripstop_table_files_read(&files, view->fabric, view, &notes, NULL, err);
}

ripstop_forwarding *ripstop_routes_make(ripstop_plan *plan, ripstop_error *err) {
  if (!plan) return NULL;
  RIPSTOP_GUARD(err, NULL);
  ripstop_answer answer = ripstop_plan_tables(plan, err);
  ripstop_forwarding *tables =
      answer == RIPSTOP_APPLIES ? ripstop_forwarding_of_plan(plan, UINT64_MAX, &answer, err) : NULL;
  if (!tables || ripstop_forwarding_add_lanes(plan, tables, err) == RIPSTOP_APPLIES) return tables;
  ripstop_forwarding_free(tables);
  return NULL;
}

static bool is_table(const void *context, const char *name) {
  (void)context;
  return ripstop_table_folder_has(name);
}

int ripstop_routes_write(const ripstop_forwarding *tables, const char *folder, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (ripstop_output_check_folder(folder, RIPSTOP_OUTPUT_NEW, is_table, NULL, err) ||
      ripstop_output_folder(folder, err))
    return -1;
  return ripstop_table_folder_write(folder, RIPSTOP_OUTPUT_NEW, tables, err);
}

/* ------------------------------------------------------------------ values */

typedef struct values {
  ripstop_value *list;
  size_t count;
} values;

static void add(values *v, const char *name, double value) {
  const ripstop_quantity *q = ripstop_quantity_find(name, RIPSTOP_VALUES_TABLES);
  v->list[v->count++] = (ripstop_value){name, q->unit, value, NAN};
}

static void add_transient(values *v, const ripstop_transient *t) {
  add(v, "transient.entries", (double)t->entries);
  add(v, "transient.changed_entries", (double)t->changed);
  add(v, "transient.levels", (double)t->levels);
  add(v, "transient.changed_levels", (double)t->levels_changed);
  add(v, "transient.looping_addresses", (double)t->looping);
  add(v, "transient.looping_groups", t->looping_groups);
  add(v, "transient.credit_loop", t->credit_loop);
  add(v, "transient.old_levels_credit_loop", t->old_levels_loop);
}

static void add_all(values *v, const ripstop_judged *judged) {
  const ripstop_table_verdict *j = &judged->now;
  add(v, "pairs", (double)j->pairs);
  add(v, "unreachable_pairs", (double)j->unreached);
  add(v, "disconnected_pairs", (double)j->disconnected);
  add(v, "dead_ends", (double)j->dead_ends);
  add(v, "astray", (double)j->astray);
  add(v, "loops", (double)j->loops);
  add(v, "unreachable_switch_lids", j->switch_addresses_unreached);
  add(v, "credit_loop", j->credit_loop);
  add(v, "credit_loop_unicast", j->credit_loop_unicast);
  if (j->multicast) add(v, "forwarding_loops", j->multicast->forwarding_loops);
  add(v, "links_in_credit_loops", j->in_loops);
  add(v, "lanes", j->lanes_used);
  add(v, "worst_link_paths", (double)j->worst / j->unit);
  add(v, "p99_link_paths", (double)j->p99 / j->unit);
  add(v, "mean_hops", j->mean_hops);
  add(v, "max_hops", j->max_hops);
  add(v, "links", j->channels + 2 * judged->own);
  add(v, "unused_links", j->unused + 2 * judged->own);
  add(v, "unused_cables", j->unused_links + judged->own);
  add(v, "own_cables", judged->own);
  if (judged->mixed) add_transient(v, &judged->transient);
}

ripstop_result *ripstop_routes_judge(const ripstop_view *view, const ripstop_forwarding *tables,
                                     const ripstop_forwarding *before, ripstop_error *err) {
  enum { MOST = 32 };
  if (!view || !tables) return NULL;
  RIPSTOP_GUARD(err, NULL);
  ripstop_judged judged;
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_judging what = {.view = view, .tables = tables, .before = before};
  if (ripstop_judge_whole(arena, &what, &judged, err)) return ripstop_arena_free(arena), NULL;
  values v = {RIPSTOP_ARRAY(arena, MOST, ripstop_value), 0};
  add_all(&v, &judged);
  ripstop_result *result = ripstop_result_in(arena, v.list, v.count);
  ripstop_result_add_text(result, "verdict", ripstop_deadlock_words[judged.deadlock]);
  ripstop_result_add_text(result, "witness", judged.witness);
  return result;
}
