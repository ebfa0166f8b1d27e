/* tree.h - the geometry of fat trees for routing methods: levels, ancestors, paths up and down. Both tree families are
 * wired by Definition 1 of Hu, Wang and Sun 2010 ("Distributed Dynamic Fault-Tolerant Routing in Fat Tree"):
 *
 *   end nodes p = p_{n-1} ... p_0, switches <l, c = c_{n-2} ... c_0>, level 0 next to the end nodes; digits are below
 *   `half`, but p_{n-1} (and c_{n-2} below the top level) is below `top`: half in a k-ary n-tree, 2 * half in an m-port
 *   n-tree. Ports 0 .. half-1 lead down, half .. 2*half-1 up; a top switch has `top` ports, all down.
 *   <l, c> port c'_l + half  joins  <l+1, c'> port c_l  where c'_i = c_i for all i != l.
 *   p  joins  <0, c> port p_0  where c_i = p_{i+1}.
 *
 * So switch <l, c> is above exactly those end nodes with p_{i+1} = c_i for i >= l, a contiguous range of numbers, and
 * at level l the only port down to one is port p_l. */
#ifndef RIPSTOP_FABRIC_TREE_H
#define RIPSTOP_FABRIC_TREE_H

#include "ripstop/plugin/family.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

typedef struct ripstop_tree_switch {
  uint32_t first, span; /* the end nodes below it: first .. first+span-1 */
  uint16_t level;
  uint16_t ups; /* number of up ports: half, or 0 at the top */
} ripstop_tree_switch;

typedef struct ripstop_tree {
  uint32_t half;                 /* k, or m/2: the first up port, and how many there are below the top */
  uint32_t levels;               /* n; the top level is n-1 */
  uint32_t top_ports;            /* ports of a top switch, which is also how many values p_{n-1} has */
  uint32_t ends;                 /* end nodes; switch number 0 is node `ends` */
  const ripstop_tree_switch *at; /* [switches]: of node ends + i */
  const uint16_t *digit;         /* the fabric's coordinates: digit l of end node e at e * levels + l */
} ripstop_tree;

/* The tree's geometry, valid as long as the fabric; false when the fabric is not one of the tree families. */
bool ripstop_tree_from(const ripstop_fabric *fabric, ripstop_tree *out);

static inline const ripstop_tree_switch *ripstop_tree_at(const ripstop_tree *t, uint32_t node) {
  return &t->at[node - t->ends];
}
static inline uint32_t ripstop_tree_level(const ripstop_tree *t, uint32_t node) {
  return ripstop_tree_at(t, node)->level;
}
static inline uint32_t ripstop_tree_ups(const ripstop_tree *t, uint32_t node) { return ripstop_tree_at(t, node)->ups; }
static inline uint32_t ripstop_tree_first_up(const ripstop_tree *t) { return t->half; }
static inline bool ripstop_tree_is_up(const ripstop_tree *t, uint32_t node, uint32_t port) {
  return port - t->half < ripstop_tree_ups(t, node); /* a down port wraps round to a huge number */
}
/* True if the switch is an ancestor of the end node: one subtraction, one comparison. */
static inline bool ripstop_tree_above(const ripstop_tree *t, uint32_t node, uint32_t end) {
  const ripstop_tree_switch *at = ripstop_tree_at(t, node);
  return end - at->first < at->span;
}
/* p_level: the down port towards an end node from any of its ancestors at that level. */
static inline uint32_t ripstop_tree_down_port(const ripstop_tree *t, uint32_t level, uint32_t end) {
  return t->digit[(size_t)end * t->levels + level];
}

/* ------------------------------------------------------------------ for families only */

typedef struct ripstop_tree_shape {
  uint32_t half, levels, top;
  bool one_way; /* packets go up alone, and leave the top level by `half` ports above the ports in: a line of kns */
} ripstop_tree_shape;

void ripstop_tree_count(const ripstop_tree_shape *shape, ripstop_counts *out);
/* The end nodes below each switch, level by level; `at` has counts.switches. Digits stay out: they follow from numbers.
 */
void ripstop_tree_switches(const ripstop_tree_shape *shape, ripstop_tree_switch *at);
static inline uint32_t ripstop_tree_ports(const ripstop_tree_shape *shape, const ripstop_tree_switch *at) {
  return at->level + 1u == shape->levels && !shape->one_way ? shape->top : 2 * shape->half;
}
/* The cables between the switches, the first of which is node `first`. */
void ripstop_tree_wire(ripstop_builder *builder, const ripstop_tree_shape *shape, uint32_t first);
void ripstop_tree_build(ripstop_builder *builder, const ripstop_tree_shape *shape);
void ripstop_tree_node_name(const ripstop_fabric *fabric, uint32_t node, char *out);
void ripstop_tree_link_name(const ripstop_fabric *fabric, uint32_t link, char *out);
/* A link between switches by its upper end, "LEVEL/DIGITS/PORT" with the upper switch and its down port: paper 001
 * names it from both ends. Patterns know the names by the lower end alone, so that other_name has none. */
uint32_t ripstop_tree_alias(const ripstop_fabric *fabric, ripstop_part_kind what, const char *text, size_t length);
bool ripstop_tree_other_name(const ripstop_fabric *fabric, ripstop_part_kind what, uint32_t part, unsigned number,
                             char *out);
uint32_t ripstop_tree_symbols(const ripstop_fabric *fabric, uint32_t link, ripstop_symbol *out);
/* Group 0, numbered by the level of the lower switch. */
uint32_t ripstop_tree_group(const ripstop_fabric *fabric, uint32_t link, uint32_t *number);

RIPSTOP_END

#endif
