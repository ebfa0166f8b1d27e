/* group_line.h - the lines about multicast groups, one at a time:
 *
 *   group tables   opensm.mcfdbs, dump_mfts, ibroute -M (with -s, too)
 *   groups         saquery -g, saquery -m, saquery MCMR: address, MLID, service level, members
 *
 * A group has a global address (MGID) and a local one (MLID, from 0xC000 on), by which switches find the mask of the
 * ports that get copies. Several groups may share an MLID. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_GROUP_LINE_H
#define RIPSTOP_FORMATS_INFINIBAND_GROUP_LINE_H

#include "base/piece.h"
#include "ripstop/error.h"

enum {
  IB_MLID_FIRST = 0xC000,
  IB_MLID_LAST = 0xFFFE,
  IB_MASK_PORTS = 256,
  IB_MASK_WORDS = IB_MASK_PORTS / 64,
  IB_MGID_MAX = 48
};

/* A record of the subnet administrator, as far as it has been read. UINT64_MAX: not known yet. */
typedef struct ib_group_record {
  char mgid[IB_MGID_MAX];
  uint64_t mlid, level;
  uint64_t port_guid; /* the port of a member */
  uint64_t join;      /* how it joined: bit 0 full member, bit 1 receives only, bit 2 sends only */
  uint32_t number;    /* counts records from 1 on */
} ib_group_record;

typedef enum ib_group_table {
  IB_GROUP_TABLE_NONE,
  IB_GROUP_TABLE_LISTS,  /* opensm.mcfdbs: the numbers of the ports */
  IB_GROUP_TABLE_COLUMNS /* dump_mfts, ibroute -M: a column for each port, or masks */
} ib_group_table;

/* The state between lines. */
typedef struct ib_groups {
  ib_group_table table; /* the lines of a switch's group table follow */
  bool in_record;       /* the fields of a record follow */
  ib_group_record record;
} ib_groups;

typedef enum ib_group_kind {
  IB_GROUP_UNKNOWN, /* not about multicast */
  IB_GROUP_BLANK,   /* a title within a table */
  IB_GROUP_KNOWN,   /* nothing to keep */
  IB_GROUP_OF,      /* begins the table of the switch `guid` */
  IB_GROUP_MASK,    /* the mask of `mlid` */
  IB_GROUP_RECORD   /* a field of `ib_groups.record`, whose MLID is known */
} ib_group_kind;

typedef struct ib_group_line {
  ib_group_kind kind;
  bool has_guid;
  uint64_t guid, mlid;
  uint64_t port[IB_MASK_WORDS]; /* a bit for each port; port 0 is the switch itself */
} ib_group_line;

/* The next line. NULL, or what is wrong with a line that begins as one of a known kind. */
const char *ib_groups_line(ib_groups *state, piece line, ib_group_line *out);

#endif
