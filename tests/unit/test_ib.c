/* test_ib.c - dumps of InfiniBand fabrics: the files of tests/data/ib against answers that another program computed,
 * and every rule of the grammar on a few lines. */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "check.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "ripstop/kit/fabrics.h"

/* ------------------------------------------------------------------ files with known answers */

static ripstop_fabric *open_file(const char *name) {
  char path[512];
  ripstop_error err = {0};
  snprintf(path, sizeof path, RIPSTOP_SOURCE_DIR "/tests/data/ib/%s", name);
  ripstop_fabric *f = ripstop_fabric_open(path, &err);
  if (f == NULL) fail_msg("%s: %s", name, err.text);
  if (ripstop_fabric_check(f, &err) != 0) fail_msg("%s: %s", name, err.text);
  return f;
}

static json_t *open_answer(const char *name) {
  char path[512];
  snprintf(path, sizeof path, RIPSTOP_SOURCE_DIR "/tests/data/ib/%s.expected.json", name);
  json_t *answer = json_load_file(path, 0, NULL);
  if (answer == NULL) fail_msg("%s cannot be read", path);
  return answer;
}

static const ripstop_ib_dump *dump_of(const ripstop_fabric *f) { return ripstop_ib_of(f)->dump; }

static uint32_t cables_between(const ripstop_ib_dump *d, bool switches, bool to_itself, bool aggregation) {
  uint32_t count = 0;
  for (uint32_t p = 0; p < d->ports; p++) {
    if (d->port[p].mate == RIPSTOP_NONE || d->port[p].mate < p) continue;
    const ripstop_ib_node *a = &d->node[d->port[p].node], *b = &d->node[d->port[d->port[p].mate].node];
    bool both = a->kind == RIPSTOP_IB_SWITCH && b->kind == RIPSTOP_IB_SWITCH;
    count +=
        both == switches && (!to_itself || a == b) && (switches || (a->aggregates || b->aggregates) == aggregation);
  }
  return count;
}

static uint32_t odd_of(const ripstop_ib_dump *d, const char *what) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < d->odd.count; i++) count += strcmp(d->odd.list[i].what, what) == 0;
  return count;
}

/* Every number that an answer has and this test knows. Returns how many those are. */
static unsigned compare_counts(const char *name, json_t *answer, const ripstop_ib_dump *d) {
  const struct {
    const char *key;
    uint32_t is;
  } counts[] = {{"switches", d->kinds[RIPSTOP_IB_SWITCH]},
                {"hosts_adapters", d->kinds[RIPSTOP_IB_ADAPTER] - d->aggregates},
                {"hosts_adapters_listed_once", d->kinds[RIPSTOP_IB_ADAPTER] - d->aggregates},
                {"adapters_distinct_ids", d->kinds[RIPSTOP_IB_ADAPTER]},
                {"adapters_listed", d->kinds[RIPSTOP_IB_ADAPTER]},
                {"aggregation_nodes", d->aggregates},
                {"full_cables", d->cables},
                {"full_cables_switch", cables_between(d, true, false, false)},
                {"switch_to_switch_cables", cables_between(d, true, false, false)},
                {"switch_to_switch_cables_full", cables_between(d, true, false, false)},
                {"of_these_from_a_switch_to_itself", cables_between(d, true, true, false)},
                {"full_cables_host", cables_between(d, false, false, false)},
                {"host_cables", cables_between(d, false, false, false)},
                {"aggregation_cables", cables_between(d, false, false, true)},
                {"half_links", d->half_links},
                {"conflicting_ends", d->conflicts},
                {"nodes_listed_twice", d->again}};
  unsigned compared = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    json_t *want = json_object_get(answer, counts[i].key);
    if (!json_is_integer(want)) continue;
    if (json_integer_value(want) != counts[i].is)
      fail_msg("%s: %s is %u, not %d", name, counts[i].key, counts[i].is, (int)json_integer_value(want));
    compared++;
  }
  return compared;
}

static void files_have_the_known_counts(void **state) {
  (void)state;
  static const char *const names[] = {"bridges",
                                      "clos-odd",
                                      "clos-regular",
                                      "small-clean",
                                      "small-prompt-crlf",
                                      "small-ibdiagnet",
                                      "small-chassis-guid",
                                      "small-truncated-clean-end",
                                      NULL};
  for (const char *const *name = names; *name != NULL; name++) {
    char file[100];
    snprintf(file, sizeof file, "%s.ibnetdiscover", *name);
    json_t *answer = open_answer(*name), *inner = json_object_get(answer, "counts");
    ripstop_fabric *f = open_file(file);
    unsigned compared = compare_counts(*name, answer, dump_of(f));
    if (inner != NULL) compared += compare_counts(*name, inner, dump_of(f));
    assert_true(compared >= 3);
    json_decref(answer);
    ripstop_fabric_free(f);
  }
}

static void what_is_regular_is_not_odd(void **state) {
  (void)state;
  static const char *const names[] = {
      "clos-regular", "bridges", "small-clean", "small-prompt-crlf", "small-ibdiagnet", "small-chassis-guid", NULL};
  for (const char *const *name = names; *name != NULL; name++) {
    char file[100];
    snprintf(file, sizeof file, "%s.ibnetdiscover", *name);
    ripstop_fabric *f = open_file(file);
    if (dump_of(f)->odd.count > 0)
      fail_msg("%s: %s: %s", *name, dump_of(f)->odd.list[0].what, dump_of(f)->odd.list[0].text);
    ripstop_fabric_free(f);
  }
}

/* The dump itself reports the oddities that the wiring does not show. */
static void the_dump_reports_its_own_oddities(void **state) {
  (void)state;
  static const char *const kinds[] = {
      "duplicate GUID",   "half link", "name differs",   "cable from a switch to itself",
      "isolated adapter", "no lid",    "lid used twice", "ends disagree on width",
      "isolated switch",  NULL};
  ripstop_fabric *f = open_file("clos-odd.ibnetdiscover");
  const ripstop_ib_dump *d = dump_of(f);
  uint32_t known = 0;
  for (; kinds[known] != NULL; known++)
    if (odd_of(d, kinds[known]) != 1) fail_msg("'%s' is there %u times", kinds[known], odd_of(d, kinds[known]));
  assert_int_equal(d->odd.count, known);
  ripstop_fabric_free(f);
}

static void a_file_that_was_cut_off_is_noticed(void **state) {
  (void)state;
  ripstop_error err = {0};
  assert_null(ripstop_fabric_open(RIPSTOP_SOURCE_DIR "/tests/data/ib/small-truncated.ibnetdiscover", &err));
  assert_non_null(strstr(err.text, "9 switches, 0 adapters, 12 cables, 30 half links"));
  assert_non_null(strstr(err.text, "stops in the middle of a line"));
  ripstop_fabric *f = open_file("small-truncated-clean-end.ibnetdiscover");
  assert_int_equal(odd_of(dump_of(f), "half link"), 13);
  assert_int_equal(dump_of(f)->odd.count, 13);
  ripstop_fabric_free(f);
}

static void slow_cables_have_their_rate(void **state) {
  (void)state;
  ripstop_fabric *f = open_file("clos-odd.ibnetdiscover");
  ripstop_names *names = ripstop_names_new(f);
  const struct {
    const char *cable;
    uint16_t rate;
  } slow[] = {{"S-00aa000000000107[21]-S-00aa000000000202[15]", 250},
              {"S-00aa000000000101[23]-S-00aa000000000203[3]", 500},
              {"S-00aa000000000103[27]-S-00aa000000000205[7]", 500},
              {"H-00bb000000000000[1]-S-00aa000000000100[1]", 1000}};
  for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
    uint32_t link = ripstop_names_link(names, slow[i].cable, strlen(slow[i].cable));
    assert_int_not_equal(link, RIPSTOP_NONE);
    assert_int_equal(ripstop_fabric_rate(f, link), slow[i].rate);
  }
  assert_int_equal(dump_of(f)->slow_cables, 3);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ a few lines */

#define SWITCH_A "Switch 4 \"S-000000000000000a\" # \"leaf a\" base port 0 lid 1 lmc 0\n"
#define SWITCH_B "Switch 4 \"S-000000000000000b\" # \"leaf b\" base port 0 lid 2 lmc 0\n"
#define HOST_A   "Ca 2 \"H-00000000000000aa\" # \"host a\"\n"
#define A_TO_B   "[1] \"S-000000000000000b\"[1] # \"leaf b\" lid 2 4xEDR\n"
#define B_TO_A   "[1] \"S-000000000000000a\"[1] # \"leaf a\" lid 1 4xEDR\n"
#define A_TO_H   "[2] \"H-00000000000000aa\"[1](ab) # \"host a\" lid 3 4xEDR\n"
#define H_TO_A   "[1](ab) \"S-000000000000000a\"[2] # lid 3 lmc 1 \"host a\" lid 1 4xEDR\n"
#define PAIR     SWITCH_A A_TO_B A_TO_H "\n" SWITCH_B B_TO_A "\n" HOST_A

static ripstop_fabric *open_text(const char *text) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("dump", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s", err.text);
  if (ripstop_fabric_check(f, &err) != 0) fail_msg("%s", err.text);
  return f;
}

static void ports_keep_their_numbers(void **state) {
  (void)state;
  ripstop_fabric *f = open_text(PAIR H_TO_A);
  assert_int_equal(f->ends, 1);
  assert_int_equal(f->links, 2);
  assert_int_equal(ripstop_node_ports(f, 1), 5); /* port 0 and the four of the switch */
  assert_int_equal(f->peer[f->port_base[1] + 0], RIPSTOP_NONE);
  assert_int_equal(f->port_node[f->peer[f->port_base[1] + 1]], 2);
  assert_int_equal(f->port_node[f->peer[f->port_base[1] + 2]], 0);
  assert_int_equal(f->peer[f->port_base[1] + 3], RIPSTOP_NONE);
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(f, 0, name);
  assert_string_equal(name, "H-00000000000000aa[1]-S-000000000000000a[2]");
  ripstop_link_name(f, 1, name);
  assert_string_equal(name, "S-000000000000000a[1]-S-000000000000000b[1]");
  assert_string_equal(ripstop_ib_description(f, 0), "host a");
  assert_string_equal(ripstop_ib_description(f, 2), "leaf b");
  ripstop_fabric_free(f);
}

static void lids_and_guids_are_found(void **state) {
  (void)state;
  ripstop_fabric *f = open_text(PAIR H_TO_A);
  const uint32_t owner[] = {RIPSTOP_NONE, 1, 2, 0, 0, RIPSTOP_NONE}; /* the host has two LIDs: lmc 1 */
  for (uint32_t lid = 0; lid < 6; lid++) assert_int_equal(ripstop_ib_lid_owner(f, lid), owner[lid]);
  assert_int_equal(ripstop_ib_lid_owner(f, UINT32_MAX), RIPSTOP_NONE);
  const ripstop_ib_dump *d = dump_of(f);
  assert_int_equal(ripstop_ib_guid(d, 0xb), 1);
  assert_int_equal(ripstop_ib_guid(d, 0xaa), 2); /* its own */
  assert_int_equal(ripstop_ib_guid(d, 0xab), 2); /* its port's */
  assert_int_equal(ripstop_ib_guid(d, 0xac), RIPSTOP_NONE);
  ripstop_fabric_free(f);
}

/* LIDs of every node, all of which want as many. Returns the first that names too few; the first LID to `first`. */
static uint32_t number_lids(const ripstop_fabric *f, uint32_t wanted, uint32_t *first, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t *want = RIPSTOP_ARRAY(arena, f->nodes, uint32_t), *lid = RIPSTOP_ARRAY(arena, f->nodes, uint32_t),
           *room = RIPSTOP_ARRAY(arena, f->nodes, uint32_t), misfit;
  for (uint32_t node = 0; node < f->nodes; node++) want[node] = wanted;
  *first = RIPSTOP_NONE;
  if (!ib_subnet_lids(f, want, lid, room, &misfit, err)) {
    *first = lid[0];
    for (uint32_t node = 0; node < f->nodes; node++) {
      assert_true(room[node] >= wanted);
      assert_true(node == 0 || misfit == RIPSTOP_NONE || lid[node] == lid[node - 1] + room[node - 1]);
    }
  }
  ripstop_arena_free(arena);
  return misfit;
}

/* 47 nodes get 1,024 of the 49,151 LIDs each, from 1,024 on; 48 nodes are too many. A dump may name the last LID. */
static void lids_are_given_while_there_are_some(void **state) {
  (void)state;
  ripstop_error err = {0};
  uint32_t first;
  for (uint32_t ends = 46; ends < 48; ends++) {
    char spec[40];
    snprintf(spec, sizeof spec, "xgft:m=%u,w=1", ends);
    ripstop_fabric *f = ripstop_fabric_open(spec, &err);
    if (!f) fail_msg("%s", err.text);
    assert_int_equal(f->nodes, ends + 1);
    assert_int_equal(number_lids(f, 1, &first, &err), RIPSTOP_NONE);
    assert_int_equal(first, 1);
    assert_int_equal(number_lids(f, 600, &first, &err), 0);
    assert_int_equal(first, ends == 46 ? 1024 : RIPSTOP_NONE);
    ripstop_fabric_free(f);
  }
  assert_non_null(strstr(err.text, "48 nodes with 1024 LIDs each are more than the 49151 that there are"));
  ripstop_fabric *f =
      open_text("Switch 4 \"S-000000000000000a\" # \"leaf a\" base port 0 lid 49151 lmc 0\n" A_TO_B A_TO_H
                "\n" SWITCH_B B_TO_A "\n" HOST_A H_TO_A);
  assert_int_equal(number_lids(f, 1, &first, &err), RIPSTOP_NONE);
  assert_int_equal(first, 3);
  ripstop_fabric_free(f);
}

/* A line of blanks ends the lines of a node, as an empty one does. */
static void blank_lines_are_empty(void **state) {
  (void)state;
  static const char *const texts[] = {SWITCH_A A_TO_H "\n" A_TO_B "\n" SWITCH_B B_TO_A "\n" HOST_A H_TO_A,
                                      SWITCH_A A_TO_H " \t\n" A_TO_B "\n" SWITCH_B B_TO_A "\n" HOST_A H_TO_A};
  for (unsigned i = 0; i < 2; i++) {
    ripstop_fabric *f = open_text(texts[i]);
    assert_int_equal(dump_of(f)->cables, 1);
    assert_int_equal(dump_of(f)->ports, 3);
    ripstop_fabric_free(f);
  }
}

/* Each is the pair of switches once more, with something added that changes nothing but what is counted. */
static void dialects_say_the_same(void **state) {
  (void)state;
  static const char *const texts[] = {
      "\xef\xbb\xbf" PAIR H_TO_A,
      "[root@sm ~]# ibnetdiscover\r\n" PAIR H_TO_A "[root@sm ~]# \r\n",
      "vendid=0x2c9\nmodule \"x\"\nspeed=4\n" PAIR H_TO_A,
      SWITCH_A "[1][ext 7] \"S-000000000000000b\"[1][ext 8] # \"leaf b\" lid 2 4xEDR\n" A_TO_H "\n" SWITCH_B B_TO_A
               "\n" HOST_A H_TO_A,
      SWITCH_A "[1](1)  \"S-000000000000000b\"[1]# \"leaf b\" lid 2 4xEDR\nkernel: a line of another program\n" A_TO_H
               "\n" SWITCH_B B_TO_A "\n\t" HOST_A "  " H_TO_A,
      SWITCH_A A_TO_B A_TO_H "\nSwitch\t4\t\"S-000000000000000b\"\n[1]\t\"S-000000000000000a\"[1] w=2 s=4\n\n" HOST_A
                             "[1](ab) \"S-000000000000000a\"[2] # lid 3 lmc 1 \"host a\" lid 1 4xEDR",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ripstop_fabric *f = open_text(texts[i]);
    if (f->ends != 1 || f->links != 2 || dump_of(f)->cables != 2) fail_msg("text %zu", i);
    ripstop_fabric_free(f);
  }
}

/* The switch with this id in another fabric. */
static uint32_t same_switch(const ripstop_fabric *f, const ripstop_fabric *other, uint32_t node) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(f);
  return ripstop_ib_switch_of(other, ib->dump->node[ib->switch_node[node - f->ends]].guid);
}

/* Reports of ports, as ibnetdiscover and iblinkinfo printed them of the same net, have the same cables at the same
 * ports of switches, with the same descriptions, widths and speeds. */
static void reports_say_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"small-clean.ports", "small-clean.linkinfo", "small-clean.linkinfo-l"};
  ripstop_fabric *clean = open_file("small-clean.ibnetdiscover");
  for (unsigned i = 0; i < 3; i++) {
    ripstop_fabric *f = open_file(names[i]);
    assert_int_equal(f->ends, clean->ends);
    assert_int_equal(f->links, clean->links);
    assert_int_equal(dump_of(f)->cables, dump_of(clean)->cables);
    assert_int_equal(dump_of(f)->slow_cables, 0);
    assert_int_equal(dump_of(f)->odd.count, 0);
    for (uint32_t link = 0; link < f->links; link++) {
      uint32_t port = f->link_port[2 * link + 1], node = f->port_node[port], other = f->port_node[f->peer[port]];
      uint32_t there = clean->port_base[same_switch(f, clean, node)] + port - f->port_base[node];
      uint32_t beyond = clean->port_node[clean->peer[there]];
      assert_string_equal(ripstop_ib_description(f, other), ripstop_ib_description(clean, beyond));
      assert_int_equal(ripstop_is_end(f, other), ripstop_is_end(clean, beyond));
      assert_int_equal(ripstop_fabric_rate(f, link), RIPSTOP_RATE_FULL);
    }
    ripstop_fabric_free(f);
  }
  ripstop_fabric_free(clean);
}

static const ripstop_odd *told(const ripstop_fabric *f, const char *what) {
  const ripstop_odds *odds = &dump_of(f)->odd;
  for (uint32_t i = 0; i < odds->count; i++)
    if (strcmp(odds->list[i].what, what) == 0) return &odds->list[i];
  fail_msg("no '%s' is reported", what);
  return NULL;
}

static void reports_may_be_broken(void **state) {
  (void)state;
  static const char text[] =
      "$ ibnetdiscover -p\n"
      "CA     1  1 0x0000000000000b01 4x EDR - SW     2  7 0x0000000000000a00 ( 'a \'x\'' - 'sw' )\r\n"
      "SW     2  7 0x0000000000000a00 2x EDR - CA     1  1 0x0000000000000b01 ( 'sw' - 'a \'x\'' )\n"
      "SW     2  8 0x0000000000000a00 4x EDR - SW     3  1 0x0000000000000a01 ( 'sw' - 'gone' )\n"
      "SW     2  9 0x0000000000000a00 4x EDR - SW     3\n"
      "SW     2 12 0x0000000000000a00 4x SDR                                    'sw'\n"
      "RT     4  1 0x0000000000000c01 4x EDR - SW     2 1";
  static const char links[] =
      "Switch: 0x0000000000000a00 sw:\n"
      "    2    1[  ] ==( 4X  FDR10 Gbps Active/  LinkUp)==>   1    1[  ] \"a\" ( )\n"
      "    2    2[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==>   9    1[  ] \"b\" ( )\n"
      "    2    3[  ] ==(          Down/ Polling)==>             [  ] \"\" ( )\n"
      "CA: a:\n"
      " 0x0000000000000b01    1    1[  ] ==( 4X  FDR10 Gbps Active/  LinkUp)==>   2    1[  ] \"sw\" ( )\n"
      " 0x0000000000000000    1    2[  ] ==( 4X  FDR10 Gbps Active/  LinkUp)==>   2    4[  ] \"sw\" ( )\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("ports", text, sizeof text - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(f->ends, 1);
  assert_string_equal(ripstop_ib_description(f, 0), "a 'x'");
  assert_int_equal(dump_of(f)->noise, 1);
  assert_int_equal(ripstop_node_ports(f, 1), 13);
  assert_string_equal(told(f, "half link")->where[0], "S-0000000000000a00[8]");
  assert_int_equal(told(f, "broken line")->line, 5);
  assert_int_equal(told(f, "truncated")->line, 7);
  assert_string_equal(told(f, "ends disagree on width")->where[0], "H-0000000000000b01[1]-S-0000000000000a00[7]");
  ripstop_fabric_free(f);
  f = ripstop_ib_from_text("links", links, sizeof links - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(dump_of(f)->cables, 2);
  assert_string_equal(dump_of(f)->port[dump_of(f)->node[0].first].speed, "FDR10");
  assert_int_not_equal(ripstop_ib_node_of(dump_of(f), "H-lid9", 6), RIPSTOP_NONE); /* named, so it is there */
  assert_int_equal(told(f, "broken line")->line, 7);                               /* no GUID is 0 */
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ edits by people and their programs */

static bool is_hexadecimal(char c) { return c != '\0' && strchr("0123456789abcdef", c) != NULL; }

/* Every GUID without its last six digits but two, "00bb000000xxxx08": as people redact them. */
static void redact(char *text) {
  for (char *c = text; *c; c++) {
    size_t digits = 0;
    while (is_hexadecimal(c[digits])) digits++;
    if (digits == 16) memcpy(c + 4, "xxxxxx", 6);
    if (digits > 0) c += digits - 1;
  }
}

static void lose_tabs(char *text) {
  for (; *text; text++)
    if (*text == '\t') *text = ' ';
}

static void lose_last_newline(char *text) { text[strlen(text) - 1] = '\0'; }

/* Blanks and CR LF at the ends of lines. */
static char *with_line_ends(const char *text) {
  char *out = malloc(4 * strlen(text) + 1), *to = out;
  assert_non_null(out);
  for (; *text; text++) {
    if (*text == '\n') *to++ = ' ', *to++ = '\t', *to++ = '\r';
    *to++ = *text;
  }
  *to = '\0';
  return out;
}

static void compare_with(const char *name, const char *how, const char *text, const ripstop_fabric *clean) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text(name, text, strlen(text), &err);
  if (f == NULL) fail_msg("%s, %s: %s", name, how, err.text);
  if (f->ends != clean->ends || f->nodes != clean->nodes || f->links != clean->links)
    fail_msg("%s, %s: %u of %u end nodes, %u of %u nodes, %u of %u links", name, how, f->ends, clean->ends, f->nodes,
             clean->nodes, f->links, clean->links);
  if (dump_of(f)->odd.count != dump_of(clean)->odd.count)
    fail_msg("%s, %s: %s", name, how, dump_of(f)->odd.list[0].text);
  ripstop_fabric_free(f);
}

static char *read_text(const char *name, ripstop_arena *arena) {
  char path[512], *text;
  size_t length;
  ripstop_error err = {0};
  snprintf(path, sizeof path, RIPSTOP_SOURCE_DIR "/tests/data/ib/%s", name);
  if (ripstop_read_file(arena, path, 1 << 24, &text, &length, &err)) fail_msg("%s", err.text);
  return text;
}

static void ids_are_opaque(void **state) {
  (void)state;
  static const char *const names[] = {"small-clean.ibnetdiscover", "small-ibdiagnet.ibnetdiscover", "small-clean.ports",
                                      "small-clean.linkinfo-l", "small-clean.linkinfo"};
  static const struct {
    const char *how;
    void (*change)(char *);
  } changes[] = {{"redacted", redact}, {"without tabs", lose_tabs}, {"without its last newline", lose_last_newline}};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ripstop_fabric *clean = open_file(names[i]);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
      char *text = read_text(names[i], arena);
      changes[k].change(text);
      compare_with(names[i], changes[k].how, text, clean);
    }
    char *text = with_line_ends(read_text(names[i], arena));
    compare_with(names[i], "with other line ends", text, clean);
    free(text);
    ripstop_fabric_free(clean);
  }
  ripstop_arena_free(arena);
}

/* All ids of a kind become one: "H-xxxxxxxxxxxxxxxx"; of a report of ports all GUIDs. */
static void make_alike(char *text, char kind) {
  for (char *c = text; *c; c++) {
    size_t digits = 0;
    while (is_hexadecimal(c[digits])) digits++;
    const bool is = c > text + 1 && (c[-1] == '-' ? c[-2] == kind : c[-1] == 'x' && kind == '0');
    if (digits == 16 && is) memset(c, 'x', 16);
    if (digits > 0) c += digits - 1;
  }
}

static void check_alike(const char *name, char kind, unsigned odd) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_fabric *clean = open_file(name);
  char *text = read_text(name, arena);
  make_alike(text, kind);
  ripstop_fabric *f = ripstop_ib_from_text(name, text, strlen(text), &err);
  if (f == NULL) fail_msg("%s, %c: %s", name, kind, err.text);
  const ripstop_ib_dump *d = dump_of(f), *was = dump_of(clean);
  if (f->ends != clean->ends || f->nodes != clean->nodes || f->links != clean->links || d->cables != was->cables)
    fail_msg("%s, %c: %u of %u end nodes, %u of %u links", name, kind, f->ends, clean->ends, f->links, clean->links);
  assert_int_equal(d->half_links + d->conflicts, 0);
  for (uint32_t i = 0; i < d->odd.count; i++) assert_string_equal(d->odd.list[i].what, "one id for two nodes");
  assert_int_equal(d->odd.count, odd);
  ripstop_fabric_free(f);
  ripstop_fabric_free(clean);
  ripstop_arena_free(arena);
}

/* Several nodes have ids that were redacted to one text: the ports of both ends distinguish them, in reports LIDs. */
static void ids_that_are_alike_stay_apart(void **state) {
  (void)state;
  ripstop_fabric *clean = open_file("small-clean.ibnetdiscover");
  const unsigned adapters = dump_of(clean)->kinds[RIPSTOP_IB_ADAPTER],
                 switches = dump_of(clean)->kinds[RIPSTOP_IB_SWITCH];
  ripstop_fabric_free(clean);
  check_alike("small-clean.ibnetdiscover", 'H', adapters - 1);
  check_alike("small-clean.ibnetdiscover", 'S', switches - 1);
  check_alike("small-ibdiagnet.ibnetdiscover", 'H', adapters - 1);
  check_alike("small-clean.ports", '0', 0);
  check_alike("small-clean.linkinfo-l", '0', 0);
}

/* ------------------------------------------------------------------ ids that were redacted in several styles */

typedef struct style {
  const char *name, *kinds; /* characters of ids; "*": all numbers of a GUID's length too */
  unsigned from, to;        /* digits that are replaced */
  char by;
} style;

static bool is_redacted(const char *text, const char *c, const style *s) {
  if (s->kinds[0] == '*') return true;
  return c > text + 1 && c[-1] == '-' && strchr(s->kinds, c[-2]) != NULL;
}

static void redact_by(char *text, const style *s) {
  for (char *c = text; *c; c++) {
    size_t digits = 0;
    while (is_hexadecimal(c[digits])) digits++;
    if (digits >= 12 && is_redacted(text, c, s))
      for (size_t i = s->from > 16 - digits ? s->from - (16 - digits) : 0; i < s->to - (16 - digits); i++) c[i] = s->by;
    if (digits > 0) c += digits - 1;
  }
}

/* " lid 17" goes. */
static void lose_lids(char *text) {
  char *to = text;
  for (const char *c = text; *c;) {
    const bool is = strncmp(c, " lid ", 5) == 0 && c[5] >= '0' && c[5] <= '9';
    if (is) c += 5 + strspn(c + 5, "0123456789");
    if (!is) *to++ = *c++;
  }
  *to = '\0';
}

/* Same nodes, ports, cables and speeds in the same order; only ids differ. */
static void compare_dumps(const char *name, const char *how, const ripstop_fabric *f, const ripstop_fabric *was) {
  const ripstop_ib_dump *a = dump_of(f), *b = dump_of(was);
  if (f->ends != was->ends || f->links != was->links || a->nodes != b->nodes || a->ports != b->ports ||
      a->cables != b->cables || a->half_links != b->half_links || a->conflicts != b->conflicts)
    fail_msg("%s, %s: %u of %u end nodes, %u of %u cables", name, how, f->ends, was->ends, a->cables, b->cables);
  for (uint32_t i = 0; i < a->ports; i++)
    if (a->port[i].node != b->port[i].node || a->port[i].number != b->port[i].number ||
        a->port[i].mate != b->port[i].mate)
      fail_msg("%s, %s: line %u is cabled otherwise", name, how, a->port[i].line);
  assert_int_equal(a->usual, b->usual);
}

static void check_style(const char *name, const style *s, bool lids) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_fabric *clean = open_file(name);
  char *text = read_text(name, arena);
  redact_by(text, s);
  if (!lids) lose_lids(text);
  ripstop_fabric *f = ripstop_ib_from_text(name, text, strlen(text), &err);
  if (f == NULL) fail_msg("%s, %s: %s", name, s->name, err.text);
  compare_dumps(name, s->name, f, clean);
  ripstop_fabric_free(f);
  ripstop_fabric_free(clean);
  ripstop_arena_free(arena);
}

static void redacted_dumps_are_the_same_fabric(void **state) {
  (void)state;
  static const style styles[] = {{"last four digits", "HS", 12, 16, 'x'},
                                 {"last six digits", "HS", 10, 16, 'x'},
                                 {"all digits", "HS", 0, 16, 'x'},
                                 {"the middle", "HS", 4, 12, 'x'},
                                 {"most of the middle", "HS", 6, 15, 'x'},
                                 {"adapters", "H", 8, 16, 'x'},
                                 {"switches", "S", 8, 16, 'x'},
                                 {"zeros", "HS", 10, 16, '0'},
                                 {"all GUIDs", "*", 0, 16, 'x'},
                                 {"the ends of all GUIDs", "*", 10, 16, 'x'}};
  static const char *const names[] = {"bridges.ibnetdiscover",
                                      "clos-regular.ibnetdiscover",
                                      "ring.ibnetdiscover",
                                      "small-chassis-guid.ibnetdiscover",
                                      "small-clean.ibnetdiscover",
                                      "small-ibdiagnet.ibnetdiscover",
                                      "small-prompt-crlf.ibnetdiscover",
                                      "small-truncated-clean-end.ibnetdiscover"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t k = 0; k < sizeof styles / sizeof *styles; k++) {
      check_style(names[i], &styles[k], true);
      check_style(names[i], &styles[k], false); /* descriptions and ports are enough here */
    }
}

/* Two cables whose four ends look alike: which belong together is unknown, and a guess may join the wrong ones. */
static void ambiguous_ids_are_refused(void **state) {
  (void)state;
  static const char text[] = "Switch 2 \"S-xx\" # \"s\"\n[1] \"H-xx\"[1] # \"h\"\n\n"
                             "Switch 2 \"S-xx\" # \"s\"\n[1] \"H-xx\"[1] # \"h\"\n\n"
                             "Ca 1 \"H-xx\" # \"h\"\n[1] \"S-xx\"[1] # \"s\"\n\n"
                             "Ca 1 \"H-xx\" # \"h\"\n[1] \"S-xx\"[1] # \"s\"\n";
  ripstop_error err = {0};
  assert_null(ripstop_ib_from_text("alike", text, strlen(text), &err));
  assert_non_null(strstr(err.text, "alike:2: several nodes have the id H-xx"));
  assert_non_null(strstr(err.text, "line 5 has the same ids and ports"));
}

/* LIDs that contradict each other join nothing: both ports name nodes that are not listed. */
static void ids_that_lids_keep_apart_are_half_links(void **state) {
  (void)state;
  static const char text[] = "Switch 2 \"S-xx\" # \"s\" lid 1\n[1] \"H-xx\"[1] # \"h\" lid 7\n[2] \"H-xx\"[1] # \"h\" "
                             "lid 6\n\nSwitch 2 \"S-xx\" # \"s\" lid 2\n\n"
                             "Ca 1 \"H-xx\" # \"h\"\n[1] \"S-xx\"[1] # lid 5 lmc 0 \"s\" lid 4\n\n"
                             "Ca 1 \"H-xx\" # \"h\"\n[1] \"S-xx\"[2] # lid 6 lmc 0 \"s\" lid 1\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("apart", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(f->ends, 1);
  assert_int_equal(dump_of(f)->cables, 1);
  assert_int_equal(dump_of(f)->half_links, 2);
  assert_string_equal(told(f, "half link")->where[1], "H-xx (LID 7)[1]");
  ripstop_fabric_free(f);
}

/* Work grows as n log n: 60,000 adapters of one id, which comparisons in pairs would take minutes for. */
static void many_nodes_of_one_id_are_quick(void **state) {
  (void)state;
  enum { SWITCHES = 1500, HOSTS = 40 };
  ripstop_text text = {0};
  for (unsigned s = 0; s < SWITCHES; s++) {
    ripstop_text_add(&text, "Switch 40 \"S-xx\" # \"s%u\"\n", s);
    for (unsigned h = 0; h < HOSTS; h++) ripstop_text_add(&text, "[%u] \"H-xx\"[1] # \"h%u\"\n", h + 1, HOSTS * s + h);
    ripstop_text_add(&text, "\n");
  }
  for (unsigned i = 0; i < SWITCHES * HOSTS; i++)
    ripstop_text_add(&text, "Ca 1 \"H-xx\" # \"h%u\"\n[1] \"S-xx\"[%u] # \"s%u\"\n\n", i, i % HOSTS + 1, i / HOSTS);
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("many", text.data, strlen(text.data), &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(f->ends, SWITCHES * HOSTS);
  assert_int_equal(dump_of(f)->half_links + dump_of(f)->conflicts, 0);
  ripstop_fabric_free(f);
  ripstop_text_free(&text);
}

/* A second listing without contradiction is the same adapter, however its id is written. */
static void a_redacted_id_may_be_listed_twice(void **state) {
  (void)state;
  static const char text[] = "Switch 2 \"S-000000000000000a\"\n[1] \"H-xx\"[1]\n[2] \"H-xx\"[2]\n\n"
                             "Ca 2 \"H-xx\" # \"a\"\n[1] \"S-000000000000000a\"[1]\n\n"
                             "Ca 2 \"H-xx\" # \"a\"\n[1] \"S-000000000000000a\"[1]\n[2] \"S-000000000000000a\"[2]\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("twice", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(f->ends, 2);
  assert_int_equal(dump_of(f)->kinds[RIPSTOP_IB_ADAPTER], 1);
  assert_string_equal(told(f, "listed twice")->where[0], "H-xx");
  ripstop_fabric_free(f);
}

/* New ids have the least numbers that no listing before them has. */
static void redacted_ids_get_free_numbers(void **state) {
  (void)state;
  static const char text[] = "Switch 4 \"S-000000000000000a\"\n[1] \"H-xx.3\"[1]\n[2] \"H-xx\"[1]\n"
                             "[3] \"H-xx\"[1]\n[4] \"H-xx\"[1]\n\n"
                             "Ca 1 \"H-xx.3\" # \"a\"\n[1] \"S-000000000000000a\"[1]\n\n"
                             "Ca 1 \"H-xx\" # \"b\"\n[1] \"S-000000000000000a\"[2]\n\n"
                             "Ca 1 \"H-xx\" # \"c\"\n[1] \"S-000000000000000a\"[3]\n\n"
                             "Ca 1 \"H-xx\" # \"d\"\n[1] \"S-000000000000000a\"[4]\n";
  static const char *const ids[] = {"S-000000000000000a", "H-xx.3", "H-xx", "H-xx.2", "H-xx.4"};
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("numbers", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(dump_of(f)->nodes, 5);
  for (uint32_t i = 0; i < 5; i++) assert_string_equal(dump_of(f)->node[i].id, ids[i]);
  assert_int_equal(f->ends, 4);
  ripstop_fabric_free(f);
}

/* One adapter of a dump is redacted, or edited by hand; what is computed from its GUID is not there, all else is. */
static void one_id_may_be_anything(void **state) {
  (void)state;
  static const char *const ids[] = {"b8cef60300xxxxxx", "22222222222host2", "redacted", "node 3, port 1",
                                    "****************"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char text[1000];
    ripstop_error err = {0};
    snprintf(text, sizeof text,
             "switchguid=0xa(a)\nSwitch 2 \"S-000000000000000a\" # \"s\" base port 0 lid 1 lmc 0\n"
             "[1] \"H-000000000000000b\"[1](b) # \"a\" lid 2 4xEDR\n[2] \"H-%s\"[1](%s) # \"b\" lid 3 4xEDR\n\n"
             "caguid=0xb\nCa 1 \"H-000000000000000b\" # \"a\"\n[1](b) \"S-000000000000000a\"[1] # lid 2 lmc 0 \"s\" "
             "lid 1 4xEDR\n\n"
             "caguid=0x%s\nCa 1 \"H-%s\" # \"b\"\n[1](%s) \"S-000000000000000a\"[2] # lid 3 lmc 0 \"s\" lid 1 4xEDR",
             ids[i], ids[i], ids[i], ids[i], ids[i]);
    ripstop_fabric *f = ripstop_ib_from_text("one", text, strlen(text), &err);
    if (f == NULL) fail_msg("%s", err.text);
    if (f->ends != 2 || f->links != 2 || dump_of(f)->odd.count) fail_msg("%s: %u end nodes", ids[i], f->ends);
    assert_int_equal(dump_of(f)->node[2].guid, 0);
    assert_int_equal(dump_of(f)->port[dump_of(f)->node[2].first].guid, 0);
    ripstop_fabric_free(f);
  }
}

/* A line that is wrong is no line that is cut off, wherever the file ends. */
static void a_wrong_last_line_is_not_cut_off(void **state) {
  (void)state;
  ripstop_fabric *f = open_text(PAIR H_TO_A "[2] \"H\" 7");
  assert_int_equal(odd_of(dump_of(f), "truncated"), 0);
  assert_int_equal(odd_of(dump_of(f), "broken line"), 1);
  ripstop_fabric_free(f);
  f = open_text(PAIR H_TO_A "[2] \"H-00");
  assert_int_equal(odd_of(dump_of(f), "truncated"), 1);
  ripstop_fabric_free(f);
}

static void descriptions_go_to_the_last_quote(void **state) {
  (void)state;
  ripstop_fabric *f =
      open_text(PAIR "[1](ab) \"S-000000000000000a\"[2] # lid 3 lmc 0 \"rack \"7\" # lid 99 1xSDR\" lid 1 4xHDR\n");
  const ripstop_ib_port *p = &dump_of(f)->port[ripstop_ib_of(f)->end_port[0]];
  assert_string_equal(p->peer_text, "rack \"7\" # lid 99 1xSDR");
  assert_int_equal(p->lid, 3);
  assert_int_equal(p->peer_lid, 1);
  assert_int_equal(p->width, 4);
  assert_string_equal(p->speed, "HDR");
  ripstop_fabric_free(f);
}

static void every_contradiction_is_kept(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
    uint32_t times;
  } cases[] = {
      {PAIR H_TO_A "[3] \"S-000000000000000b\"[3]\n", "half link", 1},
      {PAIR H_TO_A "[2] \"S-000000000000000b\"[1]\n", "conflicting end", 1},
      {PAIR H_TO_A "[2] \"S-00000000000000ff\"[1]\n", "half link", 1},
      {PAIR H_TO_A "\n" HOST_A H_TO_A, "listed twice", 1},
      {PAIR H_TO_A "\n" HOST_A "[1](ab) \"S-000000000000000b\"[3]\n", "duplicate GUID", 1},
      {PAIR H_TO_A "[1](ab) \"S-000000000000000b\"[3]\n", "port listed twice", 1},
      {PAIR "[1](ab) \"S-000000000000000a\"[2] # lid 3 lmc 0\n[2](ab) \"S-000000000000000b\"[3] # lid 4 lmc 0\n",
       "duplicate GUID", 1}, /* counts ports */
      {PAIR H_TO_A "\nCa 1 \"H-00000000000000ac\" # \"alone\"\n", "isolated adapter", 1},
      {PAIR H_TO_A "\nRt 1 \"R-00000000000000ac\" # \"alone\"\n", "isolated router", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid -4 lmc 0\n", "lid out of range", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 49152 lmc 0\n", "lid out of range", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 99999999999999999999 lmc 0\n",
       "lid out of range", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid  lmc 0\n", "no lid", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 0 lmc 0\n", "no lid", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 65535 lmc 0\n", "no lid", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 65535 lmc 0\n"
                   "Switch 4 \"S-00000000000000ad\" # \"x\" base port 0 lid 0 lmc 0\n",
       "no lid", 1}, /* one row for both */
      {PAIR H_TO_A "\nSwitch 4 \"S-00000000000000ac\" # \"x\" base port 0 lid 4 lmc 0\n", "lid used twice", 1},
      {PAIR H_TO_A "[2] \"H-00000000000000ad\"[1]\n\nCa 1 \"H-00000000000000ad\"\n[1] \"H-00000000000000aa\"[2]\n",
       "cable without a switch", 1},
      {PAIR H_TO_A "\n[1] \"S-000000000000000a\"[4]\n", "broken line", 1},
      {PAIR H_TO_A "[x\n[2 \"S\"\n[0] \"S-000000000000000a\"[4]\n", "broken line", 2},
      {PAIR "x\n(1] y\n" H_TO_A "z\n", "stray line", 1}, /* one for both, and none behind the last port */
      {PAIR H_TO_A "# c\nz\n\nSwitch 4 \"S-00000000000000ac\" # \"x\"\n", "stray line", 1},
      {PAIR H_TO_A "\n$ prompt\n\nz\nvendid=0x1\nSwitch 4 \"S-00000000000000ac\" # \"x\"\n", "stray line", 0},
      {PAIR H_TO_A "[2] \"S-0000000", "truncated", 1},
      {PAIR H_TO_A "\nSwitch 4 \"S-00000", "truncated", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_fabric *f = open_text(cases[i].text);
    uint32_t times = odd_of(dump_of(f), cases[i].what);
    if (times != cases[i].times) fail_msg("'%s' %u times in: %s", cases[i].what, times, cases[i].text);
    assert_int_equal(f->links, 2);
    ripstop_fabric_free(f);
  }
}

static void what_is_no_fabric_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "dump: no node"},
      {"hello\n", "dump: no node"},
      {"Ca 1 \"H-00000000000000aa\"\n", "dump: no adapter has a cable to a switch; 0 switches, 1 adapters"},
      {PAIR, "dump: no adapter has a cable"},
      {"Switch 300 \"S-1\"\n", "dump:1: 'S-1' would have 300 ports or more; a node has at most 254"},
      {"\nSwitch 99999999 \"S-1\"\n", "dump:2: 'S-1' would have 65536 ports or more"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    assert_null(ripstop_ib_from_text("dump", cases[i].text, strlen(cases[i].text), &err));
    if (strstr(err.text, cases[i].message) == NULL) fail_msg("'%s' has no '%s'", err.text, cases[i].message);
  }
}

/* ------------------------------------------------------------------ gzip */

static size_t pack(const char *text, char *out, size_t room) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)text,
                     .avail_in = (uInt)strlen(text),
                     .next_out = (Bytef *)out,
                     .avail_out = (uInt)room};
  assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

static void gzip_is_unpacked(void **state) {
  (void)state;
  char packed[2000];
  ripstop_error err = {0};
  size_t length = pack(PAIR H_TO_A, packed, sizeof packed);
  ripstop_fabric *f = ripstop_ib_from_text("dump", packed, length, &err), *plain = open_text(PAIR H_TO_A);
  assert_non_null(f);
  assert_string_equal(f->spec, plain->spec); /* the same content, however it is packed */
  ripstop_fabric_free(f);
  ripstop_fabric_free(plain);
  assert_null(ripstop_ib_from_text("dump", packed, length - 5, &err));
  assert_string_equal(err.text, "dump: packed by gzip, but broken or cut off");
  packed[length / 2] ^= 0x55;
  assert_null(ripstop_ib_from_text("dump", packed, length, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_have_the_known_counts),
      cmocka_unit_test(what_is_regular_is_not_odd),
      cmocka_unit_test(the_dump_reports_its_own_oddities),
      cmocka_unit_test(a_file_that_was_cut_off_is_noticed),
      cmocka_unit_test(slow_cables_have_their_rate),
      cmocka_unit_test(ports_keep_their_numbers),
      cmocka_unit_test(reports_say_the_same),
      cmocka_unit_test(reports_may_be_broken),
      cmocka_unit_test(lids_and_guids_are_found),
      cmocka_unit_test(lids_are_given_while_there_are_some),
      cmocka_unit_test(blank_lines_are_empty),
      cmocka_unit_test(dialects_say_the_same),
      cmocka_unit_test(ids_are_opaque),
      cmocka_unit_test(one_id_may_be_anything),
      cmocka_unit_test(ids_that_are_alike_stay_apart),
      cmocka_unit_test(redacted_dumps_are_the_same_fabric),
      cmocka_unit_test(ambiguous_ids_are_refused),
      cmocka_unit_test(ids_that_lids_keep_apart_are_half_links),
      cmocka_unit_test(many_nodes_of_one_id_are_quick),
      cmocka_unit_test(a_redacted_id_may_be_listed_twice),
      cmocka_unit_test(redacted_ids_get_free_numbers),
      cmocka_unit_test(a_wrong_last_line_is_not_cut_off),
      cmocka_unit_test(descriptions_go_to_the_last_quote),
      cmocka_unit_test(every_contradiction_is_kept),
      cmocka_unit_test(what_is_no_fabric_is_refused),
      cmocka_unit_test(gzip_is_unpacked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
