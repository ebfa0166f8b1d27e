/* broken-entry.c - a bubble ring with a flaw, on a ring of routers with port 0 upwards and port 1 downwards. Packets
 * circulate upwards, with space for two packets to enter the ring, so that it always keeps a free place; one for the
 * next router downwards may also take that link. flaw=entry  where such a packet could be consumed it may enter the
 * ring too, for one packet's space, and make one tour: so the ring can fill flaw=wide   in the ring packets require two
 * packets' space to go on at one router: so they wait before the free place flaw=none   it is sound */
#include "nearer.h"
#include "ripstop/plugin/method.h"

enum { UP, DOWN, END };

typedef enum { NONE, ENTRY, WIDE } flaw_kind;

typedef struct config {
  int32_t flaw;
} config;

static const char *const words[] = {[NONE] = "none", [ENTRY] = "entry", [WIDE] = "wide", NULL};
static const ripstop_option options[] = {{.name = "flaw",
                                          .type = RIPSTOP_OPTION_WORD,
                                          .offset = offsetof(config, flaw),
                                          .words = words,
                                          .fallback = "none",
                                          .help = "what is wrong"},
                                         {0}};
static const char *const losses[] = {"the one link is dead", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->candidates_max = 2;
  p->bubble = true;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const config *c = p->config;
  const uint8_t *alive = &p->view->port_up[f->port_base[head->node]];
  int count = 0;
  if (head->in_port == RIPSTOP_NONE || head->in_port == DOWN) { /* at its source, or in the ring */
    bool goes_on = head->in_port == DOWN && !nearer_arrived(p, head);
    bool wide = c->flaw == WIDE && head->node == ripstop_end_switch(f, 0);
    uint16_t port = goes_on ? UP : END;
    candidates[0] =
        (ripstop_candidate){.port = head->in_port == RIPSTOP_NONE ? 0 : port, .space = goes_on && wide ? 2 : 1};
    return alive[candidates[0].port] ? 1 : -1;
  }
  if (head->in_port == UP) { /* one hop down: here it can be consumed */
    candidates[count++] = (ripstop_candidate){.port = END, .space = 1};
    if (c->flaw == ENTRY && alive[UP]) candidates[count++] = (ripstop_candidate){.port = UP, .space = 1};
    return count;
  }
  if (alive[UP]) candidates[count++] = (ripstop_candidate){.port = UP, .space = 2};
  uint32_t below = f->port_node[f->peer[f->port_base[head->node] + DOWN]];
  if (alive[DOWN] && below == ripstop_end_switch(f, head->destination))
    candidates[count++] = (ripstop_candidate){.port = DOWN, .space = 1};
  return count ? count : -1;
}

const ripstop_method ripstop_method_broken_entry = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-entry",
    .summary = "a bubble ring with a flaw",
    .source = "a test",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
