/* bound_to_outputs.c - switches whose packets are bound to an output when they enter (switch.queues = output, shared):
 * docs/model.md, "Bound packets" and "Shared memory". Each packet in such a switch is an occupant, with its flits that
 * are there. */
#include "simulate/run_result.h"
#include "things.h"

#include <string.h>

bool slow_is_bound(const model *m, uint32_t v) { return !ripstop_is_end(m->fabric, v) && (m->output || m->shared); }

bool slow_is_shared(const model *m) { return m->shared; }
bool slow_has_words(const model *m) { return m->sw->flow == RIPSTOP_FLOW_XONXOFF || slow_is_shared(m); }

bool slow_knows_space(const model *m) {
  return m->sw->flow == RIPSTOP_FLOW_CREDITS && m->sw->in_queue != RIPSTOP_UNLIMITED;
}

/* ------------------------------------------------------------------ flits come */

static occupant *occupant_of(node *n, uint32_t queue, flit f) {
  for (size_t i = 0; i < n->occupants; i++)
    if (n->occupant[i].packet == f.packet && n->occupant[i].queue == queue && n->occupant[i].came == f.number)
      return &n->occupant[i];
  return NULL;
}

void slow_occupant_comes(model *m, uint32_t v, uint32_t queue, flit f) {
  node *n = &m->node[v];
  input *q = &n->queue[queue];
  if (f.number == 0) {
    if (n->occupants == n->occupant_room) {
      n->occupant_room = n->occupant_room ? 2 * n->occupant_room : 16;
      n->occupant = ripstop_realloc(n->occupant, n->occupant_room, sizeof *n->occupant);
    }
    n->occupant[n->occupants++] =
        (occupant){.packet = f.packet, .queue = queue, .state = OCCUPANT_ENTERS, .alone = f.alone};
    q->stalled += slow_units(m, f.packet);
    slow_story(m, f.packet, "enters", v, q->port, f.channel);
    slow_check_space(m, n, queue);
  }
  occupant *g = occupant_of(n, queue, f);
  slow_must(m, g != NULL, "a flit comes without its packet");
  if (g) g->came++;
}

/* ------------------------------------------------------------------ which candidate */

/* Units of the packets that wait for a port, with its headers (RIPSTOP_NONE), or for one output VC, without. */
static int64_t units_waiting(const model *m, uint32_t v, uint32_t port, uint32_t channel) {
  const node *n = &m->node[v];
  int64_t sum = 0;
  for (size_t i = 0; i < n->occupants; i++) {
    const occupant *g = &n->occupant[i];
    if (g->state != OCCUPANT_WAITS || g->way.port != port) continue;
    if (channel == RIPSTOP_NONE && g->header) sum++;
    if (!g->header && (channel == RIPSTOP_NONE || g->way.channel == channel)) sum += slow_units(m, g->packet);
  }
  return sum;
}

/* Free units of a channel that are beyond a packet and those that wait. */
static bool channel_has_room(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *c) {
  const output *o = &m->node[v].output[c->port];
  if (o->endless) return true;
  if (slow_has_words(m)) return o->xon[c->channel];
  return slow_free(m, o, c->channel) - units_waiting(m, v, c->port, c->channel) >= slow_units(m, packet);
}

/* Keeps the channels with room, of those for which a candidate of the plan stands; returns how many. */
static uint32_t channels_with_room(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *c,
                                   ripstop_candidate *each) {
  const uint32_t count = slow_channels_of(m, packet, c, each);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (channel_has_room(m, v, packet, &each[i])) each[kept++] = each[i];
  return kept;
}

static bool has_room(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *c) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  return channels_with_room(m, v, packet, c, each) > 0;
}

static bool could_go(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *c) {
  return has_room(m, v, packet, c) && !m->node[v].output[c->port].link_busy &&
         units_waiting(m, v, c->port, RIPSTOP_NONE) == 0;
}

/* Units taken behind a channel: in the next queue, as the sender knows, and by the packets that wait for it here. */
static int64_t taken_in_channel(const model *m, uint32_t v, const ripstop_candidate *c) {
  const output *o = &m->node[v].output[c->port];
  int64_t beyond = o->endless || !slow_knows_space(m) ? 0 : slow_most_free(m) - slow_free(m, o, c->channel);
  return beyond + units_waiting(m, v, c->port, c->channel);
}

/* The same behind a candidate: the least of its channels'. */
static int64_t taken_units(const model *m, uint32_t v, uint32_t packet, const ripstop_candidate *c) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  const uint32_t count = slow_channels_of(m, packet, c, each);
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < count; i++)
    if (taken_in_channel(m, v, &each[i]) < least) least = taken_in_channel(m, v, &each[i]);
  return least;
}

/* The channel of the candidate to which a packet is bound: one with room, if there is any. */
static void take_channel(const model *m, uint32_t v, uint32_t queue, uint32_t packet, ripstop_candidate *c) {
  ripstop_candidate each[RIPSTOP_CHANNELS_MAX];
  int64_t units[RIPSTOP_CHANNELS_MAX];
  uint32_t count = channels_with_room(m, v, packet, c, each);
  if (count == 0) count = slow_channels_of(m, packet, c, each);
  for (uint32_t i = 0; i < count; i++) units[i] = -taken_in_channel(m, v, &each[i]);
  *c = each[slow_take_channel(m, v, queue, packet, units, count)];
}

/* Keeps the candidates of the lowest rank among those that fulfil `test`; returns how many. */
static uint32_t keep(const model *m, uint32_t v, uint32_t packet, ripstop_candidate *c, uint32_t n,
                     bool (*test)(const model *, uint32_t, uint32_t, const ripstop_candidate *)) {
  uint32_t kept = 0;
  int lowest = 256;
  for (uint32_t i = 0; i < n; i++)
    if (c[i].rank < lowest && (!test || test(m, v, packet, &c[i]))) lowest = c[i].rank;
  for (uint32_t i = 0; i < n && lowest < 256; i++)
    if (c[i].rank == lowest && (!test || test(m, v, packet, &c[i]))) c[kept++] = c[i];
  return kept;
}

/* Keeps the candidates of fewest taken units, times the links that remain or not, and of those the ones of fewest
 * links. */
static uint32_t keep_least(const model *m, uint32_t v, uint32_t packet, ripstop_candidate *c, uint32_t n, bool links) {
  uint32_t kept = 0;
  int64_t least = INT64_MAX, fewest = INT64_MAX;
  for (int round = 0; round < 3; round++)
    for (uint32_t i = 0; i < n; i++) {
      int64_t weight = links ? (c[i].weight ? c[i].weight : 1) : 1, burden = taken_units(m, v, packet, &c[i]) * weight;
      if (round == 0 && burden < least) least = burden;
      if (round == 1 && burden == least && weight < fewest) fewest = weight;
      if (round == 2 && burden == least && weight == fewest) c[kept++] = c[i];
    }
  return kept;
}

static ripstop_candidate choose(const model *m, uint32_t v, const occupant *g, ripstop_candidate *c, uint32_t n) {
  const node *own = &m->node[v];
  const char *selection = ripstop_method_selection(m->plan->method, m->sw->selection);
  uint32_t kept = slow_is_exhausted(m) ? 0 : keep(m, v, g->packet, c, n, could_go);
  if (kept == 0) kept = keep(m, v, g->packet, c, n, has_room);
  if (kept == 0) kept = keep(m, v, g->packet, c, n, NULL);
  if (!strcmp(selection, "space")) kept = keep_least(m, v, g->packet, c, kept, false);
  if (!strcmp(selection, "weighted")) kept = keep_least(m, v, g->packet, c, kept, true);
  if (!strcmp(selection, "rotate")) {
    uint32_t last = own->queue[g->queue].last_port, best = 0, fewest = UINT32_MAX;
    if (last == RIPSTOP_NONE) last = own->outputs - 1;
    for (uint32_t i = 0; i < kept; i++) {
      uint32_t steps = (c[i].port + 2 * own->outputs - last - 1) % own->outputs;
      if (steps < fewest) fewest = steps, best = i;
    }
    return c[best];
  }
  return c[strcmp(selection, "first") == 0 ? 0 : slow_tie(m, g->packet, kept)];
}

/* ------------------------------------------------------------------ a shared memory */

/* Flits of the packets that are stored: for an output VC, or (RIPSTOP_NONE) all. */
static int64_t stored_for(const model *m, uint32_t v, uint32_t port, uint32_t channel) {
  const node *n = &m->node[v];
  int64_t sum = 0;
  for (size_t i = 0; i < n->occupants; i++) {
    const occupant *g = &n->occupant[i];
    const bool bound = g->state == OCCUPANT_WAITS || g->state == OCCUPANT_GOES;
    if (g->stored && (port == RIPSTOP_NONE || (bound && g->way.port == port && g->way.channel == channel)))
      sum += m->packet[g->packet].flits;
  }
  return sum;
}

static int64_t at_least_0(int64_t x) { return x > 0 ? x : 0; }

static int64_t headroom_of(const model *m, uint32_t port) {
  if (m->sw->headroom != RIPSTOP_HEADROOM_AUTO) return m->sw->headroom;
  return 2 * (int64_t)slow_delay(m, port) + m->sw->pipeline + m->sw->credit + 2 * (int64_t)m->longest;
}

/* P of the rules. */
static int64_t pool_of(const model *m, uint32_t v) {
  int64_t pool = m->sw->buffer;
  for (uint32_t port = m->fabric->port_base[v]; port < m->fabric->port_base[v + 1]; port++)
    if (m->fabric->peer[port] != RIPSTOP_NONE) pool -= (int64_t)m->channels * (m->longest + headroom_of(m, port));
  return pool;
}

/* Counts the flits of every ingress; returns P - p of the rules. */
static int64_t free_pool(const model *m, uint32_t v) {
  const node *n = &m->node[v];
  int64_t left = pool_of(m, v);
  memset(n->stored, 0, n->queues * sizeof *n->stored);
  for (size_t i = 0; i < n->occupants; i++)
    if (n->occupant[i].stored) n->stored[n->occupant[i].queue] += m->packet[n->occupant[i].packet].flits;
  for (uint32_t q = 0; q < n->queues; q++)
    left -= at_least_0(n->stored[q] - n->queue[q].headroom - (int64_t)m->longest);
  return left;
}

/* So many flits more. */
static bool may_have_more(const model *m, uint32_t v, uint32_t queue, int64_t more) {
  const int64_t left = free_pool(m, v), now = m->node[v].stored[queue], all = now + more, reserve = m->longest;
  return all <= reserve ||
         ((double)all <= m->sw->alpha * (double)left && all - reserve - at_least_0(now - reserve) <= left);
}

static void send_word(model *m, uint32_t v, uint32_t queue, uint8_t word) {
  input *q = &m->node[v].queue[queue];
  uint32_t port = m->fabric->port_base[v] + q->port;
  output *o = slow_output_of(m, m->fabric->peer[port]);
  q->last_word_xon = word == WORD_XON;
  o->word[slow_ring_place(m, queue % m->stride, m->now + slow_delay(m, port) + (uint64_t)m->sw->credit)] = word;
}

enum { MOST_HEADERS = 1000 };

/* A packet without space: cut to its head, if that finds a place in the header queue. */
static bool join_headers(model *m, uint32_t v, occupant *g) {
  const node *n = &m->node[v];
  uint32_t headers = 0;
  for (size_t i = 0; i < n->occupants; i++)
    headers +=
        n->occupant[i].state == OCCUPANT_WAITS && n->occupant[i].header && n->occupant[i].way.port == g->way.port;
  if (headers == MOST_HEADERS) return false;
  m->packet[g->packet].cut |= m->packet[g->packet].flits > 1;
  return g->header = true;
}

static bool store_lossy(const model *m, uint32_t v, const occupant *g) {
  const int64_t flits = m->packet[g->packet].flits, left = m->sw->buffer - stored_for(m, v, RIPSTOP_NONE, 0),
                queue = stored_for(m, v, g->way.port, g->way.channel);
  return flits <= left && (double)(queue + flits) <= m->sw->alpha * (double)left;
}

/* False: the packet, which has a candidate, is lost. */
static bool store(model *m, uint32_t v, occupant *g) {
  input *q = &m->node[v].queue[g->queue];
  const int64_t flits = m->packet[g->packet].flits;
  if (!slow_is_shared(m) || g->stored) return true;
  g->header = false;
  if (m->packet[g->packet].cut) return join_headers(m, v, g);
  if (!m->sw->lossless) return (g->stored = store_lossy(m, v, g)) || (m->sw->trim && join_headers(m, v, g));
  if (!q->last_word_xon || !may_have_more(m, v, g->queue, flits)) {
    if (q->last_word_xon) send_word(m, v, g->queue, WORD_XOFF);
    q->headroom += flits;
    slow_must(m, q->headroom <= headroom_of(m, m->fabric->port_base[v] + q->port), "a headroom overflows");
  }
  return g->stored = true;
}

/* A packet leaves the memory, those in the headroom first. */
static void unstore(model *m, uint32_t v, occupant *g) {
  input *q = &m->node[v].queue[g->queue];
  if (!g->stored) return;
  q->headroom = at_least_0(q->headroom - m->packet[g->packet].flits);
  q->shrank = true;
  g->stored = false;
}

static void send_xons(model *m, uint32_t v) {
  node *n = &m->node[v];
  for (uint32_t i = 0; i < n->queues && slow_is_shared(m) && m->sw->lossless; i++) {
    input *q = &n->queue[i];
    if (q->shrank && !q->last_word_xon && q->headroom == 0 && may_have_more(m, v, i, (int64_t)m->longest))
      send_word(m, v, i, WORD_XON);
    q->shrank = false;
  }
}

/* ------------------------------------------------------------------ decisions */

static void discard(model *m, uint32_t v, occupant *g) {
  g->state = OCCUPANT_VANISHES;
  unstore(m, v, g);
  slow_story(m, g->packet, "discarded", v, RIPSTOP_NONE, 0);
}

static void enter(model *m, uint32_t v, occupant *g, ripstop_candidate *candidates) {
  if (slow_is_lost(m, g->packet)) {
    discard(m, v, g);
    return;
  }
  int n = slow_ask_candidates(m, v, g->queue, g->packet, candidates);
  if (n <= 0) {
    discard(m, v, g);
    slow_lose(m, g->packet, n == STOP_LINK_FAILED ? RIPSTOP_LOST_LINK : RIPSTOP_LOST_METHOD + (uint32_t)(-n - 1));
    return;
  }
  g->way = choose(m, v, g, candidates, (uint32_t)n);
  take_channel(m, v, g->queue, g->packet, &g->way);
  if (!store(m, v, g)) {
    discard(m, v, g);
    slow_lose(m, g->packet, RIPSTOP_LOST_BUFFER);
    return;
  }
  g->turn = ++m->turns;
  g->state = OCCUPANT_WAITS;
  m->node[v].queue[g->queue].last_port = g->way.port;
  slow_story(m, g->packet, "waits", v, g->way.port, g->way.channel);
}

/* A lost packet goes. A packet that may not take its output any more enters again. */
static void look_again(model *m, uint32_t v, occupant *g, ripstop_candidate *candidates) {
  if (slow_is_lost(m, g->packet)) {
    discard(m, v, g);
    return;
  }
  int n = slow_ask_candidates(m, v, g->queue, g->packet, candidates);
  for (int i = 0; i < n; i++)
    if (candidates[i].port == g->way.port && candidates[i].channel == slow_plan_channel(m, g->way.channel) &&
        candidates[i].header == g->way.header && candidates[i].marks == g->way.marks)
      return;
  g->state = OCCUPANT_ENTERS;
}

/* The occupant that waits longest for an output VC, or of the headers for a port, whatever their channels; NULL: none.
 */
static occupant *first_of(node *n, uint32_t port, uint32_t channel, bool header) {
  occupant *first = NULL;
  for (size_t i = 0; i < n->occupants; i++) {
    occupant *g = &n->occupant[i];
    if (g->state == OCCUPANT_WAITS && g->way.port == port && g->header == header &&
        (header || g->way.channel == channel) && (!first || g->turn < first->turn))
      first = g;
  }
  return first;
}

static void take_link(model *m, uint32_t v, occupant *g) {
  output *o = &m->node[v].output[g->way.port];
  g->state = OCCUPANT_GOES;
  o->link_busy = true;
  o->task = slow_task_of(m, v, g->way.port);
  m->packet[g->packet].header = g->way.header;
  m->packet[g->packet].hops++;
  slow_corrupt(m, m->fabric->port_base[v] + g->way.port, g->packet);
  slow_story(m, g->packet, "takes the link", v, g->way.port, g->way.channel);
  if (o->endless) return;
  slow_must(m, !slow_knows_space(m) || slow_free(m, o, g->way.channel) >= slow_units(m, g->packet),
            "a packet is sent without credits");
  o->free[g->way.channel] -= slow_units(m, g->packet);
}

static void serve(model *m, uint32_t v, uint32_t port) {
  node *n = &m->node[v];
  output *o = &n->output[port];
  bool asks[RIPSTOP_CHANNELS_MAX], any = false;
  uint8_t channel[RIPSTOP_CHANNELS_MAX];
  uint16_t flits[RIPSTOP_CHANNELS_MAX];
  if (o->link_busy) return;
  occupant *header = first_of(n, port, 0, true);
  if (header) {
    take_link(m, v, header);
    return;
  }
  for (uint32_t c = 0; c < m->channels; c++) {
    const occupant *g = first_of(n, port, c, false);
    bool open =
        o->endless || slow_has_words(m) ? o->endless || o->xon[c] : g && slow_free(m, o, c) >= slow_units(m, g->packet);
    asks[c] = g && open;
    channel[c] = (uint8_t)slow_plan_channel(m, c);
    flits[c] = g ? m->packet[g->packet].flits : 0;
    any |= asks[c];
  }
  if (any)
    take_link(m, v, first_of(n, port, slow_arbitrate(m, &o->link, asks, NULL, channel, flits, m->channels), false));
}

/* By input queue, and for each in the order in which they came, which is that of the list. */
void slow_occupants_decide(model *m, uint32_t v) {
  node *n = &m->node[v];
  ripstop_candidate candidates[UINT8_MAX + 1];
  for (size_t i = 0; i < n->occupants; i++)
    if (n->occupant[i].state == OCCUPANT_WAITS) look_again(m, v, &n->occupant[i], candidates);
  send_xons(m, v);
  for (uint32_t q = 0; q < n->queues; q++)
    for (size_t i = 0; i < n->occupants; i++)
      if (n->occupant[i].state == OCCUPANT_ENTERS && n->occupant[i].queue == q)
        enter(m, v, &n->occupant[i], candidates);
  for (uint32_t p = 0; p < n->outputs; p++) serve(m, v, p);
}

/* ------------------------------------------------------------------ flits go */

/* True if it was the tail. The rest of a packet that was cut goes nowhere behind its head. */
static bool send_one(model *m, uint32_t v, occupant *g) {
  output *o = g->state == OCCUPANT_GOES ? &m->node[v].output[g->way.port] : NULL;
  const bool alone = g->alone || (o && g->header);
  flit f = {.packet = g->packet, .number = g->went, .channel = g->way.channel, .alone = alone};
  if (o && !slow_is_done(m, o->task, f)) return false;
  slow_must(m, g->went < g->came, "a flit is sent before it came");
  g->went++;
  m->moved = m->now;
  if (o) {
    f.pace = o->task.rate;
    slow_row_put(m, &o->wire, f);
  }
  if (!slow_is_tail(m, f)) return false;
  if (o) o->link_busy = false;
  g->state = OCCUPANT_VANISHES;
  f.alone = g->alone;
  return slow_is_tail(m, f);
}

void slow_occupants_send(model *m, uint32_t v) {
  node *n = &m->node[v];
  size_t left = 0;
  for (size_t i = 0; i < n->occupants; i++) {
    occupant g = n->occupant[i];
    bool gone = (g.state == OCCUPANT_GOES || g.state == OCCUPANT_VANISHES) && !m->broken && send_one(m, v, &g);
    if (gone) unstore(m, v, &g);
    if (gone) slow_leave_queue(m, v, g.queue, g.packet, m->now + 1);
    if (!gone) n->occupant[left++] = g;
  }
  n->occupants = left;
}

/* ------------------------------------------------------------------ losses */

/* Only flits that were cut off are left here. */
static bool has_no_packet(const model *m, const occupant *g) {
  return slow_is_cut_off(m, (flit){.packet = g->packet, .number = g->went});
}

uint32_t slow_occupant_on(const model *m, uint32_t v, uint32_t port) {
  const node *n = &m->node[v];
  for (size_t i = 0; i < n->occupants; i++)
    if (n->occupant[i].state == OCCUPANT_GOES && n->occupant[i].way.port == port)
      return has_no_packet(m, &n->occupant[i]) ? RIPSTOP_NONE : n->occupant[i].packet;
  return RIPSTOP_NONE;
}

void slow_occupants_lost(model *m, uint32_t v) {
  for (size_t i = 0; i < m->node[v].occupants; i++)
    if (!has_no_packet(m, &m->node[v].occupant[i])) slow_lose(m, m->node[v].occupant[i].packet, RIPSTOP_LOST_SWITCH);
}
