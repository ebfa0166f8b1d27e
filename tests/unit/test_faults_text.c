/* test_faults_text.c - fault sets and schedules as text: what is read, what is printed, and what is refused with which
 * words. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fabric/graph.h"
#include "ripstop/plugin/faults.h"

typedef struct fixture {
  ripstop_fabric *f;
  ripstop_names *names;
  ripstop_arena *arena;
} fixture;

static int set_up(void **state) {
  fixture *x = calloc(1, sizeof *x);
  ripstop_error err = {0};
  x->f = ripstop_fabric_open("kary-ntree:k=4,n=3", &err);
  x->names = ripstop_names_new(x->f);
  x->arena = ripstop_arena_new();
  *state = x;
  return 0;
}

static int tear_down(void **state) {
  fixture *x = *state;
  ripstop_arena_free(x->arena);
  ripstop_names_free(x->names);
  ripstop_fabric_free(x->f);
  free(x);
  return 0;
}

static uint32_t link_of(const fixture *x, const char *name) { return ripstop_names_link(x->names, name, strlen(name)); }
static uint32_t switch_of(const fixture *x, const char *name) {
  return ripstop_names_switch(x->names, name, strlen(name));
}

/* Writes a file in the present directory, which is the test's own. */
static const char *write_file(const char *text) {
  static char path[] = "test_faults_text.tmp";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

/* ------------------------------------------------------------------ sets */

static void a_line_is_a_set(void **state) {
  fixture *x = *state;
  ripstop_error err = {0};
  ripstop_faults set;
  const char line[] = " switch:1/0.0\t1/3.3/7 0/2.1/4 end:3.2.1 switch:0/2.1  # the rest is silence: 0/0.0/4\r";
  assert_int_equal(ripstop_faults_parse(x->arena, x->names, line, strlen(line), &set, &err), 0);
  assert_int_equal(set.links, 3);
  assert_int_equal(set.switches, 2);
  assert_int_equal(set.link[0], link_of(x, "end:3.2.1"));
  assert_int_equal(set.link[1], link_of(x, "0/2.1/4"));
  assert_int_equal(set.link[2], link_of(x, "1/3.3/7"));
  assert_int_equal(set.switch_[0], switch_of(x, "0/2.1"));
  assert_int_equal(set.switch_[1], switch_of(x, "1/0.0"));
  ripstop_text text = {0};
  ripstop_faults_print(&text, x->f, &set);
  assert_string_equal(text.data, "end:3.2.1 0/2.1/4 1/3.3/7 switch:0/2.1 switch:1/0.0");
  ripstop_text_free(&text);
}

static void links_can_be_slow(void **state) {
  fixture *x = *state;
  ripstop_error err = {0};
  ripstop_faults set;
  const char line[] = "1/3.3/7~.50 0/2.1/4 end:3.2.1~0.01 0/2.1/5~0.999";
  assert_int_equal(ripstop_faults_parse(x->arena, x->names, line, strlen(line), &set, &err), 0);
  assert_int_equal(set.links, 1);
  assert_int_equal(set.slows, 3);
  assert_true(set.slow[0].link == link_of(x, "end:3.2.1") && set.slow[0].rate == 10);
  assert_true(set.slow[2].link == link_of(x, "1/3.3/7") && set.slow[2].rate == 500);
  ripstop_text text = {0};
  ripstop_faults_print(&text, x->f, &set);
  assert_string_equal(text.data, "0/2.1/4 end:3.2.1~0.01 0/2.1/5~0.999 1/3.3/7~0.5");
  ripstop_text_free(&text);

  ripstop_view *view = ripstop_view_new(x->f, &set), *copy = ripstop_view_copy(view);
  ripstop_view_apply(view, &(ripstop_change){.id = set.slow[2].link, .up = true});
  assert_int_equal(ripstop_view_rate(view, set.slow[2].link), RIPSTOP_RATE_FULL);
  assert_int_equal(ripstop_view_rate(copy, set.slow[2].link), 500);
  assert_true(view->epoch == 0 && view->failed_links == 1 && view->link_up[set.slow[2].link]);
  ripstop_view_apply(view, &(ripstop_change){.id = set.link[0], .up = true, .rate = 250});
  assert_true(view->epoch == 1 && view->failed_links == 0 && ripstop_view_rate(view, set.link[0]) == 250);
  ripstop_view_free(view);
  ripstop_view_free(copy);
  assert_int_equal(ripstop_cycles_at(500, 4), 8);
  assert_int_equal(ripstop_cycles_at(300, 3), 10);
  assert_int_equal(ripstop_cycles_at(333, 1), 4);
  assert_int_equal(ripstop_cycles_at(RIPSTOP_RATE_FULL, 7), 7);
}

static void nothing_is_the_fault_free_set(void **state) {
  fixture *x = *state;
  ripstop_error err = {0};
  const char *const lines[] = {"", "   ", "# nothing broken"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    ripstop_faults set = {.links = 7};
    assert_int_equal(ripstop_faults_parse(x->arena, x->names, lines[i], strlen(lines[i]), &set, &err), 0);
    assert_int_equal(set.links + set.switches, 0);
    ripstop_text text = {0};
    ripstop_faults_print(&text, x->f, &set);
    assert_string_equal(text.data, "");
    ripstop_text_free(&text);
  }
}

static void wrong_sets_are_refused(void **state) {
  fixture *x = *state;
  const struct {
    const char *line, *message;
  } cases[] = {
      {"0/2.1/9", "no link '0/2.1/9' in kary-ntree:k=4,n=3; did you mean '0/2.1/4'?"},
      {"0/2.1/4 0/2.1/5 0/2.1/4", "'0/2.1/4' is named twice"},
      {"switch:0/2.1 switch:0/2.1", "'switch:0/2.1' is named twice"},
      {"switch:0/2.9", "no switch '0/2.9' in kary-ntree:k=4,n=3; did you mean 'switch:0/2.0'?"},
      {"0/2.1", "did you mean the switch 'switch:0/2.1'?"},
      {"swich:0/2.1", "no link 'swich:0/2.1' in kary-ntree:k=4,n=3; did you mean 'switch:0/2.1'?"},
      {"gruop:rack1", "did you mean 'group:rack1'?"},
      {"switch:", "no switch ''"},
      {"switch:3.2.1", "no switch '3.2.1'"},
      {"0/2.1/4@5000", "only schedules carry @CYCLE"},
      {"@", "only schedules carry @CYCLE"},
      {"something-else-altogether", "no link 'something-else-altogether' in kary-ntree:k=4,n=3"},
      {"0/2.1/4\x01", "no link '0/2.1/4?'"},
      {"0/2.1/9~0.5", "no link '0/2.1/9' in kary-ntree:k=4,n=3; did you mean '0/2.1/4'?"},
      {"switch:0/2.1~0.5", "'switch:0/2.1~0.5': only links can be slow"},
      {"0/2.1/4~", "'0/2.1/4~': a rate is a number from 0.01 to 0.999 with at most three digits behind the point"},
      {"0/2.1/4~1", "not '1'"},
      {"0/2.1/4~0.009", "not '0.009'"},
      {"0/2.1/4~0.3333", "not '0.3333'"},
      {"0/2.1/4~0.9999", "not '0.9999'"},
      {"0/2.1/4~-0.5", "not '-0.5'"},
      {"0/2.1/4~half", "not 'half'"},
      {"0/2.1/4~nan", "not 'nan'"},
      {"0/2.1/4~0.5~0.5", "not '0.5~0.5'"},
      {"0/2.1/4~0.5 0/2.1/4", "'0/2.1/4' is named twice"},
      {"0/2.1/4~0.5 0/2.1/4~0.25", "'0/2.1/4' is named twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_faults set;
    ripstop_error err = {0};
    assert_int_equal(ripstop_faults_parse(x->arena, x->names, cases[i].line, strlen(cases[i].line), &set, &err), -1);
    if (strstr(err.text, cases[i].message) == NULL) fail_msg("'%s' does not contain '%s'", err.text, cases[i].message);
  }
}

/* '#' opens a comment only where a word starts, because parallel links have it in their names. */
static void twins_have_a_number_sign(void **state) {
  fixture *x = *state;
  static const char edges[] = "a b\na b\nb c\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("twins", edges, sizeof edges - 1, &err);
  ripstop_names *names = ripstop_names_new(f);
  ripstop_faults set;
  const char line[] = "a--b#2 #a--b";
  assert_int_equal(ripstop_faults_parse(x->arena, names, line, strlen(line), &set, &err), 0);
  assert_int_equal(set.links, 1);
  assert_int_equal(set.link[0], 4);
  const char turned[] = "b--a#2", none[] = "c--a";
  assert_int_equal(ripstop_faults_parse(x->arena, names, turned, strlen(turned), &set, &err), -1);
  assert_non_null(strstr(err.text, "no link 'b--a#2' in graph:twins"));
  assert_non_null(strstr(err.text, "; did you mean 'a--b#2'?"));
  assert_int_equal(ripstop_faults_parse(x->arena, names, none, strlen(none), &set, &err), -1);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

static void a_file_is_a_list_of_sets(void **state) {
  fixture *x = *state;
  ripstop_error err = {0};
  ripstop_faults *sets = NULL;
  size_t count = 0;
  const char *path = write_file("# three sets\n0/0.0/4\n\n  # indented\n0/0.0/5 0/0.0/6 # two\n");
  assert_int_equal(ripstop_faults_read(x->arena, x->names, path, &sets, &count, &err), 0);
  assert_int_equal(count, 3);
  assert_int_equal(sets[0].links, 1);
  assert_int_equal(sets[1].links, 0);
  assert_int_equal(sets[2].links, 2);
  assert_int_equal(ripstop_faults_read(x->arena, x->names, write_file("0/0.0/4\n0/0.0/5"), &sets, &count, &err), 0);
  assert_int_equal(count, 2); /* the last line may lack its end */
  assert_int_equal(ripstop_faults_read(x->arena, x->names, write_file(""), &sets, &count, &err), 0);
  assert_int_equal(count, 0);

  count = 77;
  path = write_file("0/0.0/4\n# comment\n0/0.0/3\n");
  assert_int_equal(ripstop_faults_read(x->arena, x->names, path, &sets, &count, &err), -1);
  assert_non_null(strstr(err.text, "test_faults_text.tmp:3: no link '0/0.0/3'"));
  assert_int_equal(count, 77);
  remove(path);
  assert_int_equal(ripstop_faults_read(x->arena, x->names, path, &sets, &count, &err), -1);
  assert_non_null(strstr(err.text, path));
}

/* ------------------------------------------------------------------ schedules */

static void a_schedule_is_sorted_by_cycle(void **state) {
  fixture *x = *state;
  ripstop_error err = {0};
  ripstop_schedule s;
  const char text[] = "0/2.1/4+@9000 # mended\n0/2.1/4@5000\nswitch:1/0.0@70 end:0.0.0@70\n0/0.0/4@5000 0/0.0/4+@5000";
  assert_int_equal(ripstop_schedule_parse(x->arena, x->names, text, strlen(text), &s, &err), 0);
  ripstop_text out = {0};
  ripstop_schedule_print(&out, x->f, &s);
  assert_string_equal(out.data, "switch:1/0.0@70 end:0.0.0@70 0/2.1/4@5000 0/0.0/4@5000 0/0.0/4+@5000 0/2.1/4+@9000");
  assert_int_equal(s.count, 6);
  assert_true(s.change[0].is_switch && !s.change[0].up && s.change[0].cycle == 70);
  assert_int_equal(s.change[0].id, switch_of(x, "1/0.0"));
  assert_true(!s.change[5].is_switch && s.change[5].up && s.change[5].id == link_of(x, "0/2.1/4"));

  ripstop_schedule again;
  ripstop_text second = {0};
  assert_int_equal(ripstop_schedule_parse(x->arena, x->names, out.data, out.length, &again, &err), 0);
  ripstop_schedule_print(&second, x->f, &again);
  assert_string_equal(second.data, out.data);
  ripstop_text_free(&second);
  ripstop_text_free(&out);

  assert_int_equal(ripstop_schedule_parse(x->arena, x->names, "", 0, &s, &err), 0);
  assert_int_equal(s.count, 0);
}

static void repairs_need_something_failed(void **state) {
  fixture *x = *state;
  const struct {
    const char *schedule, *faults, *message; /* NULL: fine */
  } cases[] = {
      {"", "", NULL},
      {"0/2.1/4@5 0/2.1/4+@6", "", NULL},
      {"0/2.1/4+@5 0/2.1/4@6 0/2.1/4+@7", "0/2.1/4", NULL},
      {"0/2.1/4+@5", "", "'0/2.1/4' is repaired at cycle 5 while it is up"},
      {"0/2.1/4+@5 switch:0/2.1+@6", "0/2.1/4", "'switch:0/2.1' is repaired at cycle 6 while it is up"},
      {"0/2.1/4+@5 switch:0/2.1+@6", "0/2.1/4 switch:0/2.1", NULL},
      {"0/2.1/4@5 0/2.1/4+@6", "0/2.1/4", NULL}, /* it was already down */
      {"0/2.1/4~0.5@5 0/2.1/4+@6", "", NULL},
      {"0/2.1/4~0.5@5 0/2.1/4@6 0/2.1/4~0.5@7", "", NULL},
      {"0/2.1/4~0.5@5", "0/2.1/4", NULL},
      {"0/2.1/4+@5", "0/2.1/4~0.25", NULL},
      {"0/2.1/4~0.25@5", "0/2.1/4~0.25", "'0/2.1/4~0.25' at cycle 5: it has this rate already"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_schedule s;
    ripstop_faults faults;
    ripstop_error err = {0};
    const char *text = cases[i].schedule, *set = cases[i].faults;
    assert_int_equal(ripstop_schedule_parse(x->arena, x->names, text, strlen(text), &s, &err), 0);
    assert_int_equal(ripstop_faults_parse(x->arena, x->names, set, strlen(set), &faults, &err), 0);
    assert_int_equal(ripstop_schedule_check(&s, x->f, &faults, &err), cases[i].message ? -1 : 0);
    if (cases[i].message) assert_string_equal(err.text, cases[i].message);
    if (!*set) assert_int_equal(ripstop_schedule_check(&s, x->f, NULL, &err), cases[i].message ? -1 : 0);
  }
}

static void wrong_schedules_are_refused(void **state) {
  fixture *x = *state;
  const struct {
    const char *text, *message;
  } cases[] = {
      {"\n0/2.1/4", "line 2: '0/2.1/4' has no @CYCLE"},
      {"0/2.1/4@", "line 1: '0/2.1/4@': a number is missing"},
      {"0/2.1/4@-1", "'-1' is not a whole number"},
      {"0/2.1/4@5@6", "'5@6' is not a whole number"},
      {"0/2.1/4@99999999999999999999", "is more than"},
      {"0/2.1/4@11111111111111111111111111111111111111111111111111", "too many digits"},
      {"@5", "no link ''"},
      {"+@5", "no link ''"},
      {"\n\n0/2.1/3@5", "line 3: no link '0/2.1/3' in kary-ntree:k=4,n=3; did you mean"},
      {"0/2.1/4@5\n0/2.1/4@6", "line 2: '0/2.1/4' fails at cycle 6 while it is down already"},
      {"0/2.1/4+@6\n0/2.1/4+@7", "line 2: '0/2.1/4' is repaired at cycle 7 while it is up"},
      {"0/2.1/4@6\n0/2.1/4+@7 0/2.1/4+@9", "line 2: '0/2.1/4' is repaired at cycle 9 while it is up"},
      {"switch:0/2.1@5\n#\nswitch:0/2.1@5", "line 3: 'switch:0/2.1' fails at cycle 5 while it is down already"},
      {"0/2.1/4~0.5@5 0/2.1/4~0.25@6\n0/2.1/4~0.25@7", "line 2: '0/2.1/4~0.25' at cycle 7: it has this rate already"},
      {"0/2.1/4~0.5@5 0/2.1/4+@6\n0/2.1/4+@7", "line 2: '0/2.1/4' is repaired at cycle 7 while it is up"},
      {"0/2.1/4~0.5+@5", "'0/2.1/4~0.5+@5' is either repaired or slow"},
      {"0/2.1/4~2@5", "a rate is a number from 0.01 to 0.999"},
      {"switch:0/2.1~0.5@5", "only links can be slow"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_schedule s;
    ripstop_error err = {0};
    assert_int_equal(ripstop_schedule_parse(x->arena, x->names, cases[i].text, strlen(cases[i].text), &s, &err), -1);
    if (strstr(err.text, cases[i].message) == NULL) fail_msg("'%s' does not contain '%s'", err.text, cases[i].message);
  }
  ripstop_schedule s;
  ripstop_error err = {0};
  const char embedded[] = "0/2.1/4@5\0006";
  assert_int_equal(ripstop_schedule_parse(x->arena, x->names, embedded, sizeof embedded - 1, &s, &err), -1);
  const char *path = write_file("# one\n0/2.1/4@5 0/2.1/4@6\n");
  assert_int_equal(ripstop_schedule_read(x->arena, x->names, path, &s, &err), -1);
  assert_non_null(strstr(err.text, "test_faults_text.tmp:2: '0/2.1/4' fails"));
  assert_int_equal(ripstop_schedule_read(x->arena, x->names, write_file("0/2.1/4@5\n0/2.1/4+@6\n"), &s, &err), 0);
  assert_int_equal(s.count, 2);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_line_is_a_set, set_up, tear_down),
      cmocka_unit_test_setup_teardown(links_can_be_slow, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_is_the_fault_free_set, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_sets_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(twins_have_a_number_sign, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_file_is_a_list_of_sets, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_schedule_is_sorted_by_cycle, set_up, tear_down),
      cmocka_unit_test_setup_teardown(repairs_need_something_failed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_schedules_are_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("faults as text", tests, NULL, NULL);
}
