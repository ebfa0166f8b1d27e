/* test_mend_repair.c - tables of mend that follow failures and repairs: no connected pair is lost, nothing can
 * deadlock, little changes, and the change can be written without a moment in which packets could wait for each other
 * or circulate. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "mend/mend_tables.h"
#include "ripstop/kit/judge.h"

typedef struct history {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_mend_options options;
  ripstop_stream stream;
  uint32_t budget;                            /* the number of entries that a repair may change */
  uint32_t repairs, plans, writes[3], unsafe; /* unsafe: changes of levels that no writing is safe for */
} history;

enum { CHANGES = 40 }; /* changes of a history that begins with new tables */

static ripstop_forwarding *plan(const history *h) {
  ripstop_error err;
  ripstop_mend *mend = ripstop_mend_open(h->view, &h->options, &err);
  if (!mend) fail_msg("%s", err.text);
  ripstop_forwarding *tables = mend->tables;
  mend->tables = NULL;
  ripstop_mend_free(mend);
  return tables;
}

static void open_history(history *h, const char *spec, const ripstop_mend_options *options, uint64_t seed) {
  ripstop_error err;
  *h = (history){.fabric = ripstop_fabric_open(spec, &err), .options = *options};
  assert_non_null(h->fabric);
  h->view = ripstop_view_new(h->fabric, NULL);
  h->stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  h->tables = plan(h);
}

static void close_history(history *h) {
  ripstop_forwarding_free(h->tables);
  ripstop_view_free(h->view);
  ripstop_fabric_free(h->fabric);
}

static void check_tables(const history *h, const ripstop_forwarding *tables) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_table_verdict verdict;
  ripstop_error err;
  assert_int_equal(ripstop_judge(arena, h->view, tables, NULL, &verdict, &err), 0);
  if (verdict.unreached != verdict.disconnected || verdict.loops || verdict.credit_loop)
    fail_msg("%s: %llu of %llu pairs are lost, %d", h->fabric->spec, (unsigned long long)verdict.unreached,
             (unsigned long long)verdict.disconnected, verdict.credit_loop);
  ripstop_arena_free(arena);
}

/* A part fails, or comes back: mostly links, such that a quarter of them is down in the long run. */
static void change(history *h) {
  bool up = ripstop_stream_below(&h->stream, h->fabric->links) < 3 * h->view->failed_links;
  if (ripstop_stream_below(&h->stream, 6) == 0)
    ripstop_view_set_switch(h->view,
                            h->fabric->ends + ripstop_stream_below(&h->stream, ripstop_fabric_switches(h->fabric)), up);
  else
    ripstop_view_set_link(h->view, ripstop_stream_below(&h->stream, h->fabric->links), up);
}

/* Compares addresses that had no entries, too. */
static bool levels_differ(const ripstop_forwarding *a, const ripstop_forwarding *b) {
  size_t rows = ripstop_forwarding_level_rows(a);
  assert_int_equal(ripstop_forwarding_level_rows(b), rows);
  return rows && memcmp(a->level, b->level, rows * a->addresses) != 0;
}

/* Counts in how many writes the new tables can replace the old ones. While service levels stay, some order of writes is
 * safe. */
static void count_writes(history *h, const ripstop_forwarding *new) {
  ripstop_update update;
  ripstop_error err;
  assert_int_equal(ripstop_judge_update(h->view, h->tables, new, &update, &err), 0);
  if (update.steps == RIPSTOP_NONE && !levels_differ(h->tables, new))
    fail_msg("%s: no writing is safe", h->fabric->spec);
  update.steps == RIPSTOP_NONE ? h->unsafe++ : h->writes[update.steps]++;
  ripstop_forwarding_free(update.between);
}

/* The tables are the same with and without a measurement of time. */
static void check_untimed(const history *h, const ripstop_forwarding *timed) {
  ripstop_answer answer;
  ripstop_error err;
  ripstop_forwarding *tables = ripstop_mend_repair(h->view, h->tables, 1, h->budget, false, NULL, &answer, &err);
  assert_int_equal(!tables, !timed);
  if (!tables) return;
  size_t entries = (size_t)tables->addresses * ripstop_fabric_switches(tables->fabric);
  assert_memory_equal(tables->port, timed->port, entries * sizeof *tables->port);
  assert_false(levels_differ(tables, timed));
  ripstop_forwarding_free(tables);
}

static void follow(history *h) {
  ripstop_answer answer;
  ripstop_error err;
  double seconds = -1;
  ripstop_forwarding *new = ripstop_mend_repair(h->view, h->tables, 1, h->budget, false, &seconds, &answer, &err);
  assert_true(!new || seconds >= 0);
  assert_int_not_equal(answer, RIPSTOP_ERROR);
  check_untimed(h, new);
  if (new) {
    h->repairs++;
    count_writes(h, new);
  } else {
    h->plans++;
    new = plan(h);
  }
  check_tables(h, new);
  ripstop_forwarding_free(h->tables);
  h->tables = new;
}

/* Every second one with a budget. */
static void run_history(const char *spec, const ripstop_mend_options *options, uint64_t seed, history *sum) {
  history h;
  open_history(&h, spec, options, seed);
  h.budget = seed % 2 ? 10 : 0;
  for (uint32_t k = 0; k < CHANGES; k++) {
    change(&h);
    follow(&h);
  }
  sum->repairs += h.repairs;
  sum->plans += h.plans;
  sum->unsafe += h.unsafe;
  for (unsigned i = 0; i < 3; i++) sum->writes[i] += h.writes[i];
  close_history(&h);
}

static void nothing_connected_is_lost(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    ripstop_mend_options options;
  } cases[] = {{"torus:4x4", {1, false, 1, 0, false}},      {"torus:4x4", {4, false, 1, 0, false}},
               {"torus:5x3", {2, true, 1, 0, false}},       {"kary-ntree:k=3,n=3", {1, false, 1, 0, false}},
               {"kns:k=3,n=2", {2, false, 1, 0, false}},    {"mport-ntree:m=4,n=3", {2, true, 1, 0, false}},
               {"hyperx:3x4,p=2", {2, false, 1, 0, false}}, {"dragonfly:a=4,p=1,h=1", {3, false, 1, 0, false}},
               {"torus:4x3", {2, false, 1, 1, false}}};
  const char *asked = getenv("RIPSTOP_HISTORIES"); /* histories of each fabric: tools/mend-histories.sh */
  uint32_t histories = asked ? (uint32_t)atoi(asked) : 8;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    history sum = {0};
    for (uint32_t k = 0; k < histories; k++) run_history(cases[i].spec, &cases[i].options, 1000000 * i + k, &sum);
    print_message("%s, %u VLs: %u histories, %u repairs, %u plans; %u, %u, %u in 0, 1, 2 writes, %u unsafe\n",
                  cases[i].spec, cases[i].options.lanes, histories, sum.repairs, sum.plans, sum.writes[0],
                  sum.writes[1], sum.writes[2], sum.unsafe);
    assert_true(sum.repairs > 3 * sum.plans);
  }
}

/* ------------------------------------------------------------------ in place */

/* The reported entries, taken back from the last to the first, give the former tables. */
static void check_entries(const ripstop_forwarding *before, const ripstop_forwarding *now, const ripstop_mended *told) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_forwarding *back = ripstop_forwarding_copy(arena, now);
  for (uint32_t i = told->entries; i-- > 0;)
    ripstop_forwarding_set(back, told->entry[i].address, told->entry[i].switch_, told->entry[i].was);
  size_t entries = (size_t)now->addresses * ripstop_fabric_switches(now->fabric);
  assert_memory_equal(back->port, before->port, entries * sizeof *back->port);
  assert_int_equal(told->levels_changed > 0, levels_differ(before, now));
  ripstop_arena_free(arena);
}

static void check_mended(history *h, const ripstop_forwarding *before, const ripstop_mended *told) {
  ripstop_update update;
  ripstop_error err;
  check_entries(before, h->tables, told);
  check_tables(h, h->tables);
  assert_int_equal(ripstop_judge_update(h->view, before, h->tables, &update, &err), 0);
  if (told->levels_changed == 0 && update.steps > (told->mixed ? 1u : 2u))
    fail_msg("%s: %u writes, mixed %d, %u entries", h->fabric->spec, update.steps, told->mixed, told->entries);
  assert_true(h->options.by_pair || told->levels_changed == 0);
  ripstop_forwarding_free(update.between);
}

/* New tables, and another mender, where the old ones are of no use. */
static void follow_in_place(history *h, ripstop_mender **mender, uint32_t budget) {
  ripstop_answer answer = RIPSTOP_DOES_NOT_APPLY;
  ripstop_error err;
  ripstop_mended told;
  ripstop_forwarding *before = ripstop_forwarding_copy(ripstop_arena_new(), h->tables);
  if (*mender && budget == 0) answer = ripstop_mender_follow(*mender, &told, &err);
  if (*mender && budget > 0) answer = ripstop_mender_balance(*mender, budget, &told, &err);
  if (answer == RIPSTOP_APPLIES) {
    h->repairs++;
    check_mended(h, before, &told);
  } else {
    h->plans++;
    ripstop_mender_free(*mender);
    ripstop_forwarding_free(h->tables);
    h->tables = plan(h);
    *mender = ripstop_mender_open(h->view, h->tables, 1, &answer, &err);
    assert_non_null(*mender);
  }
  ripstop_forwarding_free(before);
}

static void tables_follow_in_place(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    ripstop_mend_options options;
  } cases[] = {{"torus:4x4", {2, false, 1, 0, false}},
               {"torus:5x3", {2, true, 1, 0, false}},
               {"kary-ntree:k=3,n=3", {1, false, 1, 0, false}},
               {"hyperx:3x4,p=2", {2, false, 1, 0, false}},
               {"kary-ntree:k=3,n=2", {1, false, 1, 2, false}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    history h;
    ripstop_mender *mender = NULL;
    open_history(&h, cases[i].spec, &cases[i].options, 10 + i);
    follow_in_place(&h, &mender, 0);
    for (uint32_t k = 0; k < 200; k++) {
      change(&h);
      follow_in_place(&h, &mender, k % 3 ? 10 : 0);
    }
    print_message("%s: %u repairs, %u plans\n", cases[i].spec, h.repairs, h.plans);
    assert_true(h.repairs > 3 * h.plans);
    ripstop_mender_free(mender);
    close_history(&h);
  }
}

/* Each cable alone, after earlier failures. In VLs with few free turns other trees give up theirs, and tables stay. */
static void trees_give_candidate(void **state) {
  (void)state;
  const ripstop_mend_options options = {2, false, 1, 0, false};
  history h;
  open_history(&h, "torus:4x4x4", &options, 1);
  for (uint32_t i = 0; i < 10; i++)
    ripstop_view_set_link(
        h.view, h.fabric->link_ends + ripstop_stream_below(&h.stream, h.fabric->links - h.fabric->link_ends), false);
  ripstop_forwarding_free(h.tables);
  h.tables = plan(&h);
  for (uint32_t link = h.fabric->link_ends; link < h.fabric->links; link++) {
    ripstop_answer answer;
    ripstop_error err;
    if (!h.view->link_up[link]) continue;
    ripstop_view_set_link(h.view, link, false);
    ripstop_forwarding *new = ripstop_mend_repair(h.view, h.tables, 1, 0, false, NULL, &answer, &err);
    if (!new) fail_msg("link %u: %s", link, err.text);
    check_tables(&h, new);
    count_writes(&h, new);
    ripstop_forwarding_free(new);
    ripstop_view_set_link(h.view, link, true);
  }
  close_history(&h);
}

/* Entries of a change, and those of them that led into a failed part, which no repair could keep. */
static void count_changes(const history *h, const ripstop_forwarding *new, uint32_t *changed, uint32_t *dead) {
  for (uint32_t a = 0; a < new->addresses; a++)
    for (uint32_t node = h->fabric->ends; node < h->fabric->nodes; node++) {
      uint16_t was = ripstop_forwarding_port(h->tables, a, node);
      if (was == ripstop_forwarding_port(new, a, node)) continue;
      ++*changed;
      *dead += !h->view->port_up[h->fabric->port_base[node] + was];
    }
}

/* Each cable alone. Above the leaves of a tree most entries that lead over it carry nothing but what switches send once
 * the leaves send elsewhere, and stay. */
static void idle_entries_stay(void **state) {
  (void)state;
  const ripstop_mend_options options = {1, false, 1, 0, false};
  uint32_t changed = 0, dead = 0;
  history h;
  open_history(&h, "mport-ntree:m=8,n=3", &options, 1);
  for (uint32_t link = h.fabric->link_ends; link < h.fabric->links; link++) {
    ripstop_answer answer;
    ripstop_error err;
    ripstop_view_set_link(h.view, link, false);
    ripstop_forwarding *new = ripstop_mend_repair(h.view, h.tables, 1, 0, false, NULL, &answer, &err);
    assert_non_null(new);
    count_changes(&h, new, &changed, &dead);
    ripstop_forwarding_free(new);
    ripstop_view_set_link(h.view, link, true);
  }
  print_message("%u entries changed, %u of them led into failed cables\n", changed, dead);
  assert_in_range(changed, dead, 2 * dead);
  close_history(&h);
}

/* ------------------------------------------------------------------ balance */

static uint64_t worst_of(const history *h, const ripstop_forwarding *tables) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_table_verdict verdict;
  assert_int_equal(ripstop_judge(arena, h->view, tables, NULL, &verdict, NULL), 0);
  ripstop_arena_free(arena);
  return verdict.worst;
}

static void kill_some(history *h, ripstop_mender *mender, uint32_t links) {
  ripstop_mended told;
  ripstop_error err;
  for (uint32_t i = 0; i < links; i++) {
    uint32_t link = h->fabric->link_ends + ripstop_stream_below(&h->stream, h->fabric->links - h->fabric->link_ends);
    ripstop_view_set_link(h->view, link, false);
    if (ripstop_view_disconnected_pairs(h->view) > 0) ripstop_view_set_link(h->view, link, true);
    assert_int_equal(ripstop_mender_follow(mender, &told, &err), RIPSTOP_APPLIES);
  }
}

/* One write each, within the budget, until nothing is left to be done. */
static uint32_t balance_all(history *h, ripstop_mender *mender, uint32_t budget) {
  ripstop_mended told = {.more = true};
  ripstop_error err;
  uint32_t sweeps = 0;
  while (told.more) {
    ripstop_forwarding *before = ripstop_forwarding_copy(ripstop_arena_new(), h->tables);
    assert_int_equal(ripstop_mender_balance(mender, budget, &told, &err), RIPSTOP_APPLIES);
    assert_true(told.entries <= budget && told.mixed);
    check_mended(h, before, &told);
    ripstop_forwarding_free(before);
    assert_in_range(++sweeps, 1, 400);
  }
  return sweeps;
}

static void a_budget_brings_balance_back(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    ripstop_mend_options options;
    uint32_t dead;
  } cases[] = {{"torus:6x6", {2, false, 1, 0, false}, 12},
               {"kary-ntree:k=4,n=3", {1, false, 1, 0, false}, 8},
               {"hyperx:4x4,p=2", {2, false, 1, 0, false}, 10},
               {"kns:k=4,n=2", {4, false, 1, 0, false}, 4},
               {"torus:4x4", {2, false, 1, 1, false}, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    history h;
    ripstop_answer answer;
    ripstop_error err;
    open_history(&h, cases[i].spec, &cases[i].options, 20 + i);
    ripstop_mender *mender = ripstop_mender_open(h.view, h.tables, 1, &answer, &err);
    kill_some(&h, mender, cases[i].dead);
    uint64_t before = worst_of(&h, h.tables);
    uint32_t sweeps = balance_all(&h, mender, 20);
    ripstop_forwarding *anew = plan(&h);
    uint64_t after = worst_of(&h, h.tables), best = worst_of(&h, anew);
    print_message("%s: %llu before, %llu after %u sweeps, %llu recomputed\n", cases[i].spec, (unsigned long long)before,
                  (unsigned long long)after, sweeps, (unsigned long long)best);
    assert_true(after < before && 2 * after <= 3 * best);
    ripstop_forwarding_free(anew);
    ripstop_mender_free(mender);
    close_history(&h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_connected_is_lost),
                                     cmocka_unit_test(tables_follow_in_place), cmocka_unit_test(trees_give_candidate),
                                     cmocka_unit_test(idle_entries_stay),
                                     cmocka_unit_test(a_budget_brings_balance_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
