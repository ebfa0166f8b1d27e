/* test_docs_walk.c - what docs/methods/misroute.md says of single packets: each row of its example is compared with the
 * method, and the set that deadlocks delivers every pair when a packet is alone. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "ripstop/plugin/method.h"

#define PAGE RIPSTOP_SOURCE_DIR "/docs/methods/misroute.md"

typedef struct tree {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_view *view;
  ripstop_plan *plan;
} tree;

static tree open_tree(const char *fabric, const char *faults_text) {
  ripstop_error err;
  ripstop_faults faults;
  tree t = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(fabric, &err)};
  assert_non_null(t.fabric);
  t.names = ripstop_names_new(t.fabric);
  assert_int_equal(ripstop_faults_parse(t.arena, t.names, faults_text, strlen(faults_text), &faults, &err), 0);
  t.view = ripstop_view_new(t.fabric, &faults);
  t.plan = ripstop_plan_compile(t.view, "misroute", NULL, &err);
  assert_non_null(t.plan);
  return t;
}

static void close_tree(tree *t) {
  ripstop_plan_free(t->plan);
  ripstop_view_free(t->view);
  ripstop_names_free(t->names);
  ripstop_fabric_free(t->fabric);
  ripstop_arena_free(t->arena);
}

/* The cells of a row of a table; the row is cut up. */
static int split(char *row, char *cell[], int most) {
  int count = 0;
  for (char *end; count < most && (end = strchr(row + 1, '|')) != NULL; row = end) {
    char *from = row + 1 + strspn(row + 1, " `"), *to = end;
    while (to > from && strchr(" `", to[-1])) to--;
    *to = '\0';
    cell[count++] = from;
  }
  return count;
}

static uint32_t number(const char *text) { return (uint32_t)strtoul(text, NULL, 10); }

static uint32_t find_node(const tree *t, const char *name) {
  bool end = strncmp(name, "end:", 4) == 0;
  uint32_t node = end ? ripstop_names_end(t->names, name + 4, strlen(name + 4))
                      : ripstop_names_switch(t->names, name, strlen(name));
  if (node == RIPSTOP_NONE) fail_msg("no node %s", name);
  return node;
}

typedef struct example {
  const char *fabric, *faults, *source, *destination;
  const char *title; /* title of the page's section that has the table */
} example;

/* Each row is what the method answers, and the last one leads to the destination. */
static void check_example(const example *e) {
  tree t = open_tree(e->fabric, e->faults);
  ripstop_error err;
  char *page, *cell[8];
  size_t length;
  assert_int_equal(ripstop_read_file(t.arena, PAGE, 1 << 20, &page, &length, &err), 0);
  ripstop_head head = {.in_port = RIPSTOP_NONE,
                       .source = ripstop_names_end(t.names, e->source, strlen(e->source)),
                       .destination = ripstop_names_end(t.names, e->destination, strlen(e->destination))};
  head.node = head.source;
  char *row = strstr(page, e->title);
  assert_non_null(row);
  row = strstr(row, "\n| 0 | ");
  assert_non_null(row);
  for (uint32_t hop = 0; *++row == '|'; hop++) {
    char *next = strchr(row, '\n');
    *next = '\0';
    assert_int_equal(split(row, cell, 8), 7);
    assert_int_equal(number(cell[0]), hop);
    assert_int_equal(find_node(&t, cell[1]), head.node);
    if (hop) assert_int_equal(number(cell[2]), head.in_port);
    assert_int_equal(strtoull(cell[3], NULL, 2), head.header);
    ripstop_candidate candidates[16];
    int count = ripstop_route(t.plan, &head, candidates), taken = -1;
    ripstop_text permitted = {0};
    for (int i = 0; i < count; i++) {
      ripstop_text_add(&permitted, "%s%u", i ? ", " : "", candidates[i].port);
      if (candidates[i].port == number(cell[5])) taken = i;
    }
    assert_string_equal(permitted.data, cell[4]);
    ripstop_text_free(&permitted);
    assert_true(taken >= 0);
    uint32_t peer = t.fabric->peer[t.fabric->port_base[head.node] + candidates[taken].port];
    head.node = t.fabric->port_node[peer];
    head.in_port = peer - t.fabric->port_base[head.node];
    head.header = candidates[taken].header;
    row = next;
  }
  assert_int_equal(head.node, head.destination);
  close_tree(&t);
}

static void test_the_examples_are_true(void **state) {
  (void)state;
  check_example(&(example){"kary-ntree:k=3,n=2", "0/1/3 0/1/4", "0.0", "1.2", "\n## An example\n"});
  check_example(
      &(example){"kary-ntree:k=4,n=3", "1/3.0/4 1/3.0/5 1/3.0/6", "0.0.0", "3.0.0", "\n## Figure 2 of the paper\n"});
}

static void test_the_deadlock_needs_several_packets(void **state) {
  (void)state;
  tree t = open_tree("kary-ntree:k=3,n=2", "0/0/3 0/1/4 0/2/5");
  for (uint32_t from = 0; from < t.fabric->ends; from++)
    for (uint32_t to = 0; to < t.fabric->ends; to++) {
      ripstop_delivery d;
      ripstop_error err;
      if (from == to) continue;
      assert_int_equal(ripstop_plan_deliver(t.plan, from, to, 100000, &d, &err), 0);
      assert_true(d.every_choice);
    }
  close_tree(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_examples_are_true),
      cmocka_unit_test(test_the_deadlock_needs_several_packets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
