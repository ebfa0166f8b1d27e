/* test_prove_symmetry.c - relabellings keep the wiring; orbits are those of the group, recomputed from its generators;
 * verdicts of methods that claim symmetry are equal over an orbit; weighted totals are those of all sets. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "prove/proof.h"
#include "prove/symmetry.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/family.h"
#include "stand.h"

/* ------------------------------------------------------------------ relabellings as permutations of links */

enum { VALUES_MAX = 16 };

typedef struct relabelling {
  uint32_t to[RIPSTOP_ALPHABETS_MAX][VALUES_MAX];
} relabelling;

static bool same_tuple(const ripstop_symbol *a, const ripstop_symbol *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (a[i].alphabet != b[i].alphabet || a[i].value != b[i].value) return false;
  return true;
}

static uint32_t link_of_tuple(const ripstop_fabric *f, const ripstop_symbol *tuple, uint32_t count) {
  ripstop_symbol other[RIPSTOP_SYMBOLS_MAX];
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if (f->family->symbols(f, link, other) == count && same_tuple(tuple, other, count)) return link;
  fail_msg("%s: a relabelled link is none", f->spec);
  return RIPSTOP_NONE;
}

static uint32_t image(const ripstop_fabric *f, const relabelling *r, uint32_t link) {
  ripstop_symbol tuple[RIPSTOP_SYMBOLS_MAX];
  uint32_t count = f->family->symbols(f, link, tuple);
  for (uint32_t i = 0; i < count; i++)
    if (tuple[i].alphabet != RIPSTOP_FIXED_ALPHABET) tuple[i].value = r->to[tuple[i].alphabet][tuple[i].value];
  return link_of_tuple(f, tuple, count);
}

static void count_values(const ripstop_fabric *f, uint32_t *values) {
  memset(values, 0, RIPSTOP_ALPHABETS_MAX * sizeof *values);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    ripstop_symbol tuple[RIPSTOP_SYMBOLS_MAX];
    uint32_t count = f->family->symbols(f, link, tuple);
    for (uint32_t i = 0; i < count; i++)
      if (tuple[i].value >= values[tuple[i].alphabet]) values[tuple[i].alphabet] = tuple[i].value + 1;
  }
}

static void identity(relabelling *r) {
  for (uint32_t a = 0; a < RIPSTOP_ALPHABETS_MAX; a++)
    for (uint32_t v = 0; v < VALUES_MAX; v++) r->to[a][v] = v;
}

static uint32_t end_nodes_at(const ripstop_fabric *f, uint32_t node) {
  uint32_t ends = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    ends += f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]);
  return ends;
}

/* The map of links must be one of switches too: one to one, and end nodes hang where end nodes hang. */
static void check_wiring(const ripstop_fabric *f, const relabelling *r) {
  uint32_t *to = malloc(f->nodes * sizeof *to), *from = malloc(f->nodes * sizeof *from);
  memset(to, 0xff, f->nodes * sizeof *to);
  memset(from, 0xff, f->nodes * sizeof *from);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t mapped = image(f, r, link);
    for (unsigned side = 0; side < 2; side++) {
      uint32_t a = ripstop_link_node(f, link, side), b = ripstop_link_node(f, mapped, side);
      if (to[a] == RIPSTOP_NONE) to[a] = b;
      if (from[b] == RIPSTOP_NONE) from[b] = a;
      assert_int_equal(to[a], b);
      assert_int_equal(from[b], a);
      assert_int_equal(end_nodes_at(f, a), end_nodes_at(f, b));
    }
  }
  free(to);
  free(from);
}

static void relabellings_keep_the_wiring_of(const char *spec) {
  ripstop_fabric *f = open_fabric(spec);
  uint32_t values[RIPSTOP_ALPHABETS_MAX];
  count_values(f, values);
  ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t round = 0; round < 10; round++) {
    relabelling r;
    identity(&r);
    for (uint32_t a = RIPSTOP_FIXED_ALPHABET + 1; a < RIPSTOP_ALPHABETS_MAX; a++)
      for (uint32_t v = values[a]; v > 1; v--) {
        uint32_t w = ripstop_stream_below(&stream, v), kept = r.to[a][v - 1];
        r.to[a][v - 1] = r.to[a][w];
        r.to[a][w] = kept;
      }
    check_wiring(f, &r);
  }
  ripstop_fabric_free(f);
}

static void relabellings_keep_the_wiring(void **state) {
  (void)state;
  static const char *const more[] = {"kary-ntree:k=2,n=4",  "kary-ntree:k=4,n=2",  "kary-ntree:k=2,n=1",
                                     "mport-ntree:m=6,n=3", "mport-ntree:m=4,n=2", "kns:k=4,n=3,c=2",
                                     "kns:k=4,n=2,s=2",     "kns:k=9,n=1,s=2",     "kns:k=8,n=2,s=3,c=2"};
  for (const ripstop_family *const *family = ripstop_families; *family; family++)
    if ((*family)->symbols) relabellings_keep_the_wiring_of((*family)->example);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) relabellings_keep_the_wiring_of(more[i]);
}

/* ------------------------------------------------------------------ orbits, from the generators of the group */

static uint64_t choose(uint32_t n, uint32_t k) { return k > n ? 0 : ripstop_combinations_total(n, k); }

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* A number for every ascending set: sum of C(part i, i + 1). */
static uint64_t number_of(const uint32_t *part, uint32_t count) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < count; i++) number += choose(part[i], i + 1);
  return number;
}

static uint32_t root(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Joins every set with its image under the exchange of two neighbouring values of one alphabet. */
static void join_by(const ripstop_fabric *f, const relabelling *r, uint32_t count, uint32_t *parent) {
  uint32_t links = f->links - f->link_ends, *to = malloc(links * sizeof *to);
  for (uint32_t i = 0; i < links; i++) to[i] = image(f, r, f->link_ends + i) - f->link_ends;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, links, count, &c);
  do {
    uint32_t mapped[RIPSTOP_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) mapped[i] = to[c.part[i]];
    qsort(mapped, count, sizeof *mapped, ascending);
    uint32_t a = root(parent, (uint32_t)number_of(c.part, count));
    parent[a] = root(parent, (uint32_t)number_of(mapped, count));
  } while (ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
  free(to);
}

static uint32_t *orbits_from_generators(const ripstop_fabric *f, uint32_t count) {
  uint32_t values[RIPSTOP_ALPHABETS_MAX], total = (uint32_t)choose(f->links - f->link_ends, count);
  uint32_t *parent = malloc(total * sizeof *parent);
  for (uint32_t i = 0; i < total; i++) parent[i] = i;
  count_values(f, values);
  for (uint32_t a = RIPSTOP_FIXED_ALPHABET + 1; a < RIPSTOP_ALPHABETS_MAX; a++)
    for (uint32_t v = 1; v < values[a]; v++) {
      relabelling r;
      identity(&r);
      r.to[a][v] = v - 1;
      r.to[a][v - 1] = v;
      join_by(f, &r, count, parent);
    }
  return parent;
}

static void check_orbits(const char *spec, uint32_t count) {
  ripstop_error err;
  ripstop_fabric *f = open_fabric(spec);
  ripstop_symmetry *symmetry = ripstop_symmetry_new(f, true);
  assert_true(ripstop_symmetry_useful(symmetry));
  uint32_t links = f->links - f->link_ends, total = (uint32_t)choose(links, count), roots = 0, seen = 0;
  uint32_t *parent = orbits_from_generators(f, count), *size = calloc(total, sizeof *size);
  for (uint32_t i = 0; i < total; i++) {
    size[root(parent, i)]++;
    roots += parent[i] == i;
  }
  /* every orbit once, with its size */
  uint8_t *found = calloc(total, 1);
  uint64_t sum = 0;
  ripstop_orbits o;
  assert_int_equal(ripstop_orbits_first(&o, symmetry, count, &err), 0);
  do {
    uint32_t part[RIPSTOP_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) part[i] = o.link[i] - f->link_ends;
    uint32_t r = root(parent, (uint32_t)number_of(part, count));
    assert_false(found[r]);
    found[r] = 1;
    assert_true(o.sets == size[r]);
    sum += o.sets;
    seen++;
  } while (ripstop_orbits_next(&o));
  assert_int_equal(seen, roots);
  assert_true(sum == total);
  /* every set to its representative */
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, links, count, &c);
  do {
    uint32_t set[RIPSTOP_ORBIT_FAULTS], least[RIPSTOP_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) set[i] = f->link_ends + c.part[count - 1 - i];
    uint64_t sets = ripstop_symmetry_canonical(symmetry, set, count, least);
    for (uint32_t i = 0; i < count; i++) set[i] = least[i] - f->link_ends;
    uint32_t own = (uint32_t)number_of(c.part, count), of = (uint32_t)number_of(set, count);
    assert_int_equal(root(parent, own), root(parent, of));
    assert_true(sets == size[root(parent, own)]);
    assert_true(ripstop_symmetry_canonical(symmetry, least, count, least) == sets); /* in place, and stays */
    for (uint32_t i = 0; i < count; i++) assert_int_equal(least[i], set[i] + f->link_ends);
  } while (ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
  free(found);
  free(size);
  free(parent);
  ripstop_symmetry_free(symmetry);
  ripstop_fabric_free(f);
}

static void orbits_are_those_of_the_group(void **state) {
  (void)state;
  for (uint32_t count = 1; count <= 3; count++) {
    check_orbits("kary-ntree:k=2,n=3", count);
    check_orbits("kary-ntree:k=3,n=2", count);
    check_orbits("kary-ntree:k=4,n=2", count);
    check_orbits("mport-ntree:m=4,n=2", count);
    check_orbits("kns:k=3,n=2", count);
    check_orbits("kns:k=4,n=1,s=2", count);
  }
  check_orbits("kns:k=4,n=2,s=2", 2);
  check_orbits("kary-ntree:k=3,n=3", 2);
  check_orbits("mport-ntree:m=4,n=3", 2);
  check_orbits("kary-ntree:k=2,n=3", 5);
  check_orbits("kary-ntree:k=3,n=2", 9); /* all links: one orbit of one set */
}

/* Bigger ones at least add up, and each representative is its own. */
static void orbits_add_up(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  ripstop_symmetry *symmetry = ripstop_symmetry_new(f, true);
  for (uint32_t count = 0; count <= 4; count++) {
    ripstop_orbits o;
    uint64_t sum = 0;
    assert_int_equal(ripstop_orbits_first(&o, symmetry, count, &err), 0);
    do {
      uint32_t least[RIPSTOP_ORBIT_FAULTS];
      assert_true(ripstop_symmetry_canonical(symmetry, o.link, count, least) == o.sets);
      assert_memory_equal(least, o.link, count * sizeof *least);
      sum += o.sets;
    } while (ripstop_orbits_next(&o));
    assert_true(sum == choose(128, count));
  }
  ripstop_symmetry_free(symmetry);
  ripstop_fabric_free(f);
}

static void without_symmetry_every_set_stands_alone(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x3", "kary-ntree:k=2,n=2"};
  ripstop_error err;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_fabric *f = open_fabric(specs[i]);
    ripstop_symmetry *symmetry = ripstop_symmetry_new(f, false);
    assert_false(ripstop_symmetry_useful(symmetry));
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_combinations c;
    ripstop_combinations_first(arena, f->links - f->link_ends, 3, &c);
    ripstop_orbits o;
    assert_int_equal(ripstop_orbits_first(&o, symmetry, 3, &err), 0);
    bool more = true;
    do {
      assert_true(more);
      for (uint32_t k = 0; k < 3; k++) assert_int_equal(o.link[k], f->link_ends + c.part[k]);
      assert_true(o.sets == 1);
      more = ripstop_orbits_next(&o);
    } while (ripstop_combinations_next(&c));
    assert_false(more);
    ripstop_arena_free(arena);
    ripstop_symmetry_free(symmetry);
    ripstop_fabric_free(f);
  }
}

static void impossible_counts_are_refused(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_orbits o;
  ripstop_fabric *small = open_fabric("kary-ntree:k=2,n=2"), *big = open_fabric("torus:64x64");
  ripstop_symmetry *of_small = ripstop_symmetry_new(small, true), *of_big = ripstop_symmetry_new(big, true);
  assert_int_equal(ripstop_orbits_first(&o, of_small, 5, &err), -1);
  assert_string_equal(err.text, "5 links are to fail, but only 4 join switches");
  assert_int_equal(ripstop_orbits_first(&o, of_big, RIPSTOP_ORBIT_FAULTS + 1, &err), -1);
  assert_string_equal(err.text, "all sets of 17 links: at most 16 can be gone through");
  assert_int_equal(ripstop_orbits_first(&o, of_big, 10, &err), -1);
  assert_string_equal(err.text, "there are more than 2^64 sets of 10 links");
  ripstop_symmetry_free(of_small);
  ripstop_symmetry_free(of_big);
  ripstop_fabric_free(small);
  ripstop_fabric_free(big);
}

/* ------------------------------------------------------------------ verdicts */

typedef struct lab {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
} lab;

static lab lab_open(const char *spec, const char *method) {
  ripstop_error err;
  lab l = {.fabric = open_fabric(spec)};
  l.view = ripstop_view_new(l.fabric, NULL);
  l.plan = stand_plan(l.view, method, NULL, &err);
  if (!l.plan) fail_msg("%s: %s", method, err.text);
  l.prover = ripstop_prover_new(l.fabric);
  return l;
}

static void lab_close(lab *l) {
  ripstop_prover_free(l->prover);
  ripstop_plan_free(l->plan);
  ripstop_view_free(l->view);
  ripstop_fabric_free(l->fabric);
}

static ripstop_proof prove_set(lab *l, const uint32_t *link, uint32_t count) {
  ripstop_error err;
  ripstop_proof proof;
  for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(l->view, link[i], false);
  assert_int_equal(stand_update(l->plan, &err), RIPSTOP_APPLIES);
  if (ripstop_prover_prove(l->prover, l->plan, &proof, &err)) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(l->view, link[i], true);
  return proof;
}

static void check_equal(const ripstop_proof *a, const ripstop_proof *b) {
  assert_true(a->pairs == b->pairs);
  assert_true(a->disconnected_pairs == b->disconnected_pairs);
  assert_true(a->lost_pairs_some_choice == b->lost_pairs_some_choice);
  assert_true(a->lost_pairs_every_choice == b->lost_pairs_every_choice);
  assert_int_equal(a->tolerated, b->tolerated);
  assert_int_equal(a->livelock_free, b->livelock_free);
  assert_int_equal(a->deadlock_free, b->deadlock_free);
  assert_true(a->states == b->states);
  assert_int_equal(a->max_hops, b->max_hops);
  assert_int_equal(a->queues, b->queues);
}

static void check_verdicts(const char *spec, const char *method, uint32_t count) {
  lab l = lab_open(spec, method);
  ripstop_symmetry *symmetry = ripstop_symmetry_for(l.plan);
  assert_true(ripstop_symmetry_useful(symmetry));
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, l.fabric->links - l.fabric->link_ends, count, &c);
  do {
    uint32_t set[RIPSTOP_ORBIT_FAULTS], least[RIPSTOP_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) set[i] = l.fabric->link_ends + c.part[i];
    ripstop_symmetry_canonical(symmetry, set, count, least);
    if (memcmp(set, least, count * sizeof *set) == 0) continue;
    ripstop_proof own = prove_set(&l, set, count), of = prove_set(&l, least, count);
    check_equal(&own, &of);
  } while (ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
  ripstop_symmetry_free(symmetry);
  lab_close(&l);
}

static void verdicts_are_equal_over_an_orbit(void **state) {
  (void)state;
  static const char *const methods[] = {"updown", "misroute", "misroute:vector=off", "misroute:first_misroute_back=off",
                                        "misroute:choose=early"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_verdicts("kary-ntree:k=2,n=3", methods[i], 2);
    check_verdicts("kary-ntree:k=3,n=2", methods[i], 3);
    check_verdicts("mport-ntree:m=4,n=2", methods[i], 2);
  }
  check_verdicts("kary-ntree:k=2,n=3", "misroute", 3);
  check_verdicts("kary-ntree:k=3,n=3", "misroute", 1);
  check_verdicts("mport-ntree:m=4,n=3", "misroute", 1);
}

/* Tried ports in cyclic order depend on the numbering, so nothing may be left out. */
static void order_is_no_symmetry(void **state) {
  (void)state;
  lab l = lab_open("kary-ntree:k=3,n=2", "misroute:uturn=cyclic");
  ripstop_symmetry *symmetry = ripstop_symmetry_for(l.plan);
  assert_false(ripstop_symmetry_useful(symmetry));
  ripstop_symmetry_free(symmetry);
  lab_close(&l);
}

typedef struct totals {
  uint64_t connected, deadlocked;           /* numbers of all physically connected sets */
  uint64_t tolerated, tolerated_deadlocked; /* numbers of sets that lose no pair */
} totals;

static totals total_of(const char *spec, uint32_t count, bool use) {
  ripstop_error err;
  lab l = lab_open(spec, "misroute");
  ripstop_symmetry *symmetry = ripstop_symmetry_new(l.fabric, use);
  totals t = {0};
  ripstop_orbits o;
  assert_int_equal(ripstop_orbits_first(&o, symmetry, count, &err), 0);
  do {
    ripstop_proof proof = prove_set(&l, o.link, count);
    bool connected = proof.disconnected_pairs == 0, stuck = !proof.deadlock_free;
    t.connected += connected ? o.sets : 0;
    t.deadlocked += connected && stuck ? o.sets : 0;
    t.tolerated += proof.tolerated ? o.sets : 0;
    t.tolerated_deadlocked += proof.tolerated && stuck ? o.sets : 0;
  } while (ripstop_orbits_next(&o));
  ripstop_symmetry_free(symmetry);
  lab_close(&l);
  return t;
}

static void check_total(const char *spec, uint32_t count, bool use, totals expected) {
  totals t = total_of(spec, count, use);
  assert_true(t.connected == expected.connected);
  assert_true(t.deadlocked == expected.deadlocked);
  assert_true(t.tolerated == expected.tolerated);
  assert_true(t.tolerated_deadlocked == expected.tolerated_deadlocked);
}

static void weighted_totals_are_those_of_all_sets(void **state) {
  (void)state;
  for (int use = 0; use < 2; use++) {
    check_total("kary-ntree:k=2,n=3", 2, use, (totals){116, 12, 100, 8});
    check_total("kary-ntree:k=3,n=2", 3, use, (totals){81, 24, 63, 6});
  }
  check_total("kary-ntree:k=3,n=3", 3, true, (totals){24795, 801, 24669, 684});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relabellings_keep_the_wiring),
      cmocka_unit_test(orbits_are_those_of_the_group),
      cmocka_unit_test(orbits_add_up),
      cmocka_unit_test(without_symmetry_every_set_stands_alone),
      cmocka_unit_test(impossible_counts_are_refused),
      cmocka_unit_test(verdicts_are_equal_over_an_orbit),
      cmocka_unit_test(order_is_no_symmetry),
      cmocka_unit_test(weighted_totals_are_those_of_all_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
