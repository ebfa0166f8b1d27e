/* random.c - any of the candidates, by the tie rule. */
#include "ripstop/plugin/selection.h"
#include "simulate/selection/shared_options.h"

#include "base/no_heap.h"

typedef struct config {
  bool binds;
} config;

static unsigned traits(const void *config_) { return traits_of(COUNTS_CHANNEL, ((const config *)config_)->binds); }

static const ripstop_option options[] = {BINDS_OPTION, {0}};
const ripstop_selection ripstop_selection_random = {.abi = RIPSTOP_SELECTION_ABI,
                                                    .name = "random",
                                                    .summary = "any of them, each as likely",
                                                    .options = options,
                                                    .config_size = sizeof(config),
                                                    .traits = traits};
