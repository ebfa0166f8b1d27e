/* test_recognise_habits.c - the port distinguishes a cable to the wrong switch from an extra cable: similar switches
 * use that port for the missing cable, at least half as often as their most usual port. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "fabric/ib.h"
#include "recognise/recognise.h"

enum { LEAVES = 8, SPINES = 4, HOSTS = 4, WRONG = 3 };

static void write_node(ripstop_text *text, char kind, uint32_t id, const char *name, uint32_t number) {
  ripstop_text_add(text, "\n%s 40 \"%c-%016x\" # \"%s%u\"\n", kind == 'S' ? "Switch" : "Ca", kind, id, name, number);
}

static uint32_t leaf_id(uint32_t leaf) { return 0x100 + leaf; }
static uint32_t spine_id(uint32_t spine) { return 0x200 + spine; }
static uint32_t host_id(uint32_t host) { return 0x300 + host; }

/* The port of a leaf for its cable to a spine: for spine 2 seven leaves use 7 four times, 30 twice and 31 once. */
static uint32_t up_port(uint32_t leaf, uint32_t spine) {
  static const uint32_t third[LEAVES] = {7, 7, 7, 0, 7, 30, 30, 31};
  return spine == 2 ? third[leaf] : 5 + spine;
}

/* Leaf WRONG has its cable to spine 2 at this port, and it leads to spine 1. */
static ripstop_fabric *make_net(uint32_t port) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (uint32_t l = 0; l < LEAVES; l++) {
    write_node(&text, 'S', leaf_id(l), "leaf", l);
    for (uint32_t h = 0; h < HOSTS; h++)
      ripstop_text_add(&text, "[%u] \"H-%016x\"[1]\n", 1 + h, host_id(l * HOSTS + h));
    for (uint32_t s = 0; s < SPINES; s++)
      if (l == WRONG && s == 2)
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", port, spine_id(1), 20);
      else
        ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", up_port(l, s), spine_id(s), 1 + l);
  }
  for (uint32_t s = 0; s < SPINES; s++) {
    write_node(&text, 'S', spine_id(s), "spine", s);
    for (uint32_t l = 0; l < LEAVES; l++)
      if (l != WRONG || s != 2) ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 1 + l, leaf_id(l), up_port(l, s));
    if (s == 1) ripstop_text_add(&text, "[%u] \"S-%016x\"[%u]\n", 20, leaf_id(WRONG), port);
  }
  for (uint32_t h = 0; h < LEAVES * HOSTS; h++) {
    write_node(&text, 'H', host_id(h), "host", h);
    ripstop_text_add(&text, "[1] \"S-%016x\"[%u]\n", leaf_id(h / HOSTS), 1 + h % HOSTS);
  }
  ripstop_fabric *f = ripstop_ib_from_text("habits", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  return f;
}

static bool has(const ripstop_recognised *r, const char *what) {
  for (uint32_t i = 0; i < r->odd.count; i++)
    if (strcmp(r->odd.list[i].what, what) == 0) return true;
  return false;
}

static void usual_ports_report_wrong_from_extra(void **state) {
  (void)state;
  static const struct {
    uint32_t port;
    bool usual;
  } cases[] = {{7, true}, {30, true}, {31, false}, {35, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_fabric *f = make_net(cases[i].port);
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_recognised r;
    ripstop_recognise(f, arena, &r);
    assert_string_equal(r.family, "fat tree");
    if (has(&r, "cable to the wrong switch") != cases[i].usual || has(&r, "extra cable") == cases[i].usual ||
        has(&r, "missing uplink") == cases[i].usual)
      fail_msg("port %u: %u oddities, the first '%s'", cases[i].port, r.odd.count, r.odd.list[0].what);
    ripstop_arena_free(arena);
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(usual_ports_report_wrong_from_extra)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
