/* lines.h - reads the lines of a dump one at a time, before dump.c checks how they fit together. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_LINES_H
#define RIPSTOP_FORMATS_INFINIBAND_LINES_H

#include "base/piece.h"
#include "formats/infiniband/dump.h"
#include "formats/plain_lines.h"

/* Adds the nodes and ports of the text in the order of its lines; peers are texts still, nothing is sorted, and a node
 * that is listed twice is there twice. */
int ripstop_ib_read_lines(ripstop_ib_dump *dump, plain_lines lines, ripstop_error *err);
/* A text that is nothing but hexadecimal digits, as a number. */
bool ripstop_ib_read_hex(piece text, uint64_t *out);
/* True if the last four characters are equal: in a GUID they may stand for others that were redacted. */
bool ripstop_ib_ends_alike(piece id);
/* True if a line describes a node in this form. */
bool ripstop_ib_is_node_line(piece line);

/* Counts a line that is not part of a format; true if it says that the discovery got no answer in time. */
bool ripstop_ib_skip(ripstop_ib_dump *dump, piece line);

/* For readers of other forms: a text's copy, and room for one more node or port. */
const char *ripstop_ib_keep(ripstop_ib_dump *dump, piece text);
ripstop_ib_node *ripstop_ib_add_node(ripstop_ib_dump *dump);
ripstop_ib_port *ripstop_ib_add_port(ripstop_ib_dump *dump);
/* "EDR" as it is known here; empty: unknown. */
const char *ripstop_ib_speed_name(piece name);
/* A LID as dumps keep it: 0 for a port that is not configured, RIPSTOP_IB_LID_WRONG for one that cannot be. */
static inline uint32_t ripstop_ib_lid_value(uint64_t lid) {
  if (lid == RIPSTOP_IB_LID_UNSET) return 0;
  return lid > RIPSTOP_IB_LID_LIMIT ? RIPSTOP_IB_LID_WRONG : (uint32_t)lid;
}
/* Mb/s of a port with so many serial lanes at a speed by name; 0: unknown. */
uint32_t ripstop_ib_speed(uint32_t width, const char *speed);
/* True if a port can have this many serial lanes. */
bool ripstop_ib_is_width(uint32_t width);

#endif
