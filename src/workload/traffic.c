/* traffic.c - random traffic with a transport that sends lost packets again (traffic.transport). One agent serves all
 * end nodes; each packet of the random sources is a message of one packet.
 *
 * Invariant: packets are those of the same run without a transport. The generation time, destination and length of
 * packet n of an end node depend on (seed, end node, n) alone. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "simulate/run_result.h"
#include "simulate/source.h"
#include "workload/ends.h"
#include "workload/round_trip.h"
#include "workload/transport.h"
#include "workload/workload_run.h"

#define ALARM_TRANSPORT (UINT64_C(1) << 32) /* below it, an alarm is the number of an end node that generates */

typedef struct carrier {
  const ripstop_plan *plan;
  ripstop_simulate_settings scenario; /* with the agent */
  ripstop_workload_config config;     /* the transport's */
  ripstop_agent agent;
  ripstop_sources *sources;
  ripstop_source *source; /* [end nodes]: the next packet of each */
  transport *transport;
  uint64_t lost; /* packets */
  ripstop_arena *arena;
} carrier;

/* ------------------------------------------------------------------ the agent */

/* Message.play is the cycle in which the packet is generated: runs are shorter than 2^32 cycles. */
static void generate(const carrier *c, ripstop_agent_context *on, uint32_t end) {
  const ripstop_source *s = &c->source[end];
  const transport_message m = {.job_run = (uint32_t)s->generated_at, .full = s->flits, .last = s->flits};
  ripstop_agent_generated(on, s->flits);
  transport_send(c->transport, on, (transport_pair){end, s->destination, 0}, 1, &m);
}

/* Packets that are due while the switch is down are never generated (docs/model.md, "Changes"). */
static void generate_due(carrier *c, ripstop_agent_context *on, uint32_t end) {
  ripstop_source *s = &c->source[end];
  const bool up = ripstop_agent_is_up(on, end);
  for (; s->generated_at <= ripstop_agent_now(on); ripstop_source_next(c->sources, end, s))
    if (up) generate(c, on, end);
  if (s->generated_at != RIPSTOP_NEVER) ripstop_agent_alarm(on, s->generated_at, end);
}

static void start(void *context, ripstop_agent_context *on) {
  const carrier *c = context;
  for (uint32_t end = 0; end < c->plan->fabric->ends; end++)
    if (c->source[end].generated_at != RIPSTOP_NEVER) ripstop_agent_alarm(on, c->source[end].generated_at, end);
}

static void delivered(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  const carrier *c = context;
  transport_message there;
  if (transport_delivered(c->transport, on, packet, &there)) ripstop_agent_received(on, there.job_run);
}

static void taken(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  const carrier *c = context;
  transport_message started;
  transport_taken(c->transport, on, packet, &started);
}

static void lost(void *context, ripstop_agent_context *on, const ripstop_agent_packet *packet) {
  carrier *c = context;
  c->lost++;
  transport_lost(c->transport, on, packet);
}

static void ring(void *context, ripstop_agent_context *on, uint64_t alarm) {
  carrier *c = context;
  if (alarm < ALARM_TRANSPORT) {
    generate_due(c, on, (uint32_t)alarm);
    return;
  }
  transport_alarm(c->transport, on, (uint32_t)alarm);
  if (transport_gave_up(c->transport)) ripstop_agent_finish(on);
}

static void account(const void *context, ripstop_account *out) {
  const carrier *c = context;
  transport_outstanding(c->transport, &out->in_flight, &out->waiting);
}

/* ------------------------------------------------------------------ opening */

static int check_none(const ripstop_traffic_config *t, ripstop_error *err) {
  ripstop_traffic_config usual = {0};
  RIPSTOP_LOCAL_ARENA(scratch);
  int status = ripstop_options_defaults(scratch, ripstop_traffic_options, &usual);
  const struct {
    const char *name;
    int64_t is, usual;
  } own[] = {{"window", t->window, usual.window},
             {"timeout", t->timeout, usual.timeout},
             {"backoff", t->backoff, usual.backoff},
             {"tries", t->tries, usual.tries},
             {"ack", t->ack, usual.ack},
             {"acks", t->acks, usual.acks}};
  for (size_t i = 0; i < sizeof own / sizeof *own && !status; i++)
    if (own[i].is && own[i].is != own[i].usual)
      status = ripstop_fail(err, "traffic.%s needs traffic.transport: go-back-n, selective or trim", own[i].name);
  return status;
}

static int open_sources(carrier *c, ripstop_error *err) {
  const ripstop_fabric *f = c->plan->fabric;
  c->sources = ripstop_sources_open(c->arena, f, &c->scenario.traffic, c->scenario.seed, err);
  if (!c->sources) return ripstop_fail_at(err, "traffic");
  if (ripstop_sources_classes(c->sources) > 1)
    return ripstop_fail(err, "traffic.classes: with a transport there is one class, not %u",
                        ripstop_sources_classes(c->sources));
  ripstop_sources_end(c->sources, UINT32_MAX);
  c->source = RIPSTOP_ARRAY(c->arena, f->ends, ripstop_source);
  for (uint32_t end = 0; end < f->ends; end++) ripstop_source_open(c->sources, end, &c->source[end]);
  return 0;
}

static uint64_t least_timeout(const carrier *c) {
  const uint32_t longest = ripstop_sources_longest(c->sources), ack = (uint32_t)c->config.ack;
  return round_trip_bound(c->plan, &c->scenario, (uint64_t)c->config.window, longest > ack ? longest : ack);
}

static uint32_t first_window(const carrier *c) {
  return round_trip_packets(c->plan, &c->scenario, ripstop_sources_longest(c->sources), (uint32_t)c->config.ack);
}

static void open_transport(carrier *c) {
  const ripstop_traffic_config *t = &c->scenario.traffic;
  const ripstop_switch_config *s = &c->scenario.switch_;
  c->config = (ripstop_workload_config){.transport = t->transport,
                                        .window = t->window,
                                        .timeout = t->timeout,
                                        .timeout_min = RIPSTOP_UNLIMITED,
                                        .backoff = t->backoff,
                                        .tries = t->tries,
                                        .ack = t->ack,
                                        .ack_class = t->acks};
  c->transport = transport_open(&c->config, c->plan->view, 1, ALARM_TRANSPORT, c->arena);
  if (t->timeout == RIPSTOP_UNLIMITED) transport_bound(c->transport, least_timeout(c));
  if (t->transport == RIPSTOP_TRANSPORT_TRIM) transport_pull(c->transport, first_window(c));
  if (c->plan->informs) transport_inform(c->transport, (uint32_t)(s->link + s->pipeline));
}

static void put_agent(carrier *c) {
  c->agent = (ripstop_agent){.classes = 1,
                             .shortest = ripstop_sources_shortest(c->sources),
                             .longest = ripstop_sources_longest(c->sources),
                             .start = start,
                             .delivered = delivered,
                             .taken = taken,
                             .lost = lost,
                             .alarm = ring,
                             .account = account,
                             .context = c};
  transport_widen(&c->config, &c->agent);
  c->scenario.agent = &c->agent;
  c->scenario.agents = 1;
}

static int open_carrier(carrier *c, const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                        ripstop_arena *arena, ripstop_error *err) {
  *c = (carrier){.plan = plan, .scenario = *scenario, .arena = arena};
  if (scenario->agents)
    return ripstop_fail(err, "traffic.transport serves all end nodes, but some have an agent already");
  if (open_sources(c, err)) return -1;
  open_transport(c);
  put_agent(c);
  return 0;
}

/* ------------------------------------------------------------------ the result */

static void add_values(const carrier *c, ripstop_run_result *result) {
  const transport_counts n = transport_count(c->transport);
  const double cycles = (double)result->cycles, generated_at = (double)transport_oldest(c->transport);
  const ripstop_value own[] = {{"transport.repeats", "packets", (double)n.repeats, NAN},
                               {"transport.lost", "packets", (double)c->lost, NAN},
                               {"transport.timeouts", "time-outs", (double)n.timeouts, NAN},
                               {"transport.acks", "packets", (double)n.acks, NAN},
                               {"transport.naks", "packets", (double)n.naks, NAN},
                               {"transport.refused", "packets", (double)n.refused, NAN},
                               {"transport.duplicates", "packets", (double)n.duplicates, NAN},
                               {"transport.oldest", "cycles", generated_at < cycles ? cycles - generated_at : 0, NAN},
                               {"transport.trimmed", "packets", (double)n.trimmed, NAN},
                               {"transport.pulls", "packets", (double)n.pulls, NAN},
                               {"transport.informed", "packets", (double)n.informed, NAN}};
  enum { COUNT = sizeof own / sizeof *own, TRIMMED = COUNT - 3, INFORMED = COUNT - 1 };
  const bool trims = c->config.transport == RIPSTOP_TRANSPORT_TRIM;
  ripstop_value *all = RIPSTOP_ARRAY(result->arena, result->values + COUNT, ripstop_value);
  if (result->values) memcpy(all, result->value, result->values * sizeof *all);
  for (size_t i = 0; i < COUNT; i++)
    if (i < TRIMMED || (i < INFORMED ? trims : transport_informs(c->transport))) all[result->values++] = own[i];
  result->value = all;
}

static void set_disconnected(const carrier *c, transport_pair pair, const char *why, ripstop_run_result *result) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->plan->fabric, pair.source, from);
  ripstop_node_name(c->plan->fabric, pair.destination, to);
  result->verdict = RIPSTOP_LOSSY;
  result->witness = ripstop_arena_printf(result->arena, "packets %s->%s: %s", from, to, why);
}

static void judge(const carrier *c, ripstop_run_result *result) {
  transport_pair pair;
  uint64_t settled;
  if (result->verdict == RIPSTOP_DEADLOCKED) return;
  if (transport_gave_up_on(c->transport, &pair))
    set_disconnected(c, pair, "their time-out has passed more often in a row than traffic.tries", result);
  else if (transport_finds_apart(c->transport, ends_parts(c->plan, c->scenario.schedule, c->arena, &settled), &pair))
    set_disconnected(c, pair, "nothing connects these two at the end of the run", result);
  else if (transport_loses_all(c->transport, &pair))
    set_disconnected(c, pair, "lost again when they were repeated, and not delivered at the end of the run", result);
}

static int run_carrier(carrier *c, ripstop_run_result *result, ripstop_error *err) {
  if (ripstop_simulate_into(c->plan, &c->scenario, result, err)) return -1;
  if (!transport_is_right_so_far(c->transport)) {
    ripstop_run_result_free(result);
    return ripstop_fail(err, "packets were handed over twice, out of order, or not at all");
  }
  add_values(c, result);
  judge(c, result);
  return 0;
}

int ripstop_traffic_check(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  carrier c;
  if (scenario->traffic.transport == RIPSTOP_TRANSPORT_NONE)
    return check_none(&scenario->traffic, err) || ripstop_simulate_check(plan, scenario, err) ? -1 : 0;
  ripstop_arena *arena = ripstop_arena_new();
  int status = open_carrier(&c, plan, scenario, arena, err) || ripstop_simulate_check(plan, &c.scenario, err) ? -1 : 0;
  ripstop_arena_free(arena);
  return status;
}

int ripstop_traffic_run(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_run_result *result,
                        ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  carrier c;
  *result = (ripstop_run_result){0};
  if (scenario->traffic.transport == RIPSTOP_TRANSPORT_NONE)
    return check_none(&scenario->traffic, err) || ripstop_simulate_into(plan, scenario, result, err) ? -1 : 0;
  ripstop_arena *arena = ripstop_arena_new();
  int status = open_carrier(&c, plan, scenario, arena, err) || run_carrier(&c, result, err) ? -1 : 0;
  ripstop_arena_free(arena);
  return status;
}
