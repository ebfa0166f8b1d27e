/* decisions.c - the third step of a cycle: each node decides with its own state alone, again for every head. */
#include "simulate/run_result.h"
#include "things.h"

#include <string.h>

/* The packet at the head of an input queue, waiting and free to leave its port; RIPSTOP_NONE: none. */
static uint32_t waiting_head(const node *n, uint32_t queue) {
  flit f = slow_line_front(&n->queue[queue].line);
  return f.packet == RIPSTOP_NONE || n->side[n->queue[queue].side].busy ? RIPSTOP_NONE : f.packet;
}

/* The next queue of a link has `needed` free units. */
static bool link_has_space(const model *m, const output *o, uint32_t channel, int64_t needed) {
  if (o->endless) return true;
  return slow_has_words(m) ? o->xon[channel] : slow_free(m, o, channel) >= needed;
}

/* The crossbar can bring a packet to this port's link, or to its output queues or slow queue. */
static bool is_free(const model *m, uint32_t v, uint32_t port) {
  const output *o = &m->node[v].output[port];
  if (slow_has_output_queues(m, v)) return !o->crossbar_busy;
  if (!slow_has_slow_queues(m, v)) return !o->link_busy;
  return !o->crossbar_busy && !o->talking && o->slow_stalled < (o->endless ? m->places : m->places_on) &&
         !slow_talk_waits(m, m->fabric->port_base[v] + port);
}

/* Output queues with a bound. A packet that enters one without a bound takes its space behind the link at once. */
static bool has_bounded_queues(const model *m, uint32_t v) {
  return slow_has_output_queues(m, v) && m->sw->out_queue != RIPSTOP_UNLIMITED;
}

/* A channel of a link has space for the packet. */
static bool channel_has_space(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  const output *o = &m->node[v].output[candidate->port];
  if (slow_is_transit_packet_candidate(m, o, m->fabric->port_base[v] + candidate->port, packet)) return o->room >= 1;
  int64_t needed = slow_units(m, packet);
  if (candidate->space == 2) needed += m->sw->unit == RIPSTOP_UNIT_FLITS ? m->longest : 1;
  if (has_bounded_queues(m, v)) return m->sw->out_queue - o->used[candidate->channel] >= needed;
  return link_has_space(m, o, candidate->channel, needed);
}

/* Keeps the channels with space, of those for which a candidate of the plan stands; returns how many. */
static uint32_t channels_with_space(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate,
                                    ripstop_candidate *each) {
  const uint32_t count = slow_channels_of(m, packet, candidate, each);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (channel_has_space(m, v, packet, &each[i])) each[kept++] = each[i];
  return kept;
}

static bool has_space(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  return channels_with_space(m, v, packet, candidate, each) > 0;
}

static bool is_open(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  return is_free(m, v, candidate->port) && has_space(m, v, packet, candidate);
}

/* The rule for candidates of higher ranks: that of the switch, or where it says so the method's, of which most name
 * none. */
bool slow_is_exhausted(const model *m) {
  const char *own = m->plan->method->escape;
  if (m->sw->escape != RIPSTOP_ESCAPE_METHOD) return m->sw->escape == RIPSTOP_ESCAPE_EXHAUSTED;
  return own && strcmp(own, "exhausted") == 0;
}

/* escape: exhausted. A candidate of lower rank than this has space: the head waits for it. */
static bool waits_for_lower(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidates,
                            uint32_t n, uint8_t rank) {
  if (!slow_is_exhausted(m)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (candidates[i].rank < rank && has_space(m, v, packet, &candidates[i])) return true;
  return false;
}

static int64_t free_in_channel(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  const output *o = &m->node[v].output[candidate->port];
  if (has_bounded_queues(m, v)) return m->sw->out_queue - o->used[candidate->channel];
  if (slow_is_transit_packet_candidate(m, o, m->fabric->port_base[v] + candidate->port, packet))
    return INT64_MAX / 2 + o->room;
  if (o->endless) return INT64_MAX;
  return slow_knows_space(m) ? slow_free(m, o, candidate->channel) : 0;
}

/* Free units of a candidate, as the choice rule `space` compares them: of the channel that has most. */
static int64_t free_units(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  const uint32_t count = channels_with_space(m, v, packet, candidate, each);
  int64_t most = INT64_MIN;
  for (uint32_t i = 0; i < count; i++)
    if (free_in_channel(m, v, packet, &each[i]) > most) most = free_in_channel(m, v, packet, &each[i]);
  return most;
}

/* The channel that a packet takes with the candidate that it requests. */
static void take_channel(const model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_candidate *candidate) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  const uint32_t count = channels_with_space(m, v, packet, candidate, each);
  int64_t units[RIPSTOP_CHANNELS_MAX];
  for (uint32_t i = 0; i < count; i++) units[i] = free_in_channel(m, v, packet, &each[i]);
  *candidate = each[slow_take_channel(m, v, queue, packet, units, count)];
}

uint32_t slow_tie(const model *m, uint32_t packet, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(m->sim->seed, RIPSTOP_RANDOM_SELECTION, m->packet[packet].serial, m->packet[packet].hops, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* Keeps the candidates of lowest rank, in order; returns how many. */
static uint32_t keep_lowest_rank(ripstop_candidate *candidates, uint32_t n) {
  uint32_t kept = 0;
  uint8_t lowest = UINT8_MAX;
  for (uint32_t i = 0; i < n; i++)
    if (candidates[i].rank < lowest) lowest = candidates[i].rank;
  for (uint32_t i = 0; i < n; i++)
    if (candidates[i].rank == lowest) candidates[kept++] = candidates[i];
  return kept;
}

/* A switch with a protocol may not know yet that a link is down. */
static bool is_there(const model *m, uint32_t v, const ripstop_candidate *candidate) {
  if (candidate->port >= m->node[v].outputs || candidate->channel >= m->plan->channels) return false;
  uint32_t port = m->fabric->port_base[v] + candidate->port;
  bool unknown = m->talk && !ripstop_is_end(m->fabric, v);
  return m->view->port_up[port] || (unknown && m->fabric->peer[port] != RIPSTOP_NONE);
}

/* The permitted candidates of a packet at the head of a queue. Returns their number, 0: the packet is stalled, -(1 +
 * index of the loss) or STOP_LINK_FAILED. */
int slow_ask_candidates(model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_candidate *candidates) {
  const model_packet *p = &m->packet[packet];
  bool end = ripstop_is_end(m->fabric, v);
  ripstop_head head = {.node = v,
                       .in_port = end ? RIPSTOP_NONE : m->node[v].queue[queue].port,
                       .source = p->source,
                       .destination = p->destination,
                       .header = p->header,
                       .channel = (uint8_t)(end ? 0 : slow_plan_channel(m, queue % m->stride)),
                       .class_ = p->class_};
  bool talk = slow_talk_decides(m, v);
  int n = talk ? slow_talk_candidates(m, &head, candidates) : ripstop_route(m->plan, &head, candidates);
  slow_must(m, (talk || n != 0) && n <= (int)m->plan->candidates_max,
            "the method gives more or fewer candidates than it may");
  n = slow_stop_candidates(m, v, candidates, n);
  for (int i = 0; i < n; i++) slow_must(m, is_there(m, v, &candidates[i]), "the method gives a candidate that is down");
  if (n > 0 && m->plan->choose_early) {
    uint32_t kept = keep_lowest_rank(candidates, (uint32_t)n);
    candidates[0] = candidates[slow_tie(m, packet, kept)];
    n = 1;
  }
  return n;
}

/* Steps from the port granted last to a candidate's port, cyclically upwards; 1 for the very next port. */
static uint32_t steps_round(const node *n, const input *q, const ripstop_candidate *candidate) {
  uint32_t last = q->last_port == RIPSTOP_NONE ? n->outputs - 1 : q->last_port;
  uint32_t steps = (candidate->port + n->outputs - last) % n->outputs;
  return steps ? steps : n->outputs;
}

/* Units that are taken in a candidate's queue, as the choice rule `weighted` counts them. */
static int64_t taken_units(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *candidate) {
  const output *o = &m->node[v].output[candidate->port];
  if (has_bounded_queues(m, v)) return m->sw->out_queue - free_units(m, v, packet, candidate);
  if (o->endless || !slow_knows_space(m)) return 0;
  return slow_most_free(m) - free_units(m, v, packet, candidate);
}

/* Keeps the candidates of least taken units x links, and of those the ones of fewest links; returns how many. */
static uint32_t keep_least_burden(const model *m, uint32_t v, uint32_t packet, ripstop_candidate *candidates,
                                  uint32_t n) {
  int64_t least = INT64_MAX, fewest = INT64_MAX;
  uint32_t kept = 0;
  for (int round = 0; round < 3; round++)
    for (uint32_t i = 0; i < n; i++) {
      int64_t links = candidates[i].weight ? candidates[i].weight : 1,
              burden = links * taken_units(m, v, packet, &candidates[i]);
      if (round == 0 && burden < least) least = burden;
      if (round == 1 && burden == least && links < fewest) fewest = links;
      if (round == 2 && burden == least && links == fewest) candidates[kept++] = candidates[i];
    }
  return kept;
}

/* Among the open candidates the one that the packet requests; false: none is open. Leaves only a part of the
 * candidates. */
static bool choose(const model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_candidate *candidates,
                   uint32_t n, ripstop_candidate *chosen) {
  const input *q = &m->node[v].queue[queue];
  uint32_t best = 0, open = 0, equal = 0;
  int64_t most = INT64_MIN;
  uint8_t lowest = UINT8_MAX;
  for (uint32_t i = 0; i < n; i++)
    if (is_open(m, v, packet, &candidates[i]) && candidates[i].rank < lowest) lowest = candidates[i].rank;
  if (waits_for_lower(m, v, packet, candidates, n, lowest)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (is_open(m, v, packet, &candidates[i])) candidates[open++] = candidates[i];
  if (open == 0) return false;
  n = keep_lowest_rank(candidates, open);
  const char *selection = ripstop_method_selection(m->plan->method, m->sw->selection);
  if (!strcmp(selection, "random")) {
    best = slow_tie(m, packet, n);
  } else if (!strcmp(selection, "rotate")) {
    for (uint32_t i = 1; i < n; i++)
      if (steps_round(&m->node[v], q, &candidates[i]) < steps_round(&m->node[v], q, &candidates[best])) best = i;
  } else if (!strcmp(selection, "space")) {
    for (uint32_t i = 0; i < n; i++)
      if (free_units(m, v, packet, &candidates[i]) > most) most = free_units(m, v, packet, &candidates[i]);
    for (uint32_t i = 0; i < n; i++)
      if (free_units(m, v, packet, &candidates[i]) == most) candidates[equal++] = candidates[i];
    best = slow_tie(m, packet, equal);
  } else if (!strcmp(selection, "weighted")) {
    best = slow_tie(m, packet, n = keep_least_burden(m, v, packet, candidates, n));
  }
  *chosen = candidates[best];
  take_channel(m, v, queue, packet, chosen);
  return true;
}

/* Picks a winner: `asks` has the queues that request the output, `channel` and `flits` their requests. Round-robin is
 * written out here, so that it is not taken from the engine. */
static uint32_t round_robin(const bool *asks, uint32_t queues, uint32_t *served) {
  uint32_t from = *served == RIPSTOP_NONE ? 0 : *served + 1;
  for (uint32_t i = 0; i < queues; i++) {
    uint32_t q = (from + i) % queues;
    if (asks[q]) return *served = q;
  }
  return RIPSTOP_NONE;
}

/* In-transit packets first; written out here for the same reason. */
static uint32_t transit_first(const bool *asks, const bool *enters, uint32_t queues, server *s) {
  bool *part = ripstop_realloc(NULL, queues, sizeof *part), any = false;
  for (uint32_t q = 0; q < queues; q++) any |= part[q] = asks[q] && !(enters && enters[q]);
  uint32_t winner = any ? round_robin(part, queues, &s->served) : round_robin(asks, queues, &s->let_in);
  ripstop_free(part);
  return winner;
}

/* `enters`: queues that a network interface sends into; NULL: none. */
uint32_t slow_arbitrate(const model *m, server *s, const bool *asks, const bool *enters, const uint8_t *channel,
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
  slow_line_bring_forward(&n->queue[queue].line, packet);
  n->side[n->queue[queue].side] = (side){.busy = true, .queue = queue, .port = RIPSTOP_NONE, .to = TO_NOWHERE};
  slow_story(m, packet, "discarded", v, RIPSTOP_NONE, 0);
}

/* A packet that takes a failed link is lost with it, and one that a link corrupts too: it goes on as a remnant. */
static void take_lossy_link(model *m, uint32_t v, uint32_t port, uint32_t packet) {
  if (!m->view->port_up[m->fabric->port_base[v] + port]) slow_lose(m, packet, RIPSTOP_LOST_LINK);
  slow_corrupt(m, m->fabric->port_base[v] + port, packet);
}

/* Takes the packet's space of the next input queue. */
static void take_space(model *m, output *o, uint32_t channel, uint32_t packet) {
  if (o->endless) return;
  slow_must(m, !slow_knows_space(m) || slow_free(m, o, channel) >= slow_units(m, packet),
            "a packet is sent without credits");
  o->free[channel] -= slow_units(m, packet);
}

static void grant(model *m, uint32_t v, uint32_t queue, uint32_t packet, const ripstop_candidate *candidate) {
  node *n = &m->node[v];
  output *o = &n->output[candidate->port];
  model_packet *p = &m->packet[packet];
  slow_line_bring_forward(&n->queue[queue].line, packet);
  goal to = slow_has_output_queues(m, v) ? TO_OUTPUT_QUEUE : slow_has_slow_queues(m, v) ? TO_SLOW_QUEUE : TO_LINK;
  n->side[n->queue[queue].side] = (side){
      .busy = true, .packet = packet, .queue = queue, .port = candidate->port, .channel = candidate->channel, .to = to};
  n->queue[queue].last_port = candidate->port;
  if (to != TO_OUTPUT_QUEUE) {
    n->side[n->queue[queue].side].task = slow_task_of(m, v, candidate->port);
    if (to == TO_LINK) o->link_busy = true;
    if (to == TO_SLOW_QUEUE) o->crossbar_busy = true, o->slow_stalled++;
    take_space(m, o, candidate->channel, packet);
    o->room -= slow_is_transit_packet_candidate(m, o, m->fabric->port_base[v] + candidate->port, packet);
  } else {
    o->crossbar_busy = true;
    o->used[candidate->channel] += slow_units(m, packet);
    slow_must(m, !has_bounded_queues(m, v) || o->used[candidate->channel] <= m->sw->out_queue,
              "an output queue overflows");
    if (!has_bounded_queues(m, v)) take_space(m, o, candidate->channel, packet);
  }
  p->header = candidate->header;
  p->hops++;
  n->side[n->queue[queue].side].step = m->step;
  if (ripstop_is_end(m->fabric, v) && p->sent == MODEL_NEVER) p->sent = m->now;
  if (to != TO_OUTPUT_QUEUE) take_lossy_link(m, v, candidate->port, packet);
  slow_story(m, packet, "granted", v, candidate->port, candidate->channel);
}

/* The state of one node before it decides in one cycle: its heads by number, in the order of queues and in each in the
 * order of coming; and its queues. */
typedef struct table {
  uint32_t heads, candidates_max;
  uint32_t *queue, *packet;      /* [head] */
  int *count;                    /* [head]: number of its permitted candidates; negative: none */
  ripstop_candidate *candidates; /* [head x candidates_max] */
  ripstop_candidate *open;       /* [candidates_max] */
  ripstop_candidate *request;    /* [head] */
  bool *requests;                /* [head] */
  uint32_t *head;                /* [queue]: the one that requests the output at hand */
  bool *asks, *enters;           /* [queue] */
  uint8_t *channel;
  uint16_t *flits;
} table;

static table table_new(ripstop_arena *arena, uint32_t queues, uint32_t heads, uint32_t candidates_max) {
  return (table){.candidates_max = candidates_max,
                 .queue = RIPSTOP_ARRAY(arena, heads, uint32_t),
                 .packet = RIPSTOP_ARRAY(arena, heads, uint32_t),
                 .count = RIPSTOP_ARRAY(arena, heads, int),
                 .candidates = RIPSTOP_ARRAY(arena, (size_t)heads * candidates_max, ripstop_candidate),
                 .open = RIPSTOP_ARRAY(arena, candidates_max, ripstop_candidate),
                 .request = RIPSTOP_ARRAY(arena, heads, ripstop_candidate),
                 .requests = RIPSTOP_ARRAY(arena, heads, bool),
                 .head = RIPSTOP_ARRAY(arena, queues, uint32_t),
                 .asks = RIPSTOP_ARRAY(arena, queues, bool),
                 .enters = RIPSTOP_ARRAY(arena, queues, bool),
                 .channel = RIPSTOP_ARRAY(arena, queues, uint8_t),
                 .flits = RIPSTOP_ARRAY(arena, queues, uint16_t)};
}

static ripstop_candidate *candidates_of(const table *t, uint32_t head) {
  return &t->candidates[(size_t)head * t->candidates_max];
}

/* Heads that have the same candidates but for header and marks, are both to be discarded, or are both stalled. */
static bool agree(const model *m, const table *t, uint32_t a, uint32_t b) {
  if (t->count[a] <= 0 || t->count[b] <= 0)
    return (t->count[a] < 0) == (t->count[b] < 0) && t->count[a] <= 0 && t->count[b] <= 0;
  if (m->sw->vc == RIPSTOP_VC_HASH && slow_hashed(m, t->packet[a]) != slow_hashed(m, t->packet[b])) return false;
  if (t->count[a] != t->count[b]) return false;
  for (int i = 0; i < t->count[a]; i++) {
    const ripstop_candidate *one = &candidates_of(t, a)[i], *other = &candidates_of(t, b)[i];
    if (one->port != other->port || one->channel != other->channel || one->rank != other->rank ||
        one->space != other->space || one->weight != other->weight)
      return false;
  }
  return true;
}

/* A head is added unless one before it in its queue has the same candidates. */
static void look_at(model *m, uint32_t v, uint32_t q, uint32_t packet, table *t) {
  const uint32_t h = t->heads;
  t->queue[h] = q;
  t->packet[h] = packet;
  if (m->packet[packet].control)
    t->count[h] = slow_control_candidates(m, v, q, candidates_of(t, h));
  else
    t->count[h] = slow_is_lost(m, packet) ? -1 : slow_ask_candidates(m, v, q, packet, candidates_of(t, h));
  for (uint32_t before = h; before-- > 0 && t->queue[before] == q;)
    if (agree(m, t, before, h)) return;
  t->heads++;
}

static void look(model *m, uint32_t v, table *t) {
  t->heads = 0;
  for (uint32_t q = 0; q < m->node[v].queues; q++) {
    const line *l = &m->node[v].queue[q].line;
    if (slow_stop_holds(m, v) || waiting_head(&m->node[v], q) == RIPSTOP_NONE) continue;
    slow_must(m, slow_line_front(l).number == 0, "a queue begins within a packet that no port sends");
    look_at(m, v, q, slow_line_front(l).packet, t);
    for (size_t i = 1; i < l->count && slow_has_lines(m, v); i++)
      if (l->at[l->first + i].number == 0) look_at(m, v, q, l->at[l->first + i].packet, t);
  }
}

/* A control packet that has come and waits for the module, while its crossbar input is free. */
static bool is_for_module(const model *m, uint32_t v, uint32_t queue) {
  uint32_t packet = waiting_head(&m->node[v], queue);
  return packet != RIPSTOP_NONE && m->packet[packet].control && !slow_is_fifo(m, v, queue);
}

/* A rank by the plan's order: the least is taken first. */
static uint64_t module_rank(const model *m, uint32_t v, uint32_t queue) {
  uint64_t came = slow_line_front(&m->node[v].queue[queue].line).came;
  if (m->plan->control_order == RIPSTOP_CONTROL_PORT) return 0;
  return m->plan->control_order == RIPSTOP_CONTROL_ARRIVAL ? came : UINT64_MAX - came;
}

/* The module, if it is free, takes this one: no other comes before it. */
static bool module_takes(const model *m, uint32_t v, uint32_t queue) {
  const node *n = &m->node[v];
  if (n->module_busy || !is_for_module(m, v, queue)) return false;
  uint64_t rank = module_rank(m, v, queue);
  for (uint32_t q = 0; q < n->queues; q++)
    if (is_for_module(m, v, q) && (module_rank(m, v, q) < rank || (module_rank(m, v, q) == rank && q < queue)))
      return false;
  return true;
}

static void discards(model *m, uint32_t v, table *t) {
  for (uint32_t h = 0; h < t->heads; h++) {
    uint32_t q = t->queue[h], packet = t->packet[h];
    if (module_takes(m, v, q)) {
      m->node[v].module_busy = true;
      discard(m, v, q, packet);
    }
    if (t->count[h] >= 0 || waiting_head(&m->node[v], q) == RIPSTOP_NONE) continue;
    discard(m, v, q, packet);
    slow_lose(m, packet,
              t->count[h] == STOP_LINK_FAILED ? RIPSTOP_LOST_LINK : RIPSTOP_LOST_METHOD + (uint32_t)(-t->count[h] - 1));
  }
}

static bool sends_in(const model *m, uint32_t v, uint32_t queue) {
  const ripstop_fabric *f = m->fabric;
  if (ripstop_is_end(f, v)) return false;
  uint32_t peer = f->peer[f->port_base[v] + queue / m->stride];
  return peer != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[peer]);
}

/* False: no head requests an output. */
static bool make_requests(model *m, uint32_t v, table *t) {
  bool any = false;
  for (uint32_t h = 0; h < t->heads; h++) {
    uint32_t q = t->queue[h];
    t->requests[h] = false;
    if (t->count[h] <= 0 || waiting_head(&m->node[v], q) == RIPSTOP_NONE) continue;
    memcpy(t->open, candidates_of(t, h), (size_t)t->count[h] * sizeof(ripstop_candidate));
    t->requests[h] = choose(m, v, q, t->packet[h], t->open, (uint32_t)t->count[h], &t->request[h]);
    t->enters[q] = sends_in(m, v, q);
    any |= t->requests[h];
  }
  return any;
}

/* One output picks among the requests whose input side is still free; returns whether it granted. */
static bool serve_output(model *m, uint32_t v, uint32_t port, table *t) {
  node *n = &m->node[v];
  output *o = &n->output[port];
  bool any = false;
  for (uint32_t q = 0; q < n->queues; q++) t->asks[q] = false;
  for (uint32_t h = t->heads; h-- > 0;) { /* the first of a queue is the last to say so */
    uint32_t q = t->queue[h];
    if (!t->requests[h] || t->request[h].port != port || waiting_head(n, q) == RIPSTOP_NONE) continue;
    any = t->asks[q] = true;
    t->head[q] = h;
    t->channel[q] = (uint8_t)slow_plan_channel(m, t->request[h].channel);
    t->flits[q] = m->packet[t->packet[h]].flits;
  }
  if (!any) return false;
  server *s = slow_has_output_queues(m, v) ? &o->crossbar : &o->link;
  uint32_t winner = slow_arbitrate(m, s, t->asks, t->enters, t->channel, t->flits, n->queues);
  slow_must(m, winner < n->queues && t->asks[winner], "the arbiter picks a queue that did not request");
  if (m->broken) return false;
  grant(m, v, winner, t->packet[t->head[winner]], &t->request[t->head[winner]]);
  return true;
}

/* The packet that was granted a place in an output queue in this cycle; RIPSTOP_NONE: none. */
static uint32_t granted_now(const model *m, uint32_t v, uint32_t port, uint32_t channel) {
  const node *n = &m->node[v];
  for (uint32_t i = 0; i < n->sides; i++)
    if (n->side[i].busy && n->side[i].to == TO_OUTPUT_QUEUE && n->side[i].port == port && n->side[i].channel == channel)
      return n->side[i].packet;
  return RIPSTOP_NONE;
}

/* An output queue's first packet that can be sent now; RIPSTOP_NONE: none. In a queue without a bound it may have been
 * granted its place in this cycle. If the queue is empty and the link is free, one that crosses was granted now. */
static uint32_t sendable(const model *m, uint32_t v, uint32_t port, uint32_t channel) {
  const bool unlimited = m->sw->out_queue == RIPSTOP_UNLIMITED;
  flit f = slow_line_front(&m->node[v].output[port].queue[channel]);
  if (f.packet == RIPSTOP_NONE) return unlimited ? granted_now(m, v, port, channel) : RIPSTOP_NONE;
  return f.came >= m->now && !unlimited ? RIPSTOP_NONE : f.packet;
}

static void take_link(model *m, uint32_t v, uint32_t port, uint32_t channel, bool nowhere) {
  output *o = &m->node[v].output[port];
  uint32_t packet = sendable(m, v, port, channel);
  slow_must(m, o->queue[channel].count == 0 || slow_line_front(&o->queue[channel]).number == 0,
            "an output queue begins within a packet that no port sends");
  o->link_busy = true;
  o->task = slow_task_of(m, v, port);
  o->sending = (uint8_t)channel;
  o->sending_nowhere = nowhere;
  slow_story(m, packet, nowhere ? "discarded from the output queue" : "takes the link", v, port, channel);
  if (!nowhere) take_lossy_link(m, v, port, packet);
  if (has_bounded_queues(m, v) && !nowhere) take_space(m, o, channel, packet);
  if (!has_bounded_queues(m, v) && nowhere && !o->endless) o->free[channel] += slow_units(m, packet);
}

/* A free link of a switch with output queues: remnants first, on a failed link too; then the arbiter's choice. */
static void serve_link(model *m, uint32_t v, uint32_t port, table *t) {
  output *o = &m->node[v].output[port];
  bool any = false;
  if (o->link_busy) return;
  for (uint32_t c = 0; c < m->channels; c++) {
    uint32_t packet = sendable(m, v, port, c);
    if (packet == RIPSTOP_NONE || !slow_is_lost(m, packet)) continue;
    take_link(m, v, port, c, true);
    return;
  }
  if (!m->view->port_up[m->fabric->port_base[v] + port] && !m->talk) return;
  for (uint32_t c = 0; c < m->channels; c++) {
    uint32_t packet = sendable(m, v, port, c);
    t->asks[c] =
        packet != RIPSTOP_NONE && (!has_bounded_queues(m, v) || link_has_space(m, o, c, slow_units(m, packet)));
    t->channel[c] = (uint8_t)slow_plan_channel(m, c);
    t->flits[c] = packet == RIPSTOP_NONE ? 0 : m->packet[packet].flits;
    any |= t->asks[c];
  }
  if (any) take_link(m, v, port, slow_arbitrate(m, &o->link, t->asks, NULL, t->channel, t->flits, m->channels), false);
}

/* Control packets that go before all others: each FIFO has a port for itself. */
static void control_first(model *m, uint32_t v, table *t) {
  for (uint32_t h = 0; h < t->heads && m->plan->control_first; h++) {
    if (!slow_is_fifo(m, v, t->queue[h]) || t->count[h] != 1) continue;
    if (is_open(m, v, t->packet[h], candidates_of(t, h))) grant(m, v, t->queue[h], t->packet[h], candidates_of(t, h));
  }
}

/* With lines or several channels for each of the method's: cycle x 0.618.. mod 1, in 32 bits, of the outputs. */
static uint32_t first_output(const model *m, uint32_t outputs) {
  const uint64_t golden = 2654435769u, part = m->now * golden & UINT32_MAX;
  return (uint32_t)(part * outputs >> 32);
}

/* ------------------------------------------------------------------ crossbars with a speedup */

static uint64_t quarters(const model *m) { return (uint64_t)(4 * m->sw->speedup); }

bool slow_has_speedup(const model *m, uint32_t v) { return m->sw->speedup > 1 && !ripstop_is_end(m->fabric, v); }

/* Step k begins 4 k / quarters cycles after cycle 0. */
uint64_t slow_first_step(const model *m, uint64_t cycle) {
  uint64_t step = cycle * quarters(m) / 4;
  while (4 * step < cycle * quarters(m)) step++;
  return step;
}

bool slow_step_begins(const model *m, uint64_t step) { return 4 * step == m->now * quarters(m); }

/* In each step a crossbar input moves a flit, if one has come. */
static void cross(model *m, uint32_t v) {
  node *n = &m->node[v];
  for (uint32_t i = 0; i < n->sides; i++) {
    side *s = &n->side[i];
    line *l = &n->queue[s->queue].line;
    if (!s->busy || s->to != TO_OUTPUT_QUEUE || s->over || slow_line_front(l).packet != s->packet) continue;
    flit f = slow_line_take(l);
    output *o = &n->output[s->port];
    s->over = slow_is_tail(m, f);
    s->whole = f.came;
    f.channel = s->channel;
    f.came = m->now;
    if (o->queue[s->channel].count) slow_check_sequence(m, slow_line_back(&o->queue[s->channel]), f);
    slow_line_add(&o->queue[s->channel], f);
    m->moved = m->now;
  }
}

/* A packet has its crossbar input and output for a step for each flit, and until the cycle after its tail has come. */
void slow_crossings_end(model *m, uint32_t v, uint64_t step) {
  node *n = &m->node[v];
  for (uint32_t i = 0; i < n->sides; i++) {
    side *s = &n->side[i];
    if (!s->busy || s->to != TO_OUTPUT_QUEUE || !s->over) continue;
    if (step < s->step + m->packet[s->packet].flits || step < slow_first_step(m, s->whole + 1)) continue;
    s->busy = s->over = false;
    n->output[s->port].crossbar_busy = false;
    slow_leave_queue(m, v, s->queue, s->packet, slow_step_begins(m, step) ? m->now : m->now + 1);
  }
}

/* ------------------------------------------------------------------ a node */

static void decide_rounds(model *m, uint32_t v, table *t) {
  bool granted;
  look(m, v, t);
  control_first(m, v, t);
  discards(m, v, t);
  do {
    granted = false;
    bool any = make_requests(m, v, t);
    const uint32_t outputs = m->node[v].outputs,
                   first = slow_has_lines(m, v) || m->sw->vcs > 1 ? first_output(m, outputs) : 0;
    for (uint32_t p = 0; any && p < outputs; p++) granted |= serve_output(m, v, (first + p) % outputs, t);
  } while (granted && !m->broken);
}

static void decide(model *m, uint32_t v, table *t) {
  if (slow_is_bound(m, v)) {
    slow_occupants_decide(m, v);
    return;
  }
  if (slow_has_speedup(m, v)) {
    for (m->step = slow_first_step(m, m->now); m->step < slow_first_step(m, m->now + 1) && !m->broken; m->step++) {
      slow_crossings_end(m, v, m->step);
      decide_rounds(m, v, t);
      cross(m, v);
    }
  } else {
    decide_rounds(m, v, t);
  }
  if (slow_has_output_queues(m, v))
    for (uint32_t p = 0; p < m->node[v].outputs; p++) serve_link(m, v, p, t);
}

void slow_decisions(model *m) {
  uint32_t most = m->channels, heads = 1;
  ripstop_arena *arena = ripstop_arena_new();
  for (uint32_t v = 0; v < m->fabric->nodes; v++) {
    uint32_t own = 1;
    for (uint32_t q = 0; q < m->node[v].queues; q++)
      own += slow_has_lines(m, v) ? (uint32_t)m->node[v].queue[q].line.count + 1 : 1;
    if (m->node[v].queues > most) most = m->node[v].queues;
    if (own > heads) heads = own;
  }
  if (m->talk) slow_talk_links(m);
  table t = table_new(arena, most, heads, m->plan->candidates_max);
  /* a failed switch too: it has no candidates, but its remnants go */
  for (uint32_t v = 0; v < m->fabric->nodes && !m->broken; v++) decide(m, v, &t);
  ripstop_arena_free(arena);
}
