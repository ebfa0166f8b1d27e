/* mutant.h - immunet with one thing wrong: the file that includes this defines ORIGINAL, a name of its own for the
 * method that comes with the source, and says what is wrong in `mutant_step` or `mutant_ways`. */
#ifndef TESTS_MUTANT_H
#define TESTS_MUTANT_H

#define rs_method_immunet ORIGINAL
#include "methods/immunet.c" /* NOLINT(bugprone-suspicious-include) */

#define MUTANT_PROTO(step_, ways_)                                       \
  static const rs_proto mutant_proto = {.message_size = sizeof(message), \
                                        .flits = flits,                  \
                                        .settled = true,                 \
                                        .interfaces = true,              \
                                        .state_size = state_size,        \
                                        .step = (step_),                 \
                                        .ways = (ways_),                 \
                                        .delay = delay,                  \
                                        .print = print,                  \
                                        .check = check}
#define MUTANT(word)                                                                                    \
  {                                                                                                     \
    .abi = RS_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = options, \
    .config_size = sizeof(config), .losses = losses, .plan = plan, .route = route, .claims = claims,    \
    .proto = &mutant_proto                                                                              \
  }

#endif
