/* graph.h - edge lists that are in memory already (tests, fuzzing, generated graphs). */
#ifndef RIPSTOP_FABRIC_GRAPH_H
#define RIPSTOP_FABRIC_GRAPH_H

#include "ripstop/plugin/family.h"

/* `name` stands for the file in messages and in the spec. NULL on error. */
ripstop_fabric *ripstop_graph_from_text(const char *name, const char *text, size_t length, ripstop_error *err);

extern const ripstop_family ripstop_family_graph;

#endif
