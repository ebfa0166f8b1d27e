/* broken-entry.c - a bubble ring with a hole, on a ring of routers with port 0 upwards and port 1 downwards. Packets go
 * round upwards, with space for two packets to enter the ring, so that it always keeps a free place; but one for the
 * next router downwards may take that link, and from there, where it could be consumed, enter the ring for one packet's
 * space and go once round. So the ring can fill. With `hole=off` it is sound. */
#include "nearer.h"

enum { UP, DOWN, END };

typedef struct config {
  bool hole;
} config;

static const rs_option options[] = {{.name = "hole",
                                     .type = RS_OPTION_FLAG,
                                     .offset = offsetof(config, hole),
                                     .fallback = "on",
                                     .help = "whether a packet that arrives from above may enter the ring"},
                                    {0}};
static const char *const losses[] = {"the one link is dead", NULL};

static rs_answer plan(rs_plan *p, rs_error *err) {
  (void)err;
  p->ways_max = 2;
  return RS_APPLIES;
}

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  const rs_fabric *f = p->fabric;
  const config *c = p->config;
  const uint8_t *alive = &p->view->port_up[f->port_base[head->node]];
  int count = 0;
  if (head->in_port == RS_NONE || head->in_port == DOWN) { /* at its source, or in the ring */
    uint16_t port = head->in_port == DOWN && nearer_arrived(p, head) ? END : UP;
    ways[0] = (rs_way){.port = head->in_port == RS_NONE ? 0 : port, .space = 1};
    return alive[ways[0].port] ? 1 : -1;
  }
  if (head->in_port == UP) { /* one hop down: here it can be consumed */
    ways[count++] = (rs_way){.port = END, .space = 1};
    if (c->hole && alive[UP]) ways[count++] = (rs_way){.port = UP, .space = 1};
    return count;
  }
  if (alive[UP]) ways[count++] = (rs_way){.port = UP, .space = 2};
  uint32_t below = f->port_node[f->peer[f->port_base[head->node] + DOWN]];
  if (alive[DOWN] && below == rs_end_switch(f, head->destination)) ways[count++] = (rs_way){.port = DOWN, .space = 1};
  return count ? count : -1;
}

const rs_method rs_method_broken_entry = {
    .abi = RS_METHOD_ABI,
    .name = "broken-entry",
    .summary = "a bubble ring that can fill",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = nearer_claims,
};
