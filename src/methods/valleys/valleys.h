/* valleys.h - what the files of the method valleys share: its options, the tree in numbers, the frame of turns, and the
 * functions of each file. docs/methods/valleys.md explains them. */
#ifndef METHODS_VALLEYS_H
#define METHODS_VALLEYS_H

#include "fabric/tree.h"
#include "methods/shared/ports.h"

typedef struct config {
  int64_t delay, message_flits, guests, hold_cycles, stale_cycles;
  int32_t frame;
} config;

enum { AGREED_FRAMES, FIXED_FRAME }; /* config.frame */

enum { STALE = CUT_OFF + 1 }; /* a loss, beside those of ports.h */

/* ------------------------------------------------------------------ the tree in numbers
 * Switch number = node - ends; leaves are the first ones. A channel is a port of a switch that leads to a switch, by
 * the sending side; its number is the port's, counted from the first switch's first port on. */

typedef struct chart {
  const ripstop_fabric *fabric;
  ripstop_tree tree;
  uint32_t switches, leaves, channels;
  uint32_t words;   /* of 64 bits that a set of leaves takes */
  bool keeps_fixed; /* switches keep to the fixed frame, whomever it serves: there is nothing to agree on */
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

/* ------------------------------------------------------------------ the frame (frame.c)
 * Which turns are permitted, from a channel into one that leaves the switch at its end: a function of the live links of
 * a component alone, so that all who know these links have the same. No cycle of channels has all its turns permitted,
 * and from each leaf some way of permitted turns leads to each other one of the component. */

enum { BATCH = 16 };  /* leaves to which is measured at a time */
#define FAR INT16_MAX /* no distance */

/* How much it took: the fixed frame; level turns and more; those of a spanning tree and more. */
typedef enum { FIXED, LEVELS_AND_MORE, TREE_AND_MORE } frame_kind;

typedef struct frame {
  const chart *chart;
  uint64_t *live;    /* [switches]: ports whose links are up. The caller's to fill */
  uint64_t *turn;    /* [channels]: ports by which packets that come by a channel may leave the switch at its end */
  uint64_t *refused; /* [channels]: turns that would have closed a cycle */
  uint64_t *reach;   /* [channels * words]: leaves that permitted turns lead to */
  int16_t *left;     /* [channels * BATCH]: links to a leaf, this one included; FAR: no way */
  uint32_t *order;   /* [channels]: those of the component, each after all that it may turn into */
  uint32_t *channel; /* [channels]: those of the component */
  uint32_t *queue, *before, *pending, *mark; /* [channels]: scratch */
  uint32_t *member;                          /* [switches]: of the component, breadth first from its root */
  uint8_t *parent;                           /* [switches]: port towards the root; NO_PORT: the root, or elsewhere */
  uint8_t *joined;                           /* [switches]: is of the component */
  uint32_t members, channels, ordered, marks;
  frame_kind kind;
} frame;

uint64_t ripstop_valleys_frame_bytes(const chart *c);
/* In `memory` of so many bytes, aligned for any type. */
frame ripstop_valleys_open_frame(const chart *c, void *memory);
/* The component of a switch, with a spanning tree from its root, the member of the highest number. */
void ripstop_valleys_span(frame *f, uint32_t of);
/* The frame of the component that was spanned last: `turn`, `order`, `kind`. */
void ripstop_valleys_build(frame *f);
/* Fills `left` for the leaves first .. first + BATCH - 1; number `leaves` is any leaf at all. */
void ripstop_valleys_measure(frame *f, uint32_t first);
/* Copies what was measured last, for the ports of one switch of the component, to its rows: one for each leaf and one
 * for any, that of a port at row * ports + port. */
void ripstop_valleys_copy_rows(const frame *f, uint32_t first, uint32_t switch_, int16_t *left);

/* ------------------------------------------------------------------ the plan, and settled tables (settle.c) */

typedef struct tables {
  chart chart;
  uint64_t *turn;      /* [channels]: as in a frame, for the plan's view */
  uint64_t *live;      /* [switches] */
  int16_t *left;       /* of all switches after each other, as rows */
  uint32_t *component; /* [switches] */
  frame_kind kind;     /* of the component that took most */
} tables;

static inline const chart *chart_of(const ripstop_plan *p) { return &((const tables *)p->data)->chart; }
static inline int16_t *rows_of(const tables *t, uint32_t switch_) {
  return t->left + (size_t)channel_from(&t->chart, switch_, 0) * (t->chart.leaves + 1);
}

/* Live ports to switches as the view has them. */
uint64_t ripstop_valleys_live(const ripstop_plan *p, uint32_t switch_);
/* Fills the arrays of `t`, taken from the arena, for the plan's view. */
void ripstop_valleys_settle(const ripstop_plan *p, tables *t, ripstop_arena *arena);

/* ------------------------------------------------------------------ candidates (candidates.c) */

typedef struct trace {
  const chart *chart;
  uint64_t permitted;             /* ports by which the packet may go on now */
  uint64_t agreed;                /* and those by which it may as soon as all have agreed */
  const int16_t *left;            /* rows */
  const struct port_memory *port; /* [ports]: what packets say of the words that went before them; NULL: nothing */
  bool outdated;                  /* the switch that sent the packet here has told more than has come */
  bool connected;                 /* the destination's switch is in this component */
  bool calm, settled;             /* nothing has been heard for hold_cycles; for stale_cycles */
} trace;
/* Between switches: how many ways, 0 to wait, or a loss. */
int ripstop_valleys_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates);

/* ------------------------------------------------------------------ the protocol (protocol.c) */

typedef enum { ASK, LINKS, READY, GO } message_kind;

typedef struct message {
  uint64_t stamp;   /* LINKS: of the switch's later word the greater; READY, GO: of the version */
  uint64_t ports;   /* LINKS: those whose links are up */
  uint64_t sent;    /* LINKS: its number on this link; READY, GO: that of the last one before */
  uint64_t first;   /* LINKS: in this life of the link those after that number have gone */
  uint32_t switch_; /* LINKS: whose */
  uint32_t kind;
} message;

/* What a switch has said of its links. */
typedef struct word {
  uint64_t stamp; /* 0: nothing is known */
  uint64_t ports;
} word;

/* A version is told by the sum of all stamps: of two where one knows all that the other knows, the same sum is the same
 * knowledge. */
typedef struct vote {
  uint64_t version, sent;
} vote;

typedef struct port_memory {
  vote ready, go;       /* the greatest that came */
  uint64_t first, sent; /* LINKS go with numbers after `first`, which no life of the link before had; the last one's */
  /* Those that came, of the other end's latest life that is known: its `first`, the greatest number, and `from` and how
   * many: the same, unless some have been overtaken and are still to come. */
  uint64_t from, last, heard;
} port_memory;

/* All LINKS have come that went before number `sent` of the other end, and that one. */
static inline bool has_heard(const port_memory *at, uint64_t sent) {
  return at->heard == at->last && at->heard >= sent;
}

/* A switch's state, followed by its arrays. */
typedef struct memory {
  uint64_t version; /* of its knowledge */
  uint64_t live;    /* ports to switches whose links are up, by both ends */
  uint64_t met; /* ports whose neighbours have been told everything since their links are up, and all that came after */
  uint64_t children;   /* ports to those for whom this switch is the parent */
  uint64_t changed_at; /* cycle in which its knowledge changed last */
  uint32_t node;
  uint8_t parent, kind;
  bool said_ready, agreed; /* of this version: all below are ready; all are */
  bool watching, calm, settled;
} memory;

typedef struct arrays {
  memory *m;
  word *word;          /* [switches] */
  port_memory *port;   /* [ports] */
  uint64_t *turn;      /* [ports]: of the frame, by the port that a packet came by */
  uint64_t *permitted; /* [ports]: and those that this switch permits */
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
uint64_t ripstop_valleys_delay(const ripstop_plan *p, const void *message);
uint32_t ripstop_valleys_flits(const ripstop_plan *p, const void *message);
extern const char *const ripstop_valleys_kinds[];
uint32_t ripstop_valleys_kind(const ripstop_plan *p, const void *message);

/* print.c, check.c */
void ripstop_valleys_print(const ripstop_plan *p, const void *message, ripstop_text *out);
void ripstop_valleys_json(const ripstop_plan *p, const void *state, ripstop_text *out);
int ripstop_valleys_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err);

#endif
