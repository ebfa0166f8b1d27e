/* broken-entry.c - a bubble ring with a flaw, on a ring of routers with port 0 upwards and port 1 downwards. Packets go
 * round upwards, with space for two packets to enter the ring, so that it always keeps a free place; one for the next
 * router downwards may also take that link.
 *   flaw=entry  where such a packet could be consumed it may enter the ring too, for one packet's space, and go once
 *               round: so the ring can fill
 *   flaw=wide   in the ring packets ask for two packets' space to go on at one router: so they wait before the free
 * place flaw=none   it is sound */
#include "nearer.h"

enum { UP, DOWN, END };

typedef enum { NONE, ENTRY, WIDE } flaw_kind;

typedef struct config {
  int32_t flaw;
} config;

static const char *const words[] = {[NONE] = "none", [ENTRY] = "entry", [WIDE] = "wide", NULL};
static const rs_option options[] = {{.name = "flaw",
                                     .type = RS_OPTION_WORD,
                                     .offset = offsetof(config, flaw),
                                     .words = words,
                                     .fallback = "none",
                                     .help = "what is wrong"},
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
    bool goes_on = head->in_port == DOWN && !nearer_arrived(p, head);
    bool wide = c->flaw == WIDE && head->node == rs_end_switch(f, 0);
    uint16_t port = goes_on ? UP : END;
    ways[0] = (rs_way){.port = head->in_port == RS_NONE ? 0 : port, .space = goes_on && wide ? 2 : 1};
    return alive[ways[0].port] ? 1 : -1;
  }
  if (head->in_port == UP) { /* one hop down: here it can be consumed */
    ways[count++] = (rs_way){.port = END, .space = 1};
    if (c->flaw == ENTRY && alive[UP]) ways[count++] = (rs_way){.port = UP, .space = 1};
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
    .summary = "a bubble ring with a flaw",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = nearer_claims,
};
