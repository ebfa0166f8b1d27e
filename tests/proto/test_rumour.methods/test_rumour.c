/* test_rumour.c - a protocol small enough to follow by hand: a switch that sees a link of its own fail or return tells
 * its neighbours, who believe what is newer than what they know and tell theirs. Each hop takes 2 cycles. Nothing is
 * sent again: a switch that was away, or whose message is lost, does not learn. */
#include "ripstop/plan.h"

enum { LINKS = 64 };

typedef struct rumour {
  uint32_t link, changes; /* odd: the link is dead */
} rumour;

typedef struct knowledge {
  uint32_t changes[LINKS];
} knowledge;

static const rs_option options[] = {{0}};
static const char *const losses[] = {"no way", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  if (p->fabric->links <= LINKS) return RS_APPLIES;
  rs_fail(err, "too many links");
  return RS_DOES_NOT_APPLY;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  (void)p, (void)head, (void)ways;
  return -1;
}

static int ways(const rs_plan *p, const void *state, const rs_head *head, rs_way *out) {
  (void)state;
  return route(p, head, out);
}

static size_t state_size(const rs_plan *p, uint32_t node) {
  (void)p, (void)node;
  return sizeof(knowledge);
}

static void step(const rs_plan *p, uint32_t node, void *state, const rs_event *event, rs_actions *actions) {
  knowledge *k = state;
  rumour r;
  if (event->kind == RS_EVENT_START) return;
  if (event->kind == RS_EVENT_MESSAGE) {
    r = *(const rumour *)event->message;
  } else {
    r.link = p->fabric->port_link[p->fabric->port_base[node] + event->port];
    r.changes = k->changes[r.link] + 1;
  }
  if (r.changes <= k->changes[r.link]) return;
  k->changes[r.link] = r.changes;
  rs_act_ways_changed(actions);
  for (uint32_t port = 0; port < rs_node_ports(p->fabric, node); port++)
    if (port != event->port) rs_act_send(actions, port, &r);
}

static uint64_t delay(const rs_plan *p, const void *message) {
  (void)p, (void)message;
  return 2;
}

static void print(const rs_plan *p, const void *message, rs_text *out) {
  const rumour *r = message;
  char name[RS_NAME_MAX];
  rs_link_name(p->fabric, r->link, name);
  rs_text_add(out, "%s is %s", name, r->changes % 2 ? "dead" : "back");
}

static void json(const rs_plan *p, const void *state, rs_text *out) {
  const knowledge *k = state;
  char name[RS_NAME_MAX];
  const char *separator = "";
  rs_text_add(out, "{\"dead\": [");
  for (uint32_t link = 0; link < p->fabric->links; link++) {
    if (k->changes[link] % 2 == 0) continue;
    rs_link_name(p->fabric, link, name);
    rs_text_add(out, "%s\"%s\"", separator, name);
    separator = ", ";
  }
  rs_text_add(out, "]}");
}

static void claims(const rs_fabric *fabric, const void *config, rs_claims *out) {
  (void)fabric, (void)config;
  *out = (rs_claims){0};
}

static const rs_proto proto = {.message_size = sizeof(rumour),
                               .state_size = state_size,
                               .step = step,
                               .ways = ways,
                               .delay = delay,
                               .print = print,
                               .json = json};

const rs_method rs_method_test_rumour = {.abi = RS_METHOD_ABI,
                                         .name = "test-rumour",
                                         .summary = "for tests",
                                         .source = "none",
                                         .options = options,
                                         .losses = losses,
                                         .plan = plan,
                                         .route = route,
                                         .claims = claims,
                                         .proto = &proto};
