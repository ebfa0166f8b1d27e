/* test_adaptive_tables.c - ibdiagnet2.far, made here from tables whose entries have several next hops: it is read as
 * these, and judged as these. On a tree groups of all shortest ports cannot deadlock; on a ring they can, while the
 * ports of the forwarding tables alone cannot. Damaged lines are refused by what is wrong with them. */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/ib_subnet.h"
#include "ripstop/fabric.h"
#include "ripstop/kit/judge.h"
#include "tables/infiniband/lfts.h"

enum { ENDS_MOST = 64 };

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_arena *arena;
  ripstop_address_book book;
} bench;

static bench open_bench(const char *spec) {
  bench b = {.fabric = ripstop_fabric_open(spec, NULL), .arena = ripstop_arena_new()};
  assert_non_null(b.fabric);
  b.view = ripstop_view_new(b.fabric, NULL);
  ripstop_address_book_of(b.fabric, &b.book);
  return b;
}

static void close_bench(bench *b) {
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* Hops from each switch to one. */
static void search(const ripstop_fabric *f, uint32_t to, uint32_t *hops) {
  for (uint32_t n = 0; n < f->nodes; n++) hops[n] = n == to ? 0 : 99;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t link = f->link_ends; link < f->links; link++)
      for (unsigned side = 0; side < 2; side++) {
        const uint32_t a = ripstop_link_node(f, link, side), b = ripstop_link_node(f, link, 1 - side);
        if (hops[a] + 1 >= hops[b]) continue;
        hops[b] = hops[a] + 1;
        more = true;
      }
  }
}

/* All shortest ports, the first as the port of the forwarding table. */
static uint32_t shortest_ports(const ripstop_fabric *f, uint32_t s, uint32_t end, const uint32_t *hops,
                               ripstop_next_hop *hop) {
  uint32_t count = 0;
  for (uint32_t port = f->port_base[s]; port < f->port_base[s + 1]; port++) {
    const uint32_t other = f->peer[port] == RIPSTOP_NONE ? s : f->port_node[f->peer[port]];
    if (other == end || (hops[s] > 0 && other >= f->ends && hops[other] + 1 == hops[s]))
      hop[count++] = (ripstop_next_hop){(uint16_t)(port - f->port_base[s]), 1};
  }
  return count;
}

/* `text` gets the file. The tables have all shortest ports, or with `only_static` the first. */
static ripstop_forwarding *make(bench *b, bool only_static, char **text) {
  const ripstop_fabric *f = b->fabric;
  size_t length;
  uint32_t node[ENDS_MOST], *hops = calloc(f->nodes, sizeof *hops);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *t = ripstop_forwarding_in(b->arena, f, node, f->ends);
  FILE *file = open_memstream(text, &length);
  fprintf(file, "# made\nFile version: 1\n");
  for (uint32_t s = f->ends; s < f->nodes; s++) {
    ib_subnet_node n;
    ib_subnet_node_of(f, s, &n);
    fprintf(file, "Switch 0x%016" PRIx64 "\nen_sl: any\nGroups Definition:\nGroup  Sub Group  WHBF  Ports\n-----\n",
            n.guid);
    for (unsigned pass = 0; pass < 2; pass++) {
      if (pass) fprintf(file, "\nLFT Definition:\nPLFT_NUM: 0, top:0x40\nLID Static Port Lid State Group\n-----\n");
      for (uint32_t end = 0; end < f->ends; end++) {
        ripstop_next_hop hop[64];
        search(f, ripstop_end_switch(f, end), hops);
        const uint32_t count = shortest_ports(f, s, end, hops, hop);
        ib_subnet_node_of(f, end, &n);
        if (!pass) { /* the first port in one sub group, all in another one */
          fprintf(file, "%-5u 0 0 %u,\n%-5u 1 0 ", end + 1, hop[0].port + b->book.first_port, end + 1);
          for (uint32_t i = 0; i < count; i++) fprintf(file, "%u,", hop[i].port + b->book.first_port);
          fprintf(file, "\n");
          continue;
        }
        const char *state = only_static ? "Static" : end % 2 ? "Free" : "HBF";
        fprintf(file, "0x%04x  %-3u %-6s  %u\n", n.lid, hop[0].port + b->book.first_port, state, end + 1);
        assert_int_equal(ripstop_forwarding_set_hops(t, end, s, hop, only_static ? 1 : count, NULL), 0);
      }
    }
  }
  fclose(file);
  free(hops);
  return t;
}

static ripstop_forwarding *read_text(bench *b, const char *text, ripstop_error *err) {
  ripstop_lfts *r = ripstop_lfts_open(b->fabric, &b->book, err);
  ripstop_lfts_notes notes;
  ripstop_forwarding *t = NULL;
  int status = 0;
  ripstop_lfts_file(r, "ibdiagnet2.far");
  for (const char *line = text; !status && *line;) {
    const size_t length = strcspn(line, "\n");
    status = ripstop_lfts_line(r, line, length, err);
    line += length + (line[length] == '\n');
  }
  if (!status) t = ripstop_lfts_finish(r, b->arena, &notes, err);
  ripstop_lfts_free(r);
  return t;
}

static bool can_deadlock(bench *b, const ripstop_forwarding *t) {
  ripstop_table_verdict v;
  assert_int_equal(ripstop_judge(b->arena, b->view, t, NULL, &v, NULL), 0);
  assert_int_equal(v.unreached, 0);
  return v.credit_loop;
}

static void groups_are_read_and_judged(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    bool loop, loop_of_static;
  } cases[] = {{"mport-ntree:m=4,n=2", false, false},
               {"kary-ntree:k=2,n=3", false, false},
               {"mesh:3", false, false},
               {"torus:6", true, true},
               {"mesh:3x3", true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned only_static = 0; only_static < 2; only_static++) {
      ripstop_error err = {0};
      bench b = open_bench(cases[i].spec);
      char *text;
      const ripstop_forwarding *made = make(&b, only_static, &text), *read = read_text(&b, text, &err);
      if (!read) fail_msg("%s: %s", cases[i].spec, err.text);
      assert_int_equal(read->addresses, made->addresses);
      for (uint32_t a = 0; a < made->addresses; a++)
        for (uint32_t s = b.fabric->ends; s < b.fabric->nodes; s++)
          for (uint32_t k = 0; k < 8; k++)
            assert_int_equal(ripstop_forwarding_hop(read, a, s, k).port, ripstop_forwarding_hop(made, a, s, k).port);
      assert_int_equal(can_deadlock(&b, read), only_static ? cases[i].loop_of_static : cases[i].loop);
      free(text);
      close_bench(&b);
    }
}

/* A switch takes the port of its table, too, although it is not in the group; a table may have none. */
static void the_port_of_the_table_counts(void **state) {
  (void)state;
  ripstop_error err = {0};
  bench b = open_bench("mport-ntree:m=4,n=2");
  ib_subnet_node s, end;
  char text[512];
  ib_subnet_node_of(b.fabric, b.fabric->ends, &s);
  ib_subnet_node_of(b.fabric, b.fabric->ends - 1, &end);
  for (unsigned own = 0; own < 2; own++) {
    snprintf(text, sizeof text,
             "File version: 1\nSwitch 0x%016" PRIx64
             "\nGroups Definition:\n1 0 0 3,\n2 0 0\nLFT Definition: PLFT_NUM: 0, top:0x9\n0x%x %s Free 1\n",
             s.guid, end.lid, own ? "4" : "255");
    const ripstop_forwarding *t = read_text(&b, text, &err);
    if (!t) fail_msg("%s", err.text);
    const uint16_t first = (uint16_t)(3 - b.book.first_port);
    assert_int_equal(ripstop_forwarding_hop(t, 0, b.fabric->ends, 0).port, first);
    assert_int_equal(ripstop_forwarding_hop(t, 0, b.fabric->ends, 1).port, own ? first + 1 : RIPSTOP_NO_PORT);
  }
  close_bench(&b);
}

static void damage_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *tail, *why;
  } cases[] = {
      {"0x1 1 Free 1", "an entry before 'Groups Definition:' of its switch"},
      {"Groups Definition:\n1 0 0 99,", "port 99 in group 1: the switch has ports"},
      {"Groups Definition:\n1 0 0 1;2", "no port number (0 to 255) in a group of ports"},
      {"Groups Definition:\n1 0", "no group: 'GROUP SUBGROUP WHBF PORT,PORT,' has three numbers before its ports"},
      {"Groups Definition:\nLFT Definition:\nPLFT_NUM: 1, top:0x3", "a private forwarding table: only 'PLFT_NUM: 0'"},
      {"Groups Definition:\n1 0 0 1,\nLFT Definition:\n0x1 1 Free 2",
       "LID 0x0001 has group 2, which 'Groups Definition:'"},
      {"Groups Definition:\n1 0 0 1,\nLFT Definition:\n0x1 1 Fre 1", "the state of a LID is Static, Free or HBF"},
      {"Groups Definition:\n1 0 0 1,\nLFT Definition:\n0x1 1 Free", "no group behind the state of a LID"},
      {"Groups Definition:\n1 0 0 1,\nLFT Definition:\n0x1 x", "no entry: '0xLID PORT STATE GROUP' begins with"},
      {"Groups Definition:\n1 0 0 1,\nLFT Definition:\n0x1 1 Static 0\n0x1 1 Static 0",
       "a second entry for LID 0x0001"},
      {"LFT Definition:", "a forwarding table without 'Groups Definition:' before it"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    bench b = open_bench("mport-ntree:m=4,n=2");
    ib_subnet_node s;
    char text[512];
    ib_subnet_node_of(b.fabric, b.fabric->ends, &s);
    snprintf(text, sizeof text, "File version: 1\nSwitch 0x%016" PRIx64 "\n%s\n", s.guid, cases[i].tail);
    const char *why = cases[i].why;
    if (read_text(&b, text, &err)) fail_msg("%s", cases[i].tail);
    if (!strstr(err.text, why) || strncmp(err.text, "ibdiagnet2.far:", 15) != 0)
      fail_msg("%s: %s", cases[i].tail, err.text);
    close_bench(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_read_and_judged),
      cmocka_unit_test(the_port_of_the_table_counts),
      cmocka_unit_test(damage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
