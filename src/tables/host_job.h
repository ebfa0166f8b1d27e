/* host_job.h - a job on some hosts of a fabric, under given tables: how far sets of hosts block each other, and the
 * ring of an all-reduce over them.
 *
 * Hosts are the first words of adapters' descriptions. Of hosts with several adapters each sends to the adapter with
 * the same second word (its rail), or to the first one where there is none. All flows start at the rate of their
 * adapter.
 *
 * Blocking. Each host of one set sends to all hosts of the other at once, at the same rate to each, and so slow that no
 * adapter receives more than it can. The factor is what the busiest cable between switches would have to carry, against
 * its rate; 1 at least: nothing blocks.
 *
 * Ring. Each host sends to the next in the list, the last to the first, on all rails at once. Each step gets its
 * max-min fair share of the cables on its path. */
#ifndef TABLES_HOST_JOB_H
#define TABLES_HOST_JOB_H

#include "formats/hostlist.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

typedef struct job_adapter {
  uint32_t host, end;  /* in the list; node of the fabric */
  const char *word;    /* the second word of its description; empty: none */
  uint32_t leaf, rail; /* switch, by node; which word most adapters there have, RIPSTOP_NONE: none */
  double rate;         /* the rate of its cable */
} job_adapter;

typedef struct job_step {
  uint32_t from, to;     /* adapters */
  bool lost;             /* the tables do not lead there */
  bool leaves_leaf;      /* it goes over a cable between switches */
  bool crosses_rail;     /* from one rail to another */
  uint32_t first, ports; /* its path in job_ring.port, the adapter's own port first */
  double rate;           /* Mb/s */
} job_step;

typedef struct job_ring {
  uint32_t *host; /* [hosts]: the order */
  job_step *step; /* in this order, then by adapter */
  uint32_t steps, lost, between, crossing;
  uint32_t *port; /* paths: ports of the fabric that send */
  uint32_t ports, ports_room;
  uint32_t busiest, sharing; /* port into the cable between switches that most steps share, and how many; or none */
  uint32_t slowest;          /* step; RIPSTOP_NONE: all are lost */
} job_ring;

typedef struct job_blocking {
  uint32_t from, to; /* sets */
  double factor;
  uint32_t port;        /* into the busiest cable between switches; RIPSTOP_NONE: no cable carries anything */
  uint64_t pairs, lost; /* pairs of adapters on that cable; that the tables do not connect */
} job_blocking;

typedef struct host_job {
  const ripstop_fabric *fabric;
  const ripstop_view *view;
  const ripstop_forwarding *tables;
  ripstop_arena *arena;
  const hostlist *list;
  job_adapter *adapter; /* [adapters], by host, then by word */
  uint32_t *first;      /* [hosts + 1]: a host's adapters */
  uint32_t adapters, leaves;
  bool speeds;  /* the dump has any: rates are Mb/s */
  double *rate; /* [ports of the fabric]: the rate of the cable; each has 1 if the dump has no speeds */
  job_blocking *blocking;
  uint32_t blockings;
  job_ring ring, by_leaf; /* hosts as listed; hosts of one leaf side by side */
} host_job;

/* -1: the fabric is no dump, the tables have several next hops, a host has no adapter (that matches the extended
 * regular expression), or the expression is none. */
int host_job_make(host_job *out, ripstop_arena *arena, const ripstop_view *view, const ripstop_forwarding *tables,
                  const hostlist *list, const char *adapters, ripstop_error *err);
/* The adapter of a host with this second word; else its first one. */
uint32_t host_job_partner(const host_job *job, const char *word, uint32_t host);
/* host_blocking.c: fills `blocking` of a job that has its adapters. */
void host_job_block(host_job *job);

#endif
