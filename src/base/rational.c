/* rational.c - fractions of 128 bits. Sums of fractions with one denominator, which are nearly all, need no division.
 */
#include "base/rational.h"

#include <math.h>
#include <string.h>

static rational_wide common(rational_wide a, rational_wide b) {
  while (b) {
    if ((a | b) <= UINT64_MAX) { /* division of 64 bits is ten times as fast */
      uint64_t x = (uint64_t)a, y = (uint64_t)b;
      while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
      }
      return x;
    }
    const rational_wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

rational rational_reduced(rational r) {
  const rational_wide c = r.den ? common(r.num, r.den) : 0;
  return c > 1 ? (rational){r.num / c, r.den / c} : r;
}

static bool times(rational_wide a, rational_wide b, rational_wide *out) { return !__builtin_mul_overflow(a, b, out); }

/* The sum without reducing first. False: it does not fit. */
static bool add(rational a, rational b, rational *out) {
  rational_wide left, right;
  if (a.den == b.den) {
    out->den = a.den;
    return !__builtin_add_overflow(a.num, b.num, &out->num);
  }
  const rational_wide c = common(a.den, b.den);
  return times(a.den / c, b.den, &out->den) && times(a.num, b.den / c, &left) && times(b.num, a.den / c, &right) &&
         !__builtin_add_overflow(left, right, &out->num);
}

rational rational_plus(rational a, rational b) {
  rational sum;
  if (!a.den || !b.den) return rational_lost();
  if (!a.num) return b;
  if (!b.num) return a;
  if (add(a, b, &sum)) return sum;
  return add(rational_reduced(a), rational_reduced(b), &sum) ? sum : rational_lost();
}

static bool scale(rational a, uint64_t up, uint64_t down, rational *out) {
  return times(a.num, up, &out->num) && times(a.den, down, &out->den);
}

rational rational_times(rational a, uint64_t up, uint64_t down) {
  rational product;
  if (!a.den) return a;
  if (scale(a, up, down, &product)) return product;
  a = rational_reduced(a);
  const uint64_t c = (uint64_t)common(up, down), d = (uint64_t)common(up / c, a.den);
  const uint64_t e = (uint64_t)common(down / c, a.num);
  a = (rational){a.num / e, a.den / d};
  return scale(a, up / c / d, down / c / e, &product) ? product : rational_lost();
}

/* By continued fractions, so that no product is needed. */
bool rational_above(rational a, rational b) {
  for (;;) {
    const rational_wide x = a.num / a.den, y = b.num / b.den;
    if (x != y) return x > y;
    a.num -= x * a.den;
    b.num -= y * b.den;
    if (!a.num || !b.num) return a.num > 0;
    const rational turned = {b.den, b.num}; /* a > b where 1/b > 1/a */
    b = (rational){a.den, a.num};
    a = turned;
  }
}

double rational_value(rational r) { return r.den ? (double)r.num / (double)r.den : (double)NAN; }

static char *print_wide(rational_wide n, char *out) {
  char digit[40];
  unsigned digits = 0;
  do {
    digit[digits++] = (char)('0' + (int)(n % 10));
    n /= 10;
  } while (n);
  while (digits) *out++ = digit[--digits];
  return out;
}

void rational_print(rational r, char out[RATIONAL_TEXT]) {
  *out = '\0';
  if (!r.den) return;
  r = rational_reduced(r);
  out = print_wide(r.num, out);
  if (r.den > 1) {
    *out++ = '/';
    out = print_wide(r.den, out);
  }
  *out = '\0';
}
