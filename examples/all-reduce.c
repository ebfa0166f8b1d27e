/* all-reduce.c - a ring all-reduce: every end node of a 4x4 torus holds 16 chunks of numbers and needs the sums over
 * all of them. In each of 30 steps an agent sends a chunk from each end node to the next one, and it continues when one
 * has arrived. A chunk that is lost on a failing link is sent again. */
#include <stdio.h>

#include <ripstop/plugin/agent.h>
#include <ripstop/ripstop.h>

enum { NODES = 16, FLITS = 64, STEPS = 2 * (NODES - 1) };

static double held[NODES][NODES]; /* [end node][chunk] */
static uint32_t ready;            /* end nodes that have all sums */
static uint64_t last;             /* cycle in which the last one had */

static void send_chunk(ripstop_agent_context *agent_context, uint32_t from, uint64_t step) {
  ripstop_agent_packet packet = {.source = from, .destination = (from + 1) % NODES, .flits = FLITS, .tag = step};
  ripstop_agent_send(agent_context, &packet);
}

static void start(void *context, ripstop_agent_context *agent_context) {
  (void)context;
  for (uint32_t node = 0; node < NODES; node++) send_chunk(agent_context, node, 0);
}

/* In the first half of the steps chunks are added up, in the second half the sums are passed on. */
static void delivered(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *packet) {
  (void)context;
  uint64_t step = packet->tag, chunk = (packet->source + STEPS + 2 - step) % NODES;
  double here = step < NODES - 1 ? held[packet->destination][chunk] : 0;
  held[packet->destination][chunk] = here + held[packet->source][chunk];
  if (step + 1 < STEPS)
    send_chunk(agent_context, packet->destination, step + 1);
  else if (++ready == NODES)
    last = ripstop_agent_now(agent_context), ripstop_agent_finish(agent_context);
}

static void lost(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *packet) {
  (void)context;
  send_chunk(agent_context, packet->source, packet->tag);
}

static int agent_context(const ripstop_plan *plan, ripstop_error *err) {
  const ripstop_agent agent = {
      .classes = 1, .shortest = FLITS, .longest = FLITS, .start = start, .delivered = delivered, .lost = lost};
  const ripstop_change change = {.cycle = 500, .id = ripstop_plan_fabric(plan)->link_ends, .up = false};
  const ripstop_schedule schedule = {.count = 1, .change = &change};
  ripstop_simulate_settings s = ripstop_simulate_defaults();
  s.agent = &agent, s.agents = 1;
  s.schedule = &schedule;
  s.measure.warmup = "0", s.measure.cycles = 1000000;
  ripstop_result *run = ripstop_simulate(plan, &s, err);
  if (!run) return -1;
  printf("%s; packets lost and sent again: %.0f\n", ripstop_result_text(run, "verdict"),
         ripstop_result_value(run, "account.lost"));
  ripstop_result_free(run);
  return 0;
}

int main(void) {
  ripstop_error err = {0};
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < NODES * NODES; i++) held[i / NODES][i % NODES] = i; /* chunk c of node n: 16 n + c */
  ripstop_plan *plan = ripstop_plan_of("torus:4x4", NULL, "immunet", &err);
  int status = plan ? agent_context(plan, &err) : -1;
  for (uint32_t i = 0; i < NODES * NODES; i++) wrong += held[i / NODES][i % NODES] != 1920 + NODES * (i % NODES);
  if (status || wrong)
    fprintf(stderr, "all-reduce: %u wrong sums %s\n", wrong, err.text);
  else
    printf("16 end nodes have all sums after %llu cycles\n", (unsigned long long)last);
  ripstop_plan_free(plan);
  return status || wrong ? 1 : 0;
}
