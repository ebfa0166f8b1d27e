/* ugal-global.c - UGAL with global information (Kim et al. 2008, "UGAL-G"), for dragonflies: minimal, or via a random
 * group when the global cables to it are less loaded. The paper assumes that routers know these queues; here
 * routers report them.
 *
 * Every PERIOD cycles a router looks at the loads of its global cables: what waits for them here, and what they have
 * sent that has not left the queue at their other end. It reports those that have changed to all of its group. A
 * packet's first router compares the least load times links of the cables to the destination's group and of those to
 * the random group, and permits the candidates via the better group alone; the packet stays with it. Its virtual
 * channel is the number of global links taken, so channel dependencies have no cycle. Inside a group whose local link
 * is down it takes one hop on VC 0 and one on VC 1.
 *
 * Faults: the plan is central, and the queues of failed cables do not count. Every candidate leads to the destination
 * (dragonfly_groups.h). */
#include <string.h>

#include "methods/shared/dragonfly_groups.h"

enum { PERIOD = 20 }; /* cycles */
enum { CHECK, USE };  /* timers */

typedef struct config {
  int64_t delay;
} config;

static const ripstop_option options[] = {
    RIPSTOP_INTEGER(config, delay, 1, 1000000, "10", "cycles that a message takes over a link"), {0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  return ripstop_groups_plan_over(p, GROUPS_VIA_CHANNELS, err);
}

/* All candidates that the switches may have, whatever updates they have received. */
static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return ripstop_groups_route_via(p, head, true, candidates);
}

/* ------------------------------------------------------------------ reports about cables */

typedef struct message {
  uint32_t cable; /* number in the group */
  uint64_t load;
} message;

/* A router's state, followed by the loads of all cables of the group, as far as it knows: those in use, and those that
 * were reported since. */
typedef struct memory {
  bool checking, using; /* the timers that are running: CHECK, USE */
  uint32_t cables;
  uint64_t load[]; /* [2 * cables] */
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
  return sizeof(memory) + 2 * (size_t)cables_of(p->fabric, node) * sizeof(uint64_t);
}

/* A port that is up leads to a router: of another group (`global`), or of the same. */
static bool leads(const ripstop_plan *p, uint32_t port, bool global) {
  const ripstop_fabric *f = p->fabric;
  if (f->peer[port] == RIPSTOP_NONE || !p->view->port_up[port]) return false;
  uint32_t next = f->port_node[f->peer[port]];
  return !ripstop_is_end(f, next) && (groups_of(f, next) != groups_of(f, f->port_node[port])) == global;
}

/* Reports changed loads of the router's own cables to its group. */
static void report_loads(const ripstop_plan *p, uint32_t node, memory *m, const int64_t *load,
                         ripstop_actions *actions) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t first = f->port_base[node], end = f->port_base[node + 1];
  uint64_t *reported = m->load + m->cables;
  for (uint32_t cable = first; cable < end; cable++) {
    const message report = {.cable = cable_at(f, cable), .load = (uint64_t)load[cable - first]};
    if (!leads(p, cable, true) || reported[report.cable] == report.load) continue;
    reported[report.cable] = report.load;
    for (uint32_t port = first; port < end; port++)
      if (leads(p, port, false)) ripstop_act_send(actions, port - first, &report);
  }
}

/* Uses the reports from now on. All that come in a cycle are used at once, in the next one: every change of candidates
 * costs a look at all waiting packets. */
static void use_reports(memory *m, ripstop_actions *actions) {
  const uint64_t *reported = m->load + m->cables;
  if (!memcmp(m->load, reported, m->cables * sizeof *reported)) return;
  memcpy(m->load, reported, m->cables * sizeof *reported);
  ripstop_act_candidates_changed(actions);
}

static void receive(memory *m, const message *report, ripstop_actions *actions) {
  m->load[m->cables + report->cable] = report->load;
  if (!m->using) ripstop_act_timer(actions, USE, 1);
  m->using = true;
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  memory *m = state;
  m->cables = cables_of(p->fabric, node);
  if (event->kind == RIPSTOP_EVENT_MESSAGE) receive(m, event->message, actions);
  if (event->kind == RIPSTOP_EVENT_TIMER && event->timer == USE) {
    m->using = false;
    use_reports(m, actions);
  }
  if (event->kind == RIPSTOP_EVENT_TIMER && event->timer == CHECK) m->checking = false;
  if (!event->load || m->checking) return; /* without packets there is nothing to report */
  report_loads(p, node, m, event->load, actions);
  use_reports(m, actions);
  ripstop_act_timer(actions, CHECK, PERIOD);
  m->checking = true;
}

/* The least load of a cable times links, of these candidates; a local link leads to that cable's router. */
static uint64_t burden(const ripstop_plan *p, const memory *m, const ripstop_head *head, uint32_t to, uint32_t beyond) {
  const ripstop_fabric *f = p->fabric;
  const groups *g = p->data;
  const uint32_t *first = &g->first[groups_of(f, head->node) * g->groups + to];
  uint64_t least = UINT64_MAX;
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++) {
    uint64_t links = 2u + (gate->router != head->node) + beyond, all = m->load[cable_at(f, gate->port)] * links;
    if (all < least) least = all;
  }
  return least;
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head, ripstop_candidate *out) {
  const ripstop_fabric *f = p->fabric;
  int straight, count = ripstop_groups_via(p, head, true, out, &straight);
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
  ripstop_text_add(out, "report: cable %u has %llu before it", m->cable, (unsigned long long)m->load);
}

static const ripstop_proto proto = {.message_size = sizeof(message),
                                    .settled = true,
                                    .needs_load = true,
                                    .weighs = true,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print};

const ripstop_method ripstop_method_ugal_global = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "ugal-global",
    .summary = "dragonflies: minimal, or via a random group, by the routers' reports on the loads of all cables",
    .source = "Kim, Dally, Scott and Abts 2008, section 4.1 (UGAL-G)",
    .options = options,
    .config_size = sizeof(config),
    .selection = "weighted:counts=port,binds=on",
    .preset = "modern",
    .losses = ripstop_groups_losses,
    .plan = plan,
    .route = route,
    .guarantees = ripstop_groups_guarantees,
    .proto = &proto,
};
