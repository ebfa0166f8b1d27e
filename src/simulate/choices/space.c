/* space.c - the way whose queue has most free units; ties by the tie rule. */
#include "ripstop/plugin/choice.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_choice ripstop_choice_space = {.abi = RIPSTOP_CHOICE_ABI,
                                             .name = "space",
                                             .summary = "most free space in the next queue",
                                             .options = options,
                                             .roomiest = true};
