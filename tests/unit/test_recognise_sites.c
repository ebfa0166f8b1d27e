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
    assert_true(a.r.notes == 0 && a.r.absents == 0 && a.r.small_parts == 0);
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

/* Nothing shows that hosts are slow by design if no host is faster. */
static void hosts_without_faster_ones_are_slow_by_mistake(void **state) {
  (void)state;
  made_site *s = made_new((made_sizes){.pods = 1, .leaves = 6, .spines = 3, .twins = 2, .hosts = 2});
  for (uint32_t l = 1; l < s->size.leaves; l++)
    for (uint32_t h = 0; h < s->size.hosts; h++) s->at[made_leaf(s, 0, l)].port[1 + h].used = false;
  slow_leaf(s, made_leaf(s, 0, 0), "4xSDR");
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 2);
  assert_int_equal(count_rows(&a.rows, "slow cable"), 2);
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

/* Missing cables of one pair whose ports are all taken are one row, which says how many they are. */
static void missing_cables_without_ports_are_one_row(void **state) {
  (void)state;
  made_site *s = made_new((made_sizes){.pods = 1, .leaves = 5, .spines = 3, .twins = 3, .hosts = 4});
  const uint32_t leaf = made_leaf(s, 0, 1), spine = made_spine(s, 0, 0);
  for (uint32_t k = 0; k < 3; k++) {
    made_cut(s, leaf, MADE_UP + k);     /* to the spine */
    made_cut(s, leaf, MADE_UP + 3 + k); /* to the next one, which takes its ports */
    made_join(s, leaf, MADE_UP + k, made_spine(s, 0, 1), 4 + k);
    made_cut(s, made_leaf(s, 0, 2), MADE_UP + k); /* the next leaf takes the ports of this one */
    made_join(s, made_leaf(s, 0, 2), MADE_UP + k, spine, 4 + k);
  }
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 1);
  assert_string_equal(a.rows.list[0].what, "missing uplink");
  assert_int_equal(a.rows.list[0].count, 3);
  assert_int_equal(a.rows.list[0].places, 1);
  assert_non_null(strstr(a.rows.list[0].text, "3 cables between"));
  assert_int_equal(a.r.expected - a.r.there, 3);
  end(&a);
}

/* ------------------------------------------------------------------ foreign switches */

/* A switch above one leaf is no leaf itself; below a spine it stands beside the leaves. */
static void a_foreign_switch_stands_above_its_leaf(void **state) {
  (void)state;
  for (uint32_t above = 0; above < 2; above++) {
    made_site *s = made_new((made_sizes){.pods = 1, .leaves = 3, .spines = 4, .twins = 1, .hosts = 5});
    const uint32_t foreign = made_add(s, "spine-05", 0);
    made_join(s, foreign, 2, above ? made_leaf(s, 0, 1) : made_spine(s, 0, 1), 39);
    site_answer a = recognise(s);
    assert_int_equal(count_rows(&a.rows, "foreign switch"), 1);
    assert_int_equal(a.r.place[foreign * a.r.dims], above);
    end(&a);
  }
}

/* ------------------------------------------------------------------ small parts */

static const made_sizes sizes[] = {
    {.pods = 1, .leaves = 5, .spines = 3, .twins = 2, .hosts = 6},
    {.pods = 1, .leaves = 8, .spines = 6, .twins = 1, .hosts = 4},
    {.pods = 1, .leaves = 8, .spines = 2, .twins = 4, .hosts = 8},
    {.pods = 3, .leaves = 2, .spines = 2, .cores = 2, .twins = 2, .hosts = 3},
    {.pods = 4, .leaves = 4, .spines = 4, .cores = 4, .twins = 1, .hosts = 4},
    {.pods = 3, .leaves = 3, .spines = 5, .cores = 2, .twins = 2, .hosts = 5},
    {0},
};

static uint32_t regular_cables(const made_sizes *z) {
  return z->pods * (z->leaves * z->spines * z->twins + z->spines * z->cores);
}

/* The tree is whole, and beside it there are so many small parts with so many hosts in all. */
static void check_parts(made_site *s, uint32_t parts, uint32_t hosts) {
  const made_sizes z = s->size;
  site_answer a = recognise(s);
  uint32_t found = 0;
  for (uint32_t i = 0; i < a.r.small_parts; i++) found += a.r.small_part[i].hosts;
  if (a.rows.count > 0)
    fail_msg("%u pods of %u by %u: '%s': %s", z.pods, z.leaves, z.spines, a.rows.list[0].what, a.rows.list[0].text);
  if (a.r.small_parts != parts)
    fail_msg("%u pods of %u by %u: %u small parts, not %u", z.pods, z.leaves, z.spines, a.r.small_parts, parts);
  assert_int_equal(found, hosts);
  assert_int_equal(a.r.expected, regular_cables(&z));
  assert_int_equal(a.r.there, regular_cables(&z));
  assert_non_null(strstr(a.r.shape, z.cores ? "3 levels" : "2 levels"));
  end(&a);
}

static void management_leaves_are_small_parts(void **state) {
  (void)state;
  for (const made_sizes *z = sizes; z->pods > 0; z++)
    for (unsigned named = 0; named < 2; named++) {
      const uint32_t pod = z->pods / 2;
      made_site *s = made_new(*z); /* on a spine */
      made_join(s, made_add(s, "mgmt-sw", 4), 39, made_spine(s, pod, z->spines - 1), 39);
      if (!named) made_rename(s);
      check_parts(s, 1, 4);

      s = made_new(*z); /* two of them, and one on a leaf */
      made_join(s, made_add(s, "mgmt-1", 2), 37, made_spine(s, pod, 0), 38);
      made_join(s, made_add(s, "mgmt-2", 3), 36, made_spine(s, pod, 1), 37);
      made_join(s, made_add(s, "mgmt-3", 1), 36, made_leaf(s, pod, 1), 37);
      if (!named) made_rename(s);
      if (z->leaves * z->pods > 6)
        check_parts(s, 3, 6);
      else
        free(s);

      if (z->cores == 0) continue;
      s = made_new(*z); /* on cores */
      const uint32_t leaf = made_add(s, "mgmt-sw", 4);
      for (uint32_t c = 0; c < 2; c++) made_join(s, leaf, 30 + c, c * z->cores, 39);
      if (!named) made_rename(s);
      check_parts(s, 1, 4);
    }
}

/* A spine above one leaf or several hangs on some cores. */
static void management_spines_are_small_parts(void **state) {
  (void)state;
  for (const made_sizes *z = sizes; z->pods > 0; z++)
    for (uint32_t leaves = 1; leaves <= 2 && z->cores > 0; leaves++)
      for (unsigned named = 0; named < 2; named++) {
        made_site *s = made_new(*z);
        const uint32_t spine = made_add(s, "mspine1", 0);
        for (uint32_t c = 0; c < 2; c++) made_join(s, spine, 21 + c, made_cores(s) - 1 - 2 * c, 32);
        for (uint32_t l = 0; l < leaves; l++) {
          const uint32_t leaf = made_add(s, l ? "mleaf2" : "mleaf1", 3);
          for (uint32_t k = 0; k < 2; k++) made_join(s, leaf, 21 + k, spine, 1 + 2 * l + k);
        }
        if (!named) made_rename(s);
        check_parts(s, 1, 3 * leaves);
      }
}

/* A leaf of the tree stays one, with one uplink left. */
static void a_leaf_with_one_uplink_stays_a_leaf(void **state) {
  (void)state;
  for (const made_sizes *z = sizes; z->pods > 0; z++)
    for (uint32_t left = 1; left < z->spines * z->twins; left++)
      for (uint32_t l = 0; l < z->leaves; l += z->leaves - 1) {
        made_site *s = made_new(*z);
        const uint32_t leaf = made_leaf(s, z->pods - 1, l), all = z->spines * z->twins;
        for (uint32_t k = 0; k < all; k++)
          if ((k + l) % all >= left) made_cut(s, leaf, MADE_UP + k);
        site_answer a = recognise(s);
        if (a.r.small_parts > 0) fail_msg("%u of %u uplinks left: %s", left, all, a.r.small_part[0].text);
        if (count_rows(&a.rows, "missing uplink") != all - left || a.rows.count != all - left)
          fail_msg("%u pods of %u by %u, %u of %u uplinks left: %u rows, the first '%s'", z->pods, z->leaves, z->spines,
                   left, all, a.rows.count, a.rows.count > 0 ? a.rows.list[0].what : "");
        end(&a);
      }
}

/* A name that continues those of the leaves decides where both readings cost the same. */
static void a_name_decides_between_equal_readings(void **state) {
  (void)state;
  for (unsigned continues = 0; continues < 2; continues++) {
    made_site *s = made_new((made_sizes){.pods = 1, .leaves = 5, .spines = 3, .twins = 1, .hosts = 6});
    made_join(s, made_add(s, continues ? "leaf-06" : "mgmt-sw", 1), 38, made_spine(s, 0, 1), 39);
    site_answer a = recognise(s);
    assert_int_equal(a.r.small_parts, !continues);
    assert_int_equal(count_rows(&a.rows, "missing uplink"), continues ? 2 : 0);
    assert_int_equal(a.rows.count, continues ? 2 : 0);
    end(&a);
  }
}

/* ------------------------------------------------------------------ spines that lost all uplinks */

/* The spine's cables to the cores are missing, each with the ports of its like, and nothing else is odd. */
static void check_uplinks(made_site *s, uint32_t spine) {
  const made_sizes z = s->size;
  char name[8][2 * MADE_NAME];
  for (uint32_t c = 0; c < z.cores; c++) {
    const made_port *p = &s->at[spine].port[MADE_UP + c];
    snprintf(name[c], sizeof name[c], "%s[%u]-%s[%u]", made_id(p->peer), p->port, made_id(spine), MADE_UP + c);
    made_cut(s, spine, MADE_UP + c);
  }
  site_answer a = recognise(s);
  if (a.rows.count != z.cores || a.r.absents != 0)
    fail_msg("%u pods of %u by %u: %u rows and %u absent, not %u rows", z.pods, z.leaves, z.spines, a.rows.count,
             a.r.absents, z.cores);
  for (uint32_t c = 0; c < z.cores; c++) {
    assert_string_equal(a.rows.list[c].what, "missing uplink");
    assert_string_equal(a.rows.list[c].where[0], name[c]);
  }
  assert_int_equal(a.r.expected, regular_cables(&z));
  assert_int_equal(a.r.there, regular_cables(&z) - z.cores);
  assert_non_null(strstr(a.r.shape, "3 levels"));
  end(&a);
}

static void a_spine_without_uplinks_lost_them(void **state) {
  (void)state;
  static const made_sizes of[] = {
      {.pods = 3, .leaves = 4, .spines = 4, .cores = 1, .twins = 1, .hosts = 5},
      {.pods = 4, .leaves = 4, .spines = 4, .cores = 4, .twins = 1, .hosts = 4},
      {.pods = 3, .leaves = 2, .spines = 2, .cores = 2, .twins = 2, .hosts = 3},
      {.pods = 3, .leaves = 3, .spines = 5, .cores = 2, .twins = 2, .hosts = 5},
      {.pods = 12, .leaves = 2, .spines = 3, .cores = 2, .twins = 1, .hosts = 2},
      {0},
  };
  for (const made_sizes *z = of; z->pods > 0; z++)
    for (unsigned named = 0; named < 2; named++)
      for (uint32_t pod = 0; pod < z->pods; pod += z->pods / 2)
        for (uint32_t i = 0; i < z->spines; i++) {
          made_site *s = made_new(*z);
          if (!named) made_rename(s);
          check_uplinks(s, made_spine(s, pod, i));
        }
}

/* Two spines of one pod: the ports on their leaves show which cores each was cabled to. */
static void leaf_ports_show_the_cores(void **state) {
  (void)state;
  made_site *s = made_new((made_sizes){.pods = 4, .leaves = 3, .spines = 5, .cores = 1, .twins = 1, .hosts = 5});
  made_rename(s);
  char name[2][2 * MADE_NAME];
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t spine = made_spine(s, 1, 1 + 2 * i), core = 1 + 2 * i;
    snprintf(name[i], sizeof name[i], "%s[2]-%s[%u]", made_id(core), made_id(spine), MADE_UP);
    made_cut(s, spine, MADE_UP);
  }
  site_answer a = recognise(s);
  assert_int_equal(a.rows.count, 2);
  for (uint32_t i = 0; i < 2; i++) assert_string_equal(a.rows.list[i].where[0], name[i]);
  end(&a);
}

/* ------------------------------------------------------------------ switches that are not there */

/* One switch is absent, and nothing else is odd; `name` NULL: it has none. */
static void check_absent(made_site *s, const char *what, const char *name, bool sure, uint32_t ports) {
  const made_sizes z = s->size;
  site_answer a = recognise(s);
  if (a.rows.count > 0)
    fail_msg("%u pods of %u by %u: '%s': %s", z.pods, z.leaves, z.spines, a.rows.list[0].what, a.rows.list[0].text);
  if (a.r.absents != 1)
    fail_msg("%u pods of %u by %u: %u %s absent, one is '%s'; the first: %s", z.pods, z.leaves, z.spines, a.r.absents,
             what, name ? name : "?", a.r.absents > 0 ? a.r.absent[0].text : "none");
  const ripstop_absent *one = &a.r.absent[0];
  assert_string_equal(one->what, what);
  assert_int_equal(one->sure, sure);
  if (name != NULL) assert_string_equal(one->name, name);
  if (name == NULL) assert_null(one->name);
  if (one->ports != ports)
    fail_msg("%u pods of %u by %u, %s: %u ports, not %u", z.pods, z.leaves, z.spines, one->text, one->ports, ports);
  end(&a);
}

static made_site *without(const made_sizes *z, uint32_t gone, bool named, char *name) {
  made_site *s = made_new(*z);
  if (!named) made_rename(s);
  snprintf(name, MADE_NAME, "%s", s->at[gone].name);
  made_remove(s, gone);
  return s;
}

/* Ports show a leaf or spine that is missed between others. Two that are left have no usual step between them: then
 * their names must show it. */
static void ports_and_names_show_who_is_absent(void **state) {
  (void)state;
  char name[MADE_NAME];
  for (const made_sizes *z = sizes; z->pods > 0; z++)
    for (unsigned named = 0; named < 2; named++) {
      const made_site like = {.size = *z};
      const uint32_t pod = z->pods / 2;
      for (uint32_t l = 1; l + 1 < z->leaves && (named || z->leaves > 3); l++) {
        made_site *s = without(z, made_leaf(&like, pod, l), named, name);
        check_absent(s, "leaf", named ? name : NULL, named, z->spines * z->twins);
      }
      const bool seen_above = named || z->pods > 3; /* by the cores */
      for (uint32_t i = 1; i + 1 < z->spines && (named || z->spines > 3); i++) {
        made_site *s = without(z, made_spine(&like, pod, i), named, name);
        check_absent(s, "spine", named ? name : NULL, named, z->leaves * z->twins + (seen_above ? z->cores : 0));
      }
      for (uint32_t c = 1; c + 1 < z->cores; c++) {
        made_site *s = without(z, z->cores + c, named, name);
        check_absent(s, "spine", named ? name : NULL, named, z->pods);
      }
    }
}

/* Names alone: the switch has no ports that are empty, but its number is left out. */
static void names_alone_may_show_who_is_absent(void **state) {
  (void)state;
  made_site *s = made_new(sizes[1]);
  for (uint32_t l = 3; l < s->size.leaves; l++) snprintf(s->at[made_leaf(s, 0, l)].name, MADE_NAME, "leaf-%02u", l + 2);
  check_absent(s, "leaf", "leaf-04", false, 0);
  s = made_new(sizes[1]); /* every second number is a way to count */
  for (uint32_t l = 0; l < s->size.leaves; l++)
    snprintf(s->at[made_leaf(s, 0, l)].name, MADE_NAME, "leaf-%02u", 1 + 2 * l);
  site_answer a = recognise(s);
  assert_int_equal(a.r.absents, 0);
  end(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_regular_site_has_nothing_odd),
      cmocka_unit_test(hosts_of_a_leaf_are_slow_by_design),
      cmocka_unit_test(a_single_host_is_slow_by_mistake),
      cmocka_unit_test(hosts_without_faster_ones_are_slow_by_mistake),
      cmocka_unit_test(levels_have_speeds_of_their_own),
      cmocka_unit_test(factory_names_are_no_rails),
      cmocka_unit_test(a_swap_among_factory_names_is_found),
      cmocka_unit_test(a_missing_adapter_is_found),
      cmocka_unit_test(ports_without_lids_are_one_row),
      cmocka_unit_test(many_rows_at_a_switch_are_one),
      cmocka_unit_test(missing_cables_without_ports_are_one_row),
      cmocka_unit_test(a_foreign_switch_stands_above_its_leaf),
      cmocka_unit_test(management_leaves_are_small_parts),
      cmocka_unit_test(management_spines_are_small_parts),
      cmocka_unit_test(a_leaf_with_one_uplink_stays_a_leaf),
      cmocka_unit_test(a_name_decides_between_equal_readings),
      cmocka_unit_test(a_spine_without_uplinks_lost_them),
      cmocka_unit_test(leaf_ports_show_the_cores),
      cmocka_unit_test(ports_and_names_show_who_is_absent),
      cmocka_unit_test(names_alone_may_show_who_is_absent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
