/* graph.h - edge lists that are in memory already (tests, fuzzing, generated graphs), and where a file of them lies. */
#ifndef RS_FABRIC_GRAPH_H
#define RS_FABRIC_GRAPH_H

#include "ripstop/fabric.h"

/* `name` stands for the file in messages and in the spec. NULL on error. */
rs_fabric *rs_graph_from_text(const char *name, const char *text, size_t length, rs_error *err);

extern const rs_family rs_family_graph;

/* For a config of the graph family: a relative path starts at the folder of the file `beside`, and the spec has the
 * file's name without its folders. */
void rs_graph_beside(rs_arena *arena, void *config, const char *beside);

#endif
