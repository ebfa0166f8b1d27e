/* arrivals.c - the second step of a cycle: everything that is due comes in. */
#include "things.h"

/* A flit comes into an input queue; a head with it enters its packet. */
void slow_enter(model *m, uint32_t v, uint32_t queue, flit f) {
  input *q = &m->node[v].queue[queue];
  if (slow_is_bound(m, v)) {
    slow_occupant_comes(m, v, queue, f);
    return;
  }
  f.came = m->now;
  if (slow_has_lines(m, v) && f.number > 0) {
    slow_line_follow(m, &q->line, f);
  } else {
    if (q->line.count && !slow_has_lines(m, v)) slow_check_sequence(m, slow_line_back(&q->line), f);
    slow_line_add(&q->line, f);
  }
  if (f.number == 0) {
    q->stalled += slow_units(m, f.packet);
    slow_story(m, f.packet, "first decision possible", v, q->port, f.channel);
  }
  if (ripstop_is_end(m->fabric, v) || slow_is_fifo(m, v, queue)) return; /* these have no bound */
  slow_check_space(m, &m->node[v], queue);
  slow_must(m, m->sw->unit == RIPSTOP_UNIT_PACKETS || q->line.count <= (size_t)m->sw->in_queue,
            "an input queue overflows");
}

static void receive(model *m, uint32_t end, flit f) {
  slow_check_sequence(m, m->node[end].last_taken, f);
  m->node[end].last_taken = f;
  if (m->plan->transit_packets && m->packet[f.packet].destination != end) {
    slow_transit_packet_arrives(m, end, f);
    return;
  }
  slow_must(m, m->packet[f.packet].destination == end, "a packet comes to an end node that it is not for");
  if (!slow_is_tail(m, f) || slow_is_lost(m, f.packet)) return;
  if (m->packet[f.packet].cut) {
    slow_header_arrives(m, f.packet);
    return;
  }
  m->packet[f.packet].delivered = m->now;
  if (m->game) slow_game_delivered(m, f.packet);
  slow_story(m, f.packet, "delivered", end, RIPSTOP_NONE, 0);
}

/* Off the pipeline of an input port: into the queue, or on a slow link first to where flits wait for those behind them.
 * The tail comes so many cycles after the head as the link needs for the flits between. */
static void come_in(model *m, uint32_t v, uint32_t in, flit f) {
  node *n = &m->node[v];
  uint64_t flits = slow_length(m, f), tail = slow_cycles_for(f.pace, flits) - slow_cycles_for(f.pace, 1);
  slow_must(m, f.number != 0 || n->waiting[in].count == 0,
            "a packet comes while the one before it waits for its flits");
  if (f.number == 0) n->let[in] = m->now + tail - (flits - 1);
  slow_line_add(&n->waiting[in], f);
}

/* switch.forward = store: all flits of a packet go on together, when the last of them has come. */
static void let_all_go_on(model *m, uint32_t v, uint32_t in) {
  node *n = &m->node[v];
  if (n->waiting[in].count == 0 || !slow_is_tail(m, slow_line_back(&n->waiting[in]))) return;
  while (n->waiting[in].count > 0) {
    const flit f = slow_line_take(&n->waiting[in]);
    slow_enter(m, v, in * m->stride + f.channel, f);
  }
  m->moved = m->now;
}

/* After the arrivals by links: what may go on from there goes on. */
static void let_go_on(model *m, uint32_t v, uint32_t in) {
  node *n = &m->node[v];
  flit f = slow_line_front(&n->waiting[in]);
  if (m->sw->forward == RIPSTOP_FORWARD_STORE) {
    let_all_go_on(m, v, in);
    return;
  }
  if (f.packet == RIPSTOP_NONE || (f.number == 0 && m->now < n->let[in])) return;
  slow_must(m, m->now == n->let[in] + f.number, "a flit is missing when its turn comes");
  slow_line_take(&n->waiting[in]);
  m->moved = m->now;
  slow_enter(m, v, in * m->stride + f.channel, f);
}

static void arrive_by_link(model *m, uint32_t port) {
  uint32_t v = m->fabric->port_node[port];
  flit f = slow_row_take(m, &m->node[v].output[port - m->fabric->port_base[v]].wire);
  if (f.packet == RIPSTOP_NONE) return;
  uint32_t peer = m->fabric->peer[port], to = m->fabric->port_node[peer], in = peer - m->fabric->port_base[to];
  if (ripstop_is_end(m->fabric, to))
    receive(m, to, f);
  else if (m->sw->pipeline == 0)
    come_in(m, to, in, f);
  else
    slow_row_put(m, &m->node[to].pipeline[in], f);
}

static void arrive_by_pipeline(model *m, uint32_t v, uint32_t in) {
  flit f = slow_row_take(m, &m->node[v].pipeline[in]);
  if (f.packet != RIPSTOP_NONE) come_in(m, v, in, f);
}

static void arrive_credits_and_words(model *m, output *o) {
  slow_transit_packets_leave(m, o);
  for (uint32_t c = 0; c < m->channels; c++) {
    uint64_t here = slow_ring_place(m, c, m->now);
    o->free[c] += o->credit[here];
    o->credit[here] = 0;
    if (o->word[here] != NO_WORD) o->xon[c] = o->word[here] == WORD_XON;
    o->word[here] = NO_WORD;
    slow_must(m, o->free[c] <= m->sw->in_queue, "more credits than space");
  }
}

/* docs/model.md, "Draws". */
static uint64_t draw(const model *m, uint64_t serial) {
  uint32_t word[4];
  ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_HEADER, serial, 0, word);
  return (uint64_t)word[0] * m->plan->random_headers >> 32;
}

uint32_t slow_bear(model *m, uint32_t stream, uint32_t number, uint32_t destination, uint16_t flits) {
  if (m->packets == m->packet_room) {
    m->packet_room = m->packet_room ? 2 * m->packet_room : 1024;
    m->packet = ripstop_realloc(m->packet, m->packet_room, sizeof(model_packet));
  }
  m->packet[m->packets] = (model_packet){.serial = (uint64_t)number * m->streams + stream,
                                         .generated_at = m->now,
                                         .sent = MODEL_NEVER,
                                         .delivered = MODEL_NEVER,
                                         .source = stream / m->classes,
                                         .destination = destination,
                                         .cause = RIPSTOP_NONE,
                                         .flits = flits,
                                         .class_ = (uint8_t)(stream % m->classes)};
  if (m->plan->random_headers > 1) m->packet[m->packets].header = draw(m, m->packet[m->packets].serial);
  return (uint32_t)m->packets++;
}

/* Behind all others of its class. */
void slow_enter_interface(model *m, uint32_t packet) {
  const model_packet p = m->packet[packet];
  for (uint16_t i = 0; i < p.flits; i++) slow_enter(m, p.source, p.class_, (flit){.packet = packet, .number = i});
}

static void generations(model *m) {
  for (uint32_t s = 0; s < m->streams && !m->game && !m->silent; s++) {
    bool silent = !m->view->node_up[ripstop_end_switch(m->fabric, s / m->classes)];
    while (m->source[s].generated_at == m->now) {
      if (!silent)
        slow_enter_interface(m, slow_bear(m, s, m->source[s].number, m->source[s].destination, m->source[s].flits));
      ripstop_source_next(m->sources, s, &m->source[s]);
    }
  }
}

/* After the arrivals: each switch notifies the senders when its queues become too full, or empty enough. */
static void send_words(model *m, uint32_t v) {
  node *n = &m->node[v];
  for (uint32_t q = 0; q < n->queues; q++) {
    uint32_t channel = q % m->stride, peer = m->fabric->peer[m->fabric->port_base[v] + n->queue[q].port];
    if (peer == RIPSTOP_NONE) continue;
    uint32_t sender = m->fabric->port_node[peer];
    output *o = &m->node[sender].output[peer - m->fabric->port_base[sender]];
    int64_t left = m->sw->in_queue - n->queue[q].stalled;
    uint8_t word = n->queue[q].last_word_xon ? left < m->xoff ? WORD_XOFF : NO_WORD
                   : left >= m->xon          ? WORD_XON
                                             : NO_WORD;
    if (word == NO_WORD) continue;
    n->queue[q].last_word_xon = word == WORD_XON;
    o->word[slow_ring_place(m, channel, m->now + (uint64_t)m->sw->credit)] = word;
  }
}

/* Crossings that are over as this cycle begins. Those that end within it are over in its decisions. */
static void crossings_end(model *m) {
  const uint64_t step = slow_first_step(m, m->now);
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    if (slow_has_speedup(m, v) && slow_step_begins(m, step)) slow_crossings_end(m, v, step);
}

void slow_arrivals(model *m) {
  crossings_end(m);
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    for (uint32_t p = 0; m->sw->pipeline && p < m->node[v].outputs; p++) arrive_by_pipeline(m, v, p);
  for (uint32_t p = 0; p < m->fabric->ports; p++)
    if (m->fabric->peer[p] != RIPSTOP_NONE) arrive_by_link(m, p);
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    for (uint32_t p = 0; p < m->node[v].outputs; p++) let_go_on(m, v, p);
  for (uint32_t v = 0; v < m->fabric->nodes; v++)
    for (uint32_t p = 0; p < m->node[v].outputs; p++) arrive_credits_and_words(m, &m->node[v].output[p]);
  generations(m);
  if (m->talk) slow_talk_steps(m);
  if (m->game && !m->silent) slow_game_turn(m);
  if (m->sw->flow == RIPSTOP_FLOW_XONXOFF)
    for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++) send_words(m, v);
}
