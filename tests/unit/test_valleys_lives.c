/* test_valleys_lives.c - incarnations of a link in valleys: no number of LINKS belongs to two of them, even if a link
 * fails and returns several times in one cycle. Else a READY of one incarnation seems to be of the next one, and counts
 * although LINKS that went before it are still to come (docs/proofs/votes.pml has the run). */
#include "methods/valleys/valleys.h"
#include "proto/hands.h"

enum { LEAF = 0, TOP = 2, CYCLE = 5 };

static void notice(hands *h, bool is_up) {
  hands_step(h, hands_node(h, LEAF),
             (ripstop_event){.kind = is_up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN,
                             .cycle = CYCLE,
                             .port = hands_port(h, LEAF, TOP)});
}

/* The LINKS that the leaf has sent up since there were so many messages: how many, their greatest number, and the least
 * number after which their life has begun. */
typedef struct sent_links {
  size_t count;
  uint64_t last, first;
} sent_links;

static sent_links links_since(const hands *h, size_t before) {
  sent_links found = {.first = UINT64_MAX};
  for (size_t i = before; i < h->messages; i++) {
    const message *m = (const message *)h->message[i].bytes;
    if (m->kind != LINKS || h->message[i].from != hands_node(h, LEAF) || h->message[i].port != hands_port(h, LEAF, TOP))
      continue;
    found.count++;
    if (m->sent > found.last) found.last = m->sent;
    if (m->first < found.first) found.first = m->first;
  }
  return found;
}

static void test_numbers(void **state) {
  (void)state;
  hands *h = hands_open("kary-ntree:k=2,n=2", "valleys");
  uint64_t last = 0;
  for (int life = 0; life < 4; life++) {
    size_t before = h->messages;
    notice(h, false);
    notice(h, true);
    sent_links now = links_since(h, before);
    assert_int_equal(now.count, 4); /* the words of all switches */
    assert_true(now.first > last);
    assert_int_equal(now.last, now.first + now.count);
    last = now.last;
  }
  hands_close(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
