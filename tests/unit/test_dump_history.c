/* test_dump_history.c - dumps of made fabrics in which cables and nodes come and go at random, against rules applied to
 * the table of what is there when; dates of files. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "formats/infiniband/dump_history.h"

/* Leaves, spines and hosts; each leaf has a cable to each spine, each host one to its leaf. */
enum {
  LEAVES = 4,
  SPINES = 3,
  HOSTS = 8,
  NODES = LEAVES + SPINES + HOSTS,
  CABLES = LEAVES * SPINES + HOSTS,
  DUMPS = 12
};

typedef struct scene {
  bool node[DUMPS][NODES], cable[DUMPS][CABLES];
} scene;

static int end_of(int cable, int side) {
  if (cable < LEAVES * SPINES) return side ? LEAVES + cable % SPINES : cable / SPINES;
  const int host = cable - LEAVES * SPINES;
  return side ? LEAVES + SPINES + host : host % LEAVES;
}

static int port_of(int cable, int side) {
  if (cable < LEAVES * SPINES) return 1 + (side ? cable / SPINES : cable % SPINES);
  return side ? 1 : SPINES + 1 + (cable - LEAVES * SPINES) / LEAVES;
}

/* Two switches share a power feed; cables fail alone. */
static scene draw_scene(uint64_t seed) {
  ripstop_stream s = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  scene out;
  const uint32_t one = ripstop_stream_below(&s, LEAVES), two = LEAVES + ripstop_stream_below(&s, SPINES);
  for (int d = 0; d < DUMPS; d++) {
    const bool power = ripstop_stream_below(&s, 4) > 0;
    for (uint32_t n = 0; n < NODES; n++)
      out.node[d][n] = n == one || n == two ? power : ripstop_stream_below(&s, 12) > 0;
    for (int c = 0; c < CABLES; c++)
      out.cable[d][c] = ripstop_stream_below(&s, 6) > 0 && out.node[d][end_of(c, 0)] && out.node[d][end_of(c, 1)];
  }
  return out;
}

static char kind_of(int node) { return node < LEAVES + SPINES ? 'S' : 'H'; }

static void print_dump(const scene *s, int d, ripstop_text *out) {
  for (int n = 0; n < NODES; n++) {
    if (!s->node[d][n]) continue;
    ripstop_text_add(out, "%s 9 \"%c-%04x\" # \"node %d\" base port 0 lid %d lmc 0\n",
                     kind_of(n) == 'S' ? "Switch" : "Ca", kind_of(n), n, n, n + 1);
    for (int c = 0; c < CABLES; c++)
      for (int side = 0; side < 2; side++)
        if (s->cable[d][c] && end_of(c, side) == n)
          ripstop_text_add(out, "[%d] \"%c-%04x\"[%d] # lid 1 4xHDR\n", port_of(c, side), kind_of(end_of(c, !side)),
                           end_of(c, !side), port_of(c, !side));
  }
}

static void add_text(ib_history *h, const char *text) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_ib_dump dump;
  ripstop_error err = {0};
  if (ripstop_ib_read(&dump, arena, "made", text, strlen(text), &err)) fail_msg("%s", err.text);
  ib_history_add(h, &dump);
}

static const ib_history_part *find(const ib_history_part *list, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

static bool has(const ib_history_times *t, uint32_t dump) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->list[i] == dump) return true;
  return false;
}

/* The rules: when it goes, and whether one of its nodes goes with it; and when it comes back. */
static void check_cable(const scene *s, const ib_history *h, int c) {
  char name[RIPSTOP_NAME_MAX];
  const int first = kind_of(end_of(c, 1)) == 'H' ? 1 : 0; /* H- stands before S- in names */
  snprintf(name, sizeof name, "%c-%04x[%d]-%c-%04x[%d]", kind_of(end_of(c, first)), end_of(c, first), port_of(c, first),
           kind_of(end_of(c, !first)), end_of(c, !first), port_of(c, !first));
  const ib_history_part *part = find(h->cable, h->cables, name);
  bool seen = false;
  for (int d = 0; d < DUMPS; d++) {
    const bool was = d > 0 && s->cable[d - 1][c], is = s->cable[d][c];
    const bool alone = s->node[d][end_of(c, 0)] && s->node[d][end_of(c, 1)];
    if (part) assert_int_equal(has(&part->down, (uint32_t)d), was && !is && alone);
    if (part) assert_int_equal(has(&part->with, (uint32_t)d), was && !is && !alone);
    if (part) assert_int_equal(has(&part->up, (uint32_t)d), !was && is && seen);
    seen = seen || is;
  }
  assert_int_equal(part != NULL, seen);
  if (part) assert_int_equal(ib_history_is_there(h, part), s->cable[DUMPS - 1][c]);
  if (part) assert_int_equal(part->moved.count, 0);
}

static bool same_times(const ib_history_times *a, const ib_history_times *b) {
  return a->count == b->count && (a->count == 0 || memcmp(a->list, b->list, a->count * sizeof *a->list) == 0);
}

static bool together(const ib_history *h, bool nodes, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < h->groups; i++) {
    bool has_a = false, has_b = false;
    for (uint32_t k = 0; k < h->group[i].parts; k++) {
      has_a = has_a || h->group[i].part[k] == a;
      has_b = has_b || h->group[i].part[k] == b;
    }
    if (h->group[i].nodes == nodes && has_a && has_b) return true;
  }
  return false;
}

static void check_groups(const ib_history *h) {
  for (uint32_t a = 0; a < h->nodes; a++)
    for (uint32_t b = a + 1; b < h->nodes; b++) {
      const bool both = h->node[a].kind == RIPSTOP_IB_SWITCH && h->node[b].kind == RIPSTOP_IB_SWITCH;
      assert_int_equal(together(h, true, a, b),
                       both && h->node[a].down.count && same_times(&h->node[a].down, &h->node[b].down));
    }
  for (uint32_t a = 0; a < h->cables; a++)
    for (uint32_t b = a + 1; b < h->cables; b++)
      if (h->cable[a].down.count != 1)
        assert_int_equal(together(h, false, a, b),
                         h->cable[a].down.count > 1 && same_times(&h->cable[a].down, &h->cable[b].down));
  for (uint32_t i = 1; i < h->groups; i++) assert_true(h->group[i - 1].down->count >= h->group[i].down->count);
}

static void random_histories_agree_with_the_rules(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    RIPSTOP_LOCAL_ARENA(arena);
    const scene s = draw_scene(seed);
    ib_history h = {.arena = arena};
    for (int d = 0; d < DUMPS; d++) {
      RIPSTOP_LOCAL_TEXT(text);
      print_dump(&s, d, &text);
      add_text(&h, text.data);
    }
    ib_history_end(&h);
    assert_int_equal(h.dumps, DUMPS);
    for (int c = 0; c < CABLES; c++) check_cable(&s, &h, c);
    check_groups(&h);
  }
}

#define TWO(port) \
  "Switch 9 \"S-a\" # \"a\"\n[" port "] \"S-b\"[1] # 4xHDR\nSwitch 9 \"S-b\" # \"b\"\n[1] \"S-a\"[" port "] # 4xHDR\n"

/* A cable in another port was moved, and did not fail. */
static void moved_cables_do_not_flap(void **state) {
  (void)state;
  RIPSTOP_LOCAL_ARENA(arena);
  ib_history h = {.arena = arena};
  add_text(&h, TWO("1"));
  add_text(&h, TWO("2"));
  add_text(&h, TWO("1"));
  ib_history_end(&h);
  const ib_history_part *c = find(h.cable, h.cables, "S-a[1]-S-b[1]"), *d = find(h.cable, h.cables, "S-a[2]-S-b[1]");
  assert_true(c->moved.count == 1 && c->down.count == 0 && c->up.count == 1 && ib_history_is_there(&h, c));
  assert_true(d->moved.count == 1 && d->down.count == 0 && d->up.count == 0 && !ib_history_is_there(&h, d));
  assert_int_equal(h.groups, 0);
}

static void dates_are_found(void **state) {
  (void)state;
  static const char *const dates[][3] = {
      {"fabric-2026-01-31.txt", "", "2026-01-31 00:00:00"},
      {"2026-01-31T0600", "", "2026-01-31 06:00:00"},
      {"ib_20260131-060510.gz", "", "2026-01-31 06:05:10"},
      {"dc1.2026-01-31_06:00.ibnetdiscover", "", "2026-01-31 06:00:00"},
      {"20260131060510.txt", "", "2026-01-31 06:05:10"},
      {"202601310", "", NULL},
      {"2026-01-31-leaf", "", "2026-01-31 00:00:00"},
      {"20260131.99", "", "2026-01-31 00:00:00"},
      {"monday", "#\n# Topology file: generated on Sat Jan  3 07:08:09 2026\n", "2026-01-03 07:08:09"},
      {"2026-13-31", "# generated on Sat Xyz  3 07:08:09 2026\n", NULL},
      {"120260131", "", NULL},
      {"2026-02-29", "", NULL}, /* no such day */
      {"2026-04-31.txt", "", NULL},
      {"2028-02-29", "", "2028-02-29 00:00:00"},
      {"12345678901234", "", NULL},
      {"monday", "x\n", NULL},
  };
  for (unsigned i = 0; i < sizeof dates / sizeof *dates; i++) {
    char date[IB_HISTORY_DATE];
    const bool found = ib_history_date(dates[i][0], dates[i][1], strlen(dates[i][1]), date);
    if (found != (dates[i][2] != NULL)) fail_msg("'%s': %s", dates[i][0], found ? date : "no date");
    if (found) assert_string_equal(date, dates[i][2]);
  }
}

static void hours_are_counted(void **state) {
  (void)state;
  assert_true(ib_history_hours("2026-01-31 06:00:00", "2026-02-01 06:30:00") == 24.5);
  assert_true(ib_history_hours("2024-02-28 00:00:00", "2024-03-01 00:00:00") == 48);
  assert_true(ib_history_hours("2026-02-28 00:00:00", "2026-03-01 00:00:00") == 24);
  assert_true(ib_history_hours("2023-12-31 23:00:00", "2024-01-01 00:00:00") == 1);
  assert_true(ib_history_hours("2024-12-31 00:00:00", "2025-01-01 00:00:00") == 24);
  assert_true(ib_history_hours("2025-01-01 00:00:00", "2024-12-31 00:00:00") == -24);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_histories_agree_with_the_rules),
      cmocka_unit_test(moved_cables_do_not_flap),
      cmocka_unit_test(dates_are_found),
      cmocka_unit_test(hours_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
