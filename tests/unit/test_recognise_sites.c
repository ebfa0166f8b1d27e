/* test_recognise_sites.c - what real sites have beside a regular fabric: adapters that were never named, hosts that are
 * slower by design, ports that are not configured yet, and many rows of one kind. Sites are made (made_site.h), so the
 * right answer is known. */
#include "made_site.h"
#include "recognise/odd_rows.h"
#include "recognise/recognise.h"

typedef struct site_answer {
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_recognised r;
  ripstop_odds rows; /* all, in order */
} site_answer;

static site_answer recognise(made_site *s) {
  site_answer a = {.fabric = made_open(s), .arena = ripstop_arena_new()};
  ripstop_recognise(a.fabric, a.arena, &a.r);
  ripstop_odd_rank(a.arena, a.fabric, &ripstop_ib_of(a.fabric)->dump->odd, &a.r.odd, &a.rows);
  return a;
}

static void end(site_answer *a) {
  ripstop_arena_free(a->arena);
  ripstop_fabric_free(a->fabric);
}

static uint32_t count_rows(const ripstop_odds *rows, const char *what) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < rows->count; i++) count += !strcmp(rows->list[i].what, what);
  return count;
}

static const ripstop_odd *row_of(const site_answer *a, const char *what) {
  for (uint32_t i = 0; i < a->rows.count; i++)
    if (!strcmp(a->rows.list[i].what, what)) return &a->rows.list[i];
  fail_msg("'%s' is not reported; %u rows, the first '%s'", what, a->rows.count,
           a->rows.count > 0 ? a->rows.list[0].text : "");
  return NULL;
}

static const made_sizes two_levels = {.pods = 1, .leaves = 6, .spines = 3, .twins = 2, .hosts = 5};
static const made_sizes three_levels = {.pods = 3, .leaves = 4, .spines = 4, .cores = 4, .twins = 1, .hosts = 4};

static void a_regular_site_has_nothing_odd(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    site_answer a = recognise(made_new(i ? three_levels : two_levels));
    assert_string_equal(a.r.family, "fat tree");
    assert_int_equal(a.rows.count, 0);
    assert_int_equal(a.r.notes, 0);
    assert_true(a.r.sure == 1 && a.r.complete == 1);
    end(&a);
  }
}

/* ------------------------------------------------------------------ speeds */

static void slow_leaf(made_site *s, uint32_t leaf, const char *speed) {
  for (uint32_t h = 0; h < s->size.hosts; h++) made_speed(s, leaf, 1 + h, speed);
}

static void hosts_of_a_leaf_are_slow_by_design(void **state) {
  (void)state;
  for (uint32_t leaves = 0; leaves <= two_levels.leaves; leaves++)
    for (unsigned uplink = 0; uplink < 2; uplink++) {
      made_site *s = made_new(two_levels);
      for (uint32_t l = 0; l < leaves; l++) slow_leaf(s, made_leaf(s, 0, l), "4xEDR");
      if (uplink) made_speed(s, made_leaf(s, 0, 2), MADE_UP + 1, "4xEDR");
      site_answer a = recognise(s);
      /* if all hosts run alike, none is slow */
      const bool hosts = leaves > 0 && leaves < two_levels.leaves;
      assert_int_equal(a.rows.count, uplink + hosts);
      if (uplink) assert_string_equal(a.rows.list[0].what, "slow cable");
      if (hosts) assert_int_equal(row_of(&a, "slow hosts")->count, leaves * two_levels.hosts);
      if (hosts) assert_int_equal(row_of(&a, "slow hosts")->places, leaves * two_levels.hosts);
      end(&a);
    }
}

/* One slow host of a leaf, and one that is slower than the others of a slow leaf, are slow cables. */
static void a_single_host_is_slow_by_mistake(void **state) {
  (void)state;
  made_site *s = made_new(two_levels);
  slow_leaf(s, made_leaf(s, 0, 1), "4xEDR");
  made_speed(s, made_leaf(s, 0, 1), 3, "1xEDR");
  made_speed(s, made_leaf(s, 0, 4), 2, "4xEDR");
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 3);
  assert_int_equal(row_of(&a, "slow hosts")->count, two_levels.hosts - 1);
  assert_int_equal(count_rows(&a.rows, "slow cable"), 1);
  assert_int_equal(count_rows(&a.rows, "narrow cable"), 1);
  end(&a);
}

/* Cables between other levels may be slower by design. */
static void levels_have_speeds_of_their_own(void **state) {
  (void)state;
  made_site *s = made_new(three_levels);
  for (uint32_t pod = 0; pod < three_levels.pods; pod++)
    for (uint32_t i = 0; i < three_levels.spines; i++)
      for (uint32_t c = 0; c < three_levels.cores; c++) made_speed(s, made_spine(s, pod, i), MADE_UP + c, "4xEDR");
  made_speed(s, made_spine(s, 1, 1), MADE_UP, "4xFDR");
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 1);
  assert_string_equal(a.rows.list[0].what, "slow cable");
  end(&a);
}

/* ------------------------------------------------------------------ names from the factory */

#define FACTORY "MT4129 ConnectX7   Mellanox Technologies"

/* Leaf l serves rail l: host h of it is "gpuHH mlx5_l". */
static made_site *make_rails(void) {
  made_site *s = made_new((made_sizes){.pods = 1, .leaves = 4, .spines = 2, .twins = 2, .hosts = 12});
  for (uint32_t l = 0; l < s->size.leaves; l++)
    for (uint32_t h = 0; h < s->size.hosts; h++)
      snprintf(s->at[made_leaf(s, 0, l)].port[1 + h].name, MADE_NAME, "gpu%02u mlx5_%u", h, l);
  return s;
}

static void name_from_factory(made_site *s, uint32_t leaf, uint32_t host) {
  snprintf(s->at[made_leaf(s, 0, leaf)].port[1 + host].name, MADE_NAME, FACTORY);
}

static void factory_names_are_no_rails(void **state) {
  (void)state;
  for (uint32_t hosts = 0; hosts <= 4; hosts++) { /* so many hosts have no name at some of their adapters */
    made_site *s = make_rails();
    uint32_t unnamed = 0;
    for (uint32_t h = 0; h < hosts; h++)
      for (uint32_t l = 0; l < s->size.leaves; l += 1 + h % 2) name_from_factory(s, l, h), unnamed++;
    site_answer a = recognise(s);
    assert_int_equal(a.r.rails, 4);
    assert_int_equal(a.rows.count, 0);
    assert_int_equal(a.r.notes, hosts > 0);
    if (hosts > 0) assert_string_equal(a.r.note[0].what, "factory description");
    if (hosts > 0) assert_int_equal(a.r.note[0].count, unnamed);
    end(&a);
  }
}

static void a_swap_among_factory_names_is_found(void **state) {
  (void)state;
  made_site *s = make_rails();
  for (uint32_t l = 0; l < s->size.leaves; l++) name_from_factory(s, l, 3);
  name_from_factory(s, 0, 6);
  snprintf(s->at[made_leaf(s, 0, 1)].port[6].name, MADE_NAME, "gpu05 mlx5_2");
  snprintf(s->at[made_leaf(s, 0, 2)].port[6].name, MADE_NAME, "gpu05 mlx5_1");
  site_answer a = recognise(s);
  assert_int_equal(a.r.rails, 4);
  assert_int_equal(a.rows.count, 1);
  assert_string_equal(a.rows.list[0].what, "swapped host cables");
  end(&a);
}

/* An adapter that is not there is missing all the same, where all others of the leaf have names. */
static void a_missing_adapter_is_found(void **state) {
  (void)state;
  made_site *s = make_rails();
  name_from_factory(s, 0, 6);
  s->at[made_leaf(s, 0, 2)].port[4].used = false;
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 1);
  assert_string_equal(a.rows.list[0].what, "missing adapter");
  end(&a);
}

/* ------------------------------------------------------------------ LIDs */

static void ports_without_lids_are_one_row(void **state) {
  (void)state;
  made_site *s = made_new(two_levels);
  for (uint32_t h = 0; h < 5; h++) s->at[made_leaf(s, 0, 1)].port[1 + h].lid = h % 2 ? 65535 : 0;
  made_cut(s, made_leaf(s, 0, 3), MADE_UP);
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 2);
  assert_string_equal(a.rows.list[0].what, "missing uplink");
  assert_string_equal(a.rows.list[1].what, "no lid");
  assert_int_equal(a.rows.list[1].count, 5);
  assert_int_equal(a.rows.list[1].places, 5);
  end(&a);
}

/* ------------------------------------------------------------------ many rows */

/* More than three of a kind at one switch are one row; others stay as they are. */
static void many_rows_at_a_switch_are_one(void **state) {
  (void)state;
  made_site *s = made_new((made_sizes){.pods = 1, .leaves = 12, .spines = 8, .twins = 1, .hosts = 4});
  const uint32_t leaf = made_leaf(s, 0, 5);
  for (uint32_t i = 0; i < 4; i++) made_cut(s, leaf, MADE_UP + 2 * i);
  made_cut(s, made_leaf(s, 0, 7), MADE_UP + 3);
  site_answer a = recognise(s);
  ripstop_odds gathered;
  assert_int_equal(a.rows.count, 5);
  ripstop_odd_gather(a.arena, a.fabric, &a.rows, &gathered);
  assert_int_equal(gathered.count, 2);
  assert_int_equal(gathered.list[0].count, 4);
  assert_string_equal(gathered.list[0].where[0], made_id(leaf));
  assert_int_equal(gathered.list[0].places, 5);
  assert_non_null(strstr(gathered.list[0].text, "4 at 'leaf-06': "));
  assert_int_equal(gathered.list[1].count, 1);
  end(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_regular_site_has_nothing_odd),   cmocka_unit_test(hosts_of_a_leaf_are_slow_by_design),
      cmocka_unit_test(a_single_host_is_slow_by_mistake), cmocka_unit_test(levels_have_speeds_of_their_own),
      cmocka_unit_test(factory_names_are_no_rails),       cmocka_unit_test(a_swap_among_factory_names_is_found),
      cmocka_unit_test(a_missing_adapter_is_found),       cmocka_unit_test(ports_without_lids_are_one_row),
      cmocka_unit_test(many_rows_at_a_switch_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
