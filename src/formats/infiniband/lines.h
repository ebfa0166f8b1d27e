/* lines.h - the lines of a dump, one at a time: what they say, before anybody looks at how it fits together. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_LINES_H
#define RIPSTOP_FORMATS_INFINIBAND_LINES_H

#include "formats/infiniband/dump.h"

/* Adds the nodes and ports of the text in the order of its lines; peers are texts still, nothing is sorted, and a node
 * that is listed twice is there twice. */
int ripstop_ib_read_lines(ripstop_ib_dump *dump, const char *text, size_t length, ripstop_error *err);
/* A text that is nothing but hexadecimal digits, as a number. */
bool ripstop_ib_read_hex(const char *text, size_t length, uint64_t *out);
/* True if the last four characters are equal: in a GUID they may stand for others that were redacted. */
bool ripstop_ib_ends_alike(const char *id, size_t length);
/* Whether some line of the text describes a node in this way. */
bool ripstop_ib_has_nodes(const char *text, size_t length);

/* For readers of other forms: a text's copy, and room for one more node or port. */
const char *ripstop_ib_keep(ripstop_ib_dump *dump, const char *from, const char *to);
ripstop_ib_node *ripstop_ib_add_node(ripstop_ib_dump *dump);
ripstop_ib_port *ripstop_ib_add_port(ripstop_ib_dump *dump);
/* "EDR" as it is known here; empty: unknown. */
const char *ripstop_ib_speed_name(const char *name, size_t length);
/* Mb/s of so many lanes at a speed by name; 0: unknown. */
uint32_t ripstop_ib_speed(uint32_t width, const char *speed);

#endif
