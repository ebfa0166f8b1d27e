/* uturn.h - deterministic routing in fat trees that goes round dead links by U-turns: what the methods `uturn` and
 * `reprioritise` share (paper 003, section 3). It says which hops a packet may take and what each hop is for; channels
 * and marks are the methods' business.
 *
 * Without faults the way from one end node to another is fixed: at level l up port half + p'_l (p' the destination),
 * until a switch above the destination is reached, and then the one way down. Round dead links:
 *   upward    another live up port (ripstop_uturn_up_order). The packet is back on its original path as soon as it
 * comes down to the level where it left it. downward  one hop down another link, to the U-turn switch; up over a link
 * that it has not tried; down towards the destination. If that is dead too, back down to the U-turn switch, which tries
 * another up link. */
#ifndef METHODS_SHARED_UTURN_H
#define METHODS_SHARED_UTURN_H

#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

/* Which of the up links that have not been tried the U-turn switch takes: the next after the one on which the packet
 * came, cyclically; that of the lowest number; the one after the destination's digit, itself included; any. */
typedef enum ripstop_uturn_order {
  RIPSTOP_UTURN_CYCLIC,
  RIPSTOP_UTURN_LOWEST,
  RIPSTOP_UTURN_DIGIT,
  RIPSTOP_UTURN_ANY
} ripstop_uturn_order;
extern const char *const ripstop_uturn_order_words[]; /* NULL-terminated, for options */

/* Which live up link a packet takes in place of a dead one: the next in cyclic order, or one of the
 * others by a hash of switch, input port and destination, so that no neighbour has to carry everything. */
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
                   "up port in place of a dead one: the next in cyclic order, or one by a hash of input port and "    \
                   "destination",                                                                                     \
                   .later = true)
#define RIPSTOP_UTURN_ROUNDS(config) \
  RIPSTOP_INTEGER(                   \
      config, rounds, 1, 255, "1",   \
      "times that a U-turn switch tries all up links before it discards; above 1 for fabrics with repairs")

/* The routing algorithm without faults, which decides the way up; there is one way down.
 *   deterministic  up port half + p'_l at level l (p' the destination)
 *   adaptive       any live up port: a dead one is not chosen, and nothing is met on the way up
 *   source         the up ports that the packet's draw says, digit l of it at level l: its source has chosen the path
 *                  among all shortest ones */
typedef enum ripstop_uturn_base {
  RIPSTOP_UTURN_DETERMINISTIC,
  RIPSTOP_UTURN_ADAPTIVE,
  RIPSTOP_UTURN_SOURCE
} ripstop_uturn_base;
extern const char *const ripstop_uturn_base_words[]; /* NULL-terminated, for options */

typedef enum ripstop_uturn_step {
  RIPSTOP_UTURN_PLAIN, /* the deterministic way on from here */
  RIPSTOP_UTURN_ASIDE, /* up, but over another link than the deterministic one, which is dead */
  RIPSTOP_UTURN_AWAY,  /* down to the U-turn switch, since the link towards the destination is dead */
  RIPSTOP_UTURN_RISE,  /* up from the U-turn switch */
  RIPSTOP_UTURN_FALL,  /* down towards the destination after that */
  RIPSTOP_UTURN_BACK   /* back down to the U-turn switch, since the link towards the destination is dead here too */
} ripstop_uturn_step;

typedef struct ripstop_uturn_hop {
  uint64_t header; /* after the hop */
  uint16_t port;   /* local */
  ripstop_uturn_step step;
} ripstop_uturn_hop;

enum {
  RIPSTOP_UTURN_UPS_MAX = 48,                         /* most up ports of a switch: bits of the misroute vector */
  RIPSTOP_UTURN_HOPS_MAX = 2 * RIPSTOP_UTURN_UPS_MAX, /* most hops permitted at once: the ports of a top switch */
  RIPSTOP_UTURN_HEADER_BITS = 56, /* the header word's bits from here on are the method's own: left 0, and ignored but
                                     for the draw */
  RIPSTOP_UTURN_DRAW_BIT = 57,    /* with the base `source` the draw stands from here on */
  RIPSTOP_UTURN_DRAWS_MAX = 128   /* and has seven bits */
};

typedef struct ripstop_uturn {
  ripstop_tree tree;
  ripstop_uturn_order order;
  ripstop_uturn_up_order up_order;
  ripstop_uturn_base base; /* deterministic, unless the method sets another one */
  uint32_t rounds;         /* times that a U-turn switch tries all its up links before it gives a packet up, 1 .. 255 */
  uint32_t hops_max;       /* most hops permitted at once on this fabric */
  uint32_t *siblings;      /* [levels]: switches of one level above the same end nodes: half^level */
} ripstop_uturn;

/* Why there may be no hop: for ripstop_method.losses. */
extern const char *const ripstop_uturn_losses[];

/* Fills `out` for the plan's fabric, from its arena; `method` is for messages. */
ripstop_answer ripstop_uturn_prepare(ripstop_plan *plan, const char *method, ripstop_uturn_order order,
                                     ripstop_uturn_up_order up_order, uint32_t rounds, ripstop_uturn *out,
                                     ripstop_error *err);
/* With the base `source`: how many ways up there are, half for each level but the top; 0: more than
 * RIPSTOP_UTURN_DRAWS_MAX. */
uint32_t ripstop_uturn_draws(const ripstop_uturn *u);
/* The hops permitted to a head, as ripstop_method.route; more than one only when the packet is sent AWAY, over any live
 * down link, RISEs in no order, or goes up adaptively. */
int ripstop_uturn_hops(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head,
                       ripstop_uturn_hop *hops);
/* Whether the packet stands where it would also stand if nothing were dead. The links of its original path are those of
 * PLAIN and FALL hops from such a node. */
bool ripstop_uturn_on_original_path(const ripstop_plan *plan, const ripstop_uturn *u, const ripstop_head *head);
/* How many dead links, at any places, lose no packet. */
uint32_t ripstop_uturn_tolerates(const ripstop_fabric *fabric);

#endif
