/* cabling_diff.h - cables as planned against cables as reported by what is up, and cables as an edge list. */
#ifndef RIPSTOP_FORMATS_ETHERNET_CABLING_DIFF_H
#define RIPSTOP_FORMATS_ETHERNET_CABLING_DIFF_H

#include "formats/ethernet/cabling.h"

/* A port that is cabled to another port than planned. */
typedef struct cabling_swap {
  const char *port, *planned, *found; /* "leaf1[swp1]" */
} cabling_swap;

typedef struct cabling_diff {
  const char **missing, **extra; /* "leaf1[swp1]-spine1[swp1]", in the order of their bytes */
  cabling_swap *swap;
  const char **silent; /* planned nodes on several cables that no file is about */
  uint32_t missings, extras, swaps, silents, planned;
} cabling_diff;

/* Hosts mostly do not speak LLDP. So a planned cable is missing if both of its nodes have files, or if one of its ports
 * is cabled to another one; a found cable is extra if the plan knows both nodes. */
void cabling_compare(const cabling *plan, const cabling *found, ripstop_arena *arena, cabling_diff *out);
/* True for a node that is a switch: a file is about it, or where no file is about single nodes, it has several cables.
 */
bool cabling_is_switch(const cabling *c, uint32_t node);
/* Cables between switches. */
uint32_t cabling_between_switches(const cabling *c);
/* An edge list of the graph family (docs/fabrics.md) of the cables in `c`; `plan` (may be NULL) adds hosts. False: a
 * name has a blank or another character that such a list cannot have. */
bool cabling_edges(const cabling *c, const cabling *plan, ripstop_text *out);

#endif
