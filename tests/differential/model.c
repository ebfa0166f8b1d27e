/* model.c - docs/model.md carried out flit by flit and cycle by cycle, to be believed by reading.
 *
 * Everything is a thing that one could touch: a link is a row of D places for flits, a router pipeline a row of R
 * places, a queue a line of flits, a credit or an XON/XOFF word something that travels for K cycles. No event is ever
 * computed ahead: each cycle moves every row one place, lets every node decide, and lets everything that was granted
 * send one flit. Nothing is remembered that could be looked up again; routing is asked anew in every cycle.
 *
 * What must hold by the laws of nature is checked on the way (`must`): no two flits on one place, no queue fuller than
 * it is large, the flits of a packet together and in order everywhere, no flit sent before it came. */
#include "model.h"
#include "ripstop/plugin/arbiter.h"

#include <stdlib.h>
#include <string.h>

#include "ripstop/plugin/method.h"
#include "simulate/source.h"

/* ------------------------------------------------------------------ the things */

typedef struct flit {
  uint32_t packet; /* index into the packets; RIPSTOP_NONE: no flit here */
  uint16_t number; /* 0: the head; the packet's flits - 1: the tail */
  uint8_t channel; /* virtual channel that it travels on */
  uint64_t came;   /* cycle in which it came into its present queue */
} flit;

static const flit no_flit = {.packet = RIPSTOP_NONE};

typedef struct line { /* of flits, first come first served */
  flit *at;
  size_t first, count, room;
} line;

typedef struct row { /* of places; a flit put in at cycle c comes out at cycle c + places */
  flit *place;
  uint32_t places;
  flit last; /* that was put in */
} row;

typedef struct input { /* an input queue */
  line line;
  uint32_t side;      /* input port: whose side of the crossbar it shares */
  uint32_t held;      /* units of the packets that have entered and not left */
  uint32_t last_port; /* that it was granted last; RIPSTOP_NONE: none */
  uint64_t left;      /* cycle in which a packet left last: the one after its tail was sent */
  bool last_word_xon; /* the last word sent was XON */
} input;

typedef enum goal { TO_LINK, TO_OUTPUT_QUEUE, TO_NOWHERE } goal;

typedef struct side { /* an input port's side of the crossbar */
  bool busy;
  uint32_t queue, port; /* from which queue to which output port */
  uint8_t channel;
  goal to;
} side;

typedef struct server { /* an arbiter's memory */
  void *arbiter;        /* of the plug-in */
  uint32_t served;      /* round-robin: the queue served last; RIPSTOP_NONE: none */
  uint32_t let_in;      /* transit-first: the one that a network interface sends into and that was served last */
} server;

typedef struct output { /* an output port */
  bool link_busy;
  row wire;
  /* what the sender knows of the next input queue, by channel */
  bool endless;    /* the next node is an end node */
  int64_t *free;   /* units */
  int64_t *credit; /* [channel x (K + 2) + cycle % (K + 2)]: units to be free again from that cycle on */
  bool *xon;       /* the word in force */
  uint8_t *word;   /* [channel x (K + 2) + cycle % (K + 2)]: the word that takes effect then; see words */
  server link;     /* who serves the link */
  /* with output queues */
  bool crossbar_busy;
  server crossbar;      /* who serves the crossbar's output */
  line *queue;          /* [channel] */
  int64_t *used;        /* [channel]: units of the packets in the queue */
  uint8_t sending;      /* channel that has the link */
  bool sending_nowhere; /* the packet on the link is a remnant that goes nowhere */
} output;

enum { NO_WORD, WORD_XON, WORD_XOFF };

typedef struct node {
  uint32_t sides, queues, outputs;
  side *side;
  input *queue;
  output *output;
  row *pipeline;   /* switches: [input port] */
  flit last_taken; /* end nodes: the flit that came last */
} node;

typedef struct model {
  const ripstop_scenario *sim;
  const ripstop_switch_config *sw;
  const ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_arena *arena;
  ripstop_sources *sources;
  ripstop_source *source; /* [stream] */
  uint32_t classes, longest, shortest, channels, streams;
  int64_t xoff, xon;
  const ripstop_arbiter *arbiter;
  const void *arbiter_config;
  node *node;
  model_packet *packet;
  size_t packets, packet_room;
  size_t change; /* next of the schedule */
  uint64_t now;
  uint64_t moved; /* the last cycle in which a flit moved */
  bool silent;    /* no births any more */
  uint64_t lost[MODEL_CAUSES];
  FILE *trace;
  uint64_t traced;
  ripstop_error *err;
  bool broken;
} model;

static void must(model *m, bool holds, const char *truth) {
  if (holds || m->broken) return;
  m->broken = true;
  ripstop_fail(m->err, "broken: cycle %llu: %s", (unsigned long long)m->now, truth);
}

static void tell(const model *m, uint32_t packet, const char *what, uint32_t at, uint32_t port, uint32_t channel) {
  if (!m->trace || m->packet[packet].serial != m->traced) return;
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(m->fabric, at, name);
  fprintf(m->trace, "  cycle %llu: %s at %s %s", (unsigned long long)m->now, what,
          ripstop_is_end(m->fabric, at) ? "end node" : "switch", name);
  if (port != RIPSTOP_NONE) fprintf(m->trace, ", port %u channel %u", port, channel);
  fprintf(m->trace, "\n");
}

static uint32_t units(const model *m, uint32_t packet) {
  return m->sw->unit == RIPSTOP_UNIT_FLITS ? m->packet[packet].flits : 1;
}
static bool is_tail(const model *m, flit f) { return f.number + 1 == m->packet[f.packet].flits; }
static bool is_lost(const model *m, uint32_t packet) { return m->packet[packet].cause != RIPSTOP_NONE; }
static bool has_output_queues(const model *m, uint32_t v) {
  return m->sw->out_queue > 0 && !ripstop_is_end(m->fabric, v);
}

/* Flits of a packet come together and in order. */
static void check_sequence(model *m, flit before, flit next) {
  if (next.number == 0)
    must(m, before.packet == RIPSTOP_NONE || is_tail(m, before), "a head comes into the middle of another packet");
  else
    must(m, before.packet == next.packet && before.number + 1 == next.number, "a flit is out of its place");
}

/* ------------------------------------------------------------------ lines and rows */

static void line_add(line *l, flit f) {
  if (l->first + l->count == l->room) {
    if (l->first > l->count) {
      memmove(l->at, l->at + l->first, l->count * sizeof(flit));
      l->first = 0;
    } else {
      l->room = l->room ? 2 * l->room : 32;
      l->at = ripstop_realloc(l->at, l->room, sizeof(flit));
    }
  }
  l->at[l->first + l->count++] = f;
}

static flit line_front(const line *l) { return l->count ? l->at[l->first] : no_flit; }
static flit line_back(const line *l) { return l->count ? l->at[l->first + l->count - 1] : no_flit; }

static flit line_take(line *l) {
  flit f = line_front(l);
  if (l->count) {
    l->first++;
    l->count--;
  }
  return f;
}

static row row_new(ripstop_arena *arena, uint32_t places) {
  row r = {.place = RIPSTOP_ARRAY(arena, places, flit), .places = places, .last = no_flit};
  for (uint32_t i = 0; i < places; i++) r.place[i] = no_flit;
  return r;
}

static void row_put(model *m, row *r, flit f) {
  flit *place = &r->place[m->now % r->places];
  must(m, place->packet == RIPSTOP_NONE, "two flits on one place of a link or pipeline");
  check_sequence(m, r->last, f);
  *place = r->last = f;
}

/* The flit that comes out now; the place is free for the one that is put in now. */
static flit row_take(model *m, row *r) {
  flit f = r->place[m->now % r->places];
  r->place[m->now % r->places] = no_flit;
  return f;
}

/* ------------------------------------------------------------------ setting up */

/* What travels for `credit` cycles has a ring of two places more: it may be sent for the next cycle. */
static uint64_t ring_place(const model *m, uint32_t channel, uint64_t cycle) {
  uint64_t places = (uint64_t)m->sw->credit + 2;
  return channel * places + cycle % places;
}

static void set_up_server(const model *m, server *s) {
  s->served = s->let_in = RIPSTOP_NONE;
  s->arbiter = ripstop_arena_array(m->arena, 1, m->arbiter->state_size(m->arbiter_config, m->plan->channels) + 1);
  m->arbiter->init(m->arbiter_config, m->plan->channels, s->arbiter);
}

static void set_up_output(model *m, output *o, uint32_t port) {
  uint32_t channels = m->channels;
  size_t ring = (size_t)channels * ((size_t)m->sw->credit + 2);
  bool cabled = m->fabric->peer[port] != RIPSTOP_NONE;
  o->wire = row_new(m->arena, (uint32_t)m->sw->link);
  o->endless = cabled && ripstop_is_end(m->fabric, m->fabric->port_node[m->fabric->peer[port]]);
  o->free = RIPSTOP_ARRAY(m->arena, channels, int64_t);
  o->credit = RIPSTOP_ARRAY(m->arena, ring, int64_t);
  o->xon = RIPSTOP_ARRAY(m->arena, channels, bool);
  o->word = RIPSTOP_ARRAY(m->arena, ring, uint8_t);
  o->queue = RIPSTOP_ARRAY(m->arena, channels, line);
  o->used = RIPSTOP_ARRAY(m->arena, channels, int64_t);
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
  n->sides = end ? m->classes : n->outputs;
  uint32_t queues_per_side = end ? 1 : m->channels;
  n->queues = n->sides * queues_per_side;
  n->side = RIPSTOP_ARRAY(m->arena, n->sides, side);
  n->queue = RIPSTOP_ARRAY(m->arena, n->queues, input);
  n->output = RIPSTOP_ARRAY(m->arena, n->outputs, output);
  n->pipeline = RIPSTOP_ARRAY(m->arena, n->outputs, row);
  n->last_taken = no_flit;
  for (uint32_t q = 0; q < n->queues; q++) {
    n->queue[q].side = q / queues_per_side;
    n->queue[q].last_port = RIPSTOP_NONE;
    n->queue[q].last_word_xon = true;
  }
  for (uint32_t p = 0; p < n->outputs; p++) {
    set_up_output(m, &n->output[p], m->fabric->port_base[v] + p);
    n->pipeline[p] = row_new(m->arena, (uint32_t)m->sw->pipeline);
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
    return (*a)->check ? (*a)->check(config, m->channels, m->err) : 0;
  }
  return ripstop_fail(m->err, "no arbiter '%s'", spec);
}

static void set_up_xonxoff(model *m) {
  uint64_t on_the_way = (uint64_t)(m->sw->link + m->sw->pipeline + m->sw->credit - 1);
  uint64_t packets = 1 + (on_the_way + m->shortest - 1) / m->shortest;
  uint64_t largest = m->sw->unit == RIPSTOP_UNIT_FLITS ? m->longest : 1;
  m->xoff = m->sw->xoff ? m->sw->xoff : (int64_t)(packets * largest);
  m->xon = m->sw->xon ? m->sw->xon : m->xoff;
}

static int set_up(model *m, const ripstop_plan *given) {
  m->arena = ripstop_arena_new();
  m->plan = ripstop_plan_for(given, m->view, NULL, m->err);
  if (!m->plan) return -1;
  m->channels = m->plan->channels;
  m->sources = ripstop_sources_open(m->arena, m->fabric, &m->sim->traffic, m->sim->seed, m->err);
  if (!m->sources) return -1;
  m->classes = ripstop_sources_classes(m->sources);
  m->longest = ripstop_sources_longest(m->sources);
  m->shortest = ripstop_sources_shortest(m->sources);
  m->streams = m->fabric->ends * m->classes;
  m->source = RIPSTOP_ARRAY(m->arena, m->streams, ripstop_source);
  for (uint32_t s = 0; s < m->streams; s++) ripstop_source_open(m->sources, s, &m->source[s]);
  if (set_up_arbiter(m)) return -1;
  set_up_xonxoff(m);
  m->node = RIPSTOP_ARRAY(m->arena, m->fabric->nodes, node);
  for (uint32_t v = 0; v < m->fabric->nodes; v++) set_up_node(m, v);
  return 0;
}

static void tear_down(model *m) {
  for (uint32_t v = 0; m->node && v < m->fabric->nodes; v++) {
    node *n = &m->node[v];
    for (uint32_t q = 0; q < n->queues; q++) ripstop_free(n->queue[q].line.at);
    for (uint32_t p = 0; p < n->outputs; p++)
      for (uint32_t c = 0; c < m->channels; c++) ripstop_free(n->output[p].queue[c].at);
  }
  ripstop_free(m->packet);
  ripstop_plan_free(m->plan);
  ripstop_view_free(m->view);
  ripstop_arena_free(m->arena);
}

/* ------------------------------------------------------------------ step 1: changes */

static void lose(model *m, uint32_t packet, uint32_t cause) {
  if (is_lost(m, packet)) return;
  must(m, m->packet[packet].delivered == MODEL_NEVER, "a delivered packet is lost");
  m->packet[packet].cause = cause;
  m->lost[cause < MODEL_CAUSES ? cause : MODEL_CAUSES - 1]++;
  tell(m, packet, "lost", m->packet[packet].source, RIPSTOP_NONE, 0);
}

static void lose_line(model *m, const line *l, uint32_t cause) {
  for (size_t i = 0; i < l->count; i++) lose(m, l->at[l->first + i].packet, cause);
}

static void lose_row(model *m, const row *r, uint32_t cause) {
  for (uint32_t i = 0; i < r->places; i++)
    if (r->place[i].packet != RIPSTOP_NONE) lose(m, r->place[i].packet, cause);
}

/* One direction of a link has died: what is on it, and what waits for it, is lost. */
static void lose_port(model *m, uint32_t port, uint32_t cause) {
  uint32_t v = m->fabric->port_node[port];
  output *o = &m->node[v].output[port - m->fabric->port_base[v]];
  lose_row(m, &o->wire, cause);
  for (uint32_t c = 0; c < m->channels; c++) lose_line(m, &o->queue[c], cause);
}

/* A switch has died, and with it fall silent the interfaces of its end nodes: what waits in them is lost. Only the
 * packet at the head of a queue is in the interface itself and keeps its place; of those behind it nothing remains. A
 * packet that leaves in this cycle is still the head. */
static void lose_interface(model *m, uint32_t end) {
  for (uint32_t q = 0; q < m->node[end].queues; q++) {
    input *in = &m->node[end].queue[q];
    uint32_t head = line_front(&in->line).packet;
    size_t kept = 0;
    lose_line(m, &in->line, RIPSTOP_LOST_SWITCH);
    if (head == RIPSTOP_NONE || in->left == m->now) head = RIPSTOP_NONE;
    while (kept < in->line.count && head != RIPSTOP_NONE && in->line.at[in->line.first + kept].packet == head) kept++;
    for (size_t i = kept; i < in->line.count; i++)
      if (in->line.at[in->line.first + i].number == 0) in->held -= units(m, in->line.at[in->line.first + i].packet);
    in->line.count = kept;
  }
}

/* A switch has died: what is in its queues and pipelines is lost, and what waits in the interfaces of its end nodes. */
static void lose_switch(model *m, uint32_t v) {
  for (uint32_t q = 0; q < m->node[v].queues; q++) lose_line(m, &m->node[v].queue[q].line, RIPSTOP_LOST_SWITCH);
  for (uint32_t p = 0; p < m->node[v].outputs; p++) {
    lose_row(m, &m->node[v].pipeline[p], RIPSTOP_LOST_SWITCH);
    for (uint32_t c = 0; c < m->channels; c++) lose_line(m, &m->node[v].output[p].queue[c], RIPSTOP_LOST_SWITCH);
  }
  for (uint32_t e = 0; e < m->fabric->ends; e++)
    if (ripstop_end_switch(m->fabric, e) == v) lose_interface(m, e);
}

static int change_fabric(model *m) {
  const ripstop_schedule *schedule = m->sim->schedule;
  bool changed = false;
  while (schedule && m->change < schedule->count && schedule->change[m->change].cycle == m->now) {
    const ripstop_change *c = &schedule->change[m->change++];
    uint8_t *before = ripstop_realloc(NULL, m->fabric->ports, 1);
    memcpy(before, m->view->port_up, m->fabric->ports);
    ripstop_view_apply(m->view, c);
    for (uint32_t p = 0; p < m->fabric->ports; p++)
      if (before[p] && !m->view->port_up[p]) lose_port(m, p, c->is_switch ? RIPSTOP_LOST_SWITCH : RIPSTOP_LOST_LINK);
    if (c->is_switch && !c->up) lose_switch(m, c->id);
    ripstop_free(before);
    changed = true;
  }
  return changed && ripstop_plan_update(m->plan, m->err) != RIPSTOP_APPLIES ? -1 : 0;
}

/* ------------------------------------------------------------------ step 2: arrivals */

/* A flit comes into an input queue; a head with it enters its packet. */
static void enter(model *m, uint32_t v, uint32_t queue, flit f) {
  input *q = &m->node[v].queue[queue];
  f.came = m->now;
  if (q->line.count) check_sequence(m, line_back(&q->line), f);
  line_add(&q->line, f);
  if (f.number == 0) {
    q->held += units(m, f.packet);
    tell(m, f.packet, "first decision possible", v, q->side, f.channel);
  }
  if (ripstop_is_end(m->fabric, v)) return; /* an interface's queue has no bound */
  must(m, q->held <= m->sw->in_queue, "an input queue overflows");
  must(m, m->sw->unit == RIPSTOP_UNIT_PACKETS || q->line.count <= (size_t)m->sw->in_queue, "an input queue overflows");
}

static void receive(model *m, uint32_t end, flit f) {
  check_sequence(m, m->node[end].last_taken, f);
  m->node[end].last_taken = f;
  must(m, m->packet[f.packet].destination == end, "a packet comes to an end node that it is not for");
  if (!is_tail(m, f) || is_lost(m, f.packet)) return;
  m->packet[f.packet].delivered = m->now;
  tell(m, f.packet, "delivered", end, RIPSTOP_NONE, 0);
}

static void arrive_by_link(model *m, uint32_t port) {
  uint32_t v = m->fabric->port_node[port];
  flit f = row_take(m, &m->node[v].output[port - m->fabric->port_base[v]].wire);
  if (f.packet == RIPSTOP_NONE) return;
  uint32_t peer = m->fabric->peer[port], to = m->fabric->port_node[peer], in = peer - m->fabric->port_base[to];
  if (ripstop_is_end(m->fabric, to))
    receive(m, to, f);
  else if (m->sw->pipeline == 0)
    enter(m, to, in * m->channels + f.channel, f);
  else
    row_put(m, &m->node[to].pipeline[in], f);
}

static void arrive_by_pipeline(model *m, uint32_t v, uint32_t in) {
  flit f = row_take(m, &m->node[v].pipeline[in]);
  if (f.packet != RIPSTOP_NONE) enter(m, v, in * m->channels + f.channel, f);
}

static void arrive_credits_and_words(model *m, output *o) {
  for (uint32_t c = 0; c < m->channels; c++) {
    uint64_t here = ring_place(m, c, m->now);
    o->free[c] += o->credit[here];
    o->credit[here] = 0;
    if (o->word[here] != NO_WORD) o->xon[c] = o->word[here] == WORD_XON;
    o->word[here] = NO_WORD;
    must(m, o->free[c] <= m->sw->in_queue, "more credits than space");
  }
}

/* docs/model.md, "Draws". */
static uint64_t draw(const model *m, uint64_t serial) {
  uint32_t word[4];
  ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_DRAW, serial, 0, word);
  return (uint64_t)word[0] * m->plan->draws >> 32;
}

/* The packet that is born now at the end of a stream. */
static void bear(model *m, uint32_t stream) {
  const ripstop_source *s = &m->source[stream];
  uint32_t end = stream / m->classes, class_ = stream % m->classes;
  if (m->packets == m->packet_room) {
    m->packet_room = m->packet_room ? 2 * m->packet_room : 1024;
    m->packet = ripstop_realloc(m->packet, m->packet_room, sizeof(model_packet));
  }
  m->packet[m->packets] = (model_packet){.serial = (uint64_t)s->number * m->streams + stream,
                                         .born = m->now,
                                         .sent = MODEL_NEVER,
                                         .delivered = MODEL_NEVER,
                                         .source = end,
                                         .destination = s->destination,
                                         .cause = RIPSTOP_NONE,
                                         .flits = s->flits,
                                         .class_ = (uint8_t)class_};
  if (m->plan->draws > 1) m->packet[m->packets].header = draw(m, m->packet[m->packets].serial);
  for (uint16_t i = 0; i < s->flits; i++) enter(m, end, class_, (flit){.packet = (uint32_t)m->packets, .number = i});
  m->packets++;
}

static void births(model *m) {
  for (uint32_t s = 0; s < m->streams && !m->silent; s++) {
    bool silent = !m->view->node_up[ripstop_end_switch(m->fabric, s / m->classes)];
    while (m->source[s].born == m->now) {
      if (!silent) bear(m, s);
      ripstop_source_next(m->sources, s, &m->source[s]);
    }
  }
}

/* After the arrivals: each switch tells the senders when its queues become too full, or empty enough. */
static void send_words(model *m, uint32_t v) {
  node *n = &m->node[v];
  for (uint32_t q = 0; q < n->queues; q++) {
    uint32_t channel = q % m->channels, peer = m->fabric->peer[m->fabric->port_base[v] + n->queue[q].side];
    if (peer == RIPSTOP_NONE) continue;
    uint32_t sender = m->fabric->port_node[peer];
    output *o = &m->node[sender].output[peer - m->fabric->port_base[sender]];
    int64_t left = m->sw->in_queue - n->queue[q].held;
    uint8_t word = n->queue[q].last_word_xon ? left < m->xoff ? WORD_XOFF : NO_WORD
                   : left >= m->xon          ? WORD_XON
                                             : NO_WORD;
    if (word == NO_WORD) continue;
    n->queue[q].last_word_xon = word == WORD_XON;
    o->word[ring_place(m, channel, m->now + (uint64_t)m->sw->credit)] = word;
  }
}

static void arrivals(model *m) {
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    for (uint32_t p = 0; m->sw->pipeline && p < m->node[v].outputs; p++) arrive_by_pipeline(m, v, p);
  for (uint32_t p = 0; p < m->fabric->ports; p++)
    if (m->fabric->peer[p] != RIPSTOP_NONE) arrive_by_link(m, p);
  for (uint32_t v = 0; v < m->fabric->nodes; v++)
    for (uint32_t p = 0; p < m->node[v].outputs; p++) arrive_credits_and_words(m, &m->node[v].output[p]);
  births(m);
  if (m->sw->flow == RIPSTOP_FLOW_XONXOFF)
    for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++) send_words(m, v);
}

/* ------------------------------------------------------------------ step 3: decisions */

/* The packet at the head of an input queue, waiting and free to leave its port; RIPSTOP_NONE: none. */
static uint32_t waiting_head(const node *n, uint32_t queue) {
  flit f = line_front(&n->queue[queue].line);
  return f.packet == RIPSTOP_NONE || n->side[n->queue[queue].side].busy ? RIPSTOP_NONE : f.packet;
}

/* The next queue of a link has `needed` free units. */
static bool link_has_space(const model *m, const output *o, uint32_t channel, int64_t needed) {
  if (o->endless) return true;
  return m->sw->flow == RIPSTOP_FLOW_XONXOFF ? o->xon[channel] : o->free[channel] >= needed;
}

static bool is_open(const model *m, uint32_t v, uint32_t packet, const ripstop_way *way) {
  const output *o = &m->node[v].output[way->port];
  int64_t needed = units(m, packet);
  if (way->space == 2) needed += m->sw->unit == RIPSTOP_UNIT_FLITS ? m->longest : 1;
  if (has_output_queues(m, v)) return !o->crossbar_busy && m->sw->out_queue - o->used[way->channel] >= needed;
  return !o->link_busy && link_has_space(m, o, way->channel, needed);
}

/* Free units in a way's queue, as the choice rule `space` compares them. */
static int64_t free_units(const model *m, uint32_t v, const ripstop_way *way) {
  const output *o = &m->node[v].output[way->port];
  if (has_output_queues(m, v)) return m->sw->out_queue - o->used[way->channel];
  if (o->endless) return INT64_MAX;
  return m->sw->flow == RIPSTOP_FLOW_XONXOFF ? 0 : o->free[way->channel];
}

static uint32_t tie(const model *m, uint32_t packet, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_CHOICE, m->packet[packet].serial, m->packet[packet].hops, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* Keeps the ways of lowest rank, in order; returns how many. */
static uint32_t keep_lowest_rank(ripstop_way *ways, uint32_t n) {
  uint32_t kept = 0;
  uint8_t lowest = UINT8_MAX;
  for (uint32_t i = 0; i < n; i++)
    if (ways[i].rank < lowest) lowest = ways[i].rank;
  for (uint32_t i = 0; i < n; i++)
    if (ways[i].rank == lowest) ways[kept++] = ways[i];
  return kept;
}

/* The permitted ways of a packet at the head of a queue: how many, or -(1 + index of the loss). */
static int ask_ways(model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_way *ways) {
  const model_packet *p = &m->packet[packet];
  bool end = ripstop_is_end(m->fabric, v);
  ripstop_head head = {.node = v,
                       .in_port = end ? RIPSTOP_NONE : m->node[v].queue[queue].side,
                       .source = p->source,
                       .destination = p->destination,
                       .header = p->header,
                       .channel = (uint8_t)(end ? 0 : queue % m->channels),
                       .class_ = p->class_};
  int n = ripstop_route(m->plan, &head, ways);
  must(m, n != 0 && n <= (int)m->plan->ways_max, "the method gives more or fewer ways than it may");
  for (int i = 0; i < n; i++)
    must(m,
         ways[i].port < m->node[v].outputs && m->view->port_up[m->fabric->port_base[v] + ways[i].port] &&
             ways[i].channel < m->channels,
         "the method gives a way that is not there");
  if (n > 0 && m->plan->choose_early) {
    uint32_t kept = keep_lowest_rank(ways, (uint32_t)n);
    ways[0] = ways[tie(m, packet, kept)];
    n = 1;
  }
  return n;
}

/* Steps from the port granted last to a way's port, going up and round; 1 for the very next port. */
static uint32_t steps_round(const node *n, const input *q, const ripstop_way *way) {
  uint32_t last = q->last_port == RIPSTOP_NONE ? n->outputs - 1 : q->last_port;
  uint32_t steps = (way->port + n->outputs - last) % n->outputs;
  return steps ? steps : n->outputs;
}

/* Units that are taken in a way's queue, as the choice rule `weighted` counts them. */
static int64_t taken_units(const model *m, uint32_t v, const ripstop_way *way) {
  const output *o = &m->node[v].output[way->port];
  if (has_output_queues(m, v)) return o->used[way->channel];
  if (o->endless || m->sw->flow == RIPSTOP_FLOW_XONXOFF) return 0;
  return m->sw->in_queue - o->free[way->channel];
}

/* Keeps the ways of least taken units x links, and of those the ones of fewest links; returns how many. */
static uint32_t keep_least_burden(const model *m, uint32_t v, ripstop_way *ways, uint32_t n) {
  int64_t least = INT64_MAX, fewest = INT64_MAX;
  uint32_t kept = 0;
  for (int round = 0; round < 3; round++)
    for (uint32_t i = 0; i < n; i++) {
      int64_t links = ways[i].weight ? ways[i].weight : 1, burden = links * taken_units(m, v, &ways[i]);
      if (round == 0 && burden < least) least = burden;
      if (round == 1 && burden == least && links < fewest) fewest = links;
      if (round == 2 && burden == least && links == fewest) ways[kept++] = ways[i];
    }
  return kept;
}

/* Among the open ways the one that the packet requests; false: none is open. Leaves only a part of the ways. */
static bool choose(const model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_way *ways, uint32_t n,
                   ripstop_way *chosen) {
  const input *q = &m->node[v].queue[queue];
  uint32_t best = 0, open = 0, equal = 0;
  int64_t most = INT64_MIN;
  for (uint32_t i = 0; i < n; i++)
    if (is_open(m, v, packet, &ways[i])) ways[open++] = ways[i];
  if (open == 0) return false;
  n = keep_lowest_rank(ways, open);
  const char *choice = m->sw->choice;
  if (!strcmp(choice, "random")) {
    best = tie(m, packet, n);
  } else if (!strcmp(choice, "rotate")) {
    for (uint32_t i = 1; i < n; i++)
      if (steps_round(&m->node[v], q, &ways[i]) < steps_round(&m->node[v], q, &ways[best])) best = i;
  } else if (!strcmp(choice, "space")) {
    for (uint32_t i = 0; i < n; i++)
      if (free_units(m, v, &ways[i]) > most) most = free_units(m, v, &ways[i]);
    for (uint32_t i = 0; i < n; i++)
      if (free_units(m, v, &ways[i]) == most) ways[equal++] = ways[i];
    best = tie(m, packet, equal);
  } else if (!strcmp(choice, "weighted")) {
    best = tie(m, packet, n = keep_least_burden(m, v, ways, n));
  }
  *chosen = ways[best];
  return true;
}

/* Who wins: `asks` says which queues want it, `channel` and `flits` what for. Round-robin is written out here, so that
 * it is not taken from where the engine takes it. */
static uint32_t round_robin(const bool *asks, uint32_t queues, uint32_t *served) {
  uint32_t from = *served == RIPSTOP_NONE ? 0 : *served + 1;
  for (uint32_t i = 0; i < queues; i++) {
    uint32_t q = (from + i) % queues;
    if (asks[q]) return *served = q;
  }
  return RIPSTOP_NONE;
}

/* Those under way first; written out here for the same reason. */
static uint32_t transit_first(const bool *asks, const bool *enters, uint32_t queues, server *s) {
  bool *part = ripstop_realloc(NULL, queues, sizeof *part), any = false;
  for (uint32_t q = 0; q < queues; q++) any |= part[q] = asks[q] && !(enters && enters[q]);
  uint32_t winner = any ? round_robin(part, queues, &s->served) : round_robin(asks, queues, &s->let_in);
  ripstop_free(part);
  return winner;
}

/* `enters`: queues that a network interface sends into; NULL: none. */
static uint32_t arbitrate(const model *m, server *s, const bool *asks, const bool *enters, const uint8_t *channel,
                          const uint16_t *flits, uint32_t queues) {
  if (strcmp(m->arbiter->name, "round-robin") == 0) return round_robin(asks, queues, &s->served);
  if (strcmp(m->arbiter->name, "transit-first") == 0) return transit_first(asks, enters, queues, s);
  uint32_t words = (queues + 63) / 64;
  uint64_t *bits = ripstop_realloc(NULL, words, sizeof *bits);
  memset(bits, 0, words * sizeof *bits);
  for (uint32_t q = 0; q < queues; q++)
    if (asks[q]) bits[q / 64] |= (uint64_t)1 << q % 64;
  ripstop_requests requests = {.bits = bits, .words = words, .channel = channel, .flits = flits};
  uint32_t winner = m->arbiter->pick(m->arbiter_config, s->arbiter, &requests);
  ripstop_free(bits);
  return winner;
}

static void discard(model *m, uint32_t v, uint32_t queue, uint32_t packet) {
  node *n = &m->node[v];
  n->side[n->queue[queue].side] = (side){.busy = true, .queue = queue, .port = RIPSTOP_NONE, .to = TO_NOWHERE};
  tell(m, packet, "discarded", v, RIPSTOP_NONE, 0);
}

static void grant(model *m, uint32_t v, uint32_t queue, uint32_t packet, const ripstop_way *way) {
  node *n = &m->node[v];
  output *o = &n->output[way->port];
  model_packet *p = &m->packet[packet];
  goal to = has_output_queues(m, v) ? TO_OUTPUT_QUEUE : TO_LINK;
  n->side[n->queue[queue].side] =
      (side){.busy = true, .queue = queue, .port = way->port, .channel = way->channel, .to = to};
  n->queue[queue].last_port = way->port;
  if (to == TO_LINK) {
    o->link_busy = true;
    o->free[way->channel] -= o->endless ? 0 : units(m, packet);
    must(m, m->sw->flow == RIPSTOP_FLOW_XONXOFF || o->free[way->channel] >= 0, "a packet is sent without credits");
  } else {
    o->crossbar_busy = true;
    o->used[way->channel] += units(m, packet);
    must(m, o->used[way->channel] <= m->sw->out_queue, "an output queue overflows");
  }
  p->header = way->header;
  p->hops++;
  if (ripstop_is_end(m->fabric, v)) p->sent = m->now;
  tell(m, packet, "granted", v, way->port, way->channel);
}

/* What one node has before it in one cycle, by queue. */
typedef struct table {
  uint32_t queues, ways_max;
  uint32_t *packet;     /* waiting there; RIPSTOP_NONE: none, or it is done with */
  int *count;           /* of its permitted ways; negative: none */
  ripstop_way *ways;    /* [queue x ways_max] */
  ripstop_way *open;    /* [ways_max] */
  ripstop_way *request; /* [queue] */
  bool *requests, *asks, *enters;
  uint8_t *channel;
  uint16_t *flits;
} table;

static table table_new(ripstop_arena *arena, uint32_t queues, uint32_t ways_max) {
  return (table){.queues = queues,
                 .ways_max = ways_max,
                 .packet = RIPSTOP_ARRAY(arena, queues, uint32_t),
                 .count = RIPSTOP_ARRAY(arena, queues, int),
                 .ways = RIPSTOP_ARRAY(arena, (size_t)queues * ways_max, ripstop_way),
                 .open = RIPSTOP_ARRAY(arena, ways_max, ripstop_way),
                 .request = RIPSTOP_ARRAY(arena, queues, ripstop_way),
                 .requests = RIPSTOP_ARRAY(arena, queues, bool),
                 .asks = RIPSTOP_ARRAY(arena, queues, bool),
                 .enters = RIPSTOP_ARRAY(arena, queues, bool),
                 .channel = RIPSTOP_ARRAY(arena, queues, uint8_t),
                 .flits = RIPSTOP_ARRAY(arena, queues, uint16_t)};
}

static void look(model *m, uint32_t v, table *t) {
  for (uint32_t q = 0; q < m->node[v].queues; q++) {
    uint32_t packet = t->packet[q] = waiting_head(&m->node[v], q);
    if (packet == RIPSTOP_NONE) continue;
    must(m, line_front(&m->node[v].queue[q].line).number == 0, "a queue begins within a packet that nobody sends");
    t->count[q] = is_lost(m, packet) ? -1 : ask_ways(m, v, q, packet, &t->ways[(size_t)q * t->ways_max]);
  }
}

static void discards(model *m, uint32_t v, table *t) {
  for (uint32_t q = 0; q < m->node[v].queues; q++) {
    uint32_t packet = t->packet[q];
    if (packet == RIPSTOP_NONE || t->count[q] > 0 || waiting_head(&m->node[v], q) == RIPSTOP_NONE) continue;
    discard(m, v, q, packet);
    lose(m, packet, RIPSTOP_LOST_METHOD + (uint32_t)(-t->count[q] - 1));
  }
}

static bool sends_in(const model *m, uint32_t v, uint32_t queue) {
  const ripstop_fabric *f = m->fabric;
  if (ripstop_is_end(f, v)) return false;
  uint32_t peer = f->peer[f->port_base[v] + queue / m->channels];
  return peer != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[peer]);
}

static void make_requests(model *m, uint32_t v, table *t) {
  for (uint32_t q = 0; q < m->node[v].queues; q++) {
    uint32_t packet = t->packet[q];
    t->requests[q] = false;
    if (packet == RIPSTOP_NONE || t->count[q] <= 0 || waiting_head(&m->node[v], q) == RIPSTOP_NONE) continue;
    memcpy(t->open, &t->ways[(size_t)q * t->ways_max], (size_t)t->count[q] * sizeof(ripstop_way));
    t->requests[q] = choose(m, v, q, packet, t->open, (uint32_t)t->count[q], &t->request[q]);
    t->channel[q] = t->request[q].channel;
    t->flits[q] = m->packet[packet].flits;
    t->enters[q] = sends_in(m, v, q);
  }
}

/* One output picks among the requests whose input side is still free; returns whether it granted. */
static bool serve_output(model *m, uint32_t v, uint32_t port, table *t) {
  node *n = &m->node[v];
  output *o = &n->output[port];
  bool any = false;
  for (uint32_t q = 0; q < n->queues; q++) {
    t->asks[q] = t->requests[q] && t->request[q].port == port && waiting_head(n, q) != RIPSTOP_NONE;
    any |= t->asks[q];
  }
  if (!any) return false;
  server *s = has_output_queues(m, v) ? &o->crossbar : &o->link;
  uint32_t winner = arbitrate(m, s, t->asks, t->enters, t->channel, t->flits, n->queues);
  must(m, winner < n->queues && t->asks[winner], "the arbiter picks a queue that did not ask");
  if (m->broken) return false;
  grant(m, v, winner, t->packet[winner], &t->request[winner]);
  return true;
}

/* An output queue's first packet that can be sent now; RIPSTOP_NONE: none. */
static uint32_t sendable(const model *m, const output *o, uint32_t channel) {
  flit f = line_front(&o->queue[channel]);
  return f.packet == RIPSTOP_NONE || f.came >= m->now ? RIPSTOP_NONE : f.packet;
}

static void take_link(model *m, uint32_t v, uint32_t port, uint32_t channel, bool nowhere) {
  output *o = &m->node[v].output[port];
  uint32_t packet = line_front(&o->queue[channel]).packet;
  must(m, line_front(&o->queue[channel]).number == 0, "an output queue begins within a packet that nobody sends");
  o->link_busy = true;
  o->sending = (uint8_t)channel;
  o->sending_nowhere = nowhere;
  tell(m, packet, nowhere ? "discarded from the output queue" : "takes the link", v, port, channel);
  if (nowhere || o->endless) return;
  o->free[channel] -= units(m, packet);
  must(m, m->sw->flow == RIPSTOP_FLOW_XONXOFF || o->free[channel] >= 0, "a packet is sent without credits");
}

/* A free link of a switch with output queues: remnants first, on a dead link too; then the arbiter's choice. */
static void serve_link(model *m, uint32_t v, uint32_t port, table *t) {
  output *o = &m->node[v].output[port];
  bool any = false;
  if (o->link_busy) return;
  for (uint32_t c = 0; c < m->channels; c++) {
    uint32_t packet = sendable(m, o, c);
    if (packet == RIPSTOP_NONE || !is_lost(m, packet)) continue;
    take_link(m, v, port, c, true);
    return;
  }
  if (!m->view->port_up[m->fabric->port_base[v] + port]) return;
  for (uint32_t c = 0; c < m->channels; c++) {
    uint32_t packet = sendable(m, o, c);
    t->asks[c] = packet != RIPSTOP_NONE && link_has_space(m, o, c, units(m, packet));
    t->channel[c] = (uint8_t)c;
    t->flits[c] = packet == RIPSTOP_NONE ? 0 : m->packet[packet].flits;
    any |= t->asks[c];
  }
  if (any) take_link(m, v, port, arbitrate(m, &o->link, t->asks, NULL, t->channel, t->flits, m->channels), false);
}

static void decide(model *m, uint32_t v, table *t) {
  bool granted;
  look(m, v, t);
  discards(m, v, t);
  do {
    granted = false;
    make_requests(m, v, t);
    for (uint32_t p = 0; p < m->node[v].outputs; p++) granted |= serve_output(m, v, p, t);
  } while (granted && !m->broken);
  if (has_output_queues(m, v))
    for (uint32_t p = 0; p < m->node[v].outputs; p++) serve_link(m, v, p, t);
}

static void decisions(model *m) {
  uint32_t most = m->channels;
  ripstop_arena *arena = ripstop_arena_new();
  for (uint32_t v = 0; v < m->fabric->nodes; v++)
    if (m->node[v].queues > most) most = m->node[v].queues;
  table t = table_new(arena, most, m->plan->ways_max);
  /* a dead switch too: it has no ways on, but its remnants go */
  for (uint32_t v = 0; v < m->fabric->nodes && !m->broken; v++) decide(m, v, &t);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ what was granted sends one flit */

/* The tail has gone: the space is known to the sender `credit` cycles after the next. */
static void leave_queue(model *m, uint32_t v, uint32_t queue, uint32_t packet) {
  input *q = &m->node[v].queue[queue];
  q->held -= units(m, packet);
  q->left = m->now + 1;
  if (ripstop_is_end(m->fabric, v)) return;
  uint32_t peer = m->fabric->peer[m->fabric->port_base[v] + q->side], sender = m->fabric->port_node[peer];
  output *o = &m->node[sender].output[peer - m->fabric->port_base[sender]];
  o->credit[ring_place(m, queue % m->channels, m->now + 1 + (uint64_t)m->sw->credit)] += units(m, packet);
}

static void send_by_crossbar(model *m, uint32_t v, side *s) {
  node *n = &m->node[v];
  output *o = s->to == TO_NOWHERE ? NULL : &n->output[s->port];
  flit f = line_take(&n->queue[s->queue].line);
  m->moved = m->now;
  must(m, f.packet != RIPSTOP_NONE && f.came <= m->now, "a flit is sent before it came");
  if (m->broken) return;
  f.channel = s->channel;
  f.came = m->now;
  if (s->to == TO_LINK) row_put(m, &o->wire, f);
  if (s->to == TO_OUTPUT_QUEUE) {
    if (o->queue[s->channel].count) check_sequence(m, line_back(&o->queue[s->channel]), f);
    line_add(&o->queue[s->channel], f);
  }
  if (!is_tail(m, f)) return;
  s->busy = false;
  if (s->to == TO_LINK) o->link_busy = false;
  if (s->to == TO_OUTPUT_QUEUE) o->crossbar_busy = false;
  leave_queue(m, v, s->queue, f.packet);
}

static void send_by_link(model *m, output *o) {
  flit f = line_take(&o->queue[o->sending]);
  m->moved = m->now;
  must(m, f.packet != RIPSTOP_NONE && f.came < m->now, "a flit is sent before it came");
  if (m->broken) return;
  if (!o->sending_nowhere) row_put(m, &o->wire, f);
  if (!is_tail(m, f)) return;
  o->link_busy = false;
  o->used[o->sending] -= units(m, f.packet);
}

static void send_flits(model *m) {
  for (uint32_t v = 0; v < m->fabric->nodes; v++) {
    node *n = &m->node[v];
    for (uint32_t p = 0; p < n->outputs; p++)
      if (has_output_queues(m, v) && n->output[p].link_busy && !m->broken) send_by_link(m, &n->output[p]);
    for (uint32_t i = 0; i < n->sides; i++)
      if (n->side[i].busy && !m->broken) send_by_crossbar(m, v, &n->side[i]);
  }
}

/* ------------------------------------------------------------------ the run */

static void count(const model *m, model_result *out) {
  *out = (model_result){.packets = m->packets, .packet = ripstop_realloc(NULL, m->packets + 1, sizeof(model_packet))};
  if (m->packets) memcpy(out->packet, m->packet, m->packets * sizeof(model_packet));
  memcpy(out->lost, m->lost, sizeof out->lost);
  out->account.generated = m->packets;
  for (size_t i = 0; i < m->packets; i++) {
    const model_packet *p = &m->packet[i];
    if (p->cause != RIPSTOP_NONE)
      out->account.lost++;
    else if (p->delivered != MODEL_NEVER)
      out->account.delivered++;
    else if (p->sent != MODEL_NEVER)
      out->account.in_flight++;
    else
      out->account.waiting++;
  }
}

/* One cycle but for the changes; -1: a broken truth. */
static int cycle(model *m) {
  arrivals(m);
  decisions(m);
  send_flits(m);
  return m->broken ? -1 : 0;
}

/* After the run the sources and what waits in them are taken away, and everything else goes on until nothing has moved
 * for so long that no flit, credit or word is on its way: what stands in a queue then stands there for ever. */
static int drain(model *m, model_result *out) {
  uint64_t quiet = (uint64_t)(m->sw->link + m->sw->pipeline + 2 * m->sw->credit) + 2;
  bool was_quiet = m->now > m->moved + quiet;
  m->silent = true;
  for (uint32_t e = 0; e < m->fabric->ends; e++)
    for (uint32_t q = 0; q < m->node[e].queues; q++) {
      line *l = &m->node[e].queue[q].line;
      uint32_t leaving = m->node[e].side[q].busy ? line_front(l).packet : RIPSTOP_NONE;
      while (l->count && line_back(l).packet != leaving) l->count--;
    }
  for (m->moved = m->now; m->now <= m->moved + quiet; m->now++)
    if (cycle(m)) return -1;
  for (uint32_t v = 0; v < m->fabric->nodes; v++) {
    for (uint32_t q = 0; q < m->node[v].queues; q++) out->stuck |= m->node[v].queue[q].line.count > 0;
    for (uint32_t p = 0; p < m->node[v].outputs; p++)
      for (uint32_t c = 0; c < m->channels; c++) out->stuck |= m->node[v].output[p].queue[c].count > 0;
  }
  out->frozen = out->stuck && was_quiet;
  return 0;
}

int model_run(const ripstop_plan *plan, const ripstop_scenario *simulation, uint64_t cycles, FILE *trace,
              uint64_t traced, model_result *out, ripstop_error *err) {
  model m = {.sim = simulation,
             .sw = &simulation->switch_,
             .fabric = plan->fabric,
             .view = ripstop_view_copy(plan->view),
             .trace = trace,
             .traced = traced,
             .err = err};
  int status = set_up(&m, plan);
  *out = (model_result){0};
  for (; status == 0 && m.now < cycles; m.now++) {
    status = change_fabric(&m);
    if (status == 0) status = cycle(&m);
  }
  if (status == 0) count(&m, out);
  m.trace = NULL;
  if (status == 0) status = drain(&m, out);
  if (status) model_free(out);
  tear_down(&m);
  return status;
}

void model_free(model_result *result) {
  ripstop_free(result->packet);
  *result = (model_result){0};
}
