/* valleys.h - shared by the files of the method valleys: its options, the tree in numbers, the allowed turns, and the
 * functions of each file. docs/methods/valleys.md explains them. */
#ifndef METHODS_VALLEYS_H
#define METHODS_VALLEYS_H

#include "fabric/tree.h"
#include "methods/shared/messages.h"
#include "methods/shared/ports.h"

typedef struct config {
  message_times message; /* first (messages.h) */
  int64_t guests, hold_cycles, stale_cycles;
  int32_t frame;
} config;

enum { AGREED_TURNS, FIXED_TURNS }; /* `config.frame` */

enum { STALE = CUT_OFF + 1 }; /* a cause of loss, in addition to those of ports.h */

/* ------------------------------------------------------------------ the tree in numbers
 *
 * Switch number = node - ends; leaves come first. A channel is a port of a switch that leads to a switch, named by the
 * sending side; its number is the port's, counted from the first switch's first port on. */

typedef struct chart {
  const ripstop_fabric *fabric;
  ripstop_tree tree;
  uint32_t switches, leaves, channels;
  uint32_t words;   /* words of a set of leaves */
  bool keeps_fixed; /* switches keep to the fixed turns, whatever pairs these serve, and need no agreement */
} chart;

static inline uint32_t channel_from(const chart *c, uint32_t switch_, uint32_t port) {
  return c->fabric->port_base[c->fabric->ends + switch_] - c->fabric->port_base[c->fabric->ends] + port;
}
static inline uint32_t port_of(const chart *c, uint32_t channel) {
  return channel + c->fabric->port_base[c->fabric->ends];
}
/* The channel of the same link that leads back. */
static inline uint32_t channel_back(const chart *c, uint32_t channel) {
  return c->fabric->peer[port_of(c, channel)] - c->fabric->port_base[c->fabric->ends];
}
/* The switch that a channel leaves, and its port there; the switch that it leads to, and its port there. */
static inline uint32_t tail_of(const chart *c, uint32_t channel) {
  return c->fabric->port_node[port_of(c, channel)] - c->fabric->ends;
}
static inline uint32_t tail_port(const chart *c, uint32_t channel) {
  return channel - channel_from(c, tail_of(c, channel), 0);
}
static inline uint32_t head_of(const chart *c, uint32_t channel) { return tail_of(c, channel_back(c, channel)); }
static inline uint32_t head_port(const chart *c, uint32_t channel) { return tail_port(c, channel_back(c, channel)); }
static inline uint32_t ports_of(const chart *c, uint32_t switch_) {
  return ripstop_node_ports(c->fabric, c->fabric->ends + switch_);
}
/* Ports that lead to switches. */
uint64_t ripstop_valleys_wired(const chart *c, uint32_t switch_);

/* ------------------------------------------------------------------ allowed turns (frame.c)
 *
 * The turns from a channel into one that leaves the switch at its end: a function of the links of a component that are
 * up, so that all switches that know these links compute the same. No cycle of channels has all its turns allowed, and
 * from each leaf a route of allowed turns leads to each other leaf of the component. */

enum { BATCH = 16 };  /* leaves whose distances are computed together */
#define FAR INT16_MAX /* no distance */

/* The turns in use: the fixed ones; level turns and more; those of a spanning tree and more. */
typedef enum { FIXED, LEVELS_AND_MORE, TREE_AND_MORE } frame_kind;

typedef struct frame {
  const chart *chart;
  uint64_t *live;    /* [switches]: ports whose links are up. The caller fills it */
  uint64_t *turn;    /* [channels]: ports by which packets that come by a channel may leave the switch at its end */
  uint64_t *refused; /* [channels]: turns that would have closed a cycle */
  uint64_t *reach;   /* [channels * words]: leaves that allowed turns lead to */
  int16_t *left;     /* [channels * BATCH]: links to a leaf, including this one; FAR: no route */
  uint32_t *order;   /* [channels]: those of the component, each after all that it may turn into */
  uint32_t *channel; /* [channels]: those of the component */
  uint32_t *queue, *before, *pending, *mark; /* [channels]: scratch */
  uint32_t *member;                          /* [switches]: those of the component, breadth first from its root */
  uint8_t *parent;                           /* [switches]: port towards the root; NO_PORT: the root, or outside of the
                                              * component */
  uint8_t *joined;                           /* [switches]: belongs to the component */
  uint32_t members, channels, ordered, marks;
  frame_kind kind;
} frame;

uint64_t ripstop_valleys_frame_bytes(const chart *c);
/* In `memory` of so many bytes, aligned for any type. */
frame ripstop_valleys_open_frame(const chart *c, void *memory);
/* Finds the component of a switch, with a spanning tree from its root, the member with the highest number. */
void ripstop_valleys_span(frame *f, uint32_t of);
/* Computes `turn`, `order` and `kind` for the component found last. */
void ripstop_valleys_build(frame *f);
/* Fills `left` for the leaves first .. first + BATCH - 1; number `leaves` means any leaf. */
void ripstop_valleys_measure(frame *f, uint32_t first);
/* Copies the last distances for the ports of one switch of the component to its rows: one for each leaf and one for any
 * leaf, with a port's value at row * ports + port. */
void ripstop_valleys_copy_rows(const frame *f, uint32_t first, uint32_t switch_, int16_t *left);

/* ------------------------------------------------------------------ the plan, and settled tables (settle.c) */

typedef struct tables {
  chart chart;
  uint64_t *turn;      /* [channels]: allowed turns in the plan's view */
  uint64_t *live;      /* [switches] */
  int16_t *left;       /* the rows of all switches, one after the other */
  uint32_t *component; /* [switches] */
  frame_kind kind;     /* the greatest kind of any component */
} tables;

static inline const chart *chart_of(const ripstop_plan *p) { return &((const tables *)p->data)->chart; }
static inline int16_t *rows_of(const tables *t, uint32_t switch_) {
  return t->left + (size_t)channel_from(&t->chart, switch_, 0) * (t->chart.leaves + 1);
}

/* Ports to switches that are up in the view. */
uint64_t ripstop_valleys_live(const ripstop_plan *p, uint32_t switch_);
/* Fills the arrays of `t`, from the arena, for the plan's view. */
void ripstop_valleys_settle(const ripstop_plan *p, tables *t, ripstop_arena *arena);

/* ------------------------------------------------------------------ candidates (candidates.c) */

typedef struct trace {
  const chart *chart;
  uint64_t permitted;             /* ports by which the packet may go on now */
  uint64_t agreed;                /* ports by which it may go on as soon as all have agreed */
  const int16_t *left;            /* rows */
  const struct port_memory *port; /* [ports]: numbers of the LINKS that went before packets; NULL: none */
  bool outdated;                  /* the sending switch has reported more than has arrived */
  bool connected;                 /* the destination's switch is in this component */
  bool calm, settled;             /* no update for hold_cycles; for stale_cycles */
} trace;
/* Candidates between switches: their number, 0 to wait, or a loss. */
int ripstop_valleys_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates);

/* ------------------------------------------------------------------ the protocol (protocol.c) */

typedef enum { REQUEST, LINKS, READY, GO } message_kind;

typedef struct message {
  uint64_t stamp;   /* LINKS: greater for a switch's later report; READY, GO: the version */
  uint64_t ports;   /* LINKS: ports whose links are up */
  uint64_t sent;    /* LINKS: its number on this link; READY, GO: the number of the last LINKS before */
  uint64_t first;   /* LINKS: those of this incarnation of the link have numbers after this one */
  uint32_t switch_; /* LINKS: the switch that it is about */
  uint32_t kind;
} message;

/* A switch's report about its links. */
typedef struct report {
  uint64_t stamp; /* 0: none */
  uint64_t ports;
} report;

/* A version is the sum of all stamps: if one switch knows everything that another knows, equal sums mean equal
 * knowledge. */
typedef struct vote {
  uint64_t version, sent;
} vote;

typedef struct port_memory {
  vote ready, go;       /* the greatest that arrived */
  uint64_t first, sent; /* LINKS are numbered after `first`, which no earlier incarnation of the link used; the last
                         * number */
  /* LINKS received in the other end's latest known incarnation: its `first`, the greatest number, and `from` plus their
   * count. The last two are equal unless some LINKS were overtaken and are still to come. */
  uint64_t from, last, received;
} port_memory;

/* All LINKS of the other end up to number `sent` have arrived. */
static inline bool has_received(const port_memory *at, uint64_t sent) {
  return at->received == at->last && at->received >= sent;
}

/* A switch's state, followed by its arrays. */
typedef struct memory {
  uint64_t version; /* increases with its knowledge */
  uint64_t live;    /* ports to switches whose links are up according to both ends */
  uint64_t met; /* ports whose neighbours have been sent everything since their links are up, and all updates since */
  uint64_t children;   /* ports to the switches whose parent this switch is */
  uint64_t changed_at; /* cycle of the last change of its knowledge */
  uint32_t node;
  uint8_t parent, kind;
  bool reported_ready, agreed; /* in this version: all below are ready; all have agreed */
  bool watching, calm, settled;
} memory;

typedef struct arrays {
  memory *m;
  report *report;      /* [switches] */
  port_memory *port;   /* [ports] */
  uint64_t *turn;      /* [ports]: allowed turns, by input port */
  uint64_t *permitted; /* [ports]: turns that this switch permits at present */
  int16_t *left;       /* rows */
  uint8_t *connected;  /* [leaves] */
} arrays;

arrays ripstop_valleys_open_memory(const ripstop_plan *p, uint32_t node, const void *state);
uint64_t ripstop_valleys_state_bytes(const chart *c, uint32_t switch_);

/* The functions of ripstop_proto. */
size_t ripstop_valleys_state_size(const ripstop_plan *p, uint32_t node);
void ripstop_valleys_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions);
int ripstop_valleys_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                        ripstop_candidate *candidates);
extern const char *const ripstop_valleys_kinds[];
uint32_t ripstop_valleys_kind(const ripstop_plan *p, const void *message);

/* print.c, check.c */
void ripstop_valleys_print(const ripstop_plan *p, const void *message, ripstop_text *out);
void ripstop_valleys_json(const ripstop_plan *p, const void *state, ripstop_text *out);
int ripstop_valleys_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err);

#endif
