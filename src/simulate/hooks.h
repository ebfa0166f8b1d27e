/* hooks.h - where features attach to the event loop. core.c knows none of them by name.
 *
 * A feature is a file with its own data. When a run is opened, each feature checks whether the run needs it and takes
 * its hooks (open.c). Hooks without a feature stay NULL, which costs the loop one test of a pointer. A hook has one
 * owner, except the lists for whole cycles. Hooks do not change during a run.
 *
 *   in-transit packets      NICs receive packets and send them on              transit.c
 *   lines           of waiting packets with the same candidates                packet_lines.c, crossbar.c
 *   output queues           queues between crossbar and link                   outqueues.c
 *   bound packets           switches without requests                          bound_packets.c
 *   shared memory           their space, with pauses, losses or cut packets    shared_memory.c
 *   store and forward       packets that enter a queue whole                   store_forward.c
 *   slow links              links that need more than a cycle per flit         slow.c
 *   XON/XOFF                in place of credits                                onoff.c
 *   congestion marks        on packets whose output has long queues            congestion_marks.c
 *   control                 a method's protocol and its guarantees             control.c, promises.c
 *   control packets         messages of the protocol that travel as packets    inband.c
 *   static reconfiguration  stop, drain, recompute, resume                     reconfiguration.c
 *   endpoint agents         end nodes that answer                              agents.c
 *   deliveries              reported to the caller                             deliveries.c
 *   binding                 heads that keep one candidate                      binding.c
 *   packets to oneself      that go to the switch and back                     to_self.c
 *   link errors             packets that a link corrupts                       link_errors.c
 *   reordering              of packets of a pair of end nodes                  reorder.c
 *   prefetching             for large fabrics                                  fetch.c */
#ifndef SIMULATE_HOOKS_H
#define SIMULATE_HOOKS_H

#include "ripstop/plugin/plan.h"
#include "simulate/wheel.h"

struct part;
struct packet;
struct queue;
struct sim_node;
struct ripstop_simulation;
struct ripstop_source;

/* Cycles from a grant until the packet has left its queue and frees its crossbar input (`queue`), until its output is
 * free (`output`), and by which it arrives later than over a link at full rate (`later`). */
typedef struct stay {
  uint32_t queue, output, later;
} stay;

enum { CYCLE_HOOKS = 4 }; /* places in a list */

/* One step of a cycle for all parts together. Each feature has one place in the list. */
typedef void (*cycle_hook)(struct ripstop_simulation *run);

typedef struct hooks {
  /* ---- heads and their candidates */
  /* Replaces the plan's route. Answers as ripstop_method.route; 0: it has set queue.state or set_loss itself. */
  int (*candidates)(struct part *part, struct queue *q, const ripstop_head *head, ripstop_candidate *candidate);
  /* A candidate through a port that is down is allowed here. */
  bool (*down_candidate)(const struct part *part, const struct queue *q, uint32_t port);
  /* A candidate through this local port to an end node is closed to this head, although the core sees space. */
  bool (*shut)(const struct part *part, const struct queue *q, uint32_t local);
  /* The head of a queue is a truncated packet: the hook may give it candidates or stall it. */
  void (*remnant)(struct part *part, struct queue *q);
  /* True if the switch discards this head, which has no candidates, in this cycle. */
  bool (*discarding)(struct part *part, struct queue *q);
  /* A packet that this node discarded has left its queue. */
  void (*vanished)(struct part *part, uint32_t node);
  /* A head without candidates was not lost before. False: it does not make the run lossy. */
  bool (*no_candidate)(struct part *part, const struct queue *q, const struct packet *p);

  /* ---- NICs */
  /* A packet that the NIC sends before those of the stream's source, or RIPSTOP_NONE. */
  uint32_t (*before_source)(struct part *part, uint32_t stream);
  /* Replaces ripstop_source_next, for a copy of the stream's position. */
  void (*next_generation)(const struct part *part, uint32_t stream, struct ripstop_source *source);
  /* The stream's next packet has become this row of t->packet. The stream's position moves on afterwards. */
  void (*taken)(struct part *part, uint32_t stream, uint32_t packet_index);
  /* A packet of the NIC's own stream was granted its link. */
  void (*injected)(struct part *part, const struct packet *p);
  /* The head of the NIC's queue has left it. */
  void (*left_interface)(struct part *part, uint32_t stream);
  /* A packet reached an end node that is not its destination; an error without this hook. */
  void (*misdelivered)(struct part *part, uint32_t end, uint32_t packet_index);
  /* A packet has reached its end node. True: only its header has, which a switch had cut off. */
  bool (*header_delivered)(struct part *part, struct packet *p);
  void (*delivered[4])(struct part *part, const struct packet *p);         /* a list that NULL ends */
  void (*lost)(struct part *part, const struct packet *p, uint32_t cause); /* first count of the loss */

  /* ---- links and queues */
  /* A packet enters an input queue of a switch. True: the hook has put it where it waits. */
  bool (*entering)(struct part *part, uint32_t index, uint32_t packet_index);
  /* A head entered an input queue, or a packet left one (units below 0): replaces credits. */
  void (*stalled)(struct part *part, uint32_t index, int32_t units);
  /* A packet takes the link of an output port. */
  void (*sending)(struct part *part, uint32_t port, struct packet *p);
  /* A head is being granted this output VC of its node. */
  void (*leaving)(struct part *part, const struct queue *q, uint32_t vc);
  /* The cycles for which a head that is granted this output occupies its resources. */
  stay (*occupancy)(struct part *part, const struct queue *q, uint32_t local);
  /* A packet takes a link to an end node that is not its destination. */
  void (*visiting)(struct part *part, uint32_t port);
  /* A head of a switch was granted an output VC: replaces sending it. */
  void (*granted)(struct part *part, uint32_t vc, uint32_t packet_index);
  /* The link of a switch or the space beyond it may have become free: replaces waking the heads that want it. */
  void (*link_woken)(struct part *part, uint32_t port);
  /* A packet has left its input queue and this node's output, or an output queue. */
  void (*output_freed)(struct part *part, uint32_t node);
  /* Events of kinds from FEATURE_EVENTS on. */
  void (*event[EVENT_KINDS - FEATURE_EVENTS])(struct part *part, uint32_t subject, uint32_t detail);

  /* Everything of the cycle has arrived at this part's nodes. */
  void (*all_here)(struct part *part);

  /* ---- decisions */
  void (*before_decisions)(struct part *part);                     /* once a cycle, before any node decides */
  void (*deciding)(struct part *part, uint32_t node);              /* before a node's rounds */
  void (*rounds)(struct part *part, const struct sim_node *node);  /* replaces a node's rounds */
  void (*decided)(struct part *part, const struct sim_node *node); /* after those of a switch */
  /* Removes nodes that decide nothing in this cycle, and returns how many are left. */
  uint32_t (*deciders)(const struct part *part, uint32_t *node, uint32_t count);
  /* Prefetch for the next events and decisions. */
  void (*fetch_events[BUCKETS])(const struct part *part, const sim_event *event, const sim_event *end);
  void (*fetch_nodes)(const struct part *part, const uint32_t *node, uint32_t count); /* FETCH_NODES at most */

  /* ---- whole cycles, in this order */
  cycle_hook started[CYCLE_HOOKS]; /* before cycle 0, when the NICs have their first packets */
  cycle_hook changed[CYCLE_HOOKS]; /* after the changes of the cycle */
  cycle_hook arrived[CYCLE_HOOKS]; /* when everything else has arrived */
  cycle_hook over[CYCLE_HOOKS];    /* at its end */
  /* The first cycle in which `arrived` has something to do unless something arrives earlier; UINT64_MAX: none. One per
   * place of that list. */
  uint64_t (*due[CYCLE_HOOKS])(const struct ripstop_simulation *run);
  /* The first cycle, from the next one on, in which `changed` or `over` is known to have something to do; UINT32_MAX:
   * none. */
  uint32_t (*next[CYCLE_HOOKS])(const struct ripstop_simulation *run);
  /* While one of these returns true the engine does not search for deadlock: what stalls packets may still release
   * them. */
  bool (*busy[CYCLE_HOOKS])(const struct ripstop_simulation *run);
} hooks;

/* Appends to a list. */
void hook_cycle(cycle_hook list[CYCLE_HOOKS], cycle_hook hook);
/* The same for `arrived`, together with its `due`. */
void hook_arrived(hooks *own, cycle_hook hook, uint64_t (*due)(const struct ripstop_simulation *run));

static inline void call_hooks(const cycle_hook list[CYCLE_HOOKS], struct ripstop_simulation *run) {
  for (const cycle_hook *h = list; h < list + CYCLE_HOOKS && *h; h++) (*h)(run);
}

enum { FETCH_NODES = 16 }; /* nodes of one batch: their rows fit the first-level cache */

#endif
