/* test_intermediate_tables.c - masked tables answer as the full ones that they were folded from: random ones, and those
 * of the sources of intermediate-nodes, whose entries are also what the plan's facts say. Of up to four digits they
 * have no entry too many. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "methods/intermediate-nodes/masked.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"

static uint32_t power(uint32_t radix, uint32_t count) { return count ? radix * power(radix, count - 1) : 1; }

static void check_same(const ripstop_masked *masked, const uint64_t *table, uint32_t leaves, uint32_t own) {
  for (uint32_t i = 0; i < leaves; i++)
    if (i != own && ripstop_masked_find(masked, i) != table[i])
      fail_msg("destination %u has the value %llu, not %llu", i, (unsigned long long)ripstop_masked_find(masked, i),
               (unsigned long long)table[i]);
}

/* ------------------------------------------------------------------ the fewest entries, by dynamic programming */

enum { VALUES = 5, FEW_DIGITS = 4, ANY = UINT8_MAX };
#define VALUE_UNIT UINT64_C(0x100000001)

typedef struct puzzle {
  uint32_t radix, count;
  uint8_t value[81]; /* by destination; ANY: of no concern */
} puzzle;

/* cost[v]: the fewest entries at and below a node of the tree of this order of digits, when v is inherited. */
static void fewest_below(const puzzle *p, const uint8_t *order, uint32_t depth, uint32_t at, uint32_t *cost) {
  uint32_t own[VALUES] = {0}, least = RIPSTOP_NONE;
  for (uint32_t v = 0; v < VALUES && depth == p->count; v++)
    own[v] = p->value[at] == v || p->value[at] == ANY ? 0 : 1000;
  for (uint32_t c = 0; c < p->radix && depth < p->count; c++) {
    uint32_t below[VALUES];
    fewest_below(p, order, depth + 1, at + c * power(p->radix, order[depth]), below);
    for (uint32_t v = 0; v < VALUES; v++) own[v] += below[v];
  }
  for (uint32_t v = 0; v < VALUES; v++) least = own[v] < least ? own[v] : least;
  for (uint32_t v = 0; v < VALUES; v++) cost[v] = own[v] < least + 1 ? own[v] : least + 1;
}

/* Over all orders that begin with these `fixed` digits. */
static uint32_t fewest_of_orders(const puzzle *p, uint8_t *order, uint32_t fixed) {
  uint32_t least = RIPSTOP_NONE;
  if (fixed == p->count) {
    uint32_t cost[VALUES];
    fewest_below(p, order, 0, 0, cost);
    return cost[0];
  }
  for (uint32_t digit = 0; digit < p->count; digit++) {
    if (memchr(order, (int)digit, fixed)) continue;
    order[fixed] = (uint8_t)digit;
    uint32_t found = fewest_of_orders(p, order, fixed + 1);
    if (found < least) least = found;
  }
  return least;
}

/* Frees all that have the digit in common with the owner, if they have one value. */
static bool settle_slab(puzzle *p, uint32_t own, uint32_t digit) {
  uint8_t found = ANY;
  for (uint32_t i = 0, unit = power(p->radix, digit); i < power(p->radix, p->count); i++) {
    if (i == own || i / unit % p->radix != own / unit % p->radix) continue;
    if (found != ANY && p->value[i] != found) return false;
    found = p->value[i];
    p->value[i] = ANY;
  }
  return true;
}

static uint32_t fewest_entries(uint32_t radix, uint32_t count, const uint64_t *table, uint32_t own) {
  puzzle all = {.radix = radix, .count = count};
  uint8_t order[FEW_DIGITS];
  for (uint32_t i = 0; i < power(radix, count); i++) all.value[i] = i == own ? ANY : (uint8_t)(table[i] / VALUE_UNIT);
  uint32_t least = fewest_of_orders(&all, order, 0);
  for (uint32_t digit = 0; digit < count && own != RIPSTOP_NONE; digit++) {
    puzzle rest = all;
    if (!settle_slab(&rest, own, digit)) continue;
    uint32_t found = 1 + fewest_of_orders(&rest, order, 0);
    if (found < least) least = found;
  }
  return least;
}

/* ------------------------------------------------------------------ random tables */

/* Few or many values, mostly 0 or hardly ever, by blocks of equal digits or all mixed up. */
static void draw_table(ripstop_stream *random, uint32_t radix, uint32_t count, uint64_t *table) {
  uint32_t values = 1 + ripstop_stream_below(random, VALUES), share = 1 + ripstop_stream_below(random, 8);
  uint32_t block = power(radix, ripstop_stream_below(random, count + 1)), leaves = power(radix, count);
  for (uint32_t i = 0; i < leaves; i++) {
    table[i] = ripstop_stream_below(random, share) ? 0 : ripstop_stream_below(random, values) * VALUE_UNIT;
    if (i % block && ripstop_stream_below(random, 10)) table[i] = table[i - 1];
  }
}

static void folding_changes_no_answer(void **state) {
  (void)state;
  static const uint32_t shape[][2] = {{2, 1}, {7, 1}, {2, 2}, {4, 2}, {9, 2}, {3, 3}, {2, 4}, {3, 4}, {2, 6}, {3, 5}};
  uint64_t entries = 0, values = 0;
  for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
    ripstop_arena *arena = ripstop_arena_new();
    uint32_t radix = shape[s][0], count = shape[s][1], leaves = power(radix, count);
    ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, s);
    ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, radix, count);
    uint64_t *table = RIPSTOP_ARRAY(arena, leaves, uint64_t);
    for (uint32_t time = 0; time < 60; time++) {
      draw_table(&random, radix, count, table);
      uint32_t own = time % 3 ? ripstop_stream_below(&random, leaves) : RIPSTOP_NONE, full = 0;
      const ripstop_masked *masked = ripstop_masked_fold(folder, table, own);
      check_same(masked, table, leaves, own);
      for (uint32_t i = 0; i < leaves; i++) full += i != own && table[i];
      assert_true(masked->entries <= full);
      if (count <= FEW_DIGITS) assert_int_equal(masked->entries, fewest_entries(radix, count, table, own));
      entries += masked->entries;
      values += full;
    }
    ripstop_arena_free(arena);
  }
  assert_true(entries < values);
}

/* Entries needed for tables whose smallest form is plain. */
static void plain_tables_fold_well(void **state) {
  (void)state;
  enum { RADIX = 5, COUNT = 3, LEAVES = 125, OWN = 31 /* 1.1.1 */ };
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, RADIX, COUNT);
  uint64_t table[LEAVES] = {0};
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, 0);
  for (uint32_t i = 0; i < LEAVES; i++) table[i] = 7;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, 1); /* everywhere the same */
  for (uint32_t i = 0; i < LEAVES; i++) table[i] = i / RADIX % RADIX;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, RADIX - 1); /* by the digit in the middle */
  for (uint32_t i = 0; i < LEAVES; i++) table[i] = 1 + i / RADIX % RADIX;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, RADIX);
  for (uint32_t i = 0; i < LEAVES; i++) table[i] = i % RADIX == OWN % RADIX ? 0 : 1 + i / RADIX % RADIX;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, RADIX + 1); /* a slab in front */
  table[3] = 99;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, RADIX + 2); /* one destination of its own */
  table[3] = 1;
  table[OWN] = 99;
  assert_int_equal(ripstop_masked_fold(folder, table, OWN)->entries, RADIX + 1); /* the owner is of no concern */
  ripstop_arena_free(arena);
}

/* With more than 4 digits the search does not try every order, yet any order that it tries finds a slab. */
static void a_slab_alone_is_one_entry(void **state) {
  (void)state;
  enum { COUNT = 6, LEAVES = 64, OWN = 13 };
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, 2, COUNT);
  for (uint32_t digit = 0; digit < COUNT; digit++) {
    uint64_t table[LEAVES];
    for (uint32_t i = 0; i < LEAVES; i++) table[i] = (i >> digit & 1) == (OWN >> digit & 1) ? 5 : 0;
    const ripstop_masked *masked = ripstop_masked_fold(folder, table, OWN);
    assert_int_equal(masked->entries, 1);
    check_same(masked, table, LEAVES, OWN);
  }
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ the method's */

typedef struct scene {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
} scene;

static scene open_scene(const char *spec, const char *faults_line, uint32_t count, uint64_t index) {
  ripstop_error err;
  ripstop_faults faults;
  ripstop_arena *arena = ripstop_arena_new();
  scene s = {.fabric = ripstop_fabric_open(spec, &err)};
  ripstop_names *names = ripstop_names_new(s.fabric);
  int status =
      faults_line ? ripstop_faults_parse(arena, names, faults_line, strlen(faults_line), &faults, &err)
                  : ripstop_faults_sample(arena, s.fabric, RIPSTOP_FAULTS_SWITCH_LINKS, count, 3, index, &faults, &err);
  if (status) fail_msg("%s", err.text);
  s.view = ripstop_view_new(s.fabric, &faults);
  s.plan = ripstop_plan_compile(s.view, "intermediate-nodes:tables=on", NULL, &err);
  if (!s.plan) fail_msg("%s", err.text);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  return s;
}

static void close_scene(scene *s) {
  ripstop_plan_free(s->plan);
  ripstop_view_free(s->view);
  ripstop_fabric_free(s->fabric);
}

static uint64_t fact(const ripstop_plan *plan, const char *name) {
  uint64_t value[RIPSTOP_FACTS_MAX];
  plan->method->facts(plan, value);
  for (size_t i = 0; plan->method->fact_names[i]; i++)
    if (strcmp(plan->method->fact_names[i], name) == 0) return value[i];
  fail_msg("no fact %s", name);
  return 0;
}

/* The list of a pair, as the header that its packets start with; 0: none, or the pair has no route. */
static uint64_t list_of(const scene *s, uint32_t source, uint32_t destination) {
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  ripstop_candidate candidate;
  return source != destination && ripstop_route(s->plan, &head, &candidate) > 0 ? candidate.header : 0;
}

static void check_tables(const scene *s, uint32_t radix, uint32_t count) {
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t routers = s->fabric->ends;
  ripstop_masked_folder *folder = ripstop_masked_folder_new(arena, radix, count);
  uint64_t *table = RIPSTOP_ARRAY(arena, routers, uint64_t), full = 0, entries = 0, full_most = 0, entries_most = 0;
  for (uint32_t source = 0; source < routers; source++) {
    uint64_t own = 0;
    for (uint32_t i = 0; i < routers; i++) own += (table[i] = list_of(s, source, i)) != 0;
    const ripstop_masked *masked = ripstop_masked_fold(folder, table, source);
    check_same(masked, table, routers, source);
    full += own;
    entries += masked->entries;
    if (own > full_most) full_most = own;
    if (masked->entries > entries_most) entries_most = masked->entries;
  }
  assert_true(fact(s->plan, "table_entries") == full && fact(s->plan, "table_entries_most") == full_most);
  assert_true(fact(s->plan, "masked_entries") == entries && fact(s->plan, "masked_entries_most") == entries_most);
  assert_true(full == 0 || entries <= full);
  ripstop_arena_free(arena);
}

/* A line that is crossed takes two links of a crossbar's. */
static void check_extra_lines(const scene *s) {
  ripstop_error err;
  ripstop_prover *prover = ripstop_prover_new(s->fabric);
  ripstop_proof proof;
  ripstop_prover_paths(prover, true);
  if (ripstop_prover_prove(prover, s->plan, &proof, &err)) fail_msg("%s", err.text);
  assert_true(2 * fact(s->plan, "extra_lines") == proof.paths.longest - proof.paths.minimum);
  assert_true(2 * fact(s->plan, "extra_lines_most") == proof.paths.max_extra_longest);
  ripstop_prover_free(prover);
}

static void tables_of_sources_fold(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t radix, count, faults;
  } cases[] = {
      {"kns:k=4,n=2", 4, 2, 12}, {"kns:k=3,n=3", 3, 3, 20}, {"kns:k=12,n=2", 12, 2, 9}, {"kns:k=2,n=5", 2, 5, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t count = 0; count <= cases[i].faults; count++) {
      scene s = open_scene(cases[i].fabric, NULL, count, 0);
      check_tables(&s, cases[i].radix, cases[i].count);
      check_extra_lines(&s);
      close_scene(&s);
    }
}

/* Section 4: a source whose link of dimension i is down needs a list for (k - 1) k^(n-i-1) destinations; with one
 * failed link no other source needs as many. */
static void a_failed_link_of_the_source(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *faults;
    uint64_t most, masked;
  } cases[] = {{"kns:k=8,n=2", "3.2/0", 7 * 8, 8},
               {"kns:k=8,n=2", "3.2/1", 7, 7},
               {"kns:k=5,n=3", "3.2.1/0", 4 * 25, 0},
               {"kns:k=5,n=3", "3.2.1/1", 4 * 5, 0},
               {"kns:k=5,n=3", "3.2.1/2", 4, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene s = open_scene(cases[i].fabric, cases[i].faults, 0, 0);
    assert_int_equal(fact(s.plan, "table_entries_most"), cases[i].most);
    if (cases[i].masked) assert_int_equal(fact(s.plan, "masked_entries_most"), cases[i].masked);
    close_scene(&s);
  }
}

static void expect_no_tables(const char *method) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("kns:k=3,n=2", &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  assert_true(fact(plan, "table_entries") == RIPSTOP_FACT_NONE &&
              fact(plan, "masked_entries_most") == RIPSTOP_FACT_NONE);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void without_tables_nothing_is_reported(void **state) {
  (void)state;
  expect_no_tables("intermediate-nodes");
  expect_no_tables("intermediate-nodes:tables=on,lists=all"); /* no pair has a list of its own */
}

/* ------------------------------------------------------------------ full tables */

enum { TABLE_FULL = 4 }; /* the method's index of that loss */

/* Another plan for the same view. */
static ripstop_plan *plan_with(const scene *s, const char *options, uint32_t entries) {
  char spec[128];
  ripstop_error err;
  snprintf(spec, sizeof spec, "intermediate-nodes:%s%sentries=%u", options, *options ? "," : "", entries);
  ripstop_plan *plan = ripstop_plan_compile(s->view, spec, NULL, &err);
  if (!plan) fail_msg("%s: %s", spec, err.text);
  return plan;
}

/* Each source keeps the lists for the first destinations that need one, as many as its table holds, and loses the
 * others; what has a list keeps the same. Returns how many pairs are lost for want of room. */
static uint64_t check_full(const scene *s, const ripstop_plan *plan, const ripstop_plan *free_plan, uint32_t entries) {
  uint64_t refused = 0;
  for (uint32_t source = 0; source < s->fabric->ends; source++)
    for (uint32_t to = 0, needed = 0; to < s->fabric->ends; to++) {
      ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = to};
      ripstop_candidate with, without;
      if (to == source) continue;
      int a = ripstop_route(free_plan, &head, &without), b = ripstop_route(plan, &head, &with);
      bool full = a > 0 && without.header != 0 && needed++ >= entries;
      assert_int_equal(b, full ? -(1 + TABLE_FULL) : a);
      if (b > 0) assert_true(with.header == without.header);
      refused += full;
    }
  return refused;
}

static uint64_t listed_pairs(const ripstop_plan *plan) {
  return fact(plan, "pairs_by_intermediates.0") + fact(plan, "pairs_by_intermediates.1") +
         fact(plan, "pairs_by_intermediates.2");
}

static void full_tables_lose_the_last_destinations(void **state) {
  (void)state;
  static const char *const options[] = {"", "prefer=fewest", "adaptive=on"};
  static const char *const fabrics[] = {"kns:k=4,n=2", "kns:k=3,n=3", "kns:k=4,n=2,s=2,line=ruft"};
  uint64_t refused = 0;
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
    for (uint32_t number = 0; number < 24; number++) {
      ripstop_error err;
      scene s = open_scene(fabrics[i], NULL, 1 + number % 6, number);
      ripstop_prover *prover = ripstop_prover_new(s.fabric);
      ripstop_proof proof;
      uint32_t entries = 1 + number % 9;
      uint64_t ends = s.fabric->ends;
      ripstop_plan *plan = plan_with(&s, options[number % 3], entries),
                   *free_plan = plan_with(&s, options[number % 3], 0);
      uint64_t lost = check_full(&s, plan, free_plan, entries);
      assert_true(fact(plan, "table_full_pairs") == lost);
      assert_true(fact(free_plan, "table_full_pairs") == RIPSTOP_FACT_NONE);
      assert_true(plan->method->lost_pairs(plan) == free_plan->method->lost_pairs(free_plan) + lost);
      assert_true(listed_pairs(plan) == ends * (ends - 1) - plan->method->lost_pairs(plan));
      if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
      assert_true(proof.lost_pairs_some_choice == plan->method->lost_pairs(plan) && proof.deadlock_free);
      refused += lost;
      ripstop_plan_free(free_plan);
      ripstop_plan_free(plan);
      ripstop_prover_free(prover);
      close_scene(&s);
    }
  assert_true(refused > 1000);
}

/* With one failed link of dimension 0 its source needs (k - 1) k entries, and no fewer do. */
static void as_many_entries_as_the_paper_counts(void **state) {
  (void)state;
  ripstop_error err;
  scene s = open_scene("kns:k=8,n=2", "3.2/0", 0, 0);
  for (uint32_t entries = 55; entries <= 57; entries++) {
    ripstop_plan *plan = plan_with(&s, "", entries);
    assert_int_equal(plan->method->lost_pairs(plan), entries < 56 ? 56 - entries : 0);
    ripstop_plan_free(plan);
  }
  assert_null(ripstop_plan_compile(s.view, "intermediate-nodes:lists=all,entries=5", NULL, &err));
  assert_string_equal(err.text,
                      "intermediate-nodes: entries=5 needs lists=chosen: with lists=all sources have no tables");
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folding_changes_no_answer),           cmocka_unit_test(plain_tables_fold_well),
      cmocka_unit_test(a_slab_alone_is_one_entry),           cmocka_unit_test(tables_of_sources_fold),
      cmocka_unit_test(a_failed_link_of_the_source),         cmocka_unit_test(full_tables_lose_the_last_destinations),
      cmocka_unit_test(as_many_entries_as_the_paper_counts), cmocka_unit_test(without_tables_nothing_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
