/* mutant.h - valleys with one rule of its protocol broken: the file that includes this defines ORIGINAL, a name of its
 * own for the method that comes with the source, and breaks the rule in `mutant_step`. */
#ifndef TESTS_MUTANT_H
#define TESTS_MUTANT_H

#define ripstop_method_valleys ORIGINAL
#include "methods/valleys.c" /* NOLINT(bugprone-suspicious-include) */
#include "ripstop/plugin/method.h"

#define MUTANT_PROTO(step_)                                                                     \
  static const ripstop_proto mutant_proto = {.message_size = sizeof(message),                   \
                                             .flits = ripstop_message_flits,                    \
                                             .settled = true,                                   \
                                             .needs_space = true,                               \
                                             .state_size = ripstop_valleys_state_size,          \
                                             .step = (step_),                                   \
                                             .candidates = ripstop_valleys_protocol_candidates, \
                                             .delay = ripstop_message_delay,                    \
                                             .print = ripstop_valleys_print,                    \
                                             .json = ripstop_valleys_json}
#define MUTANT(word)                                                                                                \
  {                                                                                                                 \
    .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = options,        \
    .config_size = sizeof(config), .losses = losses, .plan = plan, .tables = settle, .route = route,                \
    .guarantees = ripstop_connected_guarantees, .lost_pairs = lost_pairs, .fact_names = fact_names, .facts = facts, \
    .proto = &mutant_proto                                                                                          \
  }

#endif
