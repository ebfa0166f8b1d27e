/* test_safe_greedy.c - a safe set is at least as large as the one that a plain greedy search finds: each cable once,
 * the least loaded first, with shortest paths spread from scratch for the rest. Here all of it is done by slow means,
 * for random trees of three levels, whole and damaged. */
#include "check.h"

#include <string.h>

#include "base/local.h"
#include "opened.h"
#include "ripstop/kit/safe_set.h"
#include "ripstop/plugin/faults.h"
#include "tables/transient.h"

enum { TRIALS = 480, SWITCHES = 128 };

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_table_verdict before;
  const ripstop_capacity *capacity;
  ripstop_safe_set set;
} bench;

static ripstop_fabric *open_tree(ripstop_stream *stream) {
  RIPSTOP_LOCAL_TEXT(spec);
  const uint32_t m1 = 1 + ripstop_stream_below(stream, 4), m2 = 2 + ripstop_stream_below(stream, 2),
                 m3 = 2 + ripstop_stream_below(stream, 3), w2 = 1 + ripstop_stream_below(stream, 4),
                 w3 = 1 + ripstop_stream_below(stream, 3);
  ripstop_text_add(&spec, "xgft:m=%u.%u.%u,w=1.%u.%u", m1, m2, m3, w2, w3);
  return open_fabric(spec.data);
}

static void break_some(ripstop_view *view, ripstop_stream *stream) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t i = ripstop_stream_below(stream, 5); i > 0; i--)
    ripstop_view_set_link(view, f->link_ends + ripstop_stream_below(stream, f->links - f->link_ends), false);
  for (uint32_t i = ripstop_stream_below(stream, f->link_ends / 2 + 1); i > 0; i--)
    ripstop_view_set_link(view, ripstop_stream_below(stream, f->link_ends), false);
  if (ripstop_stream_below(stream, 3) == 0)
    ripstop_view_set_rate(view, f->link_ends + ripstop_stream_below(stream, f->links - f->link_ends), 500);
}

static bench open_bench(uint32_t trial) {
  ripstop_error err = {0};
  ripstop_stream stream = ripstop_stream_open(13, RIPSTOP_RANDOM_TEST, trial);
  bench b = {.arena = ripstop_arena_new(), .fabric = open_tree(&stream)};
  assert_true(ripstop_fabric_switches(b.fabric) <= SWITCHES);
  b.view = ripstop_view_new(b.fabric, NULL);
  if (trial % 2) break_some(b.view, &stream);
  b.tables = ripstop_forwarding_shortest(b.view, &err);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err);
  const ripstop_safe_question q = {.view = b.view,
                                   .tables = b.tables,
                                   .before = &b.before,
                                   .capacity = b.capacity,
                                   .assumed = trial % 3 > 0,
                                   .from_scratch = true};
  if (ripstop_judge_safe_set(b.arena, &q, &b.set, &err)) fail_msg("%s", err.text);
  return b;
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* ------------------------------------------------------------------ shortest paths, slowly */

typedef struct spread {
  const bench *bench;
  const ripstop_view *left;
  ripstop_forwarding *tables;  /* the entries that are chosen */
  uint64_t *load;              /* [ports] */
  uint32_t *turn;              /* [ports] */
  uint32_t distance[SWITCHES]; /* to the present leaf */
  uint64_t flow[SWITCHES];
  uint32_t hosts[SWITCHES];
} spread;

static uint32_t beyond(const ripstop_view *v, uint32_t port) {
  const ripstop_fabric *f = v->fabric;
  return v->port_up[port] && f->port_node[f->peer[port]] >= f->ends ? f->port_node[f->peer[port]] - f->ends
                                                                    : RIPSTOP_NONE;
}

static void relax(spread *s, uint32_t leaf) {
  const ripstop_fabric *f = s->left->fabric;
  bool changed = true;
  for (uint32_t i = 0; i < SWITCHES; i++) s->distance[i] = i == leaf ? 0 : SWITCHES;
  while (changed) {
    changed = false;
    for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++) {
      const uint32_t from = f->port_node[port] - f->ends, to = beyond(s->left, port);
      if (to == RIPSTOP_NONE || s->distance[to] + 1 >= s->distance[from]) continue;
      s->distance[from] = s->distance[to] + 1;
      changed = true;
    }
  }
}

/* The port that a switch takes: the least loaded for its rate, then the one with the fewest addresses, then the first.
 */
static uint32_t choose(const spread *s, uint32_t from) {
  const ripstop_fabric *f = s->left->fabric;
  uint32_t best = RIPSTOP_NONE;
  double least = 0;
  for (uint32_t port = f->port_base[f->ends + from]; port < f->port_base[f->ends + from + 1]; port++) {
    const uint32_t to = beyond(s->left, port);
    if (to == RIPSTOP_NONE || s->distance[to] + 1 != s->distance[from]) continue;
    const double use = ripstop_capacity_use(s->bench->capacity, port, s->load[port] + s->flow[from]);
    if (best == RIPSTOP_NONE || use < least || (use == least && s->turn[port] < s->turn[best]))
      best = port, least = use;
  }
  return best;
}

static void add_host(spread *s, uint32_t leaf, uint32_t end) {
  const ripstop_fabric *f = s->left->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  relax(s, leaf);
  for (uint32_t i = 0; i < switches; i++) s->flow[i] = s->hosts[i];
  for (uint32_t at = SWITCHES; --at > 0;)
    for (uint32_t i = 0; i < switches; i++) {
      if (s->distance[i] != at) continue;
      const uint32_t port = choose(s, i);
      ripstop_forwarding_set(s->tables, end, f->ends + i, (uint16_t)(port - f->port_base[f->ends + i]));
      s->load[port] += s->flow[i];
      s->turn[port]++;
      s->flow[beyond(s->left, port)] += s->flow[i];
    }
}

/* The live host of a switch that has so many before it; RIPSTOP_NONE: it has fewer. */
static uint32_t host_of(const ripstop_view *v, uint32_t s, uint32_t before) {
  const ripstop_fabric *f = v->fabric;
  for (uint32_t end = 0; end < f->ends; end++)
    if (v->port_up[f->port_base[end]] && ripstop_end_switch(f, end) == f->ends + s && before-- == 0) return end;
  return RIPSTOP_NONE;
}

/* True if all loads are within the limits: the first host of each leaf, then the second of each, and so on. Fills in
 * the tables. */
static bool fits(const bench *b, const ripstop_view *left, ripstop_forwarding *tables) {
  const ripstop_fabric *f = b->fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  spread s = {.bench = b, .left = left, .tables = tables, .load = RIPSTOP_ARRAY(scratch, f->ports, uint64_t)};
  s.turn = RIPSTOP_ARRAY(scratch, f->ports, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++)
    if (left->port_up[f->port_base[end]]) s.hosts[ripstop_end_switch(f, end) - f->ends]++;
  bool more = true;
  for (uint32_t k = 0; more; k++) {
    more = false;
    for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++)
      if (s.hosts[i] > k) add_host(&s, i, host_of(left, i, k)), more = true;
  }
  for (uint32_t port = 0; port < f->ports; port++)
    if (s.load[port] > b->set.limit[port]) return false;
  return true;
}

/* ------------------------------------------------------------------ the greedy search, slowly */

static bool keeps_capacity(const bench *b, const ripstop_view *left) {
  const ripstop_fabric *f = b->fabric;
  const ripstop_capacity *c = b->capacity;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint64_t *have = RIPSTOP_ARRAY(scratch, c->parts, uint64_t);
  bool keeps = true;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t part[3];
    unsigned count = ripstop_capacity_left(c, ripstop_link_node(f, link, 0), ripstop_link_node(f, link, 1), part);
    while (count-- > 0 && left->port_up[f->link_port[2 * (size_t)link]]) have[part[count]] += c->rate[link];
  }
  for (uint32_t i = 0; i < c->parts; i++) keeps &= have[i] >= c->part[i].floor;
  return keeps;
}

static uint64_t load_of(const bench *b, uint32_t link) {
  const uint32_t *port = &b->fabric->link_port[2 * (size_t)link];
  return b->before.load[port[0]] + b->before.load[port[1]];
}

/* The next cable by load, then by number, behind one; RIPSTOP_NONE: there is none. */
static uint32_t next_cable(const bench *b, uint32_t last) {
  const ripstop_fabric *f = b->fabric;
  uint32_t best = RIPSTOP_NONE;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    if (!b->view->port_up[f->link_port[2 * (size_t)link]]) continue;
    const uint64_t load = load_of(b, link);
    const bool behind = last == RIPSTOP_NONE || load > load_of(b, last) || (load == load_of(b, last) && link > last);
    if (behind && (best == RIPSTOP_NONE || load < load_of(b, best))) best = link;
  }
  return best;
}

/* True if tables can replace the given ones under traffic. */
static bool are_writable(const bench *b, const ripstop_forwarding *tables) {
  ripstop_update update;
  transient_judge_data(b->view, b->tables, tables, &update);
  ripstop_forwarding_free(update.between);
  return b->before.credit_loop || update.steps != RIPSTOP_NONE;
}

/* The cables of the plain greedy search, as many as leave tables that can be written. */
static uint32_t count_greedy(const bench *b) {
  RIPSTOP_LOCAL_ARENA(scratch);
  ripstop_view *left = ripstop_view_copy(b->view);
  ripstop_forwarding *tables = ripstop_forwarding_copy(scratch, b->tables);
  const uint64_t pairs = ripstop_view_disconnected_pairs(left);
  uint32_t *taken = RIPSTOP_ARRAY(scratch, b->fabric->links, uint32_t), count = 0;
  for (uint32_t link = next_cable(b, RIPSTOP_NONE); link != RIPSTOP_NONE; link = next_cable(b, link)) {
    ripstop_view_set_link(left, link, false);
    const bool safe =
        ripstop_view_disconnected_pairs(left) == pairs && keeps_capacity(b, left) && fits(b, left, tables);
    if (!safe) ripstop_view_set_link(left, link, true);
    if (safe) taken[count++] = link;
  }
  for (; count > 0; ripstop_view_set_link(left, taken[--count], true)) {
    (void)fits(b, left, tables);
    if (are_writable(b, tables)) break;
  }
  ripstop_view_free(left);
  return count;
}

/* The set's own proof, judged again. */
static void check_proof(const bench *b) {
  ripstop_table_verdict v;
  ripstop_view *left = ripstop_view_copy(b->view);
  ripstop_view_set_faults(left, &(ripstop_faults){.links = b->set.links, .link = b->set.link}, false);
  assert_int_equal(ripstop_judge(b->arena, left, b->set.proved, NULL, &v, NULL), 0);
  assert_int_equal(v.unreached, v.disconnected);
  assert_int_equal(ripstop_view_disconnected_pairs(left), ripstop_view_disconnected_pairs(b->view));
  assert_true(keeps_capacity(b, left));
  for (uint32_t port = 0; port < b->fabric->ports; port++) assert_true(v.load[port] <= b->set.limit[port]);
  assert_true(b->before.credit_loop || b->set.steps <= 2);
  for (uint32_t i = 0; i < b->set.links; i++)
    assert_int_equal(b->set.why_not_beside[b->set.link[i]], RIPSTOP_HARM_NONE);
  ripstop_view_free(left);
}

static void no_set_is_smaller_than_a_greedy_one(void **state) {
  (void)state;
  uint32_t taken = 0, scratch = 0, fewer = 0;
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial);
    const uint32_t greedy = count_greedy(&b);
    check_proof(&b);
    if (b.set.links < greedy) fail_msg("trial %u: %u cables, greedily %u", trial, b.set.links, greedy);
    assert_true(b.set.links <= b.set.at_most);
    if (b.set.from_scratch) assert_int_equal(b.set.links, greedy);
    taken += b.set.links;
    scratch += b.set.from_scratch;
    fewer += greedy < b.set.links;
    close_bench(&b);
  }
  if (taken < 1000 || !scratch || !fewer)
    fail_msg("%u cables, %u sets from scratch, %u larger than greedy ones", taken, scratch, fewer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_set_is_smaller_than_a_greedy_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
