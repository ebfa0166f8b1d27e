/* test_witness.c - the prover's verdict on deadlock, for every method and its options, on small fabrics with seeded
 * faults: a certificate of it must pass the checker, which shares no code with the prover;
 * certificates that were falsified must be refuted; and a deadlock, loaded into the engine, must stand still. It names
 * no method.
 *
 * Whether a falsified certificate is still true is found in other ways than the checker's: by construction, or by
 * random walks of packets that contradict it. */
#include <stdio.h>

#include "ripstop/plugin/method.h"
#include "share.h"
#include "trial.h"

enum { FAULT_SETS = 20, MOST_FAULTS = 6, WALKS = 60, MOST_HOPS = 60, MUTATIONS = 4, EDGE = 128 };
#define NO_HEADER UINT64_C(0xfeedfacecafebeef) /* that no method ever writes */

static const char *const fabrics[] = {"kary-ntree:k=2,n=2",
                                      "kary-ntree:k=2,n=3",
                                      "kary-ntree:k=3,n=2",
                                      "mport-ntree:m=4,n=2",
                                      "torus:4",
                                      "torus:5",
                                      "torus:3x3",
                                      "torus:4x3",
                                      "torus:2x3x2",
                                      "kns:k=3,n=2",
                                      "kns:k=2,n=2",
                                      "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges",
                                      "ib:" RIPSTOP_SOURCE_DIR "/tests/data/ib/ring.ibnetdiscover"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

/* The switches into which a deadlock is loaded; the first are for methods that need space for two packets. */
static const char *const switches[] = {"in_queue=4",
                                       "in_queue=2 packet=3:0.8/19:0.2",
                                       "in_queue=100 unit=flits packet=16",
                                       "in_queue=70 unit=flits packet=3:0.8/19:0.2 link=3 credit=5 pipeline=2",
                                       "in_queue=1 out_queue=0 packet=1",
                                       "in_queue=3 out_queue=2",
                                       "in_queue=9 flow=xonxoff packet=4",
                                       "in_queue=120 out_queue=40 unit=flits flow=xonxoff packet=5/20"};
enum { SWITCHES = sizeof switches / sizeof *switches, SWITCHES_FOR_TWO = 4 };

static struct { unsigned free, deadlocks, refuted, contradicted, loaded; } seen;
static ripstop_stream chance;

/* ------------------------------------------------------------------ heads */

static ripstop_head head_in(const ripstop_fabric *f, const ripstop_deadlocked_packet *s) {
  uint32_t in = f->peer[s->port], node = f->port_node[in];
  return (ripstop_head){.node = node,
                        .in_port = in - f->port_base[node],
                        .source = s->source,
                        .destination = s->destination,
                        .header = s->header,
                        .channel = s->channel,
                        .class_ = s->class_};
}

/* The candidates that count: all, or if packets settle early those of lowest rank. */
static int ask(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidate) {
  int candidates = ripstop_route(plan, head, candidate), kept = 0;
  uint8_t lowest = UINT8_MAX;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].rank < lowest) lowest = candidate[i].rank;
  for (int i = 0; i < candidates; i++)
    if (!plan->choose_early || candidate[i].rank == lowest) candidate[kept++] = candidate[i];
  return kept;
}

static bool same_queue(const ripstop_deadlocked_packet *a, uint32_t port, uint8_t channel) {
  return a->port == port && a->channel == channel;
}

static uint32_t find(const ripstop_certificate *c, uint32_t port, uint8_t channel) {
  for (uint32_t i = 0; i < c->queues; i++)
    if (same_queue(&c->queue[i], port, channel)) return i;
  return RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ falsified certificates */

typedef struct forgery {
  ripstop_certificate certificate; /* the arrays are its own; all else is borrowed */
  ripstop_deadlocked_packet *queue;
  uint32_t *ring;
} forgery;

static forgery copy(const ripstop_certificate *c) {
  forgery f = {.certificate = *c,
               .queue = ripstop_realloc(NULL, c->queues + 1, sizeof *f.queue),
               .ring = ripstop_realloc(NULL, c->queues + 1, sizeof *f.ring)};
  memcpy(f.queue, c->queue, c->queues * sizeof *f.queue);
  memcpy(f.ring, c->ring, c->queues * sizeof *f.ring);
  f.certificate.queue = f.queue;
  f.certificate.ring = f.ring;
  return f;
}

static void refute(forgery f) {
  trial_expect(&f.certificate, RIPSTOP_REFUTED);
  seen.refuted++;
  ripstop_free(f.queue);
  ripstop_free(f.ring);
}

static forgery without(const ripstop_certificate *c, uint32_t left_out) {
  forgery f = copy(c);
  uint32_t last = --f.certificate.queues;
  memmove(f.queue + left_out, f.queue + left_out + 1, (last - left_out) * sizeof *f.queue);
  memmove(f.ring + left_out, f.ring + left_out + 1, (last - left_out) * sizeof *f.ring);
  return f;
}

static void forge_any(const ripstop_certificate *c, uint32_t i) {
  forgery f = copy(c);
  f.queue[c->queues] = c->queue[i];
  f.ring[c->queues] = 0;
  f.certificate.queues++;
  refute(f); /* a queue that is named twice */
  f = copy(c);
  f.queue[i].channel = RIPSTOP_CHANNELS_MAX - 1;
  refute(f); /* a channel that is not there */
}

/* ------------------------------------------------------------------ falsified deadlocks */

/* Some packet that is left may go to the queue that was left out. */
static bool needs(const ripstop_plan *plan, const ripstop_certificate *rest,
                  const ripstop_deadlocked_packet *left_out) {
  ripstop_candidate *candidate = ripstop_realloc(NULL, plan->candidates_max, sizeof *candidate);
  bool needed = rest->queues == 0;
  for (uint32_t i = 0; i < rest->queues && !needed; i++) {
    ripstop_head head = head_in(plan->fabric, &rest->queue[i]);
    int candidates = ask(plan, &head, candidate), inside = 0;
    bool out = false;
    for (int w = 0; w < candidates; w++) {
      uint32_t port = plan->fabric->port_base[head.node] + candidate[w].port;
      out |= same_queue(left_out, port, candidate[w].channel);
      inside += find(rest, port, candidate[w].channel) != RIPSTOP_NONE;
    }
    needed = plan->choose_early ? inside == 0 : out;
  }
  ripstop_free(candidate);
  return needed;
}

static void forge_deadlock(const trial *t, const ripstop_certificate *c, uint32_t i) {
  const ripstop_fabric *f = t->fabric;
  forgery less = without(c, i);
  if (needs(t->plan, &less.certificate, &c->queue[i])) {
    refute(less);
  } else {
    trial_expect(&less.certificate, RIPSTOP_CONFIRMED);
    ripstop_free(less.queue);
    ripstop_free(less.ring);
  }
  forgery other = copy(c);
  other.queue[i].header = NO_HEADER;
  refute(other);
  uint32_t node = f->port_node[f->peer[c->queue[i].port]];
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    uint32_t end = f->peer[port] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[port]];
    if (end >= f->ends || end == c->queue[i].source || !t->view->port_up[port]) continue;
    other = copy(c);
    other.queue[i].destination = end; /* it is consumed, if it can come there */
    refute(other);
  }
  for (uint32_t link = 0; link < c->faults.links; link++) {
    uint32_t port = f->link_port[2 * c->faults.link[link]];
    if (ripstop_is_end(f, f->port_node[port])) continue;
    other = copy(c);
    other.queue[i].port = port;
    refute(other); /* a queue of a failed link */
  }
}

static void load(const trial *t, const ripstop_certificate *c) {
  ripstop_candidate *candidate = ripstop_realloc(NULL, t->plan->candidates_max, sizeof *candidate);
  bool wide = t->plan->bubble; /* which needs credits */
  for (uint32_t i = 0; i < c->queues; i++) {
    ripstop_head head = head_in(t->fabric, &c->queue[i]);
    int candidates = ask(t->plan, &head, candidate);
    for (int w = 0; w < candidates; w++) wide |= candidate[w].space > 1;
  }
  ripstop_free(candidate);
  ripstop_standstill out;
  ripstop_error err;
  const char *options = switches[seen.loaded++ % (wide ? SWITCHES_FOR_TWO : SWITCHES)];
  if (trial_load(c, options, &out, &err)) fail_msg("%s, %s: %s", c->method, options, err.text);
  if (out.packets < c->queues || out.events != 0 || !out.exact)
    fail_msg("%s %s, %s: %u queues, %llu packets, %llu events, %s", c->fabric->spec, c->method, options, c->queues,
             (unsigned long long)out.packets, (unsigned long long)out.events, out.exact ? "found" : "not found");
}

/* ------------------------------------------------------------------ falsified orders */

/* True if a head in place `at` of the order has the candidates that the order promises. */
static bool is_kept(const ripstop_plan *plan, const ripstop_certificate *c, uint32_t at, const ripstop_head *head,
                    const ripstop_candidate *candidate, int candidates) {
  uint32_t start = at, next = at + 1;
  while (c->ring[at] && start > 0 && c->ring[start - 1] == c->ring[at]) start--;
  if (!c->ring[at])
    next = RIPSTOP_NONE;
  else if (next == c->queues || c->ring[next] != c->ring[at])
    next = start;
  int good = 0;
  for (int w = 0; w < candidates; w++) {
    uint32_t port = plan->fabric->port_base[head->node] + candidate[w].port;
    uint32_t to = find(c, port, candidate[w].channel);
    good += ripstop_is_end(plan->fabric, plan->fabric->port_node[plan->fabric->peer[port]]) ||
            (to != RIPSTOP_NONE && (to < start || (to == next && candidate[w].space == 1)));
  }
  return plan->choose_early ? good == candidates : good > 0;
}

/* One packet at random, all the way; true when it finds a promise of the order broken. */
static bool walk_contradicts(const trial *t, const ripstop_certificate *c, ripstop_candidate *candidate) {
  const ripstop_fabric *f = t->fabric;
  uint32_t source = ripstop_stream_below(&chance, f->ends), destination = ripstop_stream_below(&chance, f->ends);
  if (source == destination) return false;
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  if (t->plan->random_headers > 1) head.header = ripstop_stream_below(&chance, t->plan->random_headers);
  if (t->plan->classes > 1) head.class_ = (uint8_t)ripstop_stream_below(&chance, t->plan->classes);
  for (uint32_t hop = 0; hop < MOST_HOPS; hop++) {
    int candidates = ask(t->plan, &head, candidate);
    if (candidates == 0) return false;
    if (head.in_port != RIPSTOP_NONE) {
      uint32_t from = f->peer[f->port_base[head.node] + head.in_port];
      if (!ripstop_is_end(f, f->port_node[from])) {
        uint32_t at = find(c, from, head.channel);
        if (at == RIPSTOP_NONE || !is_kept(t->plan, c, at, &head, candidate, candidates)) return true;
      }
    }
    const ripstop_candidate *taken = &candidate[ripstop_stream_below(&chance, (uint32_t)candidates)];
    uint32_t in = f->peer[f->port_base[head.node] + taken->port];
    head.node = f->port_node[in];
    if (ripstop_is_end(f, head.node)) return false;
    head.in_port = in - f->port_base[head.node];
    head.channel = taken->channel;
    head.header = taken->header;
  }
  return false;
}

static bool walks_contradict(const trial *t, const ripstop_certificate *c) {
  ripstop_candidate *candidate = ripstop_realloc(NULL, t->plan->candidates_max, sizeof *candidate);
  bool contradiction = false;
  for (uint32_t i = 0; i < WALKS && !contradiction; i++) contradiction = walk_contradicts(t, c, candidate);
  ripstop_free(candidate);
  return contradiction;
}

static void swap(forgery *f, uint32_t i, uint32_t j) {
  ripstop_deadlocked_packet queue = f->queue[i];
  uint32_t ring = f->ring[i];
  f->queue[i] = f->queue[j];
  f->ring[i] = f->ring[j];
  f->queue[j] = queue;
  f->ring[j] = ring;
}

static void forge_order(const trial *t, const ripstop_certificate *c, uint32_t i) {
  refute(without(c, i));
  if (c->ring[i]) {
    forgery alone = copy(c);
    for (uint32_t j = 0; j < c->queues; j++)
      if (c->ring[j] == c->ring[i]) alone.ring[j] = 0;
    refute(alone); /* single queues do not drop */
  }
  forgery other = copy(c);
  swap(&other, i, ripstop_stream_below(&chance, c->queues));
  if (walks_contradict(t, &other.certificate)) {
    seen.contradicted++;
    refute(other);
    return;
  }
  ripstop_free(other.queue);
  ripstop_free(other.ring);
}

/* ------------------------------------------------------------------ every method */

static void try_trial(trial *t) {
  if (!t->plan) return;
  if (!t->proved) fail_msg("%s: %s", t->method, t->err.text);
  ripstop_certificate *c = trial_certificate(t);
  assert_string_equal(c->fabric->spec, t->fabric->spec);
  assert_int_equal(c->faults.links, t->faults.links);
  assert_int_equal(c->deadlock, !t->proof.deadlock_free);
  trial_expect(c, RIPSTOP_CONFIRMED);
  for (int m = 0; m < MUTATIONS && c->queues; m++) {
    uint32_t i = ripstop_stream_below(&chance, c->queues);
    if (m == 0) forge_any(c, i);
    if (c->deadlock)
      forge_deadlock(t, c, i);
    else
      forge_order(t, c, i);
  }
  if (c->deadlock) load(t, c);
  seen.free += !c->deadlock;
  seen.deadlocks += c->deadlock;
  ripstop_certificate_free(c);
}

static void try_method(const char *spec) {
  for (size_t f = 0; f < FABRICS; f++) {
    trial *whole = trial_open(fabrics[f], spec, "");
    bool applies = whole->plan != NULL;
    try_trial(whole);
    uint32_t population = ripstop_faults_population(whole->fabric, RIPSTOP_FAULTS_SWITCH_LINKS);
    uint32_t sets = 1 + (FAULT_SETS - 1) / share_of_cases();
    for (uint32_t k = 0; k < sets && applies; k++) {
      uint32_t i = share_first(share_of_cases()) * sets + k;
      uint32_t faults = 1 + i % (MOST_FAULTS < population ? MOST_FAULTS : population);
      trial *t = trial_sample(fabrics[f], spec, faults, i);
      try_trial(t);
      trial_close(t);
    }
    trial_close(whole);
  }
}

/* "method:option=value", unless the option does not take it. */
static void try_value(const ripstop_method *method, const ripstop_option *option, const char *value) {
  char spec[EDGE];
  ripstop_arena *arena = ripstop_arena_new();
  const char *canonical, *plain;
  ripstop_error err;
  snprintf(spec, sizeof spec, "%s:%s=%s", method->name, option->name, value);
  bool fits = ripstop_method_canonical(arena, spec, &canonical, &err) == 0;
  bool new = fits &&ripstop_method_canonical(arena, method->name, &plain, &err) == 0 && strcmp(plain, canonical) != 0;
  if (new) try_method(spec);
  ripstop_arena_free(arena);
}

static void try_option(const ripstop_method *method, const ripstop_option *option) {
  char value[EDGE];
  switch (option->type) {
  case RIPSTOP_OPTION_FLAG:
    try_value(method, option, "on");
    try_value(method, option, "off");
    break;
  case RIPSTOP_OPTION_WORD:
    for (const char *const *word = option->words; *word; word++) try_value(method, option, *word);
    break;
  case RIPSTOP_OPTION_INTEGER:
    snprintf(value, sizeof value, "%.0f", option->min);
    try_value(method, option, value);
    snprintf(value, sizeof value, "%.0f", option->min + 1);
    try_value(method, option, value);
    break;
  case RIPSTOP_OPTION_REAL:
  case RIPSTOP_OPTION_TEXT:
    break;
  }
}

static void every_method(void **state) {
  (void)state;
  chance = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (const ripstop_method *const *m = ripstop_methods; *m; m++) {
    try_method((*m)->name);
    for (const ripstop_option *o = (*m)->options; o->name; o++) try_option(*m, o);
  }
  /* the test looks at something */
  print_message("free %u, deadlocks %u (loaded %u), refuted %u, by walks %u\n", seen.free, seen.deadlocks, seen.loaded,
                seen.refuted, seen.contradicted);
  assert_true(seen.free > 100 / share_of_cases());
  assert_true(seen.deadlocks > 100 / share_of_cases());
  assert_true(seen.contradicted > 100 / share_of_cases());
}

/* ------------------------------------------------------------------ single rules of the checker */

static void check_text(const char *text, ripstop_check wanted, const char *says) {
  ripstop_error err = {0};
  ripstop_text verdict = {0};
  ripstop_certificate *c = ripstop_certificate_parse("x", text, strlen(text), &err);
  if (!c) fail_msg("%s\n%s", err.text, text);
  ripstop_check result = trial_check(c, &verdict, &err);
  const char *told = result == RIPSTOP_UNCHECKABLE ? err.text : verdict.data;
  if (result != wanted || !strstr(told, says)) fail_msg("'%s', not '%s'", told, says);
  ripstop_text_free(&verdict);
  ripstop_certificate_free(c);
}

#define RING_OF_5                                                                                                    \
  "deadlock 5\nqueue 0 0 0 0 2 0x0\nqueue 1 0 0 1 3 0x0\nqueue 2 0 0 2 4 0x0\nqueue 3 0 0 3 0 0x0\nqueue 4 0 0 4 1 " \
  "0x0\n"

static void single_rules(void **state) {
  (void)state;
#define DOR "certificate 1\nfabric torus:5\nmethod dor\nfaults\n"
  check_text(DOR RING_OF_5, RIPSTOP_CONFIRMED, "a deadlock of 5 queues");
  check_text("certificate 1\nfabric torus:5\nmethod dor:bubble=on\nfaults\n" RING_OF_5, RIPSTOP_REFUTED, "bubble ring");
  check_text("certificate 1\nfabric torus:5\nmethod dor\nfaults 0/0\n" RING_OF_5, RIPSTOP_REFUTED, "queue 0 port 0");
  check_text("certificate 1\nfabric torus:5\nmethod updown\nfaults\n" RING_OF_5, RIPSTOP_UNCHECKABLE, "fat trees");
  check_text(DOR "deadlock 0\n", RIPSTOP_REFUTED, "without queues");
  check_text(DOR "deadlock 1\nqueue 0 0 0 0 1 0x0\n", RIPSTOP_REFUTED, "is consumed there");
  check_text(DOR "deadlock 1\nqueue 0 0 0 0 2 0x0\n", RIPSTOP_REFUTED, "need not wait");
  check_text(DOR "deadlock 1\nqueue 0 0 0 2 3 0x0\n", RIPSTOP_REFUTED, "cannot come there");
  check_text("certificate 1\nfabric torus:5\nmethod dor\nfaults 1/0\ndeadlock 1\nqueue 0 0 0 0 2 0x0\n",
             RIPSTOP_REFUTED, "is discarded there");
  check_text(DOR "free 0\n", RIPSTOP_REFUTED, "has no candidate into an earlier queue");
  /* a ring of 3 needs no order, and the rings of a torus are cycles of queues that follow each other */
#define RING_OF_3 "certificate 1\nfabric torus:3\nmethod dor:bubble=on\nfaults\nfree 6\n"
#define ROUND_2   "ring 2 0 1 0\nring 2 2 1 0\nring 2 1 1 0\n"
  check_text(RING_OF_3 "ring 1 0 0 0\nring 1 1 0 0\nring 1 2 0 0\n" ROUND_2, RIPSTOP_CONFIRMED, "order of 6 queues");
  check_text(RING_OF_3 "ring 1 0 0 0\nring 1 2 0 0\nring 1 1 0 0\n" ROUND_2, RIPSTOP_REFUTED, "does not follow");
  check_text(RING_OF_3 "queue 0 0 0\nqueue 1 0 0\nqueue 2 0 0\nqueue 0 1 0\nqueue 2 1 0\nqueue 1 1 0\n",
             RIPSTOP_CONFIRMED, "order of 6 queues");
}

/* ------------------------------------------------------------------ the engine does notice */

/* Packets without a deadlock do not stand still, in any switch. */
static void no_standstill(void **state) {
  (void)state;
  static const char *const texts[] = {DOR "deadlock 1\nqueue 0 0 0 0 2 0x0\n", DOR "deadlock 1\nqueue 0 0 0 0 1 0x0\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (size_t s = 0; s < SWITCHES; s++) {
      ripstop_error err;
      ripstop_standstill out;
      ripstop_certificate *c = ripstop_certificate_parse("x", texts[i], strlen(texts[i]), &err);
      assert_int_equal(trial_load(c, switches[s], &out, &err), 0);
      assert_true(out.packets > 0 && out.events >= out.packets);
      assert_false(out.exact);
      ripstop_certificate_free(c);
    }
}

static void load_is_refused(const char *text, const char *says) {
  ripstop_error err = {0};
  ripstop_standstill out;
  ripstop_certificate *c = ripstop_certificate_parse("x", text, strlen(text), &err);
  assert_non_null(c);
  assert_int_equal(trial_load(c, "", &out, &err), -1);
  if (!strstr(err.text, says)) fail_msg("'%s', not '%s'", err.text, says);
  ripstop_certificate_free(c);
}

static void loads_refused(void **state) {
  (void)state;
  load_is_refused(DOR "deadlock 2\nqueue 0 0 0 0 2 0x0\nqueue 0 0 0 0 2 0x0\n", "listed twice");
  load_is_refused(DOR "deadlock 1\nqueue 0 0 1 0 2 0x0\n", "not an input queue of a link that is up");
  load_is_refused("certificate 1\nfabric torus:5\nmethod dor\nfaults 0/0\ndeadlock 1\nqueue 0 0 0 0 2 0x0\n",
                  "not an input queue of a link that is up");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method), cmocka_unit_test(single_rules),
                                     cmocka_unit_test(no_standstill), cmocka_unit_test(loads_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
