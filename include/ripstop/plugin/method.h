/* method.h - a routing method: the struct that every file in src/methods/ ends with.
 *
 * A method is compiled for a view into a plan (plan.h); the plan is read-only, and simulator, prover and exporters
 * consume plans without knowing any method by name. Routing proposes, the switch disposes: `route` returns the
 * candidates that a packet head may take, and never looks at buffers.
 *
 * While routing a method may read its own plan, and of the view only `port_up` of the switch at which the head stands.
 * Knowledge of other switches must come through the method's protocol (`proto`).
 *
 * How to add one: docs/add-a-method.md. */
#ifndef RIPSTOP_PLUGIN_METHOD_H
#define RIPSTOP_PLUGIN_METHOD_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

#define RIPSTOP_METHOD_ABI        11
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
  /* Optional: the selection function (plugin/selection.h) that is part of the method, such as "weighted". Switches use
   * it unless `switch.selection` names another one. NULL: RIPSTOP_SELECTION. */
  const char *selection;
  /* Optional, likewise for `switch.escape`: "exhausted" where a head may request a candidate of a higher rank only if
   * none of a lower rank has space. NULL: RIPSTOP_ESCAPE. */
  const char *escape;
  /* Optional, likewise for `switch.preset`: the switch that the method is meant for, such as "modern". Experiments use
   * it unless they name another one (docs/switches.md, "Presets"). NULL: RIPSTOP_PRESET. */
  const char *preset;
  /* Optional: an option as canonical specs have it, as "adaptive" or "ways=2", with which the preset is RIPSTOP_PRESET,
   * because it needs something that `preset` lacks. */
  const char *plain_with;
  const char *const *losses; /* NULL-terminated: why `route` may find no candidate, e.g. "no healthy down link" */

  /* Optional, for options that name files, both or none. `name_files` makes two configs of one as it was written.
   * `named` names runs: it has the files' names and a hash of their content, wherever they lie. `opened` has their
   * paths; relative ones start at the folder of the file `beside` (NULL: the working directory). `load` reads the files
   * when a plan is opened, once for all plans that share the config, into fields that are no options. Memory is the
   * arena's. */
  int (*name_files)(ripstop_arena *arena, const char *beside, void *named, void *opened, ripstop_error *err);
  ripstop_answer (*load)(ripstop_arena *arena, const ripstop_fabric *fabric, void *config, ripstop_error *err);
  /* Compiles the method for plan->view: fills plan->data (from plan->arena), channels, candidates_max. Called again,
   * with an emptied arena, after each change of the view. */
  ripstop_answer (*plan)(ripstop_plan *plan, ripstop_error *err);
  /* Optional, for methods with a protocol, whose simulations need only what `plan` compiles. Adds to plan->data, from
   * plan->arena, the data that only `route`, `lost_pairs` and `facts` need. Called at most once for each `plan`. If
   * network interfaces do not call the protocol (ripstop_proto.interfaces), `route` works at end nodes without it. */
  ripstop_answer (*tables)(ripstop_plan *plan, ripstop_error *err);
  /* The permitted candidates, 1 .. plan->candidates_max of them, written to `candidates`; or -(1 + index into losses):
   * none. Pure: the same head and plan give the same answer. Never called at the destination. Like candidates through
   * neighbouring ports may be returned as one (ripstop_candidate.more); the return value is how many have been written.
   * A candidate that needs the space of two packets needs ripstop_plan.bubble. */
  int (*route)(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates);
  void (*guarantees)(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);
  /* Optional. Counts the ordered pairs that some sequence of choices loses (ripstop_proof) without walking states, for
   * `ripstop prove --tolerance`. Must agree with `route`. */
  uint64_t (*lost_pairs)(const ripstop_plan *plan);
  /* Optional. Numbers of the method's own about a plan, reported beside each proof: their names (at most
   * RIPSTOP_FACTS_MAX, NULL-terminated), and their values, RIPSTOP_FACT_NONE where one does not apply. Names "NAME.0",
   * "NAME.1", ... that follow each other are an array in JSON. */
  const char *const *fact_names;
  void (*facts)(const ripstop_plan *plan, uint64_t *value);
  /* Optional, for methods whose plan is forwarding tables: returns them; they live as long as the plan, and `route`
   * follows them. NULL: with these options the plan is something else. */
  const ripstop_forwarding *(*forwarding)(const ripstop_plan *plan);
  /* Optional, for these methods: makes new tables that differ from `old` as little as they can; `old` may come from any
   * program and has an address for each node. May write to `*seconds`, if it is not NULL, the processor time without
   * reading `old`. NULL: see *answer; if the repair does not apply, make new tables. */
  ripstop_forwarding *(*repair)(const void *config, const ripstop_view *view, const ripstop_forwarding *old,
                                double *seconds, ripstop_answer *answer, ripstop_error *err);
  const ripstop_repairs *repairs;          /* optional, with `repair` */
  const ripstop_subfunction *subfunctions; /* optional: by which proofs can show that it cannot deadlock */
  bool by_source;             /* `route` reads head->source; else the prover walks packets of all sources as one */
  bool one_way;               /* it handles links that carry packets in one direction; others do not apply there */
  const ripstop_proto *proto; /* NULL: the method has no protocol */
};

extern RIPSTOP_INTERNAL const ripstop_method
    *const ripstop_methods[]; /* generated from the folder, sorted by name, NULL-terminated */
/* Methods of the program that links the library, beside the built-in ones, NULL-terminated. The program defines the
 * table, or has none and it is NULL; CMake's ripstop_own_methods() writes it (docs/add-a-method.md, "A method outside
 * the tree"). */
extern const ripstop_method *const ripstop_own_methods[] __attribute__((weak));

/* For methods: writes a copy of `like` for each port that is up among `count` local ports from `first` on. `up`:
 * ripstop_view.port_up of the switch's first port. Returns how many candidates it has written. */
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
  /* With ripstop_proto.needs_space, [ports * channels] of the switch, the callee's only during the call: free units of
   * each of its own input queues, all but those of packets whose heads have come and which have not left. With
   * switch.vcs the queues that stand for one channel of the plan count together. NULL without,
   * and where there are no queues (`ripstop protocol`). */
  const int64_t *free_space;
  int64_t capacity; /* units of each of these queues, whatever stands in it; 0: `free_space` is NULL */
  /* With ripstop_proto.needs_load, [ports] of the switch, the callee's only during the call: the load of each output
   * port, in units (docs/model.md, "Load of a port"). NULL without, and where there are no queues. */
  const int64_t *load;
} ripstop_event;

typedef struct ripstop_actions ripstop_actions;
/* Sends a message through a local port; dropped silently when the port is down. */
void ripstop_act_send(ripstop_actions *actions, uint32_t port, const void *message);
void ripstop_act_timer(ripstop_actions *actions, uint32_t timer, uint64_t delay_cycles);
/* The switch's candidates have changed: a cache of them must be filled again. */
void ripstop_act_candidates_changed(ripstop_actions *actions);
/* Records, for statistics, that a message of this kind (of ripstop_proto.kinds) changed the candidates. */
void ripstop_act_changed_by(ripstop_actions *actions, uint32_t kind);
/* For protocols that detect the state of their links themselves: the step has found the link of a local port up or
 * down. Only statistics change: the rest of the step counts as an effect of that change (protocol.h). */
void ripstop_act_link_found(ripstop_actions *actions, uint32_t port, bool up);

/* The simulator's view of the present run, for a protocol's `check`. */
typedef struct ripstop_watch ripstop_watch;
struct ripstop_watch {
  /* Free units of the input queue that a channel of an output port (of the fabric, leading to a switch) sends into: all
   * but the packets in it without a grant, and packets in flight to it. */
  int64_t (*free_space)(const ripstop_watch *watch, uint32_t port, uint32_t channel);
  int64_t longest; /* units of the longest packet */
  bool fresh;      /* the first call since a switch has made a step */
  uint64_t lost;   /* since then: packets without any candidate, although parts that are up connect them with their
                      destinations */
  uint64_t *notes; /* [nodes]: the check's own, kept from one call to the next; 0 in a fresh one */
};

struct ripstop_proto {
  size_t message_size; /* bytes of one message */
  /* Optional. Length of a message on a link in flits, at most 1023. 0, or no such function: the message has a latency
   * only, and takes no time from data packets. */
  uint32_t (*flits)(const ripstop_plan *plan, const void *message);
  /* Optional, both or none. Names of the kinds of messages that are counted separately (at most
   * RIPSTOP_MESSAGE_KINDS_MAX, NULL-terminated), and the kind of a message. */
  const char *const *kinds;
  uint32_t (*kind)(const ripstop_plan *plan, const void *message);
  /* The switches know at cycle 0 which parts are down: START, LINK_DOWN and all messages that follow take no time.
   * Timers count from cycle 0. */
  bool settled;
  bool needs_space; /* steps receive the free space of the switch's own queues (ripstop_event.free_space) */
  bool needs_load;  /* steps receive the load of the switch's output ports (ripstop_event.load) */
  /* With `needs_space` or `needs_load`: these decide which candidates packets may take, and not only which packets are
   * discarded or reported. Without packets such a protocol shows only some of its candidates, so `prove` refuses its
   * transient states. */
  bool weighs;
  size_t (*state_size)(const ripstop_plan *plan, uint32_t node);
  void (*step)(const ripstop_plan *plan, uint32_t node, void *state, const ripstop_event *event,
               ripstop_actions *actions);
  /* Like method->route, from one switch's present state, but each candidate by itself. 0: the packet waits where it is
   * until the switch's candidates change. The answer depends only on the state, on the switch's own ports and on the
   * head. */
  int (*candidates)(const ripstop_plan *plan, const void *state, const ripstop_head *head,
                    ripstop_candidate *candidates);
  /* For protocols that stop injection: network interfaces call `candidates` instead of `route`, with the state of their
   * switch; head->node is the end node. */
  bool interfaces;
  uint64_t (*delay)(const ripstop_plan *plan, const void *message); /* cycles that a message takes for one hop */
  void (*print)(const ripstop_plan *plan, const void *message,
                ripstop_text *out); /* for traces: one line, without its end */
  /* A switch's state as one JSON object, for people and tests; NULL: it has none to show. */
  void (*json)(const ripstop_plan *plan, const void *state, ripstop_text *out);
  /* Optional. Prints a summary of all states: members of one JSON object, or lines for people. `state` has [nodes]:
   * NULL for end nodes and failed switches. */
  void (*report)(const ripstop_plan *plan, const void *const *state, bool as_json, ripstop_text *out);
  /* Needed if plan->control_flits is not 0: the free space in the next queue that a control packet needs to leave by
   * this local port (ripstop_candidate.space: 1 or 2). 0: it waits until the switch's candidates change. */
  uint8_t (*control_space)(const ripstop_plan *plan, const void *state, uint32_t port);
  /* Optional. Checks the protocol's guarantees for a quiet network, without a message in flight or a running timer: 0,
   * or -1, and `err` says which is broken and where; then the run fails. `state` as above. Called whenever the network
   * has become quiet; by the simulator also every measure.check cycles while it is, and at the end. `watch` is NULL
   * without packets (`ripstop protocol`). */
  int (*check)(const ripstop_plan *plan, const void *const *state, const ripstop_watch *watch, ripstop_error *err);
};

RIPSTOP_END

#endif
