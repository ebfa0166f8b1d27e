/* opensm.h - what those engines of OpenSM share that route by counting hops: `minhop`, `dor` and `updn`.
 *
 * Each of them says how far each switch is over each of its ports, for one destination after the other; which of the
 * ports with the fewest hops an address is given is the same for all. Ties are decided by order, so the order of
 * everything is OpenSM's (3.3.23, without LMC): switches by GUID, the last byte first, ports by number. Addresses are
 * given out
 *
 *   - switch by switch, those with most adapters first, of equal ones by GUID (a stable sort; OpenSM leaves that to the
 *     C library's qsort, which has been stable in all but glibc 2.37), and on a switch by its port;
 *   - then those of switches.
 *
 * An address is given the port that fewest addresses of adapters have been given before. After something
 * has died, an entry whose port still has the fewest hops stays. (When something comes back all entries are made
 * again.)
 *
 * Parts that are cut off from each other are each routed, as if each had a subnet manager.
 *
 * For many faults one after the other (ripstop_repairs) everything of the first state is kept, and only what the dead
 * parts touch is done again (opensm_repairs.c). */
#ifndef METHODS_SHARED_OPENSM_H
#define METHODS_SHARED_OPENSM_H

#include "ripstop/kit/repair.h"
#include "ripstop/plugin/method.h"
#include "tables/switch_graph.h"

enum { RIPSTOP_OPENSM_FAR = 255 }; /* hops: there is no way */

/* The live switches and the channels between them, numbered in OpenSM's order. */
typedef struct ripstop_opensm_kept ripstop_opensm_kept;

typedef struct ripstop_opensm {
  switch_graph graph;              /* by port */
  const uint64_t *guid;            /* [switches] */
  const uint32_t *ends;            /* [switches]: live end nodes there */
  const uint8_t *live;             /* [channels]: not dead since they were numbered */
  const ripstop_opensm_kept *kept; /* NULL: nothing is */
} ripstop_opensm;

/* What is kept while parts die. */
struct ripstop_opensm_kept {
  const uint8_t *least; /* [switches * switches]: channels on shortest candidates before, from each to each */
  const void *engine;   /* the engine's own then; NULL: that is now */
  const uint32_t *dead; /* channels that died since; of switches that live */
  uint32_t deads;
};

void ripstop_opensm_discover(ripstop_opensm *net, const ripstop_view *view, ripstop_arena *arena);

/* Hops to switch `to` over each channel (`hop` [channels]) and at least (`least` [switches]); FAR where there is no
 * way. `engine` is the engine's own. */
typedef void ripstop_opensm_hops(const ripstop_opensm *net, void *engine, uint32_t to, uint8_t *hop, uint8_t *least);
ripstop_opensm_hops ripstop_opensm_shortest; /* of shortest candidates; its own are [switches] of uint32_t */
/* Channels on shortest candidates to a switch, to `least` [switches]; `queue` [switches]. */
void ripstop_opensm_search(const ripstop_opensm *net, uint32_t *queue, uint32_t to, uint8_t *least);

/* Whether what has died since (net->kept) leaves hops to a switch as they were, but over the dead channels. */
typedef bool ripstop_opensm_stays(const ripstop_opensm *net, const void *engine, uint32_t to);
ripstop_opensm_stays ripstop_opensm_as_far; /* for shortest candidates */

typedef struct ripstop_opensm_rules {
  ripstop_opensm_hops *hops;
  ripstop_opensm_stays *stays;
  void *engine;
  bool first_neighbour; /* of the ports with the fewest hops only those to the neighbour at the first of them */
} ripstop_opensm_rules;

/* An engine's rules for what has been discovered, in memory of the arena. Does not apply: it refuses the fabric. */
typedef ripstop_answer ripstop_opensm_engine(const void *config, const ripstop_opensm *net, ripstop_arena *arena,
                                             ripstop_opensm_rules *out, ripstop_error *err);

ripstop_opensm_engine ripstop_opensm_minhop; /* which OpenSM falls back on */

/* ripstop_method.plan, for methods that route by entries.h, and ripstop_method.repair: what OpenSM writes when it has
 * written the old tables, and then something has died. That does not apply where a node has several addresses. */
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
