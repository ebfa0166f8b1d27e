/* test_judge.c - forwarding tables judged in one pass for all sources, held against walks of each pair by itself;
 * credit loops against the closure of a matrix; repairs against a judgement of the repaired fabric. Tables are random,
 * good ones and bad ones, on fabrics with failed parts. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "prove/proof.h"
#include "ripstop/kit/deadlock.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"
#include "route/plan_steps.h"
#include "tables/repair.h"
#include "tables/repairer.h"

enum { LANES = 3, TRIALS = 60 };
static const char *const fabrics[] = {"torus:3x3", "kary-ntree:k=2,n=3", "torus:5,p=2", "kns:k=3,n=2"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  uint32_t wild;
  ripstop_arena *arena;
  ripstop_stream stream;
} bench;

static uint32_t below(bench *b, uint32_t bound) { return ripstop_stream_below(&b->stream, bound); }

/* Breaks some links and, rarely, a switch. */
static void break_some(bench *b) {
  for (uint32_t i = 0; i < 3; i++)
    if (below(b, 2)) ripstop_view_set_link(b->view, below(b, b->fabric->links), false);
  if (below(b, 4) == 0)
    ripstop_view_set_switch(b->view, b->fabric->ends + below(b, ripstop_fabric_switches(b->fabric)), false);
}

/* A port that leads nearer to the node; RIPSTOP_NO_PORT: none does. */
static uint16_t nearer(bench *b, const uint32_t *distance, uint32_t node) {
  uint32_t ports = ripstop_node_ports(b->fabric, node), first = below(b, ports);
  for (uint32_t i = 0; i < ports; i++) {
    uint32_t local = (first + i) % ports, port = b->fabric->port_base[node] + local;
    if (b->view->port_up[port] && distance[b->fabric->port_node[b->fabric->peer[port]]] < distance[node])
      return (uint16_t)local;
  }
  return RIPSTOP_NO_PORT;
}

/* Links over live ports; RIPSTOP_NONE: no path. */
static void find_distances(const bench *b, uint32_t to, uint32_t *distance) {
  const ripstop_fabric *f = b->fabric;
  for (uint32_t i = 0; i < f->nodes; i++) distance[i] = RIPSTOP_NONE;
  distance[to] = 0;
  for (uint32_t round = 0; round < f->nodes; round++)
    for (uint32_t port = 0; port < f->ports; port++) {
      uint32_t here = f->port_node[port];
      if (!b->view->port_up[port] || distance[here] != round) continue;
      uint32_t other = f->port_node[f->peer[port]];
      if (distance[other] == RIPSTOP_NONE && (!ripstop_is_end(f, here) || here == to)) distance[other] = round + 1;
    }
}

/* Random tables; `wild` of a hundred entries are arbitrary. */
static ripstop_forwarding *draw_tables(bench *b, uint32_t wild) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *node = RIPSTOP_ARRAY(b->arena, f->ends, uint32_t), *distance = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, f->ends);
  assert_non_null(t);
  for (uint32_t a = 0; a < f->ends; a++) {
    find_distances(b, a, distance);
    for (uint32_t s = f->ends; s < f->nodes; s++) {
      uint16_t port = nearer(b, distance, s);
      if (below(b, 100) < wild) port = (uint16_t)below(b, ripstop_node_ports(f, s) + 1);
      ripstop_forwarding_set(t, a, s, port);
    }
  }
  return t;
}

/* The fabric is the bench's from now on. */
static bench open_bench_on(ripstop_fabric *fabric, uint32_t trial, uint32_t wild) {
  bench b = {.wild = wild, .arena = ripstop_arena_new(), .stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, trial)};
  assert_non_null(fabric);
  b.fabric = fabric;
  b.view = ripstop_view_new(b.fabric, NULL);
  if (below(&b, 2)) break_some(&b);
  b.tables = draw_tables(&b, wild);
  return b;
}

static bench open_bench(uint32_t trial, uint32_t wild) {
  return open_bench_on(ripstop_fabric_open(fabrics[trial % FABRICS], NULL), trial, wild);
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* Service levels for all pairs, and as many VLs. */
static void draw_levels(bench *b, ripstop_forwarding *t) {
  size_t count = (size_t)b->fabric->ends * t->addresses;
  t->level = RIPSTOP_ARRAY(b->arena, count, uint8_t);
  for (size_t i = 0; i < count; i++) t->level[i] = (uint8_t)below(b, LANES);
  t->lanes = LANES;
}

/* VLs of all SLs at all switches, as many as the test allows; `by_input`: others for each port that a packet comes in
 * by. */
static void draw_lanes(bench *b, ripstop_forwarding *t, bool by_input) {
  const ripstop_fabric *f = b->fabric;
  size_t size = 0;
  t->lane_first = RIPSTOP_ARRAY(b->arena, ripstop_fabric_switches(f), size_t);
  for (uint32_t s = f->ends; s < f->nodes; s++) {
    size_t ports = ripstop_node_ports(f, s);
    t->lane_first[s - f->ends] = size;
    size += ports * ports * RIPSTOP_LEVELS;
  }
  t->lane = RIPSTOP_ARRAY(b->arena, size, uint8_t);
  t->lanes = LANES;
  for (size_t i = 0; i < size; i++) t->lane[i] = (uint8_t)below(b, LANES);
  for (uint32_t s = f->ends; s < f->nodes && !by_input; s++) {
    size_t ports = ripstop_node_ports(f, s), row = ports * RIPSTOP_LEVELS;
    uint8_t *first = t->lane + t->lane_first[s - f->ends];
    for (size_t in = 1; in < ports; in++) memcpy(first + in * row, first, row);
  }
}

/* ------------------------------------------------------------------ the same by walking each pair */

typedef struct slow {
  uint64_t reached, dead_ends, astray, loops, hops, unreached, disconnected;
  uint32_t max_hops;
  uint64_t *load; /* [ports] */
  bool *edge;     /* [vertices * vertices] */
  uint32_t vertices, lanes;
} slow;

static void open_slow(slow *s, const bench *b, uint32_t lanes) {
  *s = (slow){.lanes = lanes, .vertices = b->fabric->ports * lanes};
  s->load = RIPSTOP_ARRAY(b->arena, b->fabric->ports, uint64_t);
  s->edge = RIPSTOP_ARRAY(b->arena, (size_t)s->vertices * s->vertices, bool);
}

/* The port that the entry names, when it is alive; RIPSTOP_NONE otherwise. */
static uint32_t entry_port(const bench *b, const ripstop_forwarding *t, uint32_t address, uint32_t node) {
  uint32_t local = ripstop_forwarding_port(t, address, node);
  if (local >= ripstop_node_ports(b->fabric, node)) return RIPSTOP_NONE;
  uint32_t port = b->fabric->port_base[node] + local;
  return b->view->port_up[port] ? port : RIPSTOP_NONE;
}

/* One packet; its path is put down in `path` ([nodes + 1]), and its length returned. */
static uint32_t walk_packet(const bench *b, uint32_t source, uint32_t address, uint32_t *path, uint32_t *end) {
  const ripstop_fabric *f = b->fabric;
  uint32_t length = 0, node = ripstop_end_switch(f, source);
  *end = RIPSTOP_NONE; /* a dead end */
  if (!b->view->port_up[f->port_base[source]]) return 0;
  while (length <= f->nodes) {
    uint32_t port = entry_port(b, b->tables, address, node);
    if (port == RIPSTOP_NONE) return length;
    node = f->port_node[f->peer[port]];
    if (ripstop_is_end(f, node)) {
      *end = node;
      return length;
    }
    path[length++] = port;
  }
  return length; /* round forever: longer than there are nodes */
}

/* The packet waits for each VL while it holds the one before. */
static void add_edges(slow *s, const bench *b, uint32_t source, const uint32_t *path, uint32_t length, unsigned level) {
  const ripstop_fabric *f = b->fabric;
  uint32_t before = RIPSTOP_NONE, in = f->peer[f->port_base[source]];
  for (uint32_t i = 0; i < length; i++) {
    uint32_t node = f->port_node[path[i]], base = f->port_base[node];
    uint32_t lane = ripstop_forwarding_lane(b->tables, node, in - base, path[i] - base, level);
    uint32_t vertex = path[i] * s->lanes + lane;
    if (before != RIPSTOP_NONE) s->edge[(size_t)before * s->vertices + vertex] = true;
    before = vertex;
    in = f->peer[path[i]];
  }
}

static void walk_pairs(slow *s, bench *b) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *path = RIPSTOP_ARRAY(b->arena, f->nodes + 2, uint32_t), end;
  for (uint32_t to = 0; to < f->ends; to++)
    for (uint32_t from = 0; from < f->ends; from++) {
      if (to == from) continue;
      uint32_t length = walk_packet(b, from, to, path, &end);
      add_edges(s, b, from, path, length, ripstop_forwarding_level(b->tables, from, to));
      s->unreached += end != to;
      if (length > f->nodes)
        s->loops++;
      else if (end == RIPSTOP_NONE)
        s->dead_ends++;
      else if (end != to)
        s->astray++;
      if (end != to) continue;
      s->reached++;
      s->hops += length;
      if (length > s->max_hops) s->max_hops = length;
      for (uint32_t i = 0; i < length; i++) s->load[path[i]]++;
    }
  s->disconnected = ripstop_view_disconnected_pairs(b->view);
}

/* Vertices that can reach themselves, by the closure of the matrix. */
static uint32_t count_cyclic(slow *s) {
  uint32_t count = 0, n = s->vertices;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; s->edge[(size_t)i * n + k] && j < n; j++)
        s->edge[(size_t)i * n + j] |= s->edge[(size_t)k * n + j];
  for (uint32_t i = 0; i < n; i++) count += s->edge[(size_t)i * n + i];
  return count;
}

static uint32_t count_unused(const bench *b, const slow *s) {
  uint32_t unused = 0;
  for (uint32_t i = 2 * b->fabric->link_ends; i < 2 * b->fabric->links; i++)
    unused += b->view->port_up[b->fabric->link_port[i]] && s->load[b->fabric->link_port[i]] == 0;
  return unused;
}

static void compare(bench *b, uint32_t trial) {
  ripstop_table_verdict j;
  ripstop_error err;
  slow s;
  open_slow(&s, b, b->tables->lanes);
  walk_pairs(&s, b);
  assert_int_equal(ripstop_judge(b->arena, b->view, b->tables, NULL, &j, &err), 0);
  (void)trial;
  assert_int_equal(j.pairs, (uint64_t)b->fabric->ends * (b->fabric->ends - 1));
  assert_int_equal(j.reached, s.reached);
  assert_int_equal(j.dead_ends, s.dead_ends);
  assert_int_equal(j.astray, s.astray);
  assert_int_equal(j.loops, s.loops);
  assert_int_equal(j.unreached, s.unreached);
  assert_int_equal(j.disconnected, s.disconnected);
  assert_int_equal(j.max_hops, s.max_hops);
  assert_true(s.reached == 0 || j.mean_hops == (double)s.hops / (double)s.reached);
  assert_memory_equal(j.load, s.load, b->fabric->ports * sizeof *s.load);
  assert_int_equal(j.unused, count_unused(b, &s));
  assert_int_equal(j.in_loops, count_cyclic(&s));
  assert_int_equal(j.credit_loop, j.in_loops > 0);
}

/* Each channel of a cycle waits for the next: some packet holds one and requests the other. */
static void check_witness(bench *b) {
  ripstop_table_verdict j;
  ripstop_error err;
  slow s;
  open_slow(&s, b, b->tables->lanes);
  walk_pairs(&s, b);
  assert_int_equal(ripstop_judge(b->arena, b->view, b->tables, NULL, &j, &err), 0);
  for (uint32_t i = 0; i < j.loop_length; i++)
    assert_true(s.edge[(size_t)j.loop[i] * s.vertices + j.loop[(i + 1) % j.loop_length]]);
}

static void each_pair_by_itself_agrees(void **state) {
  (void)state;
  uint32_t loops = 0, clean = 0;
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial, trial % 3 * 10);
    if (trial % 2) draw_levels(&b, b.tables);
    if (trial / 12 % 3) draw_lanes(&b, b.tables, trial / 12 % 3 == 2);
    compare(&b, trial);
    check_witness(&b);
    ripstop_table_verdict j;
    assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &j, NULL), 0);
    j.credit_loop ? loops++ : clean++;
    close_bench(&b);
  }
  assert_true(loops > 5 && clean > 5); /* both kinds were tried */
}

/* A ring whose cables are at ports 30 and 31. Ports times VLs are 96 there, so the dependencies of a channel take two
 * words of bits, and all are in the second. */
static void high_ports_agree(void **state) {
  (void)state;
  static const char ring[] = "@end a s0\n@end b s1\n@end c s2\n@end d s3\n@end e s4\ns0 s1 port=30,31\n"
                             "s1 s2 port=30,31\ns2 s3 port=30,31\ns3 s4 port=30,31\ns4 s0 port=30,31\n";
  uint32_t loops = 0, clean = 0;
  for (uint32_t trial = 0; trial < 24; trial++) {
    bench b = open_bench_on(ripstop_graph_from_text("ring", ring, strlen(ring), NULL), trial, 0);
    if (trial % 2) draw_levels(&b, b.tables);
    if (trial / 2 % 2) draw_lanes(&b, b.tables, false);
    b.tables->lanes = LANES;
    compare(&b, trial);
    check_witness(&b);
    ripstop_table_verdict j;
    assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &j, NULL), 0);
    j.credit_loop ? loops++ : clean++;
    close_bench(&b);
  }
  assert_true(loops > 0 && clean > 0);
}

/* ------------------------------------------------------------------ two tables at once */

typedef struct mixed {
  bench *b;
  const ripstop_forwarding *other;
  slow *s;
  bool *seen; /* [vertices] of the present address */
} mixed;

static void mix_on(mixed *m, uint32_t node, uint32_t from, uint32_t address) {
  const ripstop_forwarding *const both[] = {m->b->tables, m->other};
  for (unsigned i = 0; i < 2; i++) {
    uint32_t port = entry_port(m->b, both[i], address, node);
    if (port == RIPSTOP_NONE || ripstop_is_end(m->b->fabric, m->b->fabric->port_node[m->b->fabric->peer[port]]))
      continue;
    if (from != RIPSTOP_NONE) m->s->edge[(size_t)from * m->s->vertices + port] = true;
    if (m->seen[port]) continue;
    m->seen[port] = true;
    mix_on(m, m->b->fabric->port_node[m->b->fabric->peer[port]], port, address);
  }
}

/* The packets for one address, all sources together; true: they can circulate. */
static bool mix_address(mixed *m, uint32_t address) {
  slow alone;
  slow *all = m->s;
  open_slow(&alone, m->b, 1);
  m->s = &alone;
  memset(m->seen, 0, alone.vertices);
  for (uint32_t from = 0; from < m->b->fabric->ends; from++)
    if (from != address && m->b->view->port_up[m->b->fabric->port_base[from]])
      mix_on(m, ripstop_end_switch(m->b->fabric, from), RIPSTOP_NONE, address);
  for (size_t i = 0; i < (size_t)alone.vertices * alone.vertices; i++) all->edge[i] |= alone.edge[i];
  m->s = all;
  return count_cyclic(&alone) > 0;
}

static void transients_agree(void **state) {
  (void)state;
  uint32_t looping = 0;
  for (uint32_t trial = 0; trial < TRIALS / 2; trial++) {
    bench b = open_bench(trial, trial % 4 * 3);
    slow s;
    open_slow(&s, &b, 1);
    mixed m = {.b = &b, .other = draw_tables(&b, 0), .s = &s, .seen = RIPSTOP_ARRAY(b.arena, b.fabric->ports, bool)};
    ripstop_transient transient;
    uint64_t rounds = 0;
    for (uint32_t a = 0; a < b.fabric->ends; a++) rounds += mix_address(&m, a);
    assert_int_equal(ripstop_judge_transient(b.arena, b.view, b.tables, m.other, &transient, NULL), 0);
    assert_int_equal(transient.looping, rounds);
    assert_int_equal(transient.in_loops, count_cyclic(&s));
    assert_int_equal(transient.credit_loop, transient.in_loops > 0);
    looping += transient.looping > 0;
    ripstop_forwarding_free((ripstop_forwarding *)m.other);
    close_bench(&b);
  }
  assert_true(looping > 0);
}

/* A level for each pair but those of an end node with itself, which send nothing. Tables without levels use level 0. */
static void levels_are_counted_by_pair(void **state) {
  (void)state;
  bench b = open_bench(0, 0);
  const ripstop_forwarding *before = ripstop_forwarding_copy(b.arena, b.tables);
  const uint32_t ends = b.fabric->ends;
  ripstop_transient transient;
  uint64_t changed = 0;
  draw_levels(&b, b.tables);
  for (uint32_t a = 0; a < ends; a++)
    for (uint32_t end = 0; end < ends; end++) changed += end != a && ripstop_forwarding_level(b.tables, end, a) > 0;
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, before, b.tables, &transient, NULL), 0);
  assert_int_equal(transient.levels, ends * (ends - 1));
  assert_int_equal(transient.levels_changed, changed);
  assert_int_equal(transient.changed, 0);
  close_bench(&b);
}

/* ------------------------------------------------------------------ repairs */

/* Paths that the tables lead over a part that is about to die. */
static uint64_t paths_over(bench *b, const ripstop_faults *parts) {
  const ripstop_fabric *f = b->fabric;
  ripstop_view *after = ripstop_view_copy(b->view);
  uint32_t *path = RIPSTOP_ARRAY(b->arena, f->nodes + 2, uint32_t), end;
  uint64_t paths = 0;
  ripstop_view_set_faults(after, parts, false);
  for (uint32_t to = 0; to < f->ends; to++)
    for (uint32_t from = 0; from < f->ends; from++) {
      uint32_t length = walk_packet(b, from, to, path, &end);
      if (from == to || end != to) continue;
      bool hit = !after->port_up[f->port_base[from]] || !after->port_up[f->port_base[to]];
      for (uint32_t i = 0; i < length; i++) hit |= !after->port_up[path[i]];
      paths += hit;
    }
  ripstop_view_free(after);
  return paths;
}

static void ask_for_loops(repair *r, ripstop_what_if *effect) {
  effect->transient_loop = repair_transient_loop(r);
  effect->credit_loop = effect->transient_loop && repair_credit_loop(r);
}

static void check_kill(bench *b, repair *r, const ripstop_faults *parts) {
  ripstop_what_if effect, again;
  ripstop_table_verdict j;
  ripstop_transient transient;
  uint64_t before = ripstop_view_disconnected_pairs(b->view);
  repair_kill(r, parts, &effect);
  ask_for_loops(r, &effect);
  assert_int_equal(ripstop_judge(b->arena, repair_view(r), repair_tables(r), NULL, &j, NULL), 0);
  assert_int_equal(ripstop_judge_transient(b->arena, repair_view(r), b->tables, repair_tables(r), &transient, NULL), 0);
  assert_int_equal(effect.worst, j.worst);
  assert_int_equal(effect.disconnected, j.disconnected - before);
  if (!b->wild) assert_int_equal(j.unreached, j.disconnected); /* the repair serves every pair that has a path */
  assert_int_equal(effect.credit_loop, j.credit_loop);
  assert_true(effect.transient_loop || !transient.credit_loop); /* packets that were past the part count as well */
  assert_int_equal(effect.changed, transient.changed);
  assert_int_equal(effect.on_it, paths_over(b, parts));
  repair_undo(r);
  repair_kill(r, parts, &again);
  ask_for_loops(r, &again);
  assert_memory_equal(&again, &effect, sizeof again);
  repair_undo(r);
  assert_memory_equal(repair_tables(r)->port, b->tables->port,
                      (size_t)b->tables->addresses * ripstop_fabric_switches(b->fabric) * sizeof *b->tables->port);
}

static void repairs_leave_what_they_say(void **state) {
  (void)state;
  for (uint32_t trial = 0; trial < TRIALS / 4; trial++) {
    bench b = open_bench(trial, trial % 3 == 2 ? 10 : 0);
    if (trial % 2) draw_levels(&b, b.tables);
    repair *r = repair_new(b.view, b.tables);
    for (uint32_t link = 0; link < b.fabric->links; link++)
      check_kill(&b, r, &(ripstop_faults){.links = 1, .link = &link});
    for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node++)
      check_kill(&b, r, &(ripstop_faults){.switches = 1, .switch_ = &node});
    for (uint32_t link = 0; link + 1 < b.fabric->links; link++)
      check_kill(&b, r, &(ripstop_faults){.links = 2, .link = (const uint32_t[]){link, link + 1}});
    repair_free(r);
    close_bench(&b);
  }
}

/* Others than the repaired tables, with entries of their own: judged by differences, and whole. */
static void check_follow(bench *b, repair *r, const ripstop_faults *parts) {
  ripstop_what_if effect;
  ripstop_table_verdict j;
  ripstop_transient transient;
  repair_kill(r, parts, &effect);
  ripstop_forwarding *other = ripstop_forwarding_copy(b->arena, below(b, 2) ? b->tables : repair_tables(r));
  const uint64_t disconnected = effect.disconnected, on_it = effect.on_it;
  repair_undo(r);
  repair_tear(r, parts, &effect);
  const uint32_t entries = other->addresses * ripstop_fabric_switches(b->fabric);
  for (uint32_t i = below(b, 4); i > 0; i--) other->port[below(b, entries)] = (uint16_t)below(b, 6);
  assert_true(repair_follows(r, other));
  ripstop_repaired now = {.tables = other, .address = RIPSTOP_ARRAY(b->arena, other->addresses, uint32_t)};
  now.addresses = ripstop_forwarding_differ(b->tables, other, (uint32_t *)now.address);
  repair_follow(r, &now, &effect);
  ask_for_loops(r, &effect);
  assert_int_equal(ripstop_judge(b->arena, repair_view(r), other, NULL, &j, NULL), 0);
  assert_int_equal(ripstop_judge_transient(b->arena, repair_view(r), b->tables, other, &transient, NULL), 0);
  assert_int_equal(effect.worst, j.worst);
  assert_int_equal(effect.unrouted, j.unreached - j.disconnected);
  assert_int_equal(effect.disconnected, disconnected);
  assert_int_equal(effect.on_it, on_it);
  assert_int_equal(effect.credit_loop, j.credit_loop);
  assert_true(effect.transient_loop || !transient.credit_loop);
  assert_int_equal(effect.changed, transient.changed);
  repair_undo(r);
}

static void other_tables_are_judged_by_what_they_change(void **state) {
  (void)state;
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial, trial % 3 == 2 ? 10 : 0);
    repair *r = repair_new(b.view, b.tables);
    for (uint32_t link = 0; link < b.fabric->links; link++)
      check_follow(&b, r, &(ripstop_faults){.links = 1, .link = &link});
    for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node++)
      check_follow(&b, r, &(ripstop_faults){.switches = 1, .switch_ = &node});
    repair_free(r);
    close_bench(&b);
  }
}

/* Links fail one after the other and stay down until some packet can circulate. */
static void kills_that_stay_add_up(void **state) {
  (void)state;
  uint32_t stayed = 0;
  for (uint32_t trial = 0; trial < TRIALS / 2; trial++) {
    bench b = open_bench(trial, trial % 3 == 2 ? 10 : 0);
    if (trial % 2) draw_levels(&b, b.tables);
    repair *r = repair_new(b.view, b.tables);
    ripstop_what_if effect = {0};
    for (uint32_t kill = 0; kill < 12 && !effect.transient_loop; kill++) {
      uint32_t link = below(&b, b.fabric->links);
      ripstop_table_verdict j;
      ripstop_transient transient;
      repair_kill(r, &(ripstop_faults){.links = 1, .link = &link}, &effect);
      effect.transient_loop = repair_transient_loop(r);
      assert_int_equal(ripstop_judge(b.arena, repair_view(r), repair_tables(r), NULL, &j, NULL), 0);
      assert_int_equal(ripstop_judge_transient(b.arena, repair_view(r), b.tables, repair_tables(r), &transient, NULL),
                       0);
      assert_int_equal(effect.worst, j.worst);
      assert_true(effect.transient_loop || !(transient.credit_loop || j.credit_loop));
      if (!b.wild) assert_int_equal(j.unreached, j.disconnected);
      if (below(&b, 3) == 0) repair_undo(r), effect.transient_loop = false;
      stayed++;
    }
    repair_free(r);
    close_bench(&b);
  }
  assert_true(stayed > TRIALS);
}

static void threads_change_nothing(void **state) {
  (void)state;
  bench b = open_bench(1, 0);
  uint32_t links = b.fabric->links, *link = RIPSTOP_ARRAY(b.arena, links, uint32_t);
  ripstop_faults *parts = RIPSTOP_ARRAY(b.arena, links, ripstop_faults);
  ripstop_what_if *one = RIPSTOP_ARRAY(b.arena, links, ripstop_what_if);
  ripstop_what_if *many = RIPSTOP_ARRAY(b.arena, links, ripstop_what_if);
  for (uint32_t i = 0; i < links; i++) {
    link[i] = i;
    parts[i] = (ripstop_faults){.links = 1, .link = &link[i]};
  }
  assert_int_equal(ripstop_judge_what_if(b.view, b.tables, parts, links, 1, NULL, NULL, one, NULL), 0);
  assert_int_equal(ripstop_judge_what_if(b.view, b.tables, parts, links, 3, NULL, NULL, many, NULL), 0);
  assert_memory_equal(one, many, links * sizeof *one);
  close_bench(&b);
}

static void shortest_candidates_are_short(void **state) {
  (void)state;
  for (uint32_t trial = 0; trial < TRIALS / 4; trial++) {
    bench b = open_bench(trial, 0);
    ripstop_table_verdict j;
    ripstop_forwarding *t = ripstop_forwarding_shortest(b.view, NULL);
    assert_non_null(t);
    assert_int_equal(ripstop_judge(b.arena, b.view, t, NULL, &j, NULL), 0);
    assert_int_equal(j.unreached, j.disconnected);
    double least = ripstop_judge_minimum_hops(b.view);
    if (!isnan(least)) assert_true(fabs(j.mean_hops - least) < 1e-9);
    ripstop_forwarding_free(t);
    close_bench(&b);
  }
}

/* The links whose failure disconnects a pair, one after the other and two by two. */
static void cuts_are_those_of_trying(void **state) {
  (void)state;
  uint64_t alone_all = 0, pairs_all = 0;
  for (uint32_t trial = 0; trial < TRIALS / 4; trial++) {
    bench b = open_bench(trial, 0);
    const ripstop_fabric *f = b.fabric;
    for (uint32_t i = 0; i < trial % 8; i++) ripstop_view_set_link(b.view, below(&b, f->links), false);
    uint64_t before = ripstop_view_disconnected_pairs(b.view), pairs = 0;
    ripstop_cuts cuts;
    uint32_t alone = 0, links = 0, listed = 0;
    assert_int_equal(ripstop_judge_cuts(b.arena, b.view, 5, &cuts, NULL), 0);
    bool *parts = RIPSTOP_ARRAY(b.arena, f->links, bool);
    for (uint32_t pass = 0; pass < 2; pass++)
      for (uint32_t x = f->link_ends; x < f->links; x++) {
        if (!b.view->port_up[f->link_port[2 * (size_t)x]]) continue;
        ripstop_view_set_link(b.view, x, false);
        if (pass == 0) parts[x] = ripstop_view_disconnected_pairs(b.view) > before, alone += parts[x], links++;
        for (uint32_t y = x + 1; y < f->links && pass == 1; y++) {
          if (!b.view->port_up[f->link_port[2 * (size_t)y]]) continue;
          ripstop_view_set_link(b.view, y, false);
          bool cut = ripstop_view_disconnected_pairs(b.view) > before;
          ripstop_view_set_link(b.view, y, true);
          pairs += cut;
          if (!cut || parts[x] || parts[y] || listed == 5) continue;
          bool found = false;
          for (uint32_t i = 0; i < cuts.listed; i++) found |= cuts.pair[2 * i] == x && cuts.pair[2 * i + 1] == y;
          listed += found;
        }
        ripstop_view_set_link(b.view, x, true);
      }
    assert_int_equal(cuts.links, links);
    assert_int_equal(cuts.alone, alone);
    assert_int_equal(cuts.parting, pairs);
    assert_int_equal(cuts.listed, listed);
    alone_all += alone;
    pairs_all += pairs;
    close_bench(&b);
  }
  assert_true(alone_all > 0 && pairs_all > alone_all);
}

static void leaves_count_their_cables(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open("kary-ntree:k=2,n=2", NULL);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_leaf *leaf;
  uint32_t count, link = fabric->link_ends, lower = ripstop_link_node(fabric, link, 0);
  if (ripstop_link_node(fabric, link, 1) < lower) lower = ripstop_link_node(fabric, link, 1);
  ripstop_view_set_rate(view, link, RIPSTOP_RATE_FULL / 4);
  assert_int_equal(ripstop_judge_leaves(arena, view, &leaf, &count, NULL), 0);
  assert_int_equal(count, 2);
  assert_int_equal(leaf[0].node, lower);
  assert_int_equal(leaf[0].hosts, 2);
  assert_int_equal(leaf[0].uplinks, 2);
  assert_int_equal(leaf[0].need, 2 * RIPSTOP_RATE_FULL);
  assert_int_equal(leaf[0].have, RIPSTOP_RATE_FULL + RIPSTOP_RATE_FULL / 4);
  assert_int_equal(leaf[1].have, leaf[1].need);
  ripstop_view_set_link(view, link, false);
  assert_int_equal(ripstop_judge_leaves(arena, view, &leaf, &count, NULL), 0);
  assert_int_equal(leaf[0].uplinks, 1);
  ripstop_arena_free(arena);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ plans */

/* If a plan's candidates are ports alone, the prover and the graph of its tables agree on deadlock. */
static void the_prover_agrees(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"torus:4x4", "dor:halfway=parity"},
                                         {"kns:k=4,n=2", "intermediate-nodes:intermediates=0"},
                                         {"torus:2x2", "dor:halfway=parity"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_answer answer;
    ripstop_fabric *fabric = ripstop_fabric_open(cases[i][0], &err);
    ripstop_view *view = ripstop_view_new(fabric, NULL);
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_plan *plan = ripstop_plan_compile(view, cases[i][1], &answer, &err);
    if (!plan) fail_msg("%s", err.text);
    assert_int_equal(ripstop_plan_tables(plan, &err), RIPSTOP_APPLIES);
    ripstop_forwarding *tables = ripstop_forwarding_of_plan(plan, 1000000, &answer, &err);
    if (!tables) fail_msg("%s", err.text);
    ripstop_prover *prover = ripstop_prover_new(fabric);
    ripstop_proof proof;
    ripstop_table_verdict j;
    assert_int_equal(ripstop_prover_prove(prover, plan, &proof, &err), 0);
    assert_int_equal(ripstop_judge(arena, view, tables, NULL, &j, &err), 0);
    assert_int_equal(j.credit_loop, !proof.deadlock_free);
    assert_int_equal(j.unreached, proof.lost_pairs_some_choice);
    ripstop_prover_free(prover);
    ripstop_forwarding_free(tables);
    ripstop_plan_free(plan);
    ripstop_arena_free(arena);
    ripstop_view_free(view);
    ripstop_fabric_free(fabric);
  }
}

/* All that an analysis can find: with bubble flow control, queues that wait, queues that wait despite it. */
static void each_finding_has_its_verdict(void **state) {
  (void)state;
  for (unsigned i = 0; i < 8; i++) {
    const bool bubble = i & 4, waits = i & 2, despite = i & 1;
    const ripstop_deadlock verdict = ripstop_deadlock_of(bubble, waits, despite);
    assert_int_equal(ripstop_deadlock_without_bubble(verdict), waits);
    assert_int_equal(ripstop_deadlock_possible(verdict), waits && (!bubble || despite));
    assert_int_equal(verdict == RIPSTOP_DEADLOCK_DESPITE, waits && bubble && despite);
    assert_int_equal(strstr(ripstop_deadlock_words[verdict], "bubble") != NULL, waits && bubble);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_pair_by_itself_agrees),
                                     cmocka_unit_test(high_ports_agree),
                                     cmocka_unit_test(levels_are_counted_by_pair),
                                     cmocka_unit_test(transients_agree),
                                     cmocka_unit_test(repairs_leave_what_they_say),
                                     cmocka_unit_test(other_tables_are_judged_by_what_they_change),
                                     cmocka_unit_test(kills_that_stay_add_up),
                                     cmocka_unit_test(shortest_candidates_are_short),
                                     cmocka_unit_test(leaves_count_their_cables),
                                     cmocka_unit_test(cuts_are_those_of_trying),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(each_finding_has_its_verdict),
                                     cmocka_unit_test(the_prover_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
