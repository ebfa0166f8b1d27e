/* mutant.h - immunet with one thing wrong: the file that includes this defines ORIGINAL, a name of its own for the
 * method that comes with the source, and says what is wrong in `mutant_step` or `mutant_candidates`. */
#ifndef TESTS_MUTANT_H
#define TESTS_MUTANT_H

#define ripstop_method_immunet ORIGINAL
#include "methods/immunet.c" /* NOLINT(bugprone-suspicious-include) */
#include "ripstop/plugin/method.h"

#define MUTANT_PROTO(step_, candidates_)                                               \
  static const ripstop_proto mutant_proto = {.message_size = sizeof(message),          \
                                             .flits = ripstop_immunet_flits,           \
                                             .settled = true,                          \
                                             .interfaces = true,                       \
                                             .state_size = ripstop_immunet_state_size, \
                                             .step = (step_),                          \
                                             .candidates = (candidates_),              \
                                             .delay = ripstop_immunet_delay,           \
                                             .print = ripstop_immunet_print,           \
                                             .check = ripstop_immunet_check}
#define MUTANT(word)                                                                                         \
  {                                                                                                          \
    .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = options, \
    .config_size = sizeof(config), .losses = losses, .plan = plan, .tables = settle, .route = route,         \
    .guarantees = ripstop_connected_guarantees, .proto = &mutant_proto                                       \
  }

#endif
