/* random.c - any of the ways, by the tie rule. */
#include "ripstop/plugin/choice.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_choice ripstop_choice_random = {
    .abi = RIPSTOP_CHOICE_ABI, .name = "random", .summary = "any of them, each as likely", .options = options};
