/* check_transient.c - is a certificate of a deadlock in transient states true? The second opinion beside mixtures.c,
 * with which it shares the fabric, the methods and the versions of tables, and nothing else: every state is
 * enumerated plainly, packet after packet.
 *
 * Confirmed when each of its queues exists once and leads to a part that is alive in the end; the packet in it can
 * arrive there from its source when switches answer by any of their versions (in order: by those of a stage, and then
 * of later ones); and by the last version of its switch (forever: by some version) it is neither consumed nor lost,
 * and has no candidate out of the set. Bubble rings as in check_certificate.c, entered by their rule under every
 * version.
 *
 * An in-transit packet of a NIC is in the queue that leads to the NIC, whatever channel it took: channel 0. */
#include <inttypes.h>
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"
#include "prove/lowest.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "tables/versions.h"

enum { SPOTS_FIRST = 1024 };

typedef struct spot {
  ripstop_head head;
  uint32_t lane;   /* its queue; RIPSTOP_NONE: in its NIC */
  uint32_t parent; /* the spot that led here */
  uint32_t before; /* another spot of the output VC; RIPSTOP_NONE: the first */
  uint32_t stage;  /* in which it was found */
} spot;

typedef struct checker {
  const ripstop_certificate *certificate;
  const ripstop_versions *v;
  const ripstop_fabric *fabric;
  uint32_t channels, lanes;
  spot *spot;
  uint32_t spots, room;
  uint32_t *last;   /* [lanes]: the spot found last */
  uint32_t *place;  /* [lanes]: in the certificate; RIPSTOP_NONE: not there */
  uint32_t *narrow; /* [lanes]: the output VC from which it is entered with space for one packet; RIPSTOP_NONE: none */
  bool *open;       /* [lanes]: entered so from several output VCs, or from a NIC */
  ripstop_candidate *candidate;
  ripstop_text *verdict;
  ripstop_error *err;
} checker;

static uint32_t receiver(const checker *c, uint32_t lane) {
  return c->fabric->port_node[c->fabric->peer[lane / c->channels]];
}

static uint32_t lane_of(const checker *c, const ripstop_deadlocked_packet *q) {
  return q->port * c->channels + q->channel;
}

static uint32_t lane_of_candidate(const checker *c, const ripstop_head *head, const ripstop_candidate *candidate) {
  return (c->fabric->port_base[head->node] + candidate->port) * c->channels + candidate->channel;
}

static bool is_alive(const checker *c, uint32_t node) {
  const ripstop_fabric *f = c->fabric;
  return c->v->after->view->node_up[ripstop_is_end(f, node) ? ripstop_end_switch(f, node) : node];
}

static ripstop_check refute(const checker *c, const ripstop_deadlocked_packet *q, const char *what) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX], source[RIPSTOP_NAME_MAX], destination[RIPSTOP_NAME_MAX];
  const ripstop_fabric *f = c->fabric;
  ripstop_node_name(f, f->port_node[q->port], from);
  ripstop_node_name(f, f->port_node[f->peer[q->port]], to);
  ripstop_node_name(f, q->source, source);
  ripstop_node_name(f, q->destination, destination);
  ripstop_text_add(c->verdict,
                   "refuted: packet %s -> %s header 0x%" PRIx64 " in queue %s port %u channel %u (to %s) %s", source,
                   destination, q->header, from, q->port - f->port_base[f->port_node[q->port]], q->channel, to, what);
  return RIPSTOP_REFUTED;
}

/* ------------------------------------------------------------------ reachable queues */

static int break_rule(const checker *c, const ripstop_head *head) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(c->fabric, head->node, name);
  return ripstop_fail(c->err, "method %s breaks a rule at %s: a candidate that is not allowed",
                      c->v->after->method->name, name);
}

/* 0: stalled; less: lost. */
static int ask(checker *c, const ripstop_node_version *by, const ripstop_head *head, int *candidates) {
  const ripstop_fabric *f = c->fabric;
  *candidates = ripstop_version_candidates(by, head, c->candidate);
  for (int i = 0; i < *candidates; i++) {
    ripstop_candidate *candidate = &c->candidate[i];
    uint32_t port = f->port_base[head->node] + candidate->port;
    if (candidate->port >= ripstop_node_ports(f, head->node) || !by->plan->view->port_up[port] ||
        candidate->channel >= c->channels || candidate->space < 1 || candidate->space > 2)
      return break_rule(c, head);
    uint32_t next = f->port_node[f->peer[port]];
    if (!ripstop_is_end(f, next) || next == head->destination) continue;
    if (!by->plan->transit_packets) return break_rule(c, head);
    candidate->channel = 0;
  }
  if (*candidates > 0 && takes_lowest_rank(c->v->after)) *candidates = lowest_rank_first(c->candidate, *candidates);
  return 0;
}

static void add(checker *c, const ripstop_head *head, uint32_t lane, uint32_t parent, uint32_t stage) {
  uint32_t before = lane == RIPSTOP_NONE ? RIPSTOP_NONE : c->last[lane];
  for (uint32_t i = before; i != RIPSTOP_NONE; i = c->spot[i].before)
    if (c->spot[i].head.header == head->header) return;
  RIPSTOP_GROW(c->spot, c->spots, c->room);
  if (lane != RIPSTOP_NONE) c->last[lane] = c->spots;
  c->spot[c->spots++] = (spot){.head = *head, .lane = lane, .parent = parent, .before = before, .stage = stage};
}

static void note_entry(checker *c, uint32_t from, uint32_t to) {
  if (from == RIPSTOP_NONE || (c->narrow[to] != RIPSTOP_NONE && c->narrow[to] != from)) c->open[to] = true;
  c->narrow[to] = from;
}

static int follow(checker *c, uint32_t from, const ripstop_node_version *by, uint32_t stage) {
  const ripstop_fabric *f = c->fabric;
  ripstop_head head = c->spot[from].head;
  int candidates;
  if (ask(c, by, &head, &candidates)) return -1;
  for (int i = 0; i < candidates; i++) {
    uint32_t lane = lane_of_candidate(c, &head, &c->candidate[i]), in = f->peer[lane / c->channels];
    if (c->candidate[i].space == 1) note_entry(c, c->spot[from].lane, lane);
    ripstop_head next = head;
    next.node = f->port_node[in];
    next.in_port = in - f->port_base[next.node];
    next.channel = c->candidate[i].channel;
    next.header = c->candidate[i].header;
    if (next.node == head.destination) continue;
    if (ripstop_is_end(f, next.node)) next.in_port = RIPSTOP_NONE, next.channel = 0;
    add(c, &next, lane, from, stage);
  }
  return 0;
}

/* Follows one spot in one stage, by the versions that are new since it was followed last. */
static int follow_in(checker *c, uint32_t number, uint32_t stage) {
  uint32_t node = c->spot[number].head.node;
  for (uint32_t i = c->v->first[node]; i < c->v->first[node + 1]; i++) {
    const ripstop_node_version *by = &c->v->version[i];
    bool holds = !c->certificate->mixed.in_order ||
                 (c->spot[number].stage == stage ? by->from <= stage && stage <= by->to : by->from == stage);
    if (holds && follow(c, number, by, stage)) return -1;
  }
  return 0;
}

/* Packets of one class, from some sources to one destination. */
static int enumerate(checker *c, uint32_t from, uint32_t end, uint32_t destination, uint32_t class_) {
  uint32_t stages = c->certificate->mixed.in_order ? c->v->stages : 1;
  for (uint32_t i = 0; i < c->spots; i++)
    if (c->spot[i].lane != RIPSTOP_NONE) c->last[c->spot[i].lane] = RIPSTOP_NONE;
  c->spots = 0;
  for (uint32_t source = from; source < end; source++)
    for (uint64_t draw = 0; draw < c->v->after->random_headers && source != destination; draw++)
      add(c,
          &(ripstop_head){.node = source,
                          .in_port = RIPSTOP_NONE,
                          .source = source,
                          .destination = destination,
                          .header = draw,
                          .class_ = (uint8_t)class_},
          RIPSTOP_NONE, RIPSTOP_NONE, 0);
  for (uint32_t stage = 0; stage < stages; stage++)
    for (uint32_t i = 0; i < c->spots; i++)
      if (follow_in(c, i, stage)) return -1;
  return 0;
}

/* ------------------------------------------------------------------ waiting */

/* True if the head waits by this version, for queues of the set alone or because it is stalled. Candidates through
 * ports that are down in the end lead nowhere. */
static int waits(checker *c, const ripstop_node_version *by, const ripstop_head *head, bool *does) {
  const uint8_t *up = c->v->after->view->port_up;
  int candidates, live = 0;
  tally_of_ranks inside = {0};
  if (ask(c, by, head, &candidates)) return -1;
  const bool stalled = candidates == 0;
  for (int i = 0; i < candidates; i++)
    if (up[lane_of_candidate(c, head, &c->candidate[i]) / c->channels]) c->candidate[live++] = c->candidate[i];
  const uint8_t lowest = lowest_rank_of(c->candidate, live);
  for (int i = 0; i < live; i++) {
    const uint32_t lane = lane_of_candidate(c, head, &c->candidate[i]);
    tally_rank(&inside, c->candidate[i].rank == lowest,
               receiver(c, lane) != head->destination && c->place[lane] != RIPSTOP_NONE);
  }
  *does = stalled || (live && some_set_has_all(c->v->after, &inside));
  return 0;
}

/* The version by which it waits; NULL: none. */
static int waiting_version(checker *c, const ripstop_head *head, const ripstop_node_version **by) {
  uint32_t last = c->v->first[head->node + 1] - 1;
  for (uint32_t i = c->certificate->mixed.for_ever ? c->v->first[head->node] : last; i <= last; i++) {
    bool does;
    if (waits(c, &c->v->version[i], head, &does)) return -1;
    *by = &c->v->version[i];
    if (does) return 0;
  }
  *by = NULL;
  return 0;
}

static void report_walk(const checker *c, FILE *file, uint32_t end) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_text text = {0}, next = {0};
  for (uint32_t i = end; i != RIPSTOP_NONE; i = c->spot[i].parent) {
    ripstop_node_name(c->fabric, c->spot[i].head.node, name);
    next.length = 0;
    ripstop_text_add(&next, " %s", name);
    if (c->spot[i].head.header) ripstop_text_add(&next, "[%" PRIx64 "]", c->spot[i].head.header);
    if (text.length) ripstop_text_add(&next, " >%s", text.data);
    text.length = 0;
    ripstop_text_add(&text, "%s", next.data);
  }
  ripstop_node_name(c->fabric, c->spot[end].head.destination, name);
  fprintf(file, "to %s:%s\n", name, text.data);
  ripstop_text_free(&text);
  ripstop_text_free(&next);
}

static ripstop_check check_deadlocked(checker *c, const ripstop_deadlocked_packet *q, FILE *walks) {
  uint32_t lane = lane_of(c, q), found;
  const ripstop_node_version *by;
  if (q->class_ >= c->v->after->classes) return refute(c, q, "is of a class that there is not");
  if (enumerate(c, q->source, q->source + 1, q->destination, q->class_)) return RIPSTOP_UNCHECKABLE;
  for (found = c->last[lane]; found != RIPSTOP_NONE; found = c->spot[found].before)
    if (c->spot[found].head.header == q->header) break;
  if (found == RIPSTOP_NONE) return refute(c, q, "cannot come there");
  if (walks) report_walk(c, walks, found);
  ripstop_head head = c->spot[found].head;
  if (waiting_version(c, &head, &by)) return RIPSTOP_UNCHECKABLE;
  return by ? RIPSTOP_CONFIRMED : refute(c, q, "is consumed or lost there, or need not wait for queues of the set");
}

/* ------------------------------------------------------------------ bubble rings */

/* Notes all entries of all packets. */
static int note_entries(checker *c) {
  uint32_t ends = c->fabric->ends, together = c->v->after->method->by_source ? 1 : ends;
  for (uint32_t i = 0; i < c->lanes; i++) c->narrow[i] = RIPSTOP_NONE, c->open[i] = false;
  for (uint32_t destination = 0; destination < ends; destination++)
    for (uint32_t class_ = 0; class_ < c->v->after->classes; class_++)
      for (uint32_t from = 0; from < ends; from += together)
        if (enumerate(c, from, from + together, destination, class_)) return -1;
  return 0;
}

/* True if the packet in `from` can only continue into `to`, if that has space for one packet. */
static int goes_on(checker *c, uint32_t from, uint32_t to, bool *result) {
  const ripstop_deadlocked_packet *q = &c->certificate->queue[c->place[from]];
  uint32_t in = c->fabric->peer[q->port], node = c->fabric->port_node[in];
  bool at_end = ripstop_is_end(c->fabric, node);
  ripstop_head head = {.node = node,
                       .in_port = at_end ? RIPSTOP_NONE : in - c->fabric->port_base[node],
                       .source = q->source,
                       .destination = q->destination,
                       .header = q->header,
                       .channel = at_end ? 0 : q->channel,
                       .class_ = q->class_};
  const ripstop_node_version *by;
  int candidates = 0;
  if (waiting_version(c, &head, &by) || (by && ask(c, by, &head, &candidates))) return -1;
  const uint8_t lowest = lowest_rank_of(c->candidate, candidates);
  tally_of_ranks goes = {0}, elsewhere = {0}; /* elsewhere: wait sets without `to` that stay in the set */
  for (int i = 0; i < candidates; i++) {
    const uint32_t lane = lane_of_candidate(c, &head, &c->candidate[i]);
    tally_rank(&goes, c->candidate[i].rank == lowest, lane == to && c->candidate[i].space == 1);
    tally_rank(&elsewhere, c->candidate[i].rank == lowest, lane != to && c->place[lane] != RIPSTOP_NONE);
  }
  *result = goes.lowest + goes.higher > 0 && !some_set_has_all(c->v->after, &elsewhere);
  return 0;
}

/* Follows the narrow entries back from a queue; a ring returns to it. */
static ripstop_check check_ring(checker *c, const ripstop_deadlocked_packet *q) {
  uint32_t lane = lane_of(c, q), at = lane, steps = 0;
  bool all = true;
  do {
    uint32_t before = c->narrow[at];
    if (c->open[at] || before == RIPSTOP_NONE || c->place[before] == RIPSTOP_NONE) return RIPSTOP_CONFIRMED;
    bool on;
    if (goes_on(c, before, at, &on)) return RIPSTOP_UNCHECKABLE;
    all &= on;
    at = before;
  } while (at != lane && ++steps < c->lanes);
  if (at != lane || !all) return RIPSTOP_CONFIRMED;
  return refute(c, q, "is in a bubble ring whose packets all go on in it: one of them has a free place before it");
}

/* ------------------------------------------------------------------ the whole check */

static ripstop_check place_queues(checker *c) {
  for (uint32_t i = 0; i < c->certificate->queues; i++) {
    const ripstop_deadlocked_packet *q = &c->certificate->queue[i];
    if (q->channel >= c->channels) return refute(c, q, "is in a channel that there is not");
    if (!is_alive(c, receiver(c, lane_of(c, q)))) return refute(c, q, "is in a failed switch");
    if (c->place[lane_of(c, q)] != RIPSTOP_NONE) return refute(c, q, "is in a queue that is named twice");
    c->place[lane_of(c, q)] = i;
  }
  return RIPSTOP_CONFIRMED;
}

static ripstop_check check_all(checker *c, FILE *walks) {
  const ripstop_certificate *certificate = c->certificate;
  ripstop_check result = place_queues(c);
  for (uint32_t i = 0; i < certificate->queues && result == RIPSTOP_CONFIRMED; i++)
    result = check_deadlocked(c, &certificate->queue[i], walks);
  if (result != RIPSTOP_CONFIRMED) return result;
  if (note_entries(c)) return RIPSTOP_UNCHECKABLE;
  for (uint32_t i = 0; i < certificate->queues && result == RIPSTOP_CONFIRMED; i++)
    result = check_ring(c, &certificate->queue[i]);
  return result;
}

ripstop_check ripstop_certificate_check_transient(const ripstop_certificate *certificate,
                                                  const ripstop_versions *versions, ripstop_text *verdict, FILE *walks,
                                                  ripstop_error *err) {
  ripstop_text_begin(verdict); /* the text is the caller's */
  RIPSTOP_GUARD(err, RIPSTOP_UNCHECKABLE);
  ripstop_arena *scratch = ripstop_arena_new();
  checker c = {.certificate = certificate,
               .v = versions,
               .fabric = versions->after->fabric,
               .channels = ripstop_versions_channels(versions),
               .spot = ripstop_realloc(NULL, SPOTS_FIRST, sizeof(spot)),
               .room = SPOTS_FIRST,
               .verdict = verdict,
               .err = err};
  c.lanes = c.fabric->ports * c.channels;
  c.last = RIPSTOP_ARRAY(scratch, c.lanes, uint32_t);
  c.place = RIPSTOP_ARRAY(scratch, c.lanes, uint32_t);
  c.narrow = RIPSTOP_ARRAY(scratch, c.lanes, uint32_t);
  c.open = RIPSTOP_ARRAY(scratch, c.lanes, bool);
  c.candidate = RIPSTOP_ARRAY(scratch, 2 * ripstop_versions_candidates_max(versions) + 1, ripstop_candidate);
  for (uint32_t i = 0; i < c.lanes; i++) c.last[i] = c.place[i] = RIPSTOP_NONE;
  ripstop_check result = RIPSTOP_REFUTED;
  if (certificate->queues)
    result = check_all(&c, walks);
  else
    ripstop_text_add(verdict, "refuted: a deadlock without queues");
  if (result == RIPSTOP_CONFIRMED)
    ripstop_text_add(
        verdict,
        "confirmed: a deadlock of %u queues, each packet of which transient states can leave there, and which "
        "waits for the others alone",
        certificate->queues);
  ripstop_free(c.spot);
  ripstop_arena_free(scratch);
  return result;
}
