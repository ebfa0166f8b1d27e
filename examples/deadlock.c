/* deadlock.c - a simulation as a handle: a link fails at cycle 1,000 of a run by dor on one virtual channel, and when
 * packets wait for each other forever, their queues are printed. */
#include <stdio.h>

#include <ripstop/kit/simulation.h>
#include <ripstop/ripstop.h>

static ripstop_simulate_settings settings(void) {
  ripstop_simulate_settings s = ripstop_simulate_defaults();
  s.switch_.in_queue = 2;
  s.traffic.load = 1;
  s.measure.warmup = "0", s.measure.cycles = 50000, s.measure.check = 500;
  return s;
}

static void show_stuck(const ripstop_simulation *sim, const ripstop_plan *plan) {
  const ripstop_fabric *f = ripstop_plan_fabric(plan);
  for (uint32_t port = f->ends; port < f->ports; port++)
    for (uint32_t channel = 0; channel < ripstop_plan_channels(plan); channel++) {
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

static int watch(const ripstop_plan *plan, ripstop_error *err) {
  const ripstop_simulate_settings s = settings();
  const ripstop_change fails = {.id = ripstop_plan_fabric(plan)->link_ends};
  ripstop_simulation *sim = ripstop_simulate_open(plan, &s, err);
  ripstop_look look = {0};
  int status = !sim || ripstop_simulate_run(sim, 1000, err) || ripstop_simulate_change(sim, &fails, err) ? -1 : 0;
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
  ripstop_plan *plan = ripstop_plan_of("torus:4x4", NULL, "dor", &err);
  int status = plan ? watch(plan, &err) : -1;
  if (status) fprintf(stderr, "deadlock: %s\n", err.text);
  ripstop_plan_free(plan);
  return status ? 1 : 0;
}
