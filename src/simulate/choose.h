/* choose.h - which of its ways a head requests: docs/model.md, "Rounds". In a header, as it is asked at every hop. */
#ifndef SIMULATE_CHOOSE_H
#define SIMULATE_CHOOSE_H

#include "ripstop/plugin/choice.h"
#include "simulate/state.h"

/* Which of n equal ways: docs/model.md, tie rule. */
static inline uint32_t break_tie(const shape *s, const packet *p, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_CHOICE, serial_of(s, p), p->hops, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* One of several open ways. */
static __attribute__((noinline)) int ask_choice(const part *t, const queue *q, const sim_node *n, const uint8_t *open,
                                                const int32_t *space, uint32_t count) {
  const shape *s = &t->shape;
  const packet *p = head_of(t, q);
  ripstop_choosing choosing = {.way = ways_of(s, q),
                               .open = open,
                               .space = space,
                               .count = count,
                               .capacity = is_interface(s, q->node) ? s->capacity : s->room_capacity,
                               .ports = n->ports,
                               .last_port = q->last_port == NO_PORT ? RIPSTOP_NONE : q->last_port,
                               .seed = s->seed,
                               .serial = serial_of(s, p),
                               .hop = p->hops};
  return open[s->choice->choose(s->choice_config, &choosing)];
}

/* The way that a head requests, or -1: none is open. */
static inline __attribute__((always_inline)) int choose_way(part *t, const queue *q, const sim_node *n) {
  const shape *s = &t->shape;
  const ripstop_way *way = ways_of(s, q);
  const uint32_t channels = s->channels, now = t->now, ways = q->ways;
  const int32_t *room = &(is_interface(s, q->node) ? s->space : s->room)[n->port * channels];
  const output *out = &s->output[n->port];
  const bool roomiest = s->roomiest;
  uint64_t shut = *shut_lanes(s, n), known = n->ports * channels <= 64 ? UINT64_MAX : 0;
  uint32_t count = 0;
  uint8_t open[256], rank = UINT8_MAX;
  int32_t space_of[256], most = 0;
  for (uint32_t i = 0; i < ways; i++) {
    uint32_t lane = way[i].port * channels + way[i].channel;
    if (shut & bit(lane)) continue;
    if (way[i].rank > rank) continue;
    int32_t space = room[lane];
    if (out[way[i].port].busy > now || space <= 0) {
      shut |= bit(lane) & known;
      continue;
    }
    if (space < units_needed(s, q->flits, way[i].space)) continue;
    if (t->hook.shut && t->hook.shut(t, q, &way[i])) continue;
    if (way[i].rank < rank || (roomiest && space > most)) {
      rank = way[i].rank;
      most = space;
      count = 0;
    } else if (roomiest && space < most) {
      continue;
    }
    open[count] = (uint8_t)i;
    space_of[count++] = space;
  }
  *shut_lanes(s, n) = shut;
  if (count < 2) return count ? open[0] : -1;
  return ask_choice(t, q, n, open, space_of, count);
}

#endif
