/* shared.c - a packet chooses its output when it enters the switch and waits there, as with `output`, but all packets
 * of a switch share one memory. Lossy: packets are lost where the memory or their queue is full. Lossless: each input
 * port and virtual channel pauses its sender (priority flow control) and has a reserve, so that the prover may take it
 * as a queue of its own. The keys are those of `switch:`; shared_memory.c has the rules. */
#include "ripstop/plugin/switch.h"
#include "simulate/bound_packets.h"

#include "base/no_heap.h"

static int attach(ripstop_simulation *r, const void *config, ripstop_error *err) {
  (void)config;
  return bound_open(r, err) || memory_open(r, err) ? -1 : 0;
}

static const ripstop_option options[] = {{0}};
const ripstop_switch ripstop_switch_shared = {
    .abi = RIPSTOP_SWITCH_ABI,
    .name = "shared",
    .summary = "as output, in a memory that all ports of a switch share, with pauses (PFC) or losses",
    .options = options,
    .waits = RIPSTOP_SWITCH_WAITS_ONE,
    .space = RIPSTOP_SWITCH_SPACE_OWN,
    .memory = true,
    .open = attach};
