/* test_graph_foreign.c - what is no edge list is refused by name: the files of tests/data/foreign, and lists near them
 * that are edge lists. */
#include <string.h>

#include "check.h"
#include "fabric/graph/graph.h"

static const char *path_of(ripstop_arena *arena, const char *name, int length) {
  return ripstop_arena_printf(arena, RIPSTOP_SOURCE_DIR "/tests/data/foreign/%.*s", length, name);
}

static void refuse(const char *path, const char *part) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_fabric_open(path, &err);
  if (f) fail_msg("%s is a fabric of %u end nodes", path, f->ends);
  if (!strstr(err.text, part)) fail_msg("'%s' does not contain '%s'", err.text, part);
  if (strchr(err.text, '\n') || !strstr(err.text, path)) fail_msg("'%s' is no line with the file", err.text);
}

static void files_of_others_are_refused_by_name(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  char *list;
  size_t length;
  unsigned files = 0;
  if (ripstop_read_file(arena, path_of(arena, "expected.txt", 12), 1 << 20, &list, &length, &err))
    fail_msg("%s", err.text);
  for (char *line = list, *next; line && *line; line = next, files++) {
    if ((next = strchr(line, '\n'))) *next++ = '\0';
    const char *tab = strchr(line, '\t');
    assert_non_null(tab);
    refuse(path_of(arena, line, (int)(tab - line)), tab + 1);
  }
  assert_true(files >= 50);
  ripstop_arena_free(arena);
}

static void take(const char *text, uint32_t ends, uint32_t links) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, strlen(text), &err);
  if (!f) fail_msg("%s", err.text);
  if (f->ends != ends || f->links != links) fail_msg("%u end nodes, %u links: %s", f->ends, f->links, text);
  ripstop_fabric_free(f);
}

static void edge_lists_near_them_are_taken(void **state) {
  (void)state;
  take("a b\n", 2, 3);
  take("1 2\n", 2, 3);
  take("a b\nc d\n", 4, 6); /* two planes */
  take("0 1\n1 2\n2 0\n", 3, 6);
  take("4 1\n1 2\n2 3\n3 4\n", 4, 8);  /* no counts: the first line says one edge */
  take("n0 n1\nn1 n2\nn2 n3\n", 4, 7); /* a chain, whatever its routers are called */
  take("h1 h2\nh2 h3\nh3 h1\n", 3, 6);
  take("@router host1\ns1 s2\nhost1 s1\n", 3, 5); /* it is said that it is a router */
  take("@end host1 s1\ns1 s2\n", 1, 2);
  take("tier 0 100G\n0 1\n", 3, 5);
  take("leaf1 spine1\nleaf2 spine1\n", 3, 5);
}

static void delays_of_booksim_are_of_one_way(void **state) {
  (void)state;
  ripstop_error err = {0};
  static const char text[] = "router 0 node 0 router 1 12\nrouter 1 node 1 router 0 7\n";
  assert_null(ripstop_graph_from_text("net", text, sizeof text - 1, &err));
  assert_non_null(strstr(err.text, "net:1: router 0 to router 1 takes 12 cycles and back 7"));
  take("router 0 node 0 router 1 6\nrouter 1 node 1 router 0 6\n", 2, 3);
  take("Router 0 Node 0 Router 1\nRouter 1 Node 1\n", 2, 3);
  take("node 0 router 0\nnode 1 router 1\nrouter 0 router 1\n", 2, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_others_are_refused_by_name),
      cmocka_unit_test(edge_lists_near_them_are_taken),
      cmocka_unit_test(delays_of_booksim_are_of_one_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
