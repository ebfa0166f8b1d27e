/* method.h - what a routing method is: the struct that every file in src/methods/ ends with.
 *
 * A method is compiled for a view into a plan (plan.h); the plan is read-only, and simulator, prover and exporters
 * consume plans without knowing any method by name. Routing proposes, the switch disposes: `route` answers which ways a
 * packet head may take and never looks at buffers.
 *
 * What a method may look at while routing: its own plan, and of the view only `port_up` of the switch that it is asked
 * about. Distributed knowledge beyond that must come through the method's protocol (`proto`).
 *
 * How to add one: docs/add-a-method.md. */
#ifndef RIPSTOP_METHOD_H
#define RIPSTOP_METHOD_H

#include "ripstop/faults.h"

#define RS_METHOD_ABI        1
#define RS_CHANNELS_MAX      16         /* virtual channels per link */
#define RS_CLASSES_MAX       8          /* traffic classes */
#define RS_FACTS_MAX         16         /* numbers that a method tells of a plan */
#define RS_MESSAGE_KINDS_MAX 8          /* kinds of messages of a protocol */
#define RS_FACT_NONE         UINT64_MAX /* one that it does not tell of this plan */

typedef struct rs_plan rs_plan;
typedef struct rs_proto rs_proto;

/* A packet's head, as the switch that must forward it sees it. */
typedef struct rs_head {
  uint32_t node;    /* the switch, or at its source the end node */
  uint32_t in_port; /* local port that it came in on; RS_NONE at the source */
  uint32_t source;  /* end nodes */
  uint32_t destination;
  uint64_t header; /* the method's own word in the packet; 0 when the packet is born */
  uint8_t channel; /* virtual channel that it came in on; 0 at the source */
  uint8_t class_;  /* traffic class; `route` may look at it where its plan has several (rs_plan.classes) */
} rs_head;

/* What a hop says about the packet; the engine keeps the union of a packet's marks and measures by it. */
enum { RS_MARK_UP = 1, RS_MARK_DOWN = 2 }; /* misrouted because of a fault on the way up / on the way down */

/* One permitted way on. */
typedef struct rs_way {
  uint64_t header; /* the method's word after this hop */
  uint16_t port;   /* local output port; must be up */
  uint8_t channel;
  uint8_t rank;  /* among the ways that have space the lowest rank is taken first */
  uint8_t space; /* free space demanded in the next queue, in packets: 1, or 2 for bubble flow control */
  uint8_t marks; /* RS_MARK_* that this hop adds */
} rs_way;

typedef enum rs_answer {
  RS_ERROR = -1, /* bad options and the like: rs_error says what */
  RS_APPLIES = 0,
  RS_DOES_NOT_APPLY = 1 /* not for this fabric or this fault set; rs_error says why. An answer, not an error */
} rs_answer;

/* What a method promises; the conformance test holds it to that. */
typedef struct rs_claims {
  uint32_t
      tolerates; /* every pair is delivered under every choice for all sets of at most so many switch-switch links */
  bool minimal;  /* never a hop more than the fault-free minimum */
  bool deadlock_free; /* for the same fault sets, on plan->channels channels */
  bool symmetric;     /* relabelling the fabric by its family's `symbols` changes no count of any verdict: no port or
                         coordinate is preferred over another */
} rs_claims;

typedef struct rs_method {
  uint32_t abi; /* RS_METHOD_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *source;  /* paper and section */
  const rs_option *options;
  size_t config_size;
  const char *const *losses; /* NULL-terminated: why `route` may find no way on, e.g. "no healthy down link" */

  /* Compiles the method for plan->view: fills plan->data (from plan->arena), channels, ways_max. Called again, with an
   * emptied arena, after each change of the view. */
  rs_answer (*plan)(rs_plan *plan, rs_error *err);
  /* The permitted ways on, 1 .. plan->ways_max of them, written to `ways`; or -(1 + index into losses): none. Pure: the
   * same head and plan give the same answer. Never asked at the destination. */
  int (*route)(const rs_plan *plan, const rs_head *head, rs_way *ways);
  void (*claims)(const rs_fabric *fabric, const void *config, rs_claims *out);
  /* Optional. The ordered pairs that some sequence of choices loses (rs_proof), counted without walking: for
   * `ripstop prove --tolerance`, which asks for nothing else. Must agree with `route`. */
  uint64_t (*lost_pairs)(const rs_plan *plan);
  /* Optional. Numbers of the method's own about a plan, told beside each proof: their names (at most RS_FACTS_MAX,
   * NULL-terminated), and their values, RS_FACT_NONE where one does not apply. Names "NAME.0", "NAME.1", ... that
   * follow each other are an array in JSON. */
  const char *const *fact_names;
  void (*facts)(const rs_plan *plan, uint64_t *value);
  bool by_source;        /* `route` looks at head->source; else the prover walks packets of all sources as one */
  const rs_proto *proto; /* NULL: the method has no protocol */
} rs_method;

extern const rs_method *const rs_methods[]; /* generated from the folder, sorted by name, NULL-terminated */

/* ------------------------------------------------------------------ protocols
 * A pure state machine: everything that happens comes in as an event, everything that it does goes out as actions. No
 * I/O, no clock, no globals. A switch knows its own coordinates, its own ports' health and what messages told it. */

typedef enum rs_event_kind {
  RS_EVENT_START,
  RS_EVENT_LINK_DOWN,
  RS_EVENT_LINK_UP,
  RS_EVENT_MESSAGE,
  RS_EVENT_TIMER
} rs_event_kind;

typedef struct rs_event {
  rs_event_kind kind;
  uint64_t cycle;      /* when it happens */
  uint32_t port;       /* LINK_*, MESSAGE: local port */
  uint32_t timer;      /* TIMER: the number given when it was set */
  const void *message; /* MESSAGE: proto->message_size bytes, the callee's only during the call */
} rs_event;

typedef struct rs_actions rs_actions;
/* Sends a message through a local port; dropped silently when the port is down. */
void rs_act_send(rs_actions *actions, uint32_t port, const void *message);
void rs_act_timer(rs_actions *actions, uint32_t timer, uint64_t delay_cycles);
/* The switch's ways have changed: whoever caches them must ask again. */
void rs_act_ways_changed(rs_actions *actions);
/* For protocols that find out by themselves how their links are: the step has just found that the link of a local port
 * is up, or down. Only accounts change: what the step does from here on is put down to that change (protocol.h). */
void rs_act_link_found(rs_actions *actions, uint32_t port, bool up);

/* What the simulator shows to a protocol's `check` of the run at hand. */
typedef struct rs_watch rs_watch;
struct rs_watch {
  /* Free units of the input queue that a channel of an output port (of the fabric, leading to a switch) sends into: all
   * but the packets in it that have not been granted anything and those on their way to it. */
  int64_t (*room)(const rs_watch *watch, uint32_t port, uint32_t channel);
  int64_t longest; /* units of the longest packet */
  bool fresh;      /* the first look since a switch has made a step */
  uint64_t lost;   /* since then: packets that the method found no way for, while what is alive connected them with
                      their destinations */
  uint64_t *notes; /* [nodes]: of the check's own, kept from one look to the next; 0 in a fresh one */
};

struct rs_proto {
  size_t message_size; /* bytes of one message */
  /* Optional. Length of a message on a link in flits, at most 1023; 0, or no such function: latency only, it has a
   * channel of its own and the data flow does not feel it. */
  uint32_t (*flits)(const rs_plan *plan, const void *message);
  /* Optional, both or none. Words for kinds of messages that are counted apart (at most RS_MESSAGE_KINDS_MAX, NULL-
   * terminated), and the kind of a message. */
  const char *const *kinds;
  uint32_t (*kind)(const rs_plan *plan, const void *message);
  /* The switches have told each other of what was dead from the start before the first cycle: START and LINK_DOWN, and
   * the messages that follow from them until there are none, cost no time. Timers count from cycle 0. */
  bool settled;
  size_t (*state_size)(const rs_plan *plan, uint32_t node);
  void (*step)(const rs_plan *plan, uint32_t node, void *state, const rs_event *event, rs_actions *actions);
  /* As method->route, from one switch's present state. 0: the packet waits where it is until the switch's ways change.
   */
  int (*ways)(const rs_plan *plan, const void *state, const rs_head *head, rs_way *ways);
  /* Network interfaces too ask `ways`, with the state of their switch (head->node is the end node), instead of `route`:
   * for protocols that stop injection. */
  bool interfaces;
  uint64_t (*delay)(const rs_plan *plan, const void *message);           /* cycles that a message takes for one hop */
  void (*print)(const rs_plan *plan, const void *message, rs_text *out); /* for traces: one line, without its end */
  /* A switch's state as one JSON object, for people and tests; NULL: it has none to show. */
  void (*json)(const rs_plan *plan, const void *state, rs_text *out);
  /* Optional. What all states together show: as the members of one JSON object, or as lines for people. `state` has
   * [nodes]: NULL for end nodes and dead switches. */
  void (*report)(const rs_plan *plan, const void *const *state, bool as_json, rs_text *out);
  /* Optional. Whether what the protocol promises of a quiet network holds, no message under way and no timer running:
   * 0, or -1 and `err` says what is broken and where; then the run fails. `state` as above. Asked whenever the network
   * has become quiet, by the simulator also every measure.check cycles as long as it is, and at the end. `watch` is
   * NULL where there are no packets (`ripstop protocol`). */
  int (*check)(const rs_plan *plan, const void *const *state, const rs_watch *watch, rs_error *err);
};

#endif
