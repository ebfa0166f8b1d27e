/* test_fabric_tree_names.c - links of fat trees named from both ends (paper 001, section 5.2: SW<l', c'>_k' and SW<l,
 * c>_k with l' = l+1 name one link): every link by its upper switch and down port, and what is no such name. */
#include <string.h>

#include "check.h"
#include "fabric/inner.h"
#include "fabric/tree.h"
#include "ripstop/plugin/faults.h"

static uint32_t link_called(const ripstop_names *names, const char *text) {
  return ripstop_names_link(names, text, strlen(text));
}

static void every_link_has_a_name_at_each_end(void **state) {
  (void)state;
  static const char *const specs[] = {"kary-ntree:k=2,n=4", "kary-ntree:k=3,n=3",  "kary-ntree:k=4,n=2",
                                      "kary-ntree:k=4,n=1", "mport-ntree:m=4,n=3", "mport-ntree:m=24,n=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    ripstop_names *names = ripstop_names_new(f);
    for (uint32_t link = f->link_ends; link < f->links; link++) {
      char lower[RIPSTOP_NAME_MAX], upper[RIPSTOP_NAME_MAX], text[RIPSTOP_NAME_MAX + 16];
      uint32_t port = f->link_port[2 * link + 1], node = f->port_node[port];
      ripstop_link_name(f, link, lower);
      ripstop_node_name(f, node, upper);
      snprintf(text, sizeof text, "%s/%u", upper, port - f->port_base[node]);
      assert_int_equal(link_called(names, lower), link);
      assert_int_equal(link_called(names, text), link);
      assert_int_not_equal(strcmp(lower, text), 0);
    }
    ripstop_names_free(names);
    ripstop_fabric_free(f);
  }
}

static void what_is_no_name_of_a_link(void **state) {
  (void)state;
  static const char *const texts[] = {"0/2.1/1",  "1/2.1/2/", "1/2.1/", "1/2.1/01",  "1/4.1/0",  "1/2.2/0",
                                      "2/2.1/0",  "3/1.1/0",  "1/2/0",  "1/2.1.0/0", "1/2.1/0x", "1/2.1/4294967297",
                                      "1/-2.1/0", "",         "/2.1/0", "2/1.1/4"};
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("mport-ntree:m=4,n=3", &err);
  ripstop_names *names = ripstop_names_new(f);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (link_called(names, texts[i]) != RIPSTOP_NONE) fail_msg("'%s' is a link", texts[i]);
  assert_int_equal(link_called(names, "1/2.1/1"), link_called(names, "0/2.1/3")); /* the paper's example */
  assert_int_not_equal(link_called(names, "2/1.1/3"), RIPSTOP_NONE);
  assert_string_equal(ripstop_names_nearest_link(names, "0/2.1/33", 8), "0/2.1/3");
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_link_has_a_name_at_each_end),
                                     cmocka_unit_test(what_is_no_name_of_a_link)};
  return cmocka_run_group_tests_name("tree names", tests, NULL, NULL);
}
