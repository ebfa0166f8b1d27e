/* piece.c - see piece.h. */
#include "base/piece.h"

#include <math.h>

#include "ripstop/plugin/base.h"

bool piece_copy(piece p, char *out, size_t room) {
  const size_t length = piece_length(p);
  if (length >= room || memchr(p.at, '\0', length)) return false;
  memcpy(out, p.at, length);
  out[length] = '\0';
  return true;
}

bool piece_thousandths(piece p, uint32_t *out) {
  char text[16];
  double value;
  ripstop_error ignored;
  if (!piece_copy(p, text, sizeof text) || ripstop_parse_real(text, &value, &ignored) != 0) return false;
  value *= 1000;
  *out = value > 0 && value < UINT32_MAX ? (uint32_t)lround(value) : 0;
  return fabs(value - round(value)) < 1e-6;
}
