/* test_safe_set.c - levels, parts and capacities held against a slow computation by sets of switches; every proposed
 * safe set held against a checker that walks each pair by itself; on small trees, all sets of cables. Fabrics are
 * random: with failed and slow cables, and leaves of which some hosts are down. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/forest.h"
#include "fabric/graph.h"
#include "opened.h"
#include "ripstop/kit/safe_set.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/method.h"

enum { TRIALS = 48, SWITCHES = 64, ENTRIES = 1000000 };
static const char *const fabrics[] = {"kary-ntree:k=3,n=2", "xgft:m=4.3,w=1.4",    "kary-ntree:k=2,n=3",
                                      "torus:3x3,p=2",      "xgft:m=3.4,w=1.3",    "xgft:m=2.3.2,w=1.2.2",
                                      "torus:4x4",          "xgft:m=3.2.3,w=1.3.2"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_table_verdict before;
  const ripstop_capacity *capacity;
  ripstop_safe_set set;
} bench;

static void break_some(ripstop_view *view, ripstop_stream *stream) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t i = ripstop_stream_below(stream, 4); i > 0; i--)
    ripstop_view_set_link(view, ripstop_stream_below(stream, f->links), false);
  for (uint32_t i = ripstop_stream_below(stream, f->link_ends); i > 0; i--)
    ripstop_view_set_link(view, ripstop_stream_below(stream, f->link_ends), false);
  for (uint32_t i = ripstop_stream_below(stream, 3); i > 0; i--)
    ripstop_view_set_rate(view, ripstop_stream_below(stream, f->links),
                          (uint16_t)(250 * (1 + ripstop_stream_below(stream, 3))));
}

static bench open_bench(uint32_t trial, bool shortest) {
  ripstop_error err = {0};
  ripstop_stream stream = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, trial);
  bench b = {.arena = ripstop_arena_new(), .fabric = open_fabric(fabrics[trial % FABRICS])};
  b.view = ripstop_view_new(b.fabric, NULL);
  ripstop_view *whole = ripstop_view_copy(b.view);
  break_some(b.view, &stream);
  /* Tables from before the faults lose pairs, and their entries are repaired. */
  b.tables = ripstop_forwarding_shortest(shortest ? b.view : whole, &err);
  ripstop_view_free(whole);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err);
  assert_non_null(b.capacity);
  return b;
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* ------------------------------------------------------------------ levels and parts, slowly */

static bool is_up(const ripstop_view *v, uint32_t link) { return v->port_up[v->fabric->link_port[2 * (size_t)link]]; }
static uint32_t switch_at(const ripstop_fabric *f, uint32_t link, unsigned side) {
  return ripstop_link_node(f, link, side) - f->ends;
}

static uint64_t hosts_rate(const ripstop_view *v, uint32_t s) {
  uint64_t rate = 0;
  for (uint32_t end = 0; end < v->fabric->ends; end++) {
    const uint32_t link = v->fabric->port_link[v->fabric->port_base[end]];
    if (ripstop_end_switch(v->fabric, end) == v->fabric->ends + s && is_up(v, link)) rate += ripstop_view_rate(v, link);
  }
  return rate;
}

/* Lowers levels until none can be lowered. */
static void relax_levels(const ripstop_view *v, uint32_t *level) {
  const ripstop_fabric *f = v->fabric;
  bool changed = true;
  for (uint32_t s = 0; s < ripstop_fabric_switches(f); s++) level[s] = hosts_rate(v, s) ? 0 : RIPSTOP_NONE;
  while (changed) {
    changed = false;
    for (uint32_t i = 2 * f->link_ends; i < 2 * f->links; i++) {
      const uint32_t a = switch_at(f, i / 2, i % 2), b = switch_at(f, i / 2, !(i % 2));
      if (!is_up(v, i / 2) || level[a] == RIPSTOP_NONE || level[b] <= level[a] + 1) continue;
      level[b] = level[a] + 1;
      changed = true;
    }
  }
}

/* Grows a set of switches over cables between switches up to a level. */
static void grow(const ripstop_view *v, const uint32_t *level, uint32_t most, bool *in) {
  const ripstop_fabric *f = v->fabric;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 2 * f->link_ends; i < 2 * f->links; i++) {
      const uint32_t a = switch_at(f, i / 2, i % 2), b = switch_at(f, i / 2, !(i % 2));
      if (!is_up(v, i / 2) || !in[a] || in[b] || level[b] > most) continue;
      in[b] = changed = true;
    }
  }
}

typedef struct slow_part {
  bool in[SWITCHES];
  uint64_t capacity, need;
} slow_part;

static uint64_t leaving(const ripstop_view *v, const bool *in) {
  uint64_t rate = 0;
  for (uint32_t link = v->fabric->link_ends; link < v->fabric->links; link++)
    if (is_up(v, link) && in[switch_at(v->fabric, link, 0)] != in[switch_at(v->fabric, link, 1)])
      rate += ripstop_view_rate(v, link);
  return rate;
}

static uint64_t needed(const ripstop_view *v, const bool *in) {
  uint64_t rate[2] = {0};
  for (uint32_t s = 0; s < ripstop_fabric_switches(v->fabric); s++) rate[in[s]] += hosts_rate(v, s);
  return rate[0] < rate[1] ? rate[0] : rate[1];
}

/* The switches of a part, by its leaf or, of a pod, by growing from its leaf. */
static slow_part slow_part_of(const bench *b, const ripstop_capacity_part *p, const uint32_t *level) {
  slow_part out = {0};
  out.in[p->node - b->fabric->ends] = true;
  if (p->level > 0) grow(b->view, level, p->level, out.in);
  out.capacity = leaving(b->view, out.in);
  out.need = needed(b->view, out.in);
  return out;
}

/* Pods that a slow search finds at all levels. */
static uint32_t count_pods(const bench *b, const uint32_t *level, uint32_t top) {
  uint32_t pods = 0;
  for (uint32_t at = 1; at < top; at++) {
    bool seen[SWITCHES] = {0};
    for (uint32_t s = 0; s < ripstop_fabric_switches(b->fabric); s++) {
      bool in[SWITCHES] = {0};
      if (level[s] != at || seen[s]) continue;
      in[s] = true;
      grow(b->view, level, at, in);
      for (uint32_t k = 0; k < SWITCHES; k++) seen[k] |= in[k];
      pods++;
    }
  }
  return pods;
}

static void parts_are_those_of_a_slow_search(void **state) {
  (void)state;
  uint32_t pods = 0;
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial, true);
    uint32_t level[SWITCHES], top = 0, found = 0, leaves = 0;
    relax_levels(b.view, level);
    for (uint32_t s = 0; s < ripstop_fabric_switches(b.fabric); s++) {
      assert_int_equal(b.capacity->level[s], level[s]);
      if (level[s] != RIPSTOP_NONE && level[s] > top) top = level[s];
      leaves += hosts_rate(b.view, s) > 0;
    }
    assert_int_equal(b.capacity->top, top);
    for (uint32_t i = 0; i < b.capacity->parts; i++) {
      const ripstop_capacity_part *p = &b.capacity->part[i];
      const slow_part slow = slow_part_of(&b, p, level);
      assert_int_equal(p->capacity, slow.capacity);
      assert_int_equal(p->need, slow.need);
      assert_int_equal(p->floor, slow.capacity < slow.need ? slow.capacity : slow.need);
      found += p->level > 0;
    }
    assert_int_equal(found, count_pods(&b, level, top));
    assert_int_equal(b.capacity->parts, leaves + found);
    pods += found;
    close_bench(&b);
  }
  assert_true(pods > 20);
}

/* Two pods of two leaves and two spines under two cores, and a switch for management on a core. */
static const char site[] = "a1 sa1\na1 sa2\na2 sa1\na2 sa2\nb1 sb1\nb1 sb2\nb2 sb1\nb2 sb2\n"
                           "sa1 core1\nsa2 core2\nsb1 core1\nsb2 core2\nmgmt core1\n"
                           "@end h1 a1\n@end h2 a1\n@end h3 a2\n@end h4 b1\n@end h5 b1\n@end h6 b2\n@end m mgmt\n";

static uint32_t named(const ripstop_fabric *f, const char *name) {
  char text[RIPSTOP_NAME_MAX];
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    ripstop_node_name(f, node, text);
    if (!strcmp(text, name)) return node;
  }
  fail_msg("no switch %s", name);
  return RIPSTOP_NONE;
}

static void small_parts_are_beside_the_levels(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = ripstop_graph_from_text("site", site, sizeof site - 1, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(f, NULL);
  ripstop_capacity_kind *kind = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(f), ripstop_capacity_kind);
  const uint32_t mgmt = named(f, "mgmt"), core = named(f, "core1"), spine = named(f, "sa1");
  /* Taken for a leaf, it pulls its core to level 1, which joins both pods. */
  const ripstop_capacity *c = ripstop_capacity_find(arena, view, kind, &err);
  assert_int_equal(c->level[core - f->ends], 1);
  kind[mgmt - f->ends] = RIPSTOP_CAPACITY_SMALL;
  c = ripstop_capacity_find(arena, view, kind, &err);
  assert_int_equal(c->top, 2);
  assert_int_equal(c->level[core - f->ends], 2);
  const ripstop_capacity_part *pod = &c->part[c->pod[spine - f->ends]];
  assert_int_equal(pod->hosts, 3);
  assert_int_equal(pod->uplinks, 2);
  assert_int_equal(pod->node, named(f, "a1"));
  uint32_t part[3];
  assert_int_equal(ripstop_capacity_owners(c, core, mgmt, part), 1);
  assert_int_equal(c->part[part[0]].node, mgmt);
  /* A leaf whose hosts are down is one still, if that is known. */
  kind[named(f, "sb1") - f->ends] = RIPSTOP_CAPACITY_LEAF;
  c = ripstop_capacity_find(arena, view, kind, &err);
  assert_int_equal(c->level[named(f, "sb1") - f->ends], 0);
  assert_int_equal(c->part[c->leaf[named(f, "sb1") - f->ends]].need, 0);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ a set, slowly */

/* Walks one pair; false: it does not arrive. Adds its path to the loads. */
static bool walk(const ripstop_view *v, const ripstop_forwarding *t, uint32_t from, uint32_t address, uint64_t *load) {
  const ripstop_fabric *f = v->fabric;
  uint32_t node = ripstop_end_switch(f, from);
  for (uint32_t hops = 0; hops <= f->nodes; hops++) {
    const uint32_t port = f->port_base[node] + ripstop_forwarding_port(t, address, node);
    if (port >= f->port_base[node + 1] || !v->port_up[port]) return false;
    node = f->port_node[f->peer[port]];
    if (ripstop_is_end(f, node)) return node == t->node[address];
    if (load) load[port]++;
  }
  return false;
}

/* The pairs that arrive, and the loads of their paths. */
static uint64_t walk_all(const ripstop_view *v, const ripstop_forwarding *t, uint64_t *load) {
  const ripstop_fabric *f = v->fabric;
  uint64_t pairs = 0;
  memset(load, 0, f->ports * sizeof *load);
  for (uint32_t from = 0; from < f->ends; from++)
    for (uint32_t a = 0; a < t->addresses && v->port_up[f->port_base[from]]; a++)
      if (t->node[a] != from && walk(v, t, from, a, NULL)) pairs += walk(v, t, from, a, load);
  return pairs;
}

/* The most that channels of the same two levels and direction carry now: all that a whole fabric's bar can be, but for
 * one bundle above an even spread. */
static double slow_bar(const bench *b, const uint64_t *load, uint32_t port) {
  const ripstop_fabric *f = b->fabric;
  const ripstop_capacity *c = b->capacity;
  double worst = 0, bundle = 0, hosts = 0;
  for (uint32_t p = 0; p < f->ports; p++)
    if (c->role[p] != RIPSTOP_NONE && c->role[p] == c->role[port])
      worst = fmax(worst, (double)load[p] * (double)c->fastest / (double)c->rate[f->port_link[p]]);
  for (uint32_t i = 0; i < c->parts; i++) {
    if (c->part[i].level > 0) continue;
    bundle = fmax(bundle, c->part[i].hosts);
    hosts += c->part[i].hosts;
  }
  for (uint32_t i = 0; i < c->parts; i++)
    worst = fmax(worst, c->part[i].hosts * (hosts - c->part[i].hosts) * (double)c->fastest /
                                fmax(1, (double)c->part[i].capacity) +
                            bundle);
  return worst;
}

static void check_capacity(const bench *b, const ripstop_view *left) {
  uint32_t level[SWITCHES];
  relax_levels(b->view, level);
  for (uint32_t i = 0; i < b->capacity->parts; i++) {
    const slow_part part = slow_part_of(b, &b->capacity->part[i], level);
    const uint64_t floor = part.capacity < part.need ? part.capacity : part.need;
    assert_true(leaving(left, part.in) >= floor);
    assert_int_equal(leaving(left, part.in), b->set.capacity_after[i]);
  }
}

/* One write of tables over others, in any order of switches. */
static void check_write(const bench *b, const ripstop_forwarding *from, const ripstop_forwarding *to) {
  ripstop_transient m;
  assert_int_equal(ripstop_judge_transient(b->arena, b->view, from, to, &m, NULL), 0);
  assert_false(m.credit_loop);
  assert_int_equal(m.looping, 0);
}

/* All writes of tables over the given ones, while all cables work. */
static void check_writes(const bench *b, uint32_t steps, const ripstop_forwarding *between,
                         const ripstop_forwarding *tables) {
  if (b->before.credit_loop) return;
  assert_true(steps <= 2);
  assert_int_equal(between != NULL, steps == 2);
  check_write(b, b->tables, between ? between : tables);
  check_write(b, between ? between : tables, tables);
}

/* Tables that begin with other ones may need two writes. */
static void check_order(const bench *b) {
  assert_true(b->before.credit_loop || b->set.fresh || b->set.steps <= 1);
  check_writes(b, b->set.steps, b->set.between, b->set.proved);
}

/* All four conditions; the tables use none of the cables. */
static void check_set(const bench *b) {
  const ripstop_fabric *f = b->fabric;
  ripstop_view *left = ripstop_view_copy(b->view);
  uint64_t *now = RIPSTOP_ARRAY(b->arena, f->ports, uint64_t), *then = RIPSTOP_ARRAY(b->arena, f->ports, uint64_t);
  ripstop_view_set_faults(left, &(ripstop_faults){.links = b->set.links, .link = b->set.link}, false);
  assert_int_equal(ripstop_view_disconnected_pairs(left), ripstop_view_disconnected_pairs(b->view));
  check_capacity(b, left);
  const uint64_t served = walk_all(b->view, b->tables, now);
  assert_true(walk_all(left, b->set.proved, then) >= served);
  for (uint32_t port = 0; port < f->ports; port++) {
    if (b->capacity->role[port] == RIPSTOP_NONE) continue;
    assert_int_equal(then[port], b->set.after.load[port]);
    assert_true(then[port] <= b->set.limit[port]);
    assert_true((double)b->set.limit[port] * (double)b->capacity->fastest <=
                slow_bar(b, now, port) * (double)b->capacity->rate[f->port_link[port]] + 1);
  }
  check_order(b);
  ripstop_view_free(left);
}

/* `method`: for its tables as well; NULL: none. */
static void find_set_for(bench *b, const char *method) {
  ripstop_error err = {0};
  ripstop_forwarding *other = method ? ripstop_judge_tables_of(b->view, method, b->tables, ENTRIES, &err)
                                     : ripstop_forwarding_shortest(b->view, &err);
  const ripstop_safe_question q = {
      .view = b->view, .tables = b->tables, .before = &b->before, .other = other, .capacity = b->capacity};
  if (ripstop_judge_safe_set(b->arena, &q, &b->set, &err)) fail_msg("%s", err.text);
  if (method && ripstop_judge_safe_reroute(b->arena, &q, method, ENTRIES, &b->set, &err)) fail_msg("%s", err.text);
  ripstop_forwarding_free(other);
}

static void find_set(bench *b) { find_set_for(b, NULL); }

/* The worst channel of a cable's roles, by one pass for all roles and by one for this cable. */
static void check_roles(const bench *b) {
  const double *worst = ripstop_capacity_worst_of_roles(b->arena, b->capacity, b->before.load);
  for (uint32_t i = 0; i < b->capacity->roles; i++) assert_true(worst[i] == b->set.role[i].before);
  for (uint32_t link = b->fabric->link_ends; link < b->fabric->links; link++) {
    const uint32_t *port = &b->fabric->link_port[2 * (size_t)link], *role = b->capacity->role;
    if (role[port[0]] == RIPSTOP_NONE) continue;
    assert_true(fmax(worst[role[port[0]]], worst[role[port[1]]]) ==
                ripstop_capacity_worst(b->capacity, b->before.load, link));
  }
}

static void every_set_keeps_the_conditions(void **state) {
  (void)state;
  uint32_t taken = 0, idle = 0;
  for (uint32_t trial = 0; trial < 2 * TRIALS; trial++) {
    bench b = open_bench(trial, trial < TRIALS);
    find_set(&b);
    check_set(&b);
    check_roles(&b);
    assert_true(b.set.links <= b.set.at_most);
    for (uint32_t i = 0; i < b.set.idle; i++)
      for (unsigned side = 0; side < 2; side++)
        assert_int_equal(b.before.load[b.fabric->link_port[2 * (size_t)b.set.idle_link[i] + side]], 0);
    taken += b.set.links;
    idle += b.set.idle;
    close_bench(&b);
  }
  assert_true(taken > 50 && idle > 0);
}

/* ------------------------------------------------------------------ for a method's tables */

static bench open_method(const char *fabric, const char *method) {
  ripstop_error err = {0};
  ripstop_answer answer;
  bench b = {.arena = ripstop_arena_new(), .fabric = open_fabric(fabric)};
  b.view = ripstop_view_new(b.fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(b.view, method, &answer, &err);
  b.tables = plan ? ripstop_forwarding_of_plan(plan, ENTRIES, &answer, &err) : NULL;
  if (!b.tables || ripstop_forwarding_add_lanes(plan, b.tables, &err) == RIPSTOP_ERROR) fail_msg("%s", err.text);
  ripstop_plan_free(plan);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err);
  return b;
}

/* The conditions that the method's tables must keep. */
static void check_method_tables(const bench *b) {
  ripstop_table_verdict v;
  ripstop_view *left = ripstop_view_copy(b->view);
  ripstop_view_set_faults(left, &(ripstop_faults){.links = b->set.links, .link = b->set.link}, false);
  assert_int_equal(ripstop_judge(b->arena, left, b->set.rerouted_tables, NULL, &v, NULL), 0);
  assert_int_equal(v.unreached, v.disconnected);
  assert_true(b->before.credit_loop || !v.credit_loop);
  for (uint32_t port = 0; port < b->fabric->ports; port++) assert_true(v.load[port] <= b->set.limit[port]);
  check_writes(b, b->set.rerouted_steps, b->set.rerouted_between, b->set.rerouted_tables);
  ripstop_view_free(left);
}

/* Some of these tables have credit loops, some need two writes, and some have service levels. */
static void methods_tables_keep_the_conditions(void **state) {
  (void)state;
  static const char *const on[] = {"torus:3x3", "torus:4x3", "xgft:m=4.3,w=1.6", "hyperx:3x3,p=1"};
  static const char *const methods[] = {"mend", "opensm-minhop", "opensm-dor"};
  enum { METHODS = sizeof methods / sizeof *methods, ALL = sizeof on / sizeof *on * METHODS * METHODS };
  uint32_t taken = 0, twice = 0, loops = 0;
  for (uint32_t i = 0; i < ALL; i++) {
    bench b = open_method(on[i / METHODS / METHODS], methods[i / METHODS % METHODS]);
    find_set_for(&b, methods[i % METHODS]);
    assert_int_equal(b.set.rerouted, b.set.rerouted_harm == RIPSTOP_HARM_NONE);
    if (b.set.rerouted) check_method_tables(&b);
    if (!b.set.rerouted) assert_int_equal(b.set.links, 0);
    taken += b.set.links;
    twice += b.set.rerouted && b.set.rerouted_steps == 2;
    loops += b.set.rerouted_harm == RIPSTOP_HARM_ORDER && b.set.rerouted_after.credit_loop;
    close_bench(&b);
  }
  if (!taken || !twice || !loops) fail_msg("%u cables, %u in two writes, %u with a loop", taken, twice, loops);
}

/* ------------------------------------------------------------------ multicast groups */

/* Gives the tables a group with all end nodes, on a tree of the first cables that join switches. */
static void add_group(bench *b) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *parent = ripstop_forest(b->arena, ripstop_fabric_switches(f));
  ripstop_group *group = RIPSTOP_NEW(b->arena, ripstop_group);
  ripstop_groups *groups = RIPSTOP_NEW(b->arena, ripstop_groups);
  *group = (ripstop_group){.mlid = 0xC000,
                           .levels = 1,
                           .mask = RIPSTOP_ARRAY(b->arena, ripstop_bits_words(f->ports), uint64_t),
                           .own = RIPSTOP_ARRAY(b->arena, ripstop_fabric_switches(f), bool)};
  for (uint32_t end = 0; end < f->ends; end++) ripstop_bit_set(group->mask, f->peer[f->port_base[end]]);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const uint32_t one = switch_at(f, link, 0), other = switch_at(f, link, 1);
    if (!is_up(b->view, link) || ripstop_root(parent, one) == ripstop_root(parent, other)) continue;
    ripstop_join(parent, one, other);
    for (unsigned side = 0; side < 2; side++) ripstop_bit_set(group->mask, f->link_port[2 * (size_t)link + side]);
  }
  *groups = (ripstop_groups){.group = group, .groups = 1};
  b->tables->groups = groups;
  assert_int_equal(ripstop_judge(b->arena, b->view, b->tables, NULL, &b->before, NULL), 0);
}

static bool is_in_tree(const bench *b, uint32_t link) {
  return ripstop_bit_test(b->tables->groups->group->mask, b->fabric->link_port[2 * (size_t)link]);
}

/* No cable of the tree is in an answer, and each has a reason. Returns how many would be idle without the tree. */
static uint32_t check_tree(const bench *b) {
  uint32_t idle = 0;
  for (uint32_t i = 0; i < b->set.links; i++) assert_false(is_in_tree(b, b->set.link[i]));
  for (uint32_t i = 0; i < b->set.idle; i++) assert_false(is_in_tree(b, b->set.idle_link[i]));
  for (uint32_t link = b->fabric->link_ends; link < b->fabric->links; link++) {
    const uint32_t *port = &b->fabric->link_port[2 * (size_t)link];
    const ripstop_harm why = b->set.why_not[link];
    if (!is_up(b->view, link)) continue;
    assert_true(why == RIPSTOP_HARM_PAIRS || why == RIPSTOP_HARM_CAPACITY ||
                (why == RIPSTOP_HARM_GROUPS) == is_in_tree(b, link));
    idle += is_in_tree(b, link) && b->before.load[port[0]] + b->before.load[port[1]] == 0;
  }
  return idle;
}

static void no_cable_of_a_group_is_safe(void **state) {
  (void)state;
  uint32_t taken = 0, refused = 0, idle = 0;
  for (uint32_t trial = 0; trial < 2 * TRIALS; trial++) {
    bench b = open_bench(trial, trial < TRIALS);
    add_group(&b);
    find_set(&b);
    check_set(&b);
    idle += check_tree(&b);
    taken += b.set.links;
    refused += b.set.unsafe[RIPSTOP_HARM_GROUPS];
    close_bench(&b);
  }
  if (!taken || !refused || !idle) fail_msg("%u cables, %u refused, %u idle", taken, refused, idle);
}

/* A method's tables keep the groups of the given ones in all of the proof. */
static void methods_tables_keep_groups(void **state) {
  (void)state;
  uint32_t taken = 0, waits = 0;
  static const char *const on[] = {"torus:3x3", "torus:4x3", "xgft:m=4.3,w=1.6"};
  for (uint32_t i = 0; i < 2 * sizeof on / sizeof *on; i++) {
    bench b = open_method(on[i / 2], "mend");
    add_group(&b);
    find_set_for(&b, i % 2 ? "opensm-minhop" : "mend");
    assert_non_null(b.set.rerouted_tables->groups);
    assert_non_null(b.set.rerouted_after.multicast);
    check_tree(&b);
    if (b.set.rerouted) check_method_tables(&b);
    taken += b.set.rerouted ? b.set.links : 0;
    waits += b.set.rerouted_harm == RIPSTOP_HARM_ORDER;
    close_bench(&b);
  }
  if (!taken || !waits) fail_msg("%u cables, %u with a loop", taken, waits);
}

/* ------------------------------------------------------------------ each cable alone */

static void reasons_are_those_of_a_slow_search(void **state) {
  (void)state;
  uint32_t seen[RIPSTOP_HARMS] = {0};
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial, true);
    uint32_t level[SWITCHES];
    find_set(&b);
    relax_levels(b.view, level);
    for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++) {
      if (!is_up(b.view, link)) continue;
      ripstop_view *left = ripstop_view_copy(b.view);
      ripstop_view_set_link(left, link, false);
      bool lacks = false;
      for (uint32_t i = 0; i < b.capacity->parts; i++) {
        const slow_part part = slow_part_of(&b, &b.capacity->part[i], level);
        lacks |= leaving(left, part.in) < (part.capacity < part.need ? part.capacity : part.need);
      }
      const bool parts = ripstop_view_disconnected_pairs(left) > ripstop_view_disconnected_pairs(b.view);
      const ripstop_harm why = b.set.why_not[link];
      assert_int_equal(why == RIPSTOP_HARM_PAIRS, parts);
      assert_int_equal(why == RIPSTOP_HARM_CAPACITY, lacks && !parts);
      seen[why]++;
      ripstop_view_free(left);
    }
    close_bench(&b);
  }
  assert_true(seen[RIPSTOP_HARM_NONE] > 0 && seen[RIPSTOP_HARM_PAIRS] > 0 && seen[RIPSTOP_HARM_CAPACITY] > 0);
}

/* ------------------------------------------------------------------ all sets of small trees */

/* True if all parts keep their floors without a set of the cables, by the bits of a number. */
static bool keeps_floors(const bench *b, const slow_part *part, const uint32_t *cable, uint32_t cables, uint32_t set) {
  ripstop_view *left = ripstop_view_copy(b->view);
  bool keeps = true;
  for (uint32_t i = 0; i < cables; i++)
    if (set >> i & 1) ripstop_view_set_link(left, cable[i], false);
  for (uint32_t i = 0; i < b->capacity->parts && keeps; i++)
    keeps = leaving(left, part[i].in) >= (part[i].capacity < part[i].need ? part[i].capacity : part[i].need);
  ripstop_view_free(left);
  return keeps;
}

static void no_set_of_a_tree_is_larger(void **state) {
  (void)state;
  uint32_t some = 0, equal = 0;
  for (uint32_t trial = 0; trial < TRIALS; trial += FABRICS) { /* 3 leaves, 3 spines, at most 9 cables */
    bench b = open_bench(trial, true);
    uint32_t level[SWITCHES], cable[9], cables = 0, best = 0;
    slow_part part[6];
    find_set(&b);
    relax_levels(b.view, level);
    for (uint32_t i = 0; i < b.capacity->parts; i++) part[i] = slow_part_of(&b, &b.capacity->part[i], level);
    for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++)
      if (is_up(b.view, link)) cable[cables++] = link;
    for (uint32_t set = 0; set < 1U << cables; set++) {
      const uint32_t size = (uint32_t)__builtin_popcount(set);
      if (size > best && keeps_floors(&b, part, cable, cables, set)) best = size;
    }
    /* Leaves alone have floors, and each cable leaves one: the bound is exact. */
    assert_int_equal(b.set.at_most, best);
    some += best > 0;
    equal += b.set.links == best;
    close_bench(&b);
  }
  assert_true(some > 2 && equal > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_parts_are_beside_the_levels),  cmocka_unit_test(parts_are_those_of_a_slow_search),
      cmocka_unit_test(every_set_keeps_the_conditions),     cmocka_unit_test(methods_tables_keep_the_conditions),
      cmocka_unit_test(no_cable_of_a_group_is_safe),        cmocka_unit_test(methods_tables_keep_groups),
      cmocka_unit_test(reasons_are_those_of_a_slow_search), cmocka_unit_test(no_set_of_a_tree_is_larger)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
