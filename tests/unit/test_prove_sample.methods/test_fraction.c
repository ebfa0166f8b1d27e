/* test_fraction.c - a test's method that loses one packet in five for every pair, by its random number, and routes the
 * others as valiant does: registered methods replace a number that cannot serve. */
#include "methods/shared/detour.h"
#include "promises.h"

extern const ripstop_method ripstop_method_valiant;

enum { PERIOD = 5 };

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  bool is_lost = (head->header + head->source + head->destination) % PERIOD == 0;
  if (ripstop_is_end(p->fabric, head->node) && is_lost) return -(1 + SHORTEST_NO_PATH);
  return ripstop_method_valiant.route(p, head, candidates);
}

const ripstop_method ripstop_method_test_fraction = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "test-fraction",
    .summary = "loses one random number in five",
    .source = "a test",
    .options = ripstop_detour_options,
    .config_size = sizeof(shortest_config),
    .losses = ripstop_shortest_losses,
    .plan = ripstop_detour_plan,
    .route = route,
    .guarantees = promise_nothing,
    .by_source = true,
};
