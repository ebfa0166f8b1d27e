/* test_design_check.c - a design against the cables of a dump: random fabrics, whose cables are moved, crossed, pulled
 * and added, against rules applied to the list of cables alone. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "check.h"
#include "fabric/ib.h"
#include "formats/infiniband/design_check.h"

enum { SWITCHES = 6, PORTS = 24, HOSTS = 30, ENDS = SWITCHES * PORTS + HOSTS, NONE = -1 };

/* Ends of cables: switch s, port p + 1 is s * PORTS + p; then the hosts. Switches 4 and 5 are chips of one director. */
typedef struct wiring {
  int mate[ENDS];
} wiring;

static int node_of(int end) { return end < SWITCHES * PORTS ? end / PORTS : SWITCHES + end - SWITCHES * PORTS; }

static uint32_t below(ripstop_stream *s, uint32_t bound) { return ripstop_stream_below(s, bound); }

static void join(wiring *w, int a, int b) {
  w->mate[a] = b;
  w->mate[b] = a;
}

static int free_port(const wiring *w, ripstop_stream *s) {
  for (;;) {
    const int end = (int)below(s, SWITCHES * PORTS);
    if (w->mate[end] == NONE) return end;
  }
}

/* Joins a free end to another one. */
static void join_anywhere(wiring *w, int end, ripstop_stream *s) {
  w->mate[end] = end; /* not free meanwhile */
  const int other = free_port(w, s);
  join(w, end, other);
}

static wiring draw_wiring(ripstop_stream *s) {
  wiring w;
  for (int end = 0; end < ENDS; end++) w.mate[end] = NONE;
  for (int host = SWITCHES * PORTS; host < ENDS; host++) join(&w, host, free_port(&w, s));
  for (int i = 0; i < 20; i++) join_anywhere(&w, free_port(&w, s), s);
  return w;
}

static void pull(wiring *w, int end) {
  if (w->mate[end] == NONE) return;
  w->mate[w->mate[end]] = NONE;
  w->mate[end] = NONE;
}

/* Moves, crosses, pulls and adds a few cables. */
static wiring damage(const wiring *from, ripstop_stream *s) {
  wiring w = *from;
  for (uint32_t i = below(s, 6); i-- > 0;) {
    const int a = (int)below(s, ENDS), b = (int)below(s, ENDS), x = w.mate[a], y = w.mate[b];
    const uint32_t kind = below(s, 4);
    if (x == NONE || y == NONE || a == b || x == b) continue;
    pull(&w, a);
    if (kind == 1) join_anywhere(&w, a, s);
    if (kind == 2 && x < SWITCHES * PORTS && y < SWITCHES * PORTS) {
      pull(&w, b);
      join(&w, a, y);
      join(&w, b, x);
    }
    if (kind == 3) join_anywhere(&w, x, s);
  }
  join_anywhere(&w, free_port(&w, s), s);
  return w;
}

/* ------------------------------------------------------------------ files */

static void add_id(ripstop_text *out, int end) {
  const int node = node_of(end);
  ripstop_text_add(out, "\"%c-%016x\"[%d]", node < SWITCHES ? 'S' : 'H', 0x1000 * (node + 1),
                   node < SWITCHES ? end % PORTS + 1 : 1);
}

static void print_dump(const wiring *w, ripstop_text *out) {
  for (int node = 0; node < SWITCHES + HOSTS; node++) {
    const bool is_switch = node < SWITCHES;
    ripstop_text_add(out, "%s\t%d \"%c-%016x\"\t# \"", is_switch ? "Switch" : "Ca", is_switch ? PORTS : 1,
                     is_switch ? 'S' : 'H', 0x1000 * (node + 1));
    if (node < 4)
      ripstop_text_add(out, "%sleaf-%d\" base port 0 lid %d lmc 0\n", node < 2 ? "" : "MF0;", node, node + 1);
    else
      ripstop_text_add(out, is_switch ? "MF0;Dir:CS7500/L0%d/U2\" base port 0 lid %d lmc 0\n" : "n%d mlx5_0\"\n", node,
                       node + 1);
    for (int end = 0; end < ENDS; end++) {
      if (node_of(end) != node || w->mate[end] == NONE) continue;
      ripstop_text_add(out, "[%d] ", is_switch ? end % PORTS + 1 : 1);
      add_id(out, w->mate[end]);
      ripstop_text_add(out, "\t# lid 1 4xHDR\n");
    }
  }
}

/* The words of a design for an end: device or port. */
static void add_word(ripstop_text *out, int end, bool port, ripstop_stream *s) {
  const int node = node_of(end), number = end % PORTS + 1;
  const bool loud = below(s, 2) == 0;
  if (node >= SWITCHES)
    ripstop_text_add(out, port ? (loud ? "N%d MLX5_0" : "n%d mlx5_0") : "n%d", node);
  else if (node < 4)
    ripstop_text_add(out, port ? "Port %d" : loud ? "LEAF-%d" : "leaf-%d", port ? number : node);
  else if (port)
    ripstop_text_add(out, loud ? "Blade %d_Port 2/%d" : "blade %d_port 2/%d", node, number);
  else
    ripstop_text_add(out, loud ? "DIR" : "dir");
}

static void print_design(const wiring *w, ripstop_text *out, ripstop_stream *s) {
  static const char *const orders[][4] = {{"StartDevice", "StartPort", "EndDevice", "EndPort"},
                                          {"ENDPORT", "enddevice", "startport", "STARTDEVICE"}};
  const unsigned order = below(s, 2);
  ripstop_text_add(out, "%s%s,%s, %s,LinkType,%s\r\n", order ? "" : "#", orders[order][0], orders[order][1],
                   orders[order][2], orders[order][3]);
  for (int end = 0; end < ENDS; end++) {
    if (w->mate[end] < end) continue;
    const int a = below(s, 2) ? end : w->mate[end], b = w->mate[a];
    for (unsigned column = 0; column < 4; column++) {
      const unsigned at = order ? 3 - column : column;
      add_word(out, at < 2 ? a : b, at % 2, s);
      ripstop_text_add(out, column == 2 ? ",Data," : column == 3 ? "\r\n" : ",");
    }
  }
}

/* ------------------------------------------------------------------ the rules, once more */

typedef struct answer {
  unsigned cables, right, what[IB_DESIGN_WHATS], swapped, extra;
} answer;

static answer apply_rules(const wiring *design, const wiring *real) {
  answer out = {0};
  for (int a = 0; a < ENDS; a++) {
    const int b = design->mate[a];
    if (b < a) continue;
    const int x = real->mate[a], y = real->mate[b];
    out.cables++;
    if (x == b) {
      out.right++;
      continue;
    }
    const bool port = (x != NONE && node_of(x) == node_of(b)) || (y != NONE && node_of(y) == node_of(a));
    out.what[port ? IB_DESIGN_WRONG_PORT : x != NONE || y != NONE ? IB_DESIGN_WRONG_DEVICE : IB_DESIGN_MISSING]++;
    out.swapped += x != NONE && y != NONE && design->mate[x] == y;
  }
  for (int a = 0; a < ENDS; a++)
    out.extra += real->mate[a] > a && design->mate[a] == NONE && design->mate[real->mate[a]] == NONE;
  return out;
}

static void compare(const wiring *design, const wiring *real, ripstop_stream *s) {
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(dump_text);
  RIPSTOP_LOCAL_TEXT(design_text);
  ripstop_error err = {0};
  print_dump(real, &dump_text);
  print_design(design, &design_text, s);
  ripstop_fabric *fabric = ripstop_ib_from_text("made", dump_text.data, dump_text.length, &err);
  ib_design rows;
  if (!fabric) fail_msg("%s", err.text);
  assert_true(ib_design_is(design_text.data, design_text.length));
  if (ib_design_read(&rows, arena, "design", design_text.data, design_text.length, &err)) fail_msg("%s", err.text);
  ib_design_result found;
  ib_design_check(&found, arena, ripstop_ib_of(fabric)->dump, &rows);
  const answer want = apply_rules(design, real);
  unsigned what[IB_DESIGN_WHATS] = {0}, swapped = 0;
  for (uint32_t i = 0; i < found.count; i++) {
    const ib_design_fault *f = &found.list[i];
    what[f->what]++;
    swapped += f->swapped != RIPSTOP_NONE;
    assert_true(f->swapped == RIPSTOP_NONE || found.list[f->swapped].swapped == i);
  }
  assert_int_equal(found.cables, want.cables);
  assert_int_equal(found.as_designed, want.right);
  assert_int_equal(found.extras, want.extra);
  assert_int_equal(swapped, want.swapped);
  assert_memory_equal(what, want.what, sizeof what);
  ripstop_fabric_free(fabric);
}

static void random_fabrics_agree_with_the_rules(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    ripstop_stream s = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
    const wiring design = draw_wiring(&s), real = damage(&design, &s);
    compare(&design, &real, &s);
  }
}

/* Rows for which there is no device, and the reasons. */
static void unknown_devices_have_a_reason(void **state) {
  (void)state;
  static const char table[] = "StartDevice,StartPort,EndDevice,EndPort\n"
                              "ghost,Port 1,leaf-0,Port 1\n"
                              "leaf-0,Port 1,dir,Port 2\n"
                              "leaf-0,Port 1,dir,Blade 9_Port 2/1\n"
                              "# a note\n"
                              "leaf-0,Port 255,leaf-1,Port 1\n"
                              "leaf-0,Port 1,leaf-1,Port 1\n"
                              "leaf-1,Port 1,leaf-0,Port 1\n";
  static const char *const whys[] = {"not in the dump", "director", "no leaf board 9", "neither a port"};
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(dump_text);
  ripstop_stream s = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  const wiring w = draw_wiring(&s);
  ripstop_error err = {0};
  ib_design rows;
  ib_design_result found;
  print_dump(&w, &dump_text);
  ripstop_fabric *fabric = ripstop_ib_from_text("made", dump_text.data, dump_text.length, &err);
  assert_int_equal(ib_design_read(&rows, arena, "design", table, strlen(table), &err), 0);
  ib_design_check(&found, arena, ripstop_ib_of(fabric)->dump, &rows);
  for (unsigned i = 0; i < 4; i++) {
    assert_int_equal(found.list[i].what, IB_DESIGN_UNKNOWN_DEVICE);
    assert_non_null(strstr(found.list[i].why, whys[i]));
  }
  assert_int_equal(found.cables, 1); /* the last two rows are one cable */
  assert_int_equal(rows.list[3].line, 6);
  ripstop_fabric_free(fabric);
}

/* A dump is a design of itself. */
static void a_dump_is_a_design(void **state) {
  (void)state;
  RIPSTOP_LOCAL_ARENA(arena);
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_stream s = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, 0);
  const wiring w = draw_wiring(&s);
  ripstop_error err = {0};
  ib_design rows;
  ib_design_result found;
  print_dump(&w, &text);
  ripstop_fabric *fabric = ripstop_ib_from_text("made", text.data, text.length, &err);
  const ripstop_ib_dump *dump = ripstop_ib_of(fabric)->dump;
  ib_design_of(&rows, arena, dump);
  ib_design_check(&found, arena, dump, &rows);
  assert_true(found.cables == dump->cables && found.as_designed == dump->cables && !found.count && !found.extras);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_fabrics_agree_with_the_rules),
      cmocka_unit_test(unknown_devices_have_a_reason),
      cmocka_unit_test(a_dump_is_a_design),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
