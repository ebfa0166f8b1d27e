/* regular.c - finds single repairs after which all switches of a kind have as many cables, for fabrics whose family
 * leaves open where its cables end: dragonflies of no known arrangement.
 *
 * One mistake leaves two switches with another number of cables than all others of their kind. Those two leave few
 * places where it can be; the family's proposer must then explain every cable. */
#include "base/local.h"
#include "recognise/single_repair.h"

typedef struct uneven {
  uint32_t more[2], less[2]; /* switches with one cable too many, and with one too few */
  uint32_t mores, lesses, others;
} uneven;

static bool is_kind(const recognised_graph *net, uint32_t v, bool hosted) { return (net->hosts[v] > 0) == hosted; }

/* The most common number of cables of a kind, which switches with hosts or those without are. */
static uint32_t usual_of(const recognised_graph *net, bool hosted) {
  enum { CABLES_MAX = 1024 };
  uint32_t times[CABLES_MAX] = {0}, best = 0;
  for (uint32_t v = 0; v < net->switches; v++)
    if (is_kind(net, v, hosted) && recognised_cables(net, v) < CABLES_MAX) times[recognised_cables(net, v)]++;
  for (uint32_t i = 1; i < CABLES_MAX; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

static uneven find_uneven(const recognised_graph *net) {
  const uint32_t usual[] = {usual_of(net, false), usual_of(net, true)};
  uneven u = {0};
  for (uint32_t v = 0; v < net->switches; v++) {
    const uint32_t cables = recognised_cables(net, v), of = usual[net->hosts[v] > 0];
    if (cables == of) continue;
    if (cables == of + 1 && u.mores < 2)
      u.more[u.mores++] = v;
    else if (cables + 1 == of && u.lesses < 2)
      u.less[u.lesses++] = v;
    else
      u.others++;
  }
  return u;
}

/* Keeps the repair if the proposer explains every cable after it, and wants none beside. */
static void try_repair(ripstop_repairs *r, ripstop_propose *propose, ripstop_repair repair) {
  RIPSTOP_LOCAL_ARENA(scratch);
  recognised_graph net;
  ripstop_model model = {0};
  recognised_repaired(&net, r->net, &repair, scratch);
  if (propose(&net, &model)) {
    ripstop_model_compare(&model, &net);
    if (model.there == net.cables && model.wants == net.cables && model.unplaced == 0)
      ripstop_repairs_keep(r, &repair, NULL);
  }
}

void ripstop_repairs_add_regular(ripstop_repairs *r, ripstop_propose *propose) {
  const recognised_graph *net = r->net;
  const uneven u = find_uneven(net);
  const uint32_t none = RIPSTOP_NONE, c = u.more[0], b = u.less[0];
  if (u.others > 0 || u.mores + u.lesses != 2) return;
  if (u.lesses == 2) try_repair(r, propose, (ripstop_repair){none, none, u.less[0], u.less[1]});
  if (u.mores == 2 && recognised_between(net, u.more[0], u.more[1]) > 0)
    try_repair(r, propose, (ripstop_repair){u.more[0], u.more[1], none, none});
  for (uint32_t i = net->first[c]; u.mores == 1 && i < net->first[c + 1]; i++)
    if (net->near[i].node != b) try_repair(r, propose, (ripstop_repair){net->near[i].node, c, net->near[i].node, b});
}
