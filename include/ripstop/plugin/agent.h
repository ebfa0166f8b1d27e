/* agent.h - endpoint agents: code that sends and receives the packets of end nodes in a simulation, in place of random
 * traffic. */
#ifndef RIPSTOP_PLUGIN_AGENT_H
#define RIPSTOP_PLUGIN_AGENT_H

#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

/* An agent acts for a set of end nodes; several agents have a set each. It is called when packets arrive at its end
 * nodes, when its own packets are taken into the network or are lost, and when its alarms go off; then it can send. End
 * nodes without an agent are random sources; agents are not notified of packets from or to these.
 *
 * All calls come in the thread of the simulation, and their order depends on the simulation alone. At the end of a
 * cycle's arrivals step come deliveries, by end node; then packets taken, then packets lost, by sender, class and order
 * of sending; then alarms, in the order in which they were set. Packets sent in a cycle are in the queue of their
 * network interface in that cycle's decisions. The queue keeps any number, and packets of one class leave in order.
 *
 * A packet is taken when a decision grants its network interface the link; the agent is notified in the next cycle,
 * except about quiet packets. So an agent that allows few packets which are neither taken nor lost is slowed by the
 * network's back-pressure. A loss with a failed part is reported in that cycle; one by a decision of a switch, or by a
 * call, in the next. Packets of an end node whose switch is down are lost at once. */

typedef struct ripstop_account { /* packet accounting of the whole run, with its warm-up */
  uint64_t generated, delivered, in_flight, waiting, lost;
} ripstop_account;

typedef struct ripstop_agent_context ripstop_agent_context; /* the simulation, as an agent sees it */

typedef struct ripstop_agent_packet { /* a packet */
  uint32_t source, destination;       /* end nodes; not the same */
  uint32_t class_;                    /* below ripstop_agent.classes */
  uint32_t flits;
  uint64_t tag;     /* the sender's own */
  uint64_t message; /* number of its message among those from this source to this destination, for switches that send
                       each message on a path of its own; 0: unknown */
  bool quiet;       /* when it is taken, no agent is informed */
  bool marked;      /* a delivered packet: a switch has marked it */
  bool cut;         /* a delivered packet: a switch without room for it has cut it to its first flit, so that it is only
                       a message that the rest did not arrive; `flits` is that of the whole packet */
  uint32_t informs; /* a lost packet: links that it had crossed to the switch that discarded it and informs its source
                       (ripstop_plan.informs); 0: the source is not informed */
} ripstop_agent_packet;

/* Steps of static reconfiguration after a failure. Repairs alone are not reported. */
typedef enum ripstop_reconfiguration_event {
  RIPSTOP_RECONFIGURATION_FAILED,  /* a part has failed in this cycle; the network goes on until that is detected */
  RIPSTOP_RECONFIGURATION_STOPPED, /* network interfaces stop; packets that wait in those of the agent are lost, as
                                      drained ones */
  RIPSTOP_RECONFIGURATION_RESUMED  /* the network is empty, and network interfaces continue in this cycle */
} ripstop_reconfiguration_event;

typedef struct ripstop_agent {
  const uint32_t *end; /* [ends]: its end nodes, each of one agent only; NULL: all */
  uint32_t ends;
  uint32_t classes;           /* traffic classes of its packets, 1 to RIPSTOP_CLASSES_MAX */
  uint32_t shortest, longest; /* flits of the packets that will be sent, 1 to 4096 */
  bool urgent; /* at all network interfaces of the run, packets of the highest class go first; else the switches'
                  arbiter picks there, too */
  /* Each may be NULL. `packet` lives during the call. */
  void (*start)(void *context, ripstop_agent_context *agent_context); /* before cycle 0 */
  void (*delivered)(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *agent_packet);
  void (*taken)(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *agent_packet);
  void (*lost)(void *context, ripstop_agent_context *agent_context, const ripstop_agent_packet *agent_packet);
  void (*alarm)(void *context, ripstop_agent_context *agent_context, uint64_t alarm);
  /* An agent that has this goes back to an earlier state: before the deliveries of the cycle, RESUMED after the losses.
   */
  void (*reacts)(void *context, ripstop_agent_context *agent_context, ripstop_reconfiguration_event event);
  /* Not NULL: results count the packets that the agent generates and receives (ripstop_agent_generated,
   * ripstop_agent_received), and packets only carry them. It must have all end nodes, and one class of such packets.
   * Reports the packets that it has generated and not received: in_flight those that it has sent at least once, waiting
   * the others. */
  void (*account)(const void *context, ripstop_account *out);
  void *context;
} ripstop_agent;

/* Only for use within the calls above. An impossible request, such as a packet to an unknown end node or an alarm for
 * the present cycle, ends the run with an error. */
uint64_t ripstop_agent_now(const ripstop_agent_context *agent_context); /* cycle */
bool ripstop_agent_is_up(const ripstop_agent_context *agent_context,
                         uint32_t end); /* false: the end node's switch has failed */
void ripstop_agent_send(ripstop_agent_context *agent_context,
                        const ripstop_agent_packet *agent_packet); /* copied; its latency counts from now on */
void ripstop_agent_alarm(ripstop_agent_context *agent_context, uint64_t cycle,
                         uint64_t alarm); /* `cycle` lies ahead: from `start`, 0 does */
/* For agents that have `account`. A packet of so many flits is generated in the present cycle; the packet that was
 * generated in cycle `generated` is received with the packet whose `delivered` is running. */
void ripstop_agent_generated(ripstop_agent_context *agent_context, uint32_t flits);
void ripstop_agent_received(ripstop_agent_context *agent_context, uint64_t generated_at);
/* A part fails or comes back at the start of the next cycle; change->cycle does not count. It is in the other state,
 * and nothing else happens to it in that cycle. Rates are for fault sets and schedules. */
void ripstop_agent_change(ripstop_agent_context *agent_context, const ripstop_change *change);
void ripstop_agent_finish(
    ripstop_agent_context *agent_context); /* the run ends after this cycle, whatever measure.cycles says */

RIPSTOP_END

#endif
