/* test_prove_dependencies.c - extended channel dependency graphs, built a second time.
 *
 * The second construction is slow and shares nothing with the prover: it keeps one flag for each pair of queues, takes
 * R'_m of paper 000 from Definitions 9 to 11 by searches over the cables of the fabric (the method counts digits), and
 * looks for a cycle depth first. Both must agree in every count, for every checked set of failed links.
 *
 * What the graphs must show is known from Theorem 1 and 2 of the paper: with fewer than radix/2 failed links R'_m
 * supplies every head and its graph has no cycle; and no graph without a cycle belongs to a method that deadlocks. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/digits.h"
#include "opened.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

enum { HEADERS = 16, CANDIDATES_MAX = 16, SETS_MOST = 600 };

typedef enum { ALL, STAGE, SUBTREE, ESCAPE } which;
static const char *const names[] = {[ALL] = "all", [STAGE] = "stage", [SUBTREE] = "subtree", [ESCAPE] = "escape"};

/* ------------------------------------------------------------------ trees, by their cables alone */

/* Links of a shortest path to the nearest end node: 1 at level 0. */
static void find_heights(const ripstop_fabric *f, uint32_t *height) {
  uint32_t *list = malloc(f->nodes * sizeof *list), count = 0;
  for (uint32_t node = 0; node < f->nodes; node++) height[node] = ripstop_is_end(f, node) ? 0 : RIPSTOP_NONE;
  for (uint32_t node = 0; node < f->nodes; node++)
    if (!height[node]) list[count++] = node;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t port = f->port_base[list[i]]; port < f->port_base[list[i] + 1]; port++) {
      if (f->peer[port] == RIPSTOP_NONE) continue;
      const uint32_t next = f->port_node[f->peer[port]];
      if (height[next] != RIPSTOP_NONE) continue;
      height[next] = height[list[i]] + 1;
      list[count++] = next;
    }
  free(list);
}

/* Marks what is reached from `node` by cables that lead up (or down). */
static void reach(const ripstop_fabric *f, const uint32_t *height, uint32_t node, bool upward, uint8_t *reached) {
  if (reached[node]) return;
  reached[node] = 1;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (f->peer[port] == RIPSTOP_NONE) continue;
    const uint32_t next = f->port_node[f->peer[port]];
    if ((height[next] > height[node]) == upward) reach(f, height, next, upward, reached);
  }
}

static bool is_root(const ripstop_fabric *f, const uint32_t *height, uint32_t node) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && height[f->port_node[f->peer[port]]] > height[node]) return false;
  return !ripstop_is_end(f, node);
}

/* Definition 11: true if a failed link of the subtree of `root` has a lower end of height `low` or more. */
static bool has_fault(const ripstop_view *view, const uint32_t *height, uint32_t root, uint32_t low, bool greater) {
  const ripstop_fabric *f = view->fabric;
  uint8_t *below = calloc(f->nodes, 1);
  bool found = false;
  reach(f, height, root, false, below);
  for (uint32_t port = 0; port < f->ports; port++) {
    if (f->peer[port] == RIPSTOP_NONE || view->port_up[port] || !below[f->port_node[port]]) continue;
    const uint32_t lower = f->port_node[f->peer[port]];
    if (height[lower] > height[f->port_node[port]]) continue; /* looked at from above alone */
    found |= height[lower] == low || (greater && height[lower] > low);
  }
  free(below);
  return found;
}

typedef struct second {
  const ripstop_plan *plan;
  which kind;
  uint32_t lanes, *height;
  uint8_t *direct, *cross;  /* [lanes * lanes] */
  uint8_t *seen, *supplied; /* [lanes * HEADERS], of one destination */
  uint8_t *used, *mark;     /* [lanes] */
  int8_t *fault_free;       /* [lanes]: of an up port; 0: not known yet */
  uint64_t starved;
} second;

/* True if all top-rooted subtrees reached through the port are fault-free at the stage of its switch. */
static bool leads_to_fault_free(second *s, uint32_t port) {
  const ripstop_fabric *f = s->plan->fabric;
  if (s->fault_free[port]) return s->fault_free[port] > 0;
  uint8_t *above = calloc(f->nodes, 1);
  bool good = true;
  reach(f, s->height, f->port_node[f->peer[port]], true, above);
  for (uint32_t root = 0; root < f->nodes; root++)
    if (above[root] && is_root(f, s->height, root))
      good &= !has_fault(s->plan->view, s->height, root, s->height[f->port_node[port]], s->kind == SUBTREE);
  free(above);
  s->fault_free[port] = good ? 1 : -1;
  return good;
}

/* It came from above, and its destination is not below: a U-turn switch. */
static bool turns_here(const second *s, const ripstop_head *head) {
  const ripstop_fabric *f = s->plan->fabric;
  const uint32_t from = f->port_node[f->peer[f->port_base[head->node] + head->in_port]];
  if (s->height[from] < s->height[head->node]) return false;
  uint8_t *below = calloc(f->nodes, 1);
  reach(f, s->height, head->node, false, below);
  const bool found = below[head->destination];
  free(below);
  return !found;
}

static bool supplies(second *s, const ripstop_head *head, const ripstop_candidate *candidate) {
  if (s->kind == ALL) return true;
  if (s->kind == ESCAPE) return candidate->channel + 1u < s->plan->channels;
  return !turns_here(s, head) || leads_to_fault_free(s, s->plan->fabric->port_base[head->node] + candidate->port);
}

/* ------------------------------------------------------------------ states */

static uint32_t lane_of(const second *s, uint32_t node, const ripstop_candidate *candidate) {
  return (s->plan->fabric->port_base[node] + candidate->port) * s->plan->channels + candidate->channel;
}

static ripstop_head head_in(const second *s, uint32_t lane, uint64_t header, uint32_t destination) {
  const ripstop_fabric *f = s->plan->fabric;
  const uint32_t in = f->peer[lane / s->plan->channels], node = f->port_node[in];
  return (ripstop_head){.node = node,
                        .in_port = in - f->port_base[node],
                        .channel = (uint8_t)(lane % s->plan->channels),
                        .destination = destination,
                        .header = header};
}

/* The candidates that the completed subfunction supplies. */
static int supply(second *s, const ripstop_head *head, ripstop_candidate *candidate, bool *starved) {
  const ripstop_fabric *f = s->plan->fabric;
  ripstop_candidate kept[CANDIDATES_MAX];
  int count = 0, candidates = ripstop_route(s->plan, head, candidate);
  *starved = false;
  if (candidates <= 0) return 0;
  for (int i = 0; i < candidates; i++) {
    if (f->port_node[f->peer[f->port_base[head->node] + candidate[i].port]] == head->destination) return 0;
    if (supplies(s, head, &candidate[i])) kept[count++] = candidate[i];
  }
  *starved = count == 0;
  if (count) memcpy(candidate, kept, sizeof kept);
  return count ? count : candidates;
}

/* All states that R reaches. */
static void walk(second *s, uint32_t lane, uint64_t header, uint32_t destination) {
  const ripstop_fabric *f = s->plan->fabric;
  ripstop_candidate candidate[CANDIDATES_MAX];
  assert_true(header < HEADERS);
  if (s->seen[lane * HEADERS + header]) return;
  s->seen[lane * HEADERS + header] = s->used[lane] = 1;
  const ripstop_head head = head_in(s, lane, header, destination);
  const int candidates = ripstop_route(s->plan, &head, candidate);
  for (int i = 0; i < candidates; i++)
    if (!ripstop_is_end(f, f->port_node[f->peer[f->port_base[head.node] + candidate[i].port]]))
      walk(s, lane_of(s, head.node, &candidate[i]), candidate[i].header, destination);
}

static void start(second *s, uint32_t destination) {
  const ripstop_fabric *f = s->plan->fabric;
  for (uint32_t source = 0; source < f->ends; source++) {
    ripstop_candidate candidate[CANDIDATES_MAX];
    ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
    if (source == destination || ripstop_route(s->plan, &head, candidate) <= 0) continue;
    s->supplied[lane_of(s, source, candidate) * HEADERS + candidate->header] = 1;
    walk(s, lane_of(s, source, candidate), candidate->header, destination);
  }
}

/* `pass` 0: where the subfunction brings packets; 1: the dependencies. */
static void follow(second *s, uint32_t lane, uint64_t header, uint32_t destination, int pass) {
  ripstop_candidate candidate[CANDIDATES_MAX];
  bool starved;
  const ripstop_head head = head_in(s, lane, header, destination);
  const int candidates = supply(s, &head, candidate, &starved);
  uint8_t *kind = s->supplied[lane * HEADERS + header] ? s->direct : s->cross;
  for (int i = 0; i < candidates; i++) {
    const uint32_t next = lane_of(s, head.node, &candidate[i]);
    if (pass == 0)
      s->supplied[next * HEADERS + candidate[i].header] = 1;
    else
      kind[lane * s->lanes + next] = 1;
  }
  if (pass) s->starved += starved;
}

static void add_destination(second *s, uint32_t destination) {
  memset(s->seen, 0, (size_t)s->lanes * HEADERS);
  memset(s->supplied, 0, (size_t)s->lanes * HEADERS);
  start(s, destination);
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t lane = 0; lane < s->lanes; lane++)
      for (uint64_t header = 0; header < HEADERS; header++)
        if (s->seen[lane * HEADERS + header]) follow(s, lane, header, destination, pass);
}

/* ------------------------------------------------------------------ the graph */

static bool is_vertex(const second *s, uint32_t lane) {
  const ripstop_fabric *f = s->plan->fabric;
  return s->used[lane] && !ripstop_is_end(f, f->port_node[lane / s->plan->channels]);
}

static bool has_arc(const second *s, uint32_t from, uint32_t to) {
  return s->direct[from * s->lanes + to] || s->cross[from * s->lanes + to];
}

static bool cyclic_from(second *s, uint32_t lane) {
  if (s->mark[lane]) return s->mark[lane] == 1;
  s->mark[lane] = 1;
  for (uint32_t next = 0; next < s->lanes; next++)
    if (has_arc(s, lane, next) && cyclic_from(s, next)) return true;
  s->mark[lane] = 2;
  return false;
}

static ripstop_dependencies count(second *s) {
  ripstop_dependencies d = {.starved = s->starved};
  for (uint32_t lane = 0; lane < s->lanes; lane++) {
    if (!is_vertex(s, lane)) continue;
    d.queues++;
    d.cyclic |= cyclic_from(s, lane);
    for (uint32_t next = 0; next < s->lanes; next++) {
      d.direct += s->direct[lane * s->lanes + next];
      d.cross += s->cross[lane * s->lanes + next] && !s->direct[lane * s->lanes + next];
    }
  }
  return d;
}

static second build(const ripstop_plan *plan, which kind) {
  second s = {.plan = plan, .kind = kind, .lanes = plan->fabric->ports * plan->channels};
  const size_t lanes = s.lanes;
  s.direct = calloc(lanes, lanes), s.cross = calloc(lanes, lanes);
  s.seen = malloc(lanes * HEADERS), s.supplied = malloc(lanes * HEADERS);
  s.used = calloc(lanes, 1), s.mark = calloc(lanes, 1), s.fault_free = calloc(lanes, 1);
  s.height = malloc(plan->fabric->nodes * sizeof *s.height);
  find_heights(plan->fabric, s.height);
  for (uint32_t end = 0; end < plan->fabric->ends; end++) add_destination(&s, end);
  return s;
}

static void free_second(second *s) {
  free(s->direct), free(s->cross), free(s->seen), free(s->supplied);
  free(s->used), free(s->mark), free(s->fault_free), free(s->height);
}

/* ------------------------------------------------------------------ both */

static uint32_t lane_of_queue(const second *s, const ripstop_deadlocked_packet *q) {
  return q->port * s->plan->channels + q->channel;
}

static void check_arcs(const second *s, const ripstop_dependencies *d) {
  for (uint64_t i = 0; i < d->direct + d->cross; i++) {
    const uint32_t from = lane_of_queue(s, &d->arc[i].from), to = lane_of_queue(s, &d->arc[i].to);
    assert_true(has_arc(s, from, to));
    assert_int_equal(d->arc[i].cross, !s->direct[from * s->lanes + to]);
  }
  assert_int_equal(d->length > 0, d->cyclic > 0);
  for (uint32_t i = 0; i < d->length; i++)
    assert_true(has_arc(s, lane_of_queue(s, &d->cycle[i]), lane_of_queue(s, &d->cycle[(i + 1) % d->length])));
}

typedef struct found {
  uint32_t sets, cyclic, starved, deadlocked;
} found;

static void check_plan(ripstop_prover *prover, const ripstop_plan *plan, which kind, found *sum) {
  ripstop_error err;
  ripstop_proof proof;
  const ripstop_subfunction *of = ripstop_subfunction_find(plan->method, names[kind], &err);
  if (!of) fail_msg("%s", err.text);
  ripstop_prover_dependencies(prover, of);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  const ripstop_dependencies *d = &proof.dependencies;
  second s = build(plan, kind);
  const ripstop_dependencies own = count(&s);
  assert_int_equal(d->queues, own.queues);
  assert_int_equal(d->direct, own.direct);
  assert_int_equal(d->cross, own.cross);
  assert_int_equal(d->starved, own.starved);
  assert_int_equal(d->cyclic > 0, own.cyclic > 0);
  check_arcs(&s, d);
  if (!d->cyclic) assert_true(proof.deadlock_free); /* Theorem 1 */
  *sum = (found){sum->sets + 1, sum->cyclic + (d->cyclic > 0), sum->starved + (d->starved > 0),
                 sum->deadlocked + !proof.deadlock_free};
  free_second(&s);
}

/* Every set of so many failed links, or every n-th, so that at most SETS_MOST are checked. */
static found check_sets(const char *fabric, const char *method, which kind, uint32_t dead) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = open_fabric(fabric);
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_combinations c;
  found sum = {0};
  const uint64_t step = ripstop_combinations_total(f->links - f->link_ends, dead) / SETS_MOST + 1;
  uint64_t number = 0;
  ripstop_combinations_first(arena, f->links - f->link_ends, dead, &c);
  do {
    ripstop_faults faults;
    if (number++ % step) continue;
    ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, c.part, c.count, &faults);
    ripstop_view *view = ripstop_view_new(f, &faults);
    ripstop_plan *plan = stand_plan(view, method, NULL, &err);
    check_plan(prover, plan, kind, &sum);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
  } while (ripstop_combinations_next(&c));
  ripstop_prover_free(prover);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  return sum;
}

static void r_m_prime_has_no_cycle_below_half_the_radix(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t half;
  } trees[] = {{"kary-ntree:k=2,n=2", 2},
               {"kary-ntree:k=2,n=3", 2},
               {"kary-ntree:k=3,n=2", 3},
               {"mport-ntree:m=4,n=2", 2},
               {"mport-ntree:m=4,n=3", 2}};
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
    for (uint32_t dead = 0; dead < trees[i].half; dead++)
      for (which kind = STAGE; kind <= SUBTREE; kind++) {
        const found sum = check_sets(trees[i].fabric, "misroute", kind, dead);
        assert_int_equal(sum.cyclic + sum.starved + sum.deadlocked, 0);
        assert_true(sum.sets > 0);
      }
}

/* The first cycles come with radix/2 failed links. Read by stages, the graph has one exactly if queues deadlock. */
static void first_cycles_come_at_half_the_radix(void **state) {
  (void)state;
  const found two = check_sets("kary-ntree:k=2,n=3", "misroute", STAGE, 2);
  assert_int_equal(two.sets, 120);
  assert_int_equal(two.cyclic, 16);
  assert_int_equal(two.starved, 16);
  assert_int_equal(two.deadlocked, 16);
  const found wide = check_sets("kary-ntree:k=2,n=3", "misroute", SUBTREE, 2);
  assert_int_equal(wide.cyclic, 16);
  assert_int_equal(wide.starved, 48);
  const found three = check_sets("kary-ntree:k=3,n=2", "misroute", STAGE, 3);
  assert_int_equal(three.sets, 84);
  assert_int_equal(three.cyclic, 27);
  assert_int_equal(three.deadlocked, 27);
}

/* The whole of R_m has cycles inside the theorem's range: without the subfunction nothing is shown. */
static void the_whole_function_has_cycles_earlier(void **state) {
  (void)state;
  assert_int_equal(check_sets("kary-ntree:k=3,n=2", "misroute", ALL, 1).cyclic, 0);
  assert_int_equal(check_sets("kary-ntree:k=3,n=2", "misroute", ALL, 2).cyclic, 27);
  assert_int_equal(check_sets("kary-ntree:k=3,n=2", "misroute:uturn=cyclic", ALL, 2).cyclic, 0);
}

static void cross_dependencies_are_told_apart(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = open_fabric("kary-ntree:k=3,n=2");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *known = ripstop_names_new(f);
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_faults faults;
  ripstop_proof proof;
  static const char set[] = "0/0/3 0/0/4";
  assert_int_equal(ripstop_faults_parse(arena, known, set, strlen(set), &faults, &err), 0);
  stand on = stand_on(f, "misroute:first_misroute_back=off", &faults);
  ripstop_prover_dependencies(prover, ripstop_subfunction_find(on.plan->method, "stage", &err));
  assert_int_equal(ripstop_prover_prove(prover, on.plan, &proof, &err), 0);
  assert_int_equal(proof.dependencies.direct, 14);
  assert_int_equal(proof.dependencies.cross, 4);
  found sum = {0};
  check_plan(prover, on.plan, STAGE, &sum);
  ripstop_prover_free(prover);
  stand_close(&on);
  ripstop_names_free(known);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* Duato 1993: the adaptive channels have cycles, the escape by datelines has none. */
static void escapes_of_tori_are_subfunctions(void **state) {
  (void)state;
  assert_int_equal(check_sets("torus:4x4", "minimal-adaptive", ALL, 0).cyclic, 1);
  assert_int_equal(check_sets("torus:5x3", "minimal-adaptive", ESCAPE, 0).cyclic, 0);
  assert_int_equal(check_sets("torus:5x3", "minimal-adaptive", ESCAPE, 0).starved, 0);
}

/* Threads share destinations, and so must their arcs be joined. */
static void threads_find_the_same_graph(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = open_fabric("torus:5x3");
  stand on = stand_on(f, "minimal-adaptive", NULL);
  ripstop_dependencies one = {0};
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    ripstop_proof proof;
    ripstop_prover *prover = ripstop_prover_new(f);
    ripstop_prover_threads(prover, threads);
    ripstop_prover_dependencies(prover, ripstop_subfunction_find(on.plan->method, "escape", &err));
    assert_int_equal(ripstop_prover_prove(prover, on.plan, &proof, &err), 0);
    if (threads == 1) one = proof.dependencies;
    assert_int_equal(proof.dependencies.queues, one.queues);
    assert_int_equal(proof.dependencies.direct, one.direct);
    assert_int_equal(proof.dependencies.cross, one.cross);
    ripstop_prover_free(prover);
  }
  assert_true(one.direct > 0 && one.cross > 0);
  stand_close(&on);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ graphs that no method of the tree has */

static int supply_nothing(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidate, int count) {
  (void)plan, (void)head, (void)candidate, (void)count;
  return 0;
}

static ripstop_dependencies prove_graph(ripstop_prover *prover, const ripstop_plan *plan,
                                        const ripstop_subfunction *of) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_prover_dependencies(prover, of);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  return proof.dependencies;
}

/* If packets settle early, the candidates that complete a subfunction are those that a packet can settle on. */
static void starved_heads_settle_early_too(void **state) {
  (void)state;
  static const ripstop_subfunction all = {.name = "all"}, nothing = {.name = "nothing", .supply = supply_nothing};
  ripstop_fabric *f = open_fabric("torus:5x3");
  stand on = stand_on(f, "minimal-adaptive", NULL);
  on.plan->choose_early = true;
  ripstop_prover *prover = ripstop_prover_new(f);
  const ripstop_dependencies whole = prove_graph(prover, on.plan, &all),
                             completed = prove_graph(prover, on.plan, &nothing);
  assert_true(whole.direct > 0 && completed.starved > 0);
  assert_int_equal(completed.queues, whole.queues);
  assert_int_equal(completed.direct, whole.direct);
  assert_int_equal(completed.cross, whole.cross);
  assert_int_equal(completed.cyclic, whole.cyclic);
  ripstop_prover_free(prover);
  stand_close(&on);
  ripstop_fabric_free(f);
}

enum { ROWS = 25, EAST = 0, NORTH = 2 }; /* the torus ROWS x 3, and ports of its routers */

static uint32_t port_to(const ripstop_fabric *f, uint32_t node, uint32_t to) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && f->port_node[f->peer[port]] == to) return port - f->port_base[node];
  return RIPSTOP_NONE;
}

/* North from the last row over the wrap-around link to row 0 and on to the last but one, and no further; in these two
 * rows east, round rings of three. */
static int route_between_two_rings(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = plan->fabric;
  const uint16_t *at = ripstop_coords(f, head->node), *to = ripstop_coords(f, head->destination);
  const uint32_t row = (at[1] + 1u) % ROWS, row_to = (to[1] + 1u) % ROWS,
                 out = port_to(f, head->node, head->destination);
  const bool east = row == row_to || (row == 0 && at[0] != to[0]);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)(east ? EAST : NORTH), .space = 1};
  if (out != RIPSTOP_NONE || ripstop_is_end(f, head->node)) {
    candidates[0].port = out != RIPSTOP_NONE ? (uint16_t)out : 0;
    return 1;
  }
  return row > row_to || (row == row_to && row > 0 && row + 1 < ROWS) ? -1 : 1;
}

/* The first 69 queues are on paths from a cycle to another one, and on no cycle themselves. */
static void cycles_are_found_behind_queues_between_them(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("torus:25x3");
  stand on = stand_on(f, "minimal-adaptive:escape=none", NULL);
  const ripstop_method *own = on.plan->method;
  ripstop_method between = *own;
  between.route = route_between_two_rings;
  on.plan->method = &between;
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_error err;
  const ripstop_dependencies d = prove_graph(prover, on.plan, ripstop_subfunction_find(own, "all", &err));
  assert_int_equal(d.cyclic, 3 * (ROWS - 1) + 6);
  assert_int_equal(d.length, 3);
  for (uint32_t i = 0; i < d.length; i++)
    assert_int_equal(d.cycle[i].port - f->port_base[f->port_node[d.cycle[i].port]], EAST);
  on.plan->method = own;
  ripstop_prover_free(prover);
  stand_close(&on);
  ripstop_fabric_free(f);
}

static void unknown_names_are_refused(void **state) {
  (void)state;
  ripstop_error err;
  assert_null(ripstop_subfunction_find(ripstop_method_find("misroute", 8, &err), "stages", &err));
  assert_string_equal(err.text, "method misroute has no subfunction 'stages'; it has all, stage, subtree");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(r_m_prime_has_no_cycle_below_half_the_radix),
      cmocka_unit_test(first_cycles_come_at_half_the_radix),
      cmocka_unit_test(the_whole_function_has_cycles_earlier),
      cmocka_unit_test(cross_dependencies_are_told_apart),
      cmocka_unit_test(escapes_of_tori_are_subfunctions),
      cmocka_unit_test(threads_find_the_same_graph),
      cmocka_unit_test(starved_heads_settle_early_too),
      cmocka_unit_test(cycles_are_found_behind_queues_between_them),
      cmocka_unit_test(unknown_names_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
