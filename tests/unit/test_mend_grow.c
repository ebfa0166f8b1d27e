/* test_mend_grow.c - the in-tree of one destination when channels have been decided on before: it goes around them, or
 * says that it cannot. */
#include "check.h"

#include "mend/grow.h"

enum { TO = 0, LANES = 1 };

typedef struct orchard {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  switch_graph net;
  mend_orders orders;
  ripstop_stream random;
  mend_grow grow;
  uint32_t *kept, *safe;
} orchard;

/* All turns of a tree of shortest routes are taken, and no others. */
static void plant_safe(orchard *o) {
  const switch_graph *net = &o->net;
  uint32_t *distance = RIPSTOP_ARRAY(o->arena, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++) distance[s] = RIPSTOP_NONE;
  switch_graph_search(net, TO, distance, net->queue);
  o->safe = RIPSTOP_ARRAY(o->arena, net->switches, uint32_t);
  for (uint32_t c = 0; c < net->channels; c++)
    if (distance[net->from[c]] == distance[net->to[c]] + 1) o->safe[net->from[c]] = c;
  for (uint32_t s = 0; s < net->switches; s++) {
    uint32_t next = net->to[o->safe[s]];
    if (s != TO && next != TO) o->orders.required[switch_graph_turn(net, o->safe[s], o->safe[next])] = LANES;
  }
}

static void plant(orchard *o) {
  ripstop_error err;
  *o = (orchard){.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open("torus:4x4", &err)};
  o->view = ripstop_view_new(o->fabric, NULL);
  o->random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  switch_graph_make(&o->net, o->view, (switch_graph_kind){0}, o->arena);
  mend_orders_make(&o->orders, &o->net, 1, o->arena);
  mend_grow_make(&o->grow, &o->orders, &o->random, o->arena);
  plant_safe(o);
  double *price = RIPSTOP_ARRAY(o->arena, o->net.channels, double);
  uint8_t *mask = RIPSTOP_ARRAY(o->arena, o->net.switches, uint8_t);
  o->kept = RIPSTOP_ARRAY(o->arena, o->net.switches, uint32_t);
  for (uint32_t c = 0; c < o->net.channels; c++) price[c] = 1;
  for (uint32_t s = 0; s < o->net.switches; s++) {
    mask[s] = LANES;
    o->kept[s] = RIPSTOP_NONE;
  }
  o->grow.turns = o->orders.required;
  o->grow.price = price;
  o->grow.safe = o->safe;
  o->grow.safe_mask = mask;
  o->grow.kept = o->kept;
}

static void clear(orchard *o) {
  ripstop_view_free(o->view);
  ripstop_fabric_free(o->fabric);
  ripstop_arena_free(o->arena);
}

static void the_safe_tree_is_found(void **state) {
  (void)state;
  orchard o;
  plant(&o);
  assert_true(mend_grow_tree(&o.grow, TO, LANES));
  for (uint32_t s = 0; s < o.net.switches; s++) assert_true(o.grow.mask[s] == LANES);
  clear(&o);
}

/* Two neighbours that lead to each other have no route, whatever else is tried. */
static void a_cycle_that_is_kept_has_no_tree(void **state) {
  (void)state;
  orchard o;
  plant(&o);
  uint32_t s = o.net.switches - 1, c = o.net.out[o.net.out_first[s]];
  assert_true(s != TO && o.net.to[c] != TO);
  o.kept[s] = c;
  o.kept[o.net.to[c]] = c ^ 1;
  assert_false(mend_grow_tree(&o.grow, TO, LANES));
  clear(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_safe_tree_is_found),
                                     cmocka_unit_test(a_cycle_that_is_kept_has_no_tree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
