/* ordered.h - shared by the files of the method ordered: its options, the order of routers, table rows, and the
 * functions of each file. */
#ifndef METHODS_ORDERED_H
#define METHODS_ORDERED_H

#include "methods/shared/ports.h"

typedef struct config {
  bool dimension_order;
  int64_t adaptive, detours, near, guests, rank_cycles, entry_cycles, control_flits, grace_cycles, hold_cycles;
} config;

enum { STALE = CUT_OFF + 1 }; /* a cause of loss, in addition to those of ports.h */
enum { ESCAPE_CHANNEL = 0, DETOURS_MAX = 63 };
/* The header: detours so far, and the stamp of the router that sent the packet here. */
enum { STAMP_SHIFT = 6 };
/* A router's stamp grows with each change of its place, and from each incarnation to the next: it begins with the
 * cycle, and a router has fewer than 65,536 places per cycle of its incarnation. */
enum { STAMP_CYCLE = 16 };

/* ------------------------------------------------------------------ the order (order.c) */

/* A claim to be the root: the greatest of all claims holds. */
typedef struct claim {
  uint32_t epoch;
  uint32_t root; /* router number + 1; 0: none */
} claim;

/* A router's place in the order: a link leads up towards the smaller place. */
typedef struct place {
  claim numbering; /* the claim under which the value was given */
  uint64_t value;
  uint32_t router;
  uint32_t zero; /* every byte of a message is set */
} place;

enum {
  INSERTIONS = 4,
  INSERTIONS_IN_ALL = 32
}; /* limits before all routers are numbered again: places in a row, and under one claim */
#define PLACE_STEP (UINT64_C(1) << 32) /* distance between places of successive routers */

static inline bool is_less_claim(const claim *a, const claim *b) {
  return a->epoch != b->epoch ? a->epoch < b->epoch : a->root < b->root;
}
static inline bool is_above(const place *a, const place *b) {
  if (is_less_claim(&a->numbering, &b->numbering)) return true;
  if (is_less_claim(&b->numbering, &a->numbering)) return false;
  return a->value != b->value ? a->value < b->value : a->router < b->router;
}

/* A router's knowledge of a neighbour. */
typedef struct neighbour {
  place place;
  uint64_t stamp;
  uint32_t seq; /* the last message about this */
  bool safe;    /* it has another link up, or needs none */
  uint8_t zero[3];
} neighbour;

typedef struct tables {
  uint32_t routers; /* router number = switch node - ends; destination `routers` means any NIC */
  uint32_t *root;   /* [routers]: root of the component, in the fabric as wired */
  place *first;     /* [routers]: places in the fabric as wired */
  place *place;     /* [routers]: places in the plan's view (settle.c) */
  struct row *row;  /* [routers * (routers + 1)]: each router's row for each destination */
} tables;

/* Fills t->first and t->root: on tori by coordinates, elsewhere breadth first from the router with the highest
 * number. */
void ripstop_ordered_first_places(const ripstop_plan *p, tables *t);
/* A router's entries for all destinations, [routers + 1], in the fabric as wired. */
struct entry;
void ripstop_ordered_first_entries(const ripstop_plan *p, uint32_t router, struct entry *out);
/* The place just below the highest safe one of the known neighbours; false: none of them is safe. */
bool ripstop_ordered_insert(const neighbour *near, uint64_t known, uint32_t router, place *out);

/* ------------------------------------------------------------------ tables (settle.c) */

#define FAR UINT16_MAX /* no distance */

/* A router's report about a destination to its neighbours. */
typedef struct entry {
  uint16_t distance;
  uint8_t reach; /* a route down leads there */
  uint8_t alive; /* a route up and then down leads there, or did a short while ago */
} entry;

static inline bool is_same_entry(const entry *a, const entry *b) {
  return a->distance == b->distance && a->reach == b->reach && a->alive == b->alive;
}

/* A router's row for a destination: ports by which a packet may go on. */
typedef struct row {
  uint64_t nearer, up, down; /* nearer by any virtual channel; by the escape up, and down */
  entry own;
  bool hopes; /* no route down exists any more, but this is not reported yet */
  bool gone;  /* no route has existed for so long that packets are dropped */
} row;

/* Computes a router's row for a destination from its neighbours' entries. */
typedef struct row_inputs {
  uint64_t known, up; /* ports to neighbours; those that lead up */
  const entry *near;  /* [ports * stride] */
  uint32_t stride;
  uint32_t routers;
  bool here;  /* the destination is this router, and has a NIC whose link is up */
  bool hopes; /* a route down that was lost a short while ago may return: others see the destination as alive */
} row_inputs;
row ripstop_ordered_row(const row_inputs *o);
/* The escape has a candidate, or the destination is here. */
static inline bool has_candidate(const row *r) { return r->own.reach || r->up; }

/* All routers' entries under the view and their places, computed by searches, for checks and proofs. */
typedef struct survey {
  const ripstop_plan *plan;
  uint32_t routers;
  const place *place;   /* [routers] */
  struct place *sorted; /* [routers] */
  uint64_t *live, *up;  /* [routers]: ports, as below */
  uint32_t *queue;      /* [routers] */
  entry *entry;         /* [routers]: for the present destination */
} survey;
void ripstop_ordered_survey_open(survey *x, const ripstop_plan *p, const place *of, ripstop_arena *arena);
void ripstop_ordered_survey(survey *x, uint32_t to);
/* Ports of a router to other routers that are up; and those of them that lead up. */
uint64_t ripstop_ordered_live(const ripstop_plan *p, uint32_t router);
uint64_t ripstop_ordered_up(const ripstop_plan *p, const place *of, uint32_t router, uint64_t live);
/* The router has a NIC whose link is up. */
bool ripstop_ordered_is_host(const ripstop_plan *p, uint32_t router);
/* Fills t->place and t->row for the plan's view. */
void ripstop_ordered_settle(ripstop_plan *p, tables *t);

static inline uint32_t router_behind(const ripstop_fabric *f, uint32_t router, uint32_t port) {
  return f->port_node[f->peer[f->port_base[f->ends + router] + port]] - f->ends;
}

/* ------------------------------------------------------------------ candidates (candidates.c) */

typedef struct trace {
  const row *to, *any; /* rows of the destination, and of any NIC */
  bool leads_down;     /* the head is in a queue that leads down, as its router sees it */
  bool settled;        /* nothing has changed here for so long that stale packets stay stale */
  bool outdated;       /* except for packets of a neighbour that has not reported its present place yet */
  uint64_t stamp;      /* the router's own */
} trace;
/* Candidates between routers. Writes them and returns their number; 0: none at present. */
int ripstop_ordered_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates);

/* ------------------------------------------------------------------ the protocol (protocol.c) */

typedef enum { RANK, ENTRY } message_kind;
enum { IS_SAFE = 1, IS_DEPUTY = 2, IS_NUMBERED = 4, IS_REQUEST = 8 };

typedef struct message {
  uint8_t kind;
  uint8_t flags; /* RANK */
  uint16_t none;
  uint32_t seq;
  uint64_t stamp; /* RANK: the sender's */
  place place;    /* RANK: the sender's */
  claim claim;    /* RANK */
  entry entry;    /* ENTRY: the sender's */
  uint32_t destination;
  uint32_t age; /* ENTRY: cycles for which it has not been alive */
  uint32_t zero;
} message;

/* A router's state, followed by its arrays. */
typedef struct memory {
  place own;
  claim claim;
  uint64_t wired, linked; /* ports to routers; those whose links are up */
  uint64_t met;           /* linked ports that have received everything since */
  uint64_t known, up;     /* linked ports whose neighbours have reported their places; those that lead up */
  place reported_place;   /* the last place reported to the neighbours */
  claim reported_claim;
  uint64_t inserted_at; /* cycle of the last insertion */
  uint64_t changed_at;  /* cycle of the last change of the tables */
  uint64_t stamp;       /* changes with its place and incarnation */
  uint32_t node, seq;
  uint32_t inserted, inserted_in_all; /* insertions in a row, and under this claim */
  uint8_t deputy;                     /* port of the root, if the root named this router its deputy; NO_PORT: it did
                                       * not */
  uint8_t reported_deputy;            /* port of the deputy that this router named as root */
  bool reported_safe, watching, settled;
} memory;

typedef struct arrays {
  memory *m;
  neighbour *near;        /* [ports] */
  row *row;               /* [routers + 1] */
  uint64_t *lost_at;      /* [routers + 1]: cycle in which the last route was lost, up or down, here or at the reporting
                           * router */
  uint64_t *drop_at;      /* [routers + 1]: cycle from which packets to it are then dropped */
  entry *received;        /* [ports * (routers + 1)] */
  uint32_t *received_seq; /* sequence numbers of the same */
} arrays;

static inline bool is_root(const memory *m, uint32_t router) { return m->claim.root == router + 1; }

uint64_t ripstop_ordered_state_bytes(uint32_t routers, uint32_t ports);
arrays ripstop_ordered_open_memory(const ripstop_plan *p, uint32_t node, const void *state);

/* The functions of ripstop_proto. */
size_t ripstop_ordered_state_size(const ripstop_plan *p, uint32_t node);
void ripstop_ordered_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions);
int ripstop_ordered_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                        ripstop_candidate *candidates);
uint64_t ripstop_ordered_delay(const ripstop_plan *p, const void *message);
uint32_t ripstop_ordered_flits(const ripstop_plan *p, const void *message);
extern const char *const ripstop_ordered_kinds[];
uint32_t ripstop_ordered_kind(const ripstop_plan *p, const void *message);

/* print.c, check.c */
void ripstop_ordered_print(const ripstop_plan *p, const void *message, ripstop_text *out);
void ripstop_ordered_json(const ripstop_plan *p, const void *state, ripstop_text *out);
void ripstop_ordered_report(const ripstop_plan *p, const void *const *state, bool as_json, ripstop_text *out);
int ripstop_ordered_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err);

#endif
