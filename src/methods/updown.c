/* updown.c - the usual routing of fat trees: adaptive up, one way down (k-ary n-trees: Petrini and Vanneschi 1995;
 * m-port n-trees: paper 001, section 4). It knows nothing of faults but its own switch's dead ports: on the way up it
 * does not choose them, and on the way down a dead link loses the packet.
 *
 * Up/down order never turns up after down, so one channel is free of deadlock under any faults. */
#include "fabric/tree.h"
#include "ripstop/plan.h"

enum { NO_UP, NO_DOWN, CUT_OFF };
static const char *const losses[] = {
    [NO_UP] = "no healthy up link", [NO_DOWN] = "the one down link is dead", [CUT_OFF] = "source cut off", NULL};

static const rs_option options[] = {{0}};

static rs_answer plan(rs_plan *p, rs_error *err) {
  rs_tree *tree = RS_NEW(p->arena, rs_tree);
  if (!rs_tree_from(p->fabric, tree)) {
    rs_fail(err, "updown is for fat trees, not for %s", p->fabric->spec);
    return RS_DOES_NOT_APPLY;
  }
  p->data = tree;
  p->channels = 1;
  p->ways_max = tree->half;
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_tree *tree = p->data;
  const uint8_t *up = &p->view->port_up[p->fabric->port_base[head->node]];
  if (rs_is_end(p->fabric, head->node)) {
    ways[0] = (rs_way){.port = 0, .space = 1};
    return up[0] ? 1 : -(1 + CUT_OFF);
  }
  if (rs_tree_above(tree, head->node, head->destination)) {
    uint32_t port = rs_tree_down_port(tree, rs_tree_level(tree, head->node), head->destination);
    ways[0] = (rs_way){.port = (uint16_t)port, .space = 1};
    return up[port] ? 1 : -(1 + NO_DOWN);
  }
  int count = 0;
  for (uint32_t i = 0, port = rs_tree_first_up(tree); i < rs_tree_ups(tree, head->node); i++, port++)
    if (up[port]) ways[count++] = (rs_way){.port = (uint16_t)port, .space = 1};
  return count ? count : -(1 + NO_UP);
}

static void claims(const rs_fabric *fabric, const void *config, rs_claims *out) {
  (void)fabric;
  (void)config;
  *out = (rs_claims){.tolerates = 0, .minimal = true, .deadlock_free = true, .symmetric = true};
}

const rs_method rs_method_updown = {
    .abi = RS_METHOD_ABI,
    .name = "updown",
    .summary = "fat trees: adaptive up, the one way down; loses packets at a dead down link",
    .source = "paper 001, section 4",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = claims,
};
