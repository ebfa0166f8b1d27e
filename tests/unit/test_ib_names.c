/* test_ib_names.c - names of a real fabric as people write them: descriptions, GUIDs, ports, patterns; and the rates
 * that slow cables have in a view. */
#include <string.h>

#include "check.h"
#include "fabric/ib.h"
#include "opened.h"
#include "ripstop/plugin/faults.h"

static ripstop_fabric *open_text(const char *text) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_ib_from_text("dump", text, strlen(text), &err);
  if (f == NULL) fail_msg("%s", err.text);
  return f;
}

static ripstop_fabric *open_example(void) { return open_fabric(RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt"); }

static void links_have_many_names(void **state) {
  (void)state;
  static const char *const words[] = {"S-506b4b0300a10000[1]-S-506b4b0300a20000[29]",
                                      "S-506b4b0300a20000[29]",
                                      "S-506b4b0300a10000[1]",
                                      "leaf-01/P29",
                                      "leaf-01/29",
                                      "\"leaf-01\"/P29",
                                      "\"leaf-01\"[29]",
                                      "\"leaf-01\"/U1/P29",
                                      "0x506b4b0300a20000/29",
                                      "0x506B4B0300A20000/P29",
                                      "\"spine-1\"/P1"};
  ripstop_fabric *f = open_example();
  ripstop_names *names = ripstop_names_new(f);
  uint32_t link = ripstop_names_link(names, words[0], strlen(words[0]));
  assert_int_not_equal(link, RIPSTOP_NONE);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ripstop_names_link(names, words[i], strlen(words[i])) != link) fail_msg("%s", words[i]);
  static const char *const hosts[] = {"H-506b4b0300c00000[1]-S-506b4b0300a20000[1]", "\"node001 mlx5_0\"",
                                      "\"node001 mlx5_0\"/P1", "0x506b4b0300c00001", "leaf-01/P1"};
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    if (ripstop_names_link(names, hosts[i], strlen(hosts[i])) != 0) fail_msg("%s", hosts[i]);
  static const char *const none[] = {"leaf-01",
                                     "leaf-01/P28",
                                     "leaf-01/P999999999999",
                                     "\"leaf-01\"x/P29",
                                     "\"leaf-01\"/U2/P29",
                                     "leaf-01/",
                                     "/P1",
                                     "[1]",
                                     "\"",
                                     "\"\"",
                                     "\"\"/P1",
                                     "0x/P1",
                                     "0xzz/P1",
                                     "",
                                     "\"leaf-01/P29"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (ripstop_names_link(names, none[i], strlen(none[i])) != RIPSTOP_NONE) fail_msg("'%s' is a link", none[i]);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

static void nodes_have_many_names(void **state) {
  (void)state;
  ripstop_fabric *f = open_example();
  ripstop_names *names = ripstop_names_new(f);
  static const char *const leaf[] = {"S-506b4b0300a20000", "leaf-01", "\"leaf-01\"", "0x506b4b0300a20000"};
  for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++)
    assert_int_equal(ripstop_names_switch(names, leaf[i], strlen(leaf[i])), f->ends + 4);
  static const char *const end[] = {"H-506b4b0300c00000[1]", "H-506b4b0300c00000", "\"node001 mlx5_0\"",
                                    "0x506b4b0300c00001"};
  for (size_t i = 0; i < sizeof end / sizeof *end; i++)
    assert_int_equal(ripstop_names_end(names, end[i], strlen(end[i])), 0);
  assert_int_equal(ripstop_names_switch(names, "node001 mlx5_0", 14), RIPSTOP_NONE);
  assert_int_equal(ripstop_names_switch(names, "leaf-01/P1", 10), RIPSTOP_NONE);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* Two switches of one description, and one whose description ends like a port. */
static void what_several_are_called_is_no_name(void **state) {
  (void)state;
  ripstop_fabric *f = open_text(
      "Switch 4 \"S-a\" # \"twin\"\n[1] \"S-b\"[1]\n[2] \"H-a\"[1]\n\nSwitch 4 \"S-b\" # \"twin\"\n[1] \"S-a\"[1]\n"
      "[2] \"S-c\"[1]\n\nSwitch 4 \"S-c\" # \"rack/7\"\n[1] \"S-b\"[2]\n\nCa 1 \"H-a\"\n[1] \"S-a\"[2]\n");
  ripstop_names *names = ripstop_names_new(f);
  assert_int_equal(ripstop_names_switch(names, "twin", 4), RIPSTOP_NONE);
  assert_int_equal(ripstop_names_link(names, "\"twin\"/P1", 9), RIPSTOP_NONE);
  assert_int_equal(ripstop_names_switch(names, "rack/7", 6), 3);
  assert_int_not_equal(ripstop_names_link(names, "rack/7/P1", 9), RIPSTOP_NONE);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ fault sets */

static void set_has(const char *line, uint32_t links, uint32_t switches, uint32_t slows) {
  ripstop_fabric *f = open_example();
  ripstop_names *names = ripstop_names_new(f);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  ripstop_error err = {0};
  if (ripstop_faults_parse(arena, names, line, strlen(line), &faults, &err) != 0) fail_msg("%s: %s", line, err.text);
  if (faults.links != links || faults.switches != switches || faults.slows != slows)
    fail_msg("%s: %u links, %u switches, %u slow", line, faults.links, faults.switches, faults.slows);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

static void sets_take_descriptions_and_patterns(void **state) {
  (void)state;
  set_has("\"leaf-01\"/P29 switch:\"spine-3\" \"node001 mlx5_0\"", 2, 1, 0);
  set_has("switch:leaf-*", 0, 4, 0);
  set_has("leaf-*", 0, 4, 0);
  set_has("switch:*", 0, 8, 0);
  set_has("spine-1/P*", 8, 0, 0);
  set_has("\"spine-1\"/P*", 8, 0, 0);
  set_has("spine-?/P1", 4, 0, 0);
  set_has("\"node00? mlx5_*\"/P1", 18, 0, 0);
  set_has("spine-2/P*~0.5 switch:leaf-01", 0, 1, 7);
  set_has("S-506b4b0300a10000[*]", 8, 0, 0);
  set_has("0x506b4b0300a10000/*", 8, 0, 0);
  set_has("switch:0x506b4b0300a2*", 0, 4, 0);
  set_has("leaf-*~0.5", 0, 0, 79); /* only links can be slow: all of the leaves */
}

static void set_refused(const char *line, const char *message) {
  ripstop_fabric *f = open_example();
  ripstop_names *names = ripstop_names_new(f);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  ripstop_error err = {0};
  assert_int_equal(ripstop_faults_parse(arena, names, line, strlen(line), &faults, &err), -1);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' has no '%s'", err.text, message);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

static void wrong_names_bring_the_nearest(void **state) {
  (void)state;
  set_refused("\"laef-01\"/P29", "did you mean '\"leaf-01\"/P29'?");
  set_refused("switch:\"spine-9\"", "did you mean 'switch:\"spine-1\"'?");
  set_refused("0x506b4b0300a20001/29", "did you mean '0x506b4b0300a20000/29'?");
  set_refused("switch:0x506b4b0300a20001", "did you mean 'switch:0x506b4b0300a20000'?");
  set_refused("leaf-01", "did you mean the switch 'switch:leaf-01'?");
  set_refused("node001 mlx5_0/P1", "has blanks and needs quotes: '\"node001 mlx5_0\"'");
  set_refused("core-*", "no link or switch of");
  set_refused("switch:core-*", "no switch of");
  set_refused("leaf-01/P29 leaf-01/P*", "named twice");
  set_refused("core-*~0.5", "no link or switch");
  set_refused("leaf-*~2", "a rate is a number");
  set_refused("leaf-01/P29@7", "only schedules carry @CYCLE");
}

static void schedules_take_descriptions(void **state) {
  (void)state;
  ripstop_fabric *f =
      open_text("Switch 4 \"S-a\" # \"a @ ~ b\"\n[1] \"H-a\"[1]\n\nCa 1 \"H-a\" # \"h\"\n[1] \"S-a\"[1]\n");
  ripstop_names *names = ripstop_names_new(f);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_schedule schedule;
  ripstop_error err = {0};
  static const char text[] = "\"a @ ~ b\"/P1@50 \"a @ ~ b\"/P1+@60 \"h\"~0.5@70 switch:\"a @ ~ b\"@80";
  if (ripstop_schedule_parse(arena, names, text, sizeof text - 1, &schedule, &err) != 0) fail_msg("%s", err.text);
  assert_int_equal(schedule.count, 4);
  assert_int_equal(schedule.change[2].rate, 500);
  assert_true(schedule.change[3].is_switch);
  ripstop_arena_free(arena);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ rates */

static void views_begin_with_the_rates_of_cables(void **state) {
  (void)state;
  ripstop_fabric *f = open_example();
  ripstop_names *names = ripstop_names_new(f);
  uint32_t slow = ripstop_names_link(names, "leaf-03/P33", 11), fast = ripstop_names_link(names, "leaf-03/P34", 11);
  ripstop_view *view = ripstop_view_new(f, NULL), *copy = ripstop_view_copy(view);
  assert_int_equal(ripstop_view_rate(view, slow), 250);
  assert_int_equal(ripstop_view_rate(copy, slow), 250);
  assert_int_equal(ripstop_view_rate(view, fast), RIPSTOP_RATE_FULL);
  ripstop_view_apply(view, &(ripstop_change){.id = slow, .up = false});
  ripstop_view_apply(view, &(ripstop_change){.id = slow, .up = true});
  assert_int_equal(ripstop_view_rate(view, slow), 250); /* repaired, it is the cable that it was */
  ripstop_view_apply(view, &(ripstop_change){.id = slow, .up = true, .rate = 100});
  assert_int_equal(ripstop_view_rate(view, slow), 100);
  ripstop_view_free(copy);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_have_many_names),
      cmocka_unit_test(nodes_have_many_names),
      cmocka_unit_test(what_several_are_called_is_no_name),
      cmocka_unit_test(sets_take_descriptions_and_patterns),
      cmocka_unit_test(wrong_names_bring_the_nearest),
      cmocka_unit_test(schedules_take_descriptions),
      cmocka_unit_test(views_begin_with_the_rates_of_cables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
