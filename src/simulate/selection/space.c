/* space.c - the candidate whose queue has the most free units; ties by the tie rule. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_space = {.abi = RIPSTOP_SELECTION_ABI,
                                                   .name = "space",
                                                   .summary = "most free space in the next queue",
                                                   .options = options,
                                                   .roomiest = true};
