/* pattern.h - where packets go: the struct that every file in src/simulate/traffic/ ends with. */
#ifndef RIPSTOP_PLUGIN_PATTERN_H
#define RIPSTOP_PLUGIN_PATTERN_H

#include "ripstop/fabric.h"
#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_pattern {
  uint32_t abi; /* RIPSTOP_PATTERN_ABI */
  const char *name, *summary;
  const ripstop_option *options;
  size_t config_size;
  /* Refuses fabrics that it is not defined for (bit patterns need 2^b end nodes), may leave `destination` a table. */
  int (*prepare)(ripstop_arena *arena, const ripstop_fabric *fabric, const void *config, uint64_t seed,
                 const void **table, ripstop_error *err);
  /* An end node, or RIPSTOP_NONE: this source is silent in this pattern. `random` is one uniform 64-bit word. */
  uint32_t (*destination)(const ripstop_fabric *fabric, const void *config, const void *table, uint32_t source,
                          uint64_t random);
  bool (*to_self)(const void *config); /* a destination may be the source itself; NULL: never */
} ripstop_pattern;
#define RIPSTOP_PATTERN_ABI 3
extern RIPSTOP_INTERNAL const ripstop_pattern *const ripstop_patterns[]; /* generated */

RIPSTOP_END

#endif
