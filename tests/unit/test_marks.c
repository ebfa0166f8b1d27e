/* test_marks.c - packets whose output many packets wait for are marked, as docs/model.md says: the marked packets, with
 * two senders that share an output, against queue lengths computed by hand; their number, with random marks; and
 * refused options. */
#include <math.h>

#include "scene.h"

enum { LETTERS = 40, FLITS = 8 };

typedef struct burst {
  uint32_t senders, letters; /* end nodes 1, 2, ..., each with so many letters to end node 0 */
  uint32_t marked, heard;
  bool mark[3][LETTERS];
} burst;

static void send_all(void *context, ripstop_agent_context *play) {
  const burst *b = context;
  for (uint32_t end = 1; end <= b->senders; end++)
    for (uint32_t i = 0; i < b->letters; i++)
      ripstop_agent_send(play, &(ripstop_agent_packet){.source = end, .flits = FLITS, .tag = i});
}

static void hear(void *context, ripstop_agent_context *play, const ripstop_agent_packet *l) {
  burst *b = context;
  (void)play;
  b->heard++;
  b->marked += l->marked;
  if (l->tag < LETTERS) b->mark[l->source][l->tag] = l->marked;
}

static burst play(uint32_t senders, uint32_t letters, ripstop_marks marks, const char *options) {
  burst b = {.senders = senders, .letters = letters};
  ripstop_agent agent = {.classes = 1, .shortest = 1, .longest = FLITS, .context = &b};
  agent.start = send_all;
  agent.delivered = hear;
  scene *s = scene_open("mport-ntree:m=16,n=1", "updown", options);
  s->sim.agent = &agent;
  s->sim.agents = 1;
  s->sim.marks = marks;
  ripstop_run_result r = scene_run(s);
  ripstop_run_result_free(&r);
  scene_close(s);
  assert_int_equal(b.heard, senders * letters);
  return b;
}

static uint32_t come(uint32_t packets) { return packets < LETTERS ? packets : LETTERS; }

/* Both senders fill their queues at a packet in FLITS cycles, and the output takes one of each in turn, 1 first. When
 * it takes the n-th of sender 1, 2 n + 1 of each have come, as far as there are so many, and n of each have gone; when
 * it takes that of sender 2, one more of each has come, and one more of sender 1 has gone. */
static uint32_t length_of(uint32_t sender, uint32_t n) { return 2 * come(2 * n + sender) - 2 * n - (sender == 2); }

static void long_queues_mark(void **state) {
  static const struct {
    uint32_t unit;
    const char *options;
  } switches[] = {{1, "in_queue=64"},
                  {FLITS, "in_queue=600 unit=flits"},
                  {1, "queues=output in_queue=64"},
                  {FLITS, "queues=shared"},
                  {FLITS, "queues=shared lossless=off"}};
  (void)state;
  for (uint32_t k = 1; k <= LETTERS + 2; k++)
    for (size_t s = 0; s < sizeof switches / sizeof *switches; s++) {
      const int64_t length = (int64_t)k * switches[s].unit;
      const burst b = play(2, LETTERS, (ripstop_marks){.kmin = length, .kmax = length, .pmax = 1}, switches[s].options);
      for (uint32_t sender = 1; sender <= 2; sender++)
        for (uint32_t i = 0; i < LETTERS; i++)
          if (b.mark[sender][i] != (length_of(sender, i) > k))
            fail_msg("packet %u of sender %u, a queue of %u, above %u", i, sender, length_of(sender, i), k);
    }
}

/* The one before is still in the output queue, a cycle longer than the crossbar needs. */
static void output_queues_mark(void **state) {
  (void)state;
  burst b = play(1, LETTERS, (ripstop_marks){.kmin = 1, .kmax = 1, .pmax = 1}, "out_queue=4 in_queue=64");
  assert_false(b.mark[1][0]);
  assert_int_equal(b.marked, LETTERS - 1);
  b = play(1, LETTERS, (ripstop_marks){.kmin = 2, .kmax = 2, .pmax = 1}, "out_queue=4 in_queue=64");
  assert_int_equal(b.marked, 0);
}

/* A sender alone has a queue of one packet: each is marked with probability pmax / 4. */
static void chance_marks_as_many_as_it_should(void **state) {
  (void)state;
  enum { MANY = 20000, LEAST = 4 };
  for (double pmax = 0; pmax <= 1; pmax += 0.25) {
    const burst b = play(1, MANY, (ripstop_marks){.kmin = 0, .kmax = LEAST, .pmax = pmax}, "cycles=200000");
    const double expected = MANY * pmax / LEAST, deviation = sqrt(expected * (1 - pmax / LEAST));
    assert_true(fabs(b.marked - expected) <= 4 * deviation);
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const ripstop_marks odd[] = {{-1, 4, 1}, {5, 4, 1}, {0, 4, 1.5}, {0, 4, -0.1}, {0, -4, 1}, {0, 4, NAN}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    ripstop_error err;
    ripstop_run_result r;
    scene *s = scene_open("mport-ntree:m=16,n=1", "updown", "load=0.1");
    s->sim.marks = odd[i];
    assert_int_equal(scene_simulate(s, &r, &err), -1);
    assert_non_null(strstr(err.text, "marks: "));
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(long_queues_mark), cmocka_unit_test(output_queues_mark),
                                     cmocka_unit_test(chance_marks_as_many_as_it_should),
                                     cmocka_unit_test(what_cannot_be_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
