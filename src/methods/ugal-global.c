/* ugal-global.c - minimal, or via a random group when the queues of the global cables to it are shorter: UGAL with
 * reports of the routers on their cables (Kim et al. 2008, "UGAL-G", which takes these reports as given). For
 * dragonflies.
 *
 * Every PERIOD cycles a router looks at its queues behind global cables, and where one is not as it was it tells the
 * router at the other end, which tells all of its group. A packet's first router compares, of the cables to the
 * destination's group and of those to the drawn one, the least queue times links, and permits the candidates over the
 * better group alone; then it keeps to that. Its channel is how many global links it has taken, so no queue waits for
 * itself; inside a group, where the local link is dead, it takes one on channel 0 and one on channel 1.
 *
 * Faults: the plan is central, and the queues of dead cables do not count. Every candidate leads to the destination
 * (dragonfly_groups.h). */
#include <string.h>

#include "methods/shared/dragonfly_groups.h"

enum { CHANNELS = 3 };
enum { PERIOD = 20 }; /* cycles */

typedef struct config {
  int64_t delay;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, delay, 1, 1000000, "10", "cycles that a message takes over a link"), {0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_groups_plan_over(p, CHANNELS, err); }

/* ------------------------------------------------------------------ candidates */

/* The header is 0 for a packet that goes straight, else 1 + the group that it goes to first. Ways to a group; after a
 * local link over cables of this router alone. */
static int to_group(const ripstop_plan *p, const ripstop_head *head, uint32_t to, uint64_t header,
                    ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint32_t from = groups_neighbour(p, head);
  bool from_end = ripstop_is_end(f, from), from_local = !from_end && groups_of(f, from) == groups_of(f, head->node);
  uint8_t channel = from_end ? 0 : (uint8_t)(head->channel + !from_local);
  const ripstop_candidate on = {.header = header, .channel = channel, .space = 1};
  return ripstop_groups_candidates(p, p->data, head, to, header ? 2 : 0, &on, from_local ? NULL : &on, candidates);
}

/* Both kinds of candidates at the first router, straight ones first; `straight`: how many are. Of others `straight` is
 * all.
 */
static int all_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates,
                          int *straight) {
  const ripstop_fabric *f = p->fabric;
  uint32_t here = groups_of(f, head->node), to = groups_of(f, ripstop_end_switch(f, head->destination)),
           from = groups_neighbour(p, head);
  uint64_t header = head->header == here + 1u ? 0 : head->header;
  *straight = 0;
  if (here == to)
    return *straight = ripstop_is_end(f, from) ? ripstop_groups_home_round(p, head, candidates)
                                               : ripstop_groups_home(p, head, (uint8_t)(head->channel + 1), candidates);
  if (!header || ripstop_is_end(f, from)) *straight = to_group(p, head, to, 0, candidates);
  int count = *straight;
  if (header) count += to_group(p, head, (uint32_t)header - 1, header, candidates + count);
  return count ? count : ripstop_groups_lost(p, head, GROUPS_NO_CABLE);
}

/* What the switches may do, whatever they have heard. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  int straight;
  if (!ripstop_is_end(p->fabric, head->node)) return all_candidates(p, head, candidates, &straight);
  uint32_t over = ripstop_groups_over(p, head);
  return ripstop_groups_send(p, head, over == RIPSTOP_NONE ? 0 : over + 1u, candidates);
}

/* ------------------------------------------------------------------ the word on cables */

enum { QUEUE, WORD };

typedef struct message {
  uint32_t kind;  /* QUEUE: over a cable, of the queue behind it; WORD: to the group, of any cable */
  uint32_t cable; /* number in the group */
  uint64_t taken;
} message;

/* A router's state; behind it the taken room behind every cable of the group, and what it has told over its own. */
typedef struct memory {
  int64_t capacity; /* of a queue: the most that has been free */
  uint32_t running; /* whether the timer is */
  uint32_t cables;
  uint64_t taken[]; /* [cables], then [ports] */
} memory;

/* Cables have the numbers of their routers' ports, counted through the group. */
static uint32_t cables_of(const ripstop_fabric *f, uint32_t node) {
  uint32_t routers = ripstop_fabric_switches(f) / (groups_of(f, f->nodes - 1) + 1);
  return routers * ripstop_node_ports(f, node);
}
static uint32_t cable_at(const ripstop_fabric *f, uint32_t port) {
  uint32_t node = f->port_node[port];
  return ripstop_coords(f, node)[0] * ripstop_node_ports(f, node) + port - f->port_base[node];
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  return sizeof(memory) + (cables_of(p->fabric, node) + ripstop_node_ports(p->fabric, node)) * sizeof(uint64_t);
}

/* Whether a port that is up leads to a router; of another group, or of the same. */
static bool leads(const ripstop_plan *p, uint32_t port, bool abroad) {
  const ripstop_fabric *f = p->fabric;
  if (f->peer[port] == RIPSTOP_NONE || !p->view->port_up[port]) return false;
  uint32_t next = f->port_node[f->peer[port]];
  return !ripstop_is_end(f, next) && (groups_of(f, next) != groups_of(f, f->port_node[port])) == abroad;
}

/* Flits or packets that stand behind a port, in all channels. */
static uint64_t taken_behind(const ripstop_plan *p, memory *m, const int64_t *room, uint32_t local) {
  int64_t taken = 0;
  for (uint32_t c = 0; c < p->channels; c++) {
    int64_t free_here = room[local * p->channels + c];
    if (free_here > m->capacity) m->capacity = free_here;
    taken += m->capacity - free_here;
  }
  return (uint64_t)taken;
}

/* Over each cable, what stands behind it here, where that has changed. */
static void look(const ripstop_plan *p, uint32_t node, memory *m, const int64_t *room, ripstop_actions *actions) {
  const ripstop_fabric *f = p->fabric;
  uint64_t *told = m->taken + m->cables;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (!leads(p, port, true)) continue;
    uint32_t local = port - f->port_base[node];
    uint64_t taken = taken_behind(p, m, room, local);
    if (taken == told[local]) continue;
    told[local] = taken;
    ripstop_act_send(actions, local, &(message){.kind = QUEUE, .cable = cable_at(f, f->peer[port]), .taken = taken});
  }
}

static void hear(const ripstop_plan *p, uint32_t node, memory *m, const message *heard, ripstop_actions *actions) {
  const ripstop_fabric *f = p->fabric;
  message word = *heard;
  if (m->taken[word.cable] != word.taken) ripstop_act_candidates_changed(actions);
  m->taken[word.cable] = word.taken;
  if (word.kind == WORD) return;
  word.kind = WORD;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (leads(p, port, false)) ripstop_act_send(actions, port - f->port_base[node], &word);
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  memory *m = state;
  m->cables = cables_of(p->fabric, node);
  if (event->kind == RIPSTOP_EVENT_MESSAGE) hear(p, node, m, event->message, actions);
  if (event->kind == RIPSTOP_EVENT_TIMER) m->running = false;
  if (!event->room || m->running) return; /* there is nothing to look at where no packets are */
  look(p, node, m, event->room, actions);
  ripstop_act_timer(actions, 0, PERIOD);
  m->running = true;
}

/* The least queue of a cable times links, of some candidates; a local link leads to that cable's router. */
static uint64_t burden(const ripstop_plan *p, const memory *m, const ripstop_head *head, uint32_t to, uint32_t beyond) {
  const ripstop_fabric *f = p->fabric;
  const groups *g = p->data;
  const uint32_t *first = &g->first[groups_of(f, head->node) * g->groups + to];
  uint64_t least = UINT64_MAX;
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++) {
    uint64_t links = 2u + (gate->router != head->node) + beyond, all = m->taken[cable_at(f, gate->port)] * links;
    if (all < least) least = all;
  }
  return least;
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head, ripstop_candidate *out) {
  const ripstop_fabric *f = p->fabric;
  int straight, count = all_candidates(p, head, out, &straight);
  if (straight <= 0 || straight == count) return count;
  uint32_t to = groups_of(f, ripstop_end_switch(f, head->destination)), over = (uint32_t)head->header - 1;
  if (burden(p, state, head, to, 0) <= burden(p, state, head, over, 2)) return straight;
  memmove(out, out + straight, (size_t)(count - straight) * sizeof *out);
  return count - straight;
}

static uint64_t delay(const ripstop_plan *p, const void *message_) {
  (void)message_;
  return (uint64_t)((const config *)p->config)->delay;
}

static void print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  (void)p;
  ripstop_text_add(out, "%s cable %u has %llu before it", m->kind == QUEUE ? "queue:" : "word:", m->cable,
                   (unsigned long long)m->taken);
}

static const ripstop_proto proto = {.message_size = sizeof(message),
                                    .settled = true,
                                    .rooms = true,
                                    .weighs = true,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print};

static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  (void)config_;
  *out = (ripstop_guarantees){.tolerates = ripstop_groups_tolerates(fabric), .minimal = false, .deadlock_free = true};
}

const ripstop_method ripstop_method_ugal_global = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "ugal-global",
    .summary = "dragonflies: straight, or over a drawn group, by the routers' word on the queues of all cables",
    .source = "Kim, Dally, Scott and Abts 2008, section 4.1 (UGAL-G)",
    .options = options,
    .config_size = sizeof(config),
    .selection = "weighted",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .proto = &proto,
};
