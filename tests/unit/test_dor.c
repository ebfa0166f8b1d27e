/* test_dor.c - dimension order on tori: what its links carry under uniform traffic, counted over all pairs without
 * rounding, and what the two options for settling a tie half-way round an even ring leave of its promises.
 *
 * Of N end nodes on a torus N/k lie in each layer across a ring of k switches. A link of it carries, for each of N/k
 * pairs of layers, 1 + 2 + .. hops of all in its direction: N/k x k x k/8 packets where k is even and ties are halved,
 * N/k x (k x k - 1)/8 where k is odd. */
#include "fabric/torus.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

enum { HALVES = 64, PORTS_MOST = 4096 }; /* a packet of this weight can be halved in six dimensions */

typedef struct count {
  stand stand;
  const ripstop_fabric *fabric;
  ripstop_torus torus;
  uint64_t load[PORTS_MOST]; /* by port, in packets x HALVES */
} count;

/* Follows a packet's weight from this head on; each of two candidates gets half. */
static void send(count *c, ripstop_head head, uint64_t weight, uint32_t hops) {
  ripstop_candidate candidate[2];
  assert_true(hops <= 64);
  int candidates = ripstop_route(c->stand.plan, &head, candidate);
  assert_in_range(candidates, 1, 2);
  for (int i = 0; i < candidates; i++) {
    uint32_t port = c->fabric->port_base[head.node] + candidate[i].port, in = c->fabric->peer[port];
    ripstop_head next = head;
    next.node = c->fabric->port_node[in];
    next.in_port = in - c->fabric->port_base[next.node];
    next.channel = candidate[i].channel;
    c->load[port] += weight / (uint64_t)candidates;
    if (next.node != head.destination) send(c, next, weight / (uint64_t)candidates, hops + 1);
  }
}

static count *count_all(const char *spec, const char *method) {
  ripstop_error err;
  count *c = ripstop_realloc(NULL, 1, sizeof *c);
  *c = (count){.fabric = ripstop_fabric_open(spec, &err)};
  if (!c->fabric) fail_msg("%s", err.text);
  assert_true(c->fabric->ports <= PORTS_MOST);
  assert_true(ripstop_torus_from(c->fabric, &c->torus));
  c->stand = stand_on(c->fabric, method, NULL);
  for (uint32_t from = 0; from < c->fabric->ends; from++)
    for (uint32_t to = 0; to < c->fabric->ends; to++)
      if (from != to)
        send(c, (ripstop_head){.node = from, .in_port = RIPSTOP_NONE, .source = from, .destination = to}, HALVES, 0);
  return c;
}

static void count_free(count *c) {
  stand_close(&c->stand);
  ripstop_fabric_free((ripstop_fabric *)c->fabric);
  ripstop_free(c);
}

/* Packets x HALVES that a link of dimension d carries in either direction. */
static uint64_t fair(const count *c, uint32_t d) {
  uint64_t k = c->torus.size[d], n = c->fabric->ends;
  return n * (k * k - k % 2) * HALVES / (8 * k);
}

static void every_link_carries_its_share(const char *spec, const char *method) {
  count *c = count_all(spec, method);
  for (uint32_t node = c->fabric->ends; node < c->fabric->nodes; node++)
    for (uint32_t port = 0; port < 2 * c->torus.dimensions; port++) {
      uint64_t load = c->load[c->fabric->port_base[node] + port];
      if (load != fair(c, port / 2))
        fail_msg("%s, %s, port %u of %u: %g packets", spec, method, port, node, (double)load / HALVES);
    }
  count_free(c);
}

static void both_directions_carry_the_same(void **state) {
  (void)state;
  static const char *const fabrics[] = {"torus:4",   "torus:5",     "torus:6",  "torus:8x8",
                                        "torus:6x4", "torus:4x5x6", "torus:7x2"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) every_link_carries_its_share(fabrics[i], "dor");
  every_link_carries_its_share("torus:6x6", "dor:dateline=on");
  every_link_carries_its_share("torus:6x6", "dor:bubble=on");
}

/* With parity, every second router sends half-way round upwards. These routes tile a ring of 4, 8, .. switches. On a
 * ring of 6, 10, .. the links cannot carry equal loads, but the directions do. */
static void parity_balances_too(void **state) {
  (void)state;
  static const char *const tiled[] = {"torus:4", "torus:8x8", "torus:4x12", "torus:5x4"};
  for (size_t i = 0; i < sizeof tiled / sizeof *tiled; i++)
    every_link_carries_its_share(tiled[i], "dor:halfway=parity");
  count *c = count_all("torus:6x10", "dor:halfway=parity");
  uint64_t sum[4] = {0};
  for (uint32_t node = c->fabric->ends; node < c->fabric->nodes; node++)
    for (uint32_t port = 0; port < 4; port++) sum[port] += c->load[c->fabric->port_base[node] + port];
  for (uint32_t port = 0; port < 4; port++) assert_true(sum[port] == c->fabric->ends * fair(c, port / 2));
  count_free(c);
}

/* ------------------------------------------------------------------ one failed link */

static int candidates_at(const ripstop_plan *plan, uint32_t node, uint32_t to, ripstop_candidate *candidate) {
  return ripstop_route(plan, &(ripstop_head){.node = node, .in_port = 2, .destination = to}, candidate);
}

/* A ring of 6 whose link from 0 to 1 has failed. */
static void a_tie_passes_by_a_failed_link(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:6", &err);
  const ripstop_faults dead = {.links = 1, .link = &fabric->link_ends};
  stand either = stand_on(fabric, "dor", &dead), parity = stand_on(fabric, "dor:halfway=parity", &dead);
  ripstop_candidate candidate[2];
  assert_int_equal(candidates_at(either.plan, fabric->ends, 3, candidate), 1);
  assert_int_equal(candidate[0].port, 1);
  assert_int_equal(candidates_at(either.plan, fabric->ends, 2, candidate), -1); /* no tie */
  assert_int_equal(candidates_at(either.plan, fabric->ends + 2, 5, candidate), 2);
  assert_int_equal(candidates_at(parity.plan, fabric->ends, 3, candidate), -1);
  assert_int_equal(candidates_at(parity.plan, fabric->ends + 3, 0, candidate), 1);
  assert_int_equal(candidate[0].port, 1);
  stand_close(&either);
  stand_close(&parity);
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ deadlock */

static bool deadlocks(const char *spec, const char *method) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  stand s = stand_on(fabric, method, NULL);
  ripstop_prover *prover = ripstop_prover_new(fabric);
  ripstop_proof proof;
  if (!prover || ripstop_prover_prove(prover, s.plan, &proof, &err)) fail_msg("%s", err.text);
  bool free_of = proof.deadlock_free;
  ripstop_prover_free(prover);
  stand_close(&s);
  ripstop_fabric_free(fabric);
  return !free_of;
}

static void rings_fill_without_a_cure(void **state) {
  (void)state;
  static const char *const cured[] = {"dor:dateline=on", "dor:bubble=on", "dor:dateline=on,halfway=parity",
                                      "dor:bubble=on,halfway=parity"};
  static const char *const fabrics[] = {"torus:4", "torus:6", "torus:8", "torus:4x4", "torus:6x5", "torus:8x4"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    assert_true(deadlocks(fabrics[i], "dor"));
    for (size_t m = 0; m < sizeof cured / sizeof *cured; m++) assert_false(deadlocks(fabrics[i], cured[m]));
  }
  assert_true(deadlocks("torus:5", "dor:halfway=parity"));
  assert_true(deadlocks("torus:6", "dor:halfway=parity"));
  assert_false(deadlocks("torus:4x4", "dor:halfway=parity")); /* two hops from 0 and 2 only: they do not meet */
  assert_false(deadlocks("torus:3x3", "dor"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_directions_carry_the_same),
      cmocka_unit_test(parity_balances_too),
      cmocka_unit_test(a_tie_passes_by_a_failed_link),
      cmocka_unit_test(rings_fill_without_a_cure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
