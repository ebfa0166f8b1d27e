/* symmetry.h - relabellings of a fabric, and the fault sets that they carry into each other. */
#ifndef PROVE_SYMMETRY_H
#define PROVE_SYMMETRY_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

/* ------------------------------------------------------------------ symmetry
 * Sets of switch-switch links that a relabelling of the fabric (ripstop_family's `symbols`) carries into each other are
 * one orbit. A method that guarantees `symmetric` fares the same with all of them, so one stands for all. */

enum { RIPSTOP_ORBIT_FAULTS = 16 }; /* most links of a set; there are n! orders to try at worst */

typedef struct ripstop_symmetry ripstop_symmetry;
/* With `use` false, or a family without symbols: no set is equivalent to another. Works for any fabric. */
ripstop_symmetry *ripstop_symmetry_new(const ripstop_fabric *fabric, bool use);
/* All symmetries that are sound for the plan's method with its configuration. */
ripstop_symmetry *ripstop_symmetry_for(const ripstop_plan *plan);
void ripstop_symmetry_free(ripstop_symmetry *symmetry);
/* True if any set is equivalent to another. */
bool ripstop_symmetry_useful(const ripstop_symmetry *symmetry);
/* The orbit's representative, ascending, to `out`, which may be `link` (distinct switch-switch links in any order).
 * Returns how many sets the orbit has. */
uint64_t ripstop_symmetry_canonical(const ripstop_symmetry *symmetry, const uint32_t *link, uint32_t count,
                                    uint32_t *out);

/* Every orbit of sets of `count` links once:
 *   if (ripstop_orbits_first(&orbits, symmetry, count, err)) return -1;
 *   do ... orbits.link, orbits.sets ... while (ripstop_orbits_next(&orbits));
 * The orbits' sizes add up to the number of all sets. Nothing is allocated, so there is nothing to free. */
typedef struct ripstop_orbits {
  const ripstop_symmetry *symmetry;
  uint32_t count;
  uint32_t link[RIPSTOP_ORBIT_FAULTS];  /* the representative, ascending */
  uint64_t sets;                        /* sets in the orbit */
  uint32_t place[RIPSTOP_ORBIT_FAULTS]; /* private */
} ripstop_orbits;
/* -1: there are fewer links, or more than RIPSTOP_ORBIT_FAULTS are requested, or the sets cannot be counted in 64
 * bits. A count of 0 has one orbit: the empty set. */
int ripstop_orbits_first(ripstop_orbits *orbits, const ripstop_symmetry *symmetry, uint32_t count, ripstop_error *err);
bool ripstop_orbits_next(ripstop_orbits *orbits); /* false: that was the last */

RIPSTOP_END

#endif
