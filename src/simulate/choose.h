/* choose.h - which of its ways a head requests: docs/model.md, "Rounds". In a header, as it is asked at every hop. */
#ifndef SIMULATE_CHOOSE_H
#define SIMULATE_CHOOSE_H

#include "simulate/state.h"

/* Which of n equal ways: docs/model.md, tie rule. */
static inline uint32_t break_tie(const shape *s, const packet *p, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_CHOICE, serial_of(s, p), p->hops, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* Of tied ways, the one whose port comes first after the port of the last grant. */
static inline int rotate(const queue *q, const ripstop_way *way, const uint8_t *tied, uint32_t ties, uint32_t ports) {
  uint32_t after = q->last_port == NO_PORT ? 0 : q->last_port + 1u, nearest = UINT32_MAX;
  int best = -1;
  for (uint32_t i = 0; i < ties; i++) {
    uint32_t distance = (way[tied[i]].port + ports - after) % ports;
    if (distance >= nearest) continue;
    nearest = distance;
    best = tied[i];
  }
  return best;
}

/* The way that a head requests, or -1: none is open. */
static inline int choose_way(part *t, const queue *q, const sim_node *n) {
  const shape *s = &t->shape;
  const ripstop_way *way = ways_of(s, q);
  const uint32_t channels = s->channels, now = t->now, ways = q->ways;
  const int32_t *room = &(is_interface(s, q->node) ? s->space : s->room)[n->port * channels];
  const output *out = &s->output[n->port];
  const ripstop_choice choice = s->choice;
  uint64_t shut = *shut_lanes(s, n), known = n->ports * channels <= 64 ? UINT64_MAX : 0;
  int best = -1;
  int32_t best_space = 0;
  uint32_t ties = 0;
  uint8_t tied[256];
  for (uint32_t i = 0; i < ways; i++) {
    uint32_t lane = way[i].port * channels + way[i].channel;
    if (shut & bit(lane)) continue;
    if (best >= 0 && way[i].rank > way[best].rank) continue;
    int32_t space = room[lane];
    if (out[way[i].port].busy > now || space <= 0) {
      shut |= bit(lane) & known;
      continue;
    }
    if (space < units_needed(s, q->flits, way[i].space)) continue;
    if (t->hook.shut && t->hook.shut(t, q, &way[i])) continue;
    bool better = best < 0 || way[i].rank < way[best].rank || (choice == RIPSTOP_CHOICE_SPACE && space > best_space);
    if (better) {
      best = (int)i;
      best_space = space;
      ties = 0;
    } else if (choice == RIPSTOP_CHOICE_FIRST || (choice == RIPSTOP_CHOICE_SPACE && space < best_space)) {
      continue;
    }
    tied[ties++] = (uint8_t)i;
  }
  *shut_lanes(s, n) = shut;
  if (ties < 2) return best;
  return choice == RIPSTOP_CHOICE_ROTATE ? rotate(q, way, tied, ties, n->ports)
                                         : tied[break_tie(s, head_of(t, q), ties)];
}

#endif
