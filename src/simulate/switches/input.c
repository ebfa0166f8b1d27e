/* input.c - packets wait at the input port by which they came, in order of arrival: a queue for each port and virtual
 * channel. Its head requests one of its candidates again and again until one is granted. The event loop (core.c) does
 * this by itself. */
#include "ripstop/plugin/switch.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_switch ripstop_switch_input = {.abi = RIPSTOP_SWITCH_ABI,
                                             .name = "input",
                                             .summary = "a queue for each input port and virtual channel",
                                             .options = options,
                                             .waits = RIPSTOP_SWITCH_WAITS_ANY,
                                             .space = RIPSTOP_SWITCH_SPACE_OWN};
