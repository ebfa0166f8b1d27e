/* open.c - checks a simulation's options and lays out its shape, its parts (parts.c) and its features, in the order in
 * which they act in a cycle. All memory is allocated here, except for lists that grow (part.more). */
#include "simulate/open.h"

#include <string.h>

#include "base/local.h"
#include "base/registry.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"
#include "simulate/agents.h"
#include "simulate/binding.h"
#include "simulate/change.h"
#include "simulate/congestion_marks.h"
#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/crossbar.h"
#include "simulate/deliveries.h"
#include "simulate/fetch.h"
#include "simulate/link_errors.h"
#include "simulate/losses.h"
#include "simulate/onoff.h"
#include "simulate/outqueues.h"
#include "simulate/pairs.h"
#include "simulate/parts.h"
#include "simulate/pools.h"
#include "simulate/reconfiguration.h"
#include "simulate/reorder.h"
#include "simulate/slow.h"
#include "simulate/store_forward.h"
#include "simulate/threads.h"
#include "simulate/to_self.h"
#include "simulate/transit.h"

/* Sizes beyond these are certainly mistakes. */
#define MOST_SLOTS   (UINT64_C(1) << 29)
#define MOST_WINDOWS INT64_C(10000000)
#define MOST_CYCLES  INT64_C(2000000000)

/* ------------------------------------------------------------------ options */

static int check_word(const char *group, const ripstop_option *option, int32_t value, ripstop_error *err) {
  int32_t count = 0;
  while (option->words[count]) count++;
  if (value >= 0 && value < count) return 0;
  return ripstop_fail(err, "%s.%s: %d is not the number of a word", group, option->name, (int)value);
}

static int check_range(const char *group, const ripstop_option *options, const void *config, ripstop_error *err) {
  for (const ripstop_option *o = options; o->name; o++) {
    const void *at = (const char *)config + o->offset;
    double value = 0;
    if (o->type == RIPSTOP_OPTION_INTEGER)
      value = (double)*(const int64_t *)at;
    else if (o->type == RIPSTOP_OPTION_REAL)
      value = *(const double *)at;
    else if (o->type == RIPSTOP_OPTION_TEXT && *(const char *const *)at == NULL)
      return ripstop_fail(err, "%s.%s is not given", group, o->name);
    else if (o->type == RIPSTOP_OPTION_WORD && check_word(group, o, *(const int32_t *)at, err))
      return -1;
    else
      continue;
    const bool unlimited = o->type == RIPSTOP_OPTION_INTEGER && o->words && *(const int64_t *)at == RIPSTOP_UNLIMITED;
    if (!unlimited && !(value >= o->min && value <= o->max))
      return ripstop_fail(err, "%s.%s = %g is outside %g .. %g", group, o->name, value, o->min, o->max);
  }
  return 0;
}

/* The other keys of traffic matter only with a transport; programs leave them 0 without one. */
static int check_traffic(const run *r, ripstop_error *err) {
  ripstop_traffic_config own = r->config->traffic;
  if (own.transport == RIPSTOP_TRANSPORT_NONE) {
    own.window = own.backoff = own.ack = 1;
    own.timeout = 2;
  }
  if (check_range("traffic", ripstop_traffic_options, &own, err)) return -1;
  if (own.transport == RIPSTOP_TRANSPORT_NONE || agents_count(r)) return 0;
  return ripstop_fail(err, "traffic.transport: %s needs endpoint agents; without them it must be none",
                      ripstop_transport_words[own.transport]);
}

static int check_options(const run *r, ripstop_error *err) {
  const ripstop_simulate_settings *s = r->config;
  if (check_range("switch", ripstop_switch_options, &s->switch_, err)) return -1;
  if ((agents_leave_some(r) || agents_count(r)) && check_traffic(r, err)) return -1;
  if (check_range("measure", ripstop_measure_options, &s->measure, err)) return -1;
  if (check_range("reaction", ripstop_reconfiguration_options, &s->reconfiguration, err)) return -1;
  if (s->schedule)
    for (size_t i = 0; i < s->schedule->count; i++)
      if (s->schedule->change[i].cycle > (uint64_t)MOST_CYCLES)
        return ripstop_fail(err, "schedule: cycle %llu is beyond the longest run",
                            (unsigned long long)s->schedule->change[i].cycle);
  return 0;
}

static int read_warmup(const run *r, uint64_t *cycles, bool *automatic, ripstop_error *err) {
  const char *text = r->config->measure.warmup;
  *automatic = strcmp(text, "auto") == 0;
  *cycles = WARMUP_LONGEST;
  if (*automatic) return 0;
  if (ripstop_parse_u64(text, (uint64_t)MOST_CYCLES, cycles, err)) return ripstop_fail_at(err, "measure.warmup");
  return 0;
}

/* Names the longer of the two first. */
static int refuse_length(uint64_t warmup, uint64_t cycles, ripstop_error *err) {
  const bool long_warmup = warmup > cycles;
  const char *one = long_warmup ? "warmup" : "cycles", *other = long_warmup ? "cycles" : "warmup";
  return ripstop_fail(err, "measure.%s = %llu with measure.%s = %llu: a run of %llu cycles is too long; at most %lld",
                      one, (unsigned long long)(long_warmup ? warmup : cycles), other,
                      (unsigned long long)(long_warmup ? cycles : warmup), (unsigned long long)(warmup + cycles),
                      (long long)MOST_CYCLES);
}

/* The length of the run at most, and its first measured cycle, or RIPSTOP_NONE if that depends on the run. */
static int read_length(const run *r, uint32_t *end, uint32_t *start, ripstop_error *err) {
  const ripstop_measure_config *m = &r->config->measure;
  uint64_t warmup;
  bool automatic;
  if (read_warmup(r, &warmup, &automatic, err)) return -1;
  if (warmup + (uint64_t)m->cycles > (uint64_t)MOST_CYCLES) return refuse_length(warmup, (uint64_t)m->cycles, err);
  if (m->batches > m->cycles)
    return ripstop_fail(err, "measure.cycles = %lld is less than measure.batches = %lld; a batch has a cycle or more",
                        (long long)m->cycles, (long long)m->batches);
  if (m->window && (int64_t)(warmup + (uint64_t)m->cycles) / m->window > MOST_WINDOWS)
    return ripstop_fail(err, "measure.window = %lld gives more than %lld points", (long long)m->window,
                        (long long)MOST_WINDOWS);
  *end = (uint32_t)(warmup + (uint64_t)m->cycles);
  *start = automatic ? RIPSTOP_NONE : (uint32_t)warmup;
  return 0;
}

/* ------------------------------------------------------------------ sizes */

/* Virtual channels for each of the plan's. */
static uint32_t vcs_of(const ripstop_plan *plan, const ripstop_switch_config *config) {
  if (config->vcs != RIPSTOP_UNLIMITED) return (uint32_t)config->vcs;
  return plan->channels && plan->channels < RIPSTOP_VCS_IN_ALL ? RIPSTOP_VCS_IN_ALL / plan->channels : 1;
}

/* The virtual channels of a link: `vcs` for each of the plan's. */
static int read_channels(shape *s, const ripstop_plan *plan, const ripstop_switch_config *config, ripstop_error *err) {
  const char *name = plan->method->name;
  s->plan_channels = plan->channels;
  s->vcs = vcs_of(plan, config);
  s->channels = s->vcs * plan->channels;
  s->vc = (ripstop_vc)config->vc;
  s->vc_words = ripstop_random_keys_of(s->seed, RIPSTOP_RANDOM_VC);
  if (plan->channels > RIPSTOP_CHANNELS_MAX) return 0; /* read_plan refuses it */
  if (s->channels > RIPSTOP_CHANNELS_MAX)
    return ripstop_fail(err,
                        "switch.vcs = %u: method %s has %u virtual channels, which makes %u; a link has at most %d, so "
                        "vcs is at most %d",
                        s->vcs, name, plan->channels, s->channels, RIPSTOP_CHANNELS_MAX,
                        RIPSTOP_CHANNELS_MAX / (int)plan->channels);
  if (s->vcs > 1 && plan->control_flits)
    return ripstop_fail(err, "switch.vcs = %u: method %s sends control packets, which need 1", s->vcs, name);
  for (uint32_t c = 0; c < s->channels; c++) s->channel_of_plan[c] = (uint8_t)(c / s->vcs);
  return 0;
}

static int read_plan(shape *s, const ripstop_plan *plan, const ripstop_switch_config *config, ripstop_error *err) {
  if (read_channels(s, plan, config, err)) return -1;
  for (uint32_t vc = 0; s->channels && vc < 64; vc += s->channels) s->first_vcs |= bit(vc);
  if (s->channels) s->per_channel = (UINT64_C(1) << 32) / s->channels + ((UINT64_C(1) << 32) % s->channels > 0);
  s->stride = s->channels + (plan->control_flits > 0);
  s->candidates_max = plan->candidates_max;
  s->candidates_kept = plan->choose_early || s->vcs > 1 ? 0 : plan->candidates_max;
  s->random_headers = plan->random_headers;
  if (s->candidates_max > 0 && s->candidates_max <= 255 && s->channels > 0 && s->channels <= RIPSTOP_CHANNELS_MAX)
    return 0;
  return ripstop_fail(err, "method %s: %u candidates and %u virtual channels; a simulation has at most 255 and %d",
                      plan->method->name, s->candidates_max, s->channels, RIPSTOP_CHANNELS_MAX);
}

static int read_traffic(run *r, shape *s, ripstop_error *err) {
  r->sources = ripstop_sources_open(r->arena, r->fabric, &r->config->traffic, r->config->seed, err);
  if (!r->sources) return ripstop_fail_at(err, "traffic");
  s->classes = ripstop_sources_classes(r->sources);
  s->shortest = ripstop_sources_shortest(r->sources);
  s->longest = ripstop_sources_longest(r->sources);
  return 0;
}

static bool joins_parts(const shape *s, uint32_t link) {
  return s->owner[ripstop_link_node(s->fabric, link, 0)] != s->owner[ripstop_link_node(s->fabric, link, 1)];
}

/* Reads the delays of links that have their own. */
static void read_delays(run *r, shape *s) {
  const ripstop_fabric *f = s->fabric;
  s->near = s->far = s->link;
  if (!f->delay) return;
  uint32_t *reach = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  s->near = UINT32_MAX;
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t own = f->delay[link] ? f->delay[link] : s->link;
    for (unsigned side = 0; side < 2; side++) reach[f->link_port[2 * (size_t)link + side]] = own;
    if (own > s->far) s->far = own;
    if (own < s->near && joins_parts(s, link)) s->near = own;
  }
  if (s->near > s->far) s->near = s->far; /* no link joins parts */
  s->reach = reach;
}

/* Control packets take space in the same queues. The bubble is that of data packets. */
static void widen_for_control(const run *r, shape *s) {
  const uint32_t flits = r->plan->control_flits;
  s->bubble = units(s, s->longest);
  if (flits && flits < s->shortest) s->shortest = flits;
  if (flits > s->longest) s->longest = flits;
}

/* Packets that fit into so many units. */
static uint32_t places_of(const shape *s, int64_t units) {
  return (uint32_t)(s->unit_flits ? units / s->shortest : units);
}

/* 16 bits count the packets of a queue. */
static int check_queue(const shape *s, const char *key, int64_t size, ripstop_error *err) {
  if (size == RIPSTOP_UNLIMITED) return 0;
  const long long most = s->unit_flits ? (long long)(UINT16_MAX + 1) * s->shortest - 1 : UINT16_MAX;
  if (size <= most) return 0;
  return ripstop_fail(err, "switch.%s = %lld: a queue holds at most %u packets, so at most %lld", key, (long long)size,
                      UINT16_MAX, most);
}

static int read_queues(run *r, shape *s, ripstop_error *err) {
  void *config;
  s->organisation = ripstop_switch_open(r->arena, r->config->switch_.queues, &config, err);
  if (!s->organisation) return -1;
  s->organisation_config = config;
  s->chooses_early = s->organisation->waits == RIPSTOP_SWITCH_WAITS_ONE;
  return 0;
}

static int open_queues(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  return s->organisation->open ? s->organisation->open(r, s->organisation_config, err) : 0;
}

static int read_unlimited(shape *s, const ripstop_switch_config *config, ripstop_error *err) {
  if (!s->chooses_early)
    return ripstop_fail(
        err, "switch.in_queue = unlimited: packets that wait at inputs need a bound; switch.queues = output has none");
  if (!s->credits)
    return ripstop_fail(err, "switch.in_queue = unlimited needs no flow control: switch.flow must be credits");
  s->unlimited = true;
  s->credits = false;
  s->capacity = s->room_capacity = INT32_MAX / 2;
  s->ring = UNLIMITED_PLACES;
  return check_queue(s, "out_queue", config->out_queue, err);
}

/* Packets take space of a memory, which counts flits, so input queues have no bound. */
static int read_memory(shape *s, const ripstop_switch_config *config, ripstop_error *err) {
  if (!s->credits)
    return ripstop_fail(
        err, "switch.queues = %s needs switch.flow = credits: switch.lossless says whether it pauses senders",
        config->queues);
  if (config->buffers == RIPSTOP_BUFFERS_PORT)
    return ripstop_fail(err, "switch.buffers = port: switch.queues = %s has one memory for all ports", config->queues);
  s->pauses = config->lossless;
  if (config->trim) s->shortest = 1; /* headers */
  return read_unlimited(s, config, err);
}

/* Keys that only switches with a shared memory use must not be set with others. */
static int check_memory_keys(const shape *s, const ripstop_switch_config *c, ripstop_error *err) {
  ripstop_switch_config usual = {0};
  RIPSTOP_LOCAL_ARENA(scratch);
  if (ripstop_options_defaults(scratch, ripstop_switch_options, &usual))
    return ripstop_fail(err, "switch: a default is out of range");
  const struct {
    const char *name;
    bool set, is_pause;
  } own[] = {{"buffer", c->buffer != usual.buffer, false},
             {"alpha", c->alpha != usual.alpha, false},
             {"lossless", c->lossless != usual.lossless, false},
             {"headroom", c->headroom != usual.headroom, true},
             {"trim", c->trim != usual.trim, false}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].set && !s->organisation->memory)
      return ripstop_fail(err, "switch.%s needs switch.queues: shared, not %s", own[i].name, c->queues);
    else if (own[i].set && own[i].is_pause && !c->lossless)
      return ripstop_fail(err, "switch.%s has no effect with switch.lossless = off: no sender pauses", own[i].name);
  return 0;
}

static int read_switch(run *r, shape *s, const ripstop_switch_config *config, ripstop_error *err) {
  if (read_queues(r, s, err)) return -1;
  s->link = (uint32_t)config->link;
  read_delays(r, s);
  s->is_long = s->far >= LONG_LINK;
  s->pipeline = (uint32_t)config->pipeline;
  s->credit = (uint32_t)config->credit;
  s->stores = config->forward == RIPSTOP_FORWARD_STORE;
  s->unit_flits = config->unit == RIPSTOP_UNIT_FLITS || s->organisation->memory;
  s->credits = config->flow == RIPSTOP_FLOW_CREDITS;
  s->quarters = (uint32_t)(4 * config->speedup);
  if (s->quarters < 4 * config->speedup)
    return ripstop_fail(err, "switch.speedup = %g: a whole number of quarters is possible, such as %g", config->speedup,
                        s->quarters / 4.0);
  if (s->quarters > 4 && !config->out_queue) r->scenario.switch_.out_queue = 8 * (int64_t)units(s, s->longest);
  widen_for_control(r, s);
  if (check_memory_keys(s, config, err)) return -1;
  if (s->organisation->memory) return read_memory(s, config, err);
  if (config->whole && config->in_queue < units(s, s->longest)) r->scenario.switch_.in_queue = units(s, s->longest);
  if (config->in_queue == RIPSTOP_UNLIMITED)
    return config->buffers == RIPSTOP_BUFFERS_PORT ? pools_read(r, s, err) : read_unlimited(s, config, err);
  if (pools_read(r, s, err)) return -1;
  s->capacity = s->room_capacity =
      (int32_t)config->in_queue - (s->pools ? (int32_t)(s->channels - 1) * s->pools->reserve : 0);
  const bool short_out = config->out_queue && config->out_queue < config->in_queue;
  int64_t least = short_out ? config->out_queue : config->in_queue;
  if (least < units(s, s->longest))
    return ripstop_fail(err,
                        "switch.%s = %lld: with switch.unit = flits a queue of %lld flits does not hold a packet of %u",
                        short_out ? "out_queue" : "in_queue", (long long)least, (long long)least, s->longest);
  if (check_queue(s, "in_queue", config->in_queue, err) || check_queue(s, "out_queue", config->out_queue, err))
    return -1;
  s->ring = places_of(s, s->capacity);
  s->places = slow_wanted(r);
  s->places_on = s->places < SLOW_ON ? s->places : onoff_places(r, s, SLOW_ON);
  return 0;
}

/* Bubble flow control counts the packets that fit behind a candidate: it needs exact free space, and queues for two
 * packets. */
static int check_bubble(const run *r, const shape *s, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  const char *name = r->plan->method->name;
  if (!r->plan->bubble) return 0;
  if (!s->credits)
    return ripstop_fail(err, "switch.flow: method %s has bubble flow control, which needs credits", name);
  if (config->out_queue && config->out_queue != RIPSTOP_UNLIMITED && !r->plan->transit_packets)
    return ripstop_fail(
        err,
        "switch.out_queue = %s: method %s has bubble flow control, which counts the space behind a link "
        "when a packet crosses; use unlimited or 0",
        out_queue_size(r), name);
  if (units_needed(s, s->longest, 2) > s->capacity)
    return ripstop_fail(err,
                        "switch.in_queue = %lld: method %s has bubble flow control, which needs room for two packets",
                        (long long)config->in_queue, name);
  return 0;
}

/* Control packets need exact free space behind a virtual channel, and no output queues. */
static int check_control(const run *r, const shape *s, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  const char *name = r->plan->method->name;
  if (!r->plan->control_flits) return 0;
  if (!s->credits) return ripstop_fail(err, "switch.flow: method %s sends control packets, which need credits", name);
  if (config->out_queue)
    return ripstop_fail(err,
                        "switch.out_queue = %s: method %s sends control packets, which need 0: each goes from its own "
                        "queue to the link",
                        out_queue_size(r), name);
  return 0;
}

/* Reads everything about the shape except its rows. */
static int read_shape(run *r, shape *s, ripstop_error *err) {
  s->fabric = r->fabric;
  s->ends = r->fabric->ends;
  s->seed = r->config->seed;
  s->ties = ripstop_random_keys_of(s->seed, RIPSTOP_RANDOM_SELECTION);
  s->owner = threads_divide(r->arena, r->fabric, s->parts);
  if (read_plan(s, r->plan, &r->config->switch_, err)) return -1;
  if (agents_leave_some(r) && read_traffic(r, s, err)) return -1;
  agents_widen(r, s);
  if (r->plan->classes > 1 && s->classes > r->plan->classes)
    return ripstop_fail(err, "traffic.classes: %u classes, but method %s routes %u", s->classes, r->plan->method->name,
                        r->plan->classes);
  s->streams = s->fabric->ends * s->classes;
  if (read_switch(r, s, &r->config->switch_, err) || check_bubble(r, s, err) || check_control(r, s, err)) return -1;
  s->window = threads_window(s);
  return 0;
}

/* ------------------------------------------------------------------ selection functions and arbiters */

static bool waits_for_space(const run *r) {
  const char *escape = ripstop_escape_words[r->config->switch_.escape];
  return !strcmp(ripstop_method_escape(r->plan->method, escape), ripstop_escape_words[RIPSTOP_ESCAPE_EXHAUSTED]);
}

static ripstop_plugin selection_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_selections[i]); }
static const ripstop_registry selections = {"switch.selection", RIPSTOP_SELECTION_ABI, selection_at};

const ripstop_selection *ripstop_selection_open(ripstop_arena *arena, const char *spec, void **config,
                                                ripstop_error *err) {
  return ripstop_registry_open(&selections, arena, spec, config, err);
}

static int open_selection(run *r, shape *s, ripstop_error *err) {
  void *config;
  const char *selection = ripstop_method_selection(r->plan->method, r->config->switch_.selection);
  s->selection = ripstop_selection_open(r->arena, selection, &config, err);
  s->selection_config = config;
  if (!s->selection) return -1;
  const unsigned traits = s->selection->traits ? s->selection->traits(config) : 0;
  s->needs_load = traits & RIPSTOP_SELECTION_LOAD;
  s->needs_message = traits & RIPSTOP_SELECTION_MESSAGE;
  s->binds = traits & RIPSTOP_SELECTION_BINDS;
  s->roomiest = s->selection->roomiest && !s->needs_load;
  s->choose = s->roomiest ? NULL : s->selection->choose;
  s->lists = s->choose || s->vcs > 1;
  s->exhausted = waits_for_space(r);
  return 0;
}

static ripstop_plugin arbiter_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_arbiters[i]); }
static const ripstop_registry arbiters = {"switch.arbiter", RIPSTOP_ARBITER_ABI, arbiter_at};

static void begin_arbiters(const shape *s, uint8_t *state, size_t step) {
  for (uint32_t port = 0; port < s->fabric->ports; port++)
    s->arbiter->init(s->arbiter_config, s->plan_channels, state + port * step);
}

uint8_t *new_arbiter_states(ripstop_arena *arena, const shape *s) {
  uint8_t *states = ripstop_arena_array(arena, s->fabric->ports, s->arbiter_bytes);
  begin_arbiters(s, states, s->arbiter_bytes);
  return states;
}

/* Small states lie in the ports' rows. */
static void lay_arbiters(run *r, shape *s) {
  if (s->arbiter_bytes > sizeof s->output->turn) {
    s->arbiter_step = s->arbiter_bytes;
    s->arbiter_state = new_arbiter_states(r->arena, s);
    return;
  }
  s->arbiter_step = sizeof *s->output;
  s->arbiter_state = (uint8_t *)&s->output->turn;
  begin_arbiters(s, s->arbiter_state, s->arbiter_step);
}

static int open_arbiters(run *r, shape *s, ripstop_error *err) {
  void *config;
  s->arbiter = ripstop_registry_open(&arbiters, r->arena, r->config->switch_.arbiter, &config, err);
  if (!s->arbiter) return -1;
  if (s->arbiter->check && s->arbiter->check(config, s->plan_channels, err)) return -1;
  s->arbiter_config = config;
  s->weighs = s->arbiter->weighs;
  size_t bytes = s->arbiter->state_size(config, s->plan_channels);
  s->arbiter_bytes = bytes <= sizeof s->output->turn ? sizeof s->output->turn : (bytes + 7) / 8 * 8;
  s->turns = s->arbiter->turns && bytes == sizeof s->output->turn;
  lay_arbiters(r, s);
  return 0;
}

/* ------------------------------------------------------------------ matchings */

static ripstop_plugin matching_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_matchings[i]); }
static const ripstop_registry matchings = {"switch.match", RIPSTOP_MATCHING_ABI, matching_at};

static int open_matching(run *r, shape *s, ripstop_error *err) {
  void *config;
  const ripstop_matching *own = ripstop_registry_open(&matchings, r->arena, r->config->switch_.match, &config, err);
  if (!own) return -1;
  s->matching = own->match ? own : NULL;
  s->matching_config = config;
  return 0;
}

/* ------------------------------------------------------------------ rows */

static uint32_t queues_of_node(const shape *s, uint32_t v) {
  return is_interface(s, v) ? s->classes : ripstop_node_ports(s->fabric, v) * s->stride;
}

/* `side_heads`: queues that share a crossbar input, for switches. */
static void lay_node(shape *s, uint32_t v, uint32_t side_heads) {
  const ripstop_fabric *f = s->fabric;
  sim_node *n = &s->node[v];
  n->port = f->port_base[v];
  n->ports = (uint16_t)ripstop_node_ports(f, v);
  n->queue = is_interface(s, v) ? v * s->classes : queue_of_port(s, n->port, 0);
  n->queues = (uint16_t)queues_of_node(s, v);
  n->words = (uint16_t)ceil_div(n->queues, 64);
  n->side_heads = (uint8_t)(is_interface(s, v) ? 1 : side_heads);
}

/* Words reserved for a node's sets: multiples of half a cache line for a NIC, of a line for a switch. */
static size_t room_for_sets(const shape *s, const sim_node *n) {
  size_t unit = n->port < s->ends ? LINE / 16 : LINE / 8;
  return (set_words(n, s->channels) + unit - 1) / unit * unit;
}

static void lay_sets(ripstop_arena *arena, shape *s) {
  size_t all = 0;
  for (uint32_t v = 0; v < s->fabric->nodes; v++) all += room_for_sets(s, &s->node[v]);
  uint64_t *sets = ROWS(arena, all, uint64_t);
  for (uint32_t v = 0; v < s->fabric->nodes; sets += room_for_sets(s, &s->node[v++])) s->node[v].sets = sets;
}

static void lay_queues(shape *s) {
  const ripstop_fabric *f = s->fabric;
  uint32_t slot = 0;
  for (uint32_t v = 0; v < f->nodes; v++) {
    const sim_node *n = &s->node[v];
    bool interface = is_interface(s, v);
    for (uint32_t i = 0; i < n->queues; i++) {
      uint32_t port = interface ? 0 : i / s->stride, channel = interface ? 0 : i % s->stride;
      bool control = channel == s->channels; /* the FIFO of control packets, with a crossbar input of its own */
      uint32_t peer = interface || control ? RIPSTOP_NONE : f->peer[n->port + port];
      s->queue[n->queue + i] =
          (queue){.node = v,
                  .upstream = peer == RIPSTOP_NONE ? 0 : peer * s->channels + channel,
                  .feeder = control ? FED_BY_CONTROL : s->owner[peer == RIPSTOP_NONE ? v : f->port_node[peer]],
                  .slot = slot,
                  .number = (uint16_t)i,
                  .in_port = (uint16_t)(interface ? i : port),
                  .last_port = NO_PORT,
                  .side = (uint16_t)(n->side_heads == 1 || control ? i : i - channel),
                  .sharers = (uint16_t)(control ? 1 : bit(n->side_heads) - 1),
                  .channel = (uint8_t)channel,
                  .plan_channel = (uint8_t)(control ? 0 : s->channel_of_plan[channel])};
      if (peer != RIPSTOP_NONE && is_interface(s, f->port_node[peer]))
        s->enters[(size_t)v * s->enters_words + i / 64] |= bit(i);
      slot += interface ? 1 : s->ring;
    }
  }
}

static void lay_vcs(shape *s) {
  const ripstop_fabric *f = s->fabric;
  for (uint32_t port = 0; port < f->ports; port++) {
    uint32_t peer = f->peer[port], v = f->port_node[port];
    bool to_end = peer != RIPSTOP_NONE && is_interface(s, f->port_node[peer]);
    if (port == f->port_base[v]) s->node[v].room = &s->space[port * s->channels];
    s->output[port] = (output){.node = v, .local = (uint16_t)(port - f->port_base[v]), .to_end = to_end};
    if (peer != RIPSTOP_NONE) s->output[port].next = to_end ? f->port_node[peer] : queue_of_port(s, peer, 0);
    if (peer != RIPSTOP_NONE) s->output[port].part = s->owner[f->port_node[peer]];
    for (uint32_t c = 0; c < s->channels; c++)
      s->space[port * s->channels + c] = to_end || !s->credits ? INT32_MAX : s->capacity;
  }
}

/* Checks that numbers and memory suffice. */
static int check_sizes(const run *r, const shape *s, ripstop_error *err) {
  const ripstop_fabric *f = s->fabric;
  uint64_t queues = s->streams + (uint64_t)(f->ports - f->ends) * s->stride, vcs = (uint64_t)f->ports * s->channels;
  uint64_t slots = s->streams + (queues - s->streams) * s->ring,
           transit_packets = (uint64_t)f->ends * r->plan->transit_packets;
  const int64_t behind = r->config->switch_.out_queue;
  uint64_t out = vcs * (behind == RIPSTOP_UNLIMITED ? UNLIMITED_PLACES : behind ? (uint64_t)behind : 1);
  uint64_t leaving = most_leaving(s), spare = threads_spare(s);
  if (queues < EVENT_SUBJECTS && vcs < EVENT_SUBJECTS && slots <= MOST_SLOTS && out <= MOST_SLOTS &&
      transit_packets <= MOST_SLOTS && leaving <= MOST_SLOTS && spare <= MOST_SLOTS)
    return 0;
  return ripstop_fail(err, "switch: %llu queues with %llu places are more than one simulation can hold",
                      (unsigned long long)queues,
                      (unsigned long long)(slots + out + transit_packets + leaving + spare));
}

static int lay_nodes(run *r, shape *s, extremes *most, ripstop_error *err) {
  const ripstop_fabric *f = s->fabric;
  for (uint32_t v = 0; v < f->nodes; v++) {
    uint32_t ports = ripstop_node_ports(f, v), width = ceil_div(queues_of_node(s, v), 64);
    if (ports > most->ports) most->ports = ports;
    if (width > most->words) most->words = width;
  }
  if (most->words * 64 > UINT16_MAX)
    return ripstop_fail(err,
                        "switch: a switch of %u ports with %u virtual channels is more than one simulation can hold",
                        most->ports, s->channels);
  s->node = ROWS(r->arena, f->nodes, sim_node);
  uint32_t side_heads = r->config->switch_.crossbar == RIPSTOP_CROSSBAR_QUEUES ? 1 : s->channels;
  for (uint32_t v = 0; v < f->nodes; v++) lay_node(s, v, side_heads);
  lay_sets(r->arena, s);
  s->enters_words = most->words;
  s->enters = RIPSTOP_ARRAY(r->arena, (size_t)f->nodes * most->words, uint64_t);
  return 0;
}

static int lay_shape(run *r, shape *s, extremes *most, ripstop_error *err) {
  const ripstop_fabric *f = s->fabric;
  if (check_sizes(r, s, err) || lay_nodes(r, s, most, err)) return -1;
  s->queues = s->streams + (f->ports - f->ends) * s->stride;
  s->queue = ROWS(r->arena, s->queues, queue);
  s->slot = ROWS(r->arena, s->streams + (size_t)(s->queues - s->streams) * s->ring, sim_slot);
  s->output = ROWS(r->arena, f->ports, output);
  s->space = s->room = ROWS(r->arena, (size_t)f->ports * s->channels, int32_t);
  pools_lay(r, s);
  lay_queues(s);
  lay_vcs(s);
  return open_selection(r, s, err) || open_arbiters(r, s, err) ? -1 : 0;
}

/* ------------------------------------------------------------------ features */

void hook_cycle(cycle_hook list[CYCLE_HOOKS], cycle_hook hook) {
  uint32_t i = 0;
  while (list[i]) i++;
  assert(i + 1 < CYCLE_HOOKS);
  list[i] = hook;
}

void hook_arrived(hooks *own, cycle_hook hook, uint64_t (*due)(const run *r)) {
  uint32_t i = 0;
  while (own->arrived[i]) i++;
  hook_cycle(own->arrived, hook);
  own->due[i] = due;
}

/* check_bubble has checked the queues for bubble flow control. */
static uint8_t plain_space(const run *r) { return r->plan->bubble ? 2 : 1; }

/* Opens the features that need the packets' rows. */
static int open_features(run *r, ripstop_error *err) {
  if (onoff_open(r, err) || transit_packets_open(r, err)) return -1;
  agents_open(r);
  if (marks_open(r, err)) return -1;
  deliveries_open(r);
  reorder_open(r);
  losses_open(r);
  changes_open(r);
  return stop_open(r, err);
}

/* Copies the features of the first part to the others. */
static void open_others(run *r) {
  part *first = r->part;
  shape *s = &first->shape;
  s->ample_space = first->hook.link_woken ? INT32_MAX : units_needed(s, s->longest, s->plain_space);
  first->special_grants = first->hook.occupancy || first->hook.leaving || first->shape.reach || first->shape.is_long ||
                          first->shape.stores || first->shape.pools;
  for (uint32_t i = 1; i < r->shape->parts; i++) {
    part *t = &r->part[i];
    t->hook = first->hook;
    t->shape.ample_space = s->ample_space;
    t->special_grants = first->special_grants;
    t->out_queues = first->out_queues;
    t->bound = first->bound;
    t->slow_queues = first->slow_queues;
    t->transit_packets = first->transit_packets;
    t->measure.affected = first->measure.affected;
    t->measure.routed_classes = first->measure.routed_classes;
  }
  if (!first->run->goods) return;
  first->run->goods->affected = first->measure.affected;
  first->run->goods->routed_classes = first->measure.routed_classes;
}

int run_open(run *r, ripstop_error *err) {
  uint32_t start = RIPSTOP_NONE;
  extremes most = {.ports = 1, .words = 1};
  uint32_t parts = threads_parts_of(r->plan, r->config);
  part *t = r->part = RIPSTOP_ARRAY(r->arena, parts, part);
  r->shape = &t->shape;
  t->shape.parts = parts;
  for (uint32_t i = 0; i < parts; i++) r->part[i].failure.cycle = r->part[i].first_loss.cycle = RIPSTOP_NONE;
  t->run = r;
  if (agents_read(r, err) || check_options(r, err) || read_length(r, &r->end, &start, err)) return -1;
  if (read_shape(r, &t->shape, err) || lay_shape(r, &t->shape, &most, err) || out_queues_open(r, err) ||
      open_matching(r, &t->shape, err) || open_queues(r, err) || crossbar_open(r, err))
    return -1;
  store_forward_open(r);
  if (!t->hook.rounds && t->shape.vcs > 1)
    t->hook.rounds = t->shape.exhausted ? exhausted_turning_rounds : turning_rounds;
  if (!t->hook.rounds && t->shape.exhausted) t->hook.rounds = exhausted_rounds;
  t->shape.plain_space = plain_space(r);
  t->shape.sure_space = !t->shape.unit_flits && !r->plan->transit_packets;
  slow_open(r);
  parts_lay(r, most);
  threads_open(r);
  fetch_open(r);
  binding_open(r, most.ports);
  if (open_features(r, err)) return -1;
  measure_open(r, start);
  if (pairs_open(r, err)) return -1;
  if (control_open(r, err) || link_errors_open(r, err) || to_self_open(r, err)) return -1;
  open_others(r);
  return 0;
}
