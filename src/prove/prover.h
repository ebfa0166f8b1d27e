/* prover.h - the prover's workspace and the parts of it: states.c walks the states, fates.c finds what becomes of
 * packets, waits.c decides what can wait, dependencies.c builds the extended channel dependency graph of a subfunction,
 * walk.c tells of failures.
 *
 * A lane is an output port x channels + channel: the queue that this virtual channel of this directed link leads to. A
 * place is a lane, or lanes + end node for a network interface. */
#ifndef PROVE_PROVER_H
#define PROVE_PROVER_H

#include "ripstop/prove.h"

enum { PROVER_HEADERS = 256 };             /* header words below this find their state by index */
#define PROVER_NUMBERS (UINT64_C(1) << 25) /* most entries of that index */

enum { FATE_LOST = 1, FATE_DELIVERED = 2, FATE_CYCLE = 4, FATES = 7 };

#define FAR (UINT32_C(1) << 31) /* more links than a walk can have, and so many more that adding to it does no harm */

/* What can become of a packet from a state on. First of all what the state's own candidates say: it is lost, or
 * delivered by one link. */
typedef struct outlook {
  uint32_t fate;              /* FATE_*, and a mark of fates.c */
  uint32_t longest, shortest; /* walk on, in links: any, and one that is delivered, FAR or more: there is none; neither
                                 means anything with FATE_CYCLE */
} outlook;

typedef struct state { /* two in a line of a cache: proofs wait for memory */
  uint64_t header;
  uint32_t place;
  uint32_t parent; /* the state that found it; RIPSTOP_NONE: injection */
  uint32_t first;  /* successors in `edge`, up to those of the next state */
  outlook outlook;
} state;
_Static_assert(sizeof(state) == 32, "a state fills half a line of a cache");

typedef struct frame frame; /* fates.c */

/* The lanes that one kind of head can be confined to. */
typedef struct wait_set {
  uint32_t next; /* of the same queue; RIPSTOP_NONE: the last */
  uint32_t many; /* sets of the queue up to this one */
  uint32_t bits; /* in `pool`: candidates that ask for one packet's space, then those that ask for two */
  bool released; /* meets a dropped queue */
  ripstop_deadlocked_packet deadlock_packets; /* an example */
} wait_set;

/* Where a lane leads. */
typedef struct arrival {
  uint32_t node; /* RIPSTOP_NONE: nowhere, or the link is dead */
  uint16_t port; /* local */
  uint8_t channel;
  bool used; /* some packet can stand there */
} arrival;

/* Where a plan asks by node: the head with one way that was looked at last at a switch. */
typedef struct lone {
  uint32_t number; /* `before` and its state's number; less, or more: there is none */
  uint32_t bit;    /* of its way, in what p->alone has for a queue into the switch */
} lone;

/* The least and the most links that a packet of a pair walks. */
typedef struct walk_lengths {
  uint32_t shortest, longest;
} walk_lengths;

struct ripstop_prover {
  const ripstop_fabric *fabric;
  const ripstop_plan *plan;
  uint32_t channels, lanes, ends;
  arrival *arrival;        /* [lanes] */
  uint32_t *first_lane;    /* [nodes + 1]: of the node's ports */
  uint32_t candidates_max; /* of the plan */
  bool early;              /* the plan's choose_early */
  bool by_node;            /* the plan's */
  bool by_source;
  uint32_t source;     /* whose packets are walked, with by_source */
  uint32_t sources;    /* how many inject packets to the destination at hand */
  uint32_t class_;     /* whose packets are walked */
  uint32_t *to, tos;   /* destinations that packets are walked to, ascending; none: to all */
  uint32_t some_draws; /* so many are wanted of those that the plan has; 0: all */
  uint64_t draw_seed;
  uint32_t *draw, draws;  /* those that packets are walked with, ascending; NULL: all, which are so many */
  uint64_t headers, rows; /* rows of `number` there are, and may be */
  ripstop_mixing mixing;  /* without versions: the plan alone is proved */
  uint32_t *component;    /* [nodes]: in the view of the plan, for mixtures */
  bool paths;             /* wanted */
  unsigned threads;
  ripstop_prover **helper; /* [threads], for the destinations of the other threads; the first is not used */

  state *state;
  uint32_t states, state_room;
  uint32_t *edge;
  uint32_t edges, edge_room;
  uint32_t *number;            /* [headers * lanes]: `before` and a state's number; less, or more: there is none */
  uint32_t *table, table_mask; /* the same for other headers */
  uint32_t before;
  lone *lone;     /* [nodes] */
  frame *frame;   /* [frames], of fates.c */
  uint32_t *open; /* [frames], of fates.c */
  uint32_t frames;
  uint8_t *failed;       /* [ends]: how a pair of the destination at hand fails in the classes walked so far */
  walk_lengths *lengths; /* [ends]: of a pair of the destination at hand in the classes walked so far, with `paths` */
  uint32_t *distance;    /* [nodes]: from the destination at hand, with `paths` */
  ripstop_candidate *candidate; /* of the head at hand */

  wait_set *set;
  uint32_t sets, set_room;
  uint64_t *pool;
  uint32_t pool_used, pool_room;
  uint64_t *alone;    /* [lanes * bits]: next lanes that are a whole set each: `fan` for each kind of way */
  uint32_t fan, bits; /* most lanes out of a switch; words for two such */
  uint32_t *narrow;   /* [lanes]: who enters for one packet's space: RIPSTOP_NONE, one lane, or more than one */
  uint32_t *slot;     /* [slot_mask + 1]: number + 1 of a set, by its queue and bits, where that has many; 0: none */
  uint32_t slot_mask;
  uint32_t *first_set;                           /* [lanes] */
  uint32_t first_sets;                           /* its length */
  const struct ripstop_subfunction *subfunction; /* whose graph is wanted; NULL: none */
  uint64_t *arc;                                 /* of dependencies.c */
  uint32_t arc_words;                            /* for the lanes out of a switch */
  uint64_t starved;                              /* heads to which the subfunction supplies nothing */
  uint8_t *supplied;                             /* [states]: the subfunction has brought a packet there */
  ripstop_arena *arena;                          /* what the last proof points to */
  ripstop_arena *keep;                           /* this struct and the arrays above */
};

/* states.c */
/* All states of the packets to a destination, of the class and source at hand; those at network interfaces come first,
 * p->sources of them for each draw. -1: the plan breaks a rule of method.h. */
int states_find(ripstop_prover *p, uint32_t destination, ripstop_error *err);
void states_forget(ripstop_prover *p);
ripstop_head prover_head(const ripstop_prover *p, uint32_t place, uint64_t header, uint32_t source,
                         uint32_t destination);

/* Adds the paths of `weight` plans. */
void add_paths(ripstop_paths *to, const ripstop_paths *more, uint64_t weight);

/* prover.c: makes the workspace ready for a plan, which nothing is known of yet. */
void prover_prepare(ripstop_prover *p, const ripstop_plan *plan);

/* waits.c */
void waits_reset(ripstop_prover *p);
/* The head of state `number`, at a switch, can be confined to the lanes of the first `candidates` of p->way. */
void waits_add(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t candidates, uint32_t destination);
/* It is held: whatever drops, it waits. */
void waits_hold(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t destination);
/* Some packet enters lane `to` from the place `from`, with room for two packets (wide) or for one. waits_add says so of
 * the heads that it adds. */
void waits_enter(ripstop_prover *p, uint32_t from, uint32_t to, bool wide);
void waits_decide(ripstop_prover *p, ripstop_proof *out);
/* The lane that a way leads to, counted from the first of its switch. */
static inline uint32_t lane_of_candidate(const ripstop_prover *p, const ripstop_candidate *candidate) {
  return candidate->port * p->channels + candidate->channel;
}
/* The bit, of those that p->alone has for a queue, for heads with one way on. */
static inline uint32_t waits_bit(const ripstop_prover *p, const ripstop_candidate *candidate) {
  return lane_of_candidate(p, candidate) + (candidate->space > 1 ? p->fan : 0);
}
/* Whether such a head of the queue has been added before; most heads have one way, and are known. */
static inline bool waits_known(const ripstop_prover *p, uint32_t place, uint32_t bit) {
  return p->alone[(size_t)place * p->bits + bit / 64] >> (bit % 64) & 1;
}
/* What `from` has collected is added as if it came after all that `p` has. */
void waits_merge(ripstop_prover *p, const ripstop_prover *from);

/* dependencies.c: do nothing unless a graph is wanted. After waits_reset. */
void dependencies_reset(ripstop_prover *p);
/* Adds the arcs of the states at hand. */
void dependencies_add(ripstop_prover *p, uint32_t destination);
void dependencies_merge(ripstop_prover *p, const ripstop_prover *from);
void dependencies_decide(ripstop_prover *p, ripstop_dependencies *out);

/* fates.c: what can become of a packet from each state on. */
void fates_find(ripstop_prover *p);

/* mixtures.c: as states_find, of mixtures of tables; and what is told of states that packets are left in. */
int transients_find(ripstop_prover *p, uint32_t destination, ripstop_error *err);
void transients_count(ripstop_prover *p, uint32_t destination, ripstop_proof *out);
/* Why a packet in this state is lost there; NULL: it is not. */
const char *transients_loss(const ripstop_prover *p, const state *s, uint32_t destination);

/* walk.c: for people, from the arena. */
const char *walk_to(ripstop_prover *p, uint32_t start, uint8_t fate, uint32_t destination);
const char *walk_round(ripstop_prover *p, uint32_t start, uint32_t destination);

#endif
