/* test_rumour.c - a protocol small enough to follow by hand: a switch that sees a link of its own fail or return
 * notifies its neighbours, which believe anything newer than their own knowledge and notify theirs. Each hop takes 2
 * cycles. Nothing is sent again: a switch that was away, or whose message is lost, does not get the update. */
#include "promises.h"
#include "ripstop/plugin/method.h"

enum { LINKS = 64 };

typedef struct rumour {
  uint32_t link, changes; /* odd: the link is down */
} rumour;

typedef struct knowledge {
  uint32_t changes[LINKS];
} knowledge;

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"no candidate", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  if (p->fabric->links <= LINKS) return RIPSTOP_APPLIES;
  ripstop_fail(err, "too many links");
  return RIPSTOP_DOES_NOT_APPLY;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  (void)p, (void)head, (void)candidates;
  return -1;
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head, ripstop_candidate *out) {
  (void)state;
  return route(p, head, out);
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return sizeof(knowledge);
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  knowledge *k = state;
  rumour r;
  if (event->kind == RIPSTOP_EVENT_START) return;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    r = *(const rumour *)event->message;
  } else {
    r.link = p->fabric->port_link[p->fabric->port_base[node] + event->port];
    r.changes = k->changes[r.link] + 1;
  }
  if (r.changes <= k->changes[r.link]) return;
  k->changes[r.link] = r.changes;
  ripstop_act_candidates_changed(actions);
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++)
    if (port != event->port) ripstop_act_send(actions, port, &r);
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p, (void)message;
  return 2;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) {
  const rumour *r = message;
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(p->fabric, r->link, name);
  ripstop_text_add(out, "%s is %s", name, r->changes % 2 ? "down" : "back");
}

static void json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const knowledge *k = state;
  char name[RIPSTOP_NAME_MAX];
  const char *separator = "";
  ripstop_text_add(out, "{\"down\": [");
  for (uint32_t link = 0; link < p->fabric->links; link++) {
    if (k->changes[link] % 2 == 0) continue;
    ripstop_link_name(p->fabric, link, name);
    ripstop_text_add(out, "%s\"%s\"", separator, name);
    separator = ", ";
  }
  ripstop_text_add(out, "]}");
}

static const ripstop_proto proto = {.message_size = sizeof(rumour),
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print,
                                    .json = json};

const ripstop_method ripstop_method_test_rumour = {.abi = RIPSTOP_METHOD_ABI,
                                                   .name = "test-rumour",
                                                   .summary = "for tests",
                                                   .source = "none",
                                                   .options = options,
                                                   .losses = losses,
                                                   .plan = plan,
                                                   .route = route,
                                                   .guarantees = promise_nothing,
                                                   .proto = &proto};
