/* each_conformance.c - holds every routing method to method.h and to its own guarantees, on small fabrics of every
 * family, in every combination of its options. It names no method: a method is tested by existing.
 *
 * Held to, for each method, fabric and combination of options to which it applies:
 *   rules        at every head that a packet can reach: candidates that exist, answers that do not change from one
 * question to the next, losses that have a name; ripstop_plan_deliver agrees with a second walk (walks.h) delivery
 * every pair under every choice, without livelock, for all sets of at most guarantees.tolerates links where they are
 * few, else for seeded samples; if minimal, never longer than the distance deadlock     no set of queues waits for
 * itself alone, for the same sets beyond       with any links, end nodes' links and switches down: rules as above,
 * nothing delivered where there is no path, and a plan that was updated gives the candidates of a fresh one simulation
 * a short time at full load, within the guarantee and beyond: accounts balance (or the simulation itself fails), within
 * it nothing is lost and, if claimed, nothing deadlocks
 *
 * Work is bounded by budgets in pairs of end nodes, not by time. Of a method with a protocol the plan is held to the
 * guarantees: what its switches do once all messages have arrived. Only one whose switches know all faults from the
 * start (ripstop_proto.settled) must lose nothing in simulations. */
#include <stdio.h>
#include <string.h>

#include "each.h"
#include "fabric/inner.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/selection.h"
#include "share.h"
#include "simulate/run_result.h"
#include "stand.h"
#include "walks.h"

enum {
  MOST_COMBINATIONS = 12, /* combinations of option values; beyond, a sample */
  PAIRS_WITHIN = 2000,    /* pairs walked per fabric and combination with faults that are tolerated */
  PAIRS_BEYOND = 1500,    /* and with more */
  PAIRS_EXACT = 800,      /* largest fabric, in pairs, whose waiting queues are searched with faults */
  EXACT_SETS = 6,         /* and how many sets */
  DEFAULTS_TIMES = 20,    /* so much more of these for the defaults of the options */
  USUAL_STATES = 8,       /* states of a pair: if packets can be in more, fewer pairs are walked */
  STATES_WITHIN = 50000,  /* states of packets, walked with one set of faults that is tolerated */
  STATES_BEYOND = 1500,   /* and with one of more */
  A_PRIME = 7919,         /* a stride that passes all pairs */
  MOST_STATES = 100000,
  SIM_NODE_CYCLES = 12000 /* end nodes x cycles of a simulation */
};

/* ------------------------------------------------------------------ fabrics */

static const char *const fabric_specs[] = {"kary-ntree:k=2,n=1",
                                           "kary-ntree:k=2,n=2",
                                           "kary-ntree:k=2,n=3",
                                           "kary-ntree:k=3,n=1",
                                           "kary-ntree:k=3,n=2",
                                           "kary-ntree:k=3,n=3",
                                           "kary-ntree:k=4,n=1",
                                           "kary-ntree:k=4,n=2",
                                           "kary-ntree:k=4,n=3",
                                           "mport-ntree:m=4,n=2",
                                           "mport-ntree:m=4,n=3",
                                           "torus:4",
                                           "torus:3x3",
                                           "torus:4x4",
                                           "torus:2x3x2",
                                           "torus:5x4",
                                           "torus:3x2,p=2",
                                           "kns:k=3,n=2",
                                           "kns:k=2,n=3",
                                           "kns:k=4,n=2,s=2,line=ruft",
                                           "mesh:3x2",
                                           "hyperx:2x3,k=1x2",
                                           "dragonfly:a=2,p=1,h=1",
                                           "dragonfly:a=3,p=1,h=1,g=4",
                                           "dragonfly+:leaves=2,spines=1,h=2,p=1",
                                           "xgft:m=2.2,w=1.2",
                                           "slimfly:3",
                                           "polarfly:2",
                                           "jellyfish:n=6,r=3",
                                           "rail:servers=2,rails=2,spines=1",
                                           "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges",
                                           "ib:" RIPSTOP_SOURCE_DIR "/tests/data/ib/bridges.ibnetdiscover"};
enum { FABRICS = sizeof fabric_specs / sizeof *fabric_specs };
static ripstop_fabric *fabrics[FABRICS];

/* A family without a small fabric here would go untested. */
static bool every_family_is_here(void) {
  bool all = true;
  for (size_t i = 0; ripstop_families[i]; i++) {
    bool here = false;
    for (size_t j = 0; j < FABRICS; j++) here |= fabrics[j]->family == ripstop_families[i];
    if (!here) fprintf(stderr, "no small fabric of family %s\n", ripstop_families[i]->name);
    all &= here;
  }
  return all;
}

static int open_fabrics(void **state) {
  (void)state;
  ripstop_error err;
  for (size_t i = 0; i < FABRICS; i++)
    if (!(fabrics[i] = ripstop_fabric_open(fabric_specs[i], &err))) {
      fprintf(stderr, "%s\n", err.text);
      return -1;
    }
  return every_family_is_here() ? 0 : -1;
}

static int close_fabrics(void **state) {
  (void)state;
  for (size_t i = 0; i < FABRICS; i++) ripstop_fabric_free(fabrics[i]);
  return 0;
}

/* ------------------------------------------------------------------ combinations of options */

static size_t add_value(const char **value, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(value[i], text) == 0) return count;
  value[count] = text;
  return count + 1;
}

/* The values of an option that are tried, the default first; at most 8. Numbers: also the least ones and a small
 * greatest one. */
static size_t values_of(ripstop_arena *arena, const ripstop_option *o, const char **value) {
  size_t count = 0;
  if (o->fallback) count = add_value(value, count, o->fallback);
  if (o->type == RIPSTOP_OPTION_FLAG) count = add_value(value, add_value(value, count, "off"), "on");
  if (o->type == RIPSTOP_OPTION_WORD)
    for (size_t i = 0; o->words[i] && count < 8; i++) count = add_value(value, count, o->words[i]);
  if (o->type == RIPSTOP_OPTION_INTEGER || o->type == RIPSTOP_OPTION_REAL) {
    count = add_value(value, count, ripstop_arena_printf(arena, "%.17g", o->min));
    if (o->type == RIPSTOP_OPTION_INTEGER && o->min < o->max)
      count = add_value(value, count, ripstop_arena_printf(arena, "%.17g", o->min + 1));
    if (o->max <= 16) count = add_value(value, count, ripstop_arena_printf(arena, "%.17g", o->max));
  }
  return count;
}

/* The combination with number `index` in mixed radix, as a spec; NULL behind the last one. */
static const char *combination(ripstop_arena *arena, const ripstop_method *method, uint64_t index) {
  const char *spec = method->name;
  for (const ripstop_option *o = method->options; o->name; o++) {
    const char *value[8];
    size_t count = values_of(arena, o, value);
    if (!count) continue;
    spec = ripstop_arena_printf(arena, "%s%c%s=%s", spec, strchr(spec, ':') ? ',' : ':', o->name, value[index % count]);
    index /= count;
  }
  return index ? NULL : spec;
}

/* From one combination to the next that is tried, so that there are at most so many; with no common factor with their
 * number, so that each option takes each of its values. */
static uint64_t step_through(uint64_t all, uint64_t most) {
  uint64_t step = (all + most - 1) / most;
  for (;; step++) {
    uint64_t a = all, b = step;
    while (b != 0) {
      uint64_t rest = a % b;
      a = b, b = rest;
    }
    if (a == 1) return step;
  }
}

static uint64_t combinations_of(ripstop_arena *arena, const ripstop_method *method) {
  uint64_t total = 1;
  for (const ripstop_option *o = method->options; o->name; o++) {
    const char *value[8];
    size_t count = values_of(arena, o, value);
    if (count) total *= count;
  }
  return total;
}

/* ------------------------------------------------------------------ one subject */

typedef struct subject {
  const ripstop_fabric *fabric;
  const char *spec;   /* spec of the method */
  ripstop_view *view; /* changes as the test goes on */
  ripstop_plan *plan; /* follows it */
  ripstop_guarantees guarantees;
  ripstop_arena *arena;
  ripstop_stream random;
  uint32_t ends;
  uint32_t *distance; /* [ends * nodes], without faults */
} subject;

#define FAIL(s, text, ...) fail_msg("%s on %s: " text, (s)->spec, (s)->fabric->spec, __VA_ARGS__)

static const char *faults_text(subject *s, const ripstop_faults *faults) {
  ripstop_text text = {0};
  ripstop_faults_print(&text, s->fabric, faults);
  const char *copy = ripstop_arena_text(s->arena, text.data ? text.data : "");
  ripstop_text_free(&text);
  return copy;
}

/* False: it does not apply to these faults, which needs a reason. */
static bool update(subject *s, ripstop_answer *answer) {
  ripstop_error err = {0};
  *answer = stand_update(s->plan, &err);
  if (*answer != RIPSTOP_APPLIES && !err.text[0]) FAIL(s, "answer %d without a reason", *answer);
  if (*answer == RIPSTOP_APPLIES &&
      (s->plan->channels < 1 || s->plan->channels > RIPSTOP_CHANNELS_MAX || s->plan->candidates_max < 1))
    FAIL(s, "%u channels, %u candidates", s->plan->channels, s->plan->candidates_max);
  return *answer == RIPSTOP_APPLIES;
}

static bool same_delivery(const ripstop_delivery *a, const ripstop_delivery *b) {
  return a->every_choice == b->every_choice && a->some_choice == b->some_choice && a->livelock == b->livelock &&
         a->states == b->states && a->max_hops == b->max_hops;
}

/* One pair, in both directions; `within` says which guarantees its deliveries must keep. Returns the states walked. */
static uint32_t check_pair(subject *s, walker *w, uint32_t source, uint32_t end, bool within,
                           const ripstop_faults *faults) {
  ripstop_error err;
  ripstop_delivery candidate = walk_pair(w, source, end), other;
  if (ripstop_plan_deliver(s->plan, source, end, MOST_STATES, &other, &err)) FAIL(s, "%s", err.text);
  if (!same_delivery(&candidate, &other))
    FAIL(s, "%u->%u: two walks differ, faults %s", source, end, faults_text(s, faults));
  if (within && (!candidate.every_choice || candidate.livelock))
    FAIL(s, "%u->%u is lost or circulates, faults %s", source, end, faults_text(s, faults));
  uint32_t distance = s->distance[(size_t)source * s->fabric->nodes + end];
  if (s->guarantees.minimal && candidate.some_choice && (candidate.livelock || candidate.max_hops > distance))
    FAIL(s, "%u->%u: %u links, distance %u, faults %s", source, end, candidate.max_hops, distance,
         faults_text(s, faults));
  return candidate.states;
}

/* All pairs, or a random `most` of them; not more than make up enough states. */
static void check_pairs(subject *s, uint64_t most, bool within, const ripstop_faults *faults) {
  walker *w = walker_new(s->plan);
  uint64_t all = (uint64_t)s->ends * (s->ends - 1), states = 0, enough = within ? STATES_WITHIN : STATES_BEYOND;
  for (uint64_t i = 0; i < (all < most ? all : most) && states < enough; i++) {
    uint64_t at = all <= most ? i * A_PRIME % all : ripstop_stream_below(&s->random, (uint32_t)all);
    uint32_t source = (uint32_t)(at / (s->ends - 1)), end = (uint32_t)(at % (s->ends - 1));
    states += check_pair(s, w, source, end + (end >= source), within, faults);
  }
  walker_free(w);
}

/* Marks all nodes that a node reaches over links that are up, in the directions that they have. */
static void reach_from(const ripstop_view *view, uint32_t node, uint8_t *reached) {
  const ripstop_fabric *f = view->fabric;
  reached[node] = 1;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (view->port_up[port] && !reached[f->port_node[f->peer[port]]])
      reach_from(view, f->port_node[f->peer[port]], reached);
}

/* Some pairs beyond the guarantee: no route without a path. */
static void check_cut_pairs(subject *s, const ripstop_faults *faults) {
  uint8_t *reached = ripstop_realloc(NULL, s->fabric->nodes, 1);
  for (uint32_t i = 0; i < 40; i++) {
    ripstop_error err;
    ripstop_delivery candidate;
    uint32_t a = ripstop_stream_below(&s->random, s->ends), b = ripstop_stream_below(&s->random, s->ends);
    memset(reached, 0, s->fabric->nodes);
    reach_from(s->view, a, reached);
    if (reached[b]) continue;
    if (ripstop_plan_deliver(s->plan, a, b, MOST_STATES, &candidate, &err)) FAIL(s, "%s", err.text);
    if (candidate.some_choice) FAIL(s, "%u->%u delivered without a path, faults %s", a, b, faults_text(s, faults));
  }
  ripstop_free(reached);
}

/* A plan that followed the changes of its view answers as one that is made now. */
static void check_fresh(subject *s, const ripstop_faults *faults) {
  ripstop_error err;
  ripstop_plan *fresh = stand_plan(s->view, s->spec, NULL, &err);
  if (!fresh) FAIL(s, "applies after an update, but not afresh: %s", err.text);
  walker *old = walker_new(s->plan), *new = walker_new(fresh);
  uint64_t states = 0;
  for (uint32_t i = 0; i < 20 && states < STATES_BEYOND; i++) {
    uint32_t a = ripstop_stream_below(&s->random, s->ends), b = ripstop_stream_below(&s->random, s->ends);
    if (a == b) continue;
    ripstop_delivery one = walk_pair(old, a, b), other = walk_pair(new, a, b);
    if (!same_delivery(&one, &other))
      FAIL(s, "an updated plan differs from a fresh one, faults %s", faults_text(s, faults));
    states += one.states + other.states;
  }
  walker_free(old);
  walker_free(new);
  ripstop_plan_free(fresh);
}

static bool asks_for_bubbles(subject *s) {
  walker *w = walker_new(s->plan);
  for (uint32_t i = 1; i < s->ends; i++) walk_pair(w, 0, i);
  bool bubbles = w->bubbles;
  walker_free(w);
  return bubbles;
}

/* Bubble rings drain by a rule of their own, which this search does not know: they are each_guarantees.c's. */
static void check_waiting(subject *s, const ripstop_faults *faults) {
  bool bubbles;
  if (asks_for_bubbles(s)) return;
  uint32_t waiting = waiting_queues(s->plan, &bubbles);
  if (waiting && !bubbles) FAIL(s, "%u queues can wait for each other, faults %s", waiting, faults_text(s, faults));
}

/* ------------------------------------------------------------------ faults within the guarantee and beyond */

typedef struct budget {
  uint64_t pairs; /* for each size of sets */
  uint32_t exact; /* searches for waiting queues that are left */
} budget;

static void check_within(subject *s, const ripstop_faults *faults, uint64_t pairs, budget *left) {
  ripstop_answer answer;
  ripstop_view_set_faults(s->view, faults, false);
  if (!update(s, &answer)) FAIL(s, "does not apply to what it tolerates: %s", faults_text(s, faults));
  check_pairs(s, pairs, true, faults);
  if (s->guarantees.deadlock_free && left->exact && (uint64_t)s->ends * (s->ends - 1) <= PAIRS_EXACT) {
    check_waiting(s, faults);
    left->exact--;
  }
  ripstop_view_set_faults(s->view, faults, true);
}

/* The cost of one pair in usual pairs, by the states that its packets can be in with so many failed links. */
static uint64_t cost_of_pair(subject *s, uint32_t size) {
  enum { LOOKS = 8 };
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  ripstop_error err;
  ripstop_answer answer;
  uint64_t states = 0;
  if (ripstop_faults_sample(arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, size, 2, 0, &faults, &err))
    FAIL(s, "%s", err.text);
  ripstop_view_set_faults(s->view, &faults, false);
  bool applies = update(s, &answer);
  for (uint32_t i = 0; applies && i < LOOKS; i++) {
    ripstop_delivery candidate;
    uint32_t source = i * s->ends / LOOKS % s->ends, end = (source + s->ends / 2) % s->ends;
    if (source == end) continue;
    if (ripstop_plan_deliver(s->plan, source, end, MOST_STATES, &candidate, &err)) FAIL(s, "%s", err.text);
    states += candidate.states;
  }
  ripstop_view_set_faults(s->view, &faults, true);
  ripstop_arena_free(arena);
  return states / LOOKS > USUAL_STATES ? states / LOOKS / USUAL_STATES : 1;
}

/* All sets of this size if all their pairs are within the budget, else samples of sets with samples of pairs. */
static void check_tolerated(subject *s, uint32_t size, budget *left) {
  uint32_t population = ripstop_faults_population(s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS);
  uint64_t sets = size <= population ? ripstop_combinations_total(population, size) : 0;
  uint64_t all = (uint64_t)s->ends * (s->ends - 1);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults;
  ripstop_error err;
  uint64_t pairs = sets ? left->pairs / cost_of_pair(s, size) : 0;
  if (sets && sets <= pairs / all) {
    ripstop_combinations c;
    ripstop_combinations_first(arena, population, size, &c);
    do {
      ripstop_faults_from_parts(arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, c.part, c.count, &faults);
      check_within(s, &faults, all, left);
    } while (ripstop_combinations_next(&c));
  } else if (sets) {
    uint64_t each = all < 200 ? all : 200;
    for (uint64_t i = 0; i < (pairs > each ? pairs / each : 1); i++) {
      if (ripstop_faults_sample(arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, size, 1, i, &faults, &err))
        FAIL(s, "%s", err.text);
      check_within(s, &faults, each, left);
    }
  }
  ripstop_arena_free(arena);
}

/* Links, end nodes' links and switches: a few, many, all. */
static void draw_beyond(subject *s, ripstop_arena *arena, uint32_t index, ripstop_faults *out) {
  static const ripstop_fault_scope *const scopes[] = {RIPSTOP_FAULTS_SWITCH_LINKS, RIPSTOP_FAULTS_ALL_LINKS,
                                                      RIPSTOP_FAULTS_SWITCHES};
  const ripstop_fault_scope *scope = scopes[index % 3];
  uint32_t population = ripstop_faults_population(s->fabric, scope);
  uint32_t count = index / 3 % 4 == 3 ? population : 1 + ripstop_stream_below(&s->random, population / 2 + 1);
  ripstop_error err;
  *out = (ripstop_faults){0};
  if (population == 0) return;
  if (count > population) count = population;
  if (ripstop_faults_sample(arena, s->fabric, scope, count, 7, index, out, &err)) FAIL(s, "%s", err.text);
}

static void check_beyond(subject *s) {
  ripstop_arena *arena = ripstop_arena_new();
  for (uint32_t i = 0; i < 24; i++) {
    ripstop_faults faults;
    ripstop_answer answer;
    draw_beyond(s, arena, i, &faults);
    ripstop_view_set_faults(s->view, &faults, false);
    bool applies = update(s, &answer);
    if (answer == RIPSTOP_ERROR)
      FAIL(s, "an error where it may say that it does not apply: %s", faults_text(s, &faults));
    if (applies) {
      check_pairs(s, PAIRS_BEYOND / 24, false, &faults);
      check_cut_pairs(s, &faults);
      if (i % 4 == 0) check_fresh(s, &faults);
    }
    ripstop_view_set_faults(s->view, &faults, true);
  }
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ simulation */

/* Several channels for each of the method's, and a pool for each port, where the switch can have them. */
static void add_channels(const subject *s, ripstop_switch_config *w, uint32_t variant) {
  if (s->plan->control_flits || s->plan->channels > 3) return; /* with faults a plan may have more */
  if (variant % 7 > 3) w->vcs = 1 + variant % 3;
  w->vc = (int32_t)(variant % 3);
  if (variant % 4 != 2 || s->plan->bubble || w->flow == RIPSTOP_FLOW_XONXOFF) return;
  w->buffers = RIPSTOP_BUFFERS_PORT;
  w->in_queue = RIPSTOP_CHANNELS_MAX + variant % 3;
}

/* Small buffers under full load, the switch changed with `variant`. */
static void simulate(subject *s, const ripstop_faults *faults, const ripstop_schedule *schedule, uint32_t variant,
                     bool bubbles, bool within) {
  ripstop_simulate_settings sim = {.schedule = schedule, .seed = variant};
  ripstop_options_defaults(s->arena, ripstop_switch_options, &sim.switch_);
  ripstop_options_defaults(s->arena, ripstop_traffic_options, &sim.traffic);
  ripstop_options_defaults(s->arena, ripstop_measure_options, &sim.measure);
  sim.traffic.load = 1;
  sim.traffic.packet = variant % 2 ? "1" : "4";
  sim.switch_.in_queue = bubbles ? 2 : 1 + variant / 2 % 2;
  uint32_t selections = 0;
  while (ripstop_selections[selections]) selections++;
  sim.switch_.selection = ripstop_selections[variant % selections]->name;
  sim.switch_.credit = 1 + variant % 3;
  if (!bubbles && variant % 3 == 1) sim.switch_.out_queue = 1;
  if (!bubbles && variant % 5 == 2) {
    sim.switch_.flow = RIPSTOP_FLOW_XONXOFF;
    sim.switch_.in_queue = 12;
  }
  add_channels(s, &sim.switch_, variant);
  sim.measure.warmup = "0";
  sim.measure.cycles = SIM_NODE_CYCLES / s->ends;
  if (sim.measure.cycles > 600) sim.measure.cycles = 600;
  sim.measure.check = 50;
  ripstop_run_result result;
  ripstop_error err;
  if (stand_simulate(s->fabric, s->spec, faults, &sim, &result, &err))
    FAIL(s, "simulation %u: %s, faults %s", variant, err.text, faults_text(s, faults));
  if (within && s->guarantees.deadlock_free && result.verdict == RIPSTOP_DEADLOCKED)
    FAIL(s, "simulation %u deadlocks, faults %s: %s", variant, faults_text(s, faults), result.witness);
  const ripstop_proto *proto = s->plan->method->proto;
  if (within && result.account.lost && !schedule && (!proto || proto->settled))
    FAIL(s, "simulation %u loses %llu packets, faults %s", variant, (unsigned long long)result.account.lost,
         faults_text(s, faults));
  if (within && result.account.delivered == 0) FAIL(s, "simulation %u moves nothing", variant);
  ripstop_run_result_free(&result);
}

/* Two links fail while it runs, and come back. */
static ripstop_schedule draw_schedule(subject *s, ripstop_arena *arena) {
  uint32_t links = s->fabric->links - s->fabric->link_ends;
  ripstop_change *change = RIPSTOP_ARRAY(arena, 4, ripstop_change);
  uint32_t a = ripstop_stream_below(&s->random, links), b = (a + 1) % links;
  change[0] = (ripstop_change){.cycle = 20, .id = s->fabric->link_ends + a};
  change[1] = (ripstop_change){.cycle = 40, .id = s->fabric->link_ends + b};
  change[2] = (ripstop_change){.cycle = 70, .id = s->fabric->link_ends + a, .up = true};
  change[3] = (ripstop_change){.cycle = 90, .id = s->fabric->link_ends + b, .up = true};
  return (ripstop_schedule){.count = a == b ? 0 : 4, .change = change};
}

static bool applies_to(subject *s, const ripstop_faults *faults) {
  ripstop_answer answer;
  ripstop_view_set_faults(s->view, faults, false);
  bool applies = update(s, &answer);
  ripstop_view_set_faults(s->view, faults, true);
  return applies;
}

static void check_simulations(subject *s, uint32_t variant) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults none = {0}, faults = {0};
  ripstop_error err;
  ripstop_answer answer;
  update(s, &answer);
  bool bubbles = s->plan->bubble || s->plan->control_flits; /* both need credits, and no output queues */
  if (asks_for_bubbles(s) && !s->plan->bubble)
    FAIL(s, "a candidate requires the space of two packets, but the plan of %s has no bubbles", s->spec);
  simulate(s, &none, NULL, variant, bubbles, true);
  uint32_t population = ripstop_faults_population(s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS);
  if (s->guarantees.tolerates && s->guarantees.tolerates <= population) {
    if (ripstop_faults_sample(arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, s->guarantees.tolerates, 3, variant,
                              &faults, &err))
      FAIL(s, "%s", err.text);
    simulate(s, &faults, NULL, variant + 1, bubbles, true);
  }
  draw_beyond(s, arena, variant, &faults);
  if (applies_to(s, &faults)) simulate(s, &faults, NULL, variant + 2, bubbles, false);
  if (s->fabric->links > s->fabric->link_ends + 1) {
    ripstop_schedule schedule = draw_schedule(s, arena);
    simulate(s, &none, &schedule, variant + 3, bubbles, false);
  }
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ a method */

static bool open_subject(subject *s, const ripstop_fabric *fabric, const char *spec, ripstop_arena *arena) {
  ripstop_error err = {0};
  ripstop_answer answer;
  *s = (subject){.fabric = fabric, .spec = spec, .arena = arena, .ends = fabric->ends};
  s->random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, fabric->ports);
  s->view = ripstop_view_new(fabric, NULL);
  s->plan = stand_plan(s->view, spec, &answer, &err);
  if (!s->plan && !err.text[0]) FAIL(s, "answer %d without a reason", answer);
  if (!s->plan) {
    ripstop_view_free(s->view);
    return false;
  }
  s->plan->method->guarantees(fabric, s->plan->config, &s->guarantees);
  s->distance = ripstop_realloc(NULL, (size_t)s->ends * fabric->nodes, sizeof *s->distance);
  for (uint32_t e = 0; e < s->ends; e++) ripstop_fabric_distances(fabric, e, s->distance + (size_t)e * fabric->nodes);
  return true;
}

static void close_subject(subject *s) {
  ripstop_plan_free(s->plan);
  ripstop_view_free(s->view);
  ripstop_free(s->distance);
}

/* True if the method applies to the fabric. */
static bool check_subject(const ripstop_fabric *fabric, const char *spec, uint32_t variant, uint32_t times,
                          ripstop_arena *arena) {
  subject s;
  if (!open_subject(&s, fabric, spec, arena)) return false;
  if (!s.plan->method->proto || s.plan->method->proto->settled) {
    ripstop_faults none = {0};
    budget left = {.pairs = (uint64_t)PAIRS_WITHIN * times, .exact = EXACT_SETS * times};
    check_pairs(&s, UINT64_MAX, true, &none);
    if (s.guarantees.deadlock_free) check_waiting(&s, &none);
    for (uint32_t size = 1; size <= s.guarantees.tolerates; size++) check_tolerated(&s, size, &left);
    check_beyond(&s);
  }
  check_simulations(&s, variant);
  close_subject(&s);
  return true;
}

static void method_keeps_its_word(void **state) {
  const ripstop_method *method = *state;
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t share = share_of_cases(), first = share_first(share), number = 0;
  uint64_t all = combinations_of(arena, method), step = step_through(all, MOST_COMBINATIONS);
  uint32_t applied = 0, combinations = 0, defaults = 1 + (DEFAULTS_TIMES - 1) / share;
  const uint64_t others = (all - 1) / step, turns = others < share ? others : share; /* each share has one of them */
  assert_int_equal(method->abi, RIPSTOP_METHOD_ABI);
  assert_true(method->name && method->summary && method->source && method->options && method->guarantees);
  assert_int_equal(!method->load, !method->name_files);
  for (uint64_t index = 0; index < all; index += step, number++) {
    if (number > 0 && (number - 1) % share != first % turns) continue; /* the defaults are in every share */
    const char *spec = combination(arena, method, index);
    uint32_t applied_before = applied;
    for (size_t i = 0; i < FABRICS; i++)
      applied += check_subject(fabrics[i], spec, (uint32_t)(index + i), index ? 1 : defaults, arena);
    combinations += applied > applied_before;
  }
  print_message("%s: %u combinations of options apply, %u times to a fabric\n", method->name, combinations, applied);
  assert_true(applied > 0 || method->load); /* one that reads files has a test of its own */
  ripstop_arena_free(arena);
}

int main(int argc, char **argv) {
  return each_method("conformance", method_keeps_its_word, argc, argv, open_fabrics, close_fabrics);
}
