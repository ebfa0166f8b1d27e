/* plan.h - the inside of a plan, which methods fill in and simulator and prover read. ripstop/plan.h opens plans. */
#ifndef RIPSTOP_PLUGIN_PLAN_H
#define RIPSTOP_PLUGIN_PLAN_H

#include "ripstop/plan.h"
#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

typedef struct ripstop_method ripstop_method;         /* plugin/method.h */
typedef struct ripstop_forwarding ripstop_forwarding; /* forwarding.h */
typedef struct ripstop_repaired ripstop_repaired;     /* repair.h */

#define RIPSTOP_CHANNELS_MAX 16         /* virtual channels per link */
#define RIPSTOP_CLASSES_MAX  8          /* traffic classes */
#define RIPSTOP_FACTS_MAX    16         /* numbers that a method reports about a plan */
#define RIPSTOP_FACT_NONE    UINT64_MAX /* one that it does not report about this plan */

/* A packet's head, as the switch that must forward it sees it. */
typedef struct ripstop_head {
  uint32_t node;    /* the switch, or at its source the end node */
  uint32_t in_port; /* local port that it came in on; RIPSTOP_NONE at the source */
  uint32_t source;  /* end nodes */
  uint32_t destination;
  uint64_t
      header; /* the method's own word in the packet; at its generation a random number (ripstop_plan.random_headers) */
  uint8_t channel; /* virtual channel that it came in on; 0 at the source */
  uint8_t class_;  /* traffic class; `route` may look at it where its plan has several (ripstop_plan.classes) */
} ripstop_head;

/* Marks of a hop on its packet; the engine keeps the union of a packet's marks and measures by it. */
enum { RIPSTOP_MARK_UP = 1, RIPSTOP_MARK_DOWN = 2 }; /* misrouted by a fault while going up / going down */

/* One permitted next hop. */
typedef struct ripstop_candidate {
  uint64_t header; /* the method's word after this hop */
  uint16_t port;   /* local output port; must be up */
  uint8_t channel;
  uint8_t more;      /* so many ports behind `port` are candidates too, alike in all else. Methods may answer so
                        (ripstop_candidates_up); ripstop_route returns 0, and each candidate by itself */
  uint8_t rank;      /* among the candidates that have space the lowest rank is taken first */
  uint8_t space : 4; /* free space demanded in the next queue, in packets: 1, or 2 for bubble flow control */
  uint8_t marks : 4; /* RIPSTOP_MARK_* that this hop adds */
  uint16_t weight;   /* links from here on, this one included; 0: unknown, as if it were 1. For selection functions that
                        weigh */
} ripstop_candidate;

/* ripstop_fail for an answer: `return ripstop_does_not_apply(err, "updown is for fat trees, not for %s", spec);` */
#define ripstop_does_not_apply(err, ...) ((ripstop_answer)(ripstop_fail(err, __VA_ARGS__), RIPSTOP_DOES_NOT_APPLY))

/* The guarantees of a method; the conformance test checks them. */
typedef struct ripstop_guarantees {
  uint32_t tolerates; /* with at most so many failed links between switches every pair is delivered, whatever the
                         selection function picks */
  bool minimal;       /* never a hop more than the fault-free minimum */
  bool deadlock_free; /* for the same fault sets, on plan->channels channels */
  bool symmetric;     /* relabelling the fabric by its family's `symbols` changes no count of any verdict: no port or
                         coordinate is preferred over another */
} ripstop_guarantees;

/* Which control packet a switch's module takes in next, of those at the heads of its queues (docs/model.md, "Control
 * packets"): the one that entered its queue first, the one of the lowest queue, or the one that entered last. */
typedef enum ripstop_control_order {
  RIPSTOP_CONTROL_ARRIVAL,
  RIPSTOP_CONTROL_PORT,
  RIPSTOP_CONTROL_NEWEST
} ripstop_control_order;

/* The channels and the space of switches (switch.vcs, switch.buffers), which proofs and certificates name. No verdict
 * depends on them: docs/prove.md, "How packets wait in a switch". */
typedef struct ripstop_switch_channels {
  uint32_t vcs; /* virtual channels for each of the plan's; 0 is 1 */
  bool pooled;  /* the channels of a port share its space, with a reserve for each */
} ripstop_switch_channels;

struct ripstop_plan {
  const ripstop_method *method;
  const void *config;                   /* the method's options */
  const struct ripstop_switch *switch_; /* how packets wait in switches (plugin/switch.h), for proofs and certificates:
                                         * who opens the plan sets it. NULL: as in "input" */
  ripstop_switch_channels switch_channels; /* likewise */
  const ripstop_view *view;                /* must outlive the plan */
  const ripstop_fabric *fabric;            /* view->fabric */
  uint32_t channels;                       /* virtual channels on every link, 1 .. RIPSTOP_CHANNELS_MAX */
  uint32_t candidates_max;                 /* most candidates that route ever returns here */
  uint32_t
      transit_packets; /* in-transit packets that a network interface can hold, to send them again as if they were its
                 own: a candidate to an end node that is not the destination is open while there is room for one more
                 (docs/model.md). The same for every view; at first 0: no such candidates. The prover knows none */
  uint32_t classes;    /* traffic classes that routes depend on, numbered from 0, at most RIPSTOP_CLASSES_MAX; packets
                          of each are walked by the prover. 1: `route` looks at no class, and there may be any */
  uint32_t random_headers; /* the header of a packet at its generation is random, 0 .. random_headers - 1, each as
                     likely; the same for every view. 1: it is 0. Proofs hold for every header */
  uint32_t control_flits;  /* length of a control packet: a message of the protocol that has a length travels as a
                              packet of channel 0 (docs/model.md, "Control packets"). The same for every view; at
                              first 0: messages are no packets */
  bool control_first;      /* control packets take a free output before all other packets */
  ripstop_control_order control_order; /* which of those that wait a switch's module takes next; at first arrival */
  bool bubble;       /* some candidate needs space for two packets (ripstop_candidate.space). The same for every view */
  bool choose_early; /* a packet settles on one candidate when it becomes the head of its queue */
  bool informs;    /* a switch without a candidate for a packet notifies its source, over the links that the packet came
                      by; a source with a transport sends it again at once. The same for every view */
  bool applies;    /* the last compilation said so; where it did not, the plan can be updated and freed */
  bool has_tables; /* `route` may be called */
  bool by_node;    /* at switches `route` looks at neither in_port nor channel of a head; proofs are quicker so */
  const char *note;       /* ripstop_plan_note */
  const void *data;       /* the method's own */
  ripstop_arena *arena;   /* memory of `plan`; emptied before each recompilation */
  ripstop_arena *keep;    /* the plan itself, and its config where it is the plan's own */
  ripstop_view *own_view; /* ripstop_plan_of made it, and its fabric; NULL: the caller did */
  const char *binding;    /* the selection function of switches, if it binds packets (docs/model.md, "Binding"), for
                           * proofs and certificates, like `switch_`. NULL: it does not */
};

/* The first step of ripstop_plan_open alone (ripstop_method.plan), which is all that simulations and networks need if
 * switches follow a protocol. */
ripstop_plan *ripstop_plan_compile(const ripstop_view *view, const char *method_spec, ripstop_answer *answer,
                                   ripstop_error *err);
const ripstop_method *ripstop_method_find(const char *name, size_t length, ripstop_error *err);
/* "name:a=1,b=2" with every option, defaults included. */
int ripstop_method_canonical(ripstop_arena *arena, const char *method_spec, const char **canonical, ripstop_error *err);
/* The same where options name files, whose paths start at the folder of the file `beside`: `canonical` has their names
 * and a hash of what they hold, and is the same wherever they lie; `opens` is for ripstop_plan_open. */
int ripstop_method_beside(ripstop_arena *arena, const char *method_spec, const char *beside, const char **canonical,
                          const char **opens, ripstop_error *err);

#define RIPSTOP_OF_METHOD "method" /* `switch.selection`, `switch.escape`, `switch.preset`: the method's own */
#define RIPSTOP_SELECTION "space"  /* the selection function of a method that names none */
#define RIPSTOP_ESCAPE    "open"   /* the same of the rule for higher ranks */
#define RIPSTOP_PRESET    "plain"  /* the same of the switch */
/* The selection function that switches use with this method, as "weighted": `asked`, the value of `switch.selection`,
 * or where that is NULL or RIPSTOP_OF_METHOD the method's own. Lives as long as `asked` and the method. */
const char *ripstop_method_selection(const ripstop_method *method, const char *asked);
/* Likewise the value of `switch.escape`: "open" or "exhausted". */
const char *ripstop_method_escape(const ripstop_method *method, const char *asked);
/* The preset of the switch that the method is meant for, as "modern", with the options of a canonical spec. */
const char *ripstop_method_preset(const ripstop_method *method, const char *canonical);

/* A packet that stands in a queue: what proofs and the engine say of a deadlock. */
typedef struct ripstop_deadlocked_packet {
  uint32_t port; /* the output port that sends into the queue */
  uint8_t channel;
  uint8_t class_;
  uint32_t source, destination; /* end nodes */
  uint64_t header;              /* in the queue, before the next hop */
} ripstop_deadlocked_packet;

/* ------------------------------------------------------------------ delivery of one pair, every adaptive choice
 * A walk over the states (switch, in port, channel, header) that a packet of class 0 can reach, for tests and for
 * run-time reports; the prover (prove.h) decides whole fabrics. */

typedef struct ripstop_delivery {
  bool every_choice; /* all choices end at the destination */
  bool some_choice;  /* one does */
  bool livelock;     /* some sequence of choices visits a cycle of states */
  uint32_t states;   /* visited */
  uint32_t max_hops; /* links of the longest path, end links included; RIPSTOP_NONE with livelock */
} ripstop_delivery;

/* -1 when the plan breaks a rule of method.h (a candidate through a port that is down, a channel that does not exist,
 * ...), which is a bug of the method, or when more than `limit` states are reachable. */
int ripstop_plan_deliver(const ripstop_plan *plan, uint32_t source, uint32_t destination, uint32_t limit,
                         ripstop_delivery *out, ripstop_error *err);

RIPSTOP_END

#endif
