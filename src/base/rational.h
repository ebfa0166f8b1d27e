/* rational.h - exact fractions that are not negative, of 128 bits: equal splits of equal splits, which floating point
 * rounds.
 *
 * A result that does not fit is `rational_lost`, and whatever is computed from that is too; so a caller checks once, at
 * the end. Fractions are reduced only where they would not fit otherwise, and by rational_reduced. */
#ifndef RIPSTOP_BASE_RATIONAL_H
#define RIPSTOP_BASE_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 rational_wide;

typedef struct rational {
  rational_wide num, den; /* den 0: it did not fit */
} rational;

enum { RATIONAL_TEXT = 84 }; /* bytes of the longest one as text: two numbers of 39 digits, a stroke, the end */

static inline rational rational_of(uint64_t whole) { return (rational){whole, 1}; }
static inline rational rational_lost(void) { return (rational){0, 0}; }
static inline bool rational_fits(rational r) { return r.den != 0; }
static inline bool rational_is_zero(rational r) { return r.den != 0 && r.num == 0; }

/* The same in lowest terms. */
rational rational_reduced(rational r);
rational rational_plus(rational a, rational b);
/* `a` times `up`, divided by `down`, which is not 0. */
rational rational_times(rational a, uint64_t up, uint64_t down);
/* True if `a` is the larger one. Both fit. */
bool rational_above(rational a, rational b);
double rational_value(rational r); /* NAN: it did not fit */
/* "3" or "9/4", in lowest terms; "" if it did not fit. */
void rational_print(rational r, char out[RATIONAL_TEXT]);

#endif
