/* lookup.h - forwarding tables from files, for the methods that route by them: reading, naming and lookup.
 *
 * From its first link on, a packet's header has the number of its random address among its destination's, and above
 * that its service level. Nothing else of its source matters, and two sets of tables may number addresses
 * differently. */
#ifndef METHODS_SHARED_LOOKUP_H
#define METHODS_SHARED_LOOKUP_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/method.h"

enum { RIPSTOP_LOOKUP_FILES = 3 }; /* forwarding tables, service levels, virtual lanes (VLs); an empty path: none */

typedef struct ripstop_lookup {
  const ripstop_forwarding *tables;
  const uint32_t *first; /* [ends + 1]: first address of each end node */
  uint32_t most;         /* addresses of one end node, at least 1 */
} ripstop_lookup;

/* ripstop_method.name_files for `count` files, and their common hash (XXH3, 16 hexadecimal digits; empty: any). */
int ripstop_lookup_name(ripstop_arena *arena, const char *beside, const char **named, const char **opened,
                        unsigned count, const char **hash, ripstop_error *err);
/* Reads one set. Does not apply: no file is named. */
ripstop_answer ripstop_lookup_load(ripstop_arena *arena, const ripstop_fabric *fabric, const char *const *file,
                                   ripstop_lookup *out, ripstop_error *err);
/* The number of VLs that packets of any service level use, except VL 15, which drops packets. */
uint32_t ripstop_lookup_lanes(const ripstop_lookup *lookup);

/* Causes of loss: the first `losses` of the methods. */
enum {
  RIPSTOP_LOOKUP_CUT_OFF,
  RIPSTOP_LOOKUP_NO_ADDRESS,
  RIPSTOP_LOOKUP_NO_ENTRY,
  RIPSTOP_LOOKUP_FAILED_PORT,
  RIPSTOP_LOOKUP_ASTRAY,
  RIPSTOP_LOOKUP_NO_LANE
};
extern const char *const ripstop_lookup_losses[];

/* ripstop_method.guarantees: none, because files determine the tables. */
void ripstop_lookup_guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out);

/* The candidate of a packet at its end node, with a service level from `levels`, and at a switch; as
 * ripstop_method.route. */
int ripstop_lookup_send(const ripstop_plan *plan, const ripstop_lookup *lookup, const ripstop_lookup *levels,
                        const ripstop_head *head, ripstop_candidate *candidate);
int ripstop_lookup_forward(const ripstop_plan *plan, const ripstop_lookup *lookup, const ripstop_head *head,
                           ripstop_candidate *candidate);

#endif
