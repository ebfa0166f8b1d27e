/* workload.c - what messages cost beside random packets, and how long a large all-reduce takes: `make bench`.
 *
 * Each job is followed by as many cycles of uniform traffic of the same packets, whose interfaces always have one, as
 * the job's have: so what differs is the work of agents, messages and tasks, and how crowded the network is. Processor
 * time of the event loop; the least of three runs. It judges nothing by its exit code.
 *
 *   bench_workload [--quick] */
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/workload.h"
#include "route/plan_steps.h"
#include "simulate/run_result.h"
#include "workload/workload_run.h"

enum { PACKET = 16, RUNS = 3 };

typedef struct subject {
  const char *fabric, *method, *jobs;
  int64_t flit, packet; /* bytes */
} subject;

static const subject subjects[] = {
    {"torus:16x16", "minimal-adaptive:escape=bubble", "allreduce:bytes=65536,way=halving", 1, PACKET},
    {"torus:16x16", "minimal-adaptive:escape=bubble", "alltoall:bytes=48", 1, PACKET},
    {"kary-ntree:k=16,n=2", "updown", "alltoall:bytes=96", 1, PACKET},
    {"kary-ntree:k=16,n=2", "updown", "allreduce:bytes=131072 on racks:256", 1, PACKET}};

static void give_up(const ripstop_error *err) {
  fprintf(stderr, "bench: %s\n", err->text);
  exit(1);
}

typedef struct place { /* fabric and plan of a run */
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
} place;

static place open_place(const subject *su) {
  ripstop_error err = {0};
  place p = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(su->fabric, &err)};
  if (!p.fabric) give_up(&err);
  p.view = ripstop_view_new(p.fabric, NULL);
  p.plan = ripstop_plan_compile(p.view, su->method, NULL, &err);
  if (!p.plan || ripstop_plan_tables(p.plan, &err) != RIPSTOP_APPLIES) give_up(&err);
  return p;
}

static void close_place(place *p) {
  ripstop_plan_free(p->plan);
  ripstop_view_free(p->view);
  ripstop_fabric_free(p->fabric);
  ripstop_arena_free(p->arena);
}

static ripstop_simulate_settings scenario_of(const place *p) {
  ripstop_simulate_settings sc = {.seed = 1};
  ripstop_options_defaults(p->arena, ripstop_switch_options, &sc.switch_);
  ripstop_options_defaults(p->arena, ripstop_traffic_options, &sc.traffic);
  ripstop_options_defaults(p->arena, ripstop_measure_options, &sc.measure);
  ripstop_options_defaults(p->arena, ripstop_reconfiguration_options, &sc.reconfiguration);
  return sc;
}

typedef struct cost {
  double seconds, hops, accepted, cycles;
} cost;

static cost cost_of(ripstop_run_result *r) {
  cost c = {r->seconds, (double)r->hops, ripstop_run_result_value(r, "accepted"), (double)r->cycles};
  ripstop_run_result_free(r);
  return c;
}

static cost play(const place *p, const subject *su) {
  ripstop_error err = {0};
  ripstop_run_result r;
  ripstop_workload_run run = {.simulation = scenario_of(p)};
  ripstop_options_defaults(p->arena, ripstop_workload_options, &run.config);
  run.config.jobs = su->jobs;
  run.config.flit = su->flit, run.config.packet = su->packet;
  if (ripstop_workload_agent(p->plan, &run, &r, &err)) give_up(&err);
  if (ripstop_run_result_value(&r, "workload.complete") != 1)
    give_up(&(ripstop_error){.text = "a job is not complete"});
  return cost_of(&r);
}

static cost simulate(const place *p, double cycles) {
  ripstop_error err = {0};
  ripstop_run_result r;
  ripstop_simulate_settings sc = scenario_of(p);
  sc.traffic.load = 1;
  sc.measure.warmup = "0";
  sc.measure.cycles = (int64_t)cycles;
  if (ripstop_simulate_into(p->plan, &sc, &r, &err)) give_up(&err);
  return cost_of(&r);
}

static void keep_least(cost *least, cost one) {
  if (one.seconds / one.hops < least->seconds / least->hops) *least = one;
}

static void compare(const subject *su) {
  place p = open_place(su);
  cost messages = play(&p, su), packets = simulate(&p, messages.cycles);
  for (int i = 1; i < RUNS; i++) {
    keep_least(&messages, play(&p, su));
    keep_least(&packets, simulate(&p, messages.cycles));
  }
  const double one = 1e9 * messages.seconds / messages.hops, other = 1e9 * packets.seconds / packets.hops;
  printf("%-20s %-36s %8.3f %10.0f %10.0f %8.2f\n", su->fabric, su->jobs, messages.accepted, one, other, one / other);
  close_place(&p);
}

/* 64 MiB on 1,024 end nodes in packets of 4 KiB, a flit of 64 bytes. */
static void measure_large(void) {
  static const subject large[] = {{"kary-ntree:k=32,n=2", "updown", "allreduce:bytes=67108864", 64, 4096},
                                  {"kary-ntree:k=32,n=2", "updown", "allreduce:bytes=67108864,way=halving", 64, 4096}};
  printf("\nAll-reduce of 64 MiB on 1,024 end nodes, packets of 4 KiB; target: a minute\n");
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    place p = open_place(&large[i]);
    const cost c = play(&p, &large[i]);
    printf("%-20s %-36s %8.1f s %12.0f cycles\n", large[i].fabric, large[i].jobs, c.seconds, c.cycles);
    close_place(&p);
  }
}

int main(int argc, char **argv) {
  const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  printf("Messages against saturated random sources, ns a hop; target: at most 1.20\n");
  printf("%-20s %-36s %8s %10s %10s %8s\n", "fabric", "jobs", "load", "messages", "packets", "ratio");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) compare(&subjects[i]);
  if (!quick) measure_large();
  return 0;
}
