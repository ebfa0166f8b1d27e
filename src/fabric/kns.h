/* kns.h - the geometry of k-ary n-direct s-indirect fabrics for routing methods: routers, their digits, the lines.
 *
 * Router number r (0 .. k^n - 1) has the digits r_{n-1} ... r_0 below k and is node `ends` + r; its port d leads into
 * its line of dimension d, ports n .. n+c-1 to its end nodes r*c .. r*c + c-1. A line of dimension d joins the k
 * routers that differ in digit d alone; digit d is a router's place on it. Lines are numbered dimension by dimension,
 * within one by their routers' digits without digit d read as a number.
 *
 * A RUFT (reduced unidirectional fat tree; Gomez, Gilabert, Gomez, Lopez and Duato 2008) has the switches and the
 * cables between them of an a-ary s-tree, and packets only go up: level l is stage l, every switch has `a` ports in,
 * 0 .. a-1, and `a` ports out, a .. 2a-1. A packet for place p leaves stage l by port a + p_l. So it comes to the
 * switch c of the last stage with c_i = p_i, whose port a + p_{s-1} leads to the router at p. All links of the line
 * carry packets in one direction; a router sends into it by port d and receives from it by port n + c + d.
 *
 * A line is a k^(1/s)-ary s-tree, wired as tree.h says with the routers' places for end nodes: with s = 1 one switch, a
 * crossbar, whose port x leads to the router at place x. So what tree.h says about a tree's switches and end nodes
 * holds of a line's switches and places, by ripstop_kns_tree, for every s.
 *
 * Everything is for nodes of the fabric that ripstop_kns_from was given. */
#ifndef RIPSTOP_FABRIC_KNS_H
#define RIPSTOP_FABRIC_KNS_H

#include "fabric/digits.h"
#include "fabric/tree.h"

enum { RIPSTOP_KNS_MAX = 26 }; /* dimensions: more routers than 2^26 there cannot be */

typedef struct ripstop_kns {
  const ripstop_fabric *fabric;
  uint32_t dimensions;              /* n */
  uint32_t k;                       /* routers on a line */
  uint32_t stages;                  /* s */
  bool ruft;                        /* the lines are RUFTs, with s > 1 */
  uint32_t concentration;           /* c: end nodes per router */
  uint32_t ends, routers;           /* c k^n, k^n */
  uint32_t lines;                   /* in one dimension: k^(n-1) */
  uint32_t line_switches;           /* in one line */
  uint32_t first_line;              /* the first switch of line 0: ends + routers */
  uint32_t stride[RIPSTOP_KNS_MAX]; /* k^d: how much one step in digit d adds to a router's number */
  ripstop_tree tree;                /* every line, but for `ends`; for RUFTs only `half` and `digit` hold */
} ripstop_kns;

/* False when the fabric is not of this family. The result is valid as long as the fabric. */
bool ripstop_kns_from(const ripstop_fabric *fabric, ripstop_kns *out);

/* ------------------------------------------------------------------ nodes: end nodes, routers, switches of lines */

static inline bool ripstop_kns_is_router(const ripstop_kns *t, uint32_t node) { return node - t->ends < t->routers; }
static inline bool ripstop_kns_is_line(const ripstop_kns *t, uint32_t node) { return node >= t->first_line; }
static inline uint32_t ripstop_kns_router_node(const ripstop_kns *t, uint32_t router) { return t->ends + router; }
static inline uint32_t ripstop_kns_router_at(const ripstop_kns *t, uint32_t node) { return node - t->ends; }
static inline uint32_t ripstop_kns_router_of(const ripstop_kns *t, uint32_t end) { return end / t->concentration; }
/* A router's port to one of its end nodes. */
static inline uint32_t ripstop_kns_end_port(const ripstop_kns *t, uint32_t end) {
  return t->dimensions + end % t->concentration;
}

/* A router's port that receives from its line of a dimension. */
static inline uint32_t ripstop_kns_in_port(const ripstop_kns *t, uint32_t d) {
  return t->ruft ? t->dimensions + t->concentration + d : d;
}

/* ------------------------------------------------------------------ routers and their digits */

static inline uint32_t ripstop_kns_digit(const ripstop_kns *t, uint32_t router, uint32_t d) {
  return ripstop_coords(t->fabric, t->ends + router)[d];
}
static inline uint32_t ripstop_kns_router(const ripstop_kns *t, const uint16_t *digit) {
  uint32_t router = 0;
  for (uint32_t d = 0; d < t->dimensions; d++) router += digit[d] * t->stride[d];
  return router;
}
/* The router with another digit d. */
static inline uint32_t ripstop_kns_move(const ripstop_kns *t, uint32_t router, uint32_t d, uint32_t digit) {
  return router + (digit - ripstop_kns_digit(t, router, d)) * t->stride[d]; /* modulo 2^32 when it goes down */
}
/* The link between a router and its line of dimension d, which leaves by the router's port d; and back. */
static inline uint32_t ripstop_kns_link(const ripstop_kns *t, uint32_t router, uint32_t d) {
  return t->ends + router * t->dimensions + d;
}
static inline bool ripstop_kns_is_router_link(const ripstop_kns *t, uint32_t link) {
  return link - t->ends < t->routers * t->dimensions;
}
static inline uint32_t ripstop_kns_link_router(const ripstop_kns *t, uint32_t link) {
  return (link - t->ends) / t->dimensions;
}
static inline uint32_t ripstop_kns_link_dimension(const ripstop_kns *t, uint32_t link) {
  return (link - t->ends) % t->dimensions;
}

/* ------------------------------------------------------------------ lines */

/* A router's line of dimension d. */
static inline uint32_t ripstop_kns_line(const ripstop_kns *t, uint32_t router, uint32_t d) {
  return d * t->lines + router / t->stride[d] / t->k * t->stride[d] + router % t->stride[d];
}
static inline uint32_t ripstop_kns_line_dimension(const ripstop_kns *t, uint32_t line) { return line / t->lines; }
/* The router at a place of a line. */
static inline uint32_t ripstop_kns_line_router(const ripstop_kns *t, uint32_t line, uint32_t place) {
  uint32_t stride = t->stride[line / t->lines], number = line % t->lines;
  return number / stride * stride * t->k + place * stride + number % stride;
}
/* The line that a switch belongs to, and a line's first switch; the switch of a crossbar line. */
static inline uint32_t ripstop_kns_line_of(const ripstop_kns *t, uint32_t node) {
  return (node - t->first_line) / t->line_switches;
}
static inline uint32_t ripstop_kns_line_node(const ripstop_kns *t, uint32_t line) {
  return t->first_line + line * t->line_switches;
}
/* The stage of a RUFT's switch; and the port by which a packet for a place leaves it. */
static inline uint32_t ripstop_kns_stage(const ripstop_kns *t, uint32_t node) {
  return (node - t->first_line) % t->line_switches / (t->line_switches / t->stages);
}
static inline uint32_t ripstop_kns_ruft_port(const ripstop_kns *t, uint32_t stage, uint32_t place) {
  return t->tree.half + ripstop_tree_down_port(&t->tree, stage, place);
}
/* The switch of a RUFT's last stage that a place hangs from, in its line: the digits of the place without the first. */
static inline uint32_t ripstop_kns_ruft_last(const ripstop_kns *t, uint32_t place) {
  uint32_t of_stage = t->line_switches / t->stages;
  return t->line_switches - of_stage + place % of_stage;
}
/* The geometry of a line's tree, for ripstop_tree_level, _ups, _above, _down_port, ...: its switches by their nodes,
 * its places 0 .. k-1 for end nodes. */
static inline ripstop_tree ripstop_kns_tree(const ripstop_kns *t, uint32_t line) {
  ripstop_tree tree = t->tree;
  tree.ends = ripstop_kns_line_node(t, line);
  return tree;
}

#endif
