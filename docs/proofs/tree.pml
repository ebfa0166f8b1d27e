/* tree.pml - the fat trees of src/fabric/tree.c in numbers, for fixed_frame.pml and fixed_queues.pml.
 *
 * HALF is the number of up ports, LEVELS the number of levels, TOP the number of down ports of a top switch: HALF in a
 * k-ary n-tree, 2 * HALF in an m-port n-tree. Ports below HALF lead down (at the top all do), the others up. Every up
 * port of <level, number> leads to a switch that differs in digit `level` alone, as wire_level() has it. */
#ifndef HALF
#define HALF 2
#endif
#ifndef LEVELS
#define LEVELS 3
#endif
#ifndef TOP
#define TOP HALF
#endif

/* HALF to the power of a level, for at most four levels. */
#define WEIGHT(level) ((level) == 0 -> 1 : ((level) == 1 -> HALF : ((level) == 2 -> HALF * HALF : HALF * HALF * HALF)))
#define IS_TOP(level) ((level) + 1 == LEVELS)
#define SWITCHES(level) (IS_TOP(level) -> WEIGHT(LEVELS - 1) : WEIGHT(LEVELS - 1) / HALF * TOP)
#define PORTS(level) (IS_TOP(level) -> TOP : 2 * HALF)
#define IS_UP(level, port) (!IS_TOP(level) && (port) >= HALF)
/* Leaves' down ports lead to end nodes, which are in no turn. */
#define LEADS_TO_SWITCH(level, port) ((level) > 0 || (port) >= HALF)

/* Digit `low` of a switch, where a link joins levels low and low + 1; at the highest such level it is the most
 * significant one, which may be as large as TOP - 1. */
#define DIGIT(low, number)                                                                                             \
  ((low) + 2 == LEVELS -> (number) / WEIGHT(low) : ((number) / WEIGHT(low)) % HALF)
#define REPLACED(low, number, digit) ((number) - DIGIT(low, number) * WEIGHT(low) + (digit) * WEIGHT(low))

/* fixed_turns() of src/methods/valleys/frame.c: every turn but back for what came up; for what came down no turn up by
 * a port that is not higher. */
#ifdef MUTANT_ANY_VALLEY
#define VALLEY(in_port, out_port) ((in_port) != (out_port)) /* refuted: a valley may lead to any other up port */
#else
#define VALLEY(in_port, out_port) ((out_port) > (in_port))
#endif
#define TURNS(level, in_port, out_port)                                                                                \
  ((in_port) != (out_port) && LEADS_TO_SWITCH(level, out_port) &&                                                      \
   (!IS_UP(level, in_port) || !IS_UP(level, out_port) || VALLEY(in_port, out_port)))
