/* port_habits.h - the usual ports of a model's cables.
 *
 * Ends of cables with the same role mostly use the same port. The pairs of switches that have no more cables than they
 * should show which one. */
#ifndef RIPSTOP_RECOGNISE_PORT_HABITS_H
#define RIPSTOP_RECOGNISE_PORT_HABITS_H

#include "recognise/recognised_graph.h"

/* A pair of switches that have cables or should have. */
typedef struct pair {
  uint32_t want, wants, cable, cables; /* first index in the arrays of model and net, and how many */
} pair;

/* The next pair in the order of both arrays; false at the end. */
bool pair_next(const ripstop_model *model, const recognised_graph *net, pair *p);

/* Ends of a role that use a port. */
typedef struct port_habit {
  uint64_t role;
  uint32_t port, times;
} port_habit;

typedef struct port_habits {
  port_habit *list; /* [count], sorted by role, then port */
  uint32_t count;
} port_habits;

/* Memory from the arena of the net. */
void port_habits_find(port_habits *habits, const ripstop_model *model, const recognised_graph *net);
/* The first habit of a role, and whether one at an index is still of that role. */
uint32_t port_habits_first(const port_habits *habits, uint64_t role);
static inline bool port_habits_has(const port_habits *habits, uint32_t i, uint64_t role) {
  return i < habits->count && habits->list[i].role == role;
}
/* True if ends of this role use the port at least half as often as their most common one. *known: they have a habit. */
bool port_habits_usual(const port_habits *habits, uint64_t role, uint32_t port, bool *known);

#endif
