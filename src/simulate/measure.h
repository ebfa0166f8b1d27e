/* measure.h - counters of the running engine, and the values with units that result from them. */
#ifndef SIMULATE_MEASURE_H
#define SIMULATE_MEASURE_H

#include "base/histogram.h"
#include "ripstop/kit/simulation.h"
#include "simulate/outage.h"
#include "simulate/run_result.h"
#include "simulate/warmup.h"

struct ripstop_simulation;
struct packet;

/* A packet's kind: its marks; without marks, and if measure.affected is on, whether its pair is unaffected. */
enum { KIND_UNDISTURBED, KIND_UNAFFECTED = RIPSTOP_MARK_UP + RIPSTOP_MARK_DOWN + 1, KINDS };

/* Sums over delivered packets; latencies in cycles. */
typedef struct packet_sums {
  uint64_t packets, flits, hops, latency, network_latency;
} packet_sums;

typedef struct tally { /* delivered packets of one class and kind in the measured cycles */
  packet_sums sum;
  ripstop_histogram *histogram; /* latencies of closed batches */
  ripstop_histogram *present;   /* latencies of the present batch */
} tally;

typedef struct batch {
  uint64_t packets, flits, latency, network_latency;
} batch;

/* Flits of a batch: of packets generated in it, whenever a NIC takes them, and of packets lost in it. */
typedef struct demand {
  uint64_t generated_at, lost;
} demand;

/* Classes and kinds that are reported together, with quantiles for each batch. */
typedef struct value_group {
  const char *prefix;       /* the values' names begin with it: "" or a text that ends with a dot */
  uint32_t tallies, *tally; /* their tallies */
  double *p50, *p99;        /* [batches]: smooth quantiles; NAN for a batch without packets */
} value_group;

/* The counters of one part. Closed batches, the warm-up and the backlog belong to the first part. */
typedef struct measure {
  const ripstop_measure_config *config;
  bool automatic;      /* warm-up: warmup.c */
  bool settled;        /* the warm-up was fixed, or ended because the run was settled */
  bool saturated;      /* the verdict; set in the copy from which values are made */
  uint32_t start, end; /* measured cycles start .. end-1; start is RIPSTOP_NONE until the warm-up is over */
  uint32_t classes, losses, ends;
  uint64_t *affected;      /* a bit for each class and pair of end nodes (pairs.h); NULL: off */
  uint32_t routed_classes; /* classes with bits of their own; 1: all classes share them */
  tally *tally;            /* [classes * KINDS] */
  uint64_t *class_sums;    /* [classes]: packets delivered in the measured cycles, of any kind */
  batch *batch;            /* [classes * KINDS * batches] */
  demand *demand;          /* [batches] */
  value_group *group;
  uint32_t groups;
  uint32_t present;   /* number of the present batch */
  uint32_t batch_end; /* cycle of the next batch's beginning; RIPSTOP_NONE during the warm-up and in the last batch */
  ripstop_histogram *scratch;
  uint64_t offered_flits, offered_packets;
  uint64_t *lost_by;                             /* [RIPSTOP_LOST_METHOD + method's losses], whole run */
  uint64_t generated, injected, delivered, lost; /* packets, whole run */
  uint64_t lost_underway;                        /* lost packets that had left their NIC */
  uint64_t disconnected;                         /* packets lost by the method with a plan for the present view */
  uint64_t hops;                                 /* switch to switch, whole run */
  uint64_t backlog_start;                        /* packets generated and not injected when the measured cycles began */
  ripstop_window *window;
  uint64_t *window_latency; /* sums */
  size_t windows;
  warmup_watch watch; /* if the warm-up is automatic */
  outage outage;
} measure;

/* Opens the counters of all parts. `warmup`: cycles, or RIPSTOP_NONE for automatic; r->end is the latest end of the
 * run. */
void measure_open(struct ripstop_simulation *r, uint32_t warmup);
/* Call it first in each cycle while an automatic warm-up lasts. Ends the warm-up, which sets m->start and r->end. */
void measure_warmup(struct ripstop_simulation *r);
/* Call it first in each cycle: closes batches that have ended. */
void measure_close_due(struct ripstop_simulation *r);
/* Call it before the decisions of cycle m->start. */
void measure_begin(struct ripstop_simulation *r);
void measure_generated(measure *m, uint32_t generated_at, uint32_t flits);
void measure_lost(measure *m, uint32_t cycle, uint32_t cause, uint32_t flits);
void measure_delivered(measure *m, const struct packet *p, uint32_t cycle);
static inline void measure_injected(measure *m, uint32_t cycle) {
  m->injected++;
  if (m->window) m->window[cycle / (uint32_t)m->config->window].injected++;
}
/* Ends the present batch: stores its quantiles and adds its histograms to the total. For the first part, to which the
 * others' histograms have been added. */
void measure_close_batch(measure *m);

/* Packets generated that no NIC has taken from its source. */
typedef struct backlog {
  uint64_t ungenerated;    /* generated before the present cycle */
  uint64_t packets, flits; /* packets generated from cycle `from` on, and their flits */
} backlog;
/* Counts the backlog. Adds the packets to the generations of the first `windows` points of the time series, and packets
 * generated from cycle `from` on to the demand of `into` (may be NULL). Takes time for each packet. */
backlog measure_backlog(const struct ripstop_simulation *r, uint32_t from, ripstop_window *window, size_t windows,
                        measure *into);
/* Packets that NICs have taken from their sources and not yet sent; in-transit packets do not count. */
uint64_t measure_waiting(const struct ripstop_simulation *r);

/* values.c: results of the cycles so far; nothing changes. */
ripstop_account account_of(const struct ripstop_simulation *r, uint64_t ungenerated);
size_t count_windows(const struct ripstop_simulation *r); /* points of the time series */
/* The first `windows` points, without packets that no NIC has taken: see measure_backlog. */
void copy_windows(const struct ripstop_simulation *r, ripstop_window *out, size_t windows);
/* Writes verdict, values, windows and the packet accounting into out->arena. -1: the accounting does not balance. */
int measure_result(const struct ripstop_simulation *r, ripstop_run_result *out, ripstop_error *err);

#endif
