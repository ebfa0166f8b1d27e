/* counters.h - reads the error counters of ports, as these print them:
 *
 *   ibqueryerrors           GUID 0x... port 17: [SymbolErrorCounter == 5] [PortXmitData == 6 (1.2KB)]
 *   perfquery [-x]          # Port counters: Lid 4 port 17 (...), then a counter a line
 *   ibdiagnet2.db_csv       the section PM_INFO
 *   Prometheus' text        metrics of infiniband_exporter (infiniband_switch_port_..., infiniband_hca_port_..., and
 *                           infiniband_..._total{local_guid=...}) and of node_exporter (node_infiniband_...)
 *
 * Colours of terminals, prefixes of logs and quotes of e-mails do not matter (plain_lines.h).
 * Sums over all ports (port ALL, port 255) are skipped. Only counters that a cable can be blamed for are kept:
 * discards, waiting, relay errors and errors that another port marked are the fault of something else. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_COUNTERS_H
#define RIPSTOP_FORMATS_INFINIBAND_COUNTERS_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

typedef enum ib_counter {
  IB_COUNTER_DOWNED,    /* LinkDownedCounter */
  IB_COUNTER_RECOVERY,  /* LinkErrorRecoveryCounter */
  IB_COUNTER_SYMBOL,    /* SymbolErrorCounter */
  IB_COUNTER_RECEIVE,   /* PortRcvErrors */
  IB_COUNTER_INTEGRITY, /* LocalLinkIntegrityErrors */
  IB_COUNTER_OVERRUN,   /* ExcessiveBufferOverrunErrors */
  IB_COUNTERS
} ib_counter;

/* One place of a file that has counters of a port. Several places may speak of one port. */
typedef struct ib_counted_port {
  uint64_t guid;         /* the GUID of the node, or of the port; 0: unknown */
  uint64_t port_guid;    /* 0: unknown */
  uint32_t lid;          /* RIPSTOP_NONE: unknown */
  const char *text;      /* the node's description; NULL: unknown */
  uint32_t number, line; /* the port's; the place in the file */
  uint64_t value[IB_COUNTERS];
  bool known[IB_COUNTERS];
  bool full[IB_COUNTERS]; /* the value is the largest that the counter can hold: the real one may be larger */
} ib_counted_port;

typedef struct ib_counters {
  ripstop_arena *arena;
  ib_counted_port *list;
  uint32_t count, room;
} ib_counters;

/* Adds what a text has to the list, whose arena is set. -1: it has no counters. */
int ib_counters_read(ib_counters *counters, const char *file, const char *text, size_t length, ripstop_error *err);

#endif
