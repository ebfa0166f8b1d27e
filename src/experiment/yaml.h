/* yaml.h - a YAML file as a tree of nodes that know their lines.
 *
 * Only what an experiment needs is accepted: one document of mappings, lists and plain values. Anchors, aliases, tags,
 * doubled keys, deep nesting and huge files are refused, so that no input makes work out of proportion to its size. */
#ifndef EXPERIMENT_YAML_H
#define EXPERIMENT_YAML_H

#include "ripstop/plugin/base.h"

enum {
  YAML_BYTES_MAX = 1 << 20,
  YAML_NODES_MAX = 100000,
  YAML_KEYS_MAX = 256, /* in one map; they are compared with each other */
  YAML_DEPTH_MAX = 8   /* an experiment needs five */
};

typedef enum yaml_kind { YAML_VALUE, YAML_LIST, YAML_MAP } yaml_kind;

typedef struct yaml_node yaml_node;
struct yaml_node {
  yaml_kind kind;
  int line;              /* 1 is the first */
  const char *text;      /* a value's; never contains a zero byte */
  size_t count;          /* children: items of a list, entries of a map */
  const yaml_node *item; /* [count] */
  const yaml_node *key;  /* [count], values; of a map only */
};

/* The document; `name` stands for the file in messages "NAME:LINE: ...". Memory from the arena. */
int yaml_read(ripstop_arena *arena, const char *name, const char *bytes, size_t length, yaml_node *out,
              ripstop_error *err);

/* The entry of a map, or NULL. */
const yaml_node *yaml_get(const yaml_node *map, const char *key);

#endif
