/* goal_trace.h - reads traces in GOAL's text form, as LogGOPSim's schedgen writes them, and in its binary form
 * (docs/workloads.md, "GOAL"), one record at a time: a trace of a large job has gigabytes.
 *
 * Operations are numbered from 0 in the order of the file, and orders name them by these numbers. `src/workload` makes
 * tasks of them. */
#ifndef RIPSTOP_FORMATS_TRACES_GOAL_TRACE_H
#define RIPSTOP_FORMATS_TRACES_GOAL_TRACE_H

#include "base/piece.h"
#include "base/text_table.h"

/* The kit uses it. */
RIPSTOP_BEGIN

#define GOAL_ANY UINT32_MAX /* any source, or any tag, of a receive */

typedef enum goal_kind {
  GOAL_END,     /* the last rank has ended */
  GOAL_RANKS,   /* `amount` ranks; the first record */
  GOAL_COMPUTE, /* `amount` cycles */
  GOAL_SEND,    /* `amount` bytes to `peer` */
  GOAL_RECEIVE, /* `amount` bytes from `peer` */
  GOAL_ORDER    /* `operation` waits for `before` */
} goal_kind;

typedef struct goal_record {
  goal_kind kind;
  uint32_t line; /* in the binary form: byte */
  uint32_t rank, peer, tag;
  uint64_t amount;
  uint8_t processor;
  uint32_t operation, before;
  bool begin; /* it waits for the begin of `before` alone */
} goal_record;

/* A label of the present rank. */
typedef struct goal_label {
  piece name;
  uint32_t operation;
  uint32_t again; /* line of its second operation; 0: none */
} goal_label;

/* The present rank of the binary form; places are bytes of the file. */
typedef struct goal_binary {
  uint64_t begin, end, first, appendix; /* first: its operations begin there */
  uint32_t operations, roots, entries;  /* entries: in the appendix */
  uint32_t operation, entry;            /* the next one to give out */
  bool orders, is_begin;                /* operations are out, and now orders; those for a begin */
} goal_binary;

typedef struct goal_trace {
  piece text; /* the whole file */
  piece rest; /* text form: the part that is not read yet */
  bool is_binary;
  goal_binary binary;
  uint32_t line, ranks, rank, operations;
  bool inside; /* a rank */
  goal_label *label;
  uint32_t labels, room;
  ripstop_text_table names; /* the labels by name */
  ripstop_arena *arena;     /* for the labels of one rank */
  ripstop_error *err;
} goal_trace;

void ripstop_goal_open(goal_trace *trace, const char *text, size_t length, ripstop_error *err);
/* -1: a line is not understood; the error has its number. */
int ripstop_goal_next(goal_trace *trace, goal_record *out);
void ripstop_goal_close(goal_trace *trace);

RIPSTOP_END

#endif
