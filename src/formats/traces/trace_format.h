/* trace_format.h - the formats of other programs that are known by their first lines: fabrics and jobs that can be
 * read, and files that are refused by name.
 *
 * A text of a known format is never tried as an edge list or as rows of numbers. Sources of the signatures are the
 * readers and writers of those programs; each reader's header names them. */
#ifndef RIPSTOP_FORMATS_TRACES_TRACE_FORMAT_H
#define RIPSTOP_FORMATS_TRACES_TRACE_FORMAT_H

#include "formats/graph/named_graph.h"

typedef struct trace_format {
  const char *name;   /* in messages */
  const char *kind;   /* the kind of workload that reads it; NULL: none does */
  const char *advice; /* for a format that nothing here reads: what is read in its place, or NULL */
  /* Reads a fabric; NULL: it is none. `g->file` is for messages. */
  int (*graph)(ripstop_graph *g, const char *text, size_t length, ripstop_error *err);
} trace_format;

extern const trace_format trace_htsim_topology, trace_htsim_matrix, trace_hpcc_topology, trace_hpcc_flows,
    trace_simai_topology, trace_astra_network, trace_chakra, trace_simai_workload;

/* The format of a text that is unpacked; NULL: none of these. */
const trace_format *trace_format_of(const char *text, size_t length);
/* The kit uses it. */
RIPSTOP_BEGIN

/* Refuses a text in a known format that `kind`, a workload, does not read. 0: it may be the right one. */
int ripstop_trace_refuse_other(const char *text, size_t length, const char *kind, ripstop_error *err);

RIPSTOP_END

/* Reads a fabric, or refuses a format that is none. */
int trace_read_graph(const trace_format *format, ripstop_graph *g, const char *text, size_t length, ripstop_error *err);

/* ---- for readers of fabrics: a router or end node with a letter and a number as its name */
uint32_t trace_graph_router(ripstop_graph *g, char letter, uint64_t number, ripstop_error *err);
uint32_t trace_graph_end(ripstop_graph *g, char letter, uint64_t number, ripstop_error *err);

#endif
