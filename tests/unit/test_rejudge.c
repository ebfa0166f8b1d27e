/* test_rejudge.c - the verdict that follows repairs, against the verdict on the whole tables after each of them. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "mend/mend_tables.h"
#include "ripstop/kit/judge.h"
#include "tables/rejudge.h"

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_mend *mend;
  ripstop_mender *mender;
  rejudge *judged;
} bench;

static void open_bench(bench *b, const char *spec, const ripstop_mend_options *options) {
  ripstop_error err;
  ripstop_answer answer;
  *b = (bench){.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(spec, &err)};
  assert_non_null(b->fabric);
  b->view = ripstop_view_new(b->fabric, NULL);
  b->mend = ripstop_mend_open(b->view, options, &err);
  assert_non_null(b->mend);
  b->mender = ripstop_mender_open(b->view, b->mend->tables, 1, &answer, &err);
  assert_non_null(b->mender);
  b->judged = rejudge_new(b->arena, b->view, b->mend->tables);
  assert_non_null(b->judged);
  assert_false(rejudge_follow(b->judged, b->mend->tables, NULL, 0)); /* nothing has been read */
  assert_true(rejudge_read(b->judged, b->mend->tables));
  assert_int_equal(rejudge_worst(b->judged), b->mend->worst);
}

static void close_bench(bench *b) {
  ripstop_mender_free(b->mender);
  ripstop_mend_free(b->mend);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* Repairs the tables for the present view. True: the verdict has followed; then it is right. */
static bool repair(bench *b) {
  ripstop_mended mended;
  ripstop_table_verdict v;
  ripstop_error err;
  assert_int_equal(ripstop_mender_follow(b->mender, &mended, &err), RIPSTOP_APPLIES);
  bool follows = mended.levels_changed == 0 && rejudge_follow(b->judged, b->mend->tables, mended.entry, mended.entries);
  bool good = follows || rejudge_read(b->judged, b->mend->tables);
  assert_int_equal(ripstop_judge(b->arena, b->view, b->mend->tables, NULL, &v, &err), 0);
  if (!good) assert_true(v.disconnected > 0);
  if (!good) return false;
  assert_int_equal(v.unreached, v.disconnected);
  assert_false(v.credit_loop);
  assert_int_equal(rejudge_worst(b->judged), v.worst);
  return follows;
}

static void it_follows_cables(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    ripstop_mend_options options;
  } known[] = {{"kary-ntree:k=4,n=3", {1, false, 1, 0, false}},
               {"torus:6x6", {2, false, 1, 0, false}},
               {"torus:5x5", {3, true, 1, 0, false}},
               {"kary-ntree:k=3,n=3", {1, false, 1, 1, false}},
               {"jellyfish:n=24,r=5,p=2", {2, false, 1, 0, false}}};
  enum { STEPS = 24 };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_stream stream = ripstop_stream_open(i, RIPSTOP_RANDOM_TEST, 0);
    uint32_t followed = 0;
    bench b;
    open_bench(&b, known[i].spec, &known[i].options);
    for (uint32_t step = 0; step < STEPS; step++) {
      uint32_t cables = b.fabric->links - b.fabric->link_ends,
               link = b.fabric->link_ends + ripstop_stream_below(&stream, cables);
      ripstop_view_set_link(b.view, link, !b.view->link_up[link]);
      followed += repair(&b);
    }
    print_message("%s: %u of %u steps followed\n", known[i].spec, followed, STEPS);
    assert_true(known[i].options.by_pair || followed > STEPS / 2);
    close_bench(&b);
  }
}

static void end_nodes_need_a_new_reading(void **state) {
  (void)state;
  bench b;
  open_bench(&b, "kary-ntree:k=4,n=3", &(ripstop_mend_options){1, false, 1, 0, false});
  ripstop_view_set_link(b.view, 0, false);
  assert_false(repair(&b));
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  assert_true(repair(&b));
  ripstop_view_set_link(b.view, 0, true);
  assert_false(repair(&b));
  close_bench(&b);
}

/* An entry that leads nowhere, or back: its packets are lost. */
static void bad_entries_are_found(void **state) {
  (void)state;
  bench b;
  open_bench(&b, "torus:4x4", &(ripstop_mend_options){2, false, 1, 0, false});
  ripstop_forwarding *t = b.mend->tables;
  const uint32_t node = b.fabric->ends + 5;
  ripstop_mended_entry entry = {0, node, ripstop_forwarding_port(t, 0, node)};
  ripstop_forwarding_set(t, 0, node, RIPSTOP_NO_PORT);
  assert_false(rejudge_follow(b.judged, t, &entry, 1));
  assert_false(rejudge_read(b.judged, t));
  ripstop_forwarding_set(t, 0, node, entry.was);
  assert_true(rejudge_read(b.judged, t));
  uint32_t next = b.fabric->peer[b.fabric->port_base[node] + entry.was], back = b.fabric->port_node[next];
  if (!ripstop_is_end(b.fabric, back)) {
    ripstop_mended_entry loop = {0, back, ripstop_forwarding_port(t, 0, back)};
    ripstop_forwarding_set(t, 0, back, (uint16_t)(next - b.fabric->port_base[back]));
    assert_false(rejudge_follow(b.judged, t, &loop, 1));
  }
  rejudge_forget(b.judged);
  assert_false(rejudge_follow(b.judged, t, NULL, 0));
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_follows_cables),
                                     cmocka_unit_test(end_nodes_need_a_new_reading),
                                     cmocka_unit_test(bad_entries_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
