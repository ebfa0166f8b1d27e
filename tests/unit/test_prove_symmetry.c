/* test_prove_symmetry.c - relabellings keep the wiring; orbits are those of the group, found a second way from its
 * generators; verdicts of methods that claim symmetry are equal over an orbit; weighted totals are those of all sets.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/prove.h"

static rs_fabric *open_fabric(const char *spec) {
  rs_error err;
  rs_fabric *f = rs_fabric_open(spec, &err);
  if (!f) fail_msg("%s: %s", spec, err.text);
  return f;
}

/* ------------------------------------------------------------------ relabellings as permutations of links */

enum { VALUES_MAX = 16 };

typedef struct relabelling {
  uint32_t to[RS_ALPHABETS_MAX][VALUES_MAX];
} relabelling;

static bool same_tuple(const rs_symbol *a, const rs_symbol *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (a[i].alphabet != b[i].alphabet || a[i].value != b[i].value) return false;
  return true;
}

static uint32_t link_of_tuple(const rs_fabric *f, const rs_symbol *tuple, uint32_t count) {
  rs_symbol other[RS_SYMBOLS_MAX];
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if (f->family->symbols(f, link, other) == count && same_tuple(tuple, other, count)) return link;
  fail_msg("%s: a relabelled link is none", f->spec);
  return RS_NONE;
}

static uint32_t image(const rs_fabric *f, const relabelling *r, uint32_t link) {
  rs_symbol tuple[RS_SYMBOLS_MAX];
  uint32_t count = f->family->symbols(f, link, tuple);
  for (uint32_t i = 0; i < count; i++)
    if (tuple[i].alphabet != RS_FIXED_ALPHABET) tuple[i].value = r->to[tuple[i].alphabet][tuple[i].value];
  return link_of_tuple(f, tuple, count);
}

static void count_values(const rs_fabric *f, uint32_t *values) {
  memset(values, 0, RS_ALPHABETS_MAX * sizeof *values);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    rs_symbol tuple[RS_SYMBOLS_MAX];
    uint32_t count = f->family->symbols(f, link, tuple);
    for (uint32_t i = 0; i < count; i++)
      if (tuple[i].value >= values[tuple[i].alphabet]) values[tuple[i].alphabet] = tuple[i].value + 1;
  }
}

static void identity(relabelling *r) {
  for (uint32_t a = 0; a < RS_ALPHABETS_MAX; a++)
    for (uint32_t v = 0; v < VALUES_MAX; v++) r->to[a][v] = v;
}

static uint32_t end_nodes_at(const rs_fabric *f, uint32_t node) {
  uint32_t ends = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    ends += f->peer[port] != RS_NONE && rs_is_end(f, f->port_node[f->peer[port]]);
  return ends;
}

/* The map of links must be one of switches too: one to one, and end nodes hang where end nodes hang. */
static void check_wiring(const rs_fabric *f, const relabelling *r) {
  uint32_t *to = malloc(f->nodes * sizeof *to), *from = malloc(f->nodes * sizeof *from);
  memset(to, 0xff, f->nodes * sizeof *to);
  memset(from, 0xff, f->nodes * sizeof *from);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t mapped = image(f, r, link);
    for (unsigned side = 0; side < 2; side++) {
      uint32_t a = rs_link_node(f, link, side), b = rs_link_node(f, mapped, side);
      if (to[a] == RS_NONE) to[a] = b;
      if (from[b] == RS_NONE) from[b] = a;
      assert_int_equal(to[a], b);
      assert_int_equal(from[b], a);
      assert_int_equal(end_nodes_at(f, a), end_nodes_at(f, b));
    }
  }
  free(to);
  free(from);
}

static void relabellings_keep_the_wiring_of(const char *spec) {
  rs_fabric *f = open_fabric(spec);
  uint32_t values[RS_ALPHABETS_MAX];
  count_values(f, values);
  rs_stream stream = rs_stream_open(1, RS_RANDOM_TEST, 0);
  for (uint32_t round = 0; round < 10; round++) {
    relabelling r;
    identity(&r);
    for (uint32_t a = RS_FIXED_ALPHABET + 1; a < RS_ALPHABETS_MAX; a++)
      for (uint32_t v = values[a]; v > 1; v--) {
        uint32_t w = rs_stream_below(&stream, v), kept = r.to[a][v - 1];
        r.to[a][v - 1] = r.to[a][w];
        r.to[a][w] = kept;
      }
    check_wiring(f, &r);
  }
  rs_fabric_free(f);
}

static void relabellings_keep_the_wiring(void **state) {
  (void)state;
  static const char *const more[] = {"kary-ntree:k=2,n=4",  "kary-ntree:k=4,n=2",  "kary-ntree:k=2,n=1",
                                     "mport-ntree:m=6,n=3", "mport-ntree:m=4,n=2", "kns:k=4,n=3,c=2",
                                     "kns:k=4,n=2,s=2",     "kns:k=9,n=1,s=2",     "kns:k=8,n=2,s=3,c=2"};
  for (const rs_family *const *family = rs_families; *family; family++)
    if ((*family)->symbols) relabellings_keep_the_wiring_of((*family)->example);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) relabellings_keep_the_wiring_of(more[i]);
}

/* ------------------------------------------------------------------ orbits, from the generators of the group */

static uint64_t choose(uint32_t n, uint32_t k) { return k > n ? 0 : rs_combinations_total(n, k); }

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
static void join_by(const rs_fabric *f, const relabelling *r, uint32_t count, uint32_t *parent) {
  uint32_t links = f->links - f->link_ends, *to = malloc(links * sizeof *to);
  for (uint32_t i = 0; i < links; i++) to[i] = image(f, r, f->link_ends + i) - f->link_ends;
  rs_arena *arena = rs_arena_new();
  rs_combinations c;
  rs_combinations_first(arena, links, count, &c);
  do {
    uint32_t mapped[RS_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) mapped[i] = to[c.part[i]];
    qsort(mapped, count, sizeof *mapped, ascending);
    uint32_t a = root(parent, (uint32_t)number_of(c.part, count));
    parent[a] = root(parent, (uint32_t)number_of(mapped, count));
  } while (rs_combinations_next(&c));
  rs_arena_free(arena);
  free(to);
}

static uint32_t *orbits_from_generators(const rs_fabric *f, uint32_t count) {
  uint32_t values[RS_ALPHABETS_MAX], total = (uint32_t)choose(f->links - f->link_ends, count);
  uint32_t *parent = malloc(total * sizeof *parent);
  for (uint32_t i = 0; i < total; i++) parent[i] = i;
  count_values(f, values);
  for (uint32_t a = RS_FIXED_ALPHABET + 1; a < RS_ALPHABETS_MAX; a++)
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
  rs_error err;
  rs_fabric *f = open_fabric(spec);
  rs_symmetry *symmetry = rs_symmetry_new(f, true);
  assert_true(rs_symmetry_useful(symmetry));
  uint32_t links = f->links - f->link_ends, total = (uint32_t)choose(links, count), roots = 0, seen = 0;
  uint32_t *parent = orbits_from_generators(f, count), *size = calloc(total, sizeof *size);
  for (uint32_t i = 0; i < total; i++) {
    size[root(parent, i)]++;
    roots += parent[i] == i;
  }
  /* every orbit once, with its size */
  uint8_t *found = calloc(total, 1);
  uint64_t sum = 0;
  rs_orbits o;
  assert_int_equal(rs_orbits_first(&o, symmetry, count, &err), 0);
  do {
    uint32_t part[RS_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) part[i] = o.link[i] - f->link_ends;
    uint32_t r = root(parent, (uint32_t)number_of(part, count));
    assert_false(found[r]);
    found[r] = 1;
    assert_true(o.sets == size[r]);
    sum += o.sets;
    seen++;
  } while (rs_orbits_next(&o));
  assert_int_equal(seen, roots);
  assert_true(sum == total);
  /* every set to its representative */
  rs_arena *arena = rs_arena_new();
  rs_combinations c;
  rs_combinations_first(arena, links, count, &c);
  do {
    uint32_t set[RS_ORBIT_FAULTS], least[RS_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) set[i] = f->link_ends + c.part[count - 1 - i];
    uint64_t sets = rs_symmetry_canonical(symmetry, set, count, least);
    for (uint32_t i = 0; i < count; i++) set[i] = least[i] - f->link_ends;
    uint32_t own = (uint32_t)number_of(c.part, count), of = (uint32_t)number_of(set, count);
    assert_int_equal(root(parent, own), root(parent, of));
    assert_true(sets == size[root(parent, own)]);
    assert_true(rs_symmetry_canonical(symmetry, least, count, least) == sets); /* in place, and stays */
    for (uint32_t i = 0; i < count; i++) assert_int_equal(least[i], set[i] + f->link_ends);
  } while (rs_combinations_next(&c));
  rs_arena_free(arena);
  free(found);
  free(size);
  free(parent);
  rs_symmetry_free(symmetry);
  rs_fabric_free(f);
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
  rs_error err;
  rs_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  rs_symmetry *symmetry = rs_symmetry_new(f, true);
  for (uint32_t count = 0; count <= 4; count++) {
    rs_orbits o;
    uint64_t sum = 0;
    assert_int_equal(rs_orbits_first(&o, symmetry, count, &err), 0);
    do {
      uint32_t least[RS_ORBIT_FAULTS];
      assert_true(rs_symmetry_canonical(symmetry, o.link, count, least) == o.sets);
      assert_memory_equal(least, o.link, count * sizeof *least);
      sum += o.sets;
    } while (rs_orbits_next(&o));
    assert_true(sum == choose(128, count));
  }
  rs_symmetry_free(symmetry);
  rs_fabric_free(f);
}

static void without_symmetry_every_set_stands_alone(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x3", "kary-ntree:k=2,n=2"};
  rs_error err;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    rs_fabric *f = open_fabric(specs[i]);
    rs_symmetry *symmetry = rs_symmetry_new(f, false);
    assert_false(rs_symmetry_useful(symmetry));
    rs_arena *arena = rs_arena_new();
    rs_combinations c;
    rs_combinations_first(arena, f->links - f->link_ends, 3, &c);
    rs_orbits o;
    assert_int_equal(rs_orbits_first(&o, symmetry, 3, &err), 0);
    bool more = true;
    do {
      assert_true(more);
      for (uint32_t k = 0; k < 3; k++) assert_int_equal(o.link[k], f->link_ends + c.part[k]);
      assert_true(o.sets == 1);
      more = rs_orbits_next(&o);
    } while (rs_combinations_next(&c));
    assert_false(more);
    rs_arena_free(arena);
    rs_symmetry_free(symmetry);
    rs_fabric_free(f);
  }
}

static void impossible_counts_are_refused(void **state) {
  (void)state;
  rs_error err;
  rs_orbits o;
  rs_fabric *small = open_fabric("kary-ntree:k=2,n=2"), *big = open_fabric("torus:64x64");
  rs_symmetry *of_small = rs_symmetry_new(small, true), *of_big = rs_symmetry_new(big, true);
  assert_int_equal(rs_orbits_first(&o, of_small, 5, &err), -1);
  assert_string_equal(err.text, "5 links are to fail, but only 4 join switches");
  assert_int_equal(rs_orbits_first(&o, of_big, RS_ORBIT_FAULTS + 1, &err), -1);
  assert_string_equal(err.text, "all sets of 17 links: at most 16 can be gone through");
  assert_int_equal(rs_orbits_first(&o, of_big, 10, &err), -1);
  assert_string_equal(err.text, "there are more than 2^64 sets of 10 links");
  rs_symmetry_free(of_small);
  rs_symmetry_free(of_big);
  rs_fabric_free(small);
  rs_fabric_free(big);
}

/* ------------------------------------------------------------------ verdicts */

typedef struct lab {
  rs_fabric *fabric;
  rs_view *view;
  rs_plan *plan;
  rs_prover *prover;
} lab;

static lab lab_open(const char *spec, const char *method) {
  rs_error err;
  lab l = {.fabric = open_fabric(spec)};
  l.view = rs_view_new(l.fabric, NULL);
  l.plan = rs_plan_open(l.view, method, NULL, &err);
  if (!l.plan) fail_msg("%s: %s", method, err.text);
  l.prover = rs_prover_new(l.fabric);
  return l;
}

static void lab_close(lab *l) {
  rs_prover_free(l->prover);
  rs_plan_free(l->plan);
  rs_view_free(l->view);
  rs_fabric_free(l->fabric);
}

static rs_proof prove_set(lab *l, const uint32_t *link, uint32_t count) {
  rs_error err;
  rs_proof proof;
  for (uint32_t i = 0; i < count; i++) rs_view_set_link(l->view, link[i], false);
  assert_int_equal(rs_plan_update(l->plan, &err), RS_APPLIES);
  if (rs_prove(l->prover, l->plan, &proof, &err)) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < count; i++) rs_view_set_link(l->view, link[i], true);
  return proof;
}

static void check_equal(const rs_proof *a, const rs_proof *b) {
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
  rs_symmetry *symmetry = rs_symmetry_for(l.plan);
  assert_true(rs_symmetry_useful(symmetry));
  rs_arena *arena = rs_arena_new();
  rs_combinations c;
  rs_combinations_first(arena, l.fabric->links - l.fabric->link_ends, count, &c);
  do {
    uint32_t set[RS_ORBIT_FAULTS], least[RS_ORBIT_FAULTS];
    for (uint32_t i = 0; i < count; i++) set[i] = l.fabric->link_ends + c.part[i];
    rs_symmetry_canonical(symmetry, set, count, least);
    if (memcmp(set, least, count * sizeof *set) == 0) continue;
    rs_proof own = prove_set(&l, set, count), of = prove_set(&l, least, count);
    check_equal(&own, &of);
  } while (rs_combinations_next(&c));
  rs_arena_free(arena);
  rs_symmetry_free(symmetry);
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
  rs_symmetry *symmetry = rs_symmetry_for(l.plan);
  assert_false(rs_symmetry_useful(symmetry));
  rs_symmetry_free(symmetry);
  lab_close(&l);
}

typedef struct totals {
  uint64_t connected, deadlocked;           /* of all physically connected sets */
  uint64_t tolerated, tolerated_deadlocked; /* of those that lose no pair */
} totals;

static totals total_of(const char *spec, uint32_t count, bool use) {
  rs_error err;
  lab l = lab_open(spec, "misroute");
  rs_symmetry *symmetry = rs_symmetry_new(l.fabric, use);
  totals t = {0};
  rs_orbits o;
  assert_int_equal(rs_orbits_first(&o, symmetry, count, &err), 0);
  do {
    rs_proof proof = prove_set(&l, o.link, count);
    bool connected = proof.disconnected_pairs == 0, stuck = !proof.deadlock_free;
    t.connected += connected ? o.sets : 0;
    t.deadlocked += connected && stuck ? o.sets : 0;
    t.tolerated += proof.tolerated ? o.sets : 0;
    t.tolerated_deadlocked += proof.tolerated && stuck ? o.sets : 0;
  } while (rs_orbits_next(&o));
  rs_symmetry_free(symmetry);
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
