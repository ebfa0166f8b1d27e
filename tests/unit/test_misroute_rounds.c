/* test_misroute_rounds.c - the rule for repairs that misroute and uturn add to their papers: with `rounds` = c + 1 no
 * packet is discarded, whatever it chooses and whenever up to c links fail or come back while it is in transit, as long
 * as fewer than half a switch's ports are down at any time. Exhaustive on small trees: a state is a packet's head, the
 * present fault set and the number of changes so far. The papers' own rule (rounds = 1) is shown to lose packets after
 * one repair. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "ripstop/plugin/method.h"

enum { SETS_MAX = 64, LINKS_MAX = 16 };

typedef struct world {
  ripstop_fabric *fabric;
  uint32_t half, sets, links;
  uint32_t mask[SETS_MAX]; /* failed links, as bits over the switch-switch links */
  ripstop_view *view[SETS_MAX];
  ripstop_plan *plan[SETS_MAX];
} world;

typedef struct moment {
  ripstop_head head;
  uint8_t set, changes;
} moment;

typedef struct search {
  const world *w;
  uint32_t most_changes;
  moment *todo;
  size_t count, room;
  uint32_t *table; /* open addressing over all moments */
  size_t size;
  uint64_t lost;
} search;

static void open_set(world *w, const char *method, uint32_t mask) {
  ripstop_error err;
  ripstop_view *view = ripstop_view_new(w->fabric, NULL);
  for (uint32_t i = 0; i < w->links; i++)
    if (mask >> i & 1) ripstop_view_set_link(view, w->fabric->link_ends + i, false);
  w->mask[w->sets] = mask;
  w->view[w->sets] = view;
  w->plan[w->sets] = ripstop_plan_compile(view, method, NULL, &err);
  assert_non_null(w->plan[w->sets]);
  w->sets++;
}

/* All fault sets of fewer than `half` links. */
static world open_world(const char *fabric, uint32_t half, const char *method) {
  ripstop_error err;
  world w = {.fabric = ripstop_fabric_open(fabric, &err), .half = half};
  assert_non_null(w.fabric);
  w.links = w.fabric->links - w.fabric->link_ends;
  assert_true(w.links <= LINKS_MAX);
  for (uint32_t mask = 0; mask < 1u << w.links; mask++)
    if ((uint32_t)__builtin_popcount(mask) < half) open_set(&w, method, mask);
  return w;
}

static void close_world(world *w) {
  for (uint32_t i = 0; i < w->sets; i++) {
    ripstop_plan_free(w->plan[i]);
    ripstop_view_free(w->view[i]);
  }
  ripstop_fabric_free(w->fabric);
}

static bool same(const moment *a, const moment *b) {
  return a->head.node == b->head.node && a->head.in_port == b->head.in_port && a->head.header == b->head.header &&
         a->head.destination == b->head.destination && a->set == b->set && a->changes == b->changes;
}

static void visit(search *s, moment m) {
  uint64_t x = m.head.node * UINT64_C(0x9E3779B97F4A7C15) + m.head.in_port * UINT64_C(0xD6E8FEB86659FD93) +
               m.head.header * UINT64_C(0xA24BAED4963EE407) + m.head.destination * 977u + m.set * 131u + m.changes;
  size_t at = (x ^ x >> 31) & (s->size - 1);
  for (; s->table[at]; at = (at + 1) & (s->size - 1))
    if (same(&s->todo[s->table[at] - 1], &m)) return;
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 1024;
    s->todo = ripstop_realloc(s->todo, s->room, sizeof *s->todo);
  }
  assert_true(2 * s->count < s->size);
  s->todo[s->count++] = m;
  s->table[at] = (uint32_t)s->count;
}

static void hop(search *s, const moment *m) {
  const ripstop_fabric *f = s->w->fabric;
  const ripstop_plan *plan = s->w->plan[m->set];
  ripstop_candidate candidate[64];
  int candidates = ripstop_route(plan, &m->head, candidate);
  s->lost += candidates < 0;
  for (int i = 0; i < candidates; i++) {
    uint32_t peer = f->peer[f->port_base[m->head.node] + candidate[i].port], node = f->port_node[peer];
    if (ripstop_is_end(f, node)) continue;
    moment next = *m;
    next.head.node = node;
    next.head.in_port = peer - f->port_base[node];
    next.head.header = candidate[i].header;
    visit(s, next);
  }
}

static void change(search *s, const moment *m) {
  const world *w = s->w;
  for (uint32_t i = 0; i < w->sets; i++)
    if (__builtin_popcount(w->mask[i] ^ w->mask[m->set]) == 1) {
      moment next = *m;
      next.set = (uint8_t)i;
      next.changes++;
      visit(s, next);
    }
}

/* Moments in which a packet is discarded, among all that up to `changes` changes can bring about. */
static uint64_t count_losses(const char *fabric, uint32_t half, const char *method, uint32_t changes) {
  world w = open_world(fabric, half, method);
  search s = {.w = &w, .most_changes = changes, .size = (size_t)1 << 23};
  s.table = calloc(s.size, sizeof *s.table);
  assert_non_null(s.table);
  for (uint32_t from = 0; from < w.fabric->ends; from++)
    for (uint32_t to = 0; to < w.fabric->ends; to++)
      for (uint32_t set = 0; set < w.sets && from != to; set++) {
        ripstop_head head = {.node = from, .in_port = RIPSTOP_NONE, .source = from, .destination = to};
        visit(&s, (moment){.head = head, .set = (uint8_t)set});
      }
  for (size_t i = 0; i < s.count; i++) {
    moment m = s.todo[i];
    hop(&s, &m);
    if (m.changes < changes) change(&s, &m);
  }
  free(s.table);
  ripstop_free(s.todo);
  close_world(&w);
  return s.lost;
}

static void rounds_outlast_changes(void **state) {
  (void)state;
  assert_int_equal(count_losses("kary-ntree:k=2,n=2", 2, "misroute:rounds=2", 1), 0);
  assert_int_equal(count_losses("kary-ntree:k=2,n=2", 2, "misroute:rounds=4", 3), 0);
  assert_int_equal(count_losses("kary-ntree:k=2,n=3", 2, "misroute:rounds=2", 1), 0);
  assert_int_equal(count_losses("kary-ntree:k=2,n=3", 2, "misroute:rounds=3", 2), 0);
  assert_int_equal(count_losses("kary-ntree:k=3,n=2", 3, "misroute:rounds=2", 1), 0);
  assert_int_equal(count_losses("kary-ntree:k=3,n=2", 3, "misroute:rounds=3", 2), 0);
}

/* Also with a channel and an order of its own for each try. */
static void rounds_of_uturn(void **state) {
  (void)state;
  static const char *const orders[] = {"cyclic", "lowest", "digit", "any"};
  for (size_t i = 0; i < 4; i++) {
    char one[64], two[96], three[96];
    snprintf(one, sizeof one, "uturn:uturn_order=%s", orders[i]);
    snprintf(two, sizeof two, "%s,rounds=2", one);
    snprintf(three, sizeof three, "%s,rounds=3", one);
    assert_int_equal(count_losses("kary-ntree:k=2,n=3", 2, two, 1), 0);
    assert_int_equal(count_losses("kary-ntree:k=2,n=3", 2, three, 2), 0);
    assert_int_equal(count_losses("kary-ntree:k=3,n=2", 3, two, 1), 0);
    assert_int_equal(count_losses("kary-ntree:k=3,n=2", 3, three, 2), 0);
    assert_true(count_losses("kary-ntree:k=2,n=3", 2, one, 2) > 0);
    assert_true(count_losses("kary-ntree:k=3,n=2", 3, one, 2) > 0);
  }
}

static void one_round_does_not(void **state) {
  (void)state;
  assert_int_equal(count_losses("kary-ntree:k=3,n=2", 3, "misroute", 0), 0);
  assert_true(count_losses("kary-ntree:k=2,n=3", 2, "misroute", 2) > 0);
  assert_true(count_losses("kary-ntree:k=3,n=2", 3, "misroute", 2) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_outlast_changes), cmocka_unit_test(one_round_does_not),
                                     cmocka_unit_test(rounds_of_uturn)};
  return cmocka_run_group_tests_name("rounds of misroute", tests, NULL, NULL);
}
