/* test_broken.c - methods that are broken on purpose (test_broken.methods/), each in one way: the prover must find what
 * is wrong, and nothing else, with an example; and a method that breaks the rules of method.h must be refused. */
#include "prove/proof.h"
#include "ripstop/kit/report.h"
#include "scene.h"
#include "trial.h"

static void assert_shows(const char *walk, const char *what) {
  assert_non_null(walk);
  if (!strstr(walk, what)) fail_msg("'%s' does not show '%s'", walk, what);
  assert_null(strchr(walk, '\n'));
}

static void assert_sound(const trial *t) {
  if (!t->proved) fail_msg("%s", t->err.text);
  assert_int_equal(t->proof.disconnected_pairs, 0);
}

/* The checker agrees with what was found of deadlock, and so does the engine. */
static void assert_confirmed(const trial *t) {
  ripstop_certificate *c = trial_certificate(t);
  assert_int_equal(c->deadlock, !t->proof.deadlock_free);
  trial_expect(c, RIPSTOP_CONFIRMED);
  if (c->deadlock) {
    ripstop_standstill out;
    ripstop_error err;
    if (trial_load(c, "", &out, &err)) fail_msg("%s", err.text);
    assert_int_equal(out.events, 0);
    assert_true(out.exact);
  }
  ripstop_certificate_free(c);
}

static void loss_under_some_choice(void **state) {
  (void)state;
  trial *t = trial_open("torus:4x4", "broken-loss", "");
  assert_sound(t);
  assert_false(t->proof.tolerated);
  assert_int_equal(t->proof.lost_pairs_some_choice, 16 * 14); /* nothing is farther than the opposite router */
  assert_int_equal(t->proof.lost_pairs_every_choice, 0);
  assert_true(t->proof.livelock_free);
  assert_shows(t->proof.lost_walk, "marked");
  assert_null(t->proof.never_walk);
  assert_null(t->proof.livelock_walk);
  assert_confirmed(t);
  trial_close(t);
}

static void one_pair_never(void **state) {
  (void)state;
  trial *t = trial_open("kary-ntree:k=2,n=3", "broken-pair", "");
  assert_sound(t);
  assert_false(t->proof.tolerated);
  assert_int_equal(t->proof.pairs, 8 * 7);
  assert_int_equal(t->proof.lost_pairs_some_choice, 1);
  assert_int_equal(t->proof.lost_pairs_every_choice, 1);
  assert_true(t->proof.livelock_free);
  assert_true(t->proof.deadlock_free);
  assert_shows(t->proof.never_walk, "not from this one to that one");
  assert_shows(t->proof.never_walk, "to 0.1.0: 0.0.1 >");
  assert_null(t->proof.lost_walk);
  assert_confirmed(t);
  trial_close(t);
}

static void livelock(void **state) {
  (void)state;
  trial *t = trial_open("torus:3x3", "broken-livelock", "");
  assert_sound(t);
  assert_false(t->proof.tolerated);
  assert_false(t->proof.livelock_free);
  assert_int_equal(t->proof.lost_pairs_some_choice, t->proof.pairs);
  assert_int_equal(t->proof.lost_pairs_every_choice, 0);
  assert_int_equal(t->proof.max_hops, RIPSTOP_NONE);
  assert_shows(t->proof.livelock_walk, "(again)");
  assert_null(t->proof.lost_walk);
  assert_confirmed(t);
  trial_close(t);
}

static void deadlock(void **state) {
  (void)state;
  static const char *const methods[] = {"broken-deadlock", "broken-deadlock:early=on"};
  for (size_t m = 0; m < 2; m++) {
    trial *t = trial_open("torus:5x3", methods[m], "");
    assert_sound(t);
    assert_true(t->proof.tolerated);
    assert_true(t->proof.livelock_free);
    assert_false(t->proof.deadlock_free);
    assert_int_not_equal(t->proof.queues, 0);
    assert_confirmed(t);
    trial_close(t);
    t = trial_open("kary-ntree:k=3,n=2", methods[m], ""); /* shortest candidates in a whole tree never turn up again */
    assert_sound(t);
    assert_true(t->proof.deadlock_free);
    assert_confirmed(t);
    trial_close(t);
  }
}

/* Shortest candidates around failed links of a tree, the usual mistake: two links are left to each of the four lower
 * switches, which makes a ring of all eight, and candidates half round it turn up again after they went down. */
static void deadlock_in_a_tree(void **state) {
  (void)state;
  trial *t = trial_open("kary-ntree:k=4,n=2", "broken-deadlock", "0/0/5 0/0/6 0/1/6 0/1/7 0/2/4 0/2/7 0/3/4 0/3/5");
  assert_sound(t);
  assert_true(t->proof.tolerated);
  assert_false(t->proof.deadlock_free);
  assert_int_equal(t->proof.queues, 16);
  assert_confirmed(t);
  trial_close(t);
}

/* Candidates of higher rank do not count if packets settle early. */
static void candidates_never_taken(void **state) {
  (void)state;
  trial *t = trial_open("kary-ntree:k=2,n=3", "broken-deadlock:early=on,idle=on", "");
  assert_sound(t);
  assert_true(t->proof.tolerated);
  assert_true(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
  t = trial_open("kary-ntree:k=2,n=3", "broken-deadlock:idle=on", "");
  assert_sound(t);
  assert_false(t->proof.livelock_free);
  trial_close(t);
}

/* Faults of packets of class 1 alone: they wait for each other, and get lost. */
static void one_class_of_two(void **state) {
  (void)state;
  trial *t = trial_open("torus:5", "broken-class", "");
  assert_sound(t);
  assert_true(t->proof.tolerated);
  assert_true(t->proof.livelock_free);
  assert_int_equal(t->proof.pairs, 5 * 4);
  assert_false(t->proof.deadlock_free);
  assert_int_equal(t->proof.queues, 10); /* both rings */
  for (uint32_t i = 0; i < t->proof.queues; i++) {
    assert_int_equal(t->proof.queue[i].class_, 1);
    assert_int_equal(t->proof.queue[i].channel, 0);
  }
  assert_confirmed(t);
  ripstop_text told = {0};
  ripstop_set_proof_print(&told, t->fabric,
                          &(ripstop_set_proof){.faults = &t->faults, .weight = 1, .plan = t->plan, .proof = t->proof});
  assert_non_null(strstr(told.data, " > 2, class 1\n"));
  ripstop_text_free(&told);
  ripstop_set_proof_json(&told, t->fabric,
                         &(ripstop_set_proof){.faults = &t->faults, .weight = 1, .plan = t->plan, .proof = t->proof});
  assert_non_null(strstr(told.data, "\"header\":\"0x0\",\"class\":1}"));
  ripstop_text_free(&told);
  ripstop_certificate *c = trial_certificate(t);
  ripstop_deadlocked_packet *forged = (ripstop_deadlocked_packet *)c->queue;
  forged[3].class_ = 0; /* a packet of class 0 would not wait there */
  trial_expect(c, RIPSTOP_REFUTED);
  forged[3].class_ = 2;
  trial_expect(c, RIPSTOP_REFUTED);
  ripstop_certificate_free(c);
  ripstop_proof shared;
  ripstop_prover_threads(t->prover, 3);
  assert_int_equal(ripstop_prover_prove(t->prover, t->plan, &shared, &t->err), 0);
  assert_int_equal(shared.queues, 10);
  assert_int_equal(shared.queue[9].class_, 1);
  trial_close(t);
  t = trial_open("torus:3", "broken-class", ""); /* no route is longer than one hop */
  assert_sound(t);
  assert_true(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
  t = trial_open("torus:5", "broken-class:lose=on", "");
  assert_sound(t);
  assert_false(t->proof.tolerated);
  assert_int_equal(t->proof.pairs, 5 * 4);
  assert_int_equal(t->proof.lost_pairs_some_choice, 5 * 4);
  assert_int_equal(t->proof.lost_pairs_every_choice, 5 * 4);
  assert_shows(t->proof.never_walk, "to 0, class 1: ");
  assert_shows(t->proof.never_walk, "not this class");
  trial_close(t);
}

/* A certificate written by hand. */
static void assert_verdict(const char *text, const char *method, ripstop_check wanted, const char *says) {
  ripstop_error err = {0};
  ripstop_text filled = {0}, verdict = {0};
  ripstop_text_add(&filled, "certificate 1\nfabric torus:5\nmethod %s\nfaults\n%s", method, text);
  ripstop_certificate *c = ripstop_certificate_parse("x", filled.data, filled.length, &err);
  if (!c) fail_msg("%s", err.text);
  assert_int_equal(trial_check(c, &verdict, &err), wanted);
  assert_shows(verdict.data, says);
  ripstop_certificate_free(c);
  ripstop_text_free(&filled);
  ripstop_text_free(&verdict);
}

/* Traffic may have fewer classes than the method knows, not more; a method that looks at no class takes any. */
static void classes_in_a_simulation(void **state) {
  (void)state;
  static const struct {
    const char *method, *classes;
    int status;
  } cases[] = {{"broken-class", "classes=1", 0},
               {"broken-class", "classes=0.5/0.5", 0},
               {"broken-class", "classes=0.5/0.3/0.2", -1},
               {"broken-deadlock", "classes=0.5/0.3/0.2", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    scene *s = scene_open("torus:5", cases[i].method, "load=0.1");
    scene_set(s, cases[i].classes);
    assert_int_equal(scene_check(s, &err), cases[i].status);
    if (cases[i].status) assert_shows(err.text, "3 classes, but method broken-class routes 2");
    scene_close(s);
  }
}

/* The class is a word behind the header; without it, it is 0. An order that suits class 0 alone is no proof. */
static void classes_in_a_certificate(void **state) {
  (void)state;
  static const char ring[] = "deadlock 5\nqueue 0 0 0 0 2 0x0 1\nqueue 1 0 0 1 3 0x0 1\nqueue 2 0 0 2 4 0x0 1\n"
                             "queue 3 0 0 3 0 0x0 1\nqueue 4 0 0 4 1 0x0 ";
  static const char *const last[] = {"1\n", "0\n", "\n", "2\n"};
  static const char *const says[] = {"a deadlock of 5 queues", "header 0x0 class 0 in queue 4 port 0", "class 0",
                                     "class 2: the plan has classes 0 to 1"};
  for (size_t i = 0; i < 4; i++) {
    char text[sizeof ring + 8];
    snprintf(text, sizeof text, "%s%s", ring, last[i]);
    assert_verdict(text, "broken-class", i == 0 ? RIPSTOP_CONFIRMED : RIPSTOP_REFUTED, says[i]);
  }
  assert_verdict("free 20\n"
                 "queue 0 0 1\nqueue 1 0 1\nqueue 2 0 1\nqueue 3 0 1\nqueue 4 0 1\n"
                 "queue 0 1 1\nqueue 1 1 1\nqueue 2 1 1\nqueue 3 1 1\nqueue 4 1 1\n"
                 "queue 0 0 0\nqueue 1 0 0\nqueue 2 0 0\nqueue 3 0 0\nqueue 4 0 0\n"
                 "queue 0 1 0\nqueue 1 1 0\nqueue 2 1 0\nqueue 3 1 0\nqueue 4 1 0\n",
                 "broken-class", RIPSTOP_REFUTED, "class 1 in queue");
  ripstop_error err;
  ripstop_standstill out;
  static const char beyond[] = "certificate 1\nfabric torus:5\nmethod dor\nfaults\ndeadlock 1\nqueue 0 0 0 0 2 0x0 3\n";
  ripstop_certificate *c = ripstop_certificate_parse("x", beyond, strlen(beyond), &err);
  assert_non_null(c);
  trial_expect(c, RIPSTOP_REFUTED);
  assert_int_equal(trial_load(c, "", &out, &err), -1);
  assert_shows(err.text, "class 3");
  ripstop_certificate_free(c);
}

/* A bubble ring with an entry that the ring rule forbids can fill, and one in which packets require two packets' space
 * to go on gets stuck; without either it cannot. A proof that overlooks that must be refuted. */
static void flawed_bubble_ring(void **state) {
  (void)state;
  static const char order[] = "free 10\nqueue 0 1 0\nqueue 1 1 0\nqueue 2 1 0\nqueue 3 1 0\nqueue 4 1 0\n"
                              "ring 1 0 0 0\nring 1 1 0 0\nring 1 2 0 0\nring 1 3 0 0\nring 1 4 0 0\n";
  static const char *const flaws[] = {"broken-entry:flaw=entry", "broken-entry:flaw=wide"};
  for (size_t i = 0; i < 2; i++) {
    trial *t = trial_open("torus:5", flaws[i], "");
    assert_sound(t);
    assert_true(t->proof.tolerated);
    assert_false(t->proof.deadlock_free);
    assert_int_equal(t->proof.queues, 5);
    assert_confirmed(t);
    trial_close(t);
  }
  trial *t = trial_open("torus:5", "broken-entry", "");
  assert_sound(t);
  assert_true(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
  assert_verdict(order, "broken-entry", RIPSTOP_CONFIRMED, "order of 10 queues");
  assert_verdict(order, flaws[0], RIPSTOP_REFUTED, "enters a bubble ring with room for one packet");
  assert_verdict(order, flaws[1], RIPSTOP_REFUTED, "has no candidate into an earlier queue");
}

/* A queue of a bubble ring that has emptied alone does not empty again with its ring. */
static void bubble_ring_in_parts(void **state) {
  (void)state;
  trial *t = trial_open("torus:5", "partial-ring", "");
  assert_sound(t);
  assert_true(t->proof.tolerated);
  assert_true(t->proof.livelock_free);
  assert_true(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
}

/* Bubble rings that wait for each other: in each ring of the witness some packet wants to leave. */
static void bubble_rings_in_any_order(void **state) {
  (void)state;
  trial *t = trial_open("torus:5x5", "broken-turns", "");
  assert_sound(t);
  assert_true(t->proof.tolerated);
  assert_false(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
  t = trial_open("torus:5", "broken-turns", ""); /* a ring alone is sound */
  assert_sound(t);
  assert_true(t->proof.deadlock_free);
  assert_confirmed(t);
  trial_close(t);
}

static void broken_rules(void **state) {
  (void)state;
  static const struct {
    const char *method, *fabric, *faults;
  } cases[] = {
      {"broken-rule:dead-port", "torus:4x4", "0.0/0"},
      {"broken-rule:no-port", "torus:4x4", ""},
      {"broken-rule:wrong-end", "kns:k=3,n=2,c=2", ""},
      {"broken-rule:wrong-end", "kary-ntree:k=2,n=2", ""},
      {"broken-rule:channel", "torus:4x4", ""},
      {"broken-rule:no-space", "torus:4x4", ""},
      {"broken-rule:much-space", "kary-ntree:k=2,n=2", ""},
      {"broken-rule:no-ways", "torus:4x4", ""},
      {"broken-rule:many-ways", "torus:4x4", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trial *t = trial_open(cases[i].fabric, cases[i].method, cases[i].faults);
    if (t->proved) fail_msg("%s on %s went unnoticed", cases[i].method, cases[i].fabric);
    assert_shows(t->err.text, "method broken-rule");
    /* the prover is fit for another plan */
    ripstop_plan *sound = stand_plan(t->view, "broken-livelock", NULL, &t->err);
    assert_int_equal(ripstop_prover_prove(t->prover, sound, &t->proof, &t->err), 0);
    assert_false(t->proof.livelock_free);
    ripstop_plan_free(sound);
    trial_close(t);
  }
}

/* The checker sees broken rules itself. */
static void broken_rules_in_a_certificate(void **state) {
  (void)state;
  static const char text[] = "certificate 1\nfabric torus:4x4\nmethod broken-rule:%s\nfaults 0.0/0\nfree 1\n"
                             "queue 0.2 0 0\n";
  static const char *const rules[] = {"dead-port",  "no-port", "channel",  "no-space",
                                      "much-space", "no-ways", "many-ways"};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    char filled[sizeof text + 32];
    ripstop_error err = {0};
    ripstop_text verdict = {0};
    snprintf(filled, sizeof filled, text, rules[i]);
    ripstop_certificate *c = ripstop_certificate_parse("x", filled, strlen(filled), &err);
    assert_non_null(c);
    assert_int_equal(trial_check(c, &verdict, &err), RIPSTOP_UNCHECKABLE);
    assert_shows(err.text, "method broken-rule");
    ripstop_text_free(&verdict);
    ripstop_certificate_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loss_under_some_choice),
      cmocka_unit_test(one_pair_never),
      cmocka_unit_test(livelock),
      cmocka_unit_test(deadlock),
      cmocka_unit_test(deadlock_in_a_tree),
      cmocka_unit_test(candidates_never_taken),
      cmocka_unit_test(one_class_of_two),
      cmocka_unit_test(classes_in_a_certificate),
      cmocka_unit_test(classes_in_a_simulation),
      cmocka_unit_test(flawed_bubble_ring),
      cmocka_unit_test(bubble_ring_in_parts),
      cmocka_unit_test(bubble_rings_in_any_order),
      cmocka_unit_test(broken_rules),
      cmocka_unit_test(broken_rules_in_a_certificate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
