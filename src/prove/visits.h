/* visits.h - all states of some packets, by plain enumeration: for checking certificates, not for proofs. */
#ifndef PROVE_VISITS_H
#define PROVE_VISITS_H

#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"

typedef struct visit {
  ripstop_head head;
  uint32_t lane;   /* its queue; RIPSTOP_NONE: in its NIC */
  uint32_t parent; /* the visit that led here */
  uint32_t before; /* the visit of the same output VC that was found before this one; RIPSTOP_NONE: the first */
} visit;

typedef struct checker {
  const ripstop_certificate *certificate;
  const ripstop_fabric *fabric;
  const ripstop_plan *plan;
  uint32_t channels, lanes;
  visit *visit;
  uint32_t visits, room;
  uint32_t *last;               /* [lanes]: the visit found last */
  ripstop_candidate *candidate; /* candidates of the present head */
  uint32_t *place;              /* [lanes]: in the certificate; RIPSTOP_NONE: not there */
  ripstop_text *verdict;
  ripstop_error *err;
} checker;

static inline uint32_t lane_of(const checker *c, const ripstop_deadlocked_packet *queue) {
  return queue->port * c->channels + queue->channel;
}
static inline uint32_t lane_of_candidate(const checker *c, const ripstop_head *head,
                                         const ripstop_candidate *candidate) {
  return (c->fabric->port_base[head->node] + candidate->port) * c->channels + candidate->channel;
}
static inline uint32_t receiver(const checker *c, uint32_t lane) {
  return c->fabric->port_node[c->fabric->peer[lane / c->channels]];
}
static inline uint32_t sender(const checker *c, uint32_t lane) { return c->fabric->port_node[lane / c->channels]; }
static inline bool leads_to_end(const checker *c, uint32_t lane) {
  return ripstop_is_end(c->fabric, receiver(c, lane));
}

/* Forgets all packets. */
void visits_forget(checker *c);
/* Adds a packet in its NIC. */
void visits_add_source(checker *c, uint32_t source, uint32_t destination, uint32_t class_);
/* Finds all states that the packets added so far can reach. -1: the plan breaks a rule of method.h. */
int visits_complete(checker *c);
/* Writes the candidates of a head to c->way and their number to `*candidates`; 0: it is discarded. -1 as above. */
int visits_ask(checker *c, const ripstop_head *head, int *candidates);

#endif
