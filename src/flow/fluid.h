/* fluid.h - streams and their rates: the data of the flow model (docs/flow.md).
 *
 * A stream is all messages of one ordered pair of end nodes that are active. They have the same paths, so they have
 * the same rate. A stream crosses channels, each with a share: the part of its flits that crosses the channel.
 *
 *   filling.c       rates of some streams while all others keep theirs: progressive filling
 *   local_update.c  which streams a change concerns
 *   fluid.c         adds and removes messages, changes capacities, keeps the times at which messages end
 *
 * Invariants between two updates: the load of a channel is the sum of share * messages * rate over its crossings. The
 * crossings of a stream without messages are in no list. Rates are max-min fair: no channel is over its capacity, and
 * every stream has a full channel, its bottleneck, on which no stream has a higher rate. */
#ifndef FLOW_FLUID_H
#define FLOW_FLUID_H

#include <math.h>

#include "ripstop/plugin/base.h"

/* A stream on a channel. Numbers of crossings; RIPSTOP_NONE ends a channel's list. */
typedef struct crossing {
  uint32_t next, before;
  uint32_t stream, channel;
  double share;
} crossing;

typedef struct channel {
  double capacity; /* flits a cycle */
  double load;
  uint32_t first, crossings; /* its list; in an update the members come first */
  uint32_t bound;            /* streams whose bottleneck it is */
  bool changed;              /* something left, or the capacity changed, since the last update */
  /* During an update: */
  uint32_t update;  /* its number, if a member crosses the channel */
  uint32_t members; /* crossings of members */
  uint32_t open;    /* crossings of members without a rate yet */
  double others;    /* load of all that are no members */
  double all;       /* sum of share * messages of the members */
  double left;      /* capacity for members without a rate */
  double weight;    /* sum of share * messages of members without a rate */
  double given;     /* load of the members with their new rates */
  double highest;   /* the highest new rate of a member */
  double own;       /* the new rate of members whose bottleneck it is; INFINITY: there are none */
} channel;

typedef struct stream {
  uint32_t first, crossings, room; /* consecutive */
  uint32_t messages;
  bool fresh;          /* it has messages that began since the last update */
  uint32_t bottleneck; /* channel; RIPSTOP_NONE: not known yet */
  uint32_t place;      /* in the heap of ends; RIPSTOP_NONE: not in it */
  double rate;         /* flits a cycle of each message */
  double served;       /* flits that a message has got which began at 0, until `since` */
  double since;
  double target; /* `served` at the end of the message that ends first */
  /* During an update: */
  uint32_t update; /* its number, if the stream is a member */
  bool chosen;     /* it becomes a member next */
  bool fixed;      /* the new rate is known */
  uint32_t next_bottleneck;
  double next_rate;
} stream;

/* When a stream's first message ends; a heap by time, then by stream. */
typedef struct stream_end {
  double when;
  uint32_t stream;
} stream_end;

/* The rate at which a channel becomes full. */
typedef struct level {
  double rate;
  uint32_t channel;
} level;

typedef struct fluid {
  double now; /* cycles */
  uint32_t channels, streams, crossings, crossing_room;
  channel *channel;
  stream *stream;
  crossing *crossing;
  stream_end *end; /* [ends] */
  uint32_t ends;
  /* Changes since the last update; each at most once. */
  uint32_t *changed, changes; /* channels */
  uint32_t *fresh, news;      /* streams with more messages */
  /* The present update. */
  uint32_t update;
  uint32_t *member, members;
  uint32_t *touched, touches; /* channels that members cross */
  uint32_t *joining, joins;   /* streams that become members next */
  level *level;
  /* Counts for people. */
  uint64_t updates, altered;
  ripstop_arena *arena;
} fluid;

/* Relative difference below which two rates, or a load and a capacity, count as equal. Rates come from some divisions
 * and subtractions of doubles. */
#define FLUID_NEAR 1e-10

/* Memory from the arena, with room for all streams on all channels; capacities are 0. */
void fluid_open(fluid *f, uint32_t channels, uint32_t streams, ripstop_arena *arena);
/* Gives a stream without messages its crossings: shares[i] of it on channels[i], each channel once. May take memory. */
void fluid_route(fluid *f, uint32_t number, const uint32_t *channels, const double *shares, uint32_t count);
void fluid_capacity(fluid *f, uint32_t channel, double capacity);

/* One message more, and one fewer. The caller keeps `target`, and calls fluid_sort after it has changed it. */
void fluid_add(fluid *f, uint32_t number);
void fluid_remove(fluid *f, uint32_t number);
void fluid_sort(fluid *f, uint32_t number);
/* Flits that a message of the stream has got at `now`, counted as `target` counts them. */
double fluid_served(const fluid *f, const stream *s);
/* The time at which the first message ends; INFINITY: none does. */
static inline double fluid_next(const fluid *f) { return f->ends ? f->end[0].when : HUGE_VAL; }

/* After changes at `now`: new rates, by a local update. */
void fluid_update(fluid *f);
/* True if rates are max-min fair within `near`, loads are sums and no list is broken. Cost: all crossings. */
bool fluid_is_fair(const fluid *f, double near);

/* For local_update.c: rates of all members, on what the others leave. Writes next_rate and next_bottleneck. */
void fluid_fill(fluid *f);
/* For fluid.c and local_update.c. */
void fluid_to_front(fluid *f, uint32_t number);

#endif
