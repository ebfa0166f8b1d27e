/* test_immunet_printed.c - immunet's protocol as printed (immunet:protocol=printed): which single links of the 8 x 8
 * torus end with a ring that does not pass all routers, and that the protocol and the plan say so.
 *
 * Two counts were known: 62 by an independent program that does as printed, and 64 with the first hole alone (an ACK
 * without an EPL). Both are right. They differ by two links of router 0, whose first EPL is 0 as printed: no router
 * follows it, so there is no losing tree whose ACKs could be counted. */
#include <string.h>

#include "check.h"
#include "faults/fault_syntax.h"
#include "methods/immunet/immunet.h"
#include "ripstop/kit/protocol.h"
#include "stand.h"

enum { LINKS = 128 };

typedef struct tally {
  uint32_t broken, at_router_0;
  uint8_t is_broken[LINKS];
} tally;

/* The number of routers on the ring of the router that all should follow. */
static bool is_whole(const ripstop_network *n) {
  const ripstop_plan *plan = ripstop_network_plan(n);
  const ripstop_fabric *f = plan->fabric;
  const void **state = ripstop_realloc(NULL, f->nodes, sizeof *state);
  uint8_t member[64];
  component c = {.root = RIPSTOP_NONE, .member = member};
  uint32_t roots = 0;
  for (uint32_t v = 0; v < f->nodes; v++) {
    state[v] = v < f->ends ? NULL : ripstop_network_state(n, v);
    if (!state[v] || ((const memory *)state[v])->parent != NO_PORT) continue;
    c.root = v;
    roots++;
  }
  if (roots == 1) ripstop_immunet_find_component(&c, plan, state);
  ripstop_free(state);
  return roots == 1 && c.routers == 64 && c.ring == 126;
}

/* A broken ring is an error that names the link that failed; the network still answers queries. */
static bool is_refused(ripstop_network *n, uint32_t link) {
  ripstop_error err = {0};
  ripstop_text cause = {0};
  if (ripstop_network_run(n, RIPSTOP_NEVER, &err) == 1) return false;
  if (!ripstop_network_broken(n)) fail_msg("link %u: %s", link, err.text);
  ripstop_text_add(&cause, ", which called the emergency when ");
  ripstop_part_add_name(&cause, ripstop_network_plan(n)->fabric, link, false);
  ripstop_text_add(&cause, " failed, is broken");
  if (!strstr(err.text, cause.data)) fail_msg("link %u: %s", link, err.text);
  ripstop_text_free(&cause);
  return true;
}

/* The plan without this link has no tables. */
static bool has_no_tables(const ripstop_fabric *f, const char *method, uint32_t link) {
  ripstop_error err = {0};
  ripstop_faults faults = {.links = 1, .link = &link};
  ripstop_view *view = ripstop_view_new(f, &faults);
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  ripstop_answer answer = ripstop_plan_tables(plan, &err);
  if (answer != RIPSTOP_APPLIES && !strstr(err.text, "immunet: the ring of root ")) fail_msg("%s", err.text);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return answer != RIPSTOP_APPLIES;
}

/* All links between routers, one at a time. `seen`: routers have seen an emergency before, so that no EPL is 0. */
static tally try_all(const char *method, bool seen) {
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("torus:8x8", &err);
  stand run_setup = stand_on(f, method, NULL);
  tally t = {0};
  assert_int_equal(f->links - f->link_ends, LINKS);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    ripstop_change change = {.cycle = 10, .id = link};
    ripstop_schedule schedule = {.count = 1, .change = &change};
    ripstop_network *n = ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &schedule}, &err);
    if (!n) fail_msg("%s", err.text);
    for (uint32_t v = f->ends; v < f->nodes && seen; v++) ((memory *)ripstop_network_state(n, v))->t = 1;
    bool told = is_refused(n, link), broken = !is_whole(n);
    assert_true(told == broken);
    if (!seen) assert_true(has_no_tables(f, method, link) == broken);
    t.is_broken[link - f->link_ends] = broken;
    t.broken += broken;
    t.at_router_0 += broken && (ripstop_link_node(f, link, 0) == f->ends || ripstop_link_node(f, link, 1) == f->ends);
    ripstop_network_free(n);
  }
  stand_close(&run_setup);
  ripstop_fabric_free(f);
  return t;
}

static void single_links_that_break_the_ring(void **state) {
  (void)state;
  tally printed = try_all("immunet:protocol=printed", false), seen = try_all("immunet:protocol=printed", true),
        repaired = try_all("immunet", false);
  print_message(
      "broken: %u as printed, %u of them at router 0; %u without EPL 0, %u of them at router 0; %u repaired\n",
      printed.broken, printed.at_router_0, seen.broken, seen.at_router_0, repaired.broken);
  assert_int_equal(repaired.broken, 0);
  assert_int_equal(printed.broken, 62);
  assert_int_equal(seen.broken, 64);
  assert_int_equal(printed.at_router_0, 0);
  assert_int_equal(seen.at_router_0, 2);
  for (uint32_t link = 0; link < LINKS; link++) assert_true(seen.is_broken[link] >= printed.is_broken[link]);
}

/* A link fails and returns so many times in all. Returns what the run says, or NULL. */
static const char *emergencies(ripstop_arena *arena, const char *method, uint32_t count) {
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("torus:8x8", &err);
  ripstop_change *change = RIPSTOP_ARRAY(arena, count, ripstop_change);
  for (uint32_t i = 0; i < count; i++)
    change[i] = (ripstop_change){.cycle = 5000 * (uint64_t)(i + 1), .id = f->link_ends + 7, .up = i % 2};
  ripstop_schedule schedule = {.count = count, .change = change};
  stand run_setup = stand_on(f, method, NULL);
  ripstop_network *n = ripstop_network_open(run_setup.plan, &(ripstop_network_options){.schedule = &schedule}, &err);
  if (!n) fail_msg("%s", err.text);
  bool good = ripstop_network_run(n, RIPSTOP_NEVER, &err) == 1;
  ripstop_network_free(n);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
  return good ? NULL : ripstop_arena_text(arena, err.text);
}

/* 2^12 / 64: the 64th wraps, and is reported. Without a width, or with a bit more, nothing happens. */
static void the_64th_of_12_bits_wraps(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  assert_null(emergencies(arena, "immunet:control_cycles=20,epl_bits=12", 63));
  const char *why = emergencies(arena, "immunet:control_cycles=20,epl_bits=12", 64);
  if (!why || !strstr(why, "calls emergency 64 with EPL ") ||
      !strstr(why, "which does not fit in 12 bits (all ones is the ACK) and wraps to "))
    fail_msg("%s", why ? why : "nothing is reported");
  assert_null(emergencies(arena, "immunet:control_cycles=20,epl_bits=13", 64));
  assert_null(emergencies(arena, "immunet:control_cycles=20,epl_bits=64", 64));
  assert_null(emergencies(arena, "immunet:control_cycles=20", 64));
  ripstop_arena_free(arena);
}

/* 64 routers: the last one's first EPL is 127, which is all ones in 7 bits. */
static void a_width_must_do_for_one_emergency_each(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *f = ripstop_fabric_open("torus:8x8", &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  assert_null(ripstop_plan_compile(view, "immunet:epl_bits=7", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  assert_string_equal(err.text, "immunet: epl_bits=7 has no number for the first emergency of each of 64 routers");
  ripstop_plan *plan = ripstop_plan_compile(view, "immunet:epl_bits=8", &answer, &err);
  assert_non_null(plan);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
}

/* In the printed protocol router 0's first emergency would have EPL 0, which means none: a torus begins without one. */
static void printed_is_for_tori(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *f = ripstop_fabric_open("kary-ntree:k=2,n=2", &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  assert_null(ripstop_plan_compile(view, "immunet:protocol=printed", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  assert_non_null(strstr(err.text, "immunet: protocol=printed is for tori, not for kary-ntree:k=2,n=2, where routers"));
  ripstop_plan *plan = ripstop_plan_compile(view, "immunet", &answer, &err);
  assert_non_null(plan);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_links_that_break_the_ring), cmocka_unit_test(the_64th_of_12_bits_wraps),
      cmocka_unit_test(a_width_must_do_for_one_emergency_each), cmocka_unit_test(printed_is_for_tori)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
