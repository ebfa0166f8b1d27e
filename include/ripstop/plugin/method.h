/* method.h - a routing method: the struct that every file in src/methods/ ends with.
 *
 * A method is compiled for a view into a plan (plan.h); the plan is read-only, and simulator, prover and exporters
 * consume plans without knowing any method by name. Routing proposes, the switch disposes: `route` answers which
 * candidates a packet head may take and never looks at buffers.
 *
 * What a method may look at while routing: its own plan, and of the view only `port_up` of the switch that it is asked
 * about. Distributed knowledge beyond that must come through the method's protocol (`proto`).
 *
 * How to add one: docs/add-a-method.md. */
#ifndef RIPSTOP_PLUGIN_METHOD_H
#define RIPSTOP_PLUGIN_METHOD_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

#define RIPSTOP_METHOD_ABI        10
#define RIPSTOP_MESSAGE_KINDS_MAX 8 /* kinds of messages of a protocol */

typedef struct ripstop_proto ripstop_proto;

/* Repeated ripstop_method.repair, while parts of a view fail and return. */
typedef struct ripstop_repairs {
  /* Reads old tables and the present view. NULL: see *answer. */
  void *(*open)(const void *config, const ripstop_view *view, const ripstop_forwarding *old, ripstop_answer *answer,
                ripstop_error *err);
  /* The result of `repair` from the old tables for the present view, in which no part is up that was down at `open`.
   * Valid until the next call. */
  ripstop_answer (*follow)(void *repairs, ripstop_repaired *out, ripstop_error *err);
  void (*close)(void *repairs);
} ripstop_repairs;

/* A routing subfunction (Duato 1996) of a method, for proofs alone: for each head at a switch it supplies some of the
 * candidates of `route`. If it supplies at least one for every head and its extended channel dependency graph has no
 * cycle, the method cannot deadlock. */
typedef struct ripstop_subfunction {
  const char *name; /* NULL ends a list */
  const char *help; /* one line: what it supplies */
  /* Moves those of candidate[0 .. count - 1], which `route` has returned for the head, each by itself, that the
   * subfunction supplies to the front, in their order, and returns how many. Pure. It may look at the whole view,
   * because no switch computes it. NULL: all of them. */
  int (*supply)(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidate, int count);
} ripstop_subfunction;

struct ripstop_method {
  uint32_t abi; /* RIPSTOP_METHOD_ABI */
  const char *name;
  const char *summary; /* one line */
  const char *source;  /* paper and section */
  const ripstop_option *options;
  size_t config_size;
  /* Optional: the selection function (plugin/selection.h, "weighted") without which the method would be another one.
   * Switches use it unless `switch.selection` names another one. NULL: RIPSTOP_SELECTION. */
  const char *selection;
  /* Optional, likewise for `switch.escape`: "exhausted" where a head may request a candidate of a higher rank only if
   * none of a lower rank has space. NULL: RIPSTOP_ESCAPE. */
  const char *escape;
  const char *const *losses; /* NULL-terminated: why `route` may find no candidate, e.g. "no healthy down link" */

  /* Optional, for options that name files, both or none. `name`: from a config as it was written, makes, in copies of
   * it, one that names runs, with the files' names and a hash of what they hold, wherever they lie, and one to be
   * opened, with their paths; relative ones start at the folder of the file `beside` (NULL: where the program runs).
   * `load`: reads the files when a plan is opened, once for all plans that share the config, into fields of it that are
   * no options; memory is the arena's. */
  int (*name_files)(ripstop_arena *arena, const char *beside, void *named, void *opened, ripstop_error *err);
  ripstop_answer (*load)(ripstop_arena *arena, const ripstop_fabric *fabric, void *config, ripstop_error *err);
  /* Compiles the method for plan->view: fills plan->data (from plan->arena), channels, candidates_max. Called again,
   * with an emptied arena, after each change of the view. */
  ripstop_answer (*plan)(ripstop_plan *plan, ripstop_error *err);
  /* Optional, for methods with a protocol, from which a simulation needs only what `plan` compiles: the further data of
   * `route`, `lost_pairs` and `facts`, once for each `plan` that needs it. Into plan->data, from plan->arena. If
   * network interfaces do not call the protocol (ripstop_proto.interfaces), `route` works at end nodes without it. */
  ripstop_answer (*tables)(ripstop_plan *plan, ripstop_error *err);
  /* The permitted candidates, 1 .. plan->candidates_max of them, written to `candidates`; or -(1 + index into losses):
   * none. Pure: the same head and plan give the same answer. Never called at the destination. Like candidates through
   * neighbouring ports may be returned as one (ripstop_candidate.more); the return value is how many have been written.
   * A candidate that needs the space of two packets needs ripstop_plan.bubble. */
  int (*route)(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates);
  void (*guarantees)(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);
  /* Optional. The ordered pairs that some sequence of choices loses (ripstop_proof), counted without walking: for
   * `ripstop prove --tolerance`, which needs nothing else. Must agree with `route`. */
  uint64_t (*lost_pairs)(const ripstop_plan *plan);
  /* Optional. Numbers of the method's own about a plan, reported beside each proof: their names (at most
   * RIPSTOP_FACTS_MAX, NULL-terminated), and their values, RIPSTOP_FACT_NONE where one does not apply. Names "NAME.0",
   * "NAME.1", ... that follow each other are an array in JSON. */
  const char *const *fact_names;
  void (*facts)(const ripstop_plan *plan, uint64_t *value);
  /* Optional, for methods whose plan is forwarding tables in the first place: these, which live as long as the plan.
   * `route` sends packets as they say. NULL: with this plan's options it is something else. */
  const ripstop_forwarding *(*forwarding)(const ripstop_plan *plan);
  /* Optional, for these methods: such tables in place of older ones of any origin, with an address for each node, that
   * change as little as they can. `*seconds`, if it is not NULL, may get the processor time of that without the time to
   * read the old ones; else it is that of the call. NULL: see *answer; if it does not apply, new ones must be made. */
  ripstop_forwarding *(*repair)(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                double *seconds, ripstop_answer *answer, ripstop_error *err);
  const ripstop_repairs *repairs;          /* optional, with `repair` */
  const ripstop_subfunction *subfunctions; /* optional: by which proofs can show that it cannot deadlock */
  bool by_source;             /* `route` looks at head->source; else the prover walks packets of all sources as one */
  bool one_way;               /* it knows that some links carry packets in one direction; others do not apply there */
  const ripstop_proto *proto; /* NULL: the method has no protocol */
};

extern RIPSTOP_INTERNAL const ripstop_method
    *const ripstop_methods[]; /* generated from the folder, sorted by name, NULL-terminated */
/* Methods of the program that links the library, beside the built-in ones, NULL-terminated. The program defines the
 * table, or has none and it is NULL; CMake's ripstop_own_methods() writes it (docs/add-a-method.md, "A method outside
 * the tree"). */
extern const ripstop_method *const ripstop_own_methods[] __attribute__((weak));

/* For methods: the candidates through those of `count` local ports from `first` on that are up, which are otherwise as
 * `like` says. `up`: ripstop_view.port_up of the switch's first port. Returns how many it has written. */
int ripstop_candidates_up(const uint8_t *up, uint32_t first, uint32_t count, ripstop_candidate like,
                          ripstop_candidate *candidates);
/* Writes each candidate by itself in place of those with `more`. Returns how many there are, or `most` + 1 if they are
 * more than `most`.
 */
int ripstop_candidates_expand(ripstop_candidate *candidates, int count, uint32_t most);

/* The subfunction of this name; every method has "all", which supplies what `route` does. NULL: `err` lists them. */
const ripstop_subfunction *ripstop_subfunction_find(const ripstop_method *method, const char *name, ripstop_error *err);

/* The candidates of the method, each by itself. */
static inline int ripstop_route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = plan->method->route(plan, head, candidates);
  if (count == 1 && !candidates->more) return 1; /* most of them */
  for (int i = 0; i < count; i++)
    if (candidates[i].more) return ripstop_candidates_expand(candidates, count, plan->candidates_max);
  return count;
}

/* ------------------------------------------------------------------ protocols
 * A pure state machine: everything that happens comes in as an event, everything that it does goes out as actions. No
 * I/O, no clock, no globals. A switch knows its own coordinates, its own ports' health and the content of messages that
 * it received. */

typedef enum ripstop_event_kind {
  RIPSTOP_EVENT_START,
  RIPSTOP_EVENT_LINK_DOWN,
  RIPSTOP_EVENT_LINK_UP,
  RIPSTOP_EVENT_MESSAGE,
  RIPSTOP_EVENT_TIMER
} ripstop_event_kind;

typedef struct ripstop_event {
  ripstop_event_kind kind;
  uint64_t cycle;      /* when it happens */
  uint32_t port;       /* LINK_*, MESSAGE: local port */
  uint32_t timer;      /* TIMER: the number given when it was set */
  const void *message; /* MESSAGE: proto->message_size bytes, the callee's only during the call */
  /* With ripstop_proto.rooms, [ports * channels] of the switch, the callee's only during the call: free units of each
   * of its own input queues, all but those of packets whose heads have come and which have not left. NULL without, and
   * where there are no queues (`ripstop protocol`). */
  const int64_t *room;
  int64_t capacity; /* units of each of these queues, whatever stands in it; 0: `room` is NULL */
} ripstop_event;

typedef struct ripstop_actions ripstop_actions;
/* Sends a message through a local port; dropped silently when the port is down. */
void ripstop_act_send(ripstop_actions *actions, uint32_t port, const void *message);
void ripstop_act_timer(ripstop_actions *actions, uint32_t timer, uint64_t delay_cycles);
/* The switch's candidates have changed: a cache of them must be filled again. */
void ripstop_act_candidates_changed(ripstop_actions *actions);
/* Beside that, for accounts alone: a message of this kind, one of ripstop_proto.kinds, has brought the new candidates.
 */
void ripstop_act_changed_by(ripstop_actions *actions, uint32_t kind);
/* For protocols that find out by themselves how their links are: the step has just found that the link of a local port
 * is up, or down. Only accounts change: what the step does from here on is put down to that change (protocol.h). */
void ripstop_act_link_found(ripstop_actions *actions, uint32_t port, bool up);

/* The simulator's view of the present run, for a protocol's `check`. */
typedef struct ripstop_watch ripstop_watch;
struct ripstop_watch {
  /* Free units of the input queue that a channel of an output port (of the fabric, leading to a switch) sends into: all
   * but the packets in it without a grant, and packets in flight to it. */
  int64_t (*room)(const ripstop_watch *watch, uint32_t port, uint32_t channel);
  int64_t longest; /* units of the longest packet */
  bool fresh;      /* the first call since a switch has made a step */
  uint64_t lost;   /* since then: packets without any candidate, although parts that are up connect them with their
                      destinations */
  uint64_t *notes; /* [nodes]: the check's own, kept from one call to the next; 0 in a fresh one */
};

struct ripstop_proto {
  size_t message_size; /* bytes of one message */
  /* Optional. Length of a message on a link in flits, at most 1023; 0, or no such function: latency only, it has a
   * channel of its own and the data flow does not feel it. */
  uint32_t (*flits)(const ripstop_plan *plan, const void *message);
  /* Optional, both or none. Words for kinds of messages that are counted separately (at most RIPSTOP_MESSAGE_KINDS_MAX,
   * NULL-terminated), and the kind of a message. */
  const char *const *kinds;
  uint32_t (*kind)(const ripstop_plan *plan, const void *message);
  /* Before the first cycle the switches have exchanged updates about the parts that are down from the start: START and
   * LINK_DOWN, and the messages that follow from them until there are none, cost no time. Timers count from cycle 0. */
  bool settled;
  bool rooms; /* steps receive the free space of the switch's own queues (ripstop_event.room) */
  /* With `rooms`: which candidates packets may take follows from how full queues are, and not only which packets are
   * given up or reported. Without packets such a protocol does not show all its candidates, so transient states are not
   * proved. */
  bool weighs;
  size_t (*state_size)(const ripstop_plan *plan, uint32_t node);
  void (*step)(const ripstop_plan *plan, uint32_t node, void *state, const ripstop_event *event,
               ripstop_actions *actions);
  /* Like method->route, from one switch's present state, but each candidate by itself. 0: the packet waits where it is
   * until the switch's candidates change. The answer depends only on the state, on the switch's own ports and on the
   * head. */
  int (*candidates)(const ripstop_plan *plan, const void *state, const ripstop_head *head,
                    ripstop_candidate *candidates);
  /* Network interfaces, too, call `candidates`, with the state of their switch (head->node is the end node), instead of
   * `route`: for protocols that stop injection. */
  bool interfaces;
  uint64_t (*delay)(const ripstop_plan *plan, const void *message); /* cycles that a message takes for one hop */
  void (*print)(const ripstop_plan *plan, const void *message,
                ripstop_text *out); /* for traces: one line, without its end */
  /* A switch's state as one JSON object, for people and tests; NULL: it has none to show. */
  void (*json)(const ripstop_plan *plan, const void *state, ripstop_text *out);
  /* Optional. What all states together show: as the members of one JSON object, or as lines for people. `state` has
   * [nodes]: NULL for end nodes and failed switches. */
  void (*report)(const ripstop_plan *plan, const void *const *state, bool as_json, ripstop_text *out);
  /* Needed if plan->control_flits is not 0: the free space that a control packet needs in the next queue to leave by
   * this local port (ripstop_candidate.space: 1 or 2), as far as the switch knows; 0: it waits until the switch's
   * candidates change. */
  uint8_t (*control_space)(const ripstop_plan *plan, const void *state, uint32_t port);
  /* Optional. Checks the protocol's guarantees for a quiet network, without a message in flight or a running timer: 0,
   * or -1, and `err` says which is broken and where; then the run fails. `state` as above. Called whenever the network
   * has become quiet; by the simulator also every measure.check cycles while it is, and at the end. `watch` is NULL
   * without packets (`ripstop protocol`). */
  int (*check)(const ripstop_plan *plan, const void *const *state, const ripstop_watch *watch, ripstop_error *err);
};

RIPSTOP_END

#endif
