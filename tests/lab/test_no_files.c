/* test_no_files.c - the library as the lab's page has it, with lab/no_files.c in place of what reads files by
 * libraries: what needs such a file is refused by one line, and everything else works. */
#include "check.h"

#include "fabric/graph.h"
#include "lab/scene.h"

static void xml_files_are_refused(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_graph graph = {.file = "a.graphml"};
  assert_int_equal(ripstop_graph_read_xml(&graph, "", 0, &err), -1);
  assert_string_equal(err.text, "a.graphml: the lab reads no files");
}

static void tables_are_refused(void **state) {
  (void)state;
  assert_int_equal(lab_open("fabric=torus:4x4\nmethod=tables:lfts=/etc/passwd\nload=0.1"), -1);
  assert_string_equal(lab_text(), "/etc/passwd: the lab reads no files");
}

static void the_rest_runs(void **state) {
  (void)state;
  assert_int_equal(lab_open("fabric=torus:4x4\nmethod=dor:bubble=on\nload=0.1\nmeasure.cycles=500\nmeasure.warmup=0"),
                   0);
  assert_int_equal(lab_run(1e9), 0);
  assert_true(lab_account(1) > 0);
  lab_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(xml_files_are_refused),
      cmocka_unit_test(tables_are_refused),
      cmocka_unit_test(the_rest_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
