/* tree_blocks.h - the blocks of a recognised fat tree, in which each lower switch is cabled to each upper one, and the
 * ports that a block's switches have on its other side. */
#ifndef RIPSTOP_RECOGNISE_TREE_BLOCKS_H
#define RIPSTOP_RECOGNISE_TREE_BLOCKS_H

#include "recognise/port_habits.h"
#include "recognise/recognised_graph.h"

typedef struct tree_side {
  const uint32_t *node; /* [nodes], ascending */
  uint32_t nodes;
} tree_side;

typedef struct tree_block {
  uint32_t level; /* the lower switches' */
  uint32_t twins; /* cables between a lower and an upper one */
  tree_side lower, upper;
} tree_block;

typedef struct tree_blocks {
  const recognised_graph *net;
  const ripstop_model *model;
  tree_block *list; /* [count], by level */
  uint32_t count;
  uint32_t *above; /* [switches]: the block in which it is a lower one; RIPSTOP_NONE: none */
  uint32_t *below; /* the same for upper ones */
  port_habits habits;
} tree_blocks;

/* The blocks of a tree's model, compared with the net already. Memory from the net's arena. */
void tree_blocks_find(tree_blocks *blocks, const recognised_graph *net, const ripstop_model *model);

/* A switch's first port on the other side of its block. */
typedef struct tree_seat {
  uint32_t node, port;
} tree_seat;

/* Ports on one side of a block in equal steps, each for a switch of the other side. */
typedef struct tree_row {
  const tree_seat *seat; /* [seats], by port */
  uint32_t seats, step, twins;
} tree_row;

/* The row of the lower switches on the upper ones, or the other way round. False: too few have a port of their own that
 * is the same everywhere, or their steps differ. */
bool tree_row_find(const tree_blocks *blocks, const tree_block *block, bool of_lower, tree_row *row);
/* True if the port is that of one of its switches. */
bool tree_row_has(const tree_row *row, uint32_t port);
/* True if a port has no switch, but lies among the ports of the row, or so many steps beyond its ends. */
bool tree_row_has_free(const tree_row *row, uint32_t port, uint32_t beyond);
/* The port of a lower switch that has none left on the upper ones of its block: that of the other switches of its pod
 * on theirs or, where they differ, the only one that its row lacks. RIPSTOP_NONE: neither shows it. */
uint32_t tree_port_lost(const tree_blocks *blocks, uint32_t lower);
static inline uint32_t tree_level(const ripstop_model *model, uint32_t v) {
  return model->place[(size_t)v * model->dims];
}

#endif
