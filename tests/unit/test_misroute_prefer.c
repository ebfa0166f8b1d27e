/* test_misroute_prefer.c - `misroute:prefer=destination`: going up, a packet has every healthy up link as without the
 * option, first the one that all packets to its destination take, computed here from the destination's number. The
 * others have a higher rank and need space for two packets. */
#include "check.h"

#include "fabric/tree.h"
#include "ripstop/plan.h"
#include "ripstop/plugin/method.h"

static ripstop_plan *compile(const char *fabric, const char *failed, const char *method) {
  ripstop_error err = {0};
  ripstop_plan *plan = ripstop_plan_of(fabric, failed, method, &err);
  if (!plan) fail_msg("%s: %s", fabric, err.text);
  return plan;
}

/* The up port that D-mod-K gives packets to `end` at this level, or the next one that is up, cyclically. */
static uint32_t own_port(const ripstop_plan *plan, const ripstop_tree *t, uint32_t node, uint32_t end) {
  const uint8_t *up = &plan->view->port_up[plan->fabric->port_base[node]];
  uint32_t power = 1, i = 0;
  for (uint32_t level = ripstop_tree_level(t, node); level > 0; level--) power *= t->half;
  for (i = end / power % t->half; !up[t->half + i]; i = (i + 1) % t->half) {
  }
  return t->half + i;
}

static void check_head(const ripstop_plan *plan, const ripstop_plan *plain, const ripstop_tree *t, ripstop_head head) {
  ripstop_candidate got[16], all[16];
  const int count = ripstop_route(plan, &head, got);
  assert_int_equal(count, ripstop_route(plain, &head, all));
  assert_true(count > 0);
  assert_int_equal(got[0].port, own_port(plan, t, head.node, head.destination));
  uint64_t ports = 0;
  for (int i = 0; i < count; i++) {
    assert_int_equal(got[i].rank, i > 0);
    assert_int_equal(got[i].space, i > 0 ? 2 : 1);
    ports |= UINT64_C(1) << got[i].port;
  }
  for (int i = 0; i < count; i++) assert_true(ports >> all[i].port & 1);
}

static void check_tree(const char *fabric, const char *failed) {
  ripstop_plan *plan = compile(fabric, failed, "misroute:prefer=destination"),
               *plain = compile(fabric, failed, "misroute");
  const ripstop_fabric *f = plan->fabric;
  ripstop_tree t;
  assert_true(ripstop_tree_from(f, &t));
  uint32_t heads = 0;
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t end = 0; end < f->ends; end++) {
      if (ripstop_tree_above(&t, node, end)) continue;
      check_head(plan, plain, &t, (ripstop_head){.node = node, .in_port = 0, .source = 0, .destination = end});
      heads++;
    }
  assert_true(heads > 0);
  ripstop_plan_free(plan);
  ripstop_plan_free(plain);
}

static void test_whole(void **state) {
  (void)state;
  check_tree("kary-ntree:k=3,n=3", "");
  check_tree("mport-ntree:m=8,n=2", "");
}

static void test_failed_links(void **state) {
  (void)state;
  check_tree("kary-ntree:k=3,n=3", "0/0.0/3 0/1.0/5 1/0.2/4");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_failed_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
