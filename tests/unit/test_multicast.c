/* test_multicast.c - multicast groups in tables: every dialect gives the same masks; the verdict agrees with a slow
 * model, which puts each dependency of each copy into a matrix and searches it depth first, on random fabrics with
 * random trees and random masks. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/forest.h"
#include "base/local.h"
#include "fabric/ib.h"
#include "ripstop/kit/judge.h"
#include "tables/infiniband/lfts.h"
#include "tables/repair.h"

/* ------------------------------------------------------------------ dialects */

/* Two switches with twenty ports, two cables between them and two adapters each. */
static const char dump[] = "Switch 20 \"S-00000000000000a0\" # \"one\" base port 0 lid 1 lmc 0\n"
                           "[1] \"H-0000000000000010\"[1](11)\n"
                           "[2] \"H-0000000000000020\"[1](21)\n"
                           "[3] \"S-00000000000000b0\"[3]\n"
                           "[18] \"S-00000000000000b0\"[18]\n\n"
                           "Switch 20 \"S-00000000000000b0\" # \"two\" base port 0 lid 2 lmc 0\n"
                           "[1] \"H-0000000000000030\"[1](31)\n"
                           "[2] \"H-0000000000000040\"[1](41)\n"
                           "[3] \"S-00000000000000a0\"[3]\n"
                           "[18] \"S-00000000000000a0\"[18]\n\n"
                           "Ca 1 \"H-0000000000000010\" # \"a\"\n[1](11) \"S-00000000000000a0\"[1] # lid 3 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000020\" # \"b\"\n[1](21) \"S-00000000000000a0\"[2] # lid 4 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000030\" # \"c\"\n[1](31) \"S-00000000000000b0\"[1] # lid 5 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000040\" # \"d\"\n[1](41) \"S-00000000000000b0\"[2] # lid 6 lmc 0\n";

static const char unicast[] = "Unicast lids of switch guid 0xa0 :\n0x3 1\n0x4 2\n0x5 3\n0x6 18\n"
                              "Unicast lids of switch guid 0xb0 :\n0x3 3\n0x4 3\n0x5 1\n0x6 2\n";

static const char lists[] = "\nSwitch 0x00000000000000a0\nLID    : Out Port(s)\n0xC000 : 0x000  0x001  0x012 \n"
                            "\nSwitch 0x00000000000000b0\nLID    : Out Port(s)\n0xC000 : 0x002  0x012 \n";
#define TITLES                                             \
  "            0                   1                   \n" \
  "     Ports: 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 \n MLid\n"
static const char columns[] =
    "Multicast mlids [0xc000-0xc3ff] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000a0 (one):\n" TITLES
    "0xc000      x x                                 x   \n1 valid mlids dumped \n"
    "Multicast mlids [0xc000-0xc3ff] of switch DR path slid 0; dlid 0; 0,1,3 guid 0x00000000000000b0 (two):\n" TITLES
    "0xc000          x                               x\n1 valid mlids dumped \n";
static const char brief[] =
    "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x00000000000000a0 (one):\n MLid       Port Mask\n"
    "0xc000      00030004\n1 valid mlids dumped \n"
    "Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x00000000000000b0 (two):\n MLid       Port Mask\n"
    "0xc000      00040004\n1 valid mlids dumped \n";

typedef struct texts {
  const char *text[4];
} texts;

static int read_text(ripstop_lfts *lfts, const char *text, ripstop_error *err) {
  int status = 0;
  ripstop_lfts_file(lfts, "file");
  for (const char *at = text; !status && *at;) {
    const size_t length = strcspn(at, "\n");
    status = ripstop_lfts_line(lfts, at, length, err);
    at += length + (at[length] == '\n');
  }
  return status;
}

static ripstop_forwarding *read_texts(ripstop_arena *arena, const ripstop_fabric *f, const texts *t,
                                      ripstop_lfts_notes *notes, ripstop_error *err) {
  ripstop_address_book book;
  ripstop_address_book_of(f, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(f, &book, err);
  int status = read_text(lfts, unicast, err);
  for (unsigned i = 0; i < 4 && t->text[i] && !status; i++) status = read_text(lfts, t->text[i], err);
  ripstop_forwarding *tables = status ? NULL : ripstop_lfts_finish(lfts, arena, notes, err);
  ripstop_lfts_free(lfts);
  return tables;
}

typedef struct two_switches {
  ripstop_fabric *f;
  ripstop_view *view;
  ripstop_arena *arena;
  ripstop_lfts_notes notes;
  ripstop_error err;
} two_switches;

static two_switches open_two(void) {
  two_switches t = {.arena = ripstop_arena_new()};
  t.f = ripstop_ib_from_text("two", dump, sizeof dump - 1, &t.err);
  assert_non_null(t.f);
  t.view = ripstop_view_new(t.f, NULL);
  return t;
}

static void close_two(two_switches *t) {
  ripstop_view_free(t->view);
  ripstop_fabric_free(t->f);
  ripstop_arena_free(t->arena);
}

static ripstop_table_verdict judge_two(two_switches *t, const texts *files, const ripstop_forwarding **tables) {
  ripstop_table_verdict v;
  *tables = read_texts(t->arena, t->f, files, &t->notes, &t->err);
  if (!*tables) print_error("%s\n", t->err.text);
  assert_non_null(*tables);
  assert_int_equal(ripstop_judge(t->arena, t->view, *tables, NULL, &v, &t->err), 0);
  return v;
}

static bool masks(const two_switches *t, const ripstop_group *g, uint64_t guid, uint32_t port) {
  return ripstop_bit_test(g->mask, t->f->port_base[ripstop_ib_switch_of(t->f, guid)] + port);
}

static void every_dialect_gives_the_same_masks(void **state) {
  (void)state;
  const char *const dialects[] = {lists, columns, brief};
  for (unsigned i = 0; i < 3; i++) {
    two_switches t = open_two();
    const ripstop_forwarding *tables;
    const ripstop_table_verdict v = judge_two(&t, &(texts){{dialects[i]}}, &tables);
    assert_non_null(tables->groups);
    assert_int_equal(tables->groups->groups, 1);
    const ripstop_group *g = &tables->groups->group[0];
    assert_int_equal(g->mlid, 0xC000);
    assert_null(g->mgid);
    assert_true(g->assumed && g->levels == 1);
    assert_int_equal(ripstop_bits_count(g->mask, ripstop_bits_words(t.f->ports)), 4);
    assert_true(masks(&t, g, 0xa0, 1) && masks(&t, g, 0xa0, 18) && masks(&t, g, 0xb0, 2) && masks(&t, g, 0xb0, 18));
    const ripstop_group_verdict *one = &v.multicast->group[0];
    assert_int_equal(one->switches, 2);
    assert_int_equal(one->end_ports, 3); /* the first switch itself, too */
    assert_int_equal(one->cables, 1);
    assert_int_equal(one->components, 1);
    assert_int_equal(one->asymmetric_ports, 0);
    assert_int_equal(one->not_reached, RIPSTOP_NONE);
    assert_int_equal(one->lane, 0);
    assert_false(v.credit_loop || one->forwarding_loop || v.multicast->credit_loop);
    close_two(&t);
  }
}

/* Two groups share an MLID; one member sends only; "d" is in the tree, and "c" is not. */
static const char query[] =
    "MCMember Record dump:\n\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
    "\t\tPortGid.................fe80::11\n\t\tqkey....................0xB1B\n\t\tmlid....................0xC000\n"
    "\t\tpkey....................0xFFFF\n\t\tSL......................0x2\n\t\tJoinState...............0x1\n"
    "MCMember Record dump:\n\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
    "\t\tPortGid.................fe80::41\n\t\tmlid....................0xC000\n\t\tSL......................0x2\n"
    "\t\tJoinState...............0x1\n"
    "MCMember Record dump:\n\t\tMGID....................ff12:401b:ffff::1\n"
    "\t\tPortGid.................fe80::31\n\t\tmlid....................0xC000\n\t\tSL......................0x3\n"
    "\t\tJoinState...............0x1\n"
    "MCMember Record dump:\n\t\tMGID....................ff12:401b:ffff::1\n"
    "\t\tPortGid.................fe80::21\n\t\tmlid....................0xC000\n\t\tSL......................0x3\n"
    "\t\tJoinState...............0x4\n";
static const char listed[] = "MCMemberRecord group dump:\n\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
                             "\t\tMlid....................0xC000\n\t\tMtu.....................0x84\n"
                             "\t\tSL......................0x2\n";
static const char by_member[] = "MCMemberRecord member dump:\n\t\tMGID....................ff12:401b:ffff::ffff:ffff\n"
                                "\t\tMlid....................0xC000\n\t\tPortGid.................fe80::31\n"
                                "\t\tScopeState..............0x21\n\t\tNodeDescription.........c\n";

static void records_name_groups_levels_and_members(void **state) {
  (void)state;
  two_switches t = open_two();
  const ripstop_forwarding *tables;
  ripstop_table_verdict v = judge_two(&t, &(texts){{lists, query}}, &tables);
  const ripstop_group *g = &tables->groups->group[0];
  assert_string_equal(g->mgid, "ff12:401b:ffff::ffff:ffff, ff12:401b:ffff::1");
  assert_int_equal(g->levels, 1 << 2 | 1 << 3);
  assert_false(g->assumed);
  assert_int_equal(g->members, 3);
  assert_int_equal(v.multicast->group[0].not_reached, 1);
  assert_int_equal(v.multicast->group[0].level, 2);
  assert_int_equal(v.multicast->group[0].lane, 2); /* each level has a VL of its own */
  assert_int_equal(v.lanes, 4);
  assert_int_equal(v.lanes_used, 1);
  v = judge_two(&t, &(texts){{listed, lists}}, &tables);
  assert_int_equal(tables->groups->group[0].levels, 1 << 2);
  assert_null(tables->groups->group[0].member);
  v = judge_two(&t, &(texts){{listed, by_member, columns}}, &tables);
  assert_int_equal(tables->groups->group[0].members, 1);
  assert_int_equal(v.multicast->group[0].not_reached, 1);
  v = judge_two(&t, &(texts){{listed}}, &tables); /* no switch's table */
  assert_null(tables->groups);
  assert_null(v.multicast);
  assert_true(t.notes.groups_without_tables);
  close_two(&t);
}

/* Puts a prefix before each line. */
static char *prefixed(ripstop_arena *arena, const char *text, const char *prefix) {
  RIPSTOP_LOCAL_TEXT(out);
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    ripstop_text_add(&out, "%s%.*s\n", prefix, (int)length, text);
  }
  return ripstop_arena_text(arena, out.data);
}

static void records_in_mails_and_logs_are_the_same(void **state) {
  (void)state;
  static const char *const prefixes[] = {"> ",
                                         "Jan  5 08:00:00 host saquery[7]: ", "<13>2026-01-05T08:00:00 host sa: "};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    two_switches t = open_two();
    const ripstop_forwarding *tables;
    const texts files = {{prefixed(t.arena, lists, prefixes[i]), prefixed(t.arena, query, prefixes[i])}};
    const ripstop_table_verdict v = judge_two(&t, &files, &tables);
    assert_int_equal(tables->groups->groups, 1);
    assert_int_equal(tables->groups->group[0].levels, 1 << 2 | 1 << 3);
    assert_int_equal(tables->groups->group[0].members, 3);
    assert_int_equal(v.multicast->group[0].not_reached, 1);
    close_two(&t);
  }
}

static void add_record(ripstop_text *out, uint32_t mgid, uint32_t mlid) {
  ripstop_text_add(out,
                   "MCMember Record dump:\n\t\tMGID....ff12::%x:%x\n\t\tPortGid....fe80::11\n\t\tmlid....0x%X\n"
                   "\t\tSL....0x1\n\t\tJoinState....0x1\n",
                   mgid >> 16, mgid & 0xFFFF, mlid);
}

/* Memory counts the work: it grows with the groups and their records, not with their product. */
static void many_groups_take_little_memory(void **state) {
  (void)state;
  enum { GROUPS_MANY = 4000, BYTES_MAX = 1 << 22 };
  two_switches t = open_two();
  RIPSTOP_LOCAL_TEXT(records);
  for (uint32_t i = GROUPS_MANY; i-- > 0;) add_record(&records, i, 0xC000 + i);
  const texts files = {{lists, records.data}};
  const ripstop_forwarding *tables = read_texts(t.arena, t.f, &files, &t.notes, &t.err);
  assert_non_null(tables);
  assert_int_equal(tables->groups->groups, GROUPS_MANY);
  for (uint32_t i = 0; i < GROUPS_MANY; i++) {
    const ripstop_group *g = &tables->groups->group[i];
    assert_int_equal(g->mlid, 0xC000 + i);
    assert_string_equal(g->mgid, ripstop_arena_printf(t.arena, "ff12::0:%x", i));
    assert_int_equal(g->members, 1);
    assert_true(g->member[0] < t.f->ends);
  }
  assert_true(ripstop_arena_bytes(t.arena) < BYTES_MAX);
  close_two(&t);
}

/* OpenSM can give the groups of all IPv6 addresses one MLID. Their texts together are short, copies for each are not.
 */
static void many_addresses_share_an_mlid(void **state) {
  (void)state;
  enum { ADDRESSES = 60000, LENGTH = sizeof "ff12::0:0000, " - 1 };
  two_switches t = open_two();
  RIPSTOP_LOCAL_TEXT(records);
  for (uint32_t i = 0; i < 2 * ADDRESSES; i++) add_record(&records, 0x1000 + i / 2 % ADDRESSES, 0xC000);
  const texts files = {{lists, records.data}};
  const ripstop_forwarding *tables = read_texts(t.arena, t.f, &files, &t.notes, &t.err);
  assert_non_null(tables);
  assert_int_equal(tables->groups->groups, 1);
  const ripstop_group *g = &tables->groups->group[0];
  assert_int_equal(strlen(g->mgid), ADDRESSES * LENGTH - strlen(", "));
  assert_int_equal(g->members, 1);
  close_two(&t);
}

/* grep colours a part of a line, so marks stand within the name of a field; a web page ends values with a tag. */
static void marks_within_records_do_not_matter(void **state) {
  (void)state;
  static const char *const marks[][2] = {{"SL..", "\x1b[01;31m\x1b[KSL\x1b[m\x1b[K.."}, {"\n", "<br>\n"}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    two_switches t = open_two();
    RIPSTOP_LOCAL_TEXT(marked);
    const char *at = query;
    for (const char *next; (next = strstr(at, marks[i][0])); at = next + strlen(marks[i][0]))
      ripstop_text_add(&marked, "%.*s%s", (int)(next - at), at, marks[i][1]);
    ripstop_text_add(&marked, "%s", at);
    const ripstop_forwarding *tables;
    const texts files = {{lists, marked.data}};
    (void)judge_two(&t, &files, &tables);
    assert_int_equal(tables->groups->group[0].levels, 1 << 2 | 1 << 3);
    assert_null(strchr(tables->groups->group[0].mgid, '<'));
    close_two(&t);
  }
}

static void both_cables_between_two_switches_copy_forever(void **state) {
  (void)state;
  two_switches t = open_two();
  const ripstop_forwarding *tables;
  static const char twice[] = "Switch 0xa0\nLID    : Out Port(s)\n0xC000 : 0x001  0x003  0x012\n"
                              "Switch 0xb0\nLID    : Out Port(s)\n0xC000 : 0x001  0x003  0x012\n";
  const ripstop_table_verdict v = judge_two(&t, &(texts){{twice}}, &tables);
  assert_true(v.multicast->group[0].forwarding_loop && v.multicast->credit_loop && v.credit_loop);
  assert_false(v.credit_loop_unicast);
  assert_int_equal(v.multicast->forwarding_loops, 1);
  close_two(&t);
}

static void contradictions_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"Switch 0xa0\n0xC000 : 0x015\n", "file:2: port 21 for MLID 0xC000: the switch has ports up to 20"},
      {"Switch 0xa0\n0xC000 : 0x001\nSwitch 0xa0\n0xC000 : 0x002\n",
       "file:4: another mask for MLID 0xC000 than an earlier line has for this switch"},
      {"Switch 0xa0\n0xC000 : 1\n", "file:2: no port number (0x001) in the list"},
      {"Switch 0xa0\n0xC000   0x1\n", "file:2: no ':' behind the MLID"},
      {"Multicast mlids of switch (one):\n",
       "file:1: the group table does not say whose it is ('guid 0x...' is missing)"},
      {"Multicast mlids of switch guid 0xa0 (one):\n0xc000       x\n",
       "file:2: a column that belongs to no port: two for each, from the 13th on, an 'x' or blank first"},
      {"Multicast mlids of switch guid 0xa0 (one):\n0xc000      00\n",
       "file:2: neither columns of 'x' nor a mask of four hexadecimal digits for each 16 ports"},
      {"Multicast mlids of switch guid 0xa0 (one):\n0x0001      x\n", "file:2: no multicast LID (0xC000 to 0xFFFE)"},
      {"MGID....ff12::1\nMlid....0x7\n", "file:2: no multicast LID (0xC000 to 0xFFFE)"},
      {"MGID....ff12::1\nMlid....0xC000\nSL....0x10\n", "file:3: no service level (0 to 15)"},
      {"MGID....ff12::1\nMlid....0xC000\nPortGid....x\n", "file:3: no GID (fe80::..) behind the dots"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two_switches t = open_two();
    assert_null(read_texts(t.arena, t.f, &(texts){{cases[i].text}}, &t.notes, &t.err));
    assert_string_equal(t.err.text, cases[i].message);
    close_two(&t);
  }
}

/* ------------------------------------------------------------------ random fabrics */

enum { LANES = 3, TRIALS = 240, GROUPS = 3 };
static const char *const fabrics[] = {"torus:3x3", "kary-ntree:k=2,n=3", "torus:5,p=2", "kns:k=3,n=2"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

typedef struct bench {
  ripstop_fabric *f;
  ripstop_view *view;
  ripstop_forwarding *t;
  ripstop_groups *groups;
  ripstop_arena *arena;
  ripstop_stream stream;
} bench;

static uint32_t below(bench *b, uint32_t bound) { return ripstop_stream_below(&b->stream, bound); }

/* A cable between live switches joins both in the mask. */
static void join_switches(bench *b, ripstop_group *g, uint32_t link) {
  ripstop_bit_set(g->mask, b->f->link_port[2 * (size_t)link]);
  ripstop_bit_set(g->mask, b->f->link_port[2 * (size_t)link + 1]);
}

/* A random spanning tree, by cables in random order. */
static void random_tree(bench *b, ripstop_group *g) {
  uint32_t *parent = ripstop_forest(b->arena, ripstop_fabric_switches(b->f));
  const uint32_t cables = b->f->links - b->f->link_ends, first = below(b, cables);
  uint32_t step = 1 + below(b, cables);
  while (cables % step == 0 && step > 1) step--;
  for (uint32_t i = 0; i < 4 * cables; i++) {
    const uint32_t link = b->f->link_ends + (i < cables ? (first + i * step) % cables : i % cables);
    const uint32_t *port = &b->f->link_port[2 * (size_t)link];
    const uint32_t x = b->f->port_node[port[0]] - b->f->ends, y = b->f->port_node[port[1]] - b->f->ends;
    if (ripstop_root(parent, x) == ripstop_root(parent, y) || !b->view->port_up[port[0]]) continue;
    ripstop_join(parent, x, y);
    join_switches(b, g, link);
  }
}

static void random_masks(bench *b, ripstop_group *g) {
  for (uint32_t port = b->f->port_base[b->f->ends]; port < b->f->ports; port++)
    if (below(b, 3) == 0) ripstop_bit_set(g->mask, port);
}

static void draw_groups(bench *b, uint32_t trial) {
  ripstop_group *group = RIPSTOP_ARRAY(b->arena, GROUPS, ripstop_group);
  b->groups = RIPSTOP_NEW(b->arena, ripstop_groups);
  *b->groups = (ripstop_groups){.group = group, .groups = trial % (GROUPS + 1)};
  for (uint32_t i = 0; i < b->groups->groups; i++) {
    group[i] = (ripstop_group){.mlid = 0xC000 + i};
    group[i].levels = (uint16_t)(1u << below(b, LANES));
    group[i].mask = RIPSTOP_ARRAY(b->arena, ripstop_bits_words(b->f->ports), uint64_t);
    group[i].own = RIPSTOP_ARRAY(b->arena, ripstop_fabric_switches(b->f), bool);
    if (below(b, 5) == 0)
      random_masks(b, &group[i]);
    else
      random_tree(b, &group[i]);
    for (uint32_t end = 0; end < b->f->ends; end++)
      if (below(b, 2)) ripstop_bit_set(group[i].mask, b->f->peer[b->f->port_base[end]]);
  }
  b->t->groups = b->groups;
}

static void draw_lanes(bench *b, ripstop_forwarding *t) {
  size_t size = 0;
  t->lane_first = RIPSTOP_ARRAY(b->arena, ripstop_fabric_switches(b->f), size_t);
  for (uint32_t s = b->f->ends; s < b->f->nodes; s++) {
    const size_t ports = ripstop_node_ports(b->f, s);
    t->lane_first[s - b->f->ends] = size;
    size += ports * ports * RIPSTOP_LEVELS;
  }
  t->lane = RIPSTOP_ARRAY(b->arena, size, uint8_t);
  for (size_t i = 0; i < size; i++) t->lane[i] = (uint8_t)below(b, LANES);
}

static bench open_bench(uint32_t trial) {
  bench b = {.arena = ripstop_arena_new(), .stream = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, trial)};
  ripstop_error err;
  b.f = ripstop_fabric_open(fabrics[trial % FABRICS], &err);
  b.view = ripstop_view_new(b.f, NULL);
  if (below(&b, 2)) ripstop_view_set_link(b.view, below(&b, b.f->links), false);
  b.t = ripstop_forwarding_shortest(b.view, &err);
  assert_non_null(b.t);
  b.t->lanes = LANES;
  if (below(&b, 2)) { /* unicast on one level of three */
    b.t->level = RIPSTOP_ARRAY(b.arena, b.t->addresses, uint8_t);
    b.t->level_shared = true;
    for (uint32_t a = 0; a < b.t->addresses; a++) b.t->level[a] = (uint8_t)below(&b, LANES);
  }
  if (below(&b, 3) == 0) draw_lanes(&b, b.t);
  draw_groups(&b, trial / FABRICS);
  return b;
}

static void close_bench(bench *b) {
  b->t->level = NULL;
  ripstop_forwarding_free(b->t);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->f);
  ripstop_arena_free(b->arena);
}

/* ------------------------------------------------------------------ the slow model */

/* A vertex is a VL of a port that sends from a switch to a switch. */
typedef struct slow {
  uint32_t vertices;
  bool *edge; /* [vertices * vertices] */
} slow;

static slow open_slow(bench *b) {
  const uint32_t vertices = b->f->ports * LANES;
  return (slow){vertices, RIPSTOP_ARRAY(b->arena, (size_t)vertices * vertices, bool)};
}

static bool is_cable(const bench *b, uint32_t port) {
  return b->f->peer[port] != RIPSTOP_NONE && b->view->port_up[port] && !ripstop_is_end(b->f, b->f->port_node[port]) &&
         !ripstop_is_end(b->f, b->f->port_node[b->f->peer[port]]);
}

static uint32_t vertex_of(const bench *b, uint32_t in, uint32_t out, unsigned level) {
  const uint32_t node = b->f->port_node[out], base = b->f->port_base[node];
  return out * LANES + ripstop_forwarding_lane(b->t, node, in - base, out - base, level);
}

static void walk_pair(slow *s, const bench *b, uint32_t end, uint32_t a) {
  const ripstop_fabric *f = b->f;
  const unsigned level = ripstop_forwarding_level(b->t, end, a);
  uint32_t in = f->peer[f->port_base[end]], before = RIPSTOP_NONE;
  for (uint32_t hops = 0; hops < f->nodes; hops++) {
    const uint32_t node = f->port_node[in], local = ripstop_forwarding_port(b->t, a, node);
    const uint32_t out = f->port_base[node] + local;
    if (local >= ripstop_node_ports(f, node) || !is_cable(b, out)) return;
    const uint32_t vertex = vertex_of(b, in, out, level);
    if (before != RIPSTOP_NONE) s->edge[(size_t)before * s->vertices + vertex] = true;
    before = vertex;
    in = f->peer[out];
  }
}

static void walk_unicast(slow *s, const bench *b) {
  for (uint32_t a = 0; a < b->t->addresses; a++)
    for (uint32_t end = 0; end < b->f->ends; end++)
      if (end != b->t->node[a] && b->view->port_up[b->f->port_base[end]]) walk_pair(s, b, end, a);
}

/* A copy came to a switch over the port `from`, on a VL, and leaves by each other port of the mask. */
static void copy_on(slow *s, const bench *b, const ripstop_group *g, uint32_t from, uint32_t vertex, unsigned level) {
  const uint32_t in = b->f->peer[from], node = b->f->port_node[in];
  for (uint32_t out = b->f->port_base[node]; out < b->f->port_base[node + 1]; out++)
    if (out != in && ripstop_bit_test(g->mask, out) && is_cable(b, out))
      s->edge[(size_t)vertex * s->vertices + vertex_of(b, in, out, level)] = true;
}

/* Tries each port by which a copy can come to a switch before it takes a cable. */
static void walk_group(slow *s, const bench *b, const ripstop_group *g) {
  const unsigned level = (unsigned)__builtin_ctz(g->levels);
  for (uint32_t port = 0; port < b->f->ports; port++) {
    if (!is_cable(b, port) || !ripstop_bit_test(g->mask, port)) continue;
    const uint32_t node = b->f->port_node[port];
    for (uint32_t in = b->f->port_base[node]; in < b->f->port_base[node + 1]; in++) {
      const uint32_t peer = b->f->peer[in];
      if (in == port || peer == RIPSTOP_NONE || !b->view->port_up[in]) continue;
      if (ripstop_is_end(b->f, b->f->port_node[peer]) || ripstop_bit_test(g->mask, peer) || !b->t->lane)
        copy_on(s, b, g, port, vertex_of(b, in, port, level), level);
    }
  }
}

static bool search(const slow *s, uint32_t at, uint8_t *colour) {
  colour[at] = 1;
  for (uint32_t to = 0; to < s->vertices; to++)
    if (s->edge[(size_t)at * s->vertices + to] && (colour[to] == 1 || (colour[to] == 0 && search(s, to, colour))))
      return true;
  colour[at] = 2;
  return false;
}

static bool has_cycle(const slow *s, bench *b) {
  uint8_t *colour = RIPSTOP_ARRAY(b->arena, s->vertices, uint8_t);
  for (uint32_t i = 0; i < s->vertices; i++)
    if (colour[i] == 0 && search(s, i, colour)) return true;
  return false;
}

/* Links of the witness are edges, and those who wait make them. */
static void check_witness(bench *b, const ripstop_table_verdict *v) {
  for (uint32_t i = 0; i < v->loop_length; i++) {
    const uint32_t from = v->loop[i], to = v->loop[(i + 1) % v->loop_length];
    assert_true(v->waiter_first[i] < v->waiter_first[i + 1]);
    for (uint32_t k = v->waiter_first[i]; k < v->waiter_first[i + 1]; k++) {
      slow s = open_slow(b);
      v->waiter[k] ? walk_group(&s, b, &b->groups->group[v->waiter[k] - 0xC000]) : walk_unicast(&s, b);
      assert_true(s.edge[(size_t)from * s.vertices + to]);
    }
  }
}

/* A packet of the group that is copied at each switch comes back to a channel that it has used. */
static bool copies_forever(bench *b, const ripstop_group *g) {
  bench plain = *b;
  ripstop_forwarding one = *b->t;
  one.lane = NULL;
  plain.t = &one;
  slow s = open_slow(b);
  walk_group(&s, &plain, g);
  return has_cycle(&s, b);
}

static void check_group(bench *b, const ripstop_group *g, const ripstop_group_verdict *v) {
  uint32_t asymmetric = 0, ends = 0, both = 0;
  for (uint32_t port = b->f->port_base[b->f->ends]; port < b->f->ports; port++) {
    if (!ripstop_bit_test(g->mask, port)) continue;
    const bool alive = b->f->peer[port] != RIPSTOP_NONE && b->view->port_up[port];
    if (!alive || (is_cable(b, port) && !ripstop_bit_test(g->mask, b->f->peer[port])))
      asymmetric++;
    else
      is_cable(b, port) ? both++ : ends++;
  }
  assert_int_equal(v->asymmetric_ports, asymmetric);
  assert_int_equal(v->end_ports, ends);
  assert_int_equal(v->cables, both / 2);
  assert_int_equal(v->forwarding_loop, copies_forever(b, g));
}

static void the_slow_model_agrees(void **state) {
  (void)state;
  uint32_t together = 0, alone = 0, forever = 0, clean = 0;
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial);
    ripstop_table_verdict v;
    slow one = open_slow(&b), groups = open_slow(&b);
    walk_unicast(&one, &b);
    for (uint32_t i = 0; i < b.groups->groups; i++) walk_group(&groups, &b, &b.groups->group[i]);
    assert_int_equal(ripstop_judge(b.arena, b.view, b.t, NULL, &v, NULL), 0);
    assert_int_equal(v.credit_loop_unicast, has_cycle(&one, &b));
    assert_int_equal(v.multicast->credit_loop, has_cycle(&groups, &b));
    for (size_t i = 0; i < (size_t)one.vertices * one.vertices; i++) one.edge[i] |= groups.edge[i];
    assert_int_equal(v.credit_loop, has_cycle(&one, &b));
    assert_int_equal(v.lanes, LANES);
    check_witness(&b, &v);
    for (uint32_t i = 0; i < b.groups->groups; i++) {
      check_group(&b, &b.groups->group[i], &v.multicast->group[i]);
      forever += v.multicast->group[i].forwarding_loop;
    }
    together += v.credit_loop && !v.credit_loop_unicast && !v.multicast->credit_loop;
    alone += v.multicast->credit_loop;
    clean += !v.credit_loop;
    close_bench(&b);
  }
  print_message("%u loops of both together, %u of groups alone, %u forever, %u without\n", together, alone, forever,
                clean);
  assert_true(together > 2 && alone > 5 && forever > 5 && clean > 5); /* all kinds were tried */
}

/* Old and new trees together can copy forever, and tables of either age hold their own groups. */
static void transient_states_have_both_trees(void **state) {
  (void)state;
  uint32_t looping = 0;
  for (uint32_t trial = 0; trial < 20; trial++) {
    bench b = open_bench(FABRICS * (4 * trial + 1)); /* one group on a torus */
    ripstop_group *old = &b.groups->group[0], other = *old, both = *old;
    const size_t words = ripstop_bits_words(b.f->ports);
    ripstop_groups changed = {.group = &other, .groups = 1};
    ripstop_forwarding after = *b.t;
    ripstop_transient t, same;
    other.mask = RIPSTOP_ARRAY(b.arena, words, uint64_t);
    random_tree(&b, &other);
    after.groups = &changed;
    both.mask = RIPSTOP_ARRAY(b.arena, words, uint64_t);
    for (size_t i = 0; i < words; i++) both.mask[i] = old->mask[i] | other.mask[i];
    assert_int_equal(ripstop_judge_transient(b.arena, b.view, b.t, &after, &t, NULL), 0);
    assert_int_equal(t.looping_groups, copies_forever(&b, &both));
    assert_true(!t.looping_groups || t.credit_loop);
    assert_int_equal(ripstop_judge_transient(b.arena, b.view, b.t, b.t, &same, NULL), 0);
    assert_int_equal(same.looping_groups, copies_forever(&b, old));
    looping += t.looping_groups;
    ripstop_forwarding *copy = ripstop_forwarding_copy(b.arena, b.t);
    assert_memory_equal(copy->groups->group[0].mask, old->mask, words * sizeof *old->mask);
    close_bench(&b);
  }
  assert_true(looping > 3);
}

/* The end ports of a group from which the most others are reached, by copies in both directions, and all of them. */
static void count_parts(const bench *b, const ripstop_view *view, const ripstop_group *g, uint32_t *all,
                        uint32_t *most) {
  const ripstop_fabric *f = b->f;
  *all = *most = 0;
  for (uint32_t start = f->ends; start < f->nodes; start++) {
    bool in[256] = {false};
    uint32_t here = 0;
    in[start] = true;
    for (uint32_t round = 0; round < f->nodes; round++)
      for (uint32_t port = 0; port < f->ports; port++)
        if (in[f->port_node[port]] && ripstop_bit_test(g->mask, port) && view->port_up[port] &&
            !ripstop_is_end(f, f->port_node[f->peer[port]]) && ripstop_bit_test(g->mask, f->peer[port]))
          in[f->port_node[f->peer[port]]] = true;
    for (uint32_t end = 0; end < f->ends; end++) {
      const uint32_t port = f->peer[f->port_base[end]];
      const bool member = ripstop_bit_test(g->mask, port) && view->port_up[port];
      here += member && in[f->port_node[port]];
      *all += member && start == f->ends;
    }
    if (here > *most) *most = here;
  }
}

/* Each cable fails, and what the repair finds is what a judgement of the repaired tables finds. */
static void failed_cables_cut_groups_and_can_close_cycles(void **state) {
  (void)state;
  uint32_t cuts = 0, loops = 0, mixed = 0, clean = 0;
  for (uint32_t trial = 0; trial < 60; trial++) {
    bench b = open_bench(trial + FABRICS);
    ripstop_faults *parts = RIPSTOP_ARRAY(b.arena, b.f->links, ripstop_faults);
    uint32_t *link = RIPSTOP_ARRAY(b.arena, b.f->links, uint32_t);
    ripstop_what_if *out = RIPSTOP_ARRAY(b.arena, b.f->links, ripstop_what_if);
    for (uint32_t i = 0; i < b.f->links; i++) link[i] = i, parts[i] = (ripstop_faults){.links = 1, .link = &link[i]};
    assert_int_equal(ripstop_judge_what_if(b.view, b.t, parts, b.f->links, 2, NULL, NULL, out, NULL), 0);
    repair *r = repair_new(b.view, b.t);
    for (uint32_t i = b.f->link_ends; i < b.f->links; i++) {
      ripstop_what_if ignored;
      ripstop_table_verdict v;
      ripstop_transient t;
      uint32_t members = 0, groups = 0;
      repair_kill(r, &parts[i], &ignored);
      assert_int_equal(ripstop_judge(b.arena, repair_view(r), repair_tables(r), NULL, &v, NULL), 0);
      assert_int_equal(ripstop_judge_transient(b.arena, repair_view(r), b.t, repair_tables(r), &t, NULL), 0);
      assert_int_equal(out[i].credit_loop, v.credit_loop);
      assert_true(out[i].transient_loop || !t.credit_loop); /* packets in flight count, too */
      for (uint32_t k = 0; k < b.groups->groups; k++) {
        uint32_t all, was, now;
        count_parts(&b, b.view, &b.groups->group[k], &all, &was);
        count_parts(&b, repair_view(r), &b.groups->group[k], &all, &now);
        groups += now < was;
        members += was - now;
      }
      assert_int_equal(out[i].groups_cut, groups);
      assert_int_equal(out[i].members_cut, members);
      repair_undo(r);
      cuts += groups > 0;
      loops += v.credit_loop && !v.credit_loop_unicast;
      mixed += t.credit_loop && !v.credit_loop;
      clean += !t.credit_loop;
    }
    repair_free(r);
    close_bench(&b);
  }
  print_message("%u cut groups, %u close cycles with them, %u only before all is written, %u none\n", cuts, loops,
                mixed, clean);
  assert_true(cuts > 10 && loops > 10 && clean > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_dialect_gives_the_same_masks),
      cmocka_unit_test(records_name_groups_levels_and_members),
      cmocka_unit_test(records_in_mails_and_logs_are_the_same),
      cmocka_unit_test(marks_within_records_do_not_matter),
      cmocka_unit_test(many_groups_take_little_memory),
      cmocka_unit_test(many_addresses_share_an_mlid),
      cmocka_unit_test(both_cables_between_two_switches_copy_forever),
      cmocka_unit_test(contradictions_are_refused),
      cmocka_unit_test(the_slow_model_agrees),
      cmocka_unit_test(transient_states_have_both_trees),
      cmocka_unit_test(failed_cables_cut_groups_and_can_close_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
