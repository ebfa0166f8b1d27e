/* dragonfly-par.c - progressive adaptive routing of dragonflies (Jiang, Kim and Dally 2009, "PAR"): minimal, or via a
 * random group. A packet on the minimal route can still change to the random group at every router of its own group.
 *
 * The method reads no queues: each candidate has its number of links as weight, and the method's own selection function
 * `weighted` takes the least load of a port times weight, once at each router.
 *
 * A packet's links come in one order, each kind at most once, on a virtual channel of its own: local 0 and 1 in the
 * source's group, global 0, local 2 in the intermediate group, global 1, local 3 in the destination's. Inside a group
 * it is local 3, or if that link is down local 0 and then 3. So channel dependencies have no cycle.
 *
 * Faults: the plan is central, and every candidate leads to the destination (dragonfly_groups.h). So a packet is lost
 * at its first router or never, unless a link fails meanwhile. */
#include "methods/shared/dragonfly_groups.h"

enum { FIRST_LOCAL, SECOND_LOCAL, LOCAL_BETWEEN, LAST_LOCAL, CHANNELS };
enum { FIRST_GLOBAL, LAST_GLOBAL };

/* The header: the packet's state, and above it the intermediate group, or the source's own group if there is none. */
enum { UNDECIDED, DETOUR, HOMEWARD, STATES };

static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_groups_plan_over(p, CHANNELS, err); }

/* A packet's place, read at a router. */
typedef struct position {
  uint32_t here, to, over; /* groups */
  bool from_end, from_local;
  unsigned state;
} position;

static position locate(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  uint32_t from = groups_neighbour(p, head);
  position at = {.here = groups_of(f, head->node),
                 .to = groups_of(f, ripstop_end_switch(f, head->destination)),
                 .over = (uint32_t)(head->header / STATES),
                 .from_end = ripstop_is_end(f, from),
                 .state = (unsigned)(head->header % STATES)};
  at.from_local = !at.from_end && groups_of(f, from) == at.here;
  if (at.state == DETOUR && at.here == at.over) at.state = HOMEWARD;
  return at;
}

static uint64_t header_of(const position *at, unsigned state) {
  return state == HOMEWARD ? HOMEWARD : (uint64_t)at->over * STATES + state;
}

/* From the source's group to the destination's. */
static int straight(const ripstop_plan *p, const ripstop_head *head, const position *at,
                    ripstop_candidate *candidates) {
  const ripstop_candidate global = {.header = header_of(at, HOMEWARD), .channel = FIRST_GLOBAL, .space = 1},
                          local = {.header = header_of(at, UNDECIDED), .channel = FIRST_LOCAL, .space = 1};
  return ripstop_groups_candidates(p, p->data, head, at->to, 0, &global, at->from_end ? &local : NULL, candidates);
}

/* To the intermediate group. A packet that has settled on it is travelling to the cable. */
static int detour(const ripstop_plan *p, const ripstop_head *head, const position *at, ripstop_candidate *candidates) {
  const uint8_t channel = at->from_end ? FIRST_LOCAL : SECOND_LOCAL;
  const ripstop_candidate global = {.header = header_of(at, DETOUR), .channel = FIRST_GLOBAL, .space = 1},
                          local = {.header = header_of(at, DETOUR), .channel = channel, .space = 1};
  if (at->over == at->here) return 0;
  return ripstop_groups_candidates(p, p->data, head, at->over, 2, &global, at->state == UNDECIDED ? &local : NULL,
                                   candidates);
}

/* From the intermediate group to the destination's. */
static int onward(const ripstop_plan *p, const ripstop_head *head, const position *at, ripstop_candidate *candidates) {
  const ripstop_candidate global = {.header = HOMEWARD, .channel = LAST_GLOBAL, .space = 1},
                          local = {.header = HOMEWARD, .channel = LOCAL_BETWEEN, .space = 1};
  return ripstop_groups_candidates(p, p->data, head, at->to, 0, &global, at->from_local ? NULL : &local, candidates);
}

static int send(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  uint32_t over = ripstop_groups_over(p, head);
  if (over == RIPSTOP_NONE) over = groups_of(p->fabric, ripstop_end_switch(p->fabric, head->node));
  return ripstop_groups_send(p, head, (uint64_t)over * STATES + UNDECIDED, candidates);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (ripstop_is_end(p->fabric, head->node)) return send(p, head, candidates);
  position at = locate(p, head);
  if (at.here == at.to && at.from_end) return ripstop_groups_home_round(p, head, candidates);
  if (at.here == at.to) return ripstop_groups_home(p, head, LAST_LOCAL, candidates);
  int count = 0;
  if (at.state == HOMEWARD) count = onward(p, head, &at, candidates);
  if (at.state == UNDECIDED) count = straight(p, head, &at, candidates);
  if (at.state != HOMEWARD) count += detour(p, head, &at, candidates + count);
  return count ? count : ripstop_groups_lost(p, head, GROUPS_NO_CABLE);
}

const ripstop_method ripstop_method_dragonfly_par = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "dragonfly-par",
    .summary = "dragonflies: minimal, or via a random group; may change to that at every router of its own group",
    .source = "Jiang, Kim and Dally 2009, section 3.3 (PAR)",
    .options = options,
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_groups_guarantees,
};
