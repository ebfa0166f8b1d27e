/* plan.h - a method compiled for a view: read-only and hot. */
#ifndef RIPSTOP_PLAN_H
#define RIPSTOP_PLAN_H

#include "ripstop/method.h"

struct rs_plan {
  const rs_method *method;
  const void *config;      /* the method's options */
  const rs_view *view;     /* must outlive the plan */
  const rs_fabric *fabric; /* view->fabric */
  uint32_t channels;       /* virtual channels on every link, 1 .. RS_CHANNELS_MAX */
  uint32_t ways_max;       /* most ways that route ever returns here */
  uint32_t guests;         /* packets for others that a network interface takes in, to send them out again as if they
                              were its own: a way to an end node that is not the destination is open while there is room
                              for one more (docs/model.md, "Guests"). The same for every view; at first 0: no such
                              ways. The prover knows none */
  uint32_t classes;        /* traffic classes that routes depend on, numbered from 0, at most RS_CLASSES_MAX; packets
                              of each are walked by the prover. 1: `route` looks at no class, and there may be any */
  bool choose_early;       /* a packet binds itself to one way when it becomes the head of its queue */
  const void *data;        /* the method's own */
  rs_arena *arena;         /* what `plan` allocates; emptied before each recompilation */
  rs_arena *keep;          /* config; lives as long as the plan */
};

/* "misroute:uturn=cyclic". NULL with an error; *answer (may be NULL) tells "does not apply here" from an error. */
rs_plan *rs_plan_open(const rs_view *view, const char *method_spec, rs_answer *answer, rs_error *err);
/* Compiles anew after the view has changed. */
rs_answer rs_plan_update(rs_plan *plan, rs_error *err);
void rs_plan_free(rs_plan *plan);
const rs_method *rs_method_find(const char *name, size_t length, rs_error *err);
/* "name:a=1,b=2" with every option, defaults included. */
int rs_method_canonical(rs_arena *arena, const char *method_spec, const char **canonical, rs_error *err);

static inline int rs_route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  return plan->method->route(plan, head, ways);
}

/* A packet that stands in a queue: what proofs and the engine say of a deadlock. */
typedef struct rs_standing {
  uint32_t port; /* the output port that sends into the queue */
  uint8_t channel;
  uint8_t class_;
  uint32_t source, destination; /* end nodes */
  uint64_t header;              /* in the queue, before the next hop */
} rs_standing;

/* ------------------------------------------------------------------ delivery of one pair, every adaptive choice
 * A walk over the states (switch, in port, channel, header) that a packet of class 0 can reach, for tests and for
 * run-time reports; the prover (prove.h) decides whole fabrics. */

typedef struct rs_delivery {
  bool every_choice; /* all choices end at the destination */
  bool some_choice;  /* one does */
  bool livelock;     /* some sequence of choices goes round a cycle of states */
  uint32_t states;   /* visited */
  uint32_t max_hops; /* links on the longest way, end links included; RS_NONE with livelock */
} rs_delivery;

/* -1 when the plan breaks a rule of method.h (a way through a dead port, a channel that is not there, ...), which is a
 * bug of the method, or when more than `limit` states are reachable. */
int rs_plan_deliver(const rs_plan *plan, uint32_t source, uint32_t destination, uint32_t limit, rs_delivery *out,
                    rs_error *err);

#endif
