/* vcs.h - several virtual channels for each of the method's (switch.vcs): docs/model.md, "Several channels for each".
 *
 * Methods, tables and the prover see the plan's channels. The event loop has `vcs` for each, and a bundle of a head has
 * all output VCs that its candidates stand for: `vcs` consecutive ones for each, or with vc=hash one. A head requests
 * one of them. So what opens, shuts and wakes works on output VCs as ever; only the choice among several open ones
 * (vcs.c) has to know which of them belong to one candidate. With vcs=1 nothing of this file is used.
 *
 * The output VCs of a candidate may lie in two words of a set. Then they are in two consecutive bundles. */
#ifndef SIMULATE_VCS_H
#define SIMULATE_VCS_H

#include "simulate/state.h"

/* Consecutive output VCs, numbered in their node. */
typedef struct vc_run {
  uint32_t first, count;
} vc_run;

/* With vc=hash, the channel that all packets of this pair take: 0 .. vcs - 1. */
static inline uint32_t hashed_vc(const shape *s, const packet *p) {
  const uint64_t hash = ripstop_mix(ripstop_ecmp_flow(s->seed, p->source, p->destination, 0));
  return (uint32_t)((hash >> 32) * s->vcs >> 32);
}

/* For this packet, the output VCs for which a candidate through a local port and a channel of the plan stands. */
static inline vc_run vcs_of_candidate(const shape *s, const packet *p, uint32_t local, uint32_t plan_channel) {
  const uint32_t first = local * s->channels + plan_channel * s->vcs;
  if (s->vc == RIPSTOP_VC_HASH) return (vc_run){first + hashed_vc(s, p), 1};
  return (vc_run){first, s->vcs};
}

/* The candidate to which an output VC of a node belongs: port x plan channels + channel of the plan. */
static inline uint32_t candidate_of_vc(const shape *s, uint32_t vc) { return vc / s->vcs; }

/* Picks one of `set`, the output VCs that a packet of this queue may take with one candidate: by switch.vc. Bit i is
 * the candidate's i-th output VC, with `room[i]` free units. */
uint32_t choose_vc_of(const part *t, const queue *q, const packet *p, uint32_t set, const int32_t *room);

/* The candidates of a head with their output VCs, one after the other. Start with the head's first bundle in `next`. */
typedef struct vc_walk {
  const bundle *next; /* NULL: there are no more */
  uint64_t left;      /* output VCs of `next` that are not taken yet, if it has begun */
  bool begun;
  const bundle *bundle; /* the present candidate's */
  uint32_t first, set;  /* its output VCs: bits from `first` on */
} vc_walk;
/* Moves to the next candidate: to its open output VCs, of which it has at least one, or to all. False: none is left. */
bool next_candidate(const part *t, const queue *q, const sim_node *n, bool open, vc_walk *walk);
/* The most free units behind an output VC of the walk's candidate. */
int32_t most_room(const vc_walk *walk, const int32_t *room);

#endif
