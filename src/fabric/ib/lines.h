/* lines.h - the lines of a dump, one at a time: what they say, before anybody looks at how it fits together. */
#ifndef RIPSTOP_FABRIC_IB_LINES_H
#define RIPSTOP_FABRIC_IB_LINES_H

#include "fabric/ib/dump.h"

/* Adds the nodes and ports of the text in the order of its lines; peers are texts still, nothing is sorted, and a node
 * that is listed twice is there twice. */
int ripstop_ib_read_lines(ripstop_ib_dump *dump, const char *text, size_t length, ripstop_error *err);
/* A text that is nothing but hexadecimal digits, as a number. */
bool ripstop_ib_read_hex(const char *text, size_t length, uint64_t *out);
/* Mb/s of so many lanes at a speed by name; 0: unknown. */
uint32_t ripstop_ib_speed(uint32_t width, const char *speed);

#endif
