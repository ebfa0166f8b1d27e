/* cases.c - makes a whole simulation from a case's number: fabric, method, switch, traffic, faults, schedule.
 * Invariant: the options' own rules permit every case (sizes of queues, combinations with bubbles, ...), so an engine
 * that refuses one is at fault. Methods are random ones of the registry; a method that does not apply to the fabric is
 * replaced by another. */
#include "cases.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "simulate/source.h"
#include "things.h"

typedef struct draw {
  ripstop_stream random;
  ripstop_arena *arena;
  case_group group;
} draw;

static uint32_t below(draw *d, uint32_t bound) { return ripstop_stream_below(&d->random, bound); }
static int64_t between(draw *d, int64_t low, int64_t high) { return low + below(d, (uint32_t)(high - low + 1)); }
static bool chance(draw *d, double share) { return ripstop_stream_unit(&d->random) < share; }

/* Which cycles' deadlocks empty a network that drains is the engine's business; so there is one, the last. */
enum { NO_CHECK = 1000000 };

#define ANY(d, list) ((list)[below((d), sizeof(list) / sizeof *(list))])

/* ------------------------------------------------------------------ fabrics */

static const char *const fabrics[] = {
    "kary-ntree:k=2,n=2",  "kary-ntree:k=2,n=3",  "kary-ntree:k=2,n=4",  "kary-ntree:k=3,n=2",
    "kary-ntree:k=3,n=3",  "kary-ntree:k=4,n=2",  "kary-ntree:k=4,n=3",  "mport-ntree:m=4,n=2",
    "mport-ntree:m=4,n=3", "mport-ntree:m=6,n=2", "mport-ntree:m=8,n=2", "torus:2x2",
    "torus:3x3",           "torus:4x4",           "torus:3x2x4",         "torus:7",
    "torus:8x8",           "kns:k=3,n=2",         "kns:k=2,n=3",         "kns:k=4,n=2",
    "kns:k=4,n=3",         "kns:k=3,n=2,c=2"};

/* A cable, which may have a delay of its own. */
static void print_cable(draw *d, FILE *file, uint32_t a, uint32_t b, bool delays) {
  fprintf(file, "r%u r%u", a, b);
  if (delays && chance(d, 0.5)) fprintf(file, " delay=%u", 1 + below(d, 9));
  fputc('\n', file);
}

/* A random connected graph with parallel links now and then, read from a file that is gone afterwards. The router of
 * the lower number comes first: a file with each cable in both directions is refused. */
static ripstop_fabric *random_graph(draw *d, ripstop_error *err) {
  char path[] = "/tmp/ripstop-graph-XXXXXX", spec[64];
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) return NULL;
  uint32_t routers = 2 + below(d, 14), more = below(d, 2 * routers);
  bool delays = chance(d, 0.5);
  for (uint32_t v = 1; v < routers; v++) print_cable(d, file, below(d, v), v, delays);
  for (uint32_t i = 0; i < more; i++) {
    uint32_t a = below(d, routers), b = (a + 1 + below(d, routers - 1)) % routers;
    print_cable(d, file, a < b ? a : b, a < b ? b : a, delays);
  }
  fclose(file);
  snprintf(spec, sizeof spec, "graph:%s", path);
  ripstop_fabric *fabric = ripstop_fabric_open(spec, err);
  unlink(path);
  return fabric;
}

static ripstop_fabric *any_fabric(draw *d) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = chance(d, 0.2) ? random_graph(d, &err) : ripstop_fabric_open(ANY(d, fabrics), &err);
  if (!fabric) {
    fprintf(stderr, "no fabric: %s\n", err.text);
    exit(RIPSTOP_EXIT_FAILED);
  }
  return fabric;
}

/* ------------------------------------------------------------------ methods */

/* The features of a case, beside those that all have. */
typedef struct features {
  bool faults, schedule, talks, plays, lodges, stops, slow;
} features;

static features features_of(draw *d, case_group group) {
  features f = {.faults = group == CASES_FAULTS, .schedule = group >= CASES_SCHEDULES};
  f.talks = group == CASES_PROTOCOLS;
  f.plays = group == CASES_AGENTS || group == CASES_TOGETHER;
  f.lodges = group == CASES_TRANSIT_PACKETS;
  f.stops = group == CASES_STOPS;
  if (group >= CASES_PROTOCOLS) f.faults = chance(d, 0.3), f.schedule = group == CASES_STOPS || chance(d, 0.7);
  if (group == CASES_TOGETHER || group >= CASES_SLOW) {
    uint32_t with = below(d, group >= CASES_SLOW ? 8 : 3);
    f.talks = with == 0, f.lodges = with == 1, f.stops = with == 2;
    f.plays |= with == 3;
  }
  f.slow = group == CASES_SLOW || group == CASES_LINES;
  if (group == CASES_CHANNELS) f.slow = chance(d, 0.2);
  if (group == CASES_BOUND || group == CASES_SHARED) {
    f.talks = f.lodges = false, f.faults = chance(d, 0.3), f.schedule = chance(d, 0.6), f.slow = chance(d, 0.3);
    f.stops = f.schedule && chance(d, 0.3), f.plays = chance(d, 0.2);
  }
  return f;
}

/* Control packets where the switch can have them: credits, no output queues. */
static const char *any_gossip(draw *d, bool simple) {
  static const char *const names[] = {"test-gossip", "test-gossip-settled", "test-gossip-ends",
                                      "test-gossip-settled-ends"};
  bool packets = simple && chance(d, 0.6);
  return ripstop_arena_printf(d->arena, "%s:delay=%u,flits=%u,late=%u,hold=%u,beat=%u,packet=%u,first=%u,order=%u",
                              ANY(d, names), below(d, 12), packets || chance(d, 0.6) ? 1 + below(d, 8) : 0,
                              chance(d, 0.4) ? below(d, 60) : 0, chance(d, 0.5) ? below(d, 80) : 0,
                              chance(d, 0.3) ? 1 + below(d, 40) : 0, packets ? 1 + below(d, 20) : 0, below(d, 2),
                              below(d, 3));
}

/* Quick enough for an emergency and its tables in a short run. */
static const char *any_immunet(draw *d) {
  return ripstop_arena_printf(d->arena,
                              "immunet:emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200,"
                              "control_path=safe,control_flits=%u,control_first=%s,own_cycles=%d,order=%s,tables=%s",
                              1 + below(d, 20), below(d, 2) ? "on" : "off", chance(d, 0.3) ? 25 : -1,
                              ANY(d, ((const char *const[]){"arrival", "port", "newest"})),
                              below(d, 2) ? "stale" : "empty");
}

static bool is_gossip(const ripstop_method *method) { return strncmp(method->name, "test-gossip", 11) == 0; }

static const char *any_lodger(draw *d) {
  return ripstop_arena_printf(d->arena, "test-detour:guests=%u,at=%d,also=%s,again=%s", 1 + below(d, 4),
                              chance(d, 0.5) ? -1 : (int)below(d, 10), chance(d, 0.6) ? "on" : "off",
                              chance(d, 0.5) ? "on" : "off");
}

/* Half of the cases take a method of this test, with its options; the others any method that there is: with a protocol
 * or without one, as the case wants it. */
static const char *any_method_spec(draw *d, const features *with, bool bubbles) {
  if (with->lodges) return any_lodger(d);
  if (with->talks && bubbles && chance(d, 0.2)) return any_immunet(d);
  if (with->talks && chance(d, 0.6)) return any_gossip(d, bubbles);
  uint32_t methods = 0, number;
  for (uint32_t i = 0; ripstop_methods[i]; i++)
    methods += !ripstop_methods[i]->proto == !with->talks && !is_gossip(ripstop_methods[i]);
  number = below(d, methods);
  const ripstop_method *const *at = ripstop_methods;
  while (!(*at)->proto == with->talks || is_gossip(*at) || number--) at++;
  const ripstop_method *method = *at;
  if (with->talks || (strcmp(method->name, "test-table") != 0 && chance(d, 0.5))) return method->name;
  return ripstop_arena_printf(d->arena, "test-table:channels=%u,space=%u,detours=%u,climb=%s,early=%s", 1 + below(d, 5),
                              bubbles ? 1 + below(d, 2) : 1, chance(d, 0.3) ? below(d, 4) : 0,
                              chance(d, 0.6) ? "on" : "off", chance(d, 0.15) ? "on" : "off");
}

static bool applies_whole(const ripstop_fabric *fabric, const char *spec) {
  ripstop_error err;
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, spec, NULL, &err);
  const bool applies = plan && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES;
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return applies;
}

/* A method that applies, and its number of channels. Only the simplest switches have in-transit packets, and nothing
 * stops with them. It applies without the faults too: one that needs them (opensm-updn finds roots among what they
 * leave) may not apply after a change, and ends the run. */
static const char *any_method(draw *d, const ripstop_fabric *fabric, const ripstop_faults *faults, const features *with,
                              bool simple, uint32_t *channels, uint32_t *control, bool *bubble, bool *transit) {
  ripstop_view *view = ripstop_view_new(fabric, faults);
  for (;;) {
    ripstop_error err;
    const char *spec = any_method_spec(d, with, simple);
    ripstop_plan *plan = ripstop_plan_compile(view, spec, NULL, &err);
    if (!plan) continue;
    bool fits = ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES && (simple || !plan->bubble) &&
                (plan->transit_packets == 0 || (simple && !with->stops));
    *channels = plan->channels;
    *control = plan->control_flits;
    *bubble = plan->bubble;
    *transit = plan->transit_packets > 0;
    ripstop_plan_free(plan);
    if (!fits || !applies_whole(fabric, spec)) continue;
    ripstop_view_free(view);
    return spec;
  }
}

/* ------------------------------------------------------------------ traffic */

static const struct sizes {
  const char *text;
  int64_t shortest, longest;
} sizes[] = {{"1", 1, 1},
             {"2", 2, 2},
             {"5", 5, 5},
             {"16", 16, 16},
             {"3:0.8/19:0.2", 3, 19},
             {"1:0.5/2:0.3/7:0.2", 1, 7},
             {"4:0.5/8:0.5", 4, 8}};

static const char *const processes[] = {"bernoulli", "poisson", "periodic", "on-off:on=50,off=150"};
static const char *const selections[] = {"space", "random", "first", "rotate", "weighted", "method"};
static const char *const classes[] = {"1", "1", "0.6/0.4", "0.2/0.5/0.3"};

static const char *any_pattern(draw *d, const ripstop_fabric *fabric, const ripstop_simulate_settings *s) {
  uint32_t patterns = 0;
  while (ripstop_patterns[patterns]) patterns++;
  if (chance(d, 0.4)) return "uniform";
  if (chance(d, 0.2)) return "hotspot:end=0,share=0.3";
  ripstop_traffic_config traffic = s->traffic;
  ripstop_error err;
  traffic.pattern = ripstop_patterns[below(d, patterns)]->name;
  return ripstop_sources_open(d->arena, fabric, &traffic, s->seed, &err) ? traffic.pattern : "uniform";
}

static void any_traffic(draw *d, const ripstop_fabric *fabric, ripstop_simulate_settings *s, const char *packet) {
  s->traffic = (ripstop_traffic_config){.pattern = "uniform",
                                        .process = ANY(d, processes),
                                        .load = chance(d, 0.1) ? 1 : 0.02 + 0.7 * ripstop_stream_unit(&d->random),
                                        .packet = packet,
                                        .classes = ANY(d, classes)};
  s->traffic.pattern = any_pattern(d, fabric, s);
}

/* ------------------------------------------------------------------ the switch */

static void any_queues(draw *d, const ripstop_fabric *fabric, ripstop_switch_config *w, const struct sizes *size,
                       bool output_queues) {
  int64_t unit = w->unit == RIPSTOP_UNIT_FLITS ? size->longest : 1, stored = w->forward == RIPSTOP_FORWARD_STORE;
  int64_t link = (int64_t)slow_longest_delay(fabric, (uint64_t)w->link),
          on_the_candidate = link + w->pipeline + w->credit - 1 - stored;
  if (w->flow == RIPSTOP_FLOW_XONXOFF) {
    int64_t packets = on_the_candidate / size->shortest, flits = packets * size->longest;
    int64_t least = (1 + stored) * unit + (w->unit == RIPSTOP_UNIT_PACKETS ? packets
                                           : flits < on_the_candidate      ? flits
                                                                           : on_the_candidate);
    int64_t xoff = chance(d, 0.5) ? 0 : least + between(d, 0, unit);
    w->xoff = xoff;
    if (xoff == 0) xoff = least + (w->unit == RIPSTOP_UNIT_PACKETS && !stored && on_the_candidate % size->shortest > 0);
    w->in_queue = xoff + between(d, 0, 4 * unit);
    w->xon = chance(d, 0.5) ? 0 : between(d, xoff, w->in_queue);
  } else
    w->in_queue = between(d, 2 * unit, 5 * unit);
  if (output_queues) w->out_queue = between(d, unit, 4 * unit);
}

/* Small memories, in which packets are lost, or paused in all parts of them. */
static void any_memory(draw *d, const ripstop_fabric *fabric, ripstop_switch_config *w, int64_t longest,
                       uint32_t channels, bool may_trim) {
  static const double alphas[] = {0.125, 0.3, 0.5, 1, 2, 16};
  const int64_t link = (int64_t)slow_longest_delay(fabric, (uint64_t)w->link),
                headroom = 2 * link + w->pipeline + w->credit + 2 * longest;
  uint32_t ports = 0;
  w->in_queue = RIPSTOP_UNLIMITED;
  w->alpha = ANY(d, alphas);
  w->lossless = chance(d, 0.5);
  w->headroom = chance(d, 0.7) ? RIPSTOP_HEADROOM_AUTO : headroom + between(d, 0, 2 * longest);
  if (!w->lossless) w->headroom = RIPSTOP_HEADROOM_AUTO;
  for (uint32_t v = fabric->ends; v < fabric->nodes; v++)
    if (ripstop_node_ports(fabric, v) > ports) ports = ripstop_node_ports(fabric, v);
  const int64_t kept = (int64_t)ports * channels * (longest + headroom + 2 * longest);
  w->trim = !w->lossless && chance(d, 0.7) && may_trim;
  w->buffer = w->lossless ? kept + between(d, 0, 60 * longest)
                          : (int64_t)((double)longest / (w->alpha < 1 ? w->alpha : 1)) +
                                between(d, 1, (w->trim ? 8 : 40) * longest);
}

static const char *any_arbiter(draw *d, uint32_t channels) {
  if (chance(d, 0.5)) return "round-robin";
  if (chance(d, 0.3)) return "transit-first";
  const char *by = chance(d, 0.5) ? "weighted:shares=" : "turns:packets=";
  ripstop_text text = {0};
  for (uint32_t c = 0; c < channels; c++) ripstop_text_add(&text, "%s%u", c ? "/" : by, 1 + below(d, 20));
  const char *spec = ripstop_arena_text(d->arena, text.data);
  ripstop_text_free(&text);
  return spec;
}

/* Several channels for each of the method's, and a pool for each port, where the switch can have them. */
static void any_channels(draw *d, ripstop_switch_config *w, const struct sizes *size, uint32_t channels, bool bubble) {
  const int64_t reserve = w->unit == RIPSTOP_UNIT_FLITS ? size->longest : 1;
  w->vcs = between(d, 1, RIPSTOP_CHANNELS_MAX / channels < 5 ? RIPSTOP_CHANNELS_MAX / channels : 5);
  w->vc = ANY(d, ((const ripstop_vc[]){RIPSTOP_VC_SPACE, RIPSTOP_VC_RANDOM, RIPSTOP_VC_HASH}));
  if (bubble || w->flow == RIPSTOP_FLOW_XONXOFF || w->in_queue == RIPSTOP_UNLIMITED || chance(d, 0.5)) return;
  w->buffers = RIPSTOP_BUFFERS_PORT;
  w->in_queue = w->vcs * channels * reserve + between(d, 0, 4 * reserve);
}

/* ------------------------------------------------------------------ faults */

static void any_faults(draw *d, const ripstop_fabric *fabric, ripstop_faults *out) {
  ripstop_error err;
  uint32_t kind = below(d, 4);
  const ripstop_fault_scope *scope = kind < 2    ? RIPSTOP_FAULTS_SWITCH_LINKS
                                     : kind == 2 ? RIPSTOP_FAULTS_ALL_LINKS
                                                 : RIPSTOP_FAULTS_SWITCHES;
  uint32_t population = ripstop_faults_population(fabric, scope), most = population < 4 ? population : 4;
  if (most == 0) return;
  if (ripstop_faults_sample(d->arena, fabric, scope, 1 + below(d, most), ripstop_stream_u64(&d->random), 0, out, &err))
    *out = (ripstop_faults){0};
}

/* Any rate, but often one that links have. */
static uint16_t any_rate(draw *d) {
  static const uint16_t usual[] = {500, 250, 100, 333, 750, 999, RIPSTOP_RATE_LEAST};
  return chance(d, 0.6) ? ANY(d, usual) : (uint16_t)between(d, 50, RIPSTOP_RATE_FULL - 1);
}

/* A few links or many, those of end nodes too. */
static void any_slow_links(draw *d, const ripstop_fabric *fabric, ripstop_faults *out) {
  ripstop_slow_link *slow = RIPSTOP_ARRAY(d->arena, fabric->links, ripstop_slow_link);
  double share = ANY(d, ((const double[]){0.05, 0.2, 0.6, 1}));
  for (uint32_t link = 0; link < fabric->links; link++)
    if (chance(d, share)) slow[out->slows++] = (ripstop_slow_link){.link = link, .rate = any_rate(d)};
  out->slow = slow;
}

static int by_cycle(const void *a, const void *b) {
  const ripstop_change *x = a, *y = b;
  return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

/* Up to six parts that fail, most of them repaired, some of them failing again. */
static void any_schedule(draw *d, const ripstop_fabric *fabric, uint64_t cycles, bool slow, ripstop_schedule *out) {
  uint32_t parts = 1 + below(d, 6), switches = ripstop_fabric_switches(fabric);
  ripstop_change *change = RIPSTOP_ARRAY(d->arena, (size_t)parts * 4, ripstop_change),
                 *part = RIPSTOP_ARRAY(d->arena, parts, ripstop_change);
  size_t count = 0;
  for (uint32_t i = 0; i < parts; i++) {
    bool is_switch = chance(d, 0.3), known = false;
    uint32_t id = is_switch ? fabric->ends + below(d, switches) : below(d, fabric->links);
    for (uint32_t j = 0; j < i; j++) known |= part[j].id == id && part[j].is_switch == is_switch;
    part[i] = (ripstop_change){.id = id, .is_switch = is_switch};
    uint64_t cycle = 1 + below(d, (uint32_t)cycles - 1);
    for (uint32_t step = 0; step < 4 && !known && cycle < cycles && (step == 0 || chance(d, 0.7)); step++) {
      change[count] = (ripstop_change){.cycle = cycle, .id = id, .is_switch = is_switch, .up = step % 2 == 1};
      if (slow && !is_switch && chance(d, 0.6)) change[count].up = true, change[count].rate = any_rate(d);
      count++;
      cycle += 1 + below(d, chance(d, 0.3) ? 20 : (uint32_t)cycles / 2);
    }
  }
  qsort(change, count, sizeof *change, by_cycle);
  *out = (ripstop_schedule){.count = count, .change = change};
}

/* ------------------------------------------------------------------ agents and stops */

/* It breaks links of which the schedule and the fault set say nothing. */
static void any_play(draw *d, test_case *c, const struct sizes *size) {
  static const uint32_t letters[] = {30, 200, 2000};
  c->plays = true;
  c->hash_agent = (hash_agent){.ends = c->fabric->ends,
                               .classes = 1 + below(d, 3),
                               .shortest = (uint32_t)size->shortest,
                               .longest = (uint32_t)size->longest,
                               .seed = ripstop_stream_u64(&d->random),
                               .letters = ANY(d, letters),
                               .finishes = chance(d, 0.3)};
  for (uint32_t tries = chance(d, 0.5) ? PLAY_LINKS_MAX : 0; tries > 0; tries--) {
    uint32_t link = below(d, c->fabric->links);
    bool taken = false;
    for (size_t i = 0; i < c->schedule.count; i++)
      taken |= !c->schedule.change[i].is_switch && c->schedule.change[i].id == link;
    for (uint32_t i = 0; i < c->faults.links; i++) taken |= c->faults.link[i] == link;
    for (uint32_t i = 0; i < c->hash_agent.links; i++) taken |= c->hash_agent.link[i] == link;
    if (!taken) c->hash_agent.link[c->hash_agent.links++] = link;
  }
}

static void any_stop(draw *d, ripstop_reconfiguration_config *r) {
  *r = (ripstop_reconfiguration_config){.model = RIPSTOP_RECONFIGURATION_STATIC,
                                        .drain = chance(d, 0.5) ? RIPSTOP_DRAIN_DELIVER : RIPSTOP_DRAIN_DISCARD,
                                        .detect = chance(d, 0.3) ? 0 : between(d, 0, 60),
                                        .recompute = chance(d, 0.3) ? 0 : between(d, 0, 100),
                                        .resume = chance(d, 0.3) ? 0 : between(d, 0, 40)};
}

/* Errors on all links, and others on one; or on one alone. */
static const char *any_errors(draw *d, const ripstop_fabric *fabric) {
  static const double shares[] = {0.0001, 0.001, 0.01, 0.1, 1};
  char name[RIPSTOP_NAME_MAX];
  ripstop_link_name(fabric, below(d, fabric->links), name);
  const double all = chance(d, 0.3) ? 0 : shares[below(d, 4)], one = ANY(d, shares);
  return ripstop_arena_printf(d->arena, chance(d, 0.5) ? "%g" : "%g %s~%g", all > 0 ? all : one, name, one);
}

/* ------------------------------------------------------------------ the whole */

/* Cables so long that arrivals lie beyond the wheel's first level. Not with shared memories, whose headrooms would hold
 * thousands of packets. */
enum {
  LONG_CABLE = 1100,
  LONG_EACH = 23,
  STORE_EACH = 5,
  ERRORS_EACH = 4,
  BUBBLES_EACH = 3,
  FAST_EACH = 5,
  ENDLESS_EACH = 9
};
static const double speedups[] = {1.25, 1.5, 1.75, 2, 2.5, 3, 8};
static bool is_long(uint32_t number) { return number % CASES_PER_GROUP % LONG_EACH == LONG_EACH - 1; }

/* The method's own selection function binds packets or counts loads of ports, which the model does not. */
static bool has_other_selection(draw *d, const char *method) {
  ripstop_error err;
  void *own;
  const char *spec = ripstop_method_selection(ripstop_method_find(method, strcspn(method, ":"), &err), NULL);
  const ripstop_selection *s = ripstop_selection_open(d->arena, spec, &own, &err);
  return strchr(spec, ':') || (s->traits && s->traits(own) & RIPSTOP_SELECTION_BINDS);
}

void case_make(uint32_t number, test_case *out) {
  draw d = {.random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, number),
            .arena = ripstop_arena_new(),
            .group = (case_group)(number / CASES_PER_GROUP)};
  *out = (test_case){.number = number, .arena = d.arena, .fabric = any_fabric(&d)};
  ripstop_simulate_settings *s = &out->simulation;
  ripstop_switch_config *w = &s->switch_;
  features with = features_of(&d, d.group);
  const bool channels_of_each = d.group == CASES_CHANNELS, shared = d.group == CASES_SHARED;
  const bool bound =
      d.group == CASES_BOUND || shared || (channels_of_each && !with.talks && !with.lodges && chance(&d, 0.3));
  bool any_switch = d.group >= CASES_FAULTS && !with.lodges;
  bool output_queues =
      !with.lodges && !bound && (d.group == CASES_OUTPUT_QUEUES || (d.group != CASES_CREDITS && chance(&d, 0.35)));
  bool words = !bound && (d.group == CASES_XONXOFF || (any_switch && chance(&d, 0.25)));
  uint64_t warmup = below(&d, 200), cycles = (uint64_t)between(&d, 300, out->fabric->ends > 30 ? 1000 : 2000);
  uint32_t channels = 1, control = 0;
  bool bubble = false, transit = false;
  s->seed = ripstop_stream_u64(&d.random);
  if (with.faults) any_faults(&d, out->fabric, &out->faults);
  if (with.slow && chance(&d, 0.7)) any_slow_links(&d, out->fabric, &out->faults);
  if (with.schedule || (with.slow && chance(&d, 0.6)))
    any_schedule(&d, out->fabric, warmup + cycles, with.slow, &out->schedule);
  s->schedule = &out->schedule;
  const bool simple = !output_queues && !words && !bound;
  out->method = any_method(&d, out->fabric, &out->faults, &with, simple, &channels, &control, &bubble, &transit);
  const struct sizes *size = &ANY(&d, sizes);
  any_traffic(&d, out->fabric, s, size->text);
  if (with.plays) any_play(&d, out, size);
  if (with.stops) any_stop(&d, &s->reconfiguration);
  *w = (ripstop_switch_config){
      .unit = chance(&d, 0.5) ? RIPSTOP_UNIT_PACKETS : RIPSTOP_UNIT_FLITS,
      .flow = words ? RIPSTOP_FLOW_XONXOFF : RIPSTOP_FLOW_CREDITS,
      .pipeline = between(&d, 0, 4),
      .link = is_long(number) && !shared ? LONG_CABLE + number % CASES_PER_GROUP % 2000 : between(&d, 1, 4),
      .credit = between(&d, 1, 4),
      .forward = number % STORE_EACH == 1 ? RIPSTOP_FORWARD_STORE : RIPSTOP_FORWARD_CUT_THROUGH,
      .selection = ANY(&d, selections),
      .arbiter = any_arbiter(&d, channels),
      .buffer = 1 << 20,
      .alpha = 1,
      .lossless = true,
      .headroom = RIPSTOP_HEADROOM_AUTO,
      .queues = shared  ? "shared"
                : bound ? "output"
                        : RIPSTOP_SWITCH_QUEUES,
      .speedup = 1,
      .vcs = 1,
      .match = RIPSTOP_MATCHING_USUAL,
      .flit_errors = "0"};
  if (with.slow) w->slow_queue = ANY(&d, ((const int64_t[]){0, 1, 2, 3, 16}));
  w->crossbar = chance(&d, 0.3) ? RIPSTOP_CROSSBAR_QUEUES : RIPSTOP_CROSSBAR_PORTS;
  any_queues(&d, out->fabric, w, size, output_queues);
  if (w->unit == RIPSTOP_UNIT_FLITS) w->in_queue += control; /* room for the longest packet and one of these */
  if (bound && !words && !with.slow && chance(&d, 0.2)) w->in_queue = RIPSTOP_UNLIMITED;
  if (!strcmp(w->selection, "method") && has_other_selection(&d, out->method)) w->selection = "weighted";
  const bool quick = out->fabric->ends <= 16 || !with.slow; /* header queues would fill before slow links */
  if (shared) any_memory(&d, out->fabric, w, size->longest, channels, quick);
  if (shared && number % ENDLESS_EACH == 4) w->buffer = RIPSTOP_UNLIMITED;
  static const ripstop_escape escapes[] = {RIPSTOP_ESCAPE_OPEN, RIPSTOP_ESCAPE_EXHAUSTED, RIPSTOP_ESCAPE_METHOD};
  w->escape = ANY(&d, escapes);
  if (d.group == CASES_LINES && !control) w->queues = "voq:lines=65534";
  if (channels_of_each && !bound && !control && chance(&d, 0.4)) w->queues = "voq:lines=65534";
  if (channels_of_each && output_queues && !words && chance(&d, 0.3)) w->out_queue = RIPSTOP_UNLIMITED;
  if (bubble && simple && !control && !transit && number % BUBBLES_EACH == 0) w->out_queue = RIPSTOP_UNLIMITED;
  if (w->out_queue && number % FAST_EACH < 2) w->speedup = ANY(&d, speedups);
  if (channels_of_each && !control) any_channels(&d, w, size, channels, bubble);
  s->measure = (ripstop_measure_config){
      .warmup = chance(&d, 0.05) ? "auto" : ripstop_arena_printf(d.arena, "%u", (unsigned)warmup),
      .cycles = (int64_t)cycles,
      .batches = 20,
      .confidence = 0.95,
      .window = between(&d, 0, 1) * 100,
      .check = with.stops ? NO_CHECK : between(&d, 50, 1000)};
  if (with.slow && chance(&d, 0.1) && !w->trim) s->measure.cycles += 6000; /* for events beyond the wheel's reach */
  if (is_long(number) && !shared) s->measure.cycles += 9000;
  if (number % ERRORS_EACH == 2) w->flit_errors = any_errors(&d, out->fabric);
}

void case_free(test_case *c) {
  ripstop_fabric_free(c->fabric);
  ripstop_arena_free(c->arena);
}

void case_print(const test_case *c, FILE *file) {
  ripstop_text text = {0};
  ripstop_text_add(&text, "case %u: %s %s switch: ", c->number, c->fabric->spec, c->method);
  ripstop_options_print(&text, ripstop_switch_options, &c->simulation.switch_);
  ripstop_text_add(&text, " traffic: ");
  ripstop_options_print(&text, ripstop_traffic_options, &c->simulation.traffic);
  ripstop_text_add(&text, " measure: ");
  ripstop_options_print(&text, ripstop_measure_options, &c->simulation.measure);
  ripstop_text_add(&text, " reaction: ");
  ripstop_options_print(&text, ripstop_reconfiguration_options, &c->simulation.reconfiguration);
  if (c->plays)
    ripstop_text_add(&text, " agents with %u classes, %u packets", c->hash_agent.classes, c->hash_agent.letters);
  ripstop_text_add(&text, " seed: %llu faults: ", (unsigned long long)c->simulation.seed);
  ripstop_faults_print(&text, c->fabric, &c->faults);
  ripstop_text_add(&text, " schedule: ");
  ripstop_schedule_print(&text, c->fabric, &c->schedule);
  fprintf(file, "%s\n", text.data);
  ripstop_text_free(&text);
}
