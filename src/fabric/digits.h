/* digits.h - mixed-radix numbers, by which every regular family names and numbers its nodes: digit 0 is the least
 * significant; names show the most significant digit first, joined by dots. */
#ifndef RIPSTOP_FABRIC_DIGITS_H
#define RIPSTOP_FABRIC_DIGITS_H

#include "ripstop/fabric.h"

enum { RIPSTOP_DIGITS_MAX = 64 }; /* so that any name of digits fits RIPSTOP_NAME_MAX */

/* The digits of `value`, all of one radix, or each of its own. */
void ripstop_digits_split(uint32_t value, uint32_t radix, uint32_t count, uint16_t *digit);
/* Adds digits count-1 .. 0 at out[length]; returns the new length. `star`: a digit shown as '*'; RIPSTOP_NONE: none. */
size_t ripstop_digits_print(char *out, size_t length, const uint16_t *digit, uint32_t count, uint32_t star);
/* Adds "TEXTnumber" at out[length]; returns the new length. */
size_t ripstop_name_number(char *out, size_t length, const char *text, uint32_t number);

/* A coordinate of the node at a side of a link. */
static inline uint16_t ripstop_link_coord(const ripstop_fabric *fabric, uint32_t link, unsigned side, uint32_t which) {
  return fabric->coord[(size_t)ripstop_link_node(fabric, link, side) * fabric->coords + which];
}

static inline const uint16_t *ripstop_coords(const ripstop_fabric *fabric, uint32_t node) {
  return fabric->coord + (size_t)node * fabric->coords;
}

#endif
