/* test_rumour.c - stories of the virtual network, each short enough to be checked by hand: the events and their times,
 * the switches that are notified, the counts, and the picture. The fabric has the switches 0/0 and 0/1 below 1/0 and
 * 1/1, four links between them: a ring. The protocol is that of test_rumour.methods: two cycles for a hop. */
#include "ripstop/kit/picture.h"
#include "story.h"

#define RING   "kary-ntree:k=2,n=2"
#define METHOD "test-rumour"

static void one_failure_is_reported_round_the_ring(void **state) {
  (void)state;
  story *s = story_open(RING, "0/0/2@10");
  story_run(s, METHOD);
  story_assert(s, "10 0/0/2 fails\n"
                  "10 0/0 updates\n"
                  "10 0/0 > 1/1: 0/0/2 is down, at 12\n"
                  "10 1/0 updates\n"
                  "10 1/0 > 0/1: 0/0/2 is down, at 12\n"
                  "12 0/1 updates\n"
                  "12 0/1 > 1/1: 0/0/2 is down, at 14\n"
                  "12 1/1 updates\n"
                  "12 1/1 > 0/1: 0/0/2 is down, at 14\n");
  ripstop_network_count count = ripstop_network_count_of(s->network, 1);
  assert_int_equal(count.sent, 4);
  assert_int_equal(count.arrived, 4);
  assert_int_equal(count.lost, 0);
  assert_int_equal(count.switches, 4);
  assert_int_equal(count.last_change, 12);
  assert_int_equal(count.last_arrival, 14);
  assert_int_equal(ripstop_network_now(s->network), 14);
  story_assert_state(s, "1/1", "{\"down\": [\"0/0/2\"]}");
  story_close(s);
}

/* The second failure cuts the ring while the update about the first is on that link: 0/1 receives it in the other
 * direction only, and each message counts for the failure that caused it. */
static void messages_die_with_their_link(void **state) {
  (void)state;
  story *s = story_open(RING, "0/0/2@10 0/0/3@11");
  story_run(s, METHOD);
  story_assert(s, "10 0/0/2 fails\n"
                  "10 0/0 updates\n"
                  "10 0/0 > 1/1: 0/0/2 is down, at 12\n"
                  "10 1/0 updates\n"
                  "10 1/0 > 0/1: 0/0/2 is down, at 12\n"
                  "11 0/0/3 fails\n"
                  "11 0/0 > 1/1: 0/0/2 is down, lost\n"
                  "11 0/0 updates\n"
                  "11 1/1 updates\n"
                  "11 1/1 > 0/1: 0/0/3 is down, at 13\n"
                  "12 0/1 updates\n"
                  "12 0/1 > 1/1: 0/0/2 is down, at 14\n"
                  "13 0/1 updates\n"
                  "13 0/1 > 1/0: 0/0/3 is down, at 15\n"
                  "14 1/1 updates\n"
                  "15 1/0 updates\n");
  ripstop_network_count first = ripstop_network_count_of(s->network, 1),
                        second = ripstop_network_count_of(s->network, 2);
  ripstop_network_count all = ripstop_network_count_all(s->network);
  assert_int_equal(first.sent, 3);
  assert_int_equal(first.lost, 1);
  assert_int_equal(first.switches, 4);
  assert_int_equal(first.last_change, 14);
  assert_int_equal(second.sent, 2);
  assert_int_equal(second.lost, 0);
  assert_int_equal(second.switches, 4);
  assert_int_equal(all.sent, 5);
  assert_int_equal(all.switches, 4);
  story_assert_state(s, "0/0", "{\"down\": [\"0/0/2\", \"0/0/3\"]}");
  story_close(s);
}

static void a_healed_link_is_reported_and_carries_again(void **state) {
  (void)state;
  story *s = story_open(RING, "0/0/2@10 0/0/2+@100");
  story_run(s, METHOD);
  const char *heal = strstr(s->text.data, "100 ");
  assert_non_null(heal);
  assert_string_equal(heal, "100 0/0/2 returns\n"
                            "100 0/0 updates\n"
                            "100 0/0 > 1/1: 0/0/2 is back, at 102\n"
                            "100 1/0 updates\n"
                            "100 1/0 > 0/1: 0/0/2 is back, at 102\n"
                            "102 0/1 updates\n"
                            "102 0/1 > 1/1: 0/0/2 is back, at 104\n"
                            "102 1/1 updates\n"
                            "102 1/1 > 0/1: 0/0/2 is back, at 104\n");
  assert_int_equal(ripstop_network_count_of(s->network, 2).sent, 4);
  story_assert_state(s, "0/1", "{\"down\": []}");
  story_close(s);
}

static void a_failed_switch_hears_nothing_and_starts_afresh(void **state) {
  (void)state;
  story *s = story_open(RING, "switch:1/1@5 0/0/2@10 switch:1/1+@50");
  ripstop_error err;
  story_begin(s, METHOD);
  assert_int_equal(ripstop_network_run(s->network, 40, &err), 0); /* not quiet: the switch is to return */
  assert_int_equal(ripstop_network_due(s->network), 50);
  story_assert_state(s, "1/1", "null");
  assert_null(strstr(s->text.data, "1/1 updates"));
  assert_int_equal(ripstop_network_run(s->network, 51, &err), 0); /* messages are in transit */
  story_assert_state(s, "1/1", "{\"down\": []}"); /* it does not know of the link that failed meanwhile */
  assert_int_equal(ripstop_network_run(s->network, 1000, &err), 1);
  story_close(s);
}

static void one_step_at_a_time(void **state) {
  (void)state;
  story *s = story_open(RING, "0/0/2@10");
  ripstop_error err;
  story_begin(s, METHOD);
  static const uint64_t at[] = {10, 10, 10, 12, 12, 14, 14}; /* the change, then a step of a switch each */
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    assert_int_equal(ripstop_network_due(s->network), at[i]);
    assert_int_equal(ripstop_network_step(s->network, &err), 1);
    assert_int_equal(ripstop_network_now(s->network), at[i]);
  }
  assert_int_equal(ripstop_network_step(s->network, &err), 0);
  story_close(s);
}

static void delay_and_loss_are_the_callers(void **state) {
  (void)state;
  story *s = story_open(RING, "0/0/2@10");
  s->options.delay = 7;
  story_run(s, METHOD);
  assert_int_equal(ripstop_network_now(s->network), 24);
  story_close(s);
  s = story_open(RING, "0/0/2@10");
  s->options.loss = 1;
  story_run(s, METHOD);
  story_assert(s, "10 0/0/2 fails\n"
                  "10 0/0 updates\n"
                  "10 0/0 > 1/1: 0/0/2 is down, lost\n"
                  "10 1/0 updates\n"
                  "10 1/0 > 0/1: 0/0/2 is down, lost\n");
  story_assert_state(s, "0/1", "{\"down\": []}");
  story_close(s);
}

static size_t times_in(const char *text, const char *word) {
  size_t count = 0;
  for (; (text = strstr(text, word)); text++) count++;
  return count;
}

/* Four arrows, the failed link, four switches, two times of arrival; each direction of the links 0/1/2 and 0/1/3. */
static void the_picture_has_every_message(void **state) {
  (void)state;
  static const char *const fabrics[] = {RING, "torus:2x2"};
  for (size_t i = 0; i < 2; i++) {
    story *s = story_open(fabrics[i], i ? "0.0/0@10" : "0/0/2@10");
    ripstop_update_flood *flood = ripstop_update_flood_new(s->fabric, 1);
    ripstop_text svg = {0};
    s->options.watch = ripstop_update_flood_watch;
    s->options.context = flood;
    story_run(s, METHOD);
    ripstop_update_flood_svg(flood, &svg);
    assert_true(strncmp(svg.data, "<svg ", 5) == 0 && strstr(svg.data, "</svg>\n")[7] == '\0');
    assert_non_null(strstr(svg.data, i ? "link 0.0/0 fails" : "link 0/0/2 fails"));
    ripstop_network_count count = ripstop_network_count_of(s->network, 1);
    assert_int_equal(times_in(svg.data, "<title>"), count.sent);         /* here no link carries two in one direction */
    assert_int_equal(times_in(svg.data, "#ffe8b8"), count.switches + 1); /* and the legend */
    assert_int_equal(times_in(svg.data, "after 2 cycles"), i ? 6 : 2);
    assert_int_equal(times_in(svg.data, "<g"), times_in(svg.data, "</g>"));
    ripstop_text_free(&svg);
    ripstop_update_flood_free(flood);
    story_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_failure_is_reported_round_the_ring),
                                     cmocka_unit_test(messages_die_with_their_link),
                                     cmocka_unit_test(a_healed_link_is_reported_and_carries_again),
                                     cmocka_unit_test(a_failed_switch_hears_nothing_and_starts_afresh),
                                     cmocka_unit_test(one_step_at_a_time),
                                     cmocka_unit_test(delay_and_loss_are_the_callers),
                                     cmocka_unit_test(the_picture_has_every_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
