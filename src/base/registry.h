/* registry.h - the one look-up of plug-ins by name: fabric families, methods, patterns, arbiters, kernels and any
 * other table of named things with options.
 *
 * A kind of plug-in describes its table to the look-up:
 *
 *   static ripstop_plugin method_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_methods[i]); }
 *   static const ripstop_registry methods = {"method", RIPSTOP_METHOD_ABI, method_at};
 *
 * Before the interface number of a plug-in has been checked, only its name and that number are read. */
#ifndef RIPSTOP_BASE_REGISTRY_H
#define RIPSTOP_BASE_REGISTRY_H

#include "ripstop/plugin/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

/* The members of a plug-in that the look-up reads. */
typedef struct ripstop_plugin {
  const void *self; /* the plug-in's own struct; NULL: the table ends here */
  uint32_t abi;
  const char *name;
  const ripstop_option *options;
  size_t config_size; /* bytes of the struct that the options fill */
} ripstop_plugin;

/* From a pointer to any struct with these members; NULL ends the table. */
#define RIPSTOP_PLUGIN(p)                                  \
  ((p) ? (ripstop_plugin){.self = (p),                     \
                          .abi = (p)->abi,                 \
                          .name = (p)->name,               \
                          .options = (p)->options,         \
                          .config_size = (p)->config_size} \
       : (ripstop_plugin){0})

typedef struct ripstop_registry {
  const char *kind; /* the word of messages for one: "method" */
  uint32_t abi;     /* the interface number that a plug-in must have */
  ripstop_plugin (*at)(size_t index);
} ripstop_registry;

/* True if a plug-in has the name, of which `length` characters count, whatever its interface number. */
bool ripstop_registry_has(const ripstop_registry *registry, const char *name, size_t length);
/* The plug-in of this name. NULL with an error that gives the nearest name or all names, or says that the plug-in was
 * made for another interface. */
const void *ripstop_registry_find(const ripstop_registry *registry, const char *name, size_t length,
                                  ripstop_error *err);
/* Reads "name:a=1,b=2": the plug-in, and its options in *config, which belongs to the arena. NULL on error. */
const void *ripstop_registry_open(const ripstop_registry *registry, ripstop_arena *arena, const char *spec,
                                  void **config, ripstop_error *err);

RIPSTOP_END

#endif
