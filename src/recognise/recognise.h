/* recognise.h - finds which regular fabric a wired one is, or was before cables and switches were lost, from the wiring
 * alone.
 *
 * Each kind of fabric (fat_tree.c, product.c, kns_lines.c, dragonfly.c, diameter.c) proposes a model: the place of
 * every switch, and the cables that it would have. The answer is the model that agrees best with the cables that are
 * there, if it explains most of them. Differences between it and the fabric are oddities. Names and descriptions play
 * no part but for the rails of hosts with several adapters (hosts.c), which nothing else shows.
 *
 * The module stands on the fabric and on what files say of it; the fabric knows nothing of it. */
#ifndef RIPSTOP_RECOGNISE_RECOGNISE_H
#define RIPSTOP_RECOGNISE_RECOGNISE_H

#include "formats/odd.h"
#include "ripstop/fabric.h"

RIPSTOP_BEGIN

enum { RIPSTOP_PLACE_DIMS = 12 }; /* coordinates that a switch has at most */

/* Switches for management or service that hang on a fat tree, as nodes of the fabric. */
typedef struct ripstop_small_part {
  const uint32_t *node, *hangs_on; /* [nodes], [hangs_ons]: its switches, and those of the tree that it is cabled to */
  uint32_t nodes, hangs_ons, hosts;
  const char *text;
} ripstop_small_part;

/* A leaf or spine of a fat tree that is not there. */
typedef struct ripstop_absent {
  const char *what, *name; /* "leaf", "spine"; NULL: the names do not show which one */
  const char **port;       /* [ports]: ends that are empty and would lead to it */
  uint32_t ports;
  bool sure; /* both ports and names show it */
  const char *text;
} ripstop_absent;

/* A fact that is worth knowing and not odd. */
typedef struct ripstop_recognised_note {
  const char *what, *text; /* "factory description", and a sentence */
  uint32_t count;
} ripstop_recognised_note;

typedef struct ripstop_recognised {
  const char *family;       /* "fat tree", "torus", "mesh", "hyperx", "kns", "dragonfly", "dragonfly+", "slimfly",
                               "polarfly"; "irregular": none of them */
  const char *shape;        /* its numbers in words, e.g. "8x8" or "3 levels of 4, 4 and 4"; empty: none */
  const char *spec;         /* the program's own family with these numbers, e.g. "torus:8x8"; NULL: it has none */
  double sure;              /* share of the cables between switches that the model has */
  double complete;          /* share of the model's cables that are there */
  uint32_t expected, there; /* cables between switches: the model's, and those of them that are there */
  /* Single mistakes or, if there are none, swaps of two cables, each of which explains the cables; `odd` has one of
   * them. 0: more than one mistake, or a fabric too large to look for all within the budget of work. */
  uint32_t explanations;
  uint32_t dims;
  const uint16_t *place; /* [switches * dims]: tree: level, then block; dragonflies: group, switch in it; flies none;
                            otherwise coordinates, most significant first (kns: of routers; its lines have none) */
  uint32_t rails;        /* how many, if each leaf serves one adapter of every host; else 0 */
  uint32_t planes;       /* parts that no cable joins, each with hosts */
  uint32_t hosts_leaf, up_leaf; /* tree: hosts and uplinks of the usual leaf */
  ripstop_odds odd;
  const ripstop_small_part *small_part; /* [small_parts]: no shape, cable or oddity of the tree has them */
  uint32_t small_parts;
  const ripstop_absent *absent; /* [absents] */
  uint32_t absents;
  const ripstop_recognised_note *note; /* [notes] */
  uint32_t notes;
} ripstop_recognised;

/* Everything belongs to the arena. Cost: for each switch the square of its cables. */
void ripstop_recognise(const ripstop_fabric *fabric, ripstop_arena *arena, ripstop_recognised *out);

RIPSTOP_END

#endif
