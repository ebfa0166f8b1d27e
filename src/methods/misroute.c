/* misroute.c - R_m of "Dynamic Fault Tolerance with Misrouting in Fat Trees" (paper 000, section 3.1). Packets go up
 * adaptively. At a failed down link a packet takes one hop down over another link, to the U-turn switch, and up again
 * over another link, until it meets a switch with a healthy link towards the destination. A vector in the header, one
 * bit per up link, says which links the U-turn switch has tried. No extra virtual channel.
 *
 * The numbers in `route` are the paper's steps. Readings where its text is open (docs/methods/misroute.md):
 *   - The first misroute may use any healthy down port, the arrival link's included (`first_misroute_back`).
 *   - A switch in the up phase without a healthy up link discards; failed up links count as tried in step 6.
 *   - The vector is cleared once a healthy next link is reached, or when the link back has just failed (step 5).
 *   - A waiting packet stays adaptive; `choose=early` shows the effect of settling early.
 *   - No up link comes before others (step 1); `prefer=destination` lends R_m the preference of valleys.
 *
 * The paper has no repairs. Repairs leave bits that are no longer true, so a packet could be discarded although few
 * links are down at once. Rule (`rounds`): a U-turn switch that has tried all up links forgets all tries, the link of
 * arrival included, and starts over, at most rounds - 1 times in a row. While the failed links stay the same set of
 * fewer than half, a whole round cannot fail (Lemma 1). So each failed round has seen a change, and fewer than `rounds`
 * changes lose nothing (exhaustively: tests/unit/test_misroute_rounds.c).
 *
 * Invariant of the header: it is 0, or the vector of the U-turn switch that the packet has left upwards or is about to
 * reach again (bit i stands for up port half + i) and, from bit ROUND on, how often that switch has started over. */
#include "fabric/digits.h"
#include "fabric/tree.h"
#include "methods/shared/uturn.h"
#include "ripstop/plugin/method.h"

typedef enum { UTURN_ANY, UTURN_CYCLIC } uturn_order;
typedef enum { CHOOSE_LATE, CHOOSE_EARLY } choose_time;
typedef enum { PREFER_ANY, PREFER_DESTINATION } preference;

typedef struct config {
  bool vector, first_misroute_back, inform;
  int32_t uturn, choose, prefer;
  int64_t rounds;
} config;

enum { ROUND = 56 }; /* most bits of the vector */

typedef struct table {
  ripstop_tree tree;
  uint32_t *broken; /* [brokens]: switches with a failed down link, in ascending order */
  uint32_t brokens;
} table;

static const char *const uturn_words[] = {[UTURN_ANY] = "any", [UTURN_CYCLIC] = "cyclic", NULL};
static const char *const choose_words[] = {[CHOOSE_LATE] = "late", [CHOOSE_EARLY] = "early", NULL};
static const char *const prefer_words[] = {[PREFER_ANY] = "any", [PREFER_DESTINATION] = "destination", NULL};
static const ripstop_option options[] = {
    RIPSTOP_FLAG(config, vector, "on",
                 "misroute vector in the header (steps 3 to 6); off: the first version, which tolerates one fault"),
    RIPSTOP_WORD(config, uturn, uturn_words, "any",
                 "up port that the U-turn switch tries next: any untried one (step 4), or the next in cyclic order"),
    RIPSTOP_FLAG(config, first_misroute_back, "on",
                 "the first misroute may go back down the link on which the packet came up"),
    RIPSTOP_WORD(config, choose, choose_words, "late",
                 "when a packet settles on one of its candidates: at its grant, or early, when it becomes the head of "
                 "its queue"),
    RIPSTOP_FLAG(config, inform, "off",
                 "a switch that discards a packet informs its source (step 6); a transport then resends it immediately",
                 .later = true),
    RIPSTOP_WORD(
        config, prefer, prefer_words, "any",
        "up port that a packet takes first while it goes up: any, or the one that all packets to its destination "
        "take without faults",
        .later = true),
    RIPSTOP_UTURN_ROUNDS(config),
    {0}};

enum { NO_UP, NO_DOWN, ALL_TRIED, CUT_OFF };
static const char *const losses[] = {[NO_UP] = "no healthy up link",
                                     [NO_DOWN] = "no healthy down link",
                                     [ALL_TRIED] = "all up links tried",
                                     [CUT_OFF] = "source cut off",
                                     NULL};

static const ripstop_tree *tree_of(const ripstop_plan *p) { return &((const table *)p->data)->tree; }

static bool is_whole_below(const ripstop_plan *p, uint32_t node) {
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[node]];
  const uint32_t downs = ripstop_node_ports(p->fabric, node) - ripstop_tree_ups(tree_of(p), node);
  for (uint32_t port = 0; port < downs; port++)
    if (!up[port]) return false;
  return true;
}

static void list_broken(const ripstop_plan *p, table *t) {
  const ripstop_fabric *f = p->fabric;
  if (p->view->failed_links + p->view->failed_switches == 0) return;
  t->broken = RIPSTOP_ARRAY(p->arena, f->nodes - f->ends, uint32_t);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    if (!is_whole_below(p, node)) t->broken[t->brokens++] = node;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  table *t = RIPSTOP_NEW(p->arena, table);
  ripstop_tree *tree = &t->tree;
  if (!ripstop_tree_from(p->fabric, tree))
    return ripstop_does_not_apply(err, "misroute is for fat trees, not for %s", p->fabric->spec);
  if (tree->half > ROUND)
    return ripstop_does_not_apply(err, "misroute: a vector of %u bits does not fit the header's %d", tree->half, ROUND);
  p->data = t;
  list_broken(p, t);
  p->channels = 1;
  p->candidates_max = tree->top_ports > tree->half ? tree->top_ports : tree->half;
  p->informs = c->inform;
  p->choose_early = c->choose == CHOOSE_EARLY;
  p->bubble = c->prefer == PREFER_DESTINATION;
  return RIPSTOP_APPLIES;
}

/* Step 1 with `prefer=destination`: all healthy up links, cyclically from the destination's own. The others need space
 * for two packets, so that no packet takes the last place of a queue that is the own one of others. */
static int go_up_by_destination(const ripstop_tree *tree, const ripstop_head *head, const uint8_t *up,
                                ripstop_candidate *candidates) {
  const uint32_t ups = ripstop_tree_ups(tree, head->node), first = ripstop_tree_first_up(tree);
  const uint32_t own = ripstop_tree_down_port(tree, ripstop_tree_level(tree, head->node), head->destination);
  int count = 0;
  for (uint32_t step = 0; step < ups; step++) {
    const uint32_t port = first + (own + step) % ups;
    if (!up[port]) continue;
    candidates[count] = (ripstop_candidate){.port = (uint16_t)port, .rank = count > 0, .space = count > 0 ? 2 : 1};
    count++;
  }
  return count;
}

/* Step 1: all healthy up links. */
static int go_up(const ripstop_tree *tree, const config *c, const ripstop_head *head, const uint8_t *up,
                 ripstop_candidate *candidates) {
  int count = c->prefer == PREFER_DESTINATION
                  ? go_up_by_destination(tree, head, up, candidates)
                  : ripstop_candidates_up(up, ripstop_tree_first_up(tree), ripstop_tree_ups(tree, head->node),
                                          (ripstop_candidate){.space = 1}, candidates);
  return count ? count : -(1 + NO_UP);
}

/* Steps 3 and 4 at a U-turn switch: healthy up links that are not in `tried`, cyclically from the one after `came`. */
static int try_up(const ripstop_tree *tree, const config *c, const ripstop_head *head, const uint8_t *up,
                  uint64_t tried, ripstop_candidate *candidates) {
  uint32_t ups = ripstop_tree_ups(tree, head->node), came = head->in_port - ripstop_tree_first_up(tree);
  int count = 0;
  for (uint32_t step = 1; step <= ups; step++) {
    uint32_t i = (came + step) % ups, port = ripstop_tree_first_up(tree) + i;
    if (tried >> i & 1 || !up[port]) continue;
    candidates[count++] = (ripstop_candidate){
        .header = c->vector ? tried : 0, .port = (uint16_t)port, .space = 1, .marks = RIPSTOP_MARK_DOWN};
    if (c->uturn == UTURN_CYCLIC) break;
  }
  return count;
}

/* Steps 3, 4 and 6: this is the U-turn switch. */
static int turn_up(const ripstop_tree *tree, const config *c, const ripstop_head *head, const uint8_t *up,
                   ripstop_candidate *candidates) {
  uint64_t came = UINT64_C(1) << (head->in_port - ripstop_tree_first_up(tree)), round = head->header >> ROUND;
  int count = try_up(tree, c, head, up, head->header | came, candidates);
  if (count == 0 && round + 1 < (uint64_t)c->rounds)
    count = try_up(tree, c, head, up, (round + 1) << ROUND, candidates);
  return count ? count : -(1 + ALL_TRIED);
}

/* Steps 2 and 5 at an ancestor of the destination whose link towards it is down. Below level 0 there is no detour,
 * because end nodes do not forward. */
static int go_around(const ripstop_tree *tree, const config *c, const ripstop_head *head, const uint8_t *up,
                     uint32_t ports, ripstop_candidate *candidates) {
  if (ripstop_tree_level(tree, head->node) == 0) return -(1 + NO_DOWN);
  bool from_below = !ripstop_tree_is_up(tree, head->node, head->in_port);
  if (from_below && head->header && up[head->in_port]) {
    candidates[0] = (ripstop_candidate){
        .header = head->header, .port = (uint16_t)head->in_port, .space = 1, .marks = RIPSTOP_MARK_DOWN};
    return 1;
  }
  uint32_t downs = ports - ripstop_tree_ups(tree, head->node);
  int count = 0;
  for (uint32_t port = 0; port < downs; port++)
    if (up[port] && (c->first_misroute_back || port != head->in_port))
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)port, .space = 1, .marks = RIPSTOP_MARK_DOWN};
  return count ? count : -(1 + NO_DOWN);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_tree *tree = tree_of(p);
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  if (ripstop_is_end(p->fabric, head->node)) {
    candidates[0] = (ripstop_candidate){.port = 0, .space = 1};
    return up[0] ? 1 : -(1 + CUT_OFF);
  }
  if (!ripstop_tree_above(tree, head->node, head->destination)) {
    if (ripstop_tree_is_up(tree, head->node, head->in_port)) return turn_up(tree, p->config, head, up, candidates);
    return go_up(tree, p->config, head, up, candidates);
  }
  uint32_t down = ripstop_tree_down_port(tree, ripstop_tree_level(tree, head->node), head->destination);
  if (!up[down]) return go_around(tree, p->config, head, up, ripstop_node_ports(p->fabric, head->node), candidates);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)down, .space = 1};
  return 1;
}

/* ------------------------------------------------------------------ R'_m
 *
 * The routing subfunction of section 3.2: at a U-turn switch it supplies the candidates that lead into a subtree that
 * is fault-free at the stage of the switch; elsewhere it supplies all. */

/* Switch `upper` is in the subtree that the switch `node` reaches by up port half + i: digits below node's level are
 * node's own, digit `level` is i, higher ones are any. */
static bool is_in_subtrees(const ripstop_tree *tree, const ripstop_fabric *f, uint32_t node, uint32_t i,
                           uint32_t upper) {
  const uint16_t *own = ripstop_coords(f, node), *other = ripstop_coords(f, upper);
  const uint32_t level = ripstop_tree_level(tree, node);
  for (uint32_t digit = 0; digit < level; digit++)
    if (own[digit] != other[digit]) return false;
  return other[level] == i;
}

/* Definition 11: no link of stages `level` .. `last` fails in those subtrees. Stage s is between levels s and s + 1. */
static bool is_fault_free(const ripstop_plan *p, uint32_t node, uint32_t i, uint32_t last) {
  const table *t = p->data;
  const uint32_t level = ripstop_tree_level(&t->tree, node);
  for (uint32_t k = 0; k < t->brokens; k++) {
    const uint32_t above = ripstop_tree_level(&t->tree, t->broken[k]);
    if (above > level && above <= last + 1 && is_in_subtrees(&t->tree, p->fabric, node, i, t->broken[k])) return false;
  }
  return true;
}

static int supply(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate, int count,
                  bool whole) {
  const ripstop_tree *tree = tree_of(p);
  const uint32_t level = ripstop_tree_level(tree, head->node);
  if (ripstop_tree_above(tree, head->node, head->destination) || !ripstop_tree_is_up(tree, head->node, head->in_port))
    return count;
  int kept = 0;
  for (int k = 0; k < count; k++)
    if (is_fault_free(p, head->node, candidate[k].port - ripstop_tree_first_up(tree), whole ? tree->levels - 2 : level))
      candidate[kept++] = candidate[k];
  return kept;
}

static int supply_stage(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate, int count) {
  return supply(p, head, candidate, count, false);
}

static int supply_subtree(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidate, int count) {
  return supply(p, head, candidate, count, true);
}

static const ripstop_subfunction subfunctions[] = {
    {"stage", "R'_m: after a U-turn only into subtrees without a failed link of the U-turn's stage (Lemma 5)",
     supply_stage},
    {"subtree", "R'_m, by Definition 11 literally: without a failed link of that stage and all above it",
     supply_subtree},
    {0}};

/* Lemma 1, Theorem 2. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  const config *c = config_;
  ripstop_tree tree;
  *out = (ripstop_guarantees){.deadlock_free = c->choose == CHOOSE_LATE || c->uturn == UTURN_CYCLIC,
                              .symmetric = c->uturn == UTURN_ANY && c->prefer == PREFER_ANY};
  if (!ripstop_tree_from(fabric, &tree)) return;
  uint32_t most = tree.half - 1;
  if (!c->first_misroute_back && most > 0) most--;
  out->tolerates = c->vector || most < 1 ? most : 1;
}

const ripstop_method ripstop_method_misroute = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "misroute",
    .summary = "fat trees: R_m, adaptive misrouting by U-turns with a misroute vector in the header",
    .source = "paper 000, section 3.1",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .subfunctions = subfunctions,
};
