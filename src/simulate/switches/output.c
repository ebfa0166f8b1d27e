/* output.c - a packet chooses its output when it enters the switch, and waits there for the link. No packet waits
 * behind one for another output: no head-of-line blocking inside a switch. The space that it takes is that of the input
 * queue by which it came. bound_packets.c has the rest. */
#include "ripstop/plugin/switch.h"
#include "simulate/bound_packets.h"

#include "base/no_heap.h"

static int attach(ripstop_simulation *r, const void *config, ripstop_error *err) {
  (void)config;
  return bound_open(r, err);
}

static const ripstop_option options[] = {{0}};
const ripstop_switch ripstop_switch_output = {
    .abi = RIPSTOP_SWITCH_ABI,
    .name = "output",
    .summary = "a queue for each output port and virtual channel, which a packet chooses when it enters the switch",
    .options = options,
    .waits = RIPSTOP_SWITCH_WAITS_ONE,
    .space = RIPSTOP_SWITCH_SPACE_OWN,
    .open = attach};
