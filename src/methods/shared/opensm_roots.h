/* opensm_roots.h - roots of OpenSM's engines from a file (`opensm -a`): a GUID of a switch a line, `#` begins a
 * comment. Those that the fabric does not have are passed over, as OpenSM does. */
#ifndef METHODS_SHARED_OPENSM_ROOTS_H
#define METHODS_SHARED_OPENSM_ROOTS_H

#include "ripstop/plugin/method.h"

/* The config of an engine with roots begins with it. */
typedef struct ripstop_opensm_roots {
  const char *file; /* empty: none is given, and the engine finds roots by itself */
  const char *hash;
  const uint32_t *node; /* no option: [count], switches */
  uint32_t count;
} ripstop_opensm_roots;

#define RIPSTOP_OPENSM_ROOTS_OPTIONS                                                                             \
  {.name = "roots",                                                                                              \
   .type = RIPSTOP_OPTION_TEXT,                                                                                  \
   .offset = offsetof(ripstop_opensm_roots, file),                                                               \
   .fallback = "",                                                                                               \
   .help = "a file with the GUIDs of root switches; empty: the engine finds its"},                               \
  {                                                                                                              \
    .name = "hash", .type = RIPSTOP_OPTION_TEXT, .offset = offsetof(ripstop_opensm_roots, hash), .fallback = "", \
    .help = "what that file must hash to (XXH3, 16 hexadecimal digits); empty: anything"                         \
  }

/* ripstop_method.name_files and ripstop_method.load. */
int ripstop_opensm_roots_name(ripstop_arena *arena, const char *beside, void *named, void *opened, ripstop_error *err);
ripstop_answer ripstop_opensm_roots_load(ripstop_arena *arena, const ripstop_fabric *fabric, void *config,
                                         ripstop_error *err);

#endif
