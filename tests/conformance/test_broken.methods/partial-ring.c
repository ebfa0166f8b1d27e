/* partial-ring.c - sound, but hard on the prover: a bubble ring of five routers, of which one queue empties by itself
 * before the others can. Port 0 leads upwards, port 1 downwards.
 *   - Up to two hops upwards go in the ring, on channel 0. The ring's packets at router 0 may instead go on upwards on
 *     channel 1, where they are consumed next: so the queue from router 4 to 0 can empty before anything else of it.
 *   - Others go down: the first hop on channel 0, a second one on channel 1.
 *   - A packet from router 2 to 3 may, with a mark in its header, go one too far in the ring and then down: so the
 *     queue from router 3 to 4 waits for one outside the ring. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

enum { UP, DOWN, END, ROUTERS = 5 };
static const char *const losses[] = {"a link has failed", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->channels = 2;
  p->bubble = true;
  p->candidates_max = 2;
  return p->view->failed_links ? RIPSTOP_DOES_NOT_APPLY : RIPSTOP_APPLIES;
}

static int one(ripstop_candidate *candidates, uint16_t port, uint8_t channel, uint8_t space) {
  candidates[0] = (ripstop_candidate){.port = port, .channel = channel, .space = space};
  return 1;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  if (head->in_port == RIPSTOP_NONE) return one(candidates, 0, 0, 1);
  uint32_t here = head->node - p->fabric->ends, up = (head->destination + ROUTERS - here) % ROUTERS;
  bool in_ring = head->in_port == DOWN && head->channel == 0;
  if (in_ring && head->header) {
    if (up == ROUTERS - 1) return one(candidates, DOWN, 0, 1); /* one too far */
    candidates[0] = (ripstop_candidate){.header = 1, .port = UP, .space = 1};
    return 1;
  }
  if (up == 0) return one(candidates, END, 0, 1);
  if (head->in_port == UP) return one(candidates, DOWN, 1, 1);
  if (!in_ring && up > 2) return one(candidates, DOWN, 0, 1);
  int count = one(candidates, UP, 0, in_ring ? 1 : 2);
  if (in_ring && here == 0) candidates[count++] = (ripstop_candidate){.port = UP, .channel = 1, .space = 1};
  if (!in_ring && here == 2 && up == 1) candidates[count++] = (ripstop_candidate){.header = 1, .port = UP, .space = 2};
  return count;
}

const ripstop_method ripstop_method_partial_ring = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "partial-ring",
    .summary = "a bubble ring that empties in parts",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
