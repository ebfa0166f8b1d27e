/* graph.h - edge lists that are in memory already (tests, fuzzing, generated graphs), and where a file of them lies. */
#ifndef RIPSTOP_FABRIC_GRAPH_H
#define RIPSTOP_FABRIC_GRAPH_H

#include "ripstop/plugin/family.h"

/* `name` stands for the file in messages and in the spec. NULL on error. */
ripstop_fabric *ripstop_graph_from_text(const char *name, const char *text, size_t length, ripstop_error *err);

extern const ripstop_family ripstop_family_graph;

/* For a config of the graph family: a relative path starts at the folder of the file `beside`, and the spec has the
 * file's name without its folders. */
void ripstop_graph_beside(ripstop_arena *arena, void *config, const char *beside);

#endif
