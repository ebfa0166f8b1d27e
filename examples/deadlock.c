/* deadlock.c - a simulation as a handle: a link dies at cycle 1,000 of a run by dor on one channel, and when
 * packets wait for each other forever, the queues that stand still are shown. */
#include <stdio.h>

#include <ripstop/ripstop.h>

static int describe(ripstop_scenario *s, ripstop_arena *arena, ripstop_error *err) {
  *s = (ripstop_scenario){.seed = 1};
  if (ripstop_options_parse(arena, "switch", ripstop_switch_options, &s->switch_, "in_queue=2", err)) return -1;
  if (ripstop_options_parse(arena, "traffic", ripstop_traffic_options, &s->traffic, "load=1,packet=16", err)) return -1;
  return ripstop_options_parse(arena, "measure", ripstop_measure_options, &s->measure,
                               "warmup=0,cycles=50000,check=500", err);
}

static void show_stuck(const ripstop_simulation *sim, const ripstop_plan *plan) {
  const ripstop_fabric *f = plan->fabric;
  for (uint32_t port = f->ends; port < f->ports; port++)
    for (uint32_t channel = 0; channel < plan->channels; channel++) {
      ripstop_queue_look queue;
      ripstop_packet_look head;
      char name[RIPSTOP_NAME_MAX];
      if (ripstop_simulate_queue(sim, RIPSTOP_SIDE_IN, port, channel, &queue) || !queue.stuck) continue;
      if (!ripstop_simulate_packets(sim, RIPSTOP_SIDE_IN, port, channel, &head, 1)) continue;
      ripstop_node_name(f, f->port_node[port], name);
      printf("  switch %s, port %u: %u packets, the first to end node %u, %llu cycles old\n", name,
             port - f->port_base[f->port_node[port]], queue.packets, head.destination, (unsigned long long)head.age);
    }
}

static int watch(const ripstop_plan *plan, ripstop_arena *arena, ripstop_error *err) {
  ripstop_scenario scenario;
  ripstop_simulation *sim = describe(&scenario, arena, err) ? NULL : ripstop_simulate_open(plan, &scenario, err);
  ripstop_change dies = {.id = plan->fabric->link_ends};
  ripstop_look look = {0};
  int status = !sim || ripstop_simulate_run(sim, 1000, err) || ripstop_simulate_change(sim, &dies, err) ? -1 : 0;
  while (!status && !look.ended) {
    status = ripstop_simulate_run(sim, ripstop_simulate_now(sim) + 1000, err);
    ripstop_simulate_look(sim, &look);
  }
  if (!status)
    printf("%s at cycle %llu\n", look.deadlocked ? "deadlock" : "no deadlock",
           (unsigned long long)ripstop_simulate_now(sim));
  if (!status && look.deadlocked) show_stuck(sim, plan);
  ripstop_simulate_close(sim);
  return status;
}

int main(void) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = fabric ? ripstop_view_new(fabric, NULL) : NULL;
  ripstop_plan *plan = view ? ripstop_plan_open(view, "dor", NULL, &err) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  int status = plan && arena && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES ? watch(plan, arena, &err) : -1;
  if (status) fprintf(stderr, "deadlock: %s\n", err.text);
  ripstop_arena_free(arena);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return status ? 1 : 0;
}
