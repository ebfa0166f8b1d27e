/* switch.h - where the packets of a switch wait (switch.queues): the struct that every file in src/simulate/switches/
 * ends with.
 *
 * An organisation of queues says two things. A simulation needs to know how to attach it to the event loop (`open`).
 * The prover needs to know what a packet in it waits for (`waits`, `space`): a method that is free of deadlock while a
 * packet waits for any of its candidates can deadlock once a packet is bound to one of them. */
#ifndef RIPSTOP_PLUGIN_SWITCH_H
#define RIPSTOP_PLUGIN_SWITCH_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

typedef struct ripstop_simulation ripstop_simulation; /* ripstop/simulate.h */

/* The candidates that a packet in a switch waits for. */
typedef enum ripstop_switch_waits {
  /* All candidates stay until one is granted. A packet is stuck only if the queues behind all its candidates are stuck.
   * This is the rule of ripstop_waits and of certificates. */
  RIPSTOP_SWITCH_WAITS_ANY,
  /* One candidate is chosen when the packet enters the switch, and it waits for that one alone. Any candidate may be
   * the chosen one. So each pair of a state and one of its candidates counts as a packet with a single candidate, as
   * with ripstop_plan.choose_early. */
  RIPSTOP_SWITCH_WAITS_ONE
} ripstop_switch_waits;

/* Which packets can take the last free space that a packet waits for. */
typedef enum ripstop_switch_space {
  /* Each input port and virtual channel has space for at least one longest packet that no other can take: a queue of
   * its own, or a reserve in a shared memory. The prover takes each channel of each port as one queue. */
  RIPSTOP_SWITCH_SPACE_OWN,
  /* All packets of a switch share its space, without a reserve. The prover takes the switch as one queue. */
  RIPSTOP_SWITCH_SPACE_ONE
} ripstop_switch_space;

typedef struct ripstop_switch {
  uint32_t abi; /* RIPSTOP_SWITCH_ABI */
  const char *name, *summary;
  const ripstop_option *options; /* as in "name:option=value" */
  size_t config_size;
  ripstop_switch_waits waits;
  ripstop_switch_space space;
  bool memory; /* packets have space in a memory of the switch, counted in flits, and none in input queues */
  /* Checks a run's other options, allocates what the run needs, and takes its hooks of the event loop
   * (simulate/hooks.h, simulate/state.h). It is called once, when the rows of nodes, queues and output VCs are laid
   * out. Returns -1 with an error. NULL: the event loop alone, without hooks. */
  int (*open)(ripstop_simulation *run, const void *config, ripstop_error *err);
} ripstop_switch;
#define RIPSTOP_SWITCH_ABI    2
#define RIPSTOP_SWITCH_QUEUES "input" /* the default, which the event loop is by itself and no run's name has */
extern RIPSTOP_INTERNAL const ripstop_switch *const ripstop_switches[]; /* generated */
/* The organisation with this name, of a spec "name" or "name:option=value"; its options go to *config, from the arena.
 * NULL with an error that names the nearest. */
const ripstop_switch *ripstop_switch_open(ripstop_arena *arena, const char *spec, void **config, ripstop_error *err);

RIPSTOP_END

#endif
