/* uturn.h - deterministic routing in fat trees that detours around failed links by U-turns: shared by the methods
 * `uturn` and `reprioritise` (paper 003, section 3). It determines the hops that a packet may take and the purpose of
 * each; the methods add virtual channels and marks.
 *
 * Without faults the route between two end nodes is fixed: at level l up port half + p'_l (p' the destination), until a
 * switch above the destination is reached, and then the only path down. Around failed links:
 *   upward     another up port that is up (ripstop_uturn_up_order). The packet is back on its original path as soon as
 *             it comes down to the level where it left it.
 *   downward   one hop down another link, to the U-turn switch; up over a link that it has not tried; down towards the
 *             destination. If that link is down too, back down to the U-turn switch, which tries another up link. */
#ifndef METHODS_SHARED_UTURN_H
#define METHODS_SHARED_UTURN_H

#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

/* The untried up link that the U-turn switch takes: the next after the one on which the packet came, cyclically; the
 * lowest; the first from the destination's digit on; any. */
typedef enum ripstop_uturn_order {
  RIPSTOP_UTURN_CYCLIC,
  RIPSTOP_UTURN_LOWEST,
  RIPSTOP_UTURN_DIGIT,
  RIPSTOP_UTURN_ANY
} ripstop_uturn_order;
extern const char *const ripstop_uturn_order_words[]; /* NULL-terminated, for options */

/* The up link that a packet takes in place of a failed one: the next in cyclic order, or one of the others by a hash of
 * switch, input port and destination, which spreads the load over the neighbours. */
typedef enum ripstop_uturn_up_order { RIPSTOP_UTURN_UP_NEXT, RIPSTOP_UTURN_UP_SPREAD } ripstop_uturn_up_order;
extern const char *const ripstop_uturn_up_order_words[]; /* the same */

/* Options of methods that make U-turns; members `order` and `up_order`, and `rounds`. */
#define RIPSTOP_UTURN_ORDERS(config)                                                                                  \
  {.name = "uturn_order",                                                                                             \
   .type = RIPSTOP_OPTION_WORD,                                                                                       \
   .offset = offsetof(config, order),                                                                                 \
   .words = ripstop_uturn_order_words,                                                                                \
   .fallback = "cyclic",                                                                                              \
   .help = "up port that the U-turn switch tries next: the next in cyclic order, the lowest, from the destination's " \
           "digit on, or any untried one"},                                                                           \
      RIPSTOP_WORD(config, up_order, ripstop_uturn_up_order_words, "next",                                            \
                   "up port in place of a failed one: the next in cyclic order, or one by a hash of input port and "  \
                   "destination",                                                                                     \
                   .later = true)
#define RIPSTOP_UTURN_ROUNDS(config) \
  RIPSTOP_INTEGER(                   \
      config, rounds, 1, 255, "1",   \
      "times that a U-turn switch tries all up links before it discards; above 1 for fabrics with repairs")

/* The routing algorithm without faults, which determines the up path; there is one path down.
 *   deterministic   up port half + p'_l at level l (p' the destination)
 *   adaptive        any up port that is up: failed ones are not used, and no fault is met on the up path
 *   source          the up ports of the packet's random number, digit l of it at level l: its source picked a random
 *                  shortest path */
typedef enum ripstop_uturn_base {
  RIPSTOP_UTURN_DETERMINISTIC,
  RIPSTOP_UTURN_ADAPTIVE,
  RIPSTOP_UTURN_SOURCE
} ripstop_uturn_base;
extern const char *const ripstop_uturn_base_words[]; /* NULL-terminated, for options */

typedef enum ripstop_uturn_step {
  RIPSTOP_UTURN_PLAIN, /* the next hop of the deterministic route */
  RIPSTOP_UTURN_ASIDE, /* up, over another link than the deterministic one, which is down */
  RIPSTOP_UTURN_AWAY,  /* down to the U-turn switch, because the link towards the destination is down */
  RIPSTOP_UTURN_RISE,  /* up from the U-turn switch */
  RIPSTOP_UTURN_FALL,  /* down towards the destination afterwards */
  RIPSTOP_UTURN_BACK   /* back down to the U-turn switch, because the link towards the destination is down here too */
} ripstop_uturn_step;

typedef struct ripstop_uturn_hop {
  uint64_t header; /* after the hop */
  uint16_t port;   /* local */
  ripstop_uturn_step step;
} ripstop_uturn_hop;

enum {
  RIPSTOP_UTURN_UPS_MAX = 48,                         /* most up ports of a switch: bits of the misroute vector */
  RIPSTOP_UTURN_HOPS_MAX = 2 * RIPSTOP_UTURN_UPS_MAX, /* most hops permitted at a switch: the ports of a top switch */
  RIPSTOP_UTURN_HEADER_BITS = 56, /* the header's bits from here on belong to the method: left 0, and ignored except the
                                   * random number */
  RIPSTOP_UTURN_DRAW_BIT = 57,    /* with the base `source` the random number starts here */
  RIPSTOP_UTURN_HEADERS_MAX = 128 /* and has seven bits */
};

typedef struct ripstop_uturn {
  ripstop_tree tree;
  ripstop_uturn_order order;
  ripstop_uturn_up_order up_order;
  ripstop_uturn_base base; /* deterministic, unless the method sets another one */
  uint32_t rounds;         /* times that a U-turn switch tries all its up links before it discards a packet, 1 .. 255 */
  uint32_t hops_max;       /* most hops permitted at a switch of this fabric */
  uint32_t *siblings;      /* [levels]: switches of one level above the same end nodes: half^level */
} ripstop_uturn;

/* Causes of loss, for ripstop_method.losses. */
extern const char *const ripstop_uturn_losses[];

/* Fills `out` for the plan's fabric, from its arena; `method` is for messages. */
ripstop_answer ripstop_uturn_prepare(ripstop_plan *plan, const char *method, ripstop_uturn_order order,
                                     ripstop_uturn_up_order up_order, uint32_t rounds, ripstop_uturn *out,
                                     ripstop_error *err);
/* With the base `source`: the number of up paths, half for each level but the top; 0: more than
 * RIPSTOP_UTURN_HEADERS_MAX. */
uint32_t ripstop_uturn_headers(const ripstop_uturn *u);
/* The hops permitted to a head, as ripstop_method.route. There are several only for AWAY hops, over any down link that
 * is up, for RISE hops in any order, and for adaptive up hops. */
int ripstop_uturn_hops(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head,
                       ripstop_uturn_hop *hops);
/* The packet is at a node of its fault-free route. The links of its original path are those of PLAIN and FALL hops from
 * such a node. */
bool ripstop_uturn_on_original_path(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head);
/* The number of failed links, in any places, that lose no packet. */
uint32_t ripstop_uturn_tolerates(const ripstop_fabric *fabric);

#endif
