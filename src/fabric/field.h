/* field.h - finite fields GF(p^m), of which slim flies and PolarFly are made.
 *
 * An element is a number below q = p^m: its digits to the base p are the coefficients of a polynomial, the constant one
 * first. Products are taken modulo the first monic irreducible polynomial of degree m, in the order of the numbers that
 * its other coefficients make. */
#ifndef RIPSTOP_FABRIC_FIELD_H
#define RIPSTOP_FABRIC_FIELD_H

#include "ripstop/plugin/base.h"

enum { RIPSTOP_FIELD_MAX = 2048 }; /* elements, for a family that has an option for them: a power of 2 */

typedef struct ripstop_field {
  uint32_t q, p, m;
  uint16_t *power;    /* [q - 1]: of the least primitive element, from its 0th */
  uint16_t *exponent; /* [q]: of an element as such a power; not of 0 */
} ripstop_field;

/* True if there is a field with so many elements: q is the power of a prime. */
bool ripstop_field_exists(uint32_t q);
/* -1 where there is none; the message names the nearest. For an option q of 2 to RIPSTOP_FIELD_MAX. */
int ripstop_field_check(const char *family, int64_t q, ripstop_error *err);
/* q is at most 65535, and there is such a field. Its arrays belong to the arena. */
void ripstop_field_make(ripstop_arena *arena, uint32_t q, ripstop_field *out);

uint32_t ripstop_field_add(const ripstop_field *f, uint32_t a, uint32_t b);
uint32_t ripstop_field_subtract(const ripstop_field *f, uint32_t a, uint32_t b);
static inline uint32_t ripstop_field_times(const ripstop_field *f, uint32_t a, uint32_t b) {
  return a && b ? f->power[(f->exponent[a] + (uint32_t)f->exponent[b]) % (f->q - 1)] : 0;
}
/* b is not 0. */
static inline uint32_t ripstop_field_over(const ripstop_field *f, uint32_t a, uint32_t b) {
  return a ? f->power[(f->exponent[a] + f->q - 1 - f->exponent[b]) % (f->q - 1)] : 0;
}

#endif
