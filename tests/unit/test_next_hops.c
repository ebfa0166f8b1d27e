/* test_next_hops.c - tables whose entries have several next hops, and packets that change their service levels or are
 * dropped: a leaf-spine of four leaves and two spines under shortest paths (ECMP), whose credit loops under two failed
 * cables are counted by a formula. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/judge.h"

enum { LEAVES = 4, SPINES = 2, CABLES = LEAVES * SPINES, HOSTS = 8 };

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_arena *arena;
} bench;

static bench open_bench(void) {
  ripstop_error err = {0};
  bench b = {.fabric = ripstop_fabric_open("mport-ntree:m=4,n=2", &err), .arena = ripstop_arena_new()};
  assert_non_null(b.fabric);
  assert_int_equal(b.fabric->ends, HOSTS);
  assert_int_equal(ripstop_fabric_switches(b.fabric), LEAVES + SPINES);
  assert_int_equal(b.fabric->links - b.fabric->link_ends, CABLES);
  b.view = ripstop_view_new(b.fabric, NULL);
  return b;
}

static void close_bench(bench *b) {
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* Hops from each node to a switch over live cables between switches. */
static void search(const ripstop_view *v, uint32_t to, uint32_t *hops) {
  const ripstop_fabric *f = v->fabric;
  for (uint32_t n = 0; n < f->nodes; n++) hops[n] = n == to ? 0 : 99;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t link = f->link_ends; link < f->links; link++)
      for (unsigned side = 0; side < 2 && v->link_up[link]; side++) {
        uint32_t a = ripstop_link_node(f, link, side), b = ripstop_link_node(f, link, 1 - side);
        if (hops[a] + 1 >= hops[b]) continue;
        hops[b] = hops[a] + 1;
        more = true;
      }
  }
}

/* Every neighbour that is one hop nearer, as BGP's tables have it where every switch is its own AS; the last port first
 * if `backwards` is set. */
static ripstop_forwarding *shortest(bench *b, bool backwards) {
  const ripstop_fabric *f = b->fabric;
  uint32_t node[HOSTS], hops[64];
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *t = ripstop_forwarding_in(b->arena, f, node, f->ends);
  for (uint32_t end = 0; end < f->ends; end++) {
    search(b->view, ripstop_end_switch(f, end), hops);
    for (uint32_t s = f->ends; s < f->nodes; s++) {
      ripstop_next_hop hop[64];
      uint32_t count = 0, ports = ripstop_node_ports(f, s);
      for (uint32_t i = 0; i < ports; i++) {
        uint32_t local = backwards ? ports - 1 - i : i, port = f->port_base[s] + local;
        uint32_t other = b->view->port_up[port] ? f->port_node[f->peer[port]] : s;
        if (other == end || (hops[s] > 0 && other >= f->ends && hops[other] + 1 == hops[s]))
          hop[count++] = (ripstop_next_hop){(uint16_t)local, 1};
      }
      assert_int_equal(ripstop_forwarding_set_hops(t, end, s, hop, count, NULL), 0);
    }
  }
  return t;
}

static ripstop_table_verdict judge(bench *b, const ripstop_forwarding *t) {
  ripstop_table_verdict v;
  assert_int_equal(ripstop_judge(b->arena, b->view, t, NULL, &v, NULL), 0);
  return v;
}

static void paths_are_shared(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *t = shortest(&b, false);
  ripstop_table_verdict v = judge(&b, t);
  assert_int_equal(v.pairs, HOSTS * (HOSTS - 1));
  assert_int_equal(v.reached, v.paths);
  assert_int_equal(v.unreached, 0);
  assert_int_equal(v.max_hops, 2);
  assert_int_equal(v.worst, 6 * (uint64_t)v.unit); /* two hosts, six others, two spines */
  for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++)
    for (unsigned side = 0; side < 2; side++)
      assert_int_equal(v.load[b.fabric->link_port[2 * link + side]], 6 * (uint64_t)v.unit);
  assert_false(v.credit_loop);
  /* Two thirds of what a leaf's two hosts send to another host go over one spine. */
  uint32_t leaf = ripstop_end_switch(b.fabric, 0), far = HOSTS - 1;
  ripstop_next_hop hops[] = {ripstop_forwarding_hop(t, far, leaf, 0), ripstop_forwarding_hop(t, far, leaf, 1)};
  assert_int_equal(ripstop_forwarding_hop(t, far, leaf, 2).port, RIPSTOP_NO_PORT);
  hops[0].weight = 2;
  assert_int_equal(ripstop_forwarding_set_hops(t, far, leaf, hops, 2, NULL), 0);
  v = judge(&b, t);
  uint32_t base = b.fabric->port_base[leaf];
  assert_int_equal(v.load[base + hops[0].port], 5 * (uint64_t)v.unit + 4 * (uint64_t)v.unit / 3);
  assert_int_equal(v.load[base + hops[1].port], 5 * (uint64_t)v.unit + 2 * (uint64_t)v.unit / 3);
  close_bench(&b);
}

static void a_pair_arrives_by_every_next_hop_or_not(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *t = shortest(&b, false);
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  ripstop_table_verdict v = judge(&b, t);
  /* Both hosts of the cable's leaf, and both directions: six others each. */
  assert_int_equal(v.unreached, 2 * 2 * 6);
  assert_int_equal(v.disconnected, 0);
  assert_int_equal(v.dead_ends, 2 * 2 * 6);
  v = judge(&b, shortest(&b, false));
  assert_int_equal(v.unreached, 0);
  close_bench(&b);
}

/* SL and VL grow by one where a packet comes from a spine and goes to a spine again. */
static void add_bounce_levels(bench *b, ripstop_forwarding *t) {
  const ripstop_fabric *f = b->fabric;
  size_t cells = 0;
  t->lanes = 2;
  t->lane_first = RIPSTOP_ARRAY(b->arena, LEAVES + SPINES, size_t);
  for (uint32_t s = f->ends; s < f->nodes; s++) {
    t->lane_first[s - f->ends] = cells;
    cells += (size_t)ripstop_node_ports(f, s) * ripstop_node_ports(f, s) * RIPSTOP_LEVELS;
  }
  t->lane = RIPSTOP_ARRAY(b->arena, cells, uint8_t);
  t->next_level = RIPSTOP_ARRAY(b->arena, cells, uint8_t);
  for (uint32_t s = f->ends; s < f->nodes; s++) {
    uint32_t ports = ripstop_node_ports(f, s), base = f->port_base[s];
    bool leaf = false;
    for (uint32_t p = base; p < base + ports; p++)
      leaf |= f->peer[p] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[p]]);
    for (uint32_t i = 0; i < ports * ports * RIPSTOP_LEVELS; i++) {
      uint32_t level = i % RIPSTOP_LEVELS, out = i / RIPSTOP_LEVELS % ports, in = i / RIPSTOP_LEVELS / ports;
      bool up = f->peer[base + in] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[base + in]]) &&
                f->peer[base + out] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[base + out]]);
      size_t at = t->lane_first[s - f->ends] + i;
      t->next_level[at] = (uint8_t)(level + (leaf && up ? 1 : 0));
      t->lane[at] = t->next_level[at] > 1 ? 1 : t->next_level[at];
    }
  }
}

/* C(4,2) (2^2 - 2) = 12 of the 28 pairs of cables have a credit loop, and none does with a level for each bounce, or
 * where packets are dropped instead. */
static void bounces_close_loops(void **state) {
  (void)state;
  bench b = open_bench();
  uint32_t loops = 0, first = b.fabric->link_ends;
  for (uint32_t one = first; one < first + CABLES; one++)
    for (uint32_t other = one; other < first + CABLES; other++) {
      ripstop_view_set_link(b.view, one, false);
      if (other != one) ripstop_view_set_link(b.view, other, false);
      ripstop_forwarding *t = shortest(&b, false);
      ripstop_table_verdict v = judge(&b, t);
      assert_int_equal(v.unreached, v.disconnected);
      if (v.credit_loop) assert_int_not_equal(other, one);
      loops += v.credit_loop;
      t->drops = 1;
      assert_false(judge(&b, t).credit_loop);
      t->drops = 0;
      add_bounce_levels(&b, t);
      ripstop_table_verdict levels = judge(&b, t);
      assert_false(levels.credit_loop);
      assert_int_equal(levels.lanes_used, v.credit_loop ? 2 : levels.lanes_used);
      ripstop_view_set_link(b.view, one, true);
      if (other != one) ripstop_view_set_link(b.view, other, true);
    }
  assert_int_equal(loops, 12);
  close_bench(&b);
}

static void sets_are_compared_by_what_they_hold(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *before = shortest(&b, false), *same = shortest(&b, true);
  ripstop_forwarding *copy = ripstop_forwarding_copy(b.arena, same);
  ripstop_update u;
  ripstop_transient m;
  assert_int_equal(ripstop_judge_update(b.view, before, same, &u, NULL), 0);
  assert_int_equal(u.changed, 0);
  assert_int_equal(u.steps, 0);
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, before, copy, &m, NULL), 0);
  assert_int_equal(m.changed, 0);
  assert_int_equal(m.looping, 0);
  /* A leaf that lost a cable: its spine sends down over the other leaves, and up again while these have old entries. */
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  ripstop_forwarding *after = shortest(&b, false);
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, before, after, &m, NULL), 0);
  assert_true(m.changed > 0);
  assert_true(m.looping > 0);
  assert_int_equal(ripstop_judge_update(b.view, before, after, &u, NULL), 0);
  assert_int_equal(u.changed, m.changed);
  if (u.between) assert_non_null(u.between->sets);
  ripstop_forwarding_free(u.between);
  close_bench(&b);
}

static void others_refuse_sets(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_error err = {0};
  ripstop_what_if out;
  ripstop_answer answer;
  ripstop_forwarding *t = shortest(&b, false);
  uint32_t link = b.fabric->link_ends;
  const ripstop_faults parts = {.links = 1, .link = &link};
  assert_int_equal(ripstop_judge_what_if(b.view, t, &parts, 1, 1, NULL, NULL, &out, &err), -1);
  assert_non_null(strstr(err.text, "several next hops"));
  assert_null(ripstop_repairer_open(b.view, "mend", t, &answer, &err));
  assert_non_null(strstr(err.text, "several next hops"));
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_int_equal(ripstop_forwarding_print(t, file, &err), -1);
  assert_non_null(strstr(err.text, "InfiniBand's tables"));
  fclose(file);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_are_shared), cmocka_unit_test(a_pair_arrives_by_every_next_hop_or_not),
      cmocka_unit_test(bounces_close_loops), cmocka_unit_test(sets_are_compared_by_what_they_hold),
      cmocka_unit_test(others_refuse_sets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
