/* GOAL traces: the cycles in which ranks end, beside another program's; what the grammar allows and what it does not,
 * with the line; traces that can never end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/kit/workload.h"
#include "stand.h"
#include "workload/tasks.h"
#include "workload/workload_run.h"

static const char *path_of(ripstop_arena *arena, const char *name) {
  const char *root = getenv("RIPSTOP_SOURCE_DIR") ? getenv("RIPSTOP_SOURCE_DIR") : RIPSTOP_SOURCE_DIR;
  return ripstop_arena_printf(arena, "%s/tests/data/workloads/%s", root, name);
}

/* One switch with an end node for each rank, over which a flit takes `latency` cycles. */
static int play(ripstop_arena *arena, const char *name, unsigned ranks, unsigned latency, ripstop_run_result *result,
                ripstop_error *err) {
  ripstop_workload_run run = {.simulation = {.seed = 1}};
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  ripstop_options_defaults(arena, ripstop_workload_options, &run.config);
  run.simulation.switch_.pipeline = latency - 2 * run.simulation.switch_.link;
  run.simulation.switch_.in_queue = 32767;
  run.config.jobs = ripstop_arena_printf(arena, "goal:%s", path_of(arena, name));
  run.config.ranks = true;
  ripstop_fabric *fabric = open_fabric(ripstop_arena_printf(arena, "mport-ntree:m=%u,n=1", (ranks + 1) / 2 * 2));
  stand run_setup = stand_on(fabric, "updown", NULL);
  int status = ripstop_workload_agent(run_setup.plan, &run, result, err);
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
  return status;
}

static double sum_of_ranks(const ripstop_run_result *result) {
  double sum = 0;
  for (size_t i = 0; i < result->values; i++)
    if (!strncmp(result->value[i].name, "job.1.rank.", 11)) sum += result->value[i].value;
  return sum;
}

static void ends_are_those_of_another_program(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *text, name[128];
  size_t length;
  unsigned ranks, latency, files = 0;
  double last, sum;
  int used;
  if (ripstop_read_file(arena, path_of(arena, "ends.txt"), 1 << 20, &text, &length, &err)) fail_msg("%s", err.text);
  for (const char *at = text; sscanf(at, "%127s %u %u %lf %lf%n", name, &ranks, &latency, &last, &sum, &used) == 5;
       at += used, files++) {
    ripstop_run_result r;
    if (play(arena, name, ranks, latency, &r, &err)) fail_msg("%s: %s", name, err.text);
    if (ripstop_run_result_value(&r, "workload.complete") != 1 ||
        ripstop_run_result_value(&r, "workload.cycles") != last || sum_of_ranks(&r) != sum)
      fail_msg("%s, L = %u: %.0f and %.0f, not %.0f and %.0f", name, latency,
               ripstop_run_result_value(&r, "workload.cycles"), sum_of_ranks(&r), last, sum);
    assert_true(ripstop_run_result_value(&r, "workload.ideal-cycles") <= last);
    ripstop_run_result_free(&r);
  }
  assert_true(files >= 100);
  ripstop_arena_free(arena);
}

typedef struct expectation {
  const char *name;
  double end; /* NAN: it is refused */
  const char *message;
} expectation;

static void expect(const expectation *list, size_t count) {
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < count; i++) {
    ripstop_error err = {0};
    ripstop_run_result r;
    int status = play(arena, list[i].name, 8, 1000, &r, &err);
    if (!status != !isnan(list[i].end)) fail_msg("%s: %s", list[i].name, status ? err.text : "not refused");
    if (status && !strstr(err.text, list[i].message)) fail_msg("%s: %s", list[i].name, err.text);
    if (status) continue;
    if (ripstop_run_result_value(&r, "workload.cycles") != list[i].end)
      fail_msg("%s: %.0f", list[i].name, ripstop_run_result_value(&r, "workload.cycles"));
    ripstop_run_result_free(&r);
  }
  ripstop_arena_free(arena);
}

static void what_the_grammar_allows_is_taken(void **state) {
  (void)state;
  static const expectation list[] = {
      {"forms/any-source-any-tag.goal", 1009, NULL},
      {"forms/blank-line-with-spaces.goal", 10, NULL},
      {"forms/calc-huge.goal", NAN, "line 3: cycles 18446744073709551626 is larger than 922337203"},
      {"forms/calc-nic.goal", NAN, "line 3: the line should end here: 'nic 1'"},
      {"forms/comments.goal", 15, NULL},
      {"forms/cpu-nic.goal", 1009, NULL},
      {"forms/crlf.goal", 15, NULL},
      {"forms/empty-rank.goal", 10, NULL},
      {"forms/form-feed.goal", NAN, "line 3: no statement begins so: '?l1: calc 10'"},
      {"forms/hex.goal", NAN, "line 3: the line should end here: 'x10'"},
      {"forms/irequires.goal", 15, NULL},
      {"forms/keyword-labels.goal", 16, NULL},
      {"forms/label-dash.goal", NAN, "line 3: no task of rank 0 before this line has the label 'l'"},
      {"forms/label-long.goal", 10, NULL},
      {"forms/label-named-send.goal", NAN, "line 3: a number must stand here: ': calc 10'"},
      {"forms/label-starts-with-send.goal", 15, NULL},
      {"forms/label-twice.goal", 2999, NULL}, /* 2 x 1000 + L - 1: both sends, one after the other */
      {"forms/label-twice-across-ranks.goal", 15, NULL},
      {"forms/label-twice-after-use.goal", 35, NULL},
      {"forms/label-underscore-first.goal", NAN, "line 3: no statement begins so: '_l: calc 10'"},
      {"forms/leading-spaces.goal", 15, NULL},
      {"forms/nic-without-cpu.goal", 1009, NULL},
      {"forms/no-final-newline.goal", 10, NULL},
      {"forms/no-label.goal", 1009, NULL},
      {"forms/no-spaces.goal", NAN, "line 1: neither num_ranks nor a rank: 'num_ranks2'"},
      {"forms/no-spaces2.goal", 1009, NULL},
      {"forms/num_ranks-in-rank.goal", NAN, "line 1: num_ranks must stand before the ranks"},
      {"forms/num_ranks-twice.goal", NAN, "line 2: num_ranks stands here a second time"},
      {"forms/one-line-braces.goal", 20, NULL},
      {"forms/op-outside-rank.goal", NAN, "line 2: neither num_ranks nor a rank: 'l0: calc 99'"},
      {"forms/plus.goal", NAN, "line 3: a number must stand here: '+10'"},
      {"forms/requires-and-irequires.goal", 1009, NULL},
      {"forms/requires-twice.goal", 15, NULL},
      {"forms/send-any-tag.goal", NAN, "line 6: from rank 0 to rank 1 with tag 4 there are 0 sends a"},
      {"forms/space-before-b.goal", 1009, NULL},
      {"forms/text-behind-last-rank.goal", 10, NULL},
      {"forms/trailing-spaces.goal", 15, NULL},
      {"forms/zero-padded.goal", 10, NULL},
  };
  expect(list, sizeof list / sizeof *list);
}

static void broken_traces_are_refused(void **state) {
  (void)state;
  static const expectation list[] = {
      {"broken/brace-on-next-line.goal", NAN, "line 3: '{' must stand behind the number of the rank: ''"},
      {"broken/brace-on-op-line.goal", NAN, "line 4: the line should end here: '}'"},
      {"broken/byte-order-mark.goal", NAN, "line 1: neither num_ranks nor a rank: '"},
      {"broken/calc-with-b.goal", NAN, "line 4: the line should end here: 'b'"},
      {"broken/comment-after-op.goal", NAN, "line 4: the line should end here: '/* cost'"},
      {"broken/comment-without-end.goal", NAN, "line 4: a comment without end"},
      {"broken/cycle-across-ranks.goal", NAN, "4 tasks can never finish: rank 0 receives from rank 1 (li"},
      {"broken/cycle-of-requires.goal", NAN, "2 tasks can never finish: rank 0 computes (line 5), which w"},
      {"broken/duplicate-label.goal", NAN, "line 5: the label 'l1' is defined twice, and line 7 uses it"},
      {"broken/empty.goal", NAN, "line 1: num_ranks is missing"},
      {"broken/fraction.goal", NAN, "line 4: the line should end here: '.5'"},
      {"broken/label-is-number.goal", NAN, "line 4: no statement begins so: '1: calc 10'"},
      {"broken/label-of-other-rank.goal", NAN, "line 9: no task of rank 1 before this line has the label 'l1"},
      {"broken/label-used-before.goal", NAN, "line 5: no task of rank 0 before this line has the label 'l2"},
      {"broken/line-comment-after-op.goal", NAN, "line 4: the line should end here: '// cost'"},
      {"broken/negative-size.goal", NAN, "line 4: a number must stand here: '-5b to 1 tag 0'"},
      {"broken/no-operations.goal", 0, NULL},
      {"broken/num_ranks-missing.goal", NAN, "line 1: num_ranks must stand before the ranks"},
      {"broken/num_ranks-zero.goal", NAN, "line 1: there are no ranks"},
      {"broken/numbers-too-large.goal", NAN, "line 4: cpu 256 is larger than 255"},
      {"broken/out-of-range-chained_dissem-p8.goal", NAN, "line 14: there is no rank 9999999, only 0 to 7"},
      {"broken/out-of-range-peer.goal", NAN, "line 4: there is no rank 2, only 0 to 1"},
      {"broken/out-of-range-rank.goal", NAN, "line 7: rank 5 where rank 1 should stand"},
      {"broken/rank-missing.goal", NAN, "line 7: rank 2 where rank 1 should stand"},
      {"broken/rank-twice.goal", NAN, "line 7: rank 0 where rank 1 should stand"},
      {"broken/ranks-out-of-order.goal", NAN, "line 3: rank 1 where rank 0 should stand"},
      {"broken/recv-without-send.goal", NAN, "line 9: from rank 0 to rank 1 with tag 0 there are 1 sends a"},
      {"broken/requires-itself.goal", NAN, "1 tasks can never finish: rank 0 computes (line 5), which w"},
      {"broken/requires-list.goal", NAN, "line 7: the line should end here: ', l2'"},
      {"broken/send-from.goal", NAN, "line 4: a send goes 'to' a rank: 'from 1 tag 0'"},
      {"broken/send-to-itself.goal", NAN, "line 4: rank 0 cannot send to itself"},
      {"broken/send-without-recv.goal", NAN, "line 5: from rank 0 to rank 1 with tag 1 there are 1 sends a"},
      {"broken/size-differs.goal", NAN, "line 4: 100 bytes from rank 0 are received in line 8 as 50"},
      {"broken/size-without-b.goal", NAN, "line 4: 'b' must stand behind the number of bytes: 'to 1 tag"},
      {"broken/tag-after-cpu.goal", NAN, "line 4: the line should end here: 'tag 0'"},
      {"broken/tag-differs.goal", NAN, "line 4: from rank 0 to rank 1 with tag 0 there are 1 sends a"},
      {"broken/too-few-ranks.goal", NAN, "line 10: the file ends behind 2 of 4 ranks"},
      {"broken/too-many-ranks.goal", 10, NULL},
      {"broken/truncated-brace.goal", NAN, "line 9: the file ends, and rank 1 has no '}'"},
      {"broken/truncated-in-line.goal", NAN, "line 8: a recv comes 'from' a rank: 'fr'"},
      {"broken/truncated-rank.goal", NAN, "line 6: the file ends behind 1 of 2 ranks"},
      {"broken/undefined-label.goal", NAN, "line 5: no task of rank 0 before this line has the label 'l9"},
      {"broken/upper-case.goal", NAN, "line 3: neither num_ranks nor a rank: 'RANK 0 {'"},
      {"broken/zero-bytes.goal", 1010, NULL},
  };
  expect(list, sizeof list / sizeof *list);
}

/* docs/workloads.md, "What leaves first": each even rank has two sends, and ends when its last leaves. Had the one that
 * stands first in the file left first, that were cycle 1100, 114, 101, 120 and 105. */
static void sends_leave_in_the_order_that_is_reported(void **state) {
  (void)state;
  enum { RANKS = 10 };
  static const double end[RANKS] = {110, 1119, 24, 133, 11, 120, 30, 139, 15, 124};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_run_result r;
  if (play(arena, "order.goal", RANKS, 10, &r, &err)) fail_msg("%s", err.text);
  for (unsigned i = 0; i < RANKS; i++) {
    const double is = ripstop_run_result_value(&r, ripstop_arena_printf(arena, "job.1.rank.%u.cycles", i));
    if (is != end[i]) fail_msg("rank %u: %.0f, not %.0f", i, is, end[i]);
  }
  ripstop_run_result_free(&r);
  ripstop_arena_free(arena);
}

/* The processor of a message means nothing. */
static void a_send_has_no_processor(void **state) {
  (void)state;
  ripstop_tasks *tasks = tasks_new(2, 2, true, 1);
  const ripstop_task send = ripstop_tasks_send(tasks, 0, 1, 8, 0);
  ripstop_tasks_processor(tasks, send, TASK_CONTROL);
  assert_true(task_is_message(&tasks->task[send]));
  tasks_free(tasks);
}

/* Times beyond 64 bits are the longest one, also where a cycle is very short. */
static void times_do_not_overflow(void **state) {
  (void)state;
  const ripstop_tasks fine = {.tick = 1e-300}, plain = {0};
  assert_true(tasks_cycles(&fine, UINT64_MAX, true) == UINT64_MAX);
  assert_true(tasks_cycles(&fine, 0, false) == 0);
  assert_true(tasks_cycles(&plain, UINT64_MAX, true) == UINT64_MAX / 1000 + 1);
  assert_true(tasks_round_up(2.1) == 3 && tasks_round_up(2 + 1e-7) == 2 && tasks_round_up(0x1p64) == UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_are_those_of_another_program), cmocka_unit_test(what_the_grammar_allows_is_taken),
      cmocka_unit_test(broken_traces_are_refused),         cmocka_unit_test(sends_leave_in_the_order_that_is_reported),
      cmocka_unit_test(a_send_has_no_processor),           cmocka_unit_test(times_do_not_overflow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
