/* prover.h - the prover's workspace and its parts: states.c walks the states, fates.c finds the fates of packets,
 * waits.c decides which queues can wait, dependencies.c builds the extended channel dependency graph of a
 * subfunction, example_walk.c prints failures.
 *
 * An output VC (`lane`) is an output port x channels + channel: the queue that this virtual channel of this directed
 * link leads to. A place is an output VC, or `lanes` + end node for a NIC. */
#ifndef PROVE_PROVER_H
#define PROVE_PROVER_H

#include "prove/proof.h"
#include "ripstop/kit/proofs.h"

enum { PROVER_HEADERS = 256 };             /* header words below this find their state by index */
#define PROVER_NUMBERS (UINT64_C(1) << 25) /* most entries of that index */

enum { FATE_LOST = 1, FATE_DELIVERED = 2, FATE_CYCLE = 4, FATES = 7 };

#define FAR (UINT32_C(1) << 31) /* more links than a walk can have, low enough that sums do not overflow */

/* The fates that a packet can have from a state on. At first only those of the state's own candidates: it is lost, or
 * delivered by one link. */
typedef struct outlook {
  uint32_t fate;              /* FATE_*, and a mark of fates.c */
  uint32_t longest, shortest; /* walk lengths in links: any walk, and one that is delivered; FAR or more: none;
                               * neither is valid with FATE_CYCLE */
} outlook;

typedef struct state { /* two fit in a cache line: proofs are limited by memory access */
  uint64_t header;
  uint32_t place;
  uint32_t parent; /* the state that found it; RIPSTOP_NONE: injection */
  uint32_t first;  /* successors in `edge`, up to those of the next state */
  outlook outlook;
} state;
_Static_assert(sizeof(state) == 32, "a state fills half a line of a cache");

typedef struct frame frame; /* fates.c */

/* The output VCs that one kind of head can be confined to. */
typedef struct wait_set {
  uint32_t next; /* next set of the same queue; RIPSTOP_NONE: the last */
  uint32_t many; /* sets of the queue up to this one */
  uint32_t bits; /* in `pool`: candidates that need space for one packet, then those that need space for
                  * two */
  bool released; /* meets a dropped queue */
  ripstop_deadlocked_packet deadlock_packets; /* an example */
} wait_set;

/* The node and port that an output VC leads to. */
typedef struct arrival {
  uint32_t node; /* RIPSTOP_NONE: none, or the link has failed */
  uint16_t port; /* local port number */
  uint8_t channel;
  bool used; /* some packet can be there */
} arrival;

/* For a plan that routes by node: the last head with one candidate at a switch. */
typedef struct lone {
  uint32_t number; /* `before` + its state's number; other values: there is none */
  uint32_t bit;    /* bit of its candidate in p->alone for a queue into the switch */
} lone;

/* The fewest and the most links of a pair's packets. */
typedef struct walk_lengths {
  uint32_t shortest, longest;
} walk_lengths;

struct ripstop_prover {
  const ripstop_fabric *fabric;
  const ripstop_plan *plan;
  uint32_t channels, lanes, ends;
  arrival *arrival;        /* [lanes] */
  uint32_t *first_lane;    /* [nodes + 1]: first output VC of the node's ports */
  uint32_t candidates_max; /* the plan's */
  bool early;              /* packets take candidates of the lowest rank alone (lowest.h) */
  bool bound;              /* packets wait for one candidate alone */
  bool binds;              /* packets wait for one of the lowest rank, or those of higher ranks */
  bool by_node;            /* the plan's */
  bool by_source;
  uint32_t source;     /* the source whose packets are walked, with by_source */
  uint32_t sources;    /* how many inject packets to the present destination */
  uint32_t class_;     /* the class whose packets are walked */
  uint32_t *to, tos;   /* destinations of walked packets, ascending; none: all */
  uint32_t some_draws; /* how many of the plan's random headers are used; 0: all */
  uint64_t draw_seed;
  uint32_t *draw, random_headers; /* random headers that are used, ascending; NULL: all, which are `draws` */
  uint64_t headers, rows;         /* rows of `number`; most rows */
  ripstop_mixing mixing;          /* without versions: the plan alone is proved */
  uint32_t *component;            /* [nodes]: in the view of the plan, for transient states */
  bool paths;                     /* path lengths are requested */
  unsigned threads;
  ripstop_prover **helper; /* [threads], for the destinations of the other threads; the first is not used */

  state *state;
  uint32_t states, state_room;
  uint32_t *edge;
  uint32_t edges, edge_room;
  uint32_t *number;            /* [headers * lanes]: `before` + a state's number; other values: there is none */
  uint32_t *table, table_mask; /* the same for other headers */
  uint32_t before;
  lone *lone;     /* [nodes] */
  frame *frame;   /* [frames], used by fates.c */
  uint32_t *open; /* [frames], used by fates.c */
  uint32_t frames;
  uint8_t *failed;       /* [ends]: how a pair of the present destination fails in the classes walked so far */
  walk_lengths *lengths; /* [ends]: lengths of a pair of the present destination in the classes walked so far, with
                          * `paths` */
  uint32_t *distance;    /* [nodes]: from the present destination, with `paths` */
  ripstop_candidate *candidate; /* candidates of the present head */

  wait_set *set;
  uint32_t sets, set_room;
  uint64_t *pool;
  uint32_t pool_used, pool_room;
  uint64_t *alone;    /* [lanes * bits]: next output VCs that form a whole set each: `fan` for each kind of candidate */
  uint32_t fan, bits; /* most output VCs out of a switch; words for two such */
  uint32_t *narrow;   /* [lanes]: the output VC that enters with space for one packet: RIPSTOP_NONE, one output VC, or
                       * several */
  uint32_t *slot;     /* [slot_mask + 1]: number + 1 of a set, by its queue and bits, for queues with many; 0: none */
  uint32_t slot_mask;
  uint32_t *first_set;                           /* [lanes] */
  uint32_t first_sets;                           /* its length */
  const struct ripstop_subfunction *subfunction; /* its graph is requested; NULL: none */
  uint64_t *arc;                                 /* used by dependencies.c */
  uint32_t arc_words;                            /* words for the output VCs out of a switch */
  uint64_t starved;                              /* heads to which the subfunction supplies nothing */
  uint8_t *supplied;                             /* [states]: the subfunction has brought a packet there */
  ripstop_arena *arena;                          /* memory of the last proof's results */
  ripstop_arena *keep;                           /* memory of this struct and the arrays above */
};

/* states.c */
/* Finds all states of the packets to a destination, of the present class and source. Those at NICs come first,
 * p->sources of them for each random header. -1: the plan breaks a rule of method.h. */
int states_find(ripstop_prover *p, uint32_t destination, ripstop_error *err);
void states_forget(ripstop_prover *p);
ripstop_head prover_head(const ripstop_prover *p, uint32_t place, uint64_t header, uint32_t source,
                         uint32_t destination);

/* Adds the paths of `weight` plans. */
void add_paths(ripstop_paths *to, const ripstop_paths *more, uint64_t weight);

/* prover.c: prepares the workspace for a new plan. */
void prover_prepare(ripstop_prover *p, const ripstop_plan *plan);

/* waits.c */
void waits_reset(ripstop_prover *p);
/* The head of state `number`, at a switch, can be confined to the output VCs of the first `candidates` of p->way. */
void waits_add(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t candidates, uint32_t destination);
/* The head is stalled: it waits, whatever drops. */
void waits_hold(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t destination);
/* Some packet enters output VC `to` from `from`, with space for two packets (wide) or for one. waits_add calls it for
 * the heads that it adds. */
void waits_enter(ripstop_prover *p, uint32_t from, uint32_t to, bool wide);
void waits_decide(ripstop_prover *p, ripstop_proof *out);
/* The output VC of a candidate, counted from the first of its switch. */
static inline uint32_t lane_of_candidate(const ripstop_prover *p, const ripstop_candidate *candidate) {
  return candidate->port * p->channels + candidate->channel;
}
/* The bit of a candidate in p->alone for a queue, for heads with one candidate. */
static inline uint32_t waits_bit(const ripstop_prover *p, const ripstop_candidate *candidate) {
  return lane_of_candidate(p, candidate) + (candidate->space > 1 ? p->fan : 0);
}
/* True if such a head of the queue has been added before; most heads have one candidate, and are known. */
static inline bool waits_known(const ripstop_prover *p, uint32_t place, uint32_t bit) {
  return p->alone[(size_t)place * p->bits + bit / 64] >> (bit % 64) & 1;
}
/* Adds the sets of `from` as if they came after all of `p`. */
void waits_merge(ripstop_prover *p, const ripstop_prover *from);

/* dependencies.c: both do nothing unless a graph is requested. After waits_reset. */
void dependencies_reset(ripstop_prover *p);
/* Adds the arcs of the present states. */
void dependencies_add(ripstop_prover *p, uint32_t destination);
void dependencies_merge(ripstop_prover *p, const ripstop_prover *from);
void dependencies_decide(ripstop_prover *p, ripstop_dependencies *out);

/* fates.c: finds the fates that a packet can have from each state on. */
void fates_find(ripstop_prover *p);

/* mixtures.c: like states_find, for transient states; and text about states in which packets remain. */
int transients_find(ripstop_prover *p, uint32_t destination, ripstop_error *err);
void transients_count(ripstop_prover *p, uint32_t destination, ripstop_proof *out);
/* The reason why a packet in this state is lost there; NULL: it is not. */
const char *transients_loss(const ripstop_prover *p, const state *s, uint32_t destination);

/* example_walk.c: texts for people, from the arena. */
const char *walk_to(ripstop_prover *p, uint32_t start, uint8_t fate, uint32_t destination);
const char *walk_round(ripstop_prover *p, uint32_t start, uint32_t destination);

#endif
