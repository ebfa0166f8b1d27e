/* uturn.c - the hops of deterministic rerouting (uturn.h).
 *
 * Invariant of the header's lower RIPSTOP_UTURN_HEADER_BITS: they are 0, or the vector of the U-turn switch that the
 * packet has left upwards or is about to reach again (bit i stands for up port half + i) and, from bit ROUND on, how
 * often that switch has started over.
 *
 * Repairs leave bits that are no longer true, and a packet could be discarded although few links are down at once. So a
 * U-turn switch that has tried all up links forgets all tries, the link of arrival included, and starts over, at most
 * rounds - 1 times in a row. While the failed links stay the same set of fewer than half, a whole round cannot fail, so
 * each failed round has seen a change (tests/unit/test_misroute_rounds.c). */
#include "methods/shared/uturn.h"

enum { ROUND = RIPSTOP_UTURN_UPS_MAX };
#define VECTOR    ((UINT64_C(1) << ROUND) - 1)
#define MISROUTED ((UINT64_C(1) << RIPSTOP_UTURN_HEADER_BITS) - 1)

const char *const ripstop_uturn_order_words[] = {[RIPSTOP_UTURN_CYCLIC] = "cyclic",
                                                 [RIPSTOP_UTURN_LOWEST] = "lowest",
                                                 [RIPSTOP_UTURN_DIGIT] = "digit",
                                                 [RIPSTOP_UTURN_ANY] = "any",
                                                 NULL};

const char *const ripstop_uturn_up_order_words[] = {
    [RIPSTOP_UTURN_UP_NEXT] = "next", [RIPSTOP_UTURN_UP_SPREAD] = "spread", NULL};

const char *const ripstop_uturn_base_words[] = {[RIPSTOP_UTURN_DETERMINISTIC] = "deterministic",
                                                [RIPSTOP_UTURN_ADAPTIVE] = "adaptive",
                                                [RIPSTOP_UTURN_SOURCE] = "source",
                                                NULL};

enum { NO_UP, NO_DOWN, ALL_TRIED, CUT_OFF };
const char *const ripstop_uturn_losses[] = {[NO_UP] = "no healthy up link",
                                            [NO_DOWN] = "no healthy down link",
                                            [ALL_TRIED] = "all up links tried",
                                            [CUT_OFF] = "source cut off",
                                            NULL};

ripstop_answer ripstop_uturn_prepare(ripstop_plan *plan, const char *method, ripstop_uturn_order order,
                                     ripstop_uturn_up_order up_order, uint32_t rounds, ripstop_uturn *out,
                                     ripstop_error *err) {
  *out = (ripstop_uturn){.order = order, .up_order = up_order, .rounds = rounds};
  const ripstop_tree *tree = &out->tree;
  if (!ripstop_tree_from(plan->fabric, &out->tree))
    return ripstop_does_not_apply(err, "%s is for fat trees, not for %s", method, plan->fabric->spec);
  if (tree->half > RIPSTOP_UTURN_UPS_MAX)
    return ripstop_does_not_apply(err, "%s: a vector of %u bits does not fit the header's %d", method, tree->half,
                                  RIPSTOP_UTURN_UPS_MAX);
  out->hops_max = tree->top_ports;
  out->siblings = RIPSTOP_ARRAY(plan->arena, tree->levels, uint32_t);
  for (uint32_t level = 0, count = 1; level < tree->levels; level++, count *= tree->half) out->siblings[level] = count;
  return RIPSTOP_APPLIES;
}

uint32_t ripstop_uturn_headers(const ripstop_uturn *u) {
  uint64_t random_headers = 1;
  for (uint32_t level = 0; level + 1 < u->tree.levels && random_headers <= RIPSTOP_UTURN_HEADERS_MAX; level++)
    random_headers *= u->tree.half;
  return random_headers <= RIPSTOP_UTURN_HEADERS_MAX ? (uint32_t)random_headers : 0;
}

/* A number whose digits below the top level determine the up ports. */
static uint32_t candidate_up(const ripstop_uturn *u, const ripstop_head *head) {
  return u->base == RIPSTOP_UTURN_SOURCE ? (uint32_t)(head->header >> RIPSTOP_UTURN_DRAW_BIT) : head->destination;
}

/* The first up port that is up, cyclically from digit `from` on, whose bit in `tried` is not set; RIPSTOP_NONE:
 * none. */
static uint32_t next_up(const ripstop_tree *tree, const uint8_t *up, uint32_t from, uint64_t tried) {
  for (uint32_t step = 0; step < tree->half; step++) {
    uint32_t i = (from + step) % tree->half;
    if (!(tried >> i & 1) && up[tree->half + i]) return tree->half + i;
  }
  return RIPSTOP_NONE;
}

/* A hash of two numbers: the finaliser of MurmurHash3 (Appleby, public domain). */
static uint32_t hash_pair(uint32_t a, uint32_t b) {
  uint64_t x = (uint64_t)a << 32 | b;
  x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
  x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return (uint32_t)((x ^ x >> 33) >> 32);
}

/* The digit from which a packet searches an up port that is up. The input port stands for the source, which methods do
 * not read. */
static uint32_t first_up(const ripstop_uturn *u, const ripstop_head *head, const uint8_t *up, uint32_t digit) {
  const uint32_t half = u->tree.half;
  if (u->up_order == RIPSTOP_UTURN_UP_NEXT || up[half + digit] || half == 1) return digit;
  const uint32_t input = head->node * 2 * half + head->in_port;
  return (digit + 1 + hash_pair(input, head->destination) % (half - 1)) % half;
}

static int go_up_anywhere(const ripstop_tree *tree, const uint8_t *up, ripstop_uturn_hop *hops) {
  int count = 0;
  for (uint32_t port = tree->half; port < 2 * tree->half; port++)
    if (up[port]) hops[count++] = (ripstop_uturn_hop){.port = (uint16_t)port, .step = RIPSTOP_UTURN_PLAIN};
  return count ? count : -(1 + NO_UP);
}

static int go_up(const ripstop_uturn *u, const ripstop_head *head, const uint8_t *up, ripstop_uturn_hop *hops) {
  const ripstop_tree *tree = &u->tree;
  if (u->base == RIPSTOP_UTURN_ADAPTIVE) return go_up_anywhere(tree, up, hops);
  uint32_t digit = candidate_up(u, head) / u->siblings[ripstop_tree_level(tree, head->node)] % tree->half;
  uint32_t port = next_up(tree, up, first_up(u, head, up, digit), 0);
  if (port == RIPSTOP_NONE) return -(1 + NO_UP);
  hops[0] = (ripstop_uturn_hop){.port = (uint16_t)port,
                                .step = port == tree->half + digit ? RIPSTOP_UTURN_PLAIN : RIPSTOP_UTURN_ASIDE};
  return 1;
}

/* The up links of a U-turn switch that are not in `tried`. */
static int try_up(const ripstop_uturn *u, const ripstop_head *head, const uint8_t *up, uint64_t tried, uint64_t round,
                  ripstop_uturn_hop *hops) {
  const ripstop_tree *tree = &u->tree;
  uint32_t from = 0;
  int count = 0;
  if (u->order == RIPSTOP_UTURN_CYCLIC) from = head->in_port - tree->half + 1;
  if (u->order == RIPSTOP_UTURN_DIGIT)
    from = ripstop_tree_down_port(tree, ripstop_tree_level(tree, head->node), head->destination);
  for (uint64_t left = tried;;) {
    uint32_t port = next_up(tree, up, from, left);
    if (port == RIPSTOP_NONE) break;
    hops[count++] =
        (ripstop_uturn_hop){.header = tried | round << ROUND, .port = (uint16_t)port, .step = RIPSTOP_UTURN_RISE};
    if (u->order != RIPSTOP_UTURN_ANY) break;
    left |= UINT64_C(1) << (port - tree->half);
  }
  return count;
}

/* A packet that came from above and has to go up is at its U-turn switch. */
static int turn_up(const ripstop_uturn *u, const ripstop_head *head, const uint8_t *up, ripstop_uturn_hop *hops) {
  uint64_t came = UINT64_C(1) << (head->in_port - u->tree.half), round = (head->header & MISROUTED) >> ROUND;
  int count = try_up(u, head, up, (head->header & VECTOR) | came, round, hops);
  if (count == 0 && round + 1 < u->rounds) count = try_up(u, head, up, 0, round + 1, hops);
  return count ? count : -(1 + ALL_TRIED);
}

/* The link towards the destination is down. Below level 0 there is no detour, because end nodes do not forward. */
static int go_around(const ripstop_tree *tree, const ripstop_head *head, const uint8_t *up, uint32_t ports, bool retry,
                     ripstop_uturn_hop *hops) {
  if (ripstop_tree_level(tree, head->node) == 0) return -(1 + NO_DOWN);
  if (retry && up[head->in_port]) {
    hops[0] = (ripstop_uturn_hop){
        .header = head->header & MISROUTED, .port = (uint16_t)head->in_port, .step = RIPSTOP_UTURN_BACK};
    return 1;
  }
  uint32_t downs = ports - ripstop_tree_ups(tree, head->node);
  int count = 0;
  for (uint32_t port = 0; port < downs; port++)
    if (up[port]) hops[count++] = (ripstop_uturn_hop){.port = (uint16_t)port, .step = RIPSTOP_UTURN_AWAY};
  return count ? count : -(1 + NO_DOWN);
}

int ripstop_uturn_hops(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head,
                       ripstop_uturn_hop *hops) {
  const ripstop_tree *tree = &u->tree;
  const uint8_t *up = &plan->view->port_up[plan->fabric->port_base[head->node]];
  if (ripstop_is_end(plan->fabric, head->node)) {
    hops[0] = (ripstop_uturn_hop){.port = 0, .step = RIPSTOP_UTURN_PLAIN};
    return up[0] ? 1 : -(1 + CUT_OFF);
  }
  bool from_above = ripstop_tree_is_up(tree, head->node, head->in_port);
  if (!ripstop_tree_above(tree, head->node, head->destination))
    return from_above ? turn_up(u, head, up, hops) : go_up(u, head, up, hops);
  uint32_t down = ripstop_tree_down_port(tree, ripstop_tree_level(tree, head->node), head->destination);
  bool retry = !from_above && (head->header & MISROUTED);
  if (!up[down]) return go_around(tree, head, up, ripstop_node_ports(plan->fabric, head->node), retry, hops);
  hops[0] = (ripstop_uturn_hop){.port = (uint16_t)down, .step = retry ? RIPSTOP_UTURN_FALL : RIPSTOP_UTURN_PLAIN};
  return 1;
}

/* Among the switches above the source or above the destination, the original path passes those whose digits below their
 * own level are those of the up path, because the up ports set them so. An adaptive packet is on some fault-free route
 * wherever it is not in the middle of a U-turn, which leads it to the switch behind the failed link. */
bool ripstop_uturn_on_original_path(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head) {
  if (ripstop_is_end(plan->fabric, head->node)) return true;
  bool above = ripstop_tree_above(&u->tree, head->node, head->destination);
  if (!above && ripstop_tree_is_up(&u->tree, head->node, head->in_port)) return false;
  if (u->base == RIPSTOP_UTURN_ADAPTIVE) return !(head->header & MISROUTED);
  uint32_t siblings = u->siblings[ripstop_tree_level(&u->tree, head->node)];
  return (head->node - u->tree.ends) % siblings == candidate_up(u, head) % siblings;
}

uint32_t ripstop_uturn_tolerates(const ripstop_fabric *fabric) {
  ripstop_tree tree;
  return ripstop_tree_from(fabric, &tree) ? tree.half - 1 : 0;
}
