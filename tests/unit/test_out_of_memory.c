/* test_out_of_memory.c - any request for memory may be the first to be refused, in any call. The call returns an error
 * that says so, and when everything that the caller holds has been freed, nothing is left. A story uses the library as
 * a program of its own would. It runs once to the end, then once for every request that it made (every N-th: share.h),
 * this one and all later ones being refused. Slow: each request for memory is refused once. */
#include <stdio.h>
#include <string.h>

#include "campaign/workers.h"
#include "check.h"
#include "fabric/ib_subnet.h"
#include "fabric/inner.h"
#include "prove/proof.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/kit/planner.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/kit/repair.h"
#include "ripstop/kit/report.h"
#include "ripstop/plugin/method.h"
#include "ripstop/ripstop.h"
#include "route/plan_steps.h"
#include "scarce.h"
#include "share.h"
#include "simulate/run_result.h"

enum { EACH = 400, STEP = 37 }; /* so many requests are refused each, then every 37th */

static const char *part, *candidate; /* the story's fabric or file, and its method */

/* The objects of a story; all of them can be freed at any time. */
typedef struct run_setup {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_view *view;
  ripstop_plan *plan;
} run_setup;

static int no_memory(ripstop_error *err) { return ripstop_fail(err, "out of memory"); }

static int stand_on(run_setup *g, ripstop_error *err) {
  *g = (run_setup){.arena = ripstop_arena_new()};
  if (!g->arena) return no_memory(err);
  if (!(g->fabric = ripstop_fabric_open(part, err))) return -1;
  if (!(g->names = ripstop_names_new(g->fabric)) || !(g->view = ripstop_view_new(g->fabric, NULL)))
    return no_memory(err);
  return candidate && !(g->plan = ripstop_plan_compile(g->view, candidate, NULL, err)) ? -1 : 0;
}

static int leave(run_setup *g, int status) {
  ripstop_plan_free(g->plan);
  ripstop_view_free(g->view);
  ripstop_names_free(g->names);
  ripstop_fabric_free(g->fabric);
  ripstop_arena_free(g->arena);
  return status;
}

/* ------------------------------------------------------------------ fabrics and faults */

static int ask_fabric(const run_setup *g, ripstop_error *err) {
  static uint32_t distance[1000];
  ripstop_span span;
  if (ripstop_fabric_check(g->fabric, err)) return -1;
  if (ripstop_fabric_distances(g->fabric, 0, distance) || ripstop_fabric_span(g->fabric, 10, &span))
    return no_memory(err);
  if (ripstop_view_components(g->view, distance) == RIPSTOP_NONE) return no_memory(err);
  return ripstop_view_disconnected_pairs(g->view) == UINT64_MAX ? no_memory(err) : 0;
}

static int fabrics(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  return leave(&g, status ? status : ask_fabric(&g, err));
}

static int draw_faults(const run_setup *g, ripstop_error *err) {
  ripstop_faults faults;
  ripstop_combinations all;
  uint32_t links[4] = {0};
  ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  if (ripstop_faults_sample(g->arena, g->fabric, RIPSTOP_FAULTS_SWITCHES, 2, 1, 1, &faults, err)) return -1;
  if (ripstop_combinations_first(g->arena, 9, 2, &all)) return no_memory(err);
  if (ripstop_faults_from_parts(g->arena, g->fabric, RIPSTOP_FAULTS_ALL_LINKS, all.part, 2, &faults))
    return no_memory(err);
  return ripstop_view_break(g->view, NULL, 3, false, &stream, links) == RIPSTOP_NONE ? no_memory(err) : 0;
}

static int read_faults(const run_setup *g, ripstop_error *err) {
  static const char line[] = "0/0.1/2 switch:1/0.0", times[] = "0/0.1/2@70 0/0.0/3@90 0/0.1/2+@200";
  ripstop_faults faults, *sets;
  ripstop_schedule schedule;
  size_t count;
  if (ripstop_faults_parse(g->arena, g->names, line, strlen(line), &faults, err)) return -1;
  if (ripstop_faults_read(g->arena, g->names, "faults.txt", &sets, &count, err)) return -1;
  if (ripstop_schedule_parse(g->arena, g->names, times, strlen(times), &schedule, err)) return -1;
  return ripstop_schedule_check(&schedule, g->fabric, NULL, err);
}

static int faults(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  if (!status) status = read_faults(&g, err);
  return leave(&g, status ? status : draw_faults(&g, err));
}

/* ------------------------------------------------------------------ plans and proofs */

static int compile(const run_setup *g, ripstop_error *err) {
  const char *canonical;
  ripstop_delivery delivery;
  ripstop_view_set_link(g->view, g->fabric->links - 1, false);
  if (ripstop_method_canonical(g->arena, candidate, &canonical, err)) return -1;
  if (ripstop_plan_recompile(g->plan, err) || ripstop_plan_tables(g->plan, err)) return -1;
  return ripstop_plan_deliver(g->plan, 0, g->fabric->ends - 1, 100000, &delivery, err);
}

static int plans(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  return leave(&g, status ? status : compile(&g, err));
}

/* The certificate goes to a file, comes back, and is checked. */
static int certify(const run_setup *g, const ripstop_proof *proof, ripstop_error *err) {
  static char text[1 << 20];
  FILE *file = fmemopen(text, sizeof text, "w");
  int status = ripstop_certificate_write(file, g->plan, proof) ? no_memory(err) : 0;
  fclose(file);
  if (status) return -1;
  ripstop_certificate *c = ripstop_certificate_parse("text", text, strlen(text), err);
  if (!c) return -1;
  ripstop_text verdict = {0};
  ripstop_check check = ripstop_certificate_check(c, g->plan, &verdict, NULL, err);
  if (check == RIPSTOP_REFUTED) fail_msg("%s", verdict.data);
  ripstop_text_free(&verdict);
  ripstop_certificate_free(c);
  return check == RIPSTOP_CONFIRMED ? 0 : -1;
}

static int prove_by(ripstop_prover *prover, unsigned threads, const run_setup *g, ripstop_error *err) {
  ripstop_proof proof;
  ripstop_prover_paths(prover, true);
  if (ripstop_prover_threads(prover, threads)) return no_memory(err);
  if (ripstop_plan_tables(g->plan, err) || ripstop_prover_prove(prover, g->plan, &proof, err)) return -1;
  if (certify(g, &proof, err)) return -1;
  return ripstop_prover_threads(prover, 1) ? no_memory(err) : ripstop_prover_prove(prover, g->plan, &proof, err);
}

static int proofs_of(unsigned threads, ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  ripstop_prover *prover = status ? NULL : ripstop_prover_new(g.fabric);
  if (!status) status = prover ? prove_by(prover, threads, &g, err) : no_memory(err);
  ripstop_prover_free(prover);
  return leave(&g, status);
}

static int proofs(ripstop_error *err) { return proofs_of(1, err); }
static int shared_proofs(ripstop_error *err) { return proofs_of(3, err); }

static void tell(void *context, const ripstop_set_proof *proof, ripstop_text *text) {
  const run_setup *g = context;
  ripstop_set_proof_print(text, g->fabric, proof);
}

static int done(void *context, const ripstop_set_proof *proof, const ripstop_text *text, const ripstop_tally *so_far) {
  (void)context, (void)proof, (void)so_far;
  return text->length ? 0 : 1;
}

static int prove_sets(run_setup *g, ripstop_error *err) {
  ripstop_tally tally;
  ripstop_many many = {.fabric = g->fabric,
                       .method = "updown",
                       .kind = RIPSTOP_SETS_ALL,
                       .count = 1,
                       .symmetry = true,
                       .confidence = 0.9,
                       .threads = 2,
                       .tell = tell,
                       .done = done,
                       .context = g};
  if (ripstop_prove_many(&many, &tally, err)) return -1;
  many.kind = RIPSTOP_SETS_SAMPLED, many.samples = 7, many.count = 2;
  return ripstop_prove_many(&many, &tally, err);
}

static int many_proofs(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  return leave(&g, status ? status : prove_sets(&g, err));
}

static int prove_transients(const run_setup *g, ripstop_prover *prover, const ripstop_plan *after, ripstop_error *err) {
  ripstop_answer answer;
  ripstop_proof proof;
  ripstop_mixed mixed = {.orders = 1, .of_protocol = ripstop_network_versions, .repaired = !g->plan->method->proto};
  ripstop_versions *v = ripstop_mixed_open(&mixed, candidate, g->plan, after, 0, &answer, err);
  int status = v ? ripstop_prove_transients(prover, &(ripstop_mixing){.versions = v}, &proof, err) : -1;
  ripstop_versions_free(v);
  return status;
}

/* Transient states: the tables before a link failed, together with those after. */
static int transients(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  ripstop_view *view = status ? NULL : ripstop_view_new(g.fabric, NULL);
  ripstop_prover *prover = view ? ripstop_prover_new(g.fabric) : NULL;
  if (!status && !prover) status = no_memory(err);
  if (!status) ripstop_view_set_link(view, g.fabric->links - 1, false);
  ripstop_plan *after = status ? NULL : ripstop_plan_compile(view, candidate, NULL, err);
  if (!status) status = after && !ripstop_plan_tables(g.plan, err) && !ripstop_plan_tables(after, err) ? 0 : -1;
  if (!status) status = prove_transients(&g, prover, after, err);
  ripstop_plan_free(after);
  ripstop_prover_free(prover);
  ripstop_view_free(view);
  return leave(&g, status);
}

/* A caller that has met the end of memory may call again. */
static int follow_twice(run_setup *g, ripstop_repairer *r, ripstop_error *err) {
  ripstop_repaired out;
  ripstop_view_set_link(g->view, g->fabric->links - 1, false);
  int status = ripstop_repairer_follow(r, &out, err) == RIPSTOP_APPLIES ? 0 : -1;
  ripstop_error again;
  ripstop_view_set_link(g->view, g->fabric->links - 2, false);
  if (ripstop_repairer_follow(r, &out, status ? &again : err) != RIPSTOP_APPLIES) status = -1;
  return status;
}

static int repairers(ripstop_error *err) {
  run_setup g;
  ripstop_answer answer;
  int status = stand_on(&g, err);
  if (!status && ripstop_plan_tables(g.plan, err)) status = -1;
  ripstop_repairer *r =
      status ? NULL : ripstop_repairer_open(g.view, candidate, g.plan->method->forwarding(g.plan), &answer, err);
  if (!status) status = r ? follow_twice(&g, r, err) : -1;
  ripstop_repairer_free(r);
  return leave(&g, status);
}

static int defeats(ripstop_error *err) {
  run_setup g;
  ripstop_defeat defeat;
  ripstop_defeat_limits limits = {.budget = 20, .search = 3, .seed = 1};
  int status = stand_on(&g, err);
  ripstop_text text = {0};
  if (!status) status = ripstop_smallest_defeat(g.arena, g.fabric, "updown", &limits, &defeat, err);
  if (!status && ripstop_defeat_print(&text, g.fabric, "updown", &defeat)) status = no_memory(err);
  ripstop_text_free(&text);
  return leave(&g, status);
}

static int draw_graph(const run_setup *g, ripstop_prover *prover, ripstop_text *text, ripstop_error *err) {
  ripstop_proof proof;
  const ripstop_subfunction *of = ripstop_subfunction_find(g->plan->method, "subtree", err);
  if (!of) return -1;
  ripstop_prover_dependencies(prover, of);
  if (ripstop_prover_prove(prover, g->plan, &proof, err)) return -1;
  return ripstop_dependencies_dot(text, g->plan, &proof.dependencies) ? no_memory(err) : 0;
}

static int graphs(ripstop_error *err) {
  run_setup g;
  ripstop_text text = {0};
  int status = stand_on(&g, err);
  ripstop_prover *prover = status ? NULL : ripstop_prover_new(g.fabric);
  if (!status) status = prover ? draw_graph(&g, prover, &text, err) : no_memory(err);
  ripstop_text_free(&text);
  ripstop_prover_free(prover);
  return leave(&g, status);
}

/* ------------------------------------------------------------------ simulations and protocols */

static const char *traffic, *reconfiguration, *changes;

static int describe(const run_setup *g, ripstop_simulate_settings *s, ripstop_schedule *schedule, ripstop_error *err) {
  *s = (ripstop_simulate_settings){.seed = 3, .schedule = schedule};
  if (ripstop_options_parse(g->arena, "switch", ripstop_switch_options, &s->switch_, "in_queue=2", err)) return -1;
  if (ripstop_options_parse(g->arena, "traffic", ripstop_traffic_options, &s->traffic, traffic, err)) return -1;
  if (ripstop_options_parse(g->arena, "reaction", ripstop_reconfiguration_options, &s->reconfiguration, reconfiguration,
                            err))
    return -1;
  if (ripstop_options_parse(g->arena, "measure", ripstop_measure_options, &s->measure,
                            "warmup=0,cycles=600,check=200,window=100,affected=on", err))
    return -1;
  return ripstop_schedule_parse(g->arena, g->names, changes, strlen(changes), schedule, err);
}

/* In pieces, with a change and a result between. */
static int simulate_on(ripstop_simulation *sim, ripstop_error *err) {
  ripstop_run_result early, result;
  ripstop_change fails = {.id = 6};
  if (ripstop_simulate_run(sim, 50, err) || ripstop_simulate_change(sim, &fails, err)) return -1;
  if (ripstop_simulate_run(sim, 150, err) || ripstop_simulate_result_into(sim, &early, err)) return -1;
  int status = ripstop_simulate_run(sim, UINT64_MAX, err) || ripstop_simulate_result_into(sim, &result, err) ? -1 : 0;
  ripstop_run_result_free(&early);
  if (!status) ripstop_run_result_free(&result);
  return status;
}

static int simulate(const run_setup *g, const ripstop_agent *agent, ripstop_error *err) {
  ripstop_simulate_settings s;
  ripstop_schedule schedule;
  ripstop_run_result result;
  if (describe(g, &s, &schedule, err) || ripstop_plan_tables(g->plan, err)) return -1;
  s.agent = agent;
  s.agents = agent ? 1 : 0;
  if (ripstop_simulate_check(g->plan, &s, err) || ripstop_simulate_into(g->plan, &s, &result, err)) return -1;
  ripstop_run_result_free(&result);
  s.parts = 2; /* parts of one thread */
  ripstop_simulation *sim = ripstop_simulate_open(g->plan, &s, err);
  int status = sim ? simulate_on(sim, err) : -1;
  ripstop_simulate_close(sim);
  return status;
}

static int simulations(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  return leave(&g, status ? status : simulate(&g, NULL, err));
}

static void serve(void *context, ripstop_agent_context *play) {
  (void)context;
  for (uint32_t i = 0; i < 40; i++)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = i % 7, .destination = 7, .flits = 4, .tag = i});
  for (uint64_t i = 0; i < 100; i++) ripstop_agent_alarm(play, 5 + i, i);
}

static void ring(void *context, ripstop_agent_context *play, uint64_t alarm) {
  (void)context;
  ripstop_agent_send(play, &(ripstop_agent_packet){.source = 7, .destination = (uint32_t)(alarm % 7), .flits = 4});
  if (alarm == 50) ripstop_agent_change(play, &(ripstop_change){.id = 9, .up = false});
}

static int plays(ripstop_error *err) {
  static const ripstop_agent agent = {.classes = 1, .shortest = 4, .longest = 4, .start = serve, .alarm = ring};
  run_setup g;
  int status = stand_on(&g, err);
  return leave(&g, status ? status : simulate(&g, &agent, err));
}

static int talk(const run_setup *g, ripstop_network *n, ripstop_error *err) {
  ripstop_text text = {0};
  if (ripstop_network_run(n, RIPSTOP_NEVER, err) < 0) return -1;
  int status = 0;
  for (uint32_t v = g->fabric->ends; v < g->fabric->nodes && !status; v++) status = ripstop_network_json(n, v, &text);
  if (!status) status = ripstop_network_report(n, true, &text);
  ripstop_text_free(&text);
  return status ? no_memory(err) : 0;
}

static int protocols(ripstop_error *err) {
  run_setup g;
  ripstop_schedule schedule;
  ripstop_network_options options = {.schedule = &schedule, .spread = 3, .seed = 1};
  int status = stand_on(&g, err);
  if (!status) status = ripstop_schedule_parse(g.arena, g.names, changes, strlen(changes), &schedule, err);
  ripstop_network *n = status ? NULL : ripstop_network_open(g.plan, &options, err);
  if (!status) status = n ? talk(&g, n, err) : -1;
  ripstop_network_free(n);
  return leave(&g, status);
}

/* ------------------------------------------------------------------ experiments */

/* `context`: whether memory ran out in a run, which ends nothing but this run. */
static int keep_on(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  (void)run;
  assert_non_null(outcome->verdict);
  *(bool *)context |= ripstop_outcome_again(outcome);
  return 0;
}

static int work(const ripstop_runs *runs, ripstop_error *err) {
  const ripstop_run *list[100];
  bool too_big = false;
  ripstop_workers workers = {.threads = 2, .done = keep_on, .context = &too_big};
  assert_in_range(runs->count, 1, 100);
  for (size_t i = 0; i < runs->count; i++) list[i] = &runs->run[i];
  return ripstop_work(list, runs->count, &workers) || too_big ? no_memory(err) : 0;
}

static const char small[] = "fabric: kary-ntree:k=2,n=2\nmethod: [updown, misroute]\n"
                            "faults: {count: [0, 1], samples: 2}\ntraffic: {load: 0.4, packet: 4}\n"
                            "measure: {warmup: 0, cycles: 200}\n";

/* Memory that libyaml holds is not counted. */
static int experiments(ripstop_error *err) {
  ripstop_spec *spec = ripstop_spec_read_memory("text", small, strlen(small), NULL, err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, err) : NULL;
  int status = runs ? work(runs, err) : -1;
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  return status;
}

/* ------------------------------------------------------------------ campaigns */

static void keep_outcome(void *context, const ripstop_campaign_event *event) {
  if (event->kind == RIPSTOP_CAMPAIGN_RAN) keep_on(context, event->run, event->outcome);
}

static int run_and_load(const ripstop_campaign_settings *settings, const bool *too_big, ripstop_error *err) {
  ripstop_data data;
  ripstop_campaign_cost cost;
  ripstop_campaign *c = ripstop_campaign_open(settings, err);
  int status = c ? ripstop_campaign_estimate(c, &cost, err) : -1;
  if (!status) status = ripstop_campaign_run(c, err);
  if (status > 0 || (!status && ripstop_campaign_state(c)->broken))
    status = no_memory(err); /* in a thread, in a proof */
  if (!status) status = ripstop_report_load(c, RIPSTOP_LOAD_ALL, &data, err);
  ripstop_campaign_close(c);
  return !status && *too_big ? no_memory(err) : status;
}

/* An empty store: what is left of one whose making failed is only removed by other processes. */
static void make_store(void) {
  const long long asked = scarce_asked, at = scarce_at;
  ripstop_error err = {0};
  remove("scarce-campaign.db");
  scarce_refuse(0);
  ripstop_store_close(ripstop_store_open("scarce-campaign.db", RIPSTOP_STORE_WRITE, &err));
  scarce_asked = asked;
  scarce_at = at;
}

static int campaigns(ripstop_error *err) {
  bool too_big = false;
  make_store();
  ripstop_campaign_settings settings = ripstop_campaign_defaults(NULL);
  settings.store = "scarce-campaign.db", settings.workers = 2, settings.prove = true;
  settings.progress = keep_outcome, settings.context = &too_big;
  ripstop_spec *spec = ripstop_spec_read_memory("text", small, strlen(small), NULL, err);
  settings.spec = spec;
  int status = spec ? run_and_load(&settings, &too_big, err) : -1;
  ripstop_spec_free(spec);
  return status;
}

/* ------------------------------------------------------------------ a planner */

static int report_planner(ripstop_planner *k, const run_setup *g, ripstop_error *err) {
  char *dump = NULL;
  size_t length = 0;
  ripstop_sweep s;
  uint8_t port[64];
  FILE *file = open_memstream(&dump, &length);
  ib_subnet_print(g->fabric, g->view->port_up, g->view->node_up, file);
  fclose(file);
  memset(port, 1, sizeof port); /* the first switch has the entries of another manager */
  int status = ripstop_planner_holds(k, 0x0002c90200000000, port, sizeof port, err);
  if (!status) status = ripstop_planner_sweep(k, dump, length, &s, err);
  free(dump);
  ripstop_planner_table(k, 1, port, sizeof port); /* the call may fail, but it may be made */
  ripstop_planner_level(k, 1, 2);
  return status;
}

/* From its file, if there is one; then a cable dies. */
static int keep_tables(const run_setup *g, bool dies, ripstop_error *err) {
  ripstop_planner *k = ripstop_planner_open("lanes=2,file=scarce.tables", err);
  int status = k ? report_planner(k, g, err) : -1;
  if (!status && dies) {
    ripstop_planner_take_over(k, "host");
    ripstop_view_set_link(g->view, g->fabric->links - 1, false);
    status = report_planner(k, g, err);
  }
  ripstop_planner_free(k);
  return status;
}

static int planners(ripstop_error *err) {
  run_setup g;
  int status = stand_on(&g, err);
  remove("scarce.tables");
  if (!status) status = keep_tables(&g, false, err);
  if (!status) status = keep_tables(&g, true, err);
  return leave(&g, status);
}

/* ------------------------------------------------------------------ running them */

static long long report_once(int (*story)(ripstop_error *err), long long refused, ripstop_error *err) {
  long long before = scarce_live;
  scarce_refuse(refused);
  int status = story(err);
  long long asked = scarce_asked;
  scarce_refuse(0);
  if (scarce_live != before)
    fail_msg("%s with %s, request %lld: %lld blocks are left", part, candidate, refused, scarce_live - before);
  if (!status)
    assert_true(!refused || asked < refused); /* nothing was refused: threads do not always request equally often */
  if (status && !refused) fail_msg("%s with %s: %s", part, candidate, err->text);
  if (status && !strstr(err->text, "out of memory"))
    fail_msg("%s with %s, request %lld: %s", part, candidate, refused, err->text);
  return asked;
}

static void report_all(int (*story)(ripstop_error *err), const char *fabric, const char *method) {
  ripstop_error err = {0};
  part = fabric, candidate = method;
  long long asked = report_once(story, 0, &err);
  assert_true(asked > 0);
  const long long share = share_of_cases();
  for (long long at = 1 + share_first(share_of_cases()); at <= asked; at += at < EACH ? share : share * STEP)
    report_once(story, at, &err);
}

static void set_scene(const char *t, const char *r, const char *c) { traffic = t, reconfiguration = r, changes = c; }

static void fabrics_and_faults(void **state) {
  (void)state;
  FILE *file = fopen("faults.txt", "w");
  fputs("# two sets\n0/0.1/2\n0/0.1/2 switch:1/0.0\n", file);
  fclose(file);
  report_all(fabrics, "kary-ntree:k=2,n=3", NULL);
  report_all(fabrics, "torus:4x3", NULL);
  report_all(fabrics, "kns:k=3,n=2", NULL);
  report_all(fabrics, RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges", NULL);
  report_all(faults, "kary-ntree:k=2,n=3", NULL);
  remove("faults.txt");
}

static void every_method(void **state) {
  (void)state;
  static const char *const fabric[] = {"kary-ntree:k=2,n=2", "mport-ntree:m=4,n=2", "torus:4x3", "kns:k=3,n=2"};
  size_t told = 0;
  for (size_t m = 0; ripstop_methods[m]; m++)
    for (size_t f = 0; f < sizeof fabric / sizeof *fabric; f++) {
      run_setup g;
      ripstop_error err;
      part = fabric[f], candidate = ripstop_methods[m]->name;
      bool applies = stand_on(&g, &err) == 0 && compile(&g, &err) == 0;
      leave(&g, 0);
      if (!applies) continue;
      report_all(plans, part, candidate);
      told++;
    }
  assert_true(told > 10);
}

static void every_kind_of_proof(void **state) {
  (void)state;
  report_all(proofs, "kary-ntree:k=2,n=2", "misroute");
  report_all(proofs, "torus:3x3", "dor"); /* which deadlocks */
  report_all(shared_proofs, "torus:3x3", "minimal-adaptive");
  report_all(many_proofs, "kary-ntree:k=2,n=2", NULL);
  report_all(defeats, "kary-ntree:k=2,n=2", NULL);
  report_all(graphs, "kary-ntree:k=2,n=2", "misroute");
}

static void transients_and_repairs(void **state) {
  (void)state;
  report_all(transients, "torus:3x3", "opensm-minhop");
  report_all(transients, "torus:3x3", "ordered");
  report_all(repairers, "torus:3x3", "opensm-minhop");
  report_all(repairers, "torus:3x3", "mend");
}

static void every_kind_of_run(void **state) {
  (void)state;
  set_scene("load=0.6,packet=4", "", "0/0/2@100 0/0/2+@300");
  report_all(simulations, "kary-ntree:k=2,n=2", "updown");
  report_all(simulations, "kary-ntree:k=2,n=2", "link-fault-messages");
  set_scene("load=0.6,packet=4", "model=static,detect=10", "0/0/2@100 0/0/2+@300");
  report_all(simulations, "kary-ntree:k=2,n=2", "misroute");
  set_scene("load=0.4,packet=4", "", "0.0/0@100 0.0/0+@300");
  report_all(simulations, "torus:3x3", "immunet");
  report_all(plays, "torus:3x3", "immunet");
}

static void protocols_alone(void **state) {
  (void)state;
  set_scene("", "", "0/0.1/2@100 0/0.1/2+@3000");
  report_all(protocols, "kary-ntree:k=2,n=3", "link-fault-messages");
  set_scene("", "", "0.0/0@100 0.0/0+@3000 switch:1.1@4000");
  report_all(protocols, "torus:3x3", "immunet");
}

static void experiments_too(void **state) {
  (void)state;
  report_all(experiments, "an experiment", "two methods");
  report_all(campaigns, "an experiment", "its store");
  remove("scarce-campaign.db");
}

/* Maps of a fiber's stack, which are not the heap's to count. */
static size_t stacks_mapped(void) {
  enum { STACK_BYTES = 256 << 10 };
  char line[400];
  size_t count = 0;
  unsigned long from, to;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    count += sscanf(line, "%lx-%lx rw-p 00000000 00:00 0", &from, &to) == 2 && to - from == STACK_BYTES;
  fclose(maps);
  return count;
}

static void planners_keep_what_they_have(void **state) {
  (void)state;
  report_all(planners, "torus:3x2", NULL);
  remove("scarce.tables");
}

static void programs_give_their_stacks_back(void **state) {
  (void)state;
#ifdef __SANITIZE_THREAD__
  skip(); /* which ends the program at a jump from one stack to another */
#endif
  static const char text[] = "fabric: torus:2x2\nmethod: dor:dateline=on\nprogram: {kernel: [\"fft:points=64\"]}\n";
  ripstop_error err = {0};
  ripstop_outcome outcome;
  ripstop_spec *spec = ripstop_spec_read_memory("text", text, strlen(text), NULL, &err);
  ripstop_runs *runs = ripstop_expand(spec, &err);
  if (!runs) fail_msg("%s", err.text);
  scarce_refuse(0);
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  assert_string_equal(outcome.verdict, "steady");
  ripstop_outcome_free(&outcome);
  long long asked = scarce_asked, live = scarce_live;
  size_t stacks = stacks_mapped();
  for (long long at = 3; at < asked; at += 5) {
    scarce_refuse(at);
    assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
    scarce_refuse(0);
    assert_true(ripstop_outcome_again(&outcome));
    ripstop_outcome_free(&outcome);
    assert_int_equal(scarce_live, live);
  }
  assert_true(stacks_mapped() < stacks + 4); /* a few hundred stacks; a sanitizer has maps of that size too */
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

/* The first two runs fit, the others do not, in whichever of two threads. */
static int compare(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  bool big = run->fabric->ends > 9;
  ++*(size_t *)context;
  assert_int_equal(ripstop_outcome_again(outcome), big);
  assert_string_equal(outcome->verdict, big ? "error" : "steady");
  if (big) assert_true(!strncmp(outcome->reason, "out of memory (", 15) && outcome->values == 0);
  return 0;
}

static void a_run_that_is_too_big_ends_alone(void **state) {
  (void)state;
  static const char text[] = "fabric: [torus:3x3, torus:200x200]\nmethod: minimal-adaptive\nseed: [1, 2]\n"
                             "traffic: {load: 0.1, packet: 4}\nmeasure: {warmup: 0, cycles: 200}\n";
  enum { MOST = 4 << 20 };
  const ripstop_run *list[4];
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory("text", text, strlen(text), NULL, &err);
  scarce_most = MOST; /* for the checks before the first run as well */
  ripstop_runs *runs = ripstop_expand(spec, &err);
  scarce_most = 0;
  if (!runs) fail_msg("%s", err.text);
  assert_int_equal(runs->count, 4);
  for (size_t i = 0; i < 4; i++) list[i] = &runs->run[i];
  for (unsigned threads = 1; threads <= 2; threads++) {
    size_t done = 0;
    long long before = scarce_live;
    ripstop_workers workers = {.threads = threads, .done = compare, .context = &done};
    scarce_most = MOST;
    assert_int_equal(ripstop_work(list, 4, &workers), 0);
    scarce_most = 0;
    assert_int_equal(done, 4);
    assert_int_equal(scarce_live, before);
  }
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fabrics_and_faults),
      cmocka_unit_test(every_method),
      cmocka_unit_test(every_kind_of_proof),
      cmocka_unit_test(transients_and_repairs),
      cmocka_unit_test(every_kind_of_run),
      cmocka_unit_test(protocols_alone),
      cmocka_unit_test(experiments_too),
      cmocka_unit_test(planners_keep_what_they_have),
      cmocka_unit_test(programs_give_their_stacks_back),
      cmocka_unit_test(a_run_that_is_too_big_ends_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
