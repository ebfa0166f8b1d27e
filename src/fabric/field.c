/* field.c - finds finite fields by search: the first irreducible polynomial and the first primitive element, whose
 * powers give all products. q is small, so speed does not matter. */
#include "fabric/field.h"

#include <inttypes.h>

enum { DEGREE_MAX = 16 }; /* 2^16 is more elements than there may be */

static uint32_t least_factor(uint32_t q) {
  for (uint32_t p = 2; p * p <= q; p++)
    if (q % p == 0) return p;
  return q;
}

bool ripstop_field_exists(uint32_t q) {
  if (q < 2) return false;
  for (uint32_t p = least_factor(q); q > 1; q /= p)
    if (q % p) return false;
  return true;
}

int ripstop_field_check(const char *family, int64_t q, ripstop_error *err) {
  int64_t below = q, above = q;
  while (!ripstop_field_exists((uint32_t)below)) below--;
  while (!ripstop_field_exists((uint32_t)above)) above++;
  if (below == above) return 0;
  return ripstop_fail(err,
                      "fabric %s: q=%" PRIi64 " is not the power of a prime; the nearest are %" PRIi64 " and %" PRIi64,
                      family, q, below, above);
}

/* ------------------------------------------------------------------ polynomials over the integers modulo p */

typedef uint32_t polynomial[2 * DEGREE_MAX + 1]; /* coefficients, the constant one first */

static void split(uint32_t number, uint32_t p, uint32_t digits, polynomial out) {
  for (uint32_t i = 0; i <= 2 * DEGREE_MAX; i++) out[i] = 0;
  for (uint32_t i = 0; i < digits; i++, number /= p) out[i] = number % p;
}

static uint32_t join(const polynomial a, uint32_t p, uint32_t digits) {
  uint32_t number = 0;
  for (uint32_t i = digits; i-- > 0;) number = number * p + a[i];
  return number;
}

/* a modulo a monic polynomial of this degree; a's degree is at most `top`. */
static void reduce(polynomial a, uint32_t top, const polynomial by, uint32_t degree, uint32_t p) {
  for (uint32_t i = top + 1; i-- > degree;) {
    uint32_t lead = a[i];
    for (uint32_t k = 0; k <= degree; k++) a[i - degree + k] = (a[i - degree + k] + (p - lead) * by[k]) % p;
  }
}

static bool is_zero(const polynomial a, uint32_t digits) {
  for (uint32_t i = 0; i < digits; i++)
    if (a[i]) return false;
  return true;
}

/* True if no monic polynomial of degree 1 to m/2 divides this one of degree m. */
static bool is_irreducible(const polynomial a, uint32_t m, uint32_t p) {
  for (uint32_t degree = 1, count = p; degree <= m / 2; degree++, count *= p)
    for (uint32_t number = 0; number < count; number++) {
      polynomial by, rest;
      split(number, p, degree, by);
      by[degree] = 1;
      for (uint32_t i = 0; i <= 2 * DEGREE_MAX; i++) rest[i] = a[i];
      reduce(rest, m, by, degree, p);
      if (is_zero(rest, degree)) return false;
    }
  return true;
}

static void find_irreducible(uint32_t m, uint32_t p, polynomial out) {
  for (uint32_t number = 0;; number++) {
    split(number, p, m, out);
    out[m] = 1;
    if (is_irreducible(out, m, p)) return;
  }
}

static uint32_t multiply(const ripstop_field *f, const polynomial modulus, uint32_t x, uint32_t y) {
  polynomial a, b, product = {0};
  split(x, f->p, f->m, a);
  split(y, f->p, f->m, b);
  for (uint32_t i = 0; i < f->m; i++)
    for (uint32_t k = 0; k < f->m; k++) product[i + k] = (product[i + k] + a[i] * b[k]) % f->p;
  reduce(product, 2 * f->m - 2, modulus, f->m, f->p);
  return join(product, f->p, f->m);
}

/* ------------------------------------------------------------------ the field */

/* Fills the powers of an element; false: they do not reach all elements but 0. */
static bool fill_powers(ripstop_field *f, const polynomial modulus, uint32_t element) {
  uint32_t power = 1;
  for (uint32_t i = 0; i + 1 < f->q; i++) {
    if (i > 0 && power == 1) return false;
    f->power[i] = (uint16_t)power;
    f->exponent[power] = (uint16_t)i;
    power = multiply(f, modulus, power, element);
  }
  return true;
}

void ripstop_field_make(ripstop_arena *arena, uint32_t q, ripstop_field *out) {
  *out = (ripstop_field){.q = q,
                         .p = least_factor(q),
                         .power = RIPSTOP_ARRAY(arena, q, uint16_t),
                         .exponent = RIPSTOP_ARRAY(arena, q, uint16_t)};
  for (uint32_t n = q; n > 1; n /= out->p) out->m++;
  polynomial modulus;
  find_irreducible(out->m, out->p, modulus);
  for (uint32_t element = 1; !fill_powers(out, modulus, element); element++) {
  }
}

uint32_t ripstop_field_add(const ripstop_field *f, uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (uint32_t place = 1; place < f->q; place *= f->p, a /= f->p, b /= f->p)
    sum += place * ((a % f->p + b % f->p) % f->p);
  return sum;
}

uint32_t ripstop_field_subtract(const ripstop_field *f, uint32_t a, uint32_t b) {
  uint32_t difference = 0;
  for (uint32_t place = 1; place < f->q; place *= f->p, a /= f->p, b /= f->p)
    difference += place * ((a % f->p + f->p - b % f->p) % f->p);
  return difference;
}
