/* states.h - the states of the packets to one destination: how they are numbered and found again. */
#ifndef PROVE_STATES_H
#define PROVE_STATES_H

#include "base/memory.h"
#include "prove/prover.h"

/* Numbers of states continue from one destination to the next: one below `before` belongs to an earlier destination,
 * and means that the state does not exist. So nothing has to be cleared until they overflow. */
static inline bool states_known(const ripstop_prover *p, uint32_t number) { return number - p->before < p->states; }

/* The place of the number of a state at an output VC: by index while its header is small, by hash beyond. */
uint32_t *states_find_number(ripstop_prover *p, uint32_t lane, uint64_t header) __attribute__((noinline));

/* Numbers have 32 bits. */
static inline uint32_t states_more_room(uint32_t room, uint32_t more) {
  uint64_t wanted = 2 * (uint64_t)room + more + 4096;
  if (wanted > UINT32_MAX) ripstop_out_of_memory();
  return (uint32_t)wanted;
}

/* Makes room for more edges, each to a new state, and for a state after the last, whose `first` is read. */
static inline void states_reserve(ripstop_prover *p, uint32_t edges) {
  if (p->states + edges >= p->state_room) {
    p->state_room = states_more_room(p->state_room, edges);
    p->state = ripstop_arena_realloc(p->keep, p->state, p->state_room, sizeof *p->state);
  }
  if (p->edges + edges > p->edge_room) {
    p->edge_room = states_more_room(p->edge_room, edges);
    p->edge = ripstop_arena_realloc(p->keep, p->edge, p->edge_room, sizeof *p->edge);
  }
}

/* There must be room for it. */
static inline uint32_t states_add(ripstop_prover *p, uint32_t place, uint64_t header, uint32_t parent) {
  p->state[p->states] = (state){.header = header, .place = place, .parent = parent, .outlook = {.shortest = FAR}};
  return p->states++;
}

/* The same for a state that may exist already. */
static inline uint32_t states_find_or_add(ripstop_prover *p, uint32_t lane, uint64_t header, uint32_t parent) {
  uint32_t *number = header < p->headers ? &p->number[header * p->lanes + lane] : states_find_number(p, lane, header);
  uint32_t known = *number - p->before;
  if (known < p->states) return known;
  *number = p->before + p->states;
  return states_add(p, lane, header, parent);
}

/* Adds packets from all sources of p->source, once for each random header; p->sources: the number of sources. */
void states_add_sources(ripstop_prover *p, uint32_t destination);
/* Keeps candidates of lowest rank, and returns how many: a packet that settles early settles on one of them. */
int states_keep_lowest_rank(ripstop_candidate *candidate, int candidates);

#endif
