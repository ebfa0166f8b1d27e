/* test_link_fault_messages.c - stories of the messages of paper 001 on the 4-port 3-tree and others: the one fault of
 * its figure 3, a switch cut off from above, repair, how far updates travel, and that the order of arrival does not
 * matter. */
#include "story.h"

#define METHOD "link-fault-messages:delay=1"
#define TREE   "mport-ntree:m=4,n=3"

static story *run_messages(const char *fabric, const char *schedule) {
  story *s = story_open(fabric, schedule);
  s->messages_only = true;
  story_run(s, METHOD);
  return s;
}

/* Link LK<0,21>_3. Its upper switch notifies the other port below and both ports above; the top switches notify all
 * below but the sender; no level 1 switch keeps it, and every level 0 switch with another up port does. */
static void one_fault_as_in_figure_3(void **state) {
  (void)state;
  story *s = run_messages(TREE, "0/2.1/3@5");
  story_assert(s, "5 0/2.1/3 fails\n"
                  "5 1/2.1 > 0/2.0: ULFM 0/2.1/3, at 6\n"
                  "5 1/2.1 > 2/0.1: ULFM 0/2.1/3, at 6\n"
                  "5 1/2.1 > 2/1.1: ULFM 0/2.1/3, at 6\n"
                  "6 2/0.1 > 1/0.1: ULFM 0/2.1/3, at 7\n"
                  "6 2/0.1 > 1/1.1: ULFM 0/2.1/3, at 7\n"
                  "6 2/0.1 > 1/3.1: ULFM 0/2.1/3, at 7\n"
                  "6 2/1.1 > 1/0.1: ULFM 0/2.1/3, at 7\n"
                  "6 2/1.1 > 1/1.1: ULFM 0/2.1/3, at 7\n"
                  "6 2/1.1 > 1/3.1: ULFM 0/2.1/3, at 7\n"
                  "7 1/0.1 > 0/0.0: ULFM 0/2.1/3, at 8\n"
                  "7 1/0.1 > 0/0.1: ULFM 0/2.1/3, at 8\n"
                  "7 1/1.1 > 0/1.0: ULFM 0/2.1/3, at 8\n"
                  "7 1/1.1 > 0/1.1: ULFM 0/2.1/3, at 8\n"
                  "7 1/3.1 > 0/3.0: ULFM 0/2.1/3, at 8\n"
                  "7 1/3.1 > 0/3.1: ULFM 0/2.1/3, at 8\n");
  for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_node_name(s->fabric, v, name);
    if (strcmp(name, "0/2.1") == 0) /* it sees the failed port itself */
      story_assert_state(s, name, "{\"table\":{},\"ports\":{\"3\":0}}");
    else if (name[0] == '0') /* LFE<21,10> */
      story_assert_state(s, name, "{\"table\":{\"0/2.1\":\"10\"},\"ports\":{}}");
    else
      story_assert_state(s, name, "{\"table\":{},\"ports\":{}}");
  }
  story_close(s);
}

/* Both up links of 1/0.0 fail: packets that go up to it get no higher than level 1. */
static void a_switch_cut_off_from_above_says_so(void **state) {
  (void)state;
  story *s = run_messages(TREE, "1/0.0/2@0 1/0.0/3@10");
  assert_non_null(strstr(s->text.data, "10 1/0.0 > 0/0.0: DLFM 1, at 11\n"));
  assert_non_null(strstr(s->text.data, "10 1/0.0 > 0/0.1: DLFM 1, at 11\n"));
  story_assert_state(s, "1/0.0", "{\"table\":{},\"ports\":{\"2\":1,\"3\":1}}");
  story_assert_state(s, "0/0.0", "{\"table\":{},\"ports\":{\"2\":1}}");
  story_assert_state(s, "0/0.1", "{\"table\":{},\"ports\":{\"2\":1}}");
  /* case 2: the others see 1/0.0 flagged through all their up ports, so 0/0.0 and 0/0.1 cannot be reached by way of
     the switches 1/x.0, which hang from port 2 */
  story_assert_state(s, "1/3.0", "{\"table\":{\"1/0.0\":\"11\"},\"ports\":{}}");
  story_assert_state(s, "0/3.1", "{\"table\":{\"0/0.0\":\"01\",\"0/0.1\":\"01\"},\"ports\":{}}");
  story_close(s);
}

static void a_repair_takes_back_what_the_fault_said(void **state) {
  (void)state;
  story *s = run_messages(TREE, "1/0.0/2@0 1/0.0/3@10 0/2.1/3@20 1/0.0/3+@100 0/2.1/3+@110 1/0.0/2+@120");
  for (uint32_t v = s->fabric->ends; v < s->fabric->nodes; v++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_node_name(s->fabric, v, name);
    story_assert_state(s, name, "{\"table\":{},\"ports\":{}}");
  }
  story_close(s);
}

/* The printed protocol takes nothing back: neither when a link returns nor when the port that brought the message
 * fails. */
static void without_withdrawals_everything_stays(void **state) {
  (void)state;
  static const char schedule[] = "1/0.0/2@0 1/0.0/3@5 0/2.1/3@10 0/3.1/3@20 1/0.0/2+@30 0/2.1/3+@40";
  story *s = story_open(TREE, schedule);
  story_run(s, METHOD ",withdraw=off");
  story_assert_state(s, "0/0.1", "{\"table\":{\"0/2.1\":\"10\",\"0/3.1\":\"10\"},\"ports\":{\"2\":1}}");
  story_assert_state(s, "0/3.1",
                     "{\"table\":{\"0/0.0\":\"01\",\"0/0.1\":\"01\",\"0/2.1\":\"10\"},\"ports\":{\"3\":0}}");
  assert_null(strstr(s->text.data, "withdraw"));
  story_close(s);
}

/* Two entries: the first two switches named have them and still get bits; the third comes in when one is given back. */
static void a_full_table_keeps_what_came_first(void **state) {
  (void)state;
  static const char faults[] = "0/2.0/2@0 0/1.0/2@10 0/0.0/2@20 0/2.0/3@30";
  static const char *const ends[][2] = {
      {"", "{\"table\":{\"0/1.0\":\"01\",\"0/2.0\":\"11\"},\"ports\":{}}"},
      {" 0/1.0/2+@40", "{\"table\":{\"0/0.0\":\"01\",\"0/2.0\":\"11\"},\"ports\":{}}"}};
  for (size_t i = 0; i < 2; i++) {
    char schedule[100];
    snprintf(schedule, sizeof schedule, "%s%s", faults, ends[i][0]);
    story *s = story_open(TREE, schedule);
    story_run(s, METHOD ",capacity=2");
    story_assert_state(s, "0/3.1", ends[i][1]);
    story_close(s);
  }
}

/* ------------------------------------------------------------------ probes */

/* A probe every 200 cycles after the last is settled, three tries of 60 cycles. */
static story *run_probed(const char *fabric, const char *schedule) {
  ripstop_error err;
  story *s = story_open(fabric, schedule);
  story_begin(s, "link-fault-messages:probe=200,timeout=60,retries=2");
  if (ripstop_network_run(s->network, 8000, &err) < 0) fail_msg("%s", err.text);
  return s;
}

/* Probes go out every 260 cycles: that of 1560 is the first without an answer, 180 cycles later the link counts as
 * down. Then one goes out every 440, so that the one of 2200 is answered; the second time like the first. */
static void a_link_fails_after_all_tries(void **state) {
  (void)state;
  story *s = run_probed("mport-ntree:m=4,n=2", "0/3/3@1500 0/3/3+@2000 0/3/3@3000");
  static const char *const told[] = {"1740 1/1 > 0/0: ULFM 0/3/3, at 1750\n", "2200 1/1 > 0/3: probe, at 2210\n",
                                     "2220 1/1 > 0/0: withdraw ULFM 0/3/3, at 2230\n",
                                     "3160 1/1 > 0/0: ULFM 0/3/3, at 3170\n"};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++)
    if (!strstr(s->text.data, told[i])) fail_msg("missing: %s", told[i]);
  story_close(s);
}

/* A level received through a port does not count once the port itself has failed. No message was lost, so none is
 * requested again. */
static void an_own_failed_port_counts_before_a_level(void **state) {
  (void)state;
  story *s = run_probed(TREE, "1/0.0/2@500 1/0.0/3@500 0/0.0/2@2000");
  story_assert_state(s, "0/0.0", "{\"table\":{},\"ports\":{\"2\":0}}");
  story_assert_state(s, "0/0.1", "{\"table\":{\"0/0.0\":\"01\"},\"ports\":{\"2\":1}}");
  assert_null(strstr(s->text.data, "resend"));
  story_close(s);
}

/* Switch 0/0 probes out of step with 1/1 since it has come back, so that a gap of 140 cycles in link 0/0/3 is seen by
 * 0/0 and not by 1/1, which goes on in its session and has no reason to say anything again. */
static void a_gap_that_one_side_misses_forgets_nothing(void **state) {
  (void)state;
  static const char *const gaps[] = {"0/0/3@3040 0/0/3+@3180", "0/0/3@3060 0/0/3+@3200", "0/0/3@3080 0/0/3+@3220",
                                     "0/0/3@3100 0/0/3+@3240"};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    char schedule[100];
    snprintf(schedule, sizeof schedule, "switch:0/0@100 switch:0/0+@730 0/3/3@1500 %s", gaps[i]);
    story *s = run_probed("mport-ntree:m=4,n=2", schedule);
    story_assert_state(s, "0/0", "{\"table\":{\"0/3\":\"10\"},\"ports\":{}}");
    story_close(s);
  }
}

/* Probes count for the change that they detect: each change has as many messages and new candidates as with notified
 * switches, but for the two that begin again on a link that is back. */
static void what_probes_find_counts_for_the_change(void **state) {
  (void)state;
  enum { COUNT = 4 };
  static const char schedule[] = "0/2.1/3@5 1/0.0/2@5 0/2.1/3+@4000 1/0.0/2+@6001";
  ripstop_error err;
  story *probed = run_probed(TREE, schedule), *told = story_open(TREE, schedule);
  story_run(told, METHOD);
  assert_int_equal(ripstop_network_count_of(probed->network, 0).switches, 0);
  for (size_t i = 0; i < COUNT; i++) {
    ripstop_network_count a = ripstop_network_count_of(probed->network, i + 1),
                          b = ripstop_network_count_of(told->network, i + 1);
    assert_true(b.sent > 0 && b.switches > 0);
    assert_int_equal(a.sent, b.sent + (told->schedule.change[i].up ? 2 : 0));
    assert_int_equal(a.switches, b.switches);
    assert_in_range(a.last_change, b.last_change + 20, b.last_change + 700); /* at least a probe's round trip */
  }
  uint64_t before = ripstop_network_count_all(probed->network).sent;
  ripstop_network_run(probed->network, 20000, &err); /* probes go on, for the start */
  assert_true(ripstop_network_count_all(probed->network).sent > before);
  for (size_t i = 0; i < COUNT; i++) assert_true(ripstop_network_count_of(probed->network, i + 1).last_arrival < 8000);
  story_close(probed);
  story_close(told);
}

/* All messages are lost, so that every link is taken for failed: one of them is. No switch is notified of the link to
 * an end node. */
static void links_taken_for_failed_count_for_no_change(void **state) {
  (void)state;
  ripstop_error err;
  story *s = story_open(TREE, "0/2.1/3@5 end:0.0.0@6");
  s->options.loss = 1;
  story_begin(s, METHOD ",probe=200");
  assert_int_equal(ripstop_network_run(s->network, 1000, &err), 0);
  assert_int_equal(ripstop_network_count_of(s->network, 1).switches, 2);
  assert_int_equal(ripstop_network_count_of(s->network, 2).switches, 0);
  assert_int_equal(ripstop_network_count_of(s->network, 0).switches, ripstop_fabric_switches(s->fabric));
  story_close(s);
}

/* ------------------------------------------------------------------ how far updates travel */

/* "2n-3 forwardings" after the first hop's sender: with one cycle a hop the last update of a link above level l arrives
 * after 2(n-l)-3 cycles. Each switch receives it once, if at all. */
static void news_of_one_fault_are_forwarded_2n_3_times(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t levels;
    uint64_t messages[4]; /* for one link above each level */
  } trees[] = {{"mport-ntree:m=4,n=2", 2, {3}},         {TREE, 3, {15, 3}},
               {"mport-ntree:m=4,n=4", 4, {47, 15, 3}}, {"mport-ntree:m=4,n=5", 5, {127, 47, 15, 3}},
               {"mport-ntree:m=6,n=3", 3, {35, 5}},     {"mport-ntree:m=8,n=3", 3, {63, 7}}};
  for (size_t t = 0; t < sizeof trees / sizeof *trees; t++) {
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open(trees[t].fabric, &err);
    stand run_setup = stand_on(f, METHOD, NULL);
    for (uint32_t link = f->link_ends; link < f->links; link++) {
      char name[RIPSTOP_NAME_MAX];
      ripstop_change change = {.id = link};
      ripstop_schedule schedule = {.count = 1, .change = &change};
      ripstop_network *n =
          ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &schedule}, &err);
      assert_int_equal(ripstop_network_run(n, 1000, &err), 1);
      ripstop_link_name(f, link, name);
      uint32_t level = (uint32_t)(name[0] - '0');
      assert_int_equal(ripstop_network_now(n), 2 * (trees[t].levels - level) - 3);
      assert_int_equal(ripstop_network_count_all(n).sent, trees[t].messages[level]);
      ripstop_network_free(n);
    }
    stand_close(&run_setup);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ any order */

static void add_states(ripstop_text *out, const ripstop_network *n) {
  const ripstop_fabric *f = ripstop_network_plan(n)->fabric;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    ripstop_network_json(n, v, out);
    ripstop_text_add(out, "\n");
  }
}

static void run_states(ripstop_text *out, const ripstop_fabric *f, const ripstop_faults *faults,
                       ripstop_network_options options) {
  ripstop_error err;
  stand run_setup = stand_on(f, METHOD ",case3=per-port", faults);
  ripstop_network *n = ripstop_network_open(run_setup.plan, &options, &err);
  if (!n || ripstop_network_run(n, 1000000, &err) != 1) fail_msg("%s", err.text);
  add_states(out, n);
  ripstop_network_free(n);
  stand_close(&run_setup);
}

enum { CHANGES = 14 };

/* Links fail and return so fast that messages of several changes are in transit together. */
static void draw_history(const ripstop_fabric *f, uint64_t index, ripstop_change *change, ripstop_faults *left,
                         uint32_t *dead) {
  ripstop_stream random = ripstop_stream_open(11, RIPSTOP_RANDOM_TEST, index);
  uint8_t *down = calloc(f->links, 1);
  uint64_t cycle = 0;
  for (uint32_t i = 0; i < CHANGES; i++) {
    uint32_t link = f->link_ends + ripstop_stream_below(&random, i < 4 ? f->links - f->link_ends : 6);
    change[i] = (ripstop_change){.cycle = cycle, .id = link, .up = down[link]};
    down[link] = !down[link];
    cycle += ripstop_stream_below(&random, 12);
  }
  *left = (ripstop_faults){.link = dead};
  for (uint32_t link = 0; link < f->links; link++)
    if (down[link]) dead[left->links++] = link;
  free(down);
}

/* Whatever happened and however late the messages of each link were, the switches end as in a network that had the
 * remaining faults from the beginning. */
static void only_the_present_faults_count(void **state) {
  (void)state;
  static const char *const trees[] = {TREE, "mport-ntree:m=4,n=4", "kary-ntree:k=3,n=3"};
  for (size_t t = 0; t < 3; t++) {
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open(trees[t], &err);
    for (uint64_t index = 0; index < 60; index++) {
      ripstop_change change[CHANGES];
      uint32_t dead[CHANGES];
      ripstop_faults left;
      draw_history(f, 100 * t + index, change, &left, dead);
      ripstop_schedule schedule = {.count = CHANGES, .change = change};
      ripstop_text after = {0}, fresh = {0};
      run_states(&after, f, NULL, (ripstop_network_options){.schedule = &schedule, .spread = 20, .seed = index});
      run_states(&fresh, f, &left, (ripstop_network_options){0});
      assert_string_equal(after.data, fresh.data);
      ripstop_text_free(&after);
      ripstop_text_free(&fresh);
    }
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_fault_as_in_figure_3),
                                     cmocka_unit_test(a_switch_cut_off_from_above_says_so),
                                     cmocka_unit_test(a_repair_takes_back_what_the_fault_said),
                                     cmocka_unit_test(without_withdrawals_everything_stays),
                                     cmocka_unit_test(a_full_table_keeps_what_came_first),
                                     cmocka_unit_test(a_link_fails_after_all_tries),
                                     cmocka_unit_test(an_own_failed_port_counts_before_a_level),
                                     cmocka_unit_test(a_gap_that_one_side_misses_forgets_nothing),
                                     cmocka_unit_test(what_probes_find_counts_for_the_change),
                                     cmocka_unit_test(links_taken_for_failed_count_for_no_change),
                                     cmocka_unit_test(news_of_one_fault_are_forwarded_2n_3_times),
                                     cmocka_unit_test(only_the_present_faults_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
