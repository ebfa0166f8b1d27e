/* dragonfly_groups.h - dragonflies for their own methods: groups, and the global cables between them.
 *
 * Within a group every two routers are joined. So a packet for another group is at most one local link away from a
 * cable there, and behind it at most one from its destination.
 *
 * The plan is central: it knows every failed link. A cable is a candidate only if the packet can continue behind it. So
 * if a packet has a candidate, each of its candidates leads to its destination. */
#ifndef METHODS_SHARED_DRAGONFLY_GROUPS_H
#define METHODS_SHARED_DRAGONFLY_GROUPS_H

#include "fabric/digits.h"
#include "ripstop/plugin/method.h"

enum { GROUPS_NO_CABLE, GROUPS_NO_LOCAL, GROUPS_CUT_OFF };
extern const char *const ripstop_groups_losses[];

typedef struct groups_gate {
  uint32_t router; /* a node */
  uint32_t port;   /* the cable's port, numbered in the fabric */
} groups_gate;

typedef struct groups {
  uint32_t groups;
  bool whole;              /* all links between routers are up, and every two groups are joined */
  const uint8_t *up;       /* [ports] of the fabric */
  const uint32_t *first;   /* [groups * groups + 1]: first cable from one group to another */
  const groups_gate *gate; /* cables that are up, by router */
} groups;

static inline uint32_t groups_of(const ripstop_fabric *f, uint32_t node) { return ripstop_coords(f, node)[1]; }
static inline bool groups_joined(const groups *g, uint32_t from, uint32_t to) {
  return g->first[from * g->groups + to] < g->first[from * g->groups + to + 1];
}
/* The node that a packet comes from. */
static inline uint32_t groups_neighbour(const ripstop_plan *p, const ripstop_head *head) {
  return p->fabric->port_node[p->fabric->peer[p->fabric->port_base[head->node] + head->in_port]];
}

/* The group via which a packet at its source takes a detour; RIPSTOP_NONE: no group leads to its destination. Random
 * numbers stand for the groups other than the packet's own two. A hash replaces a group that cannot serve by one that
 * can. A pure function of random number, source and destination; without failed links all groups are equally likely. */
uint32_t ripstop_groups_over(const ripstop_plan *p, const ripstop_head *head);

/* For plans, whose data the groups become: does not apply to other fabrics. Sets `candidates_max` to the number of
 * candidates to one group. `over` also counts the candidates to a random group, and sets `draws`. */
ripstop_answer ripstop_groups_plan(ripstop_plan *p, uint32_t channels, ripstop_error *err);
ripstop_answer ripstop_groups_plan_over(ripstop_plan *p, uint32_t channels, ripstop_error *err);

/* The guarantees of methods with `over` and home_round: they tolerate 0 or 1 failed links. For one failed link every
 * router needs a cable to another group. If the failed link is local, the cable of the source's router or that of the
 * destination's router remains, and behind it the cables between groups. Otherwise all local links are up, and only the
 * pair's own cable has failed. Inside a group, two local links in place of one need a third router. */
void ripstop_groups_guarantees(const ripstop_fabric *f, const void *config, ripstop_guarantees *out);

/* Candidates to another group, over cables behind which at most one more group leads to the destination: cables of this
 * router, like `global`, and if `local` is not NULL routers of the group with such a cable, like `local`. Weights are
 * the links to the destination for packets to that group, plus `beyond`. Returns the number of candidates. */
int ripstop_groups_candidates(const ripstop_plan *p, const groups *g, const ripstop_head *head, uint32_t to,
                              uint32_t beyond, const ripstop_candidate *global, const ripstop_candidate *local,
                              ripstop_candidate *candidates);
/* The answer of route for a packet without a candidate: the cause, or GROUPS_CUT_OFF if the destination's own link is
 * down. */
int ripstop_groups_lost(const ripstop_plan *p, const ripstop_head *head, int cause);
/* In the destination's group: a candidate to its router, or to itself. As ripstop_method.route. */
int ripstop_groups_home(const ripstop_plan *p, const ripstop_head *head, uint8_t channel, ripstop_candidate *candidate);
/* The same for a packet that starts in its destination's group, on VC 0. If the local link is down, it goes via other
 * routers of the group and continues on a higher virtual channel. */
int ripstop_groups_home_round(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates);
/* Candidates at a router of a packet whose header is 0, for the minimal path, or 1 + the group via which it goes. Its
 * VC is the number of global links that it has taken: 0 to 2 where a path has two, so that channel dependencies have no
 * cycle. After a local link in one group it only takes cables of this router. `both`: at its first router a packet with
 * a group has the candidates of the minimal path too, in front of the others. *minimal: how many of them are minimal.
 */
int ripstop_groups_via(const ripstop_plan *p, const ripstop_head *head, bool both, ripstop_candidate *candidates,
                       int *minimal);
enum { GROUPS_VIA_CHANNELS = 3 };
/* The same as ripstop_method.route, also at the source, which puts the random group into the header. */
int ripstop_groups_route_via(const ripstop_plan *p, const ripstop_head *head, bool both, ripstop_candidate *candidates);
int ripstop_groups_send(const ripstop_plan *p, const ripstop_head *head, uint64_t header, ripstop_candidate *candidate);

#endif
