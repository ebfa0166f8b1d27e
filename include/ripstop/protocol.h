/* protocol.h - a method's protocol by itself: its state machines on a virtual network, without packets.
 *
 * Time is virtual and jumps from one thing to the next. Messages take the protocol's own delay, or another, plus a
 * random spread; they may be lost or overtake each other. Links and switches fail and return by a schedule. Steps,
 * their order and what START, LINK_DOWN and LINK_UP mean are docs/model.md's "Control messages": without spread and
 * loss the simulator (src/simulate/control.c) takes the same steps in the same cycles, as long as no packet holds up a
 * message.
 *
 * Every message and timer has a cause, the change of the fabric that it goes back to: a step's actions have the cause
 * of its event. So the messages of one fault can be counted while others are under way. Where a switch finds a change
 * of its link by itself (rs_act_link_found), the rest of that step has the cause of the change, once for each end. */
#ifndef RIPSTOP_PROTOCOL_H
#define RIPSTOP_PROTOCOL_H

#include "ripstop/plan.h"

#define RS_NEVER UINT64_MAX /* "no such cycle" */

typedef struct rs_network rs_network;

/* ------------------------------------------------------------------ watching */

typedef enum rs_sight_kind {
  RS_SAW_CHANGE, /* the schedule: a part fails or returns */
  RS_SAW_STEP,   /* a switch is about to take a step; what it does follows */
  RS_SAW_SENT,   /* in the step, a message through a port that is up, towards a switch */
  RS_SAW_WAYS,   /* in the step, the switch's ways have changed */
  RS_SAW_LOST    /* a message under way on a link that died */
} rs_sight_kind;

typedef struct rs_sight {
  rs_sight_kind kind;
  uint64_t cycle;
  size_t cause;            /* 0: the start; i + 1: change i of the schedule */
  uint32_t node, port;     /* STEP, WAYS: the switch and its event's local port; SENT, LOST: the sender's */
  uint32_t peer;           /* the switch at the other end of that port; RS_NONE where there is no port */
  uint64_t arrives;        /* SENT: when; RS_NEVER: lost on its way */
  const rs_event *event;   /* STEP */
  const void *message;     /* SENT, LOST */
  const rs_change *change; /* CHANGE */
  const rs_plan *plan;     /* the present one: its method's protocol prints the message */
} rs_sight;

/* ------------------------------------------------------------------ the network */

/* All zero: a healthy fabric, the protocol's own delays, nothing lost, nothing watched. What the pointers name must
 * outlive the network. */
typedef struct rs_network_options {
  const rs_faults *faults;     /* dead from the beginning */
  const rs_schedule *schedule; /* what fails and returns, and when */
  uint64_t delay;              /* cycles of every message for a hop; 0: the protocol's own */
  uint32_t spread;             /* further cycles of a message, 0 to this number, each as likely */
  bool reorder;                /* spread messages may overtake others on their link; else they wait for those before */
  double loss;                 /* probability that a message is lost on its way */
  uint64_t seed;               /* of spread and loss: the same seed, the same run */
  void (*watch)(void *context, const rs_sight *sight); /* what the sight points to lives during the call */
  void *context;
} rs_network_options;

/* Every switch that is alive has had its START, at cycle 0, and is due to hear of its dead ports. NULL on error: no
 * such method, one without a protocol, one that does not apply here. `options` may be NULL; it is copied. */
rs_network *rs_network_open(const rs_fabric *fabric, const char *method_spec, const rs_network_options *options,
                            rs_error *err);
void rs_network_free(rs_network *network); /* NULL is fine */

/* Does the next thing that is due: all changes of a cycle, or one step of one switch. 1, or 0 when there is nothing
 * left to do, or -1 when the method does not apply after a change or its network, quiet now, does not keep what the
 * protocol promises (rs_proto.check; not looked at where messages are lost by chance). */
int rs_network_step(rs_network *network, rs_error *err);
/* Does all that is due before cycle `limit`. 1 when the network is quiet then (no message under way, no timer set, no
 * change to come), else 0; -1 as above. Can be called again with a later limit. */
int rs_network_run(rs_network *network, uint64_t limit, rs_error *err);
uint64_t rs_network_due(const rs_network *network); /* cycle of the next thing; RS_NEVER: the network is quiet */
uint64_t rs_network_now(const rs_network *network); /* cycle of the last thing done */

/* ------------------------------------------------------------------ asking */

/* The plan for the present view; its view and method are the network's. */
const rs_plan *rs_network_plan(const rs_network *network);
/* A switch's present state, for the protocol's `ways` and `json`. */
const void *rs_network_state(const rs_network *network, uint32_t node);
/* The state as the protocol shows it; "null" for a protocol that shows none and for a dead switch. */
void rs_network_json(const rs_network *network, uint32_t node, rs_text *out);
/* What the protocol shows of all states together: one JSON object ("{}" when it shows nothing), or lines of text. */
void rs_network_report(const rs_network *network, bool as_json, rs_text *out);

typedef struct rs_network_count {
  uint64_t sent, arrived, lost; /* messages; what is neither arrived nor lost is under way */
  uint32_t switches;            /* different switches whose ways changed */
  uint64_t last_arrival;        /* cycle; RS_NEVER: none */
  uint64_t last_change;         /* cycle in which a switch's ways changed last; RS_NEVER: none */
} rs_network_count;

/* Of one cause (rs_sight.cause), or of all. */
rs_network_count rs_network_count_of(const rs_network *network, size_t cause);
rs_network_count rs_network_count_all(const rs_network *network);

/* ------------------------------------------------------------------ a picture of one change's messages */

typedef struct rs_spread rs_spread;

rs_spread *rs_spread_new(const rs_fabric *fabric, size_t cause);
void rs_spread_free(rs_spread *spread); /* NULL is fine */
/* A `watch` whose context is the rs_spread: keeps what belongs to the cause. */
void rs_spread_watch(void *spread, const rs_sight *sight);
/* A self-contained SVG: the switches, trees by level with the top above, others in a ring; an arrow for every link and
 * direction that carried a message, coloured by the cycle in which the first arrived; the links that were dead; the
 * switches whose ways changed. */
void rs_spread_svg(const rs_spread *spread, rs_text *out);

#endif
