/* immunet.h - shared by the files of the method immunet: its options, settled tables, the routers' states, and the
 * functions of each file. */
#ifndef METHODS_IMMUNET_H
#define METHODS_IMMUNET_H

#include "fabric/torus.h"
#include "methods/shared/ports.h"

typedef enum { INJECT_ONE, INJECT_TWO, INJECT_ONE_ADAPTIVE, INJECT_TWO_ADAPTIVE } inject_rule;

/* Paths of control packets to the neighbours: on a virtual channel of their own, before packets over the link, or as
 * packets of the safe network. */
typedef enum { PATH_OWN, PATH_LINK, PATH_SAFE } control_path;

/* A row of the adaptive table in a new emergency, until the first distance for it arrives. */
typedef enum { TABLES_EMPTY, TABLES_STALE } table_start;

/* With the repairs of docs/methods/immunet.md, or without those that termination does not need. */
typedef enum { PROTOCOL_REPAIRED, PROTOCOL_PRINTED } protocol_text;

typedef enum { ORDER_ARRIVAL, ORDER_PORT, ORDER_NEWEST } control_order;

typedef struct config {
  int64_t adaptive, changes;
  int32_t inject, order, control_path, tables, protocol;
  bool control_first;
  int64_t emergency_cycles, ack_cycles, control_cycles, control_handling, control_flits, drain_cycles, forget_cycles,
      own_cycles, epl_bits;
} config;

enum { SAFE_CHANNEL = 0, CHANGES_BITS = 6, CHANGES_MAX = (1 << CHANGES_BITS) - 1 };

/* ------------------------------------------------------------------ the tour */

/* The port by which the tour leaves a router that it has entered by tree port `in`. */
static inline uint32_t tour_next(uint64_t tree, uint32_t in) {
  uint64_t lower = tree & (bit(in) - 1);
  return topmost(lower ? lower : tree);
}

/* ------------------------------------------------------------------ settled tables (settle.c) */

typedef struct tables {
  ripstop_torus torus;
  bool is_torus, healthy; /* `healthy`: a torus whose links between routers are all up */
  uint32_t routers;       /* router number = switch node - ends */
  uint64_t *tree;         /* [routers]: ports of tree links */
  uint64_t *nearer;       /* [routers * routers]: at a router, the ports that lead nearer to another; 0: no route */
  uint8_t *entry;         /* [routers * routers]: at a router, the tree port that enters the ring for another */
} tables;

/* A breadth-first search over the links that are up in the plan's view. */
typedef struct search {
  const ripstop_plan *plan;
  tables *t;
  uint32_t *distance, *queue; /* [routers] */
} search;

/* Distances of all routers to `to`. Returns how many have one; x->queue has them, near ones first. */
uint32_t ripstop_immunet_find_distances(search *x, uint32_t to);
/* After that: the ports of a router that are up and lead nearer to `to`. */
uint64_t ripstop_immunet_ports_nearer(const search *x, uint32_t router);
/* Fills the tables for the plan's view, from its arena. */
void ripstop_immunet_settle(ripstop_plan *p, tables *t);
/* The same except the tree and the safe tables, which are allocated only. */
void ripstop_immunet_settle_adaptive(ripstop_plan *p, tables *t);

/* ------------------------------------------------------------------ candidates (candidates.c)
 *
 * The candidates that follow from tables, settled or computed by the protocol. These functions write them and return
 * their number. */

/* A router's tables for one destination, after faults. */
typedef struct knowledge {
  uint64_t tree, nearer;
  uint32_t entry; /* RIPSTOP_NONE: there is no ring */
} knowledge;

static inline bool is_in_ring(const knowledge *k, const ripstop_head *head) {
  return head->channel == SAFE_CHANNEL && (k->tree & bit(head->in_port));
}

/* In a healthy torus. */
int ripstop_immunet_torus_candidates(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates);
/* After faults. The header's low bits count how often the packet has left the ring. */
int ripstop_immunet_tour_candidates(const ripstop_plan *p, const ripstop_head *head, const knowledge *k,
                                    ripstop_candidate *candidates);

/* ------------------------------------------------------------------ the protocol (protocol.c, packets.c) */

typedef enum { EMERG, ACK, SAFE, DISTANCE } message_kind;

typedef struct message {
  uint8_t kind;
  uint8_t own;       /* the sender made it: its own handling time is added */
  uint8_t zero[2];   /* this and zero_too: every byte of a message is set */
  uint32_t router;   /* SAFE, DISTANCE: the router that it is about */
  uint32_t distance; /* DISTANCE: from the sender to that router */
  uint32_t zero_too;
  uint64_t epl;
} message;

/* A router's state, followed by its arrays. EPL 0: there has been no emergency. The router is in an emergency while
 * `open` is not 0. */
typedef struct memory {
  uint64_t epl, t;
  uint64_t alive;                    /* ports to routers, which are up */
  uint64_t open;                     /* ports whose router has not answered yet */
  uint64_t children;                 /* ports */
  uint64_t safe_sent, distance_sent; /* control packets sent in this emergency */
  uint64_t wrapped;                  /* the last own EPL that had too many bits; 0: none */
  uint32_t node;
  uint8_t parent; /* a port; NO_PORT: the router is the root */
  bool draining;
  bool complete; /* packets to routers outside the tables are lost */
  bool busy;     /* the table module is handling a control packet */
  uint32_t waiting;
  uint8_t cause; /* cause of the last emergency that it called: the port that changed; NO_PORT: the router started */
  bool cause_up; /* the port returned */
} memory;

/* A control packet that waits for the table module. */
typedef struct control {
  uint32_t router, distance; /* as in the message */
  uint8_t kind, port, zero[2];
} control;

typedef struct arrays {
  memory *m;
  uint64_t *nearer;   /* [routers]: the adaptive table; rows of routers with unknown distance are of an old emergency */
  uint64_t *early;    /* [ports]: EPL of distances that arrived before their emergency; 0: none */
  uint32_t *distance; /* [routers]; number of routers: unknown */
  uint32_t *early_distance; /* [ports * routers] */
  control *waiting;         /* [room], in order of arrival */
  uint8_t *entry;           /* [routers]: the safe table; NO_PORT: to the parent */
} arrays;

static inline uint64_t parent_port(const memory *m) { return m->parent == NO_PORT ? 0 : bit(m->parent); }
static inline uint64_t tree_ports(const memory *m) { return m->children | parent_port(m); }

/* The control packets that a router's table module can queue: for each port and router four times what arrives when no
 * distance is corrected. 0 if the module needs no time. */
static inline uint32_t control_room(const config *c, uint32_t routers, uint32_t ports) {
  return c->control_handling ? 4 * routers * ports : 0;
}
/* Appends a packet to the queue. False: the queue is full. */
bool ripstop_immunet_queue(const arrays *a, uint32_t room, const control *packet);
/* Takes the next packet from the queue, which must not be empty. */
control ripstop_immunet_unqueue(const arrays *a, control_order order);

/* Cycles for a router's own first control packets, in addition to control_cycles. */
static inline uint64_t own_cycles(const config *c) {
  if (c->own_cycles >= 0) return (uint64_t)c->own_cycles;
  return c->control_path == PATH_SAFE ? 0 : (uint64_t)c->control_cycles;
}

/* Bytes of one router's state. */
uint64_t ripstop_immunet_state_bytes(const config *c, uint32_t routers, uint32_t ports);
arrays ripstop_immunet_open_memory(const ripstop_plan *p, uint32_t node, const void *state);

/* The functions of ripstop_proto. */
size_t ripstop_immunet_state_size(const ripstop_plan *p, uint32_t node);
void ripstop_immunet_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions);
int ripstop_immunet_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                        ripstop_candidate *candidates);
uint64_t ripstop_immunet_delay(const ripstop_plan *p, const void *message);
uint32_t ripstop_immunet_flits(const ripstop_plan *p, const void *message);
uint8_t ripstop_immunet_control_space(const ripstop_plan *p, const void *state, uint32_t port);
extern const char *const ripstop_immunet_kinds[];
uint32_t ripstop_immunet_kind(const ripstop_plan *p, const void *message);

/* ------------------------------------------------------------------ the whole network (component.c, print.c, check.c)
 *
 * `state` has [nodes]: NULL for end nodes and routers that are down. */

/* A component, found along its ring, or the routers without any emergency so far. */
typedef struct component {
  uint32_t root; /* a node; RIPSTOP_NONE: there is no tree */
  uint32_t routers, ring;
  uint32_t broken; /* the fabric's port where the ring leads to a router that does not have it in its tree;
                    * RIPSTOP_NONE: none */
  uint64_t links, distances, safe_sent, distance_sent;
  uint32_t diameter;
  uint8_t *member; /* [routers] */
} component;

/* Fills the component of c->root; the caller owns `member`. */
void ripstop_immunet_find_component(component *c, const ripstop_plan *p, const void *const *state);
/* Routers of a connected component. */
typedef struct members {
  const uint32_t *router; /* [count] */
  uint32_t count;         /* at least 1 */
} members;

/* -1, with the routers and the link, if the ring does not pass all of them. printed.c */
int ripstop_immunet_check_ring(const ripstop_plan *p, const void *const *state, const members *all, ripstop_error *err);
/* The tables for the plan's view, with the tree that the routers' state machines agree on. -1: it is no tree.
 * printed.c */
int ripstop_immunet_settle_printed(ripstop_plan *p, tables *t, ripstop_error *err);

/* A router's distance to another and its minimal ports, also before any emergency; the number of routers: unknown. */
uint32_t ripstop_immunet_known_distance(const ripstop_plan *p, const arrays *a, uint32_t to, uint64_t *nearer);

/* The functions of ripstop_proto. */
void ripstop_immunet_print(const ripstop_plan *p, const void *message, ripstop_text *out);
void ripstop_immunet_json(const ripstop_plan *p, const void *state, ripstop_text *out);
void ripstop_immunet_report(const ripstop_plan *p, const void *const *state, bool as_json, ripstop_text *out);
int ripstop_immunet_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err);

#endif
