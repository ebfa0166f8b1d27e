/* test_detour.c - shortest routes by which packets become in-transit packets at end nodes that are not their
 * destinations: at one switch, or at all but their first and last, instead of going on or as a second candidate. The
 * header says what a packet may do: 0, be an in-transit packet; 1, leave the switch at which it has been one; 2, go on
 * without. */
#include "fabric/inner.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t at, transit_packets;
  bool also, again;
} config;

static const ripstop_option options[] = {{.name = "at",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, at),
                                          .min = -1,
                                          .max = 1000,
                                          .fallback = "-1",
                                          .help = "at which switch, from 0; -1: at all"},
                                         {.name = "guests",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, transit_packets),
                                          .min = 0,
                                          .max = 1e7,
                                          .fallback = "1",
                                          .help = "for which an end node has room"},
                                         {.name = "also",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, also),
                                          .fallback = "off",
                                          .help = "the next hop is open too, as second choice"},
                                         {.name = "again",
                                          .type = RIPSTOP_OPTION_FLAG,
                                          .offset = offsetof(config, again),
                                          .fallback = "off",
                                          .help = "at each switch; else once"},
                                         {0}};

enum { MAY_STAY, MUST_LEAVE, GOES_ON };
static const char *const losses[] = {"no candidate", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = p->fabric;
  uint32_t *distance = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) ripstop_fabric_distances(f, e, distance + (size_t)e * f->nodes);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (2 * ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = 2 * ripstop_node_ports(f, v);
  p->data = distance;
  p->transit_packets = (uint32_t)((const config *)p->config)->transit_packets;
  return RIPSTOP_APPLIES;
}

static int go_on(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate like,
                 ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *distance = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (!p->view->port_up[port] || distance[f->port_node[f->peer[port]]] >= distance[head->node]) continue;
    like.port = (uint16_t)i;
    candidates[count++] = like;
  }
  return count;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  bool here = c->at < 0 || (uint32_t)c->at + f->ends == head->node;
  int count = 0;
  if (ripstop_is_end(f, head->node)) {
    candidates[0] = (ripstop_candidate){.header = head->header, .space = 1};
    return p->view->port_up[f->port_base[head->node]] ? 1 : -1;
  }
  if (ripstop_end_switch(f, head->destination) == head->node || ripstop_end_switch(f, head->source) == head->node)
    here = false;
  if (here && head->header == MAY_STAY)
    for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
      uint32_t port = f->port_base[head->node] + i;
      if (p->view->port_up[port] && ripstop_is_end(f, f->port_node[f->peer[port]]))
        candidates[count++] = (ripstop_candidate){.header = MUST_LEAVE, .port = (uint16_t)i, .space = 1};
    }
  uint64_t header = head->header == MUST_LEAVE ? (c->again ? MAY_STAY : GOES_ON) : head->header;
  if (count == 0 || c->also)
    count += go_on(p, head, (ripstop_candidate){.header = header, .rank = 1, .space = 1}, candidates + count);
  return count ? count : -1;
}

const ripstop_method ripstop_method_test_detour = {.abi = RIPSTOP_METHOD_ABI,
                                                   .name = "test-detour",
                                                   .summary = "in-transit packets, for tests",
                                                   .source = "none",
                                                   .options = options,
                                                   .config_size = sizeof(config),
                                                   .losses = losses,
                                                   .plan = plan,
                                                   .route = route,
                                                   .guarantees = promise_nothing,
                                                   .by_source = true};
