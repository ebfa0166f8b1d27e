/* all-reduce.c - a ring all-reduce, played: every end node of a 4x4 torus holds 16 chunks of numbers and wants the sums
 * over all of them. In each of 30 steps it sends a chunk to the next end node and goes on when one has arrived; a chunk
 * that a dying link takes with it is sent again. */
#include <stdio.h>

#include <ripstop/ripstop.h>

enum { NODES = 16, FLITS = 64, STEPS = 2 * (NODES - 1) };

static double held[NODES][NODES]; /* [end node][chunk] */
static uint32_t ready;            /* end nodes that have all sums */
static uint64_t last;             /* cycle in which the last one had */

static void send_chunk(ripstop_agent_context *play, uint32_t from, uint64_t step) {
  ripstop_agent_packet packet = {.source = from, .destination = (from + 1) % NODES, .flits = FLITS, .tag = step};
  ripstop_agent_send(play, &packet);
}

static void start(void *context, ripstop_agent_context *play) {
  (void)context;
  for (uint32_t node = 0; node < NODES; node++) send_chunk(play, node, 0);
}

/* In the first half of the steps chunks are added up, in the second the sums go round. */
static void delivered(void *context, ripstop_agent_context *play, const ripstop_agent_packet *packet) {
  (void)context;
  uint64_t step = packet->tag, chunk = (packet->source + STEPS + 2 - step) % NODES;
  double here = step < NODES - 1 ? held[packet->destination][chunk] : 0;
  held[packet->destination][chunk] = here + held[packet->source][chunk];
  if (step + 1 < STEPS)
    send_chunk(play, packet->destination, step + 1);
  else if (++ready == NODES)
    last = ripstop_agent_now(play), ripstop_agent_finish(play);
}

static void lost(void *context, ripstop_agent_context *play, const ripstop_agent_packet *packet) {
  (void)context;
  send_chunk(play, packet->source, packet->tag);
}

static int play(const ripstop_plan *plan, ripstop_arena *arena, ripstop_error *err) {
  ripstop_agent agent = {
      .classes = 1, .shortest = FLITS, .longest = FLITS, .start = start, .delivered = delivered, .lost = lost};
  ripstop_change change = {.cycle = 500, .id = plan->fabric->link_ends, .up = false};
  ripstop_schedule schedule = {.count = 1, .change = &change};
  ripstop_scenario s = {.seed = 1, .agent = &agent, .agents = 1, .schedule = &schedule};
  ripstop_result result;
  if (ripstop_options_parse(arena, "switch", ripstop_switch_options, &s.switch_, "", err) ||
      ripstop_options_parse(arena, "measure", ripstop_measure_options, &s.measure, "warmup=0,cycles=1000000", err) ||
      ripstop_simulate(plan, &s, &result, err))
    return -1;
  printf("%s; letters lost and sent again: %llu\n", ripstop_verdict_words[result.verdict],
         (unsigned long long)result.account.lost);
  ripstop_result_free(&result);
  return 0;
}

int main(void) {
  ripstop_error err = {0};
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < NODES * NODES; i++) held[i / NODES][i % NODES] = i; /* chunk c of node n: 16 n + c */
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = fabric ? ripstop_view_new(fabric, NULL) : NULL;
  ripstop_plan *plan = view ? ripstop_plan_open(view, "immunet", NULL, &err) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  int status = plan && arena ? play(plan, arena, &err) : -1;
  for (uint32_t i = 0; i < NODES * NODES; i++) wrong += held[i / NODES][i % NODES] != 1920 + NODES * (i % NODES);
  if (status || wrong)
    fprintf(stderr, "all-reduce: %u wrong sums %s\n", wrong, err.text);
  else
    printf("16 end nodes have all sums after %llu cycles\n", (unsigned long long)last);
  ripstop_arena_free(arena);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return status || wrong ? 1 : 0;
}
