/* updown.c - the usual routing of fat trees: adaptive up, the one path down (k-ary n-trees: Petrini and Vanneschi 1995;
 * m-port n-trees: paper 001, section 4). A switch knows only of its own failed ports: it avoids them in the up phase; a
 * failed link in the down phase loses the packet.
 *
 * Up/down order never turns up after down, so one virtual channel is free of deadlock under any faults. */
#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

enum { NO_UP, NO_DOWN, CUT_OFF };
static const char *const losses[] = {
    [NO_UP] = "no healthy up link", [NO_DOWN] = "the one down link is dead", [CUT_OFF] = "source cut off", NULL};

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_tree *tree = RIPSTOP_NEW(p->arena, ripstop_tree);
  if (!ripstop_tree_from(p->fabric, tree))
    return ripstop_does_not_apply(err, "updown is for fat trees, not for %s", p->fabric->spec);
  p->data = tree;
  p->channels = 1;
  p->by_node = true;
  p->candidates_max = tree->half;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_tree *tree = p->data;
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  if (ripstop_is_end(p->fabric, head->node)) {
    candidates[0] = (ripstop_candidate){.port = 0, .space = 1};
    return up[0] ? 1 : -(1 + CUT_OFF);
  }
  if (ripstop_tree_above(tree, head->node, head->destination)) {
    uint32_t port = ripstop_tree_down_port(tree, ripstop_tree_level(tree, head->node), head->destination);
    candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
    return up[port] ? 1 : -(1 + NO_DOWN);
  }
  int count = ripstop_candidates_up(up, ripstop_tree_first_up(tree), ripstop_tree_ups(tree, head->node),
                                    (ripstop_candidate){.space = 1}, candidates);
  return count ? count : -(1 + NO_UP);
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  (void)fabric;
  (void)config;
  *out = (ripstop_guarantees){.tolerates = 0, .minimal = true, .deadlock_free = true, .symmetric = true};
}

const ripstop_method ripstop_method_updown = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "updown",
    .summary = "fat trees: adaptive up, the one path down; loses packets at a failed down link",
    .source = "paper 001, section 4",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
};
