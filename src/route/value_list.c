/* value_list.c - the list of all values: names, units, the results that have them, meanings. A module that computes a
 * value gives it a name of this list. */
#include <string.h>

#include "ripstop/kit/values.h"

const ripstop_quantity ripstop_quantities[] = {
    /* Simulations: packets, all or one class or kind. */
    {"packets", "packets", RIPSTOP_VALUES_PACKETS, "delivered packets that were measured"},
    {"accepted", "flits/node/cycle", RIPSTOP_VALUES_PACKETS,
     "flits per end node and cycle that arrived: the throughput"},
    {"latency.mean", "cycles", RIPSTOP_VALUES_PACKETS,
     "cycles from a packet's generation to its last flit's arrival, mean"},
    {"latency.p50", "cycles", RIPSTOP_VALUES_PACKETS, "cycles that half of the packets' latencies do not exceed"},
    {"latency.p99", "cycles", RIPSTOP_VALUES_PACKETS, "cycles that 99 of 100 packets' latencies do not exceed"},
    {"latency.p999", "cycles", RIPSTOP_VALUES_PACKETS, "cycles that 999 of 1000 packets' latencies do not exceed"},
    {"latency.max", "cycles", RIPSTOP_VALUES_PACKETS, "cycles, the greatest latency"},
    {"latency.*", "cycles", RIPSTOP_VALUES_FAMILY, "quantiles of packets' latencies"},
    {"network-latency.mean", "cycles", RIPSTOP_VALUES_PACKETS,
     "cycles from the network interface to the last flit's arrival, mean; finite beyond saturation"},
    {"hops.mean", "links", RIPSTOP_VALUES_PACKETS, "links between switches that a packet took, mean"},
    /* Simulations. */
    {"offered", "flits/node/cycle", RIPSTOP_VALUES_RUN, "flits per end node and cycle that sources generated"},
    {"unserved", "flits/node/cycle", RIPSTOP_VALUES_RUN,
     "flits per end node and cycle that were offered and neither accepted nor lost"},
    {"saturated", "0 or 1", RIPSTOP_VALUES_RUN,
     "1 when more was offered than accepted or lost, and half of the rest stayed in the sources"},
    {"accepted.drift", "1", RIPSTOP_VALUES_RUN,
     "change of throughput from the first half of the measured cycles to the second"},
    {"latency.drift", "1", RIPSTOP_VALUES_RUN,
     "change of latency from the first half of the measured cycles to the second"},
    {"lost", "packets", RIPSTOP_VALUES_RUN, "packets that were lost"},
    {"network-latency.drift", "1", RIPSTOP_VALUES_RUN,
     "change of network latency from the first half of the measured cycles to the second"},
    {"lost.share", "1", RIPSTOP_VALUES_RUN, "lost packets as a share of those that network interfaces took"},
    {"lost.link died", "packets", RIPSTOP_VALUES_RUN, "packets lost on a link that failed"},
    {"lost.switch died", "packets", RIPSTOP_VALUES_RUN, "packets lost in or with a switch that failed"},
    {"lost.drained", "packets", RIPSTOP_VALUES_RUN,
     "packets that static reconfiguration discarded to empty the network"},
    {"lost.errors", "packets", RIPSTOP_VALUES_RUN, "packets that a link corrupted (link.ber)"},
    {"lost.buffer", "packets", RIPSTOP_VALUES_RUN, "packets that found no space in the memory of a switch"},
    {"lost.trimmed", "packets", RIPSTOP_VALUES_RUN, "packets that a switch cut to a header, which arrived"},
    {"lost.*", "packets", RIPSTOP_VALUES_FAMILY, "packets that the method lost for this reason"},
    {"link-use.mean", "flits/cycle", RIPSTOP_VALUES_RUN, "share of cycles that a link was busy, mean over links"},
    {"reorder.max", "packets", RIPSTOP_VALUES_RUN,
     "most packets that were sent later between the same end nodes and arrived before one"},
    {"reorder.mean", "packets", RIPSTOP_VALUES_RUN,
     "packets that were sent later between the same end nodes and arrived before a packet, mean"},
    {"link-use.max", "flits/cycle", RIPSTOP_VALUES_RUN, "share of cycles that the busiest link was busy"},
    {"link-use.*", "flits/cycle", RIPSTOP_VALUES_FAMILY,
     "quantiles of the use of links in each direction, and with measure.links the use of each link"},
    {"pauses", "pauses", RIPSTOP_VALUES_RUN, "pauses of senders (PFC), of all links and virtual channels"},
    {"pause.cycles", "cycles", RIPSTOP_VALUES_RUN,
     "cycles that senders were paused, sum of all links and virtual channels"},
    {"pauses.*", "pauses", RIPSTOP_VALUES_FAMILY, "with measure.links: pauses of the link in this direction"},
    {"pause.cycles.*", "cycles", RIPSTOP_VALUES_FAMILY, "with measure.links: cycles that this direction was paused"},
    {"sent.*", "flits/cycle", RIPSTOP_VALUES_FAMILY, "quantiles of the rates at which end nodes sent"},
    {"received.*", "flits/cycle", RIPSTOP_VALUES_FAMILY, "quantiles of the rates at which end nodes received"},
    {"sent.fairness", "1", RIPSTOP_VALUES_SPREAD,
     "1 when all end nodes sent as much, 1/n when one of n sent all (Jain's index)"},
    {"received.fairness", "1", RIPSTOP_VALUES_SPREAD,
     "1 when all end nodes received as much, 1/n when one of n received all (Jain's index)"},
    {"slow-queue", "packets", RIPSTOP_VALUES_RUN,
     "packets that an output queues for a slow link to an end node (switch.slow_queue), if some link is slow"},
    {"stops", "stops", RIPSTOP_VALUES_RUN, "times that the network was stopped for new routes"},
    {"stops.deadlocked", "stops", RIPSTOP_VALUES_RUN, "stops in which the network had to be emptied by force"},
    {"stops.detecting", "cycles", RIPSTOP_VALUES_RUN, "cycles from changes of the fabric to stops"},
    {"stopped", "cycles", RIPSTOP_VALUES_RUN, "cycles for which it was stopped"},
    {"stopped.draining", "cycles", RIPSTOP_VALUES_RUN, "of the cycles stopped, those until the network was empty"},
    {"stopped.computing", "cycles", RIPSTOP_VALUES_RUN, "of the cycles stopped, those for the new routes"},
    {"stopped.resuming", "cycles", RIPSTOP_VALUES_RUN,
     "of the cycles stopped, those from the new routes until network interfaces went on"},
    {"control.messages", "messages", RIPSTOP_VALUES_RUN, "messages of the method's protocol"},
    {"control.settling", "cycles", RIPSTOP_VALUES_RUN,
     "cycles from the last change to the last new candidates of a switch"},
    {"control.*", "messages", RIPSTOP_VALUES_FAMILY, "messages of this kind of the method's protocol"},
    {"control.last.*", "cycles", RIPSTOP_VALUES_FAMILY, "cycles from the last change to the last message of this kind"},
    {"control.settling.*", "cycles", RIPSTOP_VALUES_FAMILY,
     "cycles from the last change to the last new candidates by a message of this kind"},
    {"warmup", "cycles", RIPSTOP_VALUES_RUN, "cycles before the measurement"},
    {"warmup.settled", "1", RIPSTOP_VALUES_RUN, "1 when throughput and filling had settled by then"},
    {"account.generated", "packets", RIPSTOP_VALUES_RUN, "packets generated in the whole run"},
    {"account.delivered", "packets", RIPSTOP_VALUES_RUN, "packets delivered in the whole run"},
    {"account.in-flight", "packets", RIPSTOP_VALUES_RUN, "packets in the network at the end"},
    {"account.waiting", "packets", RIPSTOP_VALUES_RUN, "packets in their sources at the end"},
    {"account.lost", "packets", RIPSTOP_VALUES_RUN, "packets lost in the whole run"},
    {"run.cycles", "cycles", RIPSTOP_VALUES_RUN, "cycles of the whole run"},
    {"run.hops", "links", RIPSTOP_VALUES_RUN, "links between switches that packets took in the whole run, in all"},
    {"voq.full", "packets", RIPSTOP_VALUES_RUN,
     "packets of the whole run that waited behind others of other candidates, because their queue had no more lines"},
    {"channels", "", RIPSTOP_VALUES_RUN | RIPSTOP_VALUES_SETS, "virtual channels on every link"},
    {"fault.recovery", "cycles", RIPSTOP_VALUES_RUN,
     "cycles from the first change of the schedule to the end of the last window with clearly less throughput than "
     "before"},
    {"fault.worst", "", RIPSTOP_VALUES_RUN,
     "throughput of the worst window from that change on, over what it was before"},
    {"fault.stall", "cycles", RIPSTOP_VALUES_RUN,
     "the longest time from the first change on in which an end node received nothing"},
    {"fault.stall.before", "cycles", RIPSTOP_VALUES_RUN, "the same before that change, for comparison"},
    {"fault.until-good", "cycles", RIPSTOP_VALUES_RUN,
     "cycles from the first change until no more packets are lost and all switches have their last candidates"},
    {"faults.refused", "sets", RIPSTOP_VALUES_RUN, "random fault sets before the run's that faults.keep rejected"},
    {"not-tolerated", "0 or 1", RIPSTOP_VALUES_RUN, "1 when the method loses some pair under the run's fault set"},
    {"pairs.lost", "pairs", RIPSTOP_VALUES_RUN, "ordered pairs of end nodes that the method loses"},
    {"precision.reached", "0 or 1", RIPSTOP_VALUES_RUN,
     "1 when the value is known as well as measure.precision requires"},
    {"precision.looks", "looks", RIPSTOP_VALUES_RUN, "number of interim analyses until then"},
    {"precision.samples", "samples", RIPSTOP_VALUES_RUN, "fault sets that the row is the mean of"},
    {"saturation.load", "flits/node/cycle", RIPSTOP_VALUES_RUN,
     "the load at which the network saturates, found by bisection"},
    {"saturation.accepted", "flits/node/cycle", RIPSTOP_VALUES_RUN, "throughput at that load"},
    {"saturation.lost", "1", RIPSTOP_VALUES_RUN,
     "lost packets at that load as a share of those that network interfaces took"},
    {"saturation.found", "0 or 1", RIPSTOP_VALUES_RUN,
     "0 where even a load of 1 is carried, or probes could not be told apart"},
    {"saturation.probes", "runs", RIPSTOP_VALUES_RUN, "runs that the search for saturation took"},
    /* Programs. */
    {"program.time", "processor cycles", RIPSTOP_VALUES_PROGRAM, "cycles that the program took"},
    {"program.slowdown", "", RIPSTOP_VALUES_PROGRAM, "that time over the time without failures"},
    {"program.done", "0 or 1", RIPSTOP_VALUES_PROGRAM, "1 when the program came to its end"},
    {"program.right", "0 or 1", RIPSTOP_VALUES_PROGRAM, "1 when its result is right, and caches and directories agree"},
    {"program.error", "", RIPSTOP_VALUES_PROGRAM, "of the program's result, in the kernel's measure"},
    {"program.wait", "processor cycles", RIPSTOP_VALUES_PROGRAM,
     "processor cycles that a processor waited, mean, for lines or for others"},
    {"program.loads", "loads", RIPSTOP_VALUES_PROGRAM, "loads of all processors"},
    {"program.stores", "stores", RIPSTOP_VALUES_PROGRAM, "stores of all processors"},
    {"program.l1-misses", "accesses", RIPSTOP_VALUES_PROGRAM,
     "accesses that missed the first cache, of all processors"},
    {"program.misses", "lines", RIPSTOP_VALUES_PROGRAM,
     "lines that were requested from their homes, of all processors"},
    {"program.upgrades", "lines", RIPSTOP_VALUES_PROGRAM,
     "lines that a processor had and requested for writing, of all processors"},
    {"program.evictions", "lines", RIPSTOP_VALUES_PROGRAM, "lines that left caches for others, of all processors"},
    {"program.requests", "packets", RIPSTOP_VALUES_PROGRAM, "packets with requests, repetitions included"},
    {"program.forwards", "packets", RIPSTOP_VALUES_PROGRAM, "packets with forwarded requests, repetitions included"},
    {"program.responses", "packets", RIPSTOP_VALUES_PROGRAM, "packets with responses, repetitions included"},
    {"program.completions", "packets", RIPSTOP_VALUES_PROGRAM, "packets with completions, repetitions included"},
    {"program.retries", "packets", RIPSTOP_VALUES_PROGRAM, "packets of the program that were sent again"},
    {"program.peak", "flits/cycle", RIPSTOP_VALUES_PROGRAM,
     "flits/cycle, the most in a whole window, of all end nodes"},
    /* Workloads. */
    {"workload.complete", "0 or 1", RIPSTOP_VALUES_WORKLOAD, "1 when all jobs came to their end"},
    {"workload.late-changes", "changes", RIPSTOP_VALUES_WORKLOAD,
     "changes of the schedule after the end of all jobs, without effect"},
    {"workload.cycles", "cycles", RIPSTOP_VALUES_WORKLOAD, "cycles from the start to the end of all jobs"},
    {"workload.ideal-cycles", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles that no network of this fabric can beat: the largest of the four workload.ideal.*"},
    {"workload.ideal.path", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles of the longest chain of tasks, in which each message takes what it takes alone"},
    {"workload.ideal.compute", "cycles", RIPSTOP_VALUES_WORKLOAD, "cycles of the processor that has most to compute"},
    {"workload.ideal.ports", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles of the end node that has most to send or receive, at a flit a cycle"},
    {"workload.ideal.bisection", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles for what goes between two halves of the end nodes, over the links between them"},
    {"message.count", "messages", RIPSTOP_VALUES_WORKLOAD, "messages that arrived"},
    {"message.bytes", "bytes", RIPSTOP_VALUES_WORKLOAD, "bytes of the messages that arrived"},
    {"message.completion.mean", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles from when a message could be sent until it arrived, mean"},
    {"message.completion.p50", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "the same, which half of the messages did not exceed"},
    {"message.completion.p99", "cycles", RIPSTOP_VALUES_WORKLOAD, "the same, which 99 of 100 messages did not exceed"},
    {"message.completion.p999", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "the same, which 999 of 1000 messages did not exceed"},
    {"message.completion.max", "cycles", RIPSTOP_VALUES_WORKLOAD, "cycles of the slowest message"},
    {"message.slowdown.mean", "1", RIPSTOP_VALUES_WORKLOAD,
     "the time of a message over its time alone in the network without faults, mean"},
    {"message.slowdown.p99", "1", RIPSTOP_VALUES_WORKLOAD, "the same ratio, which 99 of 100 messages did not exceed"},
    {"message.repeats", "packets", RIPSTOP_VALUES_WORKLOAD, "packets that were sent again"},
    {"transport.timeouts", "time-outs", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "timers of the transport that ran out"},
    {"transport.acks", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "acknowledgements that were sent, in packets"},
    {"transport.naks", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "negative acknowledgements that were sent, in packets"},
    {"transport.informed", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "packets that a source sent again, or went back to, after a notification by a switch"},
    {"transport.refused", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "packets that came out of order and were not taken"},
    {"transport.duplicates", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "packets that had come before"},
    {"transport.trimmed", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "packets that a switch had cut to their header"},
    {"transport.pulls", "packets", RIPSTOP_VALUES_WORKLOAD | RIPSTOP_VALUES_TRAFFIC,
     "requests of receivers for packets, in packets"},
    {"transport.marked", "packets", RIPSTOP_VALUES_WORKLOAD, "packets that came with a mark of congestion"},
    {"transport.notifications", "packets", RIPSTOP_VALUES_WORKLOAD, "packets that reported such marks"},
    {"flow.events", "events", RIPSTOP_VALUES_WORKLOAD,
     "events of the flow model: messages begin, leave and arrive, computations, changes of the fabric"},
    {"flow.solves", "updates", RIPSTOP_VALUES_WORKLOAD, "times at which the flow model found new rates"},
    {"flow.changed", "rates", RIPSTOP_VALUES_WORKLOAD, "rates that these updates changed, of all pairs of end nodes"},
    {"checkpoint.count", "checkpoints", RIPSTOP_VALUES_WORKLOAD, "checkpoints that were written"},
    {"checkpoint.cycles", "cycles", RIPSTOP_VALUES_WORKLOAD, "cycles that all ranks paused for checkpoints"},
    {"rollback.count", "rollbacks", RIPSTOP_VALUES_WORKLOAD, "times that the jobs went back to a checkpoint"},
    {"rollback.cycles", "cycles", RIPSTOP_VALUES_WORKLOAD,
     "cycles from stops of the network until the jobs went on from a checkpoint"},
    {"rollback.repeated", "cycles", RIPSTOP_VALUES_WORKLOAD, "cycles of work that were undone and done again"},
    {"rollback.tasks", "tasks", RIPSTOP_VALUES_WORKLOAD, "tasks that were undone and done again"},
    /* Random traffic with a transport. */
    {"transport.repeats", "packets", RIPSTOP_VALUES_TRAFFIC, "packets that a transport sent again"},
    {"transport.lost", "packets", RIPSTOP_VALUES_TRAFFIC,
     "losses of all that a transport sent: packets, repeats and answers"},
    {"transport.oldest", "cycles", RIPSTOP_VALUES_TRAFFIC,
     "cycles since the generation of the oldest packet that is not delivered at the end; 0: all are"},
    /* Proofs of many fault sets. */
    {"sets", "sets", RIPSTOP_VALUES_SETS, "fault sets of the proof"},
    {"tolerated", "share", RIPSTOP_VALUES_SETS, "share of all fault sets under which no pair is lost"},
    {"tolerated.connected", "share", RIPSTOP_VALUES_SETS,
     "share of those that leave it connected under which no pair is lost"},
    {"not-tolerated", "share", RIPSTOP_VALUES_SETS, "share of all fault sets under which some pair is lost"},
    {"connected", "share", RIPSTOP_VALUES_SETS, "share of the fault sets that leave the fabric connected"},
    {"pairs", "pairs", RIPSTOP_VALUES_SETS, "ordered pairs of distinct end nodes"},
    {"pairs.lost", "", RIPSTOP_VALUES_SETS,
     "ordered pairs of end nodes that the method loses, mean over the fault sets"},
    {"header.bits", "bits", RIPSTOP_VALUES_SETS,
     "bits of a packet's header that its candidates depend on, with prove.tables"},
    {"tables.entries", "", RIPSTOP_VALUES_SETS,
     "entries of all nodes' tables, one for every head that packets can have, with prove.tables"},
    {"rare.looked", "sets", RIPSTOP_VALUES_SETS, "fault sets of up to prove.rare parts that were proved, one by one"},
    {"rare.listed", "sets", RIPSTOP_VALUES_SETS, "those of them that are not tolerated and contain no other such set"},
    {"rare.reach", "", RIPSTOP_VALUES_SETS, "the sum of the shares that these have among all sets"},
    {"safe", "share", RIPSTOP_VALUES_SETS,
     "share of all fault sets under which every transient state of old and new tables drains"},
    {"safe.connected", "share", RIPSTOP_VALUES_SETS,
     "share of those that leave it connected under which every transient state of old and new tables drains"},
    {"deadlocked", "share", RIPSTOP_VALUES_SETS,
     "share of all fault sets under which some transient state of old and new tables can deadlock"},
    {"deadlocked.connected", "share", RIPSTOP_VALUES_SETS,
     "share of those that leave it connected under which some transient state of tables can deadlock"},
    {"livelocked", "share", RIPSTOP_VALUES_SETS,
     "share of all fault sets under which packets can loop forever in some transient state of tables"},
    {"deadlock.possible", "share", RIPSTOP_VALUES_SETS, "share of all fault sets under which packets can deadlock"},
    {"deadlock.possible.connected", "share", RIPSTOP_VALUES_SETS,
     "share of the connected fault sets under which packets can deadlock"},
    {"deadlock.possible.tolerated", "share", RIPSTOP_VALUES_SETS,
     "share of the tolerated fault sets (no pair lost) under which packets can deadlock"},
    {"livelock.possible", "share", RIPSTOP_VALUES_SETS, "share of all fault sets under which packets can livelock"},
    /* Jobs of a workload: job.1.cycles. */
    {"cycles", "cycles", RIPSTOP_VALUES_JOB, "cycles from the job's start to its end"},
    {"ideal-cycles", "cycles", RIPSTOP_VALUES_JOB, "its cycles by the alpha-beta bound"},
    {"steps", "steps", RIPSTOP_VALUES_JOB, "steps of the job that are done"},
    {"step.mean", "cycles", RIPSTOP_VALUES_JOB, "cycles of a step, mean"},
    {"step.p50", "cycles", RIPSTOP_VALUES_JOB, "cycles that half of the steps did not exceed"},
    {"step.p99", "cycles", RIPSTOP_VALUES_JOB, "cycles that 99 of 100 steps did not exceed"},
    {"step.max", "cycles", RIPSTOP_VALUES_JOB, "cycles of the longest step"},
    {"recovery", "cycles", RIPSTOP_VALUES_JOB,
     "cycles from the first change of the schedule until its steps are as fast again"},
    {"message.count", "messages", RIPSTOP_VALUES_JOB, "messages of the job that arrived, if jobs have classes"},
    {"message.completion.mean", "cycles", RIPSTOP_VALUES_JOB,
     "cycles from when a message of the job could be sent until it arrived, mean, if jobs have classes"},
    {"message.completion.p99", "cycles", RIPSTOP_VALUES_JOB,
     "the same, which 99 of 100 messages of the job did not exceed"},
    {"message.slowdown.mean", "1", RIPSTOP_VALUES_JOB,
     "the time of a message of the job over its time alone in the network, mean, if jobs have classes"},
    /* One proof. */
    {"pairs", "pairs", RIPSTOP_VALUES_PROOF, "ordered pairs of distinct end nodes"},
    {"disconnected_pairs", "pairs", RIPSTOP_VALUES_PROOF, "ordered pairs of end nodes without a physical path"},
    {"lost_pairs_some_choice", "pairs", RIPSTOP_VALUES_PROOF,
     "pairs of which some sequence of choices loses a packet, or loops forever"},
    {"lost_pairs_every_choice", "pairs", RIPSTOP_VALUES_PROOF, "pairs that no sequence of choices delivers"},
    {"tolerated", "0 or 1", RIPSTOP_VALUES_PROOF, "1 when every pair is delivered, whatever switches pick"},
    {"livelock_free", "0 or 1", RIPSTOP_VALUES_PROOF, "1 when no sequence of choices returns to a state"},
    {"deadlock_free", "0 or 1", RIPSTOP_VALUES_PROOF,
     "1 when no queues can wait only for each other, with the flow control of the plan"},
    {"waiting_queues", "queues", RIPSTOP_VALUES_PROOF, "queues that can wait only for each other"},
    {"channels", "", RIPSTOP_VALUES_PROOF, "virtual channels on every link"},
    {"states", "states", RIPSTOP_VALUES_PROOF, "states that packets can reach"},
    {"max_hops", "links", RIPSTOP_VALUES_PROOF, "links of the longest walk"},
    {"paths.minimum_mean", "links", RIPSTOP_VALUES_PROOF, "distance without faults, mean over pairs"},
    {"paths.shortest_mean", "links", RIPSTOP_VALUES_PROOF, "shortest walk, mean over pairs"},
    {"paths.longest_mean", "links", RIPSTOP_VALUES_PROOF, "longest walk, mean over pairs"},
    /* Forwarding tables. */
    {"pairs", "pairs", RIPSTOP_VALUES_TABLES, "ordered pairs of distinct end nodes of which the second has an address"},
    {"unreachable_pairs", "pairs", RIPSTOP_VALUES_TABLES, "of these, pairs that the tables do not connect"},
    {"disconnected_pairs", "pairs", RIPSTOP_VALUES_TABLES, "of these, pairs without a physical path"},
    {"dead_ends", "paths", RIPSTOP_VALUES_TABLES,
     "paths that end at a switch without an entry, or whose entry does not lead on"},
    {"astray", "paths", RIPSTOP_VALUES_TABLES, "paths that come out at another end node"},
    {"loops", "paths", RIPSTOP_VALUES_TABLES, "paths that loop forever"},
    {"unreachable_switch_lids", "addresses", RIPSTOP_VALUES_TABLES,
     "addresses of switches that some end node does not reach"},
    {"credit_loop", "0 or 1", RIPSTOP_VALUES_TABLES,
     "1 when packets, unicast and multicast together, can wait for each other forever"},
    {"credit_loop_unicast", "0 or 1", RIPSTOP_VALUES_TABLES, "1 when unicast packets alone can"},
    {"forwarding_loops", "groups", RIPSTOP_VALUES_TABLES,
     "multicast groups whose masks form a cycle, in tables with groups"},
    {"links_in_credit_loops", "", RIPSTOP_VALUES_TABLES, "virtual lanes of links that are in credit loops"},
    {"lanes", "", RIPSTOP_VALUES_TABLES, "virtual lanes that packets use"},
    {"worst_link_paths", "paths", RIPSTOP_VALUES_TABLES,
     "paths on the busiest link between switches, in one direction"},
    {"p99_link_paths", "paths", RIPSTOP_VALUES_TABLES,
     "paths that 99 of 100 directions of links between switches do not exceed"},
    {"mean_hops", "links", RIPSTOP_VALUES_TABLES, "links between switches on a path, mean over paths"},
    {"max_hops", "links", RIPSTOP_VALUES_TABLES, "links between switches on the longest path"},
    {"links", "", RIPSTOP_VALUES_TABLES, "directions of links between switches"},
    {"unused_links", "", RIPSTOP_VALUES_TABLES, "of these, directions without a path"},
    {"unused_cables", "cables", RIPSTOP_VALUES_TABLES, "links between switches without a path in either direction"},
    {"own_cables", "cables", RIPSTOP_VALUES_TABLES, "cables from a switch to itself"},
    {"transient.entries", "entries", RIPSTOP_VALUES_TABLES, "entries for addresses that both old and new tables have"},
    {"transient.changed_entries", "entries", RIPSTOP_VALUES_TABLES, "of these, entries that differ"},
    {"transient.levels", "", RIPSTOP_VALUES_TABLES, "service levels of pairs"},
    {"transient.changed_levels", "", RIPSTOP_VALUES_TABLES, "of these, service levels that differ"},
    {"transient.looping_addresses", "addresses", RIPSTOP_VALUES_TABLES,
     "addresses for which packets loop in some transient state of old and new tables"},
    {"transient.looping_groups", "groups", RIPSTOP_VALUES_TABLES,
     "multicast groups whose masks form a cycle in some transient state"},
    {"transient.credit_loop", "0 or 1", RIPSTOP_VALUES_TABLES,
     "1 when packets can wait for each other forever in some transient state"},
    {"transient.old_levels_credit_loop", "0 or 1", RIPSTOP_VALUES_TABLES,
     "1 when they can under the new tables while connections use old service levels"},
    {0}};

/* "lost.*" stands for the causes of loss that methods name. */
static bool is_in_family(const char *family, const char *value) {
  const size_t length = strlen(family) - 1;
  return !strncmp(value, family, length) && value[length];
}

/* True if a value has this name, or ends with it behind a point. */
static bool ends_with(const char *value, const char *name) {
  const size_t length = strlen(value), own = strlen(name);
  if (length < own || strcmp(value + length - own, name) != 0) return false;
  return length == own || value[length - own - 1] == '.';
}

/* "job.12.cycles" is the "cycles" of a job; NULL: the value is of no job. */
static const char *of_job(const char *value) {
  const size_t prefix = strlen("job.");
  if (strncmp(value, "job.", prefix) != 0) return NULL;
  const size_t digits = strspn(value + prefix, "0123456789");
  return digits && value[prefix + digits] == '.' ? value + prefix + digits + 1 : NULL;
}

static const ripstop_quantity *find_family(const char *value, unsigned of) {
  const ripstop_quantity *best = NULL;
  for (const ripstop_quantity *q = ripstop_quantities; q->name && of & RIPSTOP_VALUES_FAMILY; q++)
    if (q->of & RIPSTOP_VALUES_FAMILY && is_in_family(q->name, value))
      if (!best || strlen(q->name) > strlen(best->name)) best = q;
  return best;
}

static const ripstop_quantity *find_exact(const char *value, unsigned of) {
  const ripstop_quantity *q = ripstop_quantities;
  while (q->name && (!(q->of & of) || strcmp(q->name, value) != 0)) q++;
  return q->name ? q : NULL;
}

static const ripstop_quantity *find_end(const char *value, unsigned of) {
  const ripstop_quantity *best = NULL;
  for (const ripstop_quantity *q = ripstop_quantities; q->name; q++)
    if (q->of & of && ends_with(value, q->name))
      if (!best || strlen(q->name) > strlen(best->name)) best = q;
  return best;
}

const ripstop_quantity *ripstop_quantity_find(const char *value, unsigned of) {
  const char *job = of & RIPSTOP_VALUES_JOB ? of_job(value) : NULL;
  if (job) return find_exact(job, RIPSTOP_VALUES_JOB);
  const unsigned others = of & ~(unsigned)RIPSTOP_VALUES_JOB;
  const ripstop_quantity *found = find_exact(value, others);
  if (!found) found = find_family(value, others); /* before the end: names of links and causes may end with any word */
  if (!found) found = find_end(value, others);
  const char *point = found ? NULL : strstr(value, "latency."); /* "class1.latency.p90" */
  return point ? find_family(point, others) : found;
}
