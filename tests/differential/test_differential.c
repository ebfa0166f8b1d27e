/* test_differential.c - the engine against the slow model: the same packets delivered in the same cycles, the same
 * account, on random networks.
 *
 * RIPSTOP_CASE=N replays case N alone and prints the story of the first packet that differs; RIPSTOP_CASES=N runs N
 * cases of each group instead of the usual number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "model.h"
#include "ripstop/plugin/method.h"
#include "share.h"
#include "simulate/run_result.h"
#include "stand.h"
#include "test_differential.methods/gossip_log.h"

enum { USUAL_CASES = 60 };

typedef struct delivery {
  uint64_t serial, generated_at, delivered;
  uint32_t source, destination;
} delivery;

typedef struct deliveries {
  delivery *at;
  size_t count, room;
} deliveries;

static void add(deliveries *list, delivery d) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 1024;
    list->at = ripstop_realloc(list->at, list->room, sizeof d);
  }
  list->at[list->count++] = d;
}

static void on_delivery(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t generated_at,
                        uint64_t delivered) {
  add(context, (delivery){packet, generated_at, delivered, source, destination});
}

static int by_serial(const void *a, const void *b) {
  const delivery *x = a, *y = b;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static void sort(deliveries *list) {
  if (list->count) qsort(list->at, list->count, sizeof *list->at, by_serial);
}

static void print_delivery(const char *who, const delivery *d) {
  if (!d)
    fprintf(stderr, "  %s: not delivered\n", who);
  else
    fprintf(stderr, "  %s: packet %llu from %u to %u, generated %llu, delivered %llu\n", who,
            (unsigned long long)d->serial, d->source, d->destination, (unsigned long long)d->generated_at,
            (unsigned long long)d->delivered);
}

/* The first difference in time, or nothing. */
static bool differ(const deliveries *engine, const deliveries *model, uint64_t *serial) {
  uint64_t first = UINT64_MAX;
  size_t i = 0, j = 0;
  const delivery *worst[2] = {NULL, NULL};
  while (i < engine->count || j < model->count) {
    const delivery *e = i < engine->count ? &engine->at[i] : NULL, *m = j < model->count ? &model->at[j] : NULL;
    if (e && m && e->serial != m->serial) {
      if (e->serial < m->serial)
        m = NULL;
      else
        e = NULL;
    }
    i += e != NULL;
    j += m != NULL;
    if (e && m && e->generated_at == m->generated_at && e->delivered == m->delivered && e->source == m->source &&
        e->destination == m->destination)
      continue;
    uint64_t when = !m || (e && e->delivered < m->delivered) ? e->delivered : m->delivered;
    if (when >= first) continue;
    first = when;
    worst[0] = e;
    worst[1] = m;
  }
  if (first == UINT64_MAX) return false;
  *serial = worst[0] ? worst[0]->serial : worst[1]->serial;
  print_delivery("engine", worst[0]);
  print_delivery("model ", worst[1]);
  return true;
}

static bool account_differs(const ripstop_account *engine, const ripstop_account *model) {
  if (memcmp(engine, model, sizeof *engine) == 0) return false;
  const ripstop_account *both[] = {engine, model};
  for (int i = 0; i < 2; i++)
    fprintf(stderr, "  %s: generated %llu delivered %llu in flight %llu waiting %llu lost %llu\n",
            i ? "model " : "engine", (unsigned long long)both[i]->generated, (unsigned long long)both[i]->delivered,
            (unsigned long long)both[i]->in_flight, (unsigned long long)both[i]->waiting,
            (unsigned long long)both[i]->lost);
  return true;
}

/* Losses by cause over the whole run, as the engine's values "lost.CAUSE" report them. */
static bool losses_differ(const ripstop_plan *plan, const ripstop_run_result *engine, const model_result *model) {
  bool different = false;
  for (uint32_t cause = 0; cause < MODEL_CAUSES; cause++) {
    const char *why = cause == RIPSTOP_LOST_LINK      ? "link died"
                      : cause == RIPSTOP_LOST_SWITCH  ? "switch died"
                      : cause == RIPSTOP_LOST_DRAIN   ? "drained"
                      : cause == RIPSTOP_LOST_BUFFER  ? "buffer"
                      : cause == RIPSTOP_LOST_ERRORS  ? "errors"
                      : cause == RIPSTOP_LOST_TRIMMED ? "trimmed"
                                                      : plan->method->losses[cause - RIPSTOP_LOST_METHOD];
    if (!why) break;
    char name[128];
    snprintf(name, sizeof name, "lost.%s", why);
    double value = ripstop_run_result_value(engine, name);
    if ((isnan(value) ? 0 : value) == (double)model->lost[cause]) continue;
    fprintf(stderr, "  %s: engine %g, model %llu\n", name, value, (unsigned long long)model->lost[cause]);
    different = true;
  }
  return different;
}

/* The values that docs/model.md defines, over the packets that the model knows; NAN without packets. */
static double mean(double sum, size_t count) { return count ? sum / (double)count : NAN; }

static bool value_differs(const ripstop_run_result *engine, const char *name, double model) {
  double value = ripstop_run_result_value(engine, name);
  if ((isnan(value) && isnan(model)) || fabs(value - model) <= 1e-9 * fabs(model)) return false;
  fprintf(stderr, "  %s: engine %.12g, model %.12g\n", name, value, model);
  return true;
}

static bool values_differ(const test_case *c, const ripstop_run_result *engine, const model_result *model) {
  uint64_t from = (uint64_t)ripstop_run_result_value(engine, "warmup"),
           measured = (uint64_t)c->simulation.measure.cycles;
  double offered = 0, accepted = 0, latency = 0, network = 0, hops = 0, longest = NAN;
  size_t packets = 0;
  if (engine->cycles != from + measured) return false; /* it ended early */
  for (size_t i = 0; i < model->packets; i++) {
    const model_packet *p = &model->packet[i];
    if (p->generated_at >= from) offered += p->flits;
    if (p->delivered == MODEL_NEVER || p->delivered < from) continue;
    double took = (double)(p->delivered - p->generated_at);
    packets++;
    accepted += p->flits;
    latency += took;
    network += (double)(p->delivered - p->sent);
    hops += p->hops - 2; /* without the links of the end nodes */
    if (!(longest >= took)) longest = took;
  }
  double node_cycles = (double)c->fabric->ends * (double)measured;
  bool different = value_differs(engine, "offered", offered / node_cycles);
  different |= value_differs(engine, "accepted", accepted / node_cycles);
  different |= value_differs(engine, "packets", (double)packets);
  different |= value_differs(engine, "latency.mean", mean(latency, packets));
  different |= value_differs(engine, "latency.max", longest);
  different |= value_differs(engine, "network-latency.mean", mean(network, packets));
  different |= value_differs(engine, "hops.mean", mean(hops, packets));
  return different;
}

/* A network that is called deadlocked never empties, and its switches have nothing more to say; one in which nothing
 * moves any more is called deadlocked. (One that still moves may yet run into a deadlock while it empties.) */
static bool verdict_differs(const ripstop_run_result *engine, const model_result *model) {
  bool deadlocked = engine->verdict == RIPSTOP_DEADLOCKED;
  if (deadlocked ? model->stuck && model->silent : !model->frozen || !model->silent || model->stopped) return false;
  fprintf(stderr, "  verdict: engine %s, model %s\n", ripstop_verdict_words[engine->verdict],
          model->frozen ? "nothing moves any more" : "the network empties");
  return true;
}

/* A packet that a draining network keeps forever is lost at the end of the run. */
static bool drain_differs(const ripstop_run_result *engine, model_result *model) {
  if (!(ripstop_run_result_value(engine, "stops.deadlocked") > 0)) return false;
  model->lost[RIPSTOP_LOST_DRAIN] += model->account.in_flight;
  model->account.lost += model->account.in_flight;
  model->account.in_flight = 0;
  if (model->stopped && model->stuck) return false;
  fprintf(stderr, "  the engine finds a deadlock in a draining network, the model's empties\n");
  return true;
}

/* ------------------------------------------------------------------ calls of protocols and agents */

enum { GOSSIPS = 4096 };
static uint64_t *gossip;    /* hashes of the run at hand: [GOSSIPS], by node */
static uint64_t gossip_end; /* end of the run; the model goes on, to see what empties */

void gossip_note(uint32_t node, uint64_t cycle, uint32_t kind, uint32_t number) {
  if (cycle >= gossip_end) return;
  gossip[node] = (gossip[node] ^ cycle << 24 ^ (uint64_t)kind << 20 ^ number) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* One run's own account. */
typedef struct story_of {
  uint64_t gossip[GOSSIPS];
  hash_agent hash_agent;
} story_of;

static void story_begin(story_of *s, const test_case *c, uint64_t cycles) {
  *s = (story_of){.hash_agent = c->hash_agent};
  play_begin(&s->hash_agent);
  gossip = s->gossip;
  gossip_end = cycles;
}

static bool stories_differ(const test_case *c, const ripstop_run_result *result, const model_result *model,
                           const story_of *engine, const story_of *other) {
  bool different = false;
  double messages = ripstop_run_result_value(result, "control.messages");
  for (uint32_t v = 0; v < c->fabric->nodes; v++) {
    if (engine->gossip[v] == other->gossip[v]) continue;
    if (!different) fprintf(stderr, "  node %u takes other steps\n", v);
    different = true;
  }
  if (!isnan(messages) && messages != (double)model->messages) {
    fprintf(stderr, "  messages: engine %g, model %llu\n", messages, (unsigned long long)model->messages);
    different = true;
  }
  if (engine->hash_agent.told != other->hash_agent.told) {
    fprintf(stderr, "  the agent gets other calls: %llu calls by the engine, %llu by the model\n",
            (unsigned long long)engine->hash_agent.calls, (unsigned long long)other->hash_agent.calls);
    different = true;
  }
  return different;
}

/* The engine as a stage. */
static uint64_t on_now(void *runner) { return ripstop_agent_now(runner); }
static void on_send(void *runner, const ripstop_agent_packet *agent_packet) {
  ripstop_agent_send(runner, agent_packet);
}
static void on_alarm(void *runner, uint64_t cycle, uint64_t number) { ripstop_agent_alarm(runner, cycle, number); }
static void on_change(void *runner, const ripstop_change *change) { ripstop_agent_change(runner, change); }
static void on_finish(void *runner) { ripstop_agent_finish(runner); }

static stage stage_of(ripstop_agent_context *run) {
  return (stage){
      .runner = run, .now = on_now, .send = on_send, .alarm = on_alarm, .change = on_change, .finish = on_finish};
}

static void hand_start(void *context, ripstop_agent_context *run) {
  const model_agent *p = context;
  stage on = stage_of(run);
  p->start(p->context, &on);
}

static void hand_delivered(void *context, ripstop_agent_context *run, const ripstop_agent_packet *agent_packet) {
  const model_agent *p = context;
  stage on = stage_of(run);
  p->delivered(p->context, &on, agent_packet);
}

static void hand_lost(void *context, ripstop_agent_context *run, const ripstop_agent_packet *agent_packet) {
  const model_agent *p = context;
  stage on = stage_of(run);
  p->lost(p->context, &on, agent_packet);
}

static void hand_alarm(void *context, ripstop_agent_context *run, uint64_t number) {
  const model_agent *p = context;
  stage on = stage_of(run);
  p->alarm(p->context, &on, number);
}

static ripstop_agent engine_agent(model_agent *agent) {
  return (ripstop_agent){.classes = agent->classes,
                         .shortest = agent->shortest,
                         .longest = agent->longest,
                         .start = hand_start,
                         .delivered = hand_delivered,
                         .lost = hand_lost,
                         .alarm = hand_alarm,
                         .context = agent};
}

/* ------------------------------------------------------------------ one case */

static deliveries delivered_in_model(const model_result *model) {
  deliveries list = {0};
  for (size_t i = 0; i < model->packets; i++) {
    const model_packet *p = &model->packet[i];
    if (p->delivered != MODEL_NEVER)
      add(&list, (delivery){p->serial, p->generated_at, p->delivered, p->source, p->destination});
  }
  return list;
}

static int run_model(const test_case *c, const ripstop_plan *plan, uint64_t cycles, FILE *trace, uint64_t traced,
                     story_of *story, model_result *out, ripstop_error *err) {
  story_begin(story, c, cycles);
  model_agent agent = play_agent(&story->hash_agent);
  return model_run(plan, &c->simulation, c->plays ? &agent : NULL, cycles, trace, traced, out, err);
}

static bool compare(const test_case *c, const ripstop_plan *plan, const ripstop_run_result *result,
                    const deliveries *engine, const story_of *story, bool verbose) {
  ripstop_error err = {0};
  model_result model;
  story_of told;
  uint64_t serial = UINT64_MAX;
  if (run_model(c, plan, result->cycles, NULL, 0, &told, &model, &err)) {
    fprintf(stderr, "  model: %s\n", err.text);
    return false;
  }
  deliveries expected = delivered_in_model(&model);
  sort(&expected);
  bool same = !differ(engine, &expected, &serial);
  if (drain_differs(result, &model)) same = false;
  if (account_differs(&result->account, &model.account)) same = false;
  if (losses_differ(plan, result, &model)) same = false;
  if (values_differ(c, result, &model)) same = false;
  if (verdict_differs(result, &model)) same = false;
  if (stories_differ(c, result, &model, story, &told)) same = false;
  if (verbose)
    fprintf(stderr, "  %llu cycles, verdict %s, %zu packets, %zu delivered, %llu lost\n",
            (unsigned long long)result->cycles, ripstop_verdict_words[result->verdict], model.packets, expected.count,
            (unsigned long long)model.account.lost);
  ripstop_free(expected.at);
  model_free(&model);
  if (verbose && serial != UINT64_MAX && run_model(c, plan, result->cycles, stderr, serial, &told, &model, &err) == 0)
    model_free(&model);
  return same;
}

/* The counts of a group. */
typedef struct tally {
  uint64_t generated, delivered, lost;
  uint32_t cases, deadlocked, different;
} tally;

/* Runs one case; a difference has been printed when it is counted. */
static void run_case(uint32_t number, bool verbose, tally *t) {
  test_case c;
  ripstop_error err = {0};
  ripstop_run_result result;
  deliveries engine = {0};
  case_make(number, &c);
  c.simulation.on_delivery = on_delivery;
  c.simulation.context = &engine;
  if (verbose) case_print(&c, stderr);
  story_of told;
  story_begin(&told, &c, UINT64_MAX);
  model_agent agent = play_agent(&told.hash_agent);
  ripstop_agent engine_side = engine_agent(&agent);
  c.simulation.agent = &engine_side;
  c.simulation.agents = c.plays;
  stand run_setup = stand_try(c.fabric, c.method, &c.faults, &err);
  bool same = run_setup.plan && ripstop_simulate_into(run_setup.plan, &c.simulation, &result, &err) == 0;
  if (!same)
    fprintf(stderr, "  engine: %s\n", err.text);
  else {
    sort(&engine);
    same = compare(&c, run_setup.plan, &result, &engine, &told, verbose);
    t->generated += result.account.generated;
    t->delivered += result.account.delivered;
    t->lost += result.account.lost;
    t->deadlocked += result.verdict == RIPSTOP_DEADLOCKED;
    ripstop_run_result_free(&result);
  }
  if (!same) {
    fprintf(stderr, "  replay with RIPSTOP_CASE=%u\n", number);
    if (!verbose) case_print(&c, stderr);
  }
  t->cases++;
  t->different += !same;
  ripstop_free(engine.at);
  stand_close(&run_setup);
  case_free(&c);
}

static void run_group(void **state) {
  const case_group *group = *state;
  const char *one = getenv("RIPSTOP_CASE"), *many = getenv("RIPSTOP_CASES");
  uint32_t cases = many ? (uint32_t)strtoul(many, NULL, 10) : USUAL_CASES / share_of_cases();
  uint32_t first = (uint32_t)*group * CASES_PER_GROUP + (many ? 0 : share_first(share_of_cases()) * cases);
  tally t = {0};
  if (one) {
    run_case((uint32_t)strtoul(one, NULL, 10), true, &t);
  } else
    for (uint32_t i = 0; i < cases; i++) run_case(first + i, false, &t);
  print_message("%u cases, %u deadlocked; packets: %llu generated, %llu delivered, %llu lost\n", t.cases, t.deadlocked,
                (unsigned long long)t.generated, (unsigned long long)t.delivered, (unsigned long long)t.lost);
  assert_int_equal(t.different, 0);
  assert_true(one || t.delivered > 0);
}

int main(void) {
  static const char *const names[CASES_GROUPS] = {"credits",
                                                  "XON/XOFF",
                                                  "output queues",
                                                  "faults from the start",
                                                  "schedules of faults and repairs",
                                                  "protocols",
                                                  "players",
                                                  "guests",
                                                  "stops",
                                                  "agents with protocols, in-transit packets or stops",
                                                  "slow links",
                                                  "lines",
                                                  "bound packets",
                                                  "channels and pools",
                                                  "shared memory"};
  static case_group group[CASES_GROUPS];
  struct CMUnitTest tests[CASES_GROUPS];
  const char *one = getenv("RIPSTOP_CASE");
  size_t count = 0;
  for (int i = 0; i < CASES_GROUPS; i++) {
    if (one && strtoul(one, NULL, 10) / CASES_PER_GROUP != (unsigned long)i) continue;
    group[i] = (case_group)i;
    tests[count++] = (struct CMUnitTest){.name = names[i], .test_func = run_group, .initial_state = &group[i]};
  }
  if (count == 0) fprintf(stderr, "RIPSTOP_CASE=%s: there is no such case\n", one);
  return count ? _cmocka_run_group_tests("differential", tests, count, NULL, NULL) : 2;
}
