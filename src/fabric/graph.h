/* graph.h - a fabric from an edge list that is in memory already (tests, fuzzing, generated graphs). */
#ifndef RS_FABRIC_GRAPH_H
#define RS_FABRIC_GRAPH_H

#include "ripstop/fabric.h"

/* `name` stands for the file in messages and in the spec. NULL on error. */
rs_fabric *rs_graph_from_text(const char *name, const char *text, size_t length, rs_error *err);

#endif
