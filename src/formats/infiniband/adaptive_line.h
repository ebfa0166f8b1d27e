/* adaptive_line.h - the lines of ibdiagnet2.far, which has the forwarding table of each switch with its groups of ports
 * for adaptive routing. Its grammar is that of the reader of Rapimt, a verifier of networks
 * (github.com/CrackedPoly/Rapimt, crates/rapimt_io/src/ib/cmd_parser/ibfar.pest); ibdiagnet's own documents name the
 * file, and do not describe it.
 *
 *   File version: 1
 *   Switch 0x0002c90300000001 ...                 then any lines of the switch
 *   Groups Definition:
 *   Group  Sub Group  WHBF  Ports
 *   ------
 *   1      0          0     17,18,19,             a group has a line for each of its sub groups
 *   LFT Definition:
 *   PLFT_NUM: 0, top:0x30
 *   LID  Static Port  Lid State  Group
 *   ------
 *   0x0003  17  Free  1                           any port of group 1, by load
 *   0x0004  18  HBF  1                            any port of group 1, by a hash of the packet
 *   0x0005  3  Static  0                          port 3
 *
 * Not known: the service levels for which a switch uses its groups, and the ports that it takes while one of a group is
 * down. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_ADAPTIVE_LINE_H
#define RIPSTOP_FORMATS_INFINIBAND_ADAPTIVE_LINE_H

#include "base/piece.h"

enum { IB_ADAPTIVE_WORDS = 4 };

typedef enum ib_adaptive_kind {
  IB_ADAPTIVE_UNKNOWN, /* no such line */
  IB_ADAPTIVE_BLANK,   /* a title */
  IB_ADAPTIVE_KNOWN,   /* nothing to keep */
  IB_ADAPTIVE_TABLE,   /* begins the tables of the switch `guid` */
  IB_ADAPTIVE_PORTS,   /* `group` has these ports, and those of its other lines */
  IB_ADAPTIVE_ENTRY    /* `lid` leaves by `port`, or any port of `group`, if that is not RIPSTOP_NONE */
} ib_adaptive_kind;

typedef struct ib_adaptive_line {
  ib_adaptive_kind kind;
  uint64_t guid, lid, port;
  uint32_t group;
  uint64_t ports[IB_ADAPTIVE_WORDS]; /* a bit for each, from port 0 */
} ib_adaptive_line;

/* The state between lines; zeroed at the beginning of a file. */
typedef struct ib_adaptive {
  enum { IB_ADAPTIVE_NO_FILE, IB_ADAPTIVE_FILE, IB_ADAPTIVE_SWITCH, IB_ADAPTIVE_GROUPS, IB_ADAPTIVE_ENTRIES } part;
  uint64_t guid;
} ib_adaptive;

/* The next line. NULL, or what is wrong with it. */
const char *ib_adaptive_read(ib_adaptive *a, piece line, ib_adaptive_line *out);

#endif
