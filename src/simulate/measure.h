/* measure.h - what is counted while the engine runs, and the numbers with units that come of it. */
#ifndef SIMULATE_MEASURE_H
#define SIMULATE_MEASURE_H

#include "base/histogram.h"
#include "ripstop/simulate.h"
#include "simulate/outage.h"
#include "simulate/warmup.h"

struct ripstop_simulation;
struct packet;

/* A packet's kind: its marks, or of those without any whether their pair is unaffected, where that is asked for. */
enum { KIND_UNDISTURBED, KIND_UNAFFECTED = RIPSTOP_MARK_UP + RIPSTOP_MARK_DOWN + 1, KINDS };

typedef struct tally { /* of delivered packets of one class and kind in the measured cycles */
  uint64_t packets, flits, hops;
  uint64_t latency, network_latency; /* sums in cycles */
  ripstop_histogram *histogram;      /* of latencies, batches that are over */
  ripstop_histogram *present;        /* of the present batch */
} tally;

typedef struct batch {
  uint64_t packets, flits, latency, network_latency;
} batch;

/* Flits of a batch: of packets generated in it, whenever they are taken, and of packets lost in it. */
typedef struct demand {
  uint64_t generated_at, lost;
} demand;

/* Classes and kinds that are reported together, with what each batch gave. */
typedef struct value_group {
  const char *prefix;       /* of the values' names: "" or ends with a dot */
  uint32_t tallies, *tally; /* which */
  double *p50, *p99;        /* [batches]: smooth quantiles; NAN for a batch without packets */
} value_group;

/* Of a part. The batches that are over, the warm-up and the backlog are the first part's. */
typedef struct measure {
  const ripstop_measure_config *config;
  bool automatic;      /* warm-up: warmup.c */
  bool settled;        /* the warm-up was fixed, or ended because the run had settled */
  bool saturated;      /* the verdict; set in the copy from which values are made */
  uint32_t start, end; /* measured cycles start .. end-1; start is RIPSTOP_NONE until the warm-up is over */
  uint32_t classes, losses, ends;
  uint64_t *affected;      /* a bit for each class and pair of end nodes (pairs.h); NULL: not asked for */
  uint32_t routed_classes; /* that have bits of their own; 1: all classes share them */
  tally *tally;            /* [classes * KINDS] */
  uint64_t *class_sums;    /* [classes]: packets delivered in the measured cycles, of whatever kind */
  batch *batch;            /* [classes * KINDS * batches] */
  demand *demand;          /* [batches] */
  value_group *group;
  uint32_t groups;
  uint32_t present;   /* batch */
  uint32_t batch_end; /* the cycle with which the next begins; RIPSTOP_NONE while the warm-up lasts, and in the last */
  ripstop_histogram *scratch;
  uint64_t offered_flits, offered_packets;
  uint64_t *lost_by;                             /* [RIPSTOP_LOST_METHOD + method's losses], whole run */
  uint64_t generated, injected, delivered, lost; /* packets, whole run */
  uint64_t lost_underway;                        /* of the lost: those that had left their interface */
  uint64_t disconnected;                         /* of the lost: by the method, with a plan for the fabric as it was */
  uint64_t hops;                                 /* switch to switch, whole run */
  uint64_t backlog_start;                        /* packets generated and not injected when the measured cycles began */
  ripstop_window *window;
  uint64_t *window_latency; /* sums */
  size_t windows;
  warmup_watch watch; /* where it is automatic */
  outage outage;
} measure;

/* Those of all parts. `warmup`: cycles, or RIPSTOP_NONE for automatic; r->end is the latest end of the run. */
void measure_open(struct ripstop_simulation *r, uint32_t warmup);
/* At the very beginning of each cycle while the warm-up is automatic and lasts: ends it, which settles m->start and
 * r->end. */
void measure_warmup(struct ripstop_simulation *r);
/* At the very beginning of each cycle: closes the batches that are over. */
void measure_close_due(struct ripstop_simulation *r);
/* Before the decisions of cycle m->start. */
void measure_begin(struct ripstop_simulation *r);
void measure_generated(measure *m, uint32_t generated_at, uint32_t flits);
void measure_lost(measure *m, uint32_t cycle, uint32_t cause, uint32_t flits);
void measure_delivered(measure *m, const struct packet *p, uint32_t cycle);
static inline void measure_injected(measure *m, uint32_t cycle) {
  m->injected++;
  if (m->window) m->window[cycle / (uint32_t)m->config->window].injected++;
}
/* The present batch is over: its quantiles are kept, its histograms added to the whole. Of the first part, to which the
 * others' histograms have been added. */
void measure_close_batch(measure *m);

/* What no interface has taken from its source. */
typedef struct backlog {
  uint64_t ungenerated;    /* packets generated before the present cycle */
  uint64_t packets, flits; /* of them, those generated from some cycle on */
} backlog;
/* `from`: that cycle. They are added to those generated in the first `windows` points of the time series, and those
 * generated from then on to what the batches of `into` bore (may be NULL). Takes time for each packet. */
backlog measure_backlog(const struct ripstop_simulation *r, uint32_t from, ripstop_window *window, size_t windows,
                        measure *into);
/* Packets that interfaces have taken from their sources and not sent; in-transit packets are none. */
uint64_t measure_waiting(const struct ripstop_simulation *r);

/* values.c: what the cycles so far come to; nothing changes. */
ripstop_account account_of(const struct ripstop_simulation *r, uint64_t ungenerated);
size_t count_windows(const struct ripstop_simulation *r); /* points of the time series */
/* The first `windows` of them, without the packets that no interface has taken: measure_backlog. */
void copy_windows(const struct ripstop_simulation *r, ripstop_window *out, size_t windows);
/* Verdict, values, windows and the account, which must balance: else -1. Into out->arena. */
int measure_result(const struct ripstop_simulation *r, ripstop_result *out, ripstop_error *err);

#endif
