/* test_lfm_protocol.c - the switches' messages of link-fault-messages against the tables that `plan` computes: after
 * any history of faults and repairs, any delays and any order across links, every switch decides as the plan does for
 * the faults that are left, and holds exactly what it would hold in a fresh network with them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/tree.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

enum {
  HISTORIES = 120,
  PROBED_HISTORIES = 10,
  LOSSY_HISTORIES = 40,
  WATCHED_HISTORIES = 20,
  CHANGES_MAX = 24,
  ORDERS = 12
};

static const char *const fabrics[] = {"kary-ntree:k=2,n=2",  "kary-ntree:k=2,n=3",  "kary-ntree:k=3,n=2",
                                      "kary-ntree:k=2,n=4",  "mport-ntree:m=4,n=2", "mport-ntree:m=4,n=3",
                                      "mport-ntree:m=4,n=4", "mport-ntree:m=2,n=3", "kary-ntree:k=3,n=3"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

/* ------------------------------------------------------------------ comparing */

/* Compares a switch's candidates to all destinations with those of the settled plan; NULL: equal. */
static const char *what_differs_at(const ripstop_network *network, const ripstop_plan *plan, uint32_t node) {
  static char text[3 * RIPSTOP_NAME_MAX];
  const ripstop_fabric *f = plan->fabric;
  for (uint32_t end = 0; end < f->ends; end++) {
    ripstop_head head = {.node = node, .destination = end};
    ripstop_candidate settled, present;
    int a = ripstop_route(plan, &head, &settled);
    int b = plan->method->proto->candidates(plan, ripstop_network_state(network, node), &head, &present);
    if (a == b && (a < 0 || settled.port == present.port)) continue;
    char name[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
    ripstop_node_name(f, node, name);
    ripstop_node_name(f, end, to);
    snprintf(text, sizeof text, "%s to %s: plan %d port %u, switch %d port %u", name, to, a, settled.port, b,
             present.port);
    return text;
  }
  return NULL;
}

/* The first difference at any switch; the network's plan has no tables, so another plan is made for its view. */
static const char *what_differs(const ripstop_network *network) {
  const ripstop_plan *of_network = ripstop_network_plan(network);
  const ripstop_fabric *f = of_network->fabric;
  const char *text = NULL;
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_for(of_network, of_network->view, NULL, &err);
  assert_int_equal(ripstop_plan_tables(plan, &err), RIPSTOP_APPLIES);
  for (uint32_t node = f->ends; node < f->nodes && !text; node++)
    if (plan->view->node_up[node]) text = what_differs_at(network, plan, node);
  ripstop_plan_free(plan);
  return text;
}

static void expect_same_state(const ripstop_network *a, const ripstop_network *b, const char *what) {
  const ripstop_fabric *f = ripstop_network_plan(a)->fabric;
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    ripstop_text one = {0}, other = {0};
    ripstop_network_json(a, node, &one);
    ripstop_network_json(b, node, &other);
    if (strcmp(one.data, other.data) != 0) fail_msg("%s: node %u has %s, afresh %s", what, node, one.data, other.data);
    ripstop_text_free(&one);
    ripstop_text_free(&other);
  }
}

/* `ground` is to be closed behind the network. */
static ripstop_network *open_network(const ripstop_fabric *f, const char *method,
                                     const ripstop_network_options *options, const ripstop_faults *faults,
                                     stand *run_setup) {
  ripstop_error err;
  *run_setup = stand_on(f, method, faults);
  ripstop_network *network = ripstop_network_open(run_setup->plan, options, &err);
  if (!network) fail_msg("%s: %s", method, err.text);
  return network;
}

static void close_network(ripstop_network *network, stand *run_setup) {
  ripstop_network_free(network);
  stand_close(run_setup);
}

/* ------------------------------------------------------------------ histories */

typedef struct history {
  ripstop_change change[CHANGES_MAX];
  ripstop_schedule schedule;
  uint32_t link[CHANGES_MAX], switch_[CHANGES_MAX];
  ripstop_faults left; /* the parts that are down in the end */
} history;

/* Up to CHANGES_MAX changes: a part that is down comes back, another fails. A few links over and over, so that there
 * are enough repairs; sometimes a switch. */
static void draw_history(const ripstop_fabric *f, ripstop_stream *random, uint32_t gap, history *h) {
  uint8_t dead[CHANGES_MAX] = {0};
  uint32_t part[CHANGES_MAX], parts = 1 + ripstop_stream_below(random, CHANGES_MAX / 2);
  uint32_t changes = 1 + ripstop_stream_below(random, CHANGES_MAX), switches = 0;
  uint64_t cycle = 0;
  for (uint32_t i = 0; i < parts; i++) {
    bool is_switch = ripstop_stream_below(random, 8) == 0, again;
    do {
      again = false;
      part[i] = is_switch ? f->ends + ripstop_stream_below(random, ripstop_fabric_switches(f))
                          : f->nodes + f->link_ends + ripstop_stream_below(random, f->links - f->link_ends);
      for (uint32_t j = 0; j < i; j++) again |= part[i] == part[j];
      if (again && parts > f->links - f->link_ends) parts = i, again = false;
    } while (again);
  }
  if (parts == 0) parts = 1;
  for (uint32_t i = 0; i < changes; i++) {
    uint32_t which = ripstop_stream_below(random, parts);
    bool is_switch = part[which] < f->nodes;
    cycle += ripstop_stream_below(random, gap);
    h->change[i] = (ripstop_change){.cycle = cycle,
                                    .id = is_switch ? part[which] : part[which] - f->nodes,
                                    .is_switch = is_switch,
                                    .up = dead[which]};
    dead[which] = !dead[which];
  }
  h->schedule = (ripstop_schedule){.count = changes, .change = h->change};
  uint32_t links = 0;
  for (uint32_t i = 0; i < parts; i++)
    if (dead[i] && part[i] < f->nodes)
      h->switch_[switches++] = part[i];
    else if (dead[i])
      h->link[links++] = part[i] - f->nodes;
  h->left = (ripstop_faults){.links = links, .switches = switches, .link = h->link, .switch_ = h->switch_};
}

static void run_history(const ripstop_fabric *f, const char *method, ripstop_stream *random, uint32_t number,
                        bool probed) {
  history h;
  ripstop_error err;
  char what[200];
  snprintf(what, sizeof what, "%s on %s, history %u", method, f->spec, number);
  draw_history(f, random, probed ? 400 : 60, &h);
  ripstop_network_options options = {
      .schedule = &h.schedule, .spread = ripstop_stream_below(random, probed ? 10 : 100), .seed = number};
  stand run_setup, other;
  ripstop_network *network = open_network(f, method, &options, NULL, &run_setup);
  uint64_t last = h.change[h.schedule.count - 1].cycle;
  int quiet = ripstop_network_run(network, probed ? last + 20000 : UINT64_MAX, &err);
  if (quiet < 0) fail_msg("%s: %s", what, err.text);
  assert_int_equal(quiet, !probed);
  const char *difference = what_differs(network);
  if (difference) fail_msg("%s: %s", what, difference);
  ripstop_network *fresh = open_network(f, method, NULL, &h.left, &other);
  ripstop_network_run(fresh, probed ? 20000 : UINT64_MAX, &err);
  difference = what_differs(fresh);
  if (difference) fail_msg("%s, afresh: %s", what, difference);
  expect_same_state(network, fresh, what);
  close_network(fresh, &other);
  close_network(network, &run_setup);
}

static void run_histories(const char *method, uint32_t histories, bool probed) {
  for (uint32_t i = 0; i < FABRICS; i++) {
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open(fabrics[i], &err);
    ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, i);
    for (uint32_t number = 0; number < histories; number++) run_history(f, method, &random, number, probed);
    ripstop_fabric_free(f);
  }
}

static void any_history_paper(void **state) {
  (void)state;
  run_histories("link-fault-messages:capacity=0", HISTORIES, false);
}

static void any_history_per_port(void **state) {
  (void)state;
  run_histories("link-fault-messages:capacity=0,case3=per-port", HISTORIES, false);
}

/* Switches poll their port states, all in the same cycles or each in its own. */
static void any_history_with_polls(void **state) {
  (void)state;
  run_histories("link-fault-messages:capacity=0,poll=37", HISTORIES / 4, false);
  run_histories("link-fault-messages:capacity=0,poll=100,relay=poll,poll_phase=apart", HISTORIES / 4, false);
  run_histories("link-fault-messages:capacity=0,poll=100,relay=poll,probe=200,timeout=60", PROBED_HISTORIES, true);
}

/* Links die and return unseen, messages with them: the switches find out by probes alone. */
static void any_history_by_probes(void **state) {
  (void)state;
  run_histories("link-fault-messages:capacity=0,probe=200,timeout=60,retries=2", PROBED_HISTORIES, true);
}

/* Three in ten messages are lost, beginnings of sessions among them, and it takes forty tries for a link to be given
 * up: whatever was lost is said again, until all is right. */
static void any_history_by_probes_with_losses(void **state) {
  (void)state;
  for (uint32_t number = 0; number < LOSSY_HISTORIES; number++) {
    history h;
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open("mport-ntree:m=4,n=3", &err);
    ripstop_stream random = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, number);
    draw_history(f, &random, 400, &h);
    ripstop_network_options options = {.schedule = &h.schedule, .seed = number, .loss = 0.3};
    stand run_setup;
    ripstop_network *network =
        open_network(f, "link-fault-messages:capacity=0,probe=100,timeout=25,retries=39", &options, NULL, &run_setup);
    ripstop_network_run(network, h.change[h.schedule.count - 1].cycle + 20000, &err);
    const char *difference = what_differs(network);
    if (difference) fail_msg("history %u: %s", number, difference);
    close_network(network, &run_setup);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ a switch that decides again says so */

enum { ENDS_MAX = 64, NO_CANDIDATE = -1 };

typedef struct watcher {
  ripstop_network *network;
  uint32_t node;        /* the node of the present step; RIPSTOP_NONE: none yet */
  int before[ENDS_MAX]; /* its candidate to each end node */
  bool told;
  uint64_t changes; /* steps that changed a candidate */
} watcher;

/* Its own end nodes aside, whose links change without a step. */
static void find_candidates(const watcher *w, int *port) {
  const ripstop_plan *plan = ripstop_network_plan(w->network);
  for (uint32_t end = 0; end < plan->fabric->ends; end++) {
    ripstop_head head = {.node = w->node, .destination = end};
    ripstop_candidate candidate;
    bool found =
        ripstop_end_switch(plan->fabric, end) != w->node &&
        plan->method->proto->candidates(plan, ripstop_network_state(w->network, w->node), &head, &candidate) > 0;
    port[end] = found ? candidate.port : NO_CANDIDATE;
  }
}

static void end_step(watcher *w) {
  int after[ENDS_MAX];
  if (w->node == RIPSTOP_NONE) return;
  find_candidates(w, after);
  uint32_t ends = ripstop_network_plan(w->network)->fabric->ends;
  bool changed = memcmp(w->before, after, ends * sizeof *after) != 0;
  if (changed && !w->told) fail_msg("node %u has new candidates and does not say so", w->node);
  w->changes += changed;
}

static void watch_candidates(void *context, const ripstop_trace_event *trace) {
  watcher *w = context;
  if (trace->kind == RIPSTOP_SAW_CANDIDATES) w->told = true;
  if (trace->kind != RIPSTOP_SAW_STEP && trace->kind != RIPSTOP_SAW_CHANGE) return;
  end_step(w);
  w->node = RIPSTOP_NONE; /* a change may be the end of a switch's state */
  if (trace->kind == RIPSTOP_SAW_CHANGE) return;
  w->node = trace->node;
  w->told = false;
  find_candidates(w, w->before);
}

static void new_candidates_are_reported(void **state) {
  (void)state;
  static const char *const methods[] = {"link-fault-messages", "link-fault-messages:capacity=2",
                                        "link-fault-messages:probe=200,timeout=60",
                                        "link-fault-messages:poll=90,relay=poll"};
  uint64_t changes = 0;
  for (uint32_t number = 0; number < 4 * WATCHED_HISTORIES; number++) {
    history h;
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open("mport-ntree:m=4,n=3", &err);
    ripstop_stream random = ripstop_stream_open(4, RIPSTOP_RANDOM_TEST, number);
    draw_history(f, &random, 60, &h);
    watcher w = {.node = RIPSTOP_NONE};
    ripstop_network_options options = {.schedule = &h.schedule, .watch = watch_candidates, .context = &w};
    stand run_setup;
    w.network = open_network(f, methods[number % 4], &options, NULL, &run_setup);
    ripstop_network_run(w.network, h.change[h.schedule.count - 1].cycle + 1000, &err);
    end_step(&w);
    changes += w.changes;
    close_network(w.network, &run_setup);
    ripstop_fabric_free(f);
  }
  assert_true(changes > 1000);
}

/* ------------------------------------------------------------------ how long polls take */

/* When the last message that the failure of a link in a cycle causes has arrived. */
static uint64_t settled_after(const ripstop_fabric *f, const char *method, uint32_t link, uint64_t cycle) {
  ripstop_error err;
  const ripstop_change change = {.cycle = cycle, .id = link};
  const ripstop_schedule schedule = {.count = 1, .change = &change};
  ripstop_network_options options = {.schedule = &schedule};
  stand run_setup;
  ripstop_network *network = open_network(f, method, &options, NULL, &run_setup);
  assert_int_equal(ripstop_network_run(network, UINT64_MAX, &err), 1);
  assert_null(what_differs(network));
  uint64_t last = ripstop_network_count_all(network).last_arrival;
  close_network(network, &run_setup);
  return last;
}

/* Hops that the message about a link above a level makes: up to the top and down to that level again. */
static uint32_t hops_of(const ripstop_tree *t, uint32_t level) { return 2 * (t->levels - 1 - level) - 1; }

/* A fault in cycle 130 with polls every 100 and hops of 10 cycles: the first message leaves in cycle 200. Passed on at
 * once, the last one arrives 10 cycles later for each hop; at polls, 100 cycles later for each hop but the last. */
static void polls_delay_messages_by_their_period(void **state) {
  (void)state;
  static const char *const specs[] = {"mport-ntree:m=4,n=3", "mport-ntree:m=4,n=4", "kary-ntree:k=3,n=3"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err;
    ripstop_tree tree;
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    assert_true(ripstop_tree_from(f, &tree));
    for (uint32_t link = f->link_ends; link < f->links; link++) {
      uint32_t hops = hops_of(&tree, ripstop_tree_level(&tree, ripstop_link_node(f, link, 0)));
      assert_int_equal(settled_after(f, "link-fault-messages", link, 130), 130 + 10 * hops);
      assert_int_equal(settled_after(f, "link-fault-messages:poll=100", link, 130), 200 + 10 * hops);
      assert_int_equal(settled_after(f, "link-fault-messages:poll=100,relay=poll", link, 130),
                       200 + 100 * (hops - 1) + 10);
      assert_in_range(settled_after(f, "link-fault-messages:poll=100,relay=poll,poll_phase=apart", link, 130),
                      130 + 10 * hops, 130 + 110 * hops);
    }
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ the printed protocol: does the order matter? */

#define ANSWERS RIPSTOP_SOURCE_DIR "/tests/data/known-answers/verdicts.jsonl"
enum { LINE_MAX_BYTES = 1 << 16 };

/* True if all of some orders of faults and messages end with the plan's tables. */
static bool orders_agree(const ripstop_fabric *f, const ripstop_faults *faults, const char *method, uint32_t orders) {
  ripstop_change *change = ripstop_realloc(NULL, faults->links + 1, sizeof *change);
  bool agree = true;
  for (uint32_t order = 0; order < orders && agree; order++) {
    ripstop_stream random = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, order);
    uint64_t cycle = 1;
    ripstop_error err;
    for (uint32_t i = 0; i < faults->links; i++) { /* a random permutation, 0 to 39 cycles apart */
      uint32_t j = ripstop_stream_below(&random, i + 1);
      change[i] = change[j];
      change[j] = (ripstop_change){.id = faults->link[i]};
    }
    for (uint32_t i = 0; i < faults->links; i++) change[i].cycle = cycle += ripstop_stream_below(&random, 40);
    ripstop_schedule schedule = {.count = faults->links, .change = change};
    ripstop_network_options options = {.schedule = &schedule, .spread = 50, .seed = order};
    stand run_setup;
    ripstop_network *network = open_network(f, method, &options, NULL, &run_setup);
    assert_int_equal(ripstop_network_run(network, UINT64_MAX, &err), 1);
    agree = !what_differs(network);
    close_network(network, &run_setup);
  }
  ripstop_free(change);
  return agree;
}

/* The protocol without withdrawals, on the known answers: the order of arrival matters for exactly those sets of which
 * they say so. With withdrawals it never does. */
static void order_of_arrival(void **state) {
  (void)state;
  static char line[LINE_MAX_BYTES];
  unsigned checked = 0, dependent = 0;
  FILE *file = fopen(ANSWERS, "r");
  if (!file) fail_msg("%s cannot be read", ANSWERS);
  while (fgets(line, sizeof line, file)) {
    json_error_t where;
    json_t *answer = json_loads(line, 0, &where), *expect = json_object_get(answer, "expect");
    const json_t *independent = json_object_get(expect, "order_independent");
    if (independent) {
      ripstop_error err;
      ripstop_arena *arena = ripstop_arena_new();
      ripstop_fabric *f = ripstop_fabric_open(json_string_value(json_object_get(answer, "fabric")), &err);
      ripstop_names *names = ripstop_names_new(f);
      ripstop_faults faults;
      const char *text = json_string_value(json_object_get(answer, "faults"));
      if (ripstop_faults_parse(arena, names, text, strlen(text), &faults, &err)) fail_msg("%s", err.text);
      bool agree = orders_agree(f, &faults, "link-fault-messages:capacity=0,withdraw=off", ORDERS);
      if (agree != json_is_true(independent))
        fail_msg("%s: order independent: %d", json_string_value(json_object_get(answer, "id")), agree);
      assert_true(orders_agree(f, &faults, "link-fault-messages:capacity=0", 2));
      ripstop_names_free(names);
      ripstop_fabric_free(f);
      ripstop_arena_free(arena);
      checked++;
      dependent += !agree;
    }
    json_decref(answer);
  }
  fclose(file);
  print_message("%u known answers, %u depend on the order\n", checked, dependent);
  assert_true(checked >= 34 && dependent >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_history_paper),           cmocka_unit_test(any_history_per_port),
      cmocka_unit_test(any_history_with_polls),      cmocka_unit_test(polls_delay_messages_by_their_period),

      cmocka_unit_test(any_history_by_probes),       cmocka_unit_test(any_history_by_probes_with_losses),
      cmocka_unit_test(new_candidates_are_reported), cmocka_unit_test(order_of_arrival)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
