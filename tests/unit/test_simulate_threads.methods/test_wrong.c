/* test_wrong.c - dimension order on tori of two end nodes a router, which breaks a rule for one pair in so many at the
 * last router: it names a port that is not there, or sends to the neighbour of the destination. */
#include "plain_dor.h"

typedef struct config {
  int64_t rare;
} config;

static const char *const losses[] = {NULL};
static const ripstop_option options[] = {{.name = "rare",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          .offset = offsetof(config, rare),
                                          .min = 1,
                                          .max = 1000000,
                                          .fallback = "100",
                                          .help = "for one pair in so many the answer is wrong"},
                                         {0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return plain_dor_plan(p, 1, err); }

/* Which answers are wrong depends on whose packet it is alone: `route` must say the same every time. */
static uint32_t draw(const ripstop_head *head) {
  uint32_t x = head->source * UINT32_C(0x85ebca6b) ^ head->destination * UINT32_C(0xc2b2ae35);
  return (x ^ x >> 15) * UINT32_C(0x2c1b3c6d) >> 3;
}

/* The wrong port for a packet at the switch of its destination. */
static uint32_t wrong_port(const ripstop_torus *torus, const ripstop_head *head) {
  return draw(head) % 2 ? 1000 + head->node * 100 + head->in_port
                        : ripstop_torus_end_port(torus, head->destination ^ 1);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const config *c = p->config;
  const ripstop_torus *torus = p->data;
  uint32_t port = plain_dor_port(p, head);
  if (ripstop_end_switch(p->fabric, head->destination) == head->node && draw(head) / 2 % c->rare == 0)
    port = wrong_port(torus, head);
  *candidates = (ripstop_candidate){.port = (uint16_t)port, .space = 1};
  return 1;
}

const ripstop_method ripstop_method_test_wrong = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-wrong",
                                                  .summary = "dimension order with wrong answers",
                                                  .source = "a test",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = plain_dor_guarantees};
