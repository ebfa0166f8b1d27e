/* hooks.h - where features hang on the event loop. core.c knows none of them by name.
 *
 * A feature is a file of its own with its own data. When a run is opened each feature looks whether the run has need of
 * it and if so takes the hooks that it wants (open.c); those of the others stay NULL, which costs the loop a test
 * of a pointer. A hook has one owner, except those of a whole cycle, which are lists. Hooks do not change while a run
 * lasts.
 *
 *   in-transit packets     packets that network interfaces take in for others           in-transit packets.c
 *   outqueues  queues between crossbar and link                             outqueues.c
 *   slow       links that need more than a cycle for a flit, their queues   slow.c
 *   words      XON/XOFF in place of credits                                 words.c
 *   marks      of packets for whose output many wait                        congestion_marks.c
 *   control    a method's protocol, and what it promises                    control.c, promises.c
 *   inband     its messages that travel as packets                         inband.c
 *   stop       the static reaction: stop, drain, compute, go on             reaction.c
 *   agents    end nodes that answer                                        agents.c
 *   deliveries told to somebody                                             deliveries.c
 *   fetch      asking memory ahead, for large fabrics                       fetch.c */
#ifndef SIMULATE_HOOKS_H
#define SIMULATE_HOOKS_H

#include "ripstop/plan.h"
#include "simulate/wheel.h"

struct part;
struct packet;
struct queue;
struct sim_node;
struct ripstop_simulation;
struct ripstop_source;

/* Cycles from a grant on: until the packet has left its queue, and its crossbar side is free; until its output is; and
 * by how many it comes later than over a link at full rate. */
typedef struct stay {
  uint32_t queue, output, later;
} stay;

enum { CYCLE_HOOKS = 4 }; /* of a list, at most */

/* One step of a cycle for all parts together; at a place in the list for each feature. */
typedef void (*cycle_hook)(struct ripstop_simulation *run);

typedef struct hooks {
  /* ---- heads and their candidates */
  /* In place of the plan's route. What it answers as ripstop_method.route does; 0: it has said itself what becomes of
   * the head (queue.state, set_loss). */
  int (*candidates)(struct part *part, struct queue *q, const ripstop_head *head, ripstop_candidate *candidate);
  /* Whether a way through a dead port is allowed here. */
  bool (*dead_candidate)(const struct part *part, const struct queue *q, uint32_t port);
  /* Whether the way through this local port to an end node, which has room as far as the core knows, is closed to this
   * head. */
  bool (*shut)(const struct part *part, const struct queue *q, uint32_t local);
  /* The head of a queue is a truncated packet: it may be given candidates, or be stalled (HELD). */
  void (*remnant)(struct part *part, struct queue *q);
  /* True if the switch discards this head, which has no candidates, in this cycle. */
  bool (*discarding)(struct part *part, struct queue *q);
  /* What this node discarded has left its queue. */
  void (*vanished)(struct part *part, uint32_t node);
  /* A head without candidates goes nowhere and was not lost before; false: that does not make the run lossy. */
  bool (*no_way)(struct part *part, const struct queue *q, const struct packet *p);

  /* ---- network interfaces */
  /* The packet that goes before those of the stream's source, or RIPSTOP_NONE. */
  uint32_t (*before_source)(struct part *part, uint32_t stream);
  /* In place of ripstop_source_next, for a copy of the stream's position. */
  void (*next_generation)(const struct part *part, uint32_t stream, struct ripstop_source *source);
  /* The stream's next packet has become this row of t->packet, and the stream's position moves on. */
  void (*taken)(struct part *part, uint32_t stream, uint32_t packet_index);
  /* A packet of the interface's own has been granted its link. */
  void (*injected)(struct part *part, const struct packet *p);
  /* The head of the interface's queue has left it. */
  void (*left_interface)(struct part *part, uint32_t stream);
  /* A packet has come to an end node that it is not for; without this hook that is an error. */
  void (*stranger)(struct part *part, uint32_t end, uint32_t packet_index);
  void (*delivered[3])(struct part *part, const struct packet *p);         /* a list, NULL at its end */
  void (*lost)(struct part *part, const struct packet *p, uint32_t cause); /* counted for the first time */

  /* ---- links and queues */
  /* A head has entered an input queue, or a packet left one (units below 0): in place of credits. */
  void (*stalled)(struct part *part, uint32_t index, int32_t units);
  /* A packet takes the link of an output port. */
  void (*sending)(struct part *part, uint32_t port, struct packet *p);
  /* A head is being granted this output VC of its node. */
  void (*leaving)(struct part *part, const struct queue *q, uint32_t vc);
  /* The resources that a head holds when it is granted this output, and for how long. */
  stay (*pace)(struct part *part, const struct queue *q, uint32_t local);
  /* A packet takes a link to an end node that it is not for. */
  void (*visiting)(struct part *part, uint32_t port);
  /* A head of a switch has been granted an output VC: in place of sending it. */
  void (*granted)(struct part *part, uint32_t vc, uint32_t packet_index);
  /* The link of a switch, or the space beyond it, may be free; in place of waking the heads that want it. */
  void (*link_woken)(struct part *part, uint32_t port);
  /* A packet has left its input queue and this node's output. */
  void (*output_freed)(struct part *part, uint32_t node);
  /* Events of kinds from FEATURE_EVENTS on. */
  void (*event[EVENT_KINDS - FEATURE_EVENTS])(struct part *part, uint32_t subject, uint32_t detail);

  /* Everything of the cycle has arrived at this part's nodes. */
  void (*all_here)(struct part *part);

  /* ---- decisions */
  void (*deciding)(struct part *part, uint32_t node);              /* before a node's rounds */
  void (*decided)(struct part *part, const struct sim_node *node); /* after those of a switch */
  /* Leaves out nodes that decide nothing in this cycle; returns how many are left. */
  uint32_t (*deciders)(const struct part *part, uint32_t *node, uint32_t count);
  /* Ask memory for what is looked at next. */
  void (*fetch_events[BUCKETS])(const struct part *part, const sim_event *event, const sim_event *end);
  void (*fetch_nodes)(const struct part *part, const uint32_t *node, uint32_t count); /* FETCH_NODES at most */

  /* ---- whole cycles, in this order */
  cycle_hook started[CYCLE_HOOKS]; /* before cycle 0, when the interfaces have their first packets */
  cycle_hook changed[CYCLE_HOOKS]; /* after the changes of the cycle */
  cycle_hook arrived[CYCLE_HOOKS]; /* when everything else has arrived */
  cycle_hook over[CYCLE_HOOKS];    /* at its end */
  /* The first cycle in which `arrived` has something to do, unless something arrives before it; UINT64_MAX: none. One
   * for each of that list. */
  uint64_t (*due[CYCLE_HOOKS])(const struct ripstop_simulation *run);
  /* The first cycle, from the one on that is to begin, in which `changed` or `over` have something to do, as far as it
   * is known yet; UINT32_MAX: none. */
  uint32_t (*next[CYCLE_HOOKS])(const struct ripstop_simulation *run);
  /* While one of these is true nobody searches for a deadlock: what holds packets may still let them go. */
  bool (*busy[CYCLE_HOOKS])(const struct ripstop_simulation *run);
} hooks;

/* Adds to a list. */
void hook_cycle(cycle_hook list[CYCLE_HOOKS], cycle_hook hook);
/* The same for `arrived`, with what tells when the hook has something to do. */
void hook_arrived(hooks *own, cycle_hook hook, uint64_t (*due)(const struct ripstop_simulation *run));

static inline void call_hooks(const cycle_hook list[CYCLE_HOOKS], struct ripstop_simulation *run) {
  for (const cycle_hook *h = list; h < list + CYCLE_HOOKS && *h; h++) (*h)(run);
}

enum { FETCH_NODES = 16 }; /* that decide, in one batch: their rows fit the first cache */

#endif
