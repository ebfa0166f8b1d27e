/* ordered.h - what the files of the method ordered share: its options, the order of routers, what a router knows of a
 * destination, and the functions of each file. */
#ifndef METHODS_ORDERED_H
#define METHODS_ORDERED_H

#include "methods/shared/ports.h"

typedef struct config {
  int64_t adaptive, detours, near, guests, rank_cycles, entry_cycles, control_flits, grace_cycles, hold_cycles;
} config;

enum { STALE = CUT_OFF + 1 }; /* a loss, beside those of ports.h */
enum { ESCAPE_CHANNEL = 0, DETOURS_MAX = 63 };
/* The header: detours so far; and the stamp of the router that sent it here. */
enum { STAMP_SHIFT = 6 };
/* A router's stamp is greater after each change of its place, and in each life than in those before: it begins with the
 * cycle, and a router has fewer than 65,536 places for each cycle that it lives. */
enum { STAMP_CYCLE = 16 };

/* ------------------------------------------------------------------ the order (order.c) */

/* Who is the root, and since when: the greatest of all that are made is the one that holds. */
typedef struct claim {
  uint32_t epoch;
  uint32_t root; /* router number + 1; 0: nobody */
} claim;

/* Where a router stands in the order: a link leads up towards the smaller place. */
typedef struct place {
  claim numbering; /* that of which the value is */
  uint64_t value;
  uint32_t router;
  uint32_t zero; /* no byte of a message is left to chance */
} place;

enum {
  INSERTIONS = 4,
  INSERTIONS_IN_ALL = 32
};                                     /* of a router before all are numbered again: in a row, under a claim */
#define PLACE_STEP (UINT64_C(1) << 32) /* between routers that are numbered one after the other */

static inline bool is_less_claim(const claim *a, const claim *b) {
  return a->epoch != b->epoch ? a->epoch < b->epoch : a->root < b->root;
}
static inline bool is_above(const place *a, const place *b) {
  if (is_less_claim(&a->numbering, &b->numbering)) return true;
  if (is_less_claim(&b->numbering, &a->numbering)) return false;
  return a->value != b->value ? a->value < b->value : a->router < b->router;
}

/* What a router knows of a neighbour. */
typedef struct neighbour {
  place place;
  uint64_t stamp;
  uint32_t seq; /* of the last message about that */
  bool safe;    /* it has another way up, or needs none */
  uint8_t zero[3];
} neighbour;

typedef struct tables {
  uint32_t routers; /* router number = switch node - ends; destination `routers` is any network interface at all */
  uint32_t *root;   /* [routers]: of its component, in the fabric as it is wired */
  place *first;     /* [routers]: places in the fabric as it is wired */
  place *place;     /* [routers]: and in the plan's view (settle.c) */
  struct row *row;  /* [routers * (routers + 1)]: what each knows then of each destination */
} tables;

/* Fills t->first and t->root: on tori by coordinates, elsewhere breadth first from the router with the highest number.
 */
void ripstop_ordered_first_places(const ripstop_plan *p, tables *t);
/* A router's entries for all destinations, [routers + 1], in the fabric as it is wired. */
struct entry;
void ripstop_ordered_first_entries(const ripstop_plan *p, uint32_t router, struct entry *out);
/* The place just below the highest safe one of the known neighbours; false: none of them is safe. */
bool ripstop_ordered_insert(const neighbour *near, uint64_t known, uint32_t router, place *out);

/* ------------------------------------------------------------------ tables (settle.c) */

#define FAR UINT16_MAX /* no distance */

/* What a router tells its neighbours of a destination. */
typedef struct entry {
  uint16_t distance;
  uint8_t reach; /* some way down leads there */
  uint8_t alive; /* some way up and then down does, or did a short while ago */
} entry;

static inline bool is_same_entry(const entry *a, const entry *b) {
  return a->distance == b->distance && a->reach == b->reach && a->alive == b->alive;
}

/* What it keeps of one: ports by which a packet may go on. */
typedef struct row {
  uint64_t nearer, up, down; /* nearer by any channel; by the escape up, and down */
  entry own;
  bool hopes; /* there is no way down any more, but that is not told yet */
  bool gone;  /* there has been no way for so long that packets to it are dropped */
} row;

/* A router's row for a destination, from what its neighbours tell of it. */
typedef struct outlook {
  uint64_t known, up; /* ports to neighbours; those that lead up */
  const entry *near;  /* [ports * stride] */
  uint32_t stride;
  uint32_t routers;
  bool here;  /* the destination is this router, and has a network interface that is alive */
  bool hopes; /* that a way down that it has lost of late comes back: to others it is alive */
} outlook;
row ripstop_ordered_row(const outlook *o);
/* There is a way by the escape, or the destination is here. */
static inline bool has_candidate(const row *r) { return r->own.reach || r->up; }

/* All routers' entries as the view and their places have them: the same by searches, for checks and proofs. */
typedef struct survey {
  const ripstop_plan *plan;
  uint32_t routers;
  const place *place;   /* [routers] */
  struct place *sorted; /* [routers] */
  uint64_t *live, *up;  /* [routers]: ports, as below */
  uint32_t *queue;      /* [routers] */
  entry *entry;         /* [routers]: of the destination at hand */
} survey;
void ripstop_ordered_survey_open(survey *x, const ripstop_plan *p, const place *of, ripstop_arena *arena);
void ripstop_ordered_survey(survey *x, uint32_t to);
/* Live ports of a router to others; up: those that lead up. */
uint64_t ripstop_ordered_live(const ripstop_plan *p, uint32_t router);
uint64_t ripstop_ordered_up(const ripstop_plan *p, const place *of, uint32_t router, uint64_t live);
/* It has a network interface, and a live link there. */
bool ripstop_ordered_is_host(const ripstop_plan *p, uint32_t router);
/* Fills t->place and t->row for the plan's view. */
void ripstop_ordered_settle(ripstop_plan *p, tables *t);

static inline uint32_t router_behind(const ripstop_fabric *f, uint32_t router, uint32_t port) {
  return f->port_node[f->peer[f->port_base[f->ends + router] + port]] - f->ends;
}

/* ------------------------------------------------------------------ candidates (candidates.c) */

typedef struct trace {
  const row *to, *any; /* rows of the destination, and of any network interface */
  bool falls;          /* the head stands in a queue that leads down, as its router sees it */
  bool settled;        /* nothing has changed here for so long that what is stale now is so for good */
  bool outdated;       /* but for what a neighbour has sent that has not told yet where it stands */
  uint64_t stamp;      /* the router's own */
} trace;
/* Between routers. Writes the candidates and returns how many; 0: there is none at present. */
int ripstop_ordered_candidates(const ripstop_plan *p, const ripstop_head *head, const trace *s,
                               ripstop_candidate *candidates);

/* ------------------------------------------------------------------ the protocol (protocol.c) */

typedef enum { RANK, ENTRY } message_kind;
enum { IS_SAFE = 1, IS_DEPUTY = 2, IS_NUMBERED = 4, IS_ASKING = 8 };

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
  uint64_t met;           /* of these: those that have been told everything since */
  uint64_t known, up;     /* of these: those that have told their places; and lead up */
  place said_place;       /* what the neighbours have been told last */
  claim said_claim;
  uint64_t inserted_at; /* cycle of the last insertion */
  uint64_t changed_at;  /* cycle in which the tables changed last */
  uint64_t stamp;       /* of its place and life */
  uint32_t node, seq;
  uint32_t inserted, inserted_in_all; /* insertions in a row, and under this claim */
  uint8_t deputy;                     /* port by which the root has said so; NO_PORT: it has not */
  uint8_t said_deputy;                /* port to whom this router, the root, has said so */
  bool said_safe, watching, settled;
} memory;

typedef struct arrays {
  memory *m;
  neighbour *near;    /* [ports] */
  row *row;           /* [routers + 1] */
  uint64_t *lost_at;  /* [routers + 1]: cycle in which there was no way any more, up or down, here or where that is told
                         from */
  uint64_t *drop_at;  /* [routers + 1]: then: cycle from which packets to it are dropped */
  entry *told;        /* [ports * (routers + 1)] */
  uint32_t *told_seq; /* the same */
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
