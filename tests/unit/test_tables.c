/* test_tables.c - the tables of a plan are the plan: a walk by the entries alone delivers, loses and circulates as
 * ripstop_plan_deliver says, for every pair, every method and faults; and entries hold no more than they need. */
#include "ripstop/kit/tables.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/method.h"
#include "scarce.h"
#include "stand.h"

/* ------------------------------------------------------------------ forwarding by tables */

enum { NEW, OPEN, DONE };

/* One walk of one pair: states by depth first search, with a plain list of those seen. */
typedef struct trip {
  const ripstop_tables *t;
  ripstop_head seen[20000];
  uint8_t mark[20000];
  uint32_t hops[20000]; /* hops of the longest route on */
  uint32_t count;
  bool delivered, lost, round;
} trip;

static uint32_t number_of(trip *p, const ripstop_head *h) {
  for (uint32_t i = 0; i < p->count; i++)
    if (p->seen[i].node == h->node && p->seen[i].in_port == h->in_port && p->seen[i].channel == h->channel &&
        p->seen[i].header == h->header)
      return i;
  assert_true(p->count < 20000);
  p->seen[p->count] = *h;
  p->mark[p->count] = NEW;
  return p->count++;
}

static uint32_t go(trip *p, uint32_t at) {
  const ripstop_fabric *f = p->t->plan->fabric;
  ripstop_head h = p->seen[at];
  const ripstop_entry *e = ripstop_tables_find(p->t, &h);
  assert_non_null(e);
  p->mark[at] = OPEN;
  p->lost |= e->candidates == 0;
  for (uint64_t i = e->first; i < e->first + e->candidates; i++) {
    const ripstop_candidate *candidate = &p->t->candidate[i];
    uint32_t peer = f->peer[f->port_base[h.node] + candidate->port], node = f->port_node[peer], more = 0;
    ripstop_head next = h;
    next.node = node, next.in_port = peer - f->port_base[node], next.channel = candidate->channel,
    next.header = candidate->header;
    if (node == h.destination) {
      p->delivered = true;
    } else {
      uint32_t number = number_of(p, &next);
      p->round |= p->mark[number] == OPEN;
      more = p->mark[number] == NEW ? go(p, number) : p->hops[number];
    }
    if (more + 1 > p->hops[at]) p->hops[at] = more + 1;
  }
  p->mark[at] = DONE;
  return p->hops[at];
}

static void compare_pair(const ripstop_tables *t, uint32_t source, uint32_t destination) {
  static trip p;
  ripstop_delivery told;
  ripstop_error err;
  p.t = t, p.count = 0, p.delivered = p.lost = p.round = false;
  memset(p.hops, 0, sizeof p.hops);
  ripstop_head start = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  uint32_t hops = 0;
  for (; start.header < t->plan->random_headers; start.header++) {
    uint32_t of_draw = go(&p, number_of(&p, &start));
    if (of_draw > hops) hops = of_draw;
  }
  assert_int_equal(ripstop_plan_deliver(t->plan, source, destination, 20000, &told, &err), 0);
  assert_int_equal(p.delivered, told.some_choice);
  assert_int_equal(p.round, told.livelock);
  assert_int_equal(!p.lost && !p.round, told.every_choice);
  assert_int_equal(p.count, told.states);
  if (!p.round && told.every_choice) assert_int_equal(hops, told.max_hops);
}

/* ------------------------------------------------------------------ contents of entries */

static bool same_candidates(const ripstop_tables *t, const ripstop_entry *a, const ripstop_entry *b) {
  if (a->candidates != b->candidates || a->loss != b->loss) return false;
  for (uint32_t i = 0; i < a->candidates; i++) {
    const ripstop_candidate *x = &t->candidate[a->first + i], *y = &t->candidate[b->first + i];
    if (x->port != y->port || x->channel != y->channel || x->header != y->header || x->rank != y->rank ||
        x->space != y->space || x->marks != y->marks || x->weight != y->weight)
      return false;
  }
  return true;
}

/* Two entries that differ in this alone, and in their ways: it is needed. */
static bool is_needed(const ripstop_tables *t, unsigned bit) {
  for (uint64_t i = 0; i < t->entries; i++)
    for (uint64_t k = i + 1; k < t->entries; k++) {
      const ripstop_entry *a = &t->entry[i], *b = &t->entry[k];
      if (a->node != b->node || a->destination != b->destination) break;
      unsigned differs =
          (a->in_port != b->in_port ? RIPSTOP_BY_PORT : 0) | (a->channel != b->channel ? RIPSTOP_BY_CHANNEL : 0) |
          (a->header != b->header ? RIPSTOP_BY_HEADER : 0) | (a->source != b->source ? RIPSTOP_BY_SOURCE : 0) |
          (a->class_ != b->class_ ? RIPSTOP_BY_CLASS : 0);
      if (differs == bit && !same_candidates(t, a, b)) return true;
    }
  return false;
}

static void check_entries(const ripstop_tables *t) {
  for (uint64_t i = 0; i < t->entries; i++) {
    const ripstop_entry *e = &t->entry[i];
    if (!(t->by & RIPSTOP_BY_PORT)) assert_int_equal(e->in_port, RIPSTOP_NONE);
    if (!(t->by & RIPSTOP_BY_CHANNEL)) assert_int_equal(e->channel, 0);
    if (!(t->by & RIPSTOP_BY_HEADER)) assert_int_equal(e->header, 0);
    if (!(t->by & RIPSTOP_BY_SOURCE)) assert_int_equal(e->source, 0);
  }
  assert_int_equal(t->ports_by & ~t->by, 0);
}

/* A plain table has the ports of every entry's candidates, or there is none and a reason. */
static bool check_ports(const ripstop_tables *t) {
  ripstop_error err = {0};
  uint32_t *port = ripstop_realloc(NULL, t->plan->fabric->ends, sizeof *port);
  bool plain = t->one_port && !t->ports_by;
  for (uint32_t node = 0; node < t->plan->fabric->nodes; node++) {
    ripstop_answer answer = ripstop_tables_ports(t, node, port, &err);
    assert_int_equal(answer, plain ? RIPSTOP_APPLIES : RIPSTOP_DOES_NOT_APPLY);
    if (!plain) assert_non_null(strstr(err.text, "no plain forwarding table"));
    for (uint64_t i = 0; plain && i < t->entries; i++)
      if (t->entry[i].node == node && t->entry[i].candidates)
        assert_int_equal(port[t->entry[i].destination], t->candidate[t->entry[i].first].port);
  }
  ripstop_free(port);
  return plain;
}

/* ------------------------------------------------------------------ every method */

static const char *const fabrics[] = {"kary-ntree:k=2,n=3", "mport-ntree:m=4,n=2", "torus:4x3", "kns:k=3,n=2",
                                      RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges"};

static bool try_plan(const ripstop_fabric *fabric, const char *method, uint32_t dead) {
  ripstop_error err;
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  for (uint32_t i = 0; i < dead; i++) ripstop_view_set_link(view, fabric->link_ends + 2 * i, false);
  ripstop_plan *plan = stand_plan(view, method, NULL, &err);
  ripstop_tables *t = plan ? ripstop_tables_open(plan, 1000000, NULL, &err) : NULL;
  if (plan && !t) fail_msg("%s", err.text);
  for (uint32_t source = 0; t && source < fabric->ends; source += 1 + source % 2)
    for (uint32_t destination = 0; destination < fabric->ends; destination++)
      if (source != destination) compare_pair(t, source, destination);
  if (t) check_entries(t), check_ports(t);
  ripstop_tables_free(t);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return plan != NULL;
}

static void tables_deliver_as_plans_do(void **state) {
  (void)state;
  unsigned tried = 0;
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    ripstop_error err;
    ripstop_fabric *fabric = ripstop_fabric_open(fabrics[i], &err);
    assert_non_null(fabric);
    for (size_t m = 0; ripstop_methods[m]; m++)
      for (uint32_t dead = 0; dead < 3; dead++) tried += try_plan(fabric, ripstop_methods[m]->name, dead);
    ripstop_fabric_free(fabric);
  }
  assert_true(tried > 30);
}

static const struct {
  const char *fabric, *method;
  bool dead; /* the first link between switches */
  unsigned by, ports_by;
  bool plain;
} known[] = {
    {"kary-ntree:k=2,n=3", "updown", false, 0, 0, false}, /* any way up */
    {"torus:5x3", "dor", false, 0, 0, true},              /* dimension order: the destination says it all */
    {"torus:4x3", "dor", false, 0, 0, false},             /* half-way round either way */
    {"torus:4x3", "dor:halfway=parity", false, 0, 0, true},
    {"torus:5x5", "dor:dateline=on", false, 0, 0, true}, /* also on which side of the dateline it lies */
    {"torus:4x4", "dor:dateline=on,halfway=parity", false, 0, 0, true},
    {"torus:5x5", "dor:bubble=on", false, RIPSTOP_BY_PORT, 0, true}, /* room for two is for those who enter a ring */
    {"kary-ntree:k=2,n=3", "uturn", false, 0, 0, true},
    {"kary-ntree:k=2,n=3", "uturn", true, RIPSTOP_BY_PORT, RIPSTOP_BY_PORT, false}, /* up or down again */
    {"kary-ntree:k=2,n=3", "reprioritise", true, RIPSTOP_BY_PORT | RIPSTOP_BY_CLASS, RIPSTOP_BY_PORT, false},
};

static void tables_hold_what_candidates_depend_on(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_error err;
    ripstop_fabric *fabric = ripstop_fabric_open(known[i].fabric, &err);
    ripstop_faults dead = {.links = 1, .link = &fabric->link_ends};
    stand s = stand_on(fabric, known[i].method, known[i].dead ? &dead : NULL);
    ripstop_tables *t = ripstop_tables_open(s.plan, 1000000, NULL, &err);
    ripstop_text on = {0};
    ripstop_tables_by_print(&on, t->by);
    if (t->by != known[i].by) fail_msg("%s depends on %s", known[i].method, on.length ? on.data : "nothing");
    assert_int_equal(t->ports_by, known[i].ports_by);
    for (unsigned bit = 1; bit <= RIPSTOP_BY_CLASS; bit <<= 1)
      if (t->by & bit) assert_true(is_needed(t, bit));
    assert_int_equal(check_ports(t), known[i].plain);
    ripstop_text_free(&on);
    ripstop_tables_free(t);
    stand_close(&s);
    ripstop_fabric_free(fabric);
  }
}

static void what_has_no_tables_says_why(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, "immunet", NULL, &err);
  assert_null(ripstop_tables_open(plan, 1000, &answer, &err));
  assert_int_equal(answer, RIPSTOP_ERROR);
  assert_non_null(strstr(err.text, "its tables have not been made"));
  assert_int_equal(ripstop_plan_tables(plan, &err), RIPSTOP_APPLIES);
  assert_null(ripstop_tables_open(plan, 100, &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  assert_non_null(strstr(err.text, "its tables have more than 100 entries"));
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void memory_that_runs_out_is_an_error(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:3x3", &err);
  stand s = stand_on(fabric, "minimal-adaptive", NULL);
  long long before = scarce_live;
  bool failed = true;
  for (long long at = 1; failed; at++) {
    ripstop_answer answer;
    scarce_refuse(at);
    ripstop_tables *t = ripstop_tables_open(s.plan, 1000000, &answer, &err);
    scarce_refuse(0);
    failed = !t;
    assert_int_equal(answer, failed ? RIPSTOP_ERROR : RIPSTOP_APPLIES);
    if (failed) assert_non_null(strstr(err.text, "out of memory"));
    assert_true(!failed || at < 10000);
    ripstop_tables_free(t);
    assert_int_equal(scarce_live, before);
  }
  stand_close(&s);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_deliver_as_plans_do),
      cmocka_unit_test(tables_hold_what_candidates_depend_on),
      cmocka_unit_test(what_has_no_tables_says_why),
      cmocka_unit_test(memory_that_runs_out_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
