/* opensm.h - shared by OpenSM's engines that route by counting hops: `minhop`, `dor` and `updn`.
 *
 * An engine counts the hops from each switch over each of its ports, for one destination after the other. All engines
 * choose alike among the ports with the fewest hops. Order decides ties, so the order of everything is OpenSM's
 * (3.3.23, without LMC): switches by GUID, the last byte first, ports by number. Addresses are given out
 *
 *   - switch by switch, those with most adapters first, of equal ones by GUID (a stable sort; OpenSM leaves that to the
 *     C library's qsort, which has been stable in all but glibc 2.37), and on a switch by its port;
 *   - then those of switches.
 *
 * An address is given the port that the fewest addresses of adapters have been given before. After a failure an entry
 * stays if its port still has the fewest hops. After a repair all entries are made again.
 *
 * Parts that are cut off from each other are each routed, as if each had a subnet manager.
 *
 * A series of faults (ripstop_repairs) keeps everything of the first state, and repeats only the work that failed parts
 * touch (opensm_repairs.c). */
#ifndef METHODS_SHARED_OPENSM_H
#define METHODS_SHARED_OPENSM_H

#include "ripstop/kit/repair.h"
#include "ripstop/plugin/method.h"
#include "tables/switch_graph.h"

enum { RIPSTOP_OPENSM_FAR = 255 }; /* hops: there is no path */

/* The live switches and the channels between them, numbered in OpenSM's order. */
typedef struct ripstop_opensm_kept ripstop_opensm_kept;

typedef struct ripstop_opensm {
  switch_graph graph;              /* by port */
  const uint64_t *guid;            /* [switches] */
  const uint32_t *ends;            /* [switches]: live end nodes there */
  const uint8_t *live;             /* [channels]: has not failed since they were numbered */
  const ripstop_opensm_kept *kept; /* NULL: nothing is */
} ripstop_opensm;

/* The first state, kept while parts fail. */
struct ripstop_opensm_kept {
  const uint8_t *least; /* [switches * switches]: channels on shortest paths before, from each to each */
  const void *engine;   /* the engine's own in the first state; NULL: this is the first state */
  const uint32_t *dead; /* channels that failed since, of switches that are up */
  uint32_t deads;
};

void ripstop_opensm_discover(ripstop_opensm *net, const ripstop_view *view, ripstop_arena *arena);

/* Hops to switch `to` over each channel (`hop` [channels]) and at least (`least` [switches]); FAR where there is no
 * path. `engine` is the engine's own. */
typedef void ripstop_opensm_hops(const ripstop_opensm *net, void *engine, uint32_t to, uint8_t *hop, uint8_t *least);
ripstop_opensm_hops ripstop_opensm_shortest; /* on shortest paths; `engine` is uint32_t[switches] */
/* Writes the channels on shortest paths to a switch to `least` [switches]; `queue` [switches] is scratch. */
void ripstop_opensm_search(const ripstop_opensm *net, uint32_t *queue, uint32_t to, uint8_t *least);

/* Hops to a switch are those of the first state (net->kept), except over failed channels. */
typedef bool ripstop_opensm_stays(const ripstop_opensm *net, const void *engine, uint32_t to);
ripstop_opensm_stays ripstop_opensm_as_far; /* for shortest paths */

typedef struct ripstop_opensm_rules {
  ripstop_opensm_hops *hops;
  ripstop_opensm_stays *stays;
  void *engine;
  bool first_neighbour; /* use only the ports to the neighbour at the first port with the fewest hops */
} ripstop_opensm_rules;

/* An engine's rules for what has been discovered, in memory of the arena. Does not apply: it refuses the fabric. */
typedef ripstop_answer ripstop_opensm_engine(const void *config, const ripstop_opensm *net, ripstop_arena *arena,
                                             ripstop_opensm_rules *out, ripstop_error *err);

ripstop_opensm_engine ripstop_opensm_minhop; /* OpenSM falls back on it */

/* ripstop_method.plan, for methods that route by entries.h, and ripstop_method.repair: what OpenSM writes after a
 * failure when it had written the old tables. Does not apply: a node has several addresses. */
ripstop_answer ripstop_opensm_plan(ripstop_plan *plan, ripstop_opensm_engine *engine, ripstop_error *err);
ripstop_forwarding *ripstop_opensm_repair(ripstop_opensm_engine *engine, const void *config, const ripstop_view *view,
                                          const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err);
/* ripstop_repairs of such a method. */
void *ripstop_opensm_repairs_open(ripstop_opensm_engine *engine, const void *config, const ripstop_view *view,
                                  const ripstop_forwarding *old, ripstop_answer *answer, ripstop_error *err);
ripstop_answer ripstop_opensm_repairs_follow(void *kept, ripstop_repaired *out, ripstop_error *err);
void ripstop_opensm_repairs_close(void *kept);
/* ripstop_method.guarantees: nothing, since these engines promise nothing. */
void ripstop_opensm_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);

#endif
