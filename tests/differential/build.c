/* build.c - the model's network as it is before the first cycle. */
#include "route/plan_steps.h"
#include "things.h"

#include <string.h>

static void set_up_server(const model *m, server *s) {
  s->served = s->let_in = RIPSTOP_NONE;
  s->arbiter = ripstop_arena_array(m->arena, 1, m->arbiter->state_size(m->arbiter_config, m->plan->channels) + 1);
  m->arbiter->init(m->arbiter_config, m->plan->channels, s->arbiter);
}

uint64_t slow_delay(const model *m, uint32_t port) {
  uint32_t link = m->fabric->port_link[port];
  bool own = m->fabric->delay && link != RIPSTOP_NONE && m->fabric->delay[link];
  return own ? m->fabric->delay[link] : (uint64_t)m->sw->link;
}

static void set_up_output(model *m, output *o, uint32_t port) {
  uint32_t channels = m->channels;
  size_t ring = (size_t)channels * (size_t)slow_ring_places(m);
  bool cabled = m->fabric->peer[port] != RIPSTOP_NONE;
  o->wire = slow_row_new(m->arena, (uint32_t)slow_delay(m, port));
  o->endless = cabled && ripstop_is_end(m->fabric, m->fabric->port_node[m->fabric->peer[port]]);
  o->free = RIPSTOP_ARRAY(m->arena, channels, int64_t);
  o->credit = RIPSTOP_ARRAY(m->arena, ring, int64_t);
  o->xon = RIPSTOP_ARRAY(m->arena, channels, bool);
  o->word = RIPSTOP_ARRAY(m->arena, ring, uint8_t);
  o->queue = RIPSTOP_ARRAY(m->arena, channels, line);
  o->used = RIPSTOP_ARRAY(m->arena, channels, int64_t);
  o->room = m->plan->transit_packets;
  o->leave = RIPSTOP_ARRAY(m->arena, ring, int64_t);
  for (uint32_t c = 0; c < channels; c++) {
    o->free[c] = m->sw->in_queue;
    o->xon[c] = true;
  }
  set_up_server(m, &o->link);
  set_up_server(m, &o->crossbar);
}

static void set_up_node(model *m, uint32_t v) {
  node *n = &m->node[v];
  bool end = ripstop_is_end(m->fabric, v);
  n->outputs = ripstop_node_ports(m->fabric, v);
  uint32_t ports = end ? m->classes : n->outputs, queues_per_port = end ? 1 : m->stride;
  n->queues = ports * queues_per_port;
  bool alone = end || m->sw->crossbar == RIPSTOP_CROSSBAR_QUEUES;
  uint32_t sides_per_port = alone ? queues_per_port : 1 + queues_per_port - m->channels; /* a FIFO has its own */
  n->sides = ports * sides_per_port;
  n->side = RIPSTOP_ARRAY(m->arena, n->sides, side);
  n->queue = RIPSTOP_ARRAY(m->arena, n->queues, input);
  n->stored = RIPSTOP_ARRAY(m->arena, n->queues, int64_t);
  n->output = RIPSTOP_ARRAY(m->arena, n->outputs, output);
  n->pipeline = RIPSTOP_ARRAY(m->arena, n->outputs, row);
  n->waiting = RIPSTOP_ARRAY(m->arena, n->outputs, line);
  n->let = RIPSTOP_ARRAY(m->arena, n->outputs, uint64_t);
  n->last_taken = no_flit;
  for (uint32_t q = 0; q < n->queues; q++) {
    n->queue[q].port = q / queues_per_port;
    n->queue[q].side = alone ? q : n->queue[q].port * sides_per_port + slow_is_fifo(m, v, q);
    n->queue[q].last_port = RIPSTOP_NONE;
    n->queue[q].last_word_xon = true;
  }
  for (uint32_t p = 0; p < n->outputs; p++) {
    set_up_output(m, &n->output[p], m->fabric->port_base[v] + p);
    n->pipeline[p] = slow_row_new(m->arena, (uint32_t)m->sw->pipeline);
  }
}

/* "name:options" */
static int set_up_arbiter(model *m) {
  const char *spec = m->sw->arbiter;
  size_t length = strcspn(spec, ":");
  for (const ripstop_arbiter *const *a = ripstop_arbiters; *a; a++) {
    if (strlen((*a)->name) != length || strncmp((*a)->name, spec, length) != 0) continue;
    void *config = ripstop_arena_array(m->arena, 1, (*a)->config_size + 1);
    if (ripstop_options_parse(m->arena, (*a)->name, (*a)->options, config, spec[length] ? spec + length + 1 : NULL,
                              m->err))
      return -1;
    m->arbiter = *a;
    m->arbiter_config = config;
    return (*a)->check ? (*a)->check(config, m->plan->channels, m->err) : 0;
  }
  return ripstop_fail(m->err, "no arbiter '%s'", spec);
}

/* True if some link is slow, or will be. */
static bool any_is_slow(const model *m) {
  const ripstop_schedule *s = m->sim->schedule;
  for (uint32_t link = 0; link < m->fabric->links; link++)
    if (ripstop_view_rate(m->view, link) < RIPSTOP_RATE_FULL) return true;
  for (size_t i = 0; s && i < s->count; i++)
    if (s->change[i].rate && s->change[i].rate < RIPSTOP_RATE_FULL) return true;
  return false;
}

/* docs/model.md, "Space": the least xoff, what it is where it is not given, and what it leaves a slow queue. */
static void set_up_xonxoff(model *m) {
  const bool packets = m->sw->unit == RIPSTOP_UNIT_PACKETS, slow = any_is_slow(m) && m->sw->out_queue == 0 &&
                                                                   strcmp(m->sw->queues, "output") != 0 &&
                                                                   !slow_is_shared(m);
  const int64_t stored = m->sw->forward == RIPSTOP_FORWARD_STORE; /* packets that come whole before they count */
  const int64_t delay =
      (int64_t)slow_longest_delay(m->fabric, (uint64_t)m->sw->link) + m->sw->pipeline + m->sw->credit - 1 - stored;
  const int64_t whole = delay / m->shortest, flits = whole * m->longest, largest = packets ? 1 : m->longest;
  const int64_t least = (1 + stored) * largest + (packets ? whole : flits < delay ? flits : delay);
  int64_t usual = packets && !stored && delay % m->shortest ? least + 1 : least;
  if (slow && m->sw->slow_queue > 1 && usual < least + largest &&
      least + largest <= (m->sw->xon ? m->sw->xon : m->sw->in_queue))
    usual = least + largest;
  m->xoff = m->sw->xoff ? m->sw->xoff : usual;
  m->xon = m->sw->xon ? m->sw->xon : m->xoff;
  m->places = slow ? (uint32_t)m->sw->slow_queue : 0;
  m->places_on = m->places < 2 ? m->places : 2;
  if (m->sw->flow == RIPSTOP_FLOW_XONXOFF && m->places_on == 2 && m->xoff < least + largest) m->places_on = 1;
}

static int set_up_traffic(model *m, const model_agent *agent) {
  if (agent) {
    m->classes = agent->classes;
    m->longest = agent->longest;
    m->shortest = agent->shortest;
    m->streams = m->fabric->ends * m->classes;
    return 0;
  }
  m->sources = ripstop_sources_open(m->arena, m->fabric, &m->sim->traffic, m->sim->seed, m->err);
  if (!m->sources) return -1;
  m->classes = ripstop_sources_classes(m->sources);
  m->longest = ripstop_sources_longest(m->sources);
  m->shortest = ripstop_sources_shortest(m->sources);
  m->streams = m->fabric->ends * m->classes;
  m->source = RIPSTOP_ARRAY(m->arena, m->streams, ripstop_source);
  for (uint32_t s = 0; s < m->streams; s++) ripstop_source_open(m->sources, s, &m->source[s]);
  return 0;
}

/* If all heads query the protocol, the plan needs no tables. */
static int make_tables(model *m) {
  const ripstop_proto *proto = m->plan->method->proto;
  return (!proto || !proto->interfaces) && ripstop_plan_tables(m->plan, m->err) != RIPSTOP_APPLIES ? -1 : 0;
}

int slow_compile(model *m) {
  return ripstop_plan_recompile(m->plan, m->err) != RIPSTOP_APPLIES || make_tables(m) ? -1 : 0;
}

int slow_set_up(model *m, const ripstop_plan *given, const model_agent *agent) {
  m->arena = ripstop_arena_new();
  m->plan = ripstop_plan_for(given, m->view, NULL, m->err);
  if (!m->plan || make_tables(m) || set_up_traffic(m, agent)) return -1;
  m->channels = m->plan->channels * (uint32_t)m->sw->vcs;
  m->stride = m->channels + (m->plan->control_flits > 0);
  if (set_up_arbiter(m)) return -1;
  set_up_xonxoff(m);
  m->node = RIPSTOP_ARRAY(m->arena, m->fabric->nodes, node);
  for (uint32_t v = 0; v < m->fabric->nodes; v++) set_up_node(m, v);
  slow_talk_open(m);
  slow_stop_open(m);
  slow_errors_open(m);
  if (agent) slow_game_open(m, agent);
  return 0;
}

void slow_tear_down(model *m) {
  slow_talk_close(m);
  slow_game_close(m);
  for (uint32_t v = 0; m->node && v < m->fabric->nodes; v++) {
    node *n = &m->node[v];
    for (uint32_t q = 0; q < n->queues; q++) ripstop_free(n->queue[q].line.at);
    for (uint32_t p = 0; p < n->outputs; p++) ripstop_free(n->waiting[p].at);
    for (uint32_t p = 0; p < n->outputs; p++)
      for (uint32_t c = 0; c < m->channels; c++) ripstop_free(n->output[p].queue[c].at);
    for (uint32_t p = 0; p < n->outputs; p++) ripstop_free(n->output[p].slow.at);
    ripstop_free(n->occupant);
  }
  ripstop_free(m->packet);
  ripstop_plan_free(m->plan);
  ripstop_view_free(m->view);
  ripstop_arena_free(m->arena);
}
