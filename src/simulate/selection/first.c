/* first.c - the first candidate in the method's order. */
#include "ripstop/plugin/selection.h"

#include "base/no_heap.h"

static uint32_t choose(const void *config, const ripstop_choosing *c) {
  (void)config, (void)c;
  return 0;
}

static const ripstop_option options[] = {{0}};
const ripstop_selection ripstop_selection_first = {.abi = RIPSTOP_SELECTION_ABI,
                                                   .name = "first",
                                                   .summary = "the first in the method's order",
                                                   .options = options,
                                                   .choose = choose};
