/* test_bgp.c - the method bgp: counts over all fault sets against closed forms and an enumeration by another program;
 * the tables against switches that send each other paths in random orders, and against the routes of stock FRR. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "fabric/graph.h"
#include "formats/ethernet/cabling_diff.h"
#include "methods/bgp/bgp.h"
#include "prove/proof.h"
#include "ripstop/kit/judge.h"
#include "ripstop/plugin/method.h"
#include "stand.h"
#include "tables/ethernet/ethernet_files.h"
#include "tables/ethernet/ethernet_judge.h"

enum { TURNS, AMBIGUOUS, FACTS };

static void facts_of(const ripstop_plan *plan, uint64_t value[FACTS]) { plan->method->facts(plan, value); }

/* ------------------------------------------------------------------ all fault sets */

/* All sets of `failed` cables, those with a credit loop, those that lose a pair, and those under which packets turn
 * from down to up; `lost` has the ordered pairs of end nodes that all sets lose together. */
typedef struct counts {
  const char *fabric, *method;
  uint32_t failed, sets, loops, cuts, lost, turning;
} counts;

/* Leaf-spine fabrics with one host at each leaf (xgft:m=1.LEAVES,w=1.SPINES), and the fat tree of 4-port switches with
 * two. An enumeration by a program that shares no code with ripstop has counted all of them; per pair of leaves in the
 * fat tree. With as many failed cables as spines, C(LEAVES, 2) (2^SPINES - 2) sets have a loop. */
#define OWN  "bgp"
#define ONE  "bgp:plan=spines"
#define RFC  "bgp:plan=rfc7938"
#define TREE "mport-ntree:m=4,n=3"
static const counts known[] = {{"xgft:m=1.3,w=1.3", OWN, 3, 84, 0, 3, 12, 18},
                               {"xgft:m=1.4,w=1.2", OWN, 1, 8, 0, 0, 0, 0},
                               {"xgft:m=1.4,w=1.2", OWN, 2, 28, 12, 4, 24, 12},
                               {"xgft:m=1.4,w=1.2", OWN, 3, 56, 0, 24, 144, 24},
                               {"xgft:m=1.4,w=1.2", OWN, 4, 70, 0, 68, 444, 24},
                               {"xgft:m=1.5,w=1.2", OWN, 3, 120, 60, 40, 320, 60},
                               {"xgft:m=1.6,w=1.3", OWN, 3, 816, 90, 6, 60, 90},
                               {"xgft:m=1.4,w=1.3", OWN, 4, 495, 180, 36, 216, 216},
                               {"xgft:m=1.4,w=1.4", OWN, 4, 1820, 84, 4, 24, 84},
                               {"xgft:m=1.4,w=1.2", ONE, 1, 8, 0, 0, 0, 0},
                               {"xgft:m=1.4,w=1.2", ONE, 2, 28, 0, 16, 48, 0},
                               {"xgft:m=1.4,w=1.3", ONE, 4, 495, 0, 252, 720, 0},
                               {"xgft:m=1.6,w=1.3", ONE, 3, 816, 0, 96, 240, 0},
                               {TREE, OWN, 1, 32, 0, 0, 0, 0},
                               {TREE, OWN, 2, 496, 56, 8, 4 * 112, 56},
                               {TREE, OWN, 3, 4960, 1280, 240, 4 * 3360, 1392},
                               {TREE, RFC, 2, 496, 0, 64, 4 * 224, 0},
                               {TREE, RFC, 3, 4960, 0, 1632, 4 * 7264, 0},
                               {TREE, "bgp:classes=2", 3, 4960, 0, 240, 4 * 3360, 1392},
                               {"xgft:m=1.4,w=1.3", "bgp:classes=2,beyond=leave", 4, 495, 0, 36, 216, 216}};

static counts count_sets(const counts *like) {
  ripstop_error err;
  ripstop_answer answer;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_combinations c;
  counts out = *like;
  out.sets = out.loops = out.cuts = out.lost = out.turning = 0;
  ripstop_fabric *f = ripstop_fabric_open(like->fabric, &err);
  if (!f) fail_msg("%s", err.text);
  stand s = stand_on(f, like->method, NULL);
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_combinations_first(arena, f->links - f->link_ends, like->failed, &c);
  do {
    ripstop_proof proof;
    uint64_t value[FACTS];
    for (uint32_t i = 0; i < c.count; i++) ripstop_view_set_link(s.view, f->link_ends + c.part[i], false);
    answer = stand_update(s.plan, &err);
    s.plan->binding = ripstop_own_binding(s.plan->method);
    if (answer != RIPSTOP_APPLIES || ripstop_prover_prove(prover, s.plan, &proof, &err)) fail_msg("%s", err.text);
    facts_of(s.plan, value);
    assert_int_equal(value[AMBIGUOUS], 0);
    out.sets++;
    out.loops += !proof.deadlock_free;
    out.cuts += !proof.tolerated;
    out.lost += (uint32_t)proof.lost_pairs_some_choice;
    out.turning += value[TURNS] > 0;
    for (uint32_t i = 0; i < c.count; i++) ripstop_view_set_link(s.view, f->link_ends + c.part[i], true);
  } while (ripstop_combinations_next(&c));
  ripstop_prover_free(prover);
  stand_close(&s);
  ripstop_fabric_free(f);
  return out;
}

static void all_fault_sets_are_as_counted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const counts *k = &known[i], c = count_sets(k);
    if (c.sets != k->sets || c.loops != k->loops || c.cuts != k->cuts || c.lost != k->lost || c.turning != k->turning)
      fail_msg("%s with %s, %u failed: %u sets, %u loops, %u cut, %u pairs, %u with turns", k->fabric, k->method,
               k->failed, c.sets, c.loops, c.cuts, c.lost, c.turning);
  }
}

/* ------------------------------------------------------------------ tables and routes */

/* The judge of the tables and the prover of the plan agree on deadlock, and count the same lost pairs; but to the judge
 * packets that leave the lossless classes arrive in a lossy one. */
static void compare_judge(const ripstop_fabric *f, const char *method, uint64_t seed, uint32_t *lost) {
  ripstop_error err;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_faults faults;
  ripstop_proof proof;
  ripstop_table_verdict judged;
  assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_ALL_LINKS, 1 + seed % 5, seed, 0, &faults, &err), 0);
  stand s = stand_on(f, method, &faults);
  s.plan->binding = ripstop_own_binding(s.plan->method);
  ripstop_prover *prover = ripstop_prover_new(f);
  if (ripstop_prover_prove(prover, s.plan, &proof, &err) ||
      ripstop_judge(arena, s.view, s.plan->method->forwarding(s.plan), NULL, &judged, &err))
    fail_msg("%s", err.text);
  const bool lossy = strstr(method, "leave") != NULL;
  if (lossy ? judged.unreached > proof.lost_pairs_some_choice : judged.unreached != proof.lost_pairs_some_choice)
    fail_msg("%s on %s, sample %llu: judged %llu lost, proved %llu", method, f->spec, (unsigned long long)seed,
             (unsigned long long)judged.unreached, (unsigned long long)proof.lost_pairs_some_choice);
  if (judged.credit_loop == proof.deadlock_free)
    fail_msg("%s on %s, sample %llu: deadlock", method, f->spec, (unsigned long long)seed);
  *lost += proof.lost_pairs_some_choice > judged.disconnected;
  ripstop_prover_free(prover);
  stand_close(&s);
}

static void tables_do_what_routes_do(void **state) {
  (void)state;
  static const char *const methods[] = {"bgp",
                                        "bgp:plan=rfc7938",
                                        "bgp:repair=local",
                                        "bgp:repair=local,maximum_paths=1",
                                        "bgp:maximum_paths=1",
                                        "bgp:classes=2",
                                        "bgp:classes=1,beyond=leave",
                                        "bgp:classes=2,beyond=leave,repair=local"};
  static const char *const specs[] = {TREE, "xgft:m=2.4,w=1.2", "kary-ntree:k=2,n=4"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    uint32_t lost = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
      ripstop_fabric *f = ripstop_fabric_open(specs[i], NULL);
      for (uint64_t seed = 1; seed <= 40; seed++) compare_judge(f, methods[m], seed, &lost);
      ripstop_fabric_free(f);
    }
    print_message("%s: %u of 120 sets lose pairs that have a path\n", methods[m], lost);
    const bool serves = strstr(methods[m], "local") == NULL && strstr(methods[m], "leave") == NULL && m != 1;
    assert_int_equal(lost > 0, !serves);
  }
}

/* ------------------------------------------------------------------ switches that send each other paths */

enum { MOST = 40, LENGTH = 24 };

/* A switch's own path to the destination: the switches on it, its own first. */
typedef struct own_path {
  uint32_t length, at[LENGTH]; /* length 0: none */
} own_path;

typedef struct world {
  const ripstop_view *view;
  const ripstop_fabric *f;
  uint32_t switches, allowed, tier[MOST], as[MOST];
  own_path own[MOST];
  ripstop_stream random;
} world;

static uint32_t switch_behind(const world *w, uint32_t port) {
  const uint32_t node = w->f->peer[port] == RIPSTOP_NONE ? 0 : w->f->port_node[w->f->peer[port]];
  return ripstop_is_end(w->f, node) ? RIPSTOP_NONE : node - w->f->ends;
}

/* Tiers by repeated improvement; pods by repeated spreading of the smallest number. */
static void assign(world *w, const char *plan) {
  const ripstop_fabric *f = w->f;
  uint32_t top = 0, pod[MOST];
  for (uint32_t s = 0; s < w->switches; s++) w->tier[s] = 99;
  for (uint32_t end = 0; end < f->ends; end++) w->tier[ripstop_end_switch(f, end) - f->ends] = 0;
  for (uint32_t round = 0; round < w->switches; round++)
    for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++) {
      const uint32_t s = f->port_node[port] - f->ends, to = switch_behind(w, port);
      if (to != RIPSTOP_NONE && w->tier[to] + 1 < w->tier[s]) w->tier[s] = w->tier[to] + 1;
    }
  for (uint32_t s = 0; s < w->switches; s++) top = w->tier[s] > top ? w->tier[s] : top;
  for (uint32_t s = 0; s < w->switches; s++) w->as[s] = 1000 + s;
  for (uint32_t tier = 1; tier <= top && strcmp(plan, "own") != 0; tier++) {
    for (uint32_t s = 0; s < w->switches; s++) pod[s] = s;
    for (uint32_t round = 0; round < w->switches; round++)
      for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++) {
        const uint32_t s = f->port_node[port] - f->ends, to = switch_behind(w, port);
        if (to != RIPSTOP_NONE && w->tier[s] <= tier && w->tier[to] <= tier && pod[to] < pod[s]) pod[s] = pod[to];
      }
    for (uint32_t s = 0; s < w->switches; s++) {
      if (w->tier[s] != tier) continue;
      const bool one = strcmp(plan, "tier") == 0 || (tier == top && strcmp(plan, "pod") != 0);
      if (one) w->as[s] = 100 + tier;
      if (!one && tier < top && strcmp(plan, "spines") != 0) w->as[s] = 100 * (tier + 1) + pod[s];
    }
  }
}

static bool takes(const world *w, uint32_t s, const own_path *path) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < path->length; i++) count += w->as[path->at[i]] == w->as[s];
  return path->length > 0 && path->length < LENGTH && count <= w->allowed;
}

/* The switch receives the present paths of its neighbours. It keeps its path if that is still among the shortest, and
 * takes a random one of these otherwise. True: its path has changed. */
static bool receive(world *w, uint32_t s) {
  const ripstop_fabric *f = w->f;
  own_path best = {0};
  uint32_t equal = 0;
  for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
    const uint32_t to = w->view->port_up[port] ? switch_behind(w, port) : RIPSTOP_NONE;
    if (to == RIPSTOP_NONE || !takes(w, s, &w->own[to])) continue;
    own_path now = {.length = w->own[to].length + 1, .at = {s}};
    memcpy(now.at + 1, w->own[to].at, w->own[to].length * sizeof *now.at);
    if (best.length && now.length > best.length) continue;
    equal = best.length == now.length ? equal + 1 : 1;
    const bool kept = memcmp(&now, &w->own[s], sizeof now) == 0, was = memcmp(&best, &w->own[s], sizeof best) == 0;
    if (equal == 1 || kept || (!was && ripstop_stream_below(&w->random, equal) == 0)) best = now;
  }
  const bool changed = memcmp(&best, &w->own[s], sizeof best) != 0;
  w->own[s] = best;
  return changed;
}

/* Switches receive paths in random order until nothing changes. */
static void settle(world *w, uint32_t to) {
  for (uint32_t s = 0; s < w->switches; s++) w->own[s] = (own_path){0};
  w->own[to] = (own_path){.length = 1, .at = {to}};
  for (uint32_t rounds = 0, changed = 1; changed; rounds++) {
    if (rounds > 1000) fail_msg("BGP does not settle on %s", w->f->spec);
    for (uint32_t i = 0; i < 2 * w->switches; i++) {
      const uint32_t s = ripstop_stream_below(&w->random, w->switches);
      if (s != to) receive(w, s);
    }
    changed = 0;
    for (uint32_t s = 0; s < w->switches; s++) changed |= s != to && receive(w, s);
  }
}

/* The number of switches whose next hops differ from the entries. */
static uint32_t differences(const world *w, const ripstop_forwarding *t, uint32_t end) {
  const ripstop_fabric *f = w->f;
  uint32_t count = 0;
  for (uint32_t s = 0; s < w->switches; s++) {
    bool same = true;
    for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      const uint32_t to = w->view->port_up[port] ? switch_behind(w, port) : RIPSTOP_NONE;
      const bool uses = to != RIPSTOP_NONE && takes(w, s, &w->own[to]) && w->own[s].length == w->own[to].length + 1;
      bool has = false;
      for (uint32_t i = 0; ripstop_forwarding_hop(t, end, f->ends + s, i).port != RIPSTOP_NO_PORT; i++)
        has |= f->port_base[f->ends + s] + ripstop_forwarding_hop(t, end, f->ends + s, i).port == port;
      same &= to == RIPSTOP_NONE || has == uses;
    }
    count += !same;
  }
  return count;
}

typedef struct tally {
  uint32_t entries, routes, ambiguous, differ;
} tally;

static void compare(const ripstop_view *view, const char *plan, uint32_t allowed, uint64_t seed, tally *t) {
  const ripstop_fabric *f = view->fabric;
  RIPSTOP_LOCAL_ARENA(arena);
  const bgp_rules rules = {.plan = plan[0] == 'o'   ? BGP_OWN
                                   : plan[0] == 's' ? BGP_SPINES
                                   : plan[0] == 'r' ? BGP_RFC7938
                                   : plan[0] == 'p' ? BGP_POD
                                                    : BGP_TIER,
                           .allowed = allowed,
                           .most = 256,
                           .classes = 1};
  bgp_net net;
  bgp_paths paths;
  bgp_net_open(&net, view, &rules, false, arena);
  bgp_paths_open(&paths, &net, arena);
  const ripstop_forwarding *tables = bgp_tables_make(&net, true, arena, NULL);
  world w = {.view = view, .f = f, .switches = ripstop_fabric_switches(f), .allowed = allowed};
  w.random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 1);
  assert_true(w.switches <= MOST);
  assign(&w, plan);
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t to = ripstop_end_switch(f, end) - f->ends;
    bgp_paths_find(&paths, to);
    const uint32_t ambiguous = bgp_paths_ambiguous(&paths);
    settle(&w, to);
    const uint32_t differ = differences(&w, tables, end);
    if (!ambiguous && differ)
      fail_msg("%s, plan %s, allowed %u, seed %llu: %u entries differ", f->spec, plan, allowed,
               (unsigned long long)seed, differ);
    t->entries += w.switches;
    t->routes += paths.routed;
    t->ambiguous += ambiguous > 0;
    t->differ += differ > 0;
  }
}

/* A random graph of 9 to 16 switches, three of which have hosts. */
static ripstop_fabric *random_graph(ripstop_stream *random) {
  ripstop_error err;
  RIPSTOP_LOCAL_TEXT(edges);
  ripstop_text_begin(&edges);
  const uint32_t switches = 9 + ripstop_stream_below(random, 8);
  for (uint32_t s = 0; s < switches; s++) ripstop_text_add(&edges, "@router s%u\n", s);
  for (uint32_t h = 0; h < 3; h++) ripstop_text_add(&edges, "@end h%u s%u\n", h, h);
  for (uint32_t s = 1; s < switches; s++) ripstop_text_add(&edges, "s%u s%u\n", s, ripstop_stream_below(random, s));
  for (uint32_t more = 0; more < switches; more++) {
    const uint32_t a = ripstop_stream_below(random, switches), b = ripstop_stream_below(random, switches);
    if (a != b) ripstop_text_add(&edges, "s%u s%u\n", a, b);
  }
  ripstop_fabric *f = ripstop_graph_from_text("random", edges.data, edges.length, &err);
  if (!f) fail_msg("%s", err.text);
  return f;
}

static void switches_settle_on_these_paths(void **state) {
  (void)state;
  static const char *const specs[] = {"xgft:m=2.3,w=1.2",    "mport-ntree:m=4,n=3", "kary-ntree:k=2,n=4",
                                      "jellyfish:n=12,r=3",  "torus:3x4",           "kns:k=3,n=2",
                                      "xgft:m=1.2.3,w=1.2.2"};
  static const char *const plans[] = {"own", "spines", "rfc7938", "pod", "tier"};
  enum { REGULAR = sizeof specs / sizeof *specs, FABRICS = 40 };
  tally t = {0};
  for (uint64_t seed = 0; seed < 30; seed++)
    for (size_t i = 0; i < FABRICS; i++) {
      ripstop_error err = {0};
      ripstop_stream random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 2 + i);
      ripstop_fabric *f = i < REGULAR ? ripstop_fabric_open(specs[i], &err) : random_graph(&random);
      if (!f) fail_msg("%s", err.text);
      ripstop_view *view = ripstop_view_new(f, NULL);
      for (uint32_t failed = ripstop_stream_below(&random, 6); failed > 0; failed--)
        ripstop_view_set_link(view, f->link_ends + ripstop_stream_below(&random, f->links - f->link_ends), false);
      for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) compare(view, plans[p], (uint32_t)(seed % 3), seed, &t);
      ripstop_view_free(view);
      ripstop_fabric_free(f);
    }
  print_message("%u of %u entries have routes; %u destinations with ambiguous entries, %u differ\n", t.routes,
                t.entries, t.ambiguous, t.differ);
  assert_true(t.routes > 100000 && t.routes < t.entries && t.ambiguous > 100 && t.differ > 10);
}

/* ------------------------------------------------------------------ stock FRR */

static const char *name_of(ripstop_arena *arena, const ripstop_fabric *f, uint32_t port) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, f->port_node[port], name);
  const uint32_t link = f->port_link[port];
  return ripstop_arena_printf(arena, "%s[%s]", name,
                              ripstop_graph_port(f, link, f->link_port[2 * (size_t)link] != port));
}

/* The port of the fabric that routes call "leaf1[swp1]". */
static uint32_t port_named(ripstop_arena *arena, const ripstop_fabric *f, const char *name) {
  for (uint32_t port = f->port_base[f->ends]; port < f->ports; port++)
    if (f->port_link[port] >= f->link_ends && strcmp(name_of(arena, f, port), name) == 0) return port;
  fail_msg("the plan has no port %s", name);
  return RIPSTOP_NONE;
}

static uint32_t node_named(const ripstop_fabric *f, const char *name) {
  ripstop_names *names = ripstop_names_new(f);
  const uint32_t node = ripstop_names_switch(names, name, strlen(name));
  ripstop_names_free(names);
  return node;
}

/* The fabric of the plan of cables; those that LLDP does not report have failed. */
static ripstop_view *view_of(ripstop_arena *arena, const char *folder, const cabling *found) {
  ripstop_error err = {0};
  cabling plan;
  cabling_diff diff;
  RIPSTOP_LOCAL_TEXT(edges);
  RIPSTOP_LOCAL_TEXT(notes);
  ripstop_text_begin(&edges);
  ripstop_text_begin(&notes);
  cabling_open(&plan, arena);
  assert_int_equal(ethernet_cabling_read(&plan, ripstop_arena_printf(arena, "%s/topology.dot", folder), &notes, &err),
                   0);
  assert_true(cabling_edges(&plan, NULL, &edges));
  ripstop_fabric *f = ripstop_graph_from_text("plan", edges.data, edges.length, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(f, NULL);
  cabling_compare(&plan, found, arena, &diff);
  for (uint32_t i = 0; i < diff.missings; i++) {
    const char *end = strchr(diff.missing[i], ']') + 1; /* "leaf1[swp1]-spine1[swp1]" */
    const char *port = ripstop_arena_printf(arena, "%.*s", (int)(end - diff.missing[i]), diff.missing[i]);
    ripstop_view_set_link(view, f->port_link[port_named(arena, f, port)], false);
  }
  cabling_close(&plan);
  return view;
}

static void compare_set(ripstop_arena *arena, const fib *routes, const fib_set *set, const ripstop_forwarding *t,
                        uint32_t end, uint32_t node) {
  const ripstop_fabric *f = t->fabric;
  for (uint32_t i = 0; i < set->count; i++) {
    const char *name = fib_port_name(routes, routes->hop[set->first + i].port);
    const uint32_t port = port_named(arena, f, name);
    bool found = false;
    for (uint32_t k = 0; ripstop_forwarding_hop(t, end, node, k).port != RIPSTOP_NO_PORT; k++)
      found |= f->port_base[node] + ripstop_forwarding_hop(t, end, node, k).port == port;
    if (!found) fail_msg("FRR has the next hop %s, and bgp has not", name);
  }
  assert_true(ripstop_forwarding_hop(t, end, node, set->count - 1).port != RIPSTOP_NO_PORT);
  assert_true(ripstop_forwarding_hop(t, end, node, set->count).port == RIPSTOP_NO_PORT);
}

/* Compares all entries for a host. Returns how many there are. */
static uint32_t compare_host(ripstop_arena *arena, const ethernet_case *e, const ripstop_forwarding *t, uint32_t host) {
  const ripstop_fabric *f = t->fabric;
  const fib *routes = &e->f;
  const uint32_t home = node_named(f, routes->c->node[routes->node[routes->host[host].switch_]].name);
  uint32_t end = 0;
  while (ripstop_end_switch(f, end) != home) end++;
  for (uint32_t s = 0; s < routes->switches; s++) {
    const uint32_t node = node_named(f, routes->c->node[routes->node[s]].name);
    const uint32_t entry = fib_entry(routes, &routes->now, routes->group[routes->host[host].group].first, s);
    if (fib_is_set(entry))
      compare_set(arena, routes, &routes->set[entry], t, end, node);
    else if (entry == FIB_DELIVERS)
      assert_int_equal(node, home);
    else
      assert_int_equal(ripstop_forwarding_port(t, end, node), RIPSTOP_NO_PORT);
  }
  return routes->switches;
}

static uint32_t compare_case(const char *name, uint32_t plan) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error err = {0};
  ethernet_case e;
  const char *folder = ripstop_arena_printf(arena, RIPSTOP_SOURCE_DIR "/tests/data/ethernet/%s", name);
  const char *lldp = ripstop_arena_printf(arena, "%s/lldp", folder);
  const char *routes = ripstop_arena_printf(arena, "%s/routes", folder);
  const ethernet_request what = {.cables = lldp, .tables = &routes, .table_count = 1};
  if (ethernet_judge(&e, &what, &err)) fail_msg("%s", err.text);
  const bgp_rules rules = {.plan = plan, .most = 64, .classes = 1};
  bgp_net net;
  ripstop_table_verdict verdict;
  ripstop_view *view = view_of(arena, folder, &e.c);
  ripstop_fabric *fabric = (ripstop_fabric *)view->fabric;
  bgp_net_open(&net, view, &rules, false, arena);
  const ripstop_forwarding *t = bgp_tables_make(&net, false, arena, &err);
  uint32_t entries = 0;
  for (uint32_t host = 0; host < e.f.hosts; host++) entries += compare_host(arena, &e, t, host);
  assert_int_equal(ripstop_judge(arena, view, t, NULL, &verdict, &err), 0);
  assert_int_equal(verdict.pairs, e.now.pairs);
  assert_int_equal(verdict.unreached, e.now.unreached);
  assert_int_equal(verdict.credit_loop, e.cycles.length > 0);
  assert_int_equal(verdict.in_loops, e.cycles.vertices);
  assert_int_equal(verdict.max_hops, e.now.max_hops);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  ethernet_case_close(&e);
  return entries;
}

static void tables_are_those_of_frr(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t plan;
  } cases[] = {{"ls42-own-2-loop", BGP_OWN},
               {"ls42-spines-2-cut", BGP_SPINES},
               {"par32-1", BGP_OWN},
               {"cross-spines-1", BGP_OWN},
               {"ring4-0", BGP_OWN},
               {"ring5-1", BGP_OWN},
               {"ft4-own-3", BGP_OWN},
               {"ft4-tier-0", BGP_TIER},
               {"classes-ls42-bounce", BGP_OWN}};
  uint32_t entries = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) entries += compare_case(cases[i].name, cases[i].plan);
  print_message("%u entries\n", entries);
  assert_int_equal(entries, 24 + 24 + 15 + 24 + 16 + 25 + 160 + 160 + 24);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_fault_sets_are_as_counted), cmocka_unit_test(tables_do_what_routes_do),
      cmocka_unit_test(switches_settle_on_these_paths), cmocka_unit_test(tables_are_those_of_frr)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
