/* places.c - what flits stand in: lines, served in order of coming, and rows of places that move on by one each cycle;
 * and the laws that hold everywhere. */
#include "things.h"

#include <string.h>

void slow_must(model *m, bool holds, const char *truth) {
  if (holds || m->broken) return;
  m->broken = true;
  ripstop_fail(m->err, "broken: cycle %llu: %s", (unsigned long long)m->now, truth);
}

void slow_story(const model *m, uint32_t packet, const char *what, uint32_t at, uint32_t port, uint32_t channel) {
  if (!m->trace || m->packet[packet].serial != m->traced) return;
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(m->fabric, at, name);
  fprintf(m->trace, "  cycle %llu: %s at %s %s", (unsigned long long)m->now, what,
          ripstop_is_end(m->fabric, at) ? "end node" : "switch", name);
  if (port != RIPSTOP_NONE) fprintf(m->trace, ", port %u channel %u", port, channel);
  fprintf(m->trace, "\n");
}

uint32_t slow_units(const model *m, uint32_t packet) {
  return m->sw->unit == RIPSTOP_UNIT_FLITS || slow_is_shared(m) ? m->packet[packet].flits : 1;
}
uint32_t slow_length(const model *m, flit f) { return f.alone ? 1 : m->packet[f.packet].flits; }
bool slow_is_tail(const model *m, flit f) { return f.number + 1u == slow_length(m, f); }
bool slow_is_cut_off(const model *m, flit f) {
  return f.packet != RIPSTOP_NONE && f.number > 0 && m->packet[f.packet].cut;
}
bool slow_is_lost(const model *m, uint32_t packet) { return m->packet[packet].cause != RIPSTOP_NONE; }
bool slow_has_output_queues(const model *m, uint32_t v) {
  return m->sw->out_queue > 0 && !ripstop_is_end(m->fabric, v);
}

bool slow_has_slow_queues(const model *m, uint32_t v) {
  return m->places > 0 && m->sw->out_queue == 0 && !ripstop_is_end(m->fabric, v);
}

/* Flits of a packet come together and in order. */
void slow_check_sequence(model *m, flit before, flit next) {
  if (next.number == 0)
    slow_must(m, before.packet == RIPSTOP_NONE || slow_is_tail(m, before),
              "a head comes into the middle of another packet");
  else
    slow_must(m, before.packet == next.packet && before.number + 1 == next.number, "a flit is out of its place");
}

void slow_line_add(line *l, flit f) {
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

flit slow_line_front(const line *l) { return l->count ? l->at[l->first] : no_flit; }
flit slow_line_back(const line *l) { return l->count ? l->at[l->first + l->count - 1] : no_flit; }

flit slow_line_take(line *l) {
  flit f = slow_line_front(l);
  if (l->count) {
    l->first++;
    l->count--;
  }
  return f;
}

void slow_line_bring_forward(line *l, uint32_t packet) {
  flit *own = ripstop_realloc(NULL, l->count + 1, sizeof *own), *at = l->at + l->first;
  size_t count = 0;
  for (int others = 0; others < 2; others++)
    for (size_t i = 0; i < l->count; i++)
      if ((at[i].packet != packet) == others) own[count++] = at[i];
  memcpy(at, own, count * sizeof *own);
  ripstop_free(own);
}

void slow_line_follow(model *m, line *l, flit f) {
  slow_line_add(l, f);
  flit *at = l->at + l->first;
  size_t to = l->count - 1;
  while (to > 0 && at[to - 1].packet != f.packet) to--;
  if (to > 0) slow_check_sequence(m, at[to - 1], f);
  memmove(at + to + 1, at + to, (l->count - 1 - to) * sizeof *at);
  at[to] = f;
}

bool slow_has_lines(const model *m, uint32_t v) {
  return strncmp(m->sw->queues, "voq", 3) == 0 && !ripstop_is_end(m->fabric, v);
}

row slow_row_new(ripstop_arena *arena, uint32_t places) {
  row r = {.place = RIPSTOP_ARRAY(arena, places, flit), .places = places, .last = no_flit};
  for (uint32_t i = 0; i < places; i++) r.place[i] = no_flit;
  return r;
}

void slow_row_put(model *m, row *r, flit f) {
  flit *place = &r->place[m->now % r->places];
  slow_must(m, place->packet == RIPSTOP_NONE, "two flits on one place of a link or pipeline");
  slow_check_sequence(m, r->last, f);
  *place = r->last = f;
}

/* The flit that comes out now; the place is free for the one that is put in now. */
flit slow_row_take(model *m, row *r) {
  flit f = r->place[m->now % r->places];
  r->place[m->now % r->places] = no_flit;
  return f;
}

output *slow_output_of(const model *m, uint32_t port) {
  uint32_t v = m->fabric->port_node[port];
  return &m->node[v].output[port - m->fabric->port_base[v]];
}

/* A credit or word travels for `credit` cycles, and words of shared memories also over the link. Its ring has two
 * places more, as it may be sent for the next cycle. */
uint64_t slow_ring_places(const model *m) {
  uint64_t link = slow_is_shared(m) ? slow_longest_delay(m->fabric, (uint64_t)m->sw->link) : 0;
  return (uint64_t)m->sw->credit + link + 2;
}

uint64_t slow_ring_place(const model *m, uint32_t channel, uint64_t cycle) {
  uint64_t places = slow_ring_places(m);
  return channel * places + cycle % places;
}

/* ------------------------------------------------------------------ links that are slow */

uint64_t slow_longest_delay(const ripstop_fabric *fabric, uint64_t delay) {
  uint64_t longest = delay;
  for (uint32_t link = 0; fabric->delay && link < fabric->links; link++)
    if (fabric->delay[link] > longest) longest = fabric->delay[link];
  return longest;
}

uint64_t slow_cycles_for(uint16_t rate, uint64_t flits) {
  uint64_t cycles = flits;
  while (cycles * rate < flits * RIPSTOP_RATE_FULL) cycles++;
  return cycles;
}

task slow_task_of(const model *m, uint32_t v, uint32_t port) {
  uint32_t link = m->fabric->port_link[m->fabric->port_base[v] + port];
  return (task){.since = m->now, .rate = ripstop_view_rate(m->view, link)};
}

bool slow_is_done(const model *m, task t, flit f) {
  return m->now + 1 == t.since + slow_cycles_for(t.rate, (uint64_t)f.number + 1);
}
