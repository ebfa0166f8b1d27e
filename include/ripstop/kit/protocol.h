/* protocol.h - a method's protocol by itself: its state machines on a virtual network, without packets.
 *
 * Time is virtual and jumps from one event to the next. Messages take the protocol's own delay, or another, plus a
 * random spread; they may be lost or overtake each other. Links and switches fail and return by a schedule.
 * docs/model.md, "Control messages", defines steps, their order, and START, LINK_DOWN and LINK_UP. Without spread and
 * loss the simulator (src/simulate/control.c) takes the same steps in the same cycles, as long as no packet delays a
 * message.
 *
 * Every message and timer has a cause, a change of the fabric: a step's actions have the cause of its event. So the
 * messages of one fault can be counted while those of others are in flight. If a switch itself detects that its link
 * has changed (ripstop_act_link_found), the rest of that step has the change as its cause, once for each end. */
#ifndef RIPSTOP_PROTOCOL_H
#define RIPSTOP_PROTOCOL_H

#include "ripstop/plugin/method.h"

RIPSTOP_BEGIN

#define RIPSTOP_NEVER UINT64_MAX /* "no such cycle" */

typedef struct ripstop_network ripstop_network;

/* ------------------------------------------------------------------ tracing */

typedef enum ripstop_trace_event_kind {
  RIPSTOP_SAW_CHANGE,     /* the schedule: a part fails or returns */
  RIPSTOP_SAW_STEP,       /* a switch is about to take a step; what it does follows */
  RIPSTOP_SAW_SENT,       /* in the step, a message through a port that is up, towards a switch */
  RIPSTOP_SAW_CANDIDATES, /* in the step, the switch's candidates have changed */
  RIPSTOP_SAW_LOST        /* a message in flight on a link that failed */
} ripstop_trace_event_kind;

typedef struct ripstop_trace_event {
  ripstop_trace_event_kind kind;
  uint64_t cycle;
  size_t cause;                 /* 0: the start; i + 1: change i of the schedule */
  uint32_t node, port;          /* STEP, CANDIDATES: the switch and its event's local port; SENT, LOST: the sender's */
  uint32_t peer;                /* the switch at the other end of that port; RIPSTOP_NONE where there is no port */
  uint64_t arrives;             /* SENT: when; RIPSTOP_NEVER: it will be lost */
  const ripstop_event *event;   /* STEP */
  const void *message;          /* SENT, LOST */
  const ripstop_change *change; /* CHANGE */
  const ripstop_plan *plan;     /* the present one: its method's protocol prints the message */
} ripstop_trace_event;

/* ------------------------------------------------------------------ the network */

/* All zero: a healthy fabric, the protocol's own delays, no loss, no tracing. All pointers must stay valid as long as
 * the network. */
typedef struct ripstop_network_options {
  const ripstop_schedule *schedule; /* failures and repairs */
  uint64_t delay;                   /* cycles of every message for a hop; 0: the protocol's own */
  uint32_t spread;                  /* further cycles of a message, 0 to this number, equally likely */
  bool reorder;  /* spread messages may overtake others on their link; else they wait for earlier ones */
  double loss;   /* probability that a message is lost */
  uint64_t seed; /* seed of spread and loss: the same seed, the same run */
  void (*watch)(void *context, const ripstop_trace_event *trace); /* the event's pointers are valid during the call */
  void *context;
} ripstop_network_options;

/* Every live switch has had its START, at cycle 0, and its notifications of failed ports are due. The plan is read
 * only, and must outlive the network. NULL on error: a method without a protocol, a schedule of another fabric or out
 * of order. `options` may be NULL; it is copied. */
ripstop_network *ripstop_network_open(const ripstop_plan *plan, const ripstop_network_options *options,
                                      ripstop_error *err);
void ripstop_network_free(ripstop_network *network); /* NULL is fine */

/* Does the next event: all changes of a cycle, or one step of one switch. 1, or 0 when there is no event left, or -1
 * when the method does not apply after a change or its network, quiet now, breaks the protocol's guarantees
 * (ripstop_proto.check; not checked if messages are lost at random). */
int ripstop_network_step(ripstop_network *network, ripstop_error *err);
/* Does all events before cycle `limit`. 1 when the network is quiet then (no message in flight, no timer set, no
 * change due), else 0; -1 as above. Can be called again with a later limit. */
int ripstop_network_run(ripstop_network *network, uint64_t limit, ripstop_error *err);
uint64_t ripstop_network_due(const ripstop_network *network); /* cycle of the next event; RIPSTOP_NEVER: quiet */
uint64_t ripstop_network_now(const ripstop_network *network); /* cycle of the last event */
/* After a -1: the protocol has not kept what it promises. The network can be queried as before. */
bool ripstop_network_broken(const ripstop_network *network);

/* ------------------------------------------------------------------ queries */

/* The plan for the present view: the one that the network was opened with until the fabric changes, then its own. */
const ripstop_plan *ripstop_network_plan(const ripstop_network *network);
/* A switch's present state, for the protocol's `candidates` and `json`. */
const void *ripstop_network_state(const ripstop_network *network, uint32_t node);
/* The state as the protocol shows it; "null" for a protocol that shows none and for a failed switch. */
int ripstop_network_json(const ripstop_network *network, uint32_t node, ripstop_text *out);
/* The protocol's view of all states together: one JSON object ("{}" if there is none), or lines of text. */
int ripstop_network_report(const ripstop_network *network, bool as_json, ripstop_text *out);

typedef struct ripstop_network_count {
  uint64_t sent, arrived, lost; /* messages; those neither arrived nor lost are in flight */
  uint32_t switches;            /* different switches whose candidates changed */
  uint64_t last_arrival;        /* cycle; RIPSTOP_NEVER: none */
  uint64_t last_change;         /* cycle in which a switch's candidates changed last; RIPSTOP_NEVER: none */
} ripstop_network_count;

/* For one cause (ripstop_trace_event.cause), or for all. */
ripstop_network_count ripstop_network_count_of(const ripstop_network *network, size_t cause);
ripstop_network_count ripstop_network_count_all(const ripstop_network *network);

/* ------------------------------------------------------------------ the messages of one change (update flood) */

/* The messages that a port has sent. */
typedef struct ripstop_update_flood_port {
  uint64_t arrives; /* cycle in which the first arrives; RIPSTOP_NEVER: none does */
  uint32_t messages;
} ripstop_update_flood_port;

/* The messages of one cause, collected by tracing. All of it may be read. */
typedef struct ripstop_update_flood {
  const ripstop_fabric *fabric;
  size_t cause;                    /* ripstop_trace_event.cause */
  bool begun;                      /* an event of the cause has been seen */
  ripstop_change change;           /* id RIPSTOP_NONE: the cause is the start */
  uint64_t began, ended;           /* cycles: of the change, and of the last arrival */
  uint64_t messages;               /* sent */
  ripstop_update_flood_port *port; /* [ports]: of the fabric, the sender's */
  uint8_t *changed;                /* [nodes]: switches whose candidates have changed */
  uint8_t *failed_link;            /* [links]: after the change */
  ripstop_arena *arena;
} ripstop_update_flood;

ripstop_update_flood *ripstop_update_flood_new(const ripstop_fabric *fabric, size_t cause);
void ripstop_update_flood_free(ripstop_update_flood *flood); /* NULL is fine */
/* A `watch` whose context is the ripstop_update_flood. */
void ripstop_update_flood_watch(void *flood, const ripstop_trace_event *trace);

/* ------------------------------------------------------------------ the versions of tables around a change */

/* The versions of all switches while the view of `before` becomes that of `after`, from rest to rest. Order 0: all
 * parts fail and return at once, and messages take their own time. Any other number: they do so one after another,
 * and messages are late and overtake each other, at random by that number, over as long as order 0 takes. Both plans
 * must outlive the versions. NULL on error: a method without a protocol, one that does not become quiet, or breaks
 * its guarantees then (ripstop_proto.check). */
struct ripstop_versions *ripstop_network_versions(const ripstop_plan *before, const ripstop_plan *after, uint32_t order,
                                                  ripstop_error *err);

RIPSTOP_END

#endif
