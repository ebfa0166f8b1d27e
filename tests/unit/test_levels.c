/* test_levels.c - virtual lanes and service levels as every program prints them: the same pairs and ports come out of
 * each dialect; credit loops are those of virtual lanes, not of links. */
#include "check.h"

#include <string.h>

#include "fabric/ib.h"
#include "ripstop/kit/judge.h"
#include "tables/infiniband/lfts.h"

/* A ring of four switches with one adapter each, all packets in one direction: a credit loop on one virtual lane. */
static const char dump[] =
    "Switch 3 \"S-00000000000000a0\" # \"zero\" base port 0 lid 1 lmc 0\n[1] \"H-0000000000000010\"[1](11)\n"
    "[2] \"S-00000000000000b0\"[3]\n[3] \"S-00000000000000d0\"[2]\n\n"
    "Switch 3 \"S-00000000000000b0\" # \"one\" base port 0 lid 2 lmc 0\n[1] \"H-0000000000000020\"[1](21)\n"
    "[2] \"S-00000000000000c0\"[3]\n[3] \"S-00000000000000a0\"[2]\n\n"
    "Switch 3 \"S-00000000000000c0\" # \"two\" base port 0 lid 3 lmc 0\n[1] \"H-0000000000000030\"[1](31)\n"
    "[2] \"S-00000000000000d0\"[3]\n[3] \"S-00000000000000b0\"[2]\n\n"
    "Switch 3 \"S-00000000000000d0\" # \"three\" base port 0 lid 4 lmc 0\n[1] \"H-0000000000000040\"[1](41)\n"
    "[2] \"S-00000000000000a0\"[3]\n[3] \"S-00000000000000c0\"[2]\n\n"
    "Ca 1 \"H-0000000000000010\" # \"h0\"\n[1](11) \"S-00000000000000a0\"[1] # lid 5 lmc 0\n\n"
    "Ca 1 \"H-0000000000000020\" # \"h1\"\n[1](21) \"S-00000000000000b0\"[1] # lid 6 lmc 0\n\n"
    "Ca 1 \"H-0000000000000030\" # \"h2\"\n[1](31) \"S-00000000000000c0\"[1] # lid 7 lmc 0\n\n"
    "Ca 1 \"H-0000000000000040\" # \"h3\"\n[1](41) \"S-00000000000000d0\"[1] # lid 8 lmc 0\n";

static const char tables[] = "Unicast lids of switch guid 0xa0 :\n0x2 2\n0x5 1\n0x6 2\n0x7 2\n0x8 2\n"
                             "Unicast lids of switch guid 0xb0 :\n0x5 2\n0x6 1\n0x7 2\n0x8 2\n"
                             "Unicast lids of switch guid 0xc0 :\n0x5 2\n0x6 2\n0x7 1\n0x8 2\n"
                             "Unicast lids of switch guid 0xd0 :\n0x5 2\n0x6 2\n0x7 2\n0x8 1\n";

/* Level 0 from "h0" and "h1", level 1 from the others: no level has packets all the way round. */
static const char records[] =
    "Channel Adapter 0x0000000000000011, base LID 5, \"h0\", port 1\n# LID  : SL : MTU : RATE\n"
    "0x0006 : 0  : 5   : 7   \n0x0007 : 0  : 5   : 7   \n0x0008 : 0  : 5   : 7   \n\n"
    "Channel Adapter 0x0000000000000021, base LID 6, \"h1\", port 1\n# LID  : SL : MTU : RATE\n"
    "0x0005 : 0  : 5   : 7   \n0x0007 : 0  : 5   : 7   \n0x0008 : 0  : 5   : 7   \n\n"
    "Channel Adapter 0x0000000000000031, base LID 7, \"h2\", port 1\n# LID  : SL : MTU : RATE\n"
    "0x0005 : 1  : 5   : 7   \n0x0006 : 1  : 5   : 7   \n0x0008 : 1  : 5   : 7   \n\n"
    "Channel Adapter 0x0000000000000041, base LID 8, \"h3\", port 1\n# LID  : SL : MTU : RATE\n"
    "0x0005 : 1  : 5   : 7   \n0x0006 : 1  : 5   : 7   \n0x0007 : 1  : 5   : 7   \n\n";
static const char psl[] = "0x10 6 0\n0x10 7 0\n0x10 8 0\n0x20 5 0\n0x20 7 0\n0x20 8 0\n0x30 5 1\n0x30 6 1\n0x30 8 "
                          "1\n0x40 5 1\n0x40 6 1\n0x40 7 1\n";

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_arena *arena;
  ripstop_lfts_notes notes;
  ripstop_error err;
} bench;

static bench open_bench(void) {
  bench b = {.arena = ripstop_arena_new()};
  b.fabric = ripstop_ib_from_text("ring", dump, sizeof dump - 1, &b.err);
  assert_non_null(b.fabric);
  b.view = ripstop_view_new(b.fabric, NULL);
  return b;
}

static void close_bench(bench *b) {
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static int hand_over(bench *b, ripstop_lfts *lfts, const char *name, const char *text) {
  ripstop_lfts_file(lfts, name);
  for (const char *end; *text; text = end + (*end == '\n')) {
    end = text + strcspn(text, "\n");
    if (ripstop_lfts_line(lfts, text, (size_t)(end - text), &b->err) != 0) return -1;
  }
  return 0;
}

/* The ring's tables with the SLs and VLs in the texts (NULL: none); NULL: b->err has the reason. */
static ripstop_forwarding *read_tables(bench *b, const char *first, const char *second) {
  ripstop_address_book book;
  ripstop_address_book_of(b->fabric, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(b->fabric, &book, &b->err);
  int status = first ? hand_over(b, lfts, "first", first) : 0; /* before the tables: the order does not matter */
  if (!status) status = hand_over(b, lfts, "tables", tables);
  if (!status && second) status = hand_over(b, lfts, "second", second);
  ripstop_forwarding *f = status ? NULL : ripstop_lfts_finish(lfts, b->arena, &b->notes, &b->err);
  ripstop_lfts_free(lfts);
  return f;
}

static ripstop_forwarding *must_read(bench *b, const char *first, const char *second) {
  ripstop_forwarding *f = read_tables(b, first, second);
  if (!f) fail_msg("%s", b->err.text);
  return f;
}

static ripstop_table_verdict judge(bench *b, const ripstop_forwarding *f, const ripstop_forwarding *levels) {
  ripstop_table_verdict v;
  assert_int_equal(ripstop_judge(b->arena, b->view, f, levels, &v, &b->err), 0);
  assert_int_equal(v.unreached, 0);
  assert_int_equal(v.switch_addresses, 1);
  assert_int_equal(v.switch_addresses_unreached, 1); /* only "zero" has an entry for a port of "one" */
  return v;
}

/* ------------------------------------------------------------------ path levels */

/* `saquery PR` for what the records say. */
static const char *as_query(bench *b) {
  ripstop_text t = {0};
  for (unsigned from = 0; from < 4; from++)
    for (unsigned to = 0; to < 4; to++)
      if (from != to)
        ripstop_text_add(
            &t,
            "PathRecord dump:\n\t\tservice_id..............0x0000000000000000\n\t\tdlid...................."
            "%u\n\t\tslid....................%u\n\t\tqos_class...............0x0\n"
            "\t\tsl......................0x%x\n\t\tmtu.....................0x83\n",
            to + 5, from + 5, from >= 2 ? 1u : 0u);
  const char *text = ripstop_arena_text(b->arena, t.data);
  ripstop_text_free(&t);
  return text;
}

static void every_dialect_says_the_same(void **state) {
  (void)state;
  bench b = open_bench();
  const char *const texts[] = {records, psl, as_query(&b)};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ripstop_forwarding *f = must_read(&b, texts[i], NULL);
    assert_int_equal(b.notes.without_level, 0);
    assert_int_equal(f->lanes, 2);
    for (uint32_t from = 0; from < 4; from++)
      for (uint32_t to = 0; to < 4; to++)
        if (to != from) assert_int_equal(ripstop_forwarding_level(f, from, to), from >= 2);
  }
  close_bench(&b);
}

/* Service levels that all sources agree on take one row, whatever the dump says of packets to oneself. */
static void one_row_where_sources_agree(void **state) {
  (void)state;
  bench b = open_bench();
  const char *const agreed = "0x10 6 3\n0x10 7 0\n0x10 8 1\n0x20 5 2\n0x20 6 9\n0x20 7 0\n0x20 8 1\n"
                             "0x30 5 2\n0x30 6 3\n0x30 8 1\n0x40 5 2\n0x40 6 3\n0x40 7 0\n";
  ripstop_forwarding *f = must_read(&b, agreed, NULL);
  const unsigned want[] = {2, 3, 0, 1};
  assert_true(f->level_shared);
  assert_int_equal(b.notes.without_level, 0);
  assert_int_equal(f->lanes, 4);
  for (uint32_t from = 0; from < 4; from++)
    for (uint32_t to = 0; to < 4; to++)
      if (to != from) assert_int_equal(ripstop_forwarding_level(f, from, to), want[to]);
  assert_false(must_read(&b, psl, NULL)->level_shared);
  close_bench(&b);
}

static void loops_are_those_of_lanes(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *plain = must_read(&b, NULL, NULL), *levels = must_read(&b, psl, NULL);
  assert_int_equal(judge(&b, plain, NULL).in_loops, 4);
  ripstop_table_verdict split = judge(&b, levels, NULL);
  assert_int_equal(split.lanes, 2);
  assert_false(split.credit_loop);
  assert_true(judge(&b, levels, plain).credit_loop); /* connections that keep the level that they had */
  assert_false(judge(&b, plain, levels).credit_loop);
  ripstop_transient m;
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, plain, levels, &m, &b.err), 0);
  assert_true(m.credit_loop && m.old_levels_loop);
  assert_int_equal(m.old_levels_in_loops, 4);
  assert_int_equal(m.old_levels_length, 4);
  assert_int_equal(m.changed, 0);
  assert_int_equal(m.levels_changed, 6);
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, levels, plain, &m, &b.err), 0);
  assert_true(m.credit_loop && !m.old_levels_loop); /* the other way round the old levels are the good ones */
  close_bench(&b);
}

static void switches_have_addresses_too(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *f = must_read(&b, NULL, NULL);
  ripstop_table_verdict v;
  uint32_t one = 5, address = 4;
  assert_int_equal(f->node[address], one);
  for (uint32_t s = 6; s <= 7; s++) {
    assert_int_equal(judge(&b, f, NULL).switch_addresses_unreached, 1);
    ripstop_forwarding_set(f, address, s, 2); /* on round the ring: "two", then "three" */
  }
  assert_int_equal(ripstop_judge(b.arena, b.view, f, NULL, &v, &b.err), 0);
  assert_int_equal(v.switch_addresses_unreached, 0); /* "one" itself has no entry, and needs none */
  ripstop_forwarding_set(f, address, 4, 3);          /* "zero" sends to "three", which sends back */
  assert_int_equal(ripstop_judge(b.arena, b.view, f, NULL, &v, &b.err), 0);
  assert_int_equal(v.switch_addresses_unreached, 1);
  close_bench(&b);
}

/* Like `route --after` on tables of a time when "3" was off: service levels still follow from the destination alone. */
static void sources_without_levels_agree_with_all(void **state) {
  (void)state;
  bench b = open_bench();
  const char *const others = "0x10 6 3\n0x10 7 0\n0x20 5 2\n0x20 7 0\n0x30 5 2\n0x30 6 3\n";
  ripstop_forwarding *f = must_read(&b, others, NULL);
  assert_true(f->level_shared && b.notes.levels_agree);
  assert_int_equal(b.notes.without_level, 6); /* from the last end node, and to it */
  assert_false(ripstop_forwarding_by_pair(f));
  assert_int_equal(ripstop_forwarding_level(f, 3, 1), 3);
  assert_int_equal(ripstop_forwarding_level(f, 0, 3), 0); /* no file gives it */
  f = must_read(&b, others, "0x40 6 1\n");
  assert_false(f->level_shared || b.notes.levels_agree);
  assert_int_equal(b.notes.without_level, 5);
  assert_int_equal(ripstop_forwarding_level(f, 3, 0), 0);
  close_bench(&b);
}

static void levels_that_are_not_reported(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *f = must_read(&b, "0x10 6 3\n0x99 6 1\n", NULL);
  assert_int_equal(b.notes.without_level, 11);
  assert_int_equal(b.notes.unknown_sources, 1);
  assert_int_equal(ripstop_forwarding_level(f, 0, 1), 3);
  assert_int_equal(ripstop_forwarding_level(f, 1, 0), 0);
  close_bench(&b);
}

/* ------------------------------------------------------------------ virtual lanes */

#define ROW     "2  3  1  0  2  3  1  0  2  3  1  0  2  3  1  15 "
#define QUERIED "| 2| 3| 1| 0| 2| 3| 1| 0| 2| 3| 1| 0| 2| 3| 1|15|\n"

static void every_dialect_of_lanes(void **state) {
  (void)state;
  static const char *const texts[] = {
      ("Switch 0x00000000000000b0, base LID 2, \"one\"\n#in out : 0  1  2\n#----\n3   2   : " ROW "\n"),
      ("# SL2VL table: Lid 2\n#                 SL: | 0| 1| 2|\nports: in  3, out  2: " QUERIED),
      ("Switch 0xa0, base LID 1, \"other\"\n# SL2VL table: Lid 2\nports: in  3, out  2: " QUERIED),
      "0xb0 3 2 0x23 0x10 0x23 0x10 0x23 0x10 0x23 0x1f\n"};
  static const uint8_t want[] = {2, 3, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3, 1, 15};
  bench b = open_bench();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ripstop_forwarding *f = must_read(&b, texts[i], psl);
    for (unsigned level = 0; level < RIPSTOP_LEVELS; level++) {
      assert_int_equal(ripstop_forwarding_lane(f, 4 + 1, 3, 2, level), want[level]);
      assert_int_equal(ripstop_forwarding_lane(f, 4 + 1, 1, 2, level), level); /* not given: the level itself */
    }
    assert_int_equal(f->lanes, 4); /* levels 0 and 1 lead to VLs 0, 1, 2 and 3 */
  }
  close_bench(&b);
}

/* Every switch's VLs for both levels, as two digits. */
static const char *lanes_everywhere(bench *b, const char *two) {
  ripstop_text t = {0};
  for (unsigned guid = 0xa0; guid <= 0xd0; guid += 0x10)
    for (unsigned in = 0; in < 4; in++)
      ripstop_text_add(&t, "0x%x %u 2 0x%s 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n", guid, in, two);
  const char *text = ripstop_arena_text(b->arena, t.data);
  ripstop_text_free(&t);
  return text;
}

/* VLs that map both levels to one close the ring again; no packet uses VL 15, so nothing waits on it. */
static void lanes_decide(void **state) {
  (void)state;
  static const struct {
    const char *lanes;
    bool loop;
  } cases[] = {{"00", true}, {"01", false}, {"10", false}, {"ff", false}};
  bench b = open_bench();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_forwarding *f = must_read(&b, psl, lanes_everywhere(&b, cases[i].lanes));
    assert_int_equal(judge(&b, f, NULL).credit_loop, cases[i].loop);
  }
  close_bench(&b);
}

/* While VLs are written, a packet may change from one to the other between switches. */
static void lanes_mix_too(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *one = must_read(&b, psl, lanes_everywhere(&b, "01"));
  ripstop_forwarding *other = must_read(&b, psl, lanes_everywhere(&b, "10"));
  ripstop_transient m;
  assert_false(judge(&b, one, NULL).credit_loop || judge(&b, other, NULL).credit_loop);
  assert_int_equal(ripstop_judge_transient(b.arena, b.view, one, other, &m, &b.err), 0);
  assert_true(m.credit_loop && !m.old_levels_loop);
  assert_int_equal(m.changed + m.levels_changed, 0);
  close_bench(&b);
}

static void lanes_of_adapters(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *f =
      must_read(&b, psl, "Channel Adapter 0x0000000000000021, base LID 6, \"h1\"\n#in out : 0\n0   0   : " ROW "\n");
  assert_int_equal(ripstop_forwarding_end_lane(f, 1, 0), 2);
  assert_int_equal(ripstop_forwarding_end_lane(f, 0, 0), 0);
  close_bench(&b);
}

/* A copy decides as the original did, whatever becomes of that. */
static void a_copy_has_lanes_of_its_own(void **state) {
  (void)state;
  bench b = open_bench();
  ripstop_forwarding *f = must_read(&b, psl, lanes_everywhere(&b, "01"));
  ripstop_forwarding *copy = ripstop_forwarding_copy(b.arena, f);
  size_t entries = (size_t)f->addresses * ripstop_fabric_switches(b.fabric);
  for (size_t i = 0; i < entries; i++) f->port[i] = RIPSTOP_NO_PORT;
  memset(f->lane, 0, 16 * RIPSTOP_LEVELS);
  memset(f->level, 0, (size_t)b.fabric->ends * f->addresses);
  memset(f->end_lane, 0, (size_t)b.fabric->ends * RIPSTOP_LEVELS);
  ripstop_table_verdict verdict = judge(&b, copy, NULL);
  assert_int_equal(verdict.unreached, 0);
  assert_false(verdict.credit_loop);
  assert_int_equal(ripstop_forwarding_end_lane(copy, 0, 1), 1);
  close_bench(&b);
}

/* Sets the VL of a service level in every switch. */
static void set_lane(ripstop_forwarding *f, unsigned level, uint8_t lane) {
  const ripstop_fabric *fabric = f->fabric;
  size_t ports = ripstop_node_ports(fabric, fabric->nodes - 1);
  size_t rows = f->lane_first[fabric->nodes - 1 - fabric->ends] / RIPSTOP_LEVELS + ports * ports;
  for (size_t row = 0; row < rows; row++) f->lane[row * RIPSTOP_LEVELS + level] = lane;
  for (uint32_t end = 0; end < fabric->ends; end++) f->end_lane[(size_t)end * RIPSTOP_LEVELS + level] = lane;
}

/* Levels 0 to 2 are in use: each counts, however few VLs there are, and no other does. */
static void lanes_follow_from_levels_in_use(void **state) {
  (void)state;
  static const char three[] = "0x10 6 0\n0x10 7 0\n0x10 8 0\n0x20 5 1\n0x20 7 1\n0x20 8 1\n0x30 5 2\n0x30 6 2\n";
  bench b = open_bench();
  ripstop_forwarding *f = must_read(&b, three, lanes_everywhere(&b, "01"));
  set_lane(f, 0, 0);
  set_lane(f, 1, 1);
  set_lane(f, 2, 2);
  set_lane(f, 3, 0);
  f->lanes = 3;
  assert_true(ripstop_forwarding_plain(f));
  f->lanes = 2;
  set_lane(f, 2, 1);
  assert_false(ripstop_forwarding_plain(f));
  set_lane(f, 2, 0); /* 2 % 2 */
  assert_true(ripstop_forwarding_plain(f));
  f->end_lane[2] = 1;
  assert_false(ripstop_forwarding_plain(f));
  close_bench(&b);
}

/* ------------------------------------------------------------------ errors */

#define BYTES "0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67"

static void what_is_wrong_is_one_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"0x10 6 16\n", "second:1: 16 is no service level (0 to 15)"},
      {"0x10 0 1\n", "second:1: 0 is no unicast LID (1 to 49151)"},
      {"\n0x10 49152 1\n", "second:2: 49152 is no unicast LID (1 to 49151)"},
      {"Switch 0xb0, base LID 0, \"one\"\n", "second:1: 0 is no unicast LID (1 to 49151)"},
      {"Switch 0xb0, base LID 2, \"one\"\n3 2 : 0 1 2\n", "second:2: 3 VLs, not 16"},
      {"Switch 0xb0, base LID 2, \"one\"\n3 2 : 16 1 2\n", "second:2: 16 is no virtual lane (0 to 15)"},
      {"Switch 0xb0, base LID 2, \"one\"\n3 4 : " ROW "\n", "second:2: port 4: the switch has ports up to 3"},
      {"Switch 0xb0, base LID 2, \"one\"\n300 2 : " ROW "\n", "second:2: 300 is no port"},
      {"0xb0 3 2 0x01 0x23\n", "second:1: 4 VLs, not 16"},
      {"0xb0 3 2 " BYTES " 0x01\n", "second:1: more than 16 VLs"},
      {"Switch 0xb0, base LID 2, \"one\"\n3 2 : " ROW " x\n", "second:2: more than 16 VLs"},
      {"dlid....5\nslid....0xg\n", "second:2: no number behind the dots"},
      {"slid....5\ndlid....6x\n", "second:2: no number behind the dots"},
      {"slid....5\ndlid....6\nsl....0x\n", "second:3: no number behind the dots"},
      {"slid....5\nsl....1\n", "second:2: a service level before both LIDs of its path (slid, dlid)"},
  };
  bench b = open_bench();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_null(read_tables(&b, NULL, cases[i].text));
    assert_string_equal(b.err.text, cases[i].says);
  }
  close_bench(&b);
}

static unsigned count_lines(const char *text) {
  unsigned lines = 0;
  for (; (text = strchr(text, '\n')); text++) lines++;
  return lines;
}

static void expect_strange(bench *b, const char *strange, const char *text, unsigned line) {
  static const char says[] = "second:%u: '%.40s' is neither an entry ('0x0001 005') nor any other line of tables, "
                             "service levels, VLs or groups";
  assert_null(read_tables(b, NULL, text));
  assert_string_equal(b->err.text, ripstop_arena_printf(b->arena, says, line, strange));
}

/* A line of no kind that a program writes is refused, before and behind lines that say something. */
static void strange_lines_are_refused(void **state) {
  (void)state;
  static const char table[] = "Unicast lids [0-6] of switch Lid 9 guid 0xe0 ('other'):\n  Lid  Out   Destination\n"
                              "       Port     Info \n0x0000 255 : (path #0 - illegal port)\n0x0001 005\n"
                              "2 lids dumped \n";
  static const char lanes[] = "Switch 0xb0, base LID 2, \"one\"\n#in out :\n3 2 : " ROW "\n#--\n\n";
  static const char bytes[] = "0xb0 3 2 " BYTES "\n", no_colon[] = "3 2 " ROW;
  static const char *const good[] = {
      table,
      "0x10 6 1\n",
      "Channel Adapter 0x11, base LID 5, \"a\"\n0x0006 : 1 : 5 : 7\n",
      "PathRecord dump:\n\tslid....5\n\thop_flow_raw....0x0\n\tdlid....6\n\tsl....0x1\n",
      lanes,
      bytes,
      "# SL2VL table: Lid 2\nports: in  3, out  2: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6| 7|\n"};
  static const char *const strange[] = {
      "0x0001 xyz",          "zx0001 005",         "005garbage", "0x0001 005garbage",     "0x10 6 1x",
      "0x0006 : UNREACHABL", "0x0006 : x : 5 : 7", no_colon,     "Switch b0, base LID 2", "x lids dumped",
      "PathRecord",          "$ dump_lfts",        "1 2 3"};
  bench b = open_bench();
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    (void)must_read(&b, NULL, ripstop_arena_printf(b.arena, "\xef\xbb\xbf%s", good[i])); /* a byte-order mark */
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
      expect_strange(&b, strange[k], ripstop_arena_printf(b.arena, "\n%s\n%s", strange[k], good[i]), 2);
      expect_strange(&b, strange[k], ripstop_arena_printf(b.arena, "%s  %s \r\n", good[i], strange[k]),
                     count_lines(good[i]) + 1);
    }
  }
  (void)must_read(&b, NULL, "something else\n0x0001 : 2 : 3\n");
  assert_int_equal(b.notes.silent, 1);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_dialect_says_the_same),
                                     cmocka_unit_test(one_row_where_sources_agree),
                                     cmocka_unit_test(loops_are_those_of_lanes),
                                     cmocka_unit_test(sources_without_levels_agree_with_all),
                                     cmocka_unit_test(levels_that_are_not_reported),
                                     cmocka_unit_test(switches_have_addresses_too),
                                     cmocka_unit_test(every_dialect_of_lanes),
                                     cmocka_unit_test(lanes_decide),
                                     cmocka_unit_test(lanes_mix_too),
                                     cmocka_unit_test(lanes_of_adapters),
                                     cmocka_unit_test(a_copy_has_lanes_of_its_own),
                                     cmocka_unit_test(lanes_follow_from_levels_in_use),
                                     cmocka_unit_test(what_is_wrong_is_one_line),
                                     cmocka_unit_test(strange_lines_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
