/* tree.h - the geometry of fat trees for routing methods: levels, ancestors, ways up and down. Both tree families are
 * wired by Definition 1 of Hu, Wang and Sun 2010 ("Distributed Dynamic Fault-Tolerant Routing in Fat Tree"):
 *
 *   end nodes p = p_{n-1} ... p_0, switches <l, c = c_{n-2} ... c_0>, level 0 next to the end nodes; digits are below
 *   `half`, but p_{n-1} (and c_{n-2} below the top level) is below `top`: half in a k-ary n-tree, 2 * half in an m-port
 *   n-tree. Ports 0 .. half-1 lead down, half .. 2*half-1 up; a top switch has `top` ports, all down.
 *   <l, c> port c'_l + half  joins  <l+1, c'> port c_l  where c'_i = c_i for all i != l.
 *   p  joins  <0, c> port p_0  where c_i = p_{i+1}.
 *
 * So switch <l, c> is above exactly those end nodes with p_{i+1} = c_i for i >= l, a contiguous range of numbers, and
 * at level l the one way down is port p_l. */
#ifndef RS_FABRIC_TREE_H
#define RS_FABRIC_TREE_H

#include "ripstop/fabric.h"

typedef struct rs_tree_switch {
  uint32_t first, span; /* the end nodes below it: first .. first+span-1 */
  uint16_t level;
  uint16_t ups; /* number of up ports: half, or 0 at the top */
} rs_tree_switch;

typedef struct rs_tree {
  uint32_t half;            /* k, or m/2: the first up port, and how many there are below the top */
  uint32_t levels;          /* n; the top level is n-1 */
  uint32_t top_ports;       /* ports of a top switch, which is also how many values p_{n-1} has */
  uint32_t ends;            /* end nodes; switch number 0 is node `ends` */
  const rs_tree_switch *at; /* [switches]: of node ends + i */
  const uint16_t *digit;    /* the fabric's coordinates: digit l of end node e at e * levels + l */
} rs_tree;

/* The tree's geometry, valid as long as the fabric; false when the fabric is not one of the tree families. */
bool rs_tree_from(const rs_fabric *fabric, rs_tree *out);

static inline const rs_tree_switch *rs_tree_at(const rs_tree *t, uint32_t node) { return &t->at[node - t->ends]; }
static inline uint32_t rs_tree_level(const rs_tree *t, uint32_t node) { return rs_tree_at(t, node)->level; }
static inline uint32_t rs_tree_ups(const rs_tree *t, uint32_t node) { return rs_tree_at(t, node)->ups; }
static inline uint32_t rs_tree_first_up(const rs_tree *t) { return t->half; }
static inline bool rs_tree_is_up(const rs_tree *t, uint32_t node, uint32_t port) {
  return port - t->half < rs_tree_ups(t, node); /* a down port wraps round to a huge number */
}
/* Whether the switch is an ancestor of the end node: one subtraction, one comparison. */
static inline bool rs_tree_above(const rs_tree *t, uint32_t node, uint32_t end) {
  const rs_tree_switch *at = rs_tree_at(t, node);
  return end - at->first < at->span;
}
/* p_level: the down port towards an end node from any of its ancestors at that level. */
static inline uint32_t rs_tree_down_port(const rs_tree *t, uint32_t level, uint32_t end) {
  return t->digit[(size_t)end * t->levels + level];
}

/* ------------------------------------------------------------------ for families only */

typedef struct rs_tree_shape {
  uint32_t half, levels, top;
} rs_tree_shape;

void rs_tree_count(const rs_tree_shape *shape, rs_counts *out);
/* What is below each switch, level by level; `at` has counts.switches. Digits stay out: they follow from numbers. */
void rs_tree_switches(const rs_tree_shape *shape, rs_tree_switch *at);
static inline uint32_t rs_tree_ports(const rs_tree_shape *shape, const rs_tree_switch *at) {
  return at->level + 1u == shape->levels ? shape->top : 2 * shape->half;
}
/* The cables between the switches, the first of which is node `first`. */
void rs_tree_wire(rs_builder *builder, const rs_tree_shape *shape, uint32_t first);
void rs_tree_build(rs_builder *builder, const rs_tree_shape *shape);
void rs_tree_node_name(const rs_fabric *fabric, uint32_t node, char *out);
void rs_tree_link_name(const rs_fabric *fabric, uint32_t link, char *out);
uint32_t rs_tree_symbols(const rs_fabric *fabric, uint32_t link, rs_symbol *out);

#endif
