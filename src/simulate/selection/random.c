/* random.c - any of the candidates, by the tie rule. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_random = {
    .abi = RIPSTOP_SELECTION_ABI, .name = "random", .summary = "any of them, each as likely", .options = options};
